-- Runs a program of docs/event-loops.md and its loop, and then the cases of many_at_once.lua in
-- that loop. Environment: PAGE, a file with both, which returns the loop; TIMES, for a long body.
local plain_pcall = pcall -- Lua 5.1's loops have a pcall that belongs to a coroutine

local loop = dofile(os.getenv "PAGE")
loop.times = tonumber((os.getenv "TIMES"))

local cases = require "request.cases"
cases.run(cases.read("spec/request/programs/many_at_once.lua", nil, loop), print, plain_pcall)
