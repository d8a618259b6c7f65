-- SPDX-License-Identifier: MIT
-- Names of properties, in tables at any depth, that services do not allow: models get others for
-- them, which are mapped back in what they give.
local renames = {}

local children = require "endpoint.checks.tools.children"
local errors = require "endpoint.checks.validator.errors"
local names = require "endpoint.checks.tools.names"
local result = require "endpoint.result"

-- Levels of tables that are mapped. The check of the rules refuses deeper ones.
local DEEPEST = 200

local NONE = {}

-- --- which names ------------------------------------------------------------------

-- Adds the names of the properties in a node, and in all that it holds. seen: the nodes that were
-- looked at.
local function add_names(rulebook, root, found, seen)
  local stack = { root }
  while stack[1] do
    local node = table.remove(stack)
    if not seen[node] then
      seen[node] = true
      for name in next, node.properties or {} do
        found[name] = true
      end
      children.each(rulebook, node, function(child)
        stack[#stack + 1] = child
      end)
    end
  end
end

-- The other names of an operation: `by_name` has them by the document's names, and `back` the
-- document's names by them. nodes: the nodes of its arguments.
function renames.new(rulebook, nodes)
  local found, seen = {}, {}
  for _, node in next, nodes do
    add_names(rulebook, node, found, seen)
  end
  local wanted, others = {}, {}
  for name in next, found do
    wanted[#wanted + 1], others[#others + 1] = name, "field"
  end
  wanted = result.sorted(wanted)
  local other_names = { by_name = {}, back = {}, is_empty = true }
  for position, other in ipairs(names.given(wanted, others)) do
    local name = wanted[position]
    if other ~= name then
      other_names.by_name[name], other_names.back[other] = other, name
      other_names.is_empty = false
    end
  end
  return other_names
end

-- --- nodes that may hold ----------------------------------------------------------

-- Keywords whose nodes are of the same value as the node that has them.
local IN_PLACE_LISTS = { "allOf", "anyOf", "oneOf" }
local IN_PLACE = { "if", "then", "else", "not" }

local add_all -- which the functions below call

local function add_each(reader, nodes, list, seen)
  for _, node in next, type(nodes) == "table" and nodes or NONE do
    add_all(reader, node, list, seen)
  end
end

-- Adds a node and all that may say something of the same value.
function add_all(reader, node, list, seen)
  if type(node) ~= "table" or seen[node] then
    return
  end
  seen[node] = true
  list[#list + 1] = node
  add_all(reader, node.ref and reader.rulebook.schemas[node.ref], list, seen)
  for _, keyword in ipairs(IN_PLACE_LISTS) do
    add_each(reader, node[keyword], list, seen)
  end
  for _, keyword in ipairs(IN_PLACE) do
    add_all(reader, node[keyword], list, seen)
  end
  add_each(reader, node.dependentSchemas, list, seen)
  local discriminator = type(node.discriminator) == "table" and node.discriminator or NONE
  add_each(reader, discriminator.mapping, list, seen)
end

-- What tells the lists of nodes apart.
local function key_of(reader, roots)
  local numbers = {}
  for position, node in ipairs(roots) do
    if not reader.numbers[node] then
      reader.count = reader.count + 1
      reader.numbers[node] = reader.count
    end
    numbers[position] = reader.numbers[node]
  end
  table.sort(numbers)
  return table.concat(numbers, " ")
end

-- All nodes of one value: the same table for the same roots. `known` says of a key whether one of
-- them names it, `children` has the roots of the values under such keys, and `others` those of all
-- other keys of a type.
local function new_nodes(reader, roots)
  local list = { known = {}, children = {}, others = {} }
  add_each(reader, roots, list, {})
  return list
end

local function nodes_of(reader, roots)
  if not reader.of_roots[roots] then
    local key = key_of(reader, roots)
    reader.lists[key] = reader.lists[key] or new_nodes(reader, roots)
    reader.of_roots[roots] = reader.lists[key]
  end
  return reader.of_roots[roots]
end

local FREE = { "additionalProperties", "unevaluatedProperties" }
local IN_LISTS = { "items", "contains", "unevaluatedItems" }

-- Adds what a node may say of the value under a key.
local function add_children(node, key, found)
  local function add(child)
    if type(child) == "table" and not found[child] then
      found[child], found[#found + 1] = true, child
    end
  end
  if type(key) == "number" then
    add((node.prefixItems or NONE)[key])
    for _, keyword in ipairs(IN_LISTS) do
      add(node[keyword])
    end
    return
  end
  local own = (node.properties or NONE)[key]
  add(own)
  for _, child in next, node.patternProperties or NONE do
    add(child)
  end
  for _, keyword in ipairs(own == nil and FREE or NONE) do
    add(node[keyword])
  end
end

local function is_in(list, key)
  local keyword = type(key) == "number" and "prefixItems" or "properties"
  for _, node in ipairs(list) do
    if (node[keyword] or NONE)[key] ~= nil then
      return true
    end
  end
  return false
end

-- Does one of these nodes say something of this very key?
local function is_known(list, key)
  if list.known[key] == nil then
    list.known[key] = is_in(list, key)
  end
  return list.known[key]
end

-- The roots of the value under a key. They are found once: there may be many such values.
local function children_of(list, key)
  local kept, place = list.others, type(key)
  if is_known(list, key) then
    kept, place = list.children, key
  end
  if not kept[place] then
    local found = {}
    for _, node in ipairs(list) do
      add_children(node, key, found)
    end
    kept[place] = found
  end
  return kept[place]
end

-- --- what a model gave ------------------------------------------------------------

local restored -- which the function below calls

-- The document's name of a key.
local function name_of(reader, list, key)
  local name = type(key) == "string" and reader.back[key]
  return name and is_known(list, name) and name or key
end

local function restored_table(reader, list, given, depth)
  local copy = {}
  for key, one in next, given do
    local name = name_of(reader, list, key)
    if name ~= key and rawget(given, name) ~= nil then
      return nil,
        errors.problem(
          ("%s is given twice, the second time as %s"):format(errors.shown(key), errors.shown(name))
        )
    end
    local value, found = restored(reader, children_of(list, name), one, depth)
    if found then
      return nil, errors.below(name, found)
    end
    copy[name] = value
  end
  return copy
end

-- A table that stands in two places has one copy for each list of nodes.
function restored(reader, roots, given, depth)
  if type(given) ~= "table" or next(given) == nil or depth > DEEPEST then
    return given
  end
  local list = nodes_of(reader, roots)
  local copies = reader.copies[given] or {}
  reader.copies[given] = copies
  if copies[list] then
    return copies[list]
  end
  local copy, found = restored_table(reader, list, given, depth + 1)
  copies[list] = copy
  return copy, found
end

-- A value with the document's names; or nil and a problem, where two names are of one field. An
-- empty table stays what it is: its metatable may say more.
function renames.restored(rulebook, other_names, node, given)
  if other_names.is_empty then
    return given
  end
  local reader = {
    rulebook = rulebook,
    back = other_names.back,
    copies = {},
    lists = {},
    of_roots = {},
    numbers = {},
    count = 0,
  }
  return restored(reader, { node }, given, 0)
end

-- A problem with the names that the model knows.
function renames.renamed_problem(other_names, found)
  if other_names.is_empty then
    return found
  end
  local copy = {}
  for key, value in next, found do
    copy[key] = value
  end
  for _, field in ipairs { "key", "unknown", "missing" } do
    copy[field] = other_names.by_name[copy[field]] or copy[field]
  end
  copy.inner = found.inner and renames.renamed_problem(other_names, found.inner)
  return copy
end

-- The nearest names in a problem are the document's: none is proposed where names differ.
function renames.sentence(other_names, found)
  return errors.sentence(renames.renamed_problem(other_names, found))
end

return renames
