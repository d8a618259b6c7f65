-- SPDX-License-Identifier: MIT
-- A gateway for tenants: a key tells who asks, and settings.lua says what may be asked.
-- Nothing else of a client's request reaches an API. The client sees fixed words, and the log has
-- the reason.
-- luacheck: globals ngx
local endpoint, clients, request =
  require "endpoint", require "endpoint.clients", require "endpoint.request"
local settings = require "settings"
local routes, tenants = settings.routes, settings.tenants
local gateway = {}

-- An endpoint and a sender for each tenant, once in each worker.
local senders = {}
for key, tenant in pairs(tenants) do
  local api = endpoint.defaults {
    baseUrl = tenant.baseUrl,
    headers = {
      accept = "application/json",
      authorization = "Bearer " .. tenant.token,
    },
  }
  senders[key] =
    { name = tenant.name, api = api, ask = request.new(api, { timeout = 10, tries = 2 }) }
end

-- Ends the request. A body of ours keeps nginx's error_page away.
local function refuse(status, words, reason)
  ngx.log(ngx.WARN, reason or words)
  ngx.status, ngx.header.content_type = status, "application/json"
  ngx.say('{"error":"', words, '"}')
  ngx.exit(ngx.HTTP_OK)
end

local function find_tenant()
  local tenant = senders[ngx.var.http_x_key or ""]
  if not tenant then
    return refuse(401, "unknown key")
  end
  ngx.var.tenant = tenant.name
  return tenant
end

-- Ends a request whose method is not that of its route. A client's HEAD is answered as its GET.
local function check_method(expected)
  local method = ngx.req.get_method()
  if method ~= expected and not (method == "HEAD" and expected == "GET") then
    ngx.header.allow = expected == "GET" and "GET, HEAD" or expected
    return refuse(405, "expected " .. expected)
  end
  return method
end

-- The parameters that the client gives for a route; nil and a name, if one is wrong.
local function parameters_of(route)
  local given, found = ngx.req.get_uri_args(), {}
  for name, pattern in pairs(route.take) do
    local value = given[name] -- a table if it is repeated, true without "="
    if value == nil and not (route.optional or {})[name] then
      return nil, name
    end
    if value ~= nil and not (type(value) == "string" and value:find(pattern)) then
      return nil, name
    end
    found[route.name and route.name[name] or name] = value
  end
  return found
end

-- The result of a route for the client's parameters; ends the request if they are wrong.
local function shape(tenant, route, text)
  local parameters, wrong = parameters_of(route)
  if not parameters then
    return refuse(400, "expected another value of " .. wrong)
  end
  local ok, r = pcall(tenant.api, text or route.route, parameters)
  if ok then
    return r
  end
  if not route.take[clients.blamed(r) or ""] then
    error(r, 0)
  end -- our own mistake: nginx answers 500
  return refuse(400, "expected another value of " .. clients.blamed(r), r)
end

-- For the access phase of /read/ and /write/: shapes the request that nginx sends on.
function gateway.proxy(kind)
  local tenant = find_tenant()
  local route = routes[kind][ngx.var.name]
  if not route then
    return refuse(404, "unknown route")
  end
  local method = check_method(route.route:match "^%u+")
  if
    not route.body
    and ((ngx.var.http_content_length or "0") ~= "0" or ngx.var.http_transfer_encoding)
  then
    return refuse(400, "expected no body") -- nginx would read all of it, to drop it
  end
  ngx.var.route = route.route
  ngx.var.target = clients.ngx_proxy(shape(tenant, route, method .. route.route:match " .*"), {
    body = route.body,
    pass = { "content-type", "if-none-match", "range", "traceparent", "tracestate" },
    variables = { authorization = "token" },
  })
end

-- Asks a tenant's API. What comes back is its text: lua-cjson would make {} of [], and lose digits.
local function ask(tenant, route)
  local ok, body, response = pcall(tenant.ask, route.route, (parameters_of(route)))
  if ok and type(body) == "table" then
    return response.text
  end
  ngx.log(ngx.WARN, route.route, ": ", ok and "no JSON" or tostring(body))
end

-- For the content phase: asks for all parts at once. A part that fails is null.
function gateway.overview()
  local tenant, threads, parts = find_tenant(), {}, {}
  check_method "GET"
  for name, route in pairs(routes.overview) do
    shape(tenant, route) -- ends the request here, if the client gave something wrong
    threads[name] = ngx.thread.spawn(ask, tenant, route)
  end
  for name, thread in pairs(threads) do
    local _, text = ngx.thread.wait(thread)
    parts[#parts + 1] = ('"%s":%s'):format(name, text or "null")
  end
  ngx.header.content_type = "application/json"
  ngx.say("{", table.concat(parts, ","), "}")
end

return gateway
