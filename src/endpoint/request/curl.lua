-- SPDX-License-Identifier: MIT
-- libcurl, by lua-curl (Debian's) or Lua-cURL 3. It keeps connections, and compares authorities and names.
local clients = require "endpoint.clients"
local failures = require "endpoint.request.failures"
local http1 = require "endpoint.request.http1"
local with = require "endpoint.request.settings".with

-- The numbers of libcurl's options, which belong to its ABI.
local VERIFYPEER, VERIFYHOST, NOSIGNAL, TIMEOUT, CONNECTTIMEOUT, FRESH_CONNECT, LOW_SPEED_LIMIT, LOW_SPEED_TIME, PROXY, SSLCERT, CAINFO, SSLKEY, CAPATH, HEADERFUNCTION, WRITEFUNCTION =
  64, 81, 99, 155, 156, 74, 19, 20, 10004, 10025, 10065, 10087, 10097, 20079, 20011

-- What perform returns: a time is over; the certificate is no good, ours or theirs.
local OVER, NO_RETRY = 28, { [58] = true, [60] = true, [77] = true }

-- A connection that is kept may be lost just then, and libcurl would send once more what must not arrive twice.
-- Without a CAPATH that is none it would trust the system's directory beside cafile.
local function set_options(easy, try)
  local s = try.settings
  local left = try.limits:milliseconds()
  try.limits:begin "connect_timeout"
  for option, value in pairs {
    [VERIFYPEER] = 1,
    [VERIFYHOST] = 2,
    [NOSIGNAL] = 1,
    [FRESH_CONNECT] = try.may_repeat and 0 or 1,
    [LOW_SPEED_LIMIT] = 1,
    [LOW_SPEED_TIME] = 0,
    [PROXY] = s.proxy or "",
    [TIMEOUT] = left,
    [CONNECTTIMEOUT] = try.limits:milliseconds(),
    [CAINFO] = s.cafile,
    [CAPATH] = s.cafile and "/dev/null",
    [SSLCERT] = s.certificate,
    [SSLKEY] = s.certificate and (s.key or s.certificate),
  } do
    easy:setopt(option, value)
  end
end

-- tunnels: how many heads of proxies may come before that of the answer.
local Answer = {}
Answer.__index = Answer

-- Takes a line of a head. What stands behind a head and is none of a tunnel's is a trailer.
function Answer:take_line(line)
  local status = line:match "^HTTP/%S+ (%d%d%d)"
  if self.is_whole then
    if not status or self.tunnels == 0 or self.has_begun then
      return
    end
    self.tunnels = self.tunnels - 1
  end
  if status then
    self.status, self.headers, self.is_whole = tonumber(status), {}, false
  elseif self.status and line:find "^\r?\n" then
    self.is_whole = self.status >= 200
  elseif self.status then
    local name, value = http1.field(line:match "[^\r\n]*")
    if name then
      http1.add(self.headers, name, value)
    end
  end
end

-- Tells the try of the head, once.
function Answer:begin()
  if not self.has_begun then
    self.try:begin(self.status, self.headers)
  end
  self.has_begun = true
end

-- The functions that read the answer.
function Answer:listen(easy)
  local try, room = self.try, 65536 -- for the heads of 1xx and trailers, too
  local idle = math.min(try.settings.idle_timeout or 0, 1e6)
  easy:setopt(HEADERFUNCTION, function(line)
    room = room - #line
    if room < 0 then
      try:refuse "the head of the answer is too long"
    end
    if line:find "[%z\r][^\n]" then
      try:refuse "the answer is no HTTP"
    end
    if not try.refusal then
      self:take_line(line)
    end
    if not self.is_heard then
      easy:setopt(LOW_SPEED_TIME, math.ceil(idle))
    end
    self.is_heard = true
    return try.refusal and 0 or #line
  end)
  easy:setopt(WRITEFUNCTION, function(piece)
    self:begin()
    return try:write(piece) and #piece or 0
  end)
end

-- What perform gave: nil for a success, or a message, and true if no other try can help. lua-curl returns a number and
-- a text, Lua-cURL 3 itself, or it returns or raises an object.
local function problem_of(own, easy, ok, result, text)
  if ok and (result == 0 or result == true or result == easy) then
    return nil
  end
  local problem = ok and text or result
  local is_object, number = pcall(function()
    return problem:no()
  end)
  local code = is_object and number or result
  if code == OVER then
    local try = own.try
    local name = own.is_heard and try.settings.idle_timeout and "idle_timeout"
      or not own.is_heard and "connect_timeout"
    return try.limits:message(try.call:left() > 0.1 and name or "timeout")
  end
  problem = tostring(problem)
  if problem == "" then
    problem = "the head of the answer is too long"
  end -- one line of more than libcurl can hold
  return NO_RETRY[code] and problem .. " (see the setting cafile)" or problem, NO_RETRY[code]
end

return function(settings)
  local found, curl = pcall(require, "cURL")
  if not found then
    curl = failures.need("curl", "lua-curl or Lua-cURL, or another client")
  end
  local idle -- a handle and its connections; a second request, from a sink, has a handle of its own
  return function(try)
    local easy, r = idle or (curl.easy_init or curl.easy)(), try.r
    local own = setmetatable(
      { try = try, tunnels = settings.proxy and try.scheme == "https" and 1 or 0 },
      Answer
    )
    idle = nil
    if try.asks_gzip then
      r = with(r, { headers = with(r.headers, { ["accept-encoding"] = "gzip" }) })
    end
    clients.curl(r, { encode = try.settings.encode, nested = try.settings.nested, easy = easy })
    set_options(easy, try)
    own:listen(easy)
    local ok, result, text = pcall(easy.perform, easy)
    -- lua-curl's is of no more use behind an error in a function, and holds its connections until it is collected.
    if ok then
      idle = easy
    else
      easy = collectgarbage()
    end
    local problem, is_final = problem_of(own, easy, ok, result, text)
    if problem then
      return nil, problem, is_final
    end
    if not own.status then
      return nil, "the answer is no HTTP"
    end
    own:begin()
    return true
  end
end
