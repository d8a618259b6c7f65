-- SPDX-License-Identifier: MIT
-- A value of a model as JSON (RFC 8259). Encoders know no rules: they write an empty list as an
-- object, and some of them lose digits. This one asks the rules, and gives a problem for what it
-- cannot write, so that the text always decodes to the value.
local json = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"
local empties = require "endpoint.checks.json.empties"
local text = require "endpoint.text"
local value = require "endpoint.checks.validator.value"

local problem, below = errors.problem, errors.below

-- Levels of tables. The check of the rules stops here, too.
local DEEPEST = 200

-- Elements of tables that were written before: a table may stand in many places.
local MOST_AGAIN = 100000

-- --- texts and numbers ----------------------------------------------------------------

-- A text in quotes.
function json.quoted(given)
  return '"' .. text.json_escaped(given) .. '"'
end

local TOO_LARGE = "expected a number between -2^53 and 2^53, got one that may have lost digits"

-- What is wrong with a string, number or boolean that goes into any body or URL; nil for nothing.
-- takes_string: may a string be there? A model is told so then, and otherwise would give one in
-- vain.
function json.scalar_problem(given, takes_string)
  local fault = type(given) == "number" and result.number_fault(given)
  if fault then
    local is_large = given - given == 0
    return problem(is_large and not takes_string and TOO_LARGE or fault)
  end
  if type(given) == "string" and not text.is_utf8(given) then
    return problem "expected a string in UTF-8"
  end
end

local function scalar_text(given)
  if given == NULL then
    return "null"
  elseif shapes.is_empty_list(given) then
    return "[]"
  elseif type(given) == "string" then
    return json.quoted(given)
  elseif type(given) == "boolean" then
    return tostring(given)
  end
  local ok, encoded = protected.call(result.encoded, given) -- integers that are cdata, too
  return ok and result.decoded(encoded) or nil
end

-- --- tables ---------------------------------------------------------------------------

-- Each value has a place, as empties.node_of reads it.
local write -- which the functions below call

local function write_list(writer, place, given, size, depth)
  for position = 1, size do
    writer[#writer + 1] = position == 1 and "[" or ","
    local found = write(writer, { parent = place, key = position }, rawget(given, position), depth)
    if found then
      return below(position, found)
    end
  end
  writer[#writer + 1] = "]"
end

local function write_object(writer, place, given, depth)
  local names = {}
  for name in next, given do
    names[#names + 1] = name
  end
  for position, name in ipairs(result.sorted(names)) do
    if not text.is_utf8(name) then
      return problem "expected names in UTF-8"
    end
    writer[#writer + 1] = (position == 1 and "{" or ",") .. json.quoted(name) .. ":"
    local found = write(writer, { parent = place, key = name }, rawget(given, name), depth)
    if found then
      return below(name, found)
    end
  end
  writer[#writer + 1] = "}"
end

local LOOK_ALIKE =
  "expected elements: an empty list and an empty object look alike here, leave it out"

local function write_empty(writer, place, given)
  local node = empties.node_of(writer.rulebook, place)
  local kind = empties.of_empty(writer.rulebook, node or {}, given)
  if not kind then
    return problem(LOOK_ALIKE)
  end
  writer[#writer + 1] = kind == "array" and "[]" or "{}"
end

-- Counts the elements of a table that is written again; a problem if there are too many.
local function count_again(writer, given, size)
  writer.again = writer.again + (writer.is_written[given] and size or 0)
  writer.is_written[given] = true
  return writer.again > MOST_AGAIN and problem "is too large" or nil
end

local function write_table(writer, place, given, depth)
  if depth > DEEPEST then
    return problem "nested too deep"
  end
  if next(given) == nil then
    return write_empty(writer, place, given)
  end
  local kind, size = shapes.shape_of(given)
  if kind == "neither" then
    return problem "expected a list or an object, got another table"
  end
  local found = count_again(writer, given, size)
  if found then
    return found
  end
  if kind == "array" then
    return write_list(writer, place, given, size, depth)
  end
  return write_object(writer, place, given, depth)
end

local function takes_string(writer, place)
  local node = empties.node_of(writer.rulebook, place)
  return not node or value.problem(writer.rulebook, node, "1") == nil
end

function write(writer, place, given, depth)
  if type(given) == "table" then
    return write_table(writer, place, given, depth + 1)
  end
  local found = json.scalar_problem(given)
  found = found and json.scalar_problem(given, takes_string(writer, place))
  if found then
    return found
  end
  local written = scalar_text(given)
  if not written then
    return problem("expected a value of JSON, got a " .. type(given))
  end
  writer[#writer + 1] = written
end

-- A value as JSON; or nil and a problem. rulebook: `schemas`, the nodes by number; node: that of
-- the value.
function json.text(rulebook, node, given)
  local writer = { rulebook = rulebook, again = 0, is_written = {} }
  local found = write(writer, { node = node or false }, given, 0)
  if found then
    return nil, found
  end
  return table.concat(writer)
end

return json
