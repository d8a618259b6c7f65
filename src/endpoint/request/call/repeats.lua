-- SPDX-License-Identifier: MIT
-- Which requests may be sent again, and after which answers.
local repeats = {}

local stream = require "endpoint.clients.body.stream"

local IDEMPOTENT = { get = true, head = true, put = true, delete = true, options = true }

local function has_idempotency_key(headers)
  for name, value in pairs(headers) do
    if name:find "idempotency%-key$" and value ~= "" then
      return true
    end
  end
  return false
end

-- May a request arrive twice?
function repeats.may_arrive_twice(r)
  if type(r.body) == "function" and not stream.is_repeatable(r.body) then
    return false
  end
  return IDEMPOTENT[r.method] or has_idempotency_key(r.headers or {})
end

local LATER = { [408] = true, [429] = true, [502] = true, [503] = true, [504] = true }

-- Does an answer say that another try may succeed? The setting `retry_on` replaces these rules.
local function may_succeed_later(call, r, response)
  local status, headers = response.status, response.headers
  if call.settings.retry_on then
    for _, listed in pairs(call.settings.retry_on) do
      if listed == status then
        return true
      end
    end
    return false
  end
  return LATER[status]
    or status == 500 and (r.method == "get" or r.method == "head")
    or status == 403
      and (headers["retry-after"] ~= nil or headers["x-ratelimit-remaining"] == "0")
end

-- May everything that a call has sent be sent again? A hook may send more than one request.
local function may_all_arrive_twice(call)
  for _, r in ipairs(call.sent) do
    if not repeats.may_arrive_twice(r) then
      return false
    end
  end
  return #call.sent > 0 or repeats.may_arrive_twice(call.r)
end

-- May a call be tried again? response: the answer to its last try; nil if there was none.
function repeats.may_try_again(call, response)
  if call.has_sunk or not may_all_arrive_twice(call) then
    return false
  end
  local last = call.sent[#call.sent] or call.r
  return not response or may_succeed_later(call, last, response)
end

return repeats
