-- SPDX-License-Identifier: MIT
-- References that lead nowhere, and what of the document needs them.
local lost_references = {}

local holders = require "endpoint.types.document.holders"
local references = require "endpoint.types.document.references"
local tables = require "endpoint.types.document.tables"
local values = require "endpoint.types.document.values"

-- All references of a document are looked at before it is read. One into another file ends the
-- reading; of one that leads nowhere it is known which parts of the document hold it.

-- The tables of a document that are references. One may be in the list several times.
local function references_in(doc)
  local list = {}
  tables.each(doc, function(_, inner)
    if type(inner["$ref"]) == "string" then
      list[#list + 1] = inner
    end
  end)
  return list
end

local function leads_out(doc, reference_object)
  return references.pointer(doc, reference_object):find "^[^#]" ~= nil
end

-- Raises if references lead into other files: for the first by `<`, the same in each run.
local function check_files(doc, list)
  local first
  for _, reference_object in ipairs(list) do
    local written = reference_object["$ref"]
    if (not first or written < first) and leads_out(doc, reference_object) then
      first = written
    end
  end
  if first then
    references.fail_of_other_file(first)
  end
end

-- The lost references among them, as a list of `value` and `reason`, by their reasons.
local function lost_in(doc, list)
  local lost = {}
  for _, reference_object in ipairs(list) do
    references.resolve(doc, reference_object)
  end
  for value, reason in next, doc.lost do
    lost[#lost + 1] = { value = value, reason = reason }
  end
  table.sort(lost, function(a, b)
    return a.reason < b.reason
  end)
  return lost
end

-- For each table of the document that needs a reference that leads nowhere: why it does. Nearly
-- always empty. Raises if a reference leads into another file.
function lost_references.reasons(doc)
  local list, faults = references_in(doc), {}
  check_files(doc, list)
  local lost = lost_in(doc, list)
  local held_by = lost[1] and holders.of(doc)
  for _, reference in ipairs(lost) do
    local stack = { reference.value }
    while stack[1] do
      local value = table.remove(stack)
      if not faults[value] then
        faults[value] = reference.reason
        for _, holder in ipairs(held_by[value] or values.NOTHING) do
          stack[#stack + 1] = holder
        end
      end
    end
  end
  return faults
end

return lost_references
