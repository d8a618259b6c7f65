-- Sends two bodies that are longer than all buffers on the way, over one connection. Argument: the
-- URL. Prints the statuses of the answers, and whether they came in time.
local endpoint, request = require "endpoint", require "endpoint.request"
local socket = require "socket"

local send = request.new(endpoint.defaults { baseUrl = arg[1] }, { timeout = 60 })
local before = socket.gettime()
local data = ("x"):rep(30 * 2 ^ 20)
local _, first = send.ask("PUT /x", { data = data })
local _, second = send.ask("PUT /x", { data = data })
print(first.status, second.status, socket.gettime() - before < 45 and "in time" or "late")
