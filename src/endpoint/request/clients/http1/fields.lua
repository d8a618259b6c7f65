-- SPDX-License-Identifier: MIT
-- Header fields (RFC 9110, section 5) as lines of a response.
local fields = {}

local text = require "endpoint.text"

-- The name of a field, in lower case, and its value; nil if the line is not a field. RFC 9112,
-- section 5.1: no white space is before the colon. No pattern here has two repetitions that may
-- share a character, so their time is linear.
function fields.read(line)
  local name, at = line:match "^([^%s%c:]+):[ \t]*()"
  if not name then
    return nil
  end
  return text.lower(name), line:match("^.*[^ \t]", at) or ""
end

-- Adds a field to headers whose values are lists.
function fields.add(headers, name, value)
  headers[name] = headers[name] or {}
  table.insert(headers[name], value)
end

return fields
