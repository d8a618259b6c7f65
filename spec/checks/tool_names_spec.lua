-- The names of functions, of arguments and of fields that a model knows, and what they mean.
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT, COUNT = { type = "string" }, { type = "integer" }
local NESTED = { type = "object", properties = { ["p q"] = COUNT } }

local function parameters(place, ...)
  local list = {}
  for position, name in ipairs { ... } do
    list[position] = { name = name, ["in"] = place, required = place == "path", schema = TEXT }
  end
  return list
end

local function post(id, schema, more)
  return {
    operationId = id,
    parameters = more,
    requestBody = { content = { ["application/json"] = { schema = schema } } },
  }
end

local function object(properties, more)
  local made = { type = "object", properties = properties }
  for key, value in pairs(more or {}) do
    made[key] = value
  end
  return made
end

local HOLDERS = {
  properties = object { k1 = NESTED },
  additionalProperties = { type = "object", additionalProperties = NESTED },
  patternProperties = { type = "object", patternProperties = { ["^k"] = NESTED } },
  unevaluatedProperties = { type = "object", unevaluatedProperties = NESTED },
  dependentSchemas = {
    type = "object",
    dependentSchemas = { k1 = { properties = { k1 = NESTED } } },
    additionalProperties = true,
  },
  ["then"] = {
    type = "object",
    ["if"] = { required = { "k1" } },
    ["then"] = { properties = { k1 = NESTED } },
    additionalProperties = true,
  },
}

local LISTS = {
  items = { type = "array", items = NESTED },
  unevaluatedItems = { type = "array", unevaluatedItems = NESTED },
  prefixItems = { type = "array", prefixItems = { NESTED } },
  contains = { type = "array", contains = NESTED },
}

local function root()
  local same = parameters("path", "id")
  same[2] = parameters("query", "id")[1]
  same[3] = parameters("query", "id_2")[1]
  local both = parameters("path", "id")
  local deep = parameters("query", "a[b]")
  deep[2] = {
    name = "a",
    ["in"] = "query",
    style = "deepObject",
    schema = { type = "object", additionalProperties = TEXT },
  }
  local paths = {
    ["/x"] = {
      get = { operationId = "a.b", parameters = parameters("query", "user.id", "user_id") },
      put = { operationId = "a_b" },
    },
    ["/y"] = {
      get = {
        operationId = "\229\143\150\229\190\151",
        parameters = parameters("query", "\229\144\141", "\231\167\176"),
      },
      put = {
        operationId = "less",
        parameters = parameters("query", "Date", "Date<", "Date>"),
      },
      post = { operationId = "" },
      delete = { operationId = "\195\169t\195\169" },
    },
    ["/same/{id}"] = { get = { operationId = "same", parameters = same } },
    ["/both/{id}"] = { post = post("both", object { id = COUNT }, both) },
    ["/deep"] = { get = { operationId = "deep", parameters = deep } },
    ["/twice"] = { post = post("twice", object { m = object { ["a|b"] = TEXT, c = TEXT } }) },
  }
  for keyword, schema in pairs(HOLDERS) do
    paths["/" .. keyword] = { post = post(keyword, object { m = schema }) }
  end
  for keyword, schema in pairs(LISTS) do
    paths["/" .. keyword] = { post = post(keyword, object { m = schema }) }
  end
  return { openapi = "3.1.0", servers = { { url = "https://h.example" } }, paths = paths }
end

local made = types.generate(root(), "api", { checks = true })
local rules, api
for _, file in ipairs(made.files) do
  rules = file.name == "api-checks.lua" and load_text(file.text)() or rules
  api = file.name == "api.lua" and load_text(file.text)() or api
end

local function call(name, arguments, how)
  return rules.call(function(route, options)
    local made_request = api(route, options)
    return made_request.url, made_request.body
  end, name, arguments, api, how)
end

local by_route = {}
for _, tool in ipairs((rules.tools())) do
  by_route[tool.description:match "^%S+ [^{\n]*"] = tool
end

