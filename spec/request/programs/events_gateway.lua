-- For nginx: makes its request that for events.
-- luacheck: globals ngx
local clients = require "endpoint.clients"
local endpoint = require "endpoint"

local api = endpoint.defaults { baseUrl = ngx.var.api }
ngx.var.target = clients.ngx_proxy(api "GET /source")
