-- SPDX-License-Identifier: MIT
-- Writes a request of HTTP/1.1 (RFC 9112) to a connection.
local writer = {}

local message = require "endpoint.clients.message"
local option_checks = require "endpoint.clients.options"
local stop = require "endpoint.request.clients.http1.problems".stop
local stream = require "endpoint.clients.body.stream"

-- Bytes that are sent at a time.
local PIECE = 65536

local OPTIONS = option_checks.of_client {}

-- What is sent for a try: a result that was read and checked. fields: the client's own, by their
-- names, which replace the request's.
function writer.message(try, fields)
  local settings = try.settings
  local options = (settings.encode or settings.nested)
      and { encode = settings.encode, nested = settings.nested }
    or nil
  return message.read(try.request, options, OPTIONS, "head", nil, fields)
end

-- The lines of the client's own fields.
local function own_lines(fields)
  local lines = ""
  for name, value in next, fields do
    lines = lines .. name .. ": " .. value .. "\r\n"
  end
  return lines
end

-- The line that says where the body ends, and the body's source; "" and nil without a body.
local function framed_body(m)
  local source = m.body
  if not source then
    return "", nil
  elseif type(source) == "string" then
    return "content-length: " .. #source .. "\r\n", stream.of_text(source)
  elseif not m.length then
    return "transfer-encoding: chunked\r\n", stream.chunked(source)
  end
  return ("content-length: %.0f\r\n"):format(m.length), source
end

-- The head of a request, and the source of its body, or nil. m: what `message` returns for the
-- client's own fields. target: what is written after the method.
function writer.request(m, target, fields)
  local framing, source = framed_body(m)
  local head = m.method
    .. " "
    .. target
    .. " HTTP/1.1\r\nhost: "
    .. (m.headers.host or m.authority)
    .. "\r\n"
    .. own_lines(fields)
    .. framing
    .. m.lines
    .. "\r\n"
  return head, source
end

-- Sends a piece; returns false if no more shall be sent.
local function send_piece(connection, limits, piece, reader)
  local at = 1
  while at <= #piece do
    local last = math.min(at + PIECE - 1, #piece)
    local is_sent, problem, unsent = connection:send(piece:sub(at, last), 1)
    if limits:seconds() <= 0 then
      stop("timeout", "timeout")
    elseif problem == "answered" and reader and reader:early_head() then
      last = at + unsent - 2
    elseif not is_sent then
      return false
    end
    at = last + 1
  end
  return true
end

-- Sends a head and the body of a source, if there is one. Was all of it sent? A server that refuses
-- a long body may answer before it has all of it (RFC 9112, section 9.5), and close. reader: of the
-- response, where one may come before that; nil if not.
function writer.send(connection, limits, head, source, reader)
  local piece, problem, pieces = head, nil, 0
  while piece do
    local is_refused = pieces > 1 and connection:has_response() and not reader:early_head()
    if is_refused or not send_piece(connection, limits, piece, reader) then
      return false
    end
    piece, pieces = nil, pieces + 1
    if source then
      piece, problem = source()
    end
  end
  if problem then
    stop("stream", problem)
  end
  return true
end

return writer
