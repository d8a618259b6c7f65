-- SPDX-License-Identifier: MIT
-- To copy: signs results of endpoint for AWS (Signature Version 4) and for OAuth 1.0 (RFC 5849).
-- Needs functions of cryptography, such as luaossl's:
--
--   local signatures = require "signatures"
--   local hmac, digest, mime = require "openssl.hmac", require "openssl.digest", require "mime"
--   local crypto = {
--     sha256 = function(text) return digest.new "sha256":final(text) end,
--     -- "sha1" for HMAC-SHA1
--     hmac = function(key, text) return hmac.new(key, "sha256"):final(text) end,
--     base64 = mime.b64,
--   }
--   local url = "https://my-bucket.s3.eu-west-1.amazonaws.com/{Key}"
--   local r = endpoint("GET " .. url, { Key = "notes.txt" })
--   local key, scope = { id = "AKID...", secret = "..." }, { region = "eu-west-1", service = "s3" }
--   signatures.aws4(r, key, scope, crypto, os.time())
--
-- Both change r, and return it. Its body becomes the text that is signed: send r as it is then.
local signatures = {}

local clients = require "endpoint.clients"

local function decoded(text)
  return (
    text:gsub("%%(%x%x)", function(digits)
      return string.char(tonumber(digits, 16))
    end)
  )
end

-- By RFC 3986, and so is all that clients.form writes.
local function encoded(text)
  return clients.form({ [text] = "" }):sub(1, -2)
end

-- Bytewise, which < is not in every locale.
local function is_before(a, b)
  for at = 1, math.min(#a, #b) do
    if a:byte(at) ~= b:byte(at) then
      return a:byte(at) < b:byte(at)
    end
  end
  return #a < #b
end

-- The pairs of a query encoded anew, and sorted by name and then by value.
local function canonical_query(query)
  local pieces = {}
  for pair in query:gmatch "[^&]+" do
    local name, value = pair:gsub("+", " "):match "^([^=]*)=?(.*)$"
    pieces[#pieces + 1] = encoded(decoded(name)) .. " " .. encoded(decoded(value))
  end
  table.sort(pieces, is_before)
  return (table.concat(pieces, "&"):gsub(" ", "="))
end

local function hex(bytes)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

-- --- AWS ------------------------------------------------------------------------

-- These sign the path as it is sent, once encoded. All others encode it once more.
local S3 = { s3 = true, s3express = true, ["s3-object-lambda"] = true, ["s3-outposts"] = true }

-- What proxies and clients change, AWS' own clients do not sign.
local UNSIGNED = {
  ["cache-control"] = true,
  connection = true,
  expect = true,
  from = true,
  ["keep-alive"] = true,
  ["max-forwards"] = true,
  pragma = true,
  referer = true,
  te = true,
  trailer = true,
  upgrade = true,
  ["user-agent"] = true,
  ["x-amzn-trace-id"] = true,
}

-- The names of the signed headers, and a line for each.
local function canonical_headers(fields)
  local names, lines = {}, {}
  for name in pairs(fields) do
    names[#names + 1] = not UNSIGNED[name] and name or nil
  end
  table.sort(names, is_before)
  for i, name in ipairs(names) do
    lines[i] = name .. ":" .. fields[name]:gsub("[ \t]+", " "):match "^ ?(.-) ?$" .. "\n"
  end
  return table.concat(names, ";"), table.concat(lines)
end

-- A "/" in a segment, %2F, stays what it is.
local function canonical_path(path, is_s3)
  if not is_s3 then
    path = path:gsub("//+", "/")
  end
  return (
    path:gsub("[^/]+", function(segment)
      return encoded(is_s3 and decoded(segment) or segment)
    end)
  )
end

-- Sets the headers that are signed.
local function set_headers(r, key, is_s3, hash, time)
  local headers = r.headers
  headers.authorization, headers.host = nil, clients.plain(r).url:match "^%a+://([^/]+)"
  headers["x-amz-date"], headers["x-amz-security-token"] = time, key.token
  if is_s3 then
    headers["x-amz-content-sha256"] = hash
  end
end

-- key: `id`, `secret` and perhaps `token`. scope: `region`, `service`. now: os.time(). The header
-- x-amz-content-sha256 of r, such as UNSIGNED-PAYLOAD, takes the place of the body's hash.
function signatures.aws4(r, key, scope, crypto, now)
  local m, is_s3, time =
    clients.plain(r), S3[scope.service], tostring(os.date("!%Y%m%dT%H%M%SZ", now))
  local hash = m.headers["x-amz-content-sha256"] or hex(crypto.sha256(m.body or ""))
  r.body = m.body
  set_headers(r, key, is_s3, hash, time)
  local signed, lines = canonical_headers(clients.plain(r).headers)
  local path, query = canonical_path(m.path, is_s3), canonical_query(m.query or "")
  local request = table.concat({ m.method, path, query, lines, signed, hash }, "\n")

  local parts, signature =
    { time:sub(1, 8), scope.region, scope.service, "aws4_request" }, "AWS4" .. key.secret
  for _, text in ipairs(parts) do
    signature = crypto.hmac(signature, text)
  end
  local place = table.concat(parts, "/")
  local text = table.concat({ "AWS4-HMAC-SHA256", time, place, hex(crypto.sha256(request)) }, "\n")
  local authorization = "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s"
  r.headers.authorization =
    authorization:format(key.id, place, signed, hex(crypto.hmac(signature, text)))
  return r
end

-- --- OAuth 1.0 ------------------------------------------------------------------

-- key: `secret`, and perhaps `token_secret`. oauth: the parameters `oauth_…`, all texts; the nonce
-- must be new in each request, and oauth_signature_method that of crypto.hmac.
function signatures.oauth1(r, key, oauth, crypto)
  local m, fields = clients.plain(r), {}
  local is_form = m.headers["content-type"] == "application/x-www-form-urlencoded"
  local pairs_of_all =
    table.concat({ clients.form(oauth), m.query or "", is_form and m.body or "" }, "&")
  local origin =
    m.url:match "^%a+://[^/]+":lower():gsub(m.scheme == "https" and ":443$" or ":80$", "")
  local text = table.concat(
    { m.method, encoded(origin .. m.path), encoded(canonical_query(pairs_of_all)) },
    "&"
  )
  local secrets = encoded(key.secret) .. "&" .. encoded(key.token_secret or "")
  for name, value in pairs(oauth) do
    fields[#fields + 1] = ('%s="%s"'):format(name, encoded(value))
  end
  fields[#fields + 1] = ('oauth_signature="%s"'):format(
    encoded(crypto.base64(crypto.hmac(secrets, text)))
  )
  table.sort(fields)
  r.body, r.headers.authorization = m.body, "OAuth " .. table.concat(fields, ", ")
  return r
end

return signatures
