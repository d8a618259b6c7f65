-- SPDX-License-Identifier: MIT
-- What an OpenAPI document says, read from its decoded table: references are followed, and
-- Swagger 2.0 is told in the words of OpenAPI 3.
local document = {}

local only = require "endpoint.types.only"
local reader = require "endpoint.types.reader"
local server = require "endpoint.types.server"
local text = require "endpoint.clients.text"
local resolve, each, keys, fail = reader.resolve, reader.each, reader.keys, reader.fail
local table_of, text_of = reader.table_of, reader.text_of

local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace" }

-- --- media types ------------------------------------------------------------------

-- Without parameters, in lower case.
local function bare_type(media_type)
  return text.lower(media_type):match "^%s*([^%s;]*)"
end
document.bare_type = bare_type

function document.is_json(media_type)
  local bare = bare_type(media_type)
  return bare:find "/json$" ~= nil or bare:find "%+json$" ~= nil
end

-- How well a media type can be said with fields; the highest is taken.
local function rank_of(media_type)
  local bare = bare_type(media_type)
  if bare == "application/json" then return 5 end
  if document.is_json(media_type) then return 4 end
  if bare == "application/x-www-form-urlencoded" then return 3 end
  return bare == "*/*" and 2 or 1
end

local function best_of(media_types)
  local best
  for _, media_type in ipairs(media_types) do
    if not best or rank_of(media_type) > rank_of(best) then best = media_type end
  end
  return best
end

-- --- bodies and responses -----------------------------------------------------------

-- The body that an operation takes, nil if it takes none: `required`, `media_type`,
-- `media_types` (all of them), `schema`, and `encoding`, which a form may have.
local function body_of(doc, operation)
  local body = resolve(doc, operation.requestBody)
  local media_types = keys(doc, body.content)
  local media_type = best_of(media_types)
  if not media_type then return nil end
  local content = table_of(body.content[media_type])
  return { required = body.required == true, media_type = media_type, media_types = media_types,
    schema = content.schema, encoding = table_of(content.encoding), description = text_of(body.description) }
end

-- Such a name can stand in a header (RFC 6838, section 4.2).
local NAME = "^[%w][%w!#$&^_.+-]*/[%w][%w!#$&^_.+-]*$"

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(media_types, to)
  local fits = #media_types == 0
  for _, media_type in ipairs(media_types) do
    local bare = bare_type(media_type)
    local is_json = document.is_json(bare) and bare:find(NAME) ~= nil
    if is_json then to.types[bare] = true end
    fits = fits or is_json or bare == "*/*"
  end
  to.differs = to.differs or not fits
end

-- The schema of a response's JSON; with Swagger it stands in the response itself.
local function schema_of(doc, response, media_types)
  if doc.root.swagger then return response.schema end
  local media_type = best_of(media_types)
  local is_json = media_type and (document.is_json(media_type) or bare_type(media_type) == "*/*")
  return is_json and table_of(response.content[media_type]).schema or nil
end

-- The schemas of the responses that are no errors. json_types: gets the media types of these.
local function responses_of(doc, operation, json_types)
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
  if not schemas[1] then schemas[1] = default end
  return schemas
end

-- The one JSON media type that all responses can have, or nil.
local function accept_of(found)
  local accept = next(found.types)
  return not found.differs and accept and next(found.types, accept) == nil and accept or nil
end

-- --- parameters -------------------------------------------------------------------

local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- A parameter: `name`, `place`, `required`, `schema`, `style`, `explode`, `is_json`.
local function parameter_of(doc, raw)
  local place, content = raw["in"], best_of(keys(doc, raw.content))
  local style = text_of(raw.style) or DEFAULT_STYLES[place]
  local explode = raw.explode
  if type(explode) ~= "boolean" then explode = style == "form" end
  return { name = raw.name, place = place, required = raw.required == true or place == "path", style = style,
    explode = explode, allow_reserved = raw.allowReserved == true, is_json = content ~= nil,
    schema = content and table_of(raw.content[content]).schema or raw.schema,
    description = text_of(raw.description), deprecated = raw.deprecated == true }
end

-- What Swagger 2.0 calls collectionFormat.
local STYLES = { ssv = "spaceDelimited", tsv = "tabDelimited", pipes = "pipeDelimited" }

-- Its parameters have the type beside the name.
local function swagger_parameter(_, raw)
  local format = raw.collectionFormat
  return { name = raw.name, place = raw["in"], required = raw.required == true or raw["in"] == "path",
    style = STYLES[format] or DEFAULT_STYLES[raw["in"]], explode = format == "multi", schema = raw,
    description = text_of(raw.description) }
