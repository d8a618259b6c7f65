-- SPDX-License-Identifier: MIT
-- The connections of LuaSocket, with LuaSec for https, which compares no names.
local http1 = require "endpoint.request.http1"
local lower = require "endpoint.clients.text".lower

local TLS = { mode = "client", protocol = "any", verify = "peer",
  options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" } }

-- Where systems keep the certificates of the authorities.
local CAFILES = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem" }

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

return function(settings, need, fail)
  local socket, ssl, context = need("socket", "LuaSocket, or another client"), nil, nil

  local function load_tls()
    ssl = need("ssl", "LuaSec, or another client")
    local problem = "expected the certificates of the authorities"
    for _, path in ipairs(settings.cafile and { settings.cafile } or CAFILES) do
      TLS.cafile = path
      if not context then context, problem = ssl.newcontext(TLS) end
    end
    if not context then fail("cafile: %s", tostring(problem)) end
  end

  local function connect(s)
    if s.scheme == "https" and not context then load_tls() end
    local sock, connection = assert(socket.tcp()), {}

    -- LuaSec calls a time-out by what it waited for.
    local function call(seconds, method, ...)
      sock:settimeout(seconds, "b")
      sock:settimeout(math.max(s.left(), 0.001), "t")
      local result, problem, rest = sock[method](sock, ...)
      return result, (problem == "wantread" or problem == "wantwrite") and "timeout" or problem, rest
    end

    function connection.connect(host, port)
      local ok, problem = call(s.step(), "connect", host, port)
      if ok then sock:setoption("tcp-nodelay", true) end
      return ok, problem
    end
    function connection.secure()
      local host = lower(s.host):gsub("%.$", "")
      sock = assert(ssl.wrap(sock, context))
      if not is_address(host) then sock:sni(host) end
      local ok, problem = call(s.step(), "dohandshake")
      if not ok then return nil, "TLS: " .. tostring(problem) end
      if is_of_host(sock:getpeercertificate(), host, socket) then return true end
      return nil, "TLS: the certificate is not that of " .. host
    end
    function connection.send(piece) return call(s.step(), "send", piece) end
    -- Waits for a byte, and not until so many are there. LuaSec hangs if it is asked again behind an error.
    local ended
    function connection.receive(most)
      local first, piece, part
      if not ended then first, ended = call(s.step(), "receive", 1) end
      -- Only behind close_notify does OpenSSL want nothing more; a connection that is gone says "closed", too.
      if ended == "closed" and s.scheme == "https" and sock:want() == "nothing" then ended = "ended" end
      if not first then return nil, ended end
      piece, ended, part = call(0, "receive", most, first)
      if ended == "timeout" then ended = nil end
      return piece or part
    end
    function connection.close() sock:close() end
    return connection
  end
  return http1.client(settings, fail, connect), socket.sleep, socket.gettime
end
