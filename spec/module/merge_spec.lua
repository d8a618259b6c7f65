-- Arguments, and merge: defaults and options as one table, the template unresolved. Routes are in
-- spec/vectors/calls.json.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local merge = endpoint.merge
local pack = table.pack or function(...) return { n = select("#", ...), ... } end

local function method_and_url(...)
  local merged = merge(...)
  return merged.method .. "|" .. tostring(merged.url)
end

-- The functions that take options, and which of them take a route.
local readers = { endpoint, merge, endpoint.defaults }
local route_readers = { endpoint, merge }

local function raises_everywhere(words, first, ...)
  for _, reader in ipairs(type(first) == "string" and route_readers or readers) do
    support.raises(words, reader, first, ...)
  end
end

describe("a route", function()
  it("is trimmed, and the first run of white space ends the method", function()
    for _, space in ipairs { " ", "\t", "\n", "\v", "\f", "\r", "   ", " \t\r\n\v\f" } do
      assert.equal("PUT|/x", method_and_url(space .. "PUT /x" .. space))
      assert.equal("PUT|/x", method_and_url("PUT" .. space .. "/x"))
      assert.equal("PUT|/x" .. space .. "y", method_and_url("PUT /x" .. space .. "y"))
      assert.equal("GET|/x", method_and_url(space .. "/x" .. space))
    end
  end)

  it("keeps other bytes than the six of white space", function()
    assert.equal("GET|/x\194\160", method_and_url("/x\194\160"))
    assert.equal("GET|\0/x\0", method_and_url("\0/x\0"))
  end)

  it("is refused if it is empty", function()
    for _, route in ipairs { "", " ", "\t\r\n", "\v\f" } do
      raises_everywhere({ "route", "METHOD", "URL" }, route)
      raises_everywhere({ "route", "METHOD", "URL" }, route, {})
    end
  end)

  it("is refused if it is a standard method alone, in any case", function()
    for _, method in ipairs { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "TRACE",
                              "CONNECT" } do
      local mixed = method:sub(1, 1) .. method:sub(2):lower()
      for _, route in ipairs { method, method:lower(), mixed, " " .. method .. "\n" } do
        raises_everywhere({ "route", "METHOD", "URL", method }, method)
        raises_everywhere({ "route", "METHOD", "URL" }, route)
      end
    end
  end)

  it("is refused if its URL begins with a standard method in upper case", function()
    for _, method in ipairs { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "TRACE",
                              "CONNECT" } do
      for _, space in ipairs { " ", "\t", "  " } do
        raises_everywhere({ "route", "METHOD", '"' .. method .. '"' }, "GET " .. method .. space .. "/x")
        raises_everywhere({ "route", "METHOD", '"' .. method .. '"' }, "foo " .. method .. space .. "https://h/x")
      end
      raises_everywhere({ "route", "METHOD", '"' .. method .. '"' }, method .. "/x")
      raises_everywhere({ "route", "METHOD", '"' .. method .. '"' }, " " .. method .. "/{x}", {})
      raises_everywhere({ "route", "METHOD", '"' .. method .. '"' }, "post " .. method .. "//")
      support.raises({ "route", '"' .. method .. '"' }, endpoint.variables, method .. "/x")
      -- An option is no route.
      assert.equal(method .. "/x", merge({ url = method .. "/x" }).url)
    end
    assert.is_nil(support.message_of(merge, "GET POST https://u:s3cret@h/?s3cret"):find("s3cret", 1, true))
  end)

  it("takes the default method if it names none", function()
    local poster = endpoint.defaults { method = "post" }
    assert.equal("POST", poster.merge("/x").method)
    assert.equal("PUT", poster.merge("PUT /x").method)
    assert.equal("GET", poster.merge("/x", { method = null }).method)
    assert.equal("PATCH", poster.merge("/x", { method = "patch" }).method)
  end)

  it("replaces a default url", function()
    local fixed = endpoint.defaults { url = "/default" }
    assert.equal("/default", fixed.merge().url)
    assert.equal("/x", fixed.merge("/x").url)
  end)
end)

