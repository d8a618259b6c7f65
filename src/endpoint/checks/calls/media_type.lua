-- SPDX-License-Identifier: MIT
-- An operation may take bodies of several media types, each with a schema of its own. The rules of
-- a call are those of the content-type that the call gives, or else its endpoint.
local media_type = {}

local defaults_of = require "endpoint.parameters".defaults_of
local encoder = require "endpoint.checks.json.encoder"
local media_types = require "endpoint.checks.incoming.media_types"
local text = require "endpoint.text"

local NONE = {}

local function content_type_in(headers)
  for name, one in next, type(headers) == "table" and headers or NONE do
    if type(name) == "string" and text.lower(name) == "content-type" then
      return one
    end
  end
end

-- The media type of a call, in lower case; nil if it gives none, or null. api: its endpoint or nil.
local function given_type(given, api)
  local found = content_type_in(given.headers)
  if found == nil then
    found = content_type_in((defaults_of(api) or NONE).headers)
  end
  return type(found) == "string" and media_types.bare(found) or nil
end

-- Of these a client makes a body of a table; any other body is a text or a stream.
local IS_WRITTEN = { json = true, form = true }

-- The node that another media type has of its own, nil if its node is that of the calls. name: the
-- media type as the document has it.
local function own_node(rules, name)
  local is_written = rules.own and IS_WRITTEN[media_types.kind_of(name)]
  return is_written and rules.own.properties["body " .. name] or nil
end

-- May a body have other rules than those of the calls?
function media_type.has_others(rules)
  for _, other in ipairs(rules.others or NONE) do
    if own_node(rules, other[1]) then
      return true
    end
  end
  return false
end

-- The name in the document that fits a media type, and its node, if it has one of its own.
local function other_of(rules, given)
  for _, other in ipairs(rules.others) do
    if media_types.fits(other[1], given) then
      return other[1], own_node(rules, other[1])
    end
  end
end

-- The operation with the node of another media type as its body.
local function with_body(rulebook, operation, node, name)
  local rules = setmetatable({ body = node }, { __index = operation.rules })
  rules.fields = rules.is_beside and (rulebook.node(node).properties or NONE) or nil
  local is_json = media_types.kind_of(name) == "json"
  -- `false` keeps the encoder of the calls away.
  local encode = is_json and encoder.new(rulebook, node) or false
  return setmetatable({ rules = rules, encode = encode }, { __index = operation })
end

-- The operation with the rules of the media type that a call has. operation: with its rules.
function media_type.chosen(rulebook, operation, given, api)
  local rules = operation.rules
  local found = media_type.has_others(rules) and given_type(given, api)
  if not found or media_types.fits(rules.media_type or "application/json", found) then
    return operation
  end
  local name, node = other_of(rules, found)
  if not node then
    return operation
  end
  operation.of_types = operation.of_types or {}
  operation.of_types[name] = operation.of_types[name] or with_body(rulebook, operation, node, name)
  return operation.of_types[name]
end

return media_type
