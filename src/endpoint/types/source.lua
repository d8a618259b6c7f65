-- SPDX-License-Identifier: MIT
-- Strings of a document in what is written: as literals of Lua, as types of the editor, and as
-- lines of comments.
local source = {}

local text = require "endpoint.text"

local function escape(byte)
  return ("\\%03d"):format(byte:byte())
end
local function escape_all(bytes)
  return (bytes:gsub(".", escape))
end

-- A string literal of Lua and of the definitions: no character in it is invisible, and no quote
-- would close it. Bytes that are not UTF-8 stay, since the caller wants them.
function source.literal(value)
  if value:find('"', 1, true) or value:find("\\", 1, true) then
    value = value:gsub('["\\]', escape)
  end
  return '"' .. text.replaced(value, escape_all) .. '"'
end

-- The same as a type, or as the name of a field. Of quotes within quotes the editor drops a pair.
function source.type_literal(value)
  local quote = #value > 1 and value:sub(1, 1) == value:sub(-1) and value:match "^[\"']" or ""
  if value == "async" then
    quote = '"' -- else the editor reads the word of its own that begins an asynchronous function
  end
  return source.literal(quote .. value .. quote)
end

local SPACE = (" "):byte()

-- The most bytes of a description in a comment, and of one for a model.
local LONGEST_TEXT, LONGEST_WHOLE = 120, 1024

-- The first bytes of a line, up to a whole character.
local function first_bytes(line, count)
  while (line:byte(count + 1) or 0) >= 128 and line:byte(count + 1) < 192 do
    count = count - 1
  end
  return line:sub(1, count)
end

-- A line that is too long ends at a space, unless half of it would be lost: not all languages have
-- spaces.
local function shortened(line, longest)
  local at_space = line:sub(1, longest + 1):match "^(.*[^ ]) "
  local is_long = at_space and #at_space >= longest / 2
  return (is_long and at_space or first_bytes(line, longest)) .. " ..."
end

-- A text with one space for each run of white space and control characters, and none around it.
local function in_one_line(given)
  if not text.is_printable(given) or given:find("  ", 1, true) then
    given = text.shown((given:gsub("[%c%s]+", " ")))
  end
  local first = given:byte() == SPACE and 2 or 1
  return given:sub(first, given:byte(-1) == SPACE and -2 or -1)
end

-- One line without tags of HTML.
local function line_of(description, longest)
  local line = description:sub(1, 8 * longest)
  if line:find("<", 1, true) then
    line = line:gsub("</?%a%w*>", " ")
  end
  line = in_one_line(line)
  if #line <= longest then
    return line
  end
  return shortened(line, longest)
end

-- Text of the document for a comment.
function source.line(description)
  return line_of(description, LONGEST_TEXT)
end

-- The same for a model, which reads all of it.
function source.whole_line(description)
  return line_of(description, LONGEST_WHOLE - 4)
end

return source
