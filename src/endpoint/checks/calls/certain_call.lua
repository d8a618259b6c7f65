-- SPDX-License-Identifier: MIT
-- Whether the options of a call are certainly right: they are one object, of the parameters and the
-- fields of the body.
local certain_call = {}

local certain = require "endpoint.checks.validator.certain"
local media_type = require "endpoint.checks.calls.media_type"
local operations = require "endpoint.checks.calls.operations"
local result = require "endpoint.result"

local NONE = {}

-- --- the properties of that object ----------------------------------------------------

-- Where null means not given, that is for call_options.lua to say.
local function write_parameter(writer, node, x, level, check)
  writer:line("if %s == NULL then return nil end", x)
  check(writer, node.node, x, level)
end

-- An empty table is not in the URL.
local function write_required(writer, node, x, level, check)
  writer:line("if type(%s) == 'table' and next(%s) == nil then return nil end", x, x)
  write_parameter(writer, node, x, level, check)
end

-- A text is the caller's own.
local function write_data(writer, node, x, level, check)
  writer:line("if type(%s) ~= 'string' then", x)
  write_parameter(writer, node, x, level, check)
  writer:line "end"
end

local function write_unknown(writer)
  writer:line "do return nil end"
end

local function given(node, write)
  return { is_given = true, node = node, write = write }
end

local function add_all(object, properties, wrap)
  for name, node in next, properties or NONE do
    if object.properties[name] ~= nil then
      return false
    end
    object.properties[name] = wrap and given(node, wrap) or node
  end
  return true
end

local function add_required(object, names)
  for _, name in ipairs(names or NONE) do
    table.insert(object.required, name)
  end
end

local BODY_KEYWORDS = {
  type = true,
  properties = true,
  required = true,
  additionalProperties = true,
  description = true,
  is_closed = true,
  plan = true,
  direct = true,
  has_applicators = true,
}

-- Is a body an object with nothing but properties?
local function is_plain_object(node)
  for keyword in next, node do
    if not BODY_KEYWORDS[keyword] then
      return false
    end
  end
  return node.type == "object" and not node.additionalProperties
end

-- Adds the body; returns whether that can be said.
local function add_body(object, rulebook, rules)
  if not rules.body then
    return true
  elseif not rules.is_beside then
    object.properties.data = given(rules.body, write_data)
    add_required(object, rules.needs_body and { "data" })
    return true
  end
  local node = rulebook.node(rules.body)
  if not is_plain_object(node) or not add_all(object, node.properties) then
    return false
  end
  add_required(object, node.required)
  object.additionalProperties = node.additionalProperties
  return true
end

local IS_TABLE = { array = true, object = true }

-- Can a value of a node not be a table?
local function is_scalar(node)
  return type(node.type) == "string" and not IS_TABLE[node.type]
end

-- Adds the parameters that are beside the body; returns whether that can be said.
local function add_parameters(object, rulebook, rules)
  if not add_all(object, rules.at.properties, write_parameter) then
    return false
  end
  for _, name in ipairs(rules.at.required or NONE) do
    if not is_scalar(rulebook.node(rules.at.properties[name])) then
      object.properties[name].write = write_required
    end
  end
  add_required(object, rules.at.required)
  return true
end

-- The map of the query is read by call_options.lua where something in it must be there, or is
-- joined.
local function add_params(object, rules)
  if rules.params then
    local is_unknown = rules.styles or rules.params.required
    object.properties[rules.params_name] =
      given(rules.params, is_unknown and write_unknown or write_parameter)
    add_required(object, rules.needs_params and { rules.params_name })
  end
end

-- Where any name may be given, those of options are not any.
local function add_reserved(object, rules)
  for _, name in ipairs { "data", "headers", rules.params_name } do
    object.properties[name] = object.properties[name] or given(nil, write_unknown)
  end
end

-- The options of a call as a node; nil if they are more than an object. is_plain: the route is
-- without the query's expression, and so are they.
local function object_of(rulebook, operation, is_plain)
  local rules = operation.rules
  local object = { type = "object", properties = {}, required = {} }
  if not rulebook.is_open then
    object.additionalProperties = false
  end
  if not add_body(object, rulebook, rules) then
    return nil
  end
  if not add_parameters(object, rulebook, rules) then
    return nil
  end
  for _, style in ipairs(rules.styles or NONE) do
    object.properties[style[1]] = given(nil, write_unknown)
  end
  add_params(object, rules)
  for name in next, is_plain and operation.in_query or NONE do
    object.properties[name] = given(nil, write_unknown)
  end
  if object.additionalProperties ~= false then
    add_reserved(object, rules)
  end
  return object
end

-- --- the whole ------------------------------------------------------------------------

local function unknown()
  return nil
end

-- The body is all that is given, where nothing else can be.
local function of_body_alone(rulebook, rules)
  local node = rules.is_beside and rulebook.node(rules.body)
  local is_alone = node and next(rules.at.properties) == nil and not rules.params
  local is_object = is_alone and (node.type == nil or node.type == "object")
  if not is_object or node.additionalProperties ~= false then
    return unknown
  end
  local fits = certain.of_node(rulebook, rules.body, true)
  return function(options, depth)
    if type(next(options)) ~= "string" then
      return nil -- options are no list, whatever the body may be
    end
    return fits(options, depth)
  end
end

-- A body that must be there has a field.
local function write_with_field(writer, node, x, level, check)
  check(writer, node.node, x, level)
  local conditions = {}
  for position, name in ipairs(result.sorted(node.names)) do
    conditions[position] = ("%s[%s] == nil"):format(x, writer.quoted(name))
  end
  writer:line("if %s then return nil end", table.concat(conditions, " and "))
end

local function with_field(object, fields)
  local wrapped = given(object, write_with_field)
  wrapped.names = {}
  for name in next, fields or NONE do
    table.insert(wrapped.names, name)
  end
  return wrapped.names[1] and wrapped
end

-- The endpoint, which is not asked here, may have a content-type with other rules.
local function new(rulebook, operation, is_plain)
  local rules = operation.rules
  if media_type.has_others(rules) then
    return unknown
  end
  local object = object_of(rulebook, operation, is_plain)
  if not object then
    return of_body_alone(rulebook, rules)
  elseif rules.is_beside and rules.needs_body and not rulebook.node(rules.body).required then
    object = with_field(object, rules.fields)
  end
  return object and certain.of_node(rulebook, object, true) or unknown
end

-- The calls of a rulebook by their routes: the `operation`, and what `fits`, a function that says
-- whether options are certainly right. It is made when the operation is checked for the second
-- time: a program that calls it once does not pay for it.
local function new_calls(rulebook)
  return setmetatable({}, {
    __index = function(calls, route)
      local operation = rulebook.routes[route] or rulebook.plain[route]
      if not operation then
        return nil
      elseif not operation.was_checked then
        operation.was_checked = true
        return nil
      end
      operations.ready(rulebook, operation)
      local fits = new(rulebook, operation, not rulebook.routes[route])
      calls[route] = { operation = operation, fits = fits }
      return calls[route]
    end,
  })
end

-- The operation of a call that is certainly right, or nil.
function certain_call.operation(rulebook, route, options)
  local calls = rulebook.certain_calls
  if not calls then
    calls = new_calls(rulebook)
    rulebook.certain_calls = calls
  end
  local call = calls[route]
  if call and type(options) == "table" and call.fits(options, 0) then
    return call.operation
  end
end

return certain_call
