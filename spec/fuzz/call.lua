-- Inputs of the fuzzer as calls: a text becomes a route and options, and the module is held against
-- spec/tools/judge.lua. This shows what is wrong with an input:
--
--   LUA_CPATH='build/lua5.4/?.so' LUA_PATH='spec/tools/?.lua' lua5.4 spec/fuzz/call.lua FILE...
--
-- The first line is the route, or empty for none. Each further line is an option,
--
--   name=VALUE      VALUE: sTEXT iINTEGER nNUMBER t f 0 (null) F (a function)
--                          x9:TEXT (nine times) [VALUE,...] {name=VALUE,...}
--   !d              the next lines are defaults
--   !k40            forty parameters k0, k1, ...
--   !g              once more under a collector that never rests
--   !z7             once more while a finalizer empties the options in the seventh cycle of the call
--
-- and a name that begins with # is a number. In a text, \n \r \0 \, \] \} \= and \\ stand for bytes
-- that would end it.
local collector = require "collector"
local endpoint = require "endpoint"
local judge = require "judge"
local support = require "support"

local call = {}
local DEEPEST, MOST_PARAMETERS, LONGEST = 12, 200, 2 ^ 15
local ESCAPES = { n = "\n", r = "\r", ["0"] = "\0", [","] = ",", ["]"] = "]", ["}"] = "}", ["="] = "=", ["\\"] = "\\" }

-- --- reading ------------------------------------------------------------------------------

-- Reads up to one of these bytes, as in a set of a pattern.
local function read_text(input, stops)
  local from, at = input.at, input.at
  while true do
    at = input.text:find("[\\" .. stops .. "]", at) or #input.text + 1
    if input.text:sub(at, at) ~= "\\" then break end
    at = at + (ESCAPES[input.text:sub(at + 1, at + 1)] and 2 or 1)
  end
  input.at = at
  return (input.text:sub(from, at - 1):gsub("\\(.?)", ESCAPES))
end

local function read_value_text(input)
  return read_text(input, ",%]}\n")
end

local function peek(input, set)
  return input.text:match("^[" .. set .. "]", input.at)
end

local function skip(input, byte)
  if peek(input, byte) then input.at = input.at + 1 end
end

local function integer_of(text)
  return tonumber(text:match "^%s*([-+]?%d+)" or "0")
end

local NUMBERS = { nan = 0 / 0, inf = 1 / 0, ["-inf"] = -1 / 0 }

local function number_of(text)
  return NUMBERS[text] or tonumber(text:match "^[-+%d.eE]*") or 0
end

local function read_key(input)
  local text = read_text(input, "=,%]}\n")
  skip(input, "=")
  return text:find "^#." and integer_of(text:sub(2)) or text
end

local read_value

-- Reads a list or map up to its end. A bracket of the other kind ends nothing.
local function read_table(input, depth, ending, other)
  local fields, size = {}, 0
  while input.at <= #input.text and not peek(input, ending .. "\n") do
    size = size + 1
    local key = ending == "}" and read_key(input) or size
    fields[key] = read_value(input, depth)
    skip(input, other)
    skip(input, ",")
  end
  skip(input, ending)
  return fields
end

