-- Lua values as text of a URL.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = endpoint.defaults { baseUrl = "" }

local function expand(template, value)
  return api("GET " .. template, { x = value }).url
end

-- The text of a value as a path segment and in the query.
local function in_path(value) return (expand("/{x}", value):gsub("^/", "", 1)) end
local function in_query(value) return (api("/", { x = value }).url:gsub("^/%?x=", "", 1)) end

describe("a string", function()
  local cases = {
    { "letters and digits",            "azAZ09",             "azAZ09" },
    { "other unreserved bytes",        "-._~",               "-._~" },
    { "reserved bytes",                ":/?#[]@!$&'()*+,;=", "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D" },
    { "a space as %20",                "a b",                "a%20b" },
    { "a percent sign",                "100%",               "100%25" },
    { "a triplet, whose % is encoded", "%2F%41",             "%252F%2541" },
    { "UTF-8",                         "é日😀",                "%C3%A9%E6%97%A5%F0%9F%98%80" },
    { "a NUL",                         "a\0b",               "a%00b" },
    { "only a NUL",                    "\0",                 "%00" },
    { "control characters",            "\1\t\r\n\27\127",    "%01%09%0D%0A%1B%7F" },
    { "a stray byte",                  "a\255b\128",         "a%FFb%80" },
    { "an overlong sequence",          "\192\175",           "%C0%AF" },
    { "a surrogate",                   "\237\160\128",       "%ED%A0%80" },
    { "an incomplete sequence",        "\226\130",           "%E2%82" },
    { "digits that begin with 0",      "007",                "007" },
    { "an expression",                 "{x}",                "%7Bx%7D" },
    { ":name",                         ":x",                 "%3Ax" },
    { "a long text",                   ("é"):rep(5000),      ("%C3%A9"):rep(5000) },
  }
  for _, case in ipairs(cases) do
    it("is encoded: " .. case[1], function()
      assert.equal(case[3], in_path(case[2]))
      assert.equal(case[3], in_query(case[2]))
    end)
  end

  it("is encoded with each operator, whatever byte it is or holds", function()
    for byte = 0, 255 do
      local char = string.char(byte)
      local code = ("%%%02X"):format(byte)
      local plain = byte > 0 and char:find "[A-Za-z0-9%-._~]" and char or code
      local reserved = byte > 0 and char:find "[A-Za-z0-9%-._~:/?#%[%]@!$&'()*+,;=]" and char or code
      support.equal("/-" .. plain, expand("/-{x}", char))
      support.equal("/-." .. plain, expand("/-{.x}", char))
      support.equal("/-/-" .. plain, expand("/-{/x}", "-" .. char))
      support.equal("/-;x=" .. plain, expand("/-{;x}", char))
      support.equal("/-?x=" .. plain, expand("/-{?x}", char))
      support.equal("/-&x=" .. plain, expand("/-{&x}", char))
      support.equal("/-" .. reserved, expand("/-{+x}", char))
      support.equal("/-#" .. reserved, expand("/-{#x}", char))
      support.equal("/-?x=" .. plain, expand("/-", char))
      local text = ("g"):rep(40) -- it is read 32 bytes at a time, and "%g" begins no triplet
      support.equal("/-" .. text .. plain .. text, expand("/-{x}", text .. char .. text))
      support.equal("/-" .. text .. reserved .. text, expand("/-{+x}", text .. char .. text))
    end
  end)

  -- The encoder reads long texts several bytes at a time.
  it("is encoded byte by byte, whatever bytes stand around", function()
    local function encoded(text, plain)
      return (text:gsub("[^" .. plain .. "]", function(char) return ("%%%02X"):format(char:byte()) end))
    end
    for size = 1, 41 do
      for place = 1, size do
        for _, bytes in ipairs { "a~", "a/", "a\127", "a\255", "\255a", "\255\127", "\255\128", "\192/" } do
          local around = bytes:sub(1, 1)
          local text = around:rep(place - 1) .. bytes:sub(2) .. around:rep(size - place)
          support.equal("/-" .. encoded(text, "%w%-._~"), expand("/-{x}", text))
          support.equal("/-" .. encoded(text, "%w%-._~/"), expand("/-{+x}", text))
        end
      end
    end
  end)

  it("keeps its triplets with + and #", function()
    local cases_of_plus = {
      { "%2F%c3%A9",  "%2F%c3%A9" },
      { "100%",       "100%25" },
      { "%4",         "%254" },
      { "%zz%4g",     "%25zz%254g" },
      { "%%41",       "%25%41" },
      { "é b{}",      "%C3%A9%20b%7B%7D" },
    }
    for _, case in ipairs(cases_of_plus) do
      assert.equal("/" .. case[2], expand("/{+x}", case[1]))
      assert.equal("/#" .. case[2], expand("/{#x}", case[1]))
      assert.equal("/" .. case[2] .. "41", expand("/{+x}41", case[1]))
    end
  end)
end)

