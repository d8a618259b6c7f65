-- Sends a request with a body and one without over the same handle. Prints for each the status, and
-- method, URI and length of the body that arrived.
-- Arguments: the base URL; a file with the guide's recipe for lua-curl, which returns its `send`.
local endpoint = require "endpoint"
local echo = require "echo"

local base, recipe = ...
local api, send = endpoint.defaults { baseUrl = base }, dofile(recipe)

for _, r in ipairs { api("POST /x", { data = "a\0b" }), api("GET /y", { q = "z" }) } do
  local status, body = send(r)
  local seen = echo.read(body)
  print(status, seen.method, seen.uri, #seen.body)
end
