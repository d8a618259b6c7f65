-- SPDX-License-Identifier: MIT
-- Shows the request that a route and parameters become, and prints the command that sends it.
-- SECRETS=1 shows the token in the command. What is shown goes to the standard error, so that the
-- command alone can be piped into a shell.
-- Needs lua-cjson.
-- Usage: API=https://api.github.com TOKEN=... lua tool.lua ROUTE [PARAMETERS AS JSON]
local endpoint = require "endpoint"
local clients = require "endpoint.clients"

local token = os.getenv "TOKEN"
local api = endpoint.defaults {
  baseUrl = os.getenv "API",
  headers = { accept = "application/json", authorization = token and "Bearer " .. token },
}

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

-- A body as Lua writes it; what cjson has decoded is no deeper than it allows.
local function shown(value)
  if type(value) == "string" then
    return ("%q"):format(value)
  elseif value == endpoint.null then
    return "endpoint.null"
  elseif type(value) == "number" then
    return ("%.14g"):format(value) -- 2, not 2.0
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local fields = {}
  for i, element in ipairs(value) do
    fields[i] = shown(element)
  end
  for _, key in ipairs(#value == 0 and sorted_keys(value) or {}) do
    local name = key:find "^[%a_][%w_]*$" and key or ("[%q]"):format(key)
    fields[#fields + 1] = name .. " = " .. shown(value[key])
  end
  return fields[1] and "{ " .. table.concat(fields, ", ") .. " }" or "{}"
end

local function show(r)
  local lines = {
    "method   " .. r.method,
    "url      " .. r.url,
    "headers  " .. table.concat(sorted_keys(r.headers), ", "),
  }
  if r.body ~= nil then
    lines[#lines + 1] = "body     " .. shown(r.body)
  end
  io.stderr:write(table.concat(lines, "\n"), "\n\n")
end

local ok, r = pcall(function()
  return api(arg[1], require "cjson".decode(arg[2] or "{}"))
end)
if not ok then
  io.stderr:write(tostring(r), "\n")
  os.exit(1)
end
show(r)
print(clients.curl_command(r, { secrets = os.getenv "SECRETS" == "1" }))