-- The expected texts are those of ECMAScript's String(x). A fourth column is for a Lua whose
-- numbers are floats (LUA_32BITS): its text, false where the float is infinite.
describe("a number", function()
  local is_float = 2 ^ 24 + 1 == 2 ^ 24
  local cases = {
    { "5.0",                          5.0,                       "5" },
    { "0",                            0,                         "0" },
    { "-0.0",                         -0.0,                      "0" },
    { "0 / -1",                       0 / -1,                    "0" },
    { "100",                          100,                       "100" },
    { "-7",                           -7,                        "-7" },
    { "200 / 2",                      200 / 2,                   "100" },
    { "10 / 4",                       10 / 4,                    "2.5" },
    { "0.1",                          0.1,                       "0.1" },
    { "0.3",                          0.3,                       "0.3" },
    { "0.1 + 0.2",                    0.1 + 0.2,                 "0.30000000000000004", "0.3" },
    { "-1.5",                         -1.5,                      "-1.5" },
    { "4.35",                         4.35,                      "4.35" },
    { "99.99",                        99.99,                     "99.99" },
    { "3.14159",                      3.14159,                   "3.14159" },
    { "123456.789",                   123456.789,                "123456.789", "123456.79" },
    { "1 / 3",                        1 / 3,                     "0.3333333333333333", "0.33333334" },
    { "2 / 3",                        2 / 3,                     "0.6666666666666666", "0.6666667" },
    { "-1 / 3",                       -1 / 3,                    "-0.3333333333333333", "-0.33333334" },
    { "2 ^ 0.5",                      2 ^ 0.5,                   "1.4142135623730951", "1.4142135" },
    { "1e3",                          1e3,                       "1000" },
    { "123456789012345",              123456789012345,           "123456789012345", "123456790000000" },
    { "1e15",                         1e15,                      "1000000000000000" },
    { "1e15 + 0.5",                   1e15 + 0.5,                "1000000000000000.5", "1000000000000000" },
    { "1e16",                         1e16,                      "10000000000000000" },
    { "2 ^ 53 - 1",                   2 ^ 53 - 1,                "9007199254740991", "9007199000000000" },
    { "2 ^ 53",                       2 ^ 53,                    "9007199254740992", "9007199000000000" },
    { "-2 ^ 53",                      -2 ^ 53,                   "-9007199254740992", "-9007199000000000" },
    { "2 ^ 53 + 2",                   2 ^ 53 + 2,                "9007199254740994", "9007199000000000" },
    { "2 ^ 63",                       2 ^ 63,                    "9223372036854776000", "9223372000000000000" },
    { "2 ^ 64",                       2 ^ 64,                    "18446744073709552000", "18446744000000000000" },
    { "123456789e12",                 123456789e12,              "123456789000000000000", "123456790000000000000" },
    { "1e20",                         1e20,                      "100000000000000000000" },
    { "1.5e20",                       1.5e20,                    "150000000000000000000" },
    { "9.999999999999999e20",         9.999999999999999e20,      "999999999999999900000", "1e+21" },
    { "1e21",                         1e21,                      "1e+21" },
    { "-1e21",                        -1e21,                     "-1e+21" },
    { "1.5e21",                       1.5e21,                    "1.5e+21" },
    { "1e21 + 1e5",                   1e21 + 1e5,                "1.0000000000000001e+21", "1e+21" },
    { "1e22",                         1e22,                      "1e+22" },
    { "1e23",                         1e23,                      "1e+23" },
    { "1.2345e25",                    1.2345e25,                 "1.2345e+25" },
    { "2 ^ 122",                      2 ^ 122,                   "5.316911983139664e+36", "5.316912e+36" },
    { "1e100",                        1e100,                     "1e+100", false },
    { "1.7976931348623157e308",       1.7976931348623157e308,    "1.7976931348623157e+308", false },
    { "2 ^ -10",                      2 ^ -10,                   "0.0009765625" },
    { "0.000123",                     0.000123,                  "0.000123" },
    { "1e-5",                         1e-5,                      "0.00001" },
    { "1e-6",                         1e-6,                      "0.000001" },
    { "1.5e-6",                       1.5e-6,                    "0.0000015" },
    { "9.5e-7",                       9.5e-7,                    "9.5e-7" },
    { "1e-7",                         1e-7,                      "1e-7" },
    { "-1e-7",                        -1e-7,                     "-1e-7" },
    { "1.5e-7",                       1.5e-7,                    "1.5e-7" },
    { "2 ^ -24",                      2 ^ -24,                   "5.960464477539063e-8", "5.9604645e-8" },
    { "1.25e-10",                     1.25e-10,                  "1.25e-10" },
    { "2 ^ -44",                      2 ^ -44,                   "5.684341886080802e-14", "5.684342e-14" },
    { "1.1e-16",                      1.1e-16,                   "1.1e-16" },
    { "1e-300",                       1e-300,                    "1e-300", "0" },
    { "2.2250738585072014e-308",      2.2250738585072014e-308,   "2.2250738585072014e-308", "0" },
    { "2.2250738585072011e-308",      2.2250738585072011e-308,   "2.225073858507201e-308", "0" },
    { "1e-323",                       1e-323,                    "1e-323", "0" },
    { "5e-324",                       5e-324,                    "5e-324", "0" },
    { "2 ^ -1074",                    2 ^ -1074,                 "5e-324", "0" },
  }
  for i = is_float and #cases or 0, 1, -1 do
    if cases[i][4] then cases[i][3] = cases[i][4] end
    if cases[i][4] == false then table.remove(cases, i) end
  end

  local function check_all()
    for _, case in ipairs(cases) do
      local encoded = case[3]:gsub("%+", "%%2B")
      assert.equal("/" .. case[3], expand("/{+x}", case[2]))
      assert.equal("/" .. encoded, expand("/{x}", case[2]))
      assert.equal("/?x=" .. encoded, api("/", { x = case[2] }).url)
    end
  end

  for _, case in ipairs(cases) do
    it(case[1] .. " is " .. case[3], function()
      assert.equal("/" .. case[3], expand("/{+x}", case[2]))
    end)
  end

  it("is encoded like its text", check_all)

  it("has the same text in a list and in a map", function()
    assert.equal("/5,0.1,1e-7,0", expand("/{x}", { 5.0, 0.1, 1e-7, -0.0 }))
    assert.equal("/?a=5&b=0.5", expand("/{?x*}", { a = 5.0, b = 0.5 }))
    assert.equal("/?x=100%2C2.5", api("/", { x = { 200 / 2, 2.5 } }).url)
  end)

  it("has the same text in a locale with a decimal comma", function()
    local locales = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8" }
    if not support.under_locale(locales, check_all) then pending "no such locale is installed" end
  end)

  it("has the digits of an integer, up to the largest", function()
    local rows = { { 2 ^ 53 - 1, "9007199254740991" }, { 1 - 2 ^ 53, "-9007199254740991" } }
    if is_float then
      rows = { { math.maxinteger, "2147483647" }, { math.mininteger, "-2147483648" }, { 16777217, "16777217" } }
    elseif math.type then
      rows = { { math.maxinteger, "9223372036854775807" }, { math.mininteger, "-9223372036854775808" },
        { math.tointeger(2 ^ 53) + 1, "9007199254740993" } }
    end
    for _, row in ipairs(rows) do
      assert.equal("/" .. row[2], expand("/{x}", row[1]))
      assert.equal("/?x=" .. row[2], api("/", { x = row[1] }).url)
    end
  end)

  local refused = {
    { "NaN",                   0 / 0 },
    { "infinity",              1 / 0 },
    { "negative infinity",     -1 / 0 },
    { "1e308 * 10",            1e308 * 10 },
    { "infinity in a list",    { 1, 1 / 0 } },
    { "NaN in a list",         { 0 / 0 } },
    { "infinity in a map",     { k = 1 / 0 } },
  }
  for _, case in ipairs(refused) do
    it("is refused if it is not finite: " .. case[1], function()
      for _, template in ipairs { "/{x}", "/{+x}", "/x{/x}", "/x{?x}", "/x{?x*}", "/x{#x}", "https://h{x}/" } do
        support.raises({ 'parameter "x"', "finite" }, expand, template, case[2])
      end
    end)
  end
end)

