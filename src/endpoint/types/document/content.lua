-- SPDX-License-Identifier: MIT
-- What an operation takes and answers: its parameters, body and responses, with their media types and schemas.
-- Swagger 2.0 is told in the words of OpenAPI 3.
local content = {}

local reader = require "endpoint.types.document.reader"
local text = require "endpoint.text"
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
  if bare == "application/json" then
    return 5
  end
  if content.is_json(media_type) then
    return 4
  end
  if bare == "application/x-www-form-urlencoded" then
    return 3
  end
  return bare == "*/*" and 2 or 1
end

function content.best_of(media_types)
  local best, highest = nil, 0
  for _, media_type in ipairs(media_types) do
    local rank = rank_of(media_type)
    if rank > highest then
      best, highest = media_type, rank
    end
  end
  return best
end

-- --- parameters -------------------------------------------------------------------

local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- A parameter: `name`, `place`, `required`, `schema`, `style`, `explode`, `is_json`.
local function parameter_of(doc, raw)
  local place, media_type = raw["in"], content.best_of(keys(doc, raw.content))
  local style = text_of(raw.style) or DEFAULT_STYLES[place]
  local explode = raw.explode
  if type(explode) ~= "boolean" then
    explode = style == "form"
  end
  return {
    name = raw.name,
    place = place,
    required = raw.required == true or place == "path",
    style = style,
    explode = explode,
    allow_reserved = raw.allowReserved == true,
    is_json = media_type ~= nil,
    schema = media_type and resolve(doc, raw.content[media_type]).schema or raw.schema,
    description = text_of(raw.description),
    deprecated = raw.deprecated == true,
  }
end

-- What Swagger 2.0 calls collectionFormat.
local STYLES = { ssv = "spaceDelimited", tsv = "tabDelimited", pipes = "pipeDelimited" }

-- Its parameters have the type beside the name.
local function swagger_parameter(_, raw)
  local format = raw.collectionFormat
  return {
    name = raw.name,
    place = raw["in"],
    required = raw.required == true or raw["in"] == "path",
    style = STYLES[format] or DEFAULT_STYLES[raw["in"]],
    explode = format == "multi",
    schema = raw,
    description = text_of(raw.description),
  }
end

-- Swagger has these beside the others.
local IS_BODY = { body = true, formData = true }

-- Can a parameter be read? If not, a note says why.
local function is_parameter(doc, operation, raw)
  local name, place = text_of(raw.name), raw["in"]
  if doc.root.swagger and IS_BODY[place] then
    return false
  end
  if not name then
    reader.note(doc, operation, "a parameter without a name is left out")
  elseif not DEFAULT_STYLES[place] then
    reader.note(
      doc,
      operation,
      'the parameter %s is left out: its "in" is none of query, path, header and cookie',
      reader.quoted(name)
    )
  end
  return name and (name ~= "" or place == "query") and DEFAULT_STYLES[place] ~= nil
end

-- The parameters that a list adds, or puts in the place of those with the same name and
-- place.
local function add_list(doc, list, operation)
  local to, read = operation.parameters, doc.root.swagger and swagger_parameter or parameter_of
  if next(table_of(list)) ~= nil and list[1] == nil then
    reader.note(doc, operation, "its parameters are left out: they are no list")
  end
  for _, item in each(doc, list) do
    local raw = resolve(doc, item)
    if is_parameter(doc, operation, raw) then
      local key = raw["in"] .. " " .. raw.name
      local position = to[key] or #to + 1
      to[key], to[position] = position, read(doc, raw)
      reader.spend(doc, #key)
    end
  end
end

-- Adds the parameters of a path's item, and of an operation in it.
function content.add_parameters(doc, item, raw, operation)
  add_list(doc, item.parameters, operation)
  add_list(doc, raw.parameters, operation)
end

-- --- bodies and responses -----------------------------------------------------------

-- The body that an operation takes, nil if it takes none: `required`, `media_type`,
-- `media_types` (all of them), `schema`, and `encoding`, which a form may have.
local function body_of(doc, operation)
  local body = resolve(doc, operation.requestBody)
  local media_types = keys(doc, body.content)
  local media_type = content.best_of(media_types)
  if not media_type then
    return nil
  end
  local found = resolve(doc, body.content[media_type])
  return {
    required = body.required == true,
    media_type = media_type,
    media_types = media_types,
    schema = found.schema,
    encoding = table_of(found.encoding),
    description = text_of(body.description),
  }
end

-- Such a name can stand in a header (RFC 6838, section 4.2).
local NAME = "^[%w][%w!#$&^_.+-]*/[%w][%w!#$&^_.+-]*$"

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(media_types, to)
  local fits = #media_types == 0
  for _, media_type in ipairs(media_types) do
    local bare = bare_type(media_type)
    local is_json = content.is_json(bare) and bare:find(NAME) ~= nil
    if is_json then
      to.types[bare] = true
    end
    fits = fits or is_json or bare == "*/*"
  end
  to.differs = to.differs or not fits
end

-- The schema of a response's JSON; with Swagger it stands in the response itself.
local function schema_of(doc, response, media_types)
  if doc.root.swagger then
    return response.schema
  end
  local media_type = content.best_of(media_types)
  local is_json = media_type and (content.is_json(media_type) or bare_type(media_type) == "*/*")
  return is_json and resolve(doc, response.content[media_type]).schema or nil
end

-- A list of media types, that of the document where the operation has none.
local function media_types_of(doc, operation, name)
  local list, found = operation[name], {}
  if type(list) ~= "table" then
    list = doc.root[name]
  end
  for _, value in each(doc, list) do
    found[#found + 1] = text_of(value)
  end
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
      if status == "default" then
        default = schema
      else
        schemas[#schemas + 1] = schema
      end
      add_json_types(media_types, json_types)
    end
  end
  if doc.root.swagger then
    add_json_types(media_types_of(doc, operation, "produces"), json_types)
  end
  if not schemas[1] then
    schemas[1] = default
  end
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
      if raw["in"] == place and text_of(raw.name) then
        found[#found + 1] = raw
      end
    end
  end
  return found
end

local function swagger_form(fields, media_types)
  local properties, required, is_file, encoding = {}, {}, false, {}
  for _, raw in ipairs(fields) do
    properties[raw.name] = raw
    if raw.required == true then
      required[#required + 1] = raw.name
    end
    encoding[raw.name] = { explode = raw.collectionFormat == "multi" }
    is_file = is_file or raw.type == "file"
  end
  local media_type = is_file and "multipart/form-data" or "application/x-www-form-urlencoded"
  for _, name in ipairs(media_types) do
    if bare_type(name) == "multipart/form-data" and #media_types == 1 then
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
  local media_types = media_types_of(doc, operation, "consumes")
  local fields = swagger_fields(doc, item, operation, "formData")
  if fields[1] then
    return swagger_form(fields, media_types)
  end
  local bodies = swagger_fields(doc, item, operation, "body")
  local raw = bodies[#bodies]
  if not raw then
    return nil
  end
  if not media_types[1] then
    media_types[1] = "application/json"
  end
  return {
    required = raw.required == true,
    media_type = content.best_of(media_types),
    media_types = media_types,
    schema = raw.schema,
    encoding = reader.NOTHING,
    description = text_of(raw.description),
  }
end

-- The body that an operation takes; nil if it takes none.
function content.body(doc, item, raw)
  return doc.root.swagger and swagger_body(doc, item, raw) or body_of(doc, raw)
end

return content
