-- For nginx: closes the connection at the first request of an id, and answers a later one with how
-- many there were.
-- luacheck: globals ngx
local counts = require "request.programs.counts"
ngx.req.read_body()
local id = ngx.var.arg_id
counts[id] = (counts[id] or 0) + 1
if counts[id] == 1 then
  return ngx.exit(444)
end
ngx.print(counts[id])
