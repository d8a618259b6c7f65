-- SPDX-License-Identifier: MIT
-- Tables of a file of rules, which has them as text: each is read when it is needed first.
local NULL = require "endpoint".null

local load_text = loadstring or load

if not load_text then
  error("endpoint.checks: this Lua has no `load`, and rules are text that it reads", 0)
end

-- The table of a constructor. The text is that of endpoint-types, in which `N` is null.
return function(text)
  local read, problem = load_text("local N = ... return " .. text, "=rules")
  if not read then
    error(problem, 0) -- lack of memory leaves as it is
  end
  return read(NULL)
end