describe("arguments", function()
  it("may be a route, a route and options, options, or nothing", function()
    local expected = { "GET|/x", "GET|nil" }
    assert.equal(expected[1], method_and_url("/x"))
    assert.equal(expected[1], method_and_url("/x", {}))
    assert.equal(expected[1], method_and_url { url = "/x" })
    assert.equal(expected[2], method_and_url {})
    assert.equal(expected[2], method_and_url())
  end)

  it("are absent if they are nil", function()
    assert.same(merge "/x", merge("/x", nil))
    assert.same(merge { url = "/x" }, merge({ url = "/x" }, nil))
    assert.same(merge { url = "/x" }, merge(nil, { url = "/x" }))
    assert.same(merge(), merge(nil))
    assert.same(merge(), merge(nil, nil))
    assert.same(endpoint "/x", endpoint("/x", nil))
    assert.same(endpoint "/x", endpoint(nil, { url = "/x" }))
    assert.same(endpoint.DEFAULTS, endpoint.defaults(nil).DEFAULTS)
  end)

  it("are refused if the first is neither string nor table", function()
    for _, first in ipairs { 5, true, print, io.stdout, coroutine.create(function() end) } do
      raises_everywhere({ "argument 1", "options", type(first) }, first)
      raises_everywhere({ "argument 1", "options", type(first) }, first, {})
      support.raises({ "argument 1", "route", "options", type(first) }, merge, first)
    end
    raises_everywhere({ "argument 1", "null" }, null)
    raises_everywhere({ "argument 1", "boolean" }, false)
  end)

  it("are refused if the second is no table", function()
    for _, second in ipairs { 5, true, print, "/y", io.stdout } do
      raises_everywhere({ "argument 2", "options", type(second) }, "/x", second)
      raises_everywhere({ "argument 2", "options", type(second) }, nil, second)
    end
    raises_everywhere({ "argument 2", "boolean" }, "/x", false)
    raises_everywhere({ "argument 2", "null" }, "/x", null)
  end)

  it("are refused if a table follows a table", function()
    raises_everywhere({ "argument 2", "table" }, {}, {})
    raises_everywhere({ "argument 2", "table" }, { url = "/x" }, { a = 1 })
  end)

  it("are counted in errors without the endpoint of a method call", function()
    support.raises("argument 1", endpoint.merge, endpoint, 5)
    support.raises("argument 2", endpoint.merge, endpoint, "/x", 5)
    support.raises("argument 2", endpoint.defaults, endpoint, {}, {})
    support.raises("argument 2", endpoint.variables, endpoint, {}, {})
    support.raises("argument 3", endpoint.variables, endpoint, "/x", nil, {})
    support.raises("argument 2", endpoint.parse, endpoint, { url = "https://h" }, {})
  end)

  it("are refused if a route comes to defaults", function()
    for _, route in ipairs { "GET /x", "/x", "https://h", "" } do
      support.raises({ "argument 1", "options (table) alone", "string" }, endpoint.defaults, route)
      support.raises({ "argument 1", "options (table) alone", "string" }, endpoint.defaults, endpoint, route, {})
    end
  end)

  it("are refused if a key of the options is no string", function()
    raises_everywhere({ "options", "string", "number" }, "/x", { "a" })
    raises_everywhere({ "options", "string", "number" }, "/x", { a = 1, [2.5] = "b" })
    raises_everywhere({ "options", "string", "boolean" }, { [true] = 1, url = "/x" })
    raises_everywhere({ "options", "string", "table" }, { [{}] = 1, url = "/x" })
    raises_everywhere({ "options", "string", "function" }, "/x", { [print] = 1 })
    raises_everywhere({ "options", "string", "number" }, { "a", url = "/x" })
    support.raises({ "options", "string", "number" }, endpoint.variables, { url = "/x", "a" })
  end)
end)

describe("the type of an option", function()
  local wrong = { 5, true, "text", {}, print, io.stdout, coroutine.create(function() end), n = 7 }
  local expected = {
    method = "string", url = "string", baseUrl = "string", headers = "table", mediaType = "table",
  }
  for name, right in pairs(expected) do
    it("is checked: " .. name, function()
      local function refused(value)
        local options = { url = "/x" }
        options[name] = value
        raises_everywhere({ ('option "%s"'):format(name), right, type(value) }, options)
        support.raises({ ('option "%s"'):format(name), right, type(value) }, endpoint.variables, options)
      end
      for i = 1, wrong.n do
        if type(wrong[i]) ~= right then refused(wrong[i]) end
      end
      refused(false)
    end)
  end

  it("is free for data and request", function()
    for i = 1, wrong.n do
      assert.equal(wrong[i], merge("/x", { data = wrong[i] }).data)
      assert.equal(wrong[i], merge("/x", { request = wrong[i] }).request)
    end
    assert.is_false(merge("/x", { data = false }).data)
    assert.is_false(merge("/x", { request = false }).request)
  end)
end)

