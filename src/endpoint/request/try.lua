-- SPDX-License-Identifier: MIT
-- One request and its answer. A client gets a try: the result to send, its place, limits and settings. It says
-- begin(status, headers), write(piece) for each piece of the body, and returns true; or nil, a message, and true if
-- no other try can help.
local Try = {}
Try.__index = Try

local answer = require "endpoint.request.answer"
local body = require "endpoint.request.body"
local clients = require "endpoint.clients"
local failures = require "endpoint.request.failures"
local stream = require "endpoint.clients.stream"
local with = require "endpoint.request.settings".with
local text = require "endpoint.text"

-- --- limits -----------------------------------------------------------------------

-- The time that is left: of the whole call, and of the part of it that has a limit of its own.
local Limits = {}
Limits.__index = Limits

-- now: the clock; deadline: when the call is over.
function Limits.new(settings, now, deadline)
  return setmetatable({ settings = settings, now = now, deadline = deadline }, Limits)
end

-- Begins the limit of that setting, which ends the one before. Without a name, or without the setting, there is none.
function Limits:begin(name)
  local seconds = name and self.settings[name]
  self.name, self.ends = seconds and name, seconds and self.now() + seconds
end

-- The seconds that are left; notes which limit will be over first.
function Limits:seconds()
  local now = self.now()
  local left = self.deadline - now
  self.over = "timeout"
  if self.name and self.ends - now < left then
    left, self.over = self.ends - now, self.name
  end
  return math.max(left, 0)
end

-- The same in milliseconds, for those who count so, at least 1 and at most what 31 bits hold.
function Limits:milliseconds()
  return math.max(1, math.floor(math.min(self:seconds() * 1e3, 2 ^ 31 - 1)))
end

-- What to say when the time is over. name: of the limit, if the client knows better.
function Limits:message(name)
  name = name or self.over
  self.said = ("%s: %s s are over"):format(
    name,
    (("%.3f"):format(self.settings[name]):gsub("%.?0+$", ""))
  )
  return self.said
end

-- --- a try ------------------------------------------------------------------------

local TWICE = { get = true, head = true, put = true, delete = true, options = true }

-- May a request arrive twice?
function Try.may_repeat(r)
  if type(r.body) == "function" and not stream.is_repeatable(r.body) then
    return false
  end
  for name, value in pairs(r.headers or {}) do
    if name:find "idempotency%-key$" and value ~= "" then
      return true
    end
  end
  return TWICE[r.method] or false
end

-- The result that is sent: a note is made when its stream is read, unless that can begin again.
local function noting(call, r)
  local source = r.body
  if type(source) ~= "function" or stream.is_repeatable(source) then
    return r
  end
  return with(r, {
    body = function()
      call.streams[source] = true
      return source()
    end,
  })
end

-- asks_gzip: does the client ask for it? A function of the user's, and a part of a body, get what they ask for alone.
local function new(call, r)
  local try = setmetatable(
    {
      call = call,
      r = noting(call, r),
      settings = call.settings,
      pieces = body.Pieces.new(),
      may_repeat = Try.may_repeat(r),
      limits = Limits.new(call.settings, call.sender.now, call.deadline),
    },
    Try
  )
  local own = r.headers or {}
  local is_asked = not own["accept-encoding"]
    and not own.range
    and type(call.settings.client) ~= "function"
  try.asks_gzip = body.Gzip.is_here and is_asked
  if type(r.url) == "string" and r.url:sub(1, 1) ~= "/" then -- a function of the user's may send to locations of nginx
    local place = clients.plain { method = "GET", url = r.url }
    try.scheme, try.host, try.port = place.scheme, place.host, place.port
  end
  return try
end

-- The answer has so far a status and headers.
function Try:begin(status, headers)
  self.response = answer.response(status, headers, "", self.call.r.url)
  self.coding = text.lower(self.response.headers["content-encoding"] or "identity")
end

-- Says what is wrong with an answer of which nothing more shall be read; returns nil.
function Try:refuse(problem)
  self.refusal = problem
end

-- Takes a piece of the body; returns nil if no other shall follow.
function Try:write(piece)
  if self.coding == "identity" or self.r.headers["accept-encoding"] then
    return self:take(piece)
  end
  if not (self.asks_gzip and self.coding:find "^x?%-?gzip$") then
    return self:refuse("the answer is coded, as nobody asked for: " .. self.coding)
  end
  self.unpacked = self.unpacked or body.Gzip.new(self.response.headers)
  return self.unpacked:write(piece, self)
end

-- The same, when nothing of it is packed.
function Try:take(piece)
  local sink, pieces = self.settings.sink, self.pieces
  if not sink or not answer.is_success(self.response) then
    pieces:add(piece)
    return pieces.size <= self.settings.max_size or self:refuse "the answer is too long"
  end
  self.call.is_given = true
  local ok, taken, problem = pcall(sink, piece, self.response)
  if not ok then
    self.thrown = { taken }
  end
  if not ok then
    return self:refuse "the sink raised an error"
  end
  if not taken and problem then
    return self:refuse(tostring(problem))
  end
  return true
end

-- What is wrong with an answer that came to its end; nil if nothing is.
local function fault_of(self)
  local length = self.response.headers["content-length"] or "0"
  if not length:find "^%d+$" then
    return "the answer has no right length"
  end
  -- libcurl ignores a length that it cannot hold.
  if #length > 15 or self.unpacked and not self.unpacked.is_whole then
    return "the answer is cut off"
  end
end

-- Sends, and returns a response; or nil, a message, and true if no other try can help.
local function exchange(self)
  local ok, problem, is_final = self.call.sender.client(self)
  if self.thrown then
    failures.throw(self.thrown[1])
  end
  if self.refusal or not ok then
    return nil, self.refusal or problem, self.refusal ~= nil or is_final
  end
  local fault = fault_of(self)
  if fault then
    return nil, fault, true
  end
  self.response.text = self.pieces:text()
  return self.response
end

local Entry = {}
function Entry.__tostring(entry)
  local said = entry.status or entry.message
  return ("%s %s %s %.3f s, try %d"):format(
    entry.method,
    entry.template,
    said,
    entry.seconds,
    entry.try
  )
end

-- Sends a result for a call, and tells the log. number: 1 for the first try of the call.
function Try.run(call, r, number)
  if call.is_given then
    return nil, "the sink has had a part of an answer, so nothing can be sent again", true
  end
  if call.streams[r.body or ""] then
    return nil, "the stream was read, so it cannot be sent again", true
  end
  call.sent[#call.sent + 1] = r
  local began = call.sender.now()
  local try = new(call, r)
  local response, problem, is_final = exchange(try)
  if problem and problem == try.limits.said then
    call.safe = problem
  end
  problem = not response and call:told(problem) or nil
  if call.is_given then
    call.broken = problem
  end
  if call.settings.log then
    failures.call(
      call.settings.log,
      setmetatable(
        {
          method = call.method,
          template = call.template,
          try = number,
          seconds = call.sender.now() - began,
          status = response and response.status,
          message = problem,
        },
        Entry
      )
    )
  end
  return response, problem, is_final
end

return Try
