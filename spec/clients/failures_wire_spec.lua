-- What docs/nginx.md says of an API that is slow, closes connections, moves, refuses our token or answers too
-- much, with the directives and the group of its first block. The nginx of this spec plays the API, too, at
-- two other addresses.
local examples = require "docs.examples"
local server = require "server"
local socket = require "socket"
local support = require "support"

local FIRST = examples.blocks_in(support.read "docs/nginx.md", "nginx")[1].code

-- The API answers by the last word of its path, and counts what reached it.
local LOCATIONS = [[
listen 127.0.0.2:@PORT@;
listen 127.0.0.3:@PORT@;
location /api/ { content_by_lua_block {
  local word = ngx.var.uri:match "%w+$"
  ngx.shared.seen:incr(ngx.req.get_method() .. " " .. word, 1, 0)
  if word == "babbles" then return ngx.req.socket(true):send "\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n" end
  if word == "slow" then ngx.sleep(0.5) end
  local is_kept = ngx.var.connection_requests ~= "1"
  if is_kept and (word == "closes" or word == "dies" and ngx.var.server_addr == "127.0.0.2") then return ngx.exit(444) end
  if word == "refuses" then ngx.status, ngx.header.www_authenticate = 401, 'Bearer error="bad secret"' end
  for line in ("Set-Cookie: a=b|Strict-Transport-Security: max-age=9|Clear-Site-Data: *|X-Oauth-Scopes: repo|"
    .. "Access-Control-Allow-Origin: *|Access-Control-Allow-Credentials: true|X-Accel-Limit-Rate: 1"):gmatch "[^|]+" do
    local name, value = line:match "^(.-): (.*)$"
    ngx.header[name] = word == "talks" and value or nil
  end
  ngx.print(ngx.var.server_addr, (" "):rep(3000))
} }
location = /count { content_by_lua_block { ngx.print(ngx.shared.seen:get(ngx.unescape_uri(ngx.var.args)) or 0) } }
location = /own { access_by_lua_block { ngx.header.www_authenticate = "Bearer" ngx.exit(401) } proxy_pass http://two.test; }
]]

-- The page's own location, for any route; for those that write without the line for GET and HEAD.
local READ, REFUSED = FIRST:match "server {\n(.*)}\n$"
  :gsub('require "github" %b()', "require(ngx.var.arg_of) (ngx.unescape_uri(ngx.var.arg_route))"):match "^(.-\n  }\n)(.*)$"
LOCATIONS = LOCATIONS .. READ:gsub("/readme", "/read")
  .. READ:gsub("/readme", "/write"):gsub("proxy_next_upstream error;", "") .. REFUSED

local ENDPOINTS = [[
lua_shared_dict seen 1m;
init_worker_by_lua_block {
  for name, host in pairs { two = "two.test", group = "group.test", moving = "moving.test:@PORT@",
    silent = "silent.test" } do
    package.loaded[name] = require "endpoint".defaults { baseUrl = "http://" .. host .. "/api",
      headers = { authorization = "ours" } }
  end
}
]]

-- The page's directives, with the addresses of this run.
local function outside_of(dns)
  local text = server.fitted(FIRST:match "^(.-)server {"):gsub("proxy_read_timeout 30s", "proxy_read_timeout 250ms")
    :gsub("resolver_timeout 3s", "resolver_timeout 250ms")
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem"):gsub("127%.0%.0%.53", "127.0.0.1:" .. dns)
  local words = text:match "server api.github.com:443([^;]*);":gsub(" resolve", "")
  local two = text:match "\nupstream .*$":gsub("api.github.com", "two.test")
    :gsub("server [^;]*;", ("server 127.0.0.2:@PORT@%s; server 127.0.0.3:@PORT@%s;"):format(words, words))
  local named = text:match "\nupstream .*$":gsub("api.github.com:443", "%0:@PORT@"):gsub(":443:", ":")
    :gsub("api.github.com", "group.test")
  return text:gsub("\nupstream .*$", "") .. two .. (server.is_new and named or "") .. ENDPOINTS
end

describe("an API that fails", function()
  local names = os.tmpname()
  local function name(lines) support.write(names, lines) end
  name ""
  local dns = io.popen("echo $$; exec timeout 60 lua5.4 spec/lib/dns.lua " .. names)
  local pid, dns_port = dns:read "*l", dns:read "*l"
  local running, start, stop = server.plan { locations = LOCATIONS, outside = outside_of(dns_port), errors = "" }
  setup(start)
  teardown(function()
    server.shell("kill " .. pid)
    stop()
    dns:close()
    os.remove(names)
  end)

  -- directive: what a block of the page has that an older nginx does not know
  local function it_since(version, directive, what, f)
    if server.is_new then return it(what, f) end
    pending(("%s: nginx has %s since %s, this is %s"):format(what, directive, version, server.version))
  end

  -- The status, and how often the API has seen that method and path.
  local function ask(location, route, words, of)
    local path = ("/%s?of=%s&route=%s"):format(location, of or "two", (route:gsub(" ", "%%20")))
    local status = server.fetch(running, path, "-o /dev/null -w '%{http_code}' " .. (words or ""))
    local count = server.fetch(running, "/count?" .. route:gsub(" /", "%%20"))
    return tonumber(status), tonumber(count)
  end

  -- Leaves a connection to each address.
  local function keep_connections()
    for _ = 1, 4 do assert.equal(200, (ask("read", "GET /fast"))) end
  end

  it("and is slow for one client is there for the others", function()
    assert.equal(504, (ask("read", "GET /slow")))
    for _ = 1, 6 do assert.equal(200, (ask("read", "GET /fast"))) end
  end)

  for _, method in ipairs { "PUT", "DELETE", "POST" } do
    it("gets nothing twice: " .. method .. " of a client's POST", function()
      keep_connections()
      assert.same({ 502, 1 }, { ask("write", method .. " /closes", "-X POST") })
      assert.same({ 504, 1 }, { ask("write", method .. " /slow", "-X POST") })
    end)
  end

  it("and closes a kept connection gets a GET or HEAD again, but none because it is slow", function()
    for method, words in pairs { GET = "", HEAD = "-I" } do
      keep_connections()
      assert.equal(200, (ask("read", method .. " /dies", words)))
      assert.same({ 200, 3 }, { ask("read", method .. " /dies", words) })
    end
    local before = tonumber(server.fetch(running, "/count?GET%20slow"))
    assert.same({ 504, before + 1 }, { ask("read", "GET /slow") })
  end)

  it("and moves is found at its new address by a resolver, without a reload", function()
    for _, address in ipairs { "127.0.0.2", "127.0.0.3" } do
      name("moving.test " .. address .. "\n")
      socket.sleep(1.1)
      assert.equal(address, server.fetch(running, "/read?of=moving&route=GET%20/fast"):match "^%S+")
    end
    name ""
    socket.sleep(1.1)
    assert.equal(502, (ask("read", "GET /fast", "", "moving")))
  end)

  it("and whose name server is silent holds nobody for long", function()
    local begun = socket.gettime()
    assert.equal(502, (ask("read", "GET /fast", "", "silent")))
    assert.is_true(socket.gettime() - begun < 5)
  end)

  -- Its name did not exist when nginx started.
  it_since("1.27.3", "resolve in groups", "and moves is found by its group, without a reload", function()
    assert.equal(502, (ask("read", "GET /fast", "", "group")))
    for _, address in ipairs { "127.0.0.2", "127.0.0.3" } do
      name("group.test " .. address .. "\n")
      for _ = 1, 100 do
        if server.fetch(running, "/read?of=group&route=GET%20/fast"):find(address, 1, true) then break end
        socket.sleep(0.1)
      end
      assert.equal(address, server.fetch(running, "/read?of=group&route=GET%20/fast"):match "^%S+")
    end
  end)

  it("and answers too much sets no cookie, no rule and no rate", function()
    local head = server.fetch(running, "/read?of=two&route=GET%20/talks", "-m 3 -i")
    assert.truthy(head:find("127.0.0.", 1, true) and #head > 3000, head)
    for _, word in ipairs { "cookie", "transport", "site%-data", "oauth", "control%-allow", "accel" } do
      assert.falsy(head:lower():find(word), head)
    end
  end)

  it("and answers without a status line is not heard", function()
    assert.equal("", server.fetch(running, "/read?of=two&route=GET%20/babbles", "--http0.9 -i"))
    assert.equal(200, (ask("read", "GET /fast")))
  end)

  it("and refuses our token is a 502 that says nothing of it, where a 401 of ours stays", function()
    local head = server.fetch(running, "/read?of=two&route=GET%20/refuses", "-i")
    assert.truthy(head:find "^HTTP/1.1 502", head)
    assert.falsy(head:lower():find "authenticate", head)
    head = server.fetch(running, "/own", "-i"):lower()
    assert.truthy(head:find "^http/1.1 401" and head:find "www%-authenticate: bearer\r", head)
  end)

  -- --- a reload ---------------------------------------------------------------------

  local function reload()
    server.shell(("kill -HUP $(cat %s/nginx.pid)"):format(running.directory))
    socket.sleep(0.6)
  end

  it_since("1.27.4", "keepalive_min_timeout", "is asked by a client's kept connection also behind a reload", function()
    local client = assert(socket.connect("127.0.0.1", running.port))
    client:settimeout(10)
    for i = 1, 2 do
      assert(client:send "GET /count?x HTTP/1.1\r\nHost: x\r\n\r\n")
      assert.equal("HTTP/1.1 200 OK", (client:receive "*l"))
      repeat until client:receive "*l" == ""
      client:receive "*l" client:receive "*l" client:receive "*l" client:receive "*l"
      if i == 1 then reload() end
    end
    client:close()
  end)
end)

describe("nginx.conf", function()
  local more = server.shown [[server { listen 127.0.0.1:@SECOND@; location / { content_by_lua_block {
    ngx.say "begun" ngx.flush(true) ngx.sleep(20)
  } } }]]
  local limited
  more.configuration, limited = more.configuration:gsub("worker_shutdown_timeout 1m", "worker_shutdown_timeout 1s")
  local running, start, stop = server.plan(more)
  setup(start)
  teardown(stop)

  it("ends old workers behind a reload, which a websocket would keep", function()
    local client = assert(socket.connect("127.0.0.1", running.second_port))
    client:settimeout(8)
    client:send "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert.equal("HTTP/1.1 200 OK", (client:receive "*l"))
    server.shell(("kill -HUP $(cat %s/nginx.pid)"):format(running.directory))
    assert.same({ 1, nil }, { limited, (select(2, client:receive "*a")) }) -- it is closed in time
    client:close()
  end)
end)
