---@meta endpoint.checks
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The one description of endpoint.checks. docs/checks.md shows how it is used.

---What the files need that `endpoint-types --checks` writes. A program requires such a file, say
---`github-checks`, which returns an `endpoint.checks.Module`.
---@class endpoint.checks
local checks = {}

---Makes the module of a file that `endpoint-types --checks` has written, which calls this.
---
---```lua
---local types = require "endpoint.types"
---local paths = { ["/books/{isbn}"] = { get = {} } }
---local made = types.generate({ openapi = "3.1.0", paths = paths }, "books", { checks = true })
---local books = (loadstring or load)(made.files[#made.files - 1].text)() -- require "books-checks"
---
---print(select(2, pcall(books.check, "GET /books/{isbn}", { isbm = "1" })))
-----> endpoint.checks: GET /books/{isbn}: no parameter "isbm", is it "isbn"?
---```
---
---**Raises** `endpoint.checks: ` if the file is of another version, without a position.
---@param data table # what the file holds
---@return endpoint.checks.Module module # a new table
function checks.new(data) end

---The rules of an API's calls.
---@class endpoint.checks.Module
---Raises what is wrong with a call, with the position of the caller's line. Begins
---`endpoint.checks: `. What the defaults of the endpoint hold need not be given. Returns an encoder
---if the body of the operation is JSON, else nil. The encoder takes the body and returns the string
---of lua-cjson, with `[]` for an empty table where the rules take a list and no object. It raises
---what lua-cjson cannot write, and a number whose digits it would lose, without a position.
---@field check fun(route: string|table, options?: table, api?: endpoint.Endpoint): (fun(body: any): string)?
---Does a response fit the document? `body` is the decoded body, nil without a body. Returns true,
---or nil and a sentence: what is wrong with the body, or that the document does not have the status.
---Where the document does not say what the body is, all bodies fit. Raises for a route that the
---document does not have, for a status that is not an integer from 100 to 599, and for a file that
---was not made with `--responses`, with the position of the caller's line.
---@field response fun(route: string|table, status: integer, body: any): true?, string?
---The operations as functions for language models, named by operationId or route; all unless given.
---The second result says which of them cannot be one. Raises for one that the document does not
---have.
---@field tools fun(names?: string[], how?: endpoint.checks.ToolOptions): endpoint.checks.Tool[], endpoint.checks.NoTool[]
---What an operation needs that is the program's: headers and credentials. Raises for one that the
---document does not have.
---@field needs fun(operation: string): endpoint.checks.Needs
---What is not judged of the document's rules: a sentence for each keyword, such as `pattern` where
---there are no regular expressions. A new table.
---@field left_out fun(): string[]
---Sends what a model asked for: returns the answer, or nil and a sentence for the model, about its
---arguments or from the server. The body is text, in the document's media type. What the defaults
---of the endpoint hold cannot be given: that of a sender of `request.new` is known. Raises what
---else the sender raises.
---@field call fun(send: endpoint.checks.Send, name: string, arguments?: table, api?: endpoint.Endpoint): any, string?

---What sends a call, such as `request.new` returns.
---@alias endpoint.checks.Send table|fun(route: string, options: table): any

---An operation for a language model.
---@class endpoint.checks.Tool
---@field name string # letters, digits, `_` and `-`, at most 64; no other operation has it
---@field description string # the document's summary and description, or the route
---@field parameters table # a JSON Schema (2020-12) of the arguments, an object

---What an operation needs beside its parameters and its body.
---@class endpoint.checks.Needs
---@field headers endpoint.checks.Header[] # those that the document names
---One of these lists is enough; an empty one asks for no credentials.
---@field security endpoint.checks.Scheme[][]

---A header that an operation knows.
---@class endpoint.checks.Header
---@field name string # in lower case
---@field required boolean # the document requires it
---@field description? string # the document's words

---A way to prove who asks, in the document's words.
---@class endpoint.checks.Scheme
---@field scheme string # its name in the document
---@field type? string # `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`
---@field place? string # where an API key is: `query`, `header` or `cookie`
---@field name? string # the name of the API key there
---@field http? string # the scheme of HTTP, such as `bearer`
---@field scopes string[] # what the key must be allowed to do, in the document's words

---How a list of tools is told.
---@class endpoint.checks.ToolOptions
---@field whole? boolean # descriptions have all their text, up to 1,024 bytes; else 120
---@field inline? boolean # the schemas have no `$ref`: some services do not follow them

---An operation that can be no function for a language model.
---@class endpoint.checks.NoTool
---@field name string # the name that it would have
---@field reason string # what no argument can say

return checks
