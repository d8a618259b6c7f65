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
        required = { "id", "title" },
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

-- Calls. problem: what is said after the route; nil for a right call.
local CALLS = {
  {
    route = GET,
    options = {
      id = "1",
      state = "open",
      per_page = 100,
      ["seen[gte]"] = 1.5,
      labels = { "a" },
      params = { url = "u" },
    },
  },
  {
    route = "\n get  /items/:id ",
    options = {
      id = "1",
      baseUrl = "https://x",
      mediaType = {},
      request = {},
      headers = { ["if-match"] = "a" },
    },
  },
  { route = GET, options = { id = "1", state = endpoint.null, per_page = 5.0 } },
  { route = GET, options = { id = "1", per_page = 1 } },
  { route = { url = "/items/{id}", id = "1" } },
  { route = { method = "put", url = "/pay", data = { 1 } } },
  {
    route = GET,
    options = { id = "1", perpage = 1 },
    problem = 'no parameter "perpage", is it "per_page"?',
  },
  {
    route = GET,
    options = { id = "1", params = { ur = 1 } },
    problem = 'no parameter "ur" in "params", is it "url"?',
  },
  {
    route = GET,
    options = { id = "1", per_page = "5" },
    problem = '"per_page": expected an integer, got a string',
  },
  {
    route = GET,
    options = { id = "1", per_page = 1.5 },
    problem = '"per_page": expected an integer, got 1.5',
  },
  {
    route = GET,
    options = { id = "1", per_page = 101 },
    problem = '"per_page": expected at most 100, got 101',
  },
  {
    route = GET,
    options = { id = "1", per_page = 0 / 0 },
    problem = '"per_page": expected an integer, got NaN',
  },
  {
    route = GET,
    options = { id = "1", ["seen[gte]"] = 1 / 0 },
    problem = '"seen[gte]": expected a number, got ' .. 1 / 0,
  },
  {
    route = GET,
    options = { id = "1", headers = { ["If-Match"] = "b" } },
    problem = '"If-Match": expected a, got "b"',
  },
  { route = GET, options = { id = endpoint.null }, problem = '"id" is missing' },
  { route = "POST /pay", options = { iban = 5 }, problem = '"iban": expected a string, got 5' },
  { route = GET, options = { id = "1", data = {} }, problem = 'no parameter "data"' },
  { route = POST, options = { dry = true, data = '{"encoded": "already"}' } },
  { route = GET, options = 5, problem = "expected a table of options, got a number" },
  { route = "POST /pay", options = { kind = "bank", iban = "1", number = 1 } },
  {
    route = "GET /items/{id}",
    options = { id = "1", labels = { "a" } },
    problem = 'no parameter "labels": the route with it is "' .. GET .. '"',
  },
  {
    route = POST,
    options = {
      dry = true,
      title = "Grü",
      parts = { { title = endpoint.null, free = { x = { 2 } }, map = { a = 1 } } },
    },
  },
  {
    route = POST,
    options = { dry = true, title = "x", ["a b"] = "u" },
    problem = 'no parameter "a b": it goes below "params"',
  },
  { route = POST, options = { dry = true }, problem = '"title" is missing' },
  { route = POST, options = { title = "x" }, problem = '"dry" is missing' },
  {
    route = POST,
    options = { dry = true, title = "" },
    problem = '"title": expected at least 1 characters, got 0',
  },
  {
    route = POST,
    options = { dry = true, title = "Grüß" },
    problem = '"title": expected at most 3 characters, got 4',
  },
  { route = POST, options = { dry = true, title = "x", id = 5 }, problem = 'no parameter "id"' },
  {
    route = POST,
    options = { dry = true, title = "x", data = { title = "x" } },
    problem = 'no parameter "title": the body is "data"',
  },
  { route = POST, options = { dry = true, data = {} }, problem = '"title" is missing in "data"' },
  {
    route = POST,
    options = {
      dry = true,
      title = "x",
      parts = { { title = "x", parts = { { ["n\n\27" .. ("x"):rep(3000)] = 1 } } } },
    },
    problem = 'no parameter "n??' .. ("x"):rep(54) .. '..." in "parts[1].parts[1]"',
  },
  {
    route = POST,
    options = { dry = true, title = "x", map = { a = "b" } },
    problem = '"map.a": expected an integer, got a string',
  },
  {
    route = "POST /pay",
    options = { kind = "cash" },
    problem = '"kind": expected card or bank, got "cash"',
  },
  {
    route = POST,
    options = { dry = true, title = "x", map = { a = 1, b = 1, [0.5] = "b" } },
    problem = '"map": expected an object, got a table',
  },
  {
    route = "POST /pay",
    options = { kind = "card", number = "1", ibna = "x" },
    problem = 'no parameter "ibna", is it "iban"?',
  },
  { route = "POST /few", options = {} },
  { route = "POST /few", options = { a = true } },
  { route = "POST /few", options = { a = endpoint.null } },
  {
    route = "POST /few",
    options = { a = 5 },
    problem = '"a": expected true or false or null, got 5',
  },
  { route = "PUT /few", options = {}, problem = "expected at least 1 names, got 0" },
  { route = "PUT /few", options = { a = "x", b = 1 } },
  {
    route = "PUT /few",
    options = { a = "x", b = 1, c = 1 },
    problem = "expected at most 2 names, got 3",
  },
  { route = "GET /few", options = { headers = { n = "5", N = 100, x = 1 }, ["more[0][a]"] = 1 } },
  { route = "get /o/:a", options = { a = "1" } },
  {
    route = "GET /few",
    options = { headers = { n = 101 } },
    problem = '"n": expected at most 100, got 101',
  },
  {
    route = "GET /few",
    options = { [5] = "x" },
    problem = "expected names that are strings, got a number",
  },
  { route = "get  /x{?params*}", options = {}, problem = '"params" is missing' },
  { route = "PUT /pay", options = {}, problem = '"data" is missing' },
  { route = "PUT /pay", options = { data = { 1, 2 } } },
  { route = "PUT /pay", options = { data = function() end } },
  {
    route = "GET /x",
    options = {},
    problem = '"params" is missing: the route is "GET /x{?params*}"',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, short = "üüü" },
    problem = '"short": expected at least 5 characters, got 3',
  },
  {
    route = "PUT /pay",
    options = { data = {} },
    problem = '"data": expected at least 1 elements, got 0',
  },
  {
    route = "PUT /pay",
    options = { data = { 1, 2, 3 } },
    problem = '"data": expected at most 2 elements, got 3',
  },
  {
    route = "PUT /pay",
    options = { data = { 1, x = 1 } },
    problem = '"data": expected a list, got a table',
  },
  {
    route = "PUT /pay",
    options = { data = { 0.5 } },
    problem = '"data[1]": expected a multiple of 1, got 0.5',
  },
  {
    route = "PUT /pay",
    options = { data = { 9 } },
    problem = '"data[1]": expected less than 9, got 9',
  },
  {
    route = "PUT /pay",
    options = { data = { 0 } },
    problem = '"data[1]": expected more than 0, got 0',
  },
  {
    route = "POST /form",
    options = { meta = 5 },
    problem = '"meta": expected an object or a string, got 5',
  },
  {
    route = "POST /form",
    options = { meta = "{}", tags = { "a" } },
    problem = '"tags": expected a string, got a list',
  },
  {
    route = "POST /raw",
    options = { data = {} },
    problem = '"data": expected a string, got a table',
  },
  { route = "POST /form", options = { meta = {}, tags = "a,b" } },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, at = 5, ["at[gte]"] = 5, ["kept[a]"] = "b" },
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, size = "four" },
    problem = '"size": expected at least 5 characters, got 4',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, many = "x" },
    problem = '"many": expected a, b, c, d, e, f, g, h, i, j, k, l or one of 2 more, got "x"',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, twice = "x" },
    problem = '"twice": expected a, b, c or null, got "x"',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, same = "x" },
    problem = '"same": expected an integer, got a string',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, ["at[]"] = 5 },
    problem = '"at[]": expected a list, got 5',
  },
  {
    route = "GET /x{?params*}",
    options = { params = { url = "u" }, at = { gte = 5 } },
    problem = '"at": expected true or false, a number or a string, got a table',
  },
}

