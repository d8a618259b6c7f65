-- SPDX-License-Identifier: MIT
-- A text of a request as the value that the document means: the inverse of tools/styles.lua
-- (OpenAPI 3.1, "Style Values"). A text is cut first and decoded once. What is no value of its node
-- stays a string, and the rules refuse it.
local texts = {}

local kinds = require "endpoint.checks.incoming.kinds"
local number_in = require "endpoint.text".number

local byte, find, sub = string.byte, string.find, string.sub
local integer_kind = math.type

local MINUS, ZERO, NINE, LESS = 45, 48, 57, 2 ^ 53

-- --- scalars ----------------------------------------------------------------------

-- Has the text the form of an integer in JSON (RFC 8259, section 6)? Loops over bytes, since LuaJIT
-- compiles no patterns. -0 is a number.
local function is_integer(text)
  local first, size = byte(text, 1), #text
  local from = first == MINUS and 2 or 1
  if size < from or byte(text, from) == ZERO and size > 1 then
    return false
  end
  for position = from, size do
    local digit = byte(text, position)
    if digit < ZERO or digit > NINE then
      return false
    end
  end
  return true
end

local function is_number(text)
  local whole, rest = text:match "^%-?(%d+)(.*)$"
  if not whole or whole ~= "0" and byte(whole, 1) == ZERO then
    return false
  end
  rest = sub(rest, rest:match "^%.%d+()" or 1)
  return rest == "" or find(rest, "^[eE][+-]?%d+$") ~= nil
end

-- The number of a text, or nil; and true if this Lua cannot hold it exactly.
local function number_of(found, text)
  if is_integer(text) then
    local number = tonumber(text)
    local is_exact = number < LESS and number > -LESS
      or integer_kind ~= nil and integer_kind(number) == "integer"
    return number, not is_exact
  end
  local number = found.number and is_number(text) and number_in(text)
  if number and number - number == 0 then
    return number, false
  end
end

-- The value of a text, and true if the text itself must take its place after the check: an integer
-- that this Lua cannot hold exactly.
function texts.scalar(found, text)
  local member = found.members and found.members[text]
  if member ~= nil then
    return member, false
  end
  local first = byte(text, 1)
  if (found.integer or found.number) and first and first <= NINE then
    local number, is_large = number_of(found, text)
    if number then
      return number, is_large
    end
  end
  if found.boolean and (text == "true" or text == "false") then
    return text == "true", false
  end
  return text, false
end

-- Puts the value of a text into a table.
local function put(reader, container, key, found, text)
  local one, is_large = texts.scalar(found, text)
  container[key] = one
  if is_large then
    reader.large = reader.large or {}
    reader.large[#reader.large + 1] = { container, key, text }
  end
end

function texts.put(reader, container, key, node, text)
  put(reader, container, key, kinds.of(reader.rulebook, node), text)
end

-- Puts the texts of the integers that no number of this Lua is into their places.
-- large: the reader's list of them.
function texts.restore(large)
  for _, one in ipairs(large) do
    one[1][one[2]] = one[3]
  end
end

-- --- lists and objects ------------------------------------------------------------

-- The parts of a text between separators.
function texts.split(text, separator)
  local list, position = {}, 1
  while true do
    local at = find(text, separator, position, true)
    list[#list + 1] = sub(text, position, (at or 0) - 1)
    if not at then
      return list
    end
    position = at + #separator
  end
end

-- The elements of a text as it came. Raw commas part them; without any, encoded ones do, as a
-- program writes that joins a list and encodes the whole. A space and "|" are encoded as a rule.
local function elements(raw, separator, decode)
  local is_raw = separator == "," and find(raw, ",", 1, true)
    or separator ~= "," and not find(raw, "[%%+]")
  if not is_raw then
    return texts.split(decode(raw), separator)
  end
  local list = texts.split(raw, separator)
  for position = 1, #list do
    list[position] = decode(list[position])
  end
  return list
end

-- A list of texts as values, in place.
function texts.list(reader, found, list)
  for position = 1, #list do
    local node = found.prefix and found.prefix[position] or found.items
    texts.put(reader, list, position, node, list[position])
  end
  return list
end

-- The node of a property.
function texts.property(found, name)
  local node = found.properties and found.properties[name]
  if node == nil then
    return found.additional
  end
  return node
end

-- A list of names and texts as an object; nil and words if a name is there twice.
function texts.object(reader, found, flat)
  local made = {}
  for position = 1, #flat, 2 do
    local name = flat[position]
    if made[name] ~= nil then
      return nil, "has a name twice"
    end
    texts.put(reader, made, name, texts.property(found, name), flat[position + 1])
  end
  return made
end

-- Pairs such as a=1 as a flat list; "" for what has no "=".
function texts.flat(list)
  local flat = {}
  for _, pair in ipairs(list) do
    local at = find(pair, "=", 1, true)
    flat[#flat + 1] = sub(pair, 1, (at or 0) - 1)
    flat[#flat + 1] = at and sub(pair, at + 1) or ""
  end
  return flat
end

-- --- a whole text -----------------------------------------------------------------

local SEPARATORS = { spaceDelimited = " ", pipeDelimited = "|", tabDelimited = "\t" }

local function object_of(reader, found, parameter, raw, decode)
  if parameter.explode then
    return texts.object(reader, found, texts.flat(elements(raw, ",", decode)))
  end
  local flat = elements(raw, SEPARATORS[parameter.style] or ",", decode)
  if #flat % 2 == 1 then
    return decode(raw) -- no object, which the rules say
  end
  return texts.object(reader, found, flat)
end

-- Puts the value of one text into a table; returns words if it cannot be read. parameter: see
-- parameters.lua; decode: what decodes a part of the text.
function texts.read(reader, container, key, parameter, raw, decode)
  local found = parameter.kinds
  if found.is_text and not parameter.is_json then
    container[key] = decode(raw)
    return nil
  elseif not (parameter.is_json or found.array or found.object) then
    return put(reader, container, key, found, decode(raw))
  end
  local begins = parameter.is_tables and find(decode(raw), "^%s*[{%[]")
  if parameter.is_json or begins then
    local one, words = reader:json(decode(raw))
    container[key] = one
    return words
  elseif found.array then
    local list = elements(raw, SEPARATORS[parameter.style] or ",", decode)
    if not list[2] and kinds.has_scalars(found) then
      return put(reader, container, key, found, list[1])
    end
    container[key] = texts.list(reader, found, list)
  else
    local one, words = object_of(reader, found, parameter, raw, decode)
    container[key] = one
    return words
  end
end

return texts
