-- SPDX-License-Identifier: MIT
-- The rules of the options of one call, made of its signature: a node for what is given beside the
-- template, for the map of its query, for its headers, for its body and for its responses.
local options = {}

local incoming = require "endpoint.types.rules.incoming"
local responses = require "endpoint.types.document.responses"
local result = require "endpoint.result"
local schema = require "endpoint.types.schema"
local source = require "endpoint.types.source"

-- Where a field takes only a part of what its schema allows, see deep_object.lua.
local ONLY = { scalar = { type = { "string", "number", "boolean" } }, list = { type = "array" } }

-- A node in the place of a field: the node of its value, and the description that it has here.
local function place_of(builder, field)
  local node = field.kinds[1] and { type = "string" } or {} -- a string that the caller makes
  local only = ONLY[field.only] or field.required and schema.NOT_NULL
  if field.node ~= nil then
    node = only and schema.narrowed(builder.doc, field.node, only) or field.node
  end
  return { ref = node, description = schema.description(builder.doc, field) }
end

-- The node of a table with these fields. free: it takes any other name, too.
local function object_of(builder, fields, free)
  local node, required = { type = "object", properties = {} }, {}
  for _, field in ipairs(fields) do
    if not node.properties[field.name] then
      node.properties[field.name] = place_of(builder, field)
      if field.required then
        required[#required + 1] = field.name
      end
    end
  end
  node.required = required[1] and result.sorted(required) or nil
  if not free then
    schema.close(builder.doc, node)
  end
  return node
end

-- The fields that have a node. The others are strings that the caller makes.
local function with_node(fields)
  local kept = {}
  for _, field in ipairs(fields) do
    if field.node ~= nil then
      kept[#kept + 1] = field
    end
  end
  return kept
end

-- How the names that a pattern means begin: those of metadata[key] begin with "metadata[". Their
-- keys are not checked.
local function beginnings_of(key_patterns)
  local beginnings = {}
  for position, pattern in ipairs(key_patterns) do
    beginnings[position] = pattern:match "^(.-%[)[^%[%]]*%]"
  end
  return beginnings[1] and beginnings or nil
end

-- The node of a form's body: it takes strings in the place of what the form cannot hold.
local function form_of(node, fields)
  local changed = {}
  for _, field in ipairs(fields) do
    local property = node.properties and node.properties[field.name]
    if property and field.node == nil then
      changed[field.name] = { type = "string", description = property.description }
    elseif property and field.is_text_too then
      changed[field.name] = { anyOf = { property, { type = "string" } } }
    end
  end
  if next(changed) == nil then
    return node
  end
  local changed_node, properties = {}, {}
  for name, value in pairs(node) do
    changed_node[name] = value
  end
  for name, value in pairs(node.properties) do
    properties[name] = changed[name] or value
  end
  -- Alternatives would ask for tables.
  changed_node.anyOf, changed_node.oneOf, changed_node.allOf = nil, nil, nil
  changed_node.properties = properties
  return changed_node
end

-- The fields without `data`, the body, unless it is a variable of the path.
local function parameters_of(signature)
  local beside = {}
  for _, field in ipairs(signature.fields) do
    if field.name ~= "data" or signature.variables.data then
      beside[#beside + 1] = field
    end
  end
  return beside
end

local function add_params(builder, signature, call_rules)
  if not signature.params then
    return
  end
  call_rules.params = object_of(builder, signature.params.fields, signature.params.free ~= "")
  call_rules.params_name = signature.params.name
  call_rules.needs_params = (signature.params.required or call_rules.params.required ~= nil) or nil
end

-- --- values -----------------------------------------------------------------------

-- Language models give values where a program gives strings that it makes of them: `values` has a
-- node for each of these, and `styles` how each is written.
local function add_values(builder, signature, call_rules)
  local fields, styles = {}, {}
  local function add(name, from, style)
    fields[#fields + 1] = {
      name = name,
      kinds = {},
      node = from.node,
      required = from.required,
      description = from.description,
      example = from.example,
    }
    styles[#styles + 1] = { name, style }
  end
  for _, list in ipairs { signature.fields, signature.params and signature.params.fields or {} } do
    for _, field in ipairs(list) do
      if field.value then
        add(field.name, field, field.value.style)
        fields[#fields].node = field.value.node
      end
    end
  end
  for _, parameter in ipairs(signature.deep) do
    add(parameter.name, parameter, "deep")
  end
  if fields[1] then
    call_rules.values, call_rules.styles = object_of(builder, fields, true), styles
  end
end

-- The node of a body; one that no value fits if its schema takes none.
local function node_of_body(signature)
  return signature.body.node or { enum = {} }
end

-- The node of what an argument gives for the body, where that is not what a program gives.
local function value_of_body(builder, signature)
  local kind = signature.body.written.kind
  if kind == "form" or kind == "multipart" then
    return node_of_body(signature)
  end
  local node = kind == "text" and schema.filled(builder.doc, signature.body.node)
  return node and node.type == "string" and node or nil
end

local function add_body(builder, signature, call_rules)
  if not signature.body then
    -- What a model gives never becomes an option.
    call_rules.no_tool = signature.variables.data and "its path has {data}, an option's name" or nil
    return
  end
  local written = signature.body.written
  call_rules.needs_body, call_rules.is_beside =
    signature.body.required or nil, signature.body_fields[1] and true
  call_rules.kind, call_rules.label, call_rules.body_styles =
    written.kind, written.label, written.styles
  call_rules.no_tool = written.reason
  if signature.body.format == "text" then
    call_rules.body = { type = "string" }
  else
    call_rules.body = node_of_body(signature)
  end
  call_rules.body_value = value_of_body(builder, signature)
  if signature.body.format == "form" then
    local fields = signature.data and signature.data.fields or signature.body_fields
    call_rules.body = form_of(schema.filled(builder.doc, call_rules.body), fields)
  end
  if call_rules.body_value == call_rules.body then
    call_rules.body_value = nil
  end
end

-- The defaults may have headers, so `check` does not ask for those that must be there: `needs`
-- tells them.
local function add_headers(builder, signature, call_rules)
  local headers = with_node(signature.headers)
  if headers[1] then
    call_rules.headers = object_of(builder, headers, true)
  end
  local asked = {}
  for _, field in ipairs(signature.headers) do
    asked[#asked + 1] = { field.name, field.is_asked == true, field.note or "" }
  end
  call_rules.asked_headers = asked[1] and asked or nil
end

local function add_about(signature, call_rules)
  local about = signature.description
  call_rules.about = about and about:find "%S" and source.whole_line(about) or nil
  call_rules.security = signature.security[1] and signature.security or nil
end

-- --- responses --------------------------------------------------------------------

local TEXT = { type = "string" }

-- The node of a response's body, {} if the document does not say what it is.
local function response_node(builder, response)
  local found, is_there = {}, {}
  for _, value in ipairs(response.schemas) do
    local node = schema.of(builder.doc, value, "received")
    if not is_there[node] then
      found[#found + 1], is_there[node] = node, true
    end
  end
  if found[1] == nil then
    return {}
  elseif response.has_others then
    found[#found + 1] = TEXT
  end
  return found[2] and { anyOf = found } or found[1]
end

local function add_responses(builder, signature, call_rules)
  call_rules.responses = { properties = {} }
  for _, response in ipairs(responses.by_status(builder.doc, signature.operation_object)) do
    call_rules.responses.properties[response.status] = response_node(builder, response)
  end
end

-- The rules of a call.
function options.new(builder, signature)
  local call_rules = {
    at = object_of(builder, parameters_of(signature)),
    notes = beginnings_of(signature.key_patterns),
  }
  call_rules.at.type, call_rules.at.additionalProperties = nil, nil
  add_params(builder, signature, call_rules)
  add_values(builder, signature, call_rules)
  add_headers(builder, signature, call_rules)
  add_body(builder, signature, call_rules)
  add_about(signature, call_rules)
  incoming.add(builder, signature, call_rules)
  if builder.has_responses then
    add_responses(builder, signature, call_rules)
  end
  return call_rules
end

return options
