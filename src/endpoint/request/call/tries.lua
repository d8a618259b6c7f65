-- SPDX-License-Identifier: MIT
-- As many tries of a call as it takes.
local tries = {}

local Pool = require "endpoint.request.pool"
local callbacks = require "endpoint.request.failures.callbacks"
local failures = require "endpoint.request.failures"
local hook = require "endpoint.request.call.hook"
local log = require "endpoint.request.call.log"
local pauses = require "endpoint.request.call.pauses"
local repeats = require "endpoint.request.call.repeats"

-- A longer pause, in seconds, is not worth while, though the call may have the time.
local LONGEST = 366 * 86400

-- The seconds before the next try; nil if there is not another one.
local function pause_before_next(call, response)
  local is_possible = call.sender.sleep and call.try_number < call.settings.tries
  if not is_possible or not repeats.may_try_again(call, response) then
    return nil
  end
  local pause = pauses.before_next(call.try_number, response)
  return pause < call:seconds_left() and pause <= LONGEST and pause or nil
end

-- Statuses that say "later" of the whole server, and not of this request alone.
local IS_LATER = { [403] = true, [429] = true, [503] = true }

-- The response to a call; raises if there is no response. After a redirect it goes on with the
-- number of the try that was redirected.
function tries.response(call)
  while true do
    local left = Pool.pause_left(call.sender.sleep)
    if left > 0 and left < call:seconds_left() then
      callbacks.call(call.sender.sleep, left)
    end
    local response, problem, is_final = hook.try(call)
    local pause = not is_final and pause_before_next(call, response)
    if not pause then
      return response or failures.raise(call, problem)
    end
    local reason = problem or ("the server answers %d"):format(response.status)
    log.pause(call, { try = call.try_number, seconds = pause, reason = reason })
    if response and IS_LATER[response.status] then
      Pool.note_pause(call.sender.sleep, pause)
    end
    callbacks.call(call.sender.sleep, pause)
    call:count_try()
  end
end

return tries
