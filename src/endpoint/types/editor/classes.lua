-- SPDX-License-Identifier: MIT
-- Classes of the definitions: of a call's options, of the tables in them, and of responses.
-- Tables of one schema share a class.
local classes = {}

local budget = require "endpoint.types.document.budget"
local option_field = require "endpoint.types.signature.option_field"
local schema = require "endpoint.types.schema"
local source = require "endpoint.types.source"
local type_texts = require "endpoint.types.editor.type_texts"
local values = require "endpoint.types.document.values"

-- --- lines ------------------------------------------------------------------------

-- These words before a field's name would say who may see it.
local IS_SCOPE = { public = true, protected = true, private = true, package = true }

local function key_of(name)
  if name:find "^[A-Za-z_][A-Za-z0-9_]*$" and not IS_SCOPE[name] then
    return name
  end
  return "[" .. source.type_literal(name) .. "]"
end

-- What is written after the type: notes, and words of the document. A "#" begins it, so that no
-- text becomes a part of the type.
local function remark_of(field)
  local parts, description = {}, values.as_string(field.description)
  if field.deprecated == true then
    parts[1] = "deprecated"
  end
  if field.is_asked then
    parts[#parts + 1] = "required"
  end
  parts[#parts + 1] = field.note and source.line(field.note)
  if description and description:find "%S" then
    parts[#parts + 1] = source.line(description)
  end
  return #parts > 0 and " # " .. table.concat(parts, "; ") or ""
end

-- lua-language-server marks no missing field of the type any, so a field that must be there has a
-- union.
local function type_of(field, class_of)
  if field.class then
    return field.class
  end
  if #field.kinds > 0 then
    return type_texts.union(field.kinds, not field.is_flat and class_of or nil)
  end
  return field.required and "string|number|boolean|table" or "any"
end

-- --- names --------------------------------------------------------------------------

-- Names of what every module has.
local COMMON = {
  "Api",
  "AnyOptions",
  "Options",
  "OpenOptions",
  "OptionsWithUrl",
  "Members",
  "Defaults",
  "Closed",
  "Send",
  "Sender",
  "Each",
  "no_such_parameter",
  "body",
  "response",
}

-- What the definitions are made of: `doc`, `name` (of the module), `blocks` (of lines), and what
-- of names and classes is known. is_open: names that the document does not have are not marked.
function classes.new(doc, name, is_open)
  local writer = {
    doc = doc,
    name = name,
    is_open = is_open,
    blocks = {},
    taken = {},
    numbers = {},
    sent = {},
    received = {},
    waiting = {},
  }
  for _, word in ipairs(COMMON) do
    writer.taken[name .. "." .. word] = true
  end
  return writer
end

local function word_of(text)
  return (text:sub(1, 100):gsub("[^A-Za-z0-9]+", "_"))
end

-- Names that have numbers after them where they need several parts, see routes.lua. Few classes
-- have one of these words at all.
local PARTS = { ".Routes", ".RoutesWithoutOptions", ".Answers", ".Elements" }

local function is_part(name)
  for _, part in ipairs(PARTS) do
    if name:find(part, 1, true) and name:find("%" .. part .. "%d*$") then
      return true
    end
  end
  return false
end

-- A name that nothing else has, and that is not a part of what needs several.
function classes.unique(writer, wanted)
  local name, number = wanted, writer.numbers[wanted] or 1
  while writer.taken[name] or is_part(name) do
    number = number + 1
    name = wanted .. "_" .. number
  end
  writer.numbers[wanted], writer.taken[name] = number, true
  return name
end

-- The last words of the classes that belong to a call's class, such as `issues_create.response`. No
-- class of a property may have one of these names.
local PARTS_OF_CALL = { "params", "body", "with_data", "plain", "response" }

-- The name of the class of a call's options, after the `operationId` of its Operation Object.
function classes.of_signature(writer, signature)
  local name = word_of(signature.id or signature.method .. signature.path)
  local class = classes.unique(writer, writer.name .. "." .. name)
  for _, word in ipairs(PARTS_OF_CALL) do
    writer.taken[class .. "." .. word] = true
  end
  return class
end

-- --- blocks -------------------------------------------------------------------------

-- The line of a field. class_of: see classes.namer.
local function line_of(field, class_of)
  local mark = field.required and " " or "? "
  local lua_type = type_of(field, class_of and function(node)
    return class_of(node, word_of(field.name))
  end)
  return "---@field " .. key_of(field.name) .. mark .. lua_type .. remark_of(field)
end

-- The group of a field: what must be there, what may be there, what is deprecated.
local function group_of(field)
  if field.required then
    return 1
  end
  return field.deprecated and 3 or 2
end

-- Adds the lines of fields to a block. Editors show a hundred: those that must be there come
-- first, deprecated ones last. The first of a name counts.
function classes.add_fields(writer, block, fields, class_of)
  local groups, is_there = { {}, {}, {} }, {}
  for _, field in ipairs(fields) do
    local group = groups[group_of(field)]
    if not is_there[field.name] then
      group[#group + 1] = line_of(field, class_of)
      budget.spend(writer.doc, #group[#group])
    end
    is_there[field.name] = true
  end
  for _, group in ipairs(groups) do
    for _, line in ipairs(group) do
      block[#block + 1] = line
    end
  end
end

-- The class of a node's object, whose block is to come; nil if no property of it is known.
-- direction: "sent" or "received"; inline: its name, unless the schema is one of the document's
-- named ones.
local function class_for(writer, direction, node, inline)
  local known = writer[direction]
  if known[node] ~= nil then
    return known[node] or nil
  end
  local properties = schema.properties(writer.doc, node)
  if #properties == 0 then
    known[node] = false
    return nil
  end
  local name = schema.name_of(writer.doc, node)
  local room = direction == "sent" and ".body." or ".response."
  known[node] = classes.unique(writer, name and writer.name .. room .. word_of(name) or inline)
  writer.waiting[#writer.waiting + 1] =
    { class = known[node], direction = direction, properties = properties, node = node }
  return known[node]
end

-- A function that gives the class of a table in a class: for a node and the name of the field.
function classes.namer(writer, direction, class)
  return function(node, word)
    return class_for(writer, direction, node, class .. "." .. word)
  end
end

-- How a class of what is sent takes other names: a list of its parents, and a line after its
-- fields. additional: what the document says about them, see schema.additional. A document
-- that says nothing lets no others in.
function classes.others(writer, additional, class)
  if writer.is_open then
    return {}
  end
  if not additional then
    return { writer.name .. ".Closed" }
  end
  local namer = classes.namer(writer, "sent", class)
  local kinds = additional == true and {} or schema.kinds(writer.doc, additional)
  local text = type_texts.union(kinds, function(node)
    return namer(node, "other")
  end)
  return {}, text ~= "" and "---@field [string] " .. text or nil
end

-- Adds the block of a class that was named.
local function add_class(writer, waiting)
  local fields, parents, last = {}, {}, nil
  for _, property in ipairs(waiting.properties) do
    fields[#fields + 1] = option_field.of_property(writer.doc, property)
  end
  if waiting.direction == "sent" then
    parents, last =
      classes.others(writer, schema.additional(writer.doc, waiting.node), waiting.class)
  end
  local block =
    { head = "---@class " .. waiting.class .. (parents[1] and " : " .. parents[1] or "") }
  budget.spend(writer.doc, #block.head)
  classes.add_fields(writer, block, fields, classes.namer(writer, waiting.direction, waiting.class))
  block[#block + 1] = last
  writer.blocks[#writer.blocks + 1] = block
end

-- Adds the blocks of the classes that were named, and of those in them.
function classes.finish(writer)
  local position = 1
  while writer.waiting[position] do
    add_class(writer, writer.waiting[position])
    position = position + 1
  end
  writer.waiting = {}
end

return classes
