-- The locations that the documents show for nginx, in a real one, with these addresses. The spec
-- plays the API; over TLS the echo of the same nginx does. And what happens after an installation.
local echo = require "echo"
local endpoint = require "endpoint"
local examples = require "docs.examples"
local json = require "cjson"
local server = require "server"
local support = require "support"
local wire = require "wire"

local api = wire.listen()

-- Puts the addresses of this run into a recipe.
local function at_home(text)
  return (
    server
      .fitted(text)
      :gsub("upstream ([ab])%.example", "upstream %1.wild.example")
      :gsub("[%w.]+:443", "127.0.0.1:@SECOND@")
      :gsub("127%.0%.0%.1:808[12]", "127.0.0.1:" .. api.port)
      :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem")
      :gsub("@API@", api.port)
  )
end

-- What a recipe has outside its server, and its locations.
local function split(block)
  local outside, locations = at_home(block.code):match "^(.-\n)%s*server {\n(.*)}\n$"
  return outside or "", locations or at_home(block.code)
end

local FIRST_REQUESTS = examples.programs_of(support.read "README.md")[2].code
local BLOCKS = {} -- of each page, the first location before all others
for _, page in ipairs { "nginx", "nginx-requests", "nginx-tenants", "many-at-once" } do
  for _, block in ipairs(examples.blocks_in(support.read("docs/" .. page .. ".md"), "nginx")) do
    BLOCKS[#BLOCKS + 1] = block
  end
end

-- Where another installation is.
local PATHS = examples.blocks_in(support.read "docs/nginx-operation.md", "nginx")[1].code

-- The locations of docs/openresty.md, which ask the spec instead of GitHub. What is outside of the
-- server is there already.
local SHOWN = examples.blocks_in(support.read "docs/openresty.md", "nginx")
local OPENRESTY = (SHOWN[1].code:match "server {\n(.*)}\n$" .. SHOWN[2].code):gsub(
  "https://api.github.com",
  "http://127.0.0.1:" .. api.port
)

-- The endpoints that the recipes name, that of README.md made by the statement of its first
-- requests.
local GITHUB = FIRST_REQUESTS:match("\nlocal token = .-\n}\n")
  :gsub("local api", "package.loaded.github")
local ENDPOINTS = [[
lua_shared_dict connections 1m;
init_worker_by_lua_block {
  local endpoint = require "endpoint"
  require "docs.programs.recipe_endpoints" (@API@)
]] .. GITHUB .. "}\n"

-- The first recipe is there a second time, at /other, where it asks the echo by a name that no
-- certificate has.
local function configuration()
  local outside = at_home(ENDPOINTS)
  local locations = support.read "spec/docs/programs/recipes.conf"
  for i, block in ipairs(BLOCKS) do
    local before, within = split(block)
    outside, locations = outside .. before, locations .. within
    if i == 1 then
      outside = outside .. before:match "\nupstream .*":gsub("api.github.com", "other.example")
      locations = locations
        .. within
          :match "^(.-\n  }\n)"
          :gsub("= /%w+", "= /other")
          :gsub('require "github"', '%0.defaults { baseUrl = "https://other.example" }')
    end
  end
  locations = locations .. server.fitted(OPENRESTY)
  return { locations = locations, outside = outside, errors = "other.example" }
end

describe("the recipe", function()
  local running, start, stop = server.plan(configuration())
  setup(start)
  teardown(function()
    wire.stop_and_listen(api, stop)
  end)
  before_each(function()
    api.answer = wire.answered
  end)

  -- What curl prints, with more than a client should say.
  local function asked(path)
    local words =
      "-H 'authorization: Bearer stranger' -H 'x-original-url: /admin' -b a=b -X DELETE -d q=1"
    return server.fetch(running, path, words)
  end

  -- A client's request. Returns what came back, and the requests that reached the API.
  local function send(line, headers, body)
    local seen, back = wire.exchange(running.port, api, {
      line
        .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        .. (headers or "")
        .. "\r\n"
        .. (body or ""),
    })
    for i, text in ipairs(seen) do
      seen[i] = wire.parse(text)
    end
    return back, seen
  end

  it("of a group keeps one connection open, over TLS, to the name of the certificate", function()
    for _ = 1, 20 do
      local seen = echo.read(asked "/readme")
      assert.same({ "GET", "/repos/lua/lua/readme", 0 }, { seen.method, seen.uri, seen.length })
      assert.same({
        host = "api.github.com",
        accept = "application/vnd.github+json",
        ["user-agent"] = "my-program/1.0",
        authorization = "Bearer 0123",
      }, seen.headers)
    end
    assert.truthy(asked "/other":find("502", 1, true))
    assert.truthy(support.read(running.directory .. "/error.log"):find("does not match", 1, true))
    assert.equal("1", asked "/connections")
  end)

  it("says nothing of a token that the API refuses", function()
    api.answer = wire.response(401, "secret", "WWW-Authenticate: Bearer secret\r\n")
    local back = send "GET /asset?id=a"
    assert.truthy(back:find "^HTTP/1.1 502", back)
    assert.falsy(back:lower():find "secret" or back:lower():find "authenticate", back)
  end)

  local OWN = "Authorization: Bearer stranger\r\nCookie: a=1\r\n"

  for headers, body in pairs {
    ["Content-Length: 3\r\n"] = "abc",
    ["Transfer-Encoding: chunked\r\n"] = "3\r\nabc\r\n0\r\n\r\n",
  } do
    it("of a question gives each its own token: with " .. headers, function()
      api.answer = "HTTP/1.1 204 X\r\nconnection: close\r\n\r\n"
      local back, seen = send("POST /app/x", OWN .. headers, body)
      assert.same({ 2, 204 }, { #seen, (wire.response_of(back)) })
      seen[1].headers["content-length"] = seen[1].headers["content-length"] or "0"
      local host = "127.0.0.1:" .. api.port
      assert.same({
        {
          line = "GET /auth/check?path=%2Fapp%2Fx",
          rest = "",
          headers = {
            authorization = "Bearer 0123",
            host = host,
            ["content-length"] = "0",
          },
        },
        {
          line = "POST /app/x",
          rest = "abc",
          headers = {
            authorization = "Bearer stranger",
            cookie = "a=1",
            host = host,
            ["content-length"] = "3",
          },
        },
      }, seen)
    end)
  end

  it("of a question stops a request that the service refuses", function()
    local count, status = wire.get(running.port, api, "/app/x")
    assert.same({ 1, 403 }, { count, status })
  end)

  it("of tenants gives each a connection of its own", function()
    local before = tonumber(asked "/connections") or 0
    for _, tenant in ipairs { "a", "b", "a", "b" } do
      local seen = echo.read(asked("/of/" .. tenant .. "/user"))
      assert.same(
        { "/v1/user", tenant .. ".wild.example", "Bearer " .. tenant },
        { seen.uri, seen.headers.host, seen.headers.authorization }
      )
    end
    assert.equal(before + 2, tonumber(asked "/connections"))
  end)

  it(
    "of a cache keeps tenants apart, logs the client and turns the API's addresses into ours",
    function()
      local function report(tenant)
        return send("GET /report?page=2", "User-Agent: x/1\r\nX-Tenant: " .. tenant .. "\r\n")
      end
      local links = 'Link: </report?page=3>; rel="next", </report?page=1>; rel="prev"\r\n'
        .. "Cache-Control: max-age=60\r\n"
      for _, tenant in ipairs { "a", "b", "a" } do
        api.answer = wire.response(200, "of " .. tenant, links)
        local back, seen = report(tenant)
        assert.truthy(
          back:find '\r\n[lL]ink: </report%?page=3>; rel="next"\r\n.*\r\nof '
            and back:find(tenant .. "$"),
          back
        )
        if seen[1] then
          assert.same(
            { "Bearer " .. tenant, "127.0.0.1" },
            { seen[1].headers.authorization, seen[1].headers["x-forwarded-for"] }
          )
        end
        api.answer = wire.response(200, "another", links)
        -- From the cache.
        assert.equal("of " .. tenant, select(2, wire.response_of((report(tenant)))))
      end
      assert.equal(403, (wire.response_of((report "c"))))
      local log = support.read(running.directory .. "/gateway.log")
      assert.truthy(log:find('200 127.0.0.1 "x/1"', 1, true), log)
    end
  )

  it("of several APIs asks both at once, and gives their texts on", function()
    api.answer = function(number)
      return wire.response(
        200,
        ('{"number":%d,"list":[],"id":12345678901234567}'):format(number),
        "Content-Type: application/json\r\n"
      )
    end
    local lines, back = wire.exchange_at_once(
      running.port,
      api,
      "GET /both HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      2
    )
    assert.same({ "GET /orders?user=7", "GET /users/7" }, lines)
    local text = back:gsub("\r\n%x+\r\n", "")
    for number = 1, 2 do
      assert.truthy(
        text:find(('{"number":%d,"list":[],"id":12345678901234567}'):format(number), 1, true),
        back
      )
    end
    api.answer = wire.response(500, "{}", "Content-Type: application/json\r\n")
    assert.equal(502, (select(2, wire.get(running.port, api, "/both"))))
  end)

  it("for OpenResty reads a list, and sends a POST with the token", function()
    api.answer = function(number)
      local headers = "Content-Type: application/json\r\n"
      if number == 1 then
        return wire.response(200, '[{"title": "a"}, {"title": "b"}]', headers)
      end
      return wire.response(201, '{"html_url": "https://h.example/1"}', headers)
    end
    local back, seen = send "GET /titles"
    assert.truthy(back:find("https://h.example/1", 1, true), back)
    assert.equal("GET /repos/me/notes/issues?state=open", seen[1].line)
    assert.equal("POST /repos/me/notes/issues", seen[2].line)
    assert.same({ body = "a\nb", title = "Report" }, json.decode(seen[2].rest))
    for _, request in ipairs(seen) do
      assert.equal("Bearer 0123", request.headers.authorization)
    end
  end)

  it("of OpenResty's guide passes a page on, and says whether there is a next one", function()
    local link = '<http://127.0.0.1:%d/x?page=3>; rel="next"'
    local json_type = "Content-Type: application/json\r\n"
    local with_link = json_type .. "Link: " .. link:format(api.port) .. "\r\n"
    for _, row in ipairs { { with_link, "3" }, { json_type } } do
      api.answer = wire.response(200, '[{"title": "a"}]', row[1])
      local back, seen = send "GET /issues?page=2"
      assert.equal("GET /repos/me/notes/issues?page=2", seen[1].line)
      assert.equal("Bearer 0123", seen[1].headers.authorization)
      assert.equal(row[2], back:match "[Xx]%-[Nn]ext%-[Pp]age: (%d+)")
      assert.truthy(back:find('[{"title": "a"}]', 1, true), back)
    end
  end)

  -- A client's request with a cookie and a token of its own, and what the API gets: its line, its
  -- body, and headers.
  for _, row in ipairs {
    {
      "POST /upload?name=a%2Fb",
      "Content-Type: a/b\r\nContent-Length: 3\r\n",
      "abc",
      "POST /v1/files?name=a%2Fb",
      { ["content-type"] = "a/b", ["content-length"] = "3" },
    },
    {
      "GET /asset?id=a",
      "Range: bytes=0-1\r\nAccept-Encoding:\r\n",
      "",
      "GET /v1/assets/a",
      { range = "bytes=0-1" },
    },
    {
      "GET /files/a%2Fb//c%20d/?x=%26&y&y2=1&y2=2",
      "",
      "",
      "GET /v1/a%2Fb//c%20d/?x=%26&y=&y2=1&y2=2",
    },
    { "GET /files/a?y&z=1&y=2&y", "", "", "GET /v1/a?y=&y=2&y=&z=1" },
    { "GET /files/", "", "", "GET /v1/" },
    { "GET http://evil.example/files/a", "", "", "GET /v1/a" },
    { "GET /files/a?x=../b", "", "", "GET /v1/a?x=..%2Fb" },
  } do
    it("sends on what it names alone: " .. row[1], function()
      local _, seen = send(row[1], OWN .. row[2], row[3])
      local headers = support.copied(row[5] or {})
      headers.authorization, headers.host = "Bearer ours", "127.0.0.1:" .. api.port
      headers.accept, headers["user-agent"] =
        "application/vnd.service.v3+json", "service-endpoint.js/" .. endpoint._VERSION
      assert.same({ { line = row[4], rest = row[3], headers = headers } }, seen)
    end)
  end

  for _, line in ipairs {
    "GET /asset",
    "GET /asset?id",
    "HEAD /asset?id",
    "GET /asset?id=",
    "GET /asset?id=a&id=b",
    "GET /asset?id=..",
    "POST /upload?name",
    "POST /upload?name=a&name=b",
  } do
    it("answers 400 to a query that is not what the location takes: " .. line, function()
      local back, seen = send(line, "Content-Length: 0\r\n")
      assert.truthy(back:find "^HTTP/1.1 400", back)
      assert.same({}, seen)
    end)
  end

  it("answers 405 to a method that the location does not take", function()
    assert.truthy(send("DELETE /asset?id=a"):find "^HTTP/1.1 405")
  end)

  it("answers a HEAD of the asset as a GET, without its body", function()
    api.answer = wire.response(200, "abc", "Content-Type: a/b\r\n")
    local back, seen = send "HEAD /asset?id=a"
    assert.truthy(back:find "^HTTP/1.1 200", back)
    assert.falsy(back:find("abc", 1, true), back)
    assert.equal("GET /v1/assets/a", seen[1].line)
  end)

  -- nginx would answer with the location that the API names, which is not a path of the API.
  for _, line in ipairs {
    "GET /asset?id=a",
    "POST /upload",
    "GET /files/a",
    "GET /report?page=7",
    "GET /live",
  } do
    it("lets the API name no location of ours: " .. line, function()
      api.answer = wire.response(200, "of the API", "X-Accel-Redirect: /connections\r\n")
      local back = send(line, "X-Tenant: a\r\nUpgrade: websocket\r\nContent-Length: 0\r\n")
      assert.truthy(back:find("of the API", 1, true), back)
    end)
  end

  for _, line in ipairs {
    "GET /asset?id=a",
    "POST /upload",
    "GET /files/a",
    "GET /report?page=8",
    "HEAD /report?page=9",
    "GET /live",
  } do
    for _, status in ipairs(wire.INTERIM) do
      it(("ends the connection if the API begins with %d: %s"):format(status, line), function()
        local headers = "X-Tenant: a\r\nUpgrade: websocket\r\nContent-Length: 0\r\n"
        api.answer = wire.interim(status)
        local back, seen = send(line, headers)
        assert.same({ "", 1 }, { back, #seen })
      end)
    end

    it("lets the API change the protocol of a websocket alone: " .. line, function()
      local headers = "X-Tenant: a\r\nUpgrade: websocket\r\nContent-Length: 0\r\n"
      api.answer = "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nsecret"
      local back = send(line, headers)
      assert.equal(line == "GET /live", back:find "^HTTP/1.1 101.*secret$" ~= nil, back)
      assert.equal(line ~= "GET /live", back == "", back)
    end)
  end

  it("of a cache does not store what begins with 103", function()
    local head = "HTTP/1.1 103 X\r\nCache-Control: max-age=60\r\n\r\n"
    for _, answer in ipairs { head .. wire.response(200, "secret"), wire.answered(2) } do
      api.answer = answer
      local back, seen = send("GET /report?page=9", "X-Tenant: a\r\n")
      assert.equal(1, #seen)
      assert.falsy(back:find("secret", 1, true), back)
    end
  end)

  for _, status in ipairs(wire.INTERIM) do
    it(("of a question ends if the service begins with %d"):format(status), function()
      api.answer = wire.interim(status)
      local back, seen = send "GET /app/x"
      assert.equal(1, #seen)
      assert.equal(403, (wire.response_of(back)))
    end)

    it(("of a question ends if the application begins with %d"):format(status), function()
      api.answer = function(number)
        return number == 1 and "HTTP/1.1 204 X\r\n\r\n" or wire.interim(status)
      end
      local back, seen = send "GET /app/x"
      assert.same({ "", 2 }, { back, #seen })
    end)
  end

  for _, path in ipairs {
    "/%66iles/a",
    "//files/a",
    "/x/../files/a",
    "/files/a/../b",
    "/files/a/%2e%2E/b",
    "/files/.",
    "/files/x?" .. ("a&"):rep(101),
  } do
    it("of a path refuses " .. path:sub(1, 40), function()
      local count, status = wire.get(running.port, api, path)
      assert.same({ 0, 400 }, { count, status })
    end)
  end
end)

describe("an installation", function()
  local directory = server.shell "mktemp -d"
  teardown(function()
    server.shell("rm -r " .. directory)
  end)

  -- Calls f with an nginx.
  local function within(more, f)
    local running, start, stop = server.plan(more)
    start()
    f(running)
    stop()
  end

  -- Asserts that nginx.conf, with more in its http section, finds the module in this folder, and
  -- the clients.
  local function assert_found(own, installed)
    local more = server.shown(own)
    more.installed = installed
    within(more, function(running)
      assert.equal("400", server.fetch(running, "/proxy?name=..", "-o /dev/null -w '%{http_code}'"))
      local log = support.read(running.directory .. "/error.log")
      assert.truthy(log:find('endpoint: parameter "name"', 1, true), log)
    end)
  end

  it("elsewhere lets nginx find the module and the clients there alone", function()
    server.shell(
      ("env -u MAKEFLAGS -u MAKELEVEL make -s install LUA=luajit PREFIX=%s/prefix"):format(
        directory
      )
    )
    assert_found(PATHS:gsub("/opt/endpoint/", directory .. "/prefix/"), "/nowhere")
  end)

  -- Runs the one command of the Dockerfile on what its first stage copies, with this machine's
  -- LuaJIT in the place of OpenResty's. What its second stage copies must be all that nginx needs.
  it("by the Dockerfile is all that OpenResty needs", function()
    local text = support.read "examples/Dockerfile":gsub("\\\n%s*", "")
    local copied, target = text:match "\nCOPY %-%-from=build (%S+) (%S+)"
    local install = text:match "\nRUN (make [^\n]*)":gsub("DESTDIR=", "%0" .. directory):gsub(
      "/usr/local/openresty/luajit/include/luajit%-2.1",
      server.shell ".ci/lua incdir luajit"
    )
    local steps = "set -e\nmkdir " .. directory .. "/build\n"
    for source in text:gmatch "\nCOPY ([%w.]+) " do
      steps = steps .. ("cp -r %s %s/build/\n"):format(source, directory)
    end
    support.write(
      directory .. "/steps",
      steps
        .. ("cd %s/build\nenv -u MAKEFLAGS -u MAKELEVEL %s CFLAGS=-O0\n"):format(directory, install)
    )
    local said = server.shell("sh " .. directory .. "/steps 2>&1; echo status $?")
    assert.truthy(said:find "status 0$", said)
    assert.equal("/stage" .. target, copied)
    assert.equal(
      "./endpoint.so",
      server.shell("cd " .. directory .. copied .. " && find . -type f ! -name '*.lua'")
    )
    assert_found("", directory .. copied)
  end)

  -- --- a reload ---------------------------------------------------------------------

  local old, place = endpoint._VERSION, directory .. "/place"
  local minor = old:gsub("%.(%d+)%.", function(digits)
    return "." .. (digits + 1) % 10 .. "."
  end)
  local VERSION = [[
    server { listen 127.0.0.1:@SECOND@; location / { content_by_lua_block {
      require "endpoint.clients".links ""
      local clients = require "endpoint.clients"
      ngx.print(require "endpoint"._VERSION, " ", clients.plain(require "api" "GET /x").path)
    } } }
  ]]

  -- Installs the sources, and then perhaps a version that differs in its number alone: new files in
  -- the place of old ones.
  local function install(version)
    local commands =
      { "mkdir -p @", "cp -r --remove-destination src/endpoint build/luajit/endpoint.so @" }
    for _, path in ipairs(version and { "endpoint.so", "endpoint/clients.lua" } or {}) do
      commands[#commands + 1] = ("sed 's/%s/%s/g' @/%s >@/new && mv @/new @/%s"):format(
        old:gsub("%.", "\\."),
        version,
        path,
        path
      )
    end
    server.shell(table.concat(commands, "\n"):gsub("@", place))
  end

  for phase, expected in pairs { init_worker_by_lua = minor, init_by_lua = old } do
    it(
      "of another minor version is loaded by workers and refused by the master: " .. phase,
      function()
        install()
        local more = server.shown(VERSION)
        more.configuration = more.configuration:gsub("init_worker_by_lua", phase)
        more.installed, more.errors = place, "restart the program"
        within(more, function(running)
          local function version()
            return server.shell("curl -s -m 10 http://127.0.0.1:" .. running.second_port)
          end
          -- A worker that starts within an installation would load a part of each version.
          server.shell "sleep 0.3"
          support.write(place .. "/endpoint/clients/links.lua", "error 'read after the start'")
          assert.equal(old .. " /api/x", version())
          install(minor)
          server.shell(("kill -HUP $(cat %s/nginx.pid)"):format(running.directory))
          local said, log =
            ("version %s, but the endpoint that is loaded is version %s"):format(minor, old), ""
          local answer -- until the workers have changed, old ones answer, too
          for _ = 1, 100 do
            log, answer = support.read(running.directory .. "/error.log"), version()
            if log:find(said, 1, true) or answer:find(minor, 1, true) then
              break
            end
            server.shell "sleep 0.05"
          end
          assert.equal(expected == old, log:find(said, 1, true) ~= nil, log)
          assert.equal(expected .. " /api/x", answer)
        end)
      end
    )
  end
end)