local function has_function(options)
  return type(options) == "table" and type(options.data) == "function"
end

local function title_of(row)
  local shown = has_function(row.options) and "data that are a function"
    or support.shown(row.options)
  return support.shown(row.route) .. " with " .. shown
end

describe("checks:", function()
  local shop = load_checks(SHOP)

  for _, row in ipairs(CALLS) do
    if row.problem then
      it(("refuse %s: %s"):format(title_of(row), row.problem), function()
        local ok, problem = pcall(shop.check, row.route, row.options)
        assert.is_false(ok, "the call passes")
        assert.equal(row.problem, problem:match "^endpoint%.checks: %u+ /%S+: (.*)$", problem)
      end)
    else
      it("let pass " .. title_of(row), function()
        local ok, problem = pcall(shop.check, row.route, row.options)
        assert.is_true(ok, problem)
      end)
    end
  end

  -- The order of `next` changes from run to run. Of 30 names that are all wrong a run would tell
  -- the first one by chance once in 30 times.
  describe("of 30 wrong names tell the first:", function()
    local function names(value)
      local made = {}
      for position = 10, 39 do
        made["n" .. position] = value
      end
      return made
    end

    it("of options that are not known", function()
      local _, problem = pcall(shop.check, GET, names(1))
      assert.truthy(problem:find('no parameter "n10"', 1, true), problem)
    end)

    it("of parameters with wrong values", function()
      local parameters = {}
      for name in pairs(names(1)) do
        parameters[#parameters + 1] = q(name, TEXT)
      end
      local made = load_checks {
        openapi = "3.0.3",
        paths = { ["/x"] = { get = operation("x", parameters) } },
      }
      local _, problem = pcall(made.check, "GET /x", names(5))
      assert.truthy(problem:find('"n10": expected a string, got 5', 1, true), problem)
    end)

    it("of headers with wrong values", function()
      local parameters = {}
      for name in pairs(names(1)) do
        parameters[#parameters + 1] = { name = name, ["in"] = "header", schema = COUNT }
      end
      local made = load_checks {
        openapi = "3.0.3",
        paths = { ["/x"] = { get = operation("x", parameters) } },
      }
      local _, problem = pcall(made.check, "GET /x", { headers = names(500) })
      assert.truthy(problem:find('"n10": expected at most 100, got 500', 1, true), problem)
    end)
  end)

  it("propose the nearest route for an unknown one, and errors have the caller's line", function()
    local ok, problem = pcall(function()
      shop.check("POST /item", {})
    end)
    assert.is_false(ok)
    local words = 'endpoint.checks: no such route: "POST /item", is it "POST /items{?dry,params*}"?'
    assert.equal(words, problem:match "^spec/checks/checks_spec%.lua:%d+: (.*)", problem)
  end)

  describe("say that the body is data where it cannot stand beside the parameters:", function()
    local book = { type = "object", properties = { id = COUNT, title = TEXT } }
    local patch = { type = "array", items = { type = "object" } }
    local made = load_checks {
      openapi = "3.0.3",
      paths = {
        ["/books/{id}"] = { put = operation("put", nil, book) },
        ["/books"] = {
          patch = {
            requestBody = {
              content = {
                ["application/merge-patch+json"] = { schema = book },
                ["application/json-patch+json"] = { schema = patch },
              },
            },
          },
        },
      },
    }

    for _, row in ipairs {
      {
        what = "a property has the name of a variable",
        route = "PUT /books/{id}",
        options = { id = "7", title = "Lua" },
      },
      {
        what = "the body may be a list, too",
        route = "PATCH /books",
        options = {
          title = "Lua",
          headers = { ["content-type"] = "application/merge-patch+json" },
        },
      },
    } do
      it(row.what, function()
        local _, problem = pcall(made.check, row.route, row.options)
        assert.truthy(problem:find('no parameter "title": the body is "data"', 1, true), problem)
        row.options.titel, row.options.title = "Lua", nil
        _, problem = pcall(made.check, row.route, row.options)
        assert.truthy(problem:find 'no parameter "titel"$', problem)
      end)
    end
  end)

  describe("miss a required parameter of the URL that is an empty table:", function()
    local ids = { type = "array", items = COUNT }
    local path = { name = "p", ["in"] = "path", required = true, schema = ids }
    local needed = { required = true }
    local made = load_checks {
      openapi = "3.0.3",
      paths = {
        ["/a"] = {
          get = operation("a/get", { q("ids", ids, needed), q("more[]", ids) }),
          post = operation("a/post", { q("ids[]", ids, needed), q("more[]", ids) }),
        },
        ["/b"] = {
          get = operation("b", {
            q("o", { type = "object", properties = { k = TEXT } }, needed),
            q("text", TEXT, needed),
          }),
        },
        ["/c/{p}"] = { get = operation("c", { path }) },
      },
    }

    for _, row in ipairs {
      { route = "GET /a{?ids*}", options = { ids = {} }, problem = '"ids" is missing' },
      { route = "GET /a{?ids*}", options = { ids = { 1 }, ["more[]"] = {} } },
      {
        route = "POST /a{?params*}",
        options = { params = { ["ids[]"] = {} } },
        problem = '"ids[]" is missing in "params"',
      },
      {
        route = "POST /a{?params*}",
        options = { params = { ["ids[]"] = { 1 }, ["more[]"] = {} } },
      },
      { route = "GET /b{?o*}", options = { o = {}, text = "" }, problem = '"o" is missing' },
      { route = "GET /b{?o*}", options = { o = { k = "x" }, text = "" } },
      { route = "GET /c/{p}", options = { p = {} }, problem = '"p" is missing' },
      { route = "GET /c/{p}", options = { p = { 1 } } },
    } do
      it(row.route .. " " .. support.shown(row.options), function()
        local words = row.problem and row.problem .. ": an empty table sends nothing"
        for turn = 1, 4 do
          local all = turn == 4 and { all = true } or nil
          local ok, problem = pcall(made.check, row.route, row.options, nil, all)
          assert.equal(not words, ok, problem)
          assert.truthy(ok or problem:find(words, 1, true), problem)
        end
      end)
    end
  end)

  describe("know a variable of the path from what has its name:", function()
    local function path(name, schema)
      return { name = name, ["in"] = "path", required = true, schema = schema }
    end
    local list = { type = "array", items = COUNT }
    local joined = { explode = false, style = "pipeDelimited" }
    local made = load_checks {
      openapi = "3.0.3",
      paths = {
        ["/a/{data}"] = {
          get = operation("a/get", { path("data", COUNT) }),
          put = operation("a/put", { path("data", COUNT) }, {
            type = "object",
            required = { "title" },
            properties = { title = TEXT },
          }),
        },
        ["/b/{id}"] = { get = operation("b", { path("id", TEXT), q("id", list, joined) }) },
      },
    }

    for _, row in ipairs {
      { route = "GET /a/{data}", options = { data = 7 } },
      { route = "GET /a/{data}", options = {}, problem = '"data" is missing' },
      { route = "GET /a/{data}", options = { data = 0 }, problem = '"data": expected at least 1' },
      { route = "PUT /a/{data}", options = { data = 7, title = "x" } },
      { route = "PUT /a/{data}", options = { title = "x" }, problem = '"data" is missing' },
      { route = "PUT /a/{data}", options = { data = 7 }, problem = '"title" is missing' },
      {
        route = "PUT /a/{data}",
        options = { data = 7, title = 5 },
        problem = '"title": expected a string, got 5',
      },
      { route = "GET /b/{id}", options = { id = "x" } },
      { route = "GET /b/{id}{?params*}", options = { id = "x", params = { id = "1|2" } } },
      {
        route = "GET /b/{id}{?params*}",
        options = { id = "1", params = { id = "1|x" } },
        problem = '"params.id[2]": expected an integer, got a string',
      },
    } do
      it(row.route .. " " .. support.shown(row.options), function()
        for _ = 1, 3 do
          local ok, problem = pcall(made.check, row.route, row.options)
          assert.equal(not row.problem, ok, problem)
          assert.truthy(ok or problem:find(row.problem, 1, true), problem)
        end
      end)
    end

    it("in tools", function()
      local tools = made.tools()
      assert.equal("b", tools[1].name)
      assert.is_nil(tools[2])
      assert.same({
        { name = "a_get", reason = "its path has {data}, an option's name" },
        { name = "a_put", reason = "its path has {data}, so it cannot have a body" },
      }, tools.left_out)
      local api = endpoint.defaults { baseUrl = "https://h.example" }
      local url = made.call(function(...)
        return api(...).url
      end, "b", { id = "x", id_2 = { 1, 2 } }, api)
      assert.equal("https://h.example/b/x?id=1%7C2", url)
    end)
  end)

  describe("take the schema of the media type that a call has:", function()
    local MERGE, FORM = "application/merge-patch+json", "application/x-www-form-urlencoded"
    local LIST = { type = "array", items = { type = "object" } }
    local made = load_checks {
      openapi = "3.0.3",
      paths = {
        ["/items"] = {
          patch = {
            requestBody = {
              content = {
                [MERGE] = { schema = { type = "object", properties = { a = COUNT } } },
                ["application/json-patch+json"] = { schema = LIST },
              },
            },
          },
          post = {
            requestBody = {
              content = {
                ["application/json"] = { schema = { type = "object", properties = { a = COUNT } } },
                [FORM] = { schema = { type = "object", properties = { b = TEXT } } },
                ["application/vnd.list+json"] = { schema = LIST },
                ["text/csv"] = { schema = TEXT },
              },
            },
          },
        },
      },
    }
    local function headers(name, written)
      return { [written or "content-type"] = name }
    end

    for _, row in ipairs {
      { route = "PATCH /items", data = { {} } },
      {
        route = "PATCH /items",
        data = { a = 1 },
        problem = '"data": expected a list, got a table',
      },
      { route = "PATCH /items", data = { a = 1 }, headers = headers(MERGE) },
      {
        route = "PATCH /items",
        data = { { a = 1 } },
        headers = headers(MERGE:upper() .. " ; charset=utf-8", "Content-Type"),
        problem = '"data": expected an object, got a list',
      },
      { route = "PATCH /items", data = { {} }, headers = headers "application/json-patch+json" },
      { route = "PATCH /items", data = { {} }, headers = headers "application/other+json" },
      { route = "PATCH /items", data = { a = 1 }, defaults = MERGE },
      { route = "PATCH /items", data = { {} }, defaults = MERGE, headers = headers(endpoint.null) },
      {
        route = "PATCH /items",
        data = { {} },
        defaults = MERGE,
        problem = '"data": expected an object, got a list',
      },
      { route = "POST /items", data = { a = 1 } },
      { route = "POST /items", data = { b = "x" }, headers = headers(FORM) },
      { route = "POST /items", data = "b,c", headers = headers "text/csv" },
      {
        route = "POST /items",
        data = { {} },
        headers = headers "application/vnd.list+json",
      },
      {
        route = "POST /items",
        data = { a = 1 },
        headers = headers(FORM),
        problem = 'no parameter "a" in "data"',
      },
    } do
      local of = row.headers and ", headers " .. support.shown(row.headers) or ""
      of = of .. (row.defaults and ", default " .. row.defaults or "")
      it(row.route .. " " .. support.shown(row.data) .. of, function()
        local api = endpoint.defaults { headers = headers(row.defaults) }
        for _ = 1, 3 do
          local options = { data = row.data, headers = row.headers }
          local ok, problem = pcall(made.check, row.route, options, api)
          assert.equal(not row.problem, ok)
          if row.problem then
            assert.truthy(problem:find(row.problem, 1, true), problem)
          end
        end
      end)
    end

    it("for fields beside the parameters, too", function()
      made.check("POST /items", { b = "x", headers = headers(FORM) })
      local _, problem = pcall(made.check, "POST /items", { a = 1, headers = headers(FORM) })
      assert.truthy(problem:find('no parameter "a"', 1, true), problem)
      local list = headers "application/vnd.list+json"
      _, problem = pcall(made.check, "POST /items", { a = 1, headers = list })
      assert.truthy(problem:find("expected a list, got a table", 1, true), problem)
    end)

    it("and write an empty table as it says", function()
      local options = { data = {}, headers = headers(MERGE) }
      assert.equal("{}", made.check("PATCH /items", options) {})
      assert.equal("[]", made.check("PATCH /items", { data = {} }) {})
      assert.is_nil(made.check("POST /items", { b = "x", headers = headers(FORM) }))
    end)
  end)

  it("propose the absolute route for the path of an operation with a server of its own", function()
    local made = load_checks {
      openapi = "3.0.3",
      servers = { { url = "https://h.example" } },
      paths = {
        ["/assets/{id}"] = {
          get = operation(),
          post = {
            parameters = { q("label", COUNT) },
            servers = { { url = "https://up.example/v1" } },
          },
        },
      },
    }
    for _, route in ipairs { "POST /assets/{id}", "post /assets/:id{?label}" } do
      local _, problem = pcall(made.check, route, { id = "1" })
      local words = ', is it "POST https://up.example/v1/assets/{id}{?label}"?'
      assert.truthy(problem:find(words, 1, true), problem)
    end
    local _, problem = pcall(made.check, "PUT /assets/{id}", { id = "1" })
    assert.truthy(problem:find(', is it "GET /assets/{id}"?', 1, true), problem)
  end)

  for _, row in ipairs {
    { route = " x ", problem = 'no such route: "GET x"' },
    { route = "\npost \t/ ", problem = 'no such route: "POST /"' },
    { route = "  ", problem = 'no such route: "GET "' },
    { route = 5, problem = "expected a route, got a number" },
  } do
    it(("refuse the route %s: %s"):format(support.shown(row.route), row.problem), function()
      local _, problem = pcall(shop.check, row.route)
      assert.truthy(problem:find(row.problem, 1, true), problem)
    end)
  end
end)

describe("endpoint.checks.validator.errors:", function()
  local errors = require "endpoint.checks.validator.errors"

  local x = ("x"):rep(56)
  for _, row in ipairs {
    { what = "whole if it has 60 bytes", value = x .. "xxxx", shown = x .. "xxxx" },
    { what = "cut at 57 bytes if it is longer", value = x .. "xxxxx", shown = x .. "x..." },
    {
      what = "cut before a character that 57 bytes divide",
      value = x .. "éxxx",
      shown = x .. "...",
    },
    {
      what = "cut after the last whole character",
      value = "é" .. x:sub(2) .. "xxxx",
      shown = "é" .. x:sub(2) .. "...",
    },
  } do
    it("a string is shown " .. row.what, function()
      assert.equal('"' .. row.shown .. '"', errors.shown(row.value))
    end)
  end

  for _, row in ipairs {
    { what = "null", value = endpoint.null, kind = "null" },
    { what = "an empty table", value = {}, kind = "a table" },
    { what = "a list", value = { 1 }, kind = "a list" },
    { what = "a map", value = { a = 1 }, kind = "a table" },
  } do
    it(("%s is called %s"):format(row.what, row.kind), function()
      assert.equal(row.kind, errors.kind_of(row.value))
    end)
  end
end)

-- A map of 60 names and a number, of which next gives a name first.
local function map_with_number()
  local many, key = {}, 0.5
  for i = 1, 60 do
    many["k" .. i] = i
  end
  repeat -- until next gives another key first
    many[key], many[key + 1], key = nil, 1, key + 1
  until type((next(many))) == "string"
  return many
end

describe("the problem of a value", function()
  local value_of, errors =
    require "endpoint.checks.validator.value", require "endpoint.checks.validator.errors"
  local closed = { type = "object", properties = { a = TEXT }, additionalProperties = false }
  local list = { type = "array", properties = { b = {} }, items = { ref = 1 }, minItems = 1 }
  local rules = {
    schemas = {
      list,
      { anyOf = { { ref = 2 } } },
      { type = "object", minProperties = 1 },
      { type = "array", items = { ref = 4 } },
      { type = "array", items = { ref = 3 } },
    },
  }
  local twice = { k = 1 }
  local nested = support.nested(199, {})

  for _, row in ipairs {
    {
      what = "names the parameter if a schema of the value's type has a problem, the first one",
      node = { anyOf = { closed, list } },
      value = { b = 1 },
      problem = 'no parameter "b"',
    },
    {
      what = "names the parameter if a schema of the value's type has a problem, the last one",
      node = { anyOf = { list, closed } },
      value = { c = 1 },
      problem = 'no parameter "c"',
    },
    {
      what = "is that of a schema that knows the name",
      node = { anyOf = { closed, { enum = { "x" }, properties = { b = {} } } } },
      value = { b = 1 },
      problem = "expected x, got a table",
    },
    {
      what = "is that of the first of schemas that tell equally much",
      node = { anyOf = { { enum = { "x" } }, { type = "integer" } } },
      value = 1.5,
      problem = "expected x, got 1.5",
    },
    {
      what = "is that of a limit rather than that of an enumeration",
      node = { anyOf = { { enum = { "x" } }, { minLength = 9 } } },
      value = "y",
      problem = "expected at least 9 characters, got 1",
    },
    {
      what = "is that of a property rather than that of the whole",
      node = {
        anyOf = {
          { enum = { "x" } },
          { type = "object", properties = { k = { type = "integer" } } },
        },
      },
      value = { k = "x" },
      problem = '"k": expected an integer, got a string',
    },
    {
      what = "is told of a schema that is itself",
      node = { ref = 2 },
      value = {},
      problem = "holds itself",
    },
    {
      what = "is nil for a value that is twice in a list",
      node = { ref = 5 },
      value = { twice, twice },
    },
    {
      what = "takes an empty table as a list, if a list or null is expected",
      node = { type = { "array", "null" }, minItems = 1 },
      value = {},
      problem = "expected at least 1 elements, got 0",
    },
    {
      what = "is nil for an empty table that may be an object",
      node = { type = { "array", "object" }, minItems = 1 },
      value = {},
    },
    {
      what = "is nil for a boolean beside an object",
      node = { type = { "object", "boolean" } },
      value = true,
    },
    {
      what = "is told of a number among many names",
      node = { properties = {} },
      value = map_with_number(),
      problem = "expected an object, got a table",
    },
    { what = "is nil for 200 lists in one another", node = { ref = 4 }, value = nested },
    {
      what = "is told of 201 lists in one another, with a place that is cut",
      node = { ref = 4 },
      value = { nested },
      problem = '"' .. ("[1]"):rep(19) .. '...": nested too deep',
    },
  } do
    it(row.what, function()
      local found = value_of.problem(rules, row.node, row.value)
      assert.equal(row.problem, found and errors.sentence(found))
    end)
  end

  for _, given in ipairs { "x", 5, true } do
    it("is that 50,000 schemas of one value are too deep: " .. tostring(given), function()
      local node = { type = "string" }
      for _ = 1, 50000 do
        node = { allOf = { node } }
      end
      local found = value_of.problem({ schemas = {} }, node, given)
      assert.equal("nested too deep", found and found.words)
    end)
  end
end)

describe("checks:", function()
  for word in
    (
      "and break do else elseif end false for function goto if in local nil not or repeat "
      .. "return then true until while"
    ):gmatch "%a+"
  do
    it("let pass a parameter whose name is the word of Lua " .. word, function()
      local made = load_checks {
        openapi = "3.0.3",
        paths = { ["/x"] = { get = operation("x", { q(word, TEXT) }) } },
      }
      made.check("GET /x", { [word] = "x" })
      assert.is_false((pcall(made.check, "GET /x", { [word] = 5 })))
    end)
  end

  it("refuse a file of another version", function()
    local _, problem = pcall(require "endpoint.checks".new, { format = 0, name = "x-checks" })
    assert.equal(
      "endpoint.checks: x-checks is of another version: make it again with endpoint-types",
      problem
    )
  end)

  describe("with --open", function()
    local open = load_checks(SHOP, { open = true })

    it("let any name of a parameter pass", function()
      open.check(GET, { id = "1", perpage = 1 })
    end)

    it("let any name of a body pass, at any depth", function()
      local part = { title = "x", forgotten = 1, x = 1 }
      open.check(POST, { dry = true, title = "x", titel = "x", forgotten = 1, parts = { part } })
    end)

    it("refuse a value of a wrong type", function()
      assert.is_false((pcall(open.check, POST, { dry = true, title = 5 })))
    end)

    it("refuse an option among a model's arguments", function()
      local arguments = { id = "1", baseUrl = "https://evil.example" }
      assert.is_nil((open.call(error, "items_get_2", arguments, endpoint)))
    end)
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

  local names = {}
  for _, tool in ipairs(shop.tools()) do
    local is_new = not names[tool.name]
    names[tool.name] = true

    it("have a name of their own that services allow: " .. tool.name, function()
      assert.truthy(tool.name:find "^[%w_-]+$")
      assert.is_true(#tool.name <= 64, #tool.name)
      assert.is_true(is_new)
    end)

    for name in pairs(tool.parameters.properties) do
      it(
        ("have arguments with names that services allow: %s of %s"):format(name, tool.name),
        function()
          assert.truthy(name:find "^[%w_-]+$")
        end
      )
    end
  end

  for asked, name in pairs {
    ["items get"] = "items_get",
    ["items/get"] = "items_get_2",
    items_get_2 = "items_get_2",
    ["//"] = "GET_o_a",
    [GET] = "items_get_2",
    ["POST /items"] = "items_get",
    ["GET /few"] = "GET_few",
  } do
    it(("have the same name whatever is chosen: %s by %s"):format(name, asked), function()
      assert.equal(name, shop.tools({ asked })[1].name)
    end)
  end

  it("are chosen by a list, and not by a string", function()
    local _, problem = pcall(shop.tools, "GET /x")
    local words = "tools: expected a list of operations, got a string"
    assert.truthy(problem:find(words, 1, true), problem)
  end)

  it("are those of operations that the document has", function()
    local _, problem = pcall(function()
      shop.tools { "items/gte" }
    end)
    assert.truthy(problem:find "^spec/checks/checks_spec%.lua:", problem)
    local words = 'tools: no such operation: "items/gte", is it "items/get"?'
    assert.truthy(problem:find(words, 1, true), problem)
  end)

  local item = [["title": { "type": ["null", "string"], "minLength": 1, "maxLength": 3 },
    "parts": { "type": "array", "items": { "$ref": "#/$defs/3" } }, "free": { "type": "object" },
    "map": { "type": "object", "additionalProperties": { "type": "integer" } },
    "kin": { "type": "object", "additionalProperties": { "$ref": "#/$defs/3" } } }]]
  local WHOLE = [[{
    "type": "object",
    "additionalProperties": false,
    "required": ["dry", "title"],
    "properties": { "dry": { "type": "boolean" },
      "a_b": { "type": "string", "description": "\"a b\" in the API" }, ]] .. item .. [[,
    "$defs": {
      "3": {
        "type": "object",
        "additionalProperties": false,
        "required": ["title"],
        "properties": { ]] .. item .. [[
      }
    }
  }]]

  it("are JSON Schema, with $defs for schemas in several places", function()
    assert.same(json.decode(WHOLE), shop.tools({ POST })[1].parameters)
  end)

  it("have the limits of a list and its numbers", function()
    local numbers = { type = "number", exclusiveMinimum = 0, exclusiveMaximum = 9, multipleOf = 1 }
    assert.same(
      { type = { "array", "null" }, minItems = 1, maxItems = 2, items = numbers },
      shop.tools({ "PUT /pay" })[1].parameters.properties.data
    )
  end)

  it("have the limits of an object", function()
    local few = shop.tools({ "PUT /few" })[1].parameters.properties.data
    assert.same({ 1, 2 }, { few.minProperties, few.maxProperties })
  end)

  it("have the limits of a parameter", function()
    assert.equal(100, shop.tools({ GET })[1].parameters.properties.per_page.maximum)
  end)

  it("have the method and the path as description if the document has none", function()
    local words = shop.tools({ POST })[1].description
    assert.equal('POST /items\nIn the API: "items get"', words)
  end)

  it("have properties that dkjson writes as an object", function()
    local properties = shop.tools({ POST })[1].parameters.properties
    assert.equal("object", getmetatable(properties).__jsontype)
  end)

  it("are new tables each time", function()
    shop.tools({ POST })[1].parameters.required[1] = nil
    assert.equal("dry", shop.tools({ POST })[1].parameters.required[1])
  end)

  it("are called with the options that the route has", function()
    local arguments = { id = "1", url = "u", seen_gte = 5, labels = json.null }
    assert.equal("answer", (shop.call(send, "items_get_2", arguments, endpoint)))
    assert.same({ GET, { id = "1", ["seen[gte]"] = 5, params = { url = "u" } } }, sent)
  end)

  it("are called with a body of the arguments that are not parameters", function()
    assert.equal(
      "answer",
      (shop.call(send, "items_get", { dry = true, title = json.null }, endpoint))
    )
    assert.same({ POST, json_call({ dry = true }, '{"title":null}') }, sent)
  end)

  it("are called with a body that is a list", function()
    shop.call(send, ("x"):rep(62) .. "_2", { data = { 1 } }, endpoint)
    assert.same({ "PUT /pay", json_call({}, "[1]") }, sent)
  end)

  it("are called without arguments", function()
    assert.equal("answer", (shop.call(send, "POST_few", nil, endpoint)))
  end)

  it("are called with null for arguments", function()
    assert.equal("answer", (shop.call(send, "POST_few", json.null, endpoint)))
  end)

  it("are not called with null for an argument that is required", function()
    local _, problem = shop.call(send, "items_get_2", { id = json.null }, endpoint)
    assert.equal('items_get_2: "id": expected a string, got null', problem)
  end)

  describe("leave no name of an option to arguments that the document does not name,", function()
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

    it("but are called with any other", function()
      made.call(
        send,
        "y",
        { a_b = "1", a_b_2 = "2", _c = json.null, d = json.null, free = true },
        endpoint
      )
      local body = '{"_a.b":"1","a.b":"2","d":null,"free":true}'
      assert.same({ "PUT /x", json_call({}, body) }, sent)
    end)

    it("and refuse names of parameters below params", function()
      assert.is_nil((made.call(error, "x", { params = { a = 1 } }, endpoint)))
    end)

    it("and refuse a name of the document that services do not allow", function()
      assert.is_nil((made.call(error, "y", { ["_a.b"] = 5 }, endpoint)))
    end)

    for _, name in ipairs {
      "method",
      "url",
      "baseUrl",
      "headers",
      "mediaType",
      "data",
      "request",
    } do
      it("and refuse the option " .. name, function()
        assert.is_nil((made.call(error, "y", { [name] = "x" }, endpoint)))
      end)
    end

    it("while check takes the option data, and counts its names", function()
      local _, problem = pcall(made.check, "POST /x{?params*}", { data = {} })
      assert.truthy(problem:find('"data": expected at least 1 names, got 0', 1, true), problem)
    end)

    it("while a parameter of the document may be called url", function()
      local properties = made.tools({ "x" })[1].parameters.properties
      assert.same({ "data", "url" }, support.keys(properties))
    end)
  end)

  for _, row in ipairs {
    {
      tool = "items_gte",
      arguments = {},
      problem = 'no such function: "items_gte", is it "items_get"?',
    },
    {
      tool = "items_get_2",
      arguments = { id = "1", baseUrl = "https://evil.example" },
      problem = 'items_get_2: no parameter "baseUrl"',
    },
    {
      tool = "items_get",
      arguments = { 1 },
      problem = "items_get: expected an object of arguments",
    },
    {
      tool = "x",
      arguments = { url = "u", stray = 1 },
      problem = 'x: no parameter "stray"',
    },
  } do
    it("give a sentence for the model where its call is wrong: " .. row.problem, function()
      local answer, sentence = shop.call(error, row.tool, row.arguments, endpoint)
      assert.same({ nil, row.problem }, { answer, sentence })
    end)
  end

  local function call_that_raises(raised)
    local function fail()
      error(raised, 0)
    end
    return pcall(shop.call, fail, "items_get_2", { id = "1" }, endpoint)
  end

  for what, raised in pairs {
    ["an answer of the server"] = { message = "GET /x: the server answers 404" },
    ["an error of endpoint"] = 'file.lua:1: endpoint: parameter "id" is empty',
    ["an error of endpoint.checks"] = "file.lua:1: endpoint.checks: no",
  } do
    it("give a sentence for the model where the call raises " .. what, function()
      local ok, result, problem = call_that_raises(raised)
      assert.is_true(ok)
      assert.is_nil(result)
      assert.truthy(problem:find '^items_get_2: [G"n]', problem)
    end)
  end

  for what, raised in pairs {
    ["a string of another kind"] = "a bug",
    ["a table whose message is not a string"] = { message = 5 },
  } do
    it("raise what the call raises: " .. what, function()
      local ok, bug = call_that_raises(raised)
      assert.is_false(ok)
      assert.equal(raised, bug)
    end)
  end
end)

local function body(schema, schemas)
  return {
    openapi = "3.1.0",
    paths = { ["/x"] = { post = operation("x", nil, schema) } },
    components = { schemas = schemas },
  }
end

describe("checks: of schemas that must hold together", function()
  local either = { anyOf = { TEXT, { type = "integer" } } }
  local made = load_checks(body {
    type = "object",
    properties = {
      n = { allOf = { { type = "integer", maximum = 5 }, { maximum = 9 } } },
      l = { type = "array", minItems = 2 },
      e = { allOf = { either, { anyOf = { TEXT, COUNT } } } },
    },
  })

  it("a value that fits all passes", function()
    made.check("POST /x", { n = 5, l = { 1, 2 }, e = 100 })
  end)

  it("two with anyOf are one with allOf", function()
    assert.equal(1, #made.tools()[1].parameters.properties.e.allOf)
  end)

  for _, row in ipairs {
    { what = "the narrowest limit holds", options = { n = 6 } },
    { what = "the least number of elements holds", options = { l = { 1 } } },
    { what = "the second is asked, too", options = { e = 101 } },
  } do
    it(row.what, function()
      assert.is_false((pcall(made.check, "POST /x", row.options)))
    end)
  end
end)

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

  local list = { type = "array", items = COUNT, description = "L" }
  for _, row in ipairs {
    { what = "an integer with two limits", schema = COUNT, shared = 0 },
    { what = "an enumeration of 8", schema = { enum = { 1, 2, 3, 4, 5, 6, 7, 8 } }, shared = 0 },
    { what = "an enumeration of 9", schema = { enum = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }, shared = 1 },
    { what = "a list", schema = list, shared = 1 },
    { what = "an anyOf", schema = { anyOf = { TEXT, COUNT } }, shared = 1 },
    { what = "an object", schema = { properties = { a = TEXT } }, shared = 1 },
    { what = "a map", schema = { type = "object", additionalProperties = TEXT }, shared = 1 },
  } do
    local how = row.shared == 1 and "written once" or "written twice, as it is small"

    it(("%s in two places is %s"):format(row.what, how), function()
      local _, text = load_checks(body { properties = { a = row.schema, b = row.schema } })
      assert.equal(row.shared, select(2, text:gsub("\nS%[", "")), text)
    end)
  end

  it("a schema of two parameters with descriptions of their own is written once", function()
    local parameters = { q("a", list, { description = "D" }), q("b", list, { description = "L" }) }
    local _, text =
      load_checks { openapi = "3.1.0", paths = { ["/x"] = { get = operation("x", parameters) } } }
    assert.truthy(text:find('a={ref=1,description="D"},b={ref=1}', 1, true), text)
  end)

  -- A constructor has 13 levels.
  for _, row in ipairs { { levels = 141, shared = 10 }, { levels = 142, shared = 11 } } do
    local schema, value = { type = "integer" }, "a string"
    for _ = 1, row.levels do
      schema, value = { type = "object", properties = { a = schema } }, { a = value }
    end
    local deep, text = load_checks(body(schema))

    it(("%d levels of objects are checked to the innermost"):format(row.levels), function()
      local _, problem = pcall(deep.check, "POST /x", value)
      assert.truthy(problem:find("a.a.", 1, true), problem)
    end)

    it(("%d levels of objects take %d tables"):format(row.levels, row.shared), function()
      assert.equal(row.shared, select(2, text:gsub("\nS%[", "")))
    end)
  end

  it("5,000 levels of lists are read", function()
    local deep = TEXT
    for _ = 1, 5000 do
      deep = { allOf = { { type = "array", items = deep } } }
    end
    assert.equal(1, #load_checks(body(deep)).tools())
  end)

  describe("values cost no more than they are large:", function()
    local any = {
      anyOf = { ref "A", ref "B", { type = "object", properties = { a = ref "A", b = ref "B" } } },
    }
    local made = load_checks(
      body(ref "A", { A = any, B = { anyOf = { ref "A", any.anyOf[3], { allOf = { ref "A" } } } } })
    )
    local doubled, ring = 5, {}
    for _ = 1, 60 do
      doubled = { a = doubled, b = doubled }
    end
    ring.a = ring

    it("one that holds each table twice, 60 levels deep", function()
      assert.is_false((pcall(made.check, "POST /x", { data = doubled })))
    end)

    it("one that holds itself", function()
      assert.is_false((pcall(made.check, "POST /x", { data = ring })))
    end)

    it("one of 100,000 levels, with a short message", function()
      local deep = doubled
      for _ = 1, 100000 do
        deep = { a = deep }
      end
      local _, problem = pcall(made.check, "POST /x", { data = deep })
      assert.is_true(#problem < 500, #problem)
      assert.truthy(problem:find "too deep", problem)
    end)
  end)
end)
