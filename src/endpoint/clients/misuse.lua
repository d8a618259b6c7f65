-- SPDX-License-Identifier: MIT
-- What endpoint.clients raises for a mistake in the program: a string that begins with its name.
local misuse = {}

local text = require "endpoint.text"

-- The functions that users call, as a set.
local is_public = {}

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo or function() end

-- Makes the functions of a table public: an error has the position of the line that called one of
-- them. It must be on Lua's stack until the error is raised, so no public function ends in a call
-- that may raise, as `return f()`.
function misuse.publish(functions)
  for _, f in pairs(functions) do
    is_public[f] = true
  end
end

-- Raises a string with the position of the line that called a public function, where Lua knows one.
local function raise(problem)
  local level, frame = 2, getinfo(2, "f")
  while frame and not is_public[frame.func] do
    level, frame = level + 1, getinfo(level + 1, "f")
  end
  error("endpoint.clients: " .. problem, frame and level + 1 or 0)
end

function misuse.fail(problem, ...)
  raise(problem:format(...))
end

-- Raises what a function of `endpoint` raised as an error of ours. Another error, such as that of
-- failing memory, stays as it is.
function misuse.raise(problem)
  local message = type(problem) == "string" and problem:match "^endpoint: (.*)$"
  if message then
    raise(message)
  end
  error(problem, 0)
end

function misuse.check_type(what, value, expected)
  if type(value) ~= expected then
    misuse.fail("%s: expected a %s, got a %s", what, expected, type(value))
  end
end

-- The most bytes of a name that an error shows.
local LONGEST_NAME = 40

-- A name as errors quote it.
function misuse.quoted(name)
  return text.shown(name, LONGEST_NAME, "quoted")
end

return misuse
