-- SPDX-License-Identifier: MIT
-- Which schema a value says that it has: `discriminator` of OpenAPI, beside oneOf and anyOf, and in
-- a base schema that others take in by allOf.
local discriminators = {}

local budget = require "endpoint.types.document.budget"
local parts = require "endpoint.types.rules.parts"
local reader = require "endpoint.types.document.reader"
local values = require "endpoint.types.document.values"
local as_table, as_string = values.as_table, values.as_string
local each, keys = reader.each, reader.keys

-- The property that says it. In Swagger 2.0 the keyword is its name.
local function property_of(part)
  return as_string(part.discriminator) or as_string(as_table(part.discriminator).propertyName)
end

local function schemas_of(doc)
  local root = doc.root
  return as_table(root.swagger and root.definitions or as_table(root.components).schemas)
end

-- What a mapping leads to: a reference, or the name of a schema.
local function target_of(to, written)
  local named = as_string(written) and schemas_of(to.doc)[written]
  if named ~= nil then
    return as_table(parts.final(to, named))
  end
  local target = as_string(written)
    and written:find "^#/"
    and parts.final(to, { ["$ref"] = written })
  return as_table(target)
end

-- --- words ------------------------------------------------------------------------

-- The words of a mapping by their schemas, each a list.
local function mapped_words(to, part)
  local words = {}
  local mapping = as_table(as_table(part.discriminator).mapping)
  for _, word in ipairs(keys(to.doc, mapping)) do
    local schema = target_of(to, mapping[word])
    words[schema] = words[schema] or {}
    table.insert(words[schema], word)
  end
  return words
end

-- The words that a schema's own property allows.
local function enumerated_words(to, schema, property)
  local words = {}
  local function add(one)
    local described = as_table(parts.final(to, as_table(as_table(one).properties)[property]))
    local list = described.const ~= nil and { described.const } or described.enum
    for _, word in each(to.doc, list) do
      words[#words + 1] = as_string(word)
    end
  end
  add(schema)
  for _, one in each(to.doc, schema.allOf) do
    if as_table(one)["$ref"] == nil then
      add(one)
    end
  end
  return words
end

-- The words of one schema: those of the mapping, or else its own, or else its name.
local function words_of(to, schema, property, mapped, name)
  if mapped[schema] then
    return mapped[schema]
  end
  local words = { as_string(schema["x-ms-discriminator-value"]) }
  if not words[1] then
    words = enumerated_words(to, schema, property)
  end
  return words[1] and words or { name }
end

-- --- alternatives -----------------------------------------------------------------

local NEVER_OBJECTS =
  { string = true, integer = true, number = true, boolean = true, null = true, array = true }

-- The words and schemas of a oneOf or anyOf; nil if one of them has no word.
local function choices_in(to, part, property)
  local mapped, choices, is_named = mapped_words(to, part), {}, true
  for _, keyword in ipairs { "oneOf", "anyOf" } do
    for _, value in each(to.doc, part[keyword]) do
      local schema = as_table(parts.final(to, value))
      local name = as_string(as_table(value)["$ref"])
      name = name and name:match "([^/]+)$"
      local words = NEVER_OBJECTS[schema.type] and {}
        or words_of(to, schema, property, mapped, name)
      is_named = is_named and (words[1] ~= nil or NEVER_OBJECTS[schema.type] ~= nil)
      for _, word in ipairs(words) do
        choices[#choices + 1] = { word = word, schema = value }
      end
    end
  end
  return is_named and choices[1] and choices or nil
end

-- --- inheritance --------------------------------------------------------------------

-- Schemas that take in each other by allOf.
local MOST_NESTED = 100

-- The schemas that a schema takes in by allOf, and those that these take in, as a set.
local function ancestors_of(to, schema, depth)
  local known = to.ancestors[schema]
  if known then
    return known
  end
  known = {}
  to.ancestors[schema] = known
  for _, one in each(to.doc, schema.allOf) do
    local base = parts.final(to, one)
    if type(base) == "table" and base ~= schema and (depth or 0) < MOST_NESTED then
      known[base] = true
      for further in pairs(ancestors_of(to, base, (depth or 0) + 1)) do
        budget.spend(to.doc, 1)
        known[further] = true
      end
    end
  end
  return known
end

-- Base schema -> the named schemas that take it in, each with its `name`. to.is_named has all named
-- schemas.
local function heirs_in(to)
  local heirs = {}
  to.is_named = {}
  local schemas = schemas_of(to.doc)
  for _, name in ipairs(keys(to.doc, schemas)) do
    local schema = parts.final(to, schemas[name])
    to.is_named[schema] = true
    for base in pairs(type(schema) == "table" and ancestors_of(to, schema) or {}) do
      if property_of(base) then
        heirs[base] = heirs[base] or {}
        table.insert(heirs[base], { name = name, schema = schema })
      end
    end
  end
  return heirs
end

local function heirs_of(to, base)
  return to.heirs[base] or {}
end

-- The named schema of a node that takes in the base, nil if none does. Of several it is the one
-- that takes in the others.
local function heir_among(to, roots, base)
  local heir
  to.heirs = to.heirs or heirs_in(to)
  for _, root in ipairs(roots) do
    local schema = parts.final(to, root)
    local is_named = type(schema) == "table" and to.is_named[schema]
    local ancestors = is_named and ancestors_of(to, schema) or {}
    if ancestors[base] and (not heir or ancestors[heir]) then
      heir = schema
    end
  end
  return heir
end

local function name_of(to, schema)
  return to.doc.names[schema]
end

-- The words and schemas of all that take in a base; or only of those that take in one of these,
-- too.
local function inherited_choices(to, base, property, heir)
  local mapped, choices = mapped_words(to, base), {}
  local known = {}
  for _, one in ipairs(heirs_of(to, base)) do
    if not heir or ancestors_of(to, one.schema)[heir] then
      for _, word in ipairs(words_of(to, one.schema, property, mapped, one.name)) do
        choices[#choices + 1], known[word] = { word = word, schema = one.schema }, true
      end
    end
  end
  if not choices[1] then
    return nil
  end
  local itself = heir or base
  for _, word in ipairs(words_of(to, itself, property, mapped, name_of(to, itself))) do
    if not known[word] then
      choices[#choices + 1] = { word = word, schema = itself, is_itself = true }
    end
  end
  return choices
end

-- --- both -------------------------------------------------------------------------

local function has_alternatives(part)
  return parts.is_list(part.oneOf) or parts.is_list(part.anyOf)
end

-- What the schemas of a node say: the `property` and a list of `choices`, each a word and its
-- schema, and whether these are `inherited`; nil if they say nothing.
function discriminators.of(to, roots, found)
  for _, part in ipairs(found) do
    local property = property_of(part)
    if property then
      local is_inherited = not has_alternatives(part)
      local choices
      if is_inherited then
        choices = inherited_choices(to, part, property, heir_among(to, roots, part))
      elseif not heir_among(to, roots, part) then
        choices = choices_in(to, part, property)
      end
      if choices then
        return { property = property, choices = choices, is_inherited = is_inherited }
      end
    end
  end
end

return discriminators
