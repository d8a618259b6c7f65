-- SPDX-License-Identifier: MIT
-- What a schema says of an object: the properties that it names, by itself and by allOf, oneOf and
-- anyOf (JSON Schema 2020-12 Core, "Keywords for Applying Subschemas With Logic"), those of the
-- schemas that a discriminator may choose (OpenAPI 3.1, "Discriminator Object"), and whether others
-- may be there.
local object_schema = {}

local budget = require "endpoint.types.document.budget"
local heirs = require "endpoint.types.document.heirs"
local property_schemas = require "endpoint.types.document.property_schemas"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.schema
local keys, each = reader.keys, reader.each
local as_table = values.as_table
local add, joined = property_schemas.add, property_schemas.joined

-- --- other properties ---------------------------------------------------------------

-- Keywords that let other properties in, or name some that are not looked for.
local OPENS = { "patternProperties", "then", "else", "dependentSchemas", "$dynamicRef" }

-- Keywords of a schema that is more than a map of any keys.
local CLOSES = { "required", "enum", "const", "allOf", "oneOf", "anyOf", "not", "items" }

local function has_one_of(schema, keywords)
  for _, keyword in ipairs(keywords) do
    if schema[keyword] ~= nil then
      return true
    end
  end
  return false
end

-- Is a resolved schema a map of any keys, and no more?
function object_schema.is_free(schema)
  if type(schema.properties) == "table" or schema.additionalProperties == false then
    return false
  end
  return (schema.type == nil or schema.type == "object") and not has_one_of(schema, CLOSES)
end

-- What a resolved schema itself says of other properties (JSON Schema 2020-12 Core,
-- "additionalProperties"): their schema, true if they may have any value, nil if it says nothing.
local function own_additional(schema)
  local additional = schema.additionalProperties
  if additional == true or has_one_of(schema, OPENS) then
    return true
  elseif type(additional) == "table" then
    return next(additional) ~= nil and additional or true
  end
end

-- Lets the other properties of a part in. Two different schemas of them become any value.
local function let_in(gathered, additional)
  if additional then
    local is_same = gathered.additional == nil or gathered.additional == additional
    gathered.additional = is_same and additional or true
  end
end

-- --- parts of one schema --------------------------------------------------------------

-- What the schema itself says, without its parts: `schemas`, a list for each name; `required`, a
-- set; and `additional`.
local function own(doc, schema)
  local gathered = { schemas = {}, required = {}, additional = own_additional(schema) }
  for _, name in ipairs(keys(doc, schema.properties)) do
    add(gathered.schemas, name, resolve(doc, schema.properties[name]))
  end
  for _, name in each(doc, schema.required) do
    if type(name) == "string" then
      gathered.required[name] = true
    end
  end
  return gathered
end

-- Adds a part of allOf, which holds, too.
local function add_part(doc, gathered, part)
  for name, schema in next, part.properties do
    budget.spend(doc, budget.COPY)
    add(gathered.schemas, name, schema)
  end
  for name in next, part.required do
    gathered.required[name] = true
  end
  let_in(gathered, part.additional)
end

-- Counts how many parts name and require each property.
local function count_names(doc, parts)
  local schemas, named, required = {}, {}, {}
  for _, part in ipairs(parts) do
    for name, schema in next, part.properties do
      budget.spend(doc, budget.COPY)
      add(schemas, name, schema)
      named[name] = (named[name] or 0) + 1
    end
    for name in next, part.required do
      required[name] = (required[name] or 0) + 1
    end
  end
  return schemas, named, required
end

-- Adds the parts of oneOf or anyOf; one of them holds. A property has the type that any of them
-- gives it, and must be there if all require it.
local function add_alternatives(doc, gathered, parts)
  local schemas, named, required = count_names(doc, parts)
  for _, part in ipairs(parts) do
    let_in(gathered, part.additional or part.is_free)
  end
  -- A property that all of them have is more exact than the one beside them.
  for name, list in next, schemas do
    local is_in_all, schema = named[name] == #parts, joined(doc, "anyOf", list)
    if not is_in_all and property_schemas.lists_values(schema) then
      schema = property_schemas.loosened(schema)
    end
    add(gathered.schemas, name, schema, is_in_all)
  end
  for name, count in next, required do
    gathered.required[name] = gathered.required[name] or count == #parts or nil
  end
end

-- --- schemas that hold each other -------------------------------------------------------

-- A schema may hold itself: "a, which is a or b" is a. What is read inside of a schema that is
-- still being read is only a part, and is not kept. As in Tarjan's search for strongly connected
-- components, the state knows which it is:
-- * `levels`, the level of each schema that is being read by itself; `family_levels`, of each that
--   is being read with its heirs;
-- * `nested.level`, the level now;
-- * `lowest`, the lowest level of a schema that was met again while it was being read.
local function new_state()
  return { levels = {}, family_levels = {}, nested = { level = 0 }, lowest = math.huge }
end

