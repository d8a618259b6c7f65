-- A gateway for OpenResty. It takes two names from the client's query, refuses what would
-- move the request, asks the API, and answers with less. Nothing else of the client's
-- request reaches the API. The client sees fixed words, and the log has the reason.
-- README.md beside this file has the locations around it.
-- luacheck: globals ngx
local endpoint, clients, json = require "endpoint", require "endpoint.clients", require "cjson"

local internal = endpoint.defaults {
  baseUrl = "/internal",
  headers = {
    accept = "application/json",
    ["accept-encoding"] = "identity", -- this program does not unpack gzip
    authorization = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set"),
  },
}

-- The words are for the client, the reason is for the log.
local function answer(status, words, reason)
  ngx.log(status < 500 and ngx.WARN or ngx.ERR, reason)
  ngx.status = status
  ngx.say(words)
end

local function shape(owner, repo)
  return clients.ngx(internal("GET /repos/:owner/:repo/issues", { owner = owner, repo = repo, per_page = 2 }))
end

local function is_name(value) -- a table if it is repeated, true without "="
  return type(value) == "string" and value:find "^[%w._-]+$"
end

local arg = ngx.req.get_uri_args()
if not (is_name(arg.owner) and is_name(arg.repo)) then
  return answer(400, "expected one owner and one repo", "owner or repo is missing, repeated or no name")
end
local ok, path, options = pcall(shape, arg.owner, arg.repo)
if not ok then
  if not path:find '^[^"]*: endpoint: parameter "' then error(path, 0) end -- our own fault: nginx answers 500
  return answer(400, "expected the names of an owner and a repo", path)
end

local response = ngx.location.capture(path, options)
if response.status == 404 then return answer(404, "no such repository", "the API answers 404") end
local _, issues = pcall(json.decode, response.body)
if response.status ~= 200 or type(issues) ~= "table" then
  return answer(502, "the API fails", "the API answers " .. response.status .. ", perhaps without JSON")
end
local titles = {}
for _, issue in ipairs(issues) do titles[#titles + 1] = issue.title end
ngx.header.content_type = "application/json"
ngx.say(titles[1] and json.encode(titles) or "[]") -- an empty table would become {}
