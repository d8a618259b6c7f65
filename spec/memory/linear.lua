-- Hostile calls, each with n items and with 2n. With 2n a call may cost 2.2 times as much. That
-- holds for a call that raises, too, and its message must be short.
--
-- Usage, see .ci/check linear:
--   linear.lua run PART OF     makes every OFth call from the PARTth on, under callgrind
--   linear.lua judge FILE...   reads the counts of the parts, and prints a table
--
-- The calls are products: each text that is repeated, in each place where a caller can write
-- one; each kind of table in each place for one; each kind of defaults under each kind of call.
-- Some of them raise at once, and cost the same with 2n.
--
-- Callgrind counts the instructions from debug.gethook to debug.sethook, and then writes them to
-- its file: .ci/check names the two functions of C after these. The collector is stopped, since
-- its work depends on the garbage of the preparation. Lua's table of all strings is made large
-- before, so that it grows during no call. Before each call a large text lets malloc sort what the
-- collector has freed, which would else count for the call.
package.path = "src/?.lua;" .. package.path
local endpoint, clients, types =
  require "endpoint", require "endpoint.clients", require "endpoint.types"
local request_module = require "endpoint.request"
local null, unpack = endpoint.null, table.unpack or unpack

local RATIO, SLACK = 2.2, 60000 -- so many instructions more may come of a buffer that grew
local LONGEST_MESSAGE = 700 -- bytes
local STRINGS = 140000
local ONLY = os.getenv "ONLY" -- calls whose name holds this text
local EVERY = tonumber(os.getenv "EVERY" or 1) -- one call of so many: a short turn

-- So large that the fixed part of a call's cost is small beside the rest, and that a search
-- which takes a fraction of an instruction for each byte is seen. An item costs more than a
-- byte, and Lua, of which the clients are made, more than C: so there are fewer.
local BYTES, ITEMS, CLIENT_BYTES, CLIENT_ITEMS = 20000, 4000, 4000, 500

-- --- cells

local cells = {}

