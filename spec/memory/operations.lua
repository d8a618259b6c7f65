-- Calls of every kind, for the harnesses oom.c and soak.lua beside it, and for collector_spec.lua.
-- A row has a name, a function that prepares a call and returns the callee and up to two
-- arguments, and, if the call must raise, words of its message.
--
-- The chunk takes luaopen_endpoint and luaopen_endpoint_result, and returns the operations of one
-- state. If oom.c gives its `inject` as well, allocations of the state's first luaopen_endpoint
-- fail. If that left anything half built in the registry, the next one would find it.
local open, open_result, inject_first = ...

if jit then
  jit.off(true, true)
end -- a trace takes memory in one call and not in the next

-- From Lua 5.2 on lua_checkstack fails, too, if there is no memory for the stack.
local function is_memory_error(ok, value)
  return not ok
    and (
      value == "not enough memory"
      or tostring(value):find("stack overflow (endpoint: ", 1, true)
      or tostring(value):find("do not fit on Lua's stack", 1, true)
    )
end

if inject_first then
  local ok, value = inject_first(open)
  if not ok and not is_memory_error(ok, value) then
    error(value, 0)
  end
end
local endpoint, reader = open(), open_result()
local null, unpack = endpoint.null, table.unpack or unpack

-- --- texts and tables

-- Too long for the buffers of 2,048 bytes on the C stack.
local LONG = ("0123456789abcdef"):rep(200)
-- A text of which every byte is encoded.
local WIDE = (" "):rep(1500)

local made = 0

-- A text that is the same in each run of a call. It is not a constant, which the function would
-- keep alive. Lua interns short strings but not long ones, so both sizes occur.
local function text(size)
  made = made + 1
  return (("%d%s"):format(made, ("v"):rep(size or 6)))
end

local function key(letter)
  made = made + 1
  return letter:rep(12) .. made
end

local function list(count, size)
  local t = {}
  for i = 1, count do
    t[i] = text(size)
  end
  return t
end

-- Adds to t so many texts under names of their own.
local function map(count, t, size)
  t = t or {}
  for _ = 1, count do
    t[key "k"] = text(size)
  end
  return t
end

-- Returns a template with `count` variables, and sets their values in t.
local function variables(count, t)
  local names = {}
  for i = 1, count do
    names[i] = key "n"
    t[names[i]] = text()
  end
  return "/{" .. table.concat(names, "}/{") .. "}"
end

local function headers()
  return {
    ["X-" .. text()] = text(60),
    ["x-" .. text()] = list(3),
    accept = "application/vnd." .. text() .. "+json",
  }
end

local rows = { [0] = { name = "the first luaopen" } }

