-- The body of a result as text: a form, JSON, or what an encoder makes.
local body = {}

local errors = require "endpoint.clients.errors"
local form = require "endpoint.clients.form"
local text = require "endpoint.clients.text"
local fail = errors.fail

-- --- JSON -----------------------------------------------------------------------

-- A whole number of more digits is one that lua-cjson rounds unless told otherwise.
local MANY_DIGITS = 1e14

-- Of smaller fractions lua-cjson keeps two places: what becomes a whole number there,
-- as 3.0000000000000004 does, was one but for the rounding of a sum.
local LARGE_FRACTION = 1e12

-- Where lua-cjson was told of fewer digits than usual, all numbers are looked at.
local function rounded_from(cjson)
  return cjson.encode(MANY_DIGITS - 1) == "99999999999999" and MANY_DIGITS or 0
end

-- Does lua-cjson write a number as what it is? A whole number, which may be an
-- id, may neither lose digits nor become 1e+15, which not all readers take for
-- a whole number, and never for the key of a map. A fraction may be rounded, but a
-- large one not to a whole number. What is not finite is lua-cjson's own affair.
local function is_kept(cjson, number, limit)
  local is_fraction = number % 1 ~= 0
  if is_fraction then limit = LARGE_FRACTION end
  if (number > -limit and number < limit) or not text.is_finite(number) then return true end
  local written = cjson.encode(number)
  if is_fraction then return tonumber(written) % 1 ~= 0 end
  return not written:find("[eE]") and tonumber(written) == number
end

-- Of a number that is not kept, the last key above it that is a string, or
-- `key`; nil if all are kept.
local function lost_below(cjson, value, key, limit)
  if type(value) == "number" and not is_kept(cjson, value, limit) then return key end
  if type(value) ~= "table" then return nil end
  for name, element in next, value do
    local lost = lost_below(cjson, name, key, limit)
      or lost_below(cjson, element, type(name) == "string" and name or key, limit)
    if lost then return lost end
  end
end

local function load_cjson(value)
  local found, cjson = pcall(require, "cjson")
  if not found then fail("body: expected lua-cjson or options.encode to encode a %s", type(value)) end
  return cjson
end

-- The encoder is called by pcall itself: its error has no position of this file.
local function encoded(encode, value)
  local made, result, problem = pcall(encode, value)
  if not made then fail("body: it could not be encoded: %s", tostring(result)) end
  if type(result) ~= "string" then
    local reason = type(problem) == "string" and ": " .. problem or ""
    fail("body: expected a string from options.encode, got a %s%s", type(result), reason)
  end
  return result
end

-- Encoding comes first: it refuses what has no end.
local function json_text(value)
  local cjson = load_cjson(value)
  local result = encoded(cjson.encode, value)
  local lost = lost_below(cjson, value, "", rounded_from(cjson))
  if not lost then return result end
  local key = lost ~= "" and " " .. errors.shown(lost) or ""
  fail("body: lua-cjson would lose digits of the number%s: expected a string, or options.encode", key)
end

-- --- which of them --------------------------------------------------------------

local function is_form(content_type)
  return text.lower(content_type):match("^[ \t]*([^; \t]*)") == "application/x-www-form-urlencoded"
end

-- The body as text, nil if there is none. content_type: the header, or nil.
function body.text(value, content_type, encode)
  if value == nil or type(value) == "string" then return value end
  if encode then return encoded(encode, value) end
  if content_type and is_form(content_type) then return form.text("body", value, false) end
  if content_type and not text.lower(content_type):find("json", 1, true) then
    fail("body: expected a string or options.encode, since content-type is neither JSON nor a form")
  end
  return json_text(value)
end

return body
