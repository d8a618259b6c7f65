-- SPDX-License-Identifier: MIT
-- Tells the setting `log` what a call does. An entry's fields are all made here.
local log = {}

local callbacks = require "endpoint.request.failures.callbacks"

local Entry = {}
function Entry.__tostring(entry)
  return ("%s %s %s%.3f s, try %d"):format(
    entry.method,
    entry.template,
    entry.status and entry.status .. " " or entry.message .. ", after ",
    entry.seconds,
    entry.try
  )
end

local Pause = {}
function Pause.__tostring(entry)
  return ("%s %s pauses %.3f s after try %d: %s"):format(
    entry.method,
    entry.template,
    entry.seconds,
    entry.try,
    entry.reason
  )
end

-- Tells of a try that is over. seconds: how long it took. response: nil if there is none; message:
-- why there is none, without a credential.
function log.try(call, seconds, response, message)
  if not call.settings.log then
    return
  end
  local entry = setmetatable({
    method = call.method,
    template = call:label(),
    try = call.try_number,
    seconds = seconds,
    status = response and response.status,
    message = message,
  }, Entry)
  callbacks.call(call.settings.log, entry)
end

-- Tells of a pause before the next try. seconds: how long it is. reason: why there is another try.
function log.pause(call, seconds, reason)
  if not call.settings.log then
    return
  end
  local entry = setmetatable({
    method = call.method,
    template = call:label(),
    try = call.try_number, -- the one that is over
    seconds = seconds,
    reason = reason,
  }, Pause)
  callbacks.call(call.settings.log, entry)
end

local Wrong = {}
function Wrong.__tostring(entry)
  return ("%s %s: %s"):format(entry.method, entry.template, entry.message)
end

-- Tells of a response that is not what the setting check_response expects. message: why.
function log.wrong_response(call, status, message)
  if not call.settings.log then
    return
  end
  local entry = setmetatable({
    method = call.method,
    template = call:label(),
    try = call.try_number,
    status = status,
    reason = "response",
    message = message,
  }, Wrong)
  callbacks.call(call.settings.log, entry)
end

return log
