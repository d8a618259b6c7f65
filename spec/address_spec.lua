-- Where a request goes: joining, and what values must not do to it.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null

-- POST: parameters that the template does not use go into the body.
local function url(base, template, options)
  return endpoint.defaults { baseUrl = base }("POST " .. template, options).url
end

-- At an own address, where a value has no host to name but in the template.
local function at_host(template, options)
  return url("https://h", template, options)
end

-- A value in the title of a spec.
local function shown(value)
  return type(value) == "string" and ("%q"):format(value) or type(value)
end

local function refuses(words, base, template, options)
  support.raises(words, url, base, template, options)
end

describe("baseUrl and url", function()
  local cases = {
    -- base                 url                  result
    { "https://h",          "/x",                "https://h/x" },
    { "https://h",          "x",                 "https://h/x" },
    { "https://h/",         "/x",                "https://h/x" },
    { "https://h/",         "x",                 "https://h/x" },
    { "https://h/v1",       "/x",                "https://h/v1/x" },
    { "https://h/v1",       "x",                 "https://h/v1/x" },
    { "https://h/v1/",      "/x",                "https://h/v1/x" },
    { "https://h/v1/",      "x",                 "https://h/v1/x" },
    { "https://h:8080",     "/x",                "https://h:8080/x" },
    { "https://u:p@h/v1",   "/x",                "https://u:p@h/v1/x" },
    { "https://[::1]:80",   "/x",                "https://[::1]:80/x" },
    { "HTTPS://H",          "/x",                "HTTPS://H/x" },
    { "ftp+x-1.0://h",      "/x",                "ftp+x-1.0://h/x" },
    -- one "/" of two is dropped, not more
    { "https://h//",        "/x",                "https://h//x" },
    { "https://h/",         "//x",               "https://h//x" },
    { "https://h",          "//x",               "https://h//x" },
    { "https://h//",        "//x",               "https://h///x" },
    -- a literal trailing "/" stays
    { "https://h",          "/",                 "https://h/" },
    { "https://h/",         "/",                 "https://h/" },
    { "https://h",          "/x/",               "https://h/x/" },
    { "https://h",          "/x/?y",             "https://h/x/?y" },
    { "https://h/v1/",      "/",                 "https://h/v1/" },
    -- a query, a fragment and nothing join directly
    { "https://h",          "?x",                "https://h?x" },
    { "https://h/",         "?x",                "https://h/?x" },
    { "https://h/v1",       "?x",                "https://h/v1?x" },
    { "https://h",          "#x",                "https://h#x" },
    { "https://h/v1/",      "#x",                "https://h/v1/#x" },
    { "https://h",          "{?a}",              "https://h?a=1" },
    { "https://h/v1",       "{#a}",              "https://h/v1#1" },
    { "https://h",          "{+q}",              "https://h?b" },
    { "https://h",          "{?undef}",          "https://h" },
    { "https://h/",         "{?undef}",          "https://h/" },
    { "https://h/v1",       "{/undef}",          "https://h/v1" },
    { "https://h/v1/",      "{.undef}",          "https://h/v1/" },
    -- what counts is the expanded URL
    { "https://h/",         "{/a}",              "https://h/1" },
    { "https://h",          "{/a}",              "https://h/1" },
    { "https://h",          "{a}",               "https://h/1" },
    { "https://h/",         "{a}",               "https://h/1" },
    { "https://h",          "{+p}",              "https://h/p" },
    { "https://h/",         "{+p}",              "https://h/p" },
    { "https://h/",         "/{+p}",             "https://h//p" },
    { "https://h",          ":a",                "https://h/1" },
    { "https://h",          "{.a}",              "https://h/.1" },
    { "https://h",          "{;a}",              "https://h/;a=1" },
    { "https://h",          "{&a}",              "https://h/&a=1" },
    -- an absolute URL stands alone
    { "https://h/v1",       "http://g/x",        "http://g/x" },
    { "https://h/v1",       "http://g",          "http://g" },
    { "https://h/v1",       "HtTp://g/:a",       "HtTp://g/1" },
    { "https://h/v1",       "ws+unix.1-x://g/x", "ws+unix.1-x://g/x" },
    { "",                   "http://g/x",        "http://g/x" },
    { "/v1",                "http://g/x",        "http://g/x" },
    -- these are not absolute
    { "https://h",          "1http://g",         "https://h/1http://g" },
    { "https://h",          "://g",              "https://h/://g" },
    { "https://h",          "httq:/g",           "https://h/httq:/g" },
    { "https://h",          "file:g",            "https://h/file:g" },
    { "https://h",          "/http://g",         "https://h/http://g" },
    { "https://h",          "h_p://g",           "https://h/h_p://g" },
    -- an empty base: the URL stands alone
    { "",                   "/x",                "/x" },
    { "",                   "x",                 "x" },
    { "",                   "?x",                "?x" },
    { "",                   "/",                 "/" },
    { "",                   "{?undef}",          "" },
    { "",                   "{+p}",              "/p" },
    { "",                   "urn:x:1",           "urn:x:1" },
    -- a bare path, as nginx's internal locations are
    { "/",                  "/x",                "/x" },
    { "/",                  "x",                 "/x" },
    { "/",                  "?x",                "/?x" },
    { "/",                  "{?undef}",          "/" },
    { "/v1",                "/x",                "/v1/x" },
    { "/v1/",               "/x",                "/v1/x" },
    { "/v1",                "x",                 "/v1/x" },
    { "/@api/a:b",          "/x",                "/@api/a:b/x" },
  }
  for _, case in ipairs(cases) do
    it(("%q and %q make %q"):format(case[1], case[2], case[3]), function()
      assert.equal(case[3], url(case[1], case[2], { a = 1, p = "/p", q = "?b" }))
    end)
  end

  it("are joined the same by parse and with baseUrl in the call", function()
    assert.equal("/v1/1", endpoint("/{a}", { a = 1, baseUrl = "/v1/" }).url)
    assert.equal("/v1/1", endpoint.parse { url = "/{a}", a = 1, baseUrl = "/v1/" }.url)
    assert.equal(support.BASE .. "/1", endpoint("/{a}", { a = 1 }).url)
  end)

  it("are not trimmed, as routes are", function()
    assert.equal("https://h/%20/x%20", endpoint { url = " /x ", baseUrl = "https://h" }.url)
    assert.equal("https://h/%20/x%20", endpoint.parse { url = " /x ", baseUrl = "https://h" }.url)
    assert.equal("/v1%20/x", endpoint("/x", { baseUrl = "/v1 " }).url)
  end)

  it("may be an empty url", function()
    assert.equal("https://h", endpoint.parse { url = "", baseUrl = "https://h" }.url)
    assert.equal("/v1", endpoint.parse { url = "", baseUrl = "/v1" }.url)
    assert.equal("", endpoint.parse { url = "", baseUrl = "" }.url)
  end)
end)

