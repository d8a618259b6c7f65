-- SPDX-License-Identifier: MIT
-- Which names an object may have that its schema does not describe. JSON Schema takes any, unless
-- the schema forbids them; here the rules are closed, so that a misspelt name is told: an object
-- whose properties are named takes no others, unless its schema says that it does. With `--open`
-- JSON Schema's answer is taken.
local closing = {}

local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local keys, each, as_table, NOTHING = reader.keys, reader.each, values.as_table, values.NOTHING

-- --- what one schema says -------------------------------------------------------------

-- Keywords that let other names in, or name some that are not looked for.
local OPENS =
  { "patternProperties", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef" }

-- Keywords of a schema that is more than a map of any names.
local MORE_THAN_MAP = { "required", "enum", "const", "allOf", "oneOf", "anyOf", "not", "items" }

local function has_one_of(schema, keywords)
  for _, keyword in ipairs(keywords) do
    if schema[keyword] ~= nil then
      return true
    end
  end
  return false
end

-- Does a schema say that other names may be there?
function closing.lets_in(schema)
  local additional, unevaluated = schema.additionalProperties, schema.unevaluatedProperties
  return additional == true
    or type(additional) == "table"
    or has_one_of(schema, OPENS)
    or unevaluated ~= nil and unevaluated ~= false
end

-- Is a schema a map of any names, and no more?
local function is_free(schema)
  return type(schema.properties) ~= "table"
    and schema.additionalProperties ~= false
    and (schema.type == nil or schema.type == "object")
    and not has_one_of(schema, MORE_THAN_MAP)
end

-- Does a schema say by itself which values the other names have? In closed rules the whole is
-- closed, and additional names have what any schema says of them.
function closing.limits_names(builder, schema)
  local additional = schema.additionalProperties
  return builder.is_open
    and (additional == false or type(additional) == "table" and next(additional) ~= nil)
end

-- Does a schema forbid the names that the whole does not describe?
function closing.forbids_names(builder, schema)
  return schema.additionalProperties == false
    or not builder.is_open
      and schema.unevaluatedProperties == false
      and not closing.lets_in(schema)
end

-- Does a schema say by itself which values the names have that no other schema of the value
-- describes?
function closing.limits_unevaluated(builder, schema)
  return schema.unevaluatedProperties ~= nil
    and (builder.is_open or not closing.forbids_names(builder, schema))
end

-- Are an alternative and a whole of the same schemas two nodes? Only a whole is closed.
function closing.tells_parts(builder)
  return not builder.is_open
end

-- --- what others say of the same object -------------------------------------------------

-- OpenAPI 3.1, "Schema Object", `readOnly` and `writeOnly`: is a property only for the other
-- direction, by itself or where its reference leads?
function closing.is_of_other_direction(builder, value, direction)
  local mark = direction == "received" and "writeOnly" or "readOnly"
  if not builder.doc.keywords[mark] then
    return false
  end
  return as_table(value)[mark] == true
    or as_table(references.final(builder.doc, value))[mark] == true
end

-- The schemas that a search of names has still to look at, each once.
local function new_queue(builder, known)
  local queue = { is_known = {} }
  for _, schema in ipairs(known) do
    queue.is_known[schema] = true
  end
  function queue.add(list)
    for _, value in each(builder.doc, list) do
      local schema = as_table(references.final(builder.doc, value))
      if not queue.is_known[schema] then
        queue[#queue + 1], queue.is_known[schema] = schema, true
      end
    end
  end
  function queue.add_alternatives(schema)
    queue.add(schema.oneOf)
    queue.add(schema.anyOf)
  end
  return queue
end

-- Adds the names that a schema describes to a set, and those that it requires to another. A name is
-- true in the first unless all schemas have it for the other direction.
local function add_names(builder, names, required, schema, direction)
  for _, name in ipairs(keys(builder.doc, schema.properties)) do
    local value = schema.properties[name]
    local is_dropped = closing.is_of_other_direction(builder, value, direction)
    names[name] = names[name] or value ~= false and not is_dropped
  end
  for _, name in each(builder.doc, schema.required) do
    if type(name) == "string" then
      required[name] = true
    end
  end
end

local function has_alternatives(schemas)
  for _, schema in ipairs(schemas) do
    if schema.oneOf or schema.anyOf then
      return true
    end
  end
  return false
end

-- The names that other schemas of an object describe, a set: its alternatives, those in `others`,
-- and those in them; and does one of these let any name in?
local function names_in_others(builder, origin, others)
  local names, required, is_open, position = {}, {}, false, 0
  if others[1] == nil and not has_alternatives(origin.schemas) then
    return NOTHING, NOTHING, false
  end
  local queue = new_queue(builder, origin.schemas)
  for _, schema in ipairs(origin.schemas) do
    queue.add_alternatives(schema)
  end
  queue.add(others)
  while queue[position + 1] do
    position = position + 1
    local schema = queue[position]
    add_names(builder, names, required, schema, origin.direction)
    is_open = is_open or closing.lets_in(schema) or is_free(schema)
    queue.add(schema.allOf)
    queue.add { type(schema["$ref"]) == "string" and references.bare(builder.doc, schema) or nil }
    queue.add_alternatives(schema)
  end
  return names, required, is_open
end

-- --- a node -----------------------------------------------------------------------------

local function is_opened(origin)
  for _, schema in ipairs(origin.schemas) do
    if closing.lets_in(schema) then
      return true
    end
  end
  return false
end

-- A closed node must have each name that other nodes of the object describe: with a node for any
-- value. `placeholders` says which.
local function add_placeholders(builder, node, origin, names)
  for name, is_there in pairs(names) do
    node.properties = node.properties or {}
    if node.properties[name] == nil and is_there then
      origin.placeholders = origin.placeholders or {}
      origin.placeholders[name] = true
      node.properties[name] = builder:child(node, {})
    end
  end
end

-- The same for required names that no schema describes: what must be there may be there.
local function add_required(builder, node, origin, names, required)
  local wanted, dropped = {}, origin.dropped or NOTHING
  for _, name in ipairs(node.required or NOTHING) do
    wanted[name] = not dropped[name]
  end
  for name in pairs(required) do
    wanted[name] = wanted[name] or names[name] == nil and not dropped[name]
  end
  if node.properties then
    add_placeholders(builder, node, origin, wanted)
  end
end

-- Schemas whose names the object may have, too: what must hold beside the node, and what the value
-- may choose.
local function others_of(origin, chosen_by)
  local others = {}
  for _, value in ipairs(origin.beside or {}) do
    others[#others + 1] = value
  end
  for _, choice in ipairs(chosen_by and chosen_by.choices or {}) do
    others[#others + 1] = choice.schema
  end
  return others
end

-- Closes a node, unless another knows all its names, or the document says of other names what they
-- may be.
function closing.close(builder, node, origin, chosen_by)
  if builder.is_open or origin.is_part or node.unevaluatedProperties ~= nil then
    return
  end
  local names, required, is_open = names_in_others(builder, origin, others_of(origin, chosen_by))
  add_placeholders(builder, node, origin, names)
  add_required(builder, node, origin, names, required)
  if node.properties and not (is_open or is_opened(origin)) then
    if node.additionalProperties == nil then
      node.additionalProperties = false
    end
  end
  local is_closed = node.additionalProperties == false and origin.direction ~= "received"
  for name, child in pairs(is_closed and node.properties or {}) do
    node.properties[name] = child or nil -- a property that no value fits may not be given
  end
end

-- Closes the node of a table that is not a schema of the document, such as a call's options.
function closing.close_fields(builder, node)
  if not builder.is_open then
    node.additionalProperties = false
  end
end

-- Does a node that says nothing of other names let them in? With `--open` every object does; what
-- counts is then whether its schemas say so.
function closing.is_left_open(builder, node)
  local origin = builder.origins[node]
  if not builder.is_open or not (origin and origin.schemas) then
    return true
  end
  local _, _, is_open = names_in_others(builder, origin, others_of(origin))
  return is_open or is_opened(origin)
end

return closing
