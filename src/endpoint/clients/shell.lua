-- Words of a POSIX shell's command line, and what not to show on one. Nothing of
-- results is known here.
local shell = {}

-- --- secrets --------------------------------------------------------------------

local function set_of(names)
  local set = {}
  for name in names:gmatch("%S+") do set[name] = true end
  return set
end

-- A name that holds one of these is a secret's. So is one that holds "auth"
-- otherwise than in "author".
local SECRET_PARTS = {
  "cookie", "session", "sessid", "passw", "passphrase", "passcode", "secret", "token", "signature", "assertion",
  "csrf", "xsrf", "credential", "bearer", "hmac", "jwt",
}

-- So is a name with one of these as a word. As parts they stand in harmless
-- words: shipping, footprint, certain, keyboard, design.
local SECRET_WORDS = set_of [[
  key keys apikey accesskey appkey privatekey passkey pass pwd sig sid dpop
  pin pins pincode otp totp hotp otpcode mfa mfacode cert certs certificate certificates clientcert sslcert
]]

-- These name no secret.
local HARMLESS = set_of "idempotency-key sec-websocket-key"

local function lower(text)
  return (text:gsub("[A-Z]", function(letter) return string.char(letter:byte() + 32) end))
end

-- Lower-case words joined by "-", of api_key, apiKey and a[key] alike.
local function words_of(name)
  return (lower(name:gsub("([a-z])([A-Z])", "%1-%2")):gsub("[^a-z]+", "-"):gsub("^%-", ""):gsub("%-$", ""))
end

-- The lower-case names of a list, as a set.
function shell.set_of_names(list)
  local set = {}
  for _, name in ipairs(list) do set[lower(name)] = true end
  return set
end

-- Is the value of a header or of a query parameter of this name a secret?
function shell.is_secret(name)
  local words, whole = words_of(name), lower(name)
  if HARMLESS[words] then return false end
  for _, part in ipairs(SECRET_PARTS) do
    if whole:find(part, 1, true) then return true end
  end
  if whole:gsub("authori[sz]", "auth"):gsub("author", ""):find("auth", 1, true) then return true end
  for word in words:gmatch("[a-z]+") do
    if SECRET_WORDS[word] then return true end
  end
  return false
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- Hides the values of secrets among pairs such as a=1, between any of the separators.
local function masked_pairs(text, separators, shown)
  return (text:gsub("[^" .. separators .. "]+", function(pair)
    local name = pair:match("^([^=]*)=")
    local plain = name and decoded(name)
    if plain and shell.is_secret(plain) and not shown[lower(plain)] then return name .. "=***" end
  end))
end

-- Hides in a path and a query, or in a whole URL, userinfo and the values of
-- parameters whose names are secrets', also those of a URL in the query. A value
-- ends at "&", so that a secret with a ";" or "?" inside is hidden whole. shown:
-- a set of lower-case names that are not hidden.
function shell.masked_url(url, shown)
  local path, mark, query = url:gsub("//[^/?#%s]*@", "//***@"):match("^([^?]*)(%??)(.*)$")
  return masked_pairs(path, "/;", shown) .. mark .. masked_pairs(masked_pairs(query, "&", shown), "?&;", shown)
end

local function has_scheme(value)
  local text = lower(value)
  return text:find("^%s*bearer") or text:find("^%s*basic") or text:find("^%s*token%s")
end

-- Fields as they may be shown: a secret as ***, once however often it is given,
-- a URL without its secrets.
function shell.masked_fields(fields, shown)
  local masked, hidden = {}, {}
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not shown[name] and (shell.is_secret(name) or has_scheme(value)) then hidden[name] = true end
  end
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not hidden[name] then
      masked[#masked + 1] = { name, shown[name] and value or shell.masked_url(value, shown) }
    elseif hidden[name] == true then
      masked[#masked + 1], hidden[name] = { name, "***" }, "written"
    end
  end
  return masked
end

-- --- words ----------------------------------------------------------------------

-- An interactive shell that keeps a history reads line by line: bash takes a ^ at
-- the start of one for a change of the last command, and older bashes take a !
-- for an earlier command, since they do not see that a quote is open.
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
