-- SPDX-License-Identifier: MIT
-- The schemas that several parts of a schema give one property, and all of them as one schema.
local property_schemas = {}

local budget = require "endpoint.types.document.budget"
local values = require "endpoint.types.document.values"

-- Keywords that mark a property: JSON Schema 2020-12 Validation, "readOnly" and "writeOnly", and
-- "deprecated".
local MARKS = { "readOnly", "writeOnly", "deprecated" }

-- Adds a schema to those of a name, each once. lists: a list for each name.
function property_schemas.add(lists, name, schema, is_first)
  local list = lists[name] or { is_known = {} }
  lists[name] = list
  if list.is_known[schema] then
    return
  end
  list.is_known[schema] = true
  table.insert(list, is_first and 1 or #list + 1, schema)
end

-- Does a resolved schema list its values? has_values: what `joined` makes of such.
function property_schemas.lists_values(schema)
  return schema.enum ~= nil or schema.const ~= nil or schema.has_values == true
end

local function do_all_list_values(schemas)
  for _, schema in ipairs(schemas) do
    if not property_schemas.lists_values(schema) then
      return false
    end
  end
  return true
end

-- Marks that one schema of allOf gives hold. Of anyOf all must give them.
local function is_marked(mark, how, schemas)
  local count = 0
  for _, schema in ipairs(schemas) do
    count = count + (schema[mark] == true and 1 or 0)
  end
  return count == #schemas or how == "allOf" and count > 0
end

local function number_of(known, schema)
  if not known.numbers[schema] then
    known.count = known.count + 1
    known.numbers[schema] = known.count
  end
  return known.numbers[schema]
end

-- The schemas of a list, with those of a joined one in its place, each once; and a string that
-- tells this list from others.
local function flattened(doc, how, schemas)
  local flat, is_known, words, known = {}, {}, { how }, doc.joined
  for _, schema in ipairs(schemas) do
    for _, part in ipairs(known.is_joined[schema] and schema[how] or { schema }) do
      budget.spend(doc, budget.COPY)
      if not is_known[part] then
        is_known[part] = true
        flat[#flat + 1] = part
        words[#words + 1] = number_of(known, part)
      end
    end
  end
  return flat, table.concat(words, " ")
end

local function new_joined(how, schemas)
  local joined = { [how] = schemas }
  for _, mark in ipairs(MARKS) do
    joined[mark] = is_marked(mark, how, schemas)
  end
  joined.has_values = how == "anyOf" and do_all_list_values(schemas)
  for _, schema in ipairs(schemas) do
    joined.description = joined.description or values.as_string(schema.description)
  end
  return joined
end

-- Several schemas as one, which is the same table each time: a property may have itself in two of
-- them. how: "allOf" if each of them holds, "anyOf" if one is enough.
function property_schemas.joined(doc, how, schemas)
  if not schemas[2] then
    return schemas[1]
  end
  local flat, key = flattened(doc, how, schemas)
  if not flat[2] then
    return flat[1]
  end
  local known = doc.joined
  if not known.by_key[key] then
    known.by_key[key] = new_joined(how, flat)
    known.is_joined[known.by_key[key]] = true
  end
  return known.by_key[key]
end

-- A schema that need not hold: in an allOf of its own it narrows no other, see lua_types.lua.
function property_schemas.loosened(schema)
  local loosened = { allOf = { schema }, description = schema.description }
  for _, mark in ipairs(MARKS) do
    loosened[mark] = schema[mark]
  end
  return loosened
end

return property_schemas
