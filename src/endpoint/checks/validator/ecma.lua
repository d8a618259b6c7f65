-- SPDX-License-Identifier: MIT
-- Patterns of JSON Schema, which are regular expressions of ECMA-262 with the flag u, in the words
-- of PCRE.
local ecma = {}

local protected = require "endpoint.protected"

local SPACES =
  "\\s\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"

-- Escapes that are the same in both, or have these words in PCRE, outside of classes and in them.
local SAME = "[dDwWfnrt]"
local OUTSIDE =
  { b = "\\b", B = "\\B", s = "[" .. SPACES .. "]", S = "[^" .. SPACES .. "]", v = "\\x{0b}" }
local INSIDE = { b = "\\x{08}", s = SPACES, S = "\\S", v = "\\x{0b}" }

-- General categories of Unicode by the long names that PCRE does not know.
local CATEGORIES = {
  Letter = "L",
  Cased_Letter = "L&",
  Lowercase_Letter = "Ll",
  Uppercase_Letter = "Lu",
  Titlecase_Letter = "Lt",
  Modifier_Letter = "Lm",
  Other_Letter = "Lo",
  Mark = "M",
  Nonspacing_Mark = "Mn",
  Spacing_Mark = "Mc",
  Enclosing_Mark = "Me",
  Number = "N",
  Decimal_Number = "Nd",
  digit = "Nd",
  Letter_Number = "Nl",
  Other_Number = "No",
  Punctuation = "P",
  punct = "P",
  Connector_Punctuation = "Pc",
  Dash_Punctuation = "Pd",
  Open_Punctuation = "Ps",
  Close_Punctuation = "Pe",
  Initial_Punctuation = "Pi",
  Final_Punctuation = "Pf",
  Other_Punctuation = "Po",
  Symbol = "S",
  Math_Symbol = "Sm",
  Currency_Symbol = "Sc",
  Modifier_Symbol = "Sk",
  Other_Symbol = "So",
  Separator = "Z",
  Space_Separator = "Zs",
  Line_Separator = "Zl",
  Paragraph_Separator = "Zp",
  Other = "C",
  Control = "Cc",
  cntrl = "Cc",
  Format = "Cf",
  Surrogate = "Cs",
  Private_Use = "Co",
  Unassigned = "Cn",
}

-- What may begin a group.
local GROUPS = { "^%(%?:", "^%(%?=", "^%(%?!", "^%(%?<=", "^%(%?<!", "^%(%?<[%a_$][%w_$]*>" }

local function fail()
  error(ecma, 0) -- the pattern cannot be said
end

-- --- escapes ----------------------------------------------------------------------

local function property_at(pattern, at)
  local sign, name = pattern:match("^([pP]){([%w_=]+)}", at)
  if not name then
    fail()
  end
  local last = at + #name + 2
  local value = name:match "^General_Category=(.+)" or name:match "^gc=(.+)" or name
  value = value:match "^Script=(.+)" or value:match "^sc=(.+)" or CATEGORIES[value] or value
  if value:find "=" then
    fail()
  end
  return "\\" .. sign .. "{" .. value .. "}", last
end

