-- SPDX-License-Identifier: MIT
-- Which requests may be sent again, and after which responses.
local repeats = {}

local stream = require "endpoint.clients.body.stream"

-- --- requests ---------------------------------------------------------------------

-- RFC 9110, section 9.2.2; RFC 10008 for QUERY.
local IDEMPOTENT =
  { get = true, head = true, query = true, put = true, delete = true, options = true }

local KEY = "idempotency-key"

local function has_idempotency_key(headers)
  for name, value in pairs(headers) do
    if #name >= #KEY and name:sub(-#KEY) == KEY and value ~= "" then
      return true
    end
  end
  return false
end

-- Is the body of a request gone when it has been sent?
local function has_spent_stream(request)
  return type(request.body) == "function" and not stream.is_repeatable(request.body)
end

-- Is a request of a call idempotent, so that it may arrive twice? A stream that was read cannot be
-- sent again.
function repeats.may_arrive_twice(call, request)
  if has_spent_stream(request) then
    return false
  elseif call.settings.may_repeat ~= nil then
    return call.settings.may_repeat
  end
  return IDEMPOTENT[request.method] or has_idempotency_key(request.headers or {})
end

-- --- responses --------------------------------------------------------------------

local function is_in(list, status)
  for _, listed in ipairs(list) do
    if listed == status then
      return true
    end
  end
  return false
end

-- Does a list of the program's own take the place of the rules for statuses?
local function replaces_rules(retry_on)
  return retry_on ~= nil and (retry_on[1] ~= nil or retry_on.more == nil)
end

-- Is it certain that a response asks for no other try? Most do not, and are asked nothing else.
local function is_final(call, response)
  return response.status < 400 and call.settings.retry_on == nil
end

-- Does a response say that the server did not act on the request, and that it may come later?
function repeats.is_refused_for_now(call, response)
  if is_final(call, response) then
    return false
  end
  local status, headers, retry_on = response.status, response.headers, call.settings.retry_on
  local is_listed = retry_on and (is_in(retry_on, status) or is_in(retry_on.more or {}, status))
  if is_listed or replaces_rules(retry_on) then
    return is_listed or false
  elseif status == 503 then
    return headers["retry-after"] ~= nil
  elseif status == 403 then
    return headers["retry-after"] ~= nil
      or headers["x-ratelimit-remaining"] == "0"
      or headers["x-rate-limit-remaining"] == "0"
  end
  return status == 429
end

local MAY_PASS = { [408] = true, [502] = true, [503] = true, [504] = true }

-- Does a response say that another try may succeed, though the server may have acted on this one?
local function may_succeed_later(call, request, response)
  if replaces_rules(call.settings.retry_on) then
    return false
  end
  local status = response.status
  local is_500 = status == 500 or status >= 600 -- RFC 9110, section 15: as x00 of its class
  return MAY_PASS[status] or is_500 and (request.method == "get" or request.method == "head")
end

-- --- calls ------------------------------------------------------------------------

-- May everything that a call has sent be sent again? A hook may send more than one request. What
-- the server has refused for now may be, whatever its method is; and what a hook has refused in its
-- place.
local function may_all_be_sent_again(call, is_refused_now)
  for _, request in ipairs(call.sent) do
    local is_refused = call.refused[request] and not has_spent_stream(request)
    if not is_refused and not repeats.may_arrive_twice(call, request) then
      return false
    end
  end
  return #call.sent > 0
    or is_refused_now and not has_spent_stream(call.request)
    or repeats.may_arrive_twice(call, call.request)
end

-- May a call be tried again? response: the response to its last try; nil if there was none.
function repeats.may_try_again(call, response)
  if response and is_final(call, response) then
    return false
  end
  local last = call.sent[#call.sent] or call.request
  local is_refused_now = response and repeats.is_refused_for_now(call, response)
  local may_help = not response or is_refused_now or may_succeed_later(call, last, response)
  return may_help and not call.has_sunk and may_all_be_sent_again(call, is_refused_now)
end

return repeats
