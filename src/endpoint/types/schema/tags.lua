-- SPDX-License-Identifier: MIT
-- The property whose value says which of several nodes is meant. It is *proven* if each of them
-- that takes objects requires the property and lists its values: a node that does not list the
-- value of an object cannot fit, with a `discriminator` and without. Where it is not, or where the
-- discriminator alone says so, it only chooses whose problem is told: OpenAPI 3.1.1, "Discriminator
-- Object", "MUST NOT change the validation outcome".
local tags = {}

local budget = require "endpoint.types.document.budget"
local values = require "endpoint.types.document.values"
local NOTHING = values.NOTHING

-- Nodes in nodes for one value.
local MOST_NESTED = 20

-- As many properties of the first nodes are tried.
local MOST_TRIED = 8

local function target_of(node)
  return node and node.ref or node
end

-- Calls a function with each node that an applicator of one has.
local function each_in(list, call)
  for position, child in ipairs(list or NOTHING) do
    child = target_of(child)
    if child then
      call(child, position)
    end
  end
end

-- May a value of the node be an object?
local function takes_objects(node)
  local types = type(node.type) == "table" and node.type or { node.type }
  for _, name in ipairs(types) do
    if name == "object" then
      return true
    end
  end
  return types[1] == nil and (not node.enum or type(node.enum[1]) == "table")
end

-- --- the values of a property -------------------------------------------------------------

