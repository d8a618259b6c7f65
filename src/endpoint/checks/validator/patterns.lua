-- SPDX-License-Identifier: MIT
-- Regular expressions: by Lua where they are plain, else by what the program has: ngx.re inside
-- nginx, lrexlib elsewhere. Patterns and strings come from strangers: each match ends after a
-- number of steps that is linear in the string.
local patterns = {}

local VERSION = "1.0.0"

-- endpoint.types, which is a rock of its own, works with this version alone.
patterns.VERSION = VERSION

local ecma = require "endpoint.checks.validator.ecma"
local errors = require "endpoint.checks.validator.errors"
local lua_patterns = require "endpoint.checks.validator.lua_patterns"
local protected = require "endpoint.protected"

local TOO_MANY = errors.problem "the pattern takes too many steps with this string"
local NOT_UTF8 = errors.problem "expected a string in UTF-8"

-- --- steps ------------------------------------------------------------------------

-- Steps for each byte of a string, and for the shortest.
local STEPS, FEWEST = 20, 10000

-- The steps for strings of about this length.
local function steps_for(length)
  local steps = FEWEST
  while steps < STEPS * length do
    steps = steps * 4
  end
  return steps
end

-- What is counted as one step may look at the whole string, where a pattern looks around or refers
-- to a group. So many characters are looked at.
local MOST_LOOKED_AT = 5e7

local function looks_around(pattern)
  return pattern:find "%(%?<?[=!]" ~= nil or pattern:find "\\[1-9k]" ~= nil
end

-- Does a pattern repeat a character, rather than a group, this often or without an end? The code of
-- a just-in-time compiler counts that as one step.
local OFTEN = 100

local function repeats_characters(pattern)
  local plain = pattern:gsub("\\.", "x"):gsub("%[[^%]]*%]", "x")
  for before, quantifier in plain:gmatch "(.)([*+{][%d,]*)" do
    local most = quantifier:match "(%d+)$" or math.huge
    if before ~= ")" and tonumber(most) >= OFTEN then
      return true
    end
  end
  return false
end

local function fewer_steps(steps, length)
  while steps * length > MOST_LOOKED_AT do
    steps = math.floor(steps / 4)
  end
  return steps
end

-- PCRE counts steps anew for each byte at which a match may begin, and leaves out those of loops
-- that cannot fit. So a loop of the pattern itself goes from byte to byte, until the document's
-- pattern fits there, or the string ends.
local COUNTED = "(*LIMIT_MATCH=%d)%s(*NO_AUTO_POSSESS)(*NO_START_OPT)"
  .. "\\A(?:(?!%s)(?:(?s:.)|(?<ENDPOINT_END>\\z)))*+(?(<ENDPOINT_END>)(*F))"

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

-- PCRE, the predecessor of PCRE2, calls itself on C's stack, which would end. Its just-in-time
-- compiler has a stack of its own.
local FEW_CALLS = "(*LIMIT_RECURSION=2000)"

-- Each gives a function that makes a matcher of a pattern in the words of PCRE: true or false, or
-- nil and a problem. A pattern that cannot be read makes none. is_compiled: by the just-in-time
-- compiler, if there is one?
local function ngx_engine()
  local find = ngx and ngx.re and ngx.re.find -- luacheck: ignore 113
  return find
    and function(pattern, steps, is_compiled)
      pattern = COUNTED:format(steps, FEW_CALLS, pattern)
      local options = is_compiled and "jou" or "ou"
      local function fits(instance)
        local from, _, message = find(instance, pattern, options)
        if message then
          return nil, fault_of(message)
        end
        return from ~= nil
      end
      local _, _, message = find("", pattern, options)
      return not (message and message:find "compile") and fits or nil
    end
end

local function lrexlib_engine(name)
  local is_there, rex = protected.call(require, name)
  if not is_there then
    return nil
  end
  local utf = rex.flags().UTF or rex.flags().UTF8
  local few_calls = name == "rex_pcre" and FEW_CALLS or ""
  return function(pattern, steps)
    local is_read, compiled =
      protected.call(rex.new, COUNTED:format(steps, few_calls, pattern), utf)
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

-- Can patterns be checked that are not plain?
function patterns.are_known()
  return engine_of() and true or false
end

-- --- matchers ---------------------------------------------------------------------

local function plain_matcher(rows)
  return function(instance)
    local is_fit = lua_patterns.fits(rows, instance)
    return is_fit, is_fit == nil and NOT_UTF8 or nil
  end
end

-- A matcher of an engine, which has others by their steps; nil if nobody can read the pattern.
local function engine_matcher(pattern)
  local written = engine_of() and ecma.to_pcre(pattern)
  if not (written and engine_of()(written, FEWEST, true)) then
    return nil
  end
  local by_steps = { [true] = {}, [false] = {} }
  local is_around, is_repeated = looks_around(pattern), repeats_characters(pattern)
  return function(instance)
    local steps = steps_for(#instance)
    local fewer = fewer_steps(steps, #instance)
    local is_compiled = fewer == steps or not (is_around or is_repeated)
    steps = is_around and fewer or steps
    local known = by_steps[is_compiled]
    known[steps] = known[steps] or engine_of()(written, steps, is_compiled)
    return known[steps](instance)
  end
end

local function new_matcher(pattern)
  local rows = lua_patterns.of(pattern)
  return rows and plain_matcher(rows) or engine_matcher(pattern) or false
end

-- The matchers of each rulebook, by their patterns.
local matchers = setmetatable({}, { __mode = "k" })

-- A function that says whether a string fits a pattern; false if nobody can read the pattern. It
-- returns nil and a problem where the match was given up.
function patterns.matcher_of(rulebook, pattern)
  local known = matchers[rulebook] or {}
  matchers[rulebook] = known
  if known[pattern] == nil then
    known[pattern] = new_matcher(pattern)
  end
  return known[pattern]
end

-- Can a pattern be checked in this program?
function patterns.is_readable(pattern)
  return new_matcher(pattern) ~= false
end

-- Does a string fit a pattern of a document? nil, and the check is uncertain, if nobody can say it.
function patterns.fits(check, pattern, instance)
  local matcher = not check.exhausted and patterns.matcher_of(check.rulebook, pattern)
  if not matcher then
    check.is_uncertain = true
    return nil
  end
  local is_fit, fault = matcher(instance)
  check.exhausted = check.exhausted or fault
  return is_fit
end

-- What a document's pattern asks of an engine: "plain", nothing; "pcre", ngx.re or lrexlib; nil,
-- it is not a pattern of ECMA-262, or nobody can say it.
function patterns.kind_of(pattern)
  if lua_patterns.of(pattern) then
    return "plain"
  end
  return ecma.to_pcre(pattern) and "pcre" or nil
end

return patterns
