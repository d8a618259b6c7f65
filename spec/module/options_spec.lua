-- Arguments, options and results, beyond the rows of spec/vectors: what JSON cannot say, such as
-- hostile tables, and many of a thing. In brackets is the number of a CWE.
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local null, merge, parse, api = endpoint.null, endpoint.merge, endpoint.parse, support.bare
local THREAD = coroutine.create(function() end)
local USERDATA = newproxy and newproxy() or io.stderr -- luacheck: ignore 113
local OTHERS = { print, io.stdout, THREAD, USERDATA }
local NO_OPTIONS = { 5, true, false, null, support.unpack(OTHERS) }

local function type_of(value)
  return value == null and "null" or type(value)
end

-- A value in a title: those without a text of their own by their type.
local function title_of(value)
  local kind = type_of(value)
  return (kind == "boolean" or kind == "number") and tostring(value) or "a " .. kind
end

-- Refused by each function that takes a route and options; where there is no route by defaults,
-- too.
local function raises_everywhere(words, first, ...)
  support.raises(words, endpoint, first, ...)
  support.raises(words, merge, first, ...)
  if type(first) ~= "string" then
    support.raises(words, endpoint.defaults, first, ...)
  end
end

describe("arguments", function()
  for i, value in ipairs(NO_OPTIONS) do
    local got = "got " .. type_of(value)
    local title = ("%s (value %d)"):format(title_of(value), i)

    it("are a route or options first, and not " .. title, function()
      raises_everywhere({ "argument 1", "options", got }, value)
      raises_everywhere({ "argument 1", "options", got }, value, {})
      support.raises({ "argument 1", got }, parse, value)
      support.raises({ "argument 1", got }, endpoint.variables, value)
    end)

    it("are options or nothing then, and not " .. title, function()
      raises_everywhere({ "argument 2", "options", got }, "/x", value)
      raises_everywhere({ "argument 2", "options", got }, nil, value)
    end)
  end

  it("have no second route", function()
    raises_everywhere({ "argument 2", "got string" }, "/x", "/y")
  end)

  it("have no second table of options", function()
    local words = { "argument 2", "nothing after a table of options", "table" }
    raises_everywhere(words, { url = "/x" }, {})
  end)

  it("end with the options", function()
    raises_everywhere({ "argument 3", "nothing after the options", "got table" }, nil, {}, {})
    raises_everywhere({ "argument 4", "got string" }, nil, nil, nil, "x")
    raises_everywhere({ "argument 3", "got boolean" }, "/x", nil, false, nil)
    support.raises({ "argument 3", "got table" }, parse, { url = "https://h" }, nil, {})
  end)

  it("may be followed by nil", function()
    assert.equal("https://h/x", endpoint("https://h/x", nil, nil, nil).url)
    endpoint.defaults(nil, {}, nil, nil)
  end)

  it("are counted in errors without the endpoint of a method call", function()
    support.raises("argument 3", merge, endpoint, nil, {}, false)
    support.raises("argument 1", endpoint.defaults, endpoint, "/x", {})
    support.raises("argument 3", endpoint.variables, endpoint, "/x", nil, {})
    support.raises("argument 2", parse, endpoint, { url = "https://h" }, {})
  end)
end)

describe("options", function()
  for _, key in ipairs { 1, 2.5, true, {}, print } do
    it("have strings as keys, and not " .. title_of(key), function()
      local words = { "options", "string", type(key) }
      raises_everywhere(words, "/x", { a = 1, [key] = "b" })
      support.raises(words, endpoint.variables, { url = "/x", [key] = 1 })
    end)
  end

  local TYPES = {
    method = "string",
    url = "string",
    baseUrl = "string",
    headers = "table",
    mediaType = "table",
  }
  for name, right in pairs(TYPES) do
    for i, value in ipairs { "text", {}, 5, true, false, support.unpack(OTHERS) } do
      if type(value) ~= right then
        local title = ("%s is a %s, and not %s (value %d)"):format(name, right, title_of(value), i)
        it("have the right type: " .. title, function()
          local words = { ('option "%s"'):format(name), right, type(value) }
          local options = { url = "/x" }
          options[name] = value
          raises_everywhere(words, options)
        end)
      end
    end
  end

  it("are unchanged when they are merged again", function()
    local merged =
      merge("PUT /:id", { a = null, headers = { A = "b" }, mediaType = { format = "raw" } })
    assert.same(merged, merge(merged))
    assert.equal(null, endpoint.defaults({ page = 1 }).merge("/x?page=2", { page = null }).page)
  end)
end)

