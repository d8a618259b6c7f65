-- SPDX-License-Identifier: MIT
-- The nodes in a node, by the keywords that hold them.
local children = {}

-- A keyword holds one node, a list of nodes, or nodes by name.
children.ONE = {
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
}
children.LIST = { "prefixItems", "allOf", "anyOf", "oneOf" }
children.BY_NAME = { "properties", "patternProperties", "dependentSchemas" }

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
  for _, keyword in ipairs(children.ONE) do
    if type(node[keyword]) == "table" then
      call(node[keyword])
    end
  end
  for _, keywords in ipairs { children.LIST, children.BY_NAME } do
    for _, keyword in ipairs(keywords) do
      call_each(type(node[keyword]) == "table" and node[keyword] or {}, call)
    end
  end
  local discriminator = node.discriminator
  call_each(type(discriminator) == "table" and discriminator.mapping or {}, call)
end

return children
