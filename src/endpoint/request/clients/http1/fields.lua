-- SPDX-License-Identifier: MIT
-- The lines of a head as header fields (RFC 9110, section 5).
local Fields = {}
Fields.__index = Fields

local text = require "endpoint.text"

-- lists: the values of each name that are whole; name, parts: the field that is read, nil before
-- the first. Its parts are as many as its lines.
function Fields.new()
  return setmetatable({ lists = {}, name = nil, parts = nil }, Fields)
end

-- The name of a field, in lower case, and its value; nil if the line is not a field. RFC 9112,
-- section 5.1: no white space is before the colon. No pattern here has two repetitions that may
-- share a character, so their time is linear.
local function read(line)
  local name, at = line:match "^([^%s%c:]+):[ \t]*()"
  if not name then
    return nil
  end
  return text.lower(name), line:match("^.*[^ \t]", at) or ""
end

local function finish(self)
  if self.name then
    local list = self.lists[self.name] or {}
    self.lists[self.name] = list
    list[#list + 1] = table.concat(self.parts, " ")
  end
end

-- Takes a line; returns false if it is no part of a field. RFC 9112, section 5.2: "A user agent
-- that receives an obs-fold in a response message [...] MUST replace each received obs-fold with
-- one or more SP octets". One before the first field is no part of any.
function Fields:take(line)
  local at = line:match "^[ \t]+()"
  if at then
    local more = line:match("^.*[^ \t]", at)
    if self.name and more then
      self.parts[#self.parts + 1] = more
    end
    return self.name ~= nil
  end
  local name, value = read(line)
  if name then
    finish(self)
    self.name, self.parts = name, { value ~= "" and value or nil }
  end
  return name ~= nil
end

-- The headers, as a response has them: each value is a string, but that of set-cookie is a list
-- (RFC 9110, section 5.3).
function Fields:joined()
  finish(self)
  self.name = nil
  local headers = {}
  for name, list in pairs(self.lists) do
    headers[name] = name == "set-cookie" and list or table.concat(list, ", ")
  end
  return headers
end

return Fields
