-- SPDX-License-Identifier: MIT
-- A gateway in OpenResty, before an API with an OpenAPI document: refuses requests that the
-- document does not allow, and logs such responses. docs/gateway-checks.md has its location.
-- luacheck: globals ngx
local clients, json = require "endpoint.clients", require "cjson"
local nginx, rules = require "endpoint.checks.nginx", require "shop-checks"

local token = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set")
local gateway = {}

function gateway.access()
  local given = nginx.read { body = 64 * 1024 }
  local operation, values, problems = rules.request(given)
  if not operation then
    return nginx.refuse(values, problems)
  end
  local pass = { "content-type" } -- and the headers that the document has
  for name in pairs(values.headers) do
    pass[#pass + 1] = name
  end
  local headers, url = { authorization = token }, ngx.var.api .. ngx.var.request_uri
  local r = { method = given.method, url = url, headers = headers, body = given.body }
  local options = { variables = { authorization = "token" }, pass = pass }
  ngx.var.target = clients.ngx_proxy(r, options)
  ngx.ctx.route, ngx.ctx.body = operation.route, {}
end

function gateway.body_filter()
  local body = ngx.ctx.body or {}
  body[#body + 1] = ngx.arg[1]
  if ngx.ctx.route and ngx.arg[2] then
    local ok, value = pcall(json.decode, table.concat(body))
    local fits, problem = rules.response(ngx.ctx.route, ngx.status, ok and value or nil)
    ngx.log(fits and ngx.INFO or ngx.WARN, problem or "right")
  end
end

return gateway
