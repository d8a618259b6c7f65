-- Calls of GitHub's module, right and wrong ones. lua-language-server must find what stands
-- behind "--!", and nothing else. spec/types/editor.lua runs it.
local endpoint = require "endpoint"
local github = require "github"
local request = require "endpoint.request"

local api = github.defaults { headers = { authorization = os.getenv "TOKEN" } }
local strict = api:defaults { baseUrl = "https://ghe.example/api/v3" }

-- Right ones.
print(
  api "GET /user",
  api("GET /user"),
  strict("GET /user/repos", { visibility = "all", per_page = 5 }).url
)
print(
  api(
    "GET /orgs/{org}/repos",
    { org = "lua", type = "public", headers = { accept = endpoint.null } }
  ).headers.accept
)
print(api("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
  owner = "a",
  repo = "b",
  issue_number = 1,
  state = "closed",
  milestone = endpoint.null,
  labels = { "bug" },
}).body)
print(
  api(
    "DELETE /repos/{owner}/{repo}/actions/caches{?key,ref}",
    { owner = "a", repo = "b", key = "k" }
  ).url
)
print(api { url = os.getenv "NEXT" }, pcall(api, "GET /user"), api.null, github.DEFAULTS.baseUrl)
print(api.merge("GET /orgs/{org}/repos", { org = "x" }).url, api.variables("GET /{x}")[1].name)

---@param any endpoint.Endpoint
local function takes_an_endpoint(any)
  return any("GET /x").url
end
print(takes_an_endpoint(api))

---@param options? github.users_get_authenticated
local function with_some_options(options)
  return api("GET /user", options)
end
print(with_some_options)

print(
  api("POST /repos/{owner}/{repo}/issues", { owner = "a", repo = "b", data = { title = "x" } }).body
)
print(
  api(
    "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
    { owner = "a", repo = "b", pull_number = 1, comments = { { path = "x", body = "y" } } }
  ).body
)

---@param r endpoint.Request
local function takes_a_request(r)
  return r.url
end
---@param link string
local function follow(link)
  return takes_a_request(api(link))
end
print(
  follow "https://api.github.com/user",
  takes_a_request(api "GET /user"),
  takes_a_request(api { url = "/user" })
)

---@param issue github.issues_create.response
local function show(issue)
  print(issue.title, issue.user.login, issue.labels[1])
  print(issue.titel) --! undefined-field
end
print(show)

-- Wrong ones, beside those of editor.lua.
print(api("POST /gists", { data = { files = { a = { content = "x" } }, publc = true } })) --! assign-type-mismatch
print(strict("GET /orgs/{org}/rpos", { org = "lua" })) --! param-type-mismatch

-- The sender.
local send = request.new(github) --[[@as github.Send]]
local issue, response = send(
  "GET /repos/{owner}/{repo}/issues/{issue_number}",
  { owner = "a", repo = "b", issue_number = 1 }
)
print(issue.title, response.status, send { url = os.getenv "NEXT" }, send.ask "GET /user")
print(issue.title, response.stats) --! undefined-field
for one in send.each("GET /repos/{owner}/{repo}/issues", { owner = "a", repo = "b", labels = "x" }) do
  print(one.user.login)
  print(one.titel) --! undefined-field
end
for one in
  send.each("GET /search/issues", { q = "x" }, {
    page = function(body)
      return body.items
    end,
  })
do
  print(one.x)
end
print(send.each("GET /search/issues", { q = "x", srt = "comments" })) --! assign-type-mismatch
print(send.ask("GET /repos/{owner}/{repo}/issues", { owner = "a", repo = "b" })[1].titel) --! undefined-field
print(send(github "GET /user")) --! param-type-mismatch
print(send.defaults) --! undefined-field
