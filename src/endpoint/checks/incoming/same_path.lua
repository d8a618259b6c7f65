-- SPDX-License-Identifier: MIT
-- Operations of one method and path: which of them a request is. Some documents have several, which
-- differ in required parameters, such as ?acl and ?versions, in the media types of their bodies, or
-- in the names of their variables.
local same_path = {}

local body = require "endpoint.checks.incoming.body"
local errors = require "endpoint.checks.validator.errors"
local parameters = require "endpoint.checks.incoming.parameters"
local query = require "endpoint.checks.incoming.query"
local result = require "endpoint.result"
local text = require "endpoint.text"

local NONE = {}
local path_segments = result.path_segments

-- --- what an operation asks for -----------------------------------------------------

local function enum_of(rulebook, node)
  node = rulebook.node(node or NONE)
  local enum = node.enum
  for _, child in ipairs(node.allOf or NONE) do
    enum = enum or enum_of(rulebook, child)
  end
  return enum
end

-- The text of the one value that a parameter may have; nil if it may have others.
local function constant_of(rulebook, parameter)
  local enum = enum_of(rulebook, parameter.node)
  if enum and enum[2] == nil then
    return next(parameter.kinds.members or NONE)
  end
end

local function is_asked(parameter, constant)
  local is_scalar = constant ~= nil or not (parameter.kinds.object or parameter.kinds.array)
  local is_seen = parameter.place == "header" or parameter.place == "query"
  return parameter.is_required and is_seen and is_scalar
end

-- The required parameters of an operation, of the query and of the head: each its `place`, `name`,
-- `constant` and `may_be_empty`. found: as router.find returns it.
local function asks_of(rulebook, found)
  if not found.asks then
    found.asks = {}
    for _, parameter in ipairs(parameters.of(rulebook, found.operation).list) do
      local constant = constant_of(rulebook, parameter)
      if is_asked(parameter, constant) then
        table.insert(found.asks, {
          place = parameter.place,
          name = parameter.written or parameter.name,
          constant = constant,
          may_be_empty = parameter.may_be_empty,
        })
      end
    end
  end
  return found.asks
end

-- --- which of them ------------------------------------------------------------------

-- Has a request a parameter; with a constant, has it that value? texts: of the query, by name.
local function has(ask, reader, texts)
  if ask.place == "header" then
    local one = reader:headers()[ask.name]
    return one ~= nil and (ask.constant == nil or one == ask.constant)
  end
  local found = texts[ask.name]
  if not found or ask.constant == nil then
    return found ~= nil
  end
  return found[ask.constant] == true or ask.may_be_empty and found[""] == true
end

-- Does an operation take the body of a request? One without a body says nothing.
local function takes_body(rules, reader, given)
  if given == nil or given == "" then
    return false
  end
  return body.is_taken(rules, reader:content_type() or "")
end

-- How well a request fits an operation: numbers, of which the first that differs decides. Is the
-- media type of the body right, are all required parameters there, how many of them, a constant
-- counts twice, and is a body there that must be? Nothing if a constant is another.
local function fit_of(reader, found, request, texts)
  local rank, is_whole = 0, 1
  for _, ask in ipairs(asks_of(reader.rulebook, found)) do
    if has(ask, reader, texts) then
      rank = rank + (ask.constant and 2 or 1)
    elseif ask.constant then
      return nil
    else
      is_whole = 0
    end
  end
  local rules = found.operation.rules
  local lacks_body = rules.needs_body and (request.body == nil or request.body == "")
  return {
    takes_body(rules, reader, request.body) and 1 or 0,
    is_whole,
    rank,
    lacks_body and 0 or 1,
  }
end

local function is_better(fit, other)
  for position = 1, #fit do
    if fit[position] ~= other[position] then
      return fit[position] > other[position]
    end
  end
  return false
end

