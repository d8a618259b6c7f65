-- Left-over parameters, which the template does not use, under GET, HEAD and other
-- methods without a body.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = endpoint.defaults { baseUrl = "https://h" }

local function url(route, options)
  return api(route, options).url
end

describe("the query of left-over parameters", function()
  local cases = {
    { "a name and a value",                    "/x",       { a = "b" },                          "/x?a=b" },
    { "bytewise name order",                   "/x",       { b = 1, a = 2, B = 3, ["a-"] = 4 },  "/x?B=3&a=2&a-=4&b=1" },
    { "names and values encoded", "/x", { ["a b&"] = "c d&=/é" }, "/x?a%20b%26=c%20d%26%3D%2F%C3%A9" },
    { "numbers and booleans as their text",    "/x",       { n = 200 / 2, t = true, f = false }, "/x?f=false&n=100&t=true" },
    { "a list as one value",                   "/x",       { a = { "b", "c,d", 3 } },            "/x?a=b%2Cc%2Cd%2C3" },
    { "a list without its nulls",              "/x",       { a = { null, "b", null, "c" } },     "/x?a=b%2Cc" },
    { "no pair for a list of nulls",           "/x",       { a = { null, null } },               "/x" },
    { "no pair for an empty list",             "/x",       { a = {} },                           "/x" },
    { "no pair for null",                      "/x",       { a = null, b = 1 },                  "/x?b=1" },
    { "a name for an empty string",            "/x",       { a = "" },                           "/x?a=" },
    { "a name for a list of an empty string",  "/x",       { a = { "" } },                       "/x?a=" },
    { "its place behind a literal query",      "/x?y=1",   { a = 2 },                            "/x?y=1&a=2" },
    { "its place behind an empty query",       "/x?",      { a = 2 },                            "/x?a=2" },
    { "its place behind a trailing &",         "/x?y&",    { a = 2 },                            "/x?y&a=2" },
    { "its place behind {?x}",                 "/x{?y}",   { y = 1, a = 2 },                     "/x?y=1&a=2" },
    { "its place behind {?x} without a value", "/x{?y}",   { a = 2 },                            "/x?a=2" },
    { "its place before a fragment",           "/x#f",     { a = 2 },                            "/x?a=2#f" },
    { "its place between a query and a fragment", "/x?y#f?g", { a = 2 },                         "/x?y&a=2#f?g" },
    { "its place before a fragment with a ?",  "/x#f?g",   { a = 2 },                            "/x?a=2#f?g" },
    { "its place before {#x}",                 "/x{#y}",   { y = "z", a = 2 },                   "/x?a=2#z" },
    { "its place behind a ? of {+x}",          "/{+y}",    { y = "p?q", a = 2 },                 "/p?q&a=2" },
    { "an empty name",                         "/x",       { [""] = 1 },                         "/x?=1" },
    { "its place behind a literal ? in the query", "/x?y?z", { a = 2 },                          "/x?y?z&a=2" },
    { "its place in a query that values end",  "/x?{+y}",  { y = "b&", a = 2 },                  "/x?b&a=2" },
    { "its place behind / of a host",          "",         { a = 2 },                            "/?a=2" },
    { "an empty name beside a variable",       "/{a}",     { [""] = 1, a = 2 },                  "/2?=1" },
    { "no data that the template uses",        "/{data}",  { data = "d", a = 1 },                "/d?a=1" },
  }
  for _, case in ipairs(cases) do
    it("has " .. case[1], function()
      for _, method in ipairs { "GET", "HEAD" } do
        local options = { method = method, url = case[2] }
        for name, value in pairs(case[3]) do options[name] = value end
        assert.equal("https://h" .. case[4], api(options).url)
      end
    end)
  end

  it("is sorted when it is long", function()
    local options, expected = {}, {}
    for i = 1, 500 do
      local name = ("p%04d"):format(i * 7919 % 10000)
      options[name] = i
      expected[i] = name .. "=" .. i
    end
    table.sort(expected)
    assert.equal("https://h/x?" .. table.concat(expected, "&"), url("/x", options))
  end)

  it("has a pair for each element of a list whose name ends in []", function()
    local lists = {
      { { ["labels[]"] = { "b", "a" } },           "labels%5B%5D=b&labels%5B%5D=a" },
      { { ["l[]"] = { "a,b", 1, true, null, "" } }, "l%5B%5D=a%2Cb&l%5B%5D=1&l%5B%5D=true&l%5B%5D=" },
      { { ["l[]"] = {} } },
      { { ["l[]"] = { null } } },
      { { ["l[]"] = "a" },                          "l%5B%5D=a" },
      { { ["[]"] = { "a", "b" } },                  "%5B%5D=a&%5B%5D=b" },
      { { ["l[]"] = { "x" }, k = 1, m = 2 },        "k=1&l%5B%5D=x&m=2" },
      -- A list under any other name is one value.
      { { ["l[a]"] = { "a", "b" } },                "l%5Ba%5D=a%2Cb" },
      { { ["l[] "] = { "a", "b" } },                "l%5B%5D%20=a%2Cb" },
      { { ["]"] = { "a", "b" } },                   "%5D=a%2Cb" },
      { { l = { null, "a", null, "b" } },           "l=a%2Cb" },
    }
    for _, case in ipairs(lists) do
      assert.equal("https://h/x" .. (case[2] and "?" .. case[2] or ""), url("/x", case[1]))
    end
    support.raises({ 'parameter "l[]"', "table" }, api, "/x", { ["l[]"] = { {} } })
    support.raises({ 'parameter "l[]"', "map" }, api, "/x", { ["l[]"] = { a = 1 } })
  end)

  it("is empty under POST, whose body keeps a list under a name with []", function()
    local list = { "a" }
    assert.equal(list, api("POST /x", { ["l[]"] = list }).body["l[]"])
  end)

  it("refuses a map and says how to send it, with its own name", function()
    support.raises({ 'parameter "a"', "map", "{?a*}" }, api, "/x", { a = { b = 1 } })
    support.raises({ 'parameter "labels"', "map", "{?labels*}" }, api, "HEAD /x", { labels = { a = null, b = 1 } })
    support.raises({ [[parameter "a\x22b"]], [[{?a\x22b*}]] }, api, "/x", { ['a"b'] = { b = 1 } })
    assert.equal("https://h/x?b=1", url("/x{?a*}", { a = { b = 1 } }))
  end)

  it("refuses values without a text", function()
    support.raises({ 'parameter "a"', "function" }, api, "/x", { a = print })
    support.raises({ 'parameter "a"', "finite", "NaN" }, api, "/x", { a = 0 / 0 })
    support.raises({ 'parameter "a"', "table" }, api, "/x", { a = { {} } })
  end)
end)

