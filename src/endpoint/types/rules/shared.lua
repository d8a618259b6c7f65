-- SPDX-License-Identifier: MIT
-- Nodes that stand in several places of the rules: each is written once, and has a number.
local shared = {}

local children = require "endpoint.types.rules.children"

-- Deeper tables than this stand by themselves: Lua compiles no constructor of 200 levels.
local DEEPEST = 12

local function is_small(node)
  return not (children.has_some(node) or node.enum and node.enum[9])
end

-- Numbers the nodes below these that stand in several places, and those that hold themselves:
-- `to.numbers` gets the numbers, and `to.shared` the nodes. Nothing here calls itself: a document
-- may nest its schemas as deep as it is long.
function shared.number(to, roots)
  local stack, is_known = {}, {}
  to.numbers, to.shared = {}, {}
  local function visit(node, depth)
    if is_known[node] and is_small(node) then
      return
    end
    if (is_known[node] or depth > DEEPEST) and not to.numbers[node] then
      to.shared[#to.shared + 1] = node
      to.numbers[node] = #to.shared
    end
    if is_known[node] then
      return
    end
    is_known[node] = true
    stack[#stack + 1] = { node = node, depth = to.numbers[node] and 1 or depth + 1 }
  end
  for _, root in ipairs(roots) do
    visit(root, 1)
  end
  while stack[1] do
    local top = table.remove(stack)
    children.each(to, top.node, function(child)
      visit(child, top.depth)
    end)
  end
end

return shared
