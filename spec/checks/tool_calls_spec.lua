-- What a model asks for is what goes on the wire, or the model gets a sentence.
-- TOOL_CALLS=2000 makes so many random calls of each tool, in the place of 60.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local json = require "cjson"
local request = require "endpoint.request"
local support = require "support"
local tool_calls = require "checks.tool_calls"
local types = require "endpoint.types"

local load_text = loadstring or load

local TEXT, WORDS = { type = "string" }, { type = "array", items = { type = "string" } }
local COLOURS = { type = "array", items = { type = "string", enum = { "red", "blue" } } }
local SCALARS = { "string", "null", "number" }
local FREE = { type = "object", additionalProperties = true }

local function body(schema, media_type, more)
  local content = { schema = schema }
  for key, value in pairs(more or {}) do
    content[key] = value
  end
  return {
    required = not (more and more.is_optional),
    content = { [media_type or "application/json"] = content },
  }
end

local function object(properties, more)
  local made = { type = "object", properties = properties }
  for key, value in pairs(more or {}) do
    made[key] = value
  end
  return made
end

local function q(name, schema, more)
  local parameter = { name = name, ["in"] = "query", schema = schema }
  for key, value in pairs(more or {}) do
    parameter[key] = value
  end
  return parameter
end

local NOTE = object({
  title = TEXT,
  tags = WORDS,
  map = { type = "object", additionalProperties = { type = "integer" } },
  either = { anyOf = { WORDS, { type = "object" } } },
  any = {},
  parts = { type = "array", items = { ["$ref"] = "#/components/schemas/Note" } },
  maybe = { type = { "string", "null" } },
  known = { type = "string", ["x-nullable"] = true },
  ["a|b"] = object { ["c d"] = TEXT, ["a_b"] = TEXT },
})

local FORM = object {
  name = TEXT,
  count = { type = "integer" },
  tags = WORDS,
  joined = WORDS,
  piped = WORDS,
  meta = { type = "object" },
  deep = { type = "object" },
  list = { type = "array", items = { type = "object" } },
  either = { anyOf = { TEXT, { type = "object" } } },
}
local FORM_STYLES = {
  encoding = {
    joined = { explode = false },
    piped = { style = "pipeDelimited", explode = false },
    deep = { style = "deepObject" },
  },
}

local ROOT = {
  openapi = "3.1.0",
  servers = { { url = "https://h.example" } },
  components = { schemas = { Note = NOTE } },
  paths = {
    ["/json/{id}"] = {
      parameters = { { name = "id", ["in"] = "path", required = true, schema = TEXT } },
      post = {
        operationId = "json",
        requestBody = body { ["$ref"] = "#/components/schemas/Note" },
      },
      patch = {
        operationId = "merge",
        requestBody = body(object({ title = TEXT }, FREE), "application/merge-patch+json"),
      },
      put = { operationId = "scalar", requestBody = body { type = SCALARS } },
      delete = {
        operationId = "either",
        requestBody = body { oneOf = { TEXT, object { labels = WORDS } } },
      },
    },
    ["/form"] = {
      post = {
        operationId = "form",
        requestBody = body(FORM, "application/x-www-form-urlencoded", FORM_STYLES),
      },
    },
    ["/form/{tags}"] = {
      parameters = { { name = "tags", ["in"] = "path", required = true, schema = TEXT } },
      post = {
        operationId = "clash",
        requestBody = body(
          object { tags = WORDS, ["a b"] = WORDS },
          "application/x-www-form-urlencoded"
        ),
      },
    },
    ["/parts"] = {
      post = {
        operationId = "parts",
        requestBody = body(
          object {
            name = TEXT,
            tags = WORDS,
            meta = FREE,
            file = { type = "string", format = "binary" },
          },
          "multipart/form-data"
        ),
      },
      put = {
        operationId = "upload",
        requestBody = body(
          object({ file = { type = "string", format = "binary" } }, { required = { "file" } }),
          "multipart/form-data"
        ),
      },
      patch = { operationId = "image", requestBody = body({}, "image/png") },
    },
    ["/text"] = {
      post = { operationId = "text", requestBody = body(TEXT, "text/plain") },
      put = { operationId = "xml", requestBody = body(object { a = TEXT }, "application/xml") },
    },
    ["/query"] = {
      get = {
        operationId = "query",
        parameters = {
          q("words", WORDS),
          q("labels[]", WORDS),
          q("spaced", COLOURS, { style = "spaceDelimited", explode = false }),
          q("piped", COLOURS, { style = "pipeDelimited", explode = false }),
          q("map", object { R = TEXT }, { style = "pipeDelimited", explode = false }),
          q("filter", FREE, { style = "deepObject" }),
          q("where", nil, { content = { ["application/json"] = { schema = FREE } } }),
          q("page", { type = "integer" }),
        },
      },
      post = {
        operationId = "search",
        parameters = { q("filter", FREE, { style = "deepObject" }) },
        requestBody = body(NOTE),
      },
    },
    ["/open"] = {
      post = { operationId = "open", requestBody = body(object({ title = TEXT }, FREE)) },
    },
  },
}

