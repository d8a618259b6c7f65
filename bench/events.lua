-- Server-sent events: prints the milliseconds of CPU that request.events takes for the 100,000
-- events of a file, read in pieces as a socket gives them. bench/events.mjs is its peer.
--   events.lua FILE
local request = require "endpoint.request"

local PIECE, EVENTS = 16384, 100000

local file = assert(io.open(arg[1], "rb"))
local pieces = {}
for piece in file:lines(PIECE) do
  pieces[#pieces + 1] = piece
end
file:close()

local function milliseconds()
  local count, bytes = 0, 0
  local sink = request.events(function(event)
    count, bytes = count + 1, bytes + #event.data
  end)
  local began = os.clock()
  for _, piece in ipairs(pieces) do
    assert(sink(piece))
  end
  local took = os.clock() - began
  sink(nil)
  assert(count == EVENTS and bytes > 0, count .. " events")
  return took * 1000
end

local fastest = math.huge
for _ = 1, 5 do
  fastest = math.min(fastest, milliseconds())
end
print(("%.1f"):format(fastest))
