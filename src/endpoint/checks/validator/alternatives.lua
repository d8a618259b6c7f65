-- SPDX-License-Identifier: MIT
-- What is wrong with a value that fits none of several nodes: the most telling of their problems,
-- or all in one.
local alternatives = {}

local errors = require "endpoint.checks.validator.errors"

local NONE = {}
local below = errors.below

-- The names of the properties of all nodes as a set, which their list keeps.
local function names_of(check, nodes)
  local names = {}
  for _, node in ipairs(nodes) do
    node = node and node.ref and check.rulebook.schemas[node.ref] or node or NONE
    for name in next, node.properties or NONE do
      names[name] = true
    end
  end
  nodes.names = names
  return names
end

-- A name that is unknown here and known to another node says that another is meant.
local function rank_of(check, nodes, found)
  return found.unknown and (nodes.names or names_of(check, nodes))[found.unknown] and 1.5
    or found.rank
end

-- The problem of a value that no node's enumeration has: it names the values of all of them.
local function enums_problem(problems, best, instance)
  local all, set, key = {}, {}, best.key
  for _, one in ipairs(problems) do
    local found = one.found
    for _, value in ipairs(found.key == key and (found.inner or found).enum or NONE) do
      if not set[value] then
        all[#all + 1], set[value] = value, true
      end
    end
  end
  if not (best.inner or best).enum then
    return best -- deeper than one name
  end
  local found = errors.enum_problem(all, best.inner and rawget(instance, key) or instance)
  return best.inner and below(key, found) or found
end

-- The problem of a value whose type no node has: it names the types of all of them.
local function types_problem(problems, instance)
  local names = {}
  for _, one in ipairs(problems) do
    for _, name in ipairs(one.found.names or NONE) do
      if not names[name] then
        names[#names + 1], names[name] = name, true
      end
    end
  end
  return errors.type_problem(names, instance)
end

-- problems: a list of `found`, one for each of the nodes.
function alternatives.problem(check, nodes, problems, instance)
  local best, most
  for _, one in ipairs(problems) do
    local rank = rank_of(check, nodes, one.found)
    if not best or rank > most then
      best, most = one.found, rank
    end
  end
  if best.rank == 2 then
    return enums_problem(problems, best, instance)
  end
  return best.rank == 1 and types_problem(problems, instance) or best
end

return alternatives
