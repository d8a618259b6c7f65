-- clients.ngx and ngx_proxy, with a stand-in for nginx. spec/wire runs them in nginx.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local fake_nginx = require "fake_nginx"
local requests = require "requests"
local support = require "support"

local raises, request, UPLOAD = support.client_raises, requests.of, requests.UPLOAD
local JSON = { accept = "a", ["user-agent"] = "u", ["content-type"] = "application/json; charset=utf-8" }
local HEADERS = { accept = "a", ["user-agent"] = "u" }
local STRANGER = { host = "stranger", cookie = "a=1", ["content-length"] = "8" }

local internal = endpoint.defaults { baseUrl = "/internal", headers = HEADERS }
local bare = internal.defaults { headers = { accept = endpoint.null, ["user-agent"] = endpoint.null } }
local api = endpoint.defaults { baseUrl = "https://h.example:8443/v1", headers = HEADERS }
local ngx, ngx_proxy, REWRITE = clients.ngx, clients.ngx_proxy, { phase = "rewrite" }

-- The results of f(...) for such a request of a client, and the request behind it.
local function in_nginx(changes, f, ...)
  local after, ok, first, second = fake_nginx.call(changes, support.call, f, ...)
  if not ok then error(first, 0) end
  return first, second, after
end

-- Asserts that f(r) raises for such a request of a client, and leaves the request alone.
local function refuses(words, changes, f, r)
  local after, ok, message
  raises(words, function()
    after, ok, message = fake_nginx.call(changes, support.call, f, r)
    if not ok then error(message, 0) end
  end)
  assert.same({ changes.method or "POST", changes.headers or STRANGER, "stranger" },
    { after.method, after.headers, after.body })
end

