-- Finds secrets in headers and URLs by their names, and masks them as ***.
local secrets = {}

local text = require "endpoint.clients.text"

local function set_of(names)
  local set = {}
  for name in names:gmatch("%S+") do set[name] = true end
  return set
end

-- A name that contains one of these names a secret. So does one that contains "auth" other
-- than in "author".
local SECRET_PARTS = {
  "cookie", "session", "sessid", "passw", "passphrase", "passcode", "secret", "token", "signature", "assertion",
  "csrf", "xsrf", "credential", "bearer", "hmac", "jwt", "apikey", "clientcert",
}

-- So does a name with one of these as a word. Inside other words they are harmless:
-- shipping, footprint, certain, keyboard, design.
local SECRET_WORDS = set_of [[
  key keys accesskey appkey privatekey passkey pass pwd sig sid dpop
  pin pins pincode otp totp hotp smsotp otpcode mfa mfacode cert certs certificate certificates sslcert
]]

-- These name no secret.
local HARMLESS = set_of "idempotency-key sec-websocket-key"

-- The words of a name in lower case, joined by "-": api-key for api_key, apiKey and api[key].
local function words_of(name)
  return (text.lower(name:gsub("([a-z])([A-Z])", "%1-%2")):gsub("[^a-z]+", "-"):gsub("^%-", ""):gsub("%-$", ""))
end

-- The names of a list in lower case, as a set.
function secrets.set_of_names(list)
  local set = {}
  for _, name in ipairs(list) do set[text.lower(name)] = true end
  return set
end

-- Is the value of a header or of a query parameter of this name a secret?
function secrets.is_secret(name)
  local words, whole = words_of(name), text.lower(name)
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

-- How often text is decoded: a URL inside a URL may be encoded, and one inside that again.
local DEEPEST = 2

local masked_below -- which calls masked_pairs

-- Does the text contain an encoded secret? depth: how often it was decoded already.
local function is_secret_inside(encoded, shown, depth)
  if depth >= DEEPEST or not encoded:find("%", 1, true) then return false end
  local plain = text.decoded(encoded)
  return masked_below(plain, shown, depth + 1) ~= plain
end

-- Masks the values of secrets in pairs such as a=1, which the separators separate.
local function masked_pairs(pairs_text, separators, shown, depth)
  return (pairs_text:gsub("[^" .. separators .. "]+", function(pair)
    local name, value = pair:match("^([^=]*)=(.*)$")
    if not name then return is_secret_inside(pair, shown, depth) and "***" or nil end
    local plain = text.decoded(name)
    if shown[text.lower(plain)] then return nil end
    if secrets.is_secret(plain) or is_secret_inside(value, shown, depth) then return name .. "=***" end
    if is_secret_inside(name, shown, depth) then return "***" end
  end))
end

function masked_below(url, shown, depth)
  local path, rest = url:gsub("//[^/?#%s]*@", "//***@"):match("^([^?#]*)(.*)$")
  path = masked_pairs(masked_pairs(path, "/;", shown, depth), "/;&", shown, depth)
  local mark, pairs_text = rest:sub(1, 1), rest:sub(2)
  return path .. mark .. masked_pairs(masked_pairs(pairs_text, "&", shown, depth), "?&;#/", shown, depth)
end

-- Masks userinfo and the values of secret parameters in a URL, or in its path, query and
-- fragment alone. A URL inside the URL, encoded or not, is masked as well. A value ends only
-- at "&", so that a secret that contains ";" or "?" is masked as a whole.
-- shown: a set of names in lower case that are not masked.
function secrets.masked_url(url, shown)
  return masked_below(url, shown, 0)
end

-- Masks userinfo without "//" before it.
local function masked_word(word)
  return word:find("^[^:@]+:[^@]+@") and word:gsub("^.*@", "***@") or nil
end

-- Masks a header's value that is a URL, or pairs separated by commas.
local function masked_value(value, shown)
  value = secrets.masked_url(value, shown):gsub("[^%s/,;]+", masked_word)
  return (value:gsub("(,%s*([A-Za-z0-9_.-]+)=)[^,]*", function(start, name)
    if secrets.is_secret(name) and not shown[text.lower(name)] then return start .. "***" end
  end))
end

local function has_scheme(value)
  local lower = text.lower(value)
  return lower:find("^%s*bearer") or lower:find("^%s*basic%s") or lower:find("^%s*token%s")
end

-- The fields with their secrets masked. A secret header becomes one field, so that the number
-- of its values does not show.
function secrets.masked_fields(fields, shown)
  local masked, hidden = {}, {}
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not shown[name] and (secrets.is_secret(name) or has_scheme(value)) then hidden[name] = true end
  end
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not hidden[name] then
      masked[#masked + 1] = { name, shown[name] and value or masked_value(value, shown) }
    elseif hidden[name] == true then
      masked[#masked + 1], hidden[name] = { name, "***" }, "written"
    end
  end
  return masked
end

return secrets
