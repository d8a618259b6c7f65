-- Calls with hostile input, each with n items and with 2n. With 2n a call may cost 2.2 times
-- as much. That holds for a call that raises, too, and its message must be short.
--
-- Usage, see .ci/check-linear:
--   linear.lua run [PART OF]   makes every OFth call from the PARTth on, under callgrind
--   linear.lua judge           reads the counts from its input, and prints a table
--
-- It counts the instructions of the module and of Lua's API. The collector is stopped, since
-- its work depends on the garbage of the preparation. Lua's table of all strings is made
-- large before, so that it grows during no call. A call of fixed cost is made three times and
-- the cheapest counts, since the work of malloc in one of them may be more than the call.
package.path = "src/?.lua;" .. package.path

local RATIO = 2.2
local LONGEST_MESSAGE = 400 -- bytes
local ONLY = os.getenv "ONLY" -- shapes whose name holds this text
local SHAPES_AT_LEAST = ONLY and 1 or 20

local rows = {}

-- Adds a shape: a call for each n. make(n) returns the callee and up to two arguments. With
-- `words` the call must raise, with these in its message. The cost of a `fixed` shape need
-- not grow with n.
local function shape(name, n, make, words, fixed)
  if ONLY and not name:find(ONLY, 1, true) then return end
  rows[#rows + 1] = { name = name, n = n, make = make, words = words, fixed = fixed }
end

-- So large that the fixed part of a call's cost is small beside the rest. An item costs more
-- than a byte, so there are fewer.
local BYTES, ITEMS = 20000, 4000
local STRINGS = 140000
local MIB = 1024 * 1024
local endpoint, null

local function numbered(n, make)
  local result = {}
  for i = 1, n do
    local key, value = make(i)
    result[key] = value
  end
  return result
end

local function list(n, make)
  return numbered(n, function(i) return i, make and make(i) or "e" .. i end)
end

-- name000001 = "1" and so on.
local function named(n, format)
  return numbered(n, function(i) return (format or "name%06d"):format(i), tostring(i) end)
end

-- --- templates

-- A text as the table of shapes shows it.
local function shown(text)
  return (text:gsub("[%c\127-\255]", function(c) return ("\\x%02X"):format(c:byte()) end))
end

-- A route that repeats a text n times. The variables a, b, l and m have values, c has none.
local function template(text, words, before, after, fixed)
  local name = ("template: %s%s×n%s"):format(shown(before or ""), shown(text), shown(after or ""))
  shape(name, text:find "[{:]" and not words and ITEMS or BYTES, function(n)
    local route = "POST /" .. (before or "") .. text:rep(n) .. (after or "")
    return endpoint, route, { a = "x", b = "", l = { "x", "y" }, m = { k = "v" }, q = "x?" }
  end, words, fixed)
end

template("{", "variable name", nil, nil, true)
template("}", "without", nil, nil, true)
template("{a", "expected", nil, nil, true)
template("{a,", "variable name", nil, nil, true)
template("a", "not closed", "{")
template("a.", "not closed", "{")
template("a-", "not closed", "{")
template("-", "variable name", "{a", "}")
template("a-", nil, "{?a", "a}")
template("a.", nil, "{?a", "a}")
template("%41", nil, "{?", "}")
template("%", "variable name", "{", "}", true)
template("a*,", "variable name", "{", "*}")
template("9", "prefix", "{a:", "}", true)
template("a,", nil, "{", "a}")
template("a*,", nil, "{?", "a}")
template("a:9999,", nil, "{", "a}")
template("a,", "variable name", "{", "}")
template("{a}", nil)
template("{a}", "without", nil, "}")
template("{a:9999}", nil)
template("{+a}", nil)
template("{#a}", nil)
template("{.a}", nil)
template("{/a}", nil)
template("{;a}", nil)
template("{?a}", nil)
template("{&a}", nil)
template("{b}", nil, "x")
template("{b}", "empty")
template("{/b}", nil)
template("{c}", "missing")
template("{?c}", nil)
template("/x{c}", nil)
template("{/l*}", nil)
template("{?m*}", nil)
template(":a", nil)
template("/:a", nil)
template("/:c", "missing")
template("/::", nil)
template("/:9", nil)
template("%", nil)
template("%25", nil)
template("%2", nil)
template("%2525252e", nil)
template("%2e%2e/", "at byte 2")
template("%2e%2ea/", nil)
template("/../", "at byte 3")
template("/..a/", nil, nil, "{a}")
template(".", nil)
template(".", nil, "{a}")
template("/", nil)
template("/", nil, "{a}")
template("?", nil)
template("#", nil, "?{a}")
template("&", nil, "?")
template(" ", nil, "a", "b")
template("é", nil)
template("\255", nil)
template("x", "control", nil, "\1")
template("://", nil)
template("@", "not closed", "/a://", "{")
template("/", "not closed", nil, "{")

template("/..a;", nil, nil, "{a}")
template("..a%2F", nil, nil, "{a}")
template("..a%5C", ".", nil, "{c}..")
template("25", nil, "%", "2e{a}")
template("{c}..", nil, "x/", "a")
template("/.{?c}.", "leaves", nil, nil)
template("/{b}", "empty", nil, nil)
template("{+b}", nil, "x")
template("{/b}..", "..")
template("{.c}", "leaves", "x/..")
template("{?c}", "leaves", nil, "/..")
template("/{a}", nil)
template("/{a}", "missing", nil, "/{c}")
template("/{a}", "counts", "{+q}")
template("/{a};{+a}", nil)
template("/{+l*}{a}", nil)
template("{/c}{a}", nil)
template("{/c}{a};", "counts")
template("{/c}{a}", "counts", ";")

shape("template: n different variables, defined", ITEMS, function(n)
  return endpoint, "/" .. table.concat(list(n, function(i) return ("{name%06d}"):format(i) end)), named(n)
end)
shape("template: n different variables, undefined", ITEMS, function(n)
  return endpoint, "/" .. table.concat(list(n, function(i) return ("{?name%06d}"):format(i) end))
end)
shape("template: n different variables in one expression", ITEMS, function(n)
  return endpoint, "/{?" .. table.concat(list(n, function(i) return ("name%06d"):format(i) end), ",") .. "}", named(n)
end)
shape("template: n different variables, by default", ITEMS, function(n)
  local e = endpoint.defaults(named(n))
  return e, "/" .. table.concat(list(n, function(i) return ("{name%06d}"):format(i) end))
end)
shape("template: scheme of n letters", BYTES, function(n) return endpoint, ("a"):rep(n) .. "://h/{a}", { a = 1 } end)
shape("template: host of n labels", BYTES, function(n) return endpoint, "https://" .. ("a."):rep(n) .. "/{a}", { a = 1 } end)
shape("template: {a}×n in the host", ITEMS, function(n) return endpoint, "https://" .. ("{a}"):rep(n) .. "/", { a = 1 } end)

shape("template: {.a}×n in the host", ITEMS, function(n)
  return endpoint, "https://h" .. ("{.a}"):rep(n) .. "/", { a = 1 }
end, "authority")
shape("template: {/c}×n behind the host", ITEMS, function(n) return endpoint, "https://h" .. ("{/c}"):rep(n) end)
shape("template: {/c}×n behind the host, then text", ITEMS, function(n)
  return endpoint, "https://h" .. ("{/c}"):rep(n) .. "{a}", { a = "x" }
end, "host")
shape("template: @×n in the host, malformed", BYTES, function(n)
  return endpoint, "https://" .. ("a@"):rep(n) .. "h/{"
end, "***@")
shape("template: userinfo of n bytes, malformed", BYTES, function(n)
  return endpoint, "https://" .. ("a"):rep(n) .. "@h/{"
end, "***@")
shape("template: text of n bytes without userinfo, malformed", BYTES, function(n)
  return endpoint, ("a:/"):rep(n) .. "{"
end, "template")
shape("template: {+a} of n bytes is the host", BYTES, function(n) return endpoint, "https://{+a}", { a = ("1"):rep(n) } end)
shape("template: {+a} of n bytes is an address", BYTES, function(n)
  return endpoint, "https://{+a}/", { a = "[" .. (":"):rep(n) .. "]:80" }
end)
shape("template: userinfo of n bytes", BYTES, function(n) return endpoint, "https://" .. ("a%41"):rep(n) .. "@h/" end)
shape("template: http: and n bytes", BYTES, function(n) return endpoint, "http:" .. ("a"):rep(n) end, "host")

-- --- variables

local function variables(name, make)
  shape("variables: " .. name, ITEMS, function(n) return endpoint.variables, make(n) end)
end

variables("n different", function(n)
  return "/" .. table.concat(list(n, function(i) return ("{name%06d}"):format(i) end), "/")
end)
variables("n different, names from behind", function(n)
  return "/{?" .. table.concat(list(n, function(i) return ("name%06d"):format(n - i) end), ",") .. "}"
end)
for _, text in ipairs { "{a}", "{a,b}", "/{a}{b}", "/..{a}", "/{a}..", "/..a%2F{a}..", "/{?a}..", "/.{;a}.", "/..a;",
  "{&a}/.." } do
  variables(text .. "×n", function(n) return text:rep(n) end)
end
for _, text in ipairs { "{a}", "{.a}", "{/a}", "{+a}", "{/a}{?b}", "{.a}@", ":{a}" } do
  variables(text .. "×n in the authority", function(n) return "https://h" .. text:rep(n) .. "/{c}" end)
end
variables("n different in the authority", function(n)
  return "https://" .. table.concat(list(n, function(i) return ("{name%06d}"):format(i) end)) .. "/{c}"
end)

-- --- routes and addresses

shape("route: spaces×n before", BYTES, function(n) return endpoint, (" "):rep(n) .. "GET /" end)
shape("route: spaces×n between", BYTES, function(n) return endpoint, "GET" .. (" "):rep(n) .. "/" end)
shape("route: spaces×n behind", BYTES, function(n) return endpoint, "GET /" .. (" "):rep(n) end)
shape("route: spaces×n alone", BYTES, function(n) return endpoint, (" "):rep(n) end, "no text")
shape("route: spaces and tabs×n", BYTES, function(n) return endpoint, "GET /" .. ("a \t"):rep(n):sub(1, -3) end, "control")
shape("route: method of n letters", BYTES, function(n) return endpoint, ("a"):rep(n) .. " /" end)
shape("route: method that is no token", BYTES, function(n) return endpoint, ("a"):rep(n) .. "( /" end, "token")
shape("option: method of n letters", BYTES, function(n) return endpoint, { url = "/", method = ("a"):rep(n) } end)
shape("merge: method of n letters", BYTES, function(n) return endpoint.merge, ("a"):rep(n) .. " /" end)
shape("baseUrl: path of n bytes", BYTES, function(n) return endpoint, "/", { baseUrl = "https://h/" .. ("é/"):rep(n) } end)
shape("baseUrl: @×n", BYTES, function(n)
  return endpoint, "/", { baseUrl = "https://" .. ("@"):rep(n) .. "h" }
end, "authority")
shape("baseUrl: userinfo of n bytes", BYTES, function(n)
  return endpoint, "/", { baseUrl = "https://" .. ("a%41"):rep(n) .. "@h" }
end)
shape("baseUrl: userinfo of n bytes without a host", BYTES, function(n)
  return endpoint, "/", { baseUrl = "https://" .. ("a"):rep(n) .. "@" }
end, "host")
shape("baseUrl: %25×n", BYTES, function(n) return endpoint, "/", { baseUrl = "/%" .. ("25"):rep(n) .. "2f" } end)
shape("baseUrl: query of n bytes", BYTES, function(n)
  return endpoint, "/{?a}#f", { a = 1, b = 2, baseUrl = "https://h/?" .. ("é&"):rep(n) }
end)
shape("baseUrl: query of n bytes before one of n", BYTES, function(n)
  return endpoint, "/?" .. ("a&"):rep(n), { baseUrl = "https://h/?" .. ("?/"):rep(n) }
end)
shape("baseUrl: query of n bytes, by default", BYTES, function(n)
  return endpoint.defaults { baseUrl = "https://h/?" .. ("a&"):rep(n) }, "/"
end)
shape("baseUrl: userinfo of n bytes in an error", BYTES, function(n)
  return endpoint, "/", { baseUrl = "/" .. ("@"):rep(n) .. "{" }
end, "baseUrl")
shape("baseUrl: malformed at its end", BYTES, function(n)
  return endpoint, "/", { baseUrl = "https://h/" .. ("a"):rep(n) .. "{" }
end, "baseUrl")
shape("baseUrl: unused", BYTES, function(n) return endpoint, "http://h/", { baseUrl = "https://h/" .. ("a"):rep(n) } end)
shape("baseUrl: of defaults", BYTES, function(n) return endpoint.defaults, { baseUrl = "https://h/" .. ("a"):rep(n) } end)
shape("baseUrl: shown by tostring", BYTES, function(n)
  return tostring, endpoint.defaults { baseUrl = "https://u@h/" .. ("a"):rep(n) }
end)
shape("url: // behind a bare base", BYTES, function(n)
  return endpoint, "{+a}", { a = ("/"):rep(n), baseUrl = "/" }
end, "//")
shape("url: completed scheme of n letters", BYTES, function(n)
  return endpoint, "a{+a}", { a = ("a"):rep(n) .. "://h/", baseUrl = "" }
end, "scheme")

-- --- values

-- An expression with {a}, whose value repeats a text n times.
local function value(text, n, expression, words, before, after)
  local name = ("value: %s%s×n%s in %s"):format(before or "", shown(text), after or "", expression)
  shape(name, n, function(count)
    return endpoint, "/x" .. expression, { a = (before or "") .. text:rep(count) .. (after or "") }
  end, words, expression:find(":", 1, true))
end

value("a", 5 * MIB, "{a}")
value(" ", 5 * MIB, "{a}")
value("a%", MIB / 8, "{+a}")
value("\195", MIB / 2, "{a}")
for _, expression in ipairs { "{a}", "{+a}", "{#a}", "/{+a}", "{?a}", "{a:9999}" } do
  value("%", BYTES, expression)
  value("%25", BYTES, expression)
  value(".", BYTES, expression)
end
value("\240\159", BYTES, "{a:9999}")
value("/../", BYTES, "/{a}", "..")
value("/../", BYTES, "/{+a}", "..")
value("a/", BYTES, "/{+a}", "..", "", "..")
value("a/", BYTES, "/{+a}{+a}{+a}")
value("%2e%2e;", BYTES, "/{+a}", "..")
value("%2e%2e%", BYTES, "/{+a}")
value("?", BYTES, "/{+a}", "vanish")
value("..;", BYTES, "/{a}", "..")
value("25", BYTES, "/{+a}", "..", "%", "2e")
value("25", BYTES, "/{+a}", "counts", "%", "2f")
value("%2525252e", BYTES, "/{+a}")
value("%252f", BYTES, "/{+a}", "counts")
value("..;", BYTES, "/{+a}", "..")

value("..%2F", BYTES, "/{+a}/x", "..", "a/")
value("..%2F", BYTES, "/{a}/x", "..")
value("..\\", BYTES, "/{a}", "..")
value("a\\", BYTES, "/{+a}/x")
value("%2e%2e%5c", BYTES, "/{+a}", "..")
value("a/.%", BYTES, "/{+a}")
value(";", BYTES, "/{+a}/x", "counts")
value(";", BYTES, "/{+a}/x", nil, "a")
value("/", BYTES, "/{+a}", "counts")
value("/", BYTES, "{+a}")
value("/", BYTES, "/{+b}{+a}", "missing")
value("/", BYTES, "/{+a}#", "counts")
shape("value: /×n behind the host", BYTES, function(n) return endpoint, "https://h{+a}", { a = ("/"):rep(n) } end)
shape("value: :×n behind the host", BYTES, function(n)
  return endpoint, "https://h{+a}", { a = (":"):rep(n) }
end, "host")
shape("value: @×n of a whole URL", BYTES, function(n)
  return endpoint, "{+a}", { a = "https://" .. ("@"):rep(n), baseUrl = "" }
end, "host")
shape("value: @×n in the host", BYTES, function(n) return endpoint, "https://{+a}/", { a = ("a"):rep(n) .. "@" } end, "host")
shape("value: number of n digits", BYTES, function(n) return endpoint, "/{a}", { a = ("9"):rep(n) } end)
shape("value: name of n bytes", BYTES, function(n) return endpoint, "/", { [("é"):rep(n)] = 1 } end)
shape("value: refused, name of n bytes", BYTES, function(n)
  return endpoint, "/", { [("a"):rep(n)] = print }
end, "parameter", true)

-- A list or map of n items in a path, in a query, and exploded.
local function collection(name, make, words)
  for _, expression in ipairs { "/{a}", "{?a}", "{?a*}" } do
    shape(("value: %s in %s"):format(name, expression), ITEMS, function(n)
      return endpoint, "/x" .. expression, { a = make(n) }
    end, words)
  end
end

collection("list of n", list)
collection("list of n nulls behind one element", function(n)
  return list(n, function(i) return i > 1 and null or "x" end)
end)
collection("map of n", named)
collection("map of n, names with 100 bytes in common", function(n) return named(n, ("a"):rep(100) .. "%06d") end)
collection("list of n with a bad one last", function(n)
  return list(n, function(i) return i < n and "x" or {} end)
end, "elements")
collection("map of n with a bad one last", function(n)
  local map = named(n)
  map.zzz = { {} }
  return map
end, "elements")

local function one(name, expression, make, words, fixed)
  shape("value: " .. name, ITEMS, function(n) return endpoint, expression, { a = make(n) } end, words, fixed)
end

one("list of n fractions", "/{a}", function(n) return list(n, function(i) return i / 7 end) end)
one("list of n texts in the query", "/", list)
one("list of n nulls", "/x{a}{?a*}", function(n) return list(n, function() return null end) end)
one("list in a map, of n", "/{?a*}", function(n) return { ["l[]"] = list(n) } end)
one("list in a map, of n nulls", "/{?a*}", function(n) return { l = list(n, function() return null end) } end)
one("lists in a map of n", "/{?a*}", function(n)
  return numbered(n, function(i) return ("name%06d"):format(i), { i, i } end)
end)
one("lists in a map of n, empty", "/{?a*}", function(n)
  return numbered(n, function(i) return ("name%06d"):format(i), { null } end)
end)
one("list in a map, of n with a bad one last", "/{?a*}", function(n)
  return { l = list(n, function(i) return i < n and "x" or {} end) }
end, "elements")
one("map in a map, of n", "/{?a*}", function(n) return { l = named(n) } end, "elements")
one("list of n, sparse", "/{a}", function(n)
  local t = list(n)
  t[n + 2] = "x"
  return t
end, "sparse")
one("list of n, mixed", "/{a}", function(n)
  local t = list(n)
  t.x = "x"
  return t
end, "mixed")
one("list of n from behind", "/{a}", function(n)
  local t = {}
  for i = n, 1, -1 do t[i] = "x" end
  return t
end)
one("list of n for a prefix", "/{a:3}", list, "prefix")
one("map of n for the query", "/", named, "map")
one("map of n, sorted", "/{?a*}", function(n) return named(n) end)
one("map of n, names from behind", "/{?a*}", function(n)
  return numbered(n, function(i) return ("name%06d"):format(n - i), "x" end)
end)
one("map of n, short names", "/{?a*}", function(n) return numbered(n, function(i) return tostring(i), "x" end) end)
one("map with a name of n bytes", "/{?a*}", function(n) return { [("é"):rep(n)] = "x" } end)
one("tables n deep", "/{a}", function(n)
  local t = {}
  for _ = 1, n do t = { t } end
  return t
end, "elements", true)

-- --- parameters

for _, method in ipairs { "GET", "POST" } do
  shape("parameters: n for " .. method, ITEMS, function(n) return endpoint, method .. " /", named(n) end)
  shape("parameters: n defaults for " .. method, ITEMS, function(n) return endpoint.defaults(named(n)), method .. " /" end)
end
shape("parameters: n for GET, names with 100 bytes in common", ITEMS, function(n)
  return endpoint, "GET /", named(n, ("a"):rep(100) .. "%06d")
end)
shape("parameters: n for GET, a bad one last", ITEMS, function(n)
  local options = named(n)
  options.zzz = {{}}
  return endpoint, "GET /", options
end, "zzz")
shape("parameters: n for OPTIONS", ITEMS, function(n) return endpoint, "OPTIONS /", named(n) end, "name000001")
shape("parameters: n for QUERY", ITEMS, function(n) return endpoint, "QUERY /", named(n) end)
shape("parameters: list of n under a[]", ITEMS, function(n) return endpoint, "GET /", { ["a[]"] = list(n) } end)
shape("parameters: n lists under a[]", ITEMS, function(n)
  return endpoint, "GET /", numbered(n, function(i) return ("name%06d[]"):format(i), { i, null, i } end)
end)
shape("parameters: list under a name of n bytes", 200, function(n) -- once for each element
  return endpoint, "GET /", { [("a"):rep(100 * n) .. "[]"] = { 1, 2, 3 } }
end)
shape("parameters: n nulls for OPTIONS", ITEMS, function(n)
  return endpoint, "OPTIONS /", numbered(n, function(i) return "n" .. i, null end)
end)
shape("parameters: n before a fragment of n", ITEMS, function(n) return endpoint, "GET /#" .. ("a"):rep(n), named(n) end)
shape("parameters: & of a query of n", BYTES, function(n) return endpoint, "GET /?" .. ("?a&"):rep(n), { b = 1 } end)
shape("parameters: defaults beside a query of n pairs", BYTES, function(n)
  return endpoint.defaults { per_page = 1, page = 2 }, "GET /?" .. ("a%41=b&"):rep(n) .. "page=3"
end)
shape("parameters: n defaults beside a query of n pairs", ITEMS, function(n)
  local pairs_of_query = table.concat(list(n, function(i) return ("other%06d=1"):format(i) end), "&")
  return endpoint.defaults(named(n)), "GET /?" .. pairs_of_query
end)
shape("parameters: defaults beside n expressions in a query", ITEMS, function(n)
  return endpoint.defaults { per_page = 1, page = 2 }, "GET /?" .. ("a={a}&"):rep(n) .. "page=3", { a = 1 }
end)
shape("parameters: n numbers as keys", ITEMS, function(n) return endpoint, "GET /", list(n) end, "strings as keys", true)
shape("data n deep", ITEMS, function(n)
  local t = {}
  for _ = 1, n do t = { t } end
  return endpoint, "POST /", { data = t, other = t }
end, nil, true)
shape("data of n bytes", BYTES, function(n) return endpoint, "POST /", { data = ("a"):rep(n) } end, nil, true)

-- --- arguments

-- measure() passes at most two arguments, so a Lua function passes the n arguments.
local function too_many(name, callee)
  shape("arguments: " .. name, ITEMS, function(n)
    local f, rest, unpack = callee(), list(n), table.unpack or unpack
    return function() return f("/", nil, unpack(rest)) end
  end, "argument")
end

too_many("n too many", function() return endpoint end)
too_many("n too many of a member", function() return endpoint.merge end)
shape("arguments: n that are nil", ITEMS, function(n)
  local unpack = table.unpack or unpack
  return function() return endpoint("/", nil, unpack({}, 1, n)) end
end, nil, true)

-- --- credentials

-- Calls with n default headers that lead to an origin.
local function credentials(name, format, url, options, words)
  shape("credentials: " .. name, ITEMS, function(n)
    return endpoint.defaults { baseUrl = "https://h", headers = named(n, format) }, url, options and options(n)
  end, words)
end

credentials("n leave home", "name%06d-key", "https://evil.example/", nil, "name000001-key")
credentials("n stay at home", "name%06d-key", "https://h:443/")
credentials("n leave home, each is given", "name%06d-key", "https://evil.example/", function(n)
  return { headers = named(n, "Name%06d-Key") }
end)
credentials("n leave home by the baseUrl", "name%06d-token", "/", function(n)
  return { baseUrl = "https://" .. ("a"):rep(n) }
end, "credential")
credentials("none of n headers", "token-%06d", "https://evil.example/")
local function origin(name, make, words)
  shape("credentials: " .. name, BYTES, function(n)
    return endpoint.defaults { baseUrl = "https://" .. ("a."):rep(n) .. "h", headers = { authorization = "x" } }, make(n)
  end, words)
end
origin("host of n labels", function(n) return "https://" .. ("A."):rep(n) .. "H/x" end)
origin("another host of n labels", function(n) return "https://" .. ("a."):rep(n) .. "i/x" end, "credential")
origin("userinfo of n bytes", function(n) return "https://" .. ("a@"):rep(n) .. "h/x" end, "***@")
origin("userinfo of n bytes and one @", function(n) return "https://" .. ("a"):rep(n) .. "@h/x" end, "***@")
origin("port of n zeros", function(n) return "https://h:" .. ("0"):rep(n) .. "443/x" end, "credential")
origin("expressions behind the host", function(n) return "https://h" .. ("{/a}"):rep(n) end, "credential")
shape("credentials: home has a userinfo of n bytes", BYTES, function(n)
  local home = "https://" .. ("a:"):rep(n) .. "@h"
  return endpoint.defaults { baseUrl = home, headers = { authorization = "x" } }, home .. "/x"
end)
shape("credentials: n parameters leave home", ITEMS, function(n)
  return endpoint.defaults(named(n, "name%06d_key")), "https://evil.example/"
end, "name000001_key")
shape("credentials: a name of n bytes", BYTES, function(n)
  return endpoint.defaults, { headers = { [("key-"):rep(n) .. "a"] = "x" } }
end)
shape("merge: credentials and a template of n expressions", ITEMS, function(n)
  local e = endpoint.defaults { baseUrl = "https://h", headers = { authorization = "x" } }
  return e.merge, "https://h" .. ("{/a}"):rep(n)
end)

-- --- headers

shape("headers: n", ITEMS, function(n) return endpoint, "/", { headers = named(n) } end)
shape("headers: n in upper case", ITEMS, function(n) return endpoint, "/", { headers = named(n, "NAME-%06d") } end)
shape("headers: n nulls", ITEMS, function(n)
  return endpoint, "/", { headers = numbered(n, function(i) return "N" .. i, null end) }
end)
shape("headers: n by default, n of the call", ITEMS, function(n)
  return endpoint.defaults { headers = named(n) }, "/", { headers = named(n, "other%06d") }
end)
shape("headers: n by default, each replaced", ITEMS, function(n)
  return endpoint.defaults { headers = named(n) }, "/", { headers = named(n) }
end)
shape("headers: name of n bytes", BYTES, function(n) return endpoint, "/", { headers = { [("A"):rep(n)] = "x" } } end)
shape("headers: name of n bytes that is no token", BYTES, function(n)
  return endpoint, "/", { headers = { [("A"):rep(n) .. ":"] = "x" } }
end, "token")
shape("headers: value of n bytes", BYTES, function(n) return endpoint, "/", { headers = { a = ("a"):rep(n) } } end)
shape("headers: value of n bytes and NUL", BYTES, function(n)
  return endpoint, "/", { headers = { [("a"):rep(n)] = ("a"):rep(n) .. "\0" } }
end, "NUL")
shape("headers: list of n", ITEMS, function(n) return endpoint, "/", { headers = { a = list(n) } } end)
shape("headers: list of n by default", ITEMS, function(n) return endpoint.defaults { headers = { a = list(n) } }, "/" end)
shape("headers: list of n with a bad one last", ITEMS, function(n)
  return endpoint, "/", { headers = { a = list(n, function(i) return i < n and "x" or "\n" end) } }
end, "LF")
shape("headers: list of n, sparse", ITEMS, function(n)
  local t = list(n)
  t[n + 2] = "x"
  return endpoint, "/", { headers = { a = t } }
end, "keys 1..n")

-- --- accept

local VENDOR = "application/vnd."

-- An accept header that repeats a text n times, with a format and with previews.
local function accept(text, before, after)
  local label = ("%s%s×n%s"):format(before or "", text, after or "")
  for _, kind in ipairs { "format", "previews" } do
    local media = { format = kind == "format" and "raw" or nil, previews = kind == "previews" and { "x" } or nil }
    shape(("accept: %s for the %s"):format(label, kind), BYTES, function(n)
      return endpoint, "/", { mediaType = media, headers = { accept = (before or "") .. text:rep(n) .. (after or "") } }
    end)
  end
end

for _, text in ipairs { ",", "-", ".", ";", "+", "/", " ", "a", "-preview", "a-preview,", "preview-", "-previe" } do
  accept(text)
end
for _, text in ipairs { ".", ".v", "1", " ", ".a", "+json", "-preview" } do accept(text, VENDOR .. "a.v3") end
accept(VENDOR)
accept(VENDOR .. "a,")
accept(VENDOR .. "a.v3.b+json , ")
accept("application/octet-strea")
accept("application/", nil, "octet-stream")

shape("accept: n different previews", ITEMS, function(n)
  local parts = list(n, function(i) return VENDOR .. "a.p" .. i .. "-preview+json" end)
  return endpoint, "/", { mediaType = { previews = { "x" } }, headers = { accept = table.concat(parts, ",") } }
end)
shape("accept: n different previews behind a vendor name of n bytes", ITEMS, function(n)
  local parts = list(n, function(i) return "p" .. i .. "-preview" end)
  return endpoint, "/", { mediaType = { previews = { "x" } },
    headers = { accept = VENDOR .. ("a"):rep(n) .. "," .. table.concat(parts, ",") } }
end, "RFC 6838")
shape("mediaType: n previews", ITEMS, function(n) return endpoint, "/", { mediaType = { previews = list(n) } } end)
shape("mediaType: n previews for a vendor name of n bytes", ITEMS, function(n)
  return endpoint, "/", { mediaType = { previews = list(n) }, headers = { accept = VENDOR .. ("a"):rep(n) } }
end, "RFC 6838")
shape("mediaType: two previews for a vendor name of n bytes", BYTES, function(n)
  return endpoint, "/", { mediaType = { previews = { "x", "y" } }, headers = { accept = VENDOR .. ("a"):rep(n) } }
end, "RFC 6838")
shape("mediaType: one preview n times", ITEMS, function(n)
  return endpoint, "/", { mediaType = { previews = list(n, function() return "x" end) } }
end)
shape("mediaType: n previews over n defaults", ITEMS, function(n)
  local e = endpoint.defaults { mediaType = { previews = list(n) } }
  return e, "/", { mediaType = { previews = list(n, function(i) return "other" .. i end) } }
end)
shape("mediaType: n previews with a bad one last", ITEMS, function(n)
  return endpoint, "/", { mediaType = { previews = list(n, function(i) return i < n and "x" or "" end) } }
end, "preview")
shape("mediaType: preview with -preview×n", ITEMS, function(n)
  return endpoint, "/", { mediaType = { previews = { "a" .. ("-preview"):rep(n) } } }
end)
shape("mediaType: preview of n bytes", BYTES, function(n)
  return endpoint, "/", { mediaType = { previews = { ("a"):rep(n) } } }
end, "preview", true)
shape("mediaType: format of n bytes", BYTES, function(n)
  return endpoint, "/", { mediaType = { format = ("a"):rep(n) } }
end, "format", true)
shape("mediaType: n keys", ITEMS, function(n) return endpoint, "/", { mediaType = named(n) } end, "mediaType", true)

-- --- merge, parse, defaults

shape("merge: n parameters", ITEMS, function(n) return endpoint.merge, "/", named(n) end)
shape("merge: n parameters over n defaults", ITEMS, function(n)
  return endpoint.defaults(named(n)).merge, "/", named(n, "other%06d")
end)
shape("merge: n previews", ITEMS, function(n) return endpoint.merge, "/", { mediaType = { previews = list(n) } } end)
shape("parse: n parameters", ITEMS, function(n) return endpoint.parse, endpoint.merge("POST /", named(n)) end)
shape("parse: n parameters for the query", ITEMS, function(n) return endpoint.parse, endpoint.merge("/", named(n)) end)
shape("defaults: n parameters", ITEMS, function(n) return endpoint.defaults, named(n) end)
shape("defaults: n parameters over n", ITEMS, function(n) return endpoint.defaults(named(n)).defaults, named(n) end)
shape("defaults: n nulls over n", ITEMS, function(n)
  return endpoint.defaults(named(n)).defaults, numbered(n, function(i) return ("name%06d"):format(i), null end)
end)
shape("defaults: n headers", ITEMS, function(n) return endpoint.defaults, { headers = named(n) } end)
shape("defaults: n tables", ITEMS, function(n) return endpoint.defaults, { a = list(n, function(i) return { i } end) } end)
shape("defaults: one table n times", ITEMS, function(n)
  local shared = { 1 }
  return endpoint.defaults, { a = list(n, function() return shared end) }
end)
shape("defaults: tables as n keys", ITEMS, function(n)
  return endpoint.defaults, { a = numbered(n, function(i) return { i }, { i } end) }
end)
shape("defaults: n tables 100 deep", 100, function(n)
  return endpoint.defaults, { a = list(n, function()
    local t = {}
    for _ = 4, 100 do t = { t } end
    return t
  end) }
end)
shape("defaults: each table twice in the next", 40, function(n) -- 2^n paths
  local t = {}
  for _ = 2, n do t = { t, t } end
  return endpoint.defaults, { a = t }
end)
shape("defaults: tables n deep", ITEMS, function(n)
  local t = {}
  for _ = 1, n do t = { t } end
  return endpoint.defaults, { a = t }
end, "deep", true)
shape("defaults: ring of n tables", ITEMS, function(n)
  local first = {}
  local t = first
  for _ = 2, n do t = { t } end
  first[1] = t
  return endpoint.defaults, { a = t }
end, "deep", true)
shape("defaults: n tables, each in itself", ITEMS, function(n)
  return endpoint.defaults, { a = list(n, function()
    local t = {}
    t.t = t
    return t
  end) }
end, "cycle", true)
shape("defaults: n times over the last", 1000, function(n)
  return function()
    local e = endpoint
    for i = 1, n do e = e.defaults { a = i } end
  end
end)
shape("DEFAULTS: n parameters", ITEMS, function(n)
  local e = endpoint.defaults { a = list(n, function(i) return { i } end) }
  return function() return e.DEFAULTS end
end)

-- --- the cache

local function turn_over(name, make)
  shape("cache: " .. name, 2000, function(n)
    local arguments = list(n, make)
    return function()
      for i = 1, n do pcall(endpoint, arguments[i]) end
    end
  end)
end

turn_over("n different routes", function(i) return "GET /turn/" .. i .. "{?a}" end)
turn_over("n different urls", function(i) return { url = "/turn/" .. i .. "{?a}" } end)
turn_over("n malformed routes", function(i) return "GET /turn/" .. i .. "{" end)

-- --- endpoint.clients: what a server sent, or a caller's values

-- client(name, n, f, make, words): calls clients[f] with what make(n) returns.
local clients

-- Smaller numbers than above, since Lua needs more instructions than C.
local CLIENT_BYTES, CLIENT_ITEMS, SORTED, CYCLE = 4000, 500, 2000, 50

local function client(name, n, f, make, words)
  shape("clients." .. name, n, function(size)
    local argument, options = make(size)
    return clients[f], argument, options
  end, words)
end

for _, text in ipairs { "<", "<a", "<a,", "<,", "<a>", "<a>;", "<a>;rel=", "<a>;rel=next,", '<a>;rel="next",', '"', '\\"',
  ",", ";", " ", "<a>; ", '<a>;"', '<a>;a="', "<a>;a=b ", "\\" } do
  client("links: " .. text .. "×n", CLIENT_BYTES, "links", function(n) return text:rep(n) end)
end
for before, text in pairs { ["<"] = "a", ["<a>;"] = "a", ["<a>;a="] = "b", ['<a>;rel="'] = "a ", ['<a>;a="'] = '\\"',
  ["<a>;rel=next"] = ";a", ["<a>; "] = " ", ["<a>;a"] = " =" } do
  client(("links: %s%s×n"):format(before, text), CLIENT_BYTES, "links", function(n) return before .. text:rep(n) end)
end
client("links: n headers", CLIENT_ITEMS, "links", function(n) return list(n, function() return "<a>; rel=next" end) end)
for _, text in ipairs { "../", "./", "a/", "/", ":a", "{a}", "?", "%" } do
  client(("links: %s×n, with a base"):format(text), CLIENT_BYTES, "links", function(n)
    return "<" .. text:rep(n) .. ">;rel=a", "https://h/" .. ("a/"):rep(n)
  end)
  client(("literal: %s×n"):format(text), CLIENT_BYTES, "literal", function(n) return text:rep(n) end)
end

client("form: n fields", SORTED, "form", function(n) return named(n) end)
client("form: a name of n bytes", CLIENT_BYTES, "form", function(n) return { [(" "):rep(n)] = " " } end)
client("form: a value of n bytes", CLIENT_BYTES, "form", function(n) return { a = (" "):rep(n) } end)
client("form: a list of n", CLIENT_ITEMS, "form", function(n) return { a = list(n) } end)
client("form: n maps", CLIENT_ITEMS, "form", function(n)
  return { a = list(n, function() return { k = 1 } end) }, { nested = "brackets" }
end)
client("multipart: n parts", CLIENT_ITEMS, "multipart", function(n)
  return list(n, function() return { name = "a", data = "b" } end)
end)
for _, text in ipairs { "endpoint-", "endpoint-000000000000" } do
  client(("multipart: %q×n"):format(text), CLIENT_BYTES, "multipart", function(n)
    return { { name = "a", data = text:rep(n) } }
  end)
end
for _, text in ipairs { "endpoint-", "endpoint-000000000000", "\r", '"' } do
  client(("multipart: a name of %q×n"):format(text), CLIENT_BYTES, "multipart", function(n)
    return { { name = text:rep(n), data = "", filename = text:rep(n) } }
  end)
end
client("multipart: n boundaries in its data", CLIENT_ITEMS, "multipart", function(n)
  local texts = list(n, function(i) return ("endpoint-%012d"):format(i - 1) end)
  return { { name = "a", data = table.concat(texts) } }
end)
client("form: a list that holds itself behind n others", CYCLE, "form", function(n)
  local cycle = list(n)
  cycle[n + 1] = cycle
  return { a = cycle }, { nested = "brackets" }
end, "holds itself")

-- A request whose URL repeats a text n times.
local function urls(name, before, text, after, words)
  for _, f in ipairs { "plain", "argv", "curl_command" } do
    client(("%s: %s"):format(f, name), CLIENT_BYTES, f, function(n)
      return { method = "get", url = before .. text:rep(n) .. (after or "") }
    end, words)
  end
end

urls("a path", "http://h/", "/././././.") -- with fewer bytes the growth of a buffer would count for most
urls("a query", "http://h/?", "?a=1&key=2&")
urls("a host of digits", "http://", "1")
urls("digits before what is no host", "http://", "1", "x|", "expected a host")
urls("ports", "http://h", ":1", "", "expected a host")
urls("brackets", "http://[", ":", "", "expected a host")
urls("signs that end userinfo", "http://", "@", "h")
urls("userinfo", "http://", "a", "@h")
urls("addresses in a path", "http://h/", "//a@")
for _, f in ipairs { "plain", "argv", "curl_command" } do
  client(f .. ": n headers", SORTED, f, function(n)
    return { method = "get", url = "http://h", headers = named(n) }
  end)
  client(f .. ": a header of n values", CLIENT_ITEMS, f, function(n)
    return { method = "get", url = "http://h", headers = { a = list(n) } }
  end)
  client(f .. ": a header of n bytes", CLIENT_BYTES, f, function(n)
    return { method = "get", url = "http://h", headers = { a = ('"\\ '):rep(n) } }
  end)
end
for _, f in ipairs { "argv", "curl_command" } do
  client(f .. ": a body of n bytes", BYTES, f, function(n)
    return { method = "put", url = "http://h", body = ("\n"):rep(n) }
  end)
end

-- --- running

-- What is wrong with the outcome of a call, nil if nothing is.
local function misbehaviour(row, ok, result)
  if ok then return row.words and "expected a message with " .. row.words end
  if not row.words then return result end
  if not result:find("endpoint[.clients]*: ") or not result:find(row.words, 1, true) then
    return ("expected a message with %s, got: %s"):format(row.words, result:sub(1, LONGEST_MESSAGE))
  end
  return #result > LONGEST_MESSAGE and ("a message of %d bytes"):format(#result)
end

local function run(part, of)
  local measure = require "measure"
  endpoint, clients = require "endpoint", require "endpoint.clients"
  null = endpoint.null
  local failed, strings = false, list(STRINGS, function(i) return "string " .. i end)
  for number = part, #rows, of do
    local row = rows[number]
    for _, n in ipairs { row.n, 2 * row.n } do
      local f, a, b = row.make(n)
      local ok, result
      collectgarbage "stop"
      for _ = 1, row.fixed and 3 or 1 do ok, result = measure(("shape %d n %d"):format(number, n), f, a, b) end
      collectgarbage "restart"
      local what = misbehaviour(row, ok, result)
      if what then
        print(("linear: %s: %s"):format(row.name, what))
        failed = true
      end
    end
  end
  if failed or #strings ~= STRINGS then os.exit(1) end
end

-- --- judging

-- What is wrong with the two counts of a shape, nil if nothing is.
local function fault(row)
  local once, twice = row[row.n], row[2 * row.n]
  if not once or not twice then return "not measured" end
  if twice / once > RATIO then return "more than linear" end
  if not row.fixed and twice - once < row.n / 10 then return "does not grow: it measures nothing" end
end

local function judge()
  local bad = 0
  for line in io.lines() do
    local number, n, count = line:match "^shape (%d+) n (%d+)\t(%d+)$"
    local row = number and rows[tonumber(number)]
    n, count = tonumber(n), tonumber(count)
    if row then row[n] = math.min(row[n] or count, count) end
  end
  table.sort(rows, function(a, b) return a.name < b.name end)
  print(("%-75s %8s %11s %11s %5s"):format("shape", "n", "at n", "at 2n", "ratio"))
  for _, row in ipairs(rows) do
    local once, twice, what = row[row.n] or 0, row[2 * row.n] or 0, fault(row)
    print(("%-75s %8d %11d %11d %5.2f%s"):format(row.name, row.n, once, twice, twice / once, what and " " .. what or ""))
    if what then bad = bad + 1 end
  end
  print(("linear: %d shapes, %d bad (more than %.1f times as much for twice as many)"):format(#rows, bad, RATIO))
  if bad > 0 or #rows < SHAPES_AT_LEAST then os.exit(1) end
end

if arg[1] == "run" then run(tonumber(arg[2] or 1), tonumber(arg[3] or 1)) else judge() end
