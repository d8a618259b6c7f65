---@meta endpoint.clients
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The only description of endpoint.clients, as endpoint.lua in the parent directory is for the
-- module. src/endpoint/clients.lua says why each client needs what it gets.

---Turns a result of `endpoint` into the arguments of an HTTP client.
---
---```lua
---local clients = require "endpoint.clients"
---local r = endpoint("POST https://h.example/items", { name = "x" })
---
---print(clients.plain(r).method, clients.plain(r).body) --> POST	{"name":"x"}
---```
---
---Each function takes what `endpoint(...)` or `endpoint.parse(...)` returned and returns what one
---client expects. Nothing is sent, and the result is never changed. These rules hold for all of
---them:
---
--- - **Method**: in upper case, as servers expect it (RFC 9110, section 9.1).
--- - **Body**: a string is sent as it is. Anything else is encoded by `options.encode`. Without it,
---   a table whose content type is `application/x-www-form-urlencoded` is encoded by
---   `clients.form`. All other values are encoded by lua-cjson if the content type is JSON or
---   missing; lua-cjson is loaded only then. With `options.nested` a form may hold nested tables,
---   also if `encode` is given.
--- - **Numbers**: a float of 2^53 or more, which may have lost digits, raises in headers, forms and
---   JSON. By default lua-cjson rounds to 14 digits. So a whole number raises if it would lose
---   digits or get an exponent, and a fraction above 1e12 raises if it would become a whole number.
--- - **Streams**: a function as body is an ltn12 source, which returns the next piece as a string,
---   nil at the end, or nil and a message. lua-resty-http, LuaSocket, lua-http and libcurl send it,
---   with the result's `content-length` in bytes if there is one, else in chunks (RFC 9112, section
---   7.1). If the source fails, or gives more or fewer bytes than `content-length`, the request is
---   broken off. The server then sees that it is incomplete, and the client returns or raises the
---   message. A stream can be sent once.
--- - **Length**: the result's `transfer-encoding` is dropped, and so is its `content-length` unless
---   the body is a stream. The client counts the bytes of the body, or else the function adds their
---   number. POST, PUT, PATCH and QUERY without a body send `content-length: 0` (RFC 9110, section
---   8.6). With `clients.plain` their body is then `""`, and it is your client that sends the
---   header.
--- - **Headers**: a number is written as in a URL. A list becomes several fields if the client can
---   send them, otherwise one field joined by `, ` (RFC 9110, section 5.3). Cookies are joined by
---   `; ` (RFC 6265, section 4.2.1). Two values of `host` raise.
--- - **URL**: the fragment is cut off and an empty path becomes `/` (RFC 9110, section 7.1). The
---   userinfo becomes an `authorization` header of the Basic scheme (RFC 7617), unless the result
---   has that header.
--- - **Redirects** are not followed if the client lets its caller choose, since most clients would
---   send `authorization` to any host.
---
---**Raises** a string when it is misused: the position of the caller's line where Lua knows one,
---`endpoint.clients: `, and what was wrong. The values of headers, of the body and of the URL never
---appear in it. All functions that take a result raise on another table, such as merged options; on
---a body under GET, HEAD or TRACE; on the method CONNECT; on a URL that is not http or https with a
---host; on a host with a triplet, which some clients decode and others do not; on a header that
---cannot be sent; on an unknown option or one of a wrong type; on a body that cannot be encoded;
---and on a function as body if the client sends no streams.
---@class endpoint.clients
local clients = {}

---Returns the request in parts, for a client of your own.
---
---The names of headers are in lower case, or with `canonical` as `User-Agent` (and so `Etag`
---and `Www-Authenticate`). `content-length` and `transfer-encoding` are not among them, and
---`host` only if the result has it: nearly all clients write these fields, and servers refuse a
---second one. Give a client that does not write them `#body` as the length and
---`url:match("//([^/]+)")` as the host.
---
---```lua
---local clients = require "endpoint.clients"
---local m = clients.plain(endpoint "GET http://[::1]:8080/a?b=1")
---
---print(m.host, m.port, m.path, m.query) --> ::1	8080	/a	b=1
---print(m.headers["user-agent"])         --> service-endpoint.js/1.0.0
---```
---
---Sends no streams.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.PlainOptions # `encode`, `canonical`
---@return endpoint.clients.Plain request # a new table
function clients.plain(r, options) end

