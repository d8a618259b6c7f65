-- For nginx: sends a request by clients.resty_http, and answers with what came back, or with the
-- message.
-- luacheck: globals ngx
local requested = require "clients.programs.requested"

local done, url, params = requested.given_to("resty_http", requested.base())
if not done then
  return ngx.print(url)
end
local response, message = require "resty.http".new():request_uri(url, params)
if not response then
  return ngx.print(message)
end
ngx.header["x-echo"] = response.headers["x-echo"]
ngx.print(response.body)
