-- For nginx: the request of requests.lua that the query names: ?number=1.
-- luacheck: globals ngx
local clients = require "endpoint.clients"
local requests = require "clients.requests"

local requested = {}

-- As options.variables: it lets each header pass.
requested.EACH_HEADER = setmetatable({}, {
  __index = function()
    return false
  end,
})

-- The base URL of the server that says what reached it.
function requested.base()
  return "http://127.0.0.1:" .. ngx.var.server_port
end

-- Gives the request to a client: true and what that returns, or false and its message.
function requested.given_to(client, base, options)
  local request = requests.sent[tonumber(ngx.var.arg_number)]
  return pcall(clients[client], requests.result(request, base), options)
end

return requested
