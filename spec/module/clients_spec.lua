-- The arguments that endpoint.clients makes for each HTTP client. lua-http is
-- replaced by a stand-in; spec/wire/clients_spec.lua sends requests with the clients.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local requests = require "requests"
local support = require "support"

local raises = support.client_raises
local api, request, while_loaded = requests.api, requests.of, requests.while_loaded
local BOTH, UPLOAD = requests.HEADERS, requests.UPLOAD

-- The given headers beside the two of all requests.
local function with(headers)
  local all = {}
  for name, value in pairs(BOTH) do all[name] = value end
  for name, value in pairs(headers) do all[name] = value end
  return all
end

-- A table with the fields of both.
local function joined(t, more)
  for name, value in pairs(more) do t[name] = value end
  return t
end

-- The text of an LTN12 source, which must come in one piece. Nil without a source.
local function drained(source)
  if not source then return nil end
  local text = source()
  assert.not_equal("", text)
  if text then assert.is_nil(source()) end
  return text or ""
end

-- --- every request through every client ---------------------------------------------

-- What the requests of spec/tools/requests.lua must become: method, path, query, body, content-type.
local JSON = "application/json; charset=utf-8"
local SENT = {
  get = { method = "GET", path = "/orgs/%C3%A9%2Fx", query = "q=a%20b" },
  head = { method = "HEAD", path = "/x", query = "q=1" },
  delete = { method = "DELETE", path = "/x" },
  delete_body = { method = "DELETE", path = "/x", body = '{"a":1}', type = JSON },
  post = { method = "POST", path = "/x", body = '{"a":1}', type = JSON },
  post_empty = { method = "POST", path = "/x", body = "" },
  put_empty = { method = "PUT", path = "/x", body = "" },
  patch_empty = { method = "PATCH", path = "/x", body = "" },
  query_empty = { method = "QUERY", path = "/x", body = "" },
  upload = { method = "POST", path = "/x", query = "name=n", body = UPLOAD, type = "image/png" },
  unlabelled = { method = "POST", path = "/x", body = "text" },
}

-- The lines of its headers, in order. bare: that of a content-type that is missing beside a body.
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

-- Each line of its headers between two texts.
local function around(before, m, after)
  return before .. table.concat(lines_of(m, "content-type:"), after .. before) .. after
end

local WORDS = { "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }
local COMMAND = "curl --globoff --path-as-is"

-- Client -> what it makes of a request: a list of all results.
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
    if m.method == "QUERY" then return nil end -- refused, see below
    if m.body == "" then m.headers["content-length"] = "0" end
    if m.body == "text" then m.headers["content-type"] = "application/octet-stream" end
    return { m.url, { method = m.method, headers = m.headers, data = m.body ~= "" and m.body or nil } }
  end,
  argv = function(m)
    local method = m.method == "HEAD" and "head\n" or m.method ~= "GET" and 'request = "' .. m.method .. '"\n' or ""
    return { WORDS, 'url = "' .. m.url .. '"\n' .. method .. around('header = "', m, '"\n')
      .. (m.body and 'data-binary = "@-"\n' .. m.body or "") }
  end,
  curl_command = function(m)
    local method = m.method == "HEAD" and " --head" or m.method ~= "GET" and " --request '" .. m.method .. "'" or ""
    local before, body = "", m.body and " --data-raw '" .. m.body .. "'" or ""
    if m.body == UPLOAD then
      before, body = [[printf '\000\001\177\200\377\047\134\045' | ]], " --data-binary @-"
    end
    return { before .. COMMAND .. method .. around(" --header '", m, "'") .. body .. " '" .. m.url .. "'" }
  end,
}

local function lua_http(r)
  return while_loaded({ ["http.request"] = requests.http_request() }, clients.lua_http, r)
end

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
    for kind, m in pairs(SENT) do
      local url = "https://h" .. m.path .. (m.query and "?" .. m.query or "")
      local expected = made(joined({ url = url, headers = with { ["content-type"] = m.type } }, m))
      if expected then
        it(client .. " makes arguments of the request " .. kind, function()
          assert.same(expected, given(client, kind))
        end)
      end
    end
  end
