-- SPDX-License-Identifier: MIT
-- A call: a request with its tries and redirects, and what its answer says.
local Call = {}
Call.__index = Call

local answer = require "endpoint.request.answer"
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local masks = require "endpoint.request.masks"
local settings = require "endpoint.request.settings"
local tries = require "endpoint.request.tries"
local words = require "endpoint.request.words"

-- Is a table what the endpoint returns, and no options for it? A result has all of the default headers, and its method
-- in lower case.
local function is_result(sender, options)
  if type(options) ~= "table" or type(options.headers) ~= "table" or not options.url then return false end
  for name in pairs(sender.headers) do
    if options.headers[name] == nil then return false end
  end
  return next(sender.headers) ~= nil and type(options.method) == "string" and options.method == options.method:lower()
end

-- A call that the program makes.
function Call.new(sender, route, options)
  if is_result(sender, route) then
    failures.fail "expected a route and options, got a result of the endpoint: send(route, options)"
  end
  if sender.settings.check then sender.settings.check(route, options) end
  return Call.of_server(sender, route, options)
end

-- A call of which a server wrote the URL, which no check may refuse.
-- streams: the streams that were read; sent: the results that were sent; is_given: has the sink had a piece?
-- broken: what went wrong behind that
function Call.of_server(sender, route, options)
  local merged = sender.api.merge(route, options)
  local own = settings.of_call(sender.settings, sender.request, merged.request)
  return setmetatable({ sender = sender, settings = own, merged = merged, r = sender.api.parse(merged),
    method = merged.method, template = words.label(merged.url), deadline = sender.now() + own.timeout,
    streams = {}, sent = {}, followed = 0 }, Call)
end

function Call:left() return self.deadline - self.sender.now() end

-- What a server or a client said, which may repeat the request, without its credentials.
-- safe: words that have none: that a time is over, and what was masked last.
function Call:told(said)
  if said == self.safe then return said end
  local decode = answer.decoder(self.settings)
  said = masks.masked(tostring(said), self.r, self.merged, decode)
  for _, r in ipairs(self.sent) do
    if r ~= self.r then said = masks.masked(said, r, self.merged, decode) end
  end
  self.safe = words.shown(said)
  return self.safe
end

-- The response of the last of the redirects.
local function follow(self)
  while true do
    local response = tries.response(self)
    local url, why = answer.redirect(self, response, self.followed)
    if not url or why then return response end
    self.followed = self.followed + 1
    self.r = settings.with(self.r, { url = endpoint.parse({ url = url, baseUrl = "" }).url }) -- of the last, masks ask still
  end
end

-- The body and the response, whatever the status is; raises where there is none.
function Call:ask()
  local ok, response = pcall(follow, self)
  if self.settings.sink then failures.call(self.settings.sink, nil, not ok and tostring(response) or nil) end
  if not ok then error(response, 0) end
  response.body = answer.body(self, response)
  response.links = clients.links(response.headers.link, response.url:sub(1, 1) ~= "/" and response.url or nil)
  return response.body, response
end

-- The same of a success; raises for another.
function Call:demand() return answer.demanded(self, self:ask()) end

return Call
