-- URI templates: RFC 6570 level 4 and its grammar, :name, literals.
local endpoint = require "endpoint"
local support = require "support"

-- Behind an empty baseUrl the expanded template is the whole URL.
local api = endpoint.defaults { baseUrl = "" }

local function expand(template, variables)
  return api("GET " .. template, variables).url
end

-- The variable definitions of RFC 6570 section 3.2. undef stays nil.
local rfc = {
  count = { "one", "two", "three" },
  dom = { "example", "com" },
  dub = "me/too",
  hello = "Hello World!",
  half = "50%",
  var = "value",
  who = "fred",
  base = "http://example.com/home/",
  path = "/foo/bar",
  list = { "red", "green", "blue" },
  keys = { semi = ";", dot = ".", comma = "," },
  v = "6",
  x = "1024",
  y = "768",
  empty = "",
  empty_keys = {},
  -- Those of section 2.4.
  semi = ";",
  year = { "1965", "2000", "2012" },
  address = { city = "Newport Beach", state = "CA" },
}

-- The variables that the template names. Others would go into the query.
local function variables_of(template)
  local variables = {}
  for expression in template:gmatch "{([^}]*)}" do
    for name in expression:gmatch "[%w_]+" do variables[name] = rfc[name] end
  end
  return variables
end

