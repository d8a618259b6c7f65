-- SPDX-License-Identifier: MIT
-- Which schemas say something else of a response than of a request: those with a property that is
-- readOnly or writeOnly, and those that lead to one.
local directions = {}

local references = require "endpoint.types.document.references"

-- Does a table of the document say so itself? Which schemas a discriminator leads to is looked up
-- elsewhere, so that it counts, too.
local function is_marked(value)
  return value.readOnly == true or value.writeOnly == true or value.discriminator ~= nil
end

-- Each table of the document with those that lead to it, and the ones that are marked themselves.
local function parents_of(doc)
  local parents, marked, stack = { [doc.root] = {} }, {}, { doc.root }
  local function add(parent, child)
    if not parents[child] then
      parents[child], stack[#stack + 1] = {}, child
    end
    table.insert(parents[child], parent)
  end
  while stack[1] do
    local value = table.remove(stack)
    marked[#marked + 1] = is_marked(value) and value or nil
    for _, child in next, value do
      if type(child) == "table" then
        add(value, child)
      end
    end
    local target = type(value["$ref"]) == "string" and references.final(doc, value)
    if type(target) == "table" and target ~= value then
      add(value, target)
    end
  end
  return parents, marked
end

-- All tables that lead to a marked one, as a set.
local function differing(doc)
  local parents, stack = parents_of(doc)
  local set = {}
  while stack[1] do
    local value = table.remove(stack)
    if not set[value] then
      set[value] = true
      for _, parent in ipairs(parents[value]) do
        stack[#stack + 1] = parent
      end
    end
  end
  return set
end

-- Does one of the schemas in these lists say something else of a response?
function directions.differ(builder, ...)
  builder.differing = builder.differing or differing(builder.doc)
  for _, list in ipairs { ... } do
    for _, part in ipairs(list) do
      if builder.differing[part] then
        return true
      end
    end
  end
  return false
end

return directions