end)

it("clients. take header values as texts, and join a list unless the client takes one", function()
  local r = api("/x", { headers = { a = { "1", "2" }, b = { "1" }, c = {}, n = 5.0, f = 1.5, t = false } })
  local _, resty = clients.resty_http(r)
  local _, lua_https = clients.lua_https(r)
  assert.same(with { a = { "1", "2" }, b = "1", n = "5", f = "1.5", t = "false" }, resty.headers)
  for _, headers in ipairs { clients.luasocket(r).headers, lua_https.headers, clients.plain(r).headers } do
    assert.same(with { a = "1, 2", b = "1", n = "5", f = "1.5", t = "false" }, headers)
  end
end)

-- --- each client --------------------------------------------------------------------

describe("clients.plain", function()
  it("has the parts of the URL as they are sent", function()
    for url, expected in pairs {
      ["http://h"] = { "http://h/", "http", "h", 80, "/" },
      ["HTTPS://H:8443/A%2f?b=%20#c"] = { "https://H:8443/A%2f?b=%20", "https", "H", 8443, "/A%2f", "b=%20" },
      ["https://h:443/a?"] = { "https://h:443/a?", "https", "h", 443, "/a", "" },
      ["http://h:080?a=?"] = { "http://h:80/?a=?", "http", "h", 80, "/", "a=?" },
      ["http://[::1]/??"] = { "http://[::1]/??", "http", "::1", 80, "/", "?" },
      ["http://u:p@[fe80::1]:81/x#?"] = { "http://[fe80::1]:81/x", "http", "fe80::1", 81, "/x" },
    } do
      local p = clients.plain { method = "get", url = url }
      assert.same(expected, { p.url, p.scheme, p.host, p.port, p.path, p.query })
    end
  end)

  local LIST = { ["X-B"] = { "2", "1" }, ["x-a_c"] = 1, ["x-ab"] = true, cookie = { "a=1", "b=2" }, etag = "e",
    ["www-authenticate"] = "w", ["content-length"] = 3, ["transfer-encoding"] = "chunked", ["x-none"] = {} }

  it("has headers as texts, and as fields in bytewise order", function()
    local p = clients.plain { method = "get", url = "http://h", headers = LIST }
    assert.same({ ["x-b"] = "2, 1", ["x-a_c"] = "1", ["x-ab"] = "true", cookie = "a=1; b=2", etag = "e",
      ["www-authenticate"] = "w" }, p.headers)
    assert.same({ { "cookie", "a=1; b=2" }, { "etag", "e" }, { "www-authenticate", "w" }, { "x-a_c", "1" },
      { "x-ab", "true" }, { "x-b", "2" }, { "x-b", "1" } }, p.fields)
  end)

  it("writes header names like User-Agent with options.canonical, and orders fields by them", function()
    local p = clients.plain({ method = "get", url = "http://u@h", headers = LIST }, { canonical = true })
    assert.same({ { "Authorization", "Basic dTo=" }, { "Cookie", "a=1; b=2" }, { "Etag", "e" },
      { "Www-Authenticate", "w" }, { "X-A_c", "1" }, { "X-Ab", "true" }, { "X-B", "2" }, { "X-B", "1" } }, p.fields)
    assert.equal("2, 1", p.headers["X-B"])
    assert.is_nil(p.headers["x-b"])
    p = clients.plain({ method = "get", url = "http://h", headers = LIST }, { canonical = false })
    assert.equal("2, 1", p.headers["x-b"])
  end)
end)

describe("clients.resty_http", function()
  -- lua-resty-http takes the text between the first [ and the last ] of a URL for the host.
  it("gives the origin, the path and the query apart", function()
    for url, parts in pairs {
      ["http://[::1]:8080/x?a[]=1"] = { "http://[::1]:8080", "/x", "?a[]=1" },
      ["http://[::1]:8080/y]:1/z"] = { "http://[::1]:8080", "/y]:1/z" },
      ["http://u:p@h:80?q"] = { "http://h:80", "/", "?q" },
      ["http://h/a?"] = { "http://h", "/a", "?" },
      ["http://h/a??b=?"] = { "http://h", "/a", "??b=?" },
    } do
      local origin, params = clients.resty_http { method = "get", url = url }
      assert.same(parts, { origin, params.path, params.query })
    end
  end)
end)

