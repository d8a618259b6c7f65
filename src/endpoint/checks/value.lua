-- SPDX-License-Identifier: MIT
-- A Lua value against a node. Values may come from strangers: no metamethod is called, each table is looked at once
-- for each numbered node, and errors show few of its bytes.
--
-- A node is a JSON Schema (2020-12) in its own words, as a Lua table; `{}` takes any value, and `false`, which may
-- stand wherever a node may, takes none. endpoint.types.rules writes it so that it differs in a few points only:
--   ref            the number of another node, which is own.schemas[ref], or own.node(node); beside it stands no
--                  other word but `description`
--   enum           has const, too; null is endpoint.null; values may be tables
--   allOf          has only what cannot be said in the node itself: the properties, required names, types and limits
--                  of plain schemas in an allOf are merged into the node
--   discriminator  { propertyName = name, mapping = { [value] = node } }: the node of the value's schema. A value that
--                  is not in the mapping is wrong; a table without the property must fit the other words
--   readOnly, writeOnly   lists of names in `properties` that only responses, or only requests have. They are taken
--                  away when a node is loaded for the one or for the other, so that no check meets them
--   format         is known to the rules, and not judged
-- Older forms are translated: items as a list, additionalItems, dependencies, definitions, exclusiveMinimum = true,
-- nullable. Unless the rules are open (--open), an object that has properties has additionalProperties = false, and
-- the names that its alternatives describe are among its properties, as {}.
local value = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.errors"
local text = require "endpoint.text"

local NONE = {}
local problem, below = errors.problem, errors.below

-- A value that is deeper is no request. The stack of Lua ends some thousand calls later.
local DEEPEST = 200

-- The most values of an enumeration that an error lists.
local MOST_SHOWN = 12

-- --- scalars ----------------------------------------------------------------------

local IS = {}
function IS.string(given)
  return type(given) == "string"
end
function IS.boolean(given)
  return type(given) == "boolean"
end
function IS.null(given)
  return given == NULL
end
function IS.number(given)
  return type(given) == "number" and given - given == 0
end
function IS.integer(given)
  return type(given) == "number" and given % 1 == 0
    or type(given) == "cdata" and tonumber(given) ~= nil
end
function IS.array(given)
  return type(given) == "table" and (next(given) == nil or type((next(given))) == "number")
end
function IS.object(given)
  return type(given) == "table" and (next(given) == nil or type((next(given))) == "string")
end

local function type_problem(types, given)
  local names = {}
  for position, name in ipairs(type(types) == "table" and types or { types }) do
    if IS[name](given) then
      return nil
    end
    names[position] = errors.TYPES[name]
  end
  return problem(
    "expected " .. errors.joined(names) .. ", got " .. errors.kind_of(given),
    { names = names }
  )
end

-- The values of an enumeration as a set, which its node keeps.
local function set_of(node)
  local set = {}
  for _, one in ipairs(node.enum) do
    set[one] = true
  end
  node.set = set
  return set
end