describe("a boolean", function()
  it("has the text true or false", function()
    assert.equal("/true", expand("/{x}", true))
    assert.equal("/false", expand("/{x}", false))
    assert.equal("/?x=false", expand("/{?x}", false))
    assert.equal("/?x=false", api("/", { x = false }).url)
    assert.equal("/true,false", expand("/{x}", { true, false }))
    assert.equal("/?a=false", expand("/{?x*}", { a = false }))
  end)
end)

describe("a table", function()
  local cases = {
    -- Lists: the order is kept, nulls are skipped.
    { "a list",                                { "b", "a", "c" },                          "{x}",     "b,a,c" },
    { "a list, exploded",                      { "b", "a" },                               "{/x*}",   "/b/a" },
    { "a list of one",                         { "b" },                                    "{?x}",    "?x=b" },
    { "a list of mixed scalars",               { "b", 2, 0.5, true },                      "{x}",     "b,2,0.5,true" },
    { "a list with reserved bytes",            { "a,b", "c/d" },                           "{x}",     "a%2Cb,c%2Fd" },
    { "a list with nulls",                     { null, "a", null, "b", null },             "{x}",     "a,b" },
    { "a list with nulls, exploded",           { null, "a", null, "b", null },             "{?x*}",   "?x=a&x=b" },
    { "a list with nulls under ., exploded",   { "a", null, "b" },                         "{.x*}",   ".a.b" },
    { "a list with empty strings",             { "", "a", "" },                            "{x}",     ",a," },
    { "a list with empty strings, ; exploded", { "", "a" },                                "{;x*}",   ";x;x=a" },
    { "a list with empty strings, ? exploded", { "", "a" },                                "{?x*}",   "?x=&x=a" },
    { "a list of an empty string",             { "" },                                     "{?x}",    "?x=" },
    { "a list of an empty string, exploded",   { "" },                                     "{?x*}",   "?x=" },
    -- Maps: keys come in bytewise order, null values are skipped.
    { "a map",                                 { b = 1, a = 2, B = 3, aa = 4 },            "{x}",     "B,3,a,2,aa,4,b,1" },
    { "a map, exploded",                       { b = 1, a = 2, B = 3, aa = 4 },            "{?x*}",   "?B=3&a=2&aa=4&b=1" },
    { "a map of keys with high bytes",         { ["é"] = 1, z = 2, ["\255"] = 3 },         "{x}",     "z,2,%C3%A9,1,%FF,3" },
    { "a map of keys that share a beginning", { ["a-"] = 1, a = 2, a0 = 3, ["a\0"] = 4 }, "{x}", "a,2,a%00,4,a-,1,a0,3" },
    { "a map of keys that are digits",         { ["10"] = "a", ["9"] = "b", ["1"] = "c" }, "{x}",     "1,c,10,a,9,b" },
    { "a map of keys to encode", { ["a b"] = 1, ["c&d=e"] = 2 }, "{?x*}", "?a%20b=1&c%26d%3De=2" },
    { "a map of keys to encode, under /",      { ["a/b"] = 1 },                            "{/x*}",   "/a%2Fb=1" },
    { "a map of reserved keys, under +",       { ["a/b"] = "c/d" },                        "{+x*}",   "a/b=c/d" },
    { "a map of triplets as keys, under +",    { ["%41%"] = 1 },                           "{+x*}",   "%41%25=1" },
    { "a map of triplets as keys",             { ["%41"] = 1 },                            "{?x*}",   "?%2541=1" },
    { "a map with an empty key",               { [""] = 1 },                               "{?x*}",   "?=1" },
    -- A list in a map that is exploded in a query has its name before each element.
    { "a list in a map, exploded", { l = { "a", 1, true }, k = "b" }, "{?x*}", "?k=b&l=a&l=1&l=true" },
    { "a bracketed list, exploded", { ["l[]"] = { "a,b", "" } }, "?q{&x*}", "?q&l%5B%5D=a%2Cb&l%5B%5D=" },
    { "a list with nulls in a map",            { l = { null, "a", null } },                "{?x*}",   "?l=a" },
    { "an empty list in a map",                { l = {}, k = 1, m = { null } },            "{?x*}",   "?k=1" },
    { "a map of empty lists",                  { l = {}, m = { null } },                   "{?x*}",   "" },
    { "a list under an empty name",            { [""] = { "", "a" } },                     "{?x*}",   "?=&=a" },
    { "a map with nulls",                      { a = null, b = 1, c = null },              "{x}",     "b,1" },
    { "a map with nulls, exploded",            { a = null, b = 1, c = null },              "{?x*}",   "?b=1" },
    { "a map with an empty value",             { a = "", b = 1 },                          "{x}",     "a,,b,1" },
    { "a map with an empty value, exploded",   { a = "", b = 1 },                          "{x*}",    "a=,b=1" },
    { "a map with an empty value, ; exploded", { a = "", b = 1 },                          "{;x*}",   ";a;b=1" },
    { "a map with an empty value, ? exploded", { a = "", b = 1 },                          "{?x*}",   "?a=&b=1" },
    { "a map with an empty value, & exploded", { a = "", b = 1 },                          "{&x*}",   "&a=&b=1" },
    { "a map with an empty value, / exploded", { a = "", b = 1 },                          "{/x*}",   "/a=/b=1" },
    { "a map of keys named like options",      { url = 1, method = 2 },                    "{?x*}",   "?method=2&url=1" },
    { "a list with a metatable, by raw access",
      setmetatable({ "a" }, { __index = { [2] = "b" }, __len = function() return 9 end }),
      "{x}", "a" },
  }
  for _, case in ipairs(cases) do
    it("is expanded: " .. case[1], function()
      assert.equal("/-" .. case[4], expand("/-" .. case[3], case[2]))
    end)
  end

  it("adds no separator if it is an exploded map of empty lists", function()
    local options = { x = { l = {} }, y = 1 }
    assert.equal("/?y=1", api("/{?x*,y}", options).url)
    assert.equal("/?y=1", api("/{?y,x*}", options).url)
    assert.equal("/&y=1", api("/{&x*,x*,y}", options).url)
  end)

  it("is not modified", function()
    local list, map = { "b", null, "a" }, { b = null, a = 1 }
    expand("/{x}", list)
    expand("/{?x*}", map)
    assert.same({ "b", null, "a" }, list)
    assert.same({ b = null, a = 1 }, map)
  end)

  it("may be large", function()
    local list, map, listed, mapped = {}, {}, {}, {}
    for i = 1, 100000 do list[i], listed[i] = i, ("%d"):format(i) end
    for i = 1, 20000 do
      local key = ("k%05d"):format(i * 7919 % 20000)
      map[key], mapped[i] = 1, key .. "=1"
    end
    table.sort(mapped)
    assert.equal("/" .. table.concat(listed, ","), expand("/{x}", list))
    assert.equal("/?x=" .. table.concat(listed, "&x="), expand("/{?x*}", list))
    assert.equal("/?" .. table.concat(mapped, "&"), expand("/{?x*}", map))
  end)
end)

