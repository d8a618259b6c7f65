-- A long response to a file by request.new with the client luasocket. curl is its peer.
--   download.lua URL FILE
local endpoint, request = require "endpoint", require "endpoint.request"

local file = assert(io.open(arg[2], "wb"))
local function sink(piece)
  return piece == nil or file:write(piece)
end
local send = request.new(endpoint.defaults { baseUrl = "" })
send("GET " .. arg[1], { request = { sink = sink } })
assert(file:close())
