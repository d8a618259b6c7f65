-- What Neovim's client must do for the editor: it goes on meanwhile.
-- luacheck: globals vim
local case, sending = ...
local equal, holds = require "support".equal, require "support".holds

-- Runs f in a coroutine until it has ended. Returns how often the editor could do other work
-- meanwhile, and what f raised.
local function beside(f)
  local ticks, is_over, problem = 0, false, nil
  local timer = vim.loop.new_timer()
  timer:start(0, 10, function()
    ticks = ticks + 1
  end)
  coroutine.wrap(function()
    local ok, raised = pcall(f)
    is_over, problem = true, not ok and raised or nil
  end)()
  local was_over = is_over
  vim.wait(20000, function()
    return is_over
  end, 5)
  timer:close()
  holds(not was_over, "expected the call to return to the editor at once")
  holds(is_over, "the call did not end")
  return ticks, problem
end

case("a call in a coroutine lets the editor go on", function()
  local body
  local ticks, problem = beside(function()
    body = sending.send "GET /late"
  end)
  equal(nil, problem)
  equal("late", body)
  holds(ticks > 10, "the editor could work " .. ticks .. " times in 0.5 s")
end)

case("a sink gets the pieces as they come", function()
  local times = {}
  local _, problem = beside(function()
    sending.send("GET /pieces", {
      request = {
        sink = function(piece)
          times[#times + 1] = piece and vim.loop.hrtime() / 1e9
          return true
        end,
      },
    })
  end)
  equal(nil, problem)
  holds(#times >= 3, #times .. " pieces")
  holds(times[#times] - times[1] > 0.1, "expected the pieces not all at once")
end)

case("a sink that refuses ends the program curl", function()
  local began = vim.loop.hrtime()
  local _, problem = beside(function()
    sending.send("GET /pieces", {
      request = {
        sink = function()
          return nil, "enough"
        end,
      },
    })
  end)
  equal("GET /pieces: enough", problem.message)
  holds((vim.loop.hrtime() - began) / 1e9 < 5, "expected an end at once")
end)

case("vim.NIL is null for pages", function()
  local send = sending.with { decode = vim.json.decode }
  local count = 0
  local function page(body)
    return body.list, body.next
  end
  for _ in send.each("GET /nil", {}, { page = page }) do
    count = count + 1
  end
  equal(0, count)
end)
