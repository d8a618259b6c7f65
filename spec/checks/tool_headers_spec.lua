-- Headers that an operation requires are arguments, unless they are the program's.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT = { type = "string" }

local function header(name, more)
  local made = { name = name, ["in"] = "header", required = true, schema = TEXT }
  for key, value in pairs(more or {}) do
    made[key] = value
  end
  return made
end

local PROGRAMS_OWN =
  { "X-Api-Key", "X-Auth-Token", "Host", "Cookie", "User-Agent", "X-Signature", "X-Own", "Via" }

local function parameters()
  local list = {
    header("Idempotency-Key", { description = "Once" }),
    header("If-Match"),
    header("X-Count", { schema = { type = "integer", minimum = 1 } }),
    header("X-List", { schema = { type = "array", items = TEXT } }),
    header("X-Trace", { required = false }),
    { name = "if-match", ["in"] = "query", schema = TEXT },
  }
  for _, name in ipairs(PROGRAMS_OWN) do
    list[#list + 1] = header(name)
  end
  return list
end

local made = types.generate({
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  components = {
    securitySchemes = { own = { type = "apiKey", ["in"] = "header", name = "X-Own" } },
  },
  security = { { own = {} } },
  paths = {
    ["/x"] = {
      post = {
        operationId = "add",
        parameters = parameters(),
        requestBody = {
          content = {
            ["application/json"] = { schema = { type = "object", properties = { a = TEXT } } },
          },
        },
      },
    },
  },
}, "api", { checks = true })
local rules = load_text(made.files[#made.files - 1].text)()

local REQUIRED = { "idempotency-key", "if-match_2", "x-count", "x-list" }

local function given(more)
  local arguments =
    { ["idempotency-key"] = "k", ["if-match_2"] = "*", ["x-count"] = 5, ["x-list"] = "a,b" }
  for name, value in pairs(more or {}) do
    arguments[name] = value or nil
  end
  return arguments
end

local function call(arguments, api, how)
  local sent
  local _, sentence = rules.call(function(route, options)
    sent = (api or endpoint)(route, options)
  end, "add", arguments, api or endpoint, how)
  return sent, sentence
end

describe("a header that is required", function()
  local schema = rules.tools()[1].parameters

  it("is an argument that must be given", function()
    assert.same(REQUIRED, schema.required)
  end)

  it("has the document's words", function()
    assert.equal("Once", schema.properties["idempotency-key"].description)
  end)

  it("is told apart from what has its name in the query", function()
    assert.equal('"if-match" in the header', schema.properties["if-match_2"].description)
    assert.equal('"if-match" in the query', schema.properties["if-match"].description)
  end)

  for _, name in ipairs(PROGRAMS_OWN) do
    it("is no argument where it is the program's: " .. name, function()
      assert.is_nil(schema.properties[name:lower()])
      local _, sentence = call(given { [name:lower()] = "x" })
      assert.truthy(sentence:find("no parameter", 1, true), sentence)
    end)
  end

  it("is no argument where it is not required", function()
    assert.is_nil(schema.properties["x-trace"])
  end)

  it("is sent beside the body's own", function()
    local sent, sentence = call(given { a = "x", ["if-match"] = "q" })
    assert.is_nil(sentence)
    assert.equal("k", sent.headers["idempotency-key"])
    assert.equal("*", sent.headers["if-match"])
    assert.equal("5", tostring(sent.headers["x-count"]))
    assert.equal("a,b", sent.headers["x-list"])
    assert.equal("application/json; charset=utf-8", sent.headers["content-type"])
    assert.truthy(sent.url:find("?if-match=q", 1, true), sent.url)
  end)

  for _, row in ipairs {
    { more = { ["if-match_2"] = false }, sentence = 'add: "if-match_2" is missing' },
    {
      more = { ["x-count"] = 0 },
      sentence = 'add: "x-count": expected at least 1, got 0',
    },
    {
      more = { ["if-match_2"] = "a\r\nevil: 1" },
      sentence = 'add: "if-match_2": expected no control characters',
    },
    {
      more = { ["x-list"] = "a,b\n" },
      sentence = 'add: "x-list": expected no control characters',
    },
    {
      more = { ["if-match_2"] = " a" },
      sentence = 'add: "if-match_2": expected no spaces at its ends',
    },
    {
      more = { ["if-match_2"] = "a " },
      sentence = 'add: "if-match_2": expected no spaces at its ends',
    },
    {
      more = { ["if-match_2"] = "a\0" },
      sentence = 'add: "if-match_2": expected no control characters',
    },
  } do
    it("is checked: " .. row.sentence, function()
      local sent, sentence = call(given(row.more))
      assert.is_nil(sent)
      assert.equal(row.sentence, sentence)
    end)
  end
end)

describe("a header that the endpoint has", function()
  local api = endpoint.defaults { headers = { ["If-Match"] = "own" } }

  it("need not be given", function()
    local sent, sentence = call(given { ["if-match_2"] = false }, api)
    assert.is_nil(sentence)
    assert.equal("own", sent.headers["if-match"])
  end)

  it("cannot be given", function()
    local sent, sentence = call(given(), api)
    assert.is_nil(sent)
    assert.equal('add: "if-match_2" is a default of the endpoint', sentence)
  end)

  for _, form in ipairs { "openai-strict", "gemini", "mcp" } do
    it("is not told where the endpoint is known: " .. form, function()
      local list = rules.tools(nil, { form = form, endpoint = api })
      local tool = form == "gemini" and list[1].functionDeclarations[1] or list[1]
      local schema = tool.parameters or tool.inputSchema
      for _, name in ipairs { "if-match_2", "if_match_2" } do
        assert.is_nil(schema.properties[name])
        for _, required in ipairs(schema.required) do
          assert.is_true(required ~= name)
        end
      end
    end)
  end

  it("leaves the names of the others as they are", function()
    local list = rules.tools(nil, { form = "gemini", endpoint = api })
    local properties = list[1].functionDeclarations[1].parameters.properties
    local arguments = {
      idempotency_key = "k",
      x_count = 5,
      x_list = "a",
      if_match = properties.if_match and "q",
    }
    local sent, sentence = call(arguments, api, { form = "gemini" })
    assert.is_nil(sentence)
    assert.truthy(sent.url:find("?if-match=q", 1, true), sent.url)
  end)

  it("is asked of an endpoint alone", function()
    local _, problem = pcall(rules.tools, nil, { endpoint = {} })
    assert.truthy(problem:find("endpoint: expected an endpoint, got a table", 1, true), problem)
  end)
end)
