-- SPDX-License-Identifier: MIT
-- What a model should know of a value: JSON Schema 2020-12 Validation, "A Vocabulary for Basic
-- Meta-Data Annotations"; OpenAPI 3.1, "Schema Object" and "Parameter Object", `example`. A
-- description has two lines at most: the document's words, and facts, such as the default, which no
-- one may cut off.
local descriptions = {}

local result = require "endpoint.result"
local source = require "endpoint.types.source"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

-- The most bytes of a value that is told.
local LONGEST = 60

-- A scalar of the document as JSON; nil for another value, and for a long one.
local function told(value)
  if type(value) == "string" then
    return #value <= LONGEST and '"' .. text.shown(value) .. '"' or nil
  elseif type(value) == "boolean" then
    return tostring(value)
  end
  local is_number = type(value) == "number" and not result.number_fault(value)
  return is_number and result.decoded(result.encoded(value)) or nil
end

-- An example of a schema, in its newer and its older spelling.
local function example_of(schema)
  local first = values.as_table(schema.examples)[1]
  if first ~= nil then
    return first
  end
  return schema.example
end

-- The facts that schemas, which all hold, say of a value. example: one that is given beside them.
local function facts_of(schemas, is_text, example)
  local format, default
  for _, schema in ipairs(schemas) do
    local given = is_text and values.as_string(schema.format)
    format = format or given and source.line(given)
    default = default or told(schema.default)
    if example == nil then
      example = example_of(schema)
    end
  end
  example = told(example)
  local facts = { format or nil }
  facts[#facts + 1] = default and "default " .. default
  facts[#facts + 1] = example and example ~= default and "example " .. example or nil
  return facts[1] and table.concat(facts, "; ") or nil
end

local function joined(words, facts)
  return facts and (words or "") .. "\n" .. facts or words
end

local function words_of(description)
  local written = values.as_string(description)
  return written and written:find "%S" and source.whole_line(written) or nil
end

-- The description of a node. schemas: those that hold for it; is_text: is its value a string.
function descriptions.of_schemas(schemas, is_text)
  local words
  for _, schema in ipairs(schemas) do
    words = words or words_of(schema.description)
  end
  return joined(words, facts_of(schemas, is_text))
end

-- The description of a field, nil if it has no words of its own. schemas: those of its value.
function descriptions.of_field(field, schemas)
  local note, words = field.note and source.line(field.note), words_of(field.description)
  if note then
    words = words and note .. "; " .. words or note
  end
  if not words and field.example == nil then
    return nil
  end
  local is_text = schemas[1] ~= nil and schemas[1].type == "string"
  return joined(words, facts_of(schemas, is_text, field.example))
end

return descriptions
