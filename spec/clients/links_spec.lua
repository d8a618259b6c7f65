-- clients.links: the links of a response (RFC 8288).
local clients = require "endpoint.clients"
local support = require "support"

-- One link to "/2" in every spelling.
local SPELLINGS = {
  '</2>; rel="next"',
  "</2>; rel=next",
  "</2>;rel=next",
  ' \t</2> \t; \t rel\t= \t"next" \t ',
  '</2>; REL="NeXt"',
  '</2>; a; b=c; d="e"; rel=next; f',
  "</2>;; ; rel=next;",
  "</2>; type=text/html; rel=next",
  "</2>; title*=UTF-8''%e2%82%ac; rel=next",
  '</2>; title=""; rel=next; x=',
  -- what no server should send, and some do
  "</2>; rel='next'",
  '</2> rel="next"',
  '</2>; title="a" rel=next',
  "< /2 >; rel=next",
  "<\t/2>; rel=next",
  "<\\2>; rel=next",
}

-- Link headers and their links by relation.
local ROWS = {
  {
    what = "reads several links",
    header = '<https://h/1>; rel="prev", <https://h/3>; rel="next"',
    links = { prev = "https://h/1", next = "https://h/3" },
  },
  {
    what = "skips empty elements of the list",
    header = ", ,<a>;rel=prev,, ,<b>;rel=next,",
    links = { prev = "a", next = "b" },
  },
  {
    what = "reads several relations of one link",
    header = '<a>; rel="next  last\tup"',
    links = { next = "a", last = "a", up = "a" },
  },
  {
    what = "compares relations without regard to case",
    header = '<a>; rel="https://h/Rel next"',
    links = { ["https://h/rel"] = "a", next = "a" },
  },
  {
    what = "takes commas and semicolons in a target",
    header = "<https://h/a,b;c=1?d=,;e>; rel=next, <f>; rel=prev",
    links = { next = "https://h/a,b;c=1?d=,;e", prev = "f" },
  },
  {
    what = "takes commas in a quoted parameter",
    header = '<a>; title="x, <b>; rel=next; y"; rel=prev, <c>; rel=up',
    links = { prev = "a", up = "c" },
  },
  {
    what = "takes escaped quotes in a quoted parameter",
    header = [[<a>; title="\"\\, <b>; rel=up"; rel="ne\xt"]],
    links = { next = "a" },
  },
  {
    what = "takes an escaped backslash at the end of a quoted parameter",
    header = [[<a>; title="\\"; rel="\next"]],
    links = { next = "a" },
  },
  { what = "skips a link with text after its parameters", header = "<a>; rel=next x", links = {} },
  {
    what = "reads relative and empty targets",
    header = "<?page=2>; rel=next, <>; rel=self",
    links = { next = "?page=2", self = "" },
  },
  {
    what = "encodes braces and letters that are not ASCII in a target",
    header = "<https://h/é{x}?{api_key}>; rel=next",
    links = { next = "https://h/%C3%A9%7Bx%7D?%7Bapi_key%7D" },
  },
  {
    what = "encodes what no URL has",
    header = [[<https://h/a b"c\d<e?q="f\g<h i>; rel=next, <]] .. "\1\127>; rel=up",
    links = { next = "https://h/a%20b%22c/d%3Ce?q=%22f%5Cg%3Ch%20i", up = "%7F" },
  },
  {
    what = "takes a backslash for a slash, as browsers do, so that the host is seen",
    header = [[<\\evil.example\x>; rel=next]],
    links = { next = "//evil.example/x" },
  },
  {
    what = "takes an apostrophe within a value without quotes",
    header = "<a>; title=it's; rel=next, <b>; rel='prev",
    links = { next = "a", ["'prev"] = "b" },
  },
  {
    what = "encodes a colon that would begin a variable",
    header = "</:org/a:b?:c>; rel=next",
    links = { next = "/%3Aorg/a:b?:c" },
  },
  {
    what = "reads a URL in a query",
    header = "</go?to=https://h/x>; rel=next",
    links = { next = "/go?to=https://h/x" },
  },
  {
    what = "skips a link whose scheme has no // after it",
    header = "<mailto:x@evil>; rel=next, <urn:a:b>;rel=up, <JavaScript:alert(1)>;rel=last, "
      .. "<http:/h/x>;rel=prev, <b>;rel=next",
    links = { next = "b" },
  },
  {
    what = "takes the first link of a relation",
    header = "<a>; rel=next, <b>; rel=next",
    links = { next = "a" },
  },
  {
    what = "takes the first rel of a link",
    header = "<a>; rel=next; rel=prev",
    links = { next = "a" },
  },
  {
    what = "skips a link without a relation",
    header = '<a>; title=next, <b>, <a>; rel="", <b>; rel, <c>; rel=" "',
    links = {},
  },
  {
    what = "does not take rev for rel",
    header = "<a>; rev=next, <b>; rev=up; rel=prev",
    links = { prev = "b" },
  },
  {
    what = "skips a link with an anchor, which describes another resource",
    header = '<a>; rel=next; anchor="/other", <b>; anchor=""; rel=next, <c>; rel=next; anchor, '
      .. "<d>; rel=up",
    links = { up = "d" },
  },
  { what = "reads nothing in white space", header = " \t ", links = {} },
  { what = "skips a target that is not closed", header = "<a; rel=next", links = {} },
  {
    what = "skips a quoted parameter that is not closed",
    header = '<a>; rel="next, <c>; rel=prev',
    links = {},
  },
  {
    what = "skips a quoted parameter that ends in a backslash",
    header = [[<a>; rel="next\]],
    links = {},
  },
}

-- Malformed links are skipped; those after them are read.
local MALFORMED = {
  "rel=next",
  '<a; rel="x, y"',
  "<a> b; rel=next",
  "<a,<b>; rel=next> x",
  "<a,<> x; rel=next",
  '<a>; rel="next"x',
  "<a>; rel=next up",
  '<a>; rel=ne"x,<b>;rel=up,"t',
  "<a>; =x; rel=next",
  "<a>; rel=next<b>; rel=up",
  "<a><b>; rel=next",
}

describe("clients.links", function()
  for _, row in ipairs(ROWS) do
    it(("%s: %s"):format(row.what, row.header), function()
      assert.same(row.links, clients.links(row.header))
    end)
  end

  for _, header in ipairs(SPELLINGS) do
    it("reads one link in every spelling: " .. header, function()
      assert.same({ next = "/2" }, clients.links(header), header)
    end)
  end

  for _, header in ipairs(MALFORMED) do
    it("skips what is malformed: " .. support.shown(header), function()
      assert.same({ prev = "c" }, clients.links(header .. ", <c>; rel=prev"), header)
    end)
  end

  it("reads several headers, and takes the first link of each relation", function()
    assert.same(
      { next = "a", prev = "b", up = "d" },
      clients.links { "<a>; rel=next", "<b>; rel=prev, <c>; rel=next", "<broken", "<d>; rel=up" }
    )
  end)

  for title, value in pairs { ["an empty string"] = "", ["an empty list"] = {}, ["nil"] = false } do
    it("returns an empty table for " .. title, function()
      assert.same({}, clients.links(value or nil))
    end)
  end

  for title, value in pairs {
    ["a number"] = 5,
    ["a boolean"] = true,
    ["a function"] = print,
    ["a list of a number"] = { 5 },
    ["a list of a string and a table"] = { "<a>; rel=next", {} },
  } do
    it("refuses a value that is not a string or a list of strings: " .. title, function()
      support.client_raises({ "link", "string or a list of strings, got a" }, clients.links, value)
    end)
  end

  for _, base in ipairs {
    "",
    "/x",
    "//h/x",
    "https:",
    "https:///x",
    "https:/h",
    "1x://h",
    "https//h",
  } do
    it("refuses a base that is not a whole URL: " .. support.shown(base), function()
      support.client_raises(
        { "base: expected the whole URL of the request" },
        clients.links,
        nil,
        base
      )
    end)
  end

  for _, base in ipairs { 5, true, {} } do
    it("refuses a base that is not a string: " .. support.shown(base), function()
      support.client_raises({ "base: expected a string, got a" }, clients.links, nil, base)
    end)
  end

  for target, url in pairs {
    ["https://h/x?{api_key}"] = "/x?%7Bapi_key%7D",
    ["/:org"] = "/%3Aorg",
    ["/x{+org}"] = "/x%7B+org%7D",
  } do
    it("does not fill a target from the defaults: " .. target, function()
      local api = support.bare.defaults { api_key = "s3cret", org = "mine" }
      assert.equal(
        "https://h" .. url,
        api("PUT " .. clients.links("<" .. target .. ">; rel=next").next).url
      )
    end)
  end

  it("gives a target that endpoint refuses", function()
    assert.equal("https://h|", clients.links("<https://h|>; rel=next").next)
  end)
end)

describe("clients.links with a base", function()
  local function resolved(target, base)
    return clients.links("<" .. target .. ">; rel=next", base).next
  end

  -- RFC 3986, section 5.4: what references mean below http://a/b/c/d;p?q.
  local EXAMPLES = [[
    g http://a/b/c/g  ./g http://a/b/c/g  g/ http://a/b/c/g/  /g http://a/g  //g http://g
    ?y http://a/b/c/d;p?y  g?y http://a/b/c/g?y  #s http://a/b/c/d;p?q#s  g#s http://a/b/c/g#s
    g?y#s http://a/b/c/g?y#s  ;x http://a/b/c/;x  g;x http://a/b/c/g;x  g;x?y#s http://a/b/c/g;x?y#s
    . http://a/b/c/  ./ http://a/b/c/  .. http://a/b/  ../ http://a/b/  ../g http://a/b/g
    ../.. http://a/  ../../ http://a/  ../../g http://a/g  ../../../g http://a/g
    ../../../../g http://a/g  /./g http://a/g
    /../g http://a/g  g. http://a/b/c/g.  .g http://a/b/c/.g  g.. http://a/b/c/g..
    ..g http://a/b/c/..g
    ./../g http://a/b/g  ./g/. http://a/b/c/g/  g/./h http://a/b/c/g/h  g/../h http://a/b/c/h
    g;x=1/./y http://a/b/c/g;x=1/y  g;x=1/../y http://a/b/c/y  g?y/./x http://a/b/c/g?y/./x
    g?y/../x http://a/b/c/g?y/../x  g#s/./x http://a/b/c/g#s/./x  g#s/../x http://a/b/c/g#s/../x
  ]]

  -- A link that has a scheme without // has no url.
  local RESOLVED = {
    { target = "g:h", base = "http://a/b/c/d;p?q" },
    { target = "http:g", base = "http://a/b/c/d;p?q" },
    { target = "mailto:x@evil", base = "http://a/b" },
    { target = "http:/.//evil/x", base = "http://a/b" },
    { target = "http:/h", base = "http://a/b" },
    { target = "http://", base = "http://a/b", url = "http://" },
    { target = "", base = "http://a/b/c/d;p?q#f", url = "http://a/b/c/d;p?q" },
    { target = "g", base = "https://h?q", url = "https://h/g" },
    { target = "g", base = "https://h/a/", url = "https://h/a/g" },
    { target = "?page=2", base = "https://h", url = "https://h?page=2" },
    { target = "?", base = "x://h/a?q", url = "x://h/a?" },
    { target = "/g", base = "A+1-.s://u:p@h:81/a", url = "A+1-.s://u:p@h:81/g" },
    { target = "//u:p@h/g", base = "https://a:b@h/a", url = "https://u:p@h/g" },
    { target = "//evil.example/./g", base = "https://h/a", url = "https://evil.example/g" },
    { target = "///g", base = "https://h/a", url = "https:///g" },
    { target = "//h|/g", base = "git+ssh://h/a", url = "git+ssh://h|/g" },
    { target = "g", base = "git+ssh://h/a/", url = "git+ssh://h/a/g" },
    { target = "git+ssh://h|/a", base = "https://h/a", url = "git+ssh://h|/a" },
    { target = "git+ssh:a", base = "https://h/a" },
    { target = "http://h/a/../b", base = "https://h/a", url = "http://h/b" },
    { target = "g", base = "https://h/a/b?c/d#/", url = "https://h/a/g" },
    { target = "g", base = "https://h/:a/b", url = "https://h/%3Aa/g" },
    { target = "?to=x://y", base = "https://h/a", url = "https://h/a?to=x://y" },
    { target = "#a?b", base = "https://h/a?c", url = "https://h/a?c#a?b" },
    { target = "../:id?{x}", base = "https://h/a/b", url = "https://h/%3Aid?%7Bx%7D" },
    { target = "https://{x}/g", base = "https://h/a", url = "https://%7Bx%7D/g" },
  }
  for target, url in EXAMPLES:gmatch "(%S+) (%S+)" do
    RESOLVED[#RESOLVED + 1] = { target = target, base = "http://a/b/c/d;p?q", url = url }
  end
  for _, row in ipairs(RESOLVED) do
    local title = row.url and "resolves the target %q against the base %s"
      or "skips the target %q, a scheme without //, with the base %s"

    it(title:format(row.target, row.base), function()
      assert.equal(row.url, resolved(row.target, row.base))
    end)
  end

  -- RFC 3986, section 5.2.4, by taking out one segment after the other.
  local function without_dots(path)
    local last, text = path:match "[^/]*$", path .. "/"
    while text:find("/./", 1, true) do
      text = text:gsub("/%./", "/", 1)
    end
    while text:find("/../", 1, true) do
      text = text:gsub("^(.-)/%.%./", function(before)
        return (before:gsub("/[^/]*$", "")) .. "/"
      end, 1)
    end
    return (last == "." or last == "..") and text or text:sub(1, -2)
  end

  it("removes the dot segments of any path as RFC 3986 does", function()
    local random = support.random(7)
    local parts = { "/", "/", ".", "..", "a", "...", ".b", "/./", "/../" }
    for _ = 1, 3000 do
      local path = ""
      for _ = 1, random(8) do
        path = path .. parts[random(#parts)]
      end
      local whole, relative = "x://h/" .. path, "./" .. path
      support.equal("x://h" .. without_dots("/" .. path), resolved(whole, "https://h/"), whole)
      support.equal(
        "https://h" .. without_dots("/b/" .. path),
        resolved(relative, "https://h/b/c"),
        relative
      )
    end
  end)

  it("gives 100 relation types at most, the first, whatever a server sends", function()
    local header = {}
    for i = 1, 101 do
      header[i] = ("<%d>; rel=r%d"):format(i, i)
    end
    local links, count = clients.links(header, "https://h/a"), 0
    for _ in pairs(links) do
      count = count + 1
    end
    assert.same({ 100, "https://h/1", "https://h/100" }, { count, links.r1, links.r100 })
  end)
end)
