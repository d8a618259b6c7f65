-- SPDX-License-Identifier: MIT
-- Checks calls against the rules that `endpoint-types --checks` has written, and tells them to
-- language models that call functions. docs/validate.md is the guide; what each function takes,
-- returns and raises is said in src/addon/library/endpoint/checks.lua.
local checks = {}

local call_options = require "endpoint.checks.calls.call_options"
local certain_call = require "endpoint.checks.calls.certain_call"
local constructed = require "endpoint.checks.calls.constructed"
local errors = require "endpoint.checks.validator.errors"
local incoming = require "endpoint.checks.incoming"
local needs = require "endpoint.checks.calls.needs"
local open_responses = require "endpoint.checks.calls.open_responses"
local operations = require "endpoint.checks.calls.operations"
local patterns = require "endpoint.checks.validator.patterns"
local responses = require "endpoint.checks.calls.responses"
local tools = require "endpoint.checks.tools"

-- The version of the rules that this file reads. endpoint.types.rules writes it.
local FORMAT = 4

-- --- the rules of a file ----------------------------------------------------------

-- Nodes by number, each made when it is asked for first. makers: their constructors, as text.
-- changed: a function that each node goes through, or nil.
local function lazy_nodes(makers, changed)
  return setmetatable({}, {
    __index = function(nodes, number)
      local node = constructed(makers[number])
      node = changed and changed(node) or node
      nodes[number] = node
      return node
    end,
  })
end

local function check_format(data)
  if data.format ~= FORMAT then
    local message = "endpoint.checks: %s is of another version: make it again with endpoint-types"
    error(message:format(tostring(data.name)), 0)
  end
end

-- changed: a function that each node goes through, or nil.
local function new_rulebook(data, changed)
  local rulebook = {
    schemas = lazy_nodes(data.schemas, changed),
    operations = data.operations,
    is_open = data.is_open,
    has_unevaluated = data.has_unevaluated,
    has_responses = data.has_responses,
  }
  function rulebook.ready(operation)
    return operations.ready(rulebook, operation)
  end
  function rulebook.node(node)
    return node.ref and rulebook.schemas[node.ref] or node
  end
  return rulebook
end

-- The rules of calls, and those of responses, `of_responses`, whose nodes may be open.
local function rulebooks_of(data)
  local rulebook = new_rulebook(data)
  rulebook.of_responses = rulebook
  rulebook.base, rulebook.trees, rulebook.kinds = data.base, {}, {}
  rulebook.forms, rulebook.multiparts = {}, {}
  if not data.are_responses_closed then
    rulebook.of_responses = new_rulebook(data, open_responses.opened)
    rulebook.of_responses.opened = open_responses.opened
  end
  operations.index(rulebook)
  return rulebook
end

-- The most patterns that are told one by one.
local MOST_PATTERNS = 20

-- Why a pattern is not checked here, nil if it is. row: as unusual_patterns.lua makes it.
local function pattern_sentence(row)
  local reason
  if not row[3] then
    reason = "it is not one of ECMA-262"
  elseif patterns.are_known() and not patterns.is_readable(row[1]) then
    reason = "the regular expressions of this program cannot say it"
  end
  local words = "%s: the pattern %s is not checked: %s"
  return reason and words:format(row[2], errors.shown(row[1]), reason)
end

