-- SPDX-License-Identifier: MIT
-- LuaSocket, with LuaSec for https. LuaSocket's own time-outs are for the program, so a connection
-- of this module stands between the two; it also knows the status before the body comes.
local clients = require "endpoint.clients"
local errors = require "endpoint.request.errors"

-- Bytes of the lines of a head, or of one chunk's line.
local LONGEST_HEAD = 65536

-- --- TLS --------------------------------------------------------------------------

local TLS = { mode = "client", protocol = "any", verify = "peer",
  options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" } }

-- Where systems keep the certificates of the authorities.
local CAFILES = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" }

local function find_cafile()
  for _, path in ipairs(CAFILES) do
    local file = io.open(path, "rb")
    if file then
      file:close()
      return path
    end
  end
  return errors.fail "cafile: expected a file with the certificates of the authorities"
end

local function is_address(host) return host:find "^%d+%.%d+%.%d+%.%d+$" or host:find(":", 1, true) end

-- RFC 9525, section 6.3: a wildcard is the whole leftmost label, and stands for one label.
local function is_name_of(name, host)
  name = name:gsub("[A-Z]", string.lower)
  local rest = name:match "^%*(%.[^*]+%.[^*]+)$"
  return name == host or rest ~= nil and host:match "^[^.]+(%..*)$" == rest
end

-- LuaSec asks who signed a certificate; this asks whose it is. The subject counts for nothing (RFC 9525).
local function is_of_host(certificate, host, socket)
  local names, kind = certificate:extensions()["2.5.29.17"] or {}, is_address(host) and "iPAddress" or "dNSName"
  if kind == "dNSName" and certificate.checkhost and not certificate:checkhost(host) then return false end
  local found = host:find(":", 1, true) and socket.dns.getaddrinfo(host)
  host = found and found[1].addr or host -- as inet_ntop writes it
  for _, name in ipairs(names[kind] or {}) do
    if is_name_of(name, host) then return true end
  end
  return false
end

-- The connection over TLS; or nil, a message, and true if no other try can help.
local function secure(plain, s, limit, socket)
  local ssl, host = errors.need("ssl", "LuaSec"), s.host:gsub("[A-Z]", string.lower):gsub("%.$", "")
  TLS.cafile = s.cafile or find_cafile()
  local sock, problem = ssl.wrap(plain, TLS)
  if not sock then return nil, "TLS: " .. tostring(problem), true end
  if not is_address(host) then sock:sni(host) end
  limit(sock)
  local ok
  ok, problem = sock:dohandshake()
  if not ok then
    sock:close()
    return nil, "TLS: " .. tostring(problem), problem ~= "wantread" and problem ~= "timeout" and problem ~= "closed"
  elseif not is_of_host(sock:getpeercertificate(), host, socket) then
    sock:close()
    return nil, "TLS: the certificate is not that of " .. host, true
  end
  return sock
end

-- --- the connection ---------------------------------------------------------------

-- What LuaSocket uses as its socket. state: `status` of the answer; `problem`; `is_final`: no other try can help.
local function open_connection(socket, s, state)
  local sock, connection = assert(socket.tcp()), { settimeout = function() return 1 end }
  local room, is_behind_chunk = LONGEST_HEAD, false

  local function limit(of)
    local left = s.left()
    if left <= 0 then return nil, "timeout" end
    of:settimeout(math.min(left, s.step_timeout), "b")
    return of:settimeout(left, "t")
  end

  -- LuaSec calls a time-out by what it waited for.
  local function call(method, ...)
    local ok, problem = limit(sock)
    if not ok then return nil, problem end
    local result, message, rest = sock[method](sock, ...)
    if message == "wantread" or message == "wantwrite" then message = "timeout" end
    return result, message, rest
  end

  local function receive_line(start)
    local bytes = { start }
    repeat
      local byte, problem = call("receive", 1)
      if not byte then return nil, problem end
      bytes[#bytes + 1], room = byte, room - 1
    until byte == "\n" or room == 0
    if room == 0 then state.is_final = true return nil, "the head of the answer is too long" end
    local line = table.concat(bytes):gsub("[\r\n]", "")
    if line == "" then room = LONGEST_HEAD end
    return line
  end

  function connection.connect(_, host, port)
    local ok, problem = call("connect", host, port)
    if not ok then return nil, problem end
    sock:setoption("tcp-nodelay", true)
    if s.scheme ~= "https" then return 1 end
    sock, problem, state.is_final = secure(sock, s, limit, socket)
    return sock, problem
  end
  function connection.send(_, ...) return call("send", ...) end
  function connection.receive(_, what, start)
    if type(what) == "number" then
      is_behind_chunk = true
      if what > s.max_size then return nil, "the answer is too long" end
      return call("receive", what, start)
    end
    local line, problem = receive_line(start)
    if line and start then
      state.status = tonumber(line:match "^HTTP/%d%.%d ([1-5]%d%d)")
      line = line:gsub("^(HTTP/%S+ )1%d%d", "%1100") -- LuaSocket skips no other of 1xx
    elseif is_behind_chunk and line ~= "" then -- which LuaSocket does not look at
      state.problem = problem or "a chunk of the answer has another length than it says"
    end
    is_behind_chunk = false
    return line, problem
  end
  function connection.close() return sock and sock:close() end
  return connection
end

-- --- a request --------------------------------------------------------------------

local function send(r, s)
  local socket, http = require "socket", require "socket.http"
  if s.proxy and s.scheme == "https" then errors.fail "proxy: LuaSocket sends no https through one: take another client" end
  local state = {}
  local request = errors.call(clients.luasocket, r, { encode = s.encode, nested = s.nested, sink = function(piece)
    if not piece then return 1 end
    if not state.status then state.is_final = true return nil, "the answer is no HTTP" end
    return s.write(piece, state.status)
  end })
  request.port, request.proxy = s.port, s.proxy
  request.create = function() return open_connection(socket, s, state) end
  local ok, sent, status, headers = pcall(http.request, request)
  if not ok then return nil, "the answer is broken", true end
  if not sent then return nil, status, state.is_final end
  if state.problem then return nil, state.problem, true end
  if state.status then return state.status, headers or {} end
  if status == 408 then return nil, "timeout" end
  return nil, "the answer is no HTTP", true
end

return function()
  local socket = errors.need("socket", "LuaSocket")
  errors.need("socket.http", "LuaSocket")
  return send, socket.sleep, socket.gettime
end
