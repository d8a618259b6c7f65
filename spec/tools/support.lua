-- What several specs need.
local support = {}

-- The route's URL, without the base address.
support.BASE = "https://api.service.example"

local unpack = unpack or table.unpack -- luacheck: ignore 143 113

-- A caller that has a line, which a tail call would hide.
local function call(f, ...)
  local results = { f(...) }
  return unpack(results)
end
support.call = call

local function is_lua_function(f)
  return type(f) == "function" and debug.getinfo(f, "S").what ~= "C"
end

-- Runs f(...), which must raise; returns the message without the position, which
-- it has if f is the module's own.
function support.message_of(f, ...)
  local ok, raised = pcall(call, f, ...)
  if ok then error("expected an error, got a result", 2) end
  local message, positions = tostring(raised):gsub("^[^\n]-:%d+: endpoint:", "endpoint:")
  if positions == 0 and message:sub(1, 10) == "endpoint: " and not is_lua_function(f) then
    error("expected the position of the caller's line before: " .. message, 2)
  end
  return message
end

-- Asserts that f(...) raises a message of this module that holds all the words.
function support.raises(words, f, ...)
  local message = support.message_of(f, ...)
  if message:sub(1, 10) ~= "endpoint: " then error("not a message of endpoint: " .. message, 2) end
  for _, word in ipairs(type(words) == "table" and words or { words }) do
    if not message:find(word, 1, true) then
      error(("expected %q in the message, got: %s"):format(word, message), 2)
    end
  end
end

-- Asserts that f(...) raises a message of endpoint.clients that has the line of call
-- above and holds all the words.
function support.client_raises(words, f, ...)
  local ok, raised = pcall(call, f, ...)
  if ok then error("expected an error, got a result", 2) end
  local message = tostring(raised):match("^[^\n]-spec/[%w_/]+%.lua:%d+: (endpoint%.clients: .*)$")
  if not message then error("not a message of endpoint.clients, or without a line: " .. tostring(raised), 2) end
  for _, word in ipairs(type(words) == "table" and words or { words }) do
    if not message:find(word, 1, true) then error(("expected %q in: %s"):format(word, message), 2) end
  end
end

-- The bytes of a file.
function support.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

-- The sorted files of each pattern, such as "src/*.c", whose last part alone may hold a `*`. An
-- error where a pattern finds none: what goes through files must not pass without any.
function support.files(...)
  local windows = package.config:sub(1, 1) == "\\"
  local paths = {}
  for _, pattern in ipairs { ... } do
    local command = windows and "for %f in (" .. pattern:gsub("/", "\\") .. ") do @echo %f" or "ls " .. pattern
    local listing, before = assert(io.popen(command)), #paths
    for path in listing:lines() do paths[#paths + 1] = path:gsub("\r", ""):gsub("\\", "/") end
    listing:close()
    if #paths == before then error("no file " .. pattern, 2) end
  end
  table.sort(paths)
  return paths
end

function support.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

function support.keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

return support
