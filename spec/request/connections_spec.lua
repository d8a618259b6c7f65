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

  for route, fate in pairs { ["GET /x"] = "kept", ["PUT /x"] = "kept", ["POST /x"] = "closed" } do
    it(("of an answered %s is %s"):format(route, fate), function()
      scripted.asked(response "a", sender {}, route)
      assert.same({ fate }, scripted.ends)
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
