-- baseUrl and url, joined, and the characters of the result.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local url_at, at_host = support.url_at, support.at_host

describe("joining baseUrl and url:", function()
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
    -- Of two slashes one is dropped, no more.
    { "https://h//",        "/x",                "https://h//x" },
    { "https://h/",         "//x",               "https://h//x" },
    { "https://h",          "//x",               "https://h//x" },
    { "https://h//",        "//x",               "https://h///x" },
    -- A literal trailing "/" stays.
    { "https://h",          "/",                 "https://h/" },
    { "https://h/",         "/",                 "https://h/" },
    { "https://h",          "/x/",               "https://h/x/" },
    { "https://h",          "/x/?y",             "https://h/x/?y" },
    { "https://h/v1/",      "/",                 "https://h/v1/" },
    -- A query, a fragment and an empty URL join directly.
    { "https://h",          "?x",                "https://h/?x" },
    { "https://h/",         "?x",                "https://h/?x" },
    { "https://h/v1",       "?x",                "https://h/v1?x" },
    { "https://h",          "#x",                "https://h/#x" },
    { "https://h/v1/",      "#x",                "https://h/v1/#x" },
    { "https://h",          "{?a}",              "https://h/?a=1" },
    { "https://h/v1",       "{#a}",              "https://h/v1#1" },
    { "https://h",          "{+q}",              "https://h/?b" },
    { "coap://h",           "?x",                "coap://h?x" },
    { "https://h",          "{?undef}",          "https://h" },
    { "https://h/",         "{?undef}",          "https://h/" },
    { "https://h/v1",       "{/undef}",          "https://h/v1" },
    { "https://h/v1/",      "{.undef}",          "https://h/v1/" },
    -- The expanded URL is joined, not the template.
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
    -- An absolute URL stands alone.
    { "https://h/v1",       "http://g/x",        "http://g/x" },
    { "https://h/v1",       "http://g",          "http://g" },
    { "https://h/v1",       "HtTp://g/:a",       "HtTp://g/1" },
    { "https://h/v1",       "ws+unix.1-x://g/x", "ws+unix.1-x://g/x" },
    { "",                   "http://g/x",        "http://g/x" },
    { "/v1",                "http://g/x",        "http://g/x" },
    -- These URLs are not absolute.
    { "https://h",          "1http://g",         "https://h/1http://g" },
    { "https://h",          "://g",              "https://h/://g" },
    { "https://h",          "httq:/g",           "https://h/httq:/g" },
    { "https://h",          "file:g",            "https://h/file:g" },
    { "https://h",          "/http://g",         "https://h/http://g" },
    { "https://h",          "h_p://g",           "https://h/h_p://g" },
    -- Behind an empty baseUrl the URL stands alone.
    { "",                   "/x",                "/x" },
    { "",                   "x",                 "x" },
    { "",                   "?x",                "?x" },
    { "",                   "/",                 "/" },
    { "",                   "{?undef}",          "" },
    { "",                   "{+p}",              "/p" },
    { "",                   "urn:x:1",           "urn:x:1" },
    -- A bare path, as nginx's internal locations are.
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
    it(("joins %q and %q to %q"):format(case[1], case[2], case[3]), function()
      assert.equal(case[3], url_at(case[1], case[2], { a = 1, p = "/p", q = "?b" }))
    end)
  end

  it("joins alike in a call and in parse", function()
    assert.equal("/v1/1", endpoint("/{a}", { a = 1, baseUrl = "/v1/" }).url)
    assert.equal("/v1/1", endpoint.parse { url = "/{a}", a = 1, baseUrl = "/v1/" }.url)
    assert.equal(support.BASE .. "/1", endpoint("/{a}", { a = 1 }).url)
  end)

  it("keeps white space around url and baseUrl, encoded", function()
    assert.equal("https://h/%20/x%20", endpoint { url = " /x ", baseUrl = "https://h" }.url)
    assert.equal("https://h/%20/x%20", endpoint.parse { url = " /x ", baseUrl = "https://h" }.url)
    assert.equal("/v1%20/x", endpoint("/x", { baseUrl = "/v1 " }).url)
  end)

  it("takes an empty url for the baseUrl itself", function()
    assert.equal("https://h", endpoint.parse { url = "", baseUrl = "https://h" }.url)
    assert.equal("/v1", endpoint.parse { url = "", baseUrl = "/v1" }.url)
    assert.equal("", endpoint.parse { url = "", baseUrl = "" }.url)
  end)
end)

