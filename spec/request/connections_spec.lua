-- What is written to a connection, and what happens to a request that a connection loses.
local scripted = require "request.scripted"

local response, sender = scripted.response, scripted.sender

local CUT_OFF = scripted.lines "HTTP/1.1 200 OK\ncontent-length: 1\n\n"

describe("a request that a kept connection loses", function()
  before_each(function()
    scripted.reset()
    scripted.is_kept = true
  end)

  it("is sent at once on a new connection, which is then kept", function()
    scripted.answers = { "", response "a" }
    assert.equal("a", scripted.outcome(sender {}, "GET /x"))
    assert.same({ "closed", "kept" }, scripted.ends)
    assert.same({}, scripted.pauses)
  end)

  it("has an entry of the log for each time that it is sent", function()
    local entries = {}
    local function log(entry)
      entries[#entries + 1] = ("%s %s, try %d"):format(
        entry.method,
        entry.status or entry.message,
        entry.try
      )
    end
    scripted.answers = { "", response "a" }
    scripted.outcome(sender { log = log }, "GET /x")
    assert.same({
      "GET the server closed the connection without a response, try 1",
      "GET 200, try 1",
    }, entries)
  end)

  for _, route in ipairs { "POST /x", "PATCH /x", "LOCK /x" } do
    it("is not sent again by itself: " .. route, function()
      scripted.answers = { "", response "a" }
      local said = scripted.outcome(sender {}, route)
      assert.equal(
        route
          .. ": the server closed the connection without a response, on a connection that was kept:"
          .. " the request may have arrived",
        said
      )
      assert.same({ 1, { "closed" } }, { #scripted.sent, scripted.ends })
    end)
  end

  it("is sent again if it is a POST that may arrive twice", function()
    scripted.answers = { "", response "a" }
    assert.equal("a", scripted.outcome(sender { may_repeat = true }, "POST /x"))
  end)

  it("is a failure for a GET that may not arrive twice", function()
    scripted.answers = { "", response "a" }
    local said = scripted.outcome(sender { may_repeat = false }, "GET /x")
    assert.truthy(said:find("the request may have arrived", 1, true), said)
  end)

  it("is not sent again after a byte of its answer", function()
    scripted.answers = { CUT_OFF, response "a" }
    local said = scripted.outcome(sender { tries = 1 }, "GET /x")
    assert.equal("GET /x: the response is cut off: closed", said)
  end)

  it("is not sent a third time if the new connection loses it, too", function()
    scripted.answers = { "", "", response "a" }
    local said = scripted.outcome(sender { tries = 1 }, "GET /x")
    assert.equal("GET /x: the server closed the connection without a response", said)
  end)
end)

describe("the connection", function()
  before_each(scripted.reset)

  for _, route in ipairs { "GET /x", "PUT /x", "POST /x", "PATCH /x", "LOCK /x" } do
    it("of an answered request is kept: " .. route, function()
      scripted.asked(response "a", sender {}, route)
      assert.same({ "kept" }, scripted.ends)
    end)
  end

  for _, row in ipairs {
    { "of a GET may be of any age", "GET /x", {}, math.huge },
    { "of a POST was used less than 4 seconds ago", "POST /x", {}, 4 },
    { "of a POST was used as reuse_within says", "POST /x", { reuse_within = 1.5 }, 1.5 },
    { "of a POST with reuse_within = 0 is a new one", "POST /x", { reuse_within = 0 }, 0 },
    {
      "of a POST that may arrive twice may be of any age",
      "POST /x",
      { may_repeat = true },
      1 / 0,
    },
    { "of a GET that may not arrive twice was used lately", "GET /x", { may_repeat = false }, 4 },
  } do
    it(row[1], function()
      scripted.asked(response "a", sender(row[3]), row[2])
      assert.same({ row[4] }, scripted.most_idle)
    end)
  end

  for field, seconds in pairs {
    ["keep-alive: timeout=5\n"] = 4,
    ["Keep-Alive: max=100, Timeout = 20\n"] = 19,
    ["keep-alive: timeout=0\n"] = 0,
    ["keep-alive: timeout=x\n"] = math.huge,
    [""] = math.huge,
  } do
    it(("is kept for %s s after the field %q"):format(tostring(seconds), field), function()
      scripted.asked(response("a", field), sender {})
      assert.same({ seconds }, scripted.kept_for)
    end)
  end
end)

describe("a body", function()
  for _, row in ipairs {
    { size = 0, sends = 1 },
    { size = 16384, sends = 1 },
    { size = 16385, sends = 2 },
    { size = 65537, sends = 3 },
  } do
    it(("of %d bytes and its head are sent in %d pieces"):format(row.size, row.sends), function()
      scripted.reset()
      local body = ("x"):rep(row.size)
      assert.equal("a", scripted.asked(response "a", sender {}, "PUT /x", { data = body }))
      assert.equal(row.sends, scripted.sends)
      local written = scripted.sent[1]
      assert.equal(body, written:match "\r\n\r\n(.*)$")
      assert.equal(tostring(row.size), written:match "\r\ncontent%-length: (%d+)\r\n")
    end)
  end
end)

describe("a request whose connection does not take all of it", function()
  it("has the answer that came early, and its connection is closed", function()
    scripted.reset()
    local said = scripted.asked(response "a", sender {}, "PUT /x", { data = "unread" })
    assert.same({ "a", "closed" }, { said, scripted.ends[1] })
  end)
end)

describe("what is written of a request through a proxy", function()
  local head
  before_each(function()
    scripted.reset()
    scripted.asked(response "", sender { proxy = "http://me:pw@p" }, "PUT /x", {
      headers = {
        ["proxy-authorization"] = "mine",
        host = "other",
        connection = "x",
        ["content-type"] = "a/b",
      },
      data = "abc",
    })
    head = scripted.sent[1]
  end)

  it("begins with its first line and the host", function()
    assert.equal("PUT http://h/v1/x HTTP/1.1\r\nhost: other\r\n", head:match "^.-\r\n.-\r\n")
  end)

  it("has the proxy's user and password, not a header of the call", function()
    assert.truthy(head:find("proxy-authorization: Basic bWU6cHc=", 1, true), head)
  end)

  for name, count in pairs {
    ["host"] = 1,
    ["proxy-authorization"] = 1,
    ["connection"] = 0,
    ["content-type"] = 1,
    ["content-length"] = 1,
  } do
    it(("has the field %s %s"):format(name, count == 1 and "once" or "not at all"), function()
      local pattern = "\n" .. name:gsub("%-", "%%-") .. ":"
      assert.equal(count, select(2, head:gsub(pattern, "")), head)
    end)
  end
end)
