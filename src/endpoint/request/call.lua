-- SPDX-License-Identifier: MIT
-- A call: a request with its tries and redirects, and what its answer says.
local Call = {}
Call.__index = Call

local Try = require "endpoint.request.try"
local answer = require "endpoint.request.answer"
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local masks = require "endpoint.request.masks"
local settings = require "endpoint.request.settings"
local sinks = require "endpoint.request.sinks"
local with = settings.with

-- Is a table what the endpoint returns, and no options for it? A result has all of the default headers, and its method
-- in lower case.
local function is_result(sender, options)
  if type(options) ~= "table" or type(options.headers) ~= "table" or not options.url then
    return false
  end
  for name in pairs(sender.headers) do
    if options.headers[name] == nil then
      return false
    end
  end
  return next(sender.headers) ~= nil
    and type(options.method) == "string"
    and options.method == options.method:lower()
end

-- A call that the program makes.
function Call.new(sender, route, options)
  if is_result(sender, route) then
    failures.fail "expected a route and options, got a result of the endpoint: send(route, options)"
  end
  if sender.settings.check then
    sender.settings.check(route, options)
  end
  return Call.of_server(sender, route, options)
end

-- A call of which a server wrote the URL, which no check may refuse.
-- streams: the streams that were read; sent: the results that were sent; is_given: has the sink had a piece?
-- broken: what went wrong behind that
function Call.of_server(sender, route, options)
  local merged = sender.api.merge(route, options)
  local own = with(settings.of_call(sender.settings, sender.request, merged.request))
  own.sink = sinks.of_call(own.sink, own)
  return setmetatable(
    {
      sender = sender,
      settings = own,
      merged = merged,
      r = sender.api.parse(merged),
      method = merged.method,
      template = failures.label(merged.url),
      deadline = sender.now() + own.timeout,
      streams = {},
      sent = {},
      followed = 0,
    },
    Call
  )
end

function Call:left()
  return self.deadline - self.sender.now()
end

-- What a server or a client said, which may repeat the request, without its credentials.
-- safe: words that have none: that a time is over, and what was masked last.
function Call:told(said)
  if said == self.safe then
    return said
  end
  local decode = answer.decoder(self.settings)
  said = masks.masked(tostring(said), self.r, self.merged, decode)
  for _, r in ipairs(self.sent) do
    if r ~= self.r then
      said = masks.masked(said, r, self.merged, decode)
    end
  end
  self.safe = failures.shown(said)
  return self.safe
end

-- --- tries ------------------------------------------------------------------------

local MONTHS = {
  Jan = 1,
  Feb = 2,
  Mar = 3,
  Apr = 4,
  May = 5,
  Jun = 6,
  Jul = 7,
  Aug = 8,
  Sep = 9,
  Oct = 10,
  Nov = 11,
  Dec = 12,
}

-- The seconds since 1970 of a date (RFC 9110, section 5.6.7); nil for another text. os.time reads both times as
-- local ones, without summer time, so that their difference is right in any zone.
local function seconds_of(date)
  local day, month, year, hour, min, sec = (date or ""):match "^%a%a%a, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
  local fields = {
    year = year,
    month = MONTHS[month or ""],
    day = day,
    hour = hour,
    min = min,
    sec = sec,
    isdst = false,
  }
  local ok, seconds = pcall(os.time, fields)
  local now = os.time()
  return ok and seconds and seconds - os.time(os.date("!*t", now)) + now or nil
end

-- The seconds to wait that an answer asks for, by the server's own clock; nil if it does not.
local function pause_asked(headers)
  local after, now = headers["retry-after"] or "", seconds_of(headers.date) or os.time()
  if after:find "^%d+$" then
    return tonumber(after)
  end
  local at = seconds_of(after)
    or headers["x-ratelimit-remaining"] == "0" and tonumber(headers["x-ratelimit-reset"])
  return at and at > 1e9 and math.max(at - now, 0) or nil
end

local LATER = { [408] = true, [429] = true, [502] = true, [503] = true, [504] = true }

