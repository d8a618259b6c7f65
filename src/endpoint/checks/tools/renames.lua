-- SPDX-License-Identifier: MIT
-- Names of properties, in tables at any depth, that services do not allow: models get others for
-- them, which are mapped back in what they give.
local renames = {}

local children = require "endpoint.checks.tools.children"
local empties = require "endpoint.checks.json.empties"
local errors = require "endpoint.checks.validator.errors"
local names = require "endpoint.checks.tools.names"
local result = require "endpoint.result"

-- Levels of tables that are mapped. The check of the rules refuses deeper ones.
local DEEPEST = 200

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
  local found, seen, wanted = {}, {}, {}
  for _, node in next, nodes do
    add_names(rulebook, node, found, seen)
  end
  local taken = {}
  for name in next, found do
    if names.is_allowed(name) then
      taken[name] = true
    else
      wanted[#wanted + 1] = name
    end
  end
  local other_names, numbers = { by_name = {}, back = {} }, {}
  for _, name in ipairs(result.sorted(wanted)) do
    local other = names.unique(name, taken, numbers)
    other_names.by_name[name], other_names.back[other] = other, name
  end
  other_names.is_empty = wanted[1] == nil
  return other_names
end

-- --- what a model gave ------------------------------------------------------------

local restored -- which the function below calls

local function restored_table(reader, node, given, depth)
  if reader.copies[given] then
    return reader.copies[given]
  end
  local copy = {}
  reader.copies[given] = copy
  for key, one in next, given do
    local name = type(key) == "string" and reader.back[key]
    if name and not (node and empties.child(reader.rulebook, node, name)) then
      name = nil
    end
    name = name or key
    local child = node and empties.child(reader.rulebook, node, name) or nil
    copy[name] = restored(reader, child, one, depth)
  end
  return copy
end

function restored(reader, node, given, depth)
  if type(given) ~= "table" or next(given) == nil or depth > DEEPEST then
    return given
  end
  return restored_table(reader, node, given, depth + 1)
end

-- A value with the document's names. An empty table stays what it is: its metatable may say more.
function renames.restored(rulebook, other_names, node, given)
  if other_names.is_empty then
    return given
  end
  return restored({ rulebook = rulebook, back = other_names.back, copies = {} }, node, given, 0)
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
