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
local function schema_or_boolean(teller, node)
  if type(node) == "table" then
    return schema_of(teller, node)
  end
  local schema = new_object()
  if node == false then
    schema["not"] = new_object()
  end
  return schema
end

local function renamed(teller, name)
  return teller.renames.by_name[name] or name
end

-- The name of a property is another where services do not allow it, that of a pattern is not.
local function add_by_name(teller, node, schema)
  for _, keyword in ipairs(children.BY_NAME) do
    if type(node[keyword]) == "table" then
      local is_pattern = keyword == "patternProperties"
      schema[keyword] = new_object()
      for name, child in next, node[keyword] do
        schema[keyword][is_pattern and name or renamed(teller, name)] =
          schema_or_boolean(teller, child)
      end
    end
  end
end

local function renamed_list(teller, list)
  local copy = {}
  for position, name in ipairs(list) do
    copy[position] = renamed(teller, name)
  end
  return copy
end

local function add_required(teller, node, schema)
  if node.required and node.required[1] then
    schema.required = renamed_list(teller, node.required)
  end
  if type(node.dependentRequired) == "table" then
    schema.dependentRequired = new_object()
    for name, list in next, node.dependentRequired do
      schema.dependentRequired[renamed(teller, name)] = renamed_list(teller, list)
    end
  end
end

local function add_nodes(teller, node, schema)
  for _, keyword in ipairs(children.ONE) do
    local is_closed = node[keyword] == false
      and (keyword == "additionalProperties" or keyword == "unevaluatedProperties")
    if is_closed then
      schema[keyword] = false
    elseif type(node[keyword]) == "table" or node[keyword] == false then
      schema[keyword] = schema_or_boolean(teller, node[keyword])
    end
  end
  for _, keyword in ipairs(children.LIST) do
    for position, child in ipairs(type(node[keyword]) == "table" and node[keyword] or {}) do
      schema[keyword] = schema[keyword] or {}
      schema[keyword][position] = schema_or_boolean(teller, child)
    end
  end
end

-- The schemas that a discriminator chooses from, each with the value that chooses it.
local function add_discriminator(teller, node, schema)
  local discriminator = type(node.discriminator) == "table" and node.discriminator or {}
  local list = {}
  for value, child in next, discriminator.mapping or {} do
    local chosen = new_object()
    chosen.properties = new_object()
    local name = renamed(teller, discriminator.propertyName)
    chosen.properties[name] = { enum = { value } }
    list[#list + 1] = { allOf = { chosen, schema_or_boolean(teller, child) } }
  end
  if not list[1] then
    return
  end
  schema.allOf = schema.allOf or {}
  table.insert(schema.allOf, { anyOf = list })
end

-- A node that is told elsewhere; description: what is said of it here.
local function reference_to(teller, number, description)
  if not teller.known[number] then
    teller.known[number], teller.waiting[#teller.waiting + 1] = true, number
  end
  local schema = new_object()
  schema["$ref"], schema.description = "#/$defs/" .. number, description
  return schema
end

-- A node in the place of its number. One that holds itself ends there: any value of its type is
-- right then, and the call is judged by all the rules.
local function inlined(teller, number, description)
  local node = teller.rulebook.schemas[number]
  if teller.open[number] then
    local schema = new_object()
    schema.type, schema.description = copied(node.type), description
    if has_type(node, "array") then
      schema.items = new_object()
    end
    return schema
  end
  teller.open[number] = true
  local schema = schema_of(teller, node)
  schema.description = description or schema.description
  teller.open[number] = nil
  return schema
end

-- The words of a description may be shortened, the facts after them not.
local function description_of(teller, node)
  local words, facts = (node.description or ""):match "^([^\n]*)\n?(.*)$"
  facts = words ~= "" and facts ~= "" and " (" .. facts .. ")" or facts
  local text = schemas.shortened(words, math.min(teller.longest, schemas.LONGEST - #facts)) .. facts
  return text ~= "" and text or nil
end

local function spend(budget)
  budget.left = budget.left - 1
  if budget.left < 0 then
    error(budget, 0)
  end
end

-- A node in the words of JSON Schema. teller: see schemas.whole.
function schema_of(teller, node)
  spend(teller.budget)
  local description = description_of(teller, node)
  if node.ref then
    return (teller.is_inline and inlined or reference_to)(teller, node.ref, description)
  end
  local schema = new_object()
  schema.description = description
  for _, keyword in ipairs(COPIED) do
    schema[keyword] = copied(node[keyword])
  end
  add_by_name(teller, node, schema)
  add_required(teller, node, schema)
  add_nodes(teller, node, schema)
  add_discriminator(teller, node, schema)
  if has_type(node, "array") and not schema.items then
    schema.items = new_object()
  end
  return schema
end

-- --- whole schemas ----------------------------------------------------------------

-- The schema of an operation's arguments with all that it needs. plan: the arguments. how: `whole`,
-- have descriptions all their text; `inline`, are there no references. budget: `left`, how many
-- nodes there may be: the error is the budget where there are more.
function schemas.whole(rulebook, plan, how, budget)
  local teller = {
    rulebook = rulebook,
    renames = plan.renames,
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
  whole.required = plan.node.required[1] and copied(plan.node.required) or nil
  for name, node in next, plan.node.properties do
    whole.properties[name] = schema_or_boolean(teller, node)
  end
  local extra = plan.node.additionalProperties
  whole.additionalProperties = type(extra) == "table" and schema_of(teller, extra) or extra
  local position = 0
  while teller.waiting[position + 1] do
    position = position + 1
    local number = teller.waiting[position]
    whole["$defs"] = whole["$defs"] or {}
    whole["$defs"][tostring(number)] = schema_of(teller, rulebook.schemas[number])
  end
  return whole
end

return schemas
