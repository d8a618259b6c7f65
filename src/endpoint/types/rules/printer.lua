-- SPDX-License-Identifier: MIT
-- Nodes of the rules as constructors of Lua.
local printer = {}

local budget = require "endpoint.types.document.budget"
local reader = require "endpoint.types.document.reader"
local source = require "endpoint.types.source"
local text = require "endpoint.text"

local KEYWORDS = {
  "type",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
}

local NODES = { "items", "additionalProperties" }
local LISTS = { "anyOf", "allOf" }

function printer.literal(value)
  if type(value) == "string" then
    return source.literal(value)
  end
  if type(value) == "userdata" then
    return "N"
  end
  if type(value) == "number" then
    return text.decoded(text.encoded(value))
  end
  if type(value) ~= "table" then
    return tostring(value)
  end
  local texts = {}
  for position, element in ipairs(value) do
    texts[position] = printer.literal(element)
  end
  return "{" .. table.concat(texts, ",") .. "}"
end

local IS_WORD = {
  ["and"] = true,
  ["break"] = true,
  ["do"] = true,
  ["else"] = true,
  ["elseif"] = true,
  ["end"] = true,
  ["false"] = true,
  ["for"] = true,
  ["function"] = true,
  ["goto"] = true,
  ["if"] = true,
  ["in"] = true,
  ["local"] = true,
  ["nil"] = true,
  ["not"] = true,
  ["or"] = true,
  ["repeat"] = true,
  ["return"] = true,
  ["then"] = true,
  ["true"] = true,
  ["until"] = true,
  ["while"] = true,
}

local function key_of(name)
  if name:find "^[A-Za-z_][A-Za-z0-9_]*$" and not IS_WORD[name] then
    return name
  end
  return "[" .. source.literal(name) .. "]"
end

local function add_properties(to, node, parts)
  local properties = {}
  for _, name in ipairs(reader.keys(to.doc, node.properties)) do
    properties[#properties + 1] = key_of(name) .. "=" .. printer.node(to, node.properties[name])
  end
  parts[#parts + 1] = "properties={" .. table.concat(properties, ",") .. "}"
end

local function add_nodes(to, node, parts)
  for _, name in ipairs(NODES) do
    if node[name] then
      parts[#parts + 1] = name .. "=" .. printer.node(to, node[name])
    end
  end
  for _, name in ipairs(LISTS) do
    local texts = {}
    for position, child in ipairs(node[name] or {}) do
      texts[position] = printer.node(to, child)
    end
    if texts[1] then
      parts[#parts + 1] = name .. "={" .. table.concat(texts, ",") .. "}"
    end
  end
end

-- A node as text, a shared one, too. description: in the place of its own.
function printer.whole(to, node, description)
  local parts = {}
  description = description or node.description
  if description then
    parts[1] = "description=" .. source.literal(description)
  end
  for _, keyword in ipairs(KEYWORDS) do
    if node[keyword] ~= nil then
      parts[#parts + 1] = keyword .. "=" .. printer.literal(node[keyword])
    end
  end
  if node.properties then
    add_properties(to, node, parts)
  end
  if node.additionalProperties == false then
    parts[#parts + 1] = "additionalProperties=false"
  end
  add_nodes(to, node, parts)
  local written = "{" .. table.concat(parts, ",") .. "}"
  budget.spend(to.doc, #written)
  return written
end

-- A node as text: of a shared one its number.
function printer.node(to, node)
  local own = node.of or node
  local number, description = to.numbers[own], node.of and node.description
  if not number then
    return printer.whole(to, own, description)
  end
  if description and description ~= own.description then
    return ("{ref=%d,description=%s}"):format(number, source.literal(description))
  end
  return ("{ref=%d}"):format(number)
end

return printer
