-- SPDX-License-Identifier: MIT
-- The words by which a value says which schema it has: OpenAPI 3.1, "Discriminator Object", beside
-- oneOf and anyOf, and in a base schema that others take in by allOf.
local discriminator = {}

local inheritance = require "endpoint.types.schema.inheritance"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string
local each, keys = reader.each, reader.keys
local final = references.final

-- --- words ------------------------------------------------------------------------

-- What a value of `mapping` leads to: a reference, or the name of a schema.
local function target_of(doc, written)
  local named = as_string(written) and inheritance.schemas_of(doc)[written]
  if named ~= nil then
    return as_table(final(doc, named))
  end
  local target = as_string(written) and written:find "^#/" and final(doc, { ["$ref"] = written })
  return as_table(target)
end

-- The words of a schema's mapping by the schemas that they lead to, each a list.
local function mapped_words(doc, schema)
  if doc.schemas.mapped_words[schema] then
    return doc.schemas.mapped_words[schema]
  end
  local words = {}
  local mapping = as_table(as_table(schema.discriminator).mapping)
  for _, word in ipairs(keys(doc, mapping)) do
    local target = target_of(doc, mapping[word])
    words[target] = words[target] or {}
    table.insert(words[target], word)
  end
  doc.schemas.mapped_words[schema] = words
  return words
end

-- The words that a schema's own property allows.
local function enumerated_words(doc, schema, property)
  local words = {}
  local function add(part)
    local property_schema = as_table(final(doc, as_table(as_table(part).properties)[property]))
    local list = property_schema.const ~= nil and { property_schema.const } or property_schema.enum
    for _, word in each(doc, list) do
      words[#words + 1] = as_string(word)
    end
  end
  add(schema)
  for _, part in each(doc, schema.allOf) do
    if as_table(part)["$ref"] == nil then
      add(part)
    end
  end
  return words
end

-- The words of one schema: those of the mapping in the discriminator, or else its own, or else its
-- name. ruling: the schema that has the discriminator.
function discriminator.words_of(doc, schema, ruling, name)
  local mapped = mapped_words(doc, ruling)
  if mapped[schema] then
    return mapped[schema]
  end
  local words = { as_string(schema["x-ms-discriminator-value"]) }
  if not words[1] then
    words = enumerated_words(doc, schema, inheritance.property_of(ruling))
  end
  return words[1] and words or { name }
end

-- --- alternatives -----------------------------------------------------------------

local NEVER_OBJECTS =
  { string = true, integer = true, number = true, boolean = true, null = true, array = true }

-- The words and schemas of the oneOf or anyOf beside a discriminator; nil if one of them has no
-- word.
function discriminator.alternatives(doc, ruling)
  local choices, is_named = {}, true
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    for _, written in each(doc, ruling[keyword]) do
      local schema = as_table(final(doc, written))
      local name = as_string(as_table(written)["$ref"]) and references.pointer(doc, written)
      name = name and name:match "([^/]+)$"
      local words = NEVER_OBJECTS[schema.type] and {}
        or discriminator.words_of(doc, schema, ruling, name)
      is_named = is_named and (words[1] ~= nil or NEVER_OBJECTS[schema.type] ~= nil)
      for _, word in ipairs(words) do
        choices[#choices + 1] = { word = word, schema = written }
      end
    end
  end
  return is_named and choices[1] and choices or nil
end

return discriminator
