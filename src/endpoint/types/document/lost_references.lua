-- SPDX-License-Identifier: MIT
-- References that lead nowhere, and what of the document needs them.
local lost_references = {}

local references = require "endpoint.types.document.references"
local values = require "endpoint.types.document.values"

-- All references of a document are looked at before it is read. One into another file ends the
-- reading; of one that leads nowhere it is known which parts of the document hold it.

-- Below these keys stand names, so `example` is one, and `$ref` another.
local HAS_NAMES = {
  properties = true,
  patternProperties = true,
  schemas = true,
  definitions = true,
  parameters = true,
  responses = true,
  requestBodies = true,
  headers = true,
  pathItems = true,
  ["$defs"] = true,
  dependentSchemas = true,
}

-- Below these keys is what a request or a response may hold. There a `$ref` is a name like others.
local IS_DATA =
  { example = true, examples = true, default = true, enum = true, const = true, value = true }

local function is_data(key)
  return type(key) == "string" and (IS_DATA[key] or key:find "^x%-" ~= nil)
end

-- Calls a function with each table of the document, and each that is in it.
local function each_table(root, call)
  local stack, has_names = { root }, { [root] = false }
  while stack[1] do
    local value = table.remove(stack)
    for key, inner in next, value do
      if type(inner) == "table" and (has_names[value] or not is_data(key)) then
        call(value, inner)
        if has_names[inner] == nil then
          has_names[inner], stack[#stack + 1] =
            not has_names[value] and HAS_NAMES[key] == true, inner
        end
      end
    end
  end
end

-- Table -> the tables that hold it, or lead to it.
local function holders_in(doc)
  local holders = {}
  local function add(holder, held)
    holders[held] = holders[held] or {}
    table.insert(holders[held], holder)
  end
  each_table(doc.root, function(holder, inner)
    add(holder, inner)
    local target = references.target(doc, inner)
    if target ~= nil then
      add(inner, target)
    end
  end)
  return holders
end

-- The lost references of a document, as a list of `value` and `reason`, by their reasons.
local function lost_in(doc)
  local list = {}
  each_table(doc.root, function(_, inner)
    if values.as_string(inner["$ref"]) then
      references.resolve(doc, inner)
    end
  end)
  for value, reason in next, doc.lost do
    list[#list + 1] = { value = value, reason = reason }
  end
  table.sort(list, function(a, b)
    return a.reason < b.reason
  end)
  return list
end

-- For each table of the document that needs a reference that leads nowhere: why it does. Nearly
-- always empty.
function lost_references.reasons(doc)
  local faults, lost = {}, lost_in(doc)
  local holders = lost[1] and holders_in(doc)
  for _, one in ipairs(lost) do
    local stack = { one.value }
    while stack[1] do
      local value = table.remove(stack)
      if not faults[value] then
        faults[value] = one.reason
        for _, holder in ipairs(holders[value] or values.NOTHING) do
          stack[#stack + 1] = holder
        end
      end
    end
  end
  return faults
end

return lost_references
