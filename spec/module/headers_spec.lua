-- Headers, beyond the rows of spec/vectors/headers.json: many, and what JSON cannot say.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = support.bare
local SECRET = "s3cret"

-- Each way from a table of headers to the headers of a result.
local ways = {
  merge = function(headers) return api.merge("/x", { headers = headers }).headers end,
  call = function(headers) return api("/x", { headers = headers }).headers end,
  parse = function(headers) return api.parse { url = "https://h/x", headers = headers }.headers end,
  defaults = function(headers) return api.defaults({ headers = headers }).DEFAULTS.headers end,
}

-- Runs check with each way. An error names the way.
local function each_way(check)
  for _, name in ipairs { "merge", "call", "parse", "defaults" } do
    local ok, message = pcall(check, ways[name])
    if not ok then error(name .. ": " .. tostring(message), 2) end
  end
end

local function raises_everywhere(words, headers)
  each_way(function(way)
    support.raises(words, way, headers)
    assert.is_nil(support.message_of(way, headers):find(SECRET, 1, true))
  end)
end

describe("headers", function()
  it("come out as they are, in new tables", function()
    local list = { "a", "b" }
    local given = { ["X-List"] = list, n = 14, byte = "\255", ["x-gone"] = null }
    each_way(function(way)
      local headers = way(given)
      assert.same({ ["x-list"] = list, n = 14, byte = "\255" }, headers)
      assert.equal("14", tostring(headers.n)) -- an integer stays one
      assert.is_false(rawequal(list, headers["x-list"]))
      headers["x-list"][1], headers.more = "changed", "y"
      assert.same({ ["X-List"] = { "a", "b" }, n = 14, byte = "\255", ["x-gone"] = null }, given)
    end)
  end)

  it("are merged name by name, however many there are", function()
    for _, count in ipairs { 2, 32, 33, 100 } do
      local defaults, given, expected = {}, {}, {}
      for i = 1, count do
        defaults["x-" .. i], given["X-" .. i], expected["x-" .. i] = "default", "given", "given"
        defaults["y-" .. i], expected["y-" .. i] = "default", "default"
      end
      local e = api.defaults { headers = defaults }
      assert.same(expected, e.merge("/x", { headers = given }).headers)
      given["x-" .. count] = "again"
      support.raises({ ('header "x-%d"'):format(count), "case" }, e.merge, "/x", { headers = given })
    end
  end)

  it("are not labelled for data of other types", function()
    for _, data in ipairs { print, io.stdout, coroutine.create(function() end) } do
      assert.same({}, api("POST /x", { data = data }).headers)
    end
    assert.same({}, api.merge("POST /x", { a = 1 }).headers)
  end)
end)

describe("a header name", function()
  it("comes in lower case, however long it is", function()
    each_way(function(way)
      for size = 1, 200, 9 do assert.equal("a", way { [("X"):rep(size)] = "a" }[("x"):rep(size)]) end
    end)
  end)

  it("is refused if it is no string", function()
    raises_everywhere({ "headers", "string", "boolean" }, { [true] = "x" })
  end)
end)

describe("a header value", function()
  it("is refused if it is a table, but no list of strings", function()
    for _, value in ipairs { { SECRET, a = SECRET }, { SECRET, [9] = SECRET }, { [0] = SECRET }, { [1.5] = SECRET } } do
      raises_everywhere({ 'header "x-a"', "list", "strings" }, { ["X-A"] = value })
    end
  end)

  it("is refused if it is not finite, or of another type", function()
    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
      raises_everywhere({ 'header "x-a"', "finite" }, { ["X-A"] = value })
    end
    for _, value in ipairs { print, io.stdout, coroutine.create(function() end), support.light_userdata() } do
      raises_everywhere({ 'header "x-a"', "string", type(value) }, { ["X-A"] = value })
    end
  end)
end)
