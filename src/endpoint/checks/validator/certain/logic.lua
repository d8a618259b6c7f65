-- SPDX-License-Identifier: MIT
-- What is written for keywords that apply other nodes to the same value.
local logic = {}

local result = require "endpoint.result"

local NONE = {}

local function final(writer, node)
  return node and node.ref and writer.rulebook.schemas[node.ref] or node
end

-- --- alternatives that a property tells apart -------------------------------------------

local function has(list, wanted)
  for _, one in ipairs(list or NONE) do
    if one == wanted then
      return true
    end
  end
  return false
end

-- Adds the words of an alternative's property to a map from words to alternatives. Returns whether
-- they tell it from the others.
local function add_words(map, alternative, node, name)
  local child = node.properties and node.properties[name]
  if not child or not child.enum or not has(node.required, name) or node.type ~= "object" then
    return false
  end
  for _, word in ipairs(child.enum) do
    if type(word) ~= "string" or map[word] then
      return false
    end
    map[word] = alternative
  end
  return true
end

-- The alternative of each word of a property, nil if the property does not tell them apart.
local function words_of(writer, list, name)
  local map = {}
  for _, alternative in ipairs(list) do
    local node = final(writer, alternative)
    if not node or not add_words(map, alternative, node, name) then
      return nil
    end
  end
  return map
end

-- A property that all alternatives require, with words that differ; and the alternative of each.
local function tag_of(writer, list)
  local first = final(writer, list[1])
  for _, name in ipairs(first and list[2] and first.required or NONE) do
    local map = words_of(writer, list, name)
    if map then
      return name, map
    end
  end
end

