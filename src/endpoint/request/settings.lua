-- SPDX-License-Identifier: MIT
-- Settings: their types, what holds if they are not given, and those of a call over those of its sender.
local settings = {}

local failures = require "endpoint.request.failures"
local fail = failures.fail

-- A table with the fields of both; those of `more` win.
function settings.with(base, more)
  local all = {}
  for name, value in pairs(base) do
    all[name] = value
  end
  for name, value in pairs(more or {}) do
    all[name] = value
  end
  return all
end
local with = settings.with

local OF_CALL = {
  timeout = "number",
  connect_timeout = "number",
  idle_timeout = "number",
  tries = "number",
  retry_on = "table",
  redirects = "number",
  max_size = "number",
  around = "function",
  log = "function",
  sink = "function",
  encode = "function",
  decode = "function",
  nested = "string",
}
local OF_NEW = with(
  OF_CALL,
  {
    client = "string or function",
    cafile = "string",
    certificate = "string",
    key = "string",
    proxy = "string",
    sleep = "function",
    wait = "function",
    check = "function",
  }
)
local OF_EACH = { page = "function", max = "number" }

local FILES = { "cafile", "certificate", "key" }
local LEAST = {
  timeout = 0.001,
  connect_timeout = 0.001,
  idle_timeout = 0.001,
  tries = 1,
  redirects = 0,
  max_size = 1,
}
local DEFAULTS = { timeout = 60, connect_timeout = 10, tries = 3, redirects = 0, max_size = 2 ^ 26 }

local function check_number(name, value, least)
  local is_right = value >= least and (value < math.huge or name:find "timeout")
  if not is_right then
    fail("%s: expected a number of at least %s", name, tostring(least))
  end
end

local function check(given, what, types)
  if type(given) ~= "table" then
    fail("%s: expected a table, got a %s", what, type(given))
  end
  for name, value in pairs(given) do
    local expected = types[name]
    if not expected then
      fail("%s: there is no setting %s", what, failures.shown(tostring(name)))
    elseif not expected:find(type(value), 1, true) then
      fail("%s: expected a %s, got a %s", name, expected, type(value))
    elseif LEAST[name] then
      check_number(name, value, LEAST[name])
    end
  end
  for _, status in pairs(given.retry_on or {}) do
    if type(status) ~= "number" then
      fail("retry_on: expected a list of statuses, got a %s in it", type(status))
    end
  end
end

-- All settings of a sender.
function settings.of_sender(given)
  check(given, "settings", OF_NEW)
  for _, name in ipairs(FILES) do
    local file, problem = true, nil
    if given[name] then
      file, problem = io.open(given[name])
    end
    if not file then
      fail("%s: %s", name, tostring(problem))
    end -- it has the path
    if given[name] then
      file:close()
    end
  end
  if given.key and not given.certificate then
    fail "key: expected the setting certificate beside it"
  end
  return with(DEFAULTS, given)
end

-- All settings of a call. base: the option `request` of the defaults, or nil; own: that of the call, which is the
-- default's if it has none, and nil if it was taken back.
function settings.of_call(all, base, own)
  if own == nil then
    return all
  end
  check(own, "request", OF_CALL)
  if base == nil or base == own then
    return with(all, own)
  end
  check(base, "request", OF_CALL)
  return with(with(all, base), own)
end

function settings.of_each(given)
  check(given, "each", OF_EACH)
  return given
end

return settings
