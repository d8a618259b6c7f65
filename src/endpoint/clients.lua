--- From a result of `endpoint` to the arguments of an HTTP client.
--
-- Each function takes what `endpoint(...)` or `endpoint.parse(...)` returned
-- and gives what one client wants: the method in upper case, a copy of the
-- headers, the body as text. Nothing is sent, and `r` is never changed.
--
-- What all of them do:
--
-- - A string body stays as it is. Any other is encoded with `options.encode`; without
--   it, a table under `application/x-www-form-urlencoded` as `clients.form` does it, and
--   all else with lua-cjson, which is loaded only then, if the content-type is JSON or
--   missing. lua-cjson rounds numbers to 14 digits unless told otherwise: a whole number
--   that would lose some or get an exponent raises, and so does a fraction above 1e12 that
--   would become a whole number.
-- - A function as body is a stream (an ltn12 source): it returns the next piece as a
--   string, nil at the end, or nil and a message. lua-resty-http, LuaSocket, lua-http and
--   libcurl send it, with the `content-length` of the result if there is one, else in
--   chunks (RFC 9112, section 7.1). If the source fails, or gives more or fewer bytes
--   than that, the request stops where the server sees that it is not whole, and the
--   client returns the message or raises it. A stream can be sent once.
-- - A number in a header is written as in a URL.
-- - Otherwise `content-length` and `transfer-encoding` of the result are dropped, and the
--   length of the body that is really there is sent: by the client where it
--   counts, else from here. POST, PUT, PATCH and QUERY without a body send
--   `content-length: 0` (RFC 9110, section 8.6).
-- - A list of header values becomes several fields where the client can send
--   those, else one field joined by `, ` (RFC 9110, section 5.3), cookies by
--   `; ` (RFC 6265, section 4.2.1).
-- - The fragment of the URL is cut off and an empty path becomes `/`, for no
--   fragment belongs into a request (RFC 9110, section 7.1). The userinfo of
--   the URL becomes an `authorization` header of the Basic scheme (RFC 7617)
--   if there is none; some of these clients would take it for the host.
-- - Redirects are not followed where the client leaves the choice: most
--   clients would send `authorization` along to any host.
--
-- All raise a string with the position of the caller's line that starts
-- `endpoint.clients: ` and names what was wrong; values of headers, of the
-- body and of the URL are never quoted. They raise on merged options and on
-- anything else that is no result of `endpoint`, on a body under GET, HEAD or
-- TRACE, on the method CONNECT, on a URL that is not http or https with a host
-- (`clients.ngx`: not a path), on a header's name or value that cannot be sent,
-- on an unknown option or one of a wrong type, on a function as body where no stream
-- can be sent, and without `encode` on a body that is no string if its content-type
-- is neither JSON nor a form's, or lua-cjson cannot encode it whole.
--
-- @module endpoint.clients
local clients = {}

local errors = require "endpoint.clients.errors"
local form = require "endpoint.clients.form"
local libcurl = require "endpoint.clients.libcurl"
local links = require "endpoint.clients.links"
local message = require "endpoint.clients.message"
local secrets = require "endpoint.clients.secrets"
local shell = require "endpoint.clients.shell"
local stream = require "endpoint.clients.stream"
local text = require "endpoint.clients.text"
local fail, check_options = errors.fail, errors.check_options

local OPTIONS = { encode = errors.is_function }

-- The options that a function takes beside `encode`.
local function with_encode(options)
  options.encode = errors.is_function
  return options
end

-- A module of the client's.
local function load_module(name)
  local found, module = pcall(require, name)
  if found then return module end
  fail("expected the module %s: %s", name, tostring(module):match("^[^\n]*"))
end

-- --- the clients ----------------------------------------------------------------

local PLAIN_OPTIONS = with_encode { canonical = errors.is_boolean }

