-- SPDX-License-Identifier: MIT
-- Lists and objects of JSON, which both are tables in Lua: which of the two an empty one is by the
-- rules of its place.
local empties = {}

local shapes = require "endpoint.checks.validator.shapes"
local value = require "endpoint.checks.validator.value"

local NONE = {}

-- --- the node of a place --------------------------------------------------------------

-- The nodes that hold wherever this one does.
local function conjuncts_of(rulebook, node)
  local list = {}
  if node.ref then
    list[1] = rulebook.schemas[node.ref]
  end
  for _, one in ipairs(node.allOf or NONE) do
    list[#list + 1] = one
  end
  return list
end

-- The lists of nodes that are alternatives: at least one of each list holds.
local function alternatives_of(node)
  local lists = { node.anyOf, node.oneOf }
  local mapping = type(node.discriminator) == "table" and node.discriminator.mapping
  if mapping then
    local list = {}
    for _, one in next, mapping do
      list[#list + 1] = one
    end
    lists[#lists + 1] = list
  end
  return lists
end

-- What the node itself says of the value under a key; nil for nothing. Patterns are not asked: they
-- may take the name in the place of additionalProperties.
local function child_of_node(node, key)
  if type(key) == "number" then
    return (node.prefixItems or NONE)[key] or node.items or nil
  end
  local child = (node.properties or NONE)[key]
  if child == nil and node.patternProperties == nil then
    child = node.additionalProperties
  end
  return child or nil
end

local child_in -- which the functions below call

local function children_in(rulebook, list, key, seen)
  local found = {}
  for _, one in ipairs(list) do
    found[#found + 1] = child_in(rulebook, one, key, seen)
  end
  return found
end

-- The nodes of a list, each once; a reference by number becomes its node. Recursive alternatives
-- lead to the same child several times.
local function distinct(rulebook, list)
  local found, is_there = {}, {}
  for _, one in ipairs(list) do
    one = one.ref and rulebook.schemas[one.ref] or one
    if one and not is_there[one] then
      found[#found + 1], is_there[one] = one, true
    end
  end
  return found
end

-- The nodes of a list that say something, if any does.
local function telling(list)
  local found = {}
  for _, one in ipairs(list) do
    local says_nothing = next(one) == nil or one.plan and next(one.plan) == nil
    found[#found + 1] = not says_nothing and one or nil
  end
  return found[1] and found or list
end

-- seen: the nodes that were asked; each is asked once.
function child_in(rulebook, node, key, seen)
  if type(node) ~= "table" or seen[node] then
    return nil
  end
  seen[node] = true
  local found = children_in(rulebook, conjuncts_of(rulebook, node), key, seen)
  found[#found + 1] = child_of_node(node, key)
  for _, list in next, alternatives_of(node) do
    local alternatives = distinct(rulebook, children_in(rulebook, list, key, seen))
    found[#found + 1] = alternatives[2] and { anyOf = alternatives } or alternatives[1]
  end
  found = telling(distinct(rulebook, found))
  if found[2] then
    return { allOf = found }
  end
  return found[1]
end

-- The node of the value under a key of a table with this node, nil where no rule is known.
-- rulebook: `schemas`, the nodes by number.
function empties.child(rulebook, node, key)
  return child_in(rulebook, node, key, {})
end

-- The node of a place, which is found when an empty table needs it. A place has its `parent` and
-- the `key` there, or a `node`, false where no rule is known.
function empties.node_of(rulebook, place)
  if place.node == nil then
    local above = empties.node_of(rulebook, place.parent)
    place.node = above and empties.child(rulebook, above, place.key) or false
  end
  return place.node
end

-- --- what an empty table is -----------------------------------------------------------

local function has_type(types, name)
  if type(types) ~= "table" then
    return types == name
  end
  for _, one in ipairs(types) do
    if one == name then
      return true
    end
  end
  return false
end

-- What the node itself says: may the value be a list, and may it be an object? Words about one of
-- the two without a type say so, unless there are alternatives, which may be the other.
local function kinds_of_node(node)
  if node.type then
    return has_type(node.type, "array"), has_type(node.type, "object")
  end
  if node.anyOf or node.oneOf then
    return true, true
  end
  if node.properties or node.additionalProperties ~= nil then
    return false, true
  end
  if node.items or node.prefixItems then
    return true, false
  end
  return true, true
end

local function kinds_in(rulebook, node, seen)
  if type(node) ~= "table" or seen[node] then
    return true, true
  end
  seen[node] = true
  local list, object = kinds_of_node(node)
  for _, one in ipairs(conjuncts_of(rulebook, node)) do
    local is_list, is_object = kinds_in(rulebook, one, seen)
    list, object = list and is_list, object and is_object
  end
  for _, alternatives in next, alternatives_of(node) do
    local some_list, some_object = alternatives[1] == nil, alternatives[1] == nil
    for _, one in ipairs(alternatives) do
      local is_list, is_object = kinds_in(rulebook, one, seen)
      some_list, some_object = some_list or is_list, some_object or is_object
    end
    list, object = list and some_list, object and some_object
  end
  return list, object
end

-- Does an empty list fit a node, and does an empty object?
local function fits(rulebook, node)
  return value.problem(rulebook, node, shapes.EMPTY_LIST) == nil,
    value.problem(rulebook, node, shapes.EMPTY_OBJECT) == nil
end

-- "array" or "object": what an empty table is under a node; nil if the rules leave it open.
function empties.of_empty(rulebook, node, given)
  local list, object = fits(rulebook, node)
  if list == object then
    list, object = kinds_in(rulebook, node, {})
  end
  if list ~= object then
    return list and "array" or "object"
  end
  local marked = shapes.shape_of(given)
  return marked ~= "empty" and marked or nil
end

return empties
