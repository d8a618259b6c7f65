-- SPDX-License-Identifier: MIT
-- The nodes in a node, by the keywords that hold them.
local children = {}

local keywords = require "endpoint.checks.validator.keywords"

local function call_each(nodes, call)
  for _, child in next, nodes do
    if type(child) == "table" then
      call(child)
    end
  end
end

-- Calls a function with each node in a node, and with the one that a `ref` names.
function children.each(rulebook, node, call)
  if node.ref then
    call(rulebook.schemas[node.ref])
  end
  for _, keyword in ipairs(keywords.WITH_NODE) do
    if type(node[keyword]) == "table" then
      call(node[keyword])
    end
  end
  for _, list in ipairs { keywords.WITH_LIST, keywords.WITH_MAP } do
    for _, keyword in ipairs(list) do
      call_each(type(node[keyword]) == "table" and node[keyword] or {}, call)
    end
  end
  local discriminator = node.discriminator
  call_each(type(discriminator) == "table" and discriminator.mapping or {}, call)
end

return children
