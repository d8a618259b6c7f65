-- The module itself: its members, tostring, and its error messages.
local endpoint = require "endpoint"
local support = require "support"
local cjson = require "cjson"

local null = endpoint.null
local SECRET = "s3cret"
local unpack = support.unpack

describe("the module", function()
  it("is a userdata that can be called as a function", function()
    assert.equal("userdata", type(endpoint))
    assert.equal(support.BASE .. "/x", endpoint("/x").url)
    assert.equal(support.BASE .. "/x", endpoint({ url = "/x" }).url)
    assert.equal(support.BASE .. "/x", endpoint "/x".url)
  end)

  it("has the members of the reference", function()
    local kinds = {
      merge = "function", parse = "function", defaults = "function", variables = "function",
      DEFAULTS = "table", null = "userdata", _VERSION = "string",
    }
    for name, kind in pairs(kinds) do assert.equal(kind, type(endpoint[name])) end
  end)

  it("has no other members", function()
    local others = {
      "Merge", "defaults ", "MERGE", "", "__index", "__call", "__metatable", "__gc", "url", "method",
      "baseUrl", "headers", 1, 0, true, {}, print, 0 / 0,
    }
    for _, name in ipairs(others) do assert.is_nil(endpoint[name]) end
    assert.is_nil(endpoint[nil])
  end)

  it("has the null of lua-cjson", function()
    assert.equal(cjson.null, endpoint.null)
    assert.equal('{"a":null}', cjson.encode(endpoint("POST /x", { a = null }).body))
    assert.equal("null", cjson.encode(endpoint.defaults().null))
  end)

  it("has a version", function()
    assert.truthy(endpoint._VERSION:match("^%d+%.%d+%.%d+"))
    assert.equal(endpoint._VERSION, endpoint.defaults()._VERSION)
  end)

  it("has the built-in defaults method, baseUrl, accept and user-agent alone", function()
    assert.same({
      method = "GET",
      baseUrl = "https://api.service.example",
      headers = {
        accept = "application/vnd.service.v3+json",
        ["user-agent"] = "service-endpoint.js/" .. endpoint._VERSION,
      },
    }, endpoint.DEFAULTS)
  end)

  it("hides its metatable", function()
    assert.is_false(type(getmetatable(endpoint)) == "table")
    assert.is_false(type(getmetatable(endpoint.defaults())) == "table")
    assert.is_false(pcall(setmetatable, endpoint, {}))
  end)

  it("refuses assignment and names defaults", function()
    for _, key in ipairs { "merge", "new", "null", 1, true } do
      support.raises("defaults", function() endpoint[key] = 1 end)
      support.raises("defaults", function() endpoint[key] = nil end)
    end
    assert.is_nil(endpoint.new)
    assert.equal("function", type(endpoint.merge))
  end)

  -- The function that `require` would call. LuaRocks' searcher, the first where there is
  -- one, needs the globals that the spec below takes away.
  local function loader_of(name)
    for _, searcher in ipairs(package.searchers or package.loaders) do
      local loader, path = searcher(name)
      if type(loader) == "function" then return loader, path end
    end
  end

  it("makes no global when it is loaded, and may be loaded twice", function()
    local load, path = loader_of "endpoint"
    -- The globals of the Lua state, not busted's view of them. They are emptied, for the
    -- module was loaded in this state before.
    local globals = getfenv and getfenv(0) or debug.getregistry()[2]
    local rawset, next = rawset, next
    local saved, made = {}, {}
    for key, value in next, globals do saved[key] = value end
    for key in next, saved do rawset(globals, key, nil) end
    local fresh = load("endpoint", path)
    fresh("POST /x", { a = 1 })
    for key in next, globals do made[#made + 1] = key end
    for key, value in next, saved do rawset(globals, key, value) end
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
    assert.same(api.merge("/x", { b = 2 }), api:merge("/x", { b = 2 }))
    assert.same(api.merge { url = "/x" }, api:merge { url = "/x" })
    assert.same(api.merge(), api:merge())
    assert.same(api.parse { url = "https://h" }, api:parse { url = "https://h" })
    assert.same(api.defaults({ b = 2 }).DEFAULTS, api:defaults({ b = 2 }).DEFAULTS)
    assert.same(api.defaults().DEFAULTS, api:defaults().DEFAULTS)
    assert.same(api.variables("/{a}"), api:variables("/{a}"))
  end)

  it("is the same function at each read", function()
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      assert.is_true(rawequal(api[name], api[name]))
      assert.is_false(rawequal(api[name], endpoint[name]))
    end
    assert.is_false(rawequal(api.DEFAULTS, api.DEFAULTS))
  end)

  it("is bound to its endpoint and works as a local", function()
    local merge, parse, defaults = api.merge, api.parse, api.defaults
    assert.equal("https://h/x?a=1", parse(merge("/x")).url)
    assert.equal("https://h/x?a=1&b=2", defaults({ b = 2 })("/x").url)
    assert.equal("https://h/x?a=1", parse(merge(api, "/x")).url)
  end)

  it("keeps its endpoint from being collected", function()
    local merge = endpoint.defaults({ a = { "kept" } }).merge
    for _ = 1, 2 do collectgarbage() end
    assert.same({ "kept" }, merge().a)
  end)

  it("refuses another endpoint as first argument", function()
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      support.raises({ "argument 1", "another endpoint" }, api[name], endpoint)
      support.raises({ "argument 1", "another endpoint" }, endpoint[name], api, "/x")
      support.raises("argument 1", api[name], api, api)
      support.raises("argument 1", api[name], debug.setmetatable(endpoint.defaults {}, nil)) -- a userdata without a class
    end
    support.raises("argument 1", api, endpoint)
    support.raises("argument 1", api, api, "/x")
  end)

  it("refuses any argument but nil after the options", function()
    for _, name in ipairs { "merge", "defaults" } do
      support.raises({ "argument 3", "nothing after the options", "got table" }, api[name], nil, {}, {})
      support.raises({ "argument 3", "got boolean" }, api[name], api, nil, {}, false)
      support.raises({ "argument 4", "got string" }, api[name], nil, nil, nil, "x")
      support.raises({ "argument 1", "another endpoint" }, api[name], endpoint, nil, {}, {})
      assert.has_no.errors(function() api[name](nil, {}, nil, nil) end)
    end
    support.raises({ "argument 3", "got null" }, api, "/x", {}, endpoint.null)
    support.raises({ "argument 3", "got number" }, api, "/x", nil, 5)
    support.raises({ "argument 3", "got table" }, api.parse, { url = "https://h" }, nil, {})
    support.raises({ "argument 2", "nothing after a table of options" }, api, { url = "/x" }, {})
    assert.equal("https://h/x?a=1", api("https://h/x", nil, nil, nil).url)
  end)

  it("takes nil and options for options alone", function()
    assert.equal("https://h/x?a=1", api(nil, { url = "https://h/x", a = 1 }).url)
    assert.equal("https://h/x", api.merge(nil, { url = "https://h/x" }).url)
    assert.equal(7, api.defaults(nil, { a = 7 }).DEFAULTS.a)
  end)

  it("refuses other userdata, with a metatable and without", function()
    local plain = newproxy and newproxy() or io.stdout -- luacheck: ignore 113
    for _, name in ipairs { "merge", "parse", "defaults", "variables" } do
      for _, value in ipairs { plain, io.stdout } do support.raises({ "argument 1", "got userdata" }, api[name], value) end
    end
  end)
end)

describe("tostring of an endpoint", function()
  local cases = {
    { "the baseUrl",               { baseUrl = "https://h:8080/api" },           "https://h:8080/api" },
    { "userinfo as ***@",          { baseUrl = "https://user:s3cret@h/api" },    "https://***@h/api" },
    { "a lone user as ***@",       { baseUrl = "https://s3cret@h" },             "https://***@h" },
    { "baseUrl without its query",       { baseUrl = "https://h/api?key=s3cret" },     "https://h/api" },
    { "a bare path without its query",        { baseUrl = "/api?key=s3cret" },              "/api" },
    { "userinfo of any scheme",    { baseUrl = "HTTP+UNIX://s3cret:@h" },        "HTTP+UNIX://***@h" },
    { "an @ in the path as it is", { baseUrl = "https://h/@x" },                 "https://h/@x" },
    { "a bare path",              { baseUrl = "/internal" },                    "/internal" },
  }
  for _, case in ipairs(cases) do
    it("shows " .. case[1], function()
      local text = tostring(endpoint.defaults(case[2]))
      assert.truthy(text:find("endpoint", 1, true))
      assert.truthy(text:find(case[3], 1, true))
      assert.is_nil(text:find(SECRET, 1, true))
    end)
  end

  it("shows no other option and no parameter", function()
    local text = tostring(endpoint.defaults {
      headers = { authorization = SECRET, [SECRET] = "x" }, data = SECRET, a = SECRET, request = SECRET,
      url = "/" .. SECRET, mediaType = { format = SECRET },
    })
    assert.equal(tostring(endpoint), text)
    assert.is_nil(text:find("accept", 1, true))
  end)

  it("says that there is no baseUrl, and shows an empty one", function()
    assert.equal("endpoint (no baseUrl)", tostring(endpoint.defaults { baseUrl = null }))
    assert.equal("endpoint ()", tostring(endpoint.defaults { baseUrl = "" }))
  end)
end)

describe("many endpoints", function()
  it("keep their own defaults", function()
    local all = {}
    for i = 1, 200 do
      all[i] = (all[i - 1] or endpoint).defaults { baseUrl = "https://h" .. i, ["p" .. i % 7] = i }
    end
    for i = 200, 1, -1 do
      local url = ("https://h%d/x"):format(i)
      local name = "p" .. i % 7
      assert.equal(url .. "?" .. name .. "=" .. i, all[i]("PUT /x{?" .. name .. "}").url)
      assert.equal(i, all[i]("POST /x").body[name])
    end
    assert.equal(support.BASE .. "/x", endpoint("/x").url)
  end)

  it("may be collected without harm", function()
    for i = 1, 2000 do endpoint.defaults({ a = { i } })("/x{?a}") end
    collectgarbage()
    assert.equal(support.BASE .. "/x", endpoint("/x").url)
  end)
end)

describe("many templates", function()
  local function check(i)
    local options = { a = i, ["b" .. i] = i, method = i % 2 == 0 and "HEAD" or nil }
    local expected = ("%s/r%d/%d?b%d=%d"):format(support.BASE, i, i, i, i)
    assert.equal(expected, endpoint(("/r%d/{a}"):format(i), options).url)
  end

  it("are each expanded as themselves, also when they are used again", function()
    for i = 1, 2000 do check(i) end
    for i = 1, 2000 do check(i) end
    check(1)
  end)

  it("differ from routes of the same text", function()
    -- "GET /x" is a method and a URL as a route, and a relative URL as the option url.
    for _ = 1, 2 do
      assert.equal(support.BASE .. "/x", endpoint("GET /x").url)
      assert.equal(support.BASE .. "/GET%20/x", endpoint({ url = "GET /x" }).url)
    end
  end)

  it("raise each time if they are malformed", function()
    for _ = 1, 3 do
      support.raises("byte 3", endpoint, "/x{")
      support.raises("byte 3", endpoint, "POST /x{")
    end
  end)
end)

describe("a call after an error", function()
  it("has the result that it had before", function()
    local api = endpoint.defaults { baseUrl = "https://h", list = { "a" }, headers = { a = "b" } }
    local function all()
      return { api("/{id}", { id = 1 }), api.merge("/x{"), api.DEFAULTS, api("POST /x", { b = { 1 } }) }
    end
    local before = all()
    local loop = support.cyclic()
    for _ = 1, 50 do
      support.raises('"id"', api, "/{id}")
      support.raises("byte", api, "/{id")
      support.raises('"id"', api, "/{id}", { id = "..", other = {} })
      support.raises('"a"', api, "/x", { list = null, a = { "b", print } })
      support.raises("finite", api, "/x{?a*}", { a = { b = 0 / 0 } })
      support.raises("header", api, "/x", { headers = { ["a b"] = "c" } })
      support.raises("data", api, "/x", { data = {} })
      support.raises("got a cycle", api.defaults, { loop = loop })
      support.raises("token", api.merge, { method = "" })
      support.raises("RFC 6838", api, "/x", { mediaType = { previews = { "a", "b/c" } } })
      assert.same(before, all())
    end
  end)
end)

-- Calls f, which must raise. Returns the number of the calling line and the message.
local function fails_here(f, ...)
  local line
  local ok, message = pcall(function(...)
    line = debug.getinfo(1, "l").currentline + 1
    local result = f(...)
    return result
  end, ...)
  assert.is_false(ok)
  return line, message
end

describe("an error message", function()
  local api = endpoint.defaults { baseUrl = "https://h" }
  local file = debug.getinfo(1, "S").short_src

  it("is a string that begins with the caller's file and line", function()
    local calls = {
      { api, "/{x" }, { api, 5 }, { api.merge, { method = "" } }, { api.merge, "/x", 5 }, { api.parse, {} },
      { api.defaults, { headers = { ["a b"] = "c" } } }, { api.merge, endpoint }, { api, "/:id" },
      { function(...) local result = api:merge(...) return result end, "/x", 5, depth = true },
    }
    for _, call in ipairs(calls) do
      local line, message = fails_here(unpack(call, 1, 3))
      assert.equal("string", type(message))
      local expected = call.depth and file .. ":" or ("%s:%d: endpoint: "):format(file, line)
      assert.equal(expected, message:sub(1, #expected))
    end
  end)

  it("begins with the caller's file and line for an assignment, too", function()
    local line
    local ok, message = pcall(function()
      line = debug.getinfo(1, "l").currentline + 1
      api.url = "/x"
    end)
    assert.is_false(ok)
    local expected = ("%s:%d: endpoint: "):format(file, line)
    assert.equal(expected, message:sub(1, #expected))
  end)

  it("begins with the module where no Lua function is the caller", function()
    local _, message = pcall(api, "/{x")
    assert.equal("endpoint: ", message:sub(1, 10))
  end)

  local long = ("long"):rep(1000)
  local quoted = {
    { "a route",          { " \t\1\255" } },
    { "a template",       { "/" .. long .. "{" } },
    { "a template with control bytes", { "/\27[31m\r\n\0{" } },
    { "a template with quotes", { '/"\\"{' } },
    { "a template in UTF-8", { "/é" .. long .. "{" } },
    { "a method",         { { method = long .. "é\r\n", url = "/x" } } },
    { "a method with control bytes", { { method = "\27[31m\0\127\r\n", url = "/x" } } },
    { "a format",         { "/x", { mediaType = { format = long .. "\n" } } } },
    { "a preview",        { "/x", { mediaType = { previews = { "\r\n\0" .. long } } } } },
    { "a path",           { "/{+x}/y", { x = long .. "/.." } } },
    { "a header name",    { "/x", { headers = { [long .. "\r\n"] = "x" } } } },
    { "a variable name",  { "/{" .. long .. "}" } },
    { "a parameter name", { "/x", { [long .. "\r\n\0"] = print } } },
  }
  for _, case in ipairs(quoted) do
    it("quotes " .. case[1] .. " escaped and short", function()
      local message = support.message_of(api, case[2][1], case[2][2])
      assert.is_nil(message:find("[^\32-\126]"))
      assert.truthy(message:find('"', 1, true))
      assert.is_nil(message:find(("long"):rep(11), 1, true))
      -- A quote in the text is escaped as \x22, so that it does not end the quotation.
      for text in message:gmatch('"([^"]*)"') do assert.is_true(#text <= 40) end
      assert.is_true(#message < 400)
    end)
  end

  it("ends a text that it cuts in three dots", function()
    support.raises('"/' .. ("long"):rep(9) .. '..."', api, "/" .. long .. "{")
    support.raises('"/' .. ("\\xFF"):rep(9) .. '..."', api, "/" .. ("\255"):rep(20) .. "{")
    support.raises('"' .. ("m"):rep(37) .. '..."', api, { url = "/x", method = ("m"):rep(40) .. "@" })
  end)

  it("escapes quotes, backslashes and bytes that are not printable", function()
    support.raises('"/\\x22\\x5C{"', api, '/"\\{')
    support.raises('"/\\x80\\xFF\\x7F{"', api, "/\128\255\127{")
  end)

  it("shows a short value whole", function()
    support.raises('"/x{"', api, "/x{")
    support.raises('"a/b"', api, "/x", { mediaType = { format = "a/b" } })
    support.raises('"' .. ("m"):rep(39) .. '@"', api, { url = "/x", method = ("m"):rep(39) .. "@" })
  end)

  local user = "https://user:" .. SECRET .. "@h"
  local with_userinfo = {
    { "a template",              { user .. "/{x" } },
    { "a long template",         { "GET https://" .. SECRET:rep(50) .. "@h/{x" } },
    { "a template with {@",      { "https://u:" .. SECRET .. "{@h/" } },
    { "a template with two @",   { "https://user@" .. SECRET .. "@h/{x" } },
    { "a template with spaces",  { { url = "https://u ser:" .. SECRET .. " @h/{x" } } },
    { "a template in upper case", { "HTTPS://u:" .. SECRET .. "@h/}" } },
    { "a url without a scheme",    { { url = "//user:" .. SECRET .. "@h/x", baseUrl = "" } } },
    { "a url in place of a method", { user .. "/ x" } },
    { "a route in place of a method", { { method = "GET " .. user .. "/", url = "/x" } } },
    { "an absolute template with a dot segment",        { user .. "/{x}", { x = ".." } } },
    { "an absolute template without a path",      { user .. "{x}", { x = "" } } },
    { "a baseUrl",               { "/x", { baseUrl = user .. "#" } } },
    { "a baseUrl with a query",  { "/{x}", { baseUrl = user .. "?" .. SECRET, x = ".." } } },
    { "a baseUrl before a dot segment",   { "/{x}", { baseUrl = user, x = ".." } } },
    { "a value in the userinfo", { "https://user:{x}@h/", { x = "@" .. SECRET } } },
  }
  for _, case in ipairs(with_userinfo) do
    it("hides userinfo in " .. case[1], function()
      local message = support.message_of(api, case[2][1], case[2][2])
      assert.equal("endpoint: ", message:sub(1, 10))
      assert.is_nil(message:find(SECRET, 1, true))
    end)
  end

  it("shows userinfo as ***@", function()
    support.raises('"https://***@h/{x"', api, user .. "/{x")
    support.raises('"***@h{"', api, "u:p@h{")
    support.raises('"http:/***@h{"', api, "http:/u:p@h{")
    support.raises('"https://***@h/"', api, "https://u:" .. SECRET .. "{@h/")
    support.raises('"https://***@h/"', api, "https://u:{@p@h/")
    support.raises('"***@h/?..."', api, "u:p@h/?r=http://x{")
    support.raises('"//***@h/?..."', api, "//u:p@h/?r=http://x{")
    support.raises('"http:/***@h/?..."', api, "http:/u:p@h/?r=http://x{")
    support.raises('"//***@h/ x"', api, "//tok@h/ x")
    support.raises('"***@h/ x"', api, "tok@h/ x")
    support.raises('"https://***@h/x"', api, "https://u:s3 cret@h/x")
    support.raises('"GET //***@h/"', api, { method = "GET //u:p@h/", url = "/x" })
    support.raises('"/a//***@h/https://***@i/{"', api, "/a//u:p@h/https://v:q@i/{")
    support.raises('"***@a}"', api, "{@a}")
    support.raises('url "//***@h/a://b"', endpoint.defaults { baseUrl = "" }, "//u:p@h/a://b")
    support.raises('"/x/https://***@h/{"', api, "/x/https://u:p@h/{")
  end)

  it("shows an @ behind the first /, ? or # and in a path", function()
    support.raises('"https://h?..."', api, "https://h?mail=a@b&x={@a}")
    support.raises('"https://h/a@b/{"', api, "https://h/a@b/{")
    support.raises('"https://h#a@b{"', api, "https://h#a@b{")
    support.raises('"/users/a@b/{"', api, "/users/a@b/{")
    support.raises('"/a@b/{"', api, "/a@b/{")
  end)

  it("shows nothing behind the first ? of a text, plain or encoded", function()
    support.raises('"/x?..."', api, "/x?" .. SECRET .. "{")
    support.raises('"/x{?..."', api, "/x{?" .. SECRET)
    support.raises('"/x?"', api, { url = "/x", method = "/x?" })
    support.raises('"G?..."', api, { url = "/x", method = "G?" .. SECRET })
    support.raises('"G?..."', api, "G?" .. SECRET .. " /x")
    support.raises('"/x?..."', api, "/x?" .. SECRET .. " y")
    support.raises('"/x%3f..."', api, "/x%3f" .. SECRET .. "{")
    support.raises('"https://***@h/x?..."', api, "https://u:p@h/x?" .. SECRET .. "://a:b@c{")
    support.raises('"/' .. ("y"):rep(36) .. '..."', api, "/" .. ("y"):rep(39) .. "?" .. SECRET .. "{")
  end)

  local private = {
    { "a header value with LF",    { "/x", { headers = { authorization = SECRET .. "\n" } } } },
    { "a header value in a list",  { "/x", { headers = { authorization = { SECRET, SECRET .. "\0" } } } } },
    { "a header value in a map",   { "/x", { headers = { authorization = { [SECRET] = SECRET } } } } },
    { "headers that are a string", { "/x", { headers = SECRET } } },
    { "a header given twice",            { "/x", { headers = { a = SECRET, A = SECRET } } } },
    { "a header with a bad name",  { "/x", { headers = { ["a b"] = SECRET } } } },
    { "an accept that is a list", { "/x", { headers = { accept = { SECRET } }, mediaType = { format = "a" } } } },
    { "data under GET",            { "GET /x", { data = SECRET } } },
    { "a table as data under GET", { "GET /x", { data = { SECRET } } } },
    { "a left-over parameter",     { "OPTIONS /x", { a = SECRET } } },
    { "the query of a template",   { "/x?key=" .. SECRET .. "{" } },
    { "the query of a template before {?", { "https://h?key=" .. SECRET .. "{?a}" } },
    { "the query of a url with // in front", { { url = "//h?" .. SECRET, baseUrl = "" } } },
    { "what follows a ? in a method", { { method = "GET?" .. SECRET, url = "/x" } } },
    { "a query behind a dot segment",       { "/{+x}", { x = "../a?" .. SECRET } } },
    { "a fragment behind a dot segment",    { "/{+x}", { x = "../a#" .. SECRET } } },
    { "a map in the query",        { "GET /x", { a = { [SECRET] = SECRET } } } },
    { "a mixed table in the query", { "GET /x", { a = { SECRET, b = SECRET } } } },
    { "data beside a missing parameter",    { "POST /:id", { a = SECRET, data = SECRET } } },
    { "options behind options",    { { url = SECRET }, { SECRET } } },
  }
  for _, case in ipairs(private) do
    it("does not show " .. case[1], function()
      for _, reader in ipairs { api, function(...) return (api.parse(api.merge(...))) end } do
        local message = support.message_of(reader, case[2][1], case[2][2])
        assert.equal("endpoint: ", message:sub(1, 10))
        assert.is_nil(message:find(SECRET, 1, true))
      end
    end)
  end

  local of_parameter = {
    { "/{id}", { id = print } }, { "/{id}" }, { "/:id", { id = "" } }, { "/{id}", { id = ".." } },
    { "/{+id}", { id = "a/../b" } }, { "/..{id}/x" }, { "/{id}", { id = 0 / 0 } }, { "/{id}", { id = { 1, a = 2 } } },
    { "/{?id*}", { id = { a = { b = 1 } } } }, { "/{id:3}", { id = { "a" } } }, { "https://{id}.h/" },
    { "https://{id}/", { id = "" } }, { "https://h{+id}", { id = "x" } }, { "https://{id}/", { id = "a/b" } },
    { "/x", { id = { a = 1 } } }, { "/x", { id = print } }, { "/x", { id = { {} } } }, { "OPTIONS /x", { id = 1 } },
    { "TRACE /x", { id = false } },
  }
  it("begins with the parameter if that is the cause", function()
    for _, arguments in ipairs(of_parameter) do
      local start = 'endpoint: parameter "id"'
      assert.equal(start, support.message_of(api, arguments[1], arguments[2]):sub(1, #start))
    end
  end)

  local of_program = {
    { "/{" }, { "/{id", { id = print } }, { "" }, { "GET" }, { "/x", 5 }, { 5 }, { {} }, { "/x", { 5 } },
    { "/x", { url = "/y" } }, { "/x", { headers = 5 } }, { "/x", { headers = { ["a b"] = 1 } } },
    { "/x", { headers = { a = print } } }, { "/x", { mediaType = { format = "a/b" } } },
    { "/x", { mediaType = { a = 1 } } }, { "/x", { data = 1 } }, { "/{url}", { url = "x" } }, { "/{method}" },
    { "/x", { baseUrl = "x" } }, { "/x", { method = "a b" } }, { "https:///x" }, { "http:x" },
  }
  it("does not begin with a parameter if none is the cause", function()
    for _, arguments in ipairs(of_program) do
      assert.is_nil(support.message_of(api, arguments[1], arguments[2]):find("^endpoint: parameter"))
    end
    assert.is_nil(support.message_of(api.defaults, { a = support.cyclic() }):find("^endpoint: parameter"))
    assert.is_nil(support.message_of(api.defaults, { base_url = 1 }):find("^endpoint: parameter"))
    assert.is_nil(support.message_of(endpoint.parse, { url = "/x" }):find("^endpoint: parameter"))
  end)

  it("quotes data where the template uses it", function()
    support.raises({ 'parameter "data"', '".."' }, api, "/{data}", { data = "../x" })
  end)

  it("does not show a default parameter", function()
    local loop = support.cyclic()
    loop[1] = SECRET
    assert.is_nil(support.message_of(api.defaults, { loop = loop }):find(SECRET, 1, true))
  end)
end)