describe("a baseUrl", function()
  local SHAPE, HOST, TEMPLATE, FRAGMENT, CONTROL = "scheme://host", "expected a host", "template",
    "no fragment", "control character"
  local cases = {
    { "h",                  SHAPE,    1 },
    { "api.example.com",    SHAPE,    1 },
    { "localhost:8080",     SHAPE,    1 },
    { "x/",                 SHAPE,    1 },
    { "./",                 SHAPE,    1 },
    { "//h",                SHAPE,    1 },
    { "//",                 SHAPE,    1 },
    { "///",                SHAPE,    1 },
    { "https:",             SHAPE,    1 },
    { "https:/h",           SHAPE,    1 },
    { "https:h",            SHAPE,    1 },
    { "://h",               SHAPE,    1 },
    { "1https://h",         SHAPE,    1 },
    { "h_p://h",            SHAPE,    1 },
    { " https://h",         SHAPE,    1 },
    { " ",                  SHAPE,    1 },
    { "\\\\h",              SHAPE,    1 },
    { "https://",           HOST,     9 },
    { "https:///x",         HOST,     9 },
    { "https://{h}",        TEMPLATE, 9 },
    { "https://h/{x}",      TEMPLATE, 11 },
    { "https://h/}",        TEMPLATE, 11 },
    { "/{x",                TEMPLATE, 2 },
    { "https://h?x={y}",    TEMPLATE, 13 },
    { "https://h/x#y",      FRAGMENT, 12 },
    { "https://h?x#y",      FRAGMENT, 12 },
    { "/#",                 FRAGMENT, 2 },
    { "?",                  SHAPE,    1 },
    { "?a=1",               SHAPE,    1 },
    { "//h?a=1",            SHAPE,    1 },
    { "https://?a=1",       HOST,     9 },
    { "https://h?\n",       CONTROL,  11 },
    { "https://h\0",        CONTROL,  10 },
    { "https://h\n",        CONTROL,  10 },
    { "\thttps://h",        CONTROL,  1 },
    { "/\127",              CONTROL,  2 },
  }
  for _, case in ipairs(cases) do
    it(("must not be %q"):format(case[1]:gsub("%c", "*")), function()
      local words = { '"baseUrl"', case[2], "at byte " .. case[3] }
      support.raises(words, endpoint, "/x", { baseUrl = case[1] })
      support.raises(words, endpoint.parse, { url = "/x", baseUrl = case[1] })
      support.raises(words, function() return endpoint.defaults { baseUrl = case[1] }("/x") end)
    end)
  end

  it("may be missing only where the URL is absolute", function()
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "/x" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "{+u}", u = "https://h" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "/x", baseUrl = null })
    support.raises({ '"baseUrl"', "missing" }, endpoint, "/x", { baseUrl = null })
    assert.equal("https://g/x", endpoint.parse { url = "https://g/x" }.url)
    assert.equal("https://g/x", endpoint("https://g/x", { baseUrl = null }).url)
  end)

  it("is never shown with its userinfo", function()
    for _, base in ipairs { "https://user:secret@h{", "https://user:secret@h/#", "user:secret@h" } do
      local message = support.message_of(endpoint, "/x", { baseUrl = base })
      assert.is_nil(message:find("secret", 1, true))
    end
  end)
end)

