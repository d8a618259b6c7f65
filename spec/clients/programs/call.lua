-- For nginx: makes a call of calls.lua, which the query names: ?list=refused&number=1. Answers with
-- what it returned or raised, and with the client's request as it is after it, as JSON.
-- luacheck: globals ngx
local calls = require "clients.programs.calls"
local json = require "cjson"

local function state()
  return json.encode { ngx.req.get_method(), ngx.req.get_headers(0) }
end

local arguments = ngx.req.get_uri_args()
local call = calls[arguments.list][tonumber(arguments.number)]
local phase, before = ngx.get_phase(), state()
local done, first, second = pcall(call.run, phase)

local seen = {
  done = done,
  first = first,
  second = second,
  is_same = before == state(),
  headers = ngx.req.get_headers(0),
  method = ngx.req.get_method(),
  token = ngx.var.token,
  a = ngx.var.a,
}
if phase ~= "header_filter" then
  ngx.req.read_body()
  seen.body = ngx.req.get_body_data()
end
ngx.header.result = ngx.escape_uri(json.encode(seen))
if phase ~= "header_filter" then
  ngx.exit(ngx.HTTP_OK) -- nothing answers after it
end
