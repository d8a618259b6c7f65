-- endpoint.defaults: an endpoint on top of another one, and which tables are copied.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api, cyclic, nested = support.bare, support.cyclic, support.nested

describe("defaults", function()
  it("make a new endpoint and do not change the old one", function()
    local before = api.DEFAULTS
    local new = api.defaults { method = "POST", baseUrl = "https://new", a = 1, headers = { b = "c" } }
    assert.same(before, api.DEFAULTS)
    assert.equal("userdata", type(new))
    assert.is_false(rawequal(api, new))
    assert.equal("https://h/x", api("/x").url)
    assert.equal("https://new/x", new("/x").url)
    assert.equal("post", new("/x").method)
  end)

  it("cascade: the last one wins", function()
    local first = api.defaults { a = 1, b = 1, headers = { h = 1, i = 1 }, mediaType = { format = "one" } }
    local second = first.defaults { b = 2, c = 2, headers = { i = 2 }, mediaType = { previews = { "p" } } }
    local third = second.defaults { c = 3, headers = { h = null }, mediaType = { previews = { "q" } } }
    assert.same({ method = "GET", baseUrl = "https://h", a = 1, b = 2, c = 3, headers = { i = 2 },
                  mediaType = { format = "one", previews = { "p", "q" } } }, third.DEFAULTS)
    assert.same({ method = "GET", baseUrl = "https://h", a = 1, b = 1, headers = { h = 1, i = 1 },
                  mediaType = { format = "one" } }, first.DEFAULTS)
    assert.equal("https://h/x?a=1&b=2&c=3", third("/x").url)
    assert.equal("https://h/x?a=1&b=9&c=3", third("/x", { b = 9 }).url)
  end)

  it("without options make a copy", function()
    for _, copy in ipairs { api.defaults(), api.defaults(nil), api.defaults {}, api:defaults() } do
      assert.is_false(rawequal(api, copy))
      assert.same(api.DEFAULTS, copy.DEFAULTS)
    end
  end)

  it("refuse the option baseUrl in another spelling, whatever its value is", function()
    for _, key in ipairs { "baseURL", "base_url", "base-url", "BaseUrl", "BASEURL", "baseurl", "_base-URL_" } do
      for _, value in ipairs { "https://h", { 1 }, 5, false, null } do
        support.raises({ ('default "%s"'):format(key), 'option "baseUrl"' }, api.defaults, { [key] = value })
      end
    end
  end)

  it("refuse a table under the name mediaType in another spelling", function()
    for _, key in ipairs { "mediatype", "media_type", "media-type", "MediaType", "MEDIA_TYPE" } do
      for _, value in ipairs { {}, { format = "raw" } } do
        support.raises({ ('default "%s"'):format(key), 'option "mediaType"' }, api.defaults, { [key] = value })
      end
      assert.equal("raw", api.defaults({ [key] = "raw" }).DEFAULTS[key])
      assert.is_nil(api.defaults({ [key] = null }).DEFAULTS[key])
    end
  end)

  it("take parameters with other names, and a call takes any", function()
    for _, key in ipairs { "base", "baseur", "baseUrls", "baseUrl2", "base url", "base.url", "baseUrl\0", "mediaTypes",
                           "URL", "Headers", "Data", "" } do
      assert.same({ 1 }, api.defaults({ [key] = { 1 } }).DEFAULTS[key])
    end
    assert.equal("https://h/x?base_url=y", api("/x", { base_url = "y" }).url)
    assert.same({ media_type = {} }, api("POST /x", { media_type = {} }).body)
  end)

  it("are checked when they are given", function()
    support.raises({ "method", "token" }, api.defaults, { method = "G T" })
    support.raises({ 'header "a b"', "token" }, api.defaults, { headers = { ["a b"] = "c" } })
    support.raises({ 'option "url"', "string", "number" }, api.defaults, { url = 5 })
    support.raises({ "argument 1", "number" }, api.defaults, 5)
    support.raises({ "argument 1", "number" }, api.defaults, api, 5)
  end)

  it("of options are cancelled by null in the call", function()
    local base = api.defaults { baseUrl = "https://a", method = "PUT", request = 1, data = "d" }
    assert.equal("get", base("https://b", { method = null, data = null }).method)
    assert.is_nil(base("/x", { request = null }).request)
    assert.is_nil(base("/x", { data = null }).body)
    support.raises({ 'option "baseUrl"', "missing" }, base, "/x", { baseUrl = null })
  end)
end)

