-- SPDX-License-Identifier: MIT
-- JSON schemas as types of the editor's definitions. A type is a table: `kind`, which is
-- "scalar", "list" or "map"; `text` of a scalar; `inner`, the types of elements or of values;
-- `object`, the schema of a map that names properties.
local schema = {}

local reader = require "endpoint.types.reader"
local unseen = require "endpoint.types.unseen"
local resolve, keys, each = reader.resolve, reader.keys, reader.each

-- A longer union is shown as the type of its values.
local LONGEST = 1000

-- Arrays in arrays, and maps in maps, have no more levels.
local DEEPEST = 4

-- As many schemas are read for one type. A document can name the same few again and again.
local MOST_READ = 1000

-- Schemas that hold each other by allOf, oneOf and anyOf.
local MOST_NESTED = 100

-- --- texts ------------------------------------------------------------------------

local function escape(byte) return ("\\%03d"):format(byte:byte()) end
local function escape_all(bytes) return (bytes:gsub(".", escape)) end

-- A string literal of Lua and of the definitions: no character in it is invisible, and no quote
-- would close it. What is no UTF-8 stays, as the caller wants its bytes.
function schema.literal(value)
  return '"' .. unseen.replaced(value:gsub('["\\]', escape), escape_all) .. '"'
end

-- The type of one value of an enumeration: itself, "number" where the editor has no such
-- literal, null for lua-cjson's null, and nil for a table.
local function constant(value)
  if type(value) == "string" then return schema.literal(value) end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) == "userdata" then return "endpoint.Null" end
  if type(value) ~= "number" then return nil end
  local is_exact = value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53
  return is_exact and ("%.0f"):format(value) or "number"
end

-- --- types ------------------------------------------------------------------------

