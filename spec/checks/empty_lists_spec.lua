-- The empty tables of a body, as a sender with the rules as its setting `check` writes them:
-- lua-cjson decodes [] and {} to the same, and writes {} for both.
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local request = require "endpoint.request"
local types = require "endpoint.types"

-- --- the API ------------------------------------------------------------------------

local LIST, OBJECT, TEXT = { type = "array" }, { type = "object" }, { type = "string" }
local FREE = { type = "object", additionalProperties = true }

local NOTE = {
  type = "object",
  properties = {
    tags = { type = "array", items = TEXT },
    rows = { type = "array", items = { type = "array", items = TEXT } },
    pair = { type = "array", prefixItems = { OBJECT, LIST } },
    maybe = { type = { "array", "null" } },
    author = FREE,
    either = { type = { "array", "object" } },
    parts = {
      oneOf = { LIST, { type = "object", required = { "id" }, properties = { id = TEXT } } },
    },
    both = { anyOf = { LIST, { type = "object", properties = { id = TEXT } } } },
    anything = {},
    choice = { type = "array", enum = { {}, { "a" } } },
    title = TEXT,
    ['a/"b"\\'] = LIST,
    lists = { type = "object", additionalProperties = LIST },
    named = {
      type = "object",
      patternProperties = { ["^x"] = OBJECT },
      additionalProperties = LIST,
    },
    answers = { type = "array", items = { ["$ref"] = "#/components/schemas/Note" } },
  },
}

local function post(schema, media_type)
  local content = { [media_type or "application/json"] = { schema = schema } }
  return { post = { requestBody = { content = content } } }
end

