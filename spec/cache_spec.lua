-- The compiled templates of a load of the module: found again, and bounded.
local support = require "support"

-- A load of the module with a cache of its own.
local function load_again()
  local before = package.loaded.endpoint
  package.loaded.endpoint = nil
  local fresh = require "endpoint"
  package.loaded.endpoint = before
  return fresh
end

-- KB that a call of f takes from the allocator.
local function memory(f, ...)
  collectgarbage()
  collectgarbage "stop"
  local before = collectgarbage "count"
  f(...)
  local taken = collectgarbage "count" - before
  collectgarbage "restart"
  return taken
end

-- KB that are held.
local function held()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count"
end

local kinds = {
  { "a route", function(url) return "GET " .. url, { a = "x" } end },
  { "a url", function(url) return { url = url, a = "x" } end },
}

for _, kind in ipairs(kinds) do
  local name, arguments = kind[1], kind[2]

  describe("the template of " .. name, function()
    local endpoint
    local parts = ("/{a}"):rep(200) -- compiling these takes a block of some 10 KB

    before_each(function() endpoint = load_again() end)

    local function call(url) return endpoint(arguments(url)) end

    local function use_others(count, format)
      for i = 1, count do call(format:format(i)) end
    end

    it("is not compiled again after calls of a thousand others", function()
      local compiled = memory(call, "/first" .. parts)
      use_others(1000, "/repos/owner/%d/issues/{a}/comments")
      assert.is_true(memory(call, "/first" .. parts) < compiled - 5)
    end)

    it("is compiled again once others took a mebibyte", function()
      local compiled = memory(call, "/first" .. parts)
      use_others(1100, "/%d/" .. ("x"):rep(1000))
      assert.is_true(memory(call, "/first" .. parts) > compiled - 5)
    end)

    it("takes no more memory for a hundred times as many", function()
      use_others(500, "/before/%d/{a}")
      local before = held()
      use_others(50000, "/after/%d/{a}")
      assert.is_true(held() < before + 1100)
    end)

    it("is compiled at each call if it takes more than 64 KB, and leaves the others alone", function()
      local long = "/{a}/" .. ("x"):rep(40000)
      call("/first" .. parts)
      local compiled = memory(call, long)
      for _ = 1, 40 do assert.equal(support.BASE .. "/x/" .. ("x"):rep(40000), call(long).url) end
      assert.is_true(memory(call, long) > compiled - 5)
      assert.is_true(memory(call, "/first" .. parts) < 5)
    end)
  end)
end

describe("the cache", function()
  it("holds templates of every length", function()
    local endpoint, before = load_again(), nil
    for length = 1, 60 do
      local url = "/" .. ("x"):rep(length * 1000)
      for _ = 1, 2 do assert.equal(support.BASE .. url, endpoint(url).url) end
      before = before or held()
    end
    assert.is_true(held() < before + 1100)
  end)
end)
