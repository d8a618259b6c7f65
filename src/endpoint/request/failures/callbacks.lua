-- SPDX-License-Identifier: MIT
-- Calls the functions that a program gives: hooks, sinks, clients. What they raise reaches the
-- program as it is.
--
-- Under Lua 5.1 a function cannot yield below pcall, and `wait` may have to. So pcall is the
-- global one at the time of the call: a program may have set coxpcall's.
local callbacks = {}

-- Holds what a function of the program raised, until it leaves this library.
local Thrown = {}
function Thrown.__tostring(thrown)
  return tostring(thrown[1])
end

function callbacks.is_thrown(problem)
  return getmetatable(problem) == Thrown
end

-- Raises what a function of the program raised.
function callbacks.throw(problem)
  error(callbacks.is_thrown(problem) and problem or setmetatable({ problem }, Thrown))
end

-- Returns what pcall returned of a function of the program, or raises it.
function callbacks.results(ok, ...)
  if not ok then
    callbacks.throw((...))
  end
  return ...
end

function callbacks.call(f, ...)
  return callbacks.results(pcall(f, ...))
end

return callbacks
