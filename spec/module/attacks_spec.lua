-- Known attacks that JSON cannot say: locales, hostile tables, the end of the stack. The others are in
-- spec/vectors. In brackets is an RFC, the CVE number of the same fault in another program,
-- or a CWE number.
--
-- Out of scope: code that has the debug library (debug.setmetatable on nil, a string
-- or an endpoint, debug.setupvalue on a member) controls the whole process anyway.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local BASE = support.BASE

local function url(route, options)
  return endpoint(route, options).url
end

-- Runs f under the first of the locales that is installed, or leaves the spec pending.
local function under_locale(names, f)
  local before, ok, message = os.setlocale(), nil, nil
  for _, name in ipairs(names) do
    if ok == nil and os.setlocale(name) then ok, message = pcall(f) end
  end
  os.setlocale(before)
  if ok == nil then pending "no such locale is installed" end
  assert(ok, message)
end

describe("a locale", function()
  it("with a decimal comma does not change numbers (CWE-1286)", function()
    under_locale({ "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" }, function()
      assert.equal(BASE .. "/1.5?a=0.1&b=1e-7&c=-2.25", url("/{x}", { x = 1.5, a = 0.1, b = 1e-7, c = -2.25 }))
      assert.equal(BASE .. "/0.5,-1.5e-7,5", url("/{+x}", { x = { 0.5, -1.5e-7, 5.0 } }))
      assert.equal(BASE .. "/?a=1.5%2C2.5", url("/", { a = { 1.5, 2.5 } }))
    end)
  end)

  it("with a dotless i does not change the case of letters (CWE-178)", function()
    under_locale({ "tr_TR.UTF-8", "tr_TR.utf8", "tr_TR.ISO-8859-9", "tr_TR" }, function()
      local got = endpoint { method = "options", url = "/{i}/{I}", i = "i", I = "I",
        headers = { ["X-ID-i"] = "I", ["\73F-MATCH"] = "i" } }
      assert.equal("options", got.method)
      assert.equal("OPTIONS", endpoint.merge("options /x").method)
      assert.equal("if-match,x-id-i", table.concat({ support.keys(got.headers)[2], support.keys(got.headers)[4] }, ","))
      assert.equal(BASE .. "/i/I", got.url)
      assert.equal("HTTPI://h/x", url "HTTPI://h/x")
      assert.equal("%FD%DD", url("/{x}", { x = "\253\221" }):sub(-6))
      support.raises("token", endpoint, "/x", { headers = { ["\221d"] = "v" } })
    end)
  end)
end)

describe("hostile metatables", function()
  local consulted = {}
  local metatable = {}
  for _, event in ipairs { "__index", "__newindex", "__pairs", "__ipairs", "__len", "__eq", "__lt", "__le",
    "__call", "__tostring", "__concat", "__unm", "__name", "__close" } do
    metatable[event] = function()
      consulted[#consulted + 1] = event
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

  local function expect_untouched()
    assert.equal("", table.concat(consulted, " "))
  end

  it("are not consulted by a call (CWE-1321)", function()
    local options = all()
    assert.is_true(rawequal(rawget(options, "list"), endpoint("POST /", options).body.list))
    local got = endpoint("GET /{list}{?map*}", options)
    assert.equal(BASE .. "/a,b?k=v", got.url)
    assert.equal("c,d", table.concat(got.headers["x-l"], ","))
    assert.equal("application/vnd.service.p-preview.raw", got.headers.accept)
    expect_untouched()
  end)

  it("are not consulted by merge and parse (CWE-1321)", function()
    local merged = endpoint.merge("GET /{list*}", all())
    assert.is_nil(getmetatable(merged))
    assert.equal("b", rawget(merged.headers, "x-a"))
    assert.is_nil(endpoint.merge("/", { mediaType = hostile {} }).mediaType)
    setmetatable(merged, metatable)
    merged.map = nil
    assert.equal(BASE .. "/a,b", endpoint.parse(merged).url)
    expect_untouched()
  end)

  it("are kept by defaults, not consulted (CWE-1321)", function()
    local options = all()
    local api = endpoint.defaults(options)
    assert.equal(BASE .. "/a,b?k=v", api("GET /{list}{?map*}").url)
    assert.is_true(getmetatable(api.DEFAULTS.list) == metatable)
    assert.is_nil(getmetatable(api.DEFAULTS.headers))
    expect_untouched()
  end)

  it("are not consulted for an error message (CWE-1321)", function()
    support.raises('parameter "a"', endpoint, "/", { a = hostile { hostile {} } })
    support.raises("nothing after", endpoint, hostile {}, hostile {})
    support.raises('"url"', endpoint, hostile { url = hostile {} })
    support.raises('header "a"', endpoint, "/", { headers = { a = hostile { hostile {} } } })
    support.raises('"previews"', endpoint, "/", { mediaType = { previews = hostile { hostile {} } } })
    expect_untouched()
  end)

  it("with __gc are not copied to tables of the module (CWE-416)", function()
    local runs = 0
    do
      local t = setmetatable({ "a" }, { __gc = function() runs = runs + 1 end })
      for _ = 1, 50 do endpoint("/{x}", { x = t }) end
      for _ = 1, 50 do endpoint("POST /", { x = t, data = t }) end
      assert.equal(0, runs)
      assert.equal("a", t[1])
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(runs <= 1)
  end)
end)

describe("a call at the end of the stack", function()
  it("raises, and the next call works (CWE-674)", function()
    local failures, message = 0, nil
    local function descend(...) -- each level takes fewer stack slots than a call needs
      local ok, result = pcall(endpoint, "/{x}", { x = "a" })
      if not ok then failures, message = failures + 1, result end
      return descend(...) .. ""
    end
    assert.is_false(pcall(descend, ("x"):rep(20):byte(1, -1)))
    -- Lua 5.1 limits nested C calls: there descend itself raises first.
    if jit or _VERSION ~= "Lua 5.1" then
      assert.is_true(failures > 0)
      assert.truthy(message:find("stack overflow", 1, true), message)
    end
    assert.equal(BASE .. "/a", url("/{x}", { x = "a" }))
  end)
end)
