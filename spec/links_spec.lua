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
  { "bytes of UTF-8", "<https://h/é>; rel=next", { next = "https://h/é" } },
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
  { "past a target with braces",              "<https://h/{x}>; rel=next, <c>; rel=prev",                { prev = "c" } },
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
end)
