-- The scheme and the authority of a URL, which values must not choose.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local shown, url_at, at_host = support.shown, support.url_at, support.at_host

describe("the authority of a template", function()
  local BYTE, TRIPLET, HOST = "cannot stand in an authority", "a host holds no triplets", "expected a host"
  local malformed = {
    -- template                   what is wrong, and at which byte
    { "https://h ",               BYTE,     10 },
    { "https://h .example/",      BYTE,     10 },
    { "https://m\195\188nchen.example/", BYTE, 10 },
    { "https://h\\x/",            BYTE,     10 },
    { "https://h^`|/",            BYTE,     10 },
    { "https://h%/",              BYTE,     10 },
    { "https://u%zz@h/",          BYTE,     10 },
    { "https://a@b@h/",           BYTE,     12 },
    { "https://{x}@b@h/",         BYTE,     14 },
    { "https://{x} /",            BYTE,     12 },
    { "https://h%41/",            TRIPLET,  10 },
    { "https://u@%41{x}/",        TRIPLET,  11 },
    { "x://h /",                  BYTE,     6 },
    { "x://h%41/",                TRIPLET,  6 },
    -- A host under http, https, ws, wss and ftp.
    { "https:///x",               HOST,     9 },
    { "https://",                 HOST,     9 },
    { "https://?x",               HOST,     9 },
    { "FTP://#",                  HOST,     7 },
    { "https://:80/x",            HOST,     9 },
    { "https://u@/x",             HOST,     11 },
    { "ws://u:p@:8080",           HOST,     10 },
    { "wss://{x}@",               HOST,     11 },
    { "https://{.x}/",            HOST,     9 },
    { "HTTP://{/x}",              HOST,     8 },
    { "https://u@{+x}",           HOST,     11 },
    { "https://u@{.x}",           HOST,     11 },
  }
  for _, case in ipairs(malformed) do
    it(("is refused in %s: %s at byte %d"):format(shown(case[1]), case[2], case[3]), function()
      local words = { "endpoint: template ", case[2], "at byte " .. case[3] }
      support.raises(words, endpoint, { url = case[1], x = "h" })
      support.raises(words, endpoint.parse, { url = case[1] })
      support.raises(words, endpoint.variables, { url = case[1] })
    end)
  end

  local sound = {
    "https://h", "https://h.example:8080/x", "https://[::1]:80/x", "https://u:p@h/", "https://u%40:p@h/",
    "https://u:@h/", "https://a-b._~!$&'()*+,;=:@h!$&'()*+,;=/", "https://@h/x", "HTTPS://H/",
    "file:///x", "unix://:80/x", "x://", "x://u@/y",
  }
  for _, template in ipairs(sound) do
    it("stays as it is: " .. template, function() assert.equal(template, endpoint(template).url) end)
  end
end)

