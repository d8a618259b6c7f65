-- endpoint.types: what an OpenAPI document says becomes routes, options and definitions.
package.path = "src/?.lua;" .. package.path
local definitions = require "types.definitions"
local json = require "cjson"
local types = require "endpoint.types"

-- --- documents --------------------------------------------------------------------

local function with(base, more)
  local copy = {}
  for key, value in pairs(base) do copy[key] = value end
  for key, value in pairs(more or {}) do copy[key] = value end
  return copy
end

local function document(paths, more)
  return with({ openapi = "3.0.3", paths = paths, servers = { { url = "https://h.example" } } }, more)
end

local function schemas(made) return { components = { schemas = made } } end

local function swagger(paths, more)
  return with({ swagger = "2.0", host = "h.example", basePath = "/v1", schemes = { "http", "https" }, paths = paths }, more)
end

-- Makes a module of a document: what `generate` returns, and what an editor reads in it.
local function generate(root, options)
  local made = types.generate(root, "api", options)
  return made, definitions.read(made.files)
end

-- The parameters of a place: q "name", or with more of its fields.
local function parameter_in(place)
  return function(name, more)
    return with({ name = name, ["in"] = place, required = place == "path", schema = { type = "string" } }, more)
  end
end
local q, p, h, form = parameter_in "query", parameter_in "path", parameter_in "header", parameter_in "formData"

local LIST = { schema = { type = "array", items = { type = "string" } } }
local MAP = { schema = { type = "object", properties = { R = { type = "integer" } } } }
local LIST_PAIR, MAP_PAIR = with(LIST, { explode = false }), with(MAP, { explode = false })
local DEEP = with(MAP, { style = "deepObject" })
local REQUIRED = { required = true }

-- An operation with a body of a media type, JSON if none is named. more: other fields of the content.
local function body(schema, media_type, more)
  return { requestBody = { content = { [media_type or "application/json"] = with({ schema = schema }, more) } } }
end

local function required_body(schema)
  local operation = body(schema)
  operation.requestBody.required = true
  return operation
end

-- --- what comes out -----------------------------------------------------------------

