-- SPDX-License-Identifier: MIT
-- Where requests lead to.
local destinations = {}

local clients = require "endpoint.clients"

-- Where a URL leads to: scheme, host and port, those of the sender's last URL if its origin is the
-- same; nil for a bare path, a location of nginx to which a client of the program's own may send.
-- Such a client need not check the rest of the URL, so it is always read.
function destinations.of(sender, url)
  if type(url) ~= "string" or url:sub(1, 1) == "/" then
    return nil
  end
  local origin = type(sender.settings.client) ~= "function" and url:match "^[^/]*//[^/?#]*"
  if not origin or origin ~= sender.origin then
    sender.place, sender.origin = clients.plain { method = "GET", url = url }, origin
  end
  return sender.place
end

return destinations