describe("a default parameter", function()
  local paged = api.defaults { page = 1, per_page = 100 }
  local cases = {
    -- url                              values              URL, in which default parameters have the values 1 and 100
    { "/x?per_page=50&page=2",          {},                 "/x?per_page=50&page=2" },
    { "/x?page=2",                      {},                 "/x?page=2&per_page=100" },
    { "/x?page=&per_page#f",            {},                 "/x?page=&per_page#f" },
    { "?page=2&&per_page=50&",          {},                 "/?page=2&&per_page=50&" },
    { "https://h?page=2&q=1",           {},                 "/?page=2&q=1&per_page=100" },
    { "/x?page=2&per_page={q}",         { q = 3 },          "/x?page=2&per_page=3" },
    { "/x?{+q}&page=2&per_page=3",      { q = "r" },        "/x?r&page=2&per_page=3" },
    { "/x?page{&q}&per_page{#q}",       { q = 3 },          "/x?page&q=3&per_page#3" },
    -- A pair of an expression does not count, nor does one that its value makes.
    { "/x?page=2{&q*}",                 { q = { per_page = 3 } }, "/x?page=2&per_page=3&per_page=100" },
    { "/x?{+q}&per_page=3",             { q = "page=2" },   "/x?page=2&per_page=3&page=1" },
    { "/x?pa{q}=2&per_page=3",          { q = "ge" },       "/x?page=2&per_page=3&page=1" },
    { "/x?{+q}page=2&per_page=3",       { q = "a&" },       "/x?a&page=2&per_page=3&page=1" },
    -- Nor does a parameter that an expression of the url uses, or that the call gives.
    { "/x?per_page=50{&page}",          {},                 "/x?per_page=50&page=1" },
    { "/x?page=2&per_page=50{&page}",   {},                 "/x?page=2&per_page=50&page=1" },
    { "/x?page=2&per_page=50{#page}",   {},                 "/x?page=2&per_page=50#1" },
    { "/x?page=2&per_page=50",          { page = 7 },       "/x?page=2&per_page=50&page=7" },
    { "/x?page=2",                      { per_page = null }, "/x?page=2" },
    -- Only the whole name of a pair counts, as it would be written.
    { "/x?xpage=2&per_page=50",         {},                 "/x?xpage=2&per_page=50&page=1" },
    { "/x?pages=2&per_page=50",         {},                 "/x?pages=2&per_page=50&page=1" },
    { "/x?PAGE=2&per_page=50",          {},                 "/x?PAGE=2&per_page=50&page=1" },
    { "/x?%70age=2&per_page=50",        {},                 "/x?%70age=2&per_page=50&page=1" },
    { "/x?q=page&per_page=50",          {},                 "/x?q=page&per_page=50&page=1" },
    { "/x?q=1?page=2&per_page=50",      {},                 "/x?q=1?page=2&per_page=50&page=1" },
    { "/a&page=2?per_page=50",       {},                 "/a&page=2?per_page=50&page=1" },
    { "/x?per_page=50#?page=2&page=3",  {},                 "/x?per_page=50&page=1#?page=2&page=3" },
    { "/x?per_page=50#{q}&page=3",      {},                 "/x?per_page=50&page=1#&page=3" },
    { "/x#?per_page=50&page=2",         {},                 "/x?page=1&per_page=100#?per_page=50&page=2" },
  }
  for _, case in ipairs(cases) do
    it(("is left out if the url's own query names it: %s with %s"):format(case[1], support.shown(case[2])), function()
      local options = { url = case[1] }
      for name, value in pairs(case[2]) do options[name] = value end
      for _, method in ipairs { "GET", "head" } do
        options.method = method
        assert.equal("https://h" .. case[3], paged(options).url)
        assert.equal("https://h" .. case[3], paged.parse(paged.merge(options)).url)
        assert.equal("https://h" .. case[3], paged(method .. " " .. case[1], case[2]).url)
      end
    end)
  end

  it("is left out where its name is encoded", function()
    local odd = api.defaults { ["a b"] = 1, ["l[]"] = { 2 }, ["\195\169"] = 3 }
    assert.equal("https://h/x?a%20b&l%5B%5D=4&%C3%A9", odd("GET /x?a b&l%5B%5D=4&\195\169").url)
    assert.equal("https://h/x?a%20b&l[]=4&%C3%A9&l%5B%5D=2", odd("GET /x?a b&l[]=4&\195\169").url)
  end)

  it("is left out beside a default url and method, too", function()
    assert.equal("https://h/x?page=2&per_page=5", paged.defaults { url = "/x?page=2&per_page=5", method = "HEAD" }().url)
  end)

  it("is not left out if only the query of baseUrl names it", function()
    assert.equal("https://h/x?page=2&page=1&per_page=100", paged.defaults { baseUrl = "https://h?page=2" }("/x").url)
  end)

  it("stays in a body, and is refused where there is none", function()
    for _, method in ipairs { "POST", "PUT", "PATCH", "DELETE", "QUERY" } do
      assert.same({ page = 1, per_page = 100 }, paged(method .. " /x?page=2").body)
    end
    support.raises('parameter "page"', paged, "OPTIONS /x?page=2&per_page=1")
  end)
end)

describe("a method that is not GET, HEAD, POST, PUT, PATCH, DELETE or QUERY", function()
  it("refuses left-over parameters and names the first, in bytewise order", function()
    support.raises({ 'parameter "a"', "in data", "neither as query nor as body" }, api, "OPTIONS /x", { b = 1, a = 1 })
    for _, method in ipairs { "TRACE", "CONNECT" } do
      local message = support.message_of(api, method .. " /x", { a = 1 })
      assert.truthy(message:find("expected a place in the url, for", 1, true), message)
    end
  end)

  it("accepts a null, which cancels a default", function()
    local paged = api.defaults { per_page = 100 }
    support.raises('parameter "per_page"', paged, "PROPFIND /x")
    assert.equal("https://h/x", paged("PROPFIND /x", { per_page = null }).url)
  end)

  it("sends data as the body", function()
    assert.equal("<propfind/>", api("PROPFIND /x", { data = "<propfind/>" }).body)
  end)
end)
