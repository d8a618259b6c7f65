-- A server that never reads the body of a request. Arguments: what it answers to the head, "413" or
-- "nothing"; and for TLS a directory with key.pem and certificate.pem. Prints its port.
local socket = require "socket"
local status, directory = arg[1], arg[2]
local address = os.getenv "ADDRESS" or "127.0.0.1"

local function secured(client)
  local secure = assert(require "ssl".wrap(client, {
    mode = "server",
    protocol = "any",
    certificate = directory .. "/certificate.pem",
    key = directory .. "/key.pem",
  }))
  assert(secure:dohandshake())
  return secure
end

local listener = assert(socket.bind(address, 0))
local clients = {} -- luacheck: ignore
print((select(2, listener:getsockname())))
io.stdout:flush()
while true do
  local client = listener:accept()
  if directory then
    client = secured(client)
  end
  client:settimeout(10)
  repeat
    local line = client:receive()
  until not line or line == ""
  if status ~= "nothing" then
    client:send(("HTTP/1.1 %s No\r\ncontent-length: 0\r\n\r\n"):format(status))
  end
  table.insert(clients, client) -- which stays open
end
