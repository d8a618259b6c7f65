-- What clients.ngx and ngx_proxy refuse, and their options, with a stand-in for nginx. nginx_wire_spec and
-- clients_wire_spec send with them in nginx itself.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local requests = require "clients.requests"
local support = require "support"

local raises, request = support.client_raises, requests.of
local HEADERS = { accept = "a", ["user-agent"] = "u" }
local STRANGER = { host = "stranger", cookie = "a=1", ["content-length"] = "8" }

-- The given headers beside the two of all requests.
local function with(headers)
  for name, value in pairs(HEADERS) do headers[name] = headers[name] or value end
  return headers
end

local internal = endpoint.defaults { baseUrl = "/internal", headers = HEADERS }
local bare = internal.defaults { headers = { accept = endpoint.null, ["user-agent"] = endpoint.null } }
local api = endpoint.defaults { baseUrl = "https://h.example:8443/v1", headers = HEADERS }
local ngx, ngx_proxy, ACCESS = clients.ngx, clients.ngx_proxy, { phase = "access" }

-- The results of f(...) for such a request of a client, and the request behind it.
local function in_nginx(changes, f, ...)
  local after, ok, first, second = requests.in_nginx(changes, support.call, f, ...)
  if not ok then error(first, 0) end
  return first, second, after
end

-- Asserts that f(r) raises for such a request of a client, and leaves the request alone.
local function refuses(words, changes, f, r)
  local after, ok, message
  raises(words, function()
    after, ok, message = requests.in_nginx(changes, support.call, f, r)
    if not ok then error(message, 0) end
  end)
  assert.same({ changes.method or "POST", changes.headers or STRANGER, "stranger" },
    { after.method, after.headers, after.body })
end

