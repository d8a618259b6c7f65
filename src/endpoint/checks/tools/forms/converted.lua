-- SPDX-License-Identifier: MIT
-- The arguments of an operation as a schema for a service that takes a part of JSON Schema, and how
-- what its model gives is read back. What the form cannot say is looser, and `call` checks it; what
-- has no form at all is a string with JSON.
local converted = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local flat = require "endpoint.checks.tools.forms.flat"
local names = require "endpoint.checks.tools.names"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local schemas = require "endpoint.checks.tools.schemas"
local text = require "endpoint.text"
local undo = require "endpoint.checks.tools.forms.undo"

-- How often a schema may stand in itself, and how many schemas make a tool too large for that.
local MOST_OPEN, LARGE = 2, 2000

-- The most things of one tool that are told of.
local MOST_NOTES = 100

-- The error of one that is too large.
local TOO_LARGE = {}

-- Bytes of a description with what is added to it.
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
local function json_text(writer, description, reason)
  note(writer, "is a string with JSON: " .. reason)
  local schema = new_object()
  schema.type, schema.description = "string", description
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

local function type_of_member(member)
  local kind = type(member)
  if kind == "number" then
    return member % 1 == 0 and "integer" or "number"
  end
  return member == NULL and "null" or kind == "table" and "object" or kind
end

-- --- types --------------------------------------------------------------------------

local IMPLIED = {
  { "object", { "properties", "required", "additionalProperties" } },
  { "array", { "items", "prefixItems" } },
  { "string", { "pattern", "minLength", "maxLength" } },
  { "number", { "minimum", "maximum" } },
}

