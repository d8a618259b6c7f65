-- spec/programs/gateway.lua in nginx. This spec plays both its client and its API, byte
-- by byte, and checks what reaches the API and what the client sees.
local examples = require "examples"
local support = require "support"
local server = require "wire.server"
local echo = require "wire.echo"
local wire = require "wire.wire"

-- The locations that the programs' README shows, with these addresses.
local function locations(api_port)
  local shown = examples.blocks_in(support.read "spec/programs/README.md", "nginx")[1].code
  return (shown:match "server {\n(.*)}\n$":gsub("https://api.github.com", "http://127.0.0.1:" .. api_port)
    :gsub("gateway%.lua", "@ROOT@/spec/programs/%0"):gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem"))
end

-- In the first location nginx has read the body before. In the second the gateway's own
-- code fails.
local MORE = [[
underscores_in_headers on;
location = /read { lua_need_request_body on; content_by_lua_file @ROOT@/spec/programs/gateway.lua; }
location = /broken { content_by_lua_block {
  local clients = require "endpoint.clients"
  package.loaded["endpoint.clients"] = { ngx = function() error 'out of order, "endpoint: parameter \\"' end }
  local _, message = pcall(dofile, "@ROOT@/spec/programs/gateway.lua")
  package.loaded["endpoint.clients"] = clients
  error(message, 0)
} }
]]

local ISSUES = wire.response(200, '[{"title": "a", "body": "not asked"}, {"title": "b"}, {}]')

describe("the gateway", function()
  local running, api

  setup(function()
    api = wire.listen()
    running = echo.start(MORE .. locations(api.port))
  end)

  before_each(function() api.answer = ISSUES end)

  teardown(function()
    local log = server.stop(running)
    assert.falsy(log:find("[alert]", 1, true), log)
    assert.falsy(log:find("0123", 1, true), log)
  end)

  -- Sends a GET. Returns how many requests reached the API, then the status and the body.
  local function get(target)
    local seen, back = wire.exchange(running.port, api,
      { "GET " .. target .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" })
    return #seen, wire.response_of(back)
  end

  -- What was logged since the last call.
  local at = 0
  local function logged()
    local log = support.read(running.directory .. "/error.log")
    local new = log:sub(at + 1)
    at = #log
    return new
  end

  -- Asserts that the API saw the gateway's own request and no other byte.
  local function assert_own(text)
    local request = wire.parse(text)
    assert.equal("GET /repos/lua/lua/issues?per_page=2", request.line)
    assert.equal("", request.rest)
    assert.equal("0", request.headers["content-length"] or "0")
    request.headers["content-length"] = nil
    assert.same({
      host = "127.0.0.1:" .. api.port, accept = "application/json",
      ["accept-encoding"] = "identity", authorization = "Bearer 0123", ["user-agent"] = "service-endpoint.js/1.0.0",
    }, request.headers)
  end

  local GOOD = "/issues?owner=lua&repo=lua"

  it("answers with less than the API", function()
    local count, status, body = get(GOOD)
    assert.same({ 1, 200 }, { count, status })
    assert.truthy(body:find('["a","b"]', 1, true), body)
  end)

  it("answers [] where there is no issue", function()
    api.answer = wire.response(200, "[]")
    local _, status, body = get(GOOD)
    assert.equal(200, status)
    assert.truthy(body:find("[]", 1, true), body)
  end)

  for _, location in ipairs { "/issues", "/read" } do
    for _, attack in ipairs(wire.attacks(location .. "?owner=lua&repo=lua")) do
      it(("sends its own request alone, whatever comes to %s: %s"):format(location, attack[1]), function()
        local seen, back = wire.exchange(running.port, api, attack[2])
        assert.equal(200, (wire.response_of(back)))
        assert.equal(1, #seen)
        assert_own(seen[1])
      end)
    end
  end

  for _, request in ipairs(wire.malformed(GOOD)) do
    it("sends nothing if what comes is malformed: " .. request[1], function()
      local seen, back = wire.exchange(running.port, api, request[2])
      assert.same({}, seen)
      assert.truthy(back:find "^HTTP/1%.1 [45]", back)
    end)
  end

  it("answers HTTP/0.9, in which nginx sets no header, with an error", function()
    local seen, back = wire.exchange(running.port, api, { "GET " .. GOOD .. "\r\n" })
    assert.same({}, seen)
    assert.truthy(back:find("500", 1, true), back)
  end)

  it("answers pipelined requests one by one", function()
    local one = "GET " .. GOOD .. " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /"
    local seen, back = wire.exchange(running.port, api, { one .. one })
    assert.equal(2, #seen)
    for _, text in ipairs(seen) do assert_own(text) end
    assert.equal(2, select(2, back:gsub("HTTP/1%.1 200", "")), back)
  end)

  for _, query in ipairs {
    "", "?owner=lua", "?repo=lua", "?owner&repo=lua", "?owner=lua&owner=lua&repo=lua", "?owner=lua&repo=a&repo=b",
    "?owner=lua&repo&repo", "?owner=&repo=lua", "?owner=..&repo=lua", "?owner=%2e%2E&repo=lua", "?owner=lua&repo=.",
    "?owner=lua%2Flua%2Fpulls&repo=lua", "?owner=..%2F..%2Flua&repo=lua", "?owner=lua%00&repo=lua",
    "?owner=..%3B&repo=lua", "?owner=lua%3Bl=1&repo=lua", "?owner=lua%3Fx&repo=lua", "?owner=lua%23&repo=lua",
    "?owner=lua%5Cx&repo=lua", "?owner=lua%252Fx&repo=lua", "?owner=lua&repo=x%0D%0Ax:%20y", "?owner=lua&repo=%7F",
  } do
    it("refuses " .. (query == "" and "no query" or query) .. " in fixed words", function()
      logged()
      local count, status, body = get("/issues" .. query)
      assert.same({ 0, 400 }, { count, status })
      assert.truthy(body:find "^%x+\r\nexpected [%a ]*\n" or body:find "^expected [%a ]*\n$", body)
      local log = logged()
      assert.truthy(log:find("[warn]", 1, true) and not log:find("[error]", 1, true), log)
    end)
  end

  for name, row in pairs {
    ["404"] = { 404, wire.response(404, '{"message": "secret"}'), "[warn]" },
    ["401"] = { 502, wire.response(401, '{"message": "secret"}'), "[error]" },
    ["500"] = { 502, wire.response(500, "secret"), "[error]" },
    ["304"] = { 502, "HTTP/1.1 304 X\r\nconnection: close\r\n\r\n", "[error]" },
    ["a redirect"] = { 502, wire.response(302, "secret", "location: http://evil.example/\r\n"), "[error]" },
    ["no JSON"] = { 502, wire.response(200, "secret"), "[error]" },
    ["gzip all the same"] = { 502, wire.response(200, "\31\139\8secret", "content-encoding: gzip\r\n"), "[error]" },
    ["a JSON string"] = { 502, wire.response(200, '"secret"'), "[error]" },
    ["half of its JSON"] = { 502, "HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n" .. '[{"title": "secret"}', "[error]" },
    ["values that are no issues"] = { 500, wire.response(200, '[5, "secret"]'), "[error]" },
    ["no HTTP"] = { 502, "secret", "[error]" },
  } do
    it("hides the reason from the client and logs it if the API answers " .. name, function()
      api.answer = row[2]
      logged()
      local count, status, body = get(GOOD)
      assert.same({ 1, row[1] }, { count, status })
      assert.falsy(body:find("secret", 1, true) or body:find("endpoint", 1, true), body)
      local log = logged()
      assert.truthy(log:find(row[3], 1, true), log)
    end)
  end

  it("answers 500 if its own code fails", function()
    logged()
    local count, status, body = get "/broken?owner=lua&repo=lua"
    assert.same({ 0, 500 }, { count, status })
    assert.falsy(body:find("out of order", 1, true), body)
    local log = logged()
    assert.truthy(log:find("[error]", 1, true) and log:find("out of order", 1, true), log)
  end)
end)
