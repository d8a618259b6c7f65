-- SPDX-License-Identifier: MIT
-- What an operation needs beside its parameters and its body: headers, and credentials. They are
-- the program's, so that no tool has them.
local needs = {}

local list = require "endpoint.checks.tools.list"

local function headers_of(rules)
  local headers = {}
  for position, asked in ipairs(rules.asked_headers or {}) do
    local node = rules.headers and rules.headers.properties[asked[1]]
    local words = asked[3] ~= "" and asked[3] or node and node.description
    headers[position] = { name = asked[1], required = asked[2], description = words or nil }
  end
  return headers
end

-- A text that is not empty.
local function non_empty(text)
  return text ~= "" and text or nil
end

local function scheme_of(row)
  local scopes = {}
  for position, scope in ipairs(row[6]) do
    scopes[position] = scope
  end
  return {
    scheme = row[1],
    type = non_empty(row[2]),
    place = non_empty(row[3]),
    name = non_empty(row[4]),
    http = non_empty(row[5]),
    scopes = scopes,
  }
end

local function security_of(rules)
  local alternatives = {}
  for position, requirement in ipairs(rules.security or {}) do
    local schemes = {}
    for number, row in ipairs(requirement) do
      schemes[number] = scheme_of(row)
    end
    alternatives[position] = schemes
  end
  return alternatives
end

-- The `headers` of an operation, and its `security`: a list of lists of schemes, and one of these
-- lists is enough. Or nil and a sentence. name: an operationId, a route, or the name of a tool.
function needs.of_operation(rulebook, name)
  local operation, problem = list.operation(rulebook, name)
  if not operation then
    return nil, problem
  end
  local rules = rulebook.ready(operation).rules
  return { headers = headers_of(rules), security = security_of(rules) }
end

return needs
