-- What a careful user writes instead of using the module: one function for each route, with
-- concatenation, gsub for escaping and literal tables. A path value that is missing is an
-- error, a query parameter is optional.
local by_hand = {}

local USER_AGENT = "service-endpoint.js/" .. require("endpoint")._VERSION

local function hex(byte) return ("%%%02X"):format(byte:byte()) end

local function escape(value)
  return (tostring(value):gsub("[^%w%-._~]", hex))
end

local function segment(options, name)
  local value = options[name]
  if value == nil or value == "" then error("missing parameter: " .. name, 3) end
  return escape(value)
end

function by_hand.get(options)
  local url = "https://api.service.example/orgs/" .. segment(options, "org") .. "/repos"
  if options.type ~= nil then url = url .. "?type=" .. escape(options.type) end
  return {
    method = "get",
    url = url,
    headers = { accept = "application/vnd.service.v3+json", ["user-agent"] = USER_AGENT },
  }
end

function by_hand.post(options)
  return {
    method = "post",
    url = "https://api.service.example/repos/" .. segment(options, "owner") .. "/" .. segment(options, "repo") .. "/issues",
    headers = {
      accept = "application/vnd.service.v3+json", ["user-agent"] = USER_AGENT,
      ["content-type"] = "application/json; charset=utf-8",
    },
    body = {
      title = options.title, body = options.body, assignee = options.assignee, milestone = options.milestone,
      state = options.state,
    },
  }
end

local ORG, PER_PAGE = "octokit", 100

function by_hand.get_with_defaults(options)
  local org, per_page = options.org, options.per_page
  if org == nil then org = ORG end
  if per_page == nil then per_page = PER_PAGE end
  local url = "https://ghe.example/api/v3/orgs/" .. escape(org) .. "/repos?per_page=" .. escape(per_page)
  if options.type ~= nil then url = url .. "&type=" .. escape(options.type) end
  return {
    method = "get",
    url = url,
    headers = {
      accept = "application/vnd.service.v3+json", ["user-agent"] = USER_AGENT, authorization = "token 0123456789",
    },
  }
end

return by_hand
