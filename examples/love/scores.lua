-- SPDX-License-Identifier: MIT
-- The thread of main.lua: fetches the scores and pushes them as text, or why it has no scores.
local api_address = ...

-- The shared library lies beside the game's folder, the .love file or the fused program.
local library = jit.os == "Windows" and "/?.dll;" or "/?.so;"
package.cpath = love.filesystem.getSourceBaseDirectory() .. library .. package.cpath

local endpoint, clients = require "endpoint", require "endpoint.clients"

local api = endpoint.defaults {
  baseUrl = api_address,
  headers = { accept = "text/plain", ["user-agent"] = "scores/1.0" },
}

-- The status and the body. LÖVE 11 has LuaSocket alone, LÖVE 12 lua-https.
local function send(r)
  local has_https, https = pcall(require, "https")
  if has_https then
    return https.request(clients.lua_https(r))
  end
  local parts = {}
  local request = clients.luasocket(r, { sink = require "ltn12".sink.table(parts) })
  local _, status = assert(require "socket.http".request(request))
  return status, table.concat(parts)
end

local status, text = send(api("GET /games/{game}/scores", { game = "my game", limit = 10 }))
love.thread.getChannel "scores":push(
  status == 200 and clients.shown(text, { lines = true })
    or "The server answered " .. tostring(status)
)
