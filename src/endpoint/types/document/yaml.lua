-- SPDX-License-Identifier: MIT
-- YAML as JSON would have it: of YAML 1.2's core schema the booleans, null and JSON's numbers, so
-- that `no`, `on`, 1_000 and dates are texts, and every key is one. libyaml, through lyaml's
-- parser, tells the syntax.
local yaml = {}

local budget = require "endpoint.types.document.budget"
local endpoint = require "endpoint"
local values = require "endpoint.types.document.values"

local CONSTANTS = {
  ["true"] = true,
  True = true,
  TRUE = true,
  ["false"] = false,
  False = false,
  FALSE = false,
  null = endpoint.null,
  Null = endpoint.null,
  NULL = endpoint.null,
  ["~"] = endpoint.null,
  [""] = endpoint.null,
}

-- The value of a scalar without quotes.
local function plain_value(text)
  if CONSTANTS[text] ~= nil then
    return CONSTANTS[text]
  end
  local is_number = text:find "^%-?%d[%d.eE+-]*$" and not text:find "^%-?0%d"
  return is_number and tonumber(text) or text
end

-- The key that puts the pairs of other maps below those of its own:
-- https://yaml.org/type/merge.html
local MERGE = {}

-- Only so many keys are copied as a text of that length may have.
local function copy(builder, from, target)
  if type(from) ~= "table" or from[1] ~= nil then
    error("<< must be a map, or a list of maps", 0)
  end
  for key, value in next, from do
    builder.left = builder.left - 1
    if builder.left < 0 then
      error("its << keys would make it too large", 0)
    end
    if target[key] == nil then
      target[key] = value
    end
  end
end

-- Ends the map that is open: its own keys win over those that it merges.
local function merge(builder)
  local top = builder[#builder]
  for _, given in ipairs(top.merged or {}) do
    local list = type(given) == "table" and given[1] ~= nil and given or { given }
    for _, from in ipairs(list) do
      copy(builder, from, top.value)
    end
  end
end

-- A map that has a key twice is a mistake. The last value counts. Only so many mistakes are told.
local MOST_NOTES = 20

local function note_twice(builder, key)
  if #builder.notes < MOST_NOTES then
    local note = "line %d: the key %s is given twice, and its last value counts"
    builder.notes[#builder.notes + 1] = note:format(builder.line, values.quoted(key))
  end
end

-- Adds a value to the list or map that is open, or makes it the document. scalar: its text.
local function add(builder, value, scalar)
  local top = builder[#builder]
  if not top then
    builder.root = value
  elseif top.is_list then
    top.value[#top.value + 1] = value
  elseif top.key == MERGE then
    top.merged, top.key = top.merged or {}, nil
    table.insert(top.merged, value)
  elseif top.key ~= nil then
    if top.value[top.key] ~= nil then
      note_twice(builder, top.key)
    end
    top.value[top.key], top.key = value, nil
  else
    top.key = scalar or error("a key that is not a string", 0)
  end
end

local TAKES = {}

-- JSON's decoder stops there, too. What is deeper takes the YAML library a time that grows with its
-- square.
local DEEPEST = 1000

local function open(builder, event, is_list)
  local value = {}
  if #builder >= DEEPEST then
    error(("lists and maps are nested more than %d deep"):format(DEEPEST), 0)
  end
  if event.anchor then
    builder.anchors[event.anchor] = { value }
  end
  add(builder, value)
  builder[#builder + 1] = { value = value, is_list = is_list }
end

function TAKES.MAPPING_START(builder, event)
  open(builder, event, false)
end
function TAKES.SEQUENCE_START(builder, event)
  open(builder, event, true)
end
function TAKES.SEQUENCE_END(builder)
  builder[#builder] = nil
end
function TAKES.MAPPING_END(builder)
  merge(builder)
  builder[#builder] = nil
end

function TAKES.SCALAR(builder, event)
  local value = event.value
  if event.style == "PLAIN" and not event.tag then
    value = plain_value(value)
  end
  if event.anchor then
    builder.anchors[event.anchor] = { value, event.value }
  end
  add(builder, value, event.style == "PLAIN" and event.value == "<<" and MERGE or event.value)
end

function TAKES.ALIAS(builder, event)
  local known = builder.anchors[event.anchor]
    or error("an alias without an anchor: " .. event.anchor, 0)
  add(builder, known[1], known[2])
end

-- Lines that begin with "%", such as %TAG. libyaml takes a time for them that grows with the square
-- of their number.
local MOST_DIRECTIVES = 100

-- Raises if a text has more of these lines. In UTF-16, whose lines end in other bytes, each "%"
-- counts.
local function check_directives(text)
  local pattern = text:find "^[\254\255]" and "%%" or "[\n\r\133\168\169]%%"
  local at, count = 0, 0
  text = "\n" .. text
  repeat
    at, count = text:find(pattern, at + 1), count + 1
  until not at or count > MOST_DIRECTIVES
  if at then
    error(("more than %d lines begin with %%"):format(MOST_DIRECTIVES), 0)
  end
end

-- The value of a text's first document, and lines about keys that it has twice; raises a text.
-- parser: that of lyaml's module `yaml`.
function yaml.decode(text, parser)
  check_directives(text)
  local builder = { anchors = {}, left = budget.allowance(#text), notes = {}, line = 0 }
  local next_event = parser(text)
  repeat
    local event = next_event()
    builder.line = event and event.start_mark and event.start_mark.line + 1 or builder.line
    if event and TAKES[event.type] then
      TAKES[event.type](builder, event)
    end
  until not event or event.type == "DOCUMENT_END"
  return builder.root, builder.notes
end

return yaml
