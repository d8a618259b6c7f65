-- Documents changed at random, with texts that try to get out of their place. The same seed
-- gives the same document on every Lua.
local support = require "support"
local hostile = {}

local TEXTS = {
  "", "]]", "--]]\nos.exit(1)", "\n---@class evil", "---@field x any", '"', '\\"', "\\", "\r\n---@meta", "{",
  "}", "{a}", "{+a}", "{?a}", "{a}{b", "{}", "/", "//evil.example", "/a?b#c", "/:a", "https://evil.example/{x}",
  "#/", "#/paths", "#/components/schemas/Book", "#/x/y", "$ref", "url", "data", "headers", "params", "private",
  "a b", "a-b", "a,b", "a*", "a:3", "\0", "\255\254", "\226\128\168", ("x"):rep(300), "| any", "# x", "@type",
  "[string]", "object", "array", "string", "null", "path", "query", "header", "cookie", "body", "formData",
  "deepObject", "matrix", "application/json", "text/plain", "3.1.0", "2.0", "multi", "end", "%s", "%1", "%",
  "..", "/../x", "/%2e%2e/{a}",
}

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) == type(b) then return a < b end
    return type(a) == "number"
  end)
  return keys
end

-- A copy, and a list of all places in it: a table and a key.
local function copied(value, places)
  if type(value) ~= "table" then return value end
  local copy = {}
  for _, key in ipairs(sorted_keys(value)) do
    copy[key] = copied(value[key], places)
    places[#places + 1] = { copy, key }
  end
  return copy
end

local function text(random) return TEXTS[random(#TEXTS)] end

-- What may stand in a place: a text, a value of another type, a part of the document.
local function other_value(random, places, null)
  local kind = random(8)
  if kind <= 3 then return text(random) end
  if kind == 4 then return ({ true, false, 0, -1, 1.5, 1e300, null, 2 ^ 53 })[random(8)] end
  if kind == 5 then return { text(random), text(random) } end
  if kind == 6 then return { ["$ref"] = text(random) } end
  local place = places[random(#places)]
  return place[1][place[2]]
end

local function mutate_place(random, places, null)
  local place = places[random(#places)]
  local parent, key, kind = place[1], place[2], random(4)
  if kind == 1 then
    parent[key] = nil
  elseif kind == 2 and type(key) == "string" then
    parent[text(random)] = parent[key]
  elseif kind == 3 and type(parent[key]) == "string" then
    parent[key] = parent[key] .. text(random)
  else
    parent[key] = other_value(random, places, null)
  end
end

-- A document with one to eight changes. null: the decoder's null.
function hostile.mutate(root, seed, null)
  local random, places = support.random(seed), {}
  local mutant = copied(root, places)
  for _ = 1, random(8) do mutate_place(random, places, null) end
  return mutant
end

return hostile
