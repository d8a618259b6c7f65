-- SPDX-License-Identifier: MIT
-- The schemas of a document (OpenAPI 3.1, "Schema Object") as nodes: each is read once, and what is
-- written for the editor and for endpoint.checks asks its node. A node is a table with JSON
-- Schema's own keywords, or false where no value fits.
local schema = {}

local about = require "endpoint.types.schema.about"
local budget = require "endpoint.types.document.budget"
local children = require "endpoint.types.schema.children"
local closing = require "endpoint.types.schema.closing"
local descriptions = require "endpoint.types.schema.descriptions"
local kinds = require "endpoint.types.schema.kinds"
local nodes = require "endpoint.types.schema.nodes"
local properties = require "endpoint.types.schema.properties"
local tags = require "endpoint.types.schema.tags"

-- In a URL null is not a value: a parameter that must be there may not be null.
schema.NOT_NULL = { type = { "string", "number", "boolean", "array", "object" } }

-- Opens the schemas of a document: `doc.schemas` gets what is known of them. options: those of
-- types.generate.
function schema.open(doc, options)
  local are_responses_open = options.open and not (options.responses and options.closed_responses)
  doc.schemas = nodes.new(doc, options.open == true, are_responses_open == true)
  doc.schemas.marks_closed = options.responses and not options.closed_responses or nil
  doc.schemas.has_rules, doc.schemas.has_responses = options.checks, options.responses
end

-- The node of a schema of the document; nil is a schema that says nothing. direction: "sent", or
-- "received" for a schema of a response.
function schema.of(doc, value, direction)
  return nodes.of(doc.schemas, value, direction or "sent")
end

-- --- what is asked of a node ----------------------------------------------------------------

-- The node with one more schema, such as { type = "array" }, that must hold.
function schema.narrowed(doc, node, value)
  return nodes.narrowed(doc.schemas, node, value)
end

-- Lets no other names into the node of a call's options; with `--open` it takes any.
function schema.close(doc, node)
  closing.close_fields(doc.schemas, node)
end

-- The name of its schema among the named ones of the document, or nil.
function schema.name_of(doc, node)
  return nodes.name_of(doc.schemas, node)
end

-- The kinds of values that fit, see kinds.lua: empty if any value fits, or none.
schema.kinds = kinds.of

-- What is said of a list of kinds: is one of them a list, or a map? Is there a table in a table?
schema.kind_of, schema.is_nested = kinds.kind_of, kinds.is_nested

-- A list of kinds that are scalars.
function schema.scalars(texts)
  local list = {}
  for position, text in ipairs(texts) do
    list[position] = kinds.scalar(text)
  end
  return list
end

-- The properties of an object, sorted by name: a list of `name`, `node` and `required`. One that no
-- value fits is not among them. Not to be changed.
function schema.properties(doc, node)
  local known = doc.schemas.fields
  if known[node] then
    budget.spend(doc, budget.COPY * #known[node])
    return known[node]
  end
  local list, kept = properties.of(doc, node), {}
  for _, property in ipairs(list) do
    if not kinds.is_empty(doc, property.node) then
      kept[#kept + 1] = property
    end
  end
  known[node] = kept[#list] and list or kept
  return known[node]
end

-- What other properties an object may have: true for any, a node, or nil for none.
schema.additional = properties.additional

-- Its description as the document has it, and is it deprecated?
schema.about = about.of

-- Does it mean the bytes of a file, or a list of files?
function schema.is_file(doc, node)
  if not schema.filled(doc, node) then
    return false
  end
  return about.is_file(doc, node) or node.items and about.is_file(doc, node.items) or false
end

-- The node, after it has got its keywords.
function schema.filled(doc, node)
  if node then
    nodes.fill(doc.schemas, node)
  end
  return node
end

-- What a model is told of the value of a field; nil if the field has no words of its own.
function schema.description(doc, field)
  local origin = doc.schemas.origins[field.node]
  return descriptions.of_field(field, origin and origin.schemas or {})
end

-- --- all nodes --------------------------------------------------------------------------------

-- Says for nodes which of their alternatives a value means, see tags.lua. reached: all nodes that
-- are written.
schema.add_tags = tags.add

-- The keywords of a node whose limit is of a wrong type, so that it is not checked; nil if none is.
function schema.wrong_limits(doc, node)
  return doc.schemas.wrong_limits[node]
end

-- All nodes that these hold, themselves among them, as a set. Each has its keywords then.
function schema.reached(doc, roots)
  return children.reached(doc.schemas, roots, nodes.fill)
end

-- Drops what only the editor asks for.
function schema.forget_kinds(doc)
  doc.schemas.kinds, doc.schemas.objects, doc.schemas.fields = {}, {}, {}
end

return schema
