-- The links of a response (RFC 8288).
package.path = "src/?.lua;" .. package.path
local clients = require "endpoint.clients"
local support = require "support"

local NEXT = { next = "https://h/?page=2" }

-- What each header holds.
local ROWS = {
  { "the usual",                '<https://h/?page=2>; rel="next"',                       NEXT },
  { "a bare relation",          "<https://h/?page=2>; rel=next",                         NEXT },
  { "no white space",           "<https://h/?page=2>;rel=next",                          NEXT },
  { "much white space",         " \t<https://h/?page=2> \t; \t rel\t= \t\"next\" \t ",   NEXT },
  { "another case",             '<https://h/?page=2>; REL="NeXt"',                       NEXT },
  { "parameters around",        '<https://h/?page=2>; a; b=c; d="e"; rel=next; f',       NEXT },
  { "empty parameters",         "<https://h/?page=2>;; ; rel=next;",                     NEXT },
  { "a bare media type",        "<https://h/?page=2>; type=text/html; rel=next",         NEXT },
  { "an extended title",        "<https://h/?page=2>; title*=UTF-8''%e2%82%ac; rel=next", NEXT },
  { "an empty title",           '<https://h/?page=2>; title=""; rel=next; x=',           NEXT },
  { "two links", '<https://h/1>; rel="prev", <https://h/3>; rel="next"', { prev = "https://h/1", next = "https://h/3" } },
  { "no space between",         "<a>;rel=prev,<b>;rel=next",                             { prev = "a", next = "b" } },
  { "empty elements",           ", ,<a>;rel=prev,, ,<b>;rel=next,",                      { prev = "a", next = "b" } },
  { "several relations",        '<a>; rel="next  last\tup"',
    { next = "a", last = "a", up = "a" } },
  { "a relation that is a URI", '<a>; rel="https://h/Rel next"',
    { ["https://h/rel"] = "a", next = "a" } },
  { "commas and semicolons in a URL", "<https://h/a,b;c=1?d=,;e>; rel=next, <f>; rel=prev",
    { next = "https://h/a,b;c=1?d=,;e", prev = "f" } },
  { "commas and semicolons in quotes", '<a>; title="x, <b>; rel=next; y"; rel=prev, <c>; rel=up', { prev = "a", up = "c" } },
  { "quoted pairs",             [[<a>; title="\"\\, <b>; rel=up"; rel="ne\xt"]],         { next = "a" } },
  { "a relative URL",           "<?page=2>; rel=next, <>; rel=self",                     { next = "?page=2", self = "" } },
  { "bytes of UTF-8",           "<https://h/é>; rel=next",                               { next = "https://h/é" } },
  { "a relation twice",         "<a>; rel=next, <b>; rel=next",                          { next = "a" } },
  { "rel twice in a link",      "<a>; rel=next; rel=prev",                               { next = "a" } },
  { "no rel",                   "<a>; title=next, <b>",                                  {} },
  { "an empty rel",             '<a>; rel="", <b>; rel, <c>; rel=" "',                   {} },
  { "rev",                      "<a>; rev=next, <b>; rev=up; rel=prev",                  { prev = "b" } },
  { "an anchor",
    '<a>; rel=next; anchor="/other", <b>; anchor=""; rel=next, <c>; rel=next; anchor, <d>; rel=up',
    { up = "d" } },
  { "nothing",                  "",                                                      {} },
  { "white space alone",        " \t ",                                                  {} },
  -- Malformed parts, and what stands behind them.
  { "no target",                "rel=next, <b>; rel=prev",                               { prev = "b" } },
  { "an open target",           "<a; rel=next",                                          {} },
  { "an open target before a link", '<a; rel="x, y", <b>; rel=prev',                     { prev = "b" } },
  { "text behind the target",   "<a> b; rel=next, <c>; rel=prev",                        { prev = "c" } },
  { "text behind a target with a comma", "<a,<b>; rel=next> x, <c>; rel=prev",           { prev = "c" } },
  { "a comma in a target of a malformed link", "<a,<> x; rel=next, <c>; rel=prev",       { prev = "c" } },
  { "text behind a quote",      '<a>; rel="next"x, <c>; rel=prev',                       { prev = "c" } },
  { "two bare words",           "<a>; rel=next up, <c>; rel=prev",                       { prev = "c" } },
  { "a quote inside a bare word", '<a>; rel=ne"x,<b>;rel=up,"t, <c>; rel=prev',          { prev = "c" } },
  { "a value without a name",   "<a>; =x; rel=next, <c>; rel=prev",                      { prev = "c" } },
  { "a quote that does not end", '<a>; rel="next, <c>; rel=prev',                        {} },
  { "a quote that ends in a backslash", [[<a>; rel="next\]],                             {} },
  { "a space in a target",      "<a b>; rel=next, <c>; rel=prev",                        { prev = "c" } },
  { "a quote in a target",      '<http://h/"x>; rel=a, <c>; rel=prev',                   { prev = "c" } },
  { "a backslash in a target",  "<a\\>; rel=next, <c>; rel=prev",                        { prev = "c" } },
  { "no comma",                 "<a>; rel=next<b>; rel=up, <c>; rel=prev",               { prev = "c" } },
  { "a template",               "<https://h/{x}>; rel=next, <c>; rel=prev",              { prev = "c" } },
  { "a control character",      "<https://h/\1>; rel=next, <\127>; rel=up, <c>; rel=prev", { prev = "c" } },
  { "two targets",              "<a><b>; rel=next, <c>; rel=prev",                       { prev = "c" } },
}

describe("clients.links", function()
  for _, row in ipairs(ROWS) do
    it("reads " .. row[1], function() assert.same(row[3], clients.links(row[2])) end)
  end

  it("reads several headers, the first of a relation", function()
    assert.same({ next = "a", prev = "b", up = "d" },
      clients.links { "<a>; rel=next", "<b>; rel=prev, <c>; rel=next", "<broken", "<d>; rel=up" })
    assert.same({}, clients.links {})
    assert.same({}, clients.links(nil))
  end)

  it("reads long values", function()
    local url = "https://h/" .. ("a"):rep(100000)
    assert.equal(url, clients.links("<" .. url .. ">; title=\"" .. ("\\\""):rep(50000) .. "\"; rel=next").next)
  end)

  it("refuses other types, and quotes nothing", function()
    for _, value in ipairs { 5, true, print, { 5 }, { "<a>; rel=next", {} } } do
      support.client_raises({ "link", "string or a list of strings, got a" }, clients.links, value)
    end
  end)
end)
