-- SPDX-License-Identifier: MIT
-- Calls what may raise, where the error is an answer: that a text is not JSON, or that a module is
-- not there. Lack of memory is no answer, and leaves as it is.
--
-- Under Lua 5.1 a function cannot yield below pcall. So pcall is the global one at the time of the
-- call: a program may have set coxpcall's.
local protected = {}

-- What every Lua raises where an allocation fails.
local NO_MEMORY = "not enough memory"

-- Raises an error that is lack of memory.
function protected.check(problem)
  if problem == NO_MEMORY then
    error(NO_MEMORY, 0)
  end
end

local function results(ok, ...)
  if not ok then
    protected.check((...))
  end
  return ok, ...
end

-- The same as pcall, but for lack of memory.
function protected.call(f, ...)
  return results(pcall(f, ...))
end

return protected
