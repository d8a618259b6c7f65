-- Credentials of the defaults go only to the origin (RFC 6454) of the default baseUrl
-- (CVE-2025-27152).
local endpoint = require "endpoint"
local support = require "support"

local null = endpoint.null

local function api_at(base, headers)
  return endpoint.defaults { baseUrl = base, headers = headers or { authorization = "s3cret" } }
end

local api = api_at "https://api.example/v1"

local function shown_call(route, options)
  return route .. (options and " with " .. support.shown(options) or "")
end

-- The call and merge raise, and neither message shows the value.
local function refused(words, e, route, options)
  support.raises(words, e, route, options)
  support.raises(words, e.merge, route, options)
  assert.falsy(support.message_of(e, route, options):find("s3cret", 1, true))
end

-- The call has the header in its result, and so has parse(merge(...)).
local function sent(e, route, options, header)
  local result = e(route, options)
  assert.equal("s3cret", result.headers[header or "authorization"])
  assert.same(result, e.parse(e.merge(route, options)))
end

describe("a credential of the defaults", function()
  local away = {
    -- route                              options                     the origin of the request
    { "https://evil.example/x",           nil,                        '"https://evil.example"' },
    { "http://api.example/x",             nil,                        '"http://api.example"' },
    { "https://api.example:8443/x",       nil,                        '"https://api.example:8443"' },
    { "https://api.example:0/x",          nil,                        '"https://api.example:0"' },
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
    -- An expression can write into the authority.
    { "https://{h}/x",                    { h = "api.example" },      '"https://{h}"' },
    { "https://{+h}/x",                   { h = "api.example" },      '"https://{+h}", whose authority values can' },
    { "https://api.example{h}/x",         { h = ":443" },             '"https://api.example{h}"' },
    { "https://api{.h}/x",                { h = "example" },          '"https://api{.h}"' },
    { "https://api.example{;h}",          {},                         '"https://api.example{;h}"' },
    { "https://api.example{&h}",          {},                         '"https://api.example{&h}"' },
    { "https://api.example{/a}.evil/",    { a = "x" },                '"https://api.example{/a}.evil"' },
    { "https://api.example{/a}{;b}",      { a = "x" },                '"https://api.example{/a}{;b}"' },
  }
  for _, case in ipairs(away) do
    it("is refused in a call of " .. shown_call(case[1], case[2]), function()
      refused({ 'header "authorization"', '"https://api.example" alone', "not to " .. case[3], "in the call", "null" },
        api, case[1], case[2])
    end)
  end

  local home = {
    { "/x" },
    { "{+p}",                             { p = "//evil.example/x" } },
    { "https://api.example/other" },
    { "https://api.example/x/{id}",       { id = 1 } },
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
    { "https://api.example{#c}",          { c = "x" } },
  }
  for _, case in ipairs(home) do
    it("is sent in a call of " .. shown_call(case[1], case[2]), function()
      sent(api, case[1], case[2])
    end)
  end

  it("is replaced or removed by the call's own header, in any case of the name", function()
    local r = api("https://evil.example/", { headers = { Authorization = "mine" } })
    assert.equal("mine", r.headers.authorization)
    assert.is_nil(api("https://evil.example/", { headers = { AUTHORIZATION = null } }).headers.authorization)
    assert.is_nil(api("https://evil.example/", { headers = null }).headers.authorization)
    assert.is_nil(api.merge("https://evil.example/", { headers = { authorization = null } }).headers.authorization)
  end)

  it("is refused with both origins in the error, without their userinfo", function()
    refused({ '"https://***@api.example" alone', 'not to "https://***@evil.example"' },
      api_at "https://u:s3cret@api.example", "https://u:s3cret@evil.example/x")
  end)

  it("goes to an origin with the same port, a default port being none", function()
    sent(api_at "http://api.example:80", "http://api.example/x")
    sent(api_at "ws://api.example", "ws://api.example:80/x")
    sent(api_at "wss://api.example:443", "wss://api.example/x")
    sent(api_at "ftp://api.example", "ftp://api.example:21/x")
    sent(api_at "http://[::1]:8080", "http://[::1]:8080/x")
    sent(api_at "http://[::1]", "http://[::1]:80/x")
    refused("authorization", api_at "http://[::1]", "http://[::2]/x")
    refused("authorization", api_at "http://api.example:443", "https://api.example/x")
    refused("authorization", api_at "other://api.example:80", "other://api.example/x")
  end)

  it("goes to an origin whose host is the same text, once literals are encoded", function()
    sent(api_at "https://é.example", "https://é.example/x")
    sent(api_at "https://é.example", "/x", { baseUrl = "https://é.example" })
    refused("authorization", api_at "https://a.example", "https://%61.example/x")
  end)

  it("goes anywhere if the default baseUrl has no origin", function()
    for _, base in ipairs { "", "/v1" } do
      sent(api_at(base), "https://evil.example/x")
      sent(api_at(base), "/x", { baseUrl = "https://evil.example" })
    end
    sent(endpoint.defaults { baseUrl = null, headers = { authorization = "s3cret" } }, "https://evil.example/x")
  end)

  it("goes where a default url or a further default baseUrl leads", function()
    sent(api.defaults { url = "https://other.example/x" }, {})
    sent(api.defaults { baseUrl = "https://other.example" }, "/x")
    refused('"https://other.example" alone', api.defaults { baseUrl = "https://other.example" }, "https://api.example/")
    assert.equal("s3cret", api.defaults({ url = "https://other.example" }).DEFAULTS.headers.authorization)
  end)

  it("does not go to a host of a default url that values choose", function()
    local chosen = api.defaults { url = "https://{host}/x" }
    refused({ "authorization", '"https://{host}"' }, chosen, { host = "evil.example" })
    assert.equal("s3cret", chosen.DEFAULTS.headers.authorization)
    assert.equal("s3cret", chosen.defaults({}).DEFAULTS.headers.authorization)
  end)

  it("does not go to another origin in the option url", function()
    refused('"https://evil.example"', api, { url = "https://evil.example/x" })
    refused('"https://evil.example"', api.defaults { url = "https://api.example/" }, { url = "https://evil.example/x" })
  end)

  it("does not go to another baseUrl of the call with a relative url", function()
    refused('"https://evil.example"', api.defaults { url = "/x" }, { baseUrl = "https://evil.example" })
    refused('"https://evil.example"', api, { url = "/x", baseUrl = "https://evil.example" })
    support.raises('"https://evil.example"', api.merge, { baseUrl = "https://evil.example" })
  end)

  it("is the first by name in the error, in whatever order the table is filled", function()
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

  it("comes out of merge without a url", function()
    assert.equal("s3cret", api.merge({}).headers.authorization)
    assert.equal("s3cret", api.merge().headers.authorization)
  end)

  it("comes out of parse, which knows no defaults", function()
    local merged = { url = "https://evil.example/", headers = { authorization = "x" } }
    assert.equal("x", api.parse(merged).headers.authorization)
  end)

  it("comes out of merge where parse raises", function()
    for _, options in ipairs { { url = "/{x", baseUrl = "https://evil.example" }, { url = "https://evil.example/{" },
      { url = "/x", baseUrl = "evil" }, { url = "/x", baseUrl = null } } do
      assert.equal("s3cret", api.merge(options).headers.authorization)
      support.raises({}, api, options)
      support.raises({}, api.parse, api.merge(options))
    end
  end)
end)

describe("a header of the defaults", function()
  for _, name in ipairs { "authorization", "Proxy-Authorization", "COOKIE", "x-api-key", "X-Auth-Token", "client-secret",
    "private-token", "-key" } do
    it("is a credential: " .. name, function()
      refused('header "' .. name:lower() .. '"', api_at("https://h", { [name] = "s3cret" }), "https://evil.example/")
    end)
  end

  for _, name in ipairs { "accept", "idempotency-key", "Sec-WebSocket-Key", "x-token-id", "key", "token", "secret",
    "set-cookie", "x-authorization", "cookie2", "x_key" } do
    it("is no credential: " .. name, function()
      sent(api_at("https://h", { [name] = "s3cret" }), "https://evil.example/", nil, name:lower())
    end)
  end
end)
