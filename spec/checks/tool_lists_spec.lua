-- What tools tell models, in the form that well-known services take; and what an operation needs
-- beside.
package.path = "src/?.lua;" .. package.path
local json = require "cjson"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT = { type = "string" }
local LONG = ("word "):rep(300)

local function json_body(schema, media_type)
  return { required = true, content = { [media_type or "application/json"] = { schema = schema } } }
end

local ROOT = {
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  security = { { key = {} } },
  components = {
    examples = {
      summer = { value = "2026-06-21" },
      elsewhere = { ["$ref"] = "examples.yaml#/far" },
    },
    schemas = {
      Tree = {
        type = "object",
        description = LONG,
        properties = {
          ["a|b"] = TEXT,
          [("x"):rep(65)] = TEXT,
          list = { type = "array" },
          tuple = { type = "array", prefixItems = { TEXT } },
          children = { type = "array", items = { ["$ref"] = "#/components/schemas/Tree" } },
        },
        required = { "a|b" },
      },
    },
    securitySchemes = {
      key = { type = "apiKey", ["in"] = "query", name = "api_key" },
      token = { type = "http", scheme = "bearer" },
      login = { type = "oauth2" },
    },
  },
  paths = {
    ["/trees"] = {
      get = {
        operationId = "list",
        summary = "Lists trees",
        description = "All of them, page by page.",
        parameters = {
          {
            name = "per_page",
            ["in"] = "query",
            description = "How many",
            schema = { type = "integer", default = 30, example = 50 },
          },
          {
            name = "since",
            ["in"] = "query",
            example = "2026-01-01",
            schema = { type = "string", format = "date" },
          },
          {
            name = "until",
            ["in"] = "query",
            examples = {
              summer = { ["$ref"] = "#/components/examples/summer" },
              winter = { value = "2026-12-21" },
            },
            schema = TEXT,
          },
          {
            name = "page",
            ["in"] = "query",
            schema = { type = "integer", default = 1, example = 1 },
          },
          {
            name = "near",
            ["in"] = "query",
            content = { ["application/json"] = { schema = TEXT, example = "oak" } },
          },
          {
            name = "far",
            ["in"] = "query",
            description = "Away",
            examples = { elsewhere = { ["$ref"] = "examples.yaml#/far" } },
            schema = TEXT,
          },
          {
            name = "further",
            ["in"] = "query",
            description = "Far away",
            examples = { elsewhere = { ["$ref"] = "#/components/examples/elsewhere" } },
            schema = TEXT,
          },
          { name = "long", ["in"] = "query", description = LONG, schema = { default = true } },
          {
            name = "X-Trace",
            ["in"] = "header",
            required = true,
            schema = TEXT,
            description = "Id",
          },
          { name = "session", ["in"] = "cookie", schema = TEXT },
        },
      },
      post = {
        operationId = "create",
        description = LONG,
        security = { { token = {}, login = { "write" } }, {} },
        requestBody = json_body {
          type = "object",
          properties = { tree = { ["$ref"] = "#/components/schemas/Tree" } },
        },
      },
      put = {
        operationId = "either",
        requestBody = json_body { anyOf = { TEXT, { type = "array" } } },
      },
      patch = { operationId = "image", requestBody = json_body({}, "image/png") },
    },
  },
}

