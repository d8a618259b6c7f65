-- SPDX-License-Identifier: MIT
-- Keywords of strings and of numbers.
local decimal = require "endpoint.checks.validator.decimal"
local errors = require "endpoint.checks.validator.errors"
local patterns = require "endpoint.checks.validator.patterns"

local find = string.find
local problem = errors.problem

-- --- strings ----------------------------------------------------------------------

-- Characters, which are code points: bytes of UTF-8 that begin one.
local function length_of(instance)
  if not find(instance, "[\128-\191]") then
    return #instance
  end
  return select(2, instance:gsub("[^\128-\191]", ""))
end

local function min_length(_, node, instance)
  return errors.below_least(length_of(instance), node.minLength, "characters")
end

local function max_length(_, node, instance)
  if #instance > node.maxLength then
    return errors.above_most(length_of(instance), node.maxLength, "characters")
  end
end

local function pattern(check, node, instance)
  if patterns.fits(check, node.pattern, instance) == false then
    return problem("expected a string that fits the pattern " .. errors.shown(node.pattern))
  end
end

local function format(check)
  check.is_uncertain = true
end

-- --- numbers ----------------------------------------------------------------------

local function limit_problem(words, limit, instance)
  local numbers = { errors.number(limit), errors.number(instance) }
  return problem(("expected %s %s, got %s"):format(words, numbers[1], numbers[2]))
end

local function minimum(_, node, instance)
  if instance < node.minimum then
    return limit_problem("at least", node.minimum, instance)
  end
end

local function maximum(_, node, instance)
  if instance > node.maximum then
    return limit_problem("at most", node.maximum, instance)
  end
end

local function exclusive_minimum(_, node, instance)
  if instance <= node.exclusiveMinimum then
    return limit_problem("more than", node.exclusiveMinimum, instance)
  end
end

local function exclusive_maximum(_, node, instance)
  if instance >= node.exclusiveMaximum then
    return limit_problem("less than", node.exclusiveMaximum, instance)
  end
end

local function multiple_of(_, node, instance)
  if not decimal.is_multiple(instance, node.multipleOf) then
    return limit_problem("a multiple of", node.multipleOf, instance)
  end
end

return {
  { "minLength", "string", min_length },
  { "maxLength", "string", max_length },
  { "pattern", "string", pattern },
  { "format", "string", format },
  { "minimum", "number", minimum },
  { "maximum", "number", maximum },
  { "exclusiveMinimum", "number", exclusive_minimum },
  { "exclusiveMaximum", "number", exclusive_maximum },
  { "multipleOf", "number", multiple_of },
}
