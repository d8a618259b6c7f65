-- clients.ngx and ngx_proxy in a real nginx, in each of their phases and under settings that let
-- more of the client's request in. This spec plays the client and the API, byte by byte.
local http = require "socket.http"
local json = require "cjson"
local ltn12 = require "ltn12"
local server = require "server"
local support = require "support"
local url = require "socket.url"
local wire = require "wire"

-- The request is the method in the query: /access?POST.
local OUTSIDE = [[
proxy_http_version 1.1;
init_worker_by_lua_block {
  local endpoint, clients = require "endpoint", require "endpoint.clients"
  local api = endpoint.defaults { baseUrl = "http://127.0.0.1:@API@",
    headers = { authorization = "Bearer ours" } }
  local internal = endpoint.defaults { baseUrl = "/internal",
    headers = { accept = endpoint.null, ["user-agent"] = endpoint.null } }
  package.loaded.send = function(options)
    options = options or {}
    options.variables = options.variables or { authorization = "token" }
    ngx.var.target = clients.ngx_proxy(api(ngx.var.args .. " /x/{v}", { v = "a/b" }), options)
  end

  -- Runs the code in the query. Answers with its results and the request behind it, as JSON.
  local json, own = require "cjson", { capture = clients.ngx, proxy = clients.ngx_proxy,
    internal = internal, api = internal.defaults { baseUrl = "https://h:8443/v1" } }
  local function state() return json.encode { ngx.req.get_method(), ngx.req.get_headers(0) } end
  package.loaded.try = function()
    local before = state()
    local done, first, second = pcall(setfenv(loadstring(ngx.unescape_uri(ngx.var.args)), own))
    local seen = { done = done, first = first, second = second, is_same = before == state(),
      headers = ngx.req.get_headers(0), method = ngx.req.get_method(),
      token = ngx.var.token, a = ngx.var.a }
    if ngx.get_phase() ~= "header_filter" then
      ngx.req.read_body()
      seen.body = ngx.req.get_body_data()
    end
    ngx.header.result = ngx.escape_uri(json.encode(seen))
  end
}
]]

-- A location for each line: name, more directives, phase, options.
local LINES = [[
rewrite | proxy_set_header Host $host; | rewrite | { phase = "rewrite" }
access | proxy_set_header Host $http_host; | access |
read | lua_need_request_body on; | access |
undefined | | access | { variables = { authorization = "missing" } }
small | client_max_body_size 1k; | access |
pass | | access | { pass = { "range", "if-none-match", "accept-encoding", "accept" } }
stream | proxy_request_buffering off; client_max_body_size 1m; | access | @STREAM@
live | @UPGRADE@ | access | @LIVE@
]]
local OPTIONS = {
  ["@STREAM@"] = '{ body = "client", pass = { "content-type" } }',
  ["@UPGRADE@"] = "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;",
  ["@LIVE@"] = '{ pass = { "upgrade", "sec-websocket-key" } }',
}

local LOCATIONS = [[
listen unix:@DIRECTORY@/http2 http2;
underscores_in_headers on;
ignore_invalid_headers off;
location = /try/header_filter { return 200; header_filter_by_lua_block { require "try" () } }
location ~ ^/sub(/try/.*) { content_by_lua_block {
  ngx.req.read_body()
  local url = ngx.var[1] .. "?" .. ngx.var.args
  local response = ngx.location.capture(url, { method = ngx.HTTP_POST })
  ngx.header.result = response.header.result
} }
]]
for _, phase in ipairs { "rewrite", "access", "content" } do
  LOCATIONS = LOCATIONS
    .. ([[
location = /try/%s { set $token ""; set $a "former"; %s_by_lua_block {
  require "try" () ngx.exit(200) } }
]]):format(phase, phase)
end
for name, more, phase, options in
  LINES:gsub("@%u+@", OPTIONS):gmatch "(%S+) | (.-)%s?| (%a+) |([^\n]*)\n"
