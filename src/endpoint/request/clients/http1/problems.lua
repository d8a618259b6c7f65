-- SPDX-License-Identifier: MIT
-- What ends a try over HTTP/1.1 and is raised on the way: { reason, message, whether no other try
-- can help }. The reason is a word of ../../failures.lua.
local problems = {}

local Problem = {}

function problems.stop(...)
  error(setmetatable({ ... }, Problem), 0)
end

function problems.is_problem(raised)
  return getmetatable(raised) == Problem
end

return problems
