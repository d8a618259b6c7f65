-- SPDX-License-Identifier: MIT
-- The body that an operation takes. That of Swagger 2.0 is told in the words of OpenAPI 3.
local request_body = {}

local media_types = require "endpoint.types.document.media_types"
local parameters = require "endpoint.types.document.parameters"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local each, keys = reader.each, reader.keys
local as_table, as_string = values.as_table, values.as_string

-- The body that an operation takes, nil if it takes none: `required`, `media_type`,
-- `media_types` (all of them), `schema`, and `encoding`, which a form may have.
local function body_of(doc, operation)
  local body = resolve(doc, operation.requestBody)
  local names = keys(doc, body.content)
  local media_type = media_types.best(names)
  if not media_type then
    return nil
  end
  local found = resolve(doc, body.content[media_type])
  return {
    required = body.required == true,
    media_type = media_type,
    media_types = names,
    schema = found.schema,
    encoding = as_table(found.encoding),
    description = as_string(body.description),
  }
end

-- --- Swagger 2.0 ------------------------------------------------------------------

-- The parameters in body or formData, places that OpenAPI 3 does not have.
local function swagger_fields(doc, item, operation, place)
  local found = {}
  for _, list in ipairs { as_table(item.parameters), as_table(operation.parameters) } do
    for _, parameter in each(doc, list) do
      local raw = resolve(doc, parameter)
      if raw["in"] == place and as_string(raw.name) then
        found[#found + 1] = raw
      end
    end
  end
  return found
end

local function swagger_form(fields, names)
  local properties, required, is_file, encoding = {}, {}, false, {}
  for _, raw in ipairs(fields) do
    properties[raw.name] = raw
    if raw.required == true then
      required[#required + 1] = raw.name
    end
    local format = raw.collectionFormat
    encoding[raw.name] =
      { explode = format == "multi", style = parameters.SWAGGER_STYLES[format or ""] }
    is_file = is_file or raw.type == "file"
  end
  local media_type = is_file and "multipart/form-data" or "application/x-www-form-urlencoded"
  for _, name in ipairs(names) do
    if media_types.bare(name) == "multipart/form-data" and #names == 1 then
      media_type = name
    end
  end
  return {
    required = #required > 0,
    media_type = media_type,
    media_types = { media_type },
    encoding = encoding,
    schema = { properties = properties, required = required },
  }
end

local function swagger_body(doc, item, operation)
  local names = media_types.of_swagger(doc, operation, "consumes")
  local fields = swagger_fields(doc, item, operation, "formData")
  if fields[1] then
    return swagger_form(fields, names)
  end
  local bodies = swagger_fields(doc, item, operation, "body")
  local raw = bodies[#bodies]
  if not raw then
    return nil
  end
  if not names[1] then
    names[1] = "application/json"
  end
  return {
    required = raw.required == true,
    media_type = media_types.best(names),
    media_types = names,
    schema = raw.schema,
    encoding = values.NOTHING,
    description = as_string(raw.description),
  }
end

-- The body that an operation takes; nil if it takes none.
function request_body.read(doc, item, raw)
  return doc.root.swagger and swagger_body(doc, item, raw) or body_of(doc, raw)
end

return request_body
