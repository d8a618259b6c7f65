-- SPDX-License-Identifier: MIT
-- The kinds of values that fit a node, as the editor's definitions write them. A kind is a table:
-- `kind`, which is "scalar", "list" or "map"; `text` of a scalar; `inner`, the kinds of elements or
-- of a map's values; `object`, the node of a map that names properties. A list of kinds is nil
-- where any value fits, and empty where none does.
local kinds = {}

local budget = require "endpoint.types.document.budget"
local nodes = require "endpoint.types.schema.nodes"
local properties = require "endpoint.types.schema.properties"
local source = require "endpoint.types.source"
local values = require "endpoint.types.document.values"
local NOTHING = values.NOTHING

-- Longer enumerations, in bytes, are shown as the type of their values.
local LONGEST = 8000

-- Arrays in arrays, and maps in maps, have no more levels.
local DEEPEST = 4

-- As many nodes are read for one type. A document can name the same few again and again.
local MOST_READ = 1000

-- --- sets of kinds ------------------------------------------------------------------

local SCALARS = {
  string = "string",
  integer = "integer",
  number = "number",
  boolean = "boolean",
  null = "endpoint.Null",
}

local IS_TYPE = { string = true, integer = true, number = true, boolean = true }

-- One table for each text.
local scalars = setmetatable({}, { __mode = "v" })

function kinds.scalar(text)
  local kind = scalars[text] or { kind = "scalar", text = text }
  scalars[text] = kind
  return kind
end

-- The lists of these alone, which most nodes have.
local LISTS = {}
for name, text in pairs(SCALARS) do
  LISTS[name] = { kinds.scalar(text) }
end

local function new_set()
  return { list = {}, is_known = {} }
end

