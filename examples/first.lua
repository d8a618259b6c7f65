-- SPDX-License-Identifier: MIT
-- The shortest program: prints the status and the body of a response, whatever it is.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: lua first.lua https://api.github.com
local endpoint, request = require "endpoint", require "endpoint.request"
local shown = require "endpoint.clients".shown -- a server's text, for a terminal

local base = arg[1] or error("usage: lua first.lua https://api.github.com", 0)
local api = endpoint.defaults { baseUrl = base, headers = { accept = "application/json" } }
local send = request.new(api, { cafile = os.getenv "CA" })
local _, response = send.ask("GET /orgs/:org/repos", { org = "luarocks", per_page = 2 })
print(response.status, shown(response.text, { lines = true }))
