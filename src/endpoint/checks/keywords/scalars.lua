-- SPDX-License-Identifier: MIT
-- Keywords of strings and of numbers.
local decimal = require "endpoint.checks.decimal"
local errors = require "endpoint.checks.errors"
local patterns = require "endpoint.checks.patterns"

local find = string.find
local problem = errors.problem

-- --- strings ----------------------------------------------------------------------

-- Characters, which are code points: bytes of UTF-8 that begin one.
local function length_of(given)
  if not find(given, "[\128-\191]") then
    return #given
  end
  return select(2, given:gsub("[^\128-\191]", ""))
end

local function min_length(_, node, given)
  return errors.below_least(length_of(given), node.minLength, "characters")
end

local function max_length(_, node, given)
  if #given > node.maxLength then
    return errors.above_most(length_of(given), node.maxLength, "characters")
  end
end

local function pattern(check, node, given)
  if patterns.fits(check, node.pattern, given) == false then
    return problem("expected a string that fits the pattern " .. errors.shown(node.pattern))
  end
end

local function format(check)
  check.is_uncertain = true
end

-- --- numbers ----------------------------------------------------------------------

local function limit_problem(words, limit, given)
  return problem(("expected %s %s, got %s"):format(words, tostring(limit), tostring(given)))
end

local function minimum(_, node, given)
  if given < node.minimum then
    return limit_problem("at least", node.minimum, given)
  end
end

local function maximum(_, node, given)
  if given > node.maximum then
    return limit_problem("at most", node.maximum, given)
  end
end

local function exclusive_minimum(_, node, given)
  if given <= node.exclusiveMinimum then
    return limit_problem("more than", node.exclusiveMinimum, given)
  end
end

local function exclusive_maximum(_, node, given)
  if given >= node.exclusiveMaximum then
    return limit_problem("less than", node.exclusiveMaximum, given)
  end
end

local function multiple_of(_, node, given)
  if not decimal.is_multiple(given, node.multipleOf) then
    return limit_problem("a multiple of", node.multipleOf, given)
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
