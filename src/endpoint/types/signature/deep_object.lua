-- SPDX-License-Identifier: MIT
-- Parameters of the style deepObject (OpenAPI 3.1, "Style Values"). Such an object has no field of
-- its own. Each of its keys has one, called name[key], and each list in it one called name[key][].
local deep_object = {}

local budget = require "endpoint.types.document.budget"
local lua_types = require "endpoint.types.document.lua_types"
local object_schema = require "endpoint.types.document.object_schema"
local option_field = require "endpoint.types.signature.option_field"

-- Levels of objects in objects.
local DEEPEST = 3

local add_value -- which add_object calls

-- Adds a field for each property of an object. A pattern, name[key], means keys that are not known.
local function add_object(doc, keys, name, schema, required, depth)
  local properties = depth < DEEPEST and object_schema.sent(doc, schema) or {}
  for _, property in ipairs(properties) do
    local from = option_field.source(property)
    from.required = required and from.required
    budget.spend(doc, #name + #property.name)
    add_value(doc, keys, name .. "[" .. property.name .. "]", property.schema, from, depth + 1)
  end
  if #properties == 0 then
    keys.key_patterns[#keys.key_patterns + 1] = name .. "[key]"
  end
end

-- Adds a field for a list. A list of objects has none, but a pattern.
local function add_list(keys, name, list_type, from)
  if lua_types.kind_of(list_type.inner) ~= "scalar" then
    keys.key_patterns[#keys.key_patterns + 1] = name .. "[0][key]"
  else
    local field = option_field.new(name .. "[]", { list_type }, from)
    field.only = "list"
    keys.add(field, "list")
  end
end

-- Adds what a schema says: fields for its objects and lists, and one for all of its scalars.
function add_value(doc, keys, name, schema, from, depth)
  local types, scalars = lua_types.of_schema(doc, schema), {}
  local of_one_type = {
    schema = schema,
    required = from.required == true and #types == 1,
    description = from.description,
    deprecated = from.deprecated,
  }
  for _, lua_type in ipairs(types) do
    if lua_type.kind == "list" then
      add_list(keys, name, lua_type, of_one_type)
    elseif lua_type.kind == "map" then
      add_object(doc, keys, name, schema, of_one_type.required, depth)
    else
      scalars[#scalars + 1] = lua_type
    end
  end
  if #scalars > 0 or #types == 0 then
    local is_all = #scalars == #types
    local field = option_field.new(name, scalars, is_all and from or of_one_type)
    field.only = not is_all and "scalar" or nil
    keys.add(field, "scalar")
  end
end

-- Calls keys.add with a field for each key that a parameter's schema names, and its kind; adds a
-- pattern to keys.key_patterns for keys that are not known.
function deep_object.each_key(doc, keys, parameter)
  add_value(doc, keys, parameter.name, parameter.schema, parameter, 0)
end

return deep_object
