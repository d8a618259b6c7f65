-- SPDX-License-Identifier: MIT
-- JSON by lua-cjson, which writes each empty table as {}: it decodes [] to a table without a mark.
-- Where the rules take a list and no object, [] is written.
local encoder = {}

local empties = require "endpoint.checks.json.empties"
local json = require "endpoint.clients.body.json"

local find, sub = string.find, string.sub

-- --- the text ---------------------------------------------------------------------------

-- Where a string of JSON ends that begins at a byte.
local function end_of_string(written, at)
  at = find(written, '["\\]', at + 1)
  while sub(written, at, at) == "\\" do
    at = find(written, '["\\]', at + 2)
  end
  return at
end

-- A name as JSON, decoded.
local function name_of(cjson, quoted)
  return find(quoted, "\\", 1, true) and cjson.decode("[" .. quoted .. "]")[1] or sub(quoted, 2, -2)
end

-- The place of the value that comes next. The list or object around it is a place, too; its
-- `next_key` is the position or name of this value.
local function place_below(reader)
  local around = reader.around
  return around and { parent = around, key = around.next_key } or reader.root
end

local function open(reader, is_list)
  local place = place_below(reader)
  place.is_list, place.next_key = is_list, is_list and 1 or nil
  reader.around = place
end

-- What is done at each byte that is not within a value: functions of the reader, the text and the
-- position. Each returns the last position that it has read, and perhaps what is written instead.
local AT = {}

AT["{"] = function(reader, written, at)
  if sub(written, at + 1, at + 1) ~= "}" then
    open(reader, false)
    return at
  end
  local node = empties.node_of(reader.rulebook, place_below(reader))
  local is_list = node and empties.of_empty(reader.rulebook, node, {}) == "array"
  return at + 1, is_list and "[]" or nil
end

AT["["] = function(reader, _, at)
  open(reader, true)
  return at
end

AT["}"] = function(reader, _, at)
  reader.around = reader.around.parent
  return at
end
AT["]"] = AT["}"]

AT[","] = function(reader, _, at)
  local around = reader.around
  around.next_key = around.is_list and around.next_key + 1 or nil
  return at
end

AT['"'] = function(reader, written, at)
  local last, around = end_of_string(written, at), reader.around
  if around and not around.next_key then
    around.next_key = name_of(reader.cjson, sub(written, at, last))
  end
  return last
end

-- The text of lua-cjson with [] where only a list fits.
local function with_lists(reader, written)
  local pieces, copied = {}, 0
  local at = find(written, '["%[%]{},]')
  while at do
    local last, instead = AT[sub(written, at, at)](reader, written, at)
    if instead then
      pieces[#pieces + 1] = sub(written, copied + 1, at - 1)
      pieces[#pieces + 1] = instead
      copied = last
    end
    at = find(written, '["%[%]{},]', last + 1)
  end
  pieces[#pieces + 1] = sub(written, copied + 1)
  return table.concat(pieces)
end

-- --- the encoder ------------------------------------------------------------------------

-- A function that writes a body with this node as JSON. It raises what cannot be written, without
-- a position.
function encoder.new(rulebook, node)
  return function(value)
    local written, cjson = json.written(value)
    if not find(written, "{}", 1, true) then
      return written
    end
    return with_lists({ rulebook = rulebook, cjson = cjson, root = { node = node } }, written)
  end
end

return encoder
