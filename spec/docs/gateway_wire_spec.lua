-- examples/gateway.lua and examples/tenants in nginx. This spec plays both their clients and their
-- APIs, byte by byte, and checks what reaches the API and what the client sees.
local examples = require "docs.examples"
local server = require "server"
local support = require "support"
local wire = require "wire"

local api = wire.listen()

-- The locations that the programs' README shows, with these addresses, and for checked.lua with a
-- document that has all kinds of values, and whose header need not be there.
local SHOWN = examples
  .blocks_in(support.read "examples/README.md", "nginx")[1].code
  :match "server {\n(.*)}\n$"
  :gsub("https://api.github.com", "http://127.0.0.1:" .. api.port)
  :gsub("gateway%.lua", "@ROOT@/examples/%0")
  :gsub(
    "content_by_lua_file checked.lua;",
    [[content_by_lua_block {
    package.path = "@ROOT@/spec/types/?.lua;" .. package.path
    local file = io.open "@ROOT@/spec/types/books-checks.lua"
    local rules = file:read "*a":gsub('"x%%-trace",true', '"x-trace",false')
    file:close()
    package.loaded.shop = require "books"
    package.loaded["shop-checks"] = loadstring(rules)()
    loadfile "@ROOT@/examples/checked.lua" () }]]
  )
  :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem")

local MORE = support.read "spec/docs/programs/gateway.conf"

local function issues(number)
  return wire.response(
    200,
    ('[{"title": "answered %d", "body": "not asked"}, {"title": "b"}, {}]'):format(number)
  )
end

