-- Servers with good and bad certificates, a proxy before them, and what a program prints that asks
-- them.
local server = require "server"
local support = require "support"

local tls = {}

-- A body without a length, longer than what the proxy lets through of a host "fin" or "rst".
local LONG = [[ssl_protocols %s; location / { content_by_lua_block {
  local socket = ngx.req.socket(true)
  socket:receive(tonumber(ngx.var.content_length)) -- what is unread would make of the end a reset
  local status = ngx.var.uri:match "%%d+" or "200"
  socket:send("HTTP/1.1 " .. status .. " X\r\n\r\n" .. ("x"):rep(200000))
} }]]

-- The certificate of the server at each loopback address 127.0.0.N, of which the API has the first:
-- for which names, who signs it if it is not the authority, and what the server does if it does not
-- say "sent". The last says whose certificate the client shows.
local CERTIFICATES = {
  [2] = { "right", "DNS:api.example,DNS:*.wild.example,IP:127.0.0.2" },
  [3] = { "other", "DNS:other.example,IP:127.0.0.9" },
  [4] = { "expired", "DNS:api.example,IP:127.0.0.4", signer = "authority-in-the-past" },
  [5] = { "self", "DNS:api.example,IP:127.0.0.5", signer = "itself" },
  [6] = { "unknown", "DNS:api.example,IP:127.0.0.6", signer = "stranger" },
  [8] = { "long", "DNS:*.cut.example", LONG:format "TLSv1.2" },
  [9] = { "longer", "DNS:*.cut.example", LONG:format "TLSv1.3" },
  [10] = {
    "asking",
    "DNS:asking.example",
    [[ssl_client_certificate authority.pem; ssl_verify_client on;
    location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }]],
  },
}

-- A server for each, which logs a connection if one byte of a request arrived; and what
-- certificates.sh reads.
local servers, rows =
  { "lua_ssl_trusted_certificate authority.pem; lua_ssl_protocols TLSv1.2 TLSv1.3;" }, {}
for number, row in pairs(CERTIFICATES) do
  rows[#rows + 1] = ("%s %s %s"):format(row[1], row[2], row.signer or "authority")
  servers[#servers + 1] = ([[
server { listen 127.0.0.%d:@SECOND@ ssl; ssl_certificate %s.pem; ssl_certificate_key %s.key;
  %s }]]):format(
    number,
    row[1],
    row[1],
    row[3] or 'access_log bytes.log; location / { return 200 "sent"; }'
  )
end

tls.servers = table.concat(servers, "\n")

function tls.write_certificates(directory)
  support.write(directory .. "/rows", table.concat(rows, "\n") .. "\n")
  local said = server.shell(([[
    exec 2>&1
    sh spec/request/certificates.sh %s <%s/rows && cd %s || exit
    cat right.pem right.key >both.pem
    cat authority.pem certificate.pem >authorities.pem
    echo made
  ]]):format(directory, directory, directory))
  assert(said:find "made$", said)
end

-- The host that is asked for, the number of the certificate that is shown, and whether anything is
-- sent.
local HOSTS = { -- more names, for LuaSec, are in luasec_spec
  { "api.example", 2, true },
  { "API.Example", 2, true },
  { "api.example", 3 },
  { "example", 2 },
  { "a.wild.example", 2, true },
  { "a.b.wild.example", 2 },
  { "wild.example", 2 },
  { "127.0.0.2", 2, true },
  { "127.0.0.3", 3 },
  { "api.example", 4 },
  { "api.example", 5 },
  { "api.example", 6 },
  { "127.0.0.6", 6 },
}

