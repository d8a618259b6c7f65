-- Settings under which the garbage collector never rests, and finalizers that run in each of its
-- cycles.
local collector = { rests = true, curtailed = 0 }

local LIMIT = 500 -- cycles of one stressed function, which then goes on with a collector that rests

local VERSION, sethook = _VERSION, debug.sethook
local collectgarbage, newproxy = collectgarbage, newproxy
local getmetatable, setmetatable = getmetatable, setmetatable

-- From now on nearly every allocation runs a full cycle. The settings take effect with the cycle
-- at the end.
function collector.never_rest()
  collector.rests = false
  if VERSION == "Lua 5.5" then
    collectgarbage "incremental"
    collectgarbage("param", "stepmul", 0) -- no limit
    collectgarbage("param", "pause", 0)
  elseif VERSION == "Lua 5.4" then
    collectgarbage("incremental", 0, 1000, 100)
    collectgarbage("setpause", 0) -- to "incremental" 0 means "unchanged"
  else
    collectgarbage("setstepmul", VERSION == "Lua 5.1" and 0 or 100000000) -- 0: no limit
    collectgarbage("setpause", 0)
  end
  collectgarbage()
end

-- Restores Lua's own settings.
function collector.rest()
  collector.rests = true
  if VERSION == "Lua 5.5" then
    collectgarbage("param", "stepmul", 200)
    collectgarbage("param", "pause", 250)
  elseif VERSION == "Lua 5.4" then
    collectgarbage("incremental", 200, 100, 13)
  else
    collectgarbage("setstepmul", 200)
    collectgarbage("setpause", 200)
  end
end

local function arm(finalizer)
  if newproxy then -- in Lua 5.1 and LuaJIT a table has no finalizer
    getmetatable(newproxy(true)).__gc = finalizer
  else
    setmetatable({}, { __gc = finalizer })
  end
end

-- Calls f in the next cycle, and in each one after it as long as f returns true.
function collector.on_cycle(f)
  local function finalizer()
    if f() then
      arm(finalizer)
    end
    -- After a finalizer that allocated, Lua 5.2 runs no cycle for the next 2 KB, except after this
    -- call.
    if VERSION == "Lua 5.2" then
      collectgarbage "restart"
    end
  end
  arm(finalizer)
end

local cycles, is_counting = 0, false

local function count()
  cycles = cycles + 1
  return true
end

-- How many cycles there were since the first call of this function.
function collector.cycles()
  if not is_counting then
    is_counting = true
    collector.on_cycle(count)
  end
  return cycles
end

local enough -- the cycle after which the collector rests

-- A finalizer, in which Lua 5.4 changes no setting.
local function watch()
  if not enough or collector.cycles() <= enough then
    return enough ~= nil
  end
  collector.curtailed = collector.curtailed + 1
  if VERSION < "Lua 5.4" then
    collector.rest()
  else
    sethook(function()
      sethook()
      collector.rest()
    end, "", 1)
  end
end

-- Calls f under a collector that never rests before LIMIT cycles.
function collector.stress(f)
  enough = collector.cycles() + LIMIT
  collector.on_cycle(watch)
  collector.never_rest()
  f()
  collector.rest()
  enough = nil
end

return collector
