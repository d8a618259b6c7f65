-- SPDX-License-Identifier: MIT
-- The keywords of objects: JSON Schema 2020-12 Core, "Keywords for Applying Subschemas to Objects"
-- and "unevaluatedProperties"; Validation, "required" and "dependentRequired". Whether names that
-- no schema describes may be there is in closing.lua.
local objects = {}

local closing = require "endpoint.types.schema.closing"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local values = require "endpoint.types.document.values"
local each, keys, is_list = reader.each, reader.keys, values.is_list

-- --- properties -------------------------------------------------------------------

-- The properties of several schemas: a list of all that they say of each name, and the names in
-- their order.
local function properties_in(builder, schemas)
  local by_name, names = {}, {}
  for _, schema in ipairs(schemas) do
    for _, name in ipairs(keys(builder.doc, schema.properties)) do
      if not by_name[name] then
        by_name[name], names[#names + 1] = {}, name
      end
      table.insert(by_name[name], schema.properties[name])
    end
  end
  return by_name, names
end

local function is_dropped(builder, list, direction)
  for _, value in ipairs(list) do
    if closing.is_of_other_direction(builder, value, direction) then
      return true
    end
  end
  return false
end

-- Adds the properties of the schemas themselves: a node for each, of all that they say of it. The
-- origin gets `names_properties`, and `dropped`: the names that only the other direction has, a
-- set. A response may have names that no schema describes, but not these.
local function add_properties(builder, node, origin)
  local by_name, names = properties_in(builder, origin.schemas)
  node.properties = names[1] and {} or nil
  for _, name in ipairs(names) do
    if is_dropped(builder, by_name[name], origin.direction) then
      origin.dropped = origin.dropped or {}
      origin.dropped[name] = true
      if origin.direction == "received" then
        node.properties[name] = false
      end
    else
      origin.names_properties = true
      node.properties[name] = builder:child(node, by_name[name])
    end
  end
end

local function add_pattern_properties(builder, node, schema)
  for _, pattern in ipairs(keys(builder.doc, schema.patternProperties)) do
    node.patternProperties = node.patternProperties or {}
    node.patternProperties[pattern] = builder:child(node, { schema.patternProperties[pattern] })
  end
end

-- --- names ------------------------------------------------------------------------

-- The names that must be there, but those that only the other direction has.
local function add_required(builder, node, origin)
  local is_there, names, dropped = {}, {}, origin.dropped or {}
  for _, schema in ipairs(origin.schemas) do
    for _, name in each(builder.doc, schema.required) do
      if type(name) == "string" and not (dropped[name] or is_there[name]) then
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
local DEPENDENCIES = { "dependentRequired", "dependentSchemas", "dependencies" }

local function add_dependencies(builder, node, schema)
  for _, keyword in ipairs(DEPENDENCIES) do
    for _, name in ipairs(keys(builder.doc, schema[keyword])) do
      local value = schema[keyword][name]
      if keyword == "dependentRequired" or keyword == "dependencies" and is_list(value) then
        node.dependentRequired = node.dependentRequired or {}
        node.dependentRequired[name] = strings_in(builder, value)
      else
        node.dependentSchemas = node.dependentSchemas or {}
        node.dependentSchemas[name] = builder:child(node, { value }, true)
      end
    end
  end
end

-- --- other names ----------------------------------------------------------------------

-- May a schema of other names refuse a value, or is it to be known which names it has evaluated?
local function says_something(builder, value)
  if type(value) == "table" then
    return builder.has_unevaluated or builder:says_something(value)
  end
  return value == true and builder.has_unevaluated
end

-- What the schemas say of other names.
local function add_additional(builder, node, schemas)
  local extra, forbids = {}, false
  for _, schema in ipairs(schemas) do
    forbids = forbids or closing.forbids_names(builder, schema)
    if says_something(builder, schema.additionalProperties) then
      extra[#extra + 1] = schema.additionalProperties
    end
  end
  if forbids then
    node.additionalProperties, node.is_closed = false, builder.marks_closed
  elseif extra[1] ~= nil then
    node.additionalProperties = builder:child(node, extra)
  end
end

local function add_unevaluated(builder, node, schemas)
  for _, schema in ipairs(schemas) do
    if closing.limits_unevaluated(builder, schema) then
      node.unevaluatedProperties = builder:child(node, { schema.unevaluatedProperties })
    end
  end
end

-- --- all of them ------------------------------------------------------------------------

-- Adds them to a node. origin: what the node is made of, see nodes.lua; chosen_by: what the
-- value may choose, or nil.
function objects.add(builder, node, origin, chosen_by)
  local schemas = origin.schemas
  add_properties(builder, node, origin)
  add_additional(builder, node, schemas)
  add_unevaluated(builder, node, schemas)
  for _, schema in ipairs(schemas) do
    add_pattern_properties(builder, node, schema)
    add_dependencies(builder, node, schema)
    if schema.propertyNames ~= nil then
      node.propertyNames = builder:child(node, { schema.propertyNames })
    end
  end
  add_required(builder, node, origin)
  closing.close(builder, node, origin, chosen_by)
end

return objects