do
  LOCATIONS = LOCATIONS
    .. ([[
location = /%s { set $target ""; set $token ""; %s %s_by_lua_block { require "send" (%s) }
  proxy_pass $target; proxy_set_header Authorization $token; }
]]):format(name, more, phase, options)
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
  local api = wire.listen()
  local running, start, stop = server.plan {
    locations = LOCATIONS,
    outside = OUTSIDE:gsub("@API@", api.port),
    errors = "",
  }
  setup(start)
  teardown(function()
    wire.stop_and_listen(api, stop)
  end)
  before_each(function()
    api.answer = wire.answered
  end)

  local function exchange(...)
    return wire.exchange(running.port, api, { ... })
  end

  -- With lua_need_request_body nginx reads the body before any code of ours, and its Lua module
  -- (0.10.23) never closes a connection with a bad chunk.
  for _, target in ipairs { "/rewrite?GET", "/access?GET", "/read?POST" } do
    wire.guard(it, {
      target = target,
      port = function()
        return running.port
      end,
      api = api,
      is_lenient = target:find "^/read" ~= nil,
      own = function(text)
        assert_own(target:match "%?(.*)", text)
      end,
    })
  end

  -- A request, and what stands in the answer. HTTP/0.9 would get no token. nginx cannot clear
  -- headers of the two names behind. No byte of the last body is read.
  for _, row in ipairs {
    { "GET /access?GET", "500" },
    { "GET /access?GET" .. END .. "X(y): 1\r\n", "^HTTP/1%.1 500" },
    { "GET /access?GET" .. END .. "X\233: 1\r\n", "^HTTP/1%.1 500" },
    { "GET /undefined?GET" .. END, "^HTTP/1%.1 500" },
    { "GET /small?GET" .. END .. "Content-Length: 200000000\r\n", "^HTTP/1%.1 413" },
  } do
    it("sends nothing for " .. row[1]:gsub(END, " "), function()
      local seen, back = exchange(row[1] .. "\r\n")
      assert.same({}, seen)
      assert.truthy(back:find(row[2]), back)
    end)
  end

  it(
    "passes on the headers of its list alone, and no empty one or one with a control character",
    function()
      local twice = "Range: bytes=0-1\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br\r\n"
      local broken = "Range: \1\r\nAccept-Encoding: gzip\r\nAccept-Encoding:\r\n"
      for given, expected in pairs {
        [twice .. "Accept: x/y\r\nCookie: a=b\r\n"] = {
          range = "bytes=0-1",
          ["accept-encoding"] = "gzip,br",
        },
        ["Accept: a\r\nAccept: b\r\nUser-Agent: a\r\nUser-Agent: b\r\n"] = {},
        ["Range:\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer stranger\r\n"] = {
          ["accept-encoding"] = "gzip",
        },
        [broken .. "If-None-Match: \127\r\nRange_: 1\r\n"] = {},
      } do
        local seen = exchange("GET /pass?GET" .. END .. given .. "\r\n")
        assert_own("GET", seen[1], expected)
      end
    end
  )

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

  -- What the code gives in this phase of nginx, and makes of a stranger's request.
  local function try(phase, code, method)
    local chunk = url.escape(("local first, second = %s return first, second"):format(code))
    local _, _, headers = http.request {
      url = ("%s/%s?%s"):format(running.url, phase, chunk),
      method = method or "POST",
      source = ltn12.source.string "stranger",
      headers = { ["content-length"] = "8", cookie = "a", authorization = "b" },
    }
    return json.decode(url.unescape(headers.result))
  end

  -- The refusals of the phases, then of what nginx cannot send. The client's method, where it is no
  -- POST: a HEAD that becomes a GET would get a body, which the client takes for its next answer,
  -- and of a GET it would wait for one.
  local REFUSED = {
    {
      "try/header_filter",
      'capture(internal "/x")',
      "clients.ngx: expected the rewrite, access or content phase",
    },
    {
      "try/header_filter",
      'proxy(api "/x")',
      "clients.ngx_proxy: expected the access phase, got header_filter",
    },
    {
      "try/content",
      'proxy(api "/x")',
      "clients.ngx_proxy: expected the access phase, got content",
    },
    {
      "try/rewrite",
      'proxy(api "/x")',
      'later, would see our request instead of the client\'s (options.phase = "rewrite"',
    },
    {
      "try/access",
      'proxy(api "/x", { phase = "rewrite" })',
      "expected the rewrite phase, got access",
    },
    {
      "sub/try/content",
      'capture(internal "/x")',
      "clients.ngx: expected the client's own request, not a subrequest",
    },
    {
      "sub/try/rewrite",
      'proxy(api "/x", { phase = "rewrite" })',
      "clients.ngx_proxy: expected the client's own request",
    },
    {
      "try/access",
      'capture(internal("/x", { headers = { accept = "a" } }))',
      "cannot set them in the access phase",
    },
    {
      "try/content",
      'capture(internal("/x", { headers = { ["x-a"] = "b" } }))',
      "options.variables with",
    },
    {
      "try/access",
      'proxy(api("/x", { headers = { ["x-a"] = "b" } }))',
      "error_page or the API names would get it",
    },
    { "try/access", 'proxy(api("/x", { headers = { ["x_a"] = "b" } }))', 'for it, it = "name"' },
    { "try/content", 'capture(internal "OK /x")', "method OK: nginx has no constant" },
    { "try/access", 'proxy(api "QUERY /x")', "method QUERY: nginx has no constant" },
    { "try/access", 'proxy(api "HEAD /x")', "only then; the client sent GET", "GET" },
    { "try/access", 'proxy(api "GET /x")', "the client sent HEAD", "HEAD" },
    {
      "try/access",
      'proxy(api("POST /x", { a = 1 }), { body = "client" })',
      "body: expected no body beside options.body",
    },
    { "try/access", 'proxy(api "GET /x", { body = "client" })', "body: GET has no body" },
    { "try/access", 'proxy(api "/x", { variables = 5 })', "variables: expected a table" },
  }
  for _, value in ipairs { "", "\\1", "\\8", "\\11", "\\27[31m", "a\\127", "a\\0311" } do
    local given = ('("/x", { headers = { ["x-a"] = "%s" } }))'):format(value)
    table.insert(
      REFUSED,
      { "try/access", "proxy(api" .. given, 'header "x-a": expected a value without control' }
    )
    table.insert(REFUSED, { "try/content", "capture(internal" .. given, "and not an empty one" })
  end
  for _, row in ipairs(REFUSED) do
    it(("refuses and changes nothing in %s: %s"):format(row[1], row[2]), function()
      local seen = try(row[1], row[2], row[4])
      assert.same({ false, true }, { seen.done, seen.is_same })
      assert.truthy(
        seen.first:find("^%[string .-:1: endpoint%.clients: ") and seen.first:find(row[3], 1, true),
        seen.first
      )
      assert.equal(row[1] ~= "try/header_filter" and "stranger" or nil, seen.body)
    end)
  end

  it("captures any path that nginx gives on as it is, and any query", function()
    local taken, code =
      {}, [[capture(internal("/a;b/..c/d..{;m}/:x#f", { x = "%s", m = 1, q = "/\0%%../;\\\r\n" }))]]
    for byte = 32, 255 do
      if not string.char(byte):find "[/\\;?#%%\127]" then
        taken[#taken + 1] = ("\\%d"):format(byte)
      end
    end
    local seen = try("try/content", code:format(table.concat(taken)))
    assert.truthy(seen.done, seen.first)
    assert.same(
      { "/internal/a;b/..c/d..;m=1/%20%21", "q=%2F%00%25..%2F%3B%5C%0D%0A" },
      { seen.first:sub(1, 32), seen.second.args }
    )
  end)

  it(
    "gives headers of a subrequest to variables, and changes the client's request in the content "
      .. "phase alone",
    function()
      for _, phase in ipairs { "rewrite", "access", "content" } do
        local seen = try(
          "try/" .. phase,
          [[capture(internal("GET /x?a=1", { headers = { authorization = "ours" } }),
        { variables = { authorization = "token", ["x-b"] = "b" } })]]
        )
        local is_content = phase == "content"
        assert.same({
          "/internal/x",
          {
            method = 2,
            args = "a=1",
            body = not is_content and "" or nil,
            vars = { token = "ours", b = "" },
          },
        }, { seen.first, seen.second })
        assert.same(
          { "POST", not is_content, not is_content and "stranger" or nil, is_content },
          { seen.method, seen.is_same, seen.body, next(seen.headers) == nil }
        )
      end
    end
  )

  it(
    "makes the client's request that of the API, its host and its body, and hides a header in a "
      .. "variable",
    function()
      local GIVEN =
        "{ phase = %q, variables = { authorization = %s, ['x-b'] = false, ['x-a'] = 'a' } }"
      for _, phase in ipairs { "rewrite", "access" } do
        for _, row in ipairs {
          {
            '"GET http://u:p@[::1]/x#f"',
            "false",
            "http://[::1]/x",
            "GET",
            { host = "[::1]", authorization = "Basic dTpw" },
          },
          {
            '"GET http://u:p@h/x#f"',
            '"token"',
            "http://h/x",
            "GET",
            { host = "h" },
            "Basic dTpw",
          },
          {
            '("/x", { headers = { host = "other" } })',
            "false",
            "https://h:8443/v1/x",
            "GET",
            { host = "other" },
          },
          {
            '("PUT /x?q", { data = "text", headers = { ["accept-language"] = "\\t\\128\\255" } })',
            '"token"',
            "https://h:8443/v1/x?q",
            "PUT",
            { host = "h:8443", ["content-length"] = "4", ["accept-language"] = "\t\128\255" },
          },
        } do
          local seen =
            try("try/" .. phase, ("proxy(api %s, %s)"):format(row[1], GIVEN:format(phase, row[2])))
          assert.same(
            { row[3], row[4], row[5], row[6] or "", "" },
            { seen.first, seen.method, seen.headers, seen.token, seen.a }
          )
          assert.equal(row[4] == "PUT" and "text" or nil, seen.body)
        end
      end
    end
  )

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

  -- Name -> what the client sends, and the bodies that reach the API; of none of these requests
  -- anything.
  local STREAMS = {
    ["a length"] = { { LENGTH .. #SMUGGLED .. "\r\n\r\n" .. SMUGGLED }, { SMUGGLED } },
    ["nothing"] = { { POST .. "\r\n" }, { "" } },
    ["chunks"] = { { CHUNKED .. "\r\n" .. IN_CHUNKS }, { SMUGGLED } },
    ["chunks, late"] = {
      { CHUNKED .. "\r\n", IN_CHUNKS:sub(1, 9), IN_CHUNKS:sub(10) },
      { SMUGGLED },
    },
    ["chunks with extensions"] = {
      { CHUNKED .. '\r\n3;a="b;c"\r\nabc\r\n0;d\r\n\r\n' },
      { "abc" },
    },
    ["trailers"] = {
      { CHUNKED .. "Trailer: Cookie\r\n\r\n3\r\nabc\r\n0\r\nCookie: a=b\r\n\r\n" },
      { "abc" },
    },
    ["two bodies"] = {
      {
        LENGTH .. "3\r\n\r\nabc" .. CHUNKED .. "\r\n3\r\ndef\r\n0\r\n\r\n" .. LENGTH .. "0\r\n\r\n",
      },
      { "abc", "def", "" },
    },
    ["a wait for a 100"] = { { LENGTH .. "3\r\nExpect: 100-continue\r\n\r\n", "abc" }, { "abc" } },
    ["two lengths"] = { { LENGTH .. "3\r\nContent-Length: 4\r\n\r\nabcd" }, {} },
    ["a length and chunks"] = {
      { LENGTH .. "6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" .. SMUGGLED },
      {},
    },
    ["chunks twice"] = { { CHUNKED .. "Transfer-Encoding: chunked\r\n\r\n" .. IN_CHUNKS }, {} },
    ["chunks of HTTP/1.0"] = {
      { (CHUNKED:gsub("HTTP/1.1", "HTTP/1.0")) .. "\r\n" .. IN_CHUNKS },
      {},
    },
    ["a bad chunk"] = { { CHUNKED .. "\r\nx\r\n" .. SMUGGLED }, {} },
    ["a bad chunk, late"] = { { CHUNKED .. "\r\n3\r\nabc\r\n", "x\r\n" .. SMUGGLED }, {} },
    ["a chunk longer than it says"] = { { CHUNKED .. "\r\n3\r\n" .. SMUGGLED }, {} },
    ["a length above the limit"] = { { LENGTH .. "2000000\r\n\r\n" }, {} },
  }
  for name, row in pairs(STREAMS) do
    it("streams the client's body, and nothing else: " .. name, function()
      local seen, back = exchange(support.unpack(row[1]))
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
      assert.same(row[2], bodies)
      assert.equal(#row[2], select(2, back:gsub("HTTP/1.1 200", "")), back)
      assert.equal(
        row[1][1]:find "Expect" and 1 or nil,
        back:find "^HTTP/1%.1 100 Continue\r\n\r\n"
      )
    end)
  end

  -- A body of HTTP/2 needs no length.
  for _, row in ipairs {
    { "access?GET", "" },
    { "access?GET", "-d abc" },
    { "access?GET", "-T - <README.md" },
    { "stream?POST", "--data-binary @LICENSE" },
    { "stream?POST", "-X POST -T - <LICENSE" },
  } do
    it(("sends its own request alone over HTTP/2: %s %s"):format(row[1], row[2]), function()
      local client = io.popen(
        (
          "curl -s -m 20 --http2-prior-knowledge --unix-socket %s/http2 -b a=1 -b b=2 %s "
          .. "'http://x/%s'"
        ):format(running.directory, row[2], row[1])
      )
      local text = wire.accept(api)
      local request = wire.parse(text)
      assert.equal("answered 1", client:read "*a")
      client:close()
      if row[1] == "access?GET" then
        return assert_own("GET", text)
      end
      local body = request.headers["transfer-encoding"] and of_chunks(request.rest) or request.rest
      assert.same({ support.read "LICENSE" }, { body, request.headers.cookie })
    end)
  end
end)
