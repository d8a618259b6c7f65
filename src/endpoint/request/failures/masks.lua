-- SPDX-License-Identifier: MIT
-- Masks the credentials of a request in a message of its server or client, which may repeat them.
local masks = {}

local protected = require "endpoint.protected"
local secrets = require "endpoint.clients.secrets"
local text = require "endpoint.text"

-- Bytes that are looked at, of the text and of each value: longer texts are cut here, and a value
-- that is longer covers all that is left of one.
local LONGEST = 1000

-- A value of fewer bytes is not masked. One of fewer than WHOLE is masked only between characters
-- that are neither letters nor digits: the password "privat" is not in "private".
local SHORTEST, WHOLE = 3, 8

-- More fields of a request than this, more values or deeper tables are not looked at: then nothing
-- of the text is shown.
local MOST_FIELDS, MOST_VALUES, DEEPEST = 50000, 500, 100

-- --- the credentials of a request -------------------------------------------------

local function is_credential(found, name)
  local known = found.names[name]
  if known == nil then
    known = secrets.is_credential(name) and true or false
  end
  found.names[name] = known
  return known
end

local function add_spelling(found, value)
  if #value < SHORTEST or found.values[value] then
    return
  end
  found.values[value], found.room = true, found.room - 1
end

local function number_text(value)
  local ok, written = protected.call(text.encoded, value)
  return ok and text.decoded(written) or tostring(value)
end

-- A string as the encoder of the program writes it in JSON.
local function add_written(found, encode, value)
  local ok, written = protected.call(encode, { value })
  local inner = ok and type(written) == "string" and written:match '^%s*%[%s*"(.*)"%s*%]%s*$'
  if inner then
    add_spelling(found, inner:sub(1, LONGEST))
  end
end

-- A value as it is, and as URLs, forms and JSON hold it. A boolean or null is not a secret.
local function add(found, value)
  if type(value) == "number" then
    value, found.has_number = number_text(value), true
  end
  if type(value) ~= "string" then
    return
  end
  value = value:sub(1, LONGEST)
  local in_json = text.json_escaped(value)
  add_spelling(found, value)
  add_spelling(found, text.encoded(value):sub(1, LONGEST))
  add_spelling(found, in_json:sub(1, LONGEST))
  add_spelling(found, in_json:gsub("/", "\\/"):sub(1, LONGEST))
  if found.encode then
    add_written(found, found.encode, value)
  end
end

-- A value as a URL or a form holds it, and with "+", triplets or both decoded.
local function add_encoded(found, value)
  local spaced = value:gsub("%+", " ")
  add_spelling(found, value:sub(1, LONGEST))
  add_spelling(found, spaced:sub(1, LONGEST))
  add(found, text.decoded(value))
  add(found, text.decoded(spaced))
end

-- Counts a field; returns false where there are too many.
local function spend(found)
  found.fields = found.fields - 1
  found.is_over = found.is_over or found.fields < 0
  return not found.is_over
end

-- The values of a credential's name in a table, at any depth; all below one belong to it. Returns
-- false where there are too many, or too deep ones.
local function add_fields(found, value, is_secret, depth)
  found.is_over = found.is_over or depth > DEEPEST
  if not spend(found) then
    return false
  end
  if type(value) ~= "table" then
    if is_secret then
      add(found, value)
    end
    return true
  end
  for name, field in next, value do
    local is_below = is_secret or type(name) == "string" and is_credential(found, name)
    if not add_fields(found, field, is_below, depth + 1) then
      return false
    end
  end
  return true
end

-- The values of a credential's name in pairs such as a=1 of a URL or a form, and in a URL inside
-- them. A value ends at "&", or before that at another mark of a URL.
local function add_pairs(found, pairs_text, is_inside)
  for _, piece in ipairs { "[^&]+", "[^?&;#/]+" } do
    for pair in pairs_text:gmatch(piece) do
      if not spend(found) then
        return
      end
      local name, value = pair:match "^([^=]*)=(.*)$"
      if name and is_credential(found, text.decoded(name:sub(name:match "^.*[?;#/]()" or 1))) then
        add_encoded(found, value)
      elseif name and not is_inside and value:find("%", 1, true) then
        add_pairs(found, text.decoded(value), true)
      end
    end
  end
end

-- What may stand between "//" and "@": all of it, as it is sent, too, and the password, or else
-- the name alone.
local function add_userinfo(found, url)
  local userinfo = url:match "//([^/?#]*)@"
  if not userinfo then
    return
  end
  local name, password = userinfo:match "([^:]*):?(.*)$"
  add_encoded(found, userinfo)
  add(found, text.base64(text.decoded(name .. ":" .. password)))
  add_encoded(found, password ~= "" and password or name)
end

