-- SPDX-License-Identifier: MIT
-- The URL of an operation as a template: its path and its query.
local address = {}

local field = require "endpoint.types.call.field"
local object = require "endpoint.types.document.object"

-- Raises a table, which call.of catches: why the operation is left out.
function address.leave_out(reason, ...)
  error({ reason = reason:format(...) }, 0)
end
local leave_out = address.leave_out

-- --- the path ---------------------------------------------------------------------

local OPERATORS = { label = ".", matrix = ";" }

local function expression_of(parameter, name, kind)
  local operator = OPERATORS[parameter.style] or (parameter.allow_reserved and "+" or "")
  return "{" .. operator .. name .. (parameter.explode and kind ~= "scalar" and "*" or "") .. "}"
end

local function parameter_named(operation, name)
  return operation.parameters[operation.parameters["path " .. name]]
end

local function check_name(name, written)
  if field.is_variable(name) then
    return
  end
  if field.is_option(name) then
    leave_out("{%s} in its path has the name of an option", written)
  end
  leave_out("{%s} in its path is no variable of RFC 6570", written)
end

-- The types without the empty text: no segment may be empty.
local function without_empty(types)
  local kept = {}
  for _, of in ipairs(types) do
    if of.text ~= '""' then
      kept[#kept + 1] = of
    end
  end
  return kept
end

-- The expression of a name in the path, of which the call gets a field. Some documents write
-- {+name} for a value with slashes.
local function add_variable(doc, operation, made, written)
  local operator, name = written:match "^([+./;]?)(.*)$"
  check_name(name, written)
  local parameter = parameter_named(operation, written)
    or parameter_named(operation, name)
    or { name = name, required = true, schema = { type = "string" } }
  local of, kind = field.of_parameter(doc, parameter)
  of.name, of.types = name, without_empty(of.types)
  made.fields[#made.fields + 1], made.variables[name] = of, true
  return operator ~= "" and "{" .. written .. "}" or expression_of(parameter, name, kind)
end

local function triplet(byte)
  return ("%%%02X"):format(byte:byte())
end

-- Text in which each colon before `stop` that would begin a variable here is encoded.
function address.without_colons(written, stop)
  return (
    written:gsub("():%f[%a_]", function(at)
      local begins = at < stop and not written:sub(at - 1, at - 1):find "[%w_}]"
      return begins and "%3A" or nil
    end)
  )
end

-- Literal text. Behind a "?" a colon begins no variable. previous: the character before the
-- text.
local function literal_of(written, previous, is_query)
  local encoded = previous .. written:gsub("[^A-Za-z0-9._~!$&'()*+,;=:@/?#%[%]%%{}-]", triplet)
  if not is_query then
    encoded = address.without_colons(encoded, encoded:find "[?#]" or #encoded)
  end
  return encoded:sub(#previous + 1)
end

-- The path as a template. The call gets the fields of its variables, and their names.
function address.path(doc, operation, made)
  if operation.path:sub(1, 1) ~= "/" then
    leave_out "its path does not begin with a slash"
  end
  local parts, position, previous, is_query = {}, 1, "", false
  for from, written, behind in operation.path:gmatch "(){([^{}]*)}()" do
    local literal = operation.path:sub(position, from - 1)
    parts[#parts + 1] = literal_of(literal, previous, is_query)
    parts[#parts + 1] = add_variable(doc, operation, made, written)
    position, previous, is_query = behind, "}", is_query or literal:find "[?#]" ~= nil
  end
  parts[#parts + 1] = literal_of(operation.path:sub(position), previous, is_query)
  return table.concat(parts)
end

-- --- the query --------------------------------------------------------------------

-- Under GET and HEAD single values stand beside the template. Lists and maps, and under other methods everything,
-- need {?...} in the route. What can be no variable there goes into a map, whose keys are any names: {?params*}.
local STANDS_BESIDE = { GET = true, HEAD = true }

-- Puts the properties of an exploded map into the map of the route. One that names none may
-- have any, as the parameter's name then says.
local function add_properties(doc, to, parameter)
  local properties = object.sent(doc, parameter.schema)
  if #properties == 0 then
    to.free[#to.free + 1], to.is_free_required =
      parameter.name, to.is_free_required or parameter.required
  end
  for _, property in ipairs(properties) do
    local of, kind = field.of_parameter(doc, property)
    if kind == "map" then
      of = field.text(property.name, property, "JSON, as text", "tables")
    end
    to.pairs[#to.pairs + 1] = of
  end
end

-- A list or map that is one pair of the map is a text.
local function add_pair(doc, to, parameter, of, kind)
  if kind == "map" and parameter.explode then
    return add_properties(doc, to, parameter)
  end
  if kind == "list" and not parameter.explode then
    of = field.joined(of.name, of, ",", kind)
  end
  if kind == "map" then
    of = field.joined(of.name, of, ",", kind)
  end
  to.pairs[#to.pairs + 1] = of
end

-- A name that ends in [] sends each element of a list by itself, beside the template too.
local function stands_beside(to, parameter, of, kind)
  if not to.stands_beside then
    return false
  end
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
    to.varspecs[#to.varspecs + 1] = of.name
      .. (parameter.explode and kind ~= "scalar" and "*" or "")
  else
    add_pair(doc, to, parameter, of, kind)
  end
end

local function add_parameter(doc, to, parameter)
  if parameter.style ~= "deepObject" or parameter.is_json then
    return place(doc, to, parameter, field.of_parameter(doc, parameter))
  end
  local flat, known = { notes = to.notes }, #to.notes
  function flat.add(of, kind)
    place(doc, to, { explode = true }, of, kind)
  end
  field.add_flat(doc, flat, parameter)
  if #to.notes == known then
    return
  end
  to.deep[#to.deep + 1] = parameter
  if not to.stands_beside then
    to.free[#to.free + 1] = parameter.name .. "[key]"
    to.is_free_required = to.is_free_required or parameter.required
  end
end

-- A name that no parameter has.
local function free_name(taken)
  local name = "params"
  while taken[name] do
    name = name .. "_"
  end
  return name
end

local function expression_in(template, varspecs)
  if #varspecs == 0 then
    return template
  end
  local head, fragment = template:match "^([^#]*)(.*)$"
  local operator = head:find "[?]" and "&" or "?"
  return head .. "{" .. operator .. table.concat(varspecs, ",") .. "}" .. fragment
end

-- Puts what can be no variable into the map of the route.
local function add_map(to, made, taken)
  if #to.pairs == 0 and #to.free == 0 then
    return
  end
  made.params = {
    name = free_name(taken),
    fields = to.pairs,
    note = "their names can be no variables",
    free = table.concat(to.free, ", "),
    required = to.is_free_required,
  }
  to.varspecs[#to.varspecs + 1] = made.params.name .. "*"
  to.is_asked = to.is_asked or to.is_free_required
  for _, of in ipairs(to.pairs) do
    to.is_asked = to.is_asked or of.required
  end
end

-- Adds the fields of the query to the call, and returns the template with its expression, and whether a call can
-- do without that. taken: the names of all parameters and of the body's properties.
function address.query(doc, operation, made, template, taken)
  local to = {
    stands_beside = STANDS_BESIDE[operation.method],
    fields = made.fields,
    variables = made.variables,
    varspecs = {},
    pairs = {},
    free = {},
    notes = made.notes,
    deep = made.deep,
  }
  for _, parameter in ipairs(operation.parameters) do
    if parameter.place == "query" then
      add_parameter(doc, to, parameter)
    end
  end
  add_map(to, made, taken)
  return expression_in(template, to.varspecs), to.varspecs[1] and not to.is_asked
end

return address
