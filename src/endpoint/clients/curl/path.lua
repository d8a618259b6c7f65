-- SPDX-License-Identifier: MIT
-- The path of a message for clients that libcurl is in.
local path = {}

local fail = require "endpoint.clients.misuse".fail
local text = require "endpoint.text"

-- libcurl removes dot segments (RFC 3986, section 5.2.4), and so requests another resource.
-- Not all bindings know the option that forbids this.
function path.refuse_dot_segments(m, client)
  if text.has_dot_segment(m.path) then
    fail("url: %s would take the segments . and .. out of the path", client)
  end
end

return path
