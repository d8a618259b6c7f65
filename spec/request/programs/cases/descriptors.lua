-- Descriptors that stay open after calls.
local case, sending = ...
local endpoint, request = require "endpoint", require "endpoint.request"
local equal, holds = require "support".equal, require "support".holds

local function descriptors()
  local pipe = io.popen "ls /proc/$PPID/fd | wc -l"
  local text = pipe:read "*a"
  pipe:close()
  return tonumber(text)
end

case("40 answers that are too long leave fewer than 9 descriptors open", function()
  collectgarbage()
  local strict, before = sending.with { tries = 1, max_size = 1 }, descriptors()
  for _ = 1, 40 do
    sending.message_of(strict, "GET /answer?text=long")
  end
  local left = descriptors() - before
  holds(left < 9, left .. " descriptors")
end)

for what, fail in pairs {
  ["at once"] = function()
    return nil, "broke off"
  end,
  ["after a piece"] = function(number)
    return number == 1 and "abc" or nil, number > 1 and "broke off" or nil
  end,
} do
  case("40 streams that fail " .. what .. " leave fewer than 9 descriptors open", function()
    collectgarbage()
    local before = descriptors()
    for _ = 1, 40 do
      local number = 0
      local function stream()
        number = number + 1
        return fail(number)
      end
      local said = sending.message_of(sending.send, "PUT /echo", { data = stream })
      equal("PUT /echo: broke off", said)
    end
    local left = descriptors() - before
    holds(left < 9, left .. " descriptors")
  end)
end

case("40 hosts leave fewer than 25 descriptors open", function()
  collectgarbage()
  local before = descriptors()
  local many = sending.with { api = endpoint.defaults { baseUrl = "" } }
  for number = 1, 40 do
    -- Each is another host: 0x7f.1, 0x07f.1, 0x007f.1 ...
    local host = ("0x%s7f.1"):format(("0"):rep(number))
    many(("GET http://%s:%s/count"):format(host, sending.base:match "%d+$"))
  end
  local left = descriptors() - before
  holds(left < 25, left .. " descriptors")
end, "plain")

-- --- more descriptors than select takes -------------------------------------------

-- Calls f beside 1,200 open files and 1,200 sockets.
local function beside_many(f)
  local socket, held = require "socket", {}
  for number = 1, 1200 do
    held[number] = assert(io.open "/dev/null")
    held[1200 + number] = assert(socket.udp4())
  end
  local ok, problem = pcall(f)
  for _, one in ipairs(held) do
    one:close()
  end
  if not ok then
    error(problem, 0)
  end
end

-- A pool, if this client takes its functions, and this Lua has what it needs.
local function new_pool()
  local ok, pool = pcall(request.pool, { at_once = 40 })
  return sending.client == "luasocket" and ok and pool or nil
end

-- Ways to call f(send, number) with a sender that has these settings: as often as `count` says, but
-- one after another twice at most.
local WAYS = {}

WAYS["by itself"] = function(settings, count, f)
  local send = sending.with(settings)
  for number = 1, math.min(count, 2) do
    f(send, number)
  end
end

WAYS["by a pool"] = function(settings, count, f)
  local pool = new_pool()
  settings.wait = pool and pool.wait
  WAYS["by itself"](settings, count, f)
end

WAYS["in 40 jobs of a pool"] = function(settings, count, f)
  local pool = new_pool()
  if not pool then
    return WAYS["by itself"](settings, count, f)
  end
  settings.wait = pool.wait
  local send, list = sending.with(settings), {}
  for number = 1, count do
    list[number] = number
  end
  local _, problems = pool.run(list, function(number)
    f(send, number)
  end)
  local _, problem = next(problems)
  if problem then
    error(problem, 0)
  end
end

for way, run in pairs(WAYS) do
  case("60 requests are answered beside 2,400 descriptors: waiting " .. way, function()
    beside_many(function()
      run({}, 60, function(send, number)
        equal(("n=%d"):format(number), (send("GET /slow", { n = ("%d"):format(number) })))
      end)
    end)
  end)

  case("a long body is sent beside 2,400 descriptors: waiting " .. way, function()
    local long = ("0123456789"):rep(300000)
    beside_many(function()
      run({}, 2, function(send)
        holds(send("POST /slow_echo", { data = long }) == long, "another body")
      end)
    end)
  end)

  case("a late answer is waited for beside 2,400 descriptors: waiting " .. way, function()
    beside_many(function()
      run({}, 1, function(send)
        equal("late", (send "GET /late"))
      end)
    end)
  end)

  case("a time-out ends a call beside 2,400 descriptors: waiting " .. way, function()
    beside_many(function()
      run({ timeout = 0.2 }, 1, function(send)
        local said = sending.message_of(send, "GET /late")
        equal("GET /late: timeout: no complete response within 0.2 s", said)
      end)
    end)
  end)

  case("a closed port ends a call at once beside 2,400 descriptors: waiting " .. way, function()
    beside_many(function()
      local api = endpoint.defaults { baseUrl = sending.base:gsub("%d+$", "1") }
      run({ api = api, tries = 1, timeout = 40 }, 1, function(send)
        local said = sending.message_of(send, "GET /x")
        holds(not said:find "timeout", said)
        holds(sending.is_curl or said == "GET /x: connection refused", said)
      end)
    end)
  end)
end
