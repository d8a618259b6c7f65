-- SPDX-License-Identifier: MIT
-- What one value may be in the rules: its types, its enumeration and its limits, where several schemas must hold.
local limits = {}

local decoded = require "endpoint.types.document.values"
local endpoint = require "endpoint"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local text = require "endpoint.text"
local each = reader.each

-- --- types ------------------------------------------------------------------------

local TYPES = {
  string = "string",
  integer = "integer",
  number = "number",
  boolean = "boolean",
  null = "null",
  file = "string",
  array = "array",
  object = "object",
}

-- The types of one schema as a set; nil if it names none. Examples of OpenAPI leave the type out where
-- properties or items tell it.
local function own_types(to, part)
  local set, is_known = {}, false
  for _, name in each(to.doc, type(part.type) == "table" and part.type or { part.type }) do
    if not TYPES[name] then
      return nil
    end
    set[TYPES[name]], is_known = true, true
  end
  if part.type == nil and type(part.properties) == "table" then
    set.object, is_known = true, true
  end
  if part.type == nil and type(part.items) == "table" then
    set.array, is_known = true, true
  end
  if decoded.is_nullable(part) then
    set.null = true
  end -- with a type; without one, see is_nullable
  return is_known and set or nil
end

-- Types that are in both sets; the first set if none is.
local function common_types(one, other)
  local set = {}
  for name in pairs(one) do
    if other[name] or name == "integer" and other.number then
      set[name] = true
    end
    if name == "number" and other.integer then
      set.integer = true
    end
  end
  return next(set) and set or one
end

local function types_of(to, parts)
  local types
  for _, part in ipairs(parts) do
    local own = own_types(to, part)
    types = own and types and common_types(types, own) or own or types
  end
  return types
end

-- --- enumerations -----------------------------------------------------------------

local function type_of(value)
  if value == endpoint.null then
    return "null"
  end
  return type(value) == "number" and (value % 1 == 0 and "integer" or "number") or type(value)
end

-- The values of one schema, each once, and as a set; nil if it has none, or one that is a table. Beside "array"
-- an enumeration is a mistake for one of the items.
local function own_values(to, part)
  local list, values, set = part.enum, {}, {}
  if part.const ~= nil then
    list = { part.const }
  end
  if type(list) ~= "table" or part.type == "array" then
    return nil
  end
  for _, value in each(to.doc, list) do
    local is_scalar = value == endpoint.null or type(value) == "string" or type(value) == "boolean"
    if not is_scalar and not (type(value) == "number" and not text.number_fault(value)) then
      return nil
    end
    if not set[value] then
      values[#values + 1], set[value] = value, true
    end
  end
  if decoded.is_nullable(part) and not set[endpoint.null] then
    values[#values + 1], set[endpoint.null] = endpoint.null, true
  end
  return values[1] ~= nil and values or nil, set
end

local function values_of(to, parts)
  local values
  for _, part in ipairs(parts) do
    local own, set = own_values(to, part)
    local common = {}
    for _, value in ipairs(own and values or {}) do
      if set[value] then
        common[#common + 1] = value
      end
    end
    values = common[1] ~= nil and common or values or own
  end
  return values
end

-- OpenAPI 3.0 has no other way to say that what a $ref leads to may be null.
local function is_nullable(parts)
  for _, part in ipairs(parts) do
    if decoded.is_nullable(part) and part.type == nil then
      return true
    end
  end
  return false
end

local function add_null(types, values)
  if types then
    types.null = true
  end
  for _, value in ipairs(values or {}) do
    if value == endpoint.null then
      return
    end
  end
  if values then
    values[#values + 1] = endpoint.null
  end
end

-- Adds the types and the enumeration, which tells the types whatever stands beside it; returns the types.
function limits.add_types(to, node, parts)
  local types, values, names = types_of(to, parts), values_of(to, parts), {}
  if is_nullable(parts) then
    add_null(types, values)
  end
  for position, value in ipairs(values or {}) do
    local name = type_of(value)
    node.enum = node.enum or {}
    node.enum[position] = value
    if types and not (types[name] or name == "integer" and types.number) then
      types = nil
    end
  end
  for name in pairs(types or {}) do
    names[#names + 1] = name
  end
  names = result.sorted(names)
  node.type = names[2] and names or names[1]
  return types
end

-- --- limits -----------------------------------------------------------------------

local function is_count(value)
  return value >= 1 and value % 1 == 0 and value <= 2 ^ 53
end

-- Of several, the narrowest holds. Others than whole numbers have no exact multiples.
local LIMITS = {
  minimum = { of = "number", take = math.max, other = "exclusiveMinimum" },
  maximum = { of = "number", take = math.min, other = "exclusiveMaximum" },
  exclusiveMinimum = { of = "number", take = math.max, other = "minimum" },
  exclusiveMaximum = { of = "number", take = math.min, other = "maximum" },
  multipleOf = { of = "number", take = math.min, fits = is_count },
  minLength = { of = "string", take = math.max, fits = is_count },
  maxLength = { of = "string", take = math.min },
  minItems = { of = "array", take = math.max, fits = is_count },
  maxItems = { of = "array", take = math.min },
  minProperties = { of = "object", take = math.max, fits = is_count },
  maxProperties = { of = "object", take = math.min },
}

-- A limit of one schema. In OpenAPI 3.0 the exclusive ones are true beside the others.
local function limit_of(part, name, limit)
  local value = part[name]
  if part[limit.other] == true then
    value = nil
  end
  if value == true then
    value = part[limit.other]
  end
  local is_number = type(value) == "number" and not text.number_fault(value)
  return is_number and (not limit.fits or limit.fits(value)) and value or nil
end

function limits.add(node, parts, types)
  for name, limit in pairs(LIMITS) do
    local is_of_type = not types or types[limit.of] or limit.of == "number" and types.integer
    for _, part in ipairs(is_of_type and not node.enum and parts or {}) do
      local value = limit_of(part, name, limit)
      if value then
        node[name] = node[name] and limit.take(node[name], value) or value
      end
    end
  end
end

return limits
