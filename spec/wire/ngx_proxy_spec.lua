-- clients.ngx_proxy in a real nginx, in both of its phases and under settings that let more of the
-- client's request in. This spec plays the client and the API, byte by byte.
local server = require "wire.server"
local wire = require "wire.wire"

local api = wire.listen()

-- The request is the method and the phase in the query: /rewrite?POST.
local CODE = [[
  local api = require "endpoint".defaults { baseUrl = "http://127.0.0.1:@API@", headers = { authorization = "Bearer ours" } }
  ngx.var.target = require "endpoint.clients".ngx_proxy(api(ngx.var.args .. " /x/{v}", { v = "a/b" }))
]]

local LOCATIONS = [[
listen unix:@DIRECTORY@/http2 http2;
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

local function assert_own(method, text)
  local request = wire.parse(text)
  assert.same({ method .. " /x/a%2Fb", "" }, { request.line, request.rest })
  assert.truthy(request.headers.host:find "^127%.0%.0%.1", request.headers.host)
  request.headers.host, request.headers["content-length"] = nil, request.headers["content-length"] or "0"
  assert.same({ authorization = "Bearer ours", accept = "application/vnd.service.v3+json",
    ["user-agent"] = "service-endpoint.js/1.0.0", ["content-length"] = "0" }, request.headers)
end

describe("clients.ngx_proxy in nginx", function()
  local running, start, stop = server.plan {
    locations = LOCATIONS:gsub("@CODE@", function() return CODE end):gsub("@API@", api.port), errors = "",
  }
  setup(start)
  teardown(stop)

  -- With lua_need_request_body nginx reads the body before any code of ours, and its Lua module
  -- (0.10.23) never closes a connection with a bad chunk.
  for _, target in ipairs { "/rewrite?GET", "/access?GET", "/read?POST" } do
    wire.guard(it, { target = target, port = function() return running.port end, api = api,
      is_lenient = target:find "^/read" ~= nil, own = function(text) assert_own(target:match "%?(.*)", text) end })
  end

  -- A request, and what stands in the answer. HTTP/0.9 would get no token. Without the refusal of HEAD
  -- the first answer has a body, which the client takes for its second one; and the client waits for a
  -- body that the last answer does not have. nginx cannot clear headers of the last two names.
  local END = " HTTP/1.1\r\nHost: x\r\n"
  for _, row in ipairs {
    { "GET /rewrite?GET", "500" },
    { "HEAD /rewrite?GET" .. END, "^HTTP/1%.1 500" },
    { "GET /access?HEAD" .. END, "^HTTP/1%.1 500" },
    { "GET /rewrite?QUERY" .. END, "^HTTP/1%.1 500" },
    { "GET /content?GET" .. END, "^HTTP/1%.1 500" },
    { "GET /access?GET" .. END .. "X(y): 1\r\n", "^HTTP/1%.1 500" },
    { "GET /access?GET" .. END .. "X\233: 1\r\n", "^HTTP/1%.1 500" },
  } do
    it("sends nothing for " .. row[1]:gsub(END, " "), function()
      local seen, back = wire.exchange(running.port, api, { row[1] .. "\r\n" })
      assert.same({}, seen)
      assert.truthy(back:find(row[2]), back)
    end)
  end

  it("sends HEAD for HEAD, and no body comes back", function()
    local seen, back = wire.exchange(running.port, api, { "HEAD /rewrite?HEAD" .. END .. "\r\n" })
    assert.equal(1, #seen)
    assert_own("HEAD", seen[1])
    assert.truthy(back:find "^HTTP/1%.1 200 .*\r\n\r\n$", back)
  end)

  it("sends nothing in a subrequest, and leaves the body of the request around it", function()
    local seen, back = wire.exchange(running.port, api, { "POST /sub" .. END .. "Content-Length: 3\r\n\r\nabc" })
    assert.same({}, seen)
    assert.truthy(back:find("500abc", 1, true), back)
  end)

  -- A body of HTTP/2 needs no length.
  for name, words in pairs {
    ["no body"] = "", ["a body"] = "-d abc", ["a body of no known length"] = "-T - <README.md",
  } do
    it("sends its own request alone over HTTP/2 with " .. name, function()
      local client = io.popen(("curl -s -m 20 --http2-prior-knowledge --unix-socket %s/http2 -b a=1 -b b=2 %s %s")
        :format(running.directory, "'http://x/rewrite?GET'", words))
      assert_own("GET", wire.accept(api))
      assert.equal("answered 1", client:read "*a")
      client:close()
    end)
  end
end)
