-- Usage: lua dns.lua FILE   a name server on loopback for a spec, which reads FILE at each question: lines of a
-- name and its IPv4 addresses. Other names do not exist; "silent.test" gets no answer. Prints its port first
-- (RFC 1035, section 4).
local socket = require "socket"

local udp = assert(socket.udp())
assert(udp:setsockname("127.0.0.1", 0))
print((select(2, udp:getsockname())))
io.stdout:flush()

local function addresses_of(name)
  for line in io.lines(arg[1]) do
    if line:match "^%S+" == name then return line:match "^%S+%s*(.*)$" end
  end
end

while true do
  local question, host, port = udp:receivefrom()
  local name = question:sub(13):match "^[^%z]*":gsub("[^%w-]", "."):sub(2):lower()
  local found, is_ipv4 = addresses_of(name), question:sub(13):match "%z%z(.)" == "\1"
  local answers, count = "", 0
  for a, b, c, d in (is_ipv4 and found or ""):gmatch "(%d+)%.(%d+)%.(%d+)%.(%d+)" do
    answers, count = answers .. "\192\12\0\1\0\1\0\0\0\0\0\4" .. string.char(a, b, c, d), count + 1 -- not to be kept
  end
  local asked = question:sub(13):match "^[^%z]*%z...."
  local head = question:sub(1, 2) .. "\129" .. (found and "\128" or "\131") .. "\0\1\0" .. string.char(count)
  if name ~= "silent.test" then udp:sendto(head .. "\0\0\0\0" .. asked .. answers, host, port) end
end
