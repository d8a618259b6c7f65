-- SPDX-License-Identifier: MIT
-- Which call has a hook that runs now: the calls that the hook makes have its time.
local scopes = {}

local callbacks = require "endpoint.request.failures.callbacks"

-- A coroutine, or MAIN -> the time of the call whose hook runs in it: a function that returns the
-- seconds that are left, and the call.
local running = setmetatable({}, { __mode = "k" })
local MAIN = "main"

-- Under Lua 5.1 coxpcall's pcall makes a coroutine of each function that it calls. Its `running`,
-- which a program sets as the global one, names the one around them.
local function here()
  return coroutine.running() or MAIN
end

local function leave(place, outer, ok, ...)
  running[place] = outer
  if not ok then
    callbacks.throw((...))
  end
  return ...
end

local Scope = {}
Scope.__index = Scope

-- The seconds that the calls of the program may have here.
function Scope:seconds_left()
  local left = self.call:seconds_left()
  return self.ends and math.min(left, self.ends - self.call.sender.now()) or left
end

-- Calls a function of the program as a part of a call, which may have so many seconds; nil for
-- those of the call.
function scopes.run(call, seconds, f, ...)
  local place = here()
  local outer, ends = running[place], seconds and call.sender.now() + seconds
  running[place] = setmetatable({ call = call, ends = ends }, Scope)
  return leave(place, outer, pcall(f, ...))
end

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo

-- Is scopes.run among the functions that run in this coroutine?
local function is_running()
  for level = 2, math.huge do
    local frame = getinfo(level, "f")
    if not frame or frame.func == scopes.run then
      return frame ~= nil
    end
  end
end

-- nginx takes the coroutine of a request that was killed for another request.
local may_be_stale = rawget(_G, "ngx") and getinfo

-- The scope that the program is in: { call, seconds_left() }; nil outside of hooks.
function scopes.current()
  local place = here()
  if running[place] and may_be_stale and not is_running() then
    running[place] = nil
  end
  return running[place]
end

return scopes