---For lua-resty-http from 0.16 on: `http:request_uri(clients.resty_http(r))`.
---
---```lua
---local clients = require "endpoint.clients"
---local url, params = clients.resty_http(endpoint "GET http://h.example/items?page=2")
---
---params.ssl_verify = true -- options of lua-resty-http go here
---print(url, params.path, params.query) --> http://h.example	/items	?page=2
---```
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.Options # `encode`
---@return string url # scheme, host and port
---@return endpoint.clients.RestyParams params # a new table
function clients.resty_http(r, options) end

---For LuaSocket's `socket.http.request` and LuaSec's `ssl.https.request`. Unless the body is a
---stream, the table can be sent as often as you like.
---
---```lua
---local clients = require "endpoint.clients"
---local r = endpoint("PUT https://h.example/notes", { data = "text" })
---local request = clients.luasocket(r)
---
---request.verify, request.cafile = "peer", "ca.pem" -- options of LuaSec go here
---print(request.method, request.url)                --> PUT	https://h.example/notes
---print(request.source(), request.headers["content-length"]) --> text	4
---```
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.SocketOptions # `encode`, `sink`
---@return endpoint.clients.SocketRequest request # a new table
function clients.luasocket(r, options) end

---For lua-http: `clients.lua_http(r):go()`. Loads `http.request`.
---
---The request follows no redirects, keeps no cookies (`cookie_store` is false) and sends
---`expect: 100-continue` only if the headers have it. A stream that fails raises from `:go()`.
---
---```lua
---local clients = require "endpoint.clients"
---local request = clients.lua_http(endpoint "GET https://h.example/items")
---
---print(request.follow_redirects) --> false
---```
---
---**Raises**, too, if lua-http is not installed.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.Options # `encode`
---@return any request # a request object of lua-http
function clients.lua_http(r, options) end

---For the bindings of libcurl. Without `options.easy` it returns an option table of Lua-cURL 3:
---`cURL.easy(clients.curl(r))`. With `options.easy` the request is set on that handle. Options that
---an earlier request set there are reset.
---
---A stream that fails raises from `perform`. A stream whose `content-length` is 0 is called at
---once, and raises from here if it fails. Do not use a handle of Debian's lua-curl again after
---that. The path is sent as it is, `.` and `..` included.
---
---```lua
---local clients = require "endpoint.clients"
---local r = endpoint("POST https://h.example/items", { name = "x" })
---local settings = clients.curl(r)
---
---settings.timeout = 10 -- options of Lua-cURL go here
---print(settings.customrequest, settings.postfields) --> POST	{"name":"x"}
---```
---
---**Raises**, too, on an `easy` that is not a handle. On a handle of Debian's lua-curl it raises on
---`.` and `..` as segments of the path, since libcurl would remove them.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.CurlOptions # `encode`, `easy`
---@return endpoint.clients.CurlSettings|any settings # a new table, or the handle
function clients.curl(r, options) end

---For LÖVE's lua-https: `https.request(clients.lua_https(r))`.
---
---lua-https always follows redirects. Over libcurl it keeps `authorization` and `cookie` from
---other hosts and sends all other headers there; its other backends may do the same. So send
---keys such as `x-api-key` only to servers that do not redirect elsewhere. A body without a
---content type is labelled `application/octet-stream` (RFC 9110, section 8.3), since lua-https
---would call it a form.
---
---```lua
---local clients = require "endpoint.clients"
---local r = endpoint("DELETE https://h.example/stars/:id", { id = 7 })
---local url, options = clients.lua_https(r)
---
---print(options.method, url) --> DELETE	https://h.example/stars/7
---```
---
---Sends no streams. **Raises**, too, on a method other than GET, HEAD, POST, PUT, PATCH and DELETE;
---on `.` and `..` as segments of the path, which libcurl would remove; and on a body of more than
---65,536 bytes, which lua-https of 2025 corrupts over libcurl, unless `backend` names another
---backend.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.LuaHttpsOptions # `encode`, `backend`
---@return string url # without userinfo and fragment
---@return endpoint.clients.LuaHttpsRequest options # a new table
function clients.lua_https(r, options) end