local function implied_types(node)
  local list, is_there = {}, {}
  for _, member in ipairs(node.enum or {}) do
    local kind = type_of_member(member)
    if not is_there[kind] then
      is_there[kind], list[#list + 1] = true, kind
    end
  end
  for _, row in ipairs(list[1] and {} or IMPLIED) do
    for _, keyword in ipairs(row[2]) do
      if node[keyword] ~= nil then
        return { row[1] }
      end
    end
  end
  return list
end

-- The types of a node without null, and is null among them?
local function types_of(node)
  local all = type(node.type) == "table" and node.type or node.type and { node.type }
  local list, has_null = {}, false
  for _, one in ipairs(all or implied_types(node)) do
    has_null = has_null or one == "null"
    list[#list + 1] = one ~= "null" and one or nil
  end
  if node.enum and has_null and all then
    has_null = false
    for _, member in ipairs(node.enum) do
      has_null = has_null or member == NULL
    end
  end
  return list, has_null
end

-- Lets a schema be null, too, as JSON Schema says it.
local function add_null(schema)
  if schema.anyOf then
    schema.anyOf[#schema.anyOf + 1] = setmetatable({ type = "null" }, OBJECT)
  elseif type(schema.type) == "string" then
    schema.type = setmetatable({ schema.type, "null" }, ARRAY)
  end
  if schema.enum and schema.enum[#schema.enum] ~= NULL then
    schema.enum[#schema.enum + 1] = NULL
  end
  return schema
end

local function has_null(schema)
  local list = schema.anyOf or {}
  return type(schema.type) == "table" or list[1] and list[#list].type == "null"
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
    if has_null(schema) then
      note(writer, "null leaves out " .. errors.shown(given) .. ", where it is a value, too")
    else
      add_null(schema)
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
    return json_text(writer, nil, reason)
  end
  local schema, how
  if kind == "object" or kind == "array" then
    writer.levels = writer.levels + 1
    schema, how = (kind == "object" and object_of or array_of)(writer, node)
    writer.levels = writer.levels - 1
  else
    schema, how = scalar_of(writer, node, kind)
    if not schema then
      return json_text(writer, nil, "enum has tables")
    end
  end
  if not how or not how.texts then
    add_keywords(writer, node, schema)
  end
  return schema, how
end

-- The same node for one of its types: other members of an enumeration are not of it.
local function narrowed(node, kind)
  local one = flat.merged({ type = kind }, node)
  if node.enum then
    one.enum = {}
    for _, member in ipairs(node.enum) do
      local its = type_of_member(member)
      if its == kind or kind == "number" and its == "integer" then
        one.enum[#one.enum + 1] = member
      end
    end
  end
  return one
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
    local one = narrowed(node, kind)
    if not one.enum or one.enum[1] ~= nil then
      local schema, how = value_of(writer, one, kind)
      list[#list + 1] = { schema = schema, undo = how }
    end
  end
  if not list[1] then
    return json_text(writer, nil, "no value fits")
  elseif not list[2] then
    return list[1].schema, list[1].undo
  end
  return alternatives_schema(list)
end

-- The schemas that a discriminator chooses from, each with the value that chooses it.
local function mapped(node)
  local list, discriminator = {}, node.discriminator
  for _, tag in ipairs(text.sorted_keys(discriminator.mapping or {})) do
    local chosen = { properties = { [discriminator.propertyName] = { enum = { tag } } } }
    list[#list + 1] = { chosen = chosen, node = discriminator.mapping[tag] }
  end
  return list
end

local function listed(nodes)
  local list = {}
  for position, node in ipairs(nodes) do
    list[position] = { node = node }
  end
  return list
end

-- Does a flat alternative say only what is not told?
local function says_nothing(node)
  return node.type == nil
    and node.properties == nil
    and node.enum == nil
    and node.items == nil
    and not flat.has_alternatives(node)
end

-- Takes the names out of a flat node that only its alternatives describe.
local function without_names_of(base, flats)
  local described, kept = {}, {}
  for _, one in ipairs(flats) do
    for name in next, one.properties or {} do
      described[name] = true
    end
  end
  for name, child in next, base.properties or {} do
    if not described[name] or not flat.is_empty(child) then
      kept[name] = child
    end
  end
  base.properties = next(kept) ~= nil and kept or nil
  return base
end

-- Each alternative with what stands beside them. nil if one has no form.
local function whole_alternatives(writer, node, list, numbers)
  local base = flat.merged({}, node)
  base.anyOf, base.oneOf, base.discriminator, base.tag = nil, nil, nil, nil
  local wholes, flats, say_something = {}, {}, false
  for position, one in ipairs(list) do
    local made = flat.of(writer.rulebook, one.node, numbers)
    if not made or flat.has_alternatives(base) then
      return nil
    end
    if one.chosen then
      made.discriminator = nil
      made = flat.merged(one.chosen, made)
    end
    say_something = say_something or not says_nothing(made)
    flats[position] = made
  end
  if not say_something then
    return { base }
  end
  without_names_of(base, flats)
  for position, made in ipairs(flats) do
    wholes[position] = flat.merged(made, base)
  end
  return wholes
end

local convert_flat -- which the function below calls

local function by_alternatives(writer, node, numbers)
  if node.anyOf and node.oneOf then
    return json_text(writer, nil, "anyOf beside oneOf")
  end
  local nodes = node.anyOf or node.oneOf
  local more = {}
  local wholes = whole_alternatives(writer, node, nodes and listed(nodes) or mapped(node), more)
  if not wholes then
    return json_text(writer, nil, "alternatives of several schemas")
  elseif node.oneOf then
    note(writer, "oneOf is told as anyOf")
  end
  local list, takes_null = {}, false
  for _, number in ipairs(more) do
    numbers[#numbers + 1] = number
  end
  for _, whole in ipairs(wholes) do
    local types, is_null = types_of(whole)
    takes_null = takes_null or is_null
    if types[1] or not is_null then
      local schema, how = convert_flat(writer, whole, {})
      list[#list + 1] = { schema = schema, undo = how }
    end
  end
  if not list[2] then
    local one = list[1]
    if not one then
      return json_text(writer, nil, "no value fits")
    end
    return takes_null and not has_null(one.schema) and add_null(one.schema) or one.schema, one.undo
  end
  local schema, how = alternatives_schema(list)
  return takes_null and add_null(schema) or schema, how
end

-- --- nodes --------------------------------------------------------------------------

local function spend(writer)
  writer.count = writer.count + 1
  if writer.count > writer.most_count then
    error(TOO_LARGE, 0)
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
  local list = node.anyOf or node.oneOf
  for _, one in ipairs(list and listed(list) or mapped(node)) do
    flat.of(writer.rulebook, one.node, numbers)
  end
  local schema, how = while_open(writer, numbers, function()
    return by_alternatives(writer, node, {})
  end)
  if not schema then
    return json_text(writer, nil, "it is in itself")
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
    local types, takes_null = types_of(node)
    if not types[1] then
      return json_text(writer, nil, takes_null and "only null" or "any value")
    end
    schema, how = by_types(writer, node, types)
    if takes_null and not (how and how.is_json) and not has_null(schema) then
      add_null(schema)
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
    schema, how = json_text(writer, nil, whole and "it is in itself" or "allOf with alternatives")
  end
  local words = whole and schemas.description_of(writer, whole)
  if words then
    local added = schema.description
    schema.description = words
    schemas.add_note(schema, added)
  end
  return schema, how
end

-- --- whole schemas ------------------------------------------------------------------

-- Is a schema over the numbers of its form?
local function is_over(writer)
  local limit = writer.limit
  return limit.most_properties and writer.properties > limit.most_properties
    or limit.most_members and writer.members > limit.most_members
    or limit.most_bytes and writer.bytes > limit.most_bytes
end

local function attempt(rulebook, plan, limit, how, budget, tries)
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

-- The form's schema as JSON Schema, the undo, and the notes: with fewer levels where it is too
-- large. What fits is known for a form: descriptions change nothing.
local function made_of(rulebook, plan, limit, how, budget)
  for _, tries in ipairs {
    { open = MOST_OPEN, levels = limit.most_levels, count = LARGE },
    { open = 1, levels = limit.most_levels, count = LARGE },
    { open = 1, levels = 5, count = LARGE },
  } do
    local ok, schema, undo_of, writer =
      protected.call(attempt, rulebook, plan, limit, how, budget, tries)
    if not ok and schema ~= TOO_LARGE then
      error(schema, 0)
    elseif ok and not is_over(writer) then
      return schema, undo_of, writer.notes
    end
  end
  local schema, undo_of, writer =
    attempt(rulebook, plan, limit, how, budget, { open = 1, levels = 3 })
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

local function copy(given)
  local made = {}
  for key, one in next, given do
    made[key] = one
  end
  return setmetatable(made, getmetatable(given))
end

-- A schema that also takes null: it, or the first of its alternatives, since the field stands
-- beside a type.
local function or_null(schema)
  local made = copy(schema)
  if made.anyOf then
    made.anyOf = copy(made.anyOf)
    made.anyOf[1] = or_null(made.anyOf[1])
  else
    made.nullable = true
  end
  return made
end

-- JSON Schema's null as a field of the service's own.
local function make_nullable(schema)
  if has_null(schema) and schema.anyOf then
    schema.anyOf[#schema.anyOf] = nil
    schema.anyOf = or_null(schema).anyOf
  elseif has_null(schema) then
    schema.type, schema.nullable = schema.type[1], true
  end
  if schema.enum and schema.enum[#schema.enum] == NULL then
    schema.enum[#schema.enum] = nil
  end
  schema.additionalProperties = nil
  if schema.required and not schema.required[1] then
    schema.required = nil
  end
end

-- The required names of an object that has no other properties any more.
local function kept_names(schema)
  local kept = new_list()
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
