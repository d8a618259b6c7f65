-- SPDX-License-Identifier: MIT
-- Which operations a program has chosen: by their names, or by tag, method and route.
local choice = {}

local errors = require "endpoint.checks.validator.errors"
local text = require "endpoint.text"

-- --- one by its name ----------------------------------------------------------------

-- The tags of all operations, as a set.
local function tags_of(rulebook)
  local tags = {}
  for _, operation in ipairs(rulebook.operations) do
    for _, tag in ipairs(operation[5] or {}) do
      tags[tag] = true
    end
  end
  return tags
end

-- An operation by operationId, route or name; or nil and a sentence. The operations have names.
function choice.operation(rulebook, name)
  local found = rulebook.by_id[name]
    or rulebook.routes[name]
    or rulebook.plain[name]
    or rulebook.by_name[name]
  if found then
    return found
  elseif type(name) ~= "string" then
    return nil, "expected the name of an operation, got a " .. type(name)
  end
  local shown = errors.shown(name)
  if tags_of(rulebook)[name] then
    return nil, ("no such operation: %s, it is a tag: { tag = %s }"):format(shown, shown)
  end
  return nil, "no such operation: " .. shown .. text.nearest(name, rulebook.by_id)
end

-- Each operation once, whatever it is called by: services refuse two tools of one name.
local function by_names(rulebook, wanted)
  local found, is_there = {}, {}
  for _, name in ipairs(wanted) do
    local operation, problem = choice.operation(rulebook, name)
    if not operation then
      return nil, problem
    elseif not is_there[operation] then
      found[#found + 1], is_there[operation] = operation, true
    end
  end
  return found
end

-- --- many by what they are ----------------------------------------------------------

local function has_tag(operation, tag)
  for _, one in ipairs(operation[5] or {}) do
    if one == tag then
      return true
    end
  end
  return false
end

-- The method of an operation, and its path without the query's expression.
function choice.parts_of(operation)
  local method, path = operation[1]:match "^(%S+) (.*)$"
  return method, (path:gsub("{[?&].-}", ""))
end

-- Each says whether an operation is one that is wanted.
local FITS = {
  tag = has_tag,
  method = function(operation, method)
    return choice.parts_of(operation) == text.upper(method)
  end,
  route = function(operation, route)
    local _, path = choice.parts_of(operation)
    return path == route or operation[1] == route or operation[1]:gsub("{[?&].-}", "") == route
  end,
}

local function fits_one(operation, word, wanted)
  for _, one in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if FITS[word](operation, one) then
      return true
    end
  end
  return false
end

local function fits_all(operation, wanted)
  for word, one in next, wanted do
    if not fits_one(operation, word, one) then
      return false
    end
  end
  return true
end

-- What is wrong with a choice; nil for nothing.
local function misuse(wanted)
  for word, one in next, wanted do
    if not FITS[word] then
      local shown = errors.shown(tostring(word))
      return "operations are not chosen by " .. shown .. text.nearest(tostring(word), FITS)
    end
    for _, single in ipairs(type(one) == "table" and one or { one }) do
      if type(single) ~= "string" then
        return ("%s: expected a string or a list of strings, got a %s"):format(word, type(single))
      end
    end
  end
end

local WORDS = { "tag", "method", "route" }

-- What no operation has, of what is wanted.
local function missing(rulebook, wanted)
  local known = tags_of(rulebook)
  for _, tag in ipairs(type(wanted.tag) == "table" and wanted.tag or { wanted.tag }) do
    if not known[tag] then
      return "no operation has the tag " .. errors.shown(tag) .. text.nearest(tag, known)
    end
  end
  local words = {}
  for _, word in ipairs(WORDS) do
    words[#words + 1] = wanted[word] ~= nil and word or nil
  end
  local only = not words[2] and wanted[words[1]]
  if type(only) == "string" then
    return ("no operation has the %s %s"):format(words[1], errors.shown(only))
  end
  return "no operation has this " .. errors.joined(words, " and ")
end

local function by_parts(rulebook, wanted)
  local problem = misuse(wanted)
  if problem then
    return nil, problem
  end
  local found = {}
  for _, operation in ipairs(rulebook.operations) do
    if fits_all(operation, wanted) then
      found[#found + 1] = operation
    end
  end
  if not found[1] then
    return nil, missing(rulebook, wanted)
  end
  return found
end

-- The operations that are wanted, all without `wanted`; or nil and a sentence.
function choice.operations(rulebook, wanted)
  if wanted == nil then
    return rulebook.operations
  elseif type(wanted) ~= "table" then
    return nil, "expected a list of operations, got a " .. type(wanted)
  end
  local has_words = false
  for word in next, wanted do
    has_words = has_words or type(word) == "string"
  end
  if has_words and wanted[1] ~= nil then
    return nil, "expected a list of names, or a tag, a method and a route, got both"
  end
  return (has_words and by_parts or by_names)(rulebook, wanted)
end

return choice
