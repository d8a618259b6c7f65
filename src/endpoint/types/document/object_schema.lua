-- SPDX-License-Identifier: MIT
-- What a schema says of an object: the properties that it names, by itself and by allOf, oneOf
-- and anyOf, those of the schemas that a discriminator may choose, and whether others may stand
-- beside them.
local object_schema = {}

local budget = require "endpoint.types.document.budget"
local heirs = require "endpoint.types.document.heirs"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.schema
local keys, each = reader.keys, reader.each
local as_table = values.as_table

-- Schemas that hold each other by allOf, oneOf and anyOf.
local MOST_NESTED = 100

-- What it costs to copy the name of a property from a part to the whole, or to go through one more
-- of those, or of types, that are known.
local COPY = 4
object_schema.COPY = COPY

-- Goes one level down; `nested` has the `level`.
function object_schema.enter(nested)
  nested.level = nested.level + 1
  if nested.level <= MOST_NESTED then
    return
  end
  budget.fail("schemas are nested more than %d deep by allOf, oneOf and anyOf", MOST_NESTED)
end

-- --- schemas of one property ------------------------------------------------------

local MARKS = { "readOnly", "writeOnly", "deprecated" }

-- Does a resolved schema list its values? has_values: what `joined` makes of such.
function object_schema.lists_values(value)
  return value.enum ~= nil or value.const ~= nil or value.has_values == true
end

-- Several schemas as one. how: "allOf" if each of them holds, "anyOf" if one is enough.
local function joined(how, schemas)
  if not schemas[2] then
    return schemas[1]
  end
  local merged = { [how] = schemas }
  for _, mark in ipairs(MARKS) do
    local count = 0
    for _, one in ipairs(schemas) do
      count = count + (one[mark] == true and 1 or 0)
    end
    merged[mark] = count == #schemas or how == "allOf" and count > 0
  end
  merged.has_values = how == "anyOf"
  for _, one in ipairs(schemas) do
    merged.has_values = merged.has_values and object_schema.lists_values(one)
  end
  for _, one in ipairs(schemas) do
    merged.description = merged.description or values.as_string(one.description)
  end
  return merged
end

-- A schema that need not hold: in an allOf of its own it narrows no other, see lua_types.lua.
local function loosened(one)
  local merged = { allOf = { one }, description = one.description }
  for _, mark in ipairs(MARKS) do
    merged[mark] = one[mark]
  end
  return merged
end

