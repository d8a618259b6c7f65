-- SPDX-License-Identifier: MIT
-- What ends a try over HTTP/1.1 and is raised on the way: { message, whether no other try can
-- help, whether a stream of the program says it }.
local problems = {}

local Problem = {}

function problems.stop(...)
  error(setmetatable({ ... }, Problem), 0)
end

function problems.is_problem(raised)
  return getmetatable(raised) == Problem
end

return problems
