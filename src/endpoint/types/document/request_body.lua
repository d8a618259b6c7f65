-- SPDX-License-Identifier: MIT
-- The body of an operation: OpenAPI 3.1, "Request Body Object" and "Media Type Object". That of
-- Swagger 2.0, whose parameters are the body, is told in the words of OpenAPI 3.
local request_body = {}

local media_types = require "endpoint.types.document.media_types"
local parameters = require "endpoint.types.document.parameters"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local each, keys = reader.each, reader.keys
local as_table, as_string = values.as_table, values.as_string

-- --- OpenAPI 3 ----------------------------------------------------------------------

-- Of several media types one is taken.
local function body_of(doc, operation_object)
  local request_body_object = resolve(doc, operation_object.requestBody)
  local names = keys(doc, request_body_object.content)
  local media_type = media_types.best(names)
  if not media_type then
    return nil
  end
  local media_type_object = resolve(doc, request_body_object.content[media_type])
  return {
    required = request_body_object.required == true,
    media_type = media_type,
    media_types = names,
    content = request_body_object.content,
    schema = media_type_object.schema,
    encoding = as_table(media_type_object.encoding),
    description = as_string(request_body_object.description),
  }
end

-- --- Swagger 2.0 --------------------------------------------------------------------

-- The Parameter Objects in "body" or "formData" (Swagger 2.0, "Parameter Object").
local function swagger_parameters(doc, path_item, operation_object, place)
  local found = {}
  for _, list in ipairs { as_table(path_item.parameters), as_table(operation_object.parameters) } do
    for _, item in each(doc, list) do
      local parameter_object = resolve(doc, item)
      if parameter_object["in"] == place and as_string(parameter_object.name) then
        found[#found + 1] = parameter_object
      end
    end
  end
  return found
end

-- A form with a file is multipart, as is one whose `consumes` names no other media type.
local function swagger_form_type(has_file, names)
  if #names == 1 and media_types.bare(names[1]) == "multipart/form-data" then
    return names[1]
  end
  return has_file and "multipart/form-data" or "application/x-www-form-urlencoded"
end

-- Each parameter in "formData" is a property of the body. names: those of `consumes`.
local function swagger_form(parameter_objects, names)
  local properties, required, has_file, encoding = {}, {}, false, {}
  for _, parameter_object in ipairs(parameter_objects) do
    local name, format = parameter_object.name, parameter_object.collectionFormat
    properties[name] = parameter_object
    if parameter_object.required == true then
      required[#required + 1] = name
    end
    encoding[name] =
      { explode = format == "multi", style = parameters.SWAGGER_STYLES[format or ""] }
    has_file = has_file or parameter_object.type == "file"
  end
  local media_type = swagger_form_type(has_file, names)
  return {
    required = #required > 0,
    media_type = media_type,
    media_types = { media_type },
    schema = { properties = properties, required = required },
    encoding = encoding,
  }
end

-- The one parameter in "body"; of several the last.
local function swagger_body(parameter_object, names)
  if not names[1] then
    names[1] = "application/json"
  end
  return {
    required = parameter_object.required == true,
    media_type = media_types.best(names),
    media_types = names,
    schema = parameter_object.schema,
    encoding = values.NOTHING,
    description = as_string(parameter_object.description),
  }
end

local function swagger_body_of(doc, path_item, operation_object)
  local names = media_types.of_swagger(doc, operation_object, "consumes")
  local form = swagger_parameters(doc, path_item, operation_object, "formData")
  if form[1] then
    return swagger_form(form, names)
  end
  local bodies = swagger_parameters(doc, path_item, operation_object, "body")
  return bodies[1] and swagger_body(bodies[#bodies], names)
end

-- The body that an operation takes, nil if it takes none: `required`, `media_type`, `media_types`
-- (all that the document names), `content` (their Media Type Objects; nil if one schema is that of
-- all), `schema`, `encoding` (which a form may have) and `description`.
function request_body.read(doc, path_item, operation_object)
  if doc.root.swagger then
    return swagger_body_of(doc, path_item, operation_object)
  end
  return body_of(doc, operation_object)
end

return request_body
