-- SPDX-License-Identifier: MIT
-- The rules of the options of one call: a node for what is given beside the template, for the map
-- of its query, for its headers and for its body.
local options = {}

local descriptions = require "endpoint.types.rules.descriptions"
local nodes = require "endpoint.types.rules.nodes"
local references = require "endpoint.types.document.references"
local responses = require "endpoint.types.document.responses"
local result = require "endpoint.result"
local source = require "endpoint.types.source"

local ONLY = { scalar = { type = { "string", "number", "boolean" } }, list = { type = "array" } }

-- In a URL null is not a value: a parameter that must be there may not be null.
local NOT_NULL = { type = { "string", "number", "boolean", "array", "object" } }

-- The node of a field: `of`, and the description that it has here.
local function place_of(to, of)
  local node = of.types[1] and { type = "string" } or {} -- a text that the caller makes
  if of.schema ~= nil then
    node = nodes.node(to, { of.schema, ONLY[of.only] or of.required and NOT_NULL or nil })
  end
  local part = type(of.schema) == "table" and references.resolve(to.doc, of.schema) or nil
  return { of = node, description = descriptions.of_field(of, part) }
end

-- The node of a table with these fields. free: it takes any other name, too.
local function object_of(to, fields, free)
  local node, required = { type = "object", properties = {} }, {}
  for _, of in ipairs(fields) do
    if not node.properties[of.name] then
      node.properties[of.name] = place_of(to, of)
      if of.required then
        required[#required + 1] = of.name
      end
    end
  end
  node.required = required[1] and result.sorted(required) or nil
  if not free and not to.is_open then
    node.additionalProperties = false
  end
  return node
end

local function has_schema(fields)
  local kept = {}
  for _, of in ipairs(fields) do
    if of.schema ~= nil then
      kept[#kept + 1] = of
    end
  end
  return kept
end

-- A note of a query, such as metadata[key], is a name that stands for others.
local function beginnings_of(notes)
  local beginnings = {}
  for position, note in ipairs(notes) do
    beginnings[position] = note:match "^(.-%[)[^%[%]]*%]"
  end
  return beginnings[1] and beginnings or nil
end

-- The body of a form takes texts in the place of what the form cannot hold.
local function form_of(node, fields)
  local changed = {}
  for _, of in ipairs(fields) do
    local own = node.properties and node.properties[of.name]
    if own and of.schema == nil then
      changed[of.name] = { type = "string", description = own.description }
    elseif own and of.is_text_too then
      changed[of.name] = { anyOf = { own, { type = "string" } } }
    end
  end
  if next(changed) == nil then
    return node
  end
  local made, properties = {}, {}
  for name, value in pairs(node) do
    made[name] = value
  end
  for name, value in pairs(node.properties) do
    properties[name] = changed[name] or value
  end
  -- Alternatives would ask for tables.
  made.properties, made.anyOf, made.oneOf, made.allOf = properties, nil, nil, nil
  return made
end

local function parameters_of(call)
  local beside = {}
  for _, field in ipairs(call.fields) do
    if field.name ~= "data" then
      beside[#beside + 1] = field
    end
  end
  return beside
end

local function add_params(to, call, made)
  if not call.params then
    return
  end
  made.params = object_of(to, call.params.fields, call.params.free ~= "")
  made.params_name = call.params.name
  made.needs_params = (call.params.required or made.params.required ~= nil) or nil
end

-- --- values -----------------------------------------------------------------------

-- Who gives values, and no texts in their place, gives these: `values` has a node for each, and
-- `styles` how each is written.
local function add_values(to, call, made)
  local fields, styles = {}, {}
  local function add(name, from, style)
    fields[#fields + 1] = {
      name = name,
      types = {},
      schema = from.schema == nil and {} or from.schema,
      required = from.required,
      description = from.description,
      example = from.example,
    }
    styles[#styles + 1] = { name, style }
  end
  for _, list in ipairs { call.fields, call.params and call.params.fields or {} } do
    for _, field in ipairs(list) do
      if field.value then
        add(field.name, field, field.value.style)
        fields[#fields].schema = field.value.schema
      end
    end
  end
  for _, parameter in ipairs(call.deep) do
    add(parameter.name, parameter, "deep")
  end
  if fields[1] then
    made.values, made.styles = object_of(to, fields, true), styles
  end
end

-- What an argument gives for the body, where it is not what a program gives.
local function value_of_body(to, call)
  local kind = call.body.written.kind
  if kind == "form" or kind == "multipart" then
    return nodes.node(to, { call.body.schema })
  end
  local is_text = kind == "text" and references.resolve(to.doc, call.body.schema).type == "string"
  return is_text and nodes.node(to, { call.body.schema }) or nil
end

local function add_body(to, call, made)
  if not call.body then
    return
  end
  local written = call.body.written
  made.needs_body, made.is_beside = call.body.required or nil, call.body_fields[1] and true
  made.kind, made.label, made.body_styles = written.kind, written.label, written.styles
  made.no_tool = written.reason
  if call.body.format == "text" then
    made.body = { type = "string" }
  else
    made.body = nodes.node(to, { call.body.schema })
  end
  made.body_value = value_of_body(to, call)
end

-- Headers may stand in the defaults: which must be there is told, and not asked.
local function add_headers(to, call, made)
  local headers = has_schema(call.headers)
  if headers[1] then
    made.headers = object_of(to, headers, true)
  end
  local asked = {}
  for _, field in ipairs(call.headers) do
    asked[#asked + 1] = { field.name, field.is_asked == true, field.note or "" }
  end
  made.asked_headers = asked[1] and asked or nil
end

local function add_texts(call, made)
  local about = call.description
  made.about = about and about:find "%S" and source.whole_line(about) or nil
  made.security = call.security[1] and call.security or nil
end

-- --- responses --------------------------------------------------------------------

local TEXT = { type = "string" }

-- The node of a response's body, {} if the document does not say what it is.
local function response_node(to, response)
  local found, is_there = {}, {}
  for _, schema in ipairs(response.schemas) do
    local node = nodes.node(to, { schema })
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

local function add_responses(to, call, made)
  to.is_response = true
  made.responses = { properties = {} }
  for _, response in ipairs(responses.by_status(to.doc, call.source)) do
    made.responses.properties[response.status] = response_node(to, response)
  end
  to.is_response = false
end

-- The rules of a call, but for those that need the keywords of nodes: see options.finish.
function options.new(to, call)
  local made = { at = object_of(to, parameters_of(call)), notes = beginnings_of(call.notes) }
  made.at.type, made.at.additionalProperties = nil, nil
  add_params(to, call, made)
  add_values(to, call, made)
  add_headers(to, call, made)
  add_body(to, call, made)
  add_texts(call, made)
  if to.has_responses then
    add_responses(to, call, made)
  end
  return made
end

-- Ends the rules of a call, when all nodes have their keywords.
function options.finish(made, call)
  local fields = call.data and call.data.fields or call.body_fields
  if call.body and call.body.format == "form" then
    made.body = form_of(made.body, fields)
  end
  if made.body_value == made.body then
    made.body_value = nil
  end
end

return options
