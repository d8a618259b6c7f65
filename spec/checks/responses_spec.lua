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

-- Responses. problem: what is said after the route and the status; nil for a
-- response that fits
local ROWS = {
  {
    what = "a property with readOnly may come",
    route = LIST,
    status = 200,
    body = { { id = 1, name = "a" } },
  },
  {
    what = "a property with readOnly is required",
    route = LIST,
    status = 200,
    body = { { name = "a" } },
    problem = '"id" is missing in "[1]"',
  },
  {
    what = "a property with writeOnly must not come",
    route = LIST,
    status = 200,
    body = { { id = 1, name = "a", password = "x" } },
    problem = '"[1].password": expected no value here',
  },
  {
    what = "the same holds in a schema that holds itself",
    route = ADD,
    status = 201,
    body = { id = 1, name = "a", friends = { { id = 2, name = "b", password = "x" } } },
    problem = '"friends[1].password": expected no value here',
  },
  {
    what = "a name that no schema has may come",
    route = ADD,
    status = 201,
    body = { id = 1, name = "a", new = { 1 }, friends = { { id = 2, name = "b", new = 1 } } },
  },
  {
    what = "a status that is not listed is one of its range",
    route = LIST,
    status = 201,
    body = 5,
  },
  {
    what = "a range does not take the body of a status",
    route = LIST,
    status = 200,
    body = 5,
    problem = "expected a list, got 5",
  },
  {
    what = "a status that nothing else takes is the default",
    route = LIST,
    status = 404,
    body = { title = "no" },
  },
  {
    what = "a media type with +json and a parameter is JSON",
    route = LIST,
    status = 404,
    body = {},
    problem = '"title" is missing',
  },
  {
    what = "a range may be written in small letters",
    route = ADD,
    status = 404,
    body = { title = "no" },
  },
  { what = "a body may fit any of several JSON media types", route = ADD, status = 404, body = 5 },
  {
    what = "a body must fit one of them",
    route = ADD,
    status = 404,
    body = true,
    problem = "expected an object or an integer, got a boolean",
  },
  {
    what = "a string may be of a media type that is not JSON",
    route = ADD,
    status = 500,
    body = "<p>",
  },
  {
    what = "a table is JSON although a string may be of another media type",
    route = ADD,
    status = 500,
    body = {},
    problem = '"title" is missing',
  },
  { what = "a body without JSON takes what comes", route = ADD, status = 501, body = { 1 } },
  {
    what = "a media type without a schema takes what comes",
    route = ADD,
    status = 502,
    body = { 1 },
  },
  {
    what = "a response without content takes what comes",
    route = ADD,
    status = 202,
    body = { any = 1 },
  },
  { what = "a response without content needs no body", route = ADD, status = 202 },
  {
    what = "a body that is documented must be there",
    route = ADD,
    status = 201,
    problem = "the body is missing",
  },
  { what = "status 204 has no body", route = ADD, status = 204 },
  { what = "the answer to HEAD has no body", route = "HEAD /users", status = 200 },
  {
    what = "a status that the document does not know is told",
    route = ADD,
    status = 301,
    body = {},
    problem = "the document has no such status",
  },
  {
    what = "an operation without responses does not know any status",
    route = "GET /none",
    status = 200,
    body = {},
    problem = "the document has no such status",
  },
  {
    what = "the route may have another form",
    route = " post  /users ",
    status = 201,
    body = { id = 1, name = "a" },
  },
  {
    what = "a discriminator chooses the schema of a response",
    route = PET,
    status = 200,
    body = { kind = "Cat", lives = 9 },
  },
  {
    what = "a discriminator refuses nothing",
    route = "GET /pets/:id",
    status = 200,
    body = { kind = "fish", lives = "many" },
  },
}

-- The route as the document has it.
local FULL = { [" post  /users "] = ADD, ["GET /pets/:id"] = PET }

