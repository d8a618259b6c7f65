-- SPDX-License-Identifier: MIT
-- Bodies and responses of operations: media types, and the schemas of what has them. Swagger 2.0 is told in the
-- words of OpenAPI 3.
local content = {}

local reader = require "endpoint.types.reader"
local text = require "endpoint.clients.text"
local resolve, each, keys = reader.resolve, reader.each, reader.keys
local table_of, text_of = reader.table_of, reader.text_of

-- --- media types ------------------------------------------------------------------

-- Without parameters, in lower case.
local function bare_type(media_type)
  return text.lower(media_type):match "^%s*([^%s;]*)"
end
content.bare_type = bare_type

function content.is_json(media_type)
  local bare = bare_type(media_type)
  return bare:find "/json$" ~= nil or bare:find "%+json$" ~= nil
end

-- How well a media type can be said with fields; the highest is taken.
local function rank_of(media_type)
  local bare = bare_type(media_type)
  if bare == "application/json" then return 5 end
  if content.is_json(media_type) then return 4 end
  if bare == "application/x-www-form-urlencoded" then return 3 end
  return bare == "*/*" and 2 or 1
end

function content.best_of(media_types)
  local best, highest = nil, 0
  for _, media_type in ipairs(media_types) do
    local rank = rank_of(media_type)
    if rank > highest then best, highest = media_type, rank end
  end
  return best
end

-- --- bodies and responses -----------------------------------------------------------

-- The body that an operation takes, nil if it takes none: `required`, `media_type`,
-- `media_types` (all of them), `schema`, and `encoding`, which a form may have.
local function body_of(doc, operation)
  local body = resolve(doc, operation.requestBody)
  local media_types = keys(doc, body.content)
  local media_type = content.best_of(media_types)
  if not media_type then return nil end
  local found = resolve(doc, body.content[media_type])
  return { required = body.required == true, media_type = media_type, media_types = media_types,
    schema = found.schema, encoding = table_of(found.encoding), description = text_of(body.description) }
end

-- Such a name can stand in a header (RFC 6838, section 4.2).
local NAME = "^[%w][%w!#$&^_.+-]*/[%w][%w!#$&^_.+-]*$"

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(media_types, to)
  local fits = #media_types == 0
  for _, media_type in ipairs(media_types) do
    local bare = bare_type(media_type)
    local is_json = content.is_json(bare) and bare:find(NAME) ~= nil
    if is_json then to.types[bare] = true end
    fits = fits or is_json or bare == "*/*"
  end
  to.differs = to.differs or not fits
end

-- The schema of a response's JSON; with Swagger it stands in the response itself.
local function schema_of(doc, response, media_types)
  if doc.root.swagger then return response.schema end
  local media_type = content.best_of(media_types)
  local is_json = media_type and (content.is_json(media_type) or bare_type(media_type) == "*/*")
  return is_json and resolve(doc, response.content[media_type]).schema or nil
end

-- A list of media types, that of the document where the operation has none.
local function media_types_of(doc, operation, name)
  local list, found = operation[name], {}
  if type(list) ~= "table" then list = doc.root[name] end
  for _, value in each(doc, list) do found[#found + 1] = text_of(value) end
  return found
end

-- The schemas of the responses that are no errors. json_types: gets the media types of these.
function content.responses(doc, operation, json_types)
  local schemas, default = {}, nil
  for _, status in ipairs(keys(doc, operation.responses)) do
    if status:find "^2" or status == "default" then
      local response = resolve(doc, operation.responses[status])
      local media_types = keys(doc, response.content)
      local schema = schema_of(doc, response, media_types)
      if status == "default" then default = schema else schemas[#schemas + 1] = schema end
      add_json_types(media_types, json_types)
    end
  end
  if doc.root.swagger then add_json_types(media_types_of(doc, operation, "produces"), json_types) end
  if not schemas[1] then schemas[1] = default end
  return schemas
end

-- The one JSON media type that all responses can have, or nil.
function content.accept(found)
  local accept = next(found.types)
  return not found.differs and accept and next(found.types, accept) == nil and accept or nil
end

-- --- Swagger 2.0 ------------------------------------------------------------------

-- The parameters of a place that is no place in OpenAPI 3, body or formData.
local function swagger_fields(doc, item, operation, place)
  local found = {}
  for _, list in ipairs { table_of(item.parameters), table_of(operation.parameters) } do
    for _, parameter in each(doc, list) do
      local raw = resolve(doc, parameter)
      if raw["in"] == place and text_of(raw.name) then found[#found + 1] = raw end
    end
  end
  return found
end

local function swagger_form(fields, media_types)
  local properties, required, is_file, encoding = {}, {}, false, {}
  for _, raw in ipairs(fields) do
    properties[raw.name] = raw
    if raw.required == true then required[#required + 1] = raw.name end
    encoding[raw.name] = { explode = raw.collectionFormat == "multi" }
    is_file = is_file or raw.type == "file"
  end
  local media_type = is_file and "multipart/form-data" or "application/x-www-form-urlencoded"
  for _, name in ipairs(media_types) do
    if bare_type(name) == "multipart/form-data" and #media_types == 1 then media_type = name end
  end
  return { required = #required > 0, media_type = media_type, media_types = { media_type }, encoding = encoding,
    schema = { type = "object", properties = properties, required = required } }
end

local function swagger_body(doc, item, operation)
  local media_types = media_types_of(doc, operation, "consumes")
  local fields = swagger_fields(doc, item, operation, "formData")
  if fields[1] then return swagger_form(fields, media_types) end
  local bodies = swagger_fields(doc, item, operation, "body")
  local raw = bodies[#bodies]
  if not raw then return nil end
  if not media_types[1] then media_types[1] = "application/json" end
  return { required = raw.required == true, media_type = content.best_of(media_types), media_types = media_types,
    schema = raw.schema, encoding = reader.NOTHING, description = text_of(raw.description) }
end

-- The body that an operation takes; nil if it takes none.
function content.body(doc, item, raw)
  return doc.root.swagger and swagger_body(doc, item, raw) or body_of(doc, raw)
end

return content
