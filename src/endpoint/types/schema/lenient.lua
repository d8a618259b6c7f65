-- SPDX-License-Identifier: MIT
-- What published documents mean where their words contradict each other, or say less. With `--open`
-- a schema counts as it is written, and nothing here is asked.
local lenient = {}

local endpoint = require "endpoint"
local references = require "endpoint.types.document.references"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"
local is_list = values.is_list

-- --- types --------------------------------------------------------------------------------

-- Adds the type that properties or items tell where it is left out, as examples of OpenAPI do. set:
-- of types. Returns whether there is one.
function lenient.guess_types(builder, schema, set)
  if schema.type ~= nil or builder.is_open then
    return false
  end
  set.object = type(schema.properties) == "table" or nil
  set.array = type(schema.items) == "table" or nil
  return next(set) ~= nil
end

-- Does `type: "null"` only say that null fits, too? By the words no value would fit it and one of
-- the alternatives beside it.
function lenient.is_nullable(builder, schema)
  return not builder.is_open
    and schema.type == "null"
    and (is_list(schema.oneOf) or is_list(schema.anyOf))
end

-- --- enumerations -------------------------------------------------------------------------

-- Is a list of values a mistake? An empty one is, and so are scalars beside "array": they are meant
-- for the items. has_tables: is there a table in the list?
function lenient.ignores_values(builder, schema, list, has_tables)
  if builder.is_open then
    return false
  end
  return list[1] == nil or schema.type == "array" and not has_tables
end

local function type_of(value)
  if value == endpoint.null then
    return "null"
  elseif type(value) == "number" then
    return value % 1 == 0 and "integer" or "number"
  elseif type(value) == "table" then
    return type((next(value))) == "number" and "array" or "object"
  end
  return type(value)
end

local function is_of(set, value)
  local name = type_of(value)
  return set[name]
    or name == "integer" and set.number
    or type(value) == "table" and next(value) == nil and set.array
end

-- Documents quote numbers, and leave strings without quotes: the value in the other type, if that
-- fits.
local function converted(set, value)
  if type(value) == "string" and text.number(value) and (set.integer or set.number) then
    return text.number(value)
  elseif type(value) == "number" and set.string then
    return text.pointed(("%.14g"):format(value))
  end
end

local function with_converted(set, list)
  local all = {}
  for _, value in ipairs(list) do
    all[#all + 1] = value
    all[#all + 1] = converted(set, value)
  end
  return all
end

-- Types and values. If they have nothing in common, one of them must be wrong: then the values are
-- taken as they are and in the other type. If some values are of no type, the values tell the type.
function lenient.reconciled(builder, set, list)
  if builder.is_open then
    return set, list
  end
  local count = 0
  for _, value in ipairs(list) do
    count = count + (is_of(set, value) and 1 or 0)
  end
  local is_nothing = count == (set.null and list[#list] == endpoint.null and 1 or 0)
  if is_nothing then
    return nil, with_converted(set, list)
  end
  return count == #list and set or nil, list
end

-- Published enumerations are right where limits beside them are not.
function lenient.ignores_limits(builder, node)
  return node.enum ~= nil and not builder.is_open
end

-- --- oneOf --------------------------------------------------------------------------------

local IS_SCALAR =
  { string = true, integer = true, number = true, boolean = true, null = true, array = true }

-- Keywords of an alternative that asks for names which are described beside it.
local IS_CONDITION = {
  required = true,
  ["not"] = true,
  minProperties = true,
  maxProperties = true,
  dependentRequired = true,
  title = true,
  description = true,
}

local function is_condition(schema)
  for keyword in next, schema do
    if not IS_CONDITION[keyword] then
      return false
    end
  end
  return schema.required ~= nil
end

-- May a value of the schema be an object that the schema describes?
local function describes_objects(builder, value)
  local schema = references.final(builder.doc, value)
  if type(schema) ~= "table" or is_condition(schema) then
    return false
  end
  local types = type(schema.type) == "table" and schema.type or { schema.type }
  for _, name in ipairs(types) do
    if not IS_SCALAR[name] then
      return true
    end
  end
  return types[1] == nil and schema.enum == nil and schema.const == nil
end

-- Documents say oneOf of objects where they mean anyOf: none of their schemas forbids the names of
-- the others. Where all are conditions, such as the required names, they mean oneOf.
function lenient.keyword_of(builder, keyword, list)
  for _, value in ipairs(not builder.is_open and list or values.NOTHING) do
    if describes_objects(builder, value) then
      return "anyOf"
    end
  end
  return keyword
end

-- Are alternatives that are the same one? Two of them would fit, and oneOf would refuse each value.
function lenient.takes_once(builder, keyword)
  return keyword == "anyOf" or not builder.is_open
end

return lenient
