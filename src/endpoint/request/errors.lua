-- SPDX-License-Identifier: MIT
-- Errors of endpoint.request: where the user's line is, and what must not be shown.
local errors = {}

-- The files of this module, to which the user's line does not belong.
local OWN = debug.getinfo(1, "S").source:gsub("[/\\]errors%.lua$", "")

-- The position of the innermost line that is not one of this module, "file:7: "; "" if Lua knows none.
function errors.position()
  local level = 2
  while true do
    local frame = debug.getinfo(level, "Sl")
    if not frame then return "" end
    if frame.currentline > 0 and frame.source:sub(1, #OWN) ~= OWN then
      return frame.short_src .. ":" .. frame.currentline .. ": "
    end
    level = level + 1
  end
end

-- Raises a text: a mistake in the program.
function errors.fail(text, ...)
  error(errors.position() .. "endpoint.request: " .. text:format(...), 0)
end

-- Calls a function of endpoint or endpoint.clients. Called by pcall itself, it raises without a position.
function errors.call(f, ...)
  local ok, first, second = pcall(f, ...)
  if not ok then error(errors.position() .. tostring(first), 0) end
  return first, second
end

function errors.need(name, package)
  local found, module = pcall(require, name)
  if found then return module end
  return errors.fail("expected the module %s (%s), or another client in the settings: %s", name, package,
    tostring(module):match "^[^\n]*")
end

-- The text as errors and logs show it: without control characters, at most 200 bytes.
function errors.shown(text)
  text = text:gsub("\194[\128-\159]", "?"):gsub("%c", function(byte) return ("\\x%02x"):format(byte:byte()) end)
  if #text > 200 then text = text:sub(1, 197):gsub("[\192-\255][\128-\191]*$", "") .. "..." end
  return text
end

-- --- what a request holds ---------------------------------------------------------

-- A server may repeat a request in its reason. Shorter texts are no secrets but words.
local SHORTEST = 4

local function add_words(found, value)
  if type(value) == "table" then
    for _, element in next, value do add_words(found, element) end
  elseif type(value) == "string" then
    found[#found + 1] = value
    for word in value:gmatch "[^%s,;:=&?/\"]+" do
      found[#found + 1] = word
      found[#found + 1] = word:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
    end
  end
end

-- The texts of a request that no error may repeat, the longest first.
local function secrets_of(r)
  local found = {}
  for name, value in pairs(r.headers) do
    if not (name:find "^accept" or name == "content-type" or name == "user-agent") then add_words(found, value) end
  end
  add_words(found, r.url:match "//([^/]*)@")
  add_words(found, ((r.url:match "%?(.*)" or ""):gsub("([?&])[^&=]*=", "%1"):gsub("^[^&=]*=", "")))
  add_words(found, r.body)
  table.sort(found, function(a, b) return #a > #b end)
  return found
end

local function without(text, secret)
  local parts, at = {}, 1
  while true do
    local first, last = text:find(secret, at, true)
    if not first then break end
    parts[#parts + 1] = text:sub(at, first - 1) .. "***"
    at = last + 1
  end
  return table.concat(parts) .. text:sub(at)
end

-- A text of the server, as errors show it. Nothing of a very long one: it is compared with all of the request.
function errors.told(text, r)
  if #text > 65536 then return "..." end
  for _, secret in ipairs(secrets_of(r)) do
    if #secret >= SHORTEST then text = without(text, secret) end
  end
  return errors.shown(text)
end

return errors