-- The examples of RFC 6570, each once: those of sections 1.2 and 2.4 that section 3.2
-- repeats stand there. Maps come in bytewise order of their keys; the RFC leaves it open.
local sections = {
  { "1.2, level 2", {
    { "X{#var}",               "X#value" },
    { "X{#hello}",             "X#Hello%20World!" },
  } },
  { "1.2, level 3", {
    { "map?{x,y}",             "map?1024,768" },
    { "X{.x,y}",               "X.1024.768" },
  } },
  { "2.4.1, prefix", {
    { "{var:20}",              "value" },
    { "{semi}",                "%3B" },
    { "{semi:2}",              "%3B" },
  } },
  { "2.4.2, explode", {
    { "/mapper{?address*}",    "/mapper?city=Newport%20Beach&state=CA" },
    { "find{?year*}",          "find?year=1965&year=2000&year=2012" },
  } },
  { "3.2.1, variable expansion", {
    { "{count}",               "one,two,three" },
    { "{count*}",              "one,two,three" },
    { "{/count}",              "/one,two,three" },
    { "{/count*}",             "/one/two/three" },
    { "{;count}",              ";count=one,two,three" },
    { "{;count*}",             ";count=one;count=two;count=three" },
    { "{?count}",              "?count=one,two,three" },
    { "{?count*}",             "?count=one&count=two&count=three" },
    { "{&count*}",             "&count=one&count=two&count=three" },
  } },
  { "3.2.2, simple string expansion", {
    { "{var}",                 "value" },
    { "{hello}",               "Hello%20World%21" },
    { "{half}",                "50%25" },
    { "O{empty}X",             "OX" },
    { "O{undef}X",             "OX" },
    { "{x,y}",                 "1024,768" },
    { "{x,hello,y}",           "1024,Hello%20World%21,768" },
    { "?{x,empty}",            "?1024," },
    { "?{x,undef}",            "?1024" },
    { "?{undef,y}",            "?768" },
    { "{var:3}",               "val" },
    { "{var:30}",              "value" },
    { "{list}",                "red,green,blue" },
    { "{list*}",               "red,green,blue" },
    { "{keys}",                "comma,%2C,dot,.,semi,%3B" },
    { "{keys*}",               "comma=%2C,dot=.,semi=%3B" },
  } },
  { "3.2.3, reserved expansion", {
    { "{+var}",                "value" },
    { "{+hello}",              "Hello%20World!" },
    { "{+half}",               "50%25" },
    { "{base}index",           "http%3A%2F%2Fexample.com%2Fhome%2Findex" },
    { "{+base}index",          "http://example.com/home/index" },
    { "O{+empty}X",            "OX" },
    { "O{+undef}X",            "OX" },
    { "{+path}/here",          "/foo/bar/here" },
    { "here?ref={+path}",      "here?ref=/foo/bar" },
    { "up{+path}{var}/here",   "up/foo/barvalue/here" },
    { "{+x,hello,y}",          "1024,Hello%20World!,768" },
    { "{+path,x}/here",        "/foo/bar,1024/here" },
    { "{+path:6}/here",        "/foo/b/here" },
    { "{+list}",               "red,green,blue" },
    { "{+list*}",              "red,green,blue" },
    { "{+keys}",               "comma,,,dot,.,semi,;" },
    { "{+keys*}",              "comma=,,dot=.,semi=;" },
  } },
  { "3.2.4, fragment expansion", {
    { "{#var}",                "#value" },
    { "{#hello}",              "#Hello%20World!" },
    { "{#half}",               "#50%25" },
    { "foo{#empty}",           "foo#" },
    { "foo{#undef}",           "foo" },
    { "{#x,hello,y}",          "#1024,Hello%20World!,768" },
    { "{#path,x}/here",        "#/foo/bar,1024/here" },
    { "{#path:6}/here",        "#/foo/b/here" },
    { "{#list}",               "#red,green,blue" },
    { "{#list*}",              "#red,green,blue" },
    { "{#keys}",               "#comma,,,dot,.,semi,;" },
    { "{#keys*}",              "#comma=,,dot=.,semi=;" },
  } },
  { "3.2.5, label expansion", {
    { "{.who}",                ".fred" },
    { "{.who,who}",            ".fred.fred" },
    { "{.half,who}",           ".50%25.fred" },
    { "www{.dom*}",            "www.example.com" },
    { "X{.var}",               "X.value" },
    { "X{.empty}",             "X." },
    { "X{.undef}",             "X" },
    { "X{.var:3}",             "X.val" },
    { "X{.list}",              "X.red,green,blue" },
    { "X{.list*}",             "X.red.green.blue" },
    { "X{.keys}",              "X.comma,%2C,dot,.,semi,%3B" },
    { "X{.keys*}",             "X.comma=%2C.dot=..semi=%3B" },
    { "X{.empty_keys}",        "X" },
    { "X{.empty_keys*}",       "X" },
  } },
  { "3.2.6, path segment expansion", {
    { "{/who}",                "/fred" },
    { "{/who,who}",            "/fred/fred" },
    { "{/half,who}",           "/50%25/fred" },
    { "{/who,dub}",            "/fred/me%2Ftoo" },
    { "{/var}",                "/value" },
    { "{/var,empty}",          "/value/" },
    { "{/var,undef}",          "/value" },
    { "{/var,x}/here",         "/value/1024/here" },
    { "{/var:1,var}",          "/v/value" },
    { "{/list}",               "/red,green,blue" },
    { "{/list*}",              "/red/green/blue" },
    { "{/list*,path:4}",       "/red/green/blue/%2Ffoo" },
    { "{/keys}",               "/comma,%2C,dot,.,semi,%3B" },
    { "{/keys*}",              "/comma=%2C/dot=./semi=%3B" },
  } },
  { "3.2.7, path-style parameter expansion", {
    { "{;who}",                ";who=fred" },
    { "{;half}",               ";half=50%25" },
    { "{;empty}",              ";empty" },
    { "{;v,empty,who}",        ";v=6;empty;who=fred" },
    { "{;v,bar,who}",          ";v=6;who=fred" },
    { "{;x,y}",                ";x=1024;y=768" },
    { "{;x,y,empty}",          ";x=1024;y=768;empty" },
    { "{;x,y,undef}",          ";x=1024;y=768" },
    { "{;hello:5}",            ";hello=Hello" },
    { "{;list}",               ";list=red,green,blue" },
    { "{;list*}",              ";list=red;list=green;list=blue" },
    { "{;keys}",               ";keys=comma,%2C,dot,.,semi,%3B" },
    { "{;keys*}",              ";comma=%2C;dot=.;semi=%3B" },
  } },
  { "3.2.8, form-style query expansion", {
    { "{?who}",                "?who=fred" },
    { "{?half}",               "?half=50%25" },
    { "{?x,y}",                "?x=1024&y=768" },
    { "{?x,y,empty}",          "?x=1024&y=768&empty=" },
    { "{?x,y,undef}",          "?x=1024&y=768" },
    { "{?var:3}",              "?var=val" },
    { "{?list}",               "?list=red,green,blue" },
    { "{?list*}",              "?list=red&list=green&list=blue" },
    { "{?keys}",               "?keys=comma,%2C,dot,.,semi,%3B" },
    { "{?keys*}",              "?comma=%2C&dot=.&semi=%3B" },
  } },
  { "3.2.9, form-style query continuation", {
    { "{&who}",                "&who=fred" },
    { "{&half}",               "&half=50%25" },
    { "?fixed=yes{&x}",        "?fixed=yes&x=1024" },
    { "{&x,y,empty}",          "&x=1024&y=768&empty=" },
    { "{&x,y,undef}",          "&x=1024&y=768" },
    { "{&var:3}",              "&var=val" },
    { "{&list}",               "&list=red,green,blue" },
    { "{&list*}",              "&list=red&list=green&list=blue" },
    { "{&keys}",               "&keys=comma,%2C,dot,.,semi,%3B" },
    { "{&keys*}",              "&comma=%2C&dot=.&semi=%3B" },
  } },
}

