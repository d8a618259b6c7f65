-- SPDX-License-Identifier: MIT
-- What is raised: a string for a mistake in the program, and a table, a failure, for what went
-- wrong outside of the program.
local failures = {}

local protected = require "endpoint.protected"
local retry_after = require "endpoint.request.response.retry_after"

local Failure = {}
function Failure.__tostring(failure)
  return (failure.position or "") .. failure.message
end
function Failure.__concat(a, b)
  return tostring(a) .. tostring(b)
end

function failures.is_failure(problem)
  return getmetatable(problem) == Failure
end

-- Raises a mistake in the program.
function failures.misuse(problem, ...)
  error("endpoint.request: " .. problem:format(...), 0)
end

-- Why there is a failure: docs/errors.md says what each word means.
failures.REASONS = {
  client = true,
  connect = true,
  ["cut off"] = true,
  hook = true,
  ["not JSON"] = true,
  page = true,
  protocol = true,
  proxy = true,
  redirect = true,
  resolve = true,
  response = true,
  sink = true,
  status = true,
  stream = true,
  timeout = true,
  tls = true,
  token = true,
  ["too long"] = true,
}

-- The word that a function of the program gives; nil if it gives none, or one that is not known.
function failures.known(reason)
  return reason ~= nil and failures.REASONS[reason] and reason or nil
end

-- The most seconds to wait, which any program can write as an integer.
local LONGEST = 2 ^ 31

-- The seconds that a response asks to wait; nil if it does not, and without a response.
local function seconds_to_wait(response)
  local seconds = response and retry_after.seconds(response.headers)
  return seconds and math.min(seconds, LONGEST)
end

-- Raises a failure of a call. reason: a word of failures.REASONS. The response loses its URL, whose
-- query is the request's.
function failures.raise(call, reason, problem, response)
  if response then
    response.url = nil
  end
  error(setmetatable({
    message = ("%s %s: %s"):format(call.method, call:label(), problem),
    method = call.method,
    template = call:label(),
    reason = reason,
    retry_after = seconds_to_wait(response),
    status = response and response.status,
    response = response,
  }, Failure))
end

-- A module of somebody else, which must be installed.
function failures.need(name, remedy)
  local found, module = protected.call(require, name)
  if found then
    return module
  end
  local why = tostring(module):match "[^\n]*"
  failures.misuse("expected the module %s (%s): %s", name, remedy, why)
end

return failures
