-- Inputs of the fuzzer as calls: the module is held against judge.lua. With
-- LUA_CPATH='build/lua5.4/?.so' and LUA_PATH='spec/lib/?.lua;spec/?.lua':
--
--   lua5.4 spec/oracle/fuzz.lua FILE...                 shows what is wrong with inputs
--   lua5.4 spec/oracle/fuzz.lua seeds CALLS SCANNERS    writes what the fuzzers start from into two
--                                                       directories: the calls of the vectors; and
--                                                       their texts and numbers
--
-- A call is JSON with the fields
--
--   route, options, defaults   those of the call
--   many                       so many parameters k0, k1, ... more
--
-- A key that begins with # is a number. A text after \u0001 is a value of VALUES, or with a
-- number and a colon before it so many times the text.
local json = require "cjson"
local judge = require "oracle.judge"
local support = require "support"

local fuzz = {}
local MOST_PARAMETERS, LONGEST = 200, 2 ^ 15
local VALUES = { F = function() end, nan = 0 / 0, inf = 1 / 0, ["-inf"] = -1 / 0 }

json.decode_max_depth(12)

-- --- reading ------------------------------------------------------------------------------

-- The text of a value of JSON.
local function read_value(value)
  if type(value) == "table" then
    local fields = {}
    for key, field in pairs(value) do
      local number = type(key) == "string" and key:match "^#(-?[%d.]+)$"
      fields[tonumber(number) or key] = read_value(field)
    end
    return fields
  end
  local text = type(value) == "string" and value:match "^\1(.*)$"
  if not text then
    return value
  end
  local count, unit = text:match "^(%d+):(.*)$"
  if not count then
    return VALUES[text]
  end
  return unit:rep(math.floor(math.min(tonumber(count), LONGEST / (#unit + 1))))
end

local function table_of(value)
  return type(value) == "table" and read_value(value) or nil
end

-- The call that a text means; nil if it is not JSON.
function fuzz.read(text)
  local ok, fields = pcall(json.decode, text)
  if not ok or type(fields) ~= "table" then
    return nil
  end
  local case = { options = table_of(fields.options) or {}, defaults = table_of(fields.defaults) }
  case.route = type(fields.route) == "string" and fields.route or nil
  local many = type(fields.many) == "number" and fields.many or 0
  for i = 1, math.min(many, MOST_PARAMETERS) do
    case.options["k" .. i - 1] = i
  end
  return case
end

-- Overwrites all fields, but for `request`, which is the caller's.
local function scribble(fields)
  if type(fields) ~= "table" then
    return
  end
  fields.request = nil
  for key, value in pairs(fields) do
    scribble(value)
    fields[key] = "scribbled"
  end
end

-- --- checks -----------------------------------------------------------------------------------

local function check_same(wanted, got, what)
  local text = judge.difference(wanted, got, what)
  if text then
    error(text, 0)
  end
end

-- The same call gives the same; with a table filled in another order only messages may differ.
local function check_again(api, case, answer)
  check_same(answer, judge.answer(api, case.route, case.options), "the call made again")
  local reversed = judge.answer(api, case.route, support.copied(case.options, true))
  if not (answer[1] or reversed[1]) then
    reversed[2] = answer[2]
  end
  check_same(answer, reversed, "the call in another order")
end

-- Nothing that a caller does to a table that it passed in or got back, of this endpoint or one
-- made of it, changes an endpoint.
local function check_defaults(api, case, answer)
  local before, new, merged =
    support.copied(api.DEFAULTS), api.defaults(), judge.answer(api.merge, case.route, case.options)
  local parsed, again = { pcall(api.parse, merged[2]) }, judge.answer(new, case.route, case.options)
  for _, each in ipairs {
    answer,
    parsed,
    again,
    merged,
    { true, api.DEFAULTS },
    { true, new.DEFAULTS },
  } do
    scribble(each[1] and each[2])
    check_same(before, api.DEFAULTS, "DEFAULTS")
    check_same(before, new.DEFAULTS, "DEFAULTS of one made of it")
  end
  scribble(case.defaults)
  check_same(before, api.DEFAULTS, "DEFAULTS")
end

-- Raises if something is wrong with a call { route =, options =, defaults = }.
function fuzz.check_case(case)
  local options, defaults = support.copied(case.options), support.copied(case.defaults)
  local kind, text, _, answer, api = judge.compare(case.defaults, case.route, case.options)
  if kind then
    error(kind .. ": " .. text, 0)
  end
  if api then
    check_again(api, case, answer)
  end
  check_same(options, case.options, "the options, which do not change")
  check_same(defaults, case.defaults, "the defaults, which do not change")
  if api and defaults then
    check_defaults(api, case, answer)
  end
end

-- The same of the call that a text means.
function fuzz.check(text)
  local case = fuzz.read(text)
  if case then
    fuzz.check_case(case)
  end
end

-- --- seeds ------------------------------------------------------------------------------------

-- What no vector needs to say, or JSON cannot.
local MORE = {
  [[{"route":"POST /{x}{?y}","many":40,"options":{"x":"\u0001F"}}]],
  [[{"route":"GET /{x}{?y}","options":{"x":[1,"\u0001nan"],"y":{"#2":1},"#1":1}}]],
  [[{"route":"GET /{+x:9999}{?l*}#f-{y}","options":{"x":"\u0001500:%41/",
    "l":["\u0001600:a","\u0001600:b&"],"y":"\u000190:é\u0000"}}]],
  [[{"route":"GET /{a}{+b}{.c}{/d*}{;e}{?f,g*}{&h:2}{#i}","options":{"a":"A b","b":"/%41%",
    "c":{"k":"1"},"d":["x","y"],"e":"","f":"","g":{"k":"1","l":""},"i":"#!"}}]],
  '{"route":"GET /%zz/\255{x}","options":{"baseUrl":"\\u00013000:/é%2 \\"","x":"\195"}}',
  [[{"route":"GET /{x}","defaults":{"baseUrl":"https://h/v2","headers":{"l":["a"]},"per":["1"],
    "data":{"a":[1]},"mediaType":{"previews":["q"]},"request":{"t":"\u0001F"}}}]],
  [[{"route":"GET /","options":{"a":0.30000000000000004,"b":1e300,"c":5e-324,
    "d":-9223372036854775808,"e":-0.0}}]],
}

-- A call as an input. Of several defaults the last one wins.
local function call_text(group, route, options)
  if type(options) == "string" then
    options = { headers = { [group.result] = options } }
  end
  if type(route) == "table" then
    route, options = nil, route
  end
  local defaults, given = {}, group.defaults or {}
  for _, each in ipairs(given[1] and given or { given }) do
    for name, value in pairs(each) do
      defaults[name] = value
    end
  end
  return json.encode { route = route, options = options, defaults = next(defaults) and defaults }
end

local function add_calls(calls, group)
  for _, case in ipairs(group.cases or {}) do
    calls[#calls + 1] = call_text(group, case[1], case[2])
  end
  for _, route in ipairs(group.routes or {}) do
    for _, value in ipairs(group.values or { json.null }) do
      calls[#calls + 1] = call_text(group, route, { x = value })
    end
  end
end

local function add_texts(texts, value)
  if type(value) == "number" then
    value = string.pack("d", value)
  end -- luacheck: ignore 143
  if type(value) == "string" then
    texts[value] = true
  end
  for key, field in pairs(type(value) == "table" and value or {}) do
    add_texts(texts, type(key) == "string" and key)
    add_texts(texts, field)
  end
end

local function write_seeds(calls_directory, texts_directory)
  local calls, texts = MORE, {}
  for _, path in ipairs(support.files "spec/vectors/*.json") do
    local vectors = json.decode(support.read(path))
    for _, group in ipairs(vectors.groups) do
      group.defaults = group.defaults or vectors.defaults
      add_calls(calls, group)
      add_texts(
        texts,
        { group.defaults or "", group.cases or "", group.routes or "", group.values or "" }
      )
    end
  end
  for i, text in ipairs(calls) do
    support.write(calls_directory .. "/" .. i, text)
  end
  for i, text in ipairs(support.keys(texts)) do
    support.write(texts_directory .. "/" .. i, text)
  end
end

if arg and arg[0] and arg[0]:find "fuzz%.lua$" then
  if arg[1] == "seeds" then
    return write_seeds(arg[2], arg[3])
  end
  for _, path in ipairs(arg) do
    local ok, message = pcall(fuzz.check, support.read(path))
    if not ok then
      print(path .. ": " .. tostring(message))
    end
  end
end

return fuzz
