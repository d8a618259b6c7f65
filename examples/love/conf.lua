function love.conf(t)
  t.identity = "scores"
  t.window.title = "Scores"
end
