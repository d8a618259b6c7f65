-- SPDX-License-Identifier: MIT
-- The operations of a rulebook: which one a route names, and its rules.
local operations = {}

local constructed = require "endpoint.checks.calls.constructed"
local encoder = require "endpoint.checks.json.encoder"
local defaults_of = require "endpoint.parameters".defaults_of
local errors = require "endpoint.checks.validator.errors"
local text = require "endpoint.text"

local NONE = {}

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

-- An operation with its rules, which are made when they are asked for first. `rules` comes last:
-- where memory lacks before that, all is made again.
function operations.ready(rulebook, operation)
  if not operation.rules then
    local rules = constructed(operation[4])
    rules.fields = rules.is_beside and rulebook.node(rules.body).properties
    operation.in_query = variables_in(operation[1])
    operation.encode = rules.kind == "json" and encoder.new(rulebook, rules.body) or nil
    operation.rules = rules
  end
  return operation
end

-- The method of a call whose route is a URL alone. Null is GET, whatever the default is.
local function method_of(options, defaults)
  local method = options.method
  if method == nil then
    method = defaults.method
  end
  return type(method) == "string" and method or "GET"
end

-- What a template encodes in its literals, as the rules have it: see types/signature/path.lua.
local FOREIGN = "[^A-Za-z0-9._~!$&'()*+,;=:@/?#%[%]%%{}-]"

-- :name is {name}; the method is in upper case; other characters than those of URLs are triplets.
local function normalised(route, options, defaults)
  local trimmed = route:match "%S.*%S" or route:match "%S" or ""
  local method, url = trimmed:match "^(.-)%s+(%S.*)$"
  if not method then
    method, url = method_of(options, defaults), trimmed
  end
  url = url:gsub("([^%w_}\128-\255]):([%a_][%w_]*)", "%1{%2}"):gsub(FOREIGN, text.encoded)
  return text.upper(method) .. " " .. url
end

-- The path of an absolute route of a method, without the query's expression; nil of other routes.
local function path_at_own_server(operation, method)
  local route = operation.plain_route or operation[1]
  local is_of_method = route:sub(1, #method) == method
  return is_of_method and route:match("^%a[%w+.-]*://[^/]*(/.*)$", #method + 1) or nil
end

-- Where a route has only the path of an operation with a server of its own, as the API's pages show
-- it: words that name the absolute route. "" if there is no such operation.
local function at_own_server(rulebook, route)
  local method, path = route:gsub("{[?&].-}", ""):match "^(%S+ )(/.*)$"
  for _, operation in ipairs(method and rulebook.operations or NONE) do
    local own_path = path_at_own_server(operation, method)
    if own_path and own_path:sub(-#path) == path then
      return ", is it " .. text.quoted(operation[1]) .. "?"
    end
  end
  return ""
end

-- The operation of a call, and its options; or nil and a sentence. is_plain: without the query's
-- expression. api: the endpoint of the call, or nil.
function operations.find(rulebook, route, options, api)
  local found = rulebook.routes[route]
  if found then
    return found, options, false
  end
  found = rulebook.plain[route]
  if found then
    return found, options, true
  end
  if type(route) == "table" then
    route, options = nil, route
  end
  local given, defaults = type(options) == "table" and options or NONE, defaults_of(api) or NONE
  if route == nil then
    route = given.url or defaults.url
  end
  if type(route) ~= "string" then
    return nil, "expected a route, got a " .. type(route)
  end
  route = normalised(route, given, defaults)
  found = rulebook.routes[route]
  if found then
    return found, options, false
  end
  if rulebook.plain[route] then
    return rulebook.plain[route], options, true
  end
  local near = at_own_server(rulebook, route)
  if near == "" then
    near = text.nearest(route, rulebook.routes)
  end
  return nil, "no such route: " .. errors.shown(route) .. near
end

-- Notes the operations of a rulebook by their routes: `routes`, and `plain`, without the query's
-- expression.
function operations.index(rulebook)
  rulebook.routes, rulebook.plain = {}, {}
  for _, operation in ipairs(rulebook.operations) do
    local route = operation[1]
    rulebook.routes[route] = operation
    if route:find "{[?&]" then
      operation.plain_route = route:gsub("{[?&].-}", "")
      rulebook.plain[operation.plain_route] = operation
    end
  end
end

return operations
