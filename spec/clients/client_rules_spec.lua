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

  it("makes no authorization header of userinfo if it is empty or one is given", function()
    local made =
      params { method = "get", url = "http://u:p@h/", headers = { Authorization = "token 1" } }
    assert.equal("token 1", made.headers.authorization)
    assert.same({}, params({ method = "get", url = "http://@h/" }).headers)
  end)

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
  -- Floats.
  local lost = { 1e14, -1e14, 2 ^ 53 - 1, 1e14 + 0.5, -1e15 - 0.5, 1e15 + 0.0, 1e300, -2 ^ 63 }
  for _, integer in
    ipairs(keeps_integers and {} or { 123456789012345, -123456789012345, math.maxinteger })
  do
    lost[#lost + 1] = integer
  end

  it("keeps the digits of a whole number, or raises without quoting it", function()
    for _, number in ipairs {
      0,
      -5,
      99999999999999,
      -99999999999999,
      2 ^ 40,
      0.1,
      1.5,
      -0.25,
      9999999999999.5,
      1e-300,
    } do
      assert.equal(number, json.decode(sent_x(number)).x)
    end
    for number, text in pairs {
      [99999999999999] = "99999999999999",
      [0.1 + 0.2] = "0.3",
      [3 + 2 ^ -51] = "3",
      [1234567890123.49] = "1234567890123.5",
    } do -- a fraction is rounded, but not to a whole number
      assert.equal('{"x":' .. text .. "}", sent_x(number))
    end
    for _, number in ipairs {
      99999999999999.9,
      -99999999999999.9,
      12345678901234.04,
      1234567890123.01,
      2 ^ 50 + 0.5,
    } do
      raises('digits of the number "x"', sent_x, number)
    end
    for _, number in ipairs(lost) do
      local bodies = { { id = number }, { id = { 1, number } }, { list = { { id = number, 1 } } } }
      -- lua-cjson converts such a key to an int, which is undefined in C: on some machines it takes
      -- the table for a sparse array. From Lua 5.3 on a key that is a whole number is an integer,
      -- which some lua-cjson keep.
      local key = { id = { [number] = true } }
      bodies[4] = not keeps_integers and pcall(json.encode, key) and key or nil
      for _, body in ipairs(bodies) do
        raises({ "body", 'digits of the number "id"', "options.encode" }, sent, body)
      end
      raises({ "body", "digits of the number: expected" }, sent, number)
      assert.equal(
        "own",
        sent(number, {
          encode = function()
            return "own"
          end,
        })
      )
    end
    raises(
      'the number "a?b' .. ("x"):rep(34) .. '..."',
      sent,
      { ["a\nb" .. ("x"):rep(50)] = 2 ^ 53 - 1 }
    )
  end)

  it("takes the digits that lua-cjson writes for the digits that it keeps", function()
    local function body_by(encode, number) -- encode: what stands in for lua-cjson's
      local cjson = {
        encode = function(body)
          return encode(type(body) == "table" and body[1] or body)
        end,
      }
      return while_loaded({ cjson = cjson }, sent, { number or 2 ^ 53 - 1 })
    end
    assert.equal(
      "9007199254740991",
      body_by(function(number)
        return ("%.0f"):format(number)
      end)
    )
    raises("digits of the number: expected", body_by, function(number)
      return ("%.0f0"):format(number / 10)
    end)
    raises("digits of the number: expected", body_by, function(number)
      return ("%.0f"):format(number)
    end, 2 ^ 53)
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

describe("misuse of a client", function()
  local function changed(changes)
    local r = { method = "get", url = "http://h/", headers = {} }
    for name, value in pairs(changes) do
      r[name] = value
    end
    return r
  end

  local EVERYWHERE =
    { "plain", "resty_http", "luasocket", "lua_http", "curl", "lua_https", "curl_command", "argv" }

  -- what is no result, words of the error
  local CASES = {
    { nil, "got a nil" },
    { "GET /x", "got a string" },
    { api.merge("GET /x"), "got merged options" },
    {
      api.merge("GET https://h/x", { data = "z", baseUrl = endpoint.null }),
      { "got merged options", '"data"' },
    },
    { changed { url = "http://h/{x}" }, "got merged options" },
    { changed { url = "http://h/x}" }, "got merged options" },
    { changed { url = "//h/x" }, { "url", "http:// or https:// and a host" } },
    { changed { mediaType = {} }, "got merged options" },
    { changed { [1] = "x" }, { "method, url, headers, body", "a key that is a number" } },
    { { url = "http://h/" }, { "method", "got a nil" } },
    { changed { method = "a b" }, { "method", "token" } },
    { changed { method = "Connect" }, { "method CONNECT", "tunnel" } },
    { { method = "get" }, { "url", "got a nil" } },
    { changed { url = "/x" }, { "url", "http://", "clients.ngx" } },
    { changed { url = "ftp://h/" }, { "url", "http://" } },
    { changed { url = "http://a%3ab:c@h/" }, { "url", "without a colon" } },
    { changed { url = "http://h/a b/cccccccc" }, { "url", "0x21" } },
    { changed { url = "http://h/é" }, { "url", "0x21" } },
    { changed { url = "http://h/\127" }, { "url", "0x21" } },
    { changed { headers = "a: b" }, { "headers", "got a string" } },
    { changed { headers = { ["a b"] = 1 } }, { 'header "a b"', "token" } },
    { changed { headers = { "a: b" } }, { "headers", "strings as names" } },
    { changed { headers = { b = 1, B = 2 } }, { 'header "b"', "differ only in case" } },
    { changed { headers = { b = {}, B = 2 } }, { 'header "b"', "differ only in case" } },
    { changed { headers = { Host = { "a", "b" } } }, { 'header "host"', "got a list" } },
    { changed { body = "x" }, { "body", "GET has no body" } },
    { changed { method = "head", body = "x" }, { "body", "HEAD has no body" } },
    { changed { method = "trace", body = "x" }, { "body", "TRACE has no body" } },
    { changed { method = "post", body = { print } }, { "body", "could not be encoded" } },
    {
      changed { method = "post", body = {}, headers = { ["content-type"] = "text/plain" } },
      { "body", "options.encode", "neither JSON nor a form" },
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
    CASES[#CASES + 1] =
      { changed { url = "http://" .. authority .. "/" }, { "url", "expected a host" } }
  end
  for _, row in ipairs {
    { "1\r\nb: 2", "CR" },
    { "1\r", "CR" },
    { "1\0", "NUL" },
    { { "x", "\n" }, "CR" },
    { print, "got function" },
    { { k = "v" }, "1..n" },
    { { "x", k = "lost" }, "1..n" },
    { { "1", nil, "3" }, "1..n" },
    { { [0] = "x" }, "1..n" },
    { { { "x" } }, "got table" },
    { { "x", 2 }, "got number" },
    { 0 / 0, "finite" },
  } do
    CASES[#CASES + 1] = { changed { headers = { a = row[1] } }, { 'header "a"', row[2] } }
  end
  for i = 1, #CASES do
    local r, words = CASES[i][1], CASES[i][2]
    local titled = type(words) == "table" and table.concat(words, ", ") or words
    it(("raises, %d: %s"):format(i, titled), function()
      for _, name in ipairs(EVERYWHERE) do
        raises(words, clients[name], r)
      end
      if words[1] == "url" then
        return
      end -- clients.ngx has other rules on URLs
      if type(r) == "table" and r.url == "http://h/" then
        r.url = "/"
      end
      raises(words, clients.ngx, r)
    end)
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
    it("shows no userinfo of http://" .. authority, function()
      for _, name in ipairs(EVERYWHERE) do
        local _, message = pcall(clients[name], changed { url = "http://" .. authority .. "/" })
        assert.falsy(message:find("s3cr3t", 1, true), message)
      end
    end)
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

  it(
    "raises for an encoder that gives no string or raises, without a position inside "
      .. "endpoint.clients",
    function()
      local function check(words, body, encode)
        local r = changed { method = "post", body = body }
        raises(words, clients.curl, r, { encode = encode })
        local _, message = pcall(clients.curl, r, { encode = encode })
        assert.falsy(message:find("endpoint/clients", 1, true), message)
        assert.falsy((message:match "encoded: (.*)" or ""):find "%.lua:%d+:", message)
      end
      check({ "body", "got a nil" }, {}, function() end)
      check({ "body", "got a nil: too deep" }, {}, function()
        return nil, "too deep"
      end)
      check({ "body", "could not be encoded: it is late" }, {}, function()
        error("it is late", 0)
      end)
      check("could not be encoded: ", {}, function()
        error("my caller is no part of yours", 2)
      end)
      for _, body in ipairs {
        { print },
        support.cyclic(),
        support.nested(2000, 1),
        { 0 / 0 },
        { [1] = 1, [1000] = 2 },
      } do
        check({ "body", "could not be encoded: " }, body)
        check({ "body", "could not be encoded: " }, body, json.encode)
      end
    end
  )

  it("raises if the client's module is missing, or that of endpoint has another version", function()
    for name, f in pairs { ["http.request"] = clients.lua_http, cjson = clients.curl } do
      local loader, loaded = package.preload[name], package.loaded[name]
      package.preload[name], package.loaded[name] =
        function()
          error "not here"
        end, nil
      raises(
        name == "cjson" and name or "not here",
        f,
        changed { method = "put", body = name == "cjson" and {} or nil }
      )
      package.preload[name], package.loaded[name] = loader, loaded
    end
    local function load_with(version)
      return while_loaded(
        { endpoint = { _VERSION = version }, ["endpoint.clients"] = false },
        require,
        "endpoint.clients"
      )
    end
    assert.truthy(load_with(endpoint._VERSION .. "7"))
    local other = endpoint._VERSION:gsub("%.", ".9", 1)
    local said = select(2, pcall(load_with, other))
    assert.truthy(
      said:find("^endpoint%.clients: version .* version " .. other .. ": restart the program"),
      said
    )
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

  it("returns the name of a missing parameter, whatever the position before it", function()
    assert.equal("repo", clients.blamed(message_of(called, "GET /repos/{repo}", {})))
    assert.equal(
      "repo",
      clients.blamed(
        'C:\\a b.lua:7: endpoint: parameter "repo" is missing\nstack traceback:\n\t"x"'
      )
    )
    assert.equal(
      "repo",
      clients.blamed('[string "return 1"]:7: endpoint: parameter "repo" is missing')
    )
  end)

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
    it("returns nil for what blames no parameter: " .. support.shown(message), function()
      assert.is_nil(clients.blamed(message), message)
    end)
  end

  it("returns nil for nil, and for an error of an encoder that blames a parameter", function()
    assert.is_nil(clients.blamed(nil))
    assert.is_nil(
      clients.blamed(message_of(clients.plain, { method = "post", url = "http://h", body = {} }, {
        encode = function()
          return endpoint "GET /{x}"
        end,
      }))
    )
  end)
end)
