-- SPDX-License-Identifier: MIT
-- Operations as functions that a language model can call: each with a name, and a JSON Schema of its arguments.
local tools = {}

local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local errors = require "endpoint.checks.errors"
local result = require "endpoint.result"
local value = require "endpoint.checks.value"

local NULL = endpoint.null

-- What well-known services allow, for names of functions and of arguments.
local LONGEST = 64

-- The most nodes that the schemas of one list of tools have. Each schema holds all that it needs, so that
-- a thousand operations may repeat the same large body: these take some 100 MB.
tools.MOST_NODES = 500000

-- --- nodes in the words of JSON Schema, as new tables -----------------------------

local COPIED = {
  "type",
  "description",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
}

-- An empty table is an object, which dkjson asks for; lua-cjson knows it.
local function new_object()
  return setmetatable({}, { __jsontype = "object" })
end

local function copied(list)
  if type(list) ~= "table" then
    return list
  end
  local copy = {}
  for position, element in ipairs(list) do
    copy[position] = element
  end
  return copy
end

local schema_of -- which the functions below call

local function add_lists(to, node, made)
  for _, keyword in ipairs { "anyOf", "allOf" } do
    for position, child in ipairs(node[keyword] or {}) do
      made[keyword] = made[keyword] or {}
      made[keyword][position] = schema_of(to, child)
    end
  end
end

local function add_properties(to, node, made)
  if node.properties then
    made.properties = new_object()
  end
  for name, child in pairs(node.properties or {}) do
    made.properties[name] = schema_of(to, child)
  end
  if node.required and node.required[1] then
    made.required = copied(node.required)
  end
  if type(node.additionalProperties) == "table" then
    made.additionalProperties = schema_of(to, node.additionalProperties)
  else
    made.additionalProperties = node.additionalProperties
  end
end

