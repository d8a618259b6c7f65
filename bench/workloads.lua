-- The cases. Each has a name and its peers, ours first; those of clients have a limit, too.
-- bench/octokit.mjs measures the same calls, those of calls.json and four more. Every call
-- builds its own options, as callers do, except where a comment says otherwise.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local baseline = require "baseline"
local json = require "cjson"
local routes = dofile "bench/routes.lua"

local loadstring = loadstring or load
local parse, variables = endpoint.parse, endpoint.variables

local cases, list = {}, {}

local function case(name, call)
  cases[name] = { name = name, peers = { { name = "endpoint", call = call } } }
  list[#list + 1] = cases[name]
  return cases[name]
end

-- --- the calls of calls.json

-- A value of JSON as Lua's source text.
local function literal(value)
  if type(value) == "number" then return ("%.14g"):format(value) end
  if type(value) ~= "table" then return ("%q"):format(value) end
  local fields = {}
  for key, field in pairs(value) do
    fields[#fields + 1] = (type(key) == "string" and ("[%q]="):format(key) or "") .. literal(field)
  end
  return "{" .. table.concat(fields, ",") .. "}"
end

-- A function that calls f with these arguments as literals, as a program would.
local function calling(f, ...)
  local arguments = {}
  for i, value in ipairs { ... } do arguments[i] = literal(value) end
  return loadstring("local f = ... return function() return f(" .. table.concat(arguments, ",") .. ") end")(f)
end

local stream = assert(io.open "bench/calls.json")
local file = json.decode(stream:read "*a")
stream:close()
local given, endpoints = {}, {}
for name, defaults in pairs(file.defaults) do endpoints[name] = endpoint.defaults(defaults) end
endpoints.endpoint = endpoint
for _, call in ipairs(file.calls) do
  local name, api, member, route, options = call[1], endpoints[call[2]], call[3], call[4], call[5]
  given[name] = { route = route, options = options }
  case(name, calling(member == json.null and api or api[member], route, options))
end

-- What a careful user writes instead of using the module, for this one route.
local USER_AGENT = "service-endpoint.js/" .. endpoint._VERSION
local function hex(byte) return ("%%%02X"):format(byte:byte()) end
local function escape(value) return (tostring(value):gsub("[^%w%-._~]", hex)) end
local function by_hand(options)
  if options.org == nil or options.org == "" then error("missing parameter: org", 2) end
  local url = "https://api.service.example/orgs/" .. escape(options.org) .. "/repos"
  if options.type ~= nil then url = url .. "?type=" .. escape(options.type) end
  local headers = { accept = "application/vnd.service.v3+json", ["user-agent"] = USER_AGENT }
  return { method = "get", url = url, headers = headers }
end

cases.GET.peers[2] = { name = "baseline", call = calling(baseline.get, given.GET.options) }
cases.GET.peers[3] = { name = "by hand", call = calling(by_hand, given.GET.options) }

-- --- the other calls

-- The next of the catalogue's routes with all of its parameters, made beforehand.
local turn = 0
case("catalogue in turn", function()
  turn = turn % #routes + 1
  local route = routes[turn]
  return endpoint(route.route, route.parameters)
end)

local prose = ("Café society, as the old proverb has it, never sleeps before two; "):rep(62)
case("4 kB of prose", function() return endpoint("GET /search", { text = prose }) end)

local merged = endpoint.merge("GET /orgs/:org/repos", { org = "octokit", type = "private" })
case("parse", function() return parse(merged) end)

-- Both make a new string. So their difference is the cost of a new template.
local unique = 0
local function fresh_route()
  unique = unique + 1
  return "GET /users/" .. unique
end
case("new URL", function() return endpoint(fresh_route()) end).peers[2] = { name = "known URL", call = function()
  fresh_route()
  return endpoint "GET /users/1"
end }

case("expected error", function() return pcall(endpoint, "GET /repos/{owner}/{repo}", { owner = "octokit" }) end)
case("variables", function() return variables "GET /repos/{owner}/{repo}/issues{?state,labels,page}" end)

-- --- clients

-- The results that they read. The encoder of the body's table is no work of theirs.
local results = {}
for _, name in ipairs { "GET", "POST" } do results[name] = endpoint(given[name].route, given[name].options) end
local options = { encode = function() return '{"title":"Found a bug"}' end }

-- How many times the call before it a client's function may take.
for _, target in ipairs { { "plain", 2 }, { "luasocket", 3 }, { "resty_http", 3 }, { "lua_https", 3 }, { "curl", 4 },
  { "argv", 5 } } do
  local name, client = target[1], clients[target[1]]
  local get = case("clients." .. name .. ", GET", function() return client(results.GET) end)
  local post = case("clients." .. name .. ", POST", function() return client(results.POST, options) end)
  get.call, post.call, get.most, post.most = "GET", "POST", target[2], target[2]
end

return list
