-- Plain TCP for a spec: clients that send what they like, piece by piece, and an API that keeps
-- every byte that reaches it.
local server = require "server"
local socket = require "socket"
local support = require "support"

local wire = {}

-- Seconds to wait for the first byte of an answer, for anything more, and between two pieces. What
-- is sent after LATER shows at the end: then stop_and_listen looks once more.
local PATIENCE, LATER, PAUSE = 10, 0.2, 0.05

-- The API on a port of its own. It answers its connections with `answer`, a text or what a function
-- of the connection's number returns; if there is `awaited`, when so many are there.
function wire.listen()
  local listener = assert(socket.bind("127.0.0.1", 0, 128))
  local _, port = listener:getsockname()
  return { listener = listener, port = tonumber(port), answer = wire.answered }
end

-- Stops nginx, whose last requests come to the API before it ends. An error if one that no spec
-- waited for has come.
function wire.stop_and_listen(api, stop)
  stop()
  local ready = socket.select({ api.listener }, nil, 0)
  api.listener:close()
  assert(#ready == 0, "a request came to the API that no spec waited for")
end

-- An nginx and the API that it asks, for a block of specs. more: as in server.plan; @API@ in its
-- text is the API's port. Returns the API, what nginx is when it runs, and the functions for
-- `setup`, `teardown` and `before_each`, the last of which gives the API its usual answer.
function wire.plan(more)
  local api = wire.listen()
  more.facts = { API = api.port }
  local running, start, stop = server.plan(more)
  local function stop_both()
    wire.stop_and_listen(api, stop)
  end
  local function renew()
    api.answer = wire.answered
  end
  return api, running, start, stop_both, renew
end

-- What comes before an answer, where the request asks for it.
local CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"

-- Adds what can be read to the text of a connection; closes it if the other side did.
local function read(connection)
  connection.socket:settimeout(0)
  local part, message, rest = connection.socket:receive(65536)
  connection.text = connection.text .. (part or rest)
  if message == "closed" then
    connection.closed = connection.socket:close()
  end
end

local function sockets_of(api, connections)
  local list, by_socket = { api.listener }, {}
  for _, connection in ipairs(connections) do
    if not connection.closed then
      list[#list + 1], by_socket[connection.socket] = connection.socket, connection
    end
  end
  return list, by_socket
end

-- Answers all requests to the API, if as many are there as it waits for. False if there was none.
local function answer(api, requests)
  local count = 0
  if #requests < (api.awaited or 0) then
    return false
  end
  for number, request in ipairs(requests) do
    if not request.answered then
      request.socket:settimeout(PATIENCE)
      request.socket:send(type(api.answer) == "string" and api.answer or api.answer(number))
      request.closed, request.answered, count = request.socket:close(), true, count + 1
    end
  end
  return count > 0
end

-- Is there a client without a response? Nil if all connections were closed.
local function is_waiting(clients)
  local open
  for _, client in ipairs(clients) do
    if not client.closed then
      if client.text == "" or client.text == CONTINUE then
        return true
      end
      open = false
    end
  end
  return open
end

-- Reads until nothing moves, and answers what the API got. Returns the requests to the API.
local function watch(api, clients)
  local all, requests, silence = {}, {}, 0
  for i, client in ipairs(clients) do
    all[i] = client
  end
  repeat
    local list, by_socket = sockets_of(api, all)
    local ready = socket.select(list, nil, LATER)
    if ready[api.listener] then
      local request = { socket = assert(api.listener:accept()), text = "" }
      all[#all + 1], requests[#requests + 1] = request, request
    end
    for _, one in ipairs(ready) do
      if by_socket[one] then
        read(by_socket[one])
      end
    end
    silence = #ready == 0 and not answer(api, requests) and silence + LATER or 0
    local waiting = is_waiting(clients)
  until waiting == nil or waiting == false and silence > 0 or silence > PATIENCE
  return requests
end

-- Sends each list of pieces on a connection of its own. Returns what each connection to the API
-- carried, in order, and what came back to each client.
function wire.exchange_all(port, api, list)
  local clients, longest = {}, 1
  for i, pieces in ipairs(list) do
    clients[i] = { socket = assert(socket.connect("127.0.0.1", port)), text = "" }
    clients[i].socket:setoption("tcp-nodelay", true)
    longest = math.max(longest, #pieces)
  end
  for number = 1, longest do
    if number > 1 then
      socket.sleep(PAUSE)
    end
    for i, pieces in ipairs(list) do
      if pieces[number] then
        assert(clients[i].socket:send(pieces[number]))
      end
    end
  end
  local seen, back = {}, {}
  for i, request in ipairs(watch(api, clients)) do
    seen[i] = request.text
  end
  for i, client in ipairs(clients) do
    back[i] = client.text
    client.socket:close()
  end
  return seen, back
end

-- The same for one connection.
function wire.exchange(port, api, pieces)
  local seen, back = wire.exchange_all(port, api, { pieces })
  return seen, back[1]
end

-- A GET of HTTP/1.1, perhaps with more headers. Returns how many requests reached the API, and
-- status and body of the response.
function wire.get(port, api, target, headers)
  local start = "GET " .. target .. " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
  local seen, back = wire.exchange(port, api, { start .. (headers or "") .. "\r\n" })
  return #seen, wire.response_of(back)
end

-- The same for an API that answers when `count` requests are there. An error if fewer are under way
-- at once. Returns their first lines, in bytewise order, and what came back.
function wire.exchange_at_once(port, api, text, count)
  api.awaited = count
  local seen, back = wire.exchange(port, api, { text })
  api.awaited = nil
  assert(#seen == count and back ~= "", "fewer requests than that are under way at once, or more")
  for i, request in ipairs(seen) do
    seen[i] = wire.parse(request).line
  end
  table.sort(seen)
  return seen, back
end

-- One connection to the API, answered after all of it was read. Returns what it carried.
function wire.accept(api)
  api.listener:settimeout(PATIENCE)
  local request = { socket = assert(api.listener:accept()), text = "" }
  while #socket.select({ request.socket }, nil, LATER) > 0 and not request.closed do
    read(request)
  end
  answer(api, { request })
  return request.text
end

-- The status and the body of the only response of a connection. A body in chunks is in one.
function wire.response_of(text)
  if text:sub(1, #CONTINUE) == CONTINUE then
    text = text:sub(#CONTINUE + 1)
  end
  local _, count = text:gsub("HTTP/1%.1 %d%d%d", "")
  assert(count == 1, "expected one response, got: " .. text)
  local body = text:match "\r\n\r\n(.*)$"
  return tonumber(text:match "^HTTP/1%.1 (%d+)"), body:match "^%x+\r\n(.-)\r\n0\r\n" or body
end

-- The first request of a connection: its line, its headers (a list joined by a
-- comma where a name is repeated), and all that comes after them. What nginx from
-- 1.30 on does another way is left out: the version of HTTP, and "connection: close".
function wire.parse(text)
  local line, fields, rest = text:match "^([^\r]*)\r\n(.-)\r\n\r\n(.*)$"
  assert(line, text)
  local headers = {}
  for written, value in (fields .. "\r\n"):gmatch "([^\r\n:]+):[ ]?([^\r\n]*)\r\n" do
    local name = written:lower()
    headers[name] = (headers[name] and headers[name] .. "," or "") .. value
  end
  if headers.connection == "close" then
    headers.connection = nil
  end
  return { line = line:gsub(" HTTP/1%.[01]$", ""), headers = headers, rest = rest }
end

-- An HTTP response with this status and body.
function wire.response(status, body, more)
  return ("HTTP/1.1 %s X\r\ncontent-length: %d\r\nconnection: close\r\n%s\r\n%s"):format(
    status,
    #body,
    more or "",
    body
  )
end

-- An interim response (RFC 9110, section 15.2), and after it two that a client must not see.
function wire.interim(status)
  return ("HTTP/1.1 %d X\r\nSet-Cookie: secret=1\r\n\r\n"):format(status)
    .. wire.response(200, "secret"):gsub("connection: close", "set-cookie: secret=2"):rep(2)
end

-- Statuses of interim responses: those that are registered but 101, and one that is not.
wire.INTERIM = { 100, 102, 103, 104, 199 }

function wire.answered(number)
  return wire.response(200, "answered " .. number)
end

-- --- attacks ----------------------------------------------------------------------

-- What a stranger's headers would do beside a token.
local HEADERS = table.concat({
  "Host: evil.example",
  "Authorization: Bearer stranger",
  "Cookie: a=1",
  "cookie: b=2",
  "Accept: text/html",
  "Accept-Encoding: gzip",
  "User-Agent: stranger/1",
  "X-Original-URL: /admin",
  "X-HTTP-Method-Override: DELETE",
  "X-Forwarded-Host: evil.example",
  "Forwarded: host=evil.example",
  "If-None-Match: *",
  "If-Modified-Since: Sat, 29 Oct 2044 19:43:31 GMT",
  "Range: bytes=0-0",
  "Content-Type: text/xml",
  "Content-Encoding: gzip",
  "Expect: 100-continue",
  "TE: trailers",
  "Upgrade: h2c",
  "X-A: 1",
  "x-a: 2",
  "X_Original_URL: /admin",
  "X-Empty:",
}, "\r\n") .. "\r\n"

local function many_headers(count)
  local lines = {}
  for i = 1, count do
    lines[i] = ("X-Header-%d: %d\r\n"):format(i, i)
  end
  return table.concat(lines)
end

local function chunked(body, trailers)
  return (body ~= "" and ("%x\r\n%s\r\n"):format(#body, body) or "")
    .. "0\r\n"
    .. (trailers or "")
    .. "\r\n"
end

-- Bodies of each kind: early and late, counted and in chunks.
local function add_bodies(attacks, head, smuggled)
  for name, body in pairs {
    ["no body"] = "",
    ["a body"] = smuggled,
    ["a long body"] = smuggled .. ("x"):rep(40000),
  } do
    local length, chunks = head .. ("Content-Length: %d\r\n\r\n"):format(#body), chunked(body)
    local transfer = head .. "Transfer-Encoding: chunked\r\n\r\n"
    attacks[#attacks + 1] = { name, { length .. body } }
    attacks[#attacks + 1] = { name .. " in chunks", { transfer .. chunks } }
    if body ~= "" then
      attacks[#attacks + 1] = { name .. ", late", { length, body:sub(1, 10), body:sub(11) } }
      attacks[#attacks + 1] =
        { name .. " in chunks, late", { transfer, chunks:sub(1, 10), chunks:sub(11) } }
    end
  end
end

-- Requests to this target of which something would go on to the API, or pass for another request: a
-- name, the pieces, and how many requests of ours they make if that is not one. nginx itself
-- refuses most malformed requests before it runs Lua, but not a bad chunk: then none of ours may be
-- sent.
local function attacks_on(target, is_lenient)
  -- It would be a request of its own if it were not read as a body.
  local smuggled = "DELETE " .. target .. " HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 0\r\n\r\n"
  local get, post =
    "GET " .. target .. " HTTP/1.1\r\n", "POST " .. target .. " HTTP/1.1\r\nHost: x\r\n"
  local length, transfer =
    ("Content-Length: %d\r\n"):format(#smuggled), "Transfer-Encoding: chunked\r\n"
  local put = "PUT " .. target .. " HTTP/1.1\r\nHost: x\r\n"
  local counted, in_chunks =
    put .. "Content-Length: 5\r\n\r\nGET /", put .. transfer .. "\r\n" .. chunked "a"
  local attacks = {
    { "headers that move a request", { get .. HEADERS .. "\r\n" } },
    { "headers after 150", { get .. many_headers(150) .. HEADERS .. "\r\n" } },
    {
      "one header 500 times",
      { get .. "Host: x\r\n" .. ("Cookie: a=1\r\n"):rep(500) .. many_headers(400) .. "\r\n" },
    },
    {
      "a body that waits for a 100",
      { post .. "Expect: 100-continue\r\n" .. length .. "\r\n", smuggled },
    },
    {
      "trailers",
      {
        post .. transfer .. "Trailer: X-Original-URL\r\n\r\n" .. chunked(
          smuggled,
          "X-Original-URL: /admin\r\nAuthorization: Bearer stranger\r\n"
        ),
      },
    },
    {
      "chunks with extensions",
      { post .. transfer .. "\r\n" .. chunked(smuggled):gsub("^(%x+)", '%1;a="b;c"') },
    },
    {
      "a URL of another host",
      { "GET http://evil.example" .. target .. " HTTP/1.1\r\n" .. HEADERS .. "\r\n" },
    },
    { "HTTP/1.0 without a host", { "GET " .. target .. " HTTP/1.0\r\n\r\n" } },
    {
      "HTTP/1.0 with a body",
      {
        "POST "
          .. target
          .. " HTTP/1.0\r\nConnection: keep-alive\r\n"
          .. length
          .. "\r\n"
          .. smuggled,
      },
    },
    {
      "a method of its own",
      { "X-PURGE " .. target .. " HTTP/1.1\r\nHost: x\r\n" .. length .. "\r\n" .. smuggled },
    },
    {
      "pipelined requests",
      { counted .. in_chunks .. counted:sub(1, -3), counted:sub(-2) .. in_chunks },
      4,
    },
  }
  add_bodies(attacks, post, smuggled)
  if not is_lenient then
    attacks[#attacks + 1] =
      { "a chunk that is longer than it says", { post .. transfer .. "\r\n3\r\n" .. smuggled }, 0 }
    attacks[#attacks + 1] =
      { "a bad chunk, late", { post .. transfer .. "\r\n", "3\r\nabc\r\nx\r\n" .. smuggled }, 0 }
  end
  return attacks
end

-- Adds with `it` that a location sends its own request alone, whatever comes to it: each attack is
-- answered 200 and with the number of the connection to the API, and nothing else reaches the API.
-- Fields: target; running, the nginx; api; own, which asserts that a text is the request;
-- is_lenient, whether nginx itself lets malformed bodies pass there.
function wire.guard(it, location)
  it("sends its own request alone, whatever comes to " .. location.target, function()
    local port = location.running.port
    local attacks, list = attacks_on(location.target, location.is_lenient), {}
    for i, attack in ipairs(attacks) do
      list[i] = attack[2]
    end
    local seen, back = wire.exchange_all(port, location.api, list)
    local strays = {}
    for number, text in ipairs(seen) do
      strays[number] = text
    end
    for i, attack in ipairs(attacks) do
      local text, count = back[i]:gsub("^" .. CONTINUE, ""), 0
      for number in text:gmatch "HTTP/1%.1 200[^%z]-answered (%d+)" do
        location.own(seen[tonumber(number)])
        strays[tonumber(number)] = nil
        count = count + 1
      end
      support.equal(attack[3] or 1, count, attack[1] .. ": " .. text)
      support.equal(
        math.max(count, 1),
        select(2, text:gsub("HTTP/1%.1 %d%d%d", "")),
        attack[1] .. ": " .. text
      )
    end
    local _, stray = next(strays)
    support.equal(nil, stray)
  end)
end

-- Adds with `it` that the connection to the API ends after a 1xx to a client's HEAD: the response
-- that follows must answer no other client. Fields as above; headers: more of the client's.
function wire.guard_head(it, location)
  it("keeps no connection after a 1xx to HEAD " .. location.target, function()
    local api = location.api
    local client = assert(socket.connect("127.0.0.1", location.running.port))
    client:settimeout(PATIENCE)
    local head = "HEAD " .. location.target .. " HTTP/1.1\r\nHost: x\r\n"
    client:send(head .. (location.headers or "") .. "\r\n")
    api.listener:settimeout(PATIENCE)
    local request = assert(api.listener:accept())
    request:settimeout(PATIENCE)
    repeat
      local line = assert(request:receive())
    until line == ""
    request:send "HTTP/1.1 103 X\r\nLink: </a>\r\n\r\n"
    local text, _, part = client:receive "*a"
    support.equal("", text or part)
    support.equal("closed", (select(2, request:receive(1))))
    request:close()
    client:close()
  end)
end

return wire
