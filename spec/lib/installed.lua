-- Run by .ci/install after `endpoint-types --checks` has written build/install/books.lua and its
-- rules. Loads what an installation has, and prints a line for each module. package.path finds the
-- books, and package.cpath the module in C; MODULES, as package.path, has the Lua files. The books
-- need none of them.
print(require "books" "/books".url)
package.path = package.path .. ";" .. os.getenv "MODULES"

local endpoint, clients = require "endpoint", require "endpoint.clients"
print((clients.lua_https(endpoint("GET /:a", { a = 1 }))))

local _, message = pcall(require("books-checks").check, "POST /login", {})
print((message:gsub(".*checks: ", "")))
