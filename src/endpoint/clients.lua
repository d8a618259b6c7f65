-- SPDX-License-Identifier: MIT
-- From a result of `endpoint` to the arguments of an HTTP client. What each function takes,
-- returns and raises is said in src/addon/library/endpoint/clients.lua. The comments here say why
-- a client needs what it gets.
local clients = {}

local endpoint = require "endpoint"

-- A reload of nginx reads these files anew and may keep the shared object that is loaded, which
-- may lack what the files below need. What they need of it changes with the second number of a
-- version or the first, never with the last alone: then the reload is all right.
local VERSION = "1.0.0"

local function without_patch(version)
  return tostring(version):match ".*%."
end

if without_patch(endpoint._VERSION) ~= without_patch(VERSION) then
  error(
    (
      "endpoint.clients: version %s, but the endpoint that is loaded is version %s: restart the "
      .. "program (a reload of nginx is not a restart)"
    ):format(VERSION, tostring(endpoint._VERSION)),
    0
  )
end

local lazy = require "endpoint.lazy"
local misuse = require "endpoint.clients.misuse"
local option_checks = require "endpoint.clients.options"
local protected = require "endpoint.protected"
local read = require "endpoint.clients.message".read
local text = require "endpoint.text"
local NULL = endpoint.null
local check_type, fail, options_of_client = misuse.check_type, misuse.fail, option_checks.of_client

-- The files that are loaded when a function first needs them.
local PLACES = {
  capture = "nginx.capture",
  command = "curl.command",
  configuration = "curl.configuration",
  encoding = "body.encoding",
  file = "body.file",
  form = "body.form",
  handle = "curl.handle",
  links = "links",
  multipart = "body.multipart",
  nginx_options = "nginx.settings",
  path = "curl.path",
  proxy = "nginx.proxy",
  references = "references",
  secrets = "secrets",
  stream = "body.stream",
}

local files = lazy.files("endpoint.clients.", PLACES)

-- The options of the clients that have no other options.
local OPTIONS = options_of_client {}

-- A number of bytes.
local function digits(count)
  return ("%.0f"):format(count)
end

local PLAIN_OPTIONS = options_of_client { canonical = option_checks.check_boolean }

local function capitalise(m)
  local headers = {}
  for _, field in ipairs(m.fields) do
    local name = text.capitalised(field[1])
    field[1], headers[name] = name, m.headers[field[1]]
  end
  m.headers = headers
end

function clients.plain(r, options)
  local m = read(r, options, PLAIN_OPTIONS, "fields", "clients.plain")
  if options and options.canonical then
    capitalise(m)
  end
  return m
end

-- --- lua-resty-http -------------------------------------------------------------

-- The path is a parameter, since lua-resty-http takes all text up to the last "]" of a URL
-- for the host if the URL's host begins with "[". Versions before 0.16 lose such a path
-- if they send it through an HTTP proxy. The method is in upper case, since `request_uri` waits for
-- the body of a `head` response for ever. lua-resty-http counts the length of a string itself, but
-- expects a stream that is written in chunks already.
function clients.resty_http(r, options)
  local m = read(r, options, OPTIONS, "lists")
  local headers, body = m.headers, m.body
  if m.length then
    headers["content-length"] = digits(m.length)
  elseif type(body) == "function" then
    headers["transfer-encoding"], body = "chunked", files.stream.chunked(body)
  end
  local params = { method = m.method, path = m.path, headers = headers, body = body }
  params.query = m.query and "?" .. m.query
  return m.url:match("^%a+://[^/]+"), params
end

-- --- LuaSocket ------------------------------------------------------------------

local SOCKET_OPTIONS = options_of_client { sink = option_checks.check_function }

-- LuaSocket ignores a `body` field, so the body is a source; without content-length it
-- would be sent in chunks. An empty body has a source, too: lapis, which takes this table
-- inside nginx, sends the body of the request around it if there is no source. LuaSocket
-- makes a GET of a HEAD that is redirected.
function clients.luasocket(r, options)
  local m = read(r, options, SOCKET_OPTIONS)
  local headers, is_stream = m.headers, type(m.body) == "function"
  -- RFC 9110, section 7.2: the host keeps its brackets, which LuaSocket drops.
  headers.host = headers.host or m.url:match("^%a-://(%[.-)/")
  local length = m.length or type(m.body) == "string" and #m.body
  headers["content-length"] = length and digits(length) or nil
  return {
    url = m.url,
    method = m.method,
    headers = headers,
    source = is_stream and m.body or m.body and files.stream.of_text(m.body),
    step = m.body and files.stream[is_stream and "step" or "text_step"],
    sink = options and options.sink,
    redirect = false,
  }
