-- What a server repeats of a request's credentials is not shown; what it says otherwise is.
local endpoint = require "endpoint"
local clients = require "endpoint.clients"
local dkjson = require "dkjson"
local masks = require "endpoint.request.failures.masks"
local support = require "support"

local api = endpoint.defaults { baseUrl = "https://h" }

local function masked(said, route, options)
  return masks.masked(said, api(route, options), api.merge(route, options), dkjson.decode)
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
  it("lets ordinary words stand", function()
    local said = "type: expected public or private, got 1"
    for route, options in pairs {
      ["POST /repos/{owner}"] = { owner = "public", type = "privat", count = 1, name = "expected" },
      ["GET /x?got=1"] = {
        headers = { accept = "public", ["x-trace"] = "expected" },
        type = "private",
        per_page = 1,
      },
      ["PUT /x"] = { data = "type=private&got=1" },
      ["PATCH /x"] = { token = "privat", pin = "1", keys = { true } },
    } do
      assert.equal(said, masked(said, route, options))
    end
  end)

  it("masks a value of a URL as it is sent, decoded, and with + for a space", function()
    local function said(word)
      return masked("you sent " .. word, "GET /x?api_key={+k}", { k = "ab+cd%2Fefgh" })
    end
    assert.equal("you sent ***", said "ab+cd%2Fefgh")
    assert.equal("you sent ***", said "ab+cd/efgh")
    assert.equal("you sent ***", said "ab cd/efgh")
    assert.equal("you sent ***", said "ab cd%2Fefgh")
    assert.equal("you sent ab-cd/efgh", said "ab-cd/efgh")
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

  it("masks parameters of path, query and body by their names, at any depth", function()
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
      assert.equal(
        route .. ": *** is gone, nos3cr3t",
        route .. ": " .. masked("s3cr3t is gone, nos3cr3t", route, options)
      )
    end
  end)

  it("masks fields of bodies that are texts: forms, JSON and multipart", function()
    local fields = { a = { password = "it is + s3cr3t/" }, b = "seen" }
    local part = { name = "pin", data = fields.a.password }
    local parts, kind = clients.multipart { { name = "b", data = "seen" }, part }
    local form = clients.form(fields, { nested = "brackets" })
    for name, options in pairs {
      form = { data = form },
      labelled = {
        data = form,
        headers = { ["content-type"] = "application/x-www-form-urlencoded" },
      },
      plus = { data = (form:gsub("%%20", "+")) },
      dashes = { data = form .. "&x=--b\r\n" }, -- no multipart
      json = { data = dkjson.encode(fields) },
      parts = { data = parts, headers = { ["content-type"] = kind } },
      open = {
        data = (parts:gsub("\r\n%-%-[^\r\n]*\r\n$", "")),
        headers = { ["content-type"] = kind },
      },
    } do
      local text = masked("seen: it is + s3cr3t/, it%20is%20%2B%20s3cr3t%2F.", "POST /x", options)
      assert.equal(name .. ": seen: ***, ***.", name .. ": " .. text)
    end
    assert.equal(
      "12345 ***",
      masked("12345 123456", "POST /x", { data = dkjson.encode { n = 12345, pin = 123456 } })
    )
    for _, data in ipairs {
      (parts:gsub("\r\n\r\n.*", "")),
      "token=s3cr3t",
      '--b\r\n; name=""\r\n\r\ntoken"s3cr3t',
    } do
      local plain = { data = data, headers = { ["content-type"] = "text/plain" } }
      assert.equal('token"s3cr3t', masked('token"s3cr3t', "POST /x", plain))
    end
  end)

  it("masks userinfo: all of it, and the password, or the name if it is alone", function()
    assert.equal("***, user, ***", masked("user:p%40ss, user, p@ss", "GET https://user:p%40ss@h2/"))
    assert.equal("*** ***", masked("sk_live: sk_live", "GET https://sk_live:@h2/"))
    -- As it is sent.
    assert.equal("Basic ***", masked("Basic dXNlcjpwQHNz", "GET https://user:p%40ss@h2/"))
    assert.equal("Basic ***", masked("Basic c2tfbGl2ZTo=", "GET https://sk_live@h2/"))
    assert.equal("***: ***", masked("p@ss: OnBAc3M=", "GET https://:p%40ss@h2/"))
  end)

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

  it("shows nothing if there is more in the request than it looks at", function()
    local cycle, keys, many = { token = "1234" }, {}, {}
    cycle[1] = cycle
    for i = 1, 501 do
      keys[i] = ("key-%d"):format(i)
    end
    for i = 1, 49990 do
      many[i] = ""
    end -- of 50,000, since the URL and the headers have some
    for _, data in ipairs {
      cycle,
      { keys = keys },
      many,
      support.nested(102),
      (long_secret(400000):gsub("%-", "&")),
    } do
      assert.equal("***", masked("any text", "POST /x", { data = data }))
    end
    keys[501], many[49990] = nil, nil
    -- A file is no form, and a long word takes no long time.
    local file, word = "\0" .. ("a&"):rep(60000), ("a"):rep(400000)
    for _, data in ipairs { keys, { keys = keys }, many, support.nested(101), file, word } do
      local headers = { cookie = data == word and word or nil }
      assert.equal("any text", masked("any text", "POST /x", { data = data, headers = headers }))
    end
  end)
end)
