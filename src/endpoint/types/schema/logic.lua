-- SPDX-License-Identifier: MIT
-- The keywords of the rules that apply other schemas to the same value: JSON Schema 2020-12 Core,
-- "Keywords for Applying Subschemas With Logic" and "Keywords for Applying Subschemas
-- Conditionally". allOf is in all_of.lua.
local logic = {}

local all_of = require "endpoint.types.schema.all_of"
local lenient = require "endpoint.types.schema.lenient"
local reader = require "endpoint.types.document.reader"
local values = require "endpoint.types.document.values"

local function add(node, keyword, nodes)
  if node[keyword] == nil then
    node[keyword] = nodes
  else
    node.allOf = node.allOf or {}
    table.insert(node.allOf, { [keyword] = nodes })
  end
end

-- Adds that one of several must hold: JSON Schema 2020-12 Core, "oneOf" and "anyOf".
local function add_one_of(builder, node, name, list)
  local nodes, is_there = {}, {}
  local keyword = lenient.keyword_of(builder, name, list)
  for _, value in reader.each(builder.doc, list) do
    if keyword == "anyOf" and not builder.has_unevaluated and not builder:says_something(value) then
      return -- any value fits it
    end
    local alternative = builder:child(node, { value }, true)
    if not (is_there[alternative] and lenient.takes_once(builder, keyword)) then
      nodes[#nodes + 1], is_there[alternative] = alternative, true
    end
  end
  add(node, keyword, nodes)
end

-- Is a schema that the node is made of an alternative in one that it takes in by allOf? That says
-- nothing more of it.
local function holds_root(builder, schema, list, roots)
  local is_held = false
  for _, root in ipairs(roots) do
    local root_schema = all_of.final(builder, root)
    if root_schema == schema then
      return false
    end
    for _, value in ipairs(list) do
      is_held = is_held
        or type(root_schema) == "table" and all_of.final(builder, value) == root_schema
    end
  end
  return is_held
end

local UNIONS = { "oneOf", "anyOf" }

local function add_alternatives(builder, node, schema, roots)
  for _, name in ipairs(UNIONS) do
    local list = values.as_table(schema[name])
    if list[2] ~= nil and not holds_root(builder, schema, list, roots) then
      add_one_of(builder, node, name, list)
    end
  end
end

local CONDITIONS = { "if", "then", "else" }

local function add_part(builder, node, schema, keyword)
  if schema[keyword] ~= nil then
    node[keyword] = builder:child(node, { schema[keyword] }, true)
  end
end

-- Adds them to a node. schemas: those that all hold; roots: those that the node was asked for.
function logic.add(builder, node, schemas, roots)
  for _, schema in ipairs(schemas) do
    add_alternatives(builder, node, schema, roots)
    add_part(builder, node, schema, "not")
    for _, keyword in ipairs(schema["if"] ~= nil and CONDITIONS or values.NOTHING) do
      add_part(builder, node, schema, keyword)
    end
  end
end

return logic
