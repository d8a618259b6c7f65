-- SPDX-License-Identifier: MIT
-- Sends what an endpoint makes: over TLS that is verified, decodes JSON, raises where a server refuses,
-- sends again what may be sent twice, and walks through pages. What each function takes, returns and
-- raises is said in src/addon/library/endpoint/request.lua.
local request = {}

local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local errors = require "endpoint.request.errors"
local fail = errors.fail

-- --- settings ---------------------------------------------------------------------

local TYPES = { client = "string", cafile = "string", proxy = "string", timeout = "number", step_timeout = "number",
  tries = "number", redirects = "number", max_size = "number", sleep = "function", log = "function", sink = "function",
  encode = "function", decode = "function", nested = "string" }
local LEAST = { timeout = 0.001, step_timeout = 0.001, tries = 1, redirects = 0, max_size = 1 }
local ONCE = { client = true, cafile = true, proxy = true, sleep = true }
local CLIENTS = { luasocket = true, curl = true, lua_http = true, resty_http = true }

local function check(settings, what)
  if type(settings) ~= "table" then fail("%s: expected a table, got a %s", what, type(settings)) end
  for name, value in pairs(settings) do
    local expected = TYPES[name] or fail("%s: there is no setting %s", what, errors.shown(tostring(name)))
    if type(value) ~= expected and not (name == "client" and type(value) == "function") then
      fail("%s: expected a %s, got a %s", name, expected, type(value))
    elseif LEAST[name] and not (value >= LEAST[name] and value < math.huge) then
      fail("%s: expected a number of at least %s", name, tostring(LEAST[name]))
    end
  end
end

local function load_client(settings)
  local client = settings.client or (rawget(_G, "ngx") and "resty_http" or "luasocket")
  if type(client) == "string" and not CLIENTS[client] then
    fail("client: expected luasocket, curl, lua_http, resty_http or a function")
  end
  if type(client) == "string" then return require("endpoint.request." .. client)(settings) end
  return client
end

-- How to wait, and a clock: those of the client, else LuaSocket's; without any nothing is sent again.
local function load_clock(sleep, now)
  local found, socket = pcall(require, "socket")
  if now or not found then return sleep, now or os.time end
  return sleep or socket.sleep, socket.gettime
end

-- --- the answer -------------------------------------------------------------------

local Failure = {}
function Failure.__tostring(failure) return failure.message end
function Failure.__concat(a, b) return tostring(a) .. tostring(b) end

-- Raises a table: what went wrong outside the program.
local function raise(call, text, response)
  if response then response.url = nil end -- its query is the request's
  error(setmetatable({
    message = ("%s%s %s: %s"):format(errors.position(), call.method, call.template, text),
    method = call.method, template = call.template, status = response and response.status, response = response,
  }, Failure), 0)
end

local function lower(text) return (text:gsub("[A-Z]", string.lower)) end

-- Header names in lower case; several fields of a name are one.
local function read_headers(headers)
  local read, size = {}, 0
  for name, value in pairs(headers) do
    if type(value) == "table" then value = table.concat(value, ", ") end
    read[lower(name)], size = tostring(value), size + #name + #tostring(value) + 4
  end
  return read, size
end

local function decoder(settings)
  if settings.decode then return settings.decode end
  local found, cjson = pcall(require, "cjson")
  return found and cjson.decode or fail "decode: expected lua-cjson, or a function"
end

-- The body: JSON decoded, any other text as it is; nil for none.
local function read_body(call, response)
  local kind = lower(response.headers["content-type"] or ""):match "^[^;]*"
  if response.text == "" or not kind:find "[/+]json%s*$" then return response.text ~= "" and response.text or nil end
  local ok, value = pcall(decoder(call.settings), response.text)
  if ok then return value end
  if response.status < 300 then raise(call, "the answer is no JSON", response) end
  return response.text
end

local REASONS = { "message", "error", "errors", "detail", "title" }

-- The server's own words in its JSON, wherever APIs put them.
local function reason_in(value, depth)
  if type(value) == "string" and value ~= "" then return value end
  if type(value) ~= "table" or depth > 3 then return nil end
  for _, key in ipairs(REASONS) do
    local reason = reason_in(value[key], depth + 1)
    if reason then return reason end
  end
  return reason_in(value[1], depth + 1)
