-- SPDX-License-Identifier: MIT
-- What the clients inside nginx do to the request that nginx handles. nginx sends on what it
-- has received, so all that a stranger has written must go; and whatever it sends on, every
-- internal location sees, so what is secret must not stand in the client's request.
local nginx = {}

local errors = require "endpoint.clients.errors"
local fail = errors.fail

local byte, find, sub = string.byte, string.find, string.sub

-- The methods that nginx's Lua module has constants for, and their names. Other constants that
-- begin with HTTP_, such as ngx.HTTP_OK, are status codes.
local METHODS = {}
for method in
  ([[GET HEAD PUT POST DELETE OPTIONS MKCOL COPY MOVE PROPFIND PROPPATCH LOCK UNLOCK PATCH TRACE]]):gmatch "%u+"
do
  METHODS[method] = "HTTP_" .. method
end

-- Returns nginx's API and the phase.
local function find_nginx(caller)
  local ngx = rawget(_G, "ngx")
  if type(ngx) ~= "table" or type(ngx.get_phase) ~= "function" or type(ngx.req) ~= "table" then
    fail("%s: expected to run inside nginx", caller)
  end
  return ngx, ngx.get_phase()
end

local function method_constant(ngx, method)
  return METHODS[method] and ngx[METHODS[method]]
    or fail("method %s: nginx has no constant for it", method)
end

-- A subrequest has the body of the request around it, perhaps half read, and emptying it would
-- empty that. In a request of HTTP/0.9 nginx sets no header, so ours would be missing.
local function check_request(caller, ngx)
  if ngx.is_subrequest then
    fail("%s: expected the client's own request, not a subrequest", caller)
  end
  if ngx.req.http_version() == 0.9 then
    fail("%s: expected a request of HTTP/1.0 or later, got HTTP/0.9", caller)
  end
end

-- --- options --------------------------------------------------------------------

local NONE = {}

-- Names of ours that say nothing secret, as for defaults that leave home.
local function is_harmless(name)
  return name == "user-agent"
    or name == "content-type"
    or sub(name, 1, 6) == "accept"
    or name == "host"
end

-- Is the name in lower case, and of characters that every nginx lets in and clears again? A loop
-- over bytes is compiled by LuaJIT, a pattern is not.
local function is_plain_name(name)
  for i = 1, #name do
    local b = byte(name, i)
    if not (b >= 97 and b <= 122 or b == 45 or b >= 48 and b <= 57) then
      return false
    end
  end
  return #name > 0
end

-- RFC 9110, section 7.6.1: fields of one connection; and those that nginx writes of its own.
local NEVER_PASSED = {
  connection = true,
  ["keep-alive"] = true,
  ["proxy-connection"] = true,
  ["proxy-authorization"] = true,
  te = true,
  trailer = true,
  ["transfer-encoding"] = true,
  ["content-length"] = true,
  expect = true,
  host = true,
}

local function is_pass(what, names)
  errors.check_type(what, names, "table")
  for i = 1, #names do
    local name = names[i]
    if type(name) ~= "string" or not is_plain_name(name) then
      fail("%s: expected a list of names of headers in lower case", what)
    end
    if NEVER_PASSED[name] then
      fail("%s: %s belongs to one connection: expected names without it", what, name)
    end
  end
end

local function is_variables(what, variables)
  errors.check_type(what, variables, "table")
  for name, variable in next, variables do
    if type(name) ~= "string" or type(variable) ~= "string" and variable ~= false then
      fail("%s: expected names of headers with the name of a variable of nginx, or false", what)
    end
  end
end

local function is_phase(what, phase)
  if phase ~= "access" and phase ~= "rewrite" then
    fail('%s: expected "access" or "rewrite"', what)
  end
end

local function is_body(what, body)
  if body ~= "client" then
    fail('%s: expected "client"', what)
  end
end

nginx.CAPTURE_OPTIONS = errors.body_options { variables = is_variables }
nginx.PROXY_OPTIONS =
  errors.body_options { body = is_body, pass = is_pass, phase = is_phase, variables = is_variables }

-- --- headers --------------------------------------------------------------------

-- Has the value control characters other than TAB?
local function has_control(value)
  for i = 1, #value do
    local b = byte(value, i)
    if b < 32 and b ~= 9 or b == 127 then
      return true
    end
  end
  return false
end

-- nginx would write these control characters as triplets, and drop a header without a value.
local function check_headers(headers, variables)
  for name, value in next, headers do
    if value == "" or has_control(value) then
      fail(
        "header %q: expected a value without control characters, and not an empty one, for nginx",
        name
      )
    end
    if variables[name] == nil and not is_harmless(name) then
      fail(
        "header %q: locations that error_page or the API names would get it: expected options.variables with a "
          .. 'variable of nginx for it, %s = "name", or false to let them',
        name,
        is_plain_name(name) and name or "it"
      )
    end
  end
end

-- Puts headers into their variables, of which proxy_set_header makes headers: no other location,
-- no auth_request and no log sees them. A variable without a header is emptied.
local function set_variables(values, headers, variables)
  for name, variable in next, variables do
    if variable then
      values[variable] = headers[name] or ""
    end
  end
