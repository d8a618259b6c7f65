-- Lua values as text of a URL, beyond spec/vectors/templates.json: many numbers, what JSON cannot
-- say, each of the 256 bytes in each kind of place, and locales. What the judge says of bytes, the
-- module does.
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

local null, api = endpoint.null, endpoint.defaults { baseUrl = "" }

local function expand(template, value)
  return api("GET " .. template, { x = value }).url
end

describe("a number", function()
  -- The greatest and least integers that this Lua has, and one that is not a float.
  local function integers()
    local rows = {
      { number = 2 ^ 53 - 1, text = "9007199254740991" },
      { number = 1 - 2 ^ 53, text = "-9007199254740991" },
      { number = 2 ^ 52 + 1, text = "4503599627370497" },
    }
    if 2 ^ 24 + 1 == 2 ^ 24 then -- floats and integers of 32 bits
      rows = {
        { number = math.maxinteger, text = "2147483647" },
        { number = math.mininteger, text = "-2147483648" },
        { number = 16777217, text = "16777217" },
      }
    elseif math.type then
      rows = {
        { number = math.maxinteger, text = "9223372036854775807" },
        { number = math.mininteger, text = "-9223372036854775808" },
        { number = math.tointeger(2 ^ 53) + 1, text = "9007199254740993" },
      }
    end
    return rows
  end

  for _, row in ipairs(integers()) do
    it("has the digits of an integer, up to the largest: " .. row.text, function()
      assert.equal("/" .. row.text, expand("/{x}", row.number))
      assert.equal("/?x=" .. row.text, expand("/", row.number))
    end)
  end

  it("has the fewest digits that read back as it, of any size", function()
    local random = support.random(20240612)
    for _ = 1, 1500 do
      local mantissa = random(2 ^ 26) * 2 ^ 26 + random(2 ^ 26)
      judge.check(nil, nil, {
        url = "/{+x}",
        baseUrl = "",
        x = { mantissa * 2 ^ -(52 + random(1022)), -random(10 ^ 6) / 10 ^ random(12) },
      })
    end
  end)

  -- From here on not all integers are floats.
  local exponent = 2 ^ 24 + 1 == 2 ^ 24 and 24 or 53
  local inexact = 2 ^ exponent

  it(("is written up to 2^%d - 1"):format(exponent), function()
    assert.equal(("/%.0f"):format(inexact - 1), expand("/{x}", inexact - 1))
  end)

  for title, value in pairs {
    ["2^%d"] = inexact,
    ["-2^%d"] = -inexact,
    ["twice 2^%d"] = 2 * inexact,
    ["2^%d in a map"] = { k = inexact },
  } do
    it("is refused if it is the float " .. title:format(exponent), function()
      local words = { 'parameter "x"', "integer or a string", ("2^%d or more"):format(exponent) }
      support.raises(words, expand, "/x{?x}", value)
    end)
  end

  for title, value in pairs {
    NaN = 0 / 0,
    infinity = 1 / 0,
    ["negative infinity"] = -1 / 0,
    ["infinity in a list"] = { 1, 1 / 0 },
    ["NaN in a map"] = { k = 0 / 0 },
  } do
    it("is refused if it is not finite: " .. title, function()
      support.raises({ 'parameter "x"', "finite" }, expand, "/x{?x}", value)
    end)
  end
end)

