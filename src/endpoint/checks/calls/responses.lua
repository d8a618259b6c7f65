-- SPDX-License-Identifier: MIT
-- The body of a response against the node that its status has in the rules of the operation.
local responses = {}

local errors = require "endpoint.checks.validator.errors"
local problems = require "endpoint.checks.validator.problems"
local value = require "endpoint.checks.validator.value"

-- --- statuses ---------------------------------------------------------------------

-- What is wrong with how the program asks, nil if nothing is.
function responses.misuse(rulebook, status)
  if not rulebook.has_responses then
    return "the file has no rules of responses: make it again with --checks --responses"
  end
  if type(status) ~= "number" or status % 1 ~= 0 or status < 100 or status > 599 then
    local got = type(status) == "number" and tostring(status) or "a " .. type(status)
    return "status: expected an integer from 100 to 599, got " .. got
  end
end

-- The node of a status: its own, that of its range, or that of all others (OpenAPI 3.1, responses
-- object).
local function node_of(known, status)
  local exact = known[("%d"):format(status)]
  if exact ~= nil then
    return exact
  end
  local range = known[("%dXX"):format((status - status % 100) / 100)]
  if range ~= nil then
    return range
  end
  return known.default
end

-- --- bodies -----------------------------------------------------------------------

-- HTTP has no body there (RFC 9110, sections 9.3.2 and 15).
local NO_BODY = { [204] = true, [205] = true, [304] = true }

local function has_no_body(operation, status)
  return NO_BODY[status] or status < 200 or operation[1]:find "^HEAD " ~= nil
end

local function body_problem(rulebook, operation, node, status, given)
  if given ~= nil then
    local all = problems.all(rulebook, node, given)
    return all[1] and problems.sentence(all, errors.sentence, "property"), problems.told(all)
  end
  local is_missing = not value.takes_all(rulebook, node) and not has_no_body(operation, status)
  return is_missing and "the body is missing" or nil, { { pointer = "", message = "is missing" } }
end

-- The nodes of an operation by status, opened once.
local function nodes_of(rulebook, operation)
  local known = operation.rules.responses.properties
  if rulebook.opened and not operation.has_opened_responses then
    for _, node in next, known do
      rulebook.opened(node)
    end
    operation.has_opened_responses = true
  end
  return known
end

-- nil, or a sentence about what is wrong with a response, and a list of the problems in its body.
-- operation: with its rules.
function responses.problem(rulebook, operation, status, given)
  rulebook = rulebook.of_responses
  local known = nodes_of(rulebook, operation)
  local node, found, list = node_of(known, status), "the document has no such status", nil
  if node ~= nil then
    found, list = body_problem(rulebook, operation, node, status, given)
  end
  if found then
    return ("%s: status %d: %s"):format(operation[1], status, found), list
  end
end

return responses
