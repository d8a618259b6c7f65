-- SPDX-License-Identifier: MIT
-- Which call has a hook that runs now: the calls that the hook makes have its time.
local scopes = {}

local callbacks = require "endpoint.request.failures.callbacks"
local places = require "endpoint.places"

local run, current = places.new()

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
  local ends = seconds and call.sender.now() + seconds
  return callbacks.results(run(setmetatable({ call = call, ends = ends }, Scope), f, ...))
end

-- The scope that the program is in: { call, seconds_left() }; nil outside of hooks.
scopes.current = current

return scopes
