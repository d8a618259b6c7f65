-- endpoint inside a real nginx, with spec/wire/nginx.conf.
local server = require "wire.server"
local wire = require "wire.wire"

local REQUESTS, WARM_UP = 20000, 4000

-- The API of the load, in the same nginx.
local UPSTREAM = [[
server {
  listen 127.0.0.1:@SECOND@;
  location / { content_by_lua_block { ngx.print(ngx.req.get_method(), " ", ngx.var.request_uri) } }

  # One request of the load: a new route, new values, and whether they arrived.
  location = /load { set $target ""; content_by_lua_block {
    local n = (package.loaded.count or 0) + 1
    package.loaded.count = n
    local options = { name = "a/b " .. n, list = { n, "x" }, null = ngx.null }
    local r = require "api" ("GET /load/" .. n .. "/:name{?list}", options)
    local expected = "GET /api/load/" .. n .. "/a%2Fb%20" .. n .. "?list=" .. n .. ",x"
    local seen = ngx.location.capture("/send", { vars = { target = r.url } }).body
    if seen == expected then return ngx.print("ok") end
    ngx.log(ngx.ERR, "expected ", expected, " got ", seen)
    ngx.exit(500)
  } }
  location = /send { internal; proxy_pass $target; }

  location = /memory { content_by_lua_block {
    collectgarbage() collectgarbage()
    local pages = io.open("/proc/self/statm"):read("*a"):match("^%d+ (%d+)")
    ngx.say(ngx.worker.pid(), " ", collectgarbage("count"), " ", pages * 4, " ", package.loaded.count or 0)
  } }
}
]]

describe("two workers of nginx", function()
  local running, start, stop = server.plan(server.shown(UPSTREAM))
  setup(start)
  teardown(stop)

  -- For each worker, by pid: the kilobytes of Lua and of the process, and how many requests of the load
  -- it has answered.
  local function memory()
    local workers, count = {}, 0
    for _ = 1, 500 do
      local text = server.shell(("curl -s 'http://127.0.0.1:%d/memory'"):format(running.second_port))
      local pid, lua, resident, answered = text:match("^(%d+) (%S+) (%d+) (%d+)")
      if not workers[pid] then count = count + 1 end
      workers[pid] = { lua = tonumber(lua), resident = tonumber(resident), answered = tonumber(answered) }
      if count == 2 then return workers end
    end
    error("expected two workers to answer, got " .. count)
  end

  local function load(requests)
    local report = server.shell(("ab -q -n %d -c 32 -k http://127.0.0.1:%d/load 2>&1"):format(requests, running.second_port))
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
      local workers, least = memory(), math.huge
      for _, used in pairs(workers) do least = math.min(least, used.answered) end
      if least >= WARM_UP / 2 then return workers end
    end
    error("expected both workers to take part")
  end

  it(("answer %d requests correctly, with flat memory"):format(REQUESTS), function()
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
  local api = wire.listen()
  local more = server.shown("", api.port)
  more.errors = "client sent invalid chunked body"
  local running, start, stop = server.plan(more)
  setup(start)
  teardown(stop)
  before_each(function() api.answer = wire.answered end)

  -- What each location must send.
  local PLAIN = { host = "api.example", accept = "application/vnd.service.v3+json",
    ["user-agent"] = "service-endpoint.js/1.0.0", authorization = "token 0123", ["content-length"] = "0" }
  local LABELLED = { ["content-type"] = "application/json; charset=utf-8", ["content-length"] = "15" }
  for name, value in pairs(PLAIN) do LABELLED[name] = LABELLED[name] or value end
  local INTERNAL = {}
  for name, value in pairs(LABELLED) do INTERNAL[name] = name ~= "authorization" and value or nil end
  local OWN = {
    ["/proxy?name=a%2Fb%20&ref=c"] = { line = "GET /api/files/a%2Fb%20?ref=c", rest = "", headers = PLAIN },
    ["/capture?title=a%26b"] = { line = "POST /internal/issues?draft=true", rest = '{"title":"a&b"}', headers = INTERNAL },
    ["/socket?title=a%26b"] = { line = "POST /api/repos/octo%2Fcat/issues", rest = '{"title":"a&b"}', headers = LABELLED },
  }

  for target, own in pairs(OWN) do
    -- /socket does not read the body, so it may answer before nginx has seen it.
    wire.guard(it, { target = target, port = function() return running.port end, api = api,
      is_lenient = target:find "^/socket" ~= nil, own = function(text)
        local request = wire.parse(text)
        request.headers["content-length"] = request.headers["content-length"] or "0"
        assert.same(own, request)
      end })

    it("answers HEAD without a body, and the next request behind it: " .. target, function()
      local rest = " " .. target .. " HTTP/1.1\r\nHost: x\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { "HEAD" .. rest .. "GET" .. rest })
      assert.equal(2, #seen)
      assert.equal((own.line:gsub("^GET", "HEAD")), wire.parse(seen[1]).line)
      assert.equal(own.line, wire.parse(seen[2]).line)
      assert.same({ 2, 1 }, { select(2, back:gsub("HTTP/1%.1 200", "")), select(2, back:gsub("answered", "")) }, back)
    end)
  end

  it("takes ngx.null for null: a parameter that is not there sends nothing", function()
    local seen = wire.exchange(running.port, api, { "GET /proxy?name=x HTTP/1.1\r\nHost: x\r\n\r\n" })
    assert.equal("GET /api/files/x", wire.parse(seen[1]).line)
  end)

  for _, target in ipairs {
    "/proxy", "/proxy?name", "/proxy?name=a&name=b", "/proxy?name=", "/proxy?name=..", "/proxy?name=%2e%2E",
    "/proxy?name=a&ref", "/proxy?name=a&ref=b&ref=c", "/capture", "/capture?title", "/capture?title=a&title=b",
    "/socket", "/socket?title", "/socket?title=a&title=b",
  } do
    it("refuses " .. target .. ", and hides the reason from the client", function()
      local count, status, body = wire.get(running.port, api, target)
      assert.same({ 0, 400 }, { count, status })
      assert.falsy(body:find("endpoint", 1, true), body)
    end)
  end

  for _, row in ipairs {
    { "/capture?title=a", wire.response(500, "secret") }, { "/capture?title=a", wire.response(302, "secret") },
    { "/socket?title=a", wire.response(500, "secret") }, { "/socket?title=a", wire.response(302, "secret") },
    { "/socket?title=a", "secret" },
  } do
    it("hides from the client what its API answers: " .. row[1] .. ", " .. row[2]:match "^[^\r]*", function()
      api.answer = row[2]
      local count, status, body = wire.get(running.port, api, row[1])
      assert.same({ 1, 502 }, { count, status })
      assert.falsy(body:find("secret", 1, true), body)
    end)
  end
end)
