-- SPDX-License-Identifier: MIT
-- The shortest program: prints the status and the body of a response, whatever it is.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: lua first.lua https://api.github.com
local endpoint, request = require "endpoint", require "endpoint.request"

local api = endpoint.defaults { baseUrl = arg[1], headers = { accept = "application/json" } }
local send = request.new(api, { cafile = os.getenv "CA" })
local _, response = send.ask("GET /orgs/:org/repos", { org = "luarocks", per_page = 2 })
print(response.status, response.text)