--- For a client of your own: the request in parts, as all other adapters use it.
--
-- `clients.plain(endpoint("GET /x?a=1"))` gives
--
--     { method = "GET", url = "https://api.service.example/x?a=1",
--       scheme = "https", host = "api.service.example", port = 443,
--       path = "/x", query = "a=1", headers = {...}, fields = {...} }
--
-- - `method`: in upper case.
-- - `url`: the whole URL, without userinfo and fragment.
-- - `scheme`: `http` or `https`.
-- - `host`: to connect to, so an IPv6 address has no brackets. `port`: a number,
--   80 or 443 if the URL has none. A `host` header is `url:match("//([^/]+)")`,
--   where the brackets stand, and the port if the URL has one.
-- - `path`: as sent, never empty. `query`: as sent, without the `?`; nil if there
--   is none, and `""` for `/a?` (RFC 3986, section 5.3). So what a request's first
--   line names is `path .. (query and "?" .. query or "")`.
-- - `headers`: name -> one text, lists joined by `, `, cookies by `; `.
-- - `fields`: the same as a list of `{ name, value }`, a list of values as several
--   fields, in bytewise order of the names.
-- - `body`: a string; `""` for a POST, PUT, PATCH or QUERY without one, else nil.
--
-- Names are in lower case, with `canonical` as `User-Agent` (and so `Etag`,
-- `Www-Authenticate`: HTTP ignores case). There is no `content-length`,
-- `transfer-encoding` or `host` but a `host` of the caller's: nearly all clients
-- write these themselves, and a second one is refused by servers. A client that
-- does not must be given `#body`.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string;
-- `canonical`: true for names as `User-Agent`
-- @treturn table the request
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
-- or is a function
function clients.plain(r, options)
  return message.read_text(r, check_options(options, PLAIN_OPTIONS), "clients.plain")
end

-- Name -> text, or a list of texts where there are several fields of a name.
local function headers_listed(fields)
  local headers = {}
  for _, field in ipairs(fields) do
    local name, value = field[1], field[2]
    local former = headers[name]
    if former == nil then
      headers[name] = value
    elseif type(former) == "table" then
      former[#former + 1] = value
    else
      headers[name] = { former, value }
    end
  end
  return headers
end

--- For lua-resty-http: `http:request_uri(clients.resty_http(r))`.
--
-- For lua-resty-http 0.16 and later, read up to 0.17.2. The URL is scheme, host
-- and port alone: lua-resty-http takes all up to the last `]` of a URL for the
-- host if that begins with `[`. Path and query are in `params`; versions before
-- 0.16 forget that path when they send through an HTTP proxy.
--
-- The method is in upper case, since `request_uri` waits for the body of a
-- `head` response for ever. A POST, PUT, PATCH or QUERY without a body gets `""`, since
-- lua-resty-http refuses nil there; it counts the length itself. A stream goes in chunks
-- that are written here, as lua-resty-http wants it.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string
-- @treturn string scheme, host and port, as a URL
-- @treturn table params: `method`, `path`, `query` (with its `?`, so that an empty
-- one keeps it), `headers` (lists as several fields), `body`; add `ssl_verify` and
-- the like to it
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
function clients.resty_http(r, options)
  local m = message.read(r, check_options(options, OPTIONS))
  local headers, body = headers_listed(m.fields), m.body
  if m.length then
    headers["content-length"] = text.of_number(m.length)
  elseif type(body) == "function" then
    headers["transfer-encoding"], body = "chunked", stream.chunked(body)
  end
  local params = { method = m.method, path = m.path, headers = headers, body = body }
  params.query = m.query and "?" .. m.query
  return m.url:match("^%a+://[^/]+"), params
end

-- An ltn12 source: a function that returns the body if there is any, then nil.
local function source_of(body)
  if type(body) == "function" then return body end
  local rest = body ~= "" and body or nil
  return function()
    local chunk = rest
    rest = nil
    return chunk
  end
end

-- LuaSocket's own step tells its sink of an error as of the end, and the sink then
-- ends the chunks: the server would take the part for the whole.
local function stopping_step(source, sink)
  local piece, problem = source()
  if piece == nil and problem then return nil, problem end
  local sent, refusal = sink(piece)
  if piece and sent then return 1 end
  return nil, refusal
end

local SOCKET_OPTIONS = with_encode { sink = errors.is_function }

--- For LuaSocket's `socket.http.request` and LuaSec's `ssl.https.request`.
--
-- They ignore a `body` field: it goes through an ltn12 source, and without a
-- content-length they would send it in chunks. A POST, PUT, PATCH or QUERY without
-- a body has a source that gives nothing, for others that take this table: lapis, inside
-- nginx, sends the body of the request around it where there is no source.
-- Redirects are not followed; LuaSocket would make a GET of a HEAD. For a stream there
-- is a `step`, since LuaSocket's own ends a body that breaks off as if it were whole.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string;
-- `sink`: an ltn12 sink for the response's body (LuaSocket wants a function, so a
-- callable table raises)
-- @treturn table the request table: `url`, `method`, `headers`, `source`,
-- `step`, `sink`, `redirect`; LuaSec's `verify`, `cafile` and the like go into it, too
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
function clients.luasocket(r, options)
  options = check_options(options, SOCKET_OPTIONS)
  local m = message.read(r, options)
  local headers = m.headers
  -- LuaSocket leaves the brackets out, which RFC 9110, section 7.2, wants there.
  headers.host = headers.host or m.url:match("^%a+://(%[[^/]+)")
  local streams = type(m.body) == "function"
  local length = streams and m.length or m.body and not streams and #m.body
  headers["content-length"] = length and text.of_number(length) or nil
  return {
    url = m.url,
    method = m.method,
    headers = headers,
    source = m.body and source_of(m.body),
    step = streams and stopping_step or nil,
    sink = options.sink,
    redirect = false,
  }
