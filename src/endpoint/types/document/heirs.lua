-- SPDX-License-Identifier: MIT
-- The schemas that a value of an object's schema may have instead, since they take that in by
-- allOf, and the words by which it says which.
local heirs = {}

local budget = require "endpoint.types.document.budget"
local discriminator = require "endpoint.types.schema.discriminator"
local inheritance = require "endpoint.types.schema.inheritance"
local references = require "endpoint.types.document.references"

-- Schemas without a name that hold each other by allOf.
local MOST_NESTED = 100

-- Adds the schemas whose heirs a value may be: of a schema without a name those that it takes in.
-- A base with alternatives names them itself.
local function add_bases(doc, bases, schema, depth)
  if bases[schema] or depth > MOST_NESTED then
    return
  end
  bases[schema] = true
  local has_heirs = inheritance.heirs_of(doc, schema)[1] ~= nil
  if has_heirs and not inheritance.has_alternatives(schema) then
    bases[#bases + 1] = schema
  end
  if has_heirs or inheritance.is_named(doc, schema) then
    return
  end
  for _, written in ipairs(inheritance.bases_of(doc, schema)) do
    local base = references.final(doc, written)
    if type(base) == "table" then
      add_bases(doc, bases, base, depth + 1)
    end
  end
end

-- What a resolved schema may be: a list of schemas, and `words`, property -> a sorted list. Nothing
-- if no discriminator says anything.
function heirs.of(doc, schema)
  if not inheritance.is_used(doc) then
    return nil
  end
  local bases, found, is_known = {}, { words = {} }, {}
  add_bases(doc, bases, inheritance.written(doc, schema), 0)
  for _, base in ipairs(bases) do
    for _, heir in ipairs(inheritance.heirs_of(doc, base)) do
      budget.spend(doc, budget.READ)
      if not is_known[heir.schema] then
        is_known[heir.schema], found[#found + 1] = true, references.schema(doc, heir.schema)
      end
    end
  end
  found.words = discriminator.known_words(doc, schema, bases)
  return (found[1] or next(found.words)) and found or nil
end

-- A property's schema with these words as its only values; the schema itself if it is not of a
-- string.
function heirs.with_words(schema, words)
  if not words or not words[1] or schema.type ~= nil and schema.type ~= "string" then
    return schema
  end
  return {
    type = "string",
    enum = words,
    description = schema.description,
    deprecated = schema.deprecated,
    readOnly = schema.readOnly,
    writeOnly = schema.writeOnly,
  }
end

return heirs
