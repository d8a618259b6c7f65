-- SPDX-License-Identifier: MIT
-- As many tries of a call as it takes.
local tries = {}

local chance = require "endpoint.request.call.chance"
local failures = require "endpoint.request.failures"
local hook = require "endpoint.request.call.hook"
local log = require "endpoint.request.call.log"
local pauses = require "endpoint.request.call.pauses"
local repeats = require "endpoint.request.call.repeats"
local retry_after = require "endpoint.request.response.retry_after"

-- What the response asks for, else half a second, doubled with each try, with chance in it.
local function pause_after(call, response)
  return response and retry_after.seconds(response.headers)
    or 2 ^ (call.try_number - 2) * (0.5 + chance.number(call.sender.now))
end

-- The seconds before the next try; nil if there is not another one.
local function pause_before_next(call, response)
  local is_possible = call.sender.sleep and call.try_number < call.settings.tries
  if not is_possible or not repeats.may_try_again(call, response) then
    return nil
  end
  local pause = pause_after(call, response)
  return pause < call:seconds_left() and pause <= pauses.LONGEST and pause or nil
end

-- The response to the request of a call; raises if there is no response. Tries are counted over the
-- whole call: after a redirect the count goes on, and does not begin at 1.
function tries.response(call)
  while true do
    -- One try, with the hook around it.
    local response, message, is_final, reason = hook.try(call)

    -- Another one follows if it may help, if the request is idempotent or was refused for now, and
    -- if the number of tries and the time of the call allow it.
    local pause = not is_final and pause_before_next(call, response)
    if not pause then
      return response or failures.raise(call, reason, message)
    end

    -- The program sees why it waits, and for how long.
    log.pause(call, pause, message or ("the server answers %d"):format(response.status))
    if response then
      pauses.note(call, call.sent[#call.sent] or call.request, response, pause)
    end
    pauses.sleep(call, pause)
    call:count_try()
  end
end

return tries