-- Is a schema being read? levels: those of the state that are meant.
local function is_met_again(state, levels, schema)
  if not levels[schema] then
    return false
  end
  state.lowest = math.min(state.lowest, levels[schema])
  return true
end

-- What read(doc, schema, state) returns. It is kept in `known`, unless something in it met a schema
-- again that is around this one.
local function read_in_cycle(doc, schema, state, levels, known, read)
  local level, lowest_before = state.nested.level, state.lowest
  budget.enter(state.nested)
  levels[schema], state.lowest = level, math.huge
  local found = read(doc, schema, state)
  if state.lowest >= level then
    known[schema], state.lowest = found, math.huge
  end
  levels[schema], state.nested.level = nil, level
  state.lowest = math.min(lowest_before, state.lowest)
  return found
end

-- --- a schema by itself -----------------------------------------------------------------

local collect, collect_with_heirs -- which the functions below call

-- What the schemas of a list say; nil if one of them is being read: such a union says nothing more.
-- how: collect or collect_with_heirs.
local function parts_in(doc, list, state, how)
  local parts = {}
  for _, item in each(doc, list) do
    local schema = resolve(doc, item)
    if is_met_again(state, state.levels, schema) then
      return nil
    end
    parts[#parts + 1] = schema
  end
  for position, schema in ipairs(parts) do
    parts[position] = how(doc, schema, state)
  end
  return parts
end

local function read(doc, schema, state)
  local gathered = own(doc, schema)
  for _, item in each(doc, schema.allOf) do
    for _, part in ipairs(parts_in(doc, { item }, state, collect) or {}) do
      add_part(doc, gathered, part)
    end
  end
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    local parts = parts_in(doc, schema[keyword], state, collect_with_heirs)
    if parts and parts[1] then
      add_alternatives(doc, gathered, parts)
    end
  end
  local properties = {}
  for name, schemas in next, gathered.schemas do
    properties[name] = joined(doc, "allOf", schemas)
  end
  return {
    properties = properties,
    required = gathered.required,
    additional = gathered.additional,
    is_free = object_schema.is_free(schema),
  }
end

-- What a resolved schema says by itself: `properties`, a schema for each name; `required`, a set;
-- `additional`, see object_schema.additional; and `is_free`.
function collect(doc, schema, state)
  return doc.objects[schema] or read_in_cycle(doc, schema, state, state.levels, doc.objects, read)
end

-- --- a schema with its heirs --------------------------------------------------------------

-- What a schema and those that a value may have instead say together. What is not in all of them
-- need not be there. found: what the schema says by itself.
local function united(doc, found, family, state)
  local schemas, properties, gathered = {}, {}, { additional = found.additional }
  for name, schema in next, found.properties do
    add(schemas, name, schema)
  end
  for _, heir in ipairs(family) do
    if not is_met_again(state, state.levels, heir) then
      local part = collect(doc, heir, state)
      for name, schema in next, part.properties do
        budget.spend(doc, budget.COPY)
        add(schemas, name, schema)
      end
      let_in(gathered, part.additional)
    end
  end
  for name, list in next, schemas do
    properties[name] = heirs.with_words(joined(doc, "anyOf", list), family.words[name])
  end
  return {
    properties = properties,
    required = found.required,
    additional = gathered.additional,
    is_free = found.is_free and not next(properties),
  }
end

-- What a resolved schema says, and those that a discriminator may choose in its place. While these
-- are being read, it says what it says by itself.
function collect_with_heirs(doc, schema, state)
  if doc.families[schema] then
    return doc.families[schema]
  end
  if is_met_again(state, state.family_levels, schema) then
    return collect(doc, schema, state)
  end
  local family = heirs.of(doc, schema)
  if family then
    return read_in_cycle(doc, schema, state, state.family_levels, doc.families, function()
      return united(doc, collect(doc, schema, state), family, state)
    end)
  end
  local found = collect(doc, schema, state)
  doc.families[schema] = doc.objects[schema]
  return found
end

-- --- what the other files ask ---------------------------------------------------------------

local function whole(doc, schema)
  return collect_with_heirs(doc, resolve(doc, schema), new_state())
end

-- The properties of an object's schema, sorted by name: a list of `name`, `schema`,
-- `required`; empty if it names none. Not to be changed.
function object_schema.properties(doc, schema)
  local found = whole(doc, schema)
  if found.list then
    budget.spend(doc, budget.COPY * #found.list)
    return found.list
  end
  found.list = {}
  for _, name in ipairs(keys(doc, found.properties)) do
    local property_schema, required = found.properties[name], found.required[name] == true
    found.list[#found.list + 1] = { name = name, schema = property_schema, required = required }
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
function object_schema.sent(doc, schema)
  return without(object_schema.properties(doc, schema), "readOnly")
end

-- The same without those that only a request has.
function object_schema.received(doc, schema)
  return without(object_schema.properties(doc, schema), "writeOnly")
end

-- What other properties an object may have: true for any, a schema, or nil for none. A schema that
-- says nothing of them has none.
function object_schema.additional(doc, schema)
  return whole(doc, schema).additional
end

return object_schema
