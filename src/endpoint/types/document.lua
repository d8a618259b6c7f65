-- What an OpenAPI document says, read from its decoded table: references are followed, and
-- Swagger 2.0 is told in the words of OpenAPI 3. Documents come from strangers: a part of a
-- wrong type counts as absent.
local document = {}

local result = require "endpoint.result"
local text = require "endpoint.clients.text"

local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace" }

local PREFIX = "endpoint.types: "

-- Raises a text without a position: the line that reads a document is not at fault.
local function fail(problem, ...)
  error(PREFIX .. problem:format(...), 0)
end
document.fail = fail

-- --- values of any type -----------------------------------------------------------

local NOTHING = {} -- never written to

function document.table_of(value) return type(value) == "table" and value or NOTHING end
local table_of = document.table_of

function document.text_of(value) return type(value) == "string" and value or nil end
local text_of = document.text_of

-- The string keys of any value, sorted; none if it is no table.
function document.keys(value)
  local named = {}
  for key in next, table_of(value) do
    if type(key) == "string" then named[key] = true end
  end
  return result.sorted_keys(named)
end
local keys = document.keys

-- --- references -------------------------------------------------------------------

-- A part of a JSON pointer (RFC 6901, section 4), behind percent-decoding (section 6).
local function part_of(written)
  return (text.decoded(written):gsub("~1", "/"):gsub("~0", "~"))
end

local function target_of(root, reference)
  local place = root
  if type(reference) ~= "string" then fail("$ref: expected a text, got a %s", type(reference)) end
  if not reference:find "^#/" then
    fail("$ref %s: expected one into the document itself, #/...", document.shown(reference))
  end
  for written in reference:gmatch "/([^/]*)" do
    local part, number = part_of(written), tonumber(written)
    local parent = table_of(place)
    place = rawget(parent, part)
    if place == nil and number then place = rawget(parent, number + 1) end
    if place == nil then fail("$ref %s leads nowhere", document.shown(reference)) end
  end
  -- true and false are schemas, too.
  if type(place) ~= "table" and type(place) ~= "boolean" then
    fail("$ref %s leads to no object", document.shown(reference))
  end
  return place
end

-- A text of the document for a terminal: "?" for control characters, also those of two bytes.
function document.printable(value)
  return (value:gsub("%c", "?"):gsub("\194[\128-\159]", "?"))
end

-- A text of the document as errors quote it: printable ASCII, at most 100 bytes.
function document.shown(value)
  return '"' .. value:gsub("[^\32-\126]", "?"):sub(1, 100) .. '"'
end

-- The table that a value is, or that its $ref leads to; an empty one for any other value.
function document.resolve(root, value)
  local visited = {}
  while table_of(value)["$ref"] ~= nil do
    if visited[value] then fail("$ref %s leads in a circle", document.shown(value["$ref"])) end
    visited[value] = true
    value = target_of(root, value["$ref"])
  end
  return table_of(value)
end
local resolve = document.resolve

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
local function body_of(root, operation)
  local body = resolve(root, operation.requestBody)
  local media_types = keys(body.content)
  local media_type = best_of(media_types)
  if not media_type then return nil end
  local content = table_of(body.content[media_type])
  return { required = body.required == true, media_type = media_type, media_types = media_types,
    schema = content.schema, encoding = table_of(content.encoding), description = text_of(body.description) }
end

-- Adds the JSON media types of one response, and `differs` if it has only others.
local function add_json_types(media_types, to)
  local fits = #media_types == 0
  for _, media_type in ipairs(media_types) do
    local is_json, bare = document.is_json(media_type), bare_type(media_type)
    if is_json then to.types[bare] = true end
    fits = fits or is_json or bare == "*/*"
  end
  to.differs = to.differs or not fits
end

-- Adds the JSON media types of the responses that are no errors.
local function add_response_types(root, operation, to)
  for _, status in ipairs(keys(operation.responses)) do
    if status:find "^2" or status == "default" then
      add_json_types(keys(resolve(root, operation.responses[status]).content), to)
    end
  end
end

-- The one JSON media type that all responses can have, or nil.
local function accept_of(found)
  local accept = next(found.types)
  return not found.differs and accept and next(found.types, accept) == nil and accept or nil
end

-- --- parameters -------------------------------------------------------------------

local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- A parameter: `name`, `place`, `required`, `schema`, `style`, `explode`, `is_json`.
local function parameter_of(raw)
  local place, content = raw["in"], best_of(keys(raw.content))
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
local function swagger_parameter(raw)
  local format = raw.collectionFormat
  return { name = raw.name, place = raw["in"], required = raw.required == true or raw["in"] == "path",
    style = STYLES[format] or DEFAULT_STYLES[raw["in"]], explode = format == "multi", schema = raw,
    description = text_of(raw.description) }
end

-- The parameters that a list adds, or puts in the place of those with the same name and
-- place.
local function add_parameters(root, list, read, to)
  for _, item in ipairs(table_of(list)) do
    local raw = resolve(root, item)
    if text_of(raw.name) and (raw.name ~= "" or raw["in"] == "query") and DEFAULT_STYLES[raw["in"]] then
      local key = raw["in"] .. " " .. raw.name
      local position = to[key] or #to + 1
      to[key], to[position] = position, read(raw)
    end
  end
end

-- --- Swagger 2.0 ------------------------------------------------------------------

