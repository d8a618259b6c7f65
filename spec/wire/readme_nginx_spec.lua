-- The README's location for nginx, in a real one, with these addresses: the module github.lua is
-- that of the README's first requests, and the API is the echo of the same nginx, over TLS.
local echo = require "wire.echo"
local examples = require "examples"
local json = require "cjson"
local server = require "wire.server"
local support = require "support"

local README = support.read "README.md"

-- The statement of the first requests that makes the endpoint, as a module.
local function module_code()
  local statement = examples.blocks_in(README, "lua")[1].code:match "\nlocal token = .-\n}\n"
  return 'local endpoint = require "endpoint"' .. statement:gsub("local github =", "return")
end

-- What the recipe has outside its server, and its location.
local function parts()
  local code = examples.blocks_in(README, "nginx")[1].code:gsub("api%.github%.com:443", "127.0.0.1:@TLS@")
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem")
  return code:match "^(.-\n)server {\n(.*)}\n$"
end

describe("the README's location for nginx", function()
  local running

  setup(function()
    local outside, location = parts()
    local init = ("init_by_lua_block { package.preload.github = loadstring [==[%s]==] }"):format(module_code())
    running = echo.start(location, outside .. init)
  end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
  end)

  it("asks the API, with nothing of the client's request", function()
    local text = server.shell(("curl -s -m 20 -H 'authorization: Bearer stranger' -H 'x-original-url: /admin' "
      .. "-H 'cookie: a=b' -X DELETE -d 'q=1' 'http://127.0.0.1:%d/repos?per_page=100'"):format(running.port))
    local seen = json.decode(echo.from_hex(text))
    assert.same({ "GET", "/orgs/luarocks/repos?per_page=2", 0 }, { seen.method, seen.uri, seen.length })
    seen.headers.connection = nil
    assert.same({ host = "api.github.com", accept = "application/vnd.github+json", ["user-agent"] = "my-program/1.0",
      authorization = "Bearer 0123" }, seen.headers)
  end)
end)
