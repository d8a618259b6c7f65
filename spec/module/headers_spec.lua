-- Headers: names and values, merged, checked and returned.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = support.bare

local JSON = "application/json; charset=utf-8"
local SECRET = "s3cret"

-- Each way from a table of headers to the headers of a result.
local ways = {
  merge = function(headers) return api.merge("/x", { headers = headers }).headers end,
  call = function(headers) return api("/x", { headers = headers }).headers end,
  parse = function(headers) return api.parse { url = "https://h/x", headers = headers }.headers end,
  defaults = function(headers) return api.defaults({ headers = headers }).DEFAULTS.headers end,
}

-- Runs check with each way. An error names the way.
local function each_way(check)
  for _, name in ipairs { "merge", "call", "parse", "defaults" } do
    local ok, message = pcall(check, ways[name])
    if not ok then error(name .. ": " .. tostring(message), 2) end
  end
end

local function raises_everywhere(words, headers)
  each_way(function(way) support.raises(words, way, headers) end)
end

describe("a header", function()
  local cases = {
    { "comes out with a lower-case name",   { ["X-Request-ID"] = "a" },     { ["x-request-id"] = "a" } },
    { "keeps the case of its value",        { ["X-A"] = "BcD" },            { ["x-a"] = "BcD" } },
    { "may be an empty string",             { ["x-a"] = "" },               { ["x-a"] = "" } },
    { "may hold any byte but CR, LF, NUL",  { a = "\t\1\127é\255 " },       { a = "\t\1\127é\255 " } },
    { "may be a number",                    { ["content-length"] = 14 },    { ["content-length"] = 14 } },
    { "may be a fraction",                  { ["x-a"] = -0.5 },             { ["x-a"] = -0.5 } },
    { "may be true",                        { ["x-a"] = true },             { ["x-a"] = true } },
    { "may be false",                       { ["x-a"] = false },            { ["x-a"] = false } },
    { "may be a list of strings",           { ["X-A"] = { "b", "", "c" } }, { ["x-a"] = { "b", "", "c" } } },
    { "may be an empty list",               { ["x-a"] = {} },               { ["x-a"] = {} } },
    { "is removed by null",                 { ["x-a"] = null, b = "c" },    { b = "c" } },
    { "may stand beside others",               { A = "1", b = 2, C = true },   { a = "1", b = 2, c = true } },
    { "may have each byte of a token in its name", { ["!#$%&'*+-.^_`|~09azAZ"] = "x" },
                                                    { ["!#$%&'*+-.^_`|~09azaz"] = "x" } },
    { "is absent if it is not given",                      {},                             {} },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      each_way(function(way) assert.same(case[3], way(case[2])) end)
    end)
  end

  it("keeps its type, and an integer stays an integer", function()
    local headers = api("/x", { headers = { a = 14, b = "14", c = true, d = "true" } }).headers
    assert.equal("number", type(headers.a))
    assert.equal("14", tostring(headers.a))
    assert.equal("string", type(headers.b))
    assert.equal("boolean", type(headers.c))
    assert.equal("string", type(headers.d))
  end)

  it("is copied if it is a list", function()
    local list = { "a", "b" }
    local given = { ["x-list"] = list }
    each_way(function(way)
      local headers = way(given)
      assert.is_false(rawequal(given, headers))
      assert.is_false(rawequal(list, headers["x-list"]))
      headers["x-list"][1], headers.more = "changed", "y"
      assert.same({ ["x-list"] = { "a", "b" } }, given)
    end)
  end)

  it("of the caller is not modified", function()
    local given = { ["X-A"] = "b", ["x-gone"] = null, Accept = "application/vnd.x+json" }
    each_way(function(way)
      way(given)
      assert.same({ ["X-A"] = "b", ["x-gone"] = null, Accept = "application/vnd.x+json" }, given)
    end)
  end)
end)

