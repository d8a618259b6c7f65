-- From an OpenAPI document to a Lua module for its API, and definitions that tell an editor
-- the API's routes and parameters. docs/openapi.md says what comes out.
local types = {}

local call = require "endpoint.types.call"
local definitions = require "endpoint.types.definitions"
local document = require "endpoint.types.document"
local endpoint = require "endpoint"
local schema = require "endpoint.types.schema"

-- How each file of definitions begins.
types.MARK = definitions.MARK

local MODULE = [=[
-- %s
-- Written by endpoint-types. Not to be changed by hand.
local endpoint = require "endpoint"

local made = endpoint.defaults {%s}

return made --[[@as %s.Api]]
]=]

local function defaults_of(base, accept)
  local parts = {}
  if base then parts[1] = "baseUrl = " .. schema.literal(base) end
  if accept then parts[#parts + 1] = "headers = { accept = " .. schema.literal(accept) .. " }" end
  return #parts > 0 and " " .. table.concat(parts, ", ") .. " " or ""
end

-- The calls of all operations. left_out: gets an operation and a reason for each that has none.
local function calls_of(root, read, base, left_out)
  local calls = {}
  for _, operation in ipairs(read.operations) do
    local made, reason = call.of(root, base or "/", operation)
    calls[#calls + 1] = made
    if not made then
      local route = operation.method .. " " .. operation.path
      left_out[#left_out + 1] = { operation = document.printable(route), reason = document.printable(reason) }
    end
  end
  return calls
end

local function files_of(read, base, calls, name)
  local files = {}
  for number, text in ipairs(definitions.texts(calls, name)) do
    files[number] = { name = ("%s-types-%d.lua"):format(name, number), text = text }
  end
  local title = definitions.line_of(read.title or name)
  files[#files + 1] = { name = name .. ".lua", text = MODULE:format(title, defaults_of(base, read.accept), name) }
  return files
end

-- A module of such a name would stand before another, or never be loaded.
local IS_TAKEN = { endpoint = true, cjson = true, _G = true, bit = true, bit32 = true, coroutine = true, debug = true,
  ffi = true, io = true, jit = true, math = true, os = true, package = true, string = true, table = true, utf8 = true }

local function check_name(name)
  local shown = type(name) == "string" and document.shown(name) or "a " .. type(name)
  if type(name) ~= "string" or not name:find "^[A-Za-z_][A-Za-z0-9_]*$" or IS_TAKEN[name] then
    document.fail("name: expected letters, digits and _, and no name of another module, got %s", shown)
  end
end

-- Makes the files of a module called `name` for a decoded document: `files` (a list of `name`
-- and `text`, the module itself last), `operations` (how many the document has), `left_out`
-- (a list of `operation` and `reason`), and `base`, nil if the document's first server is no
-- baseUrl. Raises a text without a position if the document is none.
function types.generate(root, name)
  check_name(name)
  local read = document.read(root)
  local base = read.base and pcall(endpoint.parse, { url = "/x", baseUrl = read.base }) and read.base or nil
  local left_out = {}
  local calls = calls_of(root, read, base, left_out)
  return { files = files_of(read, base, calls, name), operations = #read.operations, left_out = left_out, base = base }
end

return types