-- Does an answer say that another try may succeed? The setting `retry_on` takes the place of these rules.
local function is_for_later(call, r, response)
  for _, status in pairs(call.settings.retry_on or {}) do
    if status == response.status then
      return true
    end
  end
  if call.settings.retry_on then
    return false
  end
  local headers = response.headers
  return LATER[response.status]
    or response.status == 500 and (r.method == "get" or r.method == "head")
    or response.status == 403
      and (headers["retry-after"] ~= nil or headers["x-ratelimit-remaining"] == "0")
end

-- May all that a call has sent be sent again? A hook may send more than one.
local function may_repeat(call)
  for _, r in ipairs(call.sent) do
    if not Try.may_repeat(r) then
      return false
    end
  end
  return #call.sent > 0 or Try.may_repeat(call.r)
end

-- How long to wait before the next try; nil if there is none.
local function pause_before_next(call, number, response)
  local r = call.sent[#call.sent] or call.r
  if not call.sender.sleep or number >= call.settings.tries or call.is_given then
    return nil
  end
  if not may_repeat(call) or response and not is_for_later(call, r, response) then
    return nil
  end
  local pause = response and pause_asked(response.headers)
    or 2 ^ (number - 2) * (0.5 + math.random())
  return pause < call:left() and pause or nil
end

-- What the hook answers, as a response of its own: the program may answer with it again.
local function hooked(call, given)
  local is_response = type(given) == "table"
    and type(given.status) == "number"
    and answer.are_headers(given.headers or {})
    and type(given.text or "") == "string"
  if not is_response then
    failures.fail "around: expected a response, which has a status, or nil and a message"
  end
  if call.broken then
    return nil, call.broken, true
  end -- nothing else can follow what the sink had of it
  local response = answer.response(given.status, given.headers or {}, given.text or "", call.r.url)
  local sink = call.settings.sink
  if not sink or call.is_given or response.text == "" or not answer.is_success(response) then
    return response
  end
  call.is_given = true
  local taken, problem = failures.call(sink, response.text, response)
  if not taken and problem then
    return nil, call:told(problem), true
  end
  response.text = ""
  return response
end

-- A response; or nil, a message, and true if no other try can help.
local function attempt(call, number)
  local around = call.settings.around
  if not around then
    return Try.run(call, call.r, number)
  end
  local r = with(call.r, { headers = with(call.r.headers) })
  local function send(own) -- a copy: masks look at what was sent
    own = own or r
    if type(own) ~= "table" then
      failures.fail("around: expected a result to send, got a %s", type(own))
    end
    return Try.run(call, with(own, { headers = with(own.headers or {}) }), number)
  end
  local response, problem, is_final = failures.call(around, r, send)
  if response == nil then
    return nil, call:told(problem or "around answers nothing"), is_final or problem == nil
  end
  return hooked(call, response)
end

-- A response, after as many tries as it takes; raises where there is none.
local function response_of(call)
  for number = 1, math.huge do
    local response, problem, is_final = attempt(call, number)
    local pause = not is_final and pause_before_next(call, number, response)
    if not pause then
      return response or failures.raise(call, problem)
    end
    failures.call(call.sender.sleep, pause)
  end
end

-- --- the answer -------------------------------------------------------------------

-- The response of the last of the redirects.
local function follow(self)
  while true do
    local response = response_of(self)
    local url, why = answer.redirect(self, response, self.followed)
    if not url or why then
      return response
    end
    self.followed = self.followed + 1
    self.r = with(self.r, { url = endpoint.parse({ url = url, baseUrl = "" }).url }) -- masks look at the last
  end
end

-- The body and the response, whatever the status is; raises where there is none.
function Call:ask()
  local ok, response = pcall(follow, self)
  local taken, problem = true, nil
  if self.settings.sink then
    taken, problem = failures.call(self.settings.sink, nil, not ok and tostring(response) or nil)
  end
  if not ok then
    error(response, 0)
  end
  if not taken and problem ~= nil then
    failures.raise(self, self:told(problem), response)
  end
  response.body = answer.body(self, response)
  response.links =
    clients.links(response.headers.link, response.url:sub(1, 1) ~= "/" and response.url or nil)
  return response.body, response
end

-- The same of a success; raises for another.
function Call:demand()
  return answer.demanded(self, self:ask())
end

return Call