---For `proxy_pass $target` inside nginx: makes the client's request that nginx handles the
---request `r`, and returns the target, the whole URL. `%2F` stays `%2F`.
---
---Call it in the access phase: `limit_req` and `auth_request` have then seen the client's own
---request. The client's body is read and dropped, every header of the client is cleared, and then
---method, headers and body of `r` are set, and as `host` that of the URL. What the location adds by
---`proxy_set_header` is up to the location, as are the certificate's check and time-outs.
---
---Headers in the client's request are seen by every location that `error_page` or the API's
---`X-Accel-Redirect` names. So a header of `r` other than `accept…`, `content-type`, `host` and
---`user-agent` goes into a variable of nginx, and `proxy_set_header` makes a header of that again.
---
---```lua
---local clients = require "endpoint.clients"
---local headers = { authorization = "Bearer 0123" }
---local api = endpoint.defaults { baseUrl = "https://h.example/v1", headers = headers }
---
---local r = api("GET /files/:name", { name = "a/b" })
---ngx.var.target = clients.ngx_proxy(r, { variables = { authorization = "token" } })
---print(ngx.var.target, ngx.var.token) --> https://h.example/v1/files/a%2Fb	Bearer 0123
---```
---
---The client's own body is the only stream that it sends. **Raises**, too, outside nginx's access
---phase (or the rewrite phase, if `phase` says so) and in a subrequest; on HTTP/0.9, in which nginx
---sets no header; on a method that nginx has no constant for; if only one of the client's method
---and the method of `r` is HEAD, since the client would take the body for its next response; on an
---empty header and on control characters in one, which nginx would drop or change; on a header that
---needs a variable and is not in `variables`; and if the client sent a header whose name is not a
---token, which nginx lets in if `ignore_invalid_headers` is off and cannot clear.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.NgxProxyOptions # `variables`, `pass`, `body`, `phase`, `encode`
---@return string target # the URL without userinfo and fragment
function clients.ngx_proxy(r, options) end

