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

-- What is sent for a try: a result that was read and checked. form: that of src/result.c, "head" or
-- "relayed". fields: the client's own, by their names, which replace the request's.
function writer.message(try, form, fields)
  local settings = try.settings
  local options = (settings.encode or settings.nested)
      and { encode = settings.encode, nested = settings.nested }
    or nil
  return message.read(try.request, options, OPTIONS, form, nil, fields)
end

-- The longest body that is sent with its head, at once and in one record of TLS.
local SHORT = 16384

-- The first piece of a request, which has its head, and the source of what follows it, or nil. m:
-- what `message` returns.
function writer.request(m)
  local head, body = m.head, m.body
  if not body then
    return head .. "\r\n", nil
  elseif type(body) == "string" then
    local length = "content-length: " .. #body .. "\r\n\r\n"
    if #body <= SHORT then
      return head .. length .. body, nil
    end
    return head .. length, stream.of_text(body)
  elseif not m.length then
    return head .. "transfer-encoding: chunked\r\n\r\n", stream.chunked(body)
  end
  return head .. ("content-length: %.0f\r\n\r\n"):format(m.length), body
end

-- Sends a piece; returns false if no more shall be sent.
local function send_piece(connection, piece, reader)
  local at = 1
  while at <= #piece do
    local last = math.min(at + PIECE - 1, #piece)
    local is_whole = at == 1 and last == #piece -- then nothing is copied
    local is_sent, problem, unsent = connection:send(is_whole and piece or piece:sub(at, last), 1)
    if problem == "answered" and reader and reader:early_head() then
      last = at + unsent - 2
    elseif not is_sent then
      return false
    end
    at = last + 1
  end
  return true
end

-- Sends a first piece and those of a source, if there is one. Was all of it sent? If not, the
-- reader finds out why: a server that refuses a long body may answer before it has all of it (RFC
-- 9112, section 9.5), and close. reader: of the response, where one may come before that; nil if
-- not.
function writer.send(connection, first, source, reader)
  local piece, problem, pieces = first, nil, 0
  while piece do
    local is_refused = pieces > 1 and connection:has_response() and not reader:early_head()
    if is_refused or not send_piece(connection, piece, reader) then
      return false
    end
    piece, pieces = nil, pieces + 1
    if source then
      piece, problem = source()
    end
  end
  if problem then
    stop("stream", problem, true)
  end
  return true
end

return writer
