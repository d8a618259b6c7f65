-- Credentials of the defaults stay at home: at the origin (RFC 6454) of the default baseUrl and
-- with its userinfo (CVE-2025-27152).
package.path = "src/?.lua;" .. package.path
local endpoint = require "endpoint"
local secrets = require "endpoint.clients.secrets"
local support = require "support"

local null = endpoint.null

local function api_at(base, options)
  local all = { baseUrl = base, headers = { authorization = "s3cret" } }
  for name, value in pairs(options or {}) do all[name] = value end
  return endpoint.defaults(all)
end

local api = api_at "https://api.example/v1"

-- The call and merge raise the same words, and neither message shows a secret.
local function refused(words, e, route, options)
  for _, f in ipairs { e, e.merge } do
    support.raises(words, f, route, options)
    local message = support.message_of(f, route, options)
    assert.falsy(message:find("s3cret", 1, true), message)
    assert.truthy(message:find '^endpoint: %l+ "[^"]+": a credential of the defaults goes to ', message)
  end
end

-- The call has the header in its result, and so has parse(merge(...)).
local function sent(e, route, options, header)
  local result = e(route, options)
  assert.equal("s3cret", result.headers[header or "authorization"])
  assert.same(result, e.parse(e.merge(route, options)))
end

-- --- names ------------------------------------------------------------------------

