-- SPDX-License-Identifier: MIT
-- What is wrong with the options of a call, by the rules of its operation.
local call_options = {}

local certain_call = require "endpoint.checks.calls.certain_call"
local endpoint = require "endpoint"
local defaults_of = require "endpoint.parameters".defaults_of
local errors = require "endpoint.checks.validator.errors"
local incoming_headers = require "endpoint.checks.incoming.headers"
local joined = require "endpoint.checks.calls.joined"
local kinds = require "endpoint.checks.incoming.kinds"
local media_type = require "endpoint.checks.calls.media_type"
local operations = require "endpoint.checks.calls.operations"
local parameters = require "endpoint.checks.incoming.parameters"
local problems = require "endpoint.checks.validator.problems"
local protected = require "endpoint.protected"
local reader = require "endpoint.checks.incoming.reader"
local result = require "endpoint.result"
local text = require "endpoint.text"
local value = require "endpoint.checks.validator.value"

local next, rawget, type = next, rawget, type
local NULL = endpoint.null
local NONE = {}

-- null means not given, for an option as for a parameter of the URL.
local function is_absent(given, name)
  local one = rawget(given, name)
  return one == nil or one == NULL
end

-- Does a call give its body as `data`? Where that is a variable of the path, it is never the body.
local function gives_data(rules, given)
  return not rules.at.properties.data and not is_absent(given, "data")
end

-- Is a name told before another, if both are wrong? `next` has another order in each run, but
-- the same mistakes must give the same words.
local function comes_first(name, other)
  return other == nil or type(name) ~= "string" or type(other) == "string" and name < other
end

-- The header of an operation with a name, as parameters.lua makes it; nil if it has none.
local function header_of(rulebook, operation, name)
  local lower = type(name) == "string" and text.lower(name)
  for _, parameter in ipairs(parameters.of(rulebook, operation).headers) do
    if parameter.name == lower then
      return parameter
    end
  end
end

-- A header is a text: its value is what a server reads in it. What cannot be a text is taken as it
-- is.
local function header_problem(rulebook, parameter, one)
  local name, node, values = parameter.name, parameter.node, {}
  local plan, given = { headers = { parameter } }, { [name] = one }
  local ok, words = protected.call(incoming_headers.read, reader.new(rulebook), plan, given, values)
  if not ok then
    return value.problem(rulebook, node, one)
  elseif words then
    return { words = words }
  end
  return values[name] ~= nil and value.problem(rulebook, node, values[name])
end

local function headers_problem(rulebook, operation, headers)
  local first, problem_of_first
  for name, one in next, type(headers) == "table" and headers or NONE do
    local parameter = one ~= NULL and header_of(rulebook, operation, name)
    local found = parameter and header_problem(rulebook, parameter, one)
    if found and comes_first(name, first) then
      first, problem_of_first = name, { key = name, inner = found }
    end
  end
  return problem_of_first
end

-- The body as one value. A text or function is the caller's own, encoded already, unless the values
-- are a stranger's, which were decoded.
local function data_problem(rulebook, rules, data, is_decoded)
  if not rules.body then
    return { words = "", unknown = "data" }
  end
  if not is_decoded and (type(data) == "string" or type(data) == "function") then
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

local BODY_IS_DATA = ': the body is "data"'

-- Is a name one of a body that cannot be given beside the parameters?
local function is_in_data(rulebook, rules, name)
  local properties = not rules.is_beside
    and rules.body
    and kinds.of(rulebook, rules.body).properties
  return properties and properties[name] ~= nil
end

local function unknown(rulebook, operation, name)
  local rules = operation.rules
  if rules.params and rules.params.properties[name] then
    return {
      words = (": it goes below %s"):format(errors.shown(rules.params_name)),
      unknown = name,
    }
  elseif is_in_data(rulebook, rules, name) then
    return { words = BODY_IS_DATA, unknown = name }
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

