-- Reads a result for any client: its method, URL, headers and body, checked.
local message = {}

local body = require "endpoint.clients.body"
local errors = require "endpoint.clients.errors"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.clients.text"
local fail = errors.fail

-- RFC 9110, section 8.6, and RFC 10008: without a body these send one of no bytes.
local EXPECTS_BODY = { POST = true, PUT = true, PATCH = true, QUERY = true }
local REFUSES_BODY = { GET = true, HEAD = true, TRACE = true }

-- RFC 7617, section 2: the user-id, a colon, the password. A user-id with a colon is
-- invalid, since the password would begin at that colon.
local function basic_credentials(userinfo)
  local user, password = userinfo:match("^([^:]*):?(.*)$")
  if user:find("%%3[Aa]") then fail("url: expected a user name without a colon") end
  return "Basic " .. text.base64(text.decoded(user .. ":" .. password))
end

-- The result with the userinfo as a header, as most clients send it that are no browsers.
local function with_credentials(r, url, userinfo)
  local headers = { authorization = basic_credentials(userinfo) }
  for name, value in next, r.headers or {} do
    if text.lower(name) ~= "authorization" then headers[name] = value end
  end
  return { method = r.method, url = url, headers = headers, body = r.body }
end

local NONE = {}

-- Every Lua represents and writes integers of so many digits exactly.
local LENGTH_DIGITS = 15

-- The length of a stream in bytes, which only the caller knows.
local function check_length(length)
  if type(length) == "string" and length:find("^[0-9]+$") and #length <= LENGTH_DIGITS then return tonumber(length) end
  fail('header "content-length": expected the number of bytes that the function gives')
end

local function read_body(m, value, content_type, length, options)
  if REFUSES_BODY[m.method] then fail("body: %s takes none", m.method) end
  if type(value) ~= "function" then
    m.body = body.text(value, content_type, options)
  else
    m.length = length and check_length(length)
    m.body = stream.checked(value, m.length)
  end
end

-- The fields that clients.plain returns. `body` is nil where none is to be sent, and a source
-- if it is a stream; `length` is then its number of bytes, nil if that is unknown. reader: one of
-- endpoint.result, which says what `headers` are, whether there are `fields`, and whether there
-- are url, scheme, host and port. known: the options of the public function. caller: its name, if
-- it sends no streams.
function message.read(reader, r, options, known, caller)
  if options ~= nil then errors.check_options(options, known) end
  local method, url, scheme, host, port, path, query, userinfo, headers, fields, value, content_type, length = reader(r)
  if userinfo and not (headers.authorization or headers.Authorization) then
    return message.read(reader, with_credentials(r, url, userinfo), options, known, caller)
  end
  local m = { method = method, url = url, scheme = scheme, host = host, port = port, path = path, query = query,
    headers = headers, fields = fields, body = EXPECTS_BODY[method] and "" or nil }
  if value ~= nil then read_body(m, value, content_type, length, options or NONE) end
  if caller and type(m.body) == "function" then
    fail("body: %s sends no function (a stream): expected its pieces in a string", caller)
  end
  return m
end

return message
