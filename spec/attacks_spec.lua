-- Known attacks on what builds requests, each with its source and what comes of
-- it here: an error, or the harmless result. The sources are RFC sections, CVE
-- numbers of the same fault in other programs, CWE numbers, or a class of attack.
--
-- Out of scope: whoever holds the debug library (debug.setmetatable on nil, string
-- or the endpoint, debug.setupvalue on a member) holds the whole process.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local unpack = table.unpack or unpack -- luacheck: globals unpack
local BASE = support.BASE
local LETTERS = ("x"):rep(40)

-- Rows are { source, what, expected, arguments of the call ... }.
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
      it(("makes nothing of %s (%s)"):format(row[2], row[1]), function()
        assert.equal(row[3], call(unpack(row, 4)))
      end)
    end
  end)
end

local function url(route, options)
  return endpoint(route, options).url
end

local function based(base, route, options)
  return endpoint.defaults { baseUrl = base }(route, options).url
end

-- CR, LF and NUL -------------------------------------------------------------------

local function of_media_type(field)
  return function(value)
    return endpoint("/x", { mediaType = { [field] = field == "previews" and { value } or value } })
  end
end

local function of_header(name, value)
  return endpoint("/x", { headers = { [name] = value } })
end

refused("a method with a line's end", endpoint, {
  { "CVE-2020-26116", "LF and a header behind it", { "method", "\\x0A", "token" },
    { method = "GET / HTTP/1.1\nHost: evil.example", url = "/x" } },
  { "CVE-2020-26137", "CR LF",                { "method", "token" }, { method = "GET\r\nX: y", url = "/x" } },
  { "CWE-93",         "CR alone",             { "method", "token" }, { method = "GET\r", url = "/x" } },
  { "CWE-158",        "NUL",                  { "method", "token" }, { method = "GET\0", url = "/x" } },
  { "RFC 9110 9.1",   "a space",              { "method", "token" }, { method = "GET /evil", url = "/x" } },
  { "RFC 9110 9.1",   "a colon",              { "method", "token" }, { method = "Host:", url = "/x" } },
  { "CWE-158",        "NUL in a route",       { "method", "token" }, "GET\0 /x" },
  { "CWE-93",         "nothing at all",       { "method", "token" }, { method = "", url = "/x" } },
})

refused("a default method", endpoint.defaults, {
  { "CVE-2020-26116", "with CR LF",           { "method", "token" }, { method = "GET\r\nX: y" } },
})

refused("a header", of_header, {
  { "CVE-2016-5699",  "CR LF and another header in the value", { 'header "x-a"', "CR, LF and NUL" },
    "X-A", "v\r\nSet-Cookie: s=1" },
  { "CWE-113",        "CR LF CR LF and a body", { 'header "x-a"', "CR" }, "X-A", "v\r\n\r\n<html>" },
  { "RFC 9112 2.2",   "LF alone in the value", { 'header "x-a"', "LF" }, "X-A", "v\nb: c" },
  { "RFC 9112 2.2",   "CR alone in the value", { 'header "x-a"', "CR" }, "X-A", "v\rb: c" },
  { "RFC 9110 5.5",   "NUL in the value",     { 'header "x-a"', "NUL" }, "X-A", "v\0" },
  { "RFC 9112 5.2",   "a folded line",        { 'header "x-a"', "LF" }, "X-A", "v\r\n folded" },
  { "CVE-2022-35948", "CR LF in content-type", { 'header "content-type"', "CR" },
    "Content-Type", "text/plain\r\n\r\nGET /evil HTTP/1.1" },
  { "CWE-113",        "LF in an element of a list", { 'header "x-a"', "LF" }, "X-A", { "v", "w\nb: c" } },
  { "CVE-2022-31150", "CR LF in the name",    { "header", "\\x0D\\x0A", "token" }, "a\r\nb", "v" },
  { "CWE-158",        "NUL in the name",      { "header", "\\x00", "token" }, "a\0b", "v" },
  { "RFC 9112 5.1",   "a space before the colon", { "header", "token" }, "Transfer-Encoding ", "chunked" },
  { "RFC 9110 5.1",   "a colon in the name",  { "header", "token" }, "a:b", "v" },
  { "RFC 9110 5.1",   "an empty name",        { "header", "token" }, "", "v" },
  { "RFC 9113 8.3",   "a pseudo-header",      { "header", "token" }, ":authority", "evil.example" },
  { "CWE-176",        "a name with a letter that folds to k", { "header", "token" }, "coo\226\132\170ie", "v" },
})