describe("values in the authority:", function()
  local PART, WHOLE = "expected a part of the host", "expected a host"
  local BEHIND = 'expected "/", "?" or "#" behind the host'
  -- What is not unreserved.
  local OTHER = { "evil@", "@", "a\\", "a/b", "/", "?", "#", "a:b", "p%41", "\0", "a b", "[", ",", "\195\188" }

  local plain = {
    "https://{x}/", "https://{x}.g/", "https://g{x}", "https://g{x}?q", "https://g:{x}/", "https://{x}:80/",
    "https://u:{x}@g/", "https://{y}{x}/", "HTTPS://{x}#f", "a+b://{x}/", "https://g{x}{/z}",
  }
  it("a plain expression writes at least one character, and unreserved ones alone", function()
    for _, template in ipairs(plain) do
      for _, value in ipairs { "", null, {}, { "" }, { "a", "b" }, { k = "v" }, support.unpack(OTHER) } do
        support.raises({ 'parameter "x"', PART }, at_host, template, { x = value, y = "y" })
      end
      support.raises({ 'parameter "x"', PART }, at_host, template, { y = "y" })
      assert.truthy(at_host(template, { x = "a-Z.0_~", y = "y" }):find("a-Z.0_~", 1, true))
    end
  end)

  it("a {+x} writes a host, and perhaps a port", function()
    local refused = {
      "", ":80", "h:", "h:123456", "h:8a", "h:80:80", "u@h", "u:p@h", "@h", "h/", "h/x", "//h", "https://h", "h?x",
      "h#x", "h\\", "h%2Fx", "%41", "h x", "\195\188", "\0", "h!", "a,b", "[", "]", "[]", "[]:80", "[::1", "::1", "::1]",
      "[::g]", "[::1]x", "[::1]:", "[::1]:123456", "[v1.a]", "[::1%25eth0]", "x[::1]", "[[::1]]", "h]:80",
      { "a", "b" }, { k = "v" }, {}, null,
    }
    for _, template in ipairs { "https://{+x}", "https://{+x}/a", "https://{+x}?q", "x://{+x}#f", "https://{+x}{/y}" } do
      for _, value in ipairs(refused) do
        support.raises({ 'parameter "x"', WHOLE }, at_host, template, { x = value })
      end
      support.raises({ 'parameter "x"', WHOLE }, at_host, template)
      for _, host in ipairs { "h", "h:80", "h:1", "a-Z.0_~:65535", "10.0.0.1:8080", "[::1]", "[aF:0::1.2.3.4]:443" } do
        assert.truthy(at_host(template, { x = host }):find("://" .. host, 1, true))
      end
    end
  end)

  it("two variables of one expression are refused, for a comma is between them", function()
    support.raises({ 'parameter "y"', PART }, at_host, "https://{x,y}/", { x = "a", y = "b" })
    support.raises({ 'parameter "y"', WHOLE }, at_host, "https://{+x,y}/", { x = "a", y = "b" })
  end)

  local behind = {
    -- template                   values                        the parameter that is named, nil for the template
    { "https://h{+x}",            { x = ".evil.example" },      "x" },
    { "https://h{+x}",            { x = ":8080" },              "x" },
    { "https://h{+x}",            { x = "@evil" },              "x" },
    { "https://h{+x}",            { x = "a/b" },                "x" },
    { "https://h{+x*}",           { x = { ["@evil/"] = "k" } }, "x" },
    { "https://h:80{+x}",         { x = "80/" },                "x" },
    { "https://h{+y}{x}",         { x = ".evil" },              "x" },
    { "https://eu{.x}.api.example/", { x = "eu" },              "x" },
    { "https://h{;x}",            { x = "evil" },               "x" },
    { "https://h{&x}",            { x = "evil" },               "x" },
    { "https://h{/y}{x}",         { x = "b" },                  "x" },
    { "https://h{/y}{+x}",        { x = "@evil" },              "x" },
    { "https://h{?y}{.x}",        { x = "evil" },               "x" },
    { "https://h{#y}{x}/a",       { x = ".evil" },              "x" },
    { "https://{y}{+x}",          { x = "@evil", y = "a" },     "x" },
    { "https://{+y}{x}",          { x = "a", y = "h" },         "x" },
    { "https://{+y}{+x}",         { x = ".evil", y = "h" },     "x" },
    -- Without text an expression lets the template's own text continue the host.
    { "https://api.example{/x}.json", {},                       "x" },
    { "https://h{/x}@g",          {},                           "x" },
    -- No value helps a {+x} before text of the host.
    { "https://{+x}.api.example/", { x = "h" } },
    { "https://{+x}:80/",         { x = "h" } },
    { "https://{+x}%2Fy",         { x = "h" } },
    { "https://{+x}@h/",          { x = "u" } },
  }
  for _, case in ipairs(behind) do
    it(("nothing continues the host: %s with %s"):format(case[1], shown(case[2])), function()
      local words = case[3] and { ('endpoint: parameter "%s"'):format(case[3]), BEHIND }
        or { "endpoint: url ", 'expected "/", "?" or "#" behind' }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, url_at, "", case[1], case[2])
      support.raises(words, endpoint.parse, { url = case[1], x = case[2].x, y = case[2].y })
    end)
  end

  it("a {+x} is named where it writes more than a host, whatever follows", function()
    for _, value in ipairs { "evil.com%2F", "evil.example/", "evil.example#" } do
      support.raises({ 'parameter "x"', WHOLE }, at_host, "https://{+x}.api.example/", { x = value })
    end
  end)

  local accepted = {
    { "https://{x}/",             { x = "api.example.com" },    "https://api.example.com/" },
    { "https://{x}.g/{y}",        { x = "a", y = "b@/c" },      "https://a.g/b%40%2Fc" },
    { "https://h.{tld}",          { tld = "example" },          "https://h.example" },
    { "https://h{tld}",           { tld = ".example" },         "https://h.example" },
    { "https://g:{x}/",           { x = 8080 },                 "https://g:8080/" },
    { "https://{x}:{y}@g/",       { x = "u", y = "p" },         "https://u:p@g/" },
    { "https://{+x}/",            { x = "[::1]:80" },           "https://[::1]:80/" },
    { "https://{+x}{+y}",         { x = "g", y = "/a" },        "https://g/a" },
    { "https://g{.x}/",           {},                           "https://g/" },
    -- What ends the authority.
    { "https://h{+x}",            { x = "/a/b@c" },             "https://h/a/b@c" },
    { "https://h{+x}",            { x = "/@a:b\\" },            "https://h/@a:b%5C" },
    { "https://h{+x}",            { x = { "/a", "@b" } },       "https://h/a,@b" },
    { "https://h{+x}{+y}",        { x = "/a", y = "@b/c" },     "https://h/a@b/c" },
    { "https://h{+x}.json",       { x = "/a" },                 "https://h/a.json" },
    { "https://h{/x}",            { x = "@b" },                 "https://h/%40b" },
    { "https://h{/x}",            {},                           "https://h" },
    { "https://h{/x}.json",       { x = "a" },                  "https://h/a.json" },
    { "https://h{/x}{/y}",        { y = "a" },                  "https://h/a" },
    { "https://h{/x}/b",          {},                           "https://h/b" },
    { "https://h{?x}",            { x = "@b" },                 "https://h/?x=%40b" },
    { "https://h{?x}",            {},                           "https://h" },
    { "https://h{?x}{+y}",        { x = "a", y = "@b" },        "https://h/?x=a@b" },
    { "https://h{#x}",            { x = "a@b/c" },              "https://h/#a@b/c" },
    { "https://h/{+x}",           { x = "a@b/c?d#e" },          "https://h/a@b/c?d#e" },
  }
  for _, case in ipairs(accepted) do
    it(("%s with %s is %s"):format(case[1], shown(case[2]), case[3]), function()
      assert.equal(case[3], at_host(case[1], case[2]))
      assert.equal(case[3], url_at("", case[1], case[2]))
    end)
  end

  it("none is there behind a baseUrl", function()
    for _, value in ipairs { "@evil", ".evil", ":80", "\\evil", "//evil", "https://evil" } do
      for _, template in ipairs { "{+x}", "{x}", "/{+x}", "/{x}", "{/x}", "{;x}" } do
        assert.truthy(at_host(template, { x = value }):find "^https://h/")
      end
    end
    assert.equal("https://h/@evil", at_host("{+x}", { x = "@evil" }))
    assert.equal("https://h/.evil", at_host("{.x}", { x = "evil" }))
  end)
