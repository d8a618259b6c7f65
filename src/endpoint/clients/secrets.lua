-- What tells of a secret in headers and URLs, and hiding it. Nothing of results is
-- known here.
local secrets = {}

local text = require "endpoint.clients.text"

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

-- Lower-case words joined by "-", of api_key, apiKey and a[key] alike.
local function words_of(name)
  return (text.lower(name:gsub("([a-z])([A-Z])", "%1-%2")):gsub("[^a-z]+", "-"):gsub("^%-", ""):gsub("%-$", ""))
end

-- The lower-case names of a list, as a set.
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

-- Hides the values of secrets among pairs such as a=1, between any of the separators.
local function masked_pairs(pairs_text, separators, shown)
  return (pairs_text:gsub("[^" .. separators .. "]+", function(pair)
    local name = pair:match("^([^=]*)=")
    local plain = name and text.decoded(name)
    if plain and secrets.is_secret(plain) and not shown[text.lower(plain)] then return name .. "=***" end
  end))
end

-- Hides in a path and a query, or in a whole URL, userinfo and the values of
-- parameters whose names are secrets', also those of a URL in the query. A value
-- ends at "&", so that a secret with a ";" or "?" inside is hidden whole. shown:
-- a set of lower-case names that are not hidden.
function secrets.masked_url(url, shown)
  local path, mark, query = url:gsub("//[^/?#%s]*@", "//***@"):match("^([^?]*)(%??)(.*)$")
  return masked_pairs(path, "/;", shown) .. mark .. masked_pairs(masked_pairs(query, "&", shown), "?&;", shown)
end

local function has_scheme(value)
  local lower = text.lower(value)
  return lower:find("^%s*bearer") or lower:find("^%s*basic") or lower:find("^%s*token%s")
end

-- Fields as they may be shown: a secret as ***, once however often it is given,
-- a URL without its secrets.
function secrets.masked_fields(fields, shown)
  local masked, hidden = {}, {}
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not shown[name] and (secrets.is_secret(name) or has_scheme(value)) then hidden[name] = true end
  end
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    if not hidden[name] then
      masked[#masked + 1] = { name, shown[name] and value or secrets.masked_url(value, shown) }
    elseif hidden[name] == true then
      masked[#masked + 1], hidden[name] = { name, "***" }, "written"
    end
  end
  return masked
end

return secrets
