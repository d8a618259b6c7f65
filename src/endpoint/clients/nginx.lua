-- What the clients inside nginx do to the request that nginx handles. nginx sends on what it
-- has received, so all that a stranger has written must go.
local nginx = {}

local errors = require "endpoint.clients.errors"
local fail = errors.fail

-- The methods that nginx's Lua module has constants for. Other constants that begin with
-- HTTP_, such as ngx.HTTP_OK, are status codes.
local METHODS = {
  GET = true, HEAD = true, PUT = true, POST = true, DELETE = true, OPTIONS = true, MKCOL = true, COPY = true,
  MOVE = true, PROPFIND = true, PROPPATCH = true, LOCK = true, UNLOCK = true, PATCH = true, TRACE = true,
}

-- Returns nginx's API and the phase, if it is one of these.
local function in_phase(caller, phases)
  local ngx = rawget(_G, "ngx")
  if type(ngx) ~= "table" or type(ngx.get_phase) ~= "function" or type(ngx.req) ~= "table" then
    fail("%s: expected to run inside nginx", caller)
  end
  local phase = ngx.get_phase()
  if not phases[phase] then fail("%s: expected the %s phase, got %s", caller, phases.names, phase) end
  return ngx, phase
end

local function method_constant(ngx, method)
  return METHODS[method] and ngx["HTTP_" .. method] or fail("method %s: nginx has no constant for it", method)
end

-- nginx would write these control characters as triplets, and drop a header without a value.
local function check_headers(headers)
  for name, value in pairs(headers) do
    if value == "" or value:find("[\1-\8\10-\31\127]") then
      fail("header %q: expected a value without control characters, and not an empty one, for nginx", name)
    end
  end
end

-- A subrequest has the body of the request around it, perhaps half read, and emptying it would
-- empty that. In a request of HTTP/0.9 nginx sets no header, so ours would be missing.
local function check_request(caller, ngx)
  if ngx.is_subrequest then fail("%s: expected the client's own request, not a subrequest", caller) end
  if ngx.req.http_version() == 0.9 then fail("%s: expected a request of HTTP/1.0 or later, got HTTP/0.9", caller) end
end

-- Replaces the headers of the current request by these, and its body by none. The body is read
-- and emptied before its length is cleared. Otherwise nginx sends a body that it has read behind
-- our request, and takes one that arrives later for the client's next request, also after
-- discard_body. ngx.req.clear_header does not find a name that is no token, which nginx lets in
-- if ignore_invalid_headers is off.
local function replace(ngx, headers)
  ngx.req.read_body()
  ngx.req.set_body_data ""
  for name in pairs(ngx.req.get_headers(0)) do ngx.req.clear_header(name) end
  if next(ngx.req.get_headers(0)) then fail("a header of the client stays: expected a token as its name") end
  for name, value in pairs(headers) do ngx.req.set_header(name, value) end
end

-- nginx answers a HEAD without a body because of the method that is set. With another method
-- the client would take the body for its next response, or wait for one that never comes.
local function check_head(ngx, method)
  local former = ngx.req.get_method()
  if (method == "HEAD") ~= (former == "HEAD") then
    fail("method %s: expected HEAD if the client's method is HEAD, and only then; the client sent %s", method, former)
  end
end

local PROXY_PHASES = { names = "rewrite or access", rewrite = true, access = true }

-- Makes the current request m, which is what clients.plain returns. Returns the target. The
-- host is set for locations that send $host or $http_host; proxy_pass itself takes the target's.
function nginx.proxy(m)
  local ngx = in_phase("clients.ngx_proxy", PROXY_PHASES)
  local method = method_constant(ngx, m.method)
  check_request("clients.ngx_proxy", ngx)
  check_head(ngx, m.method)
  check_headers(m.headers)
  replace(ngx, m.headers)
  ngx.req.set_header("host", m.headers.host or m.url:match "^%a+://([^/]+)")
  ngx.req.set_method(method)
  if m.body then ngx.req.set_body_data(m.body) end
  return m.url
end

local CAPTURE_PHASES = { names = "rewrite, access or content", rewrite = true, access = true, content = true }

-- Returns the method's constant and the body for ngx.location.capture. A subrequest has the
-- headers of the request around it, and its body if that came in chunks. In the content phase
-- that request ends here, so it gets the headers of m and no body. In an earlier phase it goes on
-- to the application, which must not see a token of ours.
function nginx.capture(m)
  local ngx, phase = in_phase("clients.ngx", CAPTURE_PHASES)
  local method = method_constant(ngx, m.method)
  if phase == "content" then
    check_request("clients.ngx", ngx)
    check_headers(m.headers)
    replace(ngx, m.headers)
    return method, m.body
  end
  if next(m.headers) then
    fail("headers: clients.ngx sets none in the %s phase: expected proxy_set_header in the internal location", phase)
  end
  return method, m.body or ""
end

return nginx
