-- SPDX-License-Identifier: MIT
-- What a model asked for as the options of a call. Only names that the document has become options;
-- the body is one text. So a model's table reaches no option, no default and no encoder.
local options = {}

local NULL = require "endpoint".null
local arguments = require "endpoint.checks.tools.arguments"
local body = require "endpoint.checks.tools.body"
local endpoint = require "endpoint"
local errors = require "endpoint.checks.validator.errors"
local parameters = require "endpoint.parameters"
local problems = require "endpoint.checks.validator.problems"
local renames = require "endpoint.checks.tools.renames"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"
local styles = require "endpoint.checks.tools.styles"
local value = require "endpoint.checks.validator.value"

-- The most names that a model may give: Lua's stack holds some 3,900.
local MOST_NAMES = 1000

-- --- what was given ---------------------------------------------------------------

-- Is an argument null that need not be there, and can be no null? Models write it for what they
-- leave out.
local function is_left_out(call, name, one)
  local place = call.plan.places[name]
  if one ~= NULL or not place or place.is_required then
    return false
  end
  return not place.is_body
    or value.problem(call.rulebook, call.plan.node.properties[name], NULL) ~= nil
end

-- The arguments with the document's names in their tables, without those that are left out;
-- or nil and a problem. The first wrong name is told, so that each run tells the same.
local function kept_of(call, given)
  local kept, count, first, problem = {}, 0, nil, nil
  for name, one in next, given do
    if not is_left_out(call, name, one) then
      local node = call.plan.node.properties[name] or call.plan.node.additionalProperties or nil
      local value_there, found = renames.restored(call.rulebook, call.plan.renames, node, one)
      if found and (first == nil or tostring(name) < first) then
        first, problem = tostring(name), errors.below(name, found)
      end
      kept[name], count = value_there, count + 1
    end
  end
  if problem then
    return nil, problem
  elseif count > MOST_NAMES then
    return nil, errors.problem(("expected at most %d arguments, got %d"):format(MOST_NAMES, count))
  end
  return kept
end

-- The name that an argument has for the endpoint's defaults.
local function default_of(place)
  return place.part or place.name
end