-- The parameters of a place that is no place in OpenAPI 3, body or formData.
local function swagger_fields(root, item, operation, place)
  local found = {}
  for _, list in ipairs { table_of(item.parameters), table_of(operation.parameters) } do
    for _, raw in ipairs(list) do
      raw = resolve(root, raw)
      if raw["in"] == place and text_of(raw.name) then found[#found + 1] = raw end
    end
  end
  return found
end

local function list_of(operation, root, name)
  local list, found = operation[name], {}
  if type(list) ~= "table" then list = root[name] end
  for _, value in ipairs(table_of(list)) do found[#found + 1] = text_of(value) end
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

local function swagger_body(root, item, operation)
  local media_types = list_of(operation, root, "consumes")
  local fields = swagger_fields(root, item, operation, "formData")
  if fields[1] then return swagger_form(fields, media_types) end
  local bodies = swagger_fields(root, item, operation, "body")
  local raw = bodies[#bodies]
  if not raw then return nil end
  if not media_types[1] then media_types[1] = "application/json" end
  return { required = raw.required == true, media_type = best_of(media_types), media_types = media_types,
    schema = raw.schema, encoding = NOTHING, description = text_of(raw.description) }
end

-- "https" if it is one of the schemes or none is named, else "http" or nil.
local function swagger_scheme(root)
  local schemes, scheme = list_of(root, root, "schemes"), nil
  if not schemes[1] then return "https" end
  for _, name in ipairs(schemes) do
    if name == "https" or name == "http" and not scheme then scheme = name end
  end
  return scheme
end

-- Joined so that no part changes another. One that is unusable makes a server without a URL.
local function swagger_server(root)
  local path, host, scheme = text_of(root.basePath) or "", root.host, swagger_scheme(root)
  if host == nil then return { { url = path } } end
  if not scheme or not text_of(host) or host == "" or host:find "[/?#@\\]" then return { {} } end
  return { { url = scheme .. "://" .. host .. "/" .. path:gsub("^/+", "") } }
end

-- --- servers ------------------------------------------------------------------------

local function default_of(variables, name)
  local value = table_of(table_of(variables)[name]).default
  if type(value) == "number" and value % 1 == 0 then return ("%.0f"):format(value) end
  return text_of(value)
end

-- The URL of the first server of a list, with its variables' defaults; nil without one.
local function server_of(servers)
  local server = table_of(table_of(servers)[1])
  local url = text_of(server.url)
  return url and url:gsub("{([^{}]*)}", function(name) return default_of(server.variables, name) end)
end

-- The first server as a baseUrl: absolute, or a path that begins with "/".
local function base_of(url)
  if url:find "^//" then url = "https:" .. url end
  return url:match "^(%a[%w+.-]*://.-)/*$" or "/" .. url:gsub("^%.?/*", ""):gsub("/+$", "")
end

-- The document's baseUrl: "/" if it names no server, nil if the first has no URL.
local function document_base(root)
  local servers = table_of(root.swagger and swagger_server(root) or root.servers)
  local url = servers[1] == nil and "" or server_of(servers)
  return url and base_of(url)
end

-- A server of an operation, beside the document's: an absolute URL, a path below the same
-- host, or nil where it is the document's own.
local function own_server(base, servers)
  local url = server_of(servers)
  if not url then return nil end
  local own = base_of(url)
  if own:sub(1, 1) == "/" then own = ((base or ""):match "^[^:/]+://[^/?#]*" or "") .. own:gsub("/$", "") end
  return own ~= base and own or nil
end

-- --- operations -------------------------------------------------------------------

local function read_operation(root, item, method, path)
  local raw = item[method]
  local operation = { method = method:upper(), path = path, id = text_of(raw.operationId), parameters = {},
    summary = text_of(raw.summary) or text_of(raw.description), deprecated = raw.deprecated == true }
  local read = root.swagger and swagger_parameter or parameter_of
  add_parameters(root, item.parameters, read, operation.parameters)
  add_parameters(root, raw.parameters, read, operation.parameters)
  operation.body = (root.swagger and swagger_body(root, item, raw)) or body_of(root, raw)
  return operation
end

-- The operations, by path and method. json_types: gets the JSON media types of their responses.
local function operations_of(root, base, json_types)
  local found = {}
  for _, path in ipairs(keys(root.paths)) do
    local item = path:find "^x%-" and NOTHING or resolve(root, root.paths[path]) -- x-... is an extension
    for _, method in ipairs(METHODS) do
      if type(item[method]) == "table" then
        local operation = read_operation(root, item, method, path)
        operation.server = own_server(base, item[method].servers or item.servers)
        add_response_types(root, item[method], json_types)
        if root.swagger then add_json_types(list_of(item[method], root, "produces"), json_types) end
        found[#found + 1] = operation
      end
    end
  end
  return found
end

local function check(root)
  if type(root) ~= "table" then fail("expected an OpenAPI document, got a %s", type(root)) end
  local version = tostring(root.openapi or root.swagger)
  local is_3 = root.openapi and (version:find "^3%.[01]$" or version:find "^3%.[01]%.%d[%w.-]*$")
  if not is_3 and not (root.swagger and (version == "2" or version == "2.0")) then
    fail 'expected an OpenAPI document: "openapi" is 3.0 or 3.1, or "swagger" is 2.0'
  end
  if type(root.paths) ~= "table" then fail "expected an OpenAPI document, which has \"paths\"" end
end

-- Reads a document: `title`, `base` (its first server, or nil), `accept` (the one JSON media type of
-- its responses, or nil) and `operations`.
function document.read(root)
  check(root)
  local base = document_base(root)
  local json_types = { types = {}, differs = false }
  local operations = operations_of(root, base, json_types)
  return { title = text_of(table_of(root.info).title), base = base, accept = accept_of(json_types),
    operations = operations }
end

return document
