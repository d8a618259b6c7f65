-- SPDX-License-Identifier: MIT
-- The request that nginx handles becomes a message, for proxy_pass.
local proxy = {}

local fail = require "endpoint.clients.misuse".fail
local headers = require "endpoint.clients.nginx.headers"
local request = require "endpoint.clients.nginx.request"

local find, sub = string.find, string.sub

local NONE = {}

-- nginx answers a HEAD without a body because of the method that is set. With another method
-- the client would take the body for its next response, or wait for one that never comes.
local function check_head(ngx, method)
  local former = ngx.req.get_method()
  if (method == "HEAD") ~= (former == "HEAD") then
    fail(
      "method %s: expected HEAD if the client's method is HEAD, and only then; the client sent %s",
      method,
      former
    )
  end
end

local function check_phase(phase, expected)
  if phase == expected then
    return
  end
  fail(
    "clients.ngx_proxy: expected the %s phase, got %s%s",
    expected,
    phase,
    phase ~= "rewrite" and ""
      or ": limit_req and auth_request, which run later, would see our request instead of the "
        .. 'client\'s (options.phase = "rewrite" allows it)'
  )
end

local SENDS_NO_BODY = { GET = true, HEAD = true, TRACE = true }

local function check_client_body(method, body)
  if body ~= nil then
    fail('body: expected no body beside options.body = "client"')
  end
  if SENDS_NO_BODY[method] then
    fail("body: %s has no body: expected no options.body", method)
  end
end

-- The host and port of a URL that begins with this scheme.
local function authority_of(url, scheme)
  local from = #scheme + 4
  return sub(url, from, find(url, "/", from, true) - 1)
end

-- Headers that stay: nginx finds the end of a body by them, and answers 100 before it reads one.
local OF_OUR_BODY, OF_CLIENTS_BODY =
  { "content-length" }, { "content-length", "transfer-encoding", "expect" }

-- Makes the current request m, which message.read returns for the result r. Returns the target.
-- The host is set for locations that send $host or $http_host; proxy_pass itself takes the
-- target's.
function proxy.start(m, r, options)
  local ngx = request.find_nginx "clients.ngx_proxy"
  local phase = ngx.get_phase()
  local method, variables = request.method_constant(ngx, m.method), options.variables or NONE
  check_phase(phase, options.phase or "access")
  request.check("clients.ngx_proxy", ngx)
  check_head(ngx, m.method)
  headers.check(m.headers, variables)
  if options.body then
    check_client_body(m.method, r.body)
  end
  headers.set_variables(ngx.var, m.headers, variables)
  m.headers.host = m.headers.host or authority_of(m.url, m.scheme)
  if not options.body then
    request.replace_body(ngx, m.body)
  end
  local of_body = options.body and OF_CLIENTS_BODY or m.body and OF_OUR_BODY or NONE
  headers.replace(ngx, m.headers, variables, options.pass or NONE, of_body)
  ngx.req.set_method(method)
  return m.url
end

return proxy
