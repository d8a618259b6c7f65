---@meta endpoint.request
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The only description of endpoint.request. docs/send-requests.md shows how it is used.

---Sends the requests of an endpoint. It is the only part of this library that does I/O.
---
---```lua
---local request = require "endpoint.request"
---local function answer(r)
---  return 200, { ["content-type"] = "application/json" }, '{"name": "lua"}'
---end
---local send = request.new(endpoint, { client = answer })
---
---print(send("GET /repos/{repo}", { repo = "lua" }).name) --> lua
---```
---
---**Raises** a string, with the position of the caller's line, when it is misused: whatever
---`endpoint` and `endpoint.clients` raise; and a string with `endpoint.request: ` for an unknown
---setting, a setting of a wrong type, or a missing module. **Raises** an
---`endpoint.request.Failure`, a table, if something outside the program went wrong: no connection,
---a certificate of another host, a broken response, a status of 400 or more, a redirect that is not
---followed.
---@class endpoint.request
local request = {}

---How to send one call: the option `request` of a call, and of defaults. A setting of the call
---replaces that of the defaults.
---@class endpoint.request.CallSettings
---The seconds for a whole call: its tries, pauses and redirects, and the calls that its hook makes.
---60 unless given.
---@field timeout? number
---The seconds for a connection, with the host's name and TLS, for each address of the host. 10
---unless given.
---@field connect_timeout? number
---The seconds of silence within a response that has begun. No limit unless given.
---@field idle_timeout? number
---The seconds for one try, up to the first byte of its response. No limit unless given.
---@field try_timeout? number
---How many tries at most, the first included. Redirects are not counted. 3 unless given.
---@field tries? number
---The statuses that say that the server did not act on a request. Then the request is sent again,
---whatever its method is. A list replaces the rules that hold without it: 429, 503 with
---`retry-after`, 403 with `retry-after` or `x-ratelimit-remaining: 0`; for idempotent requests
---also 408, 502, 503, 504; for GET and HEAD also 500. `{ more = list }` adds to these rules.
---@field retry_on? number[]|{ more: number[] }
---true if requests are idempotent (they may arrive twice), whatever their method is; false if they
---are not. Unless given, GET, HEAD, QUERY, PUT, DELETE and OPTIONS are, and any request with an
---`idempotency-key`. A stream is not sent again, unless `clients.file` has made it.
---@field may_repeat? boolean
---A request that is not idempotent takes a kept connection only if that was used less than so
---many seconds ago. 4 unless given; 0 for a new connection.
---@field reuse_within? number
---@field redirects? number # How many redirects to follow. 0 unless given.
---To which other hosts a redirect may lead: a list of hosts, with `*.` for those below one, or a
---function of the URL. They get no credential, cookie or default. None unless given.
---@field other_origins? string[]|fun(url: string): any
---The greatest number of bytes of a response that are kept in memory. 64 MiB unless given.
---@field max_size? number
---Called for each try and each redirect, with a copy of the request, which it may change. It
---returns what `send(r)` returned, or a response of its own: `{ status, headers, text }`.
---@field around? endpoint.request.Hook
---Gets the body of a success piece by piece, with the response, which has status and headers. At
---the end it gets nil, with a message if the body is not whole or the status is not a success. To
---stop, also at the end of a success, it returns nil and a message. `request.events` and
---`request.lines` make such functions.
---@field sink? endpoint.request.Sink
---Called after each request, and before each pause.
---@field log? fun(entry: endpoint.request.Entry|endpoint.request.Pause|endpoint.request.Wrong)
---@field encode? fun(value: any): string # As for `endpoint.clients`.
---Decodes JSON. For what is not JSON it raises, or returns nil and a message. lua-cjson's unless
---given.
---@field decode? fun(text: string): any, any, any
---@field nested? "brackets"|"indices" # As for `endpoint.clients`.

