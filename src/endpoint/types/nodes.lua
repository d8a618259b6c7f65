-- SPDX-License-Identifier: MIT
-- The nodes of endpoint.types.rules as text of Lua. Those that several need, and those that hold themselves, are
-- numbered: `numbers` has the numbers, and `shared` the nodes.
local nodes = {}

local reader = require "endpoint.types.reader"
local schema = require "endpoint.types.schema"
local text = require "endpoint.clients.text"

-- --- shared nodes -----------------------------------------------------------------

-- Deeper tables than this stand by themselves: Lua compiles no constructor of 200 levels.
local DEEPEST = 12

-- Calls a function with each node that stands in another, always in the same order.
local function each_child(to, node, call)
  if node.of then return call(node.of) end
  for _, name in ipairs(reader.keys(to.doc, node.properties)) do call(node.properties[name]) end
  if node.items then call(node.items) end
  if node.additionalProperties then call(node.additionalProperties) end
  for _, child in ipairs(node.anyOf or {}) do call(child) end
  for _, child in ipairs(node.allOf or {}) do call(child) end
end

local function is_small(node)
  return not (node.properties or node.items or node.anyOf or node.additionalProperties or node.enum and node.enum[9])
end

-- Numbers the nodes below these that stand in several places. Nothing here calls itself: a document may
-- nest its schemas as deep as it is long.
function nodes.number(to, roots)
  local stack, is_known = {}, {}
  local function visit(node, depth)
    if is_known[node] and is_small(node) then return end
    if (is_known[node] or depth > DEEPEST) and not to.numbers[node] then
      to.shared[#to.shared + 1] = node
      to.numbers[node] = #to.shared
    end
    if is_known[node] then return end
    is_known[node] = true
    stack[#stack + 1] = { node = node, depth = to.numbers[node] and 1 or depth + 1 }
  end
  for _, root in ipairs(roots) do visit(root, 1) end
  while stack[1] do
    local top = table.remove(stack)
    each_child(to, top.node, function(child) visit(child, top.depth) end)
  end
end

-- --- text -------------------------------------------------------------------------

local KEYWORDS = { "type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
  "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "required" }

local NODES = { "items", "additionalProperties" }
local LISTS = { "anyOf", "allOf" }

function nodes.literal(value)
  if type(value) == "string" then return schema.literal(value) end
  if type(value) == "userdata" then return "N" end
  if type(value) == "number" then return text.decoded(text.encoded(value)) end
  if type(value) ~= "table" then return tostring(value) end
  local texts = {}
  for position, element in ipairs(value) do texts[position] = nodes.literal(element) end
  return "{" .. table.concat(texts, ",") .. "}"
end

local IS_WORD = { ["and"] = true, ["break"] = true, ["do"] = true, ["else"] = true, ["elseif"] = true, ["end"] = true,
  ["false"] = true, ["for"] = true, ["function"] = true, ["goto"] = true, ["if"] = true, ["in"] = true, ["local"] = true,
  ["nil"] = true, ["not"] = true, ["or"] = true, ["repeat"] = true, ["return"] = true, ["then"] = true, ["true"] = true,
  ["until"] = true, ["while"] = true }

local function key_of(name)
  if name:find "^[A-Za-z_][A-Za-z0-9_]*$" and not IS_WORD[name] then return name end
  return "[" .. schema.literal(name) .. "]"
end

local function add_properties(to, node, parts)
  local properties = {}
  for _, name in ipairs(reader.keys(to.doc, node.properties)) do
    properties[#properties + 1] = key_of(name) .. "=" .. nodes.write(to, node.properties[name])
  end
  parts[#parts + 1] = "properties={" .. table.concat(properties, ",") .. "}"
end

local function add_nodes(to, node, parts)
  for _, name in ipairs(NODES) do
    if node[name] then parts[#parts + 1] = name .. "=" .. nodes.write(to, node[name]) end
  end
  for _, name in ipairs(LISTS) do
    local texts = {}
    for position, child in ipairs(node[name] or {}) do texts[position] = nodes.write(to, child) end
    if texts[1] then parts[#parts + 1] = name .. "={" .. table.concat(texts, ",") .. "}" end
  end
end

-- A node as a constructor of Lua. description: in the place of its own.
function nodes.text_of(to, node, description)
  local parts = {}
  description = description or node.description
  if description then parts[1] = "description=" .. schema.literal(description) end
  for _, keyword in ipairs(KEYWORDS) do
    if node[keyword] ~= nil then parts[#parts + 1] = keyword .. "=" .. nodes.literal(node[keyword]) end
  end
  if node.properties then add_properties(to, node, parts) end
  if node.additionalProperties == false then parts[#parts + 1] = "additionalProperties=false" end
  add_nodes(to, node, parts)
  local written = "{" .. table.concat(parts, ",") .. "}"
  reader.spend(to.doc, #written)
  return written
end

function nodes.write(to, node)
  local own = node.of or node
  local number, description = to.numbers[own], node.of and node.description
  if not number then return nodes.text_of(to, own, description) end
  if description and description ~= own.description then
    return ("{ref=%d,description=%s}"):format(number, schema.literal(description))
  end
  return ("{ref=%d}"):format(number)
end

return nodes
