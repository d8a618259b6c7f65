-- SPDX-License-Identifier: MIT
-- Which proxy a request takes: that of the setting `proxy`, or what the environment says, read in
-- one way for all clients.
local proxies = {}

local addresses = require "endpoint.request.proxies.addresses"
local clients = require "endpoint.clients"
local misuse = require "endpoint.request.failures".misuse
local protected = require "endpoint.protected"
local text = require "endpoint.text"

-- --- a proxy ----------------------------------------------------------------------

-- url: with its scheme and its port; name: the setting or variable that has it; host, port,
-- authorization: of an HTTP proxy alone.
local function read(url, name)
  local whole = url:find "^%a[%w+.-]*://" and url or "http://" .. url
  local ok, place = protected.call(clients.plain, { method = "GET", url = whole })
  if not ok and not whole:find "^%a[%w+.-]*://[^/?#]*/?$" then
    misuse("%s: expected the URL of an HTTP proxy", name)
  elseif not ok or place.scheme ~= "http" then
    return { url = whole, name = name }
  end
  local host = place.host:find ":" and "[" .. place.host .. "]" or place.host
  local userinfo = whole:match "//([^/?#]*@)" or ""
  return {
    url = ("http://%s%s:%d"):format(userinfo, host, place.port),
    name = name,
    host = place.host,
    port = place.port,
    authorization = place.headers.authorization,
  }
end

-- Raises for a proxy of another kind, which libcurl alone may know.
function proxies.check(proxy)
  if not proxy.host then
    misuse("%s: expected the URL of an HTTP proxy", proxy.name)
  end
  return proxy
end

-- What went wrong on the way to a proxy, as an error tells it.
function proxies.message(proxy, problem)
  local host = proxy.host:find ":" and "[" .. proxy.host .. "]" or proxy.host
  return ("the proxy %s:%d: %s"):format(host, proxy.port, problem)
end

-- --- the environment --------------------------------------------------------------

-- No HTTP_PROXY: under CGI a client's header `proxy` is in there (CVE-2016-5385).
local VARIABLES = {
  http = { "http_proxy", "all_proxy", "ALL_PROXY" },
  https = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" },
  exceptions = { "no_proxy", "NO_PROXY" },
}

-- The text of the first of these variables that is set and not empty, and its name.
local function variable(names)
  for _, name in ipairs(names) do
    local value = os.getenv(name)
    if value and value:find "%S" then
      return value:match "^%s*(.-)%s*$", name
    end
  end
end

-- Is a host that of an entry, or below it? The entry has a leading dot, "*." or none.
local function is_below(host, domain)
  domain = domain:gsub("^%*?%.", ""):gsub("%.$", "")
  return domain ~= "" and (host == domain or host:sub(-#domain - 1) == "." .. domain)
end

-- Does an entry of no_proxy name the host? It is a domain or an address, perhaps with a port, a
-- range of addresses, or "*".
local function names_host(entry, host, port)
  if entry == "*" then
    return true
  end
  local address, bits = entry:match "^(.+)/(%d+)$"
  if address then
    return addresses.is_in_range(host, address, tonumber(bits))
  end
  local name, only = entry:match "^%[(.-)%]:?(%d*)$"
  if not name then
    name, only = entry:match "^([^:]*):(%d+)$"
  end
  if (only or "") ~= "" and tonumber(only) ~= port then
    return false
  end
  name = name or entry
  return addresses.are_equal(host, name) or not addresses.read(host) and is_below(host, name)
end

-- What no_proxy says, or nil.
function proxies.exceptions()
  return (variable(VARIABLES.exceptions))
end

-- Does a text such as no_proxy, or nil, name the host? host: without brackets.
function proxies.is_listed(list, host, port)
  if not list then
    return false
  end
  host = text.lower(host):gsub("%.$", "")
  for entry in list:gmatch "[^%s,]+" do
    if names_host(text.lower(entry), host, port) then
      return true
    end
  end
  return false
end

-- --- a sender's -------------------------------------------------------------------

local Proxies = {}
Proxies.__index = Proxies

-- by_scheme: the proxies of this sender, or nil; exceptions: what no_proxy says, or nil; urls: a
-- list of theirs, which may have passwords.
function proxies.new(setting)
  local is_environment = setting == "environment"
  local by_scheme, urls = {}, {}
  for _, scheme in ipairs { "http", "https" } do
    local url, name = setting, "proxy"
    if is_environment then
      url, name = variable(VARIABLES[scheme])
    end
    by_scheme[scheme] = url and read(url, name)
    urls[#urls + 1] = url and by_scheme[scheme].url
  end
  return setmetatable({
    by_scheme = by_scheme,
    exceptions = is_environment and proxies.exceptions() or nil,
    urls = urls,
  }, Proxies)
end

-- The proxy for a request; nil if it goes to the server itself.
function Proxies:of(scheme, host, port)
  local proxy = self.by_scheme[scheme]
  return proxy and not proxies.is_listed(self.exceptions, host, port) and proxy or nil
end

-- Who answers with a status: over https and without a proxy it is the server, since the proxy's own
-- responses end the tunnel. RFC 9110, section 15.5.8: 407 is always the proxy's.
function Proxies:speaker(url, status)
  local place = #self.urls > 0
    and url:sub(1, 1) ~= "/"
    and clients.plain { method = "GET", url = url }
  if not place or place.scheme ~= "http" or not self:of("http", place.host, place.port) then
    return "the server"
  end
  return status == 407 and "the proxy" or "the server or the proxy"
end

return proxies