describe("a value without a text", function()
  local co = coroutine.create(function() end)
  local values = {
    -- Mixed and sparse tables, and keys that are neither 1..n nor strings.
    ["a mixed table"] = { "a", k = "b" },
    ["a list with a hole"] = { [1] = "a", [3] = "c" },
    ["a list from 2"] = { [2] = "a" },
    ["a list from 0"] = { [0] = "a", "b" },
    ["a table with the key 0"] = { [0] = "a" },
    ["a table with the key -1"] = { [-1] = "a" },
    ["a table with the key 1.5"] = { [1.5] = "a" },
    ["a table with the keys 1 and 1.5"] = { "a", [1.5] = "b" },
    ["a table with the keys 1.5 and 2"] = { [1.5] = "a", [2] = "b" },
    ["a table with the key 2^31"] = { [2 ^ 31] = "a" },
    ["a table with the keys 1 and 2^53"] = { "a", [2 ^ 53] = "b" },
    ["a table with the key 2^32 + 1"] = { [2 ^ 32 + 1] = "a" },
    ["a table with infinity as key"] = { [1 / 0] = "a" },
    ["a table with true as key"] = { [true] = "a" },
    ["a table with a table as key"] = { [{}] = "a" },
    ["a table with a function as key"] = { [print] = "a" },
    ["a table with null as key"] = { [null] = "a" },
    ["a table with the keys 1 and true"] = { "a", [true] = "a" },
    ["a table with the keys k and true"] = { k = "a", [true] = "a" },
    ["a list of null from 2"] = { [2] = null },
    ["a table that holds itself"] = support.cyclic(),
    ["10,000 lists in one another"] = support.nested(10000),
    ["a list in a list, with __tostring"] = setmetatable({ {} }, {
      __tostring = function()
        return "t"
      end,
    }),
    -- Other types.
    ["a function"] = print,
    ["a function in a list"] = { "a", print },
    ["a function in a map"] = { k = print },
    ["a coroutine"] = co,
    ["a coroutine in a list"] = { co },
    ["a file"] = io.stdout,
    ["a file in a list"] = { io.stdout },
    ["a file in a map"] = { k = io.stdout },
    ["the module"] = endpoint,
    ["a light userdata"] = support.light_userdata(),
    ["a light userdata in a list"] = { support.light_userdata() },
  }
  local has_ffi, ffi = pcall(require, "ffi")
  if has_ffi then
    local twelve = ffi.metatype("struct { int a; }", {
      __tostring = function()
        return "12LL"
      end,
    })
    for title, value in pairs {
      ["an array of C"] = ffi.new "int[2]",
      ["a struct of C with __tostring"] = twelve(),
      ["an int64_t of C"] = ffi.new("int64_t", 12),
      ["a uint64_t of C"] = ffi.new("uint64_t", 12),
    } do
      values[title], values[title .. " in a list"] = value, { value }
    end
  else -- as many others, so that each Lua has the same number of specs
    for key = -9, -2 do
      values["a table with the key " .. key] = { [key] = "a" }
    end
  end

  -- That of an element which is neither a scalar nor a table, else the value's own.
  local function type_of(value)
    for _, element in pairs(type(value) == "table" and value or {}) do
      if element ~= null and not ("string number boolean table"):find(type(element), 1, true) then
        return type(element)
      end
    end
    return type(value)
  end

  local TEMPLATES =
    { "/{x}", "/{+x}", "/-{.x}", "/-{/x*}", "/-{;x}", "/-{?x*}", "/-{&x}", "/-{#x}" }
  for title, value in pairs(values) do
    for _, template in ipairs(TEMPLATES) do
      it(("is refused by its type in %s: %s"):format(template, title), function()
        support.raises({ 'parameter "x"', type_of(value) }, expand, template, value)
      end)
    end

    it("is refused in the query: " .. title, function()
      support.raises('parameter "x"', api, "GET /", { x = value })
    end)

    it("goes into a body by reference: " .. title, function()
      assert.is_true(rawequal(value, api("POST /", { x = value }).body.x))
    end)
  end

  it("has the first such parameter of the template named in the error", function()
    support.raises('parameter "b"', api, "/{a}/{b,c}", { a = 1, b = print, c = print })
  end)

  it("has its parameter named in the error, escaped", function()
    support.raises([[parameter "a\x0A\x00\x22\x1B\xFF"]], api, "/", { ['a\n\0"\27\255'] = print })
  end)

  local LONG = ("n"):rep(41)
  for place, template in pairs {
    ["in the query"] = "/",
    ["in the path"] = "/{" .. LONG .. "}",
    ["in an expression of the query"] = "/{?" .. LONG .. "}",
  } do
    it("has its parameter named in the error, cut at 40 bytes, " .. place, function()
      local cut = ('parameter "%s..."'):format(("n"):rep(37))
      support.raises(cut, api, template, { [LONG] = print })
    end)
  end

  it("has its parameter named whole in the error if the name has 40 bytes", function()
    local name = ("n"):rep(40)
    support.raises(('parameter "%s"'):format(name), api, "/", { [name] = print })
  end)
end)

