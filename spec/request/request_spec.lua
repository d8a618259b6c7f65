-- endpoint.request over connections that are made here, with a clock of their own, so that it runs
-- under each Lua and at once. What the clients themselves do, and what depends on them, is in
-- request_wire_spec.lua; readme_spec runs the examples of docs/request.md; and `make check-linear`
-- counts the time that hostile answers take.
local clients = require "endpoint.clients"
local endpoint = require "endpoint"
local http1 = require "endpoint.request.clients.http1"
local request = require "endpoint.request"
local support = require "support"

-- answers: what each connection answers: a text, or pieces, of which a number is so many seconds of
-- silence; or what a function returns for the text of the request and the number of the connection.
-- is_kept: the connections are kept ones. ended: what they say at the end. sent: what was written
-- to each, ends: what became of it, slept: pauses, in seconds. host: that of the last, and chosen
-- its settings. left_for_tls: the seconds and milliseconds that TLS may still take.
local answers, is_kept, ended, sent, ends, slept, clock, host, left_for_tls, chosen

local function connect(try)
  local number, connection, pieces = #sent + 1, {}, nil
  sent[number] = ""
  function connection.connect(_, name, _, is_new)
    host, chosen = name, try.settings
    return is_kept and not is_new and "kept" or "new"
  end
  function connection.secure()
    left_for_tls = { try.limits:seconds(), try.limits:milliseconds() }
    return true
  end
  function connection.send(_, piece)
    sent[number] = sent[number] .. piece
    return piece ~= "unread" or nil
  end
  function connection.receive()
    local answer = pieces
      or type(answers) == "function" and answers(sent[number], number)
      or answers[number]
      or ""
    pieces = type(answer) == "table" and answer or { answer ~= "" and answer or nil }
    local piece, left = table.remove(pieces, 1), try.limits:seconds()
    if type(piece) == "function" then
      piece = piece()
    end
    if type(piece) ~= "number" then
      return piece, piece == nil and ended or nil
    end
    clock = clock + math.min(piece, left)
    if piece >= left then
      return nil, "timeout"
    end
    return connection.receive()
  end
  function connection.has_answer()
    return false
  end
  function connection.close()
    ends[number] = ends[number] or "closed"
  end
  function connection.keep()
    ends[number] = "kept"
  end
  return connection
end

