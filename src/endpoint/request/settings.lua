-- SPDX-License-Identifier: MIT
-- Settings: their types, what holds if they are not given, and those of a call over those of its
-- sender.
local settings = {}

local misuse = require "endpoint.request.failures".misuse
local result = require "endpoint.result"
local text = require "endpoint.text"

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

-- The settings that a call may have, those of a sender, and those of send.each: by their names, the
-- types of Lua that a value may have.
settings.CALL_TYPES = {
  timeout = "number",
  connect_timeout = "number",
  idle_timeout = "number",
  try_timeout = "number",
  tries = "number",
  may_repeat = "boolean",
  reuse_within = "number",
  retry_on = "table",
  redirects = "number",
  other_origins = "table or function",
  max_size = "number",
  around = "function",
  log = "function",
  sink = "function",
  encode = "function",
  decode = "function",
  nested = "string",
}
settings.SENDER_TYPES = with(settings.CALL_TYPES, {
  client = "string or function",
  cafile = "string",
  certificate = "string",
  key = "string",
  proxy = "string",
  socket_path = "string",
  sleep = "function",
  now = "function",
  wait = "function",
  check = "function",
  check_response = "function",
  wrong_response = "string",
})
settings.EACH_TYPES = { page = "function", max = "number" }
settings.CACHE_TYPES = {
  store = "table or userdata",
  max_size = "number",
  keeps = "number",
  now = "function",
}
settings.DOWNLOAD_TYPES = { progress = "function", sha256 = "string" }
settings.TOKEN_TYPES = {
  fetch = "function",
  store = "table or userdata",
  key = "string",
  before = "number",
  now = "function",
  header = "string",
  form = "string",
  fetch_timeout = "number",
}

local FILES = { "cafile", "certificate", "key" }
local LEAST = {
  timeout = 0.001,
  connect_timeout = 0.001,
  idle_timeout = 0.001,
  try_timeout = 0.001,
  tries = 1,
  reuse_within = 0,
  redirects = 0,
  max_size = 1,
  before = 0,
  fetch_timeout = 0.001,
  keeps = 1,
  max = 0,
}
local DEFAULTS = {
  timeout = 60,
  connect_timeout = 10,
  tries = 3,
  reuse_within = 4,
  redirects = 0,
  max_size = 2 ^ 26,
}

-- Where an option of the endpoint belongs that was given as a setting: %s is its name. By where it
-- was given: to request.new, or in the option `request`.
local OF_REQUESTS = {
  settings = "it goes into the endpoint, endpoint.defaults { %s = ... }",
  request = "%s is an option of the call, beside request",
}

-- Raises for a setting that does not exist. what: what has the settings. known: those that exist,
-- as the keys of a table.
function settings.refuse(what, name, known)
  name = tostring(name)
  local remedy = result.is_option(name) and OF_REQUESTS[what]
  if remedy then
    misuse("%s: there is no setting %s: " .. remedy, what, text.quoted(name), name)
  end
  misuse("%s: there is no setting %s%s", what, text.quoted(name), text.nearest(name, known))
end

-- A number in an error. Luas write NaN and infinity in several ways, and a locale may have a
-- decimal comma.
function settings.shown_number(value)
  if value ~= value then
    return "NaN"
  end
  return value == math.huge and "infinity" or text.pointed(tostring(value))
end

-- Only a time limit and the number of pages may be infinite.
local function check_number(name, value, least)
  local got = settings.shown_number(value)
  if value ~= value or value < least then
    misuse("%s: expected a number of at least %s, got %s", name, settings.shown_number(least), got)
  elseif value == math.huge and name ~= "max" and not name:find "timeout" then
    misuse("%s: expected a finite number, got %s", name, got)
  end
end

-- known: the settings that the list may have beside its elements.
local function check_statuses(name, list, known)
  for key, status in pairs(list) do
    if type(key) ~= "number" then
      settings.refuse(name, key, known)
    elseif type(status) ~= "number" then
      misuse("%s[%s]: expected a status, a number, got a %s", name, tostring(key), type(status))
    end
  end
end

-- A list of statuses, or `more`, a list that is added to the rules.
local function check_retry_on(given)
  local more = given.more
  if more ~= nil and type(more) ~= "table" then
    misuse("retry_on.more: expected a table, got a %s", type(more))
  end
  check_statuses("retry_on.more", more or {}, {})
  given = with(given)
  given.more = nil
  check_statuses("retry_on", given, { more = true })
end

-- Is it a host, or "*." and a host, perhaps with a port?
local function is_origin(entry)
  local host = type(entry) == "string" and entry:gsub("^%*%.", ""):gsub(":%d+$", "") or ""
  return host:find "^[%w-][%w.-]*$" ~= nil
end

-- A list of hosts, or a function.
local function check_other_origins(given)
  for key, entry in pairs(type(given) == "table" and given or {}) do
    if type(key) ~= "number" or not is_origin(entry) then
      misuse("other_origins: expected hosts such as files.example or *.files.example in a list")
    end
  end
end

