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

-- Calls a function of the program as a part of a call, which may have so many seconds; nil for
-- those of the call.
function scopes.run(call, seconds, f, ...)
  local place = here()
  local outer, ends = running[place], seconds and call.sender.now() + seconds
  running[place] = {
    call = call,
    seconds_left = function()
      local left = call:seconds_left()
      return ends and math.min(left, ends - call.sender.now()) or left
    end,
  }
  return leave(place, outer, pcall(f, ...))
end

-- The scope that the program is in: { call, seconds_left() }; nil outside of hooks.
function scopes.current()
  return running[here()]
end

return scopes
