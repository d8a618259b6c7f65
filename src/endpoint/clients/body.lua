-- SPDX-License-Identifier: MIT
-- The body of a result as text: encoded by the caller's encoder, as a form, or as JSON.
local body = {}

local endpoint = require "endpoint"
local errors = require "endpoint.clients.errors"
local text = require "endpoint.text"
local fail, find, shown = errors.fail, string.find, errors.shown

local NULL = endpoint.null

-- --- JSON -----------------------------------------------------------------------

-- The least number of 15 digits. lua-cjson writes 14 digits unless it is set otherwise.
local MANY_DIGITS = 1e14

-- A smaller fraction keeps at least two places in 14 digits. One that becomes a whole number
-- even so, such as 3.0000000000000004, differs from it by a rounding error.
local LARGE_FRACTION = 1e12

-- The least whole number that lua-cjson may change: 0 if it is set to fewer digits.
local function rounded_from(cjson)
  return cjson.encode(MANY_DIGITS - 1) == "99999999999999" and MANY_DIGITS or 0
end

-- Does lua-cjson keep the number? A whole number may be an id: it must have kept all its digits
-- so far, must keep them, and must not become 1e+15, which not all readers take for a whole number,
-- and none for a key. A fraction may be rounded, but a large one not to a whole number. lua-cjson itself
-- decides about NaN and infinity.
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
    return tonumber(written) % 1 ~= 0
  end
  return not written:find("[eE]") and tonumber(written) == number
end

-- Where the first number is that lua-cjson would not keep: the nearest string key above it,
-- `key` if there is none; nil if all numbers are kept.
local function lost_below(cjson, value, key, limit)
  if type(value) == "number" and not is_kept(cjson, value, limit) then
    return key
  end
  if type(value) ~= "table" then
    return nil
  end
  for name, element in next, value do
    local lost = lost_below(cjson, name, key, limit)
      or lost_below(cjson, element, type(name) == "string" and name or key, limit)
    if lost then
      return lost
    end
  end
end

local function load_cjson(value)
  local found, cjson = pcall(require, "cjson")
  if not found then
    fail("body: expected lua-cjson or options.encode to encode a %s", type(value))
  end
  return cjson
end

-- pcall calls the encoder directly, so that an error of level 2 gets no position of this file.
local function encoded(encode, value)
  local made, result, problem = pcall(encode, value)
  if not made then
    fail("body: could not be encoded: %s", tostring(result))
  end
  if type(result) ~= "string" then
    local reason = type(problem) == "string" and ": " .. problem or ""
    fail("body: expected a string from options.encode, got a %s%s", type(result), reason)
  end
  return result
end

-- Encoding comes first: it refuses tables that hold themselves, on which lost_below would
-- never end.
local function json_text(value)
  local cjson = load_cjson(value)
  local result = encoded(cjson.encode, value)
  local lost = lost_below(cjson, value, "", rounded_from(cjson))
  if not lost then
    return result
  end
  local key = lost ~= "" and " " .. shown(lost) or ""
  fail(
    "body: lua-cjson would lose, or has lost, digits of the number%s: expected a string, or options.encode",
    key
  )
end

-- --- forms ----------------------------------------------------------------------

-- Text of the media type application/x-www-form-urlencoded. A space becomes %20, as in URLs: readers of
-- forms decode it as they do "+".

-- Levels of nested tables; a table that holds itself has more.
local DEEPEST = 100

local function value_text(what, name, value)
  local kind = type(value)
  local fault = kind == "number" and text.number_fault(value)
  if fault then
    fail("%s: field %s: %s", what, shown(name), fault)
  end
  if kind == "string" or kind == "boolean" or kind == "number" then
    return text.encoded(value)
  end
  return fail(
    "%s: field %s: expected a string, finite number, boolean, list or map, got a %s",
    what,
    shown(name),
    kind
  )
end

