-- The locations that the documents show for nginx, in a real one, with these addresses. The spec plays
-- the API; over TLS the echo of the same nginx does. And what happens behind an installation.
local echo = require "wire.echo"
local endpoint = require "endpoint"
local examples = require "examples"
local server = require "wire.server"
local support = require "support"
local wire = require "wire.wire"

local api = wire.listen()

-- Puts the addresses of this run into a recipe.
local function at_home(text)
  return (text:gsub("api%.github%.com:443", "127.0.0.1:@SECOND@"):gsub("127%.0%.0%.1:808[12]", "127.0.0.1:" .. api.port)
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem"):gsub("@API@", api.port))
end

-- What a recipe has outside its server, and its location.
local function split(block)
  return at_home(block.code):match "^(.-\n)%s*server {\n(.*)}\n$"
end

local README = support.read "README.md"
local BLOCKS = examples.blocks_in(support.read "docs/nginx.md", "nginx")
local PATHS = table.remove(BLOCKS, 1).code

-- The endpoints that the recipes name, that of README.md made by the statement of its first requests.
local ENDPOINTS = [[
lua_shared_dict connections 1m;
init_by_lua_block {
  local endpoint = require "endpoint"
  local null = endpoint.null
  package.loaded.api = endpoint.defaults {
    baseUrl = "http://127.0.0.1:@API@/v1", headers = { authorization = "Bearer ours" },
  }
  package.loaded.auth = endpoint.defaults { baseUrl = "/auth", headers = { accept = null, ["user-agent"] = null } }
]] .. examples.blocks_in(README, "lua")[1].code:match "\nlocal token = .-\n}\n":gsub("local api", "package.loaded.github")
  .. "}\n"

-- Counts the connections to the echo.
local COUNTED = [[
location /repos/ { content_by_lua_block {
  if ngx.var.connection_requests == "1" then ngx.shared.connections:incr("new", 1, 0) end
  require "wire.echo".answer()
} }
location = /connections { content_by_lua_block { ngx.print(ngx.shared.connections:get "new") } }
]]

-- The recipe's location at another path, which asks the echo by a name that no certificate has.
local function to_other(location, path)
  return (location:gsub("= /%w+", "= " .. path)
    :gsub('require "github"', '%0.defaults { baseUrl = "https://other.example" }'))
end

local function configuration()
  local _, first = split(examples.blocks_in(support.read "examples/README.md", "nginx")[2])
  local upstream, location = split(BLOCKS[1])
  local other = upstream:gsub("upstream api.github.com", "upstream other.example")
  return { locations = first .. location .. to_other(first, "/other") .. to_other(location, "/other/group")
    .. at_home(BLOCKS[2].code .. BLOCKS[3].code) .. COUNTED,
    outside = upstream .. other .. at_home(ENDPOINTS), errors = "other.example" }
end

describe("the recipe", function()
  local running, start, stop = server.plan(configuration())
  setup(start)
  teardown(stop)
  before_each(function() api.answer = wire.answered end)

  local function asked(path)
    local words = "-H 'authorization: Bearer stranger' -H 'x-original-url: /admin' -b a=b -X DELETE -d q=1"
    return server.fetch(running, path, words)
  end

  it("of a group keeps one connection open, over TLS, to the name of the certificate", function()
    for _ = 1, 20 do
      local seen = echo.read(asked "/readme")
      assert.equal("/repos/lua/lua/readme", seen.uri)
      assert.same({ "api.github.com", "Bearer 0123" }, { seen.headers.host, seen.headers.authorization })
    end
    assert.equal("1", asked "/connections")
    for _, path in ipairs { "/other", "/other/group" } do assert.truthy(asked(path):find("502", 1, true), path) end
    local _, count = support.read(running.directory .. "/error.log"):gsub("does not match", "")
    assert.equal(2, count)
    assert.equal("1", asked "/connections")
  end)

  it("of examples/README.md asks the API, with nothing of the client's request", function()
    local seen = echo.read(asked "/repos?per_page=100")
    assert.same({ "GET", "/orgs/luarocks/repos?per_page=2", 0 }, { seen.method, seen.uri, seen.length })
    seen.headers.connection = nil
    assert.same({ host = "api.github.com", accept = "application/vnd.github+json", ["user-agent"] = "my-program/1.0",
      authorization = "Bearer 0123" }, seen.headers)
  end)

  local OWN = " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer stranger\r\nCookie: a=1\r\n"

  for name, body in pairs {
    ["a body"] = "Content-Length: 3\r\n\r\nabc",
    ["a body in chunks"] = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  } do
    it("of a question gives each its own token: with " .. name, function()
      api.answer = "HTTP/1.1 204 X\r\nconnection: close\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { "POST /app/x" .. OWN .. body })
      assert.same({ 2, 204 }, { #seen, (wire.response_of(back)) })
      local question, request = wire.parse(seen[1]), wire.parse(seen[2])
      question.headers["content-length"] = question.headers["content-length"] or "0"
      local host = "127.0.0.1:" .. api.port
      assert.same({ line = "GET /auth/check?path=%2Fapp%2Fx", rest = "", headers = { authorization = "Bearer 0123",
        host = host, ["content-length"] = "0" } }, question)
      assert.same({ line = "POST /app/x", rest = "abc", headers = { authorization = "Bearer stranger", cookie = "a=1",
        host = host, ["content-length"] = "3" } }, request)
    end)
  end

  it("of a question stops a request that the service refuses", function()
    local count, status = wire.get(running.port, api, "/app/x")
    assert.same({ 1, 403 }, { count, status })
  end)

  for path, expected in pairs {
    ["/files/a%2Fb//c%20d/?x=%26&y&y2=1&y2=2"] = "/v1/a%2Fb//c%20d/?x=%26&y=&y2=1&y2=2",
    ["/files/a?y&z=1&y=2&y"] = "/v1/a?y=&y=2&y=&z=1",
    ["/files/"] = "/v1/",
    ["http://evil.example/files/a"] = "/v1/a",
    ["/files/a?x=../b"] = "/v1/a?x=..%2Fb",
  } do
    it("of a path sends it as the client wrote it: " .. path, function()
      local request = wire.parse(wire.exchange(running.port, api, { "GET " .. path .. OWN .. "\r\n" })[1])
      assert.equal("GET " .. expected, request.line)
      assert.same({ "Bearer ours", nil }, { request.headers.authorization, request.headers.cookie })
    end)
  end

  for _, path in ipairs { "/%66iles/a", "//files/a", "/x/../files/a", "/files/a/../b", "/files/a/%2e%2E/b", "/files/.",
    "/files/x?" .. ("a&"):rep(101) } do
    it("of a path refuses " .. path:sub(1, 40), function()
      local count, status = wire.get(running.port, api, path)
      assert.same({ 0, 400 }, { count, status })
    end)
  end
end)

describe("an installation", function()
  local directory = server.shell "mktemp -d"
  local elsewhere = server.shown((PATHS:gsub("/opt/endpoint/", directory .. "/prefix/")))
  elsewhere.installed = "/nowhere"
  local apart, start, stop = server.plan(elsewhere)

  setup(function()
    server.shell(("env -u MAKEFLAGS -u MAKELEVEL make -s install LUA=luajit PREFIX=%s/prefix"):format(directory))
    start()
  end)
  teardown(function()
    stop()
    server.shell("rm -r " .. directory)
  end)

  it("elsewhere lets nginx find the module and the clients there alone", function()
    assert.equal("400", server.fetch(apart, "/proxy?name=..", "-o /dev/null -w '%{http_code}'"))
    local log = support.read(apart.directory .. "/error.log")
    assert.truthy(log:find('endpoint: parameter "name"', 1, true), log)
  end)

  -- Runs the one command of the Dockerfile on what its first stage copies, with this machine's LuaJIT in the
  -- place of OpenResty's. What its second stage copies must be all that nginx needs.
  it("by the Dockerfile is all that OpenResty needs", function()
    local text = support.read "examples/Dockerfile":gsub("\\\n%s*", "")
    local commands = { "set -e", "mkdir " .. directory .. "/build" }
    for source in text:gmatch "\nCOPY ([%w.]+) " do
      commands[#commands + 1] = ("cp -r %s %s/build/"):format(source, directory)
    end
    local install = text:match "\nRUN (make [^\n]*)":gsub("DESTDIR=", "%0" .. directory)
      :gsub("/usr/local/openresty/luajit/include/luajit%-2.1", server.shell ".ci/lua-incdir luajit")
    commands[#commands + 1] = ("cd %s/build && env -u MAKEFLAGS -u MAKELEVEL %s CFLAGS=-O0"):format(directory, install)
    support.write(directory .. "/steps", table.concat(commands, "\n"))
    local said = server.shell("sh " .. directory .. "/steps 2>&1; echo status $?")
    assert.truthy(said:find "status 0$", said)
    local more, copied, target = server.shown "", text:match "\nCOPY %-%-from=build (%S+) (%S+)"
    assert.equal("/stage" .. target, copied)
    more.installed = directory .. copied
    assert.equal("./endpoint.so", server.shell("cd " .. more.installed .. " && find . -type f ! -name '*.lua'"))
    local running, start_it, stop_it = server.plan(more)
    start_it()
    assert.equal("400", server.fetch(running, "/proxy?name=..", "-o /dev/null -w '%{http_code}'"))
    stop_it()
  end)

  -- The shared object stays the old one, the Lua files are read anew. The new version differs in its
  -- number alone. As an installation does it, a new file takes the place of the old one.
  it("is refused by a reload, with the advice to restart, and the old workers go on", function()
    local old, new = endpoint._VERSION, endpoint._VERSION:gsub("%d+$", function(last) return (last + 1) % 10 end)
    server.shell(("cp -r src/endpoint build/luajit/endpoint.so %s"):format(directory))
    local more = server.shown [[
      server { listen 127.0.0.1:@SECOND@; location / { content_by_lua_block {
        ngx.print(require "endpoint"._VERSION, " ", require "endpoint.clients".plain(require "api" "GET /x").path)
      } } }
    ]]
    more.installed, more.errors = directory, "restart the program"
    local running, start_old, stop_old = server.plan(more)
    start_old()
    for _, path in ipairs { "endpoint.so", "endpoint/clients.lua" } do
      server.shell(("cd %s && sed 's/%s/%s/g' %s >new && mv new %s")
        :format(directory, old:gsub("%.", "\\."), new, path, path))
    end
    server.shell(("kill -HUP $(cat %s/nginx.pid)"):format(running.directory))
    local log
    for _ = 1, 100 do
      log = support.read(running.directory .. "/error.log")
      if log:find("restart the program", 1, true) then break end
      server.shell "sleep 0.1"
    end
    local said = ("endpoint.clients: version %s, but the endpoint that is loaded is version %s"):format(new, old)
    assert.truthy(log:find(said, 1, true) and log:find("restart the program", 1, true), log)
    assert.equal(old .. " /api/x", server.shell(("curl -s -m 10 http://127.0.0.1:%d/"):format(running.second_port)))
    stop_old()
  end)
end)
