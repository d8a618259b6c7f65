-- endpoint.types: what an OpenAPI document says becomes routes, options and definitions.
package.path = "src/?.lua;" .. package.path
local definitions = require "definitions"
local endpoint = require "endpoint"
local hostile = require "hostile"
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

local load_text = loadstring or load

-- --- documents --------------------------------------------------------------------

local function document(paths, more)
  local root = { openapi = "3.0.3", paths = paths, servers = { { url = "https://h.example" } } }
  for key, value in pairs(more or {}) do root[key] = value end
  return root
end

-- Makes a module of a document: what `generate` returns, and what an editor reads in it.
local function generate(root)
  local made = types.generate(root, "api")
  return made, definitions.read(made.files)
end

-- The route of the one operation, the class of its options, and the reader's tables.
local function only(path, method, operation, more)
  local made, read = generate(document({ [path] = { [method] = operation } }, more))
  assert.same({}, made.left_out)
  assert.equal(1, #read.routes)
  return read.routes[1].route, read.classes[read.routes[1].class], read
end

local function query(name, more)
  local parameter = { name = name, ["in"] = "query", schema = { type = "string" } }
  for key, value in pairs(more or {}) do parameter[key] = value end
  return parameter
end

local function path_parameter(name, more)
  local parameter = query(name, more)
  parameter["in"], parameter.required = "path", true
  return parameter
end

-- The line of a field, without "---@field ".
local function line_of(root, name)
  for _, file in ipairs(types.generate(root, "api").files) do
    for line in file.text:gmatch "%-%-%-@field ([^\n]*)" do
      local quoted = '["' .. name .. '"]'
      if line:match "^[%w_]+" == name or line:sub(1, #quoted) == quoted then return line end
    end
  end
end

local function body(schema, media_type, more)
  local content = { schema = schema }
  for key, value in pairs(more or {}) do content[key] = value end
  return { requestBody = { content = { [media_type or "application/json"] = content } } }
end

local LIST = { schema = { type = "array", items = { type = "string" } } }
local MAP = { schema = { type = "object", properties = { R = { type = "integer" } } } }
local function with(base, more)
  local copy = {}
  for key, value in pairs(base) do copy[key] = value end
  for key, value in pairs(more) do copy[key] = value end
  return copy
end

-- --- the query --------------------------------------------------------------------

describe("types: the query", function()
  local COLOURS = { "blue", "black" }
  -- method, parameters, options as they are read off the definitions, route, what is sent
  local ROWS = {
    { "get", { query "a" }, { a = "b" }, "GET /x", "/x?a=b" },
    { "head", { query "a" }, { a = "b" }, "HEAD /x", "/x?a=b" },
    { "get", { query("c", LIST) }, { c = COLOURS }, "GET /x{?c*}", "/x?c=blue&c=black" },
    { "get", { query("c", with(LIST, { explode = false })) }, { c = COLOURS }, "GET /x{?c}", "/x?c=blue,black" },
    { "get", { query("c[]", LIST) }, { ["c[]"] = COLOURS }, "GET /x", "/x?c%5B%5D=blue&c%5B%5D=black" },
    { "get", { query("c[]", with(LIST, { explode = false })) }, { params = { ["c[]"] = "d" } }, "GET /x{?params*}",
      "/x?c%5B%5D=d" },
    { "get", { query("c", MAP) }, { c = { R = 1 } }, "GET /x{?c*}", "/x?R=1" },
    { "get", { query("c", with(MAP, { explode = false })) }, { c = { R = 1 } }, "GET /x{?c}", "/x?c=R,1" },
    { "get", { query("c", with(MAP, { style = "deepObject" })) }, { ["c[R]"] = 1 }, "GET /x", "/x?c%5BR%5D=1" },
    { "get", { query("c", with(LIST, { style = "deepObject" })) }, { ["c[]"] = { "d" } }, "GET /x", "/x?c%5B%5D=d" },
    { "get", { query("c", with(LIST, { style = "spaceDelimited", explode = false })) }, { c = "a b" }, "GET /x",
      "/x?c=a%20b" },
    { "get", { query("c", with(LIST, { style = "pipeDelimited" })) }, { c = "a|b" }, "GET /x", "/x?c=a%7Cb" },
    { "get", { query("c", { content = { ["application/json"] = MAP } }) }, { c = "{}" }, "GET /x", "/x?c=%7B%7D" },
    { "get", { query("c", { schema = { type = "array", items = { type = "object" } } }) }, { c = "[]" }, "GET /x",
      "/x?c=%5B%5D" },
    { "get", { query "a b" }, { ["a b"] = "c" }, "GET /x", "/x?a%20b=c" },
    { "get", { query("a b", LIST) }, { params = { ["a b"] = COLOURS } }, "GET /x{?params*}", "/x?a%20b=blue&a%20b=black" },
    { "get", { query("a b", with(LIST, { explode = false })) }, { params = { ["a b"] = "c,d" } }, "GET /x{?params*}",
      "/x?a%20b=c%2Cd" },
    { "get", { query("a b", MAP) }, { params = { R = 1 } }, "GET /x{?params*}", "/x?R=1" },
    { "get", { query "" }, { [""] = "b" }, "GET /x", "/x?=b" },
    { "post", { query "" }, { params = { [""] = "b" } }, "POST /x{?params*}", "/x?=b" },
    { "post", { query "a%20b" }, { params = { ["a%20b"] = "c" } }, "POST /x{?params*}", "/x?a%2520b=c" },
    { "get", { query "a%20b" }, { ["a%20b"] = "c" }, "GET /x", "/x?a%2520b=c" },
    { "get", { query("a%20b", LIST) }, { params = { ["a%20b"] = COLOURS } }, "GET /x{?params*}",
      "/x?a%2520b=blue&a%2520b=black" },
    { "get", { query "url" }, { params = { url = "u" } }, "GET /x{?params*}", "/x?url=u" },
    { "get", { query "url", query "params" }, { params_ = { url = "u" }, params = "p" }, "GET /x{?params_*}",
      "/x?url=u&params=p" },
    { "get", { query("a,b", LIST) }, { params = { ["a,b"] = COLOURS } }, "GET /x{?params*}", "/x?a%2Cb=blue&a%2Cb=black" },
    { "get", { query("a*", LIST) }, { params = { ["a*"] = COLOURS } }, "GET /x{?params*}", "/x?a%2A=blue&a%2A=black" },
    { "get", { query("a:3", LIST) }, { params = { ["a:3"] = COLOURS } }, "GET /x{?params*}", "/x?a%3A3=blue&a%3A3=black" },
    { "post", { query "a" }, { a = "b" }, "POST /x{?a}", "/x?a=b" },
    { "post", { query "a", query("c", LIST) }, { a = "b", c = COLOURS }, "POST /x{?a,c*}", "/x?a=b&c=blue&c=black" },
    { "post", { query("c", with(MAP, { style = "deepObject" })) }, { params = { ["c[R]"] = 1 } }, "POST /x{?params*}",
      "/x?c%5BR%5D=1" },
    { "delete", { query "data" }, { params = { data = "d" } }, "DELETE /x{?params*}", "/x?data=d" },
    { "options", { query "a" }, { a = "b" }, "OPTIONS /x{?a}", "/x?a=b" },
    { "trace", { query "a" }, { a = "b" }, "TRACE /x{?a}", "/x?a=b" },
  }

  -- The names of the fields, and below `params` of that table's.
  local function names_of(read, class)
    local names = {}
    for _, field in ipairs(class) do
      local inner = read.classes[class.name .. "." .. field.name]
      names[field.name] = inner and names_of(read, inner) or true
    end
    return names
  end

  local function names_in(options)
    local names = {}
    for name, value in pairs(options) do
      names[name] = name:find "^params" and type(value) == "table" and names_in(value) or true
    end
    return names
  end

  for _, row in ipairs(ROWS) do
    it("is written as " .. row[4] .. " for " .. row[5], function()
      local route, class, read = only("/x", row[1], { parameters = row[2] })
      assert.equal(row[4], route)
      assert.same(names_in(row[3]), names_of(read, class))
      assert.equal("https://h.example" .. row[5], endpoint(route, with(row[3], { baseUrl = "https://h.example" })).url)
    end)
  end

  it("is continued behind a literal query, and stands before a fragment", function()
    assert.equal("GET /x?acl{&c*}", (only("/x?acl", "get", { parameters = { query("c", LIST) } })))
    assert.equal("GET /x{?c*}#f?", (only("/x#f?", "get", { parameters = { query("c", LIST) } })))
  end)

  it("of a name that the path has as well goes into the map", function()
    local route, _, read = only("/x/{id}", "get", { parameters = { path_parameter "id", query "id" } })
    assert.equal("GET /x/{id}{?params*}", route)
    assert.equal("id", read.classes["api.GET_x_id_.params"][1].name)
  end)

  it("has the operation's parameter in the place of the path's", function()
    local root = document { ["/x"] = { parameters = { query("a", { required = true }), query "b" },
      get = { parameters = { query "a" } } } }
    local _, read = generate(root)
    local class = read.classes[read.routes[1].class]
    assert.same({ "a", "b" }, { class[1].name, class[2].name })
    assert.is_false(class[1].required)
    assert.is_false(read.routes[1].required)
  end)

  it("has a text for a list that is one pair of the map", function()
    local root = document { ["/x"] = { get = { parameters = { query("a b", with(LIST, { explode = false })) } } } }
    assert.equal('["a b"]? string # a list as text: table.concat(list, ",")', line_of(root, "a b"))
  end)

  it("has each field once", function()
    local parameters = { query "c[R]", query("c", with(MAP, { style = "deepObject" })) }
    local _, class = only("/x/{a}/{a}", "get", { parameters = parameters })
    assert.same({ "a", "c[R]" }, { class[1].name, class[2].name, class[3] })
  end)

  it("of a map that holds itself under deepObject ends", function()
    local node = { type = "object", properties = { name = { type = "string" } } }
    node.properties.next = node
    local _, class = only("/x", "get", { parameters = { query("c", { style = "deepObject", schema = node }) } })
    local names = {}
    for i, field in ipairs(class) do names[i] = field.name end
    assert.same({ "c[name]", "c[next][name]", "c[next][next][name]", "c[next][next][next][key]" }, names)
  end)

  it("must be given where the document says so", function()
    local _, class, read = only("/x", "get", { parameters = { query "a", query("b", { required = true }) } })
    assert.same({ "b", "a" }, { class[1].name, class[2].name })
    assert.is_true(class[1].required)
    assert.is_true(read.routes[1].required)
  end)

  it("must be given with its map", function()
    local _, class = only("/x", "get", { parameters = { query("url", { required = true }) } })
    assert.same({ "params", true }, { class[1].name, class[1].required })
  end)

  it("under deepObject goes down to lists, alternatives and required keys", function()
    local object = { type = "object", required = { "gt" }, properties = {
      gt = { type = "integer" }, tags = LIST.schema, deep = { type = "object", properties = { a = { type = "string" } } },
      free = { type = "object" }, rows = { type = "array", items = { type = "object" } } } }
    local function names_for(schema)
      local parameter, names = query("c", { style = "deepObject", required = true, schema = schema }), {}
      local _, class = only("/x", "get", { parameters = { parameter } })
      for _, field in ipairs(class) do names[#names + 1] = field.name .. (field.required and "!" or "") end
      table.sort(names)
      return table.concat(names, " ")
    end
    assert.equal("c[deep][a] c[free][key] c[gt]! c[rows][0][key] c[tags][]", names_for(object))
    assert.equal("c c[deep][a] c[free][key] c[gt] c[rows][0][key] c[tags][]",
      names_for { anyOf = { { type = "integer" }, object } })
    assert.equal("c!", names_for { anyOf = { { type = "integer" }, { type = "string" } } })
  end)
end)

-- --- the path ---------------------------------------------------------------------

describe("types: the path", function()
  -- path, parameters, route
  local ROWS = {
    { "/x/{a}", { path_parameter "a" }, "GET /x/{a}" },
    { "/x/{a}", {}, "GET /x/{a}" },
    { "/x/{a}.json", {}, "GET /x/{a}.json" },
    { "/x/{a}{b}", {}, "GET /x/{a}{b}" },
    { "/x/{a-b}/{c.d}/{_e}", {}, "GET /x/{a-b}/{c.d}/{_e}" },
    { "/x/{data}", {}, "GET /x/{data}" },
    { "/x/{a}", { path_parameter("a", LIST) }, "GET /x/{a}" },
    { "/x/{a}", { path_parameter("a", with(LIST, { explode = true })) }, "GET /x/{a*}" },
    { "/x/{a}", { path_parameter("a", { style = "label" }) }, "GET /x/{.a}" },
    { "/x/{a}", { path_parameter("a", with(MAP, { style = "matrix", explode = true })) }, "GET /x/{;a*}" },
    { "/x/{a}", { path_parameter("a", { allowReserved = true }) }, "GET /x/{+a}" },
    { "/x/{+a}", { path_parameter "a" }, "GET /x/{+a}" },
    { "/x{.a}", { path_parameter "a" }, "GET /x{.a}" },
    { "/x/:token", {}, "GET /x/%3Atoken" },
    { "/x/:token/{a}:stop:x/:y", {}, "GET /x/%3Atoken/{a}:stop:x/%3Ay" },
    { "/x/a:b/1:c", {}, "GET /x/a:b/1:c" },
    { "/x::a", {}, "GET /x:%3Aa" },
    { "/x/:1", {}, "GET /x/:1" },
    { "/x?a=:b", {}, "GET /x?a=:b" },
    { "/a b\"\\é", {}, "GET /a%20b%22%5C%C3%A9" },
    { "/x ", {}, "GET /x%20" },
    { "/Products('{id}')", {}, "GET /Products('{id}')" },
  }
  for _, row in ipairs(ROWS) do
    it("is written as " .. row[3] .. " for " .. row[1], function()
      assert.equal(row[3], (only(row[1], "get", { parameters = row[2] })))
    end)
  end

  -- path, a part of the reason
  local LEFT_OUT = {
    { "x", "does not begin with a slash" },
    { "https://evil.example/x", "does not begin with a slash" },
    { "/x/{a!}", "{a!} in its path is no variable of RFC 6570" },
    { "/x/{}", "{} in its path is no variable" },
    { "/x/{a:3}", "{a:3} in its path is no variable" },
    { "/x/{a*}", "{a*} in its path is no variable" },
    { "/x/{a,b}", "{a,b} in its path is no variable" },
    { "/x/{url}", "{url} in its path has the name of an option" },
    { "/x/{a", 'template "/x/{a": "{" is not closed at byte 4' },
    { "/x/a}", "at byte 5" },
  }
  for _, row in ipairs(LEFT_OUT) do
    it("is left out, with the reason: " .. row[1], function()
      local made, read = generate(document { [row[1]] = { get = {} }, ["/y"] = { get = {} } })
      assert.equal(2, made.operations)
      assert.equal(1, #made.left_out)
      assert.equal("GET " .. row[1], made.left_out[1].operation)
      assert.truthy(made.left_out[1].reason:find(row[2], 1, true), made.left_out[1].reason)
      assert.same({ "GET /y" }, { read.routes[1].route, read.routes[2] })
    end)
  end

  it("is left out in a line without control characters", function()
    local left = generate(document { ["/\27[m\194\155m{\n}é"] = { get = {} } }).left_out[1]
    assert.same({ operation = "GET /?[m?m{?}é", reason = "{?} in its path is no variable of RFC 6570" }, left)
  end)

  it("offers no empty text for a segment", function()
    local _, class = only("/x/{a}", "get", { parameters = { path_parameter("a", { schema = { enum = { "", "b" } } }) } })
    assert.same({ "b" }, { class[1].type[1].value, class[1].type[2] })
  end)
end)

-- --- bodies and headers -----------------------------------------------------------

describe("types: the body", function()
  local OBJECT = { type = "object", required = { "b" }, properties = { a = { type = "string" }, b = { type = "integer" } } }

  local function names_of(class)
    local names = {}
    for _, field in ipairs(class) do names[#names + 1] = field.name .. (field.required and "!" or "") end
    return table.concat(names, " ")
  end

  for _, method in ipairs { "post", "put", "patch", "delete" } do
    it("is fields beside the parameters under " .. method, function()
      local route, class = only("/x", method, body(OBJECT))
      assert.equal(method:upper() .. " /x", route)
      assert.equal("b! a", names_of(class))
    end)
  end

  it("is data under a method whose left-over parameters go nowhere", function()
    local _, class, read = only("/x", "options", body(OBJECT))
    assert.equal("data!", names_of(class))
    assert.equal("b! a", names_of(read.classes[class.name .. ".data"]))
  end)

  it("is data where a property has the name of an option or a variable", function()
    for name, operation in pairs { url = {}, data = {}, id = {}, q = { parameters = { query "q" } } } do
      local schema = { properties = { [name] = { type = "string" }, other = { type = "string" } } }
      local route, class, read = only("/x/{id}", "post", with(operation, body(schema)))
      assert.equal(name == "q" and "id! q data" or "id! data", names_of(class), route)
      assert.equal(2, #read.classes[class.name .. ".data"])
    end
  end)

  it("is data where it is no object", function()
    for _, row in ipairs { { LIST.schema, "list" }, { { type = "string" }, "basic" }, { { type = "object" }, "basic" },
      { { type = "array", properties = { a = {} } }, "list" } } do
      local operation = body(row[1])
      operation.requestBody.required = true
      local _, class = only("/x", "post", operation)
      assert.same({ "data", true, row[2] }, { class[1].name, class[1].required, class[1].type[1].kind })
    end
  end)

  it("leaves out what is only read, and joins allOf, oneOf and anyOf", function()
    local schema = { allOf = { { properties = { a = {}, id = { readOnly = true } }, required = { "a", "id" } },
      { oneOf = { { properties = { b = {} }, required = { "b" } }, { properties = { c = {} } } } },
      { required = { "d" } }, { properties = { d = {} } } } }
    local _, class = only("/x", "post", body(schema))
    assert.equal("a! d! b c", names_of(class))
  end)

  it("is a text for other media types, whose header the caller gives", function()
    local _, class, read = only("/x", "post", body({ type = "string" }, "text/plain"))
    assert.equal("data headers", names_of(class))
    assert.equal("text/plain", read.classes[class.name .. ".headers"][1].type[1].value)
    local line = line_of(document { ["/x"] = { post = body({}, "multipart/form-data") } }, "data")
    assert.equal("data? string|function # multipart/form-data", line)
  end)

  it("is JSON before any other media type, and says which JSON", function()
    local content = { ["text/plain"] = {}, ["application/merge-patch+json"] = { schema = OBJECT },
      ["application/json-patch+json"] = { schema = OBJECT } }
    local _, class, read = only("/x", "patch", { requestBody = { content = content } })
    assert.equal("b! a headers", names_of(class))
    local header = read.classes[class.name .. ".headers"][1]
    assert.same({ "content-type", "application/json-patch+json", "application/merge-patch+json" },
      { header.name, header.type[1].value, header.type[2].value })
    content["application/json"] = { schema = OBJECT }
    _, class = only("/x", "patch", { requestBody = { content = content } })
    assert.equal("b! a", names_of(class))
  end)

  it("is a form whose lists repeat and whose maps are flat or a text", function()
    local schema = { properties = { a = LIST.schema, b = LIST.schema, c = MAP.schema, d = MAP.schema,
      e = { type = "array", items = { type = "object" } } } }
    local operation = body(schema, "application/x-www-form-urlencoded",
      { encoding = { b = { explode = false }, d = { style = "deepObject" } } })
    local root = document { ["/x"] = { post = operation } }
    assert.equal("a? string[]", line_of(root, "a"))
    assert.equal('b? string # a list as text: table.concat(list, ",")', line_of(root, "b"))
    assert.equal("c? string # JSON, as text", line_of(root, "c"))
    assert.equal('["d[R]"]? integer', line_of(root, "d[R]"))
    assert.equal("e? string # JSON, as text", line_of(root, "e"))
    local _, class, read = only("/x", "post", operation)
    assert.equal("application/x-www-form-urlencoded", read.classes[class.name .. ".headers"][1].type[1].value)
  end)

  it("of a GET is not offered, and one that it must have leaves the operation out", function()
    local operation = body(OBJECT)
    local _, class = only("/x", "get", operation)
    assert.equal("", names_of(class))
    operation.requestBody.required = true
    local made = generate(document { ["/x"] = { get = operation } })
    assert.same({ { operation = "GET /x", reason = "a GET must have no body, and it asks for one" } }, made.left_out)
  end)

  it("as data beside {data} in the path leaves the operation out", function()
    local item = { post = body(LIST.schema), put = body { properties = { url = {} } } }
    local made = generate(document { ["/x/{data}"] = item })
    assert.equal(2, #made.left_out)
    assert.truthy(made.left_out[1].reason:find("{data}", 1, true))
  end)
end)

describe("types: headers", function()
  it("are fields of headers, in lower case, but for those that mean nothing", function()
    local list = with(LIST, { name = "X-List", ["in"] = "header" })
    local _, class, read = only("/x", "get", { parameters = { list, query("X-Api", { ["in"] = "header", required = true }),
      query("Accept", { ["in"] = "header" }), query("Content-Type", { ["in"] = "header" }),
      query("Authorization", { ["in"] = "header" }), query("id", { ["in"] = "cookie" }) } })
    assert.same({ "headers", false }, { class[1].name, class[1].required })
    local names = {}
    for _, field in ipairs(read.classes[class.name .. ".headers"]) do names[#names + 1] = field.name end
    assert.same({ "x-list", "x-api", "cookie" }, names)
    for _, name in ipairs { "a b", "a\n", "a:", "\195\169", "(a)" } do
      local _, options = only("/x", "get", { parameters = { query(name, { ["in"] = "header" }) } })
      assert.same({}, { options[1] })
    end
    local root = document { ["/x"] = { get = { parameters = { list } } } }
    assert.equal('["x-list"]? string # a list as text: table.concat(list, ",")', line_of(root, "x-list"))
  end)
end)

-- --- types ------------------------------------------------------------------------

describe("types: the type", function()
  local SELF = { type = "array" }
  SELF.items = SELF
  local long = {}
  for i = 1, 300 do long[i] = "value " .. i end
  local ROWS = {
    { {}, "any" },
    { { type = "string" }, "string" },
    { { type = "integer" }, "integer" },
    { { type = "number" }, "number" },
    { { type = "boolean" }, "boolean" },
    { { type = "object" }, "table" },
    { { type = "string", nullable = true }, "string|endpoint.Null" },
    { { type = { "integer", "null" } }, "integer|endpoint.Null" },
    { { type = "array", items = { type = "string" } }, "string[]" },
    { { type = "array" }, "any[]" },
    { { type = "array", items = { enum = { "a", "b" } } }, '("a"|"b")[]' },
    { { items = { type = "array", items = { type = "integer" } } }, "integer[][]" },
    { { type = "object", additionalProperties = { type = "number" } }, "table<string, number>" },
    { { type = "object", additionalProperties = { type = { "number", "string" } } }, "table<string, number|string>" },
    { { additionalProperties = true }, "any" },
    { { properties = {} }, "table" },
    { { enum = { "a", 'b"c', "d\\e", "f\ng" } }, '"a"|"b\\034c"|"d\\092e"|"f\\010g"' },
    { { enum = { 1, -2, true } }, "1|-2|true" },
    { { enum = { 1, -2, 3.5, true, 1e300, -1e300 } }, "number|true" },
    { { enum = { "1", 2.5 } }, '"1"|number' },
    { { enum = { "a", json.null } }, '"a"|endpoint.Null' },
    { { enum = { "b", json.null }, type = "string", nullable = true }, '"b"|endpoint.Null' },
    { { const = json.null }, "endpoint.Null" },
    { { enum = { "a", {} } }, "any" },
    { { enum = { 1, { 2 } }, type = "array" }, "any[]" },
    { { type = "number", enum = { 3.5 } }, "number" },
    { { const = "a" }, '"a"' },
    { { type = "string", enum = long }, "string" },
    { { oneOf = { { type = "string" }, { type = "array", items = { type = "string" } } } }, "string|string[]" },
    { { anyOf = { { type = "string" }, { type = "string" }, { type = "integer" } } }, "string|integer" },
    { { allOf = { { description = "x" }, { type = "integer" } } }, "integer" },
    { { type = "unheard-of" }, "any" },
    { { ["$ref"] = "#/components/schemas/Tag" }, '"t"' },
    { { ["$ref"] = "#/components/schemas/a~1b%20c~0" }, "integer" },
    { SELF, "any[][][][][]" },
  }
  local schemas = { Tag = { enum = { "t" } }, ["a/b c~"] = { type = "integer" } }

  for _, row in ipairs(ROWS) do
    it("is " .. row[2], function()
      local paths = { ["/x"] = { post = body { properties = { a = row[1] } } } }
      local root = document(paths, { components = { schemas = schemas } })
      assert.equal("a? " .. row[2], line_of(root, "a"))
    end)
  end

  it("of a field that must be there is never any, which no editor misses", function()
    local root = document { ["/x"] = { post = body { required = { "a" }, properties = { a = {} } } } }
    assert.equal("a string|number|boolean|table", line_of(root, "a"))
  end)

  it("is found in short time where schemas name each other again and again", function()
    local tangled = {}
    for i = 1, 60 do
      local next_one = { ["$ref"] = "#/components/schemas/S" .. i % 60 + 1 }
      tangled["S" .. i] = { anyOf = { next_one, { type = "array", items = next_one } }, allOf = { next_one, next_one },
        properties = { p = next_one } }
    end
    local start = os.clock()
    local paths = { ["/x"] = { post = body { ["$ref"] = "#/components/schemas/S1" } } }
    local root = document(paths, { components = { schemas = tangled } })
    assert.equal(1, generate(root).operations)
    assert.is_true(os.clock() - start < 5)
  end)
end)

-- --- servers, accept, Swagger 2.0 ---------------------------------------------------

-- What the module gives to endpoint.defaults; no other thing is done at run time.
local function defaults_in(files)
  local endpoint_module = { defaults = function(options) return options end }
  local environment = { require = function(name)
    assert.equal("endpoint", name)
    return endpoint_module
  end }
  local text = files[#files].text
  local chunk = setfenv and setfenv(assert(load_text(text)), environment) or assert(load(text, "=api", "t", environment))
  return chunk()
end

describe("types: the module", function()
  local GET = { ["/x"] = { get = {} } }

  local SERVERS = {
    { { { url = "https://h.example/v1/" } }, "https://h.example/v1" },
    { { { url = "https://h.example" }, { url = "https://other.example" } }, "https://h.example" },
    { { { url = "//h.example" } }, "https://h.example" },
    { { { url = "/api/v3" } }, "/api/v3" },
    { { { url = "./api" } }, "/api" },
    { { { url = "." } }, "/" },
    { {}, "/" },
    { nil, "/" },
    { { { url = "https://{a}.h.example/{b}", variables = { a = { default = "x" }, b = { default = 2 } } } },
      "https://x.h.example/2" },
    { { { url = "https://h.example/v1?k=1" } }, "https://h.example/v1?k=1" },
  }
  for i, row in ipairs(SERVERS) do
    it("has the first server as baseUrl, " .. i .. ": " .. row[2], function()
      local root = document(GET)
      root.servers = row[1]
      local made = generate(root)
      assert.equal(row[2], made.base)
      assert.same({ baseUrl = row[2] }, defaults_in(made.files))
    end)
  end

  it("has no baseUrl where the first server is none", function()
    for _, url in ipairs { "https://{a}.h.example", "https://", "https://h\n.example", "https://h/#x", 5 } do
      local made = generate(document(GET, { servers = { { url = url } } }))
      assert.is_nil(made.base)
      assert.same({}, defaults_in(made.files))
      assert.equal(1, made.operations - #made.left_out)
    end
  end)

  local function accept_of(...)
    local paths = {}
    for i, content in ipairs { ... } do
      local responses = { ["200"] = { content = content }, ["404"] = { content = { ["a/b+json"] = {} } } }
      paths["/" .. i] = { get = { responses = responses } }
    end
    return (defaults_in(generate(document(paths)).files).headers or {}).accept
  end

  it("has the one JSON media type of all responses as accept", function()
    local plain, vendor = { ["application/json"] = {} }, { ["application/vnd.api+json"] = {}, ["text/html"] = {} }
    assert.equal("application/json", accept_of(plain, { ["Application/JSON;charset=utf-8"] = {} }, {}, { ["*/*"] = {} }))
    assert.equal("application/vnd.api+json", accept_of(vendor))
    assert.is_nil(accept_of(plain, vendor))
    assert.is_nil(accept_of(plain, { ["text/plain"] = {} }))
    assert.is_nil(accept_of({ ["text/html"] = {} }))
  end)

  it("is an endpoint whose calls work", function()
    local made, read = generate(document(GET))
    local api = assert(load_text(made.files[#made.files].text))()
    assert.equal("https://h.example/x", api(read.routes[1].route).url)
  end)

  it("gives operations with a server of their own an absolute route", function()
    local paths = { ["/a"] = { servers = { { url = "https://up.example/v2/" } }, get = {},
      put = { servers = { { url = "/v3" } } }, post = { servers = { { url = "https://h.example/v1/" } } } } }
    local _, read = generate(document(paths, { servers = { { url = "https://h.example/v1" } } }))
    local routes = {}
    for i, route in ipairs(read.routes) do routes[i] = route.route end
    assert.same({ "GET https://up.example/v2/a", "POST /a", "PUT https://h.example/v3/a" }, routes)
  end)

  it("takes a colon in an operation's own server for text", function()
    local servers = { { url = "https://up.example:8080/:tok/a:b" } }
    local route, class = only("/x/{id}", "get", { servers = servers })
    assert.equal("GET https://up.example:8080/%3Atok/a:b/x/{id}", route)
    assert.same({ "id" }, { class[1].name, class[2] })
  end)

  it("leaves out operations whose own server cannot be said", function()
    local paths = { ["/a"] = { get = { servers = { { url = "/v3" } } } },
      ["/b"] = { get = { servers = { { url = "https://h/?x" } } } },
      ["/c"] = { get = { servers = { { url = "https://" } } } },
      ["/d"] = { get = { servers = { { url = "https://d.example/{version}" } } } } }
    assert.equal(4, #generate(document(paths, { servers = { { url = "/v1" } } })).left_out)
  end)
end)

describe("types: Swagger 2.0", function()
  local function swagger(paths, more)
    local root = { swagger = "2.0", host = "h.example", basePath = "/v1", schemes = { "http", "https" }, paths = paths }
    return with(root, more or {})
  end

  it("has its server in parts", function()
    local paths = { ["/x"] = { get = {} } }
    assert.equal("https://h.example/v1", generate(swagger(paths)).base)
    assert.equal("http://h.example/v1", generate(swagger(paths, { schemes = { "http", "ws" } })).base)
    assert.equal("https://h.example/v1", generate(swagger(paths, { schemes = {} })).base)
    local bare = swagger(paths)
    bare.host = nil
    assert.equal("/v1", generate(bare).base)
  end)

  it("has no part of its server that changes another", function()
    local paths = { ["/x"] = { get = {} } }
    assert.equal("https://h.example/v1", generate(swagger(paths, { basePath = "v1" })).base)
    assert.equal("https://h.example/@evil.example", generate(swagger(paths, { basePath = "@evil.example/" })).base)
    for _, more in ipairs { { schemes = { "https://evil/?" } }, { schemes = { "ws" } }, { host = "evil.example/?" },
      { host = "a@evil.example" }, { host = "a\\b" }, { host = "" }, { host = 5 } } do
      local made = generate(swagger(paths, more))
      assert.is_nil(made.base)
      assert.equal(0, #made.left_out)
    end
  end)

  it("has types beside the names, and formats of collections", function()
    local function list(name, format)
      return { name = name, ["in"] = "query", type = "array", items = { type = "string" }, collectionFormat = format }
    end
    local id = { name = "id", ["in"] = "path", type = "integer", required = true }
    local root = swagger { ["/x/{id}"] = { get = { parameters = { id, list "a", list("b", "multi"), list("c", "ssv"),
      list("d", "pipes"), list("e", "csv"), list("f", "tsv") } } } }
    local _, read = generate(root)
    assert.equal("GET /x/{id}{?a,b*,e}", read.routes[1].route)
    assert.equal("id integer", line_of(root, "id"))
    assert.equal('c? string # a list as text: table.concat(list, " ")', line_of(root, "c"))
    assert.equal('d? string # a list as text: table.concat(list, "|")', line_of(root, "d"))
    assert.equal('f? string # a list as text: table.concat(list, "\\t")', line_of(root, "f"))
  end)

  it("has a body among its parameters", function()
    local schema = { required = { "b" }, properties = { a = {}, b = { type = "integer" } } }
    local root = swagger({ ["/x"] = { post = { parameters = { { ["$ref"] = "#/parameters/book" } } } } },
      { parameters = { book = { name = "book", ["in"] = "body", schema = schema } } })
    assert.equal("b integer", line_of(root, "b"))
    root.consumes = { "text/plain" }
    assert.equal("data? string|function # text/plain", line_of(root, "data"))
  end)

  it("has forms among its parameters", function()
    local function form(name, kind, more) return with({ name = name, ["in"] = "formData", type = kind }, more or {}) end
    local root = swagger { ["/x"] = { post = { parameters = { form("a", "string", { required = true }),
      form("b", "array", { items = { type = "string" } }),
      form("c", "array", { items = { type = "string" }, collectionFormat = "multi" }) } } } }
    assert.equal("a string", line_of(root, "a"))
    assert.equal('b? string # a list as text: table.concat(list, ",")', line_of(root, "b"))
    assert.equal("c? string[]", line_of(root, "c"))
    local upload = swagger { ["/x"] = { post = { parameters = { form("a", "file") } } } }
    assert.equal("data? string|function # multipart/form-data", line_of(upload, "data"))
  end)

  it("has the JSON that it produces as accept", function()
    local paths = { ["/x"] = { get = {} }, ["/y"] = { get = { produces = { "application/json" } } } }
    local made = generate(swagger(paths, { produces = { "application/json", "text/xml" } }))
    assert.equal("application/json", defaults_in(made.files).headers.accept)
    paths["/y"].get.produces = { "text/csv" }
    made = generate(swagger(paths, { produces = { "application/json", "text/xml" } }))
    assert.is_nil(defaults_in(made.files).headers)
  end)
end)

-- --- bad and large documents --------------------------------------------------------

-- The message of generate for a document, without a position.
local function problem_of(root, name)
  local ok, message = pcall(types.generate, root, name or "api")
  assert.is_false(ok)
  return message
end

describe("types: a bad document", function()
  local ROWS = {
    { nil, "expected an OpenAPI document, got a nil" },
    { "x", "expected an OpenAPI document, got a string" },
    { {}, '"openapi" is 3.0 or 3.1, or "swagger" is 2.0' },
    { { openapi = "2.0", paths = {} }, '"openapi" is 3.0 or 3.1' },
    { { openapi = "3.10.0", paths = {} }, '"openapi" is 3.0 or 3.1' },
    { { openapi = "3.0x", paths = {} }, '"openapi" is 3.0 or 3.1' },
    { { swagger = "2.0.1", paths = {} }, '"swagger" is 2.0' },
    { { openapi = true, paths = {} }, '"openapi" is 3.0 or 3.1' },
    { { swagger = "1.2", paths = {} }, '"swagger" is 2.0' },
    { { openapi = "3.0.0" }, 'which has "paths"' },
    { { openapi = "3.0.0", paths = "x" }, 'which has "paths"' },
    { document { ["/x"] = { ["$ref"] = "#/nowhere\n" } }, '$ref "#/nowhere?" leads nowhere' },
    { document { ["/x"] = { ["$ref"] = "other.json#/x" } }, '$ref "other.json#/x": expected one into the document itself' },
    { document({ ["/x"] = { ["$ref"] = "#/a" } }, { a = { ["$ref"] = "#/b" }, b = { ["$ref"] = "#/a" } }),
      "leads in a circle" },
    { document { ["/x"] = { ["$ref"] = "#/paths/~1x" } }, '$ref "#/paths/~1x" leads in a circle' },
    { document { ["/x"] = { get = { parameters = { query("a", { schema = { ["$ref"] = "#/no" } }) } } } },
      '$ref "#/no" leads nowhere' },
    { document { ["/x"] = { get = { parameters = { { ["$ref"] = 5 } } } } }, "$ref: expected a text, got a number" },
    { document { ["/x"] = { ["$ref"] = json.null } }, "$ref: expected a text, got a userdata" },
    { document { ["/x"] = { get = { parameters = { { ["$ref"] = "#" } } } } }, '$ref "#": expected one into' },
    { document { ["/x"] = { get = { parameters = { { ["$ref"] = "#anchor" } } } } },
      '$ref "#anchor": expected one into' },
    { document { ["/x"] = { get = { parameters = { { ["$ref"] = "#/openapi" } } } } },
      '$ref "#/openapi" leads to no object' },
  }
  for i, row in ipairs(ROWS) do
    it("raises one line, " .. i .. ": " .. row[2], function()
      local message = problem_of(row[1])
      assert.truthy(message:find("^endpoint%.types: [^%c]*$"), message)
      assert.truthy(message:find(row[2], 1, true), message)
    end)
  end

  it("reads numbers as versions", function()
    assert.equal(0, generate({ swagger = 2, paths = {} }).operations)
    assert.equal(0, generate({ swagger = 2.0, paths = {} }).operations)
  end)

  it("raises on a name that is none", function()
    for _, name in ipairs { "", "1a", "a-b", "a.b", "../a", "endpoint", "string", "cjson", "_G", "utf8", "jit",
      5, {} } do
      assert.truthy(problem_of(document {}, name):find "^endpoint%.types: name: expected letters, digits and _")
    end
    assert.truthy(pcall(types.generate, document {}, "_A1"))
  end)

  it("may refer to an item of a list, as JSON pointers count", function()
    local reference = { ["$ref"] = "#/paths/~1x/get/parameters/1" }
    local root = document { ["/x"] = { get = { parameters = { query "a", query "b" } } }, ["/y"] = { get = { parameters = {
      reference } } } }
    local _, read = generate(root)
    assert.equal("b", read.classes[read.routes[2].class][1].name)
  end)

  it("may have extensions among its paths", function()
    local made = generate(document { ["/x"] = { get = {} }, ["x-ext"] = { get = {} } })
    assert.same({ 1, {} }, { made.operations, made.left_out })
  end)

  it("is not changed", function()
    local root = json.decode(support.read "spec/programs/types/books.json")
    types.generate(root, "books")
    assert.same(json.decode(support.read "spec/programs/types/books.json"), root)
  end)
end)

describe("types: a large document", function()
  it("takes several files, in which classes go on and aliases do not", function()
    local properties, paths = {}, {}
    for i = 1, 5000 do properties["property_" .. i] = { type = "string", description = ("x"):rep(150) } end
    for i = 1, 3000 do paths[("/%s/%d/{id}"):format(("p"):rep(60), i)] = { get = {} } end
    paths["/x"] = { post = body { properties = properties } }
    paths["/" .. ("y"):rep(260000)] = { get = {} }
    local made, read = generate(document(paths))
    assert.is_true(#made.files > 5)
    assert.equal(3002, #read.routes)
    assert.equal(5000, #read.classes["api.POST_x"])
    local aliases = {}
    for _, file in ipairs(made.files) do
      assert.is_true(#file.text < 300000)
      for alias in file.text:gmatch "\n%-%-%-@alias ([^\n]*)" do
        assert.is_nil(aliases[alias])
        aliases[alias] = true
      end
    end
    for alias in pairs(aliases) do
      assert.truthy(not alias:find "Routes" or made.files[1].text:find("\n---| " .. alias .. "\n", 1, true))
    end
  end)

  it("gives each operation a class of its own", function()
    local paths = {}
    for i, id in ipairs { "a b", "a/b", "a_b", "a_b_2", "Api", "Options", "Members", "Defaults", "Routes1",
      "Routes2" } do
      paths["/" .. ("abcdefghij"):sub(i, i)] = { get = { operationId = id, parameters = { query("p" .. i) } } }
    end
    local _, read = generate(document(paths))
    local classes = {}
    for i, route in ipairs(read.routes) do
      assert.is_nil(classes[route.class])
      assert.is_nil(route.class:match "%.Routes%d+$")
      classes[route.class] = true
      assert.equal("p" .. i, read.classes[route.class][1].name)
    end
  end)
end)

-- --- hostile text -------------------------------------------------------------------

describe("types: a hostile text", function()
  local EVIL = { "]]", "--]]", "\n---@class evil", "\r\nos.exit(1)", '"', '\\"', "\\", "\0",
    "---@field evil any", "]=]", "| any" }

  local function document_of(evil)
    local schema = { properties = { [evil] = { enum = { evil }, description = evil } }, required = { evil } }
    return { openapi = "3.0.0", info = { title = evil }, servers = { { url = "https://h.example/" .. evil } }, paths = {
      ["/" .. evil] = { get = { operationId = evil, summary = evil, parameters = { query(evil, { description = evil,
        required = true, schema = { type = "string", enum = { evil } } }), query(evil .. "[]", LIST),
        query("h" .. evil, { ["in"] = "header" }), query("c" .. evil, { ["in"] = "cookie" }) } },
      post = body(schema, "application/json"), put = body(schema, "text/" .. evil),
      patch = body(schema, "a/" .. evil .. "+json") } } }
  end

  for _, evil in ipairs(EVIL) do
    it("stays in its place: " .. evil:gsub("%c", "?"), function()
      local made, read = generate(document_of(evil))
      assert.is_nil(read.classes.evil)
      local allowed = { baseUrl = made.base }
      assert.same(allowed, defaults_in(made.files))
      for _, route in ipairs(read.routes) do
        if route.route:find "^POST" then
          local field = read.classes[route.class][1]
          assert.same({ evil, true, evil }, { field.name, field.required, field.type[1].value })
        end
      end
    end)
  end

  it("has no control character of two bytes in the definitions", function()
    local made, read = generate(document_of "a\194\155b")
    for _, file in ipairs(made.files) do assert.is_nil(file.text:match "\194[\128-\159]") end
    assert.equal("a?b", made.files[#made.files].text:match "^%-%- ([^\n]*)")
    local found = 0
    for _, class in pairs(read.classes) do
      for _, field in ipairs(class) do found = found + (field.name == "a\194\155b" and 1 or 0) end
    end
    assert.is_true(found > 0)
  end)

  it("of a document changed at random stays there, too", function()
    local count = tonumber(os.getenv "DOCUMENTS" or 400)
    local roots = { json.decode(support.read "spec/programs/types/books.json"),
      json.decode(support.read "spec/programs/types/books2.json") }
    local worked = 0
    for seed = 1, count do
      local root = hostile.mutate(roots[seed % #roots + 1], seed, json.null)
      local ok, made = pcall(types.generate, root, "api")
      if ok then
        local read = definitions.read(made.files)
        local given = defaults_in(made.files)
        assert.equal(made.base, given.baseUrl)
        assert.equal(made.operations, #read.routes + #made.left_out)
        worked = worked + 1
      else
        assert.truthy(made:find "^endpoint%.types: [^%c]*$", seed .. ": " .. tostring(made))
      end
    end
    assert.is_true(worked > count / 2)
  end)
end)

-- --- the whole, and the program -----------------------------------------------------

describe("types: the golden documents", function()
  for _, name in ipairs { "books", "books2" } do
    it(name .. " come out as they did", function()
      local made = types.generate(json.decode(support.read("spec/programs/types/" .. name .. ".json")), name)
      for _, file in ipairs(made.files) do assert.equal(support.read("spec/programs/types/" .. file.name), file.text) end
      assert.equal(2, #made.files)
    end)
  end
end)
