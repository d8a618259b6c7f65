-- SPDX-License-Identifier: MIT
-- The options of the functions of endpoint.clients. A check is a function(what, value), which
-- raises if the value of the option `what` is wrong.
local options = {}

local misuse = require "endpoint.clients.misuse"
local text = require "endpoint.text"
local check_type, fail = misuse.check_type, misuse.fail

local NONE = {}

-- "options.encode" for "encode", of all known options.
local full_names = {}

-- Returns the options, an empty table for nil. checks: name -> check, for each option that the
-- function takes.
function options.checked(given, checks)
  if given == nil then
    return NONE
  end
  check_type("options", given, "table")
  for name, value in next, given do
    local check = checks[name]
      or fail(
        "options: this function has no option %s%s",
        misuse.quoted(tostring(name)),
        text.nearest(tostring(name), checks)
      )
    full_names[name] = full_names[name] or "options." .. name
    check(full_names[name], value)
  end
  return given
end

function options.check_function(what, value)
  check_type(what, value, "function")
end

function options.check_boolean(what, value)
  check_type(what, value, "boolean")
end

-- The check of the option `nested`.
function options.check_nested(what, value)
  if value ~= "brackets" and value ~= "indices" then
    local got = type(value) == "string" and misuse.quoted(value) or "a " .. type(value)
    fail('%s: expected "brackets" or "indices", got %s', what, got)
  end
end

-- The checks of a client: those of its own options, to which those of all bodies are added.
function options.of_client(checks)
  checks.encode, checks.nested = options.check_function, options.check_nested
  return checks
end

return options