refused("a format", of_media_type "format", {
  { "CWE-93",         "CR LF",                { "format", "RFC 6838" }, "raw\r\nX: y" },
  { "CWE-93",         "LF behind a good one", { "format", "RFC 6838" }, "raw\n" },
  { "CWE-158",        "NUL",                  { "format", "RFC 6838" }, "raw\0" },
  { "CWE-88",         "another media type",   { "format", "RFC 6838" }, "raw,text/html" },
  { "CWE-88",         "a parameter",          { "format", "RFC 6838" }, "raw;q=1" },
})

refused("a preview", of_media_type "previews", {
  { "CWE-93",         "CR LF",                { "preview", "RFC 6838" }, "p\r\nX: y" },
  { "CWE-158",        "NUL",                  { "preview", "RFC 6838" }, "p\0" },
  { "CWE-158",        "NUL before -preview",  { "preview", "RFC 6838" }, "p\0-preview" },
  { "CWE-88",         "another media type",   { "preview", "RFC 6838" }, "p,text/html" },
})

refused("a line's end in a URL", endpoint, {
  { "CVE-2019-9740",  "in the query's literal", { "template", "control character", "byte 5" },
    { url = "/x?a\r\nX: y" } },
  { "CVE-2019-9947",  "in the path's literal", { "template", "control character", "byte 3" }, "GET /x\r\nX: y" },
  { "CVE-2019-9947",  "in a route without a method", { "method", "token" }, "/x\r\nX: y" },
  { "CWE-158",        "NUL in the literal",   { "template", "control character" }, "/x\0.json" },
  { "CWE-93",         "in baseUrl",           { '"baseUrl"', "control character" }, "/x",
    { baseUrl = "https://h\r\nX: y" } },
})

harmless("a line's end in a value", url, {
  { "CVE-2019-9947",  "CR LF in the path",    BASE .. "/a%0D%0AX%3A%20y", "/{x}", { x = "a\r\nX: y" } },
  { "CVE-2019-9947",  "CR LF under +",        BASE .. "/a%0D%0AX:%20y", "/{+x}", { x = "a\r\nX: y" } },
  { "CVE-2019-9740",  "CR LF in the query",   BASE .. "/?x=%0D%0A", "/", { x = "\r\n" } },
  { "CWE-93",         "CR LF in a name",      BASE .. "/?x%0D%0Ay=1", "/", { ["x\r\ny"] = 1 } },
  { "CWE-93",         "CR LF in a fragment",  BASE .. "/#%0D%0A", "/{#x}", { x = "\r\n" } },
  { "CWE-158",        "NUL that cuts an extension", BASE .. "/a%00.json", "/{x}.json", { x = "a\0" } },
  { "CVE-2018-12116", "letters that lose a byte to become CR LF", BASE .. "/%C4%8D%C4%8A", "/{x}",
    { x = "\196\141\196\138" } },
})

-- dot segments -----------------------------------------------------------------------

describe("a value that is a dot segment", function()
  -- Where the operator encodes "%", a triplet is text like any other.
  local literal = { ".", ".." }
  local dots = { ".", "..", "%2e", "%2E", "%2e%2e", "%2E%2E", ".%2e", ".%2E", "%2e.", "%2E." }
  local paths = { "../x", "x/../y", "x/..", "x/.%2e/y", "x/%2e%2E", "..?x", "x/..#y", "/../x" }
  local operators = {
    -- template     values that are refused
    { "/{x}",       literal },
    { "/:x",        literal },
    { "/{x}/y",     literal },
    { "/{x*}",      literal },
    { "/a{/x}",     literal },
    { "/a{/x}/b",   literal },
    { "/a{/x*}",    literal },
    { "/{+x}",      dots },
    { "/{+x}/y",    dots },
    { "/{+x*}",     dots },
    { "/{+x}",      paths },
    { "{+x}",       paths },
    { "https://h/{+x}", paths },
  }
  for _, case in ipairs(operators) do
    for _, value in ipairs(case[2]) do
      it(("is refused as %s in %s (RFC 3986 5.2.4, CVE-2021-41773)"):format(value, case[1]), function()
        local words = { 'parameter "x"', "segment" }
        support.raises(words, endpoint, case[1], { x = value })
        support.raises(words, endpoint, case[1], { x = { value } })
        support.raises(words, endpoint, "DELETE " .. case[1], { x = value })
        support.raises(words, based, "/v1", case[1], { x = value })
      end)
    end
  end

  it("is refused behind a label's dot (RFC 3986 5.2.4)", function()
    support.raises({ 'parameter "x"', "segment" }, endpoint, "/{.x}", { x = "." })
    support.raises({ 'parameter "x"', "segment" }, endpoint, "/{.x}", { x = "" })
  end)
end)

