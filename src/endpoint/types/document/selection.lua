-- SPDX-License-Identifier: MIT
-- Which operations are wanted: patterns of their routes, paths and tags, as the option `only` gives
-- them.
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
    local one =
      { glob = glob, pieces = {}, letters = text.lower(glob:gsub("%*", "")), likeness = 0 }
    for piece in (glob .. "*"):gmatch "([^*]*)%*" do
      one.pieces[#one.pieces + 1] = piece
    end
    wanted[position] = one
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
local function compare(one, name)
  local likeness = text.likeness(one.letters, text.lower(name))
  if
    likeness > one.likeness or likeness == one.likeness and one.nearest and #name < #one.nearest
  then
    one.likeness, one.nearest = likeness, name
  end
end

local function fits(one, name, is_tag)
  if is_tag and name == one.glob or not is_tag and is_made_of(name, one.pieces) then
    one.is_found = true
    return true
  end
  compare(one, name)
  return false
end

-- Is an operation wanted? All patterns are asked, so that each finds its own.
function selection.takes(wanted, doc, method, path, operation)
  local is_taken = false
  for _, one in ipairs(wanted) do
    is_taken = fits(one, method:upper() .. " " .. path) or is_taken
    is_taken = fits(one, path) or is_taken
    for _, tag in reader.each(doc, operation.tags) do
      is_taken = type(tag) == "string" and fits(one, tag, true) or is_taken
    end
  end
  return is_taken
end

-- Raises for a pattern that no operation fits: it is misspelt, or of another document.
function selection.check(wanted)
  for _, one in ipairs(wanted) do
    if not one.is_found then
      local is_near = one.nearest and 2 * one.likeness >= #one.letters
      local hint = is_near and ". The nearest is " .. values.quoted(one.nearest) or ""
      budget.fail("only %s: the document has no such operation%s", values.quoted(one.glob), hint)
    end
  end
end

return selection
