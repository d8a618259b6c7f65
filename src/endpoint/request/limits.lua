-- SPDX-License-Identifier: MIT
-- The time that is left: of the whole call, and of the part of it that has a limit of its own.
local Limits = {}
Limits.__index = Limits

-- now: the clock; deadline: when the call is over.
function Limits.new(settings, now, deadline)
  return setmetatable({ settings = settings, now = now, deadline = deadline, over = "timeout" }, Limits)
end

-- From now on a setting is the limit, if it is given, until another is, or none.
function Limits:begin(name)
  local seconds = name and self.settings[name]
  self.name, self.ends = seconds and name, seconds and self.now() + seconds
end

-- The seconds that are left; notes which limit will be over first.
function Limits:seconds()
  local now = self.now()
  local left = self.deadline - now
  self.over = "timeout"
  if self.name and self.ends - now < left then left, self.over = self.ends - now, self.name end
  return math.max(left, 0)
end

-- The same in milliseconds, for those who count so, at least 1 and at most what 31 bits hold.
function Limits:milliseconds() return math.max(1, math.floor(math.min(self:seconds() * 1000, 2 ^ 31 - 1))) end

-- What to say when the time is over. name: of the limit, if the client knows better.
function Limits:message(name)
  name = name or self.over
  self.said = ("%s: %s s are over"):format(name, (("%.3f"):format(self.settings[name]):gsub("%.?0+$", "")))
  return self.said
end

return Limits
