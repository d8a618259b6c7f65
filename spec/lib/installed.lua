-- Run by .ci/install with what an installation has, and prints a line for each module. package.path
-- finds spec/types/books.lua and its rules, or what an installed endpoint-types has written in
-- their place; package.cpath finds the module in C; MODULES, as package.path, the Lua files.
-- lua-cjson is not found. The books need no Lua file, and their rules endpoint.checks.
print(require "books" "/books".url)
package.path = package.path .. ";" .. os.getenv "MODULES"

local endpoint, clients = require "endpoint", require "endpoint.clients"
print((clients.lua_https(endpoint("GET /:a", { a = 1 }))))

local send = require("endpoint.request").new(endpoint, {
  client = function(r)
    return 200, {}, r.method
  end,
})
print("the answer to " .. (send("GET /:a", { a = 1 })))

local _, message = pcall(require("books-checks").check, "POST /login", {})
print((message:gsub(".*checks: ", "")))
