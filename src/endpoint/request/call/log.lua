-- SPDX-License-Identifier: MIT
-- Tells the setting `log` what a call does.
local log = {}

local callbacks = require "endpoint.request.failures.callbacks"

local Entry = {}
function Entry.__tostring(entry)
  return ("%s %s %s %.3f s, try %d"):format(
    entry.method,
    entry.template,
    entry.status or entry.message,
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

local function tell(call, entry, kind)
  if not call.settings.log then
    return
  end
  entry.method, entry.template = call.method, call.template
  callbacks.call(call.settings.log, setmetatable(entry, kind))
end

-- Tells of a try that is over. entry: its fields `status`, `message`, `seconds` and `try`.
function log.try(call, entry)
  tell(call, entry, Entry)
end

-- Tells of a pause before the next try. entry: its fields `seconds`, `try` and `reason`.
function log.pause(call, entry)
  tell(call, entry, Pause)
end

return log
