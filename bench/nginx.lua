-- A gateway in a real nginx beside by hand: the microseconds of clients.ngx_proxy, in interleaved rounds, and under
-- valgrind the instructions of a whole request. `make bench` runs it, or:
--   make LUA=luajit && LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;;' lua5.4 bench/nginx.lua
-- By hand is the least that sends the same: it drops the client's headers and body, and checks nothing. Three of the
-- five give the client's request ten headers each time.
local server = require "server"

local OUTSIDE = [[
init_worker_by_lua_block {
  local clients, OPTIONS, gateway = require "endpoint.clients", { variables = { authorization = "token" } }, {}
  package.loaded.gateway = gateway

  gateway.api = require "endpoint".defaults { baseUrl = "http://api.example",
    headers = { authorization = "Bearer 0123456789", accept = "application/json", ["user-agent"] = "x/1" } }
  function gateway.ours(r) return clients.ngx_proxy(r, OPTIONS) end

  function gateway.by_hand(id)
    ngx.req.read_body()
    ngx.req.set_body_data ""
    for name in pairs(ngx.req.get_headers(0)) do ngx.req.clear_header(name) end
    ngx.req.set_header("accept", "application/json")
    ngx.req.set_header("user-agent", "x/1")
    ngx.req.set_header("host", "api.example")
    ngx.req.set_method(ngx.HTTP_GET)
    ngx.var.token = "Bearer 0123456789"
    return "http://api.example/users/" .. ngx.escape_uri(id) .. "/repos?page=2"
  end
}
proxy_http_version 1.1;
keepalive_requests 1000000;
upstream api.example { server 127.0.0.1:@PORT@; keepalive 16; }
]]

local LOCATIONS = [[
location /users/ { return 200 '{}'; }
location = /bench { set $token ""; access_by_lua_block {
  local gateway, now = require "gateway", os.clock
  local r = gateway.api("GET /users/{id}/repos", { id = "lua", page = 2 })
  local NAMES = { "cookie", "accept-language", "accept-encoding", "referer", "x-forwarded-for", "cache-control", "dnt",
    "sec-fetch-mode", "sec-fetch-site", "if-none-match" }
  local function of_client()
    for i = 1, #NAMES do ngx.req.set_header(NAMES[i], "some value") end
  end
  local CASES = {
    { "clients.ngx_proxy", function() return gateway.ours(r) end },
    { "by hand", function() return gateway.by_hand "lua" end },
    { "a client's ten headers", of_client },
    { "clients.ngx_proxy behind them", function() of_client() return gateway.ours(r) end },
    { "by hand behind them", function() of_client() return gateway.by_hand "lua" end },
  }
  local ROUNDS, CALLS = 7, 5000
  for round = 0, ROUNDS do -- the first warms up
    for _, case in ipairs(CASES) do
      local start = now()
      for _ = 1, CALLS do case[2]() end
      if round > 0 then table.insert(case, (now() - start) / CALLS * 1e6) end
    end
  end
  for _, case in ipairs(CASES) do
    local times = { unpack(case, 3) }
    table.sort(times)
    ngx.say(("%-32s %5.2f us"):format(case[1], times[(ROUNDS + 1) / 2]))
  end
  ngx.exit(200)
} }
location = /nginx { proxy_pass http://api.example/users/lua/repos?page=2; proxy_set_header Connection ""; }
location = /hand { set $target ""; set $token ""; access_by_lua_block {
    local id = ngx.req.get_uri_args().id
    if type(id) ~= "string" or id == "" then return ngx.exit(400) end
    ngx.var.target = require "gateway".by_hand(id)
  }
  proxy_pass $target; proxy_set_header Authorization $token; proxy_set_header Connection ""; }
location = /ours { set $target ""; set $token ""; access_by_lua_block {
    local gateway = require "gateway"
    local ok, r = pcall(gateway.api, "GET /users/{id}/repos", { id = ngx.req.get_uri_args().id, page = 2 })
    if not ok then return ngx.exit(400) end
    ngx.var.target = gateway.ours(r)
  }
  proxy_pass $target; proxy_set_header Authorization $token; proxy_set_header Connection ""; }
]]

local api, start_api, stop_api = server.plan { locations = LOCATIONS, outside = OUTSIDE }
start_api()
print(server.fetch(api, "/bench", "-H 'accept: */*'"))

-- Of a gateway's worker that answers so many requests for a path.
local function instructions(path, words, count)
  local logs = server.shell "mktemp -d"
  local gateway, start, stop = server.plan { locations = LOCATIONS, outside = OUTSIDE:gsub("@PORT@", api.port),
    under = "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" .. logs .. "/%p" }
  start()
  server.shell(("ab -q -k -c 1 -n %d %s '%s%s?id=lua'"):format(count, words, gateway.url, path))
  stop()
  return tonumber(server.shell("sed -n 's/.*Collected : //p' " .. logs .. "/* | sort -n | tail -n 1; rm -r " .. logs))
end

local TEN = (" -H 'x-header-%d: some value'"):rep(10):format(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
for _, words in ipairs { "", TEN } do
  for _, path in ipairs { "/nginx", "/hand", "/ours" } do
    local few, many = instructions(path, words, 1000), instructions(path, words, 3000)
    print(("%-8s%-16s %7.0f instructions a request"):format(path, words == "" and "" or "ten headers", (many - few) / 2000))
  end
end
stop_api()
