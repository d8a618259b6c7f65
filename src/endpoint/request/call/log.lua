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

-- Tells of a try. entry: its fields but those of the call.
function log.try(call, entry)
  if not call.settings.log then
    return
  end
  entry.method, entry.template = call.method, call.template
  callbacks.call(call.settings.log, setmetatable(entry, Entry))
end

return log
