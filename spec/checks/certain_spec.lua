-- The fast way of the rules says what the careful one says, of any call; and nothing of a document
-- becomes code of it.
package.path = "src/?.lua;spec/?.lua;" .. package.path
local certain = require "endpoint.checks.validator.certain"
local certain_call = require "endpoint.checks.calls.certain_call"
local differential = require "checks.certain_differential"
local quoted = require "endpoint.checks.validator.certain.writer".quoted
local schemas = require "checks.certain_schemas"

local load_text = loadstring or load

local STRING = { type = "string" }
local LIST = { type = "array", items = STRING }
local CLOSED = { type = "object", properties = { a = STRING }, additionalProperties = false }

-- A list that LuaJIT takes for as long as it has keys.
local function with_hole()
  local list = {}
  list[1], list[2] = "a", "a"
  list[1], list[99] = nil, "a"
  return list
end

describe("the fast way of the rules", function()
  for _, options in ipairs { {}, { open = true } } do
    local title = options.open and "with --open" or "as the document says"
    it("says what the careful one says of random calls, " .. title, function()
      local pair = differential.pair_of(schemas, options)
      local taken, found = differential.run(pair, 11, 2500)
      assert.same({}, found)
      assert.is_true(taken > 600, taken .. " calls were taken by the fast way")
    end)
  end

  -- An object with so many fields.
  local function holding(count)
    local large = { type = "object", properties = {}, additionalProperties = false }
    for number = 1, count do
      large.properties["p" .. number] = { type = "integer" }
    end
    return large
  end

  for title, row in pairs {
    ["a large object in a field"] = { 16, "a", true },
    ["a large object in a list"] = { 16, "list", true },
    ["a large object among other names"] = { 16, "other", true },
    ["a small object in a field"] = { 14, "a", false },
  } do
    it("writes when it is needed first, or at once: " .. title, function()
      local large, rulebook = holding(row[1]), { schemas = {} }
      local node = {
        type = "object",
        properties = {
          a = row[2] == "a" and large or nil,
          list = { type = "array", items = row[2] == "list" and large or nil },
        },
        additionalProperties = row[2] == "other" and large or nil,
      }
      local function value(one)
        return row[2] == "list" and { list = { one } } or { [row[2]] = one }
      end
      local fits = certain.of_node(rulebook, node)
      assert.is_true(fits({}, 0))
      assert.is_nil(rawget(rulebook.certain.functions, large))
      assert.is_true(fits(value { p1 = 1 }, 0))
      assert.is_false(fits(value { p1 = "x" }, 0))
      assert.is_false(fits(value { q = 1 }, 0))
      assert.equal(row[3], rawget(rulebook.certain.functions, large) ~= nil)
    end)
  end

  it("leaves a list in the place of options to the careful one", function()
    local check = differential.pair_of(schemas).fast.check
    assert.is_false((pcall(check, "POST /Either", { "a" })))
    assert.is_false((pcall(check, "POST /Either", { "a" })))
    check("POST /Either", { data = { "a" } })
  end)

  for route, given in pairs {
    ["POST /Fields"] = { a = "x", b = 1, d = true, e = "y" },
    ["POST /Union"] = { kind = "b", y = 1 },
    ["POST /Nested"] = { list = { { a = "x", b = 1 } }, map = { k = "v" }, any = { 1 } },
    ["POST /Many"] = { p1 = 1, p3 = { left = { value = 1 } } },
    ["POST /Patterns"] = { a = "abc", b = "x", d = "" },
    ["GET /Closed/{id}"] = { id = "1" },
  } do
    it("takes an ordinary call: " .. route, function()
      local operation, taken = certain_call.operation, nil
      function certain_call.operation(...)
        taken = operation(...)
        return taken
      end
      local check = differential.pair_of(schemas).fast.check
      pcall(check, route, given)
      assert.is_nil(taken) -- it is made for the second call
      local is_right, problem = pcall(check, route, given)
      certain_call.operation = operation
      assert.is_true(is_right, problem)
      assert.equal(route, taken and (taken[1]:gsub("{%?.*", "")))
    end)
  end

  it("calls no metamethod of a value that alternatives have", function()
    local check = differential.pair_of(schemas).fast.check
    local called = 0
    local function count()
      called = called + 1
    end
    local value = setmetatable({}, { __index = count, __len = count, __pairs = count })
    check("POST /List", { data = {} })
    for _, route in ipairs { "POST /List", "POST /Union" } do
      for _ = 1, 3 do
        pcall(check, route, { data = { value } })
        pcall(check, route, { data = value })
      end
    end
    assert.equal(0, called)
  end)

  it("leaves a table that is in many places, or in itself, to the careful one", function()
    local check = differential.pair_of(schemas).fast.check
    local tree = { value = 1 }
    for _ = 1, 60 do
      tree = { left = tree, right = tree }
    end
    local began = os.clock()
    check("POST /Tree", tree)
    check("POST /Tree", tree)
    tree.a = tree
    assert.is_false((pcall(check, "POST /Tree", tree)))
    assert.is_true(os.clock() - began < 5)
  end)

  it("tries alternatives that hold each other no more often than it may", function()
    local check = differential.pair_of(schemas).fast.check
    local expression = 1
    for _ = 1, 60 do
      expression = { left = expression, op = "+" }
    end
    local began = os.clock()
    pcall(check, "POST /Expression", { data = expression })
    pcall(check, "POST /Expression", { data = expression })
    assert.is_true(os.clock() - began < 5)
  end)

  local function without_nkeys()
    local loaded = package.loaded["table.nkeys"]
    local preload = package.preload["table.nkeys"]
    package.loaded["table.nkeys"], package.preload["table.nkeys"] = nil, error
    local is_read, without = pcall(dofile, "src/endpoint/checks/validator/certain.lua")
    package.loaded["table.nkeys"], package.preload["table.nkeys"] = loaded, preload
    assert.is_true(is_read, without)
    return without
  end

  for title, row in pairs {
    ["a string that is too short"] = { { type = "string", minLength = 3 }, "ab", false },
    ["one of two characters"] = { { type = "string", minLength = 2 }, "\195\164b", nil },
    ["one of three, in ASCII"] = { { type = "string", minLength = 3 }, "abc", true },
    ["one of ten, in UTF-8"] = { { type = "string", minLength = 10 }, ("\195\164"):rep(10), true },
    ["one of nine, in UTF-8"] = { { type = "string", minLength = 10 }, ("\195\164"):rep(9) },
    ["no list"] = { { type = "array", items = STRING }, "a", false },
    ["a list of three"] = { { type = "array", items = STRING }, { "a", "b", "c" }, true },
    ["a wrong third"] = { { type = "array", items = STRING }, { "a", "b", 3, "d" }, false },
    ["a wrong fifth"] = { { type = "array", items = STRING }, { "a", "b", "c", "d", 5 }, false },
    ["an object for a list"] = { { type = "array", items = STRING }, { a = "b" }, false },
    ["a list with a hole"] = { { type = "array", items = STRING }, { "a", nil, "c" } },
    ["a hole and another number"] = { { type = "array" }, with_hole() },
    ["a list from 2 on"] = { { type = "array", items = STRING }, { [2] = "a" } },
    ["a list with a metatable"] = { { type = "array" }, setmetatable({ "a" }, {}) },
    ["a list in a list"] = { { type = "array", items = LIST }, { { "a" }, { "b" }, {} }, true },
    ["a wrong one in it"] = { { type = "array", items = LIST }, { { "a" }, { "b", 5 } }, false },
    ["a closed object"] = { CLOSED, { a = "x" }, true },
    ["an unknown name"] = { CLOSED, { a = "x", b = "y" }, false },
    ["an unknown number"] = { CLOSED, { a = "x", [1] = "y" }, false },
  } do
    it("says it with table.nkeys and without: " .. title, function()
      for _, one in ipairs { certain, without_nkeys() } do
        assert.equal(row[3], one.of_node({ schemas = {} }, row[1])(row[2], 0))
      end
    end)
  end

  -- Functions that give options, and a function that changes them, each time otherwise.
  local CHANGING = {
    ["POST /Nested"] = function()
      local body = { list = { { a = "x", b = 1 } }, map = { k = "v" }, any = { 1 } }
      return body,
        function()
          body.list[1].b = body.list[1].b == 1 and "y" or 1
          body.map.k = body.map.k ~= "v" and "v" or 2
        end
    end,
    ["POST /List"] = function()
      local list = {}
      for position = 1, 9 do
        list[position] = { kind = "a", x = "x" }
      end
      return { data = list }, function()
        list[#list == 9 and 9 or #list + 1] = #list < 9 and { kind = "a", x = "x" } or nil
      end
    end,
    ["POST /Rest"] = function()
      local list = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }
      return { a = list }, function()
        list[9] = not list[9] and 9 or nil
      end
    end,
  }

  local function check_changing(route, is_careful)
    local body, change = CHANGING[route]()
    local check, right = differential.pair_of(schemas).fast.check, 0
    for steps = 1, 300 do
      debug.sethook(change, "", steps)
      local is_right, problem = pcall(check, route, body, nil, { decoded = is_careful })
      debug.sethook()
      right = right + (is_right and 1 or 0)
      assert.is_true(
        is_right or problem:find("endpoint.checks: " .. route, 1, true) ~= nil,
        problem
      )
    end
    assert.is_true(right > 0)
  end

  for route in pairs(CHANGING) do
    for way, is_careful in pairs { fast = false, careful = true } do
      local title = "raises its own errors alone if a value changes meanwhile: %s, the %s way"
      it(title:format(route, way), function()
        check_changing(route, is_careful)
      end)
    end
  end

  -- Runs a file of the sources where there is no `load`, as in some sandboxes.
  local function without_load(path)
    local load_before, loadstring_before = rawget(_G, "load"), rawget(_G, "loadstring")
    rawset(_G, "load", nil)
    rawset(_G, "loadstring", nil)
    local is_read, found = pcall(dofile, path)
    rawset(_G, "load", load_before)
    rawset(_G, "loadstring", loadstring_before)
    return is_read, found
  end

  it("says nothing where text cannot be loaded", function()
    local is_read, without = without_load "src/endpoint/checks/validator/certain.lua"
    assert.is_true(is_read, without)
    assert.is_nil(without.of_node({ schemas = {} }, { type = "string" })("a", 0))
    assert.is_true(certain.of_node({ schemas = {} }, { type = "string" })("a", 0))
  end)

  it("is not reached there: rules are text, and say so when they are required", function()
    local is_read, problem = without_load "src/endpoint/checks/calls/constructed.lua"
    assert.is_false(is_read)
    assert.truthy(problem:find("this Lua has no `load`", 1, true))
  end)

  it("leaves what is too long for a function of this Lua to the careful one", function()
    local properties, value = {}, {}
    for number = 1, 3000 do
      properties["p" .. number] = { type = "object", properties = { a = { enum = { "x" } } } }
      value["p" .. number] = { a = "x" }
    end
    local node = { type = "object", properties = properties, additionalProperties = false }
    local says = certain.of_node({ schemas = {} }, node)(value, 0)
    assert.is_true(says == nil or says == true)
  end)
end)

describe("a string of a document is quoted", function()
  local bytes = {}
  for code = 0, 255 do
    bytes[code + 1] = string.char(code)
  end
  local whole = table.concat(bytes)
  for _, given in ipairs { whole, whole:reverse(), "1\0002", '"', "\\", "\r\n", "]]", "" } do
    it(("whatever its bytes: %q"):format(given:sub(1, 4)), function()
      local written = quoted(given)
      assert.equal(given, load_text("return " .. written)())
      assert.is_nil(written:sub(2, -2):find "[^%w _.\\-]")
    end)
  end
end)
