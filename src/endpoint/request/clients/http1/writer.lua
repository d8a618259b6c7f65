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

-- What is sent for a try: a result that was read and checked.
function writer.message(try)
  local settings = try.settings
  local options = (settings.encode or settings.nested)
      and { encode = settings.encode, nested = settings.nested }
    or nil
  local m = message.read(try.request, options, OPTIONS, "fields")
  m.authority = m.url:match "//(.-)/"
  m.headers.host = m.headers.host or m.authority
  return m
end

-- Fields of the request that are not copied: those about the connection are this client's, and the
-- host comes first (RFC 9110, section 7.2).
local IS_OURS = { host = true, connection = true }

-- The fields that say where the body ends, which are added to `fields`; and the body's source.
local function framed_body(m, fields)
  local source = m.body
  if type(source) == "function" and not m.length then
    fields["transfer-encoding"] = "chunked"
    return stream.chunked(source)
  elseif source then
    fields["content-length"] = ("%.0f"):format(m.length or #source)
    return m.length and source or stream.of_text(source)
  end
end

-- The head of a request, and the source of its body, or nil. m: what `message` returns. target:
-- what is written after the method. fields: the client's own, which replace the request's.
function writer.request(m, target, fields)
  local source = framed_body(m, fields)
  local lines = { m.method .. " " .. target .. " HTTP/1.1", "host: " .. m.headers.host }
  for name, value in pairs(fields) do
    lines[#lines + 1] = name .. ": " .. value
  end
  for _, field in ipairs(m.fields) do
    local name = field[1]
    if not IS_OURS[name] and not fields[name] then
      lines[#lines + 1] = name .. ": " .. field[2]
    end
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n", source
end

-- Sends a piece; returns false if no more shall be sent.
local function send_piece(connection, limits, piece, may_go_on)
  local at = 1
  while at <= #piece do
    local last = math.min(at + PIECE - 1, #piece)
    local is_sent, problem, unsent = connection:send(piece:sub(at, last), 1)
    if limits:seconds() <= 0 then
      stop("timeout", "timeout")
    elseif problem == "answered" and may_go_on and may_go_on() then
      last = at + unsent - 2
    elseif not is_sent then
      return false
    end
    at = last + 1
  end
  return true
end

-- Sends a head and the body of a source, if there is one. Was all of it sent? A server that refuses
-- a long body may answer before it has all of it (RFC 9112, section 9.5), and close. may_go_on: is
-- called where a byte of a response is there; returns false to send no more.
function writer.send(connection, limits, head, source, may_go_on)
  local piece, problem, pieces = head, nil, 0
  while piece do
    local is_refused = pieces > 1 and connection:has_response() and not may_go_on()
    if is_refused or not send_piece(connection, limits, piece, may_go_on) then
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
