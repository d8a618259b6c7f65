-- SPDX-License-Identifier: MIT
-- libcurl, by lua-curl (Debian's) or Lua-cURL 3. It compares authorities and names, and keeps
-- connections where a handle can be used again.
local clients = require "endpoint.clients"
local failures = require "endpoint.request.failures"
local Fields = require "endpoint.request.clients.http1.fields"
local protected = require "endpoint.protected"
local proxies = require "endpoint.request.proxies"
local Upload = require "endpoint.request.clients.curl.upload"
local text = require "endpoint.text"
local with = require "endpoint.request.settings".with

-- The numbers of libcurl's options, which belong to its ABI.
local LOW_SPEED_LIMIT, LOW_SPEED_TIME = 19, 20
local VERIFYPEER, FRESH_CONNECT, FORBID_REUSE, VERIFYHOST, NOSIGNAL = 64, 74, 75, 81, 99
local TIMEOUT_MS, CONNECTTIMEOUT_MS = 155, 156
local PROXY, SSLCERT, CAINFO, SSLKEY, CAPATH = 10004, 10025, 10065, 10087, 10097
local WRITEFUNCTION, READFUNCTION, HEADERFUNCTION = 20011, 20012, 20079

local UNIX_SOCKET_PATH = 10231

-- Where libcurl is told of no hosts, it asks no_proxy of the environment. Debian's lua-curl has no
-- such option.
local NOPROXY = 10177

-- Results of perform: there is no connection; a time is over; there is no response, or it is cut
-- off; a certificate is not valid, ours or theirs.
local COULDNT_CONNECT, IS_OVER, GOT_NOTHING, PARTIAL_FILE, RECV_ERROR = 7, 28, 52, 18, 56
local BAD_ARGUMENT = 43 -- within a head: a header that libcurl cannot read
local IS_FINAL = { [58] = true, [60] = true, [77] = true }

-- Results that tell of a broken response: it is not HTTP, or its encoding is invalid. Another try
-- would bring the same.
local IS_BROKEN = { [1] = true, [8] = true, [61] = true }

-- The words for other results, see failures.lua. They are of names, of a proxy, of a connection and
-- of TLS; what is not here comes from a connection that was lost.
local REASONS = {
  [5] = "proxy",
  [6] = "resolve",
  [COULDNT_CONNECT] = "connect",
  [35] = "tls",
  [53] = "tls",
  [54] = "tls",
  [59] = "tls",
  [64] = "tls",
  [66] = "tls",
  [80] = "tls",
  [83] = "tls",
  [91] = "tls",
  [97] = "proxy",
}

-- Bytes that all heads may have, those of 1xx and trailers, too.
local MOST = 65536

-- Handles that may wait for the collector.
local MOST_LEFT = 8

-- libcurl's longest time for LOW_SPEED_TIME, in seconds, that is of any use.
local LONGEST_IDLE = 1e6

-- --- a transfer -------------------------------------------------------------------

-- One request over one handle, and what came of its response.
local Transfer = {}
Transfer.__index = Transfer

-- tunnels: how many heads of proxies may come before that of the response.
local function new_transfer(try, easy)
  return setmetatable({
    try = try,
    easy = easy,
    tunnels = try.proxy and try.place.scheme == "https" and 1 or 0,
    room = MOST,
    idle_seconds = math.ceil(math.min(try.settings.idle_timeout or 0, LONGEST_IDLE)),
    began = try.limits.now(),
    has_line = false, -- has a line of a head come?
    has_begun = false, -- does the try know of the head?
    is_head_whole = false,
    status = nil,
    fields = nil, -- of the head that is read
  }, Transfer)
end

-- A connection that was kept may be lost just then, and libcurl would send once more what must not
-- arrive twice. CAPATH names no directory; without it libcurl would also trust the system's
-- certificates.
function Transfer:set_options()
  local settings, limits = self.try.settings, self.try.limits
  local to_answer = limits:milliseconds()
  limits:begin "connect_timeout"
  local to_connect = limits:milliseconds()
  limits:begin()
  for option, value in pairs {
    [VERIFYPEER] = 1,
    [VERIFYHOST] = 2,
    [NOSIGNAL] = 1,
    [FRESH_CONNECT] = self.try.may_repeat and 0 or 1,
    [LOW_SPEED_LIMIT] = 1,
    [LOW_SPEED_TIME] = 0,
    [PROXY] = self.try.proxy and self.try.proxy.url or "",
    [TIMEOUT_MS] = to_answer,
    [CONNECTTIMEOUT_MS] = to_connect,
    [CAINFO] = settings.cafile,
    [CAPATH] = settings.cafile and "/dev/null",
    [UNIX_SOCKET_PATH] = settings.socket_path,
    [SSLCERT] = settings.certificate,
    [SSLKEY] = settings.certificate and (settings.key or settings.certificate),
  } do
    self.easy:setopt(option, value)
  end
end

-- Lets the proxy that was chosen be used, whatever no_proxy says.
function Transfer:insist_on_proxy(is_lua_curl)
  local try = self.try
  if not is_lua_curl then
    self.easy:setopt(NOPROXY, "")
  elseif try.proxy and proxies.is_listed(proxies.exceptions(), try.place.host, try.place.port) then
    failures.misuse "proxy: no_proxy has this host, and lua-curl lets libcurl read that"
  end
end

-- The word for what went wrong: while no tunnel is open, it is the proxy's.
function Transfer:reason(word)
  return self.tunnels > 0 and not self.is_head_whole and "proxy" or word
end

-- Takes the first line of a head.
function Transfer:take_status(status)
  if self.is_head_whole then
    self.tunnels = self.tunnels - 1
  end
  self.status, self.fields, self.is_head_whole = tonumber(status), Fields.new(), false
  if self.status == 101 then
    self.try:refuse(
      "protocol",
      "the response switches to another protocol, which was not asked for"
    )
  end
  if self.tunnels == 0 and self.try.limits.try_ends then
    self:end_try_timeout()
  end
end

-- The response has begun: from now on the call's own limit holds. libcurl counts TIMEOUT_MS from
-- the start of the transfer.
function Transfer:end_try_timeout()
  local limits = self.try.limits
  local passed = (limits.now() - self.began) * 1000
  limits:response_begins()
  self.easy:setopt(TIMEOUT_MS, math.min(limits:milliseconds() + math.floor(passed), 2 ^ 31 - 1))
end

-- The status in the first line of a head; nil for any other line. libcurl takes HTTP/2 and more for
-- a response without TLS, where none of them was asked for, and letters after the status.
local function status_in(line, scheme)
  local version, status = line:match "^HTTP/(%S+) ([1-9]%d%d)%f[%s%z]"
  return version and (scheme == "https" or version:find "^1%.") and status or nil
end

-- Takes a line of a head. A line after the head is a trailer, if it does not begin the next head
-- after that of a tunnel.
function Transfer:take_line(line)
  local status = status_in(line, self.try.place.scheme)
  if self.is_head_whole and (not status or self.tunnels == 0 or self.has_begun) then
    return
  elseif status then
    self:take_status(status)
  elseif not self.status then
    self.try:refuse(self:reason "protocol", "the response is not HTTP")
  elseif line:find "^\r?\n" then
    self.is_head_whole = self.status >= 200
  else
    if not self.fields:take(line:match "[^\r\n]*") then
      self.try:refuse(self:reason "protocol", "the response is not HTTP")
    end
  end
end

-- Takes a line as libcurl gives it; returns false to end the transfer.
function Transfer:hear(line)
  local try = self.try
  self.room = self.room - #line
  if self.room < 0 then
    try:refuse("too long", "the head of the response is too long")
  elseif line:find "[%z\r][^\n]" then
    try:refuse(self:reason "protocol", "the response is not HTTP")
  end
  if not try.refusal then
    self:take_line(line)
  end
  if not self.has_line then -- from now on silence counts
    self.easy:setopt(LOW_SPEED_TIME, self.idle_seconds)
  end
  self.has_line = true
  return not try.refusal
end

-- What is wrong with a body that a head announces, as far as libcurl does not see it, and the word
-- for that: it takes more encodings of a transfer than were asked for, and ignores a length that it
-- cannot hold.
local function body_fault(self, headers)
  if self.try.request.method == "head" or self.status == 304 or self.status == 204 then
    return nil
  end
  local encodings, length = headers["transfer-encoding"], headers["content-length"]
  local encoding = text.lower(encodings or "chunked")
  if encoding ~= "chunked" then
    return "the response has an encoding that was not asked for: " .. encoding, "protocol"
  elseif not encodings and length and #length > 15 then
    return "the response is cut off", "cut off"
  end
end

-- Tells the try of the head, once.
function Transfer:begin()
  if self.has_begun then
    return
  end
  self.has_begun = true
  local headers = self.fields:joined()
  self.try:begin(self.status, headers)
  local fault, reason = body_fault(self, headers)
  if fault then
    self.try:refuse(reason, fault)
  end
end

-- Has libcurl give the response to this transfer.
function Transfer:listen()
  self.easy:setopt(HEADERFUNCTION, function(line)
    return self:hear(line) and #line or 0
  end)
  self.easy:setopt(WRITEFUNCTION, function(piece)
    self:begin()
    return not self.try.refusal and self.try:write(piece) and #piece or 0
  end)
end

-- --- what perform returns ---------------------------------------------------------

-- Which limit is over, as far as libcurl tells.
local function limit_message(self)
  local try = self.try
  local limits, settings = try.limits, try.settings
  if try.call:seconds_left() <= 0.1 then
    return limits:message "timeout"
  elseif limits.try_ends and limits.try_ends - limits.now() <= 0.1 then
    return limits:message "try_timeout"
  elseif not self.has_line then
    return limits:message "connect_timeout"
  end
  return limits:message(settings.idle_timeout and "idle_timeout" or "timeout")
end

-- libcurl's number of a problem, and its words. lua-curl returns both; Lua-cURL 3 returns or
-- raises an object.
local function read_problem(ok, result, words)
  local problem = ok and words or result
  local is_object, number = protected.call(function()
    return problem:no()
  end)
  return is_object and number or result, tostring(problem)
end

-- libcurl says nothing of a line that is longer than it can hold, and from version 8 on it also
-- limits how many lines there are and how long they are together.
local function is_long_head(message)
  return message == "" or message:find "^Too %a+ response headers" ~= nil
end

-- nil for a success; or a message, true if no other try can help, and the reason. Then come the
-- results of perform by pcall: Lua-cURL 3 returns the handle, lua-curl 0.
function Transfer:problem(ok, result, words)
  if ok and (result == 0 or result == true or result == self.easy) then
    return nil
  elseif not ok and type(result) == "string" then -- the body's source alone raises a text
    return result, true, "stream"
  end
  local number, message = read_problem(ok, result, words)
  if self.tunnels > 0 and (self.status or 0) >= 300 then
    return "the proxy answers " .. self.status, self.status < 500, "proxy"
  elseif number == IS_OVER then
    return limit_message(self), nil, "timeout"
  elseif number == GOT_NOTHING then -- libcurl does not tell of a part of the first line
    return "the server closed the connection before a whole line of a response came", nil, "cut off"
  elseif number == COULDNT_CONNECT and self.try.proxy and self.try.proxy.host then
    return proxies.message(self.try.proxy, message), nil, "proxy"
  elseif number == BAD_ARGUMENT and self.status and not self.is_head_whole then
    return "the response is not HTTP", true, "protocol"
  elseif is_long_head(message) then
    return "the head of the response is too long", true, "too long"
  elseif number == PARTIAL_FILE or number == RECV_ERROR and self.status then
    return "the response is cut off: " .. message, nil, self:reason "cut off"
  elseif IS_BROKEN[number] then
    return "the response is broken: " .. message, true, self:reason "protocol"
  elseif IS_FINAL[number] then
    return message .. " (see the setting cafile)", true, "tls"
  end
  return message, nil, REASONS[number] or self:reason "cut off"
end

-- --- the client -------------------------------------------------------------------

local Client = {}
Client.__index = Client

-- From 7.84 on libcurl adds a folded header to the one before it, and before 8.1 that may be one of
-- the handle's last response, which is freed. So a handle of those versions is used once.
local FIRST_UNSAFE, FIRST_SAFE = 7084, 8001 -- 1000 * major + minor

-- Is a handle safe when it is used again? A version that cannot be read counts as unsafe.
local function is_reusable(curl)
  local _, version = pcall(curl.version)
  local major, minor = tostring(version):match "^libcurl/(%d+)%.(%d+)"
  local number = major and 1000 * tonumber(major) + tonumber(minor) or FIRST_UNSAFE
  return number < FIRST_UNSAFE or number >= FIRST_SAFE
end

-- A handle with its connections. A second request, which a sink makes, has a handle of its own.
-- is_bare: must it show no certificate? What a handle was told of one, it does not forget.
function Client:take_handle(is_bare)
  local easy = not is_bare and self.idle or nil
  if easy then
    self.idle = nil
  end
  return easy or (self.curl.easy_init or self.curl.easy)()
end

local function request_of(try)
  if not try.asks_gzip then
    return try.request
  end
  local headers = with(try.request.headers, { ["accept-encoding"] = "gzip" })
  return with(try.request, { headers = headers })
end

-- After a failure a handle is of no more use: lua-curl's after an error in a function, and from
-- libcurl 8 on one that has not sent a body whole, which it wants to rewind before the next
-- request. It holds its connections until it is collected, and it is not while anything names it.
local function drop_handle(transfer)
  transfer.easy = nil
  collectgarbage()
end

local function nothing() end

-- Takes from a handle the functions of its call, which may hold all that the program has.
local function forget_functions(easy)
  for _, option in ipairs { WRITEFUNCTION, READFUNCTION, HEADERFUNCTION } do
    easy:setopt(option, nothing)
  end
end

-- After a success a handle is kept; or it is closed, where the binding can. Else it waits for the
-- collector with two descriptors, and so does a bounded number of others.
function Client:leave_handle(transfer, is_bare)
  if self.is_reusable and not is_bare then
    forget_functions(transfer.easy)
    self.idle = transfer.easy
  elseif transfer.easy.close then
    transfer.easy:close()
  else
    self.left = self.left + 1
  end
  transfer.easy = nil
  if self.left >= MOST_LEFT then
    self.left = 0
    collectgarbage()
  end
end

-- Sets the request on the handle of a transfer. Returns what gives its stream, where the binding
-- needs that; nil for another body.
local function set_request(transfer, try, is_lua_curl)
  local needs_upload = is_lua_curl and type(try.request.body) == "function"
  local upload = needs_upload and Upload.new(transfer.easy) or nil
  local settings = try.settings
  local options =
    { encode = settings.encode, nested = settings.nested, easy = upload or transfer.easy }
  clients.curl(request_of(try), options)
  return upload
end

-- Sends what a handle has. Returns what pcall returns of that.
local function perform(transfer, upload)
  local ok, result, words
  if not upload or upload:begin() then
    ok, result, words = protected.call(transfer.easy.perform, transfer.easy)
  end
  if upload then
    upload.easy = nil -- the handle holds the function of the upload
  end
  return ok, result, words
end

function Client:send(try)
  local transfer = new_transfer(try, self:take_handle(try.call.is_away))
  local upload = set_request(transfer, try, self.curl.easy_init ~= nil)
  transfer:set_options()
  transfer:insist_on_proxy(self.curl.easy_init ~= nil)
  transfer:listen()
  if not self.is_reusable then
    transfer.easy:setopt(FORBID_REUSE, 1)
  end
  local problem, is_final, reason = transfer:problem(perform(transfer, upload))
  if upload and upload.problem then
    problem, is_final, reason = upload.problem, true, "stream"
  end
  if problem then
    drop_handle(transfer)
    return nil, problem, is_final, reason
  end
  self:leave_handle(transfer, try.call.is_away)
  if not transfer.status then
    return nil, "the response is not HTTP", true, "protocol"
  elseif not transfer.is_head_whole then
    return nil, "the response is cut off: closed", nil, "cut off"
  end
  transfer:begin()
  return true
end

return function(settings)
  local found, curl = protected.call(require, "cURL")
  if not found then
    curl = failures.need("curl", "lua-curl or Lua-cURL, or another client")
  end
  if settings.socket_path and curl.easy_init then
    failures.misuse "socket_path: lua-curl has no option for it, Lua-cURL 3 has"
  end
  return setmetatable({ curl = curl, is_reusable = is_reusable(curl), left = 0 }, Client)
end
