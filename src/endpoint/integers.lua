-- SPDX-License-Identifier: MIT
-- Decodes JSON by lua-cjson with the integers that it has. Before its version 2.1.0.10 lua-cjson
-- gives every number as a float, which Lua 5.3 and later print as 1.0.
local integers = {}

local protected = require "endpoint.protected"
local result = require "endpoint.result"

-- Does this Lua have integers, and does the decoder give floats for them?
local function gives_floats(decode)
  local ok, list = protected.call(decode, "[1]")
  return math.type and ok and math.type(list[1]) == "float"
end

-- A number alone. text: what it was decoded from.
local function restored_number(number, text)
  return not text:find "[.eE]" and number > -2 ^ 53 and number < 2 ^ 53 and math.tointeger(number)
    or number
end

-- Makes a decoder that gives integers of one that gives floats.
local function restoring(decode)
  return function(text)
    local value = decode(text)
    if type(value) == "number" then
      return restored_number(value, text)
    elseif type(value) ~= "table" then
      return value
    end
    local marked = result.marked(text)
    return result.restore(value, marked and decode(marked) or value)
  end
end

-- The decoders that were asked for, and those that take their place.
local known = setmetatable({}, { __mode = "k" })

-- The decoder that takes the place of lua-cjson's.
function integers.decoder(decode)
  if not known[decode] then
    known[decode] = gives_floats(decode) and restoring(decode) or decode
  end
  return known[decode]
end

return integers
