-- For nginx, where ngx.re judges patterns: is the string of the query, `s`, right under a schema
-- with the pattern `p`? Answers "right", or what the rules say is wrong.
-- luacheck: globals ngx
local types = require "endpoint.types"

local arguments = ngx.req.get_uri_args()

local parameter = {
  name = "s",
  ["in"] = "query",
  schema = { type = "string", pattern = arguments.p },
}
local document = {
  openapi = "3.1.0",
  paths = { ["/x"] = { get = { parameters = { parameter } } } },
}

local made = types.generate(document, "api", { checks = true })
local rules
for _, file in ipairs(made.files) do
  if file.name == "api-checks.lua" then
    rules = assert(loadstring(file.text))()
  end
end

local given = (arguments.s:rep(tonumber(arguments.times) or 1)) .. (arguments.last or "")
local is_right, message = pcall(rules.check, "GET /x", { s = given })
ngx.say(is_right and "right" or message, "; ", table.concat(rules.left_out(), "; "))
