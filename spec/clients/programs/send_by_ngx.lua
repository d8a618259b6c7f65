-- For nginx: sends a request by clients.ngx, and answers with what came back, or with the message.
-- luacheck: globals ngx
local requested = require "clients.programs.requested"

local done, path, options =
  requested.given_to("ngx", "/internal", { variables = requested.EACH_HEADER })
if not done then
  return ngx.print(path)
end
local response = ngx.location.capture(path, options)
ngx.header["x-echo"] = response.header["x-echo"]
ngx.print(response.body)
