-- SPDX-License-Identifier: MIT
-- What happens to a call, from its route to its body:
--
--   1. The route and the options are merged with the defaults and parsed to a request. The setting
--      `check` may refuse them before that.
--   2. The request is sent, in as many tries as it takes: call/tries.lua. Each try goes through the
--      hook `around`, if there is one, and has a response, or a reason why there is none.
--   3. A redirect within the same origin is followed, by new tries: call/redirects.lua.
--   4. The sink is told that the response is over.
--   5. The body is decoded, and the links are read. This is what `send.ask` returns.
--   6. `send` raises if the response is not a success, with the reason that the server gives.
--   7. The setting `check_response` looks at the response.
--
-- A call is a State, which call/state.lua describes. An error leaves from any of these steps.
local calls = {}

local State = require "endpoint.request.call.state"
local clients = require "endpoint.clients"
local decoding = require "endpoint.request.response.decoding"
local failures = require "endpoint.request.failures"
local log = require "endpoint.request.call.log"
local mistakes = require "endpoint.request.failures.mistakes"
local reasons = require "endpoint.request.response.reasons"
local redirects = require "endpoint.request.call.redirects"
local responses = require "endpoint.request.response"
local sinks = require "endpoint.request.sinks"
local tries = require "endpoint.request.call.tries"

-- --- step 1: a new call -----------------------------------------------------------

-- Is a table a result of the endpoint, and not options for it? Nothing marks a result. But it has
-- all of the default headers, and its method is in lower case. A program hardly writes
-- options like that.
local function is_result(sender, given)
  if type(given) ~= "table" or type(given.headers) ~= "table" or not given.url then
    return false
  end
  for name in pairs(sender.headers) do
    if given.headers[name] == nil then
      return false
    end
  end
  return next(sender.headers) ~= nil
    and type(given.method) == "string"
    and given.method == given.method:lower()
end

-- A call that the program makes.
function calls.from_program(sender, route, options)
  if is_result(sender, route) then
    failures.misuse(
      "expected a route and options, got a result of the endpoint: send(route, options)"
    )
  end
  -- The check raises for what the API's document does not allow. It may return the encoder that the
  -- document asks for.
  local check = sender.settings.check
  local encode = check and check(route, options, sender.api)
  local call = State.new(sender, route, options, encode)
  call.asked = call.merged
  return call
end

-- A call to a URL that a server wrote. The setting `check` does not know it: it is not a route. Its
-- response is one of the route that the call before it had.
function calls.from_server(sender, url, options, last)
  local call = State.new(sender, url, options, nil, last:label())
  call.asked = last.asked
  return call
end

-- --- steps 2 and 3: requests and responses ----------------------------------------

-- The response to the last request of a call; and why a redirect in it is not followed, if it is
-- one. Raises if there is no response.
local function final_response(call)
  while true do
    local response = tries.response(call)
    local url, reason = redirects.target(call, response)
    if not url then
      return response, reason
    end
    call:follow(url)
  end
end

-- --- step 4: the sink -------------------------------------------------------------

-- Why a sink has no whole body of a success; nil if it has one. ok, response: what pcall has
-- returned.
local function problem_for_sink(call, ok, response)
  if not ok then
    return tostring(response)
  elseif not responses.is_success(response) then
    return ("%s answers %d"):format(call:speaker(response.status), response.status)
  end
end

-- Tells the sink that no piece follows, and why if it has no whole body. Returns true; or nil and a
-- message if the sink refuses the last piece, which it may have held until now.
local function end_sink(call, ok, response)
  local problem = problem_for_sink(call, ok, response)
  local taken, refusal = sinks.finish(call, problem, not problem and response or nil)
  if not taken and refusal ~= nil and not problem then
    return nil, refusal
  end
  return true
end

-- --- step 7: is the response right? -----------------------------------------------

-- A sentence without the route before it, which a failure and an entry of the log have themselves.
local function without_route(call, sentence)
  local route = ("%s %s: "):format(call.method, call:label())
  return sentence:sub(1, #route) == route and sentence:sub(#route + 1) or sentence
end

-- Asks the setting check_response by the route that the program gave, with its method. A body that
-- went into a sink is not there.
local function check_response(call, response)
  local check = call.settings.check_response
  if not check or call.settings.sink then
    return
  end
  local route = call.asked.method .. " " .. call.asked.url
  -- A status that HTTP has not counts as 500 (RFC 9110, section 15).
  local status = response.status < 600 and response.status or 500
  local is_right, sentence = check(route, status, response.body)
  if is_right then
    return
  end
  sentence = tostring(sentence or "the response is not right")
  local message = call:masked(without_route(call, sentence))
  if call.settings.wrong_response == "log" then
    return log.wrong_response(call, response.status, message)
  end
  failures.raise(call, "response", message, response)
end

-- --- the whole --------------------------------------------------------------------

-- The links of a response. They may be relative to its URL. A bare path, of a server inside nginx,
-- is not a base for them.
local function links_of(response)
  local given = response.headers.link
  if not given then
    return {}
  end
  local base = response.url:sub(1, 1) ~= "/" and response.url or nil
  return clients.links(given, base)
end

local function received(call)
  local ok, response, reason = pcall(final_response, call)

  -- The sink hears of the end in any case: it may have a file to close, or a line to give.
  local is_taken, refusal = true, nil
  if call.settings.sink then
    is_taken, refusal = end_sink(call, ok, response)
  end
  if not ok then
    error(response, 0)
  elseif not is_taken then
    failures.raise(call, "sink", call:masked(refusal), response)
  end

  response.body = decoding.body(call, response)
  response.links = links_of(response)
  return response, reason
end

-- Sends a call. Returns the body and the response, whatever its status is; and why a redirect is
-- not followed, or nil. Raises if there is no response.
function calls.ask(call)
  local response, reason = received(call)
  check_response(call, response)
  return response.body, response, reason
end

-- Raises unless a response is a success. reason: why a redirect is not followed, or nil.
function calls.check(call, body, response, reason)
  if not reason and response.status < 400 then
    return
  end
  local speaker = call:speaker(response.status)
  local message = ("%s answers %d"):format(speaker, response.status)
  if reason then
    failures.raise(call, "redirect", message .. ": " .. reason, response)
  end
  -- The server's own words may repeat the request.
  local found = reasons.found(body)
  message = found and message .. ": " .. call:masked(found) or message
  local advice = mistakes.advice(call.merged, response.status)
  message = advice and message .. " (" .. advice .. ")" or message
  failures.raise(call, speaker == "the proxy" and "proxy" or "status", message, response)
end

-- Sends a call, and raises unless the response is a success. Returns its body and the response.
function calls.demand(call)
  local response, reason = received(call)
  local body = response.body
  calls.check(call, body, response, reason)
  check_response(call, response)
  return body, response
end

return calls