describe("null for an option", function()
  local full = endpoint.defaults {
    method = "POST", url = "/default", baseUrl = "https://other", headers = { a = "b" },
    mediaType = { format = "raw" }, data = "d", request = { 1 },
  }

  it("cancels its default and no other", function()
    local before = full.DEFAULTS
    local cancelled = { method = "GET", headers = {} }
    for _, name in ipairs(support.keys(before)) do
      local merged = full.merge { [name] = null }
      assert.same(cancelled[name], merged[name])
      merged[name] = before[name]
      assert.same(before, merged)
    end
  end)

  it("cancels its default beside nulls for other options", function()
    local nulls = { baseUrl = null, headers = null, mediaType = null, data = null, request = null }
    assert.same({ method = "POST", url = "/x", headers = {} }, full.merge("/x", nulls))
    assert.same({ method = "post", url = "https://h/x", headers = {} }, full("https://h/x", nulls))
  end)

  it("without a default changes nothing", function()
    assert.same(merge "/x", merge("/x", { mediaType = null, data = null, request = null }))
  end)
end)

describe("a method", function()
  it("comes out in upper case", function()
    for given, expected in pairs { get = "GET", PoSt = "POST", ["m-search"] = "M-SEARCH", x1 = "X1",
                                   ["!#$%&'*+-.^_`|~"] = "!#$%&'*+-.^_`|~" } do
      assert.equal(expected, merge({ method = given, url = "/x" }).method)
      assert.equal(expected, merge({ method = given }).method)
      assert.equal(expected, endpoint.defaults({ method = given }).DEFAULTS.method)
      assert.equal(expected:lower(), endpoint("/x", { method = given }).method)
    end
  end)

  it("is refused if it is no token", function()
    for _, method in ipairs { "", " ", "GE T", " GET", "GET ", "G/T", "G,T", "G;T", "G:T", "G@T", "G=T",
                              "G\"T", "G\\T", "G(T", "G)T", "G[T", "G]T", "G{T", "G}T", "G<T", "G>T", "G?T",
                              "GET\r\n", "GET\r\nX: y", "G\nT", "G\0T", "GET\0", "G\127T", "G\255" } do
      raises_everywhere({ "method", "token" }, { method = method, url = "/x" })
    end
    raises_everywhere({ "method", '"G@T"', "token" }, { method = "G@T", url = "/x" })
  end)

  it("is refused in a route if it is no token", function()
    for _, route in ipairs { "/x y", "G@T /x", "https://h/x y", "{x} y", "G\0T /x", "G\195T /x", "? x" } do
      raises_everywhere({ "method", "token" }, route)
    end
    raises_everywhere('"/x y"', "/x y")
    raises_everywhere('method "G@t"', "G@t /x")
  end)
end)

