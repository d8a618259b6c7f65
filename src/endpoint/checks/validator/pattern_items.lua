-- SPDX-License-Identifier: MIT
-- Patterns of ECMA-262 that have neither groups nor assertions but ^ and $: half of those in
-- published documents. Each is a list of alternatives, and each of these a row of items.
local pattern_items = {}

local protected = require "endpoint.protected"

-- A *set* has the ASCII characters that an item takes, by their codes, and in `is_wide` whether it
-- takes all others, too. An item has a `set` and how often it comes, from `least` to `most`.

-- --- sets -------------------------------------------------------------------------

local ASCII = 127

local function add_range(set, first, last)
  for code = first, last do
    set[code] = true
  end
  return set
end

local function set_of(...)
  local set, codes = { is_wide = false }, { ... }
  for position = 1, #codes, 2 do
    add_range(set, codes[position], codes[position + 1])
  end
  return set
end

local function complement(set)
  local other = { is_wide = not set.is_wide }
  for code = 0, ASCII do
    other[code] = not set[code] or nil
  end
  return other
end

local function add_set(set, other)
  for code = 0, ASCII do
    set[code] = set[code] or other[code]
  end
  set.is_wide = set.is_wide or other.is_wide
end

local DIGITS = set_of(48, 57)
local WORD = set_of(48, 57, 65, 90, 95, 95, 97, 122)
-- Of the spaces and of the ends of lines these have others beside ASCII: see `has_spaces` below.
local SPACES = set_of(9, 13, 32, 32)
local ANY = complement(set_of(10, 10, 13, 13))

local CLASSES = {
  d = DIGITS,
  D = complement(DIGITS),
  w = WORD,
  W = complement(WORD),
  s = SPACES,
  S = complement(SPACES),
}
local CONTROLS = { f = 12, n = 10, r = 13, t = 9, v = 11 }

-- --- reading ----------------------------------------------------------------------

-- What stops the reading of a pattern that is none of these.
local OTHER = {}

local function stop()
  error(OTHER, 0)
end

-- Notes that a pattern asks for spaces or ends of lines as such.
local function class_named(reader, name)
  reader.has_spaces = reader.has_spaces or name == "s" or name == "S"
  return CLASSES[name]
end

-- The code of a character that is written itself or by an escape. \v and \n stand for others in a
-- text that is compared with spaces, so they may not be written beside them.
local function noted(reader, first, last)
  if first <= 13 and (last or first) >= 10 then
    reader.has_breaks = true
  end
  return first
end

-- The code after a backslash, and where it ends.
local function escaped_code(pattern, at)
  local byte = pattern:sub(at, at)
  local digits = pattern:match("^u(%x%x%x%x)", at) or pattern:match("^x(%x%x)", at)
  if digits and tonumber(digits, 16) <= ASCII then
    return tonumber(digits, 16), at + #digits
  elseif CONTROLS[byte] then
    return CONTROLS[byte], at
  elseif byte == "" or byte:find "[%w\128-\255]" then
    stop()
  end
  return byte:byte(), at
end

-- A class or a code at a place of a class in brackets, and where it ends.
local function member_at(reader, pattern, at)
  local byte = pattern:sub(at, at)
  if byte == "" or byte:find "[%z\128-\255]" then
    stop()
  elseif byte ~= "\\" then
    return nil, byte:byte(), at
  end
  local name = pattern:sub(at + 1, at + 1)
  if CLASSES[name] then
    return class_named(reader, name), nil, at + 1
  elseif name == "b" then
    return nil, 8, at + 1
  end
  return nil, escaped_code(pattern, at + 1)
end

-- Adds what stands at a place of a class, and returns where it ends.
local function add_member(reader, set, pattern, at)
  local class, code, last = member_at(reader, pattern, at)
  if class then
    add_set(set, class)
    return last
  end
  local upper = code
  if pattern:find("^%-[^%]]", last + 1) then
    class, upper, last = member_at(reader, pattern, last + 2)
    if class or upper < code then
      stop()
    end
  end
  add_range(set, noted(reader, code, upper), upper)
  return last
end

local function brackets_at(reader, pattern, at)
  local set, is_negated = { is_wide = false }, pattern:sub(at + 1, at + 1) == "^"
  at = at + (is_negated and 2 or 1)
  while pattern:sub(at, at) ~= "]" do
    at = add_member(reader, set, pattern, at) + 1
  end
  return is_negated and complement(set) or set, at
end

-- The set of an item, and where it ends.
local function set_at(reader, pattern, at)
  local byte = pattern:sub(at, at)
  if byte == "[" then
    return brackets_at(reader, pattern, at)
  elseif byte == "." then
    reader.has_spaces = true
    return ANY, at
  elseif byte == "\\" and CLASSES[pattern:sub(at + 1, at + 1)] then
    return class_named(reader, pattern:sub(at + 1, at + 1)), at + 1
  elseif byte == "\\" then
    local code, last = escaped_code(pattern, at + 1)
    noted(reader, code)
    return set_of(code, code), last
  elseif byte:find "[%^$(){}%]*+?|%z\128-\255]" then
    stop()
  end
  noted(reader, byte:byte())
  return set_of(byte:byte(), byte:byte()), at
end

local TIMES = { ["*"] = { 0, math.huge }, ["+"] = { 1, math.huge }, ["?"] = { 0, 1 } }

-- How often an item comes, and where that is said last.
local function times_at(pattern, at)
  local times = TIMES[pattern:sub(at, at)]
  local least, most, last = times and times[1] or 1, times and times[2] or 1, at - 1
  if times then
    last = at
  elseif pattern:find("^{", at) then
    local from, comma, to, close = pattern:match("^{(%d+)(,?)(%d*)()}", at)
    least, most, last = tonumber(from), tonumber(to) or math.huge, close
    most = comma == "" and least or most
    if not least or least > most then
      stop()
    end
  end
  if last >= at and pattern:find("^%?", last + 1) then
    last = last + 1 -- that it is lazy changes nothing of whether a string fits
  end
  if last >= at and pattern:find("^[*+?{]", last + 1) then
    stop()
  end
  return least, most, last
end

-- Reads the alternative that begins at a byte, and returns it and where the next one begins.
local function alternative_at(reader, pattern, at)
  local row = { is_anchored = pattern:sub(at, at) == "^", is_ended = false }
  at = row.is_anchored and at + 1 or at
  while at <= #pattern and not pattern:find("^|", at) do
    if pattern:find("^%$|", at) or pattern:sub(at) == "$" then
      row.is_ended, at = true, at + 1
    else
      local set, last = set_at(reader, pattern, at)
      local item = { set = set }
      item.least, item.most, last = times_at(pattern, last + 1)
      row[#row + 1], at = item, last + 1
    end
  end
  return row, at + 1
end

local function read(pattern)
  local reader, at = {}, 1
  repeat
    reader[#reader + 1], at = alternative_at(reader, pattern, at)
  until at > #pattern + 1
  if reader.has_spaces and reader.has_breaks then
    stop()
  end
  return reader
end

-- The alternatives of a pattern, nil if it is not of this kind. Each has its items and
-- `is_anchored`, does it begin with ^, and `is_ended`, does it end with $? The list has
-- `has_spaces`: does the pattern ask for spaces or ends of lines, which are not only ASCII?
function pattern_items.read(pattern)
  local is_read, reader = protected.call(read, pattern)
  if is_read then
    return reader
  elseif reader ~= OTHER then
    error(reader, 0)
  end
end

return pattern_items
