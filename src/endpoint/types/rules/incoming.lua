-- SPDX-License-Identifier: MIT
-- What the rules of a call lack for the other direction, where a request came in and its parameters
-- are looked for: those that are not a field of the options as they are, and the other media types
-- of the body. A program that calls needs none of it.
local incoming = {}

local body_encoding = require "endpoint.types.signature.body_encoding"
local headers = require "endpoint.types.signature.headers"
local media_types = require "endpoint.types.document.media_types"
local references = require "endpoint.types.document.references"
local schema = require "endpoint.types.schema"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

-- --- parameters -------------------------------------------------------------------

-- OpenAPI 3.1, "Parameter Object", the defaults of `style` and `explode`.
local DEFAULT_STYLES = { query = "form", path = "simple", header = "simple" }

local SCALARS = { string = true, number = true, integer = true, boolean = true, null = true }

-- Can a value of the node only be one text? Then `explode` says nothing.
local function is_scalar(builder, node)
  node = schema.filled(builder.doc, node)
  local types = node and node.type
  if type(types) ~= "table" then
    types = { types }
  end
  for _, name in ipairs(types) do
    if not SCALARS[name] then
      return false
    end
  end
  return types[1] ~= nil
end

-- The name that a parameter has in a request. Some documents write {+name} in a path.
local function name_of(parameter)
  if parameter.place == "header" then
    return text.lower(parameter.name)
  elseif parameter.place == "path" then
    return parameter.name:match "^[+./;]?(.*)$"
  end
  return parameter.name
end

-- Is the node that of a field of this name? Then the field says it.
local function is_field(call_rules, parameter, node)
  local parts = parameter.place == "header" and { call_rules.headers }
    or { call_rules.at, call_rules.params }
  for _, part in ipairs(parts) do
    local field = part.properties[name_of(parameter)]
    if field and field.ref == node then
      return true
    end
  end
  return false
end

local function is_plain(builder, parameter, node)
  local style = DEFAULT_STYLES[parameter.place]
  return parameter.style == style
    and not parameter.is_json
    and not parameter.allow_empty
    and (parameter.explode == (style == "form") or is_scalar(builder, node))
end

-- A row: the place, the name, the style, is the value exploded, must it be there, is it JSON, may
-- it be an empty text?
local function row_of(parameter)
  local row = { parameter.place, name_of(parameter), parameter.style, parameter.explode }
  local has_more = parameter.is_json or parameter.allow_empty
  if parameter.required and parameter.place ~= "path" or has_more then
    row[5] = parameter.required
  end
  if has_more then
    row[6], row[7] = parameter.is_json == true, parameter.allow_empty or nil
  end
  return row
end

-- No text of a header is null, so its fields do not say that it must not be.
local function node_of(builder, parameter)
  local may_be_null = not parameter.required or parameter.place == "header"
  if may_be_null then
    return parameter.node
  end
  return schema.narrowed(builder.doc, parameter.node, schema.NOT_NULL)
end

-- The parameters of a signature that a request can have, each with its node.
local function parameters_of(builder, signature)
  local list = {}
  for _, parameter in ipairs(signature.parameters) do
    if parameter.place ~= "header" or headers.is_header(parameter) then
      list[#list + 1] = { parameter = parameter, node = node_of(builder, parameter) }
    end
  end
  return list
end

-- --- the body ---------------------------------------------------------------------

-- The Media Type Objects of a body beside the one that the calls take; and their nodes where they
-- differ from its node.
local function add_media_types(builder, body, call_rules, own)
  local taken = media_types.bare(body.media_type)
  call_rules.media_type = taken ~= "application/json" and taken or nil
  local others = {}
  for _, media_type in ipairs(body.media_types) do
    local bare = media_types.bare(media_type)
    if bare ~= taken then
      local written = values.as_table(body.content and body.content[media_type])
      local object = references.resolve(builder.doc, written)
      local node = body.node
      if body.content then
        node = schema.of(builder.doc, object.schema)
      end
      local encoding = values.as_table(object.encoding)
      local from = { media_type = media_type, node = node, encoding = encoding }
      others[#others + 1] = { bare, body_encoding.of_body(builder.doc, from).styles }
      if body_encoding.kind_of(media_type) then
        own.properties["body " .. bare] = { ref = node }
      end
    end
  end
  call_rules.others = others[1] and others or nil
end

-- --- both -------------------------------------------------------------------------

-- Adds to the rules of a call:
-- * `parameters`: a row for each parameter that is not a field of the options with the default
--   style;
-- * `own`: their nodes as properties "PLACE NAME", and those of other bodies, "body MEDIA/TYPE";
-- * `media_type`: the one that `kind` and `body` are of, unless it is application/json;
-- * `others`: rows of the other media types: the name, and of a form the styles of its properties.
--   A text without a node in `own` is bytes, any other has the node of the calls.
function incoming.add(builder, signature, call_rules)
  local own, rows = { properties = {} }, {}
  if signature.body then
    add_media_types(builder, signature.body, call_rules, own)
  end
  for _, one in ipairs(parameters_of(builder, signature)) do
    local is_known = is_field(call_rules, one.parameter, one.node)
    if not is_known then
      own.properties[one.parameter.place .. " " .. name_of(one.parameter)] = { ref = one.node }
    end
    if not (is_known and is_plain(builder, one.parameter, one.node)) then
      rows[#rows + 1] = row_of(one.parameter)
    end
  end
  for name, property in pairs(own.properties) do
    local media_type = name:match "^body (.*)"
    local is_same = property.ref == (call_rules.body_value or call_rules.body)
    if media_type and is_same and body_encoding.kind_of(media_type) ~= "text" then
      own.properties[name] = nil
    end
  end
  call_rules.parameters = rows[1] and rows or nil
  call_rules.own = next(own.properties) ~= nil and own or nil
end

return incoming
