-- SPDX-License-Identifier: MIT
-- Which schemas are written as one node: those that must hold for the same value, as far as that
-- says the same. JSON Schema 2020-12 Core, "allOf", and `$ref` with words beside it.
local all_of = {}

local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local each, as_table = reader.each, values.as_table

-- --- what a schema is ---------------------------------------------------------------

-- The schema that a value is, after its references: a table, true or false.
function all_of.final(builder, value)
  return references.final(builder.doc, value)
end
local final = all_of.final

all_of.is_list = values.is_list

-- The one alternative of a list that has no other; nil if it has.
local function only_one(list)
  list = as_table(list)
  if list[2] == nil then
    return list[1] -- which may be false
  end
end

-- The schemas that hold where a schema holds.
local function held_by(builder, schema)
  local list = {}
  if type(schema["$ref"]) == "string" then
    list[1] = builder.bare[schema] or references.bare(builder.doc, schema)
    builder.bare[schema] = list[1]
  end
  for _, value in each(builder.doc, schema.allOf) do
    list[#list + 1] = value
  end
  for _, name in ipairs { "oneOf", "anyOf" } do
    local alternative = only_one(schema[name])
    if alternative ~= nil then
      list[#list + 1] = alternative
    end
  end
  return list
end

-- --- which of them are one ----------------------------------------------------------

-- Keywords that a node has once, or that look at other keywords of their schema.
local ALONE = {
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "unevaluatedItems",
  "prefixItems",
  "additionalItems",
  "contains",
  "not",
  "if",
}

local function limits_names(builder, schema)
  local additional = schema.additionalProperties
  if builder.is_open then
    return additional == false or type(additional) == "table" and next(additional) ~= nil
  end
  return false -- the whole is closed, and additional names have what any schema says of them
end

local function limits_unevaluated(builder, schema)
  return schema.unevaluatedProperties ~= nil
    and (builder.is_open or schema.unevaluatedProperties ~= false or all_of.is_open(schema))
end

-- Must a schema that another holds be a node of its own?
local function stands_alone(builder, schema)
  for _, keyword in ipairs(ALONE) do
    if schema[keyword] ~= nil then
      return true
    end
  end
  return all_of.is_list(schema.items)
    or limits_names(builder, schema)
    or limits_unevaluated(builder, schema)
end

-- Would the properties or items of another schema change what this one says?
local function takes_no_others(builder, schema)
  return schema.prefixItems ~= nil or all_of.is_list(schema.items) or limits_names(builder, schema)
end

-- Keywords that let other properties in, or name some that are not looked for.
local OPENS =
  { "patternProperties", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef" }

-- Has a schema more properties than those that it names?
function all_of.is_open(schema)
  if schema.additionalProperties == true or type(schema.additionalProperties) == "table" then
    return true
  end
  for _, keyword in ipairs(OPENS) do
    if schema[keyword] ~= nil then
      return true
    end
  end
  return schema.unevaluatedProperties ~= nil and schema.unevaluatedProperties ~= false
end

-- The schemas that are one node with these values, and a list of those that must hold beside it;
-- nothing if no value fits.
function all_of.of(builder, list)
  local schemas, beside, is_known, position = {}, {}, {}, 0
  for _, value in ipairs(list) do
    local root = final(builder, value)
    if root == false then
      return nil
    elseif root ~= true and not is_known[root] then
      local is_apart = list[2] ~= nil
        and (stands_alone(builder, root) or takes_no_others(builder, root))
      is_known[root] = true
      table.insert(is_apart and beside or schemas, root)
    end
  end
  while schemas[position + 1] do
    position = position + 1
    local schema = schemas[position]
    local is_closed = takes_no_others(builder, schema)
    for _, value in ipairs(held_by(builder, schema)) do
      local held = final(builder, value)
      if held == false then
        return nil
      elseif held ~= true and not is_known[held] then
        is_known[held] = true
        table.insert((is_closed or stands_alone(builder, held)) and beside or schemas, held)
      end
    end
  end
  return schemas, beside
end

return all_of
