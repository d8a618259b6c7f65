-- The arguments that endpoint.clients makes for each HTTP client. lua-http is
-- replaced by a stand-in; spec/clients/clients_wire_spec.lua sends requests with the clients.
local clients = require "endpoint.clients"
local requests = require "clients.requests"
local support = require "support"

local raises, lua_http, handle = support.client_raises, requests.lua_http, requests.handle
local api, request, UPLOAD = requests.api, requests.of, requests.UPLOAD

-- The text of an LTN12 source, which must come in one piece. Nil without a source.
local function drained(source)
  local pieces = source and requests.drained(source)
  assert.truthy(not source or #pieces <= 1)
  return source and (pieces[1] or "")
end

-- --- every request through every client ---------------------------------------------

-- The lines of a request's headers, in order. bare: that of a content-type that is missing beside a body.
local function lines_of(m, bare)
  local lines = { "accept: application/json", m.type and "content-type: " .. m.type or nil }
  lines[#lines + 1] = "user-agent: spec"
  if m.body and not m.type then lines[#lines + 1] = bare end
  return lines
end

local function fields_of(m)
  local fields = {}
  for i, line in ipairs(lines_of(m)) do fields[i] = { line:match "^(.-): (.*)$" } end
  return fields
end

-- Client -> what it makes of a request of requests.kinds with its method, url and headers: a list of all results.
-- What curl gets on its input, and the shell, is seen where it arrives.
local MADE = {
  plain = function(m)
    return { { method = m.method, path = m.path, query = m.query, body = m.body, url = m.url, scheme = "https", host = "h",
      port = 443, headers = m.headers, fields = fields_of(m) } }
  end,
  resty_http = function(m)
    local query = m.query and "?" .. m.query
    return { "https://h", { method = m.method, path = m.path, query = query, headers = m.headers, body = m.body } }
  end,
  luasocket = function(m)
    if m.body then m.headers["content-length"] = tostring(#m.body) end
    return { { url = m.url, method = m.method, headers = m.headers, source = m.body, redirect = false } }
  end,
  lua_http = function(m)
    local list = { ":method:=" .. m.method, m.body and "expect=100-continue" or nil }
    for _, change in ipairs { "-user-agent", "-expect" } do list[#list + 1] = change end
    for _, field in ipairs(fields_of(m)) do list[#list + 1] = field[1] .. "=" .. field[2] end
    return { { uri = { scheme = "https", host = "h", port = 443, path = m.path, query = m.query }, list = list,
      body = m.body, follow_redirects = false, cookie_store = false } }
  end,
  curl = function(m)
    return { { url = m.url, customrequest = m.method, httpheader = lines_of(m, "content-type:"), postfields = m.body,
      nobody = m.method == "HEAD" or nil, path_as_is = true } }
  end,
  lua_https = function(m)
    if m.body == "" then m.headers["content-length"] = "0" end
    if m.body == "text" then m.headers["content-type"] = "application/octet-stream" end
    return { m.url, { method = m.method, headers = m.headers, data = m.body ~= "" and m.body or nil } }
  end,
}

-- What the client gives, with its sources read.
local function given(client, kind)
  local results = { (client == "lua_http" and lua_http or clients[client])(request(kind)) }
  local made = results[1]
  if client == "luasocket" then
    assert.equal(made.source ~= nil, made.step ~= nil)
    made.source, made.step = drained(made.source), nil
  elseif client == "lua_http" then
    made.list, made.headers, made.set_body = made.headers.list, nil, nil
  end
  return results
end

describe("clients.", function()
  for client, made in pairs(MADE) do
    for kind, row in pairs(requests.kinds) do
      local m = { method = row[1]:match "^%u+", path = row.path, query = row.query, body = row.body, type = row.type,
        url = "https://h" .. row.path .. (row.query and "?" .. row.query or ""),
        headers = { accept = "application/json", ["user-agent"] = "spec", ["content-type"] = row.type } }
      it(client .. " makes arguments of the request " .. kind .. ", or refuses it", function()
        local refused = row.refused and row.refused[client]
        if refused then return raises(refused, clients[client], request(kind)) end
        assert.same(made(m), given(client, kind))
      end)
    end
  end
end)

-- URL -> origin, host, port, path and query as they are sent, without fragment and userinfo.
local URLS = {
  ["http://h"] = { "http://h", "h", 80, "/" },
  ["http://h?q"] = { "http://h", "h", 80, "/", "q" },
  ["http://h#f"] = { "http://h", "h", 80, "/" },
  ["http://h/a?b#c?d"] = { "http://h", "h", 80, "/a", "b" },
  ["http://h/a??b=?"] = { "http://h", "h", 80, "/a", "?b=?" },
  ["HTTPS://H:8443/A%2f?b=%20#c"] = { "https://H:8443", "H", 8443, "/A%2f", "b=%20" },
  ["HTTPS://H/A"] = { "https://H", "H", 443, "/A" },
  ["https://h:443/a?"] = { "https://h:443", "h", 443, "/a", "" },
  ["http://h:/a"] = { "http://h", "h", 80, "/a" },
  ["http://h:080?a=?"] = { "http://h:80", "h", 80, "/", "a=?" },
  ["HTTP://h:8/"] = { "http://h:8", "h", 8, "/" },
  ["http://[::1]/??"] = { "http://[::1]", "::1", 80, "/", "?" },
  ["http://[::1]:8080/y]:1/z"] = { "http://[::1]:8080", "::1", 8080, "/y]:1/z" },
  ["http://u:p@[fe80::1]:81/x#?"] = { "http://[fe80::1]:81", "fe80::1", 81, "/x" },
  ["http://@h/"] = { "http://h", "h", 80, "/" },
  ["http://a-b_c~!$&'()*+,;="] = { "http://a-b_c~!$&'()*+,;=", "a-b_c~!$&'()*+,;=", 80, "/" },
}

describe("the parts of a URL", function()
  for url, row in pairs(URLS) do
    -- lua-resty-http takes the text between the first [ and the last ] of a URL for the host.
    it("go to each client as it takes them: " .. url, function()
      local r = { method = "get", url = url }
      local p, origin, params = clients.plain(r), clients.resty_http(r)
      local query = row[5] and "?" .. row[5]
      local parts = { scheme = row[1]:match "^%a+", host = row[2], port = row[3], path = row[4], query = row[5] }
      assert.same(parts, { scheme = p.scheme, host = p.host, port = p.port, path = p.path, query = p.query })
      assert.same(parts, lua_http(r).uri)
      assert.same({ row[1], row[4], query }, { origin, params.path, params.query })
      for _, sent in ipairs { p.url, clients.luasocket(r).url, (clients.lua_https(r)) } do
        assert.equal(row[1] .. row[4] .. (query or ""), sent)
      end
    end)
  end
end)

-- --- headers ------------------------------------------------------------------------

local FIELDS = { { "cookie", "a=1; b=2" }, { "etag", "e" }, { "n", "5" }, { "www-authenticate", "w" }, { "x-a_c", "1.5" },
  { "x-ab", "true" }, { "x-b", "2" }, { "x-b", "1" } }
local MIXED = { method = "get", url = "http://h", headers = { ["X-B"] = { "2", "1" }, ["x-a_c"] = 1.5, ["x-ab"] = true,
  cookie = { "a=1", "b=2" }, etag = { "e" }, ["www-authenticate"] = "w", ["content-length"] = 3, n = 5.0,
  ["Transfer-Encoding"] = "chunked", ["x-none"] = {} } }
local JOINED = { ["x-b"] = "2, 1", ["x-a_c"] = "1.5", ["x-ab"] = "true", cookie = "a=1; b=2", etag = "e",
  ["www-authenticate"] = "w", n = "5" }

describe("headers", function()
  it("are texts, and a list is joined unless the client takes one", function()
    local _, resty = clients.resty_http(MIXED)
    local _, lua_https = clients.lua_https(MIXED)
    for _, headers in ipairs { clients.luasocket(MIXED).headers, lua_https.headers, clients.plain(MIXED).headers } do
      assert.same(JOINED, headers)
    end
    assert.same({ "2", "1" }, resty.headers["x-b"])
    resty.headers["x-b"] = "2, 1"
    assert.same(JOINED, resty.headers)
  end)

  it("are fields in bytewise order, a list several", function()
    local lines, list = {}, { ":method:=GET", "-user-agent", "-expect" }
    for i, field in ipairs(FIELDS) do
      lines[i], list[#list + 1] = field[1] .. ": " .. field[2], field[1] .. "=" .. field[2]
    end
    assert.same(FIELDS, clients.plain(MIXED).fields)
    assert.same(FIELDS, clients.plain(MIXED, { canonical = false }).fields)
    assert.same(list, lua_http(MIXED).headers.list)
    assert.same(lines, clients.curl(MIXED).httpheader)
  end)

  it("have names like User-Agent with options.canonical, which orders fields by them", function()
    MIXED.url = "http://u@h"
    local p = clients.plain(MIXED, { canonical = true })
    MIXED.url = "http://h"
    assert.same({ { "Authorization", "Basic dTo=" }, { "Cookie", "a=1; b=2" }, { "Etag", "e" }, { "N", "5" },
      { "Www-Authenticate", "w" }, { "X-A_c", "1.5" }, { "X-Ab", "true" }, { "X-B", "2" }, { "X-B", "1" } }, p.fields)
    assert.same({ "2, 1", nil }, { p.headers["X-B"], p.headers["x-b"] })
  end)

  -- libcurl does not send a header that is given as "name: ", and sends the content-type of
  -- a form if none is given.
  it("have a line for an empty value for libcurl, and one for no content-type", function()
    local function lines(method, headers)
      return clients.curl { method = method, url = "http://h", headers = headers }.httpheader
    end
    assert.same({ "b;", "c;" }, lines("get", { b = "", c = " \t " }))
    assert.same({ "content-type:" }, lines("post", { ["content-type"] = {} }))
  end)

  -- LuaSocket would send "::1:81", which is no host.
  it("have the host of an IPv6 address for LuaSocket, unless one is given", function()
    for url, host in pairs { ["http://[::1]:81/"] = "[::1]:81", ["http://u:p@[::1]"] = "[::1]", ["http://h:81/"] = false } do
      assert.equal(host or nil, clients.luasocket({ method = "get", url = url }).headers.host)
    end
    local r = { method = "get", url = "http://[::1]", headers = { Host = "other" } }
    assert.equal("other", clients.luasocket(r).headers.host)
    assert.same({ ":method:=GET", "-user-agent", "-expect", ":authority:=other" }, lua_http(r).headers.list)
  end)

  -- A client would wait for the answer to it.
  it("have expect: 100-continue only if the caller gives it", function()
    local function lines(size, value, easy)
      local r = { method = "put", url = "http://h", body = ("x"):rep(size), headers = { a = "b", expect = value } }
      local made = clients.curl(r, { easy = easy })
      local list = easy and easy.options[10023] or made.httpheader
      local input = select(2, clients.argv(r))
      for _, line in ipairs(easy and {} or list) do assert.truthy(input:find('\nheader = "' .. line .. '"\n', 1, true)) end
      return list
    end
    assert.same({ "a: b", "content-type:" }, lines(1024))
    assert.same({ "a: b", "content-type:", "expect:" }, lines(1025))
    assert.same({ "a: b", "content-type:", "expect:" }, lines(1, nil, handle()))
    for value, line in pairs { ["100-continue"] = "expect: 100-continue", [""] = "expect;" } do
      assert.same({ "a: b", line, "content-type:" }, lines(1025, value))
      assert.same({ "a: b", line, "content-type:" }, lines(1, value, handle()))
    end
    local made = lua_http { method = "put", url = "http://h", body = "t", headers = { expect = "100-continue" } }
    assert.same({ ":method:=PUT", "expect=100-continue", "-user-agent", "-expect", "expect=100-continue" },
      made.headers.list)
  end)
end)

-- --- each client --------------------------------------------------------------------

describe("clients.luasocket", function()
  it("can be sent again, also after a connection that broke", function()
    local made, pumped = clients.luasocket(request "unlabelled"), requests.pumped
    for _ = 1, 3 do assert.same({ "textEND" }, { pumped(made) }) end
    for _ = 1, 2 do assert.same({ "", "closed" }, { pumped(made, 0) }) end
    assert.same({ "textEND" }, { pumped(made) })
    made = clients.luasocket(request "post_empty")
    for _ = 1, 3 do assert.same({ "END" }, { pumped(made, 0) }) end
  end)
end)

it("clients.lua_http passes on an error of lua-http as it is", function()
  for _, problem in ipairs { "no route", {} } do
    local library = { ["http.request"] = { new_from_uri = function() error(problem, 0) end } }
    local _, raised = pcall(requests.while_loaded, library, support.call, clients.lua_http, request "get")
    assert.equal(problem, raised)
  end
end)

describe("clients.curl with a handle", function()
  it("sets an upload, its size and its reader, which can be used again", function()
    local easy = handle()
    assert.equal(easy, clients.curl(request "upload", { easy = easy }))
    local reader = table.remove(easy.calls, 6)
    local lines = lines_of(requests.kinds.upload)
    lines[4] = "expect:"
    assert.same({ { 80, 1 }, { 10002, "https://h/x?name=n" }, { 10023, lines }, { 46, 1 }, { 14, 8 }, { 10036, "POST" } },
      easy.calls)
    assert.equal(20012, reader[1])
    local sizes, parts = {}, {}
    for i = 1, 6 do sizes[i], parts[i] = reader[2](3) end
    assert.same({ 3, 3, 2, 3, 3, 2 }, sizes)
    assert.equal(UPLOAD:rep(2), table.concat(parts))
  end)

  it("sets the body as postfields, and path_as_is, on one that has them", function()
    local easy = handle {
      setopt_postfields = function(self, body) self.body = body end,
      setopt_path_as_is = function(self, value) self.as_is = value end,
    }
    clients.curl({ method = "post", url = "http://h/a/../x", body = UPLOAD }, { easy = easy })
    assert.same({ UPLOAD, true, 4 }, { easy.body, easy.as_is, #easy.calls })
  end)

  it("refuses a path with dot segments, which libcurl would change, as lua_https does", function()
    for _, url in ipairs { "http://h/a/../b", "http://h/.", "http://h/a/%2E%2e?b", "http://h/./b" } do
      raises({ "url", "this handle would take the segments . and .." }, clients.curl, { method = "get", url = url },
        { easy = handle() })
      raises({ "url", "lua-https would take" }, clients.lua_https, { method = "get", url = url })
    end
    clients.curl({ method = "get", url = "http://h/a../.b/...?/../" }, { easy = handle() })
  end)
end)

it("clients.lua_https refuses a body over 65,536 bytes, which libcurl corrupts, unless another backend is named", function()
  local function long(size) return { method = "put", url = "http://h/", body = ("x"):rep(size) } end
  local function data(...) return #select(2, clients.lua_https(...)).data end
  assert.equal(65536, data(long(65536)))
  for _, options in ipairs { {}, { backend = "curl" } } do
    raises({ "body", "65536", "options.backend" }, clients.lua_https, long(65537), options)
  end
  for _, backend in ipairs { "openssl", "wininet", "schannel", "nsurl", "android" } do
    assert.equal(65537, data(long(65537), { backend = backend }))
  end
  for _, backend in ipairs { "other", true, 1 } do
    raises({ "options.backend", "expected curl, openssl" }, clients.lua_https, long(1), { backend = backend })
  end
end)

describe("clients.argv", function()
  local function input_of(r)
    return (select(2, clients.argv(r)))
  end

  it("has the same words for each request, without its secrets", function()
    local words, input = clients.argv(api("POST https://u:s3cret@h/s3cret?s3cret", { data = "s3cret",
      headers = { authorization = "s3cret", ["x-other"] = "s3cret" } }))
    assert.same({ "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }, words)
    words[1] = "changed"
    assert.equal("curl", clients.argv(request "get")[1])
    assert.truthy(input:find('header = "x-other: s3cret"', 1, true))
  end)

  it("raises before a line of 102,400 bytes, at which curl stops", function()
    local function line_of(r) return input_of(r):match "([^\n]*)\n[^\n]*$" end
    local URL = { method = "get", url = "http://h/" .. ("x"):rep(102400 - #'url = "http://h/"' - 2) }
    assert.equal(102398, #line_of(URL))
    URL.url = URL.url .. "x"
    raises({ "url", "less than 102400 bytes", "got 102400" }, clients.argv, URL)
    local function header(size) return { method = "get", url = "http://h", headers = { a = ("\\"):rep(size) } } end
    assert.equal(102398, #line_of(header(51192))) -- each \ is written as two
    raises({ 'header "a"', "less than 102400 bytes", "got 102401" }, clients.argv, header(51193))
    assert.truthy(input_of { method = "put", url = "http://h", body = ("x"):rep(200000) })
  end)
end)
