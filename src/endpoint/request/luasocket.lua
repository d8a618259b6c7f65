-- SPDX-License-Identifier: MIT
-- LuaSocket, with LuaSec for https. LuaSocket's http.request has no time-out for a whole request, no limits,
-- and no status before the body; LuaSec compares no names. So the connection that it calls is one of this module.
local LONGEST_HEAD = 65536 -- bytes of a head, or of a chunk's line

local TLS = { mode = "client", protocol = "any", verify = "peer",
  options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" } }

-- Where systems keep the certificates of the authorities.
local CAFILES = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" }

local function find_cafile()
  for _, path in ipairs(CAFILES) do
    local file = io.open(path, "rb")
    if file then return file:close() and path end
  end
end

local function lower(text) return (text:gsub("[A-Z]", string.lower)) end

local function is_address(host) return host:find "^%d+%.%d+%.%d+%.%d+$" or host:find(":", 1, true) end

-- RFC 9525: the names of subjectAltName alone; a wildcard is the whole leftmost label, and stands for one.
local function is_of_host(certificate, host, socket)
  local names, kind = certificate:extensions()["2.5.29.17"] or {}, is_address(host) and "iPAddress" or "dNSName"
  if kind == "dNSName" and certificate.checkhost and not certificate:checkhost(host) then return false end
  local found = host:find(":", 1, true) and socket.dns.getaddrinfo(host)
  host = found and found[1].addr or host -- as inet_ntop writes it
  for _, name in ipairs(names[kind] or {}) do
    local rest = lower(name):match "^%*(%.[^*]+%.[^*]+)$"
    if lower(name) == host or rest and host:match "^[^.]+(%..*)$" == rest then return true end
  end
  return false
end

-- What LuaSocket uses as its socket. secure(plain): makes TLS of it, or nil. state.status: that of the answer.
local function open_connection(socket, s, state, secure)
  local sock, connection = assert(socket.tcp()), { settimeout = function() return 1 end }
  local room, is_behind_piece = LONGEST_HEAD, false

  -- LuaSec calls a time-out by what it waited for.
  local function call(method, ...)
    if s.left() <= 0 then return nil, "timeout" end
    sock:settimeout(s.step(), "b")
    sock:settimeout(s.left(), "t")
    local result, problem, rest = sock[method](sock, ...)
    return result, (problem == "wantread" or problem == "wantwrite") and "timeout" or problem, rest
  end

  local function receive_line(start)
    local bytes = { start }
    repeat
      local byte, problem = call("receive", 1)
      if not byte then return nil, problem end
      bytes[#bytes + 1], room = byte, room - 1
      if room == 0 then return s.refuse "the head of the answer is too long" end
    until byte == "\n"
    return (table.concat(bytes):gsub("[\r\n]", ""))
  end

  function connection.connect(_, host, port)
    local ok, problem = call("connect", host, port)
    if not ok then return nil, problem end
    sock:setoption("tcp-nodelay", true)
    if not secure then return 1 end
    host = lower(s.host):gsub("%.$", "")
    sock = secure(sock)
    if not is_address(host) then sock:sni(host) end
    ok, problem = call "dohandshake"
    if not ok then return nil, "TLS: " .. tostring(problem) end
    if is_of_host(sock:getpeercertificate(), host, socket) then return 1 end
    return s.refuse("TLS: the certificate is not that of " .. host)
  end
  function connection.send(_, ...) return call("send", ...) end
  function connection.receive(_, what, start)
    local is_behind = is_behind_piece
    is_behind_piece = type(what) == "number"
    if is_behind_piece then
      room = LONGEST_HEAD
      if what > s.max_size then return s.refuse "the answer is too long" end
      return call("receive", what, start)
    end
    local line, problem = receive_line(start)
    if line and start then
      state.status = tonumber(line:match "^HTTP/%d%.%d ([1-5]%d%d)%f[^%d]")
      if not state.status then return s.refuse "the answer is no HTTP" end
      return (line:gsub("^(HTTP/%S+ )1%d%d", "%1100")) -- LuaSocket skips no other of 1xx
    elseif is_behind and line ~= "" then -- which LuaSocket does not look at
      return s.refuse(problem or "a chunk of the answer has another length than it says")
    end
    return line, problem
  end
  function connection.close() return sock:close() end
  return connection
end

return function(settings, need, fail)
  local socket, http = need("socket", "LuaSocket, or another client"), need("socket.http", "LuaSocket, or another client")
  local context

  -- LuaSec, loaded before LuaSocket is called, which hides errors.
  local function load_tls()
    if settings.proxy then fail "proxy: LuaSocket sends no https through one: take another client" end
    local ssl = need("ssl", "LuaSec, or another client")
    TLS.cafile = settings.cafile or find_cafile() or fail "cafile: expected the certificates of the authorities"
    if not context then
      local made, problem = ssl.newcontext(TLS)
      context = made or fail("cafile: %s", tostring(problem))
    end
    return function(plain) return assert(ssl.wrap(plain, context)) end
  end

  local function send(_, s)
    local state, secure = {}, s.scheme == "https" and load_tls()
    local request = s.arguments("luasocket", { sink = function(piece)
      if not piece then return 1 end
      if not state.status then return s.refuse "the answer is no HTTP" end
      return s.write(piece, state.status)
    end })
    request.port, request.proxy = s.port, s.proxy
    request.create = function() return open_connection(socket, s, state, secure) end
    local ok, sent, status, headers = pcall(http.request, request)
    if not ok then return s.refuse("LuaSocket: the request or the answer is broken: " .. tostring(sent)) end
    if not sent then return nil, status end
    if state.status then return state.status, headers or {} end
    return nil, status == 408 and "timeout" or "the answer is no HTTP"
  end
  return send, socket.sleep, socket.gettime
end