local function load_rules(root)
  local made = types.generate(root, "api", { checks = true })
  return assert(load_text(made.files[#made.files - 1].text))()
end

local rules = load_rules(ROOT)

-- Sends over an endpoint; `sent` is the last result of it.
local sent
local function sender(api, check)
  return request.new(api, {
    check = check,
    client = function(r)
      sent = r
      return 204, {}, ""
    end,
  })
end

local send = sender(endpoint.defaults { baseUrl = "https://h.example" })

-- A list with a null in the middle would end there.
local function null()
  return json.null
end

local function deep(levels)
  local value = "x"
  for _ = 1, levels do
    value = { value }
  end
  return value
end

local ALIKE = "expected elements: an empty list and an empty object look alike here, leave it out"
local EMPTY = "expected elements: an empty list or object cannot be written here, leave it out"
local TOO_LARGE = "expected a number between -2^53 and 2^53, got one that may have lost digits"
local DIGITS =
  "expected an integer or a string, got a float of 2^53 or more, which may have lost digits"
local FILE =
  'cannot be called here: its body must have the file "file", and an argument cannot hold bytes'

-- Arguments of tools, and what is sent: the body, its type and the query; or the sentence for the
-- model.
local ROWS = {
  -- JSON of every type
  {
    tool = "json",
    arguments = { id = "1", title = "x", tags = {} },
    sent = '{"tags":[],"title":"x"}',
    content_type = "application/json; charset=utf-8",
  },
  { tool = "json", arguments = { id = "1", map = {} }, sent = '{"map":{}}' },
  {
    tool = "json",
    arguments = { id = "1", parts = { { tags = {}, map = {} } } },
    sent = '{"parts":[{"map":{},"tags":[]}]}',
  },
  { tool = "json", arguments = { id = "1" }, sent = "{}" },
  {
    tool = "json",
    arguments = { id = "1", parts = { { a_b_2 = { c_d = "x" } } } },
    sent = '{"parts":[{"a|b":{"c d":"x"}}]}',
  },
  {
    tool = "json",
    arguments = { id = "1", any = { a = { 1, null() } } },
    sent = '{"any":{"a":[1,null]}}',
  },
  { tool = "json", arguments = { id = "1", maybe = null() }, sent = '{"maybe":null}' },
  { tool = "json", arguments = { id = "1", known = null() }, sent = '{"known":null}' },
  { tool = "json", arguments = { id = "1", title = null() }, sent = "{}" },
  {
    tool = "json",
    arguments = { id = "1", title = '{"tags":["x"]}' },
    sent = '{"title":"{\\"tags\\":[\\"x\\"]}"}',
  },
  { tool = "json", arguments = { id = "1", any = 0.1 }, sent = '{"any":0.1}' },
  { tool = "json", arguments = { id = "1", any = 2 ^ 53 - 1 }, sent = '{"any":9007199254740991}' },
  {
    tool = "json",
    arguments = { id = "1", a_b = { c_d = "x", a_b = "y" } },
    sent = '{"a|b":{"a_b":"y","c d":"x"}}',
  },
  {
    tool = "scalar",
    arguments = { id = "1", data = "on" },
    sent = '"on"',
    content_type = "application/json; charset=utf-8",
  },
  { tool = "scalar", arguments = { id = "1", data = 5 }, sent = "5" },
  { tool = "scalar", arguments = { id = "1", data = null() }, sent = "null" },
  {
    tool = "either",
    arguments = { id = "1", data = '{"admin":true}' },
    sent = '"{\\"admin\\":true}"',
  },
  { tool = "either", arguments = { id = "1", data = { labels = {} } }, sent = '{"labels":[]}' },
  {
    tool = "merge",
    arguments = { id = "1", title = "x" },
    sent = '{"title":"x"}',
    content_type = "application/merge-patch+json",
  },
  -- what JSON cannot say
  { tool = "json", arguments = { id = "1", any = {} }, sentence = 'json: "any": ' .. ALIKE },
  { tool = "json", arguments = { id = "1", either = {} }, sentence = 'json: "either": ' .. ALIKE },
  {
    tool = "json",
    arguments = { id = "1", any = { x = 1e17 } },
    sentence = 'json: "any.x": ' .. DIGITS,
  },
  { tool = "json", arguments = { id = "1", any = 1e300 }, sentence = 'json: "any": ' .. DIGITS },
  {
    tool = "json",
    arguments = { id = "1", any = "\255" },
    sentence = 'json: "any": expected a string in UTF-8',
  },
  {
    tool = "json",
    arguments = { id = "1", a_b = { c_d = 5 } },
    sentence = 'json: "a_b.c_d": expected a string, got 5',
  },
  {
    tool = "json",
    arguments = { id = "1", a_b = { x = 5 } },
    sentence = 'json: no parameter "x" in "a_b"',
  },
  -- forms
  {
    tool = "form",
    arguments = { name = "a b", count = 5, tags = { "x", "y" } },
    sent = "count=5&name=a%20b&tags=x&tags=y",
    content_type = "application/x-www-form-urlencoded",
  },
  {
    tool = "form",
    arguments = { joined = { "a", "b" }, piped = { "a", "b" } },
    sent = "joined=a%2Cb&piped=a%7Cb",
  },
  {
    tool = "form",
    arguments = { deep = { a = { b = "c" }, d = { "e" } } },
    sent = "deep%5Ba%5D%5Bb%5D=c&deep%5Bd%5D%5B%5D=e",
  },
  { tool = "form", arguments = { meta = { a = { 1 } } }, sent = "meta=%7B%22a%22%3A%5B1%5D%7D" },
  {
    tool = "form",
    arguments = { list = { { a = 1 }, { b = 2 } } },
    sent = "list=%7B%22a%22%3A1%7D&list=%7B%22b%22%3A2%7D",
  },
  { tool = "form", arguments = { either = "x" }, sent = "either=x" },
  { tool = "form", arguments = { either = "a{b" }, sent = "either=a%7Bb" },
  {
    tool = "form",
    arguments = { either = " [1]" },
    sentence = 'form: "either": expected the value itself, got a string that begins as JSON does',
  },
  {
    tool = "form",
    arguments = { either = '{"a":1}' },
    sentence = 'form: "either": expected the value itself, got a string that begins as JSON does',
  },
  {
    tool = "form",
    arguments = { joined = { "a,b" } },
    sentence = 'form: "joined": expected no "," in it, which joins its elements',
  },
  {
    tool = "form",
    arguments = { tags = {} },
    sentence = 'form: "tags": expected elements: an empty list or object cannot be written in '
      .. "a form",
  },
  { tool = "form", arguments = { count = 2 ^ 53 }, sentence = 'form: "count": ' .. TOO_LARGE },
  {
    tool = "clash",
    arguments = { tags = "1", tags_2 = {} },
    sentence = 'clash: "tags_2": expected elements: an empty list or object cannot be written in '
      .. "a form",
  },
  {
    tool = "clash",
    arguments = { tags = "1", a_b = {} },
    sentence = 'clash: "a_b": expected elements: an empty list or object cannot be written in '
      .. "a form",
  },
  -- parts and texts
  { tool = "text", arguments = { data = "<b>" }, sent = "<b>", content_type = "text/plain" },
  { tool = "xml", arguments = { data = "<a/>" }, sent = "<a/>", content_type = "application/xml" },
  {
    tool = "text",
    arguments = { data = { 1 } },
    sentence = 'text: "data": expected a string, got a list',
  },
  -- queries
  { tool = "query", arguments = { words = { "a", "b" } }, query = "?words=a&words=b" },
  {
    tool = "query",
    arguments = { labels = { "a", "b" } },
    query = "?labels%5B%5D=a&labels%5B%5D=b",
  },
  { tool = "query", arguments = { spaced = { "red", "blue" } }, query = "?spaced=red%20blue" },
  { tool = "query", arguments = { piped = { "red", "blue" } }, query = "?piped=red%7Cblue" },
  { tool = "query", arguments = { map = { R = "1" } }, query = "?map=R%7C1" },
  {
    tool = "query",
    arguments = { where = { a = { 1 } } },
    query = "?where=%7B%22a%22%3A%5B1%5D%7D",
  },
  {
    tool = "query",
    arguments = { filter = { a = 1, b = { c = "d" }, e = { "f", "g" } } },
    query = "?filter%5Ba%5D=1&filter%5Bb%5D%5Bc%5D=d&filter%5Be%5D%5B%5D=f&filter%5Be%5D%5B%5D=g",
  },
  {
    tool = "search",
    arguments = { filter = { a = 1 }, title = "x" },
    sent = '{"title":"x"}',
    content_type = "application/json; charset=utf-8",
    query = "?filter%5Ba%5D=1",
  },
  {
    tool = "query",
    arguments = { spaced = { "green" } },
    sentence = 'query: "spaced[1]": expected red or blue, got "green"',
  },
  { tool = "query", arguments = { words = {} }, sentence = 'query: "words": ' .. EMPTY },
  {
    tool = "query",
    arguments = { filter = { ["a]"] = 1 } },
    sentence = 'query: "filter": expected names without "[" and "]"',
  },
  { tool = "query", arguments = { page = 2 ^ 53 }, sentence = 'query: "page": ' .. TOO_LARGE },
  -- what arguments cannot hold
  { tool = "upload", arguments = {}, sentence = "upload: " .. FILE },
  {
    tool = "image",
    arguments = {},
    sentence = 'image: cannot be called here: its body is "image/png", '
      .. "and an argument cannot hold bytes",
  },
}

local function packed(...)
  return { n = select("#", ...), ... }
end

-- The sentence for the model; nil where a response is in its place.
local function sentence_of(_, other)
  return type(other) == "string" and other or nil
end

describe("rules.call sends what the model gave:", function()
  for _, row in ipairs(ROWS) do
    local how = row.sentence and "the model gets a sentence"
      or row.sent and "the body is " .. row.sent
      or "the query is " .. row.query

    it(("%s with %s: %s"):format(row.tool, support.shown(row.arguments), how), function()
      sent = nil
      local sentence = sentence_of(rules.call(send, row.tool, row.arguments))
      assert.equal(row.sentence, sentence)
      if sentence then
        return assert.is_nil(sent)
      end
      assert.equal(row.sent, row.sent and sent.body)
      assert.equal(row.query, sent.url:match "%?.*$")
      if row.content_type then
        assert.equal(row.content_type, sent.headers["content-type"])
      end
    end)
  end

  it("a multipart body has a part for each field, and tables as JSON", function()
    local given = { name = "a", tags = { "x", "y" }, meta = { b = 1 } }
    assert.is_nil(sentence_of(rules.call(send, "parts", given)))
    local read = require("checks.wire_reader").parts(sent.body, sent.headers["content-type"])
    assert.same({ { "a" }, { "x", "y" }, { '{"b":1}' } }, { read.name, read.tags, read.meta })
    assert.equal("application/json", read.types.meta[1])
  end)

  -- OpenAPI 3.1, "Encoding Object", `contentType`.
  for _, row in ipairs {
    {
      what = "a list that is JSON is one part",
      encoding = "application/json",
      schema = { type = "array", items = TEXT },
      given = { "x", "y" },
      parts = { '["x","y"]' },
      types = { "application/json" },
    },
    {
      what = "a string that is JSON has its quotes",
      encoding = "application/problem+json",
      schema = TEXT,
      given = "x",
      parts = { '"x"' },
      types = { "application/problem+json" },
    },
    {
      what = "an object has the media type of the document",
      encoding = "application/vnd.x+json; v=1",
      schema = { type = "object", properties = { a = {} } },
      given = { a = 1 },
      parts = { '{"a":1}' },
      types = { "application/vnd.x+json; v=1" },
    },
    {
      what = "of several media types the first that is one is taken",
      encoding = "text/*, application/xml, text/plain",
      schema = TEXT,
      given = "<a/>",
      parts = { "<a/>" },
      types = { "application/xml" },
    },
    {
      what = "each element of a list has the media type of a text",
      encoding = "text/csv",
      schema = { type = "array", items = TEXT },
      given = { "x,y", "z" },
      parts = { "x,y", "z" },
      types = { "text/csv", "text/csv" },
    },
    {
      what = "a media type with a line end is not written",
      encoding = "text/csv\r\nx: y",
      schema = TEXT,
      given = "x",
      parts = { "x" },
      types = {},
    },
  } do
    it("in a multipart body " .. row.what, function()
      local schema = { type = "object", properties = { v = row.schema } }
      local content = {
        ["multipart/form-data"] = {
          schema = schema,
          encoding = { v = { contentType = row.encoding } },
        },
      }
      local made = types.generate({
        openapi = "3.1.0",
        servers = { { url = "https://h.example" } },
        paths = { ["/x"] = { post = { operationId = "g", requestBody = { content = content } } } },
      }, "m", { checks = true })
      local own = (loadstring or load)(made.files[#made.files - 1].text)()
      local result
      local _, sentence = own.call(function(route, options)
        result = endpoint(route, options)
        return result
      end, "g", { v = row.given }, endpoint)
      assert.is_nil(sentence)
      local read = require("checks.wire_reader").parts(result.body, result.headers["content-type"])
      assert.same({ row.parts, row.types }, { read.v, read.types.v or {} })
    end)
  end

  it("a part of another media type is a file, which an argument cannot hold", function()
    local schema = { type = "object", required = { "v" }, properties = { v = TEXT } }
    local content = {
      ["multipart/form-data"] = {
        schema = schema,
        encoding = { v = { contentType = "image/png" } },
      },
    }
    local made = types.generate({
      openapi = "3.1.0",
      paths = { ["/x"] = { post = { operationId = "g", requestBody = { content = content } } } },
    }, "m", { checks = true })
    local own = (loadstring or load)(made.files[#made.files - 1].text)()
    local left_out = own.tools().left_out
    assert.truthy(left_out[1].reason:find('the file "v"', 1, true), left_out[1].reason)
  end)

  for title, value in pairs {
    ["NaN"] = 0 / 0,
    ["infinity"] = 1 / 0,
    ["1,500 levels"] = deep(1500),
  } do
    for _, name in ipairs { "json", "scalar", "either" } do
      it(
        ("the model gets a sentence for %s, and nothing is raised: %s"):format(title, name),
        function()
          local answer, sentence = rules.call(send, name, { id = "1", any = value, data = value })
          assert.is_nil(answer)
          assert.equal("string", type(sentence))
        end
      )
    end
  end

  local function ring()
    local t = {}
    t.a = t
    return t
  end
  local function doubled(levels)
    local many = { "x" }
    for _ = 1, levels do
      many = { many, many }
    end
    return many
  end

  for title, value in pairs {
    ["in itself"] = ring(),
    ["in very many places"] = doubled(60),
  } do
    it("the model gets a sentence for a table that is " .. title, function()
      local answer, sentence = rules.call(send, "json", { id = "1", any = value })
      assert.is_nil(answer)
      assert.truthy(sentence:find "nested too deep" or sentence:find "is too large", sentence)
    end)
  end

  -- The order of `next` changes from run to run. Of 30 names that are all wrong a run would tell
  -- the first one by chance once in 30 times.
  describe("of 30 wrong names the model is told the first:", function()
    local parameters, given = {}, {}
    for position = 10, 39 do
      parameters[#parameters + 1] = q("n" .. position, {})
      given["n" .. position] = { { 1 } }
    end
    local made = load_rules {
      openapi = "3.1.0",
      paths = {
        ["/x"] = {
          get = { operationId = "each", parameters = parameters },
          post = { operationId = "maps", parameters = { q("a", FREE), q("b", FREE) } },
        },
      },
    }

    it("and 19 others, of parameters that a URL cannot hold", function()
      local _, sentence, told = made.call(send, "each", given)
      assert.equal('each: "n10[1]": expected no table here; "n11[1]"', sentence:sub(1, 48))
      assert.equal(20, #told)
      assert.same({ pointer = "/n29/0", message = "expected no table here" }, told[20])
    end)

    it("of the names of a map that a URL cannot hold", function()
      local _, sentence = made.call(send, "maps", { a = given })
      assert.equal('maps: "a.n10": expected no table here', sentence)
    end)

    it("of names that two maps have", function()
      local names = {}
      for name in pairs(given) do
        names[name] = "x"
      end
      local _, sentence = made.call(send, "maps", { a = names, b = names })
      assert.equal('maps: "n10" is given twice', sentence)
    end)
  end)

  -- what is wrong; the call; the problems
  for _, row in ipairs {
    {
      "numbers that have lost digits",
      { tool = "query", arguments = { page = 2 ^ 53, filter = { a = 2 ^ 53 } } },
      { { "/filter/a", TOO_LARGE }, { "/page", TOO_LARGE } },
    },
    {
      "the body alone",
      { tool = "json", arguments = { id = "1", any = { x = 2 ^ 53 } } },
      { { "/any/x", DIGITS } },
    },
  } do
    it("all problems have their pointers: " .. row[1], function()
      local _, sentence, told = rules.call(send, row[2].tool, row[2].arguments)
      local found = {}
      for position, one in ipairs(told) do
        found[position] = { one.pointer, one.message }
      end
      assert.same(row[3], found)
      assert.truthy(sentence:find(found[#found][2], 1, true), sentence)
    end)
  end

  it("a name in two spellings has its pointer", function()
    local given = { id = "1", a_b = { ["c d"] = "y", c_d = "z" } }
    local _, _, told = rules.call(send, "json", given)
    assert.same({ 1, "/a_b" }, { #told, told[1].pointer })
  end)

  it("a value and an object for one parameter are a sentence", function()
    local at = { anyOf = { { type = "integer" }, object { gt = { type = "integer" } } } }
    local made = load_rules {
      openapi = "3.1.0",
      paths = {
        ["/x"] = {
          get = {
            operationId = "since",
            parameters = {
              q("at", at, { style = "deepObject" }),
              q("at2[gt]", TEXT),
              q("at2", TEXT),
            },
          },
        },
      },
    }
    local _, sentence = made.call(send, "since", { at = 1, at_gt = 2 })
    assert.equal('since: "at" is given as a value and as an object', sentence)
    assert.is_nil(sentence_of(made.call(send, "since", { at = 1 })))
    assert.is_nil(sentence_of(made.call(send, "since", { at_gt = 1 })))
    assert.is_nil(sentence_of(made.call(send, "since", { at2 = "1", at2_gt = "1" })))
  end)

  it("a segment of the path that is refused is blamed, and not the body's property", function()
    local paths = {}
    for position = 10, 39 do
      local name = "n" .. position
      paths["/{" .. name .. "}"] = {
        parameters = { { name = name, ["in"] = "path", required = true, schema = TEXT } },
        post = { operationId = name, requestBody = body(object { [name] = TEXT }) },
      }
    end
    local made = load_rules { openapi = "3.1.0", paths = paths }
    for position = 10, 39 do
      local name = "n" .. position
      local _, sentence = made.call(send, name, { [name] = ".." })
      assert.equal(('%s: "%s"'):format(name, name), sentence:match '^.-: "[^"]*"')
    end
  end)

  it("the empty list of lua-cjson is one", function()
    local former = json.empty_array
    json.empty_array = former or io.stdout -- some versions have none
    local value = json.empty_array
    local sentence = sentence_of(rules.call(send, "json", { id = "1", any = { value } }))
    local _, other = rules.call(send, "query", { filter = { a = value } })
    json.empty_array = former
    assert.same({ nil, '{"any":[[]]}' }, { sentence, sent.body })
    assert.truthy(other:find("an empty list cannot be written here", 1, true), other)
  end)

  it("an empty table that a decoder has marked is what the mark says", function()
    local list, map =
      setmetatable({}, { __jsontype = "array" }), setmetatable({}, { __jsontype = "object" })
    rules.call(send, "json", { id = "1", any = list, either = map })
    assert.equal('{"any":[],"either":{}}', sent.body)
  end)
end)

describe("rules.call and the endpoint's defaults:", function()
  local mine =
    sender(endpoint.defaults { baseUrl = "https://h.example", tenant = "mine", page = 7, id = "9" })

  for _, row in ipairs {
    { place = "body", tool = "open", arguments = { title = "x", tenant = "other" } },
    { place = "query", tool = "query", arguments = { page = 1 } },
    { place = "path", tool = "json", arguments = { id = "1", title = "x" } },
  } do
    it("what the defaults hold is refused in the " .. row.place, function()
      sent = nil
      local _, sentence = rules.call(mine, row.tool, row.arguments)
      assert.truthy(sentence:find "is a default of the endpoint", sentence)
      assert.is_nil(sent)
    end)
  end

  it("a default that the document requires need not be given", function()
    assert.is_nil(sentence_of(rules.call(mine, "json", { title = "x" })))
    assert.equal("https://h.example/json/9", sent.url)
  end)

  it("the rules as the setting `check` know the defaults, too", function()
    local api = endpoint.defaults { baseUrl = "https://h.example", id = "9" }
    local checked = sender(api, rules.check)
    checked("POST /json/{id}", { title = "x" })
    assert.equal("https://h.example/json/9", sent.url)
    assert.is_nil(sentence_of(rules.call(checked, "json", { title = "x" })))
    assert.is_false((pcall(rules.check, "POST /json/{id}", { title = "x" })))
    assert.is_false((pcall(rules.check, "POST /json/{id}", { titel = "x" }, api)))
  end)

  it("a default parameter goes into the body beside the fields", function()
    rules.call(mine, "open", { title = "x" })
    assert.same({ title = "x", tenant = "mine", page = 7, id = "9" }, json.decode(sent.body))
  end)

  it("a function that sends is given the endpoint as the last argument", function()
    local api = endpoint.defaults { baseUrl = "https://h.example", tenant = "mine" }
    local function plain(route, options)
      sent = api(route, options)
      return "sent"
    end
    local _, sentence = rules.call(plain, "open", { tenant = "other" }, api)
    assert.equal('open: "tenant" is a default of the endpoint', sentence)
    assert.equal("sent", (rules.call(plain, "open", { title = "x" }, api)))
    local _, problem = pcall(function()
      rules.call(plain, "open", {}, "api")
    end)
    assert.truthy(
      problem:find("endpoint.checks: call: expected an endpoint, got a string", 1, true),
      problem
    )
  end)

  for _, row in ipairs { { "nil", nil }, { "table", {} }, { "string", "send" } } do
    it("a " .. row[1] .. " in the place of a sender raises, and says so", function()
      local ok, problem = pcall(rules.call, row[2], "open", { title = "x" }, endpoint)
      assert.is_false(ok)
      local words = "call: expected a sender, a function or an endpoint, got a " .. row[1]
      assert.equal(words, problem:match "endpoint.checks: (.*)$")
    end)
  end

  it("a misspelt option is named with the one that is meant", function()
    local ok, problem = pcall(rules.call, print, "open", {}, endpoint, { from = "openai" })
    assert.is_false(ok)
    assert.truthy(problem:find('there is no option "from", is it "form"?', 1, true), problem)
  end)

  -- A function of the program's own around a sender, which counts or logs.
  local function wrapped(...)
    return (mine(...))
  end

  for title, around in pairs {
    ["a function"] = wrapped,
    ["a table that is called"] = setmetatable({}, {
      __call = function(_, ...)
        return mine(...)
      end,
    }),
  } do
    for tool, arguments in pairs { open = { title = "x", tenant = "other" }, query = {} } do
      it(("without the endpoint %s sends nothing: %s"):format(title, tool), function()
        sent = nil
        local ok, problem = pcall(rules.call, around, tool, arguments)
        assert.is_false(ok)
        assert.truthy(
          problem:find("expected the endpoint as the fourth argument", 1, true),
          problem
        )
        assert.is_nil(sent)
      end)
    end

    it(("with the endpoint %s is as the sender itself"):format(title), function()
      rules.call(around, "open", { title = "x" }, mine.endpoint)
      assert.same({ title = "x", tenant = "mine", page = 7, id = "9" }, json.decode(sent.body))
      sent = nil
      local _, sentence = rules.call(around, "query", { page = 1 }, mine.endpoint)
      assert.equal('query: "page" is a default of the endpoint', sentence)
      assert.is_nil(sent)
    end)
  end

  it("all that a sender returns is returned", function()
    local api = mine.endpoint
    local function three()
      return nil, "no", 3
    end
    assert.same({ n = 3, nil, "no", 3 }, packed(rules.call(three, "open", { title = "x" }, api)))
    assert.same({ n = 0 }, packed(rules.call(function() end, "open", { title = "x" }, api)))
  end)

  it("the response comes after the body, with its text", function()
    local client = function()
      return 200, { ["content-type"] = "application/json" }, "[]"
    end
    local own = request.new(mine.endpoint, { client = client })
    local decoded, response = rules.call(own, "open", { title = "x" })
    assert.same({}, decoded)
    assert.same({ 200, "[]" }, { response.status, response.text })
  end)

  it("an endpoint in the place of a sender is its own", function()
    local made = rules.call(mine.endpoint, "open", { title = "x" })
    assert.same({ title = "x", tenant = "mine", page = 7, id = "9" }, json.decode(made.body))
    local _, sentence = rules.call(mine.endpoint, "query", { page = 1 })
    assert.equal('query: "page" is a default of the endpoint', sentence)
  end)

  it("a default that is false need not be given", function()
    local api = endpoint.defaults { baseUrl = "https://h.example", id = false }
    assert.is_nil(sentence_of(rules.call(sender(api, rules.check), "json", { title = "x" })))
    assert.equal("https://h.example/json/false", sent.url)
  end)

  for _, name in ipairs { "method", "url", "baseUrl", "headers", "mediaType", "data", "request" } do
    it("a body does not take the name of an option: " .. name, function()
      local _, sentence = rules.call(mine, "open", { [name] = "x" })
      assert.equal(('open: no parameter "%s"'):format(name), sentence)
    end)
  end
end)

it("rules.call joins lists of Swagger 2.0's forms as collectionFormat says", function()
  local function list(name, format)
    return {
      name = name,
      ["in"] = "formData",
      type = "array",
      items = TEXT,
      collectionFormat = format,
    }
  end
  local swagger = load_rules {
    swagger = "2.0",
    host = "h.example",
    paths = {
      ["/x"] = {
        post = {
          operationId = "x",
          parameters = { list "a", list("b", "pipes"), list("c", "multi"), list("d", "ssv") },
        },
      },
    },
  }
  local words = { "x", "y" }
  swagger.call(send, "x", { a = words, b = words, c = words, d = words })
  assert.equal("a=x%2Cy&b=x%7Cy&c=x&c=y&d=x%20y", sent.body)
end)

describe("the parameters of a tool say what its call takes:", function()
  local RECORD = object({ type = TEXT, value = {} }, { required = { "type" } })
  local TWO = object({ type = TEXT }, {
    required = { "type" },
    anyOf = { object { value = TEXT }, object { other = TEXT } },
  })
  local FIELDS = "application/x-www-form-urlencoded"
  local PARTS = "multipart/form-data"

  local function operation(id, request_body)
    return { post = { operationId = id, requestBody = request_body } }
  end

  local told = load_rules {
    openapi = "3.1.0",
    servers = { { url = "https://h.example" } },
    paths = {
      ["/form"] = operation("form", body(RECORD, FIELDS)),
      ["/parts"] = operation("parts", body(RECORD, PARTS)),
      ["/json"] = operation("json", body(RECORD)),
      ["/two"] = operation("two", body(TWO, nil, { is_optional = true })),
      ["/free"] = operation(
        "free",
        body({ anyOf = { TEXT, RECORD } }, nil, { is_optional = true })
      ),
    },
  }

  local function parameters(name)
    return told.tools({ name })[1].parameters
  end

  for _, name in ipairs { "form", "parts" } do
    it("a field of which the document says nothing is no table in a table: " .. name, function()
      local scalar = { type = { "boolean", "number", "string" } }
      local list = { type = "array", items = scalar, minItems = 1 }
      assert.same({ anyOf = { scalar, list } }, parameters(name).properties.value)
      for _, value in ipairs { "x", 5, true, { "x", 5 } } do
        assert.is_nil(sentence_of(told.call(send, name, { type = "t", value = value })))
      end
      for _, value in ipairs { { a = 1 }, { { 1 } }, {} } do
        local _, sentence = told.call(send, name, { type = "t", value = value })
        assert.equal(name .. ': "value', sentence:match '^%w+: "value')
      end
    end)
  end

  it("a field of JSON is any value", function()
    assert.same({}, parameters("json").properties.value)
    local value = { { a = endpoint.null } }
    assert.is_nil(sentence_of(told.call(send, "json", { type = "t", value = value })))
  end)

  it("a body that may be left out must be there if its object has required names", function()
    assert.same({ "data" }, parameters("two").required)
    local _, sentence = told.call(send, "two", {})
    assert.equal('two: "data" is missing', sentence)
    assert.is_nil(sentence_of(told.call(send, "two", { data = { type = "t" } })))
  end)

  it("a body that may be left out, and may be a text, is left out", function()
    assert.same({}, parameters("free").required or {})
    assert.is_nil(sentence_of(told.call(send, "free", {})))
  end)
end)

describe("check:", function()
  it("null as data is not a body", function()
    local ok, problem = pcall(rules.check, "PUT /json/{id}", { id = "1", data = null() })
    assert.is_false(ok)
    assert.truthy(problem:find('"data" is missing', 1, true), problem)
  end)

  for title, data in pairs { ["a string"] = "null", ["a number"] = 5 } do
    it("data may be " .. title, function()
      rules.check("PUT /json/{id}", { id = "1", data = data })
    end)
  end
end)

describe("random calls of tools:", function()
  it("the wire decodes to the arguments, or there is a sentence, and nothing is raised", function()
    local count, seed = tonumber(os.getenv "TOOL_CALLS") or 60, tonumber(os.getenv "SEED") or 1
    local counts, faults = tool_calls.run(ROOT, count, seed)
    assert.same({}, faults)
    assert.is_true(counts.sent > counts.tools * count / 10, counts.sent)
    assert.is_true(counts.refused > counts.tools * count / 10, counts.refused)
  end)
end)