local function add(set, kind)
  local key = kind.text or kind.object or kind.inner[1] and kind.inner or kind.kind
  if not set.is_known[key] then
    set.list[#set.list + 1], set.is_known[key] = kind, true
  end
end

-- --- what two lists have in common ---------------------------------------------------

local function is_number(text)
  return text == "integer" or text:find "^[%d-]" ~= nil
end

-- Is a value of a scalar type one of another, too?
local function is_narrower(text, wider)
  if wider == "string" then
    return text:sub(1, 1) == '"'
  elseif wider == "boolean" then
    return text == "true" or text == "false"
  end
  return wider == "number" and is_number(text) or wider == "integer" and text:find "^[%d-]" ~= nil
end

-- The kind of what fits two kinds; nil if nothing does.
local function common_kind(one, other)
  if one.kind ~= other.kind then
    return nil
  elseif one.kind == "map" then
    if one.object and not other.object then
      return one
    end
    return (other.object or other.inner[1]) and other or one
  elseif one.kind == "list" then
    return one.inner[1] and one or other
  elseif one.text == other.text or is_narrower(one.text, other.text) then
    return one
  end
  return is_narrower(other.text, one.text) and other or nil
end

-- The kinds of a list that may have more in common with a kind than the same text: of a constant
-- only the types, which are few.
local function candidates_in(sorted, one)
  if one.kind ~= "scalar" or IS_TYPE[one.text] then
    return sorted.all
  end
  return sorted.types
end

local function sorted_by_text(list)
  local sorted = { all = list, types = {}, by_text = {} }
  for _, kind in ipairs(list) do
    sorted.by_text[kind.text or kind] = kind
    if IS_TYPE[kind.text] then
      sorted.types[#sorted.types + 1] = kind
    end
  end
  return sorted
end

-- The kinds of what fits both lists, in the order of the first.
local function common_kinds(doc, first, second)
  if not first or not second then
    return first or second
  end
  local set, sorted = new_set(), sorted_by_text(second)
  for _, one in ipairs(first) do
    budget.spend(doc, budget.COPY)
    if sorted.by_text[one.text] then
      add(set, one)
    else
      for _, other in ipairs(candidates_in(sorted, one)) do
        budget.spend(doc, 1)
        local common = common_kind(one, other)
        if common then
          add(set, common)
        end
      end
    end
  end
  return set.list
end

-- --- constants --------------------------------------------------------------------------

-- The type of one value of an enumeration: itself, "number" where the editor has no such literal,
-- and nil for a table.
local function type_of_constant(value)
  if type(value) == "string" then
    return source.type_literal(value)
  elseif type(value) == "boolean" then
    return tostring(value)
  elseif type(value) == "userdata" then
    return SCALARS.null
  elseif type(value) ~= "number" then
    return nil
  end
  local is_exact = value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53
  return is_exact and ("%.0f"):format(value) or "number"
end

-- The types of all constants, and whether one of them is any number. nil if one constant has no
-- type: the others alone would mark right calls. nil also if the texts are too long.
local function types_of_constants(doc, list)
  local texts, length, has_number = {}, 0, false
  for position, value in ipairs(list) do
    local text = type_of_constant(value)
    length = length + #(text or "")
    if not text or length > LONGEST then
      return nil
    end
    budget.spend(doc, budget.COPY)
    texts[position], has_number = text, has_number or text == "number"
  end
  return texts, has_number
end

local function kinds_of_constants(doc, list)
  local texts, has_number = types_of_constants(doc, list)
  local set = new_set()
  for _, text in ipairs(texts or NOTHING) do
    if not (has_number and text:find "^-?%d") then
      add(set, kinds.scalar(text))
    end
  end
  return texts and set.list
end

-- --- types ------------------------------------------------------------------------------

-- null comes last, as it does where a document says "nullable".
local TYPES = { "array", "boolean", "integer", "number", "object", "string", "null" }

-- The types that a node's schemas write, in their order.
local function written_types(builder, node)
  local names, origin = {}, builder.origins[node]
  for _, schema in ipairs(origin and origin.schemas or NOTHING) do
    local written = type(schema.type) == "table" and schema.type or { schema.type }
    for _, name in ipairs(written) do
      names[#names + 1] = name == "file" and "string" or name
    end
  end
  return names
end

-- The types of a node in the order of the document.
local function ordered_types(builder, node)
  if type(node.type) == "string" then
    return { node.type }
  end
  local is_wanted, names = {}, {}
  for _, name in ipairs(node.type) do
    is_wanted[name] = true
  end
  for _, list in ipairs { written_types(builder, node), TYPES } do
    for _, name in ipairs(list) do
      if is_wanted[name] then
        names[#names + 1], is_wanted[name] = name, nil
      end
    end
  end
  return names
end

-- --- one node ---------------------------------------------------------------------------

local kinds_of -- which the functions below call

-- What is read for one type: `count`, how many nodes; `level`, how deep they are in each other;
-- `is_met`, those that are being read for the same value.
local function new_state(count, level)
  return { count = count or { 0 }, level = level or 0, is_met = {} }
end

local function kinds_below(doc, child, state, depth)
  if not child or depth >= DEEPEST then
    return NOTHING
  end
  return kinds_of(doc, child, new_state(state.count), depth + 1) or NOTHING
end

local function list_of(doc, node, state, depth)
  return { kind = "list", inner = kinds_below(doc, node.items, state, depth) }
end

-- whole: the node of the object that this one is a part of.
local function map_of(doc, node, state, depth, whole)
  local object = whole or nodes.object(doc.schemas, node)
  if properties.of(doc, object)[1] then
    return { kind = "map", inner = NOTHING, object = object }
  end
  local inner = node.additionalProperties or object.additionalProperties
  return { kind = "map", inner = kinds_below(doc, inner, state, depth) }
end

local function names_properties(doc, node)
  local origin = doc.schemas.origins[node]
  return origin and origin.names_properties
end

local function kinds_of_types(doc, node, state, depth, whole)
  if node.type == "array" then
    return { list_of(doc, node, state, depth) }
  elseif node.type == "object" then
    return { map_of(doc, node, state, depth, whole) }
  end
  local set, names = new_set(), ordered_types(doc.schemas, node)
  for _, name in ipairs(names) do
    if name == "array" then
      add(set, list_of(doc, node, state, depth))
    elseif name == "object" then
      add(set, map_of(doc, node, state, depth, whole))
    else
      add(set, kinds.scalar(SCALARS[name]))
    end
  end
  return set.list
end

-- What a node says without other nodes of the same value.
local function own_kinds(doc, node, state, depth, whole)
  local constants = node.enum and kinds_of_constants(doc, node.enum) or nil
  if not constants and LISTS[node.type] then
    return LISTS[node.type]
  elseif node.type then
    return common_kinds(doc, constants, kinds_of_types(doc, node, state, depth, whole))
  elseif not constants and names_properties(doc, node) then
    return { map_of(doc, node, state, depth, whole) }
  end
  return constants
end

-- Where nothing tells the type, the keywords of objects and lists do, as in examples of OpenAPI.
local function guessed_kinds(doc, node, state, depth, whole)
  local origin = doc.schemas.origins[node]
  local is_object = names_properties(doc, node)
    or type(node.additionalProperties) == "table"
    or origin and origin.choices
  if is_object then
    return { map_of(doc, node, state, depth, whole) }
  end
  return node.items and { list_of(doc, node, state, depth) } or nil
end

-- --- with the nodes of the same value -----------------------------------------------------

-- The kinds of all alternatives; nil if one of them takes any value.
local function kinds_of_alternatives(doc, list, state, depth, whole)
  local set = new_set()
  for _, child in ipairs(list) do
    if child and not state.is_met[child] then
      local found = kinds_of(doc, child, state, depth, whole)
      if not found then
        return nil
      end
      for _, kind in ipairs(found) do
        add(set, kind)
      end
    end
  end
  return set.list
end

local UNIONS = { "oneOf", "anyOf" }

-- The node of the object that an alternative is a part of, if there is more of that.
local function whole_of(doc, node)
  local origin = doc.schemas.origins[node]
  local has_more = origin
    and (node.allOf or origin.names_properties or type(node.additionalProperties) == "table")
  return has_more and nodes.object(doc.schemas, node) or nil
end

local function combined_kinds(doc, node, state, depth, whole)
  local found, part_of = own_kinds(doc, node, state, depth, whole), whole or whole_of(doc, node)
  for _, keyword in ipairs(UNIONS) do
    if node[keyword] then
      local of_alternatives = kinds_of_alternatives(doc, node[keyword], state, depth, part_of)
      found = common_kinds(doc, found, of_alternatives)
    end
  end
  for _, child in ipairs(node.allOf or NOTHING) do
    found = common_kinds(doc, found, kinds_of(doc, child, state, depth, part_of))
  end
  return found or guessed_kinds(doc, node, state, depth, whole)
end

function kinds_of(doc, node, state, depth, whole)
  if not node then
    return NOTHING
  elseif state.is_met[node] or state.count[1] >= MOST_READ then
    return nil
  end
  nodes.fill(doc.schemas, node)
  local level = state.level
  state.is_met[node], state.count[1] = true, state.count[1] + 1
  budget.enter(state)
  local found = combined_kinds(doc, node, state, depth, whole)
  state.is_met[node], state.level = nil, level
  return found
end

-- --- what the other files ask -------------------------------------------------------------

local function known_kinds(doc, node)
  local known = doc.schemas.kinds
  if known[node] == nil then
    known[node] = kinds_of(doc, node, new_state(), 0) or false
  end
  return known[node]
end

-- The kinds of a node as a list, empty if any value fits, or none; not to be changed.
function kinds.of(doc, node)
  local list = known_kinds(doc, node) or NOTHING
  budget.spend(doc, budget.COPY * #list)
  return list
end

-- Does no value fit a node?
function kinds.is_empty(doc, node)
  local list = known_kinds(doc, node)
  return list and list[1] == nil
end

-- Is one of the kinds a list, or one a map?
function kinds.kind_of(list)
  local found = "scalar"
  for _, kind in ipairs(list) do
    if kind.kind == "list" or kind.kind == "map" and found == "scalar" then
      found = kind.kind
    end
  end
  return found
end

-- Is there a table in a table?
function kinds.is_nested(list)
  for _, kind in ipairs(list) do
    if kind.kind ~= "scalar" and kinds.kind_of(kind.inner) ~= "scalar" then
      return true
    end
  end
  return false
end

return kinds
