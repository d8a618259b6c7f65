-- Known attacks on programs that build requests: each raises, or its result is
-- harmless. The source of a row is an RFC section, the CVE number of the same fault
-- in another program, a CWE number or a class of attack.
--
-- Out of scope: code that has the debug library (debug.setmetatable on nil, a string
-- or an endpoint, debug.setupvalue on a member) controls the whole process anyway.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local unpack, cyclic, nested = support.unpack, support.cyclic, support.nested
local BASE = support.BASE
local LETTERS = ("x"):rep(40)

-- A row: source, title, expected words or URL, arguments of the call ...
local function refused(title, call, rows)
  describe(title, function()
    for _, row in ipairs(rows) do
      it(("refuses %s (%s)"):format(row[2], row[1]), function()
        support.raises(row[3], call, unpack(row, 4))
        assert.equal(BASE .. "/a", endpoint("/{x}", { x = "a" }).url)
      end)
    end
  end)
end

local function harmless(title, call, rows)
  describe(title, function()
    for _, row in ipairs(rows) do
      it(("accepts %s without harm (%s)"):format(row[2], row[1]), function()
        assert.equal(row[3], call(unpack(row, 4)))
      end)
    end
  end)
end

local function url(route, options)
  return endpoint(route, options).url
end

-- --- CR, LF and NUL

local function of_media_type(field)
  return function(value)
    return endpoint("/x", { mediaType = { [field] = field == "previews" and { value } or value } })
  end
end

local function of_header(name, value)
  return endpoint("/x", { headers = { [name] = value } })
end

refused("the method:", endpoint, {
  { "CVE-2020-26116", "a method with LF and a header line", { "method", "\\x0A", "token" },
    { method = "GET / HTTP/1.1\nHost: evil.example", url = "/x" } },
  { "CVE-2020-26137", "a method with CR LF",            { "method", "token" }, { method = "GET\r\nX: y", url = "/x" } },
  { "CWE-93",         "a method with CR",               { "method", "token" }, { method = "GET\r", url = "/x" } },
  { "CWE-158",        "a method with NUL",              { "method", "token" }, { method = "GET\0", url = "/x" } },
  { "RFC 9110 9.1",   "a method with a space",          { "method", "token" }, { method = "GET /evil", url = "/x" } },
  { "RFC 9110 9.1",   "a method with a colon",          { "method", "token" }, { method = "Host:", url = "/x" } },
  { "CWE-158",        "a route with NUL in its method", { "method", "token" }, "GET\0 /x" },
  { "CWE-93",         "an empty method",                { "method", "token" }, { method = "", url = "/x" } },
})

refused("the method of defaults:", endpoint.defaults, {
  { "CVE-2020-26116", "a method with CR LF", { "method", "token" }, { method = "GET\r\nX: y" } },
})

refused("headers:", of_header, {
  { "CVE-2016-5699",  "a value with CR LF and a header line", { 'header "x-a"', "CR, LF and NUL" },
    "X-A", "v\r\nSet-Cookie: s=1" },
  { "CWE-113",        "a value with CR LF CR LF and a body", { 'header "x-a"', "CR" }, "X-A", "v\r\n\r\n<html>" },
  { "RFC 9112 2.2",   "a value with LF",                     { 'header "x-a"', "LF" }, "X-A", "v\nb: c" },
  { "RFC 9112 2.2",   "a value with CR",                     { 'header "x-a"', "CR" }, "X-A", "v\rb: c" },
  { "RFC 9110 5.5",   "a value with NUL",                    { 'header "x-a"', "NUL" }, "X-A", "v\0" },
  { "RFC 9112 5.2",   "a folded value",                      { 'header "x-a"', "LF" }, "X-A", "v\r\n folded" },
  { "CVE-2022-35948", "a content-type with CR LF", { 'header "content-type"', "CR" },
    "Content-Type", "text/plain\r\n\r\nGET /evil HTTP/1.1" },
  { "CWE-113",        "a list with LF in an element",        { 'header "x-a"', "LF" }, "X-A", { "v", "w\nb: c" } },
  { "CVE-2022-31150", "a name with CR LF",                   { "header", "\\x0D\\x0A", "token" }, "a\r\nb", "v" },
  { "CWE-158",        "a name with NUL",                     { "header", "\\x00", "token" }, "a\0b", "v" },
  { "RFC 9112 5.1",   "a name that ends in a space",         { "header", "token" }, "Transfer-Encoding ", "chunked" },
  { "RFC 9110 5.1",   "a name with a colon",                 { "header", "token" }, "a:b", "v" },
  { "RFC 9110 5.1",   "an empty name",                       { "header", "token" }, "", "v" },
  { "RFC 9113 8.3",   "a pseudo-header of HTTP/2",           { "header", "token" }, ":authority", "evil.example" },
  { "CWE-176", "a name with a non-ASCII letter whose lower case is k", { "header", "token" }, "coo\226\132\170ie", "v" },
})

refused("the format:", of_media_type "format", {
  { "CWE-93",  "a format with CR LF",              { "format", "RFC 6838" }, "raw\r\nX: y" },
  { "CWE-93",  "a format that ends in LF",         { "format", "RFC 6838" }, "raw\n" },
  { "CWE-158", "a format with NUL",                { "format", "RFC 6838" }, "raw\0" },
  { "CWE-88",  "a format with another media type", { "format", "RFC 6838" }, "raw,text/html" },
  { "CWE-88",  "a format with a parameter",        { "format", "RFC 6838" }, "raw;q=1" },
})

