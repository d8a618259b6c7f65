-- SPDX-License-Identifier: MIT
-- The pairs of a query, and of a form, as values.
local query = {}

local kinds = require "endpoint.checks.incoming.kinds"
local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"
local value = require "endpoint.checks.validator.value"

local byte, find, gsub, sub = string.byte, string.find, string.gsub, string.sub
local decoded = text.decoded

-- The most pairs of one query, and the most levels of tables under deepObject.
local MOST_PAIRS, DEEPEST = 1000, 20

local QUESTION = 63

-- In a query and in a form a "+" is a space (the WHATWG's URL standard, section 5.1).
local function decoded_text(raw)
  if find(raw, "+", 1, true) then
    raw = gsub(raw, "%+", " ")
  end
  return find(raw, "%", 1, true) and decoded(raw) or raw
end

-- The texts of a query by their names: sets, since a name may be there several times.
function query.texts(raw)
  local found, count = {}, 0
  for pair in gsub(raw, "^%?", ""):gmatch "[^&]+" do
    local equals = find(pair, "=", 1, true) or #pair + 1
    local name = decoded_text(sub(pair, 1, equals - 1))
    found[name] = found[name] or {}
    found[name][decoded_text(sub(pair, equals + 1))] = true
    count = count + 1
    if count == MOST_PAIRS then
      break
    end
  end
  return found
end

-- --- deepObject -------------------------------------------------------------------

-- The keys in a[b][c]; nothing if they are malformed.
local function keys_of(name, from)
  local keys, position = {}, from
  while position <= #name do
    local key, after = name:match("^%[([^%[%]]*)%]()", position)
    if not key or #keys == DEEPEST then
      return nil
    end
    keys[#keys + 1], position = key, after
  end
  return keys
end

-- The key in a list or an object, and the node there. A list has [] and [0].
local function key_in(found, container, key)
  local is_list = found.array and not found.object
  if key == "" then
    return #container + 1, found.items
  elseif is_list and find(key, "^%d+$") and #key < 5 then
    return tonumber(key) + 1, found.items
  end
  return key, texts.property(found, key)
end

-- Puts a text where its keys say; returns words if that cannot be.
local function put_deep(reader, container, node, keys, raw)
  local found = kinds.of(reader.rulebook, node)
  for position = 1, #keys do
    local key, child = key_in(found, container, keys[position])
    local there = container[key]
    if type(key) == "number" and key > #container + 1 then
      return "has a list without some elements"
    elseif position == #keys then
      local inner = kinds.of(reader.rulebook, child)
      if inner.array and not kinds.has_scalars(inner) then
        container[key] = there or {}
        texts.put(reader, container[key], #container[key] + 1, inner.items, raw)
      elseif there ~= nil then
        return "is there twice"
      else
        texts.put(reader, container, key, child, raw)
      end
      return nil
    end
    container[key] = there or {}
    container, found = container[key], kinds.of(reader.rulebook, child)
    if type(container) ~= "table" then
      return "is a value and an object"
    end
  end
end

-- Reads a pair of the style deepObject, such as a[b], into a table of values. given: its text,
-- decoded.
function query.read_deep(reader, parameter, name, given, values)
  local keys = keys_of(name, #parameter.name + 1)
  if not keys or not keys[1] then
    return reader:add(parameter.place, name, "", "has a malformed name")
  end
  local container = values[parameter.name] or {}
  values[parameter.name] = container
  local words = type(container) ~= "table" and "is a value and an object"
    or put_deep(reader, container, parameter.node, keys, given)
  if words then
    reader:add(parameter.place, name, "", words)
  end
end

-- --- other pairs ------------------------------------------------------------------

-- A pair that no parameter has: a property of an object that has any, the first whose node takes
-- the value.
local function read_free(reader, plan, name, raw, values)
  local taken, given = nil, decoded_text(raw)
  for _, parameter in ipairs(plan.free) do
    local node = parameter.kinds.additional
    local one = texts.scalar(kinds.of(reader.rulebook, node), given)
    taken = taken or parameter
    if not node or not value.problem(reader.rulebook, node, one) then
      taken = parameter
      break
    end
  end
  if values[taken.name] == nil then
    values[taken.name] = {}
  end
  local made = values[taken.name]
  if made[name] ~= nil then
    return reader:add(taken.place, name, "", "is there twice")
  end
  texts.put(reader, made, name, taken.kinds.additional, given)
end

-- Is a text of JSON a whole list, and not one of its elements?
function query.is_whole_list(rulebook, found, given)
  local pattern = kinds.of(rulebook, found.items).array and "^%s*%[%s*%[" or "^%s*%["
  return find(given, pattern) ~= nil
end

-- One element of a list whose elements are pairs. One alone is the value itself, where that may be
-- a text; and a list of tables may be one text of JSON.
local function read_element(reader, parameter, raw, container)
  local name, list = parameter.name, container[parameter.name]
  local is_whole = parameter.is_alone
    or parameter.is_tables
      and query.is_whole_list(reader.rulebook, parameter.kinds, decoded_text(raw))
  if list == nil and is_whole then
    return texts.read(reader, container, name, parameter, raw, decoded_text)
  elseif type(list) ~= "table" then
    local first = list
    list = {}
    container[name] = list
    if first ~= nil then -- it was alone
      texts.put(reader, list, 1, parameter.kinds.items, decoded(text.encoded(first)))
    end
  end
  if parameter.element then
    return texts.read(reader, list, #list + 1, parameter.element, raw, decoded_text)
  end
  texts.put(reader, list, #list + 1, parameter.kinds.items, decoded_text(raw))
end

-- A variable that is written in the path without a value is an empty text, see ?page={page}.
local function is_left_out(parameter, raw)
  return raw == ""
    and parameter.written
    and not parameter.is_required
    and not parameter.kinds.string
end

-- Does an empty text stand in the place of any other (OpenAPI 3.1, "Parameter Object",
-- `allowEmptyValue`)? In a list of strings it is one of them.
local function is_empty(reader, parameter, raw)
  if raw ~= "" or not parameter.may_be_empty then
    return false
  end
  local found = parameter.kinds
  return not (found.array and kinds.of(reader.rulebook, found.items).string)
end

-- The value of such a text.
local function empty_of(found)
  return (found.array or found.object) and not kinds.has_scalars(found) and {} or ""
end

local function read_known(reader, parameter, name, raw, values, decode)
  local words
  if is_left_out(parameter, raw) then
    return
  end
  local container = values
  if parameter.of then
    values[parameter.of.name] = values[parameter.of.name] or {}
    container = values[parameter.of.name]
  end
  if container[parameter.name] == nil and is_empty(reader, parameter, raw) then
    container[parameter.name] = empty_of(parameter.kinds)
  elseif parameter.is_many then
    words = read_element(reader, parameter, raw, container)
  elseif container[parameter.name] ~= nil then
    words = "is there twice"
  else
    words = texts.read(reader, container, parameter.name, parameter, raw, decode)
  end
  if words then
    reader:add(parameter.place, name, "", words)
  end
end

-- A pair that is not the name of a parameter and a text.
local function read_other(reader, plan, name, raw, values)
  local above = find(name, "[", 1, true)
  local deep = above and plan.deep[sub(name, 1, above - 1)]
  if deep then
    return query.read_deep(reader, deep, name, decoded_text(raw), values)
  elseif plan.free[1] then
    return read_free(reader, plan, name, raw, values)
  elseif plan.deep[name] then
    reader:add(plan.place, name, "", "expected names such as " .. text.shown(name, 100) .. "[name]")
  elseif not plan.is_open then
    reader:add(plan.place, name, "", "is unknown" .. text.nearest(name, plan.query))
  end
end

-- --- the whole --------------------------------------------------------------------

local function unchanged(raw)
  return raw
end

-- How the texts of a query are decoded. Most have nothing to decode.
local function decoder_of(raw)
  local is_plain = not find(raw, "%", 1, true) and not find(raw, "+", 1, true)
  return is_plain and unchanged or decoded_text
end

-- Reads the pairs of a query into a table of values. Notes problems in the reader, and words for
-- more pairs than there may be. `equals` is the first "=" that is not before the position.
function query.read(reader, plan, raw, values)
  if find(raw, "#", 1, true) then -- clients would cut the URL there
    reader:add(plan.place, nil, "", "has a #")
  end
  local decode, parameters, size, count = decoder_of(raw), plan.query, #raw, 0
  local position, equals = byte(raw, 1) == QUESTION and 2 or 1, 0
  while position <= size do
    local stop = find(raw, "&", position, true) or size + 1
    if stop > position then
      count = count + 1
      if count > MOST_PAIRS then
        return reader:add(plan.place, nil, "", "has more than 1,000 pairs")
      end
      if equals < position then
        equals = find(raw, "=", position, true) or size + 1
      end
      local upto = equals < stop and equals or stop
      local name, given = decode(sub(raw, position, upto - 1)), sub(raw, upto + 1, stop - 1)
      local parameter = parameters[name]
      if parameter then
        read_known(reader, parameter, name, given, values, decode)
      else
        read_other(reader, plan, name, given, values)
      end
    end
    position = stop + 1
  end
end

return query
