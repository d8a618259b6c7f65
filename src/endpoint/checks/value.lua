-- SPDX-License-Identifier: MIT
-- A Lua value against a node. Values may come from strangers: no metamethod is called, each table
-- is looked at once for each numbered node, and errors show few of its bytes.
--
-- A node is a JSON Schema (2020-12) in its own words, as a Lua table; `{}` takes any value, and
-- `false`, which may be wherever a node may, takes none. endpoint.types.rules writes it so that
-- it differs in a few points only. Properties that only responses have (readOnly) are left out.
--   ref            the number of another node, which is own.schemas[ref], or own.node(node); beside
--                  it only `description` may be given
--   enum           has const, too; null is endpoint.null; values may be tables
--   allOf          has only what cannot be said in the node itself: the properties, required names,
--                  types and limits of plain schemas in an allOf are merged into the node
--   discriminator  { propertyName = name, mapping = { [value] = node } }: the node of the value's
--                  schema. A value that is not in the mapping is wrong; a table without the
--                  property must fit the other words
--   format         is known to the rules, and not judged
--   $dynamicRef    true; so is this, and what it may have judged counts as judged
-- Older forms are translated: items as a list, additionalItems, dependencies, definitions,
-- exclusiveMinimum = true, nullable. Unless the rules are open (--open), an object that has
-- properties has additionalProperties = false, and the names that its alternatives describe are
-- among its properties, as {}.
local value = {}

local type = type
local NULL = require "endpoint".null
local errors = require "endpoint.checks.errors"
local shapes = require "endpoint.checks.shapes"

local problem, shape_of = errors.problem, shapes.shape_of

-- A value that is deeper is refused. The stack of Lua ends some thousand calls later; schemas that
-- are in each other for one value, allOf in anyOf and so on, must not reach it either.
local DEEPEST, DEEPEST_CALLS = 200, 1000

