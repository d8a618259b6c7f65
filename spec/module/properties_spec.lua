-- Properties of every call, tried with random calls. The seeds are fixed, so that a failure
-- can be repeated. spec/tools/differential.lua and whole_calls.lua try as many as they are told.
local endpoint = require "endpoint"
local checker = require "url_checker"
local differential = require "differential"
local oracle = require "oracle"
local support = require "support"
local whole_calls = require "whole_calls"

local ROUNDS = 3000
local null = endpoint.null
local shown = support.shown

describe("the oracle", function()
  local NAN = 0 / 0
  local cases = {
    -- base                template                  parameters                       URL, or nil where the call raises
    { "https://h",         "/a/{b}",                 { b = "é/" },                    "https://h/a/%C3%A9%2F" },
    { "https://h",         "café \"%",               {},                              "https://h/caf%C3%A9%20%22%25" },
    { "https://h/v1/",     "/x",                     {},                              "https://h/v1/x" },
    { "https://h/v1",      "x",                      {},                              "https://h/v1/x" },
    { "https://h/v1",      "",                       {},                              "https://h/v1" },
    { "https://h",         "?x",                     {},                              "https://h/?x" },
    { "https://h",         "#x",                     { l = 1 },                       "https://h/?l=1#x" },
    { "https://h/p?v=1",   "/x?a#f",                 { l = "" },                      "https://h/p/x?v=1&a&l=#f" },
    { "https://h/p?v=1&",  "/x{&a}",                 { a = 2, l = { 1, "b" } },       "https://h/p/x&a=2?v=1&l=1%2Cb" },
    { "https://h/p?",      "/x",                     { ["l[]"] = { 1, null, 2 } },    "https://h/p/x?l%5B%5D=1&l%5B%5D=2" },
    { "https://h/p?v=1",   "http://g?a",             {},                              "http://g/?a" },
    { "",                  "foo://g?a",              {},                              "foo://g?a" },
    { "",                  "/x",                     { l = { k = 1 } } },
    { nil,                 "/x",                     {} },
    { nil,                 "http://g:8080/:id",      { id = 7 },                      "http://g:8080/7" },
    { "https://h",         "/compare/:a...:b",       { a = 1, b = 2 },                "https://h/compare/1...2" },
    { "https://h",         "/v1/{+n}:cancel",        { n = "a/b" },                   "https://h/v1/a/b:cancel" },
    { "https://h",         "/x?:a",                  {},                              "https://h/x?:a" },
    -- Values.
    { "",                  "{a}/{b}",                { a = 5.0, b = 1e21 },           "5/1e%2B21" },
    { "",                  "{a}/{b}",                { a = 1e20, b = 1e-7 },          "100000000000000000000/1e-7" },
    { "",                  "{a}{b}{c}",              { a = 0.5, b = false, c = -0.0 }, "0.5false0" },
    { "",                  "x{?p*}",                 { p = { ["l[]"] = { "a", "b" }, k = null } }, "x?l%5B%5D=a&l%5B%5D=b" },
    { "",                  "{a:1}/{+b:2}",           { a = "日本", b = "%41%42c" },    "%E6%97%A5/%41%42" },
    { "",                  "{a}",                    { a = NAN } },
    { "",                  "{a}",                    { a = { 1, x = 2 } } },
    { "",                  "{a:1}",                  { a = { "x" } } },
    -- Dot segments.
    { "https://h",         "/{p}",                   { p = ".." } },
    { "https://h",         "/{+p}",                  { p = "../admin" } },
    { "https://h",         "/{p}",                   { p = "a/..;/..;/admin" } },
    { "https://h",         "/{p}",                   { p = "%2e%2e" } },
    { "https://h",         "/{+p}",                  { p = "a/%25252e%252E%255cb" } },
    { "https://h",         "/{+p}",                  { p = "a/..%3Fx" } },
    { "https://h",         "/{+p}",                  { p = "a/..%2523x" } },
    { "https://h",         "/{+p}",                  { p = "..%3bx" } },
    { "https://h",         "/{+p}",                  { p = "..x;../..%2541/..." },    "https://h/..x;../..%2541/..." },
    { "https://h",         "/{+p}",                  { p = "a..?/../" },              "https://h/a..?/../" },
    { "https://h",         "/a/../b",                {} },
    { "https://h",         "/a{/b}.",                { b = "." } },
    { "https://h/v/..",    "/x",                     {} },
    { "https://h/.%3B",    "/x",                     {} },
    -- Segments that must keep a byte.
    { "https://h",         "/r/:a/:b",               { a = 1 } },
    { "https://h",         "/r/{b}",                 { b = "/" } },
    { "https://h",         "/r/{+b}",                { b = "%2F" } },
    { "https://h",         "/r/{+b}",                { b = ";x=1" } },
    { "https://h",         "/r/{+b}",                { b = "?x=1" } },
    { "https://h",         "/r/{b};{a}",             { a = 1 } },
    { "https://h",         "/r/{b}{;a}",             { a = 1 } },
    { "https://h",         "/r{/b}{a}",              {} },
    { "https://h",         "/r{/b}",                 {},                              "https://h/r" },
    { "https://h",         "/r/{+b}",                { b = "/a" },                    "https://h/r//a" },
    { "https://h",         "/r/{b}",                 { b = "?" },                     "https://h/r/%3F" },
    { "https://h",         "{+b}",                   { b = "/" },                     "https://h/" },
    { "https://h",         "{+b}",                   {} },
    { "",                  "{b}",                    { b = ";" },                     "%3B" },
    { "https://h",         "{b}",                    { b = ";" } },
    -- The authority.
    { "",                  "https://h{+p}",          { p = "/a/b@c" },                "https://h/a/b@c" },
    { "",                  "https://h{+p}",          { p = "?a" },                    "https://h/?a" },
    { "",                  "https://h{+p}",          { p = ".evil.example" } },
    { "",                  "https://h{+p}",          { p = ":8080" } },
    { "",                  "https://h{/a}{b}",       { b = 1 } },
    { "",                  "https://h{.tld}",        { tld = "example" } },
    { "",                  "https://h.{tld}",        { tld = "example" },             "https://h.example" },
    { "",                  "https://h{#f}",          { f = "x" },                     "https://h/#x" },
    { "",                  "https://{a}.h/",         { a = "é" } },
    { "",                  "https://{a}.h/",         { a = "" } },
    { "",                  "https://{+a}/x",         { a = "[::1]:80" },              "https://[::1]:80/x" },
    { "",                  "https://{+a}/x",         { a = "h:123456" } },
    { "",                  "https://{+a}/x",         { a = "evil.example%2F" } },
    { "",                  "https://{+a}.h/x",       { a = "g" } },
    { "",                  "https://h h/",           {} },
    { "",                  "https://münchen/",       {} },
    { "",                  "https://u%40:p@h/",      {},                              "https://u%40:p@h/" },
    { "",                  "https://u@v@h/",         {} },
    { "",                  "https://%61/",           {} },
    { "",                  "https://:80/",           {} },
    { "",                  "foo:///x",               {},                              "foo:///x" },
    { "foo:///x",          "/x",                     {} },
    { "",                  "http:x",                 {} },
    { "",                  "//h",                    {} },
    { "/",                 "/{+a}",                  { a = "/h" } },
    { "",                  "{+a}",                   { a = "//h" },                   "//h" },
    { "",                  "{+a}",                   { a = "http:x" } },
    { "",                  "{+a}",                   { a = "http://h#f" },            "http://h/#f" },
    { "",                  "{/a}{+b}",               { b = "http://h" } },
    { "",                  "urn:{+b}",               { b = "//h" } },
    { "",                  "urn:{+b}",               { b = "x" },                     "urn:x" },
    { "//h",               "/x",                     {} },
    { "https://h#f",       "/x",                     {} },
    -- Malformed templates.
    { "",                  "/{a",                    {} },
    { "",                  "/a}",                    {} },
    { "",                  "/{a:0}",                 { a = 1 } },
    { "",                  "/\1",                    {} },
    { "",                  "/{url}",                 {} },
    { "",                  "/{data}",                { data = 1 },                    "/1" },
    { "",                  "/?a{?b}",                {} },
    { "",                  "/?a{&b}",                { b = 1 },                       "/?a&b=1" },
    { "",                  "/#?a{?b}",               { b = 1 },                       "/#?a?b=1" },
  }
  for _, case in ipairs(cases) do
    local base, template, parameters, expected = case[1], case[2], case[3], case[4]
    local title = ("%s behind %s with %s"):format(shown(template), shown(base), shown(parameters))
    it(("has %s for %s"):format(shown(expected), title), function()
      local call = { base = base, template = template, parameters = parameters, method = "GET" }
      local url, faults = oracle.judge(call)
      assert.equal(expected, url)
      assert.equal(url == nil, #faults > 0)
      if url then assert.same({}, checker.violations(template, base, url)) end
    end)
  end
end)

describe("the checker", function()
  local cases = {
    { "/{+p}",            "https://h",     "https://h/a%252e/%25252E%2E%3bx" },
    { "/{p}",             "https://h",     "https://h/%2F" },
    { "/{p}/{q}",         "https://h/v",   "https://h/v/x/;y" },
    { "/x",               "https://h",     "https://h.evil.example/x" },
    { "/x",               "https://h?k=v", "https://h/x" },
    { "?x",               "https://h",     "https://h?x" },
    { "{+p}",             "",              "http://u@/x" },
    { "{+p}",             "",              "http:x" },
    { "{/p}",             "",              "//h" },
    { "a{+p}",            "",              "a:b" },
    { "https://{p}.h/",   "",              "https://a@b.h/" },
    { "https://{p}.h/",   "",              "https://.h/" },
    { "https://{+p}/",    "",              "https://h%2F/" },
    { "https://h{+p}",    "",              "https://h.evil.example" },
    { "/x",               "",              "/\195\169" },
    { "/x",               "",              "/%x1" },
  }
  for _, case in ipairs(cases) do
    it(("refuses %s for %s behind %s"):format(shown(case[3]), case[1], shown(case[2])), function()
      assert.equal(1, #checker.violations(case[1], case[2], case[3]))
    end)
  end
end)

describe("random calls", function()
  it("have the URLs and the errors of the oracle, and pass the checker", function()
    local tally, differing, texts = differential.run(20240607, 5 * ROUNDS, 5)
    assert.equal("", table.concat(texts, "\n"))
    assert.equal(0, differing)
    assert.is_true(tally.url > ROUNDS and tally.raised > ROUNDS, ("%d URLs, %d errors"):format(tally.url, tally.raised))
  end)

  -- Found by many more calls than these.
  local found = {
    { "", ".%{a}", { a = "2F" } },
    { "", "{+a}2F.", { a = "%" } },
    { "https://h/", "{/a}.", { a = "" } },
    { "https://h", ".{#a}", { a = "x" } },
    { "https://h?k=v", ".{#a}", { a = "x" } },
    { "/v1/", "{?a}//.", {} },
    { "/v1/", "{&a}/.", {} },
    { "", "foo://{+a}b", { a = "x" } },
  }
  for _, case in ipairs(found) do
    it(("blame who is to blame in %s behind %s with %s"):format(case[2], shown(case[1]), shown(case[3])), function()
      local call = { base = case[1], pieces = { case[2] }, parameters = case[3], method = "POST" }
      local kind, expected, got, ending = differential.compare(call)
      assert.is_nil(kind, ("expected %s, got %s"):format(expected, got))
      assert.equal("raised", ending)
    end)
  end

  -- Each changes options so that any call with them raises.
  local FAULTS = {
    function(o) o.headers = { ["a b"] = "v" } end,
    function(o) o.headers = { a = "v\n" } end,
    function(o) o.method = "G T" end,
    function(o) o.mediaType = { formats = 1 } end,
    function(o) o[1] = "x" end,
  }

  local random = support.random(20240608)

  local function random_options()
    local options = differential.options(differential.random_call(random))
    if random(4) == 1 then options.headers = { ["X-A" .. random(9)] = "v" } end
    if random(6) == 1 then options.mediaType = { format = "raw", previews = { "p" } } end
    return options
  end

  local function copy(value)
    if type(value) ~= "table" then return value end
    local result = {}
    for key, field in pairs(value) do result[key] = copy(field) end
    return result
  end

  -- A NaN, which is not equal to itself, as a text.
  local function comparable(value)
    if value ~= value then return "NaN" end
    if type(value) ~= "table" then return value end
    local result = {}
    for key, field in pairs(value) do result[key] = comparable(field) end
    return result
  end

  -- With two faults the messages may differ: merge checks headers before parse checks the
  -- template.
  it("have the result of parse(merge(...)), or raise as it does", function()
    local raised = 0
    for _ = 1, ROUNDS do
      local options = random_options()
      if random(4) == 1 then FAULTS[random(#FAULTS)](options) end
      local ok, result = pcall(endpoint, options)
      local again, other = pcall(function() return endpoint.parse(endpoint.merge(options)) end)
      support.equal(ok, again, shown(options.url))
      if ok then
        assert.same(comparable(result), comparable(other))
      else
        raised = raised + 1
        support.holds(result:find("endpoint: ", 1, true), result)
        support.holds(other:find("endpoint: ", 1, true), other)
      end
    end
    assert.is_true(raised > ROUNDS / 4 and raised < ROUNDS * 0.9, "errors: " .. raised)
  end)

  it("do not modify their input, and have the same result when they are repeated", function()
    for _ = 1, ROUNDS do
      local options = random_options()
      local before = copy(options)
      local ok, result = pcall(endpoint, options)
      pcall(endpoint.merge, options)
      pcall(endpoint.defaults, options)
      assert.same(comparable(before), comparable(options))
      local again, other = pcall(endpoint, copy(options))
      support.equal(ok, again)
      if ok then assert.same(comparable(result), comparable(other)) end
    end
  end)

  it("of an endpoint with defaults merge as the contract says, and keep credentials at home", function()
    local tally, differing, texts = whole_calls.run(20240610, 2 * ROUNDS)
    assert.equal("", table.concat(texts, "\n"))
    assert.equal(0, differing)
    for _, ending in ipairs { "url", "raised", "away" } do
      assert.is_true(tally[ending] > ROUNDS / 10, ending .. ": " .. tally[ending])
    end
  end)

  it("take a prefix as they take a value that is that prefix", function()
    local pieces, refused = { ".", "..", "/", "\\", ";", "a", "bc", "%2e", "%" }, 0
    for _ = 1, ROUNDS do
      local value, length = "", random(6)
      for _ = 1, random(6) do value = value .. pieces[random(#pieces)] end
      local short = value:sub(1, length)
      local ok, whole = pcall(endpoint, "/x/{p}/y", { p = short })
      local _, prefix = pcall(endpoint, ("/x/{p:%d}/y"):format(length), { p = value })
      if not ok then refused = refused + 1 end
      support.equal(ok and whole.url or whole, type(prefix) == "table" and prefix.url or prefix, value .. " " .. length)
    end
    assert.is_true(refused > ROUNDS / 10, "too few: " .. refused)
  end)
end)

describe("decoding a URL", function()
  local random = support.random(20240609)

  local function decode(text)
    return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
  end

  local function random_bytes()
    local bytes = {}
    for i = 1, random(20) do bytes[i] = string.char(random(256) - 1) end
    return table.concat(bytes)
  end

  it("restores the value of {x}", function()
    local restored = 0
    for _ = 1, ROUNDS do
      local value = random_bytes()
      local ok, result = pcall(endpoint, "GET /{x}/end", { x = value })
      if ok then
        restored = restored + 1
        support.equal(value, decode(result.url:match("^https://api.service.example/([^/]*)/end$")))
      end
    end
    assert.is_true(restored > ROUNDS * 0.9, "too few: " .. restored)
  end)

  it("restores names and values of the query", function()
    for _ = 1, ROUNDS do
      local name, value = "n" .. random_bytes(), random_bytes()
      local found, text = endpoint("GET /", { [name] = value }).url:match("%?([^=&]*)=([^=&]*)$")
      support.equal(name, decode(found))
      support.equal(value, decode(text))
    end
  end)
end)