describe("the query of a baseUrl", function()
  local cases = {
    -- baseUrl              url                     result
    { "https://h/p?v=1",    "/x",                   "https://h/p/x?v=1" },
    { "https://h/p/?v=1",   "/x",                   "https://h/p/x?v=1" },
    { "https://h?v=1",      "x",                    "https://h/x?v=1" },
    { "https://h/p?v=1",    "",                     "https://h/p?v=1" },
    { "https://h/p?v=1",    "/x?a=1",               "https://h/p/x?v=1&a=1" },
    { "https://h/p?v=1",    "?a=1",                 "https://h/p?v=1&a=1" },
    { "https://h/p?v=1",    "/x?",                  "https://h/p/x?v=1" },
    { "https://h/p?v=1&",   "/x?a=1",               "https://h/p/x?v=1&a=1" },
    { "https://h/p?v=1",    "/x?&a=1",              "https://h/p/x?v=1&&a=1" },
    { "https://h/p?v=1",    "/x#f",                 "https://h/p/x?v=1#f" },
    { "https://h/p?v=1",    "/x?#f",                "https://h/p/x?v=1#f" },
    { "https://h/p?v=1",    "#f?g",                 "https://h/p?v=1#f?g" },
    { "https://h/p?v=1",    "/x?a=1#f",             "https://h/p/x?v=1&a=1#f" },
    { "https://h/p?v=1",    "/x{?q}",               "https://h/p/x?v=1&q=2" },
    { "https://h/p?v=1",    "/x{?u}",               "https://h/p/x?v=1" },
    { "https://h/p?v=1",    "/x{+s}",               "https://h/p/x?v=1&s" },
    { "https://h/p?v=1",    "/x{#s}",               "https://h/p/x?v=1#?s" },
    { "https://h/p?v=1",    "/x{&q}",               "https://h/p/x&q=2?v=1" },
    { "https://h/p?v=1?w",  "/x?y?z",               "https://h/p/x?v=1?w&y?z" },
    -- an empty one adds nothing
    { "https://h/p?",       "/x",                   "https://h/p/x" },
    { "https://h/p?",       "/x?a=1",               "https://h/p/x?a=1" },
    { "https://h/p?",       "/x?",                  "https://h/p/x?" },
    { "https://h/?",        "",                     "https://h/" },
    -- it is encoded as a literal is
    { "https://h?v=é %",    "/x",                   "https://h/x?v=%C3%A9%20%25" },
    { "https://h?v=%2f",    "/x",                   "https://h/x?v=%2f" },
    -- bare paths have one, too
    { "/p?v=1",             "/x",                   "/p/x?v=1" },
    { "/?v=1",              "x?a",                  "/x?v=1&a" },
    -- what is absolute has none of it
    { "https://h/p?v=1",    "https://g/x",          "https://g/x" },
    { "https://h/p?v=1",    "https://g/x{?q}",      "https://g/x?q=2" },
  }
  for _, case in ipairs(cases) do
    it(("stands first: %q and %q make %q"):format(case[1], case[2], case[3]), function()
      local options = { q = 2, s = "?s" }
      local api = endpoint.defaults { baseUrl = case[1] }
      options.url = case[2]
      for _, method in ipairs { "POST", "DELETE", "QUERY" } do
        options.method = method
        assert.equal(case[3], api(options).url)
      end
      options.baseUrl = case[1]
      assert.equal(case[3], endpoint(options).url)
      assert.equal(case[3], endpoint.parse(options).url)
      assert.equal(case[3], endpoint.parse(endpoint.merge(options)).url)
    end)
  end

  it("stands before left-over parameters", function()
    local api = endpoint.defaults { baseUrl = "https://h/p?v=1" }
    assert.equal("https://h/p/x?v=1&a=1", api("GET /x", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&b=2&a=1#f", api("GET /x?b=2#f", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&a=1", api("GET /x?", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&a=1", endpoint("GET /x", { baseUrl = "https://h/p?v=1&", a = 1 }).url)
    assert.equal("https://h/p/x?a=1", endpoint("GET /x", { baseUrl = "https://h/p?", a = 1 }).url)
  end)

  it("is in merged options and defaults as it was given", function()
    local api = endpoint.defaults { baseUrl = "https://h/p?v= 1" }
    assert.equal("https://h/p?v= 1", api.merge("/x").baseUrl)
    assert.equal("https://h/p?v= 1", api.DEFAULTS.baseUrl)
  end)

  it("takes part in no rule of paths and hosts", function()
    assert.equal("https://h/x?v=/../..", endpoint("/{x}", { baseUrl = "https://h?v=/../..", x = "x" }).url)
    assert.equal("https://h/x?v=@evil//", endpoint("/{x}", { baseUrl = "https://h?v=@evil//", x = "x" }).url)
    support.raises({ 'parameter "x"', "vanish" }, endpoint, "/{x}", { baseUrl = "https://h?v=1" })
    support.raises("//", endpoint, "//evil", { baseUrl = "/?v=1" })
  end)

  it("is long, and the URL as well", function()
    local long = ("a"):rep(5000)
    assert.equal("https://h/" .. long .. "?" .. long .. "&" .. long .. "#" .. long,
      endpoint("/{a}?{a}{#a}", { baseUrl = "https://h?" .. long, a = long }).url)
  end)
end)

describe("a path segment", function()
  local MISSING, EMPTY = "missing", "empty"
  local vanishing = {
    -- template           options                     the parameter named
    { "/:x",              {},                         "x", MISSING },
    { "/{x}",             {},                         "x", MISSING },
    { "/{+x}",            {},                         "x", MISSING },
    { "/{x*}",            {},                         "x", MISSING },
    { "/{x:3}",           {},                         "x", MISSING },
    { "/{x}",             { x = null },               "x", MISSING },
    { "/:x",              { x = "" },                 "x", EMPTY },
    { "/{x}",             { x = "" },                 "x", EMPTY },
    { "/{+x}",            { x = "" },                 "x", EMPTY },
    { "/{x:3}",           { x = "" },                 "x", EMPTY },
    { "/{x}",             { x = { "" } },             "x", EMPTY },
    { "/{x}",             { x = {} },                 "x" },
    { "/{+x*}",           { x = { null } },           "x" },
    { "/{x}",             { x = { a = null } },       "x" },
    { "/repos/:owner/:repo", { owner = "o" },         "repo", MISSING },
    { "/repos/:owner/:repo", { repo = "r" },          "owner", MISSING },
    { "/repos/:owner/:repo", {},                      "owner", MISSING },
    -- of several the first without text is named
    { "/{x}{y}",          {},                         "x", MISSING },
    { "/{x,y}",           {},                         "x", MISSING },
    { "/{x}{y}",          { x = "" },                 "x", EMPTY },
    { "/{x}{+y}",         { y = "" },                 "x", MISSING },
    { "/a{/z}/{.z}{x}",   {},                         "x", MISSING },
    { "/{x}{.z}",         {},                         "x", MISSING },
    { "/{.z}{x}",         {},                         "x", MISSING },
    { "{x}",              {},                         "x", MISSING },
    { ":x",               {},                         "x", MISSING },
    { "{x}/a",            {},                         "x", MISSING },
    -- how a segment ends
    { "/a/{x}/b",         {},                         "x", MISSING },
    { "/a/{x}/",          {},                         "x", MISSING },
    { "/a/{x}//",         {},                         "x", MISSING },
    { "/a/:x?b",          {},                         "x", MISSING },
    { "/a/:x#b",          {},                         "x", MISSING },
    { "/a/{x}{/y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{;y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{?y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{&y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{#y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{/z}",       {},                         "x", MISSING },
    { "/a/{x}{;z}",       {},                         "x", MISSING },
    { "/a/{x}{?z}",       {},                         "x", MISSING },
    { "/a/{x}{&z}",       {},                         "x", MISSING },
    { "/a/{x}{#z}",       {},                         "x", MISSING },
    { "/a/{x}{/y}b",      { y = 1 },                  "x", MISSING },
    { "/a{/y}/{x}",       { y = 1 },                  "x", MISSING },
    -- what begins one
    { "/a{/z}{x}",        { z = "" },                 "x", MISSING },
    { "https://g/{x}",    {},                         "x", MISSING },
    { "https://g/a/:x",   { x = "" },                 "x", EMPTY },
    { "https://g{/z}{x}", { z = "" },                 "x", MISSING },
  }
  for _, case in ipairs(vanishing) do
    it("must not vanish from " .. case[1], function()
      local words = { ('parameter "%s"'):format(case[3]), case[4] or "parameter", "{/" }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, url, "", case[1], case[2])
      support.raises(words, url, "/v1/", case[1], case[2])
    end)
  end

  it("must not vanish under any method", function()
    for _, method in ipairs { "GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS" } do
      support.raises({ 'parameter "repo"', "missing" }, endpoint, method .. " /repos/:owner/:repo", { owner = "o" })
    end
  end)

  local staying = {
    -- text beside the expression
    { "/a{x}",            {},                         "/a" },
    { "/{x}a",            {},                         "/a" },
    { "/{x}.json",        {},                         "/.json" },
    { "/{x}{y}",          { y = 1 },                  "/1" },
    { "/{x}{y}",          { x = 1 },                  "/1" },
    { "/{x,y}",           { y = 1 },                  "/1" },
    { "/{x,y}",           { x = "", y = "" },         "/," },
    { "/{x*}",            { x = { "", "" } },         "/," },
    { "/{x}{.y}",         { y = 1 },                  "/.1" },
    { "/:x...:y",         {},                         "/..." },
    { "/{x}",             { x = false },              "/false" },
    { "/{x}",             { x = 0 },                  "/0" },
    -- optional ones
    { "/a{/x}",           {},                         "/a" },
    { "/a{/x}",           { x = 1 },                  "/a/1" },
    { "/a{/x}",           { x = "" },                 "/a/" },
    { "/a{/x,y}",         { y = 1 },                  "/a/1" },
    { "/a{/x*}",          { x = {} },                 "/a" },
    { "/a{/x}/b",         {},                         "/a/b" },
    { "/a{/x}{?y}",       { y = 1 },                  "/a?y=1" },
    { "/a{/x}{y}",        { y = 1 },                  "/a1" },
    { "/a{/x}{y}",        { x = 1 },                  "/a/1" },
    -- other operators ask for nothing
    { "/a/{.x}",          {},                         "/a/" },
    { "/a/{;x}",          {},                         "/a/" },
    { "/a/{?x}",          {},                         "/a/" },
    { "/a/{&x}",          {},                         "/a/" },
    { "/a/{#x}",          {},                         "/a/" },
    -- nor do the query and the fragment
    { "/a?{x}",           {},                         "/a?" },
    { "/a?b={x}",         {},                         "/a?b=" },
    { "/a?b={+x}&c",      { x = "" },                 "/a?b=&c" },
    { "/a?/{x}/",         {},                         "/a?//" },
    { "/a#{x}",           {},                         "/a#" },
    { "/a#/{+x}/",        {},                         "/a#//" },
    { "/a{?y}/{x}",       { y = 1 },                  "/a?y=1/" },
    { "/a{#y}/{x}",       { y = 1 },                  "/a#1/" },
    -- literal empty segments are the caller's
    { "/a//{x}",          { x = 1 },                  "/a//1" },
  }
  for _, case in ipairs(staying) do
    it(("%s may expand to %s"):format(case[1], case[3]), function()
      assert.equal("https://h" .. case[3], at_host(case[1], case[2]))
      assert.equal(case[3], url("", case[1], case[2]))
    end)
  end
end)

describe("a dot segment", function()
  local refused = {
    -- simple and :name
    { "/:x",              { x = "." } },
    { "/:x",              { x = ".." } },
    { "/{x}",             { x = "." } },
    { "/{x}",             { x = ".." } },
    { "{x}",              { x = ".." } },
    { "/{x:2}",           { x = "..." } },
    { "/{x:1}",           { x = ".a" } },
    { "/{x}",             { x = { ".." } } },
    { "/{x*}",            { x = { "." } } },
    { "/a/{x}/b",         { x = ".." } },
    { "/a/{x}/",          { x = ".." } },
    { "/a/{x}?b",         { x = ".." } },
    { "/a/{x}#b",         { x = ".." } },
    { "/a/{x}{/y}",       { x = "..", y = 1 } },
    { "/a/{x}{;y}",       { x = "..", y = 1 } },
    { "/a/{x}{?y}",       { x = "..", y = 1 } },
    { "/a/{x}{?y}",       { x = ".." } },
    { "/a/{x}{#y}",       { x = "..", y = 1 } },
    -- put together
    { "/{x}{y}",          { x = ".", y = "." } },
    { "/{x}{y}",          { x = ".." } },
    { "/.{x}",            { x = "." } },
    { "/.{x}",            { x = "" } },
    { "/.{x}",            {} },
    { "/..{x}",           {} },
    { "/{x}.",            { x = "." } },
    { "/{x}.",            {} },
    { "/%2e{x}",          { x = "." } },
    { "/{x}%2E",          {} },
    { "/:x.:y",           {} },
    -- +
    { "/{+x}",            { x = "." } },
    { "/{+x}",            { x = ".." } },
    { "/{+x}",            { x = "../a" } },
    { "/{+x}",            { x = "/../a" } },
    { "/{+x}",            { x = "a/.." } },
    { "/{+x}",            { x = "a/../b" } },
    { "/{+x}",            { x = "a/./b" } },
    { "/{+x}",            { x = "a/." } },
    { "/{+x}",            { x = "a/b/../../c" } },
    { "/{+x}",            { x = "..?a" } },
    { "/{+x}",            { x = "..#a" } },
    { "/{+x}",            { x = "..;a" } },
    { "/{+x}",            { x = "a/..?b" } },
    { "/{+x}",            { x = "a/..#b" } },
    { "/{+x}",            { x = "%2e" } },
    { "/{+x}",            { x = "%2E%2e" } },
    { "/{+x}",            { x = ".%2e" } },
    { "/{+x}",            { x = "%2e." } },
    { "/{+x}",            { x = "a/%2e%2E/b" } },
    { "/{+x:3}",          { x = "a/.bc" } },
    { "/{+x}/b",          { x = "a/.." } },
    { "/{+x}b",           { x = "../" } },
    { "/{+x}.",           { x = "a/" } },
    { "/{+x}.",           { x = "a/." } },
    { "/.{+x}",           { x = "/a" } },
    { "/.{+x}",           { x = "./a" } },
    { "/..{+x}",          { x = "?a" } },
    { "/{+x}{+y}",        { x = "a/.", y = "./b" } },
    { "/{+x*}",           { x = { "b", "a/.." } } },
    { "{+x}",             { x = ".." } },
    { "https://g/{+x}",   { x = "../a" } },
    { "https://g{+x}/..{y}", { x = "/" } },
    -- labels
    { "/{.x}",            { x = "" } },
    { "/{.x}",            { x = "." } },
    { "/{.x,y}",          { x = "", y = "" } },
    { "/{.x*}",           { x = { "", "" } } },
    { "/.{.x}",           { x = "" } },
    { "/{x}{.y}",         { x = ".", y = "" } },
    { "/{x}{.y}",         { x = "", y = "." } },
    { "/{.x}..",          {} },
    -- path segments
    { "/a{/x}",           { x = "." } },
    { "/a{/x}",           { x = ".." } },
    { "/a{/x,y}",         { x = "..", y = "b" } },
    { "/a{/x,y}",         { x = "b", y = ".." } },
    { "/a{/x*}",          { x = { "b", "..", "c" } } },
    { "/a{/x*}",          { x = { "..", "c" } } },
    { "/a{/x*}",          { x = { "b", "." } } },
    { "/a{/x:2}",         { x = "..b" } },
    { "/a{/x}/b",         { x = ".." } },
    { "/a{/x}{?y}",       { x = "..", y = 1 } },
    { "/a{/x}.",          { x = "." } },
    { "/a{/x}.",          { x = "" } },
    -- what an expression that came to nothing has not parted
    { "/a/{/x}..",        {} },
    { "/a/.{/x}.",        {} },
    { "/a/.{;x}.",        {} },
    { "/a/.{?x}.",        {} },
    { "/a/{/x}{/y}..",    {} },
    { "/{/x}../b",        {} },
    { "/a{/x}{y}",        { x = ".", y = "." } },
    { "/a{/x}{.y}",       { x = "", y = "" } },
    { "{/x}",             { x = ".." } },
    -- an operator that came to nothing parts nothing
    { "/a/{?z}{x}",       { x = ".." } },
    { "/a/{;z}{x}",       { x = ".." } },
    { "/a/{/z}{x}",       { x = ".." } },
    { "/a/{#z}{x}",       { x = ".." } },
  }
  for _, case in ipairs(refused) do
    it(("must not come out of %s with %s"):format(case[1], shown(case[2].x)), function()
      support.raises({ "parameter", "segment" }, at_host, case[1], case[2])
      support.raises({ "parameter", "segment" }, url, "/v1", case[1], case[2])
    end)
  end

  it("is reported with the parameter", function()
    support.raises({ 'parameter "id"', '".."' }, endpoint, "/users/:id/keys", { id = ".." })
    support.raises({ 'parameter "path"', '"%2e%2E/b"' }, endpoint, "/{+path}", { path = "%2e%2E/b" })
    support.raises({ 'parameter "b"' }, endpoint, "/{a}/{b}", { a = "x", b = "." })
    support.raises({ 'parameter "p"' }, endpoint, "/x{/p*}", { p = { "a", ".." } })
  end)

  local accepted = {
    { "/{x}",             { x = "..." },              "/..." },
    { "/{x}",             { x = ".a" },               "/.a" },
    { "/{x}",             { x = "a." },               "/a." },
    { "/{x}",             { x = "..a" },              "/..a" },
    { "/{x}",             { x = "..,a" },             "/..%2Ca" },
    { "/{x}",             { x = "%2e%2e" },           "/%252e%252e" },
    { "/{x}",             { x = ". " },               "/.%20" },
    { "/{x}",             { x = ".\0" },              "/.%00" },
    { "/{x,y}",           { x = ".", y = "." },       "/.,." },
    { "/a{x}",            { x = ".." },               "/a.." },
    { "/a{.x}",           { x = "" },                 "/a." },
    { "/a{.x}",           { x = "." },                "/a.." },
    { "/{.x}",            { x = "a" },                "/.a" },
    { "/{.x}",            { x = ".." },               "/..." },
    { "/{x}{y}{z}",       { x = ".", y = ".", z = "." }, "/..." },
    { "/a{/x}",           { x = "..." },              "/a/..." },
    { "/a{/x}",           { x = ".../b" },            "/a/...%2Fb" },
    { "/a{/x*}",          { x = { [".."] = "b" } },   "/a/..=b" },
    { "/a{/x}",           { x = { [".."] = "" } },    "/a/..," },
    { "/{+x}",            { x = "a/.../b" },          "/a/.../b" },
    { "/{+x}",            { x = "a/.b/c." },          "/a/.b/c." },
    { "/{+x}",            { x = "a/%2e%2e%2e" },      "/a/%2e%2e%2e" },
    { "/{+x}",            { x = "%252e" },            "/%252e" },
    { "/{+x*}",           { x = { "a/..", "b" } },    "/a/..,b" },
    -- behind the path dots are only text
    { "/{+x}",            { x = "a?b/../c" },         "/a?b/../c" },
    { "/{+x}",            { x = "a#/../c" },          "/a#/../c" },
    { "/a?{x}",           { x = ".." },               "/a?.." },
    { "/a?b/{x}/c",       { x = ".." },               "/a?b/../c" },
    { "/a#{x}",           { x = ".." },               "/a#.." },
    { "/a{?x}",           { x = ".." },               "/a?x=.." },
    { "/a?b{&x}",         { x = ".." },               "/a?b&x=.." },
    { "/a{#x}",           { x = "../.." },            "/a#../.." },
    { "/a{;x}",           { x = ".." },               "/a;x=.." },
    { "/a{?y}/{x}",       { x = "..", y = 1 },        "/a?y=1/.." },
    -- without an expression they are the caller's
    { "/a/../{x}",        { x = "b" },                "/a/../b" },
    { "/{x}/../b",        { x = "a" },                "/a/../b" },
    { "/{x}/./b",         { x = "a" },                "/a/./b" },
    { "/a/..",            {},                         "/a/.." },
    { "/a/..{/x}",        { x = "b" },                "/a/../b" },
    { "/a/..{?x}",        { x = "b" },                "/a/..?x=b" },
    { "/a/..{/x}/b",      { x = "c" },                "/a/../c/b" },
    { "/a/..{;x}",        { x = "b" },                "/a/..;x=b" },
    { "/a/..{#x}",        { x = "b" },                "/a/..#b" },
    { "/a/..{?y}{#x}",    { x = "b" },                "/a/..#b" },
    { "/a/.{?y}{?x}",     { x = "b" },                "/a/.?x=b" },
    { "/a/..{?y}/b",      {},                         "/a/../b" },
    { "/a/..%2F{x}",      { x = "b" },                "/a/..%2Fb" },
    { "/a{x}/../b",       { x = "c" },                "/ac/../b" },
    -- servers drop what stands behind a ";"
    { "/a/..;{x}",        { x = "b" },                "/a/..;b" },
    { "/a/..;{x}/b",      {},                         "/a/..;/b" },
    { "/a/b;{x}",         { x = ".." },               "/a/b;.." },
    { "/a/{x}",           { x = "..;" },              "/a/..%3B" },
    -- the authority is no segment
    { "https://h/../{x}", { x = "b" },                "/../b" },
    { "/%2e%2e/{x}",      { x = "b" },                "/%2e%2e/b" },
  }
  for _, case in ipairs(accepted) do
    it(("is not seen in %s"):format(case[3]), function()
      assert.equal("https://h" .. case[3], at_host(case[1], case[2]))
    end)
  end
end)

describe("a host", function()
  local refused = {
    -- nothing in it
    { "https://{x}/",         {} },
    { "https://{x}/",         { x = "" } },
    { "https://{x}/",         { x = null } },
    { "https://{x}/",         { x = {} } },
    { "https://{x}/",         { x = { "" } } },
    { "https://{+x}/",        {} },
    { "https://{+x}/",        { x = "" } },
    { "https://{x}.g/",       {} },
    { "https://g{x}/",        {} },
    { "https://g:{x}/",       {} },
    { "https://{x}@g/",       {} },
    { "https://g{x}",         {} },
    { "https://g{+x}?y",      {} },
    { "https://{y}{x}/",      { y = "g" } },
    { "https://{y,x}/",       { y = "g" } },
    { "https://g{.y}{x}/",    { y = "a" } },
    { "https://g{/y}{x}",     {} },
    { "https://g{?y}{x}",     {} },
    { "HTTPS://{x}/",         {} },
    { "a+b://{x}/",           {} },
    -- userinfo, and what parsers take for the end of a host
    { "https://{x}/",         { x = "evil@" } },
    { "https://{x}/",         { x = "a@evil" } },
    { "https://{x}/",         { x = "@" } },
    { "https://{x}/",         { x = "a\\b" } },
    { "https://{x}/",         { x = "\\" } },
    { "https://{x}/",         { x = "a/b" } },
    { "https://{x}/",         { x = "/" } },
    { "https://{x}/",         { x = "a?" } },
    { "https://{x}/",         { x = "?" } },
    { "https://{x}/",         { x = "a#" } },
    { "https://{x}/",         { x = "#" } },
    { "https://{x}.g/",       { x = "evil/" } },
    { "https://g:{x}/",       { x = "80@evil" } },
    { "https://u:{x}@g/",     { x = "p@evil/" } },
    { "https://g{x}",         { x = "@evil" } },
    { "https://g{x}",         { x = "/a" } },
    { "https://g{x}",         { x = "?a" } },
    { "https://g{x}",         { x = "#a" } },
    { "https://{x:1}/",       { x = "@evil" } },
    { "https://{x}/",         { x = { "a", "@evil" } } },
    { "https://{x*}/",        { x = { "a", "b/c" } } },
    { "https://{x}/",         { x = { k = "a@b" } } },
    { "https://{x}/",         { x = { ["a@b"] = "c" } } },
    { "https://{+x}/",        { x = "a@evil" } },
    { "https://{+x}/",        { x = "a\\b" } },
    { "https://{+x}/",        { x = "a/b" } },
    { "https://{+x}/",        { x = "a?b" } },
    { "https://{+x}/",        { x = "a#b" } },
    { "https://g{+x}",        { x = "@evil" } },
    { "https://g{+x}",        { x = ".evil/" } },
    { "https://g{+x}",        { x = "a/b" } },
    { "https://g{+x}",        { x = ".evil" } },
    { "https://g{+x}",        { x = ":8080" } },
    { "https://g:80{+x}",     { x = "80/" } },
    { "https://u@{+x}",       { x = "evil" } },
    { "https://{+y}{+x}",     { x = "evil", y = "g." } },
    { "https://{+y,x}",       { x = "evil", y = "g." } },
    { "https://g{+x}",        { x = "\\" } },
    { "https://g{+x}",        { x = { "@evil" } } },
    { "https://g{+x}",        { x = { "a", "/b" } } },
    { "https://g{+x}",        { x = { k = "@evil" } } },
    { "https://g{+x*}",       { x = { k = "/evil" } } },
    { "https://g{+x}",        { x = { ["@evil"] = "k" } } },
    { "https://g{+x*}",       { x = { ["@evil/"] = "k" } } },
    { "https://g{+x*}",       { x = { [".evil/"] = "k" } } },
    { "https://g{+x*}",       { x = { a = "b", ["c\\"] = "k" } } },
    -- still the host: what stands before came to nothing
    { "https://g{/y}{x}",     { x = "@evil" } },
    { "https://g{/y}{+x}",    { x = "@evil" } },
    { "https://g{?y}{+x}",    { x = "@evil" } },
    { "https://g{#y}{+x}",    { x = "@evil" } },
    { "https://g{;y}{+x}",    { x = "@evil" } },
    { "https://g{.y}{+x}",    { x = "@evil", y = "a" } },
    { "https://{y}{+x}",      { x = "@evil", y = "a" } },
    { "https://g{/y}{x}",     { x = ".evil" } },
    { "https://g{/y}{+x}",    { x = ".evil" } },
    { "https://g{/y}{.x}",    { x = "evil" } },
    { "https://g{/y}{;x}",    { x = "evil" } },
    { "https://g{?y}{&x}",    { x = "evil" } },
    { "https://g{?y}{x}/a",   { x = ".evil" } },
    { "https://g{#y}{x}",     { x = ".evil" } },
    { "https://g{/y}{/z}{x}", { x = ".evil" } },
  }
  for _, case in ipairs(refused) do
    it(("is not moved in %s by %s"):format(case[1], shown(case[2].x)), function()
      support.raises({ 'parameter "x"', "host" }, at_host, case[1], case[2])
      support.raises({ 'parameter "x"', "host" }, url, "", case[1], case[2])
      support.raises({ 'parameter "x"', "host" }, endpoint.parse,
        { url = case[1], x = case[2].x, y = case[2].y })
    end)
  end

  local accepted = {
    { "https://{x}/",         { x = "api.example.com" },   "https://api.example.com/" },
    { "https://{x}.g/{y}",    { x = "a", y = "b@/c" },     "https://a.g/b%40%2Fc" },
    { "https://g:{x}/",       { x = 8080 },                "https://g:8080/" },
    { "https://{x}:80/",      { x = "g" },                 "https://g:80/" },
    { "https://{+x}/",        { x = "[::1]:80" },          "https://[::1]:80/" },
    { "https://{x}:{y}@g/",   { x = "u", y = "p:w" },      "https://u:p%3Aw@g/" },
    { "https://{x}/",         { x = { "a", "b" } },        "https://a,b/" },
    { "https://g{.x}/",       { x = "com" },               "https://g.com/" },
    { "https://g{.x}/",       {},                          "https://g/" },
    -- under + the first byte may end the host
    { "https://g{+x}",        { x = "/" },                 "https://g/" },
    { "https://g{+x}",        { x = "/a" },                "https://g/a" },
    { "https://g{+x}",        { x = "?a" },                "https://g?a" },
    { "https://g{+x}",        { x = "#a" },                "https://g#a" },
    { "https://g{+x}",        { x = "/a/b@c:d\\" },     "https://g/a/b@c:d%5C" },
    { "https://g{+x}",        { x = { "/a", "@b" } },  "https://g/a,@b" },
    { "https://{+y}{+x}",     { x = "/a", y = "g" },   "https://g/a" },
    -- and then it is ended
    { "https://g{+x}{+y}",    { x = "/a", y = "@b/c" },    "https://g/a@b/c" },
    { "https://g{+x}{y}",     { x = "/a", y = "@" },       "https://g/a%40" },
    { "https://g{+x}{+y}",    { x = "/a" },                "https://g/a" },
    { "https://g{/x}{+y}",    { x = "a", y = "@b" },       "https://g/a@b" },
    { "https://g{?x}{+y}",    { x = "a", y = "@b" },       "https://g?x=a@b" },
    { "https://g{#x}",        { x = "a@b/c" },             "https://g#a@b/c" },
    { "https://g{#x}{+y}",    { x = "a", y = "@b" },       "https://g#a@b" },
    { "https://{x}#{+y}",     { x = "g", y = "@b" },       "https://g#@b" },
    { "https://g/{+x}",       { x = "a@b/c?d#e" },         "https://g/a@b/c?d#e" },
    { "https://g/{x}",        { x = "@\\/?#" },            "https://g/%40%5C%2F%3F%23" },
    { "https://g?{+x}",       { x = "@b" },                "https://g?@b" },
    { "https://g?x={x}",      {},                          "https://g?x=" },
    -- what follows an expression without text may end the host as well
    { "https://g{/x}{/y}",    { y = "a" },             "https://g/a" },
    { "https://g{/x}{?y}",    { y = "a" },             "https://g?y=a" },
    { "https://g{?x}{#y}",    { y = "a" },             "https://g#a" },
    { "https://g{/x}{+y}",    { y = "/a" },            "https://g/a" },
    { "https://g{/x}.h/",     {},                      "https://g.h/" },
    { "https://{x}/",         { x = "." },             "https://./" },
    -- the operators that bring their own end
    { "https://g{/x}",        { x = "@b" },                "https://g/%40b" },
    { "https://g{/x}",        {},                          "https://g" },
    { "https://g{?x}",        { x = "@b" },                "https://g?x=%40b" },
    { "https://g{?x}",        {},                          "https://g" },
  }
  for _, case in ipairs(accepted) do
    it(("of %s may be that of %s"):format(case[1], case[3]), function()
      assert.equal(case[3], at_host(case[1], case[2]))
      assert.equal(case[3], url("", case[1], case[2]))
    end)
  end

  it("that lacks a part is told apart from one with an empty part", function()
    support.raises({ 'parameter "x"', "got nothing" }, at_host, "https://{x}/", { x = null })
    support.raises({ 'parameter "x"', "got an empty text" }, at_host, "https://{x}/", { x = "" })
    support.raises({ 'parameter "y"', "got an empty text" }, at_host, "https://{x,y}/", { x = "a", y = "" })
  end)

  it("of baseUrl is not moved by what stands behind it", function()
    for _, value in ipairs { "@evil", ".evil", ":80", "\\evil", "//evil", "https://evil" } do
      assert.truthy(at_host("{+x}", { x = value }):find "^https://h/")
      assert.truthy(at_host("{x}", { x = value }):find "^https://h/")
      assert.truthy(at_host("/{+x}", { x = value }):find "^https://h/")
    end
    assert.equal("https://h/@evil", at_host("{+x}", { x = "@evil" }))
    assert.equal("https://h/.evil", at_host("{.x}", { x = "evil" }))
    assert.equal("https://h/;x=%40evil", at_host("{;x}", { x = "@evil" }))
  end)
end)

describe("a result that begins with //", function()
  local refused = {
    { "",       "//h/x",          {} },
    { "",       "//{x}",          { x = "evil" } },
    { "",       "/{+x}",          { x = "/evil" } },
    { "",       "/{.y}/{x}",      { x = "evil" } },
    { "",       "/{;y}/x",        {} },
    { "",       "/{/x}",          { x = "evil" } },
    { "",       "/{/x*}",         { x = { "evil", "a" } } },
    { "",       "/{+x}b",         { x = "/" } },
    { "",       "{/y}{/x}",       { x = "evil", y = "" } },
    { "",       "{/x*}",          { x = { "", "a" } } },
    { "",       "{.y}{+x}",       { x = "//evil" } },
    { "/",      "//h/x",          {} },
    { "/",      "//{x}",          { x = "evil" } },
    { "/",      "/{+x}",          { x = "/evil" } },
    { "/",      "{+x}",           { x = "//evil" } },
    { "/",      "{/y,x}",         { x = "evil", y = "" } },
    { "/",      "/{.y}/x",        {} },
  }
  for _, case in ipairs(refused) do
    it(("is refused: %s behind %q"):format(case[2], case[1]), function()
      refuses("//", case[1], case[2], case[3])
    end)
  end

  it("is quoted up to its path", function()
    for _, rest in ipairs { "?s3cret", "#s3cret", "" } do
      local message = support.message_of(endpoint, "GET {+x}", { x = "//evil" .. rest, baseUrl = "/" })
      assert.truthy(message:find('"//evil"', 1, true))
    end
  end)

  it("is refused in parse, too", function()
    support.raises("//", endpoint.parse, { url = "/{+x}", x = "/evil", baseUrl = "" })
  end)

  local accepted = {
    -- the template is the whole URL
    { "",       "{+x}",           { x = "//cdn/a" },            "//cdn/a" },
    { "",       "{+x}",           { x = "https://cdn/a" },      "https://cdn/a" },
    { "",       "{+x}{?y}",       { x = "//cdn/a", y = 1 },     "//cdn/a?y=1" },
    { "",       "{+x}/a",         { x = "//cdn" },              "//cdn/a" },
    { "",       "{x}{+y}",        { x = "", y = "//cdn/a" },    "//cdn/a" },
    { "",       "{+x}",           { x = "urn:a:b" },            "urn:a:b" },
    -- it names no host
    { "/v1",    "//h/x",          {},                           "/v1//h/x" },
    { "/v1",    "{+x}",           { x = "//evil" },             "/v1//evil" },
    { "/v1/",   "/{+x}",          { x = "/evil" },              "/v1//evil" },
    { "/",      "{+x}",           { x = "/a" },                 "/a" },
    { "/",      "{/x}",           { x = "a" },                  "/a" },
    { "",       "/a/{+x}",        { x = "/b" },                 "/a//b" },
    { "",       "/{x}",           { x = "/b" },                 "/%2Fb" },
    { "",       "?{+x}",          { x = "//b" },                "?//b" },
  }
  for _, case in ipairs(accepted) do
    it(("may be, or is not, %s behind %q"):format(case[2], case[1]), function()
      assert.equal(case[4], url(case[1], case[2], case[3]))
    end)
  end
end)

describe("a scheme", function()
  it("is not in a value", function()
    local cases = {
      { "{+x}",              "https://evil/a",  "https://h/https://evil/a" },
      { "{x}",               "https://evil",    "https://h/https%3A%2F%2Fevil" },
      { "{x}://g/a",         "https",           "https://h/https://g/a" },
      { "http{x}://g/a",     "s",               "https://h/https://g/a" },
      { "urn:{+x}",          "//evil",          "https://h/urn://evil" },
      { "{.x}https://g/a",   nil,               "https://h/https://g/a" },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[3], at_host(case[1], { x = case[2] }))
    end
  end)

  it("is not completed by a value behind an empty baseUrl", function()
    local cases = {
      { "http{x}://g/",      "s" },
      { "http{+x}",          "s://evil" },
      { "foo:{+x}",          "//evil" },
      { "{/y}{+x}",          "http://evil" },
      { "{.y}{+x}",          "urn:a" },
      { "java{+x}",          "script:alert" },
    }
    for _, case in ipairs(cases) do
      support.raises("scheme", url, "", case[1], { x = case[2] })
    end
  end)

  it("that is literal and names no host stands behind an empty baseUrl", function()
    assert.equal("mailto:a", url("", "mailto:a"))
    assert.equal("urn:isbn:1", url("", "urn:isbn:{x}", { x = 1 }))
  end)

  it("is literal where a template is absolute", function()
    for _, scheme in ipairs { "https", "HTTP", "coap+tcp", "z39.50r", "a-b" } do
      assert.equal(scheme .. "://g/1", at_host(scheme .. "://g/{x}", { x = 1 }))
      assert.equal(scheme .. "://g/1", endpoint.parse { url = scheme .. "://g/{x}", x = 1 }.url)
    end
  end)
end)

describe("a path segment under +", function()
  local BEGINS, SLASHES = 'begins with "?" or "#"', "is slashes alone"
  local refused = {
    -- template                 values                          parameter   what it is
    { "/x/{+p}",                { p = "?q" },                   "p",        BEGINS },
    { "/x/{+p}",                { p = "#" },                    "p",        BEGINS },
    { "/x/{+p}.json",           { p = "?" },                    "p",        BEGINS },
    { "/x/{o}{+p}",             { o = "", p = "?q" },           "p",        BEGINS },
    { "/x/{+o}{+p}",            { o = "", p = "#q" },           "p",        BEGINS },
    { "/x/{+p}",                { p = "/" },                    "p",        SLASHES },
    { "/x/{+p}/y",              { p = "//" },                   "p",        SLASHES },
    { "/x/{+p}",                { p = { "/" } },                "p",        SLASHES },
    { "/x/{+p}",                { p = "/?q" },                  "p",        SLASHES },
    { "/x/{o}{+p}",             { o = "", p = "/" },            "p",        SLASHES },
    { "/x/{+p}{+q}",            { p = "/", q = "/" },           "p",        SLASHES },
    { "/x/{+p}{?q}",            { p = "/", q = 1 },             "p",        SLASHES },
    { "/x{/z}{+p}",             { p = "/" },                    "p",        SLASHES },
    { "{+o}{+p}",               { p = "/" },                    "p",        SLASHES },
  }
  for _, case in ipairs(refused) do
    it(("must hold text beside slashes in %s, and says that %s %s"):format(case[1], case[3], case[4]), function()
      local words = { ('parameter "%s" %s'):format(case[3], case[4]), "vanish", "{/" .. case[3] .. "}" }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, endpoint, "DELETE " .. case[1], case[2])
    end)
  end

  local accepted = {
    { "{+p}",                   { p = "/" },                    "/" },
    { "{+p}",                   { p = "?q" },                   "?q" },
    { "{+p}{+q}",               { p = "/", q = "/" },           "//" },
    { "/a{+p}",                 { p = "?q" },                   "/a?q" },
    { "/a{+p}",                 { p = "/" },                    "/a/" },
    { "/{+p}a",                 { p = "/" },                    "//a" },
    { "/{+p}",                  { p = "/a" },                   "//a" },
    { "/{+p}",                  { p = "%2F" },                  "/%2F" },
    { "/{x}",                   { x = "/" },                    "/%2F" },
    { "/{x}",                   { x = "?" },                    "/%3F" },
  }
  for _, case in ipairs(accepted) do
    it(("may be %s in %s"):format(case[3], case[1]), function()
      assert.equal("https://h" .. case[3], at_host(case[1], case[2]))
    end)
  end

  it("of a host is asked by the rules of hosts alone", function()
    assert.equal("https://g/", at_host("https://g{+p}", { p = "/" }))
    assert.equal("https://g?q", at_host("https://g{+p}", { p = "?q" }))
    assert.equal("https://g/", at_host("https://g{/a}{+p}", { p = "/" }))
  end)
end)

