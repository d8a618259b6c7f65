-- Calls a server when this process may open no file and no socket any more. Prints what it raises,
-- and how often it was tried.
local endpoint, request = require "endpoint", require "endpoint.request"
local socket = require "socket"

local listener = assert(socket.bind("127.0.0.1", 0))
local api = endpoint.defaults {
  baseUrl = "http://127.0.0.1:" .. select(2, listener:getsockname()),
}
local tries = 0
local send = request.new(api, {
  sleep = function() end,
  log = function(entry)
    tries = tries + (entry.reason and 0 or 1)
  end,
})

local held = {}
repeat
  local file = io.open "/dev/null"
  held[#held + 1] = file
until not file
local ok, failure = pcall(send, "GET /x", { token = "s3cr3t-s3cr3t" })
for _, file in ipairs(held) do
  file:close()
end
print(ok, type(failure), tries, (tostring(failure):gsub("^%S+: ", "", 1)))
