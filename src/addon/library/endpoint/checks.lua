---@meta endpoint.checks
-- SPDX-License-Identifier: MIT
-- luacheck: no unused args

-- The only description of endpoint.checks. docs/validate.md shows how it is used.

---Serves the files that `endpoint-types --checks` writes. A program requires such a file, such as
---`github-checks`, which returns an `endpoint.checks.Module`.
---@class endpoint.checks
local checks = {}

---Makes the module of a file that `endpoint-types --checks` has written. The file calls it.
---
---```lua
---local types = require "endpoint.types"
---local document = { openapi = "3.1.0", paths = { ["/books/{isbn}"] = { get = {} } } }
---local made = types.generate(document, "books", { checks = true })
----- in a program: require "books-checks"
---local books = (loadstring or load)(made.files[#made.files - 1].text)()
---
---print(select(2, pcall(books.check, "GET /books/{isbn}", { isbm = "1" })))
-----> endpoint.checks: GET /books/{isbn}: no parameter "isbm", is it "isbn"?
---```
---
---**Raises** a string that begins with `endpoint.checks: `, without a position, if the file is of
---another version.
---@param data table # the content of the file
---@return endpoint.checks.Module module # a new table
function checks.new(data) end

---The rules of an API's calls.
---@class endpoint.checks.Module
---Raises if a call is wrong: a string that begins with `endpoint.checks: `, with the position of
---the caller's line. The defaults of `api` need not be given. Returns an encoder if the body of the
---operation is JSON, otherwise nil.
---@field check fun(route: string|table, options?: table, api?: endpoint.Endpoint):
---endpoint.checks.Encoder?
---Says whether a response fits the document. `body` is the decoded body, nil if there is none.
---Returns true, or nil and a sentence: what is wrong with the body, or that the document does not
---have the status. If the document does not describe the body, every body fits. Names that the
---document does not have are right, unless it says `additionalProperties: false` or the file was
---made with `--closed-responses`. Raises for a route
---that the document does not have, for a status that is not an integer from 100 to 599, and for a
---file that was not made with `--responses`, with the position of the caller's line.
---@field response fun(route: string|table, status: integer, body: any): true?, string?
---The operations as functions for language models, named by operationId or by route. Without
---`names` all operations. The second result lists those that cannot be a function. Raises for an
---operation that the document does not have.
---@field tools fun(names?: string[], how?: endpoint.checks.ToolOptions):
---endpoint.checks.Tool[], endpoint.checks.NoTool[]
---What the program must give for an operation: headers and credentials. Raises for an operation
---that the document does not have.
---@field needs fun(operation: string): endpoint.checks.Needs
---What is not checked of the document's rules: a sentence for each keyword, such as `pattern` if
---there are no regular expressions. A new table.
---@field left_out fun(): string[]
---Sends what a model asked for. Returns the response's body, or nil and a sentence for the model,
---about its arguments or from the server. The sender gets the body as a string, in the document's
---media type. The defaults of the endpoint cannot be given in the arguments. A sender of `request.new`
---has its endpoint; a function has none, and raises without `api`. Raises whatever else the sender
---raises.
---@field call fun(send: endpoint.checks.Send, name: string, arguments?: table,
---api?: endpoint.Endpoint): any, string?

---Encodes a body as JSON. It returns the string that lua-cjson would return, but with `[]` for an
---empty table if the rules take a list and not an object. It raises, without a position, for what
---lua-cjson cannot write, and for a number whose digits it would lose.
---@alias endpoint.checks.Encoder fun(body: any): string

---What sends a call, such as the sender that `request.new` returns.
---@alias endpoint.checks.Send table|fun(route: string, options: table): any

---An operation for a language model.
---@class endpoint.checks.Tool
---@field name string # letters, digits, `_` and `-`, at most 64; no other operation has it
---@field description string # the document's summary and description, or the route
---@field parameters table # a JSON Schema (2020-12) of the arguments, an object

---What an operation needs apart from its parameters and its body.
---@class endpoint.checks.Needs
---@field headers endpoint.checks.Header[] # those that the document names
---One of these lists is enough. An empty list means that no credentials are needed.
---@field security endpoint.checks.Scheme[][]

---A header of an operation.
---@class endpoint.checks.Header
---@field name string # in lower case
---@field required boolean # the document requires it
---@field description? string # the document's words

---A kind of credentials, in the document's words.
---@class endpoint.checks.Scheme
---@field scheme string # its name in the document
---@field type? string # `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`
---@field place? string # where an API key is: `query`, `header` or `cookie`
---@field name? string # the name of the API key there
---@field http? string # the scheme of HTTP, such as `bearer`
---@field scopes string[] # what the key must be allowed to do, in the document's words

---How tools are described.
---@class endpoint.checks.ToolOptions
---@field whole? boolean # descriptions have up to 1,024 bytes, otherwise 120
---@field inline? boolean # the schemas have no `$ref`: some services do not follow them

---An operation that cannot be a function for a language model.
---@class endpoint.checks.NoTool
---@field name string # the name that the function would have
---@field reason string # what an argument cannot express

return checks
