-- The module itself: its members, tostring, its error messages, and its version.
local endpoint = require "endpoint"
local support = require "support"
local cjson = require "cjson"

local null = endpoint.null
local SECRET = "s3cret"
local unpack = support.unpack

describe("the module", function()
  for maker, api in pairs {
    ["the module"] = endpoint,
    ["an endpoint of defaults"] = endpoint.defaults(),
  } do
    it("and each endpoint are userdata: " .. maker, function()
      assert.equal("userdata", type(api))
    end)

    for name, kind in pairs {
      merge = "function",
      parse = "function",
      defaults = "function",
      variables = "function",
      DEFAULTS = "table",
      null = "userdata",
      _VERSION = "string",
    } do
      it(("and each endpoint have the member %s, a %s: %s"):format(name, kind, maker), function()
        assert.equal(kind, type(api[name]))
      end)
    end

    for title, name in pairs {
      ["another case"] = "Merge",
      ["a space after it"] = "defaults ",
      ["upper case"] = "MERGE",
      ["the empty string"] = "",
      ["__index"] = "__index",
      ["__call"] = "__call",
      ["__metatable"] = "__metatable",
      ["__gc"] = "__gc",
      ["url"] = "url",
      ["method"] = "method",
      ["baseUrl"] = "baseUrl",
      ["headers"] = "headers",
      ["1"] = 1,
      ["0"] = 0,
      ["true"] = true,
      ["a table"] = {},
      ["a function"] = print,
      ["NaN"] = 0 / 0,
    } do
      it(("and each endpoint have no other member, %s: %s"):format(title, maker), function()
        assert.is_nil(api[name])
      end)
    end

    it("and each endpoint have no member nil: " .. maker, function()
      assert.is_nil(api[nil])
    end)

    it("and each endpoint have the same version: " .. maker, function()
      assert.equal(endpoint._VERSION, api._VERSION)
    end)
  end

  it("has the null of lua-cjson", function()
    assert.equal(cjson.null, endpoint.null)
    assert.equal('{"a":null}', cjson.encode(endpoint("POST /x", { a = null }).body))
    assert.equal("null", cjson.encode(endpoint.defaults().null))
  end)

  it("hides its metatable", function()
    assert.is_false(type(getmetatable(endpoint)) == "table")
    assert.is_false(type(getmetatable(endpoint.defaults())) == "table")
    assert.is_false(pcall(setmetatable, endpoint, {}))
  end)

  for _, key in ipairs { "merge", "new", "null", "baseUrl", "DEFAULTS", 1, true } do
    it("refuses assignment and names defaults: " .. support.shown(key), function()
      support.raises("defaults", function()
        endpoint[key] = 1
      end)
      support.raises("defaults", function()
        endpoint[key] = nil
      end)
    end)
  end

  it("has the same members after an assignment that was refused", function()
    assert.is_nil(endpoint.new)
    assert.equal("function", type(endpoint.merge))
  end)

  -- The function that `require` would call. LuaRocks' searcher, the first where there is
  -- one, needs the globals that the spec below takes away.
  local function loader_of(name)
    for _, searcher in ipairs(package.searchers or package.loaders) do
      local loader, path = searcher(name)
      if type(loader) == "function" then
        return loader, path
      end
    end
  end

  it("makes no global when it is loaded, and may be loaded twice", function()
    local load, path = loader_of "endpoint"
    -- The globals of the Lua state, not busted's view of them. They are emptied, for the
    -- module was loaded in this state before.
    local globals = getfenv and getfenv(0) or debug.getregistry()[2]
    local rawset, next, saved, made = rawset, next, {}, {}
    for key, value in next, globals do
      saved[key] = value
    end
    for key in next, saved do
      rawset(globals, key, nil)
    end
    local fresh = load("endpoint", path)
    fresh("POST /x", { a = 1 })
    for key in next, globals do
      made[#made + 1] = key
    end
    for key, value in next, saved do
      rawset(globals, key, value)
    end
    assert.same({}, made)
    assert.is_false(rawequal(fresh, endpoint))
    assert.same(fresh.DEFAULTS, endpoint.DEFAULTS)
    assert.equal(fresh.null, endpoint.null)
    support.raises("argument 1", endpoint.merge, fresh)
  end)
end)

describe("a member", function()
  local api = endpoint.defaults { baseUrl = "https://h", a = 1 }

  for name, arguments in pairs {
    merge = { "/x", { b = 2 } },
    parse = { { url = "https://h" } },
    defaults = { { b = 2 } },
    variables = { "/{a}" },
  } do
    it("works with a dot and with a colon: " .. name, function()
      local with_dot, with_colon = api[name](unpack(arguments)), api[name](api, unpack(arguments))
      if name == "defaults" then
        with_dot, with_colon = with_dot.DEFAULTS, with_colon.DEFAULTS
      end
      assert.same(with_dot, with_colon)
    end)

    it("is the same function at each read: " .. name, function()
      assert.is_true(rawequal(api[name], api[name]))
    end)

    it("is another function in another endpoint: " .. name, function()
      assert.is_false(rawequal(api[name], endpoint[name]))
    end)
  end

  it("works with a colon and no argument: merge", function()
    assert.same(api.merge(), api:merge())
  end)

  it("works with a colon and no argument: defaults", function()
    assert.same(api.defaults().DEFAULTS, api:defaults().DEFAULTS)
  end)

  it("is a new table at each read: DEFAULTS", function()
    assert.is_false(rawequal(api.DEFAULTS, api.DEFAULTS))
  end)

  it("is bound to its endpoint, and works as a local", function()
    local merge, parse, defaults = api.merge, api.parse, api.defaults
    assert.equal("https://h/x?a=1", parse(merge("/x")).url)
    assert.equal("https://h/x", parse({ url = "https://h/x" }).url) -- parse adds no defaults
    assert.equal("https://h/x?a=1&b=2", defaults({ b = 2 })("/x").url)
    assert.equal("https://h/x?a=1", parse(merge(api, "/x")).url)
  end)

  it("keeps its endpoint, which may be collected otherwise", function()
    local merge = endpoint.defaults({ a = { "kept" } }).merge
    collectgarbage()
    collectgarbage()
    assert.same({ "kept" }, merge().a)
  end)

  local classless = endpoint.defaults {}
  debug.setmetatable(classless, nil)
  for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
    it("refuses another endpoint as first argument: " .. name, function()
      support.raises({ "argument 1", "another endpoint" }, endpoint[name], api, "/x")
    end)

    it("refuses its endpoint a second time: " .. name, function()
      support.raises("argument 1", api[name], api, api)
    end)

    it("refuses an endpoint without its metatable: " .. name, function()
      support.raises({ "argument 1", "userdata" }, api[name], classless)
    end)
  end
end)

describe("an endpoint that is called", function()
  local api = endpoint.defaults { baseUrl = "https://h", a = 1 }

  it("refuses another endpoint as first argument", function()
    support.raises("argument 1", api, endpoint, "/x")
  end)

  it("refuses another endpoint as options", function()
    support.raises({ "argument 2", "userdata" }, api, "/x", endpoint)
  end)
end)

-- A userdata of the module that is larger than an endpoint and is not one. nil in Lua 5.1, whose
-- debug library does not see the upvalues of functions in C.
local function cache_usage()
  local _, cache = debug.getupvalue(debug.getmetatable(endpoint).__call, 2)
  return cache and cache[1]
end

describe("a comma in an expression", function()
  it("that ends the template raises as an expression that is not closed", function()
    support.raises('"{" is not closed at byte 2', endpoint.variables, "/{a,")
  end)

  it("comes before a variable whose name begins with a triplet", function()
    assert.equal("%41b", endpoint.variables("/{a,%41b}")[2].name)
  end)

  it("raises before what no name begins with", function()
    support.raises("expected a variable name at byte 5", endpoint.variables, "/{a,-}")
  end)
end)

describe("a metamethod that the debug library hands out", function()
  local sees_upvalues = cache_usage() ~= nil
  local UNSEEN = "this Lua shows no upvalues of C functions"
  local values = {
    ["a number"] = 1,
    ["a string"] = "/x",
    ["a table"] = {},
    ["a function"] = print,
    ["a thread"] = coroutine.create(function() end),
    ["null"] = null,
    ["a file"] = io.stdout,
    ["another userdata of the module"] = cache_usage() or false,
  }
  for _, event in ipairs { "__call", "__index", "__newindex", "__tostring" } do
    local metamethod = debug.getmetatable(endpoint)[event]
    for what, value in pairs(values) do
      it("raises for " .. what .. ": " .. event, function()
        if value == false then
          pending(UNSEEN)
        end
        support.raises("endpoint: ", metamethod, value, "merge", {})
      end)
    end

    it("raises without a value: " .. event, function()
      support.raises("endpoint: ", metamethod)
    end)
  end

  for what, value in pairs(values) do
    it("raises in a member that belongs to " .. what, function()
      if not sees_upvalues then
        pending(UNSEEN)
      end
      local merge = endpoint.defaults({}).merge
      debug.setupvalue(merge, 1, value)
      support.raises("expected an endpoint, got ", merge, "/x")
    end)
  end

  it("raises for a userdata that got the metatable of endpoints", function()
    local file = assert(io.open "README.md")
    local metatable = getmetatable(file)
    debug.setmetatable(file, debug.getmetatable(endpoint))
    support.raises("expected an endpoint, got userdata", function()
      return #tostring(file)
    end)
    debug.setmetatable(file, metatable)
    file:close()
  end)
end)

describe("tostring of an endpoint", function()
  for base, text in pairs {
    ["https://h:8080/api"] = "https://h:8080/api",
    ["https://user:s3cret@h/api"] = "https://***@h/api",
    ["https://s3cret@h"] = "https://***@h",
    ["HTTP+UNIX://s3cret:@h"] = "HTTP+UNIX://***@h",
    ["/internal"] = "/internal",
    [""] = "",
  } do
    it("shows the class and baseUrl, with userinfo as ***@: " .. support.shown(base), function()
      assert.equal("endpoint (" .. text .. ")", tostring(endpoint.defaults { baseUrl = base }))
    end)
  end

  it("says that there is no baseUrl", function()
    assert.equal("endpoint (no baseUrl)", tostring(endpoint.defaults { baseUrl = null }))
  end)

  it("shows no other option and no parameter", function()
    local text = tostring(endpoint.defaults {
      headers = { authorization = SECRET, [SECRET] = "x" },
      data = SECRET,
      a = SECRET,
      request = SECRET,
      url = "/" .. SECRET,
      mediaType = { format = SECRET },
    })
    assert.equal(tostring(endpoint), text)
  end)
end)

describe("a template", function()
  it("of many is expanded as itself, also when it is used again", function()
    for i = 0, 4000 do
      local n = i % 2000
      local options = { a = n, ["b" .. n] = n, method = n % 2 == 0 and "HEAD" or nil }
      local expected = ("%s/r%d/%d?b%d=%d"):format(support.BASE, n, n, n, n)
      support.equal(expected, endpoint(("/r%d/{a}"):format(n), options).url, "call " .. i)
    end
  end)

  -- "GET /x" is a method and a URL as a route, and a relative URL as the option url. The second
  -- time it is in the cache.
  for _, time in ipairs { "first", "second", "third" } do
    it(("is not taken for a route of the same text, the %s time"):format(time), function()
      assert.equal(support.BASE .. "/x", endpoint("GET /x").url)
      assert.equal(support.BASE .. "/GET%20/x", endpoint({ url = "GET /x" }).url)
    end)

    it(("raises if it is malformed, the %s time"):format(time), function()
      support.raises("byte 3", endpoint, "/x{")
      support.raises("byte 3", endpoint, "POST /x{")
    end)
  end
end)

describe("a call at the end of the stack", function()
  it("raises, and the next call works (CWE-674)", function()
    local failures, message = 0, nil
    local function descend(...) -- each level takes fewer stack slots than a call needs
      local ok, result = pcall(endpoint, "/{x}", { x = "a" })
      if not ok then
        failures, message = failures + 1, result
      end
      return descend(...) .. ""
    end
    assert.is_false(pcall(descend, ("x"):rep(20):byte(1, -1)))
    -- Lua 5.1 limits nested C calls: there descend itself raises first.
    if jit or _VERSION ~= "Lua 5.1" then
      assert.is_true(failures > 0)
      assert.truthy(message:find("stack overflow", 1, true), message)
    end
    assert.equal(support.BASE .. "/a", endpoint("/{x}", { x = "a" }).url)
  end)
end)

describe("an error message", function()
  local api = endpoint.defaults { baseUrl = "https://h" }

  -- Callers, each with its call on its second line.
  local function call(f, ...)
    local result = f(...)
    return result
  end
  local function call_method(...)
    local result = api:merge(...)
    return result
  end
  local function assign()
    api.url = "/x"
  end

  for _, row in ipairs {
    { what = "a malformed template", caller = call, api, "/{x" },
    { what = "a number as route", caller = call, api, 5 },
    { what = "an empty method, by merge", caller = call, api.merge, { method = "" } },
    { what = "a number as options, by merge", caller = call, api.merge, "/x", 5 },
    { what = "a missing url, by parse", caller = call, api.parse, {} },
    {
      what = "a header whose name is not a token, by defaults",
      caller = call,
      api.defaults,
      { headers = { ["a b"] = "c" } },
    },
    { what = "another endpoint, by merge", caller = call, api.merge, endpoint },
    { what = "a missing parameter", caller = call, api, "/:id" },
    { what = "a number as options, by a method call", caller = call_method, "/x", 5 },
    { what = "an assignment", caller = assign },
  } do
    it("is a string that begins with the caller's file and line: " .. row.what, function()
      local ok, message = pcall(row.caller, unpack(row, 1, 3))
      local place = debug.getinfo(row.caller, "S")
      local begin = ("%s:%d: endpoint: "):format(place.short_src, place.linedefined + 1)
      assert.is_false(ok)
      assert.equal("string", type(message))
      assert.equal(begin, message:sub(1, #begin))
    end)
  end

  it("begins with the module where no Lua function is the caller", function()
    local _, message = pcall(api, "/{x")
    assert.equal("endpoint: ", message:sub(1, 10))
  end)

  local long = ("long"):rep(1000)
  for what, arguments in pairs {
    ["a route of control characters"] = { " \t\1\255" },
    ["a long template"] = { "/" .. long .. "{" },
    ["a template with control characters"] = { "/\27[31m\r\n\0{" },
    ["a long template with bytes that are not ASCII"] = { "/\128\255" .. long .. "{" },
    ["a long name of a variable"] = { "/{" .. long .. "}" },
    ["a long method"] = { { method = long .. "\255\r\n", url = "/x" } },
    ["a method with control characters"] = { { method = "\27[31m\0\127\r\n", url = "/x" } },
    ["a long format"] = { "/x", { mediaType = { format = long .. "\n" } } },
    ["a long preview"] = { "/x", { mediaType = { previews = { "\r\n\0" .. long } } } },
    ["a long value in the path"] = { "/{+x}/y", { x = long .. "/.." } },
    ["a long name of a header"] = { "/x", { headers = { [long .. "\r\n"] = "x" } } },
    ["a long name of a parameter"] = { "/x", { [long .. "\r\n\0"] = print } },
  } do
    it("quotes escaped and short: " .. what, function()
      local message = support.message_of(api, arguments[1], arguments[2])
      assert.is_nil(message:find "[^\32-\126]", message)
      assert.is_nil(message:find(("long"):rep(11), 1, true), message)
      assert.is_true(#message < 400, message)
      -- A quote in the text is escaped as \x22, so that it does not end the quotation.
      assert.truthy(message:find('"', 1, true), message)
      for text in message:gmatch '"([^"]*)"' do
        assert.is_true(#text <= 40, message)
      end
    end)
  end
end)

describe("the error of a missing parameter", function()
  local function message_with(missing, name)
    return support.message_of(
      endpoint,
      "/{" .. missing .. "}",
      { baseUrl = "https://h", [name] = "x" }
    )
  end

  -- One letter more, less or other, or two that changed places.
  for _, name in ipairs { "repos", "rpo", "rexo", "REPO", "rpeo" } do
    it("names a left-over one that is almost the same: " .. name, function()
      local message = message_with("repo", name)
      support.holds(message:find('the call has "' .. name .. '"', 1, true), message)
    end)
  end

  for _, name in ipairs { "rxeo", "rpxo", "rxyo", "oper", "re", "owner", "repo}}" } do
    it("does not name a left-over one that differs more: " .. name, function()
      assert.is_nil(message_with("repo", name):find("the call has", 1, true), name)
    end)
  end

  it("names a left-over one of two letters for one of three", function()
    assert.truthy(message_with("org", "og"):find('the call has "og"', 1, true))
  end)

  it("does not name a left-over one for one of two letters", function()
    assert.is_nil(message_with("id", "is"):find("the call has", 1, true))
  end)

  it("does not compare values", function()
    local values = { baseUrl = "https://h", a = 1, b = "rep" }
    local message = support.message_of(endpoint, "/{a}/{b}/{repo}", values)
    assert.is_nil(message:find("the call has", 1, true), message)
  end)
end)

describe("the version of src/endpoint.h", function()
  local version = support.read("src/endpoint.h"):match('ENDPOINT_VERSION "([%d.]+)"')

  it("is that of the module", function()
    assert.equal(version, endpoint._VERSION)
  end)

  it("is that of its user-agent", function()
    assert.equal("service-endpoint.js/" .. version, endpoint.DEFAULTS.headers["user-agent"])
  end)

  it("is the newest in the changelog", function()
    assert.equal(version, support.read("CHANGELOG.md"):match "\n## %[([%d.]+)%]")
  end)

  local function load_clients_beside(other)
    package.loaded.endpoint = setmetatable({ _VERSION = other }, { __index = endpoint })
    local ok, loaded = pcall(assert(loadfile "src/endpoint/clients.lua"))
    package.loaded.endpoint = endpoint
    return ok, loaded
  end

  it("is that of endpoint.clients", function()
    local ok, message = load_clients_beside(version)
    assert.is_true(ok, message)
  end)

  it("may have another patch level than endpoint.clients", function()
    local ok, message = load_clients_beside((version:gsub("%d+$", "99")))
    assert.is_true(ok, message)
  end)

  for _, words in ipairs {
    "endpoint.clients: ",
    "version " .. version,
    "version 0.9.0",
    "restart",
  } do
    it("is said where that of endpoint.clients is another: " .. words, function()
      local ok, message = load_clients_beside "0.9.0"
      assert.is_false(ok)
      assert.truthy(message:find(words, 1, true), message)
    end)
  end
end)
