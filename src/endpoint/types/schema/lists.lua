-- SPDX-License-Identifier: MIT
-- The keywords of lists in the rules: JSON Schema 2020-12 Core, "Keywords for Applying Subschemas
-- to Arrays" and "unevaluatedItems"; Validation, "uniqueItems".
local lists = {}

local limits = require "endpoint.types.schema.limits"
local reader = require "endpoint.types.document.reader"
local values = require "endpoint.types.document.values"

-- The schemas of the first elements, and of the others. Before JSON Schema 2020-12 a list in
-- `items` says the first.
local function items_of(schema)
  if schema.prefixItems ~= nil then
    return schema.prefixItems, schema.items
  elseif values.is_list(schema.items) then
    return schema.items, schema.additionalItems
  end
  return nil, schema.items
end

local function add_items(builder, node, schemas)
  local rest = {}
  for _, schema in ipairs(schemas) do
    local first, others = items_of(schema)
    for position, item in reader.each(builder.doc, first) do
      node.prefixItems = node.prefixItems or {}
      node.prefixItems[position] = builder:child(node, { item })
    end
    if
      others ~= nil
      and (others == false or builder.has_unevaluated or builder:says_something(others))
    then
      rest[#rest + 1] = others
    end
  end
  if rest[1] ~= nil then
    node.items = builder:child(node, rest)
  end
end

local function add_contains(builder, node, schema)
  if schema.contains ~= nil then
    node.contains = builder:child(node, { schema.contains }, true)
    node.minContains = limits.count(builder, node, schema, "minContains")
    node.maxContains = limits.count(builder, node, schema, "maxContains")
  end
end

-- Adds them to a node. schemas: those that all hold.
function lists.add(builder, node, schemas)
  add_items(builder, node, schemas)
  for _, schema in ipairs(schemas) do
    add_contains(builder, node, schema)
    node.uniqueItems = node.uniqueItems or schema.uniqueItems == true or nil
    if schema.unevaluatedItems ~= nil then
      node.unevaluatedItems = builder:child(node, { schema.unevaluatedItems })
    end
  end
end

return lists