-- Adds a schema to those of a name, each once.
local function add(schemas_of, name, one, is_first)
  local list = schemas_of[name] or { is_known = {} }
  schemas_of[name] = list
  if list.is_known[one] then
    return
  end
  list.is_known[one] = true
  table.insert(list, is_first and 1 or #list + 1, one)
end

-- --- parts ------------------------------------------------------------------------

-- Keywords that let other properties in, or name some that are not looked for.
local OPENS = { "patternProperties", "then", "else", "dependentSchemas", "$dynamicRef" }

-- Keywords of a schema that is more than a map of any keys.
local CLOSES = { "required", "enum", "const", "allOf", "oneOf", "anyOf", "not", "items" }

local function has_one_of(value, words)
  for _, word in ipairs(words) do
    if value[word] ~= nil then
      return true
    end
  end
  return false
end

-- Has a resolved schema more properties than those that it names?
function object_schema.is_open(value)
  return value.additionalProperties == true
    or type(value.additionalProperties) == "table"
    or has_one_of(value, OPENS)
end

-- Is a resolved schema a map of any keys, and no more?
function object_schema.is_free(value)
  if type(value.properties) == "table" or value.additionalProperties == false then
    return false
  end
  return (value.type == nil or value.type == "object") and not has_one_of(value, CLOSES)
end

-- What the schema itself says. `schemas`: those of each name; `rest`: the schema of all other
-- properties, true if they may have any value, nil if there may be no others.
local function own(doc, value)
  local found, rest = { schemas = {}, required = {} }, value.additionalProperties
  for _, name in ipairs(keys(doc, value.properties)) do
    add(found.schemas, name, resolve(doc, value.properties[name]))
  end
  for _, name in each(doc, value.required) do
    if type(name) == "string" then
      found.required[name] = true
    end
  end
  if type(rest) == "table" then
    found.rest = next(rest) ~= nil and rest or true
  end
  if rest == true or has_one_of(value, OPENS) then
    found.rest = true
  end
  return found
end

local function open(gathered, rest)
  if rest then
    gathered.rest = (gathered.rest == nil or gathered.rest == rest) and rest or true
  end
end

-- Adds a part that holds, too.
local function add_part(doc, gathered, part)
  for name, one in next, part.properties do
    budget.spend(doc, COPY)
    add(gathered.schemas, name, one)
  end
  for name in next, part.required do
    gathered.required[name] = true
  end
  open(gathered, part.rest)
end

-- Adds alternatives; one of them holds. A property has the type that any of them gives it, and must
-- be there if all ask for it.
local function add_alternatives(doc, gathered, parts)
  local schemas, count, asked = {}, {}, {}
  for _, part in ipairs(parts) do
    for name, one in next, part.properties do
      budget.spend(doc, COPY)
      add(schemas, name, one)
      count[name] = (count[name] or 0) + 1
    end
    for name in next, part.required do
      asked[name] = (asked[name] or 0) + 1
    end
    open(gathered, part.rest or part.is_free)
  end
  -- A property that all of them have is more exact than the one beside them.
  for name, list in next, schemas do
    local is_in_all = count[name] == #parts
    local one = joined("anyOf", list)
    add(
      gathered.schemas,
      name,
      not is_in_all and object_schema.lists_values(one) and loosened(one) or one,
      is_in_all
    )
  end
  for name, times in next, asked do
    gathered.required[name] = gathered.required[name] or times == #parts or nil
  end
end

-- --- the whole --------------------------------------------------------------------

local collect, collect_with_heirs -- which the functions below call

-- The parts of a list, and whether one of them is being read. Schema or a part of it, in a union
-- that is being read, says nothing more: "a, which is a or b" is a. how: collect or
-- collect_with_heirs.
local function parts_in(doc, list, state, how)
  local parts = {}
  for _, item in each(doc, list) do
    local value = resolve(doc, item)
    if state.at[value] then
      state.lowest = math.min(state.lowest, state.at[value])
      return nil
    end
    parts[#parts + 1] = value
  end
  for position, value in ipairs(parts) do
    parts[position] = how(doc, value, state)
  end
  return parts
end

local function add_all_of(doc, gathered, list, state)
  for _, item in each(doc, list) do
    for _, part in ipairs(parts_in(doc, { item }, state, collect) or {}) do
      add_part(doc, gathered, part)
    end
  end
end

local function read(doc, value, state)
  local found = own(doc, value)
  add_all_of(doc, found, value.allOf, state)
  for _, name in ipairs { "oneOf", "anyOf" } do
    local parts = parts_in(doc, value[name], state, collect_with_heirs)
    if parts and parts[1] then
      add_alternatives(doc, found, parts)
    end
  end
  local properties = {}
  for name, schemas in next, found.schemas do
    properties[name] = joined("allOf", schemas)
  end
  return {
    properties = properties,
    required = found.required,
    rest = found.rest,
    is_free = object_schema.is_free(value),
  }
end

-- What a resolved schema says by itself. What was read inside of a schema that holds it again is a
-- part, and not kept.
function collect(doc, value, state)
  if doc.objects[value] then
    return doc.objects[value]
  end
  local level, before = state.nested.level, state.lowest
  object_schema.enter(state.nested)
  state.at[value], state.lowest = level, math.huge
  local found = read(doc, value, state)
  if state.lowest >= level then
    doc.objects[value], state.lowest = found, math.huge
  end
  state.at[value], state.lowest, state.nested.level = nil, math.min(before, state.lowest), level
  return found
end

-- What a schema and those that a value may have instead say together: what is not in all of them
-- need not be there. found: what the schema says by itself.
local function united(doc, found, family, state)
  local schemas, properties, gathered = {}, {}, { rest = found.rest }
  for name, one in next, found.properties do
    add(schemas, name, one)
  end
  for _, heir in ipairs(family) do
    if state.at[heir] then
      state.lowest = math.min(state.lowest, state.at[heir])
    else
      local part = collect(doc, heir, state)
      for name, one in next, part.properties do
        budget.spend(doc, COPY)
        add(schemas, name, one)
      end
      open(gathered, part.rest)
    end
  end
  for name, list in next, schemas do
    properties[name] = heirs.with_words(joined("anyOf", list), family.words[name])
  end
  return {
    properties = properties,
    required = found.required,
    rest = gathered.rest,
    is_free = found.is_free and not next(properties),
  }
end

-- Reads a schema with its heirs. While that is going on, the schema says what it says by itself.
local function read_family(doc, value, family, state)
  local level, before = state.nested.level, state.lowest
  object_schema.enter(state.nested)
  state.in_family[value], state.lowest = level, math.huge
  local found = united(doc, collect(doc, value, state), family, state)
  if state.lowest >= level then
    doc.families[value], state.lowest = found, math.huge
  end
  state.in_family[value], state.nested.level = nil, level
  state.lowest = math.min(before, state.lowest)
  return found
end

-- What a resolved schema says, and those that a discriminator may choose in its place.
function collect_with_heirs(doc, value, state)
  if doc.families[value] then
    return doc.families[value]
  end
  if state.in_family[value] then
    state.lowest = math.min(state.lowest, state.in_family[value])
    return collect(doc, value, state)
  end
  local family = heirs.of(doc, value)
  if family then
    return read_family(doc, value, family, state)
  end
  local found = collect(doc, value, state)
  doc.families[value] = doc.objects[value]
  return found
end

-- Schemas may hold each other. As in Tarjan's search for strongly connected components, a schema
-- that is read inside of one that holds it again is not kept. The state: `at` and `in_family`, the
-- level of each schema that is being read, by itself or with its heirs; `lowest`, the lowest level
-- that was met again since; and `nested`, the level now.
local function whole(doc, value)
  value = resolve(doc, value)
  local state = { at = {}, in_family = {}, lowest = math.huge, nested = { level = 0 } }
  return collect_with_heirs(doc, value, state)
end

-- The properties of an object's schema, sorted by name: a list of `name`, `schema`,
-- `required`; empty if it names none. Not to be changed.
function object_schema.properties(doc, value)
  local found = whole(doc, value)
  if found.list then
    budget.spend(doc, COPY * #found.list)
    return found.list
  end
  found.list = {}
  for _, name in ipairs(keys(doc, found.properties)) do
    local schema, required = found.properties[name], found.required[name] == true
    found.list[#found.list + 1] = { name = name, schema = schema, required = required }
  end
  return found.list
end

local function without(list, mark)
  local kept = {}
  for _, property in ipairs(list) do
    if as_table(property.schema)[mark] ~= true then
      kept[#kept + 1] = property
    end
  end
  return kept
end

-- The same without those that only a response has.
function object_schema.sent(doc, value)
  return without(object_schema.properties(doc, value), "readOnly")
end

-- The same without those that only a request has.
function object_schema.received(doc, value)
  return without(object_schema.properties(doc, value), "writeOnly")
end

-- What other properties an object may have: true for any, a schema, or nil for none. One that says
-- nothing of them has none.
function object_schema.additional(doc, value)
  return whole(doc, value).rest
end

return object_schema
