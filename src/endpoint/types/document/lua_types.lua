-- SPDX-License-Identifier: MIT
-- JSON schemas as types of the editor's definitions. A type is a table: `kind`, which is
-- "scalar", "list" or "map"; `text` of a scalar; `inner`, the types of elements or of values;
-- `object`, the schema of a map that names properties.
local lua_types = {}

local budget = require "endpoint.types.document.budget"
local decoded = require "endpoint.types.document.values"
local object_schema = require "endpoint.types.document.object_schema"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local source = require "endpoint.types.source"
local resolve = references.schema
local each = reader.each

-- A longer union is shown as the type of its values.
local LONGEST = 1000

-- Arrays in arrays, and maps in maps, have no more levels.
local DEEPEST = 4

-- As many schemas are read for one type. A document can name the same few again and again.
local MOST_READ = 1000

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

-- --- types ------------------------------------------------------------------------

-- A set of types in the order in which they were found. Two of one key are one. `said` counts both.
local function new_types(read, seen)
  return { seen = seen or {}, read = read, said = 0 }
end

local function add(types, key, member)
  types.said = types.said + 1
  if not types[key] then
    types[#types + 1], types[key] = member, true
  end
end

local function add_scalar(types, text)
  add(types, text, { kind = "scalar", text = text })
end

local NAMES = {
  string = "string",
  integer = "integer",
  number = "number",
  boolean = "boolean",
  null = "endpoint.Null",
  file = "string",
}

local add_types -- which the functions below call

-- Types that are read: none if more schemas were to be read than may be.
local function finished(types)
  local list = {}
  for position, member in ipairs(types.read.count < MOST_READ and types or list) do
    list[position] = member
  end
  return list
end

-- The types of the elements of `types`, a list or a map.
local function types_below(doc, value, types, depth)
  local below = new_types(types.read)
  if depth < DEEPEST then
    add_types(doc, value, below, depth + 1)
  end
  return finished(below)
end

local function add_array(doc, value, types, depth)
  local inner = types_below(doc, value.items, types, depth)
  add(types, inner[1] and inner or "any[]", { kind = "list", inner = inner })
end

-- whole: the schema that names all properties of the map.
local function add_object(doc, value, types, depth, whole)
  local named = object_schema.properties(doc, whole)[1] and whole or nil
  local inner = named and {} or types_below(doc, value.additionalProperties, types, depth)
  add(
    types,
    named or inner[1] and inner or "table",
    { kind = "map", inner = inner, object = named }
  )
end

local function add_named(doc, value, name, types, depth, whole)
  if name == "array" then
    return add_array(doc, value, types, depth)
  end
  if name == "object" then
    return add_object(doc, value, types, depth, whole)
  end
  if NAMES[name] then
    add_scalar(types, NAMES[name])
  end
end

-- The types of all values of a list; nil if one of them has none, since a part of them would
-- mark right calls, and if they are too long.
local function constants_in(doc, list)
  local found, length = {}, 0
  for position, element in each(doc, list) do
    local written = constant(element)
    length = length + #(written or "")
    if not written or length > LONGEST then
      return nil
    end
    found[position], found.number = written, found.number or written == "number"
  end
  return found
end

-- Does an enumeration, or the one constant, say the type? Beside "array" it is a mistake for
-- one of the items.
local function add_constants(doc, value, types)
  if value.type == "array" then
    return false
  end
  local found = constants_in(doc, value.const ~= nil and { value.const } or value.enum)
  if not found or #found == 0 then
    return false
  end
  for _, written in ipairs(found) do
    if not (found.number and written:find "^-?%d") then
      add_scalar(types, written)
    end
  end
  return true
end

-- OpenAPI's examples leave out the type where properties or items tell it.
local function guessed_name(value)
  if type(value.properties) == "table" or type(value.additionalProperties) == "table" then
    return "object"
  end
  return value.items ~= nil and "array" or nil
end

local function add_own(doc, value, types, depth, whole)
  if add_constants(doc, value, types) then
    return
  end
  if type(value.type) ~= "table" then
    return add_named(doc, value, value.type or guessed_name(value), types, depth, whole)
  end
  for _, name in each(doc, value.type) do
    add_named(doc, value, name, types, depth, whole)
  end
end

-- All parts of allOf hold: the first that lists its values tells the type, else the first that has
-- one.
local function add_first(doc, value, types, depth, whole)
  for _, must_list in ipairs { true, false } do
    for _, part in each(doc, value.allOf) do
      local own, before = resolve(doc, part), types.said
      local is_seen = object_schema.lists_values(own) and types.seen[own]
      if object_schema.lists_values(own) or not must_list then
        add_types(doc, own, types, depth, whole)
      end
      if types.said > before or is_seen then
        return
      end
    end
  end
end

-- The types of the alternatives, none if one of them takes any value. An object among them is a
-- part of the whole, if there is more of that.
local function alternatives_of(doc, value, types, depth, whole)
  local is_part = whole ~= value or value.allOf ~= nil or type(value.properties) == "table"
  local found = new_types(types.read, types.seen)
  for _, name in ipairs { "oneOf", "anyOf" } do
    for _, part in each(doc, value[name]) do
      local before, is_seen = found.said, types.seen[resolve(doc, part)]
      add_types(doc, part, found, depth, is_part and whole or nil)
      if found.said == before and not is_seen then
        return {}
      end
    end
  end
  return found
end

local function add_alternatives(doc, value, types, depth, whole, may_be_map)
  for _, member in ipairs(alternatives_of(doc, value, types, depth, whole)) do
    if may_be_map or member.kind ~= "map" then
      add(types, member.object or member.text or member.inner, member)
    end
  end
end

-- Adds the types of a schema. A schema that was read for this union adds nothing again. whole: the
-- schema that has it as a part, by allOf.
function add_types(doc, value, types, depth, whole)
  value = resolve(doc, value)
  if types.seen[value] or types.read.count >= MOST_READ then
    return
  end
  types.seen[value], types.read.count = true, types.read.count + 1
  local level, before = types.read.level, types.said
  object_schema.enter(types.read)
  whole = whole or value
  add_own(doc, value, types, depth, whole)
  local is_said = types.said > before
  if not is_said or value.type == nil then
    add_alternatives(doc, value, types, depth, whole, not is_said)
  end
  if types.said == before then
    add_first(doc, value, types, depth, whole)
  end
  if decoded.is_nullable(value) and types.said > before then
    add_scalar(types, NAMES.null)
  end
  types.read.level = level
end

-- A list of types, empty if any value fits; not to be changed.
function lua_types.of_schema(doc, value)
  value = resolve(doc, value)
  if not doc.types[value] then
    local types = new_types { count = 0, level = 0 }
    add_types(doc, value, types, 0)
    doc.types[value] = finished(types)
  end
  budget.spend(doc, object_schema.COPY * #doc.types[value])
  return doc.types[value]
end

function lua_types.scalars(texts)
  local types = new_types()
  for _, text in ipairs(texts) do
    add_scalar(types, text)
  end
  return types
end

-- The text of one type. class_of: gives a name for the schema of a map, if classes are wanted.
local function text_of(member, class_of)
  if member.kind == "scalar" then
    return member.text
  end
  local inner = member.inner[1] and lua_types.union(member.inner, class_of)
  if member.kind == "map" then
    return member.object and class_of and class_of(member.object)
      or inner and "table<string, " .. inner .. ">"
      or "table"
  end
  if not inner then
    return "any[]"
  end
  return (inner:find "|" and #member.inner > 1 and "(" .. inner .. ")" or inner) .. "[]"
end

-- The text of types, each once.
function lua_types.union(types, class_of)
  local texts = {}
  for _, member in ipairs(types) do
    local text = text_of(member, class_of)
    if not texts[text] then
      texts[#texts + 1], texts[text] = text, true
    end
  end
  local text = table.concat(texts, "|")
  if not (texts.table and texts["endpoint.Null"]) then
    return text
  end
  -- Where a class may stand, as that of null, the editor asks a table for its fields unless it is a
  -- map.
  return (("|" .. text .. "|"):gsub("|table|", "|table<string, any>|"):sub(2, -2))
end

-- Is one of the types a list, or one a map?
function lua_types.kind_of(types)
  local kind = "scalar"
  for _, member in ipairs(types) do
    if member.kind == "list" or member.kind == "map" and kind == "scalar" then
      kind = member.kind
    end
  end
  return kind
end

-- Is there a table in a table?
function lua_types.is_nested(types)
  for _, member in ipairs(types) do
    if member.kind ~= "scalar" and lua_types.kind_of(member.inner) ~= "scalar" then
      return true
    end
  end
  return false
end

return lua_types
