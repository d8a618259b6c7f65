-- The rules that all clients of endpoint.clients share, and its errors.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local json = require "cjson"
local requests = require "clients.requests"
local support = require "support"

local raises = support.client_raises
local api, while_loaded = endpoint.defaults { baseUrl = "https://h" }, requests.while_loaded

-- What all clients share, shown with lua-resty-http.
describe("each client", function()
  local function params(r, options)
    return (select(2, clients.resty_http(r, options)))
  end

  it("does not modify the result of endpoint", function()
    local list = { "a", "b" }
    local r = {
      method = "put",
      url = "http://u:p@h",
      headers = { X = list, ["content-length"] = 1 },
      body = { 1 },
    }
    local made = params(r)
    made.headers.x[1] = "changed"
    assert.same({
      method = "put",
      url = "http://u:p@h",
      headers = { X = { "a", "b" }, ["content-length"] = 1 },
      body = { 1 },
    }, r)
    assert.equal(list, r.headers.X)
  end)

  for userinfo, credentials in pairs {
    ["Aladdin:open%20sesame"] = "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    ["u"] = "dTo=",
    ["u:"] = "dTo=",
    [":p"] = "OnA=",
    ["a:b%00%ffc"] = "YTpiAP9j",
    ["a:x%40y"] = "YTp4QHk=",
  } do
    it("makes an authorization header of the userinfo " .. userinfo, function()
      local made = params { method = "get", url = "http://" .. userinfo .. "@h/" }
      assert.equal("Basic " .. credentials, made.headers.authorization)
    end)
  end

  it(
    "makes no authorization header of userinfo that is empty, or beside one that is given",
    function()
      local made =
        params { method = "get", url = "http://u:p@h/", headers = { Authorization = "token 1" } }
      assert.equal("token 1", made.headers.authorization)
      assert.same({}, params({ method = "get", url = "http://@h/" }).headers)
    end
  )

  it("makes an authorization header of userinfo beside a list without one", function()
    local made = params { method = "get", url = "http://u@h/", headers = { Authorization = {} } }
    assert.equal("Basic dTo=", made.headers.authorization)
  end)

  it("takes headers as they lie in the table, whatever its metatable says", function()
    local made = clients.plain(setmetatable({
      method = "get",
      url = "http://h",
      headers = setmetatable({ a = "1" }, { __pairs = error, __index = { b = "2" } }),
    }, { __index = { body = "x" } }))
    assert.same({ { a = "1" } }, { made.headers, made.body })
  end)

  for _, count in ipairs { 0, 31, 32, 33, 300 } do
    it("has as many headers as the result: " .. count .. " headers", function()
      local headers, fields = {}, {}
      for i = 1, count do
        headers[("X-%03d"):format(i)] = i
        fields[i] = { ("x-%03d"):format(i), ("%d"):format(i) }
      end
      assert.same(
        fields,
        clients.plain({ method = "get", url = "http://h", headers = headers }).fields
      )
    end)
  end

  -- values_spec.lua says how that is.
  for title, number in pairs {
    ["14"] = 14,
    ["14.0"] = 14.0,
    ["-3"] = -3,
    ["0.1"] = 0.1,
    ["2^53 - 1"] = 2 ^ 53 - 1,
    ["0.1 + 0.2"] = 0.1 + 0.2,
    ["1e-5"] = 1e-5,
    ["1e-7"] = 1e-7,
    ["-0.0"] = -0.0,
    ["2^32 + 1"] = 2 ^ 32 + 1,
    ["2.5e9"] = 2.5e9,
    ["the greatest integer"] = math.maxinteger or 2 ^ 53 - 1,
  } do
    it("writes a number as endpoint does, on every Lua: " .. title, function()
      assert.equal(
        endpoint.parse { url = "{+x}", baseUrl = "", x = number }.url,
        params { method = "get", url = "http://h/", headers = { n = number } }.headers.n
      )
    end)
  end

  for title, number in pairs { ["2^53"] = 2 ^ 53, ["-2^63"] = -2 ^ 63, ["1e300"] = 1e300 } do
    it("refuses a header that is a float of 2^53 or more: " .. title, function()
      raises(
        { 'header "n": expected an integer or a string, got a float of 2^53 or more' },
        params,
        { method = "get", url = "http://h/", headers = { n = number } }
      )
    end)
  end

  -- The body as it is sent, or that of the parameter x.
  local function sent(data, options)
    return params(api("POST /x", { data = data }), options).body
  end
  local function sent_x(x, options)
    return sent({ x = x }, options)
  end

  it("sends a body that is a string without lua-cjson", function()
    assert.equal(
      "text",
      while_loaded({ cjson = false }, params, api("POST /x", { data = "text" })).body
    )
  end)

  for written, body in pairs { ["false"] = false, ["5"] = 5, ['[1,"x"]'] = { 1, "x" } } do
    it("encodes a body that is not a string as JSON: " .. written, function()
      assert.equal(written, sent(body))
    end)
  end

  it("encodes null as JSON", function()
    assert.same({ x = endpoint.null }, json.decode(sent_x(endpoint.null)))
  end)

  it("encodes a body that is not a string with options.encode", function()
    local options = {
      encode = function(body)
        return "<" .. body.a .. ">"
      end,
    }
    assert.equal("<Grüße>", params(api("POST /x", { a = "Grüße" }), options).body)
    assert.equal("text", sent("text", options))
    assert.equal(
      "<1>",
      params(api("POST /x", { a = 1, headers = { ["content-type"] = "text/xml" } }), options).body
    )
  end)

  -- OpenResty's lua-cjson, which LuaRocks installs, keeps integers where Lua has them.
  local keeps_integers = math.type
    and json.encode(math.maxinteger) == ("%d"):format(math.maxinteger)

  for title, number in pairs {
    ["0"] = 0,
    ["-5"] = -5,
    ["99999999999999"] = 99999999999999,
    ["-99999999999999"] = -99999999999999,
    ["2^40"] = 2 ^ 40,
    ["0.1"] = 0.1,
    ["1.5"] = 1.5,
    ["-0.25"] = -0.25,
    ["9999999999999.5"] = 9999999999999.5,
    ["1e-300"] = 1e-300,
  } do
    it("keeps a number that lua-cjson writes with all digits: " .. title, function()
      assert.equal(number, json.decode(sent_x(number)).x)
    end)
  end

  for _, row in ipairs {
    { number = 99999999999999, written = "99999999999999" },
    { number = 0.1 + 0.2, written = "0.3" },
    { number = 3 + 2 ^ -51, written = "3" },
    { number = 1234567890123.49, written = "1234567890123.5" },
  } do
    it("rounds the fraction of a number as lua-cjson does: to " .. row.written, function()
      assert.equal('{"x":' .. row.written .. "}", sent_x(row.number))
    end)
  end

  for title, number in pairs {
    ["99999999999999.9"] = 99999999999999.9,
    ["-99999999999999.9"] = -99999999999999.9,
    ["12345678901234.04"] = 12345678901234.04,
    ["1234567890123.01"] = 1234567890123.01,
    ["2^50 + 0.5"] = 2 ^ 50 + 0.5,
  } do
    it("refuses a number that lua-cjson rounds to a whole number: " .. title, function()
      raises('digits of the number "x"', sent_x, number)
    end)
  end

  local LONG_FLOATS = {
    ["1e14"] = 1e14,
    ["-1e14"] = -1e14,
    ["2^53 - 1"] = 2 ^ 53 - 1,
    ["1e14 + 0.5"] = 1e14 + 0.5,
    ["-1e15 - 0.5"] = -1e15 - 0.5,
    ["1e15"] = 1e15 + 0.0,
    ["1e300"] = 1e300,
    ["-2^63"] = -2 ^ 63,
  }
  local LONG_INTEGERS = {
    ["123456789012345"] = 123456789012345,
    ["-123456789012345"] = -123456789012345,
    ["the greatest integer"] = math.maxinteger or 2 ^ 53 - 1,
  }

  local function add_long_number(title, number, is_kept)
    local words = { "body", 'digits of the number "id"', "options.encode" }
    local function check(body, expected)
      if is_kept then
        assert.equal("string", type(sent(body)))
      else
        raises(expected or words, sent, body)
      end
    end
    local title_of = "refuses the number %s, unless lua-cjson keeps its digits: %s"

    it(title_of:format(title, "in a map"), function()
      check { id = number }
    end)

    it(title_of:format(title, "in a list"), function()
      check { id = { 1, number } }
    end)

    it(title_of:format(title, "in a mixed table"), function()
      check { list = { { id = number, 1 } } }
    end)

    it(title_of:format(title, "as the whole body"), function()
      check(number, { "body", "digits of the number: expected" })
    end)

    -- lua-cjson converts such a key to an int, which is undefined in C: on some machines it takes
    -- the table for a sparse array. From Lua 5.3 on a key that is a whole number is an integer,
    -- which some lua-cjson keep.
    it(
      ("refuses the number %s as a key, unless lua-cjson refuses or keeps it"):format(title),
      function()
        local body = { id = { [number] = true } }
        if not keeps_integers and pcall(json.encode, body) then
          raises(words, sent, body)
        end
      end
    )
  end

  for title, number in pairs(LONG_FLOATS) do
    add_long_number(title, number, false)
  end
  for title, number in pairs(LONG_INTEGERS) do
    add_long_number(title, number, keeps_integers)
  end

  for title, number in pairs(LONG_FLOATS) do
    it("gives options.encode any number: " .. title, function()
      local got
      local function encode(body)
        got = body
        return "own"
      end
      assert.equal("own", sent(number, { encode = encode }))
      assert.equal(number, got)
    end)
  end

  it("names the field of a number that it refuses, escaped and cut, without the number", function()
    local name = "a\nb" .. ("x"):rep(50)
    raises('the number "a?b' .. ("x"):rep(34) .. '..."', sent, { [name] = 2 ^ 53 - 1 })
  end)

  -- Only a body with a great number is looked at number by number.
  local has_great_number = require("endpoint.result").has_great_number
  local function nested(value, levels)
    for _ = 1, levels do
      value = { value, "x", 1 }
    end
    return value
  end

  for title, value in pairs {
    ["a number"] = 1e12,
    ["a negative number"] = -1e12,
    ["a number of Lua's own that is greater than all"] = math.huge,
    ["NaN"] = 0 / 0,
    ["an element of a list"] = { 1, 2, 1e13 },
    ["a field"] = { a = 1, b = { c = "x", d = 1e12 } },
    ["a key"] = { a = { [1e12] = "x" } },
    ["a table after others"] = { {}, { 1 }, { a = {} }, { b = { -1e300 } } },
  } do
    it("may lose digits, and is looked at: " .. title, function()
      assert.is_true(has_great_number(value, 1e12))
    end)
  end

  it("may lose digits, and is looked at: a value that is nested too deep", function()
    support.with_resting_collector(function()
      assert.is_true(has_great_number(nested("x", 600000), 1e12))
    end)
  end)

  for title, value in pairs {
    ["numbers"] = { 0, 1, -1, 0.5, 1e12 - 1, 1 - 1e12, [-5] = 1 },
    ["strings of digits"] = { "1e12", a = "1000000000000", ["1000000000000"] = true },
    ["a string"] = "1e300",
    ["nothing but tables"] = { {}, { {} }, a = { b = {} } },
    ["values of other types"] = { true, print, json.null },
    ["numbers at a depth of 900"] = nested(1, 900),
  } do
    it("keeps its digits for certain: " .. title, function()
      assert.is_false(has_great_number(value, 1e12))
    end)
  end

  it("is looked at with any number where lua-cjson is set to few digits", function()
    assert.is_true(has_great_number({ 0 }, 0))
    assert.is_false(has_great_number({ a = "0" }, 0))
  end)

  -- The body of a number, where `encode` does what lua-cjson does.
  local function body_by(encode, number)
    local cjson = {
      encode = function(body)
        return encode(type(body) == "table" and body[1] or body)
      end,
    }
    return while_loaded({ cjson = cjson }, sent, { number })
  end
  local function with_all_digits(number)
    return ("%.0f"):format(number)
  end

  it("sends a number that another lua-cjson writes with all digits", function()
    assert.equal("9007199254740991", body_by(with_all_digits, 2 ^ 53 - 1))
  end)

  it("refuses a number that another lua-cjson writes with other digits", function()
    raises("digits of the number: expected", body_by, function(number)
      return ("%.0f0"):format(number / 10)
    end, 2 ^ 53 - 1)
  end)

  it("refuses a float of 2^53, whatever lua-cjson writes", function()
    raises("digits of the number: expected", body_by, with_all_digits, 2 ^ 53)
  end)

  it(
    "follows the settings of lua-cjson, but for a precision that a whole number does not keep",
    function()
      local precision = json.encode_number_precision()
      json.encode_number_precision(3)
      json.encode_sparse_array(true)
      json.encode_invalid_numbers("null")
      local rounded, sparse, lossy =
        { pcall(sent, { 999, 1.2345 }) },
        { pcall(sent, { 0 / 0, [100] = 2 }) },
        { pcall(sent_x, 12345.0) }
      json.encode_number_precision(precision)
      json.encode_sparse_array(false)
      json.encode_invalid_numbers(false)
      assert.same({ "[999,1.23]", '{"1":null,"100":2}' }, { rounded[2], sparse[2] })
      assert.truthy(lossy[2]:find('digits of the number "x"', 1, true), lossy[2])
    end
  )
end)

