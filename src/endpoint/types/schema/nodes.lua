-- SPDX-License-Identifier: MIT
-- JSON schemas of a document as nodes: what endpoint.checks reads, see its validator/value.lua. A
-- rule of the document that cannot be said is left out, so that a node may allow more than the
-- document, never less.
local nodes = {}

local budget = require "endpoint.types.document.budget"
local descriptions = require "endpoint.types.schema.descriptions"
local directions = require "endpoint.types.schema.directions"
local discriminator_choices = require "endpoint.types.schema.discriminator_choices"
local limits = require "endpoint.types.schema.limits"
local lists = require "endpoint.types.schema.lists"
local logic = require "endpoint.types.schema.logic"
local objects = require "endpoint.types.schema.objects"
local all_of = require "endpoint.types.schema.all_of"
local types = require "endpoint.types.schema.types"

local NULL = { type = "null" }

-- In a URL null is not a value: a parameter that must be there may not be null.
nodes.NOT_NULL = { type = { "string", "number", "boolean", "array", "object" } }

-- --- the nodes of a document --------------------------------------------------------

local function id_of(builder, schema)
  if not builder.ids[schema] then
    builder.count = builder.count + 1
    builder.ids[schema] = builder.count
  end
  return builder.ids[schema]
end

local function ids_of(builder, list)
  local ids = {}
  for position, schema in ipairs(list) do
    ids[position] = id_of(builder, schema)
  end
  table.sort(ids)
  return table.concat(ids, " ")
end

