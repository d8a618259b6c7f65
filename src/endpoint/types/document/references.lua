-- SPDX-License-Identifier: MIT
-- References of a document: OpenAPI 3.1, "Reference Object", and `$ref` of JSON Schema. They are
-- JSON pointers (RFC 6901) into the document itself.
local references = {}

local budget = require "endpoint.types.document.budget"
local schema_resources = require "endpoint.types.document.schema_resources"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"
local as_string, as_table = values.as_string, values.as_table

-- A token of a JSON pointer (RFC 6901, section 4), after percent-decoding (section 6).
local function token_of(written)
  return (text.decoded(written):gsub("~1", "/"):gsub("~0", "~"))
end

local BUNDLE = "bundle it to one file: npx @redocly/cli bundle openapi.yaml --ext json"

-- --- where one leads ----------------------------------------------------------------

-- The place of a reference; nil if it leads nowhere.
local function place_of(doc, reference)
  local place = doc.root
  for written in reference:gmatch "/([^/]*)" do
    local token, number = token_of(written), tonumber(written)
    local parent = as_table(place)
    place = rawget(parent, token)
    if place == nil and number then
      -- A list, or a map such as the responses of a document that a decoder of YAML has read.
      place = rawget(parent, parent[1] ~= nil and number + 1 or number)
    end
    if place == nil then
      return nil
    end
  end
  return place
end

-- Where a JSON pointer leads. Many documents write their pointers from the root, also in a schema
-- with an $id: so that is tried, too.
local function place_of_either(doc, pointer, written)
  local place = place_of(doc, pointer)
  if place == nil and written ~= pointer and written:find "^#/" then
    place = place_of(doc, written)
    pointer = written
  end
  return place, pointer
end

-- Raises for a reference that leads into another file.
function references.fail_of_other_file(written)
  budget.fail("$ref %s leads to another file: %s", values.quoted(written), BUNDLE)
end

-- What a table's own reference leads to; or nil and, if it leads nowhere, why. One into another
-- file raises.
function references.target(doc, reference_object)
  local written = as_string(reference_object["$ref"])
  if not written then
    return nil
  end
  local reference = schema_resources.pointer(doc, reference_object)
  if doc.targets[reference] ~= nil then
    return doc.targets[reference]
  end
  if reference:find "^[^#]" then
    references.fail_of_other_file(written)
  end
  local shown = values.quoted(written)
  if reference:find "^#[^/]" then
    return nil, ("$ref %s: no schema has this $anchor"):format(shown)
  end
  if not reference:find "^#/" then
    return nil, ("$ref %s: expected a reference into the document itself, #/..."):format(shown)
  end
  local place, pointer = place_of_either(doc, reference, written)
  if place == nil then
    return nil, ("$ref %s leads nowhere"):format(shown)
  end
  -- true and false are schemas, too.
  if type(place) ~= "table" and type(place) ~= "boolean" then
    return nil, ("$ref %s does not lead to an object"):format(shown)
  end
  doc.targets[reference] = place
  doc.names[place] = pointer:match "^#/components/schemas/([^/]+)$"
    or pointer:match "^#/definitions/([^/]+)$"
  return place
end

-- The $ref of a table as a JSON pointer, if it leads into the document.
references.pointer = schema_resources.pointer

-- A table with the reference of a schema alone.
function references.bare(doc, schema)
  return { ["$ref"] = schema_resources.pointer(doc, schema) }
end

-- --- words beside a reference ---------------------------------------------------------

-- Keywords that do not say which values fit.
local IS_ANNOTATION = {
  ["$anchor"] = true,
  ["$comment"] = true,
  ["$defs"] = true,
  ["$dynamicAnchor"] = true,
  ["$id"] = true,
  ["$ref"] = true,
  ["$schema"] = true,
  default = true,
  definitions = true,
  deprecated = true,
  description = true,
  example = true,
  examples = true,
  externalDocs = true,
  readOnly = true,
  summary = true,
  title = true,
  writeOnly = true,
  xml = true,
}

-- Does a schema have words beside its $ref that hold, too? They hold from OpenAPI 3.1 on (JSON
-- Schema 2020-12, core 8.2.3.1), and count as absent in OpenAPI 3.0, Swagger 2.0 and the drafts of
-- JSON Schema before 2019-09.
function references.holds_beside(doc, schema)
  for key in next, doc.words_hold_beside_ref and schema or {} do
    if type(key) == "string" and not IS_ANNOTATION[key] and not key:find "^x%-" then
      return true
    end
  end
  return false
end

-- --- where a chain of them ends -------------------------------------------------------

-- What is wrong with references that lead to each other; the same, whichever of them was read
-- first.
local function circle(passed)
  local least
  for place in next, passed do
    least = (not least or place["$ref"] < least) and place["$ref"] or least
  end
  return ("$ref %s leads in a circle"):format(values.quoted(least))
end

-- The table that a value is, or that its $ref leads to; an empty one for any other value. Where
-- a chain of references ends is remembered for each of them, and in `lost` why one ends nowhere.
function references.resolve(doc, value)
  local passed = {}
  budget.spend(doc, budget.READ)
  while doc.finals[value] == nil and as_string(as_table(value)["$ref"]) do
    local target, reason = references.target(doc, value)
    passed[value] = true
    if target ~= nil and passed[target] then
      target, reason = nil, circle(passed)
    end
    doc.lost[value], value = reason, target
  end
  local final = doc.finals[value] or as_table(value)
  for place in next, passed do
    doc.finals[place] = final
  end
  return final
end

local function has_reference(value)
  return type(value) == "table" and type(value["$ref"]) == "string"
end

-- A chain of references that leads in a circle, or nowhere.
local LOST = {}

-- Where a chain of references ends: at a value that is not a reference, or has words beside it that
-- hold. It is remembered for each of the chain, which many schemas may lead into.
local function end_of_chain(doc, value)
  budget.spend(doc, budget.READ)
  if not has_reference(value) then
    return value
  end
  local passed = {}
  while doc.ends[value] == nil and has_reference(value) do
    if references.holds_beside(doc, value) then
      break
    end
    local target
    if not passed[value] then
      target = references.target(doc, value)
    end
    passed[value] = true
    value = target == nil and LOST or target
  end
  local last = doc.ends[value]
  if last == nil then
    last = value
  end
  for place in next, passed do
    doc.ends[place] = last
  end
  return last
end

-- Follows references to the schema that a value is: a table; or true or false, which are schemas,
-- too. Where words that hold are beside a $ref, the value itself is the schema.
function references.final(doc, value)
  if type(value) == "table" and value["$ref"] == nil then
    budget.spend(doc, budget.READ)
    return value
  end
  local last = end_of_chain(doc, value)
  if last == LOST then
    return {}
  elseif type(last) == "boolean" then
    return last
  end
  return as_table(last)
end

return references
