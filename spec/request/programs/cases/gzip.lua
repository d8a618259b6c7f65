-- Answers in gzip, which are unpacked where lua-zlib is installed.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

local has_zlib = pcall(require, "zlib")

case("gzip is asked for where lua-zlib is installed, and nowhere else", function()
  local head = sending.send "GET /head"
  equal(has_zlib, head:find "[Aa]ccept%-[Ee]ncoding: gzip\r" ~= nil)
end)

case("the host is the first field of a request", function()
  equal("host:", sending.send("GET /head"):match("^%S+"):lower())
end)

case("a packed answer is unpacked", function()
  holds(sending.send "GET /packed?times=100" == ("x"):rep(1000000), "another body")
end)

case(
  "a packed answer is unpacked in pieces for a sink, and its headers say nothing of it",
  function()
    local size, most, response = 0, 0, nil
    local function sink(piece, answer)
      if piece then
        size, most, response = size + #piece, math.max(most, #piece), answer
      end
    end
    sending.send("GET /packed?times=100", { request = { sink = sink } })
    equal(1000000, size)
    holds(most < 1100000, "a piece of " .. most .. " bytes")
    equal(200, response.status)
    equal("text/x", response.headers["content-type"])
    equal(nil, response.headers["content-encoding"])
  end
)

case("a packed answer longer than max_size is refused", function()
  local strict = sending.with { max_size = 1000000 }
  local said = sending.message_of(strict, "GET /packed?times=10000")
  equal("GET /packed: the response is too long", said)
end)

case("a program that asks for gzip itself gets the bytes as they came", function()
  local options = { headers = { ["accept-encoding"] = "gzip" } }
  local packed, answer = sending.send("GET /packed?times=100", options)
  holds(#packed < 10000, #packed .. " bytes")
  equal("gzip", answer.headers["content-encoding"])
end)

-- "aaa" in gzip.
local AAA = "\31\139\8\0\0\0\0\0\2\3\75\76\76\4\0\45\115\7\240\3\0\0\0"
local FAILED = "GET /answer: the response"

-- title: what the answer is. text: its bytes. said: what the call returns or raises.
for _, row in ipairs {
  { title = "of one member is read", text = AAA, said = "aaa" },
  { title = "of two members is read", text = AAA .. AAA, said = "aaaaaa" },
  {
    title = "of members that are longer than max_size together is refused",
    text = AAA:rep(20),
    said = FAILED .. " is too long",
  },
  {
    title = "without its last 8 bytes is cut off",
    text = AAA:sub(1, -9),
    said = FAILED .. " is cut off",
  },
  {
    title = "whose second member lacks its last 8 bytes is cut off",
    text = AAA .. AAA:sub(1, -9),
    said = FAILED .. " is cut off",
  },
  {
    title = "with a byte after it is refused",
    text = AAA .. "x",
    said = FAILED .. "'s gzip data is invalid",
  },
  {
    title = "that is not gzip is refused",
    text = "nothing",
    said = FAILED .. "'s gzip data is invalid",
  },
} do
  case("a gzip answer " .. row.title, function()
    local strict = sending.with { max_size = 50 }
    local route = "GET /answer?coding=gzip{&text}"
    local said = sending.outcome(strict, route, { text = row.text })
    local expected = has_zlib and row.said
      or FAILED .. " has an encoding that was not asked for: gzip"
    equal(expected, said)
  end)
end