---How to send all calls.
---@class endpoint.request.Settings: endpoint.request.CallSettings
---Who sends. Unless given, LuaSocket with LuaSec; inside nginx, nginx's own sockets.
---@field client? "luasocket"|"curl"|"resty_http"|"neovim"|endpoint.request.Client
---A file with the certificates of the authorities to trust. Unless given, the client's own file;
---for LuaSocket the file of the system.
---@field cafile? string
---@field certificate? string # A PEM file with a certificate, for servers that ask for one.
---@field key? string # A PEM file with the certificate's key, if it is not in the same file.
---The URL of an HTTP proxy, or "environment". Then the variables `https_proxy`, `http_proxy`,
---`all_proxy` and `no_proxy` say which request takes which proxy. Unless given, there is no proxy,
---and the environment is not read.
---@field proxy? string
---The path of a Unix socket to which all requests go; the URL's host is only the header. LuaSocket
---and nginx take it, and Lua-cURL 3.
---@field socket_path? string
---Waits before the next try. Unless given, the client's own way to wait.
---@field sleep? fun(seconds: number)
---The clock of all limits, in seconds. It should be monotonic, so that a change of the time of day
---does not change the limits. Unless given, nginx's monotonic clock or LuaSocket's time of day.
---@field now? fun(): number
---Waits until a socket of LuaSocket can be read ("r") or written ("w"), and lets a loop do other
---work meanwhile. Returns true, or nil when the seconds are over. Unless given, LuaSocket waits.
---@field wait? fun(socket: any, direction: "r"|"w", seconds: number): boolean?
---Called with the arguments of each call. It raises if they are wrong. It is not called for a URL
---of `each` that the server wrote. If it returns a function, and the setting `encode` is not given,
---that function encodes the body of the call if it is JSON. Other results are ignored.
---@field check? fun(route: string|endpoint.Options, options?: endpoint.Options,
---api?: endpoint.Endpoint): any
---Called after each response with the route, such as `GET /books/{id}`, the status and the body,
---unless a sink had the body. Returns true if the response is right, or nil and a sentence. A wrong
---one is a failure. `send` raises for a status of 400 or more before that.
---@field check_response? fun(route: string, status: integer, body: any): boolean?, string?
---What happens after a wrong response: it is raised, unless given, or only told to `log`.
---@field wrong_response? "raise"|"log"

---Gets a body piece by piece, with the response; at the end nil, and a message if the body is not
---whole or the status is not a success.
---@alias endpoint.request.Sink fun(piece?: string,
---response?: endpoint.request.Response|string): any, string?

---Sends a request, and returns a response; or nil, a message, true if no other try can help, and the
---reason. If a stream was read, or a sink had a piece, a second call returns nil and a message.
---@alias endpoint.request.SendOnce fun(r?: endpoint.Request):
---endpoint.request.Response?, string?, boolean?, endpoint.request.Reason?

---A hook around each try: the setting `around`.
---@alias endpoint.request.Hook fun(r: endpoint.Request, send: endpoint.request.SendOnce):
---endpoint.request.Made?, string?, boolean?, endpoint.request.Reason?

---A response that the hook `around` makes itself. It may be returned again.
---@class endpoint.request.Made
---@field status number # The status.
---@field headers? table<string, string|string[]> # The headers.
---@field text? string # The body.

---A client of your own. Returns a status, headers and the body; or nil, a message, true if no other
---try can help, and the reason. Headers are a table of names with strings or lists of strings. The
---body is a string or nil. The client must check certificates itself.
---@alias endpoint.request.Client fun(r: endpoint.Request, settings: endpoint.request.Try): number?,
---table|string, (string|boolean)?, endpoint.request.Reason?

---What a client of your own gets: the settings of the call, and these.
---@class endpoint.request.Try: endpoint.request.Settings
---@field scheme string # `http` or `https`.
---@field host string # The host, without brackets.
---@field port number # The port.
---@field timeout number # The seconds that are left.
---@field may_repeat boolean # Whether this request is idempotent, so that it may arrive twice.
---@field proxy? string # The URL of the proxy for this request.

