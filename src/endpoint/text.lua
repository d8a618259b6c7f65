-- SPDX-License-Identifier: MIT
-- Functions for strings, with the same results on every Lua and under every locale; and what a
-- string that a stranger wrote may show.
local text = {}

local VERSION = "1.0.0"

-- endpoint.types, which is a rock of its own, works with this version alone.
text.VERSION = VERSION

local result = require "endpoint.result"

local NULL = require "endpoint".null

-- ASCII letters become lower case, other bytes stay.
text.lower = result.lower

-- Are all bytes of a string printable ASCII?
text.is_printable = result.is_printable
local is_printable = text.is_printable

-- What is wrong with a number as a text, nil if nothing: it is not finite, or may have lost digits.
text.number_fault = result.number_fault

-- A string, a number without fault or a boolean as it is written in URLs. RFC 3986, section 2.3:
-- all characters but the unreserved ones become triplets, which `decoded` makes characters.
text.encoded, text.decoded = result.encoded, result.decoded

-- The number of a text of digits, perhaps with a decimal point and an exponent; nil for another
-- text. Before Lua 5.3 tonumber takes the locale's point alone, such as a comma.
function text.number(digits)
  local number = tonumber(digits)
  if not number and digits:find(".", 1, true) then
    local point = ("%.1f"):format(0.5):match "^0(.*)5$"
    return tonumber((digits:gsub("%.", point)))
  end
  return number
end

-- What string.format has written of a number, with a decimal point under every locale.
function text.pointed(written)
  return (written:gsub("[^%w+-]+", "."))
end

local JSON_ESCAPES = {
  ['"'] = '\\"',
  ["\\"] = "\\\\",
  ["\b"] = "\\b",
  ["\f"] = "\\f",
  ["\n"] = "\\n",
  ["\r"] = "\\r",
  ["\t"] = "\\t",
}

local function json_escape(byte)
  return JSON_ESCAPES[byte] or ("\\u%04x"):format(byte:byte())
end

-- A text as it stands in quotes in JSON. lua-cjson writes the same, and / as \/.
function text.json_escaped(given)
  return (given:gsub('[%z\1-\31\127"\\]', json_escape))
end

local function upper_byte(letter)
  return string.char(letter:byte() - 32)
end

-- ASCII letters become upper case, other bytes stay.
function text.upper(given)
  return (given:gsub("[a-z]", upper_byte))
end

-- user-agent as User-Agent: the first letter and each letter after a hyphen in upper case.
function text.capitalised(name)
  return (("-" .. name):gsub("%-[a-z]", text.upper):sub(2))
end

