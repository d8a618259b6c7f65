-- SPDX-License-Identifier: MIT
-- The settings of the game (main.lua).
function love.conf(t)
  t.identity = "scores"
  t.window.title = "Scores"
end