---A server's response.
---@class endpoint.request.Response: endpoint.request.Made
---@field status number # The status, such as 200.
---Names in lower case. Several fields of one name are joined by `, `; `set-cookie` is a list.
---@field headers table<string, any>
---@field text string # The body as it came; empty with a sink.
---The decoded body if its content type is JSON; otherwise the string; nil if it is empty.
---@field body any
---What `clients.links` reads of the header `link`: relation -> URL as a template.
---@field links table<string, string>
---The URL of the last request. The response of a failure does not have it: its query may be secret.
---@field url? string

---Why there is a failure; docs/errors.md says which setting belongs to each word.
---@alias endpoint.request.Reason
---| "timeout" | "resolve" | "connect" | "tls" | "proxy" | "cut off" | "protocol" | "too long"
---| "status" | "redirect" | "not JSON" | "response" | "sink" | "stream" | "page" | "token" | "hook"
---| "client"

---Something that went wrong outside the program. `tostring` gives the position and the message.
---@class endpoint.request.Failure
---Method, template and what was wrong. It has no value, header, query or body of the request.
---@field message string
---The position of the caller's line, such as `program.lua:7: `; empty if Lua does not know it.
---@field position string
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field reason endpoint.request.Reason # Why, for programs.
---@field retry_after? number # The seconds that the response asks to wait, if it does.
---@field status? number # The status, if there was a response.
---@field response? endpoint.request.Response # The response, if there was one.

---One try, for a log. `tostring` gives a line such as `GET /repos/{repo} 200 0.120 s, try 1`.
---@class endpoint.request.Entry
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field try number # 1 for the first try. A redirect that is followed has the same number.
---@field seconds number # How long it took.
---@field status? number # The status, if there was a response.
---@field message? string # What went wrong, if there was no response.

---A pause before the next try, for a log. `tostring` gives a line such as
---`GET /repos/{repo} pauses 2.500 s after try 1: the server answers 429`.
---@class endpoint.request.Pause
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field try number # The number of the try before the pause.
---@field seconds number # How long the pause is.
---@field reason string # Why there is another try.

---A response that is not what the document says, for a log. `tostring` gives a line.
---@class endpoint.request.Wrong
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field try number # The number of the try that had the response.
---@field status number # The status.
---@field reason "response" # Tells it from other entries.
---@field message string # What is wrong.

---How to read pages.
---@class endpoint.request.Pages
---Returns the list of a page, and what names the next page: a URL, or parameters that replace those
---of the first call; where the call has `data`, fields that are merged into it.
---Unless given, the body is the list, and the header `link` names the next page.
---@field page? fun(body: any, response: endpoint.request.Response): table, string|table|false|nil
---@field max? number # The greatest number of pages to ask for.

---Sends the requests of one endpoint. `send(route, options)` returns the body and the response, and
---raises for a status of 400 or more. The members work with a dot and with a colon.
---@class endpoint.request.Sender
---@overload fun(route: string, options?: endpoint.Options): any, endpoint.request.Response
---@overload fun(options: endpoint.Options): any, endpoint.request.Response
---@field endpoint endpoint.Endpoint # The endpoint that makes the requests.
---The same, but returns a response of any status. Raises if there is no response.
---@field ask fun(route: string|endpoint.Options, options?: endpoint.Options):
---any, endpoint.request.Response
---The elements of a list, page after page, for a loop with `for`. A page of another origin than the
---first raises. So do a page that was already read, and a response without a list.
---@field each fun(route: string|endpoint.Options, options?: endpoint.Options,
---pages?: endpoint.request.Pages): fun(): any
---Saves the body of a GET as a file: docs/downloads.md. Goes on after a cut, and in the
---next run. Returns the size and the last response.
---@field download endpoint.request.Save

---Saves the body of a GET as a file, and returns its size and the last response.
---@alias endpoint.request.Save fun(route: string|endpoint.Options, options: endpoint.Options?,
---path: string, how?: endpoint.request.Download): number, endpoint.request.Response

---How to save a file.
---@class endpoint.request.Download
---Gets the bytes so far, and those of the whole, nil if that is not known, at most ten times a
---second.
---@field progress? fun(size: number, whole?: number)
---The sum that the file must have, 64 hexadecimal digits. It needs luaossl or lua-resty-string.
---@field sha256? string

