-- SPDX-License-Identifier: MIT
-- Validates a Lua value by JSON Schema 2020-12. Values may come from strangers: no metamethod is
-- called, each table is looked at once for each numbered node, and errors show few of its bytes.
--
-- An *instance* is the value that is validated, as JSON Schema calls it. A *node* is a schema as a
-- Lua table with JSON Schema's own keywords. `{}` takes any value, and `false`, which may be
-- wherever a node may, takes none. A *rulebook* has all nodes of a file that endpoint-types wrote:
-- some of them by number, in rulebook.schemas. endpoint.types.rules writes the nodes so that they
-- differ from JSON Schema in these points. Properties that only responses have (readOnly) are left
-- out.
--   ref            the number of another node, which is rulebook.schemas[ref], or
--                  rulebook.node(node); only `description` may be beside it
--   enum           has const, too; null is endpoint.null; values may be tables
--   allOf          has only what cannot be said in the node itself: the properties, required names,
--                  types and limits of plain schemas in an allOf are merged into the node
--   tag            { of = "anyOf", property = name, values = { [value] = position } }: which
--                  alternative an object means by a property; a list of positions where several
--                  have the value. If it `is_proven`, no other can fit; else it says whose problem
--                  is told
--   discriminator  { propertyName = name, mapping = { [value] = node } }: what an object may be, by
--                  the value of a property, of the schemas that include this one by allOf. It
--                  refuses nothing; models are told of it
--   is_closed      additionalProperties = false is the document's own word: it holds for responses,
--                  too
--   format         is known to the rules, and not checked
--   $dynamicRef    true: it is not followed, and not checked either. What it may have evaluated
--                  counts as evaluated
-- Older forms are translated: items as a list, additionalItems, dependencies, definitions,
-- exclusiveMinimum = true, nullable. Unless the rules are open (--open), an object that has
-- properties has additionalProperties = false, and the names that its alternatives describe are
-- among its properties, as {}.
local value = {}

local type = type
local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local shapes = require "endpoint.checks.validator.shapes"

local problem, shape_of = errors.problem, shapes.shape_of

-- A value that is deeper is refused. The stack of Lua ends some thousand calls later; schemas that
-- are in each other for one value, allOf in anyOf and so on, must not reach it either.
local DEEPEST, DEEPEST_CALLS = 200, 1000

