-- SPDX-License-Identifier: MIT
-- What the command :Issues does (plugin/issues.lua).

-- Neovim finds endpoint.so in this folder, but not the second module in it, endpoint.result.
package.cpath = debug.getinfo(1, "S").source:match "^@(.*[/\\])" .. "?.so;" .. package.cpath

local endpoint, clients = require "endpoint", require "endpoint.clients"
local issues = {}

-- TOKEN is only needed for what is not public. API is another server, such as GitHub Enterprise.
local token = os.getenv "TOKEN"
local github = endpoint.defaults {
  baseUrl = os.getenv "API" or "https://api.github.com",
  headers = {
    accept = "application/vnd.github+json",
    ["user-agent"] = "issues.nvim",
    authorization = token and "Bearer " .. token,
  },
}

-- The status and the body. curl reads the request from its standard input: no list of processes
-- shows the token.
local function send(r)
  local words, input = clients.argv(r, { encode = vim.json.encode })
  vim.list_extend(words, { "--silent", "--show-error", "--write-out", "\n%{http_code}" })
  local printed = vim.fn.system(words, input)
  local body, status = printed:match "^(.*)\n(%d+)%s*$"
  if status == "000" or not status then
    error(vim.trim(body or printed), 0)
  end -- what curl says
  return tonumber(status), body
end

function issues.list(repository)
  local owner, repo = repository:match "^([^/]+)/([^/]+)$"
  local status, body =
    send(github("GET /repos/{owner}/{repo}/issues", { owner = owner, repo = repo, per_page = 20 }))
  if status ~= 200 then
    error(("%s: status %d"):format(repository, status), 0)
  end
  local items = {}
  for _, issue in ipairs(vim.json.decode(body)) do
    items[#items + 1] = { text = ("#%d %s"):format(issue.number, clients.shown(issue.title)) }
  end
  vim.fn.setqflist({}, " ", { title = "Issues of " .. repository, items = items })
end

return issues