refused("previews:", of_media_type "previews", {
  { "CWE-93",  "a preview with CR LF",               { "preview", "RFC 6838" }, "p\r\nX: y" },
  { "CWE-158", "a preview with NUL",                 { "preview", "RFC 6838" }, "p\0" },
  { "CWE-158", "a preview with NUL before -preview", { "preview", "RFC 6838" }, "p\0-preview" },
  { "CWE-88",  "a preview with another media type",  { "preview", "RFC 6838" }, "p,text/html" },
})

refused("control characters in a URL:", endpoint, {
  { "CVE-2019-9740",  "CR LF in the query of a template", { "template", "control character", "byte 5" },
    { url = "/x?a\r\nX: y" } },
  { "CVE-2019-9947", "CR LF in the path of a template",   { "template", "control character", "byte 3" }, "GET /x\r\nX: y" },
  { "CVE-2019-9947", "CR LF in a route without a method", { "method", "token" }, "/x\r\nX: y" },
  { "CWE-158",       "NUL in a template",                 { "template", "control character" }, "/x\0.json" },
  { "CWE-93",         "CR LF in baseUrl",           { '"baseUrl"', "control character" }, "/x",
    { baseUrl = "https://h\r\nX: y" } },
})

harmless("control characters in values:", url, {
  { "CVE-2019-9947", "CR LF in a plain value",        BASE .. "/a%0D%0AX%3A%20y", "/{x}", { x = "a\r\nX: y" } },
  { "CVE-2019-9947", "CR LF in a value under +",      BASE .. "/a%0D%0AX:%20y", "/{+x}", { x = "a\r\nX: y" } },
  { "CVE-2019-9740", "CR LF in a value of the query", BASE .. "/?x=%0D%0A", "/", { x = "\r\n" } },
  { "CWE-93",        "CR LF in a name of the query",  BASE .. "/?x%0D%0Ay=1", "/", { ["x\r\ny"] = 1 } },
  { "CWE-93",        "CR LF in a fragment",           BASE .. "/#%0D%0A", "/{#x}", { x = "\r\n" } },
  { "CWE-158",       "NUL before a file extension",   BASE .. "/a%00.json", "/{x}.json", { x = "a\0" } },
  { "CVE-2018-12116", "letters whose low bytes are CR LF", BASE .. "/%C4%8D%C4%8A", "/{x}",
    { x = "\196\141\196\138" } },
})

-- --- dot segments

-- Servers and the proxies before them decode a path more than once.
describe("values that are dot segments:", function()
  local values = {
    ".", "..", "%2e", "%2E%2e", ".%2E", "%2e.", "%252e%252e", "%25%32%65", "../x", "x/../y", "x/..",
    "x/.%2e/y", "..?x", "x/..#y",
    "/../x", "..\\x", "..;/admin", "a/..;/..;/admin", "..%3Bx", "..%3Fx", "..%23x", "a%2f..%2Fb", "a%5C..", "a%255c..%255cb",
  }
  local templates = {
    "/{x}", "/:x", "/{x}/y", "/{x*}", "/a{/x}", "/a{/x*}/b", "/{+x}", "/{+x*}/y", "{+x}", "https://h/{+x}",
  }
  for _, template in ipairs(templates) do
    for _, value in ipairs(values) do
      it(("refuses %s in %s (RFC 3986 5.2.4, CVE-2021-41773)"):format(value, template), function()
        local words = { 'parameter "x"', "segment" }
        support.raises(words, endpoint, template, { x = value })
        support.raises(words, endpoint, "DELETE " .. template, { x = { value } })
        support.raises(words, support.url_at, "/v1", template, { x = value })
      end)
    end
  end

  it("refuses a dot or an empty text behind the dot of a label (RFC 3986 5.2.4)", function()
    support.raises({ 'parameter "x"', "segment" }, endpoint, "/{.x}", { x = "." })
    support.raises({ 'parameter "x"', "segment" }, endpoint, "/{.x}", { x = "" })
  end)
end)

refused("dot segments of several pieces:", endpoint, {
  { "CWE-22", "dots of two values", { 'parameter "a"', "segment" }, "/{a}{b}", { a = ".", b = "." } },
  { "CWE-22",        "a dot of a value and one of the template", { 'parameter "a"', "segment" }, "/.{a}", { a = "." } },
  { "CWE-22",         "dots of the template beside an empty value", { 'parameter "a"', "segment" },
    "/..{a}", { a = "" } },
  { "CWE-22",        "dots that a prefix leaves",                { 'parameter "a"', "segment" }, "/{a:2}", { a = "..x" } },
  { "CWE-174", "% in a value before 2e in the template", { 'parameter "x"', "segment" }, "/{+x}2e", { x = "%" } },
  { "CWE-22", "dots of the template before a path expression", { 'parameter "x"', "segment" }, "/a/..{/x}", {} },
  { "CWE-22", "dots of the template before a query expression", { 'parameter "x"', "segment" }, "/a/..{?x}", { x = 1 } },
  { "CWE-22", "dots of the template alone", { "template", "segment", "byte 4" }, "/a/../{x}", { x = 1 } },
  { "CWE-22", "dots of baseUrl", { '"baseUrl"', "segment", "byte 13" }, "/x", { baseUrl = "https://h/v/../" } },
  { "CWE-22", "dots before a matrix parameter", { 'parameter "a"', "segment" }, "/{a}{;b}", { a = "..", b = 1 } },
})

