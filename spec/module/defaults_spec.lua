-- endpoint.defaults: which tables are copied, which are shared, and which are too deep. What
-- defaults do in calls, and which are refused, is in spec/vectors/calls.json; that changes of a
-- caller's tables do not change them, in spec/oracle/properties_spec.lua.
local endpoint = require "endpoint"
local support = require "support"

local null, api, cyclic, nested = endpoint.null, support.bare, support.cyclic, support.nested

describe("defaults", function()
  for title, copy in pairs {
    ["without an argument"] = api.defaults(),
    ["with nil"] = api.defaults(nil),
    ["with no option"] = api.defaults {},
    ["with a colon"] = api:defaults(),
  } do
    it("called " .. title .. " make a copy", function()
      assert.is_false(rawequal(api, copy))
      assert.same(api.DEFAULTS, copy.DEFAULTS)
    end)
  end

  it(
    "read from an endpoint are what merge has without arguments, and make an equal endpoint",
    function()
      local base = api.defaults {
        a = { 1 },
        url = "/x",
        headers = { B = "c" },
        mediaType = { format = "raw" },
      }
      assert.same(base.merge(), base.DEFAULTS)
      assert.same(
        base.DEFAULTS,
        endpoint.defaults({ headers = null }).defaults(base.DEFAULTS).DEFAULTS
      )
    end
  )
end)

describe("tables in defaults", function()
  local shared = { 1 }
  local with_shared = api.defaults {
    a = shared,
    b = { c = shared, d = { shared, shared } },
    data = { shared, { shared } },
  }
  local without_data = { data = null }
  for place, copy in pairs {
    DEFAULTS = with_shared.DEFAULTS,
    ["what merge returns"] = with_shared.merge "/x",
    ["a body of parameters"] = with_shared("PUT /x", without_data).body,
    ["DEFAULTS of a further defaults"] = with_shared.defaults().DEFAULTS,
  } do
    it("keep the shape of shared references in " .. place, function()
      assert.is_false(rawequal(shared, copy.a))
      assert.is_true(rawequal(copy.a, copy.b.c))
      assert.is_true(rawequal(copy.a, copy.b.d[1]))
      assert.is_true(rawequal(copy.a, copy.b.d[2]))
      assert.is_true(copy.data == nil or rawequal(copy.a, copy.data[1]))
    end)
  end

  it("keep the shape of shared references in a body that is the default data", function()
    local body = with_shared("PUT /x").body
    assert.is_true(rawequal(body[1], body[2][1]))
    assert.is_false(rawequal(shared, body[1]))
  end)

  local array = {} -- lua-cjson marks an empty array by a metatable
  local with_arrays =
    api.defaults { a = setmetatable({}, array), data = { b = setmetatable({ 1 }, array) } }
  for place, copy in pairs {
    DEFAULTS = with_arrays.DEFAULTS.a,
    ["the data of DEFAULTS"] = with_arrays.DEFAULTS.data.b,
    ["a body that is the default data"] = with_arrays("POST /x").body.b,
    ["a body of parameters"] = with_arrays("POST /x", { data = null }).body.a,
    ["what merge of a further defaults returns"] = with_arrays.defaults().merge("/x").a,
  } do
    it("keep their metatables, by reference, in " .. place, function()
      assert.is_true(rawequal(array, getmetatable(copy)))
    end)
  end

  -- Each copy of such a table would be finalized, or emptied, by itself.
  for _, field in ipairs { "__gc", "__mode" } do
    local places = {
      ["a parameter"] = function(t)
        return { a = t, b = {} }, "a"
      end,
      ["data"] = function(t)
        return { a = {}, data = t }, "data"
      end,
      ["a table in a parameter"] = function(t)
        return { a = { x = { t } } }, "a"
      end,
      ["a key of a parameter"] = function(t)
        return { a = { [t] = 1 } }, "a"
      end,
      ["a parameter over another default"] = function(t)
        return { z = t }, "z"
      end,
    }
    for place, options_of in pairs(places) do
      it("are refused with " .. field .. " in their metatable: " .. place, function()
        local given = setmetatable({ "x" }, { [field] = field == "__mode" and "k" or print })
        local options, name = options_of(given)
        local said = ('endpoint: default "%s": expected tables without %s'):format(name, field)
        support.raises(said, api.defaults { z = {} }.defaults, options)
        setmetatable(given, nil)
      end)
    end

    it(
      "go by reference with " .. field .. " in their metatable in a call, and as request",
      function()
        local given = setmetatable({ "x" }, { [field] = field == "__mode" and "k" or print })
        assert.is_true(rawequal(given, api("POST /x", { a = given }).body.a))
        assert.is_true(rawequal(given, api.defaults({ request = given })("/x").request))
        setmetatable(given, nil)
      end
    )
  end

  it("lose nothing when their metatable becomes weak later", function()
    local metatable = {}
    local e = api.defaults { a = setmetatable({ {}, k = {} }, metatable), b = { {} } }
    local further = e.defaults {}
    metatable.__mode = "kv"
    for _, each in ipairs { e, further } do
      collectgarbage()
      collectgarbage "stop" -- lest the copy lose something
      local copy = each.merge("/x").a
      local is_whole = copy[1] ~= nil and copy.k ~= nil
      collectgarbage "restart"
      assert.is_true(is_whole)
      assert.is_true(rawequal(metatable, getmetatable(copy)))
    end
  end)

  it("are copied as keys, too", function()
    local key = { "k" }
    local copy = api.defaults({ a = { [key] = "v", same = key } }).DEFAULTS.a
    assert.is_nil(copy[key])
    assert.equal("v", copy[copy.same])
    assert.same({ "k" }, copy.same)
  end)

  for what, value in pairs {
    ["a function"] = print,
    ["a file"] = io.stdout,
    ["a coroutine"] = coroutine.create(function() end),
    ["null"] = null,
    ["false"] = false,
    ["a number"] = 1.5,
  } do
    it("keep by reference: " .. what .. " in a table", function()
      local copy = api.defaults({ a = { 1, value } }).DEFAULTS
      assert.is_true(rawequal(value, copy.a[2]))
    end)
  end

  it("keep by reference: a function as a key", function()
    assert.equal("key", api.defaults({ a = { [print] = "key" } }).DEFAULTS.a[print])
  end)

  it("and other values beside tables are kept by reference", function()
    assert.is_true(rawequal(print, api.defaults({ b = print }).DEFAULTS.b))
  end)
end)