-- A client's request, perhaps with headers and a body of its own: what reached the API, and what
-- came back.
local function exchange(running, line, body, headers)
  headers = "Host: x\r\nConnection: close\r\n" .. (headers or "")
  if body then
    headers = ("%sContent-Length: %d\r\n"):format(headers, #body)
  end
  return wire.exchange(
    running.port,
    api,
    { ("%s HTTP/1.1\r\n%s\r\n%s"):format(line, headers, body or "") }
  )
end

-- What the API says and no client may read.
local SECRET = '{"message": "secret"}'

describe("the gateway", function()
  local running, start, stop = server.plan { locations = MORE .. SHOWN, errors = "" }
  setup(start)
  teardown(stop)
  before_each(function()
    api.answer = issues
  end)

  -- What was logged since the last call.
  local at = 0
  local function logged()
    local log = support.read(running.directory .. "/error.log")
    local new = log:sub(at + 1)
    at = #log
    assert.falsy(new:find("0123", 1, true), new)
    return new
  end

  -- Asserts that the API saw the gateway's own request and no other byte.
  local function assert_own(text)
    local request = wire.parse(text)
    request.headers["content-length"] = request.headers["content-length"] or "0"
    assert.same({
      line = "GET /repos/lua/lua/issues?per_page=2",
      rest = "",
      headers = {
        host = "127.0.0.1:" .. api.port,
        accept = "application/json",
        ["accept-encoding"] = "identity",
        authorization = "Bearer 0123",
        ["user-agent"] = "service-endpoint.js/1.0.0",
        ["content-length"] = "0",
      },
    }, request)
  end

  local GOOD = "/issues?owner=lua&repo=lua"

  for _, target in ipairs { "/any?owner=lua&repo=lua", "/read?owner=lua&repo=lua" } do
    wire.guard(it, {
      target = target,
      running = running,
      api = api,
      own = assert_own,
      is_lenient = target:find "^/read" ~= nil,
    })
  end

  it("answers HTTP/0.9, in which nginx sets no header, with an error", function()
    local seen, back = wire.exchange(running.port, api, { "GET " .. GOOD .. "\r\n" })
    assert.same({}, seen)
    assert.truthy(back:find("500", 1, true), back)
  end)

  local POST, CALL = "POST " .. GOOD, "POST /call/books_list"
  local CREATE = "POST /call/books_create"

  -- A request, its body, the answer's status and a pattern of its body, what the API answers if it
  -- is asked, and the reason in the log.
  local ROWS = {
    { "FOO " .. GOOD, nil, 405 },
    { "DELETE " .. GOOD, nil, 405 },
    { POST, nil, 400 },
    { POST, "x", 400 },
    { POST, '"title"', 400 },
    { POST, "{}", 400 },
    { POST, '{"title": 1}', 400 },
    { POST, '{"title": "a\\u0001"}', 400 },
    { POST, '{"title": "a", "milestone": 12345678901234567}', 400 },
    { POST, '{"title": "a", "milestone": 1.5}', 400 },
    { POST, '{"title": "a", "milestone": "1"}', 400 },
    { POST, '{"title": "a"}' .. (" "):rep(70000), 413, "", nil, "too large" },
    { "GET /misspelt?owner=lua&repo=lua", nil, 500, "", nil, 'parameter "ownr"' },
    { "GET /call/books_list", "{}", 404 },
    { "POST /call/login", "{}", 404 },
    { CALL, "[1]", 400 },
    {
      CALL,
      '{"url": "x", "pgae": 1}',
      400,
      [["books_list: no parameter \"pgae\", is it \"page\"%?"]],
    },
    { CALL, '{"page": 1}', 400 },
    { CALL, '{"url": "x", "baseUrl": "/x"}', 400 },
    { CALL, "{", 400 },
  }
  -- What JSON can hold, and no body of the API's.
  for _, value in ipairs {
    "1e17",
    "1e300",
    "1e999",
    "{}",
    '{"a": [[]]}',
    '"\255"',
    '"\\ud800"',
    ("["):rep(300) .. "1" .. ("]"):rep(300),
    ("["):rep(1500) .. "1" .. ("]"):rep(1500),
  } do
    ROWS[#ROWS + 1] =
      { CREATE, '{"title": "x", "any_thing": ' .. value .. "}", 400, '^"[^\n]*"\n$' }
  end
  for _, query in ipairs {
    "",
    "?owner=lua",
    "?owner&repo=lua",
    "?owner=lua&owner=lua&repo=lua",
    "?owner=&repo=lua",
    "?owner=%2e%2E&repo=lua",
    "?owner=lua%2Flua%2Fpulls&repo=lua",
    "?owner=lua%00&repo=lua",
    "?owner=lua&repo=x%0D%0Ax:%20y",
  } do
    ROWS[#ROWS + 1] = { "GET /issues" .. query, nil, 400, "^expected [%a ]*\n$" }
  end
  for _, row in ipairs {
    { wire.response(200, "[]"), 200, "^%[%]" },
    { wire.response(404, SECRET), 404 },
    {
      (issues(1):gsub("connection", "X-Accel-Redirect: /any?owner=..\r\n%0")),
      200,
      '^%["answered 1","b"%]',
    },
    { wire.response(401, SECRET), 502 },
    { wire.response(500, "secret"), 502 },
    { wire.response(200, '"secret"'), 502 },
    { wire.response(302, "secret", "location: http://evil.example/\r\n"), 502 },
    { wire.response(200, "\31\139\8secret", "content-encoding: gzip\r\n"), 502 },
    { "HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n" .. '[{"title": "secret"}', 502 },
    { "secret", 502 },
    { wire.response(200, '[5, "secret"]'), 500 },
  } do
    ROWS[#ROWS + 1] = { "GET " .. GOOD, nil, row[2], row[3], row[1] }
  end
  for _, status in ipairs(wire.INTERIM) do
    for _, row in ipairs {
      { "GET " .. GOOD },
      { POST, '{"title": "a"}' },
      { CALL, '{"url": "x"}' },
    } do
      ROWS[#ROWS + 1] = { row[1], row[2], 502, nil, wire.interim(status) }
    end
  end

  for i, row in ipairs(ROWS) do
    it(
      ("answers %d in fixed words, and logs the reason: %d, %s"):format(row[3], i, row[1]),
      function()
        logged()
        api.answer = row[5] or "not asked"
        local seen, back = exchange(running, row[1], row[2])
        local status, body = wire.response_of(back)
        assert.same({ row[5] and 1 or 0, row[3] }, { #seen, status })
        for _, words in ipairs { "secret", "endpoint", "not asked", "API answers" } do
          assert.falsy(body:find(words, 1, true), body)
        end
        assert.truthy(body:find(row[4] or ""), body)
        local log, reason = logged(), row[6] or status < 500 and "[warn]" or "[error]"
        assert.truthy(status == 200 or row[1]:find "/call" or log:find(reason, 1, true), log)
      end
    )
  end

  it("answers HEAD as GET, without the body, and creates an issue", function()
    local seen, back = exchange(running, "HEAD " .. GOOD)
    assert_own(seen[1])
    assert.truthy(back:find "^HTTP/1.1 200 .*\r\n\r\n$", back)
    api.answer = wire.response(201, '{"id": 1, "secret": 2}')
    seen, back = exchange(
      running,
      POST,
      '{"title": "a\\u00e9", "milestone": 12345678901234, "labels": ["secret"]}'
    )
    local request = wire.parse(seen[1])
    assert.equal("POST /repos/lua/lua/issues", request.line)
    assert.truthy(
      request.rest == '{"title":"a\195\169","milestone":12345678901234}'
        or request.rest == '{"milestone":12345678901234,"title":"a\195\169"}',
      request.rest
    )
    assert.equal("Bearer 0123", request.headers.authorization)
    assert.truthy(back:find "^HTTP/1.1 201 " and not back:find("secret", 1, true), back)
  end)

  it("sends a call that the document knows", function()
    local seen, back = exchange(running, CALL, '{"url": "x", "page": 2}')
    local request = wire.parse(seen[1])
    assert.same(
      { "GET /books?url=x&page=2", "Bearer 0123" },
      { request.line, request.headers.authorization }
    )
    assert.truthy(back:find("answered 1", 1, true), back)
  end)

  it("sends a body as the model gave it: an empty list stays a list", function()
    api.answer = wire.response(201, "{}")
    local body = '{"title": "x", "any_thing": 0.1, "chapters": []}'
    local request = wire.parse(exchange(running, CREATE, body)[1])
    assert.equal('{"any thing":0.1,"chapters":[],"title":"x"}', request.rest)
    assert.equal("application/json; charset=utf-8", request.headers["content-type"])
  end)
end)

-- --- tenants

-- The files, with this API's address for both tenants, under two other names.
local function configuration()
  local text = support
    .read "examples/tenants/nginx.conf"
    :gsub("127%.0%.0%.1:8080", "127.0.0.1:@PORT@")
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem")
    :gsub("server [ab].example:443", "server 127.0.0.1:@API@")
  text = text:gsub('"$prefix/', '"@ROOT@/examples/tenants/'):gsub(
    "init_by_lua_block { ",
    [[%0
    local settings = dofile "@ROOT@/examples/tenants/settings.lua"
    for _, tenant in pairs(settings.tenants) do
      tenant.baseUrl = tenant.baseUrl:gsub("https://%%w+.example", "http://127.0.0.1:@API@")
    end
    package.loaded.settings = settings
  ]]
  )
  return (text:gsub("@API@", api.port))
end

describe("the gateway for tenants", function()
  local running, start, stop = server.plan { configuration = configuration() }
  setup(start)
  teardown(function()
    wire.stop_and_listen(api, stop)
  end)
  before_each(function()
    api.answer =
      wire.response(200, '{"id":12345678901234567}', "Content-Type: application/json\r\n")
  end)

  local A, B, TOKEN_B = "X-Key: key-of-a\r\n", "X-Key: key-of-b\r\n", " Bearer token-of-b "

  -- A request, the status of its answer, what reaches the API, its own headers, and its body.
  for _, row in ipairs {
    { "GET /read/user?id=7", 200, "GET /v1/users/7" .. TOKEN_B },
    { "HEAD /read/user?id=7", 200, "GET /v1/users/7" .. TOKEN_B },
    { "GET /read/search?q=a%2Fb&page=2&evil=1", 200, "GET /v1/items?q=a%2Fb&page=2" .. TOKEN_B },
    { "DELETE /write/item?id=7", 200, "DELETE /v1/items/7" .. TOKEN_B },
    { "DELETE /write/item?id=7", 200, "DELETE /v1/items/7" .. TOKEN_B, B, "" },
    { "POST /write/file?name=x", 200, "POST /v1/files?name=x Bearer token-of-a abc", A, "abc" },
    { "DELETE /write/item?id=7", 400, nil, B, "abc" },
    { "DELETE /write/item?id=7", 400, nil, B .. "Transfer-Encoding: chunked\r\n\r\n0\r\n" },
    { "GET /read/user?id=7", 401, nil, "" },
    { "GET /read/user?id=7", 401, nil, "X-Key: key-of-c\r\n" },
    { "GET /read/user", 400 },
    { "GET /read/user?id=a", 400 },
    { "GET /read/user?id=1&id=2", 400 },
    { "GET /overview", 400 },
    { "GET /read/none", 404 },
    { "POST /read/user?id=7", 405 },
    { "POST /overview?id=7", 405 },
    { "DELETE /overview?id=7", 405 },
    { "GET /write/item?id=7", 405 },
  } do
    it(("answers %d to %s %s"):format(row[2], row[1], row[4] or ""), function()
      local seen, back =
        exchange(running, row[1], row[5], "Authorization: Bearer stranger\r\n" .. (row[4] or B))
      for i, text in ipairs(seen) do
        local request = wire.parse(text)
        seen[i] = request.line
          .. " "
          .. tostring(request.headers.authorization)
          .. " "
          .. request.rest
      end
      local status, text = wire.response_of(back)
      assert.same({ { row[3] }, row[2] }, { seen, status })
      assert.truthy(status == 200 or text:find '^{"error":"[%w ]+"}\n$', text)
    end)
  end

  it("makes one answer of two", function()
    local get =
      "GET /overview?id=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Key: key-of-b\r\n\r\n"
    local lines, back = wire.exchange_at_once(running.port, api, get, 2)
    assert.same({ "GET /v1/orders?user=7", "GET /v1/users/7" }, lines)
    local status, text = wire.response_of(back)
    assert.equal(200, status)
    assert.truthy(text:find('"user":{"id":12345678901234567}', 1, true), text)
  end)

  for _, status in ipairs(wire.INTERIM) do
    for _, line in ipairs {
      "GET /read/user?id=7",
      "HEAD /read/user?id=7",
      "DELETE /write/item?id=7",
    } do
      it(("ends the connection if the API begins with %d: %s"):format(status, line), function()
        api.answer = wire.interim(status)
        local seen, back = exchange(running, line, nil, B)
        assert.same({ 1, "" }, { #seen, back })
      end)
    end
    it(("makes one answer of two that begin with %d"):format(status), function()
      api.answer = ("HTTP/1.1 %d X\r\n\r\n"):format(status)
        .. wire.response(200, '{"id":1}', "Content-Type: application/json\r\n")
      local _, back = exchange(running, "GET /overview?id=7", nil, B)
      assert.truthy(back:find('"user":{"id":1}', 1, true), back)
    end)
  end

  it("hides that the API refuses its token, and logs no key, token or query", function()
    api.answer = wire.response(401, "secret", "WWW-Authenticate: Bearer secret\r\n")
    local get = "GET /read/user?id=71238906 HTTP/1.1\r\nHost: x\r\nX-Key: key-of-a\r\n\r\n"
    local _, back = wire.exchange(running.port, api, { get })
    assert.truthy(back:find "^HTTP/1.1 502" and back:lower():find "connection: close", back)
    assert.falsy(back:find "ecret", back)
    server.shell "sleep 0.1"
    local log = support.read(running.directory .. "/access.log")
    assert.truthy(log:find('a GET "GET /users/{id}" 502 api="401"', 1, true), log)
    local without_times = log:gsub("%S+T%S+ ", "")
    for _, word in ipairs { "key%-of", "token%-of", "71238906" } do
      assert.falsy(without_times:find(word), log)
    end
  end)
end)
