-- A proxy, which takes its own address for that of every host. Of hosts "fin" and "rst" it lets
-- through some 24,000 bytes: the first record of TLS in an answer, and not the last. It closes the
-- connection for a host "mute", and answers no HTTP for a host "odd". It prints its port.
local socket = require "socket"
local listener, other, left = assert(socket.bind("0.0.0.0", 0, 64)), {}, {}
print((select(2, listener:getsockname())))
io.stdout:flush()
local function open(client)
  local head = {}
  repeat
    head[#head + 1] = client:receive() or ""
  until head[#head] == ""
  if not table.concat(head):find "[Pp]roxy%-[Aa]uthorization: Basic bWU6cHc=" then
    client:send "HTTP/1.1 407 Whose?\r\ncontent-length: 0\r\n\r\n"
    return client:close()
  end
  if head[1]:find "^CONNECT mute" or head[1]:find "^CONNECT odd" then
    client:send(head[1]:find " odd" and "hello\r\n\r\n" or "")
    return client:close()
  end
  local upstream = socket.connect((client:getsockname()), head[1]:match ":(%d+)[/ ]")
  client:setoption("tcp-nodelay", true)
  upstream:setoption("tcp-nodelay", true)
  if head[1]:find "^CONNECT" then
    client:send("HTTP/1.1 200 OK\r\n\r\n" .. (head[1]:find "early" and "too early" or ""))
  else
    upstream:send(table.concat(head, "\r\n"):gsub(" %a+://[^/]*", " /proxied", 1) .. "\r\n")
  end
  local ending = head[1]:match " (%a%a%a)%.cut"
  other[client], other[upstream] = upstream, client
  left[client], left[upstream] = math.huge, ending and 24000 or math.huge
  if ending == "rst" then
    client:setoption("linger", { on = true, timeout = 0 })
  end
end
while true do
  local list = { listener }
  for peer in pairs(other) do
    list[#list + 1] = peer
  end
  for _, peer in ipairs((socket.select(list))) do
    local to = other[peer]
    if peer == listener then
      open(peer:accept())
    elseif to then
      peer:settimeout(0)
      local piece, problem, part = peer:receive(8192)
      to:settimeout(nil) -- else what a slow client has no room for would be lost
      to:send(piece or part)
      left[peer] = left[peer] - #(piece or part)
      if problem == "closed" or left[peer] < 0 then
        to:close()
        peer:close()
        other[peer], other[to] = nil, nil
      end
    end
  end
end
