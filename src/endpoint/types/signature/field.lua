-- SPDX-License-Identifier: MIT
-- The fields of a call's options, each with the type that its value has in Lua.
local field = {}

local budget = require "endpoint.types.document.budget"
local endpoint = require "endpoint"
local lua_types = require "endpoint.types.document.lua_types"
local object_schema = require "endpoint.types.document.object_schema"
local result = require "endpoint.result"

-- Levels of a map under deepObject.
local DEEPEST = 3

-- Is it the name of an option of a call?
field.is_option = result.is_option

-- Can it be the name of a variable? The module itself is asked, which knows the options.
function field.is_variable(name)
  local is_read, variables = pcall(endpoint.variables, "{?" .. name .. "}")
  return is_read and variables[1] ~= nil and variables[1].name == name
end

-- A field: `name`, `types`, `schema` (of the value, unless a text is given for it), `required`,
-- `description`, `note` (what to write), `example`, `deprecated`; `only`, the kind of the values
-- that the schema has for this field; and `is_flat`, may it hold no table? from: the table that has
-- the rest of them.
function field.new(name, types, from, note)
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

-- What a field takes from a property.
function field.source(property)
  return {
    schema = property.schema,
    required = property.required,
    description = property.schema.description,
    deprecated = property.schema.deprecated == true,
  }
end

-- A field whose value is of one of these types.
function field.scalar(name, texts, from, note)
  local new_field = field.new(name, lua_types.scalars(texts), from, note)
  new_field.schema = nil
  return new_field
end

-- --- texts in the place of values -------------------------------------------------------

-- A field whose value is a text that the caller makes, as the note says. `value` is what the text
-- means: its schema, and the style in which it is written: "json", "tables" if only tables are
-- JSON, or what joins its elements.
function field.text(name, from, note, style)
  local new_field = field.scalar(name, { "string" }, from, note)
  new_field.value = { schema = from.schema, style = style }
  return new_field
end

-- As they stand in Lua's source.
local WRITTEN = { [","] = '","', [" "] = '" "', ["|"] = '"|"', ["\t"] = '"\\t"' }

-- The field of a list, or of a map, whose elements are joined.
function field.joined(name, from, separator, kind)
  if kind == "map" then
    local note = "keys and values as text, joined by " .. WRITTEN[separator]
    return field.text(name, from, note, separator)
  end
  local note = "a list as text: table.concat(list, " .. WRITTEN[separator] .. ")"
  return field.text(name, from, note, separator)
end

local SEPARATORS = { spaceDelimited = " ", pipeDelimited = "|", tabDelimited = "\t" }

-- The field of a parameter, and whether its value is a scalar, a list or a map there. A URL has
-- no table in a table.
function field.for_parameter(doc, parameter)
  local types = lua_types.types_of(doc, parameter.schema)
  if parameter.is_json or lua_types.is_nested(types) then
    local style = parameter.is_json and "json" or "tables"
    return field.text(parameter.name, parameter, "JSON, as text", style), "scalar"
  end
  local kind, separator = lua_types.kind_of(types), SEPARATORS[parameter.style]
  if separator and not parameter.explode and kind ~= "scalar" then
    return field.joined(parameter.name, parameter, separator, kind), "scalar"
  end
  local new_field = field.new(parameter.name, types, parameter)
  new_field.is_flat = true
  return new_field, kind
end

-- --- maps, flat -----------------------------------------------------------------------

-- A map under deepObject has no field of its own: each key has one, name[key], and each list
-- in it name[key][]. What has no known key gets a note.
-- flat: `add(field, kind)` and `notes`, a list. from: required, description, deprecated.
local add_flat -- which the function below signatures

local function add_keys(doc, flat, name, value, required, depth)
  local properties = depth < DEEPEST and object_schema.sent(doc, value) or {}
  for _, property in ipairs(properties) do
    local from = field.source(property)
    from.required = required and from.required
    budget.spend(doc, #name + #property.name)
    add_flat(doc, flat, name .. "[" .. property.name .. "]", property.schema, from, depth + 1)
  end
  if #properties == 0 then
    flat.notes[#flat.notes + 1] = name .. "[key]"
  end
end

-- Adds a list that is sent with [] after its name; a list of maps gets a note.
local function add_list(flat, name, list_type, from)
  if lua_types.kind_of(list_type.inner) ~= "scalar" then
    flat.notes[#flat.notes + 1] = name .. "[0][key]"
  else
    local new_field = field.new(name .. "[]", { list_type }, from)
    new_field.only = "list"
    flat.add(new_field, "list")
  end
end

function add_flat(doc, flat, name, value, from, depth)
  local types, scalars = lua_types.types_of(doc, value), {}
  local must = {
    schema = value,
    required = from.required == true and #types == 1,
    description = from.description,
    deprecated = from.deprecated,
  }
  for _, one in ipairs(types) do
    if one.kind == "list" then
      add_list(flat, name, one, must)
    elseif one.kind == "map" then
      add_keys(doc, flat, name, value, must.required, depth)
    else
      scalars[#scalars + 1] = one
    end
  end
  if #scalars == #types then
    must = from
  end
  if #scalars > 0 or #types == 0 then
    local new_field = field.new(name, scalars, must)
    new_field.only = #scalars < #types and "scalar" or nil
    flat.add(new_field, "scalar")
  end
end

function field.add_flat(doc, flat, parameter)
  add_flat(doc, flat, parameter.name, parameter.schema, parameter, 0)
end

return field
