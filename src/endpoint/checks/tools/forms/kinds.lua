-- SPDX-License-Identifier: MIT
-- The types that the values of a flat node have.
local kinds = {}

local NULL = require "endpoint".null
local flat = require "endpoint.checks.tools.forms.flat"

local function type_of_member(member)
  local kind = type(member)
  if kind == "number" then
    return member % 1 == 0 and "integer" or "number"
  end
  return member == NULL and "null" or kind == "table" and "object" or kind
end

local IMPLIED = {
  { "object", { "properties", "required", "additionalProperties" } },
  { "array", { "items", "prefixItems" } },
  { "string", { "pattern", "minLength", "maxLength" } },
  { "number", { "minimum", "maximum" } },
}

local function implied_types(node)
  local list, is_there = {}, {}
  for _, member in ipairs(node.enum or {}) do
    local kind = type_of_member(member)
    if not is_there[kind] then
      is_there[kind], list[#list + 1] = true, kind
    end
  end
  for _, row in ipairs(list[1] and {} or IMPLIED) do
    for _, keyword in ipairs(row[2]) do
      if node[keyword] ~= nil then
        return { row[1] }
      end
    end
  end
  return list
end

-- The types of a node without null, and is null among them?
function kinds.of(node)
  local all = type(node.type) == "table" and node.type or node.type and { node.type }
  local list, has_null = {}, false
  for _, one in ipairs(all or implied_types(node)) do
    has_null = has_null or one == "null"
    list[#list + 1] = one ~= "null" and one or nil
  end
  if node.enum and has_null and all then
    has_null = false
    for _, member in ipairs(node.enum) do
      has_null = has_null or member == NULL
    end
  end
  return list, has_null
end

-- The same node for one of its types: other members of an enumeration are not of it.
function kinds.narrowed(node, kind)
  local one = flat.merged({ type = kind }, node)
  if node.enum then
    one.enum = {}
    for _, member in ipairs(node.enum) do
      local its = type_of_member(member)
      if its == kind or kind == "number" and its == "integer" then
        one.enum[#one.enum + 1] = member
      end
    end
  end
  return one
end

return kinds
