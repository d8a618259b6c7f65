-- Usage: lua documents.lua FILE...   makes a module of each OpenAPI document, and a call of each
-- operation with the parameters that it must have, and one with all. Each call must work and have
-- the path that the document says. Then, where `.ci/fetch validator` has brought its programs,
-- makes arguments of up to 20 tools of each at random, right and broken ones: what ajv says of
-- them, `call` must say, too; and what that sends, `check` must take. Prints the counts, and why
-- operations were left out.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local definitions = require "types.definitions"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"
local decoded = require "endpoint.text".decoded
local types = require "endpoint.types"

local load_text = loadstring or load
local TOOLS = 20

-- --- calls --------------------------------------------------------------------------

local function escaped(text)
  return (text:gsub("%p", "%%%0"))
end

-- The path that the document says, as a pattern for the decoded path of a URL. A value may have the
-- prefix of the style label, or of an operator that the document itself has; a list or map has
-- several texts, so any fits.
local function pattern_of(path, options)
  return escaped(decoded(path:match "^[^?#]*")):gsub("%%{(.-)%%}", function(name)
    local value = options[name:gsub("%%", ""):match "^[+./]?(.*)"]
    local text = type(value) == "number" and ("%.0f"):format(value) or tostring(value)
    return "[./]?" .. (type(value) == "table" and ".+" or escaped(text))
  end) .. "$"
end

-- An operation is a method and a path.
local function check_call(api, operation, route, options)
  local made, r = pcall(api, route, options)
  if not made then
    error(operation .. ": " .. tostring(r), 0)
  end
  local path = decoded(r.url:match "^[^?#]*")
  -- An absolute route is that of an operation with a server of its own.
  local base = route:find "^%u+ /" and "^" .. escaped(decoded(api.DEFAULTS.baseUrl:match "^[^?]*"))
    or ""
  local method, expected = operation:match "^(%u+) (.*)$"
  if r.method:upper() ~= method or not path:find(base .. pattern_of(expected, options)) then
    error(("%s: got %s %s"):format(operation, r.method, path), 0)
  end
end

local totals = {
  documents = 0,
  operations = 0,
  calls = 0,
  left_out = 0,
  no_base = 0,
  tools = 0,
  right = 0,
  broken = 0,
  failed = 0,
}

local function check_calls(made)
  local read, api, names = definitions.read(made.files), definitions.load(made), {}
  for _, left in ipairs(made.left_out) do
    print("left out: " .. left.operation .. ": " .. left.reason)
  end
  for _, route in ipairs(read.routes) do
    local operation = read.classes[route.class].operation
    assert(not names[operation], operation)
    names[operation] = true
    check_call(api, operation, route.route, definitions.options_of(read, route.class))
    check_call(api, operation, route.route, definitions.options_of(read, route.class, true))
  end
  assert(#read.routes + #made.left_out == made.operations)
  totals.calls = totals.calls + 2 * #read.routes
  totals.operations, totals.left_out =
    totals.operations + made.operations, totals.left_out + #made.left_out
  totals.no_base = totals.no_base + (made.base and 0 or 1)
end

-- --- arguments ------------------------------------------------------------------------

-- Is it what a tool shows of a discriminator: the schemas that include this one by allOf, each with
-- the value that means it?
local function shows_choices(schema)
  local first = type(schema.anyOf) == "table" and schema.anyOf[1] or {}
  local chosen = type(first.allOf) == "table" and first.allOf[1] or {}
  local _, property = next(type(chosen.properties) == "table" and chosen.properties or {})
  local is_alone = next(schema) == "anyOf" and next(schema, "anyOf") == nil
  return is_alone and property and type(property.enum) == "table" and next(chosen) == "properties"
end

-- Takes these away, for they refuse nothing, and ajv would.
local function drop_choices(schema)
  for key, inner in pairs(schema) do
    if type(inner) == "table" then
      drop_choices(inner)
    end
    local last = key == "allOf" and inner[#inner]
    if last and shows_choices(last) then
      schema.allOf[#inner] = {}
    end
  end
end

-- Adds the tools of a document, evenly from all over its list.
local function add_tools(list, path, file)
  local module = assert(load_text(file.text, "=" .. path))()
  local tools = module.tools()
  for position = 1, #tools, math.max(1, math.ceil(#tools / TOOLS)) do
    drop_choices(tools[position].parameters)
    list[#list + 1] = { module = module, tool = tools[position], path = path }
  end
end

-- Problems of values that fit their schema: in a URL, a form, or anywhere.
local UNSAYABLE = {
  "expected elements",
  "expected a field, got none", -- a form without a field
  "expected no spaces at its ends", -- a header
}

local function is_unsayable(problem)
  for _, words in ipairs(UNSAYABLE) do
    if problem and problem:find(words, 1, true) then
      return true
    end
  end
  return false
end

-- Operations that no arguments fit, and the reason.
local LISTED = { ["upload-attachment"] = "codat.io: a string as multipart/form-data" }

-- Has an argument a table without elements? Lua does not tell a list from an object there.
local function has_empty(value)
  if type(value) ~= "table" then
    return false
  end
  if next(value) == nil then
    return true
  end
  for _, one in pairs(value) do
    if has_empty(one) then
      return true
    end
  end
  return false
end

local function compare(one, made)
  local route, options
  local answer, problem = one.module.call(function(...)
    route, options = ...
    one.module.check(...)
    return "sent"
  end, one.tool.name, made.given, endpoint)
  if LISTED[one.tool.name] or made.valid and is_unsayable(problem) then
    return
  elseif has_empty(made.given) and not made.valid then
    return
  end
  local kind = made.valid and "right" or "broken"
  totals[kind] = totals[kind] + 1
  if (answer == "sent") == made.valid then
    return
  end
  totals.failed = totals.failed + 1
  print(
    ("%s: %s: ajv says %s, call says %s\n  %s\n  %s"):format(
      one.path,
      one.tool.name,
      tostring(made.valid),
      tostring(problem or answer),
      json.encode(made.given):sub(1, 1000),
      json.encode { route, options }
    )
  )
end

local function check_tools(list)
  local answers = os.tmpname() -- another run has another
  local node = assert(io.popen("node spec/types/arguments.mjs >" .. answers, "w"))
  for position, one in ipairs(list) do
    node:write(json.encode { parameters = one.tool.parameters, seed = position }, "\n")
  end
  node:close()
  for line in io.lines(answers) do
    totals.tools = totals.tools + 1
    for _, made in ipairs(json.decode(line)) do
      compare(list[totals.tools], made)
    end
  end
  os.remove(answers)
  assert(totals.tools == #list and totals.right > 0)
end

-- --- all documents ----------------------------------------------------------------------

local tools = {}
for _, path in ipairs(arg) do
  totals.documents = totals.documents + 1
  local passed, problem = pcall(function()
    local made = types.generate(json.decode(support.read(path)), "api", { checks = true })
    local rules = table.remove(made.files, #made.files - 1)
    check_calls(made)
    add_tools(tools, path, rules)
  end)
  if not passed then
    totals.failed = totals.failed + 1
    print(path .. ": " .. tostring(problem))
  end
end
if io.open "build/ajv" and io.open "build/json-schema-faker" then
  check_tools(tools)
end
for _, name in ipairs(support.keys(totals)) do
  io.write(totals[name], " ", name, name == "tools" and "\n" or ", ")
end
os.exit(totals.failed == 0 and totals.documents > 0 and 0 or 1)