-- Each way from a table of headers to the headers of a result.
local WAYS = {
  merge = function(headers)
    return api.merge("/x", { headers = headers }).headers
  end,
  call = function(headers)
    return api("/x", { headers = headers }).headers
  end,
  parse = function(headers)
    return parse { url = "https://h/x", headers = headers }.headers
  end,
  defaults = function(headers)
    return api.defaults({ headers = headers }).DEFAULTS.headers
  end,
}

describe("headers", function()
  for name, headers_of in pairs(WAYS) do
    it("come out as they are, in new tables and in lower case: " .. name, function()
      local list, long = { "a", "b" }, ("X"):rep(199)
      local given = { ["X-List"] = list, n = 14, byte = "\255", ["x-gone"] = null, [long] = "l" }
      local headers = headers_of(given)
      assert.same({ ["x-list"] = list, n = 14, byte = "\255", [long:lower()] = "l" }, headers)
      assert.equal("14", tostring(headers.n)) -- an integer stays one
      headers["x-list"][1], headers.more = "changed", "y"
      assert.same(
        { ["X-List"] = { "a", "b" }, n = 14, byte = "\255", ["x-gone"] = null, [long] = "l" },
        given
      )
    end)

    local function refused(words, headers)
      support.raises(words, headers_of, headers)
      assert.is_nil(support.message_of(headers_of, headers):find("s3cret", 1, true))
    end

    it("have strings as names, which are not shown: " .. name, function()
      refused({ "headers", "string", "boolean" }, { [true] = "s3cret" })
    end)

    local key = "s3cret"
    for title, value in pairs {
      ["a list with a named field"] = { key, a = key },
      ["a list with a hole"] = { key, [9] = key },
      ["a list from 0 on"] = { [0] = key },
      ["a list with the key 1.5"] = { [1.5] = key },
    } do
      it(("are refused without being shown: %s, by %s"):format(title, name), function()
        refused({ 'header "x-a"', "list", "strings" }, { ["X-A"] = value })
      end)
    end

    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
      it(("are refused if not finite: %s, by %s"):format(tostring(value), name), function()
        refused({ 'header "x-a"', "finite" }, { ["X-A"] = value })
      end)
    end

    for i, value in ipairs(OTHERS) do
      local title = ("%s (value %d), by %s"):format(title_of(value), i, name)
      it("are refused by their type: " .. title, function()
        refused({ 'header "x-a"', "string", type(value) }, { ["X-A"] = value })
      end)
    end
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
      support.raises(
        { ('header "x-%d"'):format(count), "case" },
        e.merge,
        "/x",
        { headers = given }
      )
    end
  end)
end)

