-- SPDX-License-Identifier: MIT
-- Nodes as JSON Schema in the form that well-known services take: `items` in every list, names and
-- descriptions as they allow them. New tables each time.
local schemas = {}

local errors = require "endpoint.checks.validator.errors"
local keywords = require "endpoint.checks.validator.keywords"
local result = require "endpoint.result"
local text = require "endpoint.text"

-- --- texts ------------------------------------------------------------------------

-- Bytes of a description: the most that services take, what a short one has, and a short one of an
-- operation.
schemas.LONGEST, schemas.SHORT, schemas.ABOUT = 1024, 120, 300

-- Bytes of a note in a description: the document's own name, and in which part of a request it is.
local NOTE = 120

-- A text of at most so many bytes, which ends in whole characters.
function schemas.shortened(given, most)
  if #given <= most then
    return given
  end
  return (given:sub(1, most - 3):gsub("[\192-\255][\128-\191]*$", "")) .. "..."
end

-- --- keywords ---------------------------------------------------------------------

-- Keywords that are not copied: `format` and "$dynamicRef" are not checked, and a model may have
-- other names for those in `required`.
local IS_NOT_COPIED = { format = true, required = true, is_closed = true, ["$dynamicRef"] = true }

-- An empty table is an object, which dkjson asks for; lua-cjson knows it.
local function new_object()
  return setmetatable({}, { __jsontype = "object" })
end

