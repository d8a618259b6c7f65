-- SPDX-License-Identifier: MIT
-- The parameters of an operation, in the words of OpenAPI 3.
local parameters = {}

local content = require "endpoint.types.content"
local reader = require "endpoint.types.reader"
local resolve, each, keys = reader.resolve, reader.each, reader.keys
local table_of, text_of = reader.table_of, reader.text_of

local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- A parameter: `name`, `place`, `required`, `schema`, `style`, `explode`, `is_json`.
local function parameter_of(doc, raw)
  local place, media_type = raw["in"], content.best_of(keys(doc, raw.content))
  local style = text_of(raw.style) or DEFAULT_STYLES[place]
  local explode = raw.explode
  if type(explode) ~= "boolean" then explode = style == "form" end
  return { name = raw.name, place = place, required = raw.required == true or place == "path", style = style,
    explode = explode, allow_reserved = raw.allowReserved == true, is_json = media_type ~= nil,
    schema = media_type and resolve(doc, raw.content[media_type]).schema or raw.schema,
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

-- Swagger has these beside the others.
local IS_BODY = { body = true, formData = true }

-- Can a parameter be read? If not, a note says why.
local function is_parameter(doc, operation, raw)
  local name, place = text_of(raw.name), raw["in"]
  if doc.root.swagger and IS_BODY[place] then return false end
  if not name then
    reader.note(doc, operation, "a parameter without a name is left out")
  elseif not DEFAULT_STYLES[place] then
    reader.note(doc, operation, 'the parameter %s is left out: its "in" is none of query, path, header and cookie',
      reader.shown(name))
  end
  return name and (name ~= "" or place == "query") and DEFAULT_STYLES[place] ~= nil
end

-- The parameters that a list adds, or puts in the place of those with the same name and
-- place.
local function add(doc, list, operation)
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
function parameters.add(doc, item, raw, operation)
  add(doc, item.parameters, operation)
  add(doc, raw.parameters, operation)
end

return parameters
