-- Hostile calls, each with n items and with 2n. With 2n a call may cost 2.2 times as much. That
-- holds for a call that raises, too, and its message must be short.
--
-- Usage, see .ci/check-linear:
--   linear.lua run [PART OF]   makes every OFth call from the PARTth on, under callgrind
--   linear.lua judge           reads the counts from its input, and prints a table
--
-- The calls are products: each text that is repeated, in each place where a caller can write
-- one; each kind of table in each place for one; each kind of defaults under each kind of call.
-- Some of them raise at once, and cost the same with 2n. So that each row and each column
-- measures something, one of its calls at least must cost more with 2n.
--
-- It counts the instructions of the module and of Lua's API. The collector is stopped, since
-- its work depends on the garbage of the preparation. Lua's table of all strings is made
-- large before, so that it grows during no call. Before each call a large text lets malloc
-- sort what the collector has freed, which would else count for the call.
package.path = "src/?.lua;" .. package.path
local endpoint, clients, types = require "endpoint", require "endpoint.clients", require "endpoint.types"
local null, unpack = endpoint.null, table.unpack or unpack

local RATIO, SLACK = 2.2, 60000 -- so many instructions more may come of a buffer that grew
local LONGEST_MESSAGE = 400 -- bytes
local STRINGS = 140000
local ONLY = os.getenv "ONLY" -- calls whose name holds this text

-- So large that the fixed part of a call's cost is small beside the rest, and that a search
-- which takes a fraction of an instruction for each byte is seen. An item costs more than a
-- byte, and Lua, of which the clients are made, more than C: so there are fewer.
local BYTES, ITEMS, CLIENT_BYTES, CLIENT_ITEMS = 20000, 4000, 4000, 500

-- --- cells

local cells = {}

