-- SPDX-License-Identifier: MIT
-- The responses of an operation: OpenAPI 3.1, "Responses Object", "Response Object" and "Media Type
-- Object". With Swagger 2.0 the response itself has the schema, and `produces` the media types.
local responses = {}

local media_types = require "endpoint.types.document.media_types"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local resolve = references.resolve
local keys = reader.keys

-- Is a body of this media type JSON, or may it be?
local function may_be_json(media_type)
  return media_types.is_json(media_type) or media_types.bare(media_type) == "*/*"
end

-- --- the media type of all responses --------------------------------------------------

-- Such a name can be in a header (RFC 6838, section 4.2).
local NAME = "^[%w][%w!#$&^_.+-]*/[%w][%w!#$&^_.+-]*$"

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(media_type_names, json_types)
  local fits = #media_type_names == 0
  for _, media_type in ipairs(media_type_names) do
    local bare = media_types.bare(media_type)
    local is_json = media_types.is_json(bare) and bare:find(NAME) ~= nil
    if is_json then
      json_types.types[bare] = true
    end
    fits = fits or is_json or bare == "*/*"
  end
  json_types.differs = json_types.differs or not fits
end

-- The one JSON media type that all responses can have, or nil. json_types: what responses.schemas
-- has added to.
function responses.accept(json_types)
  local accept = next(json_types.types)
  local is_only_one = accept and next(json_types.types, accept) == nil
  return not json_types.differs and is_only_one and accept or nil
end

-- --- the responses of a success -------------------------------------------------------

-- The schema of a response's JSON.
local function schema_in(doc, response_object, media_type_names)
  if doc.root.swagger then
    return response_object.schema
  end
  local media_type = media_types.best(media_type_names)
  if media_type and may_be_json(media_type) then
    return resolve(doc, response_object.content[media_type]).schema
  end
end

-- The Response Objects of the status codes 2xx, or that of `default` where an operation has none of
-- these: beside them `default` describes errors. Decoders of YAML give numbers for keys such as
-- 200.
local function of_success(doc, operation_object)
  local list, default = {}, nil
  for _, status in ipairs(reader.keys_with_numbers(doc, operation_object.responses)) do
    local written = operation_object.responses[status]
    if tostring(status):find "^2" then
      list[#list + 1] = resolve(doc, written)
    elseif status == "default" then
      default = resolve(doc, written)
    end
  end
  return list[1] and list or { default }
end

-- The schemas of the responses that are not errors. json_types: gets the media types of these.
function responses.schemas(doc, operation_object, json_types)
  local schemas = {}
  for _, response_object in ipairs(of_success(doc, operation_object)) do
    local names = keys(doc, response_object.content)
    schemas[#schemas + 1] = schema_in(doc, response_object, names)
    add_json_types(names, json_types)
  end
  if doc.root.swagger then
    add_json_types(media_types.of_swagger(doc, operation_object, "produces"), json_types)
  end
  return schemas
end

-- --- all responses --------------------------------------------------------------------

-- Adds the schemas of a response's JSON to `found`, true where it has none. `has_others`: the body
-- may be of another media type, too.
local function add_json_schemas(doc, response_object, found)
  for _, name in ipairs(keys(doc, response_object.content)) do
    if may_be_json(name) then
      local schema = resolve(doc, response_object.content[name]).schema
      found.schemas[#found.schemas + 1] = schema == nil and true or schema
    else
      found.has_others = true
    end
  end
end

local function add_schema_of_swagger(doc, operation_object, response_object, found)
  local names = media_types.of_swagger(doc, operation_object, "produces")
  local is_json = not names[1]
  for _, name in ipairs(names) do
    local may_be = may_be_json(name)
    is_json = is_json or may_be
    found.has_others = found.has_others or not may_be
  end
  if is_json then
    found.schemas[1] = response_object.schema
  end
end

-- All responses of an operation, a list of tables: the `status`, such as 200, 2XX or default; the
-- `schemas` that its JSON may fit, none if the document says nothing of it; and `has_others`, may
-- the body be something else?
function responses.by_status(doc, operation_object)
  local list = {}
  for _, status in ipairs(reader.keys_with_numbers(doc, operation_object.responses)) do
    local response_object = resolve(doc, operation_object.responses[status])
    local found = { status = tostring(status):gsub("[xX][xX]$", "XX"), schemas = {} }
    if doc.root.swagger then
      add_schema_of_swagger(doc, operation_object, response_object, found)
    else
      add_json_schemas(doc, response_object, found)
    end
    list[#list + 1] = found
  end
  return list
end

return responses
