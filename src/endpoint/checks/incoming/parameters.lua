-- SPDX-License-Identifier: MIT
-- The parameters that a request of an operation may have, made of its rules when it is asked for
-- first.
local parameters = {}

local kinds = require "endpoint.checks.incoming.kinds"
local result = require "endpoint.result"
local templates = require "endpoint.checks.incoming.templates"

local NONE = {}

-- --- one parameter ----------------------------------------------------------------

local PARTS = { path = "path", query = "query", header = "headers", cookie = "cookies" }

-- A parameter:
-- * `place` and `name`; `written`, its name in the query if that is another; `part`, where its
--   value is among those of a request;
-- * `node` and its `kinds`; `is_required`;
-- * `style` and `explode`; `is_json`: is its text JSON? `is_tables`: may it be? `may_be_empty`: may
--   the text be empty, whatever its node says?
local function new_parameter(rulebook, place, name, node)
  local found = kinds.of(rulebook, node)
  return {
    place = place,
    part = PARTS[place],
    name = name,
    node = node,
    kinds = found,
    style = (place == "query" or place == "cookie") and "form" or "simple",
    explode = place == "query" or place == "cookie",
    is_required = false,
    is_json = false,
    may_be_empty = false,
    is_tables = kinds.is_nested(rulebook, found),
  }
end

-- --- where it is found ------------------------------------------------------------

