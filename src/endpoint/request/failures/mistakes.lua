-- SPDX-License-Identifier: MIT
-- What a program may have meant that gave a parameter the name of another library's option. By the
-- contract such a parameter is sent, and some APIs have it. So this is told only after the server
-- has refused the call, and only where the value looks like a mistake.
local mistakes = {}

local endpoint = require "endpoint"

local BODY = "a body is given as its fields, or as data"
local QUERY = "a query is given as its parameters, and under POST the route names them: {?a}"
local SETTING = "a setting of a call is given as request = { %s = ... }"

-- Each parameter with the type that its value has where it is a mistake.
local SUSPECTS = {
  { name = "body", type = "table", advice = BODY },
  { name = "json", type = "table", advice = BODY },
  { name = "params", type = "table", advice = QUERY },
  { name = "query", type = "table", advice = QUERY },
  { name = "retries", type = "number", advice = SETTING:format "tries" },
  { name = "timeout", type = "number", advice = SETTING:format "timeout" },
}

-- The statuses by which a server refuses what a request holds (RFC 9110, section 15.5).
local REFUSES = { [400] = true, [415] = true, [422] = true }

local function is_variable(merged, name)
  for _, variable in ipairs(endpoint.variables(merged.url)) do
    if variable.name == name then
      return true
    end
  end
  return false
end

-- A sentence about a call that a server has refused with this status; or nil.
function mistakes.advice(merged, status)
  if not REFUSES[status] then
    return nil
  end
  for _, suspect in ipairs(SUSPECTS) do
    local name = suspect.name
    if type(merged[name]) == suspect.type and not is_variable(merged, name) then
      return ('a parameter "%s" was sent: %s'):format(name, suspect.advice)
    end
  end
end

return mistakes
