-- The arguments that endpoint.clients makes for each HTTP client. lua-http is
-- replaced by a stand-in; spec/wire/clients_spec.lua sends requests with the clients.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local requests = require "requests"
local support = require "support"

local raises = support.client_raises
local api, request, while_loaded = requests.api, requests.of, requests.while_loaded
local BOTH, UPLOAD, GET_URL = requests.HEADERS, requests.UPLOAD, requests.GET_URL
local JSON = { ["content-type"] = "application/json; charset=utf-8" }

-- The given headers beside the two of all requests.
local function with(headers)
  local all = {}
  for name, value in pairs(BOTH) do all[name] = value end
  for name, value in pairs(headers) do all[name] = value end
  return all
end

-- The text of an LTN12 source, which must come in one piece. Nil without a source.
local function drained(source)
  if not source then return nil end
  local text = source()
  assert.not_equal("", text)
  if text then assert.is_nil(source()) end
  return text or ""
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
      assert.equal(made.source ~= nil, made.step ~= nil)
      made.source, made.step = drained(made.source), nil
      assert.same(case[2], made)
    end)
  end

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
    return while_loaded({ ["http.request"] = requests.http_request() }, clients.lua_http, r)
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
      local _, raised = pcall(while_loaded, library, support.call, clients.lua_http, request "get")
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
