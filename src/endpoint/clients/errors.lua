-- Errors of endpoint.clients: the position is that of the caller's line.
local errors = {}

-- The sources whose lines are no caller's.
local sources = { [debug.getinfo(1, "S").source] = true }

-- Each file of endpoint.clients says once that its lines are no caller's.
function errors.register()
  sources[debug.getinfo(2, "S").source] = true
end

-- Raises the text at the line that called endpoint.clients. Lua 5.1 has a level
-- of its own for a tail call, which has no line.
function errors.fail(text, ...)
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info or not (sources[info.source] or info.what == "tail") then break end
    level = level + 1
  end
  error("endpoint.clients: " .. text:format(...), level)
end
local fail = errors.fail

function errors.check_type(what, value, expected)
  if type(value) ~= expected then fail("%s: expected a %s, got a %s", what, expected, type(value)) end
end

-- known: the options that a function takes, each with its check(what, value).
function errors.check_options(options, known)
  if options == nil then return {} end
  errors.check_type("options", options, "table")
  for name, value in pairs(options) do
    if not known[name] then fail("options: no option is called %s", errors.shown(tostring(name))) end
    known[name]("options." .. name, value)
  end
  return options
end

-- Checks of options.
function errors.is_function(what, value) errors.check_type(what, value, "function") end
function errors.is_boolean(what, value) errors.check_type(what, value, "boolean") end

-- A name from a body as an error shows it: printable, and not endless.
function errors.shown(name)
  return '"' .. name:gsub("[^\32-\126]", "?"):sub(1, 40) .. '"'
end

return errors
