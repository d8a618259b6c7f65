-- The locations that the README in this folder shows, in a real nginx, with these addresses. The
-- spec plays the API; over TLS the echo of the same nginx does.
local echo = require "wire.echo"
local examples = require "examples"
local json = require "cjson"
local server = require "wire.server"
local support = require "support"
local wire = require "wire.wire"

local BLOCKS = examples.blocks_in(support.read "spec/wire/README.md", "nginx")
local PATHS = table.remove(BLOCKS, 1).code

-- The endpoints that the recipes name.
local ENDPOINTS = [[
lua_shared_dict connections 1m;
init_by_lua_block {
  local endpoint = require "endpoint"
  local null = endpoint.null
  package.loaded.api = endpoint.defaults {
    baseUrl = "http://127.0.0.1:@API@/v1", headers = { authorization = "Bearer ours" },
  }
  package.loaded.auth = endpoint.defaults { baseUrl = "/auth", headers = { accept = null, ["user-agent"] = null } }
  package.loaded.github = endpoint.defaults {
    baseUrl = "https://api.github.com", headers = { authorization = "Bearer github" },
  }
}
]]

-- Counts the connections to the echo, and has a second name for it that no certificate has.
local COUNTED = [[
location /repos/ { content_by_lua_block {
  if ngx.var.connection_requests == "1" then ngx.shared.connections:incr("new", 1, 0) end
  require "wire.echo".answer()
} }
location = /connections { content_by_lua_block { ngx.print(ngx.shared.connections:get "new") } }
location = /other { set $target "";
  rewrite_by_lua_block {
    local r = require "endpoint" "GET https://other.example/repos/lua/lua/readme"
    ngx.var.target = require "endpoint.clients".ngx_proxy(r)
  }
  proxy_pass $target; proxy_ssl_server_name on; proxy_ssl_verify on;
  proxy_ssl_trusted_certificate certificate.pem;
}
]]

-- Puts the addresses of this run into a recipe.
local function at_home(text, api)
  return (text:gsub("api%.github%.com:443", "127.0.0.1:@TLS@"):gsub("127%.0%.0%.1:808[12]", "127.0.0.1:" .. api.port)
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem"):gsub("@API@", api.port))
end

local function locations_of(api)
  local upstream, location = BLOCKS[1].code:match "^(upstream.-\n}\n)\nserver {\n(.*)}\n$"
  local other = upstream:gsub("upstream api.github.com", "upstream other.example")
  local more = location .. BLOCKS[2].code .. BLOCKS[3].code .. COUNTED
  return at_home(more, api), at_home(upstream .. other .. ENDPOINTS, api)
end

describe("the recipe", function()
  local running, api

  setup(function()
    api = wire.listen()
    running = echo.start(locations_of(api))
  end)

  before_each(function() api.answer = wire.response(200, "answered") end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[alert]", 1, true), log)
  end)

  local function fetch(path)
    return server.shell(("curl -s -m 20 -H 'authorization: Bearer stranger' http://127.0.0.1:%d%s")
      :format(running.port, path))
  end

  it("of a group keeps one connection open, over TLS, to the name of the certificate", function()
    for _ = 1, 20 do
      local seen = json.decode(echo.from_hex(fetch "/readme"))
      assert.equal("/repos/lua/lua/readme", seen.uri)
      assert.same({ "api.github.com", "Bearer github" }, { seen.headers.host, seen.headers.authorization })
    end
    assert.equal("1", fetch "/connections")
    assert.truthy(fetch("/other"):find("502", 1, true))
    assert.truthy(support.read(running.directory .. "/error.log"):find("does not match", 1, true))
    assert.equal("1", fetch "/connections")
  end)

  local OWN = "Authorization: Bearer stranger\r\nCookie: a=1\r\n"

  for name, body in pairs {
    ["a body"] = "Content-Length: 3\r\n\r\nabc",
    ["a body in chunks"] = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  } do
    it("of a question gives each its own token: with " .. name, function()
      api.answer = "HTTP/1.1 204 X\r\nconnection: close\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { "POST /app/x HTTP/1.1\r\nHost: x\r\n" .. OWN .. body })
      assert.equal(204, (wire.response_of(back)))
      assert.equal(2, #seen)
      local question, request = wire.parse(seen[1]), wire.parse(seen[2])
      assert.equal("GET /auth/check?path=%2Fapp%2Fx", question.line)
      assert.equal("0", question.headers["content-length"] or "0")
      question.headers["content-length"] = nil
      assert.same({ { authorization = "Bearer 0123", host = "127.0.0.1:" .. api.port }, "" },
        { question.headers, question.rest })
      assert.equal("POST /app/x", request.line)
      assert.same({ { authorization = "Bearer stranger", cookie = "a=1", ["content-length"] = "3",
        host = "127.0.0.1:" .. api.port }, "abc" }, { request.headers, request.rest })
    end)
  end

  it("of a question stops a request that the service refuses", function()
    local seen, back = wire.exchange(running.port, api, { "GET /app/x HTTP/1.1\r\nHost: x\r\n\r\n" })
    assert.same({ 1, 403 }, { #seen, (wire.response_of(back)) })
  end)

  for path, expected in pairs {
    ["/files/a%2Fb//c%20d/?x=%26&y&y2=1&y2=2"] = "/v1/a%2Fb//c%20d/?x=%26&y=&y2=1&y2=2",
    ["/files/a?y&z=1&y=2&y"] = "/v1/a?y=&y=2&y=&z=1",
    ["/files/"] = "/v1/",
    ["http://evil.example/files/a"] = "/v1/a",
    ["/files/a?x=../b"] = "/v1/a?x=..%2Fb",
  } do
    it("of a path sends it as the client wrote it: " .. path, function()
      local seen = wire.exchange(running.port, api, { "GET " .. path .. " HTTP/1.1\r\nHost: x\r\n" .. OWN .. "\r\n" })
      local request = wire.parse(seen[1])
      assert.equal("GET " .. expected, request.line)
      assert.same({ "Bearer ours", nil }, { request.headers.authorization, request.headers.cookie })
    end)
  end

  for _, path in ipairs { "/%66iles/a", "//files/a", "/x/../files/a", "/files/a/../b", "/files/a/%2e%2E/b", "/files/.",
    "/files/x?" .. ("a&"):rep(101) } do
    it("of a path refuses " .. path:sub(1, 40), function()
      local seen, back = wire.exchange(running.port, api, { "GET " .. path .. " HTTP/1.1\r\nHost: x\r\n\r\n" })
      assert.same({ 0, 400 }, { #seen, (wire.response_of(back)) })
    end)
  end
end)

describe("the recipe of an installation elsewhere", function()
  local prefix

  setup(function()
    prefix = server.shell "mktemp -d"
    server.shell("env -u MAKEFLAGS -u MAKELEVEL make -s install LUA=luajit PREFIX=" .. prefix)
  end)

  teardown(function() server.shell("rm -r " .. prefix) end)

  it("lets nginx find the module and the clients there alone", function()
    local own, count = PATHS:gsub("/opt/endpoint/", prefix .. "/")
    assert.equal(2, count)
    local running = server.start(own, nil, "/nowhere")
    local status = server.shell(("curl -s -m 20 -o /dev/null -w '%%{http_code}' 'http://127.0.0.1:%d/proxy?name=..'")
      :format(running.port))
    local log = server.stop(running)
    assert.equal("400", status, log)
    assert.truthy(log:find('endpoint: parameter "name"', 1, true), log)
  end)
end)
