-- SPDX-License-Identifier: MIT
-- Patterns of ECMA-262 as patterns of Lua, where these take time that is linear in the string. They
-- need no library.
local lua_patterns = {}

local pattern_items = require "endpoint.checks.validator.pattern_items"
local protected = require "endpoint.protected"
local text = require "endpoint.text"

local find, gsub = string.find, string.gsub
local MANY = math.huge

-- The most pieces of a pattern of Lua, and of these the most that may be there or not: each of them
-- doubles what is tried.
local MOST_PIECES, MOST_OPTIONAL = 120, 6

-- What stops a translation that does not exist, or is not linear.
local NONE = {}

local function stop()
  error(NONE, 0)
end

-- --- what a search does not need ----------------------------------------------------

-- Shortens a pattern that is not anchored at one end: `a*b+` matches within a string where `b`
-- does. So what may be absent is removed there, and the first item that may not be absent is
-- repeated no more often than it must be. at_end: at the end of the row, or at its beginning?
local function trim(row, at_end)
  while row[1] do
    local position = at_end and #row or 1
    local item = row[position]
    if item.least > 0 then
      row[position] = { set = item.set, least = item.least, most = item.least }
      return
    end
    table.remove(row, position)
  end
end

-- --- sets in brackets -----------------------------------------------------------------

