-- SPDX-License-Identifier: MIT
-- Sends what an endpoint makes. docs/request.md is its guide; what each function takes, returns and raises is
-- said in src/addon/library/endpoint/request.lua.
local request = {}

local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local Pieces = require "endpoint.request.pieces"
local text = require "endpoint.clients.text"
local words = require "endpoint.request.words"
local shown, label, told = words.shown, words.label, words.told

-- As in endpoint.clients: a program must not mix the files of two versions.
local VERSION = "1.0.0"

if tostring(endpoint._VERSION):match "^%d+%.%d+%." ~= VERSION:match "^%d+%.%d+%." then
  error(("endpoint.request: version %s, but the endpoint that is loaded is version %s: restart the program"):format(
    VERSION, tostring(endpoint._VERSION)), 0)
end

-- --- errors -----------------------------------------------------------------------

local Failure = {}
function Failure.__tostring(failure) return (failure.position or "") .. failure.message end
function Failure.__concat(a, b) return tostring(a) .. tostring(b) end

-- The position of the line that called a public function, "file:7: "; "" if Lua knows none.
local function caller()
  local level, frame = 3, debug.getinfo(3, "Sl")
  while frame and frame.currentline <= 0 do
    level, frame = level + 1, debug.getinfo(level + 1, "Sl")
  end
  return frame and ("%s:%d: "):format(frame.short_src, frame.currentline) or ""
end

local HERE = debug.getinfo(1, "S").short_src

