-- SPDX-License-Identifier: MIT
-- Checks calls against the rules that `endpoint-types --checks` has written, and tells them to
-- language models that call functions. docs/openapi.md is the guide; what each function takes,
-- returns and raises is said in src/addon/library/endpoint/checks.lua.
local checks = {}

local encoder = require "endpoint.checks.encoder"
local endpoint = require "endpoint"
local errors = require "endpoint.checks.errors"
local needs = require "endpoint.checks.needs"
local patterns = require "endpoint.checks.patterns"
local responses = require "endpoint.checks.responses"
local result = require "endpoint.result"
local text = require "endpoint.text"
local tools = require "endpoint.checks.tools"
local value = require "endpoint.checks.value"

local next, rawget, type = next, rawget, type
local NULL = endpoint.null
local NONE = {}

-- What this version reads. endpoint.types.rules writes it.
local FORMAT = 2

-- --- operations -------------------------------------------------------------------

-- The variables of the query's expression in a route: what is left of it without them is a route,
-- too.
local function variables_in(route)
  local names = {}
  for expression in route:gmatch "{[?&](.-)}" do
    for name in expression:gmatch "[^,*]+" do
      names[name] = true
    end
  end
  return names
end

-- An operation with its rules, which are made when they are asked for first.
local function ready(rulebook, operation)
  if not operation.rules then
    operation.rules = operation[4]()
    operation.in_query = variables_in(operation[1])
    local rules = operation.rules
    rules.fields = rules.is_beside and rulebook.node(rules.body).properties
    operation.encode = rules.kind == "json" and encoder.new(rulebook, rules.body) or nil
  end
  return operation
end

-- :name is {name}; the method is in upper case; a URL alone is a GET.
local function normalised(route, options)
  local trimmed = route:match "%S.*%S" or route:match "%S" or ""
  local method, url = trimmed:match "^(.-)%s+(%S.*)$"
  if not method then
    method, url = type(options.method) == "string" and options.method or "GET", trimmed
  end
  return method:upper() .. " " .. url:gsub("([^%w_}\128-\255]):([%a_][%w_]*)", "%1{%2}")
end

-- The operation of a call, and its options; or nil and a sentence. is_plain: without the query's
-- expression.
local function find(rulebook, route, options)
  local found = rulebook.routes[route]
  if found then
    return found, options, false
  end
  if type(route) == "table" then
    route, options = route.url, route
  end
  if type(route) ~= "string" then
    return nil, "expected a route, got a " .. type(route)
  end
  route = normalised(route, type(options) == "table" and options or {})
  found = rulebook.routes[route]
  if found then
    return found, options, false
  end
  if rulebook.plain[route] then
    return rulebook.plain[route], options, true
  end
  return nil, "no such route: " .. errors.shown(route) .. text.nearest(route, rulebook.routes)
end

-- --- options ----------------------------------------------------------------------

-- null means not given, for an option as for a parameter of the URL.
local function is_absent(options, name)
  local one = rawget(options, name)
  return one == nil or one == NULL
end

-- A header may be a string, whatever its type.
local function headers_problem(rulebook, node, headers)
  for name, one in next, type(headers) == "table" and headers or {} do
    local child = type(name) == "string" and node.properties[text.lower(name)]
    local is_text = type(one) == "string" and child and not child.enum
    local found = child and one ~= NULL and not is_text and value.problem(rulebook, child, one)
    if found then
      return { key = name, inner = found }
    end
  end
end

-- The body as one value. A text or function is the caller's own, encoded already.
local function data_problem(rulebook, rules, data)
  if not rules.body then
    return { words = "", unknown = "data" }
  end
  if type(data) == "string" or type(data) == "function" then
    return nil
  end
  local found = value.problem(rulebook, rules.body, data)
  return found and { key = "data", inner = found }
end