end

--- For lua-http: `clients.lua_http(r):go()`.
--
-- Loads `http.request`. Values go into its headers object as strings, the
-- method as `:method`, a `host` header as `:authority`. Its `follow_redirects`
-- and its `cookie_store` are false: lua-http would keep the cookies of all
-- responses in one place and send them with every later request to that host,
-- whoever makes it. `expect: 100-continue` is sent only if it is in the headers. A
-- stream that fails raises from `:go()`, since lua-http takes nil for the end.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string
-- @treturn table a request object of lua-http
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded;
-- and without lua-http
function clients.lua_http(r, options)
  local m = message.read(r, check_options(options, OPTIONS))
  local request = load_module "http.request".new_from_uri {
    scheme = m.scheme,
    host = m.host,
    port = m.port,
    path = m.path,
    query = m.query,
  }
  request.follow_redirects, request.cookie_store = false, false
  request.headers:upsert(":method", m.method)
  if m.body then request:set_body(type(m.body) == "function" and stream.raising(m.body) or m.body) end
  if m.length then request.headers:upsert("content-length", text.of_number(m.length)) end
  request.headers:delete "user-agent"
  request.headers:delete "expect" -- which set_body adds for a body of over 1,024 bytes
  for _, field in ipairs(m.fields) do
    if field[1] == "host" then request.headers:upsert(":authority", field[2])
    else request.headers:append(field[1], field[2]) end
  end
  return request
end

local CURL_OPTIONS = with_encode { easy = libcurl.is_handle }

--- For libcurl's bindings.
--
-- Without `options.easy`, the option table of Lua-cURL 3:
-- `cURL.easy(clients.curl(r))`. With it, the request is set on that handle, in
-- the order that libcurl needs, and what a former one left there is reset. The
-- handle is one of Lua-cURL 3 or of Debian's lua-curl, which takes no table.
-- HEAD is `nobody`. A body that nobody labelled does not get a form's type. A stream
-- that fails raises from `perform`, and one whose content-length is 0 from here, since
-- libcurl would not ask it; do not use a handle of Debian's again then. The
-- path is sent as it is; Debian's lua-curl cannot tell libcurl so, and there
-- a path with `.` or `..` as a segment raises.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string;
-- `easy`: a handle to set
-- @return the option table (`url`, `customrequest`, `httpheader`, `nobody`,
-- `path_as_is`, `postfields`, or of a stream `upload`, `readfunction` and
-- `infilesize`), or the handle
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded;
-- for a handle that is none, and a path that it would change
function clients.curl(r, options)
  options = check_options(options, CURL_OPTIONS)
  local m = message.read(r, options)
  libcurl.end_empty_stream(m)
  if options.easy == nil then return libcurl.settings(m) end
  return libcurl.set_handle(options.easy, m)
end

-- lua-https's own words. Its backend for libcurl, which comes first, gives libcurl
-- the first bytes of the body again and again, 64 KiB at a time.
local LUA_HTTPS_BACKENDS = { curl = true, openssl = true, wininet = true, schannel = true, nsurl = true, android = true }
local CURL_LONGEST = 65536

