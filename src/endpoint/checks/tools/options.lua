-- SPDX-License-Identifier: MIT
-- What a model asked for as the options of a call. Only names that the document has become options;
-- the body is one text. So a model's table reaches no option, no default and no encoder.
local options = {}

local NULL = require "endpoint".null
local arguments = require "endpoint.checks.tools.arguments"
local body = require "endpoint.checks.tools.body"
local endpoint = require "endpoint"
local errors = require "endpoint.checks.errors"
local parameters = require "endpoint.parameters"
local renames = require "endpoint.checks.tools.renames"
local result = require "endpoint.result"
local styles = require "endpoint.checks.tools.styles"
local value = require "endpoint.checks.value"

-- The most names that a model may give: Lua's stack holds some 3,900.
local MOST_NAMES = 1000

-- --- what was given ---------------------------------------------------------------

-- Is an argument null that need not be there, and can be no null? Models write it for what they
-- leave out.
local function is_left_out(to, name, one)
  local place = to.made.places[name]
  if one ~= NULL or not place or place.is_required then
    return false
  end
  return not place.is_body or value.problem(to.own, to.made.node.properties[name], NULL) ~= nil
end

-- The arguments with the document's names in their tables, without those that are left out.
local function kept_of(to, given)
  local kept, count = {}, 0
  for name, one in next, given do
    if not is_left_out(to, name, one) then
      local node = to.made.node.properties[name] or to.made.node.additionalProperties or nil
      kept[name] = renames.restored(to.own, to.made.renames, node, one)
      count = count + 1
    end
  end
  return kept, count
end

-- The name that an argument has for the endpoint's defaults.
local function default_of(place)
  return place.part or place.name
end

-- The arguments' node without those that the defaults hold: they need not be given.
local function node_without(to)
  local node, required = to.made.node, {}
  for _, name in ipairs(node.required) do
    if to.defaults[default_of(to.made.places[name])] == nil then
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

-- Notes a name that goes on the wire; returns a sentence if another has it already.
local function claim(to, name)
  if to.claimed[name] then
    return errors.shown(name) .. " is given twice"
  end
  to.claimed[name] = true
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

local function claim_all(to, place, one)
  local is_map = type(one) == "table" and type((next(one))) == "string"
  if not (is_map and not place.part and to.exploded[place.name]) then
    return claim(to, place.name)
  end
  for name in next, one do
    local sentence = claim(to, name)
    if sentence then
      return sentence
    end
  end
end

-- --- parameters -------------------------------------------------------------------

local function set(to, place, name, one)
  local part = to.options
  if place.part then
    part = to.options[place.part] or {}
    to.options[place.part] = part
  end
  part[name] = one
end

local function sentence_of(to, name, found)
  return errors.sentence(renames.told(to.made.renames, errors.below(name, found)))
end