---For `ngx.location.capture(clients.ngx(r))` inside nginx. The URL must be a path on this server.
---It is one if `baseUrl` is a path.
---
---A subrequest has the headers of the request around it. In the content phase, where that request
---ends, `clients.ngx` replaces them by those of `r`, and drops the body. So read what you need of
---them first, and capture before you call `clients.ngx` for the next request. In the rewrite and
---access phases the request goes on to the application, which must not get a token of yours. There
---`clients.ngx` changes nothing, and all headers of `r` must be in `variables`:
---`proxy_pass_request_headers off` and `proxy_set_header` in the internal location write them.
---
---nginx decodes the path and does not encode all of it again. An encoded `/`, `;`, `?`, `#`,
---`%`, `\` or control character would then mean something else, so it raises. A space (`%20`)
---is decoded as well: a location that is captured must not use `$uri` in its `proxy_pass`,
---which writes the path decoded. An empty query, `/x?`, is lost.
---
---```lua
---local clients = require "endpoint.clients"
---local internal = endpoint.defaults { baseUrl = "/internal" }
---
---local r = internal("GET /items/:id{?page}", { id = 7, page = 2 })
---local path, options = clients.ngx(r)
---print(path, options.args) --> /internal/items/7	page=2
---```
---
---Sends no streams. **Raises**, too, outside nginx's rewrite, access and content phases; on a
---header without a variable in the first two of them, and in the third on what `clients.ngx_proxy`
---refuses, except that HEAD is allowed; on a URL that is not a path; on a method that nginx has no
---constant for; and on a path with `%00` to `%1F`, `%7F`, `%23`, `%25`, `%2F`, `%3B`, `%3F`, `%5C`
---or a segment `.` or `..`. Send such values in the query, or the whole URL by `clients.ngx_proxy`.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.NgxOptions # `variables`, `encode`
---@return string path # as it is sent, without the query
---@return endpoint.clients.CaptureOptions options # a new table
function clients.ngx(r, options) end

---For the `curl` program (7.42 or later), started without a shell: `vim.system(words, { stdin =
---input })`.
---
---The words are the same for each request. URL, headers and body are only in `input`, so a list of
---processes does not show them. Append words of your own, such as `--silent` or `--max-time`.
---
---`-q` makes curl ignore the user's `.curlrc`; proxies that the environment names are still
---used. On Windows, where curl reads its input as text, a body with CR or 0x1A may arrive
---changed.
---
---```lua
---local clients = require "endpoint.clients"
---local words, input = clients.argv(endpoint "GET https://h.example/items")
---
---print(table.concat(words, " ")) --> curl -q --globoff --path-as-is --config -
---print(input:match "^[^\n]*")    --> url = "https://h.example/items"
---```
---
---Sends no streams. **Raises**, too, if a URL or a header makes a line of 102,400 bytes or more in
---`input`: curl 7.88 does not read such a line, and stops. The body has no such limit.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.Options # `encode`
---@return string[] words # the program and its arguments
---@return string input # bytes for its standard input, which must be closed after them
function clients.argv(r, options) end

---Returns a `curl` command line for a POSIX shell, to paste or to log.
---
---Every byte of the body survives: `printf` writes what cannot be on a line, NUL included, and what
---an interactive shell would take for an earlier command. `***` replaces secrets: the values of
---headers and of parameters in the URL whose names end as those of credentials do (`key`, `token`,
---`pin`, `code`, `sid` and many more), headers that begin with `Bearer`, `Basic` or `token`,
---userinfo, and values that hold such a secret encoded, such as a URL in the query. The body is
---shown, and so is a secret under any other name: read a command before you give it away.
---
---```lua
---local clients = require "endpoint.clients"
---local none = endpoint.null
---local api = endpoint.defaults { headers = { accept = none, ["user-agent"] = none } }
---
---print(clients.curl_command(api "GET https://h.example/x?page=2&access_token=0123"))
--- --> curl --globoff --path-as-is 'https://h.example/x?page=2&access_token=***'
---```
---
---Sends no streams.
---@param r endpoint.Request # what `endpoint` returned
---@param options? endpoint.clients.CurlCommandOptions # `encode`, `secrets`
---@return string command # one line or several, without a newline at the end
function clients.curl_command(r, options) end

---Encodes a table as text of the media type `application/x-www-form-urlencoded`. The keys of each
---table are in bytewise order. Values are written as in URLs. A list repeats its name; null and an
---empty table send nothing.
---
---```lua
---local clients = require "endpoint.clients"
---
---print(clients.form { q = "a b", tag = { "x", "y" } }) --> q=a%20b&tag=x&tag=y
---print(clients.form({ tag = { "x" }, to = { name = "x" } }, { nested = "indices" }))
--- --> tag%5B0%5D=x&to%5Bname%5D=x
---```
---
---**Raises** on a table without string keys; on a value of another type, NaN and infinity; on
---tables that are mixed or sparse; on nested tables without `nested`, and on more than 100
---levels or a table that holds itself.
---@param t table<string, any> # field name to string, number, boolean, null, list or map
---@param options? endpoint.clients.FormOptions # `nested`
---@return string text # without a leading `?`
function clients.form(t, options) end

---Makes a body of the media type `multipart/form-data` (RFC 7578), such as browsers send for a
---form with files. If the data of a part is a function, the body is a stream; else it is a string.
---
---Names and file names are written as browsers do: `"`, CR and LF become `%22`, `%0D` and `%0A`. In
---a name each end of a line becomes `%0D%0A`. All else stays as it is. A file without a type is
---`application/octet-stream`. The boundary does not occur in a part, and it is the same for equal
---parts. A stream that contains the boundary is broken off. If the bytes of a stream are
---untrusted, give a random `boundary`.
---
---```lua
---local clients = require "endpoint.clients"
---local body, content_type, length = clients.multipart {
---  { name = "title", data = "Notes" },
---  { name = "file", filename = "a.txt", type = "text/plain", data = "some text" },
---}
---local r = endpoint("POST https://h.example/items/:id", {
---  id = 7, data = body,
---  headers = { ["content-type"] = content_type, ["content-length"] = length },
---})
---
---print(r.headers["content-type"])
--- --> multipart/form-data; boundary=endpoint-000000000000
---```
---
---**Raises** on an empty list, on a part with another field or one of a wrong type, on a name or
---file name with a backslash or with control characters other than CR and LF, which servers read
---differently, and on a `boundary` that a part holds.
---@param parts endpoint.clients.Part[] # in the order in which they are sent; names may be repeated
---@param options? endpoint.clients.MultipartOptions # `boundary`
---@return string|endpoint.clients.Source body # for `data`
---@return string content_type # for the header
---@return integer|nil length # in bytes, for `content-length`; nil if that of a stream is unknown
function clients.multipart(parts, options) end