end

-- --- one try ----------------------------------------------------------------------

-- Collects the pieces of an answer: with a sink those of a success go there.
local function collector(call)
  local parts, size, settings = {}, 0, call.settings
  return function(piece, status)
    if settings.sink and status >= 200 and status < 300 then
      call.is_given = true
      local ok, problem = settings.sink(piece)
      return ok or not problem, problem
    end
    parts[#parts + 1], size = piece, size + #piece
    if size > settings.max_size then return nil, "the answer is too long" end
    return 1
  end, parts
end

-- What is wrong with an answer that came whole; nil if nothing is.
local function fault_of(call, headers, size, text)
  local coding = headers["content-encoding"]
  if size > 65536 then return "the head of the answer is too long" end
  if not (headers["content-length"] or "0"):find "^%d+$" then return "the answer has no right length" end
  local is_wanted = call.r.headers["accept-encoding"] or not coding or lower(coding) == "identity"
  if not is_wanted and (text ~= "" or call.is_given) then
    return "the answer is coded, as nobody asked for: " .. errors.shown(coding)
  end
end

-- A response; or nil, a message, and true if no other try can help.
local function exchange(self, call)
  local write, parts = collector(call)
  local try = { timeout = call.left(), left = call.left, write = write, may_repeat = call.may_repeat }
  if call.r.url:sub(1, 1) ~= "/" then -- where a function of the user's sends to locations of nginx
    local place = errors.call(clients.plain, { method = "GET", url = call.r.url })
    try.scheme, try.host, try.port = place.scheme, place.host, place.port
  end
  local status, headers, text = self.send(call.r, setmetatable(try, { __index = call.settings }))
  if not status then return nil, tostring(headers), text == true end
  if type(status) ~= "number" or type(headers) ~= "table" then fail "client: expected a status, headers and a text" end
  local size, ok, problem
  headers, size = read_headers(headers)
  if type(text) == "string" and text ~= "" then
    ok, problem = write(text, status)
    if not ok then return nil, problem, true end
  end
  text = table.concat(parts)
  problem = fault_of(call, headers, size, text)
  if problem then return nil, problem, true end
  return { status = status, headers = headers, text = text, url = call.r.url }
end

-- --- again ------------------------------------------------------------------------

local TWICE = { get = true, head = true, put = true, delete = true, options = true }

local function may_repeat(r)
  if type(r.body) == "function" then return false end
  for name, value in pairs(r.headers) do
    if name:find "idempotency%-key$" and value ~= "" then return true end
  end
  return TWICE[r.method] or false
end

local MONTHS = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11,
  Dec = 12 }

-- The seconds since 1970 of a date (RFC 9110, section 5.6.7), on any time zone; nil for another text.
local function seconds_of(date)
  local day, name, year, hour, min, sec =
    (date or ""):match "^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
  local month = MONTHS[name]
  if not month then return nil end
  if month < 3 then year, month = year - 1, month + 12 end -- a year begins in March
  local days = 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
    + math.floor((153 * month - 457) / 5) + day - 719469
  return days * 86400 + hour * 3600 + min * 60 + sec
end

-- The seconds to wait that an answer asks for, by the server's own clock; nil if it does not.
local function pause_asked(headers)
  local text, now = headers["retry-after"] or "", seconds_of(headers.date) or os.time()
  local date, reset = seconds_of(text), tonumber(headers["x-ratelimit-reset"])
  if date then return math.max(date - now, 0) end
  if text:find "^%d+$" then return tonumber(text) end
  if headers["x-ratelimit-remaining"] == "0" and reset and reset > 1e9 then return math.max(reset - now, 0) end
end

local LATER = { [429] = true, [502] = true, [503] = true, [504] = true }

local function is_later(response)
  return LATER[response.status] or response.status == 403 and response.headers["x-ratelimit-remaining"] == "0"
end

-- How long to wait before the next try; nil if there is none.
local function pause_before_next(self, call, try, response, is_final)
  if not self.sleep or try >= call.settings.tries or not call.may_repeat or call.is_given then return nil end
  if is_final or response and not is_later(response) then return nil end
  local jitter = self.now() * 1e6 % 1e3 / 1e3
  local pause = response and pause_asked(response.headers) or 2 ^ (try - 2) * (0.5 + jitter)
  return pause < call.left() and pause or nil