describe("a value", function()
  local cases = {
    { "null",                            null },
    { "an empty table",                  {} },
    { "a list of nulls",                 { null, null } },
    { "a map of nulls",                  { a = null, b = null } },
    { "nil",                             nil },
    { "an empty table with a metatable", setmetatable({}, { __index = { "a" } }) },
  }
  for _, case in ipairs(cases) do
    it("is undefined with every operator: " .. case[1], function()
      for _, operator in ipairs(support.OPERATORS) do
        for _, modifier in ipairs { "", "*", ":3" } do
          local expression = "{" .. operator .. "x" .. modifier .. "}"
          assert.equal("/-", expand("/-" .. expression, case[2]))
        end
      end
    end)
  end
end)

describe("a value without a text", function()
  local co = coroutine.create(function() end)
  local cases = {
    { "a mixed table",             { "a", k = "b" },          "table" },
    { "a list with a hole",        { [1] = "a", [3] = "c" },  "table" },
    { "a list that begins at 2",   { [2] = "a" },             "table" },
    { "a list from 0",             { [0] = "a", "b" },        "table" },
    { "the key 0",                 { [0] = "a" },             "table" },
    { "the key -1",                { [-1] = "a" },            "table" },
    { "the key 1.5",               { [1.5] = "a" },           "table" },
    { "the keys 1 and 1.5",        { "a", [1.5] = "b" },      "table" },
    { "the keys 1.5 and 2",        { [1.5] = "a", [2] = "b" }, "table" },
    { "the key 2^31",              { [2 ^ 31] = "a" },        "table" },
    { "the key 2^53",              { "a", [2 ^ 53] = "b" },   "table" },
    { "the key 2^32 + 1",          { [2 ^ 32 + 1] = "a" },    "table" },
    { "an infinite key",           { [1 / 0] = "a" },         "table" },
    { "a boolean key",             { [true] = "a" },          "table" },
    { "a table as a key",          { [{}] = "a" },            "table" },
    { "a function as a key",       { [print] = "a" },         "table" },
    { "null as a key",             { [null] = "a" },          "table" },
    { "a list and a boolean key",  { "a", [true] = "a" },     "table" },
    { "a map and a boolean key",   { k = "a", [true] = "a" }, "table" },
    { "a sparse list of nulls",    { [2] = null },            "table" },
    { "a list in a list",          { { "a" } },               "table" },
    { "an empty list in a list",   { "a", {} },               "table" },
    { "a map in a map",            { k = { a = 1 } },         "table" },
    { "an empty table in a map",   { k = {} },                "table", "{?x*}" },
    { "a list in a map",           { k = { "a" } },           "table", "{?x*}" },
    { "a list in a list in a map", { k = { { "a" } } },       "table" },
    { "a function",                print,                     "function" },
    { "a Lua function",            function() end,            "function" },
    { "a function in a list",      { "a", print },            "function" },
    { "a function in a map",       { k = print },             "function" },
    { "a thread",                  co,                        "thread" },
    { "a thread in a list",        { co },                    "thread" },
    { "a userdata",                io.stdout,                 "userdata" },
    { "a userdata in a list",      { io.stdout },             "userdata" },
    { "a userdata in a map",       { k = io.stdout },         "userdata" },
    { "an endpoint",               endpoint,                  "userdata" },
    { "a table with __tostring",   setmetatable({ {} }, { __tostring = function() return "t" end }), "table" },
  }
  -- LuaJIT: a cdata. Elsewhere a userdata.
  local has_ffi, ffi = pcall(require, "ffi")
  local foreign = has_ffi and ffi.new "int[2]" or io.stderr
  cases[#cases + 1] = { "a cdata", foreign, type(foreign) }
  cases[#cases + 1] = { "a cdata in a list", { foreign }, type(foreign) }
  local light = support.light_userdata()
  cases[#cases + 1] = { "a light userdata", light, "userdata" }
  cases[#cases + 1] = { "a light userdata in a list", { light }, "userdata" }
  for _, case in ipairs(cases) do
    it("is refused: " .. case[1], function()
      for _, template in ipairs { "/{x}", "/{+x}", "/-{.x}", "/-{/x*}", "/-{;x}", "/-{?x*}", "/-{&x}", "/-{#x}" } do
        if template ~= "/-" .. (case[4] or "") then
          support.raises({ 'parameter "x"', case[3] }, expand, template, case[2])
        end
      end
      support.raises('parameter "x"', api, "GET /", { x = case[2] })
      support.raises({ 'parameter "x"' }, endpoint.parse, { url = "https://h/{x}", x = case[2] })
    end)
  end

  it("is refused: a cdata whose text is that of a 64-bit integer", function()
    if not has_ffi then return end
    local twelve = ffi.metatype("struct { int a; }", { __tostring = function() return "12LL" end })
    for _, value in ipairs { twelve(), ffi.new("int64_t", 12), ffi.new("uint64_t", 12) } do
      support.raises({ 'parameter "x"', "cdata" }, expand, "/{x}", value)
      support.raises({ 'parameter "x"', "cdata" }, expand, "/{x}", { value })
      support.raises({ 'parameter "x"', "cdata" }, api, "/", { x = value })
      assert.is_true(rawequal(value, api("POST /", { x = value }).body.x))
    end
  end)

  it("has its parameter named in the error, quoted and escaped", function()
    support.raises('parameter "per-page"', api, "/{?per-page}", { ["per-page"] = print })
    support.raises('parameter "a.b"', api, "/{?a.b*}", { ["a.b"] = { {} } })
    support.raises('parameter "b"', api, "/{a}/{b,c}", { a = 1, b = print, c = print })
    support.raises('parameter "id"', api, "/:id", { id = print })
    support.raises('parameter ""', api, "/", { [""] = print })
    local message = support.message_of(api, "/", { ['a\n\0"\27é'] = print })
    assert.is_nil(message:find "[%c\128-\255]")
    assert.truthy(message:find("\\x0A", 1, true))
  end)

  it("has its parameter cut at 40 bytes in the error", function()
    local name = ("n"):rep(100)
    for _, template in ipairs { "/", "/{" .. name .. "}", "/{?" .. name .. "}" } do
      local message = support.message_of(api, template, { [name] = print })
      local quoted = message:match 'parameter "(.-)"'
      assert.truthy(quoted:find "^nnnnnnnnnn")
      assert.is_true(#quoted <= 40)
      assert.is_nil(message:find(("n"):rep(41), 1, true))
    end
    support.raises(('parameter "%s"'):format(("n"):rep(40)), api, "/", { [("n"):rep(40)] = print })
    support.raises(('parameter "%s..."'):format(("n"):rep(37)), api, "/", { [("n"):rep(41)] = print })
  end)

  it("is never quoted in the error", function()
    local message = support.message_of(api, "/", { x = { "secret", print } })
    assert.is_nil(message:find("secret", 1, true))
    message = support.message_of(expand, "/{x}", { "secret", k = "secret" })
    assert.is_nil(message:find("secret", 1, true))
  end)

  it("leaves the endpoint as it was before the error", function()
    for _ = 1, 3 do
      support.raises('parameter "x"', expand, "/{x}", { "a", print })
      assert.equal("/a", expand("/{x}", { "a" }))
    end
  end)
end)

describe("a prefix", function()
  local cases = {
    -- It counts code points.
    { "x:1",   "abc",                  "a" },
    { "x:3",   "abc",                  "abc" },
    { "x:4",   "abc",                  "abc" },
    { "x:2",   "",                     "" },
    { "x:1",   "éa",                   "%C3%A9" },
    { "x:2",   "日本語",                "%E6%97%A5%E6%9C%AC" },
    { "x:1",   "😀a",                  "%F0%9F%98%80" },
    { "x:3",   "aé😀z",                "a%C3%A9%F0%9F%98%80" },
    { "x:1",   "e\204\129",            "e" }, -- a combining character counts one
    { "x:2",   "e\204\129",            "e%CC%81" },
    { "x:1",   "\0a",                  "%00" },
    { "x:1",   "\223\191a",            "%DF%BF" }, -- U+07FF
    { "x:1",   "\224\160\128a",        "%E0%A0%80" }, -- U+0800
    { "x:1",   "\237\159\191a",        "%ED%9F%BF" }, -- U+D7FF
    { "x:1",   "\238\128\128a",        "%EE%80%80" }, -- U+E000
    { "x:1",   "\239\191\191a",        "%EF%BF%BF" }, -- U+FFFF
    { "x:1",   "\240\144\128\128a",    "%F0%90%80%80" }, -- U+10000
    { "x:1",   "\244\143\191\191a",    "%F4%8F%BF%BF" }, -- U+10FFFF
    -- A byte that is not part of a code point counts one.
    { "x:1",   "\255\254",             "%FF" },
    { "x:1",   "\128\128",             "%80" },
    { "x:2",   "a\255b",               "a%FF" },
    { "x:1",   "\195a",                "%C3" }, -- incomplete before another character
    { "x:1",   "\195",                 "%C3" }, -- incomplete at the end
    { "x:1",   "\226\130a",            "%E2" },
    { "x:2",   "\226\130",             "%E2%82" },
    { "x:1",   "\240\159\152",         "%F0" },
    { "x:1",   "\226\130\255",         "%E2" }, -- the last byte is too high
    { "x:1",   "\240\159\152\192",     "%F0" },
    { "x:2",   "\195\195\169a",        "%C3%C3%A9" },
    { "x:1",   "\192\175",             "%C0" }, -- overlong /
    { "x:1",   "\193\191",             "%C1" },
    { "x:1",   "\224\128\175",         "%E0" },
    { "x:2",   "\224\159\191",         "%E0%9F" },
    { "x:1",   "\240\128\128\175",     "%F0" },
    { "x:3",   "\240\143\191\191",     "%F0%8F%BF" },
    { "x:1",   "\237\160\128",         "%ED" }, -- a surrogate
    { "x:2",   "\237\191\191",         "%ED%BF" },
    { "x:1",   "\244\144\128\128",     "%F4" }, -- above U+10FFFF
    { "x:1",   "\245\128\128\128",     "%F5" },
    { "x:1",   "\248\136\128\128\128", "%F8" },
    -- Reserved bytes and percent signs are characters. Under + and # a triplet is one.
    { "x:3",   "a/b/c",                "a%2Fb" },
    { "x:2",   "%41b",                 "%254" },
    { "+x:1",  "%41b",                 "%41" },
    { "+x:2",  "%41b",                 "%41b" },
    { "+x:2",  "%41%42%43",            "%41%42" },
    { "+x:2",  "a%c3%a9",              "a%c3" },
    { "+x:1",  "%",                    "%25" },
    { "+x:1",  "%4",                   "%25" },
    { "+x:2",  "%4g",                  "%254" },
    { "+x:2",  "%%41z",                "%25%41" },
    { "+x:3",  "/éa",                  "/%C3%A9a" },
    { "#x:1",  "%41b",                 "#%41" },
    { "#x:2",  "é%41b",                "#%C3%A9%41" },
    { "#x:6",  "/foo/bar",             "#/foo/b" },
    { ".x:1",  "%41",                  ".%25" },
    { "/x:1",  "é%",                   "/%C3%A9" },
    { ";x:2",  "éab",                  ";x=%C3%A9a" },
    { "?x:2",  "éab",                  "?x=%C3%A9a" },
    { "&x:2",  "éab",                  "&x=%C3%A9a" },
    { ";x:2",  "",                     ";x" },
    { "?x:2",  "",                     "?x=" },
    -- A number and a boolean are cut like their text.
    { "x:3",   12345,                  "123" },
    { "x:3",   0.1 + 0.2,              "0.3" },
    { "x:2",   true,                   "tr" },
    { "x:9",   false,                  "false" },
  }
  for _, case in ipairs(cases) do
    it(("cuts %s with {%s} to %s"):format(support.shown(case[2]), case[1], case[3]), function()
      assert.equal("/-" .. case[3], expand("/-{" .. case[1] .. "}", case[2]))
    end)
  end

  it("may be as long as 9999", function()
    assert.equal("/" .. ("%C3%A9"):rep(9999), expand("/{x:9999}", ("é"):rep(10000)))
    assert.equal("/" .. ("%41"):rep(9999), expand("/{+x:9999}", ("%41"):rep(10000)))
  end)

  it("is refused on a list and on a map", function()
    for _, operator in ipairs(support.OPERATORS) do
      local template = "/-{" .. operator .. "x:3}"
      support.raises({ 'parameter "x"', "prefix", "list" }, expand, template, { "a" })
      support.raises({ 'parameter "x"', "prefix", "list" }, expand, template, { null, "a" })
      support.raises({ 'parameter "x"', "prefix", "map" }, expand, template, { a = "b" })
    end
    support.raises('parameter "y"', api, "/{x:1,y:2}", { x = "a", y = { "b" } })
  end)
end)
