-- The cache of compiled templates: how long it keeps them, and how large it grows.
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

local kinds = {
  { "a route", function(url) return "GET " .. url, { a = "x" } end },
  { "a url", function(url) return { url = url, a = "x" } end },
}

for _, kind in ipairs(kinds) do
  local name, arguments = kind[1], kind[2]

  describe("the template of " .. name, function()
    local parts = ("/{a}"):rep(200) -- compiled, a block of some 10 KB

    -- A function that calls a module with a cache of its own.
    local function caller()
      local endpoint = load_again()
      return function(url) return endpoint(arguments(url)) end
    end

    local function use_others(call, count, format)
      for i = 1, count do call(format:format(i)) end
    end

    local SHORT, LONG = "/repos/owner/%d/issues/{a}/comments", "/%d/" .. ("x"):rep(1000)

    it("is not compiled again after 1000 other templates, but once the others take a mebibyte", function()
      local call = caller()
      local compiled = memory(call, "/first" .. parts)
      use_others(call, 1000, SHORT)
      assert.is_true(memory(call, "/first" .. parts) < compiled - 5)
      use_others(call, 1100, LONG)
      assert.is_true(memory(call, "/first" .. parts) > compiled - 5)
      use_others(call, 100, SHORT)
      assert.is_true(memory(call, "/first" .. parts) < compiled - 5)
    end)

    it("takes, together with all others, less memory than a bound, however many are used", function()
      local call = caller()
      use_others(call, 500, "/before/%d/{a}")
      local before = held()
      use_others(call, 50000, "/after/%d/{a}")
      assert.is_true(held() < before + 1100)
    end)

    it("takes, together with others of long texts, less memory than that at any time", function()
      local call, before, most = caller(), nil, 0
      for i = 1, 800 do
        call(LONG:format(i))
        if i % 30 == 1 then
          before = before or held()
          most = math.max(most, held())
        end
      end
      assert.is_true(most < before + 1100)
    end)

    it("is compiled at each call if it takes more than 64 KB, and does not displace others", function()
      local call, long = caller(), "/{a}/" .. ("x"):rep(40000)
      local short = memory(call, "/first" .. parts)
      local compiled = memory(call, long)
      for _ = 1, 40 do assert.equal(support.BASE .. "/x/" .. ("x"):rep(40000), call(long).url) end
      assert.is_true(memory(call, long) > compiled - 50)
      assert.is_true(memory(call, "/first" .. parts) < short - 5)
    end)
  end)
end

describe("the cache", function()
  it("holds templates of every length within its bound", function()
    local endpoint, before = load_again(), nil
    for length = 1, 60 do
      local url = "/" .. ("x"):rep(length * 1000)
      for _ = 1, 2 do assert.equal(support.BASE .. url, endpoint(url).url) end
      before = before or held()
    end
    assert.is_true(held() < before + 1100)
  end)
end)
