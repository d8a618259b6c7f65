-- Results of calls, beyond the rows of spec/vectors/requests.json: what is new, and what is handed on
-- by reference.
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
    local list = endpoint.variables "/{a}"
    list[1].name = "changed"
    assert.equal("a", endpoint.variables "/{a}"[1].name)
  end)

  it("has values by reference, of any type", function()
    local trap = setmetatable({}, { __index = error, __pairs = error, __len = error, __tostring = error })
    local values = { support.cyclic(), trap, print, io.stdout, support.light_userdata(), { [{}] = 1 }, math.huge, "\0\255" }
    for _, value in ipairs(values) do
      assert.is_true(rawequal(value, api("POST /x", { a = value }).body.a))
      for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "PROPFIND" } do
        assert.is_true(rawequal(value, api(method .. " /x", { data = value, a = print }).body))
      end
      for _, f in ipairs { api, api.merge, api.defaults({ request = { 4 } }).merge } do
        assert.is_true(rawequal(value, f("GET /x", { request = value }).request))
      end
      local merged = api.defaults({ a = { 2 }, data = { 3 } }).merge("/x", { a = value, data = value })
      assert.is_true(rawequal(value, merged.a) and rawequal(value, merged.data))
    end
    local nan = api("POST /x", { a = 0 / 0 }).body.a
    assert.is_true(nan ~= nan)
  end)
end)
