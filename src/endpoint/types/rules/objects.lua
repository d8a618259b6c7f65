-- SPDX-License-Identifier: MIT
-- The keywords of objects in the rules, and whether names that no schema describes may be there.
local objects = {}

local object_schema = require "endpoint.types.document.object_schema"
local parts = require "endpoint.types.rules.parts"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local values = require "endpoint.types.document.values"
local each, keys, as_table = reader.each, reader.keys, values.as_table

-- --- properties -------------------------------------------------------------------

-- Is a property only for the other direction (readOnly in a request, writeOnly in a response), by
-- itself or where its reference leads?
local function is_left_out(builder, value)
  local mark = builder.is_response and "writeOnly" or "readOnly"
  return as_table(value)[mark] == true or as_table(parts.final(builder, value))[mark] == true
end

-- Adds the properties of the schemas themselves: a node for each, of all that they say of it. Those
-- of the other direction are left out; returns their names as a set.
local function add_properties(builder, node, found)
  local schemas, order, dropped = {}, {}, {}
  for _, part in ipairs(found) do
    for _, name in ipairs(keys(builder.doc, part.properties)) do
      local value = part.properties[name]
      if not schemas[name] then
        schemas[name], order[#order + 1] = {}, name
      end
      table.insert(schemas[name], value)
      dropped[name] = dropped[name] or is_left_out(builder, value) or nil
    end
  end
  for _, name in ipairs(order) do
    node.properties = node.properties or {}
    if not dropped[name] then
      node.properties[name] = builder:node(schemas[name])
    end
  end
  return dropped
end

local function add_pattern_properties(builder, node, part)
  for _, pattern in ipairs(keys(builder.doc, part.patternProperties)) do
    node.patternProperties = node.patternProperties or {}
    node.patternProperties[pattern] = builder:node { part.patternProperties[pattern] }
    builder.has_patterns = true
  end
end

-- --- names ------------------------------------------------------------------------

-- Unless the rules are open, a required name that no schema describes is left out: its author has
-- forgotten the property, or misspelt it.
local function add_required(builder, node, found, dropped)
  local is_there, names = {}, {}
  for _, part in ipairs(found) do
    for _, name in each(builder.doc, part.required) do
      local is_known = builder.is_open or not node.properties or node.properties[name] ~= nil
      if type(name) == "string" and is_known and not (dropped[name] or is_there[name]) then
        is_there[name], names[#names + 1] = true, name
      end
    end
  end
  node.required = names[1] and result.sorted(names) or nil
end

local function strings_in(builder, list)
  local strings = {}
  for _, one in each(builder.doc, list) do
    strings[#strings + 1] = values.as_string(one)
  end
  return strings
end

-- JSON Schema 2019-09 has cut `dependencies` into two keywords.
local function add_dependencies(builder, node, part)
  for _, word in ipairs { "dependentRequired", "dependentSchemas", "dependencies" } do
    for _, name in ipairs(keys(builder.doc, part[word])) do
      local value = part[word][name]
      if word == "dependentRequired" or word == "dependencies" and parts.is_list(value) then
        node.dependentRequired = node.dependentRequired or {}
        node.dependentRequired[name] = strings_in(builder, value)
      else
        node.dependentSchemas = node.dependentSchemas or {}
        node.dependentSchemas[name] = builder:node({ value }, true)
      end
    end
  end
end

-- --- closed objects -----------------------------------------------------------------

-- The names of the properties in all alternatives, and those in them, as a set; is_open: one of
-- them takes any name.
local function names_in_alternatives(builder, found, others)
  local names, is_open, queue, is_there, position = {}, false, {}, {}, 0
  local function add(list)
    for _, value in each(builder.doc, list) do
      value = as_table(parts.final(builder, value))
      if not is_there[value] then
        queue[#queue + 1], is_there[value] = value, true
      end
    end
  end
  local function add_alternatives(part)
    add(part.oneOf)
    add(part.anyOf)
  end
  for _, part in ipairs(found) do
    is_there[part] = true
  end
  for _, part in ipairs(found) do
    add_alternatives(part)
  end
  add(others)
  while queue[position + 1] do
    position = position + 1
    local part = queue[position]
    for _, name in ipairs(keys(builder.doc, part.properties)) do
      local value = part.properties[name]
      names[name] = names[name] or value ~= false and not is_left_out(builder, value)
    end
    is_open = is_open or parts.is_open(part) or object_schema.is_free(part)
    add(part.allOf)
    add { type(part["$ref"]) == "string" and { ["$ref"] = part["$ref"] } or nil }
    add_alternatives(part)
  end
  return names, is_open
end

local function forbids_names(part)
  return part.additionalProperties == false
    or part.unevaluatedProperties == false and not parts.is_open(part)
end

-- What the schemas say of other names.
local function add_additional(builder, node, found)
  local extra, forbids = {}, false
  for _, part in ipairs(found) do
    local value = part.additionalProperties
    forbids = forbids or value == false or not builder.is_open and forbids_names(part)
    if
      type(value) == "table" and (builder.has_unevaluated or builder:says_something(value))
      or value == true and builder.has_unevaluated
    then
      extra[#extra + 1] = value
    end
  end
  if forbids then
    node.additionalProperties = false
  elseif extra[1] ~= nil then
    node.additionalProperties = builder:node(extra)
  end
end

local function add_unevaluated(builder, node, found)
  for _, part in ipairs(found) do
    local value = part.unevaluatedProperties
    if value ~= nil and (builder.is_open or not forbids_names(part)) then
      node.unevaluatedProperties = builder:node { value }
    end
  end
end

-- Where the document does not say whether other names may be there, they may not, unless all are
-- free.
local function close(builder, node, found, others)
  local names, is_open = names_in_alternatives(builder, found, others)
  for _, part in ipairs(found) do
    is_open = is_open or parts.is_open(part)
  end
  if node.unevaluatedProperties ~= nil then
    return
  end
  for name, is_sent in pairs(names) do
    node.properties = node.properties or {}
    if node.properties[name] == nil and is_sent then
      node.properties[name] = builder:node {}
    end
  end
  if node.properties and not is_open and node.additionalProperties == nil then
    node.additionalProperties = false
  end
  for name, child in pairs(node.additionalProperties == false and node.properties or {}) do
    node.properties[name] = child or nil -- a property that no value fits may not be given
  end
end

-- Schemas whose names the object may have, too: what must hold beside the node, and what the value
-- may choose.
local function others_of(waiting, discriminator)
  local others = {}
  for _, value in ipairs(waiting.beside) do
    others[#others + 1] = value
  end
  for _, choice in ipairs(discriminator and discriminator.choices or {}) do
    others[#others + 1] = choice.schema
  end
  return others
end

-- waiting: what the node is made of, see nodes.lua. The names of a part are known to another node,
-- which closes the object.
function objects.add(builder, node, waiting, discriminator)
  local found = waiting.found
  local dropped = add_properties(builder, node, found)
  add_additional(builder, node, found)
  add_unevaluated(builder, node, found)
  for _, part in ipairs(found) do
    add_pattern_properties(builder, node, part)
    add_dependencies(builder, node, part)
    if part.propertyNames ~= nil then
      node.propertyNames = builder:node { part.propertyNames }
    end
  end
  if not waiting.is_part and not builder.is_open then
    close(builder, node, found, others_of(waiting, discriminator))
  end
  add_required(builder, node, found, dropped)
end

return objects
