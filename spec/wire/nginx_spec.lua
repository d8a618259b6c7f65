-- endpoint inside a real nginx, with spec/wire/nginx.conf. An upstream that the same
-- nginx serves echoes what reaches it.
local json = require "cjson"
local server = require "wire.server"
local wire = require "wire.wire"

local REQUESTS, WARM_UP = 20000, 4000

local UPSTREAM = [[
server {
  listen 127.0.0.1:@OWN@;
  location / { content_by_lua_block {
    ngx.req.read_body()
    ngx.say(require "cjson".encode {
      method = ngx.req.get_method(), uri = ngx.var.request_uri, headers = ngx.req.get_headers(0),
      body = ngx.req.get_body_data(),
    })
  } }

  # One request of the load: a new route, new values, and whether they arrived.
  location = /load { set $target ""; content_by_lua_block {
    local api = require "api"
    local n = (package.loaded.count or 0) + 1
    package.loaded.count = n
    local r = api("GET /load/" .. n .. "/:name{?list}", { name = "a/b " .. n, list = { n, "x" }, null = ngx.null })
    local expected = "/api/load/" .. n .. "/a%2Fb%20" .. n .. "?list=" .. n .. ",x"
    local echo = ngx.location.capture("/send", { vars = { target = r.url } })
    local ok, seen = pcall(require "cjson".decode, echo.body)
    if not ok or seen.uri ~= expected or seen.method ~= "GET" then
      ngx.log(ngx.ERR, "expected ", expected, " got ", echo.body)
      return ngx.exit(500)
    end
    ngx.print("ok")
  } }
  location = /send { internal; proxy_pass $target; }

  location = /memory { content_by_lua_block {
    collectgarbage() collectgarbage()
    local pages = io.open("/proc/self/statm"):read("*a"):match("^%d+ (%d+)")
    ngx.say(ngx.worker.pid(), " ", collectgarbage("count"), " ", pages * 4, " ", package.loaded.count or 0)
  } }
}
]]