for _, section in ipairs(sections) do
  describe("RFC 6570 section " .. section[1] .. ":", function()
    for _, case in ipairs(section[2]) do
      it(("expands %s to %s"):format(case[1], case[2]), function()
        assert.equal(case[2], expand(case[1], variables_of(case[1])))
      end)
    end
  end)
end

-- RFC 6570 expands these templates to nothing, or to a segment that clients remove.
describe("examples of RFC 6570 that leave a path segment empty or dots:", function()
  local cases = {
    { "{empty}",               { 'parameter "empty"', "is empty", "{/" } },
    { "{undef}",               { 'parameter "undef"', "is missing", "{/" } },
    { "{+empty}",              { 'parameter "empty"', "is empty" } },
    { "{+undef}",              { 'parameter "undef"', "is missing" } },
    { "{empty_keys}",          { 'parameter "empty_keys"' } },
    { "{empty_keys*}",         { 'parameter "empty_keys"' } },
    { "{undef,empty}",         { 'parameter "undef"', "is missing" } },
    { "{.empty}",              { 'parameter "empty"', '"."' } },
    { "/a/{.empty,empty}",     { 'parameter "empty"', '".."' } },
  }
  for _, case in ipairs(cases) do
    it("refuses " .. case[1], function()
      support.raises(case[2], expand, case[1], variables_of(case[1]))
    end)
  end
end)

