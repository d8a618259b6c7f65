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
---@field check fun(route: string|table, options?: table, api?: endpoint.Endpoint,
---how?: endpoint.checks.How): endpoint.checks.Encoder?
---Says whether a response fits the document. `body` is the decoded body, nil if there is none.
---Returns true, or nil and a sentence: all that is wrong with the body, or that the document does
---not have the status. The third result lists the problems of the body, at most 20. If the document
---does not describe the body, every body fits. Names that the
---document does not have are right, unless it says `additionalProperties: false` or the file was
---made with `--closed-responses`. Raises for a route
---that the document does not have, for a status that is not an integer from 100 to 599, and for a
---file that was not made with `--responses`, with the position of the caller's line.
---@field response fun(route: string|table, status: integer, body: any):
---true?, string?, endpoint.checks.Fault[]?
---Says which operation a request is that came in, and reads its values. Returns the operation and
---the values; or nil, a status and the problems, at most 20: 404 for a path and 405 for a method
---that the document does not have, 415 for a media type, 400 for anything else. A HEAD is the GET of
---its path. Raises for a request or settings of wrong types, with the position of the caller's line.
---@field request fun(given: endpoint.checks.Incoming, settings?: endpoint.checks.IncomingSettings):
---endpoint.checks.Operation?, endpoint.checks.Values|integer, endpoint.checks.Problem[]?
---The operations as functions for language models, as the service of `form` takes them. They are
---chosen by operationId or route, or by tag, method and route; all without `wanted`. Raises for
---what the document does not have.
---@field tools fun(wanted?: string[]|endpoint.checks.Choice, how?: endpoint.checks.ToolOptions):
---endpoint.checks.Tools
---What the program must give for an operation: headers and credentials. Raises for an operation
---that the document does not have.
---@field needs fun(operation: string): endpoint.checks.Needs
---What is not checked of the document's rules: a sentence for each keyword, such as `pattern` if
---there are no regular expressions; and of `request`: for operations that no request is, or only those
---that another operation of their method and path refuses, and for those that a request may be as well
---as others. A new table.
---@field left_out fun(): string[]
---Sends what a model asked for. Returns what the sender returns, such as the body and the response;
---or nil and a sentence for the model, about its arguments or from the server. The sender gets the
---body as a string, in the document's media type. The defaults of the endpoint cannot be given in the
---arguments. A sender of `request.new` has its endpoint; a function has none, and raises without
---`api`. Raises whatever else the sender raises. All mistakes in the arguments are told at once, at
---most 20. The third result lists them.
---@field call fun(send: endpoint.checks.Send, name: string, arguments?: table,
---api?: endpoint.Endpoint, how?: endpoint.checks.CallOptions): any, any, endpoint.checks.Fault[]|any

---Encodes a body as JSON. It returns the string that lua-cjson would return, but with `[]` for an
---empty table if the rules take a list and not an object. It raises, without a position, for what
---lua-cjson cannot write, and for a number whose digits it would lose.
---@alias endpoint.checks.Encoder fun(body: any): string

---How a call is checked.
---@class endpoint.checks.How
---@field all? boolean # all mistakes are told at once, at most 20, otherwise the first
---@field decoded? boolean # a string as `data` is a value, otherwise a body that is encoded already

---A request that came in.
---@class endpoint.checks.Incoming
---@field method string # in any case
---@field path string # as it came: nothing in it is decoded
---@field query? string # as it came, with or without `?`
---By names in lower case. A function is called only where the operation or the body needs headers.
---@field headers? table<string, string|string[]>|fun(): table<string, string|string[]>
---@field body? string # as it came; nil or empty without one

---How a request is read.
---@class endpoint.checks.IncomingSettings
---@field base? string # the path of this server, or its URL; that of the document's unless given
---@field encoded_slashes? boolean # `%2F` is a part of a value; otherwise the request is refused
---@field trailing_slash? boolean # a path may end with one `/` more
---@field decode? fun(text: string): any # reads JSON; lua-cjson or dkjson unless given

---The operation of a request.
---@class endpoint.checks.Operation
---@field route string # as `check` and `response` take it
---@field name string # its operationId, or the route
---@field method string # of the route, in upper case

---The values of a request, by the document's names: `"5"` is 5 where the document has an integer. An
---integer that this Lua cannot hold exactly is the string of its digits.
---@class endpoint.checks.Values
---@field path table<string, any> # by the names in the route
---@field query table<string, any> # lists and objects as the document writes them
---@field headers table<string, any> # those that the document has
---@field cookies table<string, any> # those that the document has
---@field body any # decoded; of other media types than JSON and forms the string. A file is a string

---What is wrong with a value.
---@class endpoint.checks.Fault
---@field pointer string # the place in the value, as a JSON pointer (RFC 6901)
---@field message string # such as `expected an integer, got a string`

---What is wrong with a request.
---@class endpoint.checks.Problem
---@field place "method"|"path"|"query"|"header"|"cookie"|"body" # where it is
---@field name? string # of the parameter
---@field pointer string # the place in its value, as a JSON pointer (RFC 6901)
---@field message string # such as `expected an integer, got a string`
---@field allow? string[] # of status 405: the methods that the path has

---What sends a call, such as the sender that `request.new` returns.
---@alias endpoint.checks.Send table|fun(route: string, options: table): any

---A service's form of tools: `openai` is that of Chat Completions, `openai-strict` that of Responses,
---`gemini` has one element with `functionDeclarations`.
---@alias endpoint.checks.Form "openai"|"openai-strict"|"anthropic"|"gemini"|"mcp"

---Operations that have all of these. A list means any of its members.
---@class endpoint.checks.Choice
---@field tag? string|string[] # in the document's words
---@field method? string|string[] # in any case
---@field route? string|string[] # a path for all its methods, or a route

---The list that a service takes. Encoders see its elements alone.
---@class endpoint.checks.Tools: endpoint.checks.Tool[]
---@field text string # the list as JSON, with the same bytes in every process
---@field left_out endpoint.checks.LeftOut[] # what is no tool, and what the form cannot say exactly
---@field by_name table<string, endpoint.checks.ToolFacts> # by the names of the functions

---What a program asks of a function before it calls it.
---@class endpoint.checks.ToolFacts
---@field name string # letters, digits, `_` and `-`, at most 64; no other operation has it
---@field method string # in upper case
---@field route string # the method and the path

---An operation for a language model. Without `form` it has these fields, otherwise those of the
---service. Encoders do not see `method` and `route`.
---@class endpoint.checks.Tool: endpoint.checks.ToolFacts
---@field description string # the document's summary and description, or the route
---@field parameters table # a JSON Schema (2020-12) of the arguments, an object

---How a model's call is read.
---@class endpoint.checks.CallOptions
---@field form? endpoint.checks.Form # the form of the tools that the model was given

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
---@field form? endpoint.checks.Form # the service's form; the library's own unless given
---@field endpoint? endpoint.Endpoint # what its defaults hold is no argument of a tool
---@field whole? boolean # descriptions have up to 1,024 bytes, otherwise 120, of operations 300
---@field inline? boolean # the schemas have no `$ref`: some services do not follow them

---An operation that cannot be a function, or a value that a form cannot say exactly.
---@class endpoint.checks.LeftOut
---@field name? string # of the function; nil for the whole list
---@field place? string # of the value in the arguments; nil if there is no function
---@field reason string # what an argument or the form cannot express

return checks
