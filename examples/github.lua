-- Lists the issues of a repository, page after page as the `link` header says, and
-- creates one.
-- Usage: API=https://api.github.com TOKEN=... CA=FILE lua github.lua OWNER/REPO
local endpoint, clients = require "endpoint", require "endpoint.clients"
local https, ltn12, json = require "ssl.https", require "ltn12", require "cjson"

local token = assert(os.getenv "TOKEN", "TOKEN is not set")
local owner, repo = assert(arg[1], "expected OWNER/REPO"):match "^([^/]+)/([^/]+)$"
local api = endpoint.defaults {
  baseUrl = assert(os.getenv "API", "API is not set"),
  headers = { accept = "application/json", authorization = "Bearer " .. token },
}

local function send(route, options)
  local r, parts = api(route, options), {}
  local request = clients.luasocket(r, { sink = ltn12.sink.table(parts) })
  request.verify, request.cafile = "peer", os.getenv "CA"
  local _, status, headers = assert(https.request(request))
  assert(status < 300, "the API answers " .. status)
  return json.decode(table.concat(parts)), clients.links(headers.link, r.url)
end

local route = "GET /repos/{owner}/{repo}/issues" ---@type string|endpoint.Options|nil
local options = { owner = owner, repo = repo, per_page = 2, labels = { "bug", "ui" } }
while route do
  local page, links = send(route, options)
  for _, issue in ipairs(page) do
    -- Titles must not command the terminal: no control characters, also none of U+0080 to U+009F.
    print(("%d\t%s"):format(issue.number, issue.title:gsub("%c", "?"):gsub("\194[\128-\159]", "?")))
  end
  route, options = links.next, nil -- of another origin it raises: the token stays at API
end
local issue = { owner = owner, repo = repo, title = "Grüße", labels = { "bug" } }
print(("created\t%d"):format(send("POST /repos/{owner}/{repo}/issues", issue).number))
