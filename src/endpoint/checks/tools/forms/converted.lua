-- SPDX-License-Identifier: MIT
-- The arguments of an operation as a schema for a service that takes a part of JSON Schema, and how
-- what its model gives is read back. What the form cannot say is looser, and `call` checks it; what
-- has no form at all is a string with JSON.
local converted = {}

local nodes = require "endpoint.checks.tools.forms.nodes"
local nulls = require "endpoint.checks.tools.forms.nulls"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local text = require "endpoint.text"
local undo = require "endpoint.checks.tools.forms.undo"

-- How often a schema may stand in itself, and how many schemas make a tool too large for that.
local MOST_OPEN, LARGE = 2, 2000

local ARRAY = { __jsontype = "array" }

-- Is a schema over the numbers of its form?
local function is_over(writer)
  local limit = writer.limit
  return limit.most_properties and writer.properties > limit.most_properties
    or limit.most_members and writer.members > limit.most_members
    or limit.most_bytes and writer.bytes > limit.most_bytes
end

-- The form's schema as JSON Schema, the undo, and the notes: with fewer levels where it is too
-- large. What fits is known for a form: descriptions change nothing.
local function made_of(rulebook, plan, limit, how, budget)
  for _, tries in ipairs {
    { open = MOST_OPEN, levels = limit.most_levels, count = LARGE },
    { open = 1, levels = limit.most_levels, count = LARGE },
    { open = 1, levels = 5, count = LARGE },
  } do
    local ok, schema, undo_of, writer =
      protected.call(nodes.arguments, rulebook, plan, limit, how, budget, tries)
    if not ok and schema ~= nodes.TOO_LARGE then
      error(schema, 0)
    elseif ok and not is_over(writer) then
      return schema, undo_of, writer.notes
    end
  end
  local schema, undo_of, writer =
    nodes.arguments(rulebook, plan, limit, how, budget, { open = 1, levels = 3 })
  return schema, undo_of, writer.notes
end

-- Calls a function with each schema in one, and with it at last.
local function each(schema, call)
  for _, child in next, schema.properties or {} do
    each(child, call)
  end
  for _, child in ipairs(schema.anyOf or {}) do
    each(child, call)
  end
  if schema.items then
    each(schema.items, call)
  end
  call(schema)
end

-- Asks for all names of an object. One that need not be there may be null.
local function require_all(schema)
  if schema.properties then
    schema.required = setmetatable(result.sorted(text.sorted_keys(schema.properties)), ARRAY)
  end
end

-- The service knows no additionalProperties, and wants no empty list of names.
local function make_nullable(schema)
  nulls.make_field(schema)
  schema.additionalProperties = nil
  if schema.required and not schema.required[1] then
    schema.required = nil
  end
end

-- The required names of an object that has no other properties any more.
local function kept_names(schema)
  local kept = setmetatable({}, ARRAY)
  for _, name in ipairs(schema.required) do
    kept[#kept + 1] = schema.properties[name] and name or nil
  end
  return kept
end

-- The schema of the arguments, nil if the form has none for no arguments; and what is not exact.
-- Names are those of all arguments, also where an endpoint has some, so that a call knows them.
function converted.schema(rulebook, plan, limit, how, budget)
  local schema, undo_of, notes = made_of(rulebook, plan.whole or plan, limit, how, budget)
  for given, known in next, undo_of.properties do
    if plan.node.properties[known.name] == nil then
      schema.properties[given] = nil
    end
  end
  schema.required = kept_names(schema)
  each(schema, limit.has_nullable and make_nullable or require_all)
  if limit.has_nullable and next(schema.properties) == nil then
    return nil, notes
  end
  return schema, notes
end

-- How the arguments are read back. A call needs no more nodes than a list.
function converted.undo(rulebook, plan, limit)
  local budget = { left = math.huge }
  local _, undo_of = made_of(rulebook, plan, limit, {}, budget)
  return undo_of
end

converted.restored = undo.restored

return converted
