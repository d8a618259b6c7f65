-- SPDX-License-Identifier: MIT
-- lua-resty-http, inside nginx, whose lua_ssl_trusted_certificate has the authorities. It keeps connections.
local clients = require "endpoint.clients"
local errors = require "endpoint.request.errors"

-- Gives the pieces of the body to s.write.
local function read_body(reader, s, status, limit)
  repeat
    limit()
    local piece, problem = reader(65536)
    if problem or s.left() <= 0 then return nil, problem or "timeout" end
    if piece then
      local ok, refusal = s.write(piece, status)
      if not ok then return nil, refusal, true end
    end
  until not piece
  return true
end

local function send(r, s)
  local connection = require "resty.http".new()
  local function limit()
    local time = math.max(1, math.floor(math.min(s.step_timeout, s.left()) * 1000))
    connection:set_timeouts(time, time, time)
  end
  local _, params = errors.call(clients.resty_http, r, { encode = s.encode, nested = s.nested })
  limit()
  local ok, problem = connection:connect { scheme = s.scheme, host = s.host:find ":" and "[" .. s.host .. "]" or s.host,
    port = s.port, ssl_verify = true, ssl_server_name = s.host,
    proxy_opts = { http_proxy = s.proxy, https_proxy = s.proxy } }
  if not ok then return nil, problem, tostring(problem):find "certificate" ~= nil end
  limit()
  local answer
  answer, problem = connection:request(params)
  local is_final
  if answer then ok, problem, is_final = read_body(answer.body_reader or function() end, s, answer.status, limit) end
  if not answer or not ok then
    connection:close()
    return nil, problem, is_final
  end
  connection:set_keepalive()
  return answer.status, answer.headers
end

return function(settings)
  errors.need("resty.http", "lua-resty-http")
  if settings.cafile then errors.fail "cafile: nginx has the authorities, by lua_ssl_trusted_certificate" end
  local ngx = rawget(_G, "ngx")
  return send, ngx.sleep, function()
    ngx.update_time()
    return ngx.now()
  end
end