-- Those of several operations that a request may be, that which it fits best first. The document's
-- first alone, if each has a constant that the request does not have.
function same_path.ranked(reader, list, request)
  local texts = query.texts(request.query or "")
  local ranked, fits = {}, {}
  for _, one in ipairs(list) do
    local fit = fit_of(reader, one, request, texts)
    if fit then
      ranked[#ranked + 1], fits[one] = one, fit
      fit[#fit + 1] = -#ranked -- of two that fit alike the document's first
    end
  end
  table.sort(ranked, function(one, other)
    return is_better(fits[one], fits[other])
  end)
  return ranked[1] and ranked or { list[1] }
end

-- --- which are not found ------------------------------------------------------------

-- The route without the expressions of its query.
local function shown(found)
  return text.shown(found.operation[1]:gsub("{[?&][^}]*}", ""), 200)
end

-- The same text for operations that ask for the same.
local function key_of(asks)
  local keys = {}
  for position, ask in ipairs(asks) do
    keys[position] = ("%s %s=%s"):format(
      ask.place,
      text.encoded(ask.name),
      ask.constant and text.encoded(ask.constant) or ""
    )
  end
  return table.concat(result.sorted(keys), "&")
end

-- The bodies that an operation takes, as a list and a set: media types, and "" for none.
local function bodies_of(found)
  if not found.bodies then
    local rules, set = found.operation.rules, {}
    local list = body.media_types(rules)
    if not rules.needs_body then
      list[#list + 1] = ""
    end
    for _, kind in ipairs(list) do
      set[kind] = true
    end
    found.bodies = { list = list, set = set }
  end
  return found.bodies
end

-- Is a body, which may be a range of media types, one of a set?
local function is_among(set, kind)
  if set[kind] or kind == "" then
    return set[kind] == true
  end
  return set["*/*"] or set[(kind:match "^[^/]*/" or "") .. "*"] or false
end

local HIDDEN =
  "rules.request finds %s only where %s does not fit: they have the same method and path"

-- The first of earlier operations, if these take all bodies that one takes. Otherwise it becomes
-- one of them.
local function first_that_hides(earlier, one)
  local has_own = earlier.first == nil
  for _, kind in ipairs(bodies_of(one).list) do
    if not is_among(earlier.set, kind) then
      has_own, earlier.set[kind] = true, true
    end
  end
  earlier.first = earlier.first or one
  return not has_own and earlier.first or nil
end

-- Notes those that are found last, since earlier ones ask for the same and take the same bodies.
-- Returns the others.
local function without_hidden(rulebook, list, sentences)
  local groups, kept = {}, {}
  for _, one in ipairs(list) do
    local key = key_of(asks_of(rulebook, one))
    groups[key] = groups[key] or { set = {} }
    local first = first_that_hides(groups[key], one)
    if first then
      sentences[#sentences + 1] = HIDDEN:format(shown(one), shown(first))
    else
      kept[#kept + 1] = one
    end
  end
  return kept
end

-- May a request of an operation have what another asks for? Headers that it does not know it may.
local function may_have(rulebook, found, ask)
  local plan = parameters.of(rulebook, found.operation)
  for _, own in ipairs(asks_of(rulebook, found)) do
    if own.place == ask.place and own.name == ask.name then
      return own.constant == nil or ask.constant == nil or own.constant == ask.constant
    end
  end
  local is_known = plan.query[ask.name] or plan.deep[ask.name] or plan.free[1] or plan.is_open
  return ask.place == "header" or is_known ~= nil and is_known ~= false
end

local function may_have_all(rulebook, found, asks)
  for _, ask in ipairs(asks) do
    if not may_have(rulebook, found, ask) then
      return false
    end
  end
  return true
end

local function has_one_of(found, other)
  for _, kind in ipairs(bodies_of(found).list) do
    if is_among(bodies_of(other).set, kind) then
      return true
    end
  end
  return false
end

local function are_alike(rulebook, one, other)
  return may_have_all(rulebook, one, asks_of(rulebook, other))
    and may_have_all(rulebook, other, asks_of(rulebook, one))
    and (has_one_of(one, other) or has_one_of(other, one))
end

-- Of more operations of one path not each is compared with each.
local MOST_COMPARED = 200

-- Those of a list that a request may be as well as another.
local function mistakable(rulebook, list)
  local is_one, kept = {}, {}
  for first = 1, math.min(#list, MOST_COMPARED) do
    for second = first + 1, math.min(#list, MOST_COMPARED) do
      local one, other = list[first], list[second]
      if are_alike(rulebook, one, other) then
        is_one[one], is_one[other] = true, true
      end
    end
  end
  for _, one in ipairs(list) do
    kept[#kept + 1] = is_one[one] and one or nil
  end
  return kept
end

-- The most operations that a sentence names.
local MOST_NAMES = 3

local function names_of(list)
  local names = {}
  for position = 1, math.min(#list, MOST_NAMES) do
    names[position] = shown(list[position])
  end
  if #list > MOST_NAMES then
    names[MOST_NAMES] = ("%d others"):format(#list - MOST_NAMES + 1)
  end
  return errors.joined(names, " and ")
end

local function add_shared(rulebook, list, sentences)
  local kept = mistakable(rulebook, without_hidden(rulebook, list, sentences))
  if kept[2] then
    local words = "rules.request may take %s for each other: they have the same method and path"
    sentences[#sentences + 1] = words:format(names_of(kept))
  end
end

-- Why no path of an operation is read, nil if one is.
local function fault_of(found)
  local segments, fault = path_segments(found.example, true)
  if not segments then
    return "its path " .. (type(fault) == "string" and fault or "has too many segments")
  elseif not path_segments(found.example) then
    return "its path needs the setting encoded_slashes"
  end
end

-- The operations that no request is, or that share a method and a path, in sentences.
function same_path.left_out(rulebook, tree)
  local sentences = {}
  for _, found in ipairs(tree.all) do
    local fault = fault_of(found)
    if fault then
      sentences[#sentences + 1] = ("rules.request never finds %s: %s"):format(shown(found), fault)
    end
  end
  for _, list in ipairs(tree.shared) do
    add_shared(rulebook, list, sentences)
  end
  return sentences
end

return same_path