-- Each property of an exploded object is a pair of its own.
local function add_exploded(rulebook, plan, parameter)
  plan.exploded[#plan.exploded + 1] = parameter
  for name, node in next, parameter.kinds.properties or NONE do
    if not plan.query[name] then
      local pair = new_parameter(rulebook, "query", name, node)
      pair.is_tables = pair.is_tables or pair.kinds.object
      pair.of, pair.is_many = parameter, pair.kinds.array and not pair.is_tables
      plan.query[name] = pair
    end
  end
  if not parameter.kinds.is_closed or parameter.kinds.additional then
    plan.free[#plan.free + 1] = parameter
  end
end

local function is_exploded(parameter)
  local found = parameter.kinds
  return parameter.explode and found.object and not found.array and not parameter.is_tables
end

-- The same parameter where its value is a text, which it may be beside an object.
local function as_scalar(parameter)
  local scalar, found = {}, {}
  for key, one in next, parameter.kinds do
    found[key] = one
  end
  found.array, found.object = nil, nil
  for key, one in next, parameter do
    scalar[key] = one
  end
  scalar.kinds, scalar.is_tables = found, false
  return scalar
end

-- Notes how a parameter of the query is found.
local function add_to_query(rulebook, plan, parameter)
  local found = parameter.kinds
  if parameter.is_json then
    plan.query[parameter.name] = parameter
  elseif parameter.style == "deepObject" and (found.object or found.array) then
    plan.deep[parameter.name] = parameter
    plan.query[parameter.name] = kinds.has_scalars(found) and as_scalar(parameter) or nil
  elseif is_exploded(parameter) then
    add_exploded(rulebook, plan, parameter)
  else
    plan.query[parameter.name] = parameter
    parameter.is_many = found.array and parameter.explode
    parameter.is_alone = parameter.is_many and kinds.has_scalars(found)
    if parameter.is_many and parameter.is_tables then
      parameter.element = new_parameter(rulebook, "query", parameter.name, found.items)
      parameter.element.is_tables, parameter.element.explode = true, false
    end
    if parameter.is_many and not plan.query[parameter.name .. "[]"] then
      plan.query[parameter.name .. "[]"] = parameter
    end
  end
end

-- written: its pair, if it is a variable in the query that is written in the path.
local function add(rulebook, plan, parameter, written)
  plan.list[#plan.list + 1] = parameter
  if written then
    parameter.place, parameter.part, parameter.written = "query", PARTS.query, written.name
    parameter.style, parameter.explode = "form", written.explode
    plan.query[written.name] = parameter
  elseif parameter.place == "path" then
    plan.path[parameter.name] = parameter
  elseif parameter.place == "query" then
    add_to_query(rulebook, plan, parameter)
  elseif parameter.place == "header" then
    plan.headers[#plan.headers + 1] = parameter
  else
    plan.cookies[parameter.name], plan.has_cookies = parameter, true
  end
end

-- --- the rules of a call ----------------------------------------------------------

local function node_in(rules, row)
  local place, name = row[1], row[2]
  local own = rules.own and rules.own.properties[place .. " " .. name]
  if own ~= nil then
    return own
  elseif place == "header" then
    return rules.headers and rules.headers.properties[name]
  end
  local node = rules.at.properties[name]
  if node == nil and rules.params then
    node = rules.params.properties[name]
  end
  return node
end

-- Those that the rules name, since they are no fields of the options as they are. pairs_written:
-- see `written` in templates.of_route.
local function add_rows(rulebook, plan, rules, pairs_written)
  for _, row in ipairs(rules.parameters or NONE) do
    local place, name = row[1], row[2]
    local written = (place == "path" or place == "query") and pairs_written[name] or nil
    local parameter = new_parameter(rulebook, place, name, node_in(rules, row))
    parameter.style, parameter.explode = row[3], row[4]
    parameter.is_required = row[5] == true or written ~= nil and place == "path"
    parameter.is_json, parameter.may_be_empty = row[6] == true, row[7] == true
    add(rulebook, plan, parameter, written)
  end
end

-- Is a field a key of a parameter that is known already, such as filter[a]?
local function is_known(plan, name)
  local above = name:match "^([^%[]*)%["
  return plan.query[name] ~= nil or plan.deep[above or name] ~= nil
end

-- The fields of the options are parameters with the default style.
local function add_fields(rulebook, plan, fields, in_path, pairs_written)
  local required, names = {}, {}
  for _, name in ipairs(fields.required or NONE) do
    required[name] = true
  end
  for name in next, fields.properties do
    names[#names + 1] = name
  end
  for _, name in ipairs(result.sorted(names)) do
    local place = in_path[name] and "path" or "query"
    local written = place == "query" and pairs_written[name] or nil
    local is_there = place == "path" and plan.path[name]
      or place == "query" and is_known(plan, written and written.name or name)
    if not is_there then
      local parameter = new_parameter(rulebook, place, name, fields.properties[name])
      parameter.is_required = place == "query" and required[name] == true
      add(rulebook, plan, parameter, written)
    end
  end
end

local function add_headers(rulebook, plan, rules)
  local is_there = {}
  for _, parameter in ipairs(plan.headers) do
    is_there[parameter.name] = true
  end
  for _, asked in ipairs(rules.asked_headers or NONE) do
    local node = rules.headers and rules.headers.properties[asked[1]]
    if node and not is_there[asked[1]] then
      local parameter = new_parameter(rulebook, "header", asked[1], node)
      parameter.is_required = asked[2]
      add(rulebook, plan, parameter)
    end
  end
end

-- A key of the API in the query is a name that the document has.
local function add_keys(rulebook, plan, rules)
  for _, requirement in ipairs(rules.security or NONE) do
    for _, scheme in ipairs(requirement) do
      if scheme[3] == "query" and scheme[4] ~= "" and not plan.query[scheme[4]] then
        plan.query[scheme[4]] = new_parameter(rulebook, "query", scheme[4], {})
      end
    end
  end
end

-- Pairs that the path itself has, such as ?view=all. They are no values.
local function add_pairs(rulebook, plan, list)
  for _, pair in ipairs(list) do
    local node = { enum = { pair[2] } }
    local parameter = new_parameter(rulebook, "query", pair[1], node)
    parameter.is_required, parameter.is_literal = true, true
    add(rulebook, plan, parameter)
  end
end

-- --- all of them ------------------------------------------------------------------

-- The parameters of an operation: `list`, all that are checked; `path`, `query` and `cookies` by
-- name; `has_cookies`; `headers`, a list; of the query also `deep`, those of the style deepObject
-- by name, `exploded`, objects whose properties are pairs, and `free`, those of them that have any
-- name.
function parameters.of(rulebook, operation)
  local plan = operation.incoming
  if plan then
    return plan
  end
  local rules = rulebook.ready(operation).rules
  plan = {
    list = {},
    path = {},
    query = {},
    cookies = {},
    has_cookies = false,
    headers = {},
    deep = {},
    exploded = {},
    free = {},
  }
  local template, in_path = templates.of_route(operation[1], ""), {}
  for _, name in ipairs(template.names) do
    in_path[name] = true
  end
  add_rows(rulebook, plan, rules, template.written)
  add_fields(rulebook, plan, rules.at, in_path, template.written)
  if rules.params then
    add_fields(rulebook, plan, rules.params, NONE, NONE)
  end
  add_headers(rulebook, plan, rules)
  add_pairs(rulebook, plan, template.pairs)
  add_keys(rulebook, plan, rules)
  plan.place, plan.is_open = "query", rulebook.is_open
  plan.method = template.method
  operation.incoming = plan
  return plan
end

return parameters
