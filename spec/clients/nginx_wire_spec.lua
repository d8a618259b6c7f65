-- clients.ngx and ngx_proxy in a real nginx, in each of their phases and under settings that let
-- more of the client's request in. This spec plays the client and the API, byte by byte.
local calls = require "clients.programs.calls"
local http = require "socket.http"
local json = require "cjson"
local ltn12 = require "ltn12"
local support = require "support"
local url = require "socket.url"
local wire = require "wire"

-- Where nginx sends our request: see send.lua. Some have more directives.
local SENDING = {
  { name = "rewrite", phase = "rewrite", directives = "proxy_set_header Host $host;" },
  { name = "access", phase = "access", directives = "proxy_set_header Host $http_host;" },
  { name = "read", phase = "access", directives = "lua_need_request_body on;" },
  { name = "undefined", phase = "access", directives = "" },
  { name = "small", phase = "access", directives = "client_max_body_size 1k;" },
  { name = "pass", phase = "access", directives = "" },
  {
    name = "stream",
    phase = "access",
    directives = "proxy_request_buffering off; client_max_body_size 1m;",
  },
  {
    name = "live",
    phase = "access",
    directives = "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;",
  },
}

local LOCATIONS = support.read "spec/clients/programs/inside_nginx.conf"
for _, row in ipairs(SENDING) do
  LOCATIONS = LOCATIONS
    .. ([[
location = /%s {
  set $target "";
  set $token "";
  %s
  %s_by_lua_file @ROOT@/spec/clients/programs/send.lua;
  proxy_pass $target;
  proxy_set_header Authorization $token;
}
]]):format(row.name, row.directives, row.phase)
end

-- Asserts that this is our request, with these headers beside ours.
local function assert_own(method, text, more, body)
  local request, headers =
    wire.parse(text), {
      authorization = "Bearer ours",
      accept = "application/vnd.service.v3+json",
      ["user-agent"] = "service-endpoint.js/1.0.0",
      ["content-length"] = "0",
    }
  for name, value in pairs(more or {}) do
    headers[name] = value
  end
  assert.same({ method .. " /x/a%2Fb", body or "" }, { request.line, request.rest })
  assert.truthy(request.headers.host:find "^127%.0%.0%.1", request.headers.host)
  request.headers.host, request.headers["content-length"] =
    nil, request.headers["content-length"] or "0"
  assert.same(headers, request.headers)
end

local END = " HTTP/1.1\r\nHost: x\r\n"