-- The names of options, sorted; first one that is no string, if there is one.
local function names_of(given)
  local names, other = {}, nil
  for name in next, given do
    if type(name) == "string" then
      names[#names + 1] = name
    else
      other = name
    end
  end
  names = result.sorted(names)
  if other ~= nil then
    table.insert(names, 1, other)
  end
  return names
end

-- A required parameter that is an empty table, of which the URL shows nothing; nil for any other.
local function empty(given, name)
  local one = rawget(given, name)
  if type(one) == "table" and next(one) == nil then
    return { missing = name, words = ": an empty table sends nothing" }
  end
end

-- What is wrong with the map of the query.
local function params_problem(rulebook, operation, params)
  local found = value.problem(rulebook, operation.rules.params, params)
  local required = not found and operation.rules.params.required or NONE
  for position = 1, #required do
    found = found or empty(params, required[position])
  end
  if found or not operation.rules.styles or type(params) ~= "table" then
    return found
  end
  for _, name in ipairs(text.sorted_keys(params)) do
    found = joined.problem(rulebook, operation, name, params[name])
    if found then
      return { key = name, inner = found }
    end
  end
end

-- What is wrong with an option that is not a variable of the route; or nil, and true if it is a
-- part of the body.
local function option_problem(rulebook, operation, name, one, given, is_decoded)
  local rules = operation.rules
  if rules.fields and rules.fields[name] and not gives_data(rules, given) then
    return nil, true
  end
  if name == "data" then
    return one ~= NULL and data_problem(rulebook, rules, one, is_decoded) or nil
  end
  if name == rules.params_name then
    local found = one ~= NULL and params_problem(rulebook, operation, one)
    return found and { key = name, inner = found }
  end
  if result.is_option(name) then
    return name == "headers" and headers_problem(rulebook, operation, one) or nil
  end
  if type(name) ~= "string" then
    return { words = "expected names that are strings, got a " .. type(name) }
  end
  if starts_with_any(name, rules.notes) then
    return nil
  end
  if rules.is_beside and not gives_data(rules, given) then
    return nil, true
  end
  if rules.is_beside then
    return { words = BODY_IS_DATA, unknown = name }
  end
  return not rulebook.is_open and unknown(rulebook, operation, name) or nil
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
  local defaults = defaults_of(api)
  return defaults and defaults[name]
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

-- Has a call no value for a parameter? Its null takes the place of a default.
local function is_missing(given, name, api)
  local one = rawget(given, name)
  return one == NULL or one == nil and default_of(api, name) == nil
end

local function params_missing(operation, given, is_plain, api)
  local params = operation.rules.params_name
  if operation.rules.needs_params and is_missing(given, params, api) then
    return missing(params, operation, is_plain)
  end
end

local function required_problem(operation, given, is_plain, api)
  local rules = operation.rules
  local required = rules.at.required or NONE
  for position = 1, #required do
    local name = required[position]
    local found = is_missing(given, name, api) and missing(name, operation, is_plain)
      or empty(given, name)
    if found then
      return found
    end
  end
  return params_missing(operation, given, is_plain, api)
end

-- Does an endpoint bring along a parameter that would be sent in the body?
local function has_defaults(operation, api)
  for name in next, defaults_of(api) or NONE do
    if not result.is_option(name) and not operation.rules.at.properties[name] then
      return true
    end
  end
  return false
end

-- What is wrong with the fields of the body, which are beside the parameters, as one value.
local function body_problem(rulebook, operation, given, body, api)
  local rules = operation.rules
  if not rules.body or not rules.at.properties.data and not is_missing(given, "data", api) then
    return nil
  end
  if not rules.is_beside then
    return rules.needs_body and { missing = "data", words = "" } or nil
  end
  if not body and not rules.needs_body and not rulebook.node(rules.body).required then
    return nil
  end
  local whole = with_defaults(api, rulebook.node(rules.body), body)
  local found = value.problem(rulebook, rules.body, whole)
  if found and found.unknown then
    return unknown(rulebook, operation, found.unknown)
  elseif
    not found
    and rules.needs_body
    and next(whole) == nil
    and not has_defaults(operation, api)
  then
    return { missing = "data", words = ": the body is required, data = {} sends an empty one" }
  end
  return found
end

-- May a parameter of the query be an empty text, whatever its node says (OpenAPI 3.1, "Parameter
-- Object", `allowEmptyValue`)?
local function may_be_empty(rules, name)
  for _, row in ipairs(rules.parameters or NONE) do
    if row[1] == "query" and row[2] == name then
      return row[7] == true
    end
  end
  return false
end

-- What is wrong with one option; or nil, and true if it is a part of the body.
local function name_problem(rulebook, operation, name, one, given, is_plain, is_decoded)
  local rules = operation.rules
  local node = rules.at.properties[name]
  if not node then
    return option_problem(rulebook, operation, name, one, given, is_decoded)
  elseif is_plain and operation.in_query[name] then
    return { words = ": the route with it is " .. errors.shown(operation[1]), unknown = name }
  elseif one == NULL then
    return nil
  end
  local found = value.problem(rulebook, node, one)
  -- What is joined is a parameter of the query: of two with this name it stands in the map.
  if not found and not (rules.params and rules.params.properties[name]) then
    found = joined.problem(rulebook, operation, name, one)
  end
  if not found or one == "" and may_be_empty(rules, name) then
    return nil
  end
  return { key = name, inner = found }
end

local function options_problem(rulebook, operation, given, is_plain, api, is_decoded)
  local body, first, problem_of_first
  for name, one in next, given do
    local found, is_body = name_problem(rulebook, operation, name, one, given, is_plain, is_decoded)
    if found and comes_first(name, first) then
      first, problem_of_first = name, found
    end
    if is_body then
      body = body or {}
      body[name] = one
    end
  end
  return problem_of_first
    or required_problem(operation, given, is_plain, api)
    or body_problem(rulebook, operation, given, body, api)
end

-- --- all problems -----------------------------------------------------------------

-- Adds all problems of a value below a key; `found`, its first, if there is no node for it.
local function add_all(list, rulebook, node, one, key, found)
  for _, inner in ipairs(node and problems.all(rulebook, node, one) or NONE) do
    list[#list + 1] = key and errors.below(key, inner) or inner
    found = nil
  end
  list[#list + 1] = found
end

local function add_missing(list, operation, given, is_plain, api)
  for _, name in ipairs(operation.rules.at.required or NONE) do
    list[#list + 1] = is_missing(given, name, api) and missing(name, operation, is_plain)
      or empty(given, name)
  end
  list[#list + 1] = params_missing(operation, given, is_plain, api)
end

-- All that is wrong with the options, at most problems.MOST.
local function all_problems(rulebook, operation, given, is_plain, api, is_decoded)
  local rules, list, body = operation.rules, {}, nil
  for _, name in ipairs(names_of(given)) do
    local one = rawget(given, name)
    local found, is_body = name_problem(rulebook, operation, name, one, given, is_plain, is_decoded)
    if is_body then
      body = body or {}
      body[name] = one
    elseif found then
      local node = rules.at.properties[name]
        or name == "data" and rules.body
        or name == rules.params_name and rules.params
      add_all(list, rulebook, found.key == name and node, one, name, found)
    end
  end
  add_missing(list, operation, given, is_plain, api)
  local found = body_problem(rulebook, operation, given, body, api)
  if found then
    local node = rules.is_beside and rulebook.node(rules.body)
    add_all(
      list,
      rulebook,
      node and rules.body,
      node and with_defaults(api, node, body),
      nil,
      found
    )
  end
  return list
end

-- What is wrong with the endpoint and the options of rules.check, nil if nothing is.
function call_options.misuse(api, how)
  if api ~= nil and type(api) ~= "userdata" then
    return "check: expected an endpoint, got a " .. type(api)
  elseif how == nil then
    return nil
  elseif type(how) ~= "table" then
    return "check: expected a table of options, got a " .. type(how)
  end
  for name, one in next, how do
    if name ~= "all" and name ~= "decoded" then
      local near = text.nearest(tostring(name), { all = true, decoded = true })
      local shown = errors.shown(tostring(name))
      return "check: there is no option " .. shown .. near
    elseif type(one) ~= "boolean" then
      return ("check: %s: expected a boolean, got a %s"):format(name, type(one))
    end
  end
end

-- nil, or a sentence about what is wrong with a call that is not certainly right as it is written;
-- and its operation, with the rules of its media type. api: the endpoint of the call, or nil. how:
-- `all`, is all that is wrong told; `decoded`, is a string as `data` a value?
function call_options.sentence(rulebook, route, given, api, how)
  local operation, found, is_plain = operations.find(rulebook, route, given, api)
  if not operation then
    return found
  end
  given = found
  if given == nil then
    given = {}
  end
  if type(given) ~= "table" then
    return operation[1] .. ": expected a table of options, got a " .. type(given)
  end
  operations.ready(rulebook, operation)
  local is_decoded = how and how.decoded == true
  local own_route = is_plain and operation.plain_route or operation[1]
  local is_renamed = own_route ~= route and not is_decoded
  if is_renamed and certain_call.operation(rulebook, own_route, given) then
    return nil, operation
  end
  operation = media_type.chosen(rulebook, operation, given, api)
  found = options_problem(rulebook, operation, given, is_plain, api, is_decoded)
  if not found then
    return nil, operation
  elseif how and how.all then
    local all = all_problems(rulebook, operation, given, is_plain, api, is_decoded)
    for position = #all, problems.MOST + 1, -1 do
      all[position] = nil
    end
    return operation[1] .. ": " .. problems.sentence(all, errors.sentence), operation
  end
  return operation[1] .. ": " .. errors.sentence(found), operation
end

return call_options
