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

-- The string in the first of these fields of a table that has one, or nil.
local function word(value, ...)
  for _, name in ipairs { ... } do
    local words = value[name]
    if type(words) == "string" and words ~= "" then
      return words
    end
  end
end

-- Where FastAPI finds a mistake: { "body", "items", 0 } as body.items.0; nil if it does not say.
local function place_of(value)
  local parts = {}
  for i, part in ipairs(type(value.loc) == "table" and value.loc or {}) do
    if type(part) == "number" then
      part = ("%.14g"):format(part)
    end
    parts[#parts + 1] = type(part) == "string" and part or nil
    if i == MOST then
      break
    end
  end
  return parts[1] and table.concat(parts, ".")
end

-- The words that a table has itself: its message, after its title. GitHub and many others have
-- message, AWS Message, OAuth error_description (RFC 6749, section 5.2), RFC 9457 title and detail,
-- FastAPI and many others msg, Apigee faultstring.
local function own_words(value)
  local words = word(value, "message", "Message", "error_description", "detail", "msg")
    or word(value, "faultstring", "errorMessage", "error_message", "errmsg", "reason")
  local before = word(value, "title")
  if before and before ~= words then
    words = words and before .. ": " .. words or before
  end
  local place = words and place_of(value)
  return place and place .. " " .. words or words
end

-- The fields that hold a table with words, and those that hold several.
local INNER = { "error", "fault", "detail", "Error" }
local LISTS = { "errors", "errorMessages", "message" }

local function inner_words(value, depth)
  for _, name in ipairs(INNER) do
    local words = reason_of(value[name], depth + 1)
    if words then
      return words
    end
  end
end

-- The reasons in the lists of a table, and in itself if it is a list.
local function more_words(value, depth)
  local found = {}
  for _, name in ipairs(LISTS) do
    local list = value[name]
    local is_told = name == "message" and type(list) == "string" -- own_words has it
    found[#found + 1] = type(list) == "table" and listed(list, depth + 1)
      or not is_told and word(value, name)
      or nil
  end
  found[#found + 1] = value[1] ~= nil and listed(value, depth + 1) or nil
  return found[1] and table.concat(found, ", ")
end

-- The server's own words, wherever APIs put them: GitHub has a list of errors beside a message,
-- Rails a map of errors, Jira errorMessages, NestJS a list as its message.
function reason_of(value, depth)
  if type(value) == "string" then
    return value ~= "" and value or nil
  end
  if type(value) ~= "table" or depth > 3 then
    return nil
  end
  local words = own_words(value) or inner_words(value, depth)
  local code, field = word(value, "code"), word(value, "field")
  if code then
    words = words or field and field .. " " .. code or code
  end
  local more = more_words(value, depth)
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
  if type(errors) == "string" and errors ~= "" then
    return display.shown(errors)
  elseif type(errors) ~= "table" or next(errors) == nil then
    return nil
  end
  return display.shown(listed(errors, 0) or "an error without a message")
end

return reasons
