-- SPDX-License-Identifier: MIT
-- A field of a call's options, with the type that its value has in Lua.
local option_field = {}

local endpoint = require "endpoint"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local schema = require "endpoint.types.schema"

-- Is it the name of an option of a call?
option_field.is_option = result.is_option

-- Can it be the name of a variable? The module itself is asked, which knows the options.
function option_field.is_variable(name)
  local is_read, variables = protected.call(endpoint.variables, "{?" .. name .. "}")
  return is_read and variables[1] ~= nil and variables[1].name == name
end

-- A field: `name`, `kinds` (of its values), `node` (of the value, unless a string is given for it),
-- `required`, `description`, `note` (what to write), `example`, `deprecated`; `only`, the kind of
-- the values that the node has for this field; and `is_flat`, may it hold no table? from: the table
-- that has the rest of them, such as a parameter.
function option_field.new(name, kinds, from, note)
  return {
    name = name,
    kinds = kinds,
    node = from.node,
    required = from.required == true,
    note = note,
    description = from.description,
    example = from.example,
    deprecated = from.deprecated,
  }
end

-- What the field of a property takes from it.
function option_field.source(doc, property)
  local description, is_deprecated = schema.about(doc, property.node)
  return {
    node = property.node,
    required = property.required,
    description = description,
    deprecated = is_deprecated,
  }
end

-- The field of a property whose values are what its node says.
function option_field.of_property(doc, property)
  local kinds = schema.kinds(doc, property.node)
  return option_field.new(property.name, kinds, option_field.source(doc, property))
end

-- A field whose value is of one of these types.
function option_field.scalar(name, texts, from, note)
  local field = option_field.new(name, schema.scalars(texts), from, note)
  field.node = nil
  return field
end

-- --- strings in the place of values -----------------------------------------------------

-- A field whose value is a string that the caller makes, as the note says. `value` is what the
-- string means: its node, and the style in which it is written: "json", "tables" if only tables
-- are JSON, or what joins its elements.
function option_field.text(name, from, note, style)
  local field = option_field.scalar(name, { "string" }, from, note)
  field.value = { node = from.node, style = style }
  return field
end

-- Separators as a program of Lua writes them.
local WRITTEN = { [","] = '","', [" "] = '" "', ["|"] = '"|"', ["\t"] = '"\\t"' }

-- The field of a list, or of a map, whose elements are joined.
function option_field.joined(name, from, separator, kind)
  local note = "a list as a string: table.concat(list, " .. WRITTEN[separator] .. ")"
  if kind == "map" then
    note = "keys and values as a string, joined by " .. WRITTEN[separator]
  end
  return option_field.text(name, from, note, separator)
end

-- --- parameters ---------------------------------------------------------------------

-- OpenAPI 3.1, "Style Values": what joins the elements of a list in a query. Swagger 2.0 has tabs.
local SEPARATORS = { spaceDelimited = " ", pipeDelimited = "|", tabDelimited = "\t" }

-- The field of a parameter, and whether its value is a scalar, a list or a map there. A URL cannot
-- hold a table in a table: such a value is JSON.
function option_field.of_parameter(doc, parameter)
  local kinds = schema.kinds(doc, parameter.node)
  if parameter.is_json or schema.is_nested(kinds) then
    local style = parameter.is_json and "json" or "tables"
    return option_field.text(parameter.name, parameter, "JSON as a string", style), "scalar"
  end
  local kind, separator = schema.kind_of(kinds), SEPARATORS[parameter.style]
  if separator and not parameter.explode and kind ~= "scalar" then
    return option_field.joined(parameter.name, parameter, separator, kind), "scalar"
  end
  local field = option_field.new(parameter.name, kinds, parameter)
  field.is_flat = true
  return field, kind
end

return option_field
