-- SPDX-License-Identifier: MIT
-- The rules of an API's calls as a module of data, which endpoint.checks reads at run time.
local rules = {}

local classes = require "endpoint.types.definitions.classes"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local nodes = require "endpoint.types.rules.nodes"
local schema = require "endpoint.types.document.schema"
local text = require "endpoint.clients.text"

-- What endpoint.checks asks for. A file of another number is none of its own.
local FORMAT = 1

-- --- calls ------------------------------------------------------------------------

local ONLY = { scalar = { type = { "string", "number", "boolean" } }, list = { type = "array" } }

-- In a URL null is no value, so none that must be there.
local NOT_NULL = { type = { "string", "number", "boolean", "array", "object" } }

-- The node of a field: `of`, and the description that it has here.
local function place_of(to, of)
  local node = of.types[1] and { type = "string" } or {} -- a text that the caller makes
  if of.schema ~= nil then
    node = nodes.node(to, { of.schema, ONLY[of.only] or of.required and NOT_NULL or nil })
  end
  local words = { of.note and classes.line_of(of.note) }
  local description = reader.text_of(of.description)
  if description and description:find "%S" then
    words[#words + 1] = classes.line_of(description)
  end
  return { of = node, description = words[1] and table.concat(words, "; ") or nil }
end

-- The node of a table with these fields. free: it takes any other name, too.
local function object_of(to, fields, free)
  local node, required = { type = "object", properties = {} }, {}
  for _, of in ipairs(fields) do
    if not node.properties[of.name] then
      node.properties[of.name] = place_of(to, of)
      if of.required then
        required[#required + 1] = of.name
      end
    end
  end
  node.required = required[1] and result.sorted(required) or nil
  if not free and not to.is_open then
    node.additionalProperties = false
  end
  return node
end

local function has_schema(fields)
  local kept = {}
  for _, of in ipairs(fields) do
    if of.schema ~= nil then
      kept[#kept + 1] = of
    end
  end
  return kept
end

-- A note of a query, such as metadata[key], is a name that stands for others.
local function beginnings_of(notes)
  local beginnings = {}
  for position, note in ipairs(notes) do
    beginnings[position] = note:match "^(.-%[)[^%[%]]*%]"
  end
  return beginnings[1] and beginnings or nil
end

-- The body of a form takes texts in the place of what the form cannot hold.
local function form_of(node, fields)
  local changed = {}
  for _, of in ipairs(fields) do
    local own = node.properties and node.properties[of.name]
    if own and of.schema == nil then
      changed[of.name] = { type = "string", description = own.description }
    elseif own and of.is_text_too then
      changed[of.name] = { anyOf = { own, { type = "string" } } }
    end
  end
  if next(changed) == nil then
    return node
  end
  local made, properties = {}, {}
  for name, value in pairs(node) do
    made[name] = value
  end
  for name, value in pairs(node.properties) do
    properties[name] = changed[name] or value
  end
  made.properties, made.anyOf, made.allOf = properties, nil, nil -- alternatives would ask for tables
  return made
end

-- The rules of a call, but for those that need the keywords of nodes.
local function rules_of(to, call)
  local beside = {}
  for _, of in ipairs(call.fields) do
    if of.name ~= "data" then
      beside[#beside + 1] = of
    end
  end
  local made = { at = object_of(to, beside), notes = beginnings_of(call.notes) }
  made.at.type, made.at.additionalProperties = nil, nil
  if call.params then
    made.params, made.params_name =
      object_of(to, call.params.fields, call.params.free ~= ""), call.params.name
    made.needs_params = (call.params.required or made.params.required ~= nil) or nil
  end
  local headers = has_schema(call.headers)
  if headers[1] then
    made.headers = object_of(to, headers, true)
  end
  if call.body then
    made.needs_body, made.is_beside = call.body.required or nil, call.body_fields[1] and true
    if call.body.format == "text" then
      made.body = { type = "string" }
    else
      made.body = nodes.node(to, { call.body.schema })
    end
  end
  return made
end

-- --- shared nodes -----------------------------------------------------------------

-- Nodes that several need, and those that hold themselves, are numbered: `numbers` has the numbers, and `shared` the
-- nodes. Deeper tables than this stand by themselves: Lua compiles no constructor of 200 levels.
local DEEPEST = 12

-- Calls a function with each node that stands in another, always in the same order.
local function each_child(to, node, call)
  if node.of then
    return call(node.of)
  end
  for _, name in ipairs(reader.keys(to.doc, node.properties)) do
    call(node.properties[name])
  end
  if node.items then
    call(node.items)
  end
  if node.additionalProperties then
    call(node.additionalProperties)
  end
  for _, child in ipairs(node.anyOf or {}) do
    call(child)
  end
  for _, child in ipairs(node.allOf or {}) do
    call(child)
  end
end

local function is_small(node)
  return not (
    node.properties
    or node.items
    or node.anyOf
    or node.additionalProperties
    or node.enum and node.enum[9]
  )
end

-- Numbers the nodes below these that stand in several places. Nothing here calls itself: a document may
-- nest its schemas as deep as it is long.
local function number_nodes(to, roots)
  local stack, is_known = {}, {}
  local function visit(node, depth)
    if is_known[node] and is_small(node) then
      return
    end
    if (is_known[node] or depth > DEEPEST) and not to.numbers[node] then
      to.shared[#to.shared + 1] = node
      to.numbers[node] = #to.shared
    end
    if is_known[node] then
      return
    end
    is_known[node] = true
    stack[#stack + 1] = { node = node, depth = to.numbers[node] and 1 or depth + 1 }
  end
  for _, root in ipairs(roots) do
    visit(root, 1)
  end
  while stack[1] do
    local top = table.remove(stack)
    each_child(to, top.node, function(child)
      visit(child, top.depth)
    end)
  end
end

-- --- nodes as text ----------------------------------------------------------------

local KEYWORDS = {
  "type",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
}

local NODES = { "items", "additionalProperties" }
local LISTS = { "anyOf", "allOf" }

local function literal(value)
  if type(value) == "string" then
    return schema.literal(value)
  end
  if type(value) == "userdata" then
    return "N"
  end
  if type(value) == "number" then
    return text.decoded(text.encoded(value))
  end
  if type(value) ~= "table" then
    return tostring(value)
  end
  local texts = {}
  for position, element in ipairs(value) do
    texts[position] = literal(element)
  end
  return "{" .. table.concat(texts, ",") .. "}"
end

local IS_WORD = {
  ["and"] = true,
  ["break"] = true,
  ["do"] = true,
  ["else"] = true,
  ["elseif"] = true,
  ["end"] = true,
  ["false"] = true,
  ["for"] = true,
  ["function"] = true,
  ["goto"] = true,
  ["if"] = true,
  ["in"] = true,
  ["local"] = true,
  ["nil"] = true,
  ["not"] = true,
  ["or"] = true,
  ["repeat"] = true,
  ["return"] = true,
  ["then"] = true,
  ["true"] = true,
  ["until"] = true,
  ["while"] = true,
}

local function key_of(name)
  if name:find "^[A-Za-z_][A-Za-z0-9_]*$" and not IS_WORD[name] then
    return name
  end
  return "[" .. schema.literal(name) .. "]"
end

local write -- which the functions below call

local function add_properties(to, node, parts)
  local properties = {}
  for _, name in ipairs(reader.keys(to.doc, node.properties)) do
    properties[#properties + 1] = key_of(name) .. "=" .. write(to, node.properties[name])
  end
  parts[#parts + 1] = "properties={" .. table.concat(properties, ",") .. "}"
end

local function add_nodes(to, node, parts)
  for _, name in ipairs(NODES) do
    if node[name] then
      parts[#parts + 1] = name .. "=" .. write(to, node[name])
    end
  end
  for _, name in ipairs(LISTS) do
    local texts = {}
    for position, child in ipairs(node[name] or {}) do
      texts[position] = write(to, child)
    end
    if texts[1] then
      parts[#parts + 1] = name .. "={" .. table.concat(texts, ",") .. "}"
    end
  end
end

-- A node as a constructor of Lua. description: in the place of its own.
local function text_of(to, node, description)
  local parts = {}
  description = description or node.description
  if description then
    parts[1] = "description=" .. schema.literal(description)
  end
  for _, keyword in ipairs(KEYWORDS) do
    if node[keyword] ~= nil then
      parts[#parts + 1] = keyword .. "=" .. literal(node[keyword])
    end
  end
  if node.properties then
    add_properties(to, node, parts)
  end
  if node.additionalProperties == false then
    parts[#parts + 1] = "additionalProperties=false"
  end
  add_nodes(to, node, parts)
  local written = "{" .. table.concat(parts, ",") .. "}"
  reader.spend(to.doc, #written)
  return written
end

function write(to, node)
  local own = node.of or node
  local number, description = to.numbers[own], node.of and node.description
  if not number then
    return text_of(to, own, description)
  end
  if description and description ~= own.description then
    return ("{ref=%d,description=%s}"):format(number, schema.literal(description))
  end
  return ("{ref=%d}"):format(number)
end

-- --- the module -------------------------------------------------------------------

local PARTS = { "at", "params", "headers", "body" }
local VALUES = { "params_name", "needs_params", "notes", "needs_body", "is_beside" }

-- A call as text: its route, name and summary, which are always read, and a function that makes its rules.
local function call_text(to, call, made)
  local parts = {}
  for _, name in ipairs(PARTS) do
    if made[name] then
      parts[#parts + 1] = name .. "=" .. write(to, made[name])
    end
  end
  for _, name in ipairs(VALUES) do
    if made[name] then
      parts[#parts + 1] = name .. "=" .. literal(made[name])
    end
  end
  local summary = reader.text_of(call.summary)
  summary = summary and summary:find "%S" and schema.literal(classes.line_of(summary)) or "nil"
  local id = call.id and schema.literal(call.id:sub(1, 1000)) or "nil"
  return ("{%s,%s,%s,function()return{%s}end}"):format(
    schema.literal(call.route),
    id,
    summary,
    table.concat(parts, ",")
  )
end

-- Some Luas take 65,536 constants in a function.
local MOST_IN_ONE = 1000

-- Statements that give the elements of a list their values.
local function assignments(name, texts)
  local lines = {}
  for position, written in ipairs(texts) do
    if position % MOST_IN_ONE == 1 then
      lines[#lines + 1] = ";(function()"
    end
    lines[#lines + 1] = ("%s[%d]=%s"):format(name, position, written)
    if position % MOST_IN_ONE == 0 or position == #texts then
      lines[#lines + 1] = "end)()"
    end
  end
  return table.concat(lines, "\n")
end

local MODULE = [=[
---@diagnostic disable
-- luacheck: ignore
local N = require "endpoint".null
local S, O = {}, {}
%s
%s
local made = { format = %d, name = %s, is_open = %s, schemas = S, operations = O }
return require "endpoint.checks".new(made) --[[@as endpoint.checks.Module]]
]=]

-- The module's text, without its first lines. doc: the document, of which as much may be read as before.
function rules.text(doc, calls, name, is_open)
  doc.left = doc.most
  local to, made, roots = nodes.new(doc, is_open), {}, {}
  for position, call in ipairs(calls) do
    made[position] = rules_of(to, call)
  end
  nodes.finish(to)
  for position, call in ipairs(calls) do
    local fields = call.data and call.data.fields or call.body_fields
    if call.body and call.body.format == "form" then
      made[position].body = form_of(made[position].body, fields)
    end
    for _, part in ipairs(PARTS) do
      roots[#roots + 1] = made[position][part]
    end
  end
  to.numbers, to.shared = {}, {}
  number_nodes(to, roots)
  local operations, schemas = {}, {}
  for position, call in ipairs(calls) do
    operations[position] = call_text(to, call, made[position])
  end
  for number, node in ipairs(to.shared) do
    schemas[number] = "function()return" .. text_of(to, node) .. "end"
  end
  return MODULE:format(
    assignments("S", schemas),
    assignments("O", operations),
    FORMAT,
    schema.literal(name .. "-checks"),
    tostring(is_open == true)
  )
end

return rules
