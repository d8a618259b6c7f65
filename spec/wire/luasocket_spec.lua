-- The recipe "LuaSocket" of docs/clients.md, under each Lua, with the real LuaSocket and
-- LuaSec, against an nginx and against sockets that answer nothing.
local echo = require "wire.echo"
local examples = require "examples"
local server = require "wire.server"

-- The recipe with its own time-outs and pauses, a hundred times as fast; every host is this machine; and
-- the certificates are those of the file CA.
local RECIPE = examples.recipe "luasocket.lua":gsub("10, 10 %-%-", "0.3, 0.3 --")
  :gsub("/etc/ssl/certs/ca%-certificates.crt", "CA") .. [[
local endpoint = require "endpoint"
local port, slept = assert(tonumber(arg[1])), {}
socket.sleep = function(seconds) slept[#slept + 1] = seconds end
local tcp = getmetatable(socket.tcp()).__index
local connect = tcp.connect
function tcp.connect(self, host, given) return connect(self, "127.0.0.1", tonumber(given) == 443 and port or given) end
]]

-- Whose a certificate is, and what arrives; what is tried again; a table that is sent again with LuaSec if
-- it drops what LuaSec left there; HTTP through a proxy, and no HTTPS.
local CODE = [[
for _, host in ipairs { "api.github.com", "API.github.com", "a.wild.example", "wild.example", "a.b.wild.example",
  "github.com", "evil.example", "127.0.0.1" } do
  local status, said = send(endpoint("GET https://" .. host .. "/x"))
  print(host, status or said)
end
local status, headers, text = send(endpoint("POST https://api.github.com/x", { a = 1 }))
print("response", status, headers["x-echo"] == text, text)

local listener = assert(socket.bind("127.0.0.1", 0))
local url = "http://127.0.0.1:" .. select(2, listener:getsockname()) .. "/x"
for _, method in ipairs { "GET", "POST", "PUT" } do
  slept = {}
  local time = socket.gettime()
  local sent, message = send_again(endpoint(method .. " " .. url))
  print(method, sent, message, table.concat(slept, " "), socket.gettime() - time < 3)
end
local pieces = { "a" }
slept = {}
print("stream", send_again(endpoint("PUT " .. url, { data = function() return table.remove(pieces) end })), #slept)
print("refused", (select(2, send_again(endpoint "GET http://127.0.0.1:1/x"))))
slept = {}
print("answered", (send_again(endpoint "GET https://api.github.com/missing")), #slept)

local parts, r = {}, endpoint("PUT https://api.github.com/x", { data = "a" })
local request = clients.luasocket(r, { sink = ltn12.sink.table(parts) })
request.verify, request.cafile = "peer", "CA"
for i = 1, 2 do
  local _, status = https.request(request)
  print("again", status, #parts[1] == #parts[i], #parts, -- the fields in any order
    select(2, https.request(request)))
  request.create = nil
end

request = clients.luasocket(endpoint "GET http://h.example/x?y", { sink = ltn12.sink.table(parts) })
request.proxy = "http://127.0.0.1:" .. arg[2]
http.request(request)
local secure = clients.luasocket(endpoint "GET https://h.example/x")
secure.proxy = request.proxy
print("proxy", select(2, https.request(secure)), parts[3])
]]

local NOT = "\tthe certificate is not that of "
local EXPECTED = {
  "api.github.com\t200", "API.github.com\t200", "a.wild.example\t200", "wild.example" .. NOT .. "wild.example",
  "a.b.wild.example" .. NOT .. "a.b.wild.example", "github.com" .. NOT .. "github.com",
  "evil.example" .. NOT .. "evil.example", "127.0.0.1" .. NOT .. "127.0.0.1", "response\t200\ttrue\tTEXT",
  "GET\tnil\ttimeout\t1 2\ttrue", "POST\tnil\ttimeout\t\ttrue", "PUT\tnil\ttimeout\t1 2\ttrue", "stream\tnil\t0",
  "refused\tconnection refused", "answered\t404\t0", "again\t200\ttrue\t1\tcreate function not permitted",
  "again\t200\ttrue\t2\tcreate function not permitted", "proxy\tproxy not supported\tTEXT",
}

describe("the recipe for LuaSocket", function()
  local running, start, stop = server.plan { locations = "location = /missing { return 404; }" }
  setup(start)
  teardown(stop)

  local function run(lua, code, certificate)
    code = (RECIPE .. code):gsub("CA", running.directory .. certificate)
    return server.run_code(running, lua, code, running.second_port .. " " .. running.port)
  end

  for _, lua in ipairs(server.luas()) do
    it("asks whose a certificate is, gives up in time, and tries again what may arrive twice, on " .. lua, function()
      local texts = {}
      local printed = run(lua, CODE, "/certificate.pem"):gsub("\t(7b%x+)", function(text)
        texts[#texts + 1] = echo.read(text)
        return "\tTEXT"
      end)
      assert.equal(table.concat(EXPECTED, "\n"), printed)
      assert.same({ "POST", "/x", '{"a":1}' }, { texts[1].method, texts[1].uri, texts[1].body })
      assert.same({ "h.example", "/x?y" }, { texts[2].headers.host, texts[2].uri })
    end)

    it("asks who signed a certificate, on " .. lua, function()
      local printed = run(lua, 'print(select(2, send(endpoint "GET https://api.github.com/x")))', "/other.pem")
      assert.equal("certificate verify failed", printed)
    end)
  end
end)
