-- What a request through a gateway in nginx takes of its worker, beside one by hand and a bare
-- proxy_pass: instructions, under valgrind; and microseconds of CPU with a check of the call and
-- without, which may differ by one, and with a check of the request and without. A handler that
-- does nothing shows what nginx takes to enter Lua at all. `make bench` runs it.
local server = require "server"

local running, start, stop = server.plan {
  locations = "location /users/ { return 200 '{}'; }",
  outside = "keepalive_requests 1000000;",
}
start()

local GATEWAY = [[
init_worker_by_lua_block {
  package.loaded.api = require "endpoint".defaults { baseUrl = "http://api.example",
    headers = { authorization = "Bearer 0123456789", accept = "application/json",
      ["user-agent"] = "x/1" } }
  local made = require "endpoint.types".generate({
    openapi = "3.1.0",
    paths = { ["/users/{id}/repos"] = { get = { parameters = {
      { ["in"] = "path", name = "id", required = true, schema = { type = "string" } },
      { ["in"] = "query", name = "page", schema = { type = "integer", minimum = 1 } },
    } } }, ["/request"] = { get = { parameters = {
      { ["in"] = "query", name = "id", required = true, schema = { type = "string" } },
    } } } },
  }, "rules", { checks = true })
  package.loaded.rules = assert(loadstring(made.files[#made.files - 1].text))()
  package.loaded.ngx_proxy = require "endpoint.clients".ngx_proxy
}
proxy_http_version 1.1;
keepalive_requests 1000000;
upstream api.example { server 127.0.0.1:@PORT@; keepalive 16; }
]]

-- By hand is the least that sends the same: it drops the client's headers and body, and checks
-- nothing.
local PROXIES = [[
set $target ""; set $token "";
proxy_set_header Connection "";
location = /nginx { proxy_pass http://api.example/users/lua/repos?page=2; }
location = /empty { access_by_lua_block { }
  proxy_pass http://api.example/users/lua/repos?page=2; }
location = /request { access_by_lua_block {
    local nginx = require "endpoint.checks.nginx"
    local operation, status, problems = require "rules".request(nginx.read())
    if not operation then return nginx.refuse(status, problems) end
  }
  proxy_pass http://api.example/users/lua/repos?page=2; }
location = /hand { access_by_lua_block {
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
  proxy_pass $target; proxy_set_header Connection ""; proxy_set_header Authorization $token; }
location = /rules { access_by_lua_block {
    local id = ngx.req.get_uri_args().id
    local options = { id = id, page = 2 }
    local ok, r = pcall(require "rules".check, "GET /users/{id}/repos", options)
    if ok then ok, r = pcall(require "api", "GET /users/{id}/repos", options) end
    if not ok then return ngx.exit(400) end
    ngx.var.target = require "ngx_proxy"(r, { variables = { authorization = "token" } })
  }
  proxy_pass $target; proxy_set_header Connection ""; proxy_set_header Authorization $token; }
location = /ours { access_by_lua_block {
    local id = ngx.req.get_uri_args().id
    local ok, r = pcall(require "api", "GET /users/{id}/repos", { id = id, page = 2 })
    if not ok then return ngx.exit(400) end
    ngx.var.target = require "ngx_proxy"(r, { variables = { authorization = "token" } })
  }
  proxy_pass $target; proxy_set_header Connection ""; proxy_set_header Authorization $token; }
]]

-- The seconds of CPU that the worker has used, its own and the kernel's for it.
local CLOCK = [[
location = /clock { content_by_lua_block { ngx.print(("%.6f"):format(os.clock())) } }
]]

local function plan(under)
  return server.plan {
    locations = PROXIES .. CLOCK,
    outside = GATEWAY:gsub("@PORT@", running.port),
    under = under,
  }
end

local function send(gateway, path, how)
  local answered = server.shell(("ab -q -k %s '%s%s?id=lua'"):format(how, gateway.url, path))
  assert(not answered:find "Non%-2xx", "a request was refused: " .. path)
end

-- Of a gateway's worker that answers so many requests for a path.
local function instructions(path, words, count)
  local logs = server.shell "mktemp -d"
  local gateway, start_gateway, stop_gateway =
    plan("valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" .. logs .. "/%p")
  start_gateway()
  send(gateway, path, ("-c 1 -n %d %s"):format(count, words))
  stop_gateway()
  return tonumber(
    server.shell(
      "sed -n 's/.*Collected : //p' " .. logs .. "/* | sort -n | tail -n 1; rm -r " .. logs
    )
  )
end

local TEN = (" -H 'x-header-%d: some value'"):rep(10):format(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
for _, words in ipairs { "", TEN } do
  for _, path in ipairs { "/nginx", "/empty", "/request", "/hand", "/ours", "/rules" } do
    local few, many = instructions(path, words, 1000), instructions(path, words, 3000)
    print(
      ("%-9s%-16s %7.0f instructions a request"):format(
        path,
        words == "" and "" or "ten headers",
        (many - few) / 2000
      )
    )
  end
end
-- --- microseconds of CPU ----------------------------------------------------------

local ROUNDS, REQUESTS = 200, 500

local function microseconds(gateway, path)
  local clock = "curl -s " .. gateway.url .. "/clock"
  local before = tonumber(server.shell(clock))
  send(gateway, path, "-c 4 -n " .. REQUESTS)
  return (tonumber(server.shell(clock)) - before) / REQUESTS * 1e6
end

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

-- Each round has each path once, and each round begins with another of them. Of a round the
-- differences to the first path are taken: their medians are returned.
local function differences(paths)
  local gateway, start_gateway, stop_gateway = plan()
  start_gateway()
  local took, medians = {}, {}
  for round = 1, ROUNDS do
    took[round] = {}
    for turn = 1, #paths do
      local position = (round + turn) % #paths + 1
      took[round][position] = microseconds(gateway, paths[position])
    end
  end
  stop_gateway()
  for position = 1, #paths do
    local list = {}
    for round = 1, ROUNDS do
      list[round] = took[round][position] - (position > 1 and took[round][1] or 0)
    end
    medians[position] = median(list)
  end
  return medians
end

local check = differences { "/ours", "/rules" }
local words = "\nmicroseconds of CPU a request: %.1f; rules.check adds %.2f (at most 1)"
print(words:format(check[1], check[2]))
local request = differences { "/nginx", "/empty", "/request" }
print(("\nmicroseconds of CPU a request: %.1f of a bare proxy_pass"):format(request[1]))
words = "a handler that does nothing adds %.2f, one with rules.request %.2f (the goal is 4)"
print(words:format(request[2], request[3]))
stop()
os.exit(check[2] <= 1)
