-- For nginx: answers with 40,000 bytes without a length, with the status that the path names. That
-- is more than proxy.lua lets through of a host "fin" or "rst", and less than a connection holds
-- that nobody reads. Else nginx could not close TLS while the proxy is stopped, and after 3 s would
-- leave it open.
-- luacheck: globals ngx
local socket = ngx.req.socket(true)
socket:receive(tonumber(ngx.var.content_length)) -- what is unread would make of the end a reset
local status = ngx.var.uri:match "%d+" or "200"
socket:send("HTTP/1.1 " .. status .. " X\r\n\r\n" .. ("x"):rep(40000))
