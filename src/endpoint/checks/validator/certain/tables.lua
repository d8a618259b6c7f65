-- SPDX-License-Identifier: MIT
-- What is written for lists and objects.
local tables = {}

local result = require "endpoint.result"

local NONE = {}

local PLAIN = { string = true, boolean = true, number = true, integer = true }

-- An object with more properties that may be absent is walked name by name.
local MOST_LOOKED_UP = 12

-- Does a node take any value? What is in a table is then not looked at.
local function takes_all(node)
  return node and node.ref == nil and (next(node) == nil or node.plan and next(node.plan) == nil)
end

-- Is what is written for a node a few lines?
local function is_short(node)
  local is_plain = PLAIN[node.type] and not (node.allOf or node.anyOf or node.oneOf)
  return is_plain or takes_all(node)
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do
    set[name] = true
  end
  return set
end

-- --- lists ------------------------------------------------------------------------

-- So many elements of a list, or names of an object, are checked before a function is called for
-- the others. That function ends with a call of itself: LuaJIT compiles no function that meets a
-- loop, and none of those that call it.
local MOST_STEPS, MOST_NAMES = 2, 4

-- Elements are walked in the order of `next`; a list that Lua keeps in another order is left out.
local function write_in_order(writer, node, x, count, level, check)
  local at, one = writer:name(), writer:name()
  writer:line("local %s = 0", count)
  writer:line("for %s, %s in next, %s do", at, one, x)
  writer:line("%s = %s + 1", count, count)
  writer:line("if %s ~= %s then", at, count)
  writer:line("if type(%s) == 'string' then return false end return nil end", at)
  if node.items ~= nil then
    check(writer, node.items, one, level + 1)
  end
  writer:line "end"
end

-- What is written for each step is short: a node that is not is a function of its own.
local function write_step(writer, node, x, position, level, check)
  local one, fits = writer:name(), writer:name()
  writer:line("local %s = %s[%s]", one, x, position)
  writer:line("if %s == nil then return nil end", one)
  if not node then
    return
  elseif is_short(node) then
    return check(writer, node, one, level)
  end
  writer:line("local %s = %s(%s, depth + %d)", fits, writer:function_of(node), one, level)
  writer:line("if not %s then return %s end", fits, fits)
end

-- Returns what writes the function for the elements from a position on.
local function write_elements(node, check)
  return function(writer, name)
    writer:line("%s = function(v, at, count, depth)", name)
    writer:line "if at > count then return true end"
    write_step(writer, node, "v", "at", 1, check)
    writer:line("return %s(v, at + 1, count, depth)", name)
    writer:line "end"
  end
end

-- With as many keys as elements, all of them from 1 on, a table has no other keys.
local function write_by_number(writer, node, x, count, level, check)
  writer:line("local %s = #%s", count, x)
  writer:line("if nkeys(%s) ~= %s then", x, count)
  writer:line("if type(next(%s)) == 'string' then return false end return nil end", x)
  for position = 1, MOST_STEPS do
    writer:line("if %s >= %d then", count, position)
    write_step(writer, node.items, x, position, level + 1, check)
  end
  local others, fits = writer:local_function(write_elements(node.items, check)), writer:name()
  writer:line("if %s > %d then", count, MOST_STEPS)
  writer:line(
    "local %s = %s(%s, %d, %s, depth + %d)",
    fits,
    others,
    x,
    MOST_STEPS + 1,
    count,
    level
  )
  writer:line("if not %s then return %s end", fits, fits)
  writer:line("end" .. (" end"):rep(MOST_STEPS))
end

function tables.write_list(writer, node, x, level, check)
  local count = writer:name()
  local write = writer.has_nkeys and node.items ~= false and write_by_number or write_in_order
  writer:line("if getmetatable(%s) ~= nil then return nil end", x)
  write(writer, node, x, count, level, check)
  for _, limit in ipairs { { "minItems", "<" }, { "maxItems", ">" } } do
    if node[limit[1]] then
      local most = writer.number(node[limit[1]])
      writer:line("if %s %s %s then return false end", count, limit[2], most)
    end
  end
end

-- --- names that are looked up ---------------------------------------------------------

