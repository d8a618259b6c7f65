-- Random calls made of what has broken URL builders and led secrets away before. The module must
-- answer as judge.lua does.
--
-- Usage: LUA_CPATH='build/lua5.4/?.so' LUA_PATH='spec/lib/?.lua;spec/?.lua' \
--   lua5.4 spec/oracle/differential.lua SEED COUNT
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local differential, null = {}, endpoint.null
local SECRET = "S3CR3T"

local function is_one_in(random, n)
  return random(n) == 1
end

local function pick(random, list)
  return list[random(#list)]
end

-- --- URLs -----------------------------------------------------------------------------

local NAMES = { "a", "a", "a", "b", "b", "c", "x-y", "n.m", "p%20q" }
local BYTES = {
  "..",
  ".",
  "%2e",
  "%2E",
  "%252E",
  "%25252e",
  "%25%32%65",
  "%252%65",
  "%25%2532e",
  "%25%32%66",
  "%25%33B",
  "%25",
  "%32",
  "%65",
  "%46",
  ";",
  ";",
  "%3B",
  "%253b",
  "/",
  "/",
  "\\",
  "%2F",
  "%252f",
  "%5C",
  "%25",
  "25",
  "2e",
  "2F",
  "%",
  "?",
  "#",
  "%3F",
  "%23",
  "%2523",
  "@",
  ":",
  "[::1]",
  "//",
  "http://h",
  "http:",
  "https",
  ":80",
  ".h",
  "é",
  "日",
  "\226\130",
  "\255",
  " ",
  "\0",
  "x",
  "x",
  "y",
  "1",
  "&",
  "=",
  ",",
  "+",
  "~",
  '"',
  "%41",
  "evil.example",
  "?k=" .. SECRET,
  "[]",
  "l[]",
  "http://u:" .. SECRET .. "@h",
}
local LITERALS = {
  "/",
  "/",
  "/",
  "/x",
  "/x/",
  "x",
  "-",
  ".",
  "..",
  "/..",
  "/../",
  "/./",
  "%2e",
  "%252E",
  "%25%32%45",
  "%252%66",
  ";",
  "%3B",
  "/;",
  "\\",
  "%2F",
  "%5c",
  "%252F",
  "%25",
  "%",
  "2e",
  "?",
  "?q=",
  "#",
  "#f",
  "%3F",
  "%23",
  "@",
  ":",
  "//",
  "é",
  " ",
  "/:a",
  ":b",
  "...:c",
  "/:a/:b",
  ".json",
  "&",
  "=",
  "~",
  '"',
  "[",
  "]",
  ":80",
  ".h",
  "://",
  "/é/",
  "?k=" .. SECRET,
}
local BAD_LITERALS = {
  "{",
  "}",
  "\1",
  "\127",
  "{}",
  "{a",
  "{=a}",
  "{a:0}",
  "{a:10000}",
  "{a*:1}",
  "{a b}",
  "{,a}",
  "{a,}",
  "{url}",
  "/:method",
  "{a.}",
}
local WORDS = { "x", "y", "1", "a/b", "v.w", "", ":", "h:1234", "h:12345", "h:123456", "[::1]:80" }
local OPERATORS =
  { "", "", "", "", "+", "+", "+", "#", ".", "/", "/", ";", ";", ";", "?", "?", "&" }
local MODIFIERS = { "", "", "", "", "", "*", "*", ":1", ":2", ":3" }
local STARTS = {
  "/",
  "/",
  "/",
  "/",
  "/x/",
  "",
  "",
  "",
  "https://h",
  "https://h",
  "https://h/",
  "http://h.example/x/",
  "https://",
  "https://",
  "HTTPS://u:" .. SECRET .. "@h:80",
  "https://u%41:p@h/",
  "ws://[::1]",
  "http://[1:2:3:4:5:6:7.8.9.1]",
  "http://[v1.a:b]:",
  "https://h:{a}",
  "https://h:6{b}/",
  "https://{c}@h:655{a}",
  "ftp://h/",
  "foo://h",
  "foo://",
  "foo:",
  "mailto:",
  "http",
  "?",
  "#",
  "x",
  "{a}",
  "{a}:",
  "{+a}",
  "https://{+a}",
  "https://{a}",
}
local BAD_STARTS = {
  "http:",
  "Https:/",
  "//",
  "//h/",
  "https://%61/",
  "https://h h/",
  "https://é/",
  "https://a@b@c",
  "https://[",
  "https://h:",
  "https://[::1",
  "https://[1::2::3]/",
  "https://[{a}]/",
  "https://h:65536/",
  "https://u:" .. SECRET .. "/@h",
  "https://u:" .. SECRET .. "{@h/",
  "http:" .. SECRET .. "@h/",
  "https://" .. SECRET .. "@b@c",
}
local BASES = {
  "https://h",
  "https://h",
  "https://h/",
  "https://h/v1",
  "https://h/v1/",
  "",
  "",
  "",
  "/",
  "/v1",
  "/v1/",
  "https://u:" .. SECRET .. "@h.example:8080/p",
  "foo://h/p",
  "HTTP://H:80/A",
  "https://h/é x",
  "https://h/a;b/c",
  "https://h/v%2F",
  "https://[::ffff:1.2.3.4]:/x",
}
local BAD_BASES = {
  "//h",
  "h",
  "v1/",
  "?k=v",
  "https://",
  "https:///x",
  "https://u@/x",
  "https://:80",
  "foo:///x",
  "https://h/../x",
  "https://h/v1/..",
  "https://h/%2e%2E/",
  "https://h/.;x",
  "https://h/%252e",
  "/..",
  "https://h/{a}",
  "https://h#f",
  "/v1#f",
  "https://h?k=v",
  "/v1/?",
  "https://h/?k=a/../b",
  "https://h h/",
  "https://é/",
  "https://a@b@c",
  "https://%61/",
  "https://[v1]",
  "https://[:1]/x",
  "https://h:99999",
  "https://[::1]x",
  "https://u:" .. SECRET .. "/@h",
  "https://h/\1",
  "https:h",
  "https://u:" .. SECRET .. "@h/..",
  "https:u:" .. SECRET .. "@h",
  "https://h/..?k=" .. SECRET,
}
local METHODS = { "GET", "GET", "GET", "POST", "DELETE", "HEAD", "OPTIONS" }

-- What parts segments, ends them or is deleted, in a spelling that decodes to it in up to nine
-- rounds.
local READ_BY_SERVERS =
  { ".", ".", "..", "..", "/", "\\", ";", "\t", "\n", "\r", "\t..", "x\n", "%" }

local function respelled(random, text)
  return (
    text:gsub(".", function(byte)
      if is_one_in(random, 4) then
        byte = ("%%%02x"):format(byte:byte())
      end
      return is_one_in(random, 16) and byte .. pick(random, { "\t", "\n", "\r" }) or byte
    end)
  )
end

local function random_spelling(random)
  local text = pick(random, READ_BY_SERVERS)
  if is_one_in(random, 2) then
    for _ = 1, random(4) do
      text = respelled(random, text)
    end
    return text
  end
  text = text:gsub(".", function(byte)
    return ("%%%02X"):format(byte:byte())
  end)
  return (text:gsub("%%", "%%" .. ("25"):rep(random(10) - 1)))
end

-- A literal may have no control characters.
local function random_literal(random)
  if not is_one_in(random, 6) then
    return pick(random, LITERALS)
  end
  return (
    random_spelling(random):gsub("[\t\n\r]", { ["\t"] = "%09", ["\n"] = "%0a", ["\r"] = "%0D" })
  )
end

function differential.random_text(random)
  if is_one_in(random, 3) then
    return pick(random, WORDS)
  end
  if is_one_in(random, 6) then
    return random_spelling(random) .. pick(random, WORDS)
  end
  local text = ""
  for _ = 1, random(3) do
    text = text .. (is_one_in(random, 8) and string.char(random(256) - 1) or pick(random, BYTES))
  end
  return text
end

-- Names of parameters are quoted in messages: none of them is a secret.
local function random_name(random)
  return (differential.random_text(random):gsub(SECRET, "k"))
end

local NUMBERS = {
  0,
  1,
  -1,
  2.5,
  1e15,
  1e-7,
  0.1 + 0.2,
  -0.0,
  200 / 2,
  2 ^ 53 - 1,
  1 - 2 ^ 53,
  5e-324,
  123456,
  2 ^ 52 + 0.5,
  math.maxinteger or 7,
  math.mininteger or 8,
} -- luacheck: ignore 143
local BAD_VALUES = {
  0 / 0,
  1 / 0,
  -1 / 0,
  2 ^ 53,
  -2 ^ 53,
  1e17,
  1e21,
  -1234567890123456789.0,
  1.7976931348623157e308,
  print,
  { 1, x = 2 },
  { [3] = 1 },
  { [1.5] = 1 },
  { { 1 } },
  { a = { b = 1 } },
  { print },
  { {} },
  { a = {} },
  { "x", {} },
  { a = { null }, b = "x" },
  { 1e17 },
}

local function random_scalar(random)
  local kind = random(12)
  if kind == 1 and is_one_in(random, 8) then
    return 2 ^ 52 * random(8)
  end
  if kind == 1 then
    return pick(random, NUMBERS)
  end
  if kind == 2 then
    return is_one_in(random, 2)
  end
  if kind == 3 then
    return null
  end
  return differential.random_text(random)
end

local function random_value(random)
  local kind, value = random(24), {}
  if kind == 1 and is_one_in(random, 3) then
    return pick(random, BAD_VALUES)
  end
  if kind > 5 then
    return random_scalar(random)
  end
  for i = 1, random(3) - 1 do
    value[kind < 4 and i or differential.random_text(random)] = random_scalar(random)
  end
  if kind == 5 and is_one_in(random, 2) then
    value["l[]"] = { differential.random_text(random), differential.random_text(random) }
  end
  return value
end

local function random_expression(random)
  local list = {}
  for i = 1, is_one_in(random, 5) and 2 or 1 do
    list[i] = pick(random, NAMES) .. pick(random, MODIFIERS)
  end
  return "{" .. pick(random, OPERATORS) .. table.concat(list, ",") .. "}"
end

-- A call as { given = options }. Its url is a list of pieces, its parameters are a table of their
-- own; it may have `defaults` of the same form.
function differential.random_call(random)
  local given = { method = pick(random, METHODS), url = {}, parameters = {} }
  given.url[1] = pick(random, is_one_in(random, 12) and BAD_STARTS or STARTS)
  given.baseUrl = pick(random, is_one_in(random, 12) and BAD_BASES or BASES)
  if is_one_in(random, 60) then
    given.baseUrl = null
  end
  for _ = 1, random(5) - 1 do
    local kind = random(40)
    given.url[#given.url + 1] = kind == 1 and pick(random, BAD_LITERALS)
      or kind < 20 and random_literal(random)
      or random_expression(random)
  end
  for _ = 1, random(5) - 1 do
    given.parameters[pick(random, NAMES)] = random_value(random)
  end
  if is_one_in(random, 12) then
    given.parameters["l[]"] = random_value(random)
  end
  if is_one_in(random, 12) then
    given.parameters[random_name(random)] = random_value(random)
  end
  if is_one_in(random, 60) then
    given.parameters.data = differential.random_text(random)
  end
  return { given = given }
end

-- --- defaults, headers and media types --------------------------------------------------

local PARAMETERS = { "a", "b", "x-y", "per_page", "l[]", "é", "api_key", "Token", "data", "" }
local HEADERS = {
  "authorization",
  "X-Api-Key",
  "x-trace",
  "accept",
  "Accept-Language",
  "user-agent",
  "content-type",
}
local HOMES = {
  "https://home.example",
  "https://home.example/v1",
  "https://u:" .. SECRET .. "@home.example:443/v1",
  "HTTP://[::1]:8080",
  "ftp://home.example:21",
  "",
  "/v1",
  null,
}
local OTHER_BASES = {
  "https://HOME.example:0443/v2",
  "https://home.example:8443",
  "http://home.example",
  "https://evil.example",
  "https://x:" .. SECRET .. "@home.example",
  "https://u:" .. SECRET .. "@home.example",
  "http://[::1]:8080/",
  "https://home.example/?",
  "",
  "/v1",
  null,
  "evil",
  "https://evil.example/..",
  "ftp://home.example",
}
local WHOLE_STARTS = {
  "https://home.example",
  "HTTPS://Home.Example:443/x",
  "https://home.example:/",
  "https://home.example:444",
  "https://u:" .. SECRET .. "@home.example/x",
  "https://U:" .. SECRET .. "@home.example/x",
  "https://home.example.evil/",
  "https://home.example@evil.example/",
  "http://home.example:443",
  "http://[::1]:8080/x",
  "ftp://home.example/",
  "https://{a}/x",
  "https://{+a}",
  "https://{a}@home.example/",
  "//evil.example",
  "/x",
  "/x",
  "/x",
  "",
  "{+a}",
}
local QUERIES = {
  "?per_page=5",
  "&per_page",
  "?l%5B%5D=1",
  "?l[]=1",
  "?a=1&b=2",
  "?x-y",
  "?a{b}",
  "?a{&b}",
  "?b{#c}",
  "?{a}=1",
  "?%61=1",
  "&a=",
  "#",
  "#?a=1",
  "?é=1",
  "?%C3%A9",
  "?%c3%a9=",
  "?=&a;b",
  "&&",
  "{?a}",
  "{&a,b}",
  "{+a}?b",
  "/:a",
  "?c&api_key=1",
  "?a?b&b",
  "{#c}?a",
  "{/a}",
}
local FORMATS = { "raw", "html.v2+json", "", null, "-bad", "a b" }
local PREVIEWS = { "p", "q-preview", "p-preview-preview", "x_y", "-bad", null }
local ACCEPT = {
  "application/vnd.",
  "service",
  ".v3",
  ".raw",
  "+json",
  ";q=1",
  ",",
  " ",
  "foo-preview",
  "-preview",
  "a",
  "application/vnd.gh.v3.x+json",
  "application/json",
  "application/Octet-stream",
}
local FAULTY_HEADERS = {
  { ["a b"] = "v" },
  { a = "v\n" },
  { a = 1 / 0 },
  { A = "v", a = "w" },
  { a = { "v", 1 } },
  { "v" },
}

local function random_url(random)
  local pieces = { pick(random, WHOLE_STARTS) }
  if is_one_in(random, 8) then
    pieces = differential.random_call(random).given.url
  end
  for _ = 1, random(4) - 1 do
    pieces[#pieces + 1] = pick(random, QUERIES)
  end
  return pieces
end

local function random_fields(random, names)
  local fields = {}
  for _ = 1, random(4) - 1 do
    fields[pick(random, names)] = is_one_in(random, 5) and null
      or pick(random, { "v", "w", { "v", "w" } })
  end
  return fields
end

local function random_parameters(random)
  local fields = random_fields(random, PARAMETERS)
  if is_one_in(random, 4) then
    for name, value in pairs(differential.random_call(random).given.parameters) do
      fields[name] = value
    end
  end
  return fields
end

local function random_headers(random)
  local headers = random_fields(random, HEADERS)
  if is_one_in(random, 3) then
    local accept = ""
    for _ = 1, random(5) do
      accept = accept .. pick(random, ACCEPT)
    end
    headers.accept = accept
  end
  if is_one_in(random, 20) then
    headers = pick(random, FAULTY_HEADERS)
  end
  return is_one_in(random, 12) and null or headers
end

local function random_media_type(random)
  local media = { format = is_one_in(random, 2) and pick(random, FORMATS) or nil }
  if is_one_in(random, 2) then
    media.previews = { pick(random, PREVIEWS) }
  end
  if media.previews and is_one_in(random, 3) then
    media.previews[2] = pick(random, PREVIEWS)
  end
  if is_one_in(random, 30) then
    media[pick(random, { "formats", 1 })] = "raw"
  end
  if is_one_in(random, 20) then
    media.previews = pick(random, { null, "p", { p = "q" } })
  end
  return is_one_in(random, 12) and null or media
end

function differential.random_whole_call(random)
  local defaults = { baseUrl = pick(random, HOMES), headers = random_headers(random) }
  local given = { parameters = random_parameters(random) }
  defaults.parameters = random_parameters(random)
  if is_one_in(random, 5) then
    defaults.url = random_url(random)
  end
  if not defaults.url or is_one_in(random, 3) then
    given.url = random_url(random)
  end
  if is_one_in(random, 6) then
    defaults.method = pick(random, { "post", "Head", "get", null })
  end
  if is_one_in(random, 4) then
    given.method = pick(random, { "post", "HEAD", "get", null, "PUT", "G T" })
  end
  if is_one_in(random, 3) then
    given.headers = random_headers(random)
  end
  if is_one_in(random, 6) then
    defaults.mediaType = random_media_type(random)
  end
  if is_one_in(random, 4) then
    given.mediaType = random_media_type(random)
  end
  if is_one_in(random, 3) then
    given.baseUrl = pick(random, OTHER_BASES)
  end
  return { defaults = defaults, given = given }
end

-- --- one call ---------------------------------------------------------------------------

-- The options that a side of a call means.
function differential.options(side)
  local options = {}
  for name, value in pairs(side) do
    options[name] = value
  end
  options.url, options.parameters = side.url and table.concat(side.url), nil
  for name, value in pairs(side.parameters) do
    options[name] = value
  end
  return options
end

function differential.compare(call)
  local kind, text, ending, answer = judge.compare(
    call.defaults and differential.options(call.defaults),
    nil,
    differential.options(call.given)
  )
  local message = answer and not answer[1] and answer[2]
  if message and message:find(SECRET, 1, true) then
    return "the message shows a secret", message, ending, answer
  end
  return kind, text, ending, answer
end

-- --- many calls ----------------------------------------------------------------------------

-- Runs `count` calls of a generator. Returns how many ended how, how many differ, and the shortest
-- of each kind of difference as a text.
function differential.run(seed, count, random_call)
  local random = support.random(seed)
  local tally, differing, shortest = { url = 0, raised = 0, away = 0, refused = 0 }, 0, {}
  for _ = 1, count do
    local call = random_call(random)
    local kind, text, ending = differential.compare(call)
    tally[ending] = tally[ending] + 1
    if kind then
      differing = differing + 1
      local shown = ("%s: %s\n  %s"):format(kind, support.shown(call), text)
      if #shown < #(shortest[kind] or shown .. " ") then
        shortest[kind] = shown
      end
    end
  end
  local texts = {}
  for i, kind in ipairs(support.keys(shortest)) do
    texts[i] = shortest[kind]
  end
  return tally, differing, texts
end

local function main(seed, count)
  local failed = false
  for _, generator in ipairs { "random_call", "random_whole_call" } do
    local tally, differing, texts = differential.run(seed, count, differential[generator])
    for _, text in ipairs(texts) do
      print(text)
    end
    print(
      (
        "%s: %d calls, seed %d: %d URLs, %d errors, %d kept at home, %d without an endpoint, %d "
        .. "differ"
      ):format(
        generator,
        count,
        seed,
        tally.url,
        tally.raised,
        tally.away,
        tally.refused,
        differing
      )
    )
    failed = failed or differing > 0 or tally.url < count / 10
  end
  os.exit(failed and 1 or 0)
end

if arg and arg[0] and arg[0]:find "differential%.lua$" then
  main(tonumber(arg[1]) or 1, tonumber(arg[2]) or 100000)
end

return differential