end

-- --- lua-http -------------------------------------------------------------------

local function load_request()
  local found, request = protected.call(require, "http.request")
  if found then
    return request
  end
  fail("expected the module http.request: %s", tostring(request):match("[^\n]*"))
end

-- lua-http would keep the cookies of all responses in one store and send them with every
-- later request to their host, whoever makes it; and it takes a nil from a source for the
-- end, whatever follows the nil.
function clients.lua_http(r, options)
  local m = read(r, options, OPTIONS, "fields")
  local request = load_request().new_from_uri {
    scheme = m.scheme,
    host = m.host,
    port = m.port,
    path = m.path,
    query = m.query,
  }
  request.follow_redirects, request.cookie_store = false, false
  request.headers:upsert(":method", m.method)
  if m.body then
    request:set_body(type(m.body) == "function" and files.stream.raising(m.body) or m.body)
  end
  if m.length then
    request.headers:upsert("content-length", digits(m.length))
  end
  request.headers:delete "user-agent"
  request.headers:delete "expect" -- set_body adds one for a body of more than 1,024 bytes
  for _, field in ipairs(m.fields) do
    if field[1] == "host" then
      request.headers:upsert(":authority", field[2])
    else
      request.headers:append(field[1], field[2])
    end
  end
  return request
end

-- --- libcurl and curl -----------------------------------------------------------

local CURL_OPTIONS = options_of_client {
  easy = function(what, easy)
    files.handle.check(what, easy)
  end,
}

function clients.curl(r, options)
  local m = read(r, options, CURL_OPTIONS, "fields")
  m = files.handle.without_empty_stream(m)
  if not (options and options.easy) then
    return files.handle.settings(m)
  end
  return (files.handle.set(options.easy, m))
end

