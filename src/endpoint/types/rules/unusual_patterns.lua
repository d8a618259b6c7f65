-- SPDX-License-Identifier: MIT
-- The patterns in the rules that endpoint.checks does not check by itself: those that ask for a
-- library, and those that are not patterns of ECMA-262, which nobody checks.
local unusual_patterns = {}

local children = require "endpoint.types.schema.children"
local patterns = require "endpoint.checks.validator.patterns"
local reader = require "endpoint.types.document.reader"
local text = require "endpoint.text"

-- Notes a pattern the first time that it is met. route: that of a call that has it.
local function note(found, pattern, route)
  if found.is_known[pattern] then
    return
  end
  found.is_known[pattern] = true
  local kind = patterns.kind_of(pattern)
  if kind ~= "plain" then
    found[#found + 1] = { pattern, route, kind ~= nil }
  end
end

local function add_node(builder, found, node, route)
  if node.pattern then
    note(found, node.pattern, route)
  end
  for _, pattern in ipairs(reader.keys(builder.doc, node.patternProperties)) do
    note(found, pattern, route)
  end
end

-- Adds those below some nodes of a call.
local function add_all(builder, found, roots, route)
  local stack = {}
  local function visit(node)
    if not found.is_visited[node] then
      found.is_visited[node], stack[#stack + 1] = true, node
    end
  end
  for _, root in ipairs(roots) do
    visit(root)
  end
  while stack[1] do
    local node = table.remove(stack)
    add_node(builder, found, node, route)
    children.each(builder, node, visit)
  end
end

-- What endpoint-types prints about a pattern that is never checked.
local NOTE = "%s: the pattern %s is not checked: it is not one of ECMA-262."

-- A list of { pattern, route of a call that has it, is it one of ECMA-262? }, and notes about those
-- that are never checked. calls: a list of `route` and `roots`, the nodes of the call.
function unusual_patterns.of(builder, calls)
  local found, notes = { is_known = {}, is_visited = {} }, {}
  for _, call in ipairs(calls) do
    add_all(builder, found, call.roots, call.route)
  end
  local list = {}
  for position, row in ipairs(found) do
    list[position] = row
    if not row[3] then
      notes[#notes + 1] = NOTE:format(row[2], text.quoted(row[1]))
    end
  end
  return list, notes
end

return unusual_patterns
