-- request.events and request.lines in functions of the program's own: each call has a state of its
-- own, whatever is around the sink. And the types of responses that they take.
local endpoint = require "endpoint"
local request = require "endpoint.request"
local scripted = require "request.scripted"

-- A program's functions around a sink, which count or log. Some pass on all that they get, and some
-- only a part.
local WRAPPERS = {
  ["nothing"] = function(sink)
    return sink
  end,
  ["a function"] = function(sink)
    return function(piece, response)
      return sink(piece, response)
    end
  end,
  ["a function of any arguments"] = function(sink)
    return function(...)
      return sink(...)
    end
  end,
  ["a function that gives the piece alone"] = function(sink)
    return function(piece)
      return sink(piece)
    end
  end,
  ["two functions"] = function(sink)
    local function inner(piece, response)
      return sink(piece, response)
    end
    return function(piece, response)
      local ok, problem = inner(piece, response)
      return ok, problem
    end
  end,
}

local function head(length, kind)
  local form = "HTTP/1.1 200 OK\ncontent-type: %s\ncontent-length: %d\n\n"
  return scripted.lines(form:format(kind, length))
end

-- By its name: the texts of two responses, the first of them in two pieces, and what they hold.
local KINDS = {
  events = {
    kind = "text/event-stream",
    first = { "data: fir", "st\n\n" },
    second = "data: second\n\n",
    value = function(event)
      return event.data
    end,
  },
  lines = {
    kind = "application/x-ndjson",
    first = { '"fir', 'st"\n"last"' },
    second = '"second"',
    value = function(value)
      return value
    end,
    last = "last",
  },
}