local function sleep(seconds)
  slept[#slept + 1], clock =
    seconds > 0.2 and seconds < 0.8 and "short" or ("%.0f"):format(seconds), clock + seconds
end

package.loaded["endpoint.request.clients.luasocket"] = function(settings)
  local client = http1.client(settings, connect)
  client.sleep = sleep
  function client.now()
    return clock
  end
  return client
end

local API = "http://h/v1"
local api = endpoint.defaults { baseUrl = API, headers = { authorization = "Bearer 0123" } }

local function with(settings, own)
  return request.new(own or api, settings)
end
local send = with {}

-- An answer with this body and more fields, a line each.
local function response(body, fields, status)
  local head = ("HTTP/1.1 %s X\n%scontent-length: %d\n\n"):format(
    status or 200,
    fields or "",
    #body
  )
  return (head:gsub("\n", "\r\n")) .. body
end

local JSON = "content-type: application/json\n"
local function json(body, fields, status)
  return response(body, JSON .. (fields or ""), status)
end

-- Answers with the body of the request.
local function echo(text)
  return response(text:match "\r\n\r\n(.*)$")
end

-- What f(...) returns; or what it raises, without the position of this file's line.
local function outcome(f, ...)
  local ok, value, more = pcall(f, ...)
  if ok then
    return value, more
  end
  return (tostring(value):gsub("^%S*request_spec%.lua:%d+: ", "", 1))
end

-- The same of a call, in an answer to which this is said.
local function asked(answer, own, route, options)
  answers = type(answer) == "function" and answer or function()
    return answer
  end
  return outcome(own or send, route or "GET /x", options)
end

describe("endpoint.request", function()
  before_each(function()
    answers, is_kept, ended, sent, ends, slept, clock = {}, false, "closed", {}, {}, {}, 0
  end)

  -- --- HTTP/1.1 -------------------------------------------------------------------

  local OK, CHUNKED = "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n"
  local LONG, NO_LENGTH =
    "the head of the answer is too long", "the answer's content-length is invalid"
  local NO_HTTP, CUT = "the answer is not HTTP", "the answer is cut off"
  local BAD_CHUNK = "a chunk of the answer has an invalid size"
  local LONG_CHUNK = "a chunk of the answer is longer than its size"
  local CODED = "the answer has an encoding that was not asked for: "
  local NO_ANSWER = "the server closed the connection without an answer"
  local IS_SINGLE = 2 ^ 24 + 1 == 2 ^ 24 -- a Lua whose numbers have 32 bits

  -- An answer, the body or what is wrong with it, and what becomes of the connection, if not
  -- "closed".
  local ANSWERS = {
    { OK .. "\nuntil the end", "until the end" },
    { OK .. "content-length: 3\n\nabc", "abc", "kept" },
    { OK .. "content-length: 9\n\ncut off", CUT .. ": closed" },
    { OK .. "content-length: 3\n\nabcdef", "abc" },
    { OK .. "content-length: many\n\nabc", NO_LENGTH },
    { OK .. "content-length: -5\n\nabc", NO_LENGTH },
    { OK .. "content-length: 2, 3\n\nabc", NO_LENGTH },
    { OK .. "content-length: 0x3\n\nabc", NO_LENGTH },
    { OK .. "content-length: 3\ncontent-length: 3\n\nabc", NO_LENGTH },
    { OK .. "content-length:999999999999999\n\n", CUT .. ": closed" },
    { OK .. "content-length: 0000000000000001\n\n", CUT },
    { OK .. "content-length: 1\nconnection: keep-alive, Close\n\na", "a" },
    { CHUNKED .. "3\nabc\n0\n\n", "abc", "kept" },
    { CHUNKED .. "3\nabcdef\n0\n\n", LONG_CHUNK },
    {
      CHUNKED .. "a\n0123456789\n01B\n" .. ("x"):rep(27) .. "\n0\n\n",
      "0123456789" .. ("x"):rep(27),
      "kept",
    },
    { CHUNKED .. "9\nabc", CUT .. ": closed" },
    { CHUNKED .. "xyz\nabc\n0\n\n", BAD_CHUNK },
    { CHUNKED .. "0000000000003\nabc\n0\n\n", "abc", "kept" },
    { CHUNKED .. "100000000000\nabc", IS_SINGLE and BAD_CHUNK or CUT .. ": closed" },
    { CHUNKED .. "1000000000003\nabc\n0\n\n", BAD_CHUNK },
    { CHUNKED .. "3 ;a=b\nabc\n0\n\n", "abc", "kept" },
    { CHUNKED .. "3 a\nabc\n0\n\n", BAD_CHUNK },
    { CHUNKED .. "3;\r3\n\nabc\n0\n\n", NO_HTTP },
    { OK .. "content-length: 9\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n", "abc" },
    { "HTTP/1.0 200 OK\ntransfer-encoding: chunked\n\n3\nabc\n0\n\n", "abc" },
    { "HTTP/1.0 200 OK\ncontent-length: 1\n\na", "a" },
    { OK .. "transfer-encoding: gzip\n\nabc", CODED .. "gzip" },
    { OK .. "transfer-encoding: gzip, Chunked\n\nabc", CODED .. "gzip, chunked" },
    { OK .. "content-encoding: X\n\nabc", CODED .. "x" },
    { OK .. "content-encoding: Identity\n\nabc", "abc" },
    {
      "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nlink: <x>\n\n"
        .. OK
        .. "content-length: 1\n\na",
      "a",
      "kept",
    },
    { "HTTP/1.1 204 No Content\n\n", nil, "kept" },
    { "HTTP/1.1 204 No Content\n\nbody", nil },
    { "HTTP/1.1 204 No Content\ncontent-length: 4\n\n", nil },
    { "HTTP/1.1 304 Not Modified\ncontent-length: 4\n\n", nil, "kept" },
    { OK .. ("x-header: 1\n"):rep(10000) .. "content-length: 0\n\n", LONG },
    { OK .. ("x"):rep(100000), LONG },
    { OK .. "content-length: 1\nx: " .. ("x"):rep(65493) .. "\n\na", "a", "kept" },
    { OK .. "content-length: 1\nx: " .. ("x"):rep(65494) .. "\n\na", LONG },
    {
      "HTTP/1.1 103 Early Hints\n"
        .. ("x-header: 1\n"):rep(1700)
        .. "\n"
        .. OK
        .. ("x-header: 1\n"):rep(1700)
        .. "transfer-encoding: chunked\n\n1\na\n0\n"
        .. ("x-header: 1\n"):rep(1700)
        .. "\n",
      LONG,
    },
    { ("HTTP/1.1 100 Continue\n\n"):rep(3000), LONG },
    { CHUNKED .. ("0"):rep(70000), LONG },
    { CHUNKED .. "3\nabc" .. ("x"):rep(70000), LONG },
    { OK .. "x: a\rb: c\n\nabc", NO_HTTP },
    { OK .. "x: a\0b\n\nabc", NO_HTTP },
    { OK .. "x: a\n b: c\ncontent-length: 3\n\nabc", NO_HTTP },
    { OK .. "x y: a\ncontent-length: 3\n\nabc", NO_HTTP },
    { OK .. ": a\n\nabc", NO_HTTP },
    { OK .. "x\n\nabc", NO_HTTP },
    { "HTTP/1.1 200\ncontent-length: 3\n\nabc", "abc", "kept" },
    { "HTTP/1.1 200OK\ncontent-length: 3\n\nabc", NO_HTTP },
    { "no HTTP at all\n\n", NO_HTTP },
    { "HTTP/1.1 abc\n\n", NO_HTTP },
    { "HTTP/2 200\n\n", NO_HTTP },
    { "HTTP/1.1 600 X\n\n", NO_HTTP },
    { "HTTP/1.1  200 OK\n\n", NO_HTTP },
    { "", NO_ANSWER },
  }

  it(
    "says what is wrong with an answer, and keeps a connection behind none whose end is uncertain",
    function()
      for _, row in ipairs(ANSWERS) do
        local text = row[1]:gsub("\n", "\r\n")
        sent, ends = {}, {}
        local said = asked(text)
        local seen = {
          row[1]:sub(1, 200),
          type(said) == "string" and said:gsub("^GET /x: ", "") or said,
          ends[1],
        }
        assert.same({ row[1]:sub(1, 200), row[2], row[3] or "closed" }, seen)
        assert.equal(
          type(said) == "string" and (said:find "closed$" or said:find "answer$") and 3 or 1,
          #sent,
          row[1]
        ) -- a connection may be lost
        if #text < 300 then -- the same a byte at a time
          local bytes = {}
          for i = 1, #text do
            bytes[i] = text:sub(i, i)
          end
          said = asked(bytes, with { tries = 1 })
          assert.same(
            { row[1], row[2] },
            { row[1], type(said) == "string" and said:gsub("^GET /x: ", "") or said }
          )
        end
      end
    end
  )

  it("takes an answer over TLS for whole only if the other side says so", function()
    local secure = with({ tries = 1 }, endpoint.defaults { baseUrl = "https://h" })
    assert.equal(
      "GET /x: the answer is cut off: TLS was not closed",
      asked(OK .. "\r\nabc", secure)
    )
    ended = "ended"
    assert.equal("abc", asked(OK .. "\r\nabc", secure))
  end)

  it("says which endpoint a sender was made of", function()
    assert.equal(api, send.endpoint)
  end)

  it("keeps a list of cookies, and joins other fields", function()
    local _, answer = asked(response("", "Set-Cookie: a=1, x\nx-a: 1 \nset-cookie:b=2\nX-A:\t2\n"))
    assert.same({ "a=1, x", "b=2" }, answer.headers["set-cookie"])
    assert.equal("1, 2", answer.headers["x-a"])
  end)

  it("reads many reasons in little time, and many pieces in little memory", function()
    local errors, before = {}, nil
    for i = 1, 300000 do
      errors["k" .. i] = "x"
    end
    local function decode()
      before = os.clock()
      return { errors = errors }
    end
    asked(json("{}", nil, 400), with { decode = decode })
    assert.is_true(os.clock() - before < 0.2) -- to sort them takes half a second
    errors = nil
    local least, most, pieces = math.huge, 0, { CHUNKED:gsub("\n", "\r\n"), nil }
    local function piece()
      collectgarbage()
      local count = collectgarbage "count" -- Lua 5.2 returns two numbers
      least = math.min(least, count) -- what is garbage from before goes by and by
      most = math.max(most, count - least)
      return ("1\r\na\r\n"):rep(5000)
    end
    for _ = 1, 20 do
      pieces[#pieces + 1] = piece
    end
    pieces[#pieces + 1] = "0\r\n\r\n"
    assert.equal(100000, #asked(pieces))
    assert.is_true(most < 1000, most) -- KB; a slot for each piece takes 1,600
  end)

  it(
    "sends at once on another what was lost on a kept one, but not behind a byte of an answer",
    function()
      assert.same(
        { "a", "closed" },
        { asked(response "a", send, "PUT /x", { data = "unread" }), ends[1] }
      ) -- an early answer
      is_kept, answers, sent, ends = true, { "", response "a" }, {}, {}
      assert.equal("a", outcome(send, "GET /x"))
      assert.same({ { "closed", "kept" }, {} }, { ends, slept })
      for problem, lost in pairs {
        [CUT .. ": closed"] = { OK .. "content-length: 1\r\n\r\n", response "a" },
        [NO_ANSWER] = { "", "", response "a" },
      } do
        answers, sent, ends = lost, {}, {}
        assert.equal("GET /x: " .. problem, outcome(with { tries = 1 }, "GET /x"))
      end
    end
  )

  it(
    "calls the statuses from 200 to 299 a success, and shows 200 bytes of a message, to the end "
      .. "of a character",
    function()
      local is_success = require "endpoint.request.answer.response".is_success
      for status, expected in pairs { [199] = false, [200] = true, [299] = true, [300] = false } do
        assert.equal(expected, is_success { status = status })
      end
      local shown, x = require "endpoint.request.failures.display".shown, ("x"):rep(196)
      for said, expected in pairs {
        [x .. "xxxx"] = x .. "xxxx",
        [x .. "xxxxx"] = x .. "x...",
        [x .. "éxxx"] = x .. "...",
        ["é" .. x:sub(2) .. "xxxx"] = "é" .. x:sub(2) .. "...",
      } do
        assert.equal(expected, shown(said))
      end
    end
  )

  it("writes the host first, and no field twice", function()
    local headers = {
      ["proxy-authorization"] = "mine",
      host = "other",
      connection = "x",
      ["content-type"] = "a/b",
    }
    asked(
      response "",
      with { proxy = "http://me:pw@p" },
      "PUT /x",
      { headers = headers, data = "abc" }
    )
    assert.equal("PUT http://h/v1/x HTTP/1.1\r\nhost: other\r\n", sent[1]:match "^.-\r\n.-\r\n")
    for name, count in pairs {
      host = 1,
      ["proxy%-authorization"] = 1,
      connection = 0,
      ["content%-type"] = 1,
      ["content%-length"] = 1,
    } do
      assert.equal(count, select(2, sent[1]:gsub("\n" .. name .. ":", "")), name)
    end
    assert.truthy(sent[1]:find("proxy-authorization: Basic bWU6cHc=", 1, true))
  end)

  -- --- time ---------------------------------------------------------------------

  it("gives connect_timeout to TLS behind a proxy anew", function()
    for seconds, milliseconds in pairs { [8] = 8000, [1e7] = math.floor(2 ^ 31 - 1) } do
      asked(
        function(text)
          return text:find "^CONNECT h:443 " and { 5, OK .. "\r\n" } or response ""
        end,
        with(
          { tries = 1, proxy = "http://p", timeout = 1e8, connect_timeout = seconds },
          endpoint.defaults { baseUrl = "https://h" }
        )
      )
      assert.same({ seconds, milliseconds }, left_for_tls)
    end
  end)

  it("has the settings that the guide names where none are given", function()
    asked(response "x", with { wait = error })
    assert.same({ 60, 10, nil, 3, 0, 2 ^ 26, error }, {
      chosen.timeout,
      chosen.connect_timeout,
      chosen.idle_timeout,
      chosen.tries,
      chosen.redirects,
      chosen.max_size,
      chosen.wait,
    })
  end)

  it("says which limit is over", function()
    local head = OK .. "content-length: 9\r\n\r\n"
    for _, row in ipairs {
      { { timeout = 5 }, { 9 }, "timeout: no complete answer within 5 s" },
      { { timeout = 5, idle_timeout = 7 }, { "H", 9 }, "timeout: no complete answer within 5 s" },
      {
        { timeout = 8, idle_timeout = 7 },
        { "H", 5, "T", 9 },
        "timeout: no complete answer within 8 s",
      },
      {
        { timeout = 50, idle_timeout = 7, tries = 1 },
        { 8, head, 6, "abc", 6, "def", 8 },
        "idle_timeout: nothing more came for 7 s",
      },
      {
        { timeout = 50, idle_timeout = 0.25, tries = 1 },
        { "H", 0.5 },
        "idle_timeout: nothing more came for 0.25 s",
      },
      { { timeout = 50, idle_timeout = 7 }, { 8, head, 6, "abcdef", 6, "ghi" }, "abcdefghi" },
      {
        { timeout = math.huge, idle_timeout = math.huge },
        { 1e8, head, "abcdefghi" },
        "abcdefghi",
      },
      {
        { timeout = 0.25 },
        { 0.125, OK .. "x: ", 0.125, "y" },
        "timeout: no complete answer within 0.25 s",
      },
      {
        { timeout = 0.25 },
        { CHUNKED, 0.125, "0;", 0.125, "y" },
        "timeout: no complete answer within 0.25 s",
      },
      {
        { timeout = 5 },
        {
          OK,
          function()
            clock = clock + 5
            return "x"
          end,
          "y",
        },
        "timeout: no complete answer within 5 s",
      },
    } do
      clock = 0
      local said = asked(function()
        return { support.unpack(row[2]) }
      end, with(row[1]))
      assert.equal(row[3], (said:gsub("^GET /x: ", "")))
    end
    local options = {
      data = function()
        clock = clock + 1
        return "x"
      end,
    }
    assert.equal(
      "PUT /x: timeout: no complete answer within 60 s",
      asked(response "", send, "PUT /x", options)
    )
    local many = {} -- more than masks look at
    for i = 1, 60000 do
      many[i] = i
    end
    local hooked = with {
      timeout = 5,
      around = function(_, ask)
        return ask()
      end,
    }
    assert.equal(
      "PUT /x: timeout: no complete answer within 5 s",
      asked({ 9 }, hooked, "PUT /x", { data = many })
    )
  end)

  -- --- answers -------------------------------------------------------------------

  it("sends a table and decodes the answer, by content type alone", function()
    local function mirror(text)
      return json(text:match "\r\n\r\n(.*)$")
    end
    local note, answer = asked(mirror, send, "POST /x", { title = "Bug" })
    assert.same({ "Bug", 200, "application/json", '{"title":"Bug"}', nil }, {
      note.title,
      answer.status,
      answer.headers["content-type"],
      answer.text,
      answer.url ~= API .. "/x" or nil,
    })
    for kind, body in pairs {
      ["text/plain"] = "[1]",
      ["application/json-seq"] = "[1]",
      ["application/x-ndjson"] = "[1]",
      ["Application/vnd.x+JSON ; a=b"] = "table",
      ["a/json\t"] = "table",
    } do
      local value = asked(response("[1]", "content-type: " .. kind .. "\n"))
      assert.equal(kind .. body, kind .. (type(value) == "table" and "table" or value))
    end
    assert.is_nil((asked(json "")))
    assert.equal(endpoint.null, (asked(json "null")))
    assert.equal("GET /x: the answer is not JSON", (asked(json "{S3CRET")))
    local reversing = with {
      decode = string.reverse,
      encode = function(body)
        return body.a
      end,
    }
    assert.equal("cb", asked(json "bc", reversing, "POST /x", { a = "bc" }))
    assert.truthy(sent[#sent]:find "\r\n\r\nbc$")
    assert.equal("x", asked(echo, send.ask, "POST /x", { data = "x" }))
    local function decode()
      return nil, 5, "no JSON at 5"
    end
    assert.equal("GET /x: the answer is not JSON", asked(json "x", with { decode = decode }))
    assert.is_nil((asked(
      json "null",
      with {
        decode = function()
          return nil, 5
        end,
      }
    )))
    local own = { headers = { ["accept-encoding"] = "gzip" } }
    assert.equal("no JSON", asked(json("no JSON", "content-encoding: gzip\n"), send, "GET /x", own))
  end)

  it("sends forms, multipart bodies and streams, and gives an answer to a sink", function()
    local headers = { ["content-type"] = "application/x-www-form-urlencoded" }
    assert.equal(
      "a%5B0%5D%5Bb%5D=1",
      asked(echo, with { nested = "indices" }, "POST /x", { a = { { b = 1 } }, headers = headers })
    )
    assert.equal(
      "a%5B%5D=x",
      asked(
        echo,
        send,
        "POST /x",
        { a = { "x" }, headers = headers, request = { nested = "brackets" } }
      )
    )
    local body, kind = clients.multipart { { name = "a", data = "b" } }
    local said =
      asked(echo, send, "POST /x", { data = body, headers = { ["content-type"] = kind } })
    assert.truthy(said:find('name="a"', 1, true))
    local parts = { "a", "b" }
    local function stream()
      return table.remove(parts, 1)
    end
    assert.equal("1\r\na\r\n1\r\nb\r\n0\r\n\r\n", asked(echo, send, "PUT /x", { data = stream }))
    for _, why in ipairs { "broke off", "timeout" } do
      assert.equal(
        "PUT /x: " .. why,
        asked(echo, send, "PUT /x", {
          data = function()
            return nil, why
          end,
        })
      )
    end
    local pieces, count = {}, 0
    local function sink(piece)
      if piece then
        pieces[#pieces + 1] = piece
      else
        count = count + 1
      end
    end
    local long = ("x"):rep(30000)
    local value, answer = asked(response(long), send, "GET /x", { request = { sink = sink } })
    assert.same({ "", long, 1 }, { value or answer.text, table.concat(pieces), count })
    assert.equal(
      "GET /x: the server answers 404",
      asked(response("x", nil, 404), send, "GET /x", { request = { sink = sink } })
    )
    assert.same({ long, 2 }, { table.concat(pieces), count })
    for _, row in ipairs {
      {
        "GET /x: full",
        {
          sink = function()
            return nil, "full"
          end,
        },
      },
      {
        "mine",
        {
          sink = function(piece)
            if piece then
              error("mine", 0)
            end
          end,
        },
      },
      { "GET /x: the answer is too long", { max_size = 29999 } },
      { long, { max_size = 30000 } },
    } do
      assert.equal(row[1], (asked(response(long), send, "GET /x", { request = row[2] })))
    end
  end)

  it("says the server's reason in the words that help", function()
    local reasons = {
      ['{"error": "invalid_grant", "error_description": "The code has expired"}'] = "The code "
        .. "has expired",
      ['{"errors": {"name": ["is too short", "is odd"], "size": ["is odd"]}}'] = "name is "
        .. "too short, is odd, size is odd",
      ['{"type": "about:blank", "title": "Out of credit", "detail": "It is 30"}'] = "Out of "
        .. "credit: It is 30",
      ['{"title": "Forbidden"}'] = "Forbidden",
      ['{"error": {"code": 7, "message": "deep"}}'] = "deep",
      ['{"title": "a", "detail": "a"}'] = "a",
      ['{"errors": [{"code": "odd"}]}'] = "odd",
      ['["b", "a"]'] = "b, a",
      ['{"message": "said", "errors": ["more", {"message": "and more"}]}'] = "said: more, and more",
      ['{"message": null, "errors": [null]}'] = false,
      ['{"error": true}'] = false,
      ['{"errors": {}}'] = false,
      ['{"error": {"code": 1, "message": "a"}}'] = "a",
      ['{"errors": [{"title": "b"}]}'] = "b",
      ['{"detail": "c"}'] = "c",
      ['{"message": "", "error": "d\27[31m\194\155x\10"}'] = "d\\x1b[31m\\xc2\\x9bx\\x0a",
      ['["e"]'] = "e",
      ['{"message": "\226\128\174x\226\129\166"}'] = "\\xe2\\x80\\xaex\\xe2\\x81\\xa6",
      ['{"data": "x"}'] = false,
      ['"x"'] = false,
      ["<html>"] = false,
      ['{"message": "you sent Bearer 0123 and S3 CRET, S3%20CRET"}'] = "you sent *** and ***, ***",
    }
    for open, close in pairs { ["["] = "]", ['{"error": '] = "}", ['{"errors": ['] = "]}" } do
      reasons[open:rep(4) .. '"a"' .. close:rep(4)], reasons[open:rep(5) .. '"a"' .. close:rep(5)] =
        "a", false
    end
    for text, reason in pairs(reasons) do
      local said =
        asked(json(text, nil, 422), send, "get /x/{id}{?api_key}", { id = 7, api_key = "S3 CRET" })
      assert.equal(
        text .. " GET /x/{id}: the server answers 422" .. (reason and ": " .. reason or ""),
        text .. " " .. said
      )
    end
    for size, shown in pairs { [40] = ("long "):rep(40), [41] = ("long "):rep(39) .. "lo..." } do
      local said = asked(json('{"message": "' .. ("long "):rep(size) .. '"}', nil, 404))
      assert.equal("GET /x: the server answers 404: " .. shown, said)
    end
  end)

  it("raises a failure with the line of the call, and nothing of the request", function()
    answers = { json('{"message": "no such thing"}', nil, 404) }
    local line = debug.getinfo(1, "l").currentline + 2
    local ok, failure = pcall(function()
      local x = send("GET /x/{id}", { id = 7 })
      return x
    end)
    assert.same({ false, 404 }, { ok, failure.response.status })
    assert.is_nil(failure.response.url)
    local said = "GET /x/{id}: the server answers 404: no such thing"
    assert.equal(said, failure.message)
    assert.truthy(tostring(failure):find("request_spec.lua:" .. line .. ": " .. said, 1, true))
    assert.equal("it says " .. tostring(failure), "it says " .. failure)
    local bare = with({}, endpoint.defaults { baseUrl = API })
    local first_line = (loadstring or load)(
      "local x = (...)('GET /x/{id}', { id = 7 }) return x",
      "=one"
    )
    answers[2] = answers[1]
    assert.equal("one:1: " .. said, tostring(select(2, pcall(first_line, send))))
    assert.equal(
      "lost",
      asked(function()
        error("lost", 0)
      end)
    )
    assert.equal(
      "GET http://***@h/x: the server answers 400",
      asked(json("", nil, 400), bare, "GET http://user:S3CRET@h/x?key=S3CRET")
    )
    local value, answer = asked(json('{"a": "b"}', nil, 404), send.ask)
    assert.same({ "b", 404, "b" }, { value.a, answer.status, answer.body.a })
  end)

  it("follows redirects within the origin if it is told to", function()
    local following = with { redirects = 2 }
    assert.equal(
      "/c",
      asked(function(text)
        local path, there = text:match "^%S+ (%S+)", { ["/v1/x"] = "/b", ["/b"] = "/c" }
        return there[path] and response("", "location: " .. there[path] .. "\n", 302)
          or response(path)
      end, following)
    )
    local function moved(to, why)
      return ("the server answers 302: moved to %s (not followed: %s)"):format(to, why)
    end
    local NOT_A_URL = "the server answers 302: moved, but the location is not a valid URL"
    local own = with({ redirects = 1 }, endpoint.defaults { baseUrl = "http://me:pw@h" })
    sent = {}
    assert.equal(
      "GET /x: " .. moved("http://h/2", "the limit redirects = 1 is reached"),
      asked(function(_, number)
        return response("", "location: http://h/" .. number .. "\n", 302)
      end, own)
    )
    for _, row in ipairs { -- the sender, where to, what it says, and the method
      { following, "/items", "/items" },
      { following, "items?a=b", "/v1/items?a=b" },
      { following, "http://h:80/items", "/items" },
      { send, "/items", moved("http://h/items", "the setting redirects is 0") },
      { send, "/items#key=S3CRET", moved("http://h/items", "the setting redirects is 0") },
      {
        following,
        "http://other/items?key=S3CRET",
        moved("http://other/items", "it has another origin"),
      },
      { following, "https://h/items", moved("https://h/items", "it has another origin") },
      { following, "https://h:80/items", moved("https://h:80/items", "it has another origin") },
      { following, "http://h:8080/items", moved("http://h:8080/items", "it has another origin") },
      { following, "http://me:pw@h/", moved("http://***@h/", "it has another origin") },
      { following, "http://@h/", moved("http://***@h/", "it has another origin") },
      { following, "/items//u@x", "/items//u@x" },
      { following, "/items", moved("http://h/items", "the method is POST"), "POST" },
      { following, "/items", "", "HEAD" },
      { following, "/loop", moved("http://h/loop", "the limit redirects = 2 is reached") },
      { following, "/..;/x", NOT_A_URL },
      { following, "http:items", NOT_A_URL },
      { send, "/reset/s3cr3t99/?a=1", moved("http://h/reset/***/", "the setting redirects is 0") },
    } do
      local said = asked(function(text)
        local path = text:match "^%u+ (%S+)"
        -- Also behind a redirect.
        local keeps = text:find "x%-token: s3cr3t99\r" and text:find "authorization: Bearer 0123\r"
        return path:find "items" and response(keeps and path or text)
          or response("", "location: " .. row[2] .. "\n", 302)
      end, row[1], (row[4] or "GET") .. " /x", { headers = { ["x-token"] = "s3cr3t99" } })
      assert.equal(
        row[2] .. ": " .. row[3],
        row[2] .. ": " .. tostring(said or ""):gsub("^%u+ /x: ", "")
      )
    end
    for status, is_move in pairs {
      [301] = true,
      [303] = true,
      [307] = true,
      [308] = true,
      [300] = false,
      [304] = false,
    } do
      local said = asked(response("", "location: /items\n", status))
      assert.equal(is_move, type(said) == "string" and said:find("not followed", 1, true) ~= nil)
    end
  end)

  -- --- pages ---------------------------------------------------------------------

  -- The pages of a list: the second is empty, and the third the last.
  local function items(text)
    local page = tonumber(text:match "page=(%d)" or 1)
    return json(
      page == 2 and "[]" or ('["%d", null]'):format(page),
      page < 3 and ('link: <?page=%d>; rel="next"\n'):format(page + 1)
    )
  end

  -- What each element is, and what is raised behind them.
  local function walked(answer, own, ...)
    answers = type(answer) == "function" and answer or function()
      return answer
    end
    local seen, next_item = {}, own.each(...)
    for _ = 1, 9 do -- none has more
      local ok, item = pcall(next_item)
      if not ok then
        seen[#seen + 1] = tostring(item):gsub("^%S*request_spec%.lua:%d+: ", "")
      end
      if not ok then
        assert.is_nil(next_item())
      end
      if not ok or item == nil then
        break
      end
      seen[#seen + 1] = item == endpoint.null and "null"
        or type(item) == "table" and item.id
        or item
    end
    return table.concat(seen, " ")
  end

  it("walks through pages", function()
    local logged = 0
    local function log()
      logged = logged + 1
    end
    local options = {
      q = "x",
      headers = { ["x-a"] = "1" },
      mediaType = { format = "raw" },
      request = { log = log },
    }
    assert.equal("1 null 3 null", walked(items, send, "GET /items", options))
    assert.equal(3, logged)
    for _, line in ipairs {
      "GET /v1/items?page=3 HTTP/1.1",
      "x-a: 1",
      "accept: application/vnd.service.v3.raw",
    } do
      assert.truthy(sent[3]:find(line .. "\r\n", 1, true), line)
    end
    -- on where it began, whatever is in the defaults
    local far =
      with({}, endpoint.defaults { baseUrl = "http://home.example", tenant = "t", state = "open" })
    local mine = { tenant = "mine", state = endpoint.null }
    assert.equal("1 null 3 null", walked(items, far, "GET http://h/items", mine))
    assert.equal("GET /items?page=3 HTTP/1.1", sent[#sent]:match "^[^\r]*")
    assert.equal("", walked(json "[]", send, { url = "/items" }))
  end)

  it("walks through pages with cursors in the body", function()
    local function cursor(text)
      local after = tonumber(text:match "after=(%d)" or 0)
      local link = after < 2 and ('"next": "/items?after=%d&f=a b", '):format(after + 1) or ""
      return json(
        ('{%s"data": [{"id": "%d"}], "has_more": %s}'):format(link, after + 1, tostring(after < 2))
      )
    end
    local function page(body, answer)
      return body.data, answer.status == 200 and body.has_more and { after = body.data[1].id }
    end
    local options = { method = "GET", url = "/items" }
    assert.equal("1 2 3", walked(cursor, send, options, nil, { page = page }))
    assert.equal(
      "1 2 3",
      walked(cursor, send, options, nil, {
        page = function(body)
          return body.data, body.next
        end,
      })
    )
    assert.equal(
      "1",
      walked(cursor, send, "GET /x", {}, {
        page = function(body)
          return body.data, endpoint.null
        end,
      })
    )
    -- two pages of one URL may differ in their bodies
    local function posted(body)
      return { body.id }, body.id ~= "3" and { id = ("%.0f"):format(body.id + 1) }
    end
    local function mirror(text)
      return json(text:match "\r\n\r\n(.*)$")
    end
    assert.equal("1 2 3", walked(mirror, send, "POST /x", { id = "1" }, { page = posted }))
    local function astray(following)
      return walked(cursor, send, "GET /x", {}, {
        page = function(body)
          return body.data, following
        end,
      })
    end
    assert.equal("1 GET /x: the next page has no valid URL", astray(true))
  end)

  it("refuses pages of another origin, pages that were there, and what is no list", function()
    local bare = with({}, endpoint.defaults { baseUrl = API })
    for link, said in pairs {
      ["http://other/items?key=S3CRET"] = "is at http://other/items, not at http://h/v1/x",
      ["//other/items"] = "is at http://other/items, not at http://h/v1/x",
      ["http://me:pw@h"] = "is at http://***@h, not at http://h/v1/x",
      ["ftp://h/x"] = "has no valid URL",
      ["/..;/x"] = "has no valid URL",
      ["/v1/x"] = "was already read",
      ["http://o/s3cr3t99"] = "is at http://o/***, not at http://h/v1/x",
    } do
      local text = json("[1]", "link: <" .. link .. '>; rel="next"\n')
      local seen = walked(text, bare, "GET /x", { headers = { ["x-token"] = "s3cr3t99" } })
      assert.equal("GET /x: the next page " .. said, (seen:gsub("^1%S* ", "")))
    end
    local looping = json('["a"]', 'link: </loop?page=2>; rel="next"\n')
    assert.equal(
      "a a GET /loop: the next page was already read",
      walked(looping, send, "GET /loop")
    )
    for text, said in pairs {
      ["{S3CRET"] = "is not JSON",
      ['{"a": 1}'] = "has no list",
      ['"x"'] = "has no list",
    } do
      assert.equal("GET /x: the answer " .. said, walked(json(text), send, "GET /x"))
    end
    assert.equal("GET /x: the answer has no list", walked(response "[]", send, "GET /x"))
  end)

  -- --- around --------------------------------------------------------------------

  it("asks a hook around each try, which may send, send again, or answer", function()
    local kept, paths = nil, {}
    local cached = with {
      around = function(_, ask)
        kept = kept or assert(ask())
        return kept
      end,
    }
    local list, answer = asked(json '["a"]', cached)
    list[1], answer.headers["content-type"], answer.text, answer.status = "b", "a/b", "x", 500
    assert.same({ "a" }, (outcome(cached, "GET /x?page=5")))
    assert.equal(API .. "/x?page=5", select(2, outcome(cached, "GET /x?page=5")).url)
    local made = { status = 201, headers = { ["Content-TYPE"] = "a/json" }, text = '["x"]' }
    assert.same({ "x" }, (outcome(
      with {
        around = function()
          return made
        end,
      },
      "GET /x"
    )))
    local function follow(r, ask)
      paths[#paths + 1] = (r.headers["x-mark"] or "") .. r.url:match "/[^/]*$"
      r.headers["x-mark"] = "marked"
      return ask(r)
    end
    sent = {}
    walked(function(text, number)
      if number == 1 then
        return response("", nil, 503)
      end
      return text:find "/x " and response("", "location: /items\n", 302) or items(text)
    end, with { redirects = 1, around = follow }, "GET /x")
    assert.equal("/x /x /items /items?page=2 /items?page=3", table.concat(paths, " "))
    outcome(
      with {
        around = function(_, ask)
          return ask { method = "get", url = "http://other/" }
        end,
      },
      "GET /x"
    )
    assert.equal("other", host)
    -- By a sink, of an answer that the hook gives and that shall be asked for again.
    local taken = {}
    local given = with {
      around = function()
        return { status = 200, text = "x" }
      end,
      retry_on = { 200 },
      sink = function(piece)
        taken[#taken + 1] = piece
      end,
    }
    assert.is_nil(given "GET /x")
    assert.same({ "x" }, taken)
  end)

  it("lets a hook's errors through, and says what is wrong with what it answers", function()
    local thrown = {}
    assert.equal(
      thrown,
      select(
        2,
        pcall(
          with {
            around = function()
              error(thrown)
            end,
          },
          "GET /x"
        )
      )
    )
    local wrong =
      "endpoint.request: around: expected a response, which has a status, or nil and a message"
    for _, row in ipairs { -- what is raised, the hook, and how often it is called
      {
        "mine",
        function()
          error("mine", 0)
        end,
        1,
      },
      {
        "elsewhere:3: endpoint: mine",
        function()
          error("elsewhere:3: endpoint: mine", 0)
        end,
        1,
      },
      {
        "GET /x: no luck, ***",
        function(q)
          return nil, "no luck, " .. q.headers.authorization
        end,
        3,
      },
      {
        "GET /x: around returned nothing",
        function(_, ask)
          ask()
        end,
        1,
      },
      {
        wrong,
        function()
          return { text = "x" }
        end,
        1,
      },
      {
        wrong,
        function()
          return "x"
        end,
        1,
      },
      {
        wrong,
        function()
          return { status = 200, headers = { "a: b" } }
        end,
        1,
      },
      {
        wrong,
        function()
          return { status = 200, text = 7 }
        end,
        1,
      },
      {
        "endpoint.request: around: expected a result to send, got a string",
        function(_, ask)
          return ask "GET /x"
        end,
        1,
      },
    } do
      local count = 0
      assert.equal(
        row[1],
        asked(
          response "",
          with {
            around = function(...)
              count = count + 1
              return row[2](...)
            end,
          }
        )
      )
      assert.equal(row[3], count)
    end
  end)

  it(
    "sends nothing twice that is gone, and gives a sink no other answer behind a part of one",
    function()
      local said, got
      local twice = with {
        around = function(r, ask)
          ask(r)
          said = { select(2, ask(r)) }
          return { status = 200, text = "" }
        end,
      }
      asked(response "", twice, "PUT /x", { data = function() end })
      assert.same({ "the stream was read, so it cannot be sent again", true }, said)
      asked(
        response "x",
        twice,
        "GET /x",
        { request = {
          sink = function()
            return true
          end,
        } }
      )
      assert.same(
        { "the sink already has a part of an answer, so nothing can be sent again", true },
        said
      )
      -- The call, what the hook sends for it, and how often the hook is asked.
      for _, row in ipairs {
        { "POST /x", { "GET /y" }, 2 },
        { "POST /x", { "POST /x", "GET /y" }, 1 },
        { "POST /x", {}, 1 },
        { "PUT /x", {}, 2 },
      } do
        local count = 0
        asked(
          response("", nil, 503),
          with {
            tries = 2,
            around = function(_, ask)
              local answer, problem = nil, "busy"
              count = count + 1
              for _, route in ipairs(row[2]) do
                answer, problem = ask(api(route))
              end
              return answer, problem
            end,
          },
          row[1]
        )
        assert.equal(row[3], count)
      end
      local function sink(piece, problem)
        got = got .. (piece or " " .. tostring(problem or "whole"))
        return true
      end
      local made, cut = { status = 200, text = "made" }, OK .. "content-length: 9\r\n\r\nabc"
      for _, row in ipairs { -- the answers, the hook, and what the sink gets
        {
          { cut },
          function(_, ask)
            return ask() or made
          end,
          "abc GET /x: the answer is cut off: closed",
        },
        { { cut, response "abc" }, nil, "abc GET /x: the answer is cut off: closed" },
        {
          {},
          function()
            return made
          end,
          "made whole",
        },
        {
          {},
          function()
            return { status = 500, text = "no" }
          end,
          " whole",
        },
        {
          {},
          function()
            error("mine", 0)
          end,
          " mine",
        },
        { { response "abc" }, nil, "abc whole" },
        {
          {},
          function()
            return { status = 404, text = "x" }
          end,
          " whole",
        },
        { { response("", nil, 503), response "abc" }, nil, "abc whole" },
      } do
        got, sent, answers = "", {}, row[1]
        local ok, _, answer = pcall(with { around = row[2], sink = sink }, "GET /x")
        assert.same({ row[3], "" }, { got, ok and answer.text or "" })
      end
      local function full()
        return nil, "full, Bearer 0123"
      end
      assert.equal(
        "GET /x: full, ***",
        outcome(
          with {
            around = function()
              return made
            end,
            sink = full,
          },
          "GET /x"
        )
      )
    end
  )

  it("masks what a hook wrote and took away", function()
    assert.equal(
      "GET /x: the server answers 400: not ***",
      asked(
        json('{"detail": "not S3CRET-of-hook"}', nil, 400),
        with {
          around = function(r, ask)
            r.headers["x-token"] = "S3CRET-of-hook"
            local answer = ask(r)
            r.headers["x-token"] = nil
            return answer
          end,
        }
      )
    )
    assert.equal(
      "PUT /x: the server answers 400: not ***",
      asked(
        json('{"detail": "not S3CRET99"}', nil, 400),
        send,
        "PUT /x",
        { data = '{"token": "S3CRET99"}', headers = { ["content-type"] = "application/json" } }
      )
    )
    local function bare(r, ask)
      return ask { method = r.method, url = r.url }
    end
    assert.equal(
      "GET /x: the server answers 400: none",
      asked(json('{"detail": "none"}', nil, 400), with { around = bare })
    )
  end)

  -- --- settings and mistakes -----------------------------------------------------

  it("takes a call's settings over the defaults', tells a log, and asks a check", function()
    local entries, routes = {}, {}
    local function log(entry)
      entries[#entries + 1] = tostring(entry):gsub("pauses [%d.]+", "pauses N")
        .. " "
        .. entry.template
        .. entry.try
    end
    local first = with({}, api.defaults { request = { log = log, max_size = 1, tries = 2 } })
    assert.equal(
      "GET /x: the answer is too long",
      asked(response "abc", first, "GET /x?key=S3CRET")
    )
    assert.equal(
      "GET /x: the answer is too long",
      asked(response "abc", first, "GET /x", { request = { timeout = 1 } })
    )
    assert.equal("abc", asked(response "abc", first, "GET /x", { request = { max_size = 3 } }))
    assert.equal("abc", asked(response "abc", first, "GET /x", { request = endpoint.null }))
    asked(function()
      return { 0.5, response("", nil, 503) }
    end, first)
    local long = "GET /x the answer is too long 0.000 s, try 1 /x1"
    assert.same({
      long,
      long,
      "GET /x 200 0.000 s, try 1 /x1",
      "GET /x 503 0.500 s, try 1 /x1",
      "GET /x pauses N s after try 1: the server answers 503 /x1",
      "GET /x 503 0.500 s, try 2 /x2",
    }, entries)
    local checked = with {
      check = function(route, options)
        routes[#routes + 1] = route .. " " .. tostring(options and options.q)
        if options and options.wrong then
          error("endpoint.checks: wrong", 2)
        end
      end,
    }
    walked(items, checked, "GET /items", { q = "x" })
    assert.equal("endpoint.checks: wrong", outcome(checked, "GET /items", { wrong = 1 }))
    assert.equal("GET /items x, GET /items nil", table.concat(routes, ", "))
    local bare = with(
      {},
      endpoint.defaults { headers = { accept = endpoint.null, ["user-agent"] = endpoint.null } }
    )
    local mine = { accept = "*/*", authorization = "mine", ["user-agent"] = "mine" }
    for _, row in ipairs {
      { send, "get", { accept = "*/*" } },
      { bare, "get", {} },
      { send, "GET", mine },
    } do
      assert.equal(
        "x",
        asked(
          response "x",
          row[1],
          { method = row[2], url = "http://h/v1/items", headers = row[3] }
        )
      )
    end
  end)

  it("says what is wrong with settings and arguments, at the line of the call", function()
    local result = "endpoint.request: expected a route and options, got a result of the endpoint: "
      .. "send(route, options)"
    local function own() end
    for kind, names in pairs {
      string = "cafile certificate key proxy nested",
      table = "retry_on",
      number = "timeout connect_timeout idle_timeout tries redirects max_size",
      ["string or function"] = "client",
      ["function"] = "around log sink encode decode sleep wait now check",
    } do
      for name in names:gmatch "%S+" do
        local said = outcome(request.new, api, { [name] = false })
        assert.equal(
          ("endpoint.request: %s: expected a %s, got a boolean"):format(name, kind),
          said
        )
      end
    end
    for _, row in ipairs {
      {
        "client: expected luasocket, curl, resty_http or a function",
        request.new,
        api,
        { client = "wget" },
      },
      { "client: resty_http runs inside nginx alone", request.new, api, { client = "resty_http" } },
      {
        "wait: only the client luasocket takes it, not curl",
        request.new,
        api,
        { client = "curl", wait = own },
      },
      { "tries: expected a number of at least 1", request.new, api, { tries = 0 } },
      { "tries: expected a number of at least 1", request.new, api, { tries = math.huge } },
      { "redirects: expected a number of at least 0", request.new, api, { redirects = -1 } },
      { "timeout: expected a number of at least 0.001", request.new, api, { timeout = 0 } },
      {
        "connect_timeout: expected a number of at least 0.001",
        request.new,
        api,
        { connect_timeout = 0 },
      },
      {
        "idle_timeout: expected a number of at least 0.001",
        request.new,
        api,
        { idle_timeout = 0 },
      },
      { "max_size: expected a number of at least 1", request.new, api, { max_size = 0 } },
      { "settings: there is no setting verify", request.new, api, { verify = "none" } },
      { "settings: expected a table, got a number", request.new, api, 5 },
      {
        "retry_on: expected a list of statuses, got a string in it",
        request.new,
        api,
        { retry_on = { "503" } },
      },
      {
        "proxy: expected the URL of an HTTP proxy",
        request.new,
        api,
        { proxy = "socks5://127.0.0.1:1" },
      },
      { "proxy: expected the URL of an HTTP proxy", request.new, api, { proxy = "https://h" } },
      {
        "cafile: /none.pem: No such file or directory",
        request.new,
        api,
        { client = own, cafile = "/none.pem" },
      },
      {
        "certificate: /none.pem: No such file or directory",
        request.new,
        api,
        { client = own, certificate = "/none.pem" },
      },
      {
        "key: /none.pem: No such file or directory",
        request.new,
        api,
        { client = own, key = "/none.pem" },
      },
      {
        "key: expected the setting certificate, too",
        request.new,
        api,
        { client = own, key = "src/endpoint.h" },
      },
      { "expected an endpoint, got a table", request.new, {} },
      { "request: expected a table, got a number", send, "GET /x", { request = 5 } },
      { "request: there is no setting client", send, "GET /x", { request = { client = "curl" } } },
      {
        "request: there is no setting a",
        with({}, api.defaults { request = { a = 1 } }),
        "GET /x",
        { request = {} },
      },
      { "each: there is no setting pages", send.each, "GET /x", {}, { pages = 1 } },
      { "page: expected a function, got a string", send.each, "GET /x", {}, { page = "1" } },
      { "max: expected a number, got a string", send.each, "GET /x", {}, { max = "1" } },
      { result, send, api("POST /x", { a = 1 }) },
      { result, send, api "GET /x" },
      { "endpoint: parameter", send, "GET /{id}", {} },
      { "endpoint: option", send, "GET /x", { data = 1 } },
      { "endpoint.clients: body", send, "POST /x", { data = { [{}] = 1 } } },
      { "endpoint.clients: body", send, "PATCH /x", { data = io.stdout } },
    } do
      local expected = row[1]:find "^endpoint" and row[1] or "endpoint.request: " .. row[1]
      local line = debug.getinfo(1, "l").currentline + 2
      local function call()
        local x = row[2](row[3], row[4], row[5])
        return x
      end
      local ok, said = pcall(call)
      assert.is_false(ok)
      assert.equal(expected, tostring(said):match "request_spec%.lua:%d+: (.*)":sub(1, #expected))
      assert.truthy(said:find("request_spec.lua:" .. line .. ":", 1, true), said)
    end
  end)

  it("sends by a function", function()
    local seen
    local function client(r, s)
      seen = s
      return 200,
        { ["Content-Type"] = { "application/json" }, ["Set-Cookie"] = "c" },
        '{"url": "' .. r.url .. '"}'
    end
    local body, answer = with { client = client, encode = tostring }("GET /{id}", { id = "a b" })
    assert.same({ API .. "/a%20b", "h", "http", 80, true, tostring, { "c" } }, {
      body.url,
      seen.host,
      seen.scheme,
      seen.port,
      seen.may_repeat,
      seen.encode,
      answer.headers["set-cookie"],
    })
    assert.is_true(seen.timeout > 59)
    assert.is_nil((with {
      client = function()
        return 204, {}
      end,
    }("GET /x")))
    local socket = package.loaded.socket
    package.loaded.socket = {
      gettime = function()
        return clock
      end,
      sleep = sleep,
    }
    outcome(
      with {
        client = function(_, s)
          clock, seen = clock + 40, s
          return 503, {}, ""
        end,
      },
      "GET /x"
    )
    package.loaded.socket = socket
    assert.is_true(seen.timeout < 21) -- what the first try has left
    outcome(with { client = client }, "POST /x")
    assert.is_false(seen.may_repeat)
    local wrong = "endpoint.request: client: expected a status, headers and a string"
    for _, row in ipairs {
      { "GET /x: no\\x0away ***", nil, "no\nway Bearer 0123" },
      { "GET /x: final", nil, "final", true },
      { wrong, "200", {}, "" },
      { wrong, 200 },
      { wrong, 200, { "a: b" } },
      { wrong, 200, { a = { {} } } },
      { wrong, 200, { a = endpoint.null } },
      { wrong, 200, { a = { x = 1 } } },
      { wrong, 200, {}, 5 },
      { "GET /x: the server answers 400", 400, { a = { "x", 5 } } },
      { "GET /x: the answer's content-length is invalid", 200, { ["content-length"] = "1 1" }, "" },
      { "x", 200, { ["content-length"] = ("9"):rep(15) }, "x" },
      { "GET /x: the answer is cut off", 200, { ["content-length"] = ("1"):rep(16) }, "x" },
    } do
      local count = 0
      assert.equal(
        row[1],
        outcome(
          with {
            sleep = function() end,
            client = function()
              count = count + 1
              return row[2], row[3], row[4]
            end,
          },
          "GET /x"
        )
      )
      assert.equal(row[3] == "no\nway Bearer 0123" and 3 or 1, count)
    end
    local function page(given)
      return { given.id }, given.id ~= "bb" and { after = given.id }
    end
    local function local_client(r)
      return 200, { ["content-type"] = "a/json" }, '{"id": "' .. r.url:gsub("[^=]*=", "") .. 'b"}'
    end
    local own = with({ client = local_client }, endpoint.defaults { baseUrl = "/api" })
    assert.equal("b bb", walked("", own, "GET /x?=", {}, { page = page }))
    local function place(r, try)
      return 200, {}, r.url .. " at " .. tostring(try.host)
    end
    local moving = with({
      client = function()
        return 302, { location = "/y" }
      end,
    }, endpoint.defaults { baseUrl = "/api" })
    assert.equal(
      "GET /x: the server answers 302: moved, but the location is not a valid URL",
      outcome(moving, "GET /x")
    )
    assert.equal(
      "/api/x at nil",
      (with({ client = place }, endpoint.defaults { baseUrl = "/api" }) "GET /x")
    )
  end)

  -- Runs f while modules are these, or are not there if false; those of endpoint.request are loaded
  -- again.
  local function while_loaded(modules, f)
    local loaded, preload = {}, {}
    for name, module in pairs(package.loaded) do
      if name:find "^endpoint%.request" then
        loaded[name], package.loaded[name] = module, nil
      end
    end
    for name, module in pairs(modules) do
      loaded[name], preload[name] = package.loaded[name] or false, package.preload[name] or false
      package.loaded[name], package.preload[name] =
        module or nil, function()
          error("not here", 0)
        end
    end
    local ok, problem = pcall(f)
    for name in pairs(modules) do
      package.preload[name] = preload[name] or nil
    end
    for name, module in pairs(loaded) do
      package.loaded[name] = module or nil
    end
    assert(ok, problem)
  end

  it("says which module is missing, and works without the library debug", function()
    local secure = endpoint.defaults { baseUrl = "https://127.0.0.1" }
    local function said()
      return outcome(function()
        return require "endpoint.request".new(secure)("GET /x")
      end)
    end
    local expected = "endpoint.request: expected the module "
    while_loaded({ ssl = false, socket = {} }, function()
      assert.is_nil(
        require "endpoint.request" and package.loaded["endpoint.request.clients.resty_http"]
      )
      assert.equal(expected .. "ssl (LuaSec, or another client): not here", said())
    end)
    while_loaded({ socket = false }, function()
      assert.equal(expected .. "socket (LuaSocket, or another client): not here", said())
    end)
    while_loaded({ cjson = false }, function()
      local function client()
        return 200, { ["content-type"] = "a/json" }, "1"
      end
      local own = require "endpoint.request".new(api, { client = client })
      assert.truthy(
        outcome(own, "GET /x"):find(
          expected .. "cjson (lua-cjson, or the setting decode): ",
          1,
          true
        )
      )
    end)
    local library, globals = debug, package.loaded._G
    globals.debug = nil
    while_loaded({}, function()
      local found, own = pcall(require, "endpoint.request")
      globals.debug = library
      local sent_by = assert(found and own).new(api, {
        client = function()
          return 404, {}, ""
        end,
      })
      assert.equal("GET /x: the server answers 404", tostring(select(2, pcall(sent_by, "GET /x"))))
      assert.truthy(tostring(select(2, pcall(sent_by, "GET /{id}"))):find "^endpoint: parameter")
    end)
  end)

  it("compares names by LuaSec", function()
    local certificate, sock, kinds, context, calls = {}, {}, {}, nil, nil
    setmetatable(sock, {
      __index = function(_, name)
        return function()
          calls = calls .. name .. " "
          return 1
        end
      end,
    })
    function sock.getpeercertificate()
      return certificate
    end
    function sock.settimeout(_, _, kind)
      kinds[kind or "b"] = true
    end
    function sock.getfd()
      return 3
    end
    function sock.connect(_, address)
      return address == "::2" or nil, "refused"
    end -- only the second address answers
    function certificate.checkhost(_, name)
      return name ~= "odd"
    end
    function certificate.extensions()
      return { ["2.5.29.17"] = certificate.names }
    end
    local function get_sock()
      return sock
    end
    local function getaddrinfo()
      return { { addr = "::1" }, { addr = "::2" } }
    end
    local function newcontext(given)
      context = given
      return given.cafile ~= "/etc/ssl/certs/ca-certificates.crt" or nil
    end
    local socket = {
      tcp = get_sock,
      select = error,
      gettime = os.time,
      sleep = sleep,
      dns = { getaddrinfo = getaddrinfo },
    }
    while_loaded({ socket = socket, ssl = { wrap = get_sock, newcontext = newcontext } }, function()
      local own = require "endpoint.request".new(endpoint)
      for names, hosts in pairs {
        ["API.example"] = "api.example Api.Example. !example !x.api.example",
        ["odd"] = "!odd",
        ["*.b.c"] = "a.b.c !b.c !.b.c !.a.b.c !x.a.b.c",
        ["a*.b.c"] = "!a.b.c !ax.b.c !x.b.c",
        ["*.b.c*"] = "!x.b.c",
        ["*.c"] = "!a.c",
        ["*..c"] = "!a..c",
        ["*"] = "!a",
        ["a1.2.3"] = "a1.2.3",
        ["192.0.2.7"] = "!192.0.2.7",
        ["IP 192.0.2.7"] = "192.0.2.7 !192.0.2.8",
        ["IP ::1"] = "[0:0::1]",
        ["IP ::2"] = "![::2]",
      } do
        certificate.names =
          { [names:find "IP" and "iPAddress" or "dNSName"] = { names:match "%S+$" } }
        for wrong, name in hosts:gmatch "(!?)(%S+)" do -- what is refused is not tried again
          calls = ""
          outcome(own, "GET https://" .. name)
          assert.equal(
            wrong,
            calls:find "^[^h]*dohandshake close $" and "!" or "",
            names .. " for " .. name
          )
        end
      end
      assert.same({
        mode = "client",
        protocol = "any",
        verify = "peer",
        cafile = "/etc/pki/tls/certs/ca-bundle.crt",
        options = { "all", "no_sslv2", "no_sslv3", "no_tlsv1", "no_tlsv1_1" },
      }, context)
      assert.same({ b = true }, kinds) -- it waits by select, and not within a method
    end)
  end)

  it("has libcurl do what the settings say, and trust no authority but those of cafile", function()
    local easy, set = {
      perform = function()
        return 0
      end,
    }, nil
    function easy.setopt(_, option, value)
      set[option] = value
    end
    while_loaded({
      cURL = {
        easy = function()
          return easy
        end,
      },
      socket = {
        gettime = function()
          return 0
        end,
      },
    }, function()
      for settings, expected in pairs {
        [{ certificate = "LICENSE", key = "README.md" }] = "1 2 1 60000 10000 0 1 0  LICENSE nil "
          .. "README.md nil",
        [{
          cafile = "LICENSE",
          certificate = "README.md",
          proxy = "http://p",
          timeout = 9,
        }] = "1 2 1 9000 9000 1 1 0 http://p:80 README.md LICENSE README.md /dev/null",
      } do
        local list = {}
        set, settings.client, settings.tries = {}, "curl", 1
        local said = outcome(
          require "endpoint.request".new(api, settings),
          settings.key and "GET /x" or "POST /x"
        )
        for i, option in ipairs {
          64,
          81,
          99,
          155,
          156,
          74,
          19,
          20,
          10004,
          10025,
          10065,
          10087,
          10097,
        } do
          list[i] = tostring(set[option]):gsub("%.0$", "")
        end
        assert.same(
          { expected, "the answer is not HTTP" },
          { table.concat(list, " "), said:match ": (.*)" }
        )
      end
      for code, expected in pairs { [7] = 2, [58] = 1, [60] = 1, [77] = 1 } do -- how often it sends
        local count = 0
        function easy.perform()
          count = count + 1
          return code, "no"
        end
        outcome(
          require "endpoint.request".new(api, { client = "curl", tries = 2, sleep = sleep }),
          "GET /x"
        )
        assert.equal(expected, count)
      end
    end)
  end)
end)
