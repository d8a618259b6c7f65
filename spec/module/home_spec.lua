-- Defaults stay at home, beyond the rows of spec/vectors/home.json: many addresses and names, put to the
-- judge, and the order in which defaults are named (RFC 6454, CVE-2025-27152).
local endpoint = require "endpoint"
local judge = require "oracle.judge"
local support = require "support"

-- Each is home, and each is where a call goes. In "other" port 80 is no default.
local ADDRESSES = { "http://api.example", "http://API.example:80", "http://api.example:", "http://api.example:8080",
  "http://api.example:08080", "http://api.example:99999", "http://api.example:x8080", "https://api.example:443",
  "HTTPS://api.example", "https://api.example:80",
  "ws://api.example", "ws://api.example:80", "wss://api.example", "wss://api.example:443", "ftp://api.example:21",
  "ftp://api.example", "other://api.example:80", "other://api.example", "http://[::1]:8080", "http://[::AB]",
  "HTTP://[::ab]:80", "http://[::1:8080]", "https://u:s3cret@api.example", "https://U:s3cret@api.example",
  "https://u@api.example", "https://:@api.example", "https://evil.example:1@api.example", "/v1", "" }

local HEADERS = { "Accept", "acceptx", "Accept-Language", "acc", "Content-Type", "content-length", "User-Agent", "user",
  "x-user-agent", "x-accept", "authorization", "cookie", "X-JFrog-Art-Api", "X-GitHub-OTP", "host", "x" }
local PARAMETERS = { "appid", "sid", "code", "page", "accept", "user-agent", "auth[token]", "data", "é", "" }

local function check(defaults, route, options)
  local answer = judge.check(defaults, route, options)
  support.holds(not answer or answer[1] or not answer[2]:find("s3cret", 1, true))
end

describe("a default", function()
  for _, home in ipairs(ADDRESSES) do
    it("goes where the judge says, with the home " .. home, function()
      local defaults = { baseUrl = home, headers = { authorization = "s3cret" } }
      for _, address in ipairs(ADDRESSES) do
        check(defaults, "POST " .. address .. "/x")
        check(defaults, "POST /x", { baseUrl = address })
      end
    end)
  end

  it("of any name leaves home only if the judge says so", function()
    for _, name in ipairs(HEADERS) do
      check({ baseUrl = "https://api.example", headers = { [name] = "s3cret" } }, "https://evil.example")
    end
    for _, name in ipairs(PARAMETERS) do
      local defaults = { baseUrl = "https://api.example", [name] = "s3cret" }
      check(defaults, "POST https://evil.example")
      check(defaults, "POST https://evil.example", { [name] = endpoint.null })
    end
  end)
end)

describe("a default away from home", function()
  it("is the first in the order of bytes, headers first, however the table was filled", function()
    for i = 1, 20 do
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3" }
      local options = { baseUrl = "https://api.example", headers = headers, token = "5", ["Api-Key"] = "6" }
      for j = 1, i do headers["x-" .. j], options["y" .. j] = "4", "7" end
      for _, first in ipairs { 'header "authorization"', 'header "cookie"', 'default "Api-Key"' } do
        support.raises(first, endpoint.defaults(options), "https://evil.example/")
        if headers.authorization then headers.authorization = nil else options.headers = {} end
      end
    end
  end)

  it("is not asked for by defaults and DEFAULTS, nor where a template is malformed", function()
    local away = endpoint.defaults { baseUrl = "https://api.example", url = "https://{h}/", token = "s3cret" }
    assert.equal("s3cret", away.DEFAULTS.token)
    assert.equal("s3cret", away.defaults({ a = 1 }).DEFAULTS.token)
    for _, url in ipairs { "/{", "/\1", "/?a{?b}", " l/", "@b@h/", "{h}/{" } do
      for _, f in ipairs { away, away.merge } do support.raises("byte", f, { url = "https://evil.example" .. url }) end
    end
  end)
end)
