---@meta endpoint
-- luacheck: no unused args

-- Definitions for lua-language-server: add this directory to
-- `Lua.workspace.library`. Nothing here is run.

---Any value as JSON has it: also `endpoint.null`.
---@alias endpoint.Any any

---The value null: the light userdata NULL, equal to `cjson.null` and `ngx.null`.
---@alias endpoint.Null lightuserdata

---What a header can be. A list becomes several fields, or one with commas.
---@alias endpoint.HeaderValue string|number|boolean|string[]

---Rewrites the vendor parts of the header `accept`. null removes a default.
---@class (exact) endpoint.MediaType
---@field format? string|endpoint.Null what stands behind the version: `raw` makes `application/vnd.NAME.v3.raw`
---@field previews? string[]|endpoint.Null previews to ask for; a trailing `-preview` is dropped

---Options, and parameters under any other name. What the template does not
---use goes into the query (GET, HEAD) or into the body (POST, PUT, PATCH, DELETE,
---QUERY).
---@class endpoint.Options
---@field method? string|endpoint.Null an RFC 9110 token in any case; GET unless given
---@field url? string|endpoint.Null an RFC 6570 template, relative to `baseUrl` or absolute
---@field baseUrl? string|endpoint.Null `scheme://host…`, a bare path such as `/internal`, or `""`; perhaps with a query
---@field headers? table<string, endpoint.HeaderValue|endpoint.Null|nil>|endpoint.Null null for a name removes a default
---@field mediaType? endpoint.MediaType|endpoint.Null rewrites `accept`
---@field data? endpoint.Any the body, whatever it is; left-over parameters are then not sent
---@field request? any handed through to the result, never looked at
---@field [string] endpoint.Any a parameter

---Request options for an HTTP client; `endpoint.clients` makes its arguments of them.
---@class endpoint.Request
---@field method string in lower case: most servers want it in upper case
---@field url string only the bytes 0x21 to 0x7E
---@field headers table<string, endpoint.HeaderValue> lower-case names
---@field body? endpoint.Any only if there is one; not encoded
---@field request? any the option of that name

---Defaults and options, merged; the template is not resolved.
---@class endpoint.Merged
---@field method string in upper case
---@field url? string the template
---@field baseUrl? string put in front of a URL that is not absolute
---@field headers table<string, endpoint.HeaderValue> lower-case names
---@field mediaType? endpoint.MediaType only if something in it is set
---@field data? endpoint.Any the body
---@field request? any handed through
---@field [string] endpoint.Any a parameter

---A variable of a template, as its first expression has it.
---@class endpoint.Variable
---@field name string
---@field operator ""|"+"|"#"|"."|"/"|";"|"?"|"&"
---@field explode boolean is it followed by `*`?
---@field prefix? number the characters of `{name:3}`
---@field required boolean does a call raise without it alone?

---Turns a route and parameters into request options. Immutable; members work
---with a dot, with a colon, and as plain functions.
---@class endpoint.Endpoint: function
---@overload fun(route: string, options?: endpoint.Options): endpoint.Request
---@overload fun(options: endpoint.Options): endpoint.Request
---@field DEFAULTS endpoint.Merged this endpoint's defaults, a fresh copy at each read
---@field null endpoint.Null null: cancels a default, skips a value, is JSON's null in a body
---@field _VERSION string the version
local endpoint = {}

---Merges the defaults and the options, and leaves the template as it is.
---@param route string `"<METHOD> <URL>"`, or a URL alone
---@param options? endpoint.Options
---@return endpoint.Merged
---@overload fun(options?: endpoint.Options): endpoint.Merged
---@overload fun(self: endpoint.Endpoint, route: string, options?: endpoint.Options): endpoint.Merged
---@overload fun(self: endpoint.Endpoint, options?: endpoint.Options): endpoint.Merged
function endpoint.merge(route, options) end

---Makes request options of merged options. Applies no defaults.
---@param merged endpoint.Merged|endpoint.Options with a `url`
---@return endpoint.Request
---@overload fun(self: endpoint.Endpoint, merged: endpoint.Merged|endpoint.Options): endpoint.Request
function endpoint.parse(merged) end

---Makes a new endpoint with these defaults on top of this one's. Tables are
---copied, and null removes a default parameter.
---@param options? endpoint.Options
---@return endpoint.Endpoint
---@overload fun(self: endpoint.Endpoint, options?: endpoint.Options): endpoint.Endpoint
function endpoint.defaults(options) end

---Lists what the template of a route asks for: each variable once, in its order.
---@param route? string|endpoint.Options `"<METHOD> <URL>"`, a URL, or a table with `url`
---@return endpoint.Variable[]
---@overload fun(self: endpoint.Endpoint, route?: string|endpoint.Options): endpoint.Variable[]
function endpoint.variables(route) end

return endpoint