describe("merging headers", function()
  local base = api.defaults { headers = { Accept = "d", ["X-Token"] = "t", List = { "l" } } }
  local cases = {
    { "a new header of the call is added", { b = "c" }, { accept = "d", ["x-token"] = "t", list = { "l" }, b = "c" } },
    { "the call's header wins, in any case of its name", { ACCEPT = "c" },
      { accept = "c", ["x-token"] = "t", list = { "l" } } },
    { "null removes a default header, in any case of its name", { ["X-TOKEN"] = null }, { accept = "d", list = { "l" } } },
    { "null without a default header removes nothing", { b = null }, { accept = "d", ["x-token"] = "t", list = { "l" } } },
    { "a list is replaced whole", { list = { "m" } }, { accept = "d", ["x-token"] = "t", list = { "m" } } },
    { "false is a value", { accept = false }, { accept = false, ["x-token"] = "t", list = { "l" } } },
  }
  for _, case in ipairs(cases) do
    it("goes name by name: " .. case[1], function()
      assert.same(case[3], base.merge("/x", { headers = case[2] }).headers)
      assert.same(case[3], base("/x", { headers = case[2] }).headers)
      assert.same(case[3], base.defaults({ headers = case[2] }).DEFAULTS.headers)
    end)
  end

  it("goes name by name, however many headers there are", function()
    for _, count in ipairs { 2, 3, 10, 31, 32, 33, 34, 100 } do
      local defaults, given, expected = {}, {}, {}
      for i = 1, count do
        defaults["x-" .. i], given["X-" .. i], expected["x-" .. i] = "default", "given", "given"
        defaults["y-" .. i], expected["y-" .. i] = "default", "default"
      end
      local e = api.defaults { headers = defaults }
      assert.same(expected, e.merge("/x", { headers = given }).headers)
      given["x-" .. count] = "again"
      support.raises({ ('header "x-%d"'):format(count), "case" }, e.merge, "/x", { headers = given })
    end
  end)

  it("removes all defaults if headers is null", function()
    assert.same({}, base.merge("/x", { headers = null }).headers)
    assert.same({}, base("/x", { headers = null }).headers)
    assert.same({}, base.defaults({ headers = null }).DEFAULTS.headers)
  end)

  it("does not change the defaults", function()
    local headers = base("/x").headers
    headers.accept, headers.list[1] = "changed", "changed"
    assert.same({ accept = "d", ["x-token"] = "t", list = { "l" } }, base("/x").headers)
  end)

  it("refuses two names that differ only in case", function()
    raises_everywhere({ 'header "x-a"', "case" }, { ["X-A"] = "1", ["x-a"] = "2" })
    raises_everywhere({ 'header "x-a"', "case" }, { ["X-A"] = "1", ["X-a"] = "1" })
    raises_everywhere({ 'header "accept"', "case" }, { Accept = null, accept = "2" })
    raises_everywhere({ 'header "accept"', "case" }, { Accept = null, accept = null })
  end)
end)

describe("a header name", function()
  -- RFC 9110 section 5.6.2, tchar
  local TOKEN = "[!#$%%&'*+%-.^_`|~0-9A-Za-z]"

  it("comes in lower case, however long it is", function()
    for size = 1, 200 do
      each_way(function(way) assert.equal("a", way { [("X"):rep(size)] = "a" }[("x"):rep(size)]) end)
    end
  end)

  it("is refused with any byte that a token cannot hold", function()
    for byte = 0, 255 do
      local char = string.char(byte)
      if byte == 0 or not char:find(TOKEN) then
        for _, name in ipairs { "x" .. char .. "y", char .. "y", "x" .. char, char } do
          raises_everywhere({ "header ", "token" }, { [name] = SECRET })
        end
      else
        assert.same({ [char:lower()] = "v" }, ways.call { [char] = "v" })
      end
    end
  end)

  it("is refused if it is empty", function()
    raises_everywhere({ 'header ""', "token" }, { [""] = "x" })
  end)

  it("is checked beside null, too", function()
    raises_everywhere({ 'header "a b"', "token" }, { ["a b"] = null })
  end)

  it("is quoted in lower case and escaped", function()
    raises_everywhere('header "x y"', { ["X Y"] = "v" })
    local message = support.message_of(ways.call, { ["X\r\nY\200"] = "v" })
    assert.is_nil(message:find("[^\32-\126]"))
  end)

  it("is refused if it is no string", function()
    raises_everywhere({ "headers", "string", "number" }, { "x" })
    raises_everywhere({ "headers", "string", "boolean" }, { [true] = "x" })
    raises_everywhere({ "headers", "string", "table" }, { [{}] = "x" })
  end)
end)

