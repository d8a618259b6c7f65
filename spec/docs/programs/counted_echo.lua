-- For nginx: says what reached it, and counts the connections.
-- luacheck: globals ngx
if ngx.var.connection_requests == "1" then
  ngx.shared.connections:incr("new", 1, 0)
end
require "echo".answer()
