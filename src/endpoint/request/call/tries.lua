-- SPDX-License-Identifier: MIT
-- As many tries of a call as it takes.
local tries = {}

local Pool = require "endpoint.request.pool"
local callbacks = require "endpoint.request.failures.callbacks"
local failures = require "endpoint.request.failures"
local hook = require "endpoint.request.call.hook"
local log = require "endpoint.request.call.log"
local repeats = require "endpoint.request.call.repeats"
local retry_after = require "endpoint.request.response.retry_after"

-- A longer pause, in seconds, is not worth while, though the call may have the time.
local LONGEST = 366 * 86400

-- What the response asks for, else half a second, doubled with each try, with chance in it.
local function pause_after(number, response)
  return response and retry_after.seconds(response.headers)
    or 2 ^ (number - 2) * (0.5 + math.random())
end

-- The seconds before the next try; nil if there is not another one.
local function pause_before_next(call, response)
  local is_possible = call.sender.sleep and call.try_number < call.settings.tries
  if not is_possible or not repeats.may_try_again(call, response) then
    return nil
  end
  local pause = pause_after(call.try_number, response)
  return pause < call:seconds_left() and pause <= LONGEST and pause or nil
end

-- Statuses that say "later" of the whole server, and not of this request alone. Some servers
-- send 403 for a limit of requests that is used up.
local IS_LATER = { [403] = true, [429] = true, [503] = true }

-- The response to the request of a call; raises if there is no response. Tries are counted over the
-- whole call: after a redirect the count goes on, and does not begin at 1.
function tries.response(call)
  local sleep = call.sender.sleep
  while true do
    -- The server may have told another job of the same pool to come later: this one waits, too. The
    -- jobs of a pool share its function sleep, by which the pool is found.
    local pool_pause = Pool.pause_left(sleep)
    if pool_pause > 0 and pool_pause < call:seconds_left() then
      callbacks.call(sleep, pool_pause)
    end

    -- One try, with the hook around it.
    local response, message, is_final, reason = hook.try(call)

    -- Another one follows if it may help, if the request may arrive twice, and if the number of
    -- tries and the time of the call allow it.
    local pause = not is_final and pause_before_next(call, response)
    if not pause then
      return response or failures.raise(call, reason, message)
    end

    -- The program sees why it waits, and for how long; so do the other jobs of the pool.
    log.pause(call, pause, message or ("the server answers %d"):format(response.status))
    if response and IS_LATER[response.status] then
      Pool.note_pause(sleep, pause)
    end
    callbacks.call(sleep, pause)
    call:count_try()
  end
end

return tries