-- A call for each n: make(n) returns a function and up to two arguments.
local function cell(place, what, n, make)
  local name = place .. ": " .. what
  if ONLY and not name:find(ONLY, 1, true) then return end
  cells[#cells + 1] = { name = name, place = place, what = what, n = n, make = make }
end

-- Each thing in each place: make(new(n), n) is as that of a cell.
local function product(things, places)
  for place, make in pairs(places) do
    for what, thing in pairs(things) do
      cell(place, what, thing.n, function(n) return make(thing.new(n), n) end)
    end
  end
end

-- A text is a thing that repeats it.
local function texts(units, most)
  local things = {}
  for _, unit in ipairs(units) do
    local n = most or (#unit > 3 or unit:find "[{:]") and ITEMS or BYTES
    things[unit .. "×n"] = { n = n, new = function(count) return unit:rep(count) end }
  end
  return things
end

-- Other things are made once for each n: most of the time would else go into preparation.
local function once(n, makers)
  local things = {}
  for what, make in pairs(makers) do
    local made = {}
    things[what] = { n = n, new = function(count)
      made[count] = made[count] or make(count)
      return made[count]
    end }
  end
  return things
end

local function list(n, make)
  local result = {}
  for i = 1, n do result[i] = make and make(i) or "e" .. i end
  return result
end

-- name000001 = value(1) and so on.
local function named(n, format, value)
  local result = {}
  for i = 1, n do result[(format or "name%06d"):format(i)] = value and value(i) or tostring(i) end
  return result
end

local function joined(n, format, separator)
  return table.concat(list(n, function(i) return format:format(i - 1) end), separator)
end

local function with(t, key, value)
  t[key] = value
  return t
end

-- A place for each form: the text takes the place of $, and make(text) is as that of a cell.
local function forms(name, list_of_forms, make)
  local places = {}
  for _, form in ipairs(list_of_forms) do
    local before, behind = form:match "^(.-)%$(.*)$"
    places[name .. " " .. form] = function(t) return make(before .. t .. behind) end
  end
  return places
end

-- --- texts of routes, values and options

local VENDOR = "application/vnd."
local TEXTS = texts { "a", " ", ".", "/", ":", "@", "?", "&", ";", "é", "%", "25", "..%2F", "%2525252e" }
local EXPRESSIONS = texts { "{", "{a,", "{a}", "{a:9999}", "{+a}", "{.a}", "{b}", "{/b}", "{/c}{a}", "{?c}", "/:a", "/..{a}",
  "/.{?c}.", "a={a}&" }
local SPECIFIERS = texts { "a,", "a*,", "a:9999,", "a-", "a.", "%41", "9" }
local NAMES = texts { "a", "A", "-", "é", "key-", "@" }
local MEDIA = texts { ",", ".", "-preview", "a-preview,", "+json", " ", VENDOR, VENDOR .. "a.v3.b+json , ", "octet-strea" }

-- The variable a has a value, b is empty, c is missing.
local function route(t) return endpoint, t, { a = "x", b = "", q = "x?" } end
local home = endpoint.defaults { baseUrl = "https://h", headers = { authorization = "x" }, page = 2, per_page = 1 }

product(TEXTS, forms("route", { "/x$", "/{a}$", "/x/..$..{a}", "/%$2e{a}", "/x?$#f", "https://$h/", "https://$@h/{",
  "/a://${", "$://h/{a}", "GET$/x", "$ /" }, route))
product(EXPRESSIONS, forms("route", { "/$", "/{c}$", "/{+q}$", "/x?$", "https://h$/{a}" }, route))
product(SPECIFIERS, forms("route", { "/{?$a}", "/{$", "/{$}", "/{a:$}" }, route))
product(EXPRESSIONS, forms("variables of", { "/v/$", "https://h$/{v}" }, function(t) return endpoint.variables, t end))
product(EXPRESSIONS, forms("merge of", { "https://h$m", "/m?$page=3" }, function(t) return home.merge, t end))
product(TEXTS, forms("route over defaults", { "https://$h:443/x", "/p?$=1&page=3" }, function(t) return home, t end))
for _, value in ipairs { { "/x{a}", "$" }, { "/{a}/x", "..$" }, { "/{+a}", "..$.." }, { "/x/{+a}{+a}{a}", "a/$" },
  { "/{?a}", "$" }, { "/{+a}", "%$2f" }, { "/x{a:9999}", "$" }, { "{+a}", "$", "/" }, { "https://h{a}/", "$" },
  { "/{a}{+a}", ";$" } } do
  local url, form, base = unpack(value, 1, 3)
  product(TEXTS, forms("value in " .. url, { form }, function(t)
    return endpoint, url, { a = t, b = "", baseUrl = base }
  end))
end
product(TEXTS, forms("baseUrl", { "https://h/$", "https://$@h", "https://$h", "/${" }, function(t)
  return endpoint, "/x?b", { a = 1, baseUrl = t }
end))
product(NAMES, {
  ["parameter's name"] = function(t) return endpoint, "/", { [t .. "[]"] = { 1, 2, 3 } } end,
  ["header's name"] = function(t) return endpoint, "/", { headers = { [t] = t } } end,
  ["header's value"] = function(t) return endpoint, "/", { headers = { a = t, b = { t, t .. "\0" } } } end,
  ["method"] = function(t) return endpoint, "/", { method = t } end,
  ["tostring"] = function(t)
    local _, e = pcall(endpoint.defaults, { baseUrl = "https://u@h/" .. t })
    return tostring, e
  end,
})
for what, media in pairs { ["a format"] = { format = "raw" }, previews = { previews = { "x", "y" } } } do
  product(MEDIA, forms("accept for " .. what, { "$", VENDOR .. "a.v3$", "application/$octet-stream" }, function(t)
    return endpoint, "/", { mediaType = media, headers = { accept = t } }
  end))
end
product(MEDIA, { preview = function(t) return endpoint, "/", { mediaType = { previews = { "a" .. t } } } end })

-- --- texts that clients read and write

local LINKS = texts({ "a", " ", ",", ";", '"', "\\", "<", "<a>;", "<a>;rel=a,", "<a>;a=b " }, CLIENT_BYTES)
local SENT = texts({ "a", " ", ":", "@", "/", '"', "\n", "1", "%" }, CLIENT_BYTES)

local function request(options)
  return with(with(options, "method", "put"), "url", options.url or "http://h/")
end

local sent_links = { "$", "<a>;$", "<$>;rel=a", '<a>;rel="$";a=b' }
product(LINKS, forms("clients: links", sent_links, function(t) return clients.links, t end))
product(SENT, forms("clients: plain", { "http://h/$", "http://$@h", "http://h$", "http://$x|", "http://[$" }, function(t)
  return clients.plain, request { url = t }
end))
product(SENT, {
  ["clients: a link and its base"] = function(t, n)
    return clients.links, "<../" .. t .. ">;rel=a", "https://h/" .. ("a/"):rep(n)
  end,
  ["clients: links and their base"] = function(t, n)
    return clients.links, joined(n, "<../x>;rel=r%06d", ","), "https://h/" .. t:rep(8)
  end,
  ["clients: links up their base"] = function(t, n)
    local targets = joined(n, "<../../x>;rel=a", ",") .. ",<" .. ("../"):rep(n) .. t .. ">;rel=b"
    return clients.links, targets, "https://h/" .. ("a/"):rep(n)
  end,
  ["clients: literal"] = function(t) return clients.literal, t end,
  ["clients: form"] = function(t) return clients.form, { [t] = t } end,
  ["clients: multipart's data"] = function(t, n) -- it holds the first boundaries that are tried
    return clients.multipart, { { name = "a", data = t .. joined(n / 8, "endpoint-%012d") } }
  end,
  ["clients: multipart's names"] = function(t) return clients.multipart, { { name = t, filename = t, data = "" } } end,
  ["clients: argv"] = function(t) return clients.argv, request { url = "http://h/" .. t, headers = { a = t }, body = t } end,
  ["clients: curl_command"] = function(t) return clients.curl_command, request { body = t } end,
  ["clients: curl_command's url"] = function(t) return clients.curl_command, request { url = "http://" .. t } end,
})

-- --- tables

local function nested(n)
  local t = {}
  for _ = 1, n do t = { t } end
  return t
end

local TABLES = once(ITEMS, {
  ["list"] = list,
  ["list of nulls"] = function(n) return list(n, function(i) return i > 1 and null or "x" end) end,
  ["list, a bad text last"] = function(n) return with(list(n), n, "\n\0{}") end,
  ["list, a table last"] = function(n) return with(list(n), n, {}) end,
  ["sparse list"] = function(n) return with(list(n), n + 2, "x") end,
  ["list of tables"] = function(n) return list(n, function(i) return { i } end) end,
  ["list in itself"] = function(n)
    local t = list(n)
    return with(t, n + 1, t)
  end,
  ["map"] = named,
  ["map of long names"] = function(n) return named(n, ("A"):rep(100) .. "%06d") end,
  ["map of lists"] = function(n) return named(n, "name%06d[]", function(i) return { i, null, i } end) end,
  ["map of nulls"] = function(n) return named(n, nil, function() return null end) end,
  ["list of one text"] = function(n) return list(n, function() return "x" end) end,
  ["nested tables"] = nested,
  ["tables nested 90 deep"] = function(n) return list(math.ceil(n / 90), function() return nested(90) end) end,
})
local function parts(n) return list(n, function(i) return { name = "n" .. i, data = "b" } end) end
local SENT_TABLES = once(CLIENT_ITEMS, { ["list"] = list, ["list of parts"] = parts, ["map"] = named })

product(TABLES, {
  ["previews"] = function(t) return endpoint, "/", { mediaType = { previews = t } } end,
  ["previews after a long vendor"] = function(t, n)
    return endpoint, "/", { mediaType = { previews = t }, headers = { accept = VENDOR .. ("a"):rep(n) } }
  end,
  ["headers"] = function(t) return endpoint, "/", { headers = t } end,
  ["list of a header"] = function(t) return endpoint, "/", { headers = { a = t } } end,
  ["variable of /"] = function(t) return endpoint, "/", { a = t } end,
  ["variable of /{a}"] = function(t) return endpoint, "/{a}", { a = t } end,
  ["variable of /x{a}{?a*}"] = function(t) return endpoint, "/x{a}{?a*}", { a = t } end,
  ["list in a map"] = function(t) return endpoint, "/{?a*}", { a = { l = t } } end,
  ["data"] = function(t) return endpoint.defaults, { data = t } end,
  ["options"] = function(t) return endpoint, "/", t end,
  ["options for POST"] = function(t) return endpoint, "POST /", t end,
  ["options for OPTIONS"] = function(t) return endpoint, "OPTIONS /", t end,
  ["merge"] = function(t) return endpoint.merge, "/", t end,
  ["parse"] = function(t) return function() return endpoint.parse(endpoint.merge("/", t)) end end,
  ["defaults"] = function(t) return endpoint.defaults, { a = t, headers = t } end,
  ["DEFAULTS"] = function(t) return function() return endpoint.defaults({ a = t }).DEFAULTS end end,
  ["arguments"] = function(t) return function() return endpoint("/", nil, unpack(t)) end end,
})
product(SENT_TABLES, {
  ["clients: links"] = function(t) return clients.links, t end,
  ["clients: multipart"] = function(t) return clients.multipart, t end,
  ["clients: form"] = function(t) return clients.form, t end,
  ["clients: list of a form"] = function(t) return clients.form, { a = t }, { nested = "brackets" } end,
  ["clients: headers of plain"] = function(t) return clients.plain, request { headers = t } end,
  ["clients: header of plain"] = function(t) return clients.plain, request { headers = { a = t } } end,
  ["clients: headers of argv"] = function(t) return clients.argv, request { headers = t } end,
  ["clients: header of argv"] = function(t) return clients.argv, request { headers = { a = t } } end,
  ["clients: headers of curl_command"] = function(t) return clients.curl_command, request { headers = t } end,
})

-- --- defaults and calls, each with n of something

local DEFAULTS = once(ITEMS, {
  ["parameters"] = named,
  ["headers"] = function(n) return { headers = named(n, "name%06d-key") } end,
  ["previews"] = function(n) return { mediaType = { previews = list(n) } } end,
  ["a long host"] = function(n) return { baseUrl = "https://" .. ("a."):rep(n) .. "h", headers = { cookie = "x" } } end,
})

-- n -> what follows the path of the route, or the whole of it; options.
local CALLS = {
  ["nothing"] = function() return "" end,
  ["the same parameters"] = function(n) return "", named(n) end,
  ["nulls"] = function(n) return "", named(n, nil, function() return null end) end,
  ["headers"] = function(n) return "", { headers = named(n, "Name%06d-Key") } end,
  ["other previews"] = function(n) return "", { mediaType = { previews = list(n, function(i) return "p" .. i end) } } end,
  ["previews in accept"] = function(n)
    local accept = VENDOR .. joined(n, "a.p%d-preview+json", "," .. VENDOR)
    return "", { mediaType = { previews = { "x" } }, headers = { accept = accept } }
  end,
  ["literal pairs"] = function(n) return "?" .. joined(n, "other%06d=1", "&") end,
  ["pairs of expressions"] = function(n) return "?" .. joined(n, "name%06d={a}", "&"), { a = 1 } end,
  ["a path of variables"] = function(n) return "/" .. joined(n, "{name%06d}", "/"), { name000000 = "x" } end,
  ["a query of variables"] = function(n) return "{?" .. joined(n, "name%06d", ",") .. "}" end,
  ["variables in the authority"] = function(n) return "https://" .. joined(n, "{name%06d}") .. "/" end,
  ["another home"] = function() return "https://evil.example/" end,
  ["another home, headers given"] = function(n) return "https://evil.example/", { headers = named(n, "Name%06d-Key") } end,
  ["another baseUrl"] = function(n) return "", { baseUrl = "https://" .. ("a."):rep(n) .. "h" } end,
}

local prefix = 0
for name, call in pairs(CALLS) do
  product(DEFAULTS, { ["call with " .. name] = function(options, n)
    local e = endpoint.defaults(with(options, "baseUrl", options.baseUrl or "https://h"))
    local url, over = call(n)
    prefix = prefix + 1 -- a path that no call before has left in the cache
    return e, url:find "^http" and url .. prefix or "/" .. prefix .. url, over
  end })
end
product(DEFAULTS, {
  ["defaults over"] = function(t, n) return endpoint.defaults(t).defaults, with(named(n), "name000001", null) end,
  ["merge over"] = function(t, n) return endpoint.defaults(t).merge, "/", with(named(n), "name000001", null) end,
})

-- --- many items, many calls, and tables that are more than they seem

-- So many that a buffer which grew by steps, not to twice its size, is seen.
cell("large list", "in a query", 16 * ITEMS, function(n) return endpoint, "/{?a*}", { a = list(n) } end)

for _, form in ipairs { "GET /turn/%d{?a}", "GET /turn/%d{" } do
  cell("cache", form, ITEMS / 2, function(n)
    local arguments = list(n, function(i) return form:format(i) end)
    return function() for i = 1, n do pcall(endpoint, arguments[i]) end end
  end)
end
cell("defaults", "n times over the last", 1000, function(n)
  return function()
    local e = endpoint
    for i = 1, n do e = e.defaults { a = i } end
  end
end)
cell("defaults", "each table twice in the next, 2^n paths", 40, function(n)
  local t = {}
  for _ = 2, n do t = { t, t } end
  return endpoint.defaults, { a = t }
end)

-- --- documents of strangers

local function schema(name) return { ["$ref"] = "#/components/schemas/" .. name } end
local TEXT = { type = "string" }

-- A document with one operation, or with n of them.
local function document(operations, components, url)
  local paths = operations[1] and {} or { ["/x"] = { post = operations } }
  for i, operation in ipairs(operations) do paths["/" .. i] = { [operation.requestBody and "post" or "get"] = operation } end
  local servers = { { url = url or "https://h" } }
  return { openapi = "3.0.0", paths = paths, components = { schemas = components }, servers = servers }
end

local function query(name, of, style)
  return { name = name, ["in"] = "query", schema = of, style = style, explode = style ~= nil }
end
local function body(of) return { requestBody = { content = { ["application/json"] = { schema = of } } } } end
local function object(n, of) return { type = "object", properties = named(n, nil, function() return of end) } end
local function alike(n, operation) return list(n, function() return operation end) end

product(once(CLIENT_ITEMS, {
  ["deepObject of itself"] = function(n)
    return document({ parameters = { query("c", schema "S", "deepObject") } }, { S = object(n, schema "S") })
  end,
  ["deepObject of texts"] = function(n) return document { parameters = { query("c", object(n, TEXT), "deepObject") } } end,
  ["enumeration"] = function(n)
    return document { parameters = { query("c", { enum = list(n, function() return "table" end) }) } }
  end,
  ["enumerations"] = function(n)
    return document { parameters = list(n, function(i) return query("c" .. i, { enum = { "table", "x" .. i } }) end) }
  end,
  -- An address of more than 2,000 bytes is left out.
  ["slashes of a server"] = function(n) return document({ {} }, nil, "https://h" .. ("/"):rep(n) .. "x") end,
  ["one operationId"] = function(n) return document(alike(n, { operationId = "same" })) end,
  ["chain of references"] = function(n)
    local chain = { ["S" .. n] = TEXT }
    for i = 1, n - 1 do chain["S" .. i] = schema("S" .. i + 1) end
    return document(alike(n, { parameters = { query("q", schema "S1") } }), chain)
  end,
  ["one body"] = function(n) return document(alike(n, body(schema "S")), { S = object(n, TEXT) }) end,
  ["variables of a path"] = function(n)
    return { openapi = "3.0.0", paths = { ["/" .. ("{a}"):rep(n)] = { get = {} } }, servers = { { url = "https://h" } } }
  end,
  ["cookies"] = function(n)
    return document { parameters = list(n, function(i) return { name = "c" .. i, ["in"] = "cookie" } end) }
  end,
  ["alternatives"] = function(n) return document(body { oneOf = list(n, function(i) return object(i % 3, TEXT) end) }) end,
}), { ["types: generate"] = function(root) return types.generate, root, "api" end,
  ["types: responses"] = function(root) return function() return types.generate(root, "api", { responses = true }) end end })

-- --- running and judging

-- Pairs come in no order, and two runs must number the cells alike.
table.sort(cells, function(a, b) return a.name < b.name end)

local function run(part, of)
  local measure = require "measure"
  local failed, thousand, strings = false, ("x"):rep(1000), list(STRINGS, function(i) return "string " .. i end)
  for number = part, #cells, of do
    for _, n in ipairs { cells[number].n, 2 * cells[number].n } do
      local f, a, b = cells[number].make(n)
      collectgarbage "stop"
      for _ = 1, 3 do assert(thousand:rep(100) ~= "") end
      local ok, message = measure(("shape %d n %d"):format(number, n), f, a, b)
      collectgarbage "restart"
      message = not ok and tostring(message) or "endpoint: "
      if #message > LONGEST_MESSAGE or not message:find "endpoint[.%l]*: " then
        print(("linear: %s: not a short message: %s"):format(cells[number].name, message:sub(1, LONGEST_MESSAGE)))
        failed = true
      end
    end
  end
  if failed or #strings ~= STRINGS then os.exit(1) end
end

local function judge()
  local bad, grown = 0, {}
  for line in io.lines() do
    local number, n, count = line:match "^shape (%d+) n (%d+)\t(%d+)$"
    if number then cells[tonumber(number)][tonumber(n)] = tonumber(count) end
  end
  print(("%-75s %8s %11s %11s %5s"):format("call", "n", "at n", "at 2n", "ratio"))
  for _, c in ipairs(cells) do
    local first, second = c[c.n] or 0, c[2 * c.n] or 0
    local is_bad = first == 0 or second == 0 or second > RATIO * first + SLACK
    local grows = second > first + c.n / 10
    grown[c.place], grown[c.what] = grown[c.place] or grows, grown[c.what] or grows
    print(("%-75s %8d %11d %11d %5.2f%s"):format(c.name, c.n, first, second, second / first, is_bad and " BAD" or ""))
    bad = bad + (is_bad and 1 or 0)
  end
  for name, has_grown in pairs(grown) do
    if not has_grown and not ONLY then
      bad = bad + 1
      print(("BAD: %s: no call costs more with 2n: it measures nothing"):format(name))
    end
  end
  print(("linear: %d calls, %d bad (more than %.1f times as much for twice as many)"):format(#cells, bad, RATIO))
  if bad > 0 or #cells < (ONLY and 1 or 1000) then os.exit(1) end
end

if arg[1] == "run" then run(tonumber(arg[2] or 1), tonumber(arg[3] or 1)) else judge() end
