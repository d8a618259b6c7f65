-- SPDX-License-Identifier: MIT
-- A message as a command of a POSIX shell, for people to read and to paste.
local command = {}

local fields = require "endpoint.clients.curl.fields"
local text = require "endpoint.text"

-- May an interactive shell change the text? Its history works line by line and may not see
-- that a later line lies within quotes. There bash from 5.0 on takes a ^ at the start for a
-- change of the last command, and some shells take a ! for an earlier command.
local function is_history(value)
  local newline = value:find "\n"
  return newline and (value:find("!", newline, true) or value:find("\n^", newline, true)) ~= nil
end

-- Can the string be pasted into a terminal? All of it may be shown, but for newlines.
local function is_plain(value)
  local line = value:gsub("\n", " ")
  return text.shown(line) == line and not is_history(value)
end

-- A command that writes the text. A format for POSIX printf takes octal escapes of three
-- digits, and all but letters, digits and some harmless characters are written so.
local function printf(value)
  return "printf '"
    .. value:gsub("[^A-Za-z0-9 _.,:;/=]", function(byte)
      return ("\\%03o"):format(byte:byte())
    end)
    .. "'"
end

-- One word of the command line for text of any bytes but NUL.
local function word(value)
  if not is_plain(value) then
    return '"$(' .. printf(value) .. ')"'
  end
  return "'" .. value:gsub("'", "'\\''") .. "'"
end

-- Linux limits one argument of a program to 128 KiB, and printf is a program in some shells
-- (mksh). The limits are in bytes of text; printf's format takes up to four for each.
local LONGEST_WORD, LONGEST_PART = 65536, 16384

-- A command that writes a text of any length.
local function printfs(value)
  if #value <= LONGEST_PART then
    return printf(value)
  end
  local parts = {}
  for at = 1, #value, LONGEST_PART do
    parts[#parts + 1] = printf(value:sub(at, at + LONGEST_PART - 1))
  end
  return "{ " .. table.concat(parts, "; ") .. "; }"
end

-- What precedes the curl command, and curl's arguments for the body.
local function body_words(body)
  if #body <= LONGEST_WORD and is_plain(body) then
    return "", " --data-raw " .. word(body)
  end
  return printfs(body) .. " | ", " --data-binary @-"
end

-- The request as a command. Without its first options curl expands [ and { in a URL, and resolves
-- its dot segments.
function command.text(m)
  local before, words = "", { "curl --globoff --path-as-is" }
  if m.method == "HEAD" then
    words[2] = " --head"
  elseif m.method ~= "GET" then
    words[2] = " --request " .. word(m.method)
  end
  for _, header in ipairs(fields.lines(m)) do
    words[#words + 1] = " --header " .. word(header)
  end
  if m.body then
    before, words[#words + 1] = body_words(m.body)
  end
  return before .. table.concat(words) .. " " .. word(m.url)
end

return command
