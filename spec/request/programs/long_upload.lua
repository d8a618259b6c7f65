-- Sends a body that is longer than all buffers on the way. Arguments: the URL, and for TLS the file
-- of its authority. Prints the status of the answer, and whether it came in time.
local endpoint, request = require "endpoint", require "endpoint.request"
local socket = require "socket"

local send = request.new(endpoint.defaults { baseUrl = arg[1] }, { timeout = 60, cafile = arg[2] })
local before = socket.gettime()
local ok, failure = pcall(send, "PUT /x", { data = ("x"):rep(30 * 2 ^ 20) })
print(ok, failure.status, socket.gettime() - before < 45 and "in time" or failure)