-- What a pcall returned; an error, of endpoint too, gets the position of the user's line for one of this file.
local function placed(ok, ...)
  if ok then return ... end
  local problem = ...
  if getmetatable(problem) == Failure then problem.position = problem.position or caller() end
  if type(problem) == "string" then
    local own = problem:sub(1, #HERE) == HERE and problem:match("^:%d+: (endpoint.*)", #HERE + 1) or problem
    problem = (own:find "^endpoint" and caller() or "") .. own
  end
  error(problem, 0)
end

-- A function as users call it, with a dot or a colon.
local function public(object, f)
  return function(first, ...)
    if first == object then return placed(pcall(f, ...)) end
    return placed(pcall(f, first, ...))
  end
end

-- Raises a text: a mistake in the program.
local function fail(problem, ...) error("endpoint.request: " .. problem:format(...), 0) end

-- Raises a table: what went wrong outside the program.
local function raise(call, problem, response)
  if response then response.url = nil end -- its query is the request's
  error(setmetatable({ message = ("%s %s: %s"):format(call.method, call.template, problem), method = call.method,
    template = call.template, status = response and response.status, response = response }, Failure), 0)
end

local function need(name, remedy)
  local found, module = pcall(require, name)
  return found and module or fail("expected the module %s (%s): %s", name, remedy, tostring(module):match "^[^\n]*")
end

-- --- settings ---------------------------------------------------------------------

local function with(base, more)
  local all = {}
  for name, value in pairs(base) do all[name] = value end
  for name, value in pairs(more) do all[name] = value end
  return all
end

local OF_CALL = { timeout = "number", step_timeout = "number", tries = "number", redirects = "number",
  max_size = "number", log = "function", sink = "function", encode = "function", decode = "function", nested = "string" }
local OF_NEW = with(OF_CALL, { client = "string or function", cafile = "string", proxy = "string", sleep = "function" })
local OF_EACH = { page = "function", max = "number" }
local LEAST = { timeout = 0.001, step_timeout = 0.001, tries = 1, redirects = 0, max_size = 1 }
local DEFAULTS = { timeout = 60, step_timeout = 10, tries = 3, redirects = 0, max_size = 2 ^ 26 }

local function check(settings, what, types)
  if type(settings) ~= "table" then fail("%s: expected a table, got a %s", what, type(settings)) end
  for name, value in pairs(settings) do
    local expected, least = types[name], LEAST[name]
    if not expected then
      fail("%s: there is no setting %s", what, shown(tostring(name)))
    elseif not expected:find(type(value), 1, true) then
      fail("%s: expected a %s, got a %s", name, expected, type(value))
    elseif least and not (value >= least and value < math.huge) then
      fail("%s: expected a number of at least %s", name, tostring(least))
    end
  end
end

local CLIENTS = { luasocket = "luasocket", curl = "curl", resty_http = "resty_http" }
local NGINX = rawget(_G, "ngx")
if NGINX then require "endpoint.request.resty_http" end -- before a later version is installed

local function load_client(settings)
  local client = settings.client or (NGINX and "resty_http" or "luasocket")
  if type(client) == "function" then return client end
  client = CLIENTS[client] or fail "client: expected luasocket, curl, resty_http or a function"
  return require("endpoint.request." .. client)(settings, need, fail)
end

-- --- one try, and again -----------------------------------------------------------

-- What a client gets: the settings of the call, and how to give the answer; and the pieces of the answer.
local function settings_of_try(call)
  local parts = Pieces.new()
  local s = with(call.settings, { left = call.left, timeout = call.left(), may_repeat = call.may_repeat })
  if call.r.url:sub(1, 1) ~= "/" then -- where a function of the user's sends to locations of nginx
    local place = clients.plain { method = "GET", url = call.r.url }
    s.scheme, s.host, s.port = place.scheme, place.host, place.port
  end
  function s.step() return math.max(0.001, math.min(s.step_timeout, s.left())) end
  function s.arguments(client, more)
    local first, second = clients[client](call.r, with({ encode = s.encode, nested = s.nested }, more or {}))
    return first, second
  end
  -- Takes a piece of the body; returns nil and a message if no other shall follow.
  function s.write(piece, status)
    if s.sink and status >= 200 and status < 300 then
      call.is_given = true
      local ok, taken, problem = pcall(s.sink, piece)
      if not ok then s.thrown = { taken } end
      s.refusal = not ok and "the sink raised an error" or not taken and problem or nil
    else
      parts:add(piece)
      s.refusal = parts.size > s.max_size and "the answer is too long" or nil
    end
    return not s.refusal or nil, s.refusal
  end
  return s, parts
end

-- What is wrong with an answer that came to its end; nil if nothing is.
local function fault_of(call, headers, is_empty)
  local coding, length = text.lower(headers["content-encoding"] or "identity"), headers["content-length"] or "0"
  if not length:find "^%d+$" then return "the answer has no right length" end
  if #length > 15 then return "the answer is cut off" end -- libcurl ignores a length that it cannot hold
  if coding ~= "identity" and not call.r.headers["accept-encoding"] and not is_empty then
    return "the answer is coded, as nobody asked for: " .. coding
  end
end

-- A response; or nil, a message, and true if no other try can help.
local function exchange(self, call)
  local s, parts = settings_of_try(call)
  local status, fields, body = self.send(call.r, s)
  if status and (type(status) ~= "number" or type(fields) ~= "table") then
    fail "client: expected a status, headers and a text"
  end
  if status and type(body) == "string" and body ~= "" then s.write(body, status) end
  if s.thrown then error(s.thrown[1], 0) end
  if s.refusal or not status then
    local problem = tostring(s.refusal or fields)
    return nil, told(problem, call.r), s.refusal or body == true or problem:find "certificate"
  end
  local headers = {}
  for name, value in pairs(fields) do
    headers[text.lower(name)] = type(value) == "table" and table.concat(value, ", ") or tostring(value)
  end
  body = parts:text()
  local fault = fault_of(call, headers, body == "" and not call.is_given)
  if fault then return nil, told(fault, call.r), true end
  return { status = status, headers = headers, text = body, url = call.r.url }
end

local TWICE = { get = true, head = true, put = true, delete = true, options = true }
local LATER = { [429] = true, [502] = true, [503] = true, [504] = true }

local function may_repeat(r)
  if type(r.body) == "function" then return false end
  for name, value in pairs(r.headers) do
    if name:find "idempotency%-key$" and value ~= "" then return true end
  end
  return TWICE[r.method] or false
end

local MONTHS = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11,
  Dec = 12 }

-- The seconds since 1970 of a date (RFC 9110, section 5.6.7); nil for another text. os.time reads both times as
-- local ones, without summer time, so that their difference is right in any zone.
local function seconds_of(date)
  local day, month, year, hour, min, sec =
    (date or ""):match "^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
  local fields = { year = year, month = MONTHS[month or ""], day = day, hour = hour, min = min, sec = sec, isdst = false }
  local ok, seconds = pcall(os.time, fields)
  return ok and seconds and seconds - os.time(os.date "!*t") + os.time() or nil
end

