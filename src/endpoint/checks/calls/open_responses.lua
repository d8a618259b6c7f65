-- SPDX-License-Identifier: MIT
-- The nodes of responses where these may have names that the document does not have: servers add
-- names every week. They are those of calls, but for what endpoint.types closed by itself.
local open_responses = {}

local keywords = require "endpoint.checks.validator.keywords"

local SCALARS = { string = true, number = true, integer = true, boolean = true, null = true }

local function is_scalar(node)
  local types = node and type(node.type) == "table" and node.type or { node and node.type }
  for _, name in ipairs(types) do
    if not SCALARS[name] then
      return false
    end
  end
  return types[1] ~= nil or node and node.enum ~= nil
end

-- Does a node only ask for names, which another describes?
local function is_condition(node)
  return node and node.required ~= nil and node.properties == nil and node.ref == nil
end

-- Objects that were told apart by their names alone fit several of the schemas, then.
local function loosen(node)
  for _, one in ipairs(node.oneOf or {}) do
    if not (is_scalar(one) or is_condition(one)) then
      node.allOf = node.allOf or {}
      table.insert(node.allOf, { anyOf = node.oneOf })
      node.oneOf = nil
      return
    end
  end
end

local function each_child(node, call)
  for _, word in ipairs(keywords.WITH_MAP) do
    for _, child in next, node[word] or {} do
      call(child)
    end
  end
  for _, word in ipairs(keywords.WITH_NODE) do
    call(node[word])
  end
  for _, word in ipairs(keywords.WITH_LIST) do
    for _, child in ipairs(node[word] or {}) do
      call(child)
    end
  end
  for _, child in next, node.discriminator and node.discriminator.mapping or {} do
    call(child)
  end
end

-- Opens a node and those that are written in it, and returns it. It must be its owner's alone.
function open_responses.opened(node)
  if not node then
    return node
  end
  if node.additionalProperties == false and not node.is_closed then
    node.additionalProperties = nil
  end
  loosen(node)
  each_child(node, open_responses.opened)
  return node
end

return open_responses