---Returns a stream that reads a file, for `data` or for a part of `clients.multipart`. The clients
---know its length, so the header `content-length` need not be given, and `endpoint.request` can
---retry it. The file is read piece by piece, 64 KiB at a time, and is open only while it is sent.
---
---```lua
---local clients = require "endpoint.clients"
---local source, length = clients.file "README.md"
---local r = endpoint("PUT https://h.example/notes", { data = source })
---
---local request = clients.luasocket(r)
---print(request.headers["content-length"] == tostring(length)) --> true
---```
---
---**Raises** if the file cannot be read, and if it has no length, like a directory or a pipe. If
---the file becomes shorter or disappears while it is sent, the request is broken off, as with any
---stream that fails.
---@param path string # of the file
---@return endpoint.clients.Source source # gives its bytes
---@return integer length # their number
function clients.file(path) end

---Reads a `link` header (RFC 8288). The first link of a relation type counts, and 100 types at
---most. Malformed links are left out, and so are links with an `anchor`, which belong to another
---resource (section 3.2), and targets with a scheme but without `//`, such as `mailto:x@h.example`:
---no request can be sent to them.
---
---Each target is a template that means exactly this target, as `clients.literal` makes it: what
---looks like a variable in it is never filled. With `base`, the URL of the request, relative
---targets are resolved and dot segments are removed (RFC 3986, section 5.2).
---
---```lua
---local clients = require "endpoint.clients"
---
---local links = clients.links '<https://h.example/x?page=2>; rel="next"'
---print(links.next) --> https://h.example/x?page=2
---links = clients.links('<../y>; rel="next"', "https://h.example/a/x")
---print(links.next) --> https://h.example/y
---```
---
---**Raises** on a value of another type, and on a base that is not a URL with a scheme and a host.
---@param value string|string[]|nil # the header, a list if there are several, nil if there is none
---@param base? string # `r.url` of the request, or where the client was redirected to
---@return table<string, string> links # lower-case relation type to URL; relative without `base`
function clients.links(value, base) end

---Returns a template that means exactly this URL. Use it for a URL from a response. In a route or
---as `url`, such a URL would be read as a template: a server's `{?api_key}` or `/:org` would be
---filled from the defaults.
---
---Braces, and a `:` that would begin a name, become triplets, and so does each byte that is not
---allowed in a URL. What a template cannot mean, such as a dot segment or a space in a host, stays
---as it is, and `endpoint` raises.
---
---```lua
---local clients = require "endpoint.clients"
---local api = endpoint.defaults { baseUrl = "https://h.example", org = "mine" }
---
---local url = "https://h.example/:org"
---print(api("PUT " .. url).url)                  --> https://h.example/mine
---print(api("PUT " .. clients.literal(url)).url) --> https://h.example/%3Aorg
---```
---
---**Raises** on a value of another type, and on a scheme without `//` after it, as in
---`mailto:x@h.example`, which would otherwise become a path of the baseUrl. A relative reference
---such as `v1:x` begins with a scheme, too (RFC 3986, section 4.2): write `/v1:x`.
---@param url string # a URL or a relative reference
---@return string template # without expressions and names
function clients.literal(url) end