-- A node in the words of JSON Schema. to: `own`, `waiting`, the numbers of the nodes that are to come
-- below $defs, how many `nodes` there are, and the `most` that there may be.
function schema_of(to, node)
  local made = new_object()
  to.nodes = to.nodes + 1
  if to.nodes > to.most then
    error(to, 0)
  end
  if node.ref then
    if not to.known[node.ref] then
      to.known[node.ref], to.waiting[#to.waiting + 1] = true, node.ref
    end
    made["$ref"], made.description = "#/$defs/" .. node.ref, node.description
    return made
  end
  for _, keyword in ipairs(COPIED) do
    made[keyword] = copied(node[keyword])
  end
  add_properties(to, node, made)
  if node.items then
    made.items = schema_of(to, node.items)
  end
  add_lists(to, node, made)
  return made
end

-- The schema of a node with all that it needs.
local function whole_schema(to, node)
  to.known, to.waiting = {}, {}
  local made, position = schema_of(to, node), 0
  while to.waiting[position + 1] do
    position = position + 1
    local number = to.waiting[position]
    made["$defs"] = made["$defs"] or {}
    made["$defs"][tostring(number)] = schema_of(to, to.own.schemas[number])
  end
  return made
end

-- --- names ------------------------------------------------------------------------

-- A name that nothing else has. taken: gets it; numbers: how often each was wanted.
local function unique(wanted, taken, numbers)
  local base = wanted:sub(1, LONGEST)
  if base == "" or base:find "[^A-Za-z0-9_-]" then
    base = wanted:gsub("[^A-Za-z0-9_-]+", "_"):gsub("^_", ""):gsub("_$", ""):sub(1, LONGEST)
  end
  if base == "" then
    base = "_"
  end
  local name, number = base, numbers[base] or 1
  while taken[name] do
    number = number + 1
    local suffix = "_" .. number
    name = base:sub(1, LONGEST - #suffix) .. suffix
  end
  numbers[base], taken[name] = number, true
  return name
end

-- Gives all operations their names, in the document's order, so that a part of them has the same.
local function names_of(own)
  if own.by_name then
    return own.by_name
  end
  local by_name, numbers, by_id = {}, {}, {}
  for _, operation in ipairs(own.operations) do
    local route, id = operation[1], operation[2]
    operation.name = unique(id or route:gsub("{[?&].-}", ""), by_name, numbers)
    by_name[operation.name] = operation
    if id and not by_id[id] then
      by_id[id] = operation
    end
  end
  own.by_name, own.by_id = by_name, by_id
  return by_name
end

-- --- arguments --------------------------------------------------------------------

-- The arguments of an operation: a node of an object, and where each of them stands in a call.
local function arguments_of(own, operation)
  local rules = own.ready(operation).rules
  if operation.arguments then
    return operation.arguments, operation.places
  end
  local node, places, taken, numbers =
    { type = "object", properties = {}, required = {} }, {}, {}, {}
  local is_option = { [rules.params_name or ""] = true } -- no other argument may be called so
  local function add(name, child, part, is_required, is_body)
    local argument = unique(name, taken, numbers)
    node.properties[argument] = child
    places[argument] = { name = name, part = part, is_required = is_required, is_body = is_body }
    is_option[name] = true
    if is_required then
      table.insert(node.required, argument)
    end
  end
  local function add_all(object, part, is_body)
    local required, names = {}, {}
    for _, name in ipairs(object.required or {}) do
      required[name] = true
    end
    for name in pairs(object.properties or {}) do
      names[#names + 1] = name
    end
    for _, name in ipairs(result.sorted(names)) do
      add(name, object.properties[name], part, required[name], is_body)
    end
  end
  add_all(rules.at)
  local body = rules.body and own.node(rules.body)
  local is_plain = body
    and body.type == "object"
    and not (body.anyOf or body.minProperties or body.maxProperties)
  if is_plain and rules.is_beside then
    add_all(body, nil, true)
    node.additionalProperties = body.additionalProperties
  else
    if body then
      add("data", rules.body, nil, rules.needs_body, true)
    end
    if not own.is_open then
      node.additionalProperties = false
    end
  end
  if rules.params then
    add_all(rules.params, rules.params_name)
  end
  operation.arguments, operation.places, operation.is_option = node, places, is_option
  return node, places
end

-- --- lists of tools ---------------------------------------------------------------

-- The operations that are named by operationId, name or route; all without names.
local function chosen(own, names)
  names_of(own)
  if names == nil then
    return own.operations
  end
  if type(names) ~= "table" then
    return nil, "expected a list of operations, got a " .. type(names)
  end
  local list = {}
  for position, name in ipairs(names) do
    list[position] = own.by_id[name] or own.routes[name] or own.plain[name] or own.by_name[name]
    if not list[position] then
      local near = type(name) == "string" and errors.nearest(name, own.by_id) or ""
      return nil, "no such operation: " .. errors.shown(tostring(name)) .. near
    end
  end
  return list
end

local function described(own, operations)
  local to, list = { own = own, nodes = 0, most = tools.MOST_NODES }, {}
  for position, operation in ipairs(operations) do
    list[position] = {
      name = operation.name,
      description = operation[3] or operation[1],
      parameters = whole_schema(to, (arguments_of(own, operation))),
    }
  end
  return list
end

-- A list of tools; or nil and a sentence.
function tools.list(own, names)
  local operations, problem = chosen(own, names)
  if not operations then
    return nil, problem
  end
  local ok, list = pcall(described, own, operations)
  if ok then
    return list
  end
  if type(list) ~= "table" then
    error(list, 0)
  end
  return nil, "the schemas would be too large: name the operations that are needed"
end

-- --- calls ------------------------------------------------------------------------

-- Is an argument null that need not be there, and can be no null? Models write it for what they leave out.
local function is_left_out(own, operation, name, one)
  local place, node = operation.places[name], operation.arguments.properties[name]
  if one ~= NULL or not place or place.is_required then
    return false
  end
  return not place.is_body or value.problem(own, node, NULL) ~= nil
end

local function without_left_out(own, operation, arguments)
  local kept = {}
  for name, one in next, arguments do
    if not is_left_out(own, operation, name, one) then
      kept[name] = one
    end
  end
  return kept
end

-- The options of a call; or nil and a sentence.
local function options_of(own, operation, arguments)
  local node, places = arguments_of(own, operation)
  arguments = without_left_out(own, operation, arguments)
  local found = value.problem(own, node, arguments)
  if found then
    return nil, errors.sentence(found)
  end
  local options = {}
  for name, one in next, arguments do
    local place = places[name]
    if not place and (result.is_option(name) or operation.is_option[name]) then
      return nil, "no parameter " .. errors.shown(name)
    end
    local part = options
    if place and place.part then
      part = options[place.part] or {}
      options[place.part] = part
    end
    part[place and place.name or name] = one
  end
  return options
end

-- What a sender raised, as a sentence for the model, if the arguments or the server are the cause.
local function told(problem)
  if type(problem) == "table" and type(problem.message) == "string" then
    return problem.message
  end
  if clients.blamed(problem) then
    return problem:match "endpoint: (parameter .*)$"
  end
  if type(problem) == "string" then
    return problem:match "endpoint%.checks: (.*)$"
  end
end

-- The answer to what a model asked for; or nil and a sentence for the model.
function tools.call(own, send, name, arguments)
  local operation = names_of(own)[name]
  if not operation then
    return nil,
      "no such function: " .. errors.shown(tostring(name)) .. errors.nearest(
        tostring(name),
        own.by_name
      )
  end
  if arguments == nil or arguments == NULL then
    arguments = {}
  end
  if type(arguments) ~= "table" or type((next(arguments))) == "number" then
    return nil, name .. ": expected an object of arguments"
  end
  local options, problem = options_of(own, operation, arguments)
  if not options then
    return nil, name .. ": " .. problem
  end
  local ok, answer = pcall(send, operation[1], options)
  if ok then
    return answer
  end
  problem = told(answer)
  if not problem then
    error(answer, 0)
  end
  return nil, name .. ": " .. problem
end

return tools