describe("a malformed template", function()
  local NAME, RESERVED, CLOSE, LENGTH = "expected a variable name", "reserved", "is not closed",
    "prefix length from 1 to 9999"
  local BEHIND, CONTROL, STRAY, QUERY = 'expected ","', "control character", '"}" without "{"', "expected {&"
  local cases = {
    { "/{=a}",           RESERVED, 3 },
    { "/{,a}",           RESERVED, 3 },
    { "/{!a}",           RESERVED, 3 },
    { "/{@a}",           RESERVED, 3 },
    { "/{|a}",           RESERVED, 3 },
    { "/{,}",            RESERVED, 3 },
    { "/{$a}",           NAME,     3 },
    { "/{*a}",           NAME,     3 },
    { "/{:a}",           NAME,     3 },
    { "/{^a}",           NAME,     3 },
    { "/{~a}",           NAME,     3 },
    { "/{(a)}",          NAME,     3 },
    { "/{'a'}",          NAME,     3 },
    { '/{"a"}',          NAME,     3 },
    { "/{\\a}",          NAME,     3 },
    { "/{++a}",          NAME,     4 },
    { "/{?&a}",          NAME,     4 },
    { "/{/.a}",          NAME,     4 },
    { "/{+=a}",          NAME,     4 },
    { "/{}",             NAME,     3 },
    { "/{+}",            NAME,     4 },
    { "/{#}",            NAME,     4 },
    { "/{/}",            NAME,     4 },
    { "/{;}",            NAME,     4 },
    { "/{?}",            NAME,     4 },
    { "/{&}",            NAME,     4 },
    { "/{a,}",           NAME,     5 },
    { "/{a-",            CLOSE,    2 },
    { "/{a--",           CLOSE,    2 },
    { "/{a,,b}",         NAME,     5 },
    { "/{?a,}",          NAME,     6 },
    { "/{a,+b}",         NAME,     5 },
    -- Braces.
    { "}",               STRAY,    1 },
    { "/}",              STRAY,    2 },
    { "/{a}}",           STRAY,    5 },
    { "/a}b{c}",         STRAY,    3 },
    { "/{{a}}",          NAME,     3 },
    { "/{a{b}}",         BEHIND,   4 },
    { "/{a,{b}}",        NAME,     5 },
    { "/{a}/{b/c}",      BEHIND,   8 },
    { "{",               CLOSE,    1 },
    { "/{",              CLOSE,    2 },
    { "/{?",             CLOSE,    2 },
    { "/{a",             CLOSE,    2 },
    { "/{a,",            CLOSE,    2 },
    { "/{a.",            CLOSE,    2 },
    { "/{a*",            CLOSE,    2 },
    { "/{a:",            CLOSE,    2 },
    { "/{a:3",           CLOSE,    2 },
    { "/{a}/{b",         CLOSE,    6 },
    { "https://h/{a",    CLOSE,    11 },
    -- Modifiers.
    { "/{a:0}",          LENGTH,   5 },
    { "/{a:01}",         LENGTH,   5 },
    { "/{a:00}",         LENGTH,   5 },
    { "/{a:10000}",      LENGTH,   5 },
    { "/{a:99999999999999999999}", LENGTH, 5 },
    { "/{a:}",           LENGTH,   5 },
    { "/{a:,b}",         LENGTH,   5 },
    { "/{a:a}",          LENGTH,   5 },
    { "/{a:-1}",         LENGTH,   5 },
    { "/{a:+1}",         LENGTH,   5 },
    { "/{a:*}",          LENGTH,   5 },
    { "/{a:: 3}",        LENGTH,   5 },
    { "/{a:3a}",         BEHIND,   6 },
    { "/{a:1.5}",        BEHIND,   6 },
    { "/{a:3:4}",        BEHIND,   6 },
    { "/{a:3*}",         BEHIND,   6 },
    { "/{a*:3}",         BEHIND,   5 },
    { "/{a**}",          BEHIND,   5 },
    { "/{a*b}",          BEHIND,   5 },
    -- Spaces.
    { "/{ }",            NAME,     3 },
    { "/{ a}",           NAME,     3 },
    { "/{+ a}",          NAME,     4 },
    { "/{a }",           BEHIND,   4 },
    { "/{a ,b}",         BEHIND,   4 },
    { "/{a, b}",         NAME,     5 },
    { "/{a b}",          BEHIND,   4 },
    { "/{a :3}",         BEHIND,   4 },
    { "/{a: 3}",         LENGTH,   5 },
    { "/{a:3 }",         BEHIND,   6 },
    { "/{a *}",          BEHIND,   4 },
    { "/{a* }",          BEHIND,   5 },
    { "/{a\tb}",         BEHIND,   4 },
    -- Names.
    { "/{%}",            NAME,     3 },
    { "/{%2}",           NAME,     3 },
    { "/{%zz}",          NAME,     3 },
    { "/{%2g}",          NAME,     3 },
    { "/{a%}",           BEHIND,   4 },
    { "/{a%4}",          BEHIND,   4 },
    { "/{a%g4}",         BEHIND,   4 },
    { "/{.}",            NAME,     4 },
    { "/{..a}",          NAME,     4 },
    { "/{a.}",           NAME,     5 },
    { "/{a..b}",         NAME,     5 },
    { "/{a.,b}",         NAME,     5 },
    { "/{a.:3}",         NAME,     5 },
    { "/{-}",            NAME,     3 },
    { "/{-a}",           NAME,     3 },
    { "/{?-a}",          NAME,     4 },
    { "/{a-}",           NAME,     5 },
    { "/{a-,b}",         NAME,     5 },
    { "/{a-:3}",         NAME,     5 },
    { "/{é}",            NAME,     3 },
    { "/{aé}",           BEHIND,   4 },
    { "/{a=b}",          BEHIND,   4 },
    { "/{a+b}",          BEHIND,   4 },
    { "/{a?}",           BEHIND,   4 },
    { "/{a/b}",          BEHIND,   4 },
    -- A second "?".
    { "/x?{?a}",         QUERY,    4 },
    { "/x?y{?a}",        QUERY,    5 },
    { "/x?y{&a}{?b}",    QUERY,    9 },
    { "/x?y/{a}{?b}",    QUERY,    9 },
    { "?{?a}",           QUERY,    2 },
    { "/x{?a}?y{?b}",    QUERY,    9 },
    { "https://h/?{?a}", QUERY,    12 },
    { "https://h?{?a}",  QUERY,    11 },
    -- Control characters, in literals and in expressions.
    { "/a\0b",           CONTROL,  3 },
    { "/a\1b",           CONTROL,  3 },
    { "/a\tb",           CONTROL,  3 },
    { "/a\nb",           CONTROL,  3 },
    { "/a\rb",           CONTROL,  3 },
    { "/a\27b",          CONTROL,  3 },
    { "/a\31b",          CONTROL,  3 },
    { "/a\127b",         CONTROL,  3 },
    { "/a?b=\0",         CONTROL,  6 },
    { "/a#\127",         CONTROL,  4 },
    { "/{a}\0",          CONTROL,  5 },
    { "/{\0}",           NAME,     3 },
    { "/{a\0}",          BEHIND,   4 },
    { "/{a\127}",        BEHIND,   4 },
  }
  for _, case in ipairs(cases) do
    it(("is refused at byte %d: %s"):format(case[3], support.shown(case[1])), function()
      support.raises({ "template", case[2], "at byte " .. case[3] }, expand, case[1], { a = 1, b = 2, c = 3 })
      local message = support.message_of(expand, case[1])
      assert.equal("at byte " .. case[3], message:match "at byte %d+")
    end)
  end

  it("is refused with any control character", function()
    for byte = 0, 31 do
      support.raises({ CONTROL, "at byte 3" }, api, { url = "/a" .. string.char(byte) .. "b" })
    end
    support.raises({ CONTROL, "at byte 3" }, api, { url = "/a" .. string.char(127) .. "b" })
  end)

  it("is refused with the byte counted in the URL, not in the route", function()
    support.raises({ "at byte 3" }, api, "  DELETE   /a{  ")
    support.raises({ "at byte 3" }, api, { url = "/a{", baseUrl = "https://api.example.com" })
    support.raises({ "at byte 3" }, endpoint.parse, { url = "/a{", baseUrl = "" })
  end)

  it("is quoted escaped, cut and without userinfo", function()
    support.raises({ "\\x0A", "at byte 3" }, expand, "/a\nb")
    local message = support.message_of(expand, "https://user:secret@h/{")
    assert.is_nil(message:find("secret", 1, true))
    assert.truthy(message:find("***@", 1, true))
    message = support.message_of(expand, "https://user:secret{@h/")
    assert.truthy(message:find('"https://***@h/"', 1, true), message)
    message = support.message_of(expand, "/x?key=secret{")
    assert.truthy(message:find('"/x?..."', 1, true), message)
    assert.truthy(support.message_of(expand, "/{?"):find('"/{?"', 1, true))
    message = support.message_of(expand, "/" .. ("x"):rep(200) .. "{")
    assert.is_nil(message:find(("x"):rep(41), 1, true))
  end)

  it("is refused even if its variables are missing, and the next call works", function()
    support.raises("at byte 5", expand, "/{a:0}")
    assert.equal("/1", expand("/{a:1}", { a = 12 }))
    support.raises("at byte 5", expand, "/{a:0}", { a = 12 })
  end)
end)

