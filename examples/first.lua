-- The shortest program: prints the status and the body of a response.
-- Usage: lua first.lua https://api.github.com
local endpoint, clients = require "endpoint", require "endpoint.clients"
local http, ltn12 = require "socket.http", require "ltn12"

local api = endpoint.defaults { baseUrl = arg[1], headers = { accept = "application/json" } }
local r = api("GET /orgs/:org/repos", { org = "luarocks", per_page = 2 })
local parts = {}
local _, status = assert(http.request(clients.luasocket(r, { sink = ltn12.sink.table(parts) })))
print(status, table.concat(parts))
