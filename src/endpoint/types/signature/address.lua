-- SPDX-License-Identifier: MIT
-- The URL of an operation as a template: its path and its query.
local address = {}

local field = require "endpoint.types.signature.field"
local object_schema = require "endpoint.types.document.object_schema"

-- Raises a table, which signature.new catches: why the operation is left out.
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
  leave_out("{%s} in its path is not a variable of RFC 6570", written)
end

-- The types without the empty text: no segment may be empty.
local function without_empty(types)
  local kept = {}
  for _, one in ipairs(types) do
    if one.text ~= '""' then
      kept[#kept + 1] = one
    end
  end
  return kept
end

-- The expression of a name in the path; the call gets a field of that name. Some documents write
-- {+name} for a value with slashes.
local function add_variable(doc, operation, signature, written)
  local operator, name = written:match "^([+./;]?)(.*)$"
  check_name(name, written)
  local parameter = parameter_named(operation, written)
    or parameter_named(operation, name)
    or { name = name, required = true, schema = { type = "string" } }
  local value_field, kind = field.for_parameter(doc, parameter)
  value_field.name, value_field.types = name, without_empty(value_field.types)
  signature.fields[#signature.fields + 1], signature.variables[name] = value_field, true
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

-- Literal text. After a "?" a colon begins no variable. previous: the character before the text.
local function literal_of(written, previous, is_query)
  local encoded = previous .. written:gsub("[^A-Za-z0-9._~!$&'()*+,;=:@/?#%[%]%%{}-]", triplet)
  if not is_query then
    encoded = address.without_colons(encoded, encoded:find "[?#]" or #encoded)
  end
  return encoded:sub(#previous + 1)
end

-- The path as a template. The call gets the fields of its variables, and their names.
function address.path(doc, operation, signature)
  if operation.path:sub(1, 1) ~= "/" then
    leave_out "its path does not begin with a slash"
  end
  local parts, position, previous, is_query = {}, 1, "", false
  for from, written, after in operation.path:gmatch "(){([^{}]*)}()" do
    local literal = operation.path:sub(position, from - 1)
    parts[#parts + 1] = literal_of(literal, previous, is_query)
    parts[#parts + 1] = add_variable(doc, operation, signature, written)
    position, previous, is_query = after, "}", is_query or literal:find "[?#]" ~= nil
  end
  parts[#parts + 1] = literal_of(operation.path:sub(position), previous, is_query)
  return table.concat(parts)
end

-- --- the query --------------------------------------------------------------------

-- Under GET and HEAD single values stand beside the template. Lists and maps, and under other
-- methods everything, need {?...} in the route. What can be no variable there goes into a map,
-- whose keys are any names: {?params*}.
local STANDS_BESIDE = { GET = true, HEAD = true }

-- Puts the properties of an exploded map into the map of the route. One that names none may
-- have any, as the parameter's name then says.
local function add_properties(doc, query, parameter)
  local properties = object_schema.sent(doc, parameter.schema)
  if #properties == 0 then
    query.free[#query.free + 1], query.is_free_required =
      parameter.name, query.is_free_required or parameter.required
  end
  for _, property in ipairs(properties) do
    local value_field, kind = field.for_parameter(doc, property)
    if kind == "map" then
      value_field = field.text(property.name, property, "JSON, as text", "tables")
    end
    query.pairs[#query.pairs + 1] = value_field
  end
end

-- A list or map that is one pair of the map is a text.
local function add_pair(doc, query, parameter, value_field, kind)
  if kind == "map" and parameter.explode then
    return add_properties(doc, query, parameter)
  end
  if kind == "list" and not parameter.explode then
    value_field = field.joined(value_field.name, value_field, ",", kind)
  end
  if kind == "map" then
    value_field = field.joined(value_field.name, value_field, ",", kind)
  end
  query.pairs[#query.pairs + 1] = value_field
end

-- A name that ends in [] sends each element of a list by itself, beside the template too.
local function stands_beside(query, parameter, value_field, kind)
  if not query.stands_beside then
    return false
  end
  return kind == "scalar"
    or (kind == "list" and parameter.explode and value_field.name:find "%[%]$" ~= nil)
end

-- A "%" in a name means itself, and would begin a triplet in the name of a variable.
local function place(doc, query, parameter, value_field, kind)
  local is_free = not field.is_option(value_field.name) and not query.variables[value_field.name]
  if is_free and stands_beside(query, parameter, value_field, kind) then
    query.fields[#query.fields + 1] = value_field
  elseif
    is_free
    and not value_field.name:find("%", 1, true)
    and field.is_variable(value_field.name)
  then
    query.fields[#query.fields + 1] = value_field
    query.variables[value_field.name], value_field.is_in_route = true, true
    query.is_asked = query.is_asked or value_field.required
    query.varspecs[#query.varspecs + 1] = value_field.name
      .. (parameter.explode and kind ~= "scalar" and "*" or "")
  else
    add_pair(doc, query, parameter, value_field, kind)
  end
end

local function add_parameter(doc, query, parameter)
  if parameter.style ~= "deepObject" or parameter.is_json then
    return place(doc, query, parameter, field.for_parameter(doc, parameter))
  end
  local flat, known = { notes = query.notes }, #query.notes
  function flat.add(value_field, kind)
    place(doc, query, { explode = true }, value_field, kind)
  end
  field.add_flat(doc, flat, parameter)
  if #query.notes == known then
    return
  end
  query.deep[#query.deep + 1] = parameter
  if not query.stands_beside then
    query.free[#query.free + 1] = parameter.name .. "[key]"
    query.is_free_required = query.is_free_required or parameter.required
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
local function add_map(query, signature, taken)
  if #query.pairs == 0 and #query.free == 0 then
    return
  end
  signature.params = {
    name = free_name(taken),
    fields = query.pairs,
    note = "their names can be no variables",
    free = table.concat(query.free, ", "),
    required = query.is_free_required,
  }
  query.varspecs[#query.varspecs + 1] = signature.params.name .. "*"
  query.is_asked = query.is_asked or query.is_free_required
  for _, value_field in ipairs(query.pairs) do
    query.is_asked = query.is_asked or value_field.required
  end
end

-- Adds the fields of the query to the call, and returns the template with its expression, and
-- whether a call can do without that. taken: the names of all parameters and of the body's
-- properties.
function address.query(doc, operation, signature, template, taken)
  local query = {
    stands_beside = STANDS_BESIDE[operation.method],
    fields = signature.fields,
    variables = signature.variables,
    varspecs = {},
    pairs = {},
    free = {},
    notes = signature.notes,
    deep = signature.deep,
  }
  for _, parameter in ipairs(operation.parameters) do
    if parameter.place == "query" then
      add_parameter(doc, query, parameter)
    end
  end
  add_map(query, signature, taken)
  return expression_in(template, query.varspecs), query.varspecs[1] and not query.is_asked
end

return address
