-- Calls tools with random arguments of every kind. What goes on the wire must decode to the
-- arguments, or the model gets a sentence; nothing is raised.
-- Usage: lua tool_calls.lua CALLS FILE...   so many calls of each tool of OpenAPI documents; prints
-- the counts
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local endpoint = require "endpoint"
local json = require "cjson"
local types = require "endpoint.types"
local wire = require "checks.wire_reader"

local NULL = json.null
local load_text = loadstring or load

local tool_calls = {}

-- --- random arguments -----------------------------------------------------------------

local function nested(levels)
  local value = "x"
  for _ = 1, levels do
    value = { value }
  end
  return value
end

-- Values of every type, and those that are hard to write.
local HARD = {
  NULL,
  true,
  false,
  0,
  -1,
  1.5,
  1e14,
  2 ^ 53 - 1,
  2 ^ 53,
  -2 ^ 53,
  1e17,
  1e300,
  1 / 0,
  0 / 0,
  "",
  " ",
  "a,b",
  "a b",
  "a|b",
  "a&b=c+d%20",
  '{"a":1}',
  '["x"]',
  '"x"',
  "null",
  "5",
  "../..",
  "/",
  "a\0b\r\n\t\127",
  "\255\254",
  "\237\160\128",
  "Grüße \240\159\152\128",
  ("x"):rep(3000),
  "\r\n--endpoint-000000000000",
  { 1, "x" },
  { NULL },
  { a = NULL },
  { a = 1, ["b c"] = { 2, { d = "e" } } },
  { ["a[b]"] = "x", ["c"] = { ["d"] = "e" } },
  { method = "DELETE", url = "/users", headers = { authorization = "x" } },
  { [1] = "x", [3] = "y" },
  { 1, x = 2 },
  { { { {} } } },
  nested(150),
  nested(1500),
}

local random = {}
tool_calls.random = random

-- The same numbers under every Lua.
function random.new(seed)
  local state = seed % 2147483647
  return function(most)
    state = (state * 16807) % 2147483647
    return state % most + 1
  end
end

local NAMES =
  { "tenant", "method", "url", "headers", "data", "request", "baseUrl", "a b", "x", "params" }