end)

-- LuaSocket and others look for the authority's end at "/" alone.
describe("a / between the authority and ? or #", function()
  local cases = {
    -- base               template              values or left-over parameters    URL
    { "",                 "https://h?x",        {},                     "https://h/?x" },
    { "",                 "https://h#x",        {},                     "https://h/#x" },
    { "",                 "https://h?x#y",      {},                     "https://h/?x#y" },
    { "",                 "http://home.example{#f}", { f = "@evil" },   "http://home.example/#@evil" },
    { "",                 "http://home.example?since={+t}", { t = "@127.0.0.1:1/v" },
      "http://home.example/?since=@127.0.0.1:1/v" },
    { "https://h",        "?since={+t}",        { t = "@127.0.0.1:1/v" }, "https://h/?since=@127.0.0.1:1/v" },
    { "https://h",        "{#t}",               { t = "@evil" },        "https://h/#@evil" },
    { "https://h",        "{+t}",               { t = "?@evil/" },      "https://h/?@evil/" },
    { "https://h",        "",                   { a = 1 },              "https://h/?a=1" },
    { "",                 "https://h#f",        { a = 1 },              "https://h/?a=1#f" },
    { "",                 "https://h?b#f",      { a = 1 },              "https://h/?b&a=1#f" },
    { "https://h?v=1",    "",                   {},                     "https://h/?v=1" },
    { "https://h?v=1",    "#f",                 { a = 1 },              "https://h/?v=1&a=1#f" },
    { "",                 "{+u}",               { u = "http://home.example?@evil/x" }, "http://home.example/?@evil/x" },
    { "",                 "{+u}",               { u = "wss://h:1#x" },  "wss://h:1/#x" },
    -- Under other schemes and on a bare path there is none, and no second one.
    { "",                 "coap://h?x",         { a = 1 },              "coap://h?x&a=1" },
    { "coap://h?v=1",     "",                   {},                     "coap://h?v=1" },
    { "https://h",        "",                   {},                     "https://h" },
  }
  for _, case in ipairs(cases) do
    it(("makes %s of %q and %q with %s"):format(case[4], case[1], case[2], shown(case[3])), function()
      assert.equal(case[4], endpoint.defaults { baseUrl = case[1] }("GET " .. case[2]:gsub("^$", "{?none}"), case[3]).url)
    end)
  end

  it("stands under http, https, ws, wss and ftp in any case", function()
    for _, scheme in ipairs { "http", "https", "ws", "wss", "ftp", "HTTP", "wSs" } do
      assert.equal(scheme .. "://h/?x", endpoint(scheme .. "://h?x").url)
    end
    for _, scheme in ipairs { "httpx", "s", "ftps", "file", "coap+ws" } do
      assert.equal(scheme .. "://h?x", endpoint(scheme .. "://h?x").url)
    end
  end)
end)