describe("inside nginx", function()
  local api, running, start, stop, renew = wire.plan { locations = LOCATIONS, errors = "" }
  setup(start)
  teardown(stop)
  before_each(renew)

  local function exchange(...)
    return wire.exchange(running.port, api, { ... })
  end

  -- With lua_need_request_body nginx reads the body before any code of ours, and its Lua module
  -- (0.10.23) never closes a connection with a bad chunk.
  for _, target in ipairs { "/rewrite?GET", "/access?GET", "/read?POST" } do
    wire.guard(it, {
      target = target,
      running = running,
      api = api,
      is_lenient = target:find "^/read" ~= nil,
      own = function(text)
        assert_own(target:match "%?(.*)", text)
      end,
    })
  end

  -- HTTP/0.9 would get no token. nginx cannot clear headers with the next two names. No byte of the
  -- last body is read. `answer` is a pattern.
  for _, row in ipairs {
    { title = "HTTP/0.9", request = "GET /access?GET", answer = "500" },
    {
      title = "a header whose name has parentheses",
      request = "GET /access?GET" .. END .. "X(y): 1\r\n",
      answer = "^HTTP/1%.1 500",
    },
    {
      title = "a header whose name is not ASCII",
      request = "GET /access?GET" .. END .. "X\233: 1\r\n",
      answer = "^HTTP/1%.1 500",
    },
    {
      title = "a variable that nginx does not know",
      request = "GET /undefined?GET" .. END,
      answer = "^HTTP/1%.1 500",
    },
    {
      title = "a body above the limit",
      request = "GET /small?GET" .. END .. "Content-Length: 200000000\r\n",
      answer = "^HTTP/1%.1 413",
    },
  } do
    it("sends nothing for " .. row.title, function()
      local seen, back = exchange(row.request .. "\r\n")
      assert.same({}, seen)
      assert.truthy(back:find(row.answer), back)
    end)
  end

  for _, row in ipairs {
    {
      title = "joins repeated headers of its list, and passes on no other",
      client = "Range: bytes=0-1\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n"
        .. "Accept: x/y\r\nCookie: a=b\r\n",
      passed = { range = "bytes=0-1", ["accept-encoding"] = "gzip,br" },
    },
    {
      title = "keeps its own accept and user-agent",
      client = "Accept: a\r\nAccept: b\r\nUser-Agent: a\r\nUser-Agent: b\r\n",
      passed = {},
    },
    {
      title = "passes on no empty header, and no authorization",
      client = "Range:\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer stranger\r\n",
      passed = { ["accept-encoding"] = "gzip" },
    },
    {
      title = "passes on no header with a control character or an empty part",
      client = "Range: \1\r\nAccept-Encoding: gzip\r\nAccept-Encoding:\r\n"
        .. "If-None-Match: \127\r\nRange_: 1\r\n",
      passed = {},
    },
  } do
    it(row.title, function()
      local seen = exchange("GET /pass?GET" .. END .. row.client .. "\r\n")
      assert_own("GET", seen[1], row.passed)
    end)
  end

  it("carries a websocket, and no other protocol", function()
    local ask = "GET /live?GET"
      .. END
      .. "Connection: Upgrade\r\nSec-WebSocket-Key: k\r\nCookie: a=b\r\nUpgrade: "
    api.answer = "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\129\2hi"
    local seen, back = exchange(ask .. "WebSocket\r\n\r\n")
    local expected = { upgrade = "WebSocket", connection = "upgrade", ["sec-websocket-key"] = "k" }
    assert_own("GET", seen[1], expected)
    assert.truthy(back:find "^HTTP/1.1 101.*\r\n\r\n\129\2hi$", back)
    api.answer = wire.answered
    assert.equal(nil, wire.parse(exchange(ask .. "h2c\r\n\r\n")[1]).headers.upgrade)
  end)

  -- --- in each phase ----------------------------------------------------------------

  -- What this call of calls.lua gives at a location, and makes of a stranger's request.
  local function result_of(list, number, location)
    local call = calls[list][number]
    local _, _, headers = http.request {
      url = ("%s/%s?list=%s&number=%d"):format(running.url, location, list, number),
      method = call.method or "POST",
      source = ltn12.source.string "stranger",
      headers = { ["content-length"] = "8", cookie = "a", authorization = "b" },
    }
    return json.decode(url.unescape(headers.result))
  end

  for number, call in ipairs(calls.refused) do
    it(("refuses and changes nothing in %s: %s"):format(call.location, call.title), function()
      local seen = result_of("refused", number, call.location)
      assert.same({ done = false, is_same = true }, { done = seen.done, is_same = seen.is_same })
      assert.truthy(
        seen.first:find "^[^:]*programs/calls%.lua:%d+: endpoint%.clients: ",
        seen.first
      )
      assert.truthy(seen.first:find(call.says, 1, true), seen.first)
      assert.equal(call.location ~= "try/header_filter" and "stranger" or nil, seen.body)
    end)
  end

  it("captures any path that nginx gives on as it is, and any query", function()
    local seen = result_of("paths", 1, "try/content")
    assert.truthy(seen.done, seen.first)
    assert.equal("/internal/a;b/..c/d..;m=1/%20%21", seen.first:sub(1, 32))
    assert.equal("q=%2F%00%25..%2F%3B%5C%0D%0A", seen.second.args)
  end)

  for _, phase in ipairs { "rewrite", "access", "content" } do
    local is_content = phase == "content"
    it("gives headers of a subrequest to variables in the phase " .. phase, function()
      local seen = result_of("headers", 1, "try/" .. phase)
      assert.equal("/internal/x", seen.first)
      assert.same({
        method = 2,
        args = "a=1",
        body = not is_content and "" or nil,
        vars = { token = "ours", b = "" },
      }, seen.second)
    end)

    local what = is_content and "hides the client's request from" or "keeps the client's request in"
    it(("%s a subrequest in the phase %s"):format(what, phase), function()
      local seen = result_of("headers", 1, "try/" .. phase)
      assert.equal("POST", seen.method)
      assert.equal(not is_content, seen.is_same)
      assert.equal(not is_content and "stranger" or nil, seen.body)
      assert.equal(is_content, next(seen.headers) == nil)
    end)
  end

  for _, phase in ipairs { "rewrite", "access" } do
    for number, call in ipairs(calls.proxied) do
      it(("makes the client's request the API's in %s: %s"):format(phase, call.title), function()
        local seen = result_of("proxied", number, "try/" .. phase)
        assert.equal(call.target, seen.first)
        assert.equal(call.sent_method, seen.method)
        assert.same(call.headers, seen.headers)
        assert.equal(call.token or "", seen.token)
        assert.equal("", seen.a, "the variable of a header that the request does not have")
        assert.equal(call.body, seen.body)
      end)
    end
  end

  -- --- the client's body ----------------------------------------------------------

  -- The text of chunks; nil if the last is missing.
  local function of_chunks(text)
    local parts, at = "", 1
    while true do
      local digits, from = text:match("^(%x+)\r\n()", at)
      if digits == "0" then
        return text:sub(from) == "\r\n" and parts or nil
      end
      if not digits then
        return nil
      end
      at = from + tonumber(digits, 16) + 2
      parts = parts .. text:sub(from, at - 3)
    end
  end

  local POST = "POST /stream?POST" .. END .. "Content-Type: a/b\r\nCookie: a=b\r\n"
  local CHUNKED, LENGTH = POST .. "Transfer-Encoding: chunked\r\n", POST .. "Content-Length: "
  local SMUGGLED = "DELETE /access?DELETE HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 0\r\n\r\n"
  local IN_CHUNKS = ("%x\r\n%s\r\n0\r\n\r\n"):format(#SMUGGLED, SMUGGLED)

  -- Name -> the pieces that the client sends, and the bodies that reach the API: none if nginx
  -- refuses the request.
  local STREAMS = {
    ["a length"] = {
      sent = { LENGTH .. #SMUGGLED .. "\r\n\r\n" .. SMUGGLED },
      bodies = { SMUGGLED },
    },
    ["nothing"] = { sent = { POST .. "\r\n" }, bodies = { "" } },
    ["chunks"] = { sent = { CHUNKED .. "\r\n" .. IN_CHUNKS }, bodies = { SMUGGLED } },
    ["chunks, late"] = {
      sent = { CHUNKED .. "\r\n", IN_CHUNKS:sub(1, 9), IN_CHUNKS:sub(10) },
      bodies = { SMUGGLED },
    },
    ["chunks with extensions"] = {
      sent = { CHUNKED .. '\r\n3;a="b;c"\r\nabc\r\n0;d\r\n\r\n' },
      bodies = { "abc" },
    },
    ["trailers"] = {
      sent = { CHUNKED .. "Trailer: Cookie\r\n\r\n3\r\nabc\r\n0\r\nCookie: a=b\r\n\r\n" },
      bodies = { "abc" },
    },
    ["three requests"] = {
      sent = {
        LENGTH .. "3\r\n\r\nabc" .. CHUNKED .. "\r\n3\r\ndef\r\n0\r\n\r\n" .. LENGTH .. "0\r\n\r\n",
      },
      bodies = { "abc", "def", "" },
    },
    ["a wait for a 100"] = {
      sent = { LENGTH .. "3\r\nExpect: 100-continue\r\n\r\n", "abc" },
      bodies = { "abc" },
    },
    ["two lengths"] = { sent = { LENGTH .. "3\r\nContent-Length: 4\r\n\r\nabcd" }, bodies = {} },
    ["a length and chunks"] = {
      sent = { LENGTH .. "6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" .. SMUGGLED },
      bodies = {},
    },
    ["chunks twice"] = {
      sent = { CHUNKED .. "Transfer-Encoding: chunked\r\n\r\n" .. IN_CHUNKS },
      bodies = {},
    },
    ["chunks of HTTP/1.0"] = {
      sent = { (CHUNKED:gsub("HTTP/1.1", "HTTP/1.0")) .. "\r\n" .. IN_CHUNKS },
      bodies = {},
    },
    ["a bad chunk"] = { sent = { CHUNKED .. "\r\nx\r\n" .. SMUGGLED }, bodies = {} },
    ["a bad chunk, late"] = {
      sent = { CHUNKED .. "\r\n3\r\nabc\r\n", "x\r\n" .. SMUGGLED },
      bodies = {},
    },
    ["a chunk longer than it says"] = {
      sent = { CHUNKED .. "\r\n3\r\n" .. SMUGGLED },
      bodies = {},
    },
    ["a length above the limit"] = { sent = { LENGTH .. "2000000\r\n\r\n" }, bodies = {} },
  }
  for name, row in pairs(STREAMS) do
    it("streams the client's body, and nothing else: " .. name, function()
      local seen, back = exchange(support.unpack(row.sent))
      local bodies = {}
      for _, text in ipairs(seen) do
        local request = text ~= "" and wire.parse(text)
          or { rest = "", headers = { ["transfer-encoding"] = "" } }
        local is_chunked = request.headers["transfer-encoding"]
        local body = is_chunked and of_chunks(request.rest) -- nil if it was broken off
        if not is_chunked then
          body = request.rest
        end
        if body then
          bodies[#bodies + 1] = body
          assert_own("POST", text, {
            ["content-type"] = "a/b",
            ["transfer-encoding"] = is_chunked,
            ["content-length"] = is_chunked and "0" or tostring(#body),
          }, request.rest)
        end
      end
      assert.same(row.bodies, bodies)
      assert.equal(#row.bodies, select(2, back:gsub("HTTP/1.1 200", "")), back)
      assert.equal(
        row.sent[1]:find "Expect" and 1 or nil,
        back:find "^HTTP/1%.1 100 Continue\r\n\r\n"
      )
    end)
  end

  -- A body of HTTP/2 needs no length.
  for _, row in ipairs {
    { target = "access?GET", words = "" },
    { target = "access?GET", words = "-d abc" },
    { target = "access?GET", words = "-T - <README.md" },
    { target = "stream?POST", words = "--data-binary @LICENSE" },
    { target = "stream?POST", words = "-X POST -T - <LICENSE" },
  } do
    it(("sends its own request alone over HTTP/2: %s %s"):format(row.target, row.words), function()
      local client = io.popen(
        (
          "curl -s -m 20 --http2-prior-knowledge --unix-socket %s/http2 -b a=1 -b b=2 %s "
          .. "'http://x/%s'"
        ):format(running.directory, row.words, row.target)
      )
      local text = wire.accept(api)
      local request = wire.parse(text)
      assert.equal("answered 1", client:read "*a")
      client:close()
      if row.target == "access?GET" then
        return assert_own("GET", text)
      end
      local body = request.headers["transfer-encoding"] and of_chunks(request.rest) or request.rest
      assert.same({ support.read "LICENSE" }, { body, request.headers.cookie })
    end)
  end
end)
