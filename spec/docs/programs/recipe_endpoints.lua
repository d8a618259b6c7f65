-- For nginx: the modules that the recipes of docs/nginx*.md name, but that of README.md.
local endpoint = require "endpoint"

local function endpoint_at(base, token)
  return endpoint.defaults {
    baseUrl = base,
    headers = { authorization = "Bearer " .. token },
  }
end

-- api_port: that of the API, which the spec is.
local function publish(api_port)
  local here, loaded = "http://127.0.0.1:" .. api_port, package.loaded
  loaded.api = endpoint_at(here .. "/v1", "ours")
  loaded.reports = { a = endpoint_at(here, "a"), b = endpoint_at(here, "b") }
  loaded.tenants = {
    a = endpoint_at("https://a.wild.example/v1", "a"),
    b = endpoint_at("https://b.wild.example/v1", "b"),
  }
  loaded.users, loaded.orders = loaded.reports.a, loaded.reports.b
  loaded.auth = endpoint_at("/auth", "0123").defaults {
    headers = { accept = endpoint.null, ["user-agent"] = endpoint.null },
  }
end

return publish