describe("a template", function()
  local v = { a = "1", b = "2", c = "3" }
  local cases = {
    -- Names.
    { "/{enterprise-team}",    { ["enterprise-team"] = "x" },   "/x" },
    { "/{a-b-c}",              { ["a-b-c"] = "x" },             "/x" },
    { "/{a--b}",               { ["a--b"] = "x" },              "/x" },
    { "/{1-2}",                { ["1-2"] = "x" },               "/x" },
    { "/x{?per-page}",         { ["per-page"] = 9 },            "/x?per-page=9" },
    { "/{a-b:2}",              { ["a-b"] = "xyz" },             "/xy" },
    { "/{a-b*}",               { ["a-b"] = { 1, 2 } },          "/1,2" },
    { "/{a%20b}",              { ["a%20b"] = "x" },             "/x" },
    { "/x{?a%20b}",            { ["a%20b"] = "y" },             "/x?a%20b=y" },
    { "/x{?%c3%A9}",           { ["%c3%A9"] = "y" },            "/x?%c3%A9=y" },
    { "/{%41}",                { ["%41"] = "x" },               "/x" },
    { "/{a.b}",                { ["a.b"] = "x" },               "/x" },
    { "/{a.b.c}",              { ["a.b.c"] = "x" },             "/x" },
    { "/x{.a.b}",              { ["a.b"] = "y" },               "/x.y" },
    { "/x{?a.b,c}",            { ["a.b"] = 1, c = 2 },          "/x?a.b=1&c=2" },
    { "/{1}",                  { ["1"] = "x" },                 "/x" },
    { "/{1a}",                 { ["1a"] = "x" },                "/x" },
    { "/{_}",                  { _ = "x" },                     "/x" },
    { "/{__a__}",              { __a__ = "x" },                 "/x" },
    { "/{A}/{a}",              { A = "x", a = "y" },            "/x/y" },
    { "/{undef}{a}",           { a = "y" },                     "/y" },
    -- Modifiers.
    { "/{a:1}",                { a = "xyz" },                   "/x" },
    { "/{a:9999}",             { a = ("x"):rep(10001) },        "/" .. ("x"):rep(9999) },
    { "/{a:3,b:2,c}",          { a = "abcd", b = "xyz", c = 1 }, "/abc,xy,1" },
    { "/x{?a:3,b*}",           { a = "abcd", b = { 1, 2 } },    "/x?a=abc&b=1&b=2" },
    { "/{a*}",                 { a = "x" },                     "/x" },
    { "/x{?a*}",               { a = "y" },                     "/x?a=y" },
    { "/x{/a:2}",              { a = "é-é" },                   "/x/%C3%A9-" },
    -- Repeated variables.
    { "/{a}/{a}",              { a = 1 },                               "/1/1" },
    { "/{a}/:a/{+a}{?a}{&a}{#a}", { a = 1 },                    "/1/1/1?a=1&a=1#1" },
    { "/{a,a,a}",              { a = 1 },                       "/1,1,1" },
    -- Each operator with several variables.
    { "/{a,b,c}",              v,                               "/1,2,3" },
    { "/{+a,b,c}",             v,                               "/1,2,3" },
    { "/{#a,b,c}",             v,                               "/#1,2,3" },
    { "/x{.a,b,c}",            v,                               "/x.1.2.3" },
    { "{/a,b,c}",              v,                               "/1/2/3" },
    { "/x{;a,b,c}",            v,                               "/x;a=1;b=2;c=3" },
    { "/x{?a,b,c}",            v,                               "/x?a=1&b=2&c=3" },
    { "/x?y{&a,b,c}",          v,                               "/x?y&a=1&b=2&c=3" },
    -- An undefined variable has no separator.
    { "/{a,undef,c}",          { a = 1, c = 3 },                "/1,3" },
    { "/{undef,c}",            { c = 3 },                       "/3" },
    { "/x{.undef,c}",          { c = 3 },                       "/x.3" },
    { "/x{/undef,c}",          { c = 3 },                       "/x/3" },
    { "/x{;undef,c}",          { c = 3 },                       "/x;c=3" },
    { "/x{?undef,c}",          { c = 3 },                       "/x?c=3" },
    { "/x?y{&undef,c}",        { c = 3 },                       "/x?y&c=3" },
    { "/x{#undef,c}",          { c = 3 },                       "/x#3" },
    { "/x{.u}{/u}{;u}{?u}{&u}{#u}", {},                         "/x" },
    -- An empty value has its separator.
    { "/{a,b,c}",              { a = 1, b = "", c = 3 },        "/1,,3" },
    { "/x{.a,b,c}",            { a = 1, b = "", c = 3 },        "/x.1..3" },
    { "/x{/a,b,c}",            { a = 1, b = "", c = 3 },        "/x/1//3" },
    { "/x{;a,b,c}",            { a = 1, b = "", c = 3 },        "/x;a=1;b;c=3" },
    { "/x{?a,b,c}",            { a = 1, b = "", c = 3 },        "/x?a=1&b=&c=3" },
    { "/x{#a,b,c}",            { a = 1, b = "", c = 3 },        "/x#1,,3" },
    -- Several expressions.
    { "/{a}{b}{c}",            v,                               "/123" },
    { "/x{?a}{?b}",            { a = 1, b = 2 },                "/x?a=1?b=2" },
    { "/x#?{?a}",              { a = 1 },                       "/x#??a=1" },
    { "/x?y#{?a}",             { a = 1 },                       "/x?y#?a=1" },
    { "/{a}-{b}.{c}",          v,                               "/1-2.3" },
    { "/x{/a}{.b}{?c}",        v,                               "/x/1.2?c=3" },
  }
  for _, case in ipairs(cases) do
    it(("is expanded: %s with %s"):format(case[1], support.shown(case[2])), function()
      assert.equal(case[3], expand(case[1], case[2]))
    end)
  end

  it("may hold hundreds of variables and be used again", function()
    local template, variables, expected = {}, {}, {}
    for i = 1, 300 do
      template[i], expected[i] = ("/{v%d}"):format(i), "/" .. i
      variables["v" .. i] = i
    end
    for _ = 1, 2 do
      assert.equal(table.concat(expected), expand(table.concat(template), variables))
    end
  end)

  it("may be long", function()
    local text = ("/x%2F"):rep(20000)
    assert.equal(text .. "/1", expand(text .. "/{a}", { a = 1 }))
  end)

  for _, name in ipairs { "method", "url", "baseUrl", "headers", "mediaType", "request" } do
    it("is refused with a variable named like the option " .. name, function()
      local quoted = ("%q"):format(name)
      support.raises({ quoted, "option", "byte 3" }, expand, "/{" .. name .. "}")
      support.raises({ quoted, "option", "byte 3" }, expand, "/:" .. name)
      support.raises({ quoted, "option", "byte 7" }, expand, "/x{?a," .. name .. "*}")
      support.raises({ quoted, "option", "byte 4" }, expand, "/{+" .. name .. ":3}")
      support.raises({ quoted, "option" }, endpoint.parse, { url = "https://h/{" .. name .. "}" })
    end)
  end

  it("is refused with the first variable named like an option in the error", function()
    support.raises({ '"url"', "byte 3" }, expand, "/{url}/{baseUrl}")
    support.raises({ '"request"', "byte 8" }, expand, "/{?a,b,request,method}/:headers/{request}")
  end)

  it("may have any number of variables, of which the last is blamed, too", function()
    local names, values, texts = {}, {}, {}
    for count = 1, 40 do
      names[count], texts[count] = "v" .. count, tostring(count)
      local template = "/{" .. table.concat(names, "}/{") .. "}"
      support.raises({ ('"v%d"'):format(count), "is missing" }, expand, template, values)
      values[names[count]] = count
      assert.equal("/" .. table.concat(texts, "/"), expand(template, values))
    end
  end)

  it("may have variables named data, URL, urls and u-url", function()
    assert.equal("/d", expand("/{data}", { data = "d" }))
    assert.equal("/d", expand("/:data", { data = "d" }))
    assert.equal("/x?data=d", expand("/x{?data}", { data = "d" }))
    assert.equal("/1/2/3", expand("/{URL}/{urls}/{u-url}", { URL = 1, urls = 2, ["u-url"] = 3 }))
  end)
end)

