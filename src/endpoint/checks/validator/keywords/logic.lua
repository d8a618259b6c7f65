-- SPDX-License-Identifier: MIT
-- In-place applicators: keywords that apply other nodes to the same instance.
local alternatives = require "endpoint.checks.validator.alternatives"
local errors = require "endpoint.checks.validator.errors"

local NULL = require "endpoint".null
local problem, below = errors.problem, errors.below

-- --- tags -------------------------------------------------------------------------

-- The tag of an object under this keyword, and the object's value of its property; nothing if there
-- is none. null is not a value of tags.
local function tag_of(check, node, keyword, instance)
  local tag = node.tag
  if not tag or tag.of ~= keyword or type(instance) ~= "table" or check.shape ~= "object" then
    return nil
  end
  local given = rawget(instance, tag.property)
  if given ~= NULL then
    return tag, given
  end
end

-- Strings before numbers, and these before true and false.
local function is_before(one, other)
  if type(one) ~= type(other) then
    return type(one) > type(other)
  elseif type(one) == "boolean" then
    return one and not other
  end
  return one < other
end

-- The problem of an object whose value no node has.
local function unknown_problem(tag, given)
  if given == nil then
    return problem("", { missing = tag.property })
  end
  local known = {}
  for one in next, tag.values do
    known[#known + 1] = one
  end
  table.sort(known, is_before)
  return below(tag.property, errors.enum_problem(known, given))
end

-- The nodes that a tag's value selects. No other node of the list can fit.
local function meant_by(tag, given, nodes)
  local positions, meant = tag.values[given], {}
  if type(positions) == "number" then
    return { nodes[positions] }
  end
  for number, position in ipairs(positions) do
    meant[number] = nodes[position]
  end
  return meant
end

-- The problem of a value that fits no node: of those that its tag means, if it means some.
local function none_problem(check, nodes, problems, instance, tag, given)
  local positions = tag and given ~= nil and tag.values[given]
  if not positions then
    return alternatives.problem(check, nodes, problems, instance)
  end
  local is_meant, meant = {}, {}
  for _, position in ipairs(type(positions) == "table" and positions or { positions }) do
    is_meant[position] = true
  end
  for _, one in ipairs(problems) do
    meant[#meant + 1] = is_meant[one.position] and one or nil
  end
  return alternatives.problem(check, nodes, meant, instance)
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

-- The nodes of a keyword that an object may fit; or nil and its problem, if its tag says that it
-- fits none. After them the tag and its value, if all nodes are to be tried.
local function nodes_of(check, node, keyword, instance)
  local tag, given = tag_of(check, node, keyword, instance)
  if not tag or not tag.is_proven then
    return node[keyword], nil, tag, given
  elseif given == nil or tag.values[given] == nil then
    return nil, unknown_problem(tag, given)
  end
  return meant_by(tag, given, node[keyword])
end

local function any_of(check, node, instance)
  local nodes, unknown, tag, given = nodes_of(check, node, "anyOf", instance)
  if not nodes then
    return unknown
  end
  local fits, certain, problems = try_all(check, nodes, instance, not check.evaluated)
  if fits == 0 then
    return none_problem(check, nodes, problems, instance, tag, given)
  end
  check.is_uncertain = check.is_uncertain or certain == 0
end

local function one_of(check, node, instance)
  local nodes, unknown, tag, given = nodes_of(check, node, "oneOf", instance)
  if not nodes then
    return unknown
  end
  local fits, certain, problems = try_all(check, nodes, instance)
  if fits == 0 then
    return none_problem(check, nodes, problems, instance, tag, given)
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
  { "anyOf", "any", any_of, applies_in_place = true },
  { "oneOf", "any", one_of, applies_in_place = true },
  { "allOf", "any", all_of, applies_in_place = true },
  { "not", "any", not_, applies_in_place = true },
  { "if", "any", if_, applies_in_place = true },
}