---Returns the name of the parameter that an error of `endpoint` blames, so that a gateway can tell
---its caller's mistakes from its own: answer 400 only for a name that the caller gave.
---
---```lua
---local clients = require "endpoint.clients"
---local route = "GET /repos/{owner}/{repo}"
---local made, message = pcall(endpoint, route, { owner = "lua", repo = ".." })
---
---print(made, clients.blamed(message)) --> false	repo
---print(clients.blamed "timeout")      --> nil
---```
---@param problem any # what `pcall` returned, with or without a position
---@return string? name # nil for any other error, and for a name that the error cuts
function clients.blamed(problem) end

---Escapes untrusted text, such as that of a server or a language model, so that a terminal, an
---editor or a log shows it and obeys nothing in it. Control characters, marks of direction and
---invisible characters are escaped, and so is what is not UTF-8.
---
---```lua
---local clients = require "endpoint.clients"
---print(clients.shown "a\27[2Jb") --> a\x1b[2Jb
---```
---@param value any # null is `null`; what is not a string is shown as `tostring` writes it
---@param options? endpoint.clients.ShownOptions # nil for a text of one line
---@return string text # without characters that are obeyed or hidden
function clients.shown(value, options) end

---Options of `shown`.
---@class (exact) endpoint.clients.ShownOptions
---@field lines? boolean # true leaves line ends and tabs

---Options of all functions that take a result.
---@class (exact) endpoint.clients.Options
---@field encode? fun(body: any): string # encodes a body that is not a string, instead of lua-cjson
---@field nested? endpoint.clients.Nested # lets a body that is a form hold nested tables

---Options of `clients.plain`.
---@class (exact) endpoint.clients.PlainOptions: endpoint.clients.Options
---@field canonical? boolean # true for header names as `User-Agent`

---Options of `clients.luasocket`.
---@class (exact) endpoint.clients.SocketOptions: endpoint.clients.Options
---An ltn12 sink for the response's body; a callable table raises, since LuaSocket refuses it.
---@field sink? function

---Options of `clients.curl`.
---@class (exact) endpoint.clients.CurlOptions: endpoint.clients.Options
---@field easy? any # a handle of Lua-cURL 3 or of Debian's lua-curl, which is then returned

---Options of `clients.lua_https`.
---@class (exact) endpoint.clients.LuaHttpsOptions: endpoint.clients.Options
---the library that lua-https uses; libcurl unless given
---@field backend? "curl"|"openssl"|"wininet"|"schannel"|"nsurl"|"android"

---Options of `clients.curl_command`.
---@class (exact) endpoint.clients.CurlCommandOptions: endpoint.clients.Options
---@field secrets? boolean|string[] # true shows all secrets, a list those of these names

---Options of `clients.form`.
---@class (exact) endpoint.clients.FormOptions
---@field nested? endpoint.clients.Nested # lets the form hold nested tables

---How nested tables are written in a form: a map as `a[b]=1` and a list of tables as `a[0][k]=1`,
---counted from 0. A list of strings is `a[]=1` with `brackets`, as Rails and PHP read it, and
---`a[0]=1` with `indices`, as Stripe's own clients write it. The brackets themselves are encoded as
---`%5B` and `%5D`.
---@alias endpoint.clients.Nested "brackets"|"indices"

---Options of `clients.multipart`.
---@class (exact) endpoint.clients.MultipartOptions
---@field boundary? string # 1 to 70 letters, digits and `'+_.-`

---A part of a multipart body.
---@class (exact) endpoint.clients.Part
---@field name string # the field's name
---@field data string|number|boolean|endpoint.clients.Source # any bytes; a number as in a URL
---@field filename? string # makes the part a file
---@field type? string # its media type, perhaps with parameters
---@field length? integer # only for a function: the number of bytes that it gives

