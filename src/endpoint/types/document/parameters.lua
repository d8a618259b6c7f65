-- SPDX-License-Identifier: MIT
-- The parameters of an operation. Those of Swagger 2.0 are told in the words of OpenAPI 3.
local parameters = {}

local budget = require "endpoint.types.document.budget"
local media_types = require "endpoint.types.document.media_types"
local reader = require "endpoint.types.document.reader"
local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"
local resolve = references.resolve
local each, keys = reader.each, reader.keys
local as_table, as_string = values.as_table, values.as_string

local DEFAULT_STYLES = { query = "form", cookie = "form", path = "simple", header = "simple" }

-- A parameter: `name`, `place`, `required`, `schema`, `style`, `explode`, `allow_reserved`,
-- `is_json`, `description`, `example`, `deprecated`.
local function parameter_of(doc, raw)
  local place, media_type = raw["in"], media_types.best(keys(doc, raw.content))
  local style = as_string(raw.style) or DEFAULT_STYLES[place]
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
    description = as_string(raw.description),
    example = raw.example,
    deprecated = raw.deprecated == true,
  }
end

-- What Swagger 2.0 calls collectionFormat.
parameters.SWAGGER_STYLES =
  { ssv = "spaceDelimited", tsv = "tabDelimited", pipes = "pipeDelimited" }

-- Its parameters have the type beside the name.
local function swagger_parameter(_, raw)
  local format = raw.collectionFormat
  return {
    name = raw.name,
    place = raw["in"],
    required = raw.required == true or raw["in"] == "path",
    style = parameters.SWAGGER_STYLES[format] or DEFAULT_STYLES[raw["in"]],
    explode = format == "multi",
    schema = raw,
    description = as_string(raw.description),
  }
end

-- Swagger has these beside the others.
local IS_BODY = { body = true, formData = true }

-- Can a parameter be read? If not, a note says why.
local function is_parameter(doc, operation, raw)
  local name, place = as_string(raw.name), raw["in"]
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
      values.quoted(name)
    )
  end
  return name and (name ~= "" or place == "query") and DEFAULT_STYLES[place] ~= nil
end

-- The parameters that a list adds, or puts in the place of those with the same name and
-- place.
local function add_list(doc, list, operation)
  local known, read = operation.parameters, doc.root.swagger and swagger_parameter or parameter_of
  if next(as_table(list)) ~= nil and list[1] == nil then
    reader.note(doc, operation, "its parameters are left out: they are no list")
  end
  for _, item in each(doc, list) do
    local raw = resolve(doc, item)
    if is_parameter(doc, operation, raw) then
      local key = raw["in"] .. " " .. raw.name
      local position = known[key] or #known + 1
      known[key], known[position] = position, read(doc, raw)
      budget.spend(doc, #key)
    end
  end
end

-- Adds the parameters of a path's item, and of an operation in it.
function parameters.add(doc, item, raw, operation)
  add_list(doc, item.parameters, operation)
  add_list(doc, raw.parameters, operation)
end

return parameters