describe("a client", function()
  local function changed(changes)
    local r = { method = "get", url = "http://h/", headers = {} }
    for name, value in pairs(changes) do
      r[name] = value
    end
    return r
  end

  local EVERYWHERE =
    { "plain", "resty_http", "luasocket", "lua_http", "curl", "lua_https", "curl_command", "argv" }

  -- What is not a result of endpoint, and words of the error.
  local CASES = {
    { what = "nil", result = nil, words = "got a nil" },
    { what = "a string", result = "GET /x", words = "got a string" },
    { what = "merged options", result = api.merge "GET /x", words = "got merged options" },
    {
      what = "merged options with data and a whole URL",
      result = api.merge("GET https://h/x", { data = "z", baseUrl = endpoint.null }),
      words = { "got merged options", '"data"' },
    },
    {
      what = "a URL with an expression",
      result = changed { url = "http://h/{x}" },
      words = "got merged options",
    },
    {
      what = "a URL with }",
      result = changed { url = "http://h/x}" },
      words = "got merged options",
    },
    {
      what = "a URL without a scheme",
      result = changed { url = "//h/x" },
      words = { "url", "http:// or https:// and a host" },
    },
    {
      what = "a result with mediaType",
      result = changed { mediaType = {} },
      words = "got merged options",
    },
    {
      what = "a result with a number as a key",
      result = changed { [1] = "x" },
      words = { "method, url, headers, body", "a key that is a number" },
    },
    {
      what = "a result without a method",
      result = { url = "http://h/" },
      words = { "method", "got a nil" },
    },
    {
      what = "a method that is not a token",
      result = changed { method = "a b" },
      words = { "method", "token" },
    },
    {
      what = "the method CONNECT",
      result = changed { method = "Connect" },
      words = { "method CONNECT", "tunnel" },
    },
    {
      what = "a result without a URL",
      result = { method = "get" },
      words = { "url", "got a nil" },
    },
    {
      what = "a path alone",
      result = changed { url = "/x" },
      words = { "url", "http://", "clients.ngx" },
    },
    {
      what = "a URL of another scheme",
      result = changed { url = "ftp://h/" },
      words = { "url", "http://" },
    },
    {
      what = "a user's name with an encoded colon",
      result = changed { url = "http://a%3ab:c@h/" },
      words = { "url", "without a colon" },
    },
    {
      what = "a URL with a space",
      result = changed { url = "http://h/a b/cccccccc" },
      words = { "url", "0x21" },
    },
    {
      what = "a URL with a letter that is not ASCII",
      result = changed { url = "http://h/é" },
      words = { "url", "0x21" },
    },
    {
      what = "a URL with DEL",
      result = changed { url = "http://h/\127" },
      words = { "url", "0x21" },
    },
    {
      what = "headers that are a string",
      result = changed { headers = "a: b" },
      words = { "headers", "got a string" },
    },
    {
      what = "a header whose name is not a token",
      result = changed { headers = { ["a b"] = 1 } },
      words = { 'header "a b"', "token" },
    },
    {
      what = "a header without a name",
      result = changed { headers = { "a: b" } },
      words = { "headers", "strings as names" },
    },
    {
      what = "two names of headers that differ only in case",
      result = changed { headers = { b = 1, B = 2 } },
      words = { 'header "b"', "differ only in case" },
    },
    {
      what = "two names that differ only in case, one with an empty list",
      result = changed { headers = { b = {}, B = 2 } },
      words = { 'header "b"', "differ only in case" },
    },
    {
      what = "two hosts",
      result = changed { headers = { Host = { "a", "b" } } },
      words = { 'header "host"', "got a list" },
    },
    {
      what = "a body of GET",
      result = changed { body = "x" },
      words = { "body", "GET has no body" },
    },
    {
      what = "a body of HEAD",
      result = changed { method = "head", body = "x" },
      words = { "body", "HEAD has no body" },
    },
    {
      what = "a body of TRACE",
      result = changed { method = "trace", body = "x" },
      words = { "body", "TRACE has no body" },
    },
    {
      what = "a body that JSON cannot hold",
      result = changed { method = "post", body = { print } },
      words = { "body", "could not be encoded" },
    },
    {
      what = "a table under a content-type that is neither JSON nor a form",
      result = changed {
        method = "post",
        body = {},
        headers = { ["content-type"] = "text/plain" },
      },
      words = { "body", "options.encode", "neither JSON nor a form" },
    },
  }
  for _, authority in ipairs {
    "",
    "h@",
    ":80",
    "%C3%A9.h",
    "h:http",
    "h:65536",
    "h:655350",
    "h:" .. ("9"):rep(30),
    "h:80:81",
    "::1",
    "[]",
    "[::g]",
    "[::1",
    "[::a",
    "h:80x",
    "a\\@b\\c",
    "a[b",
    "a]",
    "[",
    "a[::1]",
    "a[1]",
    "a[]",
    "[1]",
    "[::1::]",
    "[12345::]",
    "[1:2:3:4:5:6:7:8:9]",
    "[::1.2.3.256]",
    "[v1.evil.example]", -- without its brackets a name
    "[::1]a",
    "[g]",
    "h\\@i",
    "u@h@i",
    "@@h",
    "u%zz@h",
    "u%4@h",
    'a"b@h',
    "a[b@h",
    "a]@h",
    "[::1]@h",
    "<u>@h",
    "u|@h",
    "u^`@h",
  } do
    CASES[#CASES + 1] = {
      what = "the malformed authority http://" .. authority .. "/",
      result = changed { url = "http://" .. authority .. "/" },
      words = { "url", "expected a host" },
    }
  end
  for _, row in ipairs {
    { what = "with CR and LF", value = "1\r\nb: 2", words = "CR" },
    { what = "with CR at its end", value = "1\r", words = "CR" },
    { what = "with NUL", value = "1\0", words = "NUL" },
    { what = "with LF in a list", value = { "x", "\n" }, words = "CR" },
    { what = "that is a function", value = print, words = "got function" },
    { what = "that is a map", value = { k = "v" }, words = "1..n" },
    { what = "that is a mixed table", value = { "x", k = "lost" }, words = "1..n" },
    { what = "that is a list with a hole", value = { "1", nil, "3" }, words = "1..n" },
    { what = "that is a list from 0", value = { [0] = "x" }, words = "1..n" },
    { what = "with a list in a list", value = { { "x" } }, words = "got table" },
    { what = "with a number in a list", value = { "x", 2 }, words = "got number" },
    { what = "that is NaN", value = 0 / 0, words = "finite" },
  } do
    CASES[#CASES + 1] = {
      what = "a header " .. row.what,
      result = changed { headers = { a = row.value } },
      words = { 'header "a"', row.words },
    }
  end
  for _, case in ipairs(CASES) do
    for _, name in ipairs(EVERYWHERE) do
      it(("refuses %s: clients.%s"):format(case.what, name), function()
        raises(case.words, clients[name], case.result)
      end)
    end

    local is_about_url = type(case.words) == "table" and case.words[1] == "url"
    if not is_about_url then -- clients.ngx has other rules on URLs
      it(("refuses %s: clients.ngx"):format(case.what), function()
        local r = case.result
        if type(r) == "table" and r.url == "http://h/" then
          r = support.copied(r)
          r.url = "/"
        end
        raises(case.words, clients.ngx, r)
      end)
    end
  end

  for _, authority in ipairs {
    "s3cr3t\\@h",
    "s3cr3t@s3cr3t@h",
    "s3cr3t%zz@h",
    "u:s3cr3t[@h",
    "u:s3cr3t@h:99999",
    "u:s3cr3t@",
    "u:s3cr3t@[::g]",
    "u:s3cr3t/@h",
  } do
    for _, name in ipairs(EVERYWHERE) do
      it(
        ("shows nothing of the userinfo of http://%s: clients.%s"):format(authority, name),
        function()
          local _, message = pcall(clients[name], changed { url = "http://" .. authority .. "/" })
          assert.falsy(message:find("s3cr3t", 1, true), message)
        end
      )
    end
  end

  for _, row in ipairs {
    { client = "curl", options = "x", words = "options: expected a table, got a string" },
    {
      client = "curl",
      options = { encode = 1 },
      words = { "options.encode", "expected a function, got a number" },
    },
    { client = "curl", options = { ["a\nb"] = 1 }, words = { "options", '"a?b"' } },
    { client = "curl", options = { secrets = true }, words = { "options", '"secrets"' } },
    {
      client = "plain",
      options = { canonical = 1 },
      words = { "options.canonical", "got a number" },
    },
    { client = "curl_command", options = { easy = {} }, words = { "options", '"easy"' } },
    { client = "luasocket", options = { sink = {} }, words = { "options.sink", "got a table" } },
  } do
    it(
      ("raises for the options %s of %s"):format(support.shown(row.options), row.client),
      function()
        raises(row.words, clients[row.client], changed {}, row.options)
      end
    )
  end

  for title, easy in pairs {
    ["a number"] = 5,
    ["a string"] = "x",
    ["a boolean"] = true,
    ["a function"] = print,
    ["an empty table"] = {},
    ["a table whose setopt is not a function"] = { setopt = 1 },
    ["the module endpoint"] = endpoint,
    ["a file"] = io.stdout,
  } do
    it("raises for options.easy that is not a handle: " .. title, function()
      local words = { "options.easy", "expected a handle", "got a " .. type(easy) }
      raises(words, clients.curl, changed {}, { easy = easy })
    end)
  end

  for _, secrets in ipairs {
    "false",
    0,
    { 1 },
    { cookie = true },
    { "a", [3] = "b" },
    { [0] = "a" },
  } do
    local title = type(secrets) == "table" and secrets[3] and "a list with a hole"
      or support.shown(secrets)

    it("raises for options.secrets that is not a boolean or a list: " .. title, function()
      local words = { "options.secrets", "expected a boolean or a list" }
      raises(words, clients.curl_command, changed {}, { secrets = secrets })
    end)
  end

  it("takes an empty list as options.secrets", function()
    assert.truthy(clients.curl_command(changed {}, { secrets = {} }))
  end)

  -- Its message has no position of a line inside endpoint.clients or of the encoder.
  local function check_encoder(words, body, encode)
    local r = changed { method = "post", body = body }
    raises(words, clients.curl, r, { encode = encode })
    local _, message = pcall(clients.curl, r, { encode = encode })
    assert.falsy(message:find("endpoint/clients", 1, true), message)
    assert.falsy((message:match "encoded: (.*)" or ""):find "%.lua:%d+:", message)
  end

  it("refuses what an encoder returns if it is not a string", function()
    check_encoder({ "body", "got a nil" }, {}, function() end)
  end)

  it("shows the problem that an encoder returns after nil", function()
    check_encoder({ "body", "got a nil: too deep" }, {}, function()
      return nil, "too deep"
    end)
  end)

  it("shows the problem that an encoder raises", function()
    check_encoder({ "body", "could not be encoded: it is late" }, {}, function()
      error("it is late", 0)
    end)
  end)

  it("shows no position of its own lines if an encoder blames its caller", function()
    check_encoder("could not be encoded: ", {}, function()
      error("my caller is no part of yours", 2)
    end)
  end)

  for title, body in pairs {
    ["a function"] = { print },
    ["a table that holds itself"] = support.cyclic(),
    ["2,000 lists in one another"] = support.nested(2000, 1),
    ["NaN"] = { 0 / 0 },
    ["a sparse list"] = { [1] = 1, [1000] = 2 },
  } do
    for encoder, encode in pairs {
      ["without an encoder"] = false,
      ["with cjson.encode"] = json.encode,
    } do
      it(
        ("shows no position of its own lines if JSON cannot hold the body, %s: %s"):format(
          encoder,
          title
        ),
        function()
          check_encoder({ "body", "could not be encoded: " }, body, encode or nil)
        end
      )
    end
  end

  -- Calls f(r) where require cannot load a module.
  local function call_without(name, f, r)
    local loader, loaded = package.preload[name], package.loaded[name]
    package.preload[name], package.loaded[name] = function()
      error "not here"
    end, nil
    local ok, problem = pcall(f, r)
    package.preload[name], package.loaded[name] = loader, loaded
    return ok, problem
  end

  it("raises if the client's module is missing: lua-http", function()
    local ok, problem = call_without("http.request", clients.lua_http, changed { method = "put" })
    assert.is_false(ok)
    assert.truthy(problem:find("not here", 1, true), problem)
  end)

  it("raises if the module of its encoder is missing: lua-cjson", function()
    local r = changed { method = "put", body = {} }
    local ok, problem = call_without("cjson", clients.curl, r)
    assert.is_false(ok)
    assert.truthy(problem:find("cjson", 1, true), problem)
  end)

  local function load_with(version)
    return while_loaded(
      { endpoint = { _VERSION = version }, ["endpoint.clients"] = false },
      require,
      "endpoint.clients"
    )
  end

  it("is loaded beside an endpoint whose version differs in the last number alone", function()
    assert.truthy(load_with(endpoint._VERSION .. "7"))
  end)

  it("is not loaded beside an endpoint of another version", function()
    local other = endpoint._VERSION:gsub("%.", ".9", 1)
    local said = select(2, pcall(load_with, other))
    local expected = "^endpoint%.clients: version .* version " .. other .. ": restart the program"
    assert.truthy(said:find(expected), said)
  end)

  for what, r in pairs {
    ["a header with a newline"] = changed { headers = { a = "s3cret\n" } },
    ["a URL of another scheme"] = changed { url = "ftp://s3cret@h/" },
    ["a URL with a newline"] = changed { url = "http://s3cret\n" },
    ["a body of a GET"] = changed { body = "s3cret" },
  } do
    it("raises without quoting the value: " .. what, function()
      local _, message = pcall(clients.curl_command, r)
      assert.falsy(message:find("s3cret", 1, true), message)
    end)
  end
end)