-- The fields of a class as they are written, those of a table among the options in braces, and
-- some remarks shortened, which the golden document has in full.
local function fields_in(read, class, depth)
  local parts = {}
  for _, field in ipairs(read.classes[class]) do
    local inner = (depth or 0) < 3 and read.classes[field.type[1].name]
    local is_whole = field.line:find "# the whole body$"
    inner = inner and field.line:match "^%S+" .. " { " .. fields_in(read, inner.name, (depth or 0) + 1) .. " }"
    local shown = inner or field.line:gsub("# a list as text: table.concat%(list, (.*)%)$", "# by %1")
        :gsub(" # say it here or in the defaults$", ""):gsub("%? any # stands for fields of such names$", "...")
    parts[#parts + 1] = not is_whole and shown or nil
  end
  return table.concat(parts, ", ")
end

-- What the module and its definitions say: each route with the fields of its options, and the URL
-- of a call that has all of them; behind that, what was left out, and why.
local function said(root)
  local made, read = generate(root)
  local api, parts = definitions.load(made), {}
  for i, route in ipairs(read.routes) do
    local least = definitions.options_of(read, route.class)
    assert.equal(next(least) ~= nil, route.required)
    assert.is_true(read.Routes[route.route])
    assert.equal(not route.required or nil, read.RoutesWithoutOptions[route.route])
    api(route.route, least)
    if route.other then api(route.route, definitions.options_of(read, route.other, true)) end
    local url = api(route.route, definitions.options_of(read, route.class, true)).url
    local fields = fields_in(read, route.class)
    url = url:gsub("^https://h%.example", ""):gsub("%%5B", "["):gsub("%%5D", "]")
    parts[i] = route.route .. (fields ~= "" and ": " .. fields or "") .. " -> " .. url
  end
  for _, left in ipairs(made.left_out) do parts[#parts + 1] = left.operation .. " is left out: " .. left.reason end
  assert.equal(made.operations, #parts)
  return table.concat(parts, "; ")
end

-- Rows of a method and a path, the parameters or the operation, and what is said.
local function operations(title, rows)
  describe("types: " .. title, function()
    for _, row in ipairs(rows) do
      it("is said by " .. row[3], function()
        local method, path = row[1]:match "^(%l+) (.*)$"
        local is_list = row[2][1] or not next(row[2])
        assert.equal(row[3], said(document { [path] = { [method] = is_list and { parameters = row[2] } or row[2] } }))
      end)
    end
  end)
end



-- --- parameters -------------------------------------------------------------------

local SELF_MAP = { type = "object", properties = { name = { type = "string" } } }
SELF_MAP.properties.next = SELF_MAP
local DEEP_MAP = { type = "object", required = { "gt" }, properties = {
  gt = { type = "integer" }, tags = LIST.schema, deep = { type = "object", properties = { a = { type = "string" } } },
  free = { type = "object" }, rows = { type = "array", items = { type = "object" } } } }
local function deep(schema) return { q("c", { style = "deepObject", required = true, schema = schema }) } end

operations("the query", {
  { "head /x", { q "a" }, "HEAD /x: a? string -> /x?a=v" },
  { "trace /x", { q "a" }, "TRACE /x{?a}: a? string -> /x?a=v" },
  { "get /x", { q("a", LIST), q("b", LIST_PAIR), q("c", MAP), q("d", MAP_PAIR) },
    "GET /x{?a*,b,c*,d}: a? string[], b? string[], c? table, d? table -> /x?a=v&a=v&b=v,v&k=v&d=k,v" },
  { "get /x", { q("a", with(LIST_PAIR, { style = "spaceDelimited" })), q("b", with(LIST, { style = "pipeDelimited" })),
    q("c", with(LIST, { style = "pipeDelimited", explode = true })) },
    'GET /x{?c*}: c? string[], a? string # by " ", b? string # by "|" -> /x?c=v&c=v&a=v&b=v' },
  { "get /x", { q("a", { content = { ["application/json"] = MAP } }),
    q("b", { schema = { type = "array", items = { type = "object" } } }) },
    "GET /x: a? string # JSON, as text, b? string # JSON, as text -> /x?a=v&b=v" },
  -- what an enumeration holds is no type
  { "get /x", { q("a", { schema = { type = "array", items = { enum = { "table", "view" } } } }),
    q("b", { schema = { enum = { "portable", "table[]" } } }) },
    'GET /x{?a*}: a? ("table"|"view")[], b? "portable"|"table[]" -> /x?a=table&a=table&b=portable' },
  -- names that can be no variable
  { "get /x", { q "", q "a b", q("c[]", LIST) },
    'GET /x: [""]? string, ["a b"]? string, ["c[]"]? string[] -> /x?=v&a%20b=v&c[]=v&c[]=v' },
  { "get /x", { q("a b", LIST), q("b*", LIST), q("c d", MAP), q("e f", MAP_PAIR), q("g[]", LIST_PAIR) },
    'GET /x{?params*}: params? { ["a b"]? string[], ["b*"]? string[], R? integer, ' ..
    '["e f"]? string # keys and values, joined by commas, ["g[]"]? string # by "," } -> ' ..
    '/x?R=7&a%20b=v&a%20b=v&b%2A=v&b%2A=v&e%20f=v&g[]=v' },
  { "get /x", { q("a{b}", with(MAP, { schema = { type = "object" }, required = true })) },
    "GET /x{?params*}: params {  } -> /x" },
  { "post /x", { q "a%20b" }, 'POST /x{?params*}: params? { ["a%20b"]? string } -> /x?a%2520b=v' },
  -- names of options and of variables
  { "get /x/{id}", { q("url", REQUIRED), q "headers", q "baseUrl", p "id", q "id" },
    "GET /x/{id}{?params*}: id string, params { url string, headers? string, baseUrl? string, id? string } -> " ..
    "/x/v?baseUrl=v&headers=v&id=v&url=v" },
  { "get /x", { q "url", q "params" }, "GET /x{?params_*}: params_? { url? string }, params? string -> /x?url=v&params=v" },
  { "delete /x", { q "data" }, "DELETE /x{?params*}: params? { data? string } -> /x?data=v" },
  -- behind a literal query, and before a fragment
  { "get /x?acl#f?", { q("c", LIST) }, "GET /x?acl{&c*}#f?: c? string[] -> /x?acl&c=v&c=v#f?" },
  -- deepObject: a field for each key
  { "post /x", { q("c", DEEP) }, 'POST /x{?params*}: params? { ["c[R]"]? integer } -> /x?c[R]=7' },
  { "get /x", { q "c[R]", q("c", DEEP) }, 'GET /x: ["c[R]"]? string -> /x?c[R]=v' },
  { "get /x", { q("c", { style = "deepObject", schema = SELF_MAP }) },
    'GET /x: ["c[name]"]? string, ["c[next][name]"]? string, ["c[next][next][name]"]? string, ' ..
    '["c[next][next][next][key]"]... -> /x?c[name]=v&c[next][name]=v&c[next][next][name]=v' },
  { "get /x", deep(DEEP_MAP),
    'GET /x: ["c[gt]"] integer, ["c[deep][a]"]? string, ["c[tags][]"]? string[], ["c[free][key]"]..., ' ..
    '["c[rows][0][key]"]... -> /x?c[deep][a]=v&c[gt]=7&c[tags][]=v&c[tags][]=v' },
  { "get /x", deep { anyOf = { { type = "integer" }, DEEP_MAP } },
    'GET /x: ["c[deep][a]"]? string, ["c[gt]"]? integer, ["c[tags][]"]? string[], c? integer, ["c[free][key]"]..., ' ..
    '["c[rows][0][key]"]... -> /x?c=7&c[deep][a]=v&c[gt]=7&c[tags][]=v&c[tags][]=v' },
  { "get /x", deep { anyOf = { { type = "integer" }, { type = "string" } } }, "GET /x: c integer|string -> /x?c=7" },
})

operations("the path", {
  { "get /x/{a}{_b}/{c-d}/{e.f}/{a}", {},
    'GET /x/{a}{_b}/{c-d}/{e.f}/{a}: a string, _b string, ["c-d"] string, ["e.f"] string -> /x/vv/v/v/v' },
  { "get /x/{data}", {}, "GET /x/{data}: data string -> /x/v" },
  { "get /{a}/{b}/{c}/{d}/{e}", { p("a", LIST), p("b", with(LIST, { explode = true })), p("c", { style = "label" }),
    p("d", with(MAP, { style = "matrix", explode = true })), p("e", { allowReserved = true }) },
    "GET /{a}/{b*}/{.c}/{;d*}/{+e}: a string[], b string[], c string, d table, e string -> /v,v/v,v/.v/;k=v/v" },
  { "get /x/{+a}{.b}", { p "a", p "b" }, "GET /x/{+a}{.b}: a string, b string -> /x/v.v" },
  { "get /x/:token/{a}:stop:x/:y", {}, "GET /x/%3Atoken/{a}:stop:x/%3Ay: a string -> /x/%3Atoken/v:stop:x/%3Ay" },
  { "get /x::a/a:b/:1", {}, "GET /x:%3Aa/a:b/:1 -> /x:%3Aa/a:b/:1" },
  { "get /x?a={b}&c=:d", {}, "GET /x?a={b}&c=:d: b string -> /x?a=v&c=:d" },
  { "get /a b\"\\é('{id}')", {}, "GET /a%20b%22%5C%C3%A9('{id}'): id string -> /a%20b%22%5C%C3%A9('v')" },
  -- "" is no segment
  { "get /x/{a}", { p("a", { schema = { enum = { "", "b" } } }) }, 'GET /x/{a}: a "b" -> /x/b' },
  -- left out
  { "get https://evil.example/x", {}, "GET https://evil.example/x is left out: its path does not begin with a slash" },
  { "get /x/{}", {}, "GET /x/{} is left out: {} in its path is no variable of RFC 6570" },
  { "get /x/{a,b}", {}, "GET /x/{a,b} is left out: {a,b} in its path is no variable of RFC 6570" },
  { "get /x/{url}", {}, "GET /x/{url} is left out: {url} in its path has the name of an option" },
  { "get /x/{a", {}, 'GET /x/{a is left out: template "/x/{a": "{" is not closed at byte 4' },
  { "get /\226\128\174\27[m\194\155m{\n}é", {},
    "GET /??[m?m{?}é is left out: {?} in its path is no variable of RFC 6570" },
})

operations("headers", {
  -- in lower case, but for those that mean nothing
  { "get /x", { h("X-List", LIST), h("X-Api", REQUIRED), h "Accept", h "Content-Type", h "Authorization" },
    'GET /x: headers? { ["x-list"]? string # by ",", ["x-api"]? string # required } -> /x' },
  { "get /x", { { name = "id", ["in"] = "cookie" }, { name = "b", ["in"] = "cookie" } },
    "GET /x: headers? { cookie? string|string[] # id=...; b=... } -> /x" },
  { "get /x", { h "a b", h "a\n", h "a:", h "\195\169", h "(a)" }, "GET /x -> /x" },
})

-- --- bodies -------------------------------------------------------------------------

local OBJECT = { type = "object", required = { "b" }, properties = { a = { type = "string" }, b = { type = "integer" } } }
local FORM = "application/x-www-form-urlencoded"
local JSON_BEFORE_TEXT = { ["text/plain"] = {}, ["application/merge-patch+json"] = { schema = OBJECT },
  ["application/json-patch+json"] = { schema = OBJECT } }
local PARTS = { allOf = { { properties = { a = {}, id = { readOnly = true } }, required = { "a", "id" } },
  { oneOf = { { properties = { b = {} }, required = { "b" } }, { properties = { c = {} } } } },
  { required = { "d" } }, { properties = { d = {} } } } }
local LISTS_AND_MAPS = { properties = { a = LIST.schema, b = LIST.schema, c = MAP.schema, d = MAP.schema,
  e = { type = "array", items = { type = "object" } }, table = { enum = { "table", "view" } } } }
local BASE = { properties = { kind = { type = "string" } }, required = { "kind" } }
BASE.oneOf = { { allOf = { BASE, { properties = { more = {} } } } } }
local function of_a_text(name) return body { properties = { [name] = { type = "string" } } } end

operations("the body", {
  { "put /x", body(OBJECT, "*/*"), "PUT /x: b integer, a? string -> /x" },
  { "patch /x", body(OBJECT), "PATCH /x: b integer, a? string -> /x" },
  { "delete /x", body(OBJECT), "DELETE /x: b integer, a? string -> /x" },
  { "options /x", required_body(OBJECT), "OPTIONS /x: data { b integer, a? string } -> /x" },
  -- a property of several alternatives has the types of all, and is required if all require it
  { "post /x", body { oneOf = { { properties = { t = { enum = { "a" } }, n = {} }, required = { "t", "n" } },
    { properties = { t = { enum = { "b", "c" } } }, required = { "t" } } } }, 'POST /x: t "a"|"b"|"c", n? any -> /x' },
  { "post /x", body { properties = { t = { type = "string" } }, anyOf = { { properties = { t = { enum = { "a" } } } },
    { properties = { t = { enum = { "b" } }, n = {} } } } }, 'POST /x: n? any, t? "a"|"b" -> /x' },
  { "post /x", body { properties = { t = { type = "string" } }, anyOf = { { properties = { t = { enum = { "a" } } } },
    {} } }, "POST /x: t? string -> /x" },
  -- of allOf the enumeration tells the type, and what only some alternatives have narrows nothing
  { "post /x", body { allOf = { { properties = { t = { type = "string" } } },
    { properties = { t = { enum = { "a" } } } } } }, 'POST /x: t? "a" -> /x' },
  { "post /x", body { allOf = { { properties = { t = { type = "string" } } }, { anyOf = { {},
    { properties = { t = { enum = { "a" } } } } } } } }, "POST /x: t? string -> /x" },
  -- an alternative whose whole is the object itself adds nothing
  { "post /x", body(BASE), "POST /x: kind string, more? any -> /x" },
  { "post /x", body(BASE.oneOf[1]), "POST /x: kind string, more? any -> /x" },
  -- readOnly, allOf, oneOf
  { "post /x", body(PARTS), "POST /x: a string|number|boolean|table, d string|number|boolean|table, b? any, c? any -> /x" },
  -- names of options and of variables
  { "post /x", of_a_text "url", "POST /x: data? { url? string } -> /x" },
  { "post /x/{id}", with(of_a_text "q", { parameters = { q "q" } }),
    "POST /x/{id}{?q}: id string, q? string, data? { q? string } -> /x/v?q=v" },
  { "post /x", body { oneOf = { { type = "object", properties = { a = { type = "string", readOnly = true } } },
    { type = "object", properties = { a = { type = "integer" } } } } }, "POST /x: a? string|integer -> /x" },
  -- no object
  { "post /x", required_body { type = "array", properties = { a = {} } }, "POST /x: data any[] # application/json -> /x" },
  -- other media types
  { "patch /x", { requestBody = { content = JSON_BEFORE_TEXT } },
    'PATCH /x: b integer, headers? { ["content-type"]? "application/json-patch+json"|' ..
    '"application/merge-patch+json"|string }, a? string -> /x' },
  { "patch /x", { requestBody = { content = with(JSON_BEFORE_TEXT, { ["application/json"] = { schema = OBJECT } }) } },
    "PATCH /x: b integer, a? string -> /x" },
  { "post /x", body(LISTS_AND_MAPS, FORM, { encoding = { b = { explode = false }, d = { style = "deepObject" } } }),
    'POST /x: headers? { ["content-type"]? "application/x-www-form-urlencoded"|string }, ' ..
    'a? string[], b? string # by ",", c? { R? integer }, d? { R? integer }, ' ..
    'e? table[]|string # JSON, as text, or a table that the option nested sends, table? "table"|"view" -> /x' },
  -- maps in it have classes
  { "post /x", body { properties = { a = OBJECT, b = { type = "array", items = OBJECT }, c = { properties = {
    id = { type = "integer", readOnly = true } } } } },
    "POST /x: a? { b integer, a? string }, b? api.POST_x.a[], c? table -> /x" },
  -- none, or none beside the path
  { "get /x", body(OBJECT), "GET /x -> /x" },
  { "get /x", required_body(OBJECT), "GET /x is left out: a GET must have no body, and it asks for one" },
  { "post /x/{data}", body(LIST.schema),
    "POST /x/{data} is left out: its path has {data}, and its body must be data as well" },
  { "put /x/{data}", of_a_text "url", "PUT /x/{data} is left out: its path has {data}, and its body must be data as well" },
})

-- --- documents as a whole -----------------------------------------------------------

local function get(path, more) return { [path] = { get = more or {} } } end
local function server(url, variables) return { servers = { { url = url, variables = variables } } } end
local BOOK = { properties = { a = {}, b = { type = "integer" } }, required = { "b" } }

local function list(name, format)
  return { name = name, ["in"] = "query", type = "array", items = { type = "string" }, collectionFormat = format }
end
local LISTS = { { name = "id", ["in"] = "path", type = "integer", required = true }, list "a", list("b", "multi"),
  list("c", "ssv"), list("d", "pipes"), list("e", "csv"), list("f", "tsv") }

-- title, document, what is said
local DOCUMENTS = {
  { "an operation's parameter stands in the place of the path's",
    document { ["/x"] = { parameters = { q("a", REQUIRED), q "b" }, get = { parameters = { q "a" } } } },
    "GET /x: a? string, b? string -> /x?a=v&b=v" },
  { "an extension is no path", document { ["/x"] = { get = {} }, ["x-ext"] = { get = {} } }, "GET /x -> /x" },
  { "a reference may lead to an item of a list, as JSON pointers count",
    document { ["/x"] = { get = { parameters = { q "a", q "b" } } },
      ["/y"] = { get = { parameters = { { ["$ref"] = "#/paths/~1x/get/parameters/1" } } } } },
    "GET /x: a? string, b? string -> /x?a=v&b=v; GET /y: b? string -> /y?b=v" },
  { "operations have servers of their own",
    document({ ["/a"] = { servers = server "https://up.example/v2/".servers, get = {}, put = server "/v3",
      post = server "https://h.example/v1/" } }, server "https://h.example/v1"),
    "GET https://up.example/v2/a -> https://up.example/v2/a; POST /a -> /v1/a; PUT https://h.example/v3/a -> /v3/a" },
  { "a colon in such a server is text", document(get("/x/{id}", server "https://up.example:8080/:tok/a:b")),
    "GET https://up.example:8080/%3Atok/a:b/x/{id}: id string -> https://up.example:8080/%3Atok/a:b/x/v" },
  { "a server of its own cannot be said", document({ ["/a"] = { get = server "/" }, ["/b"] = { get = server "https://h/?x" },
    ["/c"] = { get = server "https://" }, ["/d"] = { get = server "https://d.example/{version}" } }, server "/v1"),
    'GET /a is left out: its server has no host; GET /b is left out: its server has a query; ' ..
    'GET /c is left out: template "https:///c": expected a host at byte 9; ' ..
    'GET /d is left out: its server has a variable without a default' },
  { "Swagger has types beside the names, and formats of collections",
    swagger(get("/x/{id}", { parameters = LISTS })),
    'GET /x/{id}{?a,b*,e}: id integer, a? string[], b? string[], e? string[], c? string # by " ", d? string # by "|", ' ..
    'f? string # by "\\t" -> /v1/x/7?a=v,v&b=v&b=v&e=v,v&c=v&d=v&f=v' },
  { "Swagger has a body among its parameters",
    swagger({ ["/x"] = { post = { parameters = { { ["$ref"] = "#/parameters/book" } } } } },
      { parameters = { book = { name = "book", ["in"] = "body", schema = BOOK } } }),
    "POST /x: b integer, a? any -> /v1/x" },
  { "and its media type", swagger({ ["/x"] = { post = { parameters = {
    { name = "book", ["in"] = "body", schema = BOOK } } } } }, { consumes = { "text/plain" } }),
    'POST /x: data? string|function # text/plain, headers? { ["content-type"]? "text/plain"|string } -> /v1/x' },
  { "Swagger has forms among its parameters", swagger { ["/x"] = { post = { parameters = {
    form("a", { type = "string", required = true }), form("b", { type = "array", items = { type = "string" } }),
    form("c", { type = "array", items = { type = "string" }, collectionFormat = "multi" }) } } } },
    'POST /x: a string, headers? { ["content-type"]? "application/x-www-form-urlencoded"|string }, ' ..
    'b? string # by ",", c? string[] -> /v1/x' },
  { "and their media type, or files", swagger({ ["/x"] = { post = { parameters = { form("a", { type = "string" }) } } },
    ["/y"] = { post = { consumes = {}, parameters = { form("a", { type = "file" }) } } } },
    { consumes = { "Multipart/Form-Data;a=b" } }),
    'POST /x: data? string|function # multipart/form-data, ' ..
    'headers? { ["content-type"]? "Multipart/Form-Data;a=b"|string } -> /v1/x; ' ..
    'POST /y: data? string|function # multipart/form-data, ' ..
    'headers? { ["content-type"]? "multipart/form-data"|string } -> /v1/y' },
}
for _, row in ipairs(DOCUMENTS) do
  it("types: " .. row[1], function() assert.equal(row[3], said(row[2])) end)
end

describe("types: the module", function()
  local GET = get "/x"

  -- a document, the baseUrl; false for none
  local SERVERS = {
    { document(GET, { servers = { { url = "https://h.example/v1/" }, { url = "https://other.example" } } }),
      "https://h.example/v1" },
    { document(GET, server "//h.example"), "https://h.example" },
    { document(GET, server "./api"), "/api" },
    { document(GET, server "."), "/" },
    { { openapi = "3.1.0", paths = GET }, "/" },
    { document(GET, server("https://{a}.h.example/{b}", { a = { default = "x" }, b = { default = 2 } })),
      "https://x.h.example/2" },
    { document(GET, server("https://h.example" .. ("/"):rep(1000))), "https://h.example" },
    { document(GET, server("https://h.example/" .. ("x"):rep(2000))), false },
    { document(GET, server "https://{a}.h.example"), false },
    { document(GET, server "https://"), false },
    { document(GET, server "https://h/#x"), false },
    { swagger(GET, { schemes = { "http", "ws" } }), "http://h.example/v1" },
    { swagger(GET, { schemes = {} }), "https://h.example/v1" },
    { { swagger = "2.0", basePath = "/v1", paths = GET }, "/v1" },
    -- no part changes another
    { swagger(GET, { basePath = "v1" }), "https://h.example/v1" },
    { swagger(GET, { basePath = "@evil.example/" }), "https://h.example/@evil.example" },
    { swagger(GET, { schemes = { "ws" } }), false },
    { swagger(GET, { host = "a@evil.example" }), false },
    { swagger(GET, { host = "" }), false },
    { swagger(GET, { host = 5 }), false },
  }
  for i, row in ipairs(SERVERS) do
    it(("has the first server as baseUrl, %d: %s"):format(i, tostring(row[2])), function()
      local made, read = generate(row[1])
      assert.equal(row[2] or nil, made.base)
      assert.same({ baseUrl = row[2] or nil }, definitions.defaults_in(made.files))
      assert.equal(1, #read.routes)
    end)
  end

  local function responses(...)
    local paths = {}
    for i, content in ipairs { ... } do
      local problem = { content = { ["a/b+json"] = {} } }
      paths["/" .. i] = { get = { responses = { ["200"] = { content = content }, ["404"] = problem } } }
    end
    return document(paths)
  end
  local PLAIN, VENDOR = { ["application/json"] = {} }, { ["application/vnd.api+json"] = {}, ["text/html"] = {} }
  local function produces(name)
    local paths = { ["/x"] = { get = {} }, ["/y"] = { get = { produces = { name } } } }
    return swagger(paths, { produces = { "application/json" } })
  end

  -- a document, the one JSON media type of all responses; false for none
  local ACCEPTS = {
    { responses(PLAIN, { ["Application/JSON;charset=utf-8"] = {} }, {}, { ["*/*"] = {} }), "application/json" },
    { responses(VENDOR), "application/vnd.api+json" },
    { responses(PLAIN, VENDOR), false },
    { responses(PLAIN, { ["text/plain"] = {} }), false },
    { responses { ["a\0/json"] = {} }, false },
    { responses { ["a b/json"] = {} }, false },
    { responses { [";q=1"] = {} }, false },
    { produces "application/json", "application/json" },
    { produces "text/csv", false },
  }
  for i, row in ipairs(ACCEPTS) do
    it(("has one JSON media type as accept, %d: %s"):format(i, tostring(row[2])), function()
      assert.equal(row[2] or nil, (definitions.defaults_in(types.generate(row[1], "api").files).headers or {}).accept)
    end)
  end
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
    { { type = "object" }, "table" },
    { { type = "string", nullable = true }, "string|endpoint.Null" },
    { { type = { "integer", "null" } }, "integer|endpoint.Null" },
    { { type = "array", items = { type = "string" } }, "string[]" },
    { { type = "array" }, "any[]" },
    { { items = { type = "array", items = { type = "integer" } } }, "integer[][]" },
    { { type = "object", additionalProperties = { type = { "number", "string" } } }, "table<string, number|string>" },
    { { additionalProperties = true }, "any" },
    { { enum = { 1, -2, true, "a", 'b"c', "d\\e", "f\ng" } }, '1|-2|true|"a"|"b\\034c"|"d\\092e"|"f\\010g"' },
    { { enum = { 1, -2, 3.5, true, 1e300, -1e300 } }, "number|true" },
    { { enum = { "1", 2.5 } }, '"1"|number' },
    { { enum = { "'a'", '"', "'b" } }, [["''a''"|"\034"|"'b"]] },
    { { type = { "object", "null" } }, "table<string, any>|endpoint.Null" },
    { { enum = { "b", json.null }, type = "string", nullable = true }, '"b"|endpoint.Null' },
    { { const = json.null }, "endpoint.Null" },
    { { enum = { "a", {} } }, "any" },
    { { enum = { "a" }, type = "array", items = { type = "string" } }, "string[]" },
    { { type = "string", enum = long }, "string" },
    { { oneOf = { { type = "string" }, { type = "array", items = { type = "string" } } } }, "string|string[]" },
    { { oneOf = { { type = "string" }, { description = "any value" } } }, "any" },
    { { anyOf = { { type = "string" }, { type = "string" }, { type = "integer" } } }, "string|integer" },
    { { allOf = { { description = "x" }, { type = "integer" } } }, "integer" },
    { { additionalProperties = { type = "string" }, anyOf = { { type = "object" }, { type = "integer" } } },
      "table<string, string>|integer" },
    { { type = "unheard-of" }, "any" },
    { { ["$ref"] = "#/components/schemas/a~1b%20c~0" }, "integer" },
    { SELF, "any[][][][][]" },
  }
  local MORE = schemas { ["a/b c~"] = { type = "integer" } }
  for _, row in ipairs(ROWS) do
    it("is " .. row[2], function()
      local root = document({ ["/x"] = { post = body { properties = { a = row[1] } } } }, MORE)
      assert.equal("POST /x: a? " .. row[2] .. " -> /x", said(root))
    end)
  end
end)

it("types: each character next to one that terminals obey is shown", function()
  local printable = require "endpoint.types.reader".printable
  for character in ([[~ \194\160 \216\155 \216\157 \226\128\138 \226\128\144 \226\128\167 \226\128\175 \226\129\159
    \226\129\176 \239\187\190 \239\188\128 \239\191\184 \239\191\188 \243\159\191\191 \243\160\130\128 \240\144\128\128]])
    :gmatch "%S+" do
    character = character:gsub("\\(%d+)", function(byte) return string.char(byte) end)
    assert.equal(character, printable(character))
  end
end)

-- --- names that the document does not have ------------------------------------------

describe("types: other names in a body", function()
  local FREE, PATTERN = { type = "object" }, { patternProperties = { ["^x-"] = {} } }
  -- a schema; "none" if they are marked, "any", or the type that they must have; the same of a call's options
  local ROWS = {
    { OBJECT, "none", "none" },
    { with(OBJECT, { additionalProperties = false }), "none", "none" },
    { { allOf = { OBJECT, FREE } }, "none", "none" },
    { { oneOf = { OBJECT, { required = { "a" } } } }, "none", "none" },
    { with(OBJECT, { additionalProperties = true }), "any", "any" },
    { with(OBJECT, { additionalProperties = { type = "string" } }), "string", "any" },
    { { allOf = { OBJECT, { additionalProperties = {} } } }, "any", "any" },
    { { anyOf = { OBJECT, FREE } }, "any", "any" },
    { with(OBJECT, PATTERN), "any", "any" },
  }
  for i, row in ipairs(ROWS) do
    it(("%d: %s"):format(i, row[2]), function()
      local _, read = generate(document { ["/x"] = { post = body(row[1]) } })
      local function said_of(name, closed, open)
        local class = read.classes[name]
        if class.parents:find(closed, 1, true) then return "none" end
        return class.parents:find(open, 1, true) and (class.others or "any")
      end
      assert.equal(row[2], said_of("api.POST_x.data", "api.Closed", "api.POST_x.body"))
      assert.equal(row[3], said_of("api.POST_x", "api.Options", "api.OpenOptions"))
    end)
  end

  it("are let in where `open` says so", function()
    local _, read = generate(document { ["/x"] = { post = body { properties = { a = OBJECT } } } }, { open = true })
    assert.same({ "", "api.POST_x.body", nil }, { read.classes["api.POST_x.a"].parents,
      read.classes["api.POST_x.data"].parents, read.classes["api.Options"].others })
  end)
end)

it("types: a route without the query's expression is one, too, if nothing in it is required", function()
  local _, read = generate(document { ["/x"] = { post = { parameters = { q "a" } },
    put = { parameters = { q("a", REQUIRED) } }, get = { parameters = { q "a", q("b", LIST) } } } })
  local plain = {}
  for i, one in ipairs(read.plain) do plain[i] = one.route .. ": " .. fields_in(read, one.class) end
  assert.same({ 'GET /x: a? string, b? "needs the route GET /x{?b*}"', 'POST /x: a? "needs the route POST /x{?a}"' }, plain)
end)

-- --- responses, and a part of a document --------------------------------------------

describe("types: the options of generate", function()
  local USER = { type = "object", required = { "id", "password" }, properties = { id = { type = "integer", readOnly = true },
    password = { type = "string", writeOnly = true },
    friend = { ["$ref"] = "#/components/schemas/User" }, home = { type = "object", properties = { city = {} } } } }
  local function answers(schema)
    return { responses = { ["200"] = { content = { ["application/json"] = { schema = schema } } } } }
  end
  local USERS = { type = "array", items = { ["$ref"] = "#/components/schemas/User" } }
  local ROOT = document({ ["/x/{id}"] = { get = {} }, ["/users"] = { post = answers { type = "string" },
    get = with(answers(USERS), { operationId = "list", tags = { "people" } }) } }, schemas { User = USER })

  it("responses: has an alias for each, and classes for what is in them", function()
    local _, read = generate(ROOT, { responses = true })
    assert.equal("api.response.User", read.aliases["api.list.response"][1].inner.name)
    assert.equal("string", read.aliases["api.POST_users.response"][1].name)
    assert.is_nil(read.aliases["api.GET_x_id_.response"])
    assert.equal("id integer, friend? { id integer, friend? { id integer, friend? { id integer, " ..
      "friend? api.response.User, home? api.response.User.home }, home? { city? any } }, home? { city? any } }, " ..
      "home? { city? any }", fields_in(read, "api.response.User"))
    assert.is_nil(select(2, generate(ROOT)).aliases["api.list.response"])
    local text = generate(ROOT, { responses = true }).files[1].text
    for _, line in ipairs { "\n---@field ask api.Send\n",
      'Answers\n---| fun(route: "GET /users", options?: api.list): api.list.response, endpoint.re',
      'Elements\n---| fun(route: "GET /users", options?: table, pages?: endpoint.request.Pages): fun(): api.response.User\n',
      '| fun(route: "GET /x/{id}", options: api.GET_x_id_): any, endpoint.request.Response' } do
      assert.truthy(text:find(line, 1, true), line)
    end
  end)

  it("responses: a # in a route begins no comment there", function()
    local text = generate(document(get "/x#f"), { responses = true }).files[1].text
    assert.truthy(text:find('\n---| fun(route: "GET /x\\035f", options?: ', 1, true))
    assert.truthy(text:find('\n  ["GET /x#f"] = 1,', 1, true))
    assert.truthy(text:find("\n---@field ask api.Send\n", 1, true)) -- for one route, too
  end)

  it("words that say who may see a field stand in quotes", function()
    local operation = body { type = "object", properties = { public = {}, protected = {}, package = {} } }
    local text = generate(document { ["/x"] = { post = operation } }).files[1].text
    for _, name in ipairs { "public", "protected", "package" } do
      assert.truthy(text:find('\n---@field ["' .. name .. '"]? any', 1, true), text)
    end
  end)

  -- patterns, the routes or the error
  local ONLY = { { { "people", "* /x*" }, "GET /users GET /x/{id}" }, { { "/users" }, "GET /users POST /users" },
    { { "P*T**u*r*s" }, "POST /users" }, { { "GET /x/{*d*}", "*S* /u*" }, "POST /users GET /x/{id}" },
    { { "GET *", "get /user*" }, '"get /user*": the document has no such operation. The nearest is "GET /users"' },
    { { "GET /x/:id" }, '"GET /x/:id": the document has no such operation. The nearest is "GET /x/{id}"' },
    { { "poeple" }, '"poeple": the document has no such operation. The nearest is "people"' },
    { { "peopleware" }, '"peopleware": the document has no such operation. The nearest is "people"' },
    { { "/z" }, '"/z": the document has no such operation. The nearest is "/users"' },
    { { "zzz*" }, '"zzz*": the document has no such operation' } }
  for _, glob in ipairs { "GET /users*s", "GET /u*r*rs", "GET /*se*er*s", "GET /user*z" } do -- nothing counts twice
    ONLY[#ONLY + 1] = { { glob }, ('"%s": the document has no such operation. The nearest is "GET /users"'):format(glob) }
  end
  for _, row in ipairs(ONLY) do
    it("only: takes " .. table.concat(row[1], " and "), function()
      local is_made, made = pcall(types.generate, ROOT, "api", { only = row[1] })
      if not is_made then return assert.equal("endpoint.types: only " .. row[2], made) end
      local routes = {}
      for i, route in ipairs(definitions.read(made.files).routes) do routes[i] = route.route end
      assert.equal(row[2], table.concat(routes, " "))
    end)
  end

  it("progress: is called with each operation", function()
    local calls = {}
    types.generate(ROOT, "api", { progress = function(done, count) calls[#calls + 1] = done .. "/" .. count end })
    assert.same({ "1/3", "2/3", "3/3" }, calls)
  end)

  it("says what it chose of servers", function()
    local variables = { region = { default = "eu\226\128\174" } }
    assert.same({ "Its server is https://h.example/eu?, with region = eu?: set another baseUrl with defaults." },
      types.generate(document(get("/x"), server("https://h.example/{region}", variables)), "api").notes)
    assert.same({ "Its server is a path, /v1: set a baseUrl with defaults." },
      types.generate(document(get("/x"), server "/v1"), "api").notes)
    assert.same({}, types.generate(document(get("/x")), "api").notes)
  end)
end)

-- --- bad and large documents --------------------------------------------------------

describe("types: a bad document", function()
  local ROWS = {
    { nil, "expected an OpenAPI document, got nothing" },
    { {}, '"openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0' },
    { { openapi = "3.10.0", paths = {} }, '"openapi" is 3.0, 3.1 or 3.2, or "swagger" is 2.0, got "3.10.0"' },
    { { swagger = "2.0.1", paths = {} }, '"swagger" is 2.0' },
    { { openapi = true, paths = {} }, '"openapi" is 3.0, 3.1 or 3.2' },
    { { openapi = "3.0.0" }, 'which has "paths"' },
    { document { ["/x"] = { ["$ref"] = "other.json#/x" } }, '$ref "other.json#/x" leads to another file: bundle it' },
    { document { ["/x"] = { get = { ["$ref"] = "https://h.example/x" } } }, "leads to another file: bundle it" },
    { document({}, schemas { S = { properties = { example = { ["$ref"] = "s.json" } } } }), "leads to another file" },
  }
  for _, name in ipairs { "", "1a", "a-b", "../a", "endpoint", "string", "cjson", "_G", "utf8", "jit", 5, {} } do
    ROWS[#ROWS + 1] = { document {}, "name: expected letters, digits and _", name }
  end
  for i = 1, #ROWS do
    local root, words, name = ROWS[i][1], ROWS[i][2], ROWS[i][3]
    it(("raises one line, %d: %s %s"):format(i, words, tostring(name or "")), function()
      local is_made, message = pcall(types.generate, root, name or "api")
      assert.is_false(is_made)
      assert.truthy(message:find("^endpoint%.types: [^%c]*$"), message)
      assert.truthy(message:find(words, 1, true), message)
    end)
  end

  -- The module is made of the rest.
  local PART = { operations = 9, left_out = {
    { operation = "GET /a", reason = '$ref "#/a" leads in a circle' },
    { operation = "GET /b", reason = '$ref "#anchor": expected one into the document itself, #/...' },
    { operation = "GET /c", reason = '$ref "#/nowhere" leads nowhere' },
    { operation = "POST /d", reason = '$ref "#/nowhere" leads nowhere' },
    { operation = "COPY /e", reason = "no method of OpenAPI 3.1" },
    { operation = "/x", reason = '$ref "#/nowhere?" leads nowhere' } },
    notes = { "OpenAPI 3.2 is read as 3.1: what is new in it, but for QUERY, counts as absent.",
      'GET /d: the parameter "a" is left out: its "in" is none of query, path, header and cookie',
      "GET /d: a parameter without a name is left out",
      'GET /d: its answers have no type: $ref "#/nowhere" leads nowhere',
      "GET /e: its parameters are left out: they are no list" } }

  it("has its operations left out, and a note for what is passed over", function()
    local lost = { ["$ref"] = "#/nowhere" }
    local responses = { ["200"] = { content = { ["application/json"] = { schema = { items = lost } } } } }
    local circle = { a = { ["$ref"] = "#/b" }, b = { ["$ref"] = "#/a" }, openapi = "3.2.0" }
    local made, read = generate(document({ ["/x"] = { ["$ref"] = "#/nowhere\n" }, ["/a"] = { get = { ["$ref"] = "#/a" } },
      ["/b"] = { get = { parameters = { { ["$ref"] = "#anchor" } } } }, ["/c"] = { parameters = { lost }, get = {} },
      ["/d"] = { get = { parameters = { { name = "a" }, q "b", {} }, responses = responses },
        post = body { properties = { a = { items = { properties = { b = lost } } } } } },
      ["/e"] = { get = { parameters = q "a" }, query = of_a_text "a", additionalOperations = { COPY = {} } } }, circle))
    made.files, made.base = nil, nil
    assert.same(PART, made)
    assert.same({ "GET /d", "GET /e", "QUERY /e" }, { read.routes[1].route, read.routes[2].route, read.routes[3].route })
  end)

  it("may have a number as version, and any other name", function()
    for _, version in ipairs { 2, 2.0 } do
      assert.equal(0, types.generate({ swagger = version, paths = {} }, "_A1").operations)
    end
  end)
end)

-- Small documents that would cost much.
local function reference(name) return { ["$ref"] = "#/components/schemas/" .. name } end

-- n properties, each with the same schema.
local function fan(n, schema)
  local properties = {}
  for i = 1, n do properties["p" .. i] = schema end
  return { type = "object", properties = properties }
end

local COSTLY = {
  ["a deepObject of one schema again and again"] = function()
    local root = schemas { S = fan(100, reference "S") }
    return with(document(get("/x", { parameters = { q("c", { style = "deepObject", schema = reference "S" }) } })), root)
  end,
  ["one body of many operations"] = function()
    local paths = {}
    for i = 1, 2000 do paths["/" .. i] = { post = body(reference "S") } end
    return document(paths, schemas { S = fan(2000, { type = "string" }) })
  end,
  ["one path of many names"] = function()
    local paths, parameters = { ["/x"] = { get = {} } }, {}
    for i = 1, 1000 do parameters[i] = q("p" .. i) end
    paths["/x"].get.parameters = parameters
    for i = 1, 1000 do paths["/" .. i] = { ["$ref"] = "#/paths/~1x" } end
    return document(paths)
  end,
  ["schemas that name each other"] = function()
    local tangled = {}
    for i = 1, 60 do
      local next_one = reference("S" .. i % 60 + 1)
      tangled["S" .. i] = { anyOf = { next_one, { type = "array", items = next_one } }, allOf = { next_one, next_one },
        properties = { p = next_one } }
    end
    return document({ ["/x"] = { post = body(reference "S1") } }, schemas(tangled))
  end,
}

describe("types: a document that costs more than its size", function()
  for name, make in pairs(COSTLY) do
    it("raises one line: " .. name, function()
      local is_made, message = pcall(types.generate, make(), "api")
      assert.is_false(is_made)
      assert.equal("endpoint.types: the document says the same so often that its definitions would be too large", message)
    end)
  end

  it("and one that is nested deep", function()
    local linked, chain = { S2001 = {} }, { type = "object" }
    for i = 1, 2000 do linked["S" .. i] = { allOf = { reference("S" .. i + 1) } } end
    for _ = 1, 5000 do chain = { allOf = { chain } } end
    for _, schema in ipairs { reference "S1", chain } do
      local root = document({ ["/x"] = { post = body(schema) } }, schemas(linked))
      local _, message = pcall(types.generate, root, "api")
      assert.equal("endpoint.types: schemas are nested more than 100 deep by allOf, oneOf and anyOf", message)
    end
  end)
end)

describe("types: a large document", function()
  it("takes several files, in which classes go on and enumerations do not", function()
    local properties, paths = {}, {}
    for i = 1, 5000 do properties["property_" .. i] = { type = "string", description = ("x"):rep(150) } end
    for i = 1, 3000 do paths[("/%s/%d/{id}"):format(("p"):rep(60), i)] = { get = {} } end
    paths["/x"] = { post = body { properties = properties } }
    paths["/" .. ("y"):rep(260000)] = { get = {} }
    local made, read = generate(document(paths))
    assert.is_true(#made.files > 5)
    assert.equal(3002, #read.routes)
    assert.equal(5001, #read.classes["api.POST_x"]) -- with `data`
    local enumerations = {}
    for _, file in ipairs(made.files) do
      assert.is_true(#file.text < 300000)
      for name in file.text:gmatch "@enum %(key%) ([^\n]*)" do enumerations[#enumerations + 1] = name end
    end
    assert.same({ "api.Routes", "api.Routes2", "api.Routes3", "api.RoutesWithoutOptions",
      "api.RoutesWithoutOptions2" }, enumerations)
    assert.truthy(made.files[1].text:find("\n---@generic Route: api.Routes|api.Routes2|api.Routes3\n", 1, true))
  end)

  it("gives each operation a class of its own", function()
    local paths, classes = {}, {}
    for i, id in ipairs { "a b", "a/b", "a_b", "a_b_2", "Api", "Options", "Members", "Defaults", "Routes", "Routes2",
      "OptionsWithUrl", "RoutesWithoutOptions" } do
      paths["/" .. ("abcdefghijkl"):sub(i, i)] = { get = { operationId = id, parameters = { q("p" .. i) } } }
    end
    local _, read = generate(document(paths))
    for i, route in ipairs(read.routes) do
      assert.is_nil(classes[route.class])
      assert.is_nil(route.class:match "%.Routes%d*$" or route.class:match "%.RoutesWithoutOptions%d*$")
      classes[route.class] = true
      assert.equal("p" .. i, read.classes[route.class][1].name)
    end
  end)
end)

it("types: a table of options has a remark", function()
  local made = types.generate(document { ["/x"] = { options = body(OBJECT) } }, "api")
  assert.truthy(made.files[1].text:find("\n---@field data api.OPTIONS_x.data # the body\n", 1, true))
end)
