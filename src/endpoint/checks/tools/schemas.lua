-- SPDX-License-Identifier: MIT
-- Nodes as JSON Schema in the form that well-known services take: `items` in every list, names and
-- descriptions as they allow them. New tables each time.
local schemas = {}

local children = require "endpoint.checks.tools.children"

-- --- texts ------------------------------------------------------------------------

-- Bytes of a description: the most that services take, and what a short one has.
schemas.LONGEST, schemas.SHORT = 1024, 120

-- A text of at most so many bytes, which ends in whole characters.
function schemas.shortened(text, most)
  if #text <= most then
    return text
  end
  return (text:sub(1, most - 3):gsub("[\192-\255][\128-\191]*$", "")) .. "..."
end

-- --- keywords ---------------------------------------------------------------------

local COPIED = {
  "type",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
}

-- An empty table is an object, which dkjson asks for; lua-cjson knows it.
local function new_object()
  return setmetatable({}, { __jsontype = "object" })
end

local function copied(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = setmetatable({}, getmetatable(value))
  for key, one in next, value do
    copy[key] = copied(one)
  end
  return copy
end

local function has_type(node, name)
  local types = type(node.type) == "table" and node.type or { node.type }
  for _, one in ipairs(types) do
    if one == name then
      return true
    end
  end
  return false
end

-- --- nodes ------------------------------------------------------------------------

local schema_of -- which the functions below call

-- `false` takes no value, and `true` any.
local function schema_or_boolean(to, node)
  if type(node) == "table" then
    return schema_of(to, node)
  end
  local made = new_object()
  if node == false then
    made["not"] = new_object()
  end
  return made
end

local function renamed(to, name)
  return to.renames.by_name[name] or name
end

-- The name of a property is another where services do not allow it, that of a pattern is not.
local function add_by_name(to, node, made)
  for _, keyword in ipairs(children.BY_NAME) do
    if type(node[keyword]) == "table" then
      local is_pattern = keyword == "patternProperties"
      made[keyword] = new_object()
      for name, child in next, node[keyword] do
        made[keyword][is_pattern and name or renamed(to, name)] = schema_or_boolean(to, child)
      end
    end
  end
end

local function renamed_list(to, list)
  local copy = {}
  for position, name in ipairs(list) do
    copy[position] = renamed(to, name)
  end
  return copy
end

local function add_required(to, node, made)
  if node.required and node.required[1] then
    made.required = renamed_list(to, node.required)
  end
  if type(node.dependentRequired) == "table" then
    made.dependentRequired = new_object()
    for name, list in next, node.dependentRequired do
      made.dependentRequired[renamed(to, name)] = renamed_list(to, list)
    end
  end
end

local function add_nodes(to, node, made)
  for _, keyword in ipairs(children.ONE) do
    local is_closed = node[keyword] == false
      and (keyword == "additionalProperties" or keyword == "unevaluatedProperties")
    if is_closed then
      made[keyword] = false
    elseif type(node[keyword]) == "table" or node[keyword] == false then
      made[keyword] = schema_or_boolean(to, node[keyword])
    end
  end
  for _, keyword in ipairs(children.LIST) do
    for position, child in ipairs(type(node[keyword]) == "table" and node[keyword] or {}) do
      made[keyword] = made[keyword] or {}
      made[keyword][position] = schema_or_boolean(to, child)
    end
  end
end

-- The schemas that a discriminator chooses from, each with the value that chooses it.
local function add_discriminator(to, node, made)
  local discriminator = type(node.discriminator) == "table" and node.discriminator or {}
  local list = {}
  for value, child in next, discriminator.mapping or {} do
    local chosen = new_object()
    chosen.properties = new_object()
    local name = renamed(to, discriminator.propertyName)
    chosen.properties[name] = { enum = { value } }
    list[#list + 1] = { allOf = { chosen, schema_or_boolean(to, child) } }
  end
  if not list[1] then
    return
  end
  made.allOf = made.allOf or {}
  table.insert(made.allOf, { anyOf = list })
end

-- A node that is told elsewhere; description: what is said of it here.
local function reference_to(to, number, description)
  if not to.known[number] then
    to.known[number], to.waiting[#to.waiting + 1] = true, number
  end
  local made = new_object()
  made["$ref"], made.description = "#/$defs/" .. number, description
  return made
end

-- A node in the place of its number. One that holds itself ends there: any value of its type is
-- right then, and the call is judged by all the rules.
local function inlined(to, number, description)
  local node = to.own.schemas[number]
  if to.open[number] then
    local made = new_object()
    made.type, made.description = copied(node.type), description
    if has_type(node, "array") then
      made.items = new_object()
    end
    return made
  end
  to.open[number] = true
  local made = schema_of(to, node)
  made.description = description or made.description
  to.open[number] = nil
  return made
end

-- The words of a description may be shortened, the facts after them not.
local function description_of(to, node)
  local words, facts = (node.description or ""):match "^([^\n]*)\n?(.*)$"
  facts = words ~= "" and facts ~= "" and " (" .. facts .. ")" or facts
  local text = schemas.shortened(words, math.min(to.longest, schemas.LONGEST - #facts)) .. facts
  return text ~= "" and text or nil
end

local function spend(budget)
  budget.left = budget.left - 1
  if budget.left < 0 then
    error(budget, 0)
  end
end

-- A node in the words of JSON Schema. to: see schemas.whole.
function schema_of(to, node)
  spend(to.budget)
  local description = description_of(to, node)
  if node.ref then
    return (to.is_inline and inlined or reference_to)(to, node.ref, description)
  end
  local made = new_object()
  made.description = description
  for _, keyword in ipairs(COPIED) do
    made[keyword] = copied(node[keyword])
  end
  add_by_name(to, node, made)
  add_required(to, node, made)
  add_nodes(to, node, made)
  add_discriminator(to, node, made)
  if has_type(node, "array") and not made.items then
    made.items = new_object()
  end
  return made
end

-- --- whole schemas ----------------------------------------------------------------

-- The schema of an operation's arguments with all that it needs. made: the arguments. how: `whole`,
-- have descriptions all their text; `inline`, are there no references. budget: `left`, how many
-- nodes there may be: the error is the budget where there are more.
function schemas.whole(own, made, how, budget)
  local to = {
    own = own,
    renames = made.renames,
    longest = how.whole and schemas.LONGEST or schemas.SHORT,
    is_inline = how.inline,
    budget = budget,
    known = {},
    waiting = {},
    open = {},
  }
  spend(budget)
  local whole = new_object()
  whole.type, whole.properties = "object", new_object()
  whole.required = made.node.required[1] and copied(made.node.required) or nil
  for name, node in next, made.node.properties do
    whole.properties[name] = schema_or_boolean(to, node)
  end
  local extra = made.node.additionalProperties
  whole.additionalProperties = type(extra) == "table" and schema_of(to, extra) or extra
  local position = 0
  while to.waiting[position + 1] do
    position = position + 1
    local number = to.waiting[position]
    whole["$defs"] = whole["$defs"] or {}
    whole["$defs"][tostring(number)] = schema_of(to, own.schemas[number])
  end
  return whole
end

return schemas
