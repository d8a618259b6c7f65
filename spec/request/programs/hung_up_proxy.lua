-- Asks through a proxy that closes the connection when it has read CONNECT. Argument: a file with
-- certificates of authorities. Prints what the call raises.
local endpoint, request, socket = require "endpoint", require "endpoint.request", require "socket"

local listener = assert(socket.bind("127.0.0.1", 0))

-- What the call waits for: the proxy answers in between.
local function wait(_, direction)
  if direction == "r" then
    local client = listener:accept()
    repeat
      local line = client:receive()
    until line == "" or not line
    client:close()
  end
  return true
end

local send = request.new(endpoint.defaults { baseUrl = "https://h.example" }, {
  proxy = "http://127.0.0.1:" .. select(2, listener:getsockname()),
  cafile = arg[1],
  tries = 1,
  wait = wait,
})
print((tostring(select(2, pcall(send, "GET /x"))):gsub("^%S*%.lua:%d+: ", "")))
