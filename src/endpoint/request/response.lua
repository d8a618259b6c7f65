-- SPDX-License-Identifier: MIT
-- A response: its status, headers and body.
local response = {}

local protected = require "endpoint.protected"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

local SCALARS = { string = true, number = true, boolean = true }

local function is_header_value(value)
  if type(value) ~= "table" then
    return SCALARS[type(value)] or false
  end
  return text.list_size(value) ~= nil and (protected.call(table.concat, value))
end

-- Are these headers that a program may give: names with strings, numbers, booleans, or lists of
-- strings and numbers?
function response.are_headers(given)
  if type(given) ~= "table" then
    return false
  end
  for name, value in pairs(given) do
    if type(name) ~= "string" or not is_header_value(value) then
      return false
    end
  end
  return true
end

-- Is it a status that a program may give: three digits?
function response.is_status(given)
  return type(given) == "number" and given >= 100 and given <= 999 and given % 1 == 0
end

-- Headers that a program gives, as a response has them: names in lower case, and values as strings.
-- That of set-cookie is a list (RFC 9110, section 5.3).
function response.headers(given)
  local named = {}
  for key, value in pairs(given) do
    local name, list = text.lower(key), type(value) == "table" and value or { tostring(value) }
    named[name] = name == "set-cookie" and with(list) or table.concat(list, ", ")
  end
  return named
end

-- The length that a response says, with the same one several times as one (RFC 9112, section 6.3,
-- item 5); any other value stays.
function response.length(value)
  if not value or not value:find(",", 1, true) then
    return value
  end
  local first = value:match "^[ \t]*(%d+)[ \t]*,"
  for one in (value .. ","):gmatch "([^,]*)," do
    if one:match "^[ \t]*(%d+)[ \t]*$" ~= first then
      return value
    end
  end
  return first or value
end

-- Values of content-encoding that name no coding, but say that there is none, or what a charset or
-- an encoding of mails is called. The bytes are then what they are.
local NO_CODING = {
  [""] = true,
  identity = true,
  none = true,
  null = true,
  ascii = true,
  latin1 = true,
  binary = true,
  ["7bit"] = true,
  ["8bit"] = true,
}
local CHARSETS = { "^utf[-_]?%d", "^iso[-_]?8859", "^us[-_]ascii$", "^windows[-_]%d", "^cp%d" }

-- The codings that there are (IANA, HTTP Content Coding Registry), and "x-" forms.
local CODINGS = {}
for _, name in ipairs {
  "aes128gcm",
  "br",
  "compress",
  "dcb",
  "dcz",
  "deflate",
  "exi",
  "gzip",
  "pack200-gzip",
  "x-compress",
  "x-gzip",
  "zstd",
} do
  CODINGS[name] = true
end

local function is_no_coding(name)
  for _, charset in ipairs(CHARSETS) do
    if name:find(charset) then
      return true
    end
  end
  return NO_CODING[name] or false
end

-- The codings of the content, in lower case; nil if it has none. Of an error any other word is not
-- one: its status and its words say more than a wrong header.
function response.coding(status, headers)
  local given = headers["content-encoding"]
  if not given then
    return nil
  end
  local codings = {}
  for name in (text.lower(given) .. ","):gmatch "([^,]*)," do
    name = name:match "^[ \t]*(.*[^ \t])" or ""
    if not is_no_coding(name) and (status < 400 or CODINGS[name:match "^%S*"]) then
      codings[#codings + 1] = name
    end
  end
  return codings[1] and table.concat(codings, ", ")
end

-- The media type of a response without its parameters, in lower case; "" if it says none.
function response.media_type(one)
  return text.lower(one.headers["content-type"] or ""):match "^[ \t]*([^;, \t]*)"
end

function response.is_success(one)
  return one.status >= 200 and one.status < 300
end

return response
