-- For nginx: runs examples/gateway.lua with a mistake in its route.
-- luacheck: globals ngx
local file = assert(io.open(ngx.var.root .. "/examples/gateway.lua"))
local code, count = file:read("*a"):gsub("{owner}", "{ownr}")
file:close()
assert(count > 0)
assert(loadstring(code))()
