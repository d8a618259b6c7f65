-- Properties of every call, tried with random calls. The seeds are fixed, so that a failure
-- can be repeated. spec/tools/differential.lua tries as many as it is told.
local endpoint = require "endpoint"
local differential = require "differential"
local support = require "support"

local ROUNDS = 3000

describe("random calls", function()
  -- Of each sort of ending there must be enough.
  local function compare(seed, count, generator, ...)
    local tally, differing, texts = differential.run(seed, count, generator)
    assert.equal("", table.concat(texts, "\n"))
    assert.equal(0, differing)
    for _, ending in ipairs { ... } do
      assert.is_true(tally[ending] > count / 20, ending .. ": " .. tally[ending])
    end
  end

  it("have the URLs and the errors of the judge", function()
    compare(20240607, 5 * ROUNDS, differential.random_call, "url", "raised")
  end)

  it("of an endpoint with defaults have its results, and keep credentials at home", function()
    compare(20240610, 2 * ROUNDS, differential.random_whole_call, "url", "raised", "away", "refused")
  end)

  -- Found by many more calls than these.
  local found = {
    { "", ".%{a}", { a = "2F" } },
    { "", "{+a}2F.", { a = "%" } },
    { "https://h/", "{/a}.", { a = "" } },
    { "https://h", ".{#a}", { a = "x" } },
    { "https://h?k=v", ".{#a}", { a = "x" } },
    { "/v1/", "{?a}//.", {} },
    { "/v1/", "{&a}/.", {} },
    { "", "foo://{+a}b", { a = "x" } },
    { "/", "{+a}/", { a = "/" } },
  }
  for _, case in ipairs(found) do
    it(("blame who is to blame in %s behind %q"):format(case[2], case[1]), function()
      local call = { given = { baseUrl = case[1], url = { case[2] }, parameters = case[3], method = "POST" } }
      local kind, text, ending = differential.compare(call)
      assert.is_nil(kind, text)
      assert.equal("raised", ending)
    end)
  end

  local random = support.random(20240608)

  local function random_options()
    local options = differential.options(differential.random_call(random).given)
    if random(4) == 1 then options.headers = { ["X-A" .. random(9)] = "v" } end
    if random(6) == 1 then options.mediaType = { format = "raw", previews = { "p" } } end
    return options
  end

  local function copy(value)
    if type(value) ~= "table" then return value end
    local result = {}
    for key, field in pairs(value) do result[key] = copy(field) end
    return result
  end

  -- A NaN, which is not equal to itself, as a text.
  local function comparable(value)
    if value ~= value then return "NaN" end
    if type(value) ~= "table" then return value end
    local result = {}
    for key, field in pairs(value) do result[key] = comparable(field) end
    return result
  end

  it("do not modify their input, and have the same result when they are repeated", function()
    for _ = 1, ROUNDS do
      local options = random_options()
      local before = copy(options)
      local ok, result = pcall(endpoint, options)
      pcall(endpoint.merge, options)
      pcall(endpoint.defaults, options)
      assert.same(comparable(before), comparable(options))
      local again, other = pcall(endpoint, copy(options))
      support.equal(ok, again)
      if ok then assert.same(comparable(result), comparable(other)) end
    end
  end)

  it("take a prefix as they take a value that is that prefix", function()
    local pieces, refused = { ".", "..", "/", "\\", ";", "a", "bc", "%2e", "%" }, 0
    for _ = 1, ROUNDS do
      local value, length = "", random(6)
      for _ = 1, random(6) do value = value .. pieces[random(#pieces)] end
      local short = value:sub(1, length)
      local ok, whole = pcall(endpoint, "/x/{p}/y", { p = short })
      local _, prefix = pcall(endpoint, ("/x/{p:%d}/y"):format(length), { p = value })
      if not ok then refused = refused + 1 end
      support.equal(ok and whole.url or whole, type(prefix) == "table" and prefix.url or prefix, value .. " " .. length)
    end
    assert.is_true(refused > ROUNDS / 10, "too few: " .. refused)
  end)
end)

describe("decoding a URL", function()
  local random = support.random(20240609)

  local function decode(text)
    return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
  end

  local function random_bytes()
    local bytes = {}
    for i = 1, random(20) do bytes[i] = string.char(random(256) - 1) end
    return table.concat(bytes)
  end

  it("restores the value of {x}", function()
    local restored = 0
    for _ = 1, ROUNDS do
      local value = random_bytes()
      local ok, result = pcall(endpoint, "GET /{x}/end", { x = value })
      if ok then
        restored = restored + 1
        support.equal(value, decode(result.url:match("^https://api.service.example/([^/]*)/end$")))
      end
    end
    assert.is_true(restored > ROUNDS * 0.9, "too few: " .. restored)
  end)

  it("restores names and values of the query", function()
    for _ = 1, ROUNDS do
      local name, value = "n" .. random_bytes(), random_bytes()
      local found, text = endpoint("GET /", { [name] = value }).url:match("%?([^=&]*)=([^=&]*)$")
      support.equal(name, decode(found))
      support.equal(value, decode(text))
    end
  end)
end)