describe("the name of a function:", function()
  for _, row in ipairs {
    { route = "PUT /x", name = "a_b", why = "one that needs no change is kept" },
    { route = "GET /x", name = "a_b_2", why = "another takes what is left" },
    { route = "GET /y", name = "GET_y", why = "one without letters is that of the route" },
    { route = "DELETE /y", name = "DELETE_y", why = "one with some letters is that of the route" },
    { route = "POST /y", name = "POST_y", why = "an empty one is that of the route" },
  } do
    it(row.why, function()
      assert.equal(row.name, by_route[row.route].name)
    end)
  end

  it("the document's own name stands in the description where it was changed", function()
    assert.equal('GET /x\nIn the API: "a.b"', (by_route["GET /x"].description:gsub("{.-}", "")))
    assert.equal("PUT /x", by_route["PUT /x"].description)
  end)
end)

describe("the name of an argument:", function()
  for _, row in ipairs {
    { tool = "GET /x", name = "user_id", description = nil, why = "one that needs no change" },
    { tool = "GET /x", name = "user_id_2", description = '"user.id" in the API' },
    { tool = "GET /y", name = "query", description = '"\229\144\141" in the API' },
    { tool = "PUT /y", name = "Date", description = nil },
    { tool = "PUT /y", name = "Date_2", description = '"Date<" in the API' },
    { tool = "GET /same/", name = "id", description = '"id" in the path' },
    { tool = "GET /same/", name = "id_3", description = '"id" in the query' },
    { tool = "GET /same/", name = "id_2", description = nil },
    { tool = "POST /both/", name = "id", description = '"id" in the path' },
    { tool = "POST /both/", name = "id_2", description = '"id" in the body' },
  } do
    it(row.tool .. " " .. row.name .. ": " .. tostring(row.description), function()
      local schema = by_route[row.tool].parameters.properties[row.name]
      assert.equal("table", type(schema))
      assert.equal(row.description, schema.description)
    end)
  end

  it("one name in path and query is two arguments, and both are sent", function()
    local url = call("same", { id = "p", id_3 = "q", id_2 = "r" })
    assert.equal("https://h.example/same/p?id=q&id_2=r", url)
  end)

  it("one name in path and body is two arguments, and both are sent", function()
    local url, body = call("both", { id = "p", id_2 = 5 })
    assert.equal("https://h.example/both/p", url)
    assert.same({ id = 5 }, json.decode(body))
  end)

  it("a segment that is refused is that of the path", function()
    local _, sentence = call("same", { id = "..", id_3 = "q" })
    assert.truthy(sentence:find('^same: "id"'), sentence)
  end)
end)

describe("the name of a field comes back below", function()
  for keyword in pairs(HOLDERS) do
    it(keyword, function()
      local _, body = call(keyword, { m = { k1 = { p_q = 1 } } })
      assert.same({ m = { k1 = { ["p q"] = 1 } } }, json.decode(body))
    end)
  end

  for keyword in pairs(LISTS) do
    it(keyword, function()
      local _, body = call(keyword, { m = { { p_q = 1 } } })
      assert.same({ m = { { ["p q"] = 1 } } }, json.decode(body))
    end)
  end
end)

describe("two names for one field are a sentence:", function()
  it("its own and the model's", function()
    local answer, sentence = call("twice", { m = { ["a|b"] = "x", a_b = "y" } })
    assert.is_nil(answer)
    assert.equal('twice: "m": "a_b" is given twice, the second time as "a|b"', sentence)
  end)

  it("each alone is right", function()
    for _, name in ipairs { "a|b", "a_b" } do
      local _, body = call("twice", { m = { [name] = "x" } })
      assert.same({ m = { ["a|b"] = "x" } }, json.decode(body))
    end
  end)

  it("a key of deepObject in it and beside it", function()
    local answer, sentence = call("deep", { a = { b = "x" }, ["a[b]"] = "y", a_b = "z" })
    assert.is_nil(answer)
    assert.equal("string", type(sentence))
  end)
end)
