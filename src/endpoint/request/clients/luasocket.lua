-- SPDX-License-Identifier: MIT
-- The connections of LuaSocket, with LuaSec for https, which compares no names.
local callbacks = require "endpoint.request.failures.callbacks"
local descriptors = require "endpoint.request.clients.luasocket.descriptors"
local failures = require "endpoint.request.failures"
local http1 = require "endpoint.request.clients.http1"
local text = require "endpoint.text"
local is_address, need = http1.is_address, failures.need

-- --- certificates -----------------------------------------------------------------

-- Where systems keep the certificates of the authorities.
local CAFILES =
  { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" }

-- The host as certificates write it: an IPv6 address as inet_ntop does.
local function name_in_certificates(host, socket)
  local found = host:find ":" and socket.dns.getaddrinfo(host)
  return found and found[1].addr or host
end

-- Does a wildcard cover the host? It is the whole leftmost label, and matches one label (RFC 9525,
-- section 6.3).
local function is_covered(name, host)
  local rest = name:match "^%*(%.[^*]+)$"
  return rest and rest:find("%..", 3) and host:match "^[^.]+(.-)$" == rest
end

-- Is a certificate valid for a host? The names of subjectAltName count alone.
local function is_valid_for(certificate, host, socket)
  local kind = is_address(host) and "iPAddress" or "dNSName"
  local names = certificate:extensions()["2.5.29.17"] or {}
  if kind == "dNSName" and certificate.checkhost and not certificate:checkhost(host) then
    return false
  end
  host = name_in_certificates(host, socket)
  for _, name in ipairs(names[kind] or {}) do
    name = text.lower(name)
    if name == host or is_covered(name, host) then
      return true
    end
  end
  return false
end

-- What LuaSec needs for TLS; nil and a message if a file cannot be used.
local function context_with(ssl, settings, cafile)
  return ssl.newcontext {
    mode = "client",
    protocol = "any",
    verify = "peer",
    cafile = cafile,
    options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" },
    certificate = settings.certificate,
    key = settings.certificate and (settings.key or settings.certificate),
  }
end

-- The same, with the first file of the system's authorities that is there.
local function new_context(ssl, settings)
  local context, problem
  for _, path in ipairs(settings.cafile and { settings.cafile } or CAFILES) do
    if not context then
      context, problem = context_with(ssl, settings, path)
    end
  end
  return context or failures.misuse("cafile: %s", tostring(problem))
end

-- --- a connection -----------------------------------------------------------------

-- sock: the socket. can_select: can it wait by select? pool: what its client shares: the module,
-- the settings, contexts of TLS, and the idle connections, the oldest first, which have since and
-- most_idle. use: how many are in use now; at once since none was (peak); at once before that
-- (last_peak). read: reads the descriptor, where more is there most likely; false elsewhere.
local Connection = {}
Connection.__index = Connection

-- What a method waits for. LuaSec calls a time-out by that.
local DIRECTIONS = { connect = "w", send = "w", receive = "r", dohandshake = "r" }
local WANTED = { wantread = "r", wantwrite = "w" }

-- Is a message of a socket that nothing is there yet?
local function is_silent(problem)
  return problem == "timeout" or WANTED[problem] ~= nil
end

-- The longest wait at a time, in seconds. In between Lua sees a signal, such as that of Ctrl-C, and
-- a request that is being sent a response that has come.
local SLICE = 0.2

-- select takes no descriptor from this number on.
local MOST_DESCRIPTORS = 1024

-- Takes a socket. Where it cannot wait by select, LuaSocket waits in its own way, all at once.
local function use_socket(self, sock)
  self.sock = sock
  self.can_select = self.pool.socket.select and sock.getfd and sock:getfd() < MOST_DESCRIPTORS
end

-- Waits by select until the socket can be read or written; while a request is sent also until an
-- response is there. Returns true, or nil when the time is over.
local function wait_by_select(self, method, direction)
  local list, none = { self.sock }, {}
  local hears = method == "send" and not self.is_deaf
  local reads = (direction == "r" or hears) and list or none
  local writes = direction == "w" and list or none
  repeat
    local seconds = math.min(self.limits:seconds(), SLICE)
    local readable, writable = self.pool.socket.select(reads, writes, seconds)
    if readable[1] or writable[1] then
      return true
    end
  until seconds <= 0
end

-- The longest wait that the setting `wait` is asked for.
local LONGEST = 3600

-- Waits by the setting `wait`. Returns true to call the method again: the socket is ready, or its
-- time is not over yet.
local function wait_by_setting(self, method, direction, seconds)
  local most = method == "send" and SLICE or LONGEST
  local wait = self.pool.settings.wait
  return callbacks.call(wait, self.sock, direction, math.min(seconds, most)) or seconds > most
end

-- How long the socket itself may wait.
local function set_timeout(self, seconds)
  if self.can_select or self.pool.settings.wait then
    return self.sock:settimeout(0)
  end
  seconds = seconds < math.huge and seconds or nil
  self.sock:settimeout(seconds)
  self.sock:settimeout(seconds, "t")
end

-- Waits until a method can go on; returns "again", or "timeout" when the time is over.
local function wait_for(self, method, direction, seconds)
  local is_ready
  if self.pool.settings.wait then
    is_ready = wait_by_setting(self, method, direction, seconds)
  else
    is_ready = self.can_select and wait_by_select(self, method, direction)
  end
  return is_ready and "again" or "timeout"
end

-- Waits for a byte, in LuaSocket itself: that takes half of what select takes, and is only right
-- where nothing else is waited for.
local function receive_byte(self)
  local seconds = self.limits:seconds()
  while seconds > 0 do
    self.sock:settimeout(math.min(seconds, SLICE))
    local byte, problem = self.sock:receive(1)
    if byte or not is_silent(problem) then
      return byte, problem
    end
    seconds = self.limits:seconds()
  end
  return nil, "timeout"
end

-- Calls a method of the socket. Where it could not go on, and the socket is ready now, the message
-- is "again".
function Connection:call(method, first, second)
  local seconds = self.limits:seconds()
  if seconds <= 0 then
    return nil, "timeout"
  end
  set_timeout(self, seconds)
  local result, problem, rest = self.sock[method](self.sock, first, second)
  local direction = WANTED[problem] or problem == "timeout" and DIRECTIONS[method]
  if result or not direction then
    return result, problem, rest
  end
  return nil, wait_for(self, method, direction, seconds), rest
end

-- Calls it until it is done.
function Connection:finish(method, first, second)
  local result, problem
  repeat
    result, problem = self:call(method, first, second)
  until problem ~= "again"
  return result, problem
end

-- A socket of the address's family has its descriptor from the start, by which it is decided how
-- to wait. One of no family, as LuaSocket's `tcp` makes it, has none before it connects.
local function new_socket(socket, family)
  local new = family == "inet6" and socket.tcp6 or socket.tcp4
  return (new or socket.tcp)()
end

-- What became of a connection that was begun: true, or nil and why it failed, "again" if it still
-- connects. A second `connect` would then be an error.
local function connected(sock)
  if sock:getpeername() then
    return true
  end
  return nil, sock:getoption "error" or "again"
end

local function finish_connecting(self, address, port)
  local ok, problem = self:call("connect", address, port)
  while problem == "again" do
    ok, problem = connected(self.sock)
    local seconds = self.limits:seconds()
    if problem == "again" then
      problem = seconds > 0 and wait_for(self, "connect", "w", seconds) or "timeout"
    end
  end
  return ok, problem
end

local function connect_to(self, address, port)
  local sock, why = new_socket(self.pool.socket, address.family)
  if not sock then
    return nil, why
  end
  use_socket(self, sock)
  local ok, problem = finish_connecting(self, address.addr, port)
  if ok then
    use_socket(self, sock) -- it may have had no descriptor until now
    return sock:setoption("tcp-nodelay", true)
  end
  sock:close()
  return nil, problem
end

-- Connects to the Unix socket of the settings, whatever the host is.
local function connect_to_path(self)
  local unix = need("socket.unix", "LuaSocket's, which Windows lacks")
  use_socket(self, (type(unix) == "table" and unix.stream or unix)())
  local ok, problem = self:finish("connect", self.socket_path)
  if ok then
    return true
  end
  return nil, http1.path_problem(self.socket_path, problem)
end

-- Notes that the connection is used from now on.
local function begin_use(self)
  local use = self.pool.use
  self.is_in_use, use.now = true, use.now + 1
  if use.now > use.peak then
    use.peak = use.now
  end
end

-- Each address of a host has its own time.
function Connection:connect(host, port)
  begin_use(self)
  if self.sock then
    return "kept"
  end
  if self.socket_path then
    return connect_to_path(self)
  end
  local list, problem = self.pool.socket.dns.getaddrinfo(host)
  if not list then
    local message = ("the name %s does not resolve: %s"):format(host, tostring(problem))
    return nil, message, nil, "resolve"
  end
  for _, address in ipairs(list) do
    self.limits:begin "connect_timeout"
    local ok, why = connect_to(self, address, port)
    if ok then
      return true
    end
    problem = why
  end
  return nil, problem
end

-- What to say of a handshake that failed, and whether no other try can help.
local function handshake_problem(problem)
  local is_refused = problem == "certificate verify failed"
  if is_refused then
    problem = problem .. ": it has expired, or cafile lacks its authority"
  end
  return "TLS: " .. tostring(problem), is_refused
end

function Connection:secure()
  local host, pool = text.lower(self.host):gsub("%.$", ""), self.pool
  use_socket(self, assert(pool.ssl.wrap(self.sock, self.context)))
  if not is_address(host) then
    self.sock:sni(host)
  end
  local ok, problem = self:finish "dohandshake"
  if not ok and problem == "timeout" then
    return nil, problem
  elseif not ok then
    return nil, handshake_problem(problem)
  end
  if is_valid_for(self.sock:getpeercertificate(), host, pool.socket) then
    return true
  end
  return nil, "TLS: the certificate is not valid for " .. host, true
end

-- Sends a piece from a byte on. Where a response comes before all of it is sent, the message is
-- "answered", and the next byte follows.
function Connection:send(piece, at)
  while true do
    local last, problem, part = self:call("send", piece, at)
    if problem ~= "again" then
      return last, problem
    end
    at = part + 1
    if self:has_response() then
      return nil, "answered", at
    end
  end
end

-- Has a byte come, or the end? Does not wait.
function Connection:has_response()
  if self.is_deaf then
    return false
  end
  if not self.first and not self.ended then
    local problem
    self.sock:settimeout(0)
    self.first, problem = self.sock:receive(1)
    self.ended = not self.first and not is_silent(problem) and problem or nil
  end
  return self.first ~= nil or self.ended ~= nil
end

-- The first byte of what comes, for which it waits.
local function first_byte(self)
  local first = self.first
  if (first or self.ended) and self.limits:seconds() <= 0 then
    return nil, "timeout"
  elseif first then
    self.first = nil
    return first
  elseif self.ended then
    return nil, self.ended
  elseif self.pool.settings.wait then
    return self:finish("receive", 1)
  end
  return receive_byte(self)
end

-- How OpenSSL 3 calls the end of a connection that TLS has not closed.
local function is_eof(problem)
  return problem ~= nil and problem:find "unexpected eof" ~= nil
end

-- Was the TCP connection reset? LuaSocket says "closed" of that, too, but then there is no peer any
-- more. LuaSec has no function for that, so a socket of LuaSocket borrows the descriptor. A Unix
-- socket has no peer with an address at any time.
local function was_reset(self)
  if self.socket_path then
    return false
  end
  local borrowing = self.pool.socket.tcp()
  borrowing:close()
  borrowing:setfd(self.sock:getfd())
  local address = borrowing:getpeername()
  borrowing:setfd(-1) -- or the collector would close it
  return not address
end

-- Did TLS say that nothing more comes? LuaSec says "closed" of a lost connection, too. But only
-- after close_notify does OpenSSL want nothing more, and since its version 3.5 after a reset.
local function is_end_of_tls(self)
  return self.sock:want() == "nothing" and not was_reset(self)
end

-- Why nothing more comes, in the words that the methods of a connection have for it.
local function end_of(self, problem)
  if is_eof(problem) then
    return "closed"
  elseif problem ~= "closed" then
    return problem
  elseif self.sock.want then
    return is_end_of_tls(self) and "ended" or "closed"
  end
  return was_reset(self) and "connection reset by peer" or "closed"
end

-- What the descriptor has, by its own reader; or nil. What LuaSocket has read already comes first.
local function read_descriptor(self, most)
  if self.first or self.sock:dirty() or self.limits:seconds() <= 0 then
    return nil
  end
  return self.read(self.sock:getfd(), most)
end

-- Waits for a byte, and not until so many are there. LuaSec hangs if it is asked again after an
-- error.
function Connection:receive(most)
  local rest = self.read and read_descriptor(self, most)
  if rest then
    return rest
  end
  local first, problem = first_byte(self)
  if not first then
    return nil, end_of(self, problem)
  elseif self.ended then
    return first
  end
  self.sock:settimeout(0)
  local piece, ended, part = self.sock:receive(most, first)
  self.ended = ended and not is_silent(ended) and ended or nil
  -- More is there most likely if as much came as was asked for. TLS is over the descriptor.
  self.read = piece ~= nil and not self.sock.want and descriptors.reader()
  return piece or part
end

-- --- connections that are kept ------------------------------------------------------

-- Notes that the connection is not used any more.
local function end_use(self)
  local use = self.pool.use
  if self.is_in_use then
    self.is_in_use, use.now = false, use.now - 1
    if use.now == 0 then
      use.last_peak, use.peak = use.peak, 0
    end
  end
end

function Connection:close()
  end_use(self)
  if self.sock then
    self.sock:close()
  end
end

-- Connections that are kept, of all origins: a program that asks many would else have a descriptor
-- for each. Where more are in use at once, so many are kept: else requests that end together would
-- close theirs, and those that follow connect anew.
local MOST = 16

function Connection:keep(most_idle)
  local idle = self.pool.idle
  if self.ended then
    return self:close()
  end
  end_use(self)
  self.since, self.most_idle = self.limits.now(), most_idle
  self.limits = nil -- they have the settings of the call, such as its sink
  self.read = false
  idle[#idle + 1] = self
  local use = self.pool.use
  while #idle > MOST and #idle > math.max(use.peak, use.last_peak) do
    table.remove(idle, 1).sock:close()
  end
end

-- Was a connection that was kept used less than so many seconds ago, and may it be taken then? The
-- clock may have been set back.
local function is_young(kept, now, most_idle)
  local age = now - kept.since
  return age >= 0 and age < math.min(most_idle, kept.most_idle)
end

-- Does a connection lead to where a try goes?
local function leads_to(connection, try)
  local place = try.place
  return connection.host == place.host
    and connection.port == place.port
    and connection.scheme == place.scheme
    and connection.certificate == try.settings.certificate
    and connection.socket_path == try.settings.socket_path
end

-- Is a connection still open, and has nothing come that nobody asked for? Does not wait.
local function is_silent_now(connection)
  connection.sock:settimeout(0)
  local _, problem = connection.sock:receive(1)
  return problem == "timeout" or problem == "wantread"
end

-- Takes a connection that was kept for a try, if one is still open and silent; nil if there is not
-- one.
local function take_idle(try, pool, most_idle)
  local idle = pool.idle
  for at = #idle, 1, -1 do
    local kept = idle[at]
    local is_right = leads_to(kept, try)
      and (most_idle == math.huge or is_young(kept, try.limits.now(), most_idle))
    if is_right then
      table.remove(idle, at)
      if is_silent_now(kept) then
        kept.limits, kept.is_deaf = try.limits, false
        return kept
      end
      kept.sock:close()
    end
  end
end

-- What TLS needs. A try at another origin than the call's has no certificate.
local function context_for(try, pool)
  local name = try.settings.certificate and "with certificate" or "bare"
  pool.ssl = pool.ssl or need("ssl", "LuaSec, or another client")
  pool.contexts[name] = pool.contexts[name] or new_context(pool.ssl, try.settings)
  return pool.contexts[name]
end

local function new_connection(try, pool)
  local place = try.place
  return setmetatable({
    pool = pool,
    limits = try.limits,
    scheme = place.scheme,
    host = place.host,
    port = place.port,
    context = place.scheme == "https" and context_for(try, pool) or nil,
    certificate = try.settings.certificate,
    socket_path = try.settings.socket_path,
    is_in_use = false,
    read = false,
    since = 0,
  }, Connection)
end

return function(settings)
  local socket = need("socket", "LuaSocket, or another client")
  local pool = { socket = socket, settings = settings, contexts = {}, idle = {} }
  pool.use = { now = 0, peak = 0, last_peak = 0 }
  local client = http1.client(settings, function(try, most_idle)
    return most_idle > 0 and take_idle(try, pool, most_idle) or new_connection(try, pool)
  end)
  client.now = socket.gettime
  return client
end
