-- SPDX-License-Identifier: MIT
-- The variables of a path as values.
local path = {}

local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"

local find, sub = string.find, string.sub

local function decoded(raw)
  return find(raw, "%", 1, true) and text.decoded(raw) or raw
end

-- The text of a variable {;x} or {.x} that is one: after ";x=" or ".".
local function text_after(name, style, raw)
  if style == "label" then
    return sub(raw, 2)
  end
  local prefix = ";" .. name
  if sub(raw, 1, #prefix) ~= prefix then
    return nil
  end
  local rest = sub(raw, #prefix + 1)
  return rest == "" and "" or sub(rest, 1, 1) == "=" and sub(rest, 2) or nil
end

-- The names and texts of ;x=1;x=2, and those of .a=1.b=2.
local function parts_of(raw, style, found)
  local list = texts.split(sub(raw, 2), style == "label" and "." or ";")
  if style == "label" and not found.object then
    for position = 1, #list do
      list[position] = decoded(list[position])
    end
    return list
  end
  local flat = texts.flat(list)
  for position = 1, #flat do
    flat[position] = decoded(flat[position])
  end
  return flat
end

-- The same of a list, whose elements all have the name of the variable. nil if one has another.
local function elements_of(flat, name)
  local list = {}
  for position = 1, #flat, 2 do
    if flat[position] ~= name then
      return nil
    end
    list[#list + 1] = flat[position + 1]
  end
  return list
end

-- Reads a variable that is written once for each part of its value.
local function read_exploded(reader, parameter, raw, values)
  local name, found = parameter.name, parameter.kinds
  local parts = parts_of(raw, parameter.style, found)
  if found.object then
    local one, words = texts.object(reader, found, parts)
    values[name] = one
    return words
  end
  local list = parameter.style == "matrix" and elements_of(parts, name) or parts
  values[name] = texts.list(reader, found, list)
end

local function read_styled(reader, parameter, raw, values)
  local found = parameter.kinds
  local operator = parameter.style == "label" and "." or ";"
  if raw == "" and not (found.array or found.object) or sub(raw, 1, 1) ~= operator then
    return "expected a text that begins with " .. operator
  elseif parameter.explode and (found.array or found.object) then
    return read_exploded(reader, parameter, raw, values)
  end
  local part = text_after(parameter.name, parameter.style, raw)
  if not part then
    return "expected a text that begins with ;" .. parameter.name .. "="
  end
  return texts.read(reader, values, parameter.name, parameter, part, decoded)
end

-- A raw ";" ends the part of a segment that some servers see.
local function read_simple(reader, parameter, raw, values)
  if find(raw, ";", 1, true) then
    return "has a ;"
  end
  return texts.read(reader, values, parameter.name, parameter, raw, decoded)
end

-- Has the variable at a position another text at an earlier one?
local function is_other(names, captured, position)
  for earlier = 1, position - 1 do
    if names[earlier] == names[position] and captured[earlier] ~= captured[position] then
      return true
    end
  end
  return false
end

local function unchanged(raw)
  return raw
end

-- Reads the raw texts of the variables into a table of values. is_plain: has none of them a triplet
-- or a ";"?
function path.read(reader, plan, names, captured, values, is_plain)
  for position = 1, #names do
    local parameter, raw = plan.path[names[position]], captured[position]
    local words
    if values[parameter.name] ~= nil and is_other(names, captured, position) then
      words = "has two values"
    elseif parameter.style == "matrix" or parameter.style == "label" then
      words = read_styled(reader, parameter, raw, values)
    elseif is_plain then
      words = texts.read(reader, values, parameter.name, parameter, raw, unchanged)
    else
      words = read_simple(reader, parameter, raw, values)
    end
    if words then
      reader:add("path", parameter.name, "", words)
    end
  end
end

return path
