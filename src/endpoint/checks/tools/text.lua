-- SPDX-License-Identifier: MIT
-- A list of tools as JSON, with the same bytes in every process: keys in their order. So a service
-- that remembers prompts knows it again.
local text = {}

local NULL = require "endpoint".null
local json = require "endpoint.checks.json.writer"
local result = require "endpoint.result"
local shapes = require "endpoint.checks.validator.shapes"

-- A number as JSON. What may have lost digits is a limit of the document, such as 1e308.
local function number_text(number)
  if not result.number_fault(number) then
    return result.decoded(result.encoded(number))
  end
  return (("%.17g"):format(number):gsub(",", "."))
end

local add -- which the functions below call

local function add_list(parts, list)
  for position, one in ipairs(list) do
    parts[#parts + 1] = position == 1 and "[" or ","
    add(parts, one)
  end
  parts[#parts + 1] = "]"
end

local function add_object(parts, object)
  local names = {}
  for name in next, object do
    names[#names + 1] = name
  end
  for position, name in ipairs(result.sorted(names)) do
    parts[#parts + 1] = (position == 1 and "{" or ",") .. json.quoted(name) .. ":"
    add(parts, object[name])
  end
  parts[#parts + 1] = "}"
end

function add(parts, value)
  if value == NULL then
    parts[#parts + 1] = "null"
  elseif type(value) == "string" then
    parts[#parts + 1] = json.quoted(value)
  elseif type(value) == "number" then
    parts[#parts + 1] = number_text(value)
  elseif type(value) ~= "table" then
    parts[#parts + 1] = tostring(value)
  elseif next(value) == nil then
    parts[#parts + 1] = shapes.shape_of(value) == "array" and "[]" or "{}"
  else
    (value[1] ~= nil and add_list or add_object)(parts, value)
  end
end

function text.of(value)
  local parts = {}
  add(parts, value)
  return table.concat(parts)
end

return text