-- The seconds to wait that an answer asks for, by the server's own clock; nil if it does not.
local function pause_asked(headers)
  local after, now = headers["retry-after"] or "", seconds_of(headers.date) or os.time()
  if after:find "^%d+$" then return tonumber(after) end
  local at = seconds_of(after) or headers["x-ratelimit-remaining"] == "0" and tonumber(headers["x-ratelimit-reset"])
  return at and at > 1e9 and math.max(at - now, 0) or nil
end

-- How long to wait before the next try; nil if there is none.
local function pause_before_next(self, call, try, response, is_final)
  if not self.sleep or try >= call.settings.tries or not call.may_repeat or call.is_given or is_final then return nil end
  local pause = 2 ^ (try - 2) * (0.5 + self.now() * 1e6 % 1e3 / 1e3)
  if response then
    local is_later = LATER[response.status] or response.status == 403 and response.headers["x-ratelimit-remaining"] == "0"
    pause = is_later and (pause_asked(response.headers) or pause)
  end
  return pause and pause < call.left() and pause or nil
end

local Entry = {}
function Entry.__tostring(entry)
  local said = entry.status or entry.message
  return ("%s %s %s %.3f s, try %d"):format(entry.method, entry.template, said, entry.seconds, entry.try)
end

-- A response, after as many tries as it takes; raises where there is none.
local function insist(self, call)
  for try = 1, math.huge do
    local began = self.now()
    local response, problem, is_final = exchange(self, call)
    if call.settings.log then
      call.settings.log(setmetatable({ method = call.method, template = call.template, try = try,
        seconds = self.now() - began, status = response and response.status, message = problem }, Entry))
    end
    local pause = pause_before_next(self, call, try, response, is_final)
    if not pause then return response or raise(call, problem) end
    self.sleep(pause)
  end
end

-- --- a call -----------------------------------------------------------------------

local MOVED = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

-- The URL of a reference that the server at `base` wrote, as a template; nil if none can be sent.
local function resolved(reference, base)
  if type(reference) ~= "string" or base:sub(1, 1) == "/" then return nil end
  reference = reference:gsub('[%c <>"\\]', text.encoded)
  local url = clients.links("<" .. reference .. '>; rel="next"', base).next
  return url and pcall(function() clients.plain(endpoint.parse { url = url, baseUrl = "" }) end) and url or nil
end

-- Do two URLs lead to the same server, as the same user? Only then a default stays at home.
local function is_same_origin(url, base)
  return (pcall(endpoint.defaults { baseUrl = base:match "^[^/]*//[^/?#]*" or "/", headers = { ["x-own"] = "" } }, url))
end

local function follow(self, call)
  local response, left = insist(self, call), call.settings.redirects
  while MOVED[response.status] and left > 0 and (call.method == "GET" or call.method == "HEAD") do
    local url = resolved(response.headers.location, call.r.url)
    if not url or not is_same_origin(url, call.r.url) then break end
    left, call.r.url = left - 1, endpoint.parse({ url = url, baseUrl = "" }).url
    response = insist(self, call)
  end
  return response
end

local function prepare(self, ...)
  local merged = self.api.merge(...)
  local own = merged.request == nil and {} or merged.request
  check(own, "request", OF_CALL)
  local settings, r = with(self.settings, own), self.api.parse(merged)
  local deadline = self.now() + settings.timeout
  return { r = r, method = merged.method, template = label(merged.url), settings = settings, may_repeat = may_repeat(r),
    left = function() return deadline - self.now() end }
end

-- The body: JSON decoded, any other text as it is; nil for none.
local function read_body(call, response)
  local body, kind = response.text, text.lower(response.headers["content-type"] or ""):match "^[^;]*"
  if body == "" or not kind:find "[/+]json%s*$" then return body ~= "" and body or nil end
  local decode = call.settings.decode or need("cjson", "lua-cjson, or the setting decode").decode
  local ok, value = pcall(decode, body)
  if ok then return value end
  return response.status < 300 and raise(call, "the answer is no JSON", response) or body
end

local function ask(self, call)
  local ok, response = pcall(follow, self, call)
  if call.settings.sink then call.settings.sink(nil, not ok and tostring(response) or nil) end
  if not ok then error(response, 0) end
  response.body = read_body(call, response)
  response.links = clients.links(response.headers.link, response.url:sub(1, 1) ~= "/" and response.url or nil)
  return response.body, response
end

