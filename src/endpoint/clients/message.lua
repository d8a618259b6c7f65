-- SPDX-License-Identifier: MIT
-- Reads a result for any client: its method, URL, headers and body, checked.
local message = {}

local misuse = require "endpoint.clients.misuse"
local option_checks = require "endpoint.clients.options"
local result = require "endpoint.result"
local text = require "endpoint.text"
local check_options, fail, pcall, read = option_checks.checked, misuse.fail, pcall, result.read

-- RFC 9110, section 8.6, and RFC 10008: without a body these send one of no bytes.
local EXPECTS_BODY = { POST = true, PUT = true, PATCH = true, QUERY = true }
local REFUSES_BODY = { GET = true, HEAD = true, TRACE = true }

-- RFC 7617, section 2: the user-id, a colon, the password. A user-id with a colon is
-- invalid, since the password would begin at that colon.
local function basic_credentials(userinfo)
  local user, password = userinfo:match("([^:]*):?(.*)$")
  if user:find("%%3[Aa]") then
    fail("url: expected a user name without a colon")
  end
  return "Basic " .. text.base64(text.decoded(user .. ":" .. password))
end

-- The result with the userinfo as a header, as most clients but browsers send it.
local function with_credentials(r, url, userinfo)
  local headers = { authorization = basic_credentials(userinfo) }
  for name, value in next, r.headers or {} do
    if text.lower(name) ~= "authorization" then
      headers[name] = value
    end
  end
  return { method = r.method, url = url, headers = headers, body = r.body }
end

local NONE = {}

-- Every Lua represents and writes integers of so many digits exactly.
local LENGTH_DIGITS = 15

-- The length of a stream in bytes, which only the caller knows.
local function check_length(length)
  if type(length) == "string" and length:find("^[0-9]+$") and #length <= LENGTH_DIGITS then
    return tonumber(length)
  end
  fail('header "content-length": expected the number of bytes that the function gives')
end

local encoding -- loaded when a body is encoded first

-- Makes the body of a message a string or a source.
local function read_body(m, options, caller)
  local value, kind = m.body, type(m.body)
  if REFUSES_BODY[m.method] then
    fail("body: %s has no body", m.method)
  end

  -- A string is encoded already.
  if kind == "string" then
    return
  end

  -- A table, number or boolean is encoded by its content type.
  if kind ~= "function" then
    encoding = encoding or require "endpoint.clients.body.encoding"
    m.body = encoding.encode(value, m.headers["content-type"], options)
    return
  end

  -- A function is a stream. It may have been read before, and it must give as many bytes as the
  -- header content-length promises.
  if caller then
    fail("body: %s sends no function (a stream): expected its pieces in a string", caller)
  end
  local stream = require "endpoint.clients.body.stream"
  m.length = m.length and check_length(m.length) or stream.length_of(value)
  stream.rewind(value)
  m.body = stream.checked(value, m.length)
end

-- The fields that clients.plain returns. `body` is nil if nothing is to be sent, and a source
-- if it is a stream; `length` is then its number of bytes, nil if that is unknown. known: the
-- options of the public function. form: "fields" where it needs `fields`, "lists" where `headers`
-- keep lists, "path" where the URL may be a path of this server, "head" and "relayed" for what
-- src/result.c says. caller: the name of the function if it sends no streams. own: the fields that
-- the client itself writes into a head.
function message.read(r, options, known, form, caller, own)
  if options ~= nil then
    check_options(options, known)
  end

  -- The result may have been changed since it was made. So the rules of the module that made it
  -- check it again: src/result.c.
  local done, m, userinfo = pcall(read, r, form, own)
  if not done then
    misuse.raise(m)
  end

  -- RFC 9110, section 4.2.4: a userinfo is not sent in the URL. The header replaces it, unless the
  -- program has one.
  if userinfo and not m.headers.authorization then
    return message.read(with_credentials(r, m.url, userinfo), options, known, form, caller, own)
  end

  if m.body ~= nil then
    read_body(m, options or NONE, caller)
  elseif EXPECTS_BODY[m.method] then
    m.body = ""
  end
  return m
end

return message
