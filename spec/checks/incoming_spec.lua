-- rules.request: which operation a request is that came in, its values, and what is wrong.
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local types = require "endpoint.types"

local load_text = loadstring or load

local function load_rules(root, options)
  options = options or {}
  options.checks = true
  local made = types.generate(root, "api", options)
  local file = made.files[#made.files - 1]
  return assert(load_text(file.text, "=" .. file.name))()
end

local TEXT, INTEGER = { type = "string" }, { type = "integer" }

-- A document of these paths.
local function document(paths, servers)
  return { openapi = "3.1.0", paths = paths, servers = servers }
end

local function get(id, parameters)
  return { get = { operationId = id, parameters = parameters } }
end

local function variable(name, schema, more)
  local parameter = more or {}
  parameter.name, parameter["in"], parameter.required = name, "path", true
  parameter.schema = schema or TEXT
  return parameter
end

-- --- which operation --------------------------------------------------------------

local PATHS = {
  ["/"] = get "root",
  ["/pets"] = { get = { operationId = "pets" }, post = { operationId = "add" } },
  ["/add"] = { post = { operationId = "only_add" } },
  ["/pets/meta"] = get "meta",
  ["/pets/{id}"] = {
    parameters = { variable "id" },
    get = { operationId = "pet" },
    delete = { operationId = "drop" },
  },
  ["/pets/{id}.json"] = get("pet_json", { variable "id" }),
  ["/pets/{id}/toys/{toy}"] = get("toy", { variable "id", variable "toy" }),
  ["/pets/{id}/toys/best"] = get("best", { variable "id" }),
  ["/a-b/{c}"] = get("literal", { variable "c" }),
  ["/{x}/c"] = get("both", { variable "x" }),
  ["/between/{from}...{to}"] = get("between", { variable "from", variable "to" }),
  ["/files/{+path}"] = get("file", { variable("path", TEXT) }),
  ["/files/{+path}:move"] = get("move", { variable("path", TEXT) }),
  ["/caf\195\169"] = get "cafe",
  ["/jobs?kind=slow"] = get "slow",
  ["/jobs?kind=fast"] = get "fast",
}

-- method; path; the operation, or a status; the values of the path
local ROUTES = {
  { "GET", "/", "root" },
  { "GET", "/pets", "pets" },
  { "get", "/pets", "pets" },
  { "POST", "/pets", "add" },
  { "HEAD", "/pets", "pets" },
  { "GET", "/pets/meta", "meta" },
  { "DELETE", "/pets/meta", "drop", { id = "meta" } },
  { "GET", "/pets/5", "pet", { id = "5" } },
  { "GET", "/pets/a%20b", "pet", { id = "a b" } },
  { "GET", "/pets/a%252Bb+", "pet", { id = "a%2Bb+" } },
  { "GET", "/pets/%6Deta", "meta" },
  { "GET", "/pets/5.json", "pet_json", { id = "5" } },
  { "GET", "/pets/.json", "pet", { id = ".json" } },
  { "GET", "/pets/a.json.json", "pet_json", { id = "a.json" } },
  { "GET", "/pets/1/toys/2", "toy", { id = "1", toy = "2" } },
  { "GET", "/pets/1/toys/best", "best", { id = "1" } },
  { "GET", "/a-b/c", "literal", { c = "c" } },
  { "GET", "/a-c/c", "both", { x = "a-c" } },
  { "GET", "/between/x...y...z", "between", { from = "x", to = "y...z" } },
  { "GET", "/between/x..y", 404 },
  { "GET", "/files/a/b/c", "file", { path = "a/b/c" } },
  { "GET", "/files/a/b:move", "move", { path = "a/b" } },
  { "GET", "/caf%C3%A9", "cafe" },
  { "GET", "/caf\195\169", "cafe" },
  { "GET", "/pets/", 404 },
  { "GET", "/Pets", 404 },
  { "GET", "/pets/1/2", 404 },
  { "PUT", "/pets", 405, { "GET", "HEAD", "POST" } },
  { "POST", "/pets/5", 405, { "DELETE", "GET", "HEAD" } },
  { "POST", "/pets/meta", 405, { "DELETE", "GET", "HEAD" } },
  { "HEAD", "/add", 405, { "POST" } },
  { "BREW", "/pets", 405, { "GET", "HEAD", "POST" } },
  { "GET", "pets", 400 },
  { "GET", "", 400 },
  { "GET", "*", 400 },
  { "GET", "//pets", 400 },
  { "GET", "/pets//5", 400 },
  { "GET", "/x/../pets", 400 },
  { "GET", "/pets/%2e%2e", 400 },
  { "GET", "/pets/a%2Fb", 400 },
  { "GET", "/pets/a%5cb", 400 },
  { "GET", "/pets/a%00", 400 },
  { "GET", "/pets/a%", 400 },
  { "GET", "/pets/a;b", 400 },
  { "GET", "/pets/a%3Bb", "pet", { id = "a;b" } },
  { "GET", "/pets?x", 400 },
  { "GET", "/x" .. ("/y"):rep(200), 404 },
}

describe("rules.request finds", function()
  local rules = load_rules(document(PATHS))

  for _, row in ipairs(ROUTES) do
    local what = type(row[3]) == "number" and "answers %d to" or "the operation %s of"
    it((what .. " %s %s"):format(row[3], row[1], row[2]:sub(1, 60)), function()
      local operation, values, problems = rules.request { method = row[1], path = row[2] }
      if type(row[3]) == "number" then
        assert.is_nil(operation)
        assert.equal(row[3], values)
        assert.equal(1, #problems)
        assert.same(row[4], problems[1].allow)
      else
        assert.truthy(operation, tostring(values))
        assert.equal(row[3], operation.name)
        assert.same(row[4] or {}, values.path)
      end
    end)
  end

  it("the operation whose literal query is there", function()
    for _, kind in ipairs { "slow", "fast" } do
      local operation, values =
        rules.request { method = "GET", path = "/jobs", query = "kind=" .. kind }
      assert.equal(kind, operation.name)
      assert.same({}, values.query)
    end
    local operation, status = rules.request { method = "GET", path = "/jobs", query = "kind=x" }
    assert.is_nil(operation)
    assert.equal(400, status)
  end)

  it("the operation whose header of one value is there", function()
    local function call(value)
      local header = { name = "X-Target", ["in"] = "header", required = true }
      header.schema = { enum = { value } }
      return { operationId = value, parameters = { header } }
    end
    local made = load_rules(document {
      ["/#A"] = { post = call "A" },
      ["/#B"] = { post = call "B" },
    })
    for _, value in ipairs { "A", "B" } do
      local operation =
        made.request { method = "POST", path = "/", headers = { ["x-target"] = value } }
      assert.equal(value, operation and operation.name)
    end
  end)

  it("the operation whose required parameters are there", function()
    local function call(name, schema, may_be_empty)
      local one = { name = name, ["in"] = "query", required = true, schema = schema }
      one.allowEmptyValue = may_be_empty
      return { get = { operationId = name, parameters = { one } } }
    end
    local made = load_rules(document {
      ["/b#acl"] = call("acl", { type = "boolean", enum = { true } }),
      ["/b#tag"] = call("tag", { type = "boolean", enum = { true } }, true),
      ["/b#from"] = call("from", TEXT),
      ["/b"] = get "plain",
    })
    for query, name in pairs {
      ["acl=true"] = "acl",
      ["tag=true"] = "tag",
      ["tag"] = "tag",
      ["from=x"] = "from",
      [""] = "plain",
    } do
      local operation = made.request { method = "GET", path = "/b", query = query }
      assert.equal(name, operation and operation.name)
    end
  end)

  it("a parameter that cannot be read is not said to be missing", function()
    local content = { ["application/json"] = { schema = INTEGER } }
    local made = load_rules(document {
      ["/x"] = get("x", { { name = "c", ["in"] = "query", required = true, content = content } }),
    })
    local _, _, problems = made.request { method = "GET", path = "/x", query = "c={" }
    assert.equal(1, #problems)
    assert.equal("expected JSON", problems[1].message)
  end)

  it("a variable twice in a path only with one value", function()
    local made = load_rules(document { ["/a/{x}/b/{x}"] = get("x", { variable "x" }) })
    local _, values = made.request { method = "GET", path = "/a/1/b/1" }
    assert.same({ x = "1" }, values.path)
    local _, status, problems = made.request { method = "GET", path = "/a/1/b/2" }
    assert.equal(400, status)
    assert.equal("has two values", problems[1].message)
  end)

  it("a trailing slash by a setting", function()
    local settings = { trailing_slash = true }
    assert.equal("pets", rules.request({ method = "GET", path = "/pets/" }, settings).name)
    assert.equal("root", rules.request({ method = "GET", path = "/" }, settings).name)
  end)

  it("an encoded slash in a value by a setting", function()
    local settings = { encoded_slashes = true }
    local _, values = rules.request({ method = "GET", path = "/pets/a%2Fb%00" }, settings)
    assert.same({ id = "a/b\0" }, values.path)
    for _, path in ipairs { "/pets/a%2F..", "/pets/%2e", "/pets%2F5", "/pets//5" } do
      assert.is_nil((rules.request({ method = "GET", path = path }, settings)), path)
    end
  end)

  it("paths below the document's server, or another", function()
    local made = load_rules(document(PATHS, { { url = "https://h.example/v1/" } }))
    local function name_of(path, settings)
      local operation = made.request({ method = "GET", path = path }, settings)
      return operation and operation.name
    end
    assert.equal("pets", name_of "/v1/pets")
    assert.equal("root", name_of "/v1/")
    assert.equal("root", name_of "/v1")
    assert.is_nil(name_of "/pets")
    assert.equal("pets", name_of("/pets", { base = "" }))
    assert.equal("pets", name_of("/a/b/pets", { base = "/a/b" }))
    assert.equal("pets", name_of("/api/pets", { base = "https://other.example/api/" }))
    assert.is_nil(name_of("/v1/pets", { base = "/a" }))
  end)

  it("a new table each time", function()
    local given = { method = "GET", path = "/pets/5" }
    local first, values = rules.request(given)
    first.route, values.path.id = "GET /evil", "evil"
    local second, others = rules.request(given)
    assert.same({ "GET /pets/{id}", "5" }, { second.route, others.path.id })
    assert.same({ method = "GET", path = "/pets/5" }, given)
  end)

  it("the route that the calls have", function()
    local operation = rules.request { method = "DELETE", path = "/pets/5" }
    assert.same({ name = "drop", route = "DELETE /pets/{id}", method = "DELETE" }, operation)
  end)
end)

-- --- values of parameters ---------------------------------------------------------

local LIST = { type = "array", items = INTEGER }
local OBJECT = { type = "object", properties = { R = INTEGER, G = INTEGER, name = TEXT } }

local function parameter(place, style, explode, schema, more)
  local made = more or {}
  made.name, made["in"], made.required = made.name or "c", place, place == "path"
  made.style, made.explode, made.schema = style, explode, schema
  return made
end

local function content_of(place, media_type, schema, name)
  return {
    name = name or "c",
    ["in"] = place,
    required = place == "path",
    content = { [media_type] = { schema = schema } },
  }
end

-- what was sent; the value of "c"; the parameter; nil for "must be refused"
local VALUES = {
  -- scalars
  { "c=5", 5, parameter("query", nil, nil, INTEGER) },
  { "c=-5", -5, parameter("query", nil, nil, INTEGER) },
  { "c=0", 0, parameter("query", nil, nil, INTEGER) },
  { "c=-0", nil, parameter("query", nil, nil, INTEGER) },
  { "c=05", nil, parameter("query", nil, nil, INTEGER) },
  { "c=%2B5", nil, parameter("query", nil, nil, INTEGER) },
  { "c=0x5", nil, parameter("query", nil, nil, INTEGER) },
  { "c=5.0", nil, parameter("query", nil, nil, INTEGER) },
  { "c=1e3", nil, parameter("query", nil, nil, INTEGER) },
  { "c=5%20", nil, parameter("query", nil, nil, INTEGER) },
  { "c=", nil, parameter("query", nil, nil, INTEGER) },
  { "c", nil, parameter("query", nil, nil, INTEGER) },
  { "c=1.5", 1.5, parameter("query", nil, nil, { type = "number" }) },
  { "c=-1e3", -1000, parameter("query", nil, nil, { type = "number" }) },
  { "c=1e-2", 0.01, parameter("query", nil, nil, { type = "number" }) },
  { "c=1e999", nil, parameter("query", nil, nil, { type = "number" }) },
  { "c=1.", nil, parameter("query", nil, nil, { type = "number" }) },
  { "c=.5", nil, parameter("query", nil, nil, { type = "number" }) },
  { "c=nan", nil, parameter("query", nil, nil, { type = "number" }) },
  { "c=inf", nil, parameter("query", nil, nil, { type = "number" }) },
  { "c=true", true, parameter("query", nil, nil, { type = "boolean" }) },
  { "c=True", nil, parameter("query", nil, nil, { type = "boolean" }) },
  { "c=5", "5", parameter("query", nil, nil, TEXT) },
  { "c=", "", parameter("query", nil, nil, TEXT) },
  { "c", "", parameter("query", nil, nil, TEXT) },
  { "c=a=b", "a=b", parameter("query", nil, nil, TEXT) },
  { "c=a+b%20c%2B", "a b c+", parameter("query", nil, nil, TEXT) },
  { "c=%zz%", "%zz%", parameter("query", nil, nil, TEXT) },
  { "&&c=a&", "a", parameter("query", nil, nil, TEXT) },
  { "?c=a", "a", parameter("query", nil, nil, TEXT) },
  { "%63=a", "a", parameter("query", nil, nil, TEXT) },
  { "c=a&c=b", nil, parameter("query", nil, nil, TEXT) },
  { "c=a#b", nil, parameter("query", nil, nil, TEXT) },
  { "c=a%23b", "a#b", parameter("query", nil, nil, TEXT) },
  { "c=5", 5, parameter("query", nil, nil, { anyOf = { INTEGER, TEXT } }) },
  { "c=5", 5, parameter("query", nil, nil, { enum = { 5, "5" } }) },
  { "c=5", "5", parameter("query", nil, nil, { enum = { "5", "x" } }) },
  { "c=y", nil, parameter("query", nil, nil, { enum = { "5", "x" } }) },
  { "c=x", "x", parameter("query", nil, nil, {}) },
  -- what must be there is not null, which the rules say as all other types
  { "/a,b", "a,b", parameter("path", nil, nil, { oneOf = { INTEGER, TEXT } }) },
  { "/a%2Cb", "a,b", parameter("path", nil, nil, { anyOf = { INTEGER, { allOf = { TEXT } } } }) },
  { "/5", 5, parameter("path", nil, nil, { oneOf = { INTEGER, TEXT } }) },
  {
    "/5",
    5,
    parameter("path", nil, nil, { type = { "number", "string" }, anyOf = { INTEGER, LIST } }),
  },
  { "/1,2", { 1, 2 }, parameter("path", nil, nil, { oneOf = { INTEGER, LIST } }) },
  -- lists
  {
    "c=x",
    { "x" },
    parameter("query", nil, nil, {
      type = "array",
      items = TEXT,
      oneOf = { { type = "array" }, TEXT },
    }),
  },
  { "c=1&c=2", { 1, 2 }, parameter("query", nil, nil, LIST) },
  { "c[]=1&c%5B%5D=2", { 1, 2 }, parameter("query", nil, nil, LIST) },
  { "c[0]=1", nil, parameter("query", nil, nil, LIST) },
  { "c=1&c=x", nil, parameter("query", nil, nil, LIST) },
  { "c=a%2Cb&c=c", { "a,b", "c" }, parameter("query", nil, nil, { type = "array", items = TEXT }) },
  { "c=1,2", { 1, 2 }, parameter("query", "form", false, LIST) },
  { "c=1%2C2", { 1, 2 }, parameter("query", "form", false, LIST) },
  {
    "c=a%2Cb,c",
    { "a,b", "c" },
    parameter("query", "form", false, { type = "array", items = TEXT }),
  },
  { "c=1%202", { 1, 2 }, parameter("query", "spaceDelimited", false, LIST) },
  { "c=1+2", { 1, 2 }, parameter("query", "spaceDelimited", false, LIST) },
  { "c=1|2", { 1, 2 }, parameter("query", "pipeDelimited", false, LIST) },
  { "c=1%7C2", { 1, 2 }, parameter("query", "pipeDelimited", false, LIST) },
  { "c=1%7Cx", nil, parameter("query", "pipeDelimited", false, LIST) },
  { "c=1+x", nil, parameter("query", "spaceDelimited", false, LIST) },
  { "c=x", "x", parameter("query", nil, nil, { anyOf = { TEXT, LIST } }) },
  { "c=1&c=2", { 1, 2 }, parameter("query", nil, nil, { anyOf = { TEXT, LIST } }) },
  -- objects
  { "R=1&G=2", { R = 1, G = 2 }, parameter("query", nil, nil, OBJECT) },
  { "R=x", nil, parameter("query", nil, nil, OBJECT) },
  { "c=R,1,G,2", { R = 1, G = 2 }, parameter("query", "form", false, OBJECT) },
  { "c=R,1,G", nil, parameter("query", "form", false, OBJECT) },
  { "c=R,1,R,2", nil, parameter("query", "form", false, OBJECT) },
  { "c=R%201%20G%202", { R = 1, G = 2 }, parameter("query", "spaceDelimited", false, OBJECT) },
  { "c[R]=1&c%5BG%5D=2", { R = 1, G = 2 }, parameter("query", "deepObject", true, OBJECT) },
  { "c[R]=x", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c[B]=1", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c[R]=1&c[R]=2", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c[R]=1&c[R][x]=2", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c[R", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c[R]x=1", nil, parameter("query", "deepObject", true, OBJECT) },
  { "c=1", nil, parameter("query", "deepObject", true, OBJECT) },
  {
    "c[a][b]=1&c[l][]=2&c[l][]=3",
    { a = { b = 1 }, l = { 2, 3 } },
    parameter("query", "deepObject", true, {
      type = "object",
      properties = { a = { type = "object", properties = { b = INTEGER } }, l = LIST },
    }),
  },
  {
    "c=3",
    3,
    parameter("query", "deepObject", true, { anyOf = { INTEGER, OBJECT } }),
  },
  { "c=3&c[R]=1", nil, parameter("query", "deepObject", true, { anyOf = { INTEGER, OBJECT } }) },
  {
    "x=1&y=2",
    { x = 1, y = 2 },
    parameter("query", nil, nil, { type = "object", additionalProperties = INTEGER }),
  },
  -- texts that may be empty
  { "c=", "", parameter("query", nil, nil, INTEGER, { allowEmptyValue = true }) },
  { "c", "", parameter("query", nil, nil, { enum = { true } }, { allowEmptyValue = true }) },
  { "c=5", 5, parameter("query", nil, nil, INTEGER, { allowEmptyValue = true }) },
  { "c=x", nil, parameter("query", nil, nil, INTEGER, { allowEmptyValue = true }) },
  { "c=&c=", nil, parameter("query", nil, nil, INTEGER, { allowEmptyValue = true }) },
  { "c=", {}, parameter("query", nil, nil, LIST, { allowEmptyValue = true }) },
  { "c=", {}, parameter("query", nil, false, LIST, { allowEmptyValue = true }) },
  { "c=&c=1", { 1 }, parameter("query", nil, nil, LIST, { allowEmptyValue = true }) },
  {
    "c=&c=x",
    { "", "x" },
    parameter("query", nil, nil, { type = "array", items = TEXT }, { allowEmptyValue = true }),
  },
  { "c=1&c=", nil, parameter("query", nil, nil, LIST, { allowEmptyValue = true }) },
  { "c=", nil, parameter("query", nil, nil, INTEGER, { allowEmptyValue = "true" }) },
  { "", nil, parameter("header", nil, nil, INTEGER, { name = "C", allowEmptyValue = true }) },
  -- JSON, and texts of other media types
  { "c=x", "x", content_of("query", "text/plain", TEXT) },
  { "c=5", 5, content_of("query", "text/plain", INTEGER) },
  { "c=x", nil, content_of("query", "text/plain", INTEGER) },
  { "c=<a/>", "<a/>", content_of("query", "application/xml", OBJECT) },
  { "/x-y", "x-y", content_of("path", "*/*", TEXT) },
  { "x", "x", content_of("header", "text/plain", TEXT, "C") },
  {
    "c=%7B%22R%22%3A1%7D",
    { R = 1 },
    { name = "c", ["in"] = "query", content = { ["application/json"] = { schema = OBJECT } } },
  },
  {
    "c=%7B%22R%22",
    nil,
    { name = "c", ["in"] = "query", content = { ["application/json"] = { schema = OBJECT } } },
  },
  {
    "c=%5B%7B%22R%22%3A1%7D%5D",
    { { R = 1 } },
    parameter("query", nil, nil, { type = "array", items = OBJECT }),
  },
  {
    "c=%7B%22R%22%3A1%7D&c=%7B%22R%22%3A2%7D",
    { { R = 1 }, { R = 2 } },
    parameter("query", nil, nil, { type = "array", items = OBJECT }),
  },
  -- paths
  { "/5", 5, parameter("path", nil, nil, INTEGER) },
  { "/x", nil, parameter("path", nil, nil, INTEGER) },
  { "/1,2", { 1, 2 }, parameter("path", nil, nil, LIST) },
  { "/R,1,G,2", { R = 1, G = 2 }, parameter("path", nil, nil, OBJECT) },
  { "/R=1,G=2", { R = 1, G = 2 }, parameter("path", nil, true, OBJECT) },
  { "/.5", 5, parameter("path", "label", nil, INTEGER) },
  { "/.1,2", { 1, 2 }, parameter("path", "label", nil, LIST) },
  { "/.1.2", { 1, 2 }, parameter("path", "label", true, LIST) },
  { "/.R=1.G=2", { R = 1, G = 2 }, parameter("path", "label", true, OBJECT) },
  { "/5", nil, parameter("path", "label", nil, INTEGER) },
  { "/;c=5", 5, parameter("path", "matrix", nil, INTEGER) },
  { "/;c=1,2", { 1, 2 }, parameter("path", "matrix", nil, LIST) },
  { "/;c=1;c=2", { 1, 2 }, parameter("path", "matrix", true, LIST) },
  { "/;R=1;G=2", { R = 1, G = 2 }, parameter("path", "matrix", true, OBJECT) },
  { "/;d=5", nil, parameter("path", "matrix", nil, INTEGER) },
  { "/;cc=5", nil, parameter("path", "matrix", nil, INTEGER) },
  -- headers and cookies
  { "5", 5, parameter("header", nil, nil, INTEGER, { name = "C" }) },
  { "x", nil, parameter("header", nil, nil, INTEGER, { name = "C" }) },
  { "1, 2", { 1, 2 }, parameter("header", nil, nil, LIST, { name = "C" }) },
  { { "1", "2" }, { 1, 2 }, parameter("header", nil, nil, LIST, { name = "C" }) },
  { "R,1,G,2", { R = 1, G = 2 }, parameter("header", nil, nil, OBJECT, { name = "C" }) },
  { "R=1,G=2", { R = 1, G = 2 }, parameter("header", nil, true, OBJECT, { name = "C" }) },
  { "x%20y", "x%20y", parameter("header", nil, nil, TEXT, { name = "C" }) },
  { 5, 5, parameter("header", nil, nil, INTEGER, { name = "C" }) },
  { 200 / 2, 100, parameter("header", nil, nil, INTEGER, { name = "C" }) },
  { true, true, parameter("header", nil, nil, { type = "boolean" }, { name = "C" }) },
  { "b=1; c=5; d=2", 5, parameter("cookie", nil, nil, INTEGER) },
  { 'c="5"', 5, parameter("cookie", nil, nil, INTEGER) },
  { "c=x", nil, parameter("cookie", nil, nil, INTEGER) },
  { { "b=1", "c=5" }, 5, parameter("cookie", nil, nil, INTEGER) },
  { { "c=x", "b=1" }, nil, parameter("cookie", nil, nil, INTEGER) },
}

local PARTS = { query = "query", path = "path", header = "headers", cookie = "cookies" }

-- the query in the path; what was sent; the value of "v"; the parameter; the name of its problem
local WRITTEN = {
  { "c={v}", "c=x", "x", parameter("query", nil, nil, TEXT, { name = "v" }) },
  { "c={v}", "c=5", 5, parameter("path", nil, nil, INTEGER, { name = "v" }) },
  { "c={v}", "c=x", nil, parameter("path", nil, nil, INTEGER, { name = "v" }), "c" },
  { "c={v}", "", nil, parameter("path", nil, nil, INTEGER, { name = "v" }), "c" },
  { "c={v}", "v=5", nil, parameter("path", nil, nil, INTEGER, { name = "v" }), "v" },
  { "c={v}", "c=1,2", { 1, 2 }, parameter("query", nil, nil, LIST, { name = "v" }) },
  { "c={v}", "c=1,2", { 1, 2 }, parameter("query", nil, false, LIST, { name = "v" }) },
  { "c={v}", "c=1,2", { 1, 2 }, parameter("path", nil, nil, LIST, { name = "v" }) },
  { "c={v}", "c=R,1", { R = 1 }, parameter("path", nil, nil, OBJECT, { name = "v" }) },
  { "c={v}", "c=R=1,G=2", { R = 1, G = 2 }, parameter("query", nil, nil, OBJECT, { name = "v" }) },
  { "c={v}", "c=R=1", { R = 1 }, parameter("path", nil, true, OBJECT, { name = "v" }) },
  { "c={v}", "c=R,1", { R = 1 }, parameter("query", nil, false, OBJECT, { name = "v" }) },
  { "c={v}", "c={}", {}, content_of("query", "application/json", OBJECT, "v") },
  { "c={+v}", "c=a/b", "a/b", parameter("query", nil, nil, TEXT, { name = "v" }) },
  { "a=b&c={v}", "a=b&c=x", "x", parameter("query", nil, nil, TEXT, { name = "v" }) },
  { "a=b&c={v}", "a=x&c=x", nil, parameter("query", nil, nil, TEXT, { name = "v" }), "a" },
}

describe("rules.request reads a query that is written in the path,", function()
  for _, row in ipairs(WRITTEN) do
    local place = row[4]["in"]
    it(("%s of the %s: %s"):format(row[1], place, row[2]), function()
      local rules = load_rules(document { ["/x?" .. row[1]] = get("x", { row[4] }) })
      local operation, values, problems =
        rules.request { method = "GET", path = "/x", query = row[2] }
      if row[5] then
        assert.is_nil(operation)
        assert.equal(400, values)
        assert.equal(row[5], problems[1].name)
      else
        assert.truthy(operation, problems and problems[1].message)
        assert.same({ v = row[3] }, values.query)
      end
    end)
  end

  it("without a value of an optional variable", function()
    local optional = parameter("query", nil, nil, INTEGER, { name = "v" })
    local rules = load_rules(document { ["/x?c={v}"] = get("x", { optional }) })
    local url = endpoint("GET /x?c={v}", { baseUrl = "" }).url
    assert.equal("/x?c=", url)
    for _, query in ipairs { "c=", "" } do
      local _, values = rules.request { method = "GET", path = "/x", query = query }
      assert.same({}, values.query)
    end
  end)

  it("and finds the operation that it is of", function()
    local rules = load_rules(document {
      ["/x?city={a}"] = get("city", { variable "a" }),
      ["/x?lat={a}&lon={b}"] = get("place", { variable "a", variable "b" }),
    })
    assert.same({}, rules.left_out())
    for query, name in pairs { ["city=x"] = "city", ["lat=1&lon=2"] = "place" } do
      local operation = rules.request { method = "GET", path = "/x", query = query }
      assert.equal(name, operation and operation.name)
    end
  end)
end)

-- The request that has a text in this place.
local function request_with(place, text)
  local request = { method = "GET", path = "/x", headers = {} }
  if place == "query" then
    request.query = text
  elseif place == "path" then
    request.path = "/x" .. text
  else
    request.headers[place == "header" and "c" or "cookie"] = text
  end
  return request
end

describe("rules.request reads", function()
  for _, row in ipairs(VALUES) do
    local place = row[3]["in"]
    local shown = type(row[1]) == "table" and "two headers" or ("%q"):format(tostring(row[1]))
    local style = ("%s, %s"):format(row[3].style or "no style", tostring(row[3].explode))
    it(
      ("%s %s (%s)%s"):format(place, shown, style, row[2] == nil and ", which is wrong" or ""),
      function()
        local path = place == "path" and "/x/{c}" or "/x"
        local rules = load_rules(document { [path] = get("x", { row[3] }) })
        local operation, values, problems = rules.request(request_with(place, row[1]))
        if row[2] ~= nil then
          assert.truthy(operation, problems and problems[1] and problems[1].message)
          assert.same({ c = row[2] }, values[PARTS[place]])
        else
          assert.is_nil(operation)
          assert.equal(400, values)
          assert.equal(place, problems[1].place)
        end
      end
    )
  end

  it("an integer that no number holds as its digits", function()
    local rules = load_rules(document { ["/x"] = get("x", { parameter("query", nil, nil, LIST) }) })
    local _, values =
      rules.request { method = "GET", path = "/x", query = "c=7&c=123456789012345678901" }
    assert.same({ c = { 7, "123456789012345678901" } }, values.query)
    local limited = { type = "integer", maximum = 1000 }
    rules = load_rules(document { ["/x"] = get("x", { parameter("query", nil, nil, limited) }) })
    assert.is_nil(
      (rules.request { method = "GET", path = "/x", query = "c=123456789012345678901" })
    )
  end)

  it("the key of an API in the query as a name that there is", function()
    local root = document { ["/x"] = get "x" }
    root.components =
      { securitySchemes = { k = { type = "apiKey", ["in"] = "query", name = "api_key" } } }
    root.security = { { k = {} } }
    local _, values = load_rules(root).request { method = "GET", path = "/x", query = "api_key=1" }
    assert.same({ api_key = "1" }, values.query)
  end)

  it("at most 1,000 pairs, and 20 levels", function()
    local list = parameter("query", nil, nil, LIST)
    local deep = parameter("query", "deepObject", true, { type = "object" }, { name = "d" })
    local rules = load_rules(document { ["/x"] = get("x", { list, deep }) })
    local function status(query)
      local operation, code = rules.request { method = "GET", path = "/x", query = query }
      return operation and 200 or code
    end
    assert.equal(200, status(("c=1&"):rep(1000)))
    assert.equal(400, status(("c=1&"):rep(1001)))
    assert.equal(200, status("d" .. ("[a]"):rep(20) .. "=1"))
    assert.equal(400, status("d" .. ("[a]"):rep(21) .. "=1"))
  end)

  it("any names with --open", function()
    local rules = load_rules(document { ["/x"] = get "x" }, { open = true })
    local operation, values = rules.request { method = "GET", path = "/x", query = "any=1" }
    assert.equal("x", operation and operation.name)
    assert.same({}, values.query)
  end)
end)

-- --- bodies -----------------------------------------------------------------------

local BOOK = {
  type = "object",
  required = { "title" },
  properties = { title = TEXT, pages = INTEGER, tags = { type = "array", items = TEXT } },
}

local FORM = "application/x-www-form-urlencoded"

local BODIES = document {
  ["/json"] = {
    post = {
      requestBody = { required = true, content = { ["application/json"] = { schema = BOOK } } },
    },
  },
  ["/optional"] = {
    post = { requestBody = { content = { ["application/json"] = { schema = BOOK } } } },
  },
  ["/form"] = {
    post = {
      requestBody = {
        content = {
          [FORM] = {
            schema = {
              type = "object",
              properties = {
                title = TEXT,
                pages = INTEGER,
                tags = { type = "array", items = TEXT },
                joined = LIST,
                meta = OBJECT,
                json = OBJECT,
                tables = { type = "array", items = OBJECT },
                lists = { type = "array", items = LIST },
              },
            },
            encoding = {
              joined = { explode = false },
              meta = { style = "deepObject" },
            },
          },
        },
      },
    },
  },
  ["/several"] = {
    post = {
      requestBody = {
        content = {
          ["application/json"] = { schema = BOOK },
          [FORM] = { schema = { type = "object", properties = { n = INTEGER } } },
          ["image/*"] = {},
          ["text/plain"] = { schema = { type = "string", maxLength = 3 } },
          ["application/vnd.x+json"] = { schema = INTEGER },
        },
      },
    },
  },
  ["/text"] = {
    post = {
      requestBody = {
        content = { ["text/plain"] = { schema = { type = "string", maxLength = 3 } } },
      },
    },
  },
  ["/needed"] = {
    post = {
      requestBody = {
        required = true,
        content = {
          ["text/plain"] = { schema = { type = "string", maxLength = 3 } },
          ["text/csv"] = { schema = { type = "string", minLength = 1 } },
          [FORM] = { schema = { type = "object", properties = { n = INTEGER } } },
          ["image/png"] = {},
        },
      },
    },
  },
  ["/none"] = { post = {} },
}

-- path; media type; body; the value, or a status; the pointer of the first problem
local BODY_ROWS = {
  { "/json", "application/json", '{"title":"a","pages":5}', { title = "a", pages = 5 } },
  { "/json", "APPLICATION/JSON; charset=utf-8", '{"title":"a"}', { title = "a" } },
  { "/json", "application/json", '\239\187\191{"title":"a"}', { title = "a" } },
  { "/json", "application/json", '{"title":5}', 400, "/title" },
  { "/json", "application/json", '{"title":"a","x":5}', 400, "/x" },
  { "/json", "application/json", "{}", 400, "/title" },
  { "/json", "application/json", '{"title":"a"', 400, "" },
  { "/json", "application/json", "null", 400, "" },
  { "/json", "application/json", "[]", 400, "/title" },
  { "/json", "application/json", "[1]", 400, "" },
  { "/json", "application/json", "", 400, "" },
  { "/json", "application/json", nil, 400, "" },
  { "/json", nil, '{"title":"a"}', 415, "" },
  { "/json", "text/plain", '{"title":"a"}', 415, "" },
  { "/optional", nil, nil, nil },
  { "/optional", "application/json", "", nil },
  { "/optional", "application/json", "{}", 400, "/title" },
  {
    "/form",
    FORM,
    "title=a+b&pages=5&tags=x&tags=y&joined=1,2&meta[R]=1&json=%7B%22R%22%3A1%7D",
    {
      title = "a b",
      pages = 5,
      tags = { "x", "y" },
      joined = { 1, 2 },
      meta = { R = 1 },
      json = { R = 1 },
    },
  },
  { "/form", FORM, 'tables={"R":1}&tables={"G":2}', { tables = { { R = 1 }, { G = 2 } } } },
  { "/form", FORM, 'tables={"R":1}', { tables = { { R = 1 } } } },
  { "/form", FORM, 'tables=[{"R":1}]', { tables = { { R = 1 } } } },
  { "/form", FORM, 'tables[]={"R":1}', { tables = { { R = 1 } } } },
  { "/form", FORM, "lists=[1]&lists=[2]", { lists = { { 1 }, { 2 } } } },
  { "/form", FORM, "lists=[1]", { lists = { { 1 } } } },
  { "/form", FORM, "lists=[[1],[2]]", { lists = { { 1 }, { 2 } } } },
  { "/form", FORM, "pages=x", 400, "/pages" },
  { "/form", FORM, "nope=x", 400, "/nope" },
  { "/form", FORM, "title=a&title=b", 400, "" },
  { "/several", "application/json", '{"title":"a"}', { title = "a" } },
  { "/several", FORM, "n=5", { n = 5 } },
  { "/several", FORM, "n=x", 400, "/n" },
  { "/several", "image/png", "\0\1", "\0\1" },
  { "/several", "text/plain", "abc", "abc" },
  { "/several", "application/vnd.x+json", "5", 5 },
  { "/several", "application/vnd.x+json", '"5"', 400, "" },
  { "/several", "application/xml", "<a/>", 415, "" },
  { "/text", "text/plain", "abc", "abc" },
  { "/text", "text/plain", "abcd", 400, "" },
  { "/text", "text/plain", "", nil },
  { "/needed", "text/plain", "abc", "abc" },
  { "/needed", "text/plain", "", "" },
  { "/needed", "text/plain", nil, "" },
  { "/needed", "text/csv", nil, 400, "" },
  { "/needed", "image/png", nil, 400, "" },
  { "/needed", FORM, "", {} },
  { "/needed", FORM, "n=5", { n = 5 } },
  { "/needed", nil, nil, 400, "" },
  { "/none", nil, nil, nil },
  { "/none", "application/json", "{}", 415, "" },
  { "/text", 5, "abc", 415, "" },
  { "/text", { "text/plain" }, "abc", "abc" },
  { "/text", {}, "abc", 415, "" },
}

-- A parameter that must be there has the types of all but null: it is read as one that need not be.
describe("rules.request reads by alternatives, required or not:", function()
  local X = { type = "string", pattern = "^x" }
  local LIST_OF_INTEGERS = { type = "array", items = INTEGER }
  local SCHEMAS = {
    number_or_x = { anyOf = { INTEGER, X } },
    short_or_boolean = { oneOf = { { type = "string", maxLength = 3 }, { type = "boolean" } } },
    words = { oneOf = { { type = "string", enum = { "a,b", "c" } }, INTEGER } },
    any = {},
    text_of_all = { type = { "string", "boolean" }, allOf = { { minLength = 1 }, TEXT } },
    list_or_number = { anyOf = { LIST_OF_INTEGERS, INTEGER } },
    whole = { type = "integer", anyOf = { { minimum = 5 }, { type = "number", maximum = 1 } } },
  }
  -- the schema; the text in the query; the value
  local ROWS = {
    { "number_or_x", "3", 3 },
    { "number_or_x", "x,3", "x,3" },
    { "number_or_x", "true", problem = 'expected a string that fits the pattern "^x"' },
    { "short_or_boolean", "1", "1" },
    { "short_or_boolean", "a,b", "a,b" },
    { "short_or_boolean", "true", true },
    { "words", "a,b", "a,b" },
    { "words", "7", 7 },
    { "any", "a,b", "a,b" },
    { "any", "5", "5" },
    { "text_of_all", "true", "true" },
    { "list_or_number", "7", 7 },
    { "whole", "7", 7 },
    { "whole", "3", problem = "expected at least 5, got 3" },
  }

  for _, required in ipairs { true, false } do
    local paths = {}
    for name, schema in pairs(SCHEMAS) do
      local one = { name = "v", ["in"] = "query", required = required, schema = schema }
      paths["/" .. name] = get(name, { one })
    end
    local rules = load_rules(document(paths))
    for _, row in ipairs(ROWS) do
      it(("%s = %s%s"):format(row[1], row[2], required and ", required" or ""), function()
        local given = { method = "GET", path = "/" .. row[1], query = "v=" .. row[2] }
        local found, values, problems = rules.request(given)
        if row.problem then
          assert.same({ 400, row.problem }, { values, problems[1].message })
        else
          assert.truthy(found, problems and problems[1].message)
          assert.same({ v = row[3] }, values.query)
        end
      end)
    end
  end

  it("a scalar of a style that could be exploded", function()
    local one = variable("v", SCHEMAS.number_or_x, { style = "matrix", explode = true })
    local rules = load_rules(document { ["/a/{v}"] = get("a", { one }) })
    local _, values = rules.request { method = "GET", path = "/a/;v=3" }
    assert.same({ v = 3 }, values.path)
  end)
end)

describe("rules.request reads the body", function()
  local rules = load_rules(BODIES)

  for _, row in ipairs(BODY_ROWS) do
    local path, media_type, given, expected, pointer = row[1], row[2], row[3], row[4], row[5]
    local shown = tostring(given):gsub("%c", "."):sub(1, 40)
    local shown_type = type(media_type) == "table" and "in a list of " .. #media_type
      or media_type
      or "no type"
    it(("%s of %s, %s"):format(shown, path, shown_type), function()
      local headers = { ["content-type"] = media_type }
      local operation, values, problems =
        rules.request { method = "POST", path = path, headers = headers, body = given }
      if pointer then
        assert.is_nil(operation)
        assert.equal(expected, values)
        assert.equal(pointer, problems[1].pointer)
        assert.equal(expected == 415 and "header" or "body", problems[1].place)
      else
        assert.truthy(operation, problems and problems[1].message)
        assert.same({ expected }, { values.body })
      end
    end)
  end

  -- The document says nothing of the field, and a program may give a list for it.
  for given, expected in pairs {
    ["any=5"] = "5",
    ["any=5&any=a+b"] = { "5", "a b" },
    ["any[]=5&any[]=6"] = { "5", "6" },
  } do
    it(("%s of a form whose field may be anything"):format(given), function()
      local schema = { type = "object", properties = { any = {} } }
      local content = { [FORM] = { schema = schema } }
      local _, values = load_rules(document {
        ["/any"] = { post = { requestBody = { content = content } } },
      }).request {
        method = "POST",
        path = "/any",
        headers = { ["content-type"] = FORM },
        body = given,
      }
      assert.same({ any = expected }, values.body)
    end)
  end

  local function read_json(given, content_type)
    return rules.request {
      method = "POST",
      path = "/json",
      headers = { ["content-type"] = content_type or "application/json" },
      body = given,
    }
  end

  for _, number in ipairs { "0x1F", "NaN", "Infinity", "-inf", "+5", "010" } do
    it("and refuses the number " .. number .. ", which JSON does not have", function()
      local _, status, problems = read_json('{"title":"a","pages":' .. number .. "}")
      assert.equal(400, status)
      assert.equal("expected JSON", problems[1].message)
    end)
  end

  -- Does an object of the text have a name twice?
  for given, is_twice in pairs {
    ['{"title":"a","title":"b"}'] = true,
    ['{"title":"a","title":null}'] = true,
    ['{"\\u0074itle":"a","title":"a"}'] = true,
    ['{"title" : "a","pages":1,"pages"\n:2}'] = true,
    ['{"title":"\\":","title":"a"}'] = true,
    ['{"title":"\\\\","title":"a"}'] = true,
    ['{"title":"a \\"title\\": b"}'] = false,
    ['{"title":"\\":"}'] = false,
    ['{"title":":","pages":1}'] = false,
  } do
    it(("%s of an object with %s"):format(given, is_twice and "a name twice" or "names"), function()
      local operation, status, problems = read_json(given)
      if is_twice then
        assert.equal(400, status)
        assert.equal("has a name twice", problems[1].message)
      else
        assert.truthy(operation, problems and problems[1].message)
      end
    end)
  end

  for media_type, is_read in pairs {
    ["application/json; charset=UTF-8"] = true,
    ['application/json;charset="utf-8"'] = true,
    ["application/json; charset=us-ascii"] = true,
    ["application/json; x=charset"] = true,
    ["application/json; charset=utf-7"] = false,
    ["application/json; charset=utf-8; Charset = IBM037"] = false,
    ["application/json; charset="] = false,
  } do
    it(("of %s, which is %s"):format(media_type, is_read and "read" or "refused"), function()
      local operation, status, problems = read_json('{"title":"a"}', media_type)
      assert.equal(is_read, operation ~= nil)
      if not is_read then
        assert.equal(400, status)
        assert.equal("expected the charset utf-8", problems[1].message)
      end
    end)
  end

  it("and asks no decoder that leaves out null for names that are there twice", function()
    local cjson = require "cjson"
    local decode = cjson.decode
    function cjson.decode(given)
      local kept = {}
      for name, value in pairs(decode(given)) do
        kept[name] = value ~= cjson.null and value or nil
      end
      return kept
    end
    local operation, _, problems = read_json '{"title":"a","pages":null}'
    cjson.decode = decode
    assert.truthy(operation, problems and problems[1].message)
    assert.is_nil((read_json '{"title":"a","title":"b"}'))
  end)

  it("and leaves the numbers that the program's lua-cjson takes", function()
    local cjson = require "cjson"
    for _, takes_others in ipairs { true, false } do
      cjson.decode_invalid_numbers(takes_others)
      read_json '{"title":"a","pages":NaN}'
      local ok = pcall(cjson.decode, "[0x1F]")
      cjson.decode_invalid_numbers(true)
      assert.equal(takes_others, ok)
    end
  end)

  it("by another decoder under the name of lua-cjson", function()
    local cjson = require "cjson"
    package.loaded.cjson = { decode = cjson.decode }
    local ok, operation = pcall(read_json, '{"title":"a"}')
    package.loaded.cjson = cjson
    assert.is_true(ok)
    assert.equal("POST", operation.method)
  end)

  it("of one media type, and of no two", function()
    assert.truthy(read_json('{"title":"a"}', { "application/json" }))
    local _, status, problems = read_json('{"title":"a"}', { "application/json", "text/plain" })
    assert.equal(400, status)
    assert.same({
      { place = "header", name = "content-type", pointer = "", message = "is there twice" },
    }, problems)
  end)

  it("with the integers that its JSON has", function()
    local _, values = rules.request {
      method = "POST",
      path = "/json",
      headers = { ["content-type"] = "application/json" },
      body = '{"title":"a","pages":5}',
    }
    assert.equal("5", tostring(values.body.pages))
  end)

  it("with a decoder of the program", function()
    local asked
    local function decode(given)
      asked = given
      return { title = "mine" }
    end
    local _, values = rules.request({
      method = "POST",
      path = "/json",
      headers = { ["content-type"] = "application/json" },
      body = "x",
    }, { decode = decode })
    assert.equal("x", asked)
    assert.same({ title = "mine" }, values.body)
    local function refuse()
      return nil, 1, "bad"
    end
    local _, status = rules.request({
      method = "POST",
      path = "/json",
      headers = { ["content-type"] = "application/json" },
      body = "x",
    }, { decode = refuse })
    assert.equal(400, status)
  end)
end)

-- --- problems ---------------------------------------------------------------------

describe("rules.request tells", function()
  local NODE = {
    type = "object",
    required = { "a", "b" },
    properties = {
      a = INTEGER,
      b = INTEGER,
      ["c/d~"] = TEXT,
      list = { type = "array", items = INTEGER, maxItems = 3 },
      either = { anyOf = { INTEGER, { type = "object", properties = { x = INTEGER } } } },
    },
  }
  local operation = {
    operationId = "x",
    parameters = {
      variable("id", INTEGER),
      { name = "page", ["in"] = "query", required = true, schema = INTEGER },
      { name = "X-Key", ["in"] = "header", required = true, schema = INTEGER },
      { name = "s", ["in"] = "cookie", required = true, schema = INTEGER },
    },
    requestBody = { content = { ["application/json"] = { schema = NODE } } },
  }
  local rules = load_rules(document { ["/x/{id}"] = { post = operation } })

  local function problems_of(given)
    given.method, given.path = "POST", given.path or "/x/5"
    given.headers = given.headers or { ["x-key"] = "1", cookie = "s=1" }
    given.headers["content-type"] = given.body and "application/json"
    given.query = given.query or "page=1"
    local found, status, problems = rules.request(given)
    assert.is_nil(found)
    assert.equal(400, status)
    local lines = {}
    for position, one in ipairs(problems) do
      lines[position] = ("%s %s %s: %s"):format(
        one.place,
        one.name or "-",
        one.pointer,
        one.message
      )
    end
    return lines
  end

  it("all problems of all parts, in their order", function()
    assert.same(
      {
        "path id : expected an integer, got a string",
        'query pge : is unknown, is it "page"?',
        "query page : is missing",
        "header x-key : expected an integer, got a string",
        "cookie s : is missing",
        "body - /a: expected an integer, got a string",
        "body - /c~1d~0: expected a string, got 5",
        "body - /either: expected an integer or an object, got a string",
        "body - /list/1: expected an integer, got a string",
        "body - /list: expected at most 3 elements, got 4",
        "body - /zzz: is unknown",
        "body - /b: is missing",
      },
      problems_of {
        path = "/x/y",
        query = "pge=1",
        headers = { ["x-key"] = "z" },
        body = '{"a":"1","c/d~":5,"either":"x","list":[1,"2",3,4],"zzz":1}',
      }
    )
  end)

  it("at most 20", function()
    local names = {}
    for number = 1, 50 do
      names[number] = ('"z%02d":1'):format(number)
    end
    assert.equal(20, #problems_of { body = "{" .. table.concat(names, ",") .. "}" })
    assert.equal(20, #problems_of { query = "page=1" .. ("&zz=1"):rep(900) })
  end)

  it("nothing of a stranger that a terminal obeys", function()
    local given = { query = "page=1&%1b[31m=1", body = '{"\27[31m\\u001b":1}' }
    for _, line in ipairs(problems_of(given)) do
      assert.is_nil(line:find "%c", line)
    end
  end)

  it("names and pointers of at most 200 bytes", function()
    local long = ("[/"):rep(5000)
    local given = { query = "page=1&" .. long, body = '{"' .. long .. '":1}' }
    for _, line in ipairs(problems_of(given)) do
      assert.is_true(#line < 500, #line)
    end
  end)

  it("no time that grows faster than the request", function()
    local deep = ("["):rep(150) .. ("]"):rep(150)
    local from = os.clock()
    problems_of { body = '{"list":' .. deep .. "}" }
    problems_of { query = ("a"):rep(1e5) }
    problems_of { query = ("&"):rep(1e5) .. "x" }
    problems_of { path = "/x/" .. ("9"):rep(1e5) .. "x" }
    problems_of { headers = { cookie = ("; "):rep(5e4), ["x-key"] = (","):rep(1e5) } }
    local spaces = (" "):rep(1e5)
    problems_of { headers = { cookie = "s=" .. spaces .. "x", ["x-key"] = "x" .. spaces .. "x" } }
    problems_of { headers = { cookie = "s" .. spaces .. "x=1", ["x-key"] = "1" } }
    assert.is_true(os.clock() - from < 5)
  end)
end)

describe("the name of a deepObject without a key", function()
  local paths = {
    ["/x"] = get("x", { parameter("query", "deepObject", true, OBJECT) }),
  }
  for _, options in ipairs { {}, { open = true } } do
    it(options.open and "is refused with --open, too" or "is refused", function()
      local rules = load_rules(document(paths), options)
      local _, status, problems =
        rules.request { method = "GET", path = "/x", query = "c=1&c[R]=1" }
      assert.equal(400, status)
      assert.same({ "c", "expected names such as c[name]" }, {
        problems[1].name,
        problems[1].message,
      })
      assert.is_nil(problems[2])
    end)
  end
end)

-- --- headers that are a function --------------------------------------------------

local function header(name, is_required)
  return { ["in"] = "header", name = name, required = is_required, schema = INTEGER }
end

local BODY = { content = { ["application/json"] = { schema = INTEGER } } }
local HEADED = {
  ["/none"] = { get = {}, post = { requestBody = BODY } },
  ["/header"] = { get = { parameters = { header "x-a" } } },
  ["/cookie"] = {
    get = { parameters = { { ["in"] = "cookie", name = "c", schema = INTEGER } } },
  },
  ["/must"] = { post = { requestBody = { required = true, content = BODY.content } } },
  ["/same#a"] = { get = { operationId = "a", parameters = { header("x-a", true) } } },
  ["/same#b"] = { get = { operationId = "b", parameters = { header("x-b", true) } } },
}

-- method; path; body; how often the function is asked; the operation, or a status
local ASKED = {
  { "GET", "/none", nil, 0, "GET /none" },
  { "GET", "/missing", nil, 0, 404 },
  { "PUT", "/none", nil, 0, 405 },
  { "POST", "/none", nil, 0, "POST /none" },
  { "POST", "/none", "5", 1, "POST /none" },
  { "POST", "/none", "x", 1, 400 },
  { "GET", "/none", "5", 1, 415 },
  { "GET", "/header", nil, 1, "GET /header" },
  { "GET", "/cookie", nil, 1, "GET /cookie" },
  { "POST", "/must", nil, 1, 400 },
  { "GET", "/same", nil, 1, "b" },
}

describe("the function that gives the headers of a request", function()
  local rules = load_rules(document(HEADED))
  for _, row in ipairs(ASKED) do
    it(("is asked %d times: %s %s %s"):format(row[4], row[1], row[2], row[3] or ""), function()
      local count = 0
      local given = { method = row[1], path = row[2], body = row[3] }
      function given.headers()
        count = count + 1
        return { ["x-b"] = "1", cookie = "c=2", ["content-type"] = "application/json" }
      end
      local operation, values = rules.request(given)
      assert.same({ row[4], row[5] }, { count, operation and operation.name or values })
      given.headers = given.headers()
      local other, same = rules.request(given)
      assert.same({ operation, values }, { other, same })
    end)
  end
end)

-- --- misuse -----------------------------------------------------------------------

local function returning(one)
  return function()
    return one
  end
end

local MISUSES = {
  { { 5 }, "the request: expected a table, got a number" },
  { { { path = "/" } }, "the request.method: expected a string, got a nil" },
  { { { method = "GET" } }, "the request.path: expected a string, got a nil" },
  {
    { { method = "GET", path = "/", query = {} } },
    "the request.query: expected a string, got a table",
  },
  {
    { { method = "GET", path = "/", body = {} } },
    "the request.body: expected a string, got a table",
  },
  {
    { { method = "GET", path = "/", headers = 5 } },
    "the request.headers: expected a table or a function, got a number",
  },
  {
    { { method = "GET", path = "/x", headers = returning "text" } },
    "the request.headers: expected a table from the function, got a string",
  },
  {
    { { method = "POST", path = "/x", headers = returning(5), body = "5" } },
    "the request.headers: expected a table from the function, got a number",
  },
  { { { method = "GET", path = "/" }, 5 }, "the settings: expected a table, got a number" },
  {
    { { method = "GET", path = "/" }, { bse = "/" } },
    'there is no setting "bse", is it "base"?',
  },
  {
    { { method = "GET", path = "/" }, { base = "api" } },
    'the settings.base: expected a path that begins with /, or a URL, got "api"',
  },
  {
    { { method = "GET", path = "/" }, { encoded_slashes = 1 } },
    "the settings.encoded_slashes: expected a boolean, got a number",
  },
}

describe("rules.request raises", function()
  local rules = load_rules(document {
    ["/"] = get "root",
    ["/x"] = {
      get = { parameters = { { ["in"] = "cookie", name = "s", schema = TEXT } } },
      post = { requestBody = { content = { ["application/json"] = { schema = INTEGER } } } },
    },
  })
  for _, row in ipairs(MISUSES) do
    it(row[2], function()
      local ok, problem = pcall(function()
        return (rules.request(row[1][1], row[1][2]))
      end)
      assert.is_false(ok)
      assert.truthy(problem:find("incoming_spec.lua:%d+: endpoint.checks: request: "), problem)
      assert.truthy(problem:find(row[2], 1, true), problem)
    end)
  end
end)

-- --- both directions --------------------------------------------------------------

describe("a request that the endpoint made", function()
  it("is the operation and the values that it was made of", function()
    local calls = require "checks.incoming_calls"
    local file = assert(io.open "spec/types/books.json")
    local root = require "cjson".decode(file:read "*a")
    file:close()
    for _, one in ipairs { root, document(PATHS), BODIES } do
      local counts, faults = calls.run(one, 20, 1)
      assert.same({}, faults)
      assert.equal(counts.calls, counts.same)
      assert.equal(0, counts.passed)
      assert.is_true(counts.changed > counts.calls)
    end
  end)

  it("has the keys of a deepObject that are beside its properties", function()
    local open = { type = "object", properties = { R = INTEGER }, additionalProperties = TEXT }
    local one = document {
      ["/x"] = {
        get = { parameters = { parameter("query", "deepObject", true, open) } },
        put = { parameters = { parameter("query", "deepObject", true, open) } },
      },
    }
    local rules = load_rules(one)
    local calls = {
      ["GET /x"] = { ["c[R]"] = 1, ["c[k]"] = "v" },
      ["PUT /x{?params*}"] = { params = { ["c[R]"] = 1, ["c[k]"] = "v" } },
    }
    for route, options in pairs(calls) do
      rules.check(route, options)
      options.baseUrl = ""
      local made = endpoint(route, options)
      local path, query = made.url:match "^(.*)%?(.*)$"
      local _, values = rules.request { method = made.method:upper(), path = path, query = query }
      assert.same({ c = { R = 1, k = "v" } }, values.query)
    end
    local counts, faults = require("checks.incoming_calls").run(one, 20, 1)
    assert.same({}, faults)
    assert.equal(counts.calls, counts.same)
  end)

  it("is one with each value of one to three bytes that a path may have", function()
    local rules = load_rules(document { ["/a/{p}/b"] = get("x", { variable "p" }) })
    local bytes, count, same = "a./;%2F5\\ \0?#,", 0, 0
    for first = 1, #bytes do
      for second = 0, #bytes do
        for third = 0, second > 0 and #bytes or 0 do
          local value = bytes:sub(first, first)
            .. (second > 0 and bytes:sub(second, second) or "")
            .. (third > 0 and bytes:sub(third, third) or "")
          local ok, r = pcall(endpoint, "GET /a/{p}/b", { baseUrl = "", p = value })
          if ok then
            count = count + 1
            local settings = { encoded_slashes = true }
            local found, values = rules.request({ method = "GET", path = r.url }, settings)
            same = same + ((found and values.path.p == value) and 1 or 0)
          end
        end
      end
    end
    assert.is_true(count > 1000)
    assert.equal(count, same)
  end)
end)
