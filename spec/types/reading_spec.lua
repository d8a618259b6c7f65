-- What endpoint.types reads of documents as people write them: answers, YAML, and what a document
-- does not have.
local json = require "cjson"
local types = require "endpoint.types"

-- A document with one operation at /x.
local function document_of(operation, method, version)
  local paths = { ["/x"] = { [method or "get"] = operation } }
  return {
    openapi = version or "3.1.0",
    info = { title = "x" },
    servers = { { url = "https://h.example" } },
    paths = paths,
    components = {
      schemas = {
        Item = { type = "object", properties = { id = { type = "integer" } } },
        Error = { type = "object", properties = { message = { type = "string" } } },
      },
    },
  }
end

local function response_of(name)
  local reference = { ["$ref"] = "#/components/schemas/" .. name }
  return { content = { ["application/json"] = { schema = reference } } }
end

local function definitions_of(root, options)
  local made = types.generate(root, "api", options or { responses = true })
  local texts = {}
  for _, file in ipairs(made.files) do
    texts[#texts + 1] = file.text
  end
  return table.concat(texts, "\n"), made
end

describe("an answer's type", function()
  -- `answer`: the answer's alias in the definitions, nil if it has none.
  local ROWS = {
    {
      title = "is that of a success, and not that of the default error beside it",
      responses = { ["204"] = { description = "gone" }, default = response_of "Error" },
    },
    {
      title = "is that of the default where no success is declared",
      responses = { default = response_of "Item" },
      answer = "api.response.Item",
    },
    {
      title = "is that of 2XX beside a default",
      responses = { ["2XX"] = response_of "Item", default = response_of "Error" },
      answer = "api.response.Item",
    },
    {
      title = "is found by a status code that is a number, as YAML's decoders give it",
      responses = { [200] = response_of "Item", [404] = response_of "Error" },
      answer = "api.response.Item",
    },
    {
      title = "is not that of an error whose status code is a number",
      responses = { [404] = response_of "Error" },
    },
  }
  for _, row in ipairs(ROWS) do
    it(row.title, function()
      local text = definitions_of(document_of { responses = row.responses })
      assert.equal(row.answer, text:match "%-%-%-@alias api%.GET_x%.response ([^\n]*)")
    end)
  end
end)

describe("a document", function()
  for _, required in ipairs { false, true } do
    local what = required and "is left out, as it must be there" or "is read without it"
    it("with a list of lists among the parameters of Swagger 2.0 " .. what, function()
      local lists = {
        name = "a",
        ["in"] = "query",
        required = required,
        type = "array",
        items = { type = "array", collectionFormat = "pipes", items = { type = "string" } },
      }
      local made = types.generate({
        swagger = "2.0",
        host = "h.example",
        schemes = { "https" },
        paths = { ["/t"] = { get = { parameters = { lists } } } },
      }, "api")
      local note = 'GET /t: the parameter "a" is left out: it is a list of lists'
      local reason = 'its parameter "a" is a list of lists'
      assert.same(required and {} or { note }, made.notes)
      local left_out = { { operation = "GET /t", reason = reason } }
      assert.same(required and left_out or {}, made.left_out)
    end)
  end

  for what, row in pairs {
    ["only webhooks"] = {
      root = { webhooks = {}, components = {} },
      note = "It describes only webhooks, which the API sends: it has no route to call.",
    },
    ["only components"] = {
      root = { components = {} },
      note = "It has only components: it has no route to call.",
    },
  } do
    it("with " .. what .. " is an empty module, and told so", function()
      row.root.openapi = "3.1.0"
      row.root.servers = { { url = "https://h.example" } }
      local made = types.generate(row.root, "api", { checks = true, responses = true })
      assert.same({ 0, { row.note } }, { made.operations, made.notes })
      for _, file in ipairs(made.files) do
        assert.truthy((loadstring or load)(file.text), file.name)
      end
    end)
  end

  it("with an optional body under GET gets a note", function()
    local body = { content = { ["application/json"] = { schema = { type = "object" } } } }
    local _, made = definitions_of(document_of { requestBody = body })
    assert.same({ "GET /x: its body is left out: a GET cannot have one" }, made.notes)
  end)
end)

describe("the value async", function()
  it("is written so that the editor does not read its own word", function()
    local state = { name = "state", ["in"] = "query", schema = { enum = { "async", "sync" } } }
    local text = definitions_of(document_of { parameters = { state } })
    assert.truthy(text:find([[---@field state? "\034async\034"|"sync"]], 1, true), text)
  end)
end)

-- The definitions of a body in which the property `item` has a $ref to Item and words beside it.
local function beside_reference(version, words)
  words["$ref"] = "#/components/schemas/Item"
  local schema = { type = "object", properties = { item = words } }
  local root = document_of(
    { requestBody = { content = { ["application/json"] = { schema = schema } } } },
    "post",
    version
  )
  root.components.schemas.Loop =
    { ["$ref"] = "#/components/schemas/Loop", properties = { a = { type = "string" } } }
  return definitions_of(root, {})
end

describe("what is beside a $ref", function()
  it("holds in OpenAPI 3.1: another property", function()
    local words = { properties = { color = { type = "string" } }, required = { "color" } }
    local text = beside_reference("3.1.0", words)
    assert.truthy(text:find("---@field color string\n---@field id? integer\n", 1, true), text)
  end)

  it("does not hold in OpenAPI 3.0", function()
    local text = beside_reference("3.0.3", { properties = { color = { type = "string" } } })
    assert.falsy(text:find("color", 1, true))
    assert.truthy(text:find("---@field item? api.body.Item", 1, true), text)
  end)

  it("leaves the class its name where it is a description", function()
    local text = beside_reference("3.1.0", { description = "An item." })
    assert.truthy(text:find("---@field item? api.body.Item", 1, true), text)
  end)

  it("leaves the operation out where the $ref leads to itself", function()
    local _, made = beside_reference("3.1.0", {
      properties = { more = { ["$ref"] = "#/components/schemas/Loop" } },
    })
    local reason = '$ref "#/components/schemas/Loop" leads in a circle'
    assert.same({ { operation = "POST /x", reason = reason } }, made.left_out)
  end)
end)

-- --- YAML -------------------------------------------------------------------------

local has_yaml, lyaml = pcall(require, "yaml")
has_yaml = has_yaml and type(lyaml) == "table" and lyaml.parser ~= nil

local function decode(text)
  return require("endpoint.types.document.yaml").decode(text, lyaml.parser)
end

describe("YAML", function()
  if not has_yaml then
    it("is read where lyaml is installed", function()
      pending "lyaml is not installed"
    end)
    return
  end

  for written, value in pairs {
    True = true,
    TRUE = true,
    False = false,
    FALSE = false,
    Null = json.null,
    NULL = json.null,
    no = "no",
    on = "on",
    tRUE = "tRUE",
    [".01"] = 0.01,
    ["+.5"] = 0.5,
    ["-.5e1"] = -5,
    ["5."] = 5,
    ["+5"] = 5,
    ["-0"] = 0,
    ["007"] = 7,
    ["0x1F"] = 31,
    ["0o17"] = 15,
    ["1e3"] = 1000,
    ["1E+3"] = 1000,
    ["1.5e-1"] = 0.15,
    ["100000000000000000000"] = 1e20,
    ["!!int 5"] = 5,
    ['!!int "5"'] = 5,
    ["!!float 5"] = 5,
    ["!!str 5"] = "5",
    ["!!bool true"] = true,
    ["!!null x"] = "x",
    ["!x 5"] = "5",
    ["1_000"] = "1_000",
    ["1.2.3"] = "1.2.3",
    ["2020-01-01"] = "2020-01-01",
    ["."] = ".",
    ["+"] = "+",
    ["0x"] = "0x",
    ["0xG"] = "0xG",
    ["0o8"] = "0o8",
    ["-0x1F"] = "-0x1F",
    ["1e"] = "1e",
    [".inf"] = ".inf",
    [".nan"] = ".nan",
    ["e5"] = "e5",
  } do
    it("reads " .. written .. " as YAML 1.2's core schema does", function()
      assert.equal(value, decode("a: " .. written).a)
    end)
  end

  it("reads True in quotes as a string", function()
    assert.equal("True", decode('a: "True"').a)
  end)

  it("says which key is given twice, and where", function()
    local root, notes = decode "get: 1\npaths:\n  /x: 1\n  /y: 2\n  /x: 3\n"
    assert.equal(3, root.paths["/x"])
    assert.same({ 'line 5: the key "/x" is given twice, and its last value counts' }, notes)
  end)

  it("says it of 20 keys at most", function()
    local _, notes = decode(("a: 1\n"):rep(100))
    assert.equal(20, #notes)
  end)

  it("says nothing of a key that a merged map has, too", function()
    local root, notes = decode "a: &a {k: 1}\nb:\n  <<: *a\n  k: 2\n"
    assert.equal(2, root.b.k)
    assert.same({}, notes)
  end)

  it("takes 100 directives", function()
    local lines = {}
    for i = 1, 100 do
      lines[i] = ("%%TAG !a%d! tag:a\n"):format(i)
    end
    local text = table.concat(lines) .. ("# 100 %\n"):rep(200) .. "---\na: 1\n"
    assert.same({ a = 1 }, (decode(text)))
  end)

  for name, text in pairs {
    ["lines of %TAG"] = ("%TAG !a! tag:a\n"):rep(101) .. "---\na: 1\n",
    ["lines that end in CR"] = ("%TAG !a! tag:a\r"):rep(101) .. "---\ra: 1\r",
    ["lines that end in NEL"] = ("%X\194\133"):rep(101) .. "---\n",
    ["lines that end in U+2028"] = ("%X\226\128\168"):rep(101) .. "---\n",
    ["lines in UTF-16"] = "\255\254" .. ("%\0X\0\n\0"):rep(101) .. "-\0-\0-\0",
  } do
    it("refuses more than 100 directives, before libyaml reads one: " .. name, function()
      local is_decoded, problem = pcall(
        require("endpoint.types.document.yaml").decode,
        text,
        function()
          error "libyaml was asked"
        end
      )
      assert.is_false(is_decoded)
      assert.equal("more than 100 lines begin with %", problem)
    end)
  end

  it("takes lists that are 1,000 deep", function()
    assert.truthy(decode(("["):rep(1000) .. ("]"):rep(1000)))
  end)

  for name, text in pairs {
    ["lists in brackets"] = "a: " .. ("["):rep(100000),
    ["maps in braces"] = "a: " .. ("{a: "):rep(100000),
    ["lists of dashes"] = ("- "):rep(100000),
  } do
    it("stops at 1,000 levels of " .. name .. ", in a moment", function()
      local before = os.clock()
      local is_decoded, problem = pcall(decode, text)
      assert.is_false(is_decoded)
      assert.equal("lists and maps are nested more than 1000 deep", problem)
      assert.is_true(os.clock() - before < 2)
    end)
  end
end)
