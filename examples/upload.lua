-- Uploads a file to a release. The release names the address, which is a template
-- itself. An endpoint for UPLOADS keeps the token from any other origin.
-- Usage: API=https://api.github.com TOKEN=... CA=FILE lua upload.lua OWNER/REPO TAG FILE
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local json, https, ltn12 = require "cjson", require "ssl.https", require "ltn12"

local repository, tag, path = arg[1], arg[2], assert(arg[3], "expected OWNER/REPO TAG FILE")
local api = endpoint.defaults {
  baseUrl = assert(os.getenv "API", "API is not set"),
  headers = { accept = "application/json", authorization = "Bearer " .. assert(os.getenv "TOKEN", "TOKEN is not set") },
}
local uploads = api.defaults { baseUrl = os.getenv "UPLOADS" or "https://uploads.github.com" }

local function send(r)
  local parts = {}
  local request = clients.luasocket(r, { sink = ltn12.sink.table(parts) })
  request.verify, request.cafile = "peer", os.getenv "CA"
  local _, status = assert(https.request(request))
  assert(status < 300, clients.curl_command(r):sub(1, 1000) .. "\nanswers " .. status)
  return json.decode(table.concat(parts))
end

local owner, repo = repository:match "^([^/]+)/([^/]+)$"
local release = send(api("GET /repos/{owner}/{repo}/releases/tags/{tag}", { owner = owner, repo = repo, tag = tag }))
local file = assert(io.open(path, "rb"))
local asset = send(uploads("POST " .. release.upload_url, {
  name = path:match "[^/]+$",
  label = "Built on " .. (os.getenv "HOST" or "my machine"),
  headers = { ["content-type"] = "application/octet-stream" },
  data = file:read "*a",
}))
-- The name must not command the terminal: no control characters, also none of U+0080 to U+009F.
print(("%s\t%d"):format(asset.name:gsub("%c", "?"):gsub("\194[\128-\159]", "?"), asset.size))
