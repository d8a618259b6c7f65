-- SPDX-License-Identifier: MIT
-- JSON schemas of a document as nodes: what endpoint.checks reads, see its validator/value.lua, and
-- what the editor is told of. A rule of the document that cannot be said is left out, so that a
-- node may allow more than the document, never less.
local nodes = {}

local all_of = require "endpoint.types.schema.all_of"
local budget = require "endpoint.types.document.budget"
local closing = require "endpoint.types.schema.closing"
local descriptions = require "endpoint.types.schema.descriptions"
local directions = require "endpoint.types.schema.directions"
local discriminator = require "endpoint.types.schema.discriminator"
local limits = require "endpoint.types.schema.limits"
local lists = require "endpoint.types.schema.lists"
local logic = require "endpoint.types.schema.logic"
local objects = require "endpoint.types.schema.objects"
local types = require "endpoint.types.schema.types"

local NULL = { type = "null" }

-- --- the nodes of a document --------------------------------------------------------

local function id_of(builder, schema)
  local ids = builder.ids
  if not ids[schema] then
    ids.count = ids.count + 1
    ids[schema] = ids.count
  end
  return ids[schema]
end

local function ids_of(builder, list)
  if list[1] and not list[2] then
    return tostring(id_of(builder, list[1]))
  end
  local ids = {}
  for position, schema in ipairs(list) do
    ids[position] = id_of(builder, schema)
  end
  table.sort(ids)
  return table.concat(ids, " ")
end

-- Two values that must fit schemas with one key have one node.
local function key_of(builder, origin)
  local key = ids_of(builder, origin.schemas)
  if origin.beside then
    key = key .. "&" .. ids_of(builder, origin.beside)
  end
  return key
    .. (origin.is_part and closing.tells_parts(builder) and "+" or "")
    .. (origin.is_base and "-" or "")
    .. (origin.direction and "<" or "")
    .. (builder.is_of_responses and "!" or "")
end

-- The schemas that a node was asked for: the list that it is made of where that says the same.
local function roots_in(builder, list, schemas)
  local is_alone = list[2] == nil and schemas[2] == nil and schemas[1] ~= nil
  if is_alone and all_of.final(builder, list[1]) == schemas[1] then
    return schemas
  end
  return list
end

-- What a node is made of:
-- * `roots`: the schemas that it was asked for; `schemas`: all that are one node with them;
--   `beside`: those that hold, too, and are nodes of their own;
-- * `is_part`: it is an alternative of another, which knows all names and closes the object;
--   `is_base`: it is in the allOf of a schema that the value has chosen already;
-- * `direction`: "received" if that says something else of the value than "sent";
-- * `names_properties`, `placeholders` and `dropped`: see objects.lua;
-- * `is_of_responses`: its objects take other names, or not, as those of responses do;
-- * `choices`: the nodes of those that include this one by allOf, under a discriminator;
-- * `hint`: the `property` and the `mapping` of a discriminator beside oneOf or anyOf.
-- Returns nothing if no value fits.
local function new_origin(builder, list, direction, is_part, is_base)
  local schemas, beside = all_of.of(builder, list)
  if not schemas then
    return nil
  end
  -- Only what there is gets a field: there are as many origins as nodes.
  local origin = { roots = roots_in(builder, list, schemas), schemas = schemas }
  if beside[1] ~= nil then
    origin.beside = beside
  end
  if is_part or is_base then
    origin.is_part, origin.is_base = is_part or nil, is_base or nil
  end
  if direction == "received" and directions.differ(builder, schemas, beside) then
    origin.direction = direction
  end
  if builder.is_of_responses then
    origin.is_of_responses = true
  end
  return origin
end

-- The nodes that were asked for by one schema, by what that is after its references: those with the
-- same three flags.
local function asked_for(builder, direction, is_part, is_base)
  local variant = (direction == "received" and 1 or 0)
    + (is_part and 2 or 0)
    + (is_base and 4 or 0)
    + (builder.is_of_responses and 8 or 0)
  local known = builder.asked_for[variant]
  if not known then
    known = {}
    builder.asked_for[variant] = known
  end
  return known
end

