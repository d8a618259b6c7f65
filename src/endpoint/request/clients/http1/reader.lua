-- SPDX-License-Identifier: MIT
-- Reads a response of HTTP/1.1 (RFC 9112) from a connection, and gives it to a try.
local Reader = {}
Reader.__index = Reader

local Pieces = require "endpoint.request.response.pieces"
local Fields = require "endpoint.request.clients.http1.fields"
local plain_head = require("endpoint.result").head
local stop = require "endpoint.request.clients.http1.problems".stop
local text = require "endpoint.text"

-- Bytes that all heads of a response may have, and the line of a chunk; bytes to ask for at a time.
local MOST, PIECE = 65536, 65536

-- Reads the responses of a connection, one after another. `begin` comes before each, `finish` after
-- it where another may follow.
function Reader.new(connection)
  return setmetatable({ connection = connection }, Reader)
end

-- is_response: does idle_timeout count? Not while a proxy answers, which belongs to connecting.
function Reader:begin(limits, is_response)
  self.limits, self.is_response = limits, is_response
  self.room = MOST -- the bytes that heads may still have: of 1xx, of the response, and trailers
  self.buffer, self.at = "", 1 -- what has come, and its first byte that was not taken yet
  self.has_begun = false -- has a byte of the response come?
  self.early = nil -- a head that came while the request was sent: { status, headers, minor }
end

-- Lets go of what belongs to the response and its call.
function Reader:finish()
  self.limits, self.buffer, self.early = nil, "", nil
end

-- Stops since a rule of HTTP is broken, by the server or its proxy.
local function stop_broken(self, message)
  stop(self.is_response and "protocol" or "proxy", message, true)
end

local function stop_not_http(self)
  stop_broken(self, "the response is not HTTP")
end

-- --- bytes and lines --------------------------------------------------------------

-- Is something there that was not taken yet?
function Reader:has_more()
  return self.at <= #self.buffer
end

-- Waits until something is there; nil and a message if nothing comes.
function Reader:fill()
  if self:has_more() then
    return true
  end
  if self.has_begun and self.is_response then
    self.limits:begin "idle_timeout"
  end
  local piece, problem = self.connection:receive(PIECE)
  self.buffer, self.at = piece or "", 1
  if piece and not self.has_begun then
    self.has_begun = true
    if self.is_response then
      self.limits:response_begins()
    end
  end
  return piece, problem
end

-- What is there, up to a position of the buffer.
function Reader:take(last)
  if self.at == 1 and last >= #self.buffer then -- no copy of a long piece
    self.at = #self.buffer + 1
    return self.buffer
  end
  local piece = self.buffer:sub(self.at, last)
  self.at = self.at + #piece
  return piece
end

-- Stops since no more comes: why the connection gave nothing.
local function stop_cut_off(self, problem)
  if problem == "ended" then
    problem = "closed"
  end
  if problem == "timeout" then
    stop("timeout", problem)
  end
  local reason = self.is_response and "cut off" or "proxy"
  if self.has_begun then
    stop(reason, "the response is cut off: " .. problem)
  end
  local who = self.is_response and "server" or "proxy"
  stop(
    reason,
    problem == "closed" and ("the %s closed the connection without a response"):format(who)
      or problem
  )
end

-- A line that is not all there yet, of little more than so many bytes.
local function gathered(self, most)
  local pieces, ended = Pieces.new(), nil
  while not ended and pieces.size <= most do
    local is_there, problem = self:fill()
    if not is_there then
      stop_cut_off(self, problem)
    end
    ended = self.buffer:find("\n", self.at, true)
    pieces:add(self:take(ended or -1))
  end
  return pieces:text()
end

-- A line of at most so many bytes. A CR that does not end a line is wrong (RFC 9112, section 2.2),
-- and so is NUL (RFC 9110, section 5.5).
function Reader:line(most)
  local ended = self.buffer:find("\n", self.at, true)
  local line = ended and self:take(ended) or gathered(self, most)
  if #line > most then
    stop("too long", "the head of the response is too long", true)
  end
  line = line:sub(1, line:sub(-2) == "\r\n" and -3 or -2)
  if line:find "[%z\r]" then
    stop_not_http(self)
  end
  return line
end

-- --- heads ------------------------------------------------------------------------

function Reader:head_line()
  local line = self:line(self.room)
  self.room = self.room - #line - 2
  return line
end

-- The headers up to an empty line.
function Reader:headers()
  local fields = Fields.new()
  for line in self.head_line, self do
    if line == "" then
      return fields:joined()
    elseif not fields:take(line) then
      stop_not_http(self)
    end
  end
end

