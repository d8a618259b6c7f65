-- SPDX-License-Identifier: MIT
-- Which schemas a value of a node can choose from by its `discriminator`: OpenAPI 3.1,
-- "Discriminator Object".
local discriminator_choices = {}

local discriminator = require "endpoint.types.schema.discriminator"
local inheritance = require "endpoint.types.schema.inheritance"
local all_of = require "endpoint.types.schema.all_of"
local ancestors_of = inheritance.ancestors_of

-- The named schema of a node that takes in the base, nil if none does. Of several it is the one
-- that takes in the others.
local function heir_among(builder, roots, base)
  local heir
  for _, root in ipairs(roots) do
    local schema = all_of.final(builder, root)
    local is_heir = type(schema) == "table" and inheritance.is_named(builder.doc, schema)
    local ancestors = is_heir and ancestors_of(builder.doc, schema) or {}
    if ancestors[base] and (not heir or ancestors[heir]) then
      heir = schema
    end
  end
  return heir
end

-- The words and schemas of all that take in a base; or only of those that take in this heir, too.
local function inherited_choices(builder, base, heir)
  local choices, known = {}, {}
  local itself = heir or base
  for _, heir_of_it in ipairs(inheritance.heirs_of(builder.doc, itself)) do
    local schema, name = heir_of_it.schema, heir_of_it.name
    for _, word in ipairs(discriminator.words_of(builder.doc, schema, base, name)) do
      choices[#choices + 1], known[word] = { word = word, schema = schema }, true
    end
  end
  if not choices[1] then
    return nil
  end
  for _, word in
    ipairs(discriminator.words_of(builder.doc, itself, base, builder.doc.names[itself]))
  do
    if not known[word] then
      choices[#choices + 1] = { word = word, schema = itself, is_itself = true }
    end
  end
  return choices
end

-- What the schemas of a node say: the `property` and a list of `choices`, each a word and its
-- schema, and whether these are `inherited`; nil if they say nothing.
function discriminator_choices.of(builder, roots, schemas)
  for _, schema in ipairs(schemas) do
    local property = inheritance.property_of(schema)
    if property then
      local is_inherited = not inheritance.has_alternatives(schema)
      local choices
      if is_inherited then
        choices = inherited_choices(builder, schema, heir_among(builder, roots, schema))
      elseif not heir_among(builder, roots, schema) then
        choices = discriminator.alternatives(builder.doc, schema)
      end
      if choices then
        return { property = property, choices = choices, is_inherited = is_inherited }
      end
    end
  end
end

return discriminator_choices
