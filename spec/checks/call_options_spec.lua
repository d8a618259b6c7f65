-- What rules.check says of a call beside its first mistake: all of them; a body that was decoded;
-- an empty body; and lists that are given as one string.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local request = require "endpoint.request"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT, INTEGER = { type = "string" }, { type = "integer" }
local NUMBERS = { type = "array", items = INTEGER }

local function query(name, schema, style, is_required)
  local parameter = { name = name, ["in"] = "query", schema = schema, required = is_required }
  parameter.style, parameter.explode = style, style and false or nil
  return parameter
end

local function body(schema, is_required)
  return { required = is_required, content = { ["application/json"] = { schema = schema } } }
end

local function header(name, schema)
  return { name = name, ["in"] = "header", schema = schema }
end

local ITEM = { type = "object", properties = { name = TEXT, size = INTEGER } }
local NAMED = { type = "object", required = { "name" }, properties = { name = TEXT } }

local function load_rules()
  local made = types.generate({
    openapi = "3.1.0",
    paths = {
      ["/items"] = {
        get = {
          parameters = {
            query("q", TEXT, nil, true),
            query("page", INTEGER),
            query("pipes", NUMBERS, "pipeDelimited"),
            query("spaces", NUMBERS, "spaceDelimited"),
            query("url", NUMBERS, "pipeDelimited"),
          },
        },
        post = { requestBody = body(ITEM, true) },
        put = { requestBody = body(ITEM) },
        patch = { parameters = { query("page", INTEGER) }, requestBody = body(NAMED, true) },
      },
      ["/headers"] = {
        get = {
          parameters = {
            header("x-text", { type = "string", pattern = "^[a-f]+$", minLength = 2 }),
            header("x-count", { type = "integer", maximum = 5 }),
            header("x-enum", { type = "integer", enum = { 1, 2 } }),
            header("x-flag", { type = "boolean" }),
            header("x-list", { type = "array", items = INTEGER, maxItems = 2 }),
            {
              name = "x-json",
              ["in"] = "header",
              content = { ["application/json"] = { schema = NAMED } },
            },
          },
        },
      },
      ["/empty"] = {
        get = {
          parameters = {
            query("size", INTEGER),
            { name = "page", ["in"] = "query", schema = INTEGER, allowEmptyValue = true },
          },
        },
      },
      ["/caf\195\169/a b/{id}|x"] = { get = {} },
      ["/joined"] = { get = { parameters = { header("x-list", NUMBERS) } } },
      ["/lists"] = { post = { requestBody = body(NUMBERS, true) } },
      ["/texts"] = { post = { requestBody = body(TEXT, true) } },
    },
  }, "api", { checks = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local rules = load_rules()
local EMPTY = '"data" is missing: the body is required, data = {} sends an empty one'

-- route; options; how; what is said after the route, nil for nothing
local ROWS = {
  -- An empty body.
  { "POST /items", {}, nil, EMPTY },
  { "POST /items", nil, nil, EMPTY },
  { "POST /items", { data = {} } },
  { "POST /items", { name = "x" } },
  { "POST /items", { data = endpoint.null }, nil, EMPTY },
  { "PUT /items", {} },
  { "PATCH /items{?page}", {}, nil, '"name" is missing' },
  { "POST /lists", {}, nil, '"data" is missing' },
  { "POST /lists", { data = {} } },
  -- A body that was decoded.
  { "POST /items", { data = "any" } },
  {
    "POST /items",
    { data = "any" },
    { decoded = true },
    '"data": expected an object, got a string',
  },
  { "POST /lists", { data = "any" }, { decoded = true }, '"data": expected a list, got a string' },
  { "POST /texts", { data = "any" }, { decoded = true } },
  {
    "POST /items",
    { data = print },
    { decoded = true },
    '"data": expected an object, got a function',
  },
  -- A text that may be empty.
  { "GET /empty", { page = "" } },
  { "GET /empty", { page = "" }, { all = true } },
  { "GET /empty", { page = "x" }, nil, '"page": expected an integer, got a string' },
  { "GET /empty", { size = "" }, nil, '"size": expected an integer, got a string' },
  -- All mistakes.
  {
    "PATCH /items{?page}",
    { page = "x", name = 5, zzz = 1 },
    { all = true },
    '"page": expected an integer, got a string; "name": expected a string, got 5; '
      .. 'no parameter "zzz"',
  },
  {
    "PATCH /items{?page}",
    { data = { name = 5, zzz = 1 }, page = "x" },
    { all = true },
    '"data.name": expected a string, got 5; no parameter "zzz" in "data"; '
      .. '"page": expected an integer, got a string',
  },
  { "PATCH /items{?page}", { name = "x" }, { all = true } },
  {
    "POST /lists",
    { data = { 1, "a", 2, "b" } },
    { all = true },
    '"data[2]": expected an integer, got a string; "data[4]": expected an integer, got a string',
  },
  { "POST /items", {}, { all = true }, EMPTY },
  {
    "POST /items",
    { [1] = "x", size = "y" },
    { all = true },
    'expected names that are strings, got a number; "size": expected an integer, got a string',
  },
}

describe("rules.check of", function()
  for position, row in ipairs(ROWS) do
    it(("%s, row %d, %s"):format(row[1], position, row[4] and "raises" or "is content"), function()
      local ok, said = pcall(rules.check, row[1], row[2], nil, row[3])
      assert.equal(
        row[4] and row[1] .. ": " .. row[4] or nil,
        not ok and said:match "checks: (.*)$" or nil
      )
    end)
  end

  -- the endpoint; how; what is said
  for _, row in ipairs {
    { nil, 5, "expected a table of options, got a number" },
    { nil, { al = true }, 'there is no option "al", is it "all"?' },
    { nil, { all = 5 }, "all: expected a boolean, got a number" },
    { nil, { decoded = "yes" }, "decoded: expected a boolean, got a string" },
    { { q = "x" }, nil, "expected an endpoint, got a table" },
    { 5, { all = true }, "expected an endpoint, got a number" },
  } do
    it("a right call raises where the rest is wrong: " .. row[3], function()
      local ok, said = pcall(rules.check, "GET /items", { q = "x" }, row[1], row[2])
      assert.is_false(ok)
      assert.equal("check: " .. row[3], said:match "endpoint.checks: (.*)$")
    end)
  end

  it("an empty body takes the endpoint's defaults for one", function()
    local api = endpoint.defaults { baseUrl = "https://h.example", name = "x" }
    assert.is_true((pcall(rules.check, "POST /items", {}, api)))
    local bare = endpoint.defaults { baseUrl = "https://h.example" }
    assert.is_false((pcall(rules.check, "POST /items", {}, bare)))
  end)

  local NULL = endpoint.null
  -- name, value, and what is wrong with it.
  for position, row in ipairs {
    { "X-Text", " ab " },
    { "x-text", "a", '"x-text": expected at least 2 characters, got 1' },
    { "x-text", "xyz", "pattern" },
    { "x-count", "5" },
    { "x-count", 5 },
    { "x-count", "6", "expected at most 5, got 6" },
    { "x-count", 6, "expected at most 5, got 6" },
    { "x-count", "five", "expected an integer" },
    { "x-count", 2 ^ 60, "expected at most 5" },
    { "x-count", 0 / 0, "expected an integer, got NaN" },
    { "x-count", print, "expected an integer" },
    { "x-count", { print }, "expected an integer" },
    { "x-count", NULL },
    { "x-enum", "1" },
    { "x-enum", "3", "expected 1 or 2, got 3" },
    { "x-flag", "true" },
    { "x-flag", true },
    { "x-flag", "1", "expected true or false" },
    { "x-list", "1, 2" },
    { "x-list", { "1", "2" } },
    { "x-list", "1,x", '"x-list[2]": expected an integer' },
    { "x-list", { "1", "2", "3" }, "expected at most 2 elements, got 3" },
    { "x-json", '{"name":"a"}' },
    { "x-json", "{}", '"name" is missing' },
    { "x-json", "name", '"x-json": expected JSON' },
  } do
    local title = ("the header %s, row %d, %s"):format(row[1], position, row[3] or "is content")
    it(title, function()
      for _, how in ipairs { {}, { all = true } } do
        local options = { headers = { [row[1]] = row[2] } }
        local ok, said = pcall(rules.check, "GET /headers", options, nil, how)
        local found = not ok and said:find(row[3] or "?", 1, true)
        assert.is_true(row[3] == nil and ok or found and true or false, said)
      end
    end)
  end

  for _, route in ipairs {
    "GET /caf\195\169/a b/{id}|x",
    "GET /caf%C3%A9/a%20b/:id%7Cx",
    "get  /caf\195\169/a%20b/:id|x",
  } do
    it("a route as the document and as the rules write it: " .. route, function()
      rules.check(route, { id = "1" })
      local api = endpoint.defaults { baseUrl = "https://h.example" }
      assert.equal("https://h.example/caf%C3%A9/a%20b/1%7Cx", api(route, { id = "1" }).url)
    end)
  end

  it("the one header that an operation has, a list as a string", function()
    local list = { headers = { ["x-list"] = "1,x" } }
    local ok, said = pcall(rules.check, "GET /joined", list)
    assert.is_false(ok)
    assert.truthy(said:find('"x-list[2]": expected an integer', 1, true), said)
  end)

  for position, row in ipairs {
    { { method = "POST" }, "/items", { name = "x" } },
    { { method = "POST" }, { url = "/items", name = "x" } },
    { { method = "POST" }, "/items", { q = "x" }, 'POST /items: no parameter "q"' },
    { { method = "POST" }, "/items", { q = "x", method = NULL } },
    { { method = "POST" }, "GET /items", { q = "x" } },
    { { method = "POST", url = "/items" }, nil, { name = "x" } },
    { { method = "POST", url = "/items" }, { name = "x" } },
    { { method = "POST", url = "/items" }, { url = "/lists" }, nil, '"data" is missing' },
    { { url = "/items" }, nil, nil, '"q" is missing' },
    { {}, nil, { url = "/items", q = "x" } },
    { {}, nil, { url = "/items", p = "x" }, 'no parameter "p"' },
    { {}, nil, { url = NULL, q = "x" }, "expected a route" },
    { { q = "x" }, "GET /items", {} },
    { { q = "x" }, "GET /items", { q = NULL }, '"q" is missing' },
    { { params = { q = "x" } }, "GET /items{?params*}", {} },
    { { params = { q = "x" } }, "GET /items{?params*}", { params = NULL }, '"q" is missing' },
    { { data = { name = "x" } }, "POST /items", {} },
    { { data = { name = "x" } }, "PATCH /items", {} },
    { { data = { 1 } }, "POST /lists", {} },
    { { data = { 1 } }, "POST /lists", { data = NULL }, '"data" is missing' },
  } do
    local title = ("a call with defaults, row %d, %s"):format(position, row[4] or "is content")
    it(title, function()
      row[1].baseUrl = "https://h.example"
      local api = endpoint.defaults(row[1])
      for _, how in ipairs { {}, { all = true } } do
        local ok, said = pcall(rules.check, row[2], row[3], api, how)
        local found = not ok and said:find(row[4] or "?", 1, true)
        assert.is_true(row[4] == nil and ok or found and true or false, said)
      end
    end)
  end

  it("each page of a call that is a table", function()
    local api = endpoint.defaults { baseUrl = "https://h.example" }
    local send = request.new(api, {
      check = rules.check,
      client = function()
        return 200, { ["content-type"] = "application/json" }, '["a"]'
      end,
    })
    assert.equal("a", send.each { url = "/items", q = "x" }())
    assert.is_false((pcall(send.each { url = "/items" })))
  end)

  it("an empty body is sent alike by a program and by a model", function()
    local bodies = {}
    local api = endpoint.defaults { baseUrl = "https://h.example" }
    local send = request.new(api, {
      check = rules.check,
      client = function(r, settings)
        local is_text = type(r.body) == "string"
        bodies[#bodies + 1] = is_text and r.body or settings.encode(r.body)
        return 200, {}, ""
      end,
    })
    send("POST /items", { data = {} })
    local name
    for _, tool in ipairs((rules.tools())) do
      name = tool.description:find("POST /items", 1, true) and tool.name or name
    end
    rules.call(send, name or "post_items", {})
    assert.same({ "{}", "{}" }, bodies)
  end)

  for _, row in ipairs {
    { "pipes", "1|2", true },
    { "pipes", "1|x" },
    { "pipes", "1|2|" },
    { "spaces", "1 2", true },
    { "spaces", "1 x" },
    { "spaces", "1|2" },
  } do
    it(("%s = %q is %s"):format(row[1], row[2], row[3] and "right" or "wrong"), function()
      local route = "GET /items{?params*}"
      local ok, said = pcall(rules.check, route, { q = "x", [row[1]] = row[2] })
      assert.equal(row[3] == true, ok, said)
      if not ok then
        assert.truthy(said:find('"' .. row[1] .. "[", 1, true), said)
      end
    end)
  end

  it("a joined list in the map of the query is checked", function()
    local route = "GET /items{?params*}"
    local ok, said = pcall(rules.check, route, { q = "x", params = { url = "1|y" } })
    assert.is_false(ok)
    assert.truthy(said:find("[2]", 1, true), said)
  end)
end)