refused("dots put together", endpoint, {
  { "CWE-22",         "from two values",      { 'parameter "a"', "segment" }, "/{a}{b}", { a = ".", b = "." } },
  { "CWE-22",         "from a value and the template", { 'parameter "a"', "segment" }, "/.{a}", { a = "." } },
  { "CWE-22",         "from the template, the value being empty", { 'parameter "a"', "segment" },
    "/..{a}", { a = "" } },
  { "CWE-22",         "by a prefix",          { 'parameter "a"', "segment" }, "/{a:2}", { a = "..x" } },
  { "CVE-2021-41773", "between slashes that are encoded", { 'parameter "x"', "segment" },
    "/{x}", { x = "../../etc" } },
  { "CWE-22",         "between backslashes",  { 'parameter "x"', "segment" }, "/{x}", { x = "..\\..\\etc" } },
  { "CWE-22",         "between backslashes under +", { 'parameter "x"', "segment" }, "/{+x}", { x = "a\\..\\etc" } },
  { "CVE-2020-5902",  "before a semicolon",   { 'parameter "x"', "segment" }, "/{+x}", { x = "..;/admin" } },
  { "CWE-22",         "before a matrix parameter", { 'parameter "a"', "segment" }, "/{a}{;b}", { a = "..", b = 1 } },
})

harmless("what is no dot segment", url, {
  { "CVE-2021-42013", "a triplet encoded twice", BASE .. "/%2525%2532%2565", "/{x}", { x = "%25%32%65" } },
  { "CWE-174",        "triplets where they are encoded", BASE .. "/%252e%252e", "/{x}", { x = "%2e%2e" } },
  { "CWE-22",         "encoded slashes without dot segments", BASE .. "/etc%2F...%2Fx", "/{x}", { x = "etc/.../x" } },
  { "CWE-22",         "an overlong encoding", BASE .. "/%C0%AE%C0%AE", "/{x}", { x = "\192\174\192\174" } },
  { "CWE-22",         "a percent before the template's digits", BASE .. "/%252e", "/{+x}2e", { x = "%" } },
  { "CWE-22",         "three dots",           BASE .. "/...", "/{x}", { x = "..." } },
  { "CWE-22",         "dots in the query",    BASE .. "/?x=..", "/", { x = ".." } },
  { "CWE-22",         "dots of the template's own", BASE .. "/a/..", "/a/..{/x}", {} },
  { "CWE-22",         "dots before a query",  BASE .. "/a/..", "/a/..{?x}", {} },
})

-- hosts -------------------------------------------------------------------------------

refused("an empty host, in whose place clients take the path's first segment", endpoint, {
  { "WHATWG URL 4.4", "by a segment",         { "url", "expected a host" }, "https:///{x}", { x = "evil.example" } },
  { "WHATWG URL 4.4", "by a path expression", { "url", "expected a host" }, "HTTP://{/x}", { x = "evil.example" } },
  { "WHATWG URL 4.4", "by a query",           { "url", "expected a host" }, "https://?x", {} },
  { "WHATWG URL 4.4", "by nothing",           { "url", "expected a host" }, "https://", {} },
})

harmless("schemes without a host", url, {
  { "RFC 3986 3",     "an empty host",        "urn:///evil.example", "urn:///{x}", { x = "evil.example" } },
})

describe("a value that names another host", function()
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
    it(("stays in the path behind a baseUrl: %s (CWE-918)"):format(value), function()
      for _, template in ipairs { "{x}", "/{x}", "{+x}", "/{+x}", ":x", "{/x}", "{.x}", "{;x}", "{?x}", "{#x}" } do
        assert_host(template, pcall(based, "https://h", template, { x = value }))
      end
    end)

    it(("stays in the path of an absolute template: %s (CVE-2025-27152)"):format(value), function()
      for _, template in ipairs { "https://h/{x}", "https://h/{+x}", "https://h/:x", "https://h{/x}", "https://h{?x}" } do
        assert_host(template, pcall(url, template, { x = value }))
      end
    end)

    it(("names no host on a bare path: %s (CVE-2024-39338)"):format(value), function()
      for _, base in ipairs { "", "/", "/v1" } do
        for _, template in ipairs { "/{x}", "/{+x}", "/{x}/y", "//{x}", "/{+x}/y", "{/x}" } do
          local ok, result = pcall(based, base, template, { x = value })
          if ok then
            assert.falsy(result:find("^//"), base .. template)
            assert.falsy(result:find("^[%w.+-]*:"), base .. template)
          end
        end
      end
    end)
  end
end)

