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

-- Streams, and their events.
local EVENTS = {
  { what = "joins lines of data", stream = "data: a\ndata:b\n\n", events = { { data = "a\nb" } } },
  {
    what = "takes LF, CR and CRLF for the end of a line",
    stream = "data:a\r\rdata:b\r\n\r\ndata:c\n\ndata:d\n\r\n",
    events = { { data = "a" }, { data = "b" }, { data = "c" }, { data = "d" } },
  },
  {
    what = "takes LF and CR for two ends",
    stream = "data:a\n\rdata:b\n\n",
    events = { { data = "a" }, { data = "b" } },
  },
  {
    what = "skips one byte order mark",
    stream = MARK .. "data:a\n\n",
    events = { { data = "a" } },
  },
  {
    what = "does not skip a second byte order mark",
    stream = MARK .. MARK .. "data:a\n\ndata:b\n\n",
    events = { { data = "b" } },
  },
  {
    what = "does not skip a byte order mark within the stream",
    stream = "data:a\n\n" .. MARK .. "data:b\n\ndata:c\n\n",
    events = { { data = "a" }, { data = "c" } },
  },
  {
    what = "takes a part of a mark for a name",
    stream = "\239\187data:a\n\ndata:b\n\n",
    events = { { data = "b" } },
  },
  {
    what = "ignores comments",
    stream = ":\n:a\ndata:a\n: data:b\n::\ndata:c\n\n:d\n\n",
    events = { { data = "a\nc" } },
  },
  {
    what = "removes one space before a value, and no other",
    stream = "data:  a \ndata:\tb\n\n",
    events = { { data = " a \n\tb" } },
  },
  {
    what = "gives data that is empty",
    stream = "data\n\ndata:\n\ndata: \n\ndata\ndata\n\n",
    events = { { data = "" }, { data = "" }, { data = "" }, { data = "\n" } },
  },
  { what = "keeps a colon in a value", stream = "data::a:\n\n", events = { { data = ":a:" } } },
  {
    what = "compares the names of fields byte by byte",
    stream = "DATA:a\n data:b\ndata :c\ndatas:d\ndat:e\n\0data:f\ndata:g\n\n",
    events = { { data = "g" } },
  },
  {
    what = "keeps NUL and other bytes of data",
    stream = "data:a\0b\255\n\n",
    events = { { data = "a\0b\255" } },
  },
  {
    what = "names an event",
    stream = "event:a\ndata:b\n\ndata:c\n\n",
    events = { { event = "a", data = "b" }, { data = "c" } },
  },
  {
    what = "takes the last name",
    stream = "event:a\ndata:c\nevent: b \n\n",
    events = { { event = "b ", data = "c" } },
  },
  {
    what = "drops the name of an event where it is empty",
    stream = "event:a\nevent\ndata:b\n\nevent:\ndata:c\n\n",
    events = { { data = "b" }, { data = "c" } },
  },
  {
    what = "does not give an event without data, and forgets its name",
    stream = "event:a\n\ndata:b\n\n\n\n",
    events = { { data = "b" } },
  },
  {
    what = "keeps the last id",
    stream = "data:a\n\nid: 1\ndata:b\n\ndata:c\n\nid\ndata:d\n\n",
    events = {
      { data = "a" },
      { data = "b", id = "1" },
      { data = "c", id = "1" },
      { data = "d", id = "" },
    },
  },
  {
    what = "keeps the id of an event without data",
    stream = "id:1\n\ndata:a\n\n",
    events = { { data = "a", id = "1" } },
  },
  {
    what = "ignores an id with NUL",
    stream = "id:1\nid:2\0\ndata:a\n\n",
    events = { { data = "a", id = "1" } },
  },
  {
    what = "takes a retry of digits",
    stream = "retry:3000\ndata:a\n\n",
    events = { { data = "a", retry = 3000 } },
  },
  {
    what = "keeps the last retry",
    stream = "retry: 07\n\ndata:a\n\n",
    events = { { data = "a", retry = 7 } },
  },
  {
    what = "ignores another retry",
    stream = "retry:1000x\nretry:-1\nretry:1.5\nretry:\nretry\nretry:0x1\nretry: 1 \n"
      .. "retry:1e3\ndata:a\n\n",
    events = { { data = "a" } },
  },
  {
    what = "drops what the end cuts off",
    stream = "data:a\n\ndata:b\n",
    events = { { data = "a" } },
  },
  {
    what = "drops a line that the end cuts off",
    stream = "data:a\n\ndata:b",
    events = { { data = "a" } },
  },
  { what = "ends an event at a CR", stream = "data:a\r\n\r", events = { { data = "a" } } },
  { what = "reads nothing in an empty stream", stream = "", events = {} },
}

-- The same for lines. A value of `null` stands for JSON's null.
local LINES = {
  { what = "gives each line", stream = '{"a":1}\n[2]\n"x"\n', values = { { a = 1 }, { 2 }, "x" } },
  { what = "takes a last line without an end", stream = "1\n2", values = { 1, 2 } },
  {
    what = "takes CRLF for the end of a line, and drops its CR",
    stream = '"a"\r\n"b"\r\n',
    values = { "a", "b" },
  },
  { what = "skips lines that are empty", stream = "\n\n1\n \t\r\n2\n\n", values = { 1, 2 } },
  { what = "gives false and null", stream = "false\nnull\n", values = { false, endpoint.null } },
  { what = "skips a byte order mark", stream = MARK .. "1\n2\n", values = { 1, 2 } },
  { what = "reads nothing in an empty stream", stream = "", values = {} },
}

local has_json = pcall(require, "cjson")

describe("request.events", function()
  for _, row in ipairs(EVENTS) do
    it(row.what, function()
      assert_given(request.events, row.stream, row.events)
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

  it("takes a retry that is too large for a number as 2^53", function()
    local got = given(request.events, { "retry:" .. ("9"):rep(400) .. "\ndata:a\n\n" })
    assert.equal(2 ^ 53, got[1].retry)
  end)
end)

describe("request.lines", function()
  for _, row in ipairs(LINES) do
    it(row.what, function()
      if not has_json then
        pending "lua-cjson is not here"
      end
      assert_given(request.lines, row.stream, row.values)
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
    assert.equal("POST /x: a line of the response is not JSON", refused)
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
        assert.truthy(said:find "^POST /x: an? %a+ of the response is too long$", said)
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
