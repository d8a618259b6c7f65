-- URI templates, beyond the rows of spec/vectors/templates.json: every byte, and long ones.
local endpoint = require "endpoint"
local support = require "support"

-- Behind an empty baseUrl the expanded template is the whole URL.
local api = endpoint.defaults { baseUrl = "" }

local function expand(template, variables)
  return api("POST " .. template, variables).url
end

local function each_byte(f)
  for byte = 0, 255 do f(byte > 0 and string.char(byte) or "\0", byte) end
end

-- Lua 5.1's patterns end at a NUL.
local function is_in(char, set)
  return char ~= "\0" and char:find(set) ~= nil
end

describe("a malformed template", function()
  local function fails(template, word, byte)
    support.raises({ word, "at byte " .. byte }, api, { url = template })
  end

  it("is refused with any byte that begins no expression", function()
    each_byte(function(char)
      if is_in(char, "[=,!@|]") then
        fails("/{" .. char .. "a}", "reserved", 3)
      elseif not is_in(char, "[%w_+#./;?&]") then
        fails("/{" .. char .. "a}", "expected a variable name", 3)
      end
    end)
  end)

  it("is refused with any byte that does not follow a name", function()
    each_byte(function(char)
      if char == ":" then
        fails("/{a:b}", "prefix length from 1 to 9999", 5)
      elseif char == "}" then
        fails("/{a}b}", '"}" without "{"', 6)
      elseif not is_in(char, "[%w_.,-]") then
        fails("/{a" .. char .. "b}", 'expected ","', char == "*" and 5 or 4)
      end
    end)
  end)

  it("is refused with any byte that is no digit of a prefix", function()
    each_byte(function(char)
      if not is_in(char, "[1-9]") then fails("/{a:" .. char .. "}", "prefix length from 1 to 9999", 5) end
      if not is_in(char, "[0-9,}]") then fails("/{a:1" .. char .. "}", 'expected ","', 6) end
    end)
  end)

  it("is refused with any control character", function()
    each_byte(function(char, byte)
      if byte < 32 or byte == 127 then fails("/a" .. char .. "b", "control character", 3) end
    end)
  end)
end)

describe("a template", function()
  it("may have any number of variables, of which the last is blamed, too", function()
    local names, values, texts = {}, {}, {}
    for count = 1, 300 do
      names[count], texts[count] = "v" .. count, tostring(count)
      local template = "/{" .. table.concat(names, "}/{") .. "}"
      if count < 40 or count % 50 == 0 then
        support.raises({ ('"v%d"'):format(count), "is missing" }, api, template, values)
      end
      values[names[count]] = count
      assert.equal("/" .. table.concat(texts, "/"), expand(template, values))
    end
  end)

  it("may be long", function()
    local text = ("/x%2F"):rep(20000)
    assert.equal(text .. "/1", expand(text .. "/{a}", { a = 1 }))
  end)
end)

describe(":name", function()
  it("is text behind a letter, a digit, _ and any byte of UTF-8", function()
    each_byte(function(char, byte)
      if byte > 32 and byte ~= 127 and not char:find "[{}?#]" then
        local is_text = byte > 127 or char:find "[%w_]"
        local before = expand("/-" .. char)
        assert.equal(before .. (is_text and ":id" or "7"), expand("/-" .. char .. ":id", { id = 7 }))
      end
    end)
  end)

  it("is the same as {name}", function()
    for _, value in ipairs { "a b/c", "é", 5.5, true, { "x", "y" }, { k = "v" } } do
      assert.equal(expand("/{p}", { p = value }), expand("/:p", { p = value }))
    end
    assert.equal(support.message_of(api, "/{p}"), support.message_of(api, "/:p"))
  end)
end)

describe("a literal", function()
  it("is kept or encoded byte by byte", function()
    each_byte(function(char, byte)
      if byte > 31 and byte ~= 127 and not char:find "[{}]" then
        local text = byte < 128 and char:find "[%w%-._~:/?#%[%]@!$&'()*+,;=]" and char or ("%%%02X"):format(byte)
        assert.equal("/x" .. text .. "y", expand("/x" .. char .. "y"))
      end
    end)
  end)

  it("may be long", function()
    assert.equal("/" .. ("%C3%A9"):rep(500), expand("/" .. ("é"):rep(500)))
    assert.equal("/" .. ("%C3%A9"):rep(500) .. "/x", expand("/x", { baseUrl = "/" .. ("é"):rep(500) }))
  end)
end)
