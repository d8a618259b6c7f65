-- SPDX-License-Identifier: MIT
-- The query of an operation. Under GET and HEAD single values stand beside the template.
-- Lists and maps, and under other methods everything, need {?...} in the route. What can be no
-- variable there goes into a map, whose keys are any names: {?params*}.
local query = {}

local field = require "endpoint.types.field"
local object = require "endpoint.types.object"

local STANDS_BESIDE = { GET = true, HEAD = true }

-- Puts the properties of an exploded map into the map of the route. One that names none may
-- have any, as the parameter's name then says.
local function add_properties(doc, to, parameter)
  local properties = object.sent(doc, parameter.schema)
  if #properties == 0 then
    to.free[#to.free + 1], to.is_free_required = parameter.name, to.is_free_required or parameter.required
  end
  for _, property in ipairs(properties) do
    local of, kind = field.of_parameter(doc, property)
    if kind == "map" then of = field.text(property.name, property, "JSON, as text") end
    to.pairs[#to.pairs + 1] = of
  end
end

-- A list or map that is one pair of the map is a text.
local function add_pair(doc, to, parameter, of, kind)
  if kind == "map" and parameter.explode then return add_properties(doc, to, parameter) end
  if kind == "list" and not parameter.explode then of = field.joined(of.name, of, '","') end
  if kind == "map" then of = field.text(of.name, of, "keys and values, joined by commas") end
  to.pairs[#to.pairs + 1] = of
end

-- A name that ends in [] sends each element of a list by itself, beside the template too.
local function stands_beside(to, parameter, of, kind)
  if not to.stands_beside then return false end
  return kind == "scalar" or (kind == "list" and parameter.explode and of.name:find "%[%]$" ~= nil)
end

-- A "%" in a name means itself, and would begin a triplet in the name of a variable.
local function place(doc, to, parameter, of, kind)
  local is_free = not field.is_option(of.name) and not to.variables[of.name]
  if is_free and stands_beside(to, parameter, of, kind) then
    to.fields[#to.fields + 1] = of
  elseif is_free and not of.name:find("%", 1, true) and field.is_variable(of.name) then
    to.fields[#to.fields + 1] = of
    to.variables[of.name], of.is_in_route = true, true
    to.is_asked = to.is_asked or of.required
    to.varspecs[#to.varspecs + 1] = of.name .. (parameter.explode and kind ~= "scalar" and "*" or "")
  else
    add_pair(doc, to, parameter, of, kind)
  end
end

local function add_parameter(doc, to, parameter)
  if parameter.style ~= "deepObject" or parameter.is_json then
    return place(doc, to, parameter, field.of_parameter(doc, parameter))
  end
  local flat = { notes = to.notes }
  function flat.add(of, kind) place(doc, to, { explode = true }, of, kind) end
  field.add_flat(doc, flat, parameter)
end

-- A name that no parameter has.
local function free_name(taken)
  local name = "params"
  while taken[name] do name = name .. "_" end
  return name
end

local function expression_in(template, varspecs)
  if #varspecs == 0 then return template end
  local head, fragment = template:match "^([^#]*)(.*)$"
  local operator = head:find("?", 1, true) and "&" or "?"
  return head .. "{" .. operator .. table.concat(varspecs, ",") .. "}" .. fragment
end

-- Puts what can be no variable into the map of the route.
local function add_map(to, made, taken)
  if #to.pairs == 0 and #to.free == 0 then return end
  made.params = { name = free_name(taken), fields = to.pairs, note = "their names can be no variables",
    free = table.concat(to.free, ", "), required = to.is_free_required }
  to.varspecs[#to.varspecs + 1] = made.params.name .. "*"
  to.is_asked = to.is_asked or to.is_free_required
  for _, of in ipairs(to.pairs) do to.is_asked = to.is_asked or of.required end
end

-- Adds the fields of the query to the call, and returns the template with its expression, and whether a call can
-- do without that. taken: the names of all parameters and of the body's properties.
function query.template(doc, operation, made, template, taken)
  local to = { stands_beside = STANDS_BESIDE[operation.method], fields = made.fields, variables = made.variables,
    varspecs = {}, pairs = {}, free = {}, notes = made.notes }
  for _, parameter in ipairs(operation.parameters) do
    if parameter.place == "query" then add_parameter(doc, to, parameter) end
  end
  add_map(to, made, taken)
  return expression_in(template, to.varspecs), #to.varspecs > 0 and not to.is_asked
end

return query
