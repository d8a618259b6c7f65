-- SPDX-License-Identifier: MIT
-- The headers and the cookies of a request as values.
local headers = {}

local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"

local decoded = text.decoded
local byte, find, sub = string.byte, string.find, string.sub

local SPACE, TAB, QUOTE = 32, 9, 34

-- Without white space around it (RFC 9110, section 5.6.3). A pattern for its end would look at each
-- run of spaces again from each of them, and LuaJIT compiles no patterns.
local function trimmed(raw)
  local first, last = 1, #raw
  while byte(raw, first) == SPACE or byte(raw, first) == TAB do
    first = first + 1
  end
  while byte(raw, last) == SPACE or byte(raw, last) == TAB do
    last = last - 1
  end
  return sub(raw, first, last)
end

-- The text of a header, whose fields are joined by a separator (RFC 9110, section 5.3); nil without
-- it. A result of the endpoint may have a number or a boolean.
local function text_of(given, name, separator)
  local raw = given[name]
  local kind = type(raw)
  if kind == "table" then
    raw = raw[1] ~= nil and table.concat(raw, separator) or nil
  elseif kind == "number" or kind == "boolean" then
    raw = decoded(text.encoded(raw))
  end
  return raw
end

-- Reads the headers that an operation knows into a table of values. Returns the words of the last
-- one that cannot be read, or nil.
function headers.read(reader, plan, given, values)
  local list, refusal = plan.headers, nil
  for position = 1, #list do
    local parameter = list[position]
    local raw = text_of(given, parameter.name, ", ")
    if raw then
      local words = texts.read(reader, values, parameter.name, parameter, raw, trimmed)
      if words then
        reader:add("header", parameter.name, "", words)
        refusal = words
      end
    end
  end
  return refusal
end

-- Without the quotes that a cookie's value may have (RFC 6265, section 4.1.1).
local function unquoted(one)
  local is_quoted = #one > 1 and byte(one, 1) == QUOTE and byte(one, #one) == QUOTE
  return is_quoted and sub(one, 2, -2) or one
end

local function read_cookie(reader, plan, pair, values)
  local at = find(pair, "=", 1, true)
  local name = at and trimmed(sub(pair, 1, at - 1))
  local parameter = name and plan.cookies[name]
  if parameter and values[name] == nil then
    local one = unquoted(trimmed(sub(pair, at + 1)))
    local words = texts.read(reader, values, name, parameter, one, decoded)
    if words then
      reader:add("cookie", name, "", words)
    end
  end
end

-- Reads the cookies that an operation knows (RFC 6265, section 4.2.1). Of two with one name the
-- first counts. HTTP/2 may send them as several fields (RFC 9113, section 8.2.3).
function headers.read_cookies(reader, plan, given, values)
  local raw = text_of(given, "cookie", "; ")
  local position, size = 1, raw and #raw or 0
  while position <= size do
    local stop = find(raw, ";", position, true) or size + 1
    read_cookie(reader, plan, sub(raw, position, stop - 1), values)
    position = stop + 1
  end
end

return headers