-- A proxy, which takes its own address for that of every host. It cuts off the answers of hosts
-- "fin" and "rst".
tls.PROXY = [[
local socket = require "socket"
local listener, other, left = assert(socket.bind("0.0.0.0", 0, 64)), {}, {}
print((select(2, listener:getsockname())))
io.stdout:flush()
local function open(client)
  local head = {}
  repeat head[#head + 1] = client:receive() or "" until head[#head] == ""
  if not table.concat(head):find "[Pp]roxy%-[Aa]uthorization: Basic bWU6cHc=" then
    client:send "HTTP/1.1 407 Whose?\r\ncontent-length: 0\r\n\r\n"
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
  left[client], left[upstream] = math.huge, ending and 1e5 or math.huge
  if ending == "rst" then client:setoption("linger", { on = true, timeout = 0 }) end
end
while true do
  local list = { listener }
  for peer in pairs(other) do list[#list + 1] = peer end
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
]]

-- Asks for each host, whose certificate is at that address; a name by the proxy there.
local CODE = [[
    local port, here = os.getenv "SECOND", os.getenv "HERE" .. "/"
    local function ask(url, number, settings, user, route)
      settings.api = endpoint.defaults { baseUrl = url, headers = { authorization = "0123" } }
      settings.proxy = number
        and ("http://%s127.0.0.%d:%s"):format(user or "me:pw@", number, os.getenv "PROXY")
      local ok, said = pcall(with(settings), route or "POST /x", { secret = "x" })
      return ok and said or (tostring(said):gsub("^%S*code.lua:%d+: ", "", 1))
    end
    for host, number in ("HOSTS"):gmatch "(%S+) (%d+)" do
      local said = ask("https://" .. host .. ":" .. port, host:find "%a" and tonumber(number), {})
      print(said:lower():find "^post /x: .*cert" and "refused" or said)
    end
    local said = ask("https://api.example:" .. port, 2, {}, "")
    print((said:find "407" or said:find "RECV_ERROR") ~= nil) -- as Lua-cURL 3 says it
    -- Bytes from before TLS belong to no answer. libcurl gives them to TLS, which fails.
    said = ask("https://early.example:" .. port, 2, {})
    print(said:find(is_curl and "POST /x: " or "the proxy sends more", 1, true) ~= nil)
    local long = ("x"):rep(200000)
    for number = 8, 9 do
      for _, host in ipairs { "whole", "fin", "rst" } do
        local url, said = "https://" .. host .. ".cut.example:" .. port, nil
        local left = host == "whole" and 3 or 1 -- CI got one that was cut off
        repeat said, left = ask(url, number, {}), left - 1 until left == 0 or said == long
        print(said == long and "whole" or host == "whole" and said or "cut")
      end
    end
    -- The proxy sends one head, so a status after that is the server's.
    said = ask("https://fin.cut.example:" .. port, 8, {}, nil, "POST /404")
    print(said:find("POST /404: ", 1, true) == 1 and not said:find "proxy" or said)
    for _, settings in ipairs { {},
      { certificate = here .. "right.pem", key = here .. "right.key" },
      { certificate = here .. "both.pem" } } do
      print((ask("https://asking.example:" .. port, 10, settings):gsub("^POST /x: .*", "refused")))
    end
    local direct, read = "http://127.0.0.1:" .. os.getenv "PORT", require "echo".read
    print(read(ask(direct, nil, {}, nil, "GET /x")).uri)
    -- Not over the connection of the last.
    local proxied = read(ask(direct, 1, {}, nil, "GET /x?a=b"))
    print(proxied.uri, proxied.headers["proxy-authorization"])]]
local asked, hosts_said = {}, {}
for i, row in ipairs(HOSTS) do
  asked[i] = row[1] .. " " .. row[2]
  hosts_said[i] = row[3] and (row[1]:find "^127" and "$ADDRESS" or "sent") or "refused"
end

-- A row of request_wire_spec.
CODE = CODE:gsub("HOSTS", table.concat(asked, " "))
tls.ROW = {
  "sends to the host that it asked for, and not one byte to another",
  CODE,
  {
    table.concat(hosts_said, "\n"),
    "true",
    "true",
    "$WHOLE\ncut\ncut",
    "$WHOLE\ncut\ncut",
    "true",
    "refused",
    "SUCCESS CN=api.example",
    "SUCCESS CN=api.example",
    "/x?secret=x",
    "/proxied/x?a=b&secret=x\tBasic bWU6cHc=",
  },
  but = "plain",
}

return tls
