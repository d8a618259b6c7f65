-- SPDX-License-Identifier: MIT
-- The other direction: which operation a request is that came in, and whether it is right.
local incoming = {}

local body = require "endpoint.checks.incoming.body"
local errors = require "endpoint.checks.validator.errors"
local headers = require "endpoint.checks.incoming.headers"
local parameters = require "endpoint.checks.incoming.parameters"
local path = require "endpoint.checks.incoming.path"
local query = require "endpoint.checks.incoming.query"
local reader = require "endpoint.checks.incoming.reader"
local result = require "endpoint.result"
local router = require "endpoint.checks.incoming.router"
local same_path = require "endpoint.checks.incoming.same_path"
local text = require "endpoint.text"
local texts = require "endpoint.checks.incoming.texts"
local value = require "endpoint.checks.validator.value"

local NONE = {}
local byte, SLASH = string.byte, 47
local problem_of_value = value.problem
local path_segments = result.path_segments

-- --- what the program gives -------------------------------------------------------

-- Names, types, must they be there, and other types that they may have.
local FIELDS = {
  { "method", "string", true },
  { "path", "string", true },
  { "query", "string" },
  { "headers", "table", false, "function" },
  { "body", "string" },
}
local SETTINGS = {
  { "base", "string" },
  { "decode", "function" },
  { "encoded_slashes", "boolean" },
  { "trailing_slash", "boolean" },
}

local function type_fault(what, given, rows)
  if type(given) ~= "table" then
    return ("%s: expected a table, got a %s"):format(what, type(given))
  end
  for position = 1, #rows do
    local row = rows[position]
    local got = type(given[row[1]])
    if got ~= row[2] and got ~= row[4] and (got ~= "nil" or row[3]) then
      local expected = row[4] and row[2] .. " or a " .. row[4] or row[2]
      return ("%s.%s: expected a %s, got a %s"):format(what, row[1], expected, got)
    end
  end
end

local function unknown_setting(settings)
  local known = {}
  for _, row in ipairs(SETTINGS) do
    known[row[1]] = true
  end
  for name in next, settings do
    if not known[name] then
      name = tostring(name)
      return "there is no setting " .. errors.shown(name) .. text.nearest(name, known)
    end
  end
end

-- A path without a slash before it would be that of no request.
local function base_fault(base)
  if base and base ~= "" and not base:find "^/" and not base:find "^%a[%w+.-]*://" then
    return "the settings.base: expected a path that begins with /, or a URL, got "
      .. errors.shown(base)
  end
end

local function is_string_or_nil(one)
  return one == nil or type(one) == "string"
end

local function is_headers(one)
  return one == nil or type(one) == "table" or type(one) == "function"
end

-- Are the parts of a request of the right types? Nearly all are.
local function is_right(given)
  return type(given) == "table"
    and type(given.method) == "string"
    and type(given.path) == "string"
    and is_string_or_nil(given.query)
    and is_string_or_nil(given.body)
    and is_headers(given.headers)
end

-- What is wrong with how the program asks, nil if nothing is.
function incoming.misuse(given, settings)
  local fault = not is_right(given) and type_fault("the request", given, FIELDS) or nil
  if fault or settings == nil then
    return fault
  end
  return type_fault("the settings", settings, SETTINGS)
    or unknown_setting(settings)
    or base_fault(settings.base)
end

-- --- which operation --------------------------------------------------------------

local function tree_of(rulebook, base)
  local key = base or false
  local tree = rulebook.trees[key]
  if not tree then
    tree = router.new(rulebook, base)
    rulebook.trees[key] = tree
  end
  return tree
end

-- The operations that no request is found to be, or that share a method and a path, in sentences.
function incoming.left_out(rulebook)
  return same_path.left_out(rulebook, tree_of(rulebook))
end

local function problem_of(place, message, more)
  local problem = more or {}
  problem.place, problem.pointer, problem.message = place, "", message
  return { problem }
end

-- The operations of a request, the texts of the path's variables, and whether these need no
-- decoding; or nil, a status and problems.
local function found_by(rulebook, given, settings)
  local raw = given.path
  if byte(raw, 1) ~= SLASH then
    return nil, 400, problem_of("path", "does not begin with /")
  end
  local segments, is_plain = path_segments(raw, settings.encoded_slashes)
  if type(is_plain) == "string" then
    return nil, 400, problem_of("path", is_plain)
  end
  local tree = tree_of(rulebook, settings.base)
  local list, captured = router.find(tree, given.method, raw, segments, is_plain)
  if not list and settings.trailing_slash and raw:find "./$" then
    raw = raw:sub(1, -2)
    list, captured = router.find(tree, given.method, raw, path_segments(raw, true))
  end
  if list then
    return list, captured, is_plain
  elseif captured then
    local words = "expected " .. errors.joined(captured)
    return nil, 405, problem_of("method", words, { allow = captured })
  end
  return nil, 404, problem_of("path", "is not in the document")