describe("baseUrl", function()
  local SHAPE, HOST, TEMPLATE, FRAGMENT, CONTROL = "scheme://host", "expected a host", "template",
    "no fragment", "control character"
  local AUTHORITY, TRIPLET, DOTS = "cannot stand in an authority", "holds no triplets", '"." or ".."'
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
    { "https://@",          HOST,     10 },
    { "https://u@/",        HOST,     11 },
    { "https://:80",        HOST,     9 },
    { "https://u:p@:80/",   HOST,     13 },
    { "other:///x",         HOST,     9 },
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
    -- The authority is one of a template without expressions.
    { "https://h ",         AUTHORITY, 10 },
    { "https://m\195\188nchen.example", AUTHORITY, 10 },
    { "https://a@b@h/x",    AUTHORITY, 12 },
    { "https://h\\x",       AUTHORITY, 10 },
    { "x://u:p%@h",         AUTHORITY, 8 },
    { "https://h%41/x",     TRIPLET,  10 },
    -- No segment is "." or "..".
    { "https://h/..",       DOTS,     11 },
    { "https://h/a/./b",    DOTS,     13 },
    { "https://h/a/%2E%2e;x?q", DOTS, 13 },
    { "https://h/a%252f.%23", DOTS,   17 },
    { "/v1/..%3fx/",        DOTS,     5 },
    { "/.",                 DOTS,     2 },
  }
  for _, case in ipairs(cases) do
    it(("is refused if it is %q: %s at byte %d"):format(case[1]:gsub("%c", "?"), case[2], case[3]), function()
      local words = { '"baseUrl"', case[2], "at byte " .. case[3] }
      support.raises(words, endpoint, "/x", { baseUrl = case[1] })
      support.raises(words, endpoint.parse, { url = "/x", baseUrl = case[1] })
      support.raises(words, function() return endpoint.defaults { baseUrl = case[1] }("/x") end)
    end)
  end

  it("may be missing only beside an absolute URL", function()
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "/x" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "{+u}", u = "https://h" })
    support.raises({ '"baseUrl"', "missing" }, endpoint.parse, { url = "/x", baseUrl = null })
    support.raises({ '"baseUrl"', "missing" }, endpoint, "/x", { baseUrl = null })
    assert.equal("https://g/x", endpoint.parse { url = "https://g/x" }.url)
    assert.equal("https://g/x", endpoint("https://g/x", { baseUrl = null }).url)
  end)

  it("is checked beside an absolute URL, too", function()
    support.raises('"baseUrl"', endpoint.parse, { url = "https://h/x", baseUrl = "garbage" })
  end)

  it("hides its userinfo in errors", function()
    for _, base in ipairs { "https://user:secret@h{", "https://user:secret@h/#", "user:secret@h" } do
      local message = support.message_of(endpoint, "/x", { baseUrl = base })
      assert.is_nil(message:find("secret", 1, true))
    end
  end)
end)