refused("a value in the authority", endpoint, {
  { "RFC 3986 3.2.1", "that makes the host userinfo", { 'parameter "x"', "host" },
    "https://api{x}", { x = "@evil.example" } },
  { "RFC 3986 3.2.1", "that does so under +", { 'parameter "x"', "host" },
    "https://api.service.example{+x}/y", { x = "@evil.example" } },
  { "CVE-2018-3774",  "with a backslash",     { 'parameter "x"', "host" }, "https://{+x}.h/", { x = "evil.example\\" } },
  { "CVE-2016-8624",  "with a # before @",    { 'parameter "x"', "host" }, "https://{+x}.h/", { x = "evil.example#@" } },
  { "CWE-918",        "with a slash before the rest", { 'parameter "x"', "host" }, "https://{+x}.h/",
    { x = "evil.example/" } },
  { "CWE-918",        "with ? before the rest", { 'parameter "x"', "host" }, "https://{x}.h/", { x = "evil.example?" } },
  { "CWE-918",        "that is another URL",  { 'parameter "x"', "host" }, "https://{+x}", { x = "//evil.example" } },
  { "CWE-918",        "in a list",            { 'parameter "x"', "host" }, "https://h{+x*}", { x = { "a", "@b" } } },
  { "CWE-918",        "in a key of a map",    { 'parameter "x"', "host" }, "https://h{+x*}", { x = { ["@b"] = 1 } } },
  { "CWE-918",        "that is missing",      { 'parameter "x"', "host" }, "https://{x}.h/", {} },
  { "CWE-918",        "that is empty",        { 'parameter "x"', "host" }, "https://{x}.h/", { x = "" } },
})

harmless("an absolute URL as a value", based, {
  { "CVE-2025-27152", "under + at a host",    "https://h/https://evil.example", "https://h", "{+x}",
    { x = "https://evil.example" } },
  { "CVE-2024-39338", "a scheme-relative one at a host", "https://h//evil.example/y", "https://h", "/{+x}",
    { x = "/evil.example/y" } },
  { "RFC 3986 4.2",   "a scheme-relative one on a path", "/v1//evil.example", "/v1", "/{+x}", { x = "/evil.example" } },
  { "RFC 3986 3.2",   ".evil.example behind the host", "https://h/.evil.example", "https://h", "{+x}",
    { x = ".evil.example" } },
  { "RFC 3986 3.2",   "@evil.example behind the host", "https://h/@evil.example", "https://h", "{+x}",
    { x = "@evil.example" } },
  { "RFC 3986 3.2",   ":80 behind the host",  "https://h/:80", "https://h", "{+x}", { x = ":80" } },
  { "RFC 3986 3.1",   "a scheme behind a slash", "/https:evil", "", "/{+x}", { x = "https:evil" } },
})

refused("a value that makes a URL absolute", based, {
  { "RFC 3986 4.2",   "with an empty base",   { "url", "names a host" }, "", "/{+x}", { x = "/evil.example" } },
  { "RFC 3986 4.2",   "with the base /",      { "url", "names a host" }, "/", "//{x}", { x = "evil.example" } },
  { "RFC 3986 3.1",   "by completing a scheme", { "url", "scheme" }, "", "http{x}://evil.example", { x = "s" } },
  { "RFC 3986 3.1",   "by the colon of a scheme", { "url", "scheme" }, "", "https{+x}", { x = "://evil.example" } },
})

-- parameters that pose as something else ---------------------------------------------

refused("a field that redirects", endpoint, {
  { "CWE-915",        "url beside a route", { '"url"', "route", "data" }, "POST /hooks", { url = "https://evil.example" } },
  { "CWE-915",        "method beside a route", { '"method"', "route" }, "GET /x", { method = "DELETE" } },
  { "CWE-915",        "baseUrl of a wrong shape", { '"baseUrl"' }, "/x", { baseUrl = "evil.example" } },
  { "CWE-915",        "{url} in a template",  { "template", '"url"', "option" }, "/{url}", {} },
  { "CWE-915",        "{?headers*} in a template", { '"headers"', "option" }, "/{?headers*}", { headers = {} } },
  { "CWE-843",        "headers as a string",  { '"headers"', "table" }, "/x", { headers = "a: b" } },
  { "CWE-235",        "two headers that differ in case", { 'header "host"', "case" }, "/x",
    { headers = { Host = "a", host = "b" } } },
  { "CWE-444",        "data under GET",       { '"data"', "body" }, "GET /x", { data = "GET /evil HTTP/1.1" } },
  { "CWE-444",        "data under TRACE",     { '"data"', "body" }, "TRACE /x", { data = "a" } },
  { "CWE-444",        "parameters under TRACE", { 'parameter "a"' }, "TRACE /x", { a = 1 } },
  { "CWE-235",        "a map in the query",   { 'parameter "a"', "map" }, "/x", { a = { b = 1 } } },
  { "CWE-843",        "keys that are not strings", { "keys", "number" }, "/x", { "evil" } },
})

