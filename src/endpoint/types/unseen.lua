-- SPDX-License-Identifier: MIT
-- Characters that a terminal or an editor obeys in the place of showing them.
local unseen = {}

-- Code points: control characters, marks of direction, invisible ones, tags.
local RANGES = { { 0, 31 }, { 127, 159 }, { 0x61C, 0x61C }, { 0x200B, 0x200F }, { 0x2028, 0x202E }, { 0x2060, 0x206F },
  { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB }, { 0xE0000, 0xE007F } }

local function is_unseen(code)
  for _, range in ipairs(RANGES) do
    if code >= range[1] and code <= range[2] then return true end
  end
  return false
end

-- The code point of a whole sequence of UTF-8 (RFC 3629, section 3), or nil.
local function code_of(sequence)
  local first, length = sequence:byte(), #sequence
  if length == 1 then return first < 128 and first or nil end
  if first < ({ nil, 0xC2, 0xE0, 0xF0 })[length] or first >= ({ nil, 0xE0, 0xF0, 0xF5 })[length] then return nil end
  local code = first % 2 ^ (7 - length)
  for position = 2, length do code = code * 64 + sequence:byte(position) % 64 end
  return code
end

-- A text in which each character that is not to be seen, and each byte that is no UTF-8, is
-- replaced: by a text, or by what a function makes of its bytes.
function unseen.replaced(value, by)
  if not value:find "[^\32-\126]" then return value end
  return (value:gsub("[^\32-\126][\128-\191]?[\128-\191]?[\128-\191]?", function(bytes)
    local first = bytes:byte()
    local length = first < 0xC2 and 1 or first < 0xE0 and 2 or first < 0xF0 and 3 or 4
    local sequence, rest = bytes:sub(1, length), bytes:sub(length + 1)
    local code = #sequence == length and code_of(sequence)
    if not code or is_unseen(code) then sequence = type(by) == "string" and by or by(sequence) end
    return sequence .. unseen.replaced(rest, by)
  end))
end

return unseen
