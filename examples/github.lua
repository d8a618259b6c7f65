-- SPDX-License-Identifier: MIT
-- Lists the issues of a repository, page after page as the `link` header says, and
-- creates one.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: API=https://api.github.com TOKEN=... CA=FILE lua github.lua OWNER/REPO
local endpoint, request = require "endpoint", require "endpoint.request"
local shown = require "endpoint.clients".shown -- a server's text, for a terminal

local token = assert(os.getenv "TOKEN", "TOKEN is not set")
local owner, repo = assert(arg[1], "expected OWNER/REPO"):match "^([^/]+)/([^/]+)$"
local api = endpoint.defaults {
  baseUrl = assert(os.getenv "API", "API is not set"),
  headers = { accept = "application/json", authorization = "Bearer " .. token },
}
local github = request.new(api, { cafile = os.getenv "CA" })

local options = { owner = owner, repo = repo, per_page = 2, labels = { "bug", "ui" } }
for issue in github.each("GET /repos/{owner}/{repo}/issues", options) do
  print(("%d\t%s"):format(issue.number, shown(issue.title)))
end
local issue = { owner = owner, repo = repo, title = "Grüße", labels = { "bug" } }
print(("created\t%d"):format(github("POST /repos/{owner}/{repo}/issues", issue).number))