---Returns a sender: a client that sends the requests of an endpoint.
---
---```lua
---local request = require "endpoint.request"
---local asked = 0
---local function answer(r)
---  asked = asked + 1
---  local link = asked == 1 and '<?page=2>; rel="next"' or nil
---  return 200, { ["content-type"] = "application/json", link = link }, "[1, 2]"
---end
---local send = request.new(endpoint, { client = answer })
---
---local count = 0
---for _ in send.each("GET /items") do count = count + 1 end
---print(count, asked) --> 4	2
---```
---@param api endpoint.Endpoint # Makes the requests. A module of endpoint-types is one, too.
---@param settings? endpoint.request.Settings # How to send.
---@return endpoint.request.Sender # Sends them.
function request.new(api, settings) end

---Runs several jobs of a list at once. Its members work with a dot and with a colon, except `wait`
---and `sleep`.
---@class endpoint.request.Pool
---Calls `f(list[i], i)` for each element, each in a coroutine of its own. Returns two tables: the
---first result of each call, and the error of each call that raised, both by the element's number.
---**Raises** for a list with a hole.
---@field run fun(list: any[], f: fun(item: any, i: integer): any):
---table<integer, any>, table<integer, any>
---Starts no further job, and ends those that wait. Each of them has `why` as its error.
---@field cancel fun(why?: any)
---For the setting `wait`.
---@field wait fun(socket: any, direction: "r"|"w", seconds: number): boolean?
---@field sleep fun(seconds: number) # For the setting `sleep`.

---How many jobs of a pool may run.
---@class endpoint.request.PoolSettings
---@field at_once number # How many jobs run at once, at most. More than 900 count as 900.

---Makes a pool, which sends many requests at once with LuaSocket: docs/many-at-once.md. **Raises**
---inside nginx, under Lua 5.1 without coxpcall, and for an unknown setting.
---
---```lua
---local request = require "endpoint.request"
---local function run()
---  local pool = request.pool { at_once = 2 }
---  -- Each would send a request.
---  return pool.run({ 1, 2, 3 }, function(item) return item * item end)
---end
---local ok, results = pcall(run) -- false if LuaSocket is missing
---
---print(ok and results[3] or 9) --> 9
---```
---@param settings endpoint.request.PoolSettings # How many.
---@return endpoint.request.Pool pool # Runs jobs.
function request.pool(settings) end

---Where a token is shared, such as `ngx.shared.tokens`. Values are strings.
---@class endpoint.request.Store
---@field get fun(self: any, key: string): string? # The value, or nil.
---Sets a value for so many seconds, and returns true.
---@field set fun(self: any, key: string, value: string, seconds: number): boolean?, string?
---Sets a value if there is none; else returns false, or nil and "exists".
---@field add fun(self: any, key: string, value: string, seconds: number): boolean?, string?
---@field delete fun(self: any, key: string) # Removes a value.

---How a token is fetched, shared and sent.
---@class endpoint.request.TokenSettings
---Returns a token and the seconds that it is valid, nil if that is not known; or nil and a message.
---@field fetch fun(): string?, (number|string)?
---@field store? endpoint.request.Store # Unless given, the memory of this program.
---@field key? string # The name of the token in the store. A store needs it.
---The seconds before its end at which it is renewed. A tenth of its life unless given, at most 60.
---@field before? number
---@field header? string # "authorization" unless given.
---@field form? string # The text of the header, with `%s` for the token. "Bearer %s" unless given.
---@field fetch_timeout? number # The seconds that a fetch may take. 10 unless given.
---@field now? fun(): number # The clock, in seconds. The time of day unless given.