local function code_at(pattern, at)
  local high, low = pattern:match("^u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", at)
  if high then
    local code = (tonumber(high, 16) - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00 + 0x10000
    return ("\\x{%x}"):format(code), at + 10
  end
  local digits = pattern:match("^u(%x%x%x%x)", at) or pattern:match("^x(%x%x)", at)
  if digits then
    return "\\x{" .. digits .. "}", at + #digits
  end
  digits = pattern:match("^u{(%x+)}", at)
  if not digits or #digits > 6 then
    fail()
  end
  return "\\x{" .. digits .. "}", at + #digits + 2
end

-- What follows a backslash, in PCRE's words, and where it ends.
local function escape_at(pattern, at, is_class)
  local byte, words = pattern:sub(at, at), is_class and INSIDE or OUTSIDE
  if byte:find(SAME) then
    return "\\" .. byte, at
  elseif words[byte] then
    return words[byte], at
  elseif byte:find "[pP]" then
    return property_at(pattern, at)
  elseif byte:find "[ux]" then
    return code_at(pattern, at)
  elseif byte == "c" and pattern:find("^c%a", at) then
    return ("\\x{%x}"):format(pattern:byte(at + 1) % 32), at + 1
  elseif byte == "0" and not pattern:find("^0%d", at) then
    return "\\x{0}", at
  elseif byte:find "[1-9]" and not is_class and not pattern:find("^%d%d", at) then
    return "\\" .. byte, at
  elseif byte == "k" and not is_class and pattern:find("^k<[%a_$][%w_$]*>", at) then
    local name = pattern:match("^k(<.->)", at)
    return "\\k" .. name, at + #name
  elseif byte == "" or byte:find "[%w\128-\255]" then
    fail()
  end
  return "\\" .. byte, at
end

-- --- classes, groups and the rest ---------------------------------------------------

-- A range of two characters as it is in PCRE; nil if there is none at that place.
local function range_at(pattern, at)
  local first, last = pattern:match("^([^\\%]%[%-\128-\255])%-([^\\%]%[\128-\255])", at)
  if first and last < first then
    fail()
  end
  return first and first .. "-" .. last, at + 2
end

local MEMBERS = { ["["] = "\\[", ["\0"] = "\\x{0}" }

-- What a class has at a place, and where it ends. After a class within it, `-` is a member.
local function member_at(pattern, at)
  local byte = pattern:sub(at, at)
  if byte == "" then
    fail()
  elseif byte ~= "\\" then
    local range, last = range_at(pattern, at)
    return range or MEMBERS[byte] or byte, range and last or at
  end
  local part, last = escape_at(pattern, at + 1, true)
  if pattern:find("^[dDwWsSpP]", at + 1) and pattern:find("^%-[^%]]", last + 1) then
    return part .. "\\-", last + 1
  end
  return part, last
end

-- A class, and where its bracket closes.
local function class_at(pattern, at)
  local parts, position = { "[" }, at + 1
  if pattern:sub(position, position) == "^" then
    parts[1], position = "[^", position + 1
  end
  if pattern:sub(position, position) == "]" then -- of no character, or of any
    return parts[1] == "[" and "(?!)" or "[\\x{0}-\\x{10ffff}]", position
  end
  while pattern:sub(position, position) ~= "]" do
    local part, last = member_at(pattern, position)
    parts[#parts + 1], position = part, last + 1
  end
  return table.concat(parts) .. "]", position
end

local function group_at(pattern, at)
  if not pattern:find("^%(%?", at) then
    if pattern:find("^%(%*", at) then
      fail()
    end
    return "(", at
  end
  for _, group in ipairs(GROUPS) do
    local found = pattern:match(group:gsub("%^", "^(", 1) .. ")", at)
    if found then
      return found, at + #found - 1
    end
  end
  fail()
end

-- PCRE counts no further.
local MOST_TIMES = 65535

local function check_times(quantifier)
  local least, most = quantifier:match "^{(%d+),?(%d*)}"
  least, most = tonumber(least or 0), tonumber(most) or MOST_TIMES
  if least > most or most > MOST_TIMES then
    fail()
  end
end

-- A quantifier, and where it ends. One that follows another has a meaning of its own in PCRE alone.
local function quantifier_at(pattern, at)
  local found = pattern:match("^[*+?]", at) or pattern:match("^{%d+,?%d*}", at)
  if not found then
    return "\\{", at
  end
  check_times(found)
  local last = at + #found
  if pattern:sub(last, last) == "?" then
    found, last = found .. "?", last + 1
  end
  if pattern:find("^[*+?]", last) or pattern:find("^{%d+,?%d*}", last) then
    fail()
  end
  return found, last - 1
end

local ANY = "[^\\n\\r\\x{2028}\\x{2029}]"

local function part_at(pattern, at)
  local byte = pattern:sub(at, at)
  if byte == "\\" then
    return escape_at(pattern, at + 1, false)
  elseif byte == "[" then
    return class_at(pattern, at)
  elseif byte == "(" then
    return group_at(pattern, at)
  elseif byte:find "[*+?{]" then
    return quantifier_at(pattern, at)
  elseif byte == "$" then
    return "\\z", at
  elseif byte == "." then
    return ANY, at
  elseif byte == "\0" then
    return "\\x{0}", at
  end
  return byte, at
end

-- How many groups are open after a part, whose first byte is given.
local function open_after(open, byte)
  if byte == "(" then
    return open + 1
  elseif byte ~= ")" then
    return open
  end
  return open > 0 and open - 1 or fail()
end

local function translate(pattern)
  local parts, position, open, may_repeat = {}, 1, 0, false
  while position <= #pattern do
    local byte = pattern:sub(position, position)
    local part, last = part_at(pattern, position)
    if byte:find "[*+?{]" and part ~= "\\{" and not may_repeat then
      fail()
    end
    open, may_repeat = open_after(open, byte), not byte:find "[(|^]"
    parts[#parts + 1], position = part, last + 1
  end
  return open == 0 and table.concat(parts) or fail()
end

-- A pattern for PCRE; nil if it says what ECMA-262 does not know, or what PCRE cannot say.
function ecma.to_pcre(pattern)
  local is_said, written = protected.call(translate, pattern)
  if is_said then
    return written
  elseif written ~= ecma then
    error(written, 0)
  end
end

return ecma