describe(":name", function()
  local v = { a = "A+B", id = 7, base = "main", head = "dev", name = "p/q", path = "/r" }
  local cases = {
    -- It is a variable.
    { "/:id",                                "/7" },
    { ":id",                                 "/7", "/" },
    { "/:id/x",                              "/7/x" },
    { "/:a",                                 "/A%2BB" },
    { "/x/:id?y=1",                          "/x/7?y=1" },
    { "/x/:id#y",                            "/x/7#y" },
    { "/x/:id{?a}",                          "/x/7?a=A%2BB" },
    { "/compare/:base...:head",              "/compare/main...dev" },
    { "/compare/:base..:head",               "/compare/main..dev" },
    { "/:base/:head",                        "/main/dev" },
    { "/:base-:head",                        "/main-dev" },
    { "/:base,:head",                        "/main,dev" },
    { "/:base;:head",                        "/main;dev" },
    { "/:base~:head",                        "/main~dev" },
    { "/:base%:head",                        "/main%25dev" },
    { "/(:id)",                              "/(7)" },
    { "/@:id",                               "/@7" },
    { "/::id",                               "/:7" },
    { "/:::id",                              "/::7" },
    { "/:id.json",                           "/7.json" },
    { "/:id-x",                              "/7-x" },
    { "/:id{name}",                          "/7p%2Fq" },
    { "/:id:cancel",                         "/7:cancel" },
    { "/:idé",                               "/7%C3%A9" },
    { "/x{;name}/:id",                       "/x;name=p%2Fq/7" },
    { "http://localhost:8080/:id",           "http://localhost:8080/7" },
    { "http://localhost:8080/x/:id",         "http://localhost:8080/x/7" },
    { "http://[::1]:8080/:id",               "http://[::1]:8080/7" },
    { "https://user:pass@host/:id",          "https://user:pass@host/7" },
    { "https://h{/name}/:id",                "https://h/p%2Fq/7" },
    { "https://h{/name}-:id",                "https://h/p%2Fq-7" },
    { "https://h{+path}-:id",                "https://h/r-7" },
    { "https://{head}{+path}-:id",           "https://dev/r-7" },
    -- It is text behind a letter, a digit, "_", "}" and a byte from 0x80 on.
    { "/x:id",                               "/x:id" },
    { "/Z:id",                               "/Z:id" },
    { "/9:id",                               "/9:id" },
    { "/_:id",                               "/_:id" },
    { "/{name}:id",                          "/p%2Fq:id" },
    { "/v1/{+name}:cancel",                  "/v1/p/q:cancel" },
    { "/é:id",                               "/%C3%A9:id" },
    { "/\128:id",                            "/%80:id" },
    { "/\255:id",                            "/%FF:id" },
    -- It is text without a name.
    { "/:",                                  "/:" },
    { "/:/x",                                "/:/x" },
    { "/:1",                                 "/:1" },
    { "/:8080/x",                            "/:8080/x" },
    { "/:-id",                               "/:-id" },
    { "/:.id",                               "/:.id" },
    { "/:%41",                               "/:%41" },
    { "/:é",                                 "/:%C3%A9" },
    { "/:{id}",                              "/:7" },
    { "/%3Aid",                              "/%3Aid" },
    { "/%3aid",                              "/%3aid" },
    -- It is text outside of the path.
    { "/x?y=:id",                            "/x?y=:id" },
    { "/x?:id",                              "/x?:id" },
    { "/x?y/:id",                            "/x?y/:id" },
    { "/x#:id",                              "/x#:id" },
    { "/x#y/:id",                            "/x#y/:id" },
    { "/x{?name}/:id",                       "/x?name=p%2Fq/:id" },
    { "/x{?name}{id}/:id",                   "/x?name=p%2Fq7/:id" },
    { "/x?y={id}/:id",                       "/x?y=7/:id" },
    { "/x{?undef}/:id",                      "/x/:id" },
    { "/x{&name}/:id",                       "/x&name=p%2Fq/:id" },
    { "/x{#name}/:id",                       "/x#p/q/:id" },
    { "https://user:pass@host/",             "https://user:pass@host/" },
    { "https://:id@host/",                   "https://:id@host/" },
    { "https://user-:id@host/",              "https://user-:id@host/" },
    { "https://h-:id/",                      "https://h-:id/" },
    { "https://{head}-:id/",                 "https://dev-:id/" },
    { "https://{+head}/-:id",                "https://dev/-7" },
    { "HTTPS://:id@host/x",                  "HTTPS://:id@host/x" },
    { "https://h?/:id",                      "https://h/?/:id" },
    { "https://h#/:id",                      "https://h/#/:id" },
    { "/{name:3}",                           "/p%2Fq" },
    { "/{name:3}/:id",                       "/p%2Fq/7" },
  }

  for _, case in ipairs(cases) do
    it(("in %s: the URL is %s"):format(support.shown(case[1]), case[2]), function()
      local at = endpoint.defaults { baseUrl = case[3] or "" }
      -- Under POST left-over parameters go into the body.
      assert.equal(case[2], at("POST " .. case[1], v).url)
    end)
  end

  it("that is text uses no parameter", function()
    assert.equal("/x:id?id=7", expand("/x:id", { id = 7 }))
    assert.equal("/x?y=:id&id=7", expand("/x?y=:id", { id = 7 }))
  end)

  it("has the longest name that fits", function()
    local options = { repo = "short", repos = "long", repo_id = 1, _ = "u", A1_b = "m" }
    assert.equal("/long/short/1/u/m-x", api("POST /:repos/:repo/:repo_id/:_/:A1_b-x", options).url)
    support.raises('parameter "repository"', api, "POST /:repository", options)
  end)

  it("is the same as {name}", function()
    for _, value in ipairs { "a b/c", "é", 5.5, true, { "x", "y" }, { k = "v" } } do
      assert.equal(expand("/{p}", { p = value }), expand("/:p", { p = value }))
    end
    assert.equal(support.message_of(expand, "/{p}"), support.message_of(expand, "/:p"))
  end)

  it("is text in baseUrl", function()
    assert.equal("https://h:80/:id/7", expand("/:id", { id = 7, baseUrl = "https://h:80/:id" }))
  end)
end)