-- what: what has these settings, for errors. types: those of each setting.
local function check(given, what, types)
  if type(given) ~= "table" then
    misuse("%s: expected a table, got a %s", what, type(given))
  end
  for name, value in pairs(given) do
    local expected = types[name]
    if not expected and types == settings.CALL_TYPES and settings.SENDER_TYPES[name] then
      misuse("%s: %s is a setting of request.new, not of a call", what, text.quoted(name))
    elseif not expected then
      settings.refuse(what, name, types)
    elseif not expected:find(type(value), 1, true) then
      misuse("%s: expected a %s, got a %s", name, expected, type(value))
    elseif LEAST[name] then
      check_number(name, value, LEAST[name])
    end
  end
  check_retry_on(given.retry_on or {})
  check_other_origins(given.other_origins)
end

-- Raises if a file cannot be read. A program may give what is in the file instead of its name, such
-- as a private key, which no error shows. The message of io.open has the path.
local function check_file(name, path)
  if path:find "[\r\n]" or path:find("-----BEGIN", 1, true) then
    misuse("%s: expected the name of a file, got what is in one", name)
  end
  local file, problem = io.open(path)
  if not file then
    misuse("%s: %s", name, text.shown(tostring(problem), nil, "escaped"))
  end
  file:close()
end

-- All settings of a sender.
function settings.of_sender(given)
  check(given, "settings", settings.SENDER_TYPES)
  for _, name in ipairs(FILES) do
    if given[name] then
      check_file(name, given[name])
    end
  end
  if given.socket_path and (given.socket_path == "" or given.socket_path:find("\0", 1, true)) then
    misuse "socket_path: expected the path of a socket, got another string"
  end
  if given.key and not given.certificate then
    misuse "key: needs the setting certificate, which is missing"
  end
  local wrong = given.wrong_response or "raise"
  if wrong ~= "raise" and wrong ~= "log" then
    misuse('wrong_response: expected "raise" or "log", got %s', text.quoted(wrong))
  end
  return with(DEFAULTS, given)
end

-- All settings of a call. base: the option `request` of the defaults, or nil; given: that of the
-- call, which is the default's if it has none, and nil if a null took it back.
function settings.of_call(of_sender, base, given)
  if given == nil then
    return of_sender
  end
  check(given, "request", settings.CALL_TYPES)
  if base == nil or base == given then
    return with(of_sender, given)
  end
  check(base, "request", settings.CALL_TYPES)
  return with(with(of_sender, base), given)
end

local function check_store(store, methods)
  for _, name in ipairs(methods) do
    if type(store[name]) ~= "function" then
      misuse("store: expected the method %s, got a %s", name, type(store[name]))
    end
  end
end

-- The settings of request.cache.
function settings.of_cache(given)
  check(given, "cache", settings.CACHE_TYPES)
  if given.store then
    check_store(given.store, { "get", "set" })
  end
  return given
end

-- The settings of request.token.
function settings.of_token(given)
  check(given, "token", settings.TOKEN_TYPES)
  local _, places = (given.form or "%s"):gsub("%%s", "")
  if not given.fetch then
    misuse "token: expected the setting fetch, which is missing"
  elseif given.store and (given.key or "") == "" then
    misuse "store: needs the setting key, which names the token in it"
  elseif places ~= 1 or given.form and given.form:find "[%z\r\n]" then
    misuse "form: expected a text with one %%s, where the token stands"
  elseif given.header and not given.header:find "^[%w!#$%%&'*+.^_`|~-]+$" then
    misuse "header: expected the name of a header"
  elseif given.fetch_timeout == math.huge then
    misuse "fetch_timeout: expected a finite number, got infinity"
  end
  if given.store then
    check_store(given.store, { "get", "set", "add", "delete" })
  end
  return with(given, { header = given.header and text.lower(given.header) })
end

-- There "file/." is the file, and no directory can be opened.
local IS_WINDOWS = package.config:sub(1, 1) == "\\"

local function is_directory(path)
  local file = not IS_WINDOWS and io.open(path .. "/.")
  return file and file:close()
end

-- The path of a download.
function settings.check_path(path)
  if type(path) ~= "string" or path == "" or path:find("\0", 1, true) then
    misuse(
      "download: expected the path of a file, got %s",
      type(path) == "string" and "another string" or "a " .. type(path)
    )
  elseif path:find "^/dev/[^/]+$" then -- the file would take the place of the device
    misuse "download: expected the path of a file, got that of a device"
  elseif is_directory(path) then -- known only at the end, after all bytes have come
    misuse "download: expected the path of a file, got that of a directory"
  end
end

function settings.of_download(given)
  check(given, "download", settings.DOWNLOAD_TYPES)
  if given.sha256 and not (#given.sha256 == 64 and not given.sha256:find "%X") then
    misuse "sha256: expected 64 hexadecimal digits"
  elseif given.sha256 then
    require("endpoint.request.downloads.digests").check()
  end
  return given
end

function settings.of_each(given)
  check(given, "each", settings.EACH_TYPES)
  return given
end

return settings