-- A head: the status, the headers, and the digit after "HTTP/1.". It may be of any form; here alone
-- is said which heads are right. A status from 600 on is not one of HTTP, and counts as 5xx (RFC
-- 9110, section 15).
function Reader:any_head()
  local minor, status = self:head_line():match "^HTTP/1%.(%d) ([1-9]%d%d)%f[%s%z]"
  if not status then
    stop_not_http(self)
  end
  if status == "101" then
    stop_broken(self, "the response switches to another protocol, which was not asked for")
  end
  local headers = self:headers()
  return tonumber(status), headers, minor
end

-- The same. A plain one is read in C (src/head.c): it is there as a whole, and any_head would not
-- dispute it.
function Reader:next_head()
  local is_there, problem = self:fill()
  if not is_there then
    stop_cut_off(self, problem)
  end
  local status, headers, minor, at = plain_head(self.buffer, self.at, self.room)
  if not status then
    return self:any_head()
  end
  self.room, self.at = self.room - (at - self.at), at
  return status, headers, minor
end

-- Reads the heads that are there while a request is sent. Shall the rest of it be sent? An error
-- ends the request; any other response may come while the server still reads.
function Reader:early_head()
  local status, headers, minor
  repeat
    status, headers, minor = self:next_head()
  until status >= 200 or not self:has_more()
  if status >= 200 then
    self.early = { status, headers, minor }
    self.connection.is_deaf = true
  end
  self.limits:begin()
  return status < 400
end

-- The head of the response, after those of 1xx that may come before it.
function Reader:head()
  local early = self.early
  if early then
    return early[1], early[2], early[3]
  end
  while true do
    local status, headers, minor = self:next_head()
    if status >= 200 then
      return status, headers, minor
    end
  end
end

-- --- bodies -----------------------------------------------------------------------

-- Does the end of a connection end a body that has no length? Over TLS only if the other side says
-- so: everyone on the way can close a connection.
local function ends_body(try, problem)
  return problem == "ended" or problem == "closed" and try.place.scheme ~= "https"
end

-- Gives so many bytes to a try, or, if that is math.huge, all until the other side closes.
function Reader:copy(try, size)
  while size > 0 do
    local is_there, problem = self:fill()
    if not is_there and size == math.huge and ends_body(try, problem) then
      return
    end
    if not is_there then
      local is_unended = size == math.huge and problem == "closed"
      stop_cut_off(self, is_unended and "TLS was not closed" or problem)
    end
    local piece = self:take(self.at + math.min(size, PIECE) - 1)
    if not try:write(piece) then
      stop("sink", "the try says why")
    end
    size = size - #piece
  end
end

-- So many digits of a chunk's size hold numbers that this Lua reads without loss: its numbers may
-- be C's float.
local DIGITS = 16777217.0 == 16777216 and 6 or 12

-- The size that the line of a chunk says; nil if that is invalid.
local function chunk_size(line)
  local digits, at = line:match "^(%x+)[ \t]*()"
  local is_valid = digits
    and line:find("^%f[;%z]", at)
    and not digits:sub(1, -DIGITS - 1):find "[^0]"
  return is_valid and tonumber(digits:sub(-DIGITS), 16) or nil
end

-- Gives the chunks of a body to a try (RFC 9112, section 7.1), and reads the trailers.
function Reader:chunks(try)
  repeat
    local size = chunk_size(self:line(MOST))
    if not size then
      stop_broken(self, "a chunk of the response has an invalid size")
    end
    self:copy(try, size)
    if size > 0 and self:line(MOST) ~= "" then
      stop_broken(self, "a chunk of the response is longer than its size")
    end
  until size == 0
  self:headers()
end

-- Gives a body with a content-length to a try, or one that ends with the connection if it is "".
function Reader:bytes(try, length)
  if not length:find "^%d*$" then
    stop_broken(self, "the response's content-length is invalid")
  elseif #length > 15 then -- so many bytes never come
    stop("cut off", "the response is cut off", true)
  end
  self:copy(try, tonumber(length) or math.huge)
end

-- Reads the body of a response. Can another response follow on the connection?
function Reader:body(try, method, status, headers)
  local length = headers["content-length"] or ""
  local encoding = headers["transfer-encoding"]
  if method == "HEAD" or status == 304 then
    return true
  elseif status == 204 then
    return not (encoding or headers["content-length"])
  elseif not encoding then
    self:bytes(try, length)
    return length ~= ""
  end
  encoding = text.lower(encoding)
  if encoding ~= "chunked" then
    stop_broken(self, "the response has an encoding that was not asked for: " .. encoding)
  end
  self:chunks(try)
  return length == "" -- who sends a length, too, may mean another end
end

return Reader
