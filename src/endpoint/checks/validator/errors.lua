-- SPDX-License-Identifier: MIT
-- What the errors of checks say: names and values of strangers, cut to few bytes; and the place
-- of a value.
local errors = {}

local NULL = require "endpoint".null
local text = require "endpoint.text"

-- A string for an error, in quotes.
local shown = text.quoted
errors.shown = shown

-- The elements of a list as a part of a sentence. word: what stands before the last, " or " unless
-- given.
function errors.joined(list, word)
  if not list[2] then
    return list[1]
  end
  return table.concat(list, ", ", 1, #list - 1) .. (word or " or ") .. list[#list]
end

errors.TYPES = {
  string = "a string",
  integer = "an integer",
  number = "a number",
  boolean = "true or false",
  null = "null",
  array = "a list",
  object = "an object",
}

-- The types of a node as errors.TYPES has them; an empty list if it does not say any.
function errors.types_of(node)
  local types, names = node and node.type, {}
  for position, name in ipairs(type(types) == "table" and types or { types }) do
    names[position] = errors.TYPES[name]
  end
  return names
end

-- A number as JSON has it: 5, not 5.0, whatever Lua makes of it. One that may have lost digits is
-- shown as Lua does.
function errors.number(number)
  local is_exact = number - number == 0 and not text.number_fault(number)
  return is_exact and text.decoded(text.encoded(number)) or tostring(number)
end

function errors.kind_of(instance)
  if instance == NULL then
    return "null"
  end
  if type(instance) == "table" then
    return text.list_size(instance) and next(instance) ~= nil and "a list" or "a table"
  end
  if type(instance) == "number" then
    return instance ~= instance and "NaN" or errors.number(instance)
  end
  return type(instance) == "string" and "a string" or "a " .. type(instance)
end

-- A problem: `words`, a string or a function that makes it of the problem, and where it is, `key`
-- in a table and the problem `inner` there. Most problems are those of an alternative that does not
-- fit, and nobody reads them: so their words are made when they are asked for. Problems are shared,
-- and so never changed. Of several alternatives' problems that of the highest rank is told:
-- 1 has one of the type, with the `names` of types, 2 one of an enumeration, `enum`, and 3 any
-- other.
function errors.problem(words, more)
  local found = more or {}
  found.words, found.rank = words, found.names and 1 or found.enum and 2 or 3
  return found
end

-- The most values of an enumeration that an error lists.
local MOST_SHOWN = 12

local function shown_value(one)
  if type(one) == "table" then
    return errors.kind_of(one)
  end
  if type(one) == "number" then
    return errors.number(one)
  end
  if one == "" then
    return '""'
  end
  return one == NULL and "null" or shown(tostring(one)):sub(2, -2)
end

local function enum_words(found)
  local list, instance = found.enum, found.instance
  local texts = { "no value" }
  for position, one in ipairs(list) do
    if position > MOST_SHOWN then
      texts[position] = ("one of %d more"):format(#list - MOST_SHOWN)
      break
    end
    texts[position] = shown_value(one)
  end
  local got = type(instance) == "string" and shown(instance) or errors.kind_of(instance)
  return "expected " .. errors.joined(texts) .. ", got " .. got
end

-- The problem of a value that is not in a list of values.
function errors.enum_problem(list, instance)
  return { words = enum_words, rank = 2, enum = list, instance = instance }
end

local function type_words(found)
  return "expected " .. errors.joined(found.names) .. ", got " .. errors.kind_of(found.instance)
end

-- The problem of a value that is of none of these types. names: as in errors.TYPES.
function errors.type_problem(names, instance)
  return { words = type_words, rank = 1, names = names, instance = instance }
end

local function unknown_words(found)
  return text.nearest(found.unknown, found.known)
end

-- The problem of a name that is not among the known ones, the keys of a table.
function errors.unknown_problem(name, known)
  return { words = unknown_words, rank = 3, unknown = name, known = known }
end

-- The problem of a size that is out of a limit; nil if it is not. noun: what is counted.
function errors.below_least(size, least, noun)
  if size < least then
    return errors.problem(("expected at least %d %s, got %d"):format(least, noun, size))
  end
end

function errors.above_most(size, most, noun)
  if size > most then
    return errors.problem(("expected at most %d %s, got %d"):format(most, noun, size))
  end
end

function errors.below(key, inner)
  return { key = key, inner = inner, rank = inner.rank == 1 and 3 or inner.rank }
end

-- The problem of one name. Of several that have one it is any, or the first in the order of `<` if
-- the check is in order. Then all are asked, so that a pattern that takes too many steps is met in
-- each run. members: a table with names as its keys; problem_of(name, member, a, b, c) returns the
-- problem of one, or nil.
function errors.problem_below(check, members, problem_of, a, b, c)
  local in_order = check.in_order
  local first, found
  for name, member in next, members do
    local one = problem_of(name, member, a, b, c)
    if one and not in_order then
      return one
    elseif one and (first == nil or name < first) then
      first, found = name, one
    end
  end
  return found
end

-- The path of the value in a problem, such as labels[1].name, and what is wrong there.
function errors.place_of(found)
  local parts = {}
  while found.inner do
    local key = found.key
    parts[#parts + 1] = type(key) == "number" and ("[%d]"):format(key)
      or (parts[1] and "." or "") .. tostring(key)
    found = found.inner
  end
  return table.concat(parts), found
end

-- The most bytes of a pointer that is told: a stranger may have written its keys.
local LONGEST_POINTER = 200

-- A key as a part of a JSON pointer (RFC 6901, section 3). The first element of a list is 0.
local function pointer_part(key)
  if type(key) == "number" then
    return ("/%d"):format(key - 1)
  end
  return "/" .. tostring(key):gsub("~", "~0"):gsub("/", "~1")
end

-- The JSON pointer of the value in a problem, or of the name that is missing or unknown there; and
-- what is wrong with it.
function errors.pointer_of(found)
  local parts = {}
  while found.inner do
    parts[#parts + 1] = pointer_part(found.key)
    found = found.inner
  end
  local words = found.words
  if type(words) == "function" then
    words = words(found)
  end
  if found.unknown then
    parts[#parts + 1], words = pointer_part(found.unknown), "is unknown" .. words
  elseif found.missing then
    parts[#parts + 1], words = pointer_part(found.missing), "is missing" .. words
  end
  return text.shown(table.concat(parts), LONGEST_POINTER), words
end

-- A problem as a sentence: `"state": expected open, closed or all, got "opened"`. noun: what an
-- unknown name is, a parameter unless given.
function errors.sentence(found, noun)
  local path, last = errors.place_of(found)
  local words = last.words
  if type(words) == "function" then
    words = words(last)
  end
  local within = path ~= "" and " in " .. shown(path) or ""
  if last.unknown then
    return "no " .. (noun or "parameter") .. " " .. shown(last.unknown) .. within .. words
  end
  if last.missing then
    return shown(last.missing) .. " is missing" .. within .. words
  end
  return (path ~= "" and shown(path) .. ": " or "") .. words
end

return errors