-- The size of a list; nil for a map.
local function list_size(what, name, value)
  local size = text.list_size(value)
  for key in next, size and {} or value do
    if type(key) ~= "string" then
      fail(
        "%s: field %s: expected a list with the keys 1..n or a map with string keys, got another table",
        what,
        shown(name)
      )
    end
  end
  return size
end

local function has_tables(list)
  for _, element in next, list do
    if type(element) == "table" then
      return true
    end
  end
  return false
end

local append_below -- which calls append

-- Appends the pairs of a value to `to`, a list of pairs that also has `nested` and `what`.
-- prefix: the encoded name of the pairs. name: the field's name, for errors.
local function append(to, prefix, name, value, depth)
  if value == NULL then
    return
  end
  if type(value) == "table" then
    return append_below(to, prefix, name, value, depth + 1)
  end
  to[#to + 1] = prefix .. "=" .. value_text(to.what, name, value)
end

local function append_list(to, prefix, name, list, size, depth)
  local numbered = to.nested == "indices" or has_tables(list)
  if numbered and not to.nested then
    fail(
      '%s: field %s: expected a list without tables, or options.nested, "brackets" or "indices"',
      to.what,
      shown(name)
    )
  end
  for i = 1, size do
    local suffix = to.nested and "%5B" .. (numbered and ("%d"):format(i - 1) or "") .. "%5D" or ""
    append(to, prefix .. suffix, name, list[i], depth)
  end
end

local function append_map(to, prefix, name, map, depth)
  if not to.nested then
    fail(
      '%s: field %s: expected no map, or options.nested, "brackets" or "indices"',
      to.what,
      shown(name)
    )
  end
  for _, key in ipairs(text.sorted_keys(map)) do
    append(to, prefix .. "%5B" .. text.encoded(key) .. "%5D", name, map[key], depth)
  end
end

function append_below(to, prefix, name, value, depth)
  if depth > DEEPEST then
    fail(
      "%s: field %s: expected at most %d levels of tables, and none that holds itself",
      to.what,
      shown(name),
      DEEPEST
    )
  end
  local size = list_size(to.what, name, value)
  if size then
    return append_list(to, prefix, name, value, size, depth)
  end
  append_map(to, prefix, name, value, depth)
end

-- The text of a map. what: its name in errors. nested: the option, or nil for a form without
-- nested tables.
function body.form(what, map, nested)
  if type(map) ~= "table" then
    fail("%s: expected a table or a string for a form, got a %s", what, type(map))
  end
  for key in next, map do
    if type(key) ~= "string" then
      fail("%s: expected string keys as the names of a form's fields", what)
    end
  end
  local to = { what = what, nested = nested }
  for _, name in ipairs(text.sorted_keys(map)) do
    append(to, text.encoded(name), name, map[name], 0)
  end
  return table.concat(to, "&")
end

-- --- any body -----------------------------------------------------------------

local FORM = "application/x-www-form-urlencoded"

-- "form", "json" or nil for the content type, in which the first of several types counts.
local function read_kind(content_type)
  if content_type == nil then
    return "json"
  end
  local types = text.lower(content_type)
  if find(types, FORM, 1, true) and types:match("^[ \t]*([^,; \t]*)") == FORM then
    return "form"
  end
  return find(types:match "[^,]*", "json") and "json" or nil
end

local last_type, last_kind = nil, "json"

-- The same; a program's bodies mostly have one content type.
local function kind_of(content_type)
  if content_type ~= last_type then
    last_type, last_kind = content_type, read_kind(content_type)
  end
  return last_kind
end

-- The body, which is no string, as text. content_type: the header's text, or nil. `nested` comes
-- before `encode`, so that a program may give both with all its calls.
function body.text(value, content_type, options)
  local kind = kind_of(content_type)
  if options.encode and not (kind == "form" and options.nested) then
    return encoded(options.encode, value)
  end
  if kind == "form" then
    return body.form("body", value, options.nested)
  end
  if kind == "json" then
    return json_text(value)
  end
  fail("body: expected a string or options.encode, since content-type is neither JSON nor a form")
end

return body
