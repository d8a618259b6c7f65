-- SPDX-License-Identifier: MIT
-- Reads a decoded document: opens it, and gives the keys and the elements of its tables. Each costs
-- something of the document's budget.
local reader = {}

local budget = require "endpoint.types.document.budget"
local result = require "endpoint.result"
local values = require "endpoint.types.document.values"
local as_table, NOTHING = values.as_table, values.NOTHING

-- A document to read: `root`, its own table, which never changes;
-- and what is known of it meanwhile.
function reader.open(root)
  local doc = {
    root = root,
    notes = {}, -- lines about what was passed over
    faults = {}, -- a table of the document -> why what it needs is lost, see lost_references.lua
    resources = false, -- what has an $id or an $anchor, see schema_resources.lua
    targets = {}, -- a $ref -> its place, see references.lua
    finals = {}, -- a table -> where its chain of references ends
    ends = {}, -- the same for schemas, where words beside a $ref may hold
    lost = {}, -- a table -> why its $ref leads nowhere
    names = {}, -- a schema -> its name among the named ones
    schemas = false, -- its schemas as nodes, see schema.lua
  }
  budget.open(doc, root)
  return doc
end

-- The string keys of a table, sorted; an empty list for any other value.
function reader.keys(doc, value)
  local keys, cost = {}, 0
  for key in next, as_table(value) do
    if type(key) == "string" then
      keys[#keys + 1], cost = key, cost + budget.READ + #key
    end
  end
  budget.spend(doc, cost)
  return keys[2] and result.sorted(keys) or keys
end

-- The same keys, after those that are integers, such as the status codes of a document that a
-- decoder of YAML has read.
function reader.keys_with_numbers(doc, value)
  local keys = {}
  for key in next, as_table(value) do
    if type(key) == "number" and key % 1 == 0 then
      keys[#keys + 1] = key
      budget.spend(doc, budget.READ)
    end
  end
  table.sort(keys)
  for _, key in ipairs(reader.keys(doc, value)) do
    keys[#keys + 1] = key
  end
  return keys
end

-- The elements of a list. Each is paid from the budget. Most keywords of a schema are absent.
function reader.each(doc, value)
  local list, position = as_table(value), 0
  if list[1] == nil then
    return next, NOTHING
  end
  return function()
    position = position + 1
    local element = list[position]
    if element ~= nil then
      budget.spend(doc, budget.READ + budget.size_of(element))
      return position, element
    end
  end
end

-- Says what was passed over in an operation. What several share is said of each.
function reader.note(doc, operation, problem, ...)
  local line = ("%s %s: "):format(operation.method, operation.path) .. problem:format(...)
  budget.spend(doc, #line)
  doc.notes[#doc.notes + 1] = line
end

return reader
