-- SPDX-License-Identifier: MIT
-- The setting `around`: a function of the program around each try.
local hook = {}

local Limits = require "endpoint.request.call.limits"
local Try = require "endpoint.request.call.try"
local failures = require "endpoint.request.failures"
local public = require "endpoint.request.failures.positions".public
local responses = require "endpoint.request.response"
local scopes = require "endpoint.request.call.scopes"
local sinks = require "endpoint.request.sinks"
local with = require "endpoint.request.settings".with

-- What the hook gets and sends: copies, since masks look at what was sent, which must not change.
local function copied(request)
  if type(request) ~= "table" then
    failures.misuse("around: expected a result to send, got a %s", type(request))
  elseif request.headers ~= nil and type(request.headers) ~= "table" then
    failures.misuse("around: headers: expected a table, got a %s", type(request.headers))
  end
  return with(request, { headers = with(request.headers or {}) })
end

local function is_response(given)
  return type(given) == "table"
    and responses.is_status(given.status)
    and responses.are_headers(given.headers or {})
    and type(given.text or "") == "string"
end

-- Gives the sink the body of a response that the hook has made. Returns true; or nil and a message.
local function give_to_sink(call, response)
  if
    not call.settings.sink
    or call.has_sunk
    or response.text == ""
    or not responses.is_success(response)
  then
    return true
  end
  call:note_sunk()
  local taken, problem = sinks.give(call, response.text, response)
  if not taken and problem then
    return nil, call:masked(problem)
  end
  response.text = ""
  return true
end

-- What the hook returns, as a response of its own: the program may return the same again.
local function answered(call, given)
  if type(given) == "table" and given.text == nil and given.body ~= nil then
    failures.misuse "around: expected the body of a response in its field text, a string"
  elseif not is_response(given) then
    local got = type(given) == "table" and "another table" or "a " .. type(given)
    failures.misuse(
      "around: expected a response, which has a status, or nil and a message, got %s",
      got
    )
  end
  if call.cut_off then -- nothing else can follow the part that the sink has
    return nil, call.cut_off, true, call.cut_off_reason
  end
  local response = {
    status = given.status,
    headers = responses.headers(given.headers or {}),
    text = given.text or "",
    url = call.request.url,
  }
  local ok, problem = give_to_sink(call, response)
  if not ok then
    return nil, problem, true, "sink"
  end
  return response
end

-- What is told where the time of a call was over before the hook sent its request.
local function time_is_over(call, seconds)
  local form = "timeout: nothing was sent within %s s, of which the hook took %s s"
  local limit = call.is_inner and call.deadline - call.began or call.settings.timeout
  local message = form:format(Limits.shown(limit), Limits.shown(seconds))
  call:note_clean(message)
  call:note_problem(message, "timeout")
  return message
end

-- Tries a call, through the hook if there is one. Returns a response; or nil, a message, true if no
-- other try can help, and the reason.
function hook.try(call)
  local around = call.settings.around
  if not around or call.is_away then
    return Try.run(call, call.request)
  end

  -- The hook may change the request, send it as often as it likes, or make a response without it.
  local request = copied(call.request)
  local began, sending = call.sender.now(), 0
  -- A mistake in what it sends is one of its line.
  local send = public({}, function(changed)
    local before = call.sender.now()
    if before >= call.deadline then
      return nil, time_is_over(call, before - began - sending), true, "timeout"
    end
    local response, problem, is_final, reason = Try.run(call, copied(changed or request))
    sending = sending + call.sender.now() - before
    return response, problem, is_final, reason
  end)
  local given, message, is_final, reason = scopes.run(call, nil, around, request, send)

  -- Without a message there is nothing that another try could mend.
  if given == nil then
    local masked = call:masked(message or "around returned nothing")
    return nil,
      masked,
      is_final or message == nil,
      failures.known(reason) or call:reason_for(masked)
  end
  return answered(call, given)
end

return hook