describe("a literal", function()
  local cases = {
    { "letters, digits and -._~",      "/azAZ09-._~",          "/azAZ09-._~" },
    { "gen-delims",                    "/:/?#[]@",             "/:/?#[]@" },
    { "sub-delims",                    "/!$&'()*+,;=",         "/!$&'()*+,;=" },
    { "triplets",                      "/%2F%20%00%FF",        "/%2F%20%00%FF" },
    { "triplets in lower case",        "/%2f%c3%a9%aF",        "/%2f%c3%a9%aF" },
    { "a triplet behind a %",          "/%%41",                "/%25%41" },
    { "a lone %",                      "/100%",                "/100%25" },
    { "a % and a digit",               "/%4",                  "/%254" },
    { "a % and no digits",             "/%zz%4g%g4",           "/%25zz%254g%25g4" },
    { "a % before an expression",      "/%{a}",                "/%2541", { a = "41" } },
    { "a %4 before an expression",     "/%4{a}",               "/%2541", { a = "1" } },
    { "UTF-8",                         "/café",                "/caf%C3%A9" },
    { "longer UTF-8",                  "/日本/😀",              "/%E6%97%A5%E6%9C%AC/%F0%9F%98%80" },
    { "bytes that are no UTF-8",       "/\128\255\192",        "/%80%FF%C0" },
    { "a double quote",                '/"x"',                 "/%22x%22" },
    { "angle brackets",                "/<x>",                 "/%3Cx%3E" },
    { "a backslash",                   "/x\\y",                "/x%5Cy" },
    { "a caret, a grave, a bar",       "/^`|",                 "/%5E%60%7C" },
    { "a space",                       "/a b",                 "/a%20b" },
    { "a space in the query",          "/a?b c",               "/a?b%20c" },
    { "a space in the fragment",       "/a#b c",               "/a#b%20c" },
    { "text around expressions",       "/é{a}é",               "/%C3%A91%C3%A9", { a = 1 } },
    { "a long run to encode",          "/" .. ("é"):rep(500),  "/" .. ("%C3%A9"):rep(500) },
    { "a long run of triplets",        "/x" .. ("%2F"):rep(99), "/x" .. ("%2F"):rep(99) },
  }
  for _, case in ipairs(cases) do
    it("is kept or encoded: " .. case[1], function()
      assert.equal(case[3], expand(case[2], case[4]))
      assert.equal("https://h" .. case[3], expand("https://h" .. case[2], case[4]))
    end)
  end

  for _, case in ipairs(cases) do
    if not case[2]:find "[?#{]" then
      it("is kept or encoded in baseUrl: " .. case[1], function()
        assert.equal("https://h" .. case[3] .. "/x", expand("/x", { baseUrl = "https://h" .. case[2] }))
        assert.equal(case[3] .. "/x", expand("/x", { baseUrl = case[2] }))
      end)
    end
  end

  it("is kept or encoded byte by byte", function()
    local kept = "[%w%-._~:/?#%[%]@!$&'()*+,;=]"
    for byte = 33, 255 do
      local char = string.char(byte)
      if char ~= "{" and char ~= "}" and byte ~= 127 then
        local expected = byte < 128 and char:find(kept) and char or ("%%%02X"):format(byte)
        assert.equal("/x" .. expected .. "y", expand("/x" .. char .. "y"))
      end
    end
  end)
end)
