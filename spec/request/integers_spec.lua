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
    assert.is_false((pcall(decoded, ("["):rep(200000) .. ("]"):rep(200000))))
    local list = decoded("[" .. ("1,"):rep(199999) .. "1.0]")
    assert.equal("integer", math.type(list[1]))
    assert.equal("float", math.type(list[200000]))
  end)

  it("that is deeper than Lua's stack is refused, where a decoder gives one", function()
    local value = {}
    local inner = value
    for _ = 1, 400000 do
      inner[1] = {}
      inner = inner[1]
    end
    -- Lua 5.3 raises what fails in a finalizer, which would find the stack full, too.
    collectgarbage "stop"
    local ok, problem = pcall(require("endpoint.result").restore, value, value)
    collectgarbage "restart"
    assert.equal(not math.type, ok)
    assert.truthy(ok or problem:find("stack overflow (the JSON is nested too deep)", 1, true))
  end)

  it("keeps its numbers where the guide has no table", function()
    local value = { { 1.0 }, { x = { 2.0 } }, 3.0 }
    local guide = { 1.0, { x = 2.0 }, 3.0 }
    local restored = require("endpoint.result").restore(value, guide)
    local wanted = math.type and "{1={1=1:float},2={x={1=2:float}},3=3}"
      or shown { { 1 }, { x = { 2 } }, 3 }
    assert.equal(wanted, shown(restored))
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

describe("endpoint.result's marked", function()
  local marked = require("endpoint.result").marked
  for _, row in ipairs {
    { '{"a":1}' },
    { '"1.0"' },
    { '{"1.0":"1e2"}' },
    { "[1.5,2.25]" },
    { "[1.0]", "[0.5]" },
    { "[-1.000]", "[-0.500]" },
    { "[1e2,1E+10]", "[0.5,0.500]" },
    { '["\\"1.0",1.0]', '["\\"1.0",0.5]' },
    { '["\\\\",1.0]', '["\\\\",0.5]' },
    { '["', nil },
    { '"\\', nil },
    { "12", nil },
    { "1.", nil },
    { "1e", nil },
    { "", nil },
  } do
    it(("gives for %s: %s"):format(row[1], tostring(row[2])), function()
      assert.equal(row[2], (marked(row[1])))
    end)
  end

  it("gives nothing for what is not a string", function()
    assert.is_nil((marked(1.0)))
  end)
end)

describe("endpoint.result's restore", function()
  local restore = require("endpoint.result").restore

  for what, value in pairs { ["a string"] = "1.0", ["a boolean"] = true } do
    it("gives back what is not a table: " .. what, function()
      assert.equal(value, restore(value, {}))
    end)
  end

  it("gives back a table whose guide is not a table", function()
    local list = { 1.0 }
    assert.equal(list, restore(list, "text"))
    assert.equal("1:float", shown(list[1]))
  end)

  for title, row in pairs {
    ["a number below all integers"] = { { -1e300 }, { -1e300 } },
    ["an element whose guide is not a number"] = { { 1.0 }, { "x" } },
    ["an element whose guide is a fraction"] = { { 1.0 }, { 0.5 } },
    ["a field whose guide is not a number"] = { { a = 1.0 }, { a = "x" } },
  } do
    it("leaves a float: " .. title, function()
      local value = restore(row[1], row[2])
      assert.is_true(not math.type or math.type(value[1] or value.a) == "float")
    end)
  end
end)
