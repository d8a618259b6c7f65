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
function fields.add(lists, name, value)
  lists[name] = lists[name] or {}
  table.insert(lists[name], value)
end

-- Headers whose values are lists, as a response has them: each value is a string, but that of
-- set-cookie is a list (RFC 9110, section 5.3).
function fields.joined(lists)
  local headers = {}
  for name, list in pairs(lists) do
    headers[name] = name == "set-cookie" and list or table.concat(list, ", ")
  end
  return headers
end

return fields
