-- SPDX-License-Identifier: MIT
-- The setting other_origins: to which other servers a redirect may lead, and what of a call goes
-- there.
local origins = {}

local callbacks = require "endpoint.request.failures.callbacks"
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local text = require "endpoint.text"

-- --- a URL ------------------------------------------------------------------------

local DEFAULT_PORTS = { http = 80, https = 443 }

local function place_of(url)
  local place = clients.plain { method = "GET", url = url }
  return place.scheme, (text.lower(place.host):gsub("%.$", "")), place.port
end

-- Does an entry name the host at the port? Without a port it means that of the scheme.
local function names(entry, scheme, host, port)
  local name, only = text.lower(entry):match "^(.-):?(%d*)$"
  if entry:find ":%d+$" == nil then
    name, only = text.lower(entry), ""
  end
  name = name:gsub("%.$", "")
  if port ~= (tonumber(only) or DEFAULT_PORTS[scheme]) then
    return false
  end
  if name:sub(1, 2) == "*." then
    local below = name:sub(2)
    return #host > #below and host:sub(-#below) == below
  end
  return name == host
end

local function is_listed(list, url)
  local scheme, host, port = place_of(url)
  for _, entry in ipairs(list) do
    if names(entry, scheme, host, port) then
      return true
    end
  end
  return false
end

-- Why a call to `base` may not go on to a URL of another origin; nil if it may. Both are templates
-- without an expression.
function origins.reason_against(setting, url, base)
  local sent = endpoint.parse({ url = url, baseUrl = "" }).url
  if not setting then
    return "it has another origin, see the setting other_origins"
  elseif sent:find "^[^/]*//[^/?#]*@" then
    return "it has another origin, and a user"
  end
  local scheme, host = place_of(sent)
  local before, home = place_of(base)
  if scheme ~= "https" and not (before == "http" and host == home) then
    return "it has another origin, which is not https"
  end
  local may_follow
  if type(setting) == "function" then
    may_follow = callbacks.call(setting, sent)
  else
    may_follow = is_listed(setting, sent)
  end
  return not may_follow and "it has another origin, which the setting other_origins does not have"
    or nil
end

-- --- what goes there --------------------------------------------------------------

-- The headers of a call that another origin may see: none of them is a credential. A call that says
-- its encodings gets the body as it comes, from there too.
local SHOWN = { "accept", "accept-encoding", "user-agent", "range", "if-range" }

function origins.headers(headers)
  local shown = {}
  for _, name in ipairs(SHOWN) do
    shown[name] = headers[name]
  end
  return shown
end

-- The settings of a call without its certificate and its socket, which belong to its own origin.
function origins.settings(settings)
  local bare = {}
  for name, value in pairs(settings) do
    bare[name] = value
  end
  bare.certificate, bare.key, bare.socket_path = nil, nil, nil
  return bare
end

return origins
