-- What endpoint.clients reads of a result, whichever client is to send it: the
-- method in upper case, the parts of the URL, the headers as lists of texts, the
-- body as text. Nothing of any client is known here.
local message = {}

local endpoint = require "endpoint"

-- The sources whose lines are no caller's.
message.sources = { [debug.getinfo(1, "S").source] = true }

local EXPECTS_BODY = { POST = true, PUT = true, PATCH = true }
local REFUSES_BODY = { GET = true, HEAD = true, TRACE = true }

-- Raises the text at the line that called endpoint.clients. Lua 5.1 has a level
-- of its own for a tail call, which has no line.
function message.fail(text, ...)
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info or not (message.sources[info.source] or info.what == "tail") then break end
    level = level + 1
  end
  error("endpoint.clients: " .. text:format(...), level)
end
local fail = message.fail

function message.check_type(what, value, expected)
  if type(value) ~= expected then fail("%s: expected a %s, got a %s", what, expected, type(value)) end
end

-- more: the options that one function takes beside `encode`, each with its check.
function message.check_options(options, more)
  if options == nil then return {} end
  message.check_type("options", options, "table")
  for name, value in pairs(options) do
    if name == "encode" then
      message.check_type("options.encode", value, "function")
    elseif more[name] then
      more[name]("options." .. name, value)
    else
      fail("options: no option is called %q", tostring(name))
    end
  end
  return options
end

-- --- the method and the URL ----------------------------------------------------

-- ASCII alone, whatever the locale says.
local function upper(text)
  return (text:gsub("[a-z]", function(letter) return string.char(letter:byte() - 32) end))
end

local function lower(text)
  return (text:gsub("[A-Z]", function(letter) return string.char(letter:byte() + 32) end))
end

-- RFC 9110, section 5.6.2: token = 1*tchar.
local function is_token(text)
  return type(text) == "string" and text:find("^[A-Za-z0-9!#$%%&'*+.^_`|~-]+$") ~= nil
end

local function method_of(r)
  message.check_type("method", r.method, "string")
  if not is_token(r.method) then fail("method: expected a token such as GET") end
  local method = upper(r.method)
  if method == "CONNECT" then fail("method CONNECT: it opens a tunnel, which is the client's own work") end
  return method
end

function message.check_url(r)
  message.check_type("url", r.url, "string")
  if r.url:find("[^\33-\126]") then fail("url: expected only the bytes 0x21 to 0x7E") end
  return r.url
end

local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- RFC 4648, section 4.
local function base64(text)
  return (text:gsub("..?.?", function(bytes)
    local first, second, third = bytes:byte(1, 3)
    local bits, digits = first * 65536 + (second or 0) * 256 + (third or 0), {}
    for i = 4, 1, -1 do
      local digit = bits % 64
      digits[i] = i <= #bytes + 1 and BASE64:sub(digit + 1, digit + 1) or "="
      bits = (bits - digit) / 64
    end
    return table.concat(digits)
  end))
end

-- RFC 7617, section 2: the user-id, a colon, the password. "A user-id
-- containing a colon character is invalid", for the password would begin there.
local function basic_credentials(userinfo)
  local user, password = userinfo:match("^([^:]*):?(.*)$")
  if user:find("%%3[Aa]") then fail("url: expected a user name without a colon") end
  local text = (user .. ":" .. password):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  return "Basic " .. base64(text)
end

-- RFC 3986, section 3.2.2: an address in brackets, or unreserved characters,
-- triplets and sub-delims. What else were here, clients would not read alike,
-- and some take the path's first segment for the host if that is empty.
local function split_port(host)
  local address, port = host:match("^(%[[0-9A-Fa-f:.]+%]):?([0-9]*)$")
  if not address then address, port = host:match("^([A-Za-z0-9._~%%!$&'()*+,;=-]+):?([0-9]*)$") end
  if not address or (tonumber(port) or 0) > 65535 then
    fail("url: expected a host, and perhaps a port, behind ://")
  end
  return address, tonumber(port)
