-- SPDX-License-Identifier: MIT
-- Functions that say whether a value certainly fits a node: Lua that is made of the node when it is
-- needed first. They are some times as fast as value.lua, and know less.
--
-- Such a function returns true if the value fits, false if it does not, and nil if that cannot be
-- said here: value.lua then says it, which words each error, too. So nothing that is decided here
-- has an effect but that a value fits. No metamethod is called: a table with a metatable is left to
-- value.lua.
local certain = {}

local NULL = require "endpoint".null
local logic = require "endpoint.checks.validator.certain.logic"
local new_writer = require "endpoint.checks.validator.certain.writer".new
local protected = require "endpoint.protected"
local scalars = require "endpoint.checks.validator.certain.scalars"
local tables = require "endpoint.checks.validator.certain.tables"

local load_text = loadstring or load

-- A value may have more levels than this for value.lua alone. A table may stand in many places, so
-- the calls for one value are counted.
local MOST_LEVELS, MOST_CALLS = 150, 200000

-- Nodes that are in each other are written into each other up to this level.
local MOST_NESTED = 6

-- --- what the functions call ----------------------------------------------------------

local byte, find, gsub = string.byte, string.find, string.gsub
local is_jit = rawget(_G, "jit") ~= nil
local library = { NULL = NULL, find = find, byte = byte }

-- OpenResty's LuaJIT counts the keys of a table in compiled code.
local has_nkeys, nkeys = protected.call(require, "table.nkeys")
library.nkeys = has_nkeys and nkeys or nil

-- Has a string so many characters of UTF-8 from a position on?
local function has_characters_from(instance, position, least)
  local one = byte(instance, position)
  if least == 0 or one == nil then
    return least == 0
  end
  local count = (one < 128 or one > 191) and 1 or 0
  return has_characters_from(instance, position + 1, least - count)
end

-- Has a string so many characters of UTF-8? LuaJIT compiles no search.
function library.has_characters(instance, least)
  if is_jit then
    return has_characters_from(instance, 1, least)
  end
  local _, count = gsub(instance, "[^\128-\191]", "", least)
  return count == least
end

local function are_numbered(instance, position, key)
  if key == nil then
    return true
  elseif key ~= position then
    return false
  end
  return are_numbered(instance, position + 1, (next(instance, key)))
end

local function are_strings(instance, key)
  if key == nil then
    return true
  elseif type(key) ~= "string" then
    return false
  end
  return are_strings(instance, (next(instance, key)))
end

-- Is a value something that JSON has? What a table holds is not looked at.
function library.is_plain(instance)
  local kind = type(instance)
  if kind ~= "table" then
    return kind == "string"
      or kind == "boolean"
      or instance == NULL
      or kind == "number" and instance - instance == 0
  elseif getmetatable(instance) ~= nil then
    return false
  end
  local first = next(instance)
  if type(first) == "number" then
    return are_numbered(instance, 1, first)
  end
  return are_strings(instance, first)
end

-- --- a node ---------------------------------------------------------------------------

local KNOWN = {}
for _, keyword in ipairs {
  "type",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "items",
  "required",
  "properties",
  "additionalProperties",
  "minProperties",
  "maxProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "tag",
  "discriminator",
  "description",
  "format",
  "is_closed",
  -- what value.lua and the keywords keep in a node
  "plan",
  "direct",
  "has_applicators",
  "set",
  "tables",
} do
  KNOWN[keyword] = true
end

-- So many values of an enumeration are compared one by one.
local MOST_COMPARED = 4

local function is_known(node)
  for keyword in next, node do
    if not KNOWN[keyword] then
      return false
    end
  end
  return true
end

local ALL = { "string", "number", "boolean", "null", "array", "object" }

-- The types of a node as a set, with those of its enumeration if it names none.
local function types_of(node)
  local set, types = {}, node.type or ALL
  for _, name in ipairs(type(types) == "table" and types or { types }) do
    set[name] = true
  end
  return set
end

