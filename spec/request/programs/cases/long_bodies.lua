-- Bodies of a megabyte. LuaJIT reads them in another way than what is short.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

local OK = "HTTP/1.1 200 OK\n"

-- A body whose parts are unlike, and how the server is told to send it.
local BODY, WRITTEN = "", ""
for number = 1, 50 do
  local unit, count = ("%d,"):format(number), 20000 + number
  BODY, WRITTEN = BODY .. unit:rep(count), ("%s{%d|%s}"):format(WRITTEN, count, unit)
end
local HAS_LENGTH = OK .. ("content-length: %d\n\n"):format(#BODY)
local IN_CHUNKS = OK .. "transfer-encoding: chunked\n\n"

-- What a sink gets of an answer, and the message that the call raises, if it does.
local function answered(text, settings, more)
  local pieces = {}
  function settings.sink(piece)
    pieces[#pieces + 1] = piece
    return true
  end
  settings.tries = 1
  local ok, problem = pcall(sending.with(settings), sending.raw(text, more))
  return table.concat(pieces), not ok and tostring(problem) or nil
end

local function is_whole(text)
  local got, problem = answered(text, {})
  equal(nil, problem)
  holds(got == BODY, ("%d of %d bytes, or others"):format(#got, #BODY))
end

case("a long body with a length is whole", function()
  is_whole(HAS_LENGTH .. WRITTEN)
end)

case("a long body in one chunk is whole, without what follows it", function()
  is_whole(("%s%x\n%s\n0\nx: y\n\n"):format(IN_CHUNKS, #BODY, WRITTEN))
end)

case("a long body that the connection ends is whole", function()
  is_whole(OK .. "\n" .. WRITTEN)
end, "plain")

case("a long body that is not for a sink is whole", function()
  holds(sending.with {}(sending.raw(HAS_LENGTH .. WRITTEN)) == BODY, "another body")
end)

case("a long body that is cut off is a failure, and a sink has what came", function()
  local text = OK .. ("content-length: %d\n\n"):format(#BODY + 1)
  local got, problem = answered(text .. WRITTEN, {})
  holds(problem and problem:find "cut off", problem)
  holds(got == BODY, ("%d of %d bytes, or others"):format(#got, #BODY))
end)

case("idle_timeout ends a long body that stops, and a sink has what came", function()
  local text = OK .. ("content-length: %d\n\n"):format(#BODY + 1)
  local got, problem = answered(text .. WRITTEN, { idle_timeout = 0.5 }, { is_held = 1 })
  holds(problem and problem:find "idle_timeout: nothing more came for 0.5 s", problem)
  holds(got == BODY, ("%d of %d bytes, or others"):format(#got, #BODY))
end)
