-- SPDX-License-Identifier: MIT
-- lua-resty-http, inside nginx, whose lua_ssl_trusted_certificate has the authorities. It keeps connections.
return function(settings, need, fail)
  local http, ngx = need("resty.http", "lua-resty-http, or another client"), rawget(_G, "ngx")
  if settings.cafile then fail "cafile: nginx has the authorities, by lua_ssl_trusted_certificate" end

  local function send(_, s)
    local connection, _, params = http.new(), s.arguments "resty_http"
    local function limit()
      local time = math.max(1, math.floor(s.step() * 1000))
      connection:set_timeouts(time, time, time)
    end
    limit()
    local ok, problem = connection:connect { scheme = s.scheme, host = s.host:find ":" and "[" .. s.host .. "]" or s.host,
      port = s.port, ssl_verify = true, ssl_server_name = s.host,
      proxy_opts = { http_proxy = s.proxy, https_proxy = s.proxy } }
    if not ok then return nil, problem end
    limit()
    local answer
    answer, problem = connection:request(params)
    if answer then
      problem = answer.body_reader and s.drain(function()
        limit()
        return answer.body_reader(65536)
      end, answer.status)
    end
    if problem or not answer then
      connection:close()
      return nil, problem
    end
    connection:set_keepalive()
    return answer.status, answer.headers
  end
  return send, ngx.sleep, function()
    ngx.update_time()
    return ngx.now()
  end
end