end

local Entry = {}
function Entry.__tostring(entry)
  local said = entry.status or entry.message
  return ("%s %s %s %.3f s, try %d"):format(entry.method, entry.template, said, entry.seconds, entry.try)
end

local function log(call, try, seconds, response, message)
  if not call.settings.log then return end
  call.settings.log(setmetatable({ method = call.method, template = call.template, try = try, seconds = seconds,
    status = response and response.status, message = message }, Entry))
end

-- A response, after as many tries as it takes; raises where there is none.
local function insist(self, call)
  for try = 1, math.huge do
    local began = self.now()
    local response, problem, is_final = exchange(self, call)
    problem = problem and errors.told(problem, call.r)
    log(call, try, self.now() - began, response, problem)
    local pause = pause_before_next(self, call, try, response, is_final)
    if not pause and not response then raise(call, problem) end
    if not pause then return response end
    self.sleep(pause)
  end
end

-- --- redirects --------------------------------------------------------------------

local MOVED = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

-- The URL of a reference that the server at `base` wrote, as a template; nil if none can be sent.
local function resolved(reference, base)
  if base:sub(1, 1) == "/" then return nil end
  reference = reference:gsub('[%c <>"\\]', function(byte) return ("%%%02X"):format(byte:byte()) end)
  local url = clients.links("<" .. reference .. '>; rel="next"', base).next
  return url and pcall(clients.plain, { method = "GET", url = url }) and url or nil
end

local function origin_of(url)
  local place = clients.plain { method = "GET", url = url }
  return ("%s://%s:%d"):format(place.scheme, lower(place.host), place.port), url:match "^[^/]*//([^/?#]*)@"
end

-- Do two URLs lead to the same server, as the same user?
local function is_same_origin(url, base)
  local origin, user = origin_of(url)
  local own, own_user = origin_of(base)
  return origin == own and (user == nil or user == own_user)
end

-- Where a URL leads, without what may be secret.
local function place_of(url) return errors.shown((url:gsub("[?#].*", ""):gsub("//[^/]*@", "//***@"))) end

local function follow(self, call)
  local response, left = insist(self, call), call.settings.redirects
  while MOVED[response.status] and response.headers.location do
    local url = resolved(response.headers.location, call.r.url)
    local can = url and left > 0 and (call.method == "GET" or call.method == "HEAD") and is_same_origin(url, call.r.url)
    if not can then break end
    left, call.r.url = left - 1, endpoint.parse({ url = url, baseUrl = "" }).url
    response = insist(self, call)
  end
  return response
end

-- --- a call -----------------------------------------------------------------------

-- Without the query, where a template itself may hold a secret.
local function label_of(url)
  return errors.shown((url:gsub("{?[?&#].*", ""):gsub("//[^/]*@", "//***@")))
end

local function prepare(self, ...)
  local merged = errors.call(self.api.merge, ...)
  local own = merged.request
  if own ~= nil then check(own, "request") end
  for name in pairs(own or {}) do
    if ONCE[name] then fail("request: %s is a setting of request.new alone", name) end
  end
  local r = errors.call(self.api.parse, merged)
  local copy = setmetatable({}, { __index = self.settings })
  for name, value in pairs(own or {}) do copy[name] = value end
  local deadline = self.now() + copy.timeout
  return { r = r, method = merged.method, template = label_of(merged.url), settings = copy, may_repeat = may_repeat(r),
    left = function() return deadline - self.now() end }
end

local function ask(self, call)
  local ok, response = pcall(follow, self, call)
  if call.settings.sink then call.settings.sink(nil, not ok and tostring(response) or nil) end
  if not ok then error(response, 0) end
  response.body = read_body(call, response)
  response.links = clients.links(response.headers.link, response.url:sub(1, 1) ~= "/" and response.url or nil)
  return response.body, response
end

