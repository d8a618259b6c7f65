-- SPDX-License-Identifier: MIT
-- A node without references and `allOf` at its top: one table with the keywords of all its parts.
local flat = {}

local keywords = require "endpoint.checks.validator.keywords"
local result = require "endpoint.result"

-- Parts in parts.
local DEEPEST = 20

local WORDS = { "description", "discriminator", "tag" }
for _, list in ipairs { "WITHOUT_NODES", "WITH_NODE", "WITH_LIST", "WITH_MAP" } do
  for _, keyword in ipairs(keywords[list]) do
    WORDS[#WORDS + 1] = keyword
  end
end

local function copied(node)
  local copy = {}
  for _, keyword in ipairs(WORDS) do
    copy[keyword] = node[keyword]
  end
  return copy
end

-- Does a node say nothing? Names that alternatives describe are such properties beside them.
function flat.is_empty(node)
  return type(node) == "table" and node.ref == nil and next(copied(node)) == nil
end

local function merged_properties(own, other)
  local properties = {}
  for name, node in next, other do
    properties[name] = node
  end
  for name, node in next, own do
    if not flat.is_empty(node) or properties[name] == nil then
      properties[name] = node
    end
  end
  return properties
end

local function merged_names(own, other)
  local is_there, list = {}, {}
  for _, names in ipairs { own, other } do
    for _, name in ipairs(names) do
      if not is_there[name] then
        is_there[name], list[#list + 1] = true, name
      end
    end
  end
  return result.sorted(list)
end

function flat.has_alternatives(node)
  return node.anyOf ~= nil or node.oneOf ~= nil or type(node.discriminator) == "table"
end

-- Two flat nodes as one: what the first says counts where both say something.
function flat.merged(own, other)
  local both = copied(own)
  for _, keyword in ipairs(WORDS) do
    if both[keyword] == nil then
      both[keyword] = other[keyword]
    end
  end
  if own.properties and other.properties then
    both.properties = merged_properties(own.properties, other.properties)
  end
  if own.required and other.required then
    both.required = merged_names(own.required, other.required)
  end
  return both
end

-- A node as a flat one; nil where two of its parts have alternatives, and no table can say both.
-- Notes the numbers of the nodes that it was made of in `numbers`.
function flat.of(rulebook, node, numbers, depth)
  depth = depth or 1
  if type(node) ~= "table" or depth > DEEPEST then
    return nil
  end
  if node.ref then
    numbers[#numbers + 1] = node.ref
    local made = flat.of(rulebook, rulebook.schemas[node.ref], numbers, depth + 1)
    if made and node.description then
      made.description = node.description
    end
    return made
  end
  local whole = copied(node)
  whole.allOf = nil
  for _, part in ipairs(node.allOf or {}) do
    local other = flat.of(rulebook, part, numbers, depth + 1)
    if not other or flat.has_alternatives(whole) and flat.has_alternatives(other) then
      return nil
    end
    whole = flat.merged(whole, other)
  end
  return whole
end

return flat
