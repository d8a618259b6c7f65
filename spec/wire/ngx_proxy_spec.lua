-- clients.ngx_proxy in a real nginx, in both of its phases and under settings that let more of the
-- client's request in. This spec plays the client and the API, byte by byte.
local echo = require "wire.echo"
local server = require "wire.server"
local wire = require "wire.wire"

-- The request is the method and the phase in the query: /rewrite?POST.
local CODE = [[
  local api = require "endpoint".defaults { baseUrl = "http://127.0.0.1:@API@", headers = { authorization = "Bearer ours" } }
  ngx.var.target = require "endpoint.clients".ngx_proxy(api(ngx.var.args .. " /x/{v}", { v = "a/b" }))
]]

local LOCATIONS = [[
listen unix:@DIRECTORY@/@PORT@.sock http2;
underscores_in_headers on;
ignore_invalid_headers off;
location = /rewrite { set $target ""; rewrite_by_lua_block { @CODE@ } proxy_pass $target; proxy_set_header Host $host; }
location = /access { set $target ""; access_by_lua_block { @CODE@ } proxy_pass $target; proxy_set_header Host $http_host; }
location = /read { set $target ""; lua_need_request_body on; rewrite_by_lua_block { @CODE@ } proxy_pass $target; }
location = /content { set $target ""; content_by_lua_block { @CODE@ } }
location = /sub { content_by_lua_block {
  ngx.req.read_body()
  local answer = ngx.location.capture("/rewrite?GET", { method = ngx.HTTP_POST })
  ngx.say(answer.status, ngx.req.get_body_data())
} }
]]

describe("clients.ngx_proxy in nginx", function()
  local running, api

  setup(function()
    api = wire.listen()
    running = echo.start((LOCATIONS:gsub("@CODE@", function() return CODE end):gsub("@API@", api.port)))
  end)

  before_each(function() api.answer = wire.response(200, "answered") end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[alert]", 1, true), log)
  end)

  local function assert_own(text, method)
    local request = wire.parse(text)
    assert.equal(method .. " /x/a%2Fb", request.line)
    assert.equal("", request.rest)
    assert.truthy(request.headers.host:find "^127%.0%.0%.1", request.headers.host)
    assert.same({ "Bearer ours", "application/vnd.service.v3+json", "service-endpoint.js/1.0.0", "0" }, {
      request.headers.authorization, request.headers.accept, request.headers["user-agent"],
      request.headers["content-length"] or "0",
    })
    for _, name in ipairs { "host", "authorization", "accept", "user-agent", "content-length" } do
      request.headers[name] = nil
    end
    assert.same({}, request.headers)
  end

  for _, target in ipairs { "/rewrite?GET", "/access?GET", "/read?POST" } do
    local method = target:match "%?(.*)"
    for _, attack in ipairs(wire.attacks(target)) do
      it(("sends its own request alone, whatever comes to %s: %s"):format(target, attack[1]), function()
        local seen, back = wire.exchange(running.port, api, attack[2])
        assert.equal(200, (wire.response_of(back)))
        assert.equal(1, #seen)
        assert_own(seen[1], method)
      end)
    end

    -- With lua_need_request_body nginx reads the body before any code of ours, and its Lua module
    -- (0.10.23) never closes a connection with a bad chunk.
    for _, request in ipairs(target:find "^/read" and {} or wire.malformed(target)) do
      it(("sends nothing if what comes to %s is malformed: %s"):format(target, request[1]), function()
        local seen, back = wire.exchange(running.port, api, request[2])
        assert.same({}, seen)
        assert.truthy(back:find "^HTTP/1%.1 [45]", back)
      end)
    end

    it("answers pipelined requests to " .. target .. " one by one", function()
      local one = "PUT " .. target .. " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /"
      local two = "PUT " .. target .. " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { one .. two .. one:sub(1, -3), one:sub(-2) .. two })
      assert.equal(4, #seen)
      for _, text in ipairs(seen) do assert_own(text, method) end
      assert.equal(4, select(2, back:gsub("HTTP/1%.1 200", "")), back)
    end)
  end

  -- Sends a request of HTTP/1.1 without a body. Returns what reached the API, and what came back.
  local function send(line, headers)
    return wire.exchange(running.port, api, { line .. " HTTP/1.1\r\nHost: x\r\n" .. (headers or "") .. "\r\n" })
  end

  it("sends HEAD for HEAD, and no body comes back", function()
    local seen, back = send "HEAD /rewrite?HEAD"
    assert.equal(1, #seen)
    assert_own(seen[1], "HEAD")
    assert.truthy(back:find "^HTTP/1%.1 200 .*\r\n\r\n$", back)
  end)

  -- Without the refusal the first answer has a body, which the client takes for its second one;
  -- and the client waits for a body that the last answer does not have.
  for _, line in ipairs { "HEAD /rewrite?GET", "HEAD /access?POST", "GET /access?HEAD", "POST /rewrite?HEAD" } do
    it("sends nothing for another method than HEAD beside HEAD: " .. line, function()
      local seen, back = send(line)
      assert.same({}, seen)
      assert.truthy(back:find "^HTTP/1%.1 500", back)
    end)
  end

  it("sends nothing for HTTP/0.9, in which nginx would send no token", function()
    local seen, back = wire.exchange(running.port, api, { "GET /rewrite?GET\r\n" })
    assert.same({}, seen)
    assert.truthy(back:find("500", 1, true), back)
  end)

  it("sends nothing if the client's header has a name that nginx cannot clear", function()
    for _, header in ipairs { "X(y): 1", "X/y: 1", "X{y}: 1", "X\233: 1" } do
      local seen, back = send("GET /access?GET", header .. "\r\n")
      assert.same({}, seen, header)
      assert.truthy(back:find "^HTTP/1%.1 500", back)
    end
  end)

  for line, status in pairs {
    ["GET /rewrite?QUERY"] = 500, ["GET /rewrite?PURGE"] = 500, ["GET /content?GET"] = 500,
  } do
    it("sends nothing for " .. line, function()
      local seen, back = send(line)
      assert.same({ 0, status }, { #seen, (wire.response_of(back)) })
    end)
  end

  it("sends nothing in a subrequest, and leaves the body of the request around it", function()
    local seen, back = wire.exchange(running.port, api,
      { "POST /sub HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" })
    assert.same({}, seen)
    assert.truthy(back:find("500abc", 1, true), back)
  end)

  -- A body of HTTP/2 needs no length.
  for name, words in pairs {
    ["no body"] = "", ["a body"] = "-d abc", ["a body of no known length"] = "-T - <README.md",
  } do
    it("sends its own request alone over HTTP/2 with " .. name, function()
      local client = io.popen(("curl -s -m 20 --http2-prior-knowledge --unix-socket %s/%d.sock -b a=1 -b b=2 %s %s")
        :format(running.directory, running.port, "'http://x/rewrite?GET'", words))
      local seen = wire.accept(api)
      assert.equal("answered", client:read "*a")
      client:close()
      assert_own(seen, "GET")
    end)
  end
end)