describe("many elements and parameters", function()
  local function joined(count, separator)
    local listed = {}
    for i = 1, count do
      listed[i] = ("%d"):format(i)
    end
    return table.concat(listed, separator)
  end

  local function list_of(count)
    local list = {}
    for i = 1, count do
      list[i] = i
    end
    return list
  end

  it("are all in a list", function()
    support.holds("/" .. joined(100000, ",") == expand("/{x}", list_of(100000)))
  end)

  it("are all in an exploded list", function()
    support.holds("/?x=" .. joined(100000, "&x=") == expand("/{?x*}", list_of(100000)))
  end)

  -- So many parameters, the pairs of their query, and the path with an expression for each. Eight
  -- bytes are compared at a time.
  local function parameters(count)
    local options, pairs_of_query, segments = {}, {}, {}
    for i = 1, count do
      local name = ("parameter%04d"):format(i * 7919 % 10000)
      options[name], pairs_of_query[i], segments[i] = i, name .. "=" .. i, "{" .. name .. "}"
    end
    table.sort(pairs_of_query)
    return options, table.concat(pairs_of_query, "&"), "/" .. table.concat(segments, "/")
  end

  for _, count in ipairs { 1, 31, 32, 33, 64, 500 } do
    local options, query, path = parameters(count)

    it(("are all in the body: %d"):format(count), function()
      assert.same(options, api("POST /", options).body)
    end)

    it(("are all in the query: %d"):format(count), function()
      assert.equal("/?" .. query, api("GET /", options).url)
    end)

    it(("are all in the query, of an exploded map: %d"):format(count), function()
      assert.equal("/?" .. query, api("GET /{?m*}", { m = options }).url)
    end)

    it(("are all in the path: %d"):format(count), function()
      assert.equal("/" .. joined(count, "/"), api(path, options).url)
    end)

    it(("are all in the path if they are defaults: %d"):format(count), function()
      assert.equal("/" .. joined(count, "/"), api.defaults(options)(path).url)
    end)

    it(("are all in merge's output: %d"):format(count), function()
      local merged = api.merge("POST /", options)
      merged.baseUrl, merged.method, merged.url, merged.headers = nil, nil, nil, nil
      assert.same(options, merged)
    end)
  end

  local HAS_SMALL_STACK = _VERSION == "Lua 5.1" -- later Luas hold hundreds of thousands
  local MANY = {}
  for i = 1, 5000 do
    MANY["k" .. i] = i
  end

  it("are refused as the parameter's that has them in a map where Lua's stack ends", function()
    if HAS_SMALL_STACK then
      local message = support.message_of(api, "/-{?x*}", { x = MANY })
      assert.truthy(message:find('endpoint: parameter "x"', 1, true), message)
    else
      local url = api("/-{?x*}", { x = MANY }).url
      assert.equal(5000, select(2, url:gsub("=", "")))
    end
  end)

  it("are refused as the call's where Lua's stack ends", function()
    if HAS_SMALL_STACK then
      local message = support.message_of(api, "/-", MANY)
      assert.truthy(message:find "endpoint: more than 39%d%d parameters", message)
    else
      assert.equal(api("/-{?x*}", { x = MANY }).url, api("/-", MANY).url)
    end
  end)
end)

local function check(options)
  judge.check(nil, nil, options)
end

-- Places of the byte: options in whose texts and keys "\1" is the byte.
local PLACES = {
  { url = "/a\1b" },
  { url = "/-\1:id", id = 7 },
  { url = "/x?\1=1#\1" },
  { url = "\1x" },
  { url = "https\1//h/x" },
  { url = "https://a\1a/" },
  { url = "https://u\1@a/" },
  { url = "https://{h}/", h = "a\1a" },
  { url = "https://a{h}\1", h = "b" },
  { url = "/x{\1a}" },
  { url = "/x{/a:\1}" },
  { url = "/x{/a:1\1}" },
  { url = "/{?a\1a}" },
  { url = "/%\0011" },
  { url = "/%4\1" },
  { baseUrl = "https://a\1a/" },
  { baseUrl = "/a\1a" },
  { baseUrl = "\1/" },
  { x = "\1" },
  { ["\1"] = 1 },
  { ["l[]"] = { "\1", "a" } },
  { x = { "\1", "\1" } },
  { url = "/{x}", x = "\1" },
  { url = "/{+x}", x = "\1" },
  { url = "/a/{x}", x = "..\1" },
  { url = "/{+x}", x = "a/..\1b" },
  { url = "/{a}{b}/{c}", a = "x", b = "\1", c = "y" },
  { url = "/{+a}\1/{b}", a = "x", b = "y" },
  { url = "{+x}", x = "\1" },
  { url = "/-{.x}{/x}{;x}{?x}{&x}{#x}", x = "\1" },
  { url = "/-{?m*}{#m}", m = { ["\1"] = "\1" } },
  { url = "/{x}{?x}", x = ("g"):rep(40) .. "\1" .. ("g"):rep(40) }, -- read 32 bytes at a time
  { headers = { ["\1X\1"] = "" } },
  { headers = { ["\1"] = "" } },
  { headers = { a = "b\1c" } },
  { method = "X\1" },
  { mediaType = { format = "a\1a" } },
  { mediaType = { format = "\1" } },
  { mediaType = { previews = { "a", "a\1-preview" } } },
  { mediaType = { previews = { "\1" } } },
  { headers = { accept = "application/vnd.a\1b, x/y" }, mediaType = { format = "raw" } },
  { headers = { accept = "\1application/vnd.a.v3\1+json\1" }, mediaType = { format = "raw" } },
  { headers = { accept = "application/vnd.a\1p-preview" }, mediaType = { previews = { "q" } } },
}