-- The node of a value for which all these schemas hold; it gets its keywords in nodes.finish. false
-- if no value fits. is_part: the node is an alternative of another, which knows all names and
-- closes the object. is_base: it is in the allOf of a schema that the value has chosen already.
-- A node of a response is that of a request, too, unless they differ (`builder.is_response`), or
-- objects in calls are open and those in responses are not.
function nodes.node(builder, list, is_part, is_base)
  local schemas, beside = all_of.of(builder, list)
  if not schemas then
    return false
  end
  local key = ids_of(builder, schemas) .. (beside[1] and "&" .. ids_of(builder, beside) or "")
  key = key .. (is_part and not builder.is_open and "+" or "") .. (is_base and "-" or "")
  local is_response = builder.is_response and directions.differ(builder, schemas, beside)
  key = key .. (is_response and "<" or "")
  key = key .. (builder.is_open ~= builder.are_calls_open and "!" or "")
  budget.spend(builder.doc, #key)
  local node = builder.nodes[key]
  if not node then
    node = {}
    builder.nodes[key] = node
    table.insert(builder.waiting, {
      node = node,
      roots = list,
      schemas = schemas,
      beside = beside,
      is_part = is_part,
      is_base = is_base,
      is_response = is_response,
      is_open = builder.is_open,
    })
  end
  return node
end

-- May a schema refuse a value?
local function says_something(builder, value)
  local schema = all_of.final(builder, value)
  return type(schema) == "table" and next(schema) ~= nil or schema == false
end

-- JSON Schema 2020-12 Core, "A Vocabulary for Unevaluated Locations": does the document use it?
local function uses_unevaluated(root)
  local stack, is_known = { root }, { [root] = true }
  while stack[1] do
    for key, value in next, table.remove(stack) do
      if key == "unevaluatedProperties" or key == "unevaluatedItems" then
        return true
      elseif type(value) == "table" and not is_known[value] then
        is_known[value], stack[#stack + 1] = true, value
      end
    end
  end
  return false
end

-- What the nodes are made of: the document; whether absent additionalProperties leave an object
-- open, in what is read now and in calls; whether the schemas that are read now are those of a
-- response; the nodes by the schemas that they are made of; and `waiting`, the origins of those
-- that have no keywords yet.
function nodes.new(doc, is_open)
  return {
    doc = doc,
    is_open = is_open,
    are_calls_open = is_open,
    is_response = false,
    has_unevaluated = uses_unevaluated(doc.root),
    nodes = {},
    ids = {},
    count = 0,
    waiting = {},
    bare = {},
    node = nodes.node,
    says_something = says_something,
  }
end

-- --- keywords ---------------------------------------------------------------------

local function add_beside(builder, node, origin)
  for _, value in ipairs(origin.beside) do
    node.allOf = node.allOf or {}
    table.insert(node.allOf, builder:node({ value }, true, true))
  end
end

-- JSON Schema 2020-12 Core, "$dynamicRef", where dynamic_scope.lua has found no schema for it; and
-- 2019-09, "$recursiveRef". They are known, and not followed.
local DYNAMIC = { "$dynamicRef", "$recursiveRef" }

local function add_dynamic(node, schemas)
  for _, schema in ipairs(schemas) do
    for _, keyword in ipairs(DYNAMIC) do
      node["$dynamicRef"] = node["$dynamicRef"] or schema[keyword] ~= nil or nil
    end
  end
end

local function names_properties(schemas)
  for _, schema in ipairs(schemas) do
    if type(schema.properties) == "table" then
      return true
    end
  end
  return false
end

-- OpenAPI 3.1, "Discriminator Object". The schema that a value has chosen closes the object itself,
-- unless others name properties beside it.
local function add_discriminator(builder, node, origin, discriminator)
  local mapping = {}
  local is_part = origin.is_part
    or not discriminator.is_inherited and names_properties(origin.schemas)
  for _, choice in ipairs(discriminator.choices) do
    local list = { choice.schema }
    if discriminator.is_inherited then
      for position, root in ipairs(origin.roots) do
        list[position] = root
      end
      table.insert(list, choice.schema)
    end
    mapping[choice.word] = builder:node(list, is_part, choice.is_itself)
  end
  node.discriminator = { propertyName = discriminator.property, mapping = mapping }
end

-- Keywords that null does not fit by itself.
local ASKS_NULL = { "oneOf", "allOf", "not", "if", "then", "else" }

-- Lets null fit, whatever the other keywords say.
local function add_null(node)
  local rest = {}
  for _, keyword in ipairs(ASKS_NULL) do
    rest[keyword], node[keyword] = node[keyword], nil
  end
  if node.anyOf then
    table.insert(node.anyOf, NULL)
    node.allOf = next(rest) ~= nil and { { anyOf = { rest, NULL } } } or nil
  elseif next(rest) ~= nil then
    node.anyOf = { rest, NULL }
  end
end

-- Gives a node its keywords, but those that its types leave without a meaning.
local function fill(builder, origin)
  local node, schemas = origin.node, origin.schemas
  builder.is_response, builder.is_open = origin.is_response, origin.is_open
  local set, may_be_null = types.add(builder, node, origin)
  limits.add(builder, node, schemas, set)
  local discriminator = not origin.is_base
      and discriminator_choices.of(builder, origin.roots, schemas)
    or nil
  if not set or set.array then
    lists.add(builder, node, schemas)
  end
  if not set or set.object then
    objects.add(builder, node, origin, discriminator)
  end
  logic.add(builder, node, schemas, origin.roots)
  add_dynamic(node, schemas)
  add_beside(builder, node, origin)
  if discriminator and (not set or set.object) then
    add_discriminator(builder, node, origin, discriminator)
  end
  node.description = descriptions.of_schemas(schemas, node.type == "string")
  builder.has_formats = builder.has_formats or node.format ~= nil
  builder.has_dynamic = builder.has_dynamic or node["$dynamicRef"] ~= nil
  if may_be_null then
    add_null(node)
  end
end

-- Gives all nodes their keywords. A node may hold itself.
function nodes.finish(builder)
  while builder.waiting[1] do
    local origins = builder.waiting
    builder.waiting = {}
    for _, origin in ipairs(origins) do
      fill(builder, origin)
    end
  end
end

return nodes
