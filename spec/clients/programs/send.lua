-- For nginx: makes its request that of our API, whose port is in $api_port. The method is the
-- query: /access?POST. Each location has its own options.
-- luacheck: globals ngx
local clients = require "endpoint.clients"
local endpoint = require "endpoint"

local OPTIONS = {
  ["/rewrite"] = { phase = "rewrite" },
  ["/undefined"] = { variables = { authorization = "missing" } },
  ["/pass"] = { pass = { "range", "if-none-match", "accept-encoding", "accept" } },
  ["/stream"] = { body = "client", pass = { "content-type" } },
  ["/live"] = { pass = { "upgrade", "sec-websocket-key" } },
}

local api = endpoint.defaults {
  baseUrl = "http://127.0.0.1:" .. ngx.var.api_port,
  headers = { authorization = "Bearer ours" },
}

local options = OPTIONS[ngx.var.uri] or {}
options.variables = options.variables or { authorization = "token" }
ngx.var.target = clients.ngx_proxy(api(ngx.var.args .. " /x/{v}", { v = "a/b" }), options)
