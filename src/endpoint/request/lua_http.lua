-- SPDX-License-Identifier: MIT
-- lua-http. It compares authorities and names where its luaossl can.
local clients = require "endpoint.clients"
local errors = require "endpoint.request.errors"

local function read_headers(fields)
  local headers = {}
  for name, value in fields:each() do
    headers[name] = headers[name] and headers[name] .. ", " .. value or value
  end
  return tonumber(headers[":status"]), headers
end

-- Gives the pieces of the body to s.write. Returns what went wrong, and true if no other try can help.
local function read_body(stream, s, status)
  repeat
    local piece, problem = stream:get_next_chunk(math.max(0, math.min(s.step_timeout, s.left())))
    if problem or s.left() <= 0 then return problem or "timeout" end
    if piece == "" and stream.connection.version < 2 then return "closed" end
    if piece then
      local ok, refusal = s.write(piece, status)
      if not ok then return refusal, true end
    end
  until not piece
end

return function(settings)
  local tls, cqueues = errors.need("http.tls", "lua-http"), errors.need("cqueues", "lua-http")
  if not tls.has_hostname_validation then errors.fail "client: this luaossl compares no names: take another client" end
  local context = tls.new_client_context()
  if settings.cafile then
    local store = require "openssl.x509.store".new()
    context:setStore(store:add(settings.cafile))
  end
  local function send(r, s)
    local request = errors.call(clients.lua_http, r, { encode = s.encode, nested = s.nested })
    request.ctx, request.proxy, request.hsts = context, s.proxy or false, false
    local fields, stream = request:go(s.left())
    if not fields then return nil, stream, tostring(stream):find "certificate" ~= nil end
    local status, headers = read_headers(fields)
    local problem, is_final = read_body(stream, s, status)
    -- lua-http does not tell when a body is cut off.
    if not problem and (stream.body_read_left or 0) > 0 and r.method ~= "head" then problem = "closed" end
    if problem then
      stream.connection.socket:close() -- shutdown would read on, for ever where the other side has closed
      return nil, problem, is_final
    end
    stream:shutdown()
    return status, headers
  end
  return send, cqueues.sleep, cqueues.monotime
end