harmless("separators in names and values", url, {
  { "CWE-141",        "& and = in a value",   BASE .. "/?a=1%26admin%3D1", "/", { a = "1&admin=1" } },
  { "CWE-141",        "& and = in a name",    BASE .. "/?a%3D1%26admin=1", "/", { ["a=1&admin"] = 1 } },
  { "CWE-141",        "# in a name",          BASE .. "/?a%23=1", "/", { ["a#"] = 1 } },
  { "CWE-141",        "# and ? in a value",   BASE .. "/x%3Fa%23b?c=%3F%23", "/{x}", { x = "x?a#b", c = "?#" } },
  { "CWE-141",        "& in a map's key",     BASE .. "/?a%26b%3Dc=1", "/{?m*}", { m = { ["a&b=c"] = 1 } } },
  { "CWE-141",        "& in a map's key behind a literal", BASE .. "/?x&a%26b=1", "/?x{&m*}",
    { m = { ["a&b"] = 1 } } },
  { "CWE-141",        "; and / in a matrix key", BASE .. "/x;a%3Bb%2Fc=1", "/x{;m*}", { m = { ["a;b/c"] = 1 } } },
  { "CWE-141",        "a comma in an element", BASE .. "/a,b%2Cc", "/{x}", { x = { "a", "b,c" } } },
  { "CWE-141",        "braces in a value",    BASE .. "/%7By%7D", "/{x}", { x = "{y}" } },
  { "CWE-141",        "a colon variable in a value", BASE .. "/%3Ay/%3Ay", "/{x}/:x", { x = ":y" } },
  { "CWE-141",        "white space that ends a route", BASE .. "/%20HTTP%2F1.1", "/{x}", { x = " HTTP/1.1" } },
  { "CWE-134",        "conversions of printf", BASE .. "/%25s%25n?%25n=%25s", "/{x}", { x = "%s%n", ["%n"] = "%s" } },
  { "CWE-1321",       "names of metamethods", BASE .. "/?__index=1&__proto__=2", "/", { __index = 1, __proto__ = 2 } },
  { "RFC 6570 10",    "an absolute URL in the query", BASE .. "/?u=https%3A%2F%2Fevil.example", "/{?u}",
    { u = "https://evil.example" } },
})

refused("text of printf in an error", endpoint, {
  { "CWE-134",        "in a parameter's name", { 'parameter "%s%n%s"' }, "/", { ["%s%n%s"] = print } },
  { "CWE-134",        "in a route",           { '"/%s%n{"' }, "/%s%n{" },
  { "CWE-117",        "a line's end in a parameter's name", { 'parameter "a\\x0Aendpoint: b"' }, "/",
    { ["a\nendpoint: b"] = print } },
})

