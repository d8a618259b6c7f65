-- SPDX-License-Identifier: MIT
-- All problems of an instance. The validator stops at the first, and nearly all instances have
-- none; so they are looked for by a second walk, through properties and elements one by one.
-- Several alternatives give one problem.
local problems = {}

local errors = require "endpoint.checks.validator.errors"
local keywords = require "endpoint.checks.validator.keywords"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"
local value = require "endpoint.checks.validator.value"

local NONE = {}

-- How many are told, and how deep they are looked for.
local MOST, DEEPEST = 20, 200

-- In-place applicators look at the whole of what is below them. So below a node that has some,
-- properties are looked at one by one only this often: otherwise each level would look at all
-- deeper ones.
local MOST_APPLICATORS = 4

problems.MOST = MOST

-- --- a node by itself ---------------------------------------------------------------

local APPLICATORS = { "anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas", "contains" }

local function has_applicators(node)
  for _, word in ipairs(APPLICATORS) do
    if node[word] ~= nil then
      return true
    end
  end
  return node.unevaluatedProperties ~= nil or node.unevaluatedItems ~= nil
end

local function copied(node, to, words)
  for _, word in ipairs(words) do
    to[word] = node[word]
  end
end

-- Nodes that any value fits, in the places of others.
local function any_of(map)
  local made = {}
  for key in next, map do
    made[key] = {}
  end
  return made
end

-- What a node says beside what its properties, elements and names say one by one.
local function without_children(node)
  local rest = node.without_children
  if rest then
    return rest
  end
  rest = { dependentRequired = node.dependentRequired, tag = node.tag }
  for _, words in ipairs {
    keywords.WITHOUT_NODES,
    keywords.WITH_NODE,
    keywords.WITH_LIST,
    keywords.WITH_MAP,
  } do
    copied(node, rest, words)
  end
  rest.required = nil
  rest.properties = node.properties and any_of(node.properties)
  rest.prefixItems = node.prefixItems and any_of(node.prefixItems)
  rest.items = node.items ~= nil and {} or nil
  if not node.patternProperties then
    rest.additionalProperties = node.additionalProperties ~= nil and {} or nil
  end
  node.without_children = rest
  return rest
end

-- --- the walk -----------------------------------------------------------------------

local collect -- which the functions below call

local function add(walk, found)
  if found and #walk.list < MOST then
    walk.list[#walk.list + 1] = found
  end
end

-- Was the place of a value that fits no node at all, such as a list with a hole, told from a mark
-- on? Every node that is asked about it finds the same.
local function is_told(walk, mark, found)
  local place, last = errors.place_of(found)
  for position = last.names and mark + 1 or #walk.list + 1, #walk.list do
    if errors.place_of(walk.list[position]) == place then
      return true
    end
  end
  return false
end

-- What was found from a place of the list on is below a key.
local function put_below(walk, mark, key)
  for position = mark + 1, #walk.list do
    walk.list[position] = errors.below(key, walk.list[position])
  end
end

local function collect_below(walk, node, instance, key, spare)
  local mark = #walk.list
  walk.depth = walk.depth + 1
  collect(walk, node, rawget(instance, key), spare)
  walk.depth = walk.depth - 1
  put_below(walk, mark, key)
end

local function collect_names(walk, node, instance, spare)
  local names, known = {}, node.properties or NONE
  for name in next, instance do
    names[#names + 1] = name
  end
  for _, name in ipairs(result.sorted(names)) do
    local child = known[name]
    if child == nil and not node.patternProperties then
      child = node.additionalProperties
      if child == false then
        add(walk, errors.unknown_problem(name, known))
        child = nil
      end
    end
    if child ~= nil then
      collect_below(walk, child, instance, name, spare)
    end
    if #walk.list == MOST then
      return
    end
  end
  for _, name in ipairs(node.required or NONE) do
    if rawget(instance, name) == nil then
      add(walk, errors.problem("", { missing = name }))
    end
  end
end

local function collect_elements(walk, node, instance, size, spare)
  for position = 1, size do
    local child = node.prefixItems and node.prefixItems[position]
    if child == nil then
      child = node.items
    end
    if child == nil or #walk.list == MOST then
      return
    end
    collect_below(walk, child, instance, position, spare)
  end
end

-- Was a table looked at under this node before? It may be in several places, or in itself.
local function is_seen(walk, node, instance)
  local seen = walk.seen[node] or {}
  walk.seen[node] = seen
  if seen[instance] then
    return true
  end
  seen[instance] = true
  return false
end

-- Adds the problems of an instance. spare: below how many nodes with in-place applicators
-- properties are still looked at one by one.
function collect(walk, node, instance, spare)
  local rulebook = walk.rulebook
  local final, shape, size = node and rulebook.node(node), nil, nil
  if final and type(instance) == "table" and walk.depth < DEEPEST then
    shape, size = shapes.shape_of(instance)
  end
  if shape ~= "array" and shape ~= "object" or spare == 0 then
    return add(walk, value.problem(rulebook, node, instance))
  elseif is_seen(walk, final, instance) then
    return
  end
  local mark, whole = #walk.list, nil
  if has_applicators(final) then
    whole, spare = value.problem(rulebook, node, instance), spare - 1
    if not whole then
      return
    end
  end
  if shape == "object" then
    collect_names(walk, final, instance, spare)
  else
    collect_elements(walk, final, instance, size, spare)
  end
  local rest = value.problem(rulebook, without_children(final), instance)
  add(walk, rest and not is_told(walk, mark, rest) and rest or nil)
  if #walk.list == mark then
    add(walk, whole)
  end
end

-- All problems of an instance, at most problems.MOST, in the order of names and positions. Empty if
-- it is valid.
function problems.all(rulebook, node, instance)
  local first = value.problem(rulebook, node, instance)
  if not first then
    return NONE
  end
  local walk = { rulebook = rulebook, list = {}, seen = {}, depth = 0 }
  collect(walk, node, instance, MOST_APPLICATORS)
  add(walk, walk.list[1] == nil and first or nil)
  return walk.list
end

-- Problems as the program gets them: `pointer` and `message` of each.
function problems.told(list)
  local told = {}
  for position, found in ipairs(list) do
    local pointer, message = errors.pointer_of(found)
    told[position] = { pointer = pointer, message = message }
  end
  return told
end

-- Problems as one sentence. sentence_of: makes that of one problem; `more` is given to it, too.
function problems.sentence(list, sentence_of, more)
  local sentences = {}
  for position, found in ipairs(list) do
    sentences[position] = sentence_of(found, more)
  end
  return table.concat(sentences, "; ")
end

return problems
