-- SPDX-License-Identifier: MIT
-- The signature of a call: what a call of one operation takes. It is made of an operation that
-- document/operations.lua has read, and the definitions and the rules are written of it.
local signature = {}

local body_fields = require "endpoint.types.signature.body_fields"
local headers = require "endpoint.types.signature.headers"
local left_out = require "endpoint.types.signature.left_out"
local path = require "endpoint.types.signature.path"
local protected = require "endpoint.protected"
local query = require "endpoint.types.signature.query"
local route = require "endpoint.types.signature.route"
local schema = require "endpoint.types.schema"

-- The names that the map of the query must not have.
local function names_in(operation, properties)
  local names = {}
  for _, parameter in ipairs(operation.parameters) do
    names[parameter.name] = true
  end
  for _, property in ipairs(properties) do
    names[property.name] = true
  end
  return names
end

-- What is taken from the operation as it is, and what the parts of the URL and the body are added
-- to.
local function empty(operation)
  return {
    method = operation.method,
    path = operation.path,
    id = operation.id,
    summary = operation.summary,
    description = operation.description,
    security = operation.security,
    tags = operation.tags,
    deprecated = operation.deprecated,
    responses = {},
    operation_object = operation.operation_object,
    parameters = operation.parameters,
    fields = {},
    body_fields = {},
    variables = {},
    in_path = {},
    headers = {},
    key_patterns = {},
    deep = {},
  }
end

-- Gives the parameters, the body and the responses of an operation the `node` of their schema.
local function add_nodes(doc, operation, new_signature)
  for _, parameter in ipairs(operation.parameters) do
    if parameter.fault then
      left_out.raise("%s", parameter.fault)
    end
    parameter.node = schema.of(doc, parameter.schema)
  end
  if operation.body then
    operation.body.node = schema.of(doc, operation.body.schema)
  end
  for position, value in ipairs(doc.schemas.has_responses and operation.responses or {}) do
    new_signature.responses[position] = schema.of(doc, value, "received")
  end
end

local function read(doc, base, operation)
  local new_signature = empty(operation)
  add_nodes(doc, operation, new_signature)
  local properties = body_fields.properties(doc, operation.body)
  local path_template = path.add(doc, operation, new_signature)
  local names = names_in(operation, properties)
  local template, has_plain = query.add(doc, operation, new_signature, path_template, names)
  body_fields.add(doc, operation, new_signature, properties)
  headers.add(doc, operation, new_signature)
  new_signature.route = route.checked(operation, base, template)
  new_signature.plain = has_plain and route.of(operation, base, path_template) or nil
  return new_signature
end

-- The signature of a call of an operation; or nil and why the operation is left out. base: the
-- document's server. It has:
-- * `route`; perhaps `plain`, the same without the query's expression;
-- * `fields`: the parameters of the path and of the query, and `data` where the body is one value;
--   `variables`: the set of the names that the template has; `in_path`: that of the parameters
--   which stand in the path;
-- * `params`: the map of the query, with its name and its fields;
-- * `key_patterns`: names that mean several, such as filter[key]; `deep`: the parameters of the
--   style deepObject that have such names;
-- * `headers`: fields;
-- * `body`: its `node`, `format`, and how it is `written`; `body_fields`: its properties beside the
--   other fields, or `data`: a name and fields; `additional`: what other properties the body may
--   have;
-- * `responses`: their nodes, if types of them are wanted;
-- * `method`, `path`, `id`, `summary`, `description`, `security`, `tags` and `deprecated` of the
--   operation, `parameters`, as document/parameters.lua reads them, and `operation_object`, the
--   table of the document.
function signature.new(doc, base, operation)
  local is_made, made = protected.call(read, doc, base, operation)
  if is_made then
    return made
  end
  return nil, left_out.reason(made)
end

return signature
