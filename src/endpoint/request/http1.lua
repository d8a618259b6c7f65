-- SPDX-License-Identifier: MIT
-- HTTP/1.1 (RFC 9112) over a connection of LuaSocket or nginx. It is our own since theirs, over the same bounded
-- sockets, froze at a length of -5, and took a chunk longer than it says, or 103 for the answer. The methods of a
-- connection return nil and a message if they fail, "timeout" if its limits are over, and true if no other try can help:
--   connect(host, port, is_new)  "kept" for a connection that was kept, with its TLS, which is_new forbids
--   secure()                     makes TLS of it, with a certificate of the host asked for
--   send(text), receive(most)    receive returns at least a byte and at most so many; at the end "closed", or "ended"
--                                where the other side has said over TLS that it is the end
--   close(), keep()
local http1 = {}

local Pieces = require "endpoint.request.body".Pieces
local clients = require "endpoint.clients"
local errors = require "endpoint.clients.errors"
local failures = require "endpoint.request.failures"
local message = require "endpoint.clients.message"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.text"

-- Bytes of all heads of an answer, of a chunk's line, and of what is sent at a time; bytes to ask for at a time.
local MOST, PIECE = 65536, 8192

-- What is raised here: { message, whether no other try can help, whether a stream of the user's says it }
local Problem = {}
local function stop(...)
  error(setmetatable({ ... }, Problem), 0)
end

-- --- read -------------------------------------------------------------------------

local Reader = {}
Reader.__index = Reader

-- room: the bytes that heads may still have: the answer's, those of 1xx before it, the trailers behind it.
-- is_answer: does idle_timeout count? Not while a proxy answers, which belongs to connecting.
function Reader.new(connection, limits, is_answer)
  return setmetatable(
    {
      connection = connection,
      limits = limits,
      is_answer = is_answer,
      room = MOST,
      buffer = "",
      at = 1,
    },
    Reader
  )
end

-- Is something there that was not taken yet?
function Reader:has_more()
  return self.at <= #self.buffer
end

-- Waits until something is; nil and a message if nothing comes.
function Reader:fill()
  if self:has_more() then
    return true
  end
  if self.has_begun and self.is_answer then
    self.limits:begin "idle_timeout"
  end
  if self.limits:seconds() <= 0 then
    return nil, "timeout"
  end
  local piece, problem = self.connection:receive(PIECE)
  self.buffer, self.at, self.has_begun = piece or "", 1, self.has_begun or piece ~= nil
  return piece, problem
end

-- What is there, up to a position of the buffer.
function Reader:take(last)
  local piece = self.buffer:sub(self.at, last)
  self.at = self.at + #piece
  return piece
end

-- A line that is not all there yet, of little more than so many bytes.
local function gathered(self, most)
  local pieces, ended = Pieces.new(), nil
  while not ended and pieces.size <= most do
    local is_there, problem = self:fill()
    ended = self.buffer:find("\n", self.at, true)
    pieces:add(is_there and self:take(ended or -1) or stop(problem))
  end
  return pieces:text()
end

-- A line of at most so many bytes. RFC 9112, section 2.2: a CR that ends no line is wrong, and RFC 9110, section 5.5:
-- so is NUL.
function Reader:line(most)
  local ended = self.buffer:find("\n", self.at, true)
  local line = ended and self:take(ended) or gathered(self, most)
  if #line > most then
    stop("the head of the answer is too long", true)
  end
  line = line:sub(1, line:sub(-2) == "\r\n" and -3 or -2)
  return line:find "[%z\r]" and stop("the answer is no HTTP", true) or line
end

function Reader:head_line()
  local line = self:line(self.room)
  self.room = self.room - #line - 2
  return line
end

-- The name of a field, in lower case, and its value; nil if the line is none. RFC 9112, section 5.1: no white space
-- stands before the colon. No pattern here has two repetitions that may share a character: their time is linear.
function http1.field(line)
  local name, behind = line:match "^([^%s%c:]+):[ \t]*()"
  return name and text.lower(name), name and (line:match("^.*[^ \t]", behind) or "")
end

-- Adds a field to headers whose values are lists.
function http1.add(headers, name, value)
  headers[name] = headers[name] or {}
  table.insert(headers[name], value)
end

-- The status, the headers as lists, and the digit behind HTTP/1.
function Reader:head()
  local minor, status = self:head_line():match "^HTTP/1%.(%d) ([1-5]%d%d)%f[%s%z]"
  local headers = {}
  for line in status and self.head_line or stop("the answer is no HTTP", true), self do
    if line == "" and status < "200" then
      return self:head()
    end
    if line == "" then
      return tonumber(status), headers, minor
    end
    local name, value = http1.field(line)
    http1.add(headers, name or stop("the answer is no HTTP", true), value)
  end
end

-- Gives so many bytes to a try, or, if that is math.huge, all until the other side closes.
function Reader:copy(try, size)
  while size > 0 do
    local is_there, problem = self:fill()
    if
      size == math.huge and (problem == "ended" or problem == "closed" and try.scheme ~= "https")
    then
      return
    end
    if problem and problem ~= "timeout" then
      problem = "the answer is cut off: " .. (size == math.huge and "TLS was not closed" or problem)
    end
    local piece = is_there and self:take(self.at + math.min(size, PIECE) - 1) or stop(problem)
    if not try:write(piece) then
      stop "the try says why"
    end
    size = size - #piece
  end
end

-- So many digits of a chunk's size hold numbers that this Lua reads without loss: its numbers may be C's float.
local DIGITS = 16777217.0 == 16777216 and 6 or 12

function Reader:chunks(try)
  repeat
    local line = self:line(MOST)
    local digits, behind = line:match "^(%x+)[ \t]*()"
    local is_right = digits
      and line:find("^%f[;%z]", behind)
      and not digits:sub(1, -DIGITS - 1):find "[^0]"
    local size = is_right and tonumber(digits:sub(-DIGITS), 16)
    self:copy(try, size or stop("a chunk of the answer has no right length", true))
    if size > 0 and self:line(MOST) ~= "" then
      stop("a chunk of the answer has another length than it says", true)
    end
  until size == 0
  repeat
  until self:head_line() == "" -- trailers
end

-- Reads the body of an answer. Can another answer follow?
function Reader:body(try, method, status, headers)
  local length, coding = headers["content-length"], headers["transfer-encoding"]
  if method == "HEAD" or status == 304 then
    return true
  end
  if status == 204 then
    return not (coding or length)
  end
  coding, length =
    coding and text.lower(table.concat(coding, ", ")), table.concat(length or {}, ", ")
  if (coding or "chunked") ~= "chunked" then
    stop("the answer is coded, as nobody asked for: " .. coding, true)
  end
  if not coding and not length:find "^%d*$" then
    stop("the answer has no right length", true)
  end
  if not coding and #length > 15 then
    stop("the answer is cut off", true)
  end -- sooner or later
  if coding then
    self:chunks(try)
  else
    self:copy(try, tonumber(length) or math.huge)
  end
  return (coding == nil) ~= (length == "") -- who sends both may mean another end
end

-- --- send -------------------------------------------------------------------------

local OPTIONS = errors.body_options {}

-- RFC 9110, section 7.2: the host comes first. Fields that are about the connection are ours; those of the body are
-- not among what is read of a result.
local OURS = { host = true, connection = true }

-- The head of a request and the source of its body.
local function request_of(m, target, more)
  local lines, source =
    { m.method .. " " .. target .. " HTTP/1.1", "host: " .. m.headers.host }, m.body
  if type(source) == "function" and not m.length then
    source, more["transfer-encoding"] = stream.chunked(source), "chunked"
  elseif source then
    more["content-length"] = ("%.0f"):format(m.length or #source)
    source = m.length and source or stream.of_text(source)
  end
  for name, value in pairs(more) do
    lines[#lines + 1] = name .. ": " .. value
  end
  for _, field in ipairs(m.fields) do
    if not OURS[field[1]] and not more[field[1]] then
      lines[#lines + 1] = field[1] .. ": " .. field[2]
    end
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n", source
end

-- Was all of it sent? Who refuses a long body may answer and close before.
local function send(connection, limits, head, source)
  local piece, problem = head, nil
  while piece do
    for at = 1, #piece, MOST do
      local is_sent = connection:send(piece:sub(at, at + MOST - 1))
      if limits:seconds() <= 0 then
        stop "timeout"
      end
      if not is_sent then
        return false
      end
    end
    if source then
      piece, problem = source()
    else
      piece = nil
    end
  end
  if problem then
    stop(problem, nil, true)
  end -- a stream is never sent again
  return true
end

-- --- a connection and its use -----------------------------------------------------

local Client = {}
Client.__index = Client

-- A tunnel through the proxy, which must be silent until TLS begins.
local function tunnel(self, try, connection)
  local place = (try.host:find ":" and "[%s]:%d" or "%s:%d"):format(try.host, try.port)
  local head = request_of(
    { method = "CONNECT", headers = { host = place }, fields = {} },
    place,
    { ["proxy-authorization"] = self.via.headers.authorization }
  )
  send(connection, try.limits, head)
  local reader = Reader.new(connection, try.limits)
  local status = reader:head()
  if status >= 300 or reader:has_more() then
    stop("the proxy answers " .. status)
  end
  try.limits:begin "connect_timeout"
end

-- Makes the connection; returns whether it is one that was kept.
local function open(self, try, connection, is_new)
  try.limits:begin "connect_timeout"
  local place = self.via or try
  local state, problem, is_final = connection:connect(place.host, place.port, is_new)
  if state and state ~= "kept" and try.scheme == "https" then
    if self.via then
      tunnel(self, try, connection)
    end
    state, problem, is_final = connection:secure()
  end
  try.limits:begin()
  return (state or stop(problem, is_final)) == "kept"
end

local function message_of(try)
  local m = message.read(
    try.r,
    { encode = try.settings.encode, nested = try.settings.nested },
    OPTIONS,
    "fields"
  )
  m.authority = m.url:match "//(.-)/"
  m.headers.host = m.headers.host or m.authority
  return m
end

-- Sends over a connection, and gives the answer to the try. reader: of this connection.
local function exchange(self, try, connection, reader, is_new)
  local m = message_of(try)
  local target, keeps, more = m.path .. (m.query and "?" .. m.query or ""), try.may_repeat, {}
  more.connection = not keeps and "close" or nil
  more["accept-encoding"] = try.asks_gzip and "gzip" or nil
  if self.via and try.scheme == "http" then
    target, more["proxy-authorization"] =
      "http://" .. m.authority .. target, self.via.headers.authorization
  end
  local head, source = request_of(m, target, more)
  reader.is_kept = open(self, try, connection, is_new)
  keeps = send(connection, try.limits, head, source) and keeps
  local status, headers, minor = reader:head()
  try:begin(status, headers)
  keeps = reader:body(try, m.method, status, headers)
    and keeps
    and minor ~= "0"
    and not reader:has_more()
  if keeps and not text.lower(table.concat(headers.connection or {}, ",")):find "close" then
    return connection:keep()
  end
  connection:close()
end

-- A connection that is kept may be lost just then. Only what may be sent twice goes on one, and goes at once on another.
function Client:send(try, is_new)
  local connection = self.connect(try)
  local reader = Reader.new(connection, try.limits, true)
  local ok, problem = pcall(exchange, self, try, connection, reader, is_new)
  if ok then
    return true
  end
  connection:close()
  if getmetatable(problem) ~= Problem then
    error(problem, 0)
  end
  local is_timeout = problem[1] == "timeout" and not problem[3]
  if reader.is_kept and not reader.has_begun and not is_timeout then
    return self:send(try, true)
  end
  return nil, is_timeout and try.limits:message() or problem[1], problem[2]
end

-- Is a host an address? No top-level domain has digits alone.
function http1.is_address(host)
  return not host:find "[^%d.]" or host:find ":"
end

-- The client that sends over the connections that connect(try) makes.
function http1.client(settings, connect)
  local found, via = pcall(clients.plain, { method = "GET", url = settings.proxy })
  if settings.proxy and not (found and via.scheme == "http") then
    failures.fail "proxy: expected the URL of an HTTP proxy"
  end
  local client = setmetatable({ connect = connect, via = settings.proxy and via }, Client)
  return function(try)
    return client:send(try)
  end
end

return http1
