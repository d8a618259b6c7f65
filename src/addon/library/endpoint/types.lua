---@meta endpoint.types
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The one description of endpoint.types, as endpoint.lua beside this directory is of the module.

---Makes a Lua module and an editor's definitions of an OpenAPI document: what the program
---`endpoint-types` is made of, for a program of yours that writes the files itself.
---@class endpoint.types
local types = {}

---Makes the files of a module for an API. Writes nothing.
---
---```lua
---local types = require "endpoint.types"
---local made = types.generate({
---  openapi = "3.0.3", info = { title = "Books" },
---  servers = { { url = "https://books.example/v1" } },
---  paths = { ["/books/{id}"] = { get = { responses = {} } } },
---}, "books")
---
---print(made.base, made.operations)                   --> https://books.example/v1	1
---print(made.files[1].name, made.files[#made.files].name) --> books-types-1.lua	books.lua
---```
---
---**Raises** a string without a position if the document is not OpenAPI, and on a name that is not
---a name of a module, or that of another one.
---@param root table # a decoded document: OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0
---@param name string # of the module: letters, digits and `_`
---@param options? endpoint.types.Options # nil makes all operations, without types of responses
---@return endpoint.types.Made made # a new table
function types.generate(root, name, options) end

---Was a file written by endpoint-types? Its second line says so.
---
---```lua
---local types = require "endpoint.types"
---local made = types.generate({ openapi = "3.0.3", paths = {} }, "books")
---
---print(types.is_written(made.files[1].text), types.is_written "local mine = 5\n") --> true	false
---```
---@param text string # how the file begins, at least 1,000 bytes of it
---@return boolean is_written # true if it was
function types.is_written(text) end

---What `types.generate` makes of a document.
---@class endpoint.types.Options
---@field only? string[] # patterns of routes or of paths, in which `*` is any text, and tags
---@field responses? boolean # true for types of responses, and of a sender; with `checks` for their rules, too
---@field checks? boolean # true for a module of the rules, which is listed before the module itself
---@field open? boolean # true to mark no name that the document does not have
---@field progress? fun(done: integer, count: integer) # called after each operation

---What `types.generate` returns.
---@class endpoint.types.Made
---@field files endpoint.types.File[] # the definitions, and the module itself last
---@field operations integer # how many the document has
---@field left_out endpoint.types.LeftOut[] # those that no route can say
---@field base? string # the document's first server, if that can be a `baseUrl`
---@field notes string[] # lines about what was passed over, and what was chosen of servers

---A file to be written.
---@class endpoint.types.File
---@field name string # without a directory
---@field text string # what is written

---An operation that has no call.
---@class endpoint.types.LeftOut
---@field operation string # such as `GET /x`
---@field reason string # in one line

return types
