-- The hook `around`: it is asked for each try, and may send, send again, or answer itself.
local paged = require "request.paged"
local scripted = require "request.scripted"

local asked, json, outcome, response, sender =
  scripted.asked, scripted.json, scripted.outcome, scripted.response, scripted.sender

-- A hook that answers, and one that raises.
local function answering(answer)
  return function()
    return answer
  end
end
local function raising(problem)
  return function()
    error(problem, 0)
  end
end

describe("a hook", function()
  before_each(scripted.reset)

  describe("that keeps a response", function()
    local cached, value, answer
    before_each(function()
      local kept
      cached = sender {
        around = function(_, ask)
          kept = kept or assert(ask())
          return kept
        end,
      }
      value, answer = asked(json '["a"]', cached)
    end)

    it("gets it back as it was, whatever the program did to it", function()
      value[1] = "b"
      answer.headers["content-type"], answer.text, answer.status = "a/b", "x", 500
      assert.same({ "a" }, (outcome(cached, "GET /x?page=5")))
    end)

    it("answers with the URL of the call that it answers", function()
      local _, second = outcome(cached, "GET /x?page=5")
      assert.equal(scripted.BASE .. "/x?page=5", second.url)
    end)
  end)

  it("may answer itself, with names of fields in any case", function()
    local made = { status = 201, headers = { ["Content-TYPE"] = "a/json" }, text = '["x"]' }
    assert.same({ "x" }, (outcome(sender { around = answering(made) }, "GET /x")))
  end)

  it("is asked for each try, redirect and page, each with headers of its own", function()
    local asked_for = {}
    local function around(r, ask)
      asked_for[#asked_for + 1] = (r.headers["x-mark"] or "") .. r.url:match "/[^/]*$"
      r.headers["x-mark"] = "marked"
      return ask(r)
    end
    local function answer(text, number)
      if number == 1 then
        return response("", nil, 503)
      end
      return text:find "/x " and response("", "location: /items\n", 302) or paged.items(text)
    end
    paged.walked(answer, sender { redirects = 1, around = around }, "GET /x")
    assert.same({ "/x", "/x", "/items", "/items?page=2", "/items?page=3" }, asked_for)
  end)

  it("may send to another host", function()
    local function around(_, ask)
      return ask { method = "get", url = "http://other/" }
    end
    outcome(sender { around = around }, "GET /x")
    assert.equal("other", scripted.host)
  end)

  it("gives its answer to a sink once, although the status is to be asked for again", function()
    local taken = {}
    local function sink(piece)
      taken[#taken + 1] = piece
    end
    local around = answering { status = 200, text = "x" }
    local value = sender { around = around, retry_on = { 200 }, sink = sink } "GET /x"
    assert.is_nil(value)
    assert.same({ "x" }, taken)
  end)

  it("raises its table as it is", function()
    local thrown = {}
    local _, raised = pcall(sender { around = raising(thrown) }, "GET /x")
    assert.equal(thrown, raised)
  end)
end)

-- --- what is wrong with a hook -------------------------------------------------------

local NOT_A_RESPONSE = "endpoint.request: around: expected a response, which has a status, "
  .. "or nil and a message, got "

-- title: what must hold. around: the hook. said: what the call raises.
-- times: how often the hook is asked; once unless given.
local MISTAKES = {
  { title = "that raises a string raises it as it is", around = raising "mine", said = "mine" },
  {
    title = "that raises an error of endpoint elsewhere keeps its position",
    around = raising "elsewhere:3: endpoint: mine",
    said = "elsewhere:3: endpoint: mine",
  },
  {
    title = "that returns nil and a message is asked again, and credentials in it are masked",
    around = function(r)
      return nil, "no luck, " .. r.headers.authorization
    end,
    said = "GET /x: no luck, ***",
    times = 3,
  },
  {
    title = "that returns nothing raises an error that says so",
    around = function(_, ask)
      ask()
    end,
    said = "GET /x: around returned nothing",
  },
  {
    title = "must not return a table without a status",
    around = answering { text = "x" },
    said = NOT_A_RESPONSE .. "another table",
  },
  {
    title = "must not return a status that is not a number of three digits",
    around = answering { status = 99.5 },
    said = NOT_A_RESPONSE .. "another table",
  },
  {
    title = "must not return NaN as a status",
    around = answering { status = 0 / 0 },
    said = NOT_A_RESPONSE .. "another table",
  },
  {
    title = "that returns nil and a table is asked again, and shows no address",
    around = function()
      return nil, {}
    end,
    said = "GET /x: a table instead of a message",
    times = 3,
  },
  {
    title = "must not return a string",
    around = answering "x",
    said = NOT_A_RESPONSE .. "a string",
  },
  {
    title = "must not return a list of headers",
    around = answering { status = 200, headers = { "a: b" } },
    said = NOT_A_RESPONSE .. "another table",
  },
  {
    title = "must not return a text that is a number",
    around = answering { status = 200, text = 7 },
    said = NOT_A_RESPONSE .. "another table",
  },
  {
    title = "must not return a body instead of a text",
    around = answering { status = 200, body = "x" },
    said = "endpoint.request: around: expected the body of a response in its field text, a string",
  },
  {
    title = "must not send a route",
    around = function(_, ask)
      return ask "GET /x"
    end,
    said = "endpoint.request: around: expected a result to send, got a string",
  },
}

describe("a hook", function()
  before_each(scripted.reset)

  for _, row in ipairs(MISTAKES) do
    it(row.title, function()
      local count = 0
      local function around(...)
        count = count + 1
        return row.around(...)
      end
      assert.equal(row.said, asked(response "", sender { around = around }))
      assert.equal(row.times or 1, count)
    end)
  end
end)

-- --- what is sent again, and what a sink gets -----------------------------------------

describe("a hook that sends twice", function()
  local second
  local function twice(r, ask)
    ask(r)
    second = { select(2, ask(r)) }
    return { status = 200, text = "" }
  end
  before_each(scripted.reset)

  it("is told that a stream was read", function()
    asked(response "", sender { around = twice }, "PUT /x", { data = function() end })
    assert.same({ "the stream was read, so it cannot be sent again", true, "stream" }, second)
  end)

  it("is told that the sink has a part of a response", function()
    local function sink()
      return true
    end
    asked(response "x", sender { around = twice }, "GET /x", { request = { sink = sink } })
    assert.same(
      { "the sink already has a part of a response, so nothing can be sent again", true, "sink" },
      second
    )
  end)
end)

describe("a hook whose try is answered 503", function()
  -- title: what must hold. route: the call. sends: what the hook sends. times: how often it is
  -- asked.
  for _, row in ipairs {
    {
      title = "is asked again if all that it sent may arrive twice",
      route = "POST /x",
      sends = { "GET /y" },
      times = 2,
    },
    {
      title = "is not asked again if one of what it sent must not arrive twice",
      route = "POST /x",
      sends = { "POST /x", "GET /y" },
      times = 1,
    },
    {
      title = "is not asked again if it sent nothing for a POST",
      route = "POST /x",
      sends = {},
      times = 1,
    },
    {
      title = "is asked again if it sent nothing for a PUT",
      route = "PUT /x",
      sends = {},
      times = 2,
    },
  } do
    it(row.title, function()
      local count = 0
      local function around(_, ask)
        local answer, problem = nil, "busy"
        count = count + 1
        for _, route in ipairs(row.sends) do
          answer, problem = ask(scripted.api(route))
        end
        return answer, problem
      end
      scripted.reset()
      asked(response("", nil, 503), sender { tries = 2, around = around }, row.route)
      assert.equal(row.times, count)
    end)
  end
end)

describe("a hook that answers 429 itself", function()
  -- The status of a second answer, and how often the hook was asked.
  local function tried(options)
    local count = 0
    local function around()
      count = count + 1
      return { status = count == 1 and 429 or 200, text = "x" }
    end
    scripted.reset()
    local _, answer = sender({ around = around }).ask("POST /x", options)
    return { answer.status, count }
  end

  it("is asked again for a POST, of which the server has nothing", function()
    assert.same({ 200, 2 }, tried { a = 1 })
  end)

  it("is not asked again for a stream, which it may have read", function()
    assert.same({ 429, 1 }, tried { data = function() end })
  end)
end)

describe("a sink beside a hook", function()
  local CUT_OFF = scripted.lines "HTTP/1.1 200 OK\ncontent-length: 9\n\nabc"
  local MADE = { status = 200, text = "made" }
  local ENDED = "the end: "

  -- title: what must hold. answers: of the server. around: the hook.
  -- got: the pieces that the sink gets, and what it is told at the end.
  for _, row in ipairs {
    {
      title = "does not get the answer of the hook after a part of another",
      answers = { CUT_OFF },
      around = function(_, ask)
        return ask() or MADE
      end,
      got = { "abc", ENDED .. "GET /x: the response is cut off: closed" },
    },
    {
      title = "does not get a second answer after a part of the first, without a hook",
      answers = { CUT_OFF, response "abc" },
      got = { "abc", ENDED .. "GET /x: the response is cut off: closed" },
    },
    {
      title = "gets what the hook answers",
      answers = {},
      around = answering(MADE),
      got = { "made", ENDED .. "whole" },
    },
    {
      title = "gets nothing of an error that the hook answers",
      answers = {},
      around = answering { status = 500, text = "no" },
      got = { ENDED .. "the server answers 500" },
    },
    {
      title = "gets nothing of a 404 that the hook answers",
      answers = {},
      around = answering { status = 404, text = "x" },
      got = { ENDED .. "the server answers 404" },
    },
    {
      title = "gets nothing of a redirect that is not followed, without a hook",
      answers = { response("x", "location: /y\n", 302) },
      got = { ENDED .. "the server answers 302" },
    },
    {
      title = "is told of what the hook raises",
      answers = {},
      around = raising "mine",
      got = { ENDED .. "mine" },
    },
    {
      title = "gets the server's answer, without a hook",
      answers = { response "abc" },
      got = { "abc", ENDED .. "whole" },
    },
    {
      title = "gets the answer to the second try, without a hook",
      answers = { response("", nil, 503), response "abc" },
      got = { "abc", ENDED .. "whole" },
    },
  } do
    it(row.title, function()
      local got = {}
      local function sink(piece, problem)
        got[#got + 1] = piece or ENDED .. tostring(problem or "whole")
        return true
      end
      scripted.reset()
      scripted.answers = row.answers
      local ok, _, answer = pcall(sender { around = row.around, sink = sink }, "GET /x")
      assert.same(row.got, got)
      assert.equal("", ok and answer.text or "")
    end)
  end

  it("does not hide an error by what it says at its end", function()
    scripted.reset()
    local function refusing()
      return nil, "no whole file"
    end
    local around = answering { status = 404, text = "x" }
    local said = outcome(sender { around = around, sink = refusing }, "GET /x")
    assert.equal("GET /x: the server answers 404", said)
  end)

  it("ends the call by what it says, in which credentials are masked", function()
    local function full()
      return nil, "full, Bearer 0123"
    end
    scripted.reset()
    local said = outcome(sender { around = answering(MADE), sink = full }, "GET /x")
    assert.equal("GET /x: full, ***", said)
  end)
end)

describe("an error", function()
  before_each(scripted.reset)

  local function refused(detail)
    return json(('{"detail": "%s"}'):format(detail), nil, 400)
  end

  it("masks a header that the hook wrote and took away", function()
    local function around(r, ask)
      r.headers["x-token"] = "S3CRET-of-hook"
      local answer = ask(r)
      r.headers["x-token"] = nil
      return answer
    end
    local said = asked(refused "not S3CRET-of-hook", sender { around = around })
    assert.equal("GET /x: the server answers 400: not ***", said)
  end)

  it("masks a value of a body that the program wrote as a string", function()
    local said = asked(refused "not S3CRET99", sender {}, "PUT /x", {
      data = '{"token": "S3CRET99"}',
      headers = { ["content-type"] = "application/json" },
    })
    assert.equal("PUT /x: the server answers 400: not ***", said)
  end)

  it("has its reason although the hook sent no headers", function()
    local function around(r, ask)
      return ask { method = r.method, url = r.url }
    end
    local said = asked(refused "none", sender { around = around })
    assert.equal("GET /x: the server answers 400: none", said)
  end)
end)
