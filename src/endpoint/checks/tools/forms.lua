-- SPDX-License-Identifier: MIT
-- Lists of tools in the forms of named services. forms/limits.lua says what each takes.
local forms = {}

local converted = require "endpoint.checks.tools.forms.converted"
local errors = require "endpoint.checks.validator.errors"
local limits = require "endpoint.checks.tools.forms.limits"
local schemas = require "endpoint.checks.tools.schemas"
local text = require "endpoint.text"

-- What is wrong with the name of a form; nil for nothing.
function forms.problem(form)
  if form ~= nil and not limits[form] then
    local shown = errors.shown(tostring(form))
    return "form: there is no form " .. shown .. text.nearest(tostring(form), limits)
  end
end

-- --- names --------------------------------------------------------------------------

-- The names of all operations in a form whose names begin with a letter or "_".
local function identifiers(rulebook)
  if rulebook.identifiers then
    return rulebook.identifiers
  end
  local found = { by_operation = {}, back = {} }
  for _, operation in ipairs(rulebook.operations) do
    found.back[operation.name] = operation
  end
  for _, operation in ipairs(rulebook.operations) do
    local name, number = operation.name, 1
    while not name:find "^[A-Za-z_]" or found.back[name] ~= operation and found.back[name] do
      name = ("_%s"):format(operation.name:sub(1, 60)) .. (number > 1 and "_" .. number or "")
      number = number + 1
    end
    found.back[name], found.by_operation[operation] = operation, name
  end
  rulebook.identifiers = found
  return found
end

local function has_identifiers(form)
  return form ~= nil and limits[form].has_identifiers
end

-- The name of an operation in a form. The operations have names.
function forms.name_of(rulebook, form, operation)
  if has_identifiers(form) then
    return identifiers(rulebook).by_operation[operation]
  end
  return operation.name
end

-- The operation that has a name in a form; nil if none has.
function forms.operation(rulebook, form, name)
  return rulebook.by_name[name] or has_identifiers(form) and identifiers(rulebook).back[name] or nil
end

-- --- schemas ------------------------------------------------------------------------

-- The schema of an operation's arguments, nil where the form has none; and what is not exact in it,
-- a list of `place` and `reason`. plan: the arguments. how: the options of the list.
function forms.schema(rulebook, plan, how, budget)
  local limit = how.form and limits[how.form]
  if limit and limit.keywords then
    return converted.schema(rulebook, plan, limit, how, budget)
  end
  return schemas.whole(rulebook, plan, how, budget), {}
end

-- The arguments as the model of a form gave them, with what the form changed undone; or nil and a
-- problem.
function forms.restored(rulebook, form, operation, plan, given)
  local limit = form and limits[form]
  if limit and limit.keywords then
    operation.converted = operation.converted or {}
    local known = operation.converted[form] or converted.undo(rulebook, plan, limit)
    operation.converted[form] = known
    return converted.restored(known, given)
  end
  return given
end

-- --- tools --------------------------------------------------------------------------

-- What a client may tell its user of a method (RFC 9110, section 9.2). The protocol takes each call
-- for destructive that does not say otherwise.
local function hints(method)
  local is_read = method == "GET" or method == "HEAD" or method == "OPTIONS" or method == "QUERY"
  return {
    readOnlyHint = is_read,
    destructiveHint = not is_read,
    idempotentHint = is_read or method == "PUT" or method == "DELETE",
  }
end

local function plain(facts, description, schema)
  return { name = facts.name, description = description, parameters = schema }
end

local TOOL = {
  openai = function(facts, description, schema)
    return { type = "function", ["function"] = plain(facts, description, schema) }
  end,
  ["openai-strict"] = function(facts, description, schema)
    local tool = plain(facts, description, schema)
    tool.type, tool.strict = "function", true
    return tool
  end,
  anthropic = function(facts, description, schema)
    return { name = facts.name, description = description, input_schema = schema }
  end,
  gemini = plain,
  mcp = function(facts, description, schema)
    return {
      name = facts.name,
      description = description,
      inputSchema = schema,
      annotations = hints(facts.method),
    }
  end,
}

-- A tool in a form, or in the library's own without one. facts: `name` and `method`.
function forms.tool(form, facts, description, schema)
  return (TOOL[form] or plain)(facts, description, schema)
end

-- The tools as the service takes them.
function forms.list(form, tools)
  if form == "gemini" then
    return { { functionDeclarations = setmetatable(tools, { __jsontype = "array" }) } }
  end
  return tools
end

-- Why a service refuses so many tools; nil if it does not.
function forms.size_problem(form, count)
  local most = form and limits[form].most_tools
  if most and count > most then
    return ("the service takes at most %d tools in a request, these are %d"):format(most, count)
  end
end

return forms
