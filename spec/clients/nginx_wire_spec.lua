-- endpoint inside a real nginx, with examples/nginx.conf.
local server = require "server"
local wire = require "wire"

-- This spec plays both the client and the API of nginx.conf, byte by byte.
describe("nginx.conf", function()
  local api = wire.listen()
  local more = server.shown("", api.port)
  more.errors = "client sent invalid chunked body"
  local running, start, stop = server.plan(more)
  setup(start)
  teardown(function() wire.stop_and_listen(api, stop) end)
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

  for _, target in ipairs { "/proxy?name=x", "/capture?title=a" } do
    it("lets the API name no location of ours: " .. target, function()
      api.answer = wire.response(200, "of the API", "X-Accel-Redirect: /proxy\r\n")
      local count, status, body = wire.get(running.port, api, target)
      assert.same({ 1, 200 }, { count, status })
      assert.truthy(body:find("of the API", 1, true), body)
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
