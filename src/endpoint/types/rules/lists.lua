-- SPDX-License-Identifier: MIT
-- The keywords of lists in the rules.
local lists = {}

local parts = require "endpoint.types.rules.parts"
local reader = require "endpoint.types.document.reader"

-- The schemas of the first elements, and of the others. Before JSON Schema 2020-12 a list in
-- `items` says the first.
local function items_of(part)
  if part.prefixItems ~= nil then
    return part.prefixItems, part.items
  elseif parts.is_list(part.items) then
    return part.items, part.additionalItems
  end
  return nil, part.items
end

local function add_items(builder, node, found)
  local rest = {}
  for _, part in ipairs(found) do
    local first, others = items_of(part)
    for position, value in reader.each(builder.doc, first) do
      node.prefixItems = node.prefixItems or {}
      node.prefixItems[position] = builder:node { value }
    end
    if
      others ~= nil
      and (others == false or builder.has_unevaluated or builder:says_something(others))
    then
      rest[#rest + 1] = others
    end
  end
  if rest[1] ~= nil then
    node.items = builder:node(rest)
  end
end

local function count_of(value)
  return type(value) == "number" and value >= 0 and value <= 2 ^ 53 and value or nil
end

local function add_contains(builder, node, part)
  if part.contains ~= nil then
    node.contains = builder:node({ part.contains }, true)
    node.minContains, node.maxContains = count_of(part.minContains), count_of(part.maxContains)
  end
end

function lists.add(builder, node, found)
  add_items(builder, node, found)
  for _, part in ipairs(found) do
    add_contains(builder, node, part)
    node.uniqueItems = node.uniqueItems or part.uniqueItems == true or nil
    if part.unevaluatedItems ~= nil then
      node.unevaluatedItems = builder:node { part.unevaluatedItems }
    end
  end
end

return lists
