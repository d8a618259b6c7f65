-- clients.literal: any URL as a template that means exactly itself.
local clients = require "endpoint.clients"
local encode_literal = require "oracle.judge_url".encode_literal
local endpoint = require "endpoint"
local support = require "support"

-- URLs and their templates.
local ROWS = {
  { url = "https://h/https://i/:j", template = "https://h/https://i/%3Aj" },
  { url = "/:a/b/:_c/-:d/::e.:f/é:g", template = "/%3Aa/b/%3A_c/-%3Ad/:%3Ae.%3Af/%C3%A9:g" },
  { url = ":a/b", template = "%3Aa/b" },
  {
    url = "/}{/{a}:b/{+b}{/c*}?{d}#{e}",
    template = "/%7D%7B/%7Ba%7D:b/%7B+b%7D%7B/c*%7D?%7Bd%7D#%7Be%7D",
  },
  { url = "https://h{x}{/y}", template = "https://h%7Bx%7D%7B/y%7D" },
  { url = " GET /a b ", template = "%20GET%20/a%20b%20" },
  { url = '/a\r\n\0\127"<>\\^`|', template = "/a%0D%0A%00%7F%22%3C%3E%5C%5E%60%7C" },
}

-- Those that are their own template.
for _, url in ipairs {
  "https://u:p@h:8080/a;b=c/%7Eu/@~!$&'()*+,?a[]=1&b=%20#f",
  "https://user:pass@[::1]:80/x",
  "/a:b/:1/_:c/%3A:d/x:/:",
  "/x?a=:b#:c",
  "/x#/:c",
  "?page=2",
  "",
  "/100%/%zz",
  "1x:/h/a:b",
  "file:///a",
  "https://h/x?u=https://i/:j",
  "https://é \\@h/x",
  "x://é",
} do
  ROWS[#ROWS + 1] = { url = url, template = url }
end

describe("clients.literal", function()
  for _, row in ipairs(ROWS) do
    it("makes a template of " .. support.shown(row.url), function()
      assert.equal(row.template, clients.literal(row.url))
    end)
  end

  for _, value in ipairs { 5, true, {}, false } do
    it("refuses values of other types: " .. type(value or nil), function()
      support.client_raises(
        "url: expected a string, got a " .. type(value or nil),
        clients.literal,
        value or nil
      )
    end)
  end

  for _, url in ipairs {
    "mailto:x@evil",
    "urn:isbn:0",
    "JavaScript:alert(1)",
    "data:,x",
    "https:/h/x",
    "https:h",
    "http:",
    "a+b-c.1:",
    "h:8080/x",
    "x:\n//h",
    "x:/\0/h",
  } do
    it(
      "refuses a scheme without // after it, and does not quote the URL: " .. support.shown(url),
      function()
        support.client_raises(
          { "url: expected // after a scheme, or a relative reference without one" },
          clients.literal,
          url
        )
      end
    )
  end

  -- Both as `endpoint` encodes a literal, without the difference that an encoded colon makes.
  local function assert_same_url(expected, got, message)
    support.equal(encode_literal(expected):gsub(":", "%%3A"), got:gsub(":", "%%3A"), message)
  end

  it("makes a template of any URL that gives the URL back, whatever the defaults are", function()
    local random = support.random(20)
    local parts = {
      "/",
      "/",
      ":",
      ":",
      "a",
      "_b",
      "1",
      "-",
      "{",
      "}",
      "{a}",
      "{+a}",
      "{?a}",
      "?",
      "#",
      "%",
      "%4",
      "%2F",
      "é",
      " ",
      "\0",
      "\n",
      '"',
      "\\",
      "~",
      "=",
      "&",
      ";x",
      "@",
      "..a",
      "//",
      "GET",
    }
    local starts =
      { "/", "https://h/", "https://h", "HTTPS://u:p@H:81/", "x+y://h/", "?", "x", ":" }
    local api, whole =
      endpoint.defaults { baseUrl = "", a = "s3cret", _b = "s3cret", aa = "s3cret" }, 0
    for _ = 1, 20000 do
      local start, rest = starts[random(#starts)], ""
      for _ = 1, random(6) do
        rest = rest .. parts[random(#parts)]
      end
      if start:sub(-1) == "h" then
        rest = "/" .. rest
      end
      local url = start .. rest
      local made, template = pcall(clients.literal, url)
      if not made then
        assert.truthy(url:find "^x[ab1.GET-]*:", url)
      end
      local ok, r = pcall(api, { url = made and template, method = "PUT", a = "s3cret" })
      if ok then
        support.equal(0, #endpoint.variables { url = template }, url)
        whole = whole + 1
        assert_same_url(url, r.url, url)
        support.equal(template, clients.literal(template), url)
      end
    end
    assert.is_true(whole > 20000 / 2, whole) -- else mostly errors were compared
  end)

  for _, url in ipairs { "https://h/a b/:c", "https://h/{x} ", "/a\tb" } do
    it("makes a route of a URL alone: " .. support.shown(url), function()
      assert_same_url(
        url:find "^/" and support.BASE .. url or url,
        endpoint(clients.literal(url)).url
      )
    end)
  end
end)
