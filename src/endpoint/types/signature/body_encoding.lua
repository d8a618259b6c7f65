-- SPDX-License-Identifier: MIT
-- How a body is written for those who give values and no bytes, such as language models: its kind,
-- its label, and the style of each of its properties (OpenAPI 3.1, "Encoding Object"); or why no
-- value can say it.
local body_encoding = {}

local budget = require "endpoint.types.document.budget"
local media_types = require "endpoint.types.document.media_types"
local schema = require "endpoint.types.schema"
local values = require "endpoint.types.document.values"

-- --- kinds ------------------------------------------------------------------------

local KINDS = {
  ["*/*"] = "json",
  ["application/x-www-form-urlencoded"] = "form",
  ["multipart/form-data"] = "multipart",
}

-- Subtypes of application that are texts.
local IS_TEXT = {
  xml = true,
  yaml = true,
  ["x-yaml"] = true,
  javascript = true,
  ecmascript = true,
  graphql = true,
  sql = true,
  toml = true,
  jsonl = true,
  ndjson = true,
  jwt = true,
  ["x-ndjson"] = true,
  ["x-jsonlines"] = true,
  ["sparql-query"] = true,
  ["sparql-update"] = true,
}

local function is_text(bare)
  local subtype = bare:match "^application/(.*)$"
  return bare:find "^text/" ~= nil
    or bare:find "%+xml$" ~= nil
    or bare:find "%+yaml$" ~= nil
    or subtype ~= nil and IS_TEXT[subtype] == true
end

-- "json", "form", "multipart" or "text"; nil for bytes.
function body_encoding.kind_of(media_type)
  local bare = media_types.bare(media_type)
  if KINDS[bare] then
    return KINDS[bare]
  elseif media_types.is_json(bare) then
    return "json"
  end
  return is_text(bare) and "text" or nil
end

-- Can a media type be the value of a header?
local function is_label(media_type)
  return media_type:find "^[^/%s;*]+/[^/%s;*]" ~= nil and not media_type:find "[^\32-\126]"
end

-- What content-type says. A multipart body has a boundary in it, which its writer knows.
local function label_of(media_type, kind)
  local bare = media_types.bare(media_type)
  if bare == "*/*" or bare == "application/json" then
    return "application/json; charset=utf-8" -- as the module itself labels JSON
  end
  if bare == "text/*" then
    return "text/plain; charset=utf-8"
  end
  return kind ~= "multipart" and is_label(media_type) and media_type or nil
end

-- --- properties of forms ----------------------------------------------------------

-- What joins the elements of a list that is not exploded.
body_encoding.SEPARATORS =
  { form = ",", spaceDelimited = " ", pipeDelimited = "|", tabDelimited = "\t" }

-- The kind of a node's values: "scalar", "list", or "nested" for objects and lists of tables.
local function shape_of(doc, node)
  local kinds = schema.kinds(doc, node)
  if schema.is_nested(kinds) then
    return "nested"
  end
  local kind = schema.kind_of(kinds)
  return kind == "map" and "nested" or kind
end

-- The media type of a part of a multipart body, as its Encoding Object says: the first that can be
-- a header; nil if it says none.
local function part_type_of(encoding_object)
  for media_type in (values.as_string(encoding_object.contentType) or ""):gmatch "[^,]+" do
    media_type = media_type:match "^%s*(.-)%s*$"
    if is_label(media_type) then
      return media_type
    end
  end
end

-- The media types that a part may have, as its Encoding Object lists them; nil if it says none, or
-- that of the parts alone.
local function part_types_of(doc, body, property, part_type)
  local encoding_object, types = values.as_table(body.encoding[property.name]), {}
  for media_type in (values.as_string(encoding_object.contentType) or ""):gmatch "[^,]+" do
    budget.spend(doc, #media_type)
    types[#types + 1] = media_types.bare(media_type)
  end
  return types[1] and (types[2] or types[1] ~= part_type) and types or nil
end

-- The style of a part that has a media type: the whole value as JSON, or a file where the type is
-- no text; nil for a text.
local function style_of_type(media_type)
  local kind = body_encoding.kind_of(media_type)
  if kind == "text" then
    return nil
  end
  return kind == "json" and "json" or "file"
end

-- The style of a property, by its Encoding Object: "file"; "deep" for name[key]; "json" for any
-- value as JSON, "tables" for tables as JSON; what joins its elements; "" for a value that is a
-- text, or a list that repeats the name. part_type: of its part in a multipart body, or nil.
local function style_of(doc, body, property, kind, part_type)
  local encoding_object = values.as_table(body.encoding[property.name])
  local shape = shape_of(doc, property.node)
  if kind == "multipart" and schema.is_file(doc, property.node) then
    return "file"
  elseif part_type and style_of_type(part_type) then
    return style_of_type(part_type)
  elseif encoding_object.style == "deepObject" and shape ~= "scalar" then
    return "deep"
  elseif shape == "nested" then
    return "tables" -- the default of contentType
  end
  local is_exploded = encoding_object.explode
  if type(is_exploded) ~= "boolean" then
    is_exploded = (encoding_object.style or "form") == "form"
  end
  local is_joined = shape == "list" and not is_exploded and kind == "form"
  return is_joined and body_encoding.SEPARATORS[encoding_object.style or "form"] or ""
end

-- Says in `written` how each property of a form is written, and which are files.
local function add_properties(doc, body, written)
  written.styles = {}
  for _, property in ipairs(schema.properties(doc, body.node)) do
    local part_type = written.kind == "multipart"
        and part_type_of(values.as_table(body.encoding[property.name]))
      or nil
    local style = style_of(doc, body, property, written.kind, part_type)
    if style == "file" and property.required then
      written.reason = ("its body must have the file %s, and an argument cannot hold bytes"):format(
        values.quoted(property.name)
      )
    end
    local part_types = written.kind == "multipart" and part_types_of(doc, body, property, part_type)
    if part_types then
      written.styles[#written.styles + 1] = { property.name, style, part_type or false, part_types }
    elseif style ~= "" or part_type then
      written.styles[#written.styles + 1] = { property.name, style, part_type }
    end
  end
end

-- --- bodies -----------------------------------------------------------------------

-- `kind`, `label` (nil if the body has no media type), for a form also `styles` (a list of names,
-- styles, media types of parts, and those that a part may have), and `reason`, why no value can say
-- the body.
function body_encoding.of_body(doc, body)
  local written = { kind = body_encoding.kind_of(body.media_type) }
  if not written.kind then
    local words = "its body is %s, and an argument cannot hold bytes"
    written.reason = words:format(values.quoted(media_types.bare(body.media_type)))
    return written
  end
  written.label = label_of(body.media_type, written.kind)
  if written.kind == "form" or written.kind == "multipart" then
    add_properties(doc, body, written)
  end
  return written
end

return body_encoding
