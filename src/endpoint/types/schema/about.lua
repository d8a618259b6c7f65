-- SPDX-License-Identifier: MIT
-- What the schemas of a node say of its values beside the keywords: the description as it is
-- written, whether they are deprecated, and whether they are the bytes of a file.
local about = {}

local media_types = require "endpoint.types.document.media_types"
local values = require "endpoint.types.document.values"

-- --- words --------------------------------------------------------------------------------

local function said_by_schemas(schemas)
  local description, is_deprecated = nil, false
  for _, schema in ipairs(schemas) do
    description = description or values.as_string(schema.description)
    is_deprecated = is_deprecated or schema.deprecated == true
  end
  return description, is_deprecated
end

-- Of several nodes of one property: it is deprecated if all of them say so, or one that holds.
local function said_by_parts(doc, keyword, list)
  local description, count = nil, 0
  for _, node in ipairs(list) do
    local words, is_deprecated = about.of(doc, node)
    description, count = description or words, count + (is_deprecated and 1 or 0)
  end
  return description, count == #list or keyword == "allOf" and count > 0
end

-- The first description of a node, nil if it has none, and whether it is deprecated.
function about.of(doc, node)
  local origin = doc.schemas.origins[node]
  if not origin then
    return nil, false
  elseif origin.narrows then
    return about.of(doc, origin.narrows)
  elseif origin.is_joined then
    return said_by_parts(doc, origin.is_joined, node[origin.is_joined])
  end
  return said_by_schemas(origin.schemas)
end

-- --- files ----------------------------------------------------------------------------------

local function is_text_type(media_type)
  return type(media_type) ~= "string"
    or media_type:find "^text/" ~= nil
    or media_types.is_json(media_type)
end

-- OpenAPI 3.0 says format binary, Swagger 2.0 type file, OpenAPI 3.1 contentMediaType
-- ("Considerations for File Uploads").
local function says_file(schema)
  if schema.format == "binary" or schema.type == "file" then
    return true
  end
  return schema.contentMediaType ~= nil
    and not schema.contentEncoding
    and not is_text_type(schema.contentMediaType)
end

-- Does a node mean the bytes of a file?
function about.is_file(doc, node)
  local origin = doc.schemas.origins[node]
  for _, schema in ipairs(origin and origin.schemas or values.NOTHING) do
    if says_file(schema) then
      return true
    end
  end
  return false
end

return about
