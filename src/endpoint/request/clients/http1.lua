-- SPDX-License-Identifier: MIT
-- HTTP/1.1 (RFC 9112) over a connection of LuaSocket or nginx. It is our own since theirs, over
-- the same bounded sockets, froze at a length of -5, and took a chunk that is longer than its size,
-- or 103 for the response. The methods of a connection return nil and a message if they fail, and
-- true if no other try can help. The message is "timeout" if its limits are over; connect, send and
-- receive look at that before they do anything:
--   connect(host, port)  "kept" for a connection that was kept, with its TLS. A fourth result if it
--                        fails is the reason, "connect" unless given
--   secure()             makes TLS of it, with a certificate of the host asked for
--   send(text, at)       sends from a byte on; nil, "answered" and the next byte where a response
--                        comes before all of it is sent
--   has_response()       has a byte of a response come, or the end? Does not wait
--   receive(most)        returns at least a byte and at most so many; at the end "closed", or
--                        "ended" where the other side has said over TLS that it is the end
--   keep(most_idle)      keeps it for later requests, and so many seconds at most for those that
--                        limit how long nobody used it
--   close()
-- Its field is_deaf is set where no response is looked for any more while the request is sent.
local http1 = {}

local Reader = require "endpoint.request.clients.http1.reader"
local problems = require "endpoint.request.clients.http1.problems"
local proxies = require "endpoint.request.proxies"
local text = require "endpoint.text"
local writer = require "endpoint.request.clients.http1.writer"
local stop = problems.stop

local Client = {}
Client.__index = Client

-- --- a connection -----------------------------------------------------------------

-- A tunnel through the proxy, which must be silent until TLS begins.
local function open_tunnel(try, connection)
  local host = try.place.host
  local place = (host:find ":" and "[%s]:%d" or "%s:%d"):format(host, try.place.port)
  local authorization = try.proxy.authorization
  local line = authorization and "proxy-authorization: " .. authorization .. "\r\n" or ""
  local head = "CONNECT " .. place .. " HTTP/1.1\r\nhost: " .. place .. "\r\n" .. line .. "\r\n"
  writer.send(connection, head)
  local reader = Reader.new(connection)
  reader:begin(try.limits, false)
  local status = reader:head()
  if status >= 300 then
    stop("proxy", "the proxy answers " .. status, status < 500)
  elseif reader:has_more() then
    stop("proxy", "the proxy sends more than its response to CONNECT", true)
  end
  try.limits:begin "connect_timeout"
end

-- Connects, and makes TLS for https. Returns whether the connection is one that was kept.
local function open(try, connection)
  try.limits:begin "connect_timeout"
  local place = try.proxy and proxies.check(try.proxy) or try.place
  local state, problem, is_final, reason = connection:connect(place.host, place.port)
  if not state and try.proxy and problem ~= "timeout" then
    problem, reason = proxies.message(try.proxy, problem), "proxy"
  end
  if state and state ~= "kept" and try.place.scheme == "https" then
    if try.proxy then
      open_tunnel(try, connection)
    end
    state, problem, is_final = connection:secure()
    reason = "tls"
  end
  if not state then
    stop(problem == "timeout" and "timeout" or reason or "connect", problem, is_final)
  end
  try.limits:begin()
  return state == "kept"
end

-- --- a try ------------------------------------------------------------------------

local NONE, GZIP = {}, { ["accept-encoding"] = "gzip" }

-- The fields of this client, which replace those of the request. is_relayed: is that for a proxy?
local function own_fields(try, is_relayed)
  if not is_relayed then
    return try.asks_gzip and GZIP or NONE
  end
  return {
    ["accept-encoding"] = try.asks_gzip and "gzip" or nil,
    ["proxy-authorization"] = try.proxy.authorization,
  }
end

-- The method of a try's request, its first piece, and the source of the others.
local function written(try)
  local is_relayed = try.proxy and try.place.scheme == "http"
  local fields = own_fields(try, is_relayed)
  local m = writer.message(try, is_relayed and "relayed" or "head", fields)
  return m.method, writer.request(m)
