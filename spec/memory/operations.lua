-- Calls of every kind, for the harnesses spec/memory/oom.c and spec/memory/soak.lua. A row has a
-- name, a function that prepares a call and returns the callee and up to two arguments,
-- and, if the call must raise, words of its message. With the field `steps` the callee is
-- called that often, with the number of the step. A `heavy` row is too slow to be called
-- millions of times.
--
-- The chunk takes luaopen_endpoint and luaopen_endpoint_result, and returns the operations of one
-- state.
local open, open_result = ...
local endpoint, reader = open(), open_result()
local null = endpoint.null

if jit then jit.off(true, true) end -- a trace takes memory in one call and not in the next

-- Too long for the buffers of 2,048 bytes on the C stack.
local LONG = ("0123456789abcdef"):rep(200)
-- A text of which every byte is encoded.
local WIDE = (" "):rep(1500)

local function numbered(count, make)
  local result = {}
  for i = 1, count do
    local key, value = make(i)
    result[key] = value
  end
  return result
end

-- name_0001 = "1" and so on: the parameters of a call, or a map.
local function many(count, name)
  return numbered(count, function(i) return ("%s_%04d"):format(name or "name", i), tostring(i) end)
end

local function list(count)
  return numbered(count, function(i) return i, "element " .. i end)
end

-- {a_0001}{a_0002} and so on.
local function variables(count)
  return (table.concat(numbered(count, function(i) return i, ("/{a_%04d}"):format(i) end)))
end

-- A table in a table, and so on, to a depth.
local function nested(depth)
  local result = {}
  for _ = 2, depth do result = { inner = result } end
  return result
end

local rows = {}

