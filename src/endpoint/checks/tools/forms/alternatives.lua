-- SPDX-License-Identifier: MIT
-- The alternatives of a flat node: those of `anyOf` or `oneOf`, or those that its discriminator
-- chooses from.
local alternatives = {}

local flat = require "endpoint.checks.tools.forms.flat"
local text = require "endpoint.text"

-- The schemas that a discriminator chooses from, each with the value that chooses it.
local function mapped(node)
  local list, discriminator = {}, node.discriminator
  for _, tag in ipairs(text.sorted_keys(discriminator.mapping or {})) do
    local chosen = { properties = { [discriminator.propertyName] = { enum = { tag } } } }
    list[#list + 1] = { chosen = chosen, node = discriminator.mapping[tag] }
  end
  return list
end

local function listed(nodes)
  local list = {}
  for position, node in ipairs(nodes) do
    list[position] = { node = node }
  end
  return list
end

-- The alternatives of a node: a list of { node, chosen }, where `chosen` is a node for the value
-- that chooses it, nil without one.
function alternatives.listed(node)
  local nodes = node.anyOf or node.oneOf
  return nodes and listed(nodes) or mapped(node)
end

-- Does a flat alternative say only what is not told?
local function says_nothing(node)
  return node.type == nil
    and node.properties == nil
    and node.enum == nil
    and node.items == nil
    and not flat.has_alternatives(node)
end

-- Takes the names out of a flat node that only its alternatives describe.
local function without_names_of(base, flats)
  local described, kept = {}, {}
  for _, one in ipairs(flats) do
    for name in next, one.properties or {} do
      described[name] = true
    end
  end
  for name, child in next, base.properties or {} do
    if not described[name] or not flat.is_empty(child) then
      kept[name] = child
    end
  end
  base.properties = next(kept) ~= nil and kept or nil
  return base
end

-- Each alternative as a flat node, with what stands beside them; nil if no flat node can say one.
function alternatives.wholes(rulebook, node)
  local base = flat.merged({}, node)
  base.anyOf, base.oneOf, base.discriminator, base.tag = nil, nil, nil, nil
  local wholes, flats, say_something = {}, {}, false
  for position, one in ipairs(alternatives.listed(node)) do
    local made = flat.of(rulebook, one.node, {})
    if not made or flat.has_alternatives(base) then
      return nil
    end
    if one.chosen then
      made.discriminator = nil
      made = flat.merged(one.chosen, made)
    end
    say_something = say_something or not says_nothing(made)
    flats[position] = made
  end
  if not say_something then
    return { base }
  end
  without_names_of(base, flats)
  for position, made in ipairs(flats) do
    wholes[position] = flat.merged(made, base)
  end
  return wholes
end

return alternatives
