-- Lua values as text of a URL, beyond the rows of spec/vectors/values.json: what JSON cannot say,
-- every byte, and long ones.
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null
local api = endpoint.defaults { baseUrl = "" }

local function expand(template, value)
  return api("GET " .. template, { x = value }).url
end

describe("a string", function()
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
      support.equal("/-?" .. plain .. "=1", api("/-", { [char] = 1 }).url)
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
        for _, bytes in ipairs { "a~", "a/", "a%", "a\127", "a\255", "\255a", "\255\127", "\255\128", "\192/" } do
          local around = bytes:sub(1, 1)
          local text = around:rep(place - 1) .. bytes:sub(2) .. around:rep(size - place)
          support.equal("/-" .. encoded(text, "%w%-._~"), expand("/-{x}", text))
          if not text:find "%%aa" then support.equal("/-" .. encoded(text, "%w%-._~/"), expand("/-{+x}", text)) end
        end
      end
    end
  end)
end)

describe("a number", function()
  it("has the digits of an integer, up to the largest", function()
    local rows = { { 2 ^ 53 - 1, "9007199254740991" }, { 1 - 2 ^ 53, "-9007199254740991" } }
    if 2 ^ 24 + 1 == 2 ^ 24 then -- floats and integers of 32 bits
      rows = { { math.maxinteger, "2147483647" }, { math.mininteger, "-2147483648" }, { 16777217, "16777217" } }
    elseif math.type then
      rows = { { math.maxinteger, "9223372036854775807" }, { math.mininteger, "-9223372036854775808" },
        { math.tointeger(2 ^ 53) + 1, "9007199254740993" } }
    end
    for _, row in ipairs(rows) do
      assert.equal("/" .. row[2], expand("/{x}", row[1]))
      assert.equal("/?x=" .. row[2], expand("/", row[1]))
    end
  end)

  it("is refused if it is not finite", function()
    for _, value in ipairs { 0 / 0, 1 / 0, -1 / 0, { 1, 1 / 0 }, { 0 / 0 }, { k = 1 / 0 } } do
      for _, template in ipairs { "/{x}", "/{+x}", "/x{/x}", "/x{?x}", "/x{?x*}", "/x{#x}", "https://h{x}/" } do
        support.raises({ 'parameter "x"', "finite" }, expand, template, value)
      end
    end
    support.raises({ 'parameter "x"', "finite", "NaN" }, expand, "/", 0 / 0)
  end)
end)

