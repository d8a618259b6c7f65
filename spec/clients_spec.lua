-- The arguments that endpoint.clients makes for each HTTP client. lua-http and nginx are
-- replaced by stand-ins; spec/nginx/clients_spec.lua sends requests with the clients.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"

local unpack = unpack or table.unpack -- luacheck: ignore 143 113

local raises = support.client_raises

local api = endpoint.defaults {
  baseUrl = "https://h",
  headers = { accept = "application/json", ["user-agent"] = "spec" },
}
local BOTH = { accept = "application/json", ["user-agent"] = "spec" }

-- The given headers beside the two of all requests.
local function with(headers)
  local all = {}
  for name, value in pairs(BOTH) do all[name] = value end
  for name, value in pairs(headers) do all[name] = value end
  return all
end

-- Calls f while these modules are loaded, then restores those that were.
local function loaded(modules, f, ...)
  local before = {}
  for name, module in pairs(modules) do
    before[name] = package.loaded[name] or false
    package.loaded[name] = module
  end
  local results = { pcall(f, ...) }
  for name, module in pairs(before) do package.loaded[name] = module or nil end
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2)
end

-- The text of an LTN12 source, which must come in one piece. Nil without a source.
local function drained(source)
  if not source then return nil end
  local text = source()
  assert.not_equal("", text)
  if text then assert.is_nil(source()) end
  return text or ""
end

local NGX = { HTTP_OK = 200, HTTP_GET = 2, HTTP_HEAD = 4, HTTP_POST = 8, HTTP_PUT = 16, HTTP_DELETE = 32,
  HTTP_PATCH = 16384 }

local function in_nginx(f, ...)
  rawset(_G, "ngx", NGX)
  local results = { pcall(support.call, f, ...) }
  rawset(_G, "ngx", nil)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2)
end

