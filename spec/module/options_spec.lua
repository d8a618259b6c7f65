-- Arguments, options and results, beyond the rows of spec/vectors: what JSON cannot say, such as
-- hostile tables, and many of a thing. In brackets is the number of a CWE.
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local null, merge, parse, api = endpoint.null, endpoint.merge, endpoint.parse, support.bare
local THREAD = coroutine.create(function() end)
local USERDATA = newproxy and newproxy() or io.stderr -- luacheck: ignore 113

-- Values of types that no option has, and how titles call them.
local OTHERS = {
  { title = "a function", value = print },
  { title = "a file", value = io.stdout },
  { title = "a coroutine", value = THREAD },
  { title = "a userdata", value = USERDATA },
}
local SCALARS = {
  { title = "5", value = 5 },
  { title = "true", value = true },
  { title = "false", value = false },
}

local function joined(...)
  local list = {}
  for _, rows in ipairs { ... } do
    for _, row in ipairs(rows) do
      list[#list + 1] = row
    end
  end
  return list
end

local function type_of(value)
  return value == null and "null" or type(value)
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
  for _, row in ipairs(joined(SCALARS, { { title = "null", value = null } }, OTHERS)) do
    local value = row.value
    local got = "got " .. type_of(value)

    it("are a route or options first, and not " .. row.title, function()
      raises_everywhere({ "argument 1", "options", got }, value)
      raises_everywhere({ "argument 1", "options", got }, value, {})
      support.raises({ "argument 1", got }, parse, value)
      support.raises({ "argument 1", got }, endpoint.variables, value)
    end)

    it("are options or nothing then, and not " .. row.title, function()
      raises_everywhere({ "argument 2", "options", got }, "/x", value)
      raises_everywhere({ "argument 2", "options", got }, nil, value)
    end)
  end

  it("do not have a second route", function()
    raises_everywhere({ "argument 2", "got string" }, "/x", "/y")
  end)

  it("do not have a second table of options", function()
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
  for title, key in pairs {
    ["1"] = 1,
    ["2.5"] = 2.5,
    ["true"] = true,
    ["a table"] = {},
    ["a function"] = print,
  } do
    it("have strings as keys, and not " .. title, function()
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
    local strings_and_tables = {
      { title = "a string", value = "text" },
      { title = "a table", value = {} },
    }
    for _, row in ipairs(joined(strings_and_tables, SCALARS, OTHERS)) do
      if type(row.value) ~= right then
        it(("have a %s as %s, and not %s"):format(right, name, row.title), function()
          local words = { ('option "%s"'):format(name), right, type(row.value) }
          raises_everywhere(
            words,
            { url = name ~= "url" and "/x" or row.value, [name] = row.value }
          )
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

    for _, row in ipairs(OTHERS) do
      it(("are refused by their type: %s, by %s"):format(row.title, name), function()
        refused({ 'header "x-a"', "string", type(row.value) }, { ["X-A"] = row.value })
      end)
    end
  end

  -- Headers x-1 to x-n and y-1 to y-n as defaults, X-1 to X-n as those of a call, and what both
  -- give.
  local function many_headers(count)
    local defaults, given, expected = {}, {}, {}
    for i = 1, count do
      defaults["x-" .. i], given["X-" .. i], expected["x-" .. i] = "default", "given", "given"
      defaults["y-" .. i], expected["y-" .. i] = "default", "default"
    end
    return api.defaults { headers = defaults }, given, expected
  end

  for _, count in ipairs { 2, 32, 33, 100 } do
    it(
      ("are merged name by name: %d of a call over %d defaults"):format(count, 2 * count),
      function()
        local e, given, expected = many_headers(count)
        assert.same(expected, e.merge("/x", { headers = given }).headers)
      end
    )

    it(("are refused if names differ only in case: the last of %d"):format(count), function()
      local e, given = many_headers(count)
      given["x-" .. count] = "again"
      local words = { ('header "x-%d"'):format(count), "case" }
      support.raises(words, e.merge, "/x", { headers = given })
    end)
  end
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

  it("takes names of 127 bytes, without -preview, and a vendor name of 127 bytes", function()
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
  for count = 1, 20 do
    local title = "is named, the first in the order of bytes, headers first: beside %d others"

    it(title:format(2 * count), function()
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3" }
      local options =
        { baseUrl = "https://api.example", headers = headers, token = "5", ["Api-Key"] = "6" }
      for i = 1, count do
        headers["x-" .. i], options["y" .. i] = "4", "7"
      end
      local function check(first)
        support.raises(first, endpoint.defaults(options), "https://evil.example/")
      end
      check 'header "authorization"'
      headers.authorization = nil
      check 'header "cookie"'
      options.headers = {}
      check 'default "Api-Key"'
    end)
  end
end)

describe("defaults away from home", function()
  local function message(count, options)
    local defaults = {
      baseUrl = "https://api.example",
      headers = { authorization = "1", cookie = "2", accept = "3" },
      tenant = "4",
    }
    for i = 1, count do
      defaults["y" .. i] = "5"
    end
    local _, said = pcall(endpoint.defaults(defaults), "https://evil.example/", options)
    return said:match "%.%.%. }(.*)$"
  end

  it("are all named", function()
    local others = '; the same holds of header "cookie", default "tenant"'
    assert.equal(others, message(0))
  end)

  it("are named but for those that the call gives", function()
    local options = { headers = { cookie = "6" }, tenant = endpoint.null }
    assert.equal("", message(0, options))
  end)

  it("are named up to eight parameters", function()
    local _, count = message(100):gsub('default "', "")
    assert.equal(8, count)
  end)

  for _, count in ipairs { 3, 20 } do
    it(("have the first name first, also if it is data, beside %d others"):format(count), function()
      local defaults = { baseUrl = "https://api.example", data = "1" }
      for i = 1, count do
        defaults["e" .. i] = "2"
      end
      support.raises(
        'endpoint: default "data": ',
        endpoint.defaults(defaults),
        "https://evil.example/"
      )
    end)
  end
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

  local VALUES = {
    ["a table that holds itself"] = support.cyclic(),
    ["a table with metamethods that raise"] = setmetatable(
      {},
      { __index = error, __pairs = error, __len = error, __tostring = error }
    ),
    ["a function"] = print,
    ["a file"] = io.stdout,
    ["a light userdata"] = support.light_userdata(),
    ["a table with a table as key"] = { [{}] = 1 },
    ["infinity"] = math.huge,
    ["a string of any bytes"] = "\0\255",
  }
  for what, value in pairs(VALUES) do
    it("has a parameter's value in its body by reference: " .. what, function()
      assert.is_true(rawequal(value, api("POST /x", { a = value }).body.a))
    end)

    for _, method in ipairs {
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "QUERY",
      "OPTIONS",
      "PROPFIND",
    } do
      it(("has data as its body by reference: %s, under %s"):format(what, method), function()
        local result = api(method .. " /x", { data = value, a = print })
        assert.is_true(rawequal(value, result.body))
        local is_json = type(value) == "table" or type(value) == "number"
        local expected = is_json and "application/json; charset=utf-8" or nil
        assert.equal(expected, result.headers["content-type"])
      end)
    end

    for by, f in pairs {
      ["a call"] = api,
      merge = api.merge,
      ["merge over a default"] = api.defaults({ request = { 4 } }).merge,
    } do
      it(("has the option request by reference: %s, by %s"):format(what, by), function()
        assert.is_true(rawequal(value, f("GET /x", { request = value }).request))
      end)
    end

    it("of merge has a parameter and data by reference, over defaults: " .. what, function()
      local e = api.defaults { a = { 2 }, data = { 3 } }
      local merged = e.merge("/x", { a = value, data = value })
      assert.is_true(rawequal(value, merged.a))
      assert.is_true(rawequal(value, merged.data))
    end)
  end
end)

-- Out of scope: what code with the debug library does to nil, to strings, or to an endpoint's own
-- metatable and state. It controls the whole process anyway.
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
