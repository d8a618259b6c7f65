-- SPDX-License-Identifier: MIT
-- JSON schemas of a document as nodes: what endpoint.checks reads, see its value.lua. A rule of the
-- document that cannot be said is left out, so that a node may allow more than the document, never
-- less.
local nodes = {}

local budget = require "endpoint.types.document.budget"
local descriptions = require "endpoint.types.rules.descriptions"
local directions = require "endpoint.types.rules.directions"
local discriminator_choices = require "endpoint.types.rules.discriminator_choices"
local limits = require "endpoint.types.rules.limits"
local lists = require "endpoint.types.rules.lists"
local logic = require "endpoint.types.rules.logic"
local objects = require "endpoint.types.rules.objects"
local parts = require "endpoint.types.rules.parts"
local types = require "endpoint.types.rules.types"

local NULL = { type = "null" }

-- --- the nodes of a document --------------------------------------------------------

local function id_of(builder, part)
  if not builder.ids[part] then
    builder.count = builder.count + 1
    builder.ids[part] = builder.count
  end
  return builder.ids[part]
end

local function ids_of(builder, list)
  local ids = {}
  for position, part in ipairs(list) do
    ids[position] = id_of(builder, part)
  end
  table.sort(ids)
  return table.concat(ids, " ")
end

-- The node of a value for which all these schemas hold; it gets its keywords in nodes.finish. false
-- if no value fits. is_part: the node is an alternative of another, which knows all names and
-- closes the object. is_base: it is in the allOf of a schema that the value has chosen already.
-- A node of a response is that of a request, too, unless they differ (`builder.is_response`).
function nodes.node(builder, list, is_part, is_base)
  local found, beside = parts.of(builder, list)
  if not found then
    return false
  end
  local key = ids_of(builder, found) .. (beside[1] and "&" .. ids_of(builder, beside) or "")
  key = key .. (is_part and not builder.is_open and "+" or "") .. (is_base and "-" or "")
  local is_response = builder.is_response and directions.differ(builder, found, beside)
  key = key .. (is_response and "<" or "")
  budget.spend(builder.doc, #key)
  local node = builder.nodes[key]
  if not node then
    node = {}
    builder.nodes[key] = node
    table.insert(builder.waiting, {
      node = node,
      roots = list,
      found = found,
      beside = beside,
      is_part = is_part,
      is_base = is_base,
      is_response = is_response,
    })
  end
  return node
end

-- May a schema refuse a value?
local function says_something(builder, value)
  local schema = parts.final(builder, value)
  return type(schema) == "table" and next(schema) ~= nil or schema == false
end

-- Does the document ask anywhere for what no other keyword has judged?
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

-- What the nodes are made of: the document, whether absent additionalProperties leave an object
-- open; whether the schemas that are read now are those of a response; the nodes by the schemas
-- that they are made of, and those that have no keywords yet.
function nodes.new(doc, is_open)
  return {
    doc = doc,
    is_open = is_open,
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

local function add_beside(builder, node, waiting)
  for _, value in ipairs(waiting.beside) do
    node.allOf = node.allOf or {}
    table.insert(node.allOf, builder:node({ value }, true, true))
  end
end

-- Where these lead depends on the way that a value takes through the schemas: they are known, and
-- not followed.
local DYNAMIC = { "$dynamicRef", "$recursiveRef" }

local function add_dynamic(node, found)
  for _, part in ipairs(found) do
    for _, keyword in ipairs(DYNAMIC) do
      node["$dynamicRef"] = node["$dynamicRef"] or part[keyword] ~= nil or nil
    end
  end
end

local function names_properties(found)
  for _, part in ipairs(found) do
    if type(part.properties) == "table" then
      return true
    end
  end
  return false
end

-- The schema that a value has chosen closes the object itself, unless others name properties beside
-- it.
local function add_discriminator(builder, node, waiting, discriminator)
  local mapping = {}
  local is_part = waiting.is_part
    or not discriminator.is_inherited and names_properties(waiting.found)
  for _, choice in ipairs(discriminator.choices) do
    local list = { choice.schema }
    if discriminator.is_inherited then
      for position, root in ipairs(waiting.roots) do
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

local function fill(builder, waiting)
  local node, found = waiting.node, waiting.found
  builder.is_response = waiting.is_response
  local set, may_be_null = types.add(builder, node, waiting)
  limits.add(builder, node, found, set)
  local discriminator = not waiting.is_base
      and discriminator_choices.of(builder, waiting.roots, found)
    or nil
  if not set or set.array then
    lists.add(builder, node, found)
  end
  if not set or set.object then
    objects.add(builder, node, waiting, discriminator)
  end
  logic.add(builder, node, found, waiting.roots)
  add_dynamic(node, found)
  add_beside(builder, node, waiting)
  if discriminator and (not set or set.object) then
    add_discriminator(builder, node, waiting, discriminator)
  end
  node.description = descriptions.of_parts(found, node.type == "string")
  builder.has_patterns = builder.has_patterns or node.pattern ~= nil
  builder.has_formats = builder.has_formats or node.format ~= nil
  builder.has_dynamic = builder.has_dynamic or node["$dynamicRef"] ~= nil
  if may_be_null then
    add_null(node)
  end
end

-- Gives all nodes their keywords. A node may hold itself.
function nodes.finish(builder)
  while builder.waiting[1] do
    local waiting = builder.waiting
    builder.waiting = {}
    for _, one in ipairs(waiting) do
      fill(builder, one)
    end
  end
end

return nodes
