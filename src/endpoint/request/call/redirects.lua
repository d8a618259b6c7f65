-- SPDX-License-Identifier: MIT
-- Redirects: where a response leads to, and whether a call may follow.
local redirects = {}

local display = require "endpoint.request.failures.display"
local origins = require "endpoint.request.call.origins"
local references = require "endpoint.request.response.references"

local MOVED = { [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

-- Why a call may not follow to a URL; nil if it may.
local function reason_against(call, url)
  local most = call.settings.redirects
  if call.method ~= "GET" and call.method ~= "HEAD" then
    return "the method is " .. call.method
  end
  if not references.is_same_origin(url, call.request.url) then
    local reason = origins.reason_against(call.settings.other_origins, url, call.request.url)
    if reason then
      return reason
    end
  end
  if most == 0 then
    return "the setting redirects is 0"
  elseif call.redirects_followed >= most then
    return ("the limit redirects = %d is reached"):format(most)
  end
end

-- Where a response leads to, a URL as a template, and nil; or nil, and why it is not followed, in
-- words for an error. Both are nil if it is not a redirect.
function redirects.target(call, response)
  if not MOVED[response.status] then
    return nil
  end
  -- Several fields are one text here. A comma and a space after it are in no URL.
  local location = response.headers.location
  if location and location:find ",[ \t]" then
    return nil, "moved, but the response has more than one location"
  end
  local url = references.resolved(location, call.request.url)
  if not url then
    return nil, "moved, but the location is not a valid URL"
  end
  if not url:find("#", 1, true) then -- RFC 9110, section 10.2.2
    url = url .. (call.request.url:match "#.*$" or "")
  end
  local why = reason_against(call, url)
  if why then
    return nil, ("moved to %s (not followed: %s)"):format(call:masked(display.bare(url)), why)
  end
  return references.with_user(url, call.request.url)
end

return redirects
