-- For nginx: endpoints of the API that fails, by the group of servers `two` and by a name that a
-- resolver finds.
-- luacheck: globals ngx
local endpoint = require "endpoint"

local function endpoint_at(host)
  return endpoint.defaults {
    baseUrl = "http://" .. host .. "/api",
    headers = { authorization = "ours" },
  }
end

return {
  two = endpoint_at "two.test",
  moving = endpoint_at("moving.test:" .. ngx.var.server_port),
}
