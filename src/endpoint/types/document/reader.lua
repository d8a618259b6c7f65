-- SPDX-License-Identifier: MIT
-- Reads a decoded document: texts, values of any type, references, and what all of that may cost.
-- Documents come from strangers: a part of a wrong type counts as absent.
local reader = {}

local result = require "endpoint.result"
local text = require "endpoint.text"

-- What is read and written may be so many times as large as the document, and this much for
-- the smallest. None of 2,639 published documents takes a third of that.
local TIMES, LEAST = 16, 100000

function reader.most_of(size)
  return LEAST + TIMES * size
end

-- What looking at one value costs, where a byte that is written costs 1.
local READ = 16

-- Raises a text without a position: the line that reads a document is not at fault.
function reader.fail(problem, ...)
  error("endpoint.types: " .. problem:format(...), 0)
end
local fail = reader.fail

-- --- texts --------------------------------------------------------------------------

-- A text of the document as errors quote it.
local LONGEST_QUOTED = 100

function reader.quoted(value)
  return text.shown(value, LONGEST_QUOTED, "quoted")
end

-- A text without the characters at its end, in linear time.
function reader.without_last(value, character)
  local last = #value
  while value:sub(last, last) == character do
    last = last - 1
  end
  return value:sub(1, last)
end

-- --- values of any type -----------------------------------------------------------

reader.NOTHING = {} -- never written to

function reader.table_of(value)
  return type(value) == "table" and value or reader.NOTHING
end
local table_of = reader.table_of

function reader.text_of(value)
  return type(value) == "string" and value or nil
end

-- --- what it costs --------------------------------------------------------------------

local function size_of(value)
  return type(value) == "string" and #value or 0
end

-- How large a document is. A table that stands in several places, or in itself, counts once.
local function measure(root)
  local size, stack, is_known = 0, { root }, { [root] = true }
  while stack[1] do
    for key, value in next, table.remove(stack) do
      size = size + 1 + size_of(key) + size_of(value)
      if type(value) == "table" and not is_known[value] then
        is_known[value], stack[#stack + 1] = true, value
      end
    end
  end
  return size
end

-- A document to read: `root`, and what is known of it meanwhile.
function reader.open(root)
  local most = reader.most_of(measure(root))
  return {
    root = root,
    left = most,
    most = most,
    targets = {},
    finals = {},
    names = {},
    types = {},
    objects = {},
    lost = {},
    faults = {},
    notes = {},
  }
end

-- Takes something of what may be read and written, and raises when nothing is left.
function reader.spend(doc, cost)
  doc.left = doc.left - cost
  if doc.left < 0 then
    fail "the document says the same so often that its definitions would be too large"
  end
end
local spend = reader.spend

-- The string keys of any value, sorted; none if it is no table.
function reader.keys(doc, value)
  local keys = {}
  for key in next, table_of(value) do
    if type(key) == "string" then
      keys[#keys + 1] = key
      spend(doc, READ + #key)
    end
  end
  return result.sorted(keys)
end

-- The elements of a list, each of which costs something.
function reader.each(doc, value)
  local list, position = table_of(value), 0
  return function()
    position = position + 1
    local element = list[position]
    if element ~= nil then
      spend(doc, READ + size_of(element))
      return position, element
    end
  end
end

-- Says what was passed over in an operation. What several share is said of each.
function reader.note(doc, operation, problem, ...)
  local line = ("%s %s: "):format(operation.method, operation.path) .. problem:format(...)
  spend(doc, #line)
  doc.notes[#doc.notes + 1] = line
end

-- --- references -------------------------------------------------------------------

-- A part of a JSON pointer (RFC 6901, section 4), behind percent-decoding (section 6).
local function part_of(written)
  return (text.decoded(written):gsub("~1", "/"):gsub("~0", "~"))
end

local BUNDLE = "bundle it to one file: npx @redocly/cli bundle openapi.yaml --ext json"

-- The place of a reference; nil if it leads nowhere.
local function place_of(doc, reference)
  local place = doc.root
  for written in reference:gmatch "/([^/]*)" do
    local part, number = part_of(written), tonumber(written)
    local parent = table_of(place)
    place = rawget(parent, part)
    if place == nil and number then
      place = rawget(parent, number + 1)
    end
    if place == nil then
      return nil
    end
  end
  return place
end

-- What a table's own reference leads to; or nil and, if it leads nowhere, why. One into another file raises.
function reader.target(doc, value)
  local reference = reader.text_of(value["$ref"])
  if not reference then
    return nil
  end
  if doc.targets[reference] ~= nil then
    return doc.targets[reference]
  end
  local quoted = reader.quoted(reference)
  if reference:find "^[^#]" then
    fail("$ref %s leads to another file: %s", quoted, BUNDLE)
  end
  if not reference:find "^#/" then
    return nil, ("$ref %s: expected one into the document itself, #/..."):format(quoted)
  end
  local place = place_of(doc, reference)
  if place == nil then
    return nil, ("$ref %s leads nowhere"):format(quoted)
  end
  -- true and false are schemas, too.
  if type(place) ~= "table" and type(place) ~= "boolean" then
    return nil, ("$ref %s leads to no object"):format(quoted)
  end
  doc.targets[reference] = place
  doc.names[place] = reference:match "^#/components/schemas/([^/]+)$"
    or reference:match "^#/definitions/([^/]+)$"
  return place
end

-- What is wrong with references that lead to each other; the same, whichever of them was read first.
local function circle(passed)
  local least
  for place in next, passed do
    least = (not least or place["$ref"] < least) and place["$ref"] or least
  end
  return ("$ref %s leads in a circle"):format(reader.quoted(least))
end

-- The table that a value is, or that its $ref leads to; an empty one for any other value. Where
-- a chain of references ends is remembered for each of them, and in `lost` why one ends nowhere.
function reader.resolve(doc, value)
  local passed = {}
  spend(doc, READ)
  while doc.finals[value] == nil and reader.text_of(table_of(value)["$ref"]) do
    local target, reason = reader.target(doc, value)
    passed[value] = true
    if target ~= nil and passed[target] then
      target, reason = nil, circle(passed)
    end
    doc.lost[value], value = reason, target
  end
  local final = doc.finals[value] or table_of(value)
  for place in next, passed do
    doc.finals[place] = final
  end
  return final
end

-- --- references that lead nowhere -------------------------------------------------

-- All references of a document are looked at before it is read. One into another file ends the reading; of one that
-- leads nowhere it is known which parts of the document hold it.

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

-- Below these keys stands what a request or an answer may hold, which may be called `$ref`.
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
    local target = reader.target(doc, inner)
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
    if reader.text_of(inner["$ref"]) then
      reader.resolve(doc, inner)
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

-- For each table of the document that needs a reference that leads nowhere: why it does. Nearly always empty.
function reader.faults(doc)
  local faults, lost = {}, lost_in(doc)
  local holders = lost[1] and holders_in(doc)
  for _, one in ipairs(lost) do
    local stack = { one.value }
    while stack[1] do
      local value = table.remove(stack)
      if not faults[value] then
        faults[value] = one.reason
        for _, holder in ipairs(holders[value] or reader.NOTHING) do
          stack[#stack + 1] = holder
        end
      end
    end
  end
  return faults
end

return reader
