-- SPDX-License-Identifier: MIT
-- Which schemas are written as one node: those that must hold for the same value, as far as that
-- says the same. JSON Schema 2020-12 Core, "allOf", and `$ref` with words beside it.
local all_of = {}

local closing = require "endpoint.types.schema.closing"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local each, as_table, is_list = reader.each, values.as_table, values.is_list

-- --- what a schema is ---------------------------------------------------------------

-- The schema to which a value's $ref leads, or the value itself: a table, true or false.
function all_of.final(builder, value)
  return references.final(builder.doc, value)
end
local final = all_of.final

-- May a schema refuse a value?
function all_of.says_something(builder, value)
  local schema = final(builder, value)
  return type(schema) == "table" and next(schema) ~= nil or schema == false
end

-- The one alternative of a list that has no other; nil if it has.
local function only_one(list)
  list = as_table(list)
  if list[2] == nil then
    return list[1] -- which may be false
  end
end

local UNIONS = { "oneOf", "anyOf" }

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
  for _, name in ipairs(UNIONS) do
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

-- Must a schema that another holds be a node of its own?
local function stands_alone(builder, schema)
  for _, keyword in ipairs(ALONE) do
    if schema[keyword] ~= nil then
      return true
    end
  end
  return is_list(schema.items)
    or closing.limits_names(builder, schema)
    or closing.limits_unevaluated(builder, schema)
end

-- Would the properties or items of another schema change what this one says?
local function takes_no_others(builder, schema)
  return schema.prefixItems ~= nil or is_list(schema.items) or closing.limits_names(builder, schema)
end

-- Does a schema, a table, true or false, hold no other?
local function is_alone(schema)
  return type(schema) == "table"
    and not (schema["$ref"] or schema.allOf or schema.oneOf or schema.anyOf)
end

-- The schemas that are one node with these values, and a list of those that must hold beside it;
-- nothing if no value fits. Not to be changed.
function all_of.of(builder, list)
  local only = list[1] ~= nil and list[2] == nil and final(builder, list[1])
  if is_alone(only) then
    return only == list[1] and list or { only }, values.NOTHING
  end
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
