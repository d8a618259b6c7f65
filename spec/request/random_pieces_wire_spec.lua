-- Streams in random pieces, each in a process of its own: what LuaJIT compiles of the loops depends
-- on the first rounds.
local server = require "server"

local PROGRAM = "spec/request/programs/random_pieces.lua"

describe("a stream in random pieces", function()
  for _, lua in ipairs(server.luas()) do
    local command = lua == "luajit" and "luajit -Ohotloop=2" or lua
    for seed = 1, lua == "luajit" and 40 or 4 do
      it(("has all of its events on %s, with seed %d"):format(lua, seed), function()
        assert.equal("300 of 300", server.run(lua, ("%s %s %d"):format(command, PROGRAM, seed)))
      end)
    end
  end
end)
