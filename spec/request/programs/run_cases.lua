-- Runs files of cases (see cases.lua) with a client, and prints a line for each case.
-- Environment: CASES, their paths, with a comma between two; RUN, "plain", "tls" or "nginx"; and
-- that of sending.lua.
local cases = require "request.cases"
local sending = require "request.sending".new(os.getenv, print)

io.stdout:setvbuf "no" -- so that a program that hangs shows where

for path in os.getenv("CASES"):gmatch "[^,]+" do
  cases.run(cases.read(path, os.getenv "RUN", sending), print, pcall)
end
