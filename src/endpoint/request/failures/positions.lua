-- SPDX-License-Identifier: MIT
-- Gives errors the position of the line that called a public function.
local positions = {}

local callbacks = require "endpoint.request.failures.callbacks"
local clients = require "endpoint.clients"
local failures = require "endpoint.request.failures"

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo or function() end

-- What debug.getinfo calls this file, and the beginning that the names of all files of the library
-- share. ALL is nil if this part is one file; then that of the clients is another one.
local HERE = (getinfo(1, "S") or {}).source
local CLIENTS = (getinfo(clients.literal, "S") or {}).source
local ALL = HERE and HERE:match "^(.*endpoint[/\\])request[/\\]failures[/\\][^/\\]*$"

local function is_ours(source)
  return source == HERE or source == CLIENTS or ALL and source:sub(1, #ALL) == ALL
end

-- The position of the program's line, "file:7: "; "" if Lua does not know it. A function of the
-- program that ends in a call, as `return send(r)`, is not on the stack any more.
local function caller()
  for level = 3, math.huge do
    local frame = getinfo(level, "Sl")
    if not frame then
      return ""
    end
    if frame.currentline > 0 and not is_ours(frame.source) then
      return ("%s:%d: "):format(frame.short_src, frame.currentline)
    end
  end
end

-- How an error of endpoint begins that has no position. A program may be called endpoint_x.lua.
local OURS = "^endpoint[%a.]*: "

-- An error of endpoint without the position of a line of this library.
function positions.removed(problem)
  return not problem:find(OURS) and problem:match "^.-:%d+: (endpoint[%a.]*: .*)" or problem
end

-- Returns what pcall returned; raises an error of this library with the program's position.
local function results(ok, ...)
  if ok then
    return ...
  end
  local problem, is_thrown = ..., callbacks.is_thrown((...))
  if is_thrown then
    problem = problem[1]
  end
  if failures.is_failure(problem) then
    problem.position = problem.position or caller()
  elseif type(problem) == "string" then
    problem = is_thrown and problem or positions.removed(problem)
    if problem:find(OURS) then
      problem = caller() .. problem
    end
  end
  error(problem, 0)
end

-- A function as programs call it: as a member of the object with a dot or a colon.
function positions.public(object, f)
  return function(first, ...)
    if first == object then
      return results(pcall(f, ...))
    end
    return results(pcall(f, first, ...))
  end
end

return positions