local function with_byte(value, byte)
  if type(value) == "string" then
    return (value:gsub("\1", byte == "%" and "%%%%" or byte))
  end
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, field in pairs(value) do
    copy[with_byte(key, byte)] = with_byte(field, byte)
  end
  return copy
end

describe("each byte", function()
  for _, place in ipairs(PLACES) do
    it("is treated as the judge says in " .. support.shown(place), function()
      for code = 0, 255 do
        local options = with_byte(place, string.char(code))
        options.url, options.baseUrl = options.url or "/", options.baseUrl or "https://h"
        check(options)
      end
    end)
  end
end)

describe("a text", function()
  -- The encoder reads long texts several bytes at a time.
  it("is encoded byte by byte, whatever bytes are around", function()
    for size = 1, 41, 2 do
      for place = 1, size do
        for _, bytes in ipairs {
          "a~",
          "a/",
          "a%",
          "a\127",
          "a\255",
          "\255a",
          "\255\127",
          "\192/",
        } do
          local around = bytes:sub(1, 1)
          local text = around:rep(place - 1) .. bytes:sub(2) .. around:rep(size - place)
          check { url = "/-{/x}{+x}", baseUrl = "https://h", x = text }
        end
      end
    end
  end)

  -- Texts of up to five bytes that begin with `first`, right and wrong in UTF-8.
  local function each_sequence(first, use)
    for _, second in ipairs {
      "",
      "\127",
      "\128",
      "\143",
      "\144",
      "\159",
      "\160",
      "\191",
      "\192",
    } do
      for _, third in ipairs { "", "\127", "\128", "\191", "\192" } do
        for _, fourth in ipairs { "", "\127", "\128\128", "\192" } do
          use(first .. second .. third .. fourth)
        end
      end
    end
  end

  for first in
    ("\128\191\192\193\194\223\224\225\236\237\238\239\240\241\243\244\245\255"):gmatch "."
  do
    local title = "is cut by a prefix after whole code points, where a stray byte is one: "
      .. "sequences from "

    it(title .. support.shown(first), function()
      each_sequence(first, function(text)
        local options = { url = "/-{/x:1}{/y:2}", baseUrl = "https://h" }
        options.x, options.y = text, "a" .. text .. "z"
        check(options)
      end)
    end)
  end

  for length = 1, 12 do
    it("is cut by a prefix between triplets and code points, after " .. length, function()
      check {
        url = ("/-{/x:%d}41{+x:%d}41"):format(length, length),
        baseUrl = "https://h",
        x = "a%41é%c3%a9%4%",
      }
    end)
  end

  for _, unit in ipairs { "a", "é", "x%2F", "%41", "/..." } do
    it("and a template may be long: many times " .. unit, function()
      local long, value = unit:rep(1000), "b" .. unit:rep(10000)
      check {
        url = "/" .. long .. "/{x}?" .. long .. "{&x:9999}#" .. long,
        baseUrl = "https://h/" .. long,
        x = value,
      }
    end)
  end

  it("is cut by a prefix of 9999", function()
    local url = endpoint("https://h/{x:9999}", { x = ("é"):rep(10000) }).url
    support.same_text("https://h/" .. ("%C3%A9"):rep(9999), url)
  end)
end)

local function under_locale(names, f)
  if not support.under_locale(names, f) then
    pending "no such locale is installed"
  end
end

describe("a locale", function()
  it("with a decimal comma does not change numbers (CWE-1286)", function()
    under_locale(support.COMMA_LOCALES, function()
      assert.equal(
        "/0.5,-1.5e-7,5?a=0.1&b=1e-7",
        api("/{+x}", { x = { 0.5, -1.5e-7, 5.0 }, a = 0.1, b = 1e-7 }).url
      )
    end)
  end)

  it("with a dotless i does not change the case of letters (CWE-178)", function()
    under_locale(support.DOTLESS_LOCALES, function()
      local got = api {
        method = "options",
        url = "HTTPI://h/{i}/{I}{x}",
        i = "i",
        I = "I",
        x = "\253\221",
        headers = { ["X-ID-I"] = "I" },
      }
      assert.same(
        { "options", "HTTPI://h/i/I%FD%DD", "I" },
        { got.method, got.url, got.headers["x-id-i"] }
      )
      assert.equal("OPTIONS", api.merge("options /x").method)
      support.raises("token", api, "/x", { headers = { ["\221d"] = "v" } })
    end)
  end)
end)
