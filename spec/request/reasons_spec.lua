-- The word of a failure that says why, failure.reason, and the seconds that the server asks to
-- wait, failure.retry_after. programs/cases/reasons.lua has the words of each client.
local endpoint = require "endpoint"
local failures = require "endpoint.request.failures"
local request = require "endpoint.request"
local scripted = require "request.scripted"
local support = require "support"

local json, response, sender = scripted.json, scripted.response, scripted.sender

-- The failure of a call that every connection answers in this way.
local function failure_of(answer, settings, route, options)
  scripted.answers = function()
    return answer
  end
  local ok, failure = pcall(sender(settings), route or "GET /x", options)
  assert(not ok, "expected an error, got a result")
  return failure
end

-- A failure of a client that is a function.
local function failure_of_client(client, settings)
  settings = settings or {}
  settings.client, settings.tries = client, 1
  local api = endpoint.defaults { baseUrl = "http://h" }
  local ok, failure = pcall(request.new(api, settings), "GET /x")
  assert(not ok, "expected an error, got a result")
  return failure
end

-- title: what must hold. reason: the word. answer: of the server. settings: of the sender.
local ROWS = {
  {
    title = "a status of 400 or more",
    reason = "status",
    answer = response("", nil, 400),
  },
  {
    title = "a status after the last try",
    reason = "status",
    answer = response("", nil, 503),
    settings = { tries = 2 },
  },
  {
    title = "a redirect",
    reason = "redirect",
    answer = response("", "location: /y\n", 302),
  },
  {
    title = "a redirect without a location",
    reason = "redirect",
    answer = response("", nil, 302),
  },
  { title = "broken JSON", reason = "not JSON", answer = json "{" },
  { title = "an early end", reason = "cut off", answer = "HTTP/1.1 200 OK\r\n" },
  {
    title = "a body that is cut off",
    reason = "cut off",
    answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na",
  },
  { title = "no response", reason = "cut off", answer = "" },
  { title = "what is not HTTP", reason = "protocol", answer = "x\r\n\r\n" },
  {
    title = "another protocol",
    reason = "protocol",
    answer = "HTTP/1.1 101 X\r\n\r\n",
  },
  {
    title = "a header that is not one",
    reason = "protocol",
    answer = "HTTP/1.1 200 OK\r\nx\r\n\r\n",
  },
  {
    title = "an invalid length",
    reason = "protocol",
    answer = "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
  },
  {
    title = "a length that never comes",
    reason = "cut off",
    answer = "HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999\r\n\r\n",
  },
  {
    title = "an invalid chunk",
    reason = "protocol",
    answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
  },
  {
    title = "a long chunk",
    reason = "protocol",
    answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
  },
  {
    title = "an unknown encoding of the transfer",
    reason = "protocol",
    answer = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
  },
  {
    title = "an unknown encoding of the content",
    reason = "protocol",
    answer = response("x", "content-encoding: br\n"),
  },
  {
    title = "a head that is too long",
    reason = "too long",
    answer = "HTTP/1.1 200 OK\r\nx: " .. ("x"):rep(70000) .. "\r\n\r\n",
  },
  {
    title = "a body that is too long",
    reason = "too long",
    answer = response "abc",
    settings = { max_size = 2 },
  },
  {
    title = "a time limit of the call",
    reason = "timeout",
    answer = { 2 },
    settings = { timeout = 1 },
  },
  {
    title = "a time limit of a try",
    reason = "timeout",
    answer = { 2 },
    settings = { try_timeout = 1, tries = 1 },
  },
  {
    title = "a time limit of a silence",
    reason = "timeout",
    answer = { "HTTP/1.1 200 OK\r\n", 2 },
    settings = { idle_timeout = 1, tries = 1 },
  },
  {
    title = "a sink",
    reason = "sink",
    answer = response "x",
    settings = {
      sink = function()
        return nil, "full"
      end,
    },
  },
  {
    title = "a sink that refuses the end",
    reason = "sink",
    answer = response "x",
    settings = {
      sink = function(piece)
        return piece or nil, "no room"
      end,
    },
  },
  {
    title = "a line that is not JSON",
    reason = "sink",
    answer = response "{\n",
    settings = { sink = request.lines(function() end) },
  },
  {
    title = "a hook that returns nothing",
    reason = "hook",
    answer = "",
    settings = { around = function() end },
  },
  {
    title = "a hook that returns a message of its own",
    reason = "hook",
    answer = "",
    settings = {
      around = function()
        return nil, "not today", true
      end,
    },
  },
  {
    title = "a hook that returns a word of the list",
    reason = "tls",
    answer = "",
    settings = {
      around = function()
        return nil, "not today", true, "tls"
      end,
    },
  },
  {
    title = "a hook that returns another word",
    reason = "hook",
    answer = "",
    settings = {
      around = function()
        return nil, "not today", true, "weather"
      end,
    },
  },
  {
    title = "a hook that returns the message of its request, without the word",
    reason = "cut off",
    answer = "",
    settings = {
      around = function(r, send)
        local answer, problem, is_final = send(r)
        return answer, problem, is_final
      end,
      tries = 1,
    },
  },
  {
    title = "a hook that answers after the sink had a part",
    reason = "cut off",
    answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na",
    settings = {
      sink = function()
        return true
      end,
      around = function(r, send)
        send(r)
        return { status = 200 }
      end,
    },
  },
  {
    title = "a hook that sends after the sink had a part",
    reason = "sink",
    answer = response "x",
    settings = {
      sink = function()
        return true
      end,
      around = function(r, send)
        send(r)
        return send(r)
      end,
    },
  },
}