-- The number of the alternative of each word, and the alternatives by number.
local function numbered(map)
  local words, numbers, alternatives, known = {}, {}, {}, {}
  for word in next, map do
    words[#words + 1] = word
  end
  for _, word in ipairs(result.sorted(words)) do
    local alternative = map[word]
    if not known[alternative] then
      alternatives[#alternatives + 1] = alternative
      known[alternative] = #alternatives
    end
    numbers[word] = known[alternative]
  end
  return numbers, alternatives
end

local function call_of(writer, node, x, level)
  if not node then
    return "false"
  end
  return ("%s(%s, depth + %d)"):format(writer:function_of(node), x, level + 1)
end

-- Calls the function of the alternative that a property names.
local function write_choice(writer, name, map, x, level)
  local numbers, alternatives = numbered(map)
  local number, fits = writer:name(), writer:name()
  local by_word = writer:constant(numbers)
  writer:line("do local %s, %s = %s[%s[%s]]", number, fits, by_word, x, writer.quoted(name))
  for position, alternative in ipairs(alternatives) do
    local call = call_of(writer, alternative, x, level)
    local word = position == 1 and "if" or "elseif"
    writer:line("%s %s == %d then %s = %s", word, number, position, fits, call)
  end
  writer:line("end if not %s then return %s end end", fits, fits)
end

-- An empty table is a list for all of these nodes, or an object for all of them: that is not said
-- here.
local function write_not_empty(writer, x)
  writer:line("if next(%s) == nil then return nil end", x)
end

-- --- alternatives that are tried ------------------------------------------------------

local function write_any(writer, list, x, level)
  writer:line "do local fits, may_fit = nil, false"
  for _, node in ipairs(list) do
    writer:line("if not fits then fits = %s", call_of(writer, node, x, level))
    writer:line "if fits == nil then may_fit = true end end"
  end
  writer:line "if not fits then if may_fit then return nil end return false end end"
end

local function write_one(writer, list, x, level)
  writer:line "do local count, fits = 0, nil"
  for _, node in ipairs(list) do
    writer:line("fits = %s", call_of(writer, node, x, level))
    writer:line "if fits then count = count + 1 elseif fits == nil then return nil end"
  end
  writer:line "if count == 0 then return false elseif count > 1 then return nil end end"
end

-- --- alternatives for values of other kinds ---------------------------------------------

local KINDS = { "string", "number", "boolean", "null", "table" }

local KIND_OF = { integer = "number", array = "table", object = "table" }

-- The kinds of values that a node may take, as a set, and how many they are.
local function kinds_of(node)
  local set, count, types = {}, 0, node.type or KINDS
  for _, name in ipairs(type(types) == "table" and types or { types }) do
    local kind = KIND_OF[name] or name
    count = count + (set[kind] and 0 or 1)
    set[kind] = true
  end
  return set, count
end

-- The alternatives that a value of a kind may fit, and whether these fit no value of another kind.
local function group_of(writer, list, kind)
  local group, is_own = {}, true
  for _, alternative in ipairs(list) do
    local node = final(writer, alternative)
    local kinds, count = kinds_of(node or { type = {} })
    if kinds[kind] then
      group[#group + 1] = alternative
      is_own = is_own and count == 1
    end
  end
  return group, is_own
end

local function write_group(writer, group, is_own, x, level, write, check)
  if is_own and not group[2] then
    return check(writer, group[1], x, level + 1)
  end
  write(writer, group, x, level)
end

local function write_by_kind(writer, list, x, level, write, check)
  local found, word = writer:name(), "if"
  writer:line("do local %s = type(%s)", found, x)
  for _, kind in ipairs(KINDS) do
    local group, is_own = group_of(writer, list, kind)
    if group[1] then
      local is_null = kind == "null"
      writer:line(
        "%s %s == %s then",
        word,
        is_null and x or found,
        is_null and "NULL" or writer.quoted(kind)
      )
      if kind == "table" then
        write_not_empty(writer, x)
      end
      write_group(writer, group, is_own, x, level, write, check)
      word = "elseif"
    end
  end
  writer:line("%s %s == 'userdata' or %s == 'cdata' then", word, found, found)
  writer:line "return nil else return false end end"
end

local function write_alternatives(writer, list, x, level, write, check)
  local name, map = tag_of(writer, list)
  if not name then
    return write_by_kind(writer, list, x, level, write, check)
  end
  writer:line("if type(%s) ~= 'table' then return false end", x)
  writer:line("if getmetatable(%s) ~= nil then return nil end", x)
  write_choice(writer, name, map, x, level)
end

-- --- all of them ----------------------------------------------------------------------

function logic.is_needed(node)
  return node.allOf or node.anyOf or node.oneOf
end

-- Is all that a node says of an object said by its alternatives, too? They know its names, and are
-- closed.
function logic.is_said_by_alternatives(writer, node)
  local list = node.anyOf or node.oneOf
  if not list or node.anyOf and node.oneOf or node.allOf then
    return false
  end
  for _, alternative in ipairs(list) do
    local one = final(writer, alternative)
    if not one or one.type ~= "object" or one.additionalProperties ~= false then
      return false
    end
    for name in next, one.properties or NONE do
      local child = (node.properties or NONE)[name]
      if not child or next(child) ~= nil and not (child.plan and next(child.plan) == nil) then
        return false
      end
    end
  end
  return not (node.required or node.minProperties or node.maxProperties)
end

local OF_ALTERNATIVES = {}
for _, keyword in ipairs {
  "allOf",
  "anyOf",
  "oneOf",
  "tag",
  "discriminator",
  "description",
  "format",
  "plan",
  "direct",
  "has_applicators",
} do
  OF_ALTERNATIVES[keyword] = true
end

-- Does a node say nothing but what its alternatives say?
function logic.is_alone(node)
  for keyword in next, node do
    if not OF_ALTERNATIVES[keyword] then
      return false
    end
  end
  local list = node.allOf or node.anyOf or node.oneOf
  return list ~= nil and list[1] ~= nil
end

function logic.write(writer, node, x, level, check)
  if node.allOf then
    writer:line("if type(%s) == 'table' then", x)
    write_not_empty(writer, x)
    writer:line "end"
  end
  for _, one in ipairs(node.allOf or NONE) do
    local fits = writer:name()
    writer:line("do local %s = %s", fits, call_of(writer, one, x, level))
    writer:line("if not %s then return %s end end", fits, fits)
  end
  if node.anyOf then
    write_alternatives(writer, node.anyOf, x, level, write_any, check)
  end
  if node.oneOf then
    write_alternatives(writer, node.oneOf, x, level, write_one, check)
  end
end

return logic
