-- SPDX-License-Identifier: MIT
-- Names of properties, in tables at any depth, that services do not allow: models get others for
-- them, which are mapped back in what they give.
local renames = {}

local children = require "endpoint.checks.tools.children"
local empties = require "endpoint.checks.tools.empties"
local errors = require "endpoint.checks.errors"
local names = require "endpoint.checks.tools.names"
local result = require "endpoint.result"

-- Levels of tables that are mapped. The check of the rules refuses deeper ones.
local DEEPEST = 200

-- --- which names ------------------------------------------------------------------

-- Adds the names of the properties in a node, and in all that it holds. seen: the nodes that were
-- looked at.
local function add_names(own, root, found, seen)
  local stack = { root }
  while stack[1] do
    local node = table.remove(stack)
    if not seen[node] then
      seen[node] = true
      for name in next, node.properties or {} do
        found[name] = true
      end
      children.each(own, node, function(child)
        stack[#stack + 1] = child
      end)
    end
  end
end

-- The other names of an operation: `of` by the document's names, and `back` by the others. nodes:
-- the nodes of its arguments.
function renames.new(own, nodes)
  local found, seen, wanted = {}, {}, {}
  for _, node in next, nodes do
    add_names(own, node, found, seen)
  end
  local taken = {}
  for name in next, found do
    if names.is_allowed(name) then
      taken[name] = true
    else
      wanted[#wanted + 1] = name
    end
  end
  local made, numbers = { by_name = {}, back = {} }, {}
  for _, name in ipairs(result.sorted(wanted)) do
    local other = names.unique(name, taken, numbers)
    made.by_name[name], made.back[other] = other, name
  end
  made.is_empty = wanted[1] == nil
  return made
end

-- --- what a model gave ------------------------------------------------------------

local restored -- which the function below calls

local function restored_table(to, node, given, depth)
  if to.copies[given] then
    return to.copies[given]
  end
  local copy = {}
  to.copies[given] = copy
  for key, one in next, given do
    local name = type(key) == "string" and to.back[key]
    if name and not (node and empties.child(to.own, node, name)) then
      name = nil
    end
    name = name or key
    local child = node and empties.child(to.own, node, name) or nil
    copy[name] = restored(to, child, one, depth)
  end
  return copy
end

function restored(to, node, given, depth)
  if type(given) ~= "table" or next(given) == nil or depth > DEEPEST then
    return given
  end
  return restored_table(to, node, given, depth + 1)
end

-- A value with the document's names. An empty table stays what it is: its metatable may say more.
function renames.restored(own, made, node, given)
  if made.is_empty then
    return given
  end
  return restored({ own = own, back = made.back, copies = {} }, node, given, 0)
end

-- A problem with the names that the model knows.
function renames.told(made, found)
  if made.is_empty then
    return found
  end
  local copy = {}
  for key, value in next, found do
    copy[key] = value
  end
  for _, field in ipairs { "key", "unknown", "missing" } do
    copy[field] = made.by_name[copy[field]] or copy[field]
  end
  copy.inner = found.inner and renames.told(made, found.inner)
  return copy
end

-- The nearest names in a problem are the document's: none is proposed where names differ.
renames.sentence = function(made, found)
  return errors.sentence(renames.told(made, found))
end

return renames