end

-- The parameters that a list adds, or puts in the place of those with the same name and
-- place.
local function add_parameters(doc, list, read, to)
  for _, item in each(doc, list) do
    local raw = resolve(doc, item)
    if text_of(raw.name) and (raw.name ~= "" or raw["in"] == "query") and DEFAULT_STYLES[raw["in"]] then
      local key = raw["in"] .. " " .. raw.name
      local position = to[key] or #to + 1
      to[key], to[position] = position, read(doc, raw)
      reader.spend(doc, #key)
    end
  end
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

-- A list of media types, that of the document where the operation has none.
local function media_types_of(doc, operation, name)
  local list, found = operation[name], {}
  if type(list) ~= "table" then list = doc.root[name] end
  for _, value in each(doc, list) do found[#found + 1] = text_of(value) end
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
  return { required = raw.required == true, media_type = best_of(media_types), media_types = media_types,
    schema = raw.schema, encoding = reader.NOTHING, description = text_of(raw.description) }
end

-- --- operations -------------------------------------------------------------------

local function read_operation(doc, item, method, path)
  local raw = item[method]
  local operation = { method = method:upper(), path = path, id = text_of(raw.operationId), parameters = {},
    summary = text_of(raw.summary) or text_of(raw.description), deprecated = raw.deprecated == true }
  local read = doc.root.swagger and swagger_parameter or parameter_of
  add_parameters(doc, item.parameters, read, operation.parameters)
  add_parameters(doc, raw.parameters, read, operation.parameters)
  operation.body = (doc.root.swagger and swagger_body(doc, item, raw)) or body_of(doc, raw)
  return operation
end

-- Calls a function with each operation: its path, item and method.
local function each_operation(doc, call)
  for _, path in ipairs(keys(doc, doc.root.paths)) do
    local item = path:find "^x%-" and reader.NOTHING or resolve(doc, doc.root.paths[path]) -- x-... is an extension
    for _, method in ipairs(METHODS) do
      if type(item[method]) == "table" then call(path, item, method) end
    end
  end
end

-- The operations, by path and method. json_types: gets the JSON media types of all responses.
local function operations_of(doc, base, json_types, wanted)
  local found = {}
  each_operation(doc, function(path, item, method)
    local raw = item[method]
    local responses = responses_of(doc, raw, json_types)
    if doc.root.swagger then add_json_types(media_types_of(doc, raw, "produces"), json_types) end
    if wanted and not only.takes(wanted, doc, method, path, raw) then return end
    local operation = read_operation(doc, item, method, path)
    operation.server, operation.responses = server.of_operation(base, raw.servers or item.servers), responses
    found[#found + 1] = operation
  end)
  return found
end

-- A number as YAML has it, 3.0, is a version, too.
local function version_of(value)
  return type(value) == "number" and ("%.1f"):format(value) or tostring(value)
end

local function check(root)
  if type(root) ~= "table" then
    fail("expected an OpenAPI document, got %s", root == nil and "nothing" or "a " .. type(root))
  end
  local given = root.openapi or root.swagger
  local version = version_of(given)
  local is_3 = root.openapi and (version:find "^3%.[01]$" or version:find "^3%.[01]%.%d[%w.-]*$")
  if not is_3 and not (root.swagger and (version == "2" or version == "2.0")) then
    local got = given and ", got " .. reader.shown(version) or ""
    fail('expected an OpenAPI document: "openapi" is 3.0 or 3.1, or "swagger" is 2.0%s', got)
  end
  if type(root.paths) ~= "table" then fail "expected an OpenAPI document, which has \"paths\"" end
end

-- Opens a decoded document; raises a text if it is none.
function document.open(root)
  check(root)
  return reader.open(root)
end

-- Reads a document: `title`, `base` (its first server, or nil), `chosen` (defaults of that server's
-- variables), `accept` (the one JSON media type of its responses, or nil) and `operations`. globs:
-- patterns of those that are wanted, nil for all.
function document.read(doc, globs)
  local base, chosen = server.of_document(doc)
  local json_types = { types = {}, differs = false }
  local wanted = only.new(globs)
  local operations = operations_of(doc, base, json_types, wanted)
  if wanted then only.check(wanted) end
  local title, accept = text_of(table_of(doc.root.info).title), accept_of(json_types)
  return { title = title, base = base, chosen = chosen or {}, accept = accept, operations = operations }
end

return document
