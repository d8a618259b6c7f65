-- Calls of clients.ngx and ngx_proxy inside nginx, each with what must come of it. call.lua runs
-- them there; nginx_wire_spec.lua compares. Fields of a call:
--   title, run      `run` gets the phase
--   location        where it runs; the client's method, POST if not given
--   method
local clients = require "endpoint.clients"
local endpoint = require "endpoint"

local calls = {}

local internal = endpoint.defaults {
  baseUrl = "/internal",
  headers = { accept = endpoint.null, ["user-agent"] = endpoint.null },
}
local api = internal.defaults { baseUrl = "https://h:8443/v1" }

-- A function that gives this route's request to clients.ngx.
local function captures(route, params, options)
  return function()
    local path, captured = clients.ngx(internal(route, params), options)
    return path, captured
  end
end

-- A function that gives this route's request to clients.ngx_proxy.
local function proxies(route, params, options)
  return function()
    local target = clients.ngx_proxy(api(route, params), options)
    return target
  end
end

-- --- refused ------------------------------------------------------------------------

-- `says`: the message has these words. First what a phase refuses, then what nginx cannot send.
-- About methods: a HEAD that becomes a GET would get a body, which the client takes for its next
-- answer, and with a HEAD for its GET the client would wait for a body.
calls.refused = {
  {
    title = "a subrequest in a phase that cannot wait",
    location = "try/header_filter",
    run = captures "/x",
    says = "clients.ngx: expected the rewrite, access or content phase",
  },
  {
    title = "a proxied request in the header filter",
    location = "try/header_filter",
    run = proxies "/x",
    says = "clients.ngx_proxy: expected the access phase, got header_filter",
  },
  {
    title = "a proxied request in the content phase",
    location = "try/content",
    run = proxies "/x",
    says = "clients.ngx_proxy: expected the access phase, got content",
  },
  {
    title = "a proxied request in the rewrite phase without options.phase",
    location = "try/rewrite",
    run = proxies "/x",
    says = 'later, would see our request instead of the client\'s (options.phase = "rewrite"',
  },
  {
    title = "options.phase in another phase",
    location = "try/access",
    run = proxies("/x", nil, { phase = "rewrite" }),
    says = "expected the rewrite phase, got access",
  },
  {
    title = "a subrequest of a subrequest",
    location = "sub/try/content",
    run = captures "/x",
    says = "clients.ngx: expected the client's own request, not a subrequest",
  },
  {
    title = "a proxied request in a subrequest",
    location = "sub/try/rewrite",
    run = proxies("/x", nil, { phase = "rewrite" }),
    says = "clients.ngx_proxy: expected the client's own request",
  },
  {
    title = "headers of a subrequest in the access phase",
    location = "try/access",
    run = captures("/x", { headers = { accept = "a" } }),
    says = "cannot set them in the access phase",
  },
  {
    title = "a header of a subrequest without a variable",
    location = "try/content",
    run = captures("/x", { headers = { ["x-a"] = "b" } }),
    says = "options.variables with",
  },
  {
    title = "a header of a proxied request without a variable",
    location = "try/access",
    run = proxies("/x", { headers = { ["x-a"] = "b" } }),
    says = "error_page or the API names would get it",
  },
  {
    title = "a header with an underscore",
    location = "try/access",
    run = proxies("/x", { headers = { ["x_a"] = "b" } }),
    says = 'for it, it = "name"',
  },
  {
    title = "a subrequest with an unknown method",
    location = "try/content",
    run = captures "OK /x",
    says = "method OK: nginx has no constant",
  },
  {
    title = "a proxied request with an unknown method",
    location = "try/access",
    run = proxies "QUERY /x",
    says = "method QUERY: nginx has no constant",
  },
  {
    title = "a HEAD for the client's GET",
    location = "try/access",
    method = "GET",
    run = proxies "HEAD /x",
    says = "only then; the client sent GET",
  },
  {
    title = "a GET for the client's HEAD",
    location = "try/access",
    method = "HEAD",
    run = proxies "GET /x",
    says = "the client sent HEAD",
  },
  {
    title = "a body of its own beside the client's",
    location = "try/access",
    run = proxies("POST /x", { a = 1 }, { body = "client" }),
    says = "body: expected no body beside options.body",
  },
  {
    title = "the client's body for a GET",
    location = "try/access",
    run = proxies("GET /x", nil, { body = "client" }),
    says = "body: GET has no body",
  },
  {
    title = "options.variables that is not a table",
    location = "try/access",
    run = proxies("/x", nil, { variables = 5 }),
    says = "variables: expected a table",
  },
}

local VALUES = { "", "\1", "\8", "\11", "\27[31m", "a\127", "a\0311" }
for _, value in ipairs(VALUES) do
  local params = { headers = { ["x-a"] = value } }
  table.insert(calls.refused, {
    title = ("the value %q in a header of a proxied request"):format(value),
    location = "try/access",
    run = proxies("/x", params),
    says = 'header "x-a": expected a value without control',
  })
  table.insert(calls.refused, {
    title = ("the value %q in a header of a subrequest"):format(value),
    location = "try/content",
    run = captures("/x", params),
    says = "and not an empty one",
  })
end

-- --- taken --------------------------------------------------------------------------

-- All bytes that nginx gives on as they are.
local bytes = {}
for byte = 32, 255 do
  local letter = string.char(byte)
  bytes[#bytes + 1] = not letter:find "[/\\;?#%%\127]" and letter or nil
end

-- The paths of a subrequest.
calls.paths = {
  {
    location = "try/content",
    run = captures(
      "/a;b/..c/d..{;m}/:x#f",
      { x = table.concat(bytes), m = 1, q = "/\0%../;\\\r\n" }
    ),
  },
}

-- The headers of a subrequest.
calls.headers = {
  {
    run = captures(
      "GET /x?a=1",
      { headers = { authorization = "ours" } },
      { variables = { authorization = "token", ["x-b"] = "b" } }
    ),
  },
}

-- A proxied request, whose authorization is in `variable`, or in a header if that is false.
local function proxies_in_phase(variable, route, params)
  return function(phase)
    local target = clients.ngx_proxy(api(route, params), {
      phase = phase,
      variables = { authorization = variable, ["x-b"] = false, ["x-a"] = "a" },
    })
    return target
  end
end

-- `target`, `sent_method`, `headers`, `token` and `body` are what the client's request has then.
calls.proxied = {
  {
    title = "the host and the userinfo of a URL",
    run = proxies_in_phase(false, "GET http://u:p@[::1]/x#f"),
    target = "http://[::1]/x",
    sent_method = "GET",
    headers = { host = "[::1]", authorization = "Basic dTpw" },
  },
  {
    title = "the userinfo of a URL, in a variable",
    run = proxies_in_phase("token", "GET http://u:p@h/x#f"),
    target = "http://h/x",
    sent_method = "GET",
    headers = { host = "h" },
    token = "Basic dTpw",
  },
  {
    title = "a host that its headers name",
    run = proxies_in_phase(false, "/x", { headers = { host = "other" } }),
    target = "https://h:8443/v1/x",
    sent_method = "GET",
    headers = { host = "other" },
  },
  {
    title = "a body",
    run = proxies_in_phase(
      "token",
      "PUT /x?q",
      { data = "text", headers = { ["accept-language"] = "\t\128\255" } }
    ),
    target = "https://h:8443/v1/x?q",
    sent_method = "PUT",
    headers = {
      host = "h:8443",
      ["content-length"] = "4",
      ["accept-language"] = "\t\128\255",
    },
    body = "text",
  },
}

return calls