describe("a table", function()
  it("is read by raw access", function()
    local list = setmetatable({ "a" }, { __index = { [2] = "b" }, __len = function() return 9 end })
    assert.equal("/a", expand("/{x}", list))
    assert.equal("/-", expand("/-{x}", setmetatable({}, { __index = { "a" } })))
  end)

  it("has its keys in the order of their bytes", function()
    assert.equal("/z,2,%C3%A9,1,%FF,3", expand("/{x}", { ["é"] = 1, z = 2, ["\255"] = 3 }))
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

describe("a value without a text", function()
  local co = coroutine.create(function() end)
  local values = {
    -- Mixed and sparse tables, and keys that are neither 1..n nor strings.
    { "a", k = "b" }, { [1] = "a", [3] = "c" }, { [2] = "a" }, { [0] = "a", "b" }, { [0] = "a" }, { [-1] = "a" },
    { [1.5] = "a" }, { "a", [1.5] = "b" }, { [1.5] = "a", [2] = "b" }, { [2 ^ 31] = "a" }, { "a", [2 ^ 53] = "b" },
    { [2 ^ 32 + 1] = "a" }, { [1 / 0] = "a" }, { [true] = "a" }, { [{}] = "a" }, { [print] = "a" }, { [null] = "a" },
    { "a", [true] = "a" }, { k = "a", [true] = "a" }, { [2] = null },
    -- A nested one, whatever its metatable says.
    setmetatable({ {} }, { __tostring = function() return "t" end }),
    -- Other types.
    print, function() end, { "a", print }, { k = print }, co, { co }, io.stdout, { io.stdout }, { k = io.stdout }, endpoint,
    support.light_userdata(), { support.light_userdata() },
  }
  local has_ffi, ffi = pcall(require, "ffi")
  if has_ffi then
    local twelve = ffi.metatype("struct { int a; }", { __tostring = function() return "12LL" end })
    for _, value in ipairs { ffi.new "int[2]", twelve(), ffi.new("int64_t", 12), ffi.new("uint64_t", 12) } do
      values[#values + 1], values[#values + 2] = value, { value }
    end
  end

  -- That of an element which is neither a scalar nor a table, else the value's own.
  local function type_of(value)
    for _, element in pairs(type(value) == "table" and value or {}) do
      if element ~= null and not ("string number boolean table"):find(type(element), 1, true) then return type(element) end
    end
    return type(value)
  end

  it("is refused by its type, wherever it stands", function()
    for _, value in ipairs(values) do
      for _, template in ipairs { "/{x}", "/{+x}", "/-{.x}", "/-{/x*}", "/-{;x}", "/-{?x*}", "/-{&x}", "/-{#x}" } do
        support.raises({ 'parameter "x"', type_of(value) }, expand, template, value)
      end
      support.raises('parameter "x"', api, "GET /", { x = value })
      support.raises('parameter "x"', endpoint.parse, { url = "https://h/{x}", x = value })
      assert.is_true(rawequal(value, api("POST /", { x = value }).body.x))
    end
  end)

  it("has its parameter named in the error, escaped, and cut at 40 bytes", function()
    support.raises('parameter "a.b"', api, "/{?a.b*}", { ["a.b"] = { {} } })
    support.raises('parameter "b"', api, "/{a}/{b,c}", { a = 1, b = print, c = print })
    support.raises('parameter ""', api, "/", { [""] = print })
    support.raises([[parameter "a\x0A\x00\x22\x1B\xFF"]], api, "/", { ['a\n\0"\27\255'] = print })
    local long, cut = ("n"):rep(41), ('parameter "%s..."'):format(("n"):rep(37))
    for _, template in ipairs { "/", "/{" .. long .. "}", "/{?" .. long .. "}" } do
      support.raises(cut, api, template, { [long] = print })
    end
    support.raises(('parameter "%s"'):format(("n"):rep(40)), api, "/", { [("n"):rep(40)] = print })
  end)
end)

describe("a prefix", function()
  -- The well-formed sequences (Unicode 16.0, table 3-7): the first byte, from where to where the
  -- second may be, and how many bytes there are.
  local SEQUENCES = {
    { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 }, { 0xE1, 0xEC, 0x80, 0xBF, 3 },
    { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 }, { 0xF0, 0xF0, 0x90, 0xBF, 4 },
    { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
  }

  -- How many bytes of the text are one character: one where they are not well-formed.
  local function first_character(text)
    local first, second = text:byte(1, 2)
    for _, s in ipairs(SEQUENCES) do
      local is_it = first >= s[1] and first <= s[2] and #text >= s[5] and second >= s[3] and second <= s[4]
      if is_it then return text:find("^..[\128-\191]" .. ("[\128-\191]"):rep(s[5] - 3)) and s[5] or s[5] == 2 and 2 or 1 end
    end
    return 1
  end

  it("counts a byte that is in no code point as one", function()
    local firsts = "\128\191\192\193\194\223\224\225\236\237\238\239\240\241\243\244\245\255"
    for first in firsts:gmatch "." do
      for _, second in ipairs { "", "\127", "\128", "\143", "\144", "\159", "\160", "\191", "\192" } do
        for _, third in ipairs { "", "\127", "\128", "\191", "\192" } do
          for _, fourth in ipairs { "", "\127", "\128", "\191", "\192" } do
            local text = first .. second .. third .. fourth
            local short = text:sub(1, first_character(text))
            support.equal(expand("/-{x}", short), expand("/-{x:1}", text), support.shown(text))
            support.equal(expand("/-{x}", "a" .. short), expand("/-{x:2}", "a" .. text .. "z"))
          end
        end
      end
    end
  end)

  it("may be as long as 9999", function()
    assert.equal("/" .. ("%C3%A9"):rep(9999), expand("/{x:9999}", ("é"):rep(10000)))
    assert.equal("/" .. ("%41"):rep(9999), expand("/{+x:9999}", ("%41"):rep(10000)))
  end)
end)