local function pattern_sentences(rows)
  local sentences, has_others = {}, false
  for _, row in ipairs(rows) do
    has_others = has_others or row[3]
    sentences[#sentences + 1] = pattern_sentence(row)
  end
  local more = #sentences - MOST_PATTERNS
  for position = #sentences, MOST_PATTERNS + 1, -1 do
    sentences[position] = position == MOST_PATTERNS + 1
        and ("%d more patterns are not checked"):format(more)
      or nil
  end
  if has_others and not patterns.are_known() then
    sentences[#sentences + 1] =
      "pattern is not checked where it has groups: there is neither ngx.re nor lrexlib (rex_pcre2)"
  end
  return sentences
end

-- The most sentences about requests that came in.
local MOST_OF_REQUESTS = 20

-- Adds why rules.request does not find some operations.
local function add_incoming_sentences(rulebook, sentences)
  local list = incoming.left_out(rulebook)
  for position = 1, math.min(#list, MOST_OF_REQUESTS) do
    sentences[#sentences + 1] = list[position]
  end
  if #list > MOST_OF_REQUESTS then
    local words = "rules.request: %d more sentences about operations of one path"
    sentences[#sentences + 1] = words:format(#list - MOST_OF_REQUESTS)
  end
end

-- What is not checked of the rules that a file holds, in sentences.
local function left_out_of(data, rulebook)
  local sentences = pattern_sentences(data.patterns or {})
  if data.has_formats then
    sentences[#sentences + 1] = "format is not checked"
  end
  for _, keyword in ipairs(data.wrong_limits or {}) do
    sentences[#sentences + 1] = keyword .. " is not checked where its value is of a wrong type"
  end
  if data.has_dynamic then
    sentences[#sentences + 1] = "$dynamicRef is not checked"
  end
  add_incoming_sentences(rulebook, sentences)
  return sentences
end

-- --- the module of a file ---------------------------------------------------------

-- Raises at the line that called a function of the module. That function must still be on Lua's
-- stack, so none of them ends in a call.
local function fail(problem)
  error("endpoint.checks: " .. problem, 3)
end

-- Adds the functions that check what a program sends and gets.
local function add_checks(module, rulebook)
  function module.check(route, given, api, how)
    local fault = (api ~= nil or how ~= nil) and call_options.misuse(api, how)
    if fault then
      fail(fault)
    end
    local is_decoded = how and how.decoded == true
    local certain = not is_decoded and certain_call.operation(rulebook, route, given)
    if certain then
      return certain.encode
    end
    local problem, operation = call_options.sentence(rulebook, route, given, api, how)
    if problem then
      fail(problem)
    end
    return operation.encode or nil
  end
  function module.response(route, status, given)
    local operation, sentence = operations.find(rulebook, route)
    sentence = not operation and sentence or responses.misuse(rulebook, status)
    if sentence then
      fail(sentence)
    end
    local problem, problems = responses.problem(rulebook, rulebook.ready(operation), status, given)
    if problem then
      return nil, problem, problems
    end
    return true
  end
end

-- Adds the function for requests that came in.
local function add_incoming(module, rulebook)
  function module.request(given, settings)
    local fault = incoming.misuse(given, settings)
    if fault then
      fail("request: " .. fault)
    end
    local operation, values, problems = incoming.request(rulebook, given, settings)
    if operation == false then
      fail("request: " .. values)
    end
    return operation, values, problems
  end
end

local unpack = table.unpack or unpack

local function pack(...)
  return { n = select("#", ...), ... }
end

-- Adds the functions for language models.
local function add_tools(module, rulebook)
  function module.tools(wanted, how)
    local list, problem = tools.list(rulebook, wanted, how)
    if not list then
      fail("tools: " .. problem)
    end
    return list
  end
  function module.needs(operation)
    local needed, problem = needs.of_operation(rulebook, operation)
    if not needed then
      fail("needs: " .. problem)
    end
    return needed
  end
  function module.call(send, name, arguments, api, how)
    local results = pack(tools.call(rulebook, send, name, arguments, api, how))
    if results[1] then
      fail("call: " .. results[1])
    end
    return unpack(results, 2, results.n)
  end
end

-- The module of a file that endpoint-types has written. data: what the file holds.
function checks.new(data)
  check_format(data)
  local module, rulebook = {}, rulebooks_of(data)
  add_checks(module, rulebook)
  add_incoming(module, rulebook)
  add_tools(module, rulebook)
  function module.left_out()
    return left_out_of(data, rulebook)
  end
  return module
end

return checks
