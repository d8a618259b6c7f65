-- clients.links: the links of a response (RFC 8288).
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local support = require "support"

local NEXT = { next = "https://h/?page=2" }

-- Link headers and their links by relation.
local ROWS = {
  { "a quoted relation",                      '<https://h/?page=2>; rel="next"',                         NEXT },
  { "a bare relation",                        "<https://h/?page=2>; rel=next",                           NEXT },
  { "a link without white space",             "<https://h/?page=2>;rel=next",                            NEXT },
  { "white space around all parts",           " \t<https://h/?page=2> \t; \t rel\t= \t\"next\" \t ",     NEXT },
  { "upper case in a relation",               '<https://h/?page=2>; REL="NeXt"',                         NEXT },
  { "parameters before and after rel",        '<https://h/?page=2>; a; b=c; d="e"; rel=next; f',         NEXT },
  { "empty parameters",                       "<https://h/?page=2>;; ; rel=next;",                       NEXT },
  { "a bare media type",                      "<https://h/?page=2>; type=text/html; rel=next",           NEXT },
  { "an extended title",                      "<https://h/?page=2>; title*=UTF-8''%e2%82%ac; rel=next",  NEXT },
  { "an empty title",                         '<https://h/?page=2>; title=""; rel=next; x=',             NEXT },
  { "two links", '<https://h/1>; rel="prev", <https://h/3>; rel="next"', { prev = "https://h/1", next = "https://h/3" } },
  { "two links without white space between", "<a>;rel=prev,<b>;rel=next", { prev = "a", next = "b" } },
  { "empty elements", ", ,<a>;rel=prev,, ,<b>;rel=next,", { prev = "a", next = "b" } },
  { "several relations",        '<a>; rel="next  last\tup"',
    { next = "a", last = "a", up = "a" } },
  { "a relation that is a URI", '<a>; rel="https://h/Rel next"',
    { ["https://h/rel"] = "a", next = "a" } },
  { "commas and semicolons in a URL", "<https://h/a,b;c=1?d=,;e>; rel=next, <f>; rel=prev",
    { next = "https://h/a,b;c=1?d=,;e", prev = "f" } },
  { "commas and semicolons in quotes", '<a>; title="x, <b>; rel=next; y"; rel=prev, <c>; rel=up', { prev = "a", up = "c" } },
  { "quoted pairs",                           [[<a>; title="\"\\, <b>; rel=up"; rel="ne\xt"]],           { next = "a" } },
  { "a relative URL", "<?page=2>; rel=next, <>; rel=self", { next = "?page=2", self = "" } },
  { "bytes of UTF-8 as triplets", "<https://h/é>; rel=next", { next = "https://h/%C3%A9" } },
  { "braces as triplets", "<https://h/{x}?{api_key}>; rel=next", { next = "https://h/%7Bx%7D?%7Bapi_key%7D" } },
  { "a colon that would begin a name as a triplet", "</:org/a:b?:c>; rel=next", { next = "/%3Aorg/a:b?:c" } },
  { "no target with a scheme but without //",
    "<mailto:x@evil>; rel=next, <urn:a:b>;rel=up, <JavaScript:alert(1)>;rel=last, <http:/h/x>;rel=prev, <b>;rel=next",
    { next = "b" } },
  { "the first of a relation twice",          "<a>; rel=next, <b>; rel=next",                            { next = "a" } },
  { "the first rel of a link",                "<a>; rel=next; rel=prev",                                 { next = "a" } },
  { "no link without rel",                    "<a>; title=next, <b>",                                    {} },
  { "no link with an empty rel",              '<a>; rel="", <b>; rel, <c>; rel=" "',                     {} },
  { "no link of rev",                         "<a>; rev=next, <b>; rev=up; rel=prev",                    { prev = "b" } },
  { "no link with an anchor",
    '<a>; rel=next; anchor="/other", <b>; anchor=""; rel=next, <c>; rel=next; anchor, <d>; rel=up',
    { up = "d" } },
  { "no link in an empty text",               "",                                                        {} },
  { "no link in white space",                 " \t ",                                                    {} },
  -- Malformed links are skipped; those behind them are read.
  { "past a link without a target",           "rel=next, <b>; rel=prev",                                 { prev = "b" } },
  { "no link in an open target",              "<a; rel=next",                                            {} },
  { "past an open target",                    '<a; rel="x, y", <b>; rel=prev',                           { prev = "b" } },
  { "past text behind a target",              "<a> b; rel=next, <c>; rel=prev",                          { prev = "c" } },
  { "past text behind a target with a comma", "<a,<b>; rel=next> x, <c>; rel=prev",                      { prev = "c" } },
  { "past a malformed link with a comma in its target", "<a,<> x; rel=next, <c>; rel=prev",              { prev = "c" } },
  { "past text behind a quote",               '<a>; rel="next"x, <c>; rel=prev',                         { prev = "c" } },
  { "past two bare words",                    "<a>; rel=next up, <c>; rel=prev",                         { prev = "c" } },
  { "past a quote inside a bare word",        '<a>; rel=ne"x,<b>;rel=up,"t, <c>; rel=prev',              { prev = "c" } },
  { "past a value without a name",            "<a>; =x; rel=next, <c>; rel=prev",                        { prev = "c" } },
  { "no link behind an open quote",           '<a>; rel="next, <c>; rel=prev',                           {} },
  { "no link in an open quote that ends in a backslash", [[<a>; rel="next\]],                             {} },
  { "past a space in a target",               "<a b>; rel=next, <c>; rel=prev",                          { prev = "c" } },
  { "past a quote in a target",               '<http://h/"x>; rel=a, <c>; rel=prev',                     { prev = "c" } },
  { "past a backslash in a target",           "<a\\>; rel=next, <c>; rel=prev",                          { prev = "c" } },
  { "past two links without a comma",         "<a>; rel=next<b>; rel=up, <c>; rel=prev",                 { prev = "c" } },
  { "past control characters in a target",    "<https://h/\1>; rel=next, <\127>; rel=up, <c>; rel=prev", { prev = "c" } },
  { "past a link with two targets",           "<a><b>; rel=next, <c>; rel=prev",                         { prev = "c" } },
}

describe("clients.links", function()
  for _, row in ipairs(ROWS) do
    it("reads " .. row[1], function() assert.same(row[3], clients.links(row[2])) end)
  end

  it("reads several headers, of which the first link of a relation counts", function()
    assert.same({ next = "a", prev = "b", up = "d" },
      clients.links { "<a>; rel=next", "<b>; rel=prev, <c>; rel=next", "<broken", "<d>; rel=up" })
    assert.same({}, clients.links {})
    assert.same({}, clients.links(nil))
  end)

  it("reads long values", function()
    local url = "https://h/" .. ("a"):rep(100000)
    assert.equal(url, clients.links("<" .. url .. ">; title=\"" .. ("\\\""):rep(50000) .. "\"; rel=next").next)
  end)

  it("refuses values of other types, and quotes none", function()
    for _, value in ipairs { 5, true, print, { 5 }, { "<a>; rel=next", {} } } do
      support.client_raises({ "link", "string or a list of strings, got a" }, clients.links, value)
    end
  end)

  it("fills no target from the defaults", function()
    local api = support.bare.defaults { api_key = "s3cret", org = "mine" }
    local links = clients.links '<https://h/x?{api_key}>; rel=next, </:org>; rel=prev, </x{+org}>; rel=up'
    assert.equal("https://h/x?%7Bapi_key%7D", api("PUT " .. links.next).url)
    assert.equal("https://h/%3Aorg", api("PUT " .. links.prev).url)
    assert.equal("https://h/x%7B+org%7D", api("PUT " .. links.up).url)
  end)
end)

-- RFC 3986, section 5.4: what the references mean below its base.
local EXAMPLES = [[
  g http://a/b/c/g  ./g http://a/b/c/g  g/ http://a/b/c/g/  /g http://a/g  //g http://g
  ?y http://a/b/c/d;p?y  g?y http://a/b/c/g?y  #s http://a/b/c/d;p?q#s  g#s http://a/b/c/g#s
  g?y#s http://a/b/c/g?y#s  ;x http://a/b/c/;x  g;x http://a/b/c/g;x  g;x?y#s http://a/b/c/g;x?y#s
  . http://a/b/c/  ./ http://a/b/c/  .. http://a/b/  ../ http://a/b/  ../g http://a/b/g  ../.. http://a/
  ../../ http://a/  ../../g http://a/g
  ../../../g http://a/g  ../../../../g http://a/g  /./g http://a/g  /../g http://a/g  g. http://a/b/c/g.
  .g http://a/b/c/.g  g.. http://a/b/c/g..  ..g http://a/b/c/..g  ./../g http://a/b/g  ./g/. http://a/b/c/g/
  g/./h http://a/b/c/g/h  g/../h http://a/b/c/h  g;x=1/./y http://a/b/c/g;x=1/y  g;x=1/../y http://a/b/c/y
  g?y/./x http://a/b/c/g?y/./x  g?y/../x http://a/b/c/g?y/../x  g#s/./x http://a/b/c/g#s/./x
  g#s/../x http://a/b/c/g#s/../x
]]

describe("clients.links with a base", function()
  local function resolved(target, base)
    return clients.links("<" .. target .. ">; rel=next", base).next
  end

  it("leaves out a target with a scheme but without //, as two examples of RFC 3986", function()
    for _, target in ipairs { "g:h", "http:g", "mailto:x@evil", "http:/.//evil/x", "http:/h" } do
      assert.is_nil(resolved(target, "http://a/b/c/d;p?q"), target)
    end
  end)

  it("resolves the examples of RFC 3986", function()
    local count = 0
    for target, url in EXAMPLES:gmatch "(%S+) (%S+)" do
      count = count + 1
      assert.equal(url, resolved(target, "http://a/b/c/d;p?q"), target)
    end
    assert.equal(39, count)
    assert.equal("http://a/b/c/d;p?q", resolved("", "http://a/b/c/d;p?q#f"))
  end)

  for _, row in ipairs {
    { "a base without a path",               "g",                  "https://h?q",         "https://h/g" },
    { "a base that ends in a slash",         "g",                  "https://h/a/",        "https://h/a/g" },
    { "a query below a base without a path", "?page=2",            "https://h",           "https://h?page=2" },
    { "a query that takes the base's away",  "?",                  "https://h/a?q",       "https://h/a?" },
    { "userinfo and port of the base",       "/g",                 "HTTPS://u:p@h:81/a",  "HTTPS://u:p@h:81/g" },
    { "no userinfo of the base",             "//u:p@h/g",          "https://a:b@h/a",     "https://u:p@h/g" },
    { "another host",                        "//evil.example/./g", "https://h/a",         "https://evil.example/g" },
    { "the dots of a whole URL",             "http://h/a/../b",    "https://h/a",         "http://h/b" },
    { "a slash in a query of the base",      "g",                  "https://h/a/b?c/d#/", "https://h/a/g" },
    { "a colon of the base that would begin a name", "g",          "https://h/:a/b",      "https://h/%3Aa/g" },
    { "braces and a colon",                  "../:id?{x}",         "https://h/a/b",       "https://h/%3Aid?%7Bx%7D" },
  } do
    it("resolves " .. row[1], function() assert.equal(row[4], resolved(row[2], row[3])) end)
  end

  -- RFC 3986, section 5.2.4, step by step as it is written there.
  local function without_dots(input)
    local output = ""
    while input ~= "" do
      if input:find "^%.%.?/" then input = input:gsub("^%.%.?/", "", 1)
      elseif input:find "^/%./" or input == "/." then input = "/" .. input:sub(4)
      elseif input:find "^/%.%./" or input == "/.." then
        input, output = "/" .. input:sub(5), output:gsub("/?[^/]*$", "", 1)
      elseif input == "." or input == ".." then input = ""
      else
        local segment = input:match "^/?[^/]*"
        input, output = input:sub(#segment + 1), output .. segment
      end
    end
    return output
  end

  it("removes dot segments as RFC 3986 does", function()
    local random, parts = support.random(7), { "/", "/", ".", "..", "a", "...", ".b", "/./", "/../" }
    for _ = 1, 3000 do
      local path = ""
      for _ = 1, random(8) do path = path .. parts[random(#parts)] end
      support.equal("x://h" .. without_dots("/" .. path), resolved("x://h/" .. path, "https://h/"), path)
      support.equal("https://h" .. without_dots("/b/" .. path), resolved("./" .. path, "https://h/b/c"), path)
    end
  end)

  it("takes long paths", function()
    local up = ("../"):rep(30000)
    assert.equal("https://h/x", resolved(up .. "x", "https://h/" .. ("a/"):rep(30000)))
  end)

  it("refuses a base that is no URL with a host, and quotes none", function()
    for _, base in ipairs { "", "/x", "//h/x", "https:", "https:///x", "https:/h", "1x://h", "https//h" } do
      support.client_raises({ "base: expected the whole URL of the request" }, clients.links, nil, base)
    end
    for _, base in ipairs { 5, true, {} } do
      support.client_raises({ "base: expected a string, got a" }, clients.links, nil, base)
    end
  end)
end)
