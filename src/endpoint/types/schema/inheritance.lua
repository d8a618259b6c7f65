-- SPDX-License-Identifier: MIT
-- Which named schemas include which by allOf, where a `discriminator` makes these bases of a value:
-- OpenAPI 3.1, "Composition and Inheritance (Polymorphism)".
local inheritance = {}

local budget = require "endpoint.types.document.budget"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string
local each, keys = reader.each, reader.keys

-- OpenAPI 3.1, "Discriminator Object", `propertyName`: the property that says which schema holds;
-- nil without a discriminator. In Swagger 2.0 the keyword is its name.
function inheritance.property_of(schema)
  return as_string(schema.discriminator) or as_string(as_table(schema.discriminator).propertyName)
end

-- Does a schema name the schemas that a value may have itself?
function inheritance.has_alternatives(schema)
  return values.is_list(schema.oneOf) or values.is_list(schema.anyOf)
end

-- Does its discriminator speak of those that include it?
local function rules_descendants(schema)
  return inheritance.property_of(schema) and not inheritance.has_alternatives(schema)
end

-- The named schemas of a document: OpenAPI 3.1, "Components Object"; Swagger 2.0,
-- "Definitions Object".
function inheritance.schemas_of(doc)
  local root = doc.root
  return as_table(root.swagger and root.definitions or as_table(root.components).schemas)
end

-- --- who includes whom --------------------------------------------------------------

-- Schemas that include each other by allOf.
local MOST_NESTED = 100

-- What a schema includes: by allOf, and by a $ref with words beside it that hold.
function inheritance.bases_of(doc, schema)
  local bases = {}
  if as_string(schema["$ref"]) and references.holds_beside(doc, schema) then
    bases[1] = references.target(doc, schema)
  end
  for _, part in each(doc, schema.allOf) do
    bases[#bases + 1] = part
  end
  return bases
end

-- The schemas that a schema includes by allOf, and those that these include, as a set.
function inheritance.ancestors_of(doc, schema, depth)
  local ancestors = doc.schemas.ancestors[schema]
  if ancestors then
    return ancestors
  end
  ancestors = {}
  doc.schemas.ancestors[schema] = ancestors
  for _, written in ipairs(inheritance.bases_of(doc, schema)) do
    local base = references.final(doc, written)
    if type(base) == "table" and base ~= schema and (depth or 0) < MOST_NESTED then
      ancestors[base] = true
      for further in pairs(inheritance.ancestors_of(doc, base, (depth or 0) + 1)) do
        budget.spend(doc, 1)
        ancestors[further] = true
      end
    end
  end
  return ancestors
end
local ancestors_of = inheritance.ancestors_of

-- Does a discriminator speak of those that include a schema: its own, or that of one that it
-- includes?
local function is_ruled(doc, schema)
  if rules_descendants(schema) then
    return true
  end
  for base in pairs(ancestors_of(doc, schema)) do
    budget.spend(doc, 1)
    if rules_descendants(base) then
      return true
    end
  end
  return false
end

-- Reads the named schemas: `is_named`, a set; and `descendants`: schema -> the named ones that
-- include it, each with its `name`, where a discriminator rules it.
local function read(doc)
  local found, ruled = { is_named = {}, descendants = {} }, {}
  local schemas = inheritance.schemas_of(doc)
  for _, name in ipairs(keys(doc, schemas)) do
    local schema = references.final(doc, schemas[name])
    found.is_named[schema] = true
    for base in pairs(type(schema) == "table" and ancestors_of(doc, schema) or {}) do
      if ruled[base] == nil then
        ruled[base] = is_ruled(doc, base)
      end
      if ruled[base] then
        found.descendants[base] = found.descendants[base] or {}
        table.insert(found.descendants[base], { name = name, schema = schema })
      end
    end
  end
  return found
end

local function named(doc)
  local known = doc.schemas
  known.inheritance = known.inheritance or read(doc)
  return known.inheritance
end

-- Has a schema, a table, true or false, a name?
function inheritance.is_named(doc, schema)
  return named(doc).is_named[schema] == true
end

-- The named schemas that include a schema, each with its `name`. Not to be changed.
function inheritance.descendants_of(doc, schema)
  return named(doc).descendants[schema] or values.NOTHING
end

return inheritance