describe("a sandbox without the library debug", function()
  it("gets errors without a position", function()
    local name, library = "endpoint.clients.misuse", debug
    local loaded = package.loaded[name]
    package.loaded[name] = nil
    rawset(_G, "debug", nil)
    local errors = require(name)
    rawset(_G, "debug", library)
    package.loaded[name] = loaded
    assert.equal(
      "endpoint.clients: of 1",
      select(
        2,
        pcall(function()
          errors.fail("of %d", 1)
        end)
      )
    )
    assert.equal("not enough memory", select(2, pcall(errors.raise, "not enough memory")))
  end)
end)

describe("clients.shown", function()
  for _, row in ipairs {
    { "a\27[2Jb", "a\\x1b[2Jb" },
    { "a\nb\tc", "a\\x0ab\\x09c" },
    { "a\nb\tc\r\nd\re", "a\nb\tc\nd\\x0de", { lines = true } },
    { "a\194\155b", "a\\xc2\\x9bb", { lines = true } },
    { "\226\128\174", "\\xe2\\x80\\xae", { lines = false } },
    { "Gr\195\188\195\159e \255", "Gr\195\188\195\159e \\xff" },
    { 5, "5" },
    { true, "true" },
    { endpoint.null, "null" },
    { nil, "nil" },
  } do
    it("makes of " .. ("%q"):format(tostring(row[1])) .. ": " .. row[2], function()
      assert.equal(row[2], clients.shown(row[1], row[3]))
    end)
  end

  it("refuses an option that it has not", function()
    local ok, problem = pcall(clients.shown, "a", { line = true })
    assert.is_false(ok)
    assert.truthy(problem:find('no option "line"', 1, true), problem)
  end)
end)

