-- SPDX-License-Identifier: MIT
-- The request that nginx handles: is it one that may become ours, its method and its body.
local request = {}

local fail = require "endpoint.clients.misuse".fail

-- The methods that nginx's Lua module has constants for, and their names. Other constants that
-- begin with HTTP_, such as ngx.HTTP_OK, are status codes.
local NAMES = "GET HEAD PUT POST DELETE OPTIONS MKCOL COPY MOVE PROPFIND PROPPATCH LOCK UNLOCK "
  .. "PATCH TRACE"
local METHODS = {}
for method in NAMES:gmatch "%u+" do
  METHODS[method] = "HTTP_" .. method
end

-- Returns nginx's API.
function request.find_nginx(caller)
  local ngx = rawget(_G, "ngx")
  if type(ngx) ~= "table" or type(ngx.get_phase) ~= "function" or type(ngx.req) ~= "table" then
    fail("%s: expected to run inside nginx", caller)
  end
  return ngx
end

function request.method_constant(ngx, method)
  return METHODS[method] and ngx[METHODS[method]]
    or fail("method %s: nginx has no constant for it", method)
end

-- A subrequest has the body of the request around it, perhaps half read, and emptying it would
-- empty that. In a request of HTTP/0.9 nginx sets no header, so ours would be missing. Returns the
-- version of HTTP.
function request.check(caller, ngx)
  if ngx.is_subrequest then
    fail("%s: expected the client's own request, not a subrequest", caller)
  end
  local version = ngx.req.http_version()
  if version == 0.9 then
    fail("%s: expected a request of HTTP/1.0 or later, got HTTP/0.9", caller)
  end
  return version
end

-- Replaces the body of the current request. It is read before: otherwise nginx sends a body that
-- it has read after our request, and takes one that arrives later for the client's next request,
-- also after discard_body.
function request.replace_body(ngx, body)
  ngx.req.read_body()
  ngx.req.set_body_data(body or "")
end

return request
