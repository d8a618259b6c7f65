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

local function title(route, options)
  return support.shown(route) .. (options and " with " .. support.shown(options) or "")
end

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

local CREDENTIALS = names_of [[
  authorization proxy-authorization x-authorization x-amz-authorization x-ms-authorization-auxiliary-authorization
  cookie set-cookie x-cookie
  token x-token job-token private-token deploy-token circle-token x-auth-token x-access-token x-csrf-token x-xsrf-token
  x-amz-security-token x-amz-access-token x-aws-ec2-metadata-token x-vault-token x-consul-token x-nomad-token
  x-shopify-access-token x-shopify-storefront-access-token x-figma-token x-plex-token x-emby-token x-cassandra-token
  x-subject-token x-service-token x-parse-session-token x-cisco-meraki-token x-sf-token x-pagerduty-token x-gitlab-token
  x-goog-channel-token x-lf-token x-hw-token zrok-token csrftoken csrf_token requestverificationtoken accesstoken
  key x-key apikey x-apikey api-key api_key apiKey x-api-key X-MBX-APIKEY x-goog-api-key x-rapidapi-key x-algolia-api-key
  x-parse-rest-api-key x-parse-master-key x-redmine-api-key x-mashape-key ocp-apim-subscription-key x-functions-key
  x-auth-key x-auth-user-service-key fastly-key dd-api-key dd-application-key api-access-key cb-access-key ok-access-key
  x-cg-pro-api-key x-bapi-api-key x-newrelic-insert-key x-honeycomb-team-key x-master-key x-appwrite-key accesskey
  xi-api-key x-ms-encryption-key x-amz-server-side-encryption-customer-key surrogate-key x-hotkey monkey x-monkey
  secret x-secret client-secret x-client-secret cf-access-client-secret x-app-secret x-telegram-bot-api-secret x-hook-secret
  x-auth x-tableau-auth x-oauth x-basic-auth x-registry-auth proxy-auth xauth
  x-session x-emarsys-session x-metabase-session sessionid session-id x-session-id x-genesys-sessionid jsessionid
  x-jwt x-serverless-jwt cf-access-jwt-assertion x-goog-iap-jwt-assertion x-jwt-assertion saml-assertion
  signature stripe-signature x-signature x-hub-signature x-slack-signature x-twilio-signature x-amz-signature
  x-line-signature x-sig sig x-design-sig x-credential x-amz-credential credentials x-user-credentials
  password x-password x-neo-password x-passwd passwd passphrase cb-access-passphrase ok-access-passphrase
  -key _token- to-ken K-E-Y x_auth__
]]

local HARMLESS = names_of [[
  accept accept-language age allow cache-control connection content-type date dnt etag expect forwarded from host if-match
  if-none-match keep-alive last-modified link location origin prefer range referer retry-after server te trailer upgrade
  user-agent vary via x-forwarded-for x-request-id x-correlation-id x-trace traceparent baggage x-github-api-version
  author authors authority x-author x-author-id x-authority authenticate www-authenticate authentication-info
  x-authenticated-user authorized authorizations auth-user x-auth-user x-auth-email x-oauth-scopes x-accepted-oauth-scopes
  keyboard keyword keys x-keys x-key-id key-id keyed monkeys x-hockey-team
  tokens x-token-id x-token-type x-total-tokens tokenizer x-ratelimit-remaining-tokens
  idempotency-key Idempotency-Key idempotency_key idempotencyKey x-idempotency-key sec-websocket-key websocketkey
  sec-websocket-accept sec-websocket-version sec-websocket-protocol
  cookie2 set-cookie2 cookies x-cookies-allowed
  secrets x-secret-id x-client-id cf-access-client-id x-api-version x-api-key-id x-app-id secretary
  sessions x-session-name session-expires x-sessions-ids sid phpsessid
  sign design x-sign cb-access-sign signed x-signed-by signal x-signatures x-hub-signature-256 x-signature-timestamp
  passwords pass pwd x-pwd passcode password-hint x-otp x-github-otp pin dpop x-client-cert x-amz-date
  x-amz-content-sha256 x-ms-version x-ms-date openai-organization anthropic-version stripe-account notion-version - _ - x
]]

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
    assert.is_true(#names > 100, #names .. " names")
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
    local pieces = names_of [[
      assertion auth authorization cookie credential credentials jwt key passphrase passwd password secret session sessionid
      sig signature token idempotency websocket s id a y ken on - _ x Key TOKEN Auth
    ]]
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

  it("is the built-in baseUrl if nothing else is", function()
    refused('"' .. support.BASE .. '" alone', endpoint.defaults { headers = { token = "s3cret" } }, "https://evil.example/")
  end)

  it("moves with the baseUrl of a further defaults, which is configuration", function()
    local moved = api.defaults { baseUrl = "https://other.example" }
    sent(moved, "/x")
    sent(moved, "https://other.example/x")
    refused('"https://other.example" alone', moved, "https://api.example/")
    sent(api.defaults { baseUrl = "" }, "https://evil.example/")
    sent(api.defaults {}.defaults { timeout = 1 }, "/x")
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

  it("quotes a name with its control characters escaped", function()
    refused('default "a\\x0A_key"', endpoint.defaults { ["a\n_key"] = "s3cret" }, "https://evil.example/")
  end)

  it("shows a header in lower case, and a list's name too", function()
    local listed = { headers = { ["X-Api-Key"] = { "s3cret", "b" } } }
    refused('header "x-api-key"', api_at("https://api.example", listed), "https://evil.example/")
  end)
end)

-- --- who asks ------------------------------------------------------------------------------

describe("credentials in merge and parse", function()
  it("are asked for by merge without a url too", function()
    assert.equal("s3cret", api.merge().headers.authorization)
    assert.equal("s3cret", api.merge({ baseUrl = "https://api.example/v2" }).headers.authorization)
    for _, base in ipairs { "https://evil.example", "", "/v1", "https://u@api.example" } do
      support.raises('header "authorization"', api.merge, { baseUrl = base })
      support.raises('header "authorization"', api.merge, { baseUrl = base, url = null })
    end
  end)

  it("are not asked for by parse, which knows no defaults", function()
    local merged = { url = "https://evil.example/", headers = { authorization = "x" }, api_key = "y" }
    local result = api.parse(merged)
    assert.equal("x", result.headers.authorization)
    assert.equal("https://evil.example/?api_key=y", result.url)
  end)

  it("are not asked for by defaults and DEFAULTS", function()
    local away = api.defaults { url = "https://{h}/", method = "POST" }
    assert.equal("s3cret", away.DEFAULTS.headers.authorization)
  end)

  for _, options in ipairs {
    { url = "https://evil.example/{" }, { url = "https://evil.example/}" }, { url = "https://evil.example/\1" },
    { url = "https://evil.example/a/../b" }, { url = "https://evil.example/?a{?b}" }, { url = "https://ev il.example/" },
    { url = "https://a@b@evil.example/" }, { url = "https://{h}/{" },
    { url = "/{x", baseUrl = "https://evil.example" }, { url = "/x", baseUrl = "evil" }, { url = "/x", baseUrl = null },
    { url = "/x", baseUrl = "https://evil.example/.." }, { url = "/x", baseUrl = "https://evil.example#" },
    { url = "/x", baseUrl = "//evil.example" },
  } do
    it("are left to parse, which refuses " .. title(options.url, { baseUrl = options.baseUrl }), function()
      local merged = api.merge(options)
      assert.equal("s3cret", merged.headers.authorization)
      support.raises({}, api, options)
      support.raises({}, api.parse, merged)
    end)
  end
end)