-- What it does in calls is in spec/vectors/calls.json.
describe("a default parameter", function()
  local base = api.defaults { owner = "octokit", per_page = 100, tags = { "a", "b" } }

  it("stays a default beside a default url that names it", function()
    local paged = base.defaults { url = "/x?per_page=50" }
    assert.equal(100, paged.DEFAULTS.per_page)
    assert.equal("https://h/y?owner=octokit&per_page=100&tags=a%2Cb", paged.defaults { url = "/y" }().url)
  end)

  it("is removed by null in defaults", function()
    local less = base.defaults({ data = "d" }).defaults { owner = null, tags = null, none = null, data = null }
    assert.same({ "baseUrl", "headers", "method", "per_page" }, support.keys(less.DEFAULTS))
    assert.same({ "baseUrl", "headers", "method", "per_page" }, support.keys(less.merge()))
    assert.equal(null, base.merge("/x", { owner = null }).owner)
  end)

  it("is not removed by null inside a table", function()
    assert.same({ null, b = null }, api.defaults({ a = { null, b = null } }).DEFAULTS.a)
  end)
end)

describe("an endpoint", function()
  it("is not changed by an assignment, which raises", function()
    for _, key in ipairs { "baseUrl", "merge", "DEFAULTS", "null", "anything", 1, true } do
      support.raises("defaults", function() api[key] = "x" end)
      support.raises("defaults", function() api[key] = nil end)
    end
    assert.equal("https://h/x", api("/x").url)
  end)

  local function make()
    return {
      method = "PUT", url = "/default", baseUrl = "https://h", headers = { a = "b", list = { "c", "d" } },
      mediaType = { format = "raw", previews = { "p" } }, data = { d = { e = 1 } }, param = { { f = "g" } },
    }
  end

  -- Changes each field of a table and of the tables in it.
  local function ruin(t)
    for key, value in pairs(t) do
      if type(value) == "table" then ruin(value) end
      t[key] = type(value) == "table" and value or "ruined"
    end
    t.ruined = "ruined"
  end

  it("is not changed by changes to a table that it was given", function()
    local options = make()
    local base = endpoint.defaults(options)
    local before, result = base.DEFAULTS, base("/x")
    ruin(options)
    assert.same(before, base.DEFAULTS)
    assert.same(result, base("/x"))
  end)

  it("is not changed by changes to a table that it returned", function()
    local base = endpoint.defaults(make())
    local ways = {
      function() return base.DEFAULTS end,
      function() return base("/x") end,
      function() return base("/x", { data = null }) end,
      function() return base.merge("/x") end,
      function() return base.parse(base.merge("/x")) end,
      function() return base.defaults({ more = {} }).DEFAULTS end,
    }
    local before = base.DEFAULTS
    for _, way in ipairs(ways) do
      local result, again = way(), way()
      ruin(result)
      assert.same(again, way())
      assert.same(before, base.DEFAULTS)
    end
  end)

  it("shares no table with an endpoint made of it", function()
    local base = endpoint.defaults(make())
    local new = base.defaults { more = 1 }
    assert.is_false(rawequal(base.DEFAULTS.param, new.DEFAULTS.param))
    local before = base.DEFAULTS
    ruin(new.DEFAULTS)
    ruin(new("/x"))
    assert.same(before, base.DEFAULTS)
  end)
end)

