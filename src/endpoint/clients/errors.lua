-- SPDX-License-Identifier: MIT
-- Errors of endpoint.clients: a text that begins with its name, and the checks of options.
local errors = {}

local text = require "endpoint.text"

-- The functions that users call, as a set.
errors.public = {}

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo or function() end

-- Raises a text with the position of the line that called a public function, where Lua knows one.
local function raise(problem)
  local level, frame = 2, getinfo(2, "f")
  while frame and not errors.public[frame.func] do
    level, frame = level + 1, getinfo(level + 1, "f")
  end
  error("endpoint.clients: " .. problem, frame and level + 1 or 0)
end

function errors.fail(problem, ...)
  raise(problem:format(...))
end
local fail = errors.fail

-- Raises what a function of `endpoint` raised as an error of ours. Another error, such as that of
-- failing memory, stays as it is.
function errors.raise(problem)
  local message = type(problem) == "string" and problem:match "^endpoint: (.*)$"
  if message then
    raise(message)
  end
  error(problem, 0)
end

function errors.check_type(what, value, expected)
  if type(value) ~= expected then
    fail("%s: expected a %s, got a %s", what, expected, type(value))
  end
end

local NONE = {}

-- "options.encode" for "encode", of all known options.
local full_names = {}

-- Returns the options, an empty table for nil. known: name -> check(what, value), which
-- raises, for each option that the function takes.
function errors.check_options(options, known)
  if options == nil then
    return NONE
  end
  errors.check_type("options", options, "table")
  for name, value in next, options do
    local check = known[name]
      or fail("options: this function has no option %s", errors.shown(tostring(name)))
    full_names[name] = full_names[name] or "options." .. name
    check(full_names[name], value)
  end
  return options
end

-- Checks for options.
function errors.is_function(what, value)
  errors.check_type(what, value, "function")
end
function errors.is_boolean(what, value)
  errors.check_type(what, value, "boolean")
end

-- The check for the option `nested`.
function errors.is_nested(what, value)
  if value ~= "brackets" and value ~= "indices" then
    fail('%s: expected "brackets" or "indices"', what)
  end
end

-- The checks of a client's options: its own, and those of all bodies, which are added.
function errors.body_options(checks)
  checks.encode, checks.nested = errors.is_function, errors.is_nested
  return checks
end

-- The most bytes of a name that an error shows.
local LONGEST_NAME = 40

-- A name as errors quote it.
function errors.shown(name)
  return text.shown(name, LONGEST_NAME, "quoted")
end

return errors
