-- Headers, beyond the rows of spec/vectors/headers.json: many, and what JSON cannot say.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = support.bare
local SECRET = "s3cret"

-- Each way from a table of headers to the headers of a result.
local WAYS = {
  merge = function(headers) return api.merge("/x", { headers = headers }).headers end,
  call = function(headers) return api("/x", { headers = headers }).headers end,
  parse = function(headers) return api.parse { url = "https://h/x", headers = headers }.headers end,
  defaults = function(headers) return api.defaults({ headers = headers }).DEFAULTS.headers end,
}

describe("headers", function()
  for name, headers_of in pairs(WAYS) do
    it("come out as they are, in new tables and in lower case: " .. name, function()
      local list, long = { "a", "b" }, ("X"):rep(199)
      local given = { ["X-List"] = list, n = 14, byte = "\255", ["x-gone"] = null, [long] = "l" }
      local headers = headers_of(given)
      assert.same({ ["x-list"] = list, n = 14, byte = "\255", [long:lower()] = "l" }, headers)
      assert.equal("14", tostring(headers.n)) -- an integer stays one
      assert.is_false(rawequal(list, headers["x-list"]))
      headers["x-list"][1], headers.more = "changed", "y"
      assert.same({ ["X-List"] = { "a", "b" }, n = 14, byte = "\255", ["x-gone"] = null, [long] = "l" }, given)
    end)

    it("are refused without being shown: " .. name, function()
      local function refused(words, headers)
        support.raises(words, headers_of, headers)
        assert.is_nil(support.message_of(headers_of, headers):find(SECRET, 1, true))
      end
      refused({ "headers", "string", "boolean" }, { [true] = SECRET })
      for _, value in ipairs { { SECRET, a = SECRET }, { SECRET, [9] = SECRET }, { [0] = SECRET }, { [1.5] = SECRET } } do
        refused({ 'header "x-a"', "list", "strings" }, { ["X-A"] = value })
      end
      for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do refused({ 'header "x-a"', "finite" }, { ["X-A"] = value }) end
      for _, value in ipairs { print, io.stdout, coroutine.create(function() end), support.light_userdata() } do
        refused({ 'header "x-a"', "string", type(value) }, { ["X-A"] = value })
      end
    end)
  end

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

  it("do not label data of other types", function()
    for _, data in ipairs { print, io.stdout, coroutine.create(function() end) } do
      assert.same({}, api("POST /x", { data = data }).headers)
    end
    assert.same({}, api.merge("POST /x", { a = 1 }).headers)
  end)
end)
