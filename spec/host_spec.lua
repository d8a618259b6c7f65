-- The scheme and the host of a URL, which values must not choose.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local shown, url_at, at_host = support.shown, support.url_at, support.at_host

describe("values in the authority:", function()
  local refused = {
    -- A variable without text.
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
    -- Userinfo, and bytes that parsers take for the end of a host.
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
    -- The host goes on behind an expression without text.
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
    it(("refuses %s with %s"):format(case[1], shown(case[2])), function()
      support.raises({ 'parameter "x"', "host" }, at_host, case[1], case[2])
      support.raises({ 'parameter "x"', "host" }, url_at, "", case[1], case[2])
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
    -- The first byte of a + expression may end the host.
    { "https://g{+x}",        { x = "/" },                 "https://g/" },
    { "https://g{+x}",        { x = "/a" },                "https://g/a" },
    { "https://g{+x}",        { x = "?a" },                "https://g?a" },
    { "https://g{+x}",        { x = "#a" },                "https://g#a" },
    { "https://g{+x}",        { x = "/a/b@c:d\\" },     "https://g/a/b@c:d%5C" },
    { "https://g{+x}",        { x = { "/a", "@b" } },  "https://g/a,@b" },
    { "https://{+y}{+x}",     { x = "/a", y = "g" },   "https://g/a" },
    -- Behind the end of the host any text may follow.
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
    -- An expression behind one without text may end the host as well.
    { "https://g{/x}{/y}",    { y = "a" },             "https://g/a" },
    { "https://g{/x}{?y}",    { y = "a" },             "https://g?y=a" },
    { "https://g{?x}{#y}",    { y = "a" },             "https://g#a" },
    { "https://g{/x}{+y}",    { y = "/a" },            "https://g/a" },
    { "https://g{/x}.h/",     {},                      "https://g.h/" },
    { "https://{x}/",         { x = "." },             "https://./" },
    -- "/" and "?" of an operator end the host.
    { "https://g{/x}",        { x = "@b" },                "https://g/%40b" },
    { "https://g{/x}",        {},                          "https://g" },
    { "https://g{?x}",        { x = "@b" },                "https://g?x=%40b" },
    { "https://g{?x}",        {},                          "https://g" },
  }
  for _, case in ipairs(accepted) do
    it(("expands %s with %s to %s"):format(case[1], shown(case[2]), case[3]), function()
      assert.equal(case[3], at_host(case[1], case[2]))
      assert.equal(case[3], url_at("", case[1], case[2]))
    end)
  end

  it("tells a missing value from an empty one", function()
    support.raises({ 'parameter "x"', "got nothing" }, at_host, "https://{x}/", { x = null })
    support.raises({ 'parameter "x"', "got an empty text" }, at_host, "https://{x}/", { x = "" })
    support.raises({ 'parameter "y"', "got an empty text" }, at_host, "https://{x,y}/", { x = "a", y = "" })
  end)

  it("keeps the host of baseUrl, whatever a value begins with", function()
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

describe("scheme-relative URLs:", function()
  local refused = {
    { "",       "//",             {} },
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
    { "/",      "//",             {} },
    { "/",      "//h/x",          {} },
    { "/",      "//{x}",          { x = "evil" } },
    { "/",      "/{+x}",          { x = "/evil" } },
    { "/",      "{+x}",           { x = "//evil" } },
    { "/",      "{/y,x}",         { x = "evil", y = "" } },
    { "/",      "/{.y}/x",        {} },
  }
  for _, case in ipairs(refused) do
    it(("refuses %s with %s behind baseUrl %q"):format(case[2], shown(case[3]), case[1]), function()
      support.raises("//", url_at, case[1], case[2], case[3])
    end)
  end

  it("quotes the path without query and fragment", function()
    for _, rest in ipairs { "?s3cret", "#s3cret", "" } do
      local message = support.message_of(endpoint, "GET {+x}", { x = "//evil" .. rest, baseUrl = "/" })
      assert.truthy(message:find('"//evil"', 1, true))
    end
  end)

  it("refuses a value that makes one in parse, too", function()
    support.raises("//", endpoint.parse, { url = "/{+x}", x = "/evil", baseUrl = "" })
  end)

  local accepted = {
    -- The template is the caller's whole URL.
    { "",       "{+x}",           { x = "//cdn/a" },            "//cdn/a" },
    { "",       "{+x}",           { x = "https://cdn/a" },      "https://cdn/a" },
    { "",       "{+x}{?y}",       { x = "//cdn/a", y = 1 },     "//cdn/a?y=1" },
    { "",       "{+x}/a",         { x = "//cdn" },              "//cdn/a" },
    { "",       "{x}{+y}",        { x = "", y = "//cdn/a" },    "//cdn/a" },
    { "",       "{+x}",           { x = "urn:a:b" },            "urn:a:b" },
    -- The result names no host.
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
    it(("expands %s with %s behind baseUrl %q to %s"):format(case[2], shown(case[3]), case[1], case[4]), function()
      assert.equal(case[4], url_at(case[1], case[2], case[3]))
    end)
  end
end)

describe("the scheme", function()
  it("never comes from a value", function()
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
      support.raises("scheme", url_at, "", case[1], { x = case[2] })
    end
  end)

  it("of a template needs no host behind an empty baseUrl", function()
    assert.equal("mailto:a", url_at("", "mailto:a"))
    assert.equal("mailto:a", url_at("", "mailto:{p}", { p = "a" }))
    assert.equal("urn:isbn:1", url_at("", "urn:isbn:{x}", { x = 1 }))
  end)

  it("makes a template absolute if :// follows", function()
    for _, scheme in ipairs { "https", "HTTP", "coap+tcp", "z39.50r", "a-b" } do
      assert.equal(scheme .. "://g/1", at_host(scheme .. "://g/{x}", { x = 1 }))
      assert.equal(scheme .. "://g/1", endpoint.parse { url = scheme .. "://g/{x}", x = 1 }.url)
    end
  end)
end)

describe("URLs of http, https, ws, wss and ftp:", function()
  for _, template in ipairs { "https:///x", "https://:80/x", "https://u@/x", "https://u@:/x", "wss://", "HTTP://?x",
    "ftp://#", "ws://u:p@:8080" } do
    it(("refuses %s, whose host is empty"):format(template), function()
      support.raises({ "url", 'expected a host behind "://"' }, endpoint, template)
      support.raises({ "url", 'expected a host behind "://"' }, url_at, "", "{+u}", { u = template })
    end)
  end

  for _, template in ipairs { "http:b", "HTTPS:/b", "ws:", "ftp:{x}", "wss:/{+x}" } do
    it(("refuses %s, which lacks :// behind the scheme"):format(template), function()
      local words = { "url", 'expected "://" and a host behind this scheme' }
      support.raises(words, endpoint, template, { x = "/h" })
      support.raises(words, url_at, "", template, { x = "/h" })
    end)
  end

  it("refuses a value that is the whole URL and has no host", function()
    for _, value in ipairs { "http:x", "http:", "https:/x", "http://@", "HTTP:\\\\h" } do
      support.raises({ "url", 'expected a host behind "://"' }, url_at, "", "{+u}", { u = value })
    end
    assert.equal("https://u@h:1/x", url_at("", "{+u}", { u = "https://u@h:1/x" }))
  end)

  it("refuses userinfo in place of a host", function()
    support.raises({ "url", "expected a host" }, endpoint, "https://u@{+p}", { p = "/x" })
  end)

  it("accepts URLs of other schemes without a host", function()
    assert.equal("file:///x", endpoint("file:///x").url)
    assert.equal("unix://:80/x", endpoint("unix://:80/x").url)
    assert.equal("file:x", url_at("", "file:{x}", { x = "x" }))
  end)
end)