harmless("text that is no dot segment:", url, {
  { "CWE-22",         "encoded slashes around three dots",      BASE .. "/etc%2F...%2Fx", "/{x}", { x = "etc/.../x" } },
  { "CWE-22", "dots in overlong UTF-8", BASE .. "/%C0%AE%C0%AE", "/{x}", { x = "\192\174\192\174" } },
  { "CWE-22",         "three dots",                             BASE .. "/...", "/{x}", { x = "..." } },
  { "CWE-22",         "dots in the query",                      BASE .. "/?x=..", "/", { x = ".." } },
})

-- --- hosts

refused("the host:", endpoint, {
  { "WHATWG URL 4.4", "an empty host before a value", { "template", "expected a host", "byte 9" }, "https:///{x}",
    { x = "evil.example" } },
  { "WHATWG URL 4.4", "an empty host before a path expression", { "template", "expected a host" }, "HTTP://{/x}",
    { x = "evil.example" } },
  { "WHATWG URL 4.4", "a host without slashes", { "template", "byte 6" }, "http:{+x}", { x = "evil.example" } },
  { "WHATWG URL 4.4", "a host without slashes in a value", { 'parameter "x"', "host" }, "{+x}",
    { x = "http:evil.example", baseUrl = "" } },
  { "CWE-176", "a host that is not ASCII", { "template", "byte 9" }, "https://\195\188.example/", {} },
  { "CWE-20", "a space behind the host", { "template", "byte 10" }, { url = "https://h " } },
})

-- LuaSocket, lua-https and lua-resty-http look for the authority's end at "/" alone.
harmless("the host:", url, {
  { "RFC 3986 3", "an empty host under a scheme without hosts", "urn:///evil.example", "urn:///{x}",
    { x = "evil.example" } },
  { "CWE-918", "@ behind the ? of a URL", "http://home.example/?@evil/x", "http://home.example?@evil/x" },
  { "CWE-918", "@ behind a fragment", "http://home.example/#@evil", "http://home.example{#f}", { f = "@evil" } },
  { "CWE-918", "@ in a query behind baseUrl", BASE .. "/?since=@127.0.0.1:1/v", "GET ?since={+t}",
    { t = "@127.0.0.1:1/v" } },
})

describe("values that name another host:", function()
  local hosts = { "@evil.example", ".evil.example", "//evil.example", "\\evil.example", "\\\\evil.example",
    "https://evil.example", "https:evil.example", ":80@evil.example", "/\\evil.example", "#@evil.example",
    "?@evil.example" }
  local function host_of(address)
    return address:match("^https?://([^/?#]*)")
  end

  -- A result at the template's own host, or a message that names the variable.
  local function assert_host(template, ok, result)
    if ok then
      assert.equal("h", host_of(result), template)
    else
      assert.truthy(result:find('parameter "x"', 1, true), result)
    end
  end

  for _, value in ipairs(hosts) do
    it(("keeps %s in the path behind a baseUrl (CWE-918)"):format(value), function()
      for _, template in ipairs { "{x}", "/{x}", "{+x}", "/{+x}", ":x", "{/x}", "{.x}", "{;x}", "{?x}", "{#x}" } do
        assert_host(template, pcall(support.url_at, "https://h", template, { x = value }))
      end
    end)

    it(("keeps %s in the path of an absolute template (CVE-2025-27152)"):format(value), function()
      for _, template in ipairs { "https://h/{x}", "https://h/{+x}", "https://h/:x", "https://h{/x}", "https://h{?x}" } do
        assert_host(template, pcall(url, template, { x = value }))
      end
    end)

    it(("lets %s name no host behind a bare path (CVE-2024-39338)"):format(value), function()
      for _, base in ipairs { "", "/", "/v1" } do
        for _, template in ipairs { "/{x}", "/{+x}", "/{x}/y", "//{x}", "/{+x}/y", "{/x}" } do
          local ok, result = pcall(support.url_at, base, template, { x = value })
          if ok then
            assert.falsy(result:find("^//"), base .. template)
            assert.falsy(result:find("^[%w.+-]*:"), base .. template)
          end
        end
      end
    end)
  end
end)

refused("values in the authority:", endpoint, {
  { "RFC 3986 3.2.1", "@ behind the host", { 'parameter "x"', "host" }, "https://api{x}", { x = "@evil.example" } },
  { "RFC 3986 3.2.1", "@ behind the host under +", { 'parameter "x"', "host" }, "https://h{+x}/y", { x = "@evil.example" } },
  { "CVE-2018-3774", "a backslash in the host", { 'parameter "x"', "host" }, "https://{+x}/", { x = "evil.example\\" } },
  { "CVE-2016-8624", "# and @ in the host", { 'parameter "x"', "host" }, "https://{+x}/", { x = "evil.example#@" } },
  { "CWE-918", "a slash in the host", { 'parameter "x"', "host" }, "https://{+x}/", { x = "evil.example/" } },
  { "CWE-918", "an encoded slash in the host", { 'parameter "x"', "host" }, "https://{+x}.h/", { x = "evil.example%2F" } },
  { "CWE-918", "? in the host", { 'parameter "x"', "host" }, "https://{x}.h/", { x = "evil.example?" } },
  { "CWE-918", "a port before more host text", { "url", "host" }, "https://{+x}.h/", { x = "evil.example:80" } },
  { "CWE-918", "a scheme-relative URL for a host", { 'parameter "x"', "host" }, "https://{+x}", { x = "//evil.example" } },
  { "CWE-918", "@ in a list behind the host", { 'parameter "x"', "host" }, "https://h{+x*}", { x = { "a", "@b" } } },
  { "CWE-918", "@ in a key of a map behind the host", { 'parameter "x"', "host" }, "https://h{+x*}",
    { x = { ["@b"] = 1 } } },
  { "CWE-918", "a missing value in the host", { 'parameter "x"', "host" }, "https://{x}.h/", {} },
  { "CWE-918", "an empty value in the host", { 'parameter "x"', "host" }, "https://{x}.h/", { x = "" } },
  { "CWE-918", "a label behind the host", { 'parameter "x"', "host" }, "https://eu{.x}.api.example/", { x = "evil" } },
  { "CWE-918", "a missing path before text of the template", { 'parameter "x"', "host" }, "https://api.example{/x}.json",
    {} },
})

