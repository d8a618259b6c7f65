-- SPDX-License-Identifier: MIT
-- The types and the values that a node allows, where several schemas must hold: JSON Schema 2020-12
-- Validation, "type", "enum" and "const"; OpenAPI 3.0, "Schema Object", `nullable`.
local types = {}

local decoded = require "endpoint.types.document.values"
local endpoint = require "endpoint"
local lenient = require "endpoint.types.schema.lenient"
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

-- Adds a type that a schema writes to a set. Is it one?
local function add_type(set, name)
  if not TYPES[name] then
    return false
  end
  set[TYPES[name]] = true
  return true
end

-- Adds all of them. Are they types?
local function add_written(builder, set, written)
  if type(written) ~= "table" then
    return written == nil or add_type(set, written)
  end
  for _, name in each(builder.doc, written) do
    if not add_type(set, name) then
      return false
    end
  end
  return true
end

-- The types of one schema as a set; nil if it names none.
local function types_in(builder, schema)
  local set = {}
  if lenient.is_nullable(builder, schema) or not add_written(builder, set, schema.type) then
    return nil
  end
  local is_known = next(set) ~= nil or lenient.guess_types(builder, schema, set)
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
  local names, first = {}, next(set)
  if next(set, first) == nil then
    return first
  end
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

-- The values of one schema, each once, or nil; and whether there is a table among them.
local function values_in(builder, schema, list)
  if type(list) ~= "table" then
    return nil
  end
  local values, set, has_tables = {}, {}, false
  for _, value in each(builder.doc, list) do
    if not is_json(value, 1) then
      return nil
    end
    if not set[value] then
      values[#values + 1], set[value] = value, true
    end
    has_tables = has_tables or type(value) == "table"
  end
  if lenient.ignores_values(builder, schema, values, has_tables) then
    return nil
  end
  return values, has_tables
end

-- --- both -------------------------------------------------------------------------

-- Does `nullable` let null in, whatever the other schemas say? OpenAPI 3.0 has no other way to say
-- that what a $ref leads to may be null. It adds nothing to the values of its own schema (3.0.3,
-- "Clarify Semantics of nullable").
local function is_nullable(builder, roots, schemas)
  for position, schema in ipairs(schemas) do
    local is_alone = schema.type == nil or position == 1 and roots[2] == nil
    if lenient.is_nullable(builder, schema) then
      return true
    elseif is_alone and decoded.is_nullable(schema) and schema.enum == nil then
      return true
    end
  end
  return false
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

-- The lists of values that a schema has.
local function lists_in(schema)
  if schema.const == nil then
    return schema.enum and { schema.enum } or decoded.NOTHING
  end
  return { schema.enum or false, { schema.const } }
end

local function add_values(builder, node, schemas)
  local values, has_tables
  for _, schema in ipairs(schemas) do
    for _, list in ipairs(lists_in(schema)) do
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
  local may_be_null = is_nullable(builder, origin.roots, schemas)
  if may_be_null then
    values = values and with_null(values)
    if set then
      set.null = true
    end
  end
  if set and values then
    set, values = lenient.reconciled(builder, set, values)
  end
  node.enum, node.type = values, set and names_of(set) or nil
  return set, may_be_null
end

return types
