-- SPDX-License-Identifier: MIT
-- Tables that strangers wrote, such as a server's cursor or a model's arguments, as parameters
-- of a call: none of their keys may reach an option, a default or a path that the program set.
local parameters = {}

local protected = require "endpoint.protected"
local quoted = require "endpoint.clients.misuse".quoted
local result = require "endpoint.result"

-- The defaults of an endpoint; nil for any other value.
function parameters.defaults_of(value)
  if type(value) ~= "userdata" then
    return nil
  end
  local ok, defaults = protected.call(function()
    return value.DEFAULTS
  end)
  return ok and type(defaults) == "table" and defaults or nil
end

-- In an expression with one of these operators a variable is a part of the path. One without an
-- operator or with "+" is, too, where it is required: after a literal "?" or "#" it is not.
local IS_OF_PATH = { ["."] = true, ["/"] = true, [";"] = true }

-- The names of the variables of a route's path that a call sets, as a set.
-- api: the endpoint of the call; options: the call's own, or nil.
local function fixed_in_path(api, route, options)
  local fixed = {}
  local ok, variables = protected.call(api.variables, route)
  for _, variable in ipairs(ok and variables or {}) do
    local is_of_path = variable.required or IS_OF_PATH[variable.operator]
    if is_of_path and options and rawget(options, variable.name) ~= nil then
      fixed[variable.name] = true
    end
  end
  return fixed
end

local function reason_against(name, defaults, fixed)
  if type(name) ~= "string" then
    return "expected names of parameters, got a " .. type(name) .. " as a key"
  elseif result.is_option(name) then
    return quoted(name) .. " is an option, not a parameter"
  elseif rawget(defaults, name) ~= nil then
    return quoted(name) .. " is a default of the endpoint"
  elseif fixed[name] then
    return quoted(name) .. " is a variable of the path, which the call has set"
  end
end

-- Why a stranger's table cannot be laid over a call as its parameters; nil if it can. Never
-- raises, takes linear time, and calls no metamethod. The reason is one of those that there are.
-- api: the endpoint of the call. route, a string or a table with `url`, and options: the call
-- over which the table is laid; without them no variable of the path is refused.
function parameters.refusal(given, api, route, options)
  if type(given) ~= "table" then
    return "expected an object of parameters, got a " .. type(given)
  end
  local defaults = api.DEFAULTS
  local fixed = route and fixed_in_path(api, route, options) or {}
  for name in next, given do
    local reason = reason_against(name, defaults, fixed)
    if reason then
      return reason
    end
  end
end

return parameters