local function copied(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = setmetatable({}, getmetatable(value))
  for key, one in next, value do
    copy[key] = copied(one)
  end
  return copy
end

local function has_type(node, name)
  local types = type(node.type) == "table" and node.type or { node.type }
  for _, one in ipairs(types) do
    if one == name then
      return true
    end
  end
  return false
end

-- --- nodes ------------------------------------------------------------------------

local schema_of -- which the functions below call

-- `false` takes no value, and `true` any.
local function schema_or_boolean(writer, node)
  if type(node) == "table" then
    return schema_of(writer, node)
  end
  local schema = new_object()
  if node == false then
    schema["not"] = new_object()
  end
  return schema
end

local function renamed(writer, name)
  return writer.renames.by_name[name] or name
end

-- Adds a note to the description of a schema.
function schemas.add_note(schema, note)
  if note then
    note = schemas.shortened(note, NOTE)
    local words = schema.description
    words = words and schemas.shortened(words, schemas.LONGEST - #note - 3) .. " (" .. note .. ")"
    schema.description = words or note
  end
  return schema
end

-- The name of a property is another where services do not allow it, that of a pattern is not.
local function add_by_name(writer, node, schema)
  for _, keyword in ipairs(keywords.WITH_MAP) do
    if type(node[keyword]) == "table" then
      local is_pattern = keyword == "patternProperties"
      schema[keyword] = new_object()
      for name, child in next, node[keyword] do
        local other = is_pattern and name or renamed(writer, name)
        local is_told = keyword == "properties" and other ~= name
        local note = is_told and errors.shown(name) .. " in the API"
        schema[keyword][other] = schemas.add_note(schema_or_boolean(writer, child), note)
      end
    end
  end
end

local function renamed_list(writer, list)
  local copy = {}
  for position, name in ipairs(list) do
    copy[position] = renamed(writer, name)
  end
  return copy
end

local function add_required(writer, node, schema)
  if node.required and node.required[1] then
    schema.required = renamed_list(writer, node.required)
  end
  if type(node.dependentRequired) == "table" then
    schema.dependentRequired = new_object()
    for name, list in next, node.dependentRequired do
      schema.dependentRequired[renamed(writer, name)] = renamed_list(writer, list)
    end
  end
end

-- Does a node list the values of its property?
local function has_values(rulebook, node, property)
  node = type(node) == "table" and rulebook.node(node)
  local child = node and node.properties and node.properties[property]
  return type(child) == "table" and rulebook.node(child).enum ~= nil
end

-- The values of a tag by the positions of the alternatives that they choose, as texts.
local function values_by_position(tag)
  local by_position = {}
  for value, positions in next, tag.values do
    for _, position in ipairs(type(positions) == "table" and positions or { positions }) do
      by_position[position] = by_position[position] or {}
      table.insert(by_position[position], type(value) == "string" and value or tostring(value))
    end
  end
  return by_position
end

-- What a model is told of the alternatives of a node, by their positions: the value of the property
-- with which a discriminator chooses each. Those that list their values need no note.
function schemas.notes_of_choices(writer, node)
  local tag, notes = node.tag, {}
  for position, values in next, tag and values_by_position(tag) or {} do
    if not has_values(writer.rulebook, node[tag.of][position], tag.property) then
      for number, value in ipairs(result.sorted(values)) do
        values[number] = errors.shown(value)
      end
      local name = errors.shown(renamed(writer, tag.property))
      notes[position] = name .. " is " .. errors.joined(values)
    end
  end
  return notes
end

local function add_nodes(writer, node, schema)
  for _, keyword in ipairs(keywords.WITH_NODE) do
    local is_closed = node[keyword] == false
      and (keyword == "additionalProperties" or keyword == "unevaluatedProperties")
    if is_closed then
      schema[keyword] = false
    elseif type(node[keyword]) == "table" or node[keyword] == false then
      schema[keyword] = schema_or_boolean(writer, node[keyword])
    end
  end
  for _, keyword in ipairs(keywords.WITH_LIST) do
    local notes = node.tag and node.tag.of == keyword and schemas.notes_of_choices(writer, node)
    for position, child in ipairs(type(node[keyword]) == "table" and node[keyword] or {}) do
      schema[keyword] = schema[keyword] or {}
      schema[keyword][position] =
        schemas.add_note(schema_or_boolean(writer, child), notes and notes[position])
    end
  end
end

-- The schemas that a discriminator chooses from, each with the value that chooses it.
local function add_discriminator(writer, node, schema)
  local discriminator = type(node.discriminator) == "table" and node.discriminator or {}
  local list, mapping = {}, discriminator.mapping or {}
  for _, value in ipairs(text.sorted_keys(mapping)) do
    local child = mapping[value]
    local chosen = new_object()
    chosen.properties = new_object()
    local name = renamed(writer, discriminator.propertyName)
    chosen.properties[name] = { enum = { value } }
    list[#list + 1] = { allOf = { chosen, schema_or_boolean(writer, child) } }
  end
  if not list[1] then
    return
  end
  schema.allOf = schema.allOf or {}
  table.insert(schema.allOf, { anyOf = list })
end

-- A reference to a node that is written elsewhere. description: of this place.
local function reference_to(writer, number, description)
  if not writer.known[number] then
    writer.known[number], writer.waiting[#writer.waiting + 1] = true, number
  end
  local schema = new_object()
  schema["$ref"], schema.description = "#/$defs/" .. number, description
  return schema
end

-- A node in the place of its number. One that holds itself ends there: any value of its type is
-- right then, and the call is checked by all the rules.
local function inlined(writer, number, description)
  local node = writer.rulebook.schemas[number]
  if writer.open[number] then
    local schema = new_object()
    schema.type, schema.description = copied(node.type), description
    if has_type(node, "array") then
      schema.items = new_object()
    end
    return schema
  end
  writer.open[number] = true
  local schema = schema_of(writer, node)
  schema.description = description or schema.description
  writer.open[number] = nil
  return schema
end

-- The words of a description may be shortened, the facts after them not.
function schemas.description_of(writer, node)
  local words, facts = (node.description or ""):match "^([^\n]*)\n?(.*)$"
  facts = words ~= "" and facts ~= "" and " (" .. facts .. ")" or facts
  local most = math.min(writer.longest, schemas.LONGEST - #facts)
  local whole = schemas.shortened(words, most) .. facts
  return whole ~= "" and whole or nil
end

local function spend(budget)
  budget.left = budget.left - 1
  if budget.left < 0 then
    error(budget, 0)
  end
end

-- A node in the words of JSON Schema. writer: see schemas.whole.
function schema_of(writer, node)
  spend(writer.budget)
  local description = schemas.description_of(writer, node)
  if node.ref then
    return (writer.is_inline and inlined or reference_to)(writer, node.ref, description)
  end
  local schema = new_object()
  schema.description = description
  for _, keyword in ipairs(keywords.WITHOUT_NODES) do
    if not IS_NOT_COPIED[keyword] then
      schema[keyword] = copied(node[keyword])
    end
  end
  add_by_name(writer, node, schema)
  add_required(writer, node, schema)
  add_nodes(writer, node, schema)
  add_discriminator(writer, node, schema)
  if has_type(node, "array") and not schema.items then
    schema.items = new_object()
  end
  return schema
end

-- --- whole schemas ----------------------------------------------------------------

-- The schema of an operation's arguments with all that it needs. plan: the arguments. how: `whole`,
-- have descriptions all their text; `inline`, are there no references. budget: `left`, how many
-- nodes there may be: the error is the budget where there are more.
function schemas.whole(rulebook, plan, how, budget)
  local writer = {
    rulebook = rulebook,
    renames = plan.renames,
    longest = how.whole and schemas.LONGEST or schemas.SHORT,
    is_inline = how.inline,
    budget = budget,
    known = {},
    waiting = {},
    open = {},
  }
  spend(budget)
  local whole = new_object()
  whole.type, whole.properties = "object", new_object()
  whole.required = plan.node.required[1] and copied(plan.node.required) or nil
  for name, node in next, plan.node.properties do
    whole.properties[name] =
      schemas.add_note(schema_or_boolean(writer, node), plan.places[name].note)
  end
  local extra = plan.node.additionalProperties
  whole.additionalProperties = type(extra) == "table" and schema_of(writer, extra) or extra
  local position = 0
  while writer.waiting[position + 1] do
    position = position + 1
    local number = writer.waiting[position]
    whole["$defs"] = whole["$defs"] or {}
    whole["$defs"][tostring(number)] = schema_of(writer, rulebook.schemas[number])
  end
  return whole
end

return schemas
