-- SPDX-License-Identifier: MIT
-- The path of an operation as a URI template: OpenAPI 3.1, "Path Templating". Each {name} in it
-- becomes an expression, as its Parameter Object says ("Style Values").
local path = {}

local left_out = require "endpoint.types.signature.left_out"
local option_field = require "endpoint.types.signature.option_field"
local schema = require "endpoint.types.schema"

-- --- literal text -------------------------------------------------------------------

local function triplet(byte)
  return ("%%%02X"):format(byte:byte())
end

-- Text in which each colon before `stop` that would begin a variable of the module, as in
-- /users/:id, is encoded.
function path.without_colons(text, stop)
  return (
    text:gsub("():%f[%a_]", function(at)
      local begins = at < stop and not text:sub(at - 1, at - 1):find "[%w_}]"
      return begins and "%3A" or nil
    end)
  )
end

-- The text between two expressions. previous: the character before it. After a "?" a colon begins
-- no variable.
local function literal_of(text, previous, is_query)
  local encoded = previous .. text:gsub("[^A-Za-z0-9._~!$&'()*+,;=:@/?#%[%]%%{}-]", triplet)
  if not is_query then
    encoded = path.without_colons(encoded, encoded:find "[?#]" or #encoded)
  end
  return encoded:sub(#previous + 1)
end

-- --- expressions --------------------------------------------------------------------

-- OpenAPI 3.1, "Style Values": each style of a path as an operator of RFC 6570; "simple" has none.
local OPERATORS = { label = ".", matrix = ";" }

local function expression_of(parameter, name, kind)
  local operator = OPERATORS[parameter.style] or (parameter.allow_reserved and "+" or "")
  return "{" .. operator .. name .. (parameter.explode and kind ~= "scalar" and "*" or "") .. "}"
end

local function check_name(name, written)
  if option_field.is_variable(name) then
    return
  end
  if option_field.is_option(name) then
    left_out.raise("{%s} in its path has the name of an option", written)
  end
  left_out.raise("{%s} in its path is not a variable of RFC 6570", written)
end

local function parameter_named(operation, place, name)
  return operation.parameters[operation.parameters[place .. " " .. name]]
end

-- The Parameter Object of what is written between { and }. Some documents write {+name}. In a query
-- that is written in the path, as in /search?q={q}, it may be one of the query.
local function parameter_of(operation, written, name, is_query)
  return parameter_named(operation, "path", written)
    or parameter_named(operation, "path", name)
    or is_query and parameter_named(operation, "query", name)
end

-- The kinds without the empty string: no segment may be empty.
local function without_empty(kinds)
  local kept = {}
  for _, kind in ipairs(kinds) do
    if kind.text ~= '""' then
      kept[#kept + 1] = kind
    end
  end
  return kept
end

-- The expression for what is written between { and } in the path. The signature gets a field of
-- that name, and knows the parameter. A name without a Parameter Object is a string.
local function add_variable(doc, operation, signature, written, is_query)
  local operator, name = written:match "^([+./;]?)(.*)$"
  check_name(name, written)
  local parameter = parameter_of(operation, written, name, is_query)
    or { name = name, required = true, node = schema.of(doc, { type = "string" }) }
  signature.in_path[parameter] = true
  local field, kind = option_field.of_parameter(doc, parameter)
  field.name, field.kinds = name, without_empty(field.kinds)
  signature.fields[#signature.fields + 1], signature.variables[name] = field, true
  return operator ~= "" and "{" .. written .. "}" or expression_of(parameter, name, kind)
end

-- --- the template -------------------------------------------------------------------

-- Adds the fields of the path's variables to a signature, and their names. Returns the template.
function path.add(doc, operation, signature)
  if operation.path:sub(1, 1) ~= "/" then
    left_out.raise "its path does not begin with a slash"
  end
  local parts, position, previous, is_query = {}, 1, "", false
  for from, written, after in operation.path:gmatch "(){([^{}]*)}()" do
    local literal = operation.path:sub(position, from - 1)
    parts[#parts + 1] = literal_of(literal, previous, is_query)
    position, previous, is_query = after, "}", is_query or literal:find "[?#]" ~= nil
    parts[#parts + 1] = add_variable(doc, operation, signature, written, is_query)
  end
  parts[#parts + 1] = literal_of(operation.path:sub(position), previous, is_query)
  return table.concat(parts)
end

return path
