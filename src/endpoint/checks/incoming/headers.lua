-- SPDX-License-Identifier: MIT
-- The headers and the cookies of a request as values.
local headers = {}

local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"

local decoded = text.decoded

-- The white space that a list of RFC 9110 may have (section 5.6.1).
local function trimmed(raw)
  return raw:match "^[ \t]*(.-)[ \t]*$"
end

-- The text of a header, whose fields are joined (RFC 9110, section 5.3); nil without it. A result
-- of the endpoint may have a number or a boolean.
local function text_of(given, name)
  local raw = given[name]
  local kind = type(raw)
  if kind == "table" then
    raw = raw[1] ~= nil and table.concat(raw, ", ") or nil
  elseif kind == "number" or kind == "boolean" then
    raw = decoded(text.encoded(raw))
  end
  return raw
end

-- Reads the headers that an operation knows into a table of values.
function headers.read(reader, plan, given, values)
  local list = plan.headers
  for position = 1, #list do
    local parameter = list[position]
    local raw = text_of(given, parameter.name)
    if raw then
      local words = texts.read(reader, values, parameter.name, parameter, raw, trimmed)
      if words then
        reader:add("header", parameter.name, "", words)
      end
    end
  end
end

-- Reads the cookies that an operation knows (RFC 6265, section 4.2.1). Of two with one name the
-- first counts.
function headers.read_cookies(reader, plan, given, values)
  local raw = text_of(given, "cookie") or ""
  for pair in raw:gmatch "[^;]+" do
    local name, one = pair:match "^[ \t]*([^=]-)[ \t]*=[ \t]*(.*)$"
    local parameter = name and plan.cookies[name]
    if parameter and values[name] == nil then
      one = one:match '^"(.*)"[ \t]*$' or one:match "^(.-)[ \t]*$"
      local words = texts.read(reader, values, name, parameter, one, decoded)
      if words then
        reader:add("cookie", name, "", words)
      end
    end
  end
end

return headers
