-- SPDX-License-Identifier: MIT
-- A body as JSON by lua-cjson, which loses no digits of a number unseen.
local json = {}

local call_encoder = require "endpoint.clients.body.encoder".call
local has_great_number = require("endpoint.result").has_great_number
local misuse = require "endpoint.clients.misuse"
local protected = require "endpoint.protected"
local text = require "endpoint.text"
local fail = misuse.fail

-- The least number of 15 digits. lua-cjson writes 14 digits unless it is set otherwise.
local MANY_DIGITS = 1e14

-- A smaller fraction keeps at least two places in 14 digits. One that becomes a whole number
-- even so, such as 3.0000000000000004, differs from it by a rounding error.
local LARGE_FRACTION = 1e12

-- Does lua-cjson write 14 digits? It says how many are set; another encoder of its name may not.
local function writes_14_digits(cjson)
  local precision = cjson.encode_number_precision
  if precision then
    return precision() >= 14
  end
  return cjson.encode(MANY_DIGITS - 1) == "99999999999999"
end

-- Does lua-cjson keep the number? A whole number may be an id: it must have kept all its digits
-- so far, must keep them, and must not become 1e+15, which not all readers take for a whole number,
-- and no reader for a key. A fraction may be rounded, but a large one not to a whole number.
-- lua-cjson itself decides about NaN and infinity.
local function is_kept(cjson, number, limit)
  local is_fraction = number % 1 ~= 0
  if is_fraction then
    limit = LARGE_FRACTION
  end
  if (number > -limit and number < limit) or number - number ~= 0 then
    return true
  end
  if text.number_fault(number) then
    return false
  end
  local written = cjson.encode(number)
  if is_fraction then
    return text.number(written) % 1 ~= 0
  end
  return not written:find("[eE]") and tonumber(written) == number
end

-- Where the first number is that lua-cjson would not keep: the nearest string key above it, `key`
-- if no string key is above it; nil if all numbers are kept.
local function lost_below(cjson, value, key, limit)
  for name, element in next, value do
    local kind, below = type(element), type(name) == "string" and name or key
    if type(name) == "number" and not is_kept(cjson, name, limit) then
      return key
    elseif kind == "number" and not is_kept(cjson, element, limit) then
      return below
    end
    local lost = kind == "table" and lost_below(cjson, element, below, limit)
    if lost then
      return lost
    end
  end
end

local function load_cjson(value)
  local loaded = package.loaded.cjson
  if loaded then
    return loaded
  end
  local found, cjson = protected.call(require, "cjson")
  if not found then
    fail("body: expected lua-cjson or options.encode to encode a %s", type(value))
  end
  return cjson
end

-- nil, or a sentence about a number in the value that lua-cjson would not keep. Few bodies have a
-- number that could be one.
local function number_problem(cjson, value)
  -- The least whole number that lua-cjson may change: 0 if it is set to fewer digits.
  local limit, least = MANY_DIGITS, LARGE_FRACTION
  if not writes_14_digits(cjson) then
    limit, least = 0, 0
  end
  local is_possible = has_great_number(value, least)
  local lost = is_possible and lost_below(cjson, { value }, "", limit)
  if not lost then
    return nil
  end
  local key = lost ~= "" and " " .. misuse.quoted(lost) or ""
  return "lua-cjson would lose, or has lost, digits of the number"
    .. key
    .. ": expected a string, or options.encode"
end

-- Encoding comes first: it refuses tables that hold themselves, on which lost_below would
-- never end.
function json.encode(value)
  local cjson = load_cjson(value)
  local result = call_encoder(cjson.encode, value)
  local problem = number_problem(cjson, value)
  if not problem then
    return result
  end
  fail("body: %s", problem)
end

-- The same for a function that is itself an encoder: raises the problem alone, without a position.
-- The second result is lua-cjson.
function json.written(value)
  local cjson = load_cjson(value)
  local result = cjson.encode(value)
  local problem = number_problem(cjson, value)
  if problem then
    error(problem, 0)
  end
  return result, cjson
end

return json
