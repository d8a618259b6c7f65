-- SPDX-License-Identifier: MIT
-- Which values are equal in JSON (JSON Schema 2020-12, core 4.2.2). Equal values get the same
-- number, so that a list is compared in linear time.
local identity = {}

local shapes = require "endpoint.checks.validator.shapes"

-- A deeper value equals no other.
local DEEPEST = 200

local function new_number(identities)
  identities.count = identities.count + 1
  return identities.count
end

local number_of -- which the functions below call

local function key_of_list(check, instance, size, depth)
  local numbers = {}
  for position = 1, size do
    numbers[position] = number_of(check, rawget(instance, position), depth)
  end
  return "[" .. table.concat(numbers, ",")
end

local function key_of_object(check, instance, depth)
  local members = {}
  for name, one in next, instance do
    members[#members + 1] = ("%d:%d"):format(
      number_of(check, name, depth),
      number_of(check, one, depth)
    )
  end
  table.sort(members)
  return "{" .. table.concat(members, ",")
end

local function number_of_table(check, instance, depth)
  local identities = check.identities
  if identities.tables[instance] then
    return identities.tables[instance]
  end
  identities.tables[instance] = new_number(identities) -- for a table that holds itself
  local shape, size = shapes.shape_of(instance)
  if shape == "neither" or depth > DEEPEST then
    return identities.tables[instance]
  end
  local key = "empty"
  if size > 0 then
    key = shape == "array" and key_of_list(check, instance, size, depth + 1)
      or key_of_object(check, instance, depth + 1)
  end
  identities.keys[key] = identities.keys[key] or identities.tables[instance]
  identities.tables[instance] = identities.keys[key]
  return identities.tables[instance]
end

function number_of(check, instance, depth)
  local identities = check.identities
  if type(instance) == "table" then
    return number_of_table(check, instance, depth)
  elseif instance == nil or type(instance) == "number" and instance ~= instance then
    return new_number(identities) -- nil is what was removed after the list was counted
  end
  identities.scalars[instance] = identities.scalars[instance] or new_number(identities)
  return identities.scalars[instance]
end

-- The number of a value and of all that equal it, within one check.
function identity.number_of(check, instance)
  check.identities = check.identities or { count = 0, scalars = {}, tables = {}, keys = {} }
  return number_of(check, instance, 0)
end

return identity
