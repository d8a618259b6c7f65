-- Prints the first pause of a call whose server cannot be reached, and the first two numbers of
-- the program's own chance.
local endpoint, request = require "endpoint", require "endpoint.request"

local pause
local send = request.new(endpoint.defaults { baseUrl = "http://h" }, {
  tries = 2,
  client = function()
    return nil, "the server is away"
  end,
  sleep = function(seconds)
    pause = seconds
  end,
  now = function() -- the same in each process
    return 1
  end,
})
pcall(send, "GET /x")
print(("%.9f %.9f %.9f"):format(pause, math.random(), math.random()))
