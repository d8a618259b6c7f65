-- SPDX-License-Identifier: MIT
-- Media types (OpenAPI 3.1, "Media Types"): which of them are JSON, and which of several says most
-- of a body.
local media_types = {}

local reader = require "endpoint.types.document.reader"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

-- Without parameters, in lower case.
function media_types.bare(media_type)
  return text.lower(media_type):match "^%s*([^%s;]*)"
end

function media_types.is_json(media_type)
  local bare = media_types.bare(media_type)
  return bare:find "/json$" ~= nil or bare:find "%+json$" ~= nil
end

local RANKS = {
  ["application/x-www-form-urlencoded"] = 5,
  ["*/*"] = 4,
  ["multipart/form-data"] = 3,
}

-- How well a media type can be said with fields; the highest is taken.
local function rank_of(media_type)
  local bare = media_types.bare(media_type)
  if bare == "application/json" then
    return 7
  end
  if media_types.is_json(media_type) then
    return 6
  end
  return RANKS[bare] or (bare:find "^text/" or bare:find "[/+]xml$") and 2 or 1
end

-- The one of a list that is taken; of equal ones the first. nil if the list is empty.
function media_types.best(list)
  local best, highest = nil, 0
  for _, media_type in ipairs(list) do
    local rank = rank_of(media_type)
    if rank > highest then
      best, highest = media_type, rank
    end
  end
  return best
end

-- Swagger 2.0, "Operation Object", `consumes` or `produces`: the list of an operation, or that of
-- the document where the operation has none.
function media_types.of_swagger(doc, operation_object, name)
  local list, found = operation_object[name], {}
  if type(list) ~= "table" then
    list = doc.root[name]
  end
  for _, value in reader.each(doc, list) do
    found[#found + 1] = values.as_string(value)
  end
  return found
end

return media_types