describe("a URL without a scheme and a host of its own", function()
  local refused = {
    -- base     template          values                        the parameter that is named, nil for the template
    { "",       "//",             {} },
    { "",       "//h/x",          {} },
    { "",       "//{x}",          { x = "evil" } },
    { "",       "/{+x}",          { x = "/evil" },              "x" },
    { "",       "/{.x}/y",        {},                           "x" },
    { "",       "/{/x}",          { x = "evil" },               "x" },
    { "",       "{/x*}",          { x = { "", "a" } },          "x" },
    { "",       "{y}{+x}",        { x = "//evil", y = "" },     "x" },
    { "/",      "//{x}",          { x = "evil" } },
    { "/",      "/{+x}",          { x = "/evil" },              "x" },
    { "/",      "{+x}",           { x = "//evil" },             "x" },
    { "/",      "{/y,x}",         { x = "evil", y = "" },       "y" },
  }
  for _, case in ipairs(refused) do
    it(("does not begin with //: %s with %s behind baseUrl %q"):format(case[2], shown(case[3]), case[1]), function()
      local words = { case[4] and ('endpoint: parameter "%s"'):format(case[4]) or "endpoint: url ", '"//"' }
      support.raises(words, url_at, case[1], case[2], case[3])
      support.raises(words, endpoint.parse, { baseUrl = case[1], url = case[2], x = case[3].x, y = case[3].y })
    end)
  end

  local SCHEME = "must not complete the scheme"
  local schemes = {
    { "http{x}://g/",     { x = "s" } },
    { "http{x}://g/",     { x = "" } },
    { "java{+x}",         { x = "script:alert" } },
    { "{x}://g/",         { x = "http" } },
    { "{x}:g",            { x = "urn" } },
    { "{/y}{+x}",         { x = "http://h" } },
    -- "//" behind the template's own scheme.
    { "foo:{+x}",         { x = "//evil" } },
    { "foo:/{+x}",        { x = "/evil" } },
    { "foo:{x}//evil",    {} },
    { "foo:{/x*}",        { x = { "", "evil" } } },
  }
  for _, case in ipairs(schemes) do
    it(("gets no scheme and no // behind it of a value: %s with %s"):format(case[1], shown(case[2])), function()
      support.raises({ 'endpoint: parameter "x"', SCHEME }, url_at, "", case[1], case[2])
    end)
  end

  local accepted = {
    -- A template that begins with a "+" expression is the caller's whole URL.
    { "",       "{+x}",           { x = "//cdn/a" },            "//cdn/a" },
    { "",       "{+x}",           { x = "https://cdn/a" },      "https://cdn/a" },
    { "",       "{+x}",           { x = "https://u@h:1/x" },    "https://u@h:1/x" },
    { "",       "{+x}{?y}",       { x = "//cdn/a", y = 1 },     "//cdn/a?y=1" },
    { "",       "{+x}",           { x = "urn:a:b" },            "urn:a:b" },
    -- The result has no scheme and names no host.
    { "/v1",    "//h/x",          {},                           "/v1//h/x" },
    { "/v1",    "{+x}",           { x = "//evil" },             "/v1//evil" },
    { "/v1/",   "/{+x}",          { x = "/evil" },              "/v1//evil" },
    { "",       "/{x}",           { x = "/b" },                 "/%2Fb" },
    { "",       "?{+x}",          { x = "//b" },                "?//b" },
    { "",       "/{+x}",          { x = "http://b" },           "/http://b" },
    { "",       "?{x}:b",         { x = "urn" },                "?urn:b" },
    -- The scheme is the template's own.
    { "",       "mailto:{x}",     { x = "a" },                  "mailto:a" },
    { "",       "urn:isbn:{+x}",  { x = "//1" },                "urn:isbn://1" },
    { "",       "a:b{+x}",        { x = ":c" },                 "a:b:c" },
  }
  for _, case in ipairs(accepted) do
    it(("may be %s with %s behind baseUrl %q: %s"):format(case[2], shown(case[3]), case[1], case[4]), function()
      assert.equal(case[4], url_at(case[1], case[2], case[3]))
    end)
  end

  it("names no query and no fragment in the error", function()
    for _, rest in ipairs { "?s3cret", "#s3cret" } do
      local message = support.message_of(url_at, "/", "{+x}", { x = "//evil" .. rest })
      assert.is_nil(message:find("s3cret", 1, true))
    end
  end)
end)

