-- SPDX-License-Identifier: MIT
-- Null in the schemas of a form: as JSON Schema says it, and as a field of the service's own.
local nulls = {}

local NULL = require "endpoint".null

local ARRAY = { __jsontype = "array" }
local OBJECT = { __jsontype = "object" }

-- Lets a schema be null, too, as JSON Schema says it.
function nulls.add(schema)
  if schema.anyOf then
    schema.anyOf[#schema.anyOf + 1] = setmetatable({ type = "null" }, OBJECT)
  elseif type(schema.type) == "string" then
    schema.type = setmetatable({ schema.type, "null" }, ARRAY)
  end
  if schema.enum and schema.enum[#schema.enum] ~= NULL then
    schema.enum[#schema.enum + 1] = NULL
  end
  return schema
end

-- Does a schema say that it may be null?
function nulls.has(schema)
  local list = schema.anyOf or {}
  return type(schema.type) == "table" or list[1] and list[#list].type == "null"
end

local function copy(given)
  local made = {}
  for key, one in next, given do
    made[key] = one
  end
  return setmetatable(made, getmetatable(given))
end

-- A schema that also takes null: it, or the first of its alternatives, since the field stands
-- beside a type.
local function or_null(schema)
  local made = copy(schema)
  if made.anyOf then
    made.anyOf = copy(made.anyOf)
    made.anyOf[1] = or_null(made.anyOf[1])
  else
    made.nullable = true
  end
  return made
end

-- Makes a field `nullable` of JSON Schema's null.
function nulls.make_field(schema)
  if nulls.has(schema) and schema.anyOf then
    schema.anyOf[#schema.anyOf] = nil
    schema.anyOf = or_null(schema).anyOf
  elseif nulls.has(schema) then
    schema.type, schema.nullable = schema.type[1], true
  end
  if schema.enum and schema.enum[#schema.enum] == NULL then
    schema.enum[#schema.enum] = nil
  end
end

return nulls
