-- A server that never reads the body of a request. Arguments: what it answers to the head, "413" or
-- "nothing", or "200-413", of which it reads the first body after its answer; and for TLS a
-- directory with key.pem and certificate.pem. Prints its port.
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

-- Reads up to the body, and returns its length.
local function read_head(client)
  local length
  repeat
    local line = client:receive()
    length = line and line:match "^[Cc]ontent%-[Ll]ength: (%d+)" or length
  until not line or line == ""
  return tonumber(length)
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
  for each in status:gmatch "[^-]+" do
    local length = read_head(client)
    if each ~= "nothing" then
      client:send(("HTTP/1.1 %s No\r\ncontent-length: 0\r\n\r\n"):format(each))
    end
    if each == "200" then
      client:receive(length)
    end
  end
  table.insert(clients, client) -- which stays open
end
