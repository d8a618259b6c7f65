-- The length and the characters of every URL. The other rules are in spec/vectors/urls.json.
local endpoint = require "endpoint"
local support = require "support"

local at_host = support.at_host

describe("a URL", function()
  it("may be long", function()
    local long, segments, accents = ("a"):rep(5000), ("/x%2F"):rep(20000), ("é"):rep(500)
    assert.equal("https://h/" .. long .. "?" .. long .. "&" .. long .. "#" .. long,
      endpoint("/{a}?{a}{#a}", { baseUrl = "https://h?" .. long, a = long }).url)
    assert.equal("https://h" .. segments .. "/1", at_host(segments .. "/{a}", { a = 1 }))
    local encoded = "/" .. ("%C3%A9"):rep(500)
    assert.equal(encoded .. encoded, endpoint(accents, { baseUrl = "/" .. accents }).url)
  end)
end)

describe("the characters of a URL", function()
  local bytes = {}
  for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
  local all = table.concat(bytes)

  -- The URL of a template at a host, which must be sound.
  local function assert_sound(template, x)
    local url = at_host(template, { x = x })
    assert.is_true(support.is_sound_url(url), url)
  end

  it("are 0x21 to 0x7E, and every % begins a triplet, whatever the values are", function()
    for _, operator in ipairs(support.OPERATORS) do
      for _, modifier in ipairs { "", "*" } do
        local template = "/-{" .. operator .. "x" .. modifier .. "}-"
        for _, x in ipairs { all, { all, all }, { [all] = all }, { ["%"] = "%4", ["%4"] = "%" } } do
          assert_sound(template, x)
        end
      end
    end
    assert.is_true(support.is_sound_url(endpoint("/", { [all] = all }).url))
  end)

  it("are valid where a prefix cuts a value", function()
    for _, operator in ipairs(support.OPERATORS) do
      for length = 1, 12 do
        assert_sound(("/-{%sx:%d}41"):format(operator, length), "a%41é%c3%a9%4%")
      end
    end
  end)

  it("are encoded in upper-case hex, except the unreserved set", function()
    assert.equal("https://h/%AB%CD%EF-._~", at_host("/{x}", { x = "\171\205\239-._~" }))
    assert.equal("https://h/%C0%AE%C0%AE", at_host("/{x}", { x = "\192\174\192\174" })) -- overlong dots: CWE-22
  end)
end)
