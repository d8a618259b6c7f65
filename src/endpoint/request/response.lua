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

function response.is_success(one)
  return one.status >= 200 and one.status < 300
end

return response