local LUA_HTTPS_OPTIONS = with_encode {
  backend = function(what, backend)
    if not LUA_HTTPS_BACKENDS[backend] then
      fail("%s: expected curl, openssl, wininet, schannel, nsurl or android", what)
    end
  end,
}

local LUA_HTTPS_METHODS = { GET = true, HEAD = true, POST = true, PUT = true, DELETE = true, PATCH = true }

local function check_lua_https(m, backend)
  if not LUA_HTTPS_METHODS[m.method] then
    fail("method %s: lua-https takes GET, HEAD, POST, PUT, PATCH and DELETE", m.method)
  end
  libcurl.refuse_dot_segments(m, "lua-https")
  if backend == "curl" and m.body and #m.body > CURL_LONGEST then
    fail("body: lua-https over libcurl corrupts more than 65536 bytes: expected fewer, or another options.backend")
  end
end

--- For LÖVE's lua-https: `https.request(clients.lua_https(r))`.
--
-- The body's field is `data`. lua-https counts the length of a body that is
-- not empty and has no way to send an empty one, so a content-length of 0 is
-- given as a header; and it calls a body a form unless there is another
-- content-type, so an unlabelled one is called `application/octet-stream`
-- (what RFC 9110, section 8.3, lets a recipient assume). Over libcurl, on Linux,
-- lua-https of 2025 corrupts a body of more than 65,536 bytes, so one raises
-- unless `options.backend` names another.
--
-- lua-https follows redirects, and nothing can forbid it. libcurl keeps
-- `authorization` and `cookie` from other hosts, but repeats all other headers
-- there, `x-api-key` and the like among them, and so may the other backends:
-- send such keys only to servers that do not redirect elsewhere.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string;
-- `backend`: what lua-https stands on, `"curl"` (the default), `"openssl"`,
-- `"wininet"`, `"schannel"`, `"nsurl"` or `"android"`
-- @treturn string the URL
-- @treturn table `method`, `headers`, `data`
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
-- or is a function;
-- for a method other than GET, HEAD, POST, PUT, PATCH and DELETE, a path with
-- `.` or `..` as a segment, which libcurl would take away, and over libcurl a body
-- of more than 65,536 bytes
function clients.lua_https(r, options)
  options = check_options(options, LUA_HTTPS_OPTIONS)
  local m = message.read_text(r, options, "clients.lua_https")
  check_lua_https(m, options.backend or "curl")
  local headers = m.headers
  if m.body == "" then
    headers["content-length"] = "0"
  elseif m.body and not headers["content-type"] then
    headers["content-type"] = "application/octet-stream"
  end
  local data = m.body ~= "" and m.body or nil
  return m.url, { method = m.method, headers = headers, data = data }
end

-- The methods that nginx's Lua module has constants for. ngx.HTTP_OK and its
-- kin are status codes.
local NGX_METHODS = {
  GET = true, HEAD = true, PUT = true, POST = true, DELETE = true, OPTIONS = true, MKCOL = true, COPY = true,
  MOVE = true, PROPFIND = true, PROPPATCH = true, LOCK = true, UNLOCK = true, PATCH = true, TRACE = true,
}

