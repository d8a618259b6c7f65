-- SPDX-License-Identifier: MIT
-- Nodes that are in several places of the rules: each is written once, and has a number.
local shared = {}

local children = require "endpoint.types.schema.children"

-- Deeper tables than this are written by themselves: Lua compiles no constructor of 200 levels.
local DEEPEST = 12

local function is_small(node)
  return not (children.has_some(node) or node.enum and node.enum[9])
end

-- Numbers the nodes below these that are in several places, and those that hold themselves:
-- `builder.numbers` gets the numbers, and `builder.shared` the nodes. Nothing here calls itself: a
-- document may nest its schemas as deep as it is long.
function shared.number(builder, roots)
  local stack, is_known = {}, {}
  builder.numbers, builder.shared = {}, {}
  local function visit(node, depth)
    if is_known[node] and is_small(node) then
      return
    end
    if (is_known[node] or depth > DEEPEST) and not builder.numbers[node] then
      builder.shared[#builder.shared + 1] = node
      builder.numbers[node] = #builder.shared
    end
    if is_known[node] then
      return
    end
    is_known[node] = true
    stack[#stack + 1] = { node = node, depth = builder.numbers[node] and 1 or depth + 1 }
  end
  for _, root in ipairs(roots) do
    visit(root, 1)
  end
  while stack[1] do
    local top = table.remove(stack)
    children.each(builder, top.node, function(child)
      visit(child, top.depth)
    end)
  end
end

return shared
