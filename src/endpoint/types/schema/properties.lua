-- SPDX-License-Identifier: MIT
-- The properties of a node: its own, and those of the nodes of the same value, by allOf, oneOf and
-- anyOf (JSON Schema 2020-12 Core, "Keywords for Applying Subschemas With Logic"), and by a
-- discriminator (OpenAPI 3.1, "Discriminator Object").
local properties = {}

local budget = require "endpoint.types.document.budget"
local closing = require "endpoint.types.schema.closing"
local nodes = require "endpoint.types.schema.nodes"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local values = require "endpoint.types.document.values"
local NOTHING = values.NOTHING

-- --- several nodes as one ---------------------------------------------------------------

local function id_of(joined, node)
  if not joined[node] then
    joined.count = (joined.count or 0) + 1
    joined[node] = joined.count
  end
  return joined[node]
end

-- The nodes that several are made of, each once.
local function flattened(doc, keyword, list)
  local flat, is_known, origins = {}, {}, doc.schemas.origins
  for _, node in ipairs(list) do
    local origin = origins[node]
    for _, one in ipairs(origin and origin.is_joined == keyword and node[keyword] or { node }) do
      budget.spend(doc, budget.COPY)
      if not is_known[one] then
        flat[#flat + 1], is_known[one] = one, true
      end
    end
  end
  return flat
end

-- A node for several of one property: by "allOf" if each of them holds, by "anyOf" if one is
-- enough. It is the same table each time, since a property may have itself in two of them.
local function joined(doc, keyword, list)
  local flat = list[2] and flattened(doc, keyword, list) or list
  if not flat[2] then
    return flat[1]
  end
  local known, ids = doc.schemas.joined, { keyword }
  for position, node in ipairs(flat) do
    ids[position + 1] = id_of(known, node)
  end
  local key = table.concat(ids, " ")
  budget.spend(doc, #key)
  if not known[key] then
    known[key] = { [keyword] = flat }
    doc.schemas.origins[known[key]] = { is_joined = keyword }
  end
  return known[key]
end

-- --- what a node says itself --------------------------------------------------------------

-- What is known of an object: `lists`, a list of nodes for each name, with each node once; the
-- `required` names, and those `dropped` which only the other direction has, sets.
local function new_found()
  return { lists = {}, required = {}, dropped = {} }
end

local function add(lists, name, node, is_first)
  local list = lists[name] or { is_known = {} }
  lists[name] = list
  if not list.is_known[node] then
    list.is_known[node] = true
    table.insert(list, is_first and 1 or #list + 1, node)
  end
end

-- Names that are in the node only because it is closed are described by other nodes.
local function add_own(doc, found, node)
  local origin = doc.schemas.origins[node]
  for name in next, origin and origin.dropped or NOTHING do
    found.dropped[name] = true
  end
  local placeholders = origin and origin.placeholders or NOTHING
  for name, child in next, node.properties or NOTHING do
    if child and not placeholders[name] then
      add(found.lists, name, child)
    end
  end
  for _, name in ipairs(node.required or NOTHING) do
    found.required[name] = true
  end
end

-- Adds a part of allOf, which holds, too.
local function add_part(doc, found, part)
  for name in next, part.dropped or NOTHING do
    found.dropped[name] = true
  end
  for name, node in next, part.properties do
    budget.spend(doc, budget.COPY)
    add(found.lists, name, node)
  end
  for name in next, part.required do
    found.required[name] = true
  end
end

-- --- alternatives -------------------------------------------------------------------------

local function may_be_object(node)
  if type(node.type) ~= "table" then
    return node.type == "object" or node.type == nil and not node.enum
  end
  for _, name in ipairs(node.type) do
    if name == "object" then
      return true
    end
  end
  return false
end

-- A part that has a name only for the other direction takes any value of it.
local function add_dropped(doc, lists, parts)
  for _, part in ipairs(parts) do
    for name in next, part.dropped or NOTHING do
      if lists[name] then
        add(lists, name, nodes.of(doc.schemas, nil))
      end
    end
  end
end

-- Counts how many parts name and require each property.
local function count_names(doc, parts)
  local counted = { lists = {}, named = {}, required = {} }
  for _, part in ipairs(parts) do
    for name, node in next, part.properties do
      budget.spend(doc, budget.COPY)
      add(counted.lists, name, node)
      counted.named[name] = (counted.named[name] or 0) + 1
    end
    for name in next, part.required do
      counted.required[name] = (counted.required[name] or 0) + 1
    end
  end
  add_dropped(doc, counted.lists, parts)
  return counted
end

-- Adds the parts of a union. A name that all of them have comes first; where only some have it, a
-- value may have it as the whole says.
local function add_union(doc, found, parts)
  local counted = count_names(doc, parts)
  for name, list in next, counted.lists do
    local is_in_all = counted.named[name] == #parts
    if is_in_all or not found.lists[name] then
      add(found.lists, name, joined(doc, "anyOf", list), is_in_all)
    end
  end
  for name, count in next, counted.required do
    found.required[name] = found.required[name] or count == #parts or nil
  end
end

-- --- a discriminator ------------------------------------------------------------------------

-- May a node have any string?
local function is_plain_string(builder, node)
  local origin = builder.origins[node]
  nodes.fill(builder, node)
  for _, part in ipairs(origin and origin.is_joined and node[origin.is_joined] or NOTHING) do
    if not is_plain_string(builder, part) then
      return false
    end
  end
  local types = node.type or "string"
  return types == "string" and not (node.enum or node.oneOf)
end

-- The node of the discriminator's property, with its values alone where the schemas say none.
local function with_values(builder, node, list)
  if not list[1] or not is_plain_string(builder, node) then
    return node
  end
  local narrowed = { type = "string", enum = result.sorted(list) }
  builder.origins[narrowed] = { narrows = node }
  return narrowed
end

local function add_discriminated(doc, found, name, mapping)
  local list = {}
  if found.lists[name] then
    for value in next, mapping do
      budget.spend(doc, budget.COPY)
      list[#list + 1] = value
    end
    found.lists[name] = { with_values(doc.schemas, joined(doc, "allOf", found.lists[name]), list) }
  end
end

-- Adds the properties of the schemas that a value may choose, which need not be there.
local function add_choices(doc, found, parts)
  local lists = count_names(doc, parts).lists
  for name, list in next, lists do
    if not found.lists[name] then
      add(found.lists, name, joined(doc, "anyOf", list))
    end
  end
end

-- --- nodes that hold each other -----------------------------------------------------------

local collected -- which the functions below call

-- A node may hold itself: "a, which is a or b" is a. What is read inside of a node that is still
-- being read is only a part, and is not kept. As in Tarjan's search for strongly connected
-- components, the state knows which it is: `levels` has the level of each node that is being read,
-- `level` is that of now, and `lowest` the lowest of a node that was met again.
local function new_state()
  return { levels = {}, level = 0, lowest = math.huge }
end

local function is_met_again(state, node)
  if not state.levels[node] then
    return false
  end
  state.lowest = math.min(state.lowest, state.levels[node])
  return true
end

-- What the nodes of a list say of objects. is_union: nil if one of them is being read, for such a
-- union says nothing more.
local function parts_in(doc, list, state, is_union)
  local parts = {}
  for _, node in ipairs(list or NOTHING) do
    if node and is_met_again(state, node) then
      if is_union then
        return nil
      end
    elseif node then
      nodes.fill(doc.schemas, node)
      if not is_union or may_be_object(node) then
        parts[#parts + 1] = collected(doc, node, state)
      end
    end
  end
  return parts
end

local function add_all(doc, found, node, state)
  local origin = doc.schemas.origins[node]
  add_own(doc, found, node)
  for _, part in ipairs(parts_in(doc, node.allOf, state)) do
    add_part(doc, found, part)
  end
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    local parts = node[keyword] and parts_in(doc, node[keyword], state, true)
    if parts and parts[1] then
      add_union(doc, found, parts)
    end
  end
  if node.discriminator then
    add_choices(doc, found, parts_in(doc, origin.choices, state))
    add_discriminated(doc, found, node.discriminator.propertyName, node.discriminator.mapping)
  elseif origin and origin.hint then
    add_discriminated(doc, found, origin.hint.property, origin.hint.mapping)
  end
end

local EMPTY = { properties = NOTHING, required = NOTHING }

-- Does nothing but the node's own keywords say which properties it has?
local function is_alone(node, origin)
  if node.allOf or node.oneOf or node.anyOf or node.discriminator then
    return false
  elseif origin and (origin.hint or origin.dropped or origin.placeholders) then
    return false
  end
  for _, child in next, node.properties or NOTHING do
    if not child then
      return false
    end
  end
  return true
end

local function read_alone(node)
  if not (node.properties or node.required) then
    return EMPTY
  end
  local required = {}
  for _, name in ipairs(node.required or NOTHING) do
    required[name] = true
  end
  return { properties = node.properties or NOTHING, required = required }
end

-- What a node says of objects: `properties`, a node for each name, not to be changed; `required`, a
-- set; `dropped`, a set of the names that it has only for the other direction.
local function read(doc, node, state)
  if is_alone(node, doc.schemas.origins[node]) then
    return read_alone(node)
  end
  local found = new_found()
  add_all(doc, found, node, state)
  local dropped = next(found.dropped) ~= nil and found.dropped or nil
  if next(found.lists) == nil and next(found.required) == nil and not dropped then
    return EMPTY
  end
  local by_name = {}
  for name, list in next, found.lists do
    by_name[name] = joined(doc, "allOf", list)
  end
  return { properties = by_name, required = found.required, dropped = dropped }
end

-- The same, which is kept unless something in it met a node again that is around this one.
function collected(doc, node, state)
  local known = doc.schemas.objects
  if known[node] then
    return known[node]
  end
  local level, lowest_before = state.level, state.lowest
  nodes.fill(doc.schemas, node)
  budget.enter(state)
  state.levels[node], state.lowest = level, math.huge
  local found = read(doc, node, state)
  if state.lowest >= level then
    known[node], state.lowest = found, math.huge
  end
  state.levels[node], state.level = nil, level
  state.lowest = math.min(lowest_before, state.lowest)
  return found
end

-- --- what the other files ask -------------------------------------------------------------

local function copied(doc, map)
  local copy = {}
  for name, node in next, map do
    budget.spend(doc, budget.COPY)
    copy[name] = node
  end
  return copy
end

-- The properties, if there are some, and the required names that no schema describes: these may
-- have any value.
local function with_undescribed(doc, found)
  local dropped, all = found.dropped or NOTHING, found.properties
  for name in next, next(all) ~= nil and found.required or NOTHING do
    if not all[name] and not dropped[name] then
      all = all == found.properties and copied(doc, all) or all
      all[name] = nodes.of(doc.schemas, nil)
    end
  end
  return all
end

-- The properties of a node, sorted by name: a list of `name`, `node` and `required`; empty if it
-- names none. Not to be changed.
function properties.of(doc, node)
  local found = node and (doc.schemas.objects[node] or collected(doc, node, new_state())) or EMPTY
  if found == EMPTY then
    return NOTHING
  end
  if found.list then
    budget.spend(doc, budget.COPY * #found.list)
    return found.list
  end
  found.list = {}
  local by_name = with_undescribed(doc, found)
  for position, name in ipairs(reader.keys(doc, by_name)) do
    local is_required = found.required[name] == true
    found.list[position] = { name = name, node = by_name[name], required = is_required }
  end
  return found.list
end

-- What other properties an object may have: true for any, a node, or nil for none.
function properties.additional(doc, node)
  if not node then
    return nil
  end
  nodes.fill(doc.schemas, node)
  if node.additionalProperties == false or node.unevaluatedProperties == false then
    return nil
  end
  return node.additionalProperties or closing.is_left_open(doc.schemas, node) or nil
end

return properties