describe("clients.blamed", function()
  local function message_of(f, ...)
    return select(2, pcall(f, ...))
  end

  -- "endpoint" as the file's name would be found in the position.
  local function called(route, options)
    local r = endpoint(route, options)
    return r
  end
  local function tail(route, options)
    return endpoint(route, options)
  end
  local stringed = (loadstring or load) "return require 'endpoint' (...)"

  for _, name in ipairs {
    "repo",
    "a-b",
    'a"b',
    "\\x41",
    "\0\1\127\195\169",
    "a\n: b",
    "...",
    "",
    ("x"):rep(40),
    ("x"):rep(33) .. "...",
  } do
    for caller, f in pairs {
      ["a function"] = called,
      ["a tail call"] = tail,
      ["C, without a position"] = endpoint,
      ["a chunk of a string"] = stringed,
    } do
      it(("returns the name %s of a call by %s"):format(support.shown(name), caller), function()
        assert.equal(name, clients.blamed(message_of(f, "GET /", { [name] = print })))
      end)
    end
  end

  for title, message in pairs {
    ["of this file"] = message_of(called, "GET /repos/{repo}", {}),
    ["with C: and a space, before a traceback"] = 'C:\\a b.lua:7: endpoint: parameter "repo" is '
      .. 'missing\nstack traceback:\n\t"x"',
    ["in a string"] = '[string "return 1"]:7: endpoint: parameter "repo" is missing',
  } do
    it("returns the name of a missing parameter after a position " .. title, function()
      assert.equal("repo", clients.blamed(message))
    end)
  end

  for title, message in pairs {
    ["of an option"] = message_of(called, "GET /", { headers = 1 }),
    ["of a template"] = message_of(endpoint, "GET /{"),
    ["that is a table"] = {},
    ["of a name of 41 bytes"] = message_of(called, "GET /", { [("x"):rep(41)] = print }),
    ["of a name of 18 bytes that are escaped"] = message_of(called, "GET /", {
      [("é"):rep(9)] = 0 / 0,
    }),
    ["of a name with NUL that is cut"] = message_of(called, "GET /", {
      [("x"):rep(34) .. "\0\0"] = print,
    }),
  } do
    it("returns nil for an error " .. title, function()
      assert.is_nil(clients.blamed(message), message)
    end)
  end

  for _, message in ipairs {
    "",
    "x",
    5,
    'endpoint: default "repo": x',
    'x endpoint: parameter "repo"',
    'a.lua:1: x: endpoint: parameter "repo"',
    'endpoint.clients: body: could not be encoded: a.lua:1: endpoint: parameter "repo" is '
      .. "missing",
    'a.lua:1: endpoint: route "b:1: endpoint: parameter "repo"',
    'endpoint: parameter "repo',
    "endpoint: parameter repo",
  } do
    it(
      "returns nil for a message that does not blame a parameter: " .. support.shown(message),
      function()
        assert.is_nil(clients.blamed(message), message)
      end
    )
  end

  it("returns nil for nil", function()
    assert.is_nil(clients.blamed(nil))
  end)

  it("returns nil for an error of an encoder that blames a parameter", function()
    local r = { method = "post", url = "http://h", body = {} }
    local function encode()
      return endpoint "GET /{x}"
    end
    assert.is_nil(clients.blamed(message_of(clients.plain, r, { encode = encode })))
  end)
end)
