-- request.events and request.lines: what they make of a stream, wherever its pieces end. The rows
-- say what section 9.2.6 of WHATWG's HTML says; each kind that the web platform's tests of event
-- streams have is among them. chat_wire_spec.lua reads streams of a real server.
local endpoint = require "endpoint"
local request = require "endpoint.request"

-- Ways to cut a text: whole, byte by byte, with empty pieces between, and in two at each place.
local function cuts_of(text)
  local bytes, empty = {}, { "" }
  for i = 1, #text do
    bytes[i] = text:sub(i, i)
    empty[2 * i], empty[2 * i + 1] = text:sub(i, i), ""
  end
  local cuts = { { text }, bytes, empty }
  for at = 1, #text - 1 do
    cuts[#cuts + 1] = { text:sub(1, at), text:sub(at + 1) }
  end
  return cuts
end

-- Gives the pieces to the sink that `make` makes, and then the end. Returns what its function got.
local function given(make, pieces)
  local got = {}
  local sink = make(function(value)
    got[#got + 1] = value
  end)
  for _, piece in ipairs(pieces) do
    assert.is_true(sink(piece, {}))
  end
  assert.is_true(sink(nil))
  return got
end

local function assert_given(make, text, expected)
  for _, pieces in ipairs(cuts_of(text)) do
    local ok, problem = pcall(assert.same, expected, given(make, pieces))
    if not ok then
      error(table.concat(pieces, "|") .. "\n" .. tostring(problem), 0)
    end
  end
end

local MARK = "\239\187\191"

-- What holds, a stream, and its events.
local EVENTS = {
  { "joins lines of data", "data: a\ndata:b\n\n", { { data = "a\nb" } } },
  {
    "takes LF, CR and CRLF for the end of a line",
    "data:a\r\rdata:b\r\n\r\ndata:c\n\ndata:d\n\r\n",
    { { data = "a" }, { data = "b" }, { data = "c" }, { data = "d" } },
  },
  { "takes LF and CR for two ends", "data:a\n\rdata:b\n\n", { { data = "a" }, { data = "b" } } },
  { "skips one byte order mark", MARK .. "data:a\n\n", { { data = "a" } } },
  { "skips no second one", MARK .. MARK .. "data:a\n\ndata:b\n\n", { { data = "b" } } },
  {
    "skips none within the stream",
    "data:a\n\n" .. MARK .. "data:b\n\ndata:c\n\n",
    { { data = "a" }, { data = "c" } },
  },
  { "takes a part of a mark for a name", "\239\187data:a\n\ndata:b\n\n", { { data = "b" } } },
  { "ignores comments", ":\n:a\ndata:a\n: data:b\n::\ndata:c\n\n:d\n\n", { { data = "a\nc" } } },
  {
    "removes one space before a value, and no other",
    "data:  a \ndata:\tb\n\n",
    { { data = " a \n\tb" } },
  },
  {
    "gives data that is empty",
    "data\n\ndata:\n\ndata: \n\ndata\ndata\n\n",
    { { data = "" }, { data = "" }, { data = "" }, { data = "\n" } },
  },
  { "keeps a colon in a value", "data::a:\n\n", { { data = ":a:" } } },
  {
    "compares the names of fields byte by byte",
    "DATA:a\n data:b\ndata :c\ndatas:d\ndat:e\n\0data:f\ndata:g\n\n",
    { { data = "g" } },
  },
  { "keeps NUL and other bytes of data", "data:a\0b\255\n\n", { { data = "a\0b\255" } } },
  {
    "names an event",
    "event:a\ndata:b\n\ndata:c\n\n",
    { { event = "a", data = "b" }, { data = "c" } },
  },
  { "takes the last name", "event:a\ndata:c\nevent: b \n\n", { { event = "b ", data = "c" } } },
  {
    "takes an empty name for none",
    "event:a\nevent\ndata:b\n\nevent:\ndata:c\n\n",
    { { data = "b" }, { data = "c" } },
  },
  {
    "gives no event without data, and forgets its name",
    "event:a\n\ndata:b\n\n\n\n",
    { { data = "b" } },
  },
  {
    "keeps the last id",
    "data:a\n\nid: 1\ndata:b\n\ndata:c\n\nid\ndata:d\n\n",
    { { data = "a" }, { data = "b", id = "1" }, { data = "c", id = "1" }, { data = "d", id = "" } },
  },
  { "keeps the id of an event without data", "id:1\n\ndata:a\n\n", { { data = "a", id = "1" } } },
  { "ignores an id with NUL", "id:1\nid:2\0\ndata:a\n\n", { { data = "a", id = "1" } } },
  { "reads digits alone as retry", "retry:3000\ndata:a\n\n", { { data = "a", retry = 3000 } } },
  { "keeps the last retry", "retry: 07\n\ndata:a\n\n", { { data = "a", retry = 7 } } },
  {
    "ignores another retry",
    "retry:1000x\nretry:-1\nretry:1.5\nretry:\nretry\nretry:0x1\nretry: 1 \nretry:1e3\ndata:a\n\n",
    { { data = "a" } },
  },
  { "drops what the end cuts off", "data:a\n\ndata:b\n", { { data = "a" } } },
  { "drops a line that the end cuts off", "data:a\n\ndata:b", { { data = "a" } } },
  { "ends an event at a CR", "data:a\r\n\r", { { data = "a" } } },
  { "reads nothing in an empty stream", "", {} },
}

-- The same for lines. A value of `null` stands for JSON's null.
local LINES = {
  { "gives each line", '{"a":1}\n[2]\n"x"\n', { { a = 1 }, { 2 }, "x" } },
  { "needs no end of the last line", "1\n2", { 1, 2 } },
  { "takes CRLF, and keeps no CR", '"a"\r\n"b"\r\n', { "a", "b" } },
  { "skips lines that are empty", "\n\n1\n \t\r\n2\n\n", { 1, 2 } },
  { "gives false and null", "false\nnull\n", { false, endpoint.null } },
  { "skips a byte order mark", MARK .. "1\n2\n", { 1, 2 } },
  { "reads nothing in an empty stream", "", {} },
}

local has_json = pcall(require, "cjson")

describe("request.events", function()
  for _, row in ipairs(EVENTS) do
    it(row[1], function()
      assert_given(request.events, row[2], row[3])
    end)
  end

  it("gives an event as soon as its line has ended, with the CR, too", function()
    local got = {}
    local sink = request.events(function(event)
      got[#got + 1] = event.data
    end)
    for _, row in ipairs {
      { piece = "data:a\n", events = 0 },
      { piece = "\n", events = 1 },
      { piece = "data:b\r", events = 1 },
      { piece = "\n\r", events = 2 },
    } do
      sink(row.piece, {})
      assert.equal(row.events, #got, ("after %q"):format(row.piece))
    end
  end)

  it("counts a retry that no number holds as never", function()
    local got = given(request.events, { "retry:" .. ("9"):rep(400) .. "\ndata:a\n\n" })
    assert.equal(2 ^ 53, got[1].retry)
  end)
end)

describe("request.lines", function()
  for _, row in ipairs(LINES) do
    it(row[1], function()
      if not has_json then
        pending "lua-cjson is not here"
      end
      assert_given(request.lines, row[2], row[3])
    end)
  end
end)

-- --- in a call --------------------------------------------------------------------

-- A sender that is answered with a text.
local function sender(text, settings, status)
  settings = settings or {}
  function settings.client()
    local kind = status and "application/json" or "text/event-stream"
    return status or 200, { ["content-type"] = kind }, text
  end
  return request.new(endpoint, settings)
end

-- What a call raises, without its position.
local function problem_of(send, sink)
  local ok, raised = pcall(send, "POST /x", { request = { sink = sink } })
  assert.falsy(ok)
  return (tostring(raised):gsub("^%S*events_spec%.lua:%d+: ", "", 1))
end

local function nothing() end

describe("a call with request.events or request.lines", function()
  it("returns the response, without a body", function()
    local got = {}
    local body, response = sender("data:a\n\ndata:b\n\n")("POST /x", {
      request = {
        sink = request.events(function(event)
          got[#got + 1] = event.data
        end),
      },
    })
    assert.same({ 200, "" }, { response.status, response.text })
    assert.is_nil(body)
    assert.same({ "a", "b" }, got)
  end)

  for _, name in ipairs { "events", "lines" } do
    it(("ends where the function returns nil and a message: request.%s"):format(name), function()
      local count = 0
      local sink = request[name](function()
        count = count + 1
        return nil, "enough"
      end)
      local send = sender("data:a\n\ndata:b\n\n", {
        decode = function(text)
          return text
        end,
      })
      assert.equal("POST /x: enough", problem_of(send, sink))
      assert.equal(1, count)
    end)
  end

  for _, result in ipairs { false, true, "x", 0 } do
    it("goes on where the function returns " .. tostring(result), function()
      local count = 0
      local sink = request.events(function()
        count = count + 1
        return result
      end)
      sender "data:a\n\ndata:b\n\n"("POST /x", { request = { sink = sink } })
      assert.equal(2, count)
    end)
  end

  it("lets an error of the function through", function()
    local sink = request.events(function()
      error({ "mine" }, 0)
    end)
    local ok, raised = pcall(sender "data:a\n\n", "POST /x", { request = { sink = sink } })
    assert.same({ false, { "mine" } }, { ok, raised })
  end)

  it("ends where the last line, which no line end follows, is refused", function()
    local decoder = {
      decode = function(text)
        return text
      end,
    }
    local sink = request.lines(function(line)
      if line == "b" then
        return nil, "enough"
      end
    end)
    assert.equal("POST /x: enough", problem_of(sender("a\nb", decoder), sink))
  end)

  it("decodes lines by the sender's decode", function()
    local function decode(text)
      if text == "bad" then
        return nil, "bad"
      end
      return { text }
    end
    local got = {}
    local sink = request.lines(function(value)
      got[#got + 1] = value[1]
    end)
    sender("a\nb\n", { decode = decode })("POST /x", { request = { sink = sink } })
    assert.same({ "a", "b" }, got)
    local refused = problem_of(sender("a\nbad\nb\n", { decode = decode }), sink)
    assert.equal("POST /x: a line of the answer is not JSON", refused)
    assert.same({ "a", "b", "a" }, got)
  end)

  -- A text that is too long by one byte where `max_size` is 8.
  for name, texts in pairs {
    events = { "data:aaaaaaaa", "data:aaa\ndata:aaa\ndata\n", ":12345678\n", "data:12345678\n\n" },
    lines = { "123456789", "123456789\n", "1\n123456789" },
  } do
    for _, text in ipairs(texts) do
      it(("raises where one of the %s is longer than max_size: %q"):format(name, text), function()
        local send = sender(text, {
          max_size = 8,
          decode = function(line)
            return line
          end,
        })
        local said = problem_of(send, request[name](nothing))
        assert.truthy(said:find "^POST /x: an? %a+ of the answer is too long$", said)
      end)
    end
  end

  it("reads a stream that is longer than max_size", function()
    local count = 0
    local sink = request.events(function()
      count = count + 1
    end)
    local send = sender(("data:a\n\n:ping\n\n"):rep(1000), { max_size = 8 })
    send("POST /x", { request = { sink = sink } })
    assert.equal(1000, count)
  end)

  it("gives nothing of an error, whose reason is told", function()
    local send = sender('{"message":"no credit"}', {}, 402)
    local said = problem_of(send, request.events(error))
    assert.equal("POST /x: the server answers 402: no credit", said)
  end)

  it("begins again with each call", function()
    local got = {}
    local sink = request.events(function(event)
      got[#got + 1] = (event.id or "") .. event.data
    end)
    local send = sender("data:a\n\nid:1\ndata:b\n\ndata:cut", { sink = sink })
    send "POST /x"
    send "POST /x"
    assert.same({ "a", "1b", "a", "1b" }, got)
  end)

  it("keeps apart two calls of one sender", function()
    local got, send = {}, nil
    local sink = request.events(function(event)
      got[#got + 1] = (event.id or "") .. event.data
      if event.data == "a" and #got == 1 then
        send "POST /x"
      end
    end)
    send = sender("data:a\n\nid:1\ndata:b\n\n", { sink = sink })
    send "POST /x"
    assert.same({ "a", "a", "1b", "1b" }, got)
  end)

  it("is wrapped by a sink of the program's", function()
    local got, size = {}, 0
    local events = request.events(function(event)
      got[#got + 1] = event.data
    end)
    local function sink(piece, ...)
      size = size + #(piece or "")
      return events(piece, ...)
    end
    sender "data:a\n\n"("POST /x", { request = { sink = sink } })
    assert.same({ { "a" }, 8 }, { got, size })
  end)

  for _, name in ipairs { "events", "lines" } do
    it("takes a function alone: " .. name, function()
      local ok, raised = pcall(request[name], 5)
      assert.falsy(ok)
      assert.truthy(raised:find(name .. ": expected a function, got a number", 1, true), raised)
      assert.truthy(raised:find "^%S*events_spec%.lua:%d+: endpoint%.request: ", raised)
      assert.equal("function", type(request[name](nothing)))
      assert.equal("function", type(request[name](request, nothing)))
    end)
  end
end)
