-- Reads a stream of events that comes in random pieces. Prints how many events are right.
-- Argument: the seed.
local Events = require "endpoint.request.sinks.events"
local random = require "support".random(tonumber(arg[1]))

-- The stream, and the data of its events.
local lines, expected = {}, {}
for number = 1, 300 do
  local data = ("x"):rep(random(12)) .. number
  expected[number] = random(2) == 1 and data or data .. "\nmore"
  lines[number] = "data: " .. expected[number]:gsub("\n", "\ndata: ") .. "\n\n"
end
local text = table.concat(lines)

local got = {}
local events = Events.new(function(event)
  got[#got + 1] = event.data
  return true
end, 1000)

local at = 1
while at <= #text do
  local size = random(60)
  assert(events:write(text:sub(at, at + size - 1)))
  at = at + size
end

local right = 0
for number, data in ipairs(expected) do
  right = right + (got[number] == data and 1 or 0)
end
print(("%d of %d"):format(right, #got))
