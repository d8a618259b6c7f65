-- For nginx: matches long strings by patterns, with ngx.re, and says what took too long. $specs is
-- the folder of the specs; $patterns a file with a list of patterns as JSON, or empty for those
-- that make an engine try many ways.
-- luacheck: globals ngx
local slow_patterns = dofile(ngx.var.specs .. "/checks/slow_patterns.lua")

local slowest, failed
if ngx.var.patterns == "" then
  slowest, failed = slow_patterns.run(slow_patterns.LIST)
else
  slowest, failed = slow_patterns.run(slow_patterns.read(ngx.var.patterns), slow_patterns.FEW_UNITS)
end
ngx.say(("%d took too long; the slowest %.2f s; "):format(#failed, slowest))
ngx.say(table.concat(failed, "; "))