describe("clients.ngx", function()
  local CASES = {
    { "GET /:x", { x = "é", q = "a b" }, "/internal/%C3%A9", { method = 2, args = "q=a%20b" }, HEADERS },
    { "HEAD /x", nil, "/internal/x", { method = 4 }, HEADERS },
    { "POST /x{?q}", { q = 1, a = 1 }, "/internal/x", { method = 8, args = "q=1", body = '{"a":1}' }, JSON },
    { "POST /x", nil, "/internal/x", { method = 8, body = "" }, HEADERS },
    { "PATCH /x", nil, "/internal/x", { method = 16384, body = "" }, HEADERS },
    { "DELETE /x", nil, "/internal/x", { method = 32 }, HEADERS },
    { "DELETE /x", { a = 1 }, "/internal/x", { method = 32, body = '{"a":1}' }, JSON },
    { "PUT /x", { data = UPLOAD }, "/internal/x", { method = 16, body = UPLOAD }, HEADERS },
    { "GET /x#f", nil, "/internal/x", { method = 2 }, HEADERS },
  }
  for _, case in ipairs(CASES) do
    it("has the URI and the options of " .. case[1] .. (case[2] and " with values" or "")
      .. ", and makes the request around it one with its headers and no body", function()
      local path, options, after = in_nginx({}, ngx, internal(case[1], case[2]))
      assert.same({ case[3], case[4] }, { path, options })
      assert.same({ case[5], "", "POST" }, { after.headers, after.body, after.method })
    end)
  end

  it("changes nothing in the rewrite and access phases", function()
    for _, phase in ipairs { "rewrite", "access" } do
      local path, options, after = in_nginx({ phase = phase }, ngx, bare "GET /x?a=1")
      assert.same({ "/internal/x", { method = 2, args = "a=1", body = "" } }, { path, options })
      assert.same({ STRANGER, "stranger" }, { after.headers, after.body })
    end
  end)

  it("accepts any other path and any query", function()
    local rest = {}
    for byte = 32, 255 do
      local char = string.char(byte)
      if not char:find("[/\\;?#%%\127]") then rest[#rest + 1] = char end
    end
    local x = table.concat(rest)
    local path, options = in_nginx({}, ngx, internal("/a;b/..c/d..{;m}/:x", { x = x, m = 1, q = "/\0%../;\\\r\n" }))
    assert.equal("/internal/a;b/..c/d..;m=1/" .. internal("/:x", { x = x }).url:match "[^/]*$", path)
    assert.equal("q=%2F%00%25..%2F%3B%5C%0D%0A", options.args)
  end)
end)

describe("clients.ngx_proxy", function()
  local function with(headers, more)
    local all = { host = "h.example:8443" }
    for name, value in pairs(headers) do all[name] = value end
    for name, value in pairs(more or {}) do all[name] = value end
    return all
  end

  local CASES = {
    { "GET /:x", { x = "a/b", q = "é" }, "https://h.example:8443/v1/a%2Fb?q=%C3%A9", 2, with(HEADERS), "" },
    { "DELETE /x", nil, "https://h.example:8443/v1/x", 32, with(HEADERS), "" },
    { "POST /x", { a = 1 }, "https://h.example:8443/v1/x", 8, with(JSON, { ["content-length"] = "7" }), '{"a":1}' },
    { "PATCH /x", nil, "https://h.example:8443/v1/x", 16384, with(HEADERS, { ["content-length"] = "0" }), "" },
    { "GET http://u:p@[::1]/x#f", nil, "http://[::1]/x", 2,
      with(HEADERS, { host = "[::1]", authorization = "Basic dTpw" }), "" },
    { "GET /x", { headers = { host = "other.example" } }, "https://h.example:8443/v1/x", 2,
      with(HEADERS, { host = "other.example" }), "" },
  }
  for _, case in ipairs(CASES) do
    it("makes of the client's request " .. case[1] .. (case[2] and " with values" or ""), function()
      for _, phase in ipairs { "rewrite", "access" } do
        local target, nothing, after = in_nginx({ phase = phase }, ngx_proxy, api(case[1], case[2]))
        assert.same({ case[3], nil, case[4], case[5], case[6] },
          { target, nothing, after.method, after.headers, after.body })
      end
    end)
  end

  it("takes HEAD for HEAD, and values with bytes from 0x80 on", function()
    local target, _, after = in_nginx({ phase = "access", method = "HEAD" }, ngx_proxy, api "HEAD /x")
    assert.same({ "https://h.example:8443/v1/x", 4 }, { target, after.method })
    assert.truthy((in_nginx(REWRITE, ngx_proxy, api("/x", { headers = { ["x-a"] = "\t\128\255" } }))))
  end)

  it("raises if a header of the client stays", function()
    local request_with = { phase = "rewrite", headers = { ["x(y)"] = "1" } }
    raises("a header of the client stays", in_nginx, request_with, ngx_proxy, api "/x")
  end)

  it("takes an encoder, and no other option", function()
    local _, _, after = in_nginx(REWRITE, ngx_proxy, api("POST /x", { a = 1 }),
      { encode = function(body) return "a=" .. body.a end })
    assert.equal("a=1", after.body)
    raises({ "options", '"canonical"' }, in_nginx, REWRITE, ngx_proxy, api "/x", { canonical = true })
  end)
end)

describe("inside nginx", function()
  local function header(value) return { headers = { ["x-a"] = value } } end

  -- words of the error, request of the client, function, what it gets
  local REFUSED = {
    { { "clients.ngx", "rewrite, access or content", "got log" }, { phase = "log" }, ngx, internal "/x" },
    { { "headers", "rewrite phase", "proxy_set_header" }, REWRITE, ngx, internal "/x" },
    { { "headers", "access phase", "proxy_set_header" }, { phase = "access" }, ngx, internal "/x" },
    { { "clients.ngx", "subrequest" }, { is_subrequest = true }, ngx, internal "/x" },
    { { "clients.ngx", "HTTP/0.9" }, { version = 0.9 }, ngx, internal "/x" },
    { { 'header "x-a"', "empty" }, {}, ngx, internal("/x", header "") },
    { { 'header "x-a"', "control" }, {}, ngx, internal("/x", header "b\27") },
    { { "url", "path of this server" }, {}, ngx, request "get" },
    { { "url", "path of this server" }, {}, ngx, { method = "get", url = "//h/x", headers = {} } },
    { { "method OK", "constant" }, {}, ngx, internal "OK /x" },
    { { "clients.ngx_proxy", "subrequest" }, { phase = "rewrite", is_subrequest = true }, ngx_proxy, api "/x" },
    { { "clients.ngx_proxy", "HTTP/0.9" }, { phase = "rewrite", version = 0.9 }, ngx_proxy, api "/x" },
    { { "method HEAD", "the client sent GET" }, { phase = "access", method = "GET" }, ngx_proxy, api "HEAD /x" },
    { { "body", "function" }, REWRITE, ngx_proxy, { method = "post", url = "http://h/", body = function() end } },
    { { "url", "clients.ngx" }, REWRITE, ngx_proxy, internal "/x" },
  }
  local function add(...) REFUSED[#REFUSED + 1] = { ... } end
  for _, phase in ipairs { "init", "set", "content", "header_filter", "body_filter", "log", "timer", "balancer" } do
    add({ "clients.ngx_proxy", "rewrite or access", "got " .. phase }, { phase = phase }, ngx_proxy, api "/x")
  end
  for _, method in ipairs { "QUERY", "OK", "PURGE" } do
    add({ "method " .. method, "constant" }, REWRITE, ngx_proxy, api(method .. " /x"))
  end
  for _, method in ipairs { "GET", "POST" } do
    local sent = { "method " .. method, "the client sent HEAD" }
    add(sent, { phase = "access", method = "HEAD" }, ngx_proxy, api(method .. " /x"))
  end
  for _, value in ipairs { "", "\1", "\27[31m", "a\127", "a\0311" } do
    add({ 'header "x-a"', "control" }, REWRITE, ngx_proxy, api("/x", header(value)))
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
