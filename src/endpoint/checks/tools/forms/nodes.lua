-- SPDX-License-Identifier: MIT
-- Nodes as schemas of a service that takes a part of JSON Schema, each with its undo: how what the
-- model gives is read back, see undo.lua. A *writer* knows what the form takes, and counts what it
-- has written. What the form cannot say is noted.
local nodes = {}

local NULL = require "endpoint".null
local alternatives = require "endpoint.checks.tools.forms.alternatives"
local errors = require "endpoint.checks.validator.errors"
local flat = require "endpoint.checks.tools.forms.flat"
local kinds = require "endpoint.checks.tools.forms.kinds"
local names = require "endpoint.checks.tools.names"
local nulls = require "endpoint.checks.tools.forms.nulls"
local result = require "endpoint.result"
local schemas = require "endpoint.checks.tools.schemas"
local text = require "endpoint.text"

-- The most things of one tool that are told of.
local MOST_NOTES = 100

-- What is raised for a tool of too many schemas.
nodes.TOO_LARGE = {}

-- What a description says of a string with JSON.
local JSON_NOTE = "as JSON, in a string"

local ARRAY = { __jsontype = "array" }
local OBJECT = { __jsontype = "object" }

local function new_object()
  return setmetatable({}, OBJECT)
end

local function new_list()
  return setmetatable({}, ARRAY)
end

-- --- what is told -----------------------------------------------------------------

