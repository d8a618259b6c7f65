-- SPDX-License-Identifier: MIT
-- Which operations of a document are wanted, by patterns of routes, of paths and of tags.
local only = {}

local reader = require "endpoint.types.reader"
local text = require "endpoint.clients.text"

-- The patterns, to be asked; nil for all operations. In a pattern "*" is any text.
function only.new(globs)
  if not globs then return nil end
  local wanted = {}
  for position, glob in ipairs(globs) do
    local one = { glob = glob, pieces = {}, letters = text.lower(glob:gsub("%*", "")), likeness = 0 }
    for piece in (glob .. "*"):gmatch "([^*]*)%*" do one.pieces[#one.pieces + 1] = piece end
    wanted[position] = one
  end
  return wanted
end

-- Does a name begin with the first of these pieces, end with the last, and have the others between them, in their
-- order? Each is taken where it comes first. A Lua pattern would try all places of each.
local function is_made_of(name, pieces)
  local first, last = pieces[1], pieces[#pieces]
  if #pieces == 1 then return name == first end
  local at, stop = #first + 1, #name - #last + 1
  if at > stop or name:sub(1, #first) ~= first or name:sub(stop) ~= last then return false end
  for i = 2, #pieces - 1 do
    local _, to = name:find(pieces[i], at, true)
    if not to or to >= stop then return false end
    at = to + 1
  end
  return true
end

-- How many bytes two texts have in common, at their beginnings and at their ends.
local function likeness_of(one, other)
  local most, before, behind = math.min(#one, #other), 0, 0
  while before < most and one:byte(before + 1) == other:byte(before + 1) do before = before + 1 end
  while before + behind < most and one:byte(#one - behind) == other:byte(#other - behind) do behind = behind + 1 end
  return before + behind
end

-- Remembers the name that is most like a pattern: the shortest of several.
local function compare(one, name)
  local likeness = likeness_of(one.letters, text.lower(name))
  if likeness > one.likeness or likeness == one.likeness and one.nearest and #name < #one.nearest then
    one.likeness, one.nearest = likeness, name
  end
end

local function fits(one, name, is_tag)
  if is_tag and name == one.glob or not is_tag and is_made_of(name, one.pieces) then one.is_found = true return true end
  compare(one, name)
  return false
end

-- Is an operation wanted? All patterns are asked, so that each finds its own.
function only.takes(wanted, doc, method, path, operation)
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
function only.check(wanted)
  for _, one in ipairs(wanted) do
    if not one.is_found then
      local is_near = one.nearest and 2 * one.likeness >= #one.letters
      local hint = is_near and ". The nearest is " .. reader.shown(one.nearest) or ""
      reader.fail("only %s: the document has no such operation%s", reader.shown(one.glob), hint)
    end
  end
end

return only
