-- SPDX-License-Identifier: MIT
-- What a model gave in a service's form, as the library's own form has it. An *undo* says what to
-- do with a value: nil for nothing, or one of
--   is_json     it is a string with JSON
--   texts       it is the text of a member of an enumeration: the member by its text
--   properties  by the form's names: `name`, `undo`, and `is_optional`, does null leave it out
--   items       the undo of each element
--   anyOf       a list of alternatives: `schema` and `undo`
local undo = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local protected = require "endpoint.protected"
local shapes = require "endpoint.checks.validator.shapes"
local value = require "endpoint.checks.validator.value"

-- Levels of tables. The check of the rules refuses deeper ones.
local DEEPEST = 200

local NO_RULES = { schemas = {} }

-- How JSON is decoded: by lua-cjson, or by dkjson with its null.
local function find_decoder()
  local found, cjson = protected.call(require, "cjson")
  if found then
    return cjson.decode
  end
  local dkjson
  found, dkjson = protected.call(require, "dkjson")
  if not found then
    error("endpoint.checks: call: expected lua-cjson or dkjson, which reads arguments", 0)
  end
  return function(given)
    local decoded, _, problem = dkjson.decode(given, 1, NULL)
    return problem and error(problem, 0) or decoded
  end
end

local restored -- which the functions below call

local function json_value(given)
  if type(given) ~= "string" then
    return given
  end
  local ok, decoded = protected.call(find_decoder(), given)
  if not ok or decoded == nil then
    return nil, errors.problem "expected JSON in a string"
  end
  return decoded
end

local function object_of(how, given, depth)
  local copy = {}
  for key, one in next, given do
    local known = how.properties[key] or {}
    local name = known.name or key
    local is_left_out = one == NULL and known.is_optional
    if not is_left_out and copy[name] ~= nil then
      return nil, errors.problem(errors.shown(tostring(name)) .. " is given twice")
    elseif not is_left_out then
      local restored_one, found = restored(known.undo, one, depth)
      if found then
        return nil, errors.below(key, found)
      end
      copy[name] = restored_one
    end
  end
  return copy
end

local function list_of(how, given, depth)
  local copy = {}
  for position, one in ipairs(given) do
    local restored_one, found = restored(how.items, one, depth)
    if found then
      return nil, errors.below(position, found)
    end
    copy[position] = restored_one
  end
  return copy
end

-- The alternative that a value is of: the first whose schema takes it.
local function alternative_of(how, given)
  for _, one in ipairs(how.anyOf) do
    if value.problem(NO_RULES, one.schema, given) == nil then
      return one
    end
  end
end

function restored(how, given, depth)
  if how == nil or depth > DEEPEST then
    return given
  elseif how.is_json then
    return json_value(given)
  elseif how.texts then
    local member = type(given) == "string" and how.texts[given]
    return member == nil and given or member or given
  elseif how.anyOf then
    local one = alternative_of(how, given)
    return restored(one and one.undo, given, depth + 1)
  elseif type(given) ~= "table" or next(given) == nil then
    return given
  end
  local kind = shapes.shape_of(given)
  if how.properties and kind == "object" then
    return object_of(how, given, depth + 1)
  elseif how.items and kind == "array" then
    return list_of(how, given, depth + 1)
  end
  return given
end

-- A value with what the form changed undone; or nil and a problem.
function undo.restored(how, given)
  return restored(how, given, 1)
end

return undo
