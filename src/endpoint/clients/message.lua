-- Reads a result for any client: its method, URL, headers and body, checked.
local message = {}

local body = require "endpoint.clients.body"
local errors = require "endpoint.clients.errors"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.clients.text"
local fail, check_type = errors.fail, errors.check_type

-- RFC 9110, section 8.6, and RFC 10008: without a body these send one of no bytes.
local EXPECTS_BODY = { POST = true, PUT = true, PATCH = true, QUERY = true }
local REFUSES_BODY = { GET = true, HEAD = true, TRACE = true }

-- --- the method and the URL ----------------------------------------------------

-- RFC 9110, section 5.6.2: token = 1*tchar.
local function is_token(value)
  return type(value) == "string" and value:find("^[A-Za-z0-9!#$%%&'*+.^_`|~-]+$") ~= nil
end

local function method_of(r)
  check_type("method", r.method, "string")
  if not is_token(r.method) then fail("method: expected a token such as GET") end
  local method = text.upper(r.method)
  if method == "CONNECT" then fail("method CONNECT: expected another method; a tunnel is opened by the client itself") end
  return method
end

local function check_url(r)
  check_type("url", r.url, "string")
  if r.url:find("[^\33-\126]") then fail("url: expected only the bytes 0x21 to 0x7E") end
  return r.url
end

-- RFC 7617, section 2: the user-id, a colon, the password. A user-id with a colon is
-- invalid, since the password would begin at that colon.
local function basic_credentials(userinfo)
  local user, password = userinfo:match("^([^:]*):?(.*)$")
  if user:find("%%3[Aa]") then fail("url: expected a user name without a colon") end
  return "Basic " .. text.base64(text.decoded(user .. ":" .. password))
end

-- Splits an authority without userinfo. RFC 3986, section 3.2.2: the host is an address in
-- brackets, or unreserved characters, triplets and sub-delims. Clients read any other
-- character differently, and some take the path's first segment for an empty host.
local function split_port(authority)
  local colon = authority:find(":[0-9]*$")
  local address = colon and authority:sub(1, colon - 1) or authority
  local port = colon and tonumber(authority:sub(colon + 1))
  local sound = address:find("^%[[0-9A-Fa-f:.]+%]$") or address:find("^[A-Za-z0-9._~%%!$&'()*+,;=-]+$")
  if not sound or (port or 0) > 65535 then
    fail("url: expected a host, and perhaps a port, behind ://")
  end
  return address, port
end

-- RFC 3986, section 5.3: an empty query differs from a missing one. query: with its "?".
local function set_path(m, path, query)
  m.path = path ~= "" and path or "/"
  if query ~= "" then m.query = query:sub(2) end
end

local PORTS = { http = 80, https = 443 }

-- Reads an absolute URL. Its userinfo becomes a header if there is none, as in most clients
-- that are no browsers.
local function read_url(m, r, values)
  local scheme, authority, path, query = check_url(r):match("^([A-Za-z]+)://([^/?#]*)([^?#]*)([^#]*)")
  m.scheme = scheme and text.lower(scheme)
  if not PORTS[m.scheme] then
    fail("url: expected http:// or https:// and a host; only clients.ngx takes a path")
  end
  local userinfo, host = authority:match("^(.*)@(.*)$")
  local address, port = split_port(host or authority)
  m.host, m.port = address:gsub("[%[%]]", ""), port or PORTS[m.scheme]
  set_path(m, path, query)
  m.url = m.scheme .. "://" .. address .. (port and (":%d"):format(port) or "") .. m.path .. query
  if userinfo and userinfo ~= "" and not values.authorization then
    values.authorization = { basic_credentials(userinfo) }
  end
end

-- Reads a path of this server.
local function read_path(m, r)
  local path, query = check_url(r):match("^(/[^?#]*)([^#]*)")
  if not path or path:sub(1, 2) == "//" then
    fail("url: expected a path of this server, which a bare path as baseUrl makes")
  end
  set_path(m, path, query)
end

-- --- the headers ----------------------------------------------------------------

local function header_text(name, value)
  local kind = type(value)
  if kind == "number" then
    return text.is_finite(value) and text.of_number(value) or fail("header %q: expected a finite number", name)
  end
  if kind == "boolean" then return tostring(value) end
  if kind ~= "string" then
    fail("header %q: expected a string, number, boolean or list of strings, got a %s", name, kind)
  end
  if value:find("[\r\n]") or value:find("\0", 1, true) then
    fail("header %q: expected a value without CR, LF and NUL", name)
  end
  return value