-- Of the fields of a multipart body; files among them end at the next boundary, too.
local function add_parts(found, body, boundary)
  local at = 1
  while at and spend(found) do
    local from, last = body:find('; name="', at, true)
    local _, head_end = body:find("\r\n\r\n", last or #body, true)
    if not from or not head_end then
      return
    end
    at = body:find("\r\n" .. boundary, head_end, true)
    local value = body:sub(head_end + 1, (at or #body + 1) - 1)
    if is_credential(found, body:match('[^"]*', last + 1)) then
      add(found, value)
    end
  end
end

-- The value of a string or number of JSON, as masks know it; nil if it is not one.
local function token_value(decode, token)
  local ok, list = protected.call(decode, "[" .. token .. "]")
  local value = ok and type(list) == "table" and list[1]
  if type(value) == "number" then
    return number_text(value)
  end
  return type(value) == "string" and value:sub(1, LONGEST) or nil
end

-- Adds each number in a piece of JSON whose value is that of a credential, as it is spelled there:
-- 1e6 is the credential 1000000, too.
local function add_json_numbers(found, piece, decode)
  for token in piece:gmatch "-?%d[%d.eE+-]*" do
    if found.values[token_value(decode, token) or ""] then
      add_spelling(found, token)
    end
  end
end

-- The position after a string of JSON, whose first character is at `at`, and whether it has an
-- escape; nil if it has no end.
local function string_end(body, at)
  local has_escape = false
  while true do
    local found = body:find('["\\]', at)
    if not found then
      return nil
    elseif body:byte(found) == 34 then
      return found + 1, has_escape
    end
    at, has_escape = found + 2, true
  end
end

-- Adds each string in a JSON body whose value is that of a credential, as it is spelled there: with
-- any escapes.
local function add_json_spellings(found, body, decode)
  local at = 1
  while true do
    local first = body:find('"', at, true)
    if found.has_number then
      add_json_numbers(found, body:sub(at, (first or 0) - 1), decode)
    end
    local last, has_escape = string_end(body, (first or #body) + 1)
    if not last then
      return
    end
    local token = has_escape and body:sub(first, last - 1)
    if token and found.values[token_value(decode, token) or ""] then
      add_spelling(found, token:sub(2, -2):sub(1, LONGEST))
    end
    at = last
  end
end

local function add_body(found, body, kind, decode)
  local boundary = body:match "^(%-%-[^\r\n]+)\r\n"
  if boundary then
    return add_parts(found, body, boundary)
  end
  if decode then
    local ok, value = protected.call(decode, body)
    if ok and type(value) == "table" then
      return add_fields(found, value, false, 0) and add_json_spellings(found, body, decode)
    end
  end
  local may_be_form = not kind and not body:find "[%z\1-\8\14-\31]" -- and no file
  if may_be_form or kind and text.lower(kind):find("form-urlencoded", 1, true) then
    add_pairs(found, body)
  end
end

-- All of a credential's header, what comes after its scheme, and the values of cookies that look
-- like keys.
local function add_header(found, name, value)
  if type(value) ~= "string" then
    return add(found, value)
  end
  add(found, value)
  add(found, value:match "^[^%s=]+%s+(%S.*)$")
  for cookie in name == "cookie" and value:gmatch "[^;]+" or function() end do
    local cookie_name, secret = cookie:match "^([^=]*)=(.*)$"
    if cookie_name and (#secret >= WHOLE or is_credential(found, cookie_name)) then
      add(found, secret)
    end
  end
end

local function credentials_of(r, merged, how)
  local found =
    { names = {}, values = {}, fields = MOST_FIELDS, room = MOST_VALUES, encode = how.encode }
  for name, value in next, r.headers do
    if is_credential(found, name) then
      for _, one in ipairs(type(value) == "table" and value or { value }) do
        add_header(found, name, one)
      end
    end
  end
  add_userinfo(found, r.url)
  for _, url in ipairs(how.urls or {}) do
    add_userinfo(found, url)
  end
  for _, value in ipairs(how.values or {}) do
    add(found, value)
  end
  add_pairs(found, r.url)
  for name, value in next, merged do
    add_fields(found, value, is_credential(found, name), 0)
  end
  if type(r.body) == "string" then
    add_body(found, r.body, r.headers["content-type"], how.decode)
  end
  return found
end

-- --- a text without them ----------------------------------------------------------

local function is_whole(message, first, last)
  local around = message:sub(first - 1, first - 1) .. message:sub(last + 1, last + 1)
  return last - first + 1 >= WHOLE or not around:find "[A-Za-z0-9]"
end

-- The last byte of the longest value that begins at each byte of a text.
local function ends_of(message, values)
  local ends = {}
  for value in next, values do
    local first, last = message:find(value, 1, true)
    while first and first <= LONGEST do
      if is_whole(message, first, last) then
        ends[first] = math.max(ends[first] or last, last)
      end
      first, last = message:find(value, first + 1, true)
    end
  end
  return ends
end

-- A message, or its first 1,000 bytes, with *** for each credential of a request. r: the request,
-- a result of the endpoint. merged: what endpoint.merge gave for it. how: a table with
--   decode  reads JSON; false or nil if nothing can
--   encode  the program's own function that writes JSON, or nil
--   urls    a list of those of proxies, or nil
--   values  a list of other credentials, or nil
function masks.masked(message, r, merged, how)
  local found, shown, reached = credentials_of(r, merged, how), {}, 0
  if found.is_over or found.room < 0 then
    return "***"
  end
  message = tostring(message)
  local ends = ends_of(message:sub(1, 2 * LONGEST), found.values)
  for at = 1, math.min(#message, LONGEST) do
    local last = ends[at]
    if at > reached then
      shown[#shown + 1] = last and "***" or message:sub(at, at)
    end
    if last then
      reached = math.max(reached, last)
    end
  end
  shown = table.concat(shown)
  return #message > LONGEST and shown:gsub("[\192-\255][\128-\191]*$", "") .. "..." or shown
end

return masks