-- Lists below name[] are options of their own, with one pair for each element.
local function add_deep(to, place, name, one)
  local list, found = styles.deep(place.name, one)
  if not list then
    return sentence_of(to, name, found)
  end
  local lists = {}
  for _, pair in ipairs(list) do
    if pair[1]:find "%[%]$" then
      local elements = lists[pair[1]] or {}
      lists[pair[1]] = elements
      elements[#elements + 1] = pair[2]
      set(to, place, pair[1], elements)
    else
      set(to, place, pair[1], pair[2])
    end
    to.claimed[pair[1]] = true
  end
end

-- Adds a parameter of the URL; returns a sentence where it cannot be written there.
local function add_parameter(to, place, name, one)
  if place.style == "deep" then
    return add_deep(to, place, name, one)
  end
  local sentence = claim_all(to, place, one)
  if sentence then
    return sentence
  end
  local found
  if place.style then
    one, found = styles.text(to.own, to.made.node.properties[name], one, place.style)
  else
    found = styles.url_problem(one)
  end
  if found then
    return sentence_of(to, name, found)
  end
  set(to, place, place.name, one)
end

-- A name that the document does not have: one of the body, or, with --open, of the query.
local function add_unlisted(to, name, one)
  if result.is_option(name) or to.made.is_reserved[name] then
    return "no parameter " .. errors.shown(name)
  end
  if to.made.is_spread then
    to.body = to.body or {}
    to.body[name] = one
    return claim(to, name)
  end
  return add_parameter(to, { name = name }, name, one)
end

local function add_argument(to, name, one)
  local place = to.made.places[name]
  if not place then
    return add_unlisted(to, name, one)
  elseif not place.is_body then
    return add_parameter(to, place, name, one)
  elseif place.is_data then
    to.data, to.has_data = one, true
    return nil
  end
  to.body = to.body or {}
  to.body[place.name] = one
  to.body_names[place.name] = name
end

-- --- the body ---------------------------------------------------------------------

-- The defaults that the endpoint would send in the body, beside what a model gave.
local function add_defaults(to)
  local is_variable = {}
  for _, variable in ipairs(endpoint.variables(to.operation[1])) do
    is_variable[variable.name] = true
  end
  for name, one in next, to.defaults do
    if not result.is_option(name) and not is_variable[name] and to.body[name] == nil then
      to.body[name] = one
    end
  end
end

-- The value of the body; nil if there is none.
local function value_of_body(to, rules)
  if not to.made.is_spread then
    return to.data, to.has_data
  end
  if not to.body and not rules.needs_body then
    return nil, false
  end
  to.body = to.body or {}
  add_defaults(to)
  return to.body, true
end

-- Adds the body; returns a sentence where it cannot be written.
local function add_body(to, rules)
  local given, is_given = value_of_body(to, rules)
  if not is_given then
    return nil
  end
  local written, about = body.text(to.own, rules, given)
  if not written then
    local found = about
    if to.made.is_spread and found.inner then
      found = errors.below(to.body_names[found.key] or found.key, found.inner)
    elseif not to.made.is_spread then
      found = errors.below("data", found)
    end
    return errors.sentence(renames.told(to.made.renames, found))
  end
  to.options.data, to.options.headers = written, { ["content-type"] = about }
end

-- --- the whole --------------------------------------------------------------------

-- The names of a call that the endpoint's defaults must not hold.
local function names_to_ask(to, kept)
  local asked = {}
  local function add(given)
    for name in next, given do
      if not result.is_option(name) then
        asked[name] = true
      end
    end
  end
  add(to.claimed)
  add(to.options)
  add(to.body or {})
  if type(to.data) == "table" and type((next(to.data))) == "string" then
    add(to.data)
  end
  for name in next, kept do
    local place = to.made.places[name]
    if place and not place.is_body then
      asked[default_of(place)] = true
    end
  end
  return asked
end

local function add_all(to, kept)
  for name, one in next, kept do
    local sentence = type(name) ~= "string" and "expected names that are texts"
      or add_argument(to, name, one)
    if sentence then
      return sentence
    end
  end
  return to.api and parameters.refusal(names_to_ask(to, kept), to.api)
end

-- The options of a call; or nil and a sentence. api: the endpoint of the call, nil if it is not
-- known.
function options.of(own, operation, given, api)
  local to = {
    own = own,
    operation = operation,
    made = arguments.of(own, operation),
    api = api,
    defaults = api and api.DEFAULTS or {},
    exploded = exploded_of(operation),
    options = {},
    claimed = {},
    body_names = {},
  }
  local kept, count = kept_of(to, given)
  if count > MOST_NAMES then
    return nil, ("expected at most %d arguments, got %d"):format(MOST_NAMES, count)
  end
  local found = value.problem(own, node_without(to), kept)
  if found then
    return nil, renames.sentence(to.made.renames, found)
  end
  local sentence = add_all(to, kept) or add_body(to, operation.rules)
  if sentence then
    return nil, sentence
  end
  return to.options
end

return options
