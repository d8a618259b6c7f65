-- What holds for every call, over random templates and values. The seed is
-- fixed, so that a failure comes again.
local endpoint = require "endpoint"

local ROUNDS = 3000
local null = endpoint.null

-- A generator of our own: the same numbers on every Lua (Park and Miller's).
local state = 20240607
local function random(n)
  state = state * 16807 % 2147483647
  return state % n + 1
end

local function pick(list)
  return list[random(#list)]
end

local NAMES = { "a", "b", "owner", "repo", "x-y", "data1", "_z", "a.b" }
local TEXTS = { "", "x", "a b", "..", ".", "%2e", "%2E%2e", "@evil.example", "//evil.example", "\\", "é",
  "\0", "\255\254", "{x}", ":y", "a/b", "?q=1", "#f", "a&b=c", "\r\nx: y", "https://evil.example/", ";x",
  "100%", "%41" }
local OPERATORS = { "", "", "+", "#", ".", "/", ";", "?", "&" }
local MODIFIERS = { "", "", "", "*", ":3" }
local LITERALS = { "/", "/repos/", "/x", "-", ".x", "é", "/..x", "?l=1", "#f", "/a%20b", "::" }
local METHODS = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" }

local function random_scalar()
  local kind = random(6)
  if kind == 1 then return random(1000000) / 8 end
  if kind == 2 then return random(2) == 1 end
  if kind == 3 then return null end
  return pick(TEXTS)
end

local function random_value()
  local kind, value = random(8), {}
  if kind > 2 then return random_scalar() end
  for i = 1, random(4) - 1 do value[kind == 1 and i or pick(NAMES)] = random_scalar() end
  return value
end

local function random_template()
  local parts = { "/" }
  for _ = 1, random(4) do
    if random(2) == 1 then
      parts[#parts + 1] = pick(LITERALS)
    else
      parts[#parts + 1] = "{" .. pick(OPERATORS) .. pick(NAMES) .. pick(MODIFIERS) .. "}"
    end
  end
  return table.concat(parts)
end

local function random_options()
  local options = {}
  for _ = 1, random(5) do options[pick(NAMES)] = random_value() end
  if random(4) == 1 then options.headers = { ["X-" .. pick(NAMES):gsub("%.", "-")] = "v" } end
  if random(6) == 1 then options.mediaType = { format = "raw", previews = { "p" } } end
  return options
end

local function copy(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for key, field in pairs(value) do result[key] = copy(field) end
  return result
end

-- Calls check(result, route, options, again) for each random call that has a result.
local function for_random_calls(check)
  local results, errors = 0, 0
  for _ = 1, ROUNDS do
    local route, options = pick(METHODS) .. " " .. random_template(), random_options()
    local ok, result = pcall(endpoint, route, options)
    if ok then
      results = results + 1
      check(result, route, options)
    else
      errors = errors + 1
      assert.truthy(result:find("endpoint: ", 1, true), result)
    end
  end
  assert.is_true(results > ROUNDS / 4, "too few results: " .. results)
  assert.is_true(errors > ROUNDS / 20, "too few errors: " .. errors)
end

describe("for random calls", function()
  it("endpoint(o) equals parse(merge(o))", function()
    for_random_calls(function(result, route, options)
      assert.same(result, endpoint.parse(endpoint.merge(route, options)), route)
    end)
  end)

  it("the error of endpoint(o) is that of parse(merge(o))", function()
    for _ = 1, ROUNDS do
      local route, options = pick(METHODS) .. " " .. random_template(), random_options()
      local ok, message = pcall(endpoint, route, options)
      if not ok then
        local again, other = pcall(function() return endpoint.parse(endpoint.merge(route, options)) end)
        assert.is_false(again)
        assert.equal(message:match("endpoint: .*"), other:match("endpoint: .*"))
      end
    end
  end)

  it("inputs are unchanged", function()
    for _ = 1, ROUNDS do
      local route, options = pick(METHODS) .. " " .. random_template(), random_options()
      local before = copy(options)
      pcall(endpoint, route, options)
      pcall(endpoint.merge, route, options)
      pcall(endpoint.defaults, options)
      assert.same(before, options)
    end
  end)

  it("equal calls give equal results", function()
    for_random_calls(function(result, route, options)
      assert.same(result, endpoint(route, copy(options)))
    end)
  end)

  it("the URL holds bytes from 0x21 to 0x7E and every % begins a triplet", function()
    for_random_calls(function(result, route)
      assert.falsy(result.url:find("[^\33-\126]"), route)
      assert.falsy(result.url:gsub("%%%x%x", ""):find("%", 1, true), route .. " -> " .. result.url)
    end)
  end)

  it("no value changes the host", function()
    for_random_calls(function(result, route)
      assert.equal("https://api.service.example/", result.url:match("^https://[^/?#]*/"), route)
    end)
  end)

  it("no value makes a dot segment", function()
    for_random_calls(function(result, route)
      local path = result.url:match("^[^?#]*"):gsub("%%2[eE]", ".") .. "/"
      assert.falsy(path:find("/%.%.?/"), route .. " -> " .. result.url)
    end)
  end)
end)

describe("decoding", function()
  local function decode(text)
    return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
  end

  local function random_bytes()
    local bytes = {}
    for i = 1, random(20) do bytes[i] = string.char(random(256) - 1) end
    return table.concat(bytes)
  end

  it("{x} gives back the value", function()
    for _ = 1, ROUNDS do
      local value = random_bytes()
      if value ~= "." and value ~= ".." then
        local url = endpoint("GET /{x}/end", { x = value }).url
        assert.equal(value, decode(url:match("^https://api.service.example/([^/]*)/end$")))
      end
    end
  end)

  it("the query gives back names and values", function()
    for _ = 1, ROUNDS do
      local name, value = "n" .. random_bytes(), random_bytes()
      local found, text = endpoint("GET /", { [name] = value }).url:match("%?([^=&]*)=([^=&]*)$")
      assert.equal(name, decode(found))
      assert.equal(value, decode(text))
    end
  end)
end)