describe("merge's output", function()
  local cases = {
    { "method, baseUrl and headers alone", "baseUrl headers method" },
    { "a url", "baseUrl headers method url", "/x" },
    { "no baseUrl if null cancels it", "headers method url", "/x", { baseUrl = null } },
    { "headers even if null cancels them", "baseUrl headers method url", "/x", { headers = null } },
    { "parameters", "a baseUrl headers method url z", "/x", { a = 1, z = false } },
    { "null parameters", "a baseUrl headers method url", "/x", { a = null } },
    { "parameters that the template names", "baseUrl headers id method url", "/{id}", { id = 1 } },
    { "all options", "baseUrl data headers mediaType method request url",
      { method = "PUT", url = "/x", data = 1, request = 2, headers = {}, mediaType = { format = "raw" } } },
    { "no mediaType if nothing in it is set", "baseUrl headers method url", "/x", { mediaType = {} } },
    { "an empty parameter name", " baseUrl headers method url", "/x", { [""] = 1 } },
  }
  for _, case in ipairs(cases) do
    it("has " .. case[1], function()
      assert.equal(case[2], table.concat(support.keys(merge(case[3], case[4])), " "))
    end)
  end

  it("is the whole table expected for a small call", function()
    assert.same({
      method = "POST",
      url = "/orgs/:org/repos",
      baseUrl = support.BASE,
      headers = { accept = "text/html", ["user-agent"] = endpoint.DEFAULTS.headers["user-agent"] },
      org = "octokit",
      private = null,
    }, merge("POST /orgs/:org/repos", {
      org = "octokit", private = null, headers = { Accept = "text/html" },
    }))
  end)

  it("has default parameters, which those of the call replace whole", function()
    local base = endpoint.defaults { a = { x = 1, y = 2 }, b = 2 }
    assert.same({ x = 1, y = 2 }, base.merge("/x").a)
    assert.same({ z = 3 }, base.merge("/x", { a = { z = 3 } }).a)
    assert.equal(null, base.merge("/x", { a = null }).a)
    assert.is_false(base.merge("/x", { b = false }).b)
    assert.equal(2, base.merge("/x", { a = 1 }).b)
  end)

  it("has the null that the call gives for a default parameter that the url's own query names", function()
    assert.equal(null, endpoint.defaults({ page = 1 }).merge("/x?page=2", { page = null }).page)
  end)

  it("has the template as it was given, malformed or not", function()
    for _, url in ipairs { "/:id{?q*}", "/x{", "/x}", "/{", "/{!x}", "/{url}", "café", "//h", "/x\1",
                           "/{x:99999}", "%zz", "/x?{" } do
      assert.equal(url, merge(url).url)
      assert.equal(url, endpoint.defaults({ x = 1 }).merge(url).url)
      assert.equal(url, merge("PUT " .. url, { id = 1 }).url)
      assert.equal(url, merge({ url = url }).url)
    end
    for _, url in ipairs { " /x ", "/{a b}", "", "GET", "GET /x" } do
      assert.equal(url, merge({ url = url }).url)
    end
  end)

  it("has values by reference, of any type", function()
    local trap = setmetatable({}, { __index = error, __newindex = error, __pairs = error, __len = error })
    for _, value in ipairs { {}, support.cyclic(), trap, print, io.stdout, { [{}] = 1 }, 0 / 0, math.huge } do
      local merged = merge("/x", { a = value, data = value, request = value })
      for _, name in ipairs { "a", "data", "request" } do
        -- NaN is not equal to itself.
        assert.is_true(rawequal(value, merged[name]) or value ~= value and merged[name] ~= merged[name])
      end
    end
  end)

  it("is a new table, and so are its headers", function()
    local options = { url = "/x", headers = { a = "b" } }
    local merged = merge(options)
    assert.is_false(rawequal(options, merged))
    assert.is_false(rawequal(options.headers, merged.headers))
    merged.headers.accept, merged.baseUrl = "changed", "changed"
    assert.is_false(endpoint.DEFAULTS.headers.accept == "changed")
    assert.equal(support.BASE, merge("/x").baseUrl)
  end)

  it("is unchanged when it is merged again", function()
    local merged = merge("PUT /:id", { a = null, headers = { A = "b" }, mediaType = { format = "raw" } })
    assert.same(merged, merge(merged))
  end)
end)

describe("the caller's options", function()
  it("are not modified", function()
    local function make()
      return {
        method = "post", url = "/:id", baseUrl = "https://h", headers = { ["X-A"] = "b", gone = null },
        mediaType = { format = "raw", previews = { "a-preview" } }, data = { 1 }, request = { 2 },
        id = 5, list = { "a", null, "b" }, none = null,
      }
    end
    local options = make()
    for _, reader in ipairs(readers) do
      reader(options)
      assert.same(make(), options)
    end
  end)

  it("are not modified by a call that raises", function()
    local options = { a = { b = 1 }, headers = { ["X-A"] = "c" } }
    support.raises("a", endpoint, "GET /x", options)
    assert.same({ a = { b = 1 }, headers = { ["X-A"] = "c" } }, options)
  end)
end)

describe("merge", function()
  it("returns one value", function()
    assert.equal(1, pack(merge "/x").n)
    assert.equal(1, pack(merge(support.unpack { "/x", {} })).n)
  end)
end)