-- All keywords as { word, kind, function }, in the order in which they are asked.
local KEYWORDS = {}
for _, vocabulary in ipairs {
  require "endpoint.checks.keywords.values",
  require "endpoint.checks.keywords.scalars",
  require "endpoint.checks.keywords.lists",
  require "endpoint.checks.keywords.objects",
  require "endpoint.checks.keywords.logic",
  require "endpoint.checks.keywords.unevaluated",
} do
  for _, row in ipairs(vocabulary) do
    KEYWORDS[#KEYWORDS + 1] = row
  end
end

-- --- what a node asks -------------------------------------------------------------

local KINDS = { "string", "number", "boolean", "null", "array", "object", "other" }
local SCALARS = { "string", "number", "boolean" }

-- Has a keyword of the node to be asked about values of a kind? A row may say by other keywords
-- that it need not be, and may know beforehand that all values of a kind fit.
local function is_asked(node, row, kind)
  if node[row[1]] == nil or row[2] ~= "any" and row[2] ~= kind then
    return false
  elseif row.is_needed and not row.is_needed(node) then
    return false
  end
  return not (row.takes_all and row.takes_all(node, kind))
end

-- The functions of a node for values of a kind, nil if all of them fit.
local function functions_of(node, kind)
  local list
  for _, row in ipairs(KEYWORDS) do
    if is_asked(node, row, kind) then
      list = list or {}
      list[#list + 1] = row[3]
    end
  end
  return list
end

-- Prepares a node when it is met first. It keeps:
--   plan         the functions for each kind of value
--   is_compound  do other nodes judge the same value? Only then can a node meet itself
--   direct       by the type of Lua, for strings, numbers and booleans: the functions that alone
--                decide, or false if all values fit; nothing if other nodes decide, too
local function prepare(node)
  local plan, direct, is_compound = {}, {}, false
  for _, kind in ipairs(KINDS) do
    plan[kind] = functions_of(node, kind)
  end
  for _, row in ipairs(KEYWORDS) do
    is_compound = is_compound or row.applies_in_place == true and node[row[1]] ~= nil
  end
  for _, kind in ipairs(node.ref == nil and not is_compound and SCALARS or {}) do
    direct[kind] = plan[kind] or false
  end
  node.plan, node.is_compound, node.direct = plan, is_compound, direct
  return direct
end

local function is_compound(node)
  if node.is_compound == nil then
    prepare(node)
  end
  return node.is_compound
end

local function kind_of(check, given)
  local kind = type(given)
  if kind == "table" then
    return check.shape
  elseif kind == "string" or kind == "number" or kind == "boolean" then
    return kind
  end
  return given == NULL and "null" or "other"
end

-- --- a value against a node -------------------------------------------------------

-- Calls the functions of a node until one of them finds a problem. Most nodes have one or two of
-- them, and LuaJIT compiles no loop that ends at once.
local function ask_all(check, node, given, list, mark)
  local found, second = list[1](check, node, given, mark), list[2]
  if found or not second then
    return found
  end
  found = second(check, node, given, mark)
  if found or not list[3] then
    return found
  end
  for position = 3, #list do
    found = list[position](check, node, given, mark)
    if found then
      return found
    end
  end
end

-- What a node says of a table, or of what other nodes judge, too.
local function ask(check, node, given, list)
  if check.depth >= DEEPEST_CALLS then
    return problem "nested too deep"
  end
  check.depth = check.depth + 1
  local evaluated = check.evaluated
  local mark = evaluated and #evaluated
  local found = ask_all(check, node, given, list, mark)
  check.depth = check.depth - 1
  if found and evaluated then
    check.forget(check, mark)
  end
  return found
end

local NO_VALUE = problem "expected no value here"
local HOLDS_ITSELF = { words = "holds itself", rank = 0 }

local evaluate -- which the functions below call

-- What a numbered node has said of a value before: a problem, or false, or what is known of one
-- that fits.
local function recalled(check, known)
  if known == false then
    return nil
  elseif not known.fits then
    return known
  end
  check.is_uncertain = check.is_uncertain or known.is_uncertain
  for _, place in ipairs(known.evaluated or {}) do
    table.insert(check.evaluated, place)
  end
end

-- What is to be known of a value that fits a numbered node.
local function fit(check, mark)
  local evaluated = check.evaluated
  if not check.is_uncertain and not (evaluated and evaluated[mark + 1] ~= nil) then
    return false
  end
  local places = {}
  for position = mark + 1, evaluated and #evaluated or 0 do
    places[#places + 1] = evaluated[position]
  end
  return { fits = true, is_uncertain = check.is_uncertain, evaluated = places }
end

-- A value against a numbered node, which looks at each value once.
local function evaluate_shared(check, number, given)
  local node = check.own.schemas[number]
  if not node or type(given) ~= "table" and not is_compound(node) then
    return evaluate(check, node, given)
  end
  check.seen = check.seen or {}
  local known = check.seen[number] or {}
  if known[given] ~= nil then
    return recalled(check, known[given])
  end
  check.seen[number], known[given] = known, HOLDS_ITSELF
  local was_uncertain, mark = check.is_uncertain, check.evaluated and #check.evaluated or 0
  check.is_uncertain = false
  local found = evaluate(check, node, given)
  known[given] = found or fit(check, mark)
  check.is_uncertain = was_uncertain or check.is_uncertain
  return found
end

-- What is wrong with a value that was looked at before, under another node.
function evaluate(check, node, given)
  if not node then
    return NO_VALUE
  end
  local list = (node.direct or prepare(node))[type(given)]
  if list then
    return ask_all(check, node, given, list)
  elseif list == false then
    return nil
  elseif node.ref then
    return evaluate_shared(check, node.ref, given)
  end
  list = node.plan[kind_of(check, given)]
  return list and ask(check, node, given, list)
end

-- --- tables -----------------------------------------------------------------------

local function evaluate_as(check, node, given, shape)
  check.shape = shape
  return evaluate(check, node, given)
end

-- Limits of how many elements there are. What has one means lists.
local LIST_LIMITS = { "minItems", "minContains", "maxContains" }

local function means_lists(node)
  local has_limit = node.type == "array"
  for _, keyword in ipairs(LIST_LIMITS) do
    has_limit = has_limit or node.type == nil and node[keyword] ~= nil
  end
  return has_limit
end

-- An empty table without a mark is a list or an object, whichever fits.
local function empty_problem(check, node, given)
  local final, seen = node.ref and check.own.schemas[node.ref] or node, check.seen
  local first, second = "object", "array"
  if means_lists(final) then
    first, second = second, first
  end
  check.seen = false
  local found = evaluate_as(check, node, given, first)
  if found and not (first == "array" and final.type == nil) then
    check.seen = false
    local other = evaluate_as(check, node, given, second)
    -- That it is not an object, or not a list, says less than anything else.
    found = other and (found.rank == 1 and other or found)
  end
  check.seen = seen
  return found
end

local function table_problem(check, node, given)
  if check.level >= DEEPEST then
    return problem "nested too deep"
  end
  local shape, size = shape_of(given)
  if shape == "neither" then
    return shapes.problem(node and node.ref and check.own.schemas[node.ref] or node, given)
  end
  local evaluated, former, former_size = check.evaluated, check.shape, check.size
  check.level, check.evaluated = check.level + 1, evaluated and {}
  check.shape, check.size = shape, size
  local look = shape == "empty" and node and empty_problem or evaluate
  local found = look(check, node, given)
  check.level, check.evaluated = check.level - 1, evaluated
  check.shape, check.size = former, former_size
  return found
end

-- What is wrong with a value that has a place of its own: a property, an element, or the whole.
local function descend(check, node, given)
  local kind = type(given)
  if node and (kind == "string" or kind == "boolean") then
    local list = (node.direct or prepare(node))[kind]
    if list == false then
      return nil
    elseif list then
      return ask_all(check, node, given, list)
    end
  elseif kind == "table" then
    return table_problem(check, node, given)
  elseif kind == "number" and given - given ~= 0 then
    return errors.type_problem({ errors.TYPES.number }, given)
  elseif kind == "cdata" then
    given = tonumber(given) or given
  elseif kind == "userdata" and shapes.is_empty_list(given) then
    return table_problem(check, node, shapes.EMPTY_LIST)
  end
  return evaluate(check, node, given)
end

-- --- the whole --------------------------------------------------------------------

-- Forgets the names and positions that were noted after a mark: what noted them does not hold.
local function forget(check, mark)
  local evaluated = check.evaluated
  for position = #evaluated, mark + 1, -1 do
    evaluated[position] = nil
  end
end

-- What the keywords work with:
--   evaluate, descend   functions that judge the same value, or one at another place, by another
--                       node
--   shape, size         of the table at this place: "array" or "object", and how many elements or
--                       names it has
--   evaluated           the names and positions that keywords have judged in the value at this
--                       place, for unevaluatedProperties and unevaluatedItems; false in rules that
--                       have neither
--   is_uncertain        was a rule left out, so that the value may not fit? Then `not`, `oneOf` and
--                       others that turn a fit into a problem find none
--   exhausted           the problem of a pattern that took too many steps
--   seen, identities    what evaluate_shared and identity.lua know of tables
-- Each has a value from the beginning, for LuaJIT is slow with fields that come and go.
local function new_check(own)
  return {
    own = own,
    evaluate = evaluate,
    descend = descend,
    forget = forget,
    depth = 0,
    level = 0,
    is_uncertain = false,
    evaluated = own.has_unevaluated and {} or false,
    shape = false,
    size = 0,
    seen = false,
    identities = false,
    exhausted = false,
  }
end

-- Does a node say nothing, so that any value fits?
function value.takes_all(own, node)
  node = node and own.node(node)
  if node and not node.plan then
    prepare(node)
  end
  return node and next(node.plan) == nil
end

-- What is wrong with a value, nil if nothing is. own: `schemas`, the nodes by number;
-- `has_unevaluated`, do some of them ask what the others have judged?
function value.problem(own, node, given)
  local kind, list = type(given), nil
  if node and (kind ~= "number" or given - given == 0) then
    list = (node.direct or prepare(node))[kind]
    if list == false then
      return nil
    end
  end
  local check = own.idle or new_check(own)
  own.idle = false -- a check that an error has broken off is not used again
  local found
  if list then
    found = ask_all(check, node, given, list)
  else
    found = descend(check, node, given)
  end
  found = check.exhausted or found
  check.identities, check.exhausted, check.seen = false, false, false
  own.idle = check
  return found
end

return value