local function names_of(text)
  local names = {}
  for name in text:gmatch "%S+" do names[#names + 1] = name end
  return names
end

local ENDINGS = names_of [[
  assertion auth authorization cookie credential credentials jwt key passphrase passwd password secret session sessionid
  sig signature token
]]

local function is_ending(name)
  for _, ending in ipairs(ENDINGS) do
    if name == ending then return true end
  end
end

-- Names that real services use, first those of credentials.
local CREDENTIALS = names_of [[
  proxy-authorization x-ms-authorization-auxiliary-authorization set-cookie x-amz-security-token x-goog-channel-token
  csrf_token accesstoken apiKey X-MBX-APIKEY ocp-apim-subscription-key x-parse-master-key monkey x-hotkey xauth x-oauth
  cf-access-client-secret jsessionid x-genesys-sessionid cf-access-jwt-assertion stripe-signature x-design-sig
  x-user-credentials cb-access-passphrase -key _token- to-ken x_auth__
]]
local HARMLESS = names_of [[
  accept cache-control content-type etag host if-match link location origin range referer te user-agent x-request-id
  author x-author authority authenticate www-authenticate authenticated-user auth-user x-auth-email x-oauth-scopes
  keyboard keyword key-id x-hockey-team x-ratelimit-remaining-tokens x-token-type cookie2 secretary session-name sid
  idempotency-key Idempotency-Key idempotency_key idempotencyKey x-idempotency-key sec-websocket-key websocketkey
  sign design cb-access-sign x-hub-signature-256 x-signature-timestamp pass pwd passcode x-otp pin dpop - _ - x
]]
for _, ending in ipairs(ENDINGS) do
  for _, name in ipairs { ending, "x-" .. ending, "x" .. ending, "X_" .. ending:upper(), (ending:gsub(".", "-%0_")) } do
    CREDENTIALS[#CREDENTIALS + 1] = name
  end
  for _, name in ipairs { ending .. "s", ending .. "-x", ending:sub(2), ending:sub(1, -2) } do
    if not is_ending(name) then HARMLESS[#HARMLESS + 1] = name end
  end
end

-- Is a name that of a credential? Asks the module.
local function is_refused(options)
  local ok, message = pcall(endpoint.defaults(options), "POST https://evil.example/")
  if not ok then assert(tostring(message):find("a credential of the defaults", 1, true), message) end
  return not ok
end

local function is_header_refused(name)
  return is_refused { baseUrl = "https://h.example", headers = { [name] = "v" } }
end

local function is_parameter_refused(name)
  return is_refused { baseUrl = "https://h.example", [name] = "v" }
end

describe("the name of a credential", function()
  local function all_are(expected, names, is_credential)
    for _, name in ipairs(names) do support.equal(expected, is_credential(name), name) end
  end

  for title_of, is_credential in pairs {
    ["a default header"] = is_header_refused, ["a default parameter"] = is_parameter_refused,
    ["a header or parameter that clients mask"] = secrets.is_credential,
  } do
    it("is that of " .. title_of, function()
      all_are(true, CREDENTIALS, is_credential)
      all_are(false, HARMLESS, is_credential)
    end)
  end

  it("may hold any byte where it is a parameter's", function()
    for name, expected in pairs { ["api key"] = true, ["api.key"] = true, ["\0_key"] = true, ["é-k_ey"] = true,
      ["ké\0y"] = false, ["key[]"] = false, ["k ey"] = false, ["key\255"] = false, [""] = false, ["TOKEN"] = true } do
      support.equal(expected, is_parameter_refused(name), name)
      support.equal(expected, secrets.is_credential(name), name)
    end
  end)

  it("is the same to clients and to the module, whatever it is made of", function()
    local random, credentials = support.random(20240701), 0
    local pieces = names_of "idempotency websocket s id a y ken on - _ x Key TOKEN Auth"
    for _, ending in ipairs(ENDINGS) do pieces[#pieces + 1] = ending end
    for _ = 1, 5000 do
      local name = ""
      for _ = 1, random(5) do name = name .. pieces[random(#pieces)]:sub(1, random(16)) end
      if name:find "^%w" then
        local expected = is_header_refused(name)
        credentials = credentials + (expected and 1 or 0)
        support.equal(expected, secrets.is_credential(name), name)
      end
    end
    assert.is_true(credentials > 500 and credentials < 4000, credentials .. " credentials")
  end)
end)

-- --- where a request goes: spec/vectors/credentials.json -----------------------------------

describe("home", function()
  it("is a scheme, a host and a port, a default port being none", function()
    for base, url in pairs {
      ["http://api.example:80"] = "http://api.example/x", ["https://api.example"] = "https://api.example:443",
      ["ws://api.example"] = "ws://api.example:80/x", ["wss://api.example:443"] = "wss://api.example/x",
      ["ftp://api.example"] = "ftp://api.example:21/x", ["http://[::1]:8080"] = "http://[::1]:08080/x",
      ["http://[::1]"] = "http://[::1]:80/x", ["http://[::AB]"] = "HTTP://[::ab]/x",
      ["http://API.example:"] = "http://api.Example",
      ["other://api.example:80"] = "other://api.example:80/x", ["http://api.example:8080"] = "http://api.example:8080?x",
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
      refused('"' .. base .. '" alone', api_at(base), url)
      refused('"' .. base .. '" alone', api_at(base), "/x", { baseUrl = url })
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
      refused({ '"https://***@api.example" alone', 'not to "https://***@api.example" with another userinfo' }, with, url)
      refused('"https://***@api.example" alone', with, "/x", { baseUrl = url })
    end
    refused('not to "https://evil.example"', with, "https://evil.example")
    refused('not to "https://***@evil.example"', with, "https://u:s3cret@evil.example")
  end)

  it("is nowhere if the default baseUrl is missing, empty or a bare path", function()
    for _, base in ipairs { "", "/v1", "/v1?k=https://api.example", null } do
      sent(api_at(base), "https://evil.example/x")
      sent(api_at(base), "https://{h}/x", { h = "evil.example" })
      sent(api_at(base), "/x", { baseUrl = "https://evil.example" })
    end
  end)
end)

describe("a default url", function()
  it("may lead anywhere, for it is configuration", function()
    for _, url in ipairs { "https://other.example/x", "https://u:p@other.example{/p}", "https://other.example{?q}",
      "https://api.example:8443/" } do
      sent(api.defaults { url = url }, {})
      sent(api.defaults { url = url }, { baseUrl = "https://evil.example" })
      sent(api.defaults { url = url }, { p = "@evil.example", q = "@evil.example" })
    end
    sent(api.defaults { url = "/x" }, {})
  end)

  it("has no authority that values can write into", function()
    for _, url in ipairs { "https://{host}/x", "https://{+host}", "https://api.example.{host}", "https://{host}@h" } do
      local chosen = api.defaults { url = url }
      refused({ '"https://', "whose authority values can change" }, chosen, { host = "api" })
      assert.equal("s3cret", chosen.DEFAULTS.headers.authorization)
      assert.equal("s3cret", chosen.defaults({ a = 1 }).DEFAULTS.headers.authorization)
    end
  end)

  it("is no longer asked where the call gives another", function()
    local other = api.defaults { url = "https://other.example/x" }
    sent(other, "/x")
    sent(other, { url = "https://api.example/" })
    refused('"https://evil.example"', other, { url = "https://evil.example/x" })
    refused('"https://other.example"', other, { url = "https://other.example/y" })
    refused('"https://evil.example"', api.defaults { url = "/x" }, { baseUrl = "https://evil.example" })
  end)
end)

describe("the error of a credential", function()
  it("names the first in the order of bytes, headers first, however the table was filled", function()
    for i = 1, 20 do
      local headers = { ["x-b-key"] = "1", authorization = "2", cookie = "3", ["proxy-authorization"] = "4" }
      local parameters = { headers = headers, token = "5", ["Api-Key"] = "6" }
      for j = 1, i do
        headers["x-" .. j] = "harmless"
        parameters["y" .. j] = "harmless"
      end
      refused('header "authorization"', api_at("https://api.example", parameters), "https://evil.example/")
      headers.authorization = nil
      refused('header "cookie"', api_at("https://api.example", parameters), "https://evil.example/")
      parameters.headers = {}
      refused('default "Api-Key"', api_at("https://api.example", parameters), "https://evil.example/")
    end
  end)
end)

-- --- who asks ------------------------------------------------------------------------------

describe("credentials in merge and parse", function()
  it("are not asked for by defaults and DEFAULTS", function()
    local away = api.defaults { url = "https://{h}/", method = "POST" }
    assert.equal("s3cret", away.DEFAULTS.headers.authorization)
  end)

  it("are left to parse where a url or a baseUrl is malformed", function()
    local base = "https://evil.example"
    for _, url in ipairs { "/{", "/}", "/\1", "/a/../b", "/?a{?b}", " l/", "@b@h/", "{h}/{" } do
      local options = { url = base .. url }
      assert.equal("s3cret", api.merge(options).headers.authorization)
      support.raises({}, api, options)
    end
    for _, malformed in ipairs { "evil", base .. "/..", base .. "#", "//evil.example", null } do
      local options = { url = "/x", baseUrl = malformed }
      assert.equal("s3cret", api.merge(options).headers.authorization)
      support.raises({}, api, options)
    end
    assert.equal("s3cret", api.merge({ url = "/{x", baseUrl = base }).headers.authorization)
  end)
end)
