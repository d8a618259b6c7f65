-- SPDX-License-Identifier: MIT
-- Media types of requests (RFC 9110, section 8.3.1): how a body is read, whether one fits a type of
-- the document, and parameters such as a boundary.
local media_types = {}

local text = require "endpoint.text"

local find, sub = string.find, string.sub

-- Without its parameters, in lower case.
function media_types.bare(media_type)
  return text.lower(media_type):match "^[ \t]*([^ \t;]*)"
end

-- Does a media type fit one of the document, which may be a range?
function media_types.fits(known, media_type)
  return known == media_type
    or known == "*/*"
    or known:sub(-2) == "/*" and media_type:sub(1, #known - 1) == known:sub(1, -2)
end

local KINDS = {
  ["application/x-www-form-urlencoded"] = "form",
  ["multipart/form-data"] = "multipart",
  ["*/*"] = "json",
}

function media_types.is_json(media_type)
  return find(media_type, "/json$") ~= nil or find(media_type, "%+json$") ~= nil
end

-- How a body is read: "json", "form", "multipart" or "text". */* in a document means JSON.
function media_types.kind_of(media_type)
  return KINDS[media_type] or media_types.is_json(media_type) and "json" or "text"
end

-- The charsets in which JSON and forms are read as they are here. In others, such as UTF-7 and
-- IBM037, a server would read another text.
local IS_READ = { ["utf-8"] = true, utf8 = true, ["us-ascii"] = true, ["iso-8859-1"] = true }

local function has_other_charset(media_type)
  for charset in text.lower(media_type):gmatch "charset[ \t]*=[ \t]*[\"']?([^ \t;\"']*)" do
    if not IS_READ[charset] then
      return true
    end
  end
  return false
end

local last, is_last_other -- most requests have the same

-- Has a media type a charset that is not read?
function media_types.has_other_charset(media_type)
  if media_type ~= last then
    is_last_other = find(media_type, ";", 1, true) and has_other_charset(media_type)
    last = media_type
  end
  return is_last_other
end

-- --- parameters ---------------------------------------------------------------------

local NAME = "^([%w!#$%%&'*+.^_`|~-]+)=()"

-- A value, and where it ends. A quote after a backslash ends the text for some servers and not for
-- others, so it is refused.
local function value_at(raw, position)
  local quoted, after = raw:match('^"([^"]*)"()', position)
  if quoted then
    return sub(quoted, -1) ~= "\\" and quoted or nil, after
  end
  return raw:match('^([^%s;"]+)()', position)
end

-- The name of a parameter in lower case, its value, and where it ends; nil if it is malformed.
local function parameter_at(raw, position)
  local name, from = raw:match(NAME, position)
  if name then
    return text.lower(name), value_at(raw, from)
  end
end

-- The parameters after a value such as form-data, by names in lower case; nil if they are
-- malformed, or one is there twice. position: where the value ends.
function media_types.parameters(raw, position)
  local found, size = {}, #raw
  position = raw:match("^[ \t]*()", position)
  while position <= size do
    local from = raw:match("^;[ \t]*()", position)
    if from and from > size then
      break
    end
    local name, value, after = parameter_at(raw, from or size + 1)
    if not value or found[name] then
      return nil
    end
    found[name], position = value, raw:match("^[ \t]*()", after)
  end
  return found
end

return media_types
