-- Whole requests beside what a user would take instead. `make bench` runs it:
--   [ROUNDS=7] [COUNT=2000] lua5.4 bench/requests.lua
--
-- Microseconds of CPU a request, over a kept connection to an nginx on this machine, decoded: the
-- fastest of interleaved rounds, for the others have met what else the machine does. Inside nginx
-- it is the worker that asks, which also answers, by http alone. bench/ways.lua has the ways.
-- NGINX_LUA_PATH has the folders of lua-resty-http and lua-resty-string.
--
-- Then a long response to a file beside curl, and server-sent events beside eventsource-parser.
--
-- A limit that is not met makes it fail.
local limits = require "bench.limits"
local server = require "server"

local ROUNDS, COUNT = tonumber(os.getenv "ROUNDS") or 7, tonumber(os.getenv "COUNT") or 2000

-- 24 lines of a head, as GitHub sends them for a repository.
local HEADERS = [[
add_header cache-control "private, max-age=60, s-maxage=60";
add_header vary "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept";
add_header etag 'W/"0f4ac2f1d4cc0ddd2e8b9bd2d0b2f7b5"';
add_header x-oauth-scopes "repo, user";
add_header x-accepted-oauth-scopes "repo";
add_header x-github-media-type "github.v3; format=json";
add_header x-github-api-version-selected "2022-11-28";
add_header access-control-expose-headers "ETag, Link, Location, Retry-After, X-RateLimit-Limit";
add_header access-control-allow-origin "*";
add_header strict-transport-security "max-age=31536000; includeSubdomains; preload";
add_header x-frame-options "deny";
add_header x-content-type-options "nosniff";
add_header x-xss-protection "0";
add_header referrer-policy "origin-when-cross-origin, strict-origin-when-cross-origin";
add_header content-security-policy "default-src 'none'";
add_header x-ratelimit-limit "5000";
add_header x-ratelimit-remaining "4987";
add_header x-ratelimit-reset "1790000000";
add_header x-github-request-id "C0DE:1F2A:3B4C5D:6E7F80:66666666";
]]

local JSON = '{"id": "x", "list": [1, 2, 3], "text": "' .. ("word "):rep(32) .. '"}'

local LOCATIONS = ([[
default_type application/json;
location = /small { return 200 '@JSON@'; }
location = /headers { @HEADERS@ return 200 '@JSON@'; }
location = /long { alias @DIRECTORY@/long; }
location = /ask { content_by_lua_block {
  local own = ngx.req.get_uri_args()
  local ways = require "bench.ways"
  ngx.say(ways.microseconds(own.way, own.case, own.base, nil, tonumber(own.count)))
} }
]]):gsub("@HEADERS@", HEADERS):gsub("@JSON@", JSON)

local running, start, stop = server.plan {
  locations = LOCATIONS,
  errors = "resty",
  outside = "keepalive_requests 1000000;",
  prepare = function(directory)
    server.shell(("head -c 209715200 /dev/urandom >%s/long"):format(directory))
  end,
}

-- What a way takes for a case on a Lua, or in nginx; nil if it is not here. nginx' sockets take no
-- certificate of an address.
local function measured(lua, way, scheme, case)
  local base = scheme == "http" and running.url or running.tls_url
  if lua == "nginx" then
    local path = "/ask?way=%s&case=%s&count=%d&base=%s"
    return scheme == "http" and tonumber(server.fetch(running, path:format(way, case, COUNT, base)))
      or nil
  end
  return tonumber(
    server.run(
      lua,
      ("%s bench/ways.lua '%s' %s %s %s/certificate.pem %d"):format(
        lua,
        way,
        case,
        base,
        running.directory,
        COUNT
      )
    )
  )
end

local ROWS = {
  { "lua5.4", "luasocket" },
  { "lua5.4", "by hand" },
  { "luajit", "luasocket" },
  { "luajit", "by hand" },
  { "luajit", "curl" },
  { "luajit", "lua-curl" },
  { "nginx", "resty_http" },
  { "nginx", "lua-resty-http" },
}
local COLUMNS = {
  { "http", "small", "GET" },
  { "http", "headers", "GET, 24 lines in the head" },
  { "http", "post", "POST" },
  { "https", "small", "GET, https" },
  { "https", "post", "POST, https" },
}

-- The fastest so far, as fastest["luajit curl"]["https post"].
local fastest = {}

local function measure(row, column)
  local name, key = table.concat(row, " "), column[1] .. " " .. column[2]
  local took = measured(row[1], row[2], column[1], column[2])
  fastest[name] = fastest[name] or {}
  fastest[name][key] = took and math.min(took, fastest[name][key] or took) or nil
end