---Makes a hook that writes a token into each request: docs/authentication.md. It fetches one for all
---calls that wait, renews it before it ends, and fetches another after a 401. **Raises** for an
---unknown setting, and for one of a wrong type.
---
---```lua
---local request = require "endpoint.request"
---local function answer(r) return 200, {}, r.headers.authorization end
---local around = request.token { fetch = function() return "t1", 3600 end }
---local send = request.new(endpoint, { client = answer, around = around })
---
---print((send "GET /me")) --> Bearer t1
---```
---@param settings endpoint.request.TokenSettings # How.
---@return endpoint.request.Hook hook # For the setting `around`.
function request.token(settings) end

---Finds the errors of GraphQL, which come with a status of 200. Returns their words, one line of at
---most 200 bytes; nil if there are no errors.
---
---```lua
---local request = require "endpoint.request"
---
---print(request.graphql_error { errors = { { message = "no such field" } } }) --> no such field
---```
---@param body any # A decoded body.
---@return string? words # What is wrong.
function request.graphql_error(body) end

---Where a cache keeps responses, such as `ngx.shared.cache`. Values are strings.
---@class endpoint.request.CacheStore
---@field get fun(self: any, key: string): string? # The value, or nil.
---@field set fun(self: any, key: string, value: string, seconds: number): any # Sets a value.

---How a cache keeps responses.
---@class endpoint.request.CacheSettings
---@field store? endpoint.request.CacheStore # Unless given, the memory of this program.
---@field max_size? number # The bytes that are kept in memory. 16 MiB unless given.
---The most seconds for which a response is kept. A day unless given.
---@field keeps? number
---@field now? fun(): number # The clock, in seconds. The time of day unless given.

---Makes a hook that is a private cache (RFC 9111) for GET: docs/hooks.md. **Raises** for an unknown
---setting, and for one of a wrong type.
---
---```lua
---local request = require "endpoint.request"
---local count = 0
---local function answer()
---  count = count + 1
---  return 200, { ["cache-control"] = "max-age=60" }, "text"
---end
---local send = request.new(endpoint, { client = answer, around = request.cache() })
---
---print((send "GET /x"), (send "GET /x"), count) --> text	text	1
---```
---@param settings? endpoint.request.CacheSettings # How.
---@return endpoint.request.Hook hook # For the setting `around`.
function request.cache(settings) end

---An event of a stream of `text/event-stream`.
---@class endpoint.request.Event
---@field event? string # Its name; nil if the server gives none.
---@field data string # Its lines of data, joined by "\n".
---@field id? string # The last id of the stream up to here; nil before the first id.
---The last `retry` of the stream up to here: the milliseconds to wait before connecting again.
---@field retry? number

---Makes a sink that reads `text/event-stream` (WHATWG HTML, section 9.2.6) and calls a function for
---each event. An event that the end of the response cuts off is dropped. An event of more bytes
---than `max_size` raises a failure.
---
---```lua
---local request = require "endpoint.request"
---local function answer()
---  local text = "data: a\n\nevent: end\ndata: b\n\n"
---  return 200, { ["content-type"] = "text/event-stream" }, text
---end
---local send = request.new(endpoint, { client = answer })
---
---local sink = request.events(function(event) print(event.event, event.data) end)
---send("POST /chat", { request = { sink = sink } })
--- --> nil	a
--- --> end	b
---```
---@param f fun(event: endpoint.request.Event): any, string? # Nil and a message end the call.
---@return endpoint.request.Sink sink # For the setting `sink`.
function request.events(f) end

---Makes a sink that reads lines of JSON (`application/x-ndjson`). Each line that is not empty is
---decoded by the setting `decode`. The last line needs no line end. A line of more bytes than
---`max_size`, and a line that is not JSON, raise a failure.
---
---```lua
---local request = require "endpoint.request"
---local function answer()
---  return 200, { ["content-type"] = "application/x-ndjson" }, '{"id": 1}\n{"id": 2}'
---end
---local send = request.new(endpoint, { client = answer })
---
---local sink = request.lines(function(line) print(("%d"):format(line.id)) end)
---send("GET /log", { request = { sink = sink } })
--- --> 1
--- --> 2
---```
---@param f fun(value: any): any, string? # Called for each value. Nil and a message end the call.
---@return endpoint.request.Sink sink # For the setting `sink`.
function request.lines(f) end

return request
