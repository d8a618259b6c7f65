-- For nginx: answers with an event, and with another when the first was seen.
-- luacheck: globals ngx
local seen = require "request.seen"

ngx.header.content_type = "text/event-stream"
ngx.print "data: first\n\n"
ngx.flush(true)
local is_seen = seen.wait(ngx.config.prefix())
ngx.print("data: ", is_seen and "in time" or "late", "\n\n")
