-- SPDX-License-Identifier: MIT
-- A field of a call's options, with the type that its value has in Lua.
local option_field = {}

local endpoint = require "endpoint"
local lua_types = require "endpoint.types.document.lua_types"
local result = require "endpoint.result"

-- Is it the name of an option of a call?
option_field.is_option = result.is_option

-- Can it be the name of a variable? The module itself is asked, which knows the options.
function option_field.is_variable(name)
  local is_read, variables = pcall(endpoint.variables, "{?" .. name .. "}")
  return is_read and variables[1] ~= nil and variables[1].name == name
end

-- A field: `name`, `types`, `schema` (of the value, unless a string is given for it), `required`,
-- `description`, `note` (what to write), `example`, `deprecated`; `only`, the kind of the values
-- that the schema has for this field; and `is_flat`, may it hold no table? from: the table that has
-- the rest of them, such as a parameter.
function option_field.new(name, types, from, note)
  return {
    name = name,
    types = types,
    schema = from.schema,
    required = from.required == true,
    note = note,
    description = from.description,
    example = from.example,
    deprecated = from.deprecated,
  }
end

-- What the field of a property takes from it.
function option_field.source(property)
  return {
    schema = property.schema,
    required = property.required,
    description = property.schema.description,
    deprecated = property.schema.deprecated == true,
  }
end

-- A field whose value is of one of these types.
function option_field.scalar(name, texts, from, note)
  local field = option_field.new(name, lua_types.scalars(texts), from, note)
  field.schema = nil
  return field
end

-- --- strings in the place of values -----------------------------------------------------

-- A field whose value is a string that the caller makes, as the note says. `value` is what the
-- string means: its schema, and the style in which it is written: "json", "tables" if only tables
-- are JSON, or what joins its elements.
function option_field.text(name, from, note, style)
  local field = option_field.scalar(name, { "string" }, from, note)
  field.value = { schema = from.schema, style = style }
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
  local types = lua_types.of_schema(doc, parameter.schema)
  if parameter.is_json or lua_types.is_nested(types) then
    local style = parameter.is_json and "json" or "tables"
    return option_field.text(parameter.name, parameter, "JSON as a string", style), "scalar"
  end
  local kind, separator = lua_types.kind_of(types), SEPARATORS[parameter.style]
  if separator and not parameter.explode and kind ~= "scalar" then
    return option_field.joined(parameter.name, parameter, separator, kind), "scalar"
  end
  local field = option_field.new(parameter.name, types, parameter)
  field.is_flat = true
  return field, kind
end

return option_field
