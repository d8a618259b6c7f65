-- Words of a POSIX shell's command line. Nothing of results is known here.
local shell = {}

-- An interactive shell that keeps a history reads line by line: bash from 5.0 on takes
-- a ^ at the start of one for a change of the last command. A !, which stands for an
-- earlier command, is kept from all shells alike.
local function is_history(text)
  local line = text:find("\n", 1, true)
  return line and (text:find("!", line, true) or text:find("\n^", line, true)) ~= nil
end

-- Text that can be pasted into a terminal: no control characters but newline,
-- and no bytes that are not UTF-8.
local function is_plain(text)
  if text:find("[^\n\32-\126\128-\255]") or is_history(text) then return false end
  text = text:gsub("\194[\160-\191]", "."):gsub("[\195-\223][\128-\191]", ".")
    :gsub("[\224-\239][\128-\191][\128-\191]", "."):gsub("[\240-\244][\128-\191][\128-\191][\128-\191]", ".")
  return not text:find("[\128-\255]")
end

-- POSIX: printf's format takes octal escapes of up to three digits, and what
-- is not a letter, a digit or harmless is written so.
local function printf(text)
  return "printf '" .. text:gsub("[^A-Za-z0-9 _.,:;/=]", function(byte)
    return ("\\%03o"):format(byte:byte())
  end) .. "'"
end

-- One word of a shell, whatever its bytes (but NUL).
function shell.word(text)
  if not is_plain(text) then return '"$(' .. printf(text) .. ')"' end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- A single argument of a program is limited to 128 KiB on Linux, and printf is a
-- program in some shells (mksh). Four characters may stand for one byte.
local LONGEST_WORD, LONGEST_PART = 65536, 16384

-- Commands that write a text of any length.
local function printfs(text)
  if #text <= LONGEST_PART then return printf(text) end
  local parts = {}
  for at = 1, #text, LONGEST_PART do parts[#parts + 1] = printf(text:sub(at, at + LONGEST_PART - 1)) end
  return "{ " .. table.concat(parts, "; ") .. "; }"
end

-- The part in front of curl, and its argument.
function shell.body(body)
  if is_plain(body) and #body <= LONGEST_WORD then return "", " --data-raw " .. shell.word(body) end
  return printfs(body) .. " | ", " --data-binary @-"
end

return shell
