-- SPDX-License-Identifier: MIT
-- The route of an operation: its method, its own server if it has one (OpenAPI 3.1, "Server
-- Object"), and its template.
local route = {}

local endpoint = require "endpoint"
local left_out = require "endpoint.types.signature.left_out"
local path = require "endpoint.types.signature.path"
local protected = require "endpoint.protected"

-- base: the document's server, a URL or a path.
local function server_of(operation, base)
  local server = operation.server
  if not server then
    return ""
  end
  if not server:find "^%a" and base ~= "/" then
    left_out.raise "its server has no host"
  end
  if server:find "[?#]" then
    left_out.raise "its server has a query"
  end
  if server:find "[{}]" then
    left_out.raise "its server has a variable without a default"
  end
  return path.without_colons(server, #server)
end

-- Does the module take the URL? Each variable gets a string.
local function check(url, base)
  local options = { url = url, baseUrl = base }
  local is_read, variables = protected.call(endpoint.variables, url)
  for _, variable in ipairs(is_read and variables or {}) do
    options[variable.name] = "x"
  end
  local is_taken, problem = protected.call(endpoint.parse, options)
  if not is_taken then
    left_out.raise("%s", (problem:gsub("^endpoint: ", "")))
  end
end

-- The route with a template, which the module must take.
function route.checked(operation, base, template)
  local url = server_of(operation, base) .. template
  check(url, base)
  return operation.method .. " " .. url
end

-- The same with a template that is a part of one that was checked.
function route.of(operation, base, template)
  return operation.method .. " " .. server_of(operation, base) .. template
end

return route