harmless("values that look like another host:", support.url_at, {
  { "CVE-2025-27152", "an absolute URL as a value under +",    "https://h/https://evil.example", "https://h", "{+x}",
    { x = "https://evil.example" } },
  { "CVE-2024-39338", "a scheme-relative URL behind a host", "https://h//evil.example/y", "https://h", "/{+x}",
    { x = "/evil.example/y" } },
  { "RFC 3986 4.2", "a scheme-relative URL behind a path", "/v1//evil.example", "/v1", "/{+x}", { x = "/evil.example" } },
  { "RFC 3986 3.2",   ".evil.example behind the host", "https://h/.evil.example", "https://h", "{+x}",
    { x = ".evil.example" } },
  { "RFC 3986 3.2",   "@evil.example behind the host", "https://h/@evil.example", "https://h", "{+x}",
    { x = "@evil.example" } },
  { "RFC 3986 3.2", ":80 behind the host",                 "https://h/:80", "https://h", "{+x}", { x = ":80" } },
  { "RFC 3986 3.1", "a scheme behind a slash",             "/https:evil", "", "/{+x}", { x = "https:evil" } },
})

refused("values that make a URL absolute:", support.url_at, {
  { "RFC 3986 4.2", "a scheme-relative URL behind an empty baseUrl", { 'parameter "x"', "names a host" }, "", "/{+x}",
    { x = "/evil.example" } },
  { "RFC 3986 4.2", "a scheme-relative URL behind baseUrl /", { "url", '"//"' }, "/", "//{x}",
    { x = "evil.example" } },
  { "RFC 3986 3.1", "a value that completes a scheme", { 'parameter "x"', "scheme" }, "", "http{x}://evil.example",
    { x = "s" } },
  { "RFC 3986 3.1", "a value that begins with the colon of a scheme", { 'parameter "x"', "scheme" }, "", "https{+x}",
    { x = "://evil.example" } },
  { "RFC 3986 3.1", "a scheme and a host behind nothing", { 'parameter "x"', "scheme" }, "", "{/y}{+x}",
    { x = "http://evil" } },
})

-- --- parameters

refused("parameters named like options, and data:", endpoint, {
  { "CWE-915", "url beside a route", { '"url"', "route", "data" }, "POST /hooks", { url = "https://evil.example" } },
  { "CWE-915", "method beside a route",            { '"method"', "route" }, "GET /x", { method = "DELETE" } },
  { "CWE-915", "baseUrl of a wrong shape",         { '"baseUrl"' }, "/x", { baseUrl = "evil.example" } },
  { "CWE-915", "{url} in a template",              { "template", '"url"', "option" }, "/{url}", {} },
  { "CWE-915", "{?headers*} in a template",        { '"headers"', "option" }, "/{?headers*}", { headers = {} } },
  { "CWE-843", "headers as a string",              { '"headers"', "table" }, "/x", { headers = "a: b" } },
  { "CWE-235",        "two headers that differ in case", { 'header "host"', "case" }, "/x",
    { headers = { Host = "a", host = "b" } } },
  { "CWE-444", "data under GET",                   { '"data"', "body" }, "GET /x", { data = "GET /evil HTTP/1.1" } },
  { "CWE-444", "data under TRACE",                 { '"data"', "body" }, "TRACE /x", { data = "a" } },
  { "CWE-444", "left-over parameters under TRACE", { 'parameter "a"' }, "TRACE /x", { a = 1 } },
  { "CWE-235", "a map in the query",               { 'parameter "a"', "map" }, "/x", { a = { b = 1 } } },
  { "CWE-843", "option keys that are not strings", { "keys", "number" }, "/x", { "evil" } },
})

harmless("separators in names and values:", url, {
  { "CWE-141", "& and = in a value",              BASE .. "/?a=1%26admin%3D1", "/", { a = "1&admin=1" } },
  { "CWE-141", "& and = in a name",               BASE .. "/?a%3D1%26admin=1", "/", { ["a=1&admin"] = 1 } },
  { "CWE-141", "# in a name",                     BASE .. "/?a%23=1", "/", { ["a#"] = 1 } },
  { "CWE-141", "# and ? in a value",              BASE .. "/x%3Fa%23b?c=%3F%23", "/{x}", { x = "x?a#b", c = "?#" } },
  { "CWE-141", "& in a map's key",                BASE .. "/?a%26b%3Dc=1", "/{?m*}", { m = { ["a&b=c"] = 1 } } },
  { "CWE-141",        "& in a map's key under &", BASE .. "/?x&a%26b=1", "/?x{&m*}",
    { m = { ["a&b"] = 1 } } },
  { "CWE-141", "; and / in a matrix key",         BASE .. "/x;a%3Bb%2Fc=1", "/x{;m*}", { m = { ["a;b/c"] = 1 } } },
  { "CWE-141", "a comma in an element of a list", BASE .. "/a,b%2Cc", "/{x}", { x = { "a", "b,c" } } },
  { "CWE-141", "braces in a value",               BASE .. "/%7By%7D", "/{x}", { x = "{y}" } },
  { "CWE-141", ":name in a value",                BASE .. "/%3Ay/%3Ay", "/{x}/:x", { x = ":y" } },
  { "CWE-141", "white space in a value",          BASE .. "/%20HTTP%2F1.1", "/{x}", { x = " HTTP/1.1" } },
  { "CWE-134", "conversions of printf in names and values", BASE .. "/%25s%25n?%25n=%25s", "/{x}",
    { x = "%s%n", ["%n"] = "%s" } },
  { "CWE-1321", "parameters named like metamethods", BASE .. "/?__index=1&__proto__=2", "/",
    { __index = 1, __proto__ = 2 } },
  { "RFC 6570 10",    "an absolute URL in the query", BASE .. "/?u=https%3A%2F%2Fevil.example", "/{?u}",
    { u = "https://evil.example" } },
})

