-- SPDX-License-Identifier: MIT
-- Finds secrets in headers and URLs by their names, and masks them as ***.
local secrets = {}

local text = require "endpoint.text"

-- How the name of a secret ends, without "-", "_" and brackets. A false alarm costs nothing here.
local ENDINGS = {
  "accesskeyid",
  "appid",
  "assertion",
  "auth",
  "authorization",
  "bearer",
  "cert",
  "clientid",
  "cookie",
  "credential",
  "csrf",
  "dpop",
  "hmac",
  "jwt",
  "key",
  "mfa",
  "otp",
  "pass",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "pwd",
  "samlresponse",
  "secret",
  "sessid",
  "session",
  "sessionid",
  "sig",
  "signature",
  "ticket",
  "token",
  "verifier",
  "xsrf",
}

-- Its last word, if the end of a longer word may be equal: a pin, but no spin.
local WORDS = {
  api = true,
  code = true,
  cvc = true,
  cvv = true,
  pat = true,
  pin = true,
  pw = true,
  sas = true,
  sid = true,
  sign = true,
  ssn = true,
  tan = true,
}

local HARMLESS = { "idempotencykey", "nexttoken", "pagetoken", "sortkey", "websocketkey" }

local function ends_in_any(name, endings)
  for _, ending in ipairs(endings) do
    if name:sub(-#ending) == ending then
      return true
    end
  end
  return false
end

local function is_secret(whole, word)
  return (WORDS[word] or ends_in_any(whole, ENDINGS)) and not ends_in_any(whole, HARMLESS)
end

-- Does a header or parameter of this name hold a credential? The brackets of user[password] and
-- key[] are for the server; tokens and apikey1 are named like the one that they are of.
function secrets.is_credential(name)
  local words = text.lower((name:gsub("([a-z])([A-Z])", "%1-%2"))):match "^.*[^%[%]_0-9-]" or ""
  local whole, word = words:gsub("[%[%]_-]", ""), words:sub(words:match "^.*[^a-z0-9]()" or 1)
  return is_secret(whole, word) or is_secret(whole:gsub("s$", ""), (word:gsub("s$", "")))
end

-- The names of a list in lower case, as a set.
function secrets.set_of_names(list)
  local set = {}
  for _, name in ipairs(list) do
    set[text.lower(name)] = true
  end
  return set
end

-- How often text is decoded: a URL inside a URL may be encoded, and one inside that again.
local DEEPEST = 2

local masked_below -- which calls masked_pairs

-- Does the text contain an encoded secret? depth: how often it was decoded already.
local function is_secret_inside(encoded, shown, depth)
  if depth >= DEEPEST or not encoded:find("%", 1, true) then
    return false
  end
  local plain = text.decoded(encoded)
  return masked_below(plain, shown, depth + 1) ~= plain
end

-- Masks the values of secrets in pairs such as a=1, which the separators separate.
local function masked_pairs(pairs_text, separators, shown, depth)
  return (
    pairs_text:gsub("[^" .. separators .. "]+", function(pair)
      local name, value = pair:match("^([^=]*)=(.*)$")
      if not name then
        return is_secret_inside(pair, shown, depth) and "***" or nil
      end
      local plain = text.decoded(name)
      if shown[text.lower(plain)] then
        return nil
      end
      if secrets.is_credential(plain) or is_secret_inside(value, shown, depth) then
        return name .. "=***"
      end
      if is_secret_inside(name, shown, depth) then
        return "***"
      end
    end)
  )
end

function masked_below(url, shown, depth)
  local path, rest = url:gsub("//[^/?#%s]*@", "//***@"):match("([^?#]*)(.*)$")
  path = masked_pairs(masked_pairs(path, "/;", shown, depth), "/;&", shown, depth)
  local mark, pairs_text = rest:sub(1, 1), rest:sub(2)
  return path
    .. mark
    .. masked_pairs(masked_pairs(pairs_text, "&", shown, depth), "?&;#/", shown, depth)
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
  return word:find("^[^:@]*:[^@]+@") and word:gsub("^.*@", "***@") or nil
end

-- Masks a header's value that is a URL, or pairs separated by commas.
local function masked_value(value, shown)
  value = secrets.masked_url(value, shown):gsub("[^%s/,;]+", masked_word)
  return (
    value:gsub("(,%s*([A-Za-z0-9_.-]+)=)[^,]*", function(start, name)
      if secrets.is_credential(name) and not shown[text.lower(name)] then
        return start .. "***"
      end
    end)
  )
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
    if not shown[name] and (secrets.is_credential(name) or has_scheme(value)) then
      hidden[name] = true
    end
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
