-- Which requests are sent again, after which answers, and how long the pauses are.
local scripted = require "request.scripted"

local response, sender = scripted.response, scripted.sender

-- What a call did whose first tries are answered in this way, and the next with "here".
--   status, headers  the answer; "" for none
--   times            how often it is answered so; once unless given
--   settings, route, options  of the call
local function outcome_of(row)
  scripted.reset()
  local function answer(_, number)
    if number > (row.times or 1) then
      return response "here"
    end
    return row.status == "" and "" or response("", row.headers, row.status)
  end
  local said = scripted.asked(answer, sender(row.settings), row.route or "GET /x", row.options)
  return { said = said, tries = #scripted.sent, pauses = scripted.pauses }
end

-- Half a second, doubled with each try, with chance in it.
local function is_ordinary(pause, number)
  return pause >= 2 ^ (number - 2) * 0.5 and pause <= 2 ^ (number - 2) * 1.5
end

-- A Lua whose numbers have 32 bits holds no such time.
local IS_SINGLE = 2 ^ 24 + 1 == 2 ^ 24

-- Windows knows no time after the year 3000.
local is_time, time = pcall(os.time, { year = 9999, month = 12, day = 31 })
local HAS_YEAR_9999 = is_time and time ~= nil and not IS_SINGLE

describe("a request that a server answers with", function()
  local DATE = "date: Fri, 06 Jan 2034 08:49:07 GMT\n"
  local TWENTY_SECONDS_LATER = "2020150167"

  -- pause: in seconds; nil for the ordinary one. A row without `tries` is sent twice.
  for what, row in pairs {
    ["429 and retry-after in seconds"] = { status = 429, headers = "retry-after: 7\n", pause = 7 },
    ["retry-after with a fraction"] = { status = 429, headers = "retry-after: 1.5\n", pause = 1.5 },
    ["retry-after-ms"] = {
      status = 429,
      headers = "retry-after-ms: 250\nretry-after: 1\n",
      pause = 0.25,
    },
    ["retry-after 0"] = { status = 503, headers = "retry-after: 0\n", pause = 0 },
    ["less than the call has"] = { status = 429, headers = "retry-after: 59\n", pause = 59 },
    ["more than the call has"] = { status = 429, headers = "retry-after: 61\n", tries = 1 },
    ["a date in the future"] = {
      status = 503,
      headers = DATE .. "retry-after: Fri, 06 Jan 2034 08:49:37 GMT\n",
      pause = 30,
    },
    ["a date in the past"] = {
      status = 503,
      headers = "retry-after: Mon, 01 Jan 2024 00:00:00 GMT\n",
      pause = 0,
    },
    ["a date of the year 9999"] = HAS_YEAR_9999 and {
      status = 503,
      headers = "retry-after: Fri, 31 Dec 9999 23:59:59 GMT\n",
      tries = 1,
    } or nil,
    ["a date whose month does not exist"] = {
      status = 503,
      headers = "retry-after: Fri, 01 anF 2034 00:00:00 GMT\n",
    },
    ["retry-after of 20 digits"] = {
      status = 503,
      headers = "retry-after: 99999999999999999999\n",
      tries = 1,
    },
    ["retry-after of 20 digits, where the call has any time"] = {
      status = 503,
      headers = "retry-after: 99999999999999999999\n",
      tries = 1,
      settings = { timeout = math.huge },
    },
    ["retry-after of 400 digits, where the call has any time"] = {
      status = 503,
      headers = "retry-after: " .. ("9"):rep(400) .. "\n",
      tries = 1,
      settings = { timeout = math.huge },
    },
    ["a negative retry-after"] = { status = 429, headers = "retry-after: -5\n" },
    ["retry-after NaN"] = { status = 429, headers = "retry-after: nan\nretry-after-ms: nan\n" },
    ["retry-after with an exponent"] = { status = 429, headers = "retry-after: 1e1\n" },
    ["retry-after in hexadecimal"] = { status = 504, headers = "retry-after: 0x7\n" },
    ["x-ratelimit-reset as a time"] = {
      status = 403,
      headers = DATE
        .. "x-ratelimit-remaining: 0\nx-ratelimit-reset: "
        .. TWENTY_SECONDS_LATER
        .. "\n",
      pause = 20,
    },
    ["x-ratelimit-reset in milliseconds"] = not IS_SINGLE and {
      status = 429,
      headers = DATE
        .. "x-ratelimit-remaining: 0\nx-ratelimit-reset: "
        .. TWENTY_SECONDS_LATER
        .. "500\n",
      pause = 20.5,
    } or nil,
    ["x-ratelimit-reset in seconds from now"] = {
      status = 429,
      headers = "x-ratelimit-remaining: 0\nx-ratelimit-reset: 20\n",
      pause = 20,
    },
    ["x-ratelimit-reset alone"] = {
      status = 429,
      headers = "x-ratelimit-reset: 20\n",
      pause = 20,
    },
    ["x-ratelimit-reset of a limit that is not used up"] = {
      status = 429,
      headers = "x-ratelimit-remaining: 1\nx-ratelimit-reset: 20\n",
    },
    ["x-rate-limit-reset"] = {
      status = 429,
      headers = "x-rate-limit-remaining: 0\nx-rate-limit-reset: 20\n",
      pause = 20,
    },
    ["x-rate-limit-reset of a limit that is not used up"] = {
      status = 429,
      headers = "x-rate-limit-remaining: 5\nx-rate-limit-reset: 20\n",
    },
    ["x-ratelimit-reset as a duration"] = {
      status = 429,
      headers = "x-ratelimit-reset: 0h0m21.5s\n",
      pause = 21.5,
    },
    ["x-ratelimit-reset as a duration of milliseconds"] = {
      status = 429,
      headers = "x-ratelimit-reset: 700ms\n",
      pause = 0.7,
    },
    ["retry-after as a duration"] = { status = 429, headers = "retry-after: 6s\n", pause = 6 },
    ["x-ratelimit-reset as a duration of an unknown unit"] = {
      status = 429,
      headers = "x-ratelimit-reset: 5x\n",
    },
    ["the resets of two limits, one of which is used up"] = {
      status = 429,
      headers = "x-ratelimit-remaining-requests: 9\nx-ratelimit-reset-requests: 50s\n"
        .. "x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 8s\n",
      pause = 8,
    },
    ["two equal retry-after"] = {
      status = 503,
      headers = "retry-after: 7\nretry-after: 7\n",
      pause = 7,
    },
    ["two retry-after, of which the longer counts"] = {
      status = 503,
      headers = "retry-after: 3\nretry-after: 9\nretry-after: no\n",
      pause = 9,
    },
    ["two retry-after, which are dates"] = {
      status = 503,
      headers = "date: Sun, 06 Nov 1994 08:49:37 GMT\nretry-after: Sun, 06 Nov 1994 08:49:47 GMT\n"
        .. "retry-after: Sunday, 06-Nov-94 08:49:42 GMT\n",
      pause = 10,
    },
    ["ratelimit-reset"] = { status = 429, headers = "ratelimit-reset: 12\n", pause = 12 },
    ["ratelimit-reset of a limit that is not used up"] = {
      status = 429,
      headers = "ratelimit-remaining: 3\nratelimit-reset: 12\n",
    },
    ["ratelimit with several limits"] = {
      status = 429,
      headers = 'ratelimit: "a";r=50;t=40, "b";r=0;t=5, "c"; r=0; t=8\n',
      pause = 8,
    },
    ["ratelimit of the draft's seventh version"] = {
      status = 429,
      headers = "ratelimit: limit=100, remaining=0, reset=7\n",
      pause = 7,
    },
    ["ratelimit of the seventh version that is not used up"] = {
      status = 429,
      headers = "ratelimit: limit=100, remaining=30, reset=7\n",
    },
    ["ratelimit of the seventh version with a hostile reset"] = {
      status = 429,
      headers = "ratelimit: limit=100, remaining=0, reset=-1e9\n",
    },
    ["a date of RFC 850"] = {
      status = 503,
      headers = DATE .. "retry-after: Friday, 06-Jan-34 08:49:37 GMT\n",
      pause = 30,
    },
    ["a date of RFC 850 in the last century"] = {
      status = 503,
      headers = "retry-after: Sunday, 06-Nov-94 08:49:37 GMT\n",
      pause = 0,
    },
    ["a date of asctime"] = {
      status = 503,
      headers = DATE .. "retry-after: Fri Jan  6 08:49:37 2034\n",
      pause = 30,
    },
    ["a date of asctime with a day of two digits"] = {
      status = 503,
      headers = "date: Fri Jan 13 08:49:07 2034\nretry-after: Fri Jan 13 08:49:37 2034\n",
      pause = 30,
    },
    ["a hostile ratelimit-reset"] = { status = 429, headers = "ratelimit-reset: -1e9\n" },
    ["403 and retry-after"] = { status = 403, headers = "retry-after: 1\n", pause = 1 },
    ["403 alone"] = { status = 403, tries = 1 },
    ["403 of a limit that is not used up"] = {
      status = 403,
      headers = "x-ratelimit-remaining: 1\n",
      tries = 1,
    },
    ["408"] = { status = 408 },
    ["418"] = { status = 418, tries = 1 },
    ["500 to GET"] = { status = 500, headers = "retry-after: 7\n", pause = 7 },
    ["500 to HEAD"] = { status = 500, route = "HEAD /x" },
    ["500 to PUT"] = { status = 500, route = "PUT /x", tries = 1 },
    ["502"] = { status = 502 },
    ["503"] = { status = 503 },
    ["504"] = { status = 504 },
  } do
    it(("%s is sent %s"):format(what, row.tries == 1 and "once" or "again"), function()
      local got = outcome_of(row)
      assert.equal(row.tries or 2, got.tries)
      assert.equal((row.tries or 2) - 1, #got.pauses)
      if row.pause then
        assert.is_true(math.abs(row.pause - got.pauses[1]) < 1e-3, got.pauses[1])
      elseif row.tries ~= 1 then
        assert.is_true(is_ordinary(got.pauses[1], 1), got.pauses[1])
      end
      if row.tries == 1 then
        assert.truthy(got.said:find(" /x: the server answers " .. row.status, 1, true), got.said)
      end
    end)
  end

  it("429 three times is sent three times, and the last answer counts", function()
    local got = outcome_of { status = 429, headers = "retry-after: 7\n", times = 3 }
    assert.same({ said = "GET /x: the server answers 429", tries = 3, pauses = { 7, 7 } }, got)
  end)

  for month, days in pairs {
    Jan = 0,
    Feb = 31,
    Mar = 59,
    Apr = 90,
    May = 120,
    Jun = 151,
    Jul = 181,
    Aug = 212,
    Sep = 243,
    Oct = 273,
    Nov = 304,
    Dec = 334,
  } do
    it("a date in " .. month .. " is sent again then", function()
      local got = outcome_of {
        status = 503,
        headers = "date: Sun, 01 Jan 2034 00:00:00 GMT\nretry-after: Sun, 01 "
          .. month
          .. " 2034 00:00:01 GMT\n",
        settings = { timeout = 1e9 },
      }
      assert.same({ days * 86400 + 1 }, got.pauses)
    end)
  end

  it("nothing of use waits longer each time", function()
    local got = outcome_of { status = 503, times = 5, settings = { tries = 6, timeout = 1000 } }
    assert.equal(5, #got.pauses)
    for number, pause in ipairs(got.pauses) do
      assert.is_true(is_ordinary(pause, number), ("pause %d: %s s"):format(number, pause))
    end
  end)
end)

describe("the setting retry_on", function()
  for _, row in ipairs {
    {
      what = "replaces the rules",
      list = { 418, 403 },
      again = { 418, 403 },
      once = { 503, 429 },
    },
    { what = "stops all tries if it is empty", list = {}, again = {}, once = { 429, 503, 500 } },
    {
      what = "adds to the rules by `more`",
      list = { more = { 529, 418 } },
      again = { 529, 418, 429, 503, 500 },
      once = { 400, 403 },
    },
    {
      what = "replaces the rules and adds to them",
      list = { 418, more = { 529 } },
      again = { 418, 529 },
      once = { 429 },
    },
  } do
    for times, statuses in pairs { once = row.once, again = row.again } do
      for _, status in ipairs(statuses) do
        it(("%s: after %d it is sent %s"):format(row.what, status, times), function()
          local got = outcome_of { status = status, settings = { retry_on = row.list } }
          assert.equal(times == "once" and 1 or 2, got.tries)
        end)
      end
    end
  end

  for said, list in pairs {
    ["retry_on[1]: expected a status, a number, got a string"] = { "503" },
    ['retry_on: there is no setting "less"'] = { less = { 503 } },
    ["retry_on.more: expected a table, got a number"] = { more = 529 },
    ["retry_on.more[1]: expected a status, a number, got a boolean"] = { more = { true } },
    ['retry_on.more: there is no setting "more"'] = { more = { more = { 529 } } },
  } do
    it("is a list of statuses: " .. said, function()
      assert.equal("endpoint.request: " .. said, scripted.outcome(sender, { retry_on = list }))
    end)
  end
end)

-- --- what may be sent again ---------------------------------------------------------

local KEY = { ["idempotency-key"] = "k" }
local LATER = "retry-after: 0\n"

local function stream()
  return nil
end

-- Requests that may arrive twice, and others. is_stream: is the body gone when it was sent?
local REQUESTS = {
  { name = "GET", route = "GET /x", is_idempotent = true },
  { name = "HEAD", route = "HEAD /x", is_idempotent = true },
  { name = "OPTIONS", route = "OPTIONS /x", is_idempotent = true },
  { name = "DELETE", route = "DELETE /x", is_idempotent = true },
  { name = "PUT", route = "PUT /x", options = { data = "x" }, is_idempotent = true },
  { name = "QUERY", route = "QUERY /x", options = { data = "x" }, is_idempotent = true },
  { name = "POST", route = "POST /x", options = { data = "x" } },
  { name = "POST without a body", route = "POST /x" },
  { name = "PATCH", route = "PATCH /x", options = { data = "x" } },
  {
    name = "POST with an idempotency key",
    route = "POST /x",
    options = { data = "x", headers = KEY },
    is_idempotent = true,
  },
  {
    name = "POST with an empty idempotency key",
    route = "POST /x",
    options = { headers = { ["idempotency-key"] = "" } },
  },
  {
    name = "PUT of a stream with a key",
    route = "PUT /x",
    options = { data = stream, headers = KEY },
    is_stream = true,
  },
}

-- Answers that say that the server did not act on the request, and others.
local ANSWERS = {
  { name = "429", status = 429, is_refused = true },
  { name = "503 with retry-after", status = 503, headers = LATER, is_refused = true },
  { name = "403 with retry-after", status = 403, headers = LATER, is_refused = true },
  {
    name = "403 of a limit that is used up",
    status = 403,
    headers = "x-ratelimit-remaining: 0\n",
    is_refused = true,
  },
  { name = "529 of retry_on", status = 529, is_refused = true },
  { name = "503", status = 503 },
  { name = "502", status = 502 },
  { name = "504", status = 504 },
  { name = "408", status = 408 },
  { name = "no answer", status = "" },
}

describe("a request", function()
  local settings = { tries = 2, retry_on = { more = { 529 } } }
  for _, asked in ipairs(REQUESTS) do
    for _, answer in ipairs(ANSWERS) do
      local is_again = not asked.is_stream and (asked.is_idempotent or answer.is_refused)
      local title = ("%s is sent %s after %s"):format(
        asked.name,
        is_again and "again" or "once",
        answer.name
      )
      it(title, function()
        local got = outcome_of {
          status = answer.status,
          headers = answer.headers,
          settings = settings,
          route = asked.route,
          options = asked.options,
        }
        assert.equal(is_again and 2 or 1, got.tries)
        assert.is_nil(scripted.sent[1]:find("\nconnection:", 1, true))
      end)
    end
  end

  for where, row in pairs {
    ["the sender"] = { settings = { may_repeat = true } },
    ["the call"] = { options = { request = { may_repeat = true } } },
  } do
    it("with may_repeat = true of " .. where .. " is sent again as one with a key is", function()
      local got = outcome_of {
        status = "",
        route = "POST /x",
        settings = row.settings,
        options = row.options,
      }
      assert.equal(2, got.tries)
    end)
  end

  it("of a stream is sent once even with may_repeat = true", function()
    local options = { data = stream, request = { may_repeat = true } }
    assert.equal(1, outcome_of({ status = "", route = "PUT /x", options = options }).tries)
  end)

  for _, row in ipairs {
    { what = "once after no answer", status = "", tries = 1 },
    { what = "once after 502", status = 502, tries = 1 },
    { what = "again after 429, which refuses it", status = 429, tries = 2 },
  } do
    it("with may_repeat = false is sent " .. row.what, function()
      local got = outcome_of { status = row.status, settings = { may_repeat = false } }
      assert.equal(row.tries, got.tries)
    end)
  end

  for _, row in ipairs {
    { route = "POST /x", tries = 2, what = "is not sent a third time" },
    { route = "PUT /x", tries = 3, what = "is sent a third time, as it may arrive twice" },
  } do
    it(("%s that was refused and then lost %s"):format(row.route, row.what), function()
      scripted.reset()
      scripted.asked(function(_, number)
        return number == 1 and response("", LATER, 429) or ""
      end, sender {}, row.route)
      assert.equal(row.tries, #scripted.sent)
    end)
  end

  for _, row in ipairs {
    {
      what = "is not sent again if the first of two was not refused",
      second = "GET /y",
      first_status = 200,
      tries = 1,
    },
    {
      what = "is sent again if all that it sent was refused",
      second = "POST /x",
      first_status = 429,
      tries = 2,
    },
  } do
    it("of a hook " .. row.what, function()
      local count = 0
      local function around(_, ask)
        count = count + 1
        ask(scripted.api "POST /x")
        return ask(scripted.api(row.second))
      end
      local function answer(text)
        local status = text:find "^POST /v1/x " and row.first_status or 429
        return response("", LATER, status)
      end
      scripted.reset()
      scripted.asked(answer, sender { tries = 2, around = around }, "POST /x")
      assert.equal(row.tries, count)
    end)
  end
end)

-- --- limits and the log ---------------------------------------------------------------

describe("the setting try_timeout", function()
  local HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n"

  it("ends a try whose answer does not begin, and names itself", function()
    local send = sender { timeout = 7200, try_timeout = 5, tries = 2 }
    local said = scripted.asked(function()
      return { 9, HEAD, "abc" }
    end, send)
    assert.equal("GET /x: try_timeout: no response began within 5 s", said)
    scripted.reset()
    said = scripted.asked(function(_, number)
      return number == 1 and { 9, HEAD, "abc" } or { 4, HEAD, 30, "abc" }
    end, send)
    assert.equal("abc", said)
    assert.equal(2, #scripted.sent)
  end)

  it("does not end an answer that has begun", function()
    local send = sender { timeout = 7200, try_timeout = 5 }
    scripted.reset()
    assert.equal("abc", scripted.asked({ 4, "H", 100, HEAD:sub(2), 100, "abc" }, send))
  end)

  it("leaves the limits of the call and of the connection to the sooner", function()
    scripted.reset()
    local said = scripted.asked({ 9 }, sender { timeout = 3, try_timeout = 5 })
    assert.equal("GET /x: timeout: no complete response within 3 s", said)
    said = scripted.asked({ 1, HEAD, 9 }, sender { idle_timeout = 2, try_timeout = 5, tries = 1 })
    assert.equal("GET /x: idle_timeout: nothing more came for 2 s", said)
  end)

  it("is never sent twice for what may not arrive twice", function()
    scripted.reset()
    scripted.asked({ 9 }, sender { try_timeout = 5 }, "POST /x")
    assert.equal(1, #scripted.sent)
  end)
end)

describe("the setting now", function()
  it("is the clock of all limits, whatever the time of day is", function()
    scripted.reset()
    local clock = 100
    local send = sender {
      timeout = 5,
      now = function()
        clock = clock + 6
        return clock
      end,
    }
    local said = scripted.asked(scripted.response "abc", send)
    assert.equal("GET /x: timeout: no complete response within 5 s", said)
  end)

  for _, row in ipairs {
    { kind = "string", value = "12" },
    { kind = "boolean", value = false },
    { kind = "nil", value = nil },
  } do
    it("must return a number; the error has the line of the call: " .. row.kind, function()
      scripted.reset()
      local send = sender {
        now = function()
          return row.value
        end,
      }
      local line
      local ok, said = pcall(function()
        line = debug.getinfo(1, "l").currentline + 1
        return send "GET /x", 1
      end)
      assert.is_false(ok)
      local expected =
        "tries_spec.lua:%d: endpoint.request: now: expected seconds, a number, got a %s"
      assert.equal(expected:format(line, row.kind), said:match "[^/]*$")
    end)
  end
end)

describe("the log", function()
  it("tells of each pause, with its reason and seconds", function()
    local entries = {}
    scripted.reset()
    scripted.asked(
      function(_, number)
        return ({ response("", "retry-after: 2.5\n", 429), "", response "here" })[number]
      end,
      sender {
        log = function(entry)
          entries[#entries + 1] = entry
        end,
      },
      "GET /x{?key}",
      { key = "S3CRET" }
    )
    assert.equal(5, #entries)
    local first, second = entries[2], entries[4]
    assert.equal("GET /x pauses 2.500 s after try 1: the server answers 429", tostring(first))
    assert.same(
      { "GET", "/x", 1, 2.5, "the server answers 429", nil },
      { first.method, first.template, first.try, first.seconds, first.reason, first.status }
    )
    assert.equal("the server closed the connection without a response", second.reason)
    assert.is_true(is_ordinary(second.seconds, 2))
  end)
end)

-- --- answers that are cut off ---------------------------------------------------------

describe("an answer that is cut off", function()
  local CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
  for where, text in pairs {
    ["in its first line"] = "HTTP/1.1 2",
    ["after its first line"] = "HTTP/1.1 200 OK\r\n",
    ["within its head"] = "HTTP/1.1 200 OK\r\nx-a: 1\r\n",
    ["before its first chunk"] = CHUNKED,
    ["after a chunk"] = CHUNKED .. "3\r\nabc",
    ["at a chunk's border"] = CHUNKED .. "3\r\nabc\r\n",
    ["before the end of its trailers"] = CHUNKED .. "0\r\nx-a: 1\r\n",
    ["within its body"] = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na",
  } do
    for _, ended in ipairs { "closed", "ended" } do
      it(("%s is said to be: %s"):format(where, ended), function()
        scripted.reset()
        scripted.ended = ended
        local said = scripted.asked(text, sender { tries = 1 })
        assert.equal("GET /x: the response is cut off: closed", said)
      end)
    end
  end

  it("and had not begun is said not to be there", function()
    scripted.reset()
    local said = scripted.asked("", sender { tries = 1 })
    assert.equal("GET /x: the server closed the connection without a response", said)
  end)
end)