-- A call for each n: make(n) returns a function and up to two arguments.
local function cell(place, what, n, make)
  local name = (place .. ": " .. what):gsub("%c", function(byte)
    return ("\\%d"):format(byte:byte())
  end)
  if ONLY and not name:find(ONLY, 1, true) then
    return
  end
  cells[#cells + 1] = { name = name, n = n, make = make }
end

-- Each thing in each place: make(new(n), n) is as that of a cell.
local function product(things, places)
  for place, make in pairs(places) do
    for what, thing in pairs(things) do
      cell(place, what, thing.n, function(n)
        return make(thing.new(n), n)
      end)
    end
  end
end

-- A text is a thing that repeats it.
local function texts(units, most)
  local things = {}
  for _, unit in ipairs(units) do
    local n = most or (#unit > 3 or unit:find "[{:]") and ITEMS or BYTES
    things[unit .. "×n"] = {
      n = n,
      new = function(count)
        return unit:rep(count)
      end,
    }
  end
  return things
end

-- Other things are made once for each n: most of the time would else go into preparation.
local function once(n, makers)
  local things = {}
  for what, make in pairs(makers) do
    local made = {}
    things[what] = {
      n = n,
      new = function(count)
        made[count] = made[count] or make(count)
        return made[count]
      end,
    }
  end
  return things
end

local function list(n, make)
  local result = {}
  for i = 1, n do
    result[i] = make and make(i) or "e" .. i
  end
  return result
end

-- name000001 = value(1) and so on.
local function named(n, format, value)
  local result = {}
  for i = 1, n do
    result[(format or "name%06d"):format(i)] = value and value(i) or tostring(i)
  end
  return result
end

local function joined(n, format, separator)
  return table.concat(
    list(n, function(i)
      return format:format(i - 1)
    end),
    separator
  )
end

local function with(t, key, value)
  t[key] = value
  return t
end

-- A place for each form: the text takes the place of $, and make(text) is as that of a cell.
local function forms(name, list_of_forms, make)
  local places = {}
  for _, form in ipairs(list_of_forms) do
    local before, after = form:match "^(.-)%$(.*)$"
    places[name .. " " .. form] = function(t)
      return make(before .. t .. after)
    end
  end
  return places
end

-- --- texts of routes, values and options

local VENDOR = "application/vnd."
local TEXTS =
  texts { "a", " ", ".", "/", ":", "@", "?", "&", ";", "é", "%", "25", "..%2F", "%2525252e" }
local EXPRESSIONS = texts {
  "{",
  "{a,",
  "{a}",
  "{a:9999}",
  "{+a}",
  "{.a}",
  "{b}",
  "{/b}",
  "{/c}{a}",
  "{?c}",
  "/:a",
  "/..{a}",
  "/.{?c}.",
  "a={a}&",
}
local SPECIFIERS = texts { "a,", "a*,", "a:9999,", "a-", "a.", "%41", "9" }
local NAMES = texts { "a", "A", "-", "é", "key-", "@" }
local MEDIA = texts {
  ",",
  ".",
  "-preview",
  "a-preview,",
  "+json",
  " ",
  VENDOR,
  VENDOR .. "a.v3.b+json , ",
  "octet-strea",
}

-- The variable a has a value, b is empty, c is missing.
local function route(t)
  return endpoint, t, { a = "x", b = "", q = "x?" }
end
local home = endpoint.defaults {
  baseUrl = "https://h",
  headers = { authorization = "x" },
  page = 2,
  per_page = 1,
}

product(
  TEXTS,
  forms("route", {
    "/x$",
    "/{a}$",
    "/x/..$..{a}",
    "/%$2e{a}",
    "/x?$#f",
    "https://$h/",
    "https://$@h/{",
    "/a://${",
    "$://h/{a}",
    "GET$/x",
    "$ /",
  }, route)
)
product(EXPRESSIONS, forms("route", { "/$", "/{c}$", "/{+q}$", "/x?$", "https://h$/{a}" }, route))
product(SPECIFIERS, forms("route", { "/{?$a}", "/{$", "/{$}", "/{a:$}" }, route))
product(
  EXPRESSIONS,
  forms("variables of", { "/v/$", "https://h$/{v}" }, function(t)
    return endpoint.variables, t
  end)
)
product(
  EXPRESSIONS,
  forms("merge of", { "https://h$m", "/m?$page=3" }, function(t)
    return home.merge, t
  end)
)
product(
  TEXTS,
  forms("route over defaults", { "https://$h:443/x", "/p?$=1&page=3" }, function(t)
    return home, t
  end)
)
for _, value in ipairs {
  { "/x{a}", "$" },
  { "/{a}/x", "..$" },
  { "/{+a}", "..$.." },
  { "/x/{+a}{+a}{a}", "a/$" },
  { "/{?a}", "$" },
  { "/{+a}", "%$2f" },
  { "/x{a:9999}", "$" },
  { "{+a}", "$", "/" },
  { "https://h{a}/", "$" },
  { "/{a}{+a}", ";$" },
} do
  local url, form, base = unpack(value, 1, 3)
  product(
    TEXTS,
    forms("value in " .. url, { form }, function(t)
      return endpoint, url, { a = t, b = "", baseUrl = base }
    end)
  )
end
product(
  TEXTS,
  forms("baseUrl", { "https://h/$", "https://$@h", "https://$h", "/${" }, function(t)
    return endpoint, "/x?b", { a = 1, baseUrl = t }
  end)
)
product(NAMES, {
  ["parameter's name"] = function(t)
    return endpoint, "/", { [t .. "[]"] = { 1, 2, 3 } }
  end,
  ["header's name"] = function(t)
    return endpoint, "/", { headers = { [t] = t } }
  end,
  ["header's value"] = function(t)
    return endpoint, "/", { headers = { a = t, b = { t, t .. "\0" } } }
  end,
  ["method"] = function(t)
    return endpoint, "/", { method = t }
  end,
  ["tostring"] = function(t)
    local _, e = pcall(endpoint.defaults, { baseUrl = "https://u@h/" .. t })
    return tostring, e
  end,
})
for what, media in pairs {
  ["a format"] = { format = "raw" },
  previews = { previews = { "x", "y" } },
} do
  product(
    MEDIA,
    forms(
      "accept for " .. what,
      { "$", VENDOR .. "a.v3$", "application/$octet-stream" },
      function(t)
        return endpoint, "/", { mediaType = media, headers = { accept = t } }
      end
    )
  )
end
product(MEDIA, {
  preview = function(t)
    return endpoint, "/", { mediaType = { previews = { "a" .. t } } }
  end,
})

-- --- texts that clients read and write

local LINKS =
  texts({ "a", " ", ",", ";", '"', "\\", "<", "<a>;", "<a>;rel=a,", "<a>;a=b " }, CLIENT_BYTES)
local SENT = texts({ "a", " ", ":", "@", "/", '"', "\n", "1", "%" }, CLIENT_BYTES)

local function request(options)
  return with(with(options, "method", "put"), "url", options.url or "http://h/")
end

local sent_links = { "$", "<a>;$", "<$>;rel=a", '<a>;rel="$";a=b' }
product(
  LINKS,
  forms("clients: links", sent_links, function(t)
    return clients.links, t
  end)
)
product(
  SENT,
  forms(
    "clients: plain",
    { "http://h/$", "http://$@h", "http://h$", "http://$x|", "http://[$" },
    function(t)
      return clients.plain, request { url = t }
    end
  )
)
product(SENT, {
  ["clients: links and their base"] = function(t, n)
    return clients.links, joined(n, "<../x>;rel=r%06d", ","), "https://h/" .. t:rep(8)
  end,
  ["clients: links up their base"] = function(t, n)
    local targets = joined(n, "<../../x>;rel=a", ",") .. ",<" .. ("../"):rep(n) .. t .. ">;rel=b"
    return clients.links, targets, "https://h/" .. ("a/"):rep(n)
  end,
  ["clients: literal"] = function(t)
    return clients.literal, t
  end,
  ["clients: form"] = function(t)
    return clients.form, { [t] = t }
  end,
  ["clients: multipart's data"] = function(t, n) -- it holds the first boundaries that are tried
    return clients.multipart, { { name = "a", data = t .. joined(n / 8, "endpoint-%012d") } }
  end,
  ["clients: multipart's names"] = function(t)
    return clients.multipart, { { name = t, filename = t, data = "" } }
  end,
  ["clients: curl_command"] = function(t)
    return clients.curl_command, request { body = t }
  end,
})

local PAIRS = texts({
  "a",
  "A",
  "1",
  "[",
  "s",
  "-",
  " ",
  "=",
  "&",
  ";",
  ",",
  "/",
  "//",
  "@",
  ":",
  "a@",
  "%25",
  "a=%3D&",
  ",a=",
}, CLIENT_BYTES)
product(
  PAIRS,
  forms("clients: curl_command of", {
    "http://$",
    "http://h/$",
    "http://h/?$x=1",
    "http://h/?key$=1",
    "http://h/?$",
    "http://h/?a=%2F%2F$",
  }, function(t)
    return clients.curl_command, request { url = t }
  end)
)
product(
  PAIRS,
  forms("clients: curl_command of a header", { "$", "b$e", ",$=1", "u:$@h" }, function(t)
    return clients.curl_command,
      request { headers = { ["x-" .. t:gsub("[^%w-]", "-") .. "x"] = t, a = t } }
  end)
)
product(
  PAIRS,
  forms(
    "clients: blamed",
    { "$", 'endpoint: parameter "$" is', '$endpoint: parameter "a" is' },
    function(t)
      return clients.blamed, t .. 'endpoint: parameter "' .. t
    end
  )
)

product(
  texts { "a", "\27", "\27[", "\r\n", "é", "\195" },
  forms("clients: shown", { "$", "\27$", "$\n" }, function(t)
    return clients.shown, t, { lines = true }
  end)
)

-- --- answers of strangers

-- A module "socket" of which each connection gives this answer, in pieces of at most so many bytes.
local function answering(answer, most)
  local function nothing()
    return 1
  end
  local function tcp()
    local at = 1
    return {
      settimeout = nothing,
      setoption = nothing,
      connect = nothing,
      send = nothing,
      close = nothing,
      getfd = nothing,
      setfd = nothing,
      getpeername = nothing,
      receive = function(_, size, before)
        local piece = answer:sub(at, at + math.min(size - #(before or ""), most) - 1)
        at = at + #piece
        if piece == "" then
          return nil, "closed", before or ""
        end
        piece = (before or "") .. piece
        return #piece == size and piece or nil, "timeout", piece
      end,
    }
  end
  local dns = {
    getaddrinfo = function()
      return { { addr = "h" } }
    end,
  }
  return {
    tcp = tcp,
    dns = dns,
    gettime = function()
      return 1
    end,
    sleep = nothing,
  }
end

-- A module "cURL" of which a handle gives this answer: each line of its head, and then its body.
local function curling(answer)
  local head, body = answer:match "^(.*)\r\n\r\n()"
  local easy = {
    setopt = function(self, option, value)
      self[option] = value
    end,
  }
  function easy:perform()
    for line in (head and head .. "\r\n\r" or answer):gmatch "[^\n]+" do
      if self[20079](line .. "\n") ~= #line + 1 then
        return 23, "Failed writing header"
      end
    end
    if body then
      self[20011](answer:sub(body))
    end
    return 0
  end
  return {
    easy_init = function()
      return easy
    end,
  }
end

-- A failure is a table, and has no "endpoint: " in its text.
local function send(client, path, options)
  local settings = {
    client = client,
    tries = 2,
    redirects = 1,
    encode = function()
      return "{}"
    end,
    decode = function(body)
      return { message = body }
    end,
  }
  local api = endpoint.defaults { baseUrl = "http://h" }
  return function()
    local ok, failure = pcall(request_module.new(api, settings), path, options)
    if not ok then
      error("endpoint: " .. tostring(failure), 0)
    end
  end
end

local function answered(answer, options, path)
  -- As much as the client asks for: a head in several pieces is read in another way than one that
  -- is there at once, so twice the bytes would cost more than twice as much.
  package.loaded.socket = answering(answer, 65536)
  return send("luasocket", path or "/x", options)
end

-- As deep as Lua's stack allows. Where Lua has no integers nothing is read.
product(
  texts {
    '"',
    "\\",
    "\\u00e9",
    "\\ud800",
    "[",
    "{",
    '{"a":',
    "[],",
    "1",
    "1,",
    "1.5,",
    "0",
    ".0",
    " ",
    '"a":1,',
    "null,",
  },
  forms("JSON", { "$", "[$", '"$', '"$"', "[[$0]]", '{"$":[1]}', '[{$"":1}]' }, function(json)
    return function()
      local result = require "endpoint.result"
      result.has_twice(json, { result.json(json, 2 ^ 30) })
    end
  end)
)

local ANSWERS = texts({
  "a",
  " ",
  "\t",
  ":",
  ";",
  "0",
  "1",
  ",",
  "\r",
  "\n",
  "\r\n",
  "a:b\r\n",
  "1\r\na\r\n",
  "HTTP/1.1 100 \r\n\r\n",
  "/",
  "<",
  '"',
  "%",
  "é",
  "../",
  "\0",
  "-",
}, CLIENT_BYTES)
local OK = "HTTP/1.1 200 OK\r\n"
local CHUNKS = OK .. "transfer-encoding: chunked\r\n\r\n"
product(
  ANSWERS,
  forms("request: answer", {
    "$",
    "HTTP/1.1$200 OK\r\n",
    "HTTP/1.1 200$\r\n\r\n",
    "$" .. OK .. "\r\n",
    OK .. "$",
    OK .. "x$: a\r\n\r\n",
    OK .. "x:$a\r\n\r\n",
    OK .. "x: a$b\r\n\r\n",
    OK .. "\r\n$",
    OK .. "content-length: $1\r\n\r\na",
    OK .. "content-type: a$json\r\n\r\na",
    OK .. "link: <$>;rel=next\r\n\r\n",
    OK .. "content-encoding: $\r\n\r\na",
    CHUNKS .. "$",
    CHUNKS .. "$g\r\n",
    CHUNKS .. "0$1\r\na\r\n0\r\n\r\n",
    CHUNKS .. "1$\r\na\r\n0\r\n\r\n",
    CHUNKS .. "0\r\n$\r\n\r\n",
    CHUNKS .. "0\r\nx: a$b\r\n\r\n",
    "HTTP/1.1 503 No\r\nretry-after: $\r\n\r\n",
    "HTTP/1.1 503 No\r\nretry-after: Mon, 1$\r\ndate: $\r\n\r\n",
    "HTTP/1.1 302 Found\r\nlocation: /$\r\n\r\n",
    "HTTP/1.1 422 No\r\ncontent-type: a/json\r\n\r\n$",
  }, answered)
)
product(
  ANSWERS,
  forms("request: libcurl's answer", {
    "$",
    OK .. "$\r\n\r\n",
    OK .. "x:$a\r\n\r\n",
    OK .. "x: a$b\r\n\r\n",
    "HTTP/1.1$200 OK\r\n\r\n",
    OK .. "\r\n$",
  }, function(answer)
    package.loaded.cURL, package.loaded.socket = curling(answer), answering("", 1)
    return send("curl", "/x")
  end)
)

-- Streams, in large pieces and in pieces of one byte.
for _, name in ipairs { "events", "lines" } do
  product(
    ANSWERS,
    forms("request: " .. name, { "$", "data:$\n\n", "data:\n$\n\n", "id:$\n\n" }, function(stream)
      package.loaded.socket = answering(OK .. "\r\n" .. stream, 8192)
      return send("luasocket", "/x", { request = { sink = request_module[name](type) } })
    end)
  )
end
product(
  ANSWERS,
  forms("request: events in pieces of one byte", { "$", "data:$\n\n" }, function(stream)
    package.loaded.socket = answering(OK .. "\r\n" .. stream, 1)
    return send("luasocket", "/x", { request = { sink = request_module.events(type) } })
  end)
)

local MOVED, REFUSED =
  "HTTP/1.1 302 Found\r\nlocation: ", "HTTP/1.1 422 No\r\ncontent-type: a/json\r\n\r\n"
product(ANSWERS, {
  ["request: answer in pieces of one byte"] = function(t)
    package.loaded.socket = answering(OK .. "x: " .. t .. "\r\n\r\n" .. t, 1)
    return send("luasocket", "/x")
  end,
  ["request: path and location"] = function(t, n)
    return answered(MOVED .. ("../"):rep(n) .. t .. "\r\n\r\n", nil, "/" .. ("a/"):rep(n))
  end,
  ["request: reason and a token"] = function(t)
    return answered(
      REFUSED .. t,
      { token = t, data = { key = t .. t, [t .. "key"] = 1 } },
      "POST /{token}"
    )
  end,
  ["request: reason and a form"] = function(t)
    return answered(REFUSED .. t, { data = t .. "?key=" .. t }, "POST /x")
  end,
  ["request: reason and JSON"] = function(t)
    return answered(REFUSED .. t, { data = "{" .. t }, "POST /x")
  end,
  ["request: reason and a part"] = function(t)
    return answered(
      REFUSED .. t,
      { data = '--b\r\n; name="key"\r\n\r\n' .. t .. "\r\n--b" .. t },
      "POST /x"
    )
  end,
  ["request: reason and headers"] = function(t)
    t = t:gsub("[%c]", " ")
    return answered(
      REFUSED .. t,
      { headers = { authorization = t, cookie = t, ["x-" .. t:gsub("[^%w-]", "-")] = t } }
    )
  end,
})
for what, value in pairs {
  ["equal"] = function()
    return "aaaaaaaa"
  end,
  ["like each other"] = function(i)
    return ("a"):rep(100) .. i
  end,
  ["different"] = function(i)
    return ("key %06d"):format(i)
  end,
} do
  cell("request: reason and many keys", what, CLIENT_ITEMS / 10, function(n)
    return answered(REFUSED .. ("a"):rep(2000), { data = { keys = list(n, value) } }, "POST /x")
  end)
end
cell("request: reason", "and many pairs", CLIENT_BYTES, function(n)
  return answered(REFUSED .. "a", { data = ("b=a&"):rep(n) }, "POST /x")
end)

-- --- tables

local function nested(n)
  local t = {}
  for _ = 1, n do
    t = { t }
  end
  return t
end

local TABLES = once(ITEMS, {
  ["list"] = list,
  ["list of nulls"] = function(n)
    return list(n, function(i)
      return i > 1 and null or "x"
    end)
  end,
  ["list, a bad text last"] = function(n)
    return with(list(n), n, "\n\0{}")
  end,
  ["list, a table last"] = function(n)
    return with(list(n), n, {})
  end,
  ["sparse list"] = function(n)
    return with(list(n), n + 2, "x")
  end,
  ["list of tables"] = function(n)
    return list(n, function(i)
      return { i }
    end)
  end,
  ["list in itself"] = function(n)
    local t = list(n)
    return with(t, n + 1, t)
  end,
  ["map"] = named,
  ["map of long names"] = function(n)
    return named(n, ("A"):rep(100) .. "%06d")
  end,
  ["map of lists"] = function(n)
    return named(n, "name%06d[]", function(i)
      return { i, null, i }
    end)
  end,
  ["map of nulls"] = function(n)
    return named(n, nil, function()
      return null
    end)
  end,
  ["list of one text"] = function(n)
    return list(n, function()
      return "x"
    end)
  end,
  ["nested tables"] = nested,
  ["tables nested 90 deep"] = function(n)
    return list(math.ceil(n / 90), function()
      return nested(90)
    end)
  end,
})
local function parts(n)
  return list(n, function(i)
    return { name = "n" .. i, data = "b" }
  end)
end
local SENT_TABLES =
  once(CLIENT_ITEMS, { ["list"] = list, ["list of parts"] = parts, ["map"] = named })

product(TABLES, {
  ["previews"] = function(t)
    return endpoint, "/", { mediaType = { previews = t } }
  end,
  ["previews after a long vendor"] = function(t, n)
    return endpoint,
      "/",
      { mediaType = { previews = t }, headers = { accept = VENDOR .. ("a"):rep(n) } }
  end,
  ["headers"] = function(t)
    return endpoint, "/", { headers = t }
  end,
  ["list of a header"] = function(t)
    return endpoint, "/", { headers = { a = t } }
  end,
  ["variable of /"] = function(t)
    return endpoint, "/", { a = t }
  end,
  ["variable of /x{a}{?a*}"] = function(t)
    return endpoint, "/x{a}{?a*}", { a = t }
  end,
  ["list in a map"] = function(t)
    return endpoint, "/{?a*}", { a = { l = t } }
  end,
  ["options"] = function(t)
    return endpoint, "/", t
  end,
  ["options for OPTIONS"] = function(t)
    return endpoint, "OPTIONS /", t
  end,
  ["parse"] = function(t)
    return function()
      return endpoint.parse(endpoint.merge("/", t))
    end
  end,
  ["defaults"] = function(t)
    return endpoint.defaults, { a = t, headers = t }
  end,
  ["DEFAULTS"] = function(t)
    return function()
      return endpoint.defaults({ a = t }).DEFAULTS
    end
  end,
  ["arguments"] = function(t)
    return function()
      return endpoint("/", nil, unpack(t))
    end
  end,
})
product(SENT_TABLES, {
  ["clients: links"] = function(t)
    return clients.links, t
  end,
  ["clients: multipart"] = function(t)
    return clients.multipart, t
  end,
  ["clients: form"] = function(t)
    return clients.form, t
  end,
  ["clients: list of a form"] = function(t)
    return clients.form, { a = t }, { nested = "brackets" }
  end,
  ["clients: headers of plain"] = function(t)
    return clients.plain, request { headers = t }
  end,
  ["clients: header of argv"] = function(t)
    return clients.argv, request { headers = { a = t } }
  end,
  ["clients: headers of curl_command"] = function(t)
    return clients.curl_command, request { headers = t }
  end,
})

-- --- defaults and calls, each with n of something

local DEFAULTS = once(ITEMS, {
  ["parameters"] = named,
  ["headers"] = function(n)
    return { headers = named(n, "name%06d-key") }
  end,
  ["previews"] = function(n)
    return { mediaType = { previews = list(n) } }
  end,
  ["a long host"] = function(n)
    return { baseUrl = "https://" .. ("a."):rep(n) .. "h", headers = { cookie = "x" } }
  end,
})

-- n -> what follows the path of the route, or the whole of it; options.
local CALLS = {
  ["the same parameters"] = function(n)
    return "", named(n)
  end,
  ["other previews"] = function(n)
    return "", { mediaType = { previews = list(n, function(i)
      return "p" .. i
    end) } }
  end,
  ["pairs of expressions"] = function(n)
    return "?" .. joined(n, "name%06d={a}", "&"), { a = 1 }
  end,
  ["a path of variables"] = function(n)
    return "/" .. joined(n, "{name%06d}", "/"), { name000000 = "x" }
  end,
  ["variables in the authority"] = function(n)
    return "https://" .. joined(n, "{name%06d}") .. "/"
  end,
  ["another home"] = function()
    return "https://evil.example/"
  end,
  ["another home, headers given"] = function(n)
    return "https://evil.example/", { headers = named(n, "Name%06d-Key") }
  end,
  ["another baseUrl"] = function(n)
    return "", { baseUrl = "https://" .. ("a."):rep(n) .. "h" }
  end,
}

local prefix = 0
for name, call in pairs(CALLS) do
  product(DEFAULTS, {
    ["call with " .. name] = function(options, n)
      local e = endpoint.defaults(with(options, "baseUrl", options.baseUrl or "https://h"))
      local url, over = call(n)
      prefix = prefix + 1 -- a path that no call before has left in the cache
      return e, url:find "^http" and url .. prefix or "/" .. prefix .. url, over
    end,
  })
end
product(DEFAULTS, {
  ["defaults over"] = function(t, n)
    return endpoint.defaults(t).defaults, with(named(n), "name000001", null)
  end,
})

-- --- many items, many calls, and tables that are more than they seem

-- So many that a buffer which grew by steps, not to twice its size, is seen.
cell("large list", "in a query", 16 * ITEMS, function(n)
  return endpoint, "/{?a*}", { a = list(n) }
end)

for _, form in ipairs { "GET /turn/%d{?a}", "GET /turn/%d{" } do
  cell("cache", form, ITEMS / 2, function(n)
    local arguments = list(n, function(i)
      return form:format(i)
    end)
    return function()
      for i = 1, n do
        pcall(endpoint, arguments[i])
      end
    end
  end)
end
cell("defaults", "n times over the last", 1000, function(n)
  return function()
    local e = endpoint
    for i = 1, n do
      e = e.defaults { a = i }
    end
  end
end)
cell("defaults", "each table twice in the next, 2^n paths", 40, function(n)
  local t = {}
  for _ = 2, n do
    t = { t, t }
  end
  return endpoint.defaults, { a = t }
end)

-- --- documents of strangers

local function schema(name)
  return { ["$ref"] = "#/components/schemas/" .. name }
end
local TEXT = { type = "string" }

-- A document with one operation, or with n of them.
local function document(operations, components, url)
  local paths = operations[1] and {} or { ["/x"] = { post = operations } }
  for i, operation in ipairs(operations) do
    paths["/" .. i] = { [operation.requestBody and "post" or "get"] = operation }
  end
  local servers = { { url = url or "https://h" } }
  return {
    openapi = "3.0.0",
    paths = paths,
    components = { schemas = components },
    servers = servers,
  }
end

local function query(name, of, style)
  return { name = name, ["in"] = "query", schema = of, style = style, explode = style ~= nil }
end
local function body(of)
  return { requestBody = { content = { ["application/json"] = { schema = of } } } }
end
local function object(n, of)
  return { type = "object", properties = named(n, nil, function()
    return of
  end) }
end
local function alike(n, operation)
  return list(n, function()
    return operation
  end)
end

local function generated(root)
  return function()
    return types.generate(root, "api", { responses = true, checks = true })
  end
end

product(
  once(CLIENT_ITEMS, {
    ["deepObject of itself"] = function(n)
      return document(
        { parameters = { query("c", schema "S", "deepObject") } },
        { S = object(n, schema "S") }
      )
    end,
    ["deepObject of texts"] = function(n)
      return document { parameters = { query("c", object(n, TEXT), "deepObject") } }
    end,
    ["enumerations"] = function(n)
      return document {
        parameters = list(n, function(i)
          return query("c" .. i, { enum = { "table", "x" .. i } })
        end),
      }
    end,
    -- An address of more than 2,000 bytes is left out.
    ["slashes of a server"] = function(n)
      return document({ {} }, nil, "https://h" .. ("/"):rep(n) .. "x")
    end,
    ["one operationId"] = function(n)
      return document(alike(n, { operationId = "same" }))
    end,
    ["chain of references"] = function(n)
      local chain = { ["S" .. n] = TEXT }
      for i = 1, n - 1 do
        chain["S" .. i] = schema("S" .. i + 1)
      end
      return document(alike(n, { parameters = { query("q", schema "S1") } }), chain)
    end,
    ["chain of $id"] = function(n)
      local chain = { ["S" .. n] = { ["$id"] = "s" .. n, type = "string" } }
      for i = 1, n - 1 do
        chain["S" .. i] = { ["$id"] = "s" .. i, ["$ref"] = "s" .. i + 1 }
      end
      return document(alike(n, { parameters = { query("q", { ["$ref"] = "s1" }) } }), chain)
    end,
    ["anchors below a long name"] = function(n)
      local properties = named(n, "p%06d", function()
        return { ["$ref"] = "#a" }
      end)
      local long = { ["$anchor"] = "a", type = "string" }
      return document(
        body { properties = properties },
        { [("s"):rep(40)] = { properties = { [("n"):rep(n)] = long } } }
      )
    end,
    ["one body"] = function(n)
      return document(alike(n, body(schema "S")), { S = object(n, TEXT) })
    end,
    ["alternatives"] = function(n)
      return document(body {
        oneOf = list(n, function(i)
          return object(i % 3, TEXT)
        end),
      })
    end,
    -- What many calls share, and none of them shows.
    ["calls without their body"] = function(n)
      local shared = with(body(schema "S"), "x", TEXT)
      return with(
        document({}, { S = object(n, TEXT) }),
        "paths",
        named(n, "/%06d", function()
          return { get = shared }
        end)
      )
    end,
    ["calls that are left out"] = function(n)
      local shared = body(schema "S")
      return with(
        document({}, { S = object(n, TEXT) }),
        "paths",
        named(n, "%06d", function()
          return { post = shared }
        end)
      )
    end,
    ["variables of a path with alternatives"] = function(n)
      local get = { parameters = { { name = "a", ["in"] = "path", schema = schema "S" } } }
      local alternatives = list(n / 2, function(i)
        return { enum = { "e" .. i } }
      end) -- of 1,000 none would be read
      return with(
        document({}, { S = { oneOf = alternatives } }),
        "paths",
        { ["/" .. ("{a}"):rep(n)] = { get = get } }
      )
    end,
    ["one long response"] = function(n)
      local answer = {
        responses = { ["200"] = { content = { ["application/json"] = { schema = schema "S" } } } },
      }
      local alternatives = list(n / 4, function(i)
        return { enum = { ("e"):rep(100) .. i } }
      end)
      return document(alike(n, answer), { S = { oneOf = alternatives } })
    end,
    ["alternatives for one name"] = function(n)
      return document(body {
        oneOf = list(n, function()
          return { properties = { a = { title = "x" } } }
        end),
      })
    end,
    ["references in a circle"] = function(n)
      local circle = {}
      for i = 1, n do
        circle["S" .. i] = { allOf = { schema("S" .. i % n + 1), schema("S" .. i * 7 % n + 1) } }
      end
      return document(body(schema "S1"), circle)
    end,
    ["media types, the best of them long"] = function(n)
      local content = named(n, "text/x-%06d", function()
        return {}
      end)
      return document {
        requestBody = {
          content = with(content, "application/" .. ("a"):rep(10 * n) .. "+json", {}),
        },
      }
    end,
    ["variables of a server"] = function(n)
      local servers = {
        { url = "https://h/" .. ("{a}"):rep(600), variables = { a = { default = ("x"):rep(n) } } },
      }
      return document(alike(n, { servers = servers }))
    end,
  }),
  { ["types: responses and checks"] = generated }
)

local RULES = types.generate({
  openapi = "3.0.0",
  paths = {
    ["/x/{y}"] = {
      put = {
        operationId = "put",
        requestBody = {
          content = { ["a/json"] = { schema = { ["$ref"] = "#/components/schemas/S" } } },
        },
      },
    },
  },
  components = {
    schemas = {
      S = {
        properties = {
          s = { type = "string", maxLength = 5, enum = { "a" } },
          l = { items = { ["$ref"] = "#/components/schemas/S" } },
        },
      },
    },
  },
}, "api", { checks = true }).files
RULES = (loadstring or load)(RULES[#RULES - 1].text)()

local DOCUMENT_TEXTS = texts({
  "a",
  " ",
  "/",
  "{",
  "{a}",
  ":a",
  "<a",
  "%",
  '"',
  "\n",
  "é",
  "\226\128",
  "~1",
  "?",
  "9",
  ".",
  "-",
  "*",
}, CLIENT_BYTES)
product(DOCUMENT_TEXTS, {
  ["types: server"] = function(t)
    return generated(document({ {} }, nil, "https://h/" .. t))
  end,
  ["types: version"] = function(t)
    return generated(with(document { {} }, "openapi", "3.0." .. t))
  end,
  ["types: all other places"] = function(t)
    local root = document {
      { operationId = t },
      { summary = t },
      { responses = { ["2" .. t] = {} } },
      body { ["$ref"] = "#/" .. t },
      { requestBody = { content = { ["a/" .. t .. "json"] = { schema = TEXT } } } },
      { parameters = { query("q", { enum = { t, t .. "\200" } }) } },
    }
    for _, where in ipairs { "query", "header", "cookie", "path" } do
      root.paths["/" .. where] = { get = { parameters = { { name = t, ["in"] = where } } } }
    end
    root.paths["/" .. t], root.info = { get = {} }, { title = t }
    return generated(root)
  end,
})
product(
  DOCUMENT_TEXTS,
  forms("types: only", { "/$", "$*", "/*$*$*a", "*$$$*" }, function(pattern)
    local root =
      with(document {}, "paths", { ["/" .. pattern:gsub("%*", "") .. "issues"] = { get = {} } })
    return function()
      return types.generate(root, "api", { only = { pattern } })
    end
  end)
)
product(DOCUMENT_TEXTS, {
  ["types: only, each byte a piece"] = function(t)
    return function()
      local pattern = "GET /repos" .. t:gsub(".", "*%0"):gsub("%%%*", "%%") .. "*issues"
      return types.generate(
        with(document {}, "paths", { ["/repos" .. t] = { get = {} } }),
        "api",
        { only = { pattern } }
      )
    end
  end,
})

local function asked(call)
  return function(t)
    return function()
      return call(t)
    end
  end
end
product(DOCUMENT_TEXTS, {
  ["checks: a route"] = asked(function(t)
    RULES.check("PUT /x/" .. t, {})
  end),
  ["checks: a name"] = asked(function(t)
    RULES.check("PUT /x/{y}", { y = 1, [t] = t })
  end),
  ["checks: a name below"] = asked(function(t)
    RULES.check("PUT /x/{y}", { y = "1", l = { { [t] = t } } })
  end),
  ["checks: a text"] = asked(function(t)
    RULES.check("PUT /x/{y}", { y = "1", s = t })
  end),
  ["checks: a function"] = asked(function(t)
    error("endpoint: " .. select(2, RULES.call(endpoint, t, {})), 0)
  end),
  ["checks: an operation"] = asked(function(t)
    RULES.tools { t }
  end),
})
product({
  items = {
    n = CLIENT_ITEMS,
    new = function(n)
      return list(n, function()
        return { s = "a" }
      end)
    end,
  },
}, {
  ["checks: a list"] = asked(function(items)
    RULES.check("PUT /x/{y}", { y = "1", l = items })
  end),
})

-- Recursive alternatives with names that models get others for.
local ALTERNATIVES = {}
for number = 1, 20 do
  local again = { ["$ref"] = "#/components/schemas/E" }
  ALTERNATIVES[number] = {
    type = "object",
    required = { "kind" },
    properties = {
      kind = { type = "string", enum = { "k" .. number } },
      ["le.ft"] = again,
      ["ri.ght"] = again,
    },
  }
end
local RECURSIVE = types.generate({
  openapi = "3.1.0",
  paths = {
    ["/x"] = {
      post = {
        operationId = "x",
        requestBody = {
          content = {
            ["application/json"] = {
              schema = {
                type = "object",
                properties = {
                  v = { type = "array", items = { ["$ref"] = "#/components/schemas/E" } },
                },
              },
            },
          },
        },
      },
    },
  },
  components = { schemas = { E = { oneOf = ALTERNATIVES } } },
}, "api", { checks = true }).files
RECURSIVE = (loadstring or load)(RECURSIVE[#RECURSIVE - 1].text)()

local RECURSIVE_API = endpoint.defaults { baseUrl = "https://h.example" }
local function sent(_, options)
  return #options.data
end
local function branch(number)
  local leaf = { kind = "k" .. number % 20 + 1 }
  return { kind = "k1", le_ft = { kind = "k20", ri_ght = leaf }, ri_ght = { kind = "k3" } }
end
product({
  items = {
    n = CLIENT_ITEMS,
    new = function(n)
      local values = {}
      for number = 1, n do
        values[number] = branch(number)
      end
      return values
    end,
  },
}, {
  ["checks: a function with alternatives"] = asked(function(values)
    assert(RECURSIVE.call(sent, "x", { v = values }, RECURSIVE_API))
  end),
})

-- Requests that came in: each part of them is a stranger's.
local function came_in(place, name, node, more)
  local parameter = more or {}
  parameter["in"], parameter.name, parameter.schema = place, name, node
  parameter.required = place == "path"
  return parameter
end
local INTEGERS = { type = "array", items = { type = "integer" } }
local BODY = { type = "object", properties = { a = INTEGERS, b = { type = "object" } } }

-- Takes a text for JSON that it knows.
local function decoded(text)
  return { a = { 1, text }, b = { [text] = text }, [text] = 1 }
end
local CAME_IN = types.generate({
  openapi = "3.1.0",
  paths = {
    ["/x/{y}"] = {
      post = {
        parameters = {
          came_in("path", "y", {}),
          came_in("query", "l", INTEGERS),
          came_in("query", "d", { type = "object" }, { style = "deepObject" }),
          came_in("header", "H", INTEGERS),
          came_in("cookie", "c", {}),
        },
        requestBody = {
          content = {
            ["application/json"] = { schema = BODY },
            ["application/x-www-form-urlencoded"] = { schema = BODY },
          },
        },
      },
    },
    ["/x/{y}/a/{z}.json"] = {
      get = { parameters = { came_in("path", "y", {}), came_in("path", "z", {}) } },
    },
    ["/{a}-{b}"] = {
      get = { parameters = { came_in("path", "a", {}), came_in("path", "b", {}) } },
    },
  },
}, "api", { checks = true }).files
CAME_IN = (loadstring or load)(CAME_IN[#CAME_IN - 1].text)()

-- A request with the rest of these fields.
local function requested(fields)
  return function(t)
    local given = { method = "POST", path = "/x/1", headers = {} }
    fields(given, t)
    return function()
      CAME_IN.request(given, { encoded_slashes = true, decode = decoded })
    end
  end
end
product(DOCUMENT_TEXTS, {
  ["request: the method"] = requested(function(given, t)
    given.method = t
  end),
  ["request: the path"] = requested(function(given, t)
    given.path = "/x/" .. t
  end),
  ["request: a path of two variables"] = requested(function(given, t)
    given.method, given.path = "GET", "/" .. t
  end),
  ["request: the query"] = requested(function(given, t)
    given.query = t
  end),
  ["request: a list in the query"] = requested(function(given, t)
    given.query = "l=" .. t .. "&l=" .. t
  end),
  ["request: a name of deepObject"] = requested(function(given, t)
    given.query = "d[" .. t .. "]=1&d" .. t
  end),
  ["request: a header"] = requested(function(given, t)
    given.headers.h = t
  end),
  ["request: the cookies"] = requested(function(given, t)
    given.headers.cookie = t .. "; c=" .. t
  end),
  ["request: the media type"] = requested(function(given, t)
    given.headers["content-type"], given.body = t, "x"
  end),
  ["request: a form"] = requested(function(given, t)
    given.headers["content-type"], given.body = "application/x-www-form-urlencoded", t .. "&a=" .. t
  end),
  ["request: JSON"] = requested(function(given, t)
    given.headers["content-type"], given.body = "application/json", t
  end),
})
for _, piece in ipairs {
  "&l=1",
  "&l=x",
  "&",
  "&d[a]=1",
  "&d[]=1",
  "&z=1",
  "/",
  "%2F",
  "%25",
  "a-",
  "a.",
  ";",
  ",",
  "," .. "1",
} do
  cell("request: repeated in the path and the query", piece, CLIENT_BYTES, function(n)
    local t = piece:rep(n)
    local given = { method = "POST", path = "/x/" .. t, query = t, headers = { h = t, cookie = t } }
    local other = { method = "POST", path = "/x/1", query = t, headers = { h = t, cookie = t } }
    return function()
      CAME_IN.request(given, { encoded_slashes = true, decode = decoded })
      CAME_IN.request(other, { decode = decoded })
    end
  end)
end
cell("request: JSON with", "elements", CLIENT_ITEMS, function(n)
  local made = { a = list(n, tostring), b = { c = list(n, tostring) } }
  local headers = { ["content-type"] = "application/json" }
  local given = { method = "POST", path = "/x/1", headers = headers, body = "x" }
  local function give()
    return made
  end
  return function()
    CAME_IN.request(given, { decode = give })
  end
end)

-- --- running and judging

-- Pairs come in no order, and two runs must number the cells alike.
table.sort(cells, function(a, b)
  return a.name < b.name
end)
if EVERY > 1 then
  local some = {}
  for i = 2, #cells, EVERY do
    some[#some + 1] = cells[i]
  end
  cells = some
end

local function run(part, of)
  local failed, thousand, strings =
    false, ("x"):rep(1000), list(STRINGS, function(i)
      return "string " .. i
    end)
  for number = part, #cells, of do
    for _, n in ipairs { cells[number].n, 2 * cells[number].n } do
      local f, a, b = cells[number].make(n)
      collectgarbage "stop"
      for _ = 1, 3 do
        assert(thousand:rep(100) ~= "")
      end
      debug.gethook()
      local ok, message = pcall(f, a, b)
      debug.sethook()
      collectgarbage "restart"
      message = not ok and tostring(message) or "endpoint: "
      if #message > LONGEST_MESSAGE or not message:find "endpoint[.%l]*: " then
        print(
          ("linear: %s: not a short message: %s"):format(
            cells[number].name,
            message:sub(1, LONGEST_MESSAGE)
          )
        )
        failed = true
      end
    end
  end
  if failed or #strings ~= STRINGS then
    os.exit(1)
  end
end

-- The counts of a cell at n and at 2n: each part has written those of its cells, one after the
-- other.
local function read_counts(files)
  for part, path in ipairs(files) do
    local next_count = io.open(path):read "*a":gmatch "\nsummary: (%d+)"
    for number = part, #cells, #files do
      cells[number].first, cells[number].second = tonumber(next_count()), tonumber(next_count())
    end
  end
end

local function judge(files)
  local bad = {}
  read_counts(files)
  print(("%-75s %8s %11s %11s %5s"):format("call", "n", "at n", "at 2n", "ratio"))
  for _, c in ipairs(cells) do
    local is_bad, ratio = c.second > RATIO * c.first + SLACK, c.second / c.first
    local row = ("%-75s %8d %11d %11d %5.2f"):format(c.name, c.n, c.first, c.second, ratio)
    print(row)
    if is_bad then
      bad[#bad + 1] = row
    end
  end
  print(
    ("linear: %d calls, %d bad (more than %.1f times as much for twice as many)"):format(
      #cells,
      #bad,
      RATIO
    )
  )
  for _, row in ipairs(bad) do
    print("BAD " .. row)
  end
  if #bad > 0 or #cells == 0 then
    os.exit(1)
  end
end

if table.remove(arg, 1) == "run" then
  run(tonumber(arg[1]), tonumber(arg[2]))
else
  judge(arg)
end
