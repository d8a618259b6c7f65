-- endpoint.checks: what `rules.response` says of a response's body.
package.path = "src/?.lua;" .. package.path
local types = require "endpoint.types"

local load_text = loadstring or load

-- The module of rules that `generate` makes of a document, and its text.
local function load_rules(root, options)
  options = options or { responses = true }
  options.checks = true
  local made = types.generate(root, "api", options)
  local file = made.files[#made.files - 1]
  return assert(load_text(file.text, "=" .. file.name))(), file.text
end

local TEXT = { type = "string" }

local function json(schema, media_type)
  return { content = { [media_type or "application/json"] = { schema = schema } } }
end

local function ref(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

local USER = {
  type = "object",
  required = { "id", "name", "password" },
  properties = {
    id = { type = "integer", readOnly = true },
    name = TEXT,
    password = { type = "string", writeOnly = true },
    friends = { type = "array", items = ref "User" },
  },
}

local API = {
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  paths = {
    ["/users"] = {
      get = {
        responses = {
          ["200"] = json { type = "array", items = ref "User" },
          ["2XX"] = json { type = "integer" },
          default = json(ref "Problem", "application/problem+json; charset=utf-8"),
        },
      },
      head = { responses = { ["200"] = json(ref "User") } },
      post = {
        requestBody = json(ref "User"),
        responses = {
          ["201"] = json(ref "User"),
          ["202"] = { description = "accepted" },
          ["204"] = json(ref "User"),
          ["4xx"] = {
            content = {
              ["application/json"] = { schema = ref "Problem" },
              ["application/vnd.x+json"] = { schema = { type = "integer" } },
            },
          },
          ["500"] = {
            content = { ["application/json"] = { schema = ref "Problem" }, ["text/html"] = {} },
          },
          ["501"] = { content = { ["text/html"] = { schema = TEXT } } },
          ["502"] = { content = { ["application/json"] = {} } },
        },
      },
    },
    ["/pets/{id}"] = { get = { responses = { ["200"] = json(ref "Pet") } } },
    ["/none"] = { get = {} },
  },
  components = {
    schemas = {
      User = USER,
      Problem = { type = "object", required = { "title" }, properties = { title = TEXT } },
      Pet = {
        type = "object",
        required = { "kind" },
        discriminator = { propertyName = "kind" },
        properties = { kind = TEXT },
      },
      Cat = {
        allOf = {
          ref "Pet",
          {
            properties = {
              lives = { type = "integer", readOnly = true },
              pin = { type = "string", writeOnly = true },
            },
          },
        },
      },
    },
  },
}

local LIST, ADD, PET = "GET /users", "POST /users", "GET /pets/{id}"

-- what must hold, route, status, body, what is said after the route and the status; nil for a
-- response that fits
local ROWS = {
  { "a property with readOnly may come", LIST, 200, { { id = 1, name = "a" } } },
  {
    "a property with readOnly is required",
    LIST,
    200,
    { { name = "a" } },
    '"id" is missing in "[1]"',
  },
  {
    "a property with writeOnly must not come",
    LIST,
    200,
    { { id = 1, name = "a", password = "x" } },
    'no property "password" in "[1]"',
  },
  {
    "the same holds in a schema that holds itself",
    ADD,
    201,
    { id = 1, name = "a", friends = { { id = 2, name = "b", password = "x" } } },
    'no property "password" in "friends[1]"',
  },
  {
    "the nearest name is offered",
    ADD,
    201,
    { id = 1, nam = "a" },
    'no property "nam", is it "name"?',
  },
  { "a status that is not listed is one of its range", LIST, 201, 5 },
  { "a range does not take the body of a status", LIST, 200, 5, "expected a list, got 5" },
  { "a status that nothing else takes is the default", LIST, 404, { title = "no" } },
  { "a media type with +json and a parameter is JSON", LIST, 404, {}, '"title" is missing' },
  { "a range may be written in small letters", ADD, 404, { title = "no" } },
  { "a body may fit any of several JSON media types", ADD, 404, 5 },
  {
    "a body must fit one of them",
    ADD,
    404,
    true,
    "expected an object or an integer, got a boolean",
  },
  { "a string may be of a media type that is not JSON", ADD, 500, "<p>" },
  { "a table beside such a media type is JSON", ADD, 500, {}, '"title" is missing' },
  { "a body without JSON takes what comes", ADD, 501, { 1 } },
  { "a media type without a schema takes what comes", ADD, 502, { 1 } },
  { "a response without content takes what comes", ADD, 202, { any = 1 } },
  { "a response without content needs no body", ADD, 202, nil },
  { "a body that is documented must be there", ADD, 201, nil, "the body is missing" },
  { "status 204 has no body", ADD, 204, nil },
  { "the answer to HEAD has no body", "HEAD /users", 200, nil },
  {
    "a status that the document does not know is told",
    ADD,
    301,
    {},
    "the document has no such status",
  },
  {
    "an operation without responses knows no status",
    "GET /none",
    200,
    {},
    "the document has no such status",
  },
  { "the route may have another form", " post  /users ", 201, { id = 1, name = "a" } },
  { "a discriminator chooses the schema of a response", PET, 200, { kind = "Cat", lives = 9 } },
  {
    "a property with writeOnly must not come in what a discriminator chooses",
    "GET /pets/:id",
    200,
    { kind = "Cat", pin = "1" },
    'no property "pin"',
  },
}

-- The route as the document has it.
local FULL = { [" post  /users "] = ADD, ["GET /pets/:id"] = PET }

describe("rules of responses:", function()
  local rules, text = load_rules(API)

  for _, row in ipairs(ROWS) do
    it(row[1], function()
      local route, status, body, words = row[2], row[3], row[4], row[5]
      local fits, sentence = rules.response(route, status, body)
      local expected = words and ("%s: status %d: %s"):format(FULL[route] or route, status, words)
      assert.equal(expected, sentence)
      assert.equal(not words or nil, fits)
    end)
  end

  it("a request has the other properties", function()
    rules.check(ADD, { name = "a", password = "x" })
    local is_right, message = pcall(rules.check, ADD, { id = 1, name = "a", password = "x" })
    assert.is_false(is_right)
    assert.truthy(message:find '"id"', message)
  end)

  it("a schema without readOnly and writeOnly is written once", function()
    local _, count = text:gsub('required={"title"}', "")
    assert.equal(1, count)
  end)

  it("no rules of responses are written unless they are asked for", function()
    local _, without = load_rules(API, {})
    assert.falsy(without:find("responses", 1, true))
  end)

  it("Swagger 2.0 has the schema in the response", function()
    local old = load_rules {
      swagger = "2.0",
      host = "h.example",
      produces = { "application/json" },
      paths = {
        ["/a"] = { get = { responses = { ["200"] = { schema = { type = "integer" } } } } },
        ["/b"] = {
          get = { produces = { "text/csv" }, responses = { ["200"] = { schema = TEXT } } },
        },
      },
    }
    assert.is_true(old.response("GET /a", 200, 5))
    assert.equal(
      "GET /a: status 200: expected an integer, got a boolean",
      select(2, old.response("GET /a", 200, true))
    )
    assert.is_true(old.response("GET /b", 200, { 1 }))
  end)

  it("an example may hold a $ref to another file, which is data there", function()
    local example = { ["$ref"] = "other.yaml#/x" }
    local content = { ["application/json"] = { schema = USER, example = example } }
    local root = {
      openapi = "3.1.0",
      paths = {
        ["/users"] = { post = { responses = { ["200"] = { content = content } } } },
      },
    }
    assert.is_true(load_rules(root).response("POST /users", 200, { id = 1, name = "a" }))
  end)

  it("names that no schema has pass where the rules are open", function()
    local open = load_rules(API, { responses = true, open = true })
    assert.is_true(open.response(ADD, 201, { id = 1, name = "a", other = 1 }))
  end)
end)

-- what must hold, route, status, the error
local MISUSES = {
  {
    "a route that the document does not have is raised",
    "GET /user",
    200,
    'no such route: "GET /user", is it "GET /users"?',
  },
  { "a route of another type is raised", 5, 200, "expected a route, got a number" },
  {
    "a status of another type is raised",
    LIST,
    "200",
    "status: expected an integer from 100 to 599, got a string",
  },
  {
    "a status that HTTP does not have is raised",
    LIST,
    99,
    "status: expected an integer from 100 to 599, got 99",
  },
  {
    "a status above 599 is raised",
    LIST,
    600,
    "status: expected an integer from 100 to 599, got 600",
  },
  {
    "a status with a fraction is raised",
    LIST,
    200.5,
    "status: expected an integer from 100 to 599, got 200.5",
  },
}

describe("rules of responses, used wrongly:", function()
  local function problem(rules, ...)
    local done, message = pcall(rules.response, ...)
    assert.is_false(done)
    return message
  end

  for _, row in ipairs(MISUSES) do
    it(row[1], function()
      assert.equal("endpoint.checks: " .. row[4], problem(load_rules(API), row[2], row[3], {}))
    end)
  end

  it("a file without rules of responses says how it is made with them", function()
    local message = problem(load_rules(API, {}), LIST, 200, {})
    assert.truthy(message:find("make it again with --checks --responses", 1, true), message)
  end)

  it("the error has the position of the caller", function()
    local _, message = pcall(function()
      load_rules(API).response(LIST, "200", {})
    end)
    assert.truthy(
      message:find "^spec/types/responses_spec.lua:%d+: endpoint.checks: status",
      message
    )
  end)
end)
