-- SPDX-License-Identifier: MIT
-- Inside nginx: its own sockets, which lua-resty-http uses, too. nginx' lua_ssl_trusted_certificate has the
-- authorities, and its sockets compare names. It keeps connections.
local http1 = require "endpoint.request.http1"

return function(settings, _, fail)
  local ngx = rawget(_G, "ngx") or fail "client: resty_http runs inside nginx alone"
  if settings.cafile then fail "cafile: nginx has the authorities, by lua_ssl_trusted_certificate" end

  local function connect(s)
    local socket, connection = ngx.socket.tcp(), { can_keep = true }
    local function call(method, ...)
      local time = math.max(1, math.floor(s.step() * 1000))
      socket:settimeouts(time, time, time)
      return socket[method](socket, ...)
    end
    -- A connection that is kept may be lost just then: what must not arrive twice gets a new one. None is of
    -- another's, which may have compared no names.
    function connection.connect(host, port)
      local pool = { "endpoint.request", s.may_repeat and "" or "new", s.scheme, s.host, s.port, s.proxy }
      host = host:find ":" and "[" .. host .. "]" or host
      local ok, problem = call("connect", host, port, { pool = table.concat(pool, " ") })
      return ok and (socket:getreusedtimes() > 0 and "kept" or "new"), problem
    end
    function connection.secure()
      if s.host:find "^[%d.]+$" or s.host:find ":" then return nil, "TLS: nginx checks no certificate of an address" end
      return call("sslhandshake", false, s.host, true)
    end
    function connection.send(piece) return call("send", piece) end
    function connection.receive(most) return call("receiveany", most) end
    -- nginx keeps none of which it has read more.
    function connection.close(is_kept) return is_kept and socket:setkeepalive() or socket:close() end
    return connection
  end
  local function now() return ngx.update_time() or ngx.now() end
  return http1.client(settings, fail, connect), ngx.sleep, now
end
