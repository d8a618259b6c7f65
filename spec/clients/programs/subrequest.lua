-- For nginx: asks the location in the path after /sub by a subrequest, and answers with its result.
-- luacheck: globals ngx
ngx.req.read_body()
local target = ngx.var[1] .. "?" .. ngx.var.args
local response = ngx.location.capture(target, { method = ngx.HTTP_POST })
ngx.header.result = response.header.result
