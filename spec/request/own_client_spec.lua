-- A client that is a function of the program: what it is told, what it may return, and what is said
-- of what it must not return.
local endpoint = require "endpoint"
local paged = require "request.paged"
local scripted = require "request.scripted"
local support = require "support"

local outcome, sender = scripted.outcome, scripted.sender

local function nothing() end

-- A client that always returns this.
local function returning(...)
  local count, results = select("#", ...), { ... }
  return function()
    return support.unpack(results, 1, count)
  end
end

describe("a client of the program", function()
  local told
  before_each(scripted.reset)

  -- Answers with JSON of the URL.
  local function client(r, try)
    told = try
    local headers = { ["Content-Type"] = { "application/json" }, ["Set-Cookie"] = "c" }
    return 200, headers, '{"url": "' .. r.url .. '"}'
  end

  it("gets the request", function()
    local body = sender { client = client }("GET /{id}", { id = "a b" })
    assert.equal(scripted.BASE .. "/a%20b", body.url)
  end)

  for name, value in pairs { host = "h", scheme = "http", port = 80, may_repeat = true } do
    it(("is told of a GET that the field %s is %s"):format(name, tostring(value)), function()
      sender { client = client } "GET /x"
      assert.equal(value, told[name])
    end)
  end

  it("is told that a POST may not be repeated", function()
    outcome(sender { client = client }, "POST /x")
    assert.is_false(told.may_repeat)
  end)

  it("is told of the settings", function()
    sender { client = client, encode = tostring } "GET /x"
    assert.equal(tostring, told.encode)
  end)

  it("has the time of the call", function()
    sender { client = client } "GET /x"
    assert.is_true(told.timeout > 59, told.timeout)
  end)

  it("has for the second try the time that the first has left", function()
    local socket, told_of_second = package.loaded.socket, nil
    package.loaded.socket = {
      gettime = function()
        return scripted.clock
      end,
      sleep = function(seconds)
        scripted.clock = scripted.clock + seconds
      end,
    }
    local function slow(_, try)
      scripted.clock, told_of_second = scripted.clock + 40, try
      return 503, {}, ""
    end
    outcome(sender { client = slow }, "GET /x")
    package.loaded.socket = socket
    assert.is_true(told_of_second.timeout < 21, told_of_second.timeout)
  end)

  it("may return one cookie as a string", function()
    local _, answer = sender { client = client } "GET /x"
    assert.same({ "c" }, answer.headers["set-cookie"])
  end)

  it("may return no body", function()
    assert.is_nil((sender { client = returning(204, {}) } "GET /x"))
  end)
end)

-- --- what a client returns -----------------------------------------------------------

local WRONG = "endpoint.request: client: expected "
local WRONG_HEADERS = WRONG .. "headers, a table of names with their values, got another table"

-- title: what holds. client: what returns it. said: what the call returns or raises.
-- tries: how often it is called; once unless given.
local RESULTS = {
  {
    title = "nil and a message is called again, and the message is masked and escaped",
    client = returning(nil, "no\nway Bearer 0123"),
    said = "GET /x: no\\x0away ***",
    tries = 3,
  },
  {
    title = "nil, a message and true is not called again",
    client = returning(nil, "final", true),
    said = "GET /x: final",
  },
  {
    title = "a status that is a string is wrong",
    client = returning("200", {}, ""),
    said = WRONG .. "a status, a number, got a string",
  },
  {
    title = "a status of 0 is wrong",
    client = returning(0, {}, ""),
    said = WRONG .. "a status from 100 to 999, got 0",
  },
  {
    title = "a status of 1000 is wrong",
    client = returning(1000, {}, ""),
    said = WRONG .. "a status from 100 to 999, got 1000",
  },
  {
    title = "NaN is wrong as a status",
    client = returning(0 / 0, {}, ""),
    said = WRONG .. "a status from 100 to 999, got NaN",
  },
  {
    title = "nil and a table is called again, and shows no address",
    client = returning(nil, {}),
    said = "GET /x: a table instead of a message",
    tries = 3,
  },
  {
    title = "missing headers are wrong",
    client = returning(200),
    said = WRONG .. "headers, a table of names with their values, got a nil",
  },
  {
    title = "a list of headers is wrong",
    client = returning(200, { "a: b" }),
    said = WRONG_HEADERS,
  },
  {
    title = "a header that is a list of tables is wrong",
    client = returning(200, { a = { {} } }),
    said = WRONG_HEADERS,
  },
  {
    title = "a header that is endpoint.null is wrong",
    client = returning(200, { a = endpoint.null }),
    said = WRONG_HEADERS,
  },
  {
    title = "a header that is a map is wrong",
    client = returning(200, { a = { x = 1 } }),
    said = WRONG_HEADERS,
  },
  {
    title = "a body that is a number is wrong",
    client = returning(200, {}, 5),
    said = WRONG .. "a body, a string, got a number",
  },
  {
    title = "a header that is a list of strings and numbers is right",
    client = returning(400, { a = { "x", 5 } }),
    said = "GET /x: the server answers 400",
  },
  {
    title = "a content-length of two numbers is refused",
    client = returning(200, { ["content-length"] = "1 1" }, ""),
    said = "GET /x: the response's content-length is invalid",
  },
  {
    title = "a content-length of 15 digits is not compared",
    client = returning(200, { ["content-length"] = ("9"):rep(15) }, "x"),
    said = "x",
  },
  {
    title = "a content-length of 16 digits is refused",
    client = returning(200, { ["content-length"] = ("1"):rep(16) }, "x"),
    said = "GET /x: the response is cut off",
  },
}

describe("a client of the program that returns", function()
  before_each(scripted.reset)

  for _, row in ipairs(RESULTS) do
    it(row.title, function()
      local count = 0
      local function client()
        count = count + 1
        return row.client()
      end
      assert.equal(row.said, (outcome(sender { sleep = nothing, client = client }, "GET /x")))
      assert.equal(row.tries or 1, count)
    end)
  end
end)

-- --- an endpoint without a host --------------------------------------------------------

describe("a client of the program, of an endpoint whose base is a path,", function()
  local local_api = endpoint.defaults { baseUrl = "/api" }
  before_each(scripted.reset)

  it("gets the path without a host", function()
    local function client(r, try)
      return 200, {}, r.url .. " at " .. tostring(try.host)
    end
    assert.equal("/api/x at nil", (sender({ client = client }, local_api) "GET /x"))
  end)

  it("gets the pages of a list", function()
    local function client(r)
      local parameter = r.url:gsub("[^=]*=", "")
      return 200, { ["content-type"] = "a/json" }, '{"id": "' .. parameter .. 'b"}'
    end
    local function page(body)
      return { body.id }, body.id ~= "bb" and { after = body.id }
    end
    local send = sender({ client = client }, local_api)
    assert.equal("b bb", paged.walked("", send, "GET /x?=", {}, { page = page }))
  end)

  it("does not follow redirects, as a path alone is not a URL", function()
    local send = sender({ client = returning(302, { location = "/y" }) }, local_api)
    assert.equal(
      "GET /x: the server answers 302: moved, but the location is not a valid URL",
      outcome(send, "GET /x")
    )
  end)
end)
