-- examples/openapi_gateway.lua in nginx, with the location that docs/gateway-checks.md shows, and a
-- document that has all kinds of values: what reaches the API, what the client sees, and what is
-- logged.
local examples = require "docs.examples"
local json = require "cjson"
local server = require "server"
local support = require "support"
local wire = require "wire"

local api = wire.listen()

local LOCATION = examples
  .blocks_in(support.read "docs/gateway-checks.md", "nginx")[1].code
  :gsub("location /v1/", "location /v2/")
  :gsub("https://shop.example", "http://127.0.0.1:" .. api.port)
  :gsub(
    "access_by_lua_block { ",
    [[access_by_lua_block {
    package.path = "@ROOT@/spec/types/?.lua;@ROOT@/examples/?.lua;" .. package.path
    package.loaded["shop-checks"] = require "books-checks"
    ]]
  )
  :gsub("client_max_body_size 64k;", "client_max_body_size 128k; client_body_buffer_size 1k;")

local X_TRACE = "X-Trace: t\r\n"
local LIST = "GET /v2/books?url=x"

describe("the gateway of an OpenAPI document", function()
  local running, start, stop = server.plan { locations = LOCATION, errors = "" }
  setup(start)
  teardown(function()
    wire.stop_and_listen(api, stop)
  end)
  before_each(function()
    api.answer = wire.response(200, "[]", "content-type: application/json\r\n")
  end)

  -- A request: what reached the API, the status, and the body of the answer.
  local function exchange(line, headers, body)
    headers = "Host: x\r\nConnection: close\r\n" .. (headers or "")
    if body then
      headers = ("%sContent-Length: %d\r\n"):format(headers, #body)
    end
    local text = ("%s HTTP/1.1\r\n%s\r\n%s"):format(line, headers, body or "")
    local seen, back = wire.exchange(running.port, api, { text })
    local status, answer = wire.response_of(back)
    return seen, status, answer, back
  end

  local function log()
    return support.read(running.directory .. "/error.log")
  end

  it(
    "proxies a request that is right, with its own token and nothing else of the client",
    function()
      local seen, status = exchange(
        LIST,
        X_TRACE .. "Cookie: session=z\r\nAuthorization: Bearer evil\r\nX-Evil: 1\r\n"
      )
      assert.same({ 1, 200 }, { #seen, status })
      local request = wire.parse(seen[1])
      assert.equal(LIST, request.line)
      assert.equal("Bearer 0123", request.headers.authorization)
      assert.equal("t", request.headers["x-trace"])
      assert.is_nil(request.headers.cookie)
      assert.is_nil(request.headers["x-evil"])
    end
  )

  it("proxies a HEAD of a path that has GET", function()
    api.answer = "HTTP/1.1 200 X\r\ncontent-length: 7\r\nconnection: close\r\n\r\n"
    local before = #log()
    local seen, status, answer = exchange("HEAD /v2/books?url=x", X_TRACE)
    assert.equal("", log():sub(before + 1))
    assert.same({ 1, 200, "" }, { #seen, status, answer })
    assert.equal("HEAD /v2/books?url=x", wire.parse(seen[1]).line)
  end)

  for _, size in ipairs { 10, 60000 } do
    it(("proxies a body of %d bytes as it came"):format(size), function()
      api.answer =
        wire.response(201, '{"id":1,"any thing":1}', "content-type: application/json\r\n")
      local body = ('{"title": "%s", "any thing": 1}'):format(("x"):rep(size))
      local seen, status = exchange("POST /v2/books", "Content-Type: application/json\r\n", body)
      assert.same({ 1, 201 }, { #seen, status })
      assert.equal(body, wire.parse(seen[1]).rest)
    end)
  end

  local JSON = "Content-Type: application/json\r\n"

  -- A request, headers, a body; the status, and the places of the problems.
  for _, row in ipairs {
    { "GET /v2/books?page=x&pge=1", nil, nil, 400, { "query", "query", "query", "header" } },
    { LIST .. "&page=1#2", X_TRACE, nil, 400, { "query", "query" } },
    { "GET /v2/nope", nil, nil, 404, { "path" } },
    { "GET /v2/books/", nil, nil, 404, { "path" } },
    { "PUT /v2/books", nil, nil, 405, { "method" } },
    { "OPTIONS /v2/books", nil, nil, 405, { "method" } },
    { "GET /v2//books?url=x", X_TRACE, nil, 400, { "path" } },
    { "GET /v2/x/../books?url=x", X_TRACE, nil, 400, { "path" } },
    { "GET /v2/x/%2e%2e/books?url=x", X_TRACE, nil, 400, { "path" } },
    { "GET /v2/books%2f?url=x", X_TRACE, nil, 400, { "path" } },
    { "GET /v2/b\195\188cher", nil, nil, 400, { "path" } },
    { LIST .. "{", X_TRACE, nil, 400, { "path" } },
    { "POST /v2/books", JSON, '{"title": 5}', 400, { "body", "body" } },
    { "POST /v2/books", JSON, "{", 400, { "body" } },
    { "POST /v2/books", JSON, nil, 400, { "body" } },
    { "POST /v2/books", "Content-Type: text/xml\r\n", "<a/>", 415, { "header" } },
    { "POST /v2/books", JSON .. "Content-Type: a/b\r\n", "{}", 400, { "header" } },
    { "POST /v2/books", JSON, ("x"):rep(70000), 413, { "body" } },
    { LIST, X_TRACE .. ("X-A: 1\r\n"):rep(120), nil, 431, { "header" } },
  } do
    local shown = row[1]:gsub("[^ -~]", "?")
    it(("answers %d to %s, and asks nobody"):format(row[4], shown), function()
      local seen, status, answer, back = exchange(row[1], row[2], row[3])
      assert.same({ 0, row[4] }, { #seen, status })
      local places = {}
      for position, one in ipairs(json.decode(answer).problems) do
        places[position] = one.place
      end
      assert.same(row[5], places)
      assert.equal(row[4] == 405, back:lower():find "allow: get, head, post\r\n" ~= nil)
    end)
  end

  local before_response = support.copied(wire.INTERIM)
  before_response[#before_response + 1] = 101
  for _, status in ipairs(before_response) do
    it(("ends the connection if the API begins with %d"):format(status), function()
      api.answer = wire.interim(status)
      local head = LIST .. " HTTP/1.1\r\nHost: x\r\n" .. X_TRACE .. "Upgrade: websocket\r\n\r\n"
      local seen, back = wire.exchange(running.port, api, { head })
      assert.same({ 1, "" }, { #seen, back })
    end)
  end

  it("answers 413 to a body in chunks that is too long", function()
    local chunk = ("%x\r\n%s\r\n"):format(20000, ("x"):rep(20000))
    local text = "POST /v2/books HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      .. JSON
      .. "Transfer-Encoding: chunked\r\n\r\n"
      .. chunk:rep(4)
      .. "0\r\n\r\n"
    local seen, back = wire.exchange(running.port, api, { text })
    assert.same({ 0, 413 }, { #seen, (wire.response_of(back)) })
  end)

  it("logs a response that the document does not allow, and passes it on", function()
    api.answer =
      wire.response(201, '{"id":"x","any thing":1}', "content-type: application/json\r\n")
    local _, status, answer =
      exchange("POST /v2/books", JSON, '{"title": "wrong answer", "any thing": 1}')
    assert.same({ 201, '{"id":"x","any thing":1}' }, { status, answer })
    assert.truthy(log():find('status 201: "id": expected an integer, got a string', 1, true))
    assert.is_nil(log():find("0123", 1, true))
  end)
end)
