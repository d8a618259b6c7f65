-- SPDX-License-Identifier: MIT
-- Inside nginx: its own sockets, which lua-resty-http uses, too. Its directive
-- lua_ssl_trusted_certificate names the authorities, and its sockets compare names. It keeps
-- connections.
local failures = require "endpoint.request.failures"
local http1 = require "endpoint.request.clients.http1"

local Connection = {}
Connection.__index = Connection

function Connection:call(method, ...)
  if self.limits:seconds() <= 0 then
    return nil, "timeout"
  end
  local time = self.limits:milliseconds()
  self.socket:settimeouts(time, time, time)
  return self.socket[method](self.socket, ...)
end

-- The longest time that nginx is told to keep a connection, in seconds.
local LONGEST_IDLE = 86400

-- The name of a pool of connections. Other modules do not share it: theirs may have compared no
-- names.
local function pool_name(try, most_idle)
  local settings = try.settings
  return table.concat({
    "endpoint.request",
    most_idle < math.huge and most_idle or "",
    try.place.scheme,
    try.place.host,
    try.place.port,
    try.proxy and try.proxy.url or "",
    settings.certificate or "",
    settings.key or "",
    settings.socket_path or "",
  }, " ")
end

-- How nginx says that a name has no address: "h.example could not be resolved (3: Host not found)",
-- or "no resolver defined to resolve \"h.example\"".
local function does_not_resolve(problem)
  return problem:find "could not be resolved" or problem:find "^no resolver defined"
end

-- nginx does not say how long nobody used a connection. So those that have a limit are kept by
-- themselves, and nginx closes them at that limit.
function Connection:connect(host, port)
  local options = { pool = pool_name(self.try, self.most_idle) }
  host = host:find ":" and "[" .. host .. "]" or host
  local path = self.try.settings.socket_path
  if path then
    local ok, problem = self:call("connect", "unix:" .. path, options)
    if not ok then
      return nil, http1.path_problem(path, problem)
    end
    return self.socket:getreusedtimes() > 0 and "kept" or true
  end
  local ok, problem = self:call("connect", host, port, options)
  if not ok then
    -- A resolver that is missing does not come by waiting.
    local is_final = problem:find "^no resolver defined" ~= nil
    return nil, problem, is_final, does_not_resolve(problem) and "resolve" or nil
  end
  return self.socket:getreusedtimes() > 0 and "kept" or true
end

local function content_of(path)
  local file = assert(io.open(path, "rb"))
  local content = file:read "*a"
  file:close()
  return content
end

-- Shows the certificate of the settings, where nginx can: its Lua module, from 0.10.22 on, with
-- lua-resty-core.
local function set_certificate(self)
  local settings, ssl = self.try.settings, failures.need("ngx.ssl", "lua-resty-core")
  if not self.socket.setclientcert then
    failures.misuse "certificate: this version of nginx's Lua module cannot show one"
  end
  local certificate = assert(ssl.parse_pem_cert(content_of(settings.certificate)))
  local key = assert(ssl.parse_pem_priv_key(content_of(settings.key or settings.certificate)))
  assert(self.socket:setclientcert(certificate, key))
end

local AUTHORITIES = " (lua_ssl_trusted_certificate names the authorities, as cafile elsewhere)"

-- A name may end with a dot, which no certificate has.
function Connection:secure()
  local host = self.try.place.host:gsub("%.$", "")
  if http1.is_address(host) then
    return nil, "TLS: nginx cannot check the certificate of an IP address", true
  end
  if self.try.settings.certificate then
    set_certificate(self)
  end
  local ok, problem = self:call("sslhandshake", false, host, true)
  if ok or problem == "timeout" or problem == "closed" then
    return ok, problem
  end
  return nil, "TLS: " .. tostring(problem) .. AUTHORITIES, true
end

function Connection:send(piece)
  return self:call("send", piece)
end

-- Cosockets cannot tell whether bytes have come without waiting for them.
function Connection.has_response()
  return false
end

function Connection:receive(most)
  return self:call("receiveany", most)
end
function Connection:close()
  return self.socket:close()
end

-- Without a limit nginx closes it by its own directive. A limit of 0 means there: never.
function Connection:keep(most_idle)
  if self.most_idle == math.huge then
    return self.socket:setkeepalive()
  end
  local milliseconds = math.floor(math.min(self.most_idle, most_idle, LONGEST_IDLE) * 1000)
  if milliseconds < 1 then
    return self:close()
  end
  return self.socket:setkeepalive(milliseconds)
end

-- nginx's monotonic clock, in seconds, where it has loaded lua-resty-core; or its time of day,
-- which may be set back.
local function clock_of(ngx)
  local time = package.loaded["resty.core.time"]
  local now = type(time) == "table" and time.monotonic_time or ngx.now
  return function()
    ngx.update_time()
    return now()
  end
end

-- A socket of nginx. Some phases have none: init, those of a worker, the filters of a response and
-- the log.
local function new_socket(ngx)
  local ok, socket = pcall(ngx.socket.tcp)
  if not ok then
    failures.misuse("client: nginx cannot send in this phase: %s", tostring(socket))
  end
  return socket
end

return function(settings)
  local ngx = rawget(_G, "ngx") or failures.misuse "client: resty_http runs inside nginx alone"
  if settings.cafile then
    failures.misuse "cafile: inside nginx lua_ssl_trusted_certificate names the authorities"
  end
  local client = http1.client(settings, function(try, most_idle)
    return setmetatable({
      try = try,
      limits = try.limits,
      socket = new_socket(ngx),
      most_idle = most_idle,
    }, Connection)
  end)
  client.sleep, client.now = ngx.sleep, clock_of(ngx)
  return client
end
