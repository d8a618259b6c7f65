-- SPDX-License-Identifier: MIT
-- The nodes in a node of the rules: under which keywords they stand.
local children = {}

local reader = require "endpoint.types.document.reader"

-- Keywords by what they hold: nodes by names, one node, or a list of nodes.
children.MAPS = { "properties", "patternProperties", "dependentSchemas" }
children.NODES = {
  "items",
  "contains",
  "unevaluatedItems",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
}
children.LISTS = { "prefixItems", "anyOf", "oneOf", "allOf" }

local function each_in_map(builder, map, call)
  for _, name in ipairs(reader.keys(builder.doc, map)) do
    if map[name] then
      call(map[name])
    end
  end
end

-- Calls a function with each node that is in another, always in the same order. `false` is passed
-- over.
function children.each(builder, node, call)
  if node.of then
    return call(node.of)
  end
  for _, keyword in ipairs(children.MAPS) do
    each_in_map(builder, node[keyword], call)
  end
  for _, keyword in ipairs(children.NODES) do
    if node[keyword] then
      call(node[keyword])
    end
  end
  for _, keyword in ipairs(children.LISTS) do
    for _, child in ipairs(node[keyword] or {}) do
      if child then
        call(child)
      end
    end
  end
  each_in_map(builder, node.discriminator and node.discriminator.mapping, call)
end

-- All nodes that these hold, themselves among them, as a set.
function children.reached(builder, roots)
  local set, stack = {}, {}
  local function visit(node)
    if not set[node] then
      set[node], stack[#stack + 1] = true, node
    end
  end
  for _, root in ipairs(roots) do
    visit(root)
  end
  while stack[1] do
    children.each(builder, table.remove(stack), visit)
  end
  return set
end

local WITH_NODES = { "discriminator" }
for _, keywords in ipairs { children.MAPS, children.NODES, children.LISTS } do
  for _, keyword in ipairs(keywords) do
    WITH_NODES[#WITH_NODES + 1] = keyword
  end
end

-- Stand nodes in a node?
function children.has_some(node)
  for _, keyword in ipairs(WITH_NODES) do
    if node[keyword] then
      return true
    end
  end
  return false
end

return children