describe("an error", function()
  -- Each is given a text that must not come back.
  local secrets = {
    { "CWE-532", "a header's value",      "/x", { headers = { authorization = "SECRET\n" } } },
    { "CWE-532", "a header of a list",    "/x", { headers = { authorization = { "SECRET\n" } } } },
    { "CWE-532", "data",                  "GET /x", { data = "SECRET" } },
    { "CWE-532", "a value of the query",  "/x", { a = { SECRET = "SECRET" } } },
    { "CWE-532", "a body's value",        "TRACE /x", { a = "SECRET" } },
    { "CWE-522", "userinfo of baseUrl",   "/x", { baseUrl = "https://u:SECRET@h#" } },
    { "CWE-598", "the query of baseUrl",  "/{x}", { baseUrl = "https://h/?SECRET", x = ".." } },
    { "CWE-598", "the query of a bare path", "//h", { baseUrl = "/?SECRET" } },
    { "CWE-522", "userinfo of a template", "https://u:SECRET@h/{" },
    { "CWE-522", "userinfo of a route",   "G:T https://u:SECRET@h/" },
    { "CWE-522", "userinfo with a space", "https://u:SECRET x@h/" },
    { "CWE-522", "userinfo behind no slash", "u:SECRET@h/{" },
    { "CWE-522", "userinfo behind no slash, with a space", "u:SECRET x@h/" },
    { "CWE-522", "userinfo behind an @",  "@SECRET@h/{" },
    { "CWE-522", "userinfo behind one slash", "http:/u:SECRET@h/{" },
    { "CWE-522", "userinfo behind backslashes", "http:\\\\u:SECRET@h/{" },
    { "CWE-522", "userinfo without a scheme", "//u:SECRET@h/{" },
    { "CWE-522", "userinfo of a URL without a host", "https://u:SECRET@/x" },
  }
  for _, row in ipairs(secrets) do
    it(("does not show %s (%s)"):format(row[2], row[1]), function()
      local message = support.message_of(endpoint, row[3], row[4])
      assert.is_nil(message:find("SECRET", 1, true), message)
    end)
  end

  it("stays short for a long text (CWE-400)", function()
    local long = ("a\nb"):rep(100000)
    for _, route in ipairs { "/" .. long, "/{" .. long, long .. " /x", "/{" .. LETTERS:rep(1000) .. "!}" } do
      assert.is_true(#support.message_of(endpoint, route) < 300)
    end
    assert.is_true(#support.message_of(endpoint, "/", { [long] = print }) < 300)
    assert.is_true(#support.message_of(endpoint, "/", { headers = { [long] = "v" } }) < 300)
  end)
end)

-- paths that lose their end -------------------------------------------------------------

refused("a DELETE that would reach the collection", endpoint, {
  { "CWE-88",         "without the value",    { 'parameter "repo"', "missing" },
    "DELETE /repos/:owner/:repo", { owner = "o" } },
  { "CWE-88",         "with an empty value",  { 'parameter "repo"', "empty" },
    "DELETE /repos/:owner/:repo", { owner = "o", repo = "" } },
  { "CWE-88",         "with null",            { 'parameter "repo"', "missing" },
    "DELETE /repos/:owner/:repo", { owner = "o", repo = null } },
  { "CWE-88",         "with an empty list",   { 'parameter "repo"' }, "DELETE /repos/{repo}", { repo = {} } },
  { "CWE-88",         "with a list of an empty text", { 'parameter "repo"', "empty" },
    "DELETE /repos/{repo}", { repo = { "" } } },
  { "CWE-88",         "with a value that opens a query", { 'parameter "id"' }, "DELETE /repos/{+id}", { id = "?all=1" } },
  { "CWE-88",         "with a value that opens a fragment", { 'parameter "id"' }, "DELETE /repos/{+id}", { id = "#" } },
  { "CWE-88",         "with a misspelt name", { 'parameter "id"', "missing" }, "DELETE /users/{id}/keys", { ID = 1 } },
})

-- sameness -----------------------------------------------------------------------------------

describe("the order of parameters", function()
  local NAMES = { "b", "a", "page", "per_page", "Z", "_", "a.b", "é", "0", "" }
  -- Fills tables in different orders, with holes, so that their hash parts differ.
  local function filled(rotation, step)
    local options = {}
    for i = 1, 64 * rotation do options["x" .. i] = i end
    for i = 1, 64 * rotation do options["x" .. i] = nil end
    for i = 0, #NAMES - 1 do options[NAMES[(rotation + i * step) % #NAMES + 1]] = "v" end
    return options
  end

  it("does not show in a query (hash-order differences)", function()
    local expected = BASE .. "/?=v&0=v&Z=v&_=v&a=v&a.b=v&b=v&page=v&per_page=v&%C3%A9=v"
    for rotation = 0, #NAMES do
      for _, step in ipairs { 1, 3, 7, 9 } do
        assert.equal(expected, url("/", filled(rotation, step)))
      end
    end
  end)

  it("does not show in a map (hash-order differences)", function()
    for _, operator in ipairs { "", "+", "#", ".", "/", ";", "?", "&" } do
      local first
      for rotation = 0, #NAMES do
        local result = url("/x{" .. operator .. "m*}", { m = filled(rotation, 3) })
        first = first or result
        assert.equal(first, result)
      end
    end
  end)

  it("does not show in which error is raised (hash-order differences)", function()
    for rotation = 0, #NAMES do
      support.raises('parameter ""', endpoint, "TRACE /x", filled(rotation, 3))
    end
  end)
end)

-- Runs f under the first of the locales that there is; without one the row is pending.
local function under_locale(names, f)
  local before = os.setlocale()
  for _, name in ipairs(names) do
    if os.setlocale(name) then
      local ok, message = pcall(f)
      os.setlocale(before)
      assert.is_true(ok, message)
      return
    end
  end
  pending "no such locale is installed"
end

describe("a locale", function()
  it("with a decimal comma does not change numbers (CWE-1286)", function()
    under_locale({ "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8" }, function()
      assert.equal(BASE .. "/1.5?a=0.1&b=1e-7&c=-2.25", url("/{x}", { x = 1.5, a = 0.1, b = 1e-7, c = -2.25 }))
      assert.equal(BASE .. "/0.30000000000000004", url("/{x}", { x = 0.1 + 0.2 }))
      assert.equal(BASE .. "/1.5,2.5", url("/{x}", { x = { 1.5, 2.5 } }))
      assert.equal(BASE .. "/?a=1.5%2C2.5", url("/", { a = { 1.5, 2.5 } }))
    end)
  end)

  it("of Turkey does not change letters (CWE-178)", function()
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

-- tables ---------------------------------------------------------------------------------

local function nested(depth)
  local root = {}
  local at = root
  for _ = 2, depth do
    at.a = {}
    at = at.a
  end
  return root
end

local function cyclic()
  local t = {}
  t.t = t
  return t
end

refused("a table without end in defaults", endpoint.defaults, {
  { "CWE-674",        "a cycle",              { '"a"', "cycle" }, { a = cyclic() } },
  { "CWE-674",        "a cycle in data",      { '"data"', "cycle" }, { data = cyclic() } },
  { "CWE-674",        "a cycle by a key",     { '"a"', "cycle" }, { a = (function()
    local t = {}
    t[t] = true
    return t
  end)() } },
  { "CWE-674",        "a depth of 10,000",    { '"a"', "deep" }, { a = nested(10000) } },
  { "CWE-674",        "a depth of 101",       { '"a"', "deep" }, { a = nested(101) } },
})

refused("a table without end as text", endpoint, {
  { "CWE-674",        "a cycle in the path",  { 'parameter "a"', "table" }, "/{a}", { a = cyclic() } },
  { "CWE-674",        "a cycle in the query", { 'parameter "a"' }, "/", { a = cyclic() } },
  { "CWE-674",        "a depth of 10,000",    { 'parameter "a"', "table" }, "/{?a*}", { a = nested(10000) } },
  { "CWE-674",        "a cycle in a header",  { 'header "a"' }, "/", { headers = { a = cyclic() } } },
})

describe("a table without end", function()
  it("goes into body as it is (CWE-674)", function()
    local cycle, deep = cyclic(), nested(10000)
    assert.is_true(rawequal(cycle, endpoint("POST /", { a = cycle }).body.a))
    assert.is_true(rawequal(deep, endpoint("POST /", { data = deep }).body))
    assert.is_true(rawequal(deep, endpoint.merge("POST /", { a = deep }).a))
    assert.is_true(rawequal(cycle, endpoint("/", { request = cycle }).request))
  end)

  it("is copied a hundred deep (CWE-674)", function()
    assert.equal("table", type(endpoint.defaults({ a = nested(100) }).DEFAULTS.a))
  end)

  it("shared a million times is copied once (CWE-776)", function()
    local t = {}
    for _ = 1, 20 do t = { t, t } end
    local d = endpoint.defaults({ a = t }).DEFAULTS.a
    assert.is_true(rawequal(d[1], d[2]))
  end)
end)

describe("a hostile metatable", function()
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

  it("is not consulted by a call (CWE-1321)", function()
    local got = endpoint("GET /{list}{?map*}", all())
    assert.equal(BASE .. "/a,b?k=v", got.url)
    assert.equal("c,d", table.concat(got.headers["x-l"], ","))
    assert.equal("application/vnd.service.p-preview.raw", got.headers.accept)
    expect_untouched()
  end)

  it("is not consulted by merge and parse (CWE-1321)", function()
    local merged = endpoint.merge("GET /{list*}", all())
    assert.is_nil(getmetatable(merged))
    assert.equal("b", rawget(merged.headers, "x-a"))
    setmetatable(merged, metatable)
    merged.map = nil
    assert.equal(BASE .. "/a,b", endpoint.parse(merged).url)
    expect_untouched()
  end)

  it("is not consulted by defaults, which keep it (CWE-1321)", function()
    local options = all()
    local api = endpoint.defaults(options)
    assert.equal(BASE .. "/a,b?k=v", api("GET /{list}{?map*}").url)
    assert.is_true(getmetatable(api.DEFAULTS.list) == metatable)
    assert.is_nil(getmetatable(api.DEFAULTS.headers))
    expect_untouched()
  end)

  it("is not consulted under a body (CWE-1321)", function()
    local options = all()
    options.request = nil
    local got = endpoint("POST /", options)
    assert.is_true(rawequal(got.body.list, rawget(options, "list")))
    expect_untouched()
  end)

  it("is not consulted by an error (CWE-1321)", function()
    support.raises('parameter "a"', endpoint, "/", { a = hostile { hostile {} } })
    support.raises("nothing after", endpoint, hostile {}, hostile {})
    support.raises('"url"', endpoint, hostile { url = hostile {} })
    support.raises('header "a"', endpoint, "/", { headers = { a = hostile { hostile {} } } })
    support.raises('"previews"', endpoint, "/", { mediaType = { previews = hostile { hostile {} } } })
    expect_untouched()
  end)

  it("does not lend options by __index (CWE-1321)", function()
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

  it("does not make a list by __len (CWE-1321)", function()
    local long = setmetatable({ "a", "b" }, { __len = function() return 2 ^ 31 end })
    assert.equal(BASE .. "/a,b", url("/{x}", { x = long }))
  end)

  it("with __gc is run for the caller's table alone (CWE-416)", function()
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

  it("that is false does not pass for null (CWE-843)", function()
    support.raises({ 'parameter "x"', "userdata" }, endpoint, "/{x}", { x = io.stdout })
    support.raises({ 'parameter "x"', "userdata" }, endpoint, "/{x}", { x = endpoint })
    support.raises({ 'parameter "x"', "function" }, endpoint, "/{x}", { x = endpoint.merge })
  end)
end)

-- self ------------------------------------------------------------------------------------

local other = endpoint.defaults {}

refused("a member with a wrong self", function(name, ...)
  return endpoint[name](...)
end, {
  { "CWE-843",        "merge of another endpoint", { "argument 1", "another endpoint" }, "merge", other, "/x" },
  { "CWE-843",        "parse of another endpoint", { "argument 1", "another endpoint" }, "parse", other, { url = "/x" } },
  { "CWE-843",        "defaults of another endpoint", { "argument 1", "another endpoint" }, "defaults", other, {} },
  { "CWE-843",        "merge of a file",      { "argument 1", "userdata" }, "merge", io.stdout, "/x" },
  { "CWE-843",        "parse of a file",      { "argument 1", "userdata" }, "parse", io.stdout },
  { "CWE-843",        "parse of null",        { "argument 1", "null" }, "parse", null },
  { "CWE-843",        "defaults of a number", { "argument 1", "number" }, "defaults", 1 },
  { "CWE-843",        "itself twice",         { "argument 1", "another endpoint" }, "merge", endpoint, endpoint },
  { "CWE-843",        "itself as options",    { "argument 2", "userdata" }, "merge", "/x", endpoint },
})

refused("a call with a wrong self", endpoint, {
  { "CWE-843",        "the endpoint itself",  { "argument 1", "userdata" }, endpoint },
  { "CWE-843",        "another endpoint",     { "argument 1", "userdata" }, other, "/x" },
  { "CWE-843",        "an endpoint as options", { "argument 2", "userdata" }, "/x", other },
})

describe("an endpoint", function()
  it("hides its metatable, whose functions want no other self (CWE-843)", function()
    assert.is_false(getmetatable(endpoint))
    assert.is_false(pcall(setmetatable, endpoint, {}))
  end)

  it("does not change (CWE-471)", function()
    support.raises("defaults", function() endpoint.merge = print end)
    support.raises("defaults", function() endpoint.null = 1 end)
    assert.is_false(pcall(rawset, endpoint, "merge", print))
    endpoint.DEFAULTS.headers.accept = "evil"
    endpoint.DEFAULTS.baseUrl = "https://evil.example"
    assert.equal(BASE .. "/x", url "/x")
  end)
end)

-- time and memory --------------------------------------------------------------------------

describe("a text that costs too much", function()
  local function seconds(f, ...)
    local began = os.clock()
    f(...)
    return os.clock() - began
  end

  local function accept(value, previews)
    return endpoint("/", { headers = { accept = value }, mediaType = { previews = previews, format = "raw" } })
  end

  -- Quadratic work on a megabyte takes minutes. spec/tools/linear.lua counts steps.
  local rows = {
    { "CVE-2025-25285", "dashes in accept",      accept, ("-"):rep(1000000), { "p" } },
    { "CVE-2025-25285", "-preview in accept",    accept, ("-preview"):rep(100000), { "p" } },
    { "CVE-2025-25285", "a vendor without end",  accept, ("application/vnd."):rep(100000) },
    { "CWE-1333",       "spaces in accept",      accept, (" "):rep(1000000) .. "x" },
    { "CWE-1333",       "white space in a route", pcall, endpoint, "GET " .. (" "):rep(1000000) .. "/x" },
    { "CWE-1333",       "braces",                pcall, endpoint, ("{"):rep(1000000) },
    { "CWE-1333",       "names",                 pcall, endpoint, ("/{a}"):rep(100000), { a = "b" } },
    { "CWE-1333",       "slashes",               pcall, endpoint, "/{+x}", { x = ("/"):rep(1000000) } },
    { "CWE-1333",       "half triplets",         pcall, endpoint, "/{+x}", { x = ("%2"):rep(500000) } },
    { "CWE-400",        "a value of 10 MB",      pcall, endpoint, "/{x}", { x = ("\0"):rep(10000000) } },
  }
  for _, row in ipairs(rows) do
    it(("takes a moment for %s (%s)"):format(row[2], row[1]), function()
      assert.is_true(seconds(unpack(row, 3)) < 5)
    end)
  end

  it("is not kept in the cache (CWE-400)", function()
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

describe("a call at the end of the stack (CWE-674)", function()
  it("raises, and harms nothing", function()
    local failures, message = 0, nil
    local function descend(...) -- by some fifty slots, fewer than a call wants
      local ok, result = pcall(endpoint, "/{x}", { x = "a" })
      if not ok then failures, message = failures + 1, result end
      return descend(...) .. ""
    end
    assert.is_false(pcall(descend, ("x"):rep(20):byte(1, -1)))
    -- Lua 5.1 counts the calls in each other: there the next one raises first.
    if jit or _VERSION ~= "Lua 5.1" then
      assert.is_true(failures > 0)
      assert.truthy(message:find("stack overflow", 1, true), message)
    end
    assert.equal(BASE .. "/a", url("/{x}", { x = "a" }))
  end)
end)
