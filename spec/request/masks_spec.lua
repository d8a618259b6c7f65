-- What a server repeats of a request's credentials is not shown; what it says otherwise is.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local dkjson = require "dkjson"
local masks = require "endpoint.request.failures.masks"
local support = require "support"
local writer = require "endpoint.checks.json.writer"

local has_cjson, cjson = pcall(require, "cjson")

local api = endpoint.defaults { baseUrl = "https://h" }

-- encode: the program's own.
local function masked(said, route, options, encode)
  local how = { decode = dkjson.decode, encode = encode }
  return masks.masked(said, api(route, options), api.merge(route, options), how)
end

-- The text of this many letters, none of which repeats.
local function long_secret(size)
  local pieces = {}
  for i = 1, size / 8 do
    pieces[i] = ("%07d-"):format(i)
  end
  return table.concat(pieces)
end

describe("endpoint.request.failures.masks", function()
  for _, row in ipairs {
    {
      route = "POST /repos/{owner}",
      options = { owner = "public", type = "privat", count = 1, name = "expected" },
    },
    {
      route = "GET /x?got=1",
      options = {
        headers = { accept = "public", ["x-trace"] = "expected" },
        type = "private",
        per_page = 1,
      },
    },
    { route = "PUT /x", options = { data = "type=private&got=1" } },
    { route = "PATCH /x", options = { token = "privat", pin = "1", keys = { true } } },
  } do
    local title = "shows words that %s repeats of no credential: %s"

    it(title:format(row.route, support.shown(row.options)), function()
      local said = "type: expected public or private, got 1"
      assert.equal(said, masked(said, row.route, row.options))
    end)
  end

  for how, value in pairs {
    ["as it is sent"] = "ab+cd%2Fefgh",
    ["decoded"] = "ab+cd/efgh",
    ["decoded, with a space for +"] = "ab cd/efgh",
    ["with a space for +"] = "ab cd%2Fefgh",
  } do
    it("masks a value of a URL " .. how, function()
      local route = "GET /x?api_key={+k}"
      assert.equal("you sent ***", masked("you sent " .. value, route, { k = "ab+cd%2Fefgh" }))
    end)
  end

  it("shows what differs from a value of a URL", function()
    local said = "you sent ab-cd/efgh"
    assert.equal(said, masked(said, "GET /x?api_key={+k}", { k = "ab+cd%2Fefgh" }))
  end)

  it("masks whole values of headers that hold credentials", function()
    local headers = {
      authorization = "Bearer abc.def",
      ["X-Api-Key"] = 12345678.0,
      ["proxy-authorization"] = "Basic dTpw",
      cookie = "theme=dark; sid=s3s; id=01234567; x=1234567; =nameless",
      ["x-tokens"] = { "one1", "two2" },
      n = "mine",
    }
    local said = "abc.def 12345678 dTpw: s3s one1 two2, theme dark, 01234567, 1234567, nameless, "
      .. "Bearer abc.def, mine"
    assert.equal(
      "*** *** ***: *** *** ***, theme dark, ***, 1234567, ***, ***, mine",
      masked(said, "GET /", { headers = headers })
    )
  end)

  for route, options in pairs {
    ["POST /reset/{token}"] = { token = "s3cr3t" },
    ["GET /reset/{token}"] = { token = "s3cr3t" },
    ["GET /x?access_token=s3cr3t&a=1"] = {},
    ["GET /x"] = { api_key = "s3cr3t" },
    ["GET /y{?q*}"] = { q = { sig = "s3cr3t" } },
    ["GET /x;sid=s3cr3t/y"] = {},
    ["GET /z{;sid}"] = { sid = "s3cr3t" },
    ["GET /x#token=s3cr3t"] = {},
    ["GET /back"] = { to = "https://o/?a=1&token=s3cr3t" },
    ["POST /x"] = { user = { { login = { passwords = { "s3cr3t" } } } } },
    ["PUT /x"] = { data = "=%26token%3Ds3cr3t" },
    ["POST /y"] = { data = { {}, a = { {}, a = { token = { {}, deep = { "s3cr3t" } } } } } },
  } do
    local title = "masks a parameter of path, query or body by its name: %s with %s"

    it(title:format(route, support.shown(options)), function()
      local said = "s3cr3t is gone, nos3cr3t"
      assert.equal("*** is gone, nos3cr3t", masked(said, route, options))
    end)
  end

  local FIELDS = { a = { password = "it is + s3cr3t/" }, b = "seen" }
  local PARTS, MULTIPART = clients.multipart {
    { name = "b", data = "seen" },
    { name = "pin", data = FIELDS.a.password },
  }
  local FORM = clients.form(FIELDS, { nested = "brackets" })
  local FORM_TYPE = { ["content-type"] = "application/x-www-form-urlencoded" }

  for what, options in pairs {
    ["a form"] = { data = FORM },
    ["a form with its type"] = { data = FORM, headers = FORM_TYPE },
    ["a form with + for spaces"] = { data = (FORM:gsub("%%20", "+")) },
    ["a form with hyphens and an end of line, which is not multipart"] = {
      data = FORM .. "&x=--b\r\n",
    },
    ["JSON"] = { data = dkjson.encode(FIELDS) },
    ["multipart"] = { data = PARTS, headers = { ["content-type"] = MULTIPART } },
    ["multipart without its end"] = {
      data = (PARTS:gsub("\r\n%-%-[^\r\n]*\r\n$", "")),
      headers = { ["content-type"] = MULTIPART },
    },
  } do
    it("masks the fields of a body that is a string: " .. what, function()
      local said = "seen: it is + s3cr3t/, it%20is%20%2B%20s3cr3t%2F."
      assert.equal("seen: ***, ***.", masked(said, "POST /x", options))
    end)
  end

  it("masks a number of a body that is JSON", function()
    local options = { data = dkjson.encode { n = 12345, pin = 123456 } }
    assert.equal("12345 ***", masked("12345 123456", "POST /x", options))
  end)

  -- Secrets with characters that JSON, or an encoder, writes in another way.
  local SECRETS = {
    base64 = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY+0=",
    quotes = 'correct"horse"battery',
    backslashes = "back\\slash\\\\word\\",
    ["control characters"] = "tab\tline\nend\r\0\1\31\127",
    ["a slash that is escaped already"] = "left\\/right",
    ["letters that are not ASCII"] = "p\195\164sswort/\226\130\172",
    ["a line end of JavaScript"] = "left\226\128\168right",
    ["a short word"] = "a/b",
  }

  -- JSON with triplets of digits where none are needed.
  local function all_escaped(value)
    return (
      dkjson.encode(value):gsub("[/<>&'p]", function(byte)
        return ("\\u%04X"):format(byte:byte())
      end)
    )
  end
  local ENCODERS = {
    dkjson = dkjson.encode,
    ["the rules' own"] = function(value)
      return writer.text({ schemas = {} }, {}, value)
    end,
    ["an encoder that escapes more"] = all_escaped,
    ["lua-cjson"] = has_cjson and cjson.encode or nil,
  }

  for what, secret in pairs(SECRETS) do
    for name, encode in pairs(ENCODERS) do
      local body = { user = "u/v", login = { { client_secret = secret } }, n = 1 }
      local shown = encode { user = "u/v" }:match ":(.*)}"

      it(("masks %s in JSON that %s writes"):format(what, name), function()
        local said = "cannot read " .. encode(body)
        for _, options in ipairs { body, { data = encode(body) } } do
          local text = masked(said, "POST /x", options, encode)
          assert.truthy(text:find('"client_secret":"***"', 1, true), text)
          assert.truthy(text:find(shown, 1, true), text)
        end
      end)
    end
  end

  for written, shown in pairs {
    ["12345678901234567890"] = "***",
    ["1234.50"] = "***",
    ["0.1234e4"] = "***",
    ["1234"] = "***",
  } do
    it("masks a number as the program writes it in JSON: " .. written, function()
      local data = ('{"n": [1, "1e3"], "pin": %s}'):format(written)
      local said = ("got %s, 1, 1e3"):format(written)
      assert.equal(("got %s, 1, 1e3"):format(shown), masked(said, "POST /x", { data = data }))
    end)
  end

  for what, data in pairs {
    ["a string without an end"] = '{"token": "abc\\/def',
    ["an escape without an end"] = '{"token": "abc\\',
    ["an escape that is not JSON"] = '{"token": "abc\\qdef"}',
  } do
    it("takes " .. what .. " for no JSON", function()
      assert.equal("any text", masked("any text", "POST /x", { data = data }))
    end)
  end

  it("masks a secret with an encoder that raises, or takes no strings", function()
    local secret = { token = 'abc/def"ghi' }
    for _, encode in ipairs { error, tostring, type } do
      local said = masked([[abc/def"ghi abc\/def\"ghi abc/def\"ghi]], "POST /x", secret, encode)
      assert.equal("*** *** ***", said)
    end
  end)

  for what, data in pairs {
    ["multipart of a header alone"] = (PARTS:gsub("\r\n\r\n.*", "")),
    ["a word of a form"] = "token=s3cr3t",
    ["multipart with an empty name"] = '--b\r\n; name=""\r\n\r\ntoken"s3cr3t',
  } do
    it("reads no fields in a body of text/plain: " .. what, function()
      local options = { data = data, headers = { ["content-type"] = "text/plain" } }
      assert.equal('token"s3cr3t', masked('token"s3cr3t', "POST /x", options))
    end)
  end

  for _, row in ipairs {
    {
      what = "all of it, and the password",
      url = "https://user:p%40ss@h2/",
      said = "user:p%40ss, user, p@ss",
      shown = "***, user, ***",
    },
    {
      what = "the name if there is no password",
      url = "https://sk_live:@h2/",
      said = "sk_live: sk_live",
      shown = "*** ***",
    },
    {
      what = "as it is sent in authorization",
      url = "https://user:p%40ss@h2/",
      said = "Basic dXNlcjpwQHNz",
      shown = "Basic ***",
    },
    {
      what = "a name alone as it is sent in authorization",
      url = "https://sk_live@h2/",
      said = "Basic c2tfbGl2ZTo=",
      shown = "Basic ***",
    },
    {
      what = "a password without a name",
      url = "https://:p%40ss@h2/",
      said = "p@ss: OnBAc3M=",
      shown = "***: ***",
    },
  } do
    it("masks userinfo: " .. row.what, function()
      assert.equal(row.shown, masked(row.said, "GET " .. row.url))
    end)
  end

  it("masks the longest value where several overlap, and all where one repeats itself", function()
    assert.equal(
      "***, *** ***",
      masked("12345678901234, 9012345678 1212121212121212", "POST /x", {
        token = "1234567890",
        key = "5678901234",
        secret = "12345678901234",
        otp = "9012345678",
        pin = "12121212",
      })
    )
    assert.equal(
      "*** xabcdefgx x***x",
      masked(
        "111111111 xabcdefgx xabcdefghx",
        "POST /x",
        { token = "abcdefg", key = "abcdefgh", pin = "11111111" }
      )
    )
    assert.equal("***:***", masked("se;cret: sec1", "PUT /x", { data = "token=se;cret&key=+sec1" }))
  end)

  it("shows no half of a value at the end of a long text", function()
    local secret = long_secret(1200)
    local text = masked(("x"):rep(999) .. secret .. "end", "POST /x", { token = secret })
    assert.equal(("x"):rep(999) .. "***...", text)
    assert.equal("***...", masked(secret .. secret, "POST /x", { token = secret }))
    local cut = "/" .. long_secret(3000)
    assert.equal("***...", masked(cut, "POST /x", { token = cut }))
    assert.equal("é" .. ("x"):rep(997) .. "...", masked("é" .. ("x"):rep(997) .. "é", "POST /x"))
  end)

  local function keys(count)
    local list = {}
    for i = 1, count do
      list[i] = ("key-%d"):format(i)
    end
    return list
  end
  local function empty_strings(count)
    local list = {}
    for i = 1, count do
      list[i] = ""
    end
    return list
  end
  local function cycle()
    local t = { token = "1234" }
    t[1] = t
    return t
  end

  for what, data in pairs {
    ["a table that holds itself"] = cycle(),
    ["501 credentials"] = { keys = keys(501) },
    ["50,000 values, with those of the URL and the headers"] = empty_strings(49990),
    ["102 tables in one another"] = support.nested(102),
    ["a long form"] = long_secret(400000):gsub("%-", "&"),
  } do
    it("shows nothing if there is more in the request than it looks at: " .. what, function()
      assert.equal("***", masked("any text", "POST /x", { data = data }))
    end)
  end

  -- A file is not a form, and a long word takes no long time.
  local WORD = ("a"):rep(400000)
  for what, options in pairs {
    ["500 values in a list"] = { data = keys(500) },
    ["500 credentials"] = { data = { keys = keys(500) } },
    ["one value less than 50,000"] = { data = empty_strings(49989) },
    ["101 tables in one another"] = { data = support.nested(101) },
    ["a large file"] = { data = "\0" .. ("a&"):rep(60000) },
    ["a long word in the body and a cookie"] = { data = WORD, headers = { cookie = WORD } },
  } do
    it("shows other words of an answer to as much as it looks at: " .. what, function()
      assert.equal("any text", masked("any text", "POST /x", options))
    end)
  end
end)
