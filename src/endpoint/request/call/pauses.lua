-- SPDX-License-Identifier: MIT
-- Pauses of a call, and those that all jobs of a pool keep: a server asks everyone to come later,
-- whoever has met its answer, and whatever becomes of that call.
local pauses = {}

local Limits = require "endpoint.request.call.limits"
local callbacks = require "endpoint.request.failures.callbacks"
local destinations = require "endpoint.request.call.destinations"
local retry_after = require "endpoint.request.response.retry_after"
local text = require "endpoint.text"

-- A longer pause, in seconds, is not worth while, though the call may have the time.
pauses.LONGEST = 366 * 86400

-- Statuses that say "later" of the whole server, and not of this request alone. Some servers
-- send 403 for a limit of requests that is used up.
local IS_LATER = { [403] = true, [429] = true, [503] = true }

-- The origin of a request, as the key of its pause. A bare path belongs to this server.
local function origin_of(call, request)
  local place = destinations.of(call.sender, request.url)
  if not place then
    return "/"
  end
  return ("%s://%s:%s"):format(place.scheme, text.lower(place.host), place.port)
end

-- The pool whose job runs now, or nil. There is none without its file, which few programs load.
local function pool_of_job()
  local Pool = package.loaded["endpoint.request.pool"]
  return Pool and Pool.of_job()
end

-- The job that runs now, if any, waits by the clock of the sender.
local function use_clock(call)
  if pool_of_job() then
    package.loaded["endpoint.request.pool"].use_clock(call.sender.now)
  end
end

-- Waits by the sleep of the sender, and in a pool by the clock of the sender.
function pauses.sleep(call, seconds)
  use_clock(call)
  callbacks.call(call.sender.sleep, seconds)
end

-- Notes that the response to a request asks for a pause. seconds: how long the call itself waits;
-- nil for what the response says.
function pauses.note(call, request, response, seconds)
  local pool = IS_LATER[response.status] and pool_of_job()
  seconds = seconds or pool and retry_after.seconds(response.headers)
  if pool and seconds then
    pool:note_pause(origin_of(call, request), seconds, call.sender.now)
  end
end

-- Waits for the end of a pause that all jobs of the pool keep. Returns a message if the call has no
-- time for that.
function pauses.await(call, request)
  local pool = pool_of_job()
  if not pool then
    return nil
  end
  use_clock(call)
  local left = pool:pause_left(origin_of(call, request))
  if left <= 0 then
    return nil
  end
  local has_time = left < call:seconds_left() and left <= pauses.LONGEST
  if has_time and call.sender.sleep then
    return pauses.sleep(call, left)
  end
  local form = "timeout: nothing was sent, since the server asks all to wait %s s more, "
    .. "and the call has %s s left"
  return form:format(Limits.shown(left), Limits.shown(math.max(call:seconds_left(), 0)))
end

return pauses
