-- endpoint.checks: the rules of a document's calls at run time, and tools for language models.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

local load_text = loadstring or load

-- The module of rules that `generate` makes of a document.
local function load_checks(root, options)
  local made = types.generate(root, "api", { checks = true, open = options and options.open })
  local file = made.files[#made.files - 1]
  assert.equal("api-checks.lua", file.name)
  return assert(load_text(file.text, "=" .. file.name))(), file.text
end

local function q(name, schema, more)
  local parameter = { name = name, ["in"] = "query", schema = schema }
  for key, value in pairs(more or {}) do
    parameter[key] = value
  end
  return parameter
end

local function operation(id, parameters, schema, media_type)
  local content = schema and { [media_type or "application/json"] = { schema = schema } }
  return {
    operationId = id,
    parameters = parameters,
    requestBody = content and { content = content, required = true },
  }
end

local TEXT, COUNT = { type = "string" }, { type = "integer", minimum = 1, maximum = 100 }
local function ref(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

local SHOP = {
  openapi = "3.0.3",
  servers = { { url = "https://h.example" } },
  paths = {
    ["/items/{id}"] = {
      get = operation("items/get", {
        q("state", { type = "string", enum = { "open", "closed" } }),
        q("per_page", COUNT),
        q("url", TEXT),
        q("labels", { type = "array", items = TEXT }),
        q(
          "seen",
          { type = "object", properties = { gte = { type = "number" } } },
          { style = "deepObject" }
        ),
        { name = "If-Match", ["in"] = "header", schema = { enum = { "a" } } },
      }),
    },
    ["/items"] = {
      post = operation(
        "items get",
        { q("dry", { type = "boolean", nullable = true }, { required = true }), q("a b", TEXT) },
        ref "Item"
      ),
    },
    ["/pay"] = {
      post = operation(("x"):rep(90), nil, { oneOf = { ref "Card", ref "Bank" } }),
      put = operation(("x"):rep(99), nil, {
        type = "array",
        nullable = true,
        minItems = 1,
        maxItems = 2,
        items = {
          type = "number",
          minimum = 0,
          exclusiveMinimum = true,
          maximum = 9,
          exclusiveMaximum = true,
          multipleOf = 1,
        },
      }),
    },
    ["/form"] = {
      post = {
        requestBody = {
          required = true,
          content = {
            ["application/x-www-form-urlencoded"] = {
              encoding = { tags = { explode = false } },
              schema = {
                type = "object",
                properties = {
                  meta = { type = "object" },
                  tags = { type = "array", items = TEXT, description = "Words" },
                },
              },
            },
          },
        },
      },
    },
    ["/few"] = {
      post = {
        requestBody = {
          content = {
            ["application/json"] = {
              schema = {
                type = "object",
                minProperties = 1,
                properties = { a = { type = "boolean", nullable = true } },
              },
            },
          },
        },
      },
      put = operation(nil, nil, {
        type = "object",
        minProperties = 1,
        maxProperties = 2,
        additionalProperties = true,
        properties = { a = TEXT },
      }),
      get = operation(nil, {
        { name = "N", ["in"] = "header", schema = COUNT },
        q("b", { type = "array", items = TEXT }),
        q("more[]", { type = "object" }, { style = "deepObject" }),
      }),
    },
    ["/o/{a}"] = { get = { operationId = "//" } },
    ["/raw"] = { post = operation(nil, nil, COUNT, "text/plain") },
    ["/x"] = {
      get = operation("x", {
        q("url", TEXT, { required = true }),
        q("at", {
          anyOf = {
            { type = "integer" },
            { type = "array", items = TEXT },
            { type = "object", properties = { gte = { type = "integer" } } },
          },
        }, { style = "deepObject" }),
        q("twice", { anyOf = { { enum = { "a", "b" } }, { enum = { "b", "c", endpoint.null } } } }),
        q("kept", { type = "object" }, { style = "deepObject" }),
        q("short", { type = "string", minLength = 5 }),
        q(
          "size",
          { anyOf = { { type = "string", minLength = 5 }, { type = "string", maxLength = 3 } } }
        ),
        q("same", { anyOf = { { type = "integer" }, { type = "integer", minimum = 2 } } }),
        q(
          "many",
          { enum = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n" } }
        ),
      }),
    },
  },
  components = {
    schemas = {
      Item = {
        type = "object",
        required = { "id", "title", "forgotten" },
        properties = {
          id = { type = "integer", readOnly = true },
          title = { type = "string", minLength = 1, maxLength = 3, nullable = true },
          parts = { type = "array", items = ref "Item" },
          free = { type = "object" },
          map = { type = "object", additionalProperties = { type = "integer" } },
          kin = { type = "object", additionalProperties = ref "Item" },
        },
      },
      Card = {
        type = "object",
        required = { "kind", "number" },
        properties = { kind = { enum = { "card" } }, number = TEXT },
        additionalProperties = false,
      },
      Bank = {
        allOf = {
          { type = "object", properties = { kind = { enum = { "bank" } } } },
          { required = { "iban" }, properties = { iban = TEXT, number = { type = "integer" } } },
        },
      },
    },
  },
}

local GET, POST = "GET /items/{id}{?labels*,params*}", "POST /items{?dry,params*}"

-- route, options, what is said behind the route; nil for a right call
local CALLS = {
  {
    GET,
    {
      id = "1",
      state = "open",
      per_page = 100,
      ["seen[gte]"] = 1.5,
      labels = { "a" },
      params = { url = "u" },
    },
  },
  {
    "\n get  /items/:id ",
    {
      id = "1",
      baseUrl = "https://x",
      mediaType = {},
      request = {},
      headers = { ["if-match"] = "a" },
    },
  },
  { GET, { id = "1", state = endpoint.null, per_page = 5.0 } },
  { GET, { id = "1", per_page = 1 } },
  { { url = "/items/{id}", id = "1" } },
  { { method = "put", url = "/pay", data = { 1 } } },
  { GET, { id = "1", perpage = 1 }, 'no parameter "perpage", is it "per_page"?' },
  { GET, { id = "1", params = { ur = 1 } }, 'no parameter "ur" in "params", is it "url"?' },
  { GET, { id = "1", per_page = "5" }, '"per_page": expected an integer, got a string' },
  { GET, { id = "1", per_page = 1.5 }, '"per_page": expected an integer, got 1.5' },
  { GET, { id = "1", per_page = 101 }, '"per_page": expected at most 100, got 101' },
  { GET, { id = "1", per_page = 0 / 0 }, '"per_page": expected a number, got NaN' },
  { GET, { id = "1", ["seen[gte]"] = 1 / 0 }, '"seen[gte]": expected a number, got ' .. 1 / 0 },
  { GET, { id = "1", headers = { ["If-Match"] = "b" } }, '"If-Match": expected a, got "b"' },
  { GET, { id = endpoint.null }, '"id" is missing' },
  { "POST /pay", { iban = 5 }, '"iban": expected a string, got 5' },
  { GET, { id = "1", data = {} }, 'no parameter "data"' },
  { POST, { dry = true, data = '{"encoded": "already"}' } },
  { GET, 5, "expected a table of options, got a number" },
  { "POST /pay", { kind = "bank", iban = "1", number = 1 } },
  {
    "GET /items/{id}",
    { id = "1", labels = { "a" } },
    'no parameter "labels": the route with it is "' .. GET .. '"',
  },
  {
    POST,
    {
      dry = true,
      title = "Grü",
      parts = { { title = endpoint.null, free = { x = { 2 } }, map = { a = 1 } } },
    },
  },
  {
    POST,
    { dry = true, title = "x", ["a b"] = "u" },
    'no parameter "a b": it goes below "params"',
  },
  { POST, { dry = true }, '"title" is missing' },
  { POST, { title = "x" }, '"dry" is missing' },
  { POST, { dry = true, title = "" }, '"title": expected at least 1 characters, got 0' },
  { POST, { dry = true, title = "Grüß" }, '"title": expected at most 3 characters, got 4' },
  { POST, { dry = true, title = "x", id = 5 }, 'no parameter "id"' },
  {
    POST,
    { dry = true, title = "x", data = { title = "x" } },
    'no parameter "title": the body is "data"',
  },
  { POST, { dry = true, data = {} }, '"title" is missing in "data"' },
  {
    POST,
    {
      dry = true,
      title = "x",
      parts = { { title = "x", parts = { { ["n\n\27" .. ("x"):rep(3000)] = 1 } } } },
    },
    'no parameter "n??' .. ("x"):rep(54) .. '..." in "parts[1].parts[1]"',
  },
  {
    POST,
    { dry = true, title = "x", map = { a = "b" } },
    '"map.a": expected an integer, got a string',
  },
  { "POST /pay", { kind = "cash" }, '"kind": expected card or bank, got "cash"' },
  {
    POST,
    { dry = true, title = "x", map = { a = 1, b = 1, [0.5] = "b" } },
    '"map": expected an object, got a table',
  },
  {
    "POST /pay",
    { kind = "card", number = "1", ibna = "x" },
    'no parameter "ibna", is it "iban"?',
  },
  { "POST /few", {} },
  { "POST /few", { a = true } },
  { "POST /few", { a = endpoint.null } },
  { "POST /few", { a = 5 }, '"a": expected true or false or null, got 5' },
  { "PUT /few", {}, "expected at least 1 names, got 0" },
  { "PUT /few", { a = "x", b = 1 } },
  { "PUT /few", { a = "x", b = 1, c = 1 }, "expected at most 2 names, got 3" },
  { "GET /few", { headers = { n = "5", N = 100, x = 1 }, ["more[0][a]"] = 1 } },
  { "get /o/:a", { a = "1" } },
  { "GET /few", { headers = { n = 101 } }, '"n": expected at most 100, got 101' },
  { "GET /few", { [5] = "x" }, "expected names that are strings, got a number" },
  { "get  /x{?params*}", {}, '"params" is missing' },
  { "PUT /pay", {}, '"data" is missing' },
  { "PUT /pay", { data = { 1, 2 } } },
  { "PUT /pay", { data = function() end } },
  { "GET /x", {}, '"params" is missing: the route is "GET /x{?params*}"' },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, short = "üüü" },
    '"short": expected at least 5 characters, got 3',
  },
  { "PUT /pay", { data = {} }, '"data": expected at least 1 elements, got 0' },
  { "PUT /pay", { data = { 1, 2, 3 } }, '"data": expected at most 2 elements, got 3' },
  { "PUT /pay", { data = { 1, x = 1 } }, '"data": expected a list, got a table' },
  { "PUT /pay", { data = { 0.5 } }, '"data[1]": expected a multiple of 1, got 0.5' },
  { "PUT /pay", { data = { 9 } }, '"data[1]": expected less than 9, got 9' },
  { "PUT /pay", { data = { 0 } }, '"data[1]": expected more than 0, got 0' },
  { "POST /form", { meta = 5 }, '"meta": expected an object or a string, got 5' },
  { "POST /form", { meta = "{}", tags = { "a" } }, '"tags": expected a string, got a list' },
  { "POST /raw", { data = {} }, '"data": expected a string, got a table' },
  { "POST /form", { meta = {}, tags = "a,b" } },
  { "GET /x{?params*}", { params = { url = "u" }, at = 5, ["at[gte]"] = 5, ["kept[a]"] = "b" } },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, size = "four" },
    '"size": expected at least 5 characters, got 4',
  },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, many = "x" },
    '"many": expected a, b, c, d, e, f, g, h, i, j, k, l or one of 2 more, got "x"',
  },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, twice = "x" },
    '"twice": expected a, b, c or null, got "x"',
  },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, same = "x" },
    '"same": expected an integer, got a string',
  },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, ["at[]"] = 5 },
    '"at[]": expected a list, got 5',
  },
  {
    "GET /x{?params*}",
    { params = { url = "u" }, at = { gte = 5 } },
    '"at": expected true or false, a number or a string, got a table',
  },
}

