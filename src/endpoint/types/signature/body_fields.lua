-- SPDX-License-Identifier: MIT
-- The body of an operation (OpenAPI 3.1, "Request Body Object") among the options of a call: its
-- properties are fields beside the parameters, or fields of `data`; or it is `data` as a whole.
local body_fields = {}

local body_encoding = require "endpoint.types.signature.body_encoding"
local left_out = require "endpoint.types.signature.left_out"
local media_types = require "endpoint.types.document.media_types"
local option_field = require "endpoint.types.signature.option_field"
local reader = require "endpoint.types.document.reader"
local schema = require "endpoint.types.schema"
local source = require "endpoint.types.source"
local values = require "endpoint.types.document.values"

-- Under these methods the module sends what no variable takes as the body.
local SENDS_FIELDS = { POST = true, PUT = true, PATCH = true, DELETE = true, QUERY = true }

-- Under these methods the module sends no body.
local SENDS_NO_BODY = { GET = true, HEAD = true, TRACE = true }

-- --- the media type -----------------------------------------------------------------

local FORM = "application/x-www-form-urlencoded"

-- "json", "form", or "text" for what the caller encodes.
local function format_of(media_type)
  local bare = media_types.bare(media_type)
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
    if format_of(media_type) == format and not media_type:find "%*" then
      labels[#labels + 1] = source.literal(media_type)
    end
  end
  return labels
end

-- Adds the field of the header content-type, where there is something to say in it.
local function add_label(body, format, signature)
  local labels = labels_of(body, format)
  if #labels == 0 then
    return
  end
  labels[#labels + 1] = "string"
  signature.headers[#signature.headers + 1] =
    option_field.scalar("content-type", labels, {}, "give it here or in the defaults")
end

-- --- fields of properties -------------------------------------------------------------

-- OpenAPI 3.1, "Encoding Object": how one property of a form is written.
local function encoding_object(body, name)
  return values.as_table(body.encoding[name])
end

-- The kinds of a table that a form has nested, which the option `nested` of a client writes, or
-- that is JSON as a string unless the document says that it is nested.
local function nested_kinds(kinds, is_deep)
  local all = {}
  for position, kind in ipairs(kinds) do
    all[position] = kind
  end
  if not is_deep then
    all[#all + 1] = schema.scalars({ "string" })[1]
  end
  return all
end

-- The field of a property that a form has as a string: a nested table, or a list unless it repeats
-- the name; nil for any other.
local function form_field(body, property, kinds, from)
  local name, encoding = property.name, encoding_object(body, property.name)
  local is_deep, kind = encoding.style == "deepObject", schema.kind_of(kinds)
  if kind == "map" or schema.is_nested(kinds) then
    local note = is_deep and 'nested = "brackets" sends it'
      or "JSON as a string, or a table that the option nested sends"
    local field = option_field.new(name, nested_kinds(kinds, is_deep), from, note)
    field.is_text_too = not is_deep
    return field
  end
  if kind == "list" and encoding.explode == false and not is_deep then
    local separator = body_encoding.SEPARATORS[encoding.style or "form"] or ","
    return option_field.joined(name, from, separator)
  end
end

local function add_fields(doc, body, format, properties, fields)
  for _, property in ipairs(properties) do
    local field = option_field.of_property(doc, property)
    if format == "form" then
      local from = option_field.source(doc, property)
      field = form_field(body, property, field.kinds, from) or field
    end
    fields[#fields + 1] = field
  end
end

-- Can all properties be beside the parameters? Those with the name of an option or of a variable
-- cannot.
local function can_be_beside(operation, properties, variables)
  for _, property in ipairs(properties) do
    if option_field.is_option(property.name) or variables[property.name] then
      return false
    end
  end
  return SENDS_FIELDS[operation.method] == true
end

-- --- data ---------------------------------------------------------------------------

-- Must a value of this kind be written as JSON by the caller? A string as `data` is sent as it is,
-- and null as `data` means that there is no body.
local function is_sent_as_text(kind)
  local text = kind.text
  return kind.kind == "scalar"
    and (text == "string" or text == "endpoint.Null" or text:sub(1, 1) == '"')
end

-- The kinds of `data` that is sent as JSON. Values that the caller must write are a string of JSON,
-- and a note says so.
local function json_kinds(kinds)
  local kept, is_text = {}, false
  for _, kind in ipairs(kinds) do
    if is_sent_as_text(kind) then
      is_text = true
    else
      kept[#kept + 1] = kind
    end
  end
  if is_text then
    kept[#kept + 1] = schema.scalars({ "string" })[1]
  end
  return kept, is_text and "; a string is JSON, with its quotes" or ""
end

-- The whole body as one value.
local function data_of(doc, body, format)
  local note = media_types.bare(body.media_type)
  if format == "text" then
    return option_field.scalar("data", { "string", "function" }, body, note)
  end
  local kinds, more = schema.kinds(doc, body.node), ""
  if format == "json" then
    kinds, more = json_kinds(kinds)
  end
  return option_field.new("data", kinds, body, note .. more)
end

-- A variable {data} in the path leaves no place for the body.
local function check_data(signature)
  if signature.variables.data then
    left_out.raise "its path has {data}, and its body must be data as well"
  end
end

-- The properties as the fields of `data`.
local function properties_as_data(doc, body, format, properties, signature)
  check_data(signature)
  signature.data = { name = "data", fields = {}, required = body.required, note = "the body" }
  add_fields(doc, body, format, properties, signature.data.fields)
end

-- --- the body -----------------------------------------------------------------------

-- The properties of a body that is an object, or may be one.
function body_fields.properties(doc, body)
  if not body or format_of(body.media_type) == "text" then
    return {}
  end
  local kinds, is_object = schema.kinds(doc, body.node), false
  for _, kind in ipairs(kinds) do
    is_object = is_object or kind.kind == "map"
  end
  if #kinds > 0 and not is_object then
    return {}
  end
  return schema.properties(doc, body.node)
end

-- A body that the module cannot send is left out, or the operation is, if it requires the body.
local function leave_out(doc, operation)
  if operation.body.required then
    left_out.raise("a %s cannot have a body, and it requires one", operation.method)
  end
  reader.note(doc, operation, "its body is left out: a %s cannot have one", operation.method)
end

-- What the rules need of the body as a whole.
local function whole_body(doc, body, format, variables)
  local written = body_encoding.of_body(doc, body)
  if variables.data then
    written.reason = "its path has {data}, so it cannot have a body"
  end
  return {
    node = body.node,
    required = body.required,
    media_type = body.media_type,
    media_types = body.media_types,
    content = body.content,
    format = format,
    description = body.description,
    written = written,
  }
end

-- Adds the body to a signature. properties: what body_fields.properties has returned.
function body_fields.add(doc, operation, signature, properties)
  local body = operation.body
  if not body then
    return
  end
  if SENDS_NO_BODY[operation.method] then
    return leave_out(doc, operation)
  end
  local format = format_of(body.media_type)
  signature.additional = schema.additional(doc, body.node)
  add_label(body, format, signature)
  signature.body = whole_body(doc, body, format, signature.variables)
  if #properties == 0 then
    check_data(signature)
    signature.fields[#signature.fields + 1] = data_of(doc, body, format)
  elseif can_be_beside(operation, properties, signature.variables) then
    add_fields(doc, body, format, properties, signature.body_fields)
  else
    properties_as_data(doc, body, format, properties, signature)
  end
end

return body_fields