describe("a dot segment", function()
  local refused = {
    -- template                 values                          the parameter that is named
    -- servers decode before they remove dots
    { "/x/{p}",                 { p = "../admin" },             "p" },
    { "/x/{p}",                 { p = "a/.." },                 "p" },
    { "/x/{p}",                 { p = "a\\..\\b" },             "p" },
    { "/x/{+p}",                { p = "a%2f%2E%2e" },           "p" },
    { "/x/{+p}",                { p = "a%5c." },                "p" },
    { "/x/{+p}",                { p = "..;a" },                 "p" },
    { "/x%2F{p}",               { p = ".." },                   "p" },
    { "/x/..%2f{p}",            { p = "a/." },                  "p" },
    { "/x{/p}",                 { p = "a/../b" },               "p" },
    { "/x/{&p}",                { p = "a/../b" },               "p" },
    { "/x{;p}",                 { p = "a/../b" },               "p" },
    -- the one whose text it is
    { "/{a}-{+b}",              { a = "x", b = "/../.." },      "b" },
    { "/{a}{+b}{c}",            { b = "y/../z" },               "b" },
    { "/x/{a}.{b}",             { a = "", b = "." },            "b" },
    { "/x{/a}{b}",              { a = "", b = ".." },           "b" },
    { "/x/..{+p}",              { p = "/b" },                   "p" },
    { "/x/..{+p}",              { p = "?b" },                   "p" },
    { "/x/..{+a,p}",            { p = "/b" },                   "p" },
    { "/x{/a}../b",             { a = "" },                     "a" },
    { "https://h{+p}",          { p = "/.." },                  "p" },
    -- one that stands there without text
    { "/x/..{a}{b}",            { a = "", b = "" },             "a" },
    { "/x/.{?a}.{b}",           { b = "" },                     "a" },
    { "/x/{#a}..",              {},                             "a" },
  }
  for _, case in ipairs(refused) do
    it(("is refused in %s, and %s is named"):format(case[1], case[3]), function()
      local words = { ('parameter "%s"'):format(case[3]), 'a path segment "." or ".."' }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, url, "/v1", case[1], case[2])
    end)
  end

  it("that is left by a parameter without text is told so", function()
    support.raises('parameter "base" is missing, which leaves', endpoint, "/compare/{base}..{head}")
    support.raises('parameter "x" is empty, which leaves', endpoint, "/a/{x}..", { x = "" })
  end)

  it("is shown up to its path", function()
    local message = support.message_of(url, "", "/{+p}{?t}", { p = "a/../b", t = "s3cret" })
    assert.truthy(message:find(': "../b"', 1, true), message)
  end)

  it("is found in linear time among many expressions", function()
    local began = os.clock()
    at_host("/{a}" .. ("{;b}"):rep(40000), { a = "x", b = ("y"):rep(21) })
    assert.is_true(os.clock() - began < 2)
  end)
