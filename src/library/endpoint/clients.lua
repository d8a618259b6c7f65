---@meta endpoint.clients
-- luacheck: no unused args

-- From a result of endpoint to the arguments of an HTTP client. All functions of a
-- result send the method in upper case and a copy of the headers, encode a body that
-- is not a string, and raise on what is no result of endpoint. None does I/O.

---@class (exact) endpoint.clients.Options
---@field encode? fun(body: any): string instead of lua-cjson, for a body that is not a string

---@class (exact) endpoint.clients.PlainOptions: endpoint.clients.Options
---@field canonical? boolean true for header names as `User-Agent`

---@class (exact) endpoint.clients.SocketOptions: endpoint.clients.Options
---@field sink? function an ltn12 sink for the response's body

---@class (exact) endpoint.clients.CurlOptions: endpoint.clients.Options
---@field easy? any a handle of Lua-cURL 3 or Debian's lua-curl to set the request on

---@class (exact) endpoint.clients.CurlCommandOptions: endpoint.clients.Options
---@field secrets? boolean|string[] true to show authorization, cookies, tokens and the like, or the names to show

---@class (exact) endpoint.clients.LuaHttpsOptions: endpoint.clients.Options
---@field backend? "curl"|"openssl"|"wininet"|"schannel"|"nsurl"|"android" what lua-https stands on; libcurl unless told

---@class (exact) endpoint.clients.FormOptions
---@field nested? "brackets" `a[b]=1`, `a[]=1`, `a[0][k]=1`; without it nested tables raise

---@alias endpoint.clients.Strings table<string, string>

---The next piece of a body, nil at the end, or nil and what went wrong; as `data` it is sent
---by resty_http, luasocket, lua_http and curl, with a content-length or in chunks.
---@alias endpoint.clients.Source fun(): string?, any?

---@class endpoint.clients.Plain
---@field method string in upper case
---@field url string without userinfo and fragment
---@field scheme "http"|"https"
---@field host string to connect to: an IPv6 address without brackets
---@field port integer 80 or 443 if the URL has none
---@field path string never empty
---@field query? string without its `?`; `""` for `/a?`
---@field headers endpoint.clients.Strings without content-length, which the client counts
---@field fields [string, string][] name and value, in bytewise order of the names
---@field body? string

---@class endpoint.clients.RestyParams
---@field method string
---@field path string
---@field query? string with its `?`
---@field headers table<string, string|string[]>
---@field body? string|endpoint.clients.Source a stream without content-length in chunks
---@field [string] any options of lua-resty-http, such as `ssl_verify`

---@class endpoint.clients.SocketRequest
---@field url string
---@field method string
---@field headers endpoint.clients.Strings
---@field source? endpoint.clients.Source of the body, also of an empty one
---@field step? function for a stream: keeps LuaSocket from ending one that breaks off
---@field sink? function an ltn12 sink for the response's body
---@field redirect boolean false
---@field [string] any options of LuaSocket and LuaSec, such as `verify`, `cafile`, `proxy`

---@class endpoint.clients.CurlSettings
---@field url string
---@field customrequest string the method
---@field httpheader string[] `"name: value"`
---@field nobody? boolean true for HEAD
---@field path_as_is boolean true
---@field postfields? string the body
---@field upload? boolean true for a stream
---@field infilesize? number its content-length
---@field readfunction? endpoint.clients.Source raises where a source fails
---@field [string] any options of Lua-cURL, such as `timeout`

---@class endpoint.clients.LuaHttpsRequest
---@field method string
---@field headers endpoint.clients.Strings
---@field data? string the body

---@class endpoint.clients.CaptureOptions
---@field method integer one of nginx's constants
---@field args? string the query
---@field headers endpoint.clients.Strings used by lua-nginx-module from 0.10.27 on; set them with ngx.req.set_header before
---@field body? string
---@field [string] any options of ngx.location.capture, such as `vars`

---@class endpoint.clients
local clients = {}

---For a client of your own: the request in parts.
---@param r endpoint.Request
---@param options? endpoint.clients.PlainOptions
---@return endpoint.clients.Plain request
function clients.plain(r, options) end

---For lua-resty-http from 0.16 on: `http:request_uri(clients.resty_http(r))`.
---@param r endpoint.Request
---@param options? endpoint.clients.Options
---@return string url scheme, host and port
---@return endpoint.clients.RestyParams params
function clients.resty_http(r, options) end

---For LuaSocket's `socket.http.request` and LuaSec's `ssl.https.request`.
---@param r endpoint.Request
---@param options? endpoint.clients.SocketOptions
---@return endpoint.clients.SocketRequest request
function clients.luasocket(r, options) end

---For lua-http: `clients.lua_http(r):go()`. Loads `http.request`. Follows no
---redirects and keeps no cookies.
---@param r endpoint.Request
---@param options? endpoint.clients.Options
---@return any request a request object of lua-http
function clients.lua_http(r, options) end

---For libcurl's bindings: the option table of Lua-cURL 3, or `options.easy`, set.
---@param r endpoint.Request
---@param options? endpoint.clients.CurlOptions
---@return endpoint.clients.CurlSettings|any settings
function clients.curl(r, options) end

---For LÖVE's lua-https: `https.request(clients.lua_https(r))`. It follows redirects and
---repeats headers such as x-api-key elsewhere. A body of more than 65,536 bytes
---raises unless `backend` is another than libcurl.
---@param r endpoint.Request
---@param options? endpoint.clients.LuaHttpsOptions
---@return string url
---@return endpoint.clients.LuaHttpsRequest options
function clients.lua_https(r, options) end

---For `ngx.location.capture(clients.ngx(r))`; the URL is a path of this server,
---which is decoded on its way: what would then be another path raises.
---@param r endpoint.Request
---@param options? endpoint.clients.Options
---@return string path
---@return endpoint.clients.CaptureOptions options
function clients.ngx(r, options) end

---The `curl` program's words and the bytes for its standard input, for a host that starts
---processes without a shell. Nothing of the request is in the words. curl 7.42 or later.
---@param r endpoint.Request
---@param options? endpoint.clients.Options
---@return string[] words
---@return string input
function clients.argv(r, options) end

---A table as `application/x-www-form-urlencoded` text, names sorted, lists repeated.
---@param t table<string, any>
---@param options? endpoint.clients.FormOptions
---@return string text
function clients.form(t, options) end

---The links of a `link` header (RFC 8288): relation type in lower case -> URL.
---@param value string|string[]|nil
---@return table<string, string> links
function clients.links(value) end

---A `curl` command line for a POSIX shell; secrets in headers and in the URL are hidden.
---@param r endpoint.Request
---@param options? endpoint.clients.CurlCommandOptions
---@return string command
function clients.curl_command(r, options) end

return clients
