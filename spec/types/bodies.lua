-- SPDX-License-Identifier: MIT
-- Usage: [TOOLS=20] lua bodies.lua FILE...
-- Bodies of JSON that json-schema-faker makes for tools of OpenAPI documents, right and broken
-- ones. What ajv takes, rules.request must take as the body of a request that came in; and of 50
-- that ajv refuses at most one, since documents mean more than they say (docs/validate.md). Prints
-- the counts; the exit status is 1 where that is not so.
package.path = "spec/lib/?.lua;spec/?.lua;src/?.lua;" .. package.path
local arguments = require "endpoint.checks.tools.arguments"
local endpoint = require "endpoint"
local json = require "cjson"
local kinds = require "endpoint.checks.incoming.kinds"
local parameters = require "endpoint.checks.incoming.parameters"
local support = require "support"
local tool_calls = require "checks.tool_calls"
local types = require "endpoint.types"

local load_text = loadstring or load
local MOST = tonumber(os.getenv "TOOLS" or 20)

-- --- what ajv is asked ------------------------------------------------------------------

-- The schema of the body's arguments of a tool, nil if it has none.
local function body_schema(tool, made)
  local schema = tool.parameters
  local properties, required = {}, {}
  for name, place in pairs(made.places) do
    if place.is_body then
      properties[name] = schema.properties[name]
    end
  end
  for _, name in ipairs(schema.required or {}) do
    required[#required + 1] = properties[name] and name or nil
  end
  return next(properties) ~= nil
    and {
      type = "object",
      properties = properties,
      required = required[1] and required or nil,
      ["$defs"] = schema["$defs"],
      additionalProperties = schema.additionalProperties,
    }
end

-- A request of a tool with any arguments that fit, whose body is then replaced; nil if none is
-- found.
local function base_request(module, tool, api, seed)
  local draw, made = tool_calls.random.new(seed), nil
  local function send(_, route, options)
    made = api(route, options)
    return true
  end
  local sender = setmetatable({ endpoint = api }, { __call = send })
  for _ = 1, 40 do
    if module.call(sender, tool.name, tool_calls.arguments_of(draw, tool)) and made then
      return made
    end
  end
end

-- --- what rules.request says ------------------------------------------------------------

-- The body of these arguments as text, nil without any.
local function text_of(operation, given)
  local made, body = operation.arguments, {}
  for name, value in pairs(given) do
    local place = made.places[name]
    value = tool_calls.renamed(value, made.renames.back)
    if place and place.is_data then
      return json.encode(value)
    end
    body[place and place.name or name] = value
  end
  return json.encode(body)
end

local function headers_of(own, operation)
  local headers = { ["content-type"] = operation.rules.media_type or "application/json" }
  for _, parameter in ipairs(parameters.of(own, operation).list) do
    if parameter.place == "header" and parameter.is_required then
      headers[parameter.name] = next(kinds.of(own, parameter.node).members or {}) or "1"
    end
  end
  return headers
end

-- Is a body taken? nil if the request is another operation. Then the problems.
local function is_taken(one, body)
  local url = one.request.url:gsub("^https?://[^/]*", ""):gsub("#.*$", "")
  local path, query = url:match "^([^?]*)%??(.*)$"
  local found, status, problems = one.module.request({
    method = one.request.method:upper(),
    path = path,
    query = query ~= "" and query or nil,
    headers = headers_of(one.own, one.operation),
    body = body,
  }, { encoded_slashes = true })
  if found then
    return found.route == one.operation[1] or nil
  elseif status ~= 400 then
    return nil
  end
  for _, problem in ipairs(problems) do
    if problem.place == "body" then
      return false, problems
    end
  end
  return true
end

-- --- the tools of a document -----------------------------------------------------------

-- Adds the tools of a document whose body is JSON, evenly from all over its list: those that a
-- request is found to be. Others have the path of another.
local function add_tools(list, path)
  local made = types.generate(json.decode(support.read(path)), "api", { checks = true })
  local module = assert(load_text(made.files[#made.files - 1].text))()
  local own, tools = tool_calls.own_of(module), module.tools()
  local base = (own.base or ""):gsub("^%a[%w+.-]*://[^/]*", "")
  local api = endpoint.defaults { baseUrl = "https://h.example" .. base }
  for position = 1, #tools, math.max(1, math.ceil(#tools / MOST)) do
    local tool = tools[position]
    local operation = own.by_name[tool.name]
    own.ready(operation)
    arguments.of_operation(own, operation)
    local schema = operation.rules.kind == "json" and body_schema(tool, operation.arguments)
    local one = {
      path = path,
      module = module,
      own = own,
      operation = operation,
      schema = schema,
      request = schema and base_request(module, tool, api, position),
    }
    if one.request and is_taken(one, one.request.body) then
      list[#list + 1] = one
    end
  end
end

-- --- all of them ------------------------------------------------------------------------

local totals = { bodies = 0, same = 0, only_ajv = 0, only_request = 0 }

-- Has a value a table without elements? Lua does not tell a list from an object there.
local function has_empty(value)
  if type(value) ~= "table" then
    return false
  elseif next(value) == nil then
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
  if has_empty(made.given) then
    return
  end
  local body = text_of(one.operation, made.given)
  local taken, problems = is_taken(one, body)
  if taken == nil then
    return
  end
  totals.bodies = totals.bodies + 1
  if taken == made.valid then
    totals.same = totals.same + 1
    return
  end
  local name = taken and "only_request" or "only_ajv"
  totals[name] = totals[name] + 1
  if totals[name] <= 10 then
    local words = "%s: %s: %s takes %s: %s"
    local who, shown = taken and "the request alone" or "ajv alone", json.encode(problems or {})
    print(words:format(one.path, one.operation[1], who, body:sub(1, 300), shown:sub(1, 300)))
  end
end

local tools, answers = {}, os.tmpname()
for _, path in ipairs(arg) do
  local is_read, problem = pcall(add_tools, tools, path)
  if not is_read then
    print(path .. ": " .. tostring(problem))
  end
end
local node = assert(io.popen("node spec/types/arguments.mjs >" .. answers, "w"))
for position, one in ipairs(tools) do
  node:write(json.encode { parameters = one.schema, seed = position }, "\n")
end
node:close()
local position = 0
for line in io.lines(answers) do
  position = position + 1
  for _, made in ipairs(json.decode(line)) do
    compare(tools[position], made)
  end
end
os.remove(answers)
assert(position == #tools, "ajv has not answered for each tool")
local words = "%d bodies of %d tools: ajv and rules.request agree on %d; "
  .. "ajv alone takes %d, the request alone %d"
print(words:format(totals.bodies, #tools, totals.same, totals.only_ajv, totals.only_request))
os.exit(totals.bodies > 0 and totals.only_ajv == 0 and totals.only_request * 50 <= totals.bodies)
