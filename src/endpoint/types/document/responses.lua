-- SPDX-License-Identifier: MIT
-- The responses of an operation: their schemas, and the media types of their JSON.
local responses = {}

local media_types = require "endpoint.types.document.media_types"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local resolve = references.resolve
local keys = reader.keys

-- Such a name can stand in a header (RFC 6838, section 4.2).
local NAME = "^[%w][%w!#$&^_.+-]*/[%w][%w!#$&^_.+-]*$"

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(names, json_types)
  local fits = #names == 0
  for _, media_type in ipairs(names) do
    local bare = media_types.bare(media_type)
    local is_json = media_types.is_json(bare) and bare:find(NAME) ~= nil
    if is_json then
      json_types.types[bare] = true
    end
    fits = fits or is_json or bare == "*/*"
  end
  json_types.differs = json_types.differs or not fits
end

-- The schema of a response's JSON; with Swagger the response itself has it.
local function schema_in(doc, response, names)
  if doc.root.swagger then
    return response.schema
  end
  local media_type = media_types.best(names)
  local is_json = media_type
    and (media_types.is_json(media_type) or media_types.bare(media_type) == "*/*")
  return is_json and resolve(doc, response.content[media_type]).schema or nil
end

-- The responses of the status codes 2xx, or that of `default` where an operation has none of these:
-- beside them `default` describes errors. Decoders of YAML give numbers for keys such as 200.
local function of_success(doc, operation)
  local list, default = {}, nil
  for _, status in ipairs(reader.keys_with_numbers(doc, operation.responses)) do
    local response = operation.responses[status]
    if tostring(status):find "^2" then
      list[#list + 1] = resolve(doc, response)
    elseif status == "default" then
      default = resolve(doc, response)
    end
  end
  return list[1] and list or { default }
end

-- The schemas of the responses that are not errors. json_types: gets the media types of these.
function responses.schemas(doc, operation, json_types)
  local schemas = {}
  for _, response in ipairs(of_success(doc, operation)) do
    local names = keys(doc, response.content)
    schemas[#schemas + 1] = schema_in(doc, response, names)
    add_json_types(names, json_types)
  end
  if doc.root.swagger then
    add_json_types(media_types.of_swagger(doc, operation, "produces"), json_types)
  end
  return schemas
end

-- --- all of them ------------------------------------------------------------------

-- Adds the schemas of a response's JSON to `found`, true where it has none. `has_others`: the body
-- may be of another media type, too.
local function add_json_schemas(doc, response, found)
  for _, name in ipairs(keys(doc, response.content)) do
    if media_types.is_json(name) or media_types.bare(name) == "*/*" then
      local schema = resolve(doc, response.content[name]).schema
      found.schemas[#found.schemas + 1] = schema == nil and true or schema
    else
      found.has_others = true
    end
  end
end

local function add_schema_of_swagger(doc, operation, response, found)
  local names = media_types.of_swagger(doc, operation, "produces")
  local is_json = not names[1]
  for _, name in ipairs(names) do
    local is_of_json = media_types.is_json(name) or media_types.bare(name) == "*/*"
    is_json = is_json or is_of_json
    found.has_others = found.has_others or not is_of_json
  end
  if is_json then
    found.schemas[1] = response.schema
  end
end

-- All responses of an operation, a list of tables: the `status`, such as 200, 2XX or default; the
-- `schemas` that its JSON may fit, none if the document says nothing of it; and `has_others`, may
-- the body be something else?
function responses.by_status(doc, operation)
  local list = {}
  for _, status in ipairs(reader.keys_with_numbers(doc, operation.responses)) do
    local response = resolve(doc, operation.responses[status])
    local found = { status = tostring(status):gsub("[xX][xX]$", "XX"), schemas = {} }
    if doc.root.swagger then
      add_schema_of_swagger(doc, operation, response, found)
    else
      add_json_schemas(doc, response, found)
    end
    list[#list + 1] = found
  end
  return list
end

-- The one JSON media type that all responses can have, or nil.
function responses.accept(found)
  local accept = next(found.types)
  return not found.differs and accept and next(found.types, accept) == nil and accept or nil
end

return responses
