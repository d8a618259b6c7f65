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
    { "an empty name beside a variable",       "/{a}",     { [""] = 1, a = 2 },                  "/2?=1" },
    { "no data that the template uses",        "/{data}",  { data = "d", a = 1 },                "/d?a=1" },
  }
  for _, case in ipairs(cases) do
    it("has " .. case[1], function()
      assert.equal("https://h" .. case[4], url("GET " .. case[2], case[3]))
      assert.equal("https://h" .. case[4], url("HEAD " .. case[2], case[3]))
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

  it("refuses a map and says how to send one", function()
    support.raises({ 'parameter "a"', "map", "{?a*}" }, api, "/x", { a = { b = 1 } })
    support.raises({ 'parameter "labels"', "map", "{?labels*}" }, api, "/x", { labels = { b = 1 } })
    support.raises({ [[parameter "a\x22b"]], [[{?a\x22b*}]] }, api, "/x", { ['a"b'] = { b = 1 } })
  end)

  it("refuses values without a text", function()
    support.raises({ 'parameter "a"', "function" }, api, "/x", { a = print })
    support.raises({ 'parameter "a"', "finite", "NaN" }, api, "/x", { a = 0 / 0 })
    support.raises({ 'parameter "a"', "table" }, api, "/x", { a = { {} } })
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