describe("failure.reason", function()
  before_each(scripted.reset)

  for _, row in ipairs(ROWS) do
    it(("of %s is %q"):format(row.title, row.reason), function()
      local failure = failure_of(row.answer, row.settings)
      assert.equal(row.reason, failure.reason, tostring(failure))
    end)
  end

  it("of a stream that breaks off is stream", function()
    local function stream()
      return nil, "broke off"
    end
    assert.equal("stream", failure_of("", {}, "PUT /x", { data = stream }).reason)
  end)

  it("of a stream that was read is stream", function()
    local function around(r, send)
      send(r)
      return send(r)
    end
    local options = { data = function() end }
    assert.equal("stream", failure_of("", { around = around }, "PUT /x", options).reason)
  end)

  it("of a message timeout of a stream is stream", function()
    local function stream()
      return nil, "timeout"
    end
    local failure = failure_of("", {}, "PUT /x", { data = stream })
    assert.equal("PUT /x: timeout", failure.message)
    assert.equal("stream", failure.reason)
  end)

  it("of a page that is not a list is page", function()
    scripted.answers = { json '{"a": 1}' }
    local _, failure = pcall(sender({}).each "GET /x")
    assert.equal("page", failure.reason)
  end)

  it("of a next page at another origin is page", function()
    scripted.answers = { json("[1]", 'link: <http://other/>; rel="next"\n') }
    local following = sender({}).each "GET /x"
    following()
    assert.equal("page", select(2, pcall(following)).reason)
  end)

  it("of a proxy that asks for a password is proxy", function()
    local failure = failure_of(response("", nil, 407), { proxy = "http://p" })
    assert.equal("proxy", failure.reason)
  end)

  it("of a tunnel that a proxy refuses is proxy", function()
    scripted.answers = { response("", nil, 403) }
    local api = endpoint.defaults { baseUrl = "https://h" }
    local _, failure = pcall(sender({ proxy = "http://p", tries = 1 }, api), "GET /x")
    assert.equal("proxy", failure.reason)
  end)

  it("of a client that is a function is client", function()
    local failure = failure_of_client(function()
      return nil, "lost"
    end)
    assert.equal("client", failure.reason)
  end)

  it("of a client that is a function is the word that it returns", function()
    local failure = failure_of_client(function()
      return nil, "lost", true, "resolve"
    end)
    assert.equal("resolve", failure.reason)
  end)

  it("of a client that returns another word is client", function()
    local failure = failure_of_client(function()
      return nil, "lost", true, {}
    end)
    assert.equal("client", failure.reason)
  end)

  it("is a word that docs/errors.md has a row for, and each row is such a word", function()
    local guide, words = support.read "docs/errors.md", {}
    local first = assert(guide:find("\n| `reason` ", 1, true))
    for word in guide:sub(first + 1, guide:find("\n\n", first, true)):gmatch "\n| `([^`]+)`" do
      assert.truthy(failures.known(word), word)
      words[word] = true
    end
    for word in pairs(failures.REASONS) do
      assert.is_true(words[word], word)
    end
  end)
end)

-- --- retry_after ----------------------------------------------------------------------

-- title: the form. fields: of the response. seconds: what the failure has; nil for nothing.
local FORMS = {
  { title = "of seconds", fields = "retry-after: 90\n", seconds = 90 },
  { title = "of milliseconds", fields = "retry-after-ms: 1500\n", seconds = 1.5 },
  {
    title = "of a date",
    fields = "date: Fri, 01 Jan 2038 00:00:00 GMT\nretry-after: Fri, 01 Jan 2038 00:01:30 GMT\n",
    seconds = 90,
  },
  {
    title = "of a limit that is used up",
    fields = "x-ratelimit-remaining: 0\nx-ratelimit-reset: 90\n",
    seconds = 90,
  },
  { title = "of the IETF's draft", fields = 'ratelimit: "a";r=0;t=90\n', seconds = 90 },
  { title = "of 400 digits", fields = "retry-after: " .. ("9"):rep(400) .. "\n", seconds = 2 ^ 31 },
  { title = "without any of these headers", fields = "" },
  { title = "of what is not a time", fields = "retry-after: soon\n" },
  -- A pattern that looks back would take minutes.
  { title = "of very many digits", fields = "retry-after: " .. ("1"):rep(60000) .. "x\n" },
  { title = "of a long duration", fields = "x-ratelimit-reset: 1s" .. ("1"):rep(60000) .. "\n" },
}

describe("failure.retry_after", function()
  before_each(scripted.reset)

  for _, row in ipairs(FORMS) do
    it(("of a response %s is %s"):format(row.title, tostring(row.seconds)), function()
      local failure = failure_of(response("", row.fields, 429), { tries = 1 })
      assert.equal(row.seconds, failure.retry_after)
    end)
  end

  it("is nil without a response", function()
    assert.is_nil(failure_of("", { tries = 1 }).retry_after)
  end)
end)
