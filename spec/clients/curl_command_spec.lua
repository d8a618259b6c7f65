-- clients.curl_command: a request as a shell command, in which secrets are hidden.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local support = require "support"

describe("clients.curl_command", function()
  local function line(headers, options)
    return clients.curl_command(endpoint.parse { url = "http://h/", headers = headers }, options)
  end

  for method, words in pairs { get = "", head = " --head", delete = " --request 'DELETE'" } do
    it("has the method, then the headers: " .. method, function()
      assert.equal(
        "curl --globoff --path-as-is" .. words .. " --header 'a: b' 'http://h/'",
        clients.curl_command { method = method, url = "http://h", headers = { a = "b" } }
      )
    end)
  end

  for value, word in pairs {
    ["it's"] = [['a: it'\''s']],
    ["é"] = "'a: é'",
    ["\27\240"] = [["$(printf 'a: \033\360')"]],
  } do
    it(
      "quotes a quote, and writes control characters and stray bytes with printf: "
        .. support.shown(value),
      function()
        assert.equal(
          "curl --globoff --path-as-is --header " .. word .. " 'http://h/'",
          line { a = value }
        )
      end
    )
  end

  -- An interactive shell would expand ! and ^ from its history.
  local function body(data)
    return clients.curl_command { method = "post", url = "http://h/x", body = data }
  end
  for data, text in pairs {
    ["a\0"] = [[a\000]],
    ["a\tb"] = [[a\011b]],
    ["-\27%"] = [[\055\033\045]],
    ["\195"] = [[\303]],
    ["\194\128"] = [[\302\200]],
    ["\r\n"] = [[\015\012]],
    ["a\n^b^c"] = [[a\012\136b\136c]],
    ["a\nb!c"] = [[a\012b\041c]],
  } do
    it("pipes a body with bytes that a shell may change: " .. text, function()
      assert.equal("printf '" .. text .. "' | curl", body(data):match("^printf.-curl"))
    end)
  end

  for _, data in ipairs {
    "",
    "a\nb",
    "é☃\240\159\152\128",
    ("x"):rep(65536),
    "^a",
    "a^\nb^",
    "!a\nb",
  } do
    it("has other bodies as an argument: " .. support.shown(data), function()
      assert.truthy(body(data):find(" --data-raw '" .. data .. "' ", 1, true))
    end)
  end

  it("pipes a body of more than 65,536 bytes, in words of that size at most", function()
    local long = body(("\0"):rep(32768))
    local expected = "^{ printf '[\\0]+'; printf '[\\0]+'; } | curl .* %-%-data%-binary @%- "
    assert.truthy(long:find(expected), long:sub(1, 80))
    assert.equal(32768, select(2, long:gsub("\\000", "")))
    for word in long:gmatch("'([^']*)'") do
      assert.is_true(#word <= 65536, #word)
    end
  end)

  it("pipes a body of 65,536 bytes in one word if it has control characters", function()
    assert.truthy(body(("\0"):rep(16384)):find "^printf")
  end)

  it("pipes a body of 65,537 bytes, also one of letters", function()
    local expected = "^{ printf 'x+'; .* | curl .* %-%-data%-binary @%- "
    assert.truthy(body(("x"):rep(65537)):find(expected))
  end)

  local LONG = ("a"):rep(400000) -- it takes no long time
  local SHOWN = "curl --globoff --path-as-is --header '%s: %s' 'http://h/'"

  local function command_with(name)
    local r = { method = "get", url = "http://h/?" .. name .. "=s3cret" }
    return clients.curl_command(r)
  end

  local SECRET_NAMES = [[
    X-JFrog-Art-Api X-GitHub-OTP appid app_id sid PHPSESSID code authCode pass db_pass apikey1
    auth[token] user[pins][] tokens token[0] x-hub-signature-256 otp pin userPin pat sas sign
    cert passcode pwd mfa totp access-key-id api+key x-amz-security-token x-csrf accesstoken
    apiKey X-MBX-APIKEY monkey jsessionid cf-access-jwt-assertion stripe-signature
    cb-access-passphrase -key _token- to-ken x_auth__ keys cookie2 client_secret dpop
    assertion auth authorization cookie credential credentials jwt key passphrase passwd
    password secret session sessionid sig signature token hmac bearer clientid appid
    accesskeyid samlresponse sessid ticket verifier xsrf cvc cvv pw ssn tan ]]
  for name in SECRET_NAMES:gmatch "%S+" do
    it("hides the parameter of the URL whose name may be that of a credential: " .. name, function()
      local command = command_with(name)
      assert.truthy(command:find("?" .. name .. "=***", 1, true), command)
      assert.falsy(command:find("s3cret", 1, true), command)
    end)
  end

  local OTHER_NAMES = [[
    page_token next_token nextPageToken sort_key etag idempotency-key idempotencyKey
    sec-websocket-key author x-author authority keyboard keyword key-id spin shipping zipcode
    design sas-x token-type session-name page per_page sort q state link origin range
    x-request-id k+ey key%FF s 1 - _ ]]
  for name in OTHER_NAMES:gmatch "%S+" do
    it("shows the parameter of the URL whose name is not that of a credential: " .. name, function()
      local command = command_with(name)
      assert.truthy(command:find(name .. "=s3cret", 1, true), command)
    end)
  end

  for _, name in ipairs {
    "authorization",
    "cookie",
    "x-api-key",
    "X-APIKey",
    "ocp-apim-subscription-key",
    "x-monkey",
  } do
    it("hides the header of a credential, unless options.secrets names it: " .. name, function()
      local headers = { [name] = { "s3cret", "more" } }
      assert.equal(SHOWN:format(name:lower(), "***"), line(headers))
      assert.truthy(line(headers, { secrets = true }):find("s3cret", 1, true))
      assert.truthy(line(headers, { secrets = { name:upper() } }):find("s3cret", 1, true))
      assert.falsy(line(headers, { secrets = { "other" } }):find("s3cret", 1, true))
    end)
  end

  for _, name in ipairs {
    "accept",
    "x-author",
    "idempotency-key",
    "sec-websocket-key",
    "x-keyboard",
    "x-token-id",
  } do
    it("shows a header that is not of a credential: " .. name, function()
      assert.equal(SHOWN:format(name, "shown"), line { [name] = "shown" })
    end)
  end

  for _, value in ipairs {
    "Bearer s3cret",
    "bearer s3cret",
    "BASIC czNjcmV0",
    "Basic\ts3cret",
    "token s3cret",
    " Bearer s3cret",
    " basic a",
    " token a",
  } do
    it("hides an authentication scheme under any name: " .. support.shown(value), function()
      assert.equal(SHOWN:format("x-upstream", "***"), line { ["x-upstream"] = { "a", value } })
    end)
  end

  for _, value in ipairs {
    "tokens",
    "a Bearer",
    "the basics",
    "Basic",
    "basically fine",
    "a basic plan",
    "a token x",
  } do
    it("shows a value without an authentication scheme: " .. value, function()
      assert.equal(SHOWN:format("x-upstream", value), line { ["x-upstream"] = value })
    end)
  end

  for value, shown in pairs {
    ["https://me:s3@cret@h/a@b?c=d"] = "https://***@h/a@b?c=d",
    ["//s3cret@h //@h"] = "//***@h //***@h",
    ["https://h/?sig=s3cret&x=1"] = "https://h/?sig=***&x=1",
    ["https://h/?a=1#access_token=s3cret"] = "https://h/?a=1#access_token=***",
    ["https://h/#a=1&access_token=s3cret"] = "https://h/#a=1&access_token=***",
    ["https://h/#/cb/sig=s3cret"] = "https://h/#/cb/sig=***",
    ["https://h/?u=https%3A%2F%2Fu%3As3cret%40h"] = "https://h/?u=***",
    ["https:/u:s3cret@h/a:b"] = "https:/***@h/a:b",
    ["u:s3cret@h:80"] = "***@h:80",
    [":s3cret@h"] = "***@h",
    ["?a=b&sig=c"] = "?a=b&sig=***",
    [LONG] = LONG,
    ["me@h, you@h, u:@h"] = "me@h, you@h, u:@h",
    ["a=1,token=,sig=s3cret, b=2, token=s3cret"] = "a=1,token=***,sig=***, b=2, token=***",
    ["<https://a:b@h/>, <https://c:d@i/>"] = "<https://***@h/>, <https://***@i/>",
  } do
    it("hides userinfo and secret parameters of a URL in a header: " .. value:sub(1, 60), function()
      assert.equal(SHOWN:format("referer", shown), line { referer = value })
      assert.truthy(line({ referer = value }, { secrets = { "referer" } }):find(value, 1, true))
    end)
  end

  local function shown_url(url, options)
    return clients
      .curl_command({ method = "get", url = "http://h" .. url }, options)
      :match("'http://h(.*)'$")
  end

  for url, shown in pairs {
    ["/x?access_token=s3cret&a=1"] = "/x?access_token=***&a=1",
    ["/x?key=s3cret&X-Amz-Signature=s3cret&X-Amz-Date=1"] = "/x?key=***&X-Amz-Signature=***"
      .. "&X-Amz-Date=1",
    ["/x?access%5Ftoken=s3cret&%6Bey=s&api+key=s"] = "/x?access%5Ftoken=***"
      .. "&%6Bey=***&api+key=***",
    ["/x?a[token]=s3cret&b%5Bsig%5D=s&key[]=s&key[a]=1"] = "/x?a[token]=***"
      .. "&b%5Bsig%5D=***&key[]=***&key[a]=1",
    ["/x?token=a;b?c=d=e&f"] = "/x?token=***&f",
    ["/x?a=1;token=s3cret&u=http://h?key=s3cret"] = "/x?a=1;token=***&u=http://h?key=***",
    ["/x?token&key="] = "/x?token&key=***",
    ["/x;jsessionid=s3cret/y;a=b;token=s3cret?c"] = "/x;jsessionid=***/y;a=b;token=***?c",
    ["/x;token=s3cret"] = "/x;token=***",
    ["/to/https://me:s3cret@h/"] = "/to/https://***@h/",
    ["/x?u=https%3A%2F%2Fu%3As3cret%40h%2F&a=1"] = "/x?u=***&a=1",
    ["/x?u=https:%2F%2Fu:s3cret@h&a=%2F%3Fa%3D1"] = "/x?u=***&a=%2F%3Fa%3D1",
    ["/x?next=%2Fcb%3Faccess_token%3Ds3cret"] = "/x?next=***",
    ["/x?next=%252Fcb%253Faccess_token%253Ds3cret"] = "/x?next=***",
    ["/x?next=%25252Fcb%25253Faccess_token%25253Dtoo-deep"] = "/x?next=%25252Fcb"
      .. "%25253Faccess_token%25253Dtoo-deep",
    ["/x?a=1;next=%2Fcb%3Fa%3D1%26sig%3Ds3cret"] = "/x?a=***",
    ["/to/https%3A%2F%2Fu%3As3cret%40h/y"] = "/to/***/y",
    ["/x?%2Fcb%3Fsig%3Ds3cret&%2Fcb&%2Fcb%3Fsig%3Ds3cret=1"] = "/x?***&%2Fcb&***",
    ["/x?a=%2Fcb%23sig%3Ds3cret"] = "/x?a=***",
    ["/a=1&token=s3cret/b"] = "/a=1&token=***/b",
    ["/" .. LONG] = "/" .. LONG,
  } do
    it("hides the values of secret parameters of the URL: " .. url:sub(1, 80), function()
      assert.equal(shown, shown_url(url))
      assert.equal(url, shown_url(url, { secrets = true }))
    end)
  end

  it("shows the parameters of the URL that options.secrets names", function()
    assert.equal(
      "/x?KEY=1&access%5Ftoken=2&sig=***",
      shown_url("/x?KEY=1&access%5Ftoken=2&sig=3", { secrets = { "key", "Access_Token" } })
    )
  end)

  for _, row in ipairs {
    { title = "hides the userinfo of the URL", shown = "***", options = {} },
    {
      title = "shows the userinfo of the URL with options.secrets = true",
      shown = "Basic bWU6cGFzcw==",
      options = { secrets = true },
    },
  } do
    it(row.title, function()
      local expected = SHOWN:gsub("http:", "https:"):format("authorization", row.shown)
      local r = endpoint.parse { url = "https://me:pass@h/" }
      assert.equal(expected, clients.curl_command(r, row.options))
    end)
  end
end)
