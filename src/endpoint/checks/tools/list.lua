-- SPDX-License-Identifier: MIT
-- Lists of operations as tools: which there are, and what they are called.
local list = {}

local arguments = require "endpoint.checks.tools.arguments"
local errors = require "endpoint.checks.validator.errors"
local names = require "endpoint.checks.tools.names"
local schemas = require "endpoint.checks.tools.schemas"
local text = require "endpoint.text"

-- The most nodes that the schemas of one list of tools have. Each schema holds all that it needs,
-- so that a thousand operations may repeat the same large body: these take some 100 MB.
list.MOST_NODES = 500000

-- Gives all operations their names, in the document's order, so that a part of them has the same.
function list.by_name(rulebook)
  if rulebook.by_name then
    return rulebook.by_name
  end
  local by_name, by_id, wanted, routes = {}, {}, {}, {}
  for position, operation in ipairs(rulebook.operations) do
    routes[position] = operation[1]:gsub("{[?&].-}", "")
    wanted[position] = operation[2] or routes[position]
  end
  for position, name in ipairs(names.given(wanted, routes)) do
    local operation = rulebook.operations[position]
    local id = operation[2]
    operation.name, by_name[name] = name, operation
    if id and not by_id[id] then
      by_id[id] = operation
    end
  end
  rulebook.by_id = by_id
  rulebook.by_name = by_name -- last: where memory lacks before that, all are named again
  return by_name
end

-- An operation by operationId, route or name; or nil and a sentence.
function list.operation(rulebook, name)
  list.by_name(rulebook)
  local found = rulebook.by_id[name]
    or rulebook.routes[name]
    or rulebook.plain[name]
    or rulebook.by_name[name]
  if found then
    return found
  end
  local near = type(name) == "string" and text.nearest(name, rulebook.by_id) or ""
  return nil, "no such operation: " .. errors.shown(tostring(name)) .. near
end

-- The operations of these names; all without names.
local function chosen(rulebook, wanted)
  if wanted == nil then
    list.by_name(rulebook)
    return rulebook.operations
  end
  if type(wanted) ~= "table" then
    return nil, "expected a list of operations, got a " .. type(wanted)
  end
  local found = {}
  for position, name in ipairs(wanted) do
    local operation, problem = list.operation(rulebook, name)
    if not operation then
      return nil, problem
    end
    found[position] = operation
  end
  return found
end

local OPTIONS = { whole = "boolean", inline = "boolean" }

-- What is wrong with the options of a list; nil for nothing.
local function options_problem(how)
  if type(how) ~= "table" then
    return "expected a table of options, got a " .. type(how)
  end
  for name, one in next, how do
    if not OPTIONS[name] then
      return "there is no option "
        .. errors.shown(tostring(name))
        .. text.nearest(tostring(name), OPTIONS)
    elseif type(one) ~= OPTIONS[name] then
      return ("%s: expected a %s, got a %s"):format(name, OPTIONS[name], type(one))
    end
  end
end

-- The summary and the description, or the route; and the operationId, where the name is another.
local function description_of(operation, how)
  local about, id = operation.rules.about, operation[2]
  local words = operation[3] or operation[1]
  words = about and words .. "\n" .. about or words
  local note = id and id ~= "" and id ~= operation.name
  note = note and "\nIn the API: " .. schemas.shortened(errors.shown(id), schemas.SHORT) or ""
  local longest = how.whole and schemas.LONGEST or schemas.ABOUT
  return schemas.shortened(words, longest - #note) .. note
end

local function tools_of(rulebook, operations, how)
  local budget, tools, left_out = { left = list.MOST_NODES }, {}, {}
  for _, operation in ipairs(operations) do
    local rules = rulebook.ready(operation).rules
    if rules.no_tool then
      left_out[#left_out + 1] = { name = operation.name, reason = rules.no_tool }
    else
      tools[#tools + 1] = {
        name = operation.name,
        description = description_of(operation, how),
        parameters = schemas.whole(
          rulebook,
          arguments.of_operation(rulebook, operation),
          how,
          budget
        ),
      }
    end
  end
  return tools, left_out
end

-- A list of tools, and one of the operations that can be none: `name` and `reason`. Or nil and a
-- sentence.
function list.tools(rulebook, wanted, how)
  local operations, problem = chosen(rulebook, wanted)
  problem = problem or options_problem(how or {})
  if problem then
    return nil, problem
  end
  local ok, tools, left_out = pcall(tools_of, rulebook, operations, how or {})
  if ok then
    return tools, left_out
  elseif type(tools) ~= "table" then
    error(tools, 0)
  end
  return nil, "the schemas would be too large: name the operations that are needed"
end

return list