refused("names and values in errors:", endpoint, {
  { "CWE-134", "a parameter name with conversions of printf, quoted as it is", { 'parameter "%s%n%s"' }, "/",
    { ["%s%n%s"] = print } },
  { "CWE-134", "a route with conversions of printf, quoted as it is", { '"/%s%n{"' }, "/%s%n{" },
  { "CWE-117",        "a parameter name with a line end, quoted escaped", { 'parameter "a\\x0Aendpoint: b"' }, "/",
    { ["a\nendpoint: b"] = print } },
})

describe("error messages", function()
  -- Arguments whose "SECRET" the message must not hold.
  local secrets = {
    { "CWE-532", "a header's value",      "/x", { headers = { authorization = "SECRET\n" } } },
    { "CWE-532", "a header's value in a list",    "/x", { headers = { authorization = { "SECRET\n" } } } },
    { "CWE-532", "data",                  "GET /x", { data = "SECRET" } },
    { "CWE-532", "a map as a value of the query",  "/x", { a = { SECRET = "SECRET" } } },
    { "CWE-532", "a left-over parameter",        "TRACE /x", { a = "SECRET" } },
    { "CWE-522", "userinfo of baseUrl",   "/x", { baseUrl = "https://u:SECRET@h#" } },
    { "CWE-598", "the query of baseUrl",  "/{x}", { baseUrl = "https://h/?SECRET", x = ".." } },
    { "CWE-598", "the query of a bare path", "//h", { baseUrl = "/?SECRET" } },
    { "CWE-598", "the query of a template", "/x?key=SECRET{" },
    { "CWE-598", "the query of a route's method", "G?key=SECRET /x" },
    { "CWE-522", "userinfo of a template", "https://u:SECRET@h/{" },
    { "CWE-522", "userinfo that ends in {", "https://u:SECRET{@h/" },
    { "CWE-522", "userinfo of a route",   "G:T https://u:SECRET@h/" },
    { "CWE-522", "userinfo with a space", "https://u:SECRET x@h/" },
    { "CWE-522", "userinfo without a scheme or slashes", "u:SECRET@h/{" },
    { "CWE-522", "userinfo without a scheme or slashes, with a space", "u:SECRET x@h/" },
    { "CWE-522", "userinfo behind an @",  "@SECRET@h/{" },
    { "CWE-522", "userinfo behind one slash", "http:/u:SECRET@h/{" },
    { "CWE-522", "userinfo behind backslashes", "http:\\\\u:SECRET@h/{" },
    { "CWE-522", "userinfo behind // alone", "//u:SECRET@h/{" },
    { "CWE-522", "userinfo of a URL without a host", "https://u:SECRET@/x" },
  }
  for _, row in ipairs(secrets) do
    it(("hide %s (%s)"):format(row[2], row[1]), function()
      local message = support.message_of(endpoint, row[3], row[4])
      assert.is_nil(message:find("SECRET", 1, true), message)
    end)
  end

  it("stay below 300 bytes for long arguments (CWE-400)", function()
    local long = ("a\nb"):rep(100000)
    for _, route in ipairs { "/" .. long, "/{" .. long, long .. " /x", "/{" .. LETTERS:rep(1000) .. "!}" } do
      assert.is_true(#support.message_of(endpoint, route) < 300)
    end
    assert.is_true(#support.message_of(endpoint, "/", { [long] = print }) < 300)
    assert.is_true(#support.message_of(endpoint, "/", { headers = { [long] = "v" } }) < 300)
  end)
end)

-- --- path parameters without text

refused("DELETE on one item:", endpoint, {
  { "CWE-88",         "a missing path parameter",    { 'parameter "repo"', "missing" },
    "DELETE /repos/:owner/:repo", { owner = "o" } },
  { "CWE-88",         "an empty path parameter",  { 'parameter "repo"', "empty" },
    "DELETE /repos/:owner/:repo", { owner = "o", repo = "" } },
  { "CWE-88",         "null for a path parameter",            { 'parameter "repo"', "missing" },
    "DELETE /repos/:owner/:repo", { owner = "o", repo = null } },
  { "CWE-88", "an empty list for a path parameter",  { 'parameter "repo"' }, "DELETE /repos/{repo}", { repo = {} } },
  { "CWE-88",         "a list of an empty text for a path parameter", { 'parameter "repo"', "empty" },
    "DELETE /repos/{repo}", { repo = { "" } } },
  { "CWE-88", "a path parameter that begins with ?", { 'parameter "id"' }, "DELETE /repos/{+id}", { id = "?all=1" } },
  { "CWE-88", "a path parameter that begins with #", { 'parameter "id"' }, "DELETE /repos/{+id}", { id = "#" } },
  { "CWE-88", "a path parameter of separators alone", { 'parameter "id"', "nothing that counts" }, "DELETE /repos/{id}",
    { id = "/" } },
  { "CWE-88", "an encoded separator alone", { 'parameter "id"', "nothing that counts" }, "DELETE /repos/{+id}",
    { id = "%2F" } },
  { "CWE-88", "a path parameter behind a semicolon", { 'parameter "id"', "nothing that counts" }, "DELETE /repos/{id}",
    { id = ";" } },
  { "CWE-88", "a matrix parameter alone", { 'parameter "id"', "nothing that counts" }, "DELETE /repos/{+id}",
    { id = ";x=1" } },
  { "CWE-88", "a misspelt path parameter", { 'parameter "id"', "missing" }, "DELETE /users/{id}/keys", { ID = 1 } },
})

-- --- equal results

describe("the order of parameters", function()
  local NAMES = { "b", "a", "page", "per_page", "Z", "_", "a.b", "é", "0", "" }
  -- Fills a table in one of several orders, with holes, so that its hash part differs.
  local function filled(rotation, step)
    local options = {}
    for i = 1, 64 * rotation do options["x" .. i] = i end
    for i = 1, 64 * rotation do options["x" .. i] = nil end
    for i = 0, #NAMES - 1 do options[NAMES[(rotation + i * step) % #NAMES + 1]] = "v" end
    return options
  end

  it("does not change a query (hash order)", function()
    local expected = BASE .. "/?=v&0=v&Z=v&_=v&a=v&a.b=v&b=v&page=v&per_page=v&%C3%A9=v"
    for rotation = 0, #NAMES do
      for _, step in ipairs { 1, 3, 7, 9 } do
        assert.equal(expected, url("/", filled(rotation, step)))
      end
    end
  end)

  it("does not change an exploded map (hash order)", function()
    for _, operator in ipairs(support.OPERATORS) do
      local first
      for rotation = 0, #NAMES do
        local result = url("/x{" .. operator .. "m*}", { m = filled(rotation, 3) })
        first = first or result
        assert.equal(first, result)
      end
    end
  end)

  it("does not change the error (hash order)", function()
    for rotation = 0, #NAMES do
      support.raises('parameter ""', endpoint, "TRACE /x", filled(rotation, 3))
    end
  end)
end)

-- Runs f under one of the locales, or leaves the spec pending.
local function under_locale(names, f)
  if not support.under_locale(names, f) then pending "no such locale is installed" end
end

describe("a locale", function()
  it("with a decimal comma does not change numbers (CWE-1286)", function()
    under_locale({ "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" }, function()
      assert.equal(BASE .. "/1.5?a=0.1&b=1e-7&c=-2.25", url("/{x}", { x = 1.5, a = 0.1, b = 1e-7, c = -2.25 }))
      assert.equal(BASE .. "/1.5,2.5", url("/{x}", { x = { 1.5, 2.5 } }))
      assert.equal(BASE .. "/?a=1.5%2C2.5", url("/", { a = { 1.5, 2.5 } }))
    end)
  end)

  it("with a dotless i does not change the case of letters (CWE-178)", function()
    under_locale({ "tr_TR.UTF-8", "tr_TR.utf8", "tr_TR.ISO-8859-9", "tr_TR" }, function()
      local got = endpoint { method = "options", url = "/{i}/{I}", i = "i", I = "I",
        headers = { ["X-ID-i"] = "I", ["\73F-MATCH"] = "i" } }
      assert.equal("options", got.method)
      assert.equal("OPTIONS", endpoint.merge("options /x").method)
      assert.equal("if-match,x-id-i", table.concat({ support.keys(got.headers)[2], support.keys(got.headers)[4] }, ","))
      assert.equal(BASE .. "/i/I", got.url)
      assert.equal("HTTPI://h/x", url "HTTPI://h/x")
      assert.equal("%FD%DD", url("/{x}", { x = "\253\221" }):sub(-6))
      support.raises("token", of_header, "\221d", "v")
    end)
  end)
end)

-- --- tables

refused("cyclic and deep tables in defaults:", endpoint.defaults, {
  { "CWE-674", "a cycle in a default parameter", { '"a"', "got a cycle" }, { a = cyclic() } },
  { "CWE-674", "a cycle in default data",        { '"data"', "got a cycle" }, { data = cyclic() } },
  { "CWE-674",        "a cycle through a key",     { '"a"', "got a cycle" }, { a = (function()
    local t = {}
    t[t] = true
    return t
  end)() } },
  { "CWE-674", "tables 10,000 deep",             { '"a"', "got a deeper one" }, { a = nested(10000) } },
  { "CWE-674", "tables 101 deep",                { '"a"', "got a deeper one" }, { a = nested(101) } },
})

refused("cyclic and deep tables as text:", endpoint, {
  { "CWE-674", "a cycle in the path",  { 'parameter "a"', "table" }, "/{a}", { a = cyclic() } },
  { "CWE-674", "a cycle in the query", { 'parameter "a"' }, "/", { a = cyclic() } },
  { "CWE-674", "tables 10,000 deep",   { 'parameter "a"', "table" }, "/{?a*}", { a = nested(10000) } },
  { "CWE-674", "a cycle in a header",  { 'header "a"' }, "/", { headers = { a = cyclic() } } },
})

describe("cyclic and deep tables", function()
  it("go into body, data and request by reference (CWE-674)", function()
    local cycle, deep = cyclic(), nested(10000)
    assert.is_true(rawequal(cycle, endpoint("POST /", { a = cycle }).body.a))
    assert.is_true(rawequal(deep, endpoint("POST /", { data = deep }).body))
    assert.is_true(rawequal(deep, endpoint.merge("POST /", { a = deep }).a))
    assert.is_true(rawequal(cycle, endpoint("/", { request = cycle }).request))
  end)

  it("go into body and data by reference in place of default tables, too (CWE-674)", function()
    local cycle, deep = cyclic(), nested(10000)
    local e = endpoint.defaults { a = { 1 }, data = { 1 } }
    assert.is_true(rawequal(deep, e("POST /", { data = deep }).body))
    assert.is_true(rawequal(deep, e.merge("POST /", { data = deep }).data))
    assert.is_true(rawequal(cycle, e.merge("POST /", { a = cycle }).a))
    assert.is_true(rawequal(cycle, e("POST /", { a = cycle, data = null }).body.a))
  end)

  it("are copied in defaults up to a depth of 100 (CWE-674)", function()
    assert.equal("table", type(endpoint.defaults({ a = nested(100) }).DEFAULTS.a))
  end)

  it("that share one table a million times copy it once (CWE-776)", function()
    local t = {}
    for _ = 1, 20 do t = { t, t } end
    local d = endpoint.defaults({ a = t }).DEFAULTS.a
    assert.is_true(rawequal(d[1], d[2]))
  end)
end)

describe("hostile metatables", function()
  local consulted = {}
  local metatable = {}
  for _, event in ipairs { "__index", "__newindex", "__pairs", "__ipairs", "__len", "__eq", "__lt", "__le",
    "__call", "__tostring", "__concat", "__unm", "__name", "__close" } do
    metatable[event] = function()
      consulted[#consulted + 1] = event
      error("consulted " .. event)
    end
  end

  local function hostile(t)
    return setmetatable(t, metatable)
  end

  local function all()
    return hostile {
      headers = hostile { ["X-A"] = "b", ["X-L"] = hostile { "c", "d" } },
      mediaType = hostile { format = "raw", previews = hostile { "p" } },
      list = hostile { "a", null, "b" },
      map = hostile { k = "v", a = null },
      none = hostile {},
      request = hostile {},
    }
  end

  local function expect_untouched()
    assert.equal("", table.concat(consulted, " "))
  end

  it("are not consulted by a call (CWE-1321)", function()
    local got = endpoint("GET /{list}{?map*}", all())
    assert.equal(BASE .. "/a,b?k=v", got.url)
    assert.equal("c,d", table.concat(got.headers["x-l"], ","))
    assert.equal("application/vnd.service.p-preview.raw", got.headers.accept)
    expect_untouched()
  end)

  it("are not consulted by merge and parse (CWE-1321)", function()
    local merged = endpoint.merge("GET /{list*}", all())
    assert.is_nil(getmetatable(merged))
    assert.equal("b", rawget(merged.headers, "x-a"))
    setmetatable(merged, metatable)
    merged.map = nil
    assert.equal(BASE .. "/a,b", endpoint.parse(merged).url)
    expect_untouched()
  end)

  it("are kept by defaults, not consulted (CWE-1321)", function()
    local options = all()
    local api = endpoint.defaults(options)
    assert.equal(BASE .. "/a,b?k=v", api("GET /{list}{?map*}").url)
    assert.is_true(getmetatable(api.DEFAULTS.list) == metatable)
    assert.is_nil(getmetatable(api.DEFAULTS.headers))
    expect_untouched()
  end)

  it("are not consulted in a body (CWE-1321)", function()
    local options = all()
    options.request = nil
    local got = endpoint("POST /", options)
    assert.is_true(rawequal(got.body.list, rawget(options, "list")))
    expect_untouched()
  end)

  it("are not consulted for an error message (CWE-1321)", function()
    support.raises('parameter "a"', endpoint, "/", { a = hostile { hostile {} } })
    support.raises("nothing after", endpoint, hostile {}, hostile {})
    support.raises('"url"', endpoint, hostile { url = hostile {} })
    support.raises('header "a"', endpoint, "/", { headers = { a = hostile { hostile {} } } })
    support.raises('"previews"', endpoint, "/", { mediaType = { previews = hostile { hostile {} } } })
    expect_untouched()
  end)

  it("add no options through __index (CWE-1321)", function()
    local lender = { baseUrl = "https://evil.example", method = "DELETE", headers = { a = "b" }, x = "y" }
    local got = endpoint("/", setmetatable({}, { __index = lender }))
    assert.equal(BASE .. "/", got.url)
    assert.equal("get", got.method)
    assert.is_nil(got.headers.a)
    support.raises({ '"url"', "missing" }, endpoint, setmetatable({}, { __index = { url = "/" } }))
    got = endpoint.merge("/", { mediaType = setmetatable({}, { __index = { format = "raw", previews = { "p" } } }) })
    assert.is_nil(got.mediaType)
    got = endpoint.defaults { x = 1 } ("/", setmetatable({}, { __index = { x = null } }))
    assert.equal(BASE .. "/?x=1", got.url)
  end)

  it("do not change the length of a list through __len (CWE-1321)", function()
    local long = setmetatable({ "a", "b" }, { __len = function() return 2 ^ 31 end })
    assert.equal(BASE .. "/a,b", url("/{x}", { x = long }))
  end)

  it("with __gc are not copied to tables of the module (CWE-416)", function()
    local runs = 0
    do
      local t = setmetatable({ "a" }, { __gc = function() runs = runs + 1 end })
      for _ = 1, 50 do endpoint("/{x}", { x = t }) end
      for _ = 1, 50 do endpoint("POST /", { x = t, data = t }) end
      assert.equal(0, runs)
      assert.equal("a", t[1])
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(runs <= 1)
  end)

  it("do not make another value pass for null (CWE-843)", function()
    support.raises({ 'parameter "x"', "userdata" }, endpoint, "/{x}", { x = io.stdout })
    support.raises({ 'parameter "x"', "userdata" }, endpoint, "/{x}", { x = endpoint })
    support.raises({ 'parameter "x"', "function" }, endpoint, "/{x}", { x = endpoint.merge })
  end)
end)

-- --- first arguments

local other = endpoint.defaults {}

refused("the first argument of a member:", function(name, ...)
  return endpoint[name](...)
end, {
  { "CWE-843", "merge with another endpoint as first argument", { "argument 1", "another endpoint" }, "merge", other, "/x" },
  { "CWE-843", "parse with another endpoint as first argument", { "argument 1", "another endpoint" }, "parse", other,
    { url = "/x" } },
  { "CWE-843", "defaults with another endpoint as first argument", { "argument 1", "another endpoint" }, "defaults",
    other, {} },
  { "CWE-843",        "merge with a file as first argument",      { "argument 1", "userdata" }, "merge", io.stdout, "/x" },
  { "CWE-843",        "parse with a file as first argument",      { "argument 1", "userdata" }, "parse", io.stdout },
  { "CWE-843",        "parse with null as first argument",        { "argument 1", "null" }, "parse", null },
  { "CWE-843",        "defaults with a number as first argument", { "argument 1", "number" }, "defaults", 1 },
  { "CWE-843", "merge with its endpoint twice", { "argument 1", "another endpoint" }, "merge", endpoint, endpoint },
  { "CWE-843",        "merge with an endpoint as options",    { "argument 2", "userdata" }, "merge", "/x", endpoint },
})

refused("the first argument of a call:", endpoint, {
  { "CWE-843", "a call with the endpoint itself as argument", { "argument 1", "userdata" }, endpoint },
  { "CWE-843", "a call with another endpoint as first argument", { "argument 1", "userdata" }, other, "/x" },
  { "CWE-843", "a call with an endpoint as options", { "argument 2", "userdata" }, "/x", other },
})

describe("an endpoint", function()
  it("hides its metatable (CWE-843)", function()
    assert.is_false(getmetatable(endpoint))
    assert.is_false(pcall(setmetatable, endpoint, {}))
  end)

  it("is immutable (CWE-471)", function()
    support.raises("defaults", function() endpoint.merge = print end)
    support.raises("defaults", function() endpoint.null = 1 end)
    assert.is_false(pcall(rawset, endpoint, "merge", print))
    endpoint.DEFAULTS.headers.accept = "evil"
    endpoint.DEFAULTS.baseUrl = "https://evil.example"
    assert.equal(BASE .. "/x", url "/x")
  end)
end)

-- --- time and memory

describe("long arguments", function()
  local function seconds(f, ...)
    local began = os.clock()
    f(...)
    return os.clock() - began
  end

  local function accept(value, previews)
    return endpoint("/", { headers = { accept = value }, mediaType = { previews = previews, format = "raw" } })
  end

  -- Quadratic work on a megabyte takes minutes.
  local rows = {
    { "CVE-2025-25285", "a million dashes in accept",      accept, ("-"):rep(1000000), { "p" } },
    { "CVE-2025-25285", "-preview 100,000 times in accept",    accept, ("-preview"):rep(100000), { "p" } },
    { "CVE-2025-25285", "application/vnd. 100,000 times in accept",  accept, ("application/vnd."):rep(100000) },
    { "CWE-1333",       "a million spaces in accept",      accept, (" "):rep(1000000) .. "x" },
    { "CWE-1333",       "a million spaces in a route", pcall, endpoint, "GET " .. (" "):rep(1000000) .. "/x" },
    { "CWE-1333",       "a million braces",                pcall, endpoint, ("{"):rep(1000000) },
    { "CWE-1333",       "100,000 expressions",                 pcall, endpoint, ("/{a}"):rep(100000), { a = "b" } },
    { "CWE-1333",       "a million slashes under +",               pcall, endpoint, "/{+x}", { x = ("/"):rep(1000000) } },
    { "CWE-1333", "500,000 incomplete triplets under +", pcall, endpoint, "/{+x}", { x = ("%2"):rep(500000) } },
    { "CWE-400",        "a value of 10 MB",      pcall, endpoint, "/{x}", { x = ("\0"):rep(10000000) } },
  }
  for _, row in ipairs(rows) do
    it(("take less than five seconds: %s (%s)"):format(row[2], row[1]), function()
      assert.is_true(seconds(unpack(row, 3)) < 5)
    end)
  end

  it("do not pile up in the cache of templates (CWE-400)", function()
    local function fill(count)
      for i = 1, count do endpoint("/" .. ("x"):rep(900) .. i) end
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    local before = fill(1000)
    assert.is_true(fill(5000) < before + 500)
    for i = 1, 300 do endpoint("/" .. ("x"):rep(10000) .. i) end
    assert.is_true(fill(0) < before + 500)
  end)
end)

describe("a call at the end of the stack", function()
  it("raises, and the next call works (CWE-674)", function()
    local failures, message = 0, nil
    local function descend(...) -- each level takes fewer stack slots than a call needs
      local ok, result = pcall(endpoint, "/{x}", { x = "a" })
      if not ok then failures, message = failures + 1, result end
      return descend(...) .. ""
    end
    assert.is_false(pcall(descend, ("x"):rep(20):byte(1, -1)))
    -- Lua 5.1 limits nested C calls: there descend itself raises first.
    if jit or _VERSION ~= "Lua 5.1" then
      assert.is_true(failures > 0)
      assert.truthy(message:find("stack overflow", 1, true), message)
    end
    assert.equal(BASE .. "/a", url("/{x}", { x = "a" }))
  end)
end)
