-- examples/tenants in nginx, whose APIs the spec plays.
local server = require "server"
local support = require "support"
local wire = require "wire"

local api = wire.listen()

-- The files, with this API's address for both tenants, which stand for two of its names.
local function configuration()
  local text = support.read "examples/tenants/nginx.conf":gsub("127%.0%.0%.1:8080", "127.0.0.1:@PORT@")
    :gsub("/etc/ssl/certs/ca%-certificates.crt", "certificate.pem"):gsub("server [ab].example:443", "server 127.0.0.1:@API@")
  text = text:gsub('"$prefix/', '"@ROOT@/examples/tenants/'):gsub("init_by_lua_block { ", [[%0
    local settings = dofile "@ROOT@/examples/tenants/settings.lua"
    for _, tenant in pairs(settings.tenants) do
      tenant.baseUrl = tenant.baseUrl:gsub("https://%%w+.example", "http://127.0.0.1:@API@")
    end
    package.loaded.settings = settings
  ]])
  return (text:gsub("@API@", api.port))
end

describe("the gateway for tenants", function()
  local running, start, stop = server.plan { configuration = configuration() }
  setup(start)
  teardown(stop)
  before_each(function()
    api.answer = wire.response(200, '{"id":12345678901234567}', "Content-Type: application/json\r\n")
  end)

  local function ask(line, more)
    local seen, back = wire.exchange(running.port, api, { line .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      .. "Authorization: Bearer stranger\r\n" .. (more or "X-Key: key-of-b\r\n\r\n") })
    local requests = {}
    for i, text in ipairs(seen) do
      local request = wire.parse(text)
      requests[i] = request.line .. " " .. tostring(request.headers.authorization) .. " " .. request.rest
    end
    table.sort(requests)
    return requests, wire.response_of(back)
  end

  for line, expected in pairs {
    ["GET /read/user?id=7"] = "GET /v1/users/7 Bearer token-of-b ",
    ["HEAD /read/user?id=7"] = "HEAD /v1/users/7 Bearer token-of-b ",
    ["GET /read/search?q=a%2Fb&page=2&evil=1"] = "GET /v1/items?q=a%2Fb&page=2 Bearer token-of-b ",
    ["DELETE /write/item?id=7"] = "DELETE /v1/items/7 Bearer token-of-b ",
  } do
    it("sends for " .. line, function()
      local requests, status = ask(line)
      assert.same({ { expected }, 200 }, { requests, status })
    end)
  end

  it("sends a body on", function()
    local requests = ask("POST /write/file?name=x", "X-Key: key-of-a\r\nContent-Length: 3\r\n\r\nabc")
    assert.same({ "POST /v1/files?name=x Bearer token-of-a abc" }, requests)
  end)

  it("makes one answer of two", function()
    local get = "GET /overview?id=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Key: key-of-b\r\n\r\n"
    local lines, back = wire.exchange_at_once(running.port, api, get, 2)
    assert.same({ "GET /v1/orders?user=7", "GET /v1/users/7" }, lines)
    local status, text = wire.response_of(back)
    assert.equal(200, status)
    assert.truthy(text:find('"user":{"id":12345678901234567}', 1, true), text)
  end)

  for line, expected in pairs {
    ["GET /read/user"] = 400, ["GET /read/user?id=a"] = 400, ["GET /read/user?id=1&id=2"] = 400, ["GET /read/none"] = 404,
    ["GET /overview"] = 400, ["POST /read/user?id=7"] = 405, ["GET /write/item?id=7"] = 405,
  } do
    it("refuses " .. line, function()
      local requests, status, text = ask(line)
      assert.same({ {}, expected }, { requests, status })
      assert.truthy(text:find '^{"error":"[%w ]+"}\n$', text)
    end)
  end

  it("takes a body for a route that has one alone", function()
    for more, expected in pairs {
      ["Content-Length: 3\r\n\r\nabc"] = 400, ["Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] = 400,
      ["Content-Length: 0\r\n\r\n"] = 200,
    } do
      local requests, status = ask("DELETE /write/item?id=7", "X-Key: key-of-b\r\n" .. more)
      assert.same({ expected == 200 and 1 or 0, expected }, { #requests, status })
    end
  end)

  it("knows no other key", function()
    for _, key in ipairs { "", "X-Key: key-of-c\r\n" } do
      local requests, status = ask("GET /read/user?id=7", key .. "\r\n")
      assert.same({ {}, 401 }, { requests, status })
    end
  end)

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
    for _, word in ipairs { "key%-of", "token%-of", "71238906" } do assert.falsy(without_times:find(word), log) end
  end)
end)