describe("DEFAULTS", function()
  it("is a fresh deep copy at each read", function()
    local base = api.defaults { a = { b = { c = 1 } }, mediaType = { previews = { "p" } } }
    local one, two = base.DEFAULTS, base.DEFAULTS
    assert.same(one, two)
    assert.is_false(rawequal(one, two))
    assert.is_false(rawequal(one.headers, two.headers))
    assert.is_false(rawequal(one.a, two.a))
    assert.is_false(rawequal(one.a.b, two.a.b))
    assert.is_false(rawequal(one.mediaType, two.mediaType))
    assert.is_false(rawequal(one.mediaType.previews, two.mediaType.previews))
  end)

  it("given to defaults makes an equal endpoint", function()
    local base = api.defaults { a = { 1 }, headers = { B = "c" }, mediaType = { format = "raw" } }
    assert.same(base.DEFAULTS, endpoint.defaults({ headers = null }).defaults(base.DEFAULTS).DEFAULTS)
  end)

  it("equals merge without arguments", function()
    local base = api.defaults { a = { 1 }, url = "/x" }
    assert.same(base.merge(), base.DEFAULTS)
  end)
end)

describe("tables in defaults", function()
  it("are copied when taken and when handed out", function()
    local list = { "a" }
    local base = api.defaults { list = list }
    local handed = { base.DEFAULTS.list, base.merge("/x").list, base("PUT /x").body.list,
                     base("PUT /x").body.list }
    for i, one in ipairs(handed) do
      assert.same({ "a" }, one)
      assert.is_false(rawequal(list, one))
      for j = 1, i - 1 do assert.is_false(rawequal(handed[j], one)) end
    end
  end)

  it("keep the shape of shared references", function()
    local shared = { 1 }
    local base = api.defaults { a = shared, b = { c = shared, d = { shared, shared } } }
    local copies = { base.DEFAULTS, base.merge("/x"), base("PUT /x").body, base.defaults().DEFAULTS }
    for _, copy in ipairs(copies) do
      assert.is_false(rawequal(shared, copy.a))
      assert.is_true(rawequal(copy.a, copy.b.c))
      assert.is_true(rawequal(copy.a, copy.b.d[1]))
      assert.is_true(rawequal(copy.a, copy.b.d[2]))
    end
  end)

  it("keep the shape of references shared with data", function()
    local shared = { 1 }
    local base = api.defaults { a = shared, data = { b = shared, c = shared } }
    local copy = base.DEFAULTS
    assert.is_true(rawequal(copy.a, copy.data.b))
    assert.is_true(rawequal(copy.a, copy.data.c))
    local body = base("POST /x").body
    assert.is_true(rawequal(body.b, body.c))
  end)

  it("keep their metatables, by reference", function()
    -- lua-cjson marks an empty array by a metatable.
    local array = {}
    local base = api.defaults { a = setmetatable({}, array), data = { b = setmetatable({ 1 }, array) } }
    local copy = base.DEFAULTS
    assert.is_true(rawequal(array, getmetatable(copy.a)))
    assert.is_true(rawequal(array, getmetatable(copy.data.b)))
    assert.is_true(rawequal(array, getmetatable(base("POST /x").body.b)))
    assert.is_true(rawequal(array, getmetatable(base("POST /x", { data = null }).body.a)))
    assert.is_true(rawequal(array, getmetatable(base.defaults().merge("/x").a)))
  end)

  it("are copied as keys, too", function()
    local key = { "k" }
    local copy = api.defaults({ a = { [key] = "v", same = key } }).DEFAULTS.a
    assert.is_nil(copy[key])
    assert.equal("v", copy[copy.same])
    assert.same({ "k" }, copy.same)
  end)

  it("keep other values by reference", function()
    local thread = coroutine.create(function() end)
    local values = { print, io.stdout, thread, null, false, 1.5, [print] = "key" }
    local copy = api.defaults({ a = values }).DEFAULTS.a
    assert.is_true(rawequal(print, copy[1]))
    assert.is_true(rawequal(io.stdout, copy[2]))
    assert.is_true(rawequal(thread, copy[3]))
    assert.equal(null, copy[4])
    assert.is_false(copy[5])
    assert.equal(1.5, copy[6])
    assert.equal("key", copy[print])
    assert.is_true(rawequal(print, api.defaults({ a = print }).DEFAULTS.a))
  end)

  it("give way to a call's table, which is not copied", function()
    local list = { 1 }
    local base = api.defaults { list = { 2 } }
    assert.is_true(rawequal(list, base.merge("/x", { list = list }).list))
    assert.is_true(rawequal(list, base("POST /x", { list = list }).body.list))
  end)
end)

