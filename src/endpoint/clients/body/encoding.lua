-- SPDX-License-Identifier: MIT
-- The body of a result as a string, by its content type: a form, JSON, or what the caller's encoder
-- writes.
local encoding = {}

local encoder = require "endpoint.clients.body.encoder"
local form = require "endpoint.clients.body.form"
local json = require "endpoint.clients.body.json"
local text = require "endpoint.text"
local fail, find = require "endpoint.clients.misuse".fail, string.find

local FORM = "application/x-www-form-urlencoded"

-- "form", "json" or nil for a content type. Of several types in it the first counts.
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

-- The same, remembered: most bodies of a program have one content type.
local function kind_of(content_type)
  if content_type ~= last_type then
    last_type, last_kind = content_type, read_kind(content_type)
  end
  return last_kind
end

-- Is the body JSON?
function encoding.is_json(content_type)
  return kind_of(content_type) == "json"
end

-- A body that is not a string yet, as a string. content_type: the header's value, or nil. The
-- option `nested` comes before `encode`, so that a program may give both with all its calls.
function encoding.encode(value, content_type, options)
  local kind = kind_of(content_type)
  if options.encode and not (kind == "form" and options.nested) then
    return encoder.call_own(options.encode, value)
  end
  if kind == "form" then
    return form.encode("body", value, options.nested)
  end
  if kind == "json" then
    return json.encode(value)
  end
  fail("body: expected a string or options.encode, since content-type is neither JSON nor a form")
end

return encoding
