-- SPDX-License-Identifier: MIT
-- A message for ngx.location.capture.
local capture = {}

local fail = require "endpoint.clients.misuse".fail
local headers = require "endpoint.clients.nginx.headers"
local request = require "endpoint.clients.nginx.request"
local text = require "endpoint.text"

local NONE = {}

-- Triplets that nginx must not decode. It decodes the whole path, and when it writes the
-- path for the next server it does not encode all of it again. The decoded character would
-- end the segment (/ \), the path (? #) or the request line (control characters), begin a
-- parameter (;), or be decoded once more by the next server (%).
local NGX_UNSAFE = { "%%[01]%x", "%%7[Ff]", "%%2[35Ff]", "%%3[BbFf]", "%%5[Cc]" }

local REMEDY = "or send the whole URL by clients.ngx_proxy"

local function check_path(path)
  for _, pattern in ipairs(NGX_UNSAFE) do
    local triplet = path:match(pattern)
    if triplet then
      fail(
        "url: ngx.location.capture decodes the path, and %s must stay: "
          .. "send the value in the query, %s",
        triplet,
        REMEDY
      )
    end
  end
  if text.has_dot_segment(path) then
    fail(
      "url: ngx.location.capture does not resolve the segments . and ..: "
        .. "write the path without them, %s",
      REMEDY
    )
  end
end

local CAPTURE_PHASES = { rewrite = true, access = true, content = true }

-- The headers that have no variable.
local function rest_of(values, variables)
  local rest = {}
  for name, value in next, values do
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
function capture.arguments(m, options)
  check_path(m.path)
  local ngx = request.find_nginx "clients.ngx"
  local phase = ngx.get_phase()
  if not CAPTURE_PHASES[phase] then
    fail("clients.ngx: expected the rewrite, access or content phase, got %s", phase)
  end
  local method = request.method_constant(ngx, m.method)
  local variables, values = options.variables or NONE, nil
  headers.check(m.headers, variables)
  if next(variables) then
    values = {}
    headers.set_variables(values, m.headers, variables)
  end
  if phase == "content" then
    request.check("clients.ngx", ngx)
    request.replace_body(ngx)
    headers.replace(ngx, m.headers, variables, NONE, NONE)
    return method, m.body, values
  elseif next(rest_of(m.headers, variables)) then
    fail(
      "headers: clients.ngx cannot set them in the %s phase: expected options.variables, and "
        .. "proxy_set_header in the internal location",
      phase
    )
  end
  return method, m.body or "", values
end

return capture