describe("rules of responses:", function()
  local rules, text = load_rules(API)

  for _, row in ipairs(ROWS) do
    it(row.what, function()
      local fits, sentence = rules.response(row.route, row.status, row.body)
      local route = FULL[row.route] or row.route
      local expected = row.problem and ("%s: status %d: %s"):format(route, row.status, row.problem)
      assert.equal(expected, sentence)
      assert.equal(not row.problem or nil, fits)
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
end)

-- --- names that no schema has -----------------------------------------------------

local NEW = "POST /new"

-- The rules of an operation whose body and response have one schema, which may refer to itself.
local function rules_of(schema, options)
  return load_rules({
    openapi = "3.1.0",
    paths = {
      ["/new"] = { post = { requestBody = json(schema), responses = { ["200"] = json(schema) } } },
    },
    components = { schemas = { One = schema } },
  }, options or { responses = true })
end

local A = { type = "object", properties = { a = TEXT } }
local CLOSED = { type = "object", properties = { a = TEXT }, additionalProperties = false }

-- Is a body of a response with a new name right? without `closed`: the schema says nothing of it
local NAMES = {
  { what = "an object", schema = A, body = { a = "x", new = 1 }, fits = true },
  { what = "an object that the document closes", schema = CLOSED, body = { new = 1 } },
  {
    what = "an object in one that the document closes",
    schema = { type = "object", properties = { b = A }, additionalProperties = false },
    body = { b = { new = 1 } },
    fits = true,
  },
  {
    what = "an object that the document closes in one that it does not",
    schema = { type = "object", properties = { b = CLOSED } },
    body = { new = 1, b = { new = 1 } },
  },
  {
    what = "an object that unevaluatedProperties closes",
    schema = { type = "object", properties = { a = TEXT }, unevaluatedProperties = false },
    body = { new = 1 },
  },
  {
    what = "an object whose allOf has a schema that the document closes",
    schema = { allOf = { CLOSED, { type = "object" } } },
    body = { new = 1 },
  },
  {
    what = "an object whose allOf the document does not close",
    schema = { allOf = { A, { type = "object", properties = { b = TEXT } } } },
    body = { a = "x", b = "y", new = 1 },
    fits = true,
  },
  {
    what = "an object of an anyOf",
    schema = { anyOf = { A, { type = "object", properties = { b = TEXT } } } },
    body = { new = 1 },
    fits = true,
  },
  {
    what = "an object in a list, of which oneOf has several",
    schema = {
      oneOf = {
        { type = "array", items = A },
        { type = "array", items = { type = "object", properties = { b = TEXT } } },
      },
    },
    body = { { a = "x", new = 1 } },
    fits = true,
  },
  {
    what = "an object in one that holds itself",
    schema = { type = "object", properties = { a = TEXT, next = ref "One" } },
    body = { next = { next = { new = 1 } } },
    fits = true,
  },
  {
    what = "an object with other properties by a pattern",
    schema = { type = "object", properties = { a = TEXT }, patternProperties = { ["^x"] = TEXT } },
    body = { new = 1 },
    fits = true,
  },
  {
    what = "an object whose other names are integers, one of which is a string",
    schema = {
      type = "object",
      properties = { a = TEXT },
      additionalProperties = { type = "integer" },
    },
    body = { new = "x" },
  },
}

describe("a name that no schema has, in a response, in", function()
  for _, row in ipairs(NAMES) do
    it(row.what .. (row.fits and " is right" or " is wrong"), function()
      assert.equal(row.fits, (rules_of(row.schema).response(NEW, 200, row.body)))
    end)
  end

  it("oneOf of scalars still counts how many fit", function()
    local rules = rules_of { oneOf = { { type = "integer" }, { type = "number" } } }
    assert.is_nil((rules.response(NEW, 200, 1)))
    assert.is_true((rules.response(NEW, 200, 1.5)))
  end)

  local OPTIONS = {
    { what = "without options", call = false, response = true },
    { what = "with --open", open = true, call = true, response = true },
    { what = "with --closed-responses", closed = true, call = false },
    { what = "with both", open = true, closed = true, call = true },
  }
  for _, row in ipairs(OPTIONS) do
    it("an object, " .. row.what .. ", counts in calls and in responses", function()
      local rules =
        rules_of(A, { responses = true, open = row.open, closed_responses = row.closed })
      assert.equal(row.call, (pcall(rules.check, NEW, { new = 1 })))
      assert.equal(row.response, (rules.response(NEW, 200, { new = 1 })))
      assert.is_nil((rules.response(NEW, 200, { a = 5 })))
    end)
  end

  it("an object is found wrong in calls after a response, and the other way round", function()
    local rules = rules_of(A)
    assert.is_true((rules.response(NEW, 200, { new = 1 })))
    assert.is_false((pcall(rules.check, NEW, { new = 1 })))
    assert.is_true((rules.response(NEW, 200, { new = 1 })))
  end)

  it("the nearest name is offered with --closed-responses", function()
    local named = { type = "object", properties = { name = TEXT } }
    local rules = rules_of(named, { responses = true, closed_responses = true })
    assert.equal(
      NEW .. ': status 200: no property "nam", is it "name"?',
      select(2, rules.response(NEW, 200, { nam = "x" }))
    )
  end)
end)

-- Calls of rules.response, and the error.
local MISUSES = {
  {
    what = "a route that the document does not have is raised",
    route = "GET /user",
    status = 200,
    problem = 'no such route: "GET /user", is it "GET /users"?',
  },
  {
    what = "a route of another type is raised",
    route = 5,
    status = 200,
    problem = "expected a route, got a number",
  },
  {
    what = "a status of another type is raised",
    route = LIST,
    status = "200",
    problem = "status: expected an integer from 100 to 599, got a string",
  },
  {
    what = "a status that HTTP does not have is raised",
    route = LIST,
    status = 99,
    problem = "status: expected an integer from 100 to 599, got 99",
  },
  {
    what = "a status above 599 is raised",
    route = LIST,
    status = 600,
    problem = "status: expected an integer from 100 to 599, got 600",
  },
  {
    what = "a status with a fraction is raised",
    route = LIST,
    status = 200.5,
    problem = "status: expected an integer from 100 to 599, got 200.5",
  },
}

describe("rules of responses, used wrongly:", function()
  local function problem(rules, ...)
    local done, message = pcall(rules.response, ...)
    assert.is_false(done)
    return message
  end

  for _, row in ipairs(MISUSES) do
    it(row.what, function()
      local said = problem(load_rules(API), row.route, row.status, {})
      assert.equal("endpoint.checks: " .. row.problem, said)
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
      message:find "^spec/checks/responses_spec.lua:%d+: endpoint.checks: status",
      message
    )
  end)
end)
