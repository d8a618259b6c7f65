-- For nginx: has proxy_pass send a request by clients.ngx_proxy, or answers with the message.
-- luacheck: globals ngx
local requested = require "clients.programs.requested"

local done, target =
  requested.given_to("ngx_proxy", requested.base(), { variables = requested.EACH_HEADER })
if done then
  ngx.var.target = target
  return
end
ngx.print(target)
ngx.exit(ngx.HTTP_OK)
