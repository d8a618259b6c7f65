-- Pauses for half a minute since a server, which is a function here, asks for it. With the argument
-- "pool" it pauses in a job of a pool.
local endpoint, request = require "endpoint", require "endpoint.request"

local function busy()
  return 429, { ["retry-after"] = "30" }, ""
end

local api = endpoint.defaults { baseUrl = "http://h" }
if arg[1] == "pool" then
  local pool = request.pool { at_once = 2 }
  local send = request.new(api, { client = busy, sleep = pool.sleep })
  pool.run({ 1, 2 }, function()
    send "GET /x"
  end)
else
  request.new(api, { client = busy }) "GET /x"
end