describe("clients.luasocket", function()
  -- What LuaSocket does with a body, through ltn12.pump.all. `most`: the pieces that the connection takes.
  local function pump(made, most)
    local sent = {}
    local function sink(piece)
      if piece and #sent >= most then return nil, "closed" end
      sent[#sent + 1] = piece or "END"
      return 1
    end
    while true do
      local going, problem = made.step(made.source, sink)
      if not going then return table.concat(sent, ","), problem end
    end
  end

  it("can be sent again, also after a connection that broke", function()
    local made = clients.luasocket(request "unlabelled")
    for _ = 1, 3 do assert.same({ "text,END" }, { pump(made, 1) }) end
    for _ = 1, 2 do assert.same({ "", "closed" }, { pump(made, 0) }) end
    assert.same({ "text,END" }, { pump(made, 1) })
    made = clients.luasocket(request "post_empty")
    for _ = 1, 3 do assert.same({ "END" }, { pump(made, 0) }) end
  end)

  it("passes a sink on", function()
    assert.equal(print, clients.luasocket(request "get", { sink = print }).sink)
  end)

  -- LuaSocket would send "::1:81", which is no host.
  it("adds the header host for an IPv6 address", function()
    local function host(url, headers)
      return clients.luasocket({ method = "get", url = url, headers = headers }).headers.host
    end
    assert.equal("[::1]:81", host "http://[::1]:81/")
    assert.equal("[::1]", host "http://u:p@[::1]")
    assert.equal("h", host("http://[::1]/", { Host = "h" }))
    assert.is_nil(host "http://h:81/")
  end)
end)

describe("clients.lua_http", function()
  it("sends expect: 100-continue only if the caller gives it", function()
    local made = lua_http { method = "put", url = "http://h", body = "t", headers = { expect = "100-continue" } }
    assert.same({ ":method:=PUT", "expect=100-continue", "-user-agent", "-expect", "expect=100-continue" },
      made.headers.list)
  end)

  it("reads the port, also of an IPv6 address", function()
    for url, parts in pairs { ["http://[::1]:8080"] = { "::1", 8080 }, ["http://h:81"] = { "h", 81 } } do
      local uri = lua_http({ method = "get", url = url }).uri
      assert.same({ scheme = "http", host = parts[1], port = parts[2], path = "/" }, uri)
    end
  end)

  it("sends header values as texts, a list as several fields and host as :authority", function()
    local made = lua_http { method = "get", url = "http://h/", headers = { n = 1, l = { "a", "b" }, host = "other" } }
    assert.same({ ":method:=GET", "-user-agent", "-expect", ":authority:=other", "l=a", "l=b", "n=1" }, made.headers.list)
  end)

  it("passes on an error of lua-http as it is", function()
    for _, problem in ipairs { "no route", {} } do
      local library = { ["http.request"] = { new_from_uri = function() error(problem, 0) end } }
      local _, raised = pcall(while_loaded, library, support.call, clients.lua_http, request "get")
      assert.equal(problem, raised)
    end
  end)
end)

describe("clients.curl", function()
  -- A handle that records its options, by libcurl's numbers.
  local function handle(extra)
    local easy = { calls = {} }
    function easy:setopt(option, value) self.calls[#self.calls + 1] = { option, value } end
    for name, f in pairs(extra or {}) do easy[name] = f end
    return easy
  end

  it("sets an upload, its size and its reader on a handle, which can be used again", function()
    local easy = handle()
    assert.equal(easy, clients.curl(request "upload", { easy = easy }))
    local reader = table.remove(easy.calls, 6)
    local lines = lines_of(SENT.upload)
    lines[4] = "expect:"
    assert.same({ { 80, 1 }, { 10002, "https://h/x?name=n" }, { 10023, lines }, { 46, 1 }, { 14, 8 }, { 10036, "POST" } },
      easy.calls)
    assert.equal(20012, reader[1])
    local sizes, parts = {}, {}
    for i = 1, 6 do sizes[i], parts[i] = reader[2](3) end
    assert.same({ 3, 3, 2, 3, 3, 2 }, sizes)
    assert.equal(UPLOAD:rep(2), table.concat(parts))
  end)

  it("sets the body as postfields on a handle of Lua-cURL 3", function()
    local easy = handle { setopt_postfields = function(self, body) self.body = body end }
    clients.curl(request "upload", { easy = easy })
    assert.equal(UPLOAD, easy.body)
    assert.equal(4, #easy.calls)
    assert.same(lines_of(SENT.upload), easy.calls[3][2])
  end)

  it("adds no header expect to the caller's on a handle", function()
    for value, line in pairs { ["100-continue"] = "expect: 100-continue", [""] = "expect;" } do
      local easy = handle()
      clients.curl({ method = "put", url = "http://h", body = "x", headers = { expect = value } }, { easy = easy })
      assert.same({ line, "content-type:" }, easy.calls[3][2])
    end
  end)

  it("refuses a path with dot segments, which a handle would change", function()
    for _, url in ipairs { "http://h/a/../b", "http://h/.", "http://h/a/%2E%2e?b", "http://h/./b" } do
      raises({ "url", "segments . and .." }, clients.curl, { method = "get", url = url }, { easy = handle() })
    end
    clients.curl({ method = "get", url = "http://h/a../.b/...?/../" }, { easy = handle() })
  end)

  it("sets path_as_is on a handle that has it", function()
    local easy = handle { setopt_path_as_is = function(self, value) self.as_is = value end }
    clients.curl(request "get", { easy = easy })
    assert.is_true(easy.as_is)
  end)

  it("sets no body for HEAD on a handle", function()
    local easy = handle()
    clients.curl(request "head", { easy = easy })
    assert.same({ 44, 1 }, easy.calls[4])
    assert.same({ 10036, "HEAD" }, easy.calls[5])
  end)

  -- libcurl does not send a header that is given as "name: ", and sends the content-type of
  -- a form if none is given.
  it("has a line for each value of a list, and one for an empty value", function()
    local function lines(method, headers)
      return clients.curl { method = method, url = "http://h", headers = headers }.httpheader
    end
    assert.same({ "a: 1", "a: 2", "b;", "c;" }, lines("get", { a = { "1", "2" }, b = "", c = " \t " }))
    assert.same({ "content-type:" }, lines("post", { ["content-type"] = {} }))
  end)
end)

describe("clients.lua_https", function()
  it("refuses a body over 65,536 bytes, which libcurl corrupts, unless another backend is named", function()
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

  it("refuses a path with dot segments, which libcurl would change", function()
    raises({ "url", "lua-https would take" }, clients.lua_https, { method = "get", url = "http://h/a/../b" })
  end)
end)

describe("clients.argv", function()
  local function input_of(r)
    return (select(2, clients.argv(r)))
  end

  it("quotes header values for curl's configuration", function()
    assert.equal([[
url = "http://h/"
header = "a: \"q\" \\ ]] .. "\t#" .. [[ x"
header = "b;"
]], input_of { method = "get", url = "http://h", headers = { a = '"q" \\ \t# x', b = "" } })
  end)

  it("has the same words for each request, without its secrets", function()
    local words, input = clients.argv(api("POST https://u:s3cret@h/s3cret?s3cret", { data = "s3cret",
      headers = { authorization = "s3cret", ["x-other"] = "s3cret" } }))
    assert.same(WORDS, words)
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

  it("sends a long body without expect: 100-continue", function()
    local function lines(size, headers)
      return input_of { method = "put", url = "http://h", body = ("x"):rep(size), headers = headers }
    end
    assert.falsy(lines(1024):find("expect", 1, true))
    assert.truthy(lines(1025):find('\nheader = "expect:"\n', 1, true))
    assert.falsy(lines(1025, { expect = "100-continue" }):find("expect:\"", 1, true))
  end)
end)
