-- Run by Neovim: prints what a plugin would do with endpoint, and where it was found.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local request = require "endpoint.request"
local checks = require "endpoint.checks"

local r = endpoint("GET /users/{user}", { user = "a/b" })
local words, input = clients.argv(r)
print(words[1] .. " is told " .. input:match '"(https:[^"]*)"')

local send = request.new(endpoint, {
  client = function()
    return 200, {}, "an answer"
  end,
})
print((send("GET /users/{user}", { user = "a/b" })))
print(type(checks.new))
print(debug.getinfo(clients.argv, "S").source)
