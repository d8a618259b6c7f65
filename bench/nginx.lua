-- A gateway in a real nginx beside by hand: the instructions of a whole request, if valgrind is here, and the
-- microseconds of clients.ngx_proxy, in interleaved rounds. `make bench` runs it, or:
--   make LUA=luajit && LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;;' lua5.4 bench/nginx.lua
-- By hand is the least that sends the same: it drops the client's headers and body, checks nothing,
-- and has its URL already, or puts it together. The last three give the client's request ten headers each time.
local server = require "server"

local LOCATION = [[
location = /bench { set $token ""; access_by_lua_block {
  local endpoint, clients, now = require "endpoint", require "endpoint.clients", os.clock
  local api = endpoint.defaults { baseUrl = "https://api.example/v1", headers = { authorization = "Bearer 0123456789" } }
  local r = api("GET /users/{id}/repos", { id = "lua", page = 2 })
  local OPTIONS = { variables = { authorization = "token" } }

  local function by_hand()
    ngx.req.read_body()
    ngx.req.set_body_data ""
    for name in pairs(ngx.req.get_headers(0)) do ngx.req.clear_header(name) end
    for name, value in pairs(r.headers) do
      if name == "authorization" then ngx.var.token = value else ngx.req.set_header(name, value) end
    end
    ngx.req.set_header("host", "api.example")
    ngx.req.set_method(ngx.HTTP_GET)
    return r.url
  end

  local NAMES = { "cookie", "accept-language", "accept-encoding", "referer", "x-forwarded-for", "cache-control", "dnt",
    "sec-fetch-mode", "sec-fetch-site", "if-none-match" }
  local function of_client()
    for i = 1, #NAMES do ngx.req.set_header(NAMES[i], "some value") end
  end

  local CASES = {
    { "clients.ngx_proxy", function() return clients.ngx_proxy(r, OPTIONS) end },
    { "by hand", by_hand },
    { "a client's ten headers", of_client },
    { "clients.ngx_proxy behind them", function() of_client() return clients.ngx_proxy(r, OPTIONS) end },
    { "by hand behind them", function() of_client() return by_hand() end },
  }
  local ROUNDS, CALLS, times = 7, 5000, {}
  for round = 0, ROUNDS do -- the first warms up
    for i, case in ipairs(CASES) do
      local start = now()
      for _ = 1, CALLS do case[2]() end
      times[i] = times[i] or {}
      if round > 0 then table.insert(times[i], (now() - start) / CALLS * 1e6) end
    end
  end
  for i, case in ipairs(CASES) do
    table.sort(times[i])
    ngx.say(("%-32s %5.2f us"):format(case[1], times[i][(ROUNDS + 1) / 2]))
  end
  ngx.exit(200)
} }
]]

local running, start, stop = server.plan { locations = LOCATION }
start()
print(server.fetch(running, "/bench", "-H 'accept: */*'"))
stop()

-- --- whole requests -----------------------------------------------------------------

local GATEWAY = [[
proxy_http_version 1.1;
keepalive_requests 1000000;
upstream api.example { server 127.0.0.1:@API@; keepalive 16; }
]]
local LOCATIONS = [[
location = /nginx { proxy_pass http://api.example/users/lua/repos?page=2; proxy_set_header Connection ""; }
location = /hand { set $target ""; set $token ""; access_by_lua_block {
    local id = ngx.req.get_uri_args().id
    if type(id) ~= "string" or id == "" then return ngx.exit(400) end
    ngx.req.read_body()
    ngx.req.set_body_data ""
    for name in pairs(ngx.req.get_headers(0)) do ngx.req.clear_header(name) end
    ngx.req.set_header("accept", "application/json")
    ngx.req.set_header("user-agent", "x/1")
    ngx.req.set_header("host", "api.example")
    ngx.req.set_method(ngx.HTTP_GET)
    ngx.var.token = "Bearer 0123456789"
    ngx.var.target = "http://api.example/users/" .. ngx.escape_uri(id) .. "/repos?page=2"
  }
  proxy_pass $target; proxy_set_header Authorization $token; proxy_set_header Connection ""; }
location = /ours { set $target ""; set $token ""; access_by_lua_block {
    local ok, r = pcall(require "api", "GET /users/{id}/repos", { id = ngx.req.get_uri_args().id, page = 2 })
    if not ok then return ngx.exit(400) end
    ngx.var.target = require "endpoint.clients".ngx_proxy(r, { variables = { authorization = "token" } })
  }
  proxy_pass $target; proxy_set_header Authorization $token; proxy_set_header Connection ""; }
]]
local API = [[
init_worker_by_lua_block {
  package.loaded.api = require "endpoint".defaults { baseUrl = "http://api.example",
    headers = { authorization = "Bearer 0123456789", accept = "application/json", ["user-agent"] = "x/1" } }
}
]]
local TEN = (" -H 'x-header-%d: some value'"):rep(10):format(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)

-- Of a worker that answers so many requests for a path.
local function instructions(port, path, words, count)
  local logs = server.shell "mktemp -d"
  local under = "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" .. logs .. "/%p"
  local gateway, begin, finish = server.plan {
    locations = LOCATIONS, outside = GATEWAY:gsub("@API@", port) .. API, under = under }
  begin()
  server.shell(("ab -q -k -c 1 -n %d %s '%s%s?id=lua'"):format(count, words, gateway.url, path))
  finish()
  local most = server.shell("sed -n 's/.*Collected : //p' " .. logs .. "/* | sort -n | tail -n 1; rm -r " .. logs)
  return tonumber(most)
end

if server.shell "command -v valgrind" == "" then return print "instructions of whole requests: NOT RUN (no valgrind)" end
local api, start_api, stop_api = server.plan {
  locations = "location /users/ { return 200 '{}'; }", outside = "keepalive_requests 1000000;" }
start_api()
for _, words in ipairs { "", TEN } do
  for _, path in ipairs { "/nginx", "/hand", "/ours" } do
    local few, many = instructions(api.port, path, words, 1000), instructions(api.port, path, words, 3000)
    print(("%-8s%-16s %7.0f instructions a request"):format(path, words == "" and "" or "ten headers", (many - few) / 2000))
  end
end
stop_api()
