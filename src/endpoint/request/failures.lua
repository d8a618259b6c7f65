-- SPDX-License-Identifier: MIT
-- What errors and logs may show, and what is raised: a text for a mistake in the program, and a table, a failure, for
-- what went wrong outside of it. Both get the position of the line that called a public function.
--
-- Under Lua 5.1 nothing that pcall has called can yield, as `wait` may have to: pcall is the global one here, for
-- which a program may have set coxpcall's.
local failures = {}

local text = require "endpoint.text"

-- A sandbox may lack it.
local getinfo = debug and debug.getinfo or function() end

-- --- what may be shown ------------------------------------------------------------

-- The most bytes of a text that an error shows.
local LONGEST_SHOWN = 200

-- What a server, a client or a program said, for an error.
function failures.shown(said)
  return text.shown(said, LONGEST_SHOWN, "escaped")
end

-- A URL or a template without what may be secret: query and credentials.
function failures.bare(url)
  return (url:gsub("{?[?#].*", ""):gsub("//[^/]*@", "//***@"))
end

function failures.label(url)
  return failures.shown(failures.bare(url))
end

-- --- what is raised ---------------------------------------------------------------

local Failure = {}
function Failure.__tostring(failure)
  return (failure.position or "") .. failure.message
end
function Failure.__concat(a, b)
  return tostring(a) .. tostring(b)
end

-- An error of the user's own function, which comes through as it is.
local Thrown = {}
function Thrown.__tostring(thrown)
  return tostring(thrown[1])
end

-- Raises a text: a mistake in the program.
function failures.fail(problem, ...)
  error("endpoint.request: " .. problem:format(...), 0)
end

-- Raises a table: what went wrong outside the program.
function failures.raise(call, problem, response)
  if response then
    response.url = nil
  end -- its query is the request's
  error(
    setmetatable(
      {
        message = ("%s %s: %s"):format(call.method, call.template, problem),
        method = call.method,
        template = call.template,
        status = response and response.status,
        response = response,
      },
      Failure
    )
  )
end

function failures.need(name, remedy)
  local found, module = pcall(require, name)
  return found and module
    or failures.fail(
      "expected the module %s (%s): %s",
      name,
      remedy,
      tostring(module):match "[^\n]*"
    )
end

-- Raises an error of the user's function.
function failures.throw(problem)
  error(getmetatable(problem) == Thrown and problem or setmetatable({ problem }, Thrown))
end

local function passed(ok, ...)
  if ok then
    return ...
  end
  failures.throw((...))
end

-- Calls a function of the user's.
function failures.call(f, ...)
  return passed(pcall(f, ...))
end

-- The position of the line that called a public function, "file:7: "; "" if Lua knows none.
local function caller()
  for level = 3, math.huge do
    local frame = getinfo(level, "Sl")
    if not frame then
      return ""
    end
    if frame.currentline > 0 then
      return ("%s:%d: "):format(frame.short_src, frame.currentline)
    end
  end
end

-- An error of endpoint without the position of a line of this module.
function failures.without_position(problem)
  return not problem:find "^endpoint" and problem:match "^.-:%d+: (endpoint[%a.]*: .*)" or problem
end

-- What a pcall returned; an error of ours gets the position of the user's line.
local function placed(ok, ...)
  if ok then
    return ...
  end
  local problem, is_thrown = ..., getmetatable((...)) == Thrown
  if is_thrown then
    problem = problem[1]
  end
  if getmetatable(problem) == Failure then
    problem.position = problem.position or caller()
  elseif type(problem) == "string" then
    problem = is_thrown and problem or failures.without_position(problem)
    if problem:find "^endpoint" then
      problem = caller() .. problem
    end
  end
  error(problem, 0)
end

-- A function as users call it, with a dot or a colon.
function failures.public(object, f)
  return function(first, ...)
    if first == object then
      return placed(pcall(f, ...))
    end
    return placed(pcall(f, first, ...))
  end
end

return failures
