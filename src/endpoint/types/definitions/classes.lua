-- SPDX-License-Identifier: MIT
-- Classes of the definitions: of a call's options, of the tables in them, and of responses.
-- Tables of one schema share a class.
local classes = {}

local budget = require "endpoint.types.document.budget"
local lua_types = require "endpoint.types.document.lua_types"
local object_schema = require "endpoint.types.document.object_schema"
local option_field = require "endpoint.types.signature.option_field"
local source = require "endpoint.types.source"
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

-- What is written after the type. A "#" begins it, so that no text becomes a part of the type; a
-- note can name what the document names.
local function remark_of(one)
  local parts, text = {}, values.as_string(one.description)
  if one.deprecated == true then
    parts[1] = "deprecated"
  end
  if one.is_asked then
    parts[#parts + 1] = "required"
  end
  parts[#parts + 1] = one.note and source.line(one.note)
  if text and text:find "%S" then
    parts[#parts + 1] = source.line(text)
  end
  return #parts > 0 and " # " .. table.concat(parts, "; ") or ""
end

-- lua-language-server misses no field of the type any, so a field that must be there has a
-- union.
local function type_of(one, class_of)
  if one.class then
    return one.class
  end
  if #one.types > 0 then
    return lua_types.union(one.types, not one.is_flat and class_of or nil)
  end
  return one.required and "string|number|boolean|table" or "any"
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

-- These have numbers where they are long.
local PARTS = { "%.Routes%d*$", "%.RoutesWithoutOptions%d*$", "%.Answers%d*$", "%.Elements%d*$" }

local function is_part(name)
  for _, pattern in ipairs(PARTS) do
    if name:find(pattern) then
      return true
    end
  end
  return false
end

-- A name that nothing else has, nor a part of what has several.
function classes.unique(writer, wanted)
  local name, number = wanted, writer.numbers[wanted] or 1
  while writer.taken[name] or is_part(name) do
    number = number + 1
    name = wanted .. "_" .. number
  end
  writer.numbers[wanted], writer.taken[name] = number, true
  return name
end

-- The classes in that of a call, beside those of properties. No property has the name of an option.
local PARTS_OF_CALL = { "params", "body", "with_data", "plain", "response" }

function classes.of_call(writer, signature)
  local class = classes.unique(
    writer,
    writer.name .. "." .. word_of(signature.id or signature.method .. signature.path)
  )
  for _, word in ipairs(PARTS_OF_CALL) do
    writer.taken[class .. "." .. word] = true
  end
  return class
end

-- --- blocks -------------------------------------------------------------------------

-- Adds the lines of fields to a block. Editors show a hundred: those that must be there come
-- first, deprecated ones last. The first of a name counts.
function classes.add_fields(writer, block, fields, class_of)
  local groups, is_there = { {}, {}, {} }, {}
  for _, one in ipairs(fields) do
    local group = groups[one.required and 1 or one.deprecated and 3 or 2]
    if not is_there[one.name] then
      local class_here = class_of
        and function(value)
          return class_of(value, word_of(one.name))
        end
      local mark = one.required and " " or "? "
      group[#group + 1] = "---@field "
        .. key_of(one.name)
        .. mark
        .. type_of(one, class_here)
        .. remark_of(one)
      budget.spend(writer.doc, #group[#group])
    end
    is_there[one.name] = true
  end
  for _, group in ipairs(groups) do
    for _, line in ipairs(group) do
      block[#block + 1] = line
    end
  end
end

-- The class of a schema's table, whose block is to come; nil if no property of it is known.
-- inline: its name, unless the schema is one of the document's own that has a name.
local function class_for(writer, family, value, inline)
  local known = writer[family]
  if known[value] ~= nil then
    return known[value] or nil
  end
  local properties, own_name = object_schema[family](writer.doc, value), writer.doc.names[value]
  if #properties == 0 then
    known[value] = false
    return nil
  end
  local room = family == "sent" and ".body." or ".response."
  known[value] =
    classes.unique(writer, own_name and writer.name .. room .. word_of(own_name) or inline)
  writer.waiting[#writer.waiting + 1] =
    { class = known[value], family = family, properties = properties, value = value }
  return known[value]
end

-- A function that gives the class of a table in a class: for a schema and the name of the field.
function classes.namer(writer, family, class)
  return function(value, word)
    return class_for(writer, family, value, class .. "." .. word)
  end
end

-- How a class of what is sent takes other names; `rest` is what the document says about them. A
-- list of its parents, and a line after its fields. A document that says nothing lets no others in.
function classes.others(writer, rest, class)
  if writer.is_open then
    return {}
  end
  if not rest then
    return { writer.name .. ".Closed" }
  end
  local namer = classes.namer(writer, "sent", class)
  local text = lua_types.union(lua_types.of_schema(writer.doc, rest), function(value)
    return namer(value, "other")
  end)
  return {}, text ~= "" and "---@field [string] " .. text or nil
end

local function add_waiting(writer, one)
  local fields, parents, last = {}, {}, nil
  for _, property in ipairs(one.properties) do
    local types = lua_types.of_schema(writer.doc, property.schema)
    fields[#fields + 1] = option_field.new(property.name, types, option_field.source(property))
  end
  if one.family == "sent" then
    parents, last =
      classes.others(writer, object_schema.additional(writer.doc, one.value), one.class)
  end
  local block = { head = "---@class " .. one.class .. (parents[1] and " : " .. parents[1] or "") }
  budget.spend(writer.doc, #block.head)
  classes.add_fields(writer, block, fields, classes.namer(writer, one.family, one.class))
  block[#block + 1] = last
  writer.blocks[#writer.blocks + 1] = block
end

-- Adds the blocks of the classes that were named, and of those in them.
function classes.finish(writer)
  local position = 1
  while writer.waiting[position] do
    add_waiting(writer, writer.waiting[position])
    position = position + 1
  end
  writer.waiting = {}
end

return classes