end

-- Reads an absolute URL into the message.
local function read_url(m, r)
  local scheme, authority, path, query = message.check_url(r):match("^([A-Za-z]+)://([^/?#]*)([^?#]*)([^#]*)")
  if not scheme or not (lower(scheme) == "http" or lower(scheme) == "https") then
    fail("url: expected http:// or https:// and a host; only clients.ngx takes a path")
  end
  local userinfo, host = authority:match("^(.*)@(.*)$")
  m.scheme, m.path, m.query = lower(scheme), path ~= "" and path or "/", query
  m.address, m.port = split_port(host or authority)
  m.host = m.address .. (m.port and ":" .. ("%d"):format(m.port) or "")
  m.origin = m.scheme .. "://" .. m.host
  m.url = m.origin .. m.path .. query
  if userinfo and userinfo ~= "" and not m.headers.authorization then
    m.headers.authorization = { basic_credentials(userinfo) }
  end
end

-- --- the headers ----------------------------------------------------------------

-- A finite number as URLs write it: alike on every Lua, under every locale.
function message.number_text(number)
  return endpoint.parse({ url = "{+number}", baseUrl = "", number = number }).url
end

local function header_number(name, number)
  if number ~= number or number == math.huge or number == -math.huge then
    fail("header %q: expected a finite number", name)
  end
  return message.number_text(number)
end

local function header_text(name, value)
  local kind = type(value)
  if kind == "number" then return header_number(name, value) end
  if kind == "boolean" then return tostring(value) end
  if kind ~= "string" then
    fail("header %q: expected a string, number, boolean or list of strings, got a %s", name, kind)
  end
  if value:find("[\r\n]") or value:find("\0", 1, true) then
    fail("header %q: expected a value without CR, LF and NUL", name)
  end
  return value
end

-- Without metamethods: an element is a hole where t[i] is nil.
local function list_size(name, list)
  local size = 0
  for _ in next, list do size = size + 1 end
  for i = 1, size do
    if rawget(list, i) == nil then
      fail("header %q: expected a string or a list of strings with the keys 1..n, got another table", name)
    end
  end
  return size
end

local function header_values(name, value)
  if type(value) ~= "table" then return { header_text(name, value) } end
  local texts = {}
  for i = 1, list_size(name, value) do texts[i] = header_text(name, rawget(value, i)) end
  return texts
end

-- Lower-case name -> list of texts. What says how long the body is goes.
local function read_headers(headers)
  local read = {}
  if headers == nil then return read end
  message.check_type("headers", headers, "table")
  for name, value in pairs(headers) do
    if not is_token(name) then fail("headers: expected tokens as names") end
    local key = lower(name)
    if read[key] then fail("header %q: given twice, in different case", key) end
    local values = header_values(key, value)
    if #values > 0 then read[key] = values end -- of an empty list there is no field
  end
  read["content-length"], read["transfer-encoding"] = nil, nil
  return read
end

