-- Asks a server that accepts a connection and says nothing while TLS begins, and one at an IPv6
-- address. Arguments: the client, and the port of the second server, or "none" where there is no
-- IPv6. Prints what each call raises.
local endpoint, request, socket = require "endpoint", require "endpoint.request", require "socket"
local client, port = arg[1], arg[2]

local function said(base, settings)
  settings.client, settings.tries = client, 1
  local _, problem = pcall(request.new(endpoint.defaults { baseUrl = base }, settings), "GET /x")
  return (tostring(problem):gsub("^%S*%.lua:%d+: ", ""))
end

local silent = socket.bind("127.0.0.1", 0)
local place = "https://127.0.0.1:" .. select(2, silent:getsockname())
print(said(place, { connect_timeout = 0.5, timeout = 50 }))
print(said(place, { timeout = 0.5 }))
if port ~= "none" then
  print(said("http://[::1]:" .. port, {}))
end
