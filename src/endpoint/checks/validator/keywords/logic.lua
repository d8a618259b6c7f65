-- SPDX-License-Identifier: MIT
-- In-place applicators: keywords that apply other nodes to the same instance.
local alternatives = require "endpoint.checks.validator.alternatives"
local errors = require "endpoint.checks.validator.errors"

local problem, below = errors.problem, errors.below

-- --- discriminator ----------------------------------------------------------------

-- What the value says of its schema; nil if it says nothing.
local function word_of(check, node, instance)
  local discriminator = node.discriminator
  if not discriminator or type(instance) ~= "table" or check.shape ~= "object" then
    return nil
  end
  local word = rawget(instance, discriminator.propertyName)
  return type(word) == "string" and word or nil
end

local function discriminator(check, node, instance)
  local word = word_of(check, node, instance)
  if not word then
    return nil
  end
  local mapping, known = node.discriminator.mapping, {}
  if mapping[word] ~= nil then
    return check.evaluate(check, mapping[word], instance)
  end
  for name in next, mapping do
    known[#known + 1] = name
  end
  table.sort(known)
  return below(node.discriminator.propertyName, errors.enum_problem(known, word))
end

-- --- several nodes ----------------------------------------------------------------

local function all_of(check, node, instance)
  for _, one in ipairs(node.allOf) do
    local found = check.evaluate(check, one, instance)
    if found then
      return found
    end
  end
end

-- How many of these the value fits, how many of these with certainty, and the problems of the
-- others.
local function try_all(check, nodes, instance, is_one_enough)
  local fits, certain, problems, was_uncertain = 0, 0, nil, check.is_uncertain
  for position, node in ipairs(nodes) do
    check.is_uncertain = false
    local found = check.evaluate(check, node, instance)
    if found then
      problems = problems or {}
      problems[#problems + 1] = { found = found, position = position }
    else
      fits, certain = fits + 1, certain + (check.is_uncertain and 0 or 1)
    end
    if is_one_enough and certain > 0 then
      break
    end
  end
  check.is_uncertain = was_uncertain
  return fits, certain, problems
end

local function any_of(check, node, instance)
  if word_of(check, node, instance) then
    return nil
  end
  local fits, certain, problems = try_all(check, node.anyOf, instance, not check.evaluated)
  if fits == 0 then
    return alternatives.problem(check, node.anyOf, problems, instance)
  end
  check.is_uncertain = check.is_uncertain or certain == 0
end

local function one_of(check, node, instance)
  if word_of(check, node, instance) then
    return nil
  end
  local fits, certain, problems = try_all(check, node.oneOf, instance)
  if fits == 0 then
    return alternatives.problem(check, node.oneOf, problems, instance)
  elseif certain > 1 then
    return problem(
      ("expected a value that fits one of %d schemas, got one that fits %d"):format(
        #node.oneOf,
        certain
      )
    )
  end
  check.is_uncertain = check.is_uncertain or fits ~= 1 or certain ~= 1
end

-- --- conditions -------------------------------------------------------------------

-- Does the value fit the node? The second result is true if that is uncertain.
local function fits(check, node, instance)
  local was_uncertain = check.is_uncertain
  check.is_uncertain = false
  local found = check.evaluate(check, node, instance)
  local is_uncertain = not found and check.is_uncertain
  check.is_uncertain = was_uncertain or is_uncertain
  return not found, is_uncertain
end

local function not_(check, node, instance)
  local mark = check.evaluated and #check.evaluated
  local is_fit, is_uncertain = fits(check, node["not"], instance)
  if mark then
    check.forget(check, mark)
  end
  if is_fit and not is_uncertain then
    return problem 'expected a value that does not fit the schema in "not"'
  end
end

local function branch_problem(check, node, instance)
  return node ~= nil and check.evaluate(check, node, instance) or nil
end

local function if_(check, node, instance)
  local is_fit, is_uncertain = fits(check, node["if"], instance)
  if is_uncertain then
    local found = branch_problem(check, node["then"], instance)
    return found and branch_problem(check, node["else"], instance)
  elseif is_fit then
    return branch_problem(check, node["then"], instance)
  end
  return branch_problem(check, node["else"], instance)
end

-- --- references that are not followed -----------------------------------------------

-- All names and positions may have been evaluated where it leads.
local function dynamic_ref(check, _, instance)
  check.is_uncertain = true
  for key in next, check.evaluated and type(instance) == "table" and instance or {} do
    table.insert(check.evaluated, key)
  end
end

return {
  { "$dynamicRef", "any", dynamic_ref },
  { "discriminator", "object", discriminator, applies_in_place = true },
  { "anyOf", "any", any_of, applies_in_place = true },
  { "oneOf", "any", one_of, applies_in_place = true },
  { "allOf", "any", all_of, applies_in_place = true },
  { "not", "any", not_, applies_in_place = true },
  { "if", "any", if_, applies_in_place = true },
}
