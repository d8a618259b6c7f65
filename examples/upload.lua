-- SPDX-License-Identifier: MIT
-- Uploads a file to a release. The release names the address, which is a template
-- itself. An endpoint for UPLOADS keeps the token from any other origin. The file is read piece by
-- piece.
-- Needs LuaSocket, LuaSec and lua-cjson.
-- Usage: API=https://api.github.com TOKEN=... CA=FILE lua upload.lua OWNER/REPO TAG FILE
local clients, endpoint, request =
  require "endpoint.clients", require "endpoint", require "endpoint.request"

local repository, tag, path = arg[1], arg[2], assert(arg[3], "expected OWNER/REPO TAG FILE")
local api = endpoint.defaults {
  baseUrl = assert(os.getenv "API", "API is not set"),
  headers = {
    accept = "application/json",
    authorization = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set"),
  },
}
local settings = { cafile = os.getenv "CA", timeout = 600 }
local github = request.new(api, settings)
local uploads = request.new(
  api.defaults { baseUrl = os.getenv "UPLOADS" or "https://uploads.github.com" },
  settings
)

local owner, repo = repository:match "^([^/]+)/([^/]+)$"
local release =
  github("GET /repos/{owner}/{repo}/releases/tags/{tag}", { owner = owner, repo = repo, tag = tag })
local asset = uploads("POST " .. release.upload_url, {
  name = path:match "[^/]+$",
  label = "Built on " .. (os.getenv "HOST" or "my machine"),
  headers = { ["content-type"] = "application/octet-stream" },
  data = clients.file(path),
})
-- The name must not command the terminal: no control characters, also none of U+0080 to U+009F.
print(("%s\t%d"):format(clients.shown(asset.name), asset.size))