-- The characters of a set that are in a range of codes, as a part of a class of Lua.
local function range_text(set, from, to)
  local parts, code = {}, from
  while code <= to do
    local last = code
    while set[code] and last < to and set[last + 1] do
      last = last + 1
    end
    if set[code] then
      parts[#parts + 1] = last > code and ("%c-%c"):format(code, last) or string.char(code)
    end
    code = last + 1
  end
  return table.concat(parts)
end

local ALPHANUMERIC = { { 48, 57 }, { 65, 90 }, { 97, 122 } }

-- The ASCII characters that are in a set, or those that are not, for brackets.
local function members(set, is_in)
  local listed = {}
  for code = 0, 127 do
    listed[code] = (set[code] or false) == is_in
  end
  local parts = {}
  for _, zone in ipairs(ALPHANUMERIC) do
    parts[#parts + 1] = range_text(listed, zone[1], zone[2])
  end
  for code = 0, 127 do
    local character = string.char(code)
    if listed[code] and code == 0 then
      stop() -- Lua 5.1 takes no NUL in a pattern
    elseif listed[code] and not character:find "[0-9A-Za-z]" then
      parts[#parts + 1] = "%" .. character
    end
  end
  return table.concat(parts)
end

-- Bytes of UTF-8 that go on with a character.
local CONTINUATION = "\128-\191"

local function class_of(set, beside)
  if not set.is_wide then
    local listed = members(set, true)
    return listed == "" and stop() or "[" .. listed .. "]"
  end
  local listed = members(set, false) .. beside
  return listed == "" and "." or "[^" .. listed .. "]"
end

-- --- pieces ---------------------------------------------------------------------------

-- A piece of a pattern has its `text`, the `set` that it takes, and `times`, "", "*" or "?".

local function add_piece(pieces, set, times)
  pieces[#pieces + 1] = { set = set, times = times, text = class_of(set, "") .. times }
end

-- One character of a set, which may have several bytes.
local function add_one(pieces, set)
  local written = class_of(set, set.is_wide and CONTINUATION or "")
  written = written .. (set.is_wide and "[" .. CONTINUATION .. "]*" or "")
  pieces[#pieces + 1] = { set = set, times = "", text = written }
end

local function add_optional(pieces, set, count)
  if count > (set.is_wide and 0 or MOST_OPTIONAL) then
    stop()
  end
  for _ = 1, count do
    add_piece(pieces, set, "?")
  end
end

local function add_item(pieces, item)
  if item.least > MOST_PIECES then
    stop()
  end
  for _ = 1, item.least do
    add_one(pieces, item.set)
  end
  if item.most == MANY then
    add_piece(pieces, item.set, "*")
  else
    add_optional(pieces, item.set, item.most - item.least)
  end
end

-- --- is it linear? --------------------------------------------------------------------

local function overlap(set, other)
  if set.is_wide and other.is_wide then
    return true
  end
  for code = 0, 127 do
    if set[code] and other[code] then
      return true
    end
  end
  return false
end

-- May the pieces after a position begin with a character of a set?
local function may_go_on(pieces, position, set)
  for next_position = position + 1, #pieces do
    local piece = pieces[next_position]
    if overlap(set, piece.set) then
      return true
    elseif piece.times == "" then
      return false
    end
  end
  return false
end

local function last_of(pieces, times)
  for position = #pieces, 1, -1 do
    if pieces[position].times == times then
      return position
    end
  end
  return 0
end

-- Pieces that take as many characters as they can are tried with fewer, one by one. That is linear
-- if the rest then fails at once, or has a bounded length, which the last of these pieces has.
local function is_linear_from_one(pieces)
  for position = 1, last_of(pieces, "*") - 1 do
    if pieces[position].times == "*" and may_go_on(pieces, position, pieces[position].set) then
      return false
    end
  end
  return true
end

-- A search begins at each byte. Its first piece must not be within what another of them takes.
local function is_linear_from_each(pieces)
  for _, piece in ipairs(pieces) do
    if piece.times == "*" and (pieces[1].times ~= "" or overlap(pieces[1].set, piece.set)) then
      return false
    end
  end
  return true
end

local function check_cost(pieces, is_anchored)
  local optional = 0
  for _, piece in ipairs(pieces) do
    optional = optional + (piece.times == "?" and 1 or 0)
  end
  local is_bounded = #pieces <= MOST_PIECES and optional <= MOST_OPTIONAL
  if not (is_bounded and is_linear_from_one(pieces)) then
    stop()
  elseif not (is_anchored or is_linear_from_each(pieces)) then
    stop()
  end
end

-- --- a whole alternative --------------------------------------------------------------

-- The item that may be written without its limits, since the whole length of the string says how
-- often it comes: no other one has a choice. nil if there is none.
local function measured_item(row)
  local found
  for _, item in ipairs(row) do
    if item.most > item.least then
      if found then
        return nil
      end
      found = item
    end
  end
  if not found then
    for _, item in ipairs(row) do
      found = item.least > (found and found.least or 1) and item or found
    end
  end
  return found
end

-- Does a row take nothing but strings of ASCII?
local function takes_ascii(row)
  for _, item in ipairs(row) do
    if item.set.is_wide then
      return false
    end
  end
  return row.is_anchored and row.is_ended
end

-- A row as conditions that a string must fulfil: it matches `pattern`, a Lua pattern, and has from
-- `least` to `most` characters. is_ascii: is each string that fulfils them ASCII?
local function translated_row(row)
  local pieces, least, most = {}, 0, 0
  if not row.is_ended then
    trim(row, true)
  end
  if not row.is_anchored then
    trim(row, false)
  end
  local is_whole = row.is_anchored and row.is_ended
  local measured = is_whole and measured_item(row)
  for _, item in ipairs(row) do
    least, most = least + item.least, most + item.most
    if item == measured then
      add_piece(pieces, item.set, "*")
    else
      add_item(pieces, item)
    end
  end
  check_cost(pieces, row.is_anchored)
  local parts = { row.is_anchored and "^" or "" }
  for _, piece in ipairs(pieces) do
    parts[#parts + 1] = piece.text
  end
  parts[#parts + 1] = row.is_ended and "$" or ""
  return {
    pattern = table.concat(parts),
    least = measured and least or 0,
    most = measured and most or MANY,
    is_ascii = takes_ascii(row),
  }
end

local function translated_rows(rows)
  local found = { has_spaces = rows.has_spaces }
  for position, row in ipairs(rows) do
    found[position] = translated_row(row)
  end
  return found
end

-- A pattern as a list of alternatives: what a string must be for each is said above. Does the
-- pattern ask for spaces or ends of lines, `has_spaces`? nil if Lua cannot say it.
function lua_patterns.of(pattern)
  local rows = pattern_items.read(pattern)
  if not rows then
    return nil
  end
  local is_said, found = protected.call(translated_rows, rows)
  if is_said then
    return found
  elseif found ~= NONE then
    error(found, 0)
  end
end

-- --- matching -------------------------------------------------------------------------

-- ECMA-262 has spaces and ends of lines beside those of ASCII, which stand for them.
local STANDS_FOR = {
  ["\194\160"] = "\v",
  ["\225\154\128"] = "\v",
  ["\226\128\168"] = "\n",
  ["\226\128\169"] = "\n",
  ["\226\128\175"] = "\v",
  ["\226\129\159"] = "\v",
  ["\227\128\128"] = "\v",
  ["\239\187\191"] = "\v",
}
for last = 128, 138 do
  STANDS_FOR["\226\128" .. string.char(last)] = "\v"
end

local function length_of(instance)
  return select(2, gsub(instance, "[^\128-\191]", ""))
end

local function fits_one(row, instance, length)
  return length >= row.least and length <= row.most and find(instance, row.pattern) ~= nil
end

-- Does a string fit a pattern that `of` has returned? nil if the string is not UTF-8.
function lua_patterns.fits(rows, instance)
  local length = #instance
  if find(instance, "[\128-\255]") then
    if not text.is_utf8(instance) then
      return nil
    elseif rows.has_spaces then
      instance = gsub(instance, "[\194\225-\227\239][\128-\191][\128-\191]?", STANDS_FOR)
    end
    length = length_of(instance)
  end
  for position = 1, #rows do
    if fits_one(rows[position], instance, length) then
      return true
    end
  end
  return false
end

return lua_patterns
