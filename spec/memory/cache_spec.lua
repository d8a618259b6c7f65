-- The cache of compiled templates: how long it keeps them, and how large it grows. It keeps a
-- template when its text comes for the second time.
local support = require "support"

-- The module, loaded anew, with a cache of its own.
local function load_again()
  local before = package.loaded.endpoint
  package.loaded.endpoint = nil
  local fresh = require "endpoint"
  package.loaded.endpoint = before
  return fresh
end

-- The KB that a call of f allocates.
local function memory(f, ...)
  collectgarbage()
  collectgarbage "stop"
  local before = collectgarbage "count"
  f(...)
  local taken = collectgarbage "count" - before
  collectgarbage "restart"
  return taken
end

-- The KB that are in use.
local function held()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count"
end

local BOUND = 1100 -- KB that a cache may hold, and some that the collector leaves
local SHORT, LONG = "/repos/owner/%d/issues/{a}/comments", "/%d/" .. ("x"):rep(1000)
local PARTS = ("/{a}"):rep(200) -- compiled, a block of some 10 KB

for name, arguments in pairs {
  ["a route"] = function(url)
    return "GET " .. url, { a = "x" }
  end,
  ["a url"] = function(url)
    return { url = url, a = "x" }
  end,
} do
  describe("the template of " .. name, function()
    local call

    before_each(function()
      local endpoint = load_again()
      call = function(url)
        return endpoint(arguments(url))
      end
    end)

    local function use_others(count, format)
      for i = 1, 2 * count do
        call(format:format(math.ceil(i / 2)))
      end
    end

    it(
      "is not compiled again after 1000 other templates, but once the others take a mebibyte",
      function()
        local compiled = memory(call, "/first" .. PARTS)
        call("/first" .. PARTS)
        use_others(1000, SHORT)
        assert.is_true(memory(call, "/first" .. PARTS) < compiled - 5)
        use_others(1100, LONG)
        assert.is_true(memory(call, "/first" .. PARTS) > compiled - 5)
        use_others(100, SHORT)
        assert.is_true(memory(call, "/first" .. PARTS) < compiled - 5)
      end
    )

    it("is neither kept, nor displaces others, if its text comes once", function()
      local compiled = memory(call, "/first" .. PARTS)
      call("/first" .. PARTS)
      local before = held()
      for i = 1, 5500 do
        call(SHORT:format(i))
      end
      assert.is_true(held() < before + BOUND / 2)
      assert.is_true(memory(call, "/first" .. PARTS) < compiled - 5)
    end)

    it(
      "takes, together with all others, less memory than a bound, however many are used",
      function()
        use_others(500, "/before/%d/{a}")
        local before = held()
        use_others(50000, "/after/%d/{a}")
        assert.is_true(held() < before + BOUND)
      end
    )

    it(
      "is compiled at each call if it takes more than 64 KB, and does not displace others",
      function()
        local long, short = "/{a}/" .. ("x"):rep(40000), memory(call, "/first" .. PARTS)
        call("/first" .. PARTS)
        local compiled = memory(call, long)
        for _ = 1, 40 do
          assert.equal(support.BASE .. "/x/" .. ("x"):rep(40000), call(long).url)
        end
        assert.is_true(memory(call, long) > compiled - 50)
        assert.is_true(memory(call, "/first" .. PARTS) < short - 5)
      end
    )
  end)
end
