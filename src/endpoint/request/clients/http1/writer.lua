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
  local options = { encode = settings.encode, nested = settings.nested }
  local m = message.read(try.r, options, OPTIONS, "fields")
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
-- what stands after the method. fields: the client's own, which take the place of the request's.
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

-- Sends a piece; returns false if the connection takes no more.
local function send_piece(connection, limits, piece)
  for at = 1, #piece, PIECE do
    local is_sent = connection:send(piece:sub(at, at + PIECE - 1))
    if limits:seconds() <= 0 then
      stop "timeout"
    end
    if not is_sent then
      return false
    end
  end
  return true
end

-- Sends a head and the body of a source, if there is one. Was all of it sent? A server that refuses
-- a long body may answer and close before.
function writer.send(connection, limits, head, source)
  local piece, problem = head, nil
  while piece do
    if not send_piece(connection, limits, piece) then
      return false
    end
    piece = nil
    if source then
      piece, problem = source()
    end
  end
  if problem then
    stop(problem, nil, true)
  end
  return true
end

return writer
