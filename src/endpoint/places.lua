-- SPDX-License-Identifier: MIT
-- What belongs to a function of the program while it runs: the call whose hook or sink it is, or
-- the try whose body it gives. The program may call others from there, and they find it, whatever
-- it has wrapped.
local places = {}

local MAIN = "main"

-- Under Lua 5.1 coxpcall's pcall makes a coroutine of each function that it calls. Its `running`,
-- which a program sets as the global one, names the one around them.
local function here()
  return coroutine.running() or MAIN
end

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo

-- Is a function among those that run in this coroutine?
local function is_running(f)
  for level = 2, math.huge do
    local frame = getinfo(level, "f")
    if not frame or frame.func == f then
      return frame ~= nil
    end
  end
end

-- nginx takes the coroutine of a request that was killed for another request.
local may_be_stale = rawget(_G, "ngx") and getinfo

-- Two functions: run(value, f, ...) calls f, to which the value belongs, and returns what pcall
-- returns; current() returns the value of the innermost function that runs in this coroutine, or
-- nil.
function places.new()
  local running = setmetatable({}, { __mode = "k" }) -- a coroutine, or MAIN -> the value

  local function leave(place, outer, ...)
    running[place] = outer
    return ...
  end

  local function run(value, f, ...)
    local place = here()
    local outer = running[place]
    running[place] = value
    return leave(place, outer, pcall(f, ...))
  end

  local function current()
    local place = here()
    if running[place] and may_be_stale and not is_running(run) then
      running[place] = nil
    end
    return running[place]
  end

  return run, current
end

return places
