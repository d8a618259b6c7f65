-- What the guide says of sinks: an iterator by coroutine.wrap, and a call that is cancelled.
local examples = require "docs.examples"
local scripted = require "request.scripted"

local can_yield = coroutine.wrap(function()
  return pcall(coroutine.yield, true)
end)() == true

describe("a sink", function()
  it("becomes an iterator by coroutine.wrap", function()
    if not can_yield then
      pending "this Lua cannot yield within pcall"
    end
    local code, printed = examples.recipe "iterator.lua", {}
    local environment = {
      coroutine = coroutine,
      send = scripted.sender {},
      print = function(piece)
        printed[#printed + 1] = piece
      end,
    }
    scripted.reset()
    scripted.answers = { { scripted.lines "HTTP/1.1 200 OK\ncontent-length: 6\n\nabc", "def" } }
    local chunk = setfenv and setfenv(loadstring(code), environment)
      or load(code, "iterator.lua", "t", environment)
    chunk()
    assert.same({ "abc", "def" }, printed)
  end)

  it("whose error is a string raises it as it is, and closes the connection", function()
    scripted.reset()
    scripted.answers = { scripted.response "abc" }
    local said = scripted.outcome(scripted.sender {}, "GET /x", {
      request = {
        sink = function(piece)
          if piece then
            error("interrupted!", 0)
          end
        end,
      },
    })
    assert.equal("interrupted!", said)
    assert.same({ 1, "closed" }, { #scripted.sent, scripted.ends[1] })
  end)
end)

describe("a call", function()
  it("is cancelled by an error in the setting sleep", function()
    scripted.reset()
    local cancelled = {}
    local send = scripted.sender {
      sleep = function()
        error(cancelled)
      end,
    }
    scripted.answers = { "", scripted.response "abc" }
    local ok, raised = pcall(send, "GET /x")
    assert.same({ false, 1 }, { ok, #scripted.sent })
    assert.equal(cancelled, raised)
  end)
end)
