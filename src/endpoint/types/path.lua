-- SPDX-License-Identifier: MIT
-- The path of an operation as a template.
local path = {}

local field = require "endpoint.types.field"

-- Raises a table, which call.of catches: why the operation is left out.
function path.leave_out(reason, ...)
  error({ reason = reason:format(...) }, 0)
end
local leave_out = path.leave_out

local OPERATORS = { label = ".", matrix = ";" }

local function expression_of(parameter, name, kind)
  local operator = OPERATORS[parameter.style] or (parameter.allow_reserved and "+" or "")
  return "{" .. operator .. name .. (parameter.explode and kind ~= "scalar" and "*" or "") .. "}"
end

local function parameter_named(operation, name)
  return operation.parameters[operation.parameters["path " .. name]]
end

local function check_name(name, written)
  if field.is_variable(name) then return end
  if field.is_option(name) then leave_out("{%s} in its path has the name of an option", written) end
  leave_out("{%s} in its path is no variable of RFC 6570", written)
end

-- The types without the empty text: no segment may be empty.
local function without_empty(types)
  local kept = {}
  for _, of in ipairs(types) do
    if of.text ~= '""' then kept[#kept + 1] = of end
  end
  return kept
end

-- The expression of a name in the path, of which the call gets a field. Some documents write
-- {+name} for a value with slashes.
local function add_variable(doc, operation, made, written)
  local operator, name = written:match "^([+./;]?)(.*)$"
  check_name(name, written)
  local parameter = parameter_named(operation, written) or parameter_named(operation, name)
    or { name = name, required = true, schema = { type = "string" } }
  local of, kind = field.of_parameter(doc, parameter)
  of.name, of.types = name, without_empty(of.types)
  made.fields[#made.fields + 1], made.variables[name] = of, true
  return operator ~= "" and "{" .. written .. "}" or expression_of(parameter, name, kind)
end

local function triplet(byte) return ("%%%02X"):format(byte:byte()) end

-- Text in which each colon before `stop` that would begin a variable here is encoded.
function path.without_colons(written, stop)
  return (written:gsub("():%f[%a_]", function(at)
    local begins = at < stop and not written:sub(at - 1, at - 1):find "[%w_}]"
    return begins and "%3A" or nil
  end))
end

-- Literal text. Behind a "?" a colon begins no variable. previous: the character before the
-- text.
local function literal_of(written, previous, is_query)
  local encoded = previous .. written:gsub("[^A-Za-z0-9._~!$&'()*+,;=:@/?#%[%]%%{}-]", triplet)
  local stop = is_query and 0 or encoded:find "[?#]" or #encoded + 1
  return path.without_colons(encoded, stop):sub(#previous + 1)
end

-- The path as a template. The call gets the fields of its variables, and their names.
function path.template(doc, operation, made)
  if operation.path:sub(1, 1) ~= "/" then leave_out "its path does not begin with a slash" end
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

return path
