-- SPDX-License-Identifier: MIT
-- Decodes JSON by lua-cjson with the integers that it has. Before its version 2.1.0.10 lua-cjson
-- gives every number as a float, which Lua 5.3 and later print as 1.0: then result.json decodes.
local integers = {}

local protected = require "endpoint.protected"
local result = require "endpoint.result"

-- Does this Lua have integers, and does the decoder give floats for them?
local function gives_floats(decode)
  local ok, list = protected.call(decode, "[1]")
  return math.type and ok and math.type(list[1]) == "float"
end

-- Is it lua-cjson's own? That is a function of C. A program may have set another in its place, or
-- another module.
local function is_own(cjson)
  local decode = cjson.decode
  return cjson.decode_max_depth
    and type(decode) == "function"
    and not protected.call(string.dump, decode)
end

-- Makes a decoder that gives integers. lua-cjson says how deep, and decodes what is not JSON or
-- raises.
local function decoding(cjson, decode)
  local most, has_mark = cjson.decode_max_depth, cjson.decode_array_with_array_mt
  return function(text)
    local value = result.json(text, most(), has_mark and has_mark() and cjson.array_mt)
    if value == nil then
      return decode(text)
    end
    return value
  end
end

-- The decoders that were asked for, and those that take their place.
local known = setmetatable({}, { __mode = "k" })

-- The decoder that takes the place of lua-cjson's.
function integers.decoder(cjson)
  local decode = cjson.decode
  if not known[decode] then
    local is_replaced = is_own(cjson) and gives_floats(decode)
    known[decode] = is_replaced and decoding(cjson, decode) or decode
  end
  return known[decode]
end

return integers
