-- SPDX-License-Identifier: MIT
-- Where requests lead to.
local destinations = {}

local clients = require "endpoint.clients"
local byte, find = string.byte, string.find

-- The bytes that end the authority of a URL (RFC 3986, section 3.2).
local ENDS = { [("/"):byte()] = true, [("?"):byte()] = true, [("#"):byte()] = true }

-- Does a URL begin with an origin? That is a scheme and an authority, as the pattern below finds.
local function has_origin(url, origin)
  local after = byte(url, #origin + 1)
  return (after == nil or ENDS[after]) and find(url, origin, 1, true) == 1
end

-- Where a URL leads to: scheme, host and port, those of the sender's last URL if its origin is the
-- same; nil for a bare path, a location of nginx to which a client of the program's own may send.
-- Such a client need not check the rest of the URL, so it is always read.
function destinations.of(sender, url)
  if type(url) ~= "string" then
    return nil
  elseif sender.origin and has_origin(url, sender.origin) then
    return sender.place
  elseif url:sub(1, 1) == "/" then
    return nil
  end
  sender.place = clients.plain { method = "GET", url = url }
  sender.origin = type(sender.settings.client) ~= "function" and url:match "^[^/]*//[^/?#]*" or nil
  return sender.place
end

return destinations
