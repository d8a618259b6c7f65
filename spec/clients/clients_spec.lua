-- The arguments that endpoint.clients makes for HTTP clients. clients_wire_spec.lua sends requests
-- with them.
local clients = require "endpoint.clients"
local requests = require "clients.requests"
local support = require "support"

local raises, handle = support.client_raises, requests.handle
local UPLOAD = {
  method = "post",
  url = "http://h/x",
  headers = { ["content-type"] = "image/png" },
  body = "\0\1\127\128\255'\\%",
}
local UNLABELLED = { method = "post", url = "http://h/x", body = "text" }

-- --- requests of all kinds ------------------------------------------------------------

-- What a row of requests.sent says of the request, in parts: `lists` has lists of several where
-- clients take them, and `fields` name and value of each header in order.
local function parts_of(row)
  local m = {
    method = row.method,
    body = row.body,
    path = row.uri:match "^[^?]*",
    query = row.uri:match "%?(.*)$",
    url = "https://h" .. row.uri,
    lists = {},
    fields = {},
    headers = {
      accept = "application/vnd.service.v3+json",
      ["user-agent"] = "service-endpoint.js/1.0.0",
    },
  }
  for name, value in pairs(row.headers) do
    if value and name ~= "content-length" then
      m.headers[name] = value
    end
  end
  for _, name in ipairs(support.keys(m.headers)) do
    local value = row[3] and row[3].headers and row[3].headers[name]
    local list = name ~= "cookie" and type(value) == "table" and value or { m.headers[name] }
    m.lists[name] = list[2] and list or list[1]
    for _, one in ipairs(list) do
      m.fields[#m.fields + 1] = { name, one }
    end
  end
  return m
end

-- Client -> what it makes of such a request: a list of all results. What others get is seen where
-- it arrives.
local MADE = {
  plain = function(m)
    return {
      {
        method = m.method,
        path = m.path,
        query = m.query,
        body = m.body,
        url = m.url,
        scheme = "https",
        host = "h",
        port = 443,
        headers = m.headers,
        fields = m.fields,
      },
    }
  end,
  resty_http = function(m)
    local query = m.query and "?" .. m.query
    return {
      "https://h",
      { method = m.method, path = m.path, query = query, headers = m.lists, body = m.body },
    }
  end,
  curl = function(m)
    local lines = {}
    for i, field in ipairs(m.fields) do
      lines[i] = field[1] .. (field[2] == "" and ";" or ": " .. field[2])
    end
    if m.body and not m.headers["content-type"] then
      lines[#lines + 1] = "content-type:"
    end
    if m.body and #m.body > 1024 and not m.headers.expect then
      lines[#lines + 1] = "expect:"
    end
    return {
      {
        url = m.url,
        customrequest = m.method,
        httpheader = lines,
        postfields = m.body,
        nobody = m.method == "HEAD" or nil,
        path_as_is = true,
      },
    }
  end,
  lua_https = function(m)
    if m.body == "" then
      m.headers["content-length"] = "0"
    elseif m.body then
      m.headers["content-type"] = m.headers["content-type"] or "application/octet-stream"
    end
    return {
      m.url,
      { method = m.method, headers = m.headers, data = m.body ~= "" and m.body or nil },
    }
  end,
}

describe("clients.", function()
  for client, made in pairs(MADE) do
    for _, row in ipairs(requests.sent) do
      local refused = row.refused and row.refused[client]
      if refused or type(row[3]) ~= "function" then
        it(client .. (refused and " refuses " or " makes arguments of ") .. row[1], function()
          local r = requests.result(row, "https://h")
          if refused then
            return raises(refused, clients[client], r)
          end
          assert.same(made(parts_of(row)), { clients[client](r) })
        end)
      end
    end
  end
end)

-- URLs, and their parts as they are sent, without fragment and userinfo.
local URLS = {
  { url = "http://h", origin = "http://h", host = "h", port = 80, path = "/" },
  { url = "http://h?q", origin = "http://h", host = "h", port = 80, path = "/", query = "q" },
  { url = "http://h#f", origin = "http://h", host = "h", port = 80, path = "/" },
  {
    url = "http://h/a?b#c?d",
    origin = "http://h",
    host = "h",
    port = 80,
    path = "/a",
    query = "b",
  },
  {
    url = "http://h/a??b=?",
    origin = "http://h",
    host = "h",
    port = 80,
    path = "/a",
    query = "?b=?",
  },
  {
    url = "HTTPS://H:8443/A%2f?b=%20#c",
    origin = "https://H:8443",
    host = "H",
    port = 8443,
    path = "/A%2f",
    query = "b=%20",
  },
  { url = "HTTPS://H/A", origin = "https://H", host = "H", port = 443, path = "/A" },
  {
    url = "https://h:443/a?",
    origin = "https://h:443",
    host = "h",
    port = 443,
    path = "/a",
    query = "",
  },
  { url = "http://h:/a", origin = "http://h", host = "h", port = 80, path = "/a" },
  {
    url = "http://h:080?a=?",
    origin = "http://h:80",
    host = "h",
    port = 80,
    path = "/",
    query = "a=?",
  },
  { url = "HTTP://h:8/", origin = "http://h:8", host = "h", port = 8, path = "/" },
  {
    url = "http://[::1.2.3.4]/??",
    origin = "http://[::1.2.3.4]",
    host = "::1.2.3.4",
    port = 80,
    path = "/",
    query = "?",
  },
  {
    url = "http://[::1]:8080/y]:1/z",
    origin = "http://[::1]:8080",
    host = "::1",
    port = 8080,
    path = "/y]:1/z",
  },
  {
    url = "http://u:p@[fe80::1]:81/x#?",
    origin = "http://[fe80::1]:81",
    host = "fe80::1",
    port = 81,
    path = "/x",
  },
  { url = "http://@h/", origin = "http://h", host = "h", port = 80, path = "/" },
  {
    url = "http://a-b_c~!$&'()*+,;=",
    origin = "http://a-b_c~!$&'()*+,;=",
    host = "a-b_c~!$&'()*+,;=",
    port = 80,
    path = "/",
  },
}

describe("the parts of a URL", function()
  for _, row in ipairs(URLS) do
    local r = { method = "get", url = row.url }
    local query = row.query and "?" .. row.query
    local sent = row.origin .. row.path .. (query or "")

    it("are those of clients.plain: " .. row.url, function()
      local p = clients.plain(r)
      assert.same({
        scheme = row.origin:match "^%a+",
        host = row.host,
        port = row.port,
        path = row.path,
        query = row.query,
      }, { scheme = p.scheme, host = p.host, port = p.port, path = p.path, query = p.query })
      assert.equal(sent, p.url)
    end)

    -- lua-resty-http takes the text between the first [ and the last ] of a URL for the host.
    it("go to lua-resty-http one by one: " .. row.url, function()
      local origin, params = clients.resty_http(r)
      assert.same(
        { origin = row.origin, path = row.path, query = query },
        { origin = origin, path = params.path, query = params.query }
      )
    end)

    it("go to LuaSocket as a whole URL: " .. row.url, function()
      assert.equal(sent, clients.luasocket(r).url)
    end)

    it("go to lua-https as a whole URL: " .. row.url, function()
      assert.equal(sent, (clients.lua_https(r)))
    end)
  end
end)

-- --- headers ------------------------------------------------------------------------

describe("headers", function()
  it("have names like User-Agent with options.canonical, which orders fields by them", function()
    local r = {
      method = "get",
      url = "http://u@h",
      headers = {
        ["x-b"] = { "2", "1" },
        ["x-a_c"] = 1.5,
        ["x-ab"] = true,
        ["Transfer-Encoding"] = "chunked",
        n = "5",
      },
    }
    local p = clients.plain(r, { canonical = true })
    assert.same({
      { "Authorization", "Basic dTo=" },
      { "N", "5" },
      { "X-A_c", "1.5" },
      { "X-Ab", "true" },
      { "X-B", "2" },
      { "X-B", "1" },
    }, p.fields)
    assert.same({ "2, 1", nil }, { p.headers["X-B"], p.headers["x-b"] })
    assert.equal("n", clients.plain(r, { canonical = false }).fields[2][1])
  end)

  -- libcurl does not send a header that is given as "name: ", and sends the content-type of a form
  -- if none is given.
  local function lines_for_curl(method, headers)
    return clients.curl({ method = method, url = "http://h", headers = headers }).httpheader
  end

  it("have a line for libcurl if the value is empty", function()
    assert.same({ "b;", "c;" }, lines_for_curl("get", { b = "", c = " \t " }))
  end)

  it("have a line for libcurl that content-type is not sent, if it is not given", function()
    assert.same({ "content-type:" }, lines_for_curl("post", { ["content-type"] = {} }))
  end)

  -- LuaSocket would send "::1:81", which is not a host.
  for url, host in pairs {
    ["http://[::1]:81/"] = "[::1]:81",
    ["http://u:p@[::1]"] = "[::1]",
    ["http://h:81/"] = false,
    ["http://h/x://[::1]/"] = false,
  } do
    it(("have %s for LuaSocket: %s"):format(host and "a host" or "no host", url), function()
      assert.equal(host or nil, clients.luasocket({ method = "get", url = url }).headers.host)
    end)
  end

  it("have the host that is given beside an IPv6 address for LuaSocket", function()
    local r = { method = "get", url = "http://[::1]", headers = { Host = "other" } }
    assert.equal("other", clients.luasocket(r).headers.host)
  end)

  local EXPECT = "expect: 100-continue"

  -- A client would wait for the answer to it.
  for _, row in ipairs {
    { what = "1,024 bytes", size = 1024, lines = { "a: b", "content-type:" } },
    { what = "1,025 bytes", size = 1025, lines = { "a: b", "content-type:", "expect:" } },
    {
      what = "1 byte, by a handle",
      size = 1,
      by_handle = true,
      lines = { "a: b", "content-type:", "expect:" },
    },
    {
      what = "1,025 bytes, given",
      size = 1025,
      expect = "100-continue",
      lines = { "a: b", EXPECT, "content-type:" },
    },
    {
      what = "1 byte, given, by a handle",
      size = 1,
      expect = "100-continue",
      by_handle = true,
      lines = { "a: b", EXPECT, "content-type:" },
    },
    {
      what = "1,025 bytes, given empty",
      size = 1025,
      expect = "",
      lines = { "a: b", "expect;", "content-type:" },
    },
    {
      what = "1 byte, given empty, by a handle",
      size = 1,
      expect = "",
      by_handle = true,
      lines = { "a: b", "expect;", "content-type:" },
    },
  } do
    it("have expect: 100-continue for libcurl only if it is given: " .. row.what, function()
      local r = {
        method = "put",
        url = "http://h",
        body = ("x"):rep(row.size),
        headers = { a = "b", expect = row.expect },
      }
      local made = clients.curl(r, { easy = row.by_handle and handle() or nil })
      assert.same(row.lines, row.by_handle and made.options[10023] or made.httpheader)
    end)
  end
end)

-- --- each client --------------------------------------------------------------------

describe("clients.luasocket", function()
  local pumped = requests.pumped

  it("can be sent again, also after a connection that broke", function()
    local made = clients.luasocket(UNLABELLED)
    assert.same({ "textEND" }, { pumped(made) })
    assert.same({ "textEND" }, { pumped(made) })
    assert.same({ "", "closed" }, { pumped(made, 0) })
    assert.same({ "", "closed" }, { pumped(made, 0) })
    assert.same({ "textEND" }, { pumped(made) })
  end)

  it("can be sent again if it has no body", function()
    local made = clients.luasocket { method = "post", url = "http://h" }
    assert.same({ "END" }, { pumped(made, 0) })
    assert.same({ "END" }, { pumped(made, 0) })
  end)
end)

describe("clients.curl with a handle", function()
  it("sets CURLOPT_NOBODY for HEAD", function()
    local easy = clients.curl({ method = "head", url = "http://h" }, { easy = handle() })
    assert.equal(1, easy.options[44])
  end)

  it("sets an upload, its size and its reader", function()
    local easy = handle()
    assert.equal(easy, clients.curl(UPLOAD, { easy = easy }))
    local reader = table.remove(easy.calls, 6)
    assert.same({
      { 80, 1 },
      { 10002, "http://h/x" },
      { 10023, { "content-type: image/png", "expect:" } },
      { 46, 1 },
      { 14, 8 },
      { 10036, "POST" },
    }, easy.calls)
    assert.equal(20012, reader[1])
  end)

  it("sets a reader that gives the body in any pieces, and then again", function()
    local reader = clients.curl(UPLOAD, { easy = handle() }).options[20012]
    local got = ""
    for _, size in ipairs { 3, 3, 2, 7, 1 } do -- twice the 8 bytes of the body
      local given, part = reader(size)
      assert.same({ size, size }, { given, #part }, #got .. " bytes were read before")
      got = got .. part
    end
    assert.equal(UPLOAD.body:rep(2), got)
  end)

  it("sets the body as postfields, and path_as_is, on one that has them", function()
    local easy = handle {
      setopt_postfields = function(self, body)
        self.body = body
      end,
      setopt_path_as_is = function(self, value)
        self.as_is = value
      end,
    }
    clients.curl({ method = "post", url = "http://h/a/../x", body = "text" }, { easy = easy })
    assert.same({ "text", true, 4 }, { easy.body, easy.as_is, #easy.calls })
  end)

  for _, url in ipairs {
    "http://h/a/../b",
    "http://h/.",
    "http://h/a/%2E%2e?b",
    "http://h/./b",
  } do
    local r = { method = "get", url = url }

    it("refuses dot segments, which libcurl would change: " .. url, function()
      local words = { "url", "this handle would take the segments . and .." }
      raises(words, clients.curl, r, { easy = handle() })
    end)

    it("refuses dot segments, as lua_https does: " .. url, function()
      raises({ "url", "lua-https would take" }, clients.lua_https, r)
    end)
  end

  it("takes dots in longer segments and in the query", function()
    clients.curl({ method = "get", url = "http://h/a../.b/...?/../" }, { easy = handle() })
  end)
end)

-- libcurl, the backend unless another is named, corrupts a longer body.
describe("clients.lua_https", function()
  local function long(size)
    return { method = "put", url = "http://h/", body = ("x"):rep(size) }
  end
  local function data(...)
    return #select(2, clients.lua_https(...)).data
  end
  local WORDS = { "body", "65536", "options.backend" }

  it("takes a body of 65,536 bytes", function()
    assert.equal(65536, data(long(65536)))
  end)

  it("refuses a body over 65,536 bytes if no backend is named", function()
    raises(WORDS, clients.lua_https, long(65537), {})
  end)

  it("refuses a body over 65,536 bytes for the backend curl", function()
    raises(WORDS, clients.lua_https, long(65537), { backend = "curl" })
  end)

  for _, backend in ipairs { "openssl", "wininet", "schannel", "nsurl", "android" } do
    it("takes a body over 65,536 bytes for the backend " .. backend, function()
      assert.equal(65537, data(long(65537), { backend = backend }))
    end)
  end

  for _, backend in ipairs { "other", true, 1 } do
    it("refuses a backend that lua-https does not have: " .. tostring(backend), function()
      local words = { "options.backend", "expected curl, openssl" }
      raises(words, clients.lua_https, long(1), { backend = backend })
    end)
  end
end)

describe("clients.argv", function()
  local function input_of(r)
    return (select(2, clients.argv(r)))
  end

  it("has the same words for each request, without its secrets", function()
    local words, input = clients.argv {
      method = "post",
      url = "https://u:s3cret@h/s3cret?s3cret",
      body = "s3cret",
      headers = { ["x-other"] = "s3cret" },
    }
    assert.same({ "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }, words)
    words[1] = "changed"
    assert.equal("curl", clients.argv(UNLABELLED)[1])
    assert.truthy(input:find('header = "x-other: s3cret"', 1, true))
    local lines = 'url = "http://h/x"\n%s\nheader = "content-type:"\ndata-binary = "@-"\n'
    assert.equal(lines:format 'request = "POST"' .. "text", input_of(UNLABELLED))
  end)

  for method, written in pairs { head = "head\n", get = "", delete = 'request = "DELETE"\n' } do
    it("has the method as curl's configuration says it: " .. method, function()
      assert.equal('url = "http://h/"\n' .. written, input_of { method = method, url = "http://h" })
    end)
  end

  it("raises before a line of 102,400 bytes, at which curl stops", function()
    local function line_of(r)
      return input_of(r):match "([^\n]*)\n[^\n]*$"
    end
    local URL =
      { method = "get", url = "http://h/" .. ("x"):rep(102400 - #'url = "http://h/"' - 2) }
    assert.equal(102398, #line_of(URL))
    URL.url = URL.url .. "x"
    raises({ "url", "less than 102400 bytes", "got 102400" }, clients.argv, URL)
    local function header(size)
      return { method = "get", url = "http://h", headers = { a = ("\\"):rep(size) } }
    end
    assert.equal(102398, #line_of(header(51192))) -- each \ is written as two
    raises({ 'header "a"', "less than 102400 bytes", "got 102401" }, clients.argv, header(51193))
    assert.truthy(input_of { method = "put", url = "http://h", body = ("x"):rep(200000) })
  end)
end)

describe("clients.ngx_proxy", function()
  local r = { method = "get", url = "http://h/" }

  local function refused(words, options)
    raises(words, clients.ngx_proxy, r, options)
  end

  for _, name in ipairs {
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "content-length",
    "expect",
    "host",
  } do
    it("refuses a field of one connection in options.pass: " .. name, function()
      local words = "options.pass: " .. name .. " belongs to one connection"
      refused(words, { pass = { "range", name } })
    end)
  end

  it("takes other names in options.pass", function()
    refused("expected to run inside nginx", { pass = { "a-z", "x-09" } })
  end)

  for name, matter in pairs {
    [""] = "nothing",
    ["a{"] = '"{"',
    ["a`"] = '"`"',
    ["a/"] = '"/"',
    ["a:"] = '":"',
    ["a,"] = '","',
    api_key = '"_"',
    Range = '"R"',
  } do
    it("says what is the matter with a name in options.pass: " .. support.shown(name), function()
      local words = "options.pass: expected names of lower-case letters, digits and -, got %s in %q"
      refused(words:format(matter, name), { pass = { name } })
    end)
  end

  it("refuses a name in options.pass that is a number", function()
    refused("options.pass: expected a list of names of headers, got a number", { pass = { 1 } })
  end)

  for _, row in ipairs {
    { option = "variables", value = { "token" }, words = "names of headers" },
    { option = "variables", value = { authorization = true }, words = "names of headers" },
    { option = "pass", value = "range", words = "table" },
    { option = "phase", value = "content", words = '"access" or "rewrite"' },
    { option = "body", value = true, words = '"client"' },
  } do
    it(("refuses options.%s = %s"):format(row.option, support.shown(row.value)), function()
      refused({ "options." .. row.option, row.words }, { [row.option] = row.value })
    end)
  end

  it("refuses an option that it does not know", function()
    refused({ "options", '"canonical"' }, { canonical = true })
  end)

  it("refuses an option that is misspelt, and proposes the right one", function()
    refused({ 'no option "phsae", is it "phase"?' }, { phsae = "access" })
  end)
end)

-- nginx decodes the path for a subrequest.
describe("clients.ngx", function()
  local function check(path, ...)
    raises({ ... }, clients.ngx, { method = "get", url = path })
  end

  for byte = 0, 127 do
    if byte < 32 or ("/\\;?#%\127"):find(string.char(byte), 1, true) then
      local triplet = ("%%%02X"):format(byte)

      it("refuses a byte that must stay encoded in the path: " .. triplet, function()
        check("/a" .. triplet, "url: ", triplet)
        check("/a" .. triplet:lower() .. "b?q", "url: ", triplet:lower())
      end)
    end
  end

  for _, path in ipairs { "/a/../b", "/..", "/.", "/a/./b", "/a/%2e%2E/b", "/a/.%2e?q", "/%2E" } do
    it("refuses a path with dot segments: " .. path, function()
      check(path, "url: ", "segments")
    end)
  end

  it("says why a byte must stay encoded in the path, and how to send it", function()
    check(
      "/a%2Fb",
      "url: ngx.location.capture decodes the path, and %2F must stay: "
        .. "send the value in the query, or send the whole URL by clients.ngx_proxy"
    )
  end)

  it("says why a path has no dot segments, and how to send one", function()
    check(
      "/a/../b",
      "url: ngx.location.capture does not resolve the segments . and ..: "
        .. "write the path without them, or send the whole URL by clients.ngx_proxy"
    )
  end)

  it("refuses a URL of another server", function()
    check("http://h/", "url: expected a path of this server")
  end)

  it("refuses a URL that has a host and no scheme", function()
    check("//h/x", "url: expected http://")
  end)
end)

-- What a global ngx may be where there is no nginx.
local STRANGERS = {
  ["nil"] = false,
  ["an empty table"] = {},
  ["a boolean"] = true,
  ["a string"] = "ngx",
  ["a function"] = print,
  ["a table whose get_phase is not a function"] = { get_phase = true, req = {} },
  ["a table without req"] = {
    get_phase = function()
      return "content"
    end,
  },
}

for title, stranger in pairs(STRANGERS) do
  describe("where the global ngx is " .. title, function()
    before_each(function()
      rawset(_G, "ngx", stranger or nil)
    end)
    after_each(function()
      rawset(_G, "ngx", nil)
    end)

    for _, row in ipairs {
      { client = "ngx", url = "/x" },
      { client = "ngx_proxy", url = "http://h/" },
    } do
      it(("clients.%s expects to run inside nginx"):format(row.client), function()
        local words = ("clients.%s: expected to run inside nginx"):format(row.client)
        raises(words, clients[row.client], { method = "get", url = row.url })
      end)
    end
  end)
end