local REASONS = { "message", "error", "errors", "detail", "title", 1 }

-- The server's own words in its JSON, wherever APIs put them.
local function reason_in(value, depth)
  if type(value) == "string" and value ~= "" then return value end
  for _, key in ipairs(type(value) == "table" and depth < 4 and REASONS or {}) do
    local reason = reason_in(value[key], depth + 1)
    if reason then return reason end
  end
end

local function demand(self, call)
  local body, response = ask(self, call)
  local said = ("the server answers %d"):format(response.status)
  if MOVED[response.status] then
    local url = resolved(response.headers.location, response.url)
    raise(call, said .. ": moved to " .. (url and label(url) or "no URL"), response)
  elseif response.status >= 400 then
    local reason = type(body) == "table" and reason_in(body, 0)
    raise(call, reason and said .. ": " .. told(reason, call.r) or said, response)
  end
  return body, response
end

-- --- pages ------------------------------------------------------------------------

local KEPT = { headers = true, mediaType = true, request = true }

-- What the next page keeps of a call if a URL names it: the parameters are in the URL, and a null keeps the default
-- of each away, as the call did.
local function options_of_next(options)
  local kept = {}
  for name, value in pairs(options) do kept[name] = KEPT[name] and value or endpoint.null end
  return kept
end

-- The call of the page that `following` names: a URL, or parameters to lay over those of the first.
local function next_call(self, pages, following)
  local last = pages.last
  if not last then return prepare(self, pages.route, pages.options) end
  local url, ok, call
  if type(following) == "table" then
    ok, call = pcall(prepare, self, pages.route, with(pages.options, following))
    if not ok then raise(last, "the next page cannot be asked for: " .. told(call:gsub("^.-: (endpoint)", "%1"), last.r)) end
    url = clients.literal(call.r.url)
  else
    url = resolved(following, last.r.url) or raise(last, "the next page has no URL")
  end
  if not is_same_origin(url, pages.first) then
    raise(last, ("the next page is at %s, not at %s"):format(label(url), label(pages.first)))
  end
  return call or prepare(self, url, options_of_next(pages.options))
end

-- Asks for a page; returns its list, and what names the next.
local function read_page(self, pages, following)
  local call = next_call(self, pages, following)
  call.template = pages.last and pages.last.template or call.template
  pages.first, pages.last = pages.first or call.r.url, call
  -- Two pages of one URL may differ in their bodies.
  local cursor = type(following) == "table" and clients.form(following, { nested = "indices" }) or ""
  local key = call.r.url .. "\n" .. cursor
  if pages.seen[key] then raise(call, "the next page was there before") end
  pages.seen[key] = true
  local body, response = demand(self, call)
  local list, named = body, response.links.next
  if pages.page then list, named = pages.page(body, response) end
  if type(list) ~= "table" or next(list) ~= nil and list[1] == nil then raise(call, "the answer has no list", response) end
  return list, named ~= endpoint.null and named
end

local function each(self, route, options, how)
  check(how or {}, "each", OF_EACH)
  if type(route) == "table" then route, options = nil, route end
  local pages = with(how or {}, { route = route, options = options or {}, seen = {} })
  local list, at, left, following = {}, 0, pages.max or math.huge, {}
  return public({}, function()
    at = at + 1
    while list[at] == nil and following and left > 0 do
      local named = following
      list, at, left, following = {}, 1, left - 1, nil -- an error ends the walk
      list, following = read_page(self, pages, named)
    end
    return list[at]
  end)
end

-- --- the module -------------------------------------------------------------------

request.new = public(request, function(api, settings)
  if type(api) ~= "userdata" then fail("expected an endpoint, got a %s", type(api)) end
  check(settings or {}, "settings", OF_NEW)
  local self, object = { api = api, settings = with(DEFAULTS, settings or {}) }, {}
  local send, sleep, now = load_client(self.settings)
  local found, socket = pcall(require, "socket")
  self.send, self.now = send, now or found and socket.gettime or os.time
  self.sleep = self.settings.sleep or sleep or found and socket.sleep or nil -- without any nothing is sent again
  object.ask = public(object, function(...) return ask(self, prepare(self, ...)) end)
  object.each = public(object, function(...) return each(self, ...) end)
  return setmetatable(object, { __call = public(object, function(...) return demand(self, prepare(self, ...)) end) })
end)

return request