-- The names, sorted: equal results give equal requests.
local function header_names(headers)
  local names = {}
  for name in pairs(headers) do names[#names + 1] = name end
  table.sort(names)
  return names
end

function message.joined(name, values)
  return table.concat(values, name == "cookie" and "; " or ", ")
end

-- Name -> one string.
function message.headers_joined(headers)
  local result = {}
  for name, values in pairs(headers) do
    result[name] = message.joined(name, values)
  end
  return result
end

-- Calls field(name, value) for each field that is sent.
function message.each_field(headers, field)
  for _, name in ipairs(header_names(headers)) do
    local values = headers[name]
    -- RFC 6265, section 5.4: no more than one Cookie header field.
    if name == "cookie" and #values > 1 then values = { message.joined(name, values) } end
    for i = 1, #values do field(name, values[i]) end
  end
end

-- --- the body -------------------------------------------------------------------

-- A whole number of more digits is one that lua-cjson rounds unless told otherwise.
local MANY_DIGITS = 1e14

-- Where lua-cjson was told of fewer digits than usual, all numbers are looked at.
local function rounded_from(cjson)
  return cjson.encode(MANY_DIGITS - 1) == "99999999999999" and MANY_DIGITS or 0
end

local function is_finite(number)
  return number == number and number ~= math.huge and number ~= -math.huge
end

-- Does lua-cjson write a number as what it is? A whole number, which may be an
-- id, may neither lose digits nor become 1e+15, which not all readers take for
-- a whole number, and never for the key of a map. A fraction may be rounded, but
-- not to a whole number. What is not finite is lua-cjson's own affair.
local function is_kept(cjson, number, limit)
  if number % 1 ~= 0 then limit = MANY_DIGITS end
  if (number > -limit and number < limit) or not is_finite(number) then return true end
  local text = cjson.encode(number)
  return not text:find("[eE]") and tonumber(text) == number
end

-- Of a number that is not kept, the last key above it that is a string, or
-- `key`; nil if all are kept.
local function lost_below(cjson, value, key, limit)
  if type(value) == "number" and not is_kept(cjson, value, limit) then return key end
  if type(value) ~= "table" then return nil end
  for name, element in next, value do
    local lost = lost_below(cjson, name, key, limit)
      or lost_below(cjson, element, type(name) == "string" and name or key, limit)
    if lost then return lost end
  end
end

local function load_cjson(body, headers)
  local kind = headers["content-type"] and headers["content-type"][1]
  if kind and not lower(kind):find("json", 1, true) then
    fail("body: expected a string or options.encode, since content-type is not JSON")
  end
  local found, cjson = pcall(require, "cjson")
  if not found then fail("body: expected lua-cjson or options.encode to encode a %s", type(body)) end
  return cjson
end

-- The encoder is called by pcall itself: its error has no position of this file.
local function encoded(encode, body)
  local made, text = pcall(encode, body)
  if not made then fail("body: it could not be encoded: %s", tostring(text)) end
  if type(text) ~= "string" then fail("body: expected a string from options.encode, got a %s", type(text)) end
  return text
end

-- Encoding comes first: it refuses what has no end.
local function json_text(body, headers)
  local cjson = load_cjson(body, headers)
  local text = encoded(cjson.encode, body)
  local lost = lost_below(cjson, body, "", rounded_from(cjson))
  if not lost then return text end
  local key = lost ~= "" and (' "%s"'):format(lost:gsub("[^\32-\126]", "?"):sub(1, 40)) or ""
  fail("body: lua-cjson would lose digits of the number%s: expected a string, or options.encode", key)
end

local function body_text(body, headers, encode)
  if body == nil or type(body) == "string" then return body end
  if encode then return encoded(encode, body) end
  return json_text(body, headers)
end

-- --- the message that all clients are given --------------------------------------

-- What merge returns has a method, headers and a template: a request, but another.
local function check_parsed(r)
  local template = type(r.url) == "string" and r.url:find("[{}]")
  if r.baseUrl ~= nil or r.mediaType ~= nil or template then
    fail("expected a result of endpoint or parse, got merged options")
  end
end

-- Checks and reads a result; `body` is nil where none is to be sent, not even
-- an empty one.
function message.read(r, options)
  if type(r) ~= "table" then fail("expected request options, as endpoint returns them, got a %s", type(r)) end
  check_parsed(r)
  local m = { method = method_of(r), headers = read_headers(r.headers) }
  m.body = body_text(r.body, m.headers, options.encode)
  if m.body and REFUSES_BODY[m.method] then fail("body: %s takes none", m.method) end
  if EXPECTS_BODY[m.method] then m.body = m.body or "" end
  return m
end

-- The same, with the parts of an absolute URL.
function message.read_absolute(r, options)
  local m = message.read(r, options)
  read_url(m, r)
  return m
end

return message
