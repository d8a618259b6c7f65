-- SPDX-License-Identifier: MIT
-- The rules of an API's calls as a module of data, which endpoint.checks reads at run time.
local rules = {}

local budget = require "endpoint.types.document.budget"
local nodes = require "endpoint.types.rules.nodes"
local options = require "endpoint.types.rules.options"
local printer = require "endpoint.types.rules.printer"
local shared = require "endpoint.types.rules.shared"
local source = require "endpoint.types.source"
local values = require "endpoint.types.document.values"

-- endpoint.checks asks for this number, and refuses a file that has another.
local FORMAT = 2

-- src/endpoint/checks.lua says what each is.
local PARTS = { "at", "params", "values", "headers", "body", "body_value" }
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
}

-- A call as text: its route, name and summary, which are always read, and a function that makes its
-- rules.
local function call_text(to, call, made)
  local written = {}
  for _, name in ipairs(PARTS) do
    if made[name] then
      written[#written + 1] = name .. "=" .. printer.node(to, made[name])
    end
  end
  for _, name in ipairs(VALUES) do
    if made[name] then
      written[#written + 1] = name .. "=" .. printer.literal(made[name])
    end
  end
  local summary = values.as_string(call.summary)
  summary = summary and summary:find "%S" and source.literal(source.line(summary)) or "nil"
  local id = call.id and source.literal(call.id:sub(1, 1000)) or "nil"
  return ("{%s,%s,%s,function()return{%s}end}"):format(
    source.literal(call.route),
    id,
    summary,
    table.concat(written, ",")
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

local FLAGS = { "has_unevaluated", "has_patterns", "has_formats" }

-- What is true of the nodes as a whole, as statements.
local function flags(to)
  local lines = {}
  for _, name in ipairs(FLAGS) do
    if to[name] then
      lines[#lines + 1] = ("made.%s = true\n"):format(name)
    end
  end
  return table.concat(lines)
end

-- The module's text, without its first lines. doc: the document; its budget is filled again.
function rules.text(doc, calls, name, is_open)
  budget.refill(doc)
  local to, made, roots = nodes.new(doc, is_open), {}, {}
  for position, call in ipairs(calls) do
    made[position] = options.new(to, call)
  end
  nodes.finish(to)
  for position, call in ipairs(calls) do
    options.finish(made[position], call)
    for _, part in ipairs(PARTS) do
      roots[#roots + 1] = made[position][part]
    end
  end
  shared.number(to, roots)
  local operations, schemas = {}, {}
  for position, call in ipairs(calls) do
    operations[position] = call_text(to, call, made[position])
  end
  for number, node in ipairs(to.shared) do
    schemas[number] = "function()return" .. printer.whole(to, node) .. "end"
  end
  return MODULE:format(
    assignments("S", schemas),
    assignments("O", operations),
    FORMAT,
    source.literal(name .. "-checks"),
    tostring(is_open == true),
    flags(to)
  )
end

return rules