local function demand(self, call)
  local body, response = ask(self, call)
  local status = response.status
  if MOVED[status] then
    local url = response.headers.location and resolved(response.headers.location, response.url)
    raise(call, ("the server answers %d: moved to %s"):format(status, url and place_of(url) or "no URL"), response)
  elseif status >= 400 then
    local reason = reason_in(type(body) == "table" and body or nil, 0)
    raise(call, ("the server answers %d%s"):format(status, reason and ": " .. errors.told(reason, call.r) or ""), response)
  end
  return body, response
end

-- --- pages ------------------------------------------------------------------------

-- What the next page keeps of a call whose page was named by a URL: the parameters are in the URL. A null
-- takes a default back on each page.
local function options_of_next(options)
  local kept = {}
  for name, value in pairs(options) do
    if name == "headers" or name == "mediaType" or name == "request" or value == endpoint.null then kept[name] = value end
  end
  return kept
end

-- The call of the page that `following` names: a URL, or parameters to lay over those of the first.
local function next_call(self, pages, call, following)
  if type(following) == "table" then
    local options = {}
    for name, value in pairs(pages.options) do options[name] = value end
    for name, value in pairs(following) do options[name] = value end
    return prepare(self, pages.route, options)
  end
  local url = type(following) == "string" and resolved(following, call.r.url)
  if not url then raise(call, "the next page has no URL") end
  if not is_same_origin(url, pages.first) then
    raise(call, ("the next page is at %s, not at %s"):format(place_of(url), place_of(pages.first)))
  end
  return prepare(self, url, options_of_next(pages.options))
end

-- Remembers the page of a call. Two pages of one URL may differ in their bodies.
local function note_page(pages, call, following)
  local key = call.r.url .. (type(following) == "table" and "\n" .. clients.form(following) or "")
  if pages.seen[key] then raise(call, "the next page was there before") end
  pages.seen[key], pages.count = true, pages.count + 1
end

-- The list of a page, and what names the next.
local function read_page(self, call, find)
  local body, response = demand(self, call)
  local list, following = body, response.links.next
  if find then list, following = find(body, response) end
  if type(list) ~= "table" or next(list) ~= nil and list[1] == nil then raise(call, "the answer has no list", response) end
  if following == endpoint.null then following = nil end
  return list, following or nil
end

local PAGES = { page = "function", max = "number" }

local function each(self, route, options, how)
  for name, value in pairs(how or {}) do
    if type(value) ~= PAGES[name] then fail("each: %s: expected %s", tostring(name), PAGES[name] or "no such option") end
  end
  local call = prepare(self, route, options)
  local pages = { route = route, options = options or {}, count = 0, first = call.r.url, seen = {} }
  local find, max = how and how.page, how and how.max or math.huge
  local list, at, following = {}, 0, true
  return function()
    at = at + 1
    while list[at] == nil and following and pages.count < max do
      local named = following
      following, at = nil, 1 -- an error ends the walk
      if named ~= true or pages.count > 0 then
        local template = call.template
        call = next_call(self, pages, call, named)
        call.template = template
      end
      note_page(pages, call, named)
      list, following = read_page(self, call, find)
    end
    return list[at]
  end
end

-- --- the module -------------------------------------------------------------------

local DEFAULTS = { timeout = 60, step_timeout = 10, tries = 3, redirects = 0, max_size = 2 ^ 26 }

-- A function of the object: a member of it that is called with a colon, too.
local function member(self, object, f, prepared)
  return function(first, ...)
    if first == object then return member(self, object, f, prepared)(...) end
    if not prepared then return f(self, first, ...) end
    return f(self, prepare(self, first, ...))
  end
end

function request.new(api, settings)
  if type(api) ~= "userdata" then fail("expected an endpoint, got a %s", type(api)) end
  check(settings or {}, "settings")
  local self = { api = api, settings = setmetatable({}, { __index = DEFAULTS }) }
  for name, value in pairs(settings or {}) do self.settings[name] = value end
  local sleep, now
  self.send, sleep, now = load_client(self.settings)
  self.sleep, self.now = load_clock(self.settings.sleep or sleep, now)
  local object = {}
  object.ask, object.each = member(self, object, ask, true), member(self, object, each)
  return setmetatable(object, { __call = function(_, ...) return demand(self, prepare(self, ...)) end })
end

return request
