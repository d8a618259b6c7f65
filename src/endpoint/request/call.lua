-- SPDX-License-Identifier: MIT
-- A call: a request with its tries and redirects, and what its answer says. This file alone
-- changes a call's state; the rooms below call/ ask it, and tell it what happened.
local Call = {}
Call.__index = Call

local callbacks = require "endpoint.request.failures.callbacks"
local clients = require "endpoint.clients"
local decoding = require "endpoint.request.answer.decoding"
local display = require "endpoint.request.failures.display"
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local masks = require "endpoint.request.failures.masks"
local reasons = require "endpoint.request.answer.reasons"
local redirects = require "endpoint.request.call.redirects"
local settings = require "endpoint.request.settings"
local sinks = require "endpoint.request.sinks"
local tries = require "endpoint.request.call.tries"
local with = settings.with

-- --- new calls --------------------------------------------------------------------

-- Is a table what the endpoint returns, and not options for it? A result has all of the default
-- headers, and its method is in lower case.
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

-- encode: what the setting `check` returned. template: what errors and logs show; nil for the
-- route's own.
local function new(sender, route, options, encode, template)
  local merged = sender.api.merge(route, options)
  local own = with(settings.of_call(sender.settings, sender.request, merged.request))
  own.sink = sinks.of_call(own.sink, own)
  return setmetatable({
    sender = sender,
    settings = own,
    merged = merged,
    method = merged.method,
    template = template or display.label(merged.url),
    deadline = sender.now() + own.timeout,
    r = sender.api.parse(merged), -- what is sent; a redirect changes its URL
    encode = encode,
    sent = {}, -- the results that were sent, which masks look at
    refused = {}, -- those to which the server has said "later", as a set
    streams = {}, -- the streams that were read, as a set
    redirects_followed = 0, -- how many
    try_number = 1, -- of the try that is sent now; a redirect leads to the same try
    has_sunk = false, -- has the sink had a piece of the answer?
    cut_off = nil, -- what went wrong after the sink had a piece
    harmless = nil, -- a message without a credential, which is not masked again
  }, Call)
end

-- A call that the program makes.
function Call.from_program(sender, route, options)
  if is_result(sender, route) then
    failures.misuse(
      "expected a route and options, got a result of the endpoint: send(route, options)"
    )
  end
  local check = sender.settings.check
  return new(sender, route, options, check and check(route, options, sender.api))
end

-- A call to a URL that a server wrote, which the setting `check` does not know.
function Call.from_server(sender, url, options, template)
  return new(sender, url, options, nil, template)
end

-- --- what happened ----------------------------------------------------------------

function Call:note_sent(r)
  self.sent[#self.sent + 1] = r
  self.refused[r] = nil
end

-- The server did not act on a result that was sent, since it has no time for it now.
function Call:note_refused(r)
  self.refused[r] = true
end

-- The next request is another try.
function Call:count_try()
  self.try_number = self.try_number + 1
end

function Call:note_stream(source)
  self.streams[source] = true
end

function Call:note_sunk()
  self.has_sunk = true
end

-- problem: why there is no response, or nil.
function Call:note_problem(problem)
  if self.has_sunk then
    self.cut_off = problem
  end
end

function Call:note_harmless(message)
  self.harmless = message
end

-- --- what the rooms ask -----------------------------------------------------------

function Call:seconds_left()
  return self.deadline - self.sender.now()
end

-- Why a result cannot be sent; nil if it can.
function Call:reason_against(r)
  if self.has_sunk then
    return "the sink already has a part of an answer, so nothing can be sent again"
  elseif self.streams[r.body or ""] then
    return "the stream was read, so it cannot be sent again"
  end
end

-- What a server or a client said, which may repeat the request, without its credentials.
function Call:told(said)
  if said == self.harmless then
    return said
  end
  local decode, urls = decoding.decoder(self.settings), self.sender.proxies.urls
  said = masks.masked(tostring(said), self.r, self.merged, decode, urls)
  for _, r in ipairs(self.sent) do
    if r ~= self.r then
      said = masks.masked(said, r, self.merged, decode, urls)
    end
  end
  self:note_harmless(display.shown(said))
  return self.harmless
end

-- --- the answer -------------------------------------------------------------------

-- The response to the last of the redirects, and why that is not followed if it is one, too.
local function final_response(self)
  while true do
    local response = tries.response(self)
    local url, why = redirects.target(self, response)
    if not url then
      return response, why
    end
    self.redirects_followed = self.redirects_followed + 1
    self.r = with(self.r, { url = endpoint.parse({ url = url, baseUrl = "" }).url })
  end
end

-- Tells the sink that the answer is over, and why if it is not whole. Returns nil and a message if
-- the sink refuses its last piece.
local function end_sink(self, problem)
  local sink = self.settings.sink
  if not sink then
    return true
  end
  local taken, refusal = callbacks.call(sink, nil, problem)
  if not taken and refusal ~= nil then
    return nil, refusal
  end
  return true
end

-- The body and the response of any status, and why a redirect is not followed. Raises where there
-- is no response.
function Call:ask()
  local ok, response, why = pcall(final_response, self)
  local is_taken, refusal = end_sink(self, not ok and tostring(response) or nil)
  if not ok then
    error(response, 0)
  elseif not is_taken then
    failures.raise(self, self:told(refusal), response)
  end
  response.body = decoding.body(self, response)
  local base = response.url:sub(1, 1) ~= "/" and response.url or nil
  response.links = clients.links(response.headers.link, base)
  return response.body, response, why
end

-- The body and the response of a success; raises for another answer.
function Call:demand()
  local body, response, why = self:ask()
  local speaker = self.sender.proxies:speaker(self.r.url, response.status)
  local said = ("%s answers %d"):format(speaker, response.status)
  if why then
    failures.raise(self, said .. ": " .. why, response)
  elseif response.status >= 400 then
    local reason = reasons.found(body)
    failures.raise(self, reason and said .. ": " .. self:told(reason) or said, response)
  end
  return body, response
end

return Call
