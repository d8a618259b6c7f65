-- Proxies that the environment names, and the hosts of no_proxy.
local case, sending = ...
local endpoint = require "endpoint"
local equal = require "support".equal

-- What reached the server of a GET with this setting `proxy` and this list no_proxy.
local function reached_with(proxy, no_proxy)
  local getenv = os.getenv
  local environment = {
    http_proxy = "me:pw@127.0.0.1:" .. sending.getenv "PROXY",
    no_proxy = no_proxy,
  }
  local function own_getenv(name)
    return environment[name]
  end
  local api = endpoint.defaults { baseUrl = sending.getenv "HTTP" }
  os.getenv = own_getenv -- luacheck: ignore 122
  local send = sending.with { api = api, proxy = proxy }
  os.getenv = getenv -- luacheck: ignore 122
  return require "echo".read((send "GET /x?a=b"))
end

case("a host of no_proxy is reached without the proxy", function()
  equal("/x?a=b", reached_with("environment", "a.example,127.0.0.0/8").uri)
end)

case("any other host is reached through the proxy, with its user", function()
  local seen = reached_with("environment", "127.0.0.2,127.0.0.1:1")
  equal("/proxied/x?a=b", seen.uri)
  equal("Basic bWU6cHc=", seen.headers["proxy-authorization"])
end)

case("the environment's proxy is not used unless the setting says so", function()
  equal("/x?a=b", reached_with(nil, "127.0.0.2,127.0.0.1:1").uri)
end)
