-- SPDX-License-Identifier: MIT
-- Writes text as words of a command line for a POSIX shell.
local shell = {}

-- May an interactive shell change the text? Its history works line by line and may not see
-- that a later line lies within quotes. There bash from 5.0 on takes a ^ at the start for a
-- change of the last command, and some shells take a ! for an earlier command.
local function is_history(text)
  local line = text:find("\n", 1, true)
  return line and (text:find("!", line, true) or text:find("\n^", line, true)) ~= nil
end

-- Can the text be pasted into a terminal? It has no control characters but newline, and all of
-- it is UTF-8.
local function is_plain(text)
  if text:find("[^\n\32-\126\128-\255]") or is_history(text) then return false end
  text = text:gsub("\194[\160-\191]", "."):gsub("[\195-\223][\128-\191]", ".")
    :gsub("[\224-\239][\128-\191][\128-\191]", "."):gsub("[\240-\244][\128-\191][\128-\191][\128-\191]", ".")
  return not text:find("[\128-\255]")
end

-- A command that writes the text. A format for POSIX printf takes octal escapes of three
-- digits, and all but letters, digits and some harmless characters are written so.
local function printf(text)
  return "printf '" .. text:gsub("[^A-Za-z0-9 _.,:;/=]", function(byte)
    return ("\\%03o"):format(byte:byte())
  end) .. "'"
end

-- One word of the command line for text of any bytes but NUL.
function shell.word(text)
  if not is_plain(text) then return '"$(' .. printf(text) .. ')"' end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Linux limits one argument of a program to 128 KiB, and printf is a program in some shells
-- (mksh). The limits are in bytes of text; printf's format takes up to four for each.
local LONGEST_WORD, LONGEST_PART = 65536, 16384

-- A command that writes a text of any length.
local function printfs(text)
  if #text <= LONGEST_PART then return printf(text) end
  local parts = {}
  for at = 1, #text, LONGEST_PART do parts[#parts + 1] = printf(text:sub(at, at + LONGEST_PART - 1)) end
  return "{ " .. table.concat(parts, "; ") .. "; }"
end

-- What precedes the curl command, and curl's arguments for the body.
function shell.body(body)
  if is_plain(body) and #body <= LONGEST_WORD then return "", " --data-raw " .. shell.word(body) end
  return printfs(body) .. " | ", " --data-binary @-"
end

return shell
