-- The named cases: each a name and its peers in order, ours first. Every call
-- builds its own table of options, as callers do.
local endpoint = require "endpoint"
local baseline = require "baseline"
local read = baseline.read
local by_hand = dofile "bench/by_hand.lua"

local api = endpoint.defaults {
  baseUrl = "https://ghe.example/api/v3", headers = { authorization = "token 0123456789" },
  org = "octokit", per_page = 100,
}
local merged = endpoint.merge("GET /orgs/:org/repos", { org = "octokit", type = "private" })

local unique = 0
local function fresh_route()
  unique = unique + 1
  return "GET /orgs/:org/repos/" .. unique
end

local function case(name, ...)
  return { name = name, peers = { ... } }
end

local function peer(name, call)
  return { name = name, call = call }
end

return {
  case("GET",
    peer("endpoint", function() return endpoint("GET /orgs/:org/repos", { org = "octokit", type = "private" }) end),
    peer("baseline", function() return baseline.get { org = "octokit", type = "private" } end),
    peer("reading", function() return read("GET /orgs/:org/repos", { org = "octokit", type = "private" }) end),
    peer("by hand", function() return by_hand.get { org = "octokit", type = "private" } end)),
  case("POST",
    peer("endpoint", function()
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
  case("GET with defaults",
    peer("endpoint", function() return api("GET /orgs/:org/repos", { type = "private" }) end),
    peer("baseline", function() return baseline.get_with_defaults { type = "private" } end),
    peer("by hand", function() return by_hand.get_with_defaults { type = "private" } end)),
  case("merge",
    peer("endpoint", function() return endpoint.merge("GET /orgs/:org/repos", { org = "octokit", type = "private" }) end)),
  case("parse",
    peer("endpoint", function() return endpoint.parse(merged) end)),
  -- Both make a new string, so that the difference is what a new template costs.
  case("new URL",
    peer("endpoint", function() return endpoint(fresh_route(), { org = "octokit", type = "private" }) end),
    peer("known URL", function()
      fresh_route()
      return endpoint("GET /orgs/:org/repos/1", { org = "octokit", type = "private" })
    end)),
}