-- A stand-in for lua-http's request, with what clients.lua_http uses.
local function http_request()
  local headers = { list = {} }
  function headers:append(name, value) self.list[#self.list + 1] = name .. "=" .. value end
  function headers:upsert(name, value) self.list[#self.list + 1] = name .. ":=" .. value end
  function headers:delete(name) self.list[#self.list + 1] = "-" .. name end
  local function set_body(self, body)
    self.body = body
    headers:append("expect", "100-continue")
  end
  return { new_from_uri = function(uri)
    return { uri = uri, headers = headers, set_body = set_body }
  end }
end

local JSON = { ["content-type"] = "application/json; charset=utf-8" }
local UPLOAD = "\0\1\127\128\255'\\%"

-- A request of each kind.
local REQUESTS = {
  get = api("GET /orgs/:org", { org = "é/x", q = "a b" }),
  post = api("POST /x", { a = 1 }),
  post_empty = api("POST /x"),
  put_empty = api("PUT /x"),
  patch_empty = api("PATCH /x"),
  query_empty = api("QUERY /x"),
  head = api("HEAD /x", { q = 1 }),
  delete = api("DELETE /x"),
  delete_body = api("DELETE /x", { a = 1 }),
  upload = api("POST /x{?name}", { name = "n", data = UPLOAD, headers = { ["content-type"] = "image/png" } }),
  unlabelled = api("POST /x", { data = "text" }),
}
local GET_URL = "https://h/orgs/%C3%A9%2Fx?q=a%20b"

local function request(name)
  return REQUESTS[name]
end

describe("clients.plain", function()
  local FIELDS = { { "accept", "application/json" }, { "user-agent", "spec" } }
  local cases = {
    { "get", { method = "GET", path = "/orgs/%C3%A9%2Fx", query = "q=a%20b" } },
    { "post", { method = "POST", path = "/x", body = '{"a":1}', headers = with(JSON),
      fields = { FIELDS[1], { "content-type", JSON["content-type"] }, FIELDS[2] } } },
    { "post_empty", { method = "POST", path = "/x", body = "" } },
    { "put_empty", { method = "PUT", path = "/x", body = "" } },
    { "patch_empty", { method = "PATCH", path = "/x", body = "" } },
    { "query_empty", { method = "QUERY", path = "/x", body = "" } },
    { "head", { method = "HEAD", path = "/x", query = "q=1" } },
    { "delete", { method = "DELETE", path = "/x" } },
    { "delete_body", { method = "DELETE", path = "/x", body = '{"a":1}', headers = with(JSON),
      fields = { FIELDS[1], { "content-type", JSON["content-type"] }, FIELDS[2] } } },
    { "unlabelled", { method = "POST", path = "/x", body = "text" } },
  }
  for _, case in ipairs(cases) do
    it("has the fields of the request " .. case[1], function()
      local expected = case[2]
      expected.scheme, expected.host, expected.port = "https", "h", 443
      expected.headers, expected.fields = expected.headers or BOTH, expected.fields or FIELDS
      expected.url = "https://h" .. expected.path .. (expected.query and "?" .. expected.query or "")
      assert.same(expected, clients.plain(request(case[1])))
    end)
  end

  local function parts(url)
    local p = clients.plain { method = "get", url = url }
    return { p.url, p.scheme, p.host, p.port, p.path, p.query }
  end

  it("has the parts of the URL as they are sent", function()
    for url, expected in pairs {
      ["http://h"] = { "http://h/", "http", "h", 80, "/" },
      ["HTTPS://H:8443/A%2f?b=%20#c"] = { "https://H:8443/A%2f?b=%20", "https", "H", 8443, "/A%2f", "b=%20" },
      ["https://h:443/a?"] = { "https://h:443/a?", "https", "h", 443, "/a", "" },
      ["http://h:080?a=?"] = { "http://h:80/?a=?", "http", "h", 80, "/", "a=?" },
      ["http://[::1]/??"] = { "http://[::1]/??", "http", "::1", 80, "/", "?" },
      ["http://u:p@[fe80::1]:81/x#?"] = { "http://[fe80::1]:81/x", "http", "fe80::1", 81, "/x" },
    } do
      assert.same(expected, parts(url))
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
  local cases = {
    { "get", { method = "GET", path = "/orgs/%C3%A9%2Fx", query = "?q=a%20b", headers = BOTH } },
    { "post", { method = "POST", path = "/x", headers = with(JSON), body = '{"a":1}' } },
    { "post_empty", { method = "POST", path = "/x", headers = BOTH, body = "" } },
    { "put_empty", { method = "PUT", path = "/x", headers = BOTH, body = "" } },
    { "patch_empty", { method = "PATCH", path = "/x", headers = BOTH, body = "" } },
    { "head", { method = "HEAD", path = "/x", query = "?q=1", headers = BOTH } },
    { "delete", { method = "DELETE", path = "/x", headers = BOTH } },
    { "delete_body", { method = "DELETE", path = "/x", headers = with(JSON), body = '{"a":1}' } },
    { "upload", { method = "POST", path = "/x", query = "?name=n", headers = with { ["content-type"] = "image/png" },
      body = UPLOAD } },
    { "unlabelled", { method = "POST", path = "/x", headers = BOTH, body = "text" } },
  }
  for _, case in ipairs(cases) do
    it("has the origin and the parameters of the request " .. case[1], function()
      assert.same({ "https://h", case[2] }, { clients.resty_http(request(case[1])) })
    end)
  end

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

  it("passes a list of header values on as a list", function()
    local _, params = clients.resty_http(api("/x", { headers = { a = { "1", "2" }, b = { "1" }, c = {} } }))
    assert.same(with { a = { "1", "2" }, b = "1" }, params.headers)
  end)
end)

describe("clients.luasocket", function()
  local cases = {
    { "get", { url = GET_URL, method = "GET", headers = BOTH } },
    { "post", { url = "https://h/x", method = "POST", source = '{"a":1}',
      headers = with { ["content-type"] = JSON["content-type"], ["content-length"] = "7" } } },
    { "post_empty", { url = "https://h/x", method = "POST", headers = with { ["content-length"] = "0" }, source = "" } },
    { "put_empty", { url = "https://h/x", method = "PUT", headers = with { ["content-length"] = "0" }, source = "" } },
    { "patch_empty", { url = "https://h/x", method = "PATCH", headers = with { ["content-length"] = "0" }, source = "" } },
    { "head", { url = "https://h/x?q=1", method = "HEAD", headers = BOTH } },
    { "delete", { url = "https://h/x", method = "DELETE", headers = BOTH } },
    { "delete_body", { url = "https://h/x", method = "DELETE", source = '{"a":1}',
      headers = with { ["content-type"] = JSON["content-type"], ["content-length"] = "7" } } },
    { "upload", { url = "https://h/x?name=n", method = "POST", source = UPLOAD,
      headers = with { ["content-type"] = "image/png", ["content-length"] = "8" } } },
    { "unlabelled", { url = "https://h/x", method = "POST", source = "text",
      headers = with { ["content-length"] = "4" } } },
  }
  for _, case in ipairs(cases) do
    it("has the table of the request " .. case[1], function()
      case[2].redirect = false
      local made = clients.luasocket(request(case[1]))
      made.source = drained(made.source)
      assert.same(case[2], made)
    end)
  end

  it("passes a sink on", function()
    local sink = function() end
    assert.equal(sink, clients.luasocket(request "get", { sink = sink }).sink)
    assert.equal("[1]", drained(clients.luasocket(request "post",
      { encode = function() return "[1]" end }).source))
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

  it("joins a list of header values into one text", function()
    local headers = clients.luasocket(api("/x", { headers = { a = { "1", "2" }, c = {}, n = 5.0, t = true } })).headers
    assert.same(with { a = "1, 2", n = "5", t = "true" }, headers)
  end)
end)

describe("clients.lua_http", function()
  local function build(r)
    return loaded({ ["http.request"] = http_request() }, clients.lua_http, r)
  end

  it("gives the parts of the URL, the method and the headers in order", function()
    local made = build(request "get")
    assert.same({ scheme = "https", host = "h", port = 443, path = "/orgs/%C3%A9%2Fx", query = "q=a%20b" }, made.uri)
    assert.same({ ":method:=GET", "-user-agent", "-expect", "accept=application/json", "user-agent=spec" },
      made.headers.list)
    assert.is_nil(made.body)
    assert.is_false(made.follow_redirects)
    assert.is_false(made.cookie_store)
  end)

  it("sends expect: 100-continue only if the caller gives it", function()
    local made = build { method = "put", url = "http://h", body = "text" }
    assert.same({ ":method:=PUT", "expect=100-continue", "-user-agent", "-expect" }, made.headers.list)
    made = build { method = "put", url = "http://h", body = "t", headers = { expect = "100-continue" } }
    assert.equal("expect=100-continue", made.headers.list[5])
    assert.is_nil(made.headers.list[6])
  end)

  it("reads the port, also of an IPv6 address", function()
    local made = build(endpoint.parse { url = "http://[::1]:8080" })
    assert.same({ scheme = "http", host = "::1", port = 8080, path = "/" }, made.uri)
    assert.same({ scheme = "http", host = "h", port = 81, path = "/" }, build(endpoint.parse { url = "http://h:81" }).uri)
  end)

  it("sends header values as texts, a list as several fields and host as :authority", function()
    local made = build(endpoint.parse { url = "http://h/", headers = { n = 1, l = { "a", "b" }, host = "other" } })
    assert.same({ ":method:=GET", "-user-agent", "-expect", ":authority:=other", "l=a", "l=b", "n=1" }, made.headers.list)
  end)

  local bodies = { post = '{"a":1}', post_empty = "", put_empty = "", patch_empty = "", upload = UPLOAD,
    delete_body = '{"a":1}' }
  for _, name in ipairs { "get", "head", "delete", "post", "post_empty", "put_empty", "patch_empty", "upload",
    "delete_body" } do
    it("sets the body of the request " .. name, function() assert.equal(bodies[name], build(request(name)).body) end)
  end

  it("passes on an error of lua-http as it is", function()
    for _, problem in ipairs { "no route", {} } do
      local library = { ["http.request"] = { new_from_uri = function() error(problem, 0) end } }
      local _, raised = pcall(loaded, library, support.call, clients.lua_http, request "get")
      assert.equal(problem, raised)
    end
  end)
end)

describe("clients.curl", function()
  local LINES = { "accept: application/json", "user-agent: spec" }
  local JSON_LINES = { LINES[1], "content-type: application/json; charset=utf-8", LINES[2] }
  local EMPTY_LINES = { LINES[1], LINES[2], "content-type:" }
  local cases = {
    { "get", { url = GET_URL, customrequest = "GET", httpheader = LINES } },
    { "post", { url = "https://h/x", customrequest = "POST", httpheader = JSON_LINES, postfields = '{"a":1}' } },
    { "post_empty", { url = "https://h/x", customrequest = "POST", httpheader = EMPTY_LINES, postfields = "" } },
    { "put_empty", { url = "https://h/x", customrequest = "PUT", httpheader = EMPTY_LINES, postfields = "" } },
    { "patch_empty", { url = "https://h/x", customrequest = "PATCH", httpheader = EMPTY_LINES, postfields = "" } },
    { "head", { url = "https://h/x?q=1", customrequest = "HEAD", httpheader = LINES, nobody = true } },
    { "delete", { url = "https://h/x", customrequest = "DELETE", httpheader = LINES } },
    { "delete_body", { url = "https://h/x", customrequest = "DELETE", httpheader = JSON_LINES, postfields = '{"a":1}' } },
    { "upload", { url = "https://h/x?name=n", customrequest = "POST", postfields = UPLOAD,
      httpheader = { LINES[1], "content-type: image/png", LINES[2] } } },
    { "unlabelled", { url = "https://h/x", customrequest = "POST", httpheader = EMPTY_LINES, postfields = "text" } },
  }
  for _, case in ipairs(cases) do
    it("has the settings of the request " .. case[1], function()
      case[2].path_as_is = true
      assert.same(case[2], clients.curl(request(case[1])))
    end)
  end

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
    assert.same({ { 80, 1 }, { 10002, "https://h/x?name=n" },
      { 10023, { LINES[1], "content-type: image/png", LINES[2], "expect:" } },
      { 46, 1 }, { 14, 8 }, { 10036, "POST" } }, easy.calls)
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
    assert.same({ LINES[1], "content-type: image/png", LINES[2] }, easy.calls[3][2])
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

  it("has a line for each value of a list, and a line for an empty value", function()
    local lines = clients.curl(endpoint.parse { url = "http://h", headers = { a = { "1", "2" }, b = "" } }).httpheader
    assert.same({ "a: 1", "a: 2", "b;" }, lines)
  end)

  -- libcurl does not send a header that is given as "name: ", and sends the content-type of
  -- a form if none is given.
  it("takes a value of white space for an empty one, and has no content-type of a form for an empty list", function()
    local lines = clients.curl(endpoint.parse { url = "http://h", headers = { a = " \t " } }).httpheader
    assert.same({ "a;" }, lines)
    lines = clients.curl { method = "post", url = "http://h", headers = { ["content-type"] = {} } }.httpheader
    assert.same({ "content-type:" }, lines)
  end)
end)

describe("clients.lua_https", function()
  local cases = {
    { "get", GET_URL, { method = "GET", headers = BOTH } },
    { "post", "https://h/x", { method = "POST", headers = with(JSON), data = '{"a":1}' } },
    { "post_empty", "https://h/x", { method = "POST", headers = with { ["content-length"] = "0" } } },
    { "put_empty", "https://h/x", { method = "PUT", headers = with { ["content-length"] = "0" } } },
    { "patch_empty", "https://h/x", { method = "PATCH", headers = with { ["content-length"] = "0" } } },
    { "head", "https://h/x?q=1", { method = "HEAD", headers = BOTH } },
    { "delete", "https://h/x", { method = "DELETE", headers = BOTH } },
    { "delete_body", "https://h/x", { method = "DELETE", headers = with(JSON), data = '{"a":1}' } },
    { "upload", "https://h/x?name=n",
      { method = "POST", headers = with { ["content-type"] = "image/png" }, data = UPLOAD } },
    { "unlabelled", "https://h/x",
      { method = "POST", headers = with { ["content-type"] = "application/octet-stream" }, data = "text" } },
  }
  for _, case in ipairs(cases) do
    it("has the URL and the options of the request " .. case[1], function()
      assert.same({ case[2], case[3] }, { clients.lua_https(request(case[1])) })
    end)
  end

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

  it("has header values as texts", function()
    local _, options = clients.lua_https(api("/x", { headers = { a = { "1", "2" }, n = 1.5, t = false } }))
    assert.same(with { a = "1, 2", n = "1.5", t = "false" }, options.headers)
  end)
end)

describe("clients.ngx", function()
  local internal = endpoint.defaults { baseUrl = "/internal", headers = { accept = "a", ["user-agent"] = "u" } }
  local HEADERS = { accept = "a", ["user-agent"] = "u" }
  local JSON_HEADERS = { accept = "a", ["user-agent"] = "u", ["content-type"] = JSON["content-type"] }
  local cases = {
    { "GET /:x", { x = "é", q = "a b" }, "/internal/%C3%A9", { method = 2, args = "q=a%20b", headers = HEADERS } },
    { "HEAD /x", nil, "/internal/x", { method = 4, headers = HEADERS } },
    { "POST /x{?q}", { q = 1, a = 1 }, "/internal/x",
      { method = 8, args = "q=1", headers = JSON_HEADERS, body = '{"a":1}' } },
    { "POST /x", nil, "/internal/x", { method = 8, headers = HEADERS, body = "" } },
    { "PUT /x", nil, "/internal/x", { method = 16, headers = HEADERS, body = "" } },
    { "PATCH /x", nil, "/internal/x", { method = 16384, headers = HEADERS, body = "" } },
    { "DELETE /x", nil, "/internal/x", { method = 32, headers = HEADERS } },
    { "DELETE /x", { a = 1 }, "/internal/x", { method = 32, headers = JSON_HEADERS, body = '{"a":1}' } },
    { "PUT /x", { data = UPLOAD }, "/internal/x", { method = 16, headers = HEADERS, body = UPLOAD } },
    { "GET /x#f", nil, "/internal/x", { method = 2, headers = HEADERS } },
  }
  for _, case in ipairs(cases) do
    it("has the URI and the options of " .. case[1] .. (case[2] and " with values" or ""), function()
      assert.same({ case[3], case[4] }, { in_nginx(clients.ngx, internal(case[1], case[2])) })
    end)
  end

  it("refuses a URL of another server, a method that nginx does not have, and a call outside nginx", function()
    raises({ "url", "path of this server" }, in_nginx, clients.ngx, request "get")
    raises({ "method OK", "constant" }, in_nginx, clients.ngx, internal "OK /x")
    raises("inside nginx", clients.ngx, internal "/x")
  end)

  it("refuses a path that decoding would change, and names the alternatives", function()
    for value, triplet in pairs { ["a/b"] = "%2F", ["a\\b"] = "%5C", ["a;b"] = "%3B", ["a?b"] = "%3F", ["a#b"] = "%23",
      ["a%b"] = "%25", ["\127"] = "%7F" } do
      raises({ "url", "decodes the path", triplet, "in the query", "proxy_pass $target" },
        in_nginx, clients.ngx, internal("/:x", { x = value }))
    end
    for byte = 0, 31 do
      raises(("%%%02X"):format(byte), in_nginx, clients.ngx, internal("/:x", { x = string.char(byte) }))
    end
    for _, path in ipairs { "/a%2fb", "/a%3bb", "/%1f", "/%5c", "/%3f", "/%7f", "/x/%0a?q" } do
      raises("decodes the path", in_nginx, clients.ngx, { method = "get", url = path })
    end
  end)

  it("refuses a path with dot segments", function()
    for _, path in ipairs { "/a/../b", "/..", "/.", "/a/./b", "/a/%2e%2E/b", "/a/.%2e?q", "/%2E" } do
      raises({ "url", "segments", ". and ..", "proxy_pass $target" }, in_nginx, clients.ngx, { method = "get", url = path })
    end
  end)

  it("accepts any other path and any query", function()
    local rest = {}
    for byte = 32, 255 do
      local char = string.char(byte)
      if not char:find("[/\\;?#%%\127]") then rest[#rest + 1] = char end
    end
    local x = table.concat(rest)
    local path, options = in_nginx(clients.ngx, internal("/a;b/..c/d..{;m}/:x", { x = x, m = 1, q = "/\0%../;\\\r\n" }))
    assert.equal("/internal/a;b/..c/d..;m=1/" .. internal("/:x", { x = x }).url:match "[^/]*$", path)
    assert.equal("q=%2F%00%25..%2F%3B%5C%0D%0A", options.args)
  end)
end)

describe("clients.argv", function()
  local WORDS = { "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }
  local LINES = 'header = "accept: application/json"\nheader = "user-agent: spec"\n'
  local cases = {
    { "get", 'url = "' .. GET_URL .. '"\n' .. LINES },
    { "post", 'url = "https://h/x"\nrequest = "POST"\nheader = "accept: application/json"\n'
      .. 'header = "content-type: application/json; charset=utf-8"\nheader = "user-agent: spec"\n'
      .. 'data-binary = "@-"\n{"a":1}' },
    { "post_empty", 'url = "https://h/x"\nrequest = "POST"\n' .. LINES .. 'header = "content-type:"\ndata-binary = "@-"\n' },
    { "head", 'url = "https://h/x?q=1"\nhead\n' .. LINES },
    { "delete", 'url = "https://h/x"\nrequest = "DELETE"\n' .. LINES },
    { "upload", 'url = "https://h/x?name=n"\nrequest = "POST"\nheader = "accept: application/json"\n'
      .. 'header = "content-type: image/png"\nheader = "user-agent: spec"\ndata-binary = "@-"\n' .. UPLOAD },
  }
  for _, case in ipairs(cases) do
    it("has the words and the input of the request " .. case[1], function()
      assert.same({ WORDS, case[2] }, { clients.argv(request(case[1])) })
    end)
  end

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

  it("sends a long body without expect: 100-continue", function()
    local function lines(size, headers)
      return input_of { method = "put", url = "http://h", body = ("x"):rep(size), headers = headers }
    end
    assert.falsy(lines(1024):find("expect", 1, true))
    assert.truthy(lines(1025):find('\nheader = "expect:"\n', 1, true))
    assert.falsy(lines(1025, { expect = "100-continue" }):find("expect:\"", 1, true))
  end)
end)

describe("clients.curl_command", function()
  local START = "curl --globoff --path-as-is"
  local LINES = " --header 'accept: application/json' --header 'user-agent: spec'"
  local cases = {
    { "get", START .. LINES .. " '" .. GET_URL .. "'" },
    { "post", START .. " --request 'POST' --header 'accept: application/json'"
      .. " --header 'content-type: application/json; charset=utf-8' --header 'user-agent: spec'"
      .. [[ --data-raw '{"a":1}' 'https://h/x']] },
    { "post_empty", START .. " --request 'POST'" .. LINES .. " --header 'content-type:' --data-raw '' 'https://h/x'" },
    { "put_empty", START .. " --request 'PUT'" .. LINES .. " --header 'content-type:' --data-raw '' 'https://h/x'" },
    { "head", START .. " --head" .. LINES .. " 'https://h/x?q=1'" },
    { "delete", START .. " --request 'DELETE'" .. LINES .. " 'https://h/x'" },
    { "upload", [[printf '\000\001\177\200\377\047\134\045' | ]] .. START
      .. " --request 'POST' --header 'accept: application/json' --header 'content-type: image/png'"
      .. " --header 'user-agent: spec' --data-binary @- 'https://h/x?name=n'" },
  }
  for _, case in ipairs(cases) do
    it("has the command of the request " .. case[1], function()
      assert.equal(case[2], clients.curl_command(request(case[1])))
    end)
  end

  local function line(headers, options)
    return clients.curl_command(endpoint.parse { url = "http://h/", headers = headers }, options)
  end

  it("quotes a quote, and writes control characters and stray bytes with printf", function()
    assert.equal([[curl --globoff --path-as-is --header 'a: it'\''s' 'http://h/']], line { a = "it's" })
    assert.equal([[curl --globoff --path-as-is --header 'a: é' 'http://h/']], line { a = "é" })
    assert.equal([[curl --globoff --path-as-is --header "$(printf 'a: \033\360')" 'http://h/']], line { a = "\27\240" })
  end)

  it("pipes a body with control characters, with stray bytes, or of more than 65,536 bytes", function()
    local function body(data) return clients.curl_command(api("POST /x", { data = data })) end
    for data, text in pairs { ["a\0"] = [[a\000]], ["a\tb"] = [[a\011b]], ["-\27%"] = [[\055\033\045]],
      ["\195"] = [[\303]], ["\194\128"] = [[\302\200]], ["\r\n"] = [[\015\012]] } do
      assert.equal("printf '" .. text .. "' | curl", body(data):match("^printf.-curl"))
    end
    for _, data in ipairs { "", "a\nb", "é☃\240\159\152\128", ("x"):rep(65536) } do
      assert.truthy(body(data):find(" --data-raw '" .. data .. "' ", 1, true))
    end
    local long = body(("\0"):rep(40000))
    assert.truthy(long:find("^{ printf '[\\0]+'; printf '[\\0]+'; printf '[\\0]+'; } | curl .* %-%-data%-binary @%- "))
    assert.equal(40000, select(2, long:gsub("\\000", "")))
    for word in long:gmatch("'([^']*)'") do assert.is_true(#word <= 65536) end
    assert.truthy(body(("x"):rep(65537)):find("^{ printf 'x+'; .* | curl .* %-%-data%-binary @%- "))
  end)

  it("pipes a body that an interactive shell would expand from its history", function()
    for data, text in pairs { ["a\n^b^c"] = [[a\012\136b\136c]], ["a\nb!c"] = [[a\012b\041c]] } do
      assert.equal("printf '" .. text .. "' | curl",
        clients.curl_command(api("POST /x", { data = data })):match("^printf.-curl"))
    end
    for _, data in ipairs { "^a", "a^\nb^", "!a\nb" } do
      assert.truthy(clients.curl_command(api("POST /x", { data = data })):find(" --data-raw '" .. data .. "' ", 1, true))
    end
  end)

  local START_OF = "curl --globoff --path-as-is --header '"

  it("hides a header whose name is that of a secret, unless options.secrets names it", function()
    for _, name in ipairs { "authorization", "proxy-authorization", "cookie", "x-api-key", "private-token",
      "x-amz-security-token", "x-hub-signature-256", "x-github-otp", "x-passphrase", "x-credential",
      "x-pwd", "x-csrf-token", "x-csrf", "x-xsrf", "set-cookie2", "x-client-secret", "x-auth", "x-authuser",
      "x-oauth-scopes", "www-authenticate", "x-authorisation", "x-author-auth", "x-session-id", "jsessionid", "x-password",
      "x-passwd", "x-saml-assertion", "x-client-cert", "x-forwarded-client-certs", "x-certificate", "x-pin", "pin2",
      "x-keys", "accesskey", "appkey", "x-privatekey", "passkey", "pass", "x-passcode", "phpsessid", "x-jwt", "pins",
      "pincode", "hotp", "otpcode", "mfacode", "x-certificates", "clientcert", "sslcert",
      "clientcertificate", "smsotp", "hapikey", "xapikey",
      "x-otp-code", "x-totp", "x-mfa", "x-mfa-code", "apikey", "ocp-apim-subscription-key", "x-idempotency-key",
      "x-sig", "x-sig-v2", "x-shopify-hmac-sha256", "sid", "x-sid", "x-bearer", "dpop" } do
      local headers = { [name] = { "s3cret", "more" } }
      assert.equal(START_OF .. name .. ": ***' 'http://h/'", line(headers))
      assert.truthy(line(headers, { secrets = true }):find("s3cret", 1, true))
      assert.truthy(line(headers, { secrets = { name:upper() } }):find("s3cret", 1, true))
      assert.falsy(line(headers, { secrets = { "other" } }):find("s3cret", 1, true))
    end
  end)

  it("shows headers with other names", function()
    for _, name in ipairs { "x-side", "design", "residence", "x-outside", "accept", "user-agent", "x-author", "author",
      "x-authors", "x-authority", "idempotency-key", "sec-websocket-key", "x-shipping", "x-spinning", "x-footprint",
      "x-certain", "x-concert", "x-keyword", "x-keyboard", "x-monkey", "x-compass", "x-bypass", "range", "x-hotplug" } do
      assert.equal(START_OF .. name .. ": shown' 'http://h/'", line { [name] = "shown" })
    end
  end)

  it("hides a value with an authentication scheme under any name", function()
    for _, value in ipairs { "Bearer s3cret", "bearer s3cret", "BASIC czNjcmV0", "Basic\ts3cret", "token s3cret",
      "Token s3cret", " Bearer s3cret" } do
      assert.equal(START_OF .. "x-upstream: ***' 'http://h/'", line { ["x-upstream"] = { "a", value } })
    end
    for _, value in ipairs { "tokens", "a Bearer", "the basics", "Basic", "basically fine" } do
      assert.equal(START_OF .. "x-upstream: " .. value .. "' 'http://h/'", line { ["x-upstream"] = value })
    end
  end)

  it("hides userinfo and secret parameters of a URL in a header", function()
    for _, name in ipairs { "referer", "destination", "origin" } do
      assert.equal(START_OF .. name .. ": https://***@h/a@b?c=d' 'http://h/'",
        line { [name] = "https://me:s3@cret@h/a@b?c=d" })
      assert.equal(START_OF .. name .. ": //***@h' 'http://h/'", line { [name] = "//s3cret@h" })
      assert.equal(START_OF .. name .. ": https://h/?sig=***&x=1' 'http://h/'",
        line { [name] = "https://h/?sig=s3cret&x=1" })
      assert.truthy(line({ [name] = "https://me:pass@h" }, { secrets = { name } }):find("me:pass@h", 1, true))
    end
    for value, shown in pairs {
      ["https://h/?a=1#access_token=s3cret"] = "https://h/?a=1#access_token=***",
      ["https://h/#a=1&access_token=s3cret"] = "https://h/#a=1&access_token=***",
      ["https://h/#/cb/sig=s3cret"] = "https://h/#/cb/sig=***",
      ["https://h/?u=https%3A%2F%2Fu%3As3cret%40h"] = "https://h/?u=***",
      ["https:/u:s3cret@h/a:b"] = "https:/***@h/a:b",
      ["u:s3cret@h:80"] = "***@h:80",
      ["a=1, token=s3cret"] = "a=1, token=***",
      ["me@h, you@h"] = "me@h, you@h",
    } do
      assert.equal(START_OF .. "x-a: " .. shown .. "' 'http://h/'", line { ["x-a"] = value })
    end
    assert.equal(START_OF .. "link: <https://***@h/>, <https://***@i/>' 'http://h/'",
      line { link = "<https://a:b@h/>, <https://c:d@i/>" })
  end)

  local function shown_url(url, options)
    return clients.curl_command({ method = "get", url = "http://h" .. url }, options):match("'http://h(.*)'$")
  end

  it("hides the values of secret parameters of the URL", function()
    for url, shown in pairs {
      ["/x?access_token=s3cret&a=1"] = "/x?access_token=***&a=1",
      ["/x?a=1&sig=s3cret"] = "/x?a=1&sig=***",
      ["/x?key=s3cret&X-Amz-Signature=s3cret&X-Amz-Date=1"] = "/x?key=***&X-Amz-Signature=***&X-Amz-Date=1",
      ["/x?accessToken=s3cret&apiKey=s&userPIN=s&pinCode=s"] = "/x?accessToken=***&apiKey=***&userPIN=***&pinCode=***",
      ["/x?access%5Ftoken=s3cret&%6Bey=s&api+key=s"] = "/x?access%5Ftoken=***&%6Bey=***&api+key=***",
      ["/x?a[token]=s3cret&b%5Bpin%5D=s&key[]=s"] = "/x?a[token]=***&b%5Bpin%5D=***&key[]=***",
      ["/x?token=a;b?c=d=e&f"] = "/x?token=***&f",
      ["/x?a=1;token=s3cret&u=http://h?key=s3cret"] = "/x?a=1;token=***&u=http://h?key=***",
      ["/x?token&key="] = "/x?token&key=***",
      ["/x;jsessionid=s3cret/y;a=b;token=s3cret?c"] = "/x;jsessionid=***/y;a=b;token=***?c",
      ["/to/https://me:s3cret@h/"] = "/to/https://***@h/",
      ["/x?u=https%3A%2F%2Fu%3As3cret%40h%2F&a=1"] = "/x?u=***&a=1",
      ["/x?u=https:%2F%2Fu:s3cret@h&a=%2F%3Fa%3D1"] = "/x?u=***&a=%2F%3Fa%3D1",
      ["/x?next=%2Fcb%3Faccess_token%3Ds3cret"] = "/x?next=***",
      ["/x?next=%252Fcb%253Faccess_token%253Ds3cret"] = "/x?next=***",
      ["/x?a=1;next=%2Fcb%3Fa%3D1%26sig%3Ds3cret"] = "/x?a=***",
      ["/to/https%3A%2F%2Fu%3As3cret%40h/y"] = "/to/***/y",
      ["/x?%2Fcb%3Fsig%3Ds3cret&%2Fcb"] = "/x?***&%2Fcb",
      ["/x?a=%2Fcb%23sig%3Ds3cret"] = "/x?a=***",
      ["/a=1&token=s3cret/b"] = "/a=1&token=***/b",
      ["/x?author=a&shipping=b&idempotency-key=c&idempotencyKey=d&keyword=e&page=2&q=key&=f"] =
        "/x?author=a&shipping=b&idempotency-key=c&idempotencyKey=d&keyword=e&page=2&q=key&=f",
    } do
      assert.equal(shown, shown_url(url))
      assert.equal(url, shown_url(url, { secrets = true }))
    end
    assert.equal("/x?KEY=1&access%5Ftoken=2&sig=***",
      shown_url("/x?KEY=1&access%5Ftoken=2&sig=3", { secrets = { "key", "Access_Token" } }))
  end)

  it("hides the userinfo of the URL", function()
    local r = endpoint.parse { url = "https://me:pass@h/" }
    assert.equal("curl --globoff --path-as-is --header 'authorization: ***' 'https://h/'", clients.curl_command(r))
    assert.equal("curl --globoff --path-as-is --header 'authorization: Basic bWU6cGFzcw==' 'https://h/'",
      clients.curl_command(r, { secrets = true }))
  end)
end)

-- What all clients share, shown with lua-resty-http.
describe("each client", function()
  local function params(r, options)
    local origin, result = clients.resty_http(r, options)
    result.url, result.path, result.query = origin .. result.path .. (result.query or ""), nil, nil
    return result
  end

  it("drops content-length and transfer-encoding of the caller", function()
    for _, name in ipairs { "content-length", "transfer-encoding", "Content-Length" } do
      local made = params { method = "post", url = "http://h/", headers = { [name] = "3" }, body = "text" }
      assert.same({}, made.headers)
    end
  end)

  it("does not modify the result of endpoint", function()
    local list = { "a", "b" }
    local r = { method = "put", url = "http://u:p@h", headers = { X = list, ["content-length"] = 1 }, body = { 1 } }
    local made = params(r)
    made.headers.x[1] = "changed"
    assert.same({ method = "put", url = "http://u:p@h", headers = { X = { "a", "b" }, ["content-length"] = 1 },
      body = { 1 } }, r)
    assert.equal(list, r.headers.X)
  end)

  it("cuts the fragment, and adds the path / to a host alone", function()
    for url, sent in pairs {
      ["http://h"] = "http://h/", ["http://h?q"] = "http://h/?q", ["http://h/#f"] = "http://h/",
      ["http://h/a?b#c?d"] = "http://h/a?b", ["http://h#f"] = "http://h/", ["HTTPS://H/A"] = "https://H/A",
      ["http://h:/a"] = "http://h/a", ["http://[::1]:080"] = "http://[::1]:80/", ["http://h?"] = "http://h/?",
      ["http://%C3%A9.a-b_c~!$&'()*+,;="] = "http://%C3%A9.a-b_c~!$&'()*+,;=/",
    } do
      assert.equal(sent, params({ method = "get", url = url }).url)
    end
  end)

  it("makes an authorization header of userinfo, unless one is given", function()
    for userinfo, credentials in pairs {
      ["Aladdin:open%20sesame"] = "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", ["u"] = "dTo=", ["u:"] = "dTo=",
      [":p"] = "OnA=", ["a:b%00%ffc"] = "YTpiAP9j", ["a:x@y"] = "YTp4QHk=",
    } do
      local made = params { method = "get", url = "http://" .. userinfo .. "@h/" }
      assert.equal("Basic " .. credentials, made.headers.authorization)
      assert.equal("http://h/", made.url)
    end
    local made = params { method = "get", url = "http://u:p@h/", headers = { Authorization = "token 1" } }
    assert.equal("token 1", made.headers.authorization)
    made = params { method = "get", url = "http://@h/" }
    assert.same({ url = "http://h/" }, { url = made.url, authorization = made.headers.authorization })
  end)

  it("joins cookies into one field", function()
    assert.equal("a=1; b=2", params { method = "get", url = "http://h/", headers = { cookie = { "a=1", "b=2" } } }
      .headers.cookie)
  end)

  it("writes a number as endpoint does, on every Lua", function()
    for _, case in ipairs { { 14, "14" }, { 14.0, "14" }, { -3, "-3" }, { 0.1, "0.1" }, { 1e300, "1e+300" },
      { 2 ^ 53, "9007199254740992" }, { 0.1 + 0.2, "0.30000000000000004" }, { 1e20, "100000000000000000000" },
      { 1e21, "1e+21" }, { 1e-5, "0.00001" }, { 1e-7, "1e-7" }, { 2 ^ 63, "9223372036854776000" },
      { -2 ^ 63, "-9223372036854776000" }, { 2 ^ 32 + 1, "4294967297" }, { -0.0, "0" }, { 2.5e9, "2500000000" } } do
      assert.equal(case[2], params { method = "get", url = "http://h/", headers = { n = case[1] } }.headers.n)
      assert.equal(case[2], endpoint.parse { url = "{+x}", baseUrl = "", x = case[1] }.url)
    end
    if math.type then
      assert.equal("9223372036854775807",
        params { method = "get", url = "http://h/", headers = { n = math.maxinteger } }.headers.n)
    end
  end)

  it("encodes a body that is not a string as JSON", function()
    for _, case in ipairs { { false, "false" }, { 5, "5" }, { { 1, "x" }, '[1,"x"]' } } do
      assert.equal(case[2], params(api("POST /x", { data = case[1] })).body)
    end
    assert.same({ a = endpoint.null }, json.decode(params(api("POST /x", { a = endpoint.null })).body))
  end)

  it("encodes a body that is not a string with options.encode if it is given", function()
    local options = { encode = function(body) return "<" .. body.a .. ">" end }
    assert.equal("<1>", params(request "post", options).body)
    assert.equal("text", params(request "unlabelled", options).body)
    assert.equal("<1>", params(api("POST /x", { a = 1, headers = { ["content-type"] = "text/xml" } }), options).body)
  end)

  -- OpenResty's lua-cjson, which LuaRocks installs, keeps integers where Lua has them.
  local keeps_integers = math.type and json.encode(math.maxinteger) == ("%d"):format(math.maxinteger)
  local lost = { 2 ^ 53 - 1, 1e14 + 0.5, -1e15 - 0.5, 1e15 + 0.0, 1e300, -2 ^ 63 } -- floats
  for _, integer in ipairs(keeps_integers and {} or { 123456789012345, -123456789012345, math.maxinteger }) do
    lost[#lost + 1] = integer
  end

  it("keeps each digit of an integer that lua-cjson keeps", function()
    assert.equal('{"id":99999999999999}', params(api("POST /x", { id = 99999999999999 })).body)
    if keeps_integers then
      assert.equal('{"id":9223372036854775807}', params(api("POST /x", { id = math.maxinteger })).body)
    end
  end)

  it("raises for a whole number whose digits lua-cjson loses, without quoting it", function()
    for _, number in ipairs { 0, -5, 99999999999999, -99999999999999, 2 ^ 40, 0.1, 1.5, -0.25, 9999999999999.5, 1e-300 } do
      assert.equal(number, json.decode(params(api("POST /x", { id = number })).body).id)
    end
    for _, number in ipairs(lost) do
      for _, body in ipairs { { id = number }, { id = { 1, number } }, { list = { { id = number, 1 } } } } do
        raises({ "body", 'digits of the number "id"', "options.encode" }, params, api("POST /x", { data = body }))
      end
      raises({ "body", "digits of the number: expected" }, params, api("POST /x", { data = number }))
      assert.equal("own", params(api("POST /x", { data = number }), { encode = function() return "own" end }).body)
    end
    -- lua-cjson converts such a key to an int, which is undefined in C: on some machines it
    -- takes the table for a sparse array.
    -- From Lua 5.3 on a key that is a whole number is an integer, which some lua-cjson keep.
    for _, key in ipairs(keeps_integers and {} or lost) do
      local refused = not pcall(json.encode, { [key] = true }) and { "body", "sparse array" }
      raises(refused or { "body", "digits of the number: expected" }, params, api("POST /x", { data = { [key] = true } }))
      raises(refused or { "body", 'digits of the number "a": expected' }, params,
        api("POST /x", { a = { [key] = true } }))
    end
    if keeps_integers then
      assert.equal('{"1000000000000000":true}', params(api("POST /x", { data = { [1e15] = true } })).body)
    end
    if pcall(json.encode, { [99999999999999] = 1 }) then
      assert.equal('{"99999999999999":1}', loaded({ cjson = json }, params, api("POST /x",
        { data = { [99999999999999] = 1 } })).body)
    end
    raises('the number "a?b' .. ("x"):rep(37) .. '"', params, api("POST /x", { ["a\nb" .. ("x"):rep(50)] = 2 ^ 53 - 1 }))
  end)

  it("accepts a number that lua-cjson writes in full with a higher precision", function()
    local exact = { encode = function(body) return ("%.0f"):format(type(body) == "table" and body[1] or body) end }
    assert.equal("9007199254740991",
      loaded({ cjson = exact }, params, api("POST /x", { data = { 2 ^ 53 - 1 } })).body)
  end)

  it("raises for a number that lua-cjson rounds without an exponent", function()
    local rounding = {}
    function rounding.encode(body) return ("%.0f0"):format((type(body) == "table" and 0 or body) / 10) end
    raises("digits of the number: expected", loaded, { cjson = rounding }, params, api("POST /x", { data = { 2 ^ 53 - 1 } }))
  end)

  it("raises for a number that lua-cjson rounds with a lower precision", function()
    local precision = json.encode_number_precision()
    json.encode_number_precision(3)
    local made = { pcall(params, api("POST /x", { data = { 999, 1.2345 } })) }
    local _, message = pcall(params, api("POST /x", { data = { id = 12345.0 } }))
    json.encode_number_precision(precision)
    assert.equal("[999,1.23]", made[2].body)
    assert.truthy(message:find('digits of the number "id"', 1, true), message)
  end)

  it("accepts a fraction that lua-cjson rounds", function()
    assert.equal('{"x":0.3}', params(api("POST /x", { x = 0.1 + 0.2 })).body)
    assert.equal('{"x":3}', params(api("POST /x", { x = 3 + 2 ^ -51 })).body)
    assert.equal('{"x":1234567890123.5}', params(api("POST /x", { x = 1234567890123.49 })).body)
  end)

  it("raises for a fraction that lua-cjson rounds to a whole number", function()
    for _, number in ipairs { 99999999999999.9, -99999999999999.9, 12345678901234.04, 1234567890123.01, 2 ^ 50 + 0.5 } do
      raises('digits of the number "x"', params, api("POST /x", { x = number }))
    end
  end)

  it("raises the error of lua-cjson, and follows its settings", function()
    local cycle, deep = {}, {}
    cycle.cycle = cycle
    for _ = 1, 2000 do deep = { deep } end
    for _, body in ipairs { cycle, deep, { 0 / 0 }, { [1] = 1, [1000] = 2 } } do
      raises({ "body", "could not be encoded" }, params, api("POST /x", { data = body }))
    end
    json.encode_sparse_array(true)
    json.encode_invalid_numbers("null")
    local made = { pcall(params, api("POST /x", { data = { 0 / 0, [1000] = 2 } })) }
    json.encode_sparse_array(false)
    json.encode_invalid_numbers(false)
    assert.equal('{"1":null,"1000":2}', made[2].body)
  end)

  it("loads lua-cjson only for a body that is not a string", function()
    assert.equal("text", loaded({ cjson = false }, params, request "unlabelled").body)
  end)
end)

describe("misuse of a client", function()
  local function changed(changes)
    local r = { method = "get", url = "http://h/", headers = {} }
    for name, value in pairs(changes) do r[name] = value end
    return r
  end

  local cases = {
    { "nil",                                 nil,                                         "got a nil" },
    { "a string",                            "GET /x",                                    "got a string" },
    { "the result of merge",                 api.merge("GET /x"),                         "got merged options" },
    { "a URL with {",                        changed { url = "http://h/{x}" },            "got merged options" },
    { "the result of merge without baseUrl", api.merge("GET https://h/x", { data = "z", baseUrl = endpoint.null }),
      { "got merged options", '"data"' } },
    { "an unknown key", changed { [1] = "x" }, { "method, url, headers, body", '"1"' } },
    { "a media type",                        changed { mediaType = {} },                  "got merged options" },
    { "no method",                           { url = "http://h/" },                       { "method", "got a nil" } },
    { "a method that is no token",           changed { method = "a b" },                  { "method", "token" } },
    { "CONNECT",                             changed { method = "connect" },              { "method CONNECT", "tunnel" } },
    { "no URL",                              { method = "get" },                          { "url", "got a nil" } },
    { "a path for a URL", changed { url = "/x" }, { "url", "http://", "clients.ngx" } },
    { "another scheme",                      changed { url = "ftp://h/" },                { "url", "http://" } },
    { "a URL without a host",                changed { url = "http:///h" },               { "url", "expected a host" } },
    { "a URL of userinfo alone",             changed { url = "http://h@/x" },             { "url", "expected a host" } },
    { "a URL of a port alone",               changed { url = "http://:80/" },             { "url", "expected a host" } },
    { "a port of letters",                   changed { url = "http://h:http/" },          { "url", "expected a host" } },
    { "a port above 65535",                  changed { url = "http://h:65536/" },         { "url", "expected a host" } },
    { "a port of 30 digits",                 changed { url = "http://h:" .. ("9"):rep(30) }, { "url", "expected a host" } },
    { "two ports",                           changed { url = "http://h:80:81/" },         { "url", "expected a host" } },
    { "a bare IPv6 address",                 changed { url = "http://::1/" },             { "url", "expected a host" } },
    { "an open bracket",                     changed { url = "http://[::1/" },            { "url", "expected a host" } },
    { "a port with a letter",                changed { url = "http://h:80x/" },           { "url", "expected a host" } },
    { "backslashes around @",                changed { url = "http://a\\@b\\c/" },        { "url", "expected a host" } },
    { "a colon in a user name",              changed { url = "http://a%3ab:c@h/" },       { "url", "without a colon" } },
    { "a space in a URL",                    changed { url = "http://h/a b" },            { "url", "0x21" } },
    { "UTF-8 in a URL",                      changed { url = "http://h/é" },              { "url", "0x21" } },
    { "headers as a string",                 changed { headers = "a: b" },                { "headers", "got a string" } },
    { "a header name with a space",          changed { headers = { ["a b"] = 1 } },       { "headers", "token" } },
    { "headers as a list of lines",          changed { headers = { "a: b" } },            { "headers", "token" } },
    { "a header given twice",                changed { headers = { b = 1, B = 2 } },      { 'header "b"', "twice" } },
    { "CR LF in a header value",             changed { headers = { a = "1\r\nb: 2" } },   { 'header "a"', "CR" } },
    { "NUL in a header value",               changed { headers = { a = "1\0" } },         { 'header "a"', "NUL" } },
    { "LF in a list of header values",       changed { headers = { a = { "x", "\n" } } }, { 'header "a"', "CR" } },
    { "a function as a header value", changed { headers = { a = print } }, { 'header "a"', "got a function" } },
    { "a map as a header value",             changed { headers = { a = { k = "v" } } },   { 'header "a"', "1..n" } },
    { "a mixed table as a header value",     changed { headers = { a = { "x", k = "lost" } } }, { 'header "a"', "1..n" } },
    { "a list of header values with a hole", changed { headers = { a = { "1", nil, "3" } } }, { 'header "a"', "1..n" } },
    { "a list of header values from 0",      changed { headers = { a = { [0] = "x" } } }, { 'header "a"', "1..n" } },
    { "a list in a list of header values",   changed { headers = { a = { { "x" } } } },   { 'header "a"', "got a table" } },
    { "NaN as a header value",               changed { headers = { a = 0 / 0 } },         { 'header "a"', "finite" } },
    { "a body for GET",                      changed { body = "x" },                      { "body", "GET takes none" } },
    { "a body for HEAD",                     changed { method = "head", body = "x" },     { "body", "HEAD takes none" } },
    { "a body for TRACE",                    changed { method = "trace", body = "x" },    { "body", "TRACE takes none" } },
    { "a body with a function", changed { method = "post", body = { print } }, { "body", "could not be encoded" } },
    { "a table under a content-type that is neither JSON nor a form",
      changed { method = "post", body = {}, headers = { ["content-type"] = "text/plain" } },
      { "body", "options.encode", "neither JSON nor a form" } },
  }
  for _, case in ipairs(cases) do
    it("raises for " .. case[1], function()
      raises(case[3], clients.plain, case[2])
      raises(case[3], clients.resty_http, case[2])
      raises(case[3], clients.luasocket, case[2])
      raises(case[3], clients.lua_http, case[2])
      raises(case[3], clients.curl, case[2])
      raises(case[3], clients.lua_https, case[2])
      raises(case[3], clients.curl_command, case[2])
      raises(case[3], clients.argv, case[2])
      if case[3][1] == "url" or case[3][2] == "http://" then return end -- clients.ngx has other rules on URLs
      raises(case[3], clients.ngx, case[2])
    end)
  end

  it("raises for an unknown option and an option of a wrong type", function()
    local r = changed {}
    raises({ "options", "got a string" }, clients.curl, r, "x")
    raises({ "options.encode", "got a number" }, clients.curl, r, { encode = 1 })
    raises({ "options", '"a?b"' }, clients.curl, r, { ["a\nb"] = 1 })
    raises({ "options", '"encoder"' }, clients.curl, r, { encoder = json.encode })
    raises({ "options", '"secrets"' }, clients.curl, r, { secrets = true })
    raises({ "options.canonical", "got a number" }, clients.plain, r, { canonical = 1 })
    raises({ "options", '"easy"' }, clients.curl_command, r, { easy = {} })
    raises({ "options.sink", "got a table" }, clients.luasocket, r, { sink = {} })
    for _, easy in ipairs { 5, "x", true, print, {}, { setopt = 1 }, endpoint, io.stdout } do
      raises({ "options.easy", "expected a handle", "got a " .. type(easy) }, clients.curl, r, { easy = easy })
    end
    for _, secrets in ipairs { "false", 0, { 1 }, { cookie = true }, { "a", [3] = "b" }, { [0] = "a" } } do
      raises({ "options.secrets", "expected a boolean or a list" }, clients.curl_command, r, { secrets = secrets })
    end
    assert.truthy(clients.curl_command(r, { secrets = {} }))
  end)

  it("raises for an encoder that gives no string or raises", function()
    local r = changed { method = "post", body = {} }
    raises({ "body", "got a nil" }, clients.curl, r, { encode = function() end })
    raises({ "body", "got a nil: too deep" }, clients.curl, r, { encode = function() return nil, "too deep" end })
    raises({ "body", "it is late" }, clients.curl, r, { encode = function() error("it is late", 0) end })
  end)

  it("raises without a position inside endpoint.clients", function()
    local function text_of(body, options)
      local _, message = pcall(clients.curl, changed { method = "post", body = body }, options)
      assert.truthy(message:find("could not be encoded: ", 1, true), message)
      assert.falsy(message:find("endpoint/clients", 1, true), message)
      assert.falsy(message:match("encoded: (.*)"):find("%.lua:%d+:"), message)
    end
    local cycle = {}
    cycle.cycle = cycle
    for _, body in ipairs { { print }, cycle, { 0 / 0 }, { [1] = 1, [1000] = 2 } } do
      text_of(body)
      text_of(body, { encode = json.encode })
    end
    text_of({}, { encode = function() error("my caller is no part of yours", 2) end })
  end)

  it("raises for a method that lua-https does not have", function()
    raises({ "method PROPFIND", "lua-https" }, clients.lua_https, changed { method = "propfind" })
  end)

  it("raises if the client's module is missing", function()
    local function missing(name, f, ...)
      local loader = package.preload[name]
      package.preload[name] = function() error "it is not here" end
      local before = package.loaded[name]
      package.loaded[name] = nil
      raises({ name }, f, ...)
      package.preload[name], package.loaded[name] = loader, before
    end
    missing("http.request", clients.lua_http, changed {})
    missing("cjson", clients.curl, changed { method = "post", body = {} })
  end)

  it("raises without quoting a value", function()
    for _, r in ipairs { changed { headers = { a = "s3cret\n" } }, changed { url = "ftp://s3cret@h/" },
      changed { url = "http://s3cret\n" }, changed { body = "s3cret" } } do
      local _, message = pcall(clients.curl_command, r)
      assert.falsy(message:find("s3cret", 1, true), message)
    end
  end)

  it("raises with the position of the caller's line", function()
    local _, message = pcall(function()
      local made = clients.curl(changed { url = "/x" })
      return made
    end)
    assert.truthy(message:find("clients_spec.lua:%d+: endpoint.clients: url"), message)
  end)
end)
