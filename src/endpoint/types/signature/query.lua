-- SPDX-License-Identifier: MIT
-- The query of an operation: its Parameter Objects that are in "query" (OpenAPI 3.1, "Parameter
-- Locations"). Each becomes a field beside the template, a variable of the template's {?...}, or a
-- key of the map {?params*}.
local query = {}

local deep_object = require "endpoint.types.signature.deep_object"
local option_field = require "endpoint.types.signature.option_field"
local schema = require "endpoint.types.schema"

-- Under these methods the module sends what no variable takes as pairs of the query. So single
-- values need no variable there. Lists and objects do, and under other methods everything does.
local SENDS_PAIRS = { GET = true, HEAD = true }

-- --- the map ------------------------------------------------------------------------

-- What cannot be a variable goes into the map, whose keys may be any names.
local function add_to_map(plan, field)
  plan.map_fields[#plan.map_fields + 1] = field
end

-- Lets any names into the map, for a parameter that does not name its properties.
local function open_map(plan, name, is_required)
  plan.free_names[#plan.free_names + 1] = name
  plan.is_free_required = plan.is_free_required or is_required
end

-- Adds the properties of an exploded object: each is a pair of the query.
local function add_properties(doc, plan, parameter)
  local properties = schema.properties(doc, parameter.node)
  if #properties == 0 then
    open_map(plan, parameter.name, parameter.required)
  end
  for _, property in ipairs(properties) do
    local field, kind = option_field.of_parameter(doc, property)
    if kind == "map" then
      field = option_field.text(property.name, property, "JSON as a string", "tables")
    end
    add_to_map(plan, field)
  end
end

-- Adds one pair of the query. A list or an object in one pair is a string that the caller makes.
local function add_pair(doc, plan, parameter, field, kind)
  if kind == "map" and parameter.explode then
    return add_properties(doc, plan, parameter)
  end
  if kind == "list" and not parameter.explode then
    field = option_field.joined(field.name, field, ",", kind)
  end
  if kind == "map" then
    field = option_field.joined(field.name, field, ",", kind)
  end
  add_to_map(plan, field)
end

-- --- where each parameter goes --------------------------------------------------------

-- Does the module send it from beside the template? A name that ends in [] sends each element of a
-- list by itself there, too.
local function needs_no_variable(plan, parameter, field, kind)
  if not plan.sends_pairs then
    return false
  end
  return kind == "scalar"
    or (kind == "list" and parameter.explode and field.name:find "%[%]$" ~= nil)
end

-- A "%" in a name means itself, and would begin a triplet in the name of a variable.
local function can_be_variable(name)
  return not name:find("%", 1, true) and option_field.is_variable(name)
end

local function add_variable(plan, parameter, field, kind)
  plan.fields[#plan.fields + 1] = field
  plan.variables[field.name], field.is_in_route = true, true
  plan.is_asked = plan.is_asked or field.required
  plan.varspecs[#plan.varspecs + 1] = field.name
    .. (parameter.explode and kind ~= "scalar" and "*" or "")
end

local function add_field(doc, plan, parameter, field, kind)
  local is_free = not option_field.is_option(field.name) and not plan.variables[field.name]
  if is_free and needs_no_variable(plan, parameter, field, kind) then
    plan.fields[#plan.fields + 1] = field
  elseif is_free and can_be_variable(field.name) then
    add_variable(plan, parameter, field, kind)
  else
    add_pair(doc, plan, parameter, field, kind)
  end
end

-- Adds a parameter of the style deepObject: a field for each key that the schema names. One with
-- other keys also gets a pattern, and is kept in `deep`.
local function add_deep_object(doc, plan, parameter)
  local count = #plan.key_patterns
  local keys = { key_patterns = plan.key_patterns }
  function keys.add(field, kind)
    add_field(doc, plan, { explode = true }, field, kind)
  end
  deep_object.each_key(doc, keys, parameter)
  if #plan.key_patterns == count then
    return
  end
  plan.deep[#plan.deep + 1] = parameter
  if not plan.sends_pairs then
    open_map(plan, parameter.name .. "[key]", parameter.required)
  end
end

local function add_parameter(doc, plan, parameter)
  if parameter.style == "deepObject" and not parameter.is_json then
    add_deep_object(doc, plan, parameter)
  else
    add_field(doc, plan, parameter, option_field.of_parameter(doc, parameter))
  end
end

-- --- the template -------------------------------------------------------------------

-- A name for the map that no parameter has.
local function free_name(taken)
  local name = "params"
  while taken[name] do
    name = name .. "_"
  end
  return name
end

-- Gives the signature the map, if there is something in it, and the template its variable.
local function add_map(plan, signature, taken)
  if #plan.map_fields == 0 and #plan.free_names == 0 then
    return
  end
  signature.params = {
    name = free_name(taken),
    fields = plan.map_fields,
    note = "their names cannot be variables",
    free = table.concat(plan.free_names, ", "),
    required = plan.is_free_required,
  }
  plan.varspecs[#plan.varspecs + 1] = signature.params.name .. "*"
  plan.is_asked = plan.is_asked or plan.is_free_required
  for _, field in ipairs(plan.map_fields) do
    plan.is_asked = plan.is_asked or field.required
  end
end

local function with_expression(template, varspecs)
  if #varspecs == 0 then
    return template
  end
  local head, fragment = template:match "^([^#]*)(.*)$"
  local operator = head:find "[?]" and "&" or "?"
  return head .. "{" .. operator .. table.concat(varspecs, ",") .. "}" .. fragment
end

-- Adds the fields of the query to a signature. Returns the template with the expression of the
-- query, and true if it has one that a call can do without. template: that of the path; taken: the
-- names of all parameters and of the body's properties.
function query.add(doc, operation, signature, template, taken)
  local plan = {
    sends_pairs = SENDS_PAIRS[operation.method],
    fields = signature.fields,
    variables = signature.variables,
    key_patterns = signature.key_patterns,
    deep = signature.deep,
    varspecs = {},
    map_fields = {},
    free_names = {},
  }
  for _, parameter in ipairs(operation.parameters) do
    if parameter.place == "query" and not signature.in_path[parameter] then
      add_parameter(doc, plan, parameter)
    end
  end
  add_map(plan, signature, taken)
  return with_expression(template, plan.varspecs), plan.varspecs[1] and not plan.is_asked
end

return query
