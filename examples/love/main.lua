-- SPDX-License-Identifier: MIT
-- A game for LÖVE that shows the high scores of a server. A thread, scores.lua, fetches them, so
-- that the game does not wait.
--
-- Needs: LÖVE 11 or later, which speaks https from 12 on; clients.lua of a release as
-- endpoint/clients.lua beside this file, and endpoint.dll or endpoint.so beside this folder
-- (docs/games.md).
-- Command: API=http://127.0.0.1:8000 love examples/love
local answers = love.thread.getChannel "scores"
local shown = "Fetching the scores ..."

function love.load()
  love.window.setTitle "Scores"
  love.thread.newThread("scores.lua"):start(os.getenv "API" or "https://api.service.example")
end

function love.threaderror(_, message)
  shown = message
end

function love.update()
  shown = answers:pop() or shown
end

function love.draw()
  love.graphics.print(shown, 40, 40)
end