---What `clients.plain` returns: a request in parts.
---@class endpoint.clients.Plain
---@field method string # in upper case
---@field url string # the whole URL without userinfo and fragment
---@field scheme "http"|"https" # in lower case
---@field host string # to connect to; an IPv6 address has no brackets
---@field port integer # 80 or 443 if the URL has none
---@field path string # never empty
---Without its `?`; `""` for `/a?`, nil if there is none (RFC 3986, section 5.3).
---@field query? string
---@field headers endpoint.clients.Strings # name to value
---Name and value, in bytewise order of the names; a list of values as several fields.
---@field fields [string, string][]
---@field body? string # `""` for POST, PUT, PATCH and QUERY without one, else nil

---What `clients.resty_http` returns for `request_uri`.
---@class endpoint.clients.RestyParams
---@field method string # in upper case
---@field path string # never empty
---@field query? string # with its `?`, so that an empty one stays
---@field headers table<string, string|string[]> # lists as several fields
---A stream without `content-length` is written in chunks already.
---@field body? string|endpoint.clients.Source
---@field [string] any # options of lua-resty-http, such as `ssl_verify`

---What `clients.luasocket` returns: a request table of LuaSocket.
---@class endpoint.clients.SocketRequest
---@field url string # without userinfo and fragment
---@field method string # in upper case
---@field headers endpoint.clients.Strings # with `content-length`, unless a stream has none
---The source of the body, also of an empty one. What you read from it is not sent.
---@field source? endpoint.clients.Source
---Moves the pieces from `source` to `sink`. A stream that fails then does not end as if it were
---complete, and a body that is a string can be sent again.
---@field step? function
---@field sink? function # `options.sink`
---@field redirect boolean # false
---@field [string] any # options of LuaSocket and LuaSec, such as `verify`, `cafile` and `proxy`

---What `clients.curl` returns: an option table of Lua-cURL 3.
---@class endpoint.clients.CurlSettings
---@field url string # without userinfo and fragment
---@field customrequest string # the method
---@field httpheader string[] # `"name: value"`
---@field nobody? boolean # true for HEAD
---@field path_as_is boolean # true
---@field postfields? string # the body
---@field upload? boolean # true for a stream
---@field infilesize? number # its `content-length` in bytes
---@field readfunction? endpoint.clients.Source # the stream; raises where its source fails
---@field [string] any # options of Lua-cURL, such as `timeout`

---What `clients.lua_https` returns for `https.request`.
---@class endpoint.clients.LuaHttpsRequest
---@field method string # in upper case
---@field headers endpoint.clients.Strings # with `content-length` only for an empty body
---@field data? string # the body unless it is empty

---Options of `clients.ngx`.
---@class (exact) endpoint.clients.NgxOptions: endpoint.clients.Options
---The name of a header in lower case to the variable of nginx that gets its text (`set $token "";`
---declares one), or to false, which lets the client's request carry it. The variable of a header
---that `r` does not have is emptied.
---@field variables? table<string, string|false>

---Options of `clients.ngx_proxy`.
---@class (exact) endpoint.clients.NgxProxyOptions: endpoint.clients.NgxOptions
---Headers of the client that are sent on if `r` has no header of that name: names in lower case.
---Headers that are empty or contain control characters are not sent on, and `upgrade` only if it is
---`websocket`. Names of headers that belong to one connection raise
---@field pass? string[]
---`"client"`: the client's body is not read, and is sent on as it comes, with its length or in
---chunks
---@field body? "client"
---`"rewrite"`: allows the rewrite phase instead of the access phase
---@field phase? "access"|"rewrite"

---What `clients.ngx` returns for `ngx.location.capture`.
---@class endpoint.clients.CaptureOptions
---@field method integer # one of nginx's constants
---@field args? string # the query
---`""` for POST, PUT and PATCH without one, and in the rewrite and access phases for any method,
---since nginx would pass on the body of the request around it
---@field body? string
---@field vars? table<string, string> # the headers in `variables`
---@field [string] any # other options of `ngx.location.capture`

---Names in lower case to values.
---@alias endpoint.clients.Strings table<string, string>

---Returns the next piece of a body in bytes, nil at the end, or nil and what went wrong.
---@alias endpoint.clients.Source fun(): string?, any?

return clients
