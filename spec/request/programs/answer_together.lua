-- For nginx: answers with the number of the request when 20 of the program `of` are here, after
-- 20 s at most.
-- luacheck: globals ngx
local counts = require "request.programs.counts"
local program = "together" .. ngx.var.arg_of

counts[program] = (counts[program] or 0) + 1
for _ = 1, 1000 do
  if counts[program] >= 20 then
    return ngx.print(ngx.var.arg_n)
  end
  ngx.sleep(0.02)
end
