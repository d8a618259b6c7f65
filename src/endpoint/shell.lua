-- Words of a POSIX shell's command line, and which headers not to show on one.
-- Nothing of results is known here.
local shell = {}

-- A header whose name matches one of these is taken for a secret.
local SECRET_NAMES = {
  "auth", "cookie", "token", "secret", "pass", "pwd", "key", "session", "%f[%w]sid%f[%W]", "csrf", "xsrf",
  "credential", "jwt", "otp", "bearer", "dpop", "hmac", "signature", "%f[%w]sig",
}

function shell.is_secret(name)
  for _, pattern in ipairs(SECRET_NAMES) do
    if name:find(pattern) then return true end
  end
  return false
end

-- Text that can be pasted into a terminal: no control characters but newline,
-- and no bytes that are not UTF-8.
local function is_plain(text)
  if text:find("[^\n\32-\126\128-\255]") then return false end
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