describe("the query of baseUrl", function()
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
    -- An empty query adds nothing.
    { "https://h/p?",       "/x",                   "https://h/p/x" },
    { "https://h/p?",       "/x?a=1",               "https://h/p/x?a=1" },
    { "https://h/p?",       "/x?",                  "https://h/p/x?" },
    { "https://h/?",        "",                     "https://h/" },
    -- It is encoded like a literal.
    { "https://h?v=é %",    "/x",                   "https://h/x?v=%C3%A9%20%25" },
    { "https://h?v=%2f",    "/x",                   "https://h/x?v=%2f" },
    -- A bare path may have one, too.
    { "/p?v=1",             "/x",                   "/p/x?v=1" },
    { "/?v=1",              "x?a",                  "/x?v=1&a" },
    -- An absolute URL gets none of it.
    { "https://h/p?v=1",    "https://g/x",          "https://g/x" },
    { "https://h/p?v=1",    "https://g/x{?q}",      "https://g/x?q=2" },
  }
  for _, case in ipairs(cases) do
    it(("comes first in the query: %q and %q make %q"):format(case[1], case[2], case[3]), function()
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

  it("comes before left-over parameters", function()
    local api = endpoint.defaults { baseUrl = "https://h/p?v=1" }
    assert.equal("https://h/p/x?v=1&a=1", api("GET /x", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&b=2&a=1#f", api("GET /x?b=2#f", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&a=1", api("GET /x?", { a = 1 }).url)
    assert.equal("https://h/p/x?v=1&a=1", endpoint("GET /x", { baseUrl = "https://h/p?v=1&", a = 1 }).url)
    assert.equal("https://h/p/x?a=1", endpoint("GET /x", { baseUrl = "https://h/p?", a = 1 }).url)
  end)

  it("stays as given in merge's output and in DEFAULTS", function()
    local api = endpoint.defaults { baseUrl = "https://h/p?v= 1" }
    assert.equal("https://h/p?v= 1", api.merge("/x").baseUrl)
    assert.equal("https://h/p?v= 1", api.DEFAULTS.baseUrl)
  end)

  it("is exempt from the rules on paths and hosts", function()
    assert.equal("https://h/x?v=/../..", endpoint("/{x}", { baseUrl = "https://h?v=/../..", x = "x" }).url)
    assert.equal("https://h/x?v=@evil//", endpoint("/{x}", { baseUrl = "https://h?v=@evil//", x = "x" }).url)
    support.raises({ 'parameter "x"', "vanish" }, endpoint, "/{x}", { baseUrl = "https://h?v=1" })
    support.raises("//", endpoint, "//evil", { baseUrl = "/?v=1" })
  end)

  it("may be long", function()
    local long = ("a"):rep(5000)
    assert.equal("https://h/" .. long .. "?" .. long .. "&" .. long .. "#" .. long,
      endpoint("/{a}?{a}{#a}", { baseUrl = "https://h?" .. long, a = long }).url)
  end)
end)

describe("the characters of a URL", function()
  local bytes = {}
  for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
  local all = table.concat(bytes)

  -- The URL of a template at a host, which must be sound.
  local function assert_sound(template, x)
    local url = at_host(template, { x = x })
    assert.is_true(support.is_sound_url(url), url)
  end

  it("are 0x21 to 0x7E, and every % begins a triplet, whatever the values are", function()
    for _, operator in ipairs(support.OPERATORS) do
      for _, modifier in ipairs { "", "*" } do
        local template = "/-{" .. operator .. "x" .. modifier .. "}-"
        for _, x in ipairs { all, { all, all }, { [all] = all }, { ["%"] = "%4", ["%4"] = "%" } } do
          assert_sound(template, x)
        end
      end
    end
    assert.is_true(support.is_sound_url(endpoint("/", { [all] = all }).url))
  end)

  it("are valid where a prefix cuts a value", function()
    for _, operator in ipairs(support.OPERATORS) do
      for length = 1, 12 do
        assert_sound(("/-{%sx:%d}41"):format(operator, length), "a%41é%c3%a9%4%")
      end
    end
  end)

  it("are valid where literals, values and baseUrl meet", function()
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
      assert.equal(case[3], url_at(case[1], case[2], { x = "41", y = "%", z = "%4" }))
    end
  end)

  it("are encoded in upper-case hex, except the unreserved set and triplets that stay", function()
    assert.equal("https://h/%AB%CD%EF-._~", at_host("/{x}", { x = "\171\205\239-._~" }))
    assert.equal("https://h/%ab%AB%c3", at_host("/%ab{+x}%c3", { x = "%AB" }))
    assert.equal("https://h/caf%C3%A9/x", url_at("https://h/café", "/x"))
    assert.equal("https://h/%22%3C%3E%5C%5E%60%7C%20/x", url_at('https://h/"<>\\^`| ', "/x"))
  end)
end)
