-- Waits for a server that is silent. Argument: the URL.
local endpoint, request = require "endpoint", require "endpoint.request"

request.new(endpoint.defaults { baseUrl = arg[1] }, { timeout = 30 }) "GET /x"
