-- SPDX-License-Identifier: MIT
-- The parts of a body of multipart/form-data (RFC 7578; RFC 2046, section 5.1). What servers read
-- differently is refused, since the body may be sent on: text before the first part or after the
-- last, lines that end in LF alone, the boundary anywhere but between parts, parts within a part.
local parts = {}

local media_types = require "endpoint.checks.incoming.media_types"
local text = require "endpoint.text"

local byte, find, sub = string.byte, string.find, string.sub

-- The most parts of a body, and the most bytes of the head of one.
local MOST_PARTS, MOST_BYTES = 1000, 8192

-- --- the boundary -------------------------------------------------------------------

-- RFC 2046, section 5.1.1: 1 to 70 of these characters, and no space at the end.
local BOUNDARY = "^[%w'()+_,./:=? -]*[%w'()+_,./:=?-]$"

-- The boundary that a content-type names, nil without a right one.
function parts.boundary_of(content_type)
  local after = content_type:match "^[^;]*()"
  local found = media_types.parameters(content_type, after)
  local boundary = found and found.boundary
  if boundary and #boundary <= 70 and find(boundary, BOUNDARY) then
    return boundary
  end
end

-- --- the head of a part -------------------------------------------------------------

local IS_KNOWN = {
  ["content-disposition"] = true,
  ["content-type"] = true,
  ["content-transfer-encoding"] = true,
}

-- The fields of a head that are read, by names in lower case; or nil and words. Others say nothing
-- (RFC 7578, section 4.8).
local function fields_of(head)
  local fields = {}
  for line in (head .. "\r\n"):gmatch "(.-)\r\n" do
    local name, value = line:match "^([%w!#$%%&'*+.^_`|~-]+):[ \t]*(.*)$"
    if not name or find(value, "[%z\r\n]") then
      return nil, "has a malformed head"
    end
    name = text.lower(name)
    if IS_KNOWN[name] and fields[name] then
      return nil, "has " .. name .. " twice"
    end
    fields[name] = value
  end
  return fields
end

-- Some servers take a backslash in a name for itself, others for the first of a pair. RFC 7578,
-- section 4.2: name* and filename* must not be used.
local function name_of(disposition)
  local kind, after = disposition:match "^([^ \t;]*)()"
  local found = text.lower(kind) == "form-data" and media_types.parameters(disposition, after)
  local name = found and found.name
  if name and name ~= "" and not find(name, "\\", 1, true) and not found["name*"] then
    return name
  end
end

local IS_PLAIN = { [""] = true, ["7bit"] = true, ["8bit"] = true, ["binary"] = true }

-- What is wrong with the fields of a head, nil if nothing is.
local function fault_of(fields, media_type)
  local encoding = text.lower(fields["content-transfer-encoding"] or "")
  if not IS_PLAIN[encoding:match "^[^ \t]*"] then
    return "has a content-transfer-encoding"
  elseif media_type and find(media_type, "^multipart/") then
    return "has parts in a part"
  end
end

-- A part of its text: `name`, `type`, which may be nil, and `data`; or nil and words.
local function part_of(whole)
  local first = sub(whole, 1, MOST_BYTES + 4)
  local from, upto = find("\r\n" .. first, "\r\n\r\n", 1, true)
  if not from then
    return nil, "has a part whose head does not end"
  end
  local fields, words = fields_of(sub(whole, 1, from - 3))
  if not fields then
    return nil, words
  end
  local name = name_of(fields["content-disposition"] or "")
  if not name then
    return nil, "has a part without a name"
  end
  local given = fields["content-type"]
  local media_type = given and media_types.bare(given)
  words = fault_of(fields, media_type)
  return not words and { name = name, type = media_type, data = sub(whole, upto - 1) } or nil, words
end

-- --- the body -----------------------------------------------------------------------

local DASH, CR, LF = 45, 13, 10

-- Is a position at the beginning of a line?
local function begins_line(raw, position)
  return position == 1 or byte(raw, position - 2) == CR and byte(raw, position - 1) == LF
end

-- Where the text after a delimiter begins; nil after the last, and then words if something is
-- wrong. position: after the boundary.
local function after_delimiter(raw, position)
  if byte(raw, position) == DASH and byte(raw, position + 1) == DASH then
    local is_end = find(raw, "^[ \t]*$", position + 2) or find(raw, "^[ \t]*\r\n$", position + 2)
    return nil, not is_end and "goes on after its end" or nil
  end
  local after = raw:match("^[ \t]*\r\n()", position)
  return after, not after and "has the boundary in a part" or nil
end

-- Calls a function with the text of each part; returns words if something is wrong. Each byte is
-- looked at once for the next boundary.
local function each(raw, boundary, call)
  local delimiter = "--" .. boundary
  local at = sub(raw, 1, 2) == "\r\n" and 3 or 1
  if sub(raw, at, at + #delimiter - 1) ~= delimiter then
    return "does not begin with the boundary"
  end
  for count = 0, MOST_PARTS do
    local from, words = after_delimiter(raw, at + #delimiter)
    if not from then
      return words
    end
    at = find(raw, delimiter, from, true)
    if count == MOST_PARTS then
      return "has more than 1,000 parts"
    elseif not at then
      return "does not end with the boundary"
    elseif not begins_line(raw, at) then
      return "has the boundary in a part"
    end
    words = call(sub(raw, from, at - 3))
    if words then
      return words
    end
  end
end

-- The parts of a body, each its `name`, `type` (without parameters, or nil) and `data`; or nil and
-- words.
function parts.read(raw, boundary)
  local list = {}
  local words = each(raw, boundary, function(whole)
    local part, fault = part_of(whole)
    list[#list + 1] = part
    return fault
  end)
  if words then
    return nil, words
  end
  return list
end

return parts
