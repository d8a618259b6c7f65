-- SPDX-License-Identifier: MIT
-- The body of an operation: its properties as fields beside the parameters, or `data`.
local body_fields = {}

local address = require "endpoint.types.signature.address"
local body_encoding = require "endpoint.types.signature.body_encoding"
local field = require "endpoint.types.signature.field"
local lua_types = require "endpoint.types.document.lua_types"
local media_types = require "endpoint.types.document.media_types"
local object_schema = require "endpoint.types.document.object_schema"
local reader = require "endpoint.types.document.reader"
local source = require "endpoint.types.source"
local values = require "endpoint.types.document.values"

-- Under these methods the parameters beside the template are the body.
local TAKES_FIELDS = { POST = true, PUT = true, PATCH = true, DELETE = true, QUERY = true }

-- Under these the module sends no body.
local TAKES_NONE = { GET = true, HEAD = true, TRACE = true }

local FORM = "application/x-www-form-urlencoded"

-- "json", "form", or "text" for what the caller encodes.
local function format_of(body)
  local bare = media_types.bare(body.media_type)
  if media_types.is_json(bare) or bare == "*/*" then
    return "json"
  end
  return bare == FORM and "form" or "text"
end

-- The media types that the header can name for the format. The module itself labels JSON.
local function labels_of(body, format)
  local labels = {}
  if media_types.bare(body.media_type) == "application/json" or body.media_type == "*/*" then
    return labels
  end
  for _, media_type in ipairs(body.media_types) do
    local is_of_format = format_of { media_type = media_type } == format
    if is_of_format and not media_type:find "%*" then
      labels[#labels + 1] = source.literal(media_type)
    end
  end
  return labels
end

local function add_label(body, format, signature)
  local labels = labels_of(body, format)
  if #labels == 0 then
    return
  end
  labels[#labels + 1] = "string"
  signature.headers[#signature.headers + 1] =
    field.scalar("content-type", labels, {}, "say it here or in the defaults")
end

-- --- fields -----------------------------------------------------------------------

local function encoding_of(body, name)
  return values.as_table(body.encoding[name])
end

-- The types of a table that a form has nested, which the option `nested` of a client writes, or
-- that is JSON as text unless the document says that it is nested.
local function nested_types(types, is_deep)
  local all = {}
  for _, one in ipairs(types) do
    all[#all + 1] = one
  end
  if not is_deep then
    all[#all + 1] = lua_types.scalars { "string" }[1]
  end
  return all
end

-- The field of a property that a form has as a text: a nested table, or a list unless it repeats
-- the name; nil for any other.
local function form_field(body, property, types, from)
  local name, encoding = property.name, encoding_of(body, property.name)
  local is_deep, kind = encoding.style == "deepObject", lua_types.kind_of(types)
  if kind == "map" or lua_types.is_nested(types) then
    local note = is_deep and 'nested = "brackets" sends it'
      or "JSON, as text, or a table that the option nested sends"
    local table_field = field.new(name, nested_types(types, is_deep), from, note)
    table_field.is_text_too = not is_deep
    return table_field
  end
  if kind == "list" and encoding.explode == false and not is_deep then
    return field.joined(name, from, body_encoding.SEPARATORS[encoding.style or "form"] or ",")
  end
end

local function add_fields(doc, body, format, properties, fields)
  for _, property in ipairs(properties) do
    local types = lua_types.types_of(doc, property.schema)
    local from = field.source(property)
    fields[#fields + 1] = format == "form" and form_field(body, property, types, from)
      or field.new(property.name, types, from)
  end
end

-- Can all properties stand beside the parameters? Those with the name of an option or of a
-- variable cannot.
local function stands_beside(operation, properties, variables)
  for _, property in ipairs(properties) do
    if field.is_option(property.name) or variables[property.name] then
      return false
    end
  end
  return TAKES_FIELDS[operation.method] == true
end

-- --- data ---------------------------------------------------------------------------

-- The types of JSON as `data`. A text is sent as it is, so that one is JSON itself, and null is no
-- data: a text of JSON, and null, are the caller's own.
local function json_types(types)
  local kept, is_text = {}, false
  for _, one in ipairs(types) do
    local is_own = one.kind == "scalar"
      and (one.text == "string" or one.text == "endpoint.Null" or one.text:sub(1, 1) == '"')
    is_text = is_text or is_own
    kept[#kept + 1] = not is_own and one or nil
  end
  if is_text then
    kept[#kept + 1] = lua_types.scalars({ "string" })[1]
  end
  return kept, is_text and "; as text it is JSON, with its quotes" or ""
end

-- The whole body as one value.
local function data_of(doc, body, format)
  local note = media_types.bare(body.media_type)
  if format == "text" then
    return field.scalar("data", { "string", "function" }, body, note)
  end
  local types, more = lua_types.types_of(doc, body.schema), ""
  if format == "json" then
    types, more = json_types(types)
  end
  return field.new("data", types, body, note .. more)
end

-- The properties as the fields of `data`.
local function properties_as_data(doc, body, format, properties, signature)
  if signature.variables.data then
    address.leave_out "its path has {data}, and its body must be data as well"
  end
  signature.data = { name = "data", fields = {}, required = body.required, note = "the body" }
  add_fields(doc, body, format, properties, signature.data.fields)
end

-- The properties of a body that is an object, or may be one.
function body_fields.properties(doc, body)
  if not body or format_of(body) == "text" then
    return {}
  end
  local types, is_object = lua_types.types_of(doc, body.schema), false
  for _, one in ipairs(types) do
    is_object = is_object or one.kind == "map"
  end
  if #types > 0 and not is_object then
    return {}
  end
  return object_schema.sent(doc, body.schema)
end

-- Adds the body to the call. properties: what body_fields.properties has returned.
function body_fields.add(doc, operation, signature, properties)
  local body = operation.body
  if not body then
    return
  end
  if TAKES_NONE[operation.method] then
    if body.required then
      address.leave_out("a %s must have no body, and it asks for one", operation.method)
    end
    reader.note(doc, operation, "its body is left out: a %s has none", operation.method)
    return
  end
  local format = format_of(body)
  signature.rest = object_schema.additional(doc, body.schema)
  add_label(body, format, signature)
  signature.body = {
    schema = body.schema,
    required = body.required,
    format = format,
    description = body.description,
    written = body_encoding.of_body(doc, body),
  }
  if signature.variables.data then
    signature.body.written.reason = "its path has {data}, which no body can be beside"
  end
  if #properties == 0 then
    if signature.variables.data then
      address.leave_out "its path has {data}, and its body must be data as well"
    end
    signature.fields[#signature.fields + 1] = data_of(doc, body, format)
  elseif stands_beside(operation, properties, signature.variables) then
    add_fields(doc, body, format, properties, signature.body_fields)
  else
    properties_as_data(doc, body, format, properties, signature)
  end
end

return body_fields
