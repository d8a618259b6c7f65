-- Integers of JSON are integers of Lua, from 5.3 on, whatever lua-cjson gives.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local support = require "support"

local has_cjson, cjson = pcall(require, "cjson")
local JSON = { ["content-type"] = "application/json" }

-- The body of a response with this JSON.
local function decoded(text, settings)
  local all = {
    client = function()
      return 200, JSON, text
    end,
  }
  for name, value in pairs(settings or {}) do
    all[name] = value
  end
  return (request.new(endpoint, all) "GET /x")
end

-- A value with the subtypes of its numbers, as text: 1 and 1.0 differ. Before Lua 5.3 there are
-- no subtypes.
local function shown(value)
  if type(value) == "number" then
    return math.type and math.type(value) == "integer" and ("%d"):format(value)
      or ("%s:float"):format(("%.17g"):format(value))
  elseif type(value) ~= "table" then
    return value == endpoint.null and "null" or tostring(value)
  end
  local parts = {}
  for _, key in ipairs(support.keys(value)) do
    parts[#parts + 1] = tostring(key) .. "=" .. shown(value[key])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- json: a text. value: what becomes of it.
local ROWS = {
  { "1", "1" },
  { "-7", "-7" },
  { "1.0", "1:float" },
  { "1e2", "100:float" },
  { " 12 ", "12" },
  { "[1,2,3]", "{1=1,2=2,3=3}" },
  { "[1,1.0,1.50,2]", "{1=1,2=1:float,3=1.5:float,4=2}" },
  { '{"id":1347,"title":"1.0"}', "{id=1347,title=1.0}" },
  { '{"a":1.0,"b":1}', "{a=1:float,b=1}" },
  { '{"a":1e2,"b":100,"c":1E-2,"d":10e-1}', "{a=100:float,b=100,c=0.01:float,d=1:float}" },
  { '{"a":"\\\\\\"","b":1.00}', '{a=\\",b=1:float}' },
  { '{"a":[[1],[{"b":2}]],"c":3}', "{a={1={1=1},2={1={b=2}}},c=3}" },
  { '{"a":[[1.0],[{"b":2}]],"c":3.0}', "{a={1={1=1:float},2={1={b=2}}},c=3:float}" },
  { '{"a":9007199254740991,"b":-9007199254740991}', "{a=9007199254740991,b=-9007199254740991}" },
  { '{"a":9007199254740992}', "{a=9007199254740992:float}" },
  { '{"a":1234567890123456789}', "{a=1.2345678901234568e+18:float}" },
  { '{"a":null,"b":true,"c":[],"d":{}}', "{a=null,b=true,c={},d={}}" },
  { '{"1":1,"2":2.0}', "{1=1,2=2:float}" },
  { '{"a":1,"a":2.0}', "{a=2:float}" },
  { "[0,-0]", "{1=0,2=0}" },
  { '["", 1, "a\\\\", 2.0]', "{1=,2=1,3=a\\,4=2:float}" },
}

describe("a decoded response", function()
  local has_integers = has_cjson and math.type
  for _, row in ipairs(ROWS) do
    it(("has for %s: %s"):format(row[1], row[2]), function()
      if not has_integers then
        pending "this Lua has no integers, or lua-cjson is not here"
      end
      if cjson.decode "[1234567890123456789]"[1] == 1234567890123456789 then
        return -- this lua-cjson gives integers itself
      end
      assert.equal(row[2], shown(decoded(row[1])))
    end)
  end

  it("of 200,000 levels or 200,000 numbers is decoded, or not JSON", function()
    if not has_integers then
      pending "this Lua has no integers, or lua-cjson is not here"
    end
    support.with_resting_collector(function()
      assert.is_false((pcall(decoded, ("["):rep(200000) .. ("]"):rep(200000))))
    end)
    local list = decoded("[" .. ("1,"):rep(199999) .. "1.0]")
    assert.equal("integer", math.type(list[1]))
    assert.equal("float", math.type(list[200000]))
  end)

  it("has integers at a depth of 900", function()
    if not has_integers then
      pending "this Lua has no integers, or lua-cjson is not here"
    end
    local value = decoded(("["):rep(900) .. "1, 2.0" .. ("]"):rep(900))
    for _ = 1, 899 do
      value = value[1]
    end
    assert.equal("{1=1,2=2:float}", shown(value))
  end)

  it("is as the setting decode gives it", function()
    local value = decoded("[1]", {
      decode = function()
        return { 1.0 }
      end,
    })
    assert.equal("1:float", shown(value[1]))
  end)
end)

describe("endpoint.result's has_twice", function()
  local has_twice = require("endpoint.result").has_twice

  -- text; what is decoded of it; has it a name twice?
  for _, row in ipairs {
    { '{"a":1,"b":2}', { a = 1, b = 2 }, false },
    { '{"a":1,"a":2}', { a = 2 }, true },
    { '{"a":{"a":1}}', { a = { a = 1 } }, false },
    { '[{"a":[{"b":1}],"c":{}},{"a":1}]', { { a = { { b = 1 } }, c = {} }, { a = 1 } }, false },
    { '[{"a":[{"b":1,"b":1}],"c":{}}]', { { a = { { b = 1 } }, c = {} } }, true },
    { '{"a" \n\r\t:1,"a":2}', { a = 2 }, true },
    { '{"a":"\\":","b\\\\":1}', { a = '":', ["b\\"] = 1 }, false },
    { '{"a":"\\\\","a":1}', { a = 1 }, true },
    { '["a"]', { "a" }, false },
    { "[]", {}, false },
    { '"a:"', "a:", false },
    { '"a', {}, false },
    { '"a\\', {}, false },
    { '"', {}, false },
    { '"a":', {}, true },
    { false, {}, false },
  } do
    it(("says %s of %s"):format(tostring(row[3]), tostring(row[1])), function()
      assert.equal(row[3], has_twice(row[1], row[2]))
    end)
  end

  it("says true of what is too deep for Lua's stack", function()
    support.with_resting_collector(function()
      local deep = {}
      for _ = 1, 600000 do
        deep = { a = deep }
      end
      assert.is_true(has_twice('{"a":1}', deep))
    end)
  end)
end)

-- result.json reads what is JSON, and leaves the rest to lua-cjson.
describe("endpoint.result's json", function()
  local json = require("endpoint.result").json

  local function read(text, most, mark)
    if not math.type then
      pending "this Lua has no integers"
    end
    return json(text, most or 1000, mark)
  end

  for text, value in pairs {
    ["12345678901234567"] = 12345678901234567,
    ["-999999999999999999"] = -999999999999999999,
    ["123456789012345678901234567890123"] = 123456789012345678901234567890123,
    ["0.1000000000000000055511151231257827"] = 0.1,
    ["1e400"] = math.huge,
    ["-9007199254740992"] = -9007199254740992,
    ["15e+1"] = 150,
    ["15e-1"] = 1.5,
    ["-2.5"] = -2.5,
    ["1.5e2"] = 150,
    ["0.00000000000001"] = 1e-14,
    ["0.3"] = 0.3,
    ["12345678.9012345"] = 12345678.9012345,
    ["12345678.90123456"] = 12345678.90123456,
    ["12345678901234.5e1"] = 123456789012345,
    ["-0.0"] = -0.0,
  } do
    it("reads a float: " .. text, function()
      local number = read(text)
      assert.equal("float", math.type(number))
      assert.equal(("%.17g"):format(value), ("%.17g"):format(number))
    end)
  end

  for text, value in pairs {
    ['""'] = "",
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"'] = '"\\/\b\f\n\r\t',
    ['"a\\u0000\\u007f\\u0080\\u07FF"'] = "a\0\127\194\128\223\191",
    ['"\\u0800\\uD7FF\\uE000\\uffff"'] = "\224\160\128\237\159\191\238\128\128\239\191\191",
    ['"\\ud83d\\ude00\\uD800\\uDC00"'] = "\240\159\152\128\240\144\128\128",
    ['"\\uDBFF\\uDFFF."'] = "\244\143\191\191.",
    ['"' .. ("x"):rep(3000) .. '\\n"'] = ("x"):rep(3000) .. "\n",
    [" \t\r\n true "] = true,
    ["false"] = false,
    ["null"] = endpoint.null,
  } do
    it("reads " .. text:sub(1, 60), function()
      assert.equal(value, read(text))
    end)
  end

  -- A fraction of up to 15 digits is a division; more are the C library's.
  for places = 1, 18 do
    it(("reads %d decimals"):format(places), function()
      for _, digits in ipairs { "1", "3", "7" } do
        local zeros = ("0"):rep(places - 1)
        for _, text in ipairs { "0." .. zeros .. digits, "-9." .. digits:rep(places) } do
          assert.equal(("%.17g"):format(tonumber(text)), ("%.17g"):format(read(text)))
        end
      end
    end)
  end

  -- Names that come twice have the last value, as with lua-cjson.
  for text, value in pairs {
    ['{"a":{"b":1},"a":[ ],"c":{ }}'] = "{a={},c={}}",
    ['[[],[1,[2,{"a":[3]},4]],7]'] = "{1={},2={1=1,2={1=2,2={a={1=3}},3=4}},3=7}",
    ['{"a":{"b":{"c":5},"d":[6]},"e":[{}],"f":7}'] = "{a={b={c=5},d={1=6}},e={1={}},f=7}",
    ['{"\\u0061":1,"":2}'] = "{=2,a=1}",
  } do
    it("reads " .. text, function()
      assert.equal(value, shown(read(text)))
    end)
  end

  for _, text in ipairs {
    "",
    " ",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[1 2]",
    "[1}",
    "{",
    '{"a',
    '{"\\x":1}',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a" 1}',
    "{a:1}",
    "{1:1}",
    '{"a":1]',
    "]",
    "1 2",
    "[]]",
    "tru",
    "fals",
    "nul",
    "True",
    "NaN",
    "Infinity",
    "-",
    "-a",
    "+1",
    "01",
    "1.",
    "1.e1",
    "1e",
    "1e+",
    ".5",
    "0x10",
    "[1]\0",
    '"a\0b"',
    '"a',
    '"a\\',
    '"a\\"',
    '"\\x"',
    '"\\\0"',
    '"\\u12G4"',
    '"\\u12',
    '"\\ud800"',
    '"\\ud800x"',
    '"\\ud800\\n"',
    '"\\ud800\\u0041"',
    '"\\ud800\\ue000"',
    '"\\udc00"',
    "[-]",
    "falsy",
    "nulls",
    "nulx",
    "[1.]",
    '"\\udfff"',
    '"\\udfffx"',
    "'a'",
  } do
    it(("leaves %q"):format(text), function()
      assert.equal(0, select("#", read(text)))
    end)
  end

  it("leaves what is not a string", function()
    assert.equal(0, select("#", read(1)))
  end)

  it("leaves what is nested deeper", function()
    assert.equal("{1={a={}}}", shown(read('[{"a":[]}]', 3)))
    assert.equal(0, select("#", read('[{"a":[]}]', 2)))
    assert.equal(0, select("#", read("[]", 0)))
  end)

  it("leaves what is deeper than Lua's stack", function()
    support.with_resting_collector(function()
      assert.equal(0, select("#", read(("["):rep(2000000), 2 ^ 30)))
    end)
  end)

  it("marks lists, and no objects", function()
    local mark = {}
    local value = read('[[],{},[{"a":[1]}]]', 10, mark)
    assert.equal(mark, getmetatable(value))
    assert.equal(mark, getmetatable(value[1]))
    assert.is_nil(getmetatable(value[2]))
    assert.equal(mark, getmetatable(value[3]))
    assert.is_nil(getmetatable(value[3][1]))
    assert.equal(mark, getmetatable(value[3][1].a))
  end)

  it("gives nothing where Lua has no integers", function()
    assert.equal(math.type and 1 or 0, select("#", json("[1]", 10)))
  end)
end)

describe("the decoder in the place of lua-cjson's", function()
  local integers = require "endpoint.integers"

  -- A decoder of C that gives floats: a copy of lua-cjson, with other fields.
  local function like_cjson(fields)
    if not has_cjson or not math.type or math.type(cjson.decode "1") == "integer" then
      pending "this Lua has no integers, or lua-cjson is not here or has them"
    end
    return setmetatable(fields, { __index = cjson })
  end

  it("reads what is not JSON as lua-cjson does", function()
    local decode = integers.decoder(like_cjson {})
    assert.equal("{1=1:float,2=inf:float}", shown(decode "[01,Infinity]"))
    assert.is_false((pcall(decode, "[1")))
  end)

  it("is as deep as lua-cjson is told", function()
    local decode = integers.decoder(like_cjson {})
    local most = cjson.decode_max_depth()
    cjson.decode_max_depth(2)
    local ok = pcall(decode, "[[[]]]")
    cjson.decode_max_depth(most)
    assert.is_false(ok)
    assert.is_true((pcall(decode, "[[[]]]")))
  end)

  it("marks lists where lua-cjson is told to", function()
    local mark, does_mark = {}, true
    package.loaded["endpoint.integers"] = nil -- it remembers lua-cjson's decoder
    local decode = require("endpoint.integers").decoder(like_cjson {
      array_mt = mark,
      decode_array_with_array_mt = function()
        return does_mark
      end,
    })
    package.loaded["endpoint.integers"] = integers
    assert.equal(mark, getmetatable(decode "[]"))
    does_mark = false
    assert.is_nil(getmetatable(decode "[]"))
  end)

  it("leaves another module of C in its place", function()
    assert.equal(tonumber, integers.decoder { decode = tonumber })
  end)

  it("leaves a function of Lua in its place", function()
    local function decode()
      return { 1.0 }
    end
    assert.equal(decode, integers.decoder(like_cjson { decode = decode }))
  end)
end)
