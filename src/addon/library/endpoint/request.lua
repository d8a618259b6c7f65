---@meta endpoint.request
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The one description of endpoint.request. docs/request.md shows how it is used.

---Sends what an endpoint makes, and is the only part of this library that does I/O.
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
---**Raises** a string, with the position of the caller's line, when it is misused: what `endpoint`
---and `endpoint.clients` raise, and `endpoint.request: ` with an unknown setting, one of a wrong
---type, or a module that is missing. **Raises** an `endpoint.request.Failure`, a table, for what
---went wrong outside the program: no connection, a certificate of another host, an answer that is
---broken, a status from 400 on, a redirect that is not followed.
---@class endpoint.request
local request = {}

---How to send one call: the option `request` of a call, and of defaults, over which that of a call
---lies, setting by setting.
---@class endpoint.request.CallSettings
---The seconds for a whole call: its tries, pauses and redirects. 60 unless given.
---@field timeout? number
---The seconds for a connection, with its name and TLS, to each address of a host. 10 unless given.
---@field connect_timeout? number
---The seconds of silence within an answer that has begun. None unless given.
---@field idle_timeout? number
---The seconds for one try, up to the first byte of its answer. None unless given.
---@field try_timeout? number
---@field tries? number # How many tries at most, the first included; redirects are not counted. 3 unless given.
---The statuses by which the server says that it did not act on a request: it is sent again,
---whatever its method is. A list takes the place of all rules: 429, 503 with `retry-after`, 403
---with `retry-after` or `x-ratelimit-remaining: 0`; and, for what may arrive twice, 408, 502, 503,
---504, for GET and HEAD 500. `more` is a list that is added to them.
---@field retry_on? number[]|{ more: number[] }
---May requests arrive twice, whatever their method is? Unless given: GET, HEAD, PUT, DELETE,
---OPTIONS, and those with an `idempotency-key`. A stream never does, unless `clients.file` has made
---it.
---@field may_repeat? boolean
---@field redirects? number # How many redirects to follow. 0 unless given.
---The bytes of an answer that are kept in memory, at most. 64 MiB unless given.
---@field max_size? number
---Called for each try and each redirect with a result of its own, which it may change; returns what
---`send(r)` returned, or a response that it makes: `{ status, headers, text }`.
---@field around? fun(r: endpoint.Request, send: endpoint.request.SendOnce): endpoint.request.Made?, string?
---Takes the body of a success piece by piece, with the response, which has status and headers; and
---nil at the end, with a message if it is not whole. To stop, also at the end, it returns nil and a
---message. `request.events` and `request.lines` make such functions.
---@field sink? fun(piece?: string, response?: endpoint.request.Response|string): any, string?
---Called after each request, and before each pause.
---@field log? fun(entry: endpoint.request.Entry|endpoint.request.Pause)
---@field encode? fun(value: any): string # As for `endpoint.clients`.
---Decodes JSON, or raises, or returns nil and a message; lua-cjson's unless given.
---@field decode? fun(text: string): any, any, any
---@field nested? "brackets"|"indices" # As for `endpoint.clients`.

---How to send all calls.
---@class endpoint.request.Settings: endpoint.request.CallSettings
---Who sends: LuaSocket with LuaSec unless given, inside nginx its own sockets.
---@field client? "luasocket"|"curl"|"resty_http"|endpoint.request.Client
---A file with the certificates of the authorities to trust. Without it the client's own; for
---LuaSocket that of the system.
---@field cafile? string
---@field certificate? string # A PEM file with the certificate to show to servers that ask for one.
---@field key? string # A PEM file with its key, if that is not in the same file.
---The URL of an HTTP proxy, or "environment": then `https_proxy`, `http_proxy`, `all_proxy` and
---`no_proxy` say which requests take which. None unless given: the environment is not read.
---@field proxy? string
---Waits before the next try. Without it the client's own way to wait.
---@field sleep? fun(seconds: number)
---The clock of all limits, in seconds; a monotonic one is not misled by a time that is set back.
---Unless given, nginx's monotonic clock or LuaSocket's time of day.
---@field now? fun(): number
---Waits until a socket of LuaSocket can be read ("r") or written ("w"), and lets a loop do other
---work meanwhile; returns true, or nil when the seconds are over. Without it LuaSocket waits.
---@field wait? fun(socket: any, direction: "r"|"w", seconds: number): boolean?
---Called before each call with its arguments; raises what is wrong with them. Not called for a URL
---of `each` that the server wrote. A function that it returns encodes the body of the call if that
---is JSON, and the setting `encode` is not given. Other results are ignored.
---@field check? fun(route: string|endpoint.Options, options?: endpoint.Options, api?: endpoint.Endpoint): any

---Sends a result, and returns a response; or nil, a message, and true if no other try can help. A
---second call after a stream was read, or a sink had a piece, returns nil and a message.
---@alias endpoint.request.SendOnce fun(r?: endpoint.Request): endpoint.request.Response?, string?, boolean?

---A response that the hook `around` makes itself; it may be returned again.
---@class endpoint.request.Made
---@field status number # The status.
---@field headers? table<string, string|string[]> # The headers.
---@field text? string # The body.

---Sends a request in a way of your own: returns a status, headers, a table of names with texts or
---lists, and the body, a text or nothing; or nil, a message, and true if no other try can help. It
---must check certificates itself.
---@alias endpoint.request.Client fun(r: endpoint.Request, settings: endpoint.request.Try): number?,
---table|string, (string|boolean)?

---What a client of your own gets: the settings of the call, and these.
---@class endpoint.request.Try: endpoint.request.Settings
---@field scheme string # `http` or `https`.
---@field host string # The host, without brackets.
---@field port number # The port.
---@field timeout number # The seconds that are left.
---@field may_repeat boolean # May this request arrive twice?
---@field proxy? string # The URL of the proxy for this request.

