-- The settings of a sender and of a call: their defaults, which of them count, and what is said of
-- wrong ones and of wrong arguments.
local endpoint = require "endpoint"
local paged = require "request.paged"
local request = require "endpoint.request"
local scripted = require "request.scripted"

local api, asked, outcome, response, sender =
  scripted.api, scripted.asked, scripted.outcome, scripted.response, scripted.sender

describe("a sender", function()
  before_each(scripted.reset)

  it("has the endpoint that it was made of", function()
    assert.equal(api, sender({}).endpoint)
  end)

  for name, value in pairs {
    timeout = 60,
    connect_timeout = 10,
    tries = 3,
    reuse_within = 4,
    redirects = 0,
    max_size = 2 ^ 26,
  } do
    it(("has the setting %s = %.0f unless another is given"):format(name, value), function()
      asked(response "x", sender {})
      assert.equal(value, scripted.settings[name])
    end)
  end

  it("has no idle_timeout unless one is given", function()
    asked(response "x", sender {})
    assert.is_nil(scripted.settings.idle_timeout)
  end)

  it("has the setting wait that is given", function()
    asked(response "x", sender { wait = error })
    assert.equal(error, scripted.settings.wait)
  end)
end)

describe("the settings of a call", function()
  local log, entries, send
  before_each(function()
    scripted.reset()
    entries = {}
    function log(entry)
      entries[#entries + 1] = tostring(entry):gsub("pauses [%d.]+", "pauses N")
        .. " "
        .. entry.template
        .. entry.try
    end
    send = sender({}, api.defaults { request = { log = log, max_size = 1, tries = 2 } })
  end)

  it("are those of the endpoint's defaults", function()
    local said = asked(response "abc", send, "GET /x?key=S3CRET")
    assert.equal("GET /x: the response is too long", said)
  end)

  it("leave the defaults as they are where the call names others", function()
    local said = asked(response "abc", send, "GET /x", { request = { timeout = 1 } })
    assert.equal("GET /x: the response is too long", said)
  end)

  it("take the place of the defaults of the same name", function()
    local said = asked(response "abc", send, "GET /x", { request = { max_size = 3 } })
    assert.equal("abc", said)
  end)

  it("remove all defaults if they are null", function()
    local said = asked(response "abc", send, "GET /x", { request = endpoint.null })
    assert.equal("abc", said)
  end)

  it("log a problem with the template, without the query", function()
    asked(response "abc", send, "GET /x?key=S3CRET")
    assert.same({ "GET /x the response is too long, after 0.000 s, try 1 /x1" }, entries)
  end)

  it("log an answer with its status", function()
    asked(response "", send)
    assert.same({ "GET /x 200 0.000 s, try 1 /x1" }, entries)
  end)

  it("log each try with its seconds, and the pause between two", function()
    asked(function()
      return { 0.5, response("", nil, 503) }
    end, send)
    assert.same({
      "GET /x 503 0.500 s, try 1 /x1",
      "GET /x pauses N s after try 1: the server answers 503 /x1",
      "GET /x 503 0.500 s, try 2 /x2",
    }, entries)
  end)

  it("log nothing if the call has null in their place", function()
    asked(response "abc", send, "GET /x", { request = endpoint.null })
    assert.same({}, entries)
  end)
end)

describe("the setting check", function()
  local routes
  local function check(route, options)
    routes[#routes + 1] = route .. " " .. tostring(options and options.q)
    if options and options.wrong then
      error("endpoint.checks: wrong", 2)
    end
  end
  before_each(function()
    scripted.reset()
    routes = {}
  end)

  it("is asked once for a list, not for each page", function()
    paged.walked(paged.items, sender { check = check }, "GET /items", { q = "x" })
    assert.same({ "GET /items x" }, routes)
  end)

  it("may refuse a call by an error", function()
    local said = outcome(sender { check = check }, "GET /items", { wrong = 1 })
    assert.equal("endpoint.checks: wrong", said)
    assert.same({ "GET /items nil" }, routes)
  end)

  -- The end of what is sent for a table as the body.
  local function sent_with(returned, more)
    local all = {
      check = function()
        return returned
      end,
    }
    for name, value in pairs(more or {}) do
      all[name] = value
    end
    asked(response "x", sender(all), "POST /items", { a = "b" })
    return scripted.sent[1]:match "\r\n\r\n(.*)$"
  end
  local function encode()
    return "encoded"
  end

  it("may return the encoder of the body", function()
    assert.equal("encoded", sent_with(encode))
  end)

  it("may return another value, which is ignored", function()
    assert.equal('{"a":"b"}', sent_with(true))
  end)

  it("may return an encoder, but the program's own comes first", function()
    local function own()
      return "own"
    end
    assert.equal("own", sent_with(encode, { encode = own }))
  end)

  it("may return an encoder, which does not write what the hook has made a form", function()
    local function around(r, send)
      r.headers["content-type"] = "application/x-www-form-urlencoded"
      return send(r)
    end
    assert.equal("a=b", sent_with(encode, { around = around }))
  end)
end)

describe("a table of options without a route", function()
  local URL = "http://h/v1/items"
  local bare = endpoint.defaults {
    headers = { accept = endpoint.null, ["user-agent"] = endpoint.null },
  }
  before_each(scripted.reset)

  for title, row in pairs {
    ["may have a method in lower case"] = { method = "get", headers = { accept = "*/*" } },
    ["may have no header"] = { api = bare, method = "get", headers = {} },
    ["may look like a result, with other headers"] = {
      method = "GET",
      headers = { accept = "*/*", authorization = "mine", ["user-agent"] = "mine" },
    },
  } do
    it(title, function()
      local options = { method = row.method, url = URL, headers = row.headers }
      assert.equal("x", (asked(response "x", sender({}, row.api), options)))
    end)
  end
end)

-- --- mistakes ----------------------------------------------------------------------

describe("a setting of a wrong type", function()
  for kind, names in pairs {
    string = { "cafile", "certificate", "key", "proxy", "socket_path", "nested", "wrong_response" },
    table = { "retry_on" },
    number = {
      "timeout",
      "connect_timeout",
      "idle_timeout",
      "tries",
      "reuse_within",
      "redirects",
      "max_size",
    },
    ["string or function"] = { "client" },
    ["table or function"] = { "other_origins" },
    ["function"] = {
      "around",
      "log",
      "sink",
      "encode",
      "decode",
      "sleep",
      "wait",
      "now",
      "check",
      "check_response",
    },
  } do
    for _, name in ipairs(names) do
      it(("is refused: %s must be a %s"):format(name, kind), function()
        local said = outcome(request.new, api, { [name] = false })
        local expected = "endpoint.request: %s: expected a %s, got a boolean"
        assert.equal(expected:format(name, kind), said)
      end)
    end
  end
end)

-- A client of the program, with which settings are read as with any other.
local function client() end

local function new(settings)
  return { f = request.new, api, settings }
end
local function call(...)
  return { f = sender {}, ... }
end
local function each(...)
  return { f = sender {}.each, ... }
end

local NOT_A_STATUS_LIST = "retry_on[1]: expected a status, a number, got a string"
local NOT_AN_HTTP_PROXY = "proxy: expected the URL of an HTTP proxy"
local A_RESULT = "expected a route and options, got a result of the endpoint: send(route, options)"
local WITH_UNKNOWN_SETTING = api.defaults { request = { a = 1 } }

-- title: what is wrong. call: the function and its arguments.
-- said: how the error begins, after "endpoint.request: "; or from: the same as a whole, of another
-- part of the library.
local MISTAKES = {
  -- Settings of a sender.
  {
    title = "a client of another name",
    call = new { client = "libfetch" },
    said = "client: expected luasocket, curl, resty_http, neovim or a function, got another string",
  },
  {
    title = "a client that is a URL with a password, which is not shown",
    call = new { client = "http://user:secret@h" },
    said = "client: expected luasocket, curl, resty_http, neovim or a function, got another string",
  },
  {
    title = "a client of nearly the right name",
    call = new { client = "cURL" },
    said = "client: expected luasocket, curl, resty_http, neovim or a function, got "
      .. '"cURL", is it "curl"?',
  },
  {
    title = "the client resty_http outside nginx",
    call = new { client = "resty_http" },
    said = "client: resty_http runs inside nginx alone",
  },
  {
    title = "the setting wait for the client curl",
    call = new { client = "curl", wait = client },
    said = "wait: only the client luasocket takes it, not curl",
  },
  {
    title = "0 tries",
    call = new { tries = 0 },
    said = "tries: expected a number of at least 1, got 0",
  },
  {
    title = "a negative reuse_within",
    call = new { reuse_within = -1 },
    said = "reuse_within: expected a number of at least 0, got -1",
  },
  {
    title = "an endless reuse_within",
    call = new { reuse_within = math.huge },
    said = "reuse_within: expected a finite number, got infinity",
  },
  {
    title = "tries that are NaN",
    call = new { tries = 0 / 0 },
    said = "tries: expected a number of at least 1, got NaN",
  },
  {
    title = "endless tries",
    call = new { tries = math.huge },
    said = "tries: expected a finite number, got infinity",
  },
  {
    title = "a socket without a path",
    call = new { socket_path = "" },
    said = "socket_path: expected the path of a socket, got another string",
  },
  {
    title = "fewer than 0 redirects",
    call = new { redirects = -1 },
    said = "redirects: expected a number of at least 0, got -1",
  },
  {
    title = "a timeout of 0",
    call = new { timeout = 0 },
    said = "timeout: expected a number of at least 0.001, got 0",
  },
  {
    title = "a connect_timeout of 0",
    call = new { connect_timeout = 0 },
    said = "connect_timeout: expected a number of at least 0.001, got 0",
  },
  {
    title = "an idle_timeout of 0",
    call = new { idle_timeout = 0 },
    said = "idle_timeout: expected a number of at least 0.001, got 0",
  },
  {
    title = "a max_size of 0",
    call = new { max_size = 0 },
    said = "max_size: expected a number of at least 1, got 0",
  },
  {
    title = "a setting that does not exist",
    call = new { verify = "none" },
    said = 'settings: there is no setting "verify"',
  },
  {
    title = "a setting that is misspelt, with the one that is meant",
    call = new { tiemout = 5 },
    said = 'settings: there is no setting "tiemout", is it "timeout"?',
  },
  {
    title = "headers among the settings of a sender",
    call = new { headers = {} },
    said = 'settings: there is no setting "headers": it goes into the endpoint, '
      .. "endpoint.defaults { headers = ... }",
  },
  {
    title = "a baseUrl among the settings of a sender",
    call = new { baseUrl = "http://h" },
    said = 'settings: there is no setting "baseUrl": it goes into the endpoint, '
      .. "endpoint.defaults { baseUrl = ... }",
  },
  {
    title = "headers among the settings of a call",
    call = call("GET /x", { request = { headers = {} } }),
    said = 'request: there is no setting "headers": '
      .. "headers is an option of the call, beside request",
  },
  {
    title = "settings that are a number",
    call = new(5),
    said = "settings: expected a table, got a number",
  },
  {
    title = "a string in retry_on",
    call = new { retry_on = { "503" } },
    said = NOT_A_STATUS_LIST,
  },
  {
    title = "a SOCKS proxy",
    call = new { proxy = "socks5://127.0.0.1:1" },
    said = NOT_AN_HTTP_PROXY,
  },
  { title = "a proxy over TLS", call = new { proxy = "https://h" }, said = NOT_AN_HTTP_PROXY },
  {
    title = "a cafile that does not exist",
    call = new { client = client, cafile = "/none.pem" },
    said = "cafile: /none.pem: No such file or directory",
  },
  {
    title = "a certificate that does not exist",
    call = new { client = client, certificate = "/none.pem" },
    said = "certificate: /none.pem: No such file or directory",
  },
  {
    title = "a key that does not exist",
    call = new { client = client, key = "/none.pem" },
    said = "key: /none.pem: No such file or directory",
  },
  {
    title = "a key that is not the name of a file, but a private key, which is not shown",
    call = new { client = client, key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n" },
    said = "key: expected the name of a file, got what is in one",
  },
  {
    title = "a key that is a private key in one line",
    call = new { client = client, key = [[-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n]] },
    said = "key: expected the name of a file, got what is in one",
  },
  {
    title = "a cafile whose name a terminal would obey",
    call = new { client = client, cafile = "/none\27[31m.pem" },
    said = "cafile: /none\\x1b[31m.pem: ",
  },
  {
    title = "a key without a certificate",
    call = new { client = client, key = "src/endpoint.h" },
    said = "key: needs the setting certificate, which is missing",
  },
  {
    title = "a sender of a table that is not an endpoint",
    call = { f = request.new, {} },
    said = "expected an endpoint, got a table: write endpoint.defaults { ... } around it",
  },

  -- Settings of a call.
  {
    title = "settings of a call that are a number",
    call = call("GET /x", { request = 5 }),
    said = "request: expected a table, got a number",
  },
  {
    title = "a client for a call",
    call = call("GET /x", { request = { client = "curl" } }),
    said = 'request: "client" is a setting of request.new, not of a call',
  },
  {
    title = "a setting of the defaults that does not exist",
    call = { f = sender({}, WITH_UNKNOWN_SETTING), "GET /x", { request = {} } },
    said = 'request: there is no setting "a"',
  },
  {
    title = "a setting of each that does not exist",
    call = each("GET /x", {}, { pages = 1 }),
    said = 'each: there is no setting "pages", is it "page"?',
  },
  {
    title = "a page that is a string",
    call = each("GET /x", {}, { page = "1" }),
    said = "page: expected a function, got a string",
  },
  {
    title = "a max that is a string",
    call = each("GET /x", {}, { max = "1" }),
    said = "max: expected a number, got a string",
  },

  -- Arguments of a call.
  {
    title = "a result of POST in the place of the route",
    call = call(api("POST /x", { a = 1 })),
    said = A_RESULT,
  },
  {
    title = "a result of GET in the place of the route",
    call = call(api "GET /x"),
    said = A_RESULT,
  },
  {
    title = "a parameter that is missing",
    call = call("GET /{id}", {}),
    from = "endpoint: parameter",
  },
  {
    title = "data of a GET",
    call = call("GET /x", { data = 1 }),
    from = "endpoint: option",
  },
  {
    title = "data that JSON cannot hold",
    call = call("POST /x", { data = { [{}] = 1 } }),
    from = "endpoint.clients: body",
  },
  {
    title = "data that is a file of Lua",
    call = call("PATCH /x", { data = io.stdout }),
    from = "endpoint.clients: body",
  },
}

describe("an error at the line of the call is raised for", function()
  before_each(scripted.reset)

  for _, row in ipairs(MISTAKES) do
    it(row.title, function()
      local line = debug.getinfo(1, "l").currentline + 2
      local ok, said = pcall(function()
        local value = row.call.f(row.call[1], row.call[2], row.call[3])
        return value
      end)
      assert.is_false(ok)
      local expected = row.from or "endpoint.request: " .. row.said
      local start = ("settings_spec.lua:%d: %s"):format(line, expected)
      assert.equal(start, tostring(said):match("settings_spec.*"):sub(1, #start))
    end)
  end
end)