-- The words are the same for each request: a list of processes shows them.
function clients.argv(r, options)
  local m = read(r, options, OPTIONS, "fields", "clients.argv")
  return { "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }, files.configuration.text(m)
end

local function is_list_of_strings(list)
  if type(list) ~= "table" or not text.list_size(list) then
    return false
  end
  for _, value in next, list do
    if type(value) ~= "string" then
      return false
    end
  end
  return true
end

local CURL_COMMAND_OPTIONS = options_of_client {
  secrets = function(what, names)
    if type(names) ~= "boolean" and not is_list_of_strings(names) then
      fail("%s: expected a boolean or a list of names", what)
    end
  end,
}

-- Masks all secrets but those of the names in a list.
local function hide_secrets(m, names)
  local secrets = files.secrets
  local shown = secrets.set_of_names(names)
  m.url = m.url:gsub("(.-//.-)(/.*)", function(origin, rest)
    return origin .. secrets.masked_url(rest, shown)
  end)
  m.fields = secrets.masked_fields(m.fields, shown)
end

function clients.curl_command(r, options)
  local m = read(r, options, CURL_COMMAND_OPTIONS, "fields", "clients.curl_command")
  local shown = options and options.secrets or {}
  if shown ~= true then
    hide_secrets(m, shown)
  end
  return (files.command.text(m))
end

-- --- lua-https ------------------------------------------------------------------

-- The names are lua-https' own. Its backend for libcurl, which it prefers, sends the first
-- 64 KiB of a longer body again and again.
local LUA_HTTPS_BACKENDS =
  { curl = true, openssl = true, wininet = true, schannel = true, nsurl = true, android = true }
local CURL_LONGEST = 65536

local LUA_HTTPS_OPTIONS = options_of_client {
  backend = function(what, backend)
    if not LUA_HTTPS_BACKENDS[backend] then
      fail("%s: expected curl, openssl, wininet, schannel, nsurl or android", what)
    end
  end,
}

local LUA_HTTPS_METHODS =
  { GET = true, HEAD = true, POST = true, PUT = true, DELETE = true, PATCH = true }

local function check_lua_https(m, backend)
  if not LUA_HTTPS_METHODS[m.method] then
    fail("method %s: lua-https takes GET, HEAD, POST, PUT, PATCH and DELETE", m.method)
  end
  files.path.refuse_dot_segments(m, "lua-https")
  if backend == "curl" and m.body and #m.body > CURL_LONGEST then
    fail(
      "body: lua-https over libcurl corrupts more than 65536 bytes: expected fewer, or another "
        .. "options.backend"
    )
  end
end

-- lua-https cannot send an empty body, counts the length of any other, and calls a body
-- without a content type a form. RFC 9110, section 8.3, lets a recipient assume
-- application/octet-stream where the type is missing.
function clients.lua_https(r, options)
  local m = read(r, options, LUA_HTTPS_OPTIONS, nil, "clients.lua_https")
  check_lua_https(m, options and options.backend or "curl")
  local headers = m.headers
  if m.body == "" then
    headers["content-length"] = "0"
  elseif m.body and not headers["content-type"] then
    headers["content-type"] = "application/octet-stream"
  end
  local data = m.body ~= "" and m.body or nil
  return m.url, { method = m.method, headers = headers, data = data }
end

-- --- nginx ----------------------------------------------------------------------

function clients.ngx(r, options)
  local m = read(r, options, files.nginx_options.CAPTURE, "path", "clients.ngx")
  if m.url then
    fail("url: expected a path of this server, which a bare path as baseUrl makes")
  end
  local method, body, vars = files.capture.arguments(m, options or {})
  return m.path,
    { method = method, args = m.query ~= "" and m.query or nil, body = body, vars = vars }
end

function clients.ngx_proxy(r, options)
  local m = read(r, options, files.nginx_options.PROXY, nil, "clients.ngx_proxy")
  return (files.proxy.start(m, r, options or {}))
end

-- --- forms, multipart bodies and links ------------------------------------------

local FORM_OPTIONS = { nested = option_checks.check_nested }

function clients.form(t, options)
  options = option_checks.checked(options, FORM_OPTIONS)
  check_type("form", t, "table")
  return (files.form.encode("form", t, options.nested))
end

local MULTIPART_OPTIONS = {
  boundary = function(what, boundary)
    files.multipart.check_boundary_option(what, boundary)
  end,
}

function clients.multipart(parts, options)
  local body, content_type, length =
    files.multipart.body(parts, option_checks.checked(options, MULTIPART_OPTIONS).boundary)
  return body, content_type, length
end

function clients.file(path)
  check_type("file", path, "string")
  local source, length = files.file.source(path)
  return source, length
end

function clients.links(value, base)
  if base ~= nil then
    check_type("base", base, "string")
  end
  if base and not base:find("^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]") then
    fail("base: expected the whole URL of the request, with its scheme and host")
  end
  return (files.links.of(value, base))
end

function clients.literal(url)
  check_type("url", url, "string")
  if files.references.has_bare_scheme(url) then
    fail("url: expected // after a scheme, or a relative reference without one")
  end
  return (files.references.literal(url))
end

-- --- what strangers wrote -------------------------------------------------------

local SHOWN_OPTIONS = { lines = option_checks.check_boolean }

function clients.shown(value, options)
  options = option_checks.checked(options, SHOWN_OPTIONS)
  if type(value) ~= "string" then
    value = value == NULL and "null" or tostring(value)
  end
  return options.lines and text.shown_lines(value) or text.shown(value, nil, "escaped")
end

-- --- errors ---------------------------------------------------------------------

local function byte_of(hex)
  return string.char(tonumber(hex, 16))
end

-- Of a longer name endpoint shows so many bytes at least, and then "...".
local SHOWN = 34

-- Before it there is a position or nothing: an encoder's own error may quote such a message.
function clients.blamed(problem)
  if type(problem) ~= "string" then
    return nil
  end
  local before, quoted = problem:match('^(.-)endpoint: parameter "([^"]*)"')
  if
    not quoted
    or before:find("endpoint[.clients]*: ")
    or not (before == "" or before:find(":%d+: $"))
  then
    return nil
  end
  if #quoted >= SHOWN + 3 and quoted:sub(-3) == "..." then
    return nil
  end
  return (quoted:gsub("\\x(%x%x)", byte_of))
end

misuse.publish(clients)

return clients