local function row(name, prepare, words)
  rows[#rows + 1] = { name = name, prepare = prepare, words = words }
end

-- --- calls of which nothing but their tables keeps the texts

local api = endpoint.defaults {
  baseUrl = "https://user:pass@host.example/",
  per_page = 100,
  tags = { "a", { "b" } },
  data_of = { x = { y = 1 } },
  headers = { ["x-list"] = { "a", "b" }, ["x-own"] = "c" },
  mediaType = { format = "raw", previews = { "p", "q" } },
}

row("a route and a few parameters", function()
  local o = { owner = text(), repo = text(60), n = 5.5, flag = true, tags = list(3) }
  return endpoint, "GET /repos/{owner}/:repo{?n,flag,tags*}", map(5, o)
end)
row("a list and a map in every way", function()
  return endpoint,
    "/{l}/x{/l*}{;m*}{.m}{?l,m*}{&long}{#m*}",
    { l = list(5), m = map(5), long = list(2, 60) }
end)
row("a map of many fields", function()
  return endpoint, "/x{?m*}", { m = map(40) }
end)
row("many parameters in the query", function()
  return endpoint, "/x#fragment", map(40, { l = list(4) })
end)
row("many parameters in the body", function()
  return endpoint, "POST /x", map(40)
end)
row("many variables", function()
  local o = {}
  return endpoint, variables(45, o), o
end)
local serial = 0
row("a long template, which is new each time", function()
  serial = serial + 1
  local o = { ["new" .. serial] = text() }
  return endpoint, variables(5, o) .. ("/x"):rep(600) .. "/{new" .. serial .. "}", o
end)
row("a query of over 2 KB before a fragment", function()
  return endpoint, "/x#" .. text(60), map(20, { long = text(3000), tags = list(3, 900) })
end)
row("headers, format and previews", function() -- accept is over 2 KB
  return endpoint,
    "/x",
    { headers = headers(), mediaType = { format = text(99), previews = list(20, 99) } }
end)
row("options alone", function()
  return endpoint,
    {
      url = "/" .. text(60) .. "/{a}",
      method = "m" .. text(),
      baseUrl = "https://" .. text() .. ".example",
      a = text(),
      data = map(3),
      request = map(2),
    }
end)
row("what merge takes", function()
  return endpoint.merge,
    "GET /" .. text(),
    map(40, { headers = headers(), baseUrl = "/" .. text(), mediaType = { previews = list(3) } })
end)
row("what parse takes", function()
  local o = map(8, { a = text(), headers = headers(), mediaType = { format = text() } })
  return endpoint.parse, endpoint.merge("PUT /{a}", o)
end)
row("what defaults takes", function()
  local shared = list(3)
  return function(o)
    return endpoint.defaults(o).DEFAULTS
  end,
    map(3, {
      deep = { map(3), { shared, shared, map(2) } },
      headers = headers(),
      mediaType = { previews = list(3) },
      baseUrl = "https://" .. text(),
    })
end)
row("defaults of the endpoint's own", function()
  return api, "POST /{per_page}", map(3, { tags = list(2), headers = headers() })
end)
row("DEFAULTS while the last ones go", function()
  return function()
    return api.DEFAULTS
  end, api.DEFAULTS
end)
row("a value that is refused", function()
  return endpoint, "/{a}", { a = { [key "e"] = {} } }
end, '"a"')
row("a header that is refused", function()
  return endpoint, "/x", { headers = { [key "H"] = text() .. "\n" } }
end, "LF")
row("a variable that is missing", function()
  return endpoint, "/{" .. key "a" .. "}", map(3)
end, "missing")
row("dots", function()
  return endpoint, "/x/{+a}", { a = "../" .. text() }
end, "..")
row("a preview that is refused", function()
  return endpoint, "/x", { mediaType = { previews = { text(), text() .. " " } } }
end, "mediaType preview")
row("a base address that is refused", function()
  return endpoint, "/x", { baseUrl = "https://u:p@" .. text() .. "{" }
end, "baseUrl")
row("a long query and fragment", function()
  return endpoint,
    "/x?" .. text(60) .. "{&a}#" .. text(60),
    { a = text(), b = text(), baseUrl = "https://h/" .. text(900) }
end)
row("lists in a map and under a name", function()
  return endpoint,
    "/x{?m*}",
    { ["l[]"] = list(3), m = { [key "m"] = list(3), ["k[]"] = list(2, 60), e = {} } }
end)
row("defaults that leave home", function()
  return endpoint.defaults { headers = { [key "x" .. "-key"] = text() } },
    { url = "https://" .. text() .. ".example/", headers = headers() }
end, "-key")
row("defaults that leave home by the base address", function()
  return endpoint.defaults { headers = { cookie = text() } }.merge,
    { baseUrl = "https://" .. text(60) .. "/é" }
end, "cookie")
local function read(r)
  return { reader.read(r) }
end
row("a result that a client reads", function()
  return read,
    {
      method = text(),
      url = "https://" .. text(60) .. "/" .. text(60) .. "?" .. text(60),
      body = text(60),
      headers = map(40, headers()),
    }
end)
row("a result with a long joined list", function()
  return read,
    { method = "get", url = "https://h/", headers = { cookie = list(6, 900), host = list(1, 60) } }
end)
row("the variables of a template", function()
  return endpoint.variables, { url = "https://" .. text() .. "{/a}" .. variables(3, {}) }
end)
local fresh = #rows

-- --- the module and its members

-- A call of the endpoint itself.
local function call(name, route, options, words)
  row(name, function()
    return endpoint, route, options
  end, words)
end

row("luaopen", function()
  return open
end)
row("read DEFAULTS with every option", function()
  local e = endpoint.defaults {
    method = "POST",
    url = "/{a}",
    headers = { A = "1", b = { "2", "3" } },
    data = { { 1 } },
    mediaType = { format = "raw", previews = { "one", "two" } },
    request = {},
    a = "x",
    b = { c = { d = 1 } },
  }
  return function()
    return e.DEFAULTS
  end
end)
row("tostring with a long baseUrl", function()
  return tostring, endpoint.defaults { baseUrl = "https://me@api.example/" .. LONG }
end)
row("300 variables", function()
  return endpoint.variables, "GET " .. variables(300, {})
end)
row("variables without url", function()
  return endpoint.variables
end, "url")
row("variables of a wrong option", function()
  return endpoint.variables, { url = "/{a}", method = {} }
end, "method")
row("variables of a malformed template", function()
  return endpoint.variables, "/{a"
end, "template")

-- --- calls

call("a number that may have lost digits", "GET /{a}", { a = 2 ^ 53 }, "a float of 2^53")
row("merge of a next page", function()
  return endpoint.defaults({ per_page = 100, q = "x" }).merge, "GET /search?per_page=50{&a}"
end)
call("query before a long fragment", "GET /search#" .. LONG, { q = WIDE })
call("query of a list under a long name in []", "GET /", { [LONG .. "[]"] = { WIDE, "x" } })
row("long lists in a map", function()
  return endpoint, "GET /{?p*}", { p = { [LONG] = { WIDE, LONG }, l = list(100) } }
end)
row("40 parameters that are null", function()
  local o = {}
  for i = 1, 40 do
    o["name_" .. i] = null
  end
  return endpoint, "OPTIONS /", o
end)
row("100 variables and 100 parameters", function()
  local o = map(100)
  return endpoint, "GET " .. variables(100, o), o
end)
call("long texts that are encoded", "GET /a{;x,l*}", { x = WIDE .. "\195\169", l = { WIDE } })
row("map of 40 and list of 400", function()
  return endpoint, "GET /a{m,l,m*,l*}", { m = map(40), l = list(400) }
end)
row("map of 300", function()
  return endpoint, "GET /{?m*}", { m = map(300) }
end)
row("map of 8 with long values", function()
  return endpoint, "GET /{?m}", { m = map(8, {}, 3200) }
end)

-- --- headers and mediaType

row("50 headers", function()
  return endpoint, "GET /", { headers = map(50) }
end)
call("long header", "GET /", { headers = { ["X-" .. LONG] = LONG } })
call("format for many parts", "GET /", {
  mediaType = { format = "raw" },
  headers = { accept = ("application/vnd.a.v3+json, text/html,"):rep(100) },
})
row("200 previews", function()
  return endpoint, "GET /", { mediaType = { previews = list(200) } }
end)

-- --- merge, parse, defaults

row("merge", function()
  return endpoint.merge,
    "POST /{a}",
    {
      a = 1,
      b = { 2 },
      headers = { X = "1" },
      mediaType = { previews = { "one" } },
      data = "x",
      request = {},
      baseUrl = "https://other.example",
    }
end)
row("merge with defaults", function()
  local e = endpoint.defaults {
    method = "PUT",
    url = "/{a}",
    a = { b = { c = {} } },
    headers = { A = "1" },
    mediaType = { format = "raw" },
  }
  return e.merge, { d = 1, headers = { B = "2" } }
end)
row("merge of defaults that leave home and a malformed template", function()
  return endpoint.defaults({ headers = { cookie = "c" } }).merge,
    { url = "https://other.example/{" }
end, "template")
row("defaults that leave home by a long URL", function()
  return endpoint.defaults {
    baseUrl = "https://u:p@api.example/v1",
    headers = { Authorization = "s3cret", cookie = "c" },
  },
    "GET https://u:p@other.example/" .. LONG
end, "authorization")
row("merge with 300 defaults", function()
  return endpoint.defaults(map(300)).merge, "GET /", map(300)
end)
row("parse with previews", function()
  return endpoint.parse,
    endpoint.merge("/", { mediaType = { format = "raw", previews = { "one" } } })
end)
row("defaults with another spelling", function()
  return endpoint.defaults, { base_url = "https://h" .. LONG }
end, "baseUrl")
row("defaults with a long baseUrl", function()
  return endpoint.defaults, { baseUrl = "https://api.example/" .. WIDE }
end)
row("101 deep", function()
  local t = {}
  for _ = 1, 101 do
    t = { t }
  end
  return endpoint.defaults, { a = t }
end, "deep")
row("copies handed out", function()
  return endpoint.defaults { a = { { 1 }, { x = { 2 } } }, data = { { 3 } } }, "POST /"
end)

-- --- errors

row("arguments after the options of a member", function()
  return function()
    return endpoint:merge("/", nil, nil, print)
  end
end, "argument 4")
row("parse no baseUrl", function()
  return endpoint.parse, { url = "/" }
end, "baseUrl")
call("headers of a wrong type", "GET /", { headers = "x" }, "headers")
call("method alone", "DELETE", nil, "only a method")
call("long method that is not a token", ("(\1"):rep(2000) .. " /x", nil, "token")
call("data without a body", "GET /", { data = 1 }, "no body")
row("100 parameters without a place", function()
  return endpoint, "TRACE /", map(100)
end, 'kkk1"')
call("map in the query", "GET /", { a = { b = 1 } }, "map")
call("variable named like an option", "GET /{headers}", {}, "headers")
call("prefix of a map", "GET /{a:3}", { a = { b = 1 } }, "prefix")
call("nested list after a long text", "GET /x{/l*}", { l = { LONG, {} } }, "elements")
call("path value of dots after a long text", "GET /{b}/{+c}", { b = LONG, c = "%2e%2E" }, "..")
call("dots of the template before a query", "GET /a/../c{?d}", { d = LONG }, "..")
call("list in a map that holds a table", "GET /{?p*}", { p = { l = { LONG, {} } } }, "elements")
call("list under a name in [] that holds a table", "GET /", { ["a[]"] = { LONG, {} } }, "a[]")
call("name of a parameter that is long", "GET /{a}", { a = 1, [LONG] = print }, "parameter")
call("header name that is not a token", "GET /", { headers = { ["a b"] = "1" } }, "token")
call("header value with CR", "GET /", { headers = { ["X-Long-Name-" .. LONG] = "a\rb" } }, "CR")
call("header list with a number", "GET /", { headers = { A = { "1", 2 } } }, "header")
call("key of mediaType", "GET /", { mediaType = { colour = "red" } }, "colour")
call("previews with holes", "GET /", { mediaType = { previews = { [2] = "a" } } }, "previews")
call(
  "accept for a format",
  "GET /",
  { headers = { accept = 1 }, mediaType = { format = "raw" } },
  "accept"
)

-- --- what endpoint.clients is made of

row("luaopen of result", function()
  return open_result
end)

local function read_of(name, r, words)
  row("read of " .. name, function()
    return reader.read, r
  end, words)
end

read_of("all there is", {
  method = "post",
  url = "HTTPS://u:p@h:0443?a=1#f",
  body = "x",
  request = {},
  headers = {
    A = "1",
    ["x-l"] = { "1", "2" },
    n = 0.1,
    t = true,
    none = {},
    null = null,
    Cookie = { "a=1", "b=2" },
    ["content-length"] = 1,
    ["content-type"] = { "a" },
  },
})
read_of(
  "long texts",
  { method = LONG, url = "http://h/" .. LONG, headers = { [LONG] = { LONG, LONG } } }
)
read_of(
  "a stream",
  { method = "post", url = "http://h", body = print, headers = { ["content-length"] = 1 } }
)
read_of(
  "an endless stream",
  { method = "post", url = "http://h", body = print, headers = { ["content-length"] = null } }
)
read_of("an address with a dot", { method = "get", url = "http://[::1.2.3.4]/~|" })
read_of("a path", { method = "get", url = "/", headers = { A = "1" } }, "path")
read_of("no URL at all", { method = "get", url = "" }, "http")
read_of("a URL with byte 195", { method = "get", url = "http://h/\195" }, "0x21 to 0x7E")
read_of("half a template", { method = "get", url = "http://h/a}" }, "merged options")
read_of("merged options", { method = "get", url = "http://h", [LONG] = 1 }, "merged options")
read_of("a method that is not a token", { method = "a b", url = "http://h" }, "token")
read_of(
  "names that differ in case",
  { method = "get", url = "http://h", headers = { A = "1", a = "2" } },
  "in case"
)
read_of(
  "a value with CR",
  { method = "get", url = "http://h", headers = { [LONG] = { "a\r" } } },
  "CR"
)
row("the head of a request, of more than 2 KB", function()
  local sent = { host = "h", ["X-" .. LONG] = { LONG, LONG }, accept = "a", none = null }
  local r = { method = "get", url = "http://u:p@h:0443?" .. LONG, headers = sent }
  return function(...)
    return reader.read(...).head
  end, r, "head", { accept = "a/b" }
end)
row("sorted", function()
  return reader.sorted, list(300)
end)
row("the head of a response", function()
  local lines = { "HTTP/1.1 200 OK" }
  for i = 1, 40 do
    lines[#lines + 1] = ("Name-%d: %s"):format(i, text(i))
    lines[#lines + 1] = "Set-Cookie: " .. text(i)
  end
  local function headers_of(head)
    local _, fields = reader.head(head, 1, #head)
    return fields
  end
  return headers_of, table.concat(lines, "\r\n") .. "\r\n\r\n"
end)
row("json", function()
  local escaped = '"' .. LONG:rep(30) .. '\\u00e9"'
  -- Where the stack cannot grow nothing is read, and lua-cjson raises.
  local function read_json(json, depth)
    local value = reader.json(json, depth)
    if value == nil and math.type then
      error("not enough memory", 0)
    end
    return value
  end
  return read_json, ('[{"%s":[1,2.5,%s],%s:{}},null]'):format(LONG, escaped, escaped), 100
end)
row("names that are there twice", function()
  local deep = {}
  for _ = 1, 100 do
    deep = { a = deep }
  end
  return reader.has_twice, "{" .. ('"a":1,'):rep(101) .. "}", deep
end)
for _, case in ipairs {
  { "lower", LONG },
  { "is_printable", LONG },
  { "encoded", LONG .. "é" },
  { "decoded", LONG .. "%C3%a9" },
} do
  row(case[1], function()
    return reader[case[1]], case[2]
  end)
  row(case[1] .. " of a wrong type", function()
    return reader[case[1]], {}
  end, "expected")
end

-- --- what the harnesses ask

local operations = {
  endpoint = endpoint,
  api = api,
  count = #rows,
  fresh = fresh,
  text = text,
  key = key,
  map = map,
  variables = variables,
  version = jit and jit.version or _VERSION,
}

-- Adds a row. Returns its number.
function operations.add(name, prepare)
  row(name, prepare)
  return #rows
end

function operations.name(number)
  return rows[number].name
end

-- The callee and its arguments.
function operations.arguments(number)
  made = 0
  return rows[number].prepare()
end

-- A function that calls the operation. It is a Lua function, so that errors have a line.
function operations.prepare(number)
  local f, a, b = operations.arguments(number)
  return function()
    local result = f(a, b)
    return result
  end
end

local describe

local function describe_table(t)
  local keys, texts = {}, {}
  for name, value in pairs(t) do
    local described = describe(name)
    keys[#keys + 1] = described
    texts[described] = describe(value)
  end
  table.sort(keys)
  for i, name in ipairs(keys) do
    keys[i] = name .. "=" .. texts[name]
  end
  return "{" .. table.concat(keys, ",") .. "}"
end

-- A text of a value, the same in every state.
function describe(value)
  local kind = type(value)
  if kind == "table" then
    return describe_table(value)
  end
  if value == null then
    return "null"
  end
  if kind == "userdata" then
    return tostring(value) .. describe_table(value.DEFAULTS)
  end
  return kind == "function" and kind or tostring(value)
end
operations.describe = describe

-- The result of the operation as text. Raises if the row says otherwise.
function operations.answer(number, ok, value)
  local words = rows[number].words
  if words then
    if
      ok
      or not tostring(value):find("endpoint[.clients]*: ")
      or not value:find(words, 1, true)
    then
      error("expected an error with " .. words .. ", got " .. describe(value), 0)
    end
  elseif not ok then
    error("expected a result, got the error " .. tostring(value), 0)
  end
  return describe(value)
end

local function check(expected, value)
  if describe(value) ~= expected then
    error("expected " .. expected .. ", got " .. describe(value), 0)
  end
end

local function check_endpoint(e)
  check(
    "{headers={accept=application/vnd.service.v3+json,user-agent="
      .. endpoint.DEFAULTS.headers["user-agent"]
      .. "},method=get,url=https://api.service.example/repos/o%20o/r/issues?page=2&q=x}",
    e("GET /repos/{owner}/:repo/issues{?page}", { owner = "o o", repo = "r", page = 2, q = "x" })
  )
  check("endpoint (https://api.service.example)", tostring(e))
end

-- Raises if this state, or one more load of the module, gives another answer than before.
function operations.check_state()
  check_endpoint(endpoint)
  check_endpoint(open())
  check_endpoint(endpoint.parse(endpoint.merge("/x")).method == "get" and endpoint.defaults {})
  local ok, message = pcall(endpoint, "GET /{a}", {})
  if ok or not message:find('parameter "a" is missing', 1, true) then
    error("expected an error", 0)
  end
end

-- The operation's answer, where `inject` calls it as pcall does and lets allocations fail; nil if
-- Lua's memory error is the answer. Raises for another one than the expected, and if the state is
-- damaged.
function operations.attempt(number, inject, expected)
  if number == 0 then
    return operations.check_state()
  end
  local f = operations.prepare(number)
  -- A collection makes a stack that was large as small as can be: the operation must grow it. And
  -- the time of the next collection does not depend on the loading.
  select("#", unpack({}, 1, 1000))
  collectgarbage()
  local ok, value = inject(f)
  local answer = not is_memory_error(ok, value) and operations.answer(number, ok, value) or nil
  if answer and expected and answer ~= expected then
    error("expected " .. expected .. ", got " .. answer, 0)
  end
  operations.check_state()
  return answer
end

return operations