local function row(name, prepare, words)
  rows[#rows + 1] = { name = name, prepare = prepare, words = words }
  return rows[#rows]
end

-- A call of the endpoint itself.
local function call(name, route, options, words)
  return row(name, function() return endpoint, route, type(options) == "function" and options() or options end, words)
end

-- A call with defaults.
local function call_with(name, defaults, route, options, words)
  return row(name, function() return endpoint.defaults(defaults), route, options end, words)
end

-- --- the module and its members

row("luaopen", function() return open end)
row("read DEFAULTS", function() return function() return endpoint.DEFAULTS end end)
row("read DEFAULTS with every option", function()
  local e = endpoint.defaults { method = "POST", url = "/{a}", headers = { A = "1", b = { "2", "3" } }, data = { { 1 } },
    mediaType = { format = "raw", previews = { "one", "two" } }, request = {}, a = "x", b = { c = { d = 1 } } }
  return function() return e.DEFAULTS end
end)
row("tostring with a long baseUrl", function()
  return tostring, endpoint.defaults { baseUrl = "https://me@api.example/" .. LONG }
end)

-- --- variables

row("variables of a host", function() return endpoint.variables, "https://{a}.h{/b}/{c}" end)
row("300 variables", function() return endpoint.variables, "GET " .. variables(300) end)
row("variables without url", function() return endpoint.variables end, "url")
row("variables of a wrong option", function() return endpoint.variables, { url = "/{a}", method = {} } end, "method")
row("variables of a malformed template", function() return endpoint.variables, "/{a" end, "template")

-- --- calls

call("long baseUrl of the call", "GET /:a", { a = 1, baseUrl = "https://other.example/" .. WIDE })
call("long literal that is encoded", "GET /" .. WIDE)
call("long route with a variable", "GET /{a}/" .. LONG, { a = LONG })
call("every kind of scalar", "GET /{a}/{b}/{c}/{d}{?e}", { a = 1, b = 0.1, c = true, d = "\0\255", e = null })
call("numbers of many digits", "GET /{a}/{b}/{c}", { a = 2 ^ 51 + 0.5, b = -1e-300, c = 5e-324 })
call("a number that may have lost digits", "GET /{a}", { a = 2 ^ 53 }, "a float of 2^53")
call("baseUrl with a query", "GET /{?a}", { a = LONG, baseUrl = "https://h/p?" .. WIDE }, "baseUrl")
row("merge of a next page", function()
  return endpoint.defaults({ per_page = 100, q = "x" }).merge, "GET /search?per_page=50{&a}"
end)
call("query", "GET /search", { q = "a b", page = 2, per_page = 100, labels = { "x", "y" }, none = null, empty = {} })
call("query before a long fragment", "GET /search#" .. LONG, { q = WIDE })
call("long query", "GET /search", { [LONG] = WIDE })
call("query of 33 parameters", "GET /", function() return many(33) end)
call("query of 300 parameters", "GET /{name_0007}", function() return many(300) end)
call("query of a list under a long name in []", "GET /", { [LONG .. "[]"] = { WIDE, "x" } })
call("long lists in a map", "GET /{?p*}", function()
  return { p = { [LONG] = { WIDE, LONG }, l = list(100) } }
end).heavy = true
call("body", "POST /repos/{owner}/issues", { owner = "o", title = "t", labels = { "x" }, none = null })
call("body of 300 parameters", "PATCH /{name_0007}", function() return many(300) end)
call("40 parameters that are null", "OPTIONS /", function()
  return numbered(40, function(i) return "name_" .. i, null end)
end)
call("data", "PUT /:a", { a = 1, data = { 1 } })
call("41 variables", "GET " .. variables(41), function() return many(41, "a") end)
call("100 variables and 100 parameters", "GET " .. variables(100), function()
  local options = many(100, "a")
  for name, value in pairs(many(100)) do options[name] = value end
  return options
end)
call("3,000 parameters", "GET /", function() return many(3000) end).heavy = true

-- --- the operators of RFC 6570

for _, operator in ipairs { "", "+", "#", ".", "/", ";", "?", "&" } do
  local expression = "{" .. operator .. "x}"
  call(expression .. ": list and map", ("GET /a{%sl,m,l*,m*}"):format(operator),
    { l = { "a", 2, null, true }, m = { a = 1, b = "x y", c = null } })
  call(expression .. ": long text that is encoded", "GET /a" .. expression, { x = WIDE .. "\195\169" })
  call(expression .. ": map of 40 and list of 400", ("GET /a{%sm,l,m*,l*}"):format(operator), function()
    return { m = many(40), l = list(400) }
  end)
end
call("prefixes", "GET /{a:3}/{+b:3}{#c:9999}", { a = "\195\169\195\169 x", b = "%41%42%43%44", c = LONG })
call("map of 2,000", "GET /{?m*}", function() return { m = many(2000) } end).heavy = true
call("map of 100 with long values", "GET /{?m}", function()
  return { m = numbered(100, function(i) return "k" .. i, LONG end) }
end).heavy = true

-- --- headers and mediaType

call("headers", "GET /", { headers = { ["X-A"] = "1", b = 2, C = true, ["user-agent"] = null, l = { "1", "2" } } })
call("50 headers", "GET /", function() return { headers = many(50, "X-Name") } end)
call("long header", "GET /", { headers = { ["X-" .. LONG] = LONG } })
call_with("header merge", { headers = { A = "1", B = { "2" }, accept = "text/plain" } }, "GET /",
  { headers = { a = "3", C = "4", ["User-Agent"] = null } })
call("format for many parts", "GET /", function()
  return { mediaType = { format = "raw" }, headers = { accept = ("application/vnd.a.v3+json, text/html,"):rep(100) } }
end)
call("previews and format", "GET /", { mediaType = { format = "raw", previews = { "one" } } })
call("200 previews", "GET /", function()
  return { mediaType = { previews = numbered(200, function(i) return i, "preview" .. i end) } }
end)
call("previews in accept", "GET /", function()
  local parts = numbered(100, function(i) return i, "application/vnd.a.p" .. i .. "-preview+json" end)
  return { mediaType = { previews = { "z" } }, headers = { accept = table.concat(parts, ",") } }
end)
call_with("media type merge", { mediaType = { format = "raw", previews = { "one" } } }, "GET /",
  { mediaType = { previews = { "two" }, format = "html" } })

-- --- home

local SECRETS = { baseUrl = "https://u:p@api.example/v1", headers = { Authorization = "s3cret", ["X-Api-Key"] = { "a", "b" },
  cookie = "c", accept = "text/plain" } }

call_with("defaults that stay home", SECRETS, "GET /", { baseUrl = "https://api.example:/caf\195\169" })
call_with("defaults that leave home", SECRETS, "GET https://u:p@other.example/" .. LONG, nil, "authorization")
call_with("defaults that leave home with a value", SECRETS, "GET https://{host}/", { host = "api.example" }, "authorization")
call_with("defaults that leave home with a baseUrl", SECRETS, "GET /", { baseUrl = "https://cafe.example/" .. WIDE },
  "authorization")
row("merge of defaults that leave home", function()
  return endpoint.defaults(SECRETS).merge, { url = "https://other.example/{a}" .. LONG }
end, "authorization")
row("merge of defaults that leave home and a malformed template", function()
  return endpoint.defaults(SECRETS).merge, { url = "https://other.example/{" }
end, "template")

-- --- merge, parse, defaults

row("merge", function()
  return endpoint.merge, "POST /{a}", { a = 1, b = { 2 }, headers = { X = "1" }, mediaType = { previews = { "one" } },
    data = "x", request = {}, baseUrl = "https://other.example" }
end)
row("merge with defaults", function()
  local e = endpoint.defaults { method = "PUT", url = "/{a}", a = { b = { c = {} } }, headers = { A = "1" },
    mediaType = { format = "raw" } }
  return e.merge, { d = 1, headers = { B = "2" } }
end)
row("merge with 300 defaults", function() return endpoint.defaults(many(300)).merge, "GET /", many(300, "other") end)
row("parse", function() return endpoint.parse, endpoint.merge("POST /{a}", { a = 1, b = { 2 } }) end)
row("parse with previews", function()
  return endpoint.parse, endpoint.merge("/", { mediaType = { format = "raw", previews = { "one" } } })
end)
row("defaults", function()
  return endpoint.defaults, { baseUrl = "https://me@other.example/caf\195\169", headers = { A = "1", accept = null },
    method = "post", a = { 1, { 2 } }, b = null }
end)
row("defaults from a route", function() return endpoint.defaults, "GET /{a}" end, "alone")
row("defaults with another spelling", function() return endpoint.defaults, { base_url = "https://h" .. LONG } end, "baseUrl")
row("defaults with a long baseUrl", function() return endpoint.defaults, { baseUrl = "https://api.example/" .. WIDE } end)
row("defaults of defaults", function()
  return function(depth)
    local e = endpoint
    for i = 1, depth do e = e.defaults { ["p" .. i] = { i }, headers = { ["x-" .. i] = "1" } } end
    return e
  end, 5
end)
row("defaults 100 deep", function() return endpoint.defaults, { a = nested(100) } end)
row("defaults with shared tables and metatables", function()
  local shared = setmetatable({}, { __name = "array" })
  return endpoint.defaults, { a = { shared, shared, [shared] = shared }, b = shared }
end)
call_with("copies handed out", { a = { { 1 }, { x = { 2 } } }, data = { { 3 } } }, "POST /")

-- --- the cache

local function turn_over(name, make)
  local turning = row(name, function()
    local routes = numbered(1000, function(i) return i, make(i) end)
    for _, route in ipairs(routes) do endpoint(route) end
    return function(step) return endpoint(routes[step]) end
  end)
  turning.steps, turning.heavy = 1000, true
end

turn_over("1,000 distinct routes", function(i) return "GET /turn/" .. i .. "{/a}" end)
turn_over("1,000 distinct urls", function(i) return { url = "/turn/" .. i .. "{?a,b}", a = 1 } end)

-- A template is kept when its text comes for the second time. Seventeen of these fill the cache.
-- With one more it forgets all.
row("turn over", function()
  local e, long, turns = open(), ("x"):rep(20000), 0
  local function turn()
    turns = turns + 1
    e("GET /" .. turns .. long)
    return e("GET /" .. turns .. long).method
  end
  for _ = 1, 17 do turn() end
  return function()
    for i = 1, 8 do e("GET /turn/" .. i % 4) end
    turn()
    return e("GET /turn/0").url
  end
end)

-- --- errors: arguments and options

row("argument that is a number", function() return endpoint, 42 end, "argument 1")
row("options behind options", function() return endpoint, { url = "/" }, { a = 1 } end, "argument 2")
row("arguments behind the options", function()
  return function() return endpoint("/", {}, null) end
end, "argument 3")
row("arguments behind the options of a member", function()
  return function() return endpoint:merge("/", nil, nil, print) end
end, "argument 4")
row("another endpoint", function() return endpoint.merge, endpoint.defaults() end, "another endpoint")
row("parse no url", function() return endpoint.parse, {} end, "url")
row("parse no baseUrl", function() return endpoint.parse, { url = "/" } end, "baseUrl")
row("assign a field", function() return function() endpoint.field = 1 end end, "defaults")
call("key that is a number", "GET /", { [1] = "x" }, "strings as keys")
call("headers of a wrong type", "GET /", { headers = "x" }, "headers")
call("url beside a route", "GET /", { url = "/x" }, "url")
call("method alone", "DELETE", nil, "method alone")
call("long method that is no token", ("(\1"):rep(2000) .. " /x", nil, "token")
call("baseUrl without a host", "GET /", { baseUrl = "https://u@:80/" }, "host")
call("data without a body", "GET /", { data = 1 }, "no body")
call("100 parameters without a place", "TRACE /", function() return many(100) end, "name_0001")
call("map in the query", "GET /", { a = { b = 1 } }, "map")

-- --- errors: templates

call("long malformed template", "GET /" .. LONG .. "{", nil, "template")
call("variable named like an option", "GET /{headers}", {}, "headers")

-- --- errors: values

call("function", "GET /{a}", { a = print }, "\"a\"")
call("NaN", "GET /{a}", { a = 0 / 0 }, "NaN")
call("prefix of a map", "GET /{a:3}", { a = { b = 1 } }, "prefix")
call("nested list behind a long text", "GET /x{/l*}", { l = { LONG, {} } }, "elements")
call("path value of dots behind a long text", "GET /{b}/{+c}", { b = LONG, c = "%2e%2E" }, "..")
call("path value that leaves dots, empty", "GET /a/{b}..", { b = "" }, "is empty")
call("path value that pushes another behind the path", "GET /{+b}/{c}", { b = "x?", c = LONG }, "\"c\"")
call("dots of the template before a query", "GET /a/../c{?d}", { d = LONG }, "..")
call("path behind a query", "GET /a{?b}/" .. LONG, {}, "template")
call("text behind a host", "GET https://h{+h}" .. LONG, {}, "template")
call("path value with a long name", "GET /{" .. LONG .. "}", {}, "missing")
call("malformed template with userinfo behind a long path", "GET https://h/" .. LONG .. "//u:p@h{", {}, "not closed")
call("template without //", "GET http:" .. LONG, {}, "host")
call("list in a map that holds a table", "GET /{?p*}", { p = { l = { LONG, {} } } }, "elements")
call("list under a name in [] that holds a table", "GET /", { ["a[]"] = { LONG, {} } }, "a[]")
call("name of a parameter that is long", "GET /{a}", { a = 1, [LONG] = print }, "parameter")

-- --- errors: headers and mediaType

call("header name that is no token", "GET /", { headers = { ["a b"] = "1" } }, "token")
call("header name that is a number", "GET /", { headers = { "1" } }, "names")
call("header value with CR", "GET /", { headers = { ["X-Long-Name-" .. LONG] = "a\rb" } }, "CR")
call("header value that is a function", "GET /", { headers = { A = print } }, "header")
call("header list with a number", "GET /", { headers = { A = { "1", 2 } } }, "header")
call("key of mediaType", "GET /", { mediaType = { colour = "red" } }, "colour")
call("format that is no name", "GET /", { mediaType = { format = "a/b" .. LONG } }, "format")
call("previews with holes", "GET /", { mediaType = { previews = { [2] = "a" } } }, "previews")
call("preview of a wrong type", "GET /", { mediaType = { previews = { "a", 1 } } }, "previews")
call("accept for a format", "GET /", { headers = { accept = 1 }, mediaType = { format = "raw" } }, "accept")

-- --- errors: defaults

row("cycle", function()
  local cycle = { {} }
  cycle[1][1] = cycle
  return function(t) return endpoint.defaults(t).DEFAULTS.a[1][1] ~= cycle end, { a = cycle }
end)
row("101 deep", function() return endpoint.defaults, { a = nested(101) } end, "deep")

-- --- what endpoint.clients is made of

row("luaopen of result", function() return open_result end)

local function read(name, r, words) return row("read of " .. name, function() return reader.read, r end, words) end

read("all there is", { method = "post", url = "HTTPS://u:p@h:0443?a=1#f", body = "x", request = {}, headers = { A = "1",
  ["x-l"] = { "1", "2" }, n = 0.1, t = true, none = {}, null = null, Cookie = { "a=1", "b=2" }, ["content-length"] = 1,
  ["content-type"] = { "a" } } })
read("50 headers", { method = "get", url = "http://h", headers = many(50, "X-Name") })
read("long texts", { method = LONG, url = "http://h/" .. LONG, headers = { [LONG] = { LONG, LONG } } })
for _, path in ipairs { "/", "/a?b" } do
  row("read of " .. path, function() return reader.read, { method = "get", url = path, headers = { A = "1" } }, "path" end)
end
read("a stream", { method = "post", url = "http://h", body = print, headers = { ["content-length"] = 1 } })
read("a stream of no length", { method = "post", url = "http://h", body = print, headers = { ["content-length"] = null } })
read("no URL at all", { method = "get", url = "" }, "http")
read("no table", nil, "got a nil")
read("merged options", { method = "get", url = "http://h", [LONG] = 1 }, "merged options")
read("a method that is no token", { method = "a b", url = "http://h" }, "token")
read("CONNECT", { method = "connect", url = "http://h" }, "tunnel")
read("no URL", { method = "get" }, "got a nil")
read("an address with a dot", { method = "get", url = "http://[::1.2]/~|" })
read("a URL with byte 195", { method = "get", url = "http://h/\195" }, "0x21 to 0x7E")
read("half a template", { method = "get", url = "http://h/a}" }, "merged options")
read("a port above 65535", { method = "get", url = "http://h:65536" }, "expected a host")
read("headers that are no table", { method = "get", url = "http://h", headers = "x" }, "got a string")
read("a header's name that is no token", { method = "get", url = "http://h", headers = { ["a b"] = "1" } }, "token")
read("names that differ in case", { method = "get", url = "http://h", headers = { A = "1", a = "2" } }, "in case")
read("two hosts", { method = "get", url = "http://h", headers = { host = { "a", "b" } } }, "got a list")
read("a value with CR", { method = "get", url = "http://h", headers = { [LONG] = { "a\r" } } }, "CR")
row("sorted", function() return reader.sorted, numbered(300, function(i) return i, "k" .. 300 - i end) end)
row("sorted of no table", function() return reader.sorted end, "expected a table")
row("sorted of no strings", function() return reader.sorted, { 1 } end, "expected a string")
row("encoded number", function() return reader.encoded, 0.1 end)
row("encoded nil", function() return reader.encoded end)
for _, case in ipairs { { "lower", LONG }, { "encoded", LONG .. "é" }, { "decoded", LONG .. "%C3%a9" } } do
  row(case[1], function() return reader[case[1]], case[2] end)
  row(case[1] .. " of a wrong type", function() return reader[case[1]], {} end, "expected")
end

-- --- what the harnesses ask

local operations = { endpoint = endpoint, count = #rows, version = jit and jit.version or _VERSION }

function operations.name(number) return rows[number].name end
function operations.steps(number) return rows[number].steps or 1 end
function operations.is_heavy(number) return rows[number].heavy or false end

-- A function that calls the operation. It is a Lua function, so that errors have a line.
function operations.prepare(number)
  local f, a, b = rows[number].prepare()
  if rows[number].steps then
    return function(step)
      local result = f(step)
      return result
    end
  end
  return function()
    local result = f(a, b)
    return result
  end
end

local describe

local function describe_table(t)
  local keys, texts = {}, {}
  for key, value in pairs(t) do
    local text = describe(key)
    keys[#keys + 1] = text
    texts[text] = describe(value)
  end
  table.sort(keys)
  for i, key in ipairs(keys) do keys[i] = key .. "=" .. texts[key] end
  return "{" .. table.concat(keys, ",") .. "}"
end

-- A text of a value, the same in every state.
function describe(value)
  local kind = type(value)
  if kind == "table" then return describe_table(value) end
  if value == null then return "null" end
  if kind == "userdata" then return tostring(value) .. describe_table(value.DEFAULTS) end
  return kind == "function" and kind or tostring(value)
end

-- The result of the operation as text. Raises if the row says otherwise.
function operations.answer(number, ok, value)
  local words = rows[number].words
  if words then
    if ok or not tostring(value):find("endpoint[.clients]*: ") or not value:find(words, 1, true) then
      error("expected an error with " .. words .. ", got " .. describe(value), 0)
    end
  elseif not ok then
    error("expected a result, got the error " .. tostring(value), 0)
  end
  return describe(value)
end

local function check(expected, value)
  if describe(value) ~= expected then error("expected " .. expected .. ", got " .. describe(value), 0) end
end

local function check_endpoint(e)
  check("{headers={accept=application/vnd.service.v3+json,user-agent=" .. endpoint.DEFAULTS.headers["user-agent"] ..
    "},method=get,url=https://api.service.example/repos/o%20o/r/issues?page=2&q=x}",
    e("GET /repos/{owner}/:repo/issues{?page}", { owner = "o o", repo = "r", page = 2, q = "x" }))
  check("endpoint (https://api.service.example)", tostring(e))
end

-- Raises if this state, or one more load of the module, gives another answer than before.
function operations.check_state()
  check_endpoint(endpoint)
  check_endpoint(open())
  check_endpoint(endpoint.parse(endpoint.merge("/x")).method == "get" and endpoint.defaults {})
  local ok, message = pcall(endpoint, "GET /{a}", {})
  if ok or not message:find("parameter \"a\" is missing", 1, true) then error("expected an error", 0) end
end

return operations
