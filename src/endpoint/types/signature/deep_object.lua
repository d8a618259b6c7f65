-- SPDX-License-Identifier: MIT
-- Parameters of the style deepObject (OpenAPI 3.1, "Style Values"). Such an object has no field of
-- its own. Each of its keys has one, called name[key], and each list in it one called name[key][].
local deep_object = {}

local budget = require "endpoint.types.document.budget"
local option_field = require "endpoint.types.signature.option_field"
local schema = require "endpoint.types.schema"

-- Levels of objects in objects.
local DEEPEST = 3

local add_value -- which add_object calls

-- Adds a field for each property of an object. A pattern, name[key], means keys that are not known:
-- those of an object without properties, and those that the document lets beside the properties.
local function add_object(doc, keys, name, node, required, depth)
  local properties = depth < DEEPEST and schema.properties(doc, node) or {}
  for _, property in ipairs(properties) do
    local from = option_field.source(doc, property)
    from.required = required and from.required
    budget.spend(doc, #name + #property.name)
    add_value(doc, keys, name .. "[" .. property.name .. "]", from, depth + 1)
  end
  if #properties == 0 or schema.additional(doc, node) then
    keys.key_patterns[#keys.key_patterns + 1] = name .. "[key]"
  end
end

-- Adds a field for a list. A list of objects has none, but a pattern.
local function add_list(keys, name, list, from)
  if schema.kind_of(list.inner) ~= "scalar" then
    keys.key_patterns[#keys.key_patterns + 1] = name .. "[0][key]"
  else
    local field = option_field.new(name .. "[]", { list }, from)
    field.only = "list"
    keys.add(field, "list")
  end
end

-- Adds what a node says: fields for its objects and lists, and one for all of its scalars. from:
-- the parameter or property that has the node.
function add_value(doc, keys, name, from, depth)
  local kinds, scalars = schema.kinds(doc, from.node), {}
  local of_one_kind = {
    node = from.node,
    required = from.required == true and #kinds == 1,
    description = from.description,
    deprecated = from.deprecated,
  }
  for _, kind in ipairs(kinds) do
    if kind.kind == "list" then
      add_list(keys, name, kind, of_one_kind)
    elseif kind.kind == "map" then
      add_object(doc, keys, name, from.node, of_one_kind.required, depth)
    else
      scalars[#scalars + 1] = kind
    end
  end
  if #scalars > 0 or #kinds == 0 then
    local is_all = #scalars == #kinds
    local field = option_field.new(name, scalars, is_all and from or of_one_kind)
    field.only = not is_all and "scalar" or nil
    keys.add(field, "scalar")
  end
end

-- Calls keys.add with a field for each key that a parameter's schema names, and its kind; adds a
-- pattern to keys.key_patterns for keys that are not known.
function deep_object.each_key(doc, keys, parameter)
  add_value(doc, keys, parameter.name, parameter, 0)
end

return deep_object