describe("clients.ngx", function()
  it("has the URI and the options, and makes the request around it one with its headers and no body", function()
    local r = internal("PATCH /x{?q}", { q = "a b", a = 1 })
    local path, options, after = in_nginx({}, ngx, r)
    assert.same({ "/internal/x", { method = 16384, args = "q=a%20b", body = '{"a":1}' } }, { path, options })
    assert.same({ with { ["content-type"] = "application/json; charset=utf-8" }, "", "POST" },
      { after.headers, after.body, after.method })
    options = select(2, in_nginx({}, ngx, internal "GET /x"))
    assert.same({ method = 2 }, options)
  end)

  it("changes nothing in the rewrite and access phases", function()
    for _, phase in ipairs { "rewrite", "access" } do
      local path, options, after = in_nginx({ phase = phase }, ngx, bare "GET /x?a=1")
      assert.same({ "/internal/x", { method = 2, args = "a=1", body = "" } }, { path, options })
      assert.same({ STRANGER, "stranger" }, { after.headers, after.body })
    end
  end)

  it("gives headers to variables of the internal location in each phase, and not to the client's request", function()
    for _, phase in ipairs { "rewrite", "access", "content" } do
      local r = bare("GET /x", { headers = { authorization = "Bearer ours" } })
      local given = { variables = { authorization = "token", ["x-b"] = "b" } }
      local _, options, after = in_nginx({ phase = phase }, ngx, r, given)
      assert.same({ token = "Bearer ours", b = "" }, options.vars)
      assert.same(phase == "content" and {} or STRANGER, after.headers)
    end
  end)

  it("accepts any other path and any query", function()
    local rest = {}
    for byte = 32, 255 do
      local char = string.char(byte)
      if not char:find("[/\\;?#%%\127]") then rest[#rest + 1] = char end
    end
    local x = table.concat(rest)
    local path, options = in_nginx({}, ngx, internal("/a;b/..c/d..{;m}/:x#f", { x = x, m = 1, q = "/\0%../;\\\r\n" }))
    assert.equal("/internal/a;b/..c/d..;m=1/" .. internal("/:x", { x = x }).url:match "[^/]*$", path)
    assert.equal("q=%2F%00%25..%2F%3B%5C%0D%0A", options.args)
  end)
end)

describe("clients.ngx_proxy", function()
  local ROWS = {
    { api "GET http://u:p@[::1]/x#f", "http://[::1]/x", 2, with { host = "[::1]", authorization = "Basic dTpw" }, "",
      { authorization = false } },
    { api "GET http://u:p@h/x#f", "http://h/x", 2, with { host = "h" }, "",
      { authorization = "token", ["x-a"] = "a", ["x-b"] = false }, { token = "Basic dTpw", a = "" } },
    { api("GET /x", { headers = { host = "other.example" } }), "https://h.example:8443/v1/x", 2,
      with { host = "other.example" }, "" },
    { api("PUT /x?q", { data = "text", headers = { ["accept-language"] = "\t\128\255" } }),
      "https://h.example:8443/v1/x?q", 16,
      with { host = "h.example:8443", ["content-length"] = "4", ["accept-language"] = "\t\128\255" }, "text" },
  }
  for _, row in ipairs(ROWS) do
    it("makes of the client's request " .. row[1].method .. " " .. row[2] .. " " .. row[5]:sub(1, 1), function()
      for _, phase in ipairs { "rewrite", "access" } do
        local options = { phase = phase, variables = row[6] }
        local target, nothing, after = in_nginx({ phase = phase }, ngx_proxy, row[1], options)
        assert.same({ row[2], nil, row[3], row[4], row[5], row[7] or {} },
          { target, nothing, after.method, after.headers, after.body, after.var })
      end
    end)
  end

  it("raises if a header of the client stays", function()
    local request_with = { phase = "access", headers = { ["x(y)"] = "1" } }
    raises("a header of the client stays", in_nginx, request_with, ngx_proxy, api "/x")
  end)

  it("takes an encoder, and no other option", function()
    local _, _, after = in_nginx(ACCESS, ngx_proxy, api("POST /x", { a = 1 }),
      { encode = function(body) return "a=" .. body.a end })
    assert.equal("a=1", after.body)
    raises({ "options", '"canonical"' }, in_nginx, ACCESS, ngx_proxy, api "/x", { canonical = true })
  end)
end)

describe("inside nginx", function()
  local function header(value) return { headers = { ["x-a"] = value } } end
  local PROXY_OPTIONS = {
    { { "options.pass", "table" }, { pass = "range" } }, { { "options.pass", "lower case" }, { pass = { "Range" } } },
    { { "options.variables", "names of headers" }, { variables = { "token" } } },
    { { "options.variables", "names of headers" }, { variables = { authorization = true } } },
    { { "options.phase", '"access" or "rewrite"' }, { phase = "content" } },
    { { "options.body", '"client"' }, { body = true } }, { { "body", "GET takes none" }, { body = "client" } },
    { { "expected the rewrite phase", "got access" }, { phase = "rewrite" } },
    { { "body", "expected none beside" }, { body = "client" }, api("POST /x", { a = 1 }) },
    { { 'header "x-a"', "error_page", 'x-a = "name"' }, {}, api("/x", { headers = { ["x-a"] = "b" } }) },
  }

  -- words of the error, request of the client, function, what it gets
  local REFUSED = {
    { { "clients.ngx", "rewrite, access or content", "got log" }, { phase = "log" }, ngx, internal "/x" },
    { { "headers", "rewrite phase", "proxy_set_header" }, { phase = "rewrite" }, ngx, internal "/x" },
    { { "headers", "access phase", "proxy_set_header" }, { phase = "access" }, ngx, internal "/x" },
    { { "clients.ngx", "subrequest" }, { is_subrequest = true }, ngx, internal "/x" },
    { { "clients.ngx", "HTTP/0.9" }, { version = 0.9 }, ngx, internal "/x" },
    { { 'header "x-a"', "empty" }, {}, ngx, internal("/x", header "") },
    { { 'header "x-a"', "control" }, {}, ngx, internal("/x", header "b\27") },
    { { "url", "path of this server" }, {}, ngx, request "get" },
    { { "url", "expected http://" }, {}, ngx, { method = "get", url = "//h/x", headers = {} } },
    { { "method OK", "constant" }, {}, ngx, internal "OK /x" },
    { { "clients.ngx_proxy", "subrequest" }, { phase = "access", is_subrequest = true }, ngx_proxy, api "/x" },
    { { "clients.ngx_proxy", "access phase, got rewrite", "limit_req and auth_request", 'options.phase = "rewrite"' },
      { phase = "rewrite" }, ngx_proxy, api "/x" },
    { { 'header "x-a"', "locations that error_page" }, {}, ngx, internal("/x", header "b") },
    { { "clients.ngx_proxy", "HTTP/0.9" }, { phase = "access", version = 0.9 }, ngx_proxy, api "/x" },
    { { "method HEAD", "the client sent GET" }, { phase = "access", method = "GET" }, ngx_proxy, api "HEAD /x" },
    { { "body", "function" }, ACCESS, ngx_proxy, { method = "post", url = "http://h/", body = function() end } },
    { { "url", "clients.ngx" }, ACCESS, ngx_proxy, internal "/x" },
  }
  local function add(...) REFUSED[#REFUSED + 1] = { ... } end
  for _, phase in ipairs { "init", "set", "content", "header_filter", "body_filter", "log", "timer", "balancer" } do
    add({ "clients.ngx_proxy", "expected the access phase", "got " .. phase }, { phase = phase }, ngx_proxy, api "/x")
  end
  for _, name in ipairs { "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "content-length", "expect", "host" } do
    table.insert(PROXY_OPTIONS, { { "options.pass", name .. " belongs to one connection" }, { pass = { "range", name } } })
  end
  for _, name in ipairs { "", "a{", "a`", "a/", "a:", "a," } do
    table.insert(PROXY_OPTIONS, { { "options.pass", "lower case" }, { pass = { name } } })
  end
  for _, row in ipairs(PROXY_OPTIONS) do
    add(row[1], { phase = "access", method = "POST" }, function(r) return (ngx_proxy(r, row[2])) end, row[3] or api "/x")
  end
  for _, method in ipairs { "QUERY", "OK", "PURGE" } do
    add({ "method " .. method, "constant" }, ACCESS, ngx_proxy, api(method .. " /x"))
  end
  for _, method in ipairs { "GET", "POST" } do
    local sent = { "method " .. method, "the client sent HEAD" }
    add(sent, { phase = "access", method = "HEAD" }, ngx_proxy, api(method .. " /x"))
  end
  for _, value in ipairs { "", "\1", "\8", "\11", "\27[31m", "a\127", "a\0311" } do
    add({ 'header "x-a"', "control" }, ACCESS, ngx_proxy, api("/x", header(value)))
  end
  for byte = 0, 127 do -- decoding would change such a path
    if byte < 32 or ("/\\;?#%\127"):find(string.char(byte), 1, true) then
      local words = { "url", "decodes the path", ("%%%02X"):format(byte), "in the query", "ngx_proxy" }
      add(words, {}, ngx, internal("/:x", { x = "a" .. string.char(byte) .. "b" }))
      add({ "url", "decodes the path" }, {}, ngx, { method = "get", url = ("/a%%%02x?q"):format(byte) })
    end
  end
  for _, path in ipairs { "/a/../b", "/..", "/.", "/a/./b", "/a/%2e%2E/b", "/a/.%2e?q", "/%2E" } do
    add({ "url", "segments", ". and ..", "ngx_proxy" }, {}, ngx, { method = "get", url = path })
  end
  for i, row in ipairs(REFUSED) do
    it(("is refused, %d: %s"):format(i, row[1][2]), function() refuses(support.unpack(row)) end)
  end

  it("is not where ngx is missing, or not nginx's", function()
    local function phase() return "content" end
    for _, stranger in ipairs { false, {}, true, "ngx", print, { get_phase = true, req = {} }, { get_phase = phase } } do
      rawset(_G, "ngx", stranger or nil)
      local results = { ngx = { pcall(ngx, internal "/x") }, ngx_proxy = { pcall(ngx_proxy, api "/x") } }
      rawset(_G, "ngx", nil)
      for name, got in pairs(results) do
        assert.is_false(got[1])
        support.holds(got[2]:find("endpoint.clients: clients." .. name .. ": expected to run inside nginx", 1, true), got[2])
      end
    end
  end)
end)
