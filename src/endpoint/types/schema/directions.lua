-- SPDX-License-Identifier: MIT
-- Which schemas say something else of a response than of a request: those with a property that is
-- readOnly or writeOnly, and those that lead to one.
local directions = {}

local holders = require "endpoint.types.document.holders"
local values = require "endpoint.types.document.values"

-- Does a table of the document say so itself? Which schemas a discriminator leads to is looked up
-- elsewhere, so that it counts, too.
local function is_marked(value)
  return value.readOnly == true or value.writeOnly == true or value.discriminator ~= nil
end

-- All tables that lead to a marked one, as a set.
local function differing(doc)
  local held_by, set, stack = holders.of(doc), {}, {}
  for value in next, held_by do
    stack[#stack + 1] = is_marked(value) and value or nil
  end
  while stack[1] do
    local value = table.remove(stack)
    if not set[value] then
      set[value] = true
      for _, holder in ipairs(held_by[value] or values.NOTHING) do
        stack[#stack + 1] = holder
      end
    end
  end
  return set
end

-- Does one of the schemas in these lists say something else of a response?
function directions.differ(builder, ...)
  local has = builder.doc.keywords
  if not (has.readOnly or has.writeOnly or has.discriminator) then
    return false
  end
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
