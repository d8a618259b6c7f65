---@meta endpoint.checks.nginx
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The only description of endpoint.checks.nginx. docs/gateway-checks.md shows how it is used.

---The request that nginx handles, as `rules.request` takes it. Runs inside nginx alone.
---@class endpoint.checks.nginx
---The current request: its method, path and query as the client wrote them, a function that reads
---its headers, and its body, also one that nginx has put into a file. Answers itself, and ends the
---request, with 413 for a body of more bytes than `options.body`, 65,536 unless given, and with 400
---for a byte that no URL has. So does the function, with 431 for more than 100 headers, and with 400
---for two `content-type`. Raises outside nginx, in a subrequest, and for HTTP/0.9.
---@field read fun(options?: { body?: integer }): endpoint.checks.Incoming
---Answers with the status and the problems as JSON, `{ "problems": [...] }`, with `Allow` for 405.
---Ends the request.
---@field refuse fun(status: integer, problems: endpoint.checks.Problem[])
local nginx = {}

return nginx