describe("tables in defaults that cannot be copied:", function()
  local CYCLE, DEEPER = "got a cycle", "got a deeper one"

  local function raises_for(name, value, got)
    support.raises({ ('"%s"'):format(name), got }, api.defaults, { fine = { 1 }, [name] = value })
  end

  it("refuses a cycle and names its key", function()
    local self, one, two, key = cyclic(), {}, {}, {}
    one.two, two.one = two, one
    key[key] = 1
    for _, name in ipairs { "loop", "data" } do
      raises_for(name, self, CYCLE)
      raises_for(name, { { one } }, CYCLE)
      raises_for(name, key, CYCLE)
    end
  end)

  it("refuses a cycle through the options themselves", function()
    local options = { a = { 1 } }
    options.b = { options }
    support.raises({ '"b"', CYCLE }, api.defaults, options)
  end)

  it("refuses more than 100 tables in each other and names the key", function()
    for _, name in ipairs { "deep", "data" } do
      for _, depth in ipairs { 101, 102, 1000, 20000 } do
        raises_for(name, nested(depth), DEEPER)
        raises_for(name, nested(depth, "inner"), DEEPER)
      end
      raises_for(name, { [nested(100)] = 1 }, DEEPER)
    end
  end)

  it("refuses more than 100 tables in each other through a shared table", function()
    local shared = nested(60)
    -- The copy meets the shared table near the surface first, then deep down.
    raises_for("deep", { shared, nested(60, shared) }, DEEPER)
    raises_for("deep", { nested(60, shared), shared }, DEEPER)
    support.raises({ '"b"', DEEPER }, api.defaults, { a = shared, b = nested(60, shared) })
  end)

  it("accepts 100 tables in each other", function()
    local base = api.defaults { deep = nested(100), data = nested(100, "inner") }
    for _, copy in ipairs { base.DEFAULTS, base.defaults().DEFAULTS, base.merge("/x") } do
      assert.same(nested(100), copy.deep)
      assert.same(nested(100, "inner"), copy.data)
    end
  end)

  it("accepts 100 tables in each other through a shared table", function()
    local shared = nested(40)
    local copy = api.defaults({ a = { shared, nested(59, shared) }, b = shared }).DEFAULTS
    assert.same(nested(99), copy.a[2])
    assert.is_true(rawequal(copy.b, copy.a[1]))
  end)

  it("shows no value in the error", function()
    local loop = { "s3cret", s3cret = "s3cret" }
    loop.loop = loop
    assert.is_nil(support.message_of(api.defaults, { loop = loop }):find("s3cret", 1, true))
  end)

  it("leaves the endpoint as it was before the error", function()
    local before = api.DEFAULTS
    support.raises('"loop"', api.defaults, { loop = cyclic() })
    assert.same(before, api.DEFAULTS)
  end)
end)

describe("a default request", function()
  it("is the same value everywhere, never copied", function()
    local trap = setmetatable({}, { __index = error })
    for _, value in ipairs { cyclic(), trap, nested(200), print, io.stdout, "r", 5 } do
      local base = api.defaults { request = value }
      local cascaded = base.defaults { a = 1 }
      for _, result in ipairs { base.DEFAULTS, base.merge("/x"), base("/x"), base.parse(base.merge("/x")),
                                cascaded.DEFAULTS, cascaded("/x") } do
        assert.is_true(rawequal(value, result.request))
      end
    end
  end)

  it("shows later changes by the caller", function()
    local shared = { hooks = {} }
    local base = api.defaults { request = shared }
    shared.hooks.before = print
    assert.equal(print, base("/x").request.hooks.before)
  end)

  it("is replaced whole by the call's value", function()
    local base = api.defaults { request = { a = 1 } }
    assert.same({ b = 2 }, base("/x", { request = { b = 2 } }).request)
    assert.is_nil(base("/x", { request = null }).request)
    assert.is_nil(base.defaults({ request = null }).DEFAULTS.request)
  end)
end)
