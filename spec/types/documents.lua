-- Usage: lua documents.lua FILE...   makes a module of each OpenAPI document, and a call of each
-- operation with the parameters that it must have, and one with all. Each call must work and
-- have the path that the document says. Prints the counts, and why operations were left out.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local definitions = require "types.definitions"
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

local METHODS = { "get", "head", "post", "put", "patch", "delete", "options", "trace" }

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

-- The operations, each as method, path and the documents' tables, in the order of the routes.
local function operations_of(root)
  local paths, found = {}, {}
  for path in pairs(root.paths) do paths[#paths + 1] = path end
  table.sort(paths)
  for _, path in ipairs(paths) do
    for _, method in ipairs(METHODS) do
      local item = root.paths[path]
      local target = type(item) == "table" and type(item["$ref"]) == "string" and item["$ref"]:match "^#/paths/(.*)"
      if target then item = root.paths[decoded(target):gsub("~1", "/"):gsub("~0", "~")] end
      local raw = type(item) == "table" and item[method]
      if type(raw) == "table" then found[#found + 1] = { name = method:upper() .. " " .. path, path = path } end
    end
  end
  return found
end

-- The text that a value has in a path; a list or map has several, so any fits.
local function text_in_path(value)
  if type(value) == "table" then return nil end
  return type(value) == "number" and ("%.0f"):format(value) or tostring(value)
end

local function escaped(text) return (text:gsub("%p", "%%%0")) end

-- The path that the document says, as a pattern for the decoded path of a URL. A value may have
-- the prefix of the style label, or of an operator that the document itself has.
local function pattern_of(path, options)
  local parts, position = {}, 1
  path = path:match "^[^?#]*"
  for from, name, behind in path:gmatch "(){[+./]?([^{}]*)}()" do
    local text = text_in_path(options[name])
    parts[#parts + 1] = escaped(decoded(path:sub(position, from - 1)))
    parts[#parts + 1] = text and "[./]?" .. escaped(text) or ".+"
    position = behind
  end
  return table.concat(parts) .. escaped(decoded(path:sub(position))) .. "$"
end

local function check_call(api, operation, route, options)
  local made, r = pcall(api, route.route, options)
  if not made then error(operation.name .. ": " .. tostring(r), 0) end
  local path = decoded(r.url:match "^[^?#]*")
  -- An absolute route is that of an operation with a server of its own.
  local base = route.route:find "^%u+ /" and "^" .. escaped(decoded(api.DEFAULTS.baseUrl:match "^[^?]*")) or ""
  if not path:find(base .. pattern_of(operation.path, options)) then
    error(("%s: got %s, expected %s"):format(operation.name, path, operation.path), 0)
  end
end

local function check(root, totals)
  local made = types.generate(root, "api")
  local read, left_out = definitions.read(made.files), {}
  local api, number = definitions.load(made), 0
  for _, left in ipairs(made.left_out) do
    left_out[left.operation] = true
    totals.reasons[#totals.reasons + 1] = left.operation .. ": " .. left.reason
  end
  for _, operation in ipairs(operations_of(root)) do
    if not left_out[operation.name] then
      number = number + 1
      local route = assert(read.routes[number], operation.name)
      check_call(api, operation, route, definitions.options_of(read, route.class))
      check_call(api, operation, route, definitions.options_of(read, route.class, true))
    end
  end
  assert(number == #read.routes and number + #made.left_out == made.operations)
  totals.calls = totals.calls + 2 * number
  totals.operations = totals.operations + made.operations
  totals.no_base = totals.no_base + (made.base and 0 or 1)
end

local totals = { documents = 0, operations = 0, calls = 0, no_base = 0, failed = 0, reasons = {} }
for _, path in ipairs(arg) do
  local started = os.clock()
  local root = json.decode(support.read(path))
  local read = os.clock()
  local passed, problem = pcall(check, root, totals)
  totals.documents = totals.documents + 1
  if not passed then
    totals.failed = totals.failed + 1
    print(path .. ": " .. tostring(problem))
  end
  if os.getenv "VERBOSE" then print(("%s: %.2f s, %.2f s"):format(path, read - started, os.clock() - read)) end
end
for _, reason in ipairs(totals.reasons) do print("left out: " .. reason) end
print(("%d documents, %d failed; %d operations, %d left out; %d calls; %d without a usable server"):format(totals.documents,
  totals.failed, totals.operations, #totals.reasons, totals.calls, totals.no_base))
os.exit(totals.failed == 0 and totals.documents > 0 and 0 or 1)