local function add_all(list, is_known, more)
  for _, value in ipairs(more) do
    if not is_known[value] then
      list[#list + 1], is_known[value] = value, true
    end
  end
end

local listed_by -- which the functions below call

-- The values of a union; nil if one of its nodes lists none.
local function listed_by_all(list, depth)
  local found, is_known, is_listed = {}, {}, depth < MOST_NESTED
  each_in(list, function(child)
    local more = is_listed and (child.type == "null" and NOTHING or listed_by(child, depth + 1))
    if more then
      add_all(found, is_known, more)
    else
      is_listed = false
    end
  end)
  return is_listed and found[1] ~= nil and found or nil
end

-- The scalars that a node lists for its value; nil if it takes others, too. null is not among them:
-- it is no key of a table.
function listed_by(node, depth)
  if node.enum then
    local found = {}
    for _, value in ipairs(node.enum) do
      if type(value) == "table" then
        return nil
      end
      if type(value) ~= "userdata" then
        found[#found + 1] = value
      end
    end
    return found
  end
  local found
  each_in(depth < MOST_NESTED and node.allOf, function(child)
    found = found or listed_by(child, depth + 1)
  end)
  return found or node.anyOf and listed_by_all(node.anyOf, depth) or nil
end

-- What a node itself says of a property of its objects: the values that it lists, and is the
-- property required?
local function own_values(node, property, depth)
  local child = target_of((node.properties or NOTHING)[property])
  local found, is_required = child and listed_by(child, 0), false
  for _, name in ipairs(node.required or NOTHING) do
    is_required = is_required or name == property
  end
  each_in(depth < MOST_NESTED and node.allOf, function(part)
    local more, is_required_there = own_values(part, property, depth + 1)
    found, is_required = found or more, is_required or is_required_there
  end)
  return found or nil, is_required
end

local values_of -- which the functions below call

-- The same of a union: all that its nodes list, and do all of them require it?
local function values_in_union(known, list, property, depth)
  local found, is_known, is_listed, is_required = {}, {}, true, true
  each_in(list, function(child)
    if is_listed and takes_objects(child) then
      local told = values_of(known, child, property, depth + 1)
      is_listed = told.list ~= nil
      is_required = is_required and told.is_required
      add_all(found, is_known, told.list or NOTHING)
    end
  end)
  return { list = is_listed and found[1] ~= nil and found or nil, is_required = is_required }
end

local function read_values(known, node, property, depth)
  local found, is_required = own_values(node, property, 0)
  local list = node.oneOf or node.anyOf
  if found or not list or depth >= MOST_NESTED then
    return { list = found, is_required = is_required }
  end
  local told = values_in_union(known, list, property, depth)
  told.is_required = told.is_required or is_required
  return told
end

-- The values of a property in objects that fit a node: `list`, nil if it may have any; and
-- `is_required`. known: what was found, by the node and the property.
function values_of(known, node, property, depth)
  known[node] = known[node] or {}
  if not known[node][property] then
    known[node][property] = NOTHING -- of a node that holds itself
    known[node][property] = read_values(known, node, property, depth)
  end
  return known[node][property]
end

-- --- one property as a tag ------------------------------------------------------------------

local function add_position(tag, value, position)
  local positions = tag.values[value]
  if not positions then
    tag.values[value], tag.count = { position }, tag.count + 1
  else
    positions[#positions + 1] = position
  end
end

-- The tag of a list of nodes by a property; nil if one of them lists no values, or all the same.
local function tag_by(doc, known, list, property)
  local tag, objects, is_listed = { property = property, values = {}, count = 0 }, 0, true
  tag.is_proven = true
  each_in(list, function(node, position)
    if not is_listed or not takes_objects(node) then
      return
    end
    local told = values_of(known, node, property, 0)
    is_listed, objects = told.list ~= nil, objects + 1
    tag.is_proven = tag.is_proven and told.is_required
    for _, value in ipairs(told.list or NOTHING) do
      budget.spend(doc, budget.COPY)
      add_position(tag, value, position)
    end
  end)
  return is_listed and objects > 1 and tag.count > 1 and tag or nil
end

-- The names of properties that may be a tag: that of the discriminator, and those of the first
-- nodes that list their values.
local function candidates_in(list, hint)
  local names, is_known, is_first = {}, {}, true
  local function add(name)
    if not is_known[name] and #names < MOST_TRIED then
      names[#names + 1], is_known[name] = name, true
    end
  end
  local function add_required(node, depth)
    for _, name in ipairs(node.required or NOTHING) do
      if own_values(node, name, 0) then
        add(name)
      end
    end
    if depth == MOST_NESTED then
      return
    end
    local inner = node.oneOf or node.anyOf or node.allOf or NOTHING
    if target_of(inner[1]) then
      add_required(target_of(inner[1]), depth + 1)
    end
  end
  if hint then
    add(hint.property)
  end
  each_in(list, function(node)
    if is_first and takes_objects(node) then
      add_required(node, 0)
      is_first = false
    end
  end)
  return names
end

local function is_better(tag, best)
  if not best or tag.is_proven ~= best.is_proven then
    return not best or tag.is_proven
  end
  return tag.count > best.count
end

-- What a discriminator says where the nodes do not: its values, each with the node that it means.
local function tag_by_discriminator(list, hint)
  local positions, tag = {}, { property = hint.property, values = {}, count = 0 }
  for position, node in ipairs(list) do
    positions[node] = position
  end
  for value, node in next, hint.mapping do
    if positions[node] then
      add_position(tag, value, positions[node])
    end
  end
  return tag.count > 0 and tag or nil
end

-- --- all nodes --------------------------------------------------------------------------------

local function best_tag(doc, known, list, hint)
  local best
  for _, property in ipairs(candidates_in(list, hint)) do
    local tag = tag_by(doc, known, list, property)
    if tag and is_better(tag, best) then
      best = tag
    end
  end
  return best or hint and tag_by_discriminator(list, hint)
end

-- Adds the tags of nodes that have keywords. reached: a set of nodes. A `tag` has `of`, the keyword
-- "oneOf" or "anyOf"; the `property`; `values`, the positions in the list by the value of the
-- property; and `is_proven`.
function tags.add(doc, reached)
  local known, origins = {}, doc.schemas.origins
  for node in next, reached do
    local keyword = node.oneOf and "oneOf" or node.anyOf and "anyOf"
    local origin = origins[node]
    local tag = keyword and best_tag(doc, known, node[keyword], origin and origin.hint)
    if tag then
      node.tag = { of = keyword, property = tag.property, values = tag.values }
      node.tag.is_proven = tag.is_proven or nil
    end
  end
end

return tags