describe("checks:", function()
  local shop = load_checks(SHOP)

  for number, row in ipairs(CALLS) do
    it(("call %d: %s"):format(number, row[3] or "right"), function()
      local ok, problem = pcall(shop.check, row[1], row[2])
      assert.equal(
        row[3],
        not ok and problem:match "^endpoint%.checks: %u+ /%S+: (.*)$" or nil,
        problem
      )
      assert.equal(row[3] == nil, ok, problem)
    end)
  end

  it("proposes the nearest route for an unknown one, and errors have the caller's line", function()
    local ok, problem = pcall(function()
      shop.check("POST /item", {})
    end)
    assert.is_false(ok)
    local words = 'endpoint.checks: no such route: "POST /item", is it "POST /items{?dry,params*}"?'
    assert.truthy(problem:match "^spec/types/checks_spec%.lua:%d+: (.*)" == words, problem)
    for route, said in pairs {
      [" x "] = 'no such route: "GET x"',
      ["\npost \t/ "] = 'no such route: "POST /"',
      ["  "] = 'no such route: "GET "',
      [5] = "expected a route, got a number",
    } do
      problem = select(2, pcall(shop.check, route))
      assert.truthy(problem:find(said, 1, true), problem)
    end
  end)

  it("a value in an error is cut behind a character, at 60 bytes", function()
    local shown, kind_of, x =
      require "endpoint.checks.errors".shown,
      require "endpoint.checks.errors".kind_of,
      ("x"):rep(56)
    for written, expected in pairs {
      [x .. "xxxx"] = x .. "xxxx",
      [x .. "xxxxx"] = x .. "x...",
      [x .. "éxxx"] = x .. "...",
      ["é" .. x:sub(2) .. "xxxx"] = "é" .. x:sub(2) .. "...",
    } do
      assert.equal('"' .. expected .. '"', shown(written))
    end
    assert.same(
      { "null", "a table", "a list", "a table" },
      { kind_of(endpoint.null), kind_of {}, kind_of { 1 }, kind_of { a = 1 } }
    )
  end)

  it("of the problems of several schemas the most telling is told", function()
    local a = { type = "object", properties = { a = TEXT }, additionalProperties = false }
    local list = { type = "array", properties = { b = {} }, items = { ref = 1 }, minItems = 1 }
    local own =
      { schemas = { list, { anyOf = { { ref = 2 } } }, { type = "object", minProperties = 1 } } }
    local twice, many, nested, key = { k = 1 }, {}, {}, 0.5
    for i = 1, 60 do
      many["k" .. i] = i
    end
    repeat -- until next gives another key first
      many[key], many[key + 1], key = nil, 1, key + 1
    until type((next(many))) == "string"
    for _ = 2, 200 do
      nested = { nested }
    end
    own.schemas[4], own.schemas[5] =
      { type = "array", items = { ref = 4 } }, { type = "array", items = { ref = 3 } }
    for number, row in ipairs {
      { { anyOf = { a, list } }, { b = 1 }, 'no parameter "b"' },
      { { anyOf = { list, a } }, { c = 1 }, 'no parameter "c"' },
      {
        { anyOf = { a, { enum = { "x" }, properties = { b = {} } } } },
        { b = 1 },
        "expected x, got a table",
      },
      { { anyOf = { { enum = { "x" } }, { type = "integer" } } }, 1.5, "expected x, got 1.5" },
      {
        { anyOf = { { enum = { "x" } }, { minLength = 9 } } },
        "y",
        "expected at least 9 characters, got 1",
      },
      {
        {
          anyOf = {
            { enum = { "x" } },
            { type = "object", properties = { k = { type = "integer" } } },
          },
        },
        { k = "x" },
        '"k": expected an integer, got a string',
      },
      { { ref = 2 }, {}, "holds itself" },
      { { ref = 5 }, { twice, twice } },
      { { type = { "array", "null" }, minItems = 1 }, {}, "expected at least 1 elements, got 0" },
      { { type = { "array", "object" }, minItems = 1 }, {} },
      { { type = { "object", "boolean" } }, true },
      { { properties = {} }, many, "expected an object, got a table" },
      { { ref = 4 }, nested },
      { { ref = 4 }, { nested }, '"' .. ("[1]"):rep(19) .. '...": nested too deep' },
    } do
      local found = require "endpoint.checks.value".problem(own, row[1], row[2])
      assert.equal(row[3], found and require "endpoint.checks.errors".sentence(found), number)
    end
  end)

  it("schemas that stand in each other for one value may be too deep, never the stack", function()
    local node = { type = "string" }
    for _ = 1, 50000 do
      node = { allOf = { node } }
    end
    for _, given in ipairs { "x", 5, true } do
      local found = require "endpoint.checks.value".problem({ schemas = {} }, node, given)
      assert.equal("nested too deep", found and found.words)
    end
  end)

  it("a name may be a word of Lua", function()
    local parameters, options = {}, {}
    for word in
      (
        "and break do else elseif end false for function goto if in local nil not or repeat "
        .. "return then true "
        .. "until while"
      ):gmatch "%a+"
    do
      parameters[#parameters + 1], options[word] = q(word, TEXT), "x"
    end
    load_checks({
      openapi = "3.0.3",
      paths = { ["/x"] = { get = operation("x", parameters) } },
    }).check("GET /x", options)
  end)

  it("a file of another version is refused", function()
    local _, problem = pcall(require "endpoint.checks".new, { format = 0, name = "x-checks" })
    assert.equal(
      "endpoint.checks: x-checks is of another version: make it again with endpoint-types",
      problem
    )
  end)

  it("--open lets any name pass, and no value of a wrong type", function()
    local open = load_checks(SHOP, { open = true })
    open.check(GET, { id = "1", perpage = 1 })
    local part = { title = "x", forgotten = 1, x = 1 }
    open.check(POST, { dry = true, title = "x", titel = "x", forgotten = 1, parts = { part } })
    assert.is_false((pcall(open.check, POST, { dry = true, title = 5 })))
    assert.is_nil((open.call(error, "items_get_2", { id = "1", baseUrl = "https://evil.example" })))
  end)
end)

describe("tools:", function()
  local shop = load_checks(SHOP)
  local sent
  local function send(route, options)
    sent = { route, options }
    return "answer"
  end

  -- The options of a call whose body is JSON.
  local function json_call(options, body)
    options.data = body
    options.headers = { ["content-type"] = "application/json; charset=utf-8" }
    return options
  end

  it("have names of their own that services allow, whatever is chosen", function()
    local names = {}
    for _, tool in ipairs(shop.tools()) do
      assert.truthy(
        tool.name:find "^[%w_-]+$" and #tool.name <= 64 and not names[tool.name],
        tool.name
      )
      names[tool.name] = true
      for name in pairs(tool.parameters.properties) do
        assert.truthy(name:find "^[%w_-]+$", name)
      end
    end
    for asked, name in pairs {
      ["items get"] = "items_get",
      ["items/get"] = "items_get_2",
      items_get_2 = "items_get_2",
      ["//"] = "_",
      [GET] = "items_get_2",
      ["POST /items"] = "items_get",
      ["GET /few"] = "GET_few",
    } do
      assert.equal(name, shop.tools({ asked })[1].name)
    end
    local _, problem = pcall(shop.tools, "GET /x")
    assert.truthy(
      problem:find("tools: expected a list of operations, got a string", 1, true),
      problem
    )
    _, problem = pcall(function()
      shop.tools { "items/gte" }
    end)
    assert.truthy(problem:find "^spec/types/checks_spec%.lua:", problem)
    assert.truthy(
      problem:find('tools: no such operation: "items/gte", is it "items/get"?', 1, true),
      problem
    )
  end)

  it("are JSON Schema, and new tables", function()
    local tool = shop.tools({ POST })[1]
    local item = [["title": { "type": ["null", "string"], "minLength": 1, "maxLength": 3 },
      "parts": { "type": "array", "items": { "$ref": "#/$defs/3" } }, "free": { "type": "object" },
      "map": { "type": "object", "additionalProperties": { "type": "integer" } },
      "kin": { "type": "object", "additionalProperties": { "$ref": "#/$defs/3" } } }]]
    local closed = '{ "type": "object", "additionalProperties": false, "required": '
    local first =
      '["dry", "title"], "properties": { "dry": { "type": "boolean" }, "a_b": { "type": "string" },'
    assert.same(
      json.decode(
        closed
          .. first
          .. item
          .. ', "$defs": { "3": '
          .. closed
          .. '["title"], "properties": { '
          .. item
          .. "} } }"
      ),
      tool.parameters
    )
    local numbers = { type = "number", exclusiveMinimum = 0, exclusiveMaximum = 9, multipleOf = 1 }
    assert.same(
      { type = { "array", "null" }, minItems = 1, maxItems = 2, items = numbers },
      shop.tools({ "PUT /pay" })[1].parameters.properties.data
    )
    local few = shop.tools({ "PUT /few" })[1].parameters.properties.data
    assert.same({ 1, 2 }, { few.minProperties, few.maxProperties })
    assert.equal(100, shop.tools({ GET })[1].parameters.properties.per_page.maximum)
    assert.same(
      { POST, "object" },
      { tool.description, getmetatable(tool.parameters.properties).__jsontype }
    )
    tool.parameters.required[1] = nil
    assert.equal("dry", shop.tools({ POST })[1].parameters.required[1])
  end)

  it("are called with the options that the route has", function()
    local arguments = { id = "1", url = "u", seen_gte = 5, labels = json.null }
    assert.equal("answer", (shop.call(send, "items_get_2", arguments)))
    assert.same({ GET, { id = "1", ["seen[gte]"] = 5, params = { url = "u" } } }, sent)
    assert.equal("answer", (shop.call(send, "items_get", { dry = true, title = json.null })))
    assert.same({ POST, json_call({ dry = true }, '{"title":null}') }, sent)
    shop.call(send, ("x"):rep(62) .. "_2", { data = { 1 } })
    assert.same({ "PUT /pay", json_call({}, "[1]") }, sent)
    assert.same(
      { "answer", "answer" },
      { (shop.call(send, "POST_few")), (shop.call(send, "POST_few", json.null)) }
    )
    local _, problem = shop.call(send, "items_get_2", { id = json.null })
    assert.equal('items_get_2: "id": expected a string, got null', problem)
  end)

  it("leave no name of an option to arguments that the document does not name", function()
    local object = {
      type = "object",
      properties = { ["_a.b"] = TEXT },
      additionalProperties = true,
      minProperties = 1,
    }
    local made = load_checks {
      openapi = "3.0.3",
      paths = {
        ["/x"] = {
          post = operation("x", { q("url", TEXT) }, object),
          put = operation("y", nil, {
            type = "object",
            properties = {
              ["_a.b"] = TEXT,
              ["a.b"] = TEXT,
              _c = TEXT,
              d = { type = "string", nullable = true },
            },
            additionalProperties = true,
          }),
        },
      },
    }
    made.call(send, "y", { a_b = "1", a_b_2 = "2", _c = json.null, d = json.null, free = true })
    local body = '{"_a.b":"1","a.b":"2","d":null,"free":true}'
    assert.same({ "PUT /x", json_call({}, body) }, sent)
    for name, arguments in pairs { x = { params = { a = 1 } }, y = { ["_a.b"] = 5 } } do
      assert.is_nil((made.call(error, name, arguments)))
    end
    for _, name in ipairs {
      "method",
      "url",
      "baseUrl",
      "headers",
      "mediaType",
      "data",
      "request",
    } do
      assert.is_nil((made.call(error, "y", { [name] = "x" })))
    end
    local _, problem = pcall(made.check, "POST /x{?params*}", { data = {} })
    assert.truthy(problem:find('"data": expected at least 1 names, got 0', 1, true), problem)
    assert.same({ "data", "url" }, support.keys(made.tools({ "x" })[1].parameters.properties))
  end)

  it("give a sentence for the model where its call is wrong", function()
    for name, row in pairs {
      items_gte = { {}, 'no such function: "items_gte", is it "items_get"?' },
      items_get_2 = {
        { id = "1", baseUrl = "https://evil.example" },
        'items_get_2: no parameter "baseUrl"',
      },
      items_get = { { 1 }, "items_get: expected an object of arguments" },
      x = { { url = "u", stray = 1 }, 'x: no parameter "stray"' },
    } do
      assert.same({ nil, row[2] }, { shop.call(error, name, row[1]) })
    end
    for _, raised in ipairs {
      { message = "GET /x: the server answers 404" },
      'file.lua:1: endpoint: parameter "id" is empty',
      "file.lua:1: endpoint.checks: no",
    } do
      local _, problem = shop.call(function()
        error(raised, 0)
      end, "items_get_2", { id = "1" })
      assert.truthy(problem:find '^items_get_2: [G"n]', problem)
    end
    for _, raised in ipairs { "a bug", { message = 5 } } do
      local _, bug = pcall(shop.call, function()
        error(raised, 0)
      end, "items_get_2", { id = "1" })
      assert.equal(raised, bug)
    end
  end)
end)

