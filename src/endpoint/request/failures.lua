-- SPDX-License-Identifier: MIT
-- What is raised: a string for a mistake in the program, and a table, a failure, for what went
-- wrong outside of the program.
local failures = {}

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

-- Raises a failure of a call. The response loses its URL, whose query is the request's.
function failures.raise(call, problem, response)
  if response then
    response.url = nil
  end
  error(setmetatable({
    message = ("%s %s: %s"):format(call.method, call.template, problem),
    method = call.method,
    template = call.template,
    status = response and response.status,
    response = response,
  }, Failure))
end

-- A module of somebody else, which must be installed.
function failures.need(name, remedy)
  local found, module = pcall(require, name)
  if found then
    return module
  end
  local why = tostring(module):match "[^\n]*"
  failures.misuse("expected the module %s (%s): %s", name, remedy, why)
end

return failures