local REF = { ["$ref"] = "#/components/schemas/Note" }
local made = types.generate({
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  paths = {
    ["/notes"] = post(REF),
    ["/words"] = post(LIST),
    ["/forms"] = post(
      { type = "object", properties = { a = TEXT } },
      "application/x-www-form-urlencoded"
    ),
  },
  components = { schemas = { Note = NOTE } },
}, "api", { checks = true })
local rules = assert((loadstring or load)(made.files[#made.files - 1].text))()
local api = endpoint.defaults { baseUrl = "https://h.example" }

-- --- what is sent -------------------------------------------------------------------

-- The body that a sender with these settings sends for a call.
local function sent(route, options, settings, of)
  local body
  local all = { check = rules.check }
  for name, one in pairs(settings or {}) do
    all[name] = one
  end
  function all.client(r, of_try)
    body = clients.plain(r, { encode = of_try.encode }).body
    return 204, {}
  end
  request.new(of or api, all)(route, options)
  return body
end

local function note(options, ...)
  return sent("POST /notes", options, ...)
end

local function marked(kind)
  return setmetatable({}, { __jsontype = kind })
end

-- Bodies that are given, and the JSON that is sent.
local ROWS = {
  { what = "a list is []", given = { tags = {} }, sent = '{"tags":[]}' },
  {
    what = "a list in a list is []",
    given = { rows = { {}, { "a" }, {} } },
    sent = '{"rows":[[],["a"],[]]}',
  },
  {
    what = "elements have their own rules",
    given = { pair = { {}, {} } },
    sent = '{"pair":[{},[]]}',
  },
  { what = "a list of an enumeration is []", given = { choice = {} }, sent = '{"choice":[]}' },
  { what = "a list that may be null is []", given = { maybe = {} }, sent = '{"maybe":[]}' },
  { what = "an object is {}", given = { author = {} }, sent = '{"author":{}}' },
  {
    what = "what may be a list or an object is {}",
    given = { either = {} },
    sent = '{"either":{}}',
  },
  {
    what = "where an empty object does not fit, a list is []",
    given = { parts = {} },
    sent = '{"parts":[]}',
  },
  { what = "what has no rules is {}", given = { anything = { {} } }, sent = '{"anything":[{}]}' },
  {
    what = "a table that is marked as a list is [] where only a list fits",
    given = { tags = marked "array" },
    sent = '{"tags":[]}',
  },
  {
    what = "a table that is marked as an object is {}",
    given = { author = marked "object" },
    sent = '{"author":{}}',
  },
  {
    what = "a list may have a name that JSON escapes",
    given = { ['a/"b"\\'] = {} },
    sent = '{"a\\/\\"b\\"\\\\":[]}',
  },
  {
    what = "a list may have a name of additionalProperties",
    given = { lists = { [","] = {} } },
    sent = '{"lists":{",":[]}}',
  },
  {
    what = "what a pattern may take is {}",
    given = { named = { xa = {} } },
    sent = '{"named":{"xa":{}}}',
  },
  {
    what = "a list of a schema that holds itself is []",
    given = { answers = { { answers = { { tags = {} } } } } },
    sent = '{"answers":[{"answers":[{"tags":[]}]}]}',
  },
  {
    what = "marks of JSON in a string stay",
    given = { anything = { '\\"{}[],', {}, '{"tags":{}}' } },
    sent = '{"anything":["\\\\\\"{}[],",{},"{\\"tags\\":{}}"]}',
  },
  { what = "a body without fields is {}", given = { data = {} }, sent = "{}" },
}

describe("an empty table in a body whose rules are known:", function()
  for _, row in ipairs(ROWS) do
    it(row.what, function()
      assert.equal(row.sent, note(row.given))
    end)
  end

  it("a body that is a list is []", function()
    assert.equal("[]", sent("POST /words", { data = {} }))
  end)

  it("each of several lists and objects is what its own place takes", function()
    local body = note { tags = {}, author = {}, rows = { { "a" }, {} }, title = "{", maybe = {} }
    for _, part in ipairs {
      '"tags":[]',
      '"author":{}',
      '"rows":[["a"],[]]',
      '"title":"{"',
      '"maybe":[]',
    } do
      assert.truthy(body:find(part, 1, true), body)
    end
  end)

  it("what lua-cjson has written as [] stays, as its empty_array", function()
    local former = json.encode
    function json.encode() -- not all versions have empty_array
      return '{"anything":[[],{},[]],"tags":{}}'
    end
    local body = note { tags = {} }
    json.encode = former
    assert.equal('{"anything":[[],{},[]],"tags":[]}', body)
  end)

  it("rules that are open know a list without a type by its items", function()
    local schema = { type = "object", properties = { tags = { items = TEXT } } }
    local root = { openapi = "3.1.0", paths = { ["/x"] = post(schema) } }
    local open = types.generate(root, "api", { checks = true, open = true })
    local of_open = assert((loadstring or load)(open.files[#open.files - 1].text))()
    assert.equal('{"tags":[]}', sent("POST /x", { tags = {} }, { check = of_open.check }))
  end)

  it("the program's own encoder comes first", function()
    assert.equal(
      "mine",
      note({ tags = {} }, {
        encode = function()
          return "mine"
        end,
      })
    )
  end)

  it("the encoder of a call comes first", function()
    local function encode()
      return "mine"
    end
    assert.equal("mine", note { tags = {}, request = { encode = encode } })
  end)

  it("a list of the endpoint's defaults is []", function()
    local mine = endpoint.defaults { baseUrl = "https://h.example", tags = {} }
    assert.equal('{"tags":[]}', note({}, nil, mine))
  end)

  it("a list in a table of the endpoint's defaults is []", function()
    local mine = endpoint.defaults { baseUrl = "https://h.example", lists = { a = {} } }
    assert.equal('{"lists":{"a":[]}}', note({}, nil, mine))
  end)

  it("a form stays a form", function()
    local headers = { ["content-type"] = "application/x-www-form-urlencoded" }
    assert.equal("a=%7B%7D", sent("POST /forms", { a = "{}", headers = headers }))
  end)

  it("a body that the program sends as a form stays a form", function()
    local headers = { ["content-type"] = "application/x-www-form-urlencoded" }
    assert.equal("title=x", note { title = "x", headers = headers })
  end)
end)

describe("an empty table that a model gives", function()
  local function send(_, options)
    return options.data
  end

  it("is a list where an empty object does not fit", function()
    assert.equal('{"parts":[]}', (rules.call(send, "POST_notes", { parts = {} }, endpoint)))
  end)

  it("is refused where a pattern may say what it is", function()
    local _, sentence = rules.call(send, "POST_notes", { named = { xa = {} } }, endpoint)
    assert.truthy(sentence:find("an empty list and an empty object look alike", 1, true), sentence)
  end)

  it("is refused where alternatives take both", function()
    local _, sentence = rules.call(send, "POST_notes", { both = {} }, endpoint)
    assert.truthy(sentence:find("an empty list and an empty object look alike", 1, true), sentence)
  end)
end)

describe("what rules.check returns", function()
  it("writes a body as JSON", function()
    assert.equal('{"tags":[]}', rules.check("POST /notes", { tags = { "a" } }) { tags = {} })
  end)

  it("is nothing for a call without JSON", function()
    assert.is_nil(rules.check("POST /forms", { a = "x" }))
  end)

  it("raises what lua-cjson cannot write", function()
    local encode = rules.check "POST /notes"
    assert.is_false((pcall(encode, { anything = print })))
  end)

  it("raises for a number that lua-cjson would change", function()
    local _, problem = pcall(rules.check "POST /notes", { tags = {}, anything = { id = 2 ^ 60 } })
    assert.equal(
      'lua-cjson would lose, or has lost, digits of the number "id": expected a string, or '
        .. "options.encode",
      problem
    )
  end)

  it("takes time that is linear in the body", function()
    local encode = rules.check "POST /notes"
    local function seconds(count)
      local rows = {}
      for position = 1, count do
        rows[position] = { ("\\"):rep(20), "{}" }
      end
      rows[count + 1] = {}
      local before = os.clock()
      encode { rows = rows }
      return os.clock() - before
    end
    seconds(1000)
    assert.is_true(seconds(40000) < 40 * math.max(seconds(4000), 0.005))
  end)
end)
