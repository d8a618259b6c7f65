-- SPDX-License-Identifier: MIT
-- The limits of one value in the rules, where several schemas must hold: JSON Schema 2020-12
-- Validation, the keywords for numeric instances, strings, arrays and objects; "pattern"; "format".
local limits = {}

local lenient = require "endpoint.types.schema.lenient"
local values = require "endpoint.types.document.values"

local function is_count(value)
  return value >= 0 and value <= 2 ^ 53 and value % 1 == 0
end

local function is_positive(value)
  return value > 0
end

-- Of several limits the narrowest holds: `take` finds it. `least` is a limit that says nothing.
local LIMITS = {
  minimum = { kind = "number", take = math.max, other = "exclusiveMinimum" },
  maximum = { kind = "number", take = math.min, other = "exclusiveMaximum" },
  exclusiveMinimum = { kind = "number", take = math.max, other = "minimum" },
  exclusiveMaximum = { kind = "number", take = math.min, other = "maximum" },
  minLength = { kind = "string", take = math.max, fits = is_count, least = 0 },
  maxLength = { kind = "string", take = math.min, fits = is_count },
  minItems = { kind = "array", take = math.max, fits = is_count, least = 0 },
  maxItems = { kind = "array", take = math.min, fits = is_count },
  minProperties = { kind = "object", take = math.max, fits = is_count, least = 0 },
  maxProperties = { kind = "object", take = math.min, fits = is_count },
}

local function as_number(value, fits)
  local is_number = type(value) == "number" and value - value == 0
  return is_number and (not fits or fits(value)) and value or nil
end

-- A limit that is of another type than its keyword takes is not checked: `left_out` of
-- endpoint.checks says so.
local function note_wrong(builder, node, keyword, written, read)
  if written ~= nil and read == nil then
    local wrong = builder.wrong_limits
    wrong[node] = wrong[node] or {}
    wrong[node][keyword] = true
  end
  return read
end

-- A number of elements, as "minContains" has it; nil if it is not one.
function limits.count(builder, node, schema, keyword)
  return note_wrong(builder, node, keyword, schema[keyword], as_number(schema[keyword], is_count))
end

-- A limit of one schema. In OpenAPI 3.0, Swagger 2.0 and JSON Schema 4 the exclusive ones are true
-- beside the others.
local function limit_of(builder, node, schema, name, limit)
  local value = schema[name]
  if limit.other and schema[limit.other] == true then
    return nil
  elseif value == true and limit.other then
    value = schema[limit.other]
  elseif value == false and limit.other then
    return nil
  end
  value = note_wrong(builder, node, name, value, as_number(value, limit.fits))
  return value ~= limit.least and value or nil
end

-- --- limits that do not become one --------------------------------------------------

local function as_pattern(value)
  return values.as_string(value)
end

local function as_factor(value)
  return as_number(value, is_positive)
end

local SEVERAL = {
  { "multipleOf", kind = "number", read = as_factor },
  { "pattern", kind = "string", read = as_pattern },
}

local function add_several(builder, node, schemas, types)
  for _, limit in ipairs(SEVERAL) do
    local name = limit[1]
    local is_of_type = not types or types[limit.kind] or limit.kind == "number" and types.integer
    for _, schema in ipairs(is_of_type and schemas or {}) do
      local value = note_wrong(builder, node, name, schema[name], limit.read(schema[name]))
      if value and node[name] and node[name] ~= value then
        node.allOf = node.allOf or {}
        table.insert(node.allOf, { [name] = value })
      else
        node[name] = value or node[name]
      end
    end
  end
end

-- --- all of them ------------------------------------------------------------------

-- The format of strings. It is known, and not checked.
local function add_format(node, schemas, types)
  if types and not types.string then
    return
  end
  for _, schema in ipairs(schemas) do
    node.format = node.format or values.as_string(schema.format)
  end
end

-- Adds the limits of schemas that all hold. types: those of the node as a set, nil if it may have
-- any.
function limits.add(builder, node, schemas, types)
  if lenient.ignores_limits(builder, node) then
    return
  end
  for name, limit in pairs(LIMITS) do
    local is_of_type = not types or types[limit.kind] or limit.kind == "number" and types.integer
    for _, schema in ipairs(is_of_type and schemas or {}) do
      local value = limit_of(builder, node, schema, name, limit)
      if value then
        node[name] = node[name] and limit.take(node[name], value) or value
      end
    end
  end
  add_several(builder, node, schemas, types)
  add_format(node, schemas, types)
end

return limits