local function read_repeated(input)
  local count = integer_of(read_text(input, ":,%]}\n"))
  skip(input, ":")
  local text = read_value_text(input)
  return text:rep(math.max(0, math.min(count, math.ceil((LONGEST - #text) / (#text + 1)))))
end

local KINDS = {
  x = read_repeated,
  t = function() return true end,
  f = function() return false end,
  F = function() return function() end end,
  ["0"] = function() return endpoint.null end,
  i = function(input) return integer_of(read_value_text(input)) end,
  n = function(input) return number_of(read_value_text(input)) + 0.0 end,
}

function read_value(input, depth)
  local kind = peek(input, "^\n") or "0"
  if peek(input, "^\n") then input.at = input.at + 1 end
  if kind == "[" and depth < DEEPEST then return read_table(input, depth + 1, "%]", "}") end
  if kind == "{" and depth < DEEPEST then return read_table(input, depth + 1, "}", "%]") end
  return (KINDS[kind] or read_value_text)(input)
end

-- Executes a line that begins with "!". Returns the table that the next lines fill.
local function obey(case, line, fields)
  local kind, number = line:sub(1, 1), integer_of(line:sub(2)) % 256
  if kind == "d" then
    case.defaults = case.defaults or {}
    return case.defaults
  end
  case.is_stressed = case.is_stressed or kind == "g"
  if kind == "z" then case.cycles = number + 1 end
  for i = 0, kind == "k" and math.min(number, MOST_PARAMETERS) - 1 or -1 do fields["k" .. i] = i end
  return fields
end

function call.read(text)
  local input, case = { text = text, at = 1 }, { options = {} }
  local fields = case.options
  case.route = read_text(input, "\n")
  if case.route == "" then case.route = nil end
  while peek(input, "\n") do
    input.at = input.at + 1
    if peek(input, "!") then
      input.at = input.at + 1
      fields = obey(case, read_text(input, "\n"), fields)
    elseif peek(input, "^\n") then
      local key = read_key(input)
      fields[key] = read_value(input, 0)
    end
    read_text(input, "\n")
  end
  return case
end

-- Overwrites all fields, but for `request`, which is the caller's; or removes them.
local function scribble(fields, new)
  if type(fields) ~= "table" then return end
  fields.request = nil
  for key, value in pairs(fields) do
    scribble(value, new)
    fields[key] = new
  end
end

-- --- checks -----------------------------------------------------------------------------------

local function check_same(wanted, got, what)
  local text = judge.difference(wanted, got, what)
  if text then error(text, 0) end
end

-- The same call gives the same; with a table filled in another order only messages may differ.
local function check_again(api, case, answer)
  check_same(answer, judge.answer(api, case.route, case.options), "the call made again")
  local reversed = judge.answer(api, case.route, support.copied(case.options, true))
  if not (answer[1] or reversed[1]) then reversed[2] = answer[2] end
  check_same(answer, reversed, "the call in another order")
end

-- Nothing that a caller does to a table that it passed in or got back changes an endpoint.
local function check_defaults(api, case, answer)
  local before = support.copied(api.DEFAULTS)
  scribble(answer[1] and answer[2], "scribbled")
  scribble(api.DEFAULTS, "scribbled")
  scribble(case.defaults, "scribbled")
  check_same(before, api.DEFAULTS, "DEFAULTS")
end

local function call_under_stress(case)
  local api = case.defaults and endpoint.defaults(case.defaults) or endpoint
  local answer = judge.answer(api, case.route, case.options)
  collector.never_rest()
  local stressed = judge.answer(api, case.route, case.options)
  collector.rest()
  check_same(answer, stressed, "the call under a collector that never rests")
end

-- Calls while a finalizer empties the options. Any result is good, only a crash is not; before that,
-- everything else that keeps their strings alive is gone.
local function call_under_finalizer(case)
  local cycles, options = case.cycles, case.options
  collector.on_cycle(function()
    cycles = cycles - 1
    if cycles > 0 then return true end
    scribble(options, nil)
  end)
  collector.never_rest()
  local answer = judge.answer(endpoint, case.route, options)
  collector.rest()
  if answer[1] and answer[2].url:find "[^\33-\126]" then error("a URL with a byte outside 0x21 to 0x7E", 0) end
end

-- Raises if something is wrong with a call { route =, options =, defaults = }.
function call.check_case(case)
  local options, defaults = support.copied(case.options), support.copied(case.defaults)
  local kind, text, _, answer, api = judge.compare(case.defaults, case.route, case.options)
  if kind then error(kind .. ": " .. text, 0) end
  if api then check_again(api, case, answer) end
  check_same(options, case.options, "the options, which do not change")
  check_same(defaults, case.defaults, "the defaults, which do not change")
  if api and case.is_stressed then call_under_stress(case) end
  if api and defaults then check_defaults(api, case, answer) end
end

-- The same of the call that a text stands for.
function call.check(text)
  local case = call.read(text)
  call.check_case(case)
  if case.cycles then call_under_finalizer { route = case.route, options = case.options, cycles = case.cycles } end
end

if arg and arg[0] and arg[0]:find "call%.lua$" then
  for _, path in ipairs(arg) do
    local ok, message = pcall(call.check, support.read(path))
    if not ok then print(path .. ": " .. tostring(message)) end
  end
end

return call