local function body(schema, schemas)
  return {
    openapi = "3.1.0",
    paths = { ["/x"] = { post = operation("x", nil, schema) } },
    components = { schemas = schemas },
  }
end

it(
  "checks: schemas that must hold together are all asked, and the narrowest limit holds",
  function()
    local either = { anyOf = { TEXT, { type = "integer" } } }
    local made = load_checks(body {
      type = "object",
      properties = {
        n = { allOf = { { type = "integer", maximum = 5 }, { maximum = 9 } } },
        l = { type = "array", minItems = 2 },
        e = { allOf = { either, { anyOf = { TEXT, COUNT } } } },
      },
    })
    made.check("POST /x", { n = 5, l = { 1, 2 }, e = 100 })
    assert.equal(1, #made.tools()[1].parameters.properties.e.allOf)
    for name, value in pairs { n = 6, l = { 1 }, e = 101 } do
      assert.is_false((pcall(made.check, "POST /x", { [name] = value })), name)
    end
  end
)

describe("checks: hostile", function()
  it("lists of tools have an end", function()
    local listing, paths = require "endpoint.checks.tools.list", {}
    for number = 1, 10 do
      paths["/" .. number] = { post = operation("x", nil, { type = "array", items = TEXT }) }
    end
    local made, former = load_checks { openapi = "3.1.0", paths = paths }, listing.MOST_NODES
    listing.MOST_NODES = 29
    local _, problem = pcall(made.tools)
    listing.MOST_NODES = 30
    local list = made.tools()
    listing.MOST_NODES = former
    assert.truthy(problem:find("too large: name the operations", 1, true), problem)
    assert.same({ 10, 500000 }, { #list, former })
  end)

  it("a schema that stands in two places is written once, unless it is small", function()
    local list = { type = "array", items = COUNT, description = "L" }
    for number, row in ipairs {
      { 0, COUNT },
      { 0, { enum = { 1, 2, 3, 4, 5, 6, 7, 8 } } },
      { 1, { enum = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } } },
      { 1, list },
      { 1, { anyOf = { TEXT, COUNT } } },
      { 1, { properties = { a = TEXT } } },
      { 1, { type = "object", additionalProperties = TEXT } },
    } do
      local _, text = load_checks(body { properties = { a = row[2], b = row[2] } })
      assert.equal(row[1], select(2, text:gsub("\nS%[", "")), number)
    end
    local parameters = { q("a", list, { description = "D" }), q("b", list, { description = "L" }) }
    local _, text =
      load_checks { openapi = "3.1.0", paths = { ["/x"] = { get = operation("x", parameters) } } }
    assert.truthy(text:find('a={ref=1,description="D"},b={ref=1}', 1, true), text)
  end)

  it("nesting is followed as deep as it is", function()
    for levels, shared in pairs { [141] = 10, [142] = 11 } do -- a constructor has 13 levels
      local schema, value = { type = "integer" }, "no integer"
      for _ = 1, levels do
        schema, value = { type = "object", properties = { a = schema } }, { a = value }
      end
      local deep, text = load_checks(body(schema))
      assert.truthy(select(2, pcall(deep.check, "POST /x", value)):find("a.a.", 1, true))
      assert.equal(shared, select(2, text:gsub("\nS%[", "")))
    end
    local list = TEXT
    for _ = 1, 5000 do
      list = { allOf = { { type = "array", items = list } } }
    end
    assert.equal(1, #load_checks(body(list)).tools())
  end)

  it("values cost no more than they are large", function()
    local any = {
      anyOf = { ref "A", ref "B", { type = "object", properties = { a = ref "A", b = ref "B" } } },
    }
    local made = load_checks(
      body(ref "A", { A = any, B = { anyOf = { ref "A", any.anyOf[3], { allOf = { ref "A" } } } } })
    )
    local deep, ring = 5, {}
    for _ = 1, 60 do
      deep = { a = deep, b = deep }
    end
    ring.a = ring
    for _, value in ipairs { deep, ring } do
      assert.is_false((pcall(made.check, "POST /x", { data = value })))
    end
    for _ = 1, 100000 do
      deep = { a = deep }
    end
    local _, problem = pcall(made.check, "POST /x", { data = deep })
    assert.is_true(#problem < 500 and problem:find "too deep" ~= nil, problem)
  end)
end)
