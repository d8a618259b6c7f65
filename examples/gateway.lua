-- SPDX-License-Identifier: MIT
-- A gateway for OpenResty. It takes two names from the client's query, refuses what would move
-- the request, asks the API, and answers with less; a POST of JSON creates an issue. Nothing else
-- of the client's request reaches the API. The client sees fixed words, and the log has the
-- reason. README.md beside this file has the locations around it.
-- Needs nginx with its Lua module, or OpenResty, and lua-cjson.
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

-- --- what the client gives ------------------------------------------------------

local function is_name(value) -- a table if it is repeated, true without "="
  return type(value) == "string" and value:find "^[%w._-]+$"
end

local function is_text(value)
  return type(value) == "string" and value ~= "" and not value:find "%c"
end

local function is_id(value) -- larger ones would lose digits: cjson reads a number as a double
  return type(value) == "number" and value % 1 == 0 and value > 0 and value < 1e14
end

-- The JSON of the client's body; nil if it is not JSON, or too long for nginx to keep in memory.
local function read_json()
  ngx.req.read_body()
  local ok, value = pcall(json.decode, ngx.req.get_body_data() or "")
  return ok and type(value) == "table" and value or nil
end

-- --- the requests ---------------------------------------------------------------

local function list(arg)
  return internal(
    "GET /repos/{owner}/{repo}/issues",
    { owner = arg.owner, repo = arg.repo, per_page = 2 }
  )
end

local function create(arg, issue)
  return internal("POST /repos/{owner}/{repo}/issues", {
    owner = arg.owner,
    repo = arg.repo,
    title = issue.title,
    milestone = issue.milestone,
  })
end

-- The parameters that the client gives. A parameter of any other name is our own mistake, such as
-- a misspelt {ownr} in a route.
local OF_CLIENT = { owner = true, repo = true, title = true, milestone = true }

-- Returns what ngx.location.capture takes; or nil, after it has answered 400.
local function shape(route, arg, issue)
  local ok, r = pcall(route, arg, issue)
  if ok then
    return clients.ngx(r, { variables = { authorization = "token" } })
  end
  if not OF_CLIENT[clients.blamed(r) or ""] then
    error(r, 0)
  end -- nginx answers 500
  answer(400, "expected the names of an owner and a repo", r)
end

-- --- the answers ----------------------------------------------------------------

local function show_titles(response)
  local _, issues = pcall(json.decode, response.body)
  if response.status ~= 200 or type(issues) ~= "table" then
    return answer(
      502,
      "the API fails",
      "the API answers " .. response.status .. ", perhaps without JSON"
    )
  end
  local titles = {}
  for _, issue in ipairs(issues) do
    titles[#titles + 1] = issue.title
  end
  ngx.header.content_type = "application/json"
  ngx.say(titles[1] and json.encode(titles) or "[]") -- an empty table would become {}
end

local function show_created(response)
  if response.status ~= 201 then
    return answer(502, "the API fails", "the API answers " .. response.status)
  end
  ngx.status = 201
  ngx.say "created"
end

-- A client's HEAD is a GET, whose body nginx leaves out.
local ROUTES = {
  GET = { list, show_titles },
  HEAD = { list, show_titles },
  POST = { create, show_created },
}

local route, arg, issue = ROUTES[ngx.req.get_method()], ngx.req.get_uri_args(), nil
if not route then
  ngx.header.allow = "GET, HEAD, POST"
  return answer(405, "expected GET, HEAD or POST", "another method")
end
if not (is_name(arg.owner) and is_name(arg.repo)) then
  return answer(
    400,
    "expected one owner and one repo",
    "owner or repo is missing, repeated or no name"
  )
end
if route[1] == create then
  issue = read_json()
  if
    not (issue and is_text(issue.title) and (issue.milestone == nil or is_id(issue.milestone)))
  then
    return answer(
      400,
      "expected JSON with a title and perhaps a milestone",
      "no JSON, or other values"
    )
  end
end
local path, options = shape(route[1], arg, issue)
if not path then
  return
end
local response = ngx.location.capture(path, options)
if response.status == 404 then
  return answer(404, "no such repository", "the API answers 404")
end
route[2](response)
