-- SPDX-License-Identifier: MIT
-- The nodes in a node of the rules, and the keywords that they are below.
local children = {}

local keywords = require "endpoint.checks.validator.keywords"
local reader = require "endpoint.types.document.reader"

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
  if node.ref then
    return call(node.ref)
  end
  for _, keyword in ipairs(keywords.WITH_MAP) do
    each_in_map(builder, node[keyword], call)
  end
  for _, keyword in ipairs(keywords.WITH_NODE) do
    if node[keyword] then
      call(node[keyword])
    end
  end
  for _, keyword in ipairs(keywords.WITH_LIST) do
    for _, child in ipairs(node[keyword] or {}) do
      if child then
        call(child)
      end
    end
  end
  each_in_map(builder, node.discriminator and node.discriminator.mapping, call)
end

-- All nodes that these hold, themselves among them, as a set. fill: gives a node its keywords.
function children.reached(builder, roots, fill)
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
    local node = table.remove(stack)
    fill(builder, node)
    children.each(builder, node, visit)
  end
  return set
end

local WITH_NODES = { "discriminator" }
for _, list in ipairs { keywords.WITH_MAP, keywords.WITH_NODE, keywords.WITH_LIST } do
  for _, keyword in ipairs(list) do
    WITH_NODES[#WITH_NODES + 1] = keyword
  end
end

-- Does a node hold other nodes?
function children.has_some(node)
  for _, keyword in ipairs(WITH_NODES) do
    if node[keyword] then
      return true
    end
  end
  return false
end

return children
