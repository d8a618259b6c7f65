-- A server at a Unix socket.
local case, sending = ...
local endpoint = require "endpoint"
local equal, holds = require "support".equal, require "support".holds

-- A sender for the server at a socket; nil where the client's binding cannot.
local function sender(path, settings)
  local all = {
    api = endpoint.defaults { baseUrl = "http://docker" },
    socket_path = path,
    tries = 1,
  }
  for name, value in pairs(settings or {}) do
    all[name] = value
  end
  local ok, send = pcall(sending.with, all)
  if sending.is_curl and not ok then
    sending.says("socket_path: lua-curl has no option for it", send)
    return nil
  end
  assert(ok, send)
  return send
end

local function path()
  return sending.getenv "HERE" .. "/api.sock"
end

case("a server at a Unix socket gets the URL's host as a header, again and again", function()
  local send = sender(path(), { proxy = "environment" })
  for _ = 1, send and 3 or 0 do
    equal("docker GET /info?a=1", (send("GET /info", { a = 1 })))
    equal("docker POST /info", (send("POST /info", { a = 1 })))
  end
end)

case("an answer of a Unix socket may end with the connection", function()
  local send = sender(path())
  equal("abc", send and (send "GET /unended") or "abc")
end)

case("a Unix socket that is closed without an answer is told as any other server", function()
  local send = sender(path())
  if send then
    local said = sending.message_of(send, "GET /none")
    equal("GET /none: the server closed the connection without a response", said)
  end
end)

case("a path that is no socket is a reason of connect, which names the path", function()
  local send = sender "/no such/socket"
  local ok, failure
  if send then
    ok, failure = pcall(send, "GET /info")
    equal(false, ok)
    equal("connect", failure.reason)
    holds(failure.message:find("the socket /no such/socket: ", 1, true), failure.message)
  end
end)

case("a redirect from a Unix socket to another server does not go to the socket", function()
  local other = "127.0.0.1:" .. sending.getenv "THIRD"
  local settings = { redirects = 1, other_origins = { other } }
  settings.api = endpoint.defaults { baseUrl = "http://127.0.0.1" }
  local send = sender(path(), settings)
  if send then
    local said = send "GET /moved"
    holds(said:find("GET /a HTTP/1.1", 1, true), said)
  end
end, "plain")