describe("a cycle in defaults", function()
  local loop, one, two, key = cyclic(), {}, {}, {}
  one.two, two.one = two, one
  key[key] = key
  local looped = api.defaults { a = loop, b = { { one } }, c = key, data = loop }
  for place, copy in pairs {
    DEFAULTS = looped.DEFAULTS,
    ["DEFAULTS of a further defaults"] = looped.defaults().DEFAULTS,
    ["what merge returns"] = looped.merge "/x",
    ["a body of parameters"] = looped("POST /x", { data = null }).body,
  } do
    it("is copied as a cycle in a field, in " .. place, function()
      assert.is_true(copy.a ~= loop and rawequal(copy.a.cycle, copy.a))
      assert.is_true(copy.data == nil or rawequal(copy.data, copy.a))
    end)

    it("is copied as a cycle through several tables, in " .. place, function()
      local first = copy.b[1][1]
      assert.is_true(first ~= one and rawequal(first.two.one, first))
    end)

    it("is copied as a cycle in a key, in " .. place, function()
      assert.is_true(copy.c ~= key and rawequal(copy.c[copy.c], copy.c))
    end)
  end

  it("is copied as a cycle in a body that is the default data", function()
    local body = looped("POST /x").body
    assert.is_true(body ~= loop and rawequal(body.cycle, body))
  end)

  it("may hold the table of options itself, which is copied, too", function()
    local options = { a = 1 }
    options.b = { options }
    local base = api.defaults(options)
    options.a = 2
    assert.equal(1, base.DEFAULTS.b[1].a)
  end)
end)

describe("tables in each other in defaults", function()
  local function raises_for(name, value)
    local message = support.message_of(api.defaults, { fine = { 1 }, [name] = value })
    support.holds(
      message:find('endpoint: default "' .. name .. '"', 1, true) == 1
        and message:find("100", 1, true),
      message
    )
    support.holds(not message:find("s3cret", 1, true), message)
  end

  for _, name in ipairs { "deep", "data" } do
    for _, depth in ipairs { 101, 102, 20000 } do
      it(("are refused if they are %d, and their key is named: %s"):format(depth, name), function()
        raises_for(name, nested(depth, "s3cret"))
      end)
    end

    it("are refused if 100 are in a key, and the outer key is named: " .. name, function()
      raises_for(name, { [nested(100)] = 1 })
    end)

    it("are refused if 100 are in a list, twice, and the key is named: " .. name, function()
      raises_for(name, { nested(100, "s3cret"), nested(100, "s3cret") })
    end)
  end

  local base = api.defaults { deep = nested(100), data = nested(100, "inner") }
  for place, copy in pairs {
    DEFAULTS = base.DEFAULTS,
    ["DEFAULTS of a further defaults"] = base.defaults().DEFAULTS,
    ["what merge returns"] = base.merge "/x",
  } do
    it("may be 100, in " .. place, function()
      assert.same(nested(100), copy.deep)
      assert.same(nested(100, "inner"), copy.data)
    end)
  end

  it("may be 120 where a shared table is also in a nearer place", function()
    local shared = nested(60)
    local copy = api.defaults({ a = { shared, nested(60, shared) }, b = shared }).DEFAULTS
    assert.same(nested(120), copy.a[2])
    assert.is_true(rawequal(copy.b, copy.a[1]))
  end)

  it("are merged whole, even if the call replaces the nearer place of a shared table", function()
    local shared = nested(60)
    local e = api.defaults { a = shared, b = nested(60, shared) }
    assert.same(nested(120), e.merge("/x", { a = 1 }).b)
  end)
end)

describe("a default request", function()
  for title, value in pairs {
    ["a table that holds itself"] = cyclic(),
    ["a table whose __index raises"] = setmetatable({}, { __index = error }),
    ["200 tables in each other"] = nested(200),
    ["a function"] = print,
    ["a userdata"] = io.stdout,
    ["a string"] = "r",
    ["a number"] = 5,
  } do
    local base = api.defaults { request = value }
    local cascaded = base.defaults { a = 1 }

    for place, result in pairs {
      DEFAULTS = base.DEFAULTS,
      ["what merge returns"] = base.merge("/x"),
      ["a result"] = base("/x"),
      ["what parse returns"] = base.parse(base.merge("/x")),
      ["DEFAULTS of a further defaults"] = cascaded.DEFAULTS,
      ["a result of a further defaults"] = cascaded("/x"),
    } do
      it(("that is %s is the same value in %s"):format(title, place), function()
        assert.is_true(rawequal(value, result.request))
      end)
    end

    it("that is " .. title .. " gives way whole to that of a call", function()
      assert.same({ b = 2 }, base("/x", { request = { b = 2 } }).request)
    end)

    it("that is " .. title .. " is taken away by null", function()
      assert.is_nil(base("/x", { request = null }).request)
    end)
  end
end)
