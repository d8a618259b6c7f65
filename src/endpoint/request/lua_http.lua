-- SPDX-License-Identifier: MIT
-- lua-http. It compares authorities and names where its luaossl can.
return function(settings, need, fail)
  local tls, cqueues = need("http.tls", "lua-http, or another client"), need("cqueues", "lua-http, or another client")
  if not tls.has_hostname_validation then fail "client: this luaossl compares no names: take another client" end
  local context = tls.new_client_context()
  if settings.cafile then context:setStore(require "openssl.x509.store".new():add(settings.cafile)) end

  local function send(r, s)
    local request = s.arguments "lua_http"
    request.ctx, request.proxy, request.hsts = context, s.proxy or false, false
    local fields, stream = request:go(s.left())
    if not fields then return nil, stream end
    local headers, status = {}, tonumber(fields:get ":status")
    for name, value in fields:each() do headers[name] = headers[name] and headers[name] .. ", " .. value or value end
    local problem = s.drain(function()
      local piece, problem = stream:get_next_chunk(s.step())
      return piece, problem or piece == "" and stream.connection.version < 2 and "closed" or nil
    end, status)
    -- lua-http does not tell when a body is cut off.
    if not problem and (stream.body_read_left or 0) > 0 and r.method ~= "head" then problem = "closed" end
    if problem then
      stream.connection.socket:close() -- shutdown would read on, for ever where the other side has closed
      return nil, problem
    end
    stream:shutdown()
    return status, headers
  end
  return send, cqueues.sleep, cqueues.monotime
end