describe("a sink with a state", function()
  before_each(scripted.reset)

  for name, kind in pairs(KINDS) do
    for title, wrapped in pairs(WRAPPERS) do
      it(("keeps two calls at once apart: request.%s in %s"):format(name, title), function()
        local got, send = {}, scripted.sender {}
        local sink = wrapped(request[name](function(value)
          got[#got + 1] = kind.value(value)
        end))
        local options = { request = { sink = sink } }
        -- The second call is made between the pieces of the first.
        function scripted.answers(text)
          if text:find("/second", 1, true) then
            return { head(#kind.second, kind.kind) .. kind.second }
          end
          local before, after = kind.first[1], kind.first[2]
          return {
            head(#before + #after, kind.kind) .. before,
            function()
              send("GET /second", options)
              return after
            end,
          }
        end
        send("GET /first", options)
        assert.same({ "second", "first", kind.last }, got)
        send("GET /second", options)
        assert.equal("second", got[#got])
      end)

      it(("has the settings of its call: request.%s in %s"):format(name, title), function()
        local sink = wrapped(request[name](function() end))
        scripted.answers = { head(#kind.second, kind.kind) .. kind.second }
        local said = scripted.outcome(scripted.sender {}, "GET /x", {
          request = { sink = sink, max_size = 3 },
        })
        assert.truthy(said:find "of the response is too long$", said)
      end)

      it(
        ("begins anew after a response that was cut off: request.%s in %s"):format(name, title),
        function()
          local got = {}
          local sink = wrapped(request[name](function(value)
            got[#got + 1] = kind.value(value)
          end))
          local options = { request = { sink = sink, tries = 1 } }
          scripted.answers =
            { head(99, kind.kind) .. kind.first[1], head(#kind.second, kind.kind) .. kind.second }
          local send = scripted.sender {}
          assert.is_false((pcall(send, "GET /x", options)))
          send("GET /x", options)
          assert.same({ "second" }, got)
        end
      )
    end
  end

  it("keeps calls of several coroutines apart, whose functions are left in the middle", function()
    local got = {}
    local function client(r)
      return 200, {}, r.url:find "/a$" and "data: 1\n\ndata: 2\n\n" or "data: 3\n\ndata: 4\n\n"
    end
    local send = request.new(endpoint, { client = client })
    local sink = request.events(function(event)
      got[#got + 1] = event.data
      coroutine.yield()
    end)
    local function wrapped(piece, response)
      return sink(piece, response)
    end
    local threads = {}
    for i, route in ipairs { "GET /a", "GET /b" } do
      threads[i] = coroutine.create(function()
        send(route, { request = { sink = wrapped } })
      end)
    end
    local can_yield = coroutine.wrap(function()
      return pcall(coroutine.yield, true)
    end)() == true
    if not can_yield then
      pending "this Lua cannot yield within pcall"
    end
    for _ = 1, 3 do
      for _, thread in ipairs(threads) do
        assert(coroutine.resume(thread))
      end
    end
    assert.same({ "1", "3", "2", "4" }, got)
  end)

  it("in the function of another has a state for each", function()
    local got = {}
    local inner = request.lines(function(value)
      got[#got + 1] = value
    end)
    local outer = request.events(function(event)
      return inner(event.data .. "\n")
    end)
    local text = 'data: "a"\n\ndata: "b"\n\n'
    scripted.answers = { head(#text, "text/event-stream") .. text }
    scripted.sender {}("GET /x", { request = { sink = outer } })
    assert.same({ "a", "b" }, got)
  end)
end)

-- --- types ------------------------------------------------------------------------

local HTML = "<p>Log in\27</p>"

local TYPES = {
  { "events", "text/event-stream", "" },
  { "events", "Text/Event-Stream;charset=UTF-8", "" },
  { "events", nil, "" },
  {
    "events",
    "application/json; charset=utf-8",
    '{"id": 1}',
    'the response is application/json, not text/event-stream: {"id": 1}',
  },
  {
    "events",
    "text/html",
    HTML,
    "the response is text/html, not text/event-stream: <p>Log in\\x1b</p>",
  },
  { "events", "text/html", "", "the response is text/html, not text/event-stream" },
  { "lines", "application/x-ndjson", "1\n" },
  { "lines", "application/json", "1\n" },
  { "lines", "text/plain", "1\n" },
  { "lines", nil, "1\n" },
  {
    "lines",
    "text/html; charset=utf-8",
    HTML,
    "the response is text/html, not lines of JSON: <p>Log in\\x1b</p>",
  },
  {
    "lines",
    "application/xhtml+xml",
    "",
    "the response is application/xhtml+xml, not lines of JSON",
  },
}

describe("a response of the type", function()
  before_each(scripted.reset)

  for _, row in ipairs(TYPES) do
    local name, kind, text, problem = row[1], row[2], row[3], row[4]
    for title, wrapped in pairs(WRAPPERS) do
      local fate = problem and "raises" or "is read"
      local of = ("%s, of %d bytes, %s by request.%s in %s"):format(
        kind or "none",
        #text,
        fate,
        name,
        title
      )
      it(of, function()
        local sink = wrapped(request[name](function() end))
        local fields = kind and "content-type: " .. kind .. "\n" or ""
        scripted.answers = { scripted.response(text, fields) }
        local ok, raised = pcall(scripted.sender {}, "GET /x", { request = { sink = sink } })
        assert.equal(problem == nil, ok)
        assert.equal(problem and "GET /x: " .. problem, not ok and raised.message or nil)
        assert.equal(1, #scripted.sent)
      end)
    end
  end

  it("text/html, of an error, is an error of its status", function()
    scripted.answers = { scripted.response(HTML, "content-type: text/html\n", 404) }
    local sink = request.events(function() end)
    local said = scripted.outcome(scripted.sender {}, "GET /x", { request = { sink = sink } })
    assert.equal("GET /x: the server answers 404", said)
  end)
end)

describe("a call with request.events asks", function()
  before_each(scripted.reset)

  local sink = request.events(function() end)

  local function accept_of(send, options)
    scripted.answers = { scripted.response("", "content-type: text/event-stream\n") }
    send("GET /x", options)
    return scripted.sent[1]:match "\naccept: ([^\r]*)"
  end

  it("for text/event-stream", function()
    local options = { request = { sink = sink } }
    assert.equal("text/event-stream", accept_of(scripted.sender {}, options))
  end)

  it("for text/event-stream where the sink is the sender's", function()
    assert.equal("text/event-stream", accept_of(scripted.sender { sink = sink }))
  end)

  it("for what the call says", function()
    local options = { request = { sink = sink }, headers = { accept = "a/b" } }
    assert.equal("a/b", accept_of(scripted.sender {}, options))
  end)

  it("for what the endpoint says", function()
    local api = endpoint.defaults { baseUrl = scripted.BASE, headers = { accept = "a/b" } }
    assert.equal("a/b", accept_of(scripted.sender({}, api), { request = { sink = sink } }))
  end)

  it("for nothing where the call takes the header back", function()
    local options = { request = { sink = sink }, headers = { accept = endpoint.null } }
    assert.is_nil((accept_of(scripted.sender {}, options)))
  end)
end)
