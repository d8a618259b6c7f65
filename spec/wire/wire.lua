-- Plain TCP for a spec: a client that sends what it likes, piece by piece, and
-- an upstream that keeps every byte that reaches it.
local socket = require "socket"

local wire = {}

-- Seconds to wait for the first byte of an answer, and for anything more.
local PATIENCE, LATER = 10, 0.1

-- An upstream on a port of its own: `port`, and `answer`, what it sends back.
function wire.listen()
  local listener = assert(socket.bind("127.0.0.1", 0))
  local _, port = listener:getsockname()
  return { listener = listener, port = tonumber(port) }
end

-- What comes before an answer, where the request asks for it.
local CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"

-- What arrives until the other side closes or falls silent, and whether it closed.
local function receive_all(connection)
  connection:settimeout(LATER)
  local parts = {}
  while true do
    local part, message, rest = connection:receive(8192)
    parts[#parts + 1] = part or rest
    if message then return table.concat(parts), message == "closed" end
  end
end

-- One connection to the upstream, answered after all of it was read. Returns what it carried.
function wire.accept(upstream)
  upstream.listener:settimeout(PATIENCE)
  local connection = assert(upstream.listener:accept())
  local text = receive_all(connection)
  connection:send(upstream.answer)
  connection:close()
  return text
end

-- Waits for connections to the upstream and for answers, until neither comes.
local function watch(client, upstream)
  local seen, back, wait = {}, {}, PATIENCE
  while true do
    local ready = socket.select({ upstream.listener, client }, nil, wait)
    if ready[upstream.listener] then
      seen[#seen + 1] = wire.accept(upstream)
    elseif ready[client] then
      local text, closed = receive_all(client)
      back[#back + 1] = text
      if closed then break end
      if text ~= CONTINUE then wait = LATER end
    else
      break
    end
  end
  return seen, table.concat(back)
end

-- Sends the pieces with a pause between them. Returns what each connection to
-- the upstream carried, and all that came back.
function wire.exchange(port, upstream, pieces)
  local client = assert(socket.connect("127.0.0.1", port))
  client:setoption("tcp-nodelay", true)
  for number, piece in ipairs(pieces) do
    if number > 1 then socket.sleep(0.05) end
    assert(client:send(piece))
  end
  local seen, back = watch(client, upstream)
  client:close()
  return seen, back
end

-- The status and the body of the only response of a connection.
function wire.response_of(text)
  if text:sub(1, #CONTINUE) == CONTINUE then text = text:sub(#CONTINUE + 1) end
  local _, count = text:gsub("HTTP/1%.1 %d%d%d", "")
  assert(count == 1, "expected one response, got: " .. text)
  return tonumber(text:match "^HTTP/1%.1 (%d+)"), text:match "\r\n\r\n(.*)$"
end

-- The first request of a connection: its line, its headers (a list joined by a
-- comma where a name is repeated), and all that stands behind them. What nginx from
-- 1.30 on does another way is left out: the version of HTTP, and "connection: close".
function wire.parse(text)
  local line, fields, rest = text:match "^([^\r]*)\r\n(.-)\r\n\r\n(.*)$"
  assert(line, text)
  local headers = {}
  for written, value in (fields .. "\r\n"):gmatch "([^\r\n:]+):[ ]?([^\r\n]*)\r\n" do
    local name = written:lower()
    headers[name] = (headers[name] and headers[name] .. "," or "") .. value
  end
  if headers.connection == "close" then headers.connection = nil end
  return { line = line:gsub(" HTTP/1%.[01]$", ""), headers = headers, rest = rest }
end

-- An HTTP response with this status and body.
function wire.response(status, body, more)
  return ("HTTP/1.1 %s X\r\ncontent-length: %d\r\nconnection: close\r\n%s\r\n%s"):format(status, #body, more or "", body)
end

-- --- attacks ----------------------------------------------------------------------

-- What a stranger's headers would do beside a token.
local HEADERS = table.concat({
  "Host: evil.example", "Authorization: Bearer stranger", "Cookie: a=1", "cookie: b=2", "Accept: text/html",
  "Accept-Encoding: gzip", "User-Agent: stranger/1", "X-Original-URL: /admin", "X-Rewrite-URL: /admin",
  "X-HTTP-Method-Override: DELETE", "X-Forwarded-Host: evil.example", "X-Forwarded-For: 127.0.0.1",
  "Forwarded: host=evil.example", "If-None-Match: *", "If-Modified-Since: Sat, 29 Oct 2044 19:43:31 GMT",
  "Range: bytes=0-0", "Content-Type: text/xml", "Content-Encoding: gzip", "Expect: 100-continue", "TE: trailers",
  "Upgrade: h2c", "X-A: 1", "x-a: 2", "X_Original_URL: /admin", "X-Empty:",
}, "\r\n") .. "\r\n"

local function many_headers(count)
  local lines = {}
  for i = 1, count do lines[i] = ("X-Header-%d: %d\r\n"):format(i, i) end
  return table.concat(lines)
end

local function chunked(body, trailers)
  return (body ~= "" and ("%x\r\n%s\r\n"):format(#body, body) or "") .. "0\r\n" .. (trailers or "") .. "\r\n"
end

-- A request that would be one of its own if it were not read as a body.
local function smuggled(target)
  return "DELETE " .. target .. " HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 0\r\n\r\n"
end

-- Bodies of each kind: early and late, counted and in chunks.
local function add_bodies(attacks, target)
  local head, one = "POST " .. target .. " HTTP/1.1\r\nHost: x\r\n", smuggled(target)
  for name, body in pairs { ["no body"] = "", ["a body"] = one, ["a long body"] = one .. ("x"):rep(40000) } do
    local length, chunks = head .. ("Content-Length: %d\r\n\r\n"):format(#body), chunked(body)
    local transfer = head .. "Transfer-Encoding: chunked\r\n\r\n"
    attacks[#attacks + 1] = { name, { length .. body } }
    attacks[#attacks + 1] = { name .. " in chunks", { transfer .. chunks } }
    if body ~= "" then
      attacks[#attacks + 1] = { name .. ", late", { length, body:sub(1, 10), body:sub(11) } }
      attacks[#attacks + 1] = { name .. " in chunks, late", { transfer, chunks:sub(1, 10), chunks:sub(11) } }
    end
  end
end

-- Requests to this target of which something would go on to the API, or pass for
-- another request: a name, and the pieces.
function wire.attacks(target)
  local get, post, one = "GET " .. target, "POST " .. target .. " HTTP/1.1\r\nHost: x\r\n", smuggled(target)
  local length = ("Content-Length: %d\r\n"):format(#one)
  local attacks = {
    { "headers that move a request", { get .. " HTTP/1.1\r\n" .. HEADERS .. "\r\n" } },
    { "150 headers", { get .. " HTTP/1.1\r\nHost: x\r\n" .. many_headers(150) .. "\r\n" } },
    { "headers behind 150", { get .. " HTTP/1.1\r\n" .. many_headers(150) .. HEADERS .. "\r\n" } },
    { "900 headers", { get .. " HTTP/1.1\r\nHost: x\r\n" .. ("a: 1\r\n"):rep(400) .. many_headers(500) .. "\r\n" } },
    { "one header 500 times", { get .. " HTTP/1.1\r\nHost: x\r\n" .. ("Cookie: a=1\r\n"):rep(500) .. "\r\n" } },
    { "a body that waits for a 100", { post .. "Expect: 100-continue\r\n" .. length .. "\r\n", one } },
    { "trailers", { post .. "Transfer-Encoding: chunked\r\nTrailer: X-Original-URL\r\n\r\n"
      .. chunked(one, "X-Original-URL: /admin\r\nAuthorization: Bearer stranger\r\n") } },
    { "chunks with extensions", { post .. "Transfer-Encoding: chunked\r\n\r\n"
      .. chunked(one):gsub("^(%x+)", '%1;a="b;c"') } },
    { "a URL of another host", { "GET http://evil.example" .. target .. " HTTP/1.1\r\n" .. HEADERS .. "\r\n" } },
    { "HTTP/1.0", { get .. " HTTP/1.0\r\n" .. HEADERS .. "\r\n" } },
    { "HTTP/1.0 without a host", { get .. " HTTP/1.0\r\n\r\n" } },
    { "HTTP/1.0 with a body",
      { "POST " .. target .. " HTTP/1.0\r\nConnection: keep-alive\r\n" .. length .. "\r\n" .. one } },
    { "another method", { "DELETE " .. target .. " HTTP/1.1\r\nHost: x\r\n" .. length .. "\r\n" .. one } },
    { "a method of its own", { "X-PURGE " .. target .. " HTTP/1.1\r\nHost: x\r\n" .. length .. "\r\n" .. one } },
  }
  add_bodies(attacks, target)
  return attacks
end

-- Requests that must be answered with an error, and of which nothing may reach the API.
function wire.malformed(target)
  local post, one = "POST " .. target .. " HTTP/1.1\r\nHost: x\r\n", smuggled(target)
  local length, transfer = ("Content-Length: %d\r\n"):format(#one), "Transfer-Encoding: chunked\r\n"
  return {
    { "both lengths", { post .. length .. transfer .. "\r\n" .. chunked(one) } },
    { "two lengths", { post .. length .. "Content-Length: 0\r\n\r\n" .. one } },
    { "a negative length", { post .. "Content-Length: -1\r\n\r\n" .. one } },
    { "an unknown transfer encoding", { post .. "Transfer-Encoding: x, chunked\r\n\r\n" .. chunked(one) } },
    { "chunks in HTTP/1.0", { "POST " .. target .. " HTTP/1.0\r\n" .. transfer .. "\r\n" .. chunked(one) } },
    { "a chunk without a length", { post .. transfer .. "\r\n" .. "x\r\n" .. one .. "0\r\n\r\n" } },
    { "a chunk of a negative length", { post .. transfer .. "\r\n" .. "-1\r\n" .. one .. "0\r\n\r\n" } },
    { "a chunk that is longer than it says", { post .. transfer .. "\r\n" .. "3\r\n" .. one .. "0\r\n\r\n" } },
    { "a bad chunk, late", { post .. transfer .. "\r\n", "3\r\nabc\r\n", "x\r\n" .. one } },
    { "two hosts", { post .. "Host: y\r\n\r\n" } },
    { "no host", { "GET " .. target .. " HTTP/1.1\r\n\r\n" } },
    { "more headers than nginx takes", { "GET " .. target .. " HTTP/1.1\r\nHost: x\r\n" .. many_headers(2000) .. "\r\n" } },
  }
end

return wire
