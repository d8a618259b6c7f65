-- SPDX-License-Identifier: MIT
-- What a text may mean under a node: which types its values have, and the nodes of their elements
-- and properties.
local kinds = {}

local text = require "endpoint.text"

local NONE = {}

-- Keywords that apply other nodes to the same value.
local LISTS = { "allOf", "anyOf", "oneOf" }

local TYPE_OF = { string = "string", number = "number", boolean = "boolean" }

-- The types that a node names. All but null together say nothing: a parameter that must be there
-- and has no type in the document has them.
local function named_types(node)
  local types, set = type(node.type) == "table" and node.type or { node.type }, {}
  for _, name in ipairs(types) do
    set[name] = true
  end
  local are_all = set.string and set.number and set.boolean and set.array and set.object
  return are_all and NONE or types
end

local function add_types(found, node)
  local types = named_types(node)
  for _, name in ipairs(types) do
    found[name], found.is_known = true, true
  end
  for _, one in ipairs(node.enum or NONE) do
    local name = TYPE_OF[type(one)]
    if name and types[1] == nil then
      found[name], found.is_known = true, true
    end
  end
end

-- Adds the values of an enumeration, by the texts that a query has for them. "1" in a query stands
-- for the number 1 if the enumeration has both 1 and "1".
local function add_members(found, node)
  for _, one in ipairs(node.enum or NONE) do
    local kind = type(one)
    local written = kind == "string" and one or TYPE_OF[kind] and text.decoded(text.encoded(one))
    found.members = found.members or {}
    if written and (found.members[written] == nil or kind ~= "string") then
      found.members[written] = one
    end
  end
end

local function add_properties(found, node)
  for name, child in next, node.properties or NONE do
    found.properties = found.properties or {}
    if found.properties[name] == nil or next(found.properties[name] or NONE) == nil then
      found.properties[name] = child
    end
  end
  if type(node.additionalProperties) == "table" then
    found.additional = found.additional or node.additionalProperties
  end
  found.is_closed = found.is_closed or node.additionalProperties == false
end

local function add(rulebook, node, found, is_seen)
  node = node and rulebook.node(node)
  if not node or is_seen[node] then
    return
  end
  is_seen[node] = true
  add_types(found, node)
  add_members(found, node)
  add_properties(found, node)
  found.items = found.items or node.items
  found.prefix = found.prefix or node.prefixItems
  for _, word in ipairs(LISTS) do
    for _, child in ipairs(node[word] or NONE) do
      add(rulebook, child, found, is_seen)
    end
  end
  for _, child in next, node.discriminator and node.discriminator.mapping or NONE do
    add(rulebook, child, found, is_seen)
  end
end

-- --- types that hold together -----------------------------------------------------

-- Sets of types; nil for one that any type is in.
local function both(one, other)
  if not one or not other then
    return one or other
  end
  local set = {}
  for name in next, one do
    set[name] = other[name] or name == "integer" and other.number or nil
  end
  set.integer = set.integer or one.number and other.integer or nil
  return set
end

local function own_types(node)
  local set
  for _, name in ipairs(named_types(node)) do
    set = set or {}
    set[name] = true
  end
  return set
end

local types_of -- which the function below calls

-- The types that one of several nodes lets a value have.
local function types_in_one_of(rulebook, list, known)
  local set = {}
  for _, child in ipairs(list) do
    local more = types_of(rulebook, child, known)
    if not more then
      return nil
    end
    for name in next, more do
      set[name] = true
    end
  end
  return set
end

-- The types that all that a node says lets a value have. known: the sets of nodes, false for one
-- that is being asked, as a node in itself.
function types_of(rulebook, node, known)
  node = type(node) == "table" and rulebook.node(node)
  if not node or known[node] ~= nil then
    return node and known[node] or nil
  end
  known[node] = false
  local set = own_types(node)
  for _, child in ipairs(node.allOf or NONE) do
    set = both(set, types_of(rulebook, child, known))
  end
  for _, list in ipairs { node.anyOf or NONE, node.oneOf or NONE } do
    set = both(set, list[1] ~= nil and types_in_one_of(rulebook, list, known) or nil)
  end
  known[node] = set or false
  return set
end

local TYPES = { "string", "integer", "number", "boolean", "null", "array", "object" }

-- Takes the types out of the kinds that a part of the node names, and another part does not allow.
-- Where no type is left, no value fits, and the kinds stay as they are.
local function keep_types(found, allowed)
  if not allowed or next(allowed) == nil then
    return
  end
  found.integer = found.integer or found.number and allowed.integer
  for _, name in ipairs(TYPES) do
    local is_allowed = allowed[name] or name == "integer" and allowed.number
    found[name] = is_allowed and found[name] or nil
  end
end

local ANY = { string = true, is_text = true }

local NO_TEXTS = { "members", "integer", "number", "boolean", "array", "object" }

-- Is any text a value as it is?
local function is_text(found)
  for _, name in ipairs(NO_TEXTS) do
    if found[name] then
      return false
    end
  end
  return true
end

-- The kinds of a node, made once:
-- * `string`, `integer`, `number`, `boolean`, `null`, `array`, `object`: the types that a value may
--   have. Without a type it is a string; `is_text`: is any text a value as it is?
-- * `members`: the values of an enumeration by their texts;
-- * `items` and `prefix`: the nodes of a list's elements; `properties` and `additional`: those of
--   an object; `is_closed`: has it no others?
function kinds.of(rulebook, node)
  if not node then
    return ANY
  end
  local known = rulebook.kinds[node]
  if not known then
    known = {}
    rulebook.kinds[node] = known
    add(rulebook, node, known, {})
    keep_types(known, types_of(rulebook, node, {}))
    known.string = known.string or not known.is_known
    known.is_text = is_text(known)
  end
  return known
end

-- May a value be a string, a number or a boolean?
function kinds.has_scalars(found)
  return found.string or found.integer or found.number or found.boolean
end

-- Is there a table among the elements of a list, or the values of a free map? Then no style can
-- write it, and it is JSON.
function kinds.is_nested(rulebook, found)
  local nodes = { found.array and found.items or NONE, found.object and found.additional or NONE }
  for _, node in ipairs(nodes) do
    local inner = kinds.of(rulebook, node)
    if inner.array or inner.object then
      return true
    end
  end
  return false
end

return kinds