-- A short enumeration of strings is compared, any other one is looked up.
local function enum_condition(writer, node, x)
  local parts, set = {}, {}
  for _, one in ipairs(node.enum) do
    set[one] = true
    parts[#parts + 1] = type(one) == "string" and x .. " ~= " .. writer.quoted(one) or nil
  end
  if #parts == #node.enum and parts[1] and #parts <= MOST_COMPARED then
    return table.concat(parts, " and ")
  end
  return ("not %s[%s]"):format(writer:constant(set), x)
end

local function write_enum(writer, node, x)
  writer:line("if %s then", enum_condition(writer, node, x))
  writer:line("if type(%s) == 'string' then return false end return nil end", x)
end

-- Statements for each type that a value may have: the kinds of Lua, and what is written for each.
local check -- which the functions below call

local function write_table(writer, node, x, level, set)
  if logic.is_needed(node) and logic.is_said_by_alternatives(writer, node) then
    return
  elseif set.array and set.object then
    tables.write_either(writer, node, x, level, check)
  elseif set.array then
    tables.write_list(writer, node, x, level, check)
  else
    tables.write_object(writer, node, x, level, check)
  end
end

local function write_types(writer, node, x, level)
  local set, kind = types_of(node), writer:name()
  local word = "if"
  local function branch(condition, ...)
    writer:line(word .. " " .. condition .. " then", ...)
    word = "elseif"
  end
  writer:line("local %s = type(%s)", kind, x)
  if set.string then
    branch("%s == 'string'", kind)
    scalars.write_string(writer, node, x)
  end
  if set.number or set.integer then
    branch("%s == 'number'", kind)
    scalars.write_number(writer, node, x, not set.number)
  end
  if set.boolean then
    branch("%s == 'boolean'", kind)
  end
  if set.array or set.object then
    branch("%s == 'table'", kind)
    write_table(writer, node, x, level, set)
  end
  if set.null then
    branch("%s == NULL", x)
  end
  branch("%s == 'userdata' or %s == 'cdata'", kind, kind)
  writer:line "return nil else return false end"
end

local SINGLE = { string = "string", boolean = "boolean" }

-- A node with a single type of Lua, which is asked at once.
local function write_single(writer, node, x)
  writer:line("if type(%s) ~= '%s' then return false end", x, SINGLE[node.type])
  if node.enum then
    write_enum(writer, node, x)
  elseif node.type == "string" then
    scalars.write_string(writer, node, x)
  end
end

-- Writes statements that return false or nil from the function around them unless the value of the
-- variable x fits.
function check(writer, node, x, level)
  if not node then
    writer:line "do return false end"
  elseif node.is_given then
    node.write(writer, node, x, level, check)
  elseif node.ref or level > MOST_NESTED or level > 0 and writer.is_large(node) then
    local fits = writer:name()
    local call = writer:function_of(node)
    writer:line("local %s = %s(%s, depth + %d)", fits, call, x, level)
    writer:line("if not %s then return %s end", fits, fits)
  elseif not is_known(node) then
    writer:line "do return nil end"
  elseif node.type == nil and next(node.plan or node) == nil then
    writer:line("if not is_plain(%s) then return nil end", x)
  elseif SINGLE[node.type] and not logic.is_needed(node) then
    write_single(writer, node, x)
  else
    if node.enum then
      write_enum(writer, node, x)
    end
    if not logic.is_alone(node) then
      write_types(writer, node, x, level)
    end
    if logic.is_needed(node) then
      logic.write(writer, node, x, level, check)
    end
  end
end

-- --- functions ------------------------------------------------------------------------

local HEAD = [[
local C, F, B, library = ...
local type, next, getmetatable = type, next, getmetatable
local byte, find, NULL = library.byte, library.find, library.NULL
local has_characters, is_plain = library.has_characters, library.is_plain
local nkeys = library.nkeys
local L = {}
]]

local BEGINNING = [[
local calls = B.calls + 1
B.calls = calls
if depth > %d or calls > %d then return nil end
]]

-- The function of the whole value begins to count.
local BEGINNING_OF_WHOLE = "B.calls = 1"

local function write_function(writer, name, node, is_whole)
  writer:line("%s = function(v, depth)", name)
  writer:line("%s", is_whole and BEGINNING_OF_WHOLE or BEGINNING:format(MOST_LEVELS, MOST_CALLS))
  check(writer, node, "v", 0)
  writer:line "do return true end"
  writer:line "end"
end

local function text_of(writer, node, is_whole)
  write_function(writer, "local whole", node, is_whole)
  local position = 0
  while writer.waiting[position + 1] do
    position = position + 1
    local name, made_of = ("L[%d]"):format(position), writer.waiting[position]
    if type(made_of) == "function" then
      made_of(writer, name)
    else
      write_function(writer, name, made_of)
    end
  end
  writer:line "return whole"
  return HEAD .. table.concat(writer.lines, "\n")
end

local function unknown()
  return nil
end

local function new_state(rulebook)
  local state = { budget = { calls = 0 } }
  state.functions = setmetatable({}, {
    __index = function(functions, key)
      local node = type(key) == "number" and rulebook.schemas[key] or key
      functions[key] = certain.of_node(rulebook, node)
      return functions[key]
    end,
  })
  rulebook.certain = state
  return state
end

-- What the functions of a rulebook share: those of its numbered nodes and of large ones, made when
-- they are called first, and how often they were called.
local function state_of(rulebook)
  return rulebook.certain or new_state(rulebook)
end

-- The function of a node. Its arguments are a value and the number of levels that it is below.
-- is_whole: is the value a part of no other one?
function certain.of_node(rulebook, node, is_whole)
  local writer, state = new_writer(rulebook, has_nkeys), state_of(rulebook)
  local is_written, written = protected.call(text_of, writer, node, is_whole)
  local chunk, problem
  if is_written and load_text then
    chunk, problem = load_text(written, "=rules")
  end
  if problem == "not enough memory" then
    error(problem, 0)
  elseif not chunk then
    return unknown -- it is longer than this Lua takes
  end
  return chunk(writer.constants, state.functions, state.budget, library)
end

return certain
