-- SPDX-License-Identifier: MIT
-- Sends what a model asked for. What is wrong with it is a sentence for the model.
local tool_call = {}

local NULL = require "endpoint".null
local arguments_of = require "endpoint.checks.tools.arguments"
local clients = require "endpoint.clients"
local errors = require "endpoint.checks.validator.errors"
local forms = require "endpoint.checks.tools.forms"
local list = require "endpoint.checks.tools.list"
local options = require "endpoint.checks.tools.options"
local parameters = require "endpoint.parameters"
local problems_of = require "endpoint.checks.validator.problems"
local text = require "endpoint.text"

-- Can a value be called? Endpoints, which are userdata, can.
local function can_send(send)
  local metatable = type(send) == "table" and getmetatable(send)
  return type(send) == "function"
    or type(send) == "userdata"
    or type(metatable) == "table" and metatable.__call ~= nil
end

-- The endpoint whose defaults a call has: the one that is given, that of a sender, or the sender
-- itself, which may be an endpoint; or nil and a message. A function hides its endpoint, and a
-- model could replace the defaults of that.
local function endpoint_of(send, given)
  if not can_send(send) then
    return nil, "expected a sender, a function or an endpoint, got a " .. type(send)
  end
  local api = given
  if api == nil and type(send) == "table" then
    api = rawget(send, "endpoint")
  elseif api == nil and type(send) == "userdata" then
    api = send
  end
  if api == nil then
    return nil,
      ("the defaults of a %s are not known: expected the endpoint as the fourth argument"):format(
        type(send)
      )
  elseif not parameters.defaults_of(api) then
    return nil, "expected an endpoint, got a " .. type(api)
  end
  return api
end

-- The name that the model knows for a parameter that the endpoint blames. What the body has of this
-- name is not blamed.
local function argument_of(operation, name)
  local found
  for argument, place in next, operation.arguments.places do
    local is_blamed = place.name == name and not (place.is_body or place.is_header or place.part)
    if is_blamed and (not found or argument < found) then
      found = argument
    end
  end
  return found or name
end

-- What a sender raised, as a sentence for the model, if the arguments or the server are the cause.
local function sentence_of(operation, problem)
  if type(problem) == "table" and type(problem.message) == "string" then
    return problem.message
  end
  local blamed = clients.blamed(problem)
  if blamed then
    local reason = problem:match 'endpoint: parameter "[^"]*"(.*)$'
    return errors.shown(argument_of(operation, blamed)) .. reason
  end
  if type(problem) == "string" then
    return problem:match "endpoint%.checks: (.*)$"
  end
end

-- What is wrong with the options of a call; nil for nothing. And the form of the tools.
local function form_of(how)
  if how == nil then
    return nil
  elseif type(how) ~= "table" then
    return "expected a table of options, got a " .. type(how)
  end
  for option in next, how do
    if option ~= "form" then
      local near = text.nearest(tostring(option), { form = true })
      return "there is no option " .. errors.shown(tostring(option)) .. near
    end
  end
  return forms.problem(how.form), how.form
end

-- The operation of a name, and its arguments; or nil, a sentence, and a list of the problems in it
-- if these are problems of the arguments.
local function asked(rulebook, form, name, given)
  list.by_name(rulebook)
  local operation = forms.operation(rulebook, form, name)
  if not operation then
    local near = text.nearest(tostring(name), rulebook.by_name)
    return nil, "no such function: " .. errors.shown(tostring(name)) .. near
  end
  local reason = rulebook.ready(operation).rules.no_tool
  if reason then
    return nil, name .. ": cannot be called here: " .. reason
  end
  if given == nil or given == NULL then
    given = {}
  end
  if type(given) ~= "table" or type((next(given))) == "number" then
    return nil, name .. ": expected an object of arguments"
  end
  local plan = arguments_of.of_operation(rulebook, operation)
  local restored, found = forms.restored(rulebook, form, operation, plan, given)
  if found then
    return nil, name .. ": " .. errors.sentence(found), problems_of.told { found }
  end
  return operation, restored
end

-- What a sender returned; or nil and a sentence for the model, if it raised one.
local function answered(operation, name, ok, ...)
  if ok then
    return nil, ...
  end
  local sentence = sentence_of(operation, (...))
  if not sentence then
    error((...), 0)
  end
  return nil, nil, name .. ": " .. sentence
end

-- Sends what a model asked for. The first result says what is wrong with the program's own
-- arguments. The others are what the sender returned; or nil, a sentence for the model, and a list
-- of what is wrong with its arguments. api: the endpoint of the call, or nil if the sender has it.
-- how: `form`, as in the list of tools.
function tool_call.send(rulebook, send, name, given, api, how)
  local fault, form = form_of(how)
  if fault then
    return fault
  end
  api, fault = endpoint_of(send, api)
  if fault then
    return fault
  end
  local operation, arguments, wrong = asked(rulebook, form, name, given)
  if not operation then
    return nil, nil, arguments, wrong
  end
  local call_options, sentence, problems = options.of_call(rulebook, operation, arguments, api)
  if not call_options then
    return nil, nil, name .. ": " .. sentence, problems
  end
  return answered(operation, name, pcall(send, operation[1], call_options))
end

return tool_call
