-- SPDX-License-Identifier: MIT
-- URLs that a server wrote: where they lead to, and whether that is the same server.
local references = {}

local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local protected = require "endpoint.protected"
local urls = require "endpoint.clients.references"
local text = require "endpoint.text"

-- The URL of a reference that the server at `base` wrote, as a template; nil if it cannot be sent.
function references.resolved(url, base)
  if type(url) ~= "string" or base:sub(1, 1) == "/" then
    return nil
  end
  url = urls.as_browsers_read(url)
  if urls.has_bare_scheme(url) then
    return nil
  end
  url = urls.resolved(url, urls.base(base))
  local is_valid = protected.call(function()
    clients.plain(endpoint.parse { url = url, baseUrl = "" })
  end)
  return is_valid and url or nil
end

-- Scheme, host and port of a URL, nil for a path of this server; and its userinfo, or nil.
local function origin_of(url)
  if url:sub(1, 1) == "/" then
    return nil
  end
  local place = clients.plain { method = "GET", url = url }
  return text.lower(place.scheme .. " " .. place.host .. " " .. place.port),
    url:match "^[^/]*//([^/?#]*)@"
end

-- Do two URLs lead to the same server, as the same user?
function references.is_same_origin(url, base)
  local origin, userinfo = origin_of(url)
  local home, home_userinfo = origin_of(base)
  return origin == home and (userinfo == nil or userinfo == home_userinfo)
end

-- A URL with the user of the base, where it leads to the same server and names none.
function references.with_user(url, base)
  local user = base:match "^[^/]*//([^/?#]*@)"
  local scheme, rest = url:match "^([^/]*//)(.*)$"
  if not user or rest:find "^[^/?#]*@" or not references.is_same_origin(url, base) then
    return url
  end
  return scheme .. user .. rest
end

return references