local function starts_with_any(name, beginnings)
  for _, beginning in ipairs(beginnings or NONE) do
    if name:sub(1, #beginning) == beginning then
      return true
    end
  end
  return false
end

local function unknown(operation, name)
  local rules = operation.rules
  if rules.params and rules.params.properties[name] then
    return {
      words = (": it goes below %s"):format(errors.shown(rules.params_name)),
      unknown = name,
    }
  end
  local names = {}
  for _, properties in ipairs {
    rules.at.properties,
    rules.fields or NONE,
    rules.params and rules.params.properties,
  } do
    for known in pairs(properties) do
      names[known] = true
    end
  end
  return { words = text.nearest(name, names), unknown = name }
end

-- What is wrong with an option that is not a variable of the route; or nil, and true if it is a
-- part of the body.
local function option_problem(rulebook, operation, name, one, options)
  local rules = operation.rules
  if rules.fields and rules.fields[name] and is_absent(options, "data") then
    return nil, true
  end
  if name == "data" then
    return one ~= NULL and data_problem(rulebook, rules, one) or nil
  end
  if name == rules.params_name then
    local found = one ~= NULL and value.problem(rulebook, rules.params, one)
    return found and { key = name, inner = found }
  end
  if result.is_option(name) then
    if name == "headers" and rules.headers then
      return headers_problem(rulebook, rules.headers, one)
    end
    return nil
  end
  if type(name) ~= "string" then
    return { words = "expected names that are strings, got a " .. type(name) }
  end
  if starts_with_any(name, rules.notes) then
    return nil
  end
  if rules.is_beside and is_absent(options, "data") then
    return nil, true
  end
  if rules.is_beside then
    return { words = ': the body is "data"', unknown = name }
  end
  return not rulebook.is_open and unknown(operation, name) or nil
end

local function missing(name, operation, is_plain)
  local words = is_plain
      and operation.in_query[name]
      and ": the route is " .. errors.shown(operation[1])
    or ""
  return { missing = name, words = words }
end

-- What an endpoint brings along for a parameter by its defaults, or nil. api: the endpoint, or nil.
local function default_of(api, name)
  local ok, defaults = pcall(function()
    return api.DEFAULTS
  end)
  return ok and type(defaults) == "table" and rawget(defaults, name) or nil
end

-- The body with the required fields that the endpoint's defaults bring along.
local function with_defaults(api, node, body)
  body = body or {}
  for _, name in ipairs(api and node.required or NONE) do
    if body[name] == nil then
      body[name] = default_of(api, name)
    end
  end
  return body
end

local function required_problem(operation, options, is_plain, api)
  local rules = operation.rules
  local required = rules.at.required or NONE
  for position = 1, #required do
    local name = required[position]
    if is_absent(options, name) and default_of(api, name) == nil then
      return missing(name, operation, is_plain)
    end
  end
  local params = rules.params_name
  if rules.needs_params and is_absent(options, params) and default_of(api, params) == nil then
    return missing(params, operation, is_plain)
  end
end

-- The fields of the body that stand beside the parameters, as one value; names: of the nearest.
local function body_problem(rulebook, operation, options, body, api)
  local rules = operation.rules
  if not rules.body or not is_absent(options, "data") then
    return nil
  end
  if not rules.is_beside then
    return rules.needs_body and { missing = "data", words = "" } or nil
  end
  if not body and not rules.needs_body and not rulebook.node(rules.body).required then
    return nil
  end
  local found =
    value.problem(rulebook, rules.body, with_defaults(api, rulebook.node(rules.body), body))
  if found and found.unknown then
    return unknown(operation, found.unknown)
  end
  return found
end

local function options_problem(rulebook, operation, options, is_plain, api)
  local body
  local properties = operation.rules.at.properties
  for name, one in next, options do
    local node, found, is_body = properties[name], nil, false
    if node and is_plain and operation.in_query[name] then
      return { words = ": the route with it is " .. errors.shown(operation[1]), unknown = name }
    elseif not node then
      found, is_body = option_problem(rulebook, operation, name, one, options)
    elseif one ~= NULL then
      found = value.problem(rulebook, node, one)
      found = found and { key = name, inner = found }
    end
    if found then
      return found
    end
    if is_body then
      body = body or {}
      body[name] = one
    end
  end
  return required_problem(operation, options, is_plain, api)
    or body_problem(rulebook, operation, options, body, api)
end

-- nil, or a sentence about what is wrong with a call; and its operation.
local function sentence_of(rulebook, route, options, api)
  local operation, found, is_plain = find(rulebook, route, options)
  if not operation then
    return found
  end
  options = found
  if options == nil then
    options = {}
  end
  if type(options) ~= "table" then
    return operation[1] .. ": expected a table of options, got a " .. type(options)
  end
  found = options_problem(rulebook, ready(rulebook, operation), options, is_plain, api)
  return found and operation[1] .. ": " .. errors.sentence(found), operation
end

-- --- the module -------------------------------------------------------------------

local function fail(problem)
  error("endpoint.checks: " .. problem, 3)
end

-- What is not judged of the rules that a file holds, in sentences.
local function left_out_of(data)
  local sentences = {}
  if data.has_patterns and not patterns.are_known() then
    sentences[1] = "pattern is not judged: there is neither ngx.re nor lrexlib (rex_pcre2)"
  end
  if data.has_formats then
    sentences[#sentences + 1] = "format is not judged"
  end
  if data.has_dynamic then
    sentences[#sentences + 1] = "$dynamicRef is not judged"
  end
  return sentences
end

-- Nodes by number, each made when it is asked for first. makers: the functions that make them.
local function lazy_nodes(makers)
  return setmetatable({}, {
    __index = function(nodes, number)
      local node = makers[number]()
      nodes[number] = node
      return node
    end,
  })
end

local function index_of(rulebook)
  for _, operation in ipairs(rulebook.operations) do
    local route = operation[1]
    rulebook.routes[route] = operation
    if route:find "{[?&]" then
      rulebook.plain[route:gsub("{[?&].-}", "")] = operation
    end
  end
end

-- The module of a file that endpoint-types has written.
function checks.new(data)
  if data.format ~= FORMAT then
    error(
      ("endpoint.checks: %s is of another version: make it again with endpoint-types"):format(
        tostring(data.name)
      ),
      0
    )
  end
  local rulebook = {
    schemas = lazy_nodes(data.schemas),
    operations = data.operations,
    is_open = data.is_open,
    has_unevaluated = data.has_unevaluated,
    has_responses = data.has_responses,
    routes = {},
    plain = {},
  }
  function rulebook.ready(operation)
    return ready(rulebook, operation)
  end
  function rulebook.node(node)
    return node.ref and rulebook.schemas[node.ref] or node
  end
  index_of(rulebook)
  local module = {}
  function module.check(route, options, api)
    local problem, operation = sentence_of(rulebook, route, options, api)
    if problem then
      error("endpoint.checks: " .. problem, 2)
    end
    return operation.encode
  end
  function module.response(route, status, given)
    local operation, sentence = find(rulebook, route)
    sentence = not operation and sentence or responses.misuse(rulebook, status)
    if sentence then
      fail(sentence)
    end
    local problem = responses.problem(rulebook, ready(rulebook, operation), status, given)
    if problem then
      return nil, problem
    end
    return true
  end
  function module.tools(operations, how)
    local list, left_out = tools.list(rulebook, operations, how)
    if not list then
      fail("tools: " .. left_out)
    end
    return list, left_out
  end
  function module.needs(operation)
    local needed, problem = needs.of_operation(rulebook, operation)
    if not needed then
      fail("needs: " .. problem)
    end
    return needed
  end
  function module.call(send, name, arguments, api)
    local answer, sentence, problem = tools.call(rulebook, send, name, arguments, api)
    if problem then
      fail("call: " .. problem)
    end
    return answer, sentence
  end
  function module.left_out()
    return left_out_of(data)
  end
  return module
end

return checks
