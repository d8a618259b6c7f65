-- SPDX-License-Identifier: MIT
-- HTTP/1.1 (RFC 9112) over a connection of LuaSocket or nginx. What HTTP they have themselves has no
-- time-out for all, skips 1xx for ever, or gives a packed or half body for a whole one. The functions of a connection
-- return nil and a message if they fail:
--   connect(host, port)   "kept" for a connection that was kept, with its TLS
--   secure()              makes TLS of it, with a certificate of the host asked for
--   send(text), receive(most)   receive returns at least a byte and at most so many; at the end "closed", or
--                               "ended" where the other side has said over TLS that it is the end
--   close(is_kept)        is_kept only where can_keep
local http1 = {}

local Pieces = require "endpoint.request.pieces"
local clients = require "endpoint.clients"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.clients.text"

-- Bytes of a head and the 1xx before it, of a chunk's line, of trailers, and of what is sent at a time.
local MOST = 65536

-- What is raised here: { message, whether no other try can help }
local Problem = {}
local function stop(...) error(setmetatable({ ... }, Problem), 0) end

-- Bytes to ask a connection for at a time.
local PIECE = 8192

-- Is something there that was not taken yet?
local function has_more(connection) return connection.at <= #connection.buffer end

-- Waits until something is; nil and a message if nothing comes.
local function fill(connection)
  if has_more(connection) then return true end
  if connection.left() <= 0 then return nil, "timeout" end
  local piece, problem = connection.receive(PIECE)
  connection.buffer, connection.at = piece or "", 1
  return piece, problem
end

-- What is there, up to a position of the buffer.
local function take(connection, last)
  local piece = connection.buffer:sub(connection.at, last)
  connection.at = connection.at + #piece
  return piece
end

-- A line of at most so many bytes. RFC 9112, section 2.2: a CR that ends no line is wrong, and RFC 9110, section 5.5:
-- so is NUL.
local function read_line(connection, most)
  local ended
  local pieces = Pieces.new()
  repeat
    local is_there, problem = fill(connection)
    ended = connection.buffer:find("\n", connection.at, true)
    pieces:add(is_there and take(connection, ended or -1) or stop(problem))
    if pieces.size > most then stop("the head of the answer is too long", true) end
  until ended
  local line = pieces:text()
  line = line:sub(-2) == "\r\n" and line:sub(1, -3) or line:sub(1, -2)
  return line:find "[%z\r]" and stop("the answer is no HTTP", true) or line
end

-- A line of a head or a trailer, which have one room in all, with the 1xx before them.
local function read_head_line(connection)
  local line = read_line(connection, connection.room)
  connection.room = connection.room - #line - 2
  return line
end

-- The name of a field, in lower case, and its value; nil if the line is none. RFC 9112, section 5.1: no white space
-- stands before the colon. No pattern here has two repetitions that may share a character: their time is linear.
function http1.field(line)
  local name, behind = line:match "^([^%s%c:]+):[ \t]*()"
  return name and text.lower(name), name and (line:match("^.*[^ \t]", behind) or "")
end

-- The status, the headers as lists, their names in lower case, and the digit behind HTTP/1.
local function read_head(connection)
  local minor, status = read_head_line(connection):match "^HTTP/1%.(%d) ([1-5]%d%d)%f[%s%z]"
  local headers = {}
  for line in status and read_head_line or stop("the answer is no HTTP", true), connection do
    if line == "" and status < "200" then return read_head(connection) end
    if line == "" then return tonumber(status), headers, minor end
    local name, value = http1.field(line)
    name = name or stop("the answer is no HTTP", true)
    headers[name] = headers[name] or {}
    table.insert(headers[name], value)
  end
end

-- Gives so many bytes to the try, or, if that is math.huge, all until the other side closes.
local function copy(connection, s, status, size)
  while size > 0 do
    local is_there, problem = fill(connection)
    if size == math.huge and not is_there and (problem == "closed" or problem == "ended") then
      return problem == "closed" and s.scheme == "https" and stop "the answer is cut off: TLS was not closed" or nil
    end
    if not is_there then stop("the answer is cut off: " .. problem) end
    local piece = take(connection, connection.at + math.min(size, PIECE) - 1)
    local is_taken, refusal = s.write(piece, status)
    if not is_taken then stop(refusal, true) end
    size = size - #piece
  end
end

