-- SPDX-License-Identifier: MIT
-- What the reading of one request notes: its problems, and the integers that no number holds.
local reader = {}

local NULL = require "endpoint".null
local errors = require "endpoint.checks.validator.errors"
local problems = require "endpoint.checks.validator.problems"
local protected = require "endpoint.protected"
local result = require "endpoint.result"
local text = require "endpoint.text"
local value = require "endpoint.checks.validator.value"

local NONE = {}
local problem_of = value.problem
local has_twice = result.has_twice

local methods = {}
local METATABLE = { __index = methods }

local last, has_last_nulls -- which was asked before

-- Has a value of a decoder all names of its text, those of nulls, too? A program may have set a
-- decoder of its own in the place of lua-cjson's.
local function has_names(decode)
  if decode ~= last then
    local ok, one = protected.call(decode, '{"a":null}')
    last, has_last_nulls = decode, ok and type(one) == "table" and one.a ~= nil
  end
  return has_last_nulls
end

-- lua-cjson's decoder with the integers of the JSON, and without the numbers that JSON does not
-- have: other decoders read 010 as 8, and refuse 0x1F and NaN.
local function strict_decoder(cjson)
  local decode = require "endpoint.integers".decoder(cjson)
  local takes_others = cjson.decode_invalid_numbers
  if not takes_others then -- another decoder under its name
    return decode
  end
  return function(given)
    local before = takes_others()
    takes_others(false)
    local ok, one = pcall(decode, given)
    takes_others(before)
    if not ok then
      error(one, 0)
    end
    return one
  end,
    has_names(decode)
end

-- How JSON is decoded unless the program says so: by lua-cjson, or by dkjson with its null. And has
-- a value all names of its text?
local function find_decoder()
  local found, cjson = protected.call(require, "cjson")
  if found then
    return strict_decoder(cjson)
  end
  local dkjson
  found, dkjson = protected.call(require, "dkjson")
  if not found then
    error("endpoint.checks: request: expected lua-cjson, dkjson or the setting decode", 0)
  end
  return function(given)
    return dkjson.decode(given, 1, NULL)
  end, true
end

-- decode: the program's own, or nil. headers: a table, a function that returns one, or nil.
-- `problems` and `large` are lists once there are some.
function reader.new(rulebook, decode, headers)
  local made = { rulebook = rulebook, decode = decode, given_headers = headers or NONE }
  return setmetatable(made, METATABLE)
end

-- A reader of the same request without problems, for another operation.
function methods:again()
  local made = {
    rulebook = self.rulebook,
    decode = self.decode,
    has_names = self.has_names,
    given_headers = self.given_headers,
  }
  return setmetatable(made, METATABLE)
end

local WORDS = "the request.headers: expected a table from the function, got a "

-- The headers of the request, by names in lower case. A function of the program is asked once. If
-- it returns no table, that is `misuse`, and a problem, so that the request is not taken for right.
function methods:headers()
  local given = self.given_headers
  if type(given) == "function" then
    given = given()
    if type(given) ~= "table" then
      self.misuse, given = WORDS .. type(given), NONE
      self:add("header", nil, "", self.misuse)
    end
    self.given_headers = given
  end
  return given
end

-- The content-type, nil without one, and whether there are several: then it is the first. A result
-- of the endpoint may have a number or a boolean.
function methods:content_type()
  local given, is_twice = self:headers()["content-type"], false
  if type(given) == "table" then
    given, is_twice = given[1], given[2] ~= nil
  end
  return given ~= nil and tostring(given) or nil, is_twice
end

-- The most bytes of a name that is told: a stranger may have written it.
local LONGEST_NAME = 200

-- Notes a problem, unless there are many.
function methods:add(place, name, pointer, message)
  local list = self.problems or {}
  self.problems = list
  if #list < problems.MOST then
    name = name and text.shown(name, LONGEST_NAME)
    list[#list + 1] = { place = place, name = name, pointer = pointer, message = message }
  end
end

-- Has a parameter, or a field of a form, a problem already? Then it may be there, and could not be
-- read.
function methods:has(place, name)
  for _, one in ipairs(self.problems or {}) do
    if one.place == place and one.name == text.shown(name, LONGEST_NAME) then
      return true
    end
  end
  return false
end

-- Notes what is wrong with a value under a node. A name in it that has a problem is not missing.
function methods:check(place, name, node, one)
  if not problem_of(self.rulebook, node, one) then
    return
  end
  for _, found in ipairs(problems.all(self.rulebook, node, one)) do
    if not (found.missing and self:has(place, found.missing)) then
      self:add(place, name, errors.pointer_of(found))
    end
  end
end

-- What some clients write before JSON: the byte order mark of UTF-8 (RFC 8259, section 8.1).
local MARK = "\239\187\191"

-- The value of a JSON text; or nil and words. lua-cjson raises, other decoders return nil and a
-- message, which may come after a position.
function methods:json(given)
  if given:sub(1, #MARK) == MARK then
    given = given:sub(#MARK + 1)
  end
  if not self.decode then
    self.decode, self.has_names = find_decoder()
  end
  local ok, one, second, third = protected.call(self.decode, given)
  if not ok or one == nil and type(third or second) == "string" then
    return nil, "expected JSON"
  elseif self.has_names and has_twice(given, one) then
    return nil, "has a name twice" -- some servers take the first value, others the last
  end
  return one
end

-- In the order of a request's parts.
local RANKS = { method = 1, path = 2, query = 3, header = 4, cookie = 5, body = 6 }

-- The problems, those of one place in the order in which they were found.
function methods:sorted()
  local list = {}
  for rank = 1, 6 do
    for _, one in ipairs(self.problems) do
      if RANKS[one.place] == rank then
        list[#list + 1] = one
      end
    end
  end
  return list
end

return reader
