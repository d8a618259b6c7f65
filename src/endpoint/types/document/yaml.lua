-- SPDX-License-Identifier: MIT
-- YAML as JSON would have it: by the core schema of YAML 1.2, so that `no`, `on`, 1_000 and dates
-- are texts, and every key is one. Infinity and NaN, which JSON does not have, are texts, too.
-- libyaml, through lyaml's parser, tells the syntax.
local yaml = {}

local budget = require "endpoint.types.document.budget"
local endpoint = require "endpoint"
local number_in = require "endpoint.text".number
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

-- YAML 1.2, "Core Schema", "Tag Resolution": each form of a number, and its base.
local NUMBERS = {
  { "^[+-]?(%d+)$", 10 },
  { "^0o([0-7]+)$", 8 },
  { "^0x(%x+)$", 16 },
}

local function is_float(text)
  local digits, exponent = text:match "^[+-]?([%d.]+)(.*)$"
  return digits
    and (digits:find "^%.%d+$" or digits:find "^%d+%.?%d*$")
    and (exponent == "" or exponent:find "^[eE][+-]?%d+$")
end

-- A number by its digits, of any length: a float where it is no integer of Lua.
local function number_of(text)
  for _, form in ipairs(NUMBERS) do
    local digits = text:match(form[1])
    if digits then
      local sign, value = text:sub(1, 1) == "-" and -1 or 1, 0
      if form[2] == 10 then
        return sign * tonumber(digits)
      end
      for digit in digits:gmatch "." do
        value = value * form[2] + tonumber(digit, 16)
      end
      return value
    end
  end
  return is_float(text) and number_in((text:gsub("^%+", ""))) or nil
end

-- The value of a scalar without quotes.
local function plain_value(text)
  if CONSTANTS[text] ~= nil then
    return CONSTANTS[text]
  end
  return number_of(text) or text
end

-- The tags that say what a text means, such as !!int.
local IS_RESOLVED = {
  ["tag:yaml.org,2002:int"] = true,
  ["tag:yaml.org,2002:float"] = true,
  ["tag:yaml.org,2002:bool"] = true,
  ["tag:yaml.org,2002:null"] = true,
}

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
  if event.style == "PLAIN" and not event.tag or IS_RESOLVED[event.tag] then
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
