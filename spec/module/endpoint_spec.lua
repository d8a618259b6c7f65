-- The module itself: its members, tostring, its error messages, and its version.
local endpoint = require "endpoint"
local support = require "support"
local cjson = require "cjson"

local null = endpoint.null
local SECRET = "s3cret"
local unpack = support.unpack

describe("the module", function()
  it(
    "is a userdata with the members of the reference and no others, and so are those made of it",
    function()
      local kinds = {
        merge = "function",
        parse = "function",
        defaults = "function",
        variables = "function",
        DEFAULTS = "table",
        null = "userdata",
        _VERSION = "string",
      }
      local others = {
        "Merge",
        "defaults ",
        "MERGE",
        "",
        "__index",
        "__call",
        "__metatable",
        "__gc",
        "url",
        "method",
        "baseUrl",
        "headers",
        1,
        0,
        true,
        {},
        print,
        0 / 0,
      }
      for _, api in ipairs { endpoint, endpoint.defaults() } do
        assert.equal("userdata", type(api))
        for name, kind in pairs(kinds) do
          assert.equal(kind, type(api[name]))
        end
        for _, name in ipairs(others) do
          assert.is_nil(api[name])
        end
        assert.is_nil(api[nil])
        assert.equal(endpoint._VERSION, api._VERSION)
      end
    end
  )

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

  it("works with a dot and with a colon", function()
    local calls = {
      merge = { "/x", { b = 2 } },
      parse = { { url = "https://h" } },
      defaults = { { b = 2 } },
      variables = { "/{a}" },
    }
    for name, arguments in pairs(calls) do
      local with_dot, with_colon = api[name](unpack(arguments)), api[name](api, unpack(arguments))
      if name == "defaults" then
        with_dot, with_colon = with_dot.DEFAULTS, with_colon.DEFAULTS
      end
      assert.same(with_dot, with_colon)
    end
    assert.same(api.merge(), api:merge())
    assert.same(api.defaults().DEFAULTS, api:defaults().DEFAULTS)
  end)

  it("is the same function at each read", function()
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      assert.is_true(rawequal(api[name], api[name]))
      assert.is_false(rawequal(api[name], endpoint[name]))
    end
    assert.is_false(rawequal(api.DEFAULTS, api.DEFAULTS))
  end)

  it("is bound to its endpoint, works as a local, and keeps the endpoint", function()
    local merge, parse, defaults = api.merge, api.parse, api.defaults
    assert.equal("https://h/x?a=1", parse(merge("/x")).url)
    assert.equal("https://h/x", parse({ url = "https://h/x" }).url) -- parse adds no defaults
    assert.equal("https://h/x?a=1&b=2", defaults({ b = 2 })("/x").url)
    assert.equal("https://h/x?a=1", parse(merge(api, "/x")).url)
    merge = endpoint.defaults({ a = { "kept" } }).merge -- the endpoint itself may be collected
    for _ = 1, 2 do
      collectgarbage()
    end
    assert.same({ "kept" }, merge().a)
  end)

  it("refuses another endpoint as first argument", function()
    local classless = endpoint.defaults {}
    debug.setmetatable(classless, nil)
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      support.raises({ "argument 1", "another endpoint" }, endpoint[name], api, "/x")
      support.raises("argument 1", api[name], api, api)
      support.raises({ "argument 1", "userdata" }, api[name], classless)
    end
    support.raises("argument 1", api, endpoint, "/x")
    support.raises({ "argument 2", "userdata" }, api, "/x", endpoint)
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

describe("of many", function()
  it("templates each is expanded as itself, also when it is used again", function()
    for i = 0, 4000 do
      local n = i % 2000
      local options = { a = n, ["b" .. n] = n, method = n % 2 == 0 and "HEAD" or nil }
      local expected = ("%s/r%d/%d?b%d=%d"):format(support.BASE, n, n, n, n)
      support.equal(expected, endpoint(("/r%d/{a}"):format(n), options).url)
    end
  end)

  -- "GET /x" is a method and a URL as a route, and a relative URL as the option url.
  it(
    "templates none is taken for a route of the same text, and a malformed one raises each time",
    function()
      for _ = 1, 3 do
        assert.equal(support.BASE .. "/x", endpoint("GET /x").url)
        assert.equal(support.BASE .. "/GET%20/x", endpoint({ url = "GET /x" }).url)
        support.raises("byte 3", endpoint, "/x{")
        support.raises("byte 3", endpoint, "POST /x{")
      end
    end
  )
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

  it("is a string that begins with the caller's file and line", function()
    local rows = {
      { call, api, "/{x" },
      { call, api, 5 },
      { call, api.merge, { method = "" } },
      { call, api.merge, "/x", 5 },
      { call, api.parse, {} },
      { call, api.defaults, { headers = { ["a b"] = "c" } } },
      { call, api.merge, endpoint },
      { call, api, "/:id" },
      { call_method, "/x", 5 },
      { assign },
    }
    for _, row in ipairs(rows) do
      local ok, message = pcall(unpack(row, 1, 4))
      local caller = debug.getinfo(row[1], "S")
      local begin = ("%s:%d: endpoint: "):format(caller.short_src, caller.linedefined + 1)
      assert.is_false(ok)
      assert.equal("string", type(message))
      assert.equal(begin, message:sub(1, #begin))
    end
  end)

  it("begins with the module where no Lua function is the caller", function()
    local _, message = pcall(api, "/{x")
    assert.equal("endpoint: ", message:sub(1, 10))
  end)

  local long = ("long"):rep(1000)
  local quoted = {
    { " \t\1\255" },
    { "/" .. long .. "{" },
    { "/\27[31m\r\n\0{" },
    { "/\128\255" .. long .. "{" },
    { "/{" .. long .. "}" },
    { { method = long .. "\255\r\n", url = "/x" } },
    { { method = "\27[31m\0\127\r\n", url = "/x" } },
    { "/x", { mediaType = { format = long .. "\n" } } },
    { "/x", { mediaType = { previews = { "\r\n\0" .. long } } } },
    { "/{+x}/y", { x = long .. "/.." } },
    { "/x", { headers = { [long .. "\r\n"] = "x" } } },
    { "/x", { [long .. "\r\n\0"] = print } },
  }
  for i, arguments in ipairs(quoted) do
    it(("quotes escaped and short, %d: %s"):format(i, support.shown(arguments[1])), function()
      local message = support.message_of(api, arguments[1], arguments[2])
      assert.is_nil(message:find "[^\32-\126]")
      assert.is_nil(message:find(("long"):rep(11), 1, true))
      assert.is_true(#message < 400)
      -- A quote in the text is escaped as \x22, so that it does not end the quotation.
      assert.truthy(message:find('"', 1, true))
      for text in message:gmatch '"([^"]*)"' do
        assert.is_true(#text <= 40)
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

  it("compares names of three letters or more with others, and no values", function()
    -- Of two letters, but not for one of two.
    assert.truthy(message_with("org", "og"):find('the call has "og"', 1, true))
    assert.is_nil(message_with("id", "is"):find("the call has", 1, true))
    local values = { baseUrl = "https://h", a = 1, b = "rep" } -- values are not compared
    assert.is_nil(
      support.message_of(endpoint, "/{a}/{b}/{repo}", values):find("the call has", 1, true)
    )
  end)
end)

describe("the version of src/endpoint.h", function()
  local version = support.read("src/endpoint.h"):match('ENDPOINT_VERSION "([%d.]+)"')

  it("is that of the module, of its user-agent, and the newest in the changelog", function()
    assert.same({ version, "service-endpoint.js/" .. version, version }, {
      endpoint._VERSION,
      endpoint.DEFAULTS.headers["user-agent"],
      support.read("CHANGELOG.md"):match "\n## %[([%d.]+)%]",
    })
  end)

  it(
    "is that of endpoint.clients, which loads beside another patch level, and beside no other "
      .. "version",
    function()
      local function load_beside(other)
        package.loaded.endpoint = setmetatable({ _VERSION = other }, { __index = endpoint })
        local ok, loaded = pcall(assert(loadfile "src/endpoint/clients.lua"))
        package.loaded.endpoint = endpoint
        return ok, loaded
      end
      for _, patch in ipairs { version, (version:gsub("%d+$", "99")) } do
        assert.is_true(load_beside(patch))
      end
      local ok, message = load_beside "0.9.0"
      assert.is_false(ok)
      for _, words in ipairs {
        "endpoint.clients: ",
        "version " .. version,
        "version 0.9.0",
        "restart",
      } do
        assert.truthy(message:find(words, 1, true), message)
      end
    end
  )
end)
