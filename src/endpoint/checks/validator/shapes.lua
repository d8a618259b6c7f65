-- SPDX-License-Identifier: MIT
-- What a table is in JSON: a list, an object, either while it is empty, or neither. No metamethod
-- is called.
local shapes = {}

local errors = require "endpoint.checks.validator.errors"
local text = require "endpoint.text"

-- An empty list and an empty object, whatever encoder they are for.
shapes.EMPTY_LIST = setmetatable({}, { __jsontype = "array" })
shapes.EMPTY_OBJECT = setmetatable({}, { __jsontype = "object" })

-- The value of a field of lua-cjson, if the program has loaded it.
local function of_cjson(name)
  local cjson = package.loaded.cjson or package.loaded["cjson.safe"]
  return type(cjson) == "table" and rawget(cjson, name) or nil
end

-- Is a userdata what lua-cjson writes as an empty list?
function shapes.is_empty_list(instance)
  return rawequal(instance, of_cjson "empty_array")
end

-- An empty table whose metatable says to an encoder what it is.
local function empty_shape(instance)
  local metatable = getmetatable(instance)
  if type(metatable) ~= "table" then
    return "empty"
  end
  local kind = rawget(metatable, "__jsontype")
  local is_list = kind == "array"
    or rawequal(metatable, of_cjson "array_mt")
    or rawequal(metatable, of_cjson "empty_array_mt")
  return is_list and "array" or kind == "object" and "object" or "empty"
end

-- "array", "object", "empty" or "neither", and how many elements or names there are.
function shapes.shape_of(instance)
  local first = next(instance)
  if first == nil then
    return empty_shape(instance), 0
  elseif type(first) == "number" then
    local size = text.list_size(instance)
    return size and "array" or "neither", size
  end
  local size = 0
  for name in next, instance do
    if type(name) ~= "string" then
      return "neither"
    end
    size = size + 1
  end
  return "object", size
end

-- Does a node take this type?
local function takes(node, wanted)
  for _, name in ipairs(node and type(node.type) == "table" and node.type or {}) do
    if name == wanted then
      return true
    end
  end
  return node and node.type == wanted
end

local function has_numbers(instance)
  for key in next, instance do
    if type(key) == "number" then
      return true
    end
  end
  return false
end

local LIST_FIRST, OBJECT_FIRST = { "array", "object" }, { "object", "array" }
local NUMBERS = { "number", "integer" }

-- What is wrong with a value that JSON does not have, under this node. kinds: the types that it may
-- be meant as.
local function problem_of(node, instance, kinds)
  local names = errors.types_of(node)
  for _, kind in ipairs(names[1] and kinds or {}) do
    if takes(node, kind) then
      return errors.type_problem({ errors.TYPES[kind] }, instance)
    end
  end
  return errors.type_problem(names[1] and names or { errors.TYPES[kinds[1]] }, instance)
end

-- What is wrong with a table that is neither.
function shapes.problem(node, instance)
  local is_list = has_numbers(instance) and not (node and node.properties)
  return problem_of(node, instance, is_list and LIST_FIRST or OBJECT_FIRST)
end

-- What is wrong with infinity and NaN.
function shapes.number_problem(node, instance)
  return problem_of(node, instance, NUMBERS)
end

return shapes
