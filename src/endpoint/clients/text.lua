-- SPDX-License-Identifier: MIT
-- Text functions with the same results on every Lua and under every locale.
local text = {}

local result = require "endpoint.result"

local NULL = require "endpoint".null

-- ASCII letters become lower case, other bytes stay.
text.lower = result.lower

-- What is wrong with a number as a text, nil if nothing: it is not finite, or may have lost digits.
text.number_fault = result.number_fault

-- A string, a number without fault or a boolean as it is written in URLs. RFC 3986, section 2.3: all characters
-- but the unreserved ones become triplets, which `decoded` makes characters.
text.encoded, text.decoded = result.encoded, result.decoded

local function upper(match)
  return "-" .. string.char(match:byte(2) - 32)
end

-- user-agent as User-Agent: the first letter and each letter behind a hyphen in upper case.
function text.capitalised(name)
  return (("-" .. name):gsub("%-[a-z]", upper):sub(2))
end

-- The string keys of a table in bytewise order, but for those whose value is null.
function text.sorted_keys(map)
  local keys = {}
  for key, value in next, map do
    if type(key) == "string" and value ~= NULL then
      keys[#keys + 1] = key
    end
  end
  return result.sorted(keys)
end

-- The size of a list, which is a table whose keys are exactly 1..n; nil for any other table.
-- No metamethod is called.
function text.list_size(t)
  local size = 0
  for _ in next, t do
    size = size + 1
  end
  for i = 1, size do
    if rawget(t, i) == nil then
      return nil
    end
  end
  return size
end

-- Has the path a segment "." or ".." (RFC 3986, section 3.3)? %2E is a dot, too.
function text.has_dot_segment(path)
  if path:find("%2", 1, true) then
    path = path:gsub("%%2[Ee]", ".")
  end
  return (path .. "/"):find("/%.%.?/") ~= nil
end

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- Base64 (RFC 4648, section 4).
function text.base64(value)
  return (
    value:gsub("..?.?", function(bytes)
      local first, second, third = bytes:byte(1, -1)
      local bits, digits = first * 65536 + (second or 0) * 256 + (third or 0), {}
      for i = 4, 1, -1 do
        local digit = bits % 64
        digits[i] = i <= #bytes + 1 and BASE64:sub(digit + 1, digit + 1) or "="
        bits = (bits - digit) / 64
      end
      return table.concat(digits)
    end)
  )
end

return text