local function enum_problem(node, given)
  if (node.set or set_of(node))[given] then
    return nil
  end
  local texts = {}
  for position, one in ipairs(node.enum) do
    if position > MOST_SHOWN then
      texts[position] = ("one of %d more"):format(#node.enum - MOST_SHOWN)
      break
    end
    texts[position] = one == NULL and "null" or errors.shown(tostring(one)):sub(2, -2)
  end
  local got = type(given) == "string" and errors.shown(given) or errors.kind_of(given)
  return problem("expected " .. errors.joined(texts) .. ", got " .. got, { enum = node.enum })
end

local function length_of(written)
  return select(2, written:gsub("[^\128-\191]", ""))
end

local function text_problem(node, given)
  local least, most = node.minLength, node.maxLength
  if least and (#given < least or length_of(given) < least) then
    return problem(("expected at least %d characters, got %d"):format(least, length_of(given)))
  elseif most and #given > most and length_of(given) > most then
    return problem(("expected at most %d characters, got %d"):format(most, length_of(given)))
  end
end

local function number_problem(node, given)
  local words
  if node.minimum and given < node.minimum then
    words = "at least " .. node.minimum
  end
  if node.maximum and given > node.maximum then
    words = "at most " .. node.maximum
  end
  if node.exclusiveMinimum and given <= node.exclusiveMinimum then
    words = "more than " .. node.exclusiveMinimum
  end
  if node.exclusiveMaximum and given >= node.exclusiveMaximum then
    words = "less than " .. node.exclusiveMaximum
  end
  if node.multipleOf and given % node.multipleOf ~= 0 then
    words = "a multiple of " .. node.multipleOf
  end
  return words and problem("expected " .. words .. ", got " .. tostring(given))
end

-- --- tables -----------------------------------------------------------------------

local problem_of -- which the functions below call

local function size_problem(least, most, size, of)
  local words = least and size < least and "at least " .. least
    or most and size > most and "at most " .. most
  return words and problem(("expected %s %s, got %d"):format(words, of, size))
end

local function list_problem(own, node, given, seen, depth)
  local size = text.list_size(given)
  if not size then
    return problem("expected a list, got a table", { names = { "a list" } })
  end
  local found = size_problem(node.minItems, node.maxItems, size, "elements")
  if found or not node.items then
    return found
  end
  for position = 1, size do
    found = problem_of(own, node.items, rawget(given, position), seen, depth)
    if found then
      return below(position, found)
    end
  end
end

local function object_problem(own, node, given, seen, depth)
  local properties, extra, size = node.properties, node.additionalProperties, 0
  for name, one in next, given do
    if type(name) ~= "string" then
      return problem("expected an object, got a table", { names = { "an object" } })
    end
    local child = properties and properties[name]
    if child == nil then
      child = extra
    end
    size = size + 1
    if child == false then
      return problem(errors.nearest(name, properties or NONE), { unknown = name })
    elseif child then
      local found = problem_of(own, child, one, seen, depth)
      if found then
        return below(name, found)
      end
    end
  end
  for _, name in ipairs(node.required or NONE) do
    if rawget(given, name) == nil then
      return problem("", { missing = name })
    end
  end
  return size_problem(node.minProperties, node.maxProperties, size, "names")
end

-- Is an empty table a list here, since no object may be here?
local function takes_only_lists(node)
  local types = type(node.type) == "table" and table.concat(node.type, " ") or node.type or ""
  return types:find "array" and not types:find "object"
end

local function table_problem(own, node, given, seen, depth)
  if depth > DEEPEST then
    return problem("nested too deep")
  end
  if type((next(given))) == "number" then
    return list_problem(own, node, given, seen, depth)
  end
  if next(given) == nil and takes_only_lists(node) then
    return size_problem(node.minItems, nil, 0, "elements")
  end
  return object_problem(own, node, given, seen, depth)
end

-- --- alternatives -----------------------------------------------------------------

-- The names of the properties of all alternatives as a set, which their list keeps.
local function names_of(own, nodes)
  local names = {}
  for _, node in ipairs(nodes) do
    for name in next, (node.ref and own.schemas[node.ref] or node).properties or NONE do
      names[name] = true
    end
  end
  nodes.names = names
  return names
end

-- A name that is unknown here and known to another alternative says that another is meant.
local function rank_of(own, nodes, found)
  return found.unknown and (nodes.names or names_of(own, nodes))[found.unknown] and 1.5
    or found.rank
end

-- The problem of a value that no alternative's enumeration has: it names the values of all of them.
local function enums_problem(problems, best, given)
  local all, set, key = {}, {}, best.key
  for _, found in ipairs(problems) do
    for _, one in ipairs(found.key == key and (found.inner or found).enum or NONE) do
      if not set[one] then
        all[#all + 1], set[one] = one, true
      end
    end
  end
  if not (best.inner or best).enum then
    return best
  end -- deeper than one name
  local found = enum_problem({ enum = all, set = NONE }, best.inner and rawget(given, key) or given)
  return best.inner and below(key, found) or found
end

-- The problem of a value whose type no alternative has: it names the types of all of them.
local function types_problem(problems, given)
  local names = {}
  for _, found in ipairs(problems) do
    for _, name in ipairs(found.names or NONE) do
      if not names[name] then
        names[#names + 1], names[name] = name, true
      end
    end
  end
  return problem(
    "expected " .. errors.joined(names) .. ", got " .. errors.kind_of(given),
    { names = names }
  )
end

local function any_problem(own, nodes, given, seen, depth)
  local best, most, problems
  for _, node in ipairs(nodes) do
    local found = problem_of(own, node, given, seen, depth)
    if not found then
      return nil
    end
    local rank = rank_of(own, nodes, found)
    if not best or rank > most then
      best, most = found, rank
    end
    problems = problems or {}
    problems[#problems + 1] = found
  end
  if best.rank == 2 then
    return enums_problem(problems, best, given)
  end
  return best.rank == 1 and types_problem(problems, given) or best
end

local function own_problem(own, node, given, seen, depth)
  local found = node.enum and enum_problem(node, given)
  local types, kind = node.type, type(given)
  if not found and types and not (IS[types] and IS[types](given)) then
    found = type_problem(types, given)
  end
  if found then
    return found
  end
  if kind == "string" then
    if node.minLength or node.maxLength then
      found = text_problem(node, given)
    end
  elseif kind == "number" then
    found = number_problem(node, given)
  elseif kind == "table" then
    found = table_problem(own, node, given, seen, depth)
  end
  if not found and node.anyOf then
    found = any_problem(own, node.anyOf, given, seen, depth)
  end
  for _, one in ipairs(node.allOf or NONE) do
    found = found or problem_of(own, one, given, seen, depth)
  end
  return found
end

-- The type of Lua of all values that fit a node without further rules, for speed; false if there is none. The
-- node keeps it.
local function plain_of(node)
  local is_plain = node.type == "string" or node.type == "boolean"
  for keyword in next, node do
    is_plain = is_plain and (keyword == "type" or keyword == "description")
  end
  node.plain = is_plain and node.type
  return node.plain
end

local HOLDS_ITSELF = { words = "holds itself", rank = 0 }

-- What is wrong with a value, nil if nothing is. own: `schemas`, the nodes by number. seen: what is known of
-- values under the numbered nodes, or nil.
function problem_of(own, node, given, seen, depth)
  local plain = node.plain
  if plain == nil then
    plain = plain_of(node)
  end
  if plain == type(given) then
    return nil
  end
  depth = (depth or 0) + 1
  if given ~= given then
    return problem("expected a number, got one that is none")
  end
  if not node.ref then
    return own_problem(own, node, given, seen, depth)
  end
  node = own.schemas[node.ref]
  seen = seen or {}
  local known = seen[node] or {}
  if known[given] ~= nil then
    return known[given] or nil
  end
  seen[node], known[given] = known, HOLDS_ITSELF
  local found = own_problem(own, node, given, seen, depth)
  known[given] = found or false
  return found
end
value.problem = problem_of

return value
