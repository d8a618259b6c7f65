-- SPDX-License-Identifier: MIT
-- The keywords of objects in the rules (JSON Schema 2020-12 Core, "Keywords for Applying Subschemas
-- to Objects" and "unevaluatedProperties"; Validation, "required" and "dependentRequired"), and
-- whether names that no schema describes may be there.
local objects = {}

local object_schema = require "endpoint.types.document.object_schema"
local all_of = require "endpoint.types.schema.all_of"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local result = require "endpoint.result"
local values = require "endpoint.types.document.values"
local each, keys, as_table = reader.each, reader.keys, values.as_table

-- --- properties -------------------------------------------------------------------

-- OpenAPI 3.1, "Schema Object", `readOnly` and `writeOnly`: is a property only for the other
-- direction, by itself or where its reference leads?
local function is_left_out(builder, value)
  local mark = builder.is_response and "writeOnly" or "readOnly"
  return as_table(value)[mark] == true or as_table(all_of.final(builder, value))[mark] == true
end

-- Adds the properties of the schemas themselves: a node for each, of all that they say of it. Those
-- of the other direction are left out; returns their names as a set. A response may have names that
-- no schema describes, but not these.
local function add_properties(builder, node, schemas)
  local by_name, order, dropped = {}, {}, {}
  for _, schema in ipairs(schemas) do
    for _, name in ipairs(keys(builder.doc, schema.properties)) do
      local value = schema.properties[name]
      if not by_name[name] then
        by_name[name], order[#order + 1] = {}, name
      end
      table.insert(by_name[name], value)
      dropped[name] = dropped[name] or is_left_out(builder, value) or nil
    end
  end
  for _, name in ipairs(order) do
    node.properties = node.properties or {}
    if not dropped[name] then
      node.properties[name] = builder:node(by_name[name])
    elseif builder.is_response then
      node.properties[name] = false
    end
  end
  return dropped
end

local function add_pattern_properties(builder, node, schema)
  for _, pattern in ipairs(keys(builder.doc, schema.patternProperties)) do
    node.patternProperties = node.patternProperties or {}
    node.patternProperties[pattern] = builder:node { schema.patternProperties[pattern] }
  end
end

-- --- names ------------------------------------------------------------------------

-- Unless the rules are open, a required name that no schema describes is left out: its author has
-- forgotten the property, or misspelt it.
local function add_required(builder, node, schemas, dropped)
  local is_there, names = {}, {}
  for _, schema in ipairs(schemas) do
    for _, name in each(builder.doc, schema.required) do
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
  for _, element in each(builder.doc, list) do
    strings[#strings + 1] = values.as_string(element)
  end
  return strings
end

-- JSON Schema 2019-09 has cut `dependencies` into two keywords.
local function add_dependencies(builder, node, schema)
  for _, word in ipairs { "dependentRequired", "dependentSchemas", "dependencies" } do
    for _, name in ipairs(keys(builder.doc, schema[word])) do
      local value = schema[word][name]
      if word == "dependentRequired" or word == "dependencies" and all_of.is_list(value) then
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
local function names_in_alternatives(builder, schemas, others)
  local names, is_open, queue, is_there, position = {}, false, {}, {}, 0
  local function add(list)
    for _, value in each(builder.doc, list) do
      value = as_table(all_of.final(builder, value))
      if not is_there[value] then
        queue[#queue + 1], is_there[value] = value, true
      end
    end
  end
  local function add_alternatives(schema)
    add(schema.oneOf)
    add(schema.anyOf)
  end
  for _, schema in ipairs(schemas) do
    is_there[schema] = true
  end
  for _, schema in ipairs(schemas) do
    add_alternatives(schema)
  end
  add(others)
  while queue[position + 1] do
    position = position + 1
    local schema = queue[position]
    for _, name in ipairs(keys(builder.doc, schema.properties)) do
      local value = schema.properties[name]
      names[name] = names[name] or value ~= false and not is_left_out(builder, value)
    end
    is_open = is_open or all_of.is_open(schema) or object_schema.is_free(schema)
    add(schema.allOf)
    add { type(schema["$ref"]) == "string" and references.bare(builder.doc, schema) or nil }
    add_alternatives(schema)
  end
  return names, is_open
end

local function forbids_names(schema)
  return schema.additionalProperties == false
    or schema.unevaluatedProperties == false and not all_of.is_open(schema)
end

-- What the schemas say of other names.
local function add_additional(builder, node, schemas)
  local extra, forbids = {}, false
  for _, schema in ipairs(schemas) do
    local value = schema.additionalProperties
    forbids = forbids or value == false or not builder.is_open and forbids_names(schema)
    if
      type(value) == "table" and (builder.has_unevaluated or builder:says_something(value))
      or value == true and builder.has_unevaluated
    then
      extra[#extra + 1] = value
    end
  end
  if forbids then
    node.additionalProperties, node.is_closed = false, builder.marks_closed
  elseif extra[1] ~= nil then
    node.additionalProperties = builder:node(extra)
  end
end

local function add_unevaluated(builder, node, schemas)
  for _, schema in ipairs(schemas) do
    local value = schema.unevaluatedProperties
    if value ~= nil and (builder.is_open or not forbids_names(schema)) then
      node.unevaluatedProperties = builder:node { value }
    end
  end
end

-- Where the document does not say whether other names may be there, they may not, unless all are
-- free.
local function close(builder, node, schemas, others)
  local names, is_open = names_in_alternatives(builder, schemas, others)
  for _, schema in ipairs(schemas) do
    is_open = is_open or all_of.is_open(schema)
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
  local is_closed = node.additionalProperties == false and not builder.is_response
  for name, child in pairs(is_closed and node.properties or {}) do
    node.properties[name] = child or nil -- a property that no value fits may not be given
  end
end

-- Schemas whose names the object may have, too: what must hold beside the node, and what the value
-- may choose.
local function others_of(origin, discriminator)
  local others = {}
  for _, value in ipairs(origin.beside) do
    others[#others + 1] = value
  end
  for _, choice in ipairs(discriminator and discriminator.choices or {}) do
    others[#others + 1] = choice.schema
  end
  return others
end

-- Adds them to a node. origin: what the node is made of, see nodes.lua. The names of a part are
-- known to another node, which closes the object.
function objects.add(builder, node, origin, discriminator)
  local schemas = origin.schemas
  local dropped = add_properties(builder, node, schemas)
  add_additional(builder, node, schemas)
  add_unevaluated(builder, node, schemas)
  for _, schema in ipairs(schemas) do
    add_pattern_properties(builder, node, schema)
    add_dependencies(builder, node, schema)
    if schema.propertyNames ~= nil then
      node.propertyNames = builder:node { schema.propertyNames }
    end
  end
  if not origin.is_part and not builder.is_open then
    close(builder, node, schemas, others_of(origin, discriminator))
  end
  add_required(builder, node, schemas, dropped)
end

return objects
