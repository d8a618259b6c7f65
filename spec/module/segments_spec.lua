-- The segments of a path: those that must keep a byte that counts, and "." and "..".
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local shown, url_at, at_host = support.shown, support.url_at, support.at_host

-- What parts segments, what is a dot, what ends that part of a segment which counts, and what
-- ends it for dots alone. The "%" of a triplet may be written %25 any number of times, its
-- digits behind that as triplets (CVE-2021-42013).
local SEPARATORS = { "/", "\\", "%2F", "%2f", "%5C", "%5c", "%252F", "%25255c" }
local DOTS = { ".", "%2E", "%2e", "%252E", "%2525252e", "%25%32%65", "%25252%45" }
local SEMICOLONS = { ";", "%3B", "%3b", "%253B", "%25253b" }
local DELIMITERS = { "%3F", "%3f", "%23", "%253F", "%252523" }

-- All dot segments of one and of two dots, and those with something behind them.
local function dot_segments()
  local segments = {}
  for _, first in ipairs(DOTS) do
    for _, second in ipairs { "", support.unpack(DOTS) } do
      segments[#segments + 1] = first .. second
    end
  end
  for _, list in ipairs { SEMICOLONS, DELIMITERS } do
    for _, ending in ipairs(list) do
      segments[#segments + 1] = ".." .. ending
      segments[#segments + 1] = "%2e" .. ending .. "x"
    end
  end
  return segments
end

describe("a segment that must keep a byte that counts:", function()
  local MISSING, EMPTY, NOTHING = "is missing", "is empty", "leaves nothing that counts"
  local vanishing = {
    -- template           values                      the parameter that is named, and what it is
    { "/:x",              {},                         "x", MISSING },
    { "/{x}",             {},                         "x", MISSING },
    { "/{+x}",            {},                         "x", MISSING },
    { "/{x*}",            {},                         "x", MISSING },
    { "/{x}",             { x = null },               "x", MISSING },
    { "/:x",              { x = "" },                 "x", EMPTY },
    { "/{+x}",            { x = "" },                 "x", EMPTY },
    { "/{x:3}",           { x = "" },                 "x", EMPTY },
    { "/{x}",             { x = { "" } },             "x", EMPTY },
    { "/{x}",             { x = {} },                 "x" },
    { "/{+x*}",           { x = { null } },           "x" },
    { "/{x}",             { x = { a = null } },       "x" },
    { "/repos/:owner/:repo", { owner = "o" },         "repo", MISSING },
    { "/repos/:owner/:repo", { repo = "r" },          "owner", MISSING },
    { "/repos/:owner/:repo", {},                      "owner", MISSING },
    -- Separators do not count.
    { "/{x}",             { x = "/" },                "x", NOTHING },
    { "/a/{+x}",          { x = "/" },                "x", NOTHING },
    { "/a/{+x}/y",        { x = "//" },               "x", NOTHING },
    { "/a/{+x}",          { x = { "/" } },            "x", NOTHING },
    { "/a/{+x}{+y}",      { x = "/", y = "/" },       "x", NOTHING },
    { "/{+x}%2f",         { x = "\\" },               "x", NOTHING },
    -- Nor does what stands behind a semicolon or behind the path.
    { "/{x}",             { x = ";x=1" },             "x", NOTHING },
    { "/{+x}",            { x = ";x=1" },             "x", NOTHING },
    { "/{+x}",            { x = ";a;b" },             "x", NOTHING },
    { "/{+x}a",           { x = ";" },                "x", NOTHING },
    { "/;{x}",            { x = "a" },                "x", NOTHING },
    { "/%253B{x}",        { x = "a" },                "x", NOTHING },
    { "/a/{+x}",          { x = "/;a/;b" },           "x", NOTHING },
    { "/{+x}",            { x = "?a" },               "x", NOTHING },
    { "/{+x}",            { x = "#" },                "x", NOTHING },
    { "/{+x}.json",       { x = "?" },                "x", NOTHING },
    { "/a/{+x}/{y}",      { x = "/?", y = "a" },      "x", NOTHING },
    -- The first variable of a plain or "+" expression is named, whatever the others are.
    { "/{x}{y}",          {},                         "x", MISSING },
    { "/{x,y}",           {},                         "x", MISSING },
    { "/a/{x}{+y}",       { x = "", y = "/" },        "x", EMPTY },
    { "/{x}{y}",          { x = ";", y = "a" },       "x", NOTHING },
    { "/a{/z}/{.z}{x}",   {},                         "x", MISSING },
    { "/{;z}{x}",         { z = 1 },                  "x", MISSING },
    { "{x}",              {},                         "x", MISSING },
    { "{+x}",             {},                         "x", MISSING },
    { "{+x}",             { x = "" },                 "x", EMPTY },
    { "{+x}{+y}",         { x = "", y = "/" },        "x", EMPTY },
    { "{/z}{+x}",         { x = "/" },                "x", NOTHING },
    -- What ends a segment.
    { "/a/{x}/b",         {},                         "x", MISSING },
    { "/a/{x}//",         {},                         "x", MISSING },
    { "/a/{x}%2Fb",       {},                         "x", MISSING },
    { "/a/{x}%255cb",     {},                         "x", MISSING },
    { "/a/{x};b",         {},                         "x", MISSING },
    { "/a/:x?b",          {},                         "x", MISSING },
    { "/a/:x#b",          {},                         "x", MISSING },
    { "/a/{x}{/y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{;y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{?y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{#y}",       { y = 1 },                  "x", MISSING },
    { "/a/{x}{/y}b",      {},                         "x", MISSING },
    { "/a/{x}{?y}b",      {},                         "x", MISSING },
    -- What begins a segment.
    { "/a%2f{x}",         {},                         "x", MISSING },
    { "/a%252F{x}",       {},                         "x", MISSING },
    { "/a{/z}{x}",        {},                         "x", MISSING },
    { "/a{/z}{x}",        { z = "" },                 "x", MISSING },
    { "https://g/:x",     { x = "/" },                "x", NOTHING },
    { "https://g/{+x}",   { x = "?a" },               "x", NOTHING },
    { "https://g{/z}{x}", { z = "" },                 "x", MISSING },
    { "https://g{+x}",    {},                         "x", MISSING },
    { "https://g{+x}",    { x = "" },                 "x", EMPTY },
    { "https://g{/z}{+x}", { x = "/" },               "x", NOTHING },
  }
  for _, case in ipairs(vanishing) do
    it(("refuses %s with %s and names %s"):format(shown(case[1]), shown(case[2]), case[3]), function()
      local words = { ('parameter "%s" %s'):format(case[3], case[4] or ""), "vanish", "{/" .. case[3] .. "}" }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, url_at, "", case[1], case[2])
      support.raises(words, url_at, "/v1/", case[1], case[2])
    end)
  end

  it("refuses a missing parameter under every method", function()
    for _, method in ipairs { "GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS" } do
      support.raises({ 'parameter "repo"', MISSING }, endpoint, method .. " /repos/:owner/:repo", { owner = "o" })
    end
  end)

  it("refuses separators and semicolons however they are written", function()
    for _, separator in ipairs(SEPARATORS) do
      for _, semicolon in ipairs { "", support.unpack(SEMICOLONS) } do
        for _, template in ipairs { "/x/{p}", "/x/{+p}/y", "https://g/:p{?q}" } do
          local value = separator .. semicolon .. (semicolon == "" and "" or "x")
          support.raises({ 'parameter "p"', NOTHING }, at_host, template, { p = value })
          assert.truthy(at_host(template, { p = separator .. "a" .. semicolon }))
        end
      end
    end
  end)

  local kept = {
    -- Other text of the segment.
    { "/a{x}",            {},                         "/a" },
    { "/{x}a",            {},                         "/a" },
    { "/a;{x}",           {},                         "/a;" },
    { "/{x}{y}",          { x = 1 },                  "/1" },
    { "/{x,y}",           { y = 1 },                  "/1" },
    { "/{x,y}",           { x = "", y = "" },         "/," },
    { "/{x*}",            { x = { "", "" } },         "/," },
    { "/{x}.json",        {},                         "/.json" },
    { "/{x}{.y}",         { y = 1 },                  "/.1" },
    { "/:x...:y",         {},                         "/..." },
    { "/{x}",             { x = 0 },                  "/0" },
    { "/{x}",             { x = "a;" },               "/a%3B" },
    { "/{x}",             { x = "/a" },               "/%2Fa" },
    { "/{x}",             { x = "?" },                "/%3F" },
    { "/{+x}",            { x = "/a" },               "//a" },
    { "/{+x}",            { x = ";/a" },              "/;/a" },
    { "/{+x}{y}",         { x = "a/" },               "/a/" },
    { "/{+x}a",           { x = "/" },                "//a" },
    { "/a{+x}",           { x = "/" },                "/a/" },
    { "/a{+x}",           { x = "?q" },               "/a?q" },
    { "/a{/x}{y}",        { y = 1 },                  "/a1" },
    { "/a{/x}{y}",        { x = 1 },                  "/a/1" },
    { "https://g{/x}{y}", { x = 1 },                  "/1" },
    -- Optional segments.
    { "/a{/x}",           {},                         "/a" },
    { "/a{/x}",           { x = 1 },                  "/a/1" },
    { "/a{/x}",           { x = "" },                 "/a/" },
    { "/a{/x}",           { x = "/" },                "/a/%2F" },
    { "/a{/x*}",          { x = {} },                 "/a" },
    { "/a{/x}/b",         {},                         "/a/b" },
    -- Other operators ask for no text.
    { "/a/{.x}",          {},                         "/a/" },
    { "/a/{;x}",          { x = 1 },                  "/a/;x=1" },
    { "/a/{?x}",          {},                         "/a/" },
    { "/a/{&x}",          {},                         "/a/" },
    { "/a/{#x}",          {},                         "/a/" },
    -- Nor do expressions behind the template's path.
    { "/a?b={+x}&c",      { x = "" },                 "/a?b=&c" },
    { "/a?/{x}/",         {},                         "/a?//" },
    { "/a#/{+x}/",        {},                         "/a#//" },
    { "/a{?y}/{x}",       {},                         "/a/" },
    { "/a{&y}/{x}",       {},                         "/a/" },
    { "/a{#y}/{x}",       { y = 1 },                  "/a#1/" },
    -- Empty segments of the template's own stay.
    { "/a//{x}",          { x = 1 },                  "/a//1" },
  }
  for _, case in ipairs(kept) do
    it(("expands %s with %s to %s"):format(shown(case[1]), shown(case[2]), case[3]), function()
      local host = case[1]:match "^https://%w+" or "https://h"
      assert.equal(host .. case[3], at_host(case[1], case[2]))
      if host == "https://h" then assert.equal("/v1" .. case[3], url_at("/v1", case[1], case[2])) end
    end)
  end

  local openers = {
    -- base          template           values                      URL, nil if x is refused
    { "https://h",   "{+x}",            { x = "/" },                "https://h/" },
    { "https://h",   "{+x}",            { x = ";" },                "https://h/;" },
    { "https://h",   "{+x}",            { x = "?q" },               "https://h/?q" },
    { "https://h/v", "{+x}",            { x = "#f" },               "https://h/v#f" },
    { "https://h",   "{+x}{+y}",        { x = "/", y = "/" },       "https://h//" },
    { "https://h",   "{+x,y}",          { y = "/" },                "https://h/" },
    { "https://h",   "{+x}/a",          { x = "/" },                "https://h//a" },
    { "https://h",   "https://g{+x}",   { x = "/" },                "https://g/" },
    { "https://h",   "https://g{+x}",   { x = "?q" },               "https://g/?q" },
    { "https://h",   "https://g{+x}{y}", { x = "/" },               "https://g/" },
    { "https://h",   "https://{+y}{+x}", { x = "/", y = "g" },      "https://g/" },
    { "https://h",   "{x}",             { x = "/" } },
    { "https://h",   ":x",              { x = ";" } },
    { "/",           "{x}",             { x = "/" } },
    { "",            "{x}",             { x = "/" },                "%2F" },
    { "",            ":x",              { x = ";" },                "%3B" },
    { "",            "{x}/a",           { x = "\\" },               "%5C/a" },
    { "",            "{x}{y}",          { x = "/" },                "%2F" },
    { "",            "{x}{y}",          { y = "/" } },
    { "",            "/{x}",            { x = "/" } },
    { "",            "{+x}",            { x = "?q" },               "?q" },
  }
  for _, case in ipairs(openers) do
    it(("lets an expression that begins the path write any text: %s with %s behind %q"):format(
      case[2], shown(case[3]), case[1]), function()
      if case[4] then assert.equal(case[4], url_at(case[1], case[2], case[3]))
      else support.raises({ 'parameter "x"', "vanish" }, url_at, case[1], case[2], case[3]) end
    end)
  end
end)

describe("dot segments of the template's own:", function()
  local malformed = {
    -- template             byte of the segment
    { "..",                 1 },
    { "../{x}",             1 },
    { "/..",                2 },
    { "/a/../{x}",          4 },
    { "/{x}/../b",          6 },
    { "/a{x}/..",           7 },
    { "/a/..?b",            4 },
    { "/a/..#b",            4 },
    { "/a/..;b/{x}",        4 },
    { "/%2e%2E/{x}",        2 },
    { "/a/..%2F{x}",        4 },
    { "/a%5C..\\{x}",       6 },
    { "/..%3Fa/{x}",        2 },
    { "urn:a/../b",         7 },
    { "//h/../x",           5 },
    { "https://h/..",       11 },
    { "https://h/../{x}",   11 },
    { "https://{x}/a/.",    15 },
    { "https://{+x}/..",    14 },
    { "file:///..",         9 },
  }
  for _, case in ipairs(malformed) do
    it(("are malformed: %s at byte %d"):format(case[1], case[2]), function()
      local words = { "endpoint: template ", '"." or ".."', "at byte " .. case[2] }
      support.raises(words, at_host, case[1], { x = "x" })
      support.raises(words, at_host, case[1])
      support.raises(words, url_at, "", case[1], { x = "x" })
      support.raises(words, endpoint.variables, case[1])
    end)
  end

  it("are malformed however they are written", function()
    for _, separator in ipairs(SEPARATORS) do
      for _, dots in ipairs(dot_segments()) do
        local words = { "endpoint: template ", "at byte " .. 3 + #separator }
        support.raises(words, at_host, "/a" .. separator .. dots)
        support.raises(words, at_host, "/a" .. separator .. dots .. separator .. "{x}", { x = "x" })
      end
    end
  end)
end)

describe("dot segments beside an expression:", function()
  local refused = {
    -- template             values                          the parameter that is named
    { "/:x",                { x = ".." },                   "x" },
    { "{x}",                { x = ".." },                   "x" },
    { "/{x:2}",             { x = "..." },                  "x" },
    { "/{x:3}",             { x = "../ab" },                "x" },
    { "/{x}",               { x = { ".." } },               "x" },
    { "/a/{x}?b",           { x = ".." },                   "x" },
    { "/a/{x}#b",           { x = ".." },                   "x" },
    { "/a/{x}{/y}",         { x = "..", y = 1 },            "x" },
    { "/a/{x}{;y}",         { x = "..", y = 1 },            "x" },
    { "/a/{x}{#y}",         { x = ".." },                   "x" },
    { "/x%2F{x}",           { x = ".." },                   "x" },
    { "/x/{x}%5cb/c",       { x = "." },                    "x" },
    -- Expressions with "+".
    { "/{+x}",              { x = "/../a" },                "x" },
    { "/{+x}",              { x = "a/..?b" },               "x" },
    { "/{+x}",              { x = "a/..#b" },               "x" },
    { "/{+x:3}",            { x = "a/.bc" },                "x" },
    { "/{+x}b",             { x = "../" },                  "x" },
    { "/{+x*}",             { x = { "b", "a/.." } },        "x" },
    { "{+x}",               { x = ".." },                   "x" },
    { "https://g/{+x}",     { x = "../a" },                 "x" },
    { "https://g{+x}",      { x = "/.." },                  "x" },
    { "https://g{+x}..",    { x = "/" },                    "x" },
    -- Those with other operators.
    { "/{.x}",              { x = "" },                     "x" },
    { "/{.x*}",             { x = { "", "" } },             "x" },
    { "/a{/x*}",            { x = { "b", "..", "c" } },     "x" },
    { "/a{/x:2}",           { x = "..b" },                  "x" },
    { "/a{;x}",             { x = "a/../b" },               "x" },
    { "/a{&x}",             { x = "a/../b" },               "x" },
    -- Text of the template and of a value.
    { "/.{x}",              { x = "." },                    "x" },
    { "/{x}%2e",            { x = "." },                    "x" },
    { "/a/..{+x}",          { x = "/b" },                   "x" },
    { "/a/..{+x}",          { x = "%3Fb" },                 "x" },
    { "/a/..{x}",           { x = ";b" },                   "x" },
    { "/a/..;{x}",          { x = "b" },                    "x" },
    { "/a/..{/x}",          { x = "b" },                    "x" },
    { "/a/..{?x}",          { x = "b" },                    "x" },
    { "/a/..{#x}",          { x = "b" },                    "x" },
    { "/a{/x}../b",         { x = "" },                     "x" },
    { "/a{+x}../b",         { x = "/" },                    "x" },
    { "/{+x}2e",            { x = "%" },                    "x" },
    { "/%{x}",              { x = "2e" },                   "x" },
    -- Without text an expression leaves them.
    { "/..{x}",             {},                             "x" },
    { "/.{x}%2E",           { x = "" },                     "x" },
    { "/a/..{/x}/b",        {},                             "x" },
    { "/a/{/x}..",          {},                             "x" },
    { "/a/..{?x}/b",        {},                             "x" },
    { "/a/{#x}..",          {},                             "x" },
    { "/a/..;{x}/b",        {},                             "x" },
    -- Of several, one that wrote in the segment or beside it.
    { "/{x}-{+p}",          { x = "x", p = "/../.." },      "p" },
    { "/{x}{+p}{y}",        { p = "y/../z" },               "p" },
    { "/x/{x}.{p}",         { x = "", p = "." },            "p" },
    { "/x{/x}{p}",          { x = "", p = ".." },           "p" },
    { "/x/{?x}{p}",         { p = ".." },                   "p" },
    { "/x/..{+x,p}",        { p = "/b" },                   "p" },
    { "/.{x}{p}",           { x = "", p = "." },            "p" },
    { "/x/.{?x}.{p}",       { p = "" },                     "x" },
    { "/{y}/{p}",           { y = "y", p = ".." },          "p" },
    { "/{y}/..{p}/{x}",     { y = "y", x = "x" },           "p" },
    -- Behind a query expression without text the path goes on.
    { "/a{?y}/{x}",         { x = ".." },                   "x" },
  }
  for _, case in ipairs(refused) do
    it(("refuses %s with %s and names %s"):format(case[1], shown(case[2]), case[3]), function()
      local words = { ('parameter "%s"'):format(case[3]), 'a path segment "." or ".."' }
      support.raises(words, at_host, case[1], case[2])
      support.raises(words, url_at, "/v1", case[1], case[2])
    end)
  end

  it("are refused behind an expression that does not end the path", function()
    support.raises({ 'url "/a{&x}/.."', "expected a path without" }, at_host, "/a{&x}/..", { x = "1" })
    support.raises({ 'url "/a{&x}/../b{?..."', "expected a path without" }, at_host, "/a{&x}/../b{?y}", { x = "1" })
  end)

  it("are refused in values however they are written", function()
    local words = { 'parameter "p"', 'a path segment "." or ".."' }
    for _, separator in ipairs(SEPARATORS) do
      for _, dots in ipairs(dot_segments()) do
        for _, value in ipairs { "a" .. separator .. dots, "a" .. separator .. dots .. separator .. "b" } do
          for _, template in ipairs { "/{p}", "/{+p}", "/x{/p}", "https://h{+p}" } do
            local opens = template:find "^https" and "/" or ""
            support.raises(words, at_host, template, { p = opens .. value })
          end
        end
      end
    end
  end)

  it("are refused behind ? and # that a plain expression encodes", function()
    for _, value in ipairs { "..?x", "..#x", ".?", "a/..#/b" } do
      support.raises({ 'parameter "p"', '"." or ".."' }, at_host, "/{p}", { p = value })
    end
  end)

  it("raise with the segment, and nothing behind it", function()
    local cases = {
      { "/users/:id/keys",      { id = ".." },              "id",   '".."' },
      { "/{+path}",             { path = "%2e%2E/b" },      "path", '"%2e%2E"' },
      { "/some/{a}/{b}/c",      { a = "name", b = "..;x" }, "b",    '"..%3Bx"' },
      { "/x{/p*}/c",            { p = { "a", ".." } },      "p",    '".."' },
      { "/{+p}{?t}",            { p = "a/..", t = "s3cret" }, "p",  '".."' },
      { "/{+p}{#t}",            { p = "a/..", t = "s3cret" }, "p",  '".."' },
    }
    for _, case in ipairs(cases) do
      local message = support.message_of(at_host, case[1], case[2])
      assert.truthy(message:find(('parameter "%s"'):format(case[3]), 1, true), message)
      assert.equal(": " .. case[4], message:sub(-#case[4] - 2))
    end
  end)

  it("raise with what the parameter does", function()
    support.raises('parameter "x" makes', endpoint, "/a/{x}", { x = ".." })
    support.raises('parameter "x" makes', endpoint, "/a/..{+x}", { x = ";b" })
    support.raises('parameter "base" is missing, which leaves', endpoint, "/compare/{base}..{head}")
    support.raises('parameter "x" is empty, which leaves', endpoint, "/a/{x}..", { x = "" })
  end)

  it("raise in linear time, whatever stands there", function()
    local began = os.clock()
    support.raises('"c"', at_host, "/{a}" .. ("{;b}"):rep(40000) .. "/{c}", { a = "x", b = ("y"):rep(21), c = ".." })
    assert.is_true(os.clock() - began < 2)
  end)

  local accepted = {
    { "/{x}",             { x = "..." },              "/..." },
    { "/{x}",             { x = ".a" },               "/.a" },
    { "/{x}",             { x = "..,a" },             "/..%2Ca" },
    { "/{x}",             { x = "%2e%2e%2e" },        "/%252e%252e%252e" },
    { "/{x}",             { x = ".\0" },              "/.%00" },
    { "/{x}",             { x = "..&" },              "/..%26" },
    { "/{x,y}",           { x = ".", y = "." },       "/.,." },
    { "/a{x}",            { x = ".." },               "/a.." },
    { "/{.x}",            { x = "a" },                "/.a" },
    { "/{.x}",            { x = ".." },               "/..." },
    { "/{x}{y}{z}",       { x = ".", y = ".", z = "." }, "/..." },
    { "/a{/x*}",          { x = { [".."] = "b" } },   "/a/..=b" },
    { "/a{/x}",           { x = { [".."] = "" } },    "/a/..," },
    { "/{+x}",            { x = "a/.../b" },          "/a/.../b" },
    { "/{+x}",            { x = "a/.b/c." },          "/a/.b/c." },
    { "/{+x*}",           { x = { "a/..", "b" } },    "/a/..,b" },
    { "/.../{x}/.a/a.",   { x = "b" },                "/.../b/.a/a." },
    { "/..a;../{x}",      { x = "b" },                "/..a;../b" },
    -- Behind a semicolon and behind the path dots are text like any other.
    { "/a/b;{x}",         { x = ".." },               "/a/b;.." },
    { "/a{;x}",           { x = ".." },               "/a;x=.." },
    { "/{+x}",            { x = "a?b/../c" },         "/a?b/../c" },
    { "/{+x}",            { x = "a#/../c" },          "/a#/../c" },
    { "/a?b/../{x}/c",    { x = ".." },               "/a?b/../../c" },
    { "/a#/../{x}",       { x = ".." },               "/a#/../.." },
    { "/a{?x}",           { x = ".." },               "/a?x=.." },
    { "/a{#x}",           { x = "../.." },            "/a#../.." },
    { "/a{?y}/{x}",       { x = "..", y = 1 },        "/a?y=1/.." },
  }
  for _, case in ipairs(accepted) do
    it(("are not in %s with %s: %s"):format(case[1], shown(case[2]), case[3]), function()
      assert.equal("https://h" .. case[3], at_host(case[1], case[2]))
    end)
  end
end)
