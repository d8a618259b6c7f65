-- For nginx: logs an error, which fails the spec, if the body of a request is whole.
-- luacheck: globals ngx
ngx.req.read_body()
ngx.log(ngx.ERR, "half a body arrived")