-- Triplets that must not be decoded: nginx decodes all of a path, and what it then
-- writes, by itself or as $uri, has not all of them encoded. It would end the
-- segment (/ \), the path (? #), the request's line (control characters), begin a
-- parameter (;), or be decoded once more by the next server (%).
local NGX_UNSAFE = { "%%[01]%x", "%%7[Ff]", "%%2[35Ff]", "%%3[BbFf]", "%%5[Cc]" }

local WAY_OUT = "send the value in the query, or the whole URL by proxy_pass $target"

local function check_ngx_path(path)
  for _, pattern in ipairs(NGX_UNSAFE) do
    local triplet = path:match(pattern)
    if triplet then fail("url: ngx.location.capture decodes the path, and %s must stay: %s", triplet, WAY_OUT) end
  end
  if text.has_dot_segment(path) then
    fail("url: the locations of nginx see other segments than . and ..: write the path without them, or %s",
      "send the whole URL by proxy_pass $target")
  end
end

local function method_constant(method)
  local ngx = rawget(_G, "ngx")
  if not ngx then fail("clients.ngx: expected to run inside nginx") end
  return NGX_METHODS[method] and ngx["HTTP_" .. method]
    or fail("method %s: ngx.location.capture has no constant for it", method)
end

--- For `ngx.location.capture(clients.ngx(r))` inside nginx.
--
-- The URL is a path of this server: give endpoint a bare path as `baseUrl`.
-- `options.headers` reaches the subrequest from lua-nginx-module 0.10.27 on;
-- before, it has the headers of the request around it, so set them there first:
-- `for name, value in pairs(options.headers) do ngx.req.set_header(name, value) end`.
-- What else that request has, a content-type or cookies, is passed on unless
-- `ngx.req.clear_header` takes it away.
-- A POST, PUT or PATCH without a body gets `""`, else nginx would pass on the
-- body of the request around it.
--
-- `ngx.location.capture` decodes the path, and not all of it is encoded again on
-- its way: a value with a `/` would reach another resource, one with a `;` make
-- parameters, CR and LF make headers where a location uses `$uri`. So a path raises
-- that holds `%00` to `%1F`, `%7F`, `%23`, `%25`, `%2F`, `%3B`, `%3F` or `%5C`, or `.`
-- or `..` as a segment. Send such values in the query, or the whole URL with
-- `proxy_pass $target`. A space (`%20`) is decoded, too: a location behind it must not
-- have `$uri` in its `proxy_pass`, where nginx writes the path decoded. An empty query,
-- `/x?`, arrives as none.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string
-- @treturn string the path
-- @treturn table `method` (a constant), `args` (the query), `headers`, `body`
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- no path of this server, an unknown option, and a body that cannot be encoded
-- or is a function;
-- outside nginx, for a method without a constant, and a path that would arrive
-- as another
function clients.ngx(r, options)
  local m = message.read_path(r, check_options(options, OPTIONS), "clients.ngx")
  check_ngx_path(m.path)
  return m.path, {
    method = method_constant(m.method),
    args = m.query ~= "" and m.query or nil,
    headers = m.headers,
    body = m.body,
  }
end

-- --- the command line -----------------------------------------------------------

local function is_list_of_strings(list)
  if type(list) ~= "table" or not text.list_size(list) then return false end
  for _, value in next, list do
    if type(value) ~= "string" then return false end
  end
  return true
end

local CURL_COMMAND_OPTIONS = with_encode {
  secrets = function(what, names)
    if type(names) ~= "boolean" and not is_list_of_strings(names) then
      fail("%s: expected a boolean or a list of names", what)
    end
  end,
}

-- names: a list of those that are shown.
local function hide_secrets(m, names)
  local shown = secrets.set_of_names(names)
  m.fields = secrets.masked_fields(m.fields, shown)
  m.url = m.url:gsub("^(%a+://[^/]+)(.*)$", function(origin, rest) return origin .. secrets.masked_url(rest, shown) end)
end

--- A `curl` command line for a POSIX shell, to paste or to log.
--
-- Every byte of the body survives: what cannot stand on a line, NUL among it,
-- is piped in from `printf`, and so is what an interactive shell would take for
-- an earlier command. Shown as `***` are the values of headers and of parameters
-- in the URL whose names tell of a secret (authorization, cookies, tokens, keys,
-- signatures, pins), of headers that begin with `Bearer`, `Basic` or `token`, and
-- userinfo, in the URL and in headers; and whole values and segments that hold such
-- a secret encoded, as that of a URL in the query. The body is shown, and so is a secret under
-- another name: look at a command before you give it away.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string;
-- `secrets`: true to show all, or a list of the names to show
-- @treturn string the command
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
-- or is a function
function clients.curl_command(r, options)
  options = check_options(options, CURL_COMMAND_OPTIONS)
  local m = message.read_text(r, options, "clients.curl_command")
  if options.secrets ~= true then hide_secrets(m, options.secrets or {}) end
  -- Else [ and { in a URL are patterns, and its dot segments are taken away.
  local before, words = "", { "curl --globoff --path-as-is" }
  if m.method == "HEAD" then
    words[2] = " --head"
  elseif m.method ~= "GET" then
    words[2] = " --request " .. shell.word(m.method)
  end
  for _, line in ipairs(libcurl.header_lines(m)) do words[#words + 1] = " --header " .. shell.word(line) end
  if m.body then before, words[#words + 1] = shell.body(m.body) end
  return before .. table.concat(words) .. " " .. shell.word(m.url)
end

--- The `curl` program for a host that starts processes without a shell:
-- `local words, input = clients.argv(r)`.
--
-- `words` is the list of the command's words, `input` the bytes for its standard
-- input. The words are the same for each request; URL, headers and body are in
-- `input` alone, so the list of processes shows none of them. Add words of your
-- own, such as `--silent`, `--include` or `--max-time`, behind these:
-- `vim.system(words, { stdin = input })`, `ngx.pipe.spawn(words)`.
--
-- `input` is a configuration for `--config -`. Its last line, `data-binary = "@-"`, has
-- curl send what stands behind it: bytes of any value, NUL too, and of any number. That
-- needs curl 7.42 or later (`path-as-is`); 7.88 was run, and curl's sources of 2026 read it
-- in the same way. On Windows, where curl reads its configuration as text, a body with
-- CR or 0x1A may arrive as another. curl 7.88 cannot read a URL or a header of more than
-- about 100 KB. `-q` keeps the user's `.curlrc` out; the proxies
-- that the environment names are used, as ever.
-- @tparam table r what endpoint returned
-- @tparam[opt] table options `encode`: function from the body to a string
-- @treturn table the words
-- @treturn string what to write to the standard input, and then close it
-- @raise on a body under GET, HEAD or TRACE, the method CONNECT, a URL that is
-- not http or https with a host, an unknown option, and a body that cannot be encoded
-- or is a function
function clients.argv(r, options)
  local m = message.read_text(r, check_options(options, OPTIONS), "clients.argv")
  return { "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }, libcurl.input(m)
end

-- --- forms and links ------------------------------------------------------------

local function is_brackets(what, value)
  if value ~= "brackets" then fail('%s: expected "brackets"', what) end
end

local FORM_OPTIONS = { nested = is_brackets }

--- A table as `application/x-www-form-urlencoded` text.
--
-- `clients.form { q = "a b", tag = { "x", "y" } }` is `q=a%20b&tag=x&tag=y`. Names
-- are in bytewise order, values as in URLs; a list repeats its name, null and an empty
-- table send nothing. A table as body under that content-type is encoded so.
--
-- Nested tables raise, for there is no standard. With `{ nested = "brackets" }` they
-- are written as Stripe, Rails and PHP read them: `a[b]=1` for a map, `a[]=1` for a
-- list, `a[0][k]=1` for a list that holds tables, counted from 0, with the keys of each
-- map in bytewise order and the brackets encoded, `%5B` and `%5D`.
-- @tparam table t field name -> string, number, boolean, list or map
-- @tparam[opt] table options `nested`: `"brackets"`
-- @treturn string the text
-- @raise on a list or another table without string keys, values of another type,
-- NaN, infinity, tables that are mixed or sparse, an unknown option; on nested tables
-- without `nested`, and on more than 100 levels, as in a table that holds itself
function clients.form(t, options)
  options = check_options(options, FORM_OPTIONS)
  errors.check_type("form", t, "table")
  return form.text("form", t, options.nested ~= nil)
end

--- The links of a `link` header (RFC 8288): relation type -> URL.
--
-- `clients.links '<https://h/x?page=2>; rel="next"'` is `{ next = "https://h/x?page=2" }`.
-- Relation types are in lower case, since case says nothing there; the first link of a
-- relation counts. Left out is what is malformed, and a link with an `anchor`, for it
-- belongs to another resource than the one that was asked for. URLs are as the server
-- wrote them: a relative one is relative to the URL of the request.
-- @tparam string|table value the header, or a list of several; nil is none
-- @treturn table relation type -> URL
-- @raise on a value of another type
function clients.links(value)
  local found = {}
  for _, field in ipairs(type(value) == "table" and value or { value }) do
    if type(field) ~= "string" then fail("link: expected a string or a list of strings, got a %s", type(field)) end
    links.read(found, field)
  end
  return found
end

for name, f in pairs(clients) do clients[name] = errors.public(f) end

return clients
