-- SPDX-License-Identifier: MIT
-- JSON schemas of a document as rules that a program can check: nodes, which are schemas of JSON Schema
-- 2020-12 with the keywords that endpoint.checks knows, and no others. A rule of the document that cannot
-- be said with these is left out, so that a node may allow more than the document, never less.
local nodes = {}

local budget = require "endpoint.types.document.budget"
local descriptions = require "endpoint.types.rules.descriptions"
local limits = require "endpoint.types.rules.limits"
local object = require "endpoint.types.document.object"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local result = require "endpoint.result"
local resolve = references.resolve
local each, keys = reader.each, reader.keys
local decoded = require "endpoint.types.document.values"
local as_table = decoded.as_table

-- What the nodes are made of: the document, whether absent additionalProperties leave an object open, the
-- nodes by the schemas that they stand for, and those that have no keywords yet.
function nodes.new(doc, is_open)
  return { doc = doc, is_open = is_open, nodes = {}, ids = {}, count = 0, waiting = {} }
end

-- --- parts ------------------------------------------------------------------------

-- The one alternative of a list that has no other.
local function only_one(list)
  list = as_table(list)
  return list[2] == nil and list[1] or nil
end

-- All schemas that must hold where these must: each of them, and what they have in allOf.
local function parts_of(to, values)
  local parts, is_there, position = {}, {}, 0
  local function add(value)
    value = resolve(to.doc, value)
    if not is_there[value] then
      parts[#parts + 1], is_there[value] = value, true
    end
  end
  for _, value in ipairs(values) do
    add(value)
  end
  while parts[position + 1] do
    position = position + 1
    local part = parts[position]
    for _, value in each(to.doc, part.allOf) do
      add(value)
    end
    if only_one(part.oneOf) then
      add(part.oneOf[1])
    end
    if only_one(part.anyOf) then
      add(part.anyOf[1])
    end
  end
  return parts
end

local function id_of(to, part)
  if not to.ids[part] then
    to.count = to.count + 1
    to.ids[part] = to.count
  end
  return to.ids[part]
end

-- The node of a value for which all these schemas hold; it gets its keywords in nodes.finish. is_part: the
-- node is an alternative of another, which knows all names and closes the object.
function nodes.node(to, values, is_part)
  local parts, ids = parts_of(to, values), {}
  for position, part in ipairs(parts) do
    ids[position] = id_of(to, part)
  end
  table.sort(ids)
  local key = table.concat(ids, " ") .. (is_part and "+" or "")
  budget.spend(to.doc, #key)
  local node = to.nodes[key]
  if not node then
    node = {}
    to.nodes[key], to.waiting[#to.waiting + 1] =
      node, { node = node, parts = parts, is_part = is_part }
  end
  return node
end

-- --- lists ------------------------------------------------------------------------

local function add_items(to, node, parts)
  local found = {}
  for _, part in ipairs(parts) do
    local items = as_table(part.items)
    if part.prefixItems ~= nil or items[1] ~= nil then
      return
    end
    if next(items) ~= nil then
      found[#found + 1] = items
    end
  end
  if found[1] then
    node.items = nodes.node(to, found)
  end
end

-- --- objects ----------------------------------------------------------------------

-- Calls a function with the name and the schema of each property, and whether a request may have it.
local function each_property(to, part, call)
  for _, name in ipairs(keys(to.doc, part.properties)) do
    local value = resolve(to.doc, part.properties[name])
    call(name, value, part.properties[name] ~= false and value.readOnly ~= true)
  end
end

local function forbids_names(part)
  return (part.additionalProperties == false or part.unevaluatedProperties == false)
    and not object.is_open(part)
end

-- The names of the properties in all alternatives, and those in them, as a set; is_open: one of them takes
-- any name.
local function names_in_alternatives(to, parts)
  local names, is_open, queue, is_there, position = {}, false, {}, {}, 0
  local function add(list)
    for _, value in each(to.doc, list) do
      value = resolve(to.doc, value)
      if not is_there[value] then
        queue[#queue + 1], is_there[value] = value, true
      end
    end
  end
  local function add_alternatives(part)
    add(part.oneOf)
    add(part.anyOf)
  end
  for _, part in ipairs(parts) do
    add_alternatives(part)
  end
  while queue[position + 1] do
    position = position + 1
    local part = queue[position]
    each_property(to, part, function(name, _, is_sent)
      names[name] = names[name] or is_sent
    end)
    is_open = is_open or object.is_open(part) or object.is_free(part)
    add(part.allOf)
    add_alternatives(part)
  end
  return names, is_open
end

-- Adds the properties of the parts themselves: a node for each, of all schemas that it has there.
local function add_properties(to, node, parts)
  local schemas, is_kept, order = {}, {}, {}
  for _, part in ipairs(parts) do
    each_property(to, part, function(name, value, is_sent)
      if not schemas[name] then
        schemas[name], is_kept[name], order[#order + 1] = {}, true, name
      end
      table.insert(schemas[name], value)
      is_kept[name] = is_kept[name] and is_sent
    end)
  end
  for _, name in ipairs(order) do
    node.properties = node.properties or {}
    node.properties[name] = is_kept[name] and nodes.node(to, schemas[name]) or nil
  end
end

-- A name that no schema describes is no rule: who wrote it has forgotten the property, or misspelt it.
local function add_required(to, node, parts)
  local is_there, names = {}, {}
  for _, part in ipairs(parts) do
    for _, name in each(to.doc, part.required) do
      local is_known = not node.properties or node.properties[name]
      if type(name) == "string" and is_known and not is_there[name] then
        is_there[name], names[#names + 1] = true, name
      end
    end
  end
  node.required = names[1] and result.sorted(names) or nil
end

-- Says whether other names may be there. Where the document does not say it, they may not, unless all are free.
local function close(to, node, parts, is_open)
  local extra, forbids = {}, false
  for _, part in ipairs(parts) do
    forbids, is_open = forbids or forbids_names(part), is_open or object.is_open(part)
    if next(as_table(part.additionalProperties)) ~= nil then
      extra[#extra + 1] = part.additionalProperties
    end
  end
  if forbids or node.properties and not is_open then
    node.additionalProperties = false
  elseif extra[1] then
    node.additionalProperties = nodes.node(to, extra)
  end
end

local function add_object(to, node, parts, is_part)
  add_properties(to, node, parts)
  if is_part then
    for _, part in ipairs(parts) do
      if forbids_names(part) then
        node.additionalProperties = false
      end
    end
  else
    local names, is_open = names_in_alternatives(to, parts)
    for name, is_sent in pairs(names) do
      node.properties = node.properties or {}
      node.properties[name] = node.properties[name] or is_sent and nodes.node(to, {}) or nil
    end
    close(to, node, parts, is_open or to.is_open)
  end
  add_required(to, node, parts)
end

-- --- alternatives -----------------------------------------------------------------

-- Adds that one of several must hold, at least: published documents say oneOf where they mean anyOf.
local function add_one_of(to, node, list, is_null_too)
  local alternatives, is_there = {}, {}
  for _, value in each(to.doc, list) do
    if next(resolve(to.doc, value)) == nil then
      return
    end -- any value fits it
    local one = nodes.node(to, { value }, true)
    if not is_there[one] then
      alternatives[#alternatives + 1], is_there[one] = one, true
    end
  end
  if is_null_too then
    alternatives[#alternatives + 1] = { type = "null" }
  end
  if not node.anyOf then
    node.anyOf = alternatives
  else
    node.allOf = node.allOf or {}
    node.allOf[#node.allOf + 1] = { anyOf = alternatives }
  end
end

local function add_alternatives(to, node, parts)
  for _, part in ipairs(parts) do
    for _, name in ipairs { "oneOf", "anyOf" } do
      local list = as_table(part[name])
      if list[2] ~= nil then
        add_one_of(to, node, list, decoded.is_nullable(part))
      end
    end
  end
end

-- --- nodes ------------------------------------------------------------------------

local function fill(to, waiting)
  local node, parts = waiting.node, waiting.parts
  local types = limits.add_types(to, node, parts)
  limits.add(node, parts, types)
  if not types or types.array then
    add_items(to, node, parts)
  end
  if not types or types.object then
    add_object(to, node, parts, waiting.is_part)
  end
  add_alternatives(to, node, parts)
  node.description = descriptions.of_parts(parts, node.type == "string")
end

-- Gives all nodes their keywords. A node may hold itself.
function nodes.finish(to)
  while to.waiting[1] do
    local waiting = to.waiting
    to.waiting = {}
    for _, one in ipairs(waiting) do
      fill(to, one)
    end
  end
end

return nodes