describe("in nginx", function()
  local running

  setup(function() running = server.start(UPSTREAM) end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[error]", 1, true), log)
    assert.falsy(log:find("[alert]", 1, true), log)
  end)

  -- Sends a request with curl. Returns the status and the body.
  local function fetch(path, arguments)
    local text = server.shell(("curl -s -m 10 -w '\\n%%{http_code}' %s 'http://127.0.0.1:%d%s'")
      :format(arguments or "", running.port, path))
    local body, status = text:match("^(.*)\n(%d+)$")
    return tonumber(status), body
  end

  local function echo_of(path, arguments)
    local status, body = fetch(path, arguments)
    assert.equal(200, status, body)
    return json.decode(body)
  end

  it("shapes a request in the rewrite phase and proxies it: %2F arrives as %2F", function()
    local echo = echo_of("/proxy?name=docs%2Fread%20me.md&ref=main")
    assert.equal("GET", echo.method)
    assert.equal("/api/files/docs%2Fread%20me.md?ref=main", echo.uri)
    assert.equal("token 0123", echo.headers.authorization)
  end)

  it("takes ngx.null for null: a parameter that is not there sends nothing", function()
    assert.equal("/api/files/x", echo_of("/proxy?name=x").uri)
  end)

  it("captures an internal location behind a bare-path baseUrl", function()
    local echo = echo_of("/capture?title=a%26b", "-X POST -d ignored")
    assert.equal("POST", echo.method)
    assert.equal("/internal/issues?draft=true", echo.uri)
    assert.same({ title = "a&b" }, json.decode(echo.body))
    assert.equal("application/json; charset=utf-8", echo.headers["content-type"])
  end)

  it("sends a request through a cosocket", function()
    local echo = echo_of("/socket?title=a%26b")
    assert.equal("POST", echo.method)
    assert.equal("/api/repos/octo%2Fcat/issues", echo.uri)
    assert.same({ title = "a&b" }, json.decode(echo.body))
    assert.equal("service-endpoint.js/1.0.0", echo.headers["user-agent"])
  end)

  -- For each of the two workers, by pid: the kilobytes of Lua and of the process, and how many
  -- requests of the load it has answered.
  local function memory()
    local workers, count = {}, 0
    for _ = 1, 500 do
      local text = server.shell(("curl -s 'http://127.0.0.1:%d/memory'"):format(running.own_port))
      local pid, lua, resident, answered = text:match("^(%d+) (%S+) (%d+) (%d+)")
      if not workers[pid] then count = count + 1 end
      workers[pid] = { lua = tonumber(lua), resident = tonumber(resident), answered = tonumber(answered) }
      if count == 2 then return workers end
    end
    error("expected two workers to answer, got " .. count)
  end

  local function load(requests)
    local report = server.shell(("ab -q -n %d -c 32 -k http://127.0.0.1:%d/load 2>&1")
      :format(requests, running.own_port))
    assert.equal(requests, tonumber(report:match("Complete requests:%s+(%d+)")), report)
    assert.equal(0, tonumber(report:match("Failed requests:%s+(%d+)")), report)
    assert.falsy(report:find("Non-2xx", 1, true), report)
    return report:match("Requests per second:%s+(%S+)")
  end

  -- Loads the server until both workers are warm. The system may give nearly all connections
  -- of one load to one worker.
  local function warmed_up()
    for _ = 1, 20 do
      load(WARM_UP)
      local workers, ready = memory(), true
      for _, used in pairs(workers) do ready = ready and used.answered >= WARM_UP / 2 end
      if ready then return workers end
    end
    error("expected both workers to take part")
  end

  it(("answers %d requests correctly, with the workers' memory flat"):format(REQUESTS), function()
    local before = warmed_up()
    local rate = load(REQUESTS)
    local after = memory()
    for pid, used in pairs(before) do
      print(("\nworker %s: Lua %.0f -> %.0f KiB, resident %d -> %d KiB"):format(pid, used.lua, after[pid].lua,
        used.resident, after[pid].resident))
      -- A worker remembers up to 1 MB of templates and then forgets them. All of them would
      -- take about 4 MB.
      assert.is_true(after[pid].lua < used.lua + 1100)
      assert.is_true(after[pid].resident < used.resident + 2048)
    end
    print(("%d requests, all correct, %s a second"):format(REQUESTS, rate))
  end)
end)