end)

describe("a URL of a scheme that has a host", function()
  for _, template in ipairs { "https:///x", "https://:80/x", "https://u@/x", "https://u@:/x", "wss://", "HTTP://?x",
    "ftp://#", "ws://u:p@:8080" } do
    it(("is refused without one: %s"):format(template), function()
      support.raises({ "url", 'expected a host behind "://"' }, endpoint, template)
      support.raises({ "url", 'expected a host behind "://"' }, url, "", "{+u}", { u = template })
    end)
  end

  for _, template in ipairs { "http:b", "HTTPS:/b", "ws:", "ftp:{x}", "wss:/{+x}" } do
    it(("is refused without the slashes before the host: %s"):format(template), function()
      local words = { "url", 'expected "://" and a host behind this scheme' }
      support.raises(words, endpoint, template, { x = "/h" })
      support.raises(words, url, "", template, { x = "/h" })
    end)
  end

  it("is refused without one in a value that is the whole URL", function()
    for _, value in ipairs { "http:x", "http:", "https:/x", "http://@", "HTTP:\\\\h" } do
      support.raises({ "url", 'expected a host behind "://"' }, url, "", "{+u}", { u = value })
    end
    assert.equal("https://u@h:1/x", url("", "{+u}", { u = "https://u@h:1/x" }))
  end)

  it("may lack one under another scheme", function()
    assert.equal("file:///x", endpoint("file:///x").url)
    assert.equal("unix://:80/x", endpoint("unix://:80/x").url)
    assert.equal("file:x", url("", "file:{x}", { x = "x" }))
  end)

  it("cannot lend one from userinfo", function()
    support.raises({ "url", "expected a host" }, endpoint, "https://u@{+p}", { p = "/x" })
  end)
end)

