-- SPDX-License-Identifier: MIT
-- Nodes of the rules as constructors of Lua.
local printer = {}

local budget = require "endpoint.types.document.budget"
local keywords = require "endpoint.checks.validator.keywords"
local reader = require "endpoint.types.document.reader"
local result = require "endpoint.result"
local schema = require "endpoint.types.schema"
local source = require "endpoint.types.source"

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
  return "[" .. source.literal(name) .. "]"
end

local function names_in(value)
  local names = {}
  for name in next, value do
    names[#names + 1] = name
  end
  return names
end

-- A number as each Lua reads it again.
local function written_number(value)
  local is_integer = value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53
  local written = is_integer and ("%.0f"):format(value) or nil
  for precision = 15, written and 0 or 17 do
    written = ("%." .. precision .. "g"):format(value)
    if tonumber(written) == value then
      break
    end
  end
  return (written:gsub("[^%de+-]", "."))
end

-- A value of JSON. It is not nested deeper than types.lua allows.
function printer.literal(value)
  if type(value) == "string" then
    return source.literal(value)
  elseif type(value) == "userdata" then
    return "N"
  elseif type(value) == "number" then
    return written_number(value)
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local texts = {}
  for position, element in ipairs(value) do
    texts[position] = printer.literal(element)
  end
  for _, name in ipairs(texts[1] and {} or result.sorted(names_in(value))) do
    texts[#texts + 1] = key_of(name) .. "=" .. printer.literal(value[name])
  end
  return "{" .. table.concat(texts, ",") .. "}"
end

local function add_map(builder, map, word, parts)
  local members = {}
  for _, name in ipairs(reader.keys(builder.doc, map)) do
    members[#members + 1] = key_of(name) .. "=" .. printer.node(builder, map[name])
  end
  parts[#parts + 1] = word .. "={" .. table.concat(members, ",") .. "}"
end

local function add_list(builder, list, word, parts)
  local texts = {}
  for position, child in ipairs(list) do
    texts[position] = printer.node(builder, child)
  end
  parts[#parts + 1] = word .. "={" .. table.concat(texts, ",") .. "}"
end

-- Lists of names by the names that need them.
local function add_names(builder, map, parts)
  local members = {}
  for _, name in ipairs(reader.keys(builder.doc, map)) do
    members[#members + 1] = key_of(name) .. "=" .. printer.literal(map[name])
  end
  parts[#parts + 1] = "dependentRequired={" .. table.concat(members, ",") .. "}"
end

local function add_nodes(builder, node, parts)
  for _, word in ipairs(keywords.WITH_MAP) do
    if node[word] then
      add_map(builder, node[word], word, parts)
    end
  end
  for _, word in ipairs(keywords.WITH_NODE) do
    if node[word] ~= nil then
      parts[#parts + 1] = key_of(word) .. "=" .. printer.node(builder, node[word])
    end
  end
  for _, word in ipairs(keywords.WITH_LIST) do
    if node[word] then
      add_list(builder, node[word], word, parts)
    end
  end
end

local function add_discriminator(builder, discriminator, parts)
  local inner = { "propertyName=" .. source.literal(discriminator.propertyName) }
  add_map(builder, discriminator.mapping, "mapping", inner)
  parts[#parts + 1] = "discriminator={" .. table.concat(inner, ",") .. "}"
end

-- Strings before numbers, and these before true and false.
local function is_before(one, other)
  if type(one) ~= type(other) then
    return type(one) > type(other)
  elseif type(one) == "boolean" then
    return one and not other
  end
  return one < other
end

-- The tag of a node: the positions of its alternatives by the values of a property.
local function add_tag(tag, parts)
  local given, texts = names_in(tag.values), {}
  table.sort(given, is_before)
  for position, value in ipairs(given) do
    local key = type(value) == "string" and key_of(value) or "[" .. printer.literal(value) .. "]"
    local positions = tag.values[value]
    texts[position] = key .. "=" .. printer.literal(positions[2] and positions or positions[1])
  end
  local mark = tag.is_proven and ",is_proven=true" or ""
  parts[#parts + 1] = ("tag={of=%q,property=%s,values={%s}%s}"):format(
    tag.of,
    source.literal(tag.property),
    table.concat(texts, ","),
    mark
  )
end

-- Notes what endpoint.checks asks of the rules as a whole.
local function add_flags(builder, node)
  for keyword in next, schema.wrong_limits(builder.doc, node) or {} do
    builder.wrong_limits[keyword] = true
  end
  builder.has_formats = builder.has_formats or node.format
  builder.has_dynamic = builder.has_dynamic or node["$dynamicRef"]
  builder.has_unevaluated = builder.has_unevaluated
    or node.unevaluatedItems ~= nil
    or node.unevaluatedProperties ~= nil
end

-- A node as text, a shared one, too. description: in the place of its own.
function printer.whole(builder, node, description)
  local parts = {}
  add_flags(builder, node)
  description = description or node.description
  if description then
    parts[1] = "description=" .. source.literal(description)
  end
  for _, keyword in ipairs(keywords.WITHOUT_NODES) do
    if node[keyword] ~= nil then
      parts[#parts + 1] = key_of(keyword) .. "=" .. printer.literal(node[keyword])
    end
  end
  if node.dependentRequired then
    add_names(builder, node.dependentRequired, parts)
  end
  add_nodes(builder, node, parts)
  if node.tag then
    add_tag(node.tag, parts)
  end
  if node.discriminator then
    add_discriminator(builder, node.discriminator, parts)
  end
  local written = "{" .. table.concat(parts, ",") .. "}"
  budget.spend(builder.doc, #written)
  return written
end

-- A node as text: of a shared one its number.
function printer.node(builder, node)
  if not node or node.ref == false then
    return "false"
  end
  local target = node.ref or node
  local number, description = builder.numbers[target], node.ref and node.description
  if not number then
    return printer.whole(builder, target, description)
  end
  if description and description ~= target.description then
    return ("{ref=%d,description=%s}"):format(number, source.literal(description))
  end
  return ("{ref=%d}"):format(number)
end

return printer
