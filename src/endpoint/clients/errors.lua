-- Errors of endpoint.clients: a text that begins with its name, and the checks of options.
local errors = {}

local PREFIX = "endpoint.clients: "

-- Raises a text without a position: `public` adds that of the user's line.
function errors.fail(text, ...)
  error(PREFIX .. text:format(...), 0)
end
local fail = errors.fail

-- Returns what pcall has returned. An error of this module gets the position of the line
-- that called the function; any other error, such as one of a client library's, is passed
-- on as it is.
local function check(ok, ...)
  if ok then return ok, ... end
  local problem = ...
  local is_own = type(problem) == "string" and problem:sub(1, #PREFIX) == PREFIX
  error(problem, is_own and 3 or 0)
end

-- The function as users call it.
function errors.public(f)
  return function(...)
    return select(2, check(pcall(f, ...)))
  end
end

function errors.check_type(what, value, expected)
  if type(value) ~= expected then fail("%s: expected a %s, got a %s", what, expected, type(value)) end
end

-- Returns the options, an empty table for nil. known: name -> check(what, value), which
-- raises, for each option that the function takes.
function errors.check_options(options, known)
  if options == nil then return {} end
  errors.check_type("options", options, "table")
  for name, value in pairs(options) do
    if not known[name] then fail("options: this function has no option %s", errors.shown(tostring(name))) end
    known[name]("options." .. name, value)
  end
  return options
end

-- Checks for options.
function errors.is_function(what, value) errors.check_type(what, value, "function") end
function errors.is_boolean(what, value) errors.check_type(what, value, "boolean") end

-- A name as errors quote it: ASCII without control characters, at most 40 bytes.
function errors.shown(name)
  return '"' .. name:gsub("[^\32-\126]", "?"):sub(1, 40) .. '"'
end

return errors