-- A set of types in the order in which they were found. Two of one key are one.
local function add(types, key, of)
  if not types[key] then types[#types + 1], types[key] = of, true end
end

local function add_scalar(types, text) add(types, text, { kind = "scalar", text = text }) end

local NAMES = { string = "string", integer = "integer", number = "number", boolean = "boolean", null = "endpoint.Null",
  file = "string" }

local add_types -- which the functions below call

-- The types of elements, of which `types` is a list or map.
local function types_below(doc, value, types, depth)
  local below = { seen = {}, read = types.read }
  if depth < DEEPEST then add_types(doc, value, below, depth + 1) end
  below.seen = nil
  return below
end

local function add_array(doc, value, types, depth)
  local inner = types_below(doc, value.items, types, depth)
  add(types, inner[1] and inner or "any[]", { kind = "list", inner = inner })
end

-- whole: the schema that names all properties of the map.
local function add_object(doc, value, types, depth, whole)
  local inner, object = {}, nil
  if type(value.properties) ~= "table" then inner = types_below(doc, value.additionalProperties, types, depth) end
  if not inner[1] and schema.properties(doc, whole)[1] then object = whole end
  add(types, object or inner[1] and inner or "table", { kind = "map", inner = inner, object = object })
end

local function add_named(doc, value, name, types, depth, whole)
  if name == "array" then return add_array(doc, value, types, depth) end
  if name == "object" then return add_object(doc, value, types, depth, whole) end
  if NAMES[name] then add_scalar(types, NAMES[name]) end
end

-- The types of all values of a list; nil if one of them has none, since a part of them would
-- mark right calls, and if they are too long.
local function constants_in(doc, list)
  local found, length = {}, 0
  for position, element in each(doc, list) do
    local written = constant(element)
    length = length + #(written or "")
    if not written or length > LONGEST then return nil end
    found[position], found.number = written, found.number or written == "number"
  end
  return found
end

-- Does an enumeration, or the one constant, say the type? Beside "array" it is a mistake for
-- one of the items.
local function add_constants(doc, value, types)
  if value.type == "array" then return false end
  local found = constants_in(doc, value.const ~= nil and { value.const } or value.enum)
  if not found or #found == 0 then return false end
  for _, written in ipairs(found) do
    if not (found.number and written:find "^-?%d") then add_scalar(types, written) end
  end
  return true
end

-- OpenAPI's examples leave out the type where properties or items tell it.
local function guessed_name(value)
  if type(value.properties) == "table" or type(value.additionalProperties) == "table" then return "object" end
  return value.items ~= nil and "array" or nil
end

local function add_own(doc, value, types, depth, whole)
  if add_constants(doc, value, types) then return end
  if type(value.type) ~= "table" then
    return add_named(doc, value, value.type or guessed_name(value), types, depth, whole)
  end
  for _, name in each(doc, value.type) do add_named(doc, value, name, types, depth, whole) end
end

-- All parts of allOf hold: the first that has a type tells it.
local function add_first(doc, value, types, depth, whole)
  for _, part in each(doc, value.allOf) do
    local before = #types
    add_types(doc, part, types, depth, whole)
    if #types > before then return end
  end
end

local function add_alternatives(doc, value, types, depth)
  for _, name in ipairs { "oneOf", "anyOf" } do
    for _, part in each(doc, value[name]) do add_types(doc, part, types, depth) end
  end
end

local function enter(nested)
  nested.level = (nested.level or 0) + 1
  if nested.level <= MOST_NESTED then return end
  reader.fail("schemas are nested more than %d deep by allOf, oneOf and anyOf", MOST_NESTED)
end

-- Adds the types of a schema. One that was read for this union adds none again. whole: the
-- schema of which it is a part, by allOf.
function add_types(doc, value, types, depth, whole)
  value = resolve(doc, value)
  if types.seen[value] or types.read.count >= MOST_READ then return end
  types.seen[value], types.read.count = true, types.read.count + 1
  enter(types.read)
  local before = #types
  whole = whole or value
  add_own(doc, value, types, depth, whole)
  if #types == before or value.type == nil then add_alternatives(doc, value, types, depth) end
  if #types == before then add_first(doc, value, types, depth, whole) end
  if value.nullable == true and #types > before then add_scalar(types, NAMES.null) end
  types.read.level = types.read.level - 1
end

-- A list of types, empty if any value fits; not to be changed.
function schema.types_of(doc, value)
  value = resolve(doc, value)
  if not doc.types[value] then
    local types = { seen = {}, read = { count = 0 } }
    add_types(doc, value, types, 0)
    types.seen, doc.types[value] = nil, types
  end
  return doc.types[value]
end

function schema.scalars(texts)
  local types = {}
  for _, text in ipairs(texts) do add_scalar(types, text) end
  return types
end

-- The text of one type. class_of: gives a name for the schema of a map, if classes are wanted.
local function text_of(of, class_of)
  if of.kind == "scalar" then return of.text end
  local inner = of.inner[1] and schema.union(of.inner, class_of)
  if of.kind == "map" then
    return of.object and class_of and class_of(of.object) or inner and "table<string, " .. inner .. ">" or "table"
  end
  if not inner then return "any[]" end
  return (inner:find("|", 1, true) and #of.inner > 1 and "(" .. inner .. ")" or inner) .. "[]"
end

-- The text of types, each once.
function schema.union(types, class_of)
  local texts = {}
  for _, of in ipairs(types) do
    local text = text_of(of, class_of)
    if not texts[text] then texts[#texts + 1], texts[text] = text, true end
  end
  return table.concat(texts, "|")
end

-- Is one of the types a list, or one a map?
function schema.kind_of(types)
  local kind = "scalar"
  for _, of in ipairs(types) do
    if of.kind == "list" or of.kind == "map" and kind == "scalar" then kind = of.kind end
  end
  return kind
end

-- Is there a table in a table?
function schema.is_nested(types)
  for _, of in ipairs(types) do
    if of.kind ~= "scalar" and schema.kind_of(of.inner) ~= "scalar" then return true end
  end
  return false
end

-- --- properties -------------------------------------------------------------------

local collect -- which the function below calls

-- A property that one of several alternatives asks for need not be there.
local function collect_parts(doc, value, to)
  for _, part in each(doc, value.allOf) do collect(doc, part, to) end
  for _, name in ipairs { "oneOf", "anyOf" } do
    for _, part in each(doc, value[name]) do
      collect(doc, part, { seen = to.seen, properties = to.properties, required = {}, nested = to.nested })
    end
  end
end

function collect(doc, value, to)
  value = resolve(doc, value)
  if to.seen[value] then return end
  to.seen[value] = true
  enter(to.nested)
  for _, name in ipairs(keys(doc, value.properties)) do
    to.properties[name] = to.properties[name] or resolve(doc, value.properties[name])
  end
  for _, name in each(doc, value.required) do
    if type(name) == "string" then to.required[name] = true end
  end
  collect_parts(doc, value, to)
  to.nested.level = to.nested.level - 1
end

-- The properties of an object's schema, sorted by name: a list of `name`, `schema`,
-- `required`; empty if it names none. Not to be changed.
function schema.properties(doc, value)
  value = resolve(doc, value)
  if doc.properties[value] then return doc.properties[value] end
  local found, list = { seen = {}, properties = {}, required = {}, nested = {} }, {}
  collect(doc, value, found)
  for _, name in ipairs(keys(doc, found.properties)) do
    list[#list + 1] = { name = name, schema = found.properties[name], required = found.required[name] == true }
  end
  doc.properties[value] = list
  return list
end

-- The same without those that only a response has.
function schema.sent_properties(doc, value)
  local list = {}
  for _, property in ipairs(schema.properties(doc, value)) do
    if property.schema.readOnly ~= true then list[#list + 1] = property end
  end
  return list
end

return schema
