-- endpoint.types: what an OpenAPI document says becomes routes, options and definitions; of bad,
-- large and hostile documents, too.
package.path = "src/?.lua;" .. package.path
local definitions = require "types.definitions"
local endpoint = require "endpoint"
local json = require "cjson"
local support = require "support"
local types = require "endpoint.types"

-- --- documents --------------------------------------------------------------------

local function with(base, more)
  local copy = {}
  for key, value in pairs(base) do
    copy[key] = value
  end
  for key, value in pairs(more or {}) do
    copy[key] = value
  end
  return copy
end

local function document(paths, more)
  return with(
    { openapi = "3.0.3", paths = paths, servers = { { url = "https://h.example" } } },
    more
  )
end

local function schemas(made)
  return { components = { schemas = made } }
end

-- Makes a module of a document: what `generate` returns, and what an editor reads in it.
local function generate(root, options)
  local made = types.generate(root, "api", options)
  return made, definitions.read(made.files)
end

-- A parameter of the query, with more of its fields.
local function q(name, more)
  return with({ name = name, ["in"] = "query", schema = { type = "string" } }, more)
end

-- n values after keys that begin so, or a list without a key; of a function what it makes of each
-- number.
local function many(n, key, value)
  local made = {}
  for i = 1, n do
    made[key and key .. i or i] = type(value) == "function" and value(i) or value
  end
  return made
end

local TEXT = { type = "string" }
local LIST = { schema = { type = "array", items = { type = "string" } } }
local REQUIRED = { required = true }

-- An operation with a body of a media type, JSON if none is named. more: other fields of the
-- content.
local function body(schema, media_type, more)
  return {
    requestBody = {
      content = { [media_type or "application/json"] = with({ schema = schema }, more) },
    },
  }
end

local OBJECT = {
  type = "object",
  required = { "b" },
  properties = { a = { type = "string" }, b = { type = "integer" } },
}
local function get(path, more)
  return { [path] = { get = more or {} } }
end
local function server(url, variables)
  return { servers = { { url = url, variables = variables } } }
end

-- --- what comes out -----------------------------------------------------------------

