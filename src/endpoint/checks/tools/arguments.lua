-- SPDX-License-Identifier: MIT
-- The arguments of an operation: what a model gives, and the place of each in a call.
local arguments = {}

local endpoint = require "endpoint"
local errors = require "endpoint.checks.validator.errors"
local names = require "endpoint.checks.tools.names"
local renames = require "endpoint.checks.tools.renames"
local result = require "endpoint.result"
local text = require "endpoint.text"

-- A body with one of these is checked as a whole: its properties cannot be arguments by themselves.
local WHOLE = {
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "enum",
  "discriminator",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
}

local function can_be_spread(body)
  if not body.properties or body.type ~= "object" then
    return false
  end
  for _, keyword in ipairs(WHOLE) do
    if body[keyword] ~= nil then
      return false
    end
  end
  return true
end

-- A list of pairs as a table.
local function by_name(pairs_of)
  local map = {}
  for _, pair in ipairs(pairs_of or {}) do
    map[pair[1]] = pair[2]
  end
  return map
end

-- Adds an argument. place: `name` in the call; `where` it goes, "path", "query", "header"
-- (`is_header`) or "body"; `part`, the option that holds it; `is_required`; `is_body`, is it a
-- property of the body, or the whole of it (`is_data`); `style`, how it is written.
local function add(plan, node, place)
  place.node = node
  plan.list[#plan.list + 1] = place
  plan.is_reserved[place.name] = true
end

-- What a model is told of a place beside its description, where the argument's name does not say
-- it: what the document calls it, and which of several of one name it is.
local function note_of(plan, argument, place)
  if plan.count_of[place.name] > 1 then
    return errors.shown(place.name) .. " in the " .. place.where
  elseif argument ~= place.name and not place.is_data then
    return errors.shown(place.name) .. " in the API"
  end
end

-- Gives each argument its name.
local function name_all(plan)
  local wanted, others, count_of = {}, {}, {}
  for position, place in ipairs(plan.list) do
    wanted[position], others[position] = place.name, place.where
    count_of[place.name] = (count_of[place.name] or 0) + 1
  end
  plan.count_of = count_of
  for position, argument in ipairs(names.given(wanted, others)) do
    local place = plan.list[position]
    plan.node.properties[argument], plan.places[argument] = place.node, place
    place.note = note_of(plan, argument, place)
    if place.is_required then
      table.insert(plan.node.required, argument)
    end
  end
end

local function required_in(object)
  local required = {}
  for _, name in ipairs(object.required or {}) do
    required[name] = true
  end
  return required
end

local function sorted_names(object)
  local list = {}
  for name in next, object.properties or {} do
    list[#list + 1] = name
  end
  return result.sorted(list)
end

-- Is a name a key of a parameter of the style deepObject, which has free keys, too?
local function is_below_deep(rules, name)
  for _, pair in ipairs(rules.styles or {}) do
    local above = pair[1] .. "["
    if pair[2] == "deep" and name:sub(1, #above) == above then
      return true
    end
  end
  return false
end

local IS_OF_QUERY = { ["?"] = true, ["&"] = true }

-- The names of the variables that stand in the path of a route.
local function names_in_path(route)
  local found = {}
  for _, variable in ipairs(endpoint.variables(route)) do
    found[variable.name] = not IS_OF_QUERY[variable.operator] or nil
  end
  return found
end

-- The style of a parameter of the URL, nil if it is given as it is. A variable of the path may have
-- the name of a parameter of the query, whose style it then is.
local function style_of(plan, rules, name, is_in_path)
  local style = plan.styles[name]
  local is_of_query = style == "deep" or rules.params and rules.params.properties[name] ~= nil
  return not (is_in_path and is_of_query) and style or nil
end

-- Adds the parameters of the URL that stand in a part of the options.
local function add_parameters(plan, rules, object, part)
  local required = required_in(object)
  local values = rules.values and rules.values.properties or {}
  for _, name in ipairs(sorted_names(object)) do
    if not is_below_deep(rules, name) then
      local is_in_path = not part and plan.in_path[name]
      local style = style_of(plan, rules, name, is_in_path)
      local node = style and values[name] or object.properties[name]
      add(plan, node, {
        name = name,
        where = is_in_path and "path" or "query",
        part = part,
        is_required = required[name],
        style = style,
      })
    end
  end
end

-- Adds the parameters of the style deepObject that have free keys: each is one argument.
local function add_deep(plan, rules, route)
  local part = not route:find "^GET " and not route:find "^HEAD " and rules.params_name or nil
  for _, pair in ipairs(rules.styles or {}) do
    local name, style = pair[1], pair[2]
    if style == "deep" then
      local place = { name = name, where = "query", part = part, style = style }
      place.is_required = required_in(rules.values)[name]
      add(plan, rules.values.properties[name], place)
    end
  end
end

local SCALAR = { type = { "boolean", "number", "string" } }
local LIST = { type = "array", items = SCALAR, minItems = 1 }

-- What a form can hold, where the document says nothing of a field's value.
local function writable(node)
  for keyword in next, node do
    if keyword ~= "description" then
      return node
    end
  end
  return { anyOf = { SCALAR, LIST }, description = node.description }
end

local function add_properties(rulebook, plan, rules, body)
  local required, styles = required_in(body), by_name(rules.body_styles)
  local is_form = rules.kind == "form" or rules.kind == "multipart"
  for _, name in ipairs(sorted_names(body)) do
    if styles[name] ~= "file" and body.properties[name] then
      local node = body.properties[name]
      add(plan, is_form and not styles[name] and writable(rulebook.node(node)) or node, {
        name = name,
        where = "body",
        is_required = required[name],
        is_body = true,
      })
    end
  end
end

local function add_body(rulebook, plan, rules)
  local node = rules.body_value or rules.body
  local body = node and rulebook.node(node)
  if body and can_be_spread(body) then
    plan.is_spread = true
    add_properties(rulebook, plan, rules, body)
    plan.node.additionalProperties = body.additionalProperties
    return
  end
  if body then
    local place = { name = "data", where = "body", is_body = true, is_data = true }
    -- A call is refused without the fields of an object that must be there.
    place.is_required = rules.needs_body or rules.is_beside and body.required ~= nil
    add(plan, node, place)
  end
  if not rulebook.is_open then
    plan.node.additionalProperties = false
  end
end

-- Headers that belong to the program or to its client, whatever the document says of them.
local IS_OWN = {}
for name in
  ([[accept accept-charset accept-encoding accept-language authorization connection
  content-encoding content-length content-type cookie date expect forwarded host keep-alive origin
  te trailer transfer-encoding upgrade user-agent via]]):gmatch "%S+"
do
  IS_OWN[name] = true
end

-- What the names of headers with credentials have in them.
local SECRET =
  { "api.?key", "auth", "token", "secret", "signature", "password", "session", "^proxy%-" }

-- The headers that hold the credentials of an operation.
local function credentials_of(rules)
  local found = {}
  for _, requirement in ipairs(rules.security or {}) do
    for _, row in ipairs(requirement) do
      found[row[3] == "header" and text.lower(row[4]) or ""] = true
    end
  end
  return found
end

local function is_secret(name)
  for _, pattern in ipairs(SECRET) do
    if name:find(pattern) then
      return true
    end
  end
  return false
end

-- Adds the headers that each call must have, such as idempotency-key. Credentials are the
-- program's.
local function add_headers(plan, rules)
  local credentials = credentials_of(rules)
  for _, asked in ipairs(rules.asked_headers or {}) do
    local name, is_required, words = asked[1], asked[2], asked[3]
    if is_required and not (IS_OWN[name] or credentials[name] or is_secret(name)) then
      local node = rules.headers and rules.headers.properties[name]
      node = node or { type = "string", description = words ~= "" and words or nil }
      add(plan, node, { name = name, where = "header", is_header = true, is_required = true })
    end
  end
end

local function new(rulebook, operation)
  local rules = rulebook.ready(operation).rules
  local plan = {
    node = { type = "object", properties = {}, required = {} },
    places = {},
    list = {},
    in_path = names_in_path(operation[1]),
    is_reserved = { [rules.params_name or ""] = true },
    styles = by_name(rules.styles),
  }
  add_parameters(plan, rules, rules.at)
  add_body(rulebook, plan, rules)
  if rules.params then
    add_parameters(plan, rules, rules.params, rules.params_name)
  end
  add_deep(plan, rules, operation[1])
  add_headers(plan, rules)
  name_all(plan)
  plan.renames = renames.new(rulebook, plan.node.properties)
  return plan
end

-- The arguments of an operation: `node`, that of an object of them; `places`, that of each;
-- `is_spread`, are the properties of the body arguments; `is_reserved`, the names that these
-- have in the call; and `renames`, of names in tables.
function arguments.of_operation(rulebook, operation)
  operation.arguments = operation.arguments or new(rulebook, operation)
  return operation.arguments
end

-- Has the endpoint an argument already? defaults: those of the endpoint.
function arguments.is_default(place, defaults)
  if place.is_header then
    return (defaults.headers or {})[place.name] ~= nil
  end
  return defaults[place.part or place.name] ~= nil
end

-- The arguments without those that an endpoint has: a model need not know of them. `whole` has
-- all.
function arguments.without_defaults(plan, defaults)
  local node, other = {}, {}
  for keyword, one in next, plan.node do
    node[keyword] = one
  end
  for name, one in next, plan do
    other[name] = one
  end
  node.properties, node.required = {}, {}
  for name, child in next, plan.node.properties do
    node.properties[name] = not arguments.is_default(plan.places[name], defaults) and child or nil
  end
  for _, name in ipairs(plan.node.required) do
    node.required[#node.required + 1] = node.properties[name] ~= nil and name or nil
  end
  other.node, other.whole = node, plan
  return other
end

return arguments
