-- SPDX-License-Identifier: MIT
-- Nodes in the words of JSON Schema, as new tables.
local schema = {}

local COPIED = { "type", "description", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
  "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties" }

-- An empty table is an object, which dkjson asks for; lua-cjson knows it.
local function object() return setmetatable({}, { __jsontype = "object" }) end

local function copied(list)
  if type(list) ~= "table" then return list end
  local copy = {}
  for position, element in ipairs(list) do copy[position] = element end
  return copy
end

local function add_lists(to, node, made)
  for _, keyword in ipairs { "anyOf", "allOf" } do
    for position, child in ipairs(node[keyword] or {}) do
      made[keyword] = made[keyword] or {}
      made[keyword][position] = schema.of(to, child)
    end
  end
end

local function add_properties(to, node, made)
  if node.properties then made.properties = object() end
  for name, child in pairs(node.properties or {}) do made.properties[name] = schema.of(to, child) end
  if node.required and node.required[1] then made.required = copied(node.required) end
  if type(node.additionalProperties) == "table" then
    made.additionalProperties = schema.of(to, node.additionalProperties)
  else
    made.additionalProperties = node.additionalProperties
  end
end

-- A node in the words of JSON Schema. to: `own`, `waiting`, the numbers of the nodes that are to come
-- below $defs, how many `nodes` there are, and the `most` that there may be.
function schema.of(to, node)
  local made = object()
  to.nodes = to.nodes + 1
  if to.nodes > to.most then error(to, 0) end
  if node.ref then
    if not to.known[node.ref] then to.known[node.ref], to.waiting[#to.waiting + 1] = true, node.ref end
    made["$ref"], made.description = "#/$defs/" .. node.ref, node.description
    return made
  end
  for _, keyword in ipairs(COPIED) do made[keyword] = copied(node[keyword]) end
  add_properties(to, node, made)
  if node.items then made.items = schema.of(to, node.items) end
  add_lists(to, node, made)
  return made
end

-- The schema of a node with all that it needs.
function schema.whole(to, node)
  to.known, to.waiting = {}, {}
  local made, position = schema.of(to, node), 0
  while to.waiting[position + 1] do
    position = position + 1
    local number = to.waiting[position]
    made["$defs"] = made["$defs"] or {}
    made["$defs"][tostring(number)] = schema.of(to, to.own.schemas[number])
  end
  return made
end

return schema
