-- SPDX-License-Identifier: MIT
-- The connections of lua-http, which wait in the loop of cqueues. It compares authorities and names where its
-- luaossl can.
local http1 = require "endpoint.request.http1"

return function(settings, need, fail)
  local client, tls = need("http.client", "lua-http, or another client"), require "http.tls"
  local cqueues, onerror = require "cqueues", require "http.connection_common".onerror
  if not tls.has_hostname_validation then fail "client: this luaossl compares no names: take another client" end
  local context = tls.new_client_context()
  if settings.cafile then context:setStore(require "openssl.x509.store".new():add(settings.cafile)) end

  local function connect(s)
    local socket, connection = nil, {}
    local function take(made, problem)
      socket = made and made:take_socket() or socket
      if made then socket:onerror(onerror) end
      return made, problem
    end
    function connection.connect(host, port)
      return take(client.connect({ host = host, port = port, version = 1.1 }, s.step()))
    end
    function connection.secure()
      local options = { host = s.host, tls = true, ctx = context, version = 1.1 }
      return take(client.negotiate(socket, options, s.step()))
    end
    function connection.send(piece) return socket:xwrite(piece, "n", s.step()) end
    function connection.receive(most)
      local piece, problem = socket:xread(-most, s.step())
      return piece, problem or "closed"
    end
    function connection.close() return socket and socket:close() end
    return connection
  end
  return http1(settings, fail, connect), cqueues.sleep, cqueues.monotime
end
