---@meta endpoint.types
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The only description of endpoint.types, as endpoint.lua is of the module.

---Generates a Lua module, and definitions for an editor, from an OpenAPI document. The program
---`endpoint-types` uses it. Use it in a program that writes the files itself.
---@class endpoint.types
local types = {}

---Generates the files of a module for an API. Writes nothing.
---
---```lua
---local types = require "endpoint.types"
---local made = types.generate({
---  openapi = "3.0.3", info = { title = "Books" },
---  servers = { { url = "https://books.example/v1" } },
---  paths = { ["/books/{id}"] = { get = { responses = {} } } },
---}, "books")
---
---print(made.base, made.operations)   --> https://books.example/v1	1
---print(made.files[1].name)           --> books-types-1.lua
---print(made.files[#made.files].name) --> books.lua
---```
---
---**Raises** a string without a position if the document is not OpenAPI, and for a name that cannot
---be the name of a module, or that is the name of one of this library's.
---@param root table # a decoded document: OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0
---@param name string # of the module: letters, digits and `_`
---@param options? endpoint.types.Options # nil: all operations, without types of responses
---@return endpoint.types.Made made # a new table
function types.generate(root, name, options) end

---Says whether endpoint-types has written a file. The second line of the file tells it.
---
---```lua
---local types = require "endpoint.types"
---local made = types.generate({ openapi = "3.0.3", paths = {} }, "books")
---
---print(types.is_written(made.files[1].text)) --> true
---print(types.is_written "local mine = 5\n")  --> false
---```
---@param text string # the beginning of the file, at least 1,000 bytes
---@return boolean is_written # true if endpoint-types has written it
function types.is_written(text) end

---What `types.generate` makes of a document.
---@class endpoint.types.Options
---@field only? string[] # patterns of routes or of paths, in which `*` is any text, and tags
---true for types of responses and of a sender; with `checks` also for the rules of responses
---@field responses? boolean
---@field checks? boolean # true for a module of the rules, which is listed before the module itself
---@field open? boolean # true to allow names in calls that the document does not have
---@field closed_responses? boolean # true to refuse such names in responses
---@field progress? fun(done: integer, count: integer) # called after each operation

---What `types.generate` returns.
---@class endpoint.types.Made
---@field files endpoint.types.File[] # the definitions, and the module itself last
---@field operations integer # how many the document has
---@field left_out endpoint.types.LeftOut[] # the operations that a route cannot express
---@field base? string # the document's first server, if it can be a `baseUrl`
---@field notes string[] # sentences about what was ignored, and which server was chosen

---A file to be written.
---@class endpoint.types.File
---@field name string # without a directory
---@field text string # what is written

---An operation that was left out.
---@class endpoint.types.LeftOut
---@field operation string # such as `GET /x`
---@field reason string # in one line

return types
