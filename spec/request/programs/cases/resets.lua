-- Responses that a reset of TCP ends, over http. What TLS makes of one is in certificates.lua.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds
local request = require "endpoint.request"

local OK = "HTTP/1.1 200 OK\r\n"
local CHUNKED = OK .. "transfer-encoding: chunked\r\n\r\n"

-- What a call raises that is answered with these bytes and a reset. It is tried once.
local function cut_off(text, settings, more)
  settings.tries = 1
  return sending.message_of(sending.with(settings), "GET /reset", {
    text = text,
    request = more,
  })
end

for what, text in pairs {
  ["no body yet"] = OK .. "\r\n",
  ["a body without a length"] = OK .. "\r\nid,amount\n1,100\n2,2",
  ["a body of HTTP/1.0"] = "HTTP/1.0 200 OK\r\n\r\nid,amount\n1,100\n2,2",
  ["a long body without a length"] = OK .. "\r\n{9000|abc}",
  ["a megabyte without a length"] = OK .. "\r\n{400000|abc}",
  ["a megabyte with a length"] = OK .. "content-length: 2000000\r\n\r\n{400000|abc}",
  ["a body with a length"] = OK .. "content-length: 99\r\n\r\nabc",
  ["a body in chunks"] = CHUNKED .. "3\r\nabc\r\n",
  ["a head"] = OK .. "x: y\r\n",
  ["a refusal without a length"] = "HTTP/1.1 422 X\r\n\r\nwhy",
} do
  case("a reset within " .. what .. " is a failure", function()
    local said = cut_off(text, {})
    sending.says("GET /reset: ", said)
    holds(said:find "cut off", said)
  end)
end

case("a reset before a byte of the response is a failure", function()
  sending.says("GET /reset: ", cut_off("", {}))
end)

case("a sink hears that a reset ended its response", function()
  local pieces, told = {}, nil
  local function sink(piece, problem)
    pieces[#pieces + 1] = piece
    told = problem or told
    return true
  end
  local said = cut_off(OK .. "\r\nabc", {}, { sink = sink })
  equal("abc", table.concat(pieces))
  holds(tostring(told):find "cut off", told)
  holds(said:find "cut off", said)
end)

case("lines before a reset are given, and then the call fails", function()
  local lines = {}
  local sink = request.lines(function(line)
    lines[#lines + 1] = line
  end)
  local text = OK .. "content-type: application/x-ndjson\r\n\r\n1\n2\n"
  local said = cut_off(text, {}, { sink = sink })
  equal("1 2", ("%d %d"):format(lines[1], lines[2]))
  holds(said:find "cut off", said)
end)

case("a GET whose response is reset is sent again", function()
  local tries = 0
  local function log(entry)
    tries = tries + (entry.reason and 0 or 1)
  end
  local send = sending.with { tries = 3, log = log }
  sending.message_of(send, "GET /reset", { text = OK .. "\r\nabc" })
  equal(3, tries)
end)
