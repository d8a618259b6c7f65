-- SPDX-License-Identifier: MIT
-- Keywords of lists.
local errors = require "endpoint.checks.validator.errors"
local identity = require "endpoint.checks.validator.identity"

local problem, below = errors.problem, errors.below

local function min_items(check, node)
  return errors.below_least(check.size, node.minItems, "elements")
end

local function max_items(check, node)
  return errors.above_most(check.size, node.maxItems, "elements")
end

local function note(check, position)
  if check.evaluated then
    table.insert(check.evaluated, position)
  end
end

local function element_problem(check, node, instance, position)
  local found = check.descend(check, node, rawget(instance, position))
  note(check, position)
  return found and below(position, found)
end

local function prefix_items(check, node, instance)
  for position = 1, math.min(#node.prefixItems, check.size) do
    local found = element_problem(check, node.prefixItems[position], instance, position)
    if found then
      return found
    end
  end
end

local function items(check, node, instance)
  for position = #(node.prefixItems or {}) + 1, check.size do
    local found = element_problem(check, node.items, instance, position)
    if found then
      return found
    end
  end
end

-- How many elements fit, and how many of these with certainty.
local function count(check, node, instance)
  local fits, certain, was_uncertain = 0, 0, check.is_uncertain
  for position = 1, check.size do
    check.is_uncertain = false
    if not check.descend(check, node, rawget(instance, position)) then
      fits, certain = fits + 1, certain + (check.is_uncertain and 0 or 1)
      note(check, position)
    end
  end
  check.is_uncertain = was_uncertain or fits > certain
  return fits, certain
end

local function contains(check, node, instance)
  local fits, certain = count(check, node.contains, instance)
  local noun, most = 'elements that fit "contains"', node.maxContains
  return errors.below_least(fits, node.minContains or 1, noun)
    or most and errors.above_most(certain, most, noun)
    or nil
end

local function unique_items(check, node, instance)
  local first = {}
  for position = 1, node.uniqueItems and check.size or 0 do
    local number = identity.number_of(check, rawget(instance, position))
    if first[number] then
      return problem(
        ("expected elements that differ, got %d and %d alike"):format(first[number], position)
      )
    end
    first[number] = position
  end
end

return {
  { "minItems", "array", min_items },
  { "maxItems", "array", max_items },
  { "prefixItems", "array", prefix_items },
  { "items", "array", items },
  { "contains", "array", contains },
  { "uniqueItems", "array", unique_items },
}
