-- SPDX-License-Identifier: MIT
-- A gateway for OpenResty that knows an API by its OpenAPI document. POST /call/NAME takes the
-- arguments of an operation as JSON. What the document does not know is answered with 400 and a
-- sentence, and nothing of it reaches the API. README.md beside this file has the locations around
-- it.
-- Needs nginx with its Lua module, or OpenResty, lua-cjson, and in lua_package_path the files that
-- these commands write:
--   endpoint-types --example > shop.json
--   endpoint-types --checks shop.json
-- luacheck: globals ngx
local clients, json = require "endpoint.clients", require "cjson"
local rules = require "shop-checks"

local token = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set")
local api = require "shop".defaults {
  baseUrl = "/internal",
  headers = { authorization = token, ["accept-encoding"] = "identity" },
}

-- The operations that anybody may call. `rules.call` knows all that the document has.
local IS_OPEN = { books_list = true, books_create = true }

local function answer(status, value)
  ngx.status = status
  ngx.header.content_type = "application/json"
  ngx.say(json.encode(value))
end

-- nginx decodes a path once more: what it would change there is refused, as a sentence for the
-- client.
local function send(route, options)
  local request = api(route, options)
  local ok, path, capture = pcall(clients.ngx, request, { variables = { authorization = "token" } })
  if not ok then
    error { message = "the path cannot hold these characters" }
  end
  return ngx.location.capture(path, capture)
end

-- The JSON object of the client's body; nil if it is not one, or too long for nginx to keep in
-- memory.
local function read_arguments()
  ngx.req.read_body()
  local ok, value = pcall(json.decode, ngx.req.get_body_data() or "")
  return ok and type(value) == "table" and value or nil
end

local name = ngx.var.uri:match "^/call/([%w_-]+)$"
if ngx.req.get_method() ~= "POST" or not IS_OPEN[name or ""] then
  return answer(404, "no such function")
end
local arguments = read_arguments()
if not arguments then
  return answer(400, "expected a JSON object of arguments")
end
local response, problem = rules.call(send, name, arguments, api)
if not response then
  return answer(400, problem)
end
if response.status < 200 or response.status >= 300 then
  return answer(502, "the API fails")
end
ngx.header.content_type = "application/json"
ngx.print(response.body)