end

-- May the client's header go on? An empty one would be an error of ours. Another protocol than
-- websocket (h2c) would carry requests that nobody looks at.
local function is_passed(name, value)
  if type(value) == "table" then
    for i = 1, #value do
      if not is_passed(name, value[i]) then
        return false
      end
    end
    return name ~= "upgrade"
  end
  return value ~= ""
    and not has_control(value)
    and (name ~= "upgrade" or value:lower() == "websocket")
end

-- nginx's Lua module does not find some names that are no tokens, which nginx lets in if
-- ignore_invalid_headers is off.
local function check_cleared(ngx, cleared)
  for name in next, ngx.req.get_headers(0) do
    if rawget(cleared, name) then
      fail("a header of the client stays: expected a token as its name")
    end
  end
end

-- Clears these headers. A header that we set takes the place of one of the client, but not of two.
local function clear(ngx, names, ours, variables)
  local is_certain = true
  for name, value in next, names do
    is_certain = is_certain and is_plain_name(name)
    if ours[name] and not variables[name] and type(value) ~= "table" then
      names[name] = false
    else
      ngx.req.clear_header(name)
    end
  end
  if not is_certain then
    check_cleared(ngx, names)
  end
end

-- Replaces the headers of the current request by these, but for those to pass and those of the
-- body that is sent.
local function replace_headers(ngx, headers, variables, pass, of_body)
  local strangers = ngx.req.get_headers(0)
  for i = 1, #of_body do
    strangers[of_body[i]] = nil
  end
  for i = 1, #pass do
    local name = pass[i]
    local value = rawget(strangers, name)
    if value and not headers[name] and is_passed(name, value) then
      strangers[name] = nil
    end
  end
  clear(ngx, strangers, headers, variables)
  for name, value in next, headers do
    if not variables[name] then
      ngx.req.set_header(name, value)
    end
  end
end

-- Replaces the body of the current request. It is read before: otherwise nginx sends a body that
-- it has read behind our request, and takes one that arrives later for the client's next request,
-- also after discard_body.
local function replace_body(ngx, body)
  ngx.req.read_body()
  ngx.req.set_body_data(body or "")
end

-- --- proxy_pass -----------------------------------------------------------------

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
      or ': limit_req and auth_request, which run later, would see our request for the client\'s (options.phase = "rewrite" '
        .. "allows it)"
  )
end

local SENDS_NO_BODY = { GET = true, HEAD = true, TRACE = true }

local function check_client_body(method, own)
  if own ~= nil then
    fail('body: expected none beside options.body = "client"')
  end
  if SENDS_NO_BODY[method] then
    fail("body: %s takes none: expected no options.body", method)
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
function nginx.proxy(m, r, options)
  local ngx, phase = find_nginx "clients.ngx_proxy"
  local method, headers, variables =
    method_constant(ngx, m.method), m.headers, options.variables or NONE
  check_phase(phase, options.phase or "access")
  check_request("clients.ngx_proxy", ngx)
  check_head(ngx, m.method)
  check_headers(headers, variables)
  if options.body then
    check_client_body(m.method, r.body)
  end
  set_variables(ngx.var, headers, variables)
  headers.host = headers.host or authority_of(m.url, m.scheme)
  if not options.body then
    replace_body(ngx, m.body)
  end
  local of_body = options.body and OF_CLIENTS_BODY or m.body and OF_OUR_BODY or NONE
  replace_headers(ngx, headers, variables, options.pass or NONE, of_body)
  ngx.req.set_method(method)
  return m.url
end

-- --- ngx.location.capture -------------------------------------------------------

local CAPTURE_PHASES = { rewrite = true, access = true, content = true }

-- What of the headers is in no variable.
local function rest_of(headers, variables)
  local rest = {}
  for name, value in next, headers do
    if not variables[name] then
      rest[name] = value
    end
  end
  return rest
end

-- Returns the method's constant, the body, and the variables for ngx.location.capture. A
-- subrequest has the headers of the request around it, and its body if that came in chunks. In
-- the content phase that request ends here, so it gets the headers of m and no body. In an
-- earlier phase it goes on to the application, which must not see a header of ours.
function nginx.capture(m, options)
  local ngx, phase = find_nginx "clients.ngx"
  if not CAPTURE_PHASES[phase] then
    fail("clients.ngx: expected the rewrite, access or content phase, got %s", phase)
  end
  local method, variables, values = method_constant(ngx, m.method), options.variables or NONE, nil
  check_headers(m.headers, variables)
  if next(variables) then
    values = {}
    set_variables(values, m.headers, variables)
  end
  if phase == "content" then
    check_request("clients.ngx", ngx)
    replace_body(ngx)
    replace_headers(ngx, m.headers, variables, NONE, NONE)
    return method, m.body, values
  elseif next(rest_of(m.headers, variables)) then
    fail(
      "headers: clients.ngx sets none in the %s phase: expected options.variables, and proxy_set_header in the "
        .. "internal location",
      phase
    )
  end
  return method, m.body or "", values
end

return nginx
