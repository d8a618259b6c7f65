-- SPDX-License-Identifier: MIT
-- Prints the command that sends a request. SECRETS=1 shows the token in it.
-- Needs lua-cjson.
-- Usage: API=https://api.github.com TOKEN=... lua tool.lua ROUTE [PARAMETERS AS JSON]
local endpoint = require "endpoint"
local clients = require "endpoint.clients"

local token = os.getenv "TOKEN"
local api = endpoint.defaults {
  baseUrl = os.getenv "API",
  headers = { accept = "application/json", authorization = token and "Bearer " .. token },
}
local ok, text = pcall(function()
  local r = api(arg[1], require "cjson".decode(arg[2] or "{}"))
  return clients.curl_command(r, { secrets = os.getenv "SECRETS" == "1" })
end)
if not ok then
  io.stderr:write(text, "\n")
  os.exit(1)
end
print(text)
