-- Many requests at once in a loop. The arguments are a case (see cases.lua) and the loop:
-- wait, sleep, spawn and run, as docs/event-loops.md gives them, and how often the ten bytes of
-- a body are repeated.
local case, loop = ...
local endpoint, request = require "endpoint", require "endpoint.request"
local equal = require "support".equal

-- A sender made when it is first needed: the titles are read where there is no loop.
local send
local function sender()
  send = send
    or request.new(endpoint.defaults { baseUrl = os.getenv "API" }, {
      wait = loop.wait,
      sleep = loop.sleep,
      cafile = os.getenv "CA",
      connect_timeout = 50, -- the server may be at work on the programs inside it
    })
  return send
end

-- Calls f(1) to f(count), each in a coroutine of its own, until all have returned; returns how many
-- have.
local function all(count, f)
  local done = 0
  for number = 1, count do
    loop.spawn(function()
      f(number)
      done = done + 1
    end)
  end
  loop.run(function()
    return done == count
  end)
  return done
end

case("20 requests are answered, each of which the server keeps until all are there", function()
  local ask = sender()
  local route = "GET /together?of=" .. os.getenv "NUMBER"
  local done = all(20, function(number)
    equal(("%d"):format(number), ask(route, { n = ("%d"):format(number) }))
  end)
  equal(20, done)
end)

case("20 coroutines send three requests each, which may share connections", function()
  local ask = sender()
  local done = all(20, function()
    for _ = 1, 3 do
      equal("n=1", (ask "GET /slow?n=1"))
    end
  end)
  equal(20, done)
end)

case("40 coroutines that send together keep their connections for those that follow", function()
  local ask, seen, new = sender(), {}, {}
  for round = 1, 2 do
    new[round] = 0
    all(40, function()
      local connection = ask "GET /slow_connection"
      new[round] = new[round] + (seen[connection] and 0 or 1)
      seen[connection] = true
    end)
  end
  equal(0, new[2])
end)

case("two bodies are sent and come back whole while the server sleeps", function()
  local ask = sender()
  local long = ("0123456789"):rep(loop.times)
  local done = all(2, function()
    assert(ask("POST /slow_echo", { data = long }) == long, "another body")
  end)
  equal(2, done)
end)

-- The message of a call's error.
local function message_of(route, settings)
  local ask, ok, failure = sender(), nil, nil
  all(1, function()
    ok, failure = pcall(ask, route, { request = settings })
  end)
  return not ok and failure.message
end

case("timeout ends a call of a server that is late", function()
  local said = message_of("GET /late", { timeout = 0.3, tries = 1 })
  equal("GET /late: timeout: no complete response within 0.3 s", said)
end)

case("a request is sent again after a pause", function()
  local said = message_of("GET /again", { timeout = 60, tries = 2 })
  equal("GET /again: the server answers 503", said)
end)