end

local function says_close(headers)
  local said = headers.connection
  return said ~= nil and said ~= "keep-alive" and text.lower(said):find("close", 1, true) ~= nil
end

-- For how many seconds the server keeps an idle connection, by its header `keep-alive`. One second
-- is taken off for a request's way to the server. Infinity if there is no such header.
local function seconds_kept(headers)
  local said = headers["keep-alive"]
  local seconds = said and tonumber(text.lower(said):match "timeout%s*=%s*(%d+)")
  return seconds and math.max(seconds - 1, 0) or math.huge
end

-- Sends a request. Returns whether all of it was sent, and the head of the response, which may have
-- come before.
local function send_request(connection, reader, first, source)
  local is_sent = writer.send(connection, first, source, reader)
  return is_sent, reader:head()
end

-- Sends a request over a connection, and gives the response to the try. first, source: what
-- `written` returns.
local function exchange(try, connection, method, first, source)
  local reader = connection.reader
  connection.is_kept = open(try, connection)
  local is_sent, status, headers, minor = send_request(connection, reader, first, source)
  -- From here on a sink has the headers, and may change them.
  local agree, seconds = minor ~= "0" and not says_close(headers), seconds_kept(headers)
  try:begin(status, headers)
  local can_follow = reader:body(try, method, status, headers) and not reader:has_more()

  -- The connection is kept only if its next response is certain to be that of its next request (RFC
  -- 9112, section 9.3): all was sent, the body has ended, nothing follows it, and both sides agree.
  if is_sent and can_follow and agree then
    reader:finish()
    connection:keep(seconds)
  else
    connection:close()
  end
end

-- A connection that was kept may be lost just when a request is sent on it. An idempotent request
-- goes at once on another. Any other request takes only one that was used a short time ago, which
-- is hardly lost, and then fails. most_idle: see `connect`.
function Client:send(try, most_idle)
  -- What is wrong with the request is raised before anything is opened.
  local method, first, source = written(try)

  most_idle = most_idle or try.may_repeat and math.huge or try.settings.reuse_within
  local connection = self.connect(try, most_idle)
  local reader = connection.reader or Reader.new(connection)
  connection.reader, connection.is_kept = reader, false
  reader:begin(try.limits, true)
  local ok, problem = pcall(exchange, try, connection, method, first, source)
  if ok then
    return true
  end
  connection:close()

  -- What the program did wrong, and what its functions raised, is not a problem of the connection.
  if not problems.is_problem(problem) then
    error(problem, 0)
  end
  local reason, message, is_final = problem[1], problem[2], problem[3]
  local is_over = reason == "timeout"

  -- The server may have closed a kept connection just before the request came.
  local is_lost = connection.is_kept and not reader.has_begun and reason == "cut off"
  if is_lost and try.may_repeat then
    try:note_lost(message)
    return self:send(try, 0)
  elseif is_lost then
    message = message .. ", on a connection that was kept: the request may have arrived"
  end
  return nil, is_over and try.limits:message() or message, is_final, reason
end

-- Is a host an IP address? No top-level domain has digits alone.
function http1.is_address(host)
  return not host:find "[^%d.]" or host:find ":"
end

-- What went wrong on the way to a Unix socket.
function http1.path_problem(path, problem)
  if problem == "timeout" then
    return problem
  end
  return ("the socket %s: %s"):format(path, tostring(problem))
end

-- The client that sends over the connections that connect(try, most_idle) gives: new ones, or one
-- that was kept and that nobody used for less than so many seconds. 0 forbids that, math.huge takes
-- any.
function http1.client(settings, connect)
  if settings.proxy and settings.proxy ~= "environment" then
    proxies.check(proxies.new(settings.proxy):of "http")
  end
  return setmetatable({ connect = connect }, Client)
end

return http1