describe("the scheme", function()
  it("never comes from a value behind a baseUrl", function()
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

  it("makes a template absolute if :// follows", function()
    for _, scheme in ipairs { "https", "HTTP", "coap+tcp", "z39.50r", "a-b" } do
      assert.equal(scheme .. "://g/1", at_host(scheme .. "://g/{x}", { x = 1 }))
      assert.equal(scheme .. "://g/1", endpoint.parse { url = scheme .. "://g/{x}", x = 1 }.url)
    end
  end)

  local malformed = {
    { "http:b", 6 }, { "HTTPS:/b", 7 }, { "ws:", 4 }, { "ftp:{x}", 5 }, { "wss:/{+x}", 5 }, { "http:\\\\h", 6 },
  }
  for _, case in ipairs(malformed) do
    it(("http, https, ws, wss or ftp needs :// behind it: %s at byte %d"):format(case[1], case[2]), function()
      local words = { "endpoint: template ", 'expected "//" and a host', "at byte " .. case[2] }
      support.raises(words, at_host, case[1], { x = "/h" })
      support.raises(words, url_at, "", case[1], { x = "/h" })
      support.raises(words, endpoint.variables, case[1])
    end)
  end

  it("http, https, ws, wss or ftp needs :// and a host in a value that is the whole URL, too", function()
    for _, value in ipairs { "http:x", "http:", "https:/x", "HTTP:\\\\h", "ws:?x", "http://", "https:///x", "http://@",
      "http://:80", "https://u@:/x", "ftp://?x" } do
      support.raises({ 'endpoint: parameter "u"', '"://" and a host' }, url_at, "", "{+u}", { u = value })
    end
    assert.equal("x:y", url_at("", "{+u}", { u = "x:y" }))
    assert.equal("x:///y", url_at("", "{+u}", { u = "x:///y" }))
  end)
end)