-- The arguments' node without those that the defaults hold: they need not be given.
local function node_without(call)
  local node, required = call.plan.node, {}
  for _, name in ipairs(node.required) do
    if not arguments.is_default(call.plan.places[name], call.defaults) then
      required[#required + 1] = name
    end
  end
  if #required == #node.required then
    return node
  end
  local other = {}
  for keyword, one in next, node do
    other[keyword] = one
  end
  other.required = required
  return other
end

-- --- names ------------------------------------------------------------------------

-- Notes a name that goes on the wire in a part of it; returns a problem if another has it already.
local function claim(call, where, name)
  local key = where .. " " .. name
  if call.claimed[key] then
    return errors.problem(errors.shown(name) .. " is given twice")
  end
  call.claimed[key], call.claimed_names[name] = true, true
end

-- The variables of the route's query whose maps give their own names.
local function exploded_of(operation)
  local exploded = {}
  for _, variable in ipairs(endpoint.variables(operation[1])) do
    if variable.explode and (variable.operator == "?" or variable.operator == "&") then
      exploded[variable.name] = true
    end
  end
  return exploded
end

local function claim_all(call, place, one)
  local is_map = type(one) == "table" and shapes.shape_of(one) == "object"
  if not (is_map and not place.part and call.exploded[place.name]) then
    return claim(call, place.where, place.name)
  end
  for _, name in ipairs(result.sorted(styles.names_of(one))) do
    local found = claim(call, "query", name)
    if found then
      return found
    end
  end
end

-- Is a parameter of the style deepObject given as a value and as an object, such as a=1&a[b]=2?
-- Both would be one value of the document.
local function mixed_problem(call)
  for _, row in ipairs(call.operation.rules.parameters or {}) do
    local place, name, style = row[1], row[2], row[3]
    local is_value = place == "query" and style == "deepObject" and call.claimed["query " .. name]
    for claimed in next, is_value and call.claimed_names or {} do
      if claimed:sub(1, #name + 1) == name .. "[" then
        return errors.problem(errors.shown(name) .. " is given as a value and as an object")
      end
    end
  end
end

-- --- parameters -------------------------------------------------------------------

local function set(call, place, name, one)
  local part = call.options
  if place.part then
    part = call.options[place.part] or {}
    call.options[place.part] = part
  end
  part[name] = one
end

-- Lists below name[] are options of their own, with one pair for each element.
local function add_deep(call, place, name, one)
  local list, found = styles.deep(place.name, one)
  if not list then
    return errors.below(name, found)
  end
  local lists = {}
  for _, pair in ipairs(list) do
    local elements = lists[pair[1]]
    local twice = not elements and claim(call, place.where, pair[1])
    if twice then
      return twice
    elseif pair[1]:find "%[%]$" then
      elements = elements or {}
      lists[pair[1]] = elements
      elements[#elements + 1] = pair[2]
    end
    set(call, place, pair[1], elements or pair[2])
  end
end

-- Adds a parameter of the URL; returns a problem where it cannot be written there.
local function add_parameter(call, place, name, one)
  if place.style == "deep" then
    return add_deep(call, place, name, one)
  end
  local found = claim_all(call, place, one)
  if found then
    return found
  end
  if place.style then
    one, found = styles.text(call.rulebook, call.plan.node.properties[name], one, place.style)
  else
    found = styles.url_problem(one)
  end
  if found then
    return errors.below(name, found)
  end
  set(call, place, place.name, one)
end

-- What is wrong with the text of a header, which a server must read as it is (RFC 9110, section
-- 5.5); nil for nothing.
local function field_problem(written)
  if written:find "%c" then
    return errors.problem "expected no control characters"
  elseif written:find "^ " or written:find " $" then
    return errors.problem "expected no spaces at its ends"
  end
end

-- Adds a header; returns a problem where it cannot be written.
local function add_header(call, place, name, one)
  if arguments.is_default(place, call.defaults) then
    return errors.problem(errors.shown(name) .. " is a default of the endpoint")
  end
  local written, found = styles.text(call.rulebook, {}, one, "")
  found = found or field_problem(written)
  if found then
    return errors.below(name, found)
  end
  call.headers[place.name] = written
end

-- A name that the document does not have: one of the body, or, with --open, of the query.
local function add_unlisted(call, name, one)
  if result.is_option(name) or call.plan.is_reserved[name] then
    return errors.unknown_problem(name, {})
  end
  if call.plan.is_spread then
    call.body = call.body or {}
    call.body[name] = one
    return claim(call, "body", name)
  end
  return add_parameter(call, { name = name, where = "query" }, name, one)
end

local function add_argument(call, name, one)
  local place = call.plan.places[name]
  if not place then
    return add_unlisted(call, name, one)
  elseif place.is_header then
    return add_header(call, place, name, one)
  elseif not place.is_body then
    return add_parameter(call, place, name, one)
  elseif place.is_data then
    call.data, call.has_data = one, true
    return nil
  end
  call.body = call.body or {}
  call.body[place.name] = one
  call.body_names[place.name] = name
end

-- --- the body ---------------------------------------------------------------------

-- The defaults that the endpoint would send in the body, beside what a model gave.
local function add_defaults(call)
  local is_variable = {}
  for _, variable in ipairs(endpoint.variables(call.operation[1])) do
    is_variable[variable.name] = true
  end
  for name, one in next, call.defaults do
    if not result.is_option(name) and not is_variable[name] and call.body[name] == nil then
      call.body[name] = one
    end
  end
end

-- The value of the body; nil if the call has no body.
local function value_of_body(call, rules)
  if not call.plan.is_spread then
    return call.data, call.has_data
  end
  if not call.body and not rules.needs_body then
    return nil, false
  end
  call.body = call.body or {}
  add_defaults(call)
  return call.body, true
end

-- Adds the body; returns a problem where it cannot be written.
local function add_body(call, rules)
  local given, is_given = value_of_body(call, rules)
  if not is_given then
    return nil
  end
  local written, about = body.text(call.rulebook, rules, given)
  if not written and not call.plan.is_spread then
    return errors.below("data", about)
  elseif not written then
    local name = about.inner and (call.body_names[about.key] or about.key)
    return name and errors.below(name, about.inner) or about
  end
  call.options.data, call.headers["content-type"] = written, about
end

-- --- the whole --------------------------------------------------------------------

-- The names of a call that the endpoint's defaults must not hold.
local function names_to_ask(call, kept)
  local asked = {}
  local function add(given)
    for name in next, given do
      if not result.is_option(name) then
        asked[name] = true
      end
    end
  end
  add(call.claimed_names)
  add(call.options)
  add(call.body or {})
  if type(call.data) == "table" and type((next(call.data))) == "string" then
    add(call.data)
  end
  for name in next, kept do
    local place = call.plan.places[name]
    if place and not place.is_body and not place.is_header then
      asked[default_of(place)] = true
    end
  end
  return asked
end

-- Adds all arguments. Returns what is wrong with them, a list of at most problems.MOST.
local function add_all(call, kept)
  local names, found = {}, {}
  for name in next, kept do
    if type(name) ~= "string" then
      return { errors.problem "expected names that are strings" }
    end
    names[#names + 1] = name
  end
  for _, name in ipairs(result.sorted(names)) do
    if #found < problems.MOST then
      found[#found + 1] = add_argument(call, name, kept[name])
    end
  end
  if not found[1] then
    local sentence = parameters.refusal(names_to_ask(call, kept), call.api)
    found[1] = sentence and errors.problem(sentence) or mixed_problem(call)
  end
  return found
end

-- All that is wrong with the arguments as one sentence, and as a list.
local function all_sentences(call, all)
  local renamed = {}
  for position, found in ipairs(all) do
    renamed[position] = renames.renamed_problem(call.plan.renames, found)
  end
  return problems.sentence(renamed, errors.sentence), problems.told(renamed)
end

-- The options of a call; or nil, a sentence, and a list of the problems in it.
-- api: the endpoint of the call.
function options.of_call(rulebook, operation, given, api)
  local call = {
    rulebook = rulebook,
    operation = operation,
    plan = arguments.of_operation(rulebook, operation),
    api = api,
    defaults = api.DEFAULTS,
    exploded = exploded_of(operation),
    options = {},
    headers = {},
    claimed = {},
    claimed_names = {},
    body_names = {},
  }
  local kept, first = kept_of(call, given)
  local all = not kept and { first } or problems.all(rulebook, node_without(call), kept)
  if not all[1] then
    all = add_all(call, kept)
  end
  if not all[1] then
    all = { add_body(call, operation.rules) }
  end
  if all[1] then
    return nil, all_sentences(call, all)
  end
  call.options.headers = next(call.headers) ~= nil and call.headers or nil
  return call.options
end

return options
