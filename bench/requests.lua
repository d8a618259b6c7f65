-- Whole requests, those of endpoint.request and those through a gateway in nginx. `make bench` runs
-- it.
--
-- Milliseconds of 100 and of 1,000 GETs of a small JSON, one after the other, decoded:
-- endpoint.request with each client, libcurl alone, and lua-resty-http. All keep connections, but
-- for endpoint.request over libcurl 7.84 to 8.0. Each time is that of new connections, and the
-- fastest of interleaved rounds, for the others have met what else the machine does. The server is
-- an nginx on this machine; inside nginx it is the worker that asks, by http alone. NGINX_LUA_PATH
-- has the folders of lua-resty-http and lua-resty-string.
--
-- Under valgrind the instructions of a request through a gateway, beside one by hand and a bare
-- proxy_pass.
local server = require "server"

local ROUNDS = tonumber(os.getenv "ROUNDS") or 7

-- A function of a base address and a file of certificates, which gives a function that asks once.
local WAYS = [[
local json, ways = require "cjson", {}
local function of_client(client)
  return function(base, cafile)
    local headers = { accept = "application/json" }
    local api = require "endpoint".defaults { baseUrl = base, headers = headers }
    local send = require "endpoint.request".new(api, { client = client, cafile = cafile })
    return function(i) return send("GET /small", { i = i }) end
  end
end
ways.luasocket, ways.curl = of_client "luasocket", of_client "curl"
ways.resty_http = of_client "resty_http"

ways["libcurl alone"] = function(base, cafile)
  local easy, CAINFO, CAPATH, URL = require "curl".easy_init(), 10065, 10097, 10002
  local WRITEFUNCTION, HTTPHEADER = 20011, 10023
  return function(i)
    local pieces = {}
    easy:setopt(CAINFO, cafile)
    easy:setopt(CAPATH, "/dev/null") -- as endpoint.request has it: to read the system's takes 85 ms
    easy:setopt(URL, base .. "/small?i=" .. i)
    easy:setopt(HTTPHEADER, { "accept: application/json" })
    easy:setopt(WRITEFUNCTION, function(piece)
      pieces[#pieces + 1] = piece
      return #piece
    end)
    assert(easy:perform())
    return json.decode(table.concat(pieces))
  end
end

ways["lua-resty-http"] = function(base)
  local http = require "resty.http"
  return function(i)
    local options = { headers = { accept = "application/json" } }
    local response = assert(http.new():request_uri(base .. "/small?i=" .. i, options))
    return json.decode(response.body)
  end
end

local function milliseconds(way, now, base, cafile, count)
  local ask, began = ways[way](base, cafile), now()
  for i = 1, count do assert(ask(i).id == "x") end
  return ("%.0f"):format((now() - began) * 1000)
end
]]

local PROGRAM = WAYS
  .. [[
print(milliseconds(arg[1], require "socket".gettime, arg[2], arg[3], tonumber(arg[4])))]]

local LOCATIONS = [[
location = /small { default_type application/json; return 200 '{"id": "x", "list": [1, 2, 3]}'; }
location /users/ { return 200 '{}'; }
location = /ask { content_by_lua_block { ]] .. WAYS .. [[
  local function now() return ngx.update_time() or ngx.now() end
  local own = ngx.req.get_uri_args()
  ngx.say(milliseconds(own.way, now, own.base, nil, tonumber(own.count)))
} }
]]

local running, start, stop =
  server.plan { locations = LOCATIONS, errors = "resty", outside = "keepalive_requests 1000000;" }
start()

-- What a way takes on a Lua, or in nginx; nil if it is not here. nginx' sockets take no certificate
-- of an address.
local function measure(lua, way, scheme, count)
  local base = ("%s://127.0.0.1:%d"):format(
    scheme,
    scheme == "http" and running.port or running.second_port
  )
  if lua == "nginx" then
    return scheme == "http"
      and tonumber(server.fetch(running, ("/ask?way=%s&count=%d&base=%s"):format(way, count, base)))
  end
  return tonumber(
    server.run_code(
      running,
      lua,
      PROGRAM,
      ("'%s' %s %s/certificate.pem %d"):format(way, base, running.directory, count)
    )
  )
end

print "\n| Lua | sent by | 100, http | 1,000, http | 100, https | 1,000, https |"
print "|---|---|---|---|---|---|"
local CASES = {
  { "lua5.4", "luasocket" },
  { "luajit", "luasocket" },
  { "luajit", "curl" },
  { "luajit", "libcurl alone" },
  { "nginx", "resty_http" },
  { "nginx", "lua-resty-http" },
}
local fastest = {} -- of each case, in the order of the columns
for _ = 1, ROUNDS do
  for i, case in ipairs(CASES) do
    local times = fastest[i] or {}
    fastest[i] = times
    for column, run in ipairs {
      { "http", 100 },
      { "http", 1000 },
      { "https", 100 },
      { "https", 1000 },
    } do
      local took = measure(case[1], case[2], run[1], run[2])
      times[column] = took and math.min(took, times[column] or took) or "NOT RUN"
    end
  end
end
for i, case in ipairs(CASES) do
  print(("| %s | %s | %s |"):format(case[1], case[2], table.concat(fastest[i], " | ")))
end

-- --- through a gateway

local GATEWAY = [[
init_worker_by_lua_block {
  package.loaded.api = require "endpoint".defaults { baseUrl = "http://api.example",
    headers = { authorization = "Bearer 0123456789", accept = "application/json",
      ["user-agent"] = "x/1" } }
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
location = /ours { access_by_lua_block {
    local id = ngx.req.get_uri_args().id
    local ok, r = pcall(require "api", "GET /users/{id}/repos", { id = id, page = 2 })
    if not ok then return ngx.exit(400) end
    ngx.var.target = require "ngx_proxy"(r, { variables = { authorization = "token" } })
  }
  proxy_pass $target; proxy_set_header Connection ""; proxy_set_header Authorization $token; }
]]

-- Of a gateway's worker that answers so many requests for a path.
local function instructions(path, words, count)
  local logs = server.shell "mktemp -d"
  local gateway, start_gateway, stop_gateway = server.plan {
    locations = PROXIES,
    outside = GATEWAY:gsub("@PORT@", running.port),
    under = "valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=" .. logs .. "/%p",
  }
  start_gateway()
  server.shell(("ab -q -k -c 1 -n %d %s '%s%s?id=lua'"):format(count, words, gateway.url, path))
  stop_gateway()
  return tonumber(
    server.shell(
      "sed -n 's/.*Collected : //p' " .. logs .. "/* | sort -n | tail -n 1; rm -r " .. logs
    )
  )
end

local TEN = (" -H 'x-header-%d: some value'"):rep(10):format(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
for _, words in ipairs { "", TEN } do
  for _, path in ipairs { "/nginx", "/hand", "/ours" } do
    local few, many = instructions(path, words, 1000), instructions(path, words, 3000)
    print(
      ("%-8s%-16s %7.0f instructions a request"):format(
        path,
        words == "" and "" or "ten headers",
        (many - few) / 2000
      )
    )
  end
end
stop()
