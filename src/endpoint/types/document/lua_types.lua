-- SPDX-License-Identifier: MIT
-- The types that a value of a schema has in Lua, as the editor's definitions write them. A type is
-- a table: `kind`, which is "scalar", "list" or "map"; `text` of a scalar; `inner`, the types of
-- elements or of values; `object`, the schema of a map that names properties.
local lua_types = {}

local budget = require "endpoint.types.document.budget"
local object_schema = require "endpoint.types.document.object_schema"
local property_schemas = require "endpoint.types.document.property_schemas"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local source = require "endpoint.types.source"
local values = require "endpoint.types.document.values"
local resolve = references.schema
local each = reader.each

-- A longer union is shown as the type of its values.
local LONGEST = 1000

-- Arrays in arrays, and maps in maps, have no more levels.
local DEEPEST = 4

-- As many schemas are read for one type. A document can name the same few again and again.
local MOST_READ = 1000

-- --- sets of types ------------------------------------------------------------------

-- A set of types in the order in which they were found; two with one key are one. `said` counts all
-- of them. `seen`: the schemas that were read for this union; `read`: how many schemas were read
-- for the whole type, and at which `level`.
local function new_set(read, seen)
  return { seen = seen or {}, read = read, said = 0 }
end

local function add(set, key, lua_type)
  set.said = set.said + 1
  if not set[key] then
    set[#set + 1], set[key] = lua_type, true
  end
end

local function add_scalar(set, text)
  add(set, text, { kind = "scalar", text = text })
end

-- The types of a set as a list: none if more schemas were to be read than may be.
local function list_of(set)
  local list = {}
  if set.read.count >= MOST_READ then
    return list
  end
  for position, lua_type in ipairs(set) do
    list[position] = lua_type
  end
  return list
end

-- --- one keyword after the other ------------------------------------------------------

local add_types -- which the functions below call

-- The types of the elements of a list, or of the values of a map.
local function types_below(doc, schema, set, depth)
  local below = new_set(set.read)
  if depth < DEEPEST then
    add_types(doc, schema, below, depth + 1)
  end
  return list_of(below)
end

-- JSON Schema 2020-12 Core, "items".
local function add_array(doc, schema, set, depth)
  local inner = types_below(doc, schema.items, set, depth)
  add(set, inner[1] and inner or "any[]", { kind = "list", inner = inner })
end

-- JSON Schema 2020-12 Core, "properties" and "additionalProperties". whole: the schema that names
-- all properties of the object.
local function add_object(doc, schema, set, depth, whole)
  local named = object_schema.properties(doc, whole)[1] and whole or nil
  local inner = named and {} or types_below(doc, schema.additionalProperties, set, depth)
  local key = named or inner[1] and inner or "table"
  add(set, key, { kind = "map", inner = inner, object = named })
end

local SCALARS = {
  string = "string",
  integer = "integer",
  number = "number",
  boolean = "boolean",
  null = "endpoint.Null",
  file = "string",
}

-- JSON Schema 2020-12 Validation, "type": one name of a type.
local function add_named(doc, schema, name, set, depth, whole)
  if name == "array" then
    add_array(doc, schema, set, depth)
  elseif name == "object" then
    add_object(doc, schema, set, depth, whole)
  elseif SCALARS[name] then
    add_scalar(set, SCALARS[name])
  end
end

-- The type of one value of an enumeration: itself, "number" where the editor has no such
-- literal, null for lua-cjson's null, and nil for a table.
local function constant(value)
  if type(value) == "string" then
    return source.type_literal(value)
  end
  if type(value) == "boolean" then
    return tostring(value)
  end
  if type(value) == "userdata" then
    return "endpoint.Null"
  end
  if type(value) ~= "number" then
    return nil
  end
  local is_exact = value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53
  return is_exact and ("%.0f"):format(value) or "number"
end

-- The types of all values of a list; nil if one of them has none, since a part of them would
-- mark right calls, and if they are too long.
local function constants_in(doc, list)
  local found, length = {}, 0
  for position, value in each(doc, list) do
    local text = constant(value)
    length = length + #(text or "")
    if not text or length > LONGEST then
      return nil
    end
    found[position], found.number = text, found.number or text == "number"
  end
  return found
end

-- JSON Schema 2020-12 Validation, "enum" and "const". Returns whether they say the type. Beside
-- "array" they are a mistake for those of the items.
local function add_constants(doc, schema, set)
  if schema.type == "array" then
    return false
  end
  local found = constants_in(doc, schema.const ~= nil and { schema.const } or schema.enum)
  if not found or #found == 0 then
    return false
  end
  for _, text in ipairs(found) do
    if not (found.number and text:find "^-?%d") then
      add_scalar(set, text)
    end
  end
  return true
end

-- OpenAPI's examples leave out the type where properties or items tell it.
local function guessed_type(schema)
  if type(schema.properties) == "table" or type(schema.additionalProperties) == "table" then
    return "object"
  end
  return schema.items ~= nil and "array" or nil
end

-- What the schema says without other schemas.
local function add_own(doc, schema, set, depth, whole)
  if add_constants(doc, schema, set) then
    return
  end
  if type(schema.type) ~= "table" then
    return add_named(doc, schema, schema.type or guessed_type(schema), set, depth, whole)
  end
  for _, name in each(doc, schema.type) do
    add_named(doc, schema, name, set, depth, whole)
  end
end

-- JSON Schema 2020-12 Core, "allOf": all parts hold, so the first that lists its values tells the
-- type, else the first that has one.
local function add_all_of(doc, schema, set, depth, whole)
  for _, must_list in ipairs { true, false } do
    for _, item in each(doc, schema.allOf) do
      local part, before = resolve(doc, item), set.said
      local lists_values = property_schemas.lists_values(part)
      local is_seen = lists_values and set.seen[part]
      if lists_values or not must_list then
        add_types(doc, part, set, depth, whole)
      end
      if set.said > before or is_seen then
        return
      end
    end
  end
end

-- JSON Schema 2020-12 Core, "oneOf" and "anyOf": the types of the alternatives, none if one of them
-- takes any value. An object among them is a part of the whole, if there is more of that.
local function alternatives_of(doc, schema, set, depth, whole)
  local is_part = whole ~= schema or schema.allOf ~= nil or type(schema.properties) == "table"
  local found = new_set(set.read, set.seen)
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    for _, part in each(doc, schema[keyword]) do
      local before, is_seen = found.said, set.seen[resolve(doc, part)]
      add_types(doc, part, found, depth, is_part and whole or nil)
      if found.said == before and not is_seen then
        return {}
      end
    end
  end
  return found
end

local function add_alternatives(doc, schema, set, depth, whole, may_be_map)
  for _, lua_type in ipairs(alternatives_of(doc, schema, set, depth, whole)) do
    if may_be_map or lua_type.kind ~= "map" then
      add(set, lua_type.object or lua_type.text or lua_type.inner, lua_type)
    end
  end
end

-- --- a whole schema -------------------------------------------------------------------

-- Adds the types of a schema: what it says itself, else what its alternatives say, else what its
-- allOf says. A schema that was read for this union adds nothing again. whole: the schema that has
-- it as a part, by allOf.
function add_types(doc, written, set, depth, whole)
  local schema = resolve(doc, written)
  if set.seen[schema] or set.read.count >= MOST_READ then
    return
  end
  set.seen[schema], set.read.count = true, set.read.count + 1
  local level, before = set.read.level, set.said
  budget.enter(set.read)
  whole = whole or schema
  add_own(doc, schema, set, depth, whole)
  local is_said = set.said > before
  if not is_said or schema.type == nil then
    add_alternatives(doc, schema, set, depth, whole, not is_said)
  end
  if set.said == before then
    add_all_of(doc, schema, set, depth, whole)
  end
  if values.is_nullable(schema) and set.said > before then
    add_scalar(set, SCALARS.null)
  end
  set.read.level = level
end

-- The types of a schema as a list, empty if any value fits; not to be changed.
function lua_types.of_schema(doc, written)
  local schema = resolve(doc, written)
  if not doc.types[schema] then
    local set = new_set { count = 0, level = 0 }
    add_types(doc, schema, set, 0)
    doc.types[schema] = list_of(set)
  end
  budget.spend(doc, budget.COPY * #doc.types[schema])
  return doc.types[schema]
end

-- A list of types that are scalars.
function lua_types.scalars(texts)
  local set = new_set()
  for _, text in ipairs(texts) do
    add_scalar(set, text)
  end
  return set
end

-- --- what is said of a list of types ----------------------------------------------------

-- The text of one type. class_of: gives a name for the schema of a map, if classes are wanted.
local function text_of(lua_type, class_of)
  if lua_type.kind == "scalar" then
    return lua_type.text
  end
  local inner = lua_type.inner[1] and lua_types.union(lua_type.inner, class_of)
  if lua_type.kind == "map" then
    return lua_type.object and class_of and class_of(lua_type.object)
      or inner and "table<string, " .. inner .. ">"
      or "table"
  end
  if not inner then
    return "any[]"
  end
  return (inner:find "|" and #lua_type.inner > 1 and "(" .. inner .. ")" or inner) .. "[]"
end

-- The text of types, each once.
function lua_types.union(types, class_of)
  local texts = {}
  for _, lua_type in ipairs(types) do
    local text = text_of(lua_type, class_of)
    if not texts[text] then
      texts[#texts + 1], texts[text] = text, true
    end
  end
  local text = table.concat(texts, "|")
  if not (texts.table and texts["endpoint.Null"]) then
    return text
  end
  -- Where a value may be of a class, as null is, the editor asks a table for its fields unless it
  -- is a map.
  return (("|" .. text .. "|"):gsub("|table|", "|table<string, any>|"):sub(2, -2))
end

-- Is one of the types a list, or one a map?
function lua_types.kind_of(types)
  local kind = "scalar"
  for _, lua_type in ipairs(types) do
    if lua_type.kind == "list" or lua_type.kind == "map" and kind == "scalar" then
      kind = lua_type.kind
    end
  end
  return kind
end

-- Is there a table in a table?
function lua_types.is_nested(types)
  for _, lua_type in ipairs(types) do
    if lua_type.kind ~= "scalar" and lua_types.kind_of(lua_type.inner) ~= "scalar" then
      return true
    end
  end
  return false
end

return lua_types
