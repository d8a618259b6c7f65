-- Defaults stay at home, beyond the rows of spec/vectors/home.json: what is an origin, names of every
-- kind, and the order in which they are named (RFC 6454, CVE-2025-27152).
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null

local function api_at(base, options)
  local all = { baseUrl = base, headers = { authorization = "s3cret" } }
  for name, value in pairs(options or {}) do all[name] = value end
  return endpoint.defaults(all)
end

-- The call and merge raise the same words, and neither message shows a secret.
local function refused(words, e, route, options)
  for _, f in ipairs { e, e.merge } do
    support.raises(words, f, route, options)
    support.holds(not support.message_of(f, route, options):find("s3cret", 1, true))
  end
end

local function sent(e, route, options)
  assert.equal("s3cret", e(route, options).headers.authorization)
end

describe("home", function()
  it("is a scheme, a host and a port, a default port being none", function()
    for base, url in pairs {
      ["http://api.example:80"] = "http://api.example/x", ["https://api.example"] = "https://api.example:443",
      ["ws://api.example"] = "ws://api.example:80/x", ["wss://api.example:443"] = "wss://api.example/x",
      ["ftp://api.example"] = "ftp://api.example:21/x", ["http://[::1]:8080"] = "http://[::1]:08080/x",
      ["http://[::AB]"] = "HTTP://[::ab]:80/x", ["http://API.example:"] = "http://api.Example",
      ["other://api.example:80"] = "other://api.example:80/x", ["http://api.example:8080"] = "http://api.example:8080",
    } do
      sent(api_at(base), url)
      sent(api_at(base), "/x", { baseUrl = url })
    end
    for base, url in pairs {
      ["http://[::1]"] = "http://[::2]/x", ["http://api.example:443"] = "https://api.example/x",
      ["https://api.example:80"] = "https://api.example/x", ["other://api.example:80"] = "other://api.example/x",
      ["http://api.example:8080"] = "http://api.example/x", ["ws://api.example"] = "http://api.example",
      ["http://[::1]:8080"] = "http://[::1:8080]",
    } do
      refused('"' .. base .. '"', api_at(base), url)
      refused('"' .. base .. '"', api_at(base), "/x", { baseUrl = url })
    end
  end)

  it("has the default's userinfo, or none", function()
    local with = api_at "https://u:s3cret@api.example/v1"
    for _, url in ipairs { "https://u:s3cret@api.example/x", "https://api.example/x", "HTTPS://u:s3cret@API.example:443" } do
      sent(with, url)
      sent(with, "/x", { baseUrl = url })
    end
    for _, userinfo in ipairs { "U:s3cret", "u:S3cret", "u", "u:s3cret%20", "u:", ":", "evil.example:1" } do
      local url = "https://" .. userinfo .. "@api.example/x"
      refused('"https://***@api.example"', with, url)
      refused('"https://***@api.example"', with, "/x", { baseUrl = url })
    end
  end)

  it("is nowhere if the default baseUrl is missing or empty", function()
    for _, base in ipairs { "", null } do
      sent(api_at(base), "https://evil.example/x")
      sent(api_at(base), "https://{h}/x", { h = "evil.example" })
      sent(api_at(base), "/x", { baseUrl = "https://evil.example" })
    end
  end)
end)

describe("a default away from home", function()
  local HARMLESS = { ["content-type"] = true, ["user-agent"] = true, accept = true, ["accept-language"] = true,
    acceptx = true }

  it("raises whatever its name is, but for headers that are harmless", function()
    for name in ([[
      Accept acceptx Accept-Language acc Content-Type content-length User-Agent user x-user-agent x-accept
      authorization cookie X-JFrog-Art-Api X-GitHub-OTP host referer idempotency-key traceparent x
    ]]):gmatch "%S+" do
      local e = endpoint.defaults { baseUrl = "https://api.example", headers = { [name] = "s3cret" } }
      if HARMLESS[name:lower()] then
        assert.equal("s3cret", e("https://evil.example").headers[name:lower()])
      else
        refused(('header "%s"'):format(name:lower()), e, "https://evil.example")
      end
    end
    for _, name in ipairs { "appid", "sid", "code", "page", "accept", "user-agent", "auth[token]", "data", "é", "" } do
      local e = endpoint.defaults { baseUrl = "https://api.example", [name] = "s3cret" }
      refused('default "', e, "POST https://evil.example")
      assert.equal("post", e("POST https://evil.example", { [name] = null }).method)
    end
  end)

  it("is the first in the order of bytes, headers first, however the table was filled", function()
    for i = 1, 20 do
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3" }
      local parameters = { token = "5", ["Api-Key"] = "6" }
      for j = 1, i do headers["x-" .. j], parameters["y" .. j] = "4", "7" end
      parameters.headers = headers
      refused('header "authorization"', api_at("https://api.example", parameters), "https://evil.example/")
      headers.authorization = nil
      refused('header "cookie"', api_at("https://api.example", parameters), "https://evil.example/")
      parameters.headers = {}
      refused('default "Api-Key"', api_at("https://api.example", parameters), "https://evil.example/")
    end
  end)

  it("is not asked for by defaults and DEFAULTS, nor where a template is malformed", function()
    local away = api_at("https://api.example", { url = "https://{h}/" })
    assert.equal("s3cret", away.DEFAULTS.headers.authorization)
    assert.equal("s3cret", away.defaults({ a = 1 }).DEFAULTS.headers.authorization)
    for _, url in ipairs { "/{", "/}", "/\1", "/?a{?b}", " l/", "@b@h/", "{h}/{" } do
      for _, f in ipairs { away, away.merge } do support.raises("byte", f, { url = "https://evil.example" .. url }) end
    end
  end)
end)
