-- What holds of every URL: its characters, and its host. Its rules are in spec/vectors, in
-- hosts.json and urls.json.
local endpoint = require "endpoint"
local support = require "support"

local url_at, at_host = support.url_at, support.at_host

describe("values that look like another host", function()
  local HOSTS = { "@evil.example", ".evil.example", "//evil.example", "\\evil.example", "\\\\evil.example",
    "https://evil.example", "https:evil.example", ":80", ":80@evil.example", "/\\evil.example", "#@evil.example",
    "?@evil.example" }
  local RELATIVE = { "{x}", "/{x}", "{+x}", "/{+x}", ":x", "{/x}", "{.x}", "{;x}", "{?x}", "{#x}" }
  local ABSOLUTE = { "https://h/{x}", "https://h/{+x}", "https://h/:x", "https://h{/x}", "https://h{?x}", "https://h{+x}" }

  -- The URL, or nothing where the error names the variable.
  local function url_of(base, template, x)
    local ok, result = pcall(url_at, base, template, { x = x })
    if ok then return result end
    support.holds(result:find('parameter "x"', 1, true), result)
  end

  it("lead nowhere else (CWE-918, CVE-2025-27152)", function()
    local made = 0
    for _, templates in ipairs { RELATIVE, ABSOLUTE } do
      for _, template in ipairs(templates) do
        for _, value in ipairs(HOSTS) do
          local url = url_of("https://h", template, value)
          if url then support.equal("h", url:match "^https://([^/?#]*)", template) end
          made = made + (url and 1 or 0)
        end
      end
    end
    support.holds(made > 150, made .. " URLs")
  end)

  it("name no host behind a bare path and an empty baseUrl (CVE-2024-39338)", function()
    for _, base in ipairs { "", "/", "/v1" } do
      for _, template in ipairs { "/{x}", "/{+x}", "/{x}/y", "/{+x}/y", "{/x}" } do
        for _, value in ipairs(HOSTS) do
          local url = url_of(base, template, value) or "/"
          support.holds(url:find "^/" and not url:find "^//", base .. template)
        end
      end
    end
  end)
end)

describe("the query of baseUrl", function()
  it("stays as given in merge's output and in DEFAULTS", function()
    local api = endpoint.defaults { baseUrl = "https://h/p?v= 1" }
    assert.equal("https://h/p?v= 1", api.merge("/x").baseUrl)
    assert.equal("https://h/p?v= 1", api.DEFAULTS.baseUrl)
  end)

  it("may be long", function()
    local long = ("a"):rep(5000)
    assert.equal("https://h/" .. long .. "?" .. long .. "&" .. long .. "#" .. long,
      endpoint("/{a}?{a}{#a}", { baseUrl = "https://h?" .. long, a = long }).url)
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