-- All keywords as { word, kind, function }, in the order in which they are asked.
local KEYWORDS = {}
for _, vocabulary in ipairs {
  require "endpoint.checks.validator.keywords.values",
  require "endpoint.checks.validator.keywords.scalars",
  require "endpoint.checks.validator.keywords.lists",
  require "endpoint.checks.validator.keywords.objects",
  require "endpoint.checks.validator.keywords.logic",
  require "endpoint.checks.validator.keywords.unevaluated",
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
--   plan             the functions for each kind of instance
--   has_applicators  does it have in-place applicators: keywords, such as anyOf, that apply other
--                    nodes to the same instance? Only then can a node meet itself
--   direct           by the type of Lua, for strings, numbers and booleans: the functions that
--                    alone decide, or false if all values are valid; nil if other nodes decide, too
local function prepare(node)
  local plan, direct, has_applicators = {}, {}, false
  for _, kind in ipairs(KINDS) do
    plan[kind] = functions_of(node, kind)
  end
  for _, row in ipairs(KEYWORDS) do
    has_applicators = has_applicators or row.applies_in_place == true and node[row[1]] ~= nil
  end
  for _, kind in ipairs(node.ref == nil and not has_applicators and SCALARS or {}) do
    direct[kind] = plan[kind] or false
  end
  -- `direct` comes last: where memory lacks before that, the node is prepared again.
  node.plan = plan
  node.has_applicators = has_applicators
  node.direct = direct
  return direct
end

local function has_applicators(node)
  if node.has_applicators == nil then
    prepare(node)
  end
  return node.has_applicators
end

local function kind_of(check, instance)
  local kind = type(instance)
  if kind == "table" then
    return check.shape
  elseif kind == "string" or kind == "number" or kind == "boolean" then
    return kind
  end
  return instance == NULL and "null" or "other"
end

-- --- a value against a node -------------------------------------------------------

-- Calls the functions of a node until one of them finds a problem. Most nodes have one or two of
-- them, and LuaJIT compiles no loop that ends at once.
local function ask_all(check, node, instance, list, mark)
  local found, second = list[1](check, node, instance, mark), list[2]
  if found or not second then
    return found
  end
  found = second(check, node, instance, mark)
  if found or not list[3] then
    return found
  end
  for position = 3, #list do
    found = list[position](check, node, instance, mark)
    if found then
      return found
    end
  end
end

-- What a node says of a table, or of what other nodes evaluate, too.
local function ask(check, node, instance, list)
  if check.depth >= DEEPEST_CALLS then
    return problem "nested too deep"
  end
  check.depth = check.depth + 1
  local evaluated = check.evaluated
  local mark = evaluated and #evaluated
  local found = ask_all(check, node, instance, list, mark)
  check.depth = check.depth - 1
  if found and evaluated then
    check.forget(check, mark)
  end
  return found
end

local NO_VALUE = problem "expected no value here"

local evaluate -- which the functions below call

-- The *outcome* of an instance under a numbered node, which is kept for the next time:
--   problem        what is wrong; nil if the instance is valid
--   is_uncertain   is it valid only perhaps, since a rule was left out?
--   evaluated      a list of the names and positions in it that were evaluated; nil for none
local VALID = {}
local HOLDS_ITSELF = { problem = { words = "holds itself", rank = 0 } }

-- Does to a check what the evaluation did that had this outcome. Returns the problem.
local function apply_outcome(check, outcome)
  check.is_uncertain = check.is_uncertain or outcome.is_uncertain or false
  for _, key in ipairs(outcome.evaluated or {}) do
    table.insert(check.evaluated, key)
  end
  return outcome.problem
end

-- Leaves each name or position that was noted after a mark once. Nodes that lead to each other in
-- several ways would double the number of notes with each of them.
local function keep_once(evaluated, mark)
  local is_kept, last = {}, mark
  for position = mark + 1, #evaluated do
    local key = evaluated[position]
    evaluated[position] = nil
    if not is_kept[key] then
      is_kept[key], last = true, last + 1
      evaluated[last] = key
    end
  end
end

-- The outcome of an evaluation that began at a mark.
local function outcome_of(check, found, mark)
  if found then
    return { problem = found }
  end
  local evaluated = check.evaluated
  if not check.is_uncertain and not (evaluated and evaluated[mark + 1] ~= nil) then
    return VALID
  end
  local keys = {}
  if evaluated then
    keep_once(evaluated, mark)
    for position = mark + 1, #evaluated do
      keys[#keys + 1] = evaluated[position]
    end
  end
  return { is_uncertain = check.is_uncertain, evaluated = keys }
end

-- Evaluates an instance by a numbered node, once for each instance. It is nil if an element was
-- removed after the list was counted.
local function evaluate_numbered(check, number, instance)
  local node = check.rulebook.schemas[number]
  local is_kept = type(instance) == "table" or node and instance ~= nil and has_applicators(node)
  if not node or not is_kept then
    return evaluate(check, node, instance)
  end
  check.outcomes = check.outcomes or {}
  local known = check.outcomes[number] or {}
  if known[instance] then
    return apply_outcome(check, known[instance])
  end
  check.outcomes[number], known[instance] = known, HOLDS_ITSELF
  local was_uncertain, mark = check.is_uncertain, check.evaluated and #check.evaluated or 0
  check.is_uncertain = false
  local found = evaluate(check, node, instance)
  known[instance] = outcome_of(check, found, mark)
  check.is_uncertain = was_uncertain or check.is_uncertain
  return found
end

-- What is wrong with a value that was looked at before, under another node.
function evaluate(check, node, instance)
  if not node then
    return NO_VALUE
  end
  local list = (node.direct or prepare(node))[type(instance)]
  if list then
    return ask_all(check, node, instance, list)
  elseif list == false then
    return nil
  elseif node.ref then
    return evaluate_numbered(check, node.ref, instance)
  end
  list = node.plan[kind_of(check, instance)]
  return list and ask(check, node, instance, list)
end

-- --- tables -----------------------------------------------------------------------

local function evaluate_as(check, node, instance, shape)
  check.shape = shape
  return evaluate(check, node, instance)
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

-- The node of a value whose own words are told: where it leads to another one, that.
local function final_of(check, node)
  return node and node.ref and check.rulebook.schemas[node.ref] or node
end

-- An empty table without a mark is a list or an object, whichever fits.
local function empty_problem(check, node, instance)
  local final, outcomes = final_of(check, node), check.outcomes
  local first, second = "object", "array"
  if means_lists(final) then
    first, second = second, first
  end
  check.outcomes = false
  local found = evaluate_as(check, node, instance, first)
  if found and not (first == "array" and final.type == nil) then
    check.outcomes = false
    local other = evaluate_as(check, node, instance, second)
    -- That it is not an object, or not a list, says less than anything else.
    found = other and (found.rank == 1 and other or found)
  end
  check.outcomes = outcomes
  return found
end

local function table_problem(check, node, instance)
  if check.level >= DEEPEST then
    return problem "nested too deep"
  end
  local shape, size = shape_of(instance)
  if shape == "neither" then
    return shapes.problem(final_of(check, node), instance)
  end
  local evaluated, former, former_size = check.evaluated, check.shape, check.size
  check.level, check.evaluated = check.level + 1, evaluated and {}
  check.shape, check.size = shape, size
  local look = shape == "empty" and node and empty_problem or evaluate
  local found = look(check, node, instance)
  check.level, check.evaluated = check.level - 1, evaluated
  check.shape, check.size = former, former_size
  return found
end

-- What is wrong with a value that has a place of its own: a property, an element, or the whole.
local function descend(check, node, instance)
  local kind = type(instance)
  if node and (kind == "string" or kind == "boolean") then
    local list = (node.direct or prepare(node))[kind]
    if list == false then
      return nil
    elseif list then
      return ask_all(check, node, instance, list)
    end
  elseif kind == "table" then
    return table_problem(check, node, instance)
  elseif kind == "number" and instance - instance ~= 0 then
    return shapes.number_problem(final_of(check, node), instance)
  elseif kind == "cdata" then
    instance = tonumber(instance) or instance
  elseif kind == "userdata" and shapes.is_empty_list(instance) then
    return table_problem(check, node, shapes.EMPTY_LIST)
  end
  return evaluate(check, node, instance)
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
--   evaluate, descend   functions that evaluate the same instance, or one at another place, by
--                       another node
--   shape, size         of the table at this place: "array" or "object", and how many elements or
--                       names it has
--   evaluated           the names and positions that keywords have evaluated in the value at this
--                       place, for unevaluatedProperties and unevaluatedItems; false in rules that
--                       have neither
--   is_uncertain        was a rule left out, so that the value may not fit? Then `not`, `oneOf` and
--                       others that turn a fit into a problem find none
--   exhausted           the problem of a pattern that took too many steps
--   in_order            is of several names that are wrong the first one told, by `<`? Else any
--   outcomes, identities
--                       what evaluate_numbered and identity.lua know of tables
-- Each has a value from the beginning, for LuaJIT is slow with fields that come and go.
local function new_check(rulebook)
  return {
    rulebook = rulebook,
    evaluate = evaluate,
    descend = descend,
    forget = forget,
    depth = 0,
    level = 0,
    is_uncertain = false,
    evaluated = rulebook.has_unevaluated and {} or false,
    shape = false,
    size = 0,
    outcomes = false,
    identities = false,
    exhausted = false,
    in_order = false,
  }
end

-- Does a node say nothing, so that any value fits?
function value.takes_all(rulebook, node)
  node = node and rulebook.node(node)
  if node and not node.plan then
    prepare(node)
  end
  return node and next(node.plan) == nil
end

-- Which of several problems is found first depends on the order of `next`. It changes from run to
-- run. So the problem that is told is looked for again, in order.
local function problem_in_order(check, node, instance)
  check.identities, check.outcomes, check.in_order = false, false, true
  local found = descend(check, node, instance)
  check.in_order = false
  return found
end

-- What is wrong with an instance, nil if it is valid. rulebook: `schemas`, the nodes by number;
-- `has_unevaluated`, do some of them ask what the others have evaluated?
function value.problem(rulebook, node, instance)
  local kind, list = type(instance), nil
  if node and (kind ~= "number" or instance - instance == 0) then
    list = (node.direct or prepare(node))[kind]
    if list == false then
      return nil
    end
  end
  local check = rulebook.idle or new_check(rulebook)
  rulebook.idle = false -- a check that an error has broken off is not used again
  local found
  if list then
    found = ask_all(check, node, instance, list)
  else
    found = descend(check, node, instance)
  end
  if found and kind == "table" and not check.exhausted then
    found = problem_in_order(check, node, instance) or found
  end
  found = check.exhausted or found
  check.identities, check.exhausted, check.outcomes = false, false, false
  rulebook.idle = check
  return found
end

return value
