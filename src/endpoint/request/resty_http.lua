-- SPDX-License-Identifier: MIT
-- Inside nginx: its own sockets, which lua-resty-http uses, too. nginx' lua_ssl_trusted_certificate has the
-- authorities, and its sockets compare names. It keeps connections.
local failures = require "endpoint.request.failures"
local http1 = require "endpoint.request.http1"

local Connection = {}
Connection.__index = Connection

function Connection:call(method, ...)
  local time = self.limits:milliseconds()
  self.socket:settimeouts(time, time, time)
  return self.socket[method](self.socket, ...)
end

-- A connection that is kept may be lost just then: what must not arrive twice gets a new one. None is of another's,
-- which may have compared no names.
function Connection:connect(host, port, is_new)
  local try, own = self.try, self.try.settings
  self.is_new = is_new or not try.may_repeat
  local pool = {
    "endpoint.request",
    self.is_new and "new" or "",
    try.scheme,
    try.host,
    try.port,
    own.proxy or "",
    own.certificate or "",
    own.key or "",
  }
  host = host:find ":" and "[" .. host .. "]" or host
  local ok, problem = self:call("connect", host, port, { pool = table.concat(pool, " ") })
  if not ok then
    return nil, problem
  end
  return self.socket:getreusedtimes() > 0 and "kept" or true
end

-- Shows the certificate of the settings, where nginx can: its Lua module, from 0.10.22 on, with lua-resty-core.
local function set_certificate(self)
  local own, ssl = self.try.settings, failures.need("ngx.ssl", "lua-resty-core")
  if not self.socket.setclientcert then
    failures.fail "certificate: this version of nginx' Lua module shows none"
  end
  local texts = {}
  for i, path in ipairs { own.certificate, own.key or own.certificate } do
    local file = assert(io.open(path, "rb"))
    texts[i] = file:read "*a"
    file:close()
  end
  assert(
    self.socket:setclientcert(
      assert(ssl.parse_pem_cert(texts[1])),
      assert(ssl.parse_pem_priv_key(texts[2]))
    )
  )
end

function Connection:secure()
  local host = self.try.host
  if http1.is_address(host) then
    return nil, "TLS: nginx checks no certificate of an address", true
  end
  if self.try.settings.certificate then
    set_certificate(self)
  end
  local ok, problem = self:call("sslhandshake", false, host, true)
  if ok or problem == "timeout" or problem == "closed" then
    return ok, problem
  end
  return nil,
    "TLS: "
      .. tostring(problem)
      .. " (lua_ssl_trusted_certificate has the authorities, as cafile elsewhere)",
    true
end

function Connection:send(piece)
  return self:call("send", piece)
end
function Connection:receive(most)
  return self:call("receiveany", most)
end
function Connection:close()
  return self.socket:close()
end

function Connection:keep() -- nginx keeps none of which it has read more
  if self.is_new then
    return self:close()
  end
  return self.socket:setkeepalive()
end

return function(settings)
  local ngx = rawget(_G, "ngx") or failures.fail "client: resty_http runs inside nginx alone"
  if settings.cafile then
    failures.fail "cafile: nginx has the authorities, by lua_ssl_trusted_certificate"
  end
  local function connect(try)
    return setmetatable({ try = try, limits = try.limits, socket = ngx.socket.tcp() }, Connection)
  end
  local function now()
    return ngx.update_time() or ngx.now()
  end
  return http1.client(settings, connect), ngx.sleep, now
end