---What a server answered.
---@class endpoint.request.Response: endpoint.request.Made
---@field status number # The status, such as 200.
---Names in lower case; several fields of a name are joined by `, `, but `set-cookie` is a list.
---@field headers table<string, any>
---@field text string # The body as it came; empty with a sink.
---@field body any # JSON decoded, by its content type; else the text; nil for none.
---What `clients.links` reads of the header `link`: relation -> URL as a template.
---@field links table<string, string>
---The URL that was asked for last. A failure has none, for its query may be secret.
---@field url? string

---What went wrong outside the program. `tostring` gives the position and the message.
---@class endpoint.request.Failure
---Method, template and what was wrong: nothing of the request's values, headers, query and body.
---@field message string
---That of the caller's line, such as `program.lua:7: `; empty if Lua knows none.
---@field position string
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field status? number # The status, if there was an answer.
---@field response? endpoint.request.Response # The answer, if there was one.

---One try, for a log. `tostring` gives a line such as `GET /repos/{repo} 200 0.120 s, try 1`.
---@class endpoint.request.Entry
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field try number # 1 for the first; a redirect that is followed has the same.
---@field seconds number # How long it took.
---@field status? number # The status, if there was an answer.
---@field message? string # What went wrong, if there was none.

---A pause before the next try, for a log. `tostring` gives a line such as
---`GET /repos/{repo} pauses 2.500 s after try 1: the server answers 429`.
---@class endpoint.request.Pause
---@field method string # The method, in upper case.
---@field template string # The template, without its query.
---@field try number # The try that is over.
---@field seconds number # How long it pauses.
---@field reason string # What the try has told.

---How to walk through pages.
---@class endpoint.request.Pages
---Finds the list, and what names the next page: a URL, or parameters to lay over those of the first
---call. Without it the body is the list, and the header `link` names the next page.
---@field page? fun(body: any, response: endpoint.request.Response): table, string|table|false|nil
---@field max? number # How many pages to ask for at most.

---Sends the requests of one endpoint: `send(route, options)` returns the body and the response, and
---raises from 400 on. The members work with a dot and with a colon.
---@class endpoint.request.Sender
---@overload fun(route: string, options?: endpoint.Options): any, endpoint.request.Response
---@overload fun(options: endpoint.Options): any, endpoint.request.Response
---@field endpoint endpoint.Endpoint # The endpoint that makes the requests.
---The same, but returns any answer: raises for none.
---@field ask fun(route: string|endpoint.Options, options?: endpoint.Options): any, endpoint.request.Response
---The elements of a list, page after page, for a `for`. A page of another origin than the first's
---raises, and so do a page that was already read, and an answer without a list.
---@field each fun(route: string|endpoint.Options, options?: endpoint.Options, pages?: endpoint.request.Pages): fun(): any

---Makes a sender of an endpoint.
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

---So many jobs at once over a list. Its members work with a dot and with a colon, but for `wait`
---and `sleep`.
---@class endpoint.request.Pool
---Calls `f(list[i], i)` for each element, each in a coroutine of its own. Returns what each call
---returned first, and what each raised, by the same number. **Raises** for a list with a hole.
---@field run fun(list: any[], f: fun(item: any, i: integer): any): table<integer, any>, table<integer, any>
---Begins no other job, and ends those that wait: each has this as its problem.
---@field cancel fun(why?: any)
---For the setting `wait`.
---@field wait fun(socket: any, direction: "r"|"w", seconds: number): boolean?
---@field sleep fun(seconds: number) # For the setting `sleep`.

---How many jobs of a pool may run.
---@class endpoint.request.PoolSettings
---@field at_once number # How many at once, at most; of more than 900, 900.

---Makes a pool, which sends many requests at once by LuaSocket: docs/many-at-once.md. **Raises**
---inside nginx, under Lua 5.1 without coxpcall, and for an unknown setting.
---
---```lua
---local request = require "endpoint.request"
---local function run()
---  local pool = request.pool { at_once = 2 }
---  -- Each would send a request.
---  return pool.run({ 1, 2, 3 }, function(item) return item * item end)
---end
---local ok, results = pcall(run) -- not where LuaSocket is missing
---
---print(ok and results[3] or 9) --> 9
---```
---@param settings endpoint.request.PoolSettings # How many.
---@return endpoint.request.Pool pool # Runs jobs.
function request.pool(settings) end

---An event of a stream of `text/event-stream`.
---@class endpoint.request.Event
---@field event? string # Its name; nil where the server gives none.
---@field data string # Its lines of data, joined by "\n".
---@field id? string # The last id of the stream up to here; nil before the first.
---The last `retry` of the stream up to here: milliseconds to wait before the program connects
---again.
---@field retry? number

---Makes a sink that reads `text/event-stream` (WHATWG HTML, section 9.2.6) and calls a function for
---each event. An event that the end of the answer cuts off is dropped. An event of more bytes than
---`max_size` raises a failure.
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
---@param f fun(event: endpoint.request.Event): any, string? # Called for each event; nil and a message end it.
---@return fun(piece?: string, response?: endpoint.request.Response|string): any, string? sink # For the setting `sink`.
function request.events(f) end

---The same for lines of JSON (`application/x-ndjson`): decodes each line that is not empty by the
---setting `decode`. The last line needs no line end. A line of more bytes than `max_size`, and one
---that is not JSON, raise a failure.
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
---@param f fun(value: any): any, string? # Called for each value; nil and a message end the call.
---@return fun(piece?: string, response?: endpoint.request.Response|string): any, string? sink # For the setting `sink`.
function request.lines(f) end

return request