local function copy_chunks(connection, s, status)
  repeat
    local line = read_line(connection, MOST)
    local digits, behind = line:match "^(%x+)[ \t]*()"
    local is_right = digits and line:find("^%f[;%z]", behind) and digits:find("[^0]", -12) == digits:find "[^0]"
    local size = is_right and tonumber(digits:sub(-12), 16)
    copy(connection, s, status, size or stop("a chunk of the answer has no right length", true))
    if size > 0 and read_line(connection, MOST) ~= "" then
      stop("a chunk of the answer has another length than it says", true)
    end
  until size == 0
  repeat until read_head_line(connection) == "" -- trailers
end

-- Reads the body of an answer. Can another answer follow?
local function read_body(connection, s, method, status, headers)
  local length, coding = headers["content-length"], headers["transfer-encoding"]
  if method == "HEAD" or status == 304 then return true end
  if status == 204 then return not (coding or length) end
  coding, length = coding and text.lower(table.concat(coding, ", ")), table.concat(length or {}, ", ")
  if (coding or "chunked") ~= "chunked" then stop("the answer is coded, as nobody asked for: " .. coding, true) end
  if not coding and not length:find "^%d*$" then stop("the answer has no right length", true) end
  if coding then copy_chunks(connection, s, status) else copy(connection, s, status, tonumber(length) or math.huge) end
  return (coding == nil) ~= (length == "") -- who sends both may mean another end
end

-- Was all of it sent? Who refuses a long body may answer and close before.
local function send_request(connection, target, m)
  local lines, source, problem = { m.method .. " " .. target .. " HTTP/1.1" }, m.body, nil
  if type(source) ~= "function" then
    m.headers["content-length"], source = source and #source, stream.of_text(source or "")
  end
  for name, value in pairs(m.headers) do
    for _, one in ipairs(type(value) == "table" and value or { value }) do lines[#lines + 1] = name .. ": " .. one end
  end
  local piece = table.concat(lines, "\r\n") .. "\r\n\r\n"
  while piece do
    for at = 1, #piece, MOST do
      local sent, why = connection.send(piece:sub(at, at + MOST - 1))
      if why == "timeout" or connection.left() <= 0 then stop "timeout" end
      if not sent then return false end
    end
    piece, problem = source()
  end
  if problem then stop(problem, true) end
  return true
end

-- Makes the connection, through the proxy `via` if there is one.
local function open(connection, s, via)
  local state, problem = connection.connect((via or s).host, (via or s).port)
  if state == "kept" or state and s.scheme == "http" then return end
  if state and via then
    local place = (s.host:find ":" and "[%s]:%d" or "%s:%d"):format(s.host, s.port)
    local headers = { host = place, ["proxy-authorization"] = via.headers.authorization }
    send_request(connection, place, { method = "CONNECT", headers = headers })
    local status = read_head(connection)
    if status >= 300 or has_more(connection) then stop("the proxy answers " .. status) end
  end
  if state then state, problem = connection.secure() end
  if not state then stop(problem) end
end

local function exchange(connection, s, via)
  local origin, m = s.arguments "resty_http"
  local target, is_kept = m.path .. (m.query or ""), connection.can_keep and s.may_repeat
  m.headers.host = m.headers.host or origin:match "//(.*)"
  m.headers.connection = not is_kept and "close" or nil
  if via and s.scheme == "http" then
    target = origin .. target
    m.headers["proxy-authorization"] = via.headers.authorization or m.headers["proxy-authorization"]
  end
  connection.left, connection.room, connection.buffer, connection.at = s.left, MOST, "", 1
  open(connection, s, via)
  is_kept = send_request(connection, target, m) and is_kept
  local status, headers, minor = read_head(connection)
  is_kept = read_body(connection, s, m.method, status, headers) and is_kept and minor ~= "0" and not has_more(connection)
  connection.close(is_kept and not text.lower(table.concat(headers.connection or {})):find "close")
  return status, headers
end

-- The client that sends over the connections that connect(s) returns.
function http1.client(settings, fail, connect)
  local found, via = pcall(clients.plain, { method = "GET", url = settings.proxy })
  if settings.proxy and not (found and via.scheme == "http") then fail "proxy: expected the URL of an HTTP proxy" end
  return function(_, s)
    local connection = connect(s)
    local ok, status, headers = pcall(exchange, connection, s, settings.proxy and via)
    if ok then return status, headers end
    connection.close()
    if getmetatable(status) ~= Problem then error(status, 0) end
    return nil, status[1], status[2]
  end
end

return http1