local function note(writer, reason)
  local place = table.concat(writer.path)
  local key = place .. " " .. reason
  if #writer.notes < MOST_NOTES and not writer.is_noted[key] then
    writer.is_noted[key] = true
    writer.notes[#writer.notes + 1] = { place = place, reason = reason }
  end
end

-- A string that holds the value as JSON.
local function json_text(writer, reason)
  note(writer, "is a string with JSON: " .. reason)
  local schema = new_object()
  schema.type = "string"
  return schemas.add_note(schema, JSON_NOTE), { is_json = true }
end

-- Keywords that a form may lack. The others have a form, or say nothing to a model.
local TOLD = {
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "contains",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "propertyNames",
  "patternProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "not",
  "if",
  "dependentRequired",
  "dependentSchemas",
}

local function add_keywords(writer, node, schema)
  for _, keyword in ipairs(TOLD) do
    if node[keyword] ~= nil and writer.takes[keyword] then
      schema[keyword] = node[keyword]
    elseif node[keyword] then
      note(writer, keyword .. " is not told")
    end
  end
end

-- --- enumerations -------------------------------------------------------------------

local function member_text(member)
  return type(member) == "string" and member or result.decoded(result.encoded(member))
end

-- Adds the members that are not null; returns an undo where the form has their texts, and false
-- where a member is a table.
local function add_members(writer, node, schema)
  local members, texts, has_texts = new_list(), {}, false
  for _, member in ipairs(node.enum) do
    local is_text = type(member) == "string"
    if type(member) == "table" then
      return false
    elseif member == "" and writer.limit.has_texts_in_enum then
      note(writer, 'the member "" of enum is not told')
    elseif member ~= NULL then
      local written = writer.limit.has_texts_in_enum and member_text(member) or member
      has_texts = has_texts or written ~= member
      members[#members + 1] = written
      texts[written] = texts[written] == nil and member or texts[written]
      writer.members = writer.members + 1
      writer.bytes = writer.bytes + (is_text and #member or 0)
    end
  end
  schema.enum = members[1] ~= nil and members or nil
  return has_texts and { texts = texts } or nil
end

-- --- objects and lists --------------------------------------------------------------

local convert -- which the functions below call

local function below(writer, part, node)
  writer.path[#writer.path + 1] = part
  local schema, how = convert(writer, node)
  writer.path[#writer.path] = nil
  return schema, how
end

-- The form's names of properties: `wanted`, sorted, and `given`, by position.
local function names_of(writer, properties, is_renamed)
  local wanted, neutral = result.sorted(text.sorted_keys(properties)), {}
  for position, name in ipairs(wanted) do
    neutral[position] = not is_renamed and writer.renames.by_name[name] or name
  end
  return wanted, neutral, writer.limit.has_identifiers and names.identifiers(neutral) or neutral
end

local function set_of(list)
  local set = {}
  for _, one in ipairs(list or {}) do
    set[one] = true
  end
  return set
end

-- Adds one property. names: the document's, the library's and the form's.
local function add_property(writer, made, child, name, neutral, given)
  local schema, how = below(writer, "/" .. given, child)
  local is_required = made.required_in[name]
  writer.properties, writer.bytes = writer.properties + 1, writer.bytes + #given
  local known = { name = neutral, undo = how }
  if not is_required and writer.limit.are_all_required then
    known.is_optional = true
    if nulls.has(schema) then
      note(writer, "null leaves out " .. errors.shown(given) .. ", where it is a value, too")
    else
      nulls.add(schema)
    end
  end
  if is_required then
    made.schema.required[#made.schema.required + 1] = given
  end
  if given ~= name and not made.notes then
    schemas.add_note(schema, errors.shown(name) .. " in the API")
  elseif made.notes and made.notes[name] and made.notes[name].note then
    schemas.add_note(schema, made.notes[name].note)
  end
  made.schema.properties[given], made.undo.properties[given] = schema, known
end

-- An object with properties. notes: of an object of arguments, the place of each.
local function object_of(writer, node, notes)
  local made = {
    schema = new_object(),
    undo = { properties = {} },
    required_in = set_of(node.required),
    notes = notes,
  }
  made.schema.type, made.schema.properties = "object", new_object()
  made.schema.required, made.schema.additionalProperties = new_list(), false
  if node.additionalProperties then
    note(writer, "names that the document does not list are not told")
  end
  local wanted, neutral, given = names_of(writer, node.properties, notes)
  for position, name in ipairs(wanted) do
    if node.properties[name] then
      add_property(writer, made, node.properties[name], name, neutral[position], given[position])
    end
  end
  return made.schema, made.undo
end

local function array_of(writer, node)
  local schema = new_object()
  schema.type = "array"
  local items, how = below(writer, "/0", node.items or {})
  schema.items = items
  return schema, how and { items = how }
end

-- --- values of one type -------------------------------------------------------------

local function scalar_of(writer, node, kind)
  local schema, how = new_object(), nil
  schema.type = kind
  if node.enum then
    how = add_members(writer, node, schema)
    if how == false then
      return nil
    elseif writer.limit.has_texts_in_enum then
      schema.type = "string"
    end
  end
  return schema, how
end

-- Why a value of a type has no form; nil if it has one.
local function no_form(writer, node, kind)
  if kind == "object" and node.enum or kind == "array" and node.enum then
    return "enum has tables"
  elseif kind == "object" and (not node.properties or next(node.properties) == nil) then
    return "an object whose names are free"
  elseif kind == "array" and node.prefixItems then
    return "a list whose elements differ"
  elseif (kind == "object" or kind == "array") and writer.levels + 1 >= writer.most_levels then
    return "it is too deep"
  end
end

local function value_of(writer, node, kind)
  local reason = no_form(writer, node, kind)
  if reason then
    return json_text(writer, reason)
  end
  local schema, how
  if kind == "object" or kind == "array" then
    writer.levels = writer.levels + 1
    schema, how = (kind == "object" and object_of or array_of)(writer, node)
    writer.levels = writer.levels - 1
  else
    schema, how = scalar_of(writer, node, kind)
    if not schema then
      return json_text(writer, "enum has tables")
    end
  end
  if not how or not how.texts then
    add_keywords(writer, node, schema)
  end
  return schema, how
end

-- --- alternatives -------------------------------------------------------------------

local function alternatives_schema(list)
  local schema, undos, is_changed = new_object(), {}, false
  schema.anyOf = new_list()
  for position, one in ipairs(list) do
    schema.anyOf[position], undos[position] = one.schema, one
    is_changed = is_changed or one.undo ~= nil
  end
  return schema, is_changed and { anyOf = undos } or nil
end

local function by_types(writer, node, types)
  local list = {}
  for _, kind in ipairs(types) do
    local one = kinds.narrowed(node, kind)
    if not one.enum or one.enum[1] ~= nil then
      local schema, how = value_of(writer, one, kind)
      list[#list + 1] = { schema = schema, undo = how }
    end
  end
  if not list[1] then
    return json_text(writer, "no value fits")
  elseif not list[2] then
    return list[1].schema, list[1].undo
  end
  return alternatives_schema(list)
end

local convert_flat -- which the function below calls

local function by_alternatives(writer, node)
  if node.anyOf and node.oneOf then
    return json_text(writer, "anyOf beside oneOf")
  end
  local wholes = alternatives.wholes(writer.rulebook, node)
  if not wholes then
    return json_text(writer, "alternatives of several schemas")
  elseif node.oneOf then
    note(writer, "oneOf is told as anyOf")
  end
  local list, takes_null, notes = {}, false, schemas.notes_of_choices(writer, node)
  for position, whole in ipairs(wholes) do
    local types, is_null = kinds.of(whole)
    takes_null = takes_null or is_null
    if types[1] or not is_null then
      local schema, how = convert_flat(writer, whole)
      schemas.add_note(schema, notes[position])
      list[#list + 1] = { schema = schema, undo = how }
    end
  end
  if not list[2] then
    local one = list[1]
    if not one then
      return json_text(writer, "no value fits")
    end
    if takes_null and not nulls.has(one.schema) then
      nulls.add(one.schema)
    end
    return one.schema, one.undo
  end
  local schema, how = alternatives_schema(list)
  return takes_null and nulls.add(schema) or schema, how
end

-- --- nodes --------------------------------------------------------------------------

local function spend(writer)
  writer.count = writer.count + 1
  if writer.count > writer.most_count then
    error(nodes.TOO_LARGE, 0)
  end
  writer.budget.left = writer.budget.left - 1
  if writer.budget.left < 0 then
    error(writer.budget, 0)
  end
end

-- Calls a function while these numbers are open; its results, or nothing if one is open too often.
local function while_open(writer, numbers, call)
  for _, number in ipairs(numbers) do
    if (writer.open[number] or 0) >= writer.most_open then
      return nil
    end
  end
  for _, number in ipairs(numbers) do
    writer.open[number] = (writer.open[number] or 0) + 1
  end
  local schema, how = call()
  for _, number in ipairs(numbers) do
    writer.open[number] = writer.open[number] - 1
  end
  return schema, how
end

local function opened_alternatives(writer, node)
  local numbers = {}
  for _, one in ipairs(alternatives.listed(node)) do
    flat.of(writer.rulebook, one.node, numbers)
  end
  local schema, how = while_open(writer, numbers, function()
    return by_alternatives(writer, node)
  end)
  if not schema then
    return json_text(writer, "it is in itself")
  end
  return schema, how
end

-- A flat node in the form.
function convert_flat(writer, node)
  spend(writer)
  local schema, how
  local is_mapped = type(node.discriminator) == "table"
    and next(node.discriminator.mapping or {}) ~= nil
  if node.anyOf or node.oneOf or is_mapped then
    schema, how = opened_alternatives(writer, node)
  else
    local types, takes_null = kinds.of(node)
    if not types[1] then
      return json_text(writer, takes_null and "only null" or "any value")
    end
    schema, how = by_types(writer, node, types)
    if takes_null and not (how and how.is_json) and not nulls.has(schema) then
      nulls.add(schema)
    end
  end
  return schema, how
end

-- A node in the form: a schema, and its undo.
function convert(writer, node)
  local numbers = {}
  local whole = flat.of(writer.rulebook, node, numbers)
  local schema, how
  if whole then
    schema, how = while_open(writer, numbers, function()
      return convert_flat(writer, whole)
    end)
  end
  if not schema then
    spend(writer)
    schema, how = json_text(writer, whole and "it is in itself" or "allOf with alternatives")
  end
  local words = whole and schemas.description_of(writer, whole)
  if words then
    local added = schema.description
    schema.description = words
    schemas.add_note(schema, added)
  end
  return schema, how
end

-- --- arguments ----------------------------------------------------------------------

-- An object of arguments: its schema, its undo, and the writer. plan: see ../schemas.lua; limit: a
-- row of limits.lua; how: the options of `tools`; budget: of nodes, for all tools. tries: how often
-- a schema may stand in itself (open), and the most levels and schemas (count).
function nodes.arguments(rulebook, plan, limit, how, budget, tries)
  local writer = {
    rulebook = rulebook,
    renames = plan.renames,
    limit = limit,
    takes = set_of(limit.keywords),
    longest = how.whole and schemas.LONGEST or schemas.SHORT,
    budget = budget,
    most_open = tries.open,
    most_levels = tries.levels,
    most_count = tries.count or math.huge,
    open = {},
    path = {},
    notes = {},
    is_noted = {},
    levels = 1,
    count = 0,
    properties = 0,
    members = 0,
    bytes = 0,
  }
  local schema, undo_of = object_of(writer, plan.node, plan.places)
  return schema, undo_of, writer
end

return nodes