local function load_rules(root)
  local made = types.generate(root, "api", { checks = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local rules = load_rules(ROOT)

local function tool(name, how)
  return rules.tools({ name }, how)[1]
end

-- Calls a function with each schema in a schema.
local function each_schema(schema, call)
  call(schema)
  for key, value in pairs(schema) do
    if type(value) == "table" and key ~= "required" and key ~= "enum" and key ~= "type" then
      if key == "properties" or key == "$defs" then
        for _, one in pairs(value) do
          each_schema(one, call)
        end
      elseif value[1] then
        for _, one in ipairs(value) do
          each_schema(one, call)
        end
      else
        each_schema(value, call)
      end
    end
  end
end

describe("tools that services take:", function()
  for how, options in pairs {
    ["with $ref"] = {},
    inline = { inline = true },
    ["inline and whole"] = { whole = true, inline = true },
  } do
    for _, one in ipairs(rules.tools(nil, options)) do
      local title = ("%%s: %s, %s"):format(one.name, how)

      local function each_of_it(check)
        each_schema(one.parameters, function(schema)
          check(schema, json.encode(schema))
        end)
      end

      it(title:format "its description has at most 1,024 bytes", function()
        assert.is_true(#one.description <= 1024, #one.description)
      end)

      it(title:format "no schema names its dialect", function()
        each_of_it(function(schema, shown)
          assert.is_nil(schema["$schema"], shown)
        end)
      end)

      it(title:format "inline schemas have no references", function()
        each_of_it(function(schema, shown)
          assert.is_true(not schema["$ref"] or not options.inline, shown)
        end)
      end)

      it(title:format "every list has items", function()
        each_of_it(function(schema, shown)
          assert.truthy(schema.type ~= "array" or schema.items, shown)
        end)
      end)

      it(title:format "a description in it is short unless it is whole", function()
        each_of_it(function(schema, shown)
          local most = options.whole and 1024 or 160
          assert.is_true(#(schema.description or "") <= most, shown)
        end)
      end)

      it(title:format "names have at most 64 letters, digits, _ and -", function()
        each_of_it(function(schema)
          for name in pairs(schema.properties or {}) do
            assert.truthy(name:find "^[%w_-]+$" and #name <= 64, name)
          end
        end)
      end)
    end
  end

  for _, one in ipairs(rules.tools()) do
    it("the arguments are an object with properties: " .. one.name, function()
      assert.equal("object", one.parameters.type)
      assert.equal("table", type(one.parameters.properties))
    end)

    for _, word in ipairs { "anyOf", "oneOf", "allOf", "enum", "not" } do
      it(("the arguments have no %s: %s"):format(word, one.name), function()
        assert.is_nil(one.parameters[word])
      end)
    end
  end

  it("a name that is required has the same other name", function()
    assert.same({ "a_b" }, tool("create", { inline = true }).parameters.properties.tree.required)
  end)

  it("a schema that holds itself ends there where there are no references", function()
    local tree = tool("create", { inline = true }).parameters.properties.tree
    assert.same({ "object" }, { tree.properties.children.items.type })
    assert.is_nil(tree.properties.children.items.properties)
  end)

  it("whole texts are told where they are asked for", function()
    local short = tool("list").parameters.properties.long.description
    local long = tool("list", { whole = true }).parameters.properties.long.description
    assert.equal(120 + #" (default true)", #short)
    assert.truthy(short:find "%.%.%. %(default true%)$")
    assert.is_true(#long > 900 and #long <= 1024)
  end)

  for _, row in ipairs {
    { options = { refs = true }, problem = 'there is no option "refs"' },
    { options = { inlined = true }, problem = 'there is no option "inlined", is it "inline"?' },
    { options = { whole = 1 }, problem = "whole: expected a boolean, got a number" },
    { options = 5, problem = "expected a table of options, got a number" },
  } do
    it("a wrong option of a list is refused: " .. row.problem, function()
      local _, problem = pcall(function()
        rules.tools(nil, row.options)
      end)
      assert.truthy(problem:find("tools: " .. row.problem, 1, true), problem)
    end)
  end

  it("an operation that cannot be a tool is listed with the reason", function()
    local list = rules.tools()
    assert.equal(3, #list)
    local reason = 'its body is "image/png", and an argument cannot hold bytes'
    assert.same({ { name = "image", reason = reason } }, list.left_out)
  end)
end)

describe("tools tell", function()
  it("the summary and the description", function()
    assert.equal("Lists trees\nAll of them, page by page.", tool("list").description)
  end)

  for name, expected in pairs {
    per_page = "How many (default 30; example 50)",
    page = "default 1",
    since = 'date; example "2026-01-01"',
    ["until"] = 'example "2026-06-21"',
    near = 'example "oak"',
    far = "Away",
    further = "Far away",
  } do
    it("defaults, formats and examples: " .. expected, function()
      assert.equal(expected, tool("list").parameters.properties[name].description)
    end)
  end
end)

describe("rules.needs", function()
  it("says the headers, and which are required", function()
    assert.same({
      { name = "x-trace", required = true, description = "Id" },
      { name = "cookie", required = false, description = "session=..." },
    }, rules.needs("list").headers)
  end)

  it("says the security of the document, such as a key of the query", function()
    local key = { scheme = "key", type = "apiKey", place = "query", name = "api_key", scopes = {} }
    assert.same({ { key } }, rules.needs("list").security)
  end)

  it("says the security of an operation, any one of several", function()
    local login = { scheme = "login", type = "oauth2", scopes = { "write" } }
    local token = { scheme = "token", type = "http", http = "bearer", scopes = {} }
    assert.same({ { login, token }, {} }, rules.needs("POST /trees").security)
  end)

  it("knows Swagger's own words", function()
    local swagger = load_rules {
      swagger = "2.0",
      host = "h.example",
      securityDefinitions = { me = { type = "basic" } },
      paths = { ["/x"] = { get = { operationId = "x", security = { { me = {} } } } } },
    }
    local me = { scheme = "me", type = "http", http = "basic", scopes = {} }
    assert.same({ { me } }, swagger.needs("x").security)
  end)

  it("raises for an operation that the document does not have", function()
    local _, problem = pcall(function()
      rules.needs "lst"
    end)
    assert.truthy(problem:find('needs: no such operation: "lst", is it "list"?', 1, true), problem)
  end)
end)

describe("a description that is cut", function()
  local shortened = require "endpoint.checks.tools.schemas".shortened

  -- Where the cut falls: after how many bytes of a character of three bytes.
  for bytes_left, title in pairs {
    [0] = "before a character",
    [1] = "after its first byte",
    [2] = "after its second byte",
  } do
    it("ends with the last whole character: " .. title, function()
      local before = ("a"):rep(17 - bytes_left)
      assert.equal(before .. "...", shortened(before .. "\226\130\172 and more", 20))
    end)
  end
end)

describe("a tool whose body has a discriminator", function()
  local function ref(name)
    return { ["$ref"] = "#/components/schemas/" .. name }
  end
  local Pet = { type = "object", required = { "kind" }, properties = { kind = TEXT } }
  Pet.discriminator = {
    propertyName = "kind",
    mapping = { cat = "#/components/schemas/Cat", dog = "Dog" },
  }
  local of_pets = load_rules {
    openapi = "3.0.3",
    components = {
      schemas = {
        Pet = Pet,
        Cat = {
          allOf = { ref "Pet", { properties = { kittens = TEXT }, required = { "kittens" } } },
        },
        Dog = { allOf = { ref "Pet", { properties = { bark = TEXT } } } },
      },
    },
    paths = { ["/pets"] = { post = { operationId = "add", requestBody = json_body(ref "Pet") } } },
  }

  -- The values that the schemas of a list choose from, and the names of what each takes.
  local function chosen_in(list)
    local found = {}
    for _, choice in ipairs(list) do
      local word = choice.allOf[1].properties.kind.enum[1]
      local taken = json.encode(choice.allOf[2])
      found[word] = taken:match '"kittens"' or taken:match '"bark"'
    end
    return found
  end

  it("names each value with the schema that it chooses", function()
    local found
    each_schema(of_pets.tools({ "add" }, { inline = true })[1].parameters, function(schema)
      for _, part in ipairs(schema.allOf or {}) do
        found = found or part.anyOf and chosen_in(part.anyOf)
      end
    end)
    assert.same({ cat = '"kittens"', dog = '"bark"' }, found)
  end)
end)

describe("alternatives that a discriminator chooses from", function()
  local function ref(name)
    return { ["$ref"] = "#/components/schemas/" .. name }
  end

  -- A union of two objects whose kind is one of these values, any string without them.
  local function of_kinds(cats, dogs, mapping)
    local function object(values, more)
      return {
        type = "object",
        required = { "the kind", more },
        properties = { ["the kind"] = { type = "string", enum = values }, [more] = TEXT },
      }
    end
    return load_rules {
      openapi = "3.1.0",
      components = { schemas = { Cat = object(cats, "kittens"), Dog = object(dogs, "bark") } },
      paths = {
        ["/pets"] = {
          post = {
            operationId = "add",
            requestBody = json_body {
              oneOf = { ref "Cat", ref "Dog" },
              discriminator = { propertyName = "the kind", mapping = mapping },
            },
          },
        },
      },
    }
  end

  local function notes_in(module, form)
    local found, parameters = {}, module.tools({ "add" }, { form = form, inline = true })[1]
    parameters = parameters.input_schema or parameters.parameters or parameters
    local declared = parameters.functionDeclarations
    each_schema(declared and declared[1].parameters or parameters, function(schema)
      local properties = schema.properties or {}
      local more = properties.kittens and "kittens" or properties.bark and "bark"
      if schema.required and more and type(schema.description) == "string" then
        found[more] = schema.description
      end
    end)
    return found
  end

  local mapping =
    { cat = "#/components/schemas/Cat", lynx = "#/components/schemas/Cat", dog = "Dog" }
  for _, form in ipairs { "anthropic", "openai-strict", "gemini" } do
    it("say which value chooses each, in the form " .. form, function()
      assert.same({
        kittens = '"the_kind" is "cat" or "lynx"',
        bark = '"the_kind" is "dog"',
      }, notes_in(of_kinds(nil, nil, mapping), form))
    end)
    it("need no note where they list their values, in the form " .. form, function()
      assert.same({}, notes_in(of_kinds({ "cat", "lynx" }, { "dog" }, mapping), form))
    end)
  end
end)
