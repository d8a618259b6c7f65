-- SPDX-License-Identifier: MIT
-- Strings of a document in what is written: as literals of Lua, as types of the editor, and as lines of comments.
local source = {}

local text = require "endpoint.text"

local function escape(byte)
  return ("\\%03d"):format(byte:byte())
end
local function escape_all(bytes)
  return (bytes:gsub(".", escape))
end

-- A string literal of Lua and of the definitions: no character in it is invisible, and no quote
-- would close it. What is no UTF-8 stays, as the caller wants its bytes.
function source.literal(value)
  return '"' .. text.replaced(value:gsub('["\\]', escape), escape_all) .. '"'
end

-- The same as a type, or as the name of a field. Of quotes within quotes the editor drops a pair.
function source.type_literal(value)
  local quote = #value > 1 and value:sub(1, 1) == value:sub(-1) and value:match "^[\"']" or ""
  return source.literal(quote .. value .. quote)
end

-- The most bytes of a description.
local LONGEST_TEXT = 120

-- Text of the document for a comment: one line without tags of HTML, shortened at a space.
function source.line(description)
  local line = description:sub(1, 8 * LONGEST_TEXT):gsub("</?%a%w*>", " "):gsub("[%c%s]+", " ")
  line = text.shown(line):gsub("^ ", ""):gsub(" $", "")
  if #line <= LONGEST_TEXT then
    return line
  end
  local short = line:sub(1, LONGEST_TEXT + 1):match "^(.*[^ ]) "
    or line:sub(1, LONGEST_TEXT):gsub("[\128-\255]+$", "")
  return short .. " ..."
end

return source
