-- SPDX-License-Identifier: MIT
-- The parameters of an operation: OpenAPI 3.1, "Parameter Object", and Swagger 2.0, "Parameter
-- Object". Both are told in the words of OpenAPI 3.
local parameters = {}

local budget = require "endpoint.types.document.budget"
local media_types = require "endpoint.types.document.media_types"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local each, keys = reader.each, reader.keys
local as_table, as_string = values.as_table, values.as_string

-- --- OpenAPI 3 ----------------------------------------------------------------------

-- OpenAPI 3.1, "Parameter Object", the defaults of `style`.
local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- OpenAPI 3.1, "Example Object", `value`. Nobody needs an example, so one in another file is no
-- error.
local function example_value(doc, example_object)
  local reference = as_string(as_table(example_object)["$ref"])
  if reference then
    example_object = reference:find "^#/" and references.target(doc, example_object)
  end
  return as_table(example_object).value
end

-- OpenAPI 3.1, "Parameter Object" and "Media Type Object": `example`, or the first of `examples`,
-- by their names.
local function example_of(doc, written)
  local name = written.example == nil and keys(doc, written.examples)[1]
  if name then
    return example_value(doc, written.examples[name])
  end
  return written.example
end

local IS_SCALAR = { string = true, number = true, integer = true, boolean = true }

-- What a text of a media type may be: a value of its schema, if that is one text, or else a string.
local function schema_of_text(doc, media_type_object)
  local written = media_type_object.schema
  return IS_SCALAR[resolve(doc, written).type] and written or { type = "string" }
end

-- The schema of a parameter, and whether its text is JSON. OpenAPI 3.1, "Parameter Object":
-- `schema`, or `content` with one media type.
local function schema_of(doc, parameter_object, media_type, media_type_object)
  if not media_type then
    return parameter_object.schema, false
  elseif media_types.is_json(media_type) then
    return media_type_object.schema, true
  end
  return schema_of_text(doc, media_type_object), false
end

-- OpenAPI 3.1, "Parameter Object". A path has no parameter that may be missing. What is read of it
-- are the fields of this table.
local function parameter_of(doc, parameter_object)
  local place = parameter_object["in"]
  local media_type = media_types.best(keys(doc, parameter_object.content))
  local media_type_object = media_type and resolve(doc, parameter_object.content[media_type])
  local schema, is_json = schema_of(doc, parameter_object, media_type, media_type_object)
  local style = as_string(parameter_object.style) or DEFAULT_STYLES[place]
  local explode = parameter_object.explode
  if type(explode) ~= "boolean" then
    explode = style == "form"
  end
  return {
    name = parameter_object.name,
    place = place,
    required = parameter_object.required == true or place == "path",
    style = style,
    explode = explode,
    allow_reserved = parameter_object.allowReserved == true,
    allow_empty = parameter_object.allowEmptyValue == true and place == "query",
    is_json = is_json,
    schema = schema,
    description = as_string(parameter_object.description),
    example = example_of(doc, media_type_object or parameter_object),
    deprecated = parameter_object.deprecated == true,
  }
end

-- --- Swagger 2.0 --------------------------------------------------------------------

-- Swagger 2.0, "Parameter Object", `collectionFormat`: as styles of OpenAPI 3.
parameters.SWAGGER_STYLES =
  { ssv = "spaceDelimited", tsv = "tabDelimited", pipes = "pipeDelimited" }

-- Swagger 2.0, "Parameter Object": outside of the body the keywords of a schema are beside the
-- name. It has no `deprecated`, and no `example` but that of the schema.
local function swagger_parameter_of(_, parameter_object)
  local place, format = parameter_object["in"], parameter_object.collectionFormat
  return {
    name = parameter_object.name,
    place = place,
    required = parameter_object.required == true or place == "path",
    style = parameters.SWAGGER_STYLES[format] or DEFAULT_STYLES[place],
    explode = format == "multi",
    allow_empty = parameter_object.allowEmptyValue == true and place == "query",
    schema = parameter_object,
    description = as_string(parameter_object.description),
  }
end

-- Swagger 2.0, "Items Object", `collectionFormat`: no variable and no client writes a list of lists
-- in the ways that it has.
local function is_list_of_lists(doc, parameter_object)
  local items = parameter_object.type == "array" and resolve(doc, parameter_object.items)
  return items and items.type == "array" or false
end

-- Places of parameters that are the body, see request_body.lua.
local IS_BODY = { body = true, formData = true }

-- --- lists of them ------------------------------------------------------------------

-- Can a parameter be read? If not, a note says why.
local function is_parameter(doc, operation, parameter_object)
  local name, place = as_string(parameter_object.name), parameter_object["in"]
  if doc.root.swagger and IS_BODY[place] then
    return false
  end
  if not name then
    reader.note(doc, operation, "a parameter without a name is left out")
  elseif not DEFAULT_STYLES[place] then
    reader.note(
      doc,
      operation,
      'the parameter %s is left out: its "in" is not query, path, header or cookie',
      values.quoted(name)
    )
  end
  return name and (name ~= "" or place == "query") and DEFAULT_STYLES[place] ~= nil
end

-- Adds a parameter. One that cannot be written is left out, or its operation is, if it must be
-- there: `fault` says why.
local function add(doc, operation, found, key, parameter, parameter_object)
  local is_lost = doc.root.swagger and is_list_of_lists(doc, parameter_object)
  if is_lost and not parameter.required then
    local problem = "the parameter %s is left out: it is a list of lists"
    reader.note(doc, operation, problem, values.quoted(parameter.name))
    return
  elseif is_lost then
    parameter.fault = ("its parameter %s is a list of lists"):format(values.quoted(parameter.name))
  end
  local position = found[key] or #found + 1
  found[key], found[position] = position, parameter
  budget.spend(doc, #key)
end

-- Adds the parameters of a list. One with the same name and place as another takes its place:
-- OpenAPI 3.1, "Path Item Object", `parameters`.
local function add_list(doc, list, operation, found)
  if next(as_table(list)) ~= nil and list[1] == nil then
    reader.note(doc, operation, "its parameters are left out: they are not a list")
  end
  local read = doc.root.swagger and swagger_parameter_of or parameter_of
  for _, item in each(doc, list) do
    local parameter_object = resolve(doc, item)
    if is_parameter(doc, operation, parameter_object) then
      local key = parameter_object["in"] .. " " .. parameter_object.name
      add(doc, operation, found, key, read(doc, parameter_object), parameter_object)
    end
  end
end

-- The parameters of a Path Item Object, and of an Operation Object in it: a list, and the position
-- in it of each "PLACE NAME". operation: what notes are about.
function parameters.read(doc, path_item, operation_object, operation)
  local found = {}
  add_list(doc, path_item.parameters, operation, found)
  add_list(doc, operation_object.parameters, operation, found)
  return found
end

return parameters
