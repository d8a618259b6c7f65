-- SPDX-License-Identifier: MIT
-- Which tables of a document hold which.
local holders = {}

local references = require "endpoint.types.document.references"
local tables = require "endpoint.types.document.tables"

-- The holders of each table of a document, a list: the tables that it is in, and those whose
-- reference leads to it.
function holders.of(doc)
  local held_by = {}
  local function add(holder, held)
    held_by[held] = held_by[held] or {}
    table.insert(held_by[held], holder)
  end
  tables.each(doc, function(holder, inner)
    add(holder, inner)
    local target = references.target(doc, inner)
    if target ~= nil then
      add(inner, target)
    end
  end)
  return held_by
end

return holders
