-- SPDX-License-Identifier: MIT
-- Which schemas a value can choose from by the property that a `discriminator` names, and by which
-- values of it: OpenAPI 3.1, "Discriminator Object", beside oneOf and anyOf, and in a base schema
-- that others include by allOf.
local discriminator = {}

local all_of = require "endpoint.types.schema.all_of"
local inheritance = require "endpoint.types.schema.inheritance"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string
local each, keys = reader.each, reader.keys
local final = references.final

-- --- the values that mean a schema ----------------------------------------------------------

-- What a value of `mapping` leads to: a reference, or the name of a schema.
local function target_of(doc, written)
  local named = as_string(written) and inheritance.schemas_of(doc)[written]
  if named ~= nil then
    return as_table(final(doc, named))
  end
  local target = as_string(written) and written:find "^#/" and final(doc, { ["$ref"] = written })
  return as_table(target)
end

-- The keys of a schema's mapping by the schemas that they lead to, each a list.
local function mapped_values(doc, schema)
  local known = doc.schemas.mapped_values
  if known[schema] then
    return known[schema]
  end
  local by_schema = {}
  local mapping = as_table(as_table(schema.discriminator).mapping)
  for _, value in ipairs(keys(doc, mapping)) do
    local target = target_of(doc, mapping[value])
    by_schema[target] = by_schema[target] or {}
    table.insert(by_schema[target], value)
  end
  known[schema] = by_schema
  return by_schema
end

-- The strings that a schema's own property allows.
local function enumerated_values(doc, schema, property)
  local found = {}
  local function add(part)
    local property_schema = as_table(final(doc, as_table(as_table(part).properties)[property]))
    local list = property_schema.const ~= nil and { property_schema.const } or property_schema.enum
    for _, value in each(doc, list) do
      found[#found + 1] = as_string(value)
    end
  end
  add(schema)
  for _, part in each(doc, schema.allOf) do
    if as_table(part)["$ref"] == nil then
      add(part)
    end
  end
  return found
end

-- The values that mean a schema: those of the mapping in the discriminator, or else its own, or
-- else its name. base: the schema that has the discriminator.
local function values_of(doc, schema, base, name)
  local mapped = mapped_values(doc, base)
  if mapped[schema] then
    return mapped[schema]
  end
  local found = { as_string(schema["x-ms-discriminator-value"]) }
  if not found[1] then
    found = enumerated_values(doc, schema, inheritance.property_of(base))
  end
  return found[1] and found or { name }
end

-- --- alternatives ---------------------------------------------------------------------------

local NEVER_OBJECTS =
  { string = true, integer = true, number = true, boolean = true, null = true, array = true }

-- The choices of a discriminator among the schemas of the oneOf and anyOf beside it: a list of
-- { value of the property, schema }. nil if a schema that may be an object has no such value.
local function alternative_choices(doc, base)
  local choices, is_named = {}, true
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    for _, written in each(doc, base[keyword]) do
      local schema = as_table(final(doc, written))
      local name = as_string(as_table(written)["$ref"]) and references.pointer(doc, written)
      name = name and name:match "([^/]+)$"
      local found = NEVER_OBJECTS[schema.type] and {} or values_of(doc, schema, base, name)
      is_named = is_named and (found[1] ~= nil or NEVER_OBJECTS[schema.type] ~= nil)
      for _, value in ipairs(found) do
        choices[#choices + 1] = { value = value, schema = written }
      end
    end
  end
  return is_named and choices[1] and choices or nil
end

-- --- a base and its descendants -------------------------------------------------------------

-- The named schema of a node that includes the base, nil if none does. Of several it is the one
-- that includes the others.
local function descendant_among(builder, roots, base)
  local found
  for _, root in ipairs(roots) do
    local schema = all_of.final(builder, root)
    local is_named = type(schema) == "table" and inheritance.is_named(builder.doc, schema)
    local ancestors = is_named and inheritance.ancestors_of(builder.doc, schema) or {}
    if ancestors[base] and (not found or ancestors[found]) then
      found = schema
    end
  end
  return found
end

-- All schemas that include a base as choices; or only those that include this descendant, too.
local function inherited_choices(doc, base, descendant)
  local choices, is_known, itself = {}, {}, descendant or base
  for _, row in ipairs(inheritance.descendants_of(doc, itself)) do
    for _, value in ipairs(values_of(doc, row.schema, base, row.name)) do
      choices[#choices + 1], is_known[value] = { value = value, schema = row.schema }, true
    end
  end
  if not choices[1] then
    return nil
  end
  for _, value in ipairs(values_of(doc, itself, base, doc.names[itself])) do
    if not is_known[value] then
      choices[#choices + 1] = { value = value, schema = itself, is_itself = true }
    end
  end
  return choices
end

-- --- a node -----------------------------------------------------------------------------------

-- What the schemas of a node say: the `property` and a list of `choices`, each a value of it and
-- the schema that it means, and whether these are `inherited`; nil if they say nothing.
function discriminator.of(builder, roots, schemas)
  for _, schema in ipairs(builder.doc.keywords.discriminator and schemas or values.NOTHING) do
    local property = inheritance.property_of(schema)
    if property then
      local is_inherited = not inheritance.has_alternatives(schema)
      local descendant, choices = descendant_among(builder, roots, schema), nil
      if is_inherited then
        choices = inherited_choices(builder.doc, schema, descendant)
      elseif not descendant then
        choices = alternative_choices(builder.doc, schema)
      end
      if choices then
        return { property = property, choices = choices, is_inherited = is_inherited }
      end
    end
  end
end

return discriminator