describe("the option mediaType", function()
  local VENDOR = "application/vnd."
  local function compose(accept, of)
    return api("/", { headers = { accept = accept }, mediaType = of }).headers.accept
  end

  for title, media in pairs {
    ["a key that is not a string"] = { [true] = "raw" },
    ["a format that is a function"] = { format = print },
    ["previews with a named field"] = { previews = { "a", a = "b" } },
    ["previews with a hole"] = { previews = { "a", [3] = "b" } },
    ["previews from 0 on"] = { previews = { [0] = "a" } },
  } do
    it("refuses what JSON cannot say: " .. title, function()
      assert.is_false(judge.check(nil, "/x", { mediaType = media })[1])
    end)
  end

  local longest = ("a"):rep(127)

  it("takes names of 127 bytes, without -preview, and such a vendor name", function()
    assert.equal(
      VENDOR .. longest .. "." .. longest .. "-preview.x",
      compose(VENDOR .. longest, { previews = { longest .. "-preview" }, format = "x" })
    )
  end)

  it("refuses a format of 128 bytes", function()
    local media = { format = longest .. "a" }
    support.raises({ "format", "RFC 6838" }, compose, "application/octet-stream", media)
  end)

  it("refuses a preview of 128 bytes, without -preview", function()
    local media = { previews = { "a", longest .. "a-preview" } }
    support.raises({ "preview", "RFC 6838" }, api.defaults, { mediaType = media })
  end)

  it("refuses a vendor name of 128 bytes beside previews", function()
    local words = { 'header "accept"', "vendor name", "127" }
    support.raises(words, compose, VENDOR .. longest .. "a", { previews = { "b" } })
  end)

  it("takes many previews, in accept and in the option, in their order", function()
    local parts, names, expected = {}, {}, {}
    for i = 1, 2500 do
      parts[i] = VENDOR .. "x.p" .. i .. "-preview"
      expected[i] = parts[i] .. "+json"
      expected[i + 2500] = VENDOR .. "x.q" .. i .. "-preview+json"
      names[i] = i % 2 == 0 and "q" .. i or "q" .. i .. "-preview"
    end
    local accept = compose(table.concat(parts, ", "), { previews = names })
    support.equal(table.concat(expected, ","), accept)
  end)

  it("refuses previews that Lua's stack has no room for", function()
    local names = {}
    for i = 1, 1000000 do
      names[i] = "a"
    end
    local words = { 'mediaType "previews"', "1000000", "Lua's stack" }
    support.raises(words, compose, "", { previews = names })
  end)

  it("is changed by parse, not by merge, whose output has a copy", function()
    local base = api.defaults {
      headers = { accept = VENDOR .. "x" },
      mediaType = { format = "raw", previews = { "a" } },
    }
    local merged = base.merge("/x")
    assert.equal(VENDOR .. "x", merged.headers.accept)
    assert.equal(VENDOR .. "x.a-preview.raw", parse(merged).headers.accept)
    merged.mediaType.format, merged.mediaType.previews[1] = "changed", "changed"
    assert.same({ format = "raw", previews = { "a" } }, base.merge("/x").mediaType)
  end)
end)

describe("a default away from home", function()
  it("is the first in the order of bytes, headers first, however the table was filled", function()
    for i = 1, 20 do
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3" }
      local options =
        { baseUrl = "https://api.example", headers = headers, token = "5", ["Api-Key"] = "6" }
      for j = 1, i do
        headers["x-" .. j], options["y" .. j] = "4", "7"
      end
      for _, first in ipairs { 'header "authorization"', 'header "cookie"', 'default "Api-Key"' } do
        support.raises(first, endpoint.defaults(options), "https://evil.example/")
        if headers.authorization then
          headers.authorization = nil
        else
          options.headers = {}
        end
      end
    end
  end)
end)

describe("the result", function()
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
    local trap = setmetatable(
      {},
      { __index = error, __pairs = error, __len = error, __tostring = error }
    )
    local values = {
      support.cyclic(),
      trap,
      print,
      io.stdout,
      support.light_userdata(),
      { [{}] = 1 },
      math.huge,
      "\0\255",
    }
    for _, value in ipairs(values) do
      assert.is_true(rawequal(value, api("POST /x", { a = value }).body.a))
      for _, method in ipairs {
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "QUERY",
        "OPTIONS",
        "PROPFIND",
      } do
        local result = api(method .. " /x", { data = value, a = print })
        assert.is_true(rawequal(value, result.body))
        local is_json = type(value) == "table" or type(value) == "number"
        assert.equal(
          is_json and "application/json; charset=utf-8" or nil,
          result.headers["content-type"]
        )
      end
      for _, f in ipairs { api, api.merge, api.defaults({ request = { 4 } }).merge } do
        assert.is_true(rawequal(value, f("GET /x", { request = value }).request))
      end
      local merged =
        api.defaults({ a = { 2 }, data = { 3 } }).merge("/x", { a = value, data = value })
      assert.is_true(rawequal(value, merged.a) and rawequal(value, merged.data))
    end
  end)
