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

    -- What compiling a template again takes, rather than finding it in the cache.
    local FIRST = "/first" .. PARTS
    local function check_kept(compiled, what)
      local taken = memory(call, FIRST)
      local said = "%s: expected less than %.0f KB, as it is kept, got %.0f"
      support.holds(taken < compiled - 5, said:format(what, compiled - 5, taken))
    end
    local function check_compiled(compiled, what)
      local taken = memory(call, FIRST)
      local said = "%s: expected more than %.0f KB, as it is compiled again, got %.0f"
      support.holds(taken > compiled - 5, said:format(what, compiled - 5, taken))
    end

    it("is not compiled again after 1000 others, but once the others take a mebibyte", function()
      local compiled = memory(call, FIRST)
      call(FIRST)
      use_others(1000, SHORT)
      check_kept(compiled, "after 1000 others")
      use_others(1100, LONG)
      check_compiled(compiled, "after a mebibyte of others")
      use_others(100, SHORT)
      check_kept(compiled, "after 100 others")
    end)

    it("is neither kept, nor displaces others, if its text comes once", function()
      local compiled = memory(call, FIRST)
      call(FIRST)
      local before = held()
      for i = 1, 5500 do
        call(SHORT:format(i))
      end
      local kept = held() - before
      assert.is_true(kept < BOUND / 2, kept)
      check_kept(compiled, "after 5500 others that came once")
    end)

    it("takes less memory, with all others, than a bound, however many are used", function()
      use_others(500, "/before/%d/{a}")
      local before = held()
      use_others(50000, "/after/%d/{a}")
      local kept = held() - before
      assert.is_true(kept < BOUND, kept)
    end)

    describe("of more than 64 KB", function()
      local TAIL = ("x"):rep(40000)
      local long = "/{a}/" .. TAIL

      it("is compiled at each call", function()
        local compiled = memory(call, long)
        for _ = 1, 40 do
          call(long)
        end
        local taken = memory(call, long)
        assert.is_true(taken > compiled - 50, taken)
      end)

      it("has the same result at each call", function()
        for _ = 1, 40 do
          support.same_text(support.BASE .. "/x/" .. TAIL, call(long).url)
        end
      end)

      it("does not displace others", function()
        local compiled = memory(call, FIRST)
        call(FIRST)
        for _ = 1, 40 do
          call(long)
        end
        check_kept(compiled, "after 40 calls of the long one")
      end)
    end)

    -- A server's `link` brings such a URL: each of these bytes is a literal.
    for _, row in ipairs {
      { "commas", "/items?ids=1", ",10000" },
      { "colons", "/items?at=1", ":10:00" },
      { "colons in words", "/items?at=1", "a:b" },
      { "commas after an expression", "/{a}/items?ids=1", ",x" },
      { "colons in a path", "/items", "/::" },
    } do
      local what, start, repeated = row[1], row[2], row[3]
      it("of 5 KB of " .. what .. " takes only a few times its size, and is kept", function()
        local url = start .. repeated:rep(math.floor(5000 / #repeated))
        local compiled = memory(call, url)
        assert.is_true(compiled < 50, compiled)
        call(url)
        local taken = memory(call, url)
        assert.is_true(taken < compiled - 5, taken)
      end)
    end

    it("of 100,000 commas takes less than 1 MB", function()
      local taken = memory(call, "/items?ids=" .. (","):rep(100000))
      assert.is_true(taken < 1000, taken)
    end)
  end)
end
