-- The cases. Each has a name, its targets, and its peers, ours first. A target is how many
-- times the baseline's time we may take, or how many times octokit's speed we must have.
-- bench/octokit.mjs has the same calls. Every call builds its own options, as callers do,
-- except where a comment says otherwise.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local baseline = require "baseline"
local by_hand = dofile "bench/by_hand.lua"
local routes = dofile "bench/routes.lua"

local parse, merge, variables = endpoint.parse, endpoint.merge, endpoint.variables

local api = endpoint.defaults {
  baseUrl = "https://ghe.example/api/v3", headers = { authorization = "token 0123456789" },
  org = "octokit", per_page = 100,
}
local github = endpoint.defaults { headers = { accept = "application/vnd.github.v3+json" } }
local merged = merge("GET /orgs/:org/repos", { org = "octokit", type = "private" })
local prose = ("Café society, as the old proverb has it, never sleeps before two; "):rep(62)

-- The next of the catalogue's routes with all of its parameters, made beforehand.
local turn = 0
local function next_route()
  turn = turn % #routes + 1
  local route = routes[turn]
  return endpoint(route.route, route.parameters)
end

local unique = 0
local function fresh_route()
  unique = unique + 1
  return "GET /users/" .. unique
end

-- The results that the clients read. The encoder of the body's table is no work of theirs.
local GET = endpoint("GET /orgs/:org/repos", { org = "octokit", type = "private" })
local POST = endpoint("POST /repos/{owner}/{repo}/issues", { owner = "octokit", repo = "rest", title = "Found a bug",
  body = "Not what I expected", assignee = "octocat", milestone = 1, state = "open" })
local options = { encode = function() return '{"title":"Found a bug"}' end }

local function case(name, targets, ...)
  return { name = name, targets = targets, peers = { ... } }
end

local function peer(name, call)
  return { name = name, call = call }
end

local function ours(call)
  return peer("endpoint", call)
end

local workloads = {
  case("catalogue in turn", { octokit = 10 },
    ours(next_route)),
  case("GET", { baseline = 1.5, ["by hand"] = 0.8, octokit = 8 },
    ours(function() return endpoint("GET /orgs/:org/repos", { org = "octokit", type = "private" }) end),
    peer("baseline", function() return baseline.get { org = "octokit", type = "private" } end),
    peer("by hand", function() return by_hand.get { org = "octokit", type = "private" } end)),
  case("POST", { ["by hand"] = 0.8, octokit = 8 },
    ours(function()
      return endpoint("POST /repos/{owner}/{repo}/issues", { owner = "octokit", repo = "rest", title = "Found a bug",
        body = "Not what I expected", assignee = "octocat", milestone = 1, state = "open" })
    end),
    peer("baseline", function()
      return baseline.post { owner = "octokit", repo = "rest", title = "Found a bug",
        body = "Not what I expected", assignee = "octocat", milestone = 1, state = "open" }
    end),
    peer("by hand", function()
      return by_hand.post { owner = "octokit", repo = "rest", title = "Found a bug",
        body = "Not what I expected", assignee = "octocat", milestone = 1, state = "open" }
    end)),
  case("GET with defaults", { ["by hand"] = 0.8, octokit = 8 },
    ours(function() return api("GET /orgs/:org/repos", { type = "private" }) end),
    peer("baseline", function() return baseline.get_with_defaults { type = "private" } end),
    peer("by hand", function() return by_hand.get_with_defaults { type = "private" } end)),
  case("two headers", { octokit = 7 },
    ours(function()
      return endpoint("GET /orgs/:org/repos", { org = "octokit",
        headers = { Authorization = "token 0123456789", ["If-None-Match"] = '"644b5b0155e6404a9cc4bd9d8b1ae730"' } })
    end)),
  case("format", { octokit = 8 },
    ours(function() return endpoint("GET /orgs/:org/repos", { org = "octokit", mediaType = { format = "raw" } }) end)),
  case("previews", { octokit = 5 }, -- which octokit 11 applies to /graphql alone
    ours(function()
      return github("POST /graphql", { query = "{viewer{login}}", mediaType = { previews = { "luke-cage", "starfox" } } })
    end)),
  case("30 query parameters", { octokit = 8 },
    ours(function()
      return endpoint("GET /search", { a01 = "x", a02 = "x", a03 = "x", a04 = "x", a05 = "x", a06 = "x", a07 = "x",
        a08 = "x", a09 = "x", a10 = "x", a11 = "x", a12 = "x", a13 = "x", a14 = "x", a15 = "x", a16 = "x", a17 = "x",
        a18 = "x", a19 = "x", a20 = "x", a21 = "x", a22 = "x", a23 = "x", a24 = "x", a25 = "x", a26 = "x", a27 = "x",
        a28 = "x", a29 = "x", a30 = "x" })
    end)),
  case("level 4", { octokit = 8 },
    ours(function()
      return endpoint("GET {/path*}{?q,labels*}{&m*}", { path = { "repos", "octokit" }, q = "a b",
        labels = { "bug", "help wanted" }, m = { page = 1, sort = "created" } })
    end)),
  case("4 kB of prose", { octokit = 3.5 },
    ours(function() return endpoint("GET /search", { text = prose }) end)),
  case("merge", { octokit = 2 },
    ours(function() return merge("GET /orgs/:org/repos", { org = "octokit", type = "private" }) end)),
  case("parse", { octokit = 4.5 },
    ours(function() return parse(merged) end)),
  -- Both make a new string. So their difference is the cost of a new template.
  case("new URL", { octokit = 3 },
    ours(function() return endpoint(fresh_route()) end),
    peer("known URL", function()
      fresh_route()
      return endpoint "GET /users/1"
    end)),
  case("new defaults", { octokit = 1 },
    ours(function()
      return endpoint.defaults { baseUrl = "https://ghe.example/api/v3",
        headers = { authorization = "token 0123456789" }, org = "octokit", per_page = 100 }
    end)),
  case("expected error", {},
    ours(function() return pcall(endpoint, "GET /repos/{owner}/{repo}", { owner = "octokit" }) end)),
  case("variables", {},
    ours(function() return variables "GET /repos/{owner}/{repo}/issues{?state,labels,page}" end)),
}

-- How many times the call before it a client's function may take.
for _, target in ipairs { { "plain", 2 }, { "luasocket", 3 }, { "resty_http", 3 }, { "lua_https", 3 }, { "curl", 4 },
  { "argv", 5 } } do
  local name, most = target[1], target[2]
  local client = clients[name]
  local get = case("clients." .. name .. ", GET", {}, ours(function() return client(GET) end))
  local post = case("clients." .. name .. ", POST", {}, ours(function() return client(POST, options) end))
  get.call, post.call, get.most, post.most = "GET", "POST", most, most
  workloads[#workloads + 1], workloads[#workloads + 2] = get, post
end

return workloads
