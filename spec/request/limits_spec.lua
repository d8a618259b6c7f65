-- The time that a call may take: which limit ends it, and what is said.
local endpoint = require "endpoint"
local scripted = require "request.scripted"
local support = require "support"

local lines, response, sender = scripted.lines, scripted.response, scripted.sender

local HEAD = lines "HTTP/1.1 200 OK\ncontent-length: 9\n\n"

-- Returns its piece of an answer, at which the clock is later by 5 seconds.
local function late_piece()
  scripted.clock = scripted.clock + 5
  return "x"
end

-- title: what must hold.
-- settings: of the sender. answer: pieces; a number is so many seconds of silence.
-- body: what the call returns; or problem: what it raises, without "GET /x: ".
local CALLS = {
  {
    title = "timeout ends a call that has no answer",
    settings = { timeout = 5 },
    answer = { 9 },
    problem = "timeout: no complete response within 5 s",
  },
  {
    title = "timeout ends a call before a longer idle_timeout does",
    settings = { timeout = 5, idle_timeout = 7 },
    answer = { "H", 9 },
    problem = "timeout: no complete response within 5 s",
  },
  {
    title = "timeout counts from the call's start, not from the last piece",
    settings = { timeout = 8, idle_timeout = 7 },
    answer = { "H", 5, "T", 9 },
    problem = "timeout: no complete response within 8 s",
  },
  {
    title = "idle_timeout counts from the last piece, and only once the answer has begun",
    settings = { timeout = 50, idle_timeout = 7, tries = 1 },
    answer = { 8, HEAD, 6, "abc", 6, "def", 8 },
    problem = "idle_timeout: nothing more came for 7 s",
  },
  {
    title = "idle_timeout may be a fraction of a second",
    settings = { timeout = 50, idle_timeout = 0.25, tries = 1 },
    answer = { "H", 0.5 },
    problem = "idle_timeout: nothing more came for 0.25 s",
  },
  {
    title = "idle_timeout lets an answer end whose pieces come in time",
    settings = { timeout = 50, idle_timeout = 7 },
    answer = { 8, HEAD, 6, "abcdef", 6, "ghi" },
    body = "abcdefghi",
  },
  {
    title = "limits of math.huge wait for any time",
    settings = { timeout = math.huge, idle_timeout = math.huge },
    answer = { 1e8, HEAD, "abcdefghi" },
    body = "abcdefghi",
  },
  {
    title = "timeout ends a call at the very second within its head",
    settings = { timeout = 0.25 },
    answer = { 0.125, "HTTP/1.1 200 OK\r\nx: ", 0.125, "y" },
    problem = "timeout: no complete response within 0.25 s",
  },
  {
    title = "timeout ends a call at the very second within the size of a chunk",
    settings = { timeout = 0.25 },
    answer = {
      lines "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n",
      0.125,
      "0;",
      0.125,
      "y",
    },
    problem = "timeout: no complete response within 0.25 s",
  },
  {
    title = "timeout ends a call whose pieces come without a pause",
    settings = { timeout = 5 },
    answer = { "HTTP/1.1 200 OK\r\n", late_piece, "y" },
    problem = "timeout: no complete response within 5 s",
  },
}

describe("the limit", function()
  before_each(scripted.reset)

  for _, row in ipairs(CALLS) do
    it(row.title, function()
      local function answer()
        return { support.unpack(row.answer) }
      end
      local said = scripted.asked(answer, sender(row.settings))
      assert.equal(row.body or "GET /x: " .. row.problem, said)
    end)
  end

  it("timeout ends a call whose stream does not end", function()
    local function stream()
      scripted.clock = scripted.clock + 1
      return "x"
    end
    local said = scripted.asked(response "", sender {}, "PUT /x", { data = stream })
    assert.equal("PUT /x: timeout: no complete response within 60 s", said)
  end)

  it("timeout is named although the request has more values than are masked", function()
    local many = {}
    for number = 1, 60000 do
      many[number] = number
    end
    local function around(_, ask)
      return ask()
    end
    local hooked = sender { timeout = 5, around = around }
    local said = scripted.asked({ 9 }, hooked, "PUT /x", { data = many })
    assert.equal("PUT /x: timeout: no complete response within 5 s", said)
  end)

  for _, row in ipairs {
    { title = "is given to TLS anew through a proxy", seconds = 8, milliseconds = 8000 },
    {
      title = "is given to TLS as the most milliseconds that C's int holds",
      seconds = 1e7,
      milliseconds = math.floor(2 ^ 31 - 1),
    },
  } do
    it("connect_timeout " .. row.title, function()
      local settings =
        { tries = 1, proxy = "http://p", timeout = 1e8, connect_timeout = row.seconds }
      local secure = sender(settings, endpoint.defaults { baseUrl = "https://h" })
      scripted.asked(function(text)
        return text:find "^CONNECT h:443 " and { 5, lines "HTTP/1.1 200 OK\n\n" } or response ""
      end, secure)
      assert.same({ row.seconds, row.milliseconds }, scripted.left_for_tls)
    end)
  end
end)
