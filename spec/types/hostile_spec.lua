-- endpoint.types and endpoint.checks: texts that try to get out of their place, and documents changed at random.
package.path = "src/?.lua;" .. package.path
local definitions = require "types.definitions"
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

-- --- documents changed at random ------------------------------------------------------

local TEXTS = {
  "", "]]", "--]]\nos.exit(1)", "\n---@class evil", "---@field x any", '"', '\\"', "\\", "\r\n---@meta", "{",
  "}", "{a}", "{+a}", "{?a}", "{a}{b", "{}", "/", "//evil.example", "/a?b#c", "/:a", "https://evil.example/{x}",
  "#/", "#/paths", "#/components/schemas/Book", "#/x/y", "$ref", "url", "data", "headers", "params", "private",
  "a b", "a-b", "a,b", "a*", "a:3", "\0", "\255\254", "\226\128\168", ("x"):rep(300), "| any", "# x", "@type",
  "[string]", "object", "array", "string", "null", "path", "query", "header", "cookie", "body", "formData",
  "deepObject", "matrix", "application/json", "text/plain", "3.1.0", "2.0", "multi", "end", "%s", "%1", "%",
  "..", "/../x", "/%2e%2e/{a}",
}

-- A copy, and a list of all places in it: a table and a key.
local function copied(value, places)
  if type(value) ~= "table" then return value end
  local copy = {}
  for _, key in ipairs(support.keys(value)) do
    copy[key] = copied(value[key], places)
    places[#places + 1] = { copy, key }
  end
  return copy
end

local function text(random) return TEXTS[random(#TEXTS)] end

-- What may stand in a place: a text, a value of another type, a part of the document.
local function other_value(random, places)
  local kind = random(8)
  if kind <= 3 then return text(random) end
  if kind == 4 then return ({ true, false, 0, -1, 1.5, 1e300, json.null, 2 ^ 53 })[random(8)] end
  if kind == 5 then return { text(random), text(random) } end
  if kind == 6 then return { ["$ref"] = text(random) } end
  local place = places[random(#places)]
  return place[1][place[2]]
end

local function mutate_place(random, places)
  local place = places[random(#places)]
  local parent, key, kind = place[1], place[2], random(4)
  if kind == 1 then
    parent[key] = nil
  elseif kind == 2 and type(key) == "string" then
    parent[text(random)] = parent[key]
  elseif kind == 3 and type(parent[key]) == "string" then
    parent[key] = parent[key] .. text(random)
  else
    parent[key] = other_value(random, places)
  end
end

-- A document with one to eight changes. The same seed gives the same on every Lua.
local function mutate(root, seed)
  local random, places = support.random(seed), {}
  local mutant = copied(root, places)
  for _ = 1, random(8) do mutate_place(random, places) end
  return mutant
end

local TEXT = { type = "string" }

-- What books.json has not: Swagger 2.0, and rules of all kinds.
local SWAGGER = { swagger = "2.0", host = "h.example", basePath = "/v1", schemes = { "http", "https" },
  consumes = { "text/plain" }, produces = { "application/json" }, paths = { ["/x/{id}"] = {
    get = { parameters = { { name = "id", ["in"] = "path", type = "integer", minimum = 1, required = true },
      { name = "a", ["in"] = "query", type = "array", items = TEXT, collectionFormat = "multi", minItems = 2 } } },
    post = { parameters = { { name = "f", ["in"] = "formData", type = "string", maxLength = 3 } } },
    put = { parameters = { { name = "b", ["in"] = "body", schema = { ["$ref"] = "#/definitions/B" } } } } } },
  definitions = { B = { type = "object", required = { "a" }, properties = { a = TEXT, c = { type = "object",
    additionalProperties = { type = "integer", maximum = 5, exclusiveMaximum = true } } }, oneOf = { { required = { "c" } },
    { properties = { d = { type = "array", items = { ["$ref"] = "#/definitions/B" } } } } } } } }

-- Loads all that was made; returns the definitions as they are read, and the defaults. Each operation is a route or
-- left out, and each tool can be called.
local function check(made)
  local rules = table.remove(made.files, #made.files - 1)
  local module = assert((loadstring or load)(rules.text, "=" .. rules.name))()
  for _, tool in ipairs(module.tools()) do module.call(function() end, tool.name, {}) end
  local read, defaults = definitions.read(made.files), definitions.defaults_in(made.files)
  assert.equal(made.base, defaults.baseUrl)
  assert.equal(made.operations, #read.routes + #made.left_out)
  return read, defaults
end

it("types: a document changed at random makes files whose texts stay in their place, or none", function()
  local books = support.read "spec/types/books.json"
  local roots, count, worked = { json.decode(books), SWAGGER }, tonumber(os.getenv "DOCUMENTS" or 400), 0
  for seed = 1, count do
    local ok, made = pcall(types.generate, mutate(roots[seed % 2 + 1], seed), "api", { checks = true })
    if ok then
      check(made)
      worked = worked + 1
    else
      assert.truthy(made:find "^endpoint%.types: [^%c]*$", seed .. ": " .. tostring(made))
    end
  end
  assert.is_true(worked > count / 2)
  types.generate(roots[1], "api", { checks = true, responses = true })
  assert.same(json.decode(books), roots[1])
end)

-- --- texts ----------------------------------------------------------------------------

local function document_of(evil)
  local schema = { properties = { [evil] = { enum = { evil }, description = evil } }, required = { evil } }
  local function sending(media_type) return { requestBody = { content = { [media_type] = { schema = schema } } } } end
  return { openapi = "3.0.0", info = { title = evil }, servers = { { url = "https://h.example/" .. evil } }, paths = {
    ["/" .. evil] = { post = sending "application/json", put = sending("text/" .. evil),
      patch = sending("a/" .. evil .. "+json"), get = { operationId = evil, summary = evil, parameters = {
        { name = evil, ["in"] = "query", description = evil, required = true, schema = { enum = { evil } } },
        { name = evil .. "[]", ["in"] = "query", schema = { type = "array", items = TEXT } },
        { name = "h" .. evil, ["in"] = "header", schema = TEXT }, { name = "c" .. evil, ["in"] = "cookie" } } } } } }
end

for _, evil in ipairs { "]]", "--]]", "\n---@class evil", "\r\nos.exit(1)", '"', '\\"', "\\", "\0", "---@field evil any",
  "]=]", "| any", "a\127b", "a\194\155b", "a\226\128\174b" } do
  it("types: a hostile text stays in its place: " .. evil:gsub("%c", "?"), function()
    local made = types.generate(document_of(evil), "api", { checks = true })
    for _, file in ipairs(made.files) do
      assert.is_nil(file.text:match "\127" or file.text:match "\194[\128-\159]" or file.text:match "\226\128\174")
    end
    local read, defaults = check(made)
    assert.is_nil(read.classes.evil)
    assert.same({ baseUrl = made.base }, defaults)
    for _, route in ipairs(read.routes) do
      if route.route:find "^POST" then
        local field = read.classes[route.class][1]
        assert.same({ evil, true, evil }, { field.name, field.required, field.type[1].value })
      end
    end
  end)
end
