-- Calls of servers that are late, silent or endless.
local case, sending = ...
local endpoint, socket = require "endpoint", require "socket"
local equal, holds = require "support".equal, require "support".holds

local OK = "HTTP/1.1 200 OK\n"

-- Seconds after which a call hangs.
local HANGS = 50

case("a late answer is read where idle_timeout is shorter", function()
  equal("late", (sending.with { idle_timeout = 0.3 } "GET /late"))
end)

case("limits of math.huge wait for a late answer", function()
  local huge = math.huge
  local patient = sending.with { timeout = huge, connect_timeout = huge, idle_timeout = huge }
  equal("late", (patient "GET /late"))
end)

case("timeout is named where an answer is late", function()
  local said = sending.message_of(sending.with { timeout = 0.2 }, "GET /late")
  equal("GET /late: timeout: no complete response within 0.2 s", said)
end)

-- The endpoint at a socket that listens.
local function at(listener, scheme)
  local _, port = listener:getsockname()
  return endpoint.defaults { baseUrl = scheme .. "://127.0.0.1:" .. port }
end

case("connect_timeout is named where a server accepts no connection", function()
  local full, fillers = socket.bind("127.0.0.1", 0, 0), {}
  local _, port = full:getsockname()
  for number = 1, 3 do
    fillers[number] = socket.tcp()
    fillers[number]:settimeout(0)
    fillers[number]:connect("127.0.0.1", port)
  end
  local send = sending.with { api = at(full, "http"), connect_timeout = 0.3, tries = 1 }
  local said = sending.message_of(send, "GET /x")
  equal("GET /x: connect_timeout: no connection within 0.3 s", said)
end)

case("a time-out ends a call of a server that says nothing", function()
  local silent = socket.bind("127.0.0.1", 0)
  local api = at(silent, sending.base:match "^%a+")
  local said = sending.message_of(sending.with { api = api, timeout = 0.2 }, "GET /x")
  sending.says("time", said:lower())
end)

-- title: what must hold. settings: of the sender; tries is 1 unless given.
-- text: what the server says; more: what it then says for ever; pause: seconds between two, 0.01
-- unless given; "none" for no pause.
-- said: words that the error must have, in lower case.
for _, row in ipairs {
  {
    title = "idle_timeout ends an answer that stops, and is named",
    settings = { idle_timeout = 0.2, timeout = 25 },
    text = OK .. "content-length: 9\n\nabc",
    said = "idle_timeout: nothing more came for 0.2 s",
  },
  {
    title = "timeout ends a call that has no answer, whatever its tries are",
    settings = { timeout = 0.2, tries = 9 },
    text = "",
    said = "time",
  },
  {
    title = "timeout ends a head without an end",
    settings = { timeout = 0.2 },
    text = OK .. "x: ",
    more = "y",
    said = "time",
  },
  {
    title = "timeout ends a body that is slow",
    settings = { timeout = 0.2 },
    text = OK .. "content-length: 99999\n\n",
    more = "y",
    said = "time",
  },
  {
    title = "timeout ends trailers without an end",
    settings = { timeout = 0.2 },
    text = OK .. "transfer-encoding: chunked\n\n0\nx: ",
    more = "y",
    said = "time",
  },
  {
    title = "timeout ends 100 Continue without an end",
    settings = { timeout = 0.2 },
    text = "",
    more = "HTTP/1.1 100 Continue\r\n\r\n",
    said = "time",
  },
  {
    title = "many heads of 100 Continue are too long",
    settings = { timeout = 100 },
    text = "",
    more = ("HTTP/1.1 100 Continue\r\n\r\n"):rep(100),
    said = "too l",
  },
  {
    title = "idle_timeout does not end a call whose sink has refused a piece",
    settings = {
      idle_timeout = 16,
      sink = function(piece)
        return nil, piece and "in time: " .. piece
      end,
    },
    text = OK .. "\nabc",
    said = "in time: ",
  },
  {
    title = "timeout ends a body without an end that a sink takes",
    settings = {
      timeout = 0.2,
      sink = function()
        return true
      end,
    },
    text = OK .. "content-length: 99999999999\n\n",
    more = ("y"):rep(4000),
    pause = "none",
    said = "time",
  },
} do
  case(row.title, function()
    local settings = { tries = 1 }
    for name, value in pairs(row.settings) do
      settings[name] = value
    end
    local options =
      { is_held = 1, more = row.more, pause = row.more and (row.pause or 0.01) or nil }
    local before = os.time()
    local said = sending.message_of(sending.with(settings), sending.raw(row.text, options))
    local seconds = os.time() - before
    sending.says(row.said, said:lower())
    holds(seconds <= HANGS, "it took " .. seconds .. " s")
  end)
end

case("timeout ends a stream without an end that a server reads", function()
  local function stream()
    return ("x"):rep(999)
  end
  local options = { data = stream, request = { timeout = 0.2 } }
  local said = sending.message_of(sending.send, "PUT /raw?text=&drains=1", options)
  sending.says("time", said:lower())
end)
