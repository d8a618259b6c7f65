-- Credentials of the defaults go to the origin of the default baseUrl alone
-- (CVE-2025-27152; origins: RFC 6454).
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null

local function api_at(base, headers)
  return endpoint.defaults { baseUrl = base, headers = headers or { authorization = "s3cret" } }
end

local api = api_at "https://api.example/v1"

-- The call raises, and so does merge; neither shows a value.
local function refused(words, e, route, options)
  support.raises(words, e, route, options)
  support.raises(words, e.merge, route, options)
  assert.falsy(support.message_of(e, route, options):find("s3cret", 1, true))
end

-- The call goes out with the header, and merge agrees.
local function sent(e, route, options, header)
  local result = e(route, options)
  assert.equal("s3cret", result.headers[header or "authorization"])
  assert.same(result, e.parse(e.merge(route, options)))
end

describe("a credential of the defaults", function()
  local away = {
    -- route                              options                     where it would go
    { "https://evil.example/x",           nil,                        '"https://evil.example"' },
    { "http://api.example/x",             nil,                        '"http://api.example"' },
    { "https://api.example:8443/x",       nil,                        '"https://api.example:8443"' },
    { "https://api.example.evil.example", nil,                        '"https://api.example.evil.example"' },
    { "https://api.example@evil.example/", nil,                       '"https://***@evil.example"' },
    { "https://u:p@evil.example/",        nil,                        '"https://***@evil.example"' },
    { "https://evil.example?x=1",         nil,                        '"https://evil.example"' },
    { "ws://api.example",                 nil,                        '"ws://api.example"' },
    { "https://[::1/x",                   nil,                        '"https://[::1"' },
    { "other://api.example",              nil,                        '"other://api.example"' },
    { "/x",                               { baseUrl = "https://evil.example/v1" }, '"https://evil.example"' },
    { "/x",                               { baseUrl = "https://u:p@evil.example" }, '"https://***@evil.example"' },
    { "/x",                               { baseUrl = "" },           "a baseUrl without a host" },
    { "/x",                               { baseUrl = "/v1" },        "a baseUrl without a host" },
    { "{+u}",                             { baseUrl = "", u = "https://api.example/x" }, "a baseUrl without a host" },
    { "https://evil.example/x",           { baseUrl = null },         '"https://evil.example"' },
    -- an expression can write into the authority
    { "https://{h}/x",                    { h = "api.example" },      '"https://{h}"' },
    { "https://{+h}/x",                   { h = "api.example" },      '"https://{+h}", whose authority values can' },
    { "https://api.example{h}/x",         { h = ":443" },             '"https://api.example{h}"' },
    { "https://api{.h}/x",                { h = "example" },          '"https://api{.h}"' },
    { "https://api.example{;h}",          {},                         '"https://api.example{;h}"' },
    { "https://api.example{/a}.evil/",    { a = "x" },                '"https://api.example{/a}.evil"' },
    { "https://api.example{/a}{;b}",      { a = "x" },                '"https://api.example{/a}{;b}"' },
  }
  for _, case in ipairs(away) do
    it(("does not go to %s as %s"):format(case[3], case[1]), function()
      refused({ 'header "authorization"', '"https://api.example" alone', "not to " .. case[3], "in the call", "null" },
        api, case[1], case[2])
    end)
  end

  local home = {
    { "/x" },
    { "{+p}",                             { p = "//evil.example/x" } },
    { "https://api.example/other" },
    { "HTTPS://API.Example" },
    { "https://api.example:443/x" },
    { "https://api.example:0443/x" },
    { "https://api.example:/x" },
    { "https://u:p@api.example/x" },
    { "/x",                               { baseUrl = "https://API.example:443/v2" } },
    { "https://api.example/x",            { baseUrl = "https://unused.example" } },
    { "https://api.example/x",            { baseUrl = "" } },
    { "https://api.example{/a}",          { a = "x" } },
    { "https://api.example{+p}",          { p = "/x" } },
    { "https://api.example{/a}{?b}{#c}",  { a = "x" } },
    { "https://api.example{?b}/x",        {} },
  }
  for _, case in ipairs(home) do
    it("goes to its own origin as " .. case[1], function()
      sent(api, case[1], case[2])
    end)
  end

  it("goes where the call sends it itself, in any case of the name", function()
    local r = api("https://evil.example/", { headers = { Authorization = "mine" } })
    assert.equal("mine", r.headers.authorization)
    assert.is_nil(api("https://evil.example/", { headers = { AUTHORIZATION = null } }).headers.authorization)
    assert.is_nil(api("https://evil.example/", { headers = null }).headers.authorization)
    assert.is_nil(api.merge("https://evil.example/", { headers = { authorization = null } }).headers.authorization)
  end)

  it("compares ports with those of both schemes", function()
    sent(api_at "http://api.example:80", "http://api.example/x")
    sent(api_at "http://[::1]:8080", "http://[::1]:8080/x")
    sent(api_at "http://[::1]", "http://[::1]:80/x")
    refused("authorization", api_at "http://[::1]", "http://[::2]/x")
    refused("authorization", api_at "http://api.example:443", "https://api.example/x")
    refused("authorization", api_at "other://api.example:80", "other://api.example/x")
  end)

  it("compares hosts as they are sent", function()
    sent(api_at "https://é.example", "https://é.example/x")
    sent(api_at "https://é.example", "/x", { baseUrl = "https://é.example" })
    refused("authorization", api_at "https://a.example", "https://%61.example/x")
  end)

  it("is not asked about without an origin to stay at", function()
    for _, base in ipairs { "", "/v1" } do
      sent(api_at(base), "https://evil.example/x")
      sent(api_at(base), "/x", { baseUrl = "https://evil.example" })
    end
    sent(endpoint.defaults { baseUrl = null, headers = { authorization = "s3cret" } }, "https://evil.example/x")
  end)

  it("goes where the configuration says", function()
    sent(api.defaults { url = "https://other.example/x" }, {})
    sent(api.defaults { baseUrl = "https://other.example" }, "/x")
    refused('"https://other.example" alone', api.defaults { baseUrl = "https://other.example" }, "https://api.example/")
    assert.equal("s3cret", api.defaults({ url = "https://other.example" }).DEFAULTS.headers.authorization)
  end)

  it("does not go where values choose the host of a default url", function()
    local chosen = api.defaults { url = "https://{host}/x" }
    refused({ "authorization", '"https://{host}"' }, chosen, { host = "evil.example" })
    assert.equal("s3cret", chosen.DEFAULTS.headers.authorization)
    assert.equal("s3cret", chosen.defaults({}).DEFAULTS.headers.authorization)
  end)

  it("does not follow a url option", function()
    refused('"https://evil.example"', api, { url = "https://evil.example/x" })
    refused('"https://evil.example"', api.defaults { url = "https://api.example/" }, { url = "https://evil.example/x" })
  end)

  it("does not follow a relative default url to a call's baseUrl", function()
    refused('"https://evil.example"', api.defaults { url = "/x" }, { baseUrl = "https://evil.example" })
    refused('"https://evil.example"', api, { url = "/x", baseUrl = "https://evil.example" })
    support.raises('"https://evil.example"', api.merge, { baseUrl = "https://evil.example" })
  end)

  it("is named as the first by name, however the table is filled", function()
    for i = 1, 20 do
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3", ["proxy-authorization"] = "4" }
      for j = 1, i do headers["x-" .. j] = "harmless" end
      refused('header "authorization"', api_at("https://api.example", headers), "https://evil.example/")
      headers.authorization = nil
      refused('header "cookie"', api_at("https://api.example", headers), "https://evil.example/")
    end
  end)

  it("may be a list", function()
    refused('"x-api-key"', api_at("https://api.example", { ["x-api-key"] = { "a", "b" } }), "https://evil.example/")
  end)

  it("is not asked about by merge without a url", function()
    assert.equal("s3cret", api.merge({}).headers.authorization)
    assert.equal("s3cret", api.merge().headers.authorization)
  end)

  it("is not asked about by parse, which knows no defaults", function()
    local merged = { url = "https://evil.example/", headers = { authorization = "x" } }
    assert.equal("x", api.parse(merged).headers.authorization)
  end)

  it("is not asked about where parse raises", function()
    for _, options in ipairs { { url = "/{x", baseUrl = "https://evil.example" }, { url = "https://evil.example/{" },
      { url = "/x", baseUrl = "evil" }, { url = "/x", baseUrl = null } } do
      assert.equal("s3cret", api.merge(options).headers.authorization)
      support.raises({}, api, options)
      support.raises({}, api.parse, api.merge(options))
    end
  end)
end)

describe("a header's name", function()
  for _, name in ipairs { "authorization", "Proxy-Authorization", "COOKIE", "x-api-key", "X-Auth-Token", "client-secret",
    "private-token", "-key" } do
    it("makes it a credential: " .. name, function()
      refused('header "' .. name:lower() .. '"', api_at("https://h", { [name] = "s3cret" }), "https://evil.example/")
    end)
  end

  for _, name in ipairs { "accept", "idempotency-key", "Sec-WebSocket-Key", "x-token-id", "key", "token", "secret",
    "set-cookie", "x-authorization", "cookie2", "x_key" } do
    it("makes it none: " .. name, function()
      sent(api_at("https://h", { [name] = "s3cret" }), "https://evil.example/", nil, name:lower())
    end)
  end
end)
