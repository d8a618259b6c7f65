-- SPDX-License-Identifier: MIT
-- Calls an encoder of bodies: lua-cjson's, or the caller's own.
local encoder = {}

local fail = require "endpoint.clients.misuse".fail

-- The string that an encoder writes. pcall calls it directly, so that an error of level 2 gets no
-- position of this file.
function encoder.call(encode, value)
  local is_encoded, result, problem = pcall(encode, value)
  if not is_encoded then
    fail("body: could not be encoded: %s", tostring(result))
  end
  if type(result) ~= "string" then
    local reason = type(problem) == "string" and ": " .. problem or ""
    fail("body: expected a string from options.encode, got a %s%s", type(result), reason)
  end
  return result
end

return encoder