end)

-- Out of scope: code that has the debug library (debug.setmetatable on nil, a string
-- or an endpoint, debug.setupvalue on a member) controls the whole process anyway.
describe("hostile metatables", function()
  local metatable = {}
  for _, event in ipairs {
    "__index",
    "__newindex",
    "__pairs",
    "__ipairs",
    "__len",
    "__eq",
    "__lt",
    "__le",
    "__call",
    "__tostring",
    "__concat",
    "__unm",
    "__name",
    "__close",
  } do
    metatable[event] = function()
      error("consulted " .. event)
    end
  end

  local function hostile(t)
    return setmetatable(t, metatable)
  end

  local function all()
    return hostile {
      headers = hostile { ["X-A"] = "b", ["X-L"] = hostile { "c", "d" } },
      mediaType = hostile { format = "raw", previews = hostile { "p" } },
      list = hostile { "a", null, "b" },
      map = hostile { k = "v", a = null },
      none = hostile {},
      request = hostile {},
    }
  end

  it("are not consulted by a call (CWE-1321)", function()
    local options = all()
    assert.is_true(rawequal(rawget(options, "list"), api("POST /", options).body.list))
    local got = api("GET /{list}{?map*}", options)
    assert.equal("https://h/a,b?k=v", got.url)
    assert.equal("c,d", table.concat(got.headers["x-l"], ","))
    assert.equal("application/vnd.service.p-preview.raw", got.headers.accept)
  end)

  it("are not consulted by merge and parse (CWE-1321)", function()
    local merged = merge("GET /{list*}", all())
    assert.is_nil(getmetatable(merged))
    assert.equal("b", rawget(merged.headers, "x-a"))
    assert.is_nil(merge("/", { mediaType = hostile {} }).mediaType)
    setmetatable(merged, metatable)
    merged.map = nil
    assert.equal(support.BASE .. "/a,b", parse(merged).url)
  end)

  it("are kept by defaults, not consulted (CWE-1321)", function()
    local base = api.defaults(all())
    assert.equal("https://h/a,b?k=v", base("GET /{list}{?map*}", hostile {}).url)
    assert.is_true(getmetatable(base.DEFAULTS.list) == metatable)
    assert.is_nil(getmetatable(base.DEFAULTS.headers))
  end)

  it("are not consulted for an error message (CWE-1321)", function()
    support.raises('parameter "a"', api, "/", { a = hostile { hostile {} } })
    support.raises("nothing after", api, hostile {}, hostile {})
    support.raises('"url"', api, hostile { url = hostile {} })
    support.raises('header "a"', api, "/", { headers = { a = hostile { hostile {} } } })
    support.raises('"previews"', api, "/", { mediaType = { previews = hostile { hostile {} } } })
  end)

  it("with __gc are not copied to tables of the module (CWE-416)", function()
    local runs = 0
    do
      local t = setmetatable({ "a" }, {
        __gc = function()
          runs = runs + 1
        end,
      })
      for _ = 1, 50 do
        api("/{x}", { x = t })
      end
      for _ = 1, 50 do
        api("POST /", { x = t, data = t })
      end
      assert.equal(0, runs)
      assert.equal("a", t[1])
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(runs <= 1)
  end)
end)

-- What the Lua parts ask of the module, instead of a list of their own.
describe("endpoint.result", function()
  local result = require "endpoint.result"

  it("lists the options of a call, which the contract names", function()
    assert.same(
      { "method", "url", "baseUrl", "headers", "mediaType", "data", "request" },
      result.options
    )
  end)

  for _, name in ipairs(result.options) do
    it("says that " .. name .. " is an option", function()
      assert.is_true(result.is_option(name))
    end)
  end

  for title, key in pairs {
    ["a name in other case"] = "baseURL",
    ["a name of the same length"] = "header_",
    ["the empty string"] = "",
    ["a number"] = 1,
  } do
    it("says that " .. title .. " is not an option", function()
      assert.is_false(result.is_option(key))
    end)
  end
end)
