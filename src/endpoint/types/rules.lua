-- SPDX-License-Identifier: MIT
-- The signatures of an API's calls as rules: a module of data, which endpoint.checks reads at run
-- time. A rule is a node, and nodes are made of schemas.
local rules = {}

local budget = require "endpoint.types.document.budget"
local options = require "endpoint.types.rules.options"
local printer = require "endpoint.types.rules.printer"
local result = require "endpoint.result"
local schema = require "endpoint.types.schema"
local shared = require "endpoint.types.rules.shared"
local source = require "endpoint.types.source"
local unusual_patterns = require "endpoint.types.rules.unusual_patterns"
local values = require "endpoint.types.document.values"

-- endpoint.checks asks for this number, and refuses a file that has another.
local FORMAT = 4

-- What the rules of a call have, nodes and other values: src/endpoint/checks.lua says what each is.
local PARTS = { "at", "params", "values", "headers", "body", "body_value", "responses", "own" }
local VALUES = {
  "params_name",
  "needs_params",
  "styles",
  "notes",
  "needs_body",
  "is_beside",
  "kind",
  "label",
  "body_styles",
  "no_tool",
  "about",
  "asked_headers",
  "security",
  "parameters",
  "media_type",
  "others",
}

-- The nodes that all others are in: a list of those of calls, and one of these and of responses.
-- list: the rules of each call.
local function roots_of(list)
  local of_calls, all = {}, {}
  for _, call_rules in ipairs(list) do
    for _, part in ipairs(PARTS) do
      of_calls[#of_calls + 1] = part ~= "responses" and call_rules[part] or nil
    end
  end
  for position, root in ipairs(of_calls) do
    all[position] = root
  end
  for _, call_rules in ipairs(list) do
    all[#all + 1] = call_rules.responses
  end
  return of_calls, all
end

-- Gives all nodes what they have as a part of the whole: keywords, tags, and descriptions. Models
-- are told of calls alone: nodes that only responses have need none.
local function complete(doc, of_calls, all)
  local is_told = schema.reached(doc, of_calls)
  local reached = #of_calls < #all and schema.reached(doc, all) or is_told
  for node in next, reached do
    node.description = is_told[node] and node.description or nil
  end
  schema.add_tags(doc, reached)
end

local function roots_of_call(call_rules)
  local roots = {}
  for _, part in ipairs(PARTS) do
    roots[#roots + 1] = call_rules[part] or nil
  end
  return roots
end

-- A constructor as a string of Lua, which is read when it is needed: to load a file of strings
-- takes half of the time and memory. Its brackets are longer than any in the text.
local function unread(constructor)
  local level = "="
  while constructor:find("]" .. level .. "]", 1, true) or constructor:find("]" .. level .. "$") do
    level = level .. "="
  end
  return ("[%s[%s]%s]"):format(level, constructor, level)
end

-- A call as text: its route, name and summary, which are always read, its rules, which are read
-- when they are needed, and its tags.
local function call_text(builder, signature, call_rules)
  local written = {}
  for _, name in ipairs(PARTS) do
    if call_rules[name] then
      written[#written + 1] = name .. "=" .. printer.node(builder, call_rules[name])
    end
  end
  for _, name in ipairs(VALUES) do
    if call_rules[name] then
      written[#written + 1] = name .. "=" .. printer.literal(call_rules[name])
    end
  end
  local summary = values.as_string(signature.summary)
  summary = summary and summary:find "%S" and source.literal(source.line(summary)) or "nil"
  local id = signature.id and source.literal(signature.id:sub(1, 1000)) or "nil"
  local tags = signature.tags[1] and "," .. printer.literal(signature.tags) or ""
  return ("{%s,%s,%s,%s%s}"):format(
    source.literal(signature.route),
    id,
    summary,
    unread("{" .. table.concat(written, ",") .. "}"),
    tags
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
%sreturn require "endpoint.checks".new(made) --[[@as endpoint.checks.Module]]
]=]

local FLAGS = {
  "has_unevaluated",
  "has_formats",
  "has_dynamic",
  "has_responses",
  "are_responses_closed",
}

-- Lua statements for the written file: the document's server, and the flags of all its nodes.
local function statements(builder, base)
  local lines = { base and ("made.base = %s\n"):format(source.literal(base)) }
  for _, name in ipairs(FLAGS) do
    if builder[name] then
      lines[#lines + 1] = ("made.%s = true\n"):format(name)
    end
  end
  if next(builder.wrong_limits) ~= nil then
    local keywords = {}
    for keyword in next, builder.wrong_limits do
      keywords[#keywords + 1] = keyword
    end
    lines[#lines + 1] = ("made.wrong_limits = %s\n"):format(
      printer.literal(result.sorted(keywords))
    )
  end
  return table.concat(lines)
end

-- Writes the patterns that are not checked everywhere, and tells the document's owner of those that
-- nobody checks.
local function unusual_patterns_text(builder, signatures, list)
  local calls = {}
  for position, call_rules in ipairs(list) do
    calls[position] = { route = signatures[position].route, roots = roots_of_call(call_rules) }
  end
  local found, notes = unusual_patterns.of(builder, calls)
  for _, note in ipairs(notes) do
    table.insert(builder.doc.notes, note)
  end
  return found[1] and ("made.patterns = %s\n"):format(printer.literal(found)) or ""
end

-- The rules of each call.
local function rules_of(builder, signatures)
  local list = {}
  for position, signature in ipairs(signatures) do
    list[position] = options.new(builder, signature)
  end
  return list
end

-- The module's text, without its first lines. doc: the document; its budget is filled again.
-- given: `open`, does an object in a call take names that no schema has; `responses`, are the rules
-- of responses written, too; `closed_responses`, do objects in them take no such names? base: the
-- document's server, or nil.
function rules.text(doc, signatures, name, given, base)
  budget.refill(doc)
  local builder = {
    doc = doc,
    is_open = given.open,
    has_responses = given.responses,
    wrong_limits = {},
    are_responses_closed = given.responses and given.closed_responses,
  }
  local operations, schemas, list = {}, {}, rules_of(builder, signatures)
  local of_calls, roots = roots_of(list)
  complete(doc, of_calls, roots)
  shared.number(builder, roots)
  for position, signature in ipairs(signatures) do
    operations[position] = call_text(builder, signature, list[position])
  end
  for number, node in ipairs(builder.shared) do
    schemas[number] = unread(printer.whole(builder, node))
  end
  return MODULE:format(
    assignments("S", schemas),
    assignments("O", operations),
    FORMAT,
    source.literal(name .. "-checks"),
    tostring(given.open == true),
    statements(builder, base) .. unusual_patterns_text(builder, signatures, list)
  )
end

return rules
