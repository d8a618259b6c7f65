-- Bodies that are streams, and answers that go to a sink.
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

local LONG = ("x"):rep(300000)

case("the pieces of a stream are sent in their order", function()
  local parts = { "a", "b" }
  local function stream()
    return table.remove(parts, 1)
  end
  equal("ab", (sending.send("PUT /echo", { data = stream })))
end)

case("a stream that breaks off raises what it says", function()
  local function stream()
    return nil, "broke off"
  end
  local said = sending.message_of(sending.send, "PUT /echo", { data = stream })
  equal("PUT /echo: broke off", said)
end)

local PROMISE = "the 5 bytes that content-length promises"
for what, stream in pairs {
  ["gives too few bytes"] = {
    pieces = { "abc" },
    said = "the function gave 3 of " .. PROMISE,
  },
  ["gives too many bytes"] = {
    pieces = { "abc", "def" },
    said = "the function gave more than " .. PROMISE,
  },
  ["gives a number"] = {
    pieces = { 7 },
    said = "expected strings from the function, got a number",
  },
} do
  case("a stream that " .. what .. " is no lost connection", function()
    local send = sending.with {}
    send "GET /head" -- the next request may have its connection
    local ok, failure = pcall(send, "PUT /echo", {
      data = function()
        return table.remove(stream.pieces, 1)
      end,
      headers = { ["content-length"] = 5 },
    })
    equal(false, ok)
    equal("PUT /echo: endpoint.clients: body: " .. stream.said, failure.message)
    equal("stream", failure.reason)
  end)
end

case("a long answer goes to a sink in pieces, with its response, and not to the caller", function()
  local pieces, ends, responses = {}, 0, {}
  local function sink(piece, response)
    if piece then
      pieces[#pieces + 1], responses[response] = piece, true
    else
      ends = ends + 1
    end
  end
  local options = { data = LONG, request = { sink = sink } }
  local value, answer = sending.send("POST /echo", options)
  equal(nil, value)
  equal("", answer.text)
  holds(table.concat(pieces) == LONG, "expected the pieces to be the body")
  equal(1, ends, "the ends of the answer")
  equal(answer, next(responses), "the response of the sink")
  equal(nil, next(responses, answer), "another response of the sink")
end)

case("a sink that takes no more ends the call by what it says", function()
  local function full()
    return nil, "full"
  end
  local options = { data = LONG, request = { sink = full } }
  equal("POST /echo: full", sending.message_of(sending.send, "POST /echo", options))
end)

case("an answer longer than max_size is refused", function()
  local options = { data = LONG, request = { max_size = 1000 } }
  local said = sending.message_of(sending.send, "POST /echo", options)
  equal("POST /echo: the response is too long", said)
end)

case("a sink that raises an error ends the call by that error", function()
  local function raising(piece)
    if piece then
      error("mine", 0)
    end
  end
  local options = { request = { sink = raising } }
  equal("mine", sending.message_of(sending.send, "GET /head", options))
end)

case("HEAD has no body", function()
  equal(nil, (sending.send "HEAD /head"))
end)

case("an answer without a byte has no body", function()
  equal(nil, (sending.send "DELETE /echo"))
end)