-- This spec plays both the client and the API of nginx.conf, byte by byte.
describe("nginx.conf", function()
  local running, api

  setup(function()
    api = wire.listen()
    running = server.start("", api.port)
  end)

  before_each(function() api.answer = wire.response(200, "answered") end)

  teardown(function()
    local log = server.stop(running):gsub("[^\n]*client sent invalid chunked body[^\n]*\n", "")
    assert.falsy(log:find("[error]", 1, true), log)
    assert.falsy(log:find("[alert]", 1, true), log)
  end)

  -- What each location must send. The host is compared apart.
  local AGENT, ACCEPT = "service-endpoint.js/1.0.0", "application/vnd.service.v3+json"
  local JSON = "application/json; charset=utf-8"
  local OWN = {
    ["/proxy?name=a%2Fb&ref=c"] = { line = "GET /api/files/a%2Fb?ref=c", rest = "",
      headers = { authorization = "token 0123", accept = ACCEPT, ["user-agent"] = AGENT } },
    ["/capture?title=a"] = { line = "POST /internal/issues?draft=true", rest = '{"title":"a"}',
      headers = { accept = ACCEPT, ["user-agent"] = AGENT, ["content-type"] = JSON,
        ["content-length"] = "13" } },
    ["/socket?title=a"] = { line = "POST /api/repos/octo%2Fcat/issues", rest = '{"title":"a"}',
      headers = { authorization = "token 0123", accept = ACCEPT, ["user-agent"] = AGENT, ["content-type"] = JSON,
        ["content-length"] = "13" } },
  }

  for target, own in pairs(OWN) do
    for _, attack in ipairs(wire.attacks(target)) do
      it(("sends its own request alone, whatever comes to %s: %s"):format(target, attack[1]), function()
        local seen, back = wire.exchange(running.port, api, attack[2])
        local status, body = wire.response_of(back)
        assert.equal(200, status)
        assert.truthy(body:find("answered", 1, true), body)
        assert.equal(1, #seen)
        local request = wire.parse(seen[1])
        assert.equal("api.example", request.headers.host)
        request.headers.host = nil
        if request.headers["content-length"] == "0" then request.headers["content-length"] = nil end
        assert.same(own, request)
      end)
    end
  end

  for target, own in pairs(OWN) do
    -- /socket does not read the body, so it may answer before nginx has seen it.
    for _, request in ipairs(target:find "^/socket" and {} or wire.malformed(target)) do
      it(("sends nothing if what comes to %s is malformed: %s"):format(target, request[1]), function()
        local seen, back = wire.exchange(running.port, api, request[2])
        assert.same({}, seen)
        assert.truthy(back:find "^HTTP/1%.1 [45]", back)
      end)
    end

    it("answers pipelined requests to " .. target .. " one by one, each with its own", function()
      local one = "GET " .. target .. " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /"
      local seen, back = wire.exchange(running.port, api, { one .. one })
      assert.equal(2, #seen)
      for _, text in ipairs(seen) do assert.equal(own.line, wire.parse(text).line) end
      assert.equal(2, select(2, back:gsub("HTTP/1%.1 200", "")), back)
    end)

    it("answers HEAD without a body, and the next request behind it: " .. target, function()
      local rest = " " .. target .. " HTTP/1.1\r\nHost: x\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { "HEAD" .. rest .. "GET" .. rest })
      assert.equal(2, #seen)
      assert.equal((own.line:gsub("^GET", "HEAD")), wire.parse(seen[1]).line)
      assert.equal(own.line, wire.parse(seen[2]).line)
      assert.equal(2, select(2, back:gsub("HTTP/1%.1 200", "")), back)
      assert.equal(1, select(2, back:gsub("answered", "")), back)
    end)
  end

  local function get(target)
    local seen, back = wire.exchange(running.port, api,
      { "GET " .. target .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" })
    return #seen, wire.response_of(back)
  end

  for _, target in ipairs {
    "/proxy", "/proxy?name", "/proxy?name=a&name=b", "/proxy?name=", "/proxy?name=..", "/proxy?name=%2e%2E",
    "/proxy?name=a&ref", "/proxy?name=a&ref=b&ref=c", "/capture", "/capture?title", "/capture?title=a&title=b",
    "/socket", "/socket?title", "/socket?title=a&title=b",
  } do
    it("refuses " .. target .. ", and hides the reason from the client", function()
      local count, status, body = get(target)
      assert.same({ 0, 400 }, { count, status })
      assert.falsy(body:find("endpoint", 1, true), body)
    end)
  end

  for name, row in pairs {
    ["a failure of /capture's API"] = { "/capture?title=a", wire.response(500, "secret") },
    ["a redirect of /capture's API"] = { "/capture?title=a", wire.response(302, "secret") },
    ["a failure of /socket's API"] = { "/socket?title=a", wire.response(500, "secret") },
    ["a redirect of /socket's API"] = { "/socket?title=a", wire.response(302, "secret") },
    ["no HTTP from /socket's API"] = { "/socket?title=a", "secret" },
  } do
    it("hides from the client " .. name, function()
      api.answer = row[2]
      local count, status, body = get(row[1])
      assert.same({ 1, 502 }, { count, status })
      assert.falsy(body:find("secret", 1, true), body)
    end)
  end
end)
