-- Helpers that several spec files share.
local endpoint = require "endpoint"
local support = {}

support.BASE = "https://api.service.example" -- the built-in baseUrl

local unpack = unpack or table.unpack -- luacheck: ignore 143 113
support.unpack = unpack

-- --- messages

-- Calls f from a line of this file: a tail call would leave no line to report.
local function call(f, ...)
  local results = { f(...) }
  return unpack(results)
end

local function is_lua_function(f)
  return type(f) == "function" and debug.getinfo(f, "S").what ~= "C"
end

-- Raises at this level: which words an error should have had, if they are known, and what the
-- function returned instead.
local function fail_without_error(level, words, got)
  local expected = words and "an error with " .. support.shown(words) or "an error"
  local has_text, text = pcall(support.shown, got) -- a table may hold itself
  text = has_text and text or tostring(got)
  error(("expected %s, got the result %s"):format(expected, text), level + 1)
end

-- The message of f(...), which must raise, without the position of the caller's line, which a
-- message from a function of the module must have. words: those that it should have, if known.
local function raised_by(words, f, ...)
  local ok, raised = pcall(call, f, ...)
  if ok then
    fail_without_error(3, words, raised)
  end
  local message, positions = tostring(raised):gsub("^[^\n]-:%d+: endpoint:", "endpoint:")
  if positions == 0 and message:sub(1, 10) == "endpoint: " and not is_lua_function(f) then
    error("expected the position of the caller's line before: " .. message, 3)
  end
  return message
end

-- Runs f(...), which must raise. Returns the message without the position of the
-- caller's line, which a message from a function of the module must have.
function support.message_of(f, ...)
  local message = raised_by(nil, f, ...)
  return message
end

-- Raises in the spec if a word is not in the message.
local function check_words(words, message)
  for _, word in ipairs(type(words) == "table" and words or { words }) do
    if not message:find(word, 1, true) then
      error(("expected %q in: %s"):format(word, message), 3)
    end
  end
end

-- Asserts that f(...) raises a message of this module that holds each of the words.
function support.raises(words, f, ...)
  local message = raised_by(words, f, ...)
  if message:sub(1, 10) ~= "endpoint: " then
    error("not a message of endpoint: " .. message, 2)
  end
  check_words(words, message)
end

-- Asserts that f(...) raises a message of endpoint.clients that has the line of `call`
-- above and holds each of the words.
function support.client_raises(words, f, ...)
  local ok, raised = pcall(call, f, ...)
  if ok then
    fail_without_error(2, words, raised)
  end
  local message = tostring(raised):match("^[^\n]-spec/[%w_/]+%.lua:%d+: (endpoint%.clients: .*)$")
  if not message then
    error("not a message of endpoint.clients, or without a line: " .. tostring(raised), 2)
  end
  check_words(words, message)
end

-- Assertions for long loops: luassert takes longer than a call of the module.
function support.equal(expected, got, message)
  if expected == got then
    return
  end
  error(
    ("%sexpected %s, got %s"):format(
      message and message .. ": " or "",
      tostring(expected),
      tostring(got)
    ),
    2
  )
end

function support.holds(value, message)
  if not value then
    error(message or "expected a true value", 2)
  end
end

-- --- files and tables

function support.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

