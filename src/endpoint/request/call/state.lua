-- SPDX-License-Identifier: MIT
-- The state of a call: what is sent, and what happened so far. This file alone changes it; the
-- other files ask it, and note what happened.
local State = {}
State.__index = State

local clients = require "endpoint.clients"
local decoding = require "endpoint.request.response.decoding"
local display = require "endpoint.request.failures.display"
local endpoint = require "endpoint"
local masks = require "endpoint.request.failures.masks"
local origins = require "endpoint.request.call.origins"
local references = require "endpoint.request.response.references"
local scopes = require "endpoint.request.call.scopes"
local settings = require "endpoint.request.settings"
local sinks = require "endpoint.request.sinks"
local with = settings.with

-- What nothing was noted in yet: most calls need none of these tables.
local NONE = {}

-- The table to note something in.
local function own(noted)
  return noted == NONE and {} or noted
end

-- The default of a header that no program has set.
local OUR_ACCEPT = endpoint.DEFAULTS.headers.accept

-- Lets a request ask for a media type, unless the program says what it asks for.
local function ask_for(merged, media_type)
  if media_type and merged.headers.accept == OUR_ACCEPT and not merged.mediaType then
    merged.headers.accept = media_type
  end
end

-- The request of a call whose sink may say what is asked for.
local function parsed_for_sink(sender, merged, sink)
  ask_for(merged, sinks.wanted_by(sink))
  return sender.api.parse(merged)
end

-- What a new call has until something else happens to it.
State.refused = NONE -- the requests to which the server has answered "later", as a set
State.secrets = NONE -- credentials that were sent, whatever their headers are called
State.streams = NONE -- the streams that were read, as a set
State.sent = NONE -- the requests that were sent, in their order; those of a hook, too
State.redirects_followed = 0 -- how many
State.try_number = 1 -- of the try that is sent now; a redirect belongs to the same try
State.is_away = false -- has a redirect led to another origin? Then its hook is not asked any more
State.has_sunk = false -- has the sink had a piece of the response?
State.cut_off = nil -- what went wrong after the sink had a piece
State.cut_off_reason = nil -- the word for that
State.clean_message = nil -- the last message that is known to hold no credential
State.problem = nil -- why the last request has no response, as errors show it
State.reason = nil -- the word for that, see ../failures.lua

-- sender: who sends, see request.lua. encode: writes the body as JSON; nil for the settings' own.
-- template: what errors and logs show; nil for the route's own.
function State.new(sender, route, options, encode, template)
  local merged = sender.api.merge(route, options)
  local all = settings.of_call(sender.settings, sender.default_settings, merged.request)
  local request = all.sink and parsed_for_sink(sender, merged, all.sink)
    or sender.api(route, options)
  local now, scope = sender.now(), scopes.current()
  local outer = scope and math.max(scope:seconds_left(), 0) or math.huge
  local call = setmetatable({
    sender = sender,
    settings = all,
    merged = merged, -- the route and the options over the defaults
    method = merged.method,
    template = template, -- as `label` returns it; nil if nobody has asked for it
    deadline = now + math.min(all.timeout, outer),
    is_inner = outer < all.timeout, -- does a hook's call have less time than its own limit?
    outer = scope and scope.call, -- the call whose hook makes this one, or nil
    began = now,
    encode = encode,
    request = request, -- a result of the endpoint; a redirect changes its URL
  }, State)
  if all.sink then
    call.sink_place = sinks.place_of(call) -- what sinks.lua keeps for the sink
  end
  return call
end

-- --- what happened ----------------------------------------------------------------

function State:note_sent(request)
  if self.sent == NONE then
    self.sent = { request }
  else
    self.sent[#self.sent + 1] = request
  end
  if self.refused ~= NONE then
    self.refused[request] = nil
  end
end

-- The server has no time for a request now, and did not act on it.
function State:note_refused(request)
  self.refused = own(self.refused)
  self.refused[request] = true
end

-- The next request is another try.
function State:count_try()
  self.try_number = self.try_number + 1
end

-- The next request goes to another URL: one of a response, as a template in which nothing is a
-- variable.
function State:follow(url)
  self.redirects_followed = self.redirects_followed + 1
  local from = self.request
  self.request = with(from, { url = endpoint.parse({ url = url, baseUrl = "" }).url })
  if not references.is_same_origin(self.request.url, from.url) then
    self.is_away = true
    self.request.headers = origins.headers(from.headers)
  end
end

function State:note_stream(source)
  self.streams = own(self.streams)
  self.streams[source] = true
end

function State:note_secret(value)
  if self.secrets[#self.secrets] ~= value then
    self.secrets = own(self.secrets)
    self.secrets[#self.secrets + 1] = value
  end
end

function State:note_sunk()
  self.has_sunk = true
end

-- message: why there is no response, or nil; reason: the word for that.
function State:note_problem(message, reason)
  self.problem, self.reason = message, reason
  if self.has_sunk then
    self.cut_off, self.cut_off_reason = message, reason
  end
end

-- A message of this library, which holds no credential.
function State:note_clean(message)
  self.clean_message = message
end

-- --- what the other files ask -----------------------------------------------------

-- The template, as errors and logs show it.
function State:label()
  self.template = self.template or display.label(self.merged.url)
  return self.template
end

function State:seconds_left()
  return self.deadline - self.sender.now()
end

-- The word for a message that a hook has returned: that of the last request, if it is its message.
function State:reason_for(message)
  return message == self.problem and self.reason or "hook"
end

-- Why a request cannot be sent, and the word for that; nil if it can.
function State:reason_against(request)
  if self.has_sunk then
    return "the sink already has a part of a response, so nothing can be sent again", "sink"
  elseif self.streams[request.body or ""] then
    return "the stream was read, so it cannot be sent again", "stream"
  end
end

-- Who answers with a status, as errors say it.
function State:speaker(status)
  local speaker = self.sender.proxies:speaker(self.request.url, status)
  if not self.is_away or speaker ~= "the server" then
    return speaker
  end
  local host = clients.plain({ method = "GET", url = self.request.url }).host
  return "the server " .. display.shown(host)
end

-- A message of a server or a client, which may repeat what was sent, with *** for credentials.
function State:masked(message)
  if message == self.clean_message then
    return message
  end
  local how = {
    decode = decoding.decoder(self.settings),
    encode = self.settings.encode,
    urls = self.sender.proxies.urls,
    values = self.secrets,
  }
  message = masks.masked(display.words(message), self.request, self.merged, how)
  for _, request in ipairs(self.sent) do
    if request ~= self.request then
      message = masks.masked(message, request, self.merged, how)
    end
  end
  self:note_clean(display.shown(message))
  return self.clean_message
end

return State