-- The string keys of a table in bytewise order, but for those whose value is null.
function text.sorted_keys(map)
  local keys = {}
  for key, value in next, map do
    if type(key) == "string" and value ~= NULL then
      keys[#keys + 1] = key
    end
  end
  return result.sorted(keys)
end

-- The size of a list, which is a table whose keys are exactly 1..n; nil for any other table.
-- No metamethod is called.
function text.list_size(t)
  local size = 0
  for _ in next, t do
    size = size + 1
  end
  for i = 1, size do
    if rawget(t, i) == nil then
      return nil
    end
  end
  return size
end

-- Has the path a segment "." or ".." (RFC 3986, section 3.3)? %2E is a dot, too.
function text.has_dot_segment(path)
  if path:find("%2", 1, true) then
    path = path:gsub("%%2[Ee]", ".")
  end
  return (path .. "/"):find("/%.%.?/") ~= nil
end

-- The next bytes that a first byte may have after it (RFC 3629, section 4).
local SEQUENCES = {
  { "[\194-\223]", "^[\128-\191]" },
  { "\224", "^[\160-\191][\128-\191]" },
  { "\237", "^[\128-\159][\128-\191]" },
  { "[\225-\239]", "^[\128-\191][\128-\191]" },
  { "\240", "^[\144-\191][\128-\191][\128-\191]" },
  { "[\241-\243]", "^[\128-\191][\128-\191][\128-\191]" },
  { "\244", "^[\128-\143][\128-\191][\128-\191]" },
}

-- Where the character ends that begins with this byte; nil if no character of UTF-8 begins so.
local function end_of_character(given, at)
  local first = given:sub(at, at)
  for _, sequence in ipairs(SEQUENCES) do
    if first:find(sequence[1]) then
      local _, last = given:find(sequence[2], at + 1)
      return last
    end
  end
end

-- Is a string UTF-8, which JSON must be (RFC 8259, section 8.1)?
function text.is_utf8(given)
  local at = given:find "[\128-\255]"
  while at do
    local last = end_of_character(given, at)
    if not last then
      return false
    end
    at = given:find("[\128-\255]", last + 1)
  end
  return true
end

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- Base64 (RFC 4648, section 4).
function text.base64(value)
  return (
    value:gsub("..?.?", function(bytes)
      local first, second, third = bytes:byte(1, -1)
      local bits, digits = first * 65536 + (second or 0) * 256 + (third or 0), {}
      for i = 4, 1, -1 do
        local digit = bits % 64
        digits[i] = i <= #bytes + 1 and BASE64:sub(digit + 1, digit + 1) or "="
        bits = (bits - digit) / 64
      end
      return table.concat(digits)
    end)
  )
end

-- --- what a stranger's string may show ---------------------------------------------

-- Code points that a terminal or an editor obeys instead of showing them: control characters, marks
-- of direction, invisible characters, and tags and selectors of plane 14, in which a text can hide;
-- and surrogates, which are not characters.
local UNSEEN = {
  { 0, 0x1F },
  { 0x7F, 0x9F },
  { 0x61C, 0x61C },
  { 0x180E, 0x180E },
  { 0x200B, 0x200F },
  { 0x2028, 0x202E },
  { 0x2060, 0x206F },
  { 0xD800, 0xDFFF },
  { 0xFEFF, 0xFEFF },
  { 0xFFF0, 0xFFFB },
  { 0x1D173, 0x1D17A },
  { 0xE0000, 0xE0FFF },
}

local function is_unseen(code_point)
  for _, range in ipairs(UNSEEN) do
    if code_point >= range[1] and code_point <= range[2] then
      return true
    end
  end
  return false
end

-- By the length of a sequence of UTF-8 (RFC 3629, section 3): its first byte without the bits of
-- the code point, and the greatest code point.
local FIRST, GREATEST = { 0, 0xC0, 0xE0, 0xF0 }, { 0x7F, 0x7FF, 0xFFFF, 0x10FFFF }

-- The code point of a whole sequence, or nil if it is not UTF-8.
local function code_point_of(sequence)
  local length = #sequence
  local code_point = sequence:byte() - FIRST[length]
  for position = 2, length do
    code_point = code_point * 64 + sequence:byte(position) % 64
  end
  local is_shortest = code_point > (GREATEST[length - 1] or -1)
  return is_shortest and code_point <= GREATEST[length] and code_point or nil
end

local function length_by(first_byte)
  for length = 2, 4 do
    if first_byte < FIRST[length] then
      return length - 1
    end
  end
  return 4
end

-- A string in which each character that must not be seen, and each byte that is not UTF-8, is
-- replaced by a string, or by what a function makes of its bytes.
function text.replaced(value, by)
  if is_printable(value) then
    return value
  end
  return (
    value:gsub("[^\32-\126][\128-\191]?[\128-\191]?[\128-\191]?", function(bytes)
      local length = length_by(bytes:byte())
      local sequence, rest = bytes:sub(1, length), bytes:sub(length + 1)
      local code_point = #sequence == length and code_point_of(sequence)
      if not code_point or is_unseen(code_point) then
        sequence = type(by) == "string" and by or by(sequence)
      end
      return sequence .. text.replaced(rest, by)
    end)
  )
end

-- The first bytes of a string, at most so many, and without a part of a character at their end.
local function first_bytes(value, size)
  return #value > size and value:sub(1, size):gsub("[\192-\255][\128-\191]*$", "") or value
end

local function hexadecimal(byte)
  return ("\\x%02x"):format(byte:byte())
end

local function escaped(bytes)
  return (bytes:gsub(".", hexadecimal))
end

-- The longest character of UTF-8, in bytes.
local LONGEST_CHARACTER = 4

-- A string for an error, a log, a terminal or a comment. What must not be seen becomes "?", or in
-- the style "escaped" its bytes, as \x1b; the style "quoted" adds quotes. longest: the most bytes
-- between the quotes, the last three of which are then "..."; nil for all.
function text.shown(value, longest, style)
  -- No character becomes shorter than a quarter: no more of a long string is looked at.
  local looked_at = longest and value:sub(1, LONGEST_CHARACTER * (longest + 1)) or value
  local shown = text.replaced(looked_at, style == "escaped" and escaped or "?")
  if longest and #shown > longest then
    shown = first_bytes(shown, longest - 3) .. "..."
  end
  return style == "quoted" and '"' .. shown .. '"' or shown
end

local function escaped_within_lines(bytes)
  return (bytes == "\n" or bytes == "\t") and bytes or escaped(bytes)
end

-- A text of several lines for a terminal: line ends and tabs stay.
function text.shown_lines(value)
  value = value:gsub("\r\n", "\n")
  return text.replaced(value, escaped_within_lines)
end

-- The most bytes of a name or value that an error quotes.
local LONGEST_QUOTED = 60

-- A name or value in an error, in quotes.
function text.quoted(value)
  return text.shown(value, LONGEST_QUOTED, "quoted")
end

-- --- the name that was meant --------------------------------------------------------

-- How many bytes two strings have in common, at their beginnings and at their ends.
function text.likeness(one, other)
  local most, before, after = math.min(#one, #other), 0, 0
  while before < most and one:byte(before + 1) == other:byte(before + 1) do
    before = before + 1
  end
  while before + after < most and one:byte(#one - after) == other:byte(#other - after) do
    after = after + 1
  end
  return before + after
end

-- The name that is most like a wrong one, as `, is it "..."?`; "" if no name shares half of the
-- wrong one's bytes and a third of its own. names: a table with names as its keys.
function text.nearest(wrong, names)
  local letters = text.lower(wrong)
  -- Of two that are alike the shorter name is nearer.
  local best, most = nil, math.max(#letters / 2, 2) - 0.5
  for name in next, names do
    local shared = text.likeness(letters, text.lower(name))
    local likeness = shared - #name / 1000
    local is_nearer = likeness > most or likeness == most and best and name < best
    if name ~= wrong and is_nearer and shared * 3 >= #name then
      best, most = name, likeness
    end
  end
  return best and ", is it " .. text.quoted(best) .. "?" or ""
end

return text
