-- SPDX-License-Identifier: MIT
-- Keywords of what no other keyword of the node, and of the nodes in it, has evaluated. They come
-- last.
local errors = require "endpoint.checks.validator.errors"

local NONE = {}
local below = errors.below

-- The names or positions that were evaluated after a mark, as a set.
local function set_after(check, mark)
  local set = {}
  for position = mark + 1, #check.evaluated do
    set[check.evaluated[position]] = true
  end
  return set
end

local function rest_problem(check, child, key, one, known)
  if not child and type(key) == "string" then
    return errors.unknown_problem(key, known or NONE)
  end
  local found = check.descend(check, child, one)
  table.insert(check.evaluated, key)
  return found and below(key, found)
end

local function property_problem(name, one, check, node, set)
  return not set[name]
    and rest_problem(check, node.unevaluatedProperties, name, one, node.properties)
end

local function unevaluated_properties(check, node, instance, mark)
  local set = set_after(check, mark)
  return errors.problem_below(check, instance, property_problem, check, node, set)
end

local function unevaluated_items(check, node, instance, mark)
  local set = set_after(check, mark)
  for position = 1, check.size do
    local one = rawget(instance, position)
    local found = not set[position] and rest_problem(check, node.unevaluatedItems, position, one)
    if found then
      return found
    end
  end
end

return {
  { "unevaluatedProperties", "object", unevaluated_properties },
  { "unevaluatedItems", "array", unevaluated_items },
}
