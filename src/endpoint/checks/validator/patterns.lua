-- SPDX-License-Identifier: MIT
-- Regular expressions, by what the program has: ngx.re inside nginx, lrexlib elsewhere. Patterns
-- and strings come from strangers: each match ends after a number of steps that grows with the
-- string.
local patterns = {}

local ecma = require "endpoint.checks.validator.ecma"
local errors = require "endpoint.checks.validator.errors"
local protected = require "endpoint.protected"

-- Steps for each byte of a string, and the length of the shortest for which they are counted.
local STEPS, SHORTEST = 50, 64

local TOO_MANY = errors.problem "the pattern takes too many steps with this string"
local NOT_UTF8 = errors.problem "expected a string in UTF-8"

-- --- engines ----------------------------------------------------------------------

-- Both say with an error that a match took too many steps, or that the string is not UTF-8. The
-- numbers are those of PCRE and PCRE2: MATCHLIMIT, RECURSIONLIMIT or DEPTHLIMIT, HEAPLIMIT,
-- JIT_STACKLIMIT.
local IS_LIMIT = { ["-8"] = true, ["-21"] = true, ["-27"] = true }
for _, number in ipairs { "-46", "-47", "-53", "-63" } do
  IS_LIMIT[number] = true
end

local function fault_of(message)
  local number = tostring(message):match "%-%d+"
  return (IS_LIMIT[number] or tostring(message):find "LIMIT") and TOO_MANY or NOT_UTF8
end

-- Each gives a function that makes a matcher of a pattern: true or false, or nil and a problem. A
-- pattern that cannot be read makes none.
local function ngx_engine()
  local find = ngx and ngx.re and ngx.re.find -- luacheck: ignore 113
  return find
    and function(pattern)
      local function fits(instance)
        local from, _, message = find(instance, pattern, "jou")
        if message then
          return nil, fault_of(message)
        end
        return from ~= nil
      end
      local _, _, message = find("", pattern, "jou")
      return not (message and message:find "compile") and fits or nil
    end
end

local function lrexlib_engine(name)
  local is_there, rex = protected.call(require, name)
  if not is_there then
    return nil
  end
  local utf = rex.flags().UTF or rex.flags().UTF8
  return function(pattern)
    local is_read, compiled = protected.call(rex.new, pattern, utf)
    return is_read
        and function(instance)
          local is_done, from = protected.call(compiled.exec, compiled, instance)
          if not is_done then
            return nil, fault_of(from)
          end
          return from ~= nil and from ~= false
        end
      or nil
  end
end

local engine -- false if there is none

local function engine_of()
  if engine == nil then
    engine = ngx_engine() or lrexlib_engine "rex_pcre2" or lrexlib_engine "rex_pcre" or false
  end
  return engine
end

-- Can patterns be checked here?
function patterns.are_known()
  return engine_of() and true or false
end

-- --- matches ----------------------------------------------------------------------

-- Pattern -> its matchers by their steps, or false if it cannot be read.
local matchers = setmetatable({}, { __mode = "k" })

-- The steps for strings of about this length.
local function steps_for(length)
  local most = SHORTEST
  while most < length do
    most = most * 4
  end
  return STEPS * most
end

-- `known` has the matchers of the patterns of one module.
local function matcher_of(known, pattern, length)
  local steps = steps_for(length)
  local by_steps = known[pattern] or {}
  known[pattern] = by_steps
  if by_steps[steps] == nil then
    local written = ecma.to_pcre(pattern)
    by_steps[steps] = written and engine_of()(("(*LIMIT_MATCH=%d)"):format(steps) .. written)
      or false
  end
  return by_steps[steps]
end

-- Does a string fit a pattern of a document? nil, and the check is uncertain, if nobody can say it.
function patterns.fits(check, pattern, instance)
  if not engine_of() then
    check.is_uncertain = true
    return nil
  end
  local rulebook = check.rulebook
  matchers[rulebook] = matchers[rulebook] or {}
  local matcher = not check.exhausted and matcher_of(matchers[rulebook], pattern, #instance)
  if not matcher then
    check.is_uncertain = true
    return nil
  end
  local is_fit, fault = matcher(instance)
  check.exhausted = check.exhausted or fault
  return is_fit
end

return patterns