-- The node of a value for which all these schemas hold; nil if no value fits.
local function new_node(builder, list, direction, is_part, is_base)
  local origin = new_origin(builder, list, direction, is_part, is_base)
  if not origin then
    return nil
  end
  local key = key_of(builder, origin)
  budget.spend(builder.doc, #key)
  local node = builder.nodes[key]
  if not node then
    node = {}
    builder.nodes[key], builder.origins[node], builder.is_waiting[node] = node, origin, true
  end
  return node
end

-- The same, but false if no value fits. It gets its keywords in nodes.fill. direction: "sent" or
-- "received".
local function node_of(builder, list, direction, is_part, is_base)
  local root = list[2] == nil and all_of.final(builder, list[1])
  if not root then
    return new_node(builder, list, direction, is_part, is_base) or false
  end
  local known = asked_for(builder, direction, is_part, is_base)
  if known[root] == nil then
    known[root] = new_node(builder, list, direction, is_part, is_base) or false
  end
  return known[root]
end

-- What a node and those in it are made by.
local function builder_of(builder, origin)
  return origin.is_of_responses and builder.of_responses or builder
end

-- A node in another, which is of the same direction.
local function child_of(builder, parent, list, is_part, is_base)
  return node_of(builder, list, builder.origins[parent].direction, is_part, is_base)
end

-- What the nodes of a document are made of:
-- * `is_open`: does an object without additionalProperties take other names;
-- * `of_responses`: the same for responses, where that differs in them;
-- * `has_unevaluated`: is "unevaluatedProperties" or "unevaluatedItems" in the document;
--   `has_dynamic`: "$dynamicRef" or "$recursiveRef";
-- * `nodes`: the nodes by the schemas that they are made of; `origins`: what each is made of;
--   `is_waiting`: those without keywords as yet;
-- * `asked_for`: see asked_for;
-- * `wrong_limits`: the keywords of each whose limit is of a wrong type, a set;
-- * `joined`: nodes of several, see properties.lua;
-- * `ancestors` and `mapped_values`: see inheritance.lua and discriminator.lua;
-- * `has_rules`: are rules written of the nodes, which the editor alone has no use for;
--   `has_responses`: are types of the responses;
-- * `kinds`, `objects` and `fields`: what the editor was told of each, see kinds.lua,
--   properties.lua and schema.lua.
function nodes.new(doc, is_open, are_responses_open)
  local builder = {
    doc = doc,
    is_open = is_open,
    has_unevaluated = doc.keywords.unevaluatedProperties or doc.keywords.unevaluatedItems,
    has_dynamic = doc.keywords["$dynamicRef"] or doc.keywords["$recursiveRef"],
    nodes = {},
    origins = {},
    is_waiting = {},
    asked_for = {},
    wrong_limits = {},
    ids = { count = 0 },
    bare = {},
    joined = {},
    kinds = {},
    objects = {},
    fields = {},
    ancestors = {},
    mapped_values = {},
    child = child_of,
    says_something = all_of.says_something,
  }
  builder.of_responses = builder
  if is_open ~= are_responses_open then
    builder.of_responses = setmetatable(
      { is_open = are_responses_open, is_of_responses = true },
      { __index = builder }
    )
  end
  return builder
end

-- The node of a schema of the document; false if no value fits. nil is a schema that says nothing.
function nodes.of(builder, value, direction)
  local own = direction == "received" and builder.of_responses or builder
  return node_of(own, { value }, direction)
end

-- --- keywords ---------------------------------------------------------------------

local function add_beside(builder, node, origin)
  for _, value in ipairs(origin.beside or {}) do
    node.allOf = node.allOf or {}
    table.insert(node.allOf, builder:child(node, { value }, true, true))
  end
end

-- JSON Schema 2020-12 Core, "$dynamicRef", and 2019-09, "$recursiveRef", are known, and not
-- followed.
local DYNAMIC = { "$dynamicRef", "$recursiveRef" }

local function add_dynamic(node, schemas)
  for _, schema in ipairs(schemas) do
    for _, keyword in ipairs(DYNAMIC) do
      node["$dynamicRef"] = node["$dynamicRef"] or schema[keyword] ~= nil or nil
    end
  end
end

-- The schemas that include a base by allOf, which a value may have. This refuses nothing.
local function add_inherited(builder, node, origin, chosen_by)
  local mapping = {}
  origin.choices = {}
  for _, choice in ipairs(chosen_by.choices) do
    local list = {}
    for position, root in ipairs(origin.roots) do
      list[position] = root
    end
    list[#list + 1] = choice.schema
    local chosen = builder:child(node, list, origin.is_part, choice.is_itself)
    mapping[choice.value] = chosen
    origin.choices[#origin.choices + 1] = chosen or nil
  end
  node.discriminator = { propertyName = chosen_by.property, mapping = mapping }
end

-- Beside oneOf and anyOf it says which of these is meant.
local function add_hint(builder, node, origin, chosen_by)
  local mapping = {}
  for _, choice in ipairs(chosen_by.choices) do
    mapping[choice.value] = builder:child(node, { choice.schema }, true)
  end
  origin.hint = { property = chosen_by.property, mapping = mapping }
end

-- OpenAPI 3.1, "Discriminator Object".
local function add_discriminator(builder, node, origin, chosen_by)
  if chosen_by.is_inherited then
    add_inherited(builder, node, origin, chosen_by)
  else
    add_hint(builder, node, origin, chosen_by)
  end
end

-- Keywords that null does not fit by itself.
local ASKS_NULL = { "oneOf", "allOf", "not", "if", "then", "else" }

-- Lets null fit, whatever the other keywords say.
local function add_null(node)
  local rest = {}
  for _, keyword in ipairs(ASKS_NULL) do
    rest[keyword], node[keyword] = node[keyword], nil
  end
  if next(rest) ~= nil then
    rest.anyOf, node.anyOf = node.anyOf, { rest, NULL }
  elseif node.anyOf then
    table.insert(node.anyOf, NULL)
  end
end

-- Adds the keywords. Those for types that the node does not have are left out, such as `items` of
-- a string.
local function add_keywords(builder, node, origin)
  local schemas = origin.schemas
  local set, may_be_null = types.add(builder, node, origin)
  if builder.has_rules then
    limits.add(builder, node, schemas, set)
    node.description = descriptions.of_schemas(schemas, node.type == "string")
  end
  local chosen_by = not origin.is_base and discriminator.of(builder, origin.roots, schemas) or nil
  if not set or set.array then
    lists.add(builder, node, schemas)
  end
  if not set or set.object then
    objects.add(builder, node, origin, chosen_by)
  end
  logic.add(builder, node, schemas, origin.roots)
  if builder.has_dynamic then
    add_dynamic(node, schemas)
  end
  add_beside(builder, node, origin)
  if chosen_by and (not set or set.object) then
    add_discriminator(builder, node, origin, chosen_by)
  end
  if may_be_null then
    add_null(node)
  end
end

-- Gives a node its keywords, once. A node may hold itself.
function nodes.fill(builder, node)
  if builder.is_waiting[node] then
    local origin = builder.origins[node]
    builder.is_waiting[node] = nil
    add_keywords(builder_of(builder, origin), node, origin)
  end
end

-- --- nodes of the same value ----------------------------------------------------------

-- The node of the same schemas that is not a part of another.
function nodes.whole(builder, node)
  local origin = builder.origins[node]
  if not origin or not origin.is_part then
    return node
  end
  return node_of(builder_of(builder, origin), origin.roots, origin.direction)
end

-- A node with one more schema, such as { type = "string" }, that must hold.
function nodes.narrowed(builder, node, schema)
  local origin = builder.origins[node]
  if not node then
    return node
  elseif not origin or not origin.roots then
    return { allOf = { node, schema } }
  end
  local list = {}
  for position, root in ipairs(origin.roots) do
    list[position] = root
  end
  list[#list + 1] = schema
  return node_of(builder_of(builder, origin), list, origin.direction)
end

-- --- names ------------------------------------------------------------------------------

-- The name of a node's schema among the named ones of the document.
function nodes.name_of(builder, node)
  local origin, schema = builder.origins[node], nil
  for _, root in ipairs(origin and origin.roots or {}) do
    local one = all_of.final(builder, root)
    if schema ~= nil and one ~= schema then
      return nil
    end
    schema = one
  end
  return type(schema) == "table" and builder.doc.names[schema] or nil
end

-- Keywords that a wrapper has beside the schema that it leads to.
local IS_OF_WRAPPER = {
  type = true,
  nullable = true,
  description = true,
  title = true,
  default = true,
  example = true,
  examples = true,
  deprecated = true,
  readOnly = true,
  writeOnly = true,
  externalDocs = true,
}

-- The one schema that a wrapper such as { nullable = true, allOf = { X } } leads to.
local function wrapped_in(schema)
  local found
  for key, value in next, schema do
    if type(key) ~= "string" or not (IS_OF_WRAPPER[key] or key:find "^x%-") then
      local is_list = key == "allOf" or key == "anyOf" or key == "oneOf"
      if found or not is_list or type(value) ~= "table" then
        return nil
      elseif value[2] ~= nil or type(value[1]) ~= "table" then
        return nil -- not one schema
      end
      found = value[1]
    end
  end
  return found
end

-- Wrappers in wrappers.
local MOST_WRAPPED = 20

local function target_of(builder, node)
  local origin, target, count = builder.origins[node], nil, 0
  local root = origin and origin.roots and origin.roots[2] == nil and origin.roots[1]
  while root and count < MOST_WRAPPED do
    local schema = all_of.final(builder, root)
    local is_nameless = type(schema) == "table" and not builder.doc.names[schema]
    root, count = is_nameless and wrapped_in(schema), count + 1
    target = root or target
  end
  return target
end

-- The node whose class an object of a node has: of a wrapper without a name that of what it leads
-- to.
function nodes.object(builder, node)
  local target = target_of(builder, node)
  if not target then
    return nodes.whole(builder, node)
  end
  return nodes.of(builder, target, builder.origins[node].direction)
end

return nodes