describe("a header value", function()
  local huge = math.huge
  local cases = {
    { "with CR",                SECRET .. "\rb",              {} },
    { "with LF",                SECRET .. "\nb",              {} },
    { "with NUL",               SECRET .. "\0b",              {} },
    { "that begins with LF",    "\n" .. SECRET,               {} },
    { "that ends with CR",      SECRET .. "\r",               {} },
    { "that ends with CR LF",   SECRET .. "\r\n",             {} },
    { "that is only NUL",       "\0",                         {} },
    { "that is NaN",            0 / 0,                        { "finite" } },
    { "that is infinity",       huge,                         { "finite" } },
    { "that is negative infinity",      -huge,                        { "finite" } },
    { "that is a function",     print,                        { "string", "function" } },
    { "that is a userdata",     io.stdout,                    { "string", "userdata" } },
    { "that is a thread",       coroutine.create(function() end),      { "string", "thread" } },
    { "that is a map",          { a = SECRET },               { "list", "strings" } },
    { "that is a mixed table",  { SECRET, a = SECRET },       { "list", "strings" } },
    { "that is a sparse list",  { SECRET, nil, SECRET, [9] = SECRET }, { "list", "strings" } },
    { "with number keys",       { [0] = SECRET },             { "list", "strings" } },
    { "with a fractional key",  { [1.5] = SECRET },           { "list", "strings" } },
    { "with a number in a list", { SECRET, 5 },               { "list", "strings", "number" } },
    { "with a boolean in a list", { SECRET, true },           { "list", "strings", "boolean" } },
    { "with null in a list",    { SECRET, null },             { "list", "strings", "null" } },
    { "with a list in a list",  { SECRET, { SECRET } },       { "list", "strings", "table" } },
    { "with CR in a list",      { "a", SECRET .. "\r" },      {} },
    { "with LF in a list",      { SECRET .. "\n", "a" },      {} },
    { "with NUL in a list",     { "a", SECRET .. "\0", "b" }, {} },
  }
  cases[#cases + 1] = { "that is a light userdata", support.light_userdata(), { "string", "userdata" } }
  for _, case in ipairs(cases) do
    it(case[1] .. " is refused without being shown", function()
      local words = { 'header "x-a"' }
      for i, word in ipairs(case[3]) do words[i + 1] = word end
      raises_everywhere(words, { ["X-A"] = case[2] })
      each_way(function(way)
        local message = support.message_of(way, { ["X-A"] = case[2] })
        assert.is_nil(message:find(SECRET, 1, true))
        assert.is_nil(message:find("[^\32-\126]"))
      end)
    end)
  end

  it("with CR, LF or NUL raises an error that names the three", function()
    for _, byte in ipairs { "\r", "\n", "\0" } do
      raises_everywhere({ "CR", "LF", "NUL" }, { a = "b" .. byte })
    end
  end)
end)

describe("headers", function()
  it("are refused if they are no table", function()
    for _, headers in ipairs { SECRET, 5, true, print } do
      raises_everywhere({ 'option "headers"', "table", type(headers) }, headers)
    end
  end)

  it("are empty in parse if absent", function()
    assert.same({}, api.parse({ url = "https://h/x" }).headers)
    assert.same({}, api.parse({ url = "https://h/x", headers = null }).headers)
  end)
end)

describe("content-type", function()
  local cases = {
    { "labels a body of parameters",    "POST /x",   { a = 1 },            JSON },
    { "labels a body of a null parameter",         "POST /x",   { a = null },         JSON },
    { "labels a table as data",         "PUT /x",    { data = {} },        JSON },
    { "labels a number as data",        "PATCH /x",  { data = 5 },         JSON },
    { "labels false as data",           "POST /x",   { data = false },     JSON },
    { "labels the body of DELETE",      "DELETE /x", { a = 1 },            JSON },
    { "labels data under another method",  "OPTIONS /x", { data = {} },       JSON },
    { "does not label a string",        "POST /x",   { data = "<a/>" },    nil },
    { "does not label an empty string", "POST /x",   { data = "" },        nil },
    { "is absent without a body",         "POST /x",   {},                   nil },
    { "is absent under GET",         "GET /x",    { a = 1 },            nil },
    { "is absent if data is a parameter", "GET /{data}", { data = "a" }, nil },
    { "does not label a function",      "POST /x",   { data = print },     nil },
    { "does not label userdata",        "POST /x",   { data = io.stdout }, nil },
    { "does not label a coroutine",     "POST /x",   { data = coroutine.create(function() end) }, nil },
    { "is the caller's if given", "POST /x", { a = 1, headers = { ["content-type"] = "x/y" } }, "x/y" },
    { "is the caller's in any case of its name", "POST /x", { a = 1, headers = { ["Content-Type"] = "x/y" } }, "x/y" },
    { "is the caller's if false", "POST /x", { a = 1, headers = { ["content-type"] = false } }, false },
    { "is the caller's beside a string as data", "POST /x", { data = "a", headers = { ["content-type"] = "x" } }, "x" },
    { "counts as not given if it is null", "POST /x", { a = 1, headers = { ["content-type"] = null } }, JSON },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      assert.equal(case[4], api(case[2], case[3]).headers["content-type"])
      assert.equal(case[4], api.parse(api.merge(case[2], case[3])).headers["content-type"])
    end)
  end

  it("is that of the defaults if they have one", function()
    local xml = api.defaults { headers = { ["Content-Type"] = "application/xml" } }
    assert.equal("application/xml", xml("POST /x", { a = 1 }).headers["content-type"])
    local unlabelled = xml("POST /x", { a = 1, headers = { ["content-type"] = null } })
    assert.equal(JSON, unlabelled.headers["content-type"])
  end)

  it("is not in merge's output", function()
    assert.same({}, api.merge("POST /x", { a = 1 }).headers)
  end)
end)