-- The fields of a class as they are written, those of a table among the options in braces, and
-- some remarks shortened, which the golden document has in full.
local function fields_in(read, class, depth)
  local parts = {}
  for _, field in ipairs(read.classes[class]) do
    local inner = (depth or 0) < 3 and read.classes[field.type[1].name]
    local is_whole = field.line:find "# the whole body$"
    inner = inner
      and ("%s { %s }%s"):format(
        field.line:match "^%S+",
        fields_in(read, field.type[1].name, (depth or 0) + 1),
        field.line:match " # .*" or ""
      )
    local shown = inner
      or field.line
        :gsub("# a list as a string: table.concat%(list, (.*)%)$", "# by %1")
        :gsub(" # give it here or in the defaults$", "")
        :gsub("%? any # any names of this form$", "...")
    parts[#parts + 1] = not is_whole and shown or nil
  end
  return table.concat(parts, ", ")
end

-- What the module and its definitions say: each route with the fields of its options, and the URL
-- of a call that has all of them; after that, what was left out, and why.
local function said(root)
  local made, read = generate(root)
  local api, parts = definitions.load(made), {}
  for i, route in ipairs(read.routes) do
    local least = definitions.options_of(read, route.class)
    assert.equal(next(least) ~= nil, route.required)
    assert.is_true(read.Routes[route.route])
    assert.equal(not route.required or nil, read.RoutesWithoutOptions[route.route])
    api(route.route, least)
    if route.other then
      api(route.route, definitions.options_of(read, route.other, true))
    end
    local url = api(route.route, definitions.options_of(read, route.class, true)).url
    local fields = fields_in(read, route.class)
    url = url:gsub("^https://h%.example", ""):gsub("%%5B", "["):gsub("%%5D", "]")
    parts[i] = route.route .. (fields ~= "" and ": " .. fields or "") .. " -> " .. url
  end
  for _, left in ipairs(made.left_out) do
    parts[#parts + 1] = left.operation .. " is left out: " .. left.reason
  end
  assert.equal(made.operations, #parts)
  return table.concat(parts, "; ")
end

-- A case of cases.json is a document, or has the `schema` of a body's property, or is a pair of
-- such a schema and its type, or its rules. Beside the others stands what comes out of them:
--   says            what `said` above gives
--   notes           the notes of `generate`
--   base, accept    the base address, and what the call accepts; false for none
--   type, rules     of the property
--   names           which other names that body, and the options of the call, may have: "none",
--                   "any", or those of a type
local function root_of(case)
  local list = { type = "array", items = { ["$ref"] = "#/components/schemas/S" } }
  local shared = schemas { ["a/b c~"] = { type = "integer" }, S = list }
  if case.openapi or case.swagger then
    return case
  end
  if case.paths then
    return document(case.paths, case)
  end
  local schema = case.names and case.schema or { properties = { a = case.schema } }
  return document({ ["/x"] = { post = body(schema) } }, shared)
end

-- Whether a class lets in names that the document does not have.
local function names_in(class, closed, open)
  if class.parents:find(closed, 1, true) then
    return "none"
  end
  return class.parents:find(open, 1, true) and (class.others or "any")
end

-- The node of the body's property `a` in the rules of a document.
local function node_of(root)
  local text = types.generate(root, "api", { checks = true }).files[2].text
  local checks = require "endpoint.checks"
  local new = checks.new
  function checks.new(data)
    return data
  end
  local data = (loadstring or load)(text)()
  checks.new = new
  local node = require "endpoint.checks.calls.constructed"(data.operations[1][4]).body.properties.a
  return node.ref and data.schemas[node.ref]() or node
end

-- A value as JSON for titles and messages.
local function as_json(value)
  return (json.encode(value):gsub("\\/", "/"))
end

-- Each route on a line of its own.
local function lines_of(text)
  return (text:gsub("; ", "\n"))
end

-- Raises if what comes out of a case is not what it says, and shows the case.
local function try(case)
  local root, shown = root_of(case), "the outcome of " .. as_json(case.schema or case)
  if case.notes then
    assert.same(case.notes, types.generate(root, "api").notes, shown)
  end
  if case.says or case.type then
    local expected = case.says or "POST /x: a? " .. case.type .. " -> /x"
    return support.same_text(lines_of(expected), lines_of(said(root)), shown)
  end
  if case.rules then
    return assert.same(case.rules, node_of(root), shown)
  end
  local made, read = generate(root)
  local defaults = definitions.defaults_in(made.files)
  if case.names then
    local found = {
      names_in(read.classes["api.POST_x.data"], "api.Closed", "api.POST_x.body"),
      names_in(read.classes["api.POST_x"], "api.Options", "api.OpenOptions"),
    }
    assert.same(case.names, found, shown)
  elseif case.accept ~= nil then
    assert.equal(case.accept or nil, (defaults.headers or {}).accept, shown)
  else
    assert.same(
      { case.base or nil, { baseUrl = case.base or nil }, 1 },
      { made.base, defaults, #read.routes },
      shown
    )
  end
end

local CASES = json.decode(support.read "spec/types/cases.json")
for _, group in ipairs(support.keys(CASES)) do
  describe("types: " .. group .. ":", function()
    for _, case in ipairs(CASES[group]) do
      if case[1] then
        case = { schema = case[1], [group == "rules" and group or "type"] = case[2] }
      end
      local title = case.says or as_json(case.schema or case)
      local is_long = #title > 200

      it(is_long and title:sub(1, 200):gsub("[\128-\255]+$", "") .. "..." or title, function()
        try(case)
      end)
    end
  end)
end

local LONG = ("x"):rep(7998) -- with its quotes 8,000 bytes, which are the most of an enumeration
-- Two of them and "https://h.example/" have 2,000 bytes, which are the most of an address.
local HALF = ("x"):rep(991)

describe("types:", function()
  it("a long enumeration is shown as the type of its values", function()
    local values = many(1000, nil, function(i)
      return "value " .. i
    end)
    try { schema = { type = "string", enum = values }, type = "string" }
  end)

  it("an enumeration of 8,000 bytes is shown", function()
    try { schema = { type = "string", enum = { LONG } }, type = '"' .. LONG .. '"' }
  end)

  it("an enumeration of 8,001 bytes is shown as its type", function()
    try { schema = { type = "string", enum = { LONG .. "x" } }, type = "string" }
  end)

  -- With the whole 1,000 or 1,001 nodes; 1,001 are too many.
  for _, row in ipairs { { count = 999, type = "integer" }, { count = 1000, type = "any" } } do
    it(("anyOf with %d schemas is shown as %s"):format(row.count, row.type), function()
      local schemas_of = many(row.count, nil, function()
        return { type = "integer" }
      end)
      try { schema = { anyOf = schemas_of }, type = row.type }
    end)
  end

  it("an enumeration of 8,000 numbers is whole in the rules", function()
    local numbers = { enum = many(8000, nil, tonumber) }
    try { schema = numbers, rules = numbers }
  end)

  it("slashes at the end of a server's address are dropped, however many", function()
    local at = server("https://h.example" .. ("/"):rep(1000))
    try(with({ paths = get "/x", base = "https://h.example" }, at))
  end)

  for how, url in pairs {
    ["with a variable"] = "https://h.example/{a}{a}",
    ["as it is"] = "https://h.example/" .. HALF .. HALF,
  } do
    it("an address of 2,000 bytes is the base, " .. how, function()
      local at = server(url, { a = { default = HALF } })
      try(with({ paths = get "/x", base = "https://h.example/" .. HALF .. HALF }, at))
    end)

    it("an address of 2,001 bytes is left out, " .. how, function()
      local at = server(url .. "x", { a = { default = HALF } })
      try(with({ paths = get "/x", base = false }, at))
    end)
  end

  it("an address that is too long before its last variable is left out", function()
    local name = ("b"):rep(100)
    local at = server(
      "https://h.example/{a}{a}{" .. name .. "}",
      { a = { default = HALF }, [name] = { default = "" } }
    )
    try(with({ paths = get "/x", base = false }, at))
  end)
end)

describe("types: of two media types", function()
  local best_of = require "endpoint.types.document.media_types".best

  for _, row in ipairs {
    { best = "application/json", other = "z/z+json" },
    { best = "z/z+json", other = "application/x-www-form-urlencoded" },
    { best = "application/x-www-form-urlencoded", other = "*/*" },
    { best = "*/*", other = "a/b" },
  } do
    it(
      ("%s is taken rather than %s, which can be said less well"):format(row.best, row.other),
      function()
        assert.equal(row.best, best_of { row.best, row.other })
        assert.equal(row.best, best_of { row.other, row.best })
      end
    )
  end

  it("that can be said equally well the first is taken", function()
    assert.equal("a/b", best_of { "a/b", "a/a" })
    assert.equal("a/a", best_of { "a/a", "a/b" })
  end)
end)

describe("types: a string in a remark", function()
  local line_of = require "endpoint.types.source".line
  local long = ("x"):rep(118)

  for _, row in ipairs {
    { what = "is whole if it has 120 bytes", given = long .. "xx", line = long .. "xx" },
    {
      what = "is cut at 120 bytes if it is longer",
      given = long .. "xxx",
      line = long .. "xx ...",
    },
    { what = "is cut within a long word", given = long .. "xxx y", line = long .. "xx ..." },
    {
      what = "is cut after a word that ends at 120 bytes",
      given = "y " .. long .. " y",
      line = "y " .. long .. " ...",
    },
    {
      what = "is cut within a word where half of it would be lost",
      given = "y " .. long .. "x y",
      line = "y " .. long .. " ...",
    },
    {
      what = "is cut after a word where half of it stays",
      given = ("y"):rep(60) .. " " .. long,
      line = ("y"):rep(60) .. " ...",
    },
    {
      what = "is cut at a character where there are no spaces",
      given = ("获"):rep(50),
      line = ("获"):rep(40) .. " ...",
    },
    {
      what = "is cut at a character after a few words",
      given = "Get all. " .. ("é"):rep(60),
      line = "Get all. " .. ("é"):rep(55) .. " ...",
    },
    {
      what = "is cut before a character that 120 bytes divide",
      given = "é" .. long:sub(2) .. "éx",
      line = "é" .. long:sub(2) .. " ...",
    },
    {
      what = "has no tags of HTML and no control characters",
      given = "</b>y<1>\27\t <h1 a> </i/>",
      line = "y<1> <h1 a> </i/>",
    },
    { what = "has single spaces", given = " a   b  c ", line = "a b c" },
    { what = "is empty where it is a space", given = " ", line = "" },
    { what = "is empty where it was", given = "", line = "" },
    { what = "keeps its characters", given = " é\n\n", line = "é" },
    { what = "is read up to 960 bytes", given = ("<b>"):rep(319) .. "four", line = "fou" },
  } do
    it(row.what, function()
      assert.equal(row.line, line_of(row.given))
    end)
  end
end)

it("types: a long path stands whole above the class of its options", function()
  local path = ("/" .. ("x"):rep(39)):rep(4)
  local _, read = generate(document { [path] = { get = {} } })
  assert.equal("GET " .. path, read.classes[read.routes[1].class].operation)
end)

it("types: names that the document does not have are let in where `open` says so", function()
  local _, read =
    generate(document { ["/x"] = { post = body { properties = { a = OBJECT } } } }, { open = true })
  assert.same({ "", "api.POST_x.body", nil }, {
    read.classes["api.POST_x.a"].parents,
    read.classes["api.POST_x.data"].parents,
    read.classes["api.Options"].others,
  })
end)

it(
  "types: a table in the body has a class, which lets in other names as its schema does",
  function()
    local empty, E =
      { properties = { id = { type = "integer", readOnly = true } } },
      { ["$ref"] = "#/definitions/E" }
    local function part(path)
      return { ["$ref"] = path .. "/properties/f" }
    end
    local _, read = generate(document({
      ["/x"] = {
        post = body {
          allOf = { { properties = { h = E } } },
          properties = {
            c = empty,
            d = empty,
            e = OBJECT,
            f = part "#/components/schemas/S",
            g = part "#/definitions/D",
            h = E,
            l = { ["$ref"] = "#/definitions/" },
            i = { ["$ref"] = "#/components/schemas/" },
            j = { ["$ref"] = "#/x-x/#/components/schemas/S" },
            k = { ["$ref"] = "#/x-x/#/definitions/D" },
            a = with(OBJECT, { additionalProperties = { properties = { y = {} } } }),
            b = with(OBJECT, { additionalProperties = true }),
          },
        },
      },
    }, {
      ["x-x"] = {
        ["#"] = {
          components = { schemas = { S = with(OBJECT) } },
          definitions = { D = with(OBJECT) },
        },
      },
      components = {
        schemas = { S = { properties = { f = with(OBJECT) } }, [""] = with(OBJECT) },
      },
      definitions = {
        [""] = with(OBJECT),
        D = { properties = { f = with(OBJECT) } },
        E = with(OBJECT),
      },
    }))
    assert.same({ "", "", "api.Closed", "api.POST_x.a.other", nil, "y? any", "table", "table" }, {
      read.classes["api.POST_x.a"].parents,
      read.classes["api.POST_x.b"].parents,
      read.classes["api.POST_x.e"].parents,
      read.classes["api.POST_x.a"].others,
      read.classes["api.POST_x.b"].others,
      fields_in(read, "api.POST_x.a.other"),
      read.classes["api.POST_x.body"][3].type[1].name,
      read.classes["api.POST_x.body"][4].type[1].name,
    })
    for _, name in ipairs {
      "POST_x.f",
      "POST_x.g",
      "body.E",
      "POST_x.i",
      "POST_x.j",
      "POST_x.k",
      "POST_x.l",
    } do
      assert.equal("b integer, a? string", fields_in(read, "api." .. name), name)
    end
  end
)

it(
  "types: a route without the query's expression is one, too, if nothing in it is required",
  function()
    local _, read = generate(document {
      ["/x"] = {
        post = { parameters = { q "a" } },
        put = { parameters = { q("a", REQUIRED) } },
        get = { parameters = { q "a", q("b", LIST) } },
        patch = { parameters = { q("a{b}", with(REQUIRED, { schema = { type = "object" } })) } },
      },
    })
    local plain = {}
    for i, one in ipairs(read.plain) do
      plain[i] = one.route .. ": " .. fields_in(read, one.class)
    end
    assert.same({
      'GET /x: a? string, b? "needs the route GET /x{?b*}"',
      'POST /x: a? "needs the route POST /x{?a}"',
    }, plain)
  end
)

describe("types: a body", function()
  local named = { properties = { a = {} } }

  for _, keyword in ipairs {
    "patternProperties",
    "then",
    "else",
    "dependentSchemas",
    "$dynamicRef",
  } do
    it("may have other names beside the keyword " .. keyword, function()
      try { schema = with(named, { [keyword] = {} }), names = { "any", "any" } }
    end)
  end

  for keyword, value in pairs {
    required = { "a" },
    enum = { {} },
    const = {},
    allOf = {},
    oneOf = {},
    anyOf = {},
    ["not"] = {},
    items = {},
    additionalProperties = false,
    type = "string",
  } do
    it("has no other names with an alternative of the keyword " .. keyword, function()
      try { schema = { anyOf = { named, { [keyword] = value } } }, names = { "none", "none" } }
    end)
  end

  it("may have other names with an alternative that says nothing of them", function()
    try { schema = { anyOf = { named, { title = "any" } } }, names = { "any", "any" } }
  end)

  it("has other names of the type that all of allOf give", function()
    local text = { additionalProperties = { type = "string" } }
    try { schema = { allOf = { with(named, text), text } }, names = { "string", "any" } }
  end)
end)

describe("types: a property of several schemas", function()
  local function has(more)
    return { properties = { k = with({ type = "string" }, more) } }
  end
  local A, B, PLAIN = has { enum = { "a" } }, has { const = "b" }, has()
  local READ, OLD = has { readOnly = true }, has { deprecated = true }

  for _, row in ipairs {
    {
      what = "has the remarks of all of allOf",
      field = "k? string # deprecated; D",
      allOf = { OLD, has { description = "D" } },
    },
    { what = "is left out if one of allOf is read-only", allOf = { PLAIN, READ } },
    {
      what = "is left out if all of anyOf are read-only",
      anyOf = { READ, has { readOnly = true, title = "r" } },
    },
    {
      what = "has any value if one of anyOf may be written, and one is only read",
      field = "k? any",
      anyOf = { PLAIN, READ },
    },
    {
      what = "is not deprecated if one of anyOf is not",
      field = "k? string",
      anyOf = { PLAIN, OLD },
    },
    {
      what = "has the values of all of anyOf",
      field = 'k? "a"|"b"',
      allOf = { PLAIN },
      anyOf = { A, B },
    },
    {
      what = "has any value if one of anyOf is empty beside an enumeration",
      field = "k? string",
      allOf = { PLAIN },
      anyOf = { A, {} },
    },
    {
      what = "has any value if one of anyOf is empty beside a const",
      field = "k? string",
      allOf = { PLAIN },
      anyOf = { B, {} },
    },
    {
      what = "has any value if one of anyOf is empty beside both",
      field = "k? string",
      allOf = { PLAIN },
      anyOf = { A, B, {} },
    },
  } do
    it(row.what, function()
      local post = body { properties = { a = {} }, allOf = row.allOf, anyOf = row.anyOf }
      local _, read = generate(document { ["/x"] = { post = post } })
      assert.equal(table.concat({ "a? any", row.field }, ", "), fields_in(read, "api.POST_x"))
    end)
  end
end)

it(
  "types: the options are open where the names of some are not known, and have each class that "
    .. "they need",
  function()
    local free = { style = "deepObject", schema = { type = "object" } }
    local at = { servers = { { url = "https://o.example/x" } }, parameters = { q("a", LIST) } }
    local _, read = generate(document {
      ["/x"] = {
        get = { parameters = { q("c", free) } },
        post = body {
          additionalProperties = {},
        },
      },
      ["/y"] = { get = at },
      ["/x/y"] = { get = server "https://o.example" },
      ["/{id}"] = { post = body(OBJECT) },
    })
    assert.same({ "api.OpenOptions", "api.Options", "id string", 5, 0 }, {
      read.classes["api.GET_x"].parents,
      read.classes["api.POST_x"].parents,
      fields_in(read, "api.POST_id_.with_data"),
      #read.routes,
      #read.plain,
    })
  end
)

-- --- responses, and a part of a document --------------------------------------------

describe("types: the options of generate", function()
  local USER = {
    type = "object",
    required = { "id", "password" },
    properties = {
      id = { type = "integer", readOnly = true },
      password = { type = "string", writeOnly = true },
      friend = { ["$ref"] = "#/components/schemas/User" },
      home = { type = "object", properties = { city = {} } },
    },
  }
  local function answers(schema)
    return {
      responses = { ["200"] = { content = { ["application/json"] = { schema = schema } } } },
    }
  end
  local USERS = { type = "array", items = { ["$ref"] = "#/components/schemas/User" } }
  local ROOT = document({
    ["/x/{id}"] = { get = {} },
    ["/users"] = {
      post = answers { type = "string" },
      get = with(answers(USERS), { operationId = "list", tags = { "people", "pepsin" } }),
    },
  }, schemas { User = USER })

  it("responses: has an alias for each, and classes for what is in them", function()
    local _, read = generate(ROOT, { responses = true })
    assert.equal("api.response.User", read.aliases["api.list.response"][1].inner.name)
    assert.equal("string", read.aliases["api.POST_users.response"][1].name)
    assert.is_nil(read.aliases["api.GET_x_id_.response"])
    assert.equal(
      "id integer, friend? { id integer, friend? { id integer, friend? { id integer, "
        .. "friend? api.response.User, home? api.response.User.home }, home? { city? any } }, "
        .. "home? { city? any } }, "
        .. "home? { city? any }",
      fields_in(read, "api.response.User")
    )
    assert.is_nil(select(2, generate(ROOT)).aliases["api.list.response"])
  end)

  for what, line in pairs {
    ["a field of the module's class"] = "\n---@field ask api.Send\n",
    ["its overloads"] = "\n---Routes to send.\n---@overload fun(route: ",
    ["the answer of a route"] = 'Answers\n---| fun(route: "GET /users", options?: api.list): '
      .. "api.list.response, endpoint.re",
    ["the elements of a route's pages"] = 'Elements\n---| fun(route: "GET /users", options?: '
      .. "table, pages?: endpoint.request.Pages): fun(): api.response.User\n",
    ["a route without a response of its own"] = '| fun(route: "GET /x/{id}", options: '
      .. "api.GET_x_id_): any, endpoint.request.Response",
  } do
    it("responses: the sender has " .. what, function()
      local text = generate(ROOT, { responses = true }).files[1].text
      assert.truthy(text:find(line, 1, true), text)
    end)
  end

  it(
    "responses: several are a union, in which each table has a class; what is in a list of lists "
      .. "is an element",
    function()
      local function list(items)
        return { type = "array", items = items }
      end
      local both = answers { properties = { a = {} } }
      both.responses["201"] = answers(list { properties = { b = {} } }).responses["200"]
      local made, read = generate(
        document {
          ["/x"] = {
            get = both,
            put = answers { type = "array" },
            post = answers { anyOf = { list { type = "string" }, list { type = "integer" } } },
          },
        },
        { responses = true }
      )
      local union = read.aliases["api.GET_x.response"]
      assert.same(
        { "api.GET_x.response.body", "api.GET_x.response.body_2", "" },
        { union[1].name, union[2].inner.name, fields_in(read, "api.GET_x") }
      )
      local elements = made.files[1].text:match "alias api%.Elements\n(.*)\n"
      assert.equal(
        '---| fun(route: "POST /x", options?: table, pages?: endpoint.request.Pages): fun(): '
          .. "string|integer",
        elements
      )
    end
  )

  describe("responses: of several statuses and media types,", function()
    local COUNT = { type = "integer" }
    local function of(statuses, media_type)
      local responses = {}
      for status, schema in pairs(statuses) do
        responses[status] = {
          content = { [media_type or "application/json"] = { schema = schema } },
          schema = schema,
        }
      end
      return { responses = responses }
    end
    local paths = {
      ["/1"] = {
        get = of { ["402"] = TEXT },
        put = of { default = TEXT },
        post = of { default = TEXT, ["200"] = COUNT },
      },
      ["/2"] = { get = of({ ["299"] = TEXT }, "*/*"), put = of({ ["200"] = TEXT }, "text/csv") },
    }
    for version, root in pairs {
      ["OpenAPI 3"] = document(paths),
      ["Swagger 2.0"] = { swagger = "2.0", paths = paths },
    } do
      for _, row in ipairs {
        { what = "that of an error is not taken", name = "GET_1" },
        { what = "the default is taken if there is no other", name = "PUT_1", type = "string" },
        { what = "one of success is taken, not the default", name = "POST_1", type = "integer" },
        { what = "one of any media type is taken", name = "GET_2", type = "string" },
        {
          what = "one of text has a type in Swagger alone",
          name = "PUT_2",
          type = version == "Swagger 2.0" and "string" or nil,
        },
      } do
        it(("%s: %s"):format(row.what, version), function()
          local aliases = select(2, generate(root, { responses = true })).aliases
          local union = aliases["api." .. row.name .. ".response"]
          assert.equal(row.type, union and not union[2] and union[1].name or nil)
        end)
      end
    end
  end)

  it("responses: a # in a route begins no comment there", function()
    local text = generate(document(get "/x#f"), { responses = true }).files[1].text
    assert.truthy(text:find('\n---| fun(route: "GET /x\\035f", options?: ', 1, true))
    assert.truthy(text:find('\n  ["GET /x#f"] = 1,', 1, true))
    -- For one route, too.
    assert.truthy(text:find "\n%-%-%-@field ask api%.Send\n.*\n%-%-%-Routes to send%.\n")
  end)

  -- In a pattern nothing counts twice.
  for _, row in ipairs {
    { only = { "people", "* /x*" }, routes = "GET /users GET /x/{id}" },
    { only = { "/users" }, routes = "GET /users POST /users" },
    { only = { "GET /x/{*d*}", "*S* /u*" }, routes = "POST /users GET /x/{id}" },
    { only = { "GET /users*" }, routes = "GET /users" },
    { only = { "*GET* /users" }, routes = "GET /users" },
    { only = { "GET /u*s*e*rs" }, routes = "GET /users" },
  } do
    it(("only: %s takes %s"):format(table.concat(row.only, " and "), row.routes), function()
      local routes = {}
      for i, route in ipairs(select(2, generate(ROOT, { only = row.only })).routes) do
        routes[i] = route.route
      end
      assert.equal(row.routes, table.concat(routes, " "))
    end)
  end

  local function problem_of(only)
    return select(2, pcall(types.generate, ROOT, "api", { only = only }))
  end

  for _, far in ipairs { "zzz*", "*.*", "/usxxxx", "" } do
    it(('only: "%s" is refused, as nothing is near'):format(far), function()
      local expected = ('endpoint.types: only "%s": the document has no such operation'):format(far)
      assert.equal(expected, problem_of { far })
    end)
  end

  for wrong, nearest in pairs {
    ["get /user*"] = "GET /users",
    poeple = "people",
    peopleware = "people",
    ["/z"] = "/users",
    ["peop*"] = "people",
    pe = "people",
    ["GET /users*s"] = "GET /users",
    ["GET /u*r*rs"] = "GET /users",
    ["GET /*se*er*s"] = "GET /users",
  } do
    it(
      ('only: "%s" is refused, and "%s" is named as the nearest'):format(wrong, nearest),
      function()
        local words = 'endpoint.types: only "%s": the document has no such operation. '
          .. 'The nearest is "%s"'
        assert.equal(words:format(wrong, nearest), problem_of { "GET *", wrong })
      end
    )
  end

  it("only: what else cannot be called is not said, and the answers of all count", function()
    local lost = { ["$ref"] = "#/nowhere" }
    local made = generate(
      document { ["/x"] = { get = lost, put = lost, post = answers {} } },
      { only = { "GET *" } }
    )
    assert.same(
      { { operation = "GET /x", reason = '$ref "#/nowhere" leads nowhere' } },
      made.left_out
    )
    assert.equal("application/json", definitions.defaults_in(made.files).headers.accept)
  end)

  it("progress: is called with each operation", function()
    local calls = {}
    types.generate(ROOT, "api", {
      progress = function(done, count)
        calls[#calls + 1] = done .. "/" .. count
      end,
    })
    assert.same({ "1/3", "2/3", "3/3" }, calls)
  end)
end)

-- --- bad and large documents --------------------------------------------------------

describe("types: a bad document", function()
  local ROWS = {
    { what = "that is nil", words = "expected an OpenAPI document, got nothing." },
    {
      what = "without a version",
      root = {},
      words = '"openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0',
    },
    {
      what = "of version 13.0",
      root = { openapi = "13.0", paths = {} },
      words = 'or "swagger" is 2.0, got "13.0"',
    },
    {
      what = "of version 13.0.1",
      root = { openapi = "13.0.1", paths = {} },
      words = '2.0, got "13.0.1"',
    },
    {
      what = "whose version ends in a slash",
      root = { openapi = "3.0.1/", paths = {} },
      words = '2.0, got "3.0.1/"',
    },
    {
      what = "of version 3.10.0",
      root = { openapi = "3.10.0", paths = {} },
      words = '"openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0, got "3.10.0"',
    },
    {
      what = "of Swagger 2.0.1",
      root = { swagger = "2.0.1", paths = {} },
      words = '"swagger" is 2.0',
    },
    { what = "without paths", root = { openapi = "3.0.0" }, words = 'which has "paths"' },
    {
      what = "with a path in another file",
      root = document { ["/x"] = { ["$ref"] = "other.json#/x" } },
      words = '$ref "other.json#/x" leads to another file: bundle it',
    },
    {
      what = "with an operation at another URL",
      root = document { ["/x"] = { get = { ["$ref"] = "https://h.example/x" } } },
      words = "leads to another file: bundle it",
    },
    {
      what = "with a long $ref to another file",
      root = document({}, { ["max-x"] = { ["$ref"] = ("x"):rep(101) } }),
      words = '$ref "' .. ("x"):rep(97) .. '..." leads to another file',
    },
  }
  local others = {}
  for number = 10, 40 do
    others["/" .. number * 7919 % 31] = { ["$ref"] = number .. ".json#/x" }
  end
  ROWS[#ROWS + 1] = {
    what = "with paths in many other files, of which the first by its name is told",
    root = document(others),
    words = '$ref "10.json#/x" leads to another file',
  }
  for key in
    (
      "properties patternProperties schemas definitions parameters responses requestBodies "
      .. "headers pathItems $defs dependentSchemas"
    ):gmatch "%S+"
  do
    ROWS[#ROWS + 1] = {
      what = "with a $ref to another file under the name example in " .. key,
      root = document({}, { a = { [key] = { example = { ["$ref"] = key } } } }),
      words = "leads to another file",
    }
  end
  for _, name in ipairs {
    "",
    "1a",
    "a-b",
    "../a",
    "endpoint",
    "string",
    "cjson",
    "_G",
    "utf8",
    "jit",
    "bit",
    "bit32",
    "coroutine",
    "debug",
    "ffi",
    "io",
    "math",
    "os",
    "package",
    "table",
    5,
    {},
  } do
    ROWS[#ROWS + 1] = {
      what = "for a module with the name " .. support.shown(name),
      root = document {},
      words = "name: expected letters, digits and _",
      name = name,
    }
  end
  for _, row in ipairs(ROWS) do
    it(("raises one line, one %s: %s"):format(row.what, row.words), function()
      local is_made, message = pcall(types.generate, row.root, row.name or "api")
      assert.is_false(is_made)
      assert.truthy(message:find("^endpoint%.types: [^%c]*$"), message)
      assert.truthy((message .. "."):find(row.words, 1, true), message)
    end)
  end

  for what, root in pairs {
    ["Swagger 2"] = { swagger = "2", paths = {} },
    ["OpenAPI 3, a number"] = { openapi = 3, paths = {} },
    ["Swagger 2.0, a number"] = { swagger = 2.0, paths = {} },
  } do
    it("is not one whose version is short or a number: " .. what, function()
      assert.equal(0, types.generate(root, "api").operations)
    end)
  end

  it("is not one with another file in an example or an extension", function()
    local other = { ["$ref"] = "other.json" }
    local root = document({}, { example = other, ["x-a"] = other })
    assert.equal(0, types.generate(root, "_A1").operations)
  end)

  it(
    "has the reference named that is the first in the alphabet of those that lead nowhere",
    function()
      local paths, reasons, expected = {}, {}, {}
      for i = 1, 9 do
        local post = body { items = { ["$ref"] = "#/b" .. i } }
        paths["/" .. i] = {
          post = with(
            post,
            { parameters = { { ["$ref"] = "#/a" .. i }, { ["$ref"] = "#/c" .. i } } }
          ),
        }
        expected[i] = ('$ref "#/a%d" leads nowhere'):format(i)
      end
      for i, left in ipairs(generate(document(paths)).left_out) do
        reasons[i] = left.reason
      end
      assert.same(expected, reasons)
    end
  )
end)

-- Small documents that would cost much.
local function reference(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end

-- n properties, each with the same schema.
local function fan(n, schema)
  return { type = "object", properties = many(n, "p", schema) }
end
local function post_of(schema, all)
  return document({ ["/x"] = { post = body(schema) } }, schemas(all))
end

local function tangled(i)
  local next_one = reference("S" .. i % 60 + 1)
  return {
    anyOf = { next_one, { type = "array", items = next_one } },
    allOf = { next_one, next_one },
    properties = { p = next_one },
  }
end
local TYPES = {
  anyOf = { { type = "array", items = { type = "array" } }, { enum = many(350, nil, tonumber) } },
}

local COSTLY = {
  ["a deepObject with a long name"] = document(
    get(
      "/x",
      { parameters = { q(("x"):rep(20000), { style = "deepObject", schema = reference "S" }) } }
    ),
    schemas { S = fan(20, reference "S") }
  ),
  ["one body of many operations"] = document(many(2000, "/", { post = body(fan(2000, TEXT)) })),
  ["a path with many responses"] = document(
    many(300, "/", { get = { responses = many(300, ("4"):rep(30), {}) } })
  ),
  ["a header with a long name that is not a token"] = document(
    many(
      1000,
      "/",
      { get = { parameters = {
        { name = ("x "):rep(1000), ["in"] = "header" },
      } } }
    )
  ),
  ["a long path with many notes"] = document(
    get("/" .. ("x"):rep(20000), { parameters = many(100, nil, {}) })
  ),
  ["a union of many types"] = document(get("/x", {
    parameters = many(1000, nil, function(i)
      return q("p" .. i, { schema = TYPES })
    end),
  })),
  -- What is looked at costs less than may be spent, and the rest are the long keys of the rules.
  ["one list of many schemas in each of some properties"] = post_of({
    properties = many(40, "p", function(i)
      return { allOf = { reference "S", { title = i } } }
    end),
  }, { S = { allOf = many(120, nil, function()
    return { type = "string" }
  end) } }),
  ["schemas that name each other"] = post_of(reference "S1", many(60, "S", tangled)),
  ["many values that may tell which of many schemas is meant"] = post_of({
    anyOf = many(1500, nil, function(i)
      return { type = "object", required = { "k" }, properties = { k = reference "S" }, title = i }
    end),
  }, { S = { enum = many(4000, nil, function(i)
    return "v" .. i
  end) } }),
}

-- They name a schema again and again, and it is read once.
local CHEAP = {
  ["a body whose properties are all read-only"] = document(
    many(40, "/", { post = body(fan(2000, { readOnly = true })) })
  ),
  ["a schema in allOf"] = post_of(
    { allOf = many(300, nil, reference "S") },
    { S = fan(1000, { readOnly = true }) }
  ),
  ["a schema in anyOf"] = post_of(
    { anyOf = many(300, nil, reference "S") },
    { S = fan(1000, { readOnly = true }) }
  ),
}

describe("types: a document that says the same again and again", function()
  for name, root in pairs(CHEAP) do
    it("is read once: " .. name, function()
      local before = collectgarbage "count"
      types.generate(root, "api", { checks = true })
      local taken = collectgarbage "count" - before -- kB
      assert.is_true(taken <= 20000, taken)
    end)
  end
end)

describe("types: a document that costs more than its size, again and again", function()
  for name, root in pairs(COSTLY) do
    it("raises one line: " .. name, function()
      local before = collectgarbage "count"
      local is_made, message = pcall(types.generate, root, "api", { checks = true })
      assert.is_false(is_made)
      local taken = collectgarbage "count" - before -- kB
      assert.is_true(taken <= 100000, taken)
      assert.equal(
        "endpoint.types: the document says the same so often that its definitions would be too "
          .. "large",
        message
      )
    end)
  end

  local TOO_DEEP = "endpoint.types: schemas are nested more than 100 deep by allOf, oneOf and anyOf"
  local WAYS = {
    allOf = function(inner)
      return { allOf = { inner } }
    end,
    anyOf = function(inner)
      return { anyOf = { inner, { title = "other", properties = { c = {} } } } }
    end,
  }
  for _, row in ipairs {
    { way = "allOf", depth = 99, problem = false },
    { way = "allOf", depth = 5000, problem = false }, -- they are one node
    { way = "anyOf", depth = 99, problem = false },
    { way = "anyOf", depth = 100, problem = TOO_DEEP },
    { way = "anyOf", depth = 5000, problem = TOO_DEEP },
  } do
    for what, innermost in pairs {
      ["a string"] = TEXT,
      ["an object"] = { properties = { a = {} } },
    } do
      local chain = innermost
      for _ = 1, row.depth do
        chain = WAYS[row.way](chain)
      end
      for place, schema in pairs {
        ["as the body"] = chain,
        ["in a property"] = { properties = { b = chain } },
      } do
        local how = row.problem and "raises one line" or "is read"
        local title = "%s if it is %s in %d %s, one in another, %s"

        it(title:format(how, what, row.depth, row.way, place), function()
          local is_made, message = pcall(types.generate, post_of(schema), "api")
          assert.equal(row.problem, not is_made and message)
        end)
      end
    end
  end
end)

describe("types: a large document", function()
  it("takes several files, in which classes go on and enumerations do not", function()
    local paths, properties =
      {}, many(5000, "property_", { type = "string", description = ("x"):rep(150) })
    for i = 1, 3000 do
      paths[("/%s/%d/{id}"):format(("p"):rep(60), i)] = { get = {} }
    end
    paths["/x"] = { post = body { properties = properties } }
    paths["/long"] =
      { post = body { properties = { [("a"):rep(200000)] = {}, [("b"):rep(200000)] = {} } } }
    paths["/" .. ("y"):rep(260000)] = { get = {} }
    local made, read = generate(document(paths), { responses = true })
    assert.is_true(#made.files > 5)
    assert.truthy(made.files[1].text:find("\n---| api.Answers\n---| api.Answers2\n", 1, true))
    assert.equal(3003, #read.routes)
    assert.equal(5001, #read.classes["api.POST_x"]) -- with `data`
    local enumerations = {}
    for _, file in ipairs(made.files) do
      assert.is_true(#file.text < 300000)
      for name in file.text:gmatch "@enum %(key%) ([^\n]*)" do
        enumerations[#enumerations + 1] = name
      end
    end
    assert.same({
      "api.Routes",
      "api.Routes2",
      "api.Routes3",
      "api.RoutesWithoutOptions",
      "api.RoutesWithoutOptions2",
    }, enumerations)
    assert.truthy(
      made.files[1].text:find("\n---@generic Route: api.Routes|api.Routes2|api.Routes3\n", 1, true)
    )
  end)

  it(
    "gives each operation a class of its own, other than those that all definitions have",
    function()
      local ids, paths, expected, found =
        { ("x"):rep(101), "a_b", "a b", "a/b", "a_b_2" }, {}, {}, {}
      for id in
        (
          "Api AnyOptions Options OpenOptions OptionsWithUrl Members Defaults Closed Send Sender "
          .. "Each Routes "
          .. "Routes2 RoutesWithoutOptions Answers Elements no_such_parameter body response"
        ):gmatch "%S+"
      do
        ids[#ids + 1] = id
      end
      for i, id in ipairs(ids) do
        paths["/" .. string.char(64 + i)] =
          { get = { operationId = id, parameters = { q("p" .. i) } } }
        local name = i == 4 and "a_b_3" or i < 3 and id:sub(1, 100) or id:gsub(" ", "_") .. "_2"
        expected["api." .. name] = "p" .. i
      end
      local _, read = generate(document(paths), { responses = true })
      for _, route in ipairs(read.routes) do
        found[route.class] = read.classes[route.class][1].name
      end
      assert.same(expected, found)
    end
  )

  it("gives each table in a call a class of its own", function()
    local words, properties = { "params", "body", "with_data", "plain", "response" }, {}
    for _, word in ipairs(words) do
      properties[word] = { properties = { a = {} } }
    end
    local _, read = generate(document { ["/x"] = { post = body { properties = properties } } })
    for _, word in ipairs(words) do
      assert.truthy(read.classes["api.POST_x." .. word .. "_2"], word)
    end
  end)
end)

-- --- documents changed at random ------------------------------------------------------

local TEXTS = {
  "",
  "]]",
  "--]]\nos.exit(1)",
  "\n---@class evil",
  "---@field x any",
  '"',
  '\\"',
  "\\",
  "\r\n---@meta",
  "{",
  "}",
  "{a}",
  "{+a}",
  "{?a}",
  "{a}{b",
  "{}",
  "/",
  "//evil.example",
  "/a?b#c",
  "/:a",
  "https://evil.example/{x}",
  "#/",
  "#/paths",
  "#/components/schemas/Book",
  "#/x/y",
  "$ref",
  "url",
  "data",
  "headers",
  "params",
  "private",
  "a b",
  "a-b",
  "a,b",
  "a*",
  "a:3",
  "\0",
  "\255\254",
  "\226\128\168",
  ("x"):rep(300),
  "| any",
  "# x",
  "@type",
  "[string]",
  "object",
  "array",
  "string",
  "null",
  "path",
  "query",
  "header",
  "cookie",
  "body",
  "formData",
  "deepObject",
  "matrix",
  "application/json",
  "text/plain",
  "3.1.0",
  "2.0",
  "multi",
  "end",
  "%s",
  "%1",
  "%",
  "..",
  "/../x",
  "/%2e%2e/{a}",
}

-- A copy, and a list of all places in it: a table and a key.
local function copied(value, places)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for _, key in ipairs(support.keys(value)) do
    copy[key] = copied(value[key], places)
    places[#places + 1] = { copy, key }
  end
  return copy
end

local function text(random)
  return TEXTS[random(#TEXTS)]
end

-- What may stand in a place: a text, a value of another type, a part of the document.
local function other_value(random, places)
  local kind = random(8)
  if kind <= 3 then
    return text(random)
  end
  if kind == 4 then
    return ({ true, false, 0, -1, 1.5, 1e300, json.null, 2 ^ 53 })[random(8)]
  end
  if kind == 5 then
    return { text(random), text(random) }
  end
  if kind == 6 then
    return { ["$ref"] = text(random) }
  end
  local place = places[random(#places)]
  return place[1][place[2]]
end

local function mutate_place(random, places)
  local place = places[random(#places)]
  local parent, key, kind = place[1], place[2], random(4)
  if kind == 1 then
    parent[key] = nil
  elseif kind == 2 and type(key) == "string" then
    parent[text(random)] = parent[key]
  elseif kind == 3 and type(parent[key]) == "string" then
    parent[key] = parent[key] .. text(random)
  else
    parent[key] = other_value(random, places)
  end
end

-- A document with one to eight changes. The same seed gives the same on every Lua.
local function mutate(root, seed)
  local random, places = support.random(seed), {}
  local mutant = copied(root, places)
  for _ = 1, random(8) do
    mutate_place(random, places)
  end
  return mutant
end

-- What a property is in a schema that has itself by two ways: what both of them say together.
for what, named in pairs {
  ["of a base and of what is made of it"] = {
    Node = { type = "object", properties = { q = reference "Value" } },
    Value = { allOf = { reference "Node" }, properties = { q = reference "Node", x = TEXT } },
  },
  ["by turns of two pairs"] = {
    Value = { type = "object", properties = { q = { allOf = { reference "A", reference "B" } } } },
    A = { type = "object", properties = { q = reference "C" } },
    B = { type = "object", properties = { q = reference "D" } },
    C = { type = "object", properties = { q = reference "A" } },
    D = { type = "object", properties = { q = reference "B" } },
  },
} do
  it("types: a property that has itself has an end: " .. what, function()
    local content = { ["application/json"] = { schema = reference "Value" } }
    local made = types.generate({
      openapi = "3.1.0",
      components = { schemas = named },
      paths = { ["/x"] = { post = { requestBody = { content = content } } } },
    }, "api", { checks = true })
    assert.same({}, made.left_out)
    assert.is_true(#made.files[1].text < 10000)
  end)
end

-- What books.json has not: Swagger 2.0, and rules of all kinds.
local SWAGGER = {
  swagger = "2.0",
  host = "h.example",
  basePath = "/v1",
  schemes = { "http", "https" },
  consumes = { "text/plain" },
  produces = { "application/json" },
  paths = {
    ["/x/{id}"] = {
      get = {
        parameters = {
          { name = "id", ["in"] = "path", type = "integer", minimum = 1, required = true },
          {
            name = "a",
            ["in"] = "query",
            type = "array",
            items = TEXT,
            collectionFormat = "multi",
            minItems = 2,
          },
        },
      },
      post = {
        parameters = { { name = "f", ["in"] = "formData", type = "string", maxLength = 3 } },
      },
      put = {
        parameters = { { name = "b", ["in"] = "body", schema = { ["$ref"] = "#/definitions/B" } } },
      },
    },
  },
  definitions = {
    B = {
      type = "object",
      required = { "a" },
      properties = {
        a = TEXT,
        c = {
          type = "object",
          additionalProperties = { type = "integer", maximum = 5, exclusiveMaximum = true },
        },
      },
      oneOf = {
        { required = { "c" } },
        { properties = { d = { type = "array", items = { ["$ref"] = "#/definitions/B" } } } },
      },
    },
  },
}

-- Schemas that name each other by $id, $anchor and $dynamicRef.
local RESOURCES = {
  openapi = "3.1.0",
  components = {
    schemas = {
      List = {
        ["$id"] = "https://h.example/a/list",
        type = "array",
        items = { ["$dynamicRef"] = "#item" },
        ["$defs"] = { item = { ["$dynamicAnchor"] = "item", type = "string" } },
      },
      Tree = {
        ["$id"] = "https://h.example/a/tree",
        ["$dynamicAnchor"] = "node",
        type = "object",
        properties = {
          n = { ["$anchor"] = "count", type = "integer" },
          branches = { items = { ["$dynamicRef"] = "#node" } },
          first = { ["$ref"] = "#/properties/n" },
        },
      },
      Names = {
        ["$id"] = "https://h.example/b/names",
        ["$ref"] = "../a/list",
        ["$defs"] = { name = { ["$dynamicAnchor"] = "item", ["$ref"] = "tag:h,1:name" } },
      },
      Name = { ["$id"] = "tag:h,1:name", ["$anchor"] = "name", maxLength = 9 },
      Strict = {
        ["$id"] = "strict",
        ["$dynamicAnchor"] = "node",
        ["$ref"] = "https://h.example/a/tree",
        unevaluatedProperties = false,
      },
    },
  },
  paths = {
    ["/x"] = {
      post = {
        parameters = {
          {
            name = "n",
            ["in"] = "query",
            schema = { ["$ref"] = "https://h.example/a/tree#count" },
          },
        },
        requestBody = {
          content = {
            ["application/json"] = {
              schema = {
                type = "object",
                properties = {
                  names = { ["$ref"] = "https://h.example/b/names" },
                  tree = { ["$ref"] = "strict", description = "A tree." },
                },
              },
            },
          },
        },
      },
    },
  },
}

-- Loads all that was made; returns the definitions as they are read, and the defaults. Each
-- operation is a route or left out, and each tool can be called.
local function check(made)
  local rules = table.remove(made.files, #made.files - 1)
  local module = assert((loadstring or load)(rules.text, "=" .. rules.name))()
  for _, tool in ipairs(module.tools()) do
    module.call(function() end, tool.name, {}, endpoint)
  end
  local read, defaults = definitions.read(made.files), definitions.defaults_in(made.files)
  assert.equal(made.base, defaults.baseUrl)
  assert.equal(made.operations, #read.routes + #made.left_out)
  return read, defaults
end

it(
  "types: a document changed at random makes files whose texts stay in their place, or none",
  function()
    local books = support.read "spec/types/books.json"
    local roots, count, worked =
      { json.decode(books), SWAGGER, RESOURCES }, tonumber(os.getenv "DOCUMENTS" or 400), 0
    for seed = 1, count do
      local ok, made =
        pcall(types.generate, mutate(roots[seed % #roots + 1], seed), "api", { checks = true })
      if ok then
        local is_right, problem = pcall(check, made)
        assert.is_true(is_right, ("seed %d: %s"):format(seed, tostring(problem)))
        worked = worked + 1
      else
        assert.truthy(made:find "^endpoint%.types: [^%c]*$", seed .. ": " .. tostring(made))
      end
    end
    assert.is_true(worked > count / 2, worked)
    types.generate(roots[1], "api", { checks = true, responses = true })
    assert.same(json.decode(books), roots[1])
  end
)

-- --- texts that try to get out of their place --------------------------------------

local function document_of(evil)
  local schema =
    { properties = { [evil] = { enum = { evil }, description = evil } }, required = { evil } }
  local function sending(media_type)
    return { requestBody = { content = { [media_type] = { schema = schema } } } }
  end
  return {
    openapi = "3.0.0",
    info = { title = evil },
    servers = { { url = "https://h.example/" .. evil } },
    paths = {
      ["/" .. evil] = {
        post = sending "application/json",
        put = sending("text/" .. evil),
        patch = sending("a/" .. evil .. "+json"),
        get = {
          operationId = evil,
          summary = evil,
          parameters = {
            {
              name = evil,
              ["in"] = "query",
              description = evil,
              required = true,
              schema = { enum = { evil } },
            },
            { name = evil .. "[]", ["in"] = "query", schema = { type = "array", items = TEXT } },
            { name = "h" .. evil, ["in"] = "header", schema = TEXT },
            { name = "c" .. evil, ["in"] = "cookie" },
          },
        },
      },
    },
  }
end

for _, evil in ipairs {
  "]]",
  "--]]",
  "\n---@class evil",
  "\r\nos.exit(1)",
  '"',
  '\\"',
  "\\",
  "\0",
  "---@field evil any",
  "]=]",
  '""',
  "''",
  "a'a",
  "| any",
  "a\127b",
  "a\194\155b",
  "a\226\128\174b",
} do
  it("types: a hostile text stays in its place: " .. evil:gsub("%c", "?"), function()
    local made = types.generate(document_of(evil), "api", { checks = true })
    for _, file in ipairs(made.files) do
      assert.is_nil(
        file.text:match "\127"
          or file.text:match "\194[\128-\159]"
          or file.text:match "\226\128\174",
        file.name
      )
    end
    local read, defaults = check(made)
    assert.is_nil(read.classes.evil)
    assert.same({ baseUrl = made.base }, defaults)
    for _, route in ipairs(read.routes) do
      if route.route:find "^POST" then
        local field = read.classes[route.class][1]
        assert.same({ evil, true, evil }, { field.name, field.required, field.type[1].value })
      end
    end
  end)
end
