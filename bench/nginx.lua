-- Microseconds of clients.ngx_proxy in a real nginx, beside by hand, in interleaved rounds:
--   make LUA=luajit && LUA_CPATH='build/lua5.4/?.so;;' LUA_PATH='spec/lib/?.lua;spec/?.lua;;' lua5.4 bench/nginx.lua
-- By hand is the least that sends the same: it drops the client's headers and body, checks nothing,
-- and has its URL already. The last three give the client's request ten headers each time.
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
