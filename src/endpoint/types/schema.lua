-- JSON schemas as types of the editor's definitions.
local schema = {}

local document = require "endpoint.types.document"
local resolve, table_of, keys = document.resolve, document.table_of, document.keys

-- A longer union is shown as the type of its values.
local LONGEST = 1000

-- Arrays in arrays, and maps in maps, have no more levels.
local DEEPEST = 4

-- As many schemas are read for one type. A document can name the same few again and again.
local MOST_READ = 1000

-- --- texts ------------------------------------------------------------------------

local function escape(byte) return ("\\%03d"):format(byte:byte()) end

-- A string literal of the definitions: it has no control character, also none of two bytes,
-- and no quote that would close it.
function schema.literal(value)
  local written = value:gsub('[%c"\\]', escape)
  return '"' .. written:gsub("\194[\128-\159]", function(pair) return (pair:gsub(".", escape)) end) .. '"'
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

-- A set of types in the order in which they were found.
local function add(types, name)
  if not types[name] then types[#types + 1], types[name] = name, true end
end

local NAMES = { string = "string", integer = "integer", number = "number", boolean = "boolean", object = "table",
  null = "endpoint.Null", file = "string" }

local add_types -- which the functions below call

-- The types of elements, of which `types` is a list or map.
local function types_below(types)
  return { seen = {}, read = types.read }
end

local function add_array(root, value, types, depth)
  local elements = types_below(types)
  if depth < DEEPEST then add_types(root, value.items, elements, depth + 1) end
  if #elements == 0 then return add(types, "any[]") end
  add(types, #elements == 1 and elements[1] .. "[]" or "(" .. table.concat(elements, "|") .. ")[]")
end

local function add_object(root, value, types, depth)
  local elements = types_below(types)
  if depth < DEEPEST and type(value.properties) ~= "table" then
    add_types(root, value.additionalProperties, elements, depth + 1)
  end
  add(types, #elements > 0 and "table<string, " .. table.concat(elements, "|") .. ">" or "table")
end

local function add_named(root, value, name, types, depth)
  if name == "array" then return add_array(root, value, types, depth) end
  if name == "object" then return add_object(root, value, types, depth) end
  if NAMES[name] then add(types, NAMES[name]) end
end

-- The types of all values of a list, and their length; nil if one of them has none, since a
-- part of them would mark right calls.
local function constants_in(list)
  local found, length = {}, 0
  for position, element in ipairs(list) do
    local written = constant(element)
    if not written then return nil end
    found[position], length = written, length + #written
    found.number = found.number or written == "number"
  end
  return found, length
end

-- Are all values of an enumeration, or the one constant, said? Then the type is.
local function add_constants(value, types)
  local found, length = constants_in(value.const ~= nil and { value.const } or table_of(value.enum))
  if not found or #found == 0 or length > LONGEST then return false end
  for _, written in ipairs(found) do
    if not (found.number and written:find "^-?%d") then add(types, written) end
  end
  return true
end

-- OpenAPI's examples leave out the type where properties or items tell it.
local function guessed_name(value)
  if type(value.properties) == "table" or type(value.additionalProperties) == "table" then return "object" end
  return value.items ~= nil and "array" or nil
end

local function add_own(root, value, types, depth)
  if add_constants(value, types) then return end
  if type(value.type) ~= "table" then
    return add_named(root, value, value.type or guessed_name(value), types, depth)
  end
  for _, name in ipairs(value.type) do add_named(root, value, name, types, depth) end
end

-- All parts of allOf hold: the first that has a type tells it.
local function add_first(root, list, types, depth)
  for _, part in ipairs(table_of(list)) do
    local before = #types
    add_types(root, part, types, depth)
    if #types > before then return end
  end
end

-- Adds the types of a schema. One that was read for this union adds none again.
function add_types(root, value, types, depth)
  value = resolve(root, value)
  if types.seen[value] or types.read.count >= MOST_READ then return end
  types.seen[value], types.read.count = true, types.read.count + 1
  local before = #types
  add_own(root, value, types, depth)
  if #types == before or value.type == nil then
    for _, name in ipairs { "oneOf", "anyOf" } do
      for _, part in ipairs(table_of(value[name])) do add_types(root, part, types, depth) end
    end
  end
  if #types == before then add_first(root, value.allOf, types, depth) end
  if value.nullable == true and #types > before then add(types, NAMES.null) end
end

-- A list of types, empty if any value fits.
function schema.types_of(root, value)
  local types = { seen = {}, read = { count = 0 } }
  add_types(root, value, types, 0)
  return types
end

-- lua-language-server misses no field of the type any, so a field that must be there has a
-- union.
function schema.union(types, required)
  if #types == 0 then return required and "string|number|boolean|table" or "any" end
  return table.concat(types, "|")
end

-- Is one of the types a list, or one a map?
function schema.kind_of(types)
  local kind = "scalar"
  for _, name in ipairs(types) do
    if name:find "%[%]$" then kind = "list" end
    if name:find "^table" and kind ~= "list" and not name:find "%[%]$" then kind = "map" end
  end
  return kind
end

-- --- properties -------------------------------------------------------------------

local collect -- which the function below calls

-- A property that one of several alternatives asks for need not be there.
local function collect_parts(root, value, to)
  for _, part in ipairs(table_of(value.allOf)) do collect(root, part, to) end
  for _, name in ipairs { "oneOf", "anyOf" } do
    for _, part in ipairs(table_of(value[name])) do
      local inner = { seen = to.seen, properties = to.properties, required = {} }
      collect(root, part, inner)
    end
  end
end

function collect(root, value, to)
  value = resolve(root, value)
  if to.seen[value] then return end
  to.seen[value] = true
  for _, name in ipairs(keys(value.properties)) do
    local property = resolve(root, value.properties[name])
    if property.readOnly ~= true then to.properties[name] = to.properties[name] or property end
  end
  for _, name in ipairs(table_of(value.required)) do
    if type(name) == "string" then to.required[name] = true end
  end
  collect_parts(root, value, to)
end

-- The properties of an object's schema, sorted by name: a list of `name`, `schema`,
-- `required`; empty if it names none.
function schema.properties(root, value)
  local found = { seen = {}, properties = {}, required = {} }
  collect(root, value, found)
  local list = {}
  for _, name in ipairs(keys(found.properties)) do
    list[#list + 1] = { name = name, schema = found.properties[name], required = found.required[name] == true }
  end
  return list
end

return schema
