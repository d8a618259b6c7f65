-- SPDX-License-Identifier: MIT
-- Which operations are wanted: patterns of their routes, paths and tags (OpenAPI 3.1, "Operation
-- Object", `tags`), as the option `only` gives them.
local selection = {}

local budget = require "endpoint.types.document.budget"
local reader = require "endpoint.types.document.reader"
local text = require "endpoint.text"
local values = require "endpoint.types.document.values"

-- The patterns of the routes, paths and tags that are wanted, to be asked; nil for all operations.
-- In a pattern "*" is any text.
function selection.new(globs)
  if not globs then
    return nil
  end
  local wanted = {}
  for position, glob in ipairs(globs) do
    local pattern =
      { glob = glob, pieces = {}, letters = text.lower(glob:gsub("%*", "")), likeness = 0 }
    for piece in (glob .. "*"):gmatch "([^*]*)%*" do
      pattern.pieces[#pattern.pieces + 1] = piece
    end
    wanted[position] = pattern
  end
  return wanted
end

-- Does a name begin with the first of these pieces, end with the last, and have the others between
-- them, in their order? Each is taken where it comes first. A Lua pattern would try all places of
-- each.
local function is_made_of(name, pieces)
  local first, last = pieces[1], pieces[#pieces]
  if #pieces == 1 then
    return name == first
  end
  local at, stop = #first + 1, #name - #last + 1
  if at > stop or name:sub(1, #first) ~= first or name:sub(stop) ~= last then
    return false
  end
  for i = 2, #pieces - 1 do
    local _, finish = name:find(pieces[i], at, true)
    if not finish or finish >= stop then
      return false
    end
    at = finish + 1
  end
  return true
end

-- Remembers the name that is most like a pattern: the shortest of several.
local function compare(pattern, name)
  local likeness = text.likeness(pattern.letters, text.lower(name))
  local is_as_near = likeness == pattern.likeness and pattern.nearest
  if likeness > pattern.likeness or is_as_near and #name < #pattern.nearest then
    pattern.likeness, pattern.nearest = likeness, name
  end
end

local function fits(pattern, name, is_tag)
  if is_tag and name == pattern.glob or not is_tag and is_made_of(name, pattern.pieces) then
    pattern.is_found = true
    return true
  end
  compare(pattern, name)
  return false
end

-- Is an operation wanted? All patterns are asked, so that each finds its own.
function selection.takes(wanted, doc, method, path, operation_object)
  local is_taken = false
  for _, pattern in ipairs(wanted) do
    is_taken = fits(pattern, text.upper(method) .. " " .. path) or is_taken
    is_taken = fits(pattern, path) or is_taken
    for _, tag in reader.each(doc, operation_object.tags) do
      is_taken = type(tag) == "string" and fits(pattern, tag, true) or is_taken
    end
  end
  return is_taken
end

-- Raises for a pattern that no operation fits: it is misspelt, or of another document.
function selection.check(wanted)
  for _, pattern in ipairs(wanted) do
    if not pattern.is_found then
      local is_near = pattern.nearest and 2 * pattern.likeness >= #pattern.letters
      local hint = is_near and ". The nearest is " .. values.quoted(pattern.nearest) or ""
      budget.fail(
        "only %s: the document has no such operation%s",
        values.quoted(pattern.glob),
        hint
      )
    end
  end
end

return selection