-- The names of the properties: those first that are required and have an enumeration, since they
-- tell alternatives apart.
local function names_of(node, required)
  local names = {}
  for name in next, node.properties or NONE do
    names[#names + 1] = name
  end
  local ranks = { {}, {}, {} }
  for _, name in ipairs(result.sorted(names)) do
    local child = node.properties[name]
    local rank = required[name] and (child and child.enum and 1 or 2) or 3
    table.insert(ranks[rank], name)
  end
  local ordered = {}
  for _, rank in ipairs(ranks) do
    for _, name in ipairs(rank) do
      ordered[#ordered + 1] = name
    end
  end
  return ordered
end

local function write_property(writer, child, one, known, level, check)
  if known then
    writer:line("%s = %s + 1", known, known)
  end
  check(writer, child, one, level + 1)
end

local function write_looked_up(writer, node, x, known, level, check)
  local required = set_of(node.required or NONE)
  for _, name in ipairs(node.required or NONE) do
    if node.properties[name] == nil then
      writer:line("if %s[%s] == nil then return false end", x, writer.quoted(name))
    end
  end
  for _, name in ipairs(names_of(node, required)) do
    local one = writer:name()
    writer:line("do local %s = %s[%s]", one, x, writer.quoted(name))
    if required[name] then
      writer:line("if %s == nil then return false end", one)
      write_property(writer, node.properties[name], one, known, level, check)
      writer:line "end"
    else
      writer:line("if %s ~= nil then", one)
      write_property(writer, node.properties[name], one, known, level, check)
      writer:line "end end"
    end
  end
end

-- --- names that are walked ------------------------------------------------------------

-- Properties that ask the same have one number: the map from names to numbers, and the nodes.
local function classes_of(node)
  local numbers, nodes, by_key = {}, {}, {}
  for _, name in ipairs(names_of(node, NONE)) do
    local child = node.properties[name]
    local key = tables.key_of(child)
    if not by_key[key] then
      nodes[#nodes + 1] = child
      by_key[key] = #nodes
    end
    numbers[name] = by_key[key]
  end
  return numbers, nodes
end

-- What tells nodes apart: most of them ask for a type and nothing else.
function tables.key_of(node)
  if not node then
    return false
  elseif node.ref then
    return "ref " .. node.ref
  end
  for keyword in next, node do
    local is_kept = keyword == "plan" or keyword == "direct" or keyword == "has_applicators"
    if keyword ~= "type" and keyword ~= "description" and keyword ~= "format" and not is_kept then
      return node
    end
  end
  return PLAIN[node.type] and "type " .. node.type or node
end

local function write_other(writer, node, name, one, level, check)
  local other = node.additionalProperties
  if other == false then
    writer:line "return false"
  else
    writer:line("if type(%s) ~= 'string' then return nil end", name)
    if other and not takes_all(other) then
      check(writer, other, one, level + 1)
    end
  end
end

-- Finds the class of a name by halves.
local function write_classes(writer, nodes, class, one, first, last, level, check)
  if first == last then
    return check(writer, nodes[first], one, level + 1)
  end
  local middle = math.floor((first + last) / 2)
  writer:line("if %s <= %d then", class, middle)
  write_classes(writer, nodes, class, one, first, middle, level, check)
  writer:line "else"
  write_classes(writer, nodes, class, one, middle + 1, last, level, check)
  writer:line "end"
end

-- Writes what is asked of each name and its value.
local function write_name(writer, node, name, one, level, check)
  local numbers, nodes = classes_of(node)
  if next(numbers) == nil then
    return write_other(writer, node, name, one, level, check)
  end
  local class = writer:name()
  writer:line("local %s = %s[%s]", class, writer:constant(numbers), name)
  writer:line("if %s == nil then", class)
  write_other(writer, node, name, one, level, check)
  writer:line "else"
  write_classes(writer, nodes, class, one, 1, #nodes, level, check)
  writer:line "end"
end

local function write_looped(writer, node, x, count, level, check)
  local name, one = writer:name(), writer:name()
  writer:line("for %s, %s in next, %s do", name, one, x)
  if count then
    writer:line("%s = %s + 1", count, count)
  end
  write_name(writer, node, name, one, level, check)
  writer:line "end"
end

-- Returns what writes the function for a name and its value.
local function write_single_name(node, check)
  return function(writer, own)
    writer:line("%s = function(name, one, depth)", own)
    write_name(writer, node, "name", "one", 0, check)
    writer:line "do return true end"
    writer:line "end"
  end
end

-- Returns what writes the function for the names from one on. ask: writes what is asked of each.
local function write_names(ask)
  return function(writer, own)
    writer:line("%s = function(v, name, one, depth)", own)
    writer:line "if name == nil then return true end"
    writer:line "do"
    ask("name", "one", 1)
    writer:line "end"
    writer:line "name, one = next(v, name)"
    writer:line("return %s(v, name, one, depth)", own)
    writer:line "end"
  end
end

-- Returns what writes what is asked of a name and its value. It is written several times, so that
-- what is not short has a function.
local function asked_of_names(writer, node, check)
  local other = node.additionalProperties
  if next(node.properties or NONE) == nil and (not other or is_short(other)) then
    return function(name, one, level)
      write_name(writer, node, name, one, level, check)
    end
  end
  local own = writer:local_function(write_single_name(node, check))
  return function(name, one, level)
    local fits = writer:name()
    writer:line("local %s = %s(%s, %s, depth + %d)", fits, own, name, one, level)
    writer:line("if not %s then return %s end", fits, fits)
  end
end

local function write_in_steps(writer, node, x, level, check)
  local name, one, fits = writer:name(), writer:name(), writer:name()
  local ask = asked_of_names(writer, node, check)
  local others = writer:local_function(write_names(ask))
  writer:line("local %s, %s = next(%s)", name, one, x)
  for _ = 1, MOST_NAMES do
    writer:line("if %s ~= nil then do", name)
    ask(name, one, level)
    writer:line("end %s, %s = next(%s, %s)", name, one, x, name)
  end
  writer:line("if %s ~= nil then", name)
  writer:line("local %s = %s(%s, %s, %s, depth + %d)", fits, others, x, name, one, level)
  writer:line("if not %s then return %s end", fits, fits)
  writer:line("end" .. (" end"):rep(MOST_NAMES))
end

local function write_walked(writer, node, x, count, level, check)
  for _, required in ipairs(node.required or NONE) do
    writer:line("if %s[%s] == nil then return false end", x, writer.quoted(required))
  end
  if not writer.has_nkeys then
    return write_looped(writer, node, x, count, level, check)
  end
  write_in_steps(writer, node, x, level, check)
  if count then
    writer:line("%s = nkeys(%s)", count, x)
  end
end

-- --- objects ----------------------------------------------------------------------

local function write_sizes(writer, node, count)
  for _, limit in ipairs { { "minProperties", "<" }, { "maxProperties", ">" } } do
    if node[limit[1]] then
      local most = writer.number(node[limit[1]])
      writer:line("if %s %s %s then return false end", count, limit[2], most)
    end
  end
end

-- Is every name looked up, and are the others counted?
local function is_looked_up(node)
  local optional = -#(node.required or NONE)
  for _ in next, node.properties or NONE do
    optional = optional + 1
  end
  return optional <= MOST_LOOKED_UP and next(node.properties or NONE) ~= nil
end

local function write_counted(writer, node, x, level, check)
  local known = writer:name()
  writer:line("local %s = 0", known)
  write_looked_up(writer, node, x, known, level, check)
  if writer.has_nkeys then
    writer:line("if nkeys(%s) ~= %s then return false end", x, known)
  else
    writer:line("for _ in next, %s do %s = %s - 1 end", x, known, known)
    writer:line("if %s ~= 0 then return false end", known)
  end
end

function tables.write_object(writer, node, x, level, check)
  writer:line("if getmetatable(%s) ~= nil then return nil end", x)
  local has_sizes = node.minProperties or node.maxProperties
  local is_closed = node.additionalProperties == false
  if is_closed and not has_sizes and (writer.is_jit or is_looked_up(node)) then
    return write_counted(writer, node, x, level, check)
  end
  local count = has_sizes and writer:name()
  if count then
    writer:line("local %s = 0", count)
  end
  write_walked(writer, node, x, count, level, check)
  if count then
    write_sizes(writer, node, count)
  end
end

-- --- tables of either kind ------------------------------------------------------------

local ASKS_LIST = { "items", "minItems", "maxItems" }
local ASKS_OBJECT =
  { "properties", "additionalProperties", "required", "minProperties", "maxProperties" }

local function has_any(node, keywords)
  for _, keyword in ipairs(keywords) do
    if node[keyword] ~= nil then
      return true
    end
  end
  return false
end

-- A table that may be a list and may be an object.
function tables.write_either(writer, node, x, level, check)
  if not has_any(node, ASKS_LIST) and not has_any(node, ASKS_OBJECT) then
    writer:line("if not is_plain(%s) then return nil end", x)
    return
  end
  local first = writer:name()
  writer:line("local %s = next(%s)", first, x)
  writer:line("if %s == nil then return nil", first)
  writer:line("elseif type(%s) == 'number' then", first)
  tables.write_list(writer, node, x, level, check)
  writer:line "else"
  tables.write_object(writer, node, x, level, check)
  writer:line "end"
end

return tables