end

local function header_values(name, value)
  if type(value) ~= "table" then return { header_text(name, value) } end
  local texts, size = {}, text.list_size(value)
  if not size then
    fail("header %q: expected a string or a list of strings with the keys 1..n, got another table", name)
  end
  for i = 1, size do texts[i] = header_text(name, rawget(value, i)) end
  return texts
end

-- Lower-case name -> list of texts.
local function read_headers(headers)
  local values = {}
  if headers == nil then return values end
  check_type("headers", headers, "table")
  for name, value in pairs(headers) do
    if not is_token(name) then fail("headers: expected tokens as names") end
    local key = text.lower(name)
    if values[key] then fail("header %q: given twice, in different case", key) end
    local texts = header_values(key, value)
    if #texts > 0 then values[key] = texts end -- an empty list makes no field
  end
  -- RFC 6265, section 5.4: a request has at most one Cookie field.
  if values.cookie then values.cookie = { table.concat(values.cookie, "; ") } end
  return values
end

-- Sets headers and fields, sorted by name, so that equal results give equal requests.
local function set_fields(m, values, canonical)
  local texts = {}
  for key, list in pairs(values) do texts[canonical and text.capitalised(key) or key] = list end
  m.headers, m.fields = {}, {}
  for _, name in ipairs(text.sorted_keys(texts)) do
    m.headers[name] = table.concat(texts[name], ", ")
    for _, value in ipairs(texts[name]) do m.fields[#m.fields + 1] = { name, value } end
  end
end

-- --- the request --------------------------------------------------------------

local RESULT_KEYS = { method = true, url = true, headers = true, body = true, request = true }

-- Merged options have a method, a url and headers too, but sending them would lose their
-- parameters and leave the template as it is.
local function check_parsed(r)
  if type(r) ~= "table" then fail("expected request options, as endpoint returns them, got a %s", type(r)) end
  for key in next, r do
    if not RESULT_KEYS[key] then
      fail("expected a result of endpoint or parse, with the keys method, url, headers, body and request alone, %s %s",
        "got merged options or another table with the key", errors.shown(tostring(key)))
    end
  end
  if type(r.url) == "string" and r.url:find("[{}]") then
    fail("expected a result of endpoint or parse, got merged options")
  end
end

-- Every Lua represents and writes integers of so many digits exactly.
local LENGTH_DIGITS = 15

-- The length of a stream in bytes, which only the caller knows; nil if it is not given.
local function stream_length(values)
  local lengths = values["content-length"]
  if not lengths then return nil end
  if #lengths > 1 or not lengths[1]:find("^[0-9]+$") or #lengths[1] > LENGTH_DIGITS then
    fail('header "content-length": expected the number of bytes that the function gives')
  end
  return tonumber(lengths[1])
end

local function read_stream(m, source, values)
  m.length = stream_length(values)
  m.body = stream.checked(source, m.length)
end

local function read_body(m, r, values, options)
  if r.body ~= nil and REFUSES_BODY[m.method] then fail("body: %s takes none", m.method) end
  if type(r.body) == "function" then return read_stream(m, r.body, values) end
  local content_type = values["content-type"]
  m.body = body.text(r.body, content_type and content_type[1], options) or EXPECTS_BODY[m.method] and "" or nil
end

-- read_place: read_url or read_path. `content-length` and `transfer-encoding` are dropped,
-- since the client writes them.
local function read(r, options, read_place)
  check_parsed(r)
  local m, values = { method = method_of(r) }, read_headers(r.headers)
  read_body(m, r, values, options)
  values["content-length"], values["transfer-encoding"] = nil, nil
  read_place(m, r, values)
  set_fields(m, values, options.canonical)
  return m
end

local function refuse_stream(m, caller)
  if type(m.body) == "function" then
    fail("body: %s sends no function (a stream): expected its pieces in a string", caller)
  end
  return m
end

-- The fields that clients.plain returns. `body` is nil where none is to be sent, and a
-- source if it is a stream; `length` is then its number of bytes, nil if that is unknown.
function message.read(r, options)
  return read(r, options, read_url)
end

-- The same for a client that sends no streams. caller: the name of the public function.
function message.read_text(r, options, caller)
  return refuse_stream(read(r, options, read_url), caller)
end

-- The same of a path of this server: without url, scheme, host and port.
function message.read_path(r, options, caller)
  return refuse_stream(read(r, options, read_path), caller)
end

return message
