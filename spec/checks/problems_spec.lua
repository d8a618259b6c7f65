-- All problems of a value at once: what rules.response and rules.call tell.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local problems = require "endpoint.checks.validator.problems"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT, INTEGER = { type = "string" }, { type = "integer" }
local ITEM = {
  type = "object",
  required = { "id", "name" },
  properties = { id = INTEGER, name = TEXT, size = { type = "integer", maximum = 5 } },
  additionalProperties = false,
}
local ORDER = {
  type = "object",
  required = { "items" },
  properties = {
    items = { type = "array", items = ITEM, uniqueItems = true },
    pay = { oneOf = { INTEGER, ITEM } },
  },
}

local function json(schema)
  return { content = { ["application/json"] = { schema = schema } } }
end

local function load_rules()
  local made = types.generate({
    openapi = "3.1.0",
    paths = {
      ["/orders"] = {
        post = {
          operationId = "add",
          parameters = { { name = "dry", ["in"] = "query", schema = { type = "boolean" } } },
          requestBody = json(ORDER),
          responses = { ["200"] = json(ORDER) },
        },
      },
    },
  }, "api", { checks = true, responses = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local WRONG = {
  items = { { id = "x", name = 5 }, { id = 1, size = 9, no = 1 }, { id = 2, name = "y" } },
  pay = true,
}

local FAULTS = {
  { pointer = "/items/0/id", message = "expected an integer, got a string" },
  { pointer = "/items/0/name", message = "expected a string, got 5" },
  { pointer = "/items/1/no", message = "is unknown" },
  { pointer = "/items/1/size", message = "expected at most 5, got 9" },
  { pointer = "/items/1/name", message = "is missing" },
  { pointer = "/pay", message = "expected an integer or an object, got a boolean" },
}

local SENTENCE = table.concat({
  '"items[1].id": expected an integer, got a string',
  '"items[1].name": expected a string, got 5',
  'no parameter "no" in "items[2]"',
  '"items[2].size": expected at most 5, got 9',
  '"name" is missing in "items[2]"',
  '"pay": expected an integer or an object, got a boolean',
}, "; ")

describe("all problems", function()
  local rules = load_rules()

  it("of a response are told at once", function()
    local fits, sentence, list = rules.response("POST /orders", 200, WRONG)
    assert.is_nil(fits)
    local words = SENTENCE:gsub("no parameter", "no property")
    assert.equal("POST /orders{?dry}: status 200: " .. words, sentence)
    assert.same(FAULTS, list)
  end)

  it("of a model's arguments are told at once", function()
    local answer, sentence, list = rules.call(error, "add", WRONG, endpoint)
    assert.is_nil(answer)
    assert.equal("add: " .. SENTENCE, sentence)
    assert.same(FAULTS, list)
  end)

  it("are not there for a right value", function()
    local right = { items = { { id = 1, name = "x" } }, pay = 3 }
    assert.same({ true }, { rules.response("POST /orders", 200, right) })
    local answer, sentence = rules.call(function()
      return "sent"
    end, "add", right, endpoint)
    assert.same({ "sent" }, { answer, sentence })
  end)

  it("are 20 at most", function()
    local items = {}
    for position = 1, 100 do
      items[position] = { id = "x", name = position }
    end
    local _, _, list = rules.response("POST /orders", 200, { items = items })
    assert.equal(20, #list)
  end)
end)

-- --- the walk ---------------------------------------------------------------------

local function rulebook_of(schemas)
  local rulebook = { schemas = schemas or {}, has_unevaluated = false }
  function rulebook.node(node)
    return node.ref and rulebook.schemas[node.ref] or node
  end
  return rulebook
end

-- node; value; the pointers of its problems
local NODES = {
  {
    what = "an allOf beside properties",
    node = { properties = { a = INTEGER }, allOf = { { properties = { b = INTEGER } } } },
    value = { a = "x", b = "y" },
    pointers = { "/a", "/b" },
  },
  {
    what = "alternatives, of which none fits",
    node = { anyOf = { { properties = { a = INTEGER } }, INTEGER } },
    value = { a = "x" },
    pointers = { "/a" },
  },
  {
    what = "properties by a pattern",
    node = { properties = { a = INTEGER }, patternProperties = { ["^x"] = INTEGER } },
    value = { a = "x", x1 = 1 },
    pointers = { "/a" },
  },
  {
    what = "tuples",
    node = { prefixItems = { INTEGER, TEXT }, items = false },
    value = { "a", 1, 2 },
    pointers = { "/0", "/1", "/2" },
  },
  {
    what = "names, and their limit",
    node = { propertyNames = { maxLength = 2 }, maxProperties = 1 },
    value = { abc = 1, b = 2 },
    pointers = { "" },
  },
  {
    what = "a list where an object must be",
    node = { type = "object", properties = { a = INTEGER } },
    value = { 1 },
    pointers = { "" },
  },
  {
    what = "numbers that JSON does not have, each once",
    node = { properties = { a = INTEGER, b = {} }, additionalProperties = TEXT },
    value = { a = 0 / 0, b = 1 / 0, c = -1 / 0 },
    pointers = { "/a", "/b", "/c" },
  },
  {
    what = "tables that are no list and no object, each once",
    node = { type = "array", items = {} },
    value = { { 1, nil, 3 }, 5, { 1, x = 2 } },
    pointers = { "/0", "/2" },
  },
  {
    what = "a name of which two nodes say something",
    node = {
      properties = { x1 = { maximum = 3 } },
      patternProperties = { ["^x"] = { multipleOf = 2 } },
    },
    value = { x1 = 5 },
    pointers = { "/x1", "/x1" },
  },
  { what = "a scalar", node = INTEGER, value = "x", pointers = { "" } },
  { what = "no value at all", node = false, value = 1, pointers = { "" } },
}

describe("all problems of", function()
  for _, row in ipairs(NODES) do
    it(row.what, function()
      local pointers = {}
      local all = problems.all(rulebook_of(), row.node, row.value)
      for position, one in ipairs(problems.told(all)) do
        pointers[position] = one.pointer
      end
      assert.same(row.pointers, pointers)
    end)
  end

  -- node; value; the words of its one problem
  local INFINITY = ("got %s"):format(1 / 0)
  for _, row in ipairs {
    { TEXT, 1 / 0, "expected a string, " .. INFINITY },
    { INTEGER, 1 / 0, "expected an integer, " .. INFINITY },
    { { type = { "string", "number" } }, 0 / 0, "expected a number, got NaN" },
    { {}, 0 / 0, "expected a number, got NaN" },
    { TEXT, { 1, x = 2 }, "expected a string, got a table" },
    { { type = { "string", "null" } }, { 1, nil, 3 }, "expected a string or null, got a table" },
    { { type = { "string", "object" } }, { 1, nil, 3 }, "expected an object, got a table" },
    { { type = "array" }, { x = 1, [true] = 2 }, "expected a list, got a table" },
    { {}, { x = 1, [true] = 2 }, "expected an object, got a table" },
  } do
    it("a value that JSON does not have name what it should be: " .. row[3], function()
      local told = problems.told(problems.all(rulebook_of { row[1] }, { ref = 1 }, row[2]))
      assert.same({ { pointer = "", message = row[3] } }, told)
    end)
  end

  it("a table that is in itself, or in many places, end", function()
    local node = { type = "object", properties = {} }
    local rulebook = rulebook_of { node }
    node.properties.a, node.properties.b, node.properties.n = { ref = 1 }, { ref = 1 }, INTEGER
    local loop = { n = "x" }
    loop.a, loop.b = loop, loop
    assert.is_true(#problems.all(rulebook, { ref = 1 }, loop) > 0)
    local shared = { n = "x" }
    for _ = 1, 60 do
      shared = { a = shared, b = shared }
    end
    assert.equal(1, #problems.all(rulebook, { ref = 1 }, shared))
  end)

  -- How many steps of Lua a function takes, in thousands.
  local function steps_of(f)
    local jit, count = rawget(_G, "jit"), 0
    if jit then
      jit.off()
    end
    debug.sethook(function()
      count = count + 1
    end, "", 1000)
    f()
    debug.sethook()
    if jit then
      jit.on()
    end
    return count
  end

  it("a value below alternatives of each level take steps that grow with its size", function()
    local node = { type = "object", properties = {} }
    node.anyOf = { { properties = { n = INTEGER } }, { required = { "z" } } }
    node.properties.a, node.properties.n = { ref = 1 }, {}
    local rulebook = rulebook_of { node }
    local function steps(levels)
      local deep = { n = "x" }
      for _ = 1, levels do
        deep = { a = deep, n = 1 }
      end
      return steps_of(function()
        for _ = 1, 10 do
          assert.equal(1, #problems.all(rulebook, { ref = 1 }, deep))
        end
      end)
    end
    steps(10)
    local ratio = steps(160) / steps(40)
    assert.is_true(ratio < 7, ratio) -- 16 if each level looked at all deeper ones
  end)
end)