describe("a value behind an empty baseUrl", function()
  it("does not give a literal scheme a host", function()
    support.raises("scheme", url, "", "foo:{+p}", { p = "//evil" })
    assert.equal("mailto:a", url("", "mailto:{p}", { p = "a" }))
  end)
end)

describe("a baseUrl that is not used", function()
  it("is checked all the same", function()
    support.raises('"baseUrl"', endpoint.parse, { url = "https://h/x", baseUrl = "garbage" })
  end)

  it("has a host, userinfo and port aside", function()
    for _, base in ipairs { "https://@", "https://u@/", "https://:80", "https://u:p@:80/" } do
      support.raises({ '"baseUrl"', "host" }, endpoint.parse, { url = "/x", baseUrl = base })
    end
  end)
end)

describe("the characters of a URL", function()
  local operators = { "", "+", "#", ".", "/", ";", "?", "&" }
  local function is_sound(text)
    return not text:find "[^\33-\126]" and not text:gsub("%%%x%x", ""):find("%", 1, true)
  end

  local bytes = {}
  for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
  local all = table.concat(bytes)

  it("are 0x21 to 0x7E, and every % begins a triplet, whatever the values are", function()
    for _, operator in ipairs(operators) do
      for _, modifier in ipairs { "", "*" } do
        local template = "/-{" .. operator .. "x" .. modifier .. "}-"
        for _, x in ipairs { all, { all, all }, { [all] = all }, { ["%"] = "%4", ["%4"] = "%" } } do
          assert.is_true(is_sound(at_host(template, { x = x })))
        end
      end
    end
    assert.is_true(is_sound(endpoint("/", { [all] = all }).url))
  end)

  it("are so where a prefix cuts", function()
    for _, operator in ipairs(operators) do
      for length = 1, 12 do
        local template = ("/-{%sx:%d}41"):format(operator, length)
        assert.is_true(is_sound(at_host(template, { x = "a%41é%c3%a9%4%" })))
      end
    end
  end)

  it("are so where literals, values and baseUrl meet", function()
    local cases = {
      { "/a%",   "41",        "/a%25/41" },
      { "/a",    "/%{x}",     "/a/%2541" },
      { "/a",    "/%4{x}",    "/a/%25441" },
      { "/a",    "/{+y}41",   "/a/%2541" },
      { "/a",    "/{+z}1",    "/a/%2541" },
      { "/a",    "/{+y}{+x}", "/a/%2541" },
      { "/a",    "/é{x}%",    "/a/%C3%A941%25" },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[3], url(case[1], case[2], { x = "41", y = "%", z = "%4" }))
    end
  end)

  it("are encoded in upper case over the unreserved set, kept triplets stay", function()
    assert.equal("https://h/%AB%CD%EF-._~", at_host("/{x}", { x = "\171\205\239-._~" }))
    assert.equal("https://h/%ab%AB%c3", at_host("/%ab{+x}%c3", { x = "%AB" }))
    assert.equal("https://h/caf%C3%A9/x", url("https://h/café", "/x"))
    assert.equal("https://h/%22%3C%3E%5C%5E%60%7C%20/x", url('https://h/"<>\\^`| ', "/x"))
  end)
end)
