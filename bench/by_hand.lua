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

-- --- a result as the arguments of a client

local PORTS = { http = 80, https = 443 }

local function copied(headers)
  local copy = {}
  for name, value in pairs(headers) do copy[name] = tostring(value) end
  return copy
end

local function fields(headers)
  local list = {}
  for name, value in pairs(headers) do list[#list + 1] = { name, tostring(value) } end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

local function body_of(r, encode)
  if r.body == nil or type(r.body) == "string" then return r.body end
  return encode(r.body)
end

-- scheme, host, port, path, query
local function split(url)
  local scheme, host, port, path, query = url:match "^(https?)://([^:/]+):?(%d*)([^?]*)%??(.*)$"
  return scheme, host, tonumber(port) or PORTS[scheme], path, query ~= "" and query or nil
end

function by_hand.plain(r, encode)
  local scheme, host, port, path, query = split(r.url)
  return { method = r.method:upper(), url = r.url, scheme = scheme, host = host, port = port, path = path, query = query,
    headers = copied(r.headers), fields = fields(r.headers), body = body_of(r, encode) }
end

function by_hand.luasocket(r, encode)
  local headers, body, source = copied(r.headers), body_of(r, encode), nil
  if body then
    local rest = body
    headers["content-length"] = tostring(#body)
    function source()
      local piece = rest
      rest = nil
      return piece
    end
  end
  return { url = r.url, method = r.method:upper(), headers = headers, source = source, redirect = false }
end

function by_hand.resty_http(r, encode)
  local origin, path, query = r.url:match "^(https?://[^/]+)([^?]*)(.*)$"
  return origin, { method = r.method:upper(), path = path, query = query ~= "" and query or nil,
    headers = copied(r.headers), body = body_of(r, encode) }
end

function by_hand.lua_https(r, encode)
  return r.url, { method = r.method:upper(), headers = copied(r.headers), data = body_of(r, encode) }
end

local function lines(headers)
  local list = fields(headers)
  for i, field in ipairs(list) do list[i] = field[1] .. ": " .. field[2] end
  return list
end

function by_hand.curl(r, encode)
  return { url = r.url, customrequest = r.method:upper(), httpheader = lines(r.headers), postfields = body_of(r, encode),
    path_as_is = true }
end

local function quoted(text) return '"' .. text:gsub('[\\"]', "\\%0") .. '"\n' end

function by_hand.argv(r, encode)
  local input = { "url = " .. quoted(r.url) }
  if r.method ~= "get" then input[2] = "request = " .. quoted(r.method:upper()) end
  for _, line in ipairs(lines(r.headers)) do input[#input + 1] = "header = " .. quoted(line) end
  local body = body_of(r, encode)
  if body then input[#input + 1] = 'data-binary = "@-"\n' .. body end
  return { "curl", "-q", "--globoff", "--path-as-is", "--config", "-" }, table.concat(input)
end

return by_hand