local function hard(draw)
  local one = draw(#HARD + 3)
  if one > #HARD then
    return {} -- each its own
  end
  return HARD[one]
end

local value_of -- which the functions below call

local function object_of(draw, schema, root, depth)
  local made = {}
  for name, child in pairs(schema.properties or {}) do
    local is_required = false
    for _, required in ipairs(schema.required or {}) do
      is_required = is_required or required == name
    end
    if is_required or draw(3) == 1 then
      made[name] = value_of(draw, child, root, depth + 1)
    end
  end
  local extra = schema.additionalProperties
  if extra ~= false and draw(4) == 1 then
    made[NAMES[draw(#NAMES)]] =
      value_of(draw, type(extra) == "table" and extra or {}, root, depth + 1)
  end
  return made
end

local function list_of(draw, schema, root, depth)
  local made = {}
  for position = 1, math.max(draw(3) - 1, schema.minItems or 0) do
    made[position] = value_of(draw, schema.items or {}, root, depth + 1)
  end
  return made
end

local function number_of(draw, schema)
  local least = schema.minimum or schema.exclusiveMinimum and schema.exclusiveMinimum + 1 or 0
  return least + draw(5) - 1
end

local OF_TYPE = {
  object = object_of,
  array = list_of,
  integer = number_of,
  number = number_of,
  boolean = function(draw)
    return draw(2) == 1
  end,
  null = function()
    return NULL
  end,
  string = function(draw, schema)
    return ("word "):rep(draw(3)) .. ("x"):rep(schema.minLength or 0)
  end,
}

-- A value that mostly fits a schema.
function value_of(draw, schema, root, depth)
  if type(schema) ~= "table" or depth > 8 or draw(12) == 1 then
    return hard(draw)
  end
  local reference = schema["$ref"]
  if reference then
    return value_of(draw, root["$defs"][reference:match "[^/]*$"], root, depth + 1)
  end
  if schema.enum then
    return schema.enum[draw(#schema.enum)]
  end
  for _, keyword in ipairs { "anyOf", "oneOf", "allOf" } do
    local list = schema[keyword]
    if list and list[1] and draw(3) > 1 then
      return value_of(draw, list[draw(#list)], root, depth + 1)
    end
  end
  local name = schema.type
  if type(name) == "table" then
    name = name[draw(#name)]
  end
  local make = OF_TYPE[name] or schema.properties and object_of
  return make and make(draw, schema, root, depth) or not make and hard(draw) or false
end

function tool_calls.arguments_of(draw, tool)
  local made = object_of(draw, tool.parameters, tool.parameters, 0)
  if draw(6) == 1 then
    made[NAMES[draw(#NAMES)]] = hard(draw)
  end
  return made
end

-- --- what must be on the wire -----------------------------------------------------------

-- What the module keeps of its document.
function tool_calls.own_of(module)
  for position = 1, 20 do
    local name, value = debug.getupvalue(module.call, position)
    if name == "rulebook" then
      return value
    end
  end
  error "module.call has no upvalue rulebook"
end

-- A value with the names that the model knows, as the wire has the document's.
function tool_calls.renamed(value, by_name)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, one in pairs(value) do
    copy[by_name[key] or key] = tool_calls.renamed(one, by_name)
  end
  return copy
end

-- Does one parameter of the query mean a value? texts: of its name, decoded; raw: before
-- decoding.
local function is_in_query(call, place, value, values)
  local name, style = place.name, place.style
  local texts, raw = values[name] or {}, values.raw[name] or {}
  if style == "deep" then
    return wire.is_deep_of(value, wire.deep(values, name))
  elseif style == "json" or style == "tables" and type(value) == "table" then
    return #texts == 1 and wire.is_json_of(tool_calls.renamed(value, call.renames.back), texts[1])
  elseif type(value) ~= "table" then
    return #texts == 1 and wire.is_text_of(value, texts[1])
  elseif style and style ~= "tables" then
    local parts = wire.split(texts[1], style)
    return wire.is_list_of(value, parts) or #value == 0 and wire.is_map_of(value, parts)
  end
  local variable = call.variables[name]
  if #value > 0 and wire.is_list_of(value, texts) then
    return true
  elseif variable and variable.explode and #value == 0 then
    local count = 0
    for key, one in pairs(value) do
      count = count + 1
      if not wire.is_list_of({ one }, values[key] or {}) then
        return false
      end
    end
    return count > 0
  end
  local parts = #raw == 1 and wire.split(raw[1], ",") or {}
  for position, part in ipairs(parts) do
    parts[position] = wire.unescaped(part)
  end
  if wire.is_list_of(value, parts) or #value == 0 and wire.is_map_of(value, parts) then
    return true
  end
  parts = #texts == 1 and wire.split(texts[1], ",") or {}
  return wire.is_list_of(value, parts)
end

-- Is a value of the path in the path?
local function is_in_path(path, value)
  local segments = wire.split(path, "/")
  for _, segment in ipairs(segments) do
    for _, part in ipairs(wire.split(segment, ",")) do
      local text = wire.unescaped(part)
      if wire.is_text_of(value, text) or text:find(tostring(value), 1, true) then
        return true
      end
    end
  end
  return wire.unescaped(path):find(tostring(value), 1, true) ~= nil
end

local function is_in_form(call, name, value, values)
  local style = call.body_styles[name]
  if style == "deep" and type(value) == "table" then
    return wire.is_deep_of(value, wire.deep(values, name))
  end
  local texts = values[name] or {}
  if type(value) ~= "table" then
    return #texts == 1 and wire.is_text_of(value, texts[1])
  elseif #value == 0 and (style == "tables" or style == nil) then
    return #texts == 1 and wire.is_json_of(tool_calls.renamed(value, call.renames.back), texts[1])
  elseif style and style ~= "tables" then
    local parts = wire.split(texts[1] or "", style)
    return wire.is_list_of(value, parts) or wire.is_map_of(value, parts)
  end
  if #texts ~= #value then
    return false
  end
  for position, one in ipairs(value) do
    local is_same = type(one) == "table"
        and wire.is_json_of(tool_calls.renamed(one, call.renames.back), texts[position])
      or wire.is_text_of(one, texts[position])
    if not is_same then
      return false
    end
  end
  return true
end

local READERS = {
  ["application/x-www-form-urlencoded"] = function(body)
    return wire.pairs(body, true)
  end,
  ["multipart/form-data"] = wire.parts,
}

-- What is wrong with a body, nil if nothing is. fields: what the model gave for it, or `whole`.
local function body_fault(call, r)
  local given = call.whole
  if given == nil and next(call.fields) ~= nil then
    given = call.fields
  end
  if given == nil then
    return r.body ~= nil
        and r.body ~= "{}"
        and r.body ~= ""
        and type(r.body) ~= "table"
        and "a body"
      or nil
  end
  local label = r.headers["content-type"]
  local bare = label:match "^[^;]*"
  local read = READERS[bare]
  if call.kind == "json" then
    local is_right = bare:find "json$"
      and wire.is_json_of(tool_calls.renamed(given, call.renames.back), r.body)
    return not is_right and "other JSON" or nil
  elseif call.kind == "text" then
    return not wire.is_text_of(given, r.body) and "another text" or nil
  end
  local values = read(r.body, label)
  for name, value in pairs(given) do
    if not is_in_form(call, name, value, values) then
      return "another field " .. name
    end
  end
end

-- What a model gave, by the places where it must be.
local function sorted_out(own, operation, given)
  local made = operation.arguments
  local call = {
    renames = made.renames,
    kind = operation.rules.kind,
    body_styles = {},
    fields = {},
    query = {},
    path = {},
    variables = {},
    is_open = own.is_open,
  }
  for _, pair in ipairs(operation.rules.body_styles or {}) do
    call.body_styles[pair[1]] = pair[2]
  end
  for _, variable in ipairs(endpoint.variables(operation[1])) do
    call.variables[variable.name] = variable
  end
  for name, value in pairs(given) do
    local place = made.places[name]
    local is_absent = value == NULL and not (place and place.is_required)
    if not place then
      call.fields[name] = value
    elseif place.is_data then
      call.whole = value
      call.may_be_absent = is_absent
    elseif place.is_body then
      call.fields[place.name] = value
      call.absent = call.absent or {}
      call.absent[place.name] = is_absent or nil
    elseif not is_absent then
      local variable = not place.part and call.variables[place.name]
      local is_query = not variable or variable.operator == "?" or variable.operator == "&"
      call[is_query and "query" or "path"][place] = value
    end
  end
  return call
end

-- Takes away what is null and was left out: the rules of that argument take no null.
local function drop_left_out(call, own, operation)
  local problem = require("endpoint.checks.validator.value").problem
  for name in pairs(call.absent or {}) do
    local node = operation.arguments.node.properties
    for argument, place in pairs(operation.arguments.places) do
      if place.is_body and place.name == name and problem(own, node[argument], NULL) then
        call.fields[name] = nil
      end
    end
  end
  if call.may_be_absent and problem(own, operation.arguments.node.properties.data, NULL) then
    call.whole = nil
  end
end

-- What is wrong with a request, nil if nothing is.
local function fault_of(own, operation, given, r)
  local call = sorted_out(own, operation, given)
  drop_left_out(call, own, operation)
  local path, query = r.url:gsub("^https?://[^/]*", ""):match "^([^?#]*)%??([^#]*)"
  local values = wire.pairs(query)
  for place, value in pairs(call.query) do
    if not is_in_query(call, place, value, values) then
      return "another " .. place.name .. " in the query"
    end
  end
  local places = path .. "/" .. query:gsub("[&=]", "/") -- a document's path may have a query
  for place, value in pairs(call.path) do
    for _, one in pairs(type(value) == "table" and value or { value }) do
      if not is_in_path(places, one) then
        return "another " .. place.name .. " in the path"
      end
    end
  end
  if r.method:upper() ~= operation[1]:match "^%u+" then
    return "another method"
  end
  return body_fault(call, r)
end

-- --- calls ----------------------------------------------------------------------------

local function shown(value)
  local ok, text = pcall(json.encode, value)
  return ok and text:sub(1, 500) or tostring(text)
end

-- Calls a tool with random arguments. Returns "sent", "refused" or "failed", and what was wrong.
local function try(module, api, tool, draw)
  local given, r = tool_calls.arguments_of(draw, tool), nil
  local function send(route, options)
    r = api(route, options)
    return "answer"
  end
  local ok, answer, sentence = pcall(
    module.call,
    setmetatable({ endpoint = api }, {
      __call = function(_, ...)
        return send(...)
      end,
    }),
    tool.name,
    given
  )
  if not ok then
    return "failed", ("%s: raised %s\n  %s"):format(tool.name, tostring(answer), shown(given))
  elseif answer == nil then
    local is_sentence = type(sentence) == "string" and sentence:sub(1, #tool.name) == tool.name
    return is_sentence and "refused" or "failed",
      tool.name .. ": no sentence: " .. tostring(sentence)
  end
  local own = tool_calls.own_of(module)
  local done, fault = pcall(fault_of, own, own.by_name[tool.name], given, r)
  fault = not done and "cannot be read: " .. tostring(fault) or fault
  if not fault then
    return "sent"
  end
  local on_wire = ("%s %s %s"):format(r.method, r.url:sub(1, 300), tostring(r.body):sub(1, 300))
  return "failed", ("%s: %s\n  %s\n  %s"):format(tool.name, fault, shown(given), on_wire)
end

-- Calls each tool of a decoded document so often. Returns the counts, and what was wrong.
function tool_calls.run(root, count, seed)
  local made = types.generate(root, "api", { checks = true })
  local module = assert(load_text(made.files[#made.files - 1].text))()
  local api = endpoint.defaults { baseUrl = "https://h.example" }
  local counts, faults = { tools = 0, sent = 0, refused = 0, failed = 0, left_out = 0 }, {}
  local list = module.tools()
  local left_out = list.left_out
  counts.left_out = #left_out
  for position, tool in ipairs(list) do
    local draw = random.new(seed + position)
    counts.tools = counts.tools + 1
    for _ = 1, count do
      local result, fault = try(module, api, tool, draw)
      counts[result] = counts[result] + 1
      faults[#faults + 1] = result == "failed" and fault or nil
    end
  end
  return counts, faults
end

-- --- documents --------------------------------------------------------------------------

local function main(count, files)
  local totals, documents = {}, 0
  for _, path in ipairs(files) do
    local text = assert(io.open(path)):read "*a"
    local ok, counts, faults = pcall(tool_calls.run, json.decode(text), count, 1)
    documents = documents + 1
    if not ok then
      print(path .. ": " .. tostring(counts))
      counts, faults = { failed = 1 }, {}
    end
    for name, number in pairs(counts) do
      totals[name] = (totals[name] or 0) + number
    end
    for position = 1, math.min(3, #faults) do
      print(path .. ": " .. faults[position])
    end
  end
  for _, name in ipairs { "tools", "left_out", "sent", "refused", "failed" } do
    io.write(totals[name] or 0, " ", name, ", ")
  end
  print(documents .. " documents")
  os.exit(totals.failed == 0 and 0 or 1)
end

if arg and arg[0] and arg[0]:find "tool_calls%.lua$" then
  main(tonumber(arg[1]), { (unpack or table.unpack)(arg, 2) })
end

return tool_calls
