-- SPDX-License-Identifier: MIT
-- Lists of operations as tools: which there are, and what they are called.
local list = {}

local arguments = require "endpoint.checks.tools.arguments"
local choice = require "endpoint.checks.tools.choice"
local errors = require "endpoint.checks.validator.errors"
local forms = require "endpoint.checks.tools.forms"
local json_text = require "endpoint.checks.tools.text"
local names = require "endpoint.checks.tools.names"
local parameters = require "endpoint.parameters"
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
    local id, route = operation[2], operation[1]:gsub("{[?&].-}", "")
    local is_kept = id and not id:find "[\128-\255]" -- what is left of a word says nothing
    wanted[position], routes[position] = is_kept and id or route, route
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
  return choice.operation(rulebook, name)
end

local OPTIONS = { whole = "boolean", inline = "boolean", form = "string", endpoint = "userdata" }

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
    elseif name == "endpoint" and not parameters.defaults_of(one) then
      return "endpoint: expected an endpoint, got a " .. type(one)
    elseif type(one) ~= OPTIONS[name] then
      return ("%s: expected a %s, got a %s"):format(name, OPTIONS[name], type(one))
    end
  end
  return forms.problem(how.form)
end

-- What no encoder writes of a tool: what the program asks before it calls.
local function facts_of(operation, name)
  local method, path = choice.parts_of(operation)
  return { name = name, method = method, route = method .. " " .. path }
end

-- The summary and the description, or the route; and the operationId, where the name is another.
local function description_of(operation, facts, how)
  local about, id = operation.rules.about, operation[2]
  local words = operation[3] or facts.route
  words = about and words .. "\n" .. about or words
  local note = id and id ~= "" and id ~= operation.name
  note = note and "\nIn the API: " .. schemas.shortened(errors.shown(id), schemas.SHORT) or ""
  local longest = how.whole and schemas.LONGEST or schemas.ABOUT
  return schemas.shortened(words, longest - #note) .. note
end

local function add_tool(made, operation, how)
  local rulebook = made.rulebook
  local rules = rulebook.ready(operation).rules
  local name = forms.name_of(rulebook, how.form, operation)
  if rules.no_tool then
    made.left_out[#made.left_out + 1] = { name = name, reason = rules.no_tool }
    return
  end
  local facts, plan = facts_of(operation, name), arguments.of_operation(rulebook, operation)
  if how.endpoint then
    plan = arguments.without_defaults(plan, made.defaults)
  end
  local schema, notes = forms.schema(rulebook, plan, how, made.budget)
  for _, note in ipairs(notes) do
    made.left_out[#made.left_out + 1] = { name = name, place = note.place, reason = note.reason }
  end
  local tool = forms.tool(how.form, facts, description_of(operation, facts, how), schema)
  made.tools[#made.tools + 1] = setmetatable(tool, { __index = facts, __jsontype = "object" })
  made.by_name[name] = facts
end

-- The list as a service takes it. `text`, `left_out` and `by_name` are in its metatable, where no
-- encoder looks.
local function dressed(made, form)
  local tools = forms.list(form, made.tools)
  local more = { left_out = made.left_out, by_name = made.by_name }
  local function index(_, key)
    if key == "text" then
      return json_text.of(tools)
    end
    return more[key]
  end
  return setmetatable(tools, { __index = index, __jsontype = "array" })
end

local function tools_of(rulebook, operations, how)
  local made = {
    rulebook = rulebook,
    budget = { left = list.MOST_NODES },
    defaults = how.endpoint and parameters.defaults_of(how.endpoint),
    tools = {},
    left_out = {},
    by_name = {},
  }
  for _, operation in ipairs(operations) do
    add_tool(made, operation, how)
  end
  local fault = forms.size_problem(how.form, #made.tools)
  if fault then
    made.left_out[#made.left_out + 1] = { reason = fault }
  end
  return dressed(made, how.form)
end

-- A list of tools, with `text`, `left_out` and `by_name`. Or nil and a sentence.
function list.tools(rulebook, wanted, how)
  list.by_name(rulebook)
  local operations, problem = choice.operations(rulebook, wanted)
  problem = problem or how ~= nil and options_problem(how) or nil
  if problem then
    return nil, problem
  end
  local ok, tools = pcall(tools_of, rulebook, operations, how or {})
  if ok then
    return tools
  elseif type(tools) ~= "table" then
    error(tools, 0)
  end
  return nil, "the schemas would be too large: name the operations that are needed"
end

return list