end

-- --- its values -------------------------------------------------------------------

-- Is a value one that a parameter may have whatever its node says?
local function is_empty(parameter, one)
  return parameter.may_be_empty and (one == "" or type(one) == "table" and next(one) == nil)
end

-- Notes what is wrong with the values under their nodes, and which are missing.
local function check_all(state, plan, values)
  local list, rulebook = plan.list, state.rulebook
  for position = 1, #list do
    local parameter = list[position]
    local part, name = values[parameter.part], parameter.written or parameter.name
    local one = part[parameter.name]
    if one ~= nil then
      if problem_of_value(rulebook, parameter.node, one) and not is_empty(parameter, one) then
        state:check(parameter.place, name, parameter.node, one)
      end
      if parameter.is_literal then
        part[name] = nil
      end
    elseif parameter.is_required and not state:has(parameter.place, name) then
      state:add(parameter.place, name, "", "is missing")
    end
  end
end

-- Reads the headers and the cookies of an operation.
local function read_headers(state, plan, values)
  local given = state:headers()
  headers.read(state, plan, given, values.headers)
  if plan.has_cookies then
    headers.read_cookies(state, plan, given, values.cookies)
  end
end

-- The content-type of a request; nil without one. Of several some servers take the first, others
-- the last.
local function content_type_of(state)
  local content_type, is_twice = state:content_type()
  if is_twice then
    state:add("header", "content-type", "", "is there twice")
  end
  return content_type
end

local function read_body(state, rules, given)
  if given.body == nil and not rules.needs_body then
    return nil
  end
  local one, node, status = body.read(state, rules, given.body, content_type_of(state))
  if one ~= nil and node then
    state:check("body", nil, node, one)
  end
  return one, status
end

local function wrong_media_type(rules)
  local list = body.media_types(rules)
  local words = list[1] and "expected " .. errors.joined(list) or "the operation takes no body"
  return problem_of("header", words, { name = "content-type" })
end

-- A request that is refused: nil, a status and problems; or false and words, for the program.
local function refused(state, status, rules)
  if state.misuse then
    return false, state.misuse
  elseif status then
    return nil, status, wrong_media_type(rules)
  end
  return nil, 400, state:sorted()
end

-- A request as one operation that its path has: see incoming.request.
local function read_as(state, found, given, captured, is_plain)
  local plan = parameters.of(state.rulebook, found.operation)
  local values = { path = {}, query = {}, headers = {}, cookies = {} }
  path.read(state, plan, found.names, captured, values.path, is_plain)
  if given.query then
    query.read(state, plan, given.query, values.query)
  end
  if plan.headers[1] or plan.has_cookies then
    read_headers(state, plan, values)
  end
  check_all(state, plan, values)
  local one, status = read_body(state, found.operation.rules, given)
  if status or state.problems then
    return refused(state, status, found.operation.rules)
  end
  if one ~= nil then
    values.body = one
  end
  if state.large then
    texts.restore(state.large)
  end
  local route, name = found.operation[1], found.operation[2]
  return { route = route, name = name or route, method = plan.method }, values
end

-- The most operations of one path that a request is read as.
local MOST_READ = 10

-- A request whose path is that of several operations, as the one that it fits best. If that one
-- refuses it, another may take it. If none does, the refusal is that of the first.
local function read_as_one_of(state, list, given, captured, is_plain)
  local ranked = same_path.ranked(state, list, given)
  local operation, values, problems = read_as(state, ranked[1], given, captured, is_plain)
  for position = 2, math.min(#ranked, MOST_READ) do
    if operation ~= nil then
      break
    end
    local other, other_values = read_as(state:again(), ranked[position], given, captured, is_plain)
    if other then
      return other, other_values
    end
  end
  return operation, values, problems
end

-- The operation of a request and its values; or nil, a status and problems; or false and what is
-- wrong with how the program asks.
function incoming.request(rulebook, given, settings)
  settings = settings or NONE
  local list, captured, is_plain = found_by(rulebook, given, settings)
  if not list then
    return nil, captured, is_plain -- which are a status and problems
  end
  local state = reader.new(rulebook, settings.decode, given.headers)
  if list[2] then
    return read_as_one_of(state, list, given, captured, is_plain)
  end
  return read_as(state, list[1], given, captured, is_plain)
end

return incoming
