-- The body of an operation: its properties as fields beside the parameters, or `data`.
local body = {}

local document = require "endpoint.types.document"
local field = require "endpoint.types.field"
local path = require "endpoint.types.path"
local schema = require "endpoint.types.schema"

-- Under these methods the parameters beside the template are the body.
local TAKES_FIELDS = { POST = true, PUT = true, PATCH = true, DELETE = true }

-- Under these the module sends no body.
local TAKES_NONE = { GET = true, HEAD = true, TRACE = true }

local FORM = "application/x-www-form-urlencoded"

-- "json", "form", or "text" for what the caller encodes.
local function format_of(of)
  local bare = document.bare_type(of.media_type)
  if document.is_json(bare) or bare == "*/*" then return "json" end
  return bare == FORM and "form" or "text"
end

-- The media types that the header can name for the format. The module itself labels JSON.
local function labels_of(of, format)
  local labels = {}
  if document.bare_type(of.media_type) == "application/json" or of.media_type == "*/*" then return labels end
  for _, media_type in ipairs(of.media_types) do
    local is_of_format = format_of { media_type = media_type } == format
    if is_of_format and not media_type:find "%*" then labels[#labels + 1] = schema.literal(media_type) end
  end
  return labels
end

local function add_label(of, format, made)
  local labels = labels_of(of, format)
  if #labels == 0 then return end
  labels[#labels + 1] = "string"
  made.headers[#made.headers + 1] = field.new("content-type", labels, {}, "say it here or in the defaults")
end

-- --- fields -----------------------------------------------------------------------

local function is_deep(of, name)
  return document.table_of(of.encoding[name]).style == "deepObject"
end

-- A property of a form: lists repeat its name, unless the document says otherwise.
local function add_form_field(root, of, property, from, to)
  local name, types = property.name, schema.types_of(root, property.schema)
  local kind = schema.kind_of(types)
  if is_deep(of, name) then
    local flat = { notes = to.notes }
    function flat.add(part) to.fields[#to.fields + 1] = part end
    return field.add_flat(root, flat, { name = name, schema = property.schema, required = from.required,
      description = from.description, deprecated = from.deprecated })
  end
  local made = field.new(name, types, from)
  if kind == "list" and document.table_of(of.encoding[name]).explode == false then
    made = field.joined(name, from, '","')
  elseif made.type:find "table" then
    made = field.text(name, from, "JSON, as text")
  end
  to.fields[#to.fields + 1] = made
end

local function add_fields(root, of, format, properties, to)
  for _, property in ipairs(properties) do
    local from = { required = property.required, deprecated = property.schema.deprecated == true,
      description = property.schema.description }
    if format == "form" then
      add_form_field(root, of, property, from, to)
    else
      to.fields[#to.fields + 1] = field.new(property.name, schema.types_of(root, property.schema), from)
    end
  end
end

-- Can all properties stand beside the parameters? Those with the name of an option or of a
-- variable cannot.
local function stands_beside(operation, properties, variables)
  for _, property in ipairs(properties) do
    if field.is_option(property.name) or variables[property.name] then return false end
  end
  return TAKES_FIELDS[operation.method] == true
end

-- --- data ---------------------------------------------------------------------------

-- The whole body as one value.
local function data_of(root, of, format)
  local note = document.bare_type(of.media_type)
  if format == "text" then return field.new("data", { "string", "function" }, of, note) end
  return field.new("data", schema.types_of(root, of.schema), of, note)
end

-- The properties as the fields of `data`.
local function properties_as_data(root, of, format, properties, made)
  if made.variables.data then path.leave_out "its path has {data}, and its body must be data as well" end
  made.data = { name = "data", fields = {}, required = of.required, note = "the body" }
  add_fields(root, of, format, properties, { fields = made.data.fields, notes = made.notes })
end

-- The properties of a body that is an object, or may be one.
function body.properties(root, of)
  if not of or format_of(of) == "text" then return {} end
  local types = schema.types_of(root, of.schema)
  local kinds = table.concat(types, "|")
  if #types > 0 and not kinds:find "table%f[%A]" then return {} end
  return schema.properties(root, of.schema)
end

-- Adds the body to the call. properties: what body.properties has returned.
function body.add(root, operation, made, properties)
  local of = operation.body
  if not of then return end
  if TAKES_NONE[operation.method] then
    if of.required then path.leave_out("a %s must have no body, and it asks for one", operation.method) end
    return
  end
  local format = format_of(of)
  add_label(of, format, made)
  if #properties == 0 then
    if made.variables.data then path.leave_out "its path has {data}, and its body must be data as well" end
    made.fields[#made.fields + 1] = data_of(root, of, format)
  elseif stands_beside(operation, properties, made.variables) then
    add_fields(root, of, format, properties, made)
  else
    properties_as_data(root, of, format, properties, made)
  end
end

return body
