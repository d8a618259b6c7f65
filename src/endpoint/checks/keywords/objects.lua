-- SPDX-License-Identifier: MIT
-- Keywords of objects. What a check and a node are is in value.lua.
local errors = require "endpoint.checks.errors"
local patterns = require "endpoint.checks.patterns"

local NONE = {}
local problem, below = errors.problem, errors.below

-- --- names and their values -------------------------------------------------------

local function member_problem(check, node, name, one)
  local found = check.descend(check, node, one)
  if check.evaluated then
    table.insert(check.evaluated, name)
  end
  return found and below(name, found)
end

local function properties(check, node, instance)
  local known = node.properties
  for name, one in next, instance do
    local child = known[name]
    if child ~= nil then
      local found = member_problem(check, child, name, one)
      if found then
        return found
      end
    end
  end
end

local function pattern_properties(check, node, instance)
  for name, one in next, instance do
    for pattern, child in next, node.patternProperties do
      local found = patterns.fits(check, pattern, name) and member_problem(check, child, name, one)
      if found then
        return found
      end
    end
  end
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

local function additional_properties(check, node, instance)
  local known, child = node.properties or NONE, node.additionalProperties
  for name, one in next, instance do
    if known[name] == nil and not is_taken(check, node, name) then
      local found
      if child then
        found = member_problem(check, child, name, one)
      else
        found = errors.unknown_problem(name, known)
      end
      if found then
        return found
      end
    end
  end
end

-- properties and additionalProperties = false in one walk, which is what nearly all objects have.
-- An unknown name is told before what else is wrong.
local function closed_properties(check, node, instance)
  if check.evaluated then
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
      -- An unknown name may come later in the walk.
      return additional_properties(check, node, instance) or below(name, found)
    end
  end
end

local function property_names(check, node, instance)
  for name in next, instance do
    local found = check.descend(check, node.propertyNames, name)
    if found then
      return problem(("the name %s: %s"):format(errors.shown(name), errors.sentence(found)))
    end
  end
end

-- --- which names there are --------------------------------------------------------

local function required(_, node, instance)
  for _, name in ipairs(node.required) do
    if rawget(instance, name) == nil then
      return problem("", { missing = name })
    end
  end
end

local function dependent_required(_, node, instance)
  for name, needed in next, node.dependentRequired do
    for _, other in ipairs(rawget(instance, name) ~= nil and needed or NONE) do
      if rawget(instance, other) == nil then
        return problem(", which " .. errors.shown(name) .. " needs", { missing = other })
      end
    end
  end
end

local function dependent_schemas(check, node, instance)
  for name, child in next, node.dependentSchemas do
    local found = rawget(instance, name) ~= nil and check.evaluate(check, child, instance)
    if found then
      return found
    end
  end
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