local function print_requests()
  print "\nMicroseconds of CPU a request, the fastest of interleaved rounds.\n"
  local titles = {}
  for i, column in ipairs(COLUMNS) do
    titles[i] = column[3]
  end
  print("| Lua | sent by | " .. table.concat(titles, " | ") .. " |")
  print("|" .. ("---|"):rep(#COLUMNS + 2))
  for _, row in ipairs(ROWS) do
    local cells = {}
    for i, column in ipairs(COLUMNS) do
      local took = fastest[table.concat(row, " ")][column[1] .. " " .. column[2]]
      cells[i] = took and ("%.0f"):format(took) or "–"
    end
    print(("| %s | %s | %s |"):format(row[1], row[2], table.concat(cells, " | ")))
  end
end

-- --- a long response, and events ------------------------------------------------------

-- The milliseconds of CPU of a command, with what it starts.
local function milliseconds_of_download(command)
  local filled = command:format(running.url .. "/long", running.directory)
  local times = server.shell(filled .. "; times"):match "[^\n]*$"
  local total = 0
  for minutes, seconds in times:gmatch "(%d+)m([%d.]+)s" do
    total = total + minutes * 60 + seconds
  end
  return total * 1000
end

local function milliseconds_of_events(command)
  return tonumber(server.shell(("%s %s/events 2>&1"):format(command, running.directory)))
end

local function ours(lua, program)
  return server.command(lua, lua .. " bench/" .. program)
end

local DOWNLOADS = {
  { "lua5.4", "luasocket", ours("lua5.4", "download.lua %s %s/got") },
  { "luajit", "luasocket", ours("luajit", "download.lua %s %s/got") },
  { "–", "curl, the program", "curl -s %s -o %s/got" },
}
local EVENTS = {
  { "lua5.4", "request.events", ours("lua5.4", "events.lua") },
  { "luajit", "request.events", ours("luajit", "events.lua") },
  { "node", "eventsource-parser", "node bench/events.mjs" },
}

-- Lines that a language model's API sends for 100,000 words.
local function write_events()
  local file = assert(io.open(running.directory .. "/events", "w"))
  local event =
    'data: {"id":"c1","object":"chunk","choices":[{"index":0,"delta":{"content":" %d"}}]}'
  for i = 1, 100000 do
    assert(file:write(event:format(i), "\n\n"))
  end
  assert(file:close())
end

-- Adds what is measured of each row's command to the row, if it is the fastest so far.
local function measure_all(rows, measure_one)
  for _, row in ipairs(rows) do
    local took = measure_one(row[3])
    row.took = took and math.min(took, row.took or took) or nil
  end
end

local function print_all(rows, title)
  print(("\n| Lua | %s | milliseconds of CPU |\n|---|---|---|"):format(title))
  for _, row in ipairs(rows) do
    print(
      ("| %s | %s | %s |"):format(row[1], row[2], row.took and ("%.0f"):format(row.took) or "–")
    )
  end
end

-- --- limits -----------------------------------------------------------------------

-- Ours, a peer, a case of both, and how many times the peer's time ours may be.
local LIMITS = {
  { "lua5.4 luasocket", "lua5.4 by hand", "http small", 2.2 },
  { "lua5.4 luasocket", "lua5.4 by hand", "http headers", 2.2 },
  { "lua5.4 luasocket", "lua5.4 by hand", "http post", 2.2 },
  { "luajit luasocket", "luajit by hand", "http small", 2 },
  { "luajit luasocket", "luajit by hand", "http headers", 2 },
  { "luajit luasocket", "luajit by hand", "http post", 2 },
  { "luajit luasocket", "luajit lua-curl", "http small", 1.6 },
  { "luajit luasocket", "luajit lua-curl", "http headers", 1.6 },
  { "luajit luasocket", "luajit lua-curl", "http post", 1.6 },
}

local function print_limits()
  limits.head()
  for _, limit in ipairs(LIMITS) do
    local mine, peer, case, most = table.unpack(limit)
    limits.print(
      ("%s, beside %s: %s"):format(mine, peer, case),
      fastest[mine][case],
      fastest[peer][case],
      most
    )
  end
  for _, lua in ipairs { "lua5.4 luasocket", "luajit luasocket" } do
    local own = fastest[lua]
    limits.print(lua .. ": POST beside GET, https", own["https post"], own["https small"], 1.4)
  end
  for row = 1, 2 do
    local name = DOWNLOADS[row][1] .. " luasocket"
    limits.print(name .. ", beside curl: 200 MB", DOWNLOADS[row].took, DOWNLOADS[3].took, 1.3)
  end
  limits.print("luajit, beside eventsource-parser: events", EVENTS[2].took, EVENTS[3].took, 4.5)
end

start()
write_events()
for _ = 1, ROUNDS do
  for _, row in ipairs(ROWS) do
    for _, column in ipairs(COLUMNS) do
      measure(row, column)
    end
  end
  measure_all(DOWNLOADS, milliseconds_of_download)
  measure_all(EVENTS, milliseconds_of_events)
end
stop()
print_requests()
print_all(DOWNLOADS, "200 MB to a file by")
print_all(EVENTS, "100,000 events by")
print_limits()
limits.exit()
