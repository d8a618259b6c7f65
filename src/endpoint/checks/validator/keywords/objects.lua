-- SPDX-License-Identifier: MIT
-- Keywords of objects. What a check and a node are is in value.lua.
local errors = require "endpoint.checks.validator.errors"
local patterns = require "endpoint.checks.validator.patterns"

local NONE = {}
local problem, below, problem_below = errors.problem, errors.below, errors.problem_below

-- --- names and their values -------------------------------------------------------

local function member_problem(check, node, name, one)
  local found = check.descend(check, node, one)
  if check.evaluated then
    table.insert(check.evaluated, name)
  end
  return found and below(name, found)
end

local function property_problem(name, one, check, node)
  local child = node.properties[name]
  if child ~= nil then
    return member_problem(check, child, name, one)
  end
end

local function properties(check, node, instance)
  return problem_below(check, instance, property_problem, check, node)
end

-- A name of which it is not known whether a pattern takes it may have been evaluated.
local function pattern_problem(pattern, child, check, name, one)
  local takes = patterns.fits(check, pattern, name)
  if takes == nil and check.evaluated then
    table.insert(check.evaluated, name)
  end
  return takes and member_problem(check, child, name, one)
end

local function patterns_problem(name, one, check, node)
  return problem_below(check, node.patternProperties, pattern_problem, check, name, one)
end

local function pattern_properties(check, node, instance)
  return problem_below(check, instance, patterns_problem, check, node)
end

-- Does a pattern take the name, or may it?
local function is_taken(check, node, name)
  for pattern in next, node.patternProperties or NONE do
    if patterns.fits(check, pattern, name) ~= false then
      return true
    end
  end
  return false
end

local function additional_problem(name, one, check, node)
  local known, child = node.properties or NONE, node.additionalProperties
  if known[name] ~= nil or is_taken(check, node, name) then
    return nil
  elseif child then
    return member_problem(check, child, name, one)
  end
  return errors.unknown_problem(name, known)
end

local function additional_properties(check, node, instance)
  return problem_below(check, instance, additional_problem, check, node)
end

-- properties and additionalProperties = false in one walk, which is what nearly all objects have.
-- An unknown name is told before what else is wrong.
local function closed_properties(check, node, instance)
  if check.evaluated or check.in_order then
    return additional_properties(check, node, instance) or properties(check, node, instance)
  end
  local known, descend = node.properties, check.descend
  for name, one in next, instance do
    local child = known[name]
    if child == nil then
      return errors.unknown_problem(name, known)
    end
    local found = descend(check, child, one)
    if found then
      return below(name, found)
    end
  end
end

local function name_problem(name, _, check, node)
  local found = check.descend(check, node.propertyNames, name)
  return found and problem(("the name %s: %s"):format(errors.shown(name), errors.sentence(found)))
end

local function property_names(check, node, instance)
  return problem_below(check, instance, name_problem, check, node)
end

-- --- which names there are --------------------------------------------------------

local function required(_, node, instance)
  for _, name in ipairs(node.required) do
    if rawget(instance, name) == nil then
      return problem("", { missing = name })
    end
  end
end

local function missing_problem(name, needed, instance)
  for _, other in ipairs(rawget(instance, name) ~= nil and needed or NONE) do
    if rawget(instance, other) == nil then
      return problem(", which " .. errors.shown(name) .. " needs", { missing = other })
    end
  end
end

local function dependent_required(check, node, instance)
  return problem_below(check, node.dependentRequired, missing_problem, instance)
end

local function dependent_problem(name, child, check, instance)
  return rawget(instance, name) ~= nil and check.evaluate(check, child, instance)
end

local function dependent_schemas(check, node, instance)
  return problem_below(check, node.dependentSchemas, dependent_problem, check, instance)
end

local function min_properties(check, node)
  return errors.below_least(check.size, node.minProperties, "names")
end

local function max_properties(check, node)
  return errors.above_most(check.size, node.maxProperties, "names")
end

local function is_closed(node)
  return node.properties and node.additionalProperties == false and not node.patternProperties
end

local function is_not_closed(node)
  return not is_closed(node)
end

return {
  { "additionalProperties", "object", closed_properties, is_needed = is_closed },
  { "additionalProperties", "object", additional_properties, is_needed = is_not_closed },
  { "properties", "object", properties, is_needed = is_not_closed },
  { "patternProperties", "object", pattern_properties },
  { "propertyNames", "object", property_names },
  { "required", "object", required },
  { "dependentRequired", "object", dependent_required },
  { "minProperties", "object", min_properties },
  { "maxProperties", "object", max_properties },
  { "dependentSchemas", "object", dependent_schemas, applies_in_place = true },
}
