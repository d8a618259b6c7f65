-- For nginx: matches long strings by the slow patterns, with ngx.re, and says what took too long.
-- $specs is the folder of the specs.
-- luacheck: globals ngx
local slow_patterns = dofile(ngx.var.specs .. "/checks/slow_patterns.lua")

local slowest, failed = slow_patterns.run(slow_patterns.LIST)
ngx.say(("%d took too long; the slowest %.2f s; "):format(#failed, slowest))
ngx.say(table.concat(failed, "; "))
