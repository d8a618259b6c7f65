-- SPDX-License-Identifier: MIT
-- The time that is left: of the whole call, of a try up to its response, and of the part of it that
-- has a limit of its own.
local Limits = {}
Limits.__index = Limits

local text = require "endpoint.text"

-- What did not happen in time, for each setting.
local MISSING = {
  timeout = "no complete response within %s s",
  connect_timeout = "no connection within %s s",
  idle_timeout = "nothing more came for %s s",
  try_timeout = "no response began within %s s",
}

-- Seconds in a message.
function Limits.shown(seconds)
  return (text.pointed(("%.3f"):format(seconds)):gsub("%.?0+$", ""))
end

-- now: the clock; deadline: when the call is over; is_inner: is that the time of a call whose hook
-- makes this one?
function Limits.new(settings, now, deadline, is_inner)
  return setmetatable({
    settings = settings,
    now = now,
    deadline = deadline,
    is_inner = is_inner,
    try_ends = settings.try_timeout and now() + settings.try_timeout, -- nil: no limit, or not now
  }, Limits)
end

-- Begins the limit of that setting, which ends the one before. Without a name, or without the
-- setting, only the limit of the whole call holds. It counts from where `seconds` is asked first.
function Limits:begin(name)
  self.name, self.ends = name and self.settings[name] and name, nil
end

-- The response begins, so that the limit of the try is kept.
function Limits:response_begins()
  self.try_ends = nil
end

-- The seconds that are left; notes which limit will be over first.
function Limits:seconds()
  local ends, over, try_ends, name = self.deadline, "timeout", self.try_ends, self.name
  local now = self.now()
  if try_ends and try_ends < ends then
    ends, over = try_ends, "try_timeout"
  end
  if name then
    self.ends = self.ends or now + self.settings[name]
    if self.ends < ends then
      ends, over = self.ends, name
    end
  end
  self.over = over
  return ends > now and ends - now or 0
end

-- The same in milliseconds, at least 1 and at most what 31 bits hold.
function Limits:milliseconds()
  return math.max(1, math.floor(math.min(self:seconds() * 1e3, 2 ^ 31 - 1)))
end

-- What to say when the time is over. name: of the limit, if the client knows better.
function Limits:message(name)
  name = name or self.over
  local missing = MISSING[name]:format(Limits.shown(self.settings[name]))
  if name == "timeout" and self.is_inner then
    missing = "no complete response within the time that the hook has"
  end
  self.last_message = name .. ": " .. missing
  return self.last_message
end

return Limits
