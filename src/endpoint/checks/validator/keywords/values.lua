-- SPDX-License-Identifier: MIT
-- Keywords of a value of any type: enum and type.
local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local identity = require "endpoint.checks.validator.identity"

local IS = {}
function IS.string(_, instance)
  return type(instance) == "string"
end
function IS.boolean(_, instance)
  return type(instance) == "boolean"
end
function IS.null(_, instance)
  return instance == NULL
end
function IS.number(_, instance)
  return type(instance) == "number"
end
function IS.integer(_, instance)
  return type(instance) == "number" and instance % 1 == 0
end
function IS.array(check, instance)
  return type(instance) == "table" and check.shape == "array"
end
function IS.object(check, instance)
  return type(instance) == "table" and check.shape == "object"
end

local function is_of_one(check, types, instance)
  for _, name in ipairs(types) do
    if IS[name](check, instance) then
      return true
    end
  end
  return false
end

local function type_problem(check, node, instance)
  local is_one = IS[node.type]
  if is_one and is_one(check, instance) or not is_one and is_of_one(check, node.type, instance) then
    return nil
  end
  return errors.type_problem(errors.types_of(node), instance)
end

-- Does the type alone say that all values of a kind fit?
local function takes_all(node, kind)
  for _, name in ipairs(type(node.type) == "table" and node.type or { node.type }) do
    if name == kind then
      return true
    end
  end
  return false
end

-- The values of an enumeration as a set, and the tables among them, which its node keeps.
local function set_of(node)
  local set, tables = {}, {}
  for _, one in ipairs(node.enum) do
    set[one] = true
    tables[#tables + 1] = type(one) == "table" and one or nil
  end
  node.tables = tables
  node.set = set -- last: where memory lacks before that, both are made again
  return set
end

local function is_listed_table(check, node, instance)
  for _, one in ipairs(node.tables) do
    if identity.number_of(check, one) == identity.number_of(check, instance) then
      return true
    end
  end
  return false
end

local function enum_problem(check, node, instance)
  if (node.set or set_of(node))[instance] then
    return nil
  elseif type(instance) ~= "table" or not is_listed_table(check, node, instance) then
    return errors.enum_problem(node.enum, instance)
  end
end

return {
  { "enum", "any", enum_problem },
  { "type", "any", type_problem, takes_all = takes_all },
}
