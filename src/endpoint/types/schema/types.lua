-- SPDX-License-Identifier: MIT
-- The types and the values that a node allows, where several schemas must hold: JSON Schema 2020-12
-- Validation, "type", "enum" and "const"; OpenAPI 3.0, "Schema Object", `nullable`.
local types = {}

local decoded = require "endpoint.types.document.values"
local endpoint = require "endpoint"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
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

-- The types of one schema as a set; nil if it names none. Unless the rules are open, properties or
-- items tell the type where it is left out, as examples of OpenAPI do.
local function types_in(builder, schema)
  local set, is_known = {}, false
  local written = type(schema.type) == "table" and schema.type or { schema.type }
  for _, name in each(builder.doc, written) do
    if not TYPES[name] then
      return nil
    end
    set[TYPES[name]], is_known = true, true
  end
  if schema.type == nil and not builder.is_open then
    set.object = type(schema.properties) == "table" or nil
    set.array = type(schema.items) == "table" or nil
    is_known = next(set) ~= nil
  end
  if decoded.is_nullable(schema) then
    set.null = true -- with a type; without one, see is_nullable
  end
  return is_known and set or nil
end

-- Types that are in both sets; nil if none is.
local function common_types(first, second)
  local set = {}
  for name in pairs(first) do
    if second[name] or name == "integer" and second.number then
      set[name] = true
    end
    if name == "number" and second.integer then
      set.integer = true
    end
  end
  return next(set) and set or nil
end

local function names_of(set)
  local names = {}
  for name in pairs(set) do
    if not (name == "integer" and set.number) then
      names[#names + 1] = name
    end
  end
  names = result.sorted(names)
  return names[2] and names or names[1]
end

-- --- values -----------------------------------------------------------------------

-- Is a value of the document JSON? Deeper ones have no end, for all that is known.
local function is_json(value, depth)
  if type(value) == "number" then
    return value - value == 0
  elseif type(value) ~= "table" then
    return type(value) == "string" or type(value) == "boolean" or value == endpoint.null
  end
  for key, inner in next, value do
    if depth > 20 or type(key) ~= type((next(value))) or not is_json(inner, depth + 1) then
      return false
    end
  end
  return true
end

-- The values of one schema, each once, or nil; and whether there is a table among them. Beside
-- "array" scalars are a mistake for values of the items.
local function values_in(builder, schema, list)
  local values, set, has_tables = {}, {}, false
  if type(list) ~= "table" then
    return nil
  end
  for _, value in each(builder.doc, list) do
    if not is_json(value, 1) then
      return nil
    end
    if not set[value] then
      values[#values + 1], set[value] = value, true
    end
    has_tables = has_tables or type(value) == "table"
  end
  if schema.type == "array" and not has_tables then
    return nil
  end
  if decoded.is_nullable(schema) and not set[endpoint.null] then
    values[#values + 1] = endpoint.null
  end
  return (values[1] ~= nil or builder.is_open) and values or nil, has_tables
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
  if type(value) == "string" and tonumber(value) and (set.integer or set.number) then
    return tonumber(value)
  elseif type(value) == "number" and set.string then
    return ("%.14g"):format(value)
  end
end

-- Values and types. If they have nothing in common, one of them must be wrong: then the values are
-- taken as they are and in the other type.
local function reconciled(builder, set, values)
  local count, all = 0, {}
  for _, value in ipairs(values) do
    count = count + (is_of(set, value) and 1 or 0)
    all[#all + 1] = value
    all[#all + 1] = converted(set, value)
  end
  local is_nothing = count == (set.null and is_of({ null = true }, values[#values]) and 1 or 0)
  if is_nothing then
    return nil, all
  end
  local tells_types = count < #values and not builder.is_open
  return not tells_types and set or nil, values
end

-- --- both -------------------------------------------------------------------------

-- OpenAPI 3.0 has no other way to say that what a $ref leads to may be null.
local function is_nullable(roots, schemas)
  for _, schema in ipairs(schemas) do
    if decoded.is_nullable(schema) and schema.type == nil then
      return true
    end
  end
  return roots[2] == nil and schemas[1] ~= nil and decoded.is_nullable(schemas[1])
end

local function with_null(list)
  for _, value in ipairs(list) do
    if value == endpoint.null then
      return list
    end
  end
  list[#list + 1] = endpoint.null
  return list
end

local function add_beside(node, other)
  node.allOf = node.allOf or {}
  table.insert(node.allOf, other)
end

local function add_types(builder, node, schemas)
  local set
  for _, schema in ipairs(schemas) do
    local more = types_in(builder, schema)
    local common = set and more and common_types(set, more)
    if set and more and not common then
      add_beside(node, { type = names_of(more) })
    else
      set = common or set or more
    end
  end
  return set
end

local function common_values(values, more)
  local set, common = {}, {}
  for _, value in ipairs(more) do
    set[value] = true
  end
  for _, value in ipairs(values) do
    if set[value] then
      common[#common + 1] = value
    end
  end
  return common[1] ~= nil and common or nil
end

local function add_values(builder, node, schemas)
  local values, has_tables
  for _, schema in ipairs(schemas) do
    local const = schema.const ~= nil and { schema.const } or false
    for _, list in ipairs { schema.enum or false, const } do
      local more, more_tables = values_in(builder, schema, list)
      local common = values
        and more
        and not has_tables
        and not more_tables
        and common_values(values, more)
      if values and more and not common then
        add_beside(node, { enum = more })
      elseif more then
        values, has_tables = common or more, has_tables or more_tables
      end
    end
  end
  return values
end

-- Adds the types and the enumeration to a node. origin: what the node is made of, see nodes.lua.
-- Returns the set of the types, nil if any type may be there, and whether null fits whatever the
-- rest of the node says.
function types.add(builder, node, origin)
  local schemas = origin.schemas
  local set, values = add_types(builder, node, schemas), add_values(builder, node, schemas)
  local may_be_null = is_nullable(origin.roots, schemas)
  if may_be_null then
    values = values and with_null(values)
    if set then
      set.null = true
    end
  end
  if set and values then
    set, values = reconciled(builder, set, values)
  end
  node.enum, node.type = values, set and names_of(set) or nil
  return set, may_be_null
end

return types
