-- An answer that comes while its request is still being sent (RFC 9112, section 9.5).
local scripted = require "request.scripted"

-- The body of a request in pieces of 1,000 bytes.
local function stream_of(pieces)
  return function()
    pieces = pieces - 1
    return pieces >= 0 and ("x"):rep(1000) or nil
  end
end

local function put(answer, early)
  scripted.reset()
  scripted.early = early
  local options = { data = stream_of(100) }
  return scripted.asked(answer, scripted.sender {}, "PUT /x", options)
end

local ALL = 100000

describe("an answer that comes while the request is sent", function()
  it("ends the request if it is an error", function()
    local said = put(scripted.response("", nil, 413), 20000)
    assert.equal("PUT /x: the server answers 413", said)
    assert.is_true(#scripted.sent[1] > 20000 and #scripted.sent[1] < 25000)
    assert.same({ "closed" }, scripted.ends)
  end)

  it("lets a request be sent to its end if it is not an error", function()
    assert.equal("here", put(scripted.response "here", 20000))
    assert.is_true(#scripted.sent[1] > ALL)
  end)

  it("lets a request be sent to its end if it is 1xx and then a success", function()
    local continue = scripted.lines "HTTP/1.1 103 Early Hints\nlink: <x>\n\n"
    assert.equal("here", put({ continue, scripted.response "here" }, 20000))
    assert.is_true(#scripted.sent[1] > ALL)
  end)

  it("ends the request if it is an error after 1xx", function()
    local continue = scripted.lines "HTTP/1.1 100 Continue\n\n"
    local said = put(continue .. scripted.response("", nil, 507), 20000)
    assert.equal("PUT /x: the server answers 507", said)
    assert.is_true(#scripted.sent[1] < 25000)
  end)

  it("is not looked for in what is sent at once", function()
    assert.equal("here", put(scripted.response "here", nil))
    assert.is_true(#scripted.sent[1] > ALL)
  end)
end)
