-- SPDX-License-Identifier: MIT
-- Why a server refuses, in the words of its JSON.
local reasons = {}

local display = require "endpoint.request.failures.display"

local reason_of -- which calls listed

-- Reasons that are looked for in a list: only 200 bytes are shown, and it would take long to sort
-- all that a server can send.
local MOST = 100

-- The reasons of a list, { "a", { field = "title", code = "missing" } }, or of a map,
-- { name = { "is too short" } }.
local function listed(errors, depth)
  local found = {}
  local is_list = errors[1] ~= nil
  for key, value in (is_list and ipairs or pairs)(errors) do
    local words = reason_of(value, depth)
    if words then
      found[#found + 1] = type(key) == "string" and key .. " " .. words or words
    end
    if #found == MOST then
      break
    end
  end
  if not is_list then
    table.sort(found)
  end
  return found[1] and table.concat(found, ", ")
end

-- The string in a field of a table, or nil.
local function word(value, name)
  return type(value[name]) == "string" and value[name] ~= "" and value[name] or nil
end

-- The server's own words, wherever APIs put them: GitHub has a list of errors beside a message,
-- Rails a map of errors, OAuth error_description (RFC 6749, section 5.2), RFC 9457 title and
-- detail.
function reason_of(value, depth)
  if type(value) == "string" then
    return value ~= "" and value or nil
  end
  if type(value) ~= "table" or depth > 3 then
    return nil
  end
  local words = word(value, "message") or word(value, "error_description") or word(value, "detail")
  local before = word(value, "title")
  if before and before ~= words then
    words = words and before .. ": " .. words or before
  end
  words = words or reason_of(value.error, depth + 1)
  local code, field = word(value, "code"), word(value, "field")
  if code then
    words = words or field and field .. " " .. code or code
  end
  local more = type(value.errors) == "table" and listed(value.errors, depth + 1)
    or value[1] ~= nil and listed(value, depth + 1)
    or nil
  return words and more and words .. ": " .. more or words or more
end

-- The reason that the decoded body of a response gives; nil if it does not.
function reasons.found(body)
  return type(body) == "table" and reason_of(body, 0) or nil
end

-- The words of GraphQL's field `errors`, which comes with any status; nil if there are no errors.
-- An error without words is one, too.
function reasons.of_graphql(body)
  local errors = type(body) == "table" and body.errors
  if type(errors) ~= "table" or next(errors) == nil then
    return nil
  end
  return display.shown(listed(errors, 0) or "an error without a message")
end

return reasons