-- What a file has; nil if it is not there.
function support.read_if_there(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text
end

-- The command that lists at least the files of a pattern under Windows: all files of that name
-- below the directory in which the first whole `*` stands.
local function windows_listing(pattern)
  local above, name = pattern:match "^([^*]+)/%*/.-([^/]+)$"
  local set = above and ("/r %s %%f in (%s)"):format((above:gsub("/", "\\")), name)
    or "%f in (" .. pattern:gsub("/", "\\") .. ")"
  return "for " .. set .. " do @echo %f"
end

-- The path of a listing if it fits the pattern; Windows may write what is above it, too.
local function fitting(path, pattern)
  local expression = pattern:gsub("[%-.]", "%%%0"):gsub("%*", "[^/]*")
  return path:gsub("\r", ""):gsub("\\", "/"):match(expression .. "$")
end

-- The sorted files of each pattern, such as "src/*.c", in which a whole directory may be `*`. An
-- error where a pattern finds none: what goes through files must not pass without any.
function support.files(...)
  local is_windows, paths = package.config:sub(1, 1) == "\\", {}
  for _, pattern in ipairs { ... } do
    local command = is_windows and windows_listing(pattern) or "ls " .. pattern
    local listing, before = assert(io.popen(command)), #paths
    for path in listing:lines() do
      paths[#paths + 1] = fitting(path, pattern)
    end
    listing:close()
    if #paths == before then
      error("no file " .. pattern, 2)
    end
  end
  table.sort(paths)
  return paths
end

function support.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- A deep copy, whose fields are set in the order of pairs, or in the reverse order.
function support.copied(value, is_reversed)
  if type(value) ~= "table" then
    return value
  end
  local keys, copy = {}, {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  for i = 1, #keys do
    local key = keys[is_reversed and #keys + 1 - i or i]
    copy[key] = support.copied(value[key], is_reversed)
  end
  return copy
end

-- The keys in order, numbers before strings.
function support.keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then
      return type(a) < type(b)
    end
    return a < b
  end)
  return keys
end

-- The sorted names of the options.
function support.option_names()
  local names, list = {}, support.read("src/core/route.h"):match "#define EP_OPTIONS(.-)\n/%*"
  for name in list:gmatch('"(%w+)"') do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- --- values

-- A table that holds itself.
function support.cyclic()
  local t = {}
  t.cycle = t
  return t
end

-- `depth` tables, each the only element of the one around it; the innermost holds `inner`.
function support.nested(depth, inner)
  local value = inner
  for _ = 1, depth do
    value = { value }
  end
  return value
end

-- Runs f, which fills Lua's stack. Each cycle of the collector walks through all of the stack, so
-- one that never rests would take hours.
function support.with_resting_collector(f)
  collectgarbage "stop"
  local ok, message = pcall(f)
  collectgarbage "restart"
  if not ok then
    error(message, 0)
  end
end

-- A light userdata that is not null; a full one where the Lua cannot make it.
function support.light_userdata()
  return debug.upvalueid and debug.upvalueid(function()
    return support
  end, 1) or io.stdout
end

local function shown_text(text)
  if #text > 80 then
    return shown_text(text:sub(1, 80)) .. "..."
  end
  return '"'
    .. text:gsub("[^\32-\126]", function(char)
      return ("\\%d"):format(char:byte())
    end)
    .. '"'
end

-- A value as Lua code for titles, long texts cut.
function support.shown(value)
  if value == endpoint.null then
    return "null"
  end
  if type(value) == "string" then
    return shown_text(value)
  end
  if type(value) == "number" then
    return ("%.17g"):format(value)
  end
  if type(value) ~= "table" then
    return tostring(value)
  end
  local fields = {}
  for i, element in ipairs(value) do
    fields[i] = support.shown(element)
  end
  for _, key in ipairs(#value == 0 and support.keys(value) or {}) do
    local name = type(key) == "string" and key:find "^[%a_][%w_]*$" and key
      or ("[%s]"):format(type(key) == "string" and shown_text(key) or tostring(key))
    fields[#fields + 1] = name .. " = " .. support.shown(value[key])
  end
  return fields[1] and "{ " .. table.concat(fields, ", ") .. " }" or "{}"
end

-- --- large texts

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

-- How many lines of a difference are shown, and how many before it.
local MOST_SHOWN, BEFORE = 6, 2

-- The first lines that differ, each with its number and a sign: "-" before what was expected, "+"
-- before what came.
local function difference(expected, actual)
  local wanted, got, at = lines_of(expected), lines_of(actual), 1
  while wanted[at] == got[at] and wanted[at] do
    at = at + 1
  end
  local shown = {}
  local function show(sign, lines, first, last)
    for number = first, math.min(last, #lines) do
      shown[#shown + 1] = ("%s %d: %s"):format(sign, number, lines[number])
    end
  end
  -- Lines at the end that are equal again are not a part of the difference.
  local same = 0
  while #wanted - same >= at and #got - same >= at and wanted[#wanted - same] == got[#got - same] do
    same = same + 1
  end
  show(" ", wanted, math.max(1, at - BEFORE), at - 1)
  show("-", wanted, at, math.min(#wanted - same, at + MOST_SHOWN - 1))
  show("+", got, at, math.min(#got - same, at + MOST_SHOWN - 1))
  return table.concat(shown, "\n")
end

-- Raises if two large texts differ, and shows the first lines that do. name: what the texts are, or
-- nil.
function support.same_text(expected, actual, name)
  if expected ~= actual then
    local title = (name or "the text") .. " differs (- expected, + got):\n"
    error(title .. difference(expected, actual), 2)
  end
end

-- A generator of integers from 1 to its argument, the same on every Lua (Park and Miller).
function support.random(seed)
  return function(n)
    seed = seed * 16807 % 2147483647
    return seed % n + 1
  end
end

-- --- calls

-- An endpoint whose results show only what a case gives.
support.bare = endpoint.defaults {
  baseUrl = "https://h",
  headers = { accept = endpoint.null, ["user-agent"] = endpoint.null },
}

-- Locales with a decimal comma, and with a dotless i.
support.COMMA_LOCALES = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" }
support.DOTLESS_LOCALES = { "tr_TR.UTF-8", "tr_TR.utf8", "tr_TR.ISO-8859-9", "tr_TR" }

-- Runs f under the first of the locales that is installed. Returns whether there is one; raises
-- what f does.
function support.under_locale(names, f)
  local before, ok, message = os.setlocale(), nil, nil
  for _, name in ipairs(names) do
    if ok == nil and os.setlocale(name) then
      ok, message = pcall(f)
    end
  end
  os.setlocale(before)
  if ok == false then
    error(message, 0)
  end
  return ok ~= nil
end

return support
