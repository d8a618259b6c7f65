-- The recipe "LuaSocket" of src/endpoint/README.md, under each Lua, with the real LuaSocket and
-- LuaSec, against an nginx and against sockets that answer nothing.
local echo = require "wire.echo"
local examples = require "examples"
local json = require "cjson"
local server = require "wire.server"
local support = require "support"

local LUAS = server.with_modules { "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit" }

local function recipe()
  for _, block in ipairs(examples.blocks_of(support.read "src/endpoint/README.md")) do
    if block.name == "luasocket.lua" then return block.code end
  end
end

-- The recipe's own time-outs and pauses, a hundred times as fast; every host is this machine; and
-- the certificates are those of the file CA.
local function made_faster(code)
  local head, count = code:gsub("10, 10 %-%-", "0.3, 0.3 --")
  assert.equal(1, count)
  return (head:gsub("/etc/ssl/certs/ca%-certificates.crt", "CA")) .. [[
local endpoint = require "endpoint"
local port, slept = assert(tonumber(arg[1])), {}
socket.sleep = function(seconds) slept[#slept + 1] = seconds end
local tcp = getmetatable(socket.tcp()).__index
local connect = tcp.connect
function tcp.connect(self, host, given) return connect(self, "127.0.0.1", tonumber(given) == 443 and port or given) end
]]
end

local CODE = {
  names = [[
for _, host in ipairs { "api.github.com", "API.github.com", "a.wild.example", "wild.example", "a.b.wild.example",
  "github.com", "evil.example", "127.0.0.1" } do
  print(host, select(2, send(endpoint("GET https://" .. host .. "/x"))))
end]],
  response = [[
local status, headers, text = send(endpoint("POST https://api.github.com/x", { a = 1 }))
print(status, status and headers["x-echo"] == text or headers, text)]],
  silent = [[
local listener = assert(socket.bind("127.0.0.1", 0))
local url = "http://127.0.0.1:" .. select(2, listener:getsockname()) .. "/x"
for _, method in ipairs { "GET", "POST", "PUT" } do
  slept = {}
  local time = socket.gettime()
  local status, message = send_again(endpoint(method .. " " .. url))
  print(method, status, message, table.concat(slept, " "), socket.gettime() - time < 3)
end
local pieces = { "a" }
slept = {}
print(send_again(endpoint("PUT " .. url, { data = function() return table.remove(pieces) end })), #slept)]],
  refused = 'print(send_again(endpoint "GET http://127.0.0.1:1/x"))',
  answered = 'print(send_again(endpoint "GET https://api.github.com/missing"), #slept)',
  again = [[
local parts = {}
local request = clients.luasocket(endpoint("PUT https://api.github.com/x", { data = "a" }),
  { sink = ltn12.sink.table(parts) })
request.verify, request.cafile = "peer", "CA"
for i = 1, 2 do
  local _, status = https.request(request)
  print(status, parts[1] == parts[i])
  print(https.request(request))
  request.create = nil
end
print(#parts)]],
  proxy = [[
local sink = {}
local request = clients.luasocket(endpoint "GET http://h.example/x?y", { sink = ltn12.sink.table(sink) })
request.proxy = "http://127.0.0.1:" .. arg[2]
http.request(request)
print(sink[1])
local secure = clients.luasocket(endpoint "GET https://h.example/x")
secure.proxy = request.proxy
print(https.request(secure))]],
}

describe("the recipe for LuaSocket", function()
  local running

  setup(function()
    running = echo.start "location = /missing { return 404; }"
    server.shell(("cd %s && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key "
      .. "-out other.pem 2>openssl.log"):format(running.directory))
  end)

  teardown(function() server.stop(running) end)

  local function run(lua, name, certificate)
    local path = running.directory .. (certificate or "/certificate.pem")
    local code = (made_faster(recipe()) .. CODE[name]):gsub("CA", path)
    support.write(running.directory .. "/luasocket.lua", code)
    return server.shell(("LUA_CPATH='build/%s/?.so;;' LUA_PATH='src/?.lua;;' timeout 60 %s %s/luasocket.lua %d %d 2>&1")
      :format(lua, lua, running.directory, running.tls_port, running.port))
  end

  for _, lua in ipairs(LUAS) do
    it("asks whose a certificate is, on " .. lua, function()
      local other, count = "the certificate is not that of ", 0
      for line in run(lua, "names"):gmatch "[^\n]+" do
        local host, said = line:match "^(%S+)\t(.*)$"
        local is_named = host:lower() == "api.github.com" or host == "a.wild.example"
        assert.truthy(is_named and said:find "^table" or said == other .. host, line)
        count = count + 1
      end
      assert.equal(8, count)
      assert.equal("nil\tcertificate verify failed\tnil", run(lua, "response", "/other.pem"))
    end)

    it("returns the response, on " .. lua, function()
      local status, is_header, text = run(lua, "response"):match "^(%d+)\t(%a+)\t(%x+)$"
      assert.same({ "200", "true" }, { status, is_header })
      local seen = json.decode(echo.from_hex(text))
      assert.same({ "POST", "/x", '{"a":1}' }, { seen.method, seen.uri, echo.from_hex(seen.body) })
    end)

    it("gives up in time, and tries again only what may arrive twice, on " .. lua, function()
      assert.equal("GET\tnil\ttimeout\t1 2\ttrue\nPOST\tnil\ttimeout\t\ttrue\nPUT\tnil\ttimeout\t1 2\ttrue\nnil\t0",
        run(lua, "silent"))
      assert.equal("nil\tconnection refused\tnil", run(lua, "refused"))
      assert.truthy(run(lua, "answered"):find "^404\t0$")
    end)

    it("sends a table again with LuaSec if it drops what LuaSec left there, on " .. lua, function()
      local sent = "200\ttrue\nnil\tcreate function not permitted\n"
      assert.equal(sent .. sent .. "2", run(lua, "again"))
    end)

    it("sends HTTP through a proxy, and no HTTPS, on " .. lua, function()
      local text, rest = run(lua, "proxy"):match "^(%x+)\n(.*)$"
      local seen = json.decode(echo.from_hex(text))
      assert.same({ "h.example", "/x?y" }, { seen.headers.host, seen.uri })
      assert.equal("nil\tproxy not supported", rest)
    end)
  end
end)
