-- Results of calls, beyond the rows of spec/vectors/requests.json: what is new, what is handed on by
-- reference, and many parameters.
local endpoint = require "endpoint"
local support = require "support"

local parse = endpoint.parse
local api = support.bare

describe("the result", function()
  it("has no other fields than those of the reference", function()
    local merged = { url = "/{p}", baseUrl = "https://h", p = 1, a = 2, method = "PUT", mediaType = { format = "raw" } }
    assert.same({ "body", "headers", "method", "url" }, support.keys(parse(merged)))
    merged.method, merged.request = "GET", {}
    assert.same({ "headers", "method", "request", "url" }, support.keys(parse(merged)))
  end)

  it("is a new table, and so are its headers and its body", function()
    local merged = { url = "https://h", method = "PUT", headers = { a = "b" }, c = 1 }
    local result = parse(merged)
    result.headers.a, result.url, result.body.c = "changed", "changed", "changed"
    assert.same({ url = "https://h", method = "PUT", headers = { a = "b" }, c = 1 }, merged)
    assert.same({ c = 1 }, parse(merged).body)
  end)

  it("has values by reference, of any type", function()
    local trap = setmetatable({}, { __index = error, __pairs = error, __len = error, __tostring = error })
    local values = { support.cyclic(), trap, print, io.stdout, support.light_userdata(), { [{}] = 1 }, math.huge, "\0\255" }
    for _, value in ipairs(values) do
      assert.is_true(rawequal(value, api("POST /x", { a = value }).body.a))
      for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "PROPFIND" } do
        assert.is_true(rawequal(value, api(method .. " /x", { data = value, a = print }).body))
      end
      for _, f in ipairs { api, api.merge } do
        assert.is_true(rawequal(value, f("GET /x", { request = value }).request))
      end
    end
    local nan = api("POST /x", { a = 0 / 0 }).body.a
    assert.is_true(nan ~= nan)
  end)
end)

describe("parse", function()
  it("applies no defaults", function()
    local full = endpoint.defaults {
      method = "POST", url = "/default", baseUrl = "https://h", headers = { a = "b" }, per_page = 100, id = 5,
      mediaType = { format = "raw" }, data = "d", request = {},
    }
    assert.same({ method = "get", url = "https://other/x", headers = { accept = "application/vnd.x+json" } },
      full.parse { url = "https://other/x", headers = { accept = "application/vnd.x+json" } })
    support.raises({ 'option "url"', "missing" }, full.parse, {})
    support.raises({ 'option "baseUrl"', "missing" }, full.parse, { url = "/x" })
    support.raises('"id"', full.parse, { url = "https://h/{id}" })
  end)

  it("takes one table", function()
    support.raises({ "argument 1", "table", "function" }, parse, print)
    support.raises({ "argument 1", "null" }, parse, endpoint.null)
  end)
end)

-- The module keeps few parameters on the stack and moves many into a table.
describe("many parameters", function()
  for _, count in ipairs { 31, 32, 33, 64, 500 } do
    it(("are all in the query, the body and merge's output: %d"):format(count), function()
      local options, names = {}, {}
      for i = 1, count do
        local name = ("parameter%04d"):format(i * 7919 % 10000) -- eight bytes are compared at a time
        options[name] = i
        names[i] = name .. "=" .. i
      end
      table.sort(names)
      assert.same(options, endpoint("POST /", options).body)
      assert.equal(support.BASE .. "/?" .. table.concat(names, "&"), endpoint("GET /", options).url)
      assert.equal(support.BASE .. "/?" .. table.concat(names, "&"), endpoint("GET {?m*}", { m = options }).url)
      local merged = endpoint.merge("POST /", options)
      for name, value in pairs(options) do assert.equal(value, merged[name]) end
      assert.same(endpoint("POST /", options), endpoint.parse(merged))
    end)

    it(("are all in the path, from the call or the defaults: %d"):format(count), function()
      local options, template, path = {}, {}, {}
      for i = 1, count do
        options["k" .. i] = i
        template[i], path[i] = "{k" .. i .. "}", tostring(i)
      end
      local route = "/" .. table.concat(template, "/")
      local base = endpoint.defaults(options)
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), endpoint(route, options).url)
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), base(route).url)
      path[count] = "x"
      assert.equal(support.BASE .. "/" .. table.concat(path, "/"), base(route, { ["k" .. count] = "x" }).url)
      support.raises({ ('parameter "k%d"'):format(count), "missing" }, base, route, { ["k" .. count] = endpoint.null })
    end)
  end
end)
