-- The time of a call with a hook: the calls of the hook have what is left of it, and the message
-- says what took the time.
local endpoint = require "endpoint"
local scripted = require "request.scripted"

local asked, outcome, response, sender =
  scripted.asked, scripted.outcome, scripted.response, scripted.sender

-- Lets the clock go on.
local function pass(seconds)
  scripted.clock = scripted.clock + seconds
end

-- The sender of the hook's own calls, whose server never answers.
local function ask_authority(options)
  local authority = sender {}
  return function()
    local body = authority("GET /token", { request = options })
    return body
  end
end

describe("the time of a call with a hook", function()
  before_each(scripted.reset)

  it("says that the hook took it, and sends nothing", function()
    local function around(r, send)
      pass(2)
      return send(r)
    end
    local said = asked(response "", sender { around = around, timeout = 1 })
    local expected = "GET /x: timeout: nothing was sent within 1 s, of which the hook took 2 s"
    assert.equal(expected, said)
    assert.same({}, scripted.sent)
  end)

  it("is the reason of the failure", function()
    local function around(r, send)
      pass(2)
      local answer, problem, is_final = send(r)
      return answer, problem, is_final
    end
    local _, failure = pcall(sender { around = around, timeout = 1 }, "GET /x")
    assert.equal("timeout", failure.reason)
  end)

  it("says of a second request of the hook how long the hook itself took", function()
    local function around(r, send)
      send(r)
      pass(0.5)
      return send(r)
    end
    local said = asked(function()
      return { 0.7, response "" }
    end, sender { around = around, timeout = 1 })
    local expected = "GET /x: timeout: nothing was sent within 1 s, of which the hook took 0.5 s"
    assert.equal(expected, said)
  end)

  it("is what a call of the hook has", function()
    local said = asked(function()
      return { 99 }
    end, sender { around = ask_authority(), timeout = 1 })
    assert.equal(
      "GET /token: timeout: no complete response within the time that the hook has",
      said
    )
    assert.equal(1, scripted.clock)
  end)

  it("does not make the own limit of such a call longer", function()
    local said = asked(function()
      return { 99 }
    end, sender { around = ask_authority { timeout = 0.2 }, timeout = 1 })
    assert.equal("GET /token: timeout: no complete response within 0.2 s", said)
  end)

  it("holds for the hook of a hook's call", function()
    local inner = sender {
      around = function(r, send)
        pass(3)
        return send(r)
      end,
    }
    local said = asked(
      response "",
      sender {
        timeout = 2,
        around = function()
          local body = inner "GET /inner"
          return body
        end,
      }
    )
    local expected = "GET /inner: timeout: nothing was sent within 2 s, of which the hook took 3 s"
    assert.equal(expected, said)
  end)

  it("does not hold after the hook has returned, raised or failed", function()
    for _, hook in ipairs {
      function()
        return { status = 200 }
      end,
      function()
        error("mine", 0)
      end,
      function()
        return nil, "lost", true
      end,
    } do
      outcome(sender { around = hook, timeout = 1 }, "GET /x")
      local said = asked(function()
        return { 99 }
      end, sender { timeout = 3, tries = 1 })
      assert.equal("GET /x: timeout: no complete response within 3 s", said)
    end
  end)

  it("does not hold in another coroutine, which the hook lets run", function()
    local other = coroutine.wrap(function()
      coroutine.yield()
      return outcome(sender { timeout = 5, tries = 1 }, "GET /other")
    end)
    other()
    local said
    asked(
      function()
        return { 99 }
      end,
      sender {
        timeout = 1,
        around = function()
          said = other()
          return { status = 200 }
        end,
      }
    )
    assert.equal("GET /other: timeout: no complete response within 5 s", said)
  end)

  it("lets an answer pass that the hook makes late", function()
    local function around()
      pass(9)
      return { status = 200, text = "kept" }
    end
    assert.equal("kept", (outcome(sender { around = around, timeout = 1 }, "GET /x")))
  end)
end)

describe("a hook with a client that is a function", function()
  it("leaves its own calls what is left", function()
    local left
    local api = endpoint.defaults { baseUrl = "http://h" }
    local function client(_, settings)
      left = settings.timeout
      return 200, {}, ""
    end
    local request = require "endpoint.request"
    local inner = request.new(api, { client = client })
    local function around(r, send)
      inner "GET /inner"
      return send(r)
    end
    request.new(api, { client = client, around = around, timeout = 5 }) "GET /x"
    assert.is_true(left <= 5)
  end)
end)
